// SPDX-License-Identifier: GPL-2.0-only
/* The same as a 32-bit program. */
#include "traps.c"
