/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeping a moment: has all CPUs leave the active bank at a given time (abi/incident.h).
 *
 * No CPU is stopped, waited for or even told. Each finds the time in its ring as the one at which a
 * block is to be opened, compares the time of its next record with it, as it does anyway, and switches. So an
 * idle CPU switches when it has something to record again.
 */
#ifndef LKST_BPF_INCIDENT_H
#define LKST_BPF_INCIDENT_H

#include "bpf/share.h"

/*
 * Wakes the processes that save incidents (src/live/drain/incident_notices.c): 8 bytes without a meaning. One page.
 */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} lkst_kept SEC(".maps") __weak;

/* The full time, near @now, whose low 48 bits in a record are @low; it may be some ns ahead of the clock. */
static __always_inline u64 lkst_whole_time(u64 low, u64 now)
{
	const u32 rest = 64 - LKST_TIME_BITS;

	return now + (u64)((s64)((low - now) << rest) >> rest);
}

/* A free bank, taken; LKST_NR_BUFFERS: there is none. */
static __always_inline u32 lkst_bank_take(void)
{
	u32 bank;

	for (bank = 0; bank < LKST_NR_BUFFERS; bank++)
		if (LKST_COMPARE_EXCHANGE(lkst_control.bank[bank].state, LKST_BANK_FREE,
					  LKST_BANK_TAKEN) == LKST_BANK_FREE)
			break;
	return bank;
}

/* Has CPU @cpu open a block at time *@at, when it finds that the bank is to be left. */
static long lkst_bank_end(u32 cpu, u64 *at)
{
	struct lkst_state *st;

	cpu &= LKST_POSSIBLE_CPUS_MAX - 1;
	st = LKST_ELEMENT_AT(&lkst_control.page[LKST_BUFFER_MAIN][cpu]);
	/* The ring of level 0 is enough: its next record switches the CPU, with all levels. */
	if (st && LKST_LOAD(st->ring[0].turn_at) > *at)
		LKST_STORE(st->ring[0].turn_at, *at);
	return 0;
}

/* The incident goes from bank @from to bank @to. Nobody else is here meanwhile. */
static __always_inline void lkst_bank_leave(const struct lkst_incident_cause *cause, u32 from,
					    u32 to, u64 until)
{
	struct lkst_bank *bank = &lkst_control.bank[from & (LKST_NR_BUFFERS - 1)];

	bank->number = ++lkst_control.banks.nr;
	bank->until_ns = until;
	bank->cause = *cause;
	lkst_control.leave_to[from & (LKST_NR_BUFFERS - 1)] = to;
	lkst_control.banks.active = to;
	lkst_control.banks.until_ns = until;
	LKST_STORE_RELEASE(bank->state, LKST_BANK_KEPT);
	/* Before the times in the rings: lkst_ring_set_turn() has the other half. */
	LKST_STORE_FENCE(lkst_control.leave_at[from & (LKST_NR_BUFFERS - 1)], until);
	LKST_LOOP(lkst_cfg.nr_cpus, LKST_POSSIBLE_CPUS_MAX, lkst_bank_end, &until);
}

/* Nobody else is here meanwhile, so that there is nobody to wait for. */
static __always_inline void lkst_incident_notify(const struct lkst_incident_cause *cause)
{
	u64 ns = cause->ns;

	if (!bpf_ringbuf_query(&lkst_kept, BPF_RB_AVAIL_DATA))
		bpf_ringbuf_output(&lkst_kept, &ns, sizeof(ns), 0);
}

/* Records it in the trace. */
static __always_inline void lkst_incident_record(const struct lkst_incident_cause *cause,
						 u32 number)
{
	lkst_recording_own(incident, r, lkst_begin_share, sizeof(*r), sizeof(*r)) {
		LKST_PUT64(r->value, cause->value);
		LKST_PUT64(r->after, cause->post_ns);
		r->number = number;
		r->trigger = cause->trigger;
		r->event = cause->id;
		r->thread = cause->tid;
	}
}

/*
 * Keeps what the active bank holds up to cause->post_ns after cause->ns. Returns the incident's number. 0: the
 * recording has no banks; or an incident is not over yet, and this becomes part of it (counted); or no bank is
 * free (counted).
 *
 * It takes some ns for each CPU of the machine, waits for nothing, and may be called wherever a record
 * may be written. Not inlined, so that the verifier looks at it once.
 */
LKST_WEAK_STEP int lkst_incident_keep(const struct lkst_incident_cause *cause)
{
	u32 from, to, number = 0;

	from = LKST_LOAD(lkst_control.banks.active) & (LKST_NR_BUFFERS - 1);
	/* A recording need not have banks. */
	if (!cause || LKST_LOAD(lkst_control.bank[from].state) == LKST_BANK_NONE)
		return 0;
	if (cause->ns < LKST_LOAD(lkst_control.banks.until_ns) ||
	    LKST_COMPARE_EXCHANGE(lkst_control.banks.is_keeping, 0, 1)) {
		LKST_COUNT(&lkst_control.banks.joined);
		return 0;
	}
	/* Another incident may have come in between. */
	from = LKST_LOAD(lkst_control.banks.active);
	to = lkst_bank_take();
	if (to < LKST_NR_BUFFERS) {
		lkst_bank_leave(cause, from, to, cause->ns + cause->post_ns + 1);
		number = LKST_LOAD(lkst_control.banks.nr);
		lkst_incident_notify(cause);
	} else {
		LKST_COUNT(&lkst_control.banks.missed);
	}
	LKST_STORE_RELEASE(lkst_control.banks.is_keeping, 0);
	if (number)
		lkst_incident_record(cause, number);
	return number;
}

#endif
