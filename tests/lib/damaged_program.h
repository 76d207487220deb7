/* SPDX-License-Identifier: GPL-2.0-only */
/* For fuzz targets: tests/unit/probed/program.c, compiled, with some of its bytes changed. */
#ifndef LKST_TESTS_DAMAGED_PROGRAM_H
#define LKST_TESTS_DAMAGED_PROGRAM_H

#include "abi/types.h"

struct damaged_program {
	char path[64]; /* of the file, which is removed when the process ends */
	size_t size;   /* of the file */
};

/*
 * Writes the program with changes as @data says, six bytes for each, at most 64: the section it is in (0xff: anywhere),
 * three bytes of where in it, what is there then, and what follows it unless that is 0. The result is good until the
 * next call. Ends the process if the program cannot be read or written.
 */
const struct damaged_program *damaged_program(const u8 *data, size_t size);

#endif
