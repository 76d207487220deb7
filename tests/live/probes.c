// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: all
 *
 * Probes at functions of this very program, which are called with known arguments a known number of times: each hit is
 * a record, with exactly those values; what can't be read says so, conditions drop what they rule out, and nothing is
 * left when a probe is removed (rows K01 to K12, K15, K16, K19, K20 and M06 of doc/heritage.md).
 */
#include <pthread.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "live.h"
#include "live/hooks/pins.h"
#include "live/probes/probes.h"
#include "probe/text/definition.h"
#include "trace/read/reader.h"

enum {
	CALLS = 2000,
	THREADS = 8,
	THREAD_CALLS = 5000,
	TEXT_MAX = 1024,
};

struct inner {
	int number;
	const char *name;
};

struct outer {
	char pad[24];
	struct inner *inner;
	unsigned int flags;
	signed short values[4];
};

/* ---- what is probed --------------------------------------------------------------------------- */

#define PROBED static __attribute__((noinline, used))

PROBED long add_numbers(long a, int b)
{
	asm volatile("" : "+r"(a), "+r"(b) : : "memory");
	return a * 3 + b;
}

PROBED void take_outer(struct outer *o, const char *text)
{
	asm volatile("" : : "r"(o), "r"(text) : "memory");
}

PROBED void take_nothing(struct outer *o, const char *text)
{
	asm volatile("" : "+r"(o), "+r"(text) : : "memory");
}

PROBED void called_by_threads(long thread, long number)
{
	asm volatile("" : : "r"(thread), "r"(number) : "memory");
}

PROBED void nested_inner(long number)
{
	asm volatile("" : : "r"(number) : "memory");
}

PROBED void nested_outer(long number)
{
	nested_inner(number + 1);
	asm volatile("" : : "r"(number) : "memory");
}

/* Where the code at @address is in this program's file. */
static unsigned long file_offset(const void *address)
{
	unsigned long from, to, offset, found = 0, at = (unsigned long)address;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &from, &to, &offset) == 3 && at >= from &&
		    at < to)
			found = at - from + offset;
	if (f)
		fclose(f);
	return found;
}

/* ---- setting ---------------------------------------------------------------------------------- */

static char self[512];

/* Calls @change with the session while no other command changes the recording. */
static int with_session(struct lkst_err *e,
			int (*change)(struct lkst_err *, struct lkst_session *, void *), void *ctx)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_close_ int lock = lkst_pins_lock(e);
	int err = lock < 0 ? lock : lkst_session_open(e, &s);

	return err ?: change(e, s, ctx);
}

static int set_one(struct lkst_err *e, struct lkst_session *s, void *ctx)
{
	struct lkst_definition d = {};
	struct lkst_notes notes = {};
	int err = lkst_definition_parse(e, ctx, &d);

	if (err)
		return err;
	err = lkst_probe_set(e, s, &d.probe, ctx, &notes);
	lkst_notes_fini(&notes);
	lkst_probe_fini(&d.probe);
	return err;
}

/* Sets a probe of this program: @kind "p" or "r", then the event, the function and the arguments. */
static int set(struct lkst_err *e, const char *kind, const char *event, const void *function,
	       const char *args)
{
	char line[TEXT_MAX];

	snprintf(line, sizeof(line), "%s:my/%s %s:0x%lx %s", kind, event, self,
		 file_offset(function), args);
	return with_session(e, set_one, line);
}

static int remove_one(struct lkst_err *e, struct lkst_session *s, void *ctx)
{
	return lkst_probe_remove(e, s, ctx);
}

struct counting {
	const char *event;
	u64 hits;
	bool is_there;
};

static int count_one(void *ctx, const struct lkst_probe_state *state)
{
	struct counting *c = ctx;

	if (strcmp(state->event, c->event))
		return 0;
	c->hits = state->hits;
	c->is_there =
		state->backend == LKST_BACKEND_PROGRAM && strstr(state->row->definition, self);
	return 0;
}

static int count(struct lkst_err *e, struct lkst_session *s, void *ctx)
{
	return lkst_probes_each(e, s, count_one, ctx);
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* What the records of one event have to be. */
struct expected {
	const char *name;
	const char *event;
	/* NULL: this record is as it should be, the @nr-th of its event; else why not. */
	const char *(*check)(const struct lkst_record *r, u64 nr);
	u64 nr;
	u64 got;
	const char *why;
};

static u64 number(const struct lkst_record *r, const char *field)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, field);

	return f ? lkst_record_int(r, f) : 0xbadbad;
}

static bool is_text(const struct lkst_record *r, const char *field, const char *text)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, field);
	u32 length;
	const u8 *bytes =
		f ? lkst_record_field(r, (unsigned int)(f - r->event->fields), &length) : NULL;

	return bytes && length == strlen(text) && !memcmp(bytes, text, length);
}

static const char *check_two(const struct lkst_record *r, u64 nr)
{
	if (number(r, "a") != 1000 + nr || (s32)number(r, "b") != -(s32)nr)
		return "another number";
	return r->tid == getpid() ? NULL : "another thread";
}

static const char *check_return(const struct lkst_record *r, u64 nr)
{
	return number(r, "ret") == (1000 + nr) * 3 - nr ? NULL : "another result";
}

static const char *check_outer(const struct lkst_record *r, u64 nr)
{
	if (!is_text(r, "text", nr & 1 ? "an odd one" : "even"))
		return "another text";
	if (!is_text(r, "name", "the inner name"))
		return "another name";
	if (number(r, "number") != nr || number(r, "bits") != (nr & 7))
		return "another number";
	return number(r, "__faults") ? "a fault" : NULL;
}

static const char *check_array(const struct lkst_record *r, u64 nr)
{
	const struct lkst_field_class *f = lkst_class_field(r->event, "values");
	const signed short want[4] = { 1, -2, 300, (signed short)nr };
	u32 length;
	const u8 *bytes =
		f ? lkst_record_field(r, (unsigned int)(f - r->event->fields), &length) : NULL;

	return bytes && length == sizeof(want) && !memcmp(bytes, want, sizeof(want))
		       ? NULL
		       : "another array";
}

static const char *check_fault(const struct lkst_record *r, u64 nr)
{
	if (number(r, "__faults") != 6)
		return "other faults";
	if (number(r, "deep") || !is_text(r, "text", ""))
		return "a value that was not there";
	return number(r, "good") == 0x10 ? NULL : "another number";
}

static const char *check_condition(const struct lkst_record *r, u64 nr)
{
	return number(r, "a") == 1000 + CALLS / 2 + nr ? NULL : "a record that is ruled out";
}

static const char *check_nested(const struct lkst_record *r, u64 nr)
{
	return number(r, "n") == nr + !strcmp(r->event->name, "my:inner") ? NULL : "another number";
}

static u64 of_thread[THREADS];

static const char *check_thread(const struct lkst_record *r, u64 nr)
{
	u64 thread = number(r, "t");

	if (thread >= THREADS || number(r, "n") != of_thread[thread])
		return "another number than the thread's next";
	of_thread[thread]++;
	return NULL;
}

static struct expected all[] = {
	{ "arguments_of_a_call", "my:two", check_two, CALLS, 0, NULL },
	{ "results_of_a_call", "my:ret", check_return, CALLS, 0, NULL },
	{ "strings_and_nested_memory", "my:outer", check_outer, CALLS, 0, NULL },
	{ "arrays", "my:array", check_array, CALLS, 0, NULL },
	{ "faults_are_said", "my:fault", check_fault, 10, 0, NULL },
	{ "conditions_drop_records", "my:cond", check_condition, CALLS / 2, 0, NULL },
	{ "nested_probes", "my:nested", check_nested, CALLS, 0, NULL },
	{ "probes_within_them", "my:inner", check_nested, CALLS, 0, NULL },
	{ "many_threads", "my:thread", check_thread, (u64)THREADS *THREAD_CALLS, 0, NULL },
};
enum { NR_EXPECTED = sizeof(all) / sizeof(all[0]) };

static int read_back(struct lkst_err *e, const char *dir)
{
	struct lkst_trace *t = NULL;
	struct lkst_merge *m = NULL;
	struct lkst_record r;
	unsigned int i;
	int err = lkst_trace_open(e, dir, &t) ?: lkst_merge_new(e, t, 0, UINT64_MAX, &m);

	while (!err && lkst_merge_next(m, &r) > 0)
		for (i = 0; i < NR_EXPECTED; i++) {
			const char *why;

			if (strcmp(r.event->name, all[i].event))
				continue;
			why = r.event->group == LKST_GROUP_PROBE ? all[i].check(&r, all[i].got)
								 : "not of the group of probes";
			all[i].why = all[i].why ?: why;
			all[i].got++;
		}
	lkst_merge_free(m);
	lkst_trace_close(t);
	return err;
}

static void judge(void)
{
	unsigned int i;

	for (i = 0; i < NR_EXPECTED; i++)
		if (all[i].why || all[i].got != all[i].nr)
			live_fail(all[i].name, "%llu records, not %llu; %s",
				  (unsigned long long)all[i].got, (unsigned long long)all[i].nr,
				  all[i].why ?: "their values are right");
		else
			live_ok(all[i].name);
}

/* ---- the run ---------------------------------------------------------------------------------- */

static int set_all(struct lkst_err *e)
{
	return set(e, "p", "two", add_numbers, "a=%di b=%si:s32") ?:
	       set(e, "r", "ret", add_numbers, "ret=$retval:s64") ?:
	       set(e, "p", "cond", add_numbers, "a=%di:u64 b=%si:s32 if a >= 2000 and b < 0") ?:
	       set(e, "p", "outer", take_outer,
		   "text=+0(%si):string number=+0(+24(%di)):s32 name=+0(+8(+24(%di))):string bits=+32(%di):b3@0/32") ?:
	       set(e, "p", "array", take_outer, "values=+36(%di):s16[4]") ?:
	       set(e, "p", "nested", nested_outer, "n=%di") ?:
	       set(e, "p", "inner", nested_inner, "n=%di:u32") ?:
	       set(e, "p", "thread", called_by_threads, "t=%di:u8 n=%si:u32 comm=$comm");
}

static void *run_thread(void *arg)
{
	long i;

	for (i = 0; i < THREAD_CALLS; i++)
		called_by_threads((long)arg, i);
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];
	long i;

	for (i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)i);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void run_calls(void)
{
	struct inner inner = { 0, "the inner name" };
	struct outer outer = { .inner = &inner, .values = { 1, -2, 300 } };
	int i;

	for (i = 0; i < CALLS; i++) {
		add_numbers(1000 + i, -i);
		inner.number = i;
		outer.flags = 0xfffffff8 | (unsigned int)i;
		outer.values[3] = (signed short)i;
		take_outer(&outer, i & 1 ? "an odd one" : "even");
		nested_outer(i);
	}
	run_threads();
}

/* Memory that is not there: two arguments of three can't be read. */
static int run_faults(struct lkst_err *e)
{
	char *nothing = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct outer outer = { .flags = 0x10, .inner = (void *)nothing };
	int i, err = set(e, "p", "fault", take_nothing,
			 "good=+32(%di):u32 deep=+0(+24(%di)):u64 text=+0(%si):string");

	for (i = 0; i < 10 && !err; i++)
		take_nothing(&outer, nothing);
	return err;
}

static void test_list(void)
{
	struct counting two = { .event = "my:two" }, cond = { .event = "my:cond" };
	struct lkst_err e = {};

	if (with_session(&e, count, &two) || with_session(&e, count, &cond))
		live_fail("hits_are_counted", "%s", e.text);
	else if (two.hits != CALLS || cond.hits != CALLS || !two.is_there)
		live_fail("hits_are_counted", "%llu and %llu, not %u", (unsigned long long)two.hits,
			  (unsigned long long)cond.hits, CALLS);
	else
		live_ok("hits_are_counted");
}

static void expect_refusal(const char *name, int err, const struct lkst_err *e, int code,
			   const char *words)
{
	if (err != code || !strstr(e->text, words))
		live_fail(name, "%d %s", err, e->text);
	else
		live_ok(name);
}

static void test_refusals(void)
{
	struct lkst_err e = {};
	int err = set(&e, "p", "two", add_numbers, "a=%di");

	expect_refusal("a_second_of_the_same_name_is_refused", err, &e, -EEXIST,
		       "my:two is set already");
	err = set(&e, "p", "other", add_numbers, "a=%eax");
	expect_refusal("an_unknown_register_is_refused", err, &e, -EINVAL, "no register %eax");
	err = with_session(&e, set_one, "p:my/gone /no/such/program:0x40");
	expect_refusal("an_unknown_program_is_refused", err, &e, -ENOENT, "/no/such/program");
}

static void test_removal(void)
{
	struct counting two = { .event = "my:two" };
	struct lkst_err e = {};
	int err = with_session(&e, remove_one, "my:two");

	if (err || with_session(&e, count, &two) || two.is_there)
		live_fail("a_probe_is_removed", "%s", e.text);
	else
		live_ok("a_probe_is_removed");
	err = with_session(&e, remove_one, "my:two");
	expect_refusal("what_is_not_set_can_not_be_removed", err, &e, -ENOENT, "no probe my:two");
	err = set(&e, "p", "two", add_numbers, "a=%di b=%si:s64");
	expect_refusal("other_arguments_need_another_name", err, &e, -EEXIST, "other arguments");
	err = set(&e, "p", "two", add_numbers, "a=%di b=%si:s32");
	if (err)
		live_fail("the_same_can_be_set_again", "%s", e.text);
	else
		live_ok("the_same_can_be_set_again");
}

static int run(struct lkst_err *e, const char *dir)
{
	int err = set_all(e);

	if (err)
		return err;
	run_calls();
	test_list();
	test_refusals();
	test_removal();
	err = run_faults(e);
	if (err)
		return err;
	if (LIVE_LKST("snapshot", "--quiet", "--output", dir))
		return lkst_err_set(e, -EIO, "lkst snapshot failed");
	return read_back(e, dir);
}

int main(void)
{
	struct lkst_err e = {};
	char dir[sizeof(live_dir) + 16];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (geteuid()) {
		printf("skip probes: needs root\n");
		return 0;
	}
	live_begin();
	self[length > 0 ? length : 0] = 0;
	snprintf(dir, sizeof(dir), "%s/probes", live_dir);
	if (LIVE_LKST("start", "--quiet", "--budget", "none", "--buffer", "16M", "-e",
		      "sched_process_exec")) {
		live_fail("probes_recorded", "lkst start failed");
		return live_end();
	}
	if (run(&e, dir))
		live_fail("probes_recorded", "%s", e.text);
	else
		judge();
	if (LIVE_LKST("stop", "--quiet"))
		live_fail("probes_stopped", "lkst stop failed");
	live_remove(dir);
	return live_end();
}
