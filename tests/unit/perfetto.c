// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * export/perfetto/perfetto.c on made traces: what is written where records are missing, and where requests overlap.
 * What is written is decoded here, by the numbers of Perfetto's schema; a recording's file is read by protoc
 * (tests/live/perfetto.sh).
 */
#include "export/export.h"

#include <stdarg.h>
#include <sys/stat.h>

#include "abi/syscalls.h"
#include "analyze/model/model.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

enum { BLOCK = 4096, TEXT = 1 << 16, FIRST_MISSING = 4 * 1024 * 1024 + 2, CPUS = 4, TIDS = 1024 };

/* ---- what is written, as text ---------------------------------------------------------------- */

static char said[TEXT];
static size_t said_length;

static __attribute__((format(printf, 1, 2))) void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	said_length +=
		(size_t)vsnprintf(said + said_length, sizeof(said) - said_length, format, args);
	va_end(args);
	if (said_length >= sizeof(said))
		abort();
}

/* A message, or packed numbers, that is still to be read. */
struct bytes {
	const u8 *at, *end;
};

static u64 number(struct bytes *b)
{
	u64 v = 0;
	int shift = 0;

	while (b->at < b->end) {
		u8 byte = *b->at++;

		v |= (u64)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80))
			return v;
	}
	abort();
}

/* The next field of @b: false at its end. A number is in *@ret_value, all else in *@ret_in. */
static bool field(struct bytes *b, u32 *ret_field, u64 *ret_value, struct bytes *ret_in)
{
	u64 tag;

	if (b->at == b->end)
		return false;
	tag = number(b);
	*ret_field = (u32)(tag >> 3);
	*ret_value = number(b);
	if ((tag & 7) == 2) {
		if (*ret_value > (u64)(b->end - b->at))
			abort();
		*ret_in = (struct bytes){ b->at, b->at + *ret_value };
		b->at += *ret_value;
	} else if (tag & 7) {
		abort();
	}
	return true;
}

/* Field @wanted of @b, which is a message (0) or a number (its value); nothing: an empty message. */
static u64 find(struct bytes b, u32 wanted, struct bytes *ret_in)
{
	struct bytes in = {};
	u64 value;
	u32 f;

	*ret_in = (struct bytes){};
	while (field(&b, &f, &value, &in))
		if (f == wanted) {
			*ret_in = in;
			return value;
		}
	return 0;
}

static u64 find_number(struct bytes b, u32 wanted)
{
	struct bytes in;

	return find(b, wanted, &in);
}

/* Who runs on each CPU, and since when: the threads that stand for what is missing are "-". */
static s64 runs[CPUS];
static u64 runs_ns[CPUS];

/* How long each thread has run. */
static u64 ran_ns[TIDS];

static void set_running(u32 cpu, u64 ns, s64 tid)
{
	if (runs[cpu] > 0 && runs[cpu] < TIDS)
		ran_ns[runs[cpu]] += ns - runs_ns[cpu];
	/* Times of a bundle are differences, which nothing but their order keeps above 0. */
	if (ns < runs_ns[cpu])
		say("time of CPU %u goes back\n", cpu);
	runs[cpu] = tid;
	runs_ns[cpu] = ns;
}

static const char *thread(s64 tid)
{
	static char text[4][24];
	static int next;

	next = (next + 1) % 4;
	snprintf(text[next], sizeof(text[next]), "%lld", (long long)tid);
	return tid >= FIRST_MISSING ? "-" : text[next];
}

static void switches(u32 cpu, struct bytes compact)
{
	struct bytes time, state, tid;
	u64 ns = 0;

	find(compact, 1, &time);
	find(compact, 2, &state);
	find(compact, 3, &tid);
	while (time.at < time.end) {
		s64 next;
		u64 left;

		ns += number(&time);
		left = number(&state);
		next = (s64)number(&tid);
		say("%llu cpu%u %s>%s state %llx\n", (unsigned long long)ns, cpu, thread(runs[cpu]),
		    thread(next), (unsigned long long)left);
		set_running(cpu, ns, next);
	}
	find(compact, 7, &time);
	find(compact, 8, &tid);
	for (ns = 0; time.at < time.end;) {
		ns += number(&time);
		say("%llu cpu%u %s wakes %s\n", (unsigned long long)ns, cpu, thread(runs[cpu]),
		    thread((s64)number(&tid)));
	}
}

/* An event of the kernel: its number in the schema and the first two fields. */
static void event(u32 cpu, struct bytes e)
{
	struct bytes in = {};
	unsigned long long ns = find_number(e, 1);
	u64 value;
	u32 f;

	while (field(&e, &f, &value, &in))
		if (f > 2 && f == 4) {
			say("%llu cpu%u begins with %s\n", ns, cpu,
			    thread((s64)find_number(in, 6)));
			set_running(cpu, ns, (s64)find_number(in, 6));
		} else if (f > 2) {
			say("%llu cpu%u event %u: %lld\n", ns, cpu, f,
			    (long long)find_number(in, 1));
		}
}

static void bundle(struct bytes b)
{
	u32 cpu = (u32)find_number(b, 1), f;
	struct bytes in = {}, compact;
	u64 value;

	say("cpu%u since %llu%s\n", cpu, (unsigned long long)find_number(b, 10),
	    find_number(b, 3) ? ", records lost" : "");
	find(b, 4, &compact);
	switches(cpu, compact);
	while (field(&b, &f, &value, &in))
		if (f == 2)
			event(cpu, in);
}

/* Slices and counters; tracks are named by their number. */
static void track_event(unsigned long long ns, u64 sequence, struct bytes t)
{
	struct bytes name;
	u64 type = find_number(t, 9), track = find_number(t, 11);

	find(t, 23, &name);
	if (type == 4)
		say("%llu counter %llu: %lld\n", ns, (unsigned long long)sequence - 16,
		    (long long)find_number(t, 30));
	else
		say("%llu track %llu.%llu %s %.*s\n", ns, (unsigned long long)track >> 32,
		    (unsigned long long)(track & 0xffffffff),
		    type == 1	? "begin"
		    : type == 2 ? "end"
				: "instant",
		    (int)(name.end - name.at), name.at ? (const char *)name.at : "");
}

static void packets(struct bytes trace, bool has_bundles)
{
	struct bytes packet = {}, in;
	u64 value;
	u32 f;

	while (field(&trace, &f, &value, &packet)) {
		if (find(packet, 1, &in) && has_bundles)
			bundle(in);
		if (find(packet, 11, &in) && !has_bundles)
			track_event(find_number(packet, 8), find_number(packet, 10), in);
	}
}

static unsigned int perfetto_format(void)
{
	struct lkst_choice choice;
	unsigned int i;

	for (i = 0; lkst_export_choices(i, &choice); i++)
		if (!strcmp(choice.name, "perfetto"))
			return i;
	abort();
}

/* The trace of @text in @dir, which becomes a fresh directory; read(2) can be in it. */
static struct lkst_trace *open_made(char dir[64], const char *text)
{
	struct lkst_catalog *c = make_catalog_for(make_has_ends(text));
	struct lkst_trace *trace;
	struct make_trace *t;
	struct lkst_err e;
	char path[80];

	if (lkst_catalog_add_syscall(
		    &e, c, 2000, 2001,
		    (unsigned int)(lkst_syscall_find(false, "read") - lkst_syscalls)))
		abort();
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/trace", dir);
	t = make_begin(path, c, BLOCK);
	if (make_text(t, text) || make_end(t) || lkst_trace_open(&e, path, &trace))
		abort();
	return trace;
}

static struct lkst_export_result result;

/* Says the kernel's events of @t, or with @has_bundles false, all else. @dir: for the file. */
static void export_trace(struct lkst_trace *t, const char *dir, bool has_bundles)
{
	struct lkst_export_request request = { .format = perfetto_format(), .trace = t };
	struct lkst_err e;
	char path[80], *bytes;
	size_t length;

	said_length = 0;
	memset(said, 0, sizeof(said));
	memset(runs, 0, sizeof(runs));
	memset(runs_ns, 0, sizeof(runs_ns));
	memset(ran_ns, 0, sizeof(ran_ns));
	snprintf(path, sizeof(path), "%s/file", dir);
	request.path = path;
	if (lkst_export_run(&e, &request, &result))
		say("%s", e.text);
	bytes = make_read(dir, "file", &length);
	packets((struct bytes){ (u8 *)bytes, (u8 *)bytes + length }, has_bundles);
	free(bytes);
}

/* The same of the trace of @text. */
static const char *export(const char *text, bool has_bundles)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	char dir[64];

	t = open_made(dir, text);
	export_trace(t, dir, has_bundles);
	make_scratch_remove(dir);
	return said;
}

/* ---- tests ----------------------------------------------------------------------------------- */

TEST(perfetto_has_switches_and_wakers)
{
	CHECK_STR(export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			 "sched_waking cpu=0 tid=7 ns=1100 target_tid=5 target_cpu=0\n"
			 "sched_switch cpu=0 tid=7 ns=1200 next_tid=5 prev_state=0\n",
			 true),
		  "cpu0 since 1000\n"
		  "1000 cpu0 begins with 5\n"
		  "cpu0 since 1000\n"
		  "1000 cpu0 5>7 state 1\n"
		  "1200 cpu0 7>5 state 0\n"
		  "1100 cpu0 5 wakes 5\n");
}

/* What the kernel keeps in a thread's state, as ftrace says it: the highest of the bits that it reports. */
TEST(perfetto_states_are_ftraces)
{
	CHECK_STR(export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=2\n"
			 "sched_switch cpu=0 tid=7 ns=1001 next_tid=8 prev_state=0x402\n"
			 "sched_switch cpu=0 tid=8 ns=1002 next_tid=9 prev_state=0x102\n"
			 "sched_switch cpu=0 tid=9 ns=1003 next_tid=3 prev_state=0x80\n"
			 "sched_switch cpu=0 tid=3 ns=1004 next_tid=5 prev_state=8\n",
			 true),
		  "cpu0 since 1000\n"
		  "1000 cpu0 begins with 5\n"
		  "cpu0 since 1000\n"
		  "1000 cpu0 5>7 state 2\n"
		  "1001 cpu0 7>8 state 80\n"
		  "1002 cpu0 8>9 state 2\n"
		  "1003 cpu0 9>3 state 10\n"
		  "1004 cpu0 3>5 state 8\n");
}

/*
 * Nobody is known to run across a gap; the call and the interrupt in progress end there. Thread 5, which waits, may
 * have run there, and so may 8, which leaves its own CPU meanwhile: they have no state. Thread 9 runs elsewhere.
 */
TEST(perfetto_does_not_bridge_gaps)
{
	const char *text = export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
				  "syscall_entry_read cpu=0 tid=7 ns=1100 fd=3\n"
				  "softirq_entry cpu=0 tid=7 ns=1150 vec=3\n"
				  "sched_switch cpu=1 tid=8 ns=1160 next_tid=9 prev_state=0\n"
				  "!block cpu=0\n"
				  "!skip cpu=0 blocks=3\n"
				  "softirq_exit cpu=0 tid=7 ns=3000 vec=3\n"
				  "syscall_exit_read cpu=0 tid=7 ns=3010 ret=5\n"
				  "sched_switch cpu=0 tid=7 ns=3020 next_tid=5 prev_state=1\n"
				  "sched_switch cpu=1 tid=9 ns=4000 next_tid=8 prev_state=0\n",
				  true);

	CHECK(strstr(text, "1150 cpu0 7>- state 8000\n"));
	CHECK(strstr(text, "1150 cpu0 event 25: 3\n"));	 /* softirq_exit */
	CHECK(strstr(text, "1150 cpu0 event 330: 0\n")); /* sys_exit */
	CHECK(strstr(text, "1150 cpu0 ->5 state 1\n1150 cpu0 5>- state 8000\n"));
	CHECK(!strstr(text, "->9") && !strstr(text, "9>-"));
	CHECK(strstr(text, "records lost\n3000 cpu0 ->7 state 1\n3020 cpu0 7>5 state 1\n"));
	/* Their begins are on the other side. */
	CHECK(!strstr(text, "3000 cpu0 event") && !strstr(text, "3010 cpu0 event"));
	CHECK(strstr(text, "1160 cpu1 8>9 state 8000\n4000 cpu1 9>8 state 0\n"));
}

/* What has ended before a gap did nothing in it. */
TEST(perfetto_follows_no_thread_beyond_its_end)
{
	const char *text = export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=0x80\n"
				  "sched_switch cpu=0 tid=7 ns=1100 next_tid=8 prev_state=1\n"
				  "!block cpu=0\n"
				  "!skip cpu=0 blocks=3\n"
				  "sched_switch cpu=0 tid=8 ns=3000 next_tid=9 prev_state=1\n"
				  "sched_switch cpu=0 tid=9 ns=4000 next_tid=8 prev_state=1\n",
				  true);

	CHECK(strstr(text, "1000 cpu0 5>7 state 10\n"));
	CHECK(!strstr(text, "->5"));
	CHECK(strstr(text, "->7 state 1\n"));
}

/* A record of a thread that was not switched to: a switch is missing since the CPU's last record. */
TEST(perfetto_does_not_bridge_a_missing_switch)
{
	CHECK_STR(export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			 "syscall_entry_read cpu=0 tid=7 ns=1100 fd=3\n"
			 "syscall_entry_read cpu=0 tid=6 ns=1500 fd=3\n"
			 "sched_switch cpu=0 tid=6 ns=1600 next_tid=7 prev_state=1\n",
			 true),
		  "cpu0 since 1000\n"
		  "1000 cpu0 begins with 5\n"
		  "cpu0 since 1000\n"
		  "1000 cpu0 5>7 state 1\n"
		  "1100 cpu0 7>- state 8000\n"
		  "1500 cpu0 ->6 state 1\n"
		  "1600 cpu0 6>7 state 1\n"
		  "1100 cpu0 event 329: 0\n"
		  "1100 cpu0 event 330: 0\n"
		  "1500 cpu0 event 329: 0\n");
}

/* The same where that record ends a wait, of which the file says why it was: nobody is known until then. */
TEST(perfetto_knows_nobody_until_a_wait_ends)
{
	const char *text = export("syscall_entry_read cpu=0 tid=6 ns=1000 fd=3\n"
				  "sched_switch cpu=0 tid=6 ns=1010 next_tid=5 prev_state=1\n"
				  "sched_switch cpu=0 tid=5 ns=1100 next_tid=75 prev_state=1\n"
				  "sched_waking cpu=0 tid=5 ns=7980 target_tid=6 target_cpu=0\n"
				  "sched_switch cpu=0 tid=5 ns=9000 next_tid=6 prev_state=1\n",
				  true);

	CHECK(strstr(text, "1100 cpu0 5>75 state 1\n"
			   "1100 cpu0 75>- state 8000\n"
			   "7980 cpu0 ->5 state 1\n"));
	CHECK(strstr(text, "7980 cpu0 event 18: 6\n")); /* sched_blocked_reason */
}

/*
 * What was being recorded when maskset RNOTHING became active comes after that, and lives are recorded on. It is not
 * known who ran then, whatever the time of the last record; what ends there does not begin later.
 */
TEST(perfetto_knows_nobody_beyond_a_pause)
{
	CHECK_STR(export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			 "sched_switch cpu=1 tid=8 ns=1001 next_tid=0 prev_state=1\n"
			 "maskset_switch cpu=0 tid=7 buffer=1 ns=2000 from=2 to=0\n"
			 "sched_switch cpu=1 tid=0 ns=2010 next_tid=75 prev_state=0\n"
			 "syscall_entry_read cpu=1 tid=75 ns=2020 fd=3\n"
			 "sched_process_free cpu=1 tid=75 buffer=1 ns=8890 freed_tid=9\n",
			 true),
		  "cpu0 since 1000\n"
		  "1000 cpu0 begins with 5\n"
		  "cpu1 since 1000\n"
		  "1000 cpu1 begins with 8\n"
		  "cpu0 since 1000\n"
		  "1000 cpu0 5>7 state 1\n"
		  "2000 cpu0 7>- state 0\n"
		  "cpu1 since 1000\n"
		  "1001 cpu1 8>0 state 1\n"
		  "2010 cpu1 0>75 state 0\n"
		  "2010 cpu1 75>- state 0\n"
		  "2020 cpu1 event 329: 0\n"
		  "8890 cpu1 event 240: 0\n"
		  "2020 cpu1 event 330: 0\n");
}

/* A thread that was woken was not running until then: it came to the CPU unseen, where it is met. */
TEST(perfetto_finds_a_thread_that_was_woken)
{
	CHECK_STR(export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			 "sched_wakeup cpu=0 tid=7 ns=1100 target_tid=75 target_cpu=1\n"
			 "sched_switch cpu=1 tid=75 ns=7880 next_tid=0 prev_state=1\n"
			 "sched_switch cpu=1 tid=0 ns=7890 next_tid=6 prev_state=0\n",
			 true),
		  "cpu0 since 1000\n"
		  "1000 cpu0 begins with 5\n"
		  "cpu1 since 1000\n"
		  "7880 cpu1 begins with 75\n"
		  "cpu0 since 1000\n"
		  "1000 cpu0 5>7 state 1\n"
		  "cpu1 since 7880\n"
		  "7880 cpu1 75>0 state 1\n"
		  "7890 cpu1 0>6 state 0\n");
}

/* Each CPU is known until its end mark says, which may be before the trace's end. */
TEST(perfetto_knows_a_cpu_until_its_end_mark)
{
	const char *text = export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
				  "sched_switch cpu=1 tid=8 ns=1000 next_tid=9 prev_state=1\n"
				  "sched_switch cpu=1 tid=9 ns=3000 next_tid=8 prev_state=1\n"
				  "!claim cpu=0 covered=2000\n"
				  "!claim cpu=1 covered=4000\n"
				  "!end ns=4000 how=1\n",
				  true);

	CHECK(strstr(text, "2000 cpu0 7>- state 0\n"));
	CHECK(strstr(text, "3000 cpu1 9>8 state 1\n"));
}

/* Where a ring had been overwritten, the first bundle says since when it is whole. */
TEST(perfetto_says_since_when_a_cpu_is_whole)
{
	const char *text = export("!skip cpu=1 blocks=4\n"
				  "sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
				  "sched_switch cpu=0 tid=7 ns=9000 next_tid=5 prev_state=1\n"
				  "sched_switch cpu=1 tid=8 ns=4000 next_tid=9 prev_state=1\n"
				  "sched_switch cpu=1 tid=9 ns=4100 next_tid=8 prev_state=1\n",
				  true);

	CHECK(strstr(text, "cpu0 since 1000\n1000 cpu0 begins with 5\n"));
	CHECK(strstr(text, "cpu1 since 4000\n4000 cpu1 begins with 8\n"));
}

/* Thread 6 of process 5 runs another program, and has its process's number from then on (de_thread()). */
TEST(perfetto_follows_a_number_that_is_taken_over)
{
	CHECK_STR(export("state_thread ns=10 thread_tid=5 thread_pid=5 comm=\"leader\"\n"
			 "state_thread ns=10 thread_tid=6 thread_pid=5 comm=\"other\"\n"
			 "sched_process_exit cpu=0 tid=5 buffer=1 ns=900 exit_pid=5\n"
			 "sched_switch cpu=0 tid=5 ns=1000 next_tid=6 prev_state=0x80\n"
			 "syscall_entry_read cpu=0 tid=5 ns=1200 fd=3\n",
			 true),
		  "cpu0 since 1000\n"
		  "900 cpu0 event 238: 0\n"
		  "1000 cpu0 begins with 5\n"
		  "cpu0 since 1000\n"
		  "1000 cpu0 5>6 state 10\n"
		  "1200 cpu0 6>5 state 10\n"
		  "1200 cpu0 event 329: 0\n");
}

/* Requests that overlap have a track each; one that is done in parts ends with the last. */
TEST(perfetto_requests_of_disks)
{
	CHECK_STR(export("block_rq_issue cpu=0 tid=5 ns=1000 rq=1 dev=7 bytes=4096 flags=0\n"
			 "block_rq_issue cpu=0 tid=5 ns=1100 rq=2 dev=7 bytes=8192 flags=1\n"
			 "block_rq_complete cpu=0 tid=0 ns=1200 rq=2 dev=7 bytes=4096\n"
			 "block_rq_complete cpu=0 tid=0 ns=1300 rq=1 dev=7 bytes=4096\n"
			 "block_rq_issue cpu=0 tid=5 ns=1400 rq=3 dev=7 bytes=512 flags=0\n"
			 "block_rq_complete cpu=0 tid=0 ns=1500 rq=2 dev=7 bytes=4096\n"
			 "block_rq_complete cpu=0 tid=0 ns=1600 rq=3 dev=7 bytes=512\n",
			 false),
		  "1000 track 7.1 begin read 4 KiB\n1000 counter 0: 1\n"
		  "1100 track 7.2 begin write 8 KiB\n1100 counter 0: 2\n"
		  "1300 track 7.1 end \n1300 counter 0: 1\n"
		  "1400 track 7.1 begin read 512 bytes\n1400 counter 0: 2\n"
		  "1500 track 7.2 end \n1500 counter 0: 1\n"
		  "1600 track 7.1 end \n1600 counter 0: 0\n");
}

/* In a gap a request may have been done: it ends there. The gap itself is a slice. */
TEST(perfetto_requests_end_at_gaps)
{
	const char *text =
		export("block_rq_issue cpu=0 tid=5 ns=1000 rq=1 dev=7 bytes=4096 flags=0\n"
		       "!block cpu=0\n"
		       "!skip cpu=0 blocks=3\n"
		       "block_rq_complete cpu=0 tid=0 ns=3000 rq=1 dev=7 bytes=4096\n",
		       false);

	CHECK(strstr(text, "track 6.2 begin records missing\n"));
	CHECK(strstr(text, "3000 track 6.2 end"));
	CHECK(strstr(text, "1001 track 7.1 end"));
	CHECK(!strstr(text, "3000 track 7.1"));
}

/* A gap of another CPU may have its end, as any CPU completes requests; one of a buffer without requests has not. */
TEST(perfetto_requests_end_at_gaps_that_may_have_their_end)
{
	static const char text[] =
		"block_rq_issue cpu=0 tid=5 ns=1000 rq=1 dev=7 bytes=4096 flags=0\n"
		"sched_switch cpu=1 tid=8 ns=1100 buffer=%u next_tid=9 prev_state=1\n"
		"!block cpu=1 buffer=%u\n"
		"!skip cpu=1 buffer=%u blocks=3\n"
		"sched_switch cpu=1 tid=9 ns=2000 buffer=%u next_tid=8 prev_state=1\n"
		"%s"
		"block_rq_complete cpu=0 tid=0 ns=3000 rq=1 dev=7 bytes=4096\n";
	static const char other_maskset[] =
		"maskset_switch cpu=0 tid=5 buffer=1 ns=1050 from=2 to=3\n";
	char trace[1024];

	snprintf(trace, sizeof(trace), text, 0, 0, 0, 0, "");
	CHECK(strstr(export(trace, false), "1100 track 7.1 end"));
	snprintf(trace, sizeof(trace), text, 2, 2, 2, 2, "");
	CHECK(strstr(export(trace, false), "3000 track 7.1 end"));
	/* Where it may be that requests go to that buffer since. */
	snprintf(trace, sizeof(trace), text, 2, 2, 2, 2, other_maskset);
	CHECK(strstr(export(trace, false), "1100 track 7.1 end"));
}

TEST(perfetto_has_incidents)
{
	CHECK_STR(
		export("state_incident ns=10 at=1500 until=1600 number=3 trigger=2 value=9 reason=\"slow\"\n"
		       "sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
		       "sched_switch cpu=0 tid=7 ns=2000 next_tid=5 prev_state=1\n",
		       false),
		"1500 track 4.1 instant incident 3\n");
}

/* Times in which a kind was left out may overlap those of another. */
TEST(perfetto_has_what_was_left_out)
{
	CHECK_STR(export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
			 "shed_begin cpu=0 tid=0 buffer=1 ns=1200 cost=1 kind=syscall:*\n"
			 "shed_begin cpu=0 tid=0 buffer=1 ns=1400 cost=1 kind=softirq\n"
			 "shed_end cpu=0 tid=0 buffer=1 ns=1600 left_out=400 kind=syscall:*\n"
			 "sched_switch cpu=0 tid=7 ns=2000 next_tid=5 prev_state=1\n",
			 false),
		  "1200 track 9.2 begin not recorded\n1600 track 9.2 end \n"
		  "1400 track 9.3 begin not recorded\n2000 track 9.3 end \n");
}

/* A number that no interrupt has, in a file that is damaged. */
TEST(perfetto_takes_any_number_of_an_interrupt)
{
	CHECK(strstr(export("irq_handler_entry cpu=0 tid=5 ns=1000 irq=-2147483648\n"
			    "irq_handler_exit cpu=0 tid=5 ns=1100 irq=-2147483648\n",
			    true),
		     "1000 cpu0 event 36: 2147483648\n"
		     "1100 cpu0 event 37: 2147483648\n"));
}

/* What lint finds is found in the same pass. */
TEST(perfetto_has_findings)
{
	CHECK_STR(
		export("kmalloc cpu=0 tid=10 ns=1000 ptr=0x9000 bytes_req=100 bytes_alloc=128\n"
		       "timer_start cpu=0 tid=10 ns=2000 timer=0x9010 function=0xffff8000\n"
		       "kfree cpu=0 tid=20 ns=30000 call_site=0x1 ptr=0x9000\n"
		       "timer_expire_entry cpu=1 tid=0 ns=50000 timer=0x9010 function=0xffff8000\n",
		       false),
		"50000 track 2.1 instant use-after-free\n");
}

/* Perfetto refuses a file with more CPUs than it takes. */
TEST(perfetto_leaves_out_cpus_beyond_its_most)
{
	const char *text = export("sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=1\n"
				  "sched_switch cpu=1024 tid=8 ns=1100 next_tid=9 prev_state=1\n",
				  true);

	CHECK(strstr(text, "1000 cpu0 5>7 state 1\n"));
	CHECK(!strstr(text, "cpu1024"));
	CHECK_EQ(result.nr_cpus_left_out, 1);
	export("sched_switch cpu=1023 tid=5 ns=1000 next_tid=7 prev_state=1\n"
	       "sched_switch cpu=2000 tid=8 ns=1100 next_tid=9 prev_state=1\n"
	       "sched_process_exit cpu=2000 buffer=1 tid=8 ns=1100 exit_pid=8\n"
	       "sched_switch cpu=1500 tid=8 ns=1200 next_tid=9 prev_state=1\n",
	       false);
	CHECK_EQ(result.nr_cpus_left_out, 2);
}

/* ---- chance ---------------------------------------------------------------------------------- */

/* A machine that records anything, with switches, records, and its end missing at any moment. */
struct machine {
	u64 rng, ns;
	s32 runs[CPUS];
	char text[TEXT];
	size_t used;
};

static u32 roll(struct machine *m, u32 sides)
{
	m->rng = m->rng * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(m->rng >> 33) % sides;
}

static __attribute__((format(printf, 2, 3))) void add_line(struct machine *m, const char *format,
							   ...)
{
	va_list args;

	va_start(args, format);
	m->used += (size_t)vsnprintf(m->text + m->used, sizeof(m->text) - m->used, format, args);
	va_end(args);
	if (m->used >= sizeof(m->text))
		abort();
}

static void record_switch(struct machine *m, u32 cpu)
{
	static const u32 states[] = { 0, 1, 1, 2, 0x80 };
	s32 next = roll(m, 3) ? (s32)(5 + roll(m, 8)) : 0;
	u32 i, state = states[roll(m, 5)];

	for (i = 0; i < CPUS; i++)
		if (m->runs[i] == next && roll(m, 8))
			next = 0;
	if (roll(m, 12))
		add_line(m, "sched_switch cpu=%u tid=%d ns=%llu next_tid=%d prev_state=%u\n", cpu,
			 m->runs[cpu], (unsigned long long)m->ns, next, m->runs[cpu] ? state : 0);
	m->runs[cpu] = next;
}

static void record_something(struct machine *m, u32 cpu)
{
	static const char *const rows[] = {
		"sched_waking target_tid=%u target_cpu=1",
		"sched_wakeup target_tid=%u target_cpu=1",
		"sched_wakeup_new target_tid=%u target_cpu=1",
		"syscall_entry_read fd=%u",
		"syscall_exit_read ret=%u",
		"softirq_entry vec=3",
		"softirq_exit vec=3",
		"sched_process_free buffer=1 freed_tid=%u",
		"sched_process_exit buffer=1 exit_pid=99 exit_code=%u",
		"task_newtask buffer=1 child_tid=%u comm=child",
		"page_fault_user address=%u",
		"sched_switch buffer=2 next_tid=%u prev_state=1",
	};
	char line[128];

	snprintf(line, sizeof(line), rows[roll(m, sizeof(rows) / sizeof(rows[0]))], 5 + roll(m, 8));
	add_line(m, "%s cpu=%u tid=%d ns=%llu\n", line, cpu, m->runs[cpu],
		 (unsigned long long)m->ns);
}

static void step(struct machine *m)
{
	u32 cpu = roll(m, CPUS), what = roll(m, 40);

	m->ns += roll(m, 3) * roll(m, 100);
	if (what < 16)
		record_switch(m, cpu);
	else if (what < 36)
		record_something(m, cpu);
	else if (what == 36)
		add_line(m, "!block cpu=%u\n!skip cpu=%u blocks=2\n", cpu, cpu);
	else if (what == 37)
		add_line(m, "!discard cpu=%u events=2\n", cpu);
	else if (what == 38 && !roll(m, 3))
		add_line(m, "maskset_switch cpu=%u tid=%d buffer=1 ns=%llu from=2 to=%u\n", cpu,
			 m->runs[cpu], (unsigned long long)m->ns, 2 * roll(m, 2));
	else
		m->runs[cpu] = (s32)(5 + roll(m, 8));
}

static void make_machine(struct machine *m, u64 seed)
{
	u32 i;

	memset(m, 0, sizeof(*m));
	m->rng = seed * 7919 + 1;
	m->ns = 1000;
	for (i = 0; i < CPUS; i++)
		m->runs[i] = (s32)(5 + i);
	for (i = 0; i < 60; i++)
		step(m);
	for (i = 0; i < CPUS && seed & 1; i++)
		add_line(m, "!claim cpu=%u covered=%llu\n", i,
			 (unsigned long long)m->ns - roll(m, 300));
	if (seed & 1)
		add_line(m, "!end ns=%llu how=1\n", (unsigned long long)m->ns);
}

/* What the state model says, taken off from what the file says. */
static int on_interval(void *ctx, const struct lkst_interval *i)
{
	if (i->run == LKST_RUN_RUNNING && i->life->tid > 0 && i->life->tid < TIDS)
		ran_ns[i->life->tid] -= i->to_ns - i->from_ns;
	return 0;
}

/* The first thread that has run for another time than the state model says; 0: there is none. */
static s64 differs(const char *text)
{
	static const struct lkst_model_calls calls = { .interval = on_interval };
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	_cleanup_(lkst_feed_freep) struct lkst_feed *feed = NULL;
	_cleanup_(lkst_model_freep) struct lkst_model *model = NULL;
	u64 begin_ns, end_ns;
	struct lkst_err e;
	char dir[64];
	s64 tid;
	u32 i;

	t = open_made(dir, text);
	lkst_trace_range(t, &begin_ns, &end_ns);
	export_trace(t, dir, true);
	for (i = 0; i < CPUS; i++)
		set_running(i, end_ns, 0);
	if (lkst_feed_new(&e, t, &feed) || lkst_model_new(&e, feed, &model) ||
	    lkst_model_subscribe(model, &calls, NULL) < 0 || lkst_feed_run(&e, feed))
		abort();
	make_scratch_remove(dir);
	for (tid = 1; tid < TIDS; tid++)
		if (ran_ns[tid])
			return tid;
	return strstr(said, "goes back") ? -1 : 0;
}

TEST(perfetto_threads_run_as_long_as_the_model_says)
{
	static struct machine m;
	u64 seed;

	for (seed = 0; seed < 300; seed++) {
		s64 tid;

		make_machine(&m, seed);
		tid = differs(m.text);
		if (tid)
			printf("seed %llu, thread %lld: %lld ns more\n%s\n%s",
			       (unsigned long long)seed, (long long)tid,
			       tid > 0 ? (long long)ran_ns[tid] : 0, m.text, said);
		CHECK(!tid);
	}
}

static const struct unit_test tests[] = {
	{ "perfetto_has_switches_and_wakers", test_perfetto_has_switches_and_wakers },
	{ "perfetto_states_are_ftraces", test_perfetto_states_are_ftraces },
	{ "perfetto_does_not_bridge_gaps", test_perfetto_does_not_bridge_gaps },
	{ "perfetto_follows_no_thread_beyond_its_end",
	  test_perfetto_follows_no_thread_beyond_its_end },
	{ "perfetto_does_not_bridge_a_missing_switch",
	  test_perfetto_does_not_bridge_a_missing_switch },
	{ "perfetto_knows_nobody_until_a_wait_ends", test_perfetto_knows_nobody_until_a_wait_ends },
	{ "perfetto_knows_nobody_beyond_a_pause", test_perfetto_knows_nobody_beyond_a_pause },
	{ "perfetto_finds_a_thread_that_was_woken", test_perfetto_finds_a_thread_that_was_woken },
	{ "perfetto_knows_a_cpu_until_its_end_mark", test_perfetto_knows_a_cpu_until_its_end_mark },
	{ "perfetto_threads_run_as_long_as_the_model_says",
	  test_perfetto_threads_run_as_long_as_the_model_says },
	{ "perfetto_says_since_when_a_cpu_is_whole", test_perfetto_says_since_when_a_cpu_is_whole },
	{ "perfetto_follows_a_number_that_is_taken_over",
	  test_perfetto_follows_a_number_that_is_taken_over },
	{ "perfetto_requests_of_disks", test_perfetto_requests_of_disks },
	{ "perfetto_requests_end_at_gaps", test_perfetto_requests_end_at_gaps },
	{ "perfetto_requests_end_at_gaps_that_may_have_their_end",
	  test_perfetto_requests_end_at_gaps_that_may_have_their_end },
	{ "perfetto_has_what_was_left_out", test_perfetto_has_what_was_left_out },
	{ "perfetto_has_incidents", test_perfetto_has_incidents },
	{ "perfetto_takes_any_number_of_an_interrupt",
	  test_perfetto_takes_any_number_of_an_interrupt },
	{ "perfetto_has_findings", test_perfetto_has_findings },
	{ "perfetto_leaves_out_cpus_beyond_its_most",
	  test_perfetto_leaves_out_cpus_beyond_its_most },
};

UNIT_MAIN(tests)
