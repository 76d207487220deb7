/* SPDX-License-Identifier: GPL-2.0-only */
/* <sys/socket.h> for the page: families have Linux' numbers, as they have in traces. */
#ifndef LKST_WASI_SYS_SOCKET_H
#define LKST_WASI_SYS_SOCKET_H

#define AF_INET 2
#define AF_INET6 10

#endif
