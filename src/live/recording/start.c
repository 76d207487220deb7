/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting a recording: its memory is made, its programs are loaded and attached, and it is pinned. */
#include "live/recording/start.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/hooks/pins.h"
#include "live/masks/maskset_edit.h"
#include "live/masks/maskset_hooks.h"
#include "live/masks/masksets.h"
#include "live/programs/floor.h"
#include "live/session/session_fields.h"

static void fill_state_pages(struct lkst_session *s, const struct lkst_memory *memory)
{
	u32 buffer, cpu;

	for (buffer = 0; buffer < LKST_BUFFERS_AT_START; buffer++)
		for (cpu = 0; cpu < memory->nr_cpus; cpu++)
			lkst_memory_init_state(memory, cpu, buffer, s->rings.control,
					       lkst_rings_state(&s->rings, cpu, buffer));
}

static void fill_control(struct lkst_control *c, const struct lkst_plan *plan, u32 nr_cpus)
{
	unsigned int buffer, cpu;

	c->magic = LKST_CONTROL_MAGIC;
	c->version = LKST_ABI_VERSION;
	c->nr_cpus = nr_cpus;
	c->active = LKST_MASKSET_RNOTHING;
	c->is_unordered = plan->kernel && lkst_floor_is_unordered(plan->kernel);
	c->start_ns = lkst_monotonic_ns();
	memcpy(c->uuid, plan->catalog->uuid, sizeof(c->uuid));
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++) {
		c->next[buffer] = c->leave_to[buffer] = buffer;
		for (cpu = 0; cpu < nr_cpus; cpu++)
			c->page[buffer][cpu] =
				(buffer < LKST_BUFFERS_AT_START ? buffer : LKST_BUFFER_MAIN) *
					nr_cpus +
				cpu;
	}
	strcpy(c->buffer_name[LKST_BUFFER_MAIN], "main");
	strcpy(c->buffer_name[LKST_BUFFER_LIFE], "life");
	lkst_maskset_fill_control(c, plan);
}

/* Chooses the masksets and attaches the hooks that they need. */
static int start_attach(struct lkst_err *e, struct lkst_session *s, const struct lkst_plan *plan,
			const struct lkst_session_options *options)
{
	struct lkst_notes *notes = &s->programs.notes;
	unsigned int i;
	u32 set;
	int err;

	s->maskset = lkst_maskset_first(plan);
	err = options->maskset ? lkst_maskset_get(e, s, options->maskset, notes, &s->maskset) : 0;
	if (err)
		return err;
	for (i = 0; i < options->nr_armed; i++) {
		err = lkst_maskset_get(e, s, options->armed[i], notes, &set);
		if (err)
			return err;
		s->rings.control->armed |= 1U << set;
	}
	return lkst_maskset_attach(e, s, 1U << s->maskset, NULL, notes, &set);
}

/* Has the controller of costs begin, with as much of the chosen maskset as has room. */
static int begin_limit(struct lkst_err *e, struct lkst_session *s, u32 nr_cpus)
{
	const u16 *route = s->rings.control->route[s->maskset];
	_cleanup_free_ bool *is_wanted = calloc(LKST_EVENT_SPACE, sizeof(*is_wanted));
	u32 id;

	if (!is_wanted)
		return lkst_err_sys(e, -ENOMEM, "starting to record");
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		is_wanted[id] = lkst_route_handler(route[id]) != LKST_HANDLER_NOTHING;
	return lkst_budget_begin(e, lkst_programs_object(&s->programs), &s->budget, is_wanted, nr_cpus);
}

/* Takes what stays when the skeleton is gone. */
static int take_programs(struct lkst_err *e, struct lkst_session *s, const struct lkst_plan *plan)
{
	int err = lkst_programs_list_hooks(e, &s->programs, plan, s->hooks);
	unsigned int i;

	if (err)
		return err;
	lkst_hooks_set_sampling(s->hooks, s->rings.control);
	for (i = 0; i < LKST_NR_COMMANDS; i++)
		s->command_fds[i] = lkst_programs_command_fd(&s->programs, i);
	s->threads_fd = lkst_programs_link_threads(e, &s->programs);
	s->open_files_fd = lkst_programs_link_open_files(&s->programs);
	return s->threads_fd < 0 ? s->threads_fd : 0;
}

static int start_prepare(struct lkst_err *e, struct lkst_session *s, const struct lkst_plan *plan,
			 const struct lkst_session_options *options, const struct lkst_memory *memory)
{
	_cleanup_free_ struct lkst_control *control = calloc(1, sizeof(*control));
	int err;

	if (!control)
		return lkst_err_sys(e, -ENOMEM, "starting to record");
	fill_control(control, plan, memory->nr_cpus);
	control->wish_ns = options->wish_ns;
	control->sample_ns = options->sampling.period_ns;
	control->sample_clock = options->sampling.clock;
	control->off_cpu_ns = options->off_cpu_ns;
	if (getrandom(control->address_key, sizeof(control->address_key), 0) < 0)
		return lkst_err_sys(e, -errno, "making a key");
	if (getrandom(control->memory_id, sizeof(control->memory_id), 0) < 0)
		return lkst_err_sys(e, -errno, "making an id for pages in memory");
	err = lkst_programs_load(e, &s->programs, plan, &options->filter, memory, control,
				 options->budget_ppm);
	if (err)
		return err;
	err = lkst_rings_open(e, lkst_programs_memory_fd(&s->programs),
			      lkst_programs_control_fd(&s->programs), &s->rings);
	if (err)
		return err;
	fill_state_pages(s, memory);
	err = lkst_budget_start(e, lkst_programs_object(&s->programs), plan, memory, &s->rings,
				options->budget_ppm, &s->budget);
	if (err)
		return err;
	return lkst_kernel_notes_new(e, s->catalog, memory, s->rings.control->memory_id, &s->keep) ?:
	       take_programs(e, s, plan) ?:
	       lkst_budget_group(e, &s->budget, s->hooks) ?:
	       start_attach(e, s, plan, options) ?:
	       begin_limit(e, s, memory->nr_cpus);
}

int lkst_session_start(struct lkst_err *e, const struct lkst_plan *plan,
		       const struct lkst_session_options *options,
		       struct lkst_session **ret_session)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = lkst_session_new();
	_cleanup_(lkst_memory_free) struct lkst_memory memory = {};
	_cleanup_close_ int ballast = -1;
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "starting to record");
	s->catalog = plan->catalog;
	s->is_to_be_pinned = options->is_to_be_pinned;
	err = lkst_memory_plan(e, options->buffer_bytes, options->block_bytes, options->spare_bytes,
			       options->nr_banks, plan->has_stacks, &memory);
	if (err)
		return err;
	if (options->is_on_node)
		memory.numa_node = options->numa_node;
	err = lkst_memory_check(e, &memory);
	if (err)
		return err;
	if (options->behind_bytes) {
		ballast = lkst_memory_ballast(e, &memory, options->behind_bytes);
		if (ballast < 0)
			return ballast;
	}
	err = start_prepare(e, s, plan, options, &memory);
	if (err)
		return err;
	*ret_session = lkst_take(s);
	return 0;
}

void lkst_session_arm(struct lkst_session *s, bool on)
{
	u32 set = on ? s->maskset : LKST_MASKSET_RNOTHING;

	if (s->rings.control->active == set)
		return;
	/* The store matters; without its record the trace can still be read. */
	if (lkst_maskset_switch(NULL, s, set))
		__atomic_store_n(&s->rings.control->active, set, __ATOMIC_RELEASE);
}

/* ---- pinning ---------------------------------------------------------------------------------- */

/* Pins what there may be; -1: there is not. */
static int pin_optional(struct lkst_err *e, struct lkst_own_pins *own, int fd, const char *pin)
{
	return fd < 0 ? 0 : lkst_pins_put(e, own, fd, pin);
}

static int pin_hook(struct lkst_err *e, struct lkst_own_pins *own, const struct lkst_hook *hook)
{
	char pin[sizeof(LKST_PROGRAM_PIN) + LKST_HOOK_NAME_MAX];
	int err;

	snprintf(pin, sizeof(pin), LKST_PROGRAM_PIN "%s", hook->name);
	err = lkst_pins_put(e, own, hook->program_fd, pin);
	return err ?: pin_optional(e, own, hook->link_fd, hook->name);
}

static int pin_budget(struct lkst_err *e, struct lkst_own_pins *own, const struct lkst_budget_fds *budget)
{
	/* The controller runs as long as the map that its timer is in has a pin. */
	return lkst_pins_put(e, own, budget->budget_fd, "budget") ?:
	       pin_optional(e, own, budget->kinds_fd, "kinds") ?:
	       pin_optional(e, own, budget->groups_fd, "hook-groups") ?:
	       pin_optional(e, own, budget->asks_fd, "asks") ?:
	       pin_optional(e, own, budget->timer_fd, "timer");
}

static int pin_command(struct lkst_err *e, const struct lkst_session *s, enum lkst_command command)
{
	char pin[LKST_COMMAND_PIN_MAX];

	lkst_session_command_pin(command, pin);
	return pin_optional(e, s->own_pins, s->command_fds[command], pin);
}

int lkst_session_pin(struct lkst_err *e, struct lkst_session *s)
{
	unsigned int i;
	int err;

	err = lkst_pins_put(e, s->own_pins, lkst_programs_memory_fd(&s->programs), "memory") ?:
	      lkst_pins_put(e, s->own_pins, lkst_programs_control_fd(&s->programs), "control") ?:
	      lkst_programs_pin_maps(e, &s->programs, s->own_pins) ?:
	      lkst_pins_put(e, s->own_pins, s->keep.fd, "notes") ?:
	      lkst_pins_put(e, s->own_pins, s->threads_fd, "threads") ?:
	      pin_optional(e, s->own_pins, s->open_files_fd, "open-files");
	for (i = 0; i < LKST_NR_COMMANDS && !err; i++)
		err = pin_command(e, s, i);
	err = err ?: pin_budget(e, s->own_pins, &s->budget);
	for (i = 0; i < s->hooks->nr && !err; i++)
		err = pin_hook(e, s->own_pins, &s->hooks->items[i]);
	s->is_pinned = !err;
	return err;
}

int lkst_session_keep_own(struct lkst_err *e, struct lkst_session *s)
{
	int err;

	s->own_pins = lkst_own_pins_new();
	if (!s->own_pins)
		return lkst_err_sys(e, -ENOMEM, "keeping the recording");
	err = lkst_session_pin(e, s) ?: lkst_kernel_notes_catalog(e, &s->keep, &s->own_catalog);
	if (err)
		return err;
	s->catalog = s->own_catalog;
	s->rings.control->armed |= 1U << s->maskset;
	return lkst_session_list_hooks(e, s);
}
