/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What probes become: instructions that are run here, by an interpreter, on registers and memory made up for it
 * (rows K04 to K12 and M06 of doc/heritage.md). The records are read by what reads traces, which knows nothing of how
 * they were written.
 */
#include "probe/code/compile.h"

#include <errno.h>

#include "lib/bpf_run.h"
#include "lib/unit.h"
#include "trace/block.h"

enum {
	HEAD = sizeof(struct lkst_record_head),
	ROOM = LKST_PROBE_RECORD_MAX + 8,
	NR_REGISTERS = 34,
	KERNEL =
		0x1000, /* an address of the kernel's memory, one of the program's, and one where there is nothing */
	USER = 0x9000,
	NOWHERE = 0x7770000,
	SYMBOL = 0x1010,
};

/* The kernel's memory, and the program's. */
static u64 kernel[64];
static char user[256];

static u64 registers[NR_REGISTERS];
static u8 record[HEAD + 8 + ROOM];
static struct bpf_run run;
static struct lkst_probe probe;
static struct lkst_probe_code *made;
static struct lkst_err error;

/* ---- making a probe --------------------------------------------------------------------------- */

static struct lkst_fetch nodes[64];
static unsigned int nr_nodes;

static struct lkst_fetch *node(u8 op, s64 number)
{
	struct lkst_fetch *f = &nodes[nr_nodes++];

	*f = (struct lkst_fetch){ .op = op, .number = number };
	return f;
}

static struct lkst_fetch *reg(const char *name)
{
	struct lkst_fetch *f = node(LKST_FETCH_REGISTER, 0);

	f->text = (char *)name;
	return f;
}

/* OFFSET(BASE) */
static struct lkst_fetch *at(s64 offset, struct lkst_fetch *base)
{
	struct lkst_fetch *f = node(LKST_FETCH_MEMORY, offset);

	f->base = base;
	return f;
}

/* uOFFSET(BASE) */
static struct lkst_fetch *user_at(s64 offset, struct lkst_fetch *base)
{
	struct lkst_fetch *f = at(offset, base);

	f->is_user = true;
	return f;
}

static struct lkst_fetch *element(s64 offset, struct lkst_fetch *base, struct lkst_fetch *index,
				  u32 size)
{
	struct lkst_fetch *f = at(offset, base);

	f->op = LKST_FETCH_ELEMENT;
	f->index = index;
	f->size = size;
	return f;
}

#define TYPE(...) ((struct lkst_fetch_type){ __VA_ARGS__ })
#define UNSIGNED(bytes) TYPE(.form = LKST_FORM_UNSIGNED, .size = (bytes))
#define SIGNED(bytes) TYPE(.form = LKST_FORM_SIGNED, .size = (bytes))
#define STRING TYPE(.form = LKST_FORM_STRING)
#define WORD TYPE(.form = LKST_FORM_NONE)

static void arg(const char *name, struct lkst_fetch *fetch, struct lkst_fetch_type type)
{
	struct lkst_probe_arg *a = &probe.args[probe.nr_args++];

	snprintf(a->name, sizeof(a->name), "%s", name);
	a->fetch = fetch;
	a->type = type;
}

/* Begins a probe: nothing but its name and place, and fresh memory. */
static void begin(void)
{
	unsigned int i;

	memset(&probe, 0, sizeof(probe));
	strcpy(probe.group, "my");
	strcpy(probe.event, "rd");
	probe.place.kind = LKST_PLACE_SYMBOL;
	probe.place.symbol = (char *)"vfs_read";
	nr_nodes = 0;
	for (i = 0; i < NR_REGISTERS; i++)
		registers[i] = 0xabcdef0000000000 | i;
	for (i = 0; i < 64; i++)
		kernel[i] = 0x1111111111111111ULL * (i & 15);
	memset(user, 0, sizeof(user));
	memset(&run, 0, sizeof(run));
	run.areas[0].address = KERNEL;
	run.areas[0].bytes = kernel;
	run.areas[0].size = sizeof(kernel);
	run.areas[1].address = USER;
	run.areas[1].bytes = user;
	run.areas[1].size = sizeof(user);
	run.areas[1].is_user = true;
	run.comm = "worker";
}

/* What pt_regs of x86-64 has at a register's place. */
static void set(const char *name, u64 value)
{
	registers[lkst_register_find(LKST_MACHINE_X86_64, name) / 8] = value;
}

static int find_symbol(void *ctx, const char *name, u64 *ret_address)
{
	*ret_address = SYMBOL;
	return strcmp(name, "jiffies") ? -ENOENT : 0;
}

static int compile_for(enum lkst_machine machine)
{
	const struct lkst_probe_target target = { .machine = machine, .find_symbol = find_symbol };
	int err;

	free(made);
	made = NULL;
	memset(&error, 0, sizeof(error));
	err = lkst_probe_compile(&error, &probe, &target, &made);
	return err;
}

static int compile(void)
{
	return compile_for(LKST_MACHINE_X86_64);
}

/* ---- running it ------------------------------------------------------------------------------- */

/* Compiles and runs the probe; what the record held before is to be overwritten. True: it is kept. */
static bool runs(void)
{
	if (compile()) {
		printf("  %s\n", error.text);
		return false;
	}
	memset(record, 0xdb, sizeof(record));
	run.insns = made->code.insns;
	run.nr = made->code.nr;
	run.ctx = registers;
	run.ctx_size = sizeof(registers);
	run.to = record + 8 + HEAD;
	run.before = 8;
	run.to_size = made->layout.room + 1;
	if (!bpf_run(&run))
		printf("  %s\n", run.error);
	return !run.error && run.result;
}

static struct lkst_record the_record(void)
{
	const struct lkst_layout *l = &made->layout;

	return (struct lkst_record){ .event = &l->event,
				     .bytes = record + 8,
				     .size = HEAD +
					     (l->event.is_fixed ? l->size : (u32)run.result) };
}

/* The index of field @name, as a trace's reader finds it. */
static unsigned int field(const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(&made->layout.event, name);

	return f ? (unsigned int)(f - made->layout.fields) : 999;
}

static u64 number(const char *name)
{
	struct lkst_record r = the_record();

	return field(name) == 999 ? 0xbad : lkst_record_int(&r, &made->layout.fields[field(name)]);
}

static const char *text(const char *name)
{
	static char copy[LKST_PROBE_STRING_MAX + 1];
	struct lkst_record r = the_record();
	u32 length;
	const u8 *bytes = lkst_record_field(&r, field(name), &length);

	if (!bytes)
		return "(none)";
	memcpy(copy, bytes, length);
	copy[length] = 0;
	return copy;
}

static u64 element_of(const char *name, unsigned int i)
{
	struct lkst_record r = the_record();
	unsigned int index = field(name);
	u32 length;
	const u8 *bytes = lkst_record_field(&r, index, &length);
	u8 size = index == 999 ? 0 : made->layout.fields[index].size;
	u64 value = 0;

	if (!bytes || (i + 1) * size > length)
		return 0xbad;
	memcpy(&value, bytes + i * size, size);
	return value;
}

/* ---- registers -------------------------------------------------------------------------------- */

TEST(registers_by_the_kernels_names)
{
	static const char *const names[] = { "di", "si", "ax", "r15", "ip", "sp", "flags" };
	unsigned int i;

	begin();
	for (i = 0; i < 7; i++) {
		set(names[i], 0x1000000 + i);
		arg(names[i], reg(names[i]), WORD);
	}
	CHECK(runs());
	for (i = 0; i < 7; i++)
		CHECK_EQ(number(names[i]), 0x1000000 + i);
	/* At a probe of the kernel's the CPU is behind the breakpoint. */
	CHECK_EQ(number(LKST_PROBE_FIELD_IP), 0x1000004 - 1);
	CHECK_EQ(field(LKST_PROBE_FIELD_FAULTS), 999);
	CHECK_EQ(run.calls, 0);
	CHECK_EQ(made->layout.event.is_fixed, true);
}

TEST(registers_of_both_machines)
{
	CHECK_EQ(lkst_register_find(LKST_MACHINE_X86_64, "di"), 112);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_X86_64, "ss"), 160);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_X86_64, "x0"), -ENOENT);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x0"), 0);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x30"), 240);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "lr"), 240);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "sp"), 248);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "pc"), 256);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x31"), -ENOENT);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x01"), -ENOENT);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x"), -ENOENT);
	CHECK_EQ(lkst_register_find(LKST_MACHINE_ARM64, "x99999999999"), -ENOENT);
	CHECK_EQ(lkst_register_argument(LKST_MACHINE_X86_64, 4), 88);
	CHECK_EQ(lkst_register_argument(LKST_MACHINE_X86_64, 7), -ENOENT);
	CHECK_EQ(lkst_register_argument(LKST_MACHINE_ARM64, 8), 56);
	CHECK_EQ(lkst_register_argument(LKST_MACHINE_ARM64, 0), -ENOENT);
}

TEST(values_are_cut_to_their_types)
{
	begin();
	set("di", 0xfedcba9876543281);
	arg("u1", reg("di"), UNSIGNED(1));
	arg("s1", reg("di"), SIGNED(1));
	arg("u2", reg("di"), UNSIGNED(2));
	arg("s4", reg("di"), SIGNED(4));
	arg("u8", reg("di"), UNSIGNED(8));
	arg("c", node(LKST_FETCH_NUMBER, 'x'), TYPE(.form = LKST_FORM_CHAR));
	arg("n", node(LKST_FETCH_NUMBER, -0x123456789abcLL), SIGNED(8));
	CHECK(runs());
	CHECK_EQ(number("u1"), 0x81);
	CHECK_EQ(number("s1"), -0x7f);
	CHECK_EQ(number("u2"), 0x3281);
	CHECK_EQ(number("s4"), 0x76543281);
	CHECK_EQ(number("u8"), 0xfedcba9876543281);
	CHECK_STR(text("c"), "x");
	CHECK_EQ(number("n"), -0x123456789abcLL);
}

TEST(bit_fields)
{
	begin();
	set("di", 0xfedcba9876543210);
	kernel[0] = 0x00000000c0de0000;
	set("si", KERNEL);
	arg("a", reg("di"), TYPE(.form = LKST_FORM_BITS, .size = 4, .bits = 4, .bit_at = 8));
	arg("b", reg("di"), TYPE(.form = LKST_FORM_BITS, .size = 8, .bits = 8, .bit_at = 56));
	arg("c", at(0, reg("si")),
	    TYPE(.form = LKST_FORM_BITS, .size = 4, .bits = 16, .bit_at = 16));
	arg("d", reg("di"), TYPE(.form = LKST_FORM_BITS, .size = 8, .bits = 64));
	CHECK(runs());
	CHECK_EQ(number("a"), 2);
	CHECK_EQ(number("b"), 0xfe);
	CHECK_EQ(number("c"), 0xc0de);
	CHECK_EQ(number("d"), 0xfedcba9876543210);
}

/* ---- memory ----------------------------------------------------------------------------------- */

TEST(dereferences_nest)
{
	begin();
	kernel[0] = KERNEL + 64;
	kernel[9] = KERNEL + 256;	 /* 8 bytes after the first */
	kernel[31] = 0x0807060504030201; /* 8 bytes before the second */
	set("di", KERNEL);
	arg("one", at(8, reg("di")), WORD);
	arg("three", at(-8, at(8, at(0, reg("di")))), WORD);
	arg("byte", at(-6, at(8, at(0, reg("di")))), UNSIGNED(1));
	arg("sum", at(8, at(0, reg("di"))), WORD);
	CHECK(runs());
	CHECK_EQ(number("one"), 0x1111111111111111);
	CHECK_EQ(number("three"), 0x0807060504030201);
	CHECK_EQ(number("byte"), 3);
	CHECK_EQ(number("sum"), KERNEL + 256);
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 0);
}

TEST(addresses_symbols_and_the_stack)
{
	struct lkst_fetch *f;

	begin();
	set("sp", KERNEL + 0x20);
	kernel[2] = 77;
	kernel[3] = 78;
	kernel[4] = 0x44;
	kernel[7] = 0x77;
	arg("addr", node(LKST_FETCH_AT, KERNEL + 16), UNSIGNED(4));
	f = node(LKST_FETCH_AT_SYMBOL, 8);
	f->text = (char *)"jiffies";
	arg("sym", f, UNSIGNED(4));
	arg("stack", node(LKST_FETCH_STACK, 0), WORD);
	arg("stack0", node(LKST_FETCH_STACK_N, 0), WORD);
	arg("stack3", node(LKST_FETCH_STACK_N, 3), WORD);
	arg("caller", node(LKST_FETCH_CALLER, 0), WORD);
	CHECK(runs());
	CHECK_EQ(number("addr"), 77);
	CHECK_EQ(number("sym"), 78);
	CHECK_EQ(number("stack"), KERNEL + 0x20);
	CHECK_EQ(number("stack0"), 0x44);
	CHECK_EQ(number("stack3"), 0x77);
	CHECK_EQ(number("caller"), 0x44);
	CHECK_EQ(made->layout.fields[field("caller")].meaning, LKST_MEANING_CODE);
}

TEST(elements_by_an_index)
{
	begin();
	kernel[5] = 5;
	kernel[0] = 0xffffffff00000002; /* an int that is 2, beside something else */
	set("di", KERNEL);
	set("si", 0x12345678ffffffffULL); /* an int that is -1 */
	arg("x", element(8, reg("di"), at(0, reg("di")), 16), WORD);
	arg("before", element(48, reg("di"), reg("si"), 8), WORD);
	/* An index that is an element itself. */
	arg("nested", element(8, reg("di"), element(8, reg("di"), at(0, reg("di")), 16), 8), WORD);
	CHECK(runs());
	CHECK_EQ(number("x"), 5);
	CHECK_EQ(number("before"), 5);
	CHECK_EQ(number("nested"), 0x6666666666666666);
}

TEST(users_memory_is_another)
{
	begin();
	strcpy(user + 16, "a name");
	set("si", USER);
	arg("u", user_at(16, reg("si")), UNSIGNED(2));
	arg("k", at(16, reg("si")), UNSIGNED(2));
	CHECK(runs());
	CHECK_EQ(number("u"), 'a' | ' ' << 8);
	CHECK_EQ(number("k"), 0);
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 2);
	/* In a program, all memory is its own; and it is not behind the breakpoint. */
	begin();
	probe.place.kind = LKST_PLACE_FILE;
	probe.place.path = (char *)"/bin/true";
	probe.place.offset = 0x40;
	strcpy(user + 8, "data");
	set("ip", USER + 0x40);
	arg("file", node(LKST_FETCH_AT_FILE, 8), UNSIGNED(4));
	arg("plain", node(LKST_FETCH_AT, USER + 8), UNSIGNED(1));
	CHECK(runs());
	CHECK_EQ(number("file"), 0x61746164);
	CHECK_EQ(number("plain"), 'd');
	CHECK_EQ(number(LKST_PROBE_FIELD_IP), USER + 0x40);
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 0);
}

TEST(arrays)
{
	struct lkst_fetch_type bytes = UNSIGNED(1), words = SIGNED(4),
			       chars = TYPE(.form = LKST_FORM_CHAR);

	begin();
	bytes.count = 3;
	words.count = 4;
	chars.count = 8;
	kernel[0] = 0xfffffffe00030201;
	kernel[1] = 0x0000000500000004;
	memcpy(&kernel[4], "text\0\0\0", 8);
	set("di", KERNEL);
	arg("bytes", at(0, reg("di")), bytes);
	arg("words", at(0, reg("di")), words);
	arg("chars", at(32, reg("di")), chars);
	CHECK(runs());
	CHECK_EQ(element_of("bytes", 0), 1);
	CHECK_EQ(element_of("bytes", 2), 3);
	CHECK_EQ(element_of("bytes", 3), 0xbad);
	CHECK_EQ((s32)element_of("words", 1), -2);
	CHECK_EQ(element_of("words", 3), 5);
	CHECK_STR(text("chars"), "text");
}

/* ---- what could not be read (M06) ------------------------------------------------------------- */

TEST(faults_are_noted_and_nothing_is_made_up)
{
	struct lkst_fetch_type words = UNSIGNED(8);

	begin();
	words.count = 4;
	set("di", NOWHERE);
	set("si", KERNEL);
	kernel[0] = NOWHERE;
	arg("good", at(8, reg("si")), WORD);
	arg("bad", at(0, reg("di")), WORD);
	arg("chain", at(0, at(0, reg("si"))), UNSIGNED(2));
	arg("also_good", reg("si"), WORD);
	arg("array", at(0, at(0, reg("si"))), words);
	arg("bits", at(0, reg("di")), TYPE(.form = LKST_FORM_BITS, .size = 4, .bits = 3));
	CHECK(runs());
	CHECK_EQ(number("good"), 0x1111111111111111);
	CHECK_EQ(number("also_good"), KERNEL);
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5);
	/* Nothing of an older record stays. */
	CHECK_EQ(number("bad"), 0);
	CHECK_EQ(number("chain"), 0);
	CHECK_EQ(element_of("array", 0), 0);
	CHECK_EQ(element_of("array", 3), 0);
	CHECK_EQ(number("bits"), 0);
}

TEST(the_last_of_32_arguments_faults)
{
	char name[8];
	u32 i;

	begin();
	set("di", NOWHERE);
	set("si", KERNEL);
	for (i = 0; i < LKST_PROBE_ARGS_MAX; i++) {
		snprintf(name, sizeof(name), "a%u", i);
		arg(name, at(0, reg(i == 31 ? "di" : "si")), UNSIGNED(4));
	}
	CHECK(runs());
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 1U << 31);
	probe.condition = (char *)"a31 >= 0";
	CHECK(!runs());
	CHECK(!run.error);
	probe.condition = (char *)"a30 == 0";
	CHECK(runs());
}

/* ---- strings ---------------------------------------------------------------------------------- */

TEST(strings)
{
	begin();
	strcpy((char *)&kernel[2], "a string of the kernel");
	strcpy(user + 3, "of a program");
	set("di", KERNEL);
	set("si", USER);
	set("dx", NOWHERE);
	arg("first", at(16, reg("di")), STRING);
	arg("n", reg("di"), WORD);
	arg("bad", at(0, reg("dx")), STRING);
	arg("second", at(3, reg("si")), TYPE(.form = LKST_FORM_USTRING));
	arg("third", user_at(8, reg("si")), STRING);
	arg("comm", node(LKST_FETCH_COMM, 0), STRING);
	CHECK(runs());
	CHECK_STR(text("first"), "a string of the kernel");
	CHECK_STR(text("bad"), "");
	CHECK_STR(text("second"), "of a program");
	CHECK_STR(text("third"), "program");
	CHECK_STR(text("comm"), "worker");
	CHECK_EQ(number("n"), KERNEL);
	/* The fields are n, comm, first, bad, second, third. */
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 1 << 3);
	CHECK_EQ(made->layout.event.is_fixed, false);
	/* The reader finds the end where the writer did. */
	CHECK_EQ(run.result, made->layout.size + 23 + 1 + 13 + 8);
}

TEST(long_strings_are_cut_and_that_is_said)
{
	static char big[2 * LKST_PROBE_STRING_MAX];
	static const char whole[] = "0123456789";
	u64 cut;

	begin();
	memset(big, 'y', sizeof(big) - 1);
	memcpy(user, whole, sizeof(whole));
	run.areas[2].address = 0x20000;
	run.areas[2].bytes = big;
	run.areas[2].size = sizeof(big);
	set("di", 0x20000);
	set("si", USER);
	arg("big", at(0, reg("di")), STRING);
	arg("after", user_at(0, reg("si")), STRING);
	CHECK(runs());
	CHECK_EQ(strlen(text("big")), LKST_PROBE_STRING_MAX - 1);
	CHECK_STR(text("after"), whole);
	memcpy(&cut, record + 8 + HEAD + LKST_CUT_AT, sizeof(cut));
	CHECK_EQ(cut, 1);
	/* One that fits to the last byte is not. */
	big[LKST_PROBE_STRING_MAX - 1] = 0;
	CHECK(runs());
	CHECK_EQ(strlen(text("big")), LKST_PROBE_STRING_MAX - 1);
	memcpy(&cut, record + 8 + HEAD + LKST_CUT_AT, sizeof(cut));
	CHECK_EQ(cut, 0xdbdbdbdbdbdbdbdb);
}

TEST(arrays_of_strings)
{
	struct lkst_fetch_type three = STRING;

	begin();
	three.count = 3;
	kernel[8] = KERNEL + 8;
	kernel[9] = NOWHERE;
	kernel[10] = KERNEL + 24;
	strcpy((char *)&kernel[1], "first");
	strcpy((char *)&kernel[3], "third");
	set("di", KERNEL);
	arg("name", at(64, reg("di")), three);
	CHECK(runs());
	CHECK_STR(text("name_0"), "first");
	CHECK_STR(text("name_1"), "");
	CHECK_STR(text("name_2"), "third");
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 1 << 1);
}

TEST(constant_text)
{
	struct lkst_fetch *f;

	begin();
	f = node(LKST_FETCH_TEXT, 0);
	f->text = (char *)"here";
	arg("where", f, WORD);
	CHECK(runs());
	CHECK_STR(text("where"), "here");
	CHECK_EQ(made->layout.event.is_fixed, true);
}

TEST(stacks)
{
	struct lkst_fetch_type two = WORD;

	begin();
	two.count = 2;
	run.frames[0] = 0xffffffff81000010;
	run.frames[1] = 0xffffffff81000020;
	run.frames[2] = 0xffffffff81000030;
	run.nr_frames = 3;
	strcpy((char *)&kernel[0], "odd.");
	set("di", KERNEL);
	arg("stack", node(LKST_FETCH_BACKTRACE, 0), two);
	arg("s", at(0, reg("di")), STRING);
	CHECK(runs());
	CHECK_STR(text("s"), "odd.");
	CHECK_EQ(number("nr_stack"), 2);
	CHECK_EQ(element_of("stack", 0), 0xffffffff81000010);
	CHECK_EQ(element_of("stack", 1), 0xffffffff81000020);
	run.nr_frames = 0;
	CHECK(runs());
	CHECK_EQ(number("nr_stack"), 0);
	/* nr_stack, s, stack. */
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 1 << 2);
	CHECK_STR(text("s"), "odd.");
}

/* ---- entry and return ------------------------------------------------------------------------- */

TEST(arguments_and_results)
{
	begin();
	set("di", 1);
	set("r9", 6);
	arg("first", node(LKST_FETCH_ARGUMENT, 1), SIGNED(4));
	arg("last", node(LKST_FETCH_ARGUMENT, 6), SIGNED(4));
	CHECK(runs());
	CHECK_EQ(number("first"), 1);
	CHECK_EQ(number("last"), 6);
	begin();
	probe.place.is_return = true;
	set("ax", (u64)-5);
	set("ip", 0xffffffff81234567);
	arg("ret", node(LKST_FETCH_RETVAL, 0), SIGNED(8));
	arg("to", node(LKST_FETCH_CALLER, 0), WORD);
	CHECK(runs());
	CHECK_EQ(number("ret"), -5);
	CHECK_EQ(number("to"), 0xffffffff81234567);
	CHECK_EQ(number(LKST_PROBE_FIELD_RET_IP), 0xffffffff81234567);
	CHECK_EQ(field(LKST_PROBE_FIELD_IP), 999);
}

/* A probe at many functions says which one it was: LKST asks the kernel, since the instruction pointer differs. */
TEST(many_functions)
{
	begin();
	probe.place.is_many = true;
	run.func = 0xffffffff81000040;
	arg("first", node(LKST_FETCH_ARGUMENT, 1), SIGNED(4));
	set("di", 7);
	CHECK(runs());
	CHECK_EQ(number(LKST_PROBE_FIELD_FUNC), 0xffffffff81000040);
	CHECK_EQ(number(LKST_PROBE_FIELD_IP), 0xffffffff81000040);
	CHECK_EQ(number("first"), 7);
	begin();
	probe.place.is_many = probe.place.is_return = true;
	run.func = 0xffffffff81000040;
	set("ip", 0xffffffff81234567);
	set("ax", 0);
	arg("bad", at(0, reg("ax")), SIGNED(8));
	CHECK(runs());
	CHECK_EQ(number(LKST_PROBE_FIELD_FUNC), 0xffffffff81000040);
	CHECK_EQ(number(LKST_PROBE_FIELD_RET_IP), 0xffffffff81234567);
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 1);
}

/* ---- conditions ------------------------------------------------------------------------------- */

static bool keeps(const char *condition)
{
	bool is_kept;

	probe.condition = (char *)condition;
	is_kept = runs();
	if (run.error)
		printf("  %s\n", condition);
	return is_kept;
}

TEST(conditions_on_numbers)
{
	static const struct {
		const char *text;
		bool holds;
	} all[] = {
		{ "len > 4096", true },
		{ "len > 5000", false },
		{ "len == 5000", true },
		{ "len != 5000", false },
		{ "len <= 4999", false },
		{ "len >= 5000", true },
		{ "len < 5001", true },
		{ "n < 0", true },
		{ "n < -2", true },
		{ "n < -3", false },
		{ "n == -3", true },
		{ "n > -4", true },
		{ "big > 0x7fffffffffffffff", true },
		{ "len & 8", true },
		{ "len & 4", false },
		{ "len & 0xff == 0x88", true },
		{ "len > 1 and n < 0", true },
		{ "len > 1 and n > 0", false },
	};
	unsigned int i;

	begin();
	set("dx", 5000);
	set("di", (u64)(u16)-3);
	set("si", 0x8000000000000000);
	arg("len", reg("dx"), UNSIGNED(8));
	arg("n", reg("di"), SIGNED(2));
	arg("big", reg("si"), UNSIGNED(8));
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (keeps(all[i].text) != all[i].holds)
			printf("  %s\n", all[i].text);
		CHECK_EQ(keeps(all[i].text), all[i].holds);
		CHECK(!run.error);
	}
}

TEST(conditions_on_text_and_thread)
{
	begin();
	strcpy((char *)&kernel[0], "/usr/bin/make");
	set("di", KERNEL);
	run.pid_tgid = 700ULL << 32 | 701;
	run.cpu = 3;
	arg("name", at(0, reg("di")), STRING);
	arg("comm_field", node(LKST_FETCH_COMM, 0), WORD);
	CHECK(keeps("name == /usr/bin/make"));
	CHECK(!keeps("name != /usr/bin/make"));
	CHECK(!keeps("name == /usr/bin/mak"));
	CHECK(!keeps("name == /usr/bin/makes"));
	CHECK(keeps("name == /usr/*"));
	CHECK(!keeps("name == /usb/*"));
	CHECK(keeps("name != /usb/*"));
	CHECK(keeps("comm_field == worker"));
	CHECK(!keeps("comm_field == work"));
	CHECK(keeps("comm == worker"));
	CHECK(!keeps("comm != worker"));
	CHECK(keeps("pid == 700 and tid == 701"));
	CHECK(!keeps("pid == 701"));
	CHECK(keeps("cpu == 3"));
	CHECK(!keeps("cpu > 3"));
	CHECK(!run.error);
}

TEST(nothing_is_known_of_what_could_not_be_read)
{
	begin();
	set("di", NOWHERE);
	arg("x", at(0, reg("di")), WORD);
	arg("s", at(0, reg("di")), STRING);
	CHECK(runs());
	CHECK(!keeps("x == 0"));
	CHECK(!keeps("x != 0"));
	CHECK(!keeps("s != a"));
	CHECK(!run.error);
}

/* ---- what is refused -------------------------------------------------------------------------- */

static bool refuses(int err, const char *words)
{
	int got = compile();

	if (got != err || !strstr(error.text, words))
		printf("  %d %s\n", got, error.text);
	return got == err && strstr(error.text, words);
}

TEST(refusals)
{
	struct lkst_fetch *f;
	unsigned int i;

	begin();
	arg("x", reg("eax"), WORD);
	CHECK(refuses(-EINVAL, "no register %eax"));
	begin();
	arg("x", node(LKST_FETCH_RETVAL, 0), WORD);
	CHECK(refuses(-EINVAL, "only at a function's return"));
	begin();
	probe.place.is_return = true;
	arg("x", node(LKST_FETCH_ARGUMENT, 1), WORD);
	CHECK(refuses(-EINVAL, "gone when the function returns"));
	begin();
	arg("x", reg("di"), STRING);
	CHECK(refuses(-EINVAL, "read from memory"));
	begin();
	arg("x", reg("di"), TYPE(.form = LKST_FORM_UNSIGNED, .size = 4, .count = 2));
	CHECK(refuses(-EINVAL, "an array is read from memory"));
	begin();
	arg("x", at(0, reg("di")), TYPE(.form = LKST_FORM_UNSIGNED, .size = 4, .count = 65));
	CHECK(refuses(-EINVAL, "64 elements"));
	begin();
	arg("x", reg("di"), TYPE(.form = LKST_FORM_BITS, .size = 4, .bits = 8, .bit_at = 28));
	CHECK(refuses(-EINVAL, "not in 32 bits"));
	begin();
	arg("x", reg("di"), UNSIGNED(3));
	CHECK(refuses(-EINVAL, "3 bytes"));
	begin();
	f = node(LKST_FETCH_AT_SYMBOL, 0);
	f->text = (char *)"no_such";
	arg("x", f, WORD);
	CHECK(refuses(-ENOENT, "no symbol no_such"));
	begin();
	f = node(LKST_FETCH_VARIABLE, 0);
	f->text = (char *)"count";
	arg("x", f, WORD);
	CHECK(refuses(-EINVAL, "\"count\" is not resolved"));
	begin();
	arg("x", node(LKST_FETCH_AT_FILE, 0), WORD);
	CHECK(refuses(-EINVAL, "program's file"));
	begin();
	probe.place.offset = 8;
	arg("x", node(LKST_FETCH_CALLER, 0), WORD);
	CHECK(refuses(-EINVAL, "only at its entry"));
	begin();
	arg("pad", reg("di"), WORD);
	CHECK(refuses(-EINVAL, "padding"));
	begin();
	arg("x", reg("di"), WORD);
	arg("x", reg("si"), WORD);
	CHECK(refuses(-EINVAL, "two fields are called x"));
	begin();
	arg("x", reg("di"), WORD);
	probe.condition = (char *)"y > 1";
	CHECK(refuses(-ENOENT, "no field \"y\""));
	begin();
	f = reg("di");
	for (i = 0; i < LKST_FETCH_DEPTH + 1; i++)
		f = at(0, f);
	arg("x", f, WORD);
	CHECK(refuses(-E2BIG, "nested deeper"));
	begin();
	for (i = 0; i < 5; i++)
		arg("", at(0, reg("di")), TYPE(.form = LKST_FORM_UNSIGNED, .size = 8, .count = 64));
	CHECK(refuses(-E2BIG, "2048 bytes"));
}

TEST(arguments_without_names)
{
	begin();
	arg("", reg("di"), WORD);
	arg("b", reg("si"), WORD);
	arg("", reg("dx"), WORD);
	set("dx", 9);
	CHECK(runs());
	CHECK_EQ(number("arg3"), 9);
	CHECK_EQ(field("arg2"), 999);
	CHECK_STR(made->layout.event.name, "my:rd");
	CHECK_EQ(made->layout.event.group, LKST_GROUP_PROBE);
}

/* What uses most registers, stack and instructions: it must still be one that the machine runs. */
TEST(the_deepest_argument)
{
	struct lkst_fetch *f;
	unsigned int i;

	begin();
	for (i = 0; i < 64; i++)
		kernel[i] = KERNEL;
	set("di", KERNEL);
	f = reg("di");
	for (i = 0; i < LKST_FETCH_DEPTH - 1; i++)
		f = element(8, f, reg("di"), 0);
	arg("x", f, WORD);
	CHECK(runs());
	CHECK_EQ(number("x"), KERNEL);
	CHECK_EQ(number(LKST_PROBE_FIELD_FAULTS), 0);
}

/* ---- the other machine ------------------------------------------------------------------------ */

TEST(arm64)
{
	begin();
	arg("x3", node(LKST_FETCH_ARGUMENT, 4), WORD);
	arg("link", node(LKST_FETCH_CALLER, 0), WORD);
	arg("pc", reg("pc"), WORD);
	CHECK_EQ(compile_for(LKST_MACHINE_ARM64), 0);
	memset(record, 0xdb, sizeof(record));
	run.insns = made->code.insns;
	run.nr = made->code.nr;
	run.ctx = registers;
	run.ctx_size = sizeof(registers);
	run.to = record + 8 + HEAD;
	run.to_size = made->layout.room;
	CHECK(bpf_run(&run));
	CHECK_EQ(number("x3"), 0xabcdef0000000003);
	CHECK_EQ(number("link"), 0xabcdef000000001e);
	/* There the CPU is at the breakpoint, not behind it. */
	CHECK_EQ(number(LKST_PROBE_FIELD_IP), number("pc"));
	CHECK_EQ(number("pc"), 0xabcdef0000000020);
}

static const struct unit_test tests[] = {
	{ "registers_by_the_kernels_names", test_registers_by_the_kernels_names },
	{ "registers_of_both_machines", test_registers_of_both_machines },
	{ "values_are_cut_to_their_types", test_values_are_cut_to_their_types },
	{ "bit_fields", test_bit_fields },
	{ "dereferences_nest", test_dereferences_nest },
	{ "addresses_symbols_and_the_stack", test_addresses_symbols_and_the_stack },
	{ "elements_by_an_index", test_elements_by_an_index },
	{ "users_memory_is_another", test_users_memory_is_another },
	{ "arrays", test_arrays },
	{ "faults_are_noted_and_nothing_is_made_up", test_faults_are_noted_and_nothing_is_made_up },
	{ "the_last_of_32_arguments_faults", test_the_last_of_32_arguments_faults },
	{ "strings", test_strings },
	{ "long_strings_are_cut_and_that_is_said", test_long_strings_are_cut_and_that_is_said },
	{ "arrays_of_strings", test_arrays_of_strings },
	{ "constant_text", test_constant_text },
	{ "stacks", test_stacks },
	{ "arguments_and_results", test_arguments_and_results },
	{ "many_functions", test_many_functions },
	{ "conditions_on_numbers", test_conditions_on_numbers },
	{ "conditions_on_text_and_thread", test_conditions_on_text_and_thread },
	{ "nothing_is_known_of_what_could_not_be_read",
	  test_nothing_is_known_of_what_could_not_be_read },
	{ "refusals", test_refusals },
	{ "arguments_without_names", test_arguments_without_names },
	{ "the_deepest_argument", test_the_deepest_argument },
	{ "arm64", test_arm64 },
};
UNIT_MAIN(tests)
