/* SPDX-License-Identifier: GPL-2.0-only */
/* An existing recording: opening it, and what other files ask it for. */
#include "live/session/session.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "live/hooks/pins.h"
#include "live/hooks/probe_row.h"
#include "live/hooks/probe_tracefs.h"
#include "live/programs/handler_pins.h"
#include "live/session/session_fields.h"
#include "trace/format/declared.h"

const struct lkst_notes *lkst_session_notes(const struct lkst_session *s)
{
	return &s->programs.notes;
}

struct lkst_session *lkst_session_new(void)
{
	struct lkst_session *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->keep.fd = s->threads_fd = s->open_files_fd = -1;
	memset(s->command_fds, 0xff, sizeof(s->command_fds));
	s->budget = LKST_BUDGET_NO_FDS;
	s->hooks = calloc(1, sizeof(*s->hooks));
	if (!s->hooks)
		lkst_session_close(lkst_take(s));
	return s;
}

void lkst_session_command_pin(enum lkst_command command, char pin[LKST_COMMAND_PIN_MAX])
{
	snprintf(pin, LKST_COMMAND_PIN_MAX, LKST_PROGRAM_PIN "%s", lkst_command_programs[command]);
}

static int open_notes(struct lkst_err *e, struct lkst_session *s)
{
	int fd = lkst_pins_get(e, s->own_pins, "notes"), err;

	if (fd < 0)
		return fd;
	err = lkst_kernel_notes_open(e, fd, &s->keep)
		      ?: lkst_kernel_notes_catalog(e, &s->keep, &s->own_catalog);
	s->catalog = s->own_catalog;
	return err;
}

/* What is pinned as @name, -1 if nothing is: a link, if its hook is attached. */
static int open_optional(const struct lkst_session *s, const char *name)
{
	int fd = lkst_pins_get(NULL, s->own_pins, name);

	return fd < 0 ? -1 : fd;
}

/* There are kinds only where there is a limit. */
static int open_budget(struct lkst_err *e, struct lkst_session *s)
{
	s->budget.budget_fd = lkst_pins_get(e, s->own_pins, "budget");
	if (s->budget.budget_fd < 0)
		return s->budget.budget_fd;
	s->budget.idle_fd = lkst_pins_get(e, s->own_pins, "idle");
	if (s->budget.idle_fd < 0)
		return s->budget.idle_fd;
	s->budget.kinds_fd = open_optional(s, "kinds");
	s->budget.groups_fd = open_optional(s, "hook-groups");
	s->budget.asks_fd = open_optional(s, "asks");
	return 0;
}

static int session_open_hook(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *name)
{
	struct lkst_session *s = ctx;
	enum lkst_hook_kind kind;
	const char *target;
	int fd;

	if (strncmp(name, LKST_PROGRAM_PIN, strlen(LKST_PROGRAM_PIN)))
		return 0;
	name += strlen(LKST_PROGRAM_PIN);
	if (!lkst_hook_parse(name, &kind, &target))
		return 0;
	fd = lkst_pins_get(e, own, name - strlen(LKST_PROGRAM_PIN));
	return fd < 0 ? fd : lkst_hooks_add(e, s->hooks, kind, target, fd, open_optional(s, name));
}

/* The hooks of tracepoints by name, and of probes: the catalogue shows which they are. */
static int open_by_name(struct lkst_err *e, struct lkst_session *s)
{
	u32 id;
	int err = 0;

	for (id = 0; id < LKST_EVENT_SPACE && !err; id++) {
		const struct lkst_event_class *event = s->catalog->classes[id];
		char pin[sizeof(LKST_PROGRAM_PIN) + LKST_HOOK_NAME_MAX],
			*name = pin + strlen(LKST_PROGRAM_PIN);
		enum lkst_hook_kind kind;
		int fd;

		if (!event || (event->group != LKST_GROUP_TRACEPOINT && event->group != LKST_GROUP_PROBE))
			continue;
		kind = event->group == LKST_GROUP_PROBE ? LKST_HOOK_PROBE : LKST_HOOK_BY_NAME;
		memcpy(pin, LKST_PROGRAM_PIN, sizeof(LKST_PROGRAM_PIN));
		lkst_hook_name(kind, event->name, name);
		fd = lkst_pins_get(e, s->own_pins, pin);
		/* The event of a probe that was removed stays. */
		if (fd == -ENOENT && kind == LKST_HOOK_PROBE)
			continue;
		err = fd < 0 ? fd
			     : lkst_hooks_add(e, s->hooks, kind, event->name, fd, open_optional(s, name));
	}
	return err;
}

int lkst_session_list_hooks(struct lkst_err *e, struct lkst_session *s)
{
	int err;

	lkst_hooks_fini(s->hooks);
	*s->hooks = (struct lkst_hooks){ .own = s->own_pins };
	err = lkst_pins_each(e, s->own_pins, session_open_hook, s) ?: open_by_name(e, s);
	lkst_hooks_assign(s->hooks, s->catalog);
	lkst_hooks_set_sampling(s->hooks, s->rings.control);
	err = err ?: lkst_handlers_open(e, s->hooks);
	lkst_hooks_close_links(s->hooks);
	return err;
}

static int open_programs(struct lkst_err *e, struct lkst_session *s)
{
	char pin[LKST_COMMAND_PIN_MAX];
	unsigned int i;

	s->threads_fd = lkst_pins_get(e, s->own_pins, "threads");
	if (s->threads_fd < 0)
		return s->threads_fd;
	s->open_files_fd = open_optional(s, "open-files");
	for (i = 0; i < LKST_NR_COMMANDS; i++) {
		lkst_session_command_pin(i, pin);
		s->command_fds[i] = open_optional(s, pin);
	}
	return lkst_session_list_hooks(e, s);
}

/* The inode of the control map's pin, which is unique to this recording; 0: there is none. */
static u64 pin_identity(void)
{
	char path[LKST_PIN_PATH_MAX];
	struct stat st;

	lkst_pins_path("control", path, sizeof(path));
	return stat(path, &st) ? 0 : st.st_ino;
}

int lkst_session_open(struct lkst_err *e, struct lkst_session **ret_session)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = lkst_session_new();
	_cleanup_close_ int memory = -1, control = -1;
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "opening the recording");
	if (!lkst_pins_exist())
		return lkst_err_set(e, -ENOENT, "nothing is being recorded; `lkst start` starts");
	lkst_pins_path("control", s->pin_path, sizeof(s->pin_path));
	s->pin = pin_identity();
	memory = lkst_pins_get(e, NULL, "memory");
	if (memory >= 0)
		control = lkst_pins_get(e, NULL, "control");
	err = memory < 0 ? memory : control < 0 ? control : 0;
	err = err ?:
	      lkst_rings_open(e, memory, control, &s->rings) ?:
	      open_notes(e, s) ?:
	      open_budget(e, s) ?:
	      open_programs(e, s);
	if (err == -ENOENT)
		return lkst_err_set(e, -EIO,
				    "the recording is incomplete: starting or stopping it was "
				    "interrupted; `lkst stop` clears what is left");
	if (err)
		return err;
	s->is_pinned = true;
	s->maskset = s->rings.control->active;
	*ret_session = lkst_take(s);
	return 0;
}

bool lkst_session_is_current(const struct lkst_session *s)
{
	struct stat st;

	if (!s->pin)
		return false;
	/* Most times it is where it was. To find out in which mount namespace pins are costs more than that. */
	return (!stat(s->pin_path, &st) && st.st_ino == s->pin) || s->pin == pin_identity();
}

/* Only probes may have left an event in tracefs: a service is not to mount that for nothing. */
static void remove_own_pins(struct lkst_session *s)
{
	const bool has_probes = s->own_pins && lkst_probe_row_is_any(s->own_pins);

	lkst_own_pins_free(s->own_pins);
	if (has_probes)
		lkst_probe_tracefs_sweep();
}

void lkst_session_close(struct lkst_session *s)
{
	unsigned int i;

	if (!s)
		return;
	if (s->hooks)
		lkst_hooks_fini(s->hooks);
	free(s->hooks);
	lkst_programs_unload(&s->programs);
	lkst_kernel_notes_close(&s->keep);
	lkst_closep(&s->threads_fd);
	lkst_closep(&s->open_files_fd);
	for (i = 0; i < LKST_NR_COMMANDS; i++)
		lkst_closep(&s->command_fds[i]);
	lkst_budget_close(&s->budget);
	lkst_rings_close(&s->rings);
	lkst_catalog_free(s->own_catalog);
	remove_own_pins(s);
	free(s);
}

int lkst_session_remove(struct lkst_err *e)
{
	const bool has_probes = lkst_probe_row_is_any(NULL);
	int err = lkst_pins_remove(e);

	if (has_probes)
		lkst_probe_tracefs_sweep();
	return err;
}

const struct lkst_rings *lkst_session_rings(const struct lkst_session *s)
{
	return &s->rings;
}

struct lkst_kernel_notes *lkst_session_keep(struct lkst_session *s)
{
	return &s->keep;
}

const struct lkst_catalog *lkst_session_catalog(const struct lkst_session *s)
{
	return s->catalog;
}

int lkst_session_refresh(struct lkst_err *e, const struct lkst_session *s)
{
	const u32 *nr = &s->rings.control->nr_declared;
	struct lkst_catalog *now;
	int err = 0;
	u32 id;

	/* The declaration is kept before it is counted: lkst_session_declare(). */
	if (!s->own_catalog || __atomic_load_n(nr, __ATOMIC_ACQUIRE) == s->catalog->nr_declared)
		return 0;
	err = lkst_kernel_notes_catalog(e, &s->keep, &now);
	if (err)
		return err;
	for (id = 0; id < LKST_EVENT_SPACE && !err; id++)
		if (now->classes[id] && !s->catalog->classes[id])
			err = lkst_catalog_add(e, s->own_catalog, now->classes[id]);
	lkst_catalog_free(now);
	return err;
}

int lkst_session_declare(struct lkst_err *e, struct lkst_session *s,
			 const struct lkst_event_class *event, u16 *ret_id)
{
	const struct lkst_event_class *known = lkst_catalog_find(s->catalog, event->name);
	struct lkst_event_class copy = *event;
	u16 id;
	int err;

	if (known && !lkst_event_is_same(known, event))
		return lkst_err_set(
			e, -EEXIST,
			"records of an event %s with other fields may be in the buffers; load "
			"the handler --as another",
			event->name);
	if (known) {
		*ret_id = known->id;
		return 0;
	}
	for (id = LKST_ID_NONE + 1; id < LKST_ID_MARKS && s->catalog->classes[id]; id++)
		;
	if (id == LKST_ID_MARKS)
		return lkst_err_set(e, -ENOSPC, "all %u ids of events are in use", id - 1);
	copy.id = id;
	err = lkst_catalog_add(e, s->own_catalog, &copy);
	err = err ?: lkst_kernel_notes_put_catalog(e, &s->keep, s->catalog);
	if (err)
		return err;
	/* Pairs with the load of lkst_session_refresh(). */
	__atomic_store_n(&s->rings.control->nr_declared, s->catalog->nr_declared, __ATOMIC_RELEASE);
	*ret_id = id;
	return 0;
}

int lkst_session_add_mark(struct lkst_err *e, const struct lkst_session *s, const struct lkst_event_class *event,
			  u32 nr_had, u16 *ret_id)
{
	return lkst_catalog_add_mark(e, s->catalog, event, nr_had, ret_id);
}

int lkst_session_budget(struct lkst_err *e, const struct lkst_session *s,
			struct lkst_budget_view *ret_view)
{
	return lkst_budget_read(e, &s->budget, ret_view);
}

int lkst_session_idle(struct lkst_err *e, const struct lkst_session *s, u32 cpu,
		      struct lkst_idle *ret_idle)
{
	return lkst_budget_read_idle(e, &s->budget, cpu, ret_idle);
}

const struct lkst_budget_fds *lkst_session_budget_fds(const struct lkst_session *s)
{
	return &s->budget;
}

u64 lkst_session_identity(const struct lkst_session *s)
{
	return s->pin;
}

int lkst_session_list_threads(struct lkst_err *e, const struct lkst_session *s)
{
	int fd = bpf_iter_create(s->threads_fd);

	return fd < 0 ? lkst_err_sys(e, -errno, "listing threads") : fd;
}

int lkst_session_list_open_files(const struct lkst_session *s)
{
	int fd = s->open_files_fd < 0 ? -1 : bpf_iter_create(s->open_files_fd);

	return fd < 0 ? -1 : fd;
}

int lkst_session_each_hook(struct lkst_err *e, const struct lkst_session *s,
			   int (*each)(void *ctx, const char *hook, bool is_attached, u64 skipped),
			   void *ctx)
{
	unsigned int i;
	int err;

	for (i = 0; i < s->hooks->nr; i++) {
		const struct lkst_hook *hook = &s->hooks->items[i];

		err = each(ctx, hook->name, hook->is_attached, lkst_hook_skipped(hook));
		if (err)
			return err;
	}
	return 0;
}

struct lkst_control *lkst_session_control(const struct lkst_session *s)
{
	return s->rings.control;
}

struct lkst_hooks *lkst_session_hooks(const struct lkst_session *s)
{
	return s->hooks;
}

struct lkst_own_pins *lkst_session_own_pins(const struct lkst_session *s)
{
	return s ? s->own_pins : NULL;
}

bool lkst_session_is_pinned(const struct lkst_session *s)
{
	return s->is_pinned;
}

bool lkst_session_is_to_be_pinned(const struct lkst_session *s)
{
	return s->is_pinned || s->is_to_be_pinned;
}

int lkst_session_command_fd(const struct lkst_session *s, enum lkst_command command)
{
	return s->command_fds[command];
}
