/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of devices out of the state of a trace, and the requests that disks work on. */
#include "export/lttng/ctf_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

enum {
	NAMES_MAX = 16384,    /* of a kind */
	STATES_MAX = 1 << 19, /* threads */
	REQUESTS = 4096 * 4,  /* in sets of WAYS */
	WAYS = 4,
};

/* ---- devices and threads ---------------------------------------------------------------------- */

/* Which state record names which devices. */
static const struct {
	s16 index; /* enum lkst_event_index */
	const char *number, *name;
} rows[LKST_CTF_NR_KINDS] = {
	[LKST_CTF_IRQ] = { LKST_EV_state_irq, "irq", "name" },
	[LKST_CTF_NETDEV] = { LKST_EV_state_netdev, "ifindex", "name" },
	[LKST_CTF_DISK] = { LKST_EV_state_disk, "dev", "name" },
};

static bool ctf_names_is_state(const void *ctx, const struct lkst_stream_info *stream)
{
	return stream->buffer == LKST_BUFFER_STATE;
}

/* Of a recording in parts, each part names all devices: @seen has the numbers that the kind has by now. */
static int ctf_names_add_name(struct lkst_ctf_names *n, u32 kind, struct lkst_map *seen,
			      const struct lkst_record *r)
{
	const struct lkst_field_class *number = lkst_class_field(r->event, rows[kind].number);
	const struct lkst_field_class *name = lkst_class_field(r->event, rows[kind].name);
	struct lkst_ctf_name *added;
	const u8 *text;
	u32 length;
	int err;

	if (!number || !name || name->type != LKST_CLASS_STRING ||
	    lkst_map_find(seen, (u32)lkst_record_int(r, number)))
		return 0;
	err = lkst_map_set(seen, (u32)lkst_record_int(r, number), 1);
	if (err)
		return err == -ENOSPC ? 0 : err;
	added = lkst_vec_add(n->lists[kind], n->nr[kind]);
	if (!added)
		return -ENOMEM;
	added->number = (u32)lkst_record_int(r, number);
	text = lkst_record_field(r, (unsigned int)(name - r->event->fields), &length);
	if (length >= sizeof(added->name))
		length = sizeof(added->name) - 1;
	if (length)
		memcpy(added->name, text, length);
	return 0;
}

static int ctf_names_add_state(struct lkst_ctf_names *n, const struct lkst_record *r)
{
	const struct lkst_field_class *tid = lkst_class_field(r->event, "thread_tid");
	const struct lkst_field_class *state = lkst_class_field(r->event, "state");
	struct lkst_ctf_thread_state *added;

	if (!tid || !state || n->nr_states >= STATES_MAX)
		return 0;
	added = lkst_vec_add(n->states, n->nr_states);
	if (!added)
		return -ENOMEM;
	added->tid = (s32)lkst_record_int(r, tid);
	added->state = (u32)lkst_record_int(r, state);
	return 0;
}

static int ctf_names_by_number(const void *a, const void *b)
{
	const struct lkst_ctf_name *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

static int ctf_names_by_tid(const void *a, const void *b)
{
	const struct lkst_ctf_thread_state *x = a, *y = b;

	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

/* When the first state of the trace was taken, by the clock of its records; 0: not known. */
static u64 ctf_names_clock_of(const struct lkst_record *r)
{
	const struct lkst_field_class *at = lkst_class_field(r->event, "monotonic_ns");

	return at ? lkst_record_int(r, at) : 0;
}

/* `lkst record` takes the state at the beginning, `lkst snapshot` at the end. */
static bool is_of_beginning(const struct lkst_trace *t, u64 taken_ns)
{
	u64 begin_ns, end_ns;

	lkst_trace_range(t, &begin_ns, &end_ns);
	return taken_ns && taken_ns < begin_ns + (end_ns - begin_ns) / 2;
}

/* Reads all state; @ret_taken_ns: when the first was taken. */
static int read_state(struct lkst_ctf_names *n, struct lkst_merge *m, u64 *ret_taken_ns)
{
	struct lkst_map seen[LKST_CTF_NR_KINDS];
	struct lkst_record r;
	u32 kind, nr_clocks = 0;
	int err = 0;

	*ret_taken_ns = 0;
	for (kind = 0; kind < LKST_CTF_NR_KINDS; kind++)
		seen[kind] = (struct lkst_map){ .max = NAMES_MAX };
	while (!err && lkst_merge_next(m, &r) > 0) {
		for (kind = 0; kind < LKST_CTF_NR_KINDS && !err; kind++)
			if (r.event->index == rows[kind].index)
				err = ctf_names_add_name(n, kind, &seen[kind], &r);
		if (r.event->index == LKST_EV_state_clock && !nr_clocks++)
			*ret_taken_ns = ctf_names_clock_of(&r);
		/* Of a recording in parts only the first list is of the beginning. */
		if (r.event->index == LKST_EV_state_thread && nr_clocks <= 1 && !err)
			err = ctf_names_add_state(n, &r);
	}
	for (kind = 0; kind < LKST_CTF_NR_KINDS; kind++)
		lkst_map_fini(&seen[kind]);
	return err;
}

int lkst_ctf_names_load(struct lkst_err *e, struct lkst_ctf_names *n, struct lkst_trace *t)
{
	_cleanup_(lkst_merge_freep) struct lkst_merge *m = NULL;
	u64 taken_ns;
	u32 kind;
	int err = lkst_merge_new_of(e, t, 0, UINT64_MAX, ctf_names_is_state, NULL, &m);

	if (err)
		return err;
	err = read_state(n, m, &taken_ns);
	if (err)
		return lkst_err_sys(e, err, "reading the names of devices");
	for (kind = 0; kind < LKST_CTF_NR_KINDS; kind++)
		if (n->nr[kind])
			qsort(n->lists[kind], n->nr[kind], sizeof(*n->lists[kind]), ctf_names_by_number);
	if (!is_of_beginning(t, taken_ns))
		n->nr_states = 0;
	if (n->nr_states)
		qsort(n->states, n->nr_states, sizeof(*n->states), ctf_names_by_tid);
	return 0;
}

void lkst_ctf_names_fini(struct lkst_ctf_names *n)
{
	u32 kind;

	for (kind = 0; kind < LKST_CTF_NR_KINDS; kind++)
		free(n->lists[kind]);
	free(n->states);
	*n = (struct lkst_ctf_names){};
}

const char *lkst_ctf_name(const struct lkst_ctf_names *n, enum lkst_ctf_kind kind, u32 number)
{
	struct lkst_ctf_name key = { .number = number };
	const struct lkst_ctf_name *found = NULL;

	if (n->nr[kind])
		found = bsearch(&key, n->lists[kind], n->nr[kind], sizeof(key), ctf_names_by_number);
	return found ? found->name : "";
}

s64 lkst_ctf_thread_state(const struct lkst_ctf_names *n, s32 tid)
{
	struct lkst_ctf_thread_state key = { .tid = tid };
	const struct lkst_ctf_thread_state *found = NULL;

	if (n->nr_states)
		found = bsearch(&key, n->states, n->nr_states, sizeof(key), ctf_names_by_tid);
	return found ? (s64)found->state : -1;
}

/* ---- requests --------------------------------------------------------------------------------- */

struct ctf_names_request {
	u64 address;
	u32 rwbs;
	u32 age; /* when it was kept */
};

struct lkst_ctf_requests {
	struct ctf_names_request all[REQUESTS];
	u32 now;
};

struct lkst_ctf_requests *lkst_ctf_requests_new(void)
{
	return calloc(1, sizeof(struct lkst_ctf_requests));
}

void lkst_ctf_requests_free(struct lkst_ctf_requests *q)
{
	free(q);
}

/* The first of the places where the request may be. */
static u32 ctf_names_set_of(u64 address)
{
	return (u32)(address * 0x9e3779b97f4a7c15 >> 40) % (REQUESTS / WAYS) * WAYS;
}

void lkst_ctf_requests_keep(struct lkst_ctf_requests *q, u64 request, u32 rwbs)
{
	struct ctf_names_request *set = &q->all[ctf_names_set_of(request)], *chosen = set;
	u32 i;

	q->now++;
	for (i = 0; i < WAYS; i++) {
		if (set[i].address == request) {
			chosen = &set[i];
			break;
		}
		if (q->now - set[i].age > q->now - chosen->age)
			chosen = &set[i];
	}
	*chosen = (struct ctf_names_request){ request, rwbs, q->now };
}

u32 lkst_ctf_requests_find(const struct lkst_ctf_requests *q, u64 request)
{
	const struct ctf_names_request *set = &q->all[ctf_names_set_of(request)];
	u32 i;

	for (i = 0; i < WAYS; i++)
		if (set[i].address == request)
			return set[i].rwbs;
	return 0;
}
