// SPDX-License-Identifier: GPL-2.0-only
/* The program of syscalls.c as a 32-bit one, which takes its calls from another table. */
#include "syscalls.c"
