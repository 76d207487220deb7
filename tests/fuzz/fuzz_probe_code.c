/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of what definitions are compiled to, for both machines: the instructions touch nothing but the record
 * that they fill and their own stack, come to an end, and fill a record that can be read, whatever the registers
 * hold.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "lib/bpf_run.h"
#include "lib/printed.h"
#include "probe/code/compile.h"
#include "probe/text/definition.h"
#include "trace/format/block.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { HEAD = sizeof(struct lkst_record_head), NR_REGISTERS = 34 };

static const char memory[64] = "some text\0more";

static int find_symbol(void *ctx, const char *name, u64 *ret_address)
{
	*ret_address = 0x1000;
	return 0;
}

/* The record, as of a trace that knows nothing else. */
static void print(const struct lkst_record *r)
{
	static struct lkst_view_config config;

	if (!config.catalog)
		config = (struct lkst_view_config){ .catalog = lkst_catalog_new(), .threads = lkst_threads_new() };
	printed_records(&config, r, 1);
}

static void run(const struct lkst_probe_code *p, u64 registers_hold, bool is_shown)
{
	static u8 record[HEAD + 8 + LKST_PROBE_RECORD_MAX + 8];
	const struct lkst_layout *l = &p->layout;
	u64 registers[NR_REGISTERS];
	struct bpf_run run = {
		.insns = p->code.insns,
		.nr = p->code.nr,
		.ctx = registers,
		.ctx_size = sizeof(registers),
		.to = record + 8 + HEAD,
		.before = 8,
		.to_size = l->room + 1,
		.comm = "fuzz",
		.frames = { 1, 2, 3 },
		.nr_frames = 3,
	};
	struct lkst_record r = { .event = &l->event, .bytes = record + 8 };
	u32 length;
	u16 i;

	for (i = 0; i < 2; i++) {
		run.areas[i].address = 0x1000;
		run.areas[i].bytes = memory;
		run.areas[i].size = sizeof(memory);
		run.areas[i].is_user = i;
	}
	for (i = 0; i < NR_REGISTERS; i++)
		registers[i] = registers_hold;
	if (!bpf_run(&run) || run.result > l->room)
		abort();
	if (!run.result)
		return;
	r.size = HEAD + (l->event.is_fixed ? l->size : (u32)run.result);
	for (i = 0; i < l->event.nr_fields; i++)
		if (!lkst_record_field(&r, i, &length))
			abort();
	if (is_shown)
		print(&r);
}

static void check(const struct lkst_probe *probe)
{
	struct lkst_probe_target target = { .find_symbol = find_symbol };
	struct lkst_probe_code *p;
	struct lkst_err e = {};
	unsigned int machine;

	for (machine = 0; machine < LKST_NR_MACHINES; machine++) {
		target.machine = machine;
		if (lkst_probe_compile(&e, probe, &target, &p)) {
			printed_error(&e);
			continue;
		}
		/* What is shown is the same for both machines, and takes longer than the rest. */
		run(p, 0x1000, !machine);
		run(p, ~0ULL, false);
		free(p);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct lkst_definitions all;
	struct lkst_err e = {};
	u32 i;

	if (lkst_definitions_parse(&e, (const char *)data, size, &all)) {
		printed_error(&e);
		return 0;
	}
	for (i = 0; i < all.nr && i < 4; i++)
		if (!all.list[i].is_removal)
			check(&all.list[i].probe);
	lkst_definitions_fini(&all);
	return 0;
}
