/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading and unloading user handlers. */
#include "live/masks/handlers.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/program.h"
#include "base/cleanup.h"
#include "live/hooks/pins.h"
#include "live/kernel/kernel_types.h"
#include "live/masks/declare.h"
#include "live/masks/masksets.h"
#include "live/programs/floor.h"
#include "live/programs/handler_maps.h"
#include "live/programs/handler_object.h"
#include "live/programs/handler_pins.h"
#include "live/programs/link.h"
#include "live/programs/probe_load.h"
#include "live/programs/tracing.h"
#include "masks/mask_text.h"
#include "trace/format/event_types.h"

static void handlers_guard_object(struct bpf_object **object)
{
	bpf_object__close(*object);
}

/* ---- loading ---------------------------------------------------------------------------------- */

static bool handlers_is_named(const struct lkst_handler_options *o, const struct lkst_event_class *event)
{
	unsigned int i;

	if (o->wants)
		return o->wants[event->id];
	for (i = 0; i < o->nr_globs; i++)
		if (lkst_class_is_named(event, o->globs[i]))
			return true;
	return !o->nr_globs;
}

/* True if a handler that gets more programs has that for the hook of DEFAULT. */
static bool is_served(const struct lkst_hooks *hooks, u8 number, unsigned int base)
{
	unsigned int i;

	for (i = hooks->nr_default; i < hooks->nr; i++)
		if (hooks->items[i].handler == number && hooks->items[i].base == base)
			return true;
	return false;
}

/* Hooks at which no handler may be on an older kernel. */
static void leave_to_default(const struct lkst_hooks *hooks, bool *chosen)
{
	unsigned int i;

	for (i = 0; i < hooks->nr_default; i++)
		chosen[i] &= lkst_floor_lets_handle(hooks->items[i].kind, hooks->items[i].target);
}

/* A flag per hook of DEFAULT: the handler is to have a program there. NULL: no memory. */
static bool *choose_hooks(const struct lkst_session *s, const struct lkst_handler_options *o)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(s);
	const struct lkst_hooks *hooks = lkst_session_hooks(s);
	bool *chosen = calloc(hooks->nr + 1, sizeof(*chosen));
	u16 route[LKST_EVENT_SPACE];
	unsigned int i;
	u32 id;

	/* As a maskset that sends all of them to DEFAULT would need them. */
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = catalog->classes[id];

		route[id] = LKST_HANDLER_NOTHING;
		if (event && lkst_class_is_maskable(event) && handlers_is_named(o, event))
			route[id] = LKST_HANDLER_DEFAULT;
	}
	if (chosen)
		lkst_hooks_mark(hooks, route, chosen);
	for (i = 0; chosen && o->extends && i < hooks->nr_default; i++)
		chosen[i] &= !is_served(hooks, o->extends, i);
	if (chosen && lkst_handler_is_floor(hooks->own))
		leave_to_default(hooks, chosen);
	return chosen;
}

/* Those of the hooks and, with the first load, the handler's own ones that user space runs. */
static int handlers_choose_programs(struct lkst_err *e, const struct lkst_session *s,
				    struct bpf_object *object, struct bpf_object *base, const bool *chosen,
				    const struct lkst_handler_options *o)
{
	const struct lkst_hooks *hooks = lkst_session_hooks(s);
	const bool is_floor = lkst_handler_is_floor(hooks->own);
	struct bpf_program *program;
	unsigned int i, nr = 0;
	const char *name;

	/* Its own programs that user space runs are there to start timers: Linux 5.15, b00628b1c7d5. */
	bpf_object__for_each_program(program, object) bpf_program__set_autoload(
		program,
		!o->extends && !lkst_kernel_is_realtime() && !is_floor &&
			!bpf_object__find_program_by_name(base, bpf_program__name(program)));
	for (i = 0; i < hooks->nr_default; i++) {
		if (!chosen[i])
			continue;
		nr++;
		if (hooks->items[i].kind == LKST_HOOK_PROBE)
			continue; /* its program is another object's */
		name = lkst_handler_program_name(&hooks->items[i]);
		program = bpf_object__find_program_by_name(object, name);
		if (!program)
			return lkst_err_set(e, -ENOENT,
					    "the recording was started by another version of lkst, "
					    "which had %s",
					    hooks->items[i].name);
		bpf_program__set_autoload(program, true);
	}
	if (!nr && is_floor)
		return lkst_err_set(e, -ENOENT,
				    "no event of this recording matches, for this kernel is too old for handlers of "
				    "what is no tracepoint, and of nmi_handler");
	return nr ? 0
		  : lkst_err_set(e, -ENOENT,
				 "no event of this recording matches; `lkst event list` shows the "
				 "catalogue");
}

static int handlers_share_maps(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object,
			       u8 number, bool has_names)
{
	const struct lkst_shared_map *m;
	int err;

	err = lkst_handler_share(e, own, object, "lkst_mem", "memory");
	err = err ?: lkst_handler_share(e, own, object, ".data.control", "control");
	for (m = lkst_shared_maps; m->map && !err; m++)
		err = strcmp(m->pin, "config")
			      ? lkst_handler_share(e, own, object, m->map, m->pin)
			      : lkst_handler_configure(e, own, object, number, has_names);
	return err ?: lkst_handler_share_claims(e, own, object);
}

/* What the handler's object says about it; its name is the one that it is to have. */
static int read_about(struct lkst_err *e, struct bpf_object *object,
		      const struct lkst_handler_options *o, struct lkst_handler *h)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, LKST_HANDLER_ABOUT);
	struct lkst_handler_about *about;
	size_t size;
	u8 number;

	about = map ? (void *)bpf_map__initial_value(map, &size) : NULL;
	if (!about || size != sizeof(*about))
		return lkst_err_set(e, -EINVAL, "%s is not a handler: it has no LKST_HANDLER()",
				    o->file);
	if (about->version != LKST_HANDLER_VERSION)
		return lkst_err_set(e, -EINVAL,
				    "%s was built for another version of lkst; build it again",
				    o->file);
	if (o->name && strlen(o->name) >= sizeof(about->name))
		return lkst_err_set(e, -EINVAL, "a handler's name has at most %zu characters",
				    sizeof(about->name) - 1);
	if (o->name)
		snprintf(about->name, sizeof(about->name), "%s", o->name);
	snprintf(h->name, sizeof(h->name), "%.*s", (int)sizeof(h->name) - 1, about->name);
	snprintf(h->help, sizeof(h->help), "%.*s", (int)sizeof(h->help) - 1, about->help);
	if (lkst_mask_check_name(e, h->name) || !lkst_mask_parse_handler(e, h->name, &number))
		return lkst_err_set(e, -EINVAL, "\"%s\" can't be a handler's name", h->name);
	return 0;
}

static int handlers_choose_number(struct lkst_err *e, const struct lkst_own_pins *own, struct lkst_handler *h)
{
	unsigned int number, free = 0;
	struct lkst_handler other;

	for (number = LKST_HANDLER_FIRST; number <= LKST_HANDLER_LAST; number++) {
		if (!lkst_handler_get(own, number, &other))
			free = free ?: number;
		else if (!strcmp(other.name, h->name))
			return lkst_err_set(
				e, -EEXIST,
				"handler %u is called %s already; unload it, or load this "
				"one --as another",
				number, h->name);
	}
	h->number = free;
	return free ? 0 : lkst_err_set(e, -ENOSPC, "all handlers' numbers are in use");
}

static int open_base(struct lkst_err *e, const void *bytes, size_t size, struct bpf_object **ret_base)
{
	*ret_base = bpf_object__open_mem(bytes, size, NULL);
	return *ret_base ? 0 : lkst_err_sys(e, -errno, "opening the recorder's programs");
}

/* The description is pinned last: a handler that has it is complete. */
static int pin_all(struct lkst_err *e, struct lkst_own_pins *own, u8 number, struct bpf_object *object,
		   struct bpf_object *base, bool is_new)
{
	struct bpf_program *program;
	int err = 0;

	if (is_new)
		err = lkst_handler_pin_maps(e, own, object, base, number);
	bpf_object__for_each_program(program, object)
	{
		char what[sizeof(LKST_PROGRAM_PIN) + LKST_HOOK_NAME_MAX];

		if (err || !bpf_program__autoload(program))
			continue;
		snprintf(what, sizeof(what), LKST_PROGRAM_PIN "%s", bpf_program__name(program));
		err = lkst_handler_put_pin(e, own, number, what, bpf_program__fd(program));
	}
	return err || !is_new
		       ? err
		       : lkst_handler_put_pin(e, own, number, LKST_HANDLER_ABOUT_PIN,
					      bpf_object__find_map_fd_by_name(object,
									      LKST_HANDLER_ABOUT));
}

/* A probe's program for the handler is put together from what the probe was compiled to, and pinned with the others. */
static int add_probe(struct lkst_err *e, struct lkst_hooks *hooks, u8 number, u16 base,
		     const struct lkst_handler_options *o)
{
	_cleanup_free_ struct lkst_probe_row *row = NULL;
	struct lkst_probe_loading loading = { .own = hooks->own,
					      .event = hooks->items[base].target,
					      .handler = number,
					      .file = o->file,
					      .has_names = o->has_names };
	char what[sizeof(LKST_PROGRAM_PIN) + LKST_HOOK_NAME_MAX];
	_cleanup_close_ int fd = -1;
	int err = lkst_probe_row_read(e, hooks->own, loading.event, &row);

	if (err)
		return err;
	loading.row = row;
	fd = lkst_probe_load(e, &loading);
	if (fd < 0)
		return fd;
	snprintf(what, sizeof(what), LKST_PROGRAM_PIN "%s", hooks->items[base].name);
	err = lkst_handler_put_pin(e, hooks->own, number, what, fd);
	return err ?: lkst_hooks_add_handler(e, hooks, number, base, lkst_take_fd(fd), -1);
}

static int add_hooks(struct lkst_err *e, struct lkst_hooks *hooks, u8 number,
		     struct bpf_object *object, const bool *chosen,
		     const struct lkst_handler_options *o)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < hooks->nr_default && !err; i++) {
		struct bpf_program *program;
		const char *name;
		int fd;

		if (!chosen[i])
			continue;
		if (hooks->items[i].kind == LKST_HOOK_PROBE) {
			err = add_probe(e, hooks, number, (u16)i, o);
			continue;
		}
		name = lkst_handler_program_name(&hooks->items[i]);
		program = bpf_object__find_program_by_name(object, name);
		fd = dup(bpf_program__fd(program));
		err = fd < 0 ? lkst_err_sys(e, -errno, "hook %s", hooks->items[i].name)
			     : lkst_hooks_add_handler(e, hooks, number, i, fd, -1);
	}
	return err;
}

static int load_object(struct lkst_err *e, struct lkst_session *s, struct bpf_object *object,
		       struct bpf_object *base, const struct lkst_handler *h, const bool *chosen,
		       const struct lkst_handler_options *o)
{
	int err = handlers_choose_programs(e, s, object, base, chosen, o);

	err = err ?: handlers_share_maps(e, lkst_session_own_pins(s), object, h->number, o->has_names);
	if (!err && o->extends)
		err = lkst_handler_share_maps(e, lkst_session_own_pins(s), object, base, h->number);
	return err ?: lkst_declare_events(e, s, object, h->name) ?: lkst_link_load(e, object);
}

/* Removes a handler's pins and hooks, and what an interrupted load has left. */
static int remove_all(struct lkst_err *e, struct lkst_session *s, u8 number)
{
	lkst_hooks_remove_handler(lkst_session_hooks(s), number);
	return lkst_handler_drop_pins(e, lkst_session_own_pins(s), number);
}

static int identify(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object,
		    const struct lkst_handler_options *o, struct lkst_handler *h)
{
	int err;

	if (o->extends)
		return lkst_handler_get(own, o->extends, h)
			       ? 0
			       : lkst_err_set(e, -ENOENT, "handler %u is not there", o->extends);
	err = read_about(e, object, o, h);
	return err ?: handlers_choose_number(e, own, h);
}

int lkst_handler_load(struct lkst_err *e, struct lkst_session *s,
		      const struct lkst_handler_options *options, struct lkst_handler *ret_handler)
{
	_cleanup_(lkst_tracing_endp) struct lkst_tracing *tracing = NULL;
	_cleanup_(handlers_guard_object) struct bpf_object *object = NULL, *base = NULL;
	_cleanup_free_ bool *chosen = choose_hooks(s, options);
	struct lkst_own_pins *own = lkst_session_own_pins(s);
	const bool is_new = !options->extends, is_floor = lkst_handler_is_floor(own);
	struct lkst_handler h = {};
	size_t size;
	const void *programs = is_floor ? lkst_floor_elf(&size) : lkst_programs_elf(&size);
	int err = 0;

	if (!chosen)
		return lkst_err_sys(e, -ENOMEM, "loading the handler");
	/* For the few programs of a handler it would take longer than it saves. */
	if (!lkst_kernel_lets_read_memory())
		err = lkst_tracing_begin(e, NULL, &tracing);
	err = err ?:
	      lkst_link_open(e, options->file, programs, size, is_floor, &object) ?:
	      open_base(e, programs, size, &base) ?:
	      identify(e, own, object, options, &h) ?:
	      load_object(e, s, object, base, &h, chosen, options);
	if (err && is_floor)
		err = lkst_floor_explain_handler(e, err);
	if (!err && is_new)
		err = remove_all(e, s, h.number);
	if (err)
		return err;
	if (is_new)
		err = lkst_handler_object_keep(e, own, h.number, options->file, options->has_names);
	err = err ?: pin_all(e, own, h.number, object, base, is_new);
	err = err ?: add_hooks(e, lkst_session_hooks(s), h.number, object, chosen, options);
	if (err) {
		if (is_new)
			remove_all(NULL, s, h.number);
		return err;
	}
	*ret_handler = h;
	return 0;
}

/* ---- more programs of a loaded one ------------------------------------------------------------ */

int lkst_handler_extend(struct lkst_err *e, struct lkst_session *s, u8 number, const bool *ids)
{
	struct lkst_handler_options options = { .wants = ids, .extends = number };
	struct lkst_handler_object object;
	struct lkst_handler h;
	int err = lkst_handler_object_open(e, lkst_session_own_pins(s), number, &object);

	if (err)
		return err;
	options.file = object.path;
	options.has_names = object.has_names;
	err = lkst_handler_load(e, s, &options, &h);
	close(object.fd);
	return err;
}

int lkst_handler_serve(struct lkst_err *e, struct lkst_session *s, u8 number, u32 id)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(s);
	const struct lkst_hooks *hooks = lkst_session_hooks(s);
	const struct lkst_event_class *event = catalog->classes[id];
	bool ids[LKST_EVENT_SPACE] = {};
	struct lkst_handler h;
	int err;

	if (!event || event->group != LKST_GROUP_PROBE || !hooks->of[id] ||
	    lkst_hooks_serve(hooks, id, number) || !lkst_handler_get(hooks->own, number, &h))
		return lkst_handler_check(e, hooks, catalog, number, id);
	ids[id] = true;
	err = lkst_handler_extend(e, s, number, ids);
	if (err == -ENOENT)
		return lkst_handler_check(e, hooks, catalog, number, id);
	if (err)
		lkst_err_add(e, "handler %u (%s) at probe %s", number, h.name, event->name);
	return err;
}

/* ---- unloading -------------------------------------------------------------------------------- */

int lkst_handler_unload(struct lkst_err *e, struct lkst_session *s, u8 number, bool force,
			struct lkst_notes *notes)
{
	const struct lkst_control *c = lkst_session_control(s);
	u32 set, id;
	int err;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (lkst_maskset_default(c, id) == number)
			return lkst_err_set(
				e, -EBUSY,
				"it serves triggers and conditions of masksets; `lkst trigger "
				"remove` and `lkst maskset delete` remove them, and with the "
				"last one the handler");
	for (set = 0; set < LKST_MASKSETS && !force; set++) {
		unsigned int nr = lkst_maskset_count(c, set, number);

		if (nr)
			return lkst_err_set(
				e, -EBUSY,
				"maskset %u (%s) sends %u events to it; send them to "
				"another handler first, or unload with --force, which sends "
				"them to DEFAULT",
				set, c->name[set], nr);
	}
	err = lkst_maskset_withdraw(e, s, number, notes);
	if (err)
		return err;
	err = lkst_handler_drop_pins(e, lkst_session_own_pins(s), number);
	if (err)
		return err;
	lkst_hooks_remove_handler(lkst_session_hooks(s), number);
	return 0;
}
