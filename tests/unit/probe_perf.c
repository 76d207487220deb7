/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Probes in the language of perf probe: what they become (L01 to L20, L29 to L32), which are refused and where; lines
 * for --line (L16, L17), and lazy matching (L11).
 */
#include "probe/text/perf.h"

#include <errno.h>

#include "lib/unit.h"
#include "lib/wrong.h"
#include "probe/text/format.h"
#include "probe/text/lazy.h"

static struct lkst_probe p;
static struct lkst_err error;

#define FETCH(i) (p.args[i].fetch)

static int parse_in(const char *text, const char *path, const char *module)
{
	const struct lkst_perf_target target = { .path = path, .module = module };

	lkst_probe_fini(&p);
	error = (struct lkst_err){};
	return lkst_perf_parse(&error, text, &target, &p);
}

static int parse(const char *text)
{
	return parse_in(text, NULL, NULL);
}

/* ---- places ----------------------------------------------------------------------------------- */

/* L01 to L04; the seed's 'vfs_read file file->f_mode' (L12, L13). */
TEST(perf_functions)
{
	CHECK_EQ(parse("vfs_read file file->f_mode"), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_SYMBOL);
	CHECK_STR(p.place.symbol, "vfs_read");
	CHECK_STR(p.group, "probe");
	CHECK_STR(p.event, "vfs_read");
	CHECK_EQ(p.nr_args, 2);
	CHECK_STR(p.args[0].name, "file");
	CHECK_EQ(FETCH(0)->op, LKST_FETCH_VARIABLE);
	CHECK_STR(p.args[1].name, "f_mode");
	CHECK_EQ(FETCH(1)->op, LKST_FETCH_MEMBER);
	CHECK(FETCH(1)->is_arrow);
	CHECK_STR(FETCH(1)->base->text, "file");
	CHECK_EQ(parse("mine:open=do_sys_open@fs/open.c+8"), 0);
	CHECK_STR(p.group, "mine");
	CHECK_STR(p.event, "open");
	CHECK_STR(p.place.source, "fs/open.c");
	CHECK_EQ(p.place.offset, 8);
	CHECK_EQ(parse("schedule%return $retval"), 0);
	CHECK(p.place.is_return);
	CHECK_STR(p.event, "schedule__return");
	CHECK_STR(p.args[0].name, "arg1");
	CHECK_EQ(parse("foo.isra.0+4"), 0);
	CHECK_STR(p.event, "foo");
	CHECK_STR(p.place.symbol, "foo.isra.0");
	CHECK_EQ(parse("0xffffffff81000000"), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_ADDRESS);
	CHECK_EQ(p.place.address, 0xffffffff81000000);
	CHECK_STR(p.event, "abs_ffffffff81000000");
}

/* L05 to L08, L10; the examples of the seed and of perf-probe.txt. */
TEST(perf_lines)
{
	CHECK_EQ(parse("schedule:12 cpu"), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_FUNCTION_LINE);
	CHECK_EQ(p.place.line, 12);
	CHECK_STR(p.event, "schedule_L12");
	CHECK_EQ(parse("schedule;cpu=*"), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_FUNCTION_LAZY);
	CHECK_STR(p.place.pattern, "cpu=*");
	CHECK_STR(p.event, "schedule");
	CHECK_EQ(parse("schedule;update_rq_clock*"), 0);
	CHECK_STR(p.place.pattern, "update_rq_clock*");
	CHECK_EQ(parse("x=kernel/sched.c:100"), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_SOURCE_LINE);
	CHECK_STR(p.place.source, "kernel/sched.c");
	CHECK(!p.place.symbol);
	CHECK_EQ(p.place.line, 100);
	CHECK_STR(p.event, "x");
	CHECK_EQ(parse("sched.c;rq=cpu_rq*"), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_SOURCE_LAZY);
	CHECK_STR(p.place.source, "sched.c");
	CHECK_STR(p.event, "");
	lkst_perf_name(&p, "schedule.part.3");
	CHECK_STR(p.event, "schedule");
	CHECK_EQ(parse("schedule@core.c;a:b@c+d%e;f"), 0);
	CHECK_STR(p.place.pattern, "a:b@c+d%e;f");
	CHECK_STR(p.place.source, "core.c");
	CHECK_EQ(parse("schedule@core.c:3"), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_FUNCTION_LINE);
}

/* L30 */
TEST(perf_next)
{
	CHECK_EQ(parse("vfs_read%next"), 0);
	CHECK(p.place.is_next);
	CHECK_EQ(p.place.kind, LKST_PLACE_SYMBOL);
	CHECK_EQ(parse("vfs_read:4%next"), 0);
	CHECK(p.place.is_next);
	CHECK_EQ(p.place.line, 4);
	CHECK_EQ(parse("read_write.c:400%next"), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_SOURCE_LINE);
	CHECK_EQ(parse("vfs_read+3%next"), 0);
	CHECK_EQ(p.place.offset, 3);
}

/* A glob of functions: perf-probe.txt has 'schedule*'. */
TEST(perf_globs)
{
	CHECK_EQ(parse("schedule*"), 0);
	CHECK_STR(p.place.symbol, "schedule*");
	CHECK_STR(p.event, "");
	lkst_perf_name(&p, "schedule_tail");
	CHECK_STR(p.event, "schedule_tail");
}

/* L28, L32 */
TEST(perf_targets)
{
	CHECK_EQ(parse_in("zfree", "/bin/zsh", NULL), 0);
	CHECK_STR(p.place.path, "/bin/zsh");
	CHECK_STR(p.group, "probe_zsh");
	CHECK_EQ(parse_in("malloc", "/lib/libc-2.31.so", NULL), 0);
	CHECK_STR(p.group, "probe_libc");
	CHECK_EQ(parse_in("x:y=malloc", "/lib/libc.so.6", NULL), 0);
	CHECK_STR(p.group, "x");
	CHECK_EQ(parse_in("ext4_sync_file", NULL, "ext4"), 0);
	CHECK_STR(p.place.module, "ext4");
	CHECK_STR(p.group, "probe");
}

TEST(perf_marks)
{
	CHECK_EQ(parse_in("%sdt_libc:setjmp", "/lib/libc.so.6", NULL), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_MARK);
	CHECK_STR(p.place.provider, "libc");
	CHECK_STR(p.place.symbol, "setjmp");
	CHECK_STR(p.group, "sdt_libc");
	CHECK_STR(p.event, "setjmp");
	CHECK_EQ(parse_in("sdt_hotspot:thread__sleep__end", "/usr/lib/libjvm.so", NULL), 0);
	CHECK_STR(p.place.provider, "hotspot");
	CHECK_EQ(parse("%libc:longjmp@/lib/libc.so.6 $arg1"), 0);
	CHECK_STR(p.place.path, "/lib/libc.so.6");
	CHECK_EQ(parse_in("x=%setjmp", "/lib/libc.so.6", NULL), 0);
	CHECK(!p.place.provider);
	CHECK_STR(p.event, "x");
	CHECK_STR(p.group, "probe_libc");
}

/* L25; the two examples with a backslash of perf-probe.txt. */
TEST(perf_backslashes)
{
	CHECK_EQ(parse_in("malloc_get_state\\@GLIBC_2.2.5", "/lib64/libc-2.25.so", NULL), 0);
	CHECK_STR(p.place.symbol, "malloc_get_state@GLIBC_2.2.5");
	CHECK_STR(p.event, "malloc_get_state");
	CHECK_EQ(parse_in("foo\\+bar.c:4", "/opt/test/a.out", NULL), 0);
	CHECK_EQ(p.place.kind, LKST_PLACE_SOURCE_LINE);
	CHECK_STR(p.place.source, "foo+bar.c");
	CHECK_EQ(parse("f;a\\*b"), 0);
	CHECK_STR(p.place.pattern, "a\\*b");
}

/* ---- arguments -------------------------------------------------------------------------------- */

/* L12 to L15, L27, L29, L31; the names of perf-probe.txt: the last member's, not the index. */
TEST(perf_arguments)
{
	CHECK_EQ(
		parse("f a->b.c x=a:s32 array[1] var->array[0] rq[cpu].nr var.name:string path:ustring"
		      " len@user p->q:x16@user $vars %ax @jiffies $comm a->b.c:x"),
		0);
	CHECK_STR(p.args[0].name, "c");
	CHECK(!FETCH(0)->is_arrow);
	CHECK(FETCH(0)->base->is_arrow);
	CHECK_STR(p.args[1].name, "x");
	CHECK_EQ(p.args[1].type.form, LKST_FORM_SIGNED);
	CHECK_STR(p.args[2].name, "array");
	CHECK_EQ(FETCH(2)->op, LKST_FETCH_INDEX);
	CHECK_EQ(FETCH(2)->index->number, 1);
	/* Perf names it as the one before, and the kernel refuses that. */
	CHECK_STR(p.args[3].name, "array_1");
	CHECK_STR(p.args[4].name, "nr");
	CHECK_STR(FETCH(4)->base->index->text, "cpu");
	CHECK_EQ(p.args[5].type.form, LKST_FORM_STRING);
	CHECK_EQ(p.args[6].type.form, LKST_FORM_USTRING);
	CHECK(FETCH(7)->is_user);
	CHECK(FETCH(8)->is_user && FETCH(8)->base->is_user);
	CHECK_EQ(p.args[8].type.size, 2);
	CHECK_EQ(FETCH(9)->op, LKST_FETCH_VARIABLE);
	CHECK_STR(FETCH(9)->text, "*");
	CHECK_STR(p.args[9].name, "");
	CHECK_EQ(FETCH(10)->op, LKST_FETCH_REGISTER);
	CHECK_STR(p.args[10].name, "arg11");
	CHECK_EQ(FETCH(11)->op, LKST_FETCH_AT_SYMBOL);
	CHECK_EQ(p.args[13].type.form, LKST_FORM_HEX);
	CHECK_EQ(p.args[13].type.size, 0);
	CHECK_STR(p.args[13].name, "c_1");
	CHECK_EQ(parse("f $params if count > 4096"), 0);
	CHECK_STR(FETCH(0)->text, "*params");
	CHECK_STR(p.condition, "count > 4096");
	CHECK_EQ(parse("f%return $retval->st[2].x"), 0);
	CHECK_STR(p.args[0].name, "x");
	CHECK_EQ(FETCH(0)->base->base->base->op, LKST_FETCH_RETVAL);
}

/* ---- errors ----------------------------------------------------------------------------------- */

TEST(perf_errors)
{
	static const struct wrong all[] = {
		{ "^", "a probe is missing" },
		{ "  ^", "a probe is missing" },
		{ "^1x=f", "C symbol-naming rule" },
		{ "a:^b-c=f", "C symbol-naming rule" },
		{ "x=^ a", "file always requires" },
		{ "f:^1a", "non-digit char in line number" },
		{ "f+^x", "non-digit char in offset" },
		{ "f:^4294967296", "too large" },
		{ "a.c:1^@b.c", "SRC@SRC is not allowed" },
		{ "f@a.c^@b.c", "SRC@SRC is not allowed" },
		{ "f@^", "name of a source file is missing" },
		{ "f^%entry", "%entry is not supported" },
		{ "f;^", "the pattern is missing" },
		{ "f:3;^a", "lazy pattern can't be used with line number" },
		{ "f+3;^a", "lazy pattern can't be used with offset" },
		{ "f:3+^4", "offset can't be used with line number" },
		{ "@a.c^", "file always requires line number or lazy pattern" },
		{ "f:3^%return", "can't be used with return probe" },
		{ "f+3^%return", "can't be used with return probe" },
		{ "f^%return%next", "%next can't be used with return probe" },
		{ "^0x12z", "invalid absolute address" },
		{ "^0x12:3", "an address has no offset" },
		{ "%a:b^", "a mark is in a program" },
		{ "%^@/bin/sh", "SDT name" },
		{ "%a:b^+3", "SDT name" },
		{ "f%return ^count", "gone when the function returns" },
		{ "f a[^-1]", "array index must be" },
		{ "f x=a ^x=b", "already used" },
		{ "f a:^u7", "unknown type" },
		{ "f ^$vars:x8", "independent parameter" },
		{ "f ^$retval", "not available on probe" },
		{ "f if ^#a == 1", "begins with #" },
		{ "f if a == \" ^# \"", "begins with #" },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		CHECK(wrong_is_refused(&all[i], parse, &error) && !p.text);
	CHECK_EQ(parse_in("f @jiffies", "/bin/sh", NULL), -EINVAL);
	CHECK(strstr(error.text, "symbol is not available with uprobe"));
	CHECK_EQ(parse("f if a == 1\nb"), -EINVAL);
	CHECK(strstr(error.text, "one line"));
}

/* ---- --line ----------------------------------------------------------------------------------- */

static struct lkst_line_range r;

static int range(const char *text)
{
	lkst_line_range_fini(&r);
	error = (struct lkst_err){};
	return lkst_line_range_parse(&error, text, &r);
}

/* L16, L17; vfs_read:0+7 is the seed's, the others are of perf-probe.txt. */
TEST(perf_ranges)
{
	CHECK_EQ(range("vfs_read"), 0);
	CHECK_STR(r.function, "vfs_read");
	CHECK(!r.source);
	CHECK_EQ(r.first, 0);
	CHECK_EQ(r.last, UINT32_MAX);
	CHECK_EQ(range("vfs_read:0+7"), 0);
	CHECK_EQ(r.first, 0);
	CHECK_EQ(r.last, 6);
	CHECK_EQ(range("func:10+20"), 0);
	CHECK_EQ(r.first, 10);
	CHECK_EQ(r.last, 29);
	CHECK_EQ(range("source.c:100-120"), 0);
	CHECK(!r.function);
	CHECK_STR(r.source, "source.c");
	CHECK_EQ(r.first, 100);
	CHECK_EQ(r.last, 120);
	CHECK_EQ(range("vfs_read@fs/read_write.c:3"), 0);
	CHECK_STR(r.function, "vfs_read");
	CHECK_STR(r.source, "fs/read_write.c");
	CHECK_EQ(r.first, 3);
	CHECK_EQ(r.last, UINT32_MAX);
	CHECK_EQ(range("kernel/sched"), 0);
	CHECK_STR(r.source, "kernel/sched");
}

TEST(perf_range_errors)
{
	static const struct wrong all[] = {
		{ "^", "not a valid function name" },
		{ "^a-b", "not a valid function name" },
		{ "^@a.c", "not a valid function name" },
		{ "^f@", "not a valid function name" },
		{ "f:^", "not a valid number" },
		{ "f:^x", "not a valid number" },
		{ "f:1+^", "not a valid number" },
		{ "f:10-^9", "start line must be smaller" },
		{ "f:1+^0", "start line must be smaller" },
		{ "f:1-^2x", "not a valid number" },
		{ "f:1^,2", "nothing may follow" },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		CHECK(wrong_is_refused(&all[i], range, &error));
		CHECK(!r.function && !r.source);
	}
}

/* ---- lazy matching ---------------------------------------------------------------------------- */

/* L11; 'a=*' is of perf-probe.txt, the others of the seed. */
TEST(perf_lazy_matching)
{
	static const char *const yes[][2] = {
		{ "a=b", "a=*" },
		{ "a = b", "a=*" },
		{ "a == b", "a=*" },
		{ "\tcpu = smp_processor_id();", "cpu=*" },
		{ "\tupdate_rq_clock(rq);  ", "update_rq_clock*" },
		{ "\trq = cpu_rq(cpu);", "rq=cpu_rq*" },
		{ "if (x)", "i f ( ? )" },
		{ "x1", "x[0-9]" },
		{ "x-", "x[a-]" },
		{ "x]", "x[]]" },
		{ "xz", "x[!0-9]" },
		{ "a*b", "a\\*b" },
		{ "abcbc", "a*bc" },
		{ "", "*" },
		{ "", "" },
		{ "  ", "" },
		{ "a\\", "a\\" },
	};
	static const char *const no[][2] = {
		{ "ba=b", "a=*" },  { "cpu = x", "cpu=" }, { "x1", "x[a-z]" }, { "x1", "x[!0-9]" },
		{ "axb", "a\\*b" }, { "x1", "x[0-9" },	   { "a", "" },	       { "", "?" },
		{ "abcb", "a*bc" }, { "a", "[" },
	};
	size_t i;

	for (i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		if (!lkst_lazy_matches(yes[i][0], yes[i][1])) {
			printf("  %s, %s\n", yes[i][0], yes[i][1]);
			CHECK(false);
		}
	for (i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		if (lkst_lazy_matches(no[i][0], no[i][1])) {
			printf("  %s, %s\n", no[i][0], no[i][1]);
			CHECK(false);
		}
}

/* A matcher that tries all ways would not come back from this one. */
TEST(perf_lazy_matching_is_quick)
{
	char line[2001], pattern[201];
	unsigned int i;

	memset(line, 'a', sizeof(line) - 1);
	line[sizeof(line) - 1] = 0;
	for (i = 0; i < sizeof(pattern) - 1; i++)
		pattern[i] = i % 2 ? 'a' : '*';
	pattern[sizeof(pattern) - 1] = 0;
	CHECK(lkst_lazy_matches(line, pattern));
	pattern[sizeof(pattern) - 2] = 'b';
	CHECK(!lkst_lazy_matches(line, pattern));
}

/* ---- --list ----------------------------------------------------------------------------------- */

/* L18; the two lines of the seed. */
TEST(perf_list)
{
	struct lkst_probe_place on = { .kind = LKST_PLACE_FUNCTION_LINE,
				       .symbol = (char *)"schedule",
				       .line = 36,
				       .source = (char *)"linux-2.6-tip/kernel/sched.c" };
	char place[LKST_PROBE_TEXT], text[LKST_PROBE_TEXT];

	CHECK_EQ(parse("schedule rq"), 0);
	lkst_probe_place_format(&on, place);
	lkst_probe_list_format(&p, place, text);
	CHECK_STR(text, "probe:schedule (on schedule:36@linux-2.6-tip/kernel/sched.c with rq)");
	CHECK_EQ(parse("vfs_read@linux-2.6-tip/fs/read_write.c file file->f_mode"), 0);
	lkst_probe_place_format(&p.place, place);
	lkst_probe_list_format(&p, place, text);
	CHECK_STR(text,
		  "probe:vfs_read (on vfs_read@linux-2.6-tip/fs/read_write.c with file f_mode)");
}

/* A place that was read is written as it was. */
TEST(perf_places_are_written)
{
	static const char *const all[] = {
		"vfs_read", "vfs_read+8",   "vfs_read:4@a.c", "vfs_read;a=*", "fs/read_write.c:45",
		"a.c;b*?",  "f%return@a.c", "0xffff",	      "a.c:4%next"
	};
	char text[LKST_PROBE_TEXT];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		CHECK_EQ(parse(all[i]), 0);
		lkst_probe_place_format(&p.place, text);
		CHECK_STR(text, all[i]);
	}
	CHECK_EQ(parse_in("malloc%return", "/lib/libc.so.6", NULL), 0);
	lkst_probe_place_format(&p.place, text);
	CHECK_STR(text, "malloc%return in /lib/libc.so.6");
}

static const struct unit_test tests[] = {
	{ "perf_functions", test_perf_functions },
	{ "perf_lines", test_perf_lines },
	{ "perf_next", test_perf_next },
	{ "perf_globs", test_perf_globs },
	{ "perf_targets", test_perf_targets },
	{ "perf_marks", test_perf_marks },
	{ "perf_backslashes", test_perf_backslashes },
	{ "perf_arguments", test_perf_arguments },
	{ "perf_errors", test_perf_errors },
	{ "perf_ranges", test_perf_ranges },
	{ "perf_range_errors", test_perf_range_errors },
	{ "perf_lazy_matching", test_perf_lazy_matching },
	{ "perf_lazy_matching_is_quick", test_perf_lazy_matching_is_quick },
	{ "perf_list", test_perf_list },
	{ "perf_places_are_written", test_perf_places_are_written },
};
UNIT_MAIN(tests)
