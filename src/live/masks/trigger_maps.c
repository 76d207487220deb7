/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps of the handler of triggers and of masksets' conditions. */
#include "live/masks/trigger_maps.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "live/programs/handler_pins.h"

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
	MAP("trigger_switch", switched, 1),
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

int lkst_trigger_maps_open(struct lkst_err *e, const struct lkst_session *s, u8 number, struct lkst_trigger_maps *m)
{
	size_t i;

	for (i = 0; i < NR_MAPS; i++) {
		_cleanup_close_ int fd = lkst_handler_open_pin(e, lkst_session_own_pins(s), number, maps[i].name);
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

u8 lkst_trigger_maps_open_any(const struct lkst_session *s, struct lkst_trigger_maps *m)
{
	struct lkst_handler h;

	if (lkst_handler_find(NULL, lkst_session_own_pins(s), LKST_TRIGGER_HANDLER, &h) ||
	    lkst_trigger_maps_open(NULL, s, h.number, m))
		return 0;
	return h.number;
}

/* ---- reading them ----------------------------------------------------------------------------- */

u32 lkst_trigger_needs(const struct lkst_session *s)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};

	if (!lkst_session_is_pinned(s) || !lkst_trigger_maps_open_any(s, &m) || !m.switched->is_on)
		return 0;
	return 1U << (m.switched->from & (LKST_MASKSETS - 1));
}

u64 lkst_trigger_forgotten(const struct lkst_session *s)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};

	return lkst_trigger_maps_open_any(s, &m) ? m.switched->forgotten : 0;
}

int lkst_trigger_check_free(struct lkst_err *e, const struct lkst_session *s, u32 set,
			    const char *name)
{
	_cleanup_(lkst_trigger_maps_close) struct lkst_trigger_maps m = {};
	u32 i;

	if (!lkst_session_is_pinned(s) || !lkst_trigger_maps_open_any(s, &m))
		return 0;
	for (i = 0; i < LKST_TRIGGERS_MAX; i++)
		if (m.triggers[i].is_used && m.triggers[i].switch_ns &&
		    m.triggers[i].switch_to == set)
			return lkst_err_set(e, -EBUSY,
					    "trigger %u (%s) switches to maskset %u (%s); remove the "
					    "trigger first",
					    i, m.triggers[i].name, set, name);
	if (m.switched->is_on && m.switched->from == set)
		return lkst_err_set(e, -EBUSY,
				    "maskset %u (%s) becomes active again when a trigger's time is "
				    "over",
				    set, name);
	return 0;
}
