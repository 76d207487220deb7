/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * A trace with LTTng's names: the names are LTTng's (tests/data/lttng.txt), what readers need is there, and
 * babeltrace2, another project, reads the values, gaps and times that were recorded.
 */
#include "abi/syscalls.h"
#include "export/export.h"
#include "export/lttng/ctf_metadata.h"
#include "export/lttng/ctf_plan.h"
#include "export/lttng/ctf_streams.h"
#include "lib/make_trace.h"
#include "lib/unit.h"
#include "lib/whole_catalog.h"

static struct lkst_err err;

/* ---- names -------------------------------------------------------------------------- */

enum { EVENTS_MAX = 4096, NAME = 128 };

/* An event and its fields, as a reader of the metadata has them: " field field ". */
struct described {
	char name[NAME];
	u32 id;
	char fields[1024];
};

static struct described *described;
static u32 nr_described;
static char *table; /* tests/data/lttng.txt, a row a line */

/* Reads the text as far as the export writes it: names, ids, and fields, whose names begin with "_". */
static void read_metadata(char *text)
{
	char *line, *save = NULL, *name;
	struct described *d = NULL;

	described = calloc(EVENTS_MAX, sizeof(*described));
	nr_described = 0;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (!strcmp(line, "event {") && nr_described < EVENTS_MAX) {
			d = &described[nr_described++];
			strcpy(d->fields, " ");
		}
		if (d && sscanf(line, "\tname = \"%127[^\"]\"", d->name) == 1)
			continue;
		if (d && sscanf(line, "\tid = %u", &d->id) == 1)
			continue;
		name = d && !strncmp(line, "\t\t", 2) ? strstr(line, " _") : NULL;
		if (!name)
			continue;
		name += 2;
		snprintf(d->fields + strlen(d->fields), sizeof(d->fields) - strlen(d->fields),
			 "%.*s ", (int)strcspn(name, "[;"), name);
	}
}

static void describe_trace(FILE *f, const struct lkst_catalog *c)
{
	const struct lkst_export_request request = { .trace_name = "test" };
	const struct lkst_export x = { .request = &request, .catalog = c };

	lkst_ctf_describe_trace(f, &x);
}

static void describe(const struct lkst_catalog *c)
{
	_cleanup_(lkst_ctf_plans_freep) struct lkst_ctf_plans *plans = NULL;
	_cleanup_free_ char *text = NULL;
	size_t length;
	FILE *f = open_memstream(&text, &length);

	if (!f)
		abort();
	describe_trace(f, c);
	lkst_ctf_describe_state(f);
	if (lkst_ctf_plans_new(&err, c, f, &plans) || fclose(f))
		abort();
	read_metadata(text);
}

static const struct described *find_described(const char *name)
{
	u32 i;

	for (i = 0; i < nr_described; i++)
		if (!strcmp(described[i].name, name))
			return &described[i];
	return NULL;
}

static bool has_word(const char *words, const char *word, size_t length)
{
	const char *p = words;

	while ((p = strstr(p, " "))) {
		p++;
		if (!strncmp(p, word, length) && (p[length] == ' ' || !p[length]))
			return true;
	}
	return false;
}

/* Loads the table; lines that continue one are joined to it. */
static void load_table(void)
{
	size_t length;
	char *p;

	table = make_read("tests/data", "lttng.txt", &length);
	while ((p = strstr(table, "\n\t")))
		p[0] = p[1] = ' ';
}

/* The row that begins with @start and a blank; up to the end of the line, for the caller to free(). */
static char *find_row(const char *start)
{
	char key[NAME + 32];
	char *p;

	snprintf(key, sizeof(key), "\n%s", start);
	for (p = table; (p = strstr(p, key)); p++)
		if (strchr(" \n", p[strlen(key)]))
			return strndup(p + 1, strcspn(p + 1, "\n"));
	return NULL;
}

/* Prints which fields of @d LTTng's @row does not have; @besides are none of its fields, but may be there. */
static int count_strange(const struct described *d, const char *row, const char *besides)
{
	const char *p = d->fields + 1;
	int nr = 0;

	while (*p) {
		size_t length = strcspn(p, " ");

		if (!has_word(row, p, length) && !has_word(besides, p, length)) {
			printf("%s has %.*s, which LTTng has not: %s\n", d->name, (int)length, p,
			       row);
			nr++;
		}
		p += length + 1;
	}
	return nr;
}

/* LTTng's row of the system call that event @d of class @event is of; NULL: LTTng does not know the call. */
static char *find_call(const struct lkst_event_class *event)
{
	const struct lkst_syscall *s = &lkst_syscalls[event->syscall];
	char start[NAME];

	snprintf(start, sizeof(start), "call%u %u", s->is_compat ? 32 : 64, s->nr);
	return find_row(start);
}

/* Checks the event of a class against its row. Returns what is wrong. */
static int check_class(const struct lkst_event_class *event, const struct described *d,
		       u32 *nr_known)
{
	_cleanup_free_ char *row = NULL;
	char start[NAME + 16], lttng[NAME], name[2 * NAME];
	u32 nr;

	if (event->syscall < 0) {
		snprintf(start, sizeof(start), "event %s", d->name);
		row = find_row(start);
		*nr_known += row != NULL;
		return row ? count_strange(d, row, "") : 0;
	}
	row = find_call(event);
	if (!row)
		return 0;
	++*nr_known;
	if (sscanf(row, "%*s %u %127s", &nr, lttng) != 2)
		return 1;
	snprintf(name, sizeof(name), "%.*s%s", event->call_at, event->name, lttng);
	if (strcmp(name, d->name)) {
		printf("%s is called %s by LTTng\n", d->name, name);
		return 1;
	}
	return count_strange(d, row, " ret ");
}

TEST(export_lttng_has_names_of_lttng)
{
	struct lkst_event_class by_name = { .id = 4000, .name = "some:tracepoint" };
	struct lkst_catalog *c = whole_catalog(LKST_NR_EVENTS, by_name);
	u32 i, nr_known = 0;
	int nr_wrong = 0;

	load_table();
	describe(c);
	for (i = 0; i < nr_described; i++)
		if (described[i].id <= LKST_ID_MAX)
			nr_wrong +=
				check_class(c->classes[described[i].id], &described[i], &nr_known);
	CHECK_EQ(nr_wrong, 0);
	/* 57 events, and the entries and exits of 340 and 403 calls. */
	CHECK(nr_known > 1450);
	lkst_catalog_free(c);
	free(described);
	free(table);
}

TEST(export_lttng_has_what_readers_need)
{
	struct lkst_event_class by_name = { .id = 4000, .name = "some:tracepoint" };
	struct lkst_catalog *c = whole_catalog(LKST_NR_EVENTS, by_name);
	char *line, *save = NULL, *word;
	int nr = 0, nr_missing = 0;

	load_table();
	describe(c);
	for (line = strtok_r(table, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		const struct described *d;
		char *words = NULL;

		if (strncmp(line, "needs ", 6))
			continue;
		nr++;
		word = strtok_r(line + 6, " ", &words);
		d = find_described(word);
		if (!d) {
			printf("there is no %s\n", word);
			nr_missing++;
			continue;
		}
		while ((word = strtok_r(NULL, " ", &words)))
			if (!has_word(d->fields, word, strlen(word))) {
				printf("%s has no %s\n", d->name, word);
				nr_missing++;
			}
	}
	CHECK_EQ(nr_missing, 0);
	CHECK(nr > 50);
	lkst_catalog_free(c);
	free(described);
	free(table);
}

/* ---- what babeltrace2 reads --------------------------------------------------------- */

static char dir[64], trace[80], out[80];

static bool has_babeltrace(void)
{
	return !system("command -v babeltrace2 >/dev/null");
}

/* What babeltrace2 writes of @path: times in clock cycles, without what is the same in all lines. */
static char *read_by_babeltrace(const char *path)
{
	char command[512];
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(
		command, sizeof(command),
		"babeltrace2 --no-delta --clock-cycles '%s' 2>&1 | "
		"sed 's/^\\[0*\\([0-9]*\\)\\] \\([a-z]* \\)\\? */\\1 /; s/cpu_id = //; s/{ tid = /{ /'",
		path);
	f = popen(command, "r");
	if (!f || getdelim(&text, &size, 0, f) < 0)
		text = strdup("");
	if (f)
		pclose(f);
	return text;
}

static unsigned int format_number(void)
{
	int i = lkst_choices_find(lkst_export_choices, "lttng");

	if (i < 0)
		abort();
	return (unsigned int)i;
}

/* Exports the trace of @text and gives what babeltrace2 reads, for the caller to free(). */
static char *export_text(const char *text, struct lkst_select_options which)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	struct lkst_export_request request = { .trace_name = "made", .format = format_number() };
	struct lkst_export_result result;

	make_scratch(dir);
	snprintf(trace, sizeof(trace), "%s/trace", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	if (make_trace(trace, 4096, text) || lkst_trace_open(&err, trace, &t))
		abort();
	request.trace = t;
	request.which = which;
	request.path = out;
	if (lkst_export_run(&err, &request, &result))
		return strdup(err.text);
	return read_by_babeltrace(out);
}

static void remove_export(void)
{
	char kernel[96];

	snprintf(kernel, sizeof(kernel), "%s/kernel", out);
	make_scratch_remove(kernel);
	make_scratch_remove(dir);
}

/* Whether @text has @line; prints the lines of its event if not. */
static bool has_line(const char *text, const char *line)
{
	if (strstr(text, line))
		return true;
	printf("there is no line\n%s\nin\n%.3000s\n", line, text);
	return false;
}

static const char story[] =
	"state_thread ns=900 thread_tid=5 thread_pid=5 parent_pid=1 state=1 prio=120 comm=init\n"
	"state_thread ns=900 thread_tid=7 thread_pid=7 parent_pid=2 flags=1 prio=100 comm=kworker\n"
	"state_clock ns=900 monotonic_ns=950 boottime_ns=950 realtime_ns=950\n"
	"state_irq ns=900 irq=36 name=eth0\n"
	"state_netdev ns=900 ifindex=2 name=lo\n"
	"state_disk ns=900 dev=266338304 name=vda\n"
	"sched_switch cpu=0 tid=5 ns=1000 next_tid=7 prev_state=2 prev_prio=120 next_prio=100\n"
	"irq_handler_entry cpu=0 tid=7 ns=1010 irq=36\n"
	"irq_handler_exit cpu=0 tid=7 ns=1020 irq=36 result=1\n"
	"softirq_entry cpu=0 tid=7 ns=1030 vec=3\n"
	"net_dev_xmit cpu=0 tid=7 ns=1040 skb=4096 ifindex=2 bytes=66 result=0\n"
	"sched_switch cpu=0 tid=7 ns=1050 next_tid=0 prev_state=1026 prev_prio=100 next_prio=120\n"
	"sched_waking cpu=1 tid=0 ns=1060 target_tid=5 target_prio=-1 target_cpu=1\n"
	"sched_process_fork cpu=1 buffer=1 tid=5 ns=1070 child_tid=9 child_pid=9 parent_pid=5 child_comm=init\n"
	"task_rename cpu=1 buffer=1 tid=9 ns=1080 target_tid=9 newcomm=bash oldcomm=init\n"
	"sched_process_exec cpu=1 buffer=1 tid=9 ns=1090 old_tid=9 filename=/bin/bash\n"
	"sched_switch cpu=1 tid=9 ns=1100 next_tid=77 prev_state=128 prev_prio=120 next_prio=139\n"
	"block_rq_issue cpu=1 tid=77 ns=1110 rq=64 sector=8 dev=266338304 bytes=4096 flags=2049\n"
	"block_rq_complete cpu=0 tid=0 ns=1120 rq=64 sector=8 dev=266338304 bytes=4096 status=10\n"
	"syscall_entry_unknown cpu=0 tid=5 ns=1130 nr=999 arg0=1 arg5=6\n"
	/* Longer than 2^32 ns after the one before, which the header says in another form. */
	"printk_console cpu=0 tid=5 ns=9000000001130 text=hello\n"
	"task_newtask cpu=0 buffer=1 tid=5 ns=9000000001131 child_tid=10 child_comm=x clone_flags=256\n";

TEST(export_lttng_has_the_values)
{
	_cleanup_free_ char *got = NULL;
	static const char *const lines[] = {
		"1000 lttng_statedump_start: { 0 }, { 0 }, { }\n",
		"1000 lttng_statedump_process_state: { 0 }, { 0 }, { tid = 5, pid = 5, ppid = 1, name = \"init\", "
		"type = 0, mode = 5, submode = 0, status = 5 }\n",
		"1000 lttng_statedump_process_state: { 0 }, { 0 }, { tid = 7, pid = 7, ppid = 2, name = \"kworker\", "
		"type = 1, mode = 5, submode = 0, status = 2 }\n",
		"1000 lttng_statedump_interrupt: { 0 }, { 0 }, { irq = 36, action = \"eth0\" }\n",
		"1000 lttng_statedump_network_interface: { 0 }, { 0 }, { name = \"lo\" }\n",
		"1000 lttng_statedump_block_device: { 0 }, { 0 }, { dev = 266338304, diskname = \"vda\" }\n",
		"1000 sched_switch: { 0 }, { 5 }, { prev_comm = \"init\", prev_tid = 5, prev_prio = 20, "
		"prev_state = 2, next_comm = \"kworker\", next_tid = 7, next_prio = 0 }\n",
		"1010 irq_handler_entry: { 0 }, { 7 }, { irq = 36, name = \"eth0\" }\n",
		"1020 irq_handler_exit: { 0 }, { 7 }, { irq = 36, ret = 1 }\n",
		"1030 irq_softirq_entry: { 0 }, { 7 }, { vec = 3 }\n",
		"1040 net_dev_xmit: { 0 }, { 7 }, { skbaddr = 0x1000, rc = 0, len = 66, name = \"lo\" }\n",
		/* TASK_UNINTERRUPTIBLE | TASK_NOLOAD is TASK_IDLE, which is not blocked on anything. */
		"1050 sched_switch: { 0 }, { 7 }, { prev_comm = \"kworker\", prev_tid = 7, prev_prio = 0, "
		"prev_state = 128, next_comm = \"swapper/0\", next_tid = 0, next_prio = 20 }\n",
		"1060 sched_waking: { 1 }, { 0 }, { comm = \"init\", tid = 5, prio = -101, target_cpu = 1 }\n",
		"1070 sched_process_fork: { 1 }, { 5 }, { parent_comm = \"init\", parent_tid = 5, parent_pid = 5, "
		"child_comm = \"init\", child_tid = 9, child_pid = 9 }\n",
		"1080 task_rename: { 1 }, { 9 }, { target_tid = 9, newcomm = \"bash\", oldcomm = \"init\" }\n",
		"1090 sched_process_exec: { 1 }, { 9 }, { filename = \"/bin/bash\", tid = 9, old_tid = 9 }\n",
		"1100 sched_switch: { 1 }, { 9 }, { prev_comm = \"bash\", prev_tid = 9, prev_prio = 20, "
		"prev_state = 32, next_comm = \"<...>\", next_tid = 77, next_prio = 39 }\n",
		/* A synchronous write: RWBS_FLAG_WRITE | RWBS_FLAG_SYNC. */
		"1110 block_rq_issue: { 1 }, { 77 }, { dev = 266338304, sector = 8, nr_sector = 8, bytes = 4096, "
		"tid = 77, rwbs = 33, comm = \"<...>\" }\n",
		"1120 block_rq_complete: { 0 }, { 0 }, { dev = 266338304, sector = 8, nr_sector = 8, error = -5, "
		"rwbs = 33 }\n",
		"1130 syscall_entry_unknown: { 0 }, { 5 }, { id = 999, args = [ [0] = 0x1, [1] = 0x0, [2] = 0x0, "
		"[3] = 0x0, [4] = 0x0, [5] = 0x6 ] }\n",
		"9000000001130 printk_console: { 0 }, { 5 }, { msg = \"hello\" }\n",
		"9000000001131 task_newtask: { 0 }, { 5 }, { child_tid = 10, clone_flags = 0x100, child_task = 0x0, "
		"child_comm = \"x\" }\n",
	};
	size_t i, length = 0;

	if (!has_babeltrace())
		SKIP("babeltrace2 is not installed");
	got = export_text(story, (struct lkst_select_options){});
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		CHECK(has_line(got, lines[i]));
		length += strlen(lines[i]);
	}
	/* And nothing else: no warning, and no other event but the end of the state. */
	CHECK_EQ(strlen(got), length + strlen("1000 lttng_statedump_end: { 0 }, { 0 }, { }\n"));
	remove_export();
}

TEST(export_lttng_of_a_window_begins_with_its_threads)
{
	_cleanup_free_ char *got = NULL;

	if (!has_babeltrace())
		SKIP("babeltrace2 is not installed");
	got = export_text(story, (struct lkst_select_options){
					 .from_ns = 1100, .to_ns = 1110, .has_to = true });
	/* What thread 5 waited for is known of the beginning of the trace only. */
	CHECK(has_line(
		got,
		"1100 lttng_statedump_process_state: { 1 }, { 0 }, { tid = 5, pid = 5, ppid = 1, "
		"name = \"init\", type = 0, mode = 5, submode = 0, status = 0 }\n"));
	/* Thread 9 was forked before and has the name of then. */
	CHECK(has_line(
		got,
		"1100 lttng_statedump_process_state: { 1 }, { 0 }, { tid = 9, pid = 9, ppid = 5, "
		"name = \"bash\", type = 0, mode = 5, submode = 0, status = 0 }\n"));
	CHECK(has_line(got, "prev_comm = \"bash\""));
	CHECK(!strstr(got, "irq_handler_entry"));
	CHECK(!strstr(got, "block_rq_complete"));
	remove_export();
}

/* A request is issued on CPU 1 and ends on CPU 0. */
TEST(export_lttng_knows_requests_that_filters_leave_out)
{
	static const char ends[] = "rwbs = 33"; /* a write (1) that is waited for (32) */
	char *const event = "block_rq_complete";
	const struct lkst_select_options of[] = {
		{ .has_cpu = true, .cpu = 0 },
		{ .events = &event, .nr_events = 1 },
	};
	size_t i;

	if (!has_babeltrace())
		SKIP("babeltrace2 is not installed");
	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
		_cleanup_free_ char *got = export_text(story, of[i]);
		const char *line = strstr(got, " block_rq_complete: ");

		CHECK(!strstr(got, "block_rq_issue"));
		CHECK(line && has_line(line, ends));
		remove_export();
	}
}

/* As of a recording in parts, each of which has all state. */
TEST(export_lttng_has_a_device_once)
{
	static const char line[] = "lttng_statedump_block_device: ";
	_cleanup_free_ char *got = NULL;
	char *found;

	if (!has_babeltrace())
		SKIP("babeltrace2 is not installed");
	got = export_text("state_disk ns=900 dev=266338304 name=vda\n"
			  "state_disk ns=901 dev=266338304 name=vda\n"
			  "sched_switch cpu=0 tid=5 ns=1000 next_tid=7\n",
			  (struct lkst_select_options){});
	found = strstr(got, line);
	CHECK(found && strstr(found, "vda"));
	CHECK(found && !strstr(found + 1, line));
	remove_export();
}

TEST(export_lttng_says_what_was_left_out)
{
	_cleanup_free_ char *metadata = NULL;
	char kernel[96];
	size_t length;

	if (!has_babeltrace())
		SKIP("babeltrace2 is not installed");
	free(export_text("sched_switch cpu=0 ns=1000\n"
			 "shed_begin cpu=0 tid=0 buffer=1 ns=1200 cost=1 kind=syscall:*\n"
			 "shed_end cpu=0 tid=0 buffer=1 ns=1600 left_out=400 kind=syscall:*\n"
			 "shed_begin cpu=0 tid=0 buffer=1 ns=1700 cost=1 kind=softirq\n"
			 "sched_switch cpu=0 ns=2000\n",
			 (struct lkst_select_options){}));
	snprintf(kernel, sizeof(kernel), "%s/kernel", out);
	metadata = make_read(kernel, "metadata", &length);
	CHECK(strstr(metadata, "not_recorded_0 = \"syscall:* from 1200 ns to 1600 ns (the cost limit)\";"));
	CHECK(strstr(metadata, "not_recorded_1 = \"softirq from 1700 ns to the end (the cost limit)\";"));
	remove_export();
}

TEST(export_lttng_says_what_is_missing)
{
	_cleanup_free_ char *got = NULL;

	if (!has_babeltrace())
		SKIP("babeltrace2 is not installed");
	got = export_text("sched_switch cpu=0 ns=1000\n"
			  "!skip cpu=0 blocks=3\n"
			  "sched_switch cpu=0 ns=2000\n"
			  "sched_switch cpu=0 ns=2500\n"
			  "!discard cpu=0 events=7\n"
			  "sched_switch cpu=0 ns=3000\n"
			  "!end ns=5000\n",
			  (struct lkst_select_options){});
	CHECK(strstr(got, "discarded 3 packets"));
	CHECK(strstr(got, "discarded 7 events"));
	CHECK(!strstr(got, "rror"));
	remove_export();
}

TEST(export_lttng_leaves_nothing_that_is_not_whole)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	volatile sig_atomic_t stop = 1;
	struct lkst_export_request request = { .trace_name = "made",
					       .format = format_number(),
					       .stop = &stop };
	struct lkst_export_result result;
	size_t length;
	char *text;
	int i;
	FILE *f = open_memstream(&text, &length);

	/* As many records as are written between two looks at whether to stop. */
	for (i = 0; i < 3000; i++)
		fprintf(f, "sched_switch cpu=0 ns=%d\n", 1000 + i);
	fclose(f);
	make_scratch(dir);
	snprintf(trace, sizeof(trace), "%s/trace", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	CHECK_EQ(make_trace(trace, 4096, text), 0);
	CHECK_EQ(lkst_trace_open(&err, trace, &t), 0);
	request.trace = t;
	request.path = out;
	CHECK_EQ(lkst_export_run(&err, &request, &result), -EINTR);
	CHECK_EQ(access(out, F_OK), -1);
	/* Nor under another name: only the trace is there, and the directory can be removed. */
	make_scratch_remove(trace);
	CHECK_EQ(rmdir(dir), 0);
	free(text);
}

/* ---- packets ------------------------------------------------------------------------ */

static void put_mark(struct lkst_ctf_streams *s, u32 cpu, u64 ns)
{
	u8 *p = lkst_ctf_event_begin(s, cpu, ns, (s32)cpu, LKST_CTF_ID_STATE_START, 16);

	if (!p)
		abort();
	lkst_ctf_event_end(s, p);
}

static void put_long(struct lkst_ctf_streams *s, u32 cpu, u64 ns, u32 length)
{
	u8 *p = lkst_ctf_event_begin(s, cpu, ns, 1, LKST_CTF_ID_NETDEV, length + 1);

	if (!p)
		abort();
	memset(p, 'a', length);
	p[length] = 0;
	lkst_ctf_event_end(s, p + length + 1);
}

/* More CPUs than have a packet in memory at a time, and events longer than a packet. */
TEST(export_lttng_keeps_few_packets_in_memory)
{
	enum { CPUS = 300, ROUNDS = 5, LONG = 300000 };
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_ctf_streams *s;
	_cleanup_free_ char *got = NULL;
	char *text, line[64];
	size_t length;
	u32 cpu, i;
	u8 uuid[16];
	int fd;
	FILE *f = open_memstream(&text, &length);

	if (!has_babeltrace())
		SKIP("babeltrace2 is not installed");
	make_scratch(dir);
	describe_trace(f, c);
	lkst_ctf_describe_state(f);
	fclose(f);
	make_write(dir, "metadata", text, length);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	lkst_ctf_uuid(c, uuid);
	s = lkst_ctf_streams_new(NULL, fd, uuid);
	for (i = 0; i < ROUNDS; i++)
		for (cpu = 0; cpu < CPUS; cpu++)
			put_mark(s, cpu, 1000 + i * 1000 + cpu);
	put_long(s, 3, 10000, LONG);
	put_mark(s, 3, 10001);
	/* A time that is too early becomes that of the event before. */
	put_mark(s, 3, 5);
	CHECK_EQ(lkst_ctf_streams_finish(&err, s), 0);
	lkst_ctf_streams_free(s);
	got = read_by_babeltrace(dir);
	for (i = 0; i < ROUNDS; i++)
		for (cpu = 0; cpu < CPUS; cpu++) {
			snprintf(line, sizeof(line), "%u lttng_statedump_start: { %u }, { %u }",
				 1000 + i * 1000 + cpu, cpu, cpu);
			CHECK(has_line(got, line));
		}
	snprintf(line, sizeof(line), "10001 lttng_statedump_start: { 3 }, { 3 }, { }\n");
	CHECK(has_line(got, line));
	CHECK(strstr(got, line) != strrchr(got, '1') && strstr(strstr(got, line) + 1, line));
	CHECK(strlen(got) > LONG && strlen(got) < LONG + 100 * CPUS * ROUNDS);
	close(fd);
	free(text);
	lkst_catalog_free(c);
	make_scratch_remove(dir);
}

/* The end of the last packet of @cpu, in ns. */
static u64 last_packet_end(u32 cpu)
{
	enum { END_AT = 40, SIZE_AT = 56, HEAD = 84 };
	u64 end_ns = 0, bits;
	char path[128];
	u8 head[HEAD];
	FILE *f;

	snprintf(path, sizeof(path), "%s/channel0_%u", dir, cpu);
	f = fopen(path, "r");
	while (f && fread(head, sizeof(head), 1, f) == 1) {
		memcpy(&end_ns, head + END_AT, sizeof(end_ns));
		memcpy(&bits, head + SIZE_AT, sizeof(bits));
		fseek(f, (long)(bits / 8) - HEAD, SEEK_CUR);
	}
	if (f)
		fclose(f);
	return end_ns;
}

/* Readers intersect streams: one that ends early would cut the others. */
TEST(export_lttng_streams_end_where_knowledge_does)
{
	static const u8 uuid[16];
	struct lkst_ctf_streams *s;
	int fd;

	make_scratch(dir);
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	s = lkst_ctf_streams_new(NULL, fd, uuid);
	put_mark(s, 0, 1000);
	put_mark(s, 1, 5000);
	put_mark(s, 3, 1000);
	CHECK(lkst_ctf_streams_nr_cpus(s) > 3);
	lkst_ctf_streams_end(s, 0, 9000);
	/* Not before the last event. */
	lkst_ctf_streams_end(s, 1, 4000);
	/* A CPU without events has no file. */
	lkst_ctf_streams_end(s, 2, 9000);
	CHECK_EQ(lkst_ctf_streams_finish(&err, s), 0);
	lkst_ctf_streams_free(s);
	CHECK_EQ(last_packet_end(0), 9000);
	CHECK_EQ(last_packet_end(1), 5000);
	CHECK_EQ(last_packet_end(2), 0);
	CHECK_EQ(last_packet_end(3), 1000);
	close(fd);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "export_lttng_says_what_was_left_out", test_export_lttng_says_what_was_left_out },
	{ "export_lttng_has_names_of_lttng", test_export_lttng_has_names_of_lttng },
	{ "export_lttng_has_what_readers_need", test_export_lttng_has_what_readers_need },
	{ "export_lttng_has_the_values", test_export_lttng_has_the_values },
	{ "export_lttng_of_a_window_begins_with_its_threads",
	  test_export_lttng_of_a_window_begins_with_its_threads },
	{ "export_lttng_knows_requests_that_filters_leave_out",
	  test_export_lttng_knows_requests_that_filters_leave_out },
	{ "export_lttng_has_a_device_once", test_export_lttng_has_a_device_once },
	{ "export_lttng_says_what_is_missing", test_export_lttng_says_what_is_missing },
	{ "export_lttng_leaves_nothing_that_is_not_whole",
	  test_export_lttng_leaves_nothing_that_is_not_whole },
	{ "export_lttng_keeps_few_packets_in_memory",
	  test_export_lttng_keeps_few_packets_in_memory },
	{ "export_lttng_streams_end_where_knowledge_does",
	  test_export_lttng_streams_end_where_knowledge_does },
};

UNIT_MAIN(tests)
