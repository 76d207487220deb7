/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The hooks of a recording: its loaded programs and what they are attached to. A hook whose program is
 * loaded but not attached costs nothing, and is attached or detached at any time.
 */
#ifndef LKST_LIVE_HOOKS_HOOKS_H
#define LKST_LIVE_HOOKS_HOOKS_H

#include "abi/control.h"
#include "live/hooks/sampling.h"
#include "result/notes.h"
#include "trace/format/catalog.h"

enum { LKST_HOOK_NAME_MAX = 128 };

/* A loaded program's pin is its name after this prefix. All tracepoints by name have one program, probes another. */
#define LKST_PROGRAM_PIN "program-"
#define LKST_ANY_TRACEPOINT "tp__any"
#define LKST_ANY_PROBE "probe__any"

/* A place in the kernel, and the program for it. */
struct lkst_hook {
	const struct lkst_own_pins *own; /* where its link, and what its probe is, are pinned (live/hooks/pins.h) */
	char name[LKST_HOOK_NAME_MAX]; /* of its program and its pin: lkst_hook_name() */
	u8 kind;		       /* LKST_HOOK_TP, _TP_TOO, _KPROBE, _KRETPROBE, _PERF, _BY_NAME or _PROBE */
	char target[LKST_NAME_MAX];    /* tracepoint or function; of _BY_NAME: system:name, _PROBE: group:event */
	u8 handler;		       /* whose program it is */
	u16 base; /* of a user handler: index of DEFAULT's hook at the same place */
	int program_fd;
	int link_fd;	/* keeps it attached as long as it is open; -1: no descriptor of this process does */
	bool is_attached;
	bool is_always; /* it is attached whatever is recorded: it follows the processes of a restricted recording */
	u16 next;	/* index plus 1 of a further hook of the same event; 0: there is none */

	/* Of a tracepoint by name only. */
	int perf_id; /* -1: not asked for yet */
	u32 plan;    /* index of its lkst_tracepoint_plan */

	struct lkst_sampling sampling; /* of _PERF only */
};

/* The name of a hook: "tp_btf__sched_switch", and of a tracepoint by name "tp__ext4-ext4_sync_file_enter". */
void lkst_hook_name(enum lkst_hook_kind kind, const char *target, char name[LKST_HOOK_NAME_MAX]);

/* What follows the kind in the name of a program of ours: the hook, or what else the program does. */
const char *lkst_hook_target(const char *program);

/* The kind and the target of a program that is attached to a hook of its own; false: it is not. */
bool lkst_hook_parse(const char *program, enum lkst_hook_kind *ret_kind, const char **ret_target);

/* The kind of @row's hook: a further function is hooked as any other. */
enum lkst_hook_kind lkst_hook_kind(const struct lkst_hook_desc *row);

/* All zero is empty. */
struct lkst_hooks {
	struct lkst_own_pins *own; /* of those that are added: where the recording has its pins (live/hooks/pins.h) */
	struct lkst_hook *items; /* DEFAULT's, then those of user handlers */
	unsigned int nr, nr_default;
	u16 of[LKST_EVENT_SPACE]; /* by event id: index of DEFAULT's first hook plus 1; 0: it has none */
};

/* Adds a hook; takes over both descriptors, also on failure. @link_fd is -1 for one that is not attached. */
int lkst_hooks_add(struct lkst_err *e, struct lkst_hooks *h, enum lkst_hook_kind kind,
		   const char *target, int program_fd, int link_fd);
void lkst_hooks_fini(struct lkst_hooks *h);

/* Finds out which hook serves which event of @c. Call it when all of DEFAULT's are added. */
void lkst_hooks_assign(struct lkst_hooks *h, const struct lkst_catalog *c);

/*
 * Adds, when those are assigned, the hook of user handler @handler at the place of DEFAULT's hook @base,
 * an index. Takes over both descriptors, also on failure.
 */
int lkst_hooks_add_handler(struct lkst_err *e, struct lkst_hooks *h, u8 handler, u16 base,
			   int program_fd, int link_fd);

/* Has those that take samples do it as @c says. Call it when all are added, before any is attached. */
void lkst_hooks_set_sampling(struct lkst_hooks *h, const struct lkst_control *c);

/* Removes all hooks of user handler @handler; those that are attached are detached. */
void lkst_hooks_remove_handler(struct lkst_hooks *h, u8 handler);

/* True if @handler has a program that handles event @id. */
bool lkst_hooks_serve(const struct lkst_hooks *h, u32 id, u8 handler);

/* The name of the pin of the hook's link. */
enum { LKST_HOOK_PIN_MAX = LKST_HOOK_NAME_MAX + 16 };
void lkst_hook_pin_name(const struct lkst_hook *hook, char name[LKST_HOOK_PIN_MAX]);

/* DEFAULT's hook at that place, or NULL. */
struct lkst_hook *lkst_hooks_find(const struct lkst_hooks *h, enum lkst_hook_kind kind,
				  const char *target);

/* Marks in @wanted, an element per hook, those that a maskset with the table @route needs. */
void lkst_hooks_mark(const struct lkst_hooks *h, const u16 *route, bool *wanted);

/* Attaches a hook's program, or detaches it; 0.1 to 0.5 ms, the kernel patches its code. */
int lkst_hook_attach(struct lkst_err *e, struct lkst_hook *hook);
void lkst_hook_detach(struct lkst_hook *hook);

/*
 * Closes the descriptors that keep hooks attached, since the pins of a recording do that: when the pins go,
 * this process must not keep a hook attached.
 */
void lkst_hooks_close_links(struct lkst_hooks *h);

/*
 * How often the kernel skipped the hook's program: because it was already running on the CPU, or because
 * a probe was hit while another one was being handled.
 */
u64 lkst_hook_skipped(const struct lkst_hook *hook);

#endif
