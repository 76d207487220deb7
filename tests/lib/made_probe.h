/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes that a test makes, compiles and runs: by an interpreter, on registers and memory made up for it. The record is
 * read by what reads traces, which knows nothing of how it was written.
 */
#ifndef LKST_TESTS_MADE_PROBE_H
#define LKST_TESTS_MADE_PROBE_H

#include "lib/bpf_run.h"
#include "probe/code/compile.h"

enum {
	MADE_KERNEL =
		0x1000, /* where the kernel's memory begins; the symbol jiffies is 16 bytes on */
	MADE_USER = 0x9000,	  /* the program's */
	MADE_NOWHERE = 0x7770000, /* where there is nothing */
	MADE_REGISTERS = 34,
};

#define MADE_UNTOUCHED 0xdbdbdbdbdbdbdbdbULL /* what memory holds that no program has written */

/* The kernel's memory, and the program's; what pt_regs has. */
extern u64 made_kernel[64];
extern char made_user[256];
extern u64 made_registers[MADE_REGISTERS];

extern struct lkst_probe made_probe;
extern struct lkst_probe_code *made_code; /* what was compiled last */
extern struct lkst_err made_error;	  /* why it was not */
extern struct bpf_run made_run;		  /* how it is run, and what came of it */

/* Begins a probe: nothing but its name and place, and fresh memory. */
void made_begin(void);

/* Nodes, good until the next made_begin(). */
struct lkst_fetch *made_node(u8 op, s64 number);
struct lkst_fetch *made_reg(const char *name);
struct lkst_fetch *made_at(s64 offset, struct lkst_fetch *base);      /* OFFSET(BASE) */
struct lkst_fetch *made_user_at(s64 offset, struct lkst_fetch *base); /* uOFFSET(BASE) */
struct lkst_fetch *made_element(s64 offset, struct lkst_fetch *base, struct lkst_fetch *index,
				u32 size);

#define TYPE(...) ((struct lkst_fetch_type){ __VA_ARGS__ })
#define UNSIGNED(bytes) TYPE(.form = LKST_FORM_UNSIGNED, .size = (bytes))
#define SIGNED(bytes) TYPE(.form = LKST_FORM_SIGNED, .size = (bytes))
#define STRING TYPE(.form = LKST_FORM_STRING)
#define WORD TYPE(.form = LKST_FORM_NONE)

void made_arg(const char *name, struct lkst_fetch *fetch, struct lkst_fetch_type type);

/* Sets what pt_regs of x86-64 has at a register's place. */
void made_set(const char *name, u64 value);

/* Compiles the probe, for x86-64 or another machine. Errors are in made_error, too. */
int made_compile(void);
int made_compile_for(enum lkst_machine machine);

/* Compiles and runs it. True: the record is kept. */
bool made_runs(void);
bool made_runs_on(enum lkst_machine machine);

/* The index of field @name of the record, as a trace's reader finds it; 999: there is none. */
unsigned int made_field(const char *name);

/* A field's value: a number (0xbad: there is none), a text, good until the next call, and an element of an array. */
u64 made_number(const char *name);
const char *made_text(const char *name);
u64 made_element_of(const char *name, unsigned int i);

/* The word that the program leaves before the record for its writer (LKST_CUT_AT): 1 if a string was cut. */
u64 made_cut(void);

#endif
