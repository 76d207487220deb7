/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/made_recording.h"

#include <sys/mman.h>

#include "abi/state.h"
#include "abi/syscalls.h"
#include "lib/make_dump.h"
#include "live/session/session_fields.h"

enum {
	BLOCK = 4096,
	SHIFT = 12,
	NR_BLOCKS = 16, /* of each ring */
	NR_ELEMENTS = LKST_NR_BUFFERS + 2 * NR_BLOCKS,
};

#define MEMORY_BYTES ((size_t)NR_ELEMENTS << SHIFT)

/* The page of a buffer, with its rings where @base says; they are empty. */
static struct lkst_state *make_page(struct made_recording *r, u32 buffer, u32 base)
{
	const struct lkst_rings *rings = lkst_session_rings(r->session);
	struct lkst_state *st = lkst_rings_state(rings, 0, buffer);
	u32 level;

	st->magic = LKST_STATE_MAGIC;
	st->version = LKST_ABI_VERSION;
	st->buffer = buffer;
	st->serves = buffer;
	st->block_shift = SHIFT;
	st->nr_cpus = 1;
	memcpy(st->uuid, r->catalog->uuid, sizeof(st->uuid));
	for (level = 0; level < LKST_LEVELS; level++)
		st->ring[level] = (struct lkst_ring){ .base = base,
						      .element = base,
						      .mask = level ? 0 : NR_BLOCKS - 1,
						      .level = level,
						      .page = buffer,
						      .turn_at = UINT64_MAX };
	return st;
}

/* The stream's blocks, as its ring has them while it is written to. */
static void fill_ring(struct made_recording *r, const struct make_stream *s)
{
	const u32 buffer = lkst_instance_buffer(s->instance),
		  base = LKST_NR_BUFFERS + (buffer == MADE_BANK ? NR_BLOCKS : 0);
	struct lkst_state *st = make_page(r, buffer, base);

	if (s->used > (size_t)NR_BLOCKS << SHIFT)
		abort();
	memcpy(lkst_session_rings(r->session)->memory + ((size_t)base << SHIFT), s->bytes, s->used);
	make_ring(st, s, NR_BLOCKS);
}

static void fill_control(struct made_recording *r, u64 start_ns)
{
	struct lkst_control *c = lkst_session_control(r->session);
	u32 buffer;

	c->magic = LKST_CONTROL_MAGIC;
	c->version = LKST_ABI_VERSION;
	c->nr_cpus = 1;
	c->start_ns = start_ns;
	memcpy(c->uuid, r->catalog->uuid, sizeof(c->uuid));
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++) {
		c->page[buffer][0] = 0;
		c->next[buffer] = c->leave_to[buffer] = buffer;
	}
	c->page[MADE_BANK][0] = MADE_BANK;
	strcpy(c->buffer_name[LKST_BUFFER_MAIN], "main");
	strcpy(c->buffer_name[MADE_BANK], "bank1");
	c->bank[LKST_BUFFER_MAIN].state = LKST_BANK_TAKEN;
	c->bank[MADE_BANK].state = LKST_BANK_FREE;
}

/* The events that text may have: the scheduler's and the state's, and one system call. A trace of few is read fast. */
static struct lkst_catalog *make_events(void)
{
	const unsigned int row = (unsigned int)(lkst_syscall_find(false, "read") - lkst_syscalls);
	struct lkst_catalog *c = make_catalog_for(true), *few = lkst_catalog_new();
	struct lkst_err e;
	u16 id;

	if (!few)
		abort();
	for (id = 1; id <= LKST_NR_EVENTS; id++)
		if ((!strncmp(c->classes[id]->name, "sched_", 6) || !strncmp(c->classes[id]->name, "state_", 6)) &&
		    lkst_catalog_add(&e, few, c->classes[id]))
			abort();
	if (lkst_catalog_add_syscall(&e, few, LKST_NR_EVENTS + 1, LKST_NR_EVENTS + 2, row))
		abort();
	memcpy(few->uuid, c->uuid, sizeof(few->uuid));
	memcpy(few->boot_id, c->boot_id, sizeof(few->boot_id));
	memcpy(few->hostname, c->hostname, sizeof(few->hostname));
	memcpy(few->release, c->release, sizeof(few->release));
	memcpy(few->version, c->version, sizeof(few->version));
	memcpy(few->machine, c->machine, sizeof(few->machine));
	few->clock_offset_ns = c->clock_offset_ns;
	lkst_catalog_free(c);
	return few;
}

struct made_recording *made_recording_new(const char *text, u64 start_ns)
{
	struct made_recording *r = calloc(1, sizeof(*r));
	struct make_trace *t;
	unsigned int i;
	u8 *memory;

	memory = mmap(NULL, MEMORY_BYTES + sizeof(struct lkst_control), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!r || memory == MAP_FAILED || !(r->session = lkst_session_new()))
		abort();
	r->catalog = make_events();
	r->session->catalog = r->catalog;
	r->session->pin = 1;
	r->session->is_pinned = true;
	r->session->rings = (struct lkst_rings){ .memory = memory,
						 .memory_bytes = MEMORY_BYTES,
						 .control = (struct lkst_control *)(memory + MEMORY_BYTES),
						 .block_shift = SHIFT,
						 .nr_cpus = 1 };
	fill_control(r, start_ns);
	t = make_begin(NULL, make_events(), BLOCK);
	if (make_text(t, text)) {
		fprintf(stderr, "made_recording_new: %s\n", t->err.text);
		abort();
	}
	for (i = 0; i < t->nr_streams; i++)
		fill_ring(r, &t->streams[i]);
	make_end(t);
	r->first = malloc(MEMORY_BYTES + sizeof(struct lkst_control));
	if (!r->first)
		abort();
	memcpy(r->first, memory, MEMORY_BYTES + sizeof(struct lkst_control));
	return r;
}

void made_recording_reset(struct made_recording *r)
{
	memcpy(r->session->rings.memory, r->first, MEMORY_BYTES + sizeof(struct lkst_control));
}

void made_recording_keep(struct made_recording *r, u32 number, u64 ns, u64 until_ns, const char *reason)
{
	struct lkst_control *c = lkst_session_control(r->session);
	struct lkst_bank *bank = &c->bank[MADE_BANK];
	const size_t page = (size_t)MADE_BANK << SHIFT, blocks = (size_t)(LKST_NR_BUFFERS + NR_BLOCKS) << SHIFT;
	u8 *memory = lkst_session_rings(r->session)->memory;

	/* The one before was given up, and its memory wiped. */
	memcpy(memory + page, r->first + page, 1 << SHIFT);
	memcpy(memory + blocks, r->first + blocks, NR_BLOCKS << SHIFT);
	bank->number = c->banks.nr = number;
	bank->until_ns = c->banks.until_ns = until_ns;
	bank->cause = (struct lkst_incident_cause){ .tid = 5, .ns = ns };
	snprintf(bank->cause.reason, sizeof(bank->cause.reason), "%s", reason);
	bank->state = LKST_BANK_KEPT;
}

void made_recording_miss(struct made_recording *r, u32 number)
{
	lkst_session_control(r->session)->banks.nr = number;
}

bool made_recording_has_incident(const struct made_recording *r)
{
	return lkst_session_control(r->session)->bank[MADE_BANK].state == LKST_BANK_KEPT;
}
