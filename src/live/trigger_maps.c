/* SPDX-License-Identifier: GPL-2.0-only */
/* The handler of triggers and of masksets' conditions: its maps, and the masksets that triggers activate. */
#include "live/trigger_maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "live/handler.h"
#include "live/kernel.h"
#include "live/maskset.h"
#include "live/pins.h"

#define START_PROGRAM LKST_PROGRAM_PIN "syscall__trigger_start"

/* The maps: what each is called, where it is put, its size. */
static const struct {
	const char *name;
	size_t member, bytes;
} maps[] = {
#define MAP(name, member, nr)                                                                      \
	{                                                                                          \
		LKST_HANDLER_MAP name, offsetof(struct lkst_trigger_maps, member),                 \
			(nr) * sizeof(*((struct lkst_trigger_maps *)0)->member)                    \
	}
	MAP("triggers", triggers, LKST_TRIGGERS_MAX),
	MAP("trigger_rules", rules, LKST_TRIGGER_RULES),
	MAP("trigger_terms", terms, LKST_TRIGGER_ALL_TERMS),
	MAP("trigger_steps", steps, LKST_TRIGGER_STEPS),
	MAP("trigger_events", events, LKST_EVENT_SPACE),
	MAP("trigger_sets", sets, LKST_TRIGGER_SETS),
	MAP("trigger_switch", in_force, 1),
	MAP("mask_rows", rows, LKST_MASKSETS),
	MAP("mask_conditions", conditions, LKST_TRIGGER_MASK_CONDITIONS),
#undef MAP
};
enum { NR_MAPS = sizeof(maps) / sizeof(maps[0]) };

static size_t round_up(size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) & ~(page - 1);
}

static void **member(struct lkst_trigger_maps *m, size_t i)
{
	return (void **)((char *)m + maps[i].member);
}

int lkst_trigger_maps_open(struct lkst_err *e, u8 number, struct lkst_trigger_maps *m)
{
	size_t i;

	for (i = 0; i < NR_MAPS; i++) {
		_cleanup_close_ int fd = lkst_handler_open_pin(e, number, maps[i].name);
		void *p;

		if (fd < 0) {
			lkst_trigger_maps_close(m);
			return fd;
		}
		p = mmap(NULL, round_up(maps[i].bytes), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (p == MAP_FAILED) {
			lkst_trigger_maps_close(m);
			return lkst_err_sys(e, -errno, "mapping the triggers");
		}
		*member(m, i) = p;
	}
	return 0;
}

void lkst_trigger_maps_close(struct lkst_trigger_maps *m)
{
	size_t i;

	for (i = 0; i < NR_MAPS; i++) {
		if (*member(m, i))
			munmap(*member(m, i), round_up(maps[i].bytes));
		*member(m, i) = NULL;
	}
}

u8 lkst_trigger_maps_open_any(struct lkst_trigger_maps *m)
{
	struct lkst_err ignored;
	struct lkst_handler h;

	if (lkst_handler_find(&ignored, LKST_TRIGGER_HANDLER, &h) ||
	    lkst_trigger_maps_open(&ignored, h.number, m))
		return 0;
	return h.number;
}

/* ---- the handler ------------------------------------------------------------------------------ */

int lkst_trigger_handler_load(struct lkst_err *e, struct lkst_session *s, const char *file,
			      const bool *ids, u8 *ret_number)
{
	bool wants[LKST_EVENT_SPACE] = {}, lacks = false;
	struct lkst_handler_options options = { .file = file, .wants = wants, .has_names = true };
	struct lkst_err ignored;
	struct lkst_handler h;
	u32 id;
	int err;

	if (!lkst_handler_find(&ignored, LKST_TRIGGER_HANDLER, &h))
		options.extends = h.number;
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		wants[id] = ids[id] && !(options.extends && lkst_hooks_serve(lkst_session_hooks(s),
									     id, options.extends));
		lacks |= wants[id];
	}
	err = lacks ? lkst_handler_load(e, s, &options, &h) : 0;
	if (!err)
		*ret_number = h.number;
	return err;
}

/* True if a row of some maskset has a condition for event @id. */
static bool has_condition(const struct lkst_trigger_maps *m, u32 id)
{
	u32 set;

	for (set = 0; set < LKST_MASKSETS; set++)
		if (m->rows[set].condition[id])
			return true;
	return false;
}

static bool is_any_used(const struct lkst_trigger_maps *m)
{
	u32 i;

	for (i = 0; i < LKST_TRIGGERS_MAX; i++)
		if (m->triggers[i].is_used)
			return true;
	for (i = 0; i < LKST_EVENT_SPACE; i++)
		if (has_condition(m, i))
			return true;
	return false;
}

int lkst_trigger_handler_release(struct lkst_err *e, struct lkst_session *s,
				 struct lkst_trigger_maps *m, u8 number, struct lkst_notes *notes)
{
	const struct lkst_control *c = lkst_session_control(s);
	bool ids[LKST_EVENT_SPACE];
	u32 id;
	int err;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		ids[id] = lkst_maskset_default(c, id) == number && !m->events[id].rules &&
			  !m->events[id].steps && !has_condition(m, id);
	err = lkst_maskset_divert(e, s, ids, LKST_HANDLER_DEFAULT, notes);
	if (err || is_any_used(m))
		return err;
	return lkst_handler_unload(e, s, number, true, notes);
}

/* ---- masksets --------------------------------------------------------------------------------- */

/* Has the kernel start the timer. */
static int start_timer(struct lkst_err *e, u8 handler)
{
	_cleanup_close_ int fd = lkst_handler_open_pin(e, handler, START_PROGRAM);
	LIBBPF_OPTS(bpf_test_run_opts, options);
	int err;

	if (fd < 0)
		return fd;
	err = bpf_prog_test_run_opts(fd, &options);
	if (!err && options.retval)
		err = -ENOTSUP;
	return err ? lkst_err_sys(e, err, "starting the timer that ends a maskset's time") : 0;
}

int lkst_trigger_switch_prepare(struct lkst_err *e, struct lkst_session *s,
				struct lkst_trigger_maps *m, u32 number,
				const struct lkst_trigger_options *o, u8 handler,
				struct lkst_notes *notes)
{
	struct lkst_trigger *t = &m->triggers[number];
	u32 set;
	int err;

	if (!o->maskset)
		return 0;
	if (lkst_kernel_is_realtime())
		return lkst_err_set(e, -ENOTSUP,
				    "this kernel is one for real time (PREEMPT_RT), on which no "
				    "maskset is put in force for a time; leave --switch away");
	err = lkst_maskset_get(e, s, o->maskset, notes, &set);
	if (err)
		return err;
	m->in_force->is_wanted = 1;
	err = start_timer(e, handler);
	if (err)
		return err;
	t->arms = !(lkst_session_control(s)->armed >> set & 1);
	t->switch_to = set;
	if (t->arms)
		err = lkst_maskset_arm(e, s, set, true, notes);
	t->switch_ns = o->switch_ns;
	return err;
}

/* Ends the time of the maskset that is in force for one, if it is @set. */
static int end_time(struct lkst_err *e, struct lkst_session *s, struct lkst_trigger_switch *sw,
		    u32 set, struct lkst_notes *notes)
{
	struct lkst_switch_times times;
	int err = 0;

	if (!sw->is_on || sw->to != set)
		return 0;
	if (lkst_session_control(s)->active == set)
		err = lkst_maskset_set(e, s, sw->from, notes, &times);
	__atomic_store_n(&sw->is_on, 0, __ATOMIC_RELEASE);
	return err;
}

int lkst_trigger_switch_end(struct lkst_err *e, struct lkst_session *s, struct lkst_trigger_maps *m,
			    u32 number, struct lkst_notes *notes)
{
	struct lkst_trigger *t = &m->triggers[number], *heir = NULL;
	bool is_wanted = false;
	u32 i;
	int err;

	if (!t->switch_ns)
		return 0;
	for (i = 0; i < LKST_TRIGGERS_MAX; i++) {
		struct lkst_trigger *other = &m->triggers[i];

		if (i == number || !other->is_used || !other->switch_ns)
			continue;
		is_wanted = true;
		if (other->switch_to == t->switch_to)
			heir = other;
	}
	m->in_force->is_wanted = is_wanted;
	if (heir) {
		heir->arms |= t->arms;
		return 0;
	}
	err = end_time(e, s, m->in_force, t->switch_to, notes);
	return err || !t->arms ? err : lkst_maskset_arm(e, s, t->switch_to, false, notes);
}

u32 lkst_trigger_needs(void)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};

	if (!lkst_pins_exist() || !lkst_trigger_maps_open_any(&m) || !m.in_force->is_on)
		return 0;
	return 1U << (m.in_force->from & (LKST_MASKSETS - 1));
}

u64 lkst_trigger_forgotten(void)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};

	return lkst_trigger_maps_open_any(&m) ? m.in_force->forgotten : 0;
}

int lkst_trigger_check_free(struct lkst_err *e, u32 set, const char *name)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};
	u32 i;

	if (!lkst_trigger_maps_open_any(&m))
		return 0;
	for (i = 0; i < LKST_TRIGGERS_MAX; i++)
		if (m.triggers[i].is_used && m.triggers[i].switch_ns &&
		    m.triggers[i].switch_to == set)
			return lkst_err_set(e, -EBUSY,
					    "trigger %u (%s) puts maskset %u (%s) in force; remove "
					    "that first",
					    i, m.triggers[i].name, set, name);
	if (m.in_force->is_on && m.in_force->from == set)
		return lkst_err_set(e, -EBUSY,
				    "maskset %u (%s) comes in force again when a trigger's time is "
				    "over",
				    set, name);
	return 0;
}
