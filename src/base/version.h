/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lkst this is. */
#ifndef LKST_BASE_VERSION_H
#define LKST_BASE_VERSION_H

#define LKST_VERSION "0.9"

#endif
