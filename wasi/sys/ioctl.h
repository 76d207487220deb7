/* SPDX-License-Identifier: GPL-2.0-only */
/* <sys/ioctl.h> for the page, which has no terminal: its width is not known. */
#ifndef LKST_WASI_SYS_IOCTL_H
#define LKST_WASI_SYS_IOCTL_H

struct winsize {
	unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};

enum { TIOCGWINSZ = 0x5413 };

static inline int ioctl(int fd, unsigned int request, struct winsize *ret_size)
{
	return -1;
}

#endif
