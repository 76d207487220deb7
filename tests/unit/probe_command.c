/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * lkst probe where it changes nothing: what it prints of a probe, and what it refuses (L01, L18, L20 to L22, K13).
 * The probed program is this one, so that its own addresses say what is right.
 */
#include "lib/run_command.h"
#include "lib/unit.h"

#include "probe/text/perf.h"

#include <errno.h>
#include <link.h>
#include <stdarg.h>

int probe_command_target(int a);

/* What is probed. A sanitizer's code before it would be in the way. */
__attribute__((noinline, no_sanitize("address", "undefined")))
int probe_command_target(int a)
{
	return a + 1;
}

int probe_command_second(int a);
__attribute__((noinline, no_sanitize("address", "undefined"))) int probe_command_second(int a)
{
	return a + 2;
}

struct search {
	unsigned long address, offset;
};

/* The byte of the file that an address was loaded from. */
static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		unsigned long begin = info->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_LOAD && s->address >= begin && s->address < begin + h->p_filesz)
			s->offset = s->address - begin + h->p_offset;
	}
	return s->offset != 0;
}

static unsigned long target_offset(void)
{
	struct search s = { .address = (unsigned long)probe_command_target };

	dl_iterate_phdr(look, &s);
	return s.offset;
}
enum { ITERATE_LINE = __LINE__ - 3 };

/* This program's path, as the probe has it. */
static const char *self(void)
{
	static char path[512];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length > 0 ? length : 0] = 0;
	return path;
}

static int probe(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int probe(const char *format, ...)
{
	char line[2048];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	return run_command(&lkst_cmd_probe, ".", line);
}

/* L32, L03: a function of a program is a byte of its file. */
TEST(probe_command_prints_definitions)
{
	char expected[1200];

	CHECK_EQ(probe("-x %s -D probe_command_target", self()), 0);
	snprintf(expected, sizeof(expected),
		 "p:probe_probe_command/probe_command_target %s:0x%lx # probe_command_target@%s in %s\n",
		 self(), target_offset(), __FILE__, self());
	CHECK_STR(output, expected);
	CHECK_EQ(probe("--definition nothing_is_called_so -x %s", self()), -ENOENT);
	CHECK(strstr(message, "nothing_is_called_so"));
}

/* L21, L22: -fnv, as the seed recommends. */
TEST(probe_command_runs_dry)
{
	CHECK_EQ(probe("-fnv -x %s probe_command_target", self()), 0);
	CHECK(strstr(output, ":probe_command_target (on probe_command_target@" __FILE__ " in /"));
	CHECK(strstr(output, "\n    p:probe_"));
	CHECK_EQ(probe("-nq -x %s probe_command_target", self()), 0);
	CHECK_STR(output, "");
	/* A first word that is a path says where to look; the others are one probe. */
	CHECK_EQ(probe("-n %s probe_command_target number=$arg1:s32", self()), 0);
	CHECK(strstr(output, " with number)\n"));
}

/* K03: what removes a probe begins as an option does, and is none; here nobody has set one. */
TEST(probe_command_takes_removals_without_dashes_before_them)
{
	CHECK(probe("-n -:nothing/of_that_name") < 0);
	CHECK(!strstr(message, "option"));
	CHECK(probe("-:") < 0);
	CHECK(strstr(message, "event name is not specified"));
	CHECK_EQ(probe("-! -:nothing/of_that_name"), -EINVAL);
	CHECK(strstr(message, "there is no option -!"));
}

/* Of what types tell, the part that is wrong is marked. */
TEST(probe_command_marks_what_is_wrong_in_an_argument)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		SKIP("this kernel has no BTF");
	CHECK(probe("-n p:x wake_up_new_task x=+0(p->nothing)") < 0);
	CHECK_STR(marked, "nothing)");
	CHECK(probe("-n p:x wake_up_new_task x=p->se.nothing:u8") < 0);
	CHECK_STR(marked, "nothing:u8");
	CHECK(probe("-n p:x wake_up_new_task %%di x=nothing") < 0);
	CHECK_STR(marked, "nothing");
	CHECK(probe("-n p:x wake_up_new_task x=$arg9") < 0);
	CHECK_STR(marked, "$arg9");
	CHECK(probe("-n p:x wake_up_new_task %%di x=%%nothing") < 0);
	CHECK_STR(marked, "%nothing");
}

/* P18: words that no function has as a name are told by the language that they are near to. */
TEST(probe_command_tells_which_word_is_wrong)
{
	CHECK(probe("-n -x %s p100 f", self()) < 0);
	CHECK(strstr(message, "maxactive is only for function exit"));
	CHECK_STR(marked, "100 f");
	CHECK(probe("-n -x %s r1a111 f", self()) < 0);
	CHECK(strstr(message, "invalid maxactive number"));
	CHECK(probe("-n -x %s r1fuzz:x f", self()) < 0);
	CHECK(strstr(message, "invalid maxactive number"));
	CHECK(probe("-n -x %s f:x main", self()) < 0);
	CHECK(strstr(message, "for f write p"));
	CHECK_STR(marked, "f:x main");
	CHECK(probe("-n -x %s q100", self()) < 0);
	CHECK(strstr(message, "no function q100"));
	CHECK(probe("-n p:a/b /no/such/file:0x10") < 0);
	CHECK(strstr(message, "/no/such/file cannot be opened"));
	CHECK_STR(marked, "/no/such/file:0x10");
	/* What -x says is in no definition. */
	CHECK(probe("-n -x /no/such/file f") < 0);
	CHECK(strstr(message, "/no/such/file cannot be opened"));
	CHECK_STR(marked, "");
	/* A program, and no probe. */
	CHECK_EQ(probe("-n %s", self()), -EINVAL);
	CHECK(strstr(message, "a probe is missing"));
}

/* P14: programs whose names differ have groups that differ. */
TEST(probe_command_names_groups_after_all_of_the_program)
{
	struct lkst_probe p;
	struct lkst_perf_target target = { .path = "/usr/bin/p_O2" };

	CHECK_EQ(lkst_perf_parse(NULL, "sum", &target, &p), 0);
	CHECK_STR(p.group, "probe_p_O2");
	lkst_probe_fini(&p);
	target.path = "/lib/libc.so.6";
	CHECK_EQ(lkst_perf_parse(NULL, "sum", &target, &p), 0);
	CHECK_STR(p.group, "probe_libc");
	lkst_probe_fini(&p);
}

/* P3: each function of a glob is an event of its own name; a second probe at one is numbered. */
TEST(probe_command_names_events_after_their_functions)
{
	CHECK_EQ(probe("-n -x %s probe_command_[ts]*", self()), 0);
	CHECK(strstr(output, ":probe_command_target (on ") && strstr(output, ":probe_command_second (on "));
	CHECK_EQ(probe("-nf -x %s -a probe_command_[ts]* -a probe_command_[ts]*", self()), 0);
	CHECK(strstr(output, ":probe_command_target_1 (on ") && strstr(output, ":probe_command_second_1 (on "));
	CHECK_EQ(probe("-n -x %s x=probe_command_[ts]*", self()), 0);
	CHECK(strstr(output, ":x (on ") && strstr(output, ":x_1 (on "));
}

TEST(probe_command_reads_files)
{
	char dir[] = "/tmp/lkst-probe-XXXXXX", name[64];
	FILE *f;

	CHECK(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/probes", dir);
	f = fopen(name, "w");
	CHECK(f);
	fprintf(f, "# two\np:a %s:%#lx\n\np:b %s:%#lx %%di # this\n", self(), target_offset(),
		self(), target_offset());
	fclose(f);
	CHECK_EQ(probe("-n --file %s", name), 0);
	CHECK(strstr(output, "uprobes:a (on "));
	CHECK(strstr(output, "\nuprobes:b (on "));
	/* The second line is wrong: nothing is printed, let alone set. */
	f = fopen(name, "a");
	CHECK(f);
	fprintf(f, "p:c %s:%#lx %%\n", self(), target_offset());
	fclose(f);
	CHECK_EQ(probe("-n --file %s", name), -EINVAL);
	CHECK(strstr(message, "line 5: invalid register name"));
	CHECK_STR(output, "");
	unlink(name);
	rmdir(dir);
}

/* L16: the lines of this file; --vars and --funcs of perf-probe.txt. */
TEST(probe_command_shows_what_can_be_probed)
{
	CHECK_EQ(probe("-x %s --line probe_command_target:0+4", self()), 0);
	CHECK(!strncmp(output, "<probe_command_target@", 22));
	CHECK(strstr(output,
		     "tests/unit/probe_command.c:0>\n      0  int probe_command_target(int a)\n"
		     "         {\n"));
	CHECK(strstr(output, "        return a + 1;\n"));
	CHECK_EQ(probe("-x %s --vars probe_command_target", self()), 0);
	CHECK(!strncmp(output, "Available variables at probe_command_target\n        @<", 54));
	CHECK(strstr(output, "\n                int     a\n"));
	CHECK_EQ(probe("-x %s --funcs probe_command_t*", self()), 0);
	CHECK_STR(output, "probe_command_target\n");
	CHECK_EQ(probe("-x %s --line probe_command_target:x", self()), -EINVAL);
	CHECK(strstr(message, "not a valid number"));
	CHECK_EQ(probe("-x %s --vars probe_command_target a", self()), -EINVAL);
	CHECK_EQ(probe("-x %s --line x --vars y", self()), -EINVAL);
	CHECK(strstr(message, "one at a time"));
}

/* L18: each place of a lazy match says its line, also where no function was named. */
TEST(probe_command_says_lines)
{
	char line[256], source[256];
	const char *at;
	u32 nr = 0;

	/* Wherever the compiler has put that call; an instruction may be shared with an earlier line. */
	snprintf(line, sizeof(line), "@%s:%d in /", __FILE__, ITERATE_LINE);
	snprintf(source, sizeof(source), "@%s:", __FILE__);
	CHECK_EQ(probe("-n -x %s probe_command.c;dl_iterate_phdr(*", self()), 0);
	for (at = output; *at; at = strchr(at, '\n') + 1, nr++)
		CHECK(strstr(at, source) && strstr(at, source) < strchr(at, '\n'));
	CHECK(nr);
	CHECK(strstr(output, line));
}

/* What a vmlinux of another build says is printed and saved, but not set. This program stands in for one. */
TEST(probe_command_sets_nothing_of_another_build)
{
	if (access("/sys/kernel/notes", R_OK))
		SKIP("this kernel does not say its build-id");
	CHECK_EQ(probe("-k %s -D probe_command_target", self()), 0);
	CHECK(strstr(output, "p:probe/probe_command_target probe_command_target"));
	CHECK_EQ(probe("-k %s --save - -a probe_command_target", self()), 0);
	CHECK(strstr(output, "p:probe/probe_command_target probe_command_target"));
	CHECK_EQ(probe("-k %s probe_command_target", self()), -ESTALE);
	CHECK(strstr(message, "is of another build than what runs here"));
}

/* L26: what was resolved can be set where there is no debug information, and by no other build. */
TEST(probe_command_saves)
{
	char dir[] = "/tmp/lkst-probe-XXXXXX", name[64], expected[1300], line[1200], id[128];
	FILE *f;

	CHECK(mkdtemp(dir));
	snprintf(name, sizeof(name), "%s/probes", dir);
	CHECK_EQ(probe("-x %s --save %s probe_command_target a", self(), name), 0);
	CHECK(strstr(output, ":probe_command_target (on probe_command_target@" __FILE__ " in /"));
	CHECK_EQ(probe("-nv -x %s probe_command_target a", self()), 0);
	CHECK(strstr(output, "\n    p:"));
	snprintf(expected, sizeof(expected), "%.1299s", strstr(output, "\n    p:") + 5);
	f = fopen(name, "r");
	CHECK(f && fgets(line, sizeof(line), f));
	CHECK(sscanf(line, "build-id: %127s", id) == 1 && strlen(id) == 40);
	CHECK(fgets(line, sizeof(line), f));
	CHECK_STR(line, expected);
	fclose(f);
	CHECK_EQ(probe("-n -x %s --saved %s", self(), name), 0);
	CHECK(strstr(output, ":probe_command_target (on probe_command_target@" __FILE__ " in /"));
	CHECK(strstr(output, " with a)\n"));
	/* Another program's. */
	CHECK_EQ(probe("-n -x /bin/sh --saved %s", name), -ENOENT);
	CHECK(strstr(message, "has no probes of build-id"));
	f = fopen(name, "w");
	fprintf(f, "build-id: 0123 %s\np:a/b %s:0x0\n", self(), self());
	fclose(f);
	CHECK_EQ(probe("-n -x %s --saved %s", self(), name), -ESTALE);
	CHECK(strstr(message, "has probes of build-id 0123"));
	CHECK_EQ(probe("--save %s --list", name), -EINVAL);
	unlink(name);
	rmdir(dir);
}

TEST(probe_command_refuses)
{
	CHECK_EQ(probe("-n vfs_read $none"), -EINVAL);
	CHECK(strstr(message, "invalid $-variable"));
	CHECK_EQ(probe("-n"), -EINVAL);
	CHECK(strstr(message, "a probe is missing"));
	CHECK_EQ(probe("--list --add x"), -EINVAL);
	CHECK(strstr(message, "one at a time"));
	CHECK_EQ(probe("-nz x"), -EINVAL);
	CHECK(strstr(message, "there is no option -nz"));
	/* The same name twice; --force gives the second one a number. */
	CHECK_EQ(probe("-n -x %s -a probe_command_target -a probe_command_target", self()),
		 -EEXIST);
	CHECK(strstr(message, "--force"));
	CHECK_EQ(probe("-nf -x %s -a probe_command_target -a probe_command_target", self()), 0);
	CHECK(strstr(output, ":probe_command_target_1 (on "));
}

static const struct unit_test tests[] = {
	{ "probe_command_prints_definitions", test_probe_command_prints_definitions },
	{ "probe_command_runs_dry", test_probe_command_runs_dry },
	{ "probe_command_takes_removals_without_dashes_before_them",
	  test_probe_command_takes_removals_without_dashes_before_them },
	{ "probe_command_marks_what_is_wrong_in_an_argument",
	  test_probe_command_marks_what_is_wrong_in_an_argument },
	{ "probe_command_tells_which_word_is_wrong", test_probe_command_tells_which_word_is_wrong },
	{ "probe_command_names_groups_after_all_of_the_program",
	  test_probe_command_names_groups_after_all_of_the_program },
	{ "probe_command_names_events_after_their_functions",
	  test_probe_command_names_events_after_their_functions },
	{ "probe_command_reads_files", test_probe_command_reads_files },
	{ "probe_command_shows_what_can_be_probed", test_probe_command_shows_what_can_be_probed },
	{ "probe_command_says_lines", test_probe_command_says_lines },
	{ "probe_command_sets_nothing_of_another_build",
	  test_probe_command_sets_nothing_of_another_build },
	{ "probe_command_saves", test_probe_command_saves },
	{ "probe_command_refuses", test_probe_command_refuses },
};
UNIT_MAIN(tests)
