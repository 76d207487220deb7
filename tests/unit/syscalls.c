// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * The system call table: that each row can be read, and that some rows say what they should.
 * tests/live/syscall_table.sh compares the table with a kernel.
 */
#include "abi/syscalls.h"

#include "lib/unit.h"

/* Words of the metadata language: no field may be called so. */
static const char *const reserved[] = {
	"align",  "callsite", "char",	 "clock",    "const",	"double", "enum",    "env",
	"event",  "float",    "int",	 "long",     "short",	"signed", "stream",  "string",
	"struct", "trace",    "typedef", "unsigned", "variant", "void",	  "integer", "typealias",
};

TEST(syscalls_are_sorted_and_unique)
{
	for (unsigned int i = 1; i < lkst_nr_syscalls; i++) {
		const struct lkst_syscall *a = &lkst_syscalls[i - 1], *b = &lkst_syscalls[i];

		CHECK(a->is_compat < b->is_compat ||
		      (a->is_compat == b->is_compat && a->nr < b->nr));
	}
	for (unsigned int i = 0; i < lkst_nr_syscalls; i++) {
		const struct lkst_syscall *s = &lkst_syscalls[i];

		CHECK(lkst_syscall_find(s->is_compat, s->name) == s);
		CHECK(lkst_syscall_by_nr(s->is_compat, s->nr) == s);
	}
}

TEST(syscalls_have_results)
{
	for (unsigned int i = 0; i < lkst_nr_syscalls; i++) {
		CHECK(lkst_syscalls[i].result >= LKST_SYS_ret);
		CHECK(lkst_syscalls[i].result < LKST_NR_SYS_MEANINGS);
	}
	CHECK_EQ(lkst_syscall_find(false, "mmap")->result, LKST_SYS_retptr);
	CHECK_EQ(lkst_syscall_find(false, "openat")->result, LKST_SYS_retfd);
	CHECK_EQ(lkst_syscall_find(true, "waitpid")->result, LKST_SYS_retpid);
}

static void check_name(const char *name)
{
	CHECK(name[0]);
	CHECK(strlen(name) < LKST_SYSCALL_ARG_NAME - 1);
	CHECK_EQ(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(name));
	for (unsigned int i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		CHECK(strcmp(name, reserved[i]));
	/* The exit record's own field, and the names made for strings. */
	CHECK(strcmp(name, "ret"));
	CHECK(strlen(name) < 4 || strcmp(name + strlen(name) - 4, "_str"));
}

static void check_signature(const struct lkst_syscall *s)
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	unsigned int nr = lkst_syscall_args(s, args), commas = 0, strings = 0;

	for (const char *p = s->signature; *p; p++)
		commas += *p == ',';
	CHECK_EQ(nr, s->signature[0] ? commas + 1 : 0);
	for (unsigned int i = 0; i < nr; i++) {
		if (args[i].meaning == LKST_SYS_none || args[i].meaning >= LKST_SYS_ret)
			fprintf(stderr, "%s: argument %s has no meaning\n", s->name, args[i].name);
		CHECK(args[i].meaning != LKST_SYS_none);
		CHECK(args[i].meaning < LKST_SYS_ret);
		CHECK(args[i].size == 4 || args[i].size == 8);
		CHECK(!s->is_compat || args[i].size == 4);
		CHECK(args[i].base == 10 || args[i].base == 16);
		check_name(args[i].name);
		strings += args[i].meaning == LKST_SYS_path;
		for (unsigned int j = 0; j < i; j++)
			CHECK(strcmp(args[i].name, args[j].name));
	}
	CHECK(strings <= LKST_SYSCALL_STRINGS_MAX);
}

TEST(syscalls_have_readable_signatures)
{
	for (unsigned int i = 0; i < lkst_nr_syscalls && !unit_failed; i++)
		check_signature(&lkst_syscalls[i]);
}

TEST(syscalls_use_every_meaning)
{
	/* The second one comes of a trace's machine. */
	bool is_used[LKST_NR_SYS_MEANINGS] = { true, [LKST_SYS_open_flags_arm64] = true };
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];

	for (unsigned int i = 0; i < lkst_nr_syscalls; i++) {
		unsigned int nr = lkst_syscall_args(&lkst_syscalls[i], args);

		is_used[lkst_syscalls[i].result] = true;
		while (nr)
			is_used[args[--nr].meaning] = true;
	}
	for (unsigned int m = 0; m < LKST_NR_SYS_MEANINGS; m++) {
		if (!is_used[m])
			fprintf(stderr, "no call uses %s\n", lkst_sys_meanings[m].word);
		CHECK(is_used[m]);
	}
}

TEST(syscalls_describe_openat)
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	const struct lkst_syscall *s = lkst_syscall_find(false, "openat");

	CHECK(s);
	CHECK_EQ(s->nr, 257);
	CHECK_EQ(lkst_syscall_args(s, args), 4);
	CHECK_STR(args[0].name, "dirfd");
	CHECK_EQ(args[0].meaning, LKST_SYS_atfd);
	CHECK_EQ(args[0].size, 4);
	CHECK(args[0].is_signed);
	CHECK_STR(args[1].name, "path");
	CHECK_EQ(args[1].meaning, LKST_SYS_path);
	CHECK_EQ(args[1].size, 8);
	CHECK_EQ(args[1].base, 16);
	CHECK_STR(args[3].name, "mode");
}

/* A 32-bit caller's offset is in two registers, and one value. */
TEST(syscalls_join_compat_offsets)
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	const struct lkst_syscall *s = lkst_syscall_by_nr(true, 180);

	CHECK(s);
	CHECK_STR(s->name, "pread64");
	CHECK_EQ(lkst_syscall_args(s, args), 5);
	CHECK_STR(args[3].name, "offset_lo");
	CHECK_STR(args[4].name, "offset_hi");
	CHECK_EQ(args[4].size, 4);
	CHECK(lkst_syscall_is_half(args, 3, 5) && !lkst_syscall_is_half(args, 4, 5) &&
	      !lkst_syscall_is_half(args, 3, 4));
	CHECK_EQ(lkst_syscall_values(s, args), 4);
	CHECK_STR(args[3].name, "offset");
	CHECK_EQ(args[3].meaning, LKST_SYS_off);
	CHECK_EQ(args[3].size, 8);
	CHECK_EQ(lkst_syscall_args(lkst_syscall_find(false, "pread64"), args), 4);
	CHECK_EQ(args[3].size, 8);
	/* Two of them, and what stands before and behind. */
	CHECK_EQ(lkst_syscall_values(lkst_syscall_find(true, "sync_file_range"), args), 4);
	CHECK_STR(args[1].name, "offset");
	CHECK_STR(args[2].name, "nbytes");
	CHECK_STR(args[3].name, "flags");
	/* A 64-bit caller's second register is not the upper half of the first. */
	CHECK_EQ(lkst_syscall_values(lkst_syscall_find(false, "preadv"), args), 5);
}

/* Each pair of halves of the table is a value, but for that of a call which passes the upper half first. */
TEST(syscalls_have_no_lone_halves)
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];

	for (unsigned int i = 0; i < lkst_nr_syscalls; i++) {
		unsigned int nr = lkst_syscall_values(&lkst_syscalls[i], args), k;

		if (!lkst_syscalls[i].is_compat || !strcmp(lkst_syscalls[i].name, "_llseek"))
			continue;
		for (k = 0; k < nr; k++) {
			const size_t length = strlen(args[k].name);

			CHECK(length < 3 || (strcmp(args[k].name + length - 3, "_lo") &&
					     strcmp(args[k].name + length - 3, "_hi")));
		}
	}
}

TEST(syscalls_know_both_tables)
{
	CHECK_EQ(lkst_syscall_find(false, "read")->nr, 0);
	CHECK_EQ(lkst_syscall_find(true, "read")->nr, 3);
	CHECK_EQ(lkst_syscall_find(false, "file_setattr")->nr, 469);
	CHECK_EQ(lkst_syscall_find(true, "file_setattr")->nr, 469);
	CHECK_EQ(lkst_syscall_find(true, "futex_time64")->nr, 422);
	CHECK(!lkst_syscall_find(false, "socketcall"));
	CHECK(!lkst_syscall_find(true, ""));
	CHECK(!lkst_syscall_by_nr(false, 400));
	CHECK(!lkst_syscall_by_nr(true, 222));
	CHECK(!lkst_syscall_by_nr(true, ~0U));
}

TEST(syscalls_have_figures_by_table)
{
	char text[16];

	CHECK_EQ(lkst_syscall_figure(text, sizeof(text), false, "brk"), 3);
	CHECK_STR(text, "brk");
	CHECK_EQ(lkst_syscall_figure(text, sizeof(text), true, "brk"), 10);
	CHECK_STR(text, "compat:brk");
	/* What does not fit is cut. */
	CHECK_EQ(lkst_syscall_figure(text, sizeof(text), true, "sched_setscheduler"), 25);
	CHECK_STR(text, "compat:sched_se");
}

/* Signatures that are not of the table: nothing is read or written beyond the bounds. */
TEST(syscalls_bound_signatures)
{
	struct lkst_syscall_arg args[LKST_SYSCALL_ARGS_MAX];
	struct lkst_syscall s = { .name = "x" };

	s.signature = "int a, int b, int c, int d, int e, int f, int g";
	CHECK_EQ(lkst_syscall_args(&s, args), 6);
	CHECK_STR(args[5].name, "f");
	s.signature = "nonsense a_name_that_is_much_longer_than_a_name_may_be";
	CHECK_EQ(lkst_syscall_args(&s, args), 1);
	CHECK_EQ(args[0].meaning, LKST_SYS_none);
	CHECK_EQ(strlen(args[0].name), LKST_SYSCALL_ARG_NAME - 1);
	s.signature = "in";
	CHECK_EQ(lkst_syscall_args(&s, args), 1);
	CHECK_EQ(args[0].meaning, LKST_SYS_none);
	CHECK_STR(args[0].name, "");
}

/* arm64's numbers: each is of one call, and what younger calls have is what x86-64 has. */
TEST(syscalls_have_numbers_on_arm64)
{
	static const struct {
		const char *name;
		int nr;
	} known[] = {
		{ "io_setup", 0 },
		{ "openat", 56 },
		{ "read", 63 },
		{ "write", 64 },
		{ "clone", 220 },
		{ "mmap", 222 },
		{ "rseq", 293 },
		{ "kexec_file_load", 294 },
		{ "pidfd_send_signal", 424 },
		{ "clone3", 435 },
		{ "file_setattr", 469 },
		{ "open", -1 },
		{ "arch_prctl", -1 },
		{ "fork", -1 },
	};
	const struct lkst_syscall *of[512] = {};
	unsigned int i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		CHECK_EQ(lkst_syscall_nr_arm64(lkst_syscall_find(false, known[i].name)),
			 known[i].nr);
	CHECK_EQ(lkst_syscall_nr_arm64(lkst_syscall_find(true, "read")), -1);
	for (i = 0; i < lkst_nr_syscalls; i++) {
		int nr = lkst_syscall_nr_arm64(&lkst_syscalls[i]);

		if (nr < 0)
			continue;
		CHECK(nr < 512 && !of[nr]);
		of[nr] = &lkst_syscalls[i];
	}
	/* All that asm-generic has but the holes that it keeps for some architectures. */
	for (i = 0; i < 295; i++)
		CHECK(of[i] || (i >= 244 && i < 260));
}

TEST(syscalls_know_the_order_of_arm64)
{
	const struct lkst_syscall *clone = lkst_syscall_find(false, "clone");

	CHECK_STR(lkst_syscall_signature_arm64(clone),
		  "clone_flags flags, ptr stack, ptr parent_tid, hexlong tls, ptr child_tid");
	CHECK(lkst_syscall_signature_arm64(lkst_syscall_find(true, "clone")) ==
	      lkst_syscall_find(true, "clone")->signature);
	CHECK(lkst_syscall_signature_arm64(lkst_syscall_find(false, "read")) ==
	      lkst_syscall_find(false, "read")->signature);
}

static const struct unit_test tests[] = {
	{ "syscalls_are_sorted_and_unique", test_syscalls_are_sorted_and_unique },
	{ "syscalls_have_results", test_syscalls_have_results },
	{ "syscalls_have_readable_signatures", test_syscalls_have_readable_signatures },
	{ "syscalls_use_every_meaning", test_syscalls_use_every_meaning },
	{ "syscalls_describe_openat", test_syscalls_describe_openat },
	{ "syscalls_join_compat_offsets", test_syscalls_join_compat_offsets },
	{ "syscalls_have_no_lone_halves", test_syscalls_have_no_lone_halves },
	{ "syscalls_know_both_tables", test_syscalls_know_both_tables },
	{ "syscalls_have_figures_by_table", test_syscalls_have_figures_by_table },
	{ "syscalls_bound_signatures", test_syscalls_bound_signatures },
	{ "syscalls_have_numbers_on_arm64", test_syscalls_have_numbers_on_arm64 },
	{ "syscalls_know_the_order_of_arm64", test_syscalls_know_the_order_of_arm64 },
};
UNIT_MAIN(tests)
