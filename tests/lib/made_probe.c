/* SPDX-License-Identifier: GPL-2.0-only */
/* Probes that are made by a test, compiled, and run by an interpreter. */
#include "lib/made_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format/block.h"

enum {
	HEAD = sizeof(struct lkst_record_head),
	ROOM = LKST_PROBE_RECORD_MAX + 8,
	SYMBOL = MADE_KERNEL + 16,
};

u64 made_kernel[64];
char made_user[256];

u64 made_registers[MADE_REGISTERS];
static u8 record[HEAD + 8 + ROOM];
struct bpf_run made_run;
struct lkst_probe made_probe;
struct lkst_probe_code *made_code;
struct lkst_err made_error;

/* ---- making a probe --------------------------------------------------------------------------- */

static struct lkst_fetch nodes[64];
static unsigned int nr_nodes;

struct lkst_fetch *made_node(u8 op, s64 number)
{
	struct lkst_fetch *f = &nodes[nr_nodes++];

	*f = (struct lkst_fetch){ .op = op, .number = number };
	return f;
}

struct lkst_fetch *made_reg(const char *name)
{
	struct lkst_fetch *f = made_node(LKST_FETCH_REGISTER, 0);

	f->text = (char *)name;
	return f;
}

/* OFFSET(BASE) */
struct lkst_fetch *made_at(s64 offset, struct lkst_fetch *base)
{
	struct lkst_fetch *f = made_node(LKST_FETCH_MEMORY, offset);

	f->base = base;
	return f;
}

/* uOFFSET(BASE) */
struct lkst_fetch *made_user_at(s64 offset, struct lkst_fetch *base)
{
	struct lkst_fetch *f = made_at(offset, base);

	f->is_user = true;
	return f;
}

struct lkst_fetch *made_element(s64 offset, struct lkst_fetch *base, struct lkst_fetch *index,
				u32 size)
{
	struct lkst_fetch *f = made_at(offset, base);

	f->op = LKST_FETCH_ELEMENT;
	f->index = index;
	f->size = size;
	return f;
}

void made_arg(const char *name, struct lkst_fetch *fetch, struct lkst_fetch_type type)
{
	struct lkst_probe_arg *a = &made_probe.args[made_probe.nr_args++];

	snprintf(a->name, sizeof(a->name), "%s", name);
	a->fetch = fetch;
	a->type = type;
}

/* Begins a probe: nothing but its name and place, and fresh memory. */
void made_begin(void)
{
	unsigned int i;

	memset(&made_probe, 0, sizeof(made_probe));
	strcpy(made_probe.group, "my");
	strcpy(made_probe.event, "rd");
	made_probe.place.kind = LKST_PLACE_SYMBOL;
	made_probe.place.symbol = (char *)"vfs_read";
	nr_nodes = 0;
	for (i = 0; i < MADE_REGISTERS; i++)
		made_registers[i] = 0xabcdef0000000000 | i;
	for (i = 0; i < 64; i++)
		made_kernel[i] = 0x1111111111111111ULL * (i & 15);
	memset(made_user, 0, sizeof(made_user));
	memset(&made_run, 0, sizeof(made_run));
	made_run.areas[0].address = MADE_KERNEL;
	made_run.areas[0].bytes = made_kernel;
	made_run.areas[0].size = sizeof(made_kernel);
	made_run.areas[1].address = MADE_USER;
	made_run.areas[1].bytes = made_user;
	made_run.areas[1].size = sizeof(made_user);
	made_run.areas[1].is_user = true;
	made_run.comm = "worker";
}

/* What pt_regs of x86-64 has at a register's place. */
void made_set(const char *name, u64 value)
{
	made_registers[lkst_register_find(LKST_MACHINE_X86_64, name) / 8] = value;
}

static int find_symbol(void *ctx, const char *name, u64 *ret_address)
{
	*ret_address = SYMBOL;
	return strcmp(name, "jiffies") ? -ENOENT : 0;
}

int made_compile_for(enum lkst_machine machine)
{
	const struct lkst_probe_target target = { .machine = machine, .find_symbol = find_symbol };
	int err;

	free(made_code);
	made_code = NULL;
	memset(&made_error, 0, sizeof(made_error));
	err = lkst_probe_compile(&made_error, &made_probe, &target, &made_code);
	return err;
}

int made_compile(void)
{
	return made_compile_for(LKST_MACHINE_X86_64);
}

/* ---- running it ------------------------------------------------------------------------------- */

/* Runs what was compiled; what the record held before is to be overwritten. */
static bool run_code(void)
{
	memset(record, (u8)MADE_UNTOUCHED, sizeof(record));
	made_run.insns = made_code->code.insns;
	made_run.nr = made_code->code.nr;
	made_run.ctx = made_registers;
	made_run.ctx_size = sizeof(made_registers);
	made_run.to = record + 8 + HEAD;
	made_run.before = 8;
	made_run.to_size = made_code->layout.room + 1;
	if (!bpf_run(&made_run))
		printf("  %s\n", made_run.error);
	return !made_run.error && made_run.result;
}

bool made_runs_on(enum lkst_machine machine)
{
	if (made_compile_for(machine)) {
		printf("  %s\n", made_error.text);
		return false;
	}
	return run_code();
}

bool made_runs(void)
{
	return made_runs_on(LKST_MACHINE_X86_64);
}

static struct lkst_record the_record(void)
{
	const struct lkst_layout *l = &made_code->layout;

	return (struct lkst_record){ .event = &l->event,
				     .bytes = record + 8,
				     .size = HEAD +
					     (l->event.is_fixed ? l->size : (u32)made_run.result) };
}

/* The index of field @name, as a trace's reader finds it. */
unsigned int made_field(const char *name)
{
	const struct lkst_field_class *f = lkst_class_field(&made_code->layout.event, name);

	return f ? (unsigned int)(f - made_code->layout.fields) : 999;
}

u64 made_number(const char *name)
{
	struct lkst_record r = the_record();

	return made_field(name) == 999
		       ? 0xbad
		       : lkst_record_int(&r, &made_code->layout.fields[made_field(name)]);
}

const char *made_text(const char *name)
{
	static char copy[LKST_PROBE_STRING_MAX + 1];
	struct lkst_record r = the_record();
	u32 length;
	const u8 *bytes = lkst_record_field(&r, made_field(name), &length);

	if (!bytes)
		return "(none)";
	memcpy(copy, bytes, length);
	copy[length] = 0;
	return copy;
}

u64 made_element_of(const char *name, unsigned int i)
{
	struct lkst_record r = the_record();
	unsigned int index = made_field(name);
	u32 length;
	const u8 *bytes = lkst_record_field(&r, index, &length);
	u8 size = index == 999 ? 0 : made_code->layout.fields[index].size;
	u64 value = 0;

	if (!bytes || (i + 1) * size > length)
		return 0xbad;
	memcpy(&value, bytes + i * size, size);
	return value;
}

u64 made_cut(void)
{
	u64 cut;

	memcpy(&cut, record + 8 + HEAD + LKST_CUT_AT, sizeof(cut));
	return cut;
}
