/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A probe as its definition says it: where it is, and what it fetches. There are two languages: that of the
 * kernel's kprobe_events and uprobe_events (Documentation/trace/kprobetrace.rst, uprobetracer.rst), which
 * names addresses, registers and memory, and that of perf probe (tools/perf/Documentation/perf-probe.txt), which
 * names source lines, variables and members. Both become a struct lkst_probe. src/probe/resolve replaces what
 * only the second can say by what the first can, so that every resolved probe can be written as a line of
 * kprobe_events, with two forms of our own (LKST_FETCH_ELEMENT, `if`).
 *
 * Everything here is bounded, and nothing needs a kernel.
 */
#ifndef LKST_PROBE_TEXT_PROBE_H
#define LKST_PROBE_TEXT_PROBE_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/err.h"

/* Besides letters and digits, what the names of functions have, and what globs of them have, with "," between globs. */
#define LKST_PROBE_SYMBOL_CHARS "_.$"
#define LKST_PROBE_GLOB_CHARS LKST_PROBE_SYMBOL_CHARS "*?[]!^-,"

enum {
	LKST_PROBE_NAME =
		64, /* of a group, event or argument, with its NUL: the kernel's MAX_EVENT_NAME_LEN */
	LKST_PROBE_TEXT = 4096,	   /* of a definition, with its NUL */
	LKST_PROBE_ARGS_MAX = 32,  /* arguments of a probe */
	LKST_FETCH_DEPTH = 16,	   /* how deep an argument may nest */
	LKST_FETCH_ARRAY_MAX = 64, /* elements: the kernel's MAX_ARRAY_LEN */
};

/* What a node of an argument's expression stands for. Every node is a 64-bit value. */
enum lkst_fetch_op {
	LKST_FETCH_REGISTER, /* %NAME: `text` without the sign, as the kernel names it ("di", "x0") */
	LKST_FETCH_STACK,    /* $stack: the stack pointer */
	LKST_FETCH_STACK_N,   /* $stackN: the word at `number` words above it */
	LKST_FETCH_RETVAL,    /* $retval */
	LKST_FETCH_ARGUMENT,  /* $argN: argument `number` of the function, from 1 on */
	LKST_FETCH_COMM,      /* $comm: the thread's name; a string */
	LKST_FETCH_CALLER,    /* $caller: where the function returns to */
	LKST_FETCH_BACKTRACE, /* $backtrace: return addresses; an array */
	LKST_FETCH_AT,	      /* @ADDR: what memory holds at `number` */
	LKST_FETCH_AT_SYMBOL, /* @SYM+OFFS: what it holds at symbol `text` + `number` */
	LKST_FETCH_AT_FILE,   /* @+OFFS: at byte `number` of the probed program's file */
	LKST_FETCH_WATCHED,   /* $addr: the memory that is watched */
	LKST_FETCH_NUMBER,    /* \NUMBER: itself */
	LKST_FETCH_TEXT,      /* \"TEXT": `text` itself; a string */
	LKST_FETCH_MEMORY, /* OFFS(BASE): what memory holds at `base` + `number`; `is_user`: OFFS with a u */
	LKST_FETCH_ELEMENT, /* OFFS(BASE,INDEX[:TYPE],SIZE): the same at `base` + `index` * `size` + `number` */
	/* Those that only perf probe's language has; a resolved probe has none. */
	LKST_FETCH_VARIABLE, /* NAME: a variable or parameter in scope; $vars, $params: `text` "*", "*params" */
	LKST_FETCH_MEMBER, /* BASE->NAME and BASE.NAME: `text` */
	LKST_FETCH_INDEX,  /* BASE[INDEX]: an element; INDEX is a number or a variable */
	LKST_NR_FETCH_OPS,
};

struct lkst_fetch {
	u8 op;	       /* enum lkst_fetch_op */
	bool is_user;  /* the memory is the program's: bpf_probe_read_user() */
	bool is_arrow; /* of MEMBER: -> and not . */
	u8 index_size; /* of ELEMENT: bytes of the index that count, 1 or 2; 0: 4 of them, with a sign */
	bool is_index_signed;
	u16 at; /* the byte of the probe's text where it begins */
	s64 number;
	u32 size;
	char *text;
	struct lkst_fetch *base, *index;
};

/* How a value is stored and shown. */
enum lkst_fetch_form {
	LKST_FORM_NONE,	    /* not given: as the machine's word, or as its resolved type */
	LKST_FORM_UNSIGNED, /* u8 .. u64 */
	LKST_FORM_SIGNED,   /* s8 .. s64 */
	LKST_FORM_HEX,	    /* x8 .. x64 */
	LKST_FORM_CHAR,
	LKST_FORM_SYMBOL,  /* an address, shown as its symbol */
	LKST_FORM_STRING,  /* characters in the kernel's memory */
	LKST_FORM_USTRING, /* characters in the program's memory */
	LKST_FORM_SYMSTR,  /* an address, stored as the text of its symbol */
	LKST_FORM_BITS,	   /* b<bits>@<bit_at>/<size * 8> */
	/* Those that a resolved probe has not: it has a string there. */
	LKST_FORM_DENTRY, /* %pd: the name of a struct dentry */
	LKST_FORM_FILE,	  /* %pD: that of a struct file */
};

struct lkst_fetch_type {
	u8 form;   /* enum lkst_fetch_form */
	u8 size;   /* bytes of an element: 1, 2, 4, 8; 0: a word */
	u8 bits;   /* of BITS */
	u8 bit_at; /* of BITS: its lowest bit, counted from the lowest of the container */
	u16 count; /* elements of an array; 0: it is none */
};

struct lkst_probe_arg {
	char name[LKST_PROBE_NAME]; /* "": not given */
	struct lkst_fetch *fetch;
	struct lkst_fetch_type type;
	u16 at; /* the byte of the probe's text where it begins */
};

/* Where a probe is. */
enum lkst_probe_place_kind {
	LKST_PLACE_SYMBOL,  /* `symbol` + `offset` */
	LKST_PLACE_ADDRESS, /* `address` */
	LKST_PLACE_FILE,    /* byte `offset` of the program `path` */
	/* Those that only perf probe's language has. */
	LKST_PLACE_FUNCTION_LINE, /* `symbol`, `line` lines after its beginning */
	LKST_PLACE_FUNCTION_LAZY, /* every line of `symbol` that matches `pattern` */
	LKST_PLACE_SOURCE_LINE,	  /* `source`:`line` */
	LKST_PLACE_SOURCE_LAZY,	  /* every line of `source` that matches `pattern` */
	LKST_PLACE_MARK,	  /* %PROVIDER:NAME of program `path`: `provider`, `symbol` */
};

/* Which accesses to memory are watched; the kernel's HW_BREAKPOINT_R and _W. */
enum lkst_watch {
	LKST_WATCH_READS = 1,
	LKST_WATCH_WRITES = 2,
};

/* Of a resolved probe, `source` and `line` are the line that the place belongs to, for people, if it is known. */
struct lkst_probe_place {
	u8 kind; /* enum lkst_probe_place_kind */
	bool is_return;
	bool is_next; /* %next: after the instruction, or at the next line's */
	bool is_many; /* of SYMBOL: one probe at all functions that match `symbol`, globs with "," between them */
	char *module; /* NULL: the kernel itself, or a program */
	char *path;   /* of a program; NULL: the kernel */
	char *symbol; /* a function, or a glob of functions */
	char *source; /* a source file, by the end of its path; NULL: any */
	char *pattern;
	char *provider;
	u64 offset, address;
	u64 semaphore; /* of a mark: where its counter is in the file; 0: none */
	u32 line;
	u32 source_line; /* of a resolved probe: the line of `source` itself; 0: unknown */
	u32 max_active; /* rMAXACTIVE */
	u8 watch; /* of ADDRESS and SYMBOL: not code but memory, enum lkst_watch; `offset` has a sign then */
	u8 watch_bytes;
	u16 at; /* the byte of the probe's text where it begins */
};

struct lkst_probe {
	char group[LKST_PROBE_NAME]; /* "": not given */
	char event[LKST_PROBE_NAME];
	struct lkst_probe_place place;
	u32 nr_args;
	struct lkst_probe_arg args[LKST_PROBE_ARGS_MAX];
	char *condition; /* what follows `if`: src/masks/condition.h, on the arguments' names; NULL: none */
	u16 condition_at;
	char *text; /* the definition as the user wrote it; NULL: nobody wrote it */
};

/* A node with nothing but @op. NULL: no memory. */
struct lkst_fetch *lkst_fetch_new(enum lkst_fetch_op op);

/* Frees @f and all below it; NULL is none. */
void lkst_fetch_free(struct lkst_fetch *f);
LKST_GUARD(lkst_fetch_free, struct lkst_fetch)

/* A copy of @f and all below it. NULL: no memory, or @f is NULL. */
struct lkst_fetch *lkst_fetch_copy(const struct lkst_fetch *f);

/* Frees all that @p refers to, and makes it all zero: what a probe is before anything is known of it. */
void lkst_probe_fini(struct lkst_probe *p);

/* Makes *@ret a copy that shares nothing with @p. -ENOMEM: @ret is all zero. */
int lkst_probe_copy(const struct lkst_probe *p, struct lkst_probe *ret);

/*
 * Says what is wrong with a probe, and marks the place in its text: @at is the `at` of one of its parts. Returns @err,
 * a negative errno. Whoever finds a fault in a probe, in whatever room, refuses it so.
 */
int lkst_probe_refuse(struct lkst_err *e, int err, const struct lkst_probe *p, u16 at,
		      const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
