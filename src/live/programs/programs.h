/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel programs of a recording: which of them are needed, what they are told, loading and
 * attaching them.
 */
#ifndef LKST_LIVE_PROGRAMS_PROGRAMS_H
#define LKST_LIVE_PROGRAMS_PROGRAMS_H

#include "live/hooks/hooks.h"
#include "live/kernel/plan.h"
#include "live/rings/memory.h"
#include "result/notes.h"

/* Programs that are attached to nothing and run when user space asks (live/session/command.h). */
enum lkst_command {
	LKST_COMMAND_SWITCH,  /* maskset */
	LKST_COMMAND_SETTLED, /* number of hooks */
	LKST_COMMAND_JUMP,    /* number of the buffer whose records are meant, buffer to go to */
	LKST_COMMAND_KEEP,    /* how long to go on, ns; returns the incident's number */
	LKST_COMMAND_FIRE,    /* post-trigger time, ns; length of the reason; its characters */
	LKST_COMMAND_SYMBOL,  /* lkst_command_ask(): what lies at an address */
	LKST_COMMAND_CACHE,   /* lkst_command_ask(): the name of the slab cache at an address */
	LKST_NR_COMMANDS,
};
/* As many arguments as the kernel takes (MAX_BPF_FUNC_ARGS). */
enum { LKST_COMMAND_ARGS = 12, LKST_COMMAND_ANY_CPU = -1 };

/* The programs' names. */
extern const char *const lkst_command_programs[LKST_NR_COMMANDS];

struct lkst_bpf;

/* All zero is empty. */
struct lkst_programs {
	struct lkst_bpf *skel; /* NULL: the recording was opened from its pins */
	struct lkst_notes notes;
};

/* Which processes a recording is restricted to. */
struct lkst_filter {
	enum lkst_filter_mode mode;
	const u32 *pids;
	unsigned int nr_pids;
};

/*
 * Takes the memory and loads the programs that @plan needs, with @control as their control page, and
 * that of the cost limit @budget_ppm, if it is not 0.
 * They are not attached yet.
 */
int lkst_programs_load(struct lkst_err *e, struct lkst_programs *p, const struct lkst_plan *plan,
		       const struct lkst_filter *filter, const struct lkst_memory *memory,
		       const struct lkst_control *control, u32 budget_ppm);

/* The loaded object, for those who look for programs and maps of theirs in it (live/cost/cost_limit.h). */
struct bpf_object *lkst_programs_object(const struct lkst_programs *p);

/* Lists the hooks that the loaded programs are for. None is attached yet. */
int lkst_programs_list_hooks(struct lkst_err *e, const struct lkst_programs *p,
			     const struct lkst_plan *plan, struct lkst_hooks *hooks);

/* A descriptor of the link that lists threads when it is read through an iterator. Close it. */
int lkst_programs_link_threads(struct lkst_err *e, const struct lkst_programs *p);

/* The same of open files (abi/open_file.h); -errno: this kernel does not list them. */
int lkst_programs_link_open_files(const struct lkst_programs *p);

/* Descriptors of the memory array and the control page; they stay with @p. */
int lkst_programs_memory_fd(const struct lkst_programs *p);
int lkst_programs_control_fd(const struct lkst_programs *p);

/* Pins the maps that the programs of a user handler share with these (live/masks/handlers.c). */
int lkst_programs_pin_maps(struct lkst_err *e, const struct lkst_programs *p, struct lkst_own_pins *own);

/* The maps that they share, and what each is pinned as. A row without name ends the table. */
struct lkst_shared_map {
	const char *map, *pin;
};
extern const struct lkst_shared_map lkst_shared_maps[];

/* The object file that the programs are in, as it was built in. */
const void *lkst_programs_elf(size_t *ret_size);

/* What libbpf says goes to the log (base/diag.h). */
void lkst_programs_quiet(void);

/* Descriptors of the programs that switch masksets, to be closed; -1: the kernel rejected it (noted). */
int lkst_programs_command_fd(const struct lkst_programs *p, enum lkst_command command);

void lkst_programs_unload(struct lkst_programs *p);

#endif
