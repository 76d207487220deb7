/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A probe that is set, as a recording keeps it: where it is attached and what its program was made of, so that any
 * later command can attach it, list it and make a further program of it, for a handler. It is the only element of a
 * pinned map.
 */
#ifndef LKST_LIVE_HOOKS_PROBE_ROW_H
#define LKST_LIVE_HOOKS_PROBE_ROW_H

#include <linux/bpf.h>
#include <stdbool.h>

#include "abi/probe.h"
#include "base/err.h"
#include "live/hooks/own_pins.h"
#include "probe/code/compile.h"

enum {
	LKST_PROBE_ROW_VERSION = 5,
	LKST_PROBE_PATH_MAX = 1024,
	LKST_PROBE_SYMBOL_MAX = 1024,
	LKST_PROBE_PIN_MAX = 192,
	LKST_PROBE_PLACES_MAX = 4096, /* functions that one probe may be at */
};

struct lkst_probe_row {
	u32 version;
	u32 is_return;
	u64 offset;  /* from the symbol, or in the program's file */
	u64 address; /* of a place in the kernel without a symbol, or of memory that is watched */
	u64 counter; /* in the file: what the kernel counts up while the probe is there; 0: nothing */
	char path[LKST_PROBE_PATH_MAX]; /* of a program; "": the kernel */
	char symbol
		[LKST_PROBE_SYMBOL_MAX]; /* "": by address; of a probe at many functions, globs */
	u32 nr_places;	   /* of many functions (live/hooks/probe_places.h); 0: it is at one place */
	u32 is_multi;	   /* one link attaches its program at all of them */
	u32 nr_matched;	   /* functions that it was to be at, with those that the kernel refuses */
	u32 nr_no_error;   /* names that match, of functions left out since they return no error */
	u32 nr_unknown;	   /* the same, since BTF does not tell what they return */
	u32 is_by_tracefs; /* for its module, or for max_active (live/hooks/probe_tracefs.h) */
	u32 max_active; /* of a return: calls in progress that it can see; 0: as many as the kernel has by default */
	u32 watch; /* accesses to memory that it is at, enum lkst_watch; 0: it is at code */
	u32 watch_bytes;
	char definition[LKST_PROBE_TEXT];
	struct lkst_probe_plan plan;
	u32 nr_insns;
	struct bpf_insn insns[LKST_CODE_MAX];
};

/* What the row, or something else, of event "GROUP:EVENT" is pinned as. */
#define LKST_PROBE_ROW_PIN "probe-row"
#define LKST_PROBE_CPUS_PIN "probe-cpus"
#define LKST_PROBE_PLACES_PIN "probe-places"
void lkst_probe_pin(const char *event, const char *what, char pin[LKST_PROBE_PIN_MAX]);

/* Reads the row of @event; the caller frees it. -ENOENT: there is no such probe. @own: as live/hooks/pins.h has it. */
int lkst_probe_row_read(struct lkst_err *e, const struct lkst_own_pins *own, const char *event,
			struct lkst_probe_row **ret_row);

/* Pins a new one. */
int lkst_probe_row_write(struct lkst_err *e, struct lkst_own_pins *own, const char *event,
			 const struct lkst_probe_row *row);

/* Whether there is a row of any probe. */
bool lkst_probe_row_is_any(struct lkst_own_pins *own);

/*
 * A perf event at the place: a descriptor, which the caller closes. -ENOTSUP: the kernel has no such probes.
 */
int lkst_probe_row_open(struct lkst_err *e, const struct lkst_probe_row *row);

/* What that perf event is. It points into @row. */
struct perf_event_attr;
int lkst_probe_row_attr(struct lkst_err *e, const struct lkst_probe_row *row,
			struct perf_event_attr *ret_attr);

#endif
