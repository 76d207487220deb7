/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/make_dump.h"

void make_id(const struct make_memory *m, const u8 *uuid, u8 *ret_id)
{
	int i;

	for (i = 0; i < 16; i++)
		ret_id[i] = uuid[i] ^ m->secret;
}

u64 make_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

struct make_memory *make_memory(u32 nr)
{
	struct make_memory *m = calloc(1, sizeof(*m));
	u32 i, k;

	if (m) {
		m->nr = nr;
		m->random = 88172645463325252ULL;
		m->secret = 0xa5;
		m->pages = calloc(nr, MAKE_PAGE);
		m->taken = calloc(nr, 1);
	}
	if (!m || !m->pages || !m->taken)
		abort();
	for (i = 0; i < nr; i++)
		for (k = 0; k < MAKE_PAGE && i % 3; k++)
			m->pages[(size_t)i * MAKE_PAGE + k] =
				i % 3 == 1 ? (u8)make_random(&m->random) : (u8)('a' + k % 26);
	return m;
}

void make_memory_free(struct make_memory *m)
{
	free(m->pages);
	free(m->taken);
	free(m);
}

u8 *make_pages(struct make_memory *m, u32 nr)
{
	for (;;) {
		u32 at = (u32)(make_random(&m->random) % (m->nr - nr + 1)), i;

		for (i = 0; i < nr && !m->taken[at + i]; i++)
			;
		if (i < nr)
			continue;
		memset(m->taken + at, 1, nr);
		return m->pages + (size_t)at * MAKE_PAGE;
	}
}

u8 **make_place(struct make_memory *m, const struct make_stream *s, bool scattered)
{
	const u32 parts = s->block_size / MAKE_PAGE;
	size_t nr = s->used / s->block_size, i;
	u8 **list = calloc(nr + 1, sizeof(*list));
	u32 part;

	if (!list)
		abort();
	for (i = 0; i < nr; i++) {
		list[i] = make_pages(m, scattered ? 1 : parts);
		for (part = 0; part < parts; part++)
			memcpy(scattered && part ? make_pages(m, 1) : list[i] + part * MAKE_PAGE,
			       s->bytes + i * s->block_size + part * MAKE_PAGE, MAKE_PAGE);
		make_id(m, list[i] + offsetof(struct lkst_block_header, uuid),
			list[i] + offsetof(struct lkst_block_header, uuid));
	}
	return list;
}

struct lkst_state *make_state(struct make_memory *m, const struct lkst_catalog *c, u32 cpu,
			      u32 buffer, u32 block_size)
{
	struct lkst_state *st = (struct lkst_state *)make_pages(m, 1);
	u32 level;

	memset(st, 0, sizeof(*st));
	st->magic = LKST_STATE_MAGIC;
	make_id(m, c->uuid, st->memory_id);
	memcpy(st->uuid, c->uuid, sizeof(st->uuid));
	st->version = LKST_ABI_VERSION;
	st->cpu = cpu;
	st->buffer = buffer;
	st->block_shift = (u32)__builtin_ctz(block_size);
	for (level = 0; level < LKST_LEVELS; level++)
		st->ring[level].mask = 15;
	return st;
}

void make_ring(struct lkst_state *st, const struct make_stream *s, u32 nr_blocks)
{
	struct lkst_ring *ring = &st->ring[lkst_instance_level(s->instance)];

	ring->mask = nr_blocks - 1;
	ring->opened = s->seq;
	ring->done = s->seq ? (s->seq - 1) * s->block_size + s->at : 0;
	ring->last = s->last_ns;
}

static void make_document(struct make_memory *m, const u8 *uuid, enum lkst_note_kind kind, u64 ns,
			  const void *bytes, size_t length)
{
	u32 part, nr = lkst_note_pages(length);
	u8 id[16];

	make_id(m, uuid, id);
	for (part = 0; part < nr; part++) {
		size_t from = (size_t)part * LKST_NOTE_ROOM, left = length - from;

		lkst_note_fill((struct lkst_note *)make_pages(m, 1), id, kind, ns, part, nr,
			       (const u8 *)bytes + from,
			       left < LKST_NOTE_ROOM ? left : LKST_NOTE_ROOM);
	}
}

void make_metadata_note(struct make_memory *m, const struct lkst_catalog *c, u64 ns)
{
	struct lkst_err e;
	size_t length;
	u8 *packed;
	char *text;

	if (lkst_metadata_format(&e, c, &text) || lkst_note_pack(&e, text, &packed, &length))
		abort();
	make_document(m, c->uuid, LKST_NOTE_METADATA, ns, packed, length);
	free(text);
	free(packed);
}

void make_notes(struct make_memory *m, const struct lkst_catalog *c)
{
	struct lkst_note_start start = { .monotonic_ns = 500,
					 .boottime_ns = 500,
					 .realtime_ns = 500 + c->clock_offset_ns };
	struct {
		u32 length;
		struct lkst_rec_state_thread r;
	} thread = { sizeof(thread.r), { .thread_tid = 7, .comm = "seven" } };
	const struct lkst_event_class *class = lkst_catalog_find(c, "state_thread");

	if (!class)
		abort();
	memcpy(start.hostname, c->hostname, sizeof(start.hostname));
	memcpy(start.release, c->release, sizeof(start.release));
	make_document(m, c->uuid, LKST_NOTE_START, 500, &start, sizeof(start));
	make_metadata_note(m, c, 0);
	thread.r.head.id_time = class->id;
	make_document(m, c->uuid, LKST_NOTE_STATE, 600, &thread, sizeof(thread));
}

void make_put(struct make_file *f, size_t at, const void *bytes, size_t length)
{
	if (at + length > f->room) {
		f->room = 2 * (at + length);
		f->bytes = realloc(f->bytes, f->room);
		if (!f->bytes)
			abort();
	}
	if (at > f->length)
		memset(f->bytes + f->length, 0, at - f->length);
	if (length)
		memcpy(f->bytes + at, bytes, length);
	f->length = at + length > f->length ? at + length : f->length;
}

struct make_file make_raw(const struct make_memory *m)
{
	struct make_file f = {};

	make_put(&f, 0, m->pages, (size_t)m->nr * MAKE_PAGE);
	return f;
}

struct make_file make_elf(const struct make_memory *m, u32 nr_loads)
{
	const size_t head = sizeof(Elf64_Ehdr) + (nr_loads + 1) * sizeof(Elf64_Phdr);
	Elf64_Ehdr h = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
			 .e_type = ET_CORE,
			 .e_phoff = sizeof(h),
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = (Elf64_Half)(nr_loads + 1) };
	Elf64_Phdr note = { .p_type = PT_NOTE, .p_offset = head, .p_filesz = 32 };
	size_t at = head + 32;
	struct make_file f = {};
	u32 i;

	make_put(&f, 0, &h, sizeof(h));
	make_put(&f, sizeof(h), &note, sizeof(note));
	for (i = nr_loads; i--;) {
		u32 from = (u32)((u64)m->nr * i / nr_loads),
		    to = (u32)((u64)m->nr * (i + 1) / nr_loads);
		Elf64_Phdr p = { .p_type = PT_LOAD,
				 .p_offset = at,
				 .p_paddr = 0x100000 + (u64)from * MAKE_PAGE,
				 .p_filesz = (u64)(to - from) * MAKE_PAGE,
				 .p_memsz = (u64)(to - from) * MAKE_PAGE };

		make_put(&f, sizeof(h) + (i + 1) * sizeof(p), &p, sizeof(p));
		make_put(&f, at, m->pages + (size_t)from * MAKE_PAGE, p.p_filesz);
		at += p.p_filesz;
	}
	return f;
}

/* How far the bytes at @a and @b are the same, at most @most. */
static u32 make_common(const u8 *a, const u8 *b, u32 most)
{
	u32 n = 0;

	while (n < most && a[n] == b[n])
		n++;
	return n;
}

/* The nearest place before @at, at most 64 back, where four bytes and more repeat; 0: none. */
static u32 make_match(const u8 *page, u32 at, u32 *ret_length)
{
	u32 back, best = 0;

	*ret_length = 3;
	for (back = 1; back <= at && back <= 64 && at < MAKE_PAGE - 20; back++) {
		u32 same = make_common(page + at, page + at - back, MAKE_PAGE - 16 - at);

		if (same > *ret_length) {
			*ret_length = same;
			best = back;
		}
		if (same > 32)
			break;
	}
	return best;
}

/* LZO1X out of long runs of literals and matches of the middle kind, with their long lengths. */
static u32 make_lzo(const u8 *page, u8 *out)
{
	u32 at = 0, from = 0, n = 0, length;

	while (at < MAKE_PAGE) {
		u32 back = at - from >= 4 ? make_match(page, at, &length) : 0;

		if (!back && ++at < MAKE_PAGE)
			continue;
		/* Literals, at least four. */
		if (at - from <= 18) {
			out[n++] = (u8)(at - from - 3);
		} else {
			u32 left = at - from - 18;

			for (out[n++] = 0; left > 255; left -= 255)
				out[n++] = 0;
			out[n++] = (u8)left;
		}
		memcpy(out + n, page + from, at - from);
		n += at - from;
		from = at;
		if (!back)
			break;
		if (length > 33) {
			u32 left = length - 33;

			for (out[n++] = 32; left > 255; left -= 255)
				out[n++] = 0;
			out[n++] = (u8)left;
		} else {
			out[n++] = (u8)(32 | (length - 2));
		}
		out[n++] = (u8)((back - 1) << 2);
		out[n++] = (u8)((back - 1) >> 6);
		from = at += length;
	}
	memcpy(out + n, "\x11\0\0", 3);
	return n + 3;
}

static u32 make_snappy(const u8 *page, u8 *out)
{
	u32 at = 0, from = 0, n = 0, length;

	out[n++] = 0x80; /* 4096 in seven bits a byte */
	out[n++] = 0x20;
	while (at < MAKE_PAGE) {
		u32 back = make_match(page, at, &length);

		if (!back && ++at < MAKE_PAGE)
			continue;
		if (at > from) {
			out[n++] = 61 << 2;
			out[n++] = (u8)(at - from - 1);
			out[n++] = (u8)((at - from - 1) >> 8);
			memcpy(out + n, page + from, at - from);
			n += at - from;
		}
		if (!back)
			break;
		length = length > 64 ? 64 : length;
		if (length < 12) {
			out[n++] = (u8)(1 | (length - 4) << 2 | (back >> 8) << 5);
			out[n++] = (u8)back;
		} else {
			out[n++] = (u8)(2 | (length - 1) << 2);
			out[n++] = (u8)back;
			out[n++] = (u8)(back >> 8);
		}
		from = at += length;
	}
	return n;
}

/* Packs @page; returns the flags of its descriptor. What does not get smaller is stored. */
static u32 make_pack(const u8 *page, enum make_packing packing, u8 *out, u32 *ret_length)
{
	static const u32 flags[] = { 0, 1, 2, 4, 0x20 };
	uLongf packed = 2 * MAKE_PAGE;

	switch (packing) {
	case MAKE_STORED:
		packed = MAKE_PAGE;
		break;
	case MAKE_ZLIB:
		if (compress2(out, &packed, page, MAKE_PAGE, 1) != Z_OK)
			abort();
		break;
	case MAKE_LZO:
		packed = make_lzo(page, out);
		break;
	case MAKE_SNAPPY:
		packed = make_snappy(page, out);
		break;
	case MAKE_ZSTD:
		packed = ZSTD_compress(out, packed, page, MAKE_PAGE, 1);
		break;
	}
	*ret_length = (u32)packed;
	if (packed < MAKE_PAGE)
		return flags[packing];
	memcpy(out, page, MAKE_PAGE);
	*ret_length = MAKE_PAGE;
	return 0;
}

struct make_file make_kdump(const struct make_memory *m, enum make_packing packing)
{
	static const u8 zeros[MAKE_PAGE];
	const u32 bitmap = (m->nr / 8 + MAKE_PAGE) / MAKE_PAGE;
	size_t descriptors = (size_t)(2 + 2 * bitmap) * MAKE_PAGE, at;
	u64 zero_at = 0;
	struct make_file f = {};
	u8 packed[2 * MAKE_PAGE];
	u32 word, i;

	make_put(&f, 0, "KDUMP   \6\0\0", 12);
	make_put(&f, 12 + 130, "6.1.0-test", 11);
	word = MAKE_PAGE;
	make_put(&f, 428, &word, 4);
	word = 1;
	make_put(&f, 432, &word, 4);
	word = 2 * bitmap;
	make_put(&f, 436, &word, 4);
	at = descriptors + (size_t)m->nr * 24;
	for (i = 0; i < m->nr; i++) {
		const u8 *page = m->pages + (size_t)i * MAKE_PAGE;
		bool is_zero = !memcmp(page, zeros, MAKE_PAGE);
		struct {
			u64 offset;
			u32 size, flags;
			u64 page_flags;
		} d = { .offset = is_zero && zero_at ? zero_at : at };
		u8 bits = (u8)(i % 8 ? f.bytes[(2 + bitmap) * MAKE_PAGE + i / 8] : 0);

		d.flags = make_pack(page, packing, packed, &d.size);
		if (d.offset == at) {
			make_put(&f, at, packed, d.size);
			at += d.size;
		}
		if (is_zero)
			zero_at = d.offset;
		bits |= (u8)(1 << i % 8);
		make_put(&f, (size_t)2 * MAKE_PAGE + i / 8, &bits, 1);
		make_put(&f, (size_t)(2 + bitmap) * MAKE_PAGE + i / 8, &bits, 1);
		make_put(&f, descriptors + (size_t)i * 24, &d, sizeof(d));
	}
	return f;
}

struct make_file make_flat(const struct make_file *in)
{
	struct make_file f = {};
	u64 head[2] = { htobe64(1), htobe64(1) };
	size_t at = 0, round;
	u64 random = 12345;

	make_put(&f, 0, "makedumpfile\0\0\0", 16);
	make_put(&f, 16, head, sizeof(head));
	make_put(&f, MAKE_PAGE, NULL, 0);
	f.length = MAKE_PAGE;
	for (round = 0; round < 2; round++) {
		size_t limit = round ? in->length : in->length / 4;

		for (at = 0; at < limit;) {
			size_t length = 1 + make_random(&random) % (3 * MAKE_PAGE);
			u8 *garbage;

			length = length < limit - at ? length : limit - at;
			head[0] = htobe64(at);
			head[1] = htobe64(length);
			make_put(&f, f.length, head, sizeof(head));
			make_put(&f, f.length, in->bytes + at, length);
			garbage = f.bytes + f.length - length;
			if (!round)
				memset(garbage, 0x5a, length);
			at += length;
		}
	}
	head[0] = head[1] = UINT64_MAX;
	make_put(&f, f.length, head, sizeof(head));
	return f;
}
