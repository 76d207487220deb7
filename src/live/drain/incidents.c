/* SPDX-License-Identifier: GPL-2.0-only */
/* Incidents of a recording: keeping, listing, saving and dropping moments. */
#include "live/drain/incidents.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/hooks/pins.h"
#include "live/rings/writers.h"
#include "live/session/buffers.h"
#include "live/session/command.h"
#include "live/state/readings.h"

static u32 incidents_state_of(const struct lkst_control *c, u32 bank)
{
	return __atomic_load_n(&c->bank[bank].state, __ATOMIC_ACQUIRE);
}

static void set_state(struct lkst_control *c, u32 bank, u32 state)
{
	__atomic_store_n(&c->bank[bank].state, state, __ATOMIC_RELEASE);
}

int lkst_incidents_prepare(struct lkst_err *e, struct lkst_session *s, u32 nr)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	struct lkst_control *c = lkst_session_control(s);
	u64 bytes = 0;
	u32 bank, cpu, i;
	int err = 0;

	for (cpu = 0; cpu < r->nr_cpus; cpu++) {
		const struct lkst_ring *ring = &lkst_rings_state(r, cpu, LKST_BUFFER_MAIN)->ring[0];
		u64 size = ((u64)ring->mask + 1) << r->block_shift;

		bytes = size > bytes ? size : bytes;
	}
	for (i = 1; i <= nr && !err; i++) {
		char name[LKST_BUFFER_NAME];

		snprintf(name, sizeof(name), "bank%u", i);
		err = lkst_buffer_create(e, s, name, bytes, &bank);
		if (!err)
			set_state(c, bank, LKST_BANK_FREE);
	}
	if (!err && nr) {
		c->banks.active = LKST_BUFFER_MAIN;
		set_state(c, LKST_BUFFER_MAIN, LKST_BANK_TAKEN);
	}
	return err;
}

u32 lkst_incidents_room(const struct lkst_session *s, u32 *ret_free)
{
	const struct lkst_control *c = lkst_session_control(s);
	u32 bank, nr = 0;

	for (bank = 0, *ret_free = 0; bank < LKST_NR_BUFFERS; bank++) {
		nr += incidents_state_of(c, bank) != LKST_BANK_NONE;
		*ret_free += incidents_state_of(c, bank) == LKST_BANK_FREE;
	}
	return nr ? nr - 1 : 0;
}

static int incidents_compare(const void *a, const void *b)
{
	const struct lkst_incident *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

int lkst_incidents_list(struct lkst_err *e, const struct lkst_session *s,
			struct lkst_incident **ret_incidents, u32 *ret_nr)
{
	struct lkst_incident *list = calloc(LKST_NR_BUFFERS, sizeof(*list));
	const struct lkst_control *c = lkst_session_control(s);
	u64 now = lkst_monotonic_ns();
	u32 bank, nr = 0;

	if (!list)
		return lkst_err_sys(e, -ENOMEM, "listing incidents");
	for (bank = 0; bank < LKST_NR_BUFFERS; bank++) {
		struct lkst_incident *i = &list[nr];

		if (incidents_state_of(c, bank) != LKST_BANK_KEPT)
			continue;
		i->number = c->bank[bank].number;
		i->bank = bank;
		i->until_ns = c->bank[bank].until_ns;
		i->is_over = now >= i->until_ns;
		i->cause = c->bank[bank].cause;
		i->cause.reason[sizeof(i->cause.reason) - 1] = 0;
		i->begin_ns = lkst_rings_covered_ns(lkst_session_rings(s), bank);
		nr++;
	}
	qsort(list, nr, sizeof(*list), incidents_compare);
	*ret_incidents = list;
	*ret_nr = nr;
	return 0;
}

bool lkst_incidents_have_ended(const struct lkst_control *c)
{
	u64 now = lkst_monotonic_ns();
	u32 bank;

	for (bank = 0; bank < LKST_NR_BUFFERS; bank++)
		if (incidents_state_of(c, bank) == LKST_BANK_KEPT && now >= c->bank[bank].until_ns)
			return true;
	return false;
}

u64 lkst_incidents_next_end(const struct lkst_control *c)
{
	u64 now = lkst_monotonic_ns(), first = UINT64_MAX;
	u32 bank;

	for (bank = 0; bank < LKST_NR_BUFFERS; bank++)
		if (incidents_state_of(c, bank) == LKST_BANK_KEPT && c->bank[bank].until_ns > now &&
		    c->bank[bank].until_ns < first)
			first = c->bank[bank].until_ns;
	return first == UINT64_MAX ? 0 : first;
}

u32 lkst_incidents_last(const struct lkst_session *s)
{
	const struct lkst_control *c = lkst_session_control(s);
	u32 nr = __atomic_load_n(&c->banks.nr, __ATOMIC_ACQUIRE);

	/* The program that keeps one counts it first; src/bpf/incident.h releases this when the bank can be listed. */
	return nr && __atomic_load_n(&c->banks.is_keeping, __ATOMIC_ACQUIRE) ? nr - 1 : nr;
}

/*
 * The other half of lkst_ring_set_turn() where stores are in no order. A CPU's writer that has not seen when to leave
 * @bank has stored its own time before it is waited for here, and that is replaced; a later one sees it.
 */
static void have_cpus_leave(const struct lkst_rings *r, u32 bank)
{
	const u64 leave_at = r->control->leave_at[bank];
	struct lkst_ring *ring;
	u32 cpu;

	for (cpu = 0; cpu < r->nr_cpus; cpu++) {
		lkst_wait_for_writers_of(cpu, r->nr_cpus);
		ring = &lkst_rings_state(r, cpu, bank)->ring[0];
		if (__atomic_load_n(&ring->turn_at, __ATOMIC_RELAXED) > leave_at)
			__atomic_store_n(&ring->turn_at, leave_at, __ATOMIC_RELAXED);
	}
}

/* What the kernel does not do itself for incident @number. It does not get the text of the reason. */
static void finish_keeping(const struct lkst_session *s, u32 number, const char *reason)
{
	struct lkst_control *c = lkst_session_control(s);
	u32 bank;

	for (bank = 0; bank < LKST_NR_BUFFERS; bank++) {
		if (incidents_state_of(c, bank) != LKST_BANK_KEPT || c->bank[bank].number != number)
			continue;
		snprintf(c->bank[bank].cause.reason, sizeof(c->bank[bank].cause.reason), "%s", reason);
		if (lkst_session_rings(s)->is_unordered)
			have_cpus_leave(lkst_session_rings(s), bank);
	}
}

int lkst_incident_keep(struct lkst_err *e, struct lkst_session *s, u64 post_ns, const char *reason,
		       u32 *ret_number)
{
	struct lkst_control *c = lkst_session_control(s);
	const u64 args[LKST_COMMAND_ARGS] = { post_ns }, missed = c->banks.missed;
	u32 nr_free;
	int number;

	if (!lkst_incidents_room(s, &nr_free))
		return lkst_err_set(e, -ENOENT,
				    "this recording has no room for incidents; begin one with "
				    "`lkst start --incidents NUMBER`");
	/* The incident ends here; later readings can be compared only while the records that follow exist. */
	lkst_readings_keep(s, 0);
	number = lkst_command_run(e, s, LKST_COMMAND_KEEP, args, LKST_COMMAND_ANY_CPU);
	if (number < 0)
		return number;
	if (!number && c->banks.missed != missed)
		return lkst_err_set(
			e, -ENOSPC,
			"all banks hold incidents; save them with `lkst incident save`, "
			"and make room with `lkst incident drop`");
	if (number)
		finish_keeping(s, number, reason);
	*ret_number = number;
	return 0;
}

int lkst_incident_check_over(struct lkst_err *e, const struct lkst_incident *i)
{
	u64 now = lkst_monotonic_ns();

	return now >= i->until_ns
		       ? 0
		       : lkst_err_set(e, -EAGAIN, "incident %u goes on for another %.1f s",
				      i->number, (i->until_ns - now) / 1e9);
}

int lkst_incident_claim(struct lkst_err *e, const struct lkst_session *s,
			const struct lkst_incident *incident)
{
	const struct lkst_control *c = lkst_session_control(s);
	_cleanup_close_ int fd = lkst_pins_claim_incident(e, incident->number);
	int err;

	if (fd < 0)
		return fd;
	if (incidents_state_of(c, incident->bank) != LKST_BANK_KEPT ||
	    c->bank[incident->bank].number != incident->number)
		return lkst_err_set(e, -ESTALE, "incident %u is not kept any more",
				    incident->number);
	err = lkst_incident_check_over(e, incident);
	return err ?: lkst_take_fd(fd);
}

/* How many CPUs have not left the bank because they have been idle since; they are told to leave now. */
static int tell_to_leave(struct lkst_err *e, struct lkst_session *s, u32 bank, u32 *ret_nr)
{
	u32 cpu;
	int err = 0;

	*ret_nr = 0;
	for (cpu = 0; cpu < lkst_session_rings(s)->nr_cpus && !err; cpu++) {
		if (lkst_buffer_active(s, LKST_BUFFER_MAIN, cpu) != bank)
			continue;
		(*ret_nr)++;
		err = lkst_buffer_jump(e, s, LKST_BUFFER_MAIN,
				       lkst_session_control(s)->banks.active, cpu);
	}
	return err;
}

/* Until all have left: the bank that they are sent to may become an incident at the same moment. */
static int incidents_leave(struct lkst_err *e, struct lkst_session *s, u32 bank)
{
	u32 nr, try;
	int err;

	for (try = 0; try < LKST_NR_BUFFERS; try++) {
		err = tell_to_leave(e, s, bank, &nr);
		if (err || !nr)
			return err;
	}
	return lkst_err_set(e, -EAGAIN, "CPUs still write to buffer %s; try again",
			    lkst_buffer_name(s, bank));
}

/*
 * A CPU that has been idle since an earlier incident continues in the bank that followed then. If that is this bank,
 * has the CPU continue in the one that follows this bank instead.
 */
static void let_pass(struct lkst_session *s, u32 bank)
{
	struct lkst_control *c = lkst_session_control(s);
	u32 other;

	for (other = 0; other < LKST_NR_BUFFERS; other++)
		if (other != bank && c->leave_to[other] == bank)
			__atomic_store_n(&c->leave_to[other], c->leave_to[bank], __ATOMIC_RELEASE);
	/* A writer that has read it before still comes to this bank. */
	lkst_wait_for_writers(lkst_session_rings(s)->nr_cpus);
}

int lkst_incident_drop(struct lkst_err *e, struct lkst_session *s,
		       const struct lkst_incident *incident)
{
	struct lkst_control *c = lkst_session_control(s);
	u32 bank = incident->bank;
	int err = lkst_incident_check_over(e, incident);

	if (err)
		return err;
	let_pass(s, bank);
	err = incidents_leave(e, s, bank);
	if (err)
		return err;
	lkst_buffer_wipe(s, bank);
	c->leave_to[bank] = bank;
	__atomic_store_n(&c->leave_at[bank], 0, __ATOMIC_RELEASE);
	set_state(c, bank, LKST_BANK_FREE);
	return 0;
}
