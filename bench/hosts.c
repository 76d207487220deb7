/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Many machines that send aggregates to one ClickHouse server, simulated: each sends rows that a real one has sent,
 * shifted to other seconds and under a name of its own, as its agent would: so many seconds at a time, when they are
 * over. Says whether the server kept up: how late each batch was accepted.
 *
 *	hosts ROWS URL HOSTS SECONDS BATCH SENDERS [SPEED]
 *
 * ROWS is a file of rows of table second_rows in format RowBinary, of one machine, by second. SECONDS are what each
 * host sends in all, in batches of BATCH seconds; SENDERS processes send for all of them. SPEED: so many times as fast
 * as real time, 1; 0: as fast as the server takes it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "abi/types.h"
#include "base/vec.h"
#include "fleet/client.h"
#include "fleet/packed_rows.h"
#include "common.h"

#define SECOND_NS 1000000000ULL

enum {
	UUID = 16,
	FIXED = 2 * UUID + 4, /* between the host's name and the measure: boot, trace, second */
	SENDERS_MAX = 64,
	LATE_MAX = 1 << 16, /* batches of a sender whose times are kept */
};

/* The rows of one second: what follows the column `second` of each, and where it ends. */
struct row {
	const u8 *bytes;
	size_t length;
};

struct second {
	struct row *rows;
	u32 nr;
};

static struct second *seconds;
static u32 nr_seconds;

/* What a sender says at its end. */
struct said {
	u64 rows, bytes, inserts, failures;
	u64 cpu_ns;
	u32 nr_late;
	float late_s[LATE_MAX];
};

/* ---- reading rows ---------------------------------------------------------------------------- */

static const u8 *at, *end;

static void need(size_t length)
{
	if ((size_t)(end - at) < length)
		bench_die("the rows end in the middle of one");
}

static u64 take_count(void)
{
	u64 count = 0;
	unsigned int shift = 0;
	u8 byte;

	do {
		need(1);
		byte = *at++;
		count |= (u64)(byte & 127) << shift;
		shift += 7;
	} while (byte & 128 && shift < 35);
	return count;
}

static void skip(size_t length)
{
	need(length);
	at += length;
}

static void skip_text(void)
{
	skip(take_count());
}

static void skip_numbers(size_t size)
{
	u64 nr = take_count();

	need(nr);
	skip(nr * size);
}

static void skip_texts(void)
{
	for (u64 nr = take_count(); nr; nr--)
		skip_text();
}

/* From the measure on: measure, cgroup, n, total, worst, and two pairs of arrays. */
static void skip_rest(void)
{
	skip_text();
	skip_text();
	skip(3 * 8);
	skip_texts();
	skip_numbers(8);
	skip_numbers(2);
	skip_numbers(8);
}

static void read_rows(const char *path)
{
	FILE *file = fopen(path, "r");
	struct second *s = NULL;
	struct stat st;
	u32 before = 0, now;
	struct row *row;
	u8 *bytes;

	if (!file || fstat(fileno(file), &st) || !(bytes = malloc((size_t)st.st_size + 1)) ||
	    fread(bytes, 1, (size_t)st.st_size, file) != (size_t)st.st_size)
		bench_die("%s: cannot be read", path);
	fclose(file);
	at = bytes;
	end = bytes + st.st_size;
	while (at < end) {
		skip_text();
		need(FIXED);
		memcpy(&now, at + 2 * UUID, sizeof(now));
		at += FIXED;
		if (!s || now != before) {
			s = lkst_vec_add(seconds, nr_seconds);
			before = now;
		}
		row = s ? lkst_vec_add(s->rows, s->nr) : NULL;
		if (!row)
			bench_die("no memory");
		row->bytes = at;
		skip_rest();
		row->length = (size_t)(at - row->bytes);
	}
	if (!nr_seconds)
		bench_die("%s: there are no rows", path);
}

/* ---- sending --------------------------------------------------------------------------------- */

struct load {
	const char *url;
	u32 hosts, seconds, batch, senders;
	double speed;
	u64 begin_ns; /* CLOCK_MONOTONIC */
	u32 begin_s;  /* the time of day of the first second */
};

/* The rows of @host for the seconds from number @from on, so many as a batch has. */
static u64 pack(const struct load *load, struct lkst_packed_rows *rows, u32 host, u32 from)
{
	u64 uuid[2] = { 0x1157000000004000ULL, 0x8000000000000000ULL | host }, nr = 0;
	char name[32];
	u32 s, i;
	int length = snprintf(name, sizeof(name), "sim%05u", host);

	lkst_packed_rows_again(rows);
	for (s = from; s < from + load->batch; s++) {
		/* No two machines do the same at a time. */
		const struct second *real = &seconds[(s + host * 7) % nr_seconds];

		for (i = 0; i < real->nr; i++, nr++) {
			lkst_packed_text(rows, name, (size_t)length);
			lkst_packed_put(rows, uuid, sizeof(uuid));
			lkst_packed_put(rows, uuid, sizeof(uuid));
			lkst_packed_int(rows, load->begin_s + s, 4);
			lkst_packed_put(rows, real->rows[i].bytes, real->rows[i].length);
		}
	}
	if (lkst_packed_rows_end(rows))
		bench_die("packing rows failed");
	return nr;
}

static void wait_until(u64 ns)
{
	struct timespec when = { .tv_sec = (time_t)(ns / SECOND_NS),
				 .tv_nsec = (long)(ns % SECOND_NS) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
}

/* Sends a batch; one that is refused is sent again, as an agent would. */
static void send_batch(const struct load *load, struct lkst_fleet *f, struct lkst_packed_rows *rows,
		       struct said *said)
{
	static const char statement[] = "insert into lkst.second_rows format RowBinary";
	struct lkst_err e = {};

	while (lkst_fleet_insert(&e, f, statement, rows->bytes, rows->length)) {
		if (!said->failures++)
			fprintf(stderr, "hosts: %s\n", e.text);
		if (said->failures > 1000)
			bench_die("the server refuses too much");
		wait_until(bench_now_ns() + SECOND_NS / 4);
	}
	said->inserts++;
	said->bytes += rows->length;
}

/* All batches of the hosts whose turn is @sender, in the order in which they are due. */
static void send_all(const struct load *load, u32 sender, struct said *said)
{
	struct lkst_fleet_where where = { .url = load->url,
					  .database = "lkst",
					  .timeout_ns = 60 * SECOND_NS };
	struct lkst_packed_rows *rows = calloc(1, sizeof(*rows));
	struct lkst_fleet *f;
	struct lkst_err e = {};
	u32 from, host;
	u64 due_ns, now_ns;

	if (!rows || lkst_packed_rows_init(rows) || lkst_fleet_open(&e, &where, &f))
		bench_die("%s", e.text);
	for (from = 0; from < load->seconds; from += load->batch)
		for (host = sender; host < load->hosts; host += load->senders) {
			/* A machine sends when its batch is over, and machines do so at all times. */
			due_ns = load->begin_ns;
			if (load->speed > 0) {
				due_ns += (u64)((from + load->batch +
						 (double)load->batch * host / load->hosts) *
						1e9 / load->speed);
				wait_until(due_ns);
			}
			said->rows += pack(load, rows, host, from);
			send_batch(load, f, rows, said);
			now_ns = bench_now_ns();
			if (said->nr_late < LATE_MAX)
				said->late_s[said->nr_late++] = (float)(now_ns - due_ns) / 1e9f;
		}
	lkst_fleet_close(f);
	said->cpu_ns = bench_thread_cpu_ns();
}

/* ---- all of them ----------------------------------------------------------------------------- */

static int compare_floats(const void *a, const void *b)
{
	const float *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void print(const struct load *load, const struct said *all, u32 nr, double took_s)
{
	static struct said sum;
	float *late = NULL, *one;
	u32 nr_late = 0, i, j;

	for (i = 0; i < nr; i++) {
		sum.rows += all[i].rows;
		sum.bytes += all[i].bytes;
		sum.inserts += all[i].inserts;
		sum.failures += all[i].failures;
		sum.cpu_ns += all[i].cpu_ns;
		for (j = 0; j < all[i].nr_late; j++) {
			one = lkst_vec_add(late, nr_late);
			if (!one)
				bench_die("no memory");
			*one = all[i].late_s[j];
		}
	}
	if (!nr_late)
		bench_die("nothing was sent");
	qsort(late, nr_late, sizeof(*late), compare_floats);
	printf("hosts %u rows %llu inserts %llu refused %llu bytes %llu seconds %.3f rows_per_s %.0f "
	       "late_p50 %.3f late_p99 %.3f late_max %.3f sender_cpu %.3f\n",
	       load->hosts, (unsigned long long)sum.rows, (unsigned long long)sum.inserts,
	       (unsigned long long)sum.failures, (unsigned long long)sum.bytes, took_s,
	       (double)sum.rows / took_s, (double)late[nr_late / 2],
	       (double)late[nr_late * 99ULL / 100], (double)late[nr_late - 1],
	       (double)sum.cpu_ns / 1e9);
}

int main(int argc, char **argv)
{
	struct load load = { .speed = 1 };
	static struct said all[SENDERS_MAX];
	int to_parent[SENDERS_MAX][2], status;
	u64 began_ns;
	u32 i;

	if (argc < 7)
		bench_die("usage: hosts ROWS URL HOSTS SECONDS BATCH SENDERS [SPEED]");
	read_rows(argv[1]);
	load.url = argv[2];
	load.hosts = (u32)bench_number(argv[3], 1);
	load.seconds = (u32)bench_number(argv[4], 1);
	load.batch = (u32)bench_number(argv[5], 1);
	load.senders = (u32)bench_number(argv[6], 1);
	if (load.senders > SENDERS_MAX)
		bench_die("at most %d senders", SENDERS_MAX);
	if (argc > 7)
		load.speed = atof(argv[7]);
	load.begin_ns = began_ns = bench_now_ns();
	load.begin_s = (u32)time(NULL) - load.seconds;
	for (i = 0; i < load.senders; i++) {
		if (pipe(to_parent[i]))
			bench_die("pipe");
		if (!fork()) {
			send_all(&load, i, &all[i]);
			if (write(to_parent[i][1], &all[i], sizeof(all[i])) < 0)
				_exit(1);
			_exit(0);
		}
		close(to_parent[i][1]);
	}
	for (i = 0; i < load.senders; i++) {
		size_t got = 0;
		ssize_t nr;

		while (got < sizeof(all[i]) &&
		       (nr = read(to_parent[i][0], (u8 *)&all[i] + got, sizeof(all[i]) - got)) > 0)
			got += (size_t)nr;
		if (got < sizeof(all[i]))
			bench_die("a sender failed");
	}
	while (wait(&status) > 0)
		;
	print(&load, all, load.senders, (double)(bench_now_ns() - began_ns) / 1e9);
	return 0;
}
