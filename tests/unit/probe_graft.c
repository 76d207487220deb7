/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * A function of a program is replaced: what calls what afterwards is what called it before.
 */
#include "probe/code/graft.h"

#include <errno.h>

#include "lib/unit.h"

#define CALL(to, from)                                                                             \
	{                                                                                          \
		.code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = (to) - (from)-1     \
	}
#define HELPER(number)                                                                             \
	{                                                                                          \
		.code = BPF_JMP | BPF_CALL, .imm = (number)                                        \
	}
#define NUMBER(n)                                                                                  \
	{                                                                                          \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = (n)                                    \
	}
#define EXIT                                                                                       \
	{                                                                                          \
		.code = BPF_JMP | BPF_EXIT                                                         \
	}

/* Where the call at @at leads to. */
static long target(const struct bpf_insn *insns, u32 at)
{
	return (long)at + insns[at].imm + 1;
}

/* The main function at 0 calls 6, which is replaced, and 9; 9 calls 6; 6 to 8 is the marker. */
static const struct bpf_insn program[] = {
	/* 0 */ NUMBER(100),
	CALL(6, 1),
	CALL(9, 2),
	HELPER(7),
	CALL(9, 4),
	EXIT,
	/* 6 */ NUMBER(106),
	NUMBER(107),
	EXIT,
	/* 9 */ NUMBER(109),
	CALL(6, 10),
	EXIT,
	/* 12 */
	{ .code = BPF_LD | BPF_IMM | BPF_DW, .src_reg = BPF_PSEUDO_FUNC, .imm = 9 - 12 - 1 },
	{},
	EXIT,
};
enum { NR = sizeof(program) / sizeof(program[0]) };

static void graft_by(u32 nr_body)
{
	static struct bpf_insn body[64];
	const struct lkst_graft g = { .begin = 6, .end = 9, .body = body, .nr_body = nr_body };
	const long by = (long)nr_body - 3;
	struct bpf_insn *out = NULL;
	u32 nr = 0, i;

	for (i = 0; i < nr_body; i++)
		body[i] = (struct bpf_insn)NUMBER((s32)(500 + i));
	CHECK_EQ(lkst_graft(NULL, &g, program, NR, &out, &nr), 0);
	CHECK_EQ(nr, NR + by);
	CHECK_EQ(out[0].imm, 100);
	CHECK_EQ(target(out, 1), 6);
	CHECK_EQ(target(out, 2), 9 + by);
	CHECK_EQ(out[3].imm, 7);
	CHECK_EQ(target(out, 4), 9 + by);
	for (i = 0; i < nr_body; i++)
		CHECK_EQ(out[6 + i].imm, 500 + i);
	CHECK_EQ(out[9 + by].imm, 109);
	CHECK_EQ(target(out, (u32)(10 + by)), 6);
	CHECK_EQ(target(out, (u32)(12 + by)), 9 + by);
	CHECK_EQ(lkst_graft_moved(&g, 9), 9 + by);
	CHECK_EQ(lkst_graft_moved(&g, 6), 6);
	free(out);
}

TEST(calls_lead_where_they_did)
{
	graft_by(1);
	graft_by(3);
	graft_by(64);
}

TEST(what_makes_no_sense_is_refused)
{
	static const struct bpf_insn into[] = { CALL(3, 0), EXIT, NUMBER(1), EXIT };
	struct lkst_graft g = { .begin = 2, .end = 4, .body = into, .nr_body = 1 };
	struct bpf_insn *out = NULL;
	u32 nr;

	CHECK_EQ(lkst_graft(NULL, &g, into, 4, &out, &nr), -EINVAL);
	g.end = 5;
	CHECK_EQ(lkst_graft(NULL, &g, into, 4, &out, &nr), -EINVAL);
	g.begin = g.end = 0;
	CHECK_EQ(lkst_graft(NULL, &g, into, 4, &out, &nr), -EINVAL);
	CHECK(!out);
}

static const struct unit_test tests[] = {
	{ "calls_lead_where_they_did", test_calls_lead_where_they_did },
	{ "what_makes_no_sense_is_refused", test_what_makes_no_sense_is_refused },
};
UNIT_MAIN(tests)
