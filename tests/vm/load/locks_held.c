// SPDX-License-Identifier: GPL-2.0-only
/* Threads that hold locks of the kernel and wait for them: as on the live kernel. */
#include "../../live/load/locks_held.c"
