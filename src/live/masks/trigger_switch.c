/* SPDX-License-Identifier: GPL-2.0-only */
/* The masksets that triggers activate for a time. */
#include "live/masks/trigger_switch.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "base/cleanup.h"
#include "live/kernel/kernel_types.h"
#include "live/masks/maskset_edit.h"
#include "live/masks/masksets.h"
#include "live/programs/handler_maps.h"
#include "live/programs/handler_pins.h"

#define START_PROGRAM LKST_PROGRAM_PIN "syscall__trigger_start"

/* Has the kernel start the timer. */
static int start_timer(struct lkst_err *e, const struct lkst_session *s, u8 handler)
{
	_cleanup_close_ int fd = lkst_handler_open_pin(e, lkst_session_own_pins(s), handler, START_PROGRAM);
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
				    "maskset is activated for a time; omit --switch");
	if (lkst_handler_is_floor(lkst_session_own_pins(s)))
		return lkst_err_set(e, -ENOTSUP,
				    "this kernel is too old to activate a maskset for a time, as Linux 5.15 can; "
				    "omit --switch");
	err = lkst_maskset_get(e, s, o->maskset, notes, &set);
	if (err)
		return err;
	m->switched->is_wanted = 1;
	err = start_timer(e, s, handler);
	if (err)
		return err;
	t->arms = !(lkst_session_control(s)->armed >> set & 1);
	t->switch_to = set;
	if (t->arms)
		err = lkst_maskset_arm(e, s, set, true, notes);
	t->switch_ns = o->switch_ns;
	return err;
}

/* Ends the time of the maskset that is active for a time, if it is @set. */
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
	m->switched->is_wanted = is_wanted;
	if (heir) {
		heir->arms |= t->arms;
		return 0;
	}
	err = end_time(e, s, m->switched, t->switch_to, notes);
	return err || !t->arms ? err : lkst_maskset_arm(e, s, t->switch_to, false, notes);
}
