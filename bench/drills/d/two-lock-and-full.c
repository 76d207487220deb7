/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two causes at once that have nothing to do with one another: a lock, and a pipe that is full.
 *
 * truth: t1-worker waits for the file lock of t1-holder, which sleeps 70 ms; t1-writer waits in write() for
 * truth: t1-reader, which sleeps 150 ms between reads
 * victim: t1-worker
 * fact: WHO t1-holder
 * fact: WHAT flock|\block\b
 * fact: DID t1-holder.*(nanosleep|sle(pt|ep))
 * victim: t1-writer
 * fact: WHO t1-reader
 * fact: WHAT \bwrite\b|pipe
 * fact: DID t1-reader.*(nanosleep|sle(pt|ep))
 * short: yes
 */
#include "drill.h"

static int ends[2];
static struct drill_ops *of_writer;

static void holder(void)
{
	int fd = open("lock", O_CREAT | O_RDWR, 0600);

	name("t1-holder");
	for (;;) {
		flock(fd, LOCK_EX);
		nap(70);
		flock(fd, LOCK_UN);
		nap(30);
	}
}

static void reader(void)
{
	static char b[32768];

	name("t1-reader");
	for (;;) {
		nap(150);
		read(ends[0], b, sizeof(b));
	}
}

static void writer(void)
{
	static char b[8192];

	name("t1-writer");
	while (goes_on()) {
		uint64_t from = now();

		write(ends[1], b, sizeof(b));
		took(of_writer, from, 30);
		nap(2);
	}
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	int fd;

	drill_init();
	of_writer = ops_new();
	fd = open("lock", O_CREAT | O_RDWR, 0600);
	if (pipe(ends))
		not_produced("pipe: %s", strerror(errno));
	drill_begin(3);
	child(holder);
	child(reader);
	child(writer);
	name("t1-worker");
	while (goes_on()) {
		uint64_t from = now();

		flock(fd, LOCK_EX);
		flock(fd, LOCK_UN);
		took(ops, from, 20);
		nap(10);
	}
	drill_tell(of_writer, 5, 80);
	drill_tell(ops, 5, 50);
	return 0;
}
