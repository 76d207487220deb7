/* SPDX-License-Identifier: GPL-2.0-only */
/* Removes from blocks what shows where the kernel is in memory. */
#include "trace/format/hide.h"

#include <endian.h>
#include <string.h>

#include "trace/format/block.h"
#include "trace/format/block_walk.h"

#define UPPER_HALF (1ULL << 63)
#define ADDRESS_BITS 62
/* No kernel begins below this: x86-64 with five levels of page tables (Documentation/arch/x86/x86_64/mm.rst). */
#define KERNEL_BEGIN 0xff00000000000000ULL
/* Pointers that are error numbers, MAX_ERRNO of include/linux/err.h, and -1. */
#define FIRST_ERROR ((u64)-4095)

/* What is hashed beside the value, so that a page's number and an address never look the same. */
enum domain {
	DOMAIN_ADDRESS,
	DOMAIN_FRAME,
};

static u64 hide_hash(const struct lkst_hider *h, enum domain domain, u64 value)
{
	const u64 words[2] = { htole64(value), htole64(domain) };

	return UPPER_HALF | lkst_siphash(h->key, words, sizeof(words)) >> (64 - ADDRESS_BITS);
}

u64 lkst_hide_address(const struct lkst_hider *h, u64 address)
{
	return address < UPPER_HALF || address >= FIRST_ERROR ? address : hide_hash(h, DOMAIN_ADDRESS, address);
}

static u64 hide_frame(const struct lkst_hider *h, u64 number)
{
	return !number || number == UINT64_MAX ? number : hide_hash(h, DOMAIN_FRAME, number);
}

/* Hides one number of 64 bits, which is known to be an address or may be one. */
static void hide_word(const struct lkst_hider *h, u8 meaning, u8 *at)
{
	u64 before = lkst_le64(at), after = before;

	if (meaning == LKST_MEANING_PFN)
		after = hide_frame(h, before);
	else if (lkst_meaning_is_address(meaning) || before >= KERNEL_BEGIN)
		after = lkst_hide_address(h, before);
	after = htole64(after);
	memcpy(at, &after, sizeof(after));
}

/* Clears what follows the end of a text of fixed room. */
static void clear_tail(u8 *bytes, u32 room)
{
	u32 length = (u32)strnlen((const char *)bytes, room);

	memset(bytes + length, 0, room - length);
}

/* Hides field number @i of a record, whose bytes may be written to. */
static void hide_field(const struct lkst_hider *h, const struct lkst_record *r, u16 i)
{
	const struct lkst_field_class *f = &r->event->fields[i];
	bool is_word = f->size == sizeof(u64) &&
		       (f->type == LKST_CLASS_UINT || f->type == LKST_CLASS_UINTS || f->type == LKST_CLASS_WORDS);
	u32 length, step = is_word ? sizeof(u64) : sizeof(u32), at;
	u8 *bytes;

	if (!is_word && f->type != LKST_CLASS_BYTES && f->type != LKST_CLASS_CHARS && f->meaning != LKST_MEANING_PAD)
		return;
	bytes = (u8 *)lkst_record_field(r, i, &length);
	if (!bytes)
		return;
	if (f->meaning == LKST_MEANING_PAD) {
		memset(bytes, 0, f->type == LKST_CLASS_CHARS ? f->count : length);
		return;
	}
	if (f->type == LKST_CLASS_CHARS) {
		clear_tail(bytes, f->count);
		return;
	}
	for (at = 0; at + sizeof(u64) <= length; at += step)
		hide_word(h, f->meaning, bytes + at);
}

/* The arguments that a program passes to a system call are its own. */
static bool is_of_programs(const struct lkst_event_class *event)
{
	return event->syscall >= 0 || event->group == LKST_GROUP_SYSCALL;
}

static void set_content(u8 *block, u32 bytes)
{
	const u64 bits = htole64(bytes * 8ULL);

	memcpy(block + offsetof(struct lkst_block_header, content_size), &bits, sizeof(bits));
}

static void hide_block(const struct lkst_hider *h, u8 *bytes, const struct lkst_block *block)
{
	struct lkst_block_cursor cursor;
	u32 end = LKST_BLOCK_HEADER;
	struct lkst_record r;
	int found;
	u16 i;

	lkst_block_cursor_init(&cursor, block);
	while ((found = lkst_block_step(&cursor, h->catalog, &r)) > 0) {
		u32 begin = (u32)(r.bytes - block->bytes);

		memset(bytes + end, 0, begin - end);
		end = begin + r.size;
		for (i = 0; i < r.event->nr_fields && !is_of_programs(r.event); i++)
			hide_field(h, &r, i);
	}
	memset(bytes + end, 0, block->size - end);
	if (found < 0)
		set_content(bytes, end);
}

void lkst_hide(const struct lkst_hider *h, u8 *blocks, size_t length)
{
	struct lkst_block block;
	size_t at;

	for (at = 0; at < length; at += block.size) {
		if (lkst_block_parse(NULL, blocks + at, length - at, NULL, &block)) {
			memset(blocks + at, 0, length - at);
			return;
		}
		hide_block(h, blocks + at, &block);
	}
}
