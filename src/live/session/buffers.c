/* SPDX-License-Identifier: GPL-2.0-only */
/* The buffers of a recording: making, removing and linking them, and switching from one to another. */
#include "live/session/buffers.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "base/time.h"
#include "live/rings/writers.h"
#include "live/session/command.h"

bool lkst_buffer_exists(const struct lkst_session *s, u32 buffer)
{
	return buffer < LKST_NR_BUFFERS && lkst_rings_has(lkst_session_rings(s), buffer);
}

const char *lkst_buffer_name(const struct lkst_session *s, u32 buffer)
{
	return lkst_session_control(s)->buffer_name[buffer];
}

int lkst_buffer_find(struct lkst_err *e, const struct lkst_session *s, const char *word,
		     u32 *ret_buffer)
{
	char *end;
	unsigned long number = strtoul(word, &end, 10);
	u32 buffer;

	if (isdigit((unsigned char)word[0]) && !*end && number < LKST_NR_BUFFERS &&
	    lkst_buffer_exists(s, number)) {
		*ret_buffer = number;
		return 0;
	}
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		if (lkst_buffer_exists(s, buffer) &&
		    !strncmp(lkst_buffer_name(s, buffer), word, LKST_BUFFER_NAME)) {
			*ret_buffer = buffer;
			return 0;
		}
	return lkst_err_set(e, -ENOENT, "there is no buffer \"%s\"; `lkst buffer list` shows them",
			    word);
}

u32 lkst_buffer_active(const struct lkst_session *s, u32 of, u32 cpu)
{
	u32 page = __atomic_load_n(&lkst_session_control(s)->page[of][cpu], __ATOMIC_RELAXED);

	return page / lkst_session_rings(s)->nr_cpus % LKST_NR_BUFFERS;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* A run of elements. */
struct block_run {
	u64 first, end;
};

static int compare_runs(const void *a, const void *b)
{
	const struct block_run *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* All that rings occupy but those of @except, in order, and a run without length at the end. */
static struct block_run *list_used(const struct lkst_session *s, u32 except, size_t *ret_nr)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	size_t most = (size_t)LKST_NR_BUFFERS * r->nr_cpus * LKST_LEVELS, nr = 0;
	struct block_run *used = calloc(most + 1, sizeof(*used));
	u32 buffer, cpu, level;

	for (buffer = 0; used && buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; buffer != except && lkst_rings_has(r, buffer) && cpu < r->nr_cpus;
		     cpu++)
			for (level = 0; level < LKST_LEVELS; level++) {
				const struct lkst_ring *ring =
					&lkst_rings_state(r, cpu, buffer)->ring[level];

				used[nr++] = (struct block_run){ ring->base,
							   (u64)ring->base + ring->mask + 1 };
			}
	if (!used)
		return NULL;
	qsort(used, nr, sizeof(*used), compare_runs);
	used[nr].first = used[nr].end = r->memory_bytes >> r->block_shift;
	*ret_nr = nr + 1;
	return used;
}

/*
 * The first free run of @wanted elements, if buffer @except were not there; 0: there is none. *@ret_largest:
 * the length of the largest.
 */
static u64 find_run(const struct lkst_session *s, u32 except, u64 wanted, u64 *ret_largest)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	u64 at = (u64)r->nr_cpus * LKST_NR_BUFFERS, found = 0;
	size_t nr = 0, i;
	_cleanup_free_ struct block_run *used = list_used(s, except, &nr);

	for (i = 0, *ret_largest = 0; used && i < nr; i++) {
		u64 length = used[i].first > at ? used[i].first - at : 0;

		if (length >= wanted && !found)
			found = at;
		if (length > *ret_largest)
			*ret_largest = length;
		at = used[i].end > at ? used[i].end : at;
	}
	return found;
}

/* Where the rings of a buffer of @bytes would be, if they began at element 0, and how many elements that is. */
static struct lkst_ring_place *buffers_find_room(const struct lkst_session *s, u64 bytes, u64 *ret_nr)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	struct lkst_ring_place *rings = calloc((size_t)r->nr_cpus * LKST_LEVELS, sizeof(*rings));
	u32 nr_online;
	_cleanup_free_ u8 *online = lkst_memory_find_online(r->nr_cpus, &nr_online);

	if (!rings || !online) {
		free(rings);
		return NULL;
	}
	*ret_nr = lkst_memory_place(0, bytes, r->block_shift, online, r->nr_cpus, rings);
	return rings;
}

/* The largest buffer that fits @elements; 0: none does. */
static u64 largest_buffer(const struct lkst_session *s, u64 elements)
{
	u64 bytes, nr;

	for (bytes = LKST_BUFFER_BYTES_MAX; bytes >= LKST_BUFFER_BYTES_MIN; bytes /= 2) {
		struct lkst_ring_place *rings = buffers_find_room(s, bytes, &nr);

		free(rings);
		if (rings && nr <= elements)
			return bytes;
	}
	return 0;
}

u64 lkst_buffer_room(const struct lkst_session *s)
{
	u64 largest;

	find_run(s, LKST_NR_BUFFERS, UINT64_MAX, &largest);
	return largest_buffer(s, largest);
}

/* Zeroes what the ring holds, so that its blocks count from the next one on. Nobody writes to it. */
static void wipe_ring(const struct lkst_rings *r, struct lkst_ring *ring)
{
	u64 in_block = (1ULL << r->block_shift) - 1;

	/* A block without records would be begun again, and not the one after it: lkst_ring_open_next(). */
	if ((ring->done & in_block) == LKST_BLOCK_HEADER)
		ring->done += LKST_RECORD_ALIGN;
	/* In this order, so that a reader does not take blocks that are being cleared for valid ones. */
	__atomic_store_n(&ring->first, ring->done ? (ring->done >> r->block_shift) + 1 : 0,
			 __ATOMIC_SEQ_CST);
	memset(r->memory + ((u64)ring->base << r->block_shift), 0,
	       ((u64)ring->mask + 1) << r->block_shift);
	ring->turn_at = 0;
}

/* All rings of @buffer. */
static void buffers_wipe(const struct lkst_session *s, u32 buffer)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	u32 cpu, level;

	for (cpu = 0; cpu < r->nr_cpus; cpu++) {
		struct lkst_state *st = lkst_rings_state(r, cpu, buffer);

		for (level = 0; level < LKST_LEVELS; level++)
			wipe_ring(r, &st->ring[level]);
		st->marks.since_ns = lkst_monotonic_ns();
		__atomic_store_n(&st->marks.nr, 0, __ATOMIC_RELEASE);
	}
}

/* Places the rings of @buffer at @rings, from element @first on, which is zeroed memory. */
static void put_rings(const struct lkst_session *s, u32 buffer, const struct lkst_ring_place *rings,
		      u64 first)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	const struct lkst_control *c = lkst_session_control(s);
	u32 cpu, level;

	for (cpu = 0; cpu < r->nr_cpus; cpu++) {
		struct lkst_state *st = lkst_rings_state(r, cpu, buffer);

		for (level = 0; level < LKST_LEVELS; level++, rings++) {
			struct lkst_ring *ring = &st->ring[level];

			ring->base = first + rings->base;
			ring->mask = rings->nr_blocks - 1;
			/* The block before the first: its header is written when the first is opened. */
			ring->element = ring->base + ((ring->done >> r->block_shift) & ring->mask);
			ring->level = level;
			ring->page = buffer * r->nr_cpus + cpu;
		}
		memcpy(st->memory_id, c->memory_id, sizeof(st->memory_id));
		memcpy(st->uuid, c->uuid, sizeof(st->uuid));
		st->version = LKST_ABI_VERSION;
		st->cpu = cpu;
		st->buffer = st->serves = buffer;
		st->block_shift = r->block_shift;
		st->nr_cpus = r->nr_cpus;
		st->marks.since_ns = lkst_monotonic_ns();
		__atomic_store_n(&st->magic, LKST_STATE_MAGIC, __ATOMIC_RELEASE);
	}
}

static int give_memory(struct lkst_err *e, const struct lkst_session *s, u32 buffer, u64 bytes)
{
	u64 wanted, first, largest, room;
	_cleanup_free_ struct lkst_ring_place *rings = buffers_find_room(s, bytes, &wanted);
	char want[LKST_SIZE_TEXT], have[LKST_SIZE_TEXT];

	if (!rings)
		return lkst_err_sys(e, -ENOMEM, "placing a buffer");
	first = find_run(s, buffer, wanted, &largest);
	if (!first) {
		room = largest_buffer(s, largest);
		lkst_size_format(bytes, want);
		lkst_size_format(room, have);
		return lkst_err_set(e, -ENOSPC,
				    "no room for a buffer of %s per CPU, but for %s; memory for "
				    "buffers is set aside by `lkst start --spare SIZE`",
				    want, room ? have : "none");
	}
	if (lkst_buffer_exists(s, buffer))
		buffers_wipe(s, buffer);
	put_rings(s, buffer, rings, first);
	return 0;
}

/* ---- making and removing ---------------------------------------------------------------------- */

static int buffers_check_name(struct lkst_err *e, const struct lkst_session *s, const char *name)
{
	const char *p;
	u32 buffer;

	if (!name[0] || strlen(name) >= LKST_BUFFER_NAME)
		return lkst_err_set(e, -EINVAL, "a buffer's name has 1 to %u characters",
				    LKST_BUFFER_NAME - 1);
	for (p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("_-.", *p))
			return lkst_err_set(e, -EINVAL,
					    "\"%s\" can't be a buffer's name: letters, digits, "
					    "\"_\", \"-\" and \".\" can",
					    name);
	if (strspn(name, "0123456789") == strlen(name))
		return lkst_err_set(e, -EINVAL, "\"%s\" is a number, not a buffer's name", name);
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		if (lkst_buffer_exists(s, buffer) &&
		    !strncmp(lkst_buffer_name(s, buffer), name, LKST_BUFFER_NAME))
			return lkst_err_set(e, -EEXIST, "buffer %u is called %s already", buffer,
					    name);
	return 0;
}

int lkst_buffer_create(struct lkst_err *e, struct lkst_session *s, const char *name, u64 bytes,
		       u32 *ret_buffer)
{
	struct lkst_control *c = lkst_session_control(s);
	const u32 nr_cpus = lkst_session_rings(s)->nr_cpus;
	u32 buffer = LKST_BUFFERS_AT_START, cpu;
	int err = buffers_check_name(e, s, name);

	if (err)
		return err;
	while (buffer < LKST_NR_BUFFERS && lkst_buffer_exists(s, buffer))
		buffer++;
	if (buffer == LKST_NR_BUFFERS)
		return lkst_err_set(e, -ENOSPC, "all %u buffers are in use; `lkst buffer delete`",
				    LKST_NR_BUFFERS);
	err = lkst_memory_buffer_size(e, bytes, &bytes) ?: give_memory(e, s, buffer, bytes);
	if (err)
		return err;
	c->next[buffer] = c->leave_to[buffer] = buffer;
	c->leave_at[buffer] = 0;
	memset(c->buffer_name[buffer], 0, LKST_BUFFER_NAME);
	memcpy(c->buffer_name[buffer], name, strlen(name));
	for (cpu = 0; cpu < nr_cpus; cpu++)
		__atomic_store_n(&c->page[buffer][cpu], buffer * nr_cpus + cpu, __ATOMIC_RELEASE);
	*ret_buffer = buffer;
	return 0;
}

/* Banks have rules of their own (live/drain/incidents.h). */
static int refuse_bank(struct lkst_err *e, const struct lkst_session *s, u32 buffer)
{
	return lkst_session_control(s)->bank[buffer].state == LKST_BANK_NONE
		       ? 0
		       : lkst_err_set(e, -EBUSY,
				      "buffer %s is for incidents; `lkst incident list` shows them",
				      lkst_buffer_name(s, buffer));
}

/* -EBUSY: records are written to it, or may be at any time. */
static int check_unused(struct lkst_err *e, const struct lkst_session *s, u32 buffer)
{
	const struct lkst_control *c = lkst_session_control(s);
	const char *name = lkst_buffer_name(s, buffer);
	u32 set, id, of, cpu;
	int err = refuse_bank(e, s, buffer);

	if (err)
		return err;
	for (set = 0; set < LKST_MASKSETS; set++)
		for (id = 0; c->name[set][0] && id < LKST_EVENT_SPACE; id++)
			if (c->route[set][id] >> 8 == (u16)buffer &&
			    lkst_route_handler(c->route[set][id]) != LKST_HANDLER_NOTHING)
				return lkst_err_set(e, -EBUSY,
						    "maskset %u (%s) sends events to buffer %s",
						    set, c->name[set], name);
	for (of = 0; of < LKST_NR_BUFFERS; of++)
		for (cpu = 0; of != buffer && cpu < lkst_session_rings(s)->nr_cpus; cpu++)
			if (lkst_buffer_active(s, of, cpu) == buffer)
				return lkst_err_set(e, -EBUSY,
						    "CPU %u writes to buffer %s; have it switch "
						    "to another with `lkst buffer jump`",
						    cpu, name);
	for (of = 0; of < LKST_NR_BUFFERS; of++)
		if (of != buffer && lkst_buffer_exists(s, of) && c->next[of] == buffer)
			return lkst_err_set(e, -EBUSY,
					    "buffer %s leads to buffer %s; change that with `lkst "
					    "buffer link`",
					    lkst_buffer_name(s, of), name);
	return 0;
}

static int check_changeable(struct lkst_err *e, const struct lkst_session *s, u32 buffer)
{
	if (buffer < LKST_BUFFERS_AT_START)
		return lkst_err_set(e, -EPERM,
				    "buffer %s is there as long as the recording; make another "
				    "one, and switch to it with `lkst buffer jump`",
				    lkst_buffer_name(s, buffer));
	return check_unused(e, s, buffer);
}

int lkst_buffer_delete(struct lkst_err *e, struct lkst_session *s, u32 buffer)
{
	struct lkst_control *c = lkst_session_control(s);
	const struct lkst_rings *r = lkst_session_rings(s);
	int err = check_changeable(e, s, buffer);
	u32 cpu;

	if (err)
		return err;
	for (cpu = 0; cpu < r->nr_cpus; cpu++)
		c->page[buffer][cpu] = LKST_BUFFER_MAIN * r->nr_cpus + cpu;
	lkst_wait_for_writers(r->nr_cpus);
	for (cpu = 0; cpu < r->nr_cpus; cpu++)
		__atomic_store_n(&lkst_rings_state(r, cpu, buffer)->magic, 0, __ATOMIC_SEQ_CST);
	buffers_wipe(s, buffer);
	memset(c->buffer_name[buffer], 0, LKST_BUFFER_NAME);
	return 0;
}

int lkst_buffer_resize(struct lkst_err *e, struct lkst_session *s, u32 buffer, u64 bytes)
{
	int err = lkst_memory_buffer_size(e, bytes, &bytes) ?: check_changeable(e, s, buffer);

	if (err)
		return err;
	lkst_wait_for_writers(lkst_session_rings(s)->nr_cpus);
	return give_memory(e, s, buffer, bytes);
}

int lkst_buffer_clear(struct lkst_err *e, struct lkst_session *s, u32 buffer)
{
	int err = check_unused(e, s, buffer);

	if (err)
		return err;
	lkst_buffer_wipe(s, buffer);
	return 0;
}

void lkst_buffer_wipe(struct lkst_session *s, u32 buffer)
{
	lkst_wait_for_writers(lkst_session_rings(s)->nr_cpus);
	buffers_wipe(s, buffer);
}

/* ---- switching -------------------------------------------------------------------------------- */

int lkst_buffer_link(struct lkst_err *e, struct lkst_session *s, u32 buffer, u32 next)
{
	int err = refuse_bank(e, s, buffer) ?: refuse_bank(e, s, next);

	if (err)
		return err;
	__atomic_store_n(&lkst_session_control(s)->next[buffer], next, __ATOMIC_RELEASE);
	return 0;
}

/* Notes that a CPU that is not online comes to the buffer of page @st, or leaves it: lkst_buffer_mark(). */
static void buffers_mark(struct lkst_state *st)
{
	u64 nr = st->marks.nr;

	st->marks.mark[nr % LKST_MARKS] =
		(struct lkst_mark){ st->ring[0].done, lkst_monotonic_ns() };
	__atomic_store_n(&st->marks.nr, nr + 1, __ATOMIC_RELEASE);
}

/* A CPU that is not online writes nothing: its column may be changed from here. */
static void jump_for(struct lkst_session *s, u32 of, u32 to, u32 cpu)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	u32 from = lkst_buffer_active(s, of, cpu);

	if (from == to)
		return;
	buffers_mark(lkst_rings_state(r, cpu, from));
	buffers_mark(lkst_rings_state(r, cpu, to));
	lkst_rings_state(r, cpu, to)->serves = of;
	__atomic_store_n(&lkst_session_control(s)->page[of][cpu], to * r->nr_cpus + cpu,
			 __ATOMIC_RELEASE);
}

static int jump_on(struct lkst_err *e, struct lkst_session *s, u32 of, u32 to, u32 cpu)
{
	const u64 args[LKST_COMMAND_ARGS] = { of, to };
	int err = lkst_command_run(e, s, LKST_COMMAND_JUMP, args, cpu);

	if (err != -ENXIO && err != -ENOENT)
		return err;
	jump_for(s, of, to, cpu);
	return 0;
}

static int check_cpu(struct lkst_err *e, const struct lkst_session *s, int cpu)
{
	u32 nr = lkst_session_rings(s)->nr_cpus;

	return cpu == LKST_EVERY_CPU || (u32)cpu < nr
		       ? 0
		       : lkst_err_set(e, -EINVAL, "there is no CPU %d: they are 0 to %u", cpu,
				      nr - 1);
}

int lkst_buffer_jump(struct lkst_err *e, struct lkst_session *s, u32 of, u32 to, int cpu)
{
	const struct lkst_control *c = lkst_session_control(s);
	u32 nr = lkst_session_rings(s)->nr_cpus, i;
	int err = check_cpu(e, s, cpu);

	/* A CPU that goes back to main goes to the bank that stands for it now. */
	if (!err && to != c->banks.active)
		err = to == LKST_BUFFER_MAIN && c->bank[to].state ? 0 : refuse_bank(e, s, to);
	if (c->bank[to].state)
		to = c->banks.active;
	for (i = 0; i < nr && !err; i++)
		if (cpu == LKST_EVERY_CPU || (u32)cpu == i)
			err = jump_on(e, s, of, to, i);
	return err;
}

int lkst_buffer_shift(struct lkst_err *e, struct lkst_session *s, u32 of, int cpu)
{
	const struct lkst_control *c = lkst_session_control(s);
	u32 nr = lkst_session_rings(s)->nr_cpus, i;
	int err = check_cpu(e, s, cpu);

	for (i = 0; i < nr && !err; i++) {
		u32 active = lkst_buffer_active(s, of, i);
		u32 next = c->next[active] % LKST_NR_BUFFERS;

		if ((cpu != LKST_EVERY_CPU && (u32)cpu != i) || next == active ||
		    !lkst_buffer_exists(s, next))
			continue;
		err = jump_on(e, s, of, next, i);
	}
	return err;
}
