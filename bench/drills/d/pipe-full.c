/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A pipe is full, since who reads it computes for long between reads.
 *
 * truth: pp-writer waits in write() to a pipe, because pp-reader computes 120 ms for each piece that it reads
 * victim: pp-writer
 * fact: WHO pp-reader
 * fact: WHAT \bwrite\b|pipe
 * fact: DID pp-reader.*(\bran\b|comput)
 * amount: yes
 * short: yes
 */
#include "drill.h"

static int ends[2];

static void reader(void)
{
	static char b[32768];

	name("pp-reader");
	close(ends[1]);
	while (read(ends[0], b, sizeof(b)) > 0)
		work(120);
}

int main(void)
{
	static char b[16384];
	struct drill_ops *ops = ops_new();

	drill_init();
	if (pipe(ends))
		not_produced("pipe: %s", strerror(errno));
	drill_begin(3);
	child(reader);
	name("pp-writer");
	while (goes_on()) {
		uint64_t from = now();

		write(ends[1], b, sizeof(b));
		took(ops, from, 30);
		nap(2);
	}
	drill_tell(ops, 4, 60);
	return 0;
}
