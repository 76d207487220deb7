/* SPDX-License-Identifier: GPL-2.0-only */
/* An interpreter of BPF: one function, its helpers as the tests want them. */
#include "lib/bpf_run.h"

#include <string.h>

enum { STACK = 512, STEPS_MAX = 100000, FAULT = -14 };

struct machine {
	struct bpf_run *run;
	u64 r[11];
	u8 stack[STACK];
};

static bool is_within(u64 address, size_t size, const void *base, size_t room)
{
	u64 from = (u64)(uintptr_t)base;

	return address >= from && size <= room && address - from <= room - size;
}

/* True if the instructions may store there, or, if not @is_store, load. */
static bool is_allowed(const struct machine *m, u64 address, size_t size, bool is_store)
{
	const struct bpf_run *run = m->run;

	return is_within(address, size, m->stack, STACK) ||
	       is_within(address, size, (u8 *)run->to - run->before, run->to_size + run->before) ||
	       (!is_store && is_within(address, size, run->ctx, run->ctx_size));
}

static u64 fail(struct machine *m, const char *error)
{
	m->run->error = m->run->error ?: error;
	return 0;
}

/* ---- helpers ---------------------------------------------------------------------------------- */

/* How many bytes can be read at @address; they begin at *@ret_bytes. */
static size_t find_memory(const struct bpf_run *run, u64 address, bool is_user,
			  const u8 **ret_bytes)
{
	unsigned int i;

	for (i = 0; i < BPF_RUN_AREAS; i++)
		if (run->areas[i].bytes && run->areas[i].is_user == is_user &&
		    address >= run->areas[i].address &&
		    address - run->areas[i].address < run->areas[i].size) {
			*ret_bytes =
				(const u8 *)run->areas[i].bytes + (address - run->areas[i].address);
			return run->areas[i].size - (size_t)(address - run->areas[i].address);
		}
	return 0;
}

static u64 probe_read(struct machine *m, bool is_user)
{
	const u8 *bytes;
	u64 size = m->r[2];
	size_t there = find_memory(m->run, m->r[3], is_user, &bytes);

	if (!is_allowed(m, m->r[1], size, true))
		return fail(m, "a read into nowhere");
	if (there < size) {
		memset((void *)(uintptr_t)m->r[1], 0, size);
		return (u64)FAULT;
	}
	memcpy((void *)(uintptr_t)m->r[1], bytes, size);
	return 0;
}

/* As strncpy_from_kernel_nofault(): the length with the NUL, which there always is. */
static u64 probe_read_str(struct machine *m, bool is_user)
{
	const u8 *bytes;
	u64 room = m->r[2], length;
	size_t there = find_memory(m->run, m->r[3], is_user, &bytes);
	u8 *to = (u8 *)(uintptr_t)m->r[1];

	if (!is_allowed(m, m->r[1], room, true))
		return fail(m, "a string into nowhere");
	length = there ? strnlen((const char *)bytes, there < room ? there : room) : 0;
	if (!there || (length == there && length < room)) {
		memset(to, 0, room);
		return (u64)FAULT;
	}
	if (length == room)
		length--;
	memcpy(to, bytes, length);
	to[length] = 0;
	return length + 1;
}

static u64 get_stack(struct machine *m)
{
	const struct bpf_run *run = m->run;
	u64 bytes = run->nr_frames * sizeof(u64);

	if (m->r[1] != (u64)(uintptr_t)run->ctx || !is_allowed(m, m->r[2], m->r[3], true))
		return fail(m, "a stack into nowhere");
	if (!run->nr_frames)
		return (u64)FAULT;
	if (bytes > m->r[3])
		bytes = m->r[3];
	memcpy((void *)(uintptr_t)m->r[2], run->frames, bytes);
	return bytes;
}

static u64 get_comm(struct machine *m)
{
	if (!is_allowed(m, m->r[1], m->r[2], true))
		return fail(m, "a name into nowhere");
	memset((void *)(uintptr_t)m->r[1], 0, m->r[2]);
	memcpy((void *)(uintptr_t)m->r[1], m->run->comm ?: "", strlen(m->run->comm ?: ""));
	return 0;
}

static u64 call(struct machine *m, s32 function)
{
	m->run->calls++;
	switch (function) {
	case BPF_FUNC_probe_read_kernel:
	case BPF_FUNC_probe_read_user:
		return probe_read(m, function == BPF_FUNC_probe_read_user);
	case BPF_FUNC_probe_read_kernel_str:
	case BPF_FUNC_probe_read_user_str:
		return probe_read_str(m, function == BPF_FUNC_probe_read_user_str);
	case BPF_FUNC_get_stack:
		return get_stack(m);
	case BPF_FUNC_get_current_comm:
		return get_comm(m);
	case BPF_FUNC_get_current_pid_tgid:
		return m->run->pid_tgid;
	case BPF_FUNC_get_func_ip:
		return m->r[1] == (u64)(uintptr_t)m->run->ctx
			       ? m->run->func
			       : fail(m, "the function of something else");
	case BPF_FUNC_get_smp_processor_id:
		return m->run->cpu;
	default:
		return fail(m, "a helper that is not known here");
	}
}

/* ---- instructions ----------------------------------------------------------------------------- */

static u64 alu(struct machine *m, const struct bpf_insn *i)
{
	u64 a = m->r[i->dst_reg], b = i->code & BPF_X ? m->r[i->src_reg] : (u64)(s64)i->imm;

	switch (BPF_OP(i->code)) {
	case BPF_MOV:
		return b;
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_AND:
		return a & b;
	case BPF_OR:
		return a | b;
	case BPF_LSH:
		return b > 63 ? fail(m, "a shift too far") : a << b;
	case BPF_RSH:
		return b > 63 ? fail(m, "a shift too far") : a >> b;
	case BPF_ARSH:
		/* cppcheck-suppress shiftTooManyBitsSigned ; gcc and clang keep the sign */
		return b > 63 ? fail(m, "a shift too far") : (u64)((s64)a >> b);
	default:
		return fail(m, "an operation that is not known here");
	}
}

static bool is_taken(struct machine *m, const struct bpf_insn *i)
{
	u64 a = m->r[i->dst_reg], b = i->code & BPF_X ? m->r[i->src_reg] : (u64)(s64)i->imm;

	switch (BPF_OP(i->code)) {
	case BPF_JA:
		return true;
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSGT:
		return (s64)a > (s64)b;
	case BPF_JSGE:
		return (s64)a >= (s64)b;
	case BPF_JSLT:
		return (s64)a < (s64)b;
	case BPF_JSLE:
		return (s64)a <= (s64)b;
	case BPF_JSET:
		return a & b;
	default:
		fail(m, "a jump that is not known here");
		return false;
	}
}

static size_t width(u8 code)
{
	switch (BPF_SIZE(code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

static void load_or_store(struct machine *m, const struct bpf_insn *i)
{
	const bool is_store = BPF_CLASS(i->code) != BPF_LDX;
	u64 address = m->r[is_store ? i->dst_reg : i->src_reg] + (u64)(s64)i->off;
	u64 value = BPF_CLASS(i->code) == BPF_ST ? (u64)(s64)i->imm : m->r[i->src_reg];

	if (!is_allowed(m, address, width(i->code), is_store)) {
		fail(m, is_store ? "a store to nowhere" : "a load from nowhere");
	} else if (is_store) {
		memcpy((void *)(uintptr_t)address, &value, width(i->code));
	} else {
		m->r[i->dst_reg] = 0;
		memcpy(&m->r[i->dst_reg], (void *)(uintptr_t)address, width(i->code));
	}
}

/* The helpers keep R6 to R9 and spoil R1 to R5. */
static void call_helper(struct machine *m, s32 function)
{
	m->r[0] = call(m, function);
	memset(&m->r[1], 0xa5, 5 * sizeof(m->r[1]));
}

/* Executes the instruction at @at; returns the next one's place, -1 at the end. */
static s64 step(struct machine *m, u32 at)
{
	const struct bpf_insn *i = &m->run->insns[at];

	switch (BPF_CLASS(i->code)) {
	case BPF_ALU64:
		m->r[i->dst_reg] = alu(m, i);
		return at + 1;
	case BPF_LD:
		m->r[i->dst_reg] = (u32)i->imm | (u64)(u32)i[1].imm << 32;
		return at + 2;
	case BPF_LDX:
	case BPF_ST:
	case BPF_STX:
		load_or_store(m, i);
		return at + 1;
	case BPF_JMP:
		if (BPF_OP(i->code) == BPF_EXIT)
			return -1;
		if (BPF_OP(i->code) != BPF_CALL)
			return at + 1 + (is_taken(m, i) ? i->off : 0);
		call_helper(m, i->imm);
		return at + 1;
	default:
		fail(m, "an instruction that is not known here");
		return -1;
	}
}

bool bpf_run(struct bpf_run *run)
{
	struct machine m = { .run = run };
	s64 at = 0;

	run->error = NULL;
	run->executed = run->calls = 0;
	memset(m.stack, 0xee, sizeof(m.stack));
	m.r[1] = (u64)(uintptr_t)run->ctx;
	m.r[2] = (u64)(uintptr_t)run->to;
	m.r[10] = (u64)(uintptr_t)(m.stack + STACK);
	while (at >= 0 && !run->error) {
		if (at >= run->nr || run->executed++ == STEPS_MAX)
			fail(&m, "it runs out of its instructions");
		else
			at = step(&m, (u32)at);
	}
	run->result = m.r[0];
	return !run->error;
}
