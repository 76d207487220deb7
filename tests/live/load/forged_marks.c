// SPDX-License-Identifier: GPL-2.0-only
/*
 * forged_marks PID TID: makes a file in /dev/shm that looks like the memory of process PID, with marks of thread TID in
 * it, as any user can, and says "made".
 */
#include <time.h>

#include "lib/full_marks.h"

int main(int argc, char **argv)
{
	struct timespec t;
	u8 *memory;

	if (argc < 3)
		return 2;
	memory = full_marks_make("/dev/shm", geteuid(), atoi(argv[1]), (u32)getpid(), 1);
	if (!memory)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &t);
	full_marks_describe(memory);
	full_marks_fill(memory, 0, 0, atoi(argv[2]), (u64)t.tv_sec * 1000000000 + (u64)t.tv_nsec - 1000000);
	puts("made");
	return 0;
}
