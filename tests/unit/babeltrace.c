/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * A second opinion: babeltrace2, another project, reads a trace without a warning, and finds the
 * same records in the same order with the same times, threads and values as the merge does.
 */
#include <inttypes.h>

#include "abi/syscalls.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

enum { LINE = 65536 };

static struct lkst_err err;

/* babeltrace2's way of writing a value (plugins/text/pretty). */
static char *put_int(char *p, const u8 *bytes, const struct lkst_field_class *f)
{
	bool is_signed = f->type == LKST_CLASS_SINT || f->type == LKST_CLASS_SINTS;
	u64 v = 0;

	memcpy(&v, bytes, f->size);
	if (f->base == 16)
		return p + sprintf(p, "0x%" PRIX64, v);
	if (is_signed && f->size < 8 && v >> (f->size * 8 - 1))
		v |= UINT64_MAX << (f->size * 8);
	if (f->base == 8)
		return p + sprintf(p, "0%" PRIo64, v);
	return p + (is_signed ? sprintf(p, "%" PRId64, (s64)v) : sprintf(p, "%" PRIu64, v));
}

static char *put_array(char *p, const u8 *bytes, u32 length, const struct lkst_field_class *f)
{
	struct lkst_field_class element = *f;
	u32 i;

	if (f->type == LKST_CLASS_BYTES) {
		element.size = 1;
		element.type = LKST_CLASS_UINT;
	}
	p += sprintf(p, "[ ");
	for (i = 0; i * element.size < length; i++) {
		p += sprintf(p, "%s[%u] = ", i ? ", " : "", i);
		p = put_int(p, bytes + i * element.size, &element);
	}
	return p + sprintf(p, "%s]", length ? " " : "");
}

static char *put_field(char *p, const struct lkst_record *r, u16 i)
{
	const struct lkst_field_class *f = &r->event->fields[i];
	u32 length;
	const u8 *bytes = lkst_record_field(r, i, &length);

	p += sprintf(p, "%s%s = ", i ? ", " : "", f->name);
	switch (f->type) {
	case LKST_CLASS_UINT:
	case LKST_CLASS_SINT:
		return put_int(p, bytes, f);
	case LKST_CLASS_UINTS:
	case LKST_CLASS_SINTS:
	case LKST_CLASS_BYTES:
	case LKST_CLASS_WORDS:
		return put_array(p, bytes, length, f);
	default:
		return p + sprintf(p, "\"%.*s\"", (int)length, (const char *)bytes);
	}
}

/* The line that babeltrace2 should write for @r, but for the packet's thread. */
static void expected_line(const struct lkst_catalog *c, const struct lkst_record *r, char *line)
{
	u64 ns = r->ns + c->clock_offset_ns;
	char *p = line;
	u16 i;

	p += sprintf(p, "[%" PRIu64 ".%09" PRIu64 "] %s %s: { cpu_id = %u }, { tid = %d }, { ",
		     ns / 1000000000, ns % 1000000000, c->hostname, r->event->name, r->cpu, r->tid);
	for (i = 0; i < r->event->nr_fields; i++)
		p = put_field(p, r, i);
	sprintf(p, "%s}", r->event->nr_fields ? " " : "");
}

/* Takes ", tid = N" out of "{ cpu_id = N, tid = N }": which thread opened the packet. */
static void drop_packet_tid(char *line)
{
	char *at = strstr(line, "{ cpu_id = "), *tid = at ? strstr(at, ", tid = ") : NULL;
	char *end = tid ? strchr(tid, '}') : NULL;

	if (end)
		memmove(tid, end - 1, strlen(end - 1) + 1);
}

/* State has another place in the order. */
static bool is_compared(const char *line)
{
	return !strstr(line, " state_");
}

/* The next line of babeltrace2's that is compared; "" at the end. */
static void next_line(FILE *f, char *line)
{
	do {
		if (!fgets(line, LINE, f))
			line[0] = 0;
		line[strcspn(line, "\n")] = 0;
	} while (!is_compared(line));
	drop_packet_tid(line);
}

/*
 * Compares what babeltrace2 writes with what the merge yields. Returns the number of records, or -1
 * after the first difference, which it prints.
 */
static int compare_lines(FILE *f, struct lkst_trace *t)
{
	char *ours = malloc(LINE), *theirs = malloc(LINE);
	struct lkst_record record;
	struct lkst_merge *m;
	int nr = 0, more;

	if (!ours || !theirs || lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	do {
		ours[0] = 0;
		while ((more = lkst_merge_next(m, &record)) && record.buffer == LKST_BUFFER_STATE)
			;
		if (more)
			expected_line(lkst_trace_catalog(t), &record, ours);
		next_line(f, theirs);
		if (strcmp(ours, theirs))
			printf("ours   %s\ntheirs %s\n", ours, theirs);
		nr = strcmp(ours, theirs) ? -1 : nr + more;
	} while (more && nr >= 0);
	lkst_merge_free(m);
	free(ours);
	free(theirs);
	return nr;
}

/* Runs babeltrace2 on the trace @dir; its complaints are put into @ret_log, of LINE bytes. */
static int compare(const char *dir, char *ret_log)
{
	struct lkst_trace *t;
	char command[256], name[96];
	size_t length;
	char *log;
	FILE *f;
	int nr;

	if (lkst_trace_open(&err, dir, &t))
		abort();
	snprintf(name, sizeof(name), "%s.log", dir);
	snprintf(command, sizeof(command), "babeltrace2 --no-delta --clock-seconds '%s' 2>'%s'",
		 dir, name);
	f = popen(command, "r");
	if (!f)
		abort();
	nr = compare_lines(f, t);
	if (pclose(f) && nr >= 0)
		nr = -1;
	lkst_trace_close(t);
	log = make_read("", name, &length);
	snprintf(ret_log, LINE, "%s", log);
	free(log);
	return nr;
}

static char log_text[LINE], dir[64], path[80];

static void start(void)
{
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
}

TEST(babeltrace_reads_every_type_of_field)
{
	start();
	CHECK_EQ(
		make_trace(
			path, 4096,
			"sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1 prev_prio=120\n"
			"sched_waking cpu=1 tid=-1 ns=1010 target_tid=7 target_cpu=-1\n"
			"test_integers cpu=0 tid=5 ns=1100 ua=255 sa=-1 xa=8 ub=65535 sb=-2 xb=255 "
			"uc=4294967295 sc=-3 xc=64 ud=18446744073709551615 sd=-4 xd=65535\n"
			"test_arrays cpu=0 tid=5 ns=1200 name=abc numbers=1,2,3 wide=-1,5\n"
			"test_arrays cpu=1 tid=5 ns=1201 name=sevench numbers=0,0,65535\n"
			"test_text cpu=0 tid=5 ns=1300 text=hello after=77 first=\"one two\" "
			"data=xyz second=end\n"
			"test_text cpu=0 tid=5 ns=1301 text= after=78 first= data= second=\n"
			"test.stack cpu=0 tid=5 ns=1350 by=7 took=99 frames=0xffffffff81000001,2,3\n"
			"test.stack cpu=0 tid=5 ns=1351 by=-7 took=1 frames=\n"
			"test:nothing cpu=0 tid=5 ns=1400\n"
			"task_rename cpu=0 buffer=1 tid=1 ns=900 target_tid=9 newcomm=bash\n"
			"state_thread ns=1500 thread_tid=5 thread_pid=5 comm=init\n"
			"state_irq ns=1500 irq=3 name=eth0\n"),
		0);
	CHECK_EQ(compare(path, log_text), 11);
	CHECK_STR(log_text, "");
	make_scratch_remove(dir);
}

/* A record of any built-in event or system call, with values from @seed. Returns its size. */
static u32 make_random(const struct lkst_event_class *event, unsigned int *seed, u8 *record)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";
	u32 at = sizeof(struct lkst_record_head), i, k;

	for (i = 0; i < event->nr_fields; i++) {
		const struct lkst_field_class *f = &event->fields[i];
		u32 align = f->size > 4 ? 4 : f->size ? f->size : 1;
		u32 size = f->type == LKST_CLASS_CHARS ? f->count : f->size;

		at = (at + align - 1) & ~(align - 1);
		if (f->type == LKST_CLASS_WORDS) {
			const struct lkst_field_class *nr = &event->fields[f->length_field];
			const u32 items = (u32)rand_r(seed) % 7;

			memcpy(record + nr->offset, &items, nr->size);
			for (k = 0; k < items * f->size; k++)
				record[at++] = (u8)rand_r(seed);
			continue;
		}
		if (f->type == LKST_CLASS_STRING) {
			/* Not empty: babeltrace2 2.0.4 then shows the event's string before that. */
			for (k = 1 + (u32)rand_r(seed) % 300; k; k--)
				record[at++] = (u8)letters[rand_r(seed) % 26];
			record[at++] = 0;
			continue;
		}
		for (k = 0; k < size; k++)
			record[at++] = f->type != LKST_CLASS_CHARS ? (u8)rand_r(seed)
				       : k < size - 1		   ? (u8)letters[rand_r(seed) % 26]
								   : 0;
	}
	return at;
}

/* The catalogue with built-in events and all system calls. */
static struct lkst_catalog *random_catalog(void)
{
	struct lkst_catalog *c = make_catalog();
	u16 id = LKST_NR_EVENTS + 10;
	unsigned int i;

	for (i = 0; i < lkst_nr_syscalls; i++, id += 2)
		if (lkst_catalog_add_syscall(&err, c, id, id + 1, i))
			abort();
	return c;
}

static void make_random_trace(u32 block_size, int nr, unsigned int seed)
{
	struct make_trace *t = make_begin(path, random_catalog(), block_size);
	u64 ns = (1ULL << LKST_TIME_BITS) - 1000000;
	u8 record[4096];

	while (nr) {
		u16 id = (u16)((u32)rand_r(&seed) % (LKST_NR_EVENTS + 10 + 2 * lkst_nr_syscalls));
		const struct lkst_event_class *event = t->catalog->classes[id];
		u64 instance = lkst_stream_instance((u32)rand_r(&seed) % 3, rand_r(&seed) % 8 == 0,
						    rand_r(&seed) % 16 == 0);
		struct lkst_record_head head = { .id_time = id, .tid = rand_r(&seed) % 1000 };

		if (!event || !strncmp(event->name, "test_", 5) ||
		    event->group == LKST_GROUP_HANDLER || event->index == LKST_EV_stack ||
		    !strncmp(event->name, "state_", 6))
			continue;
		/* Now and then nothing happens for days, which is more than half a turn. */
		ns += rand_r(&seed) % 5000 == 0 ? LKST_TIME_GAP_MAX + (u32)rand_r(&seed)
						: 1 + (u32)rand_r(&seed) % 100000;
		memcpy(record, &head, sizeof(head));
		make_record(make_stream(t, instance), ns, record,
			    make_random(event, &seed, record));
		nr--;
	}
	if (make_end(t))
		abort();
}

TEST(babeltrace_reads_the_same_records)
{
	start();
	make_random_trace(4096, 10000, 1);
	CHECK_EQ(compare(path, log_text), 10000);
	CHECK_STR(log_text, "");
	make_scratch_remove(dir);
	start();
	make_random_trace(65536, 3000, 2);
	CHECK_EQ(compare(path, log_text), 3000);
	CHECK_STR(log_text, "");
	make_scratch_remove(dir);
}

TEST(babeltrace_tells_of_the_same_gaps)
{
	start();
	CHECK_EQ(make_trace(path, 4096,
			    "sched_switch cpu=0 ns=1000\n"
			    "!skip cpu=0 blocks=3\n"
			    "sched_switch cpu=0 ns=2000\n"
			    "!discard cpu=0 events=7\n"
			    "sched_switch cpu=0 ns=3000\n"),
		 0);
	CHECK_EQ(compare(path, log_text), 3);
	CHECK(strstr(log_text, "discarded 3 packets"));
	CHECK(strstr(log_text, "discarded 7 events"));
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "babeltrace_reads_every_type_of_field", test_babeltrace_reads_every_type_of_field },
	{ "babeltrace_reads_the_same_records", test_babeltrace_reads_the_same_records },
	{ "babeltrace_tells_of_the_same_gaps", test_babeltrace_tells_of_the_same_gaps },
};

/* UNIT_MAIN's main(), called once it is known that there is something to compare with. */
#define main run_tests
int run_tests(void);
UNIT_MAIN(tests)
#undef main

int main(void)
{
	size_t i;

	if (!system("command -v babeltrace2 >/dev/null"))
		return run_tests();
	for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		printf("skip %s: babeltrace2 is not installed\n", tests[i].name);
	return 0;
}
