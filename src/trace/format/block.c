/* SPDX-License-Identifier: GPL-2.0-only */
/* A block's header, taken apart and checked once, and the walk over its records. */
#include "trace/format/block.h"

#include <errno.h>

#include "abi/control.h"
#include "abi/state.h"
#include "trace/format/block_walk.h"

/* Offsets in the header, by the struct that writers fill. */
#define AT(field) offsetof(struct lkst_block_header, field)

static int check_identity(struct lkst_err *e, const u8 *bytes, const u8 *uuid)
{
	u64 instance = lkst_le64(bytes + AT(stream_instance_id));
	u32 cpu = lkst_le32(bytes + AT(cpu_id));

	if (lkst_le32(bytes + AT(magic)) != LKST_BLOCK_MAGIC)
		return lkst_err_set(e, -EBADMSG, "the magic number of a block is missing");
	if (uuid && memcmp(bytes + AT(uuid), uuid, 16))
		return lkst_err_set(e, -EBADMSG, "the block belongs to another trace");
	if (lkst_le32(bytes + AT(stream_id)) != LKST_STREAM_CLASS)
		return lkst_err_set(e, -EBADMSG, "the stream class is %u",
				    lkst_le32(bytes + AT(stream_id)));
	if (cpu >= LKST_CPUS_MAX || lkst_instance_cpu(instance) != cpu ||
	    lkst_instance_level(instance) >= LKST_LEVELS)
		return lkst_err_set(e, -EBADMSG, "stream %llx and CPU %u do not go together",
				    (unsigned long long)instance, cpu);
	return 0;
}

/* Sizes in the file are in bits. */
static int check_sizes(struct lkst_err *e, const u8 *bytes, size_t available,
		       struct lkst_block *block)
{
	u64 packet = lkst_le64(bytes + AT(packet_size)),
	    content = lkst_le64(bytes + AT(content_size));
	u64 size = packet / 8;

	if (packet % 8 || (size & (size - 1)) || size < 1u << LKST_BLOCK_SHIFT_MIN ||
	    size > 1u << LKST_BLOCK_SHIFT_MAX)
		return lkst_err_set(e, -EBADMSG, "a block size of %llu bits is impossible",
				    (unsigned long long)packet);
	if (lkst_instance_buffer(lkst_le64(bytes + AT(stream_instance_id))) == LKST_BUFFER_STATE &&
	    size != 1u << LKST_BLOCK_SHIFT_MIN)
		return lkst_err_set(e, -EBADMSG, "a block of state with %llu bytes is impossible",
				    (unsigned long long)size);
	if (size > available)
		return lkst_err_set(e, -EBADMSG, "the block is cut short: %zu of %llu bytes",
				    available, (unsigned long long)size);
	if (content % 8 || content > packet || content / 8 < LKST_BLOCK_HEADER)
		return lkst_err_set(e, -EBADMSG,
				    "a content of %llu bits in a block of %llu is impossible",
				    (unsigned long long)content, (unsigned long long)packet);
	block->size = (u32)size;
	block->content = (u32)(content / 8);
	return 0;
}

static int check_times(struct lkst_err *e, const u8 *bytes, struct lkst_block *block)
{
	block->begin_ns = lkst_le64(bytes + AT(timestamp_begin));
	block->end_ns = lkst_le64(bytes + AT(timestamp_end));
	if (block->end_ns < block->begin_ns)
		return lkst_err_set(e, -EBADMSG, "the block was never closed");
	if (block->end_ns >= LKST_TIME_MAX)
		return lkst_err_set(e, -EBADMSG, "a time of %llu ns is impossible",
				    (unsigned long long)block->end_ns);
	return 0;
}

int lkst_block_parse(struct lkst_err *e, const void *bytes, size_t available, const u8 *uuid,
		     struct lkst_block *ret_block)
{
	struct lkst_block block = { .bytes = bytes };
	int err;

	if (available < LKST_BLOCK_HEADER)
		return lkst_err_set(e, -EBADMSG, "the block is cut short: %zu bytes are left",
				    available);
	err = check_identity(e, bytes, uuid) ?: check_sizes(e, bytes, available, &block)
	      ?: check_times(e, bytes, &block);
	if (err)
		return err;
	block.instance = lkst_le64(block.bytes + AT(stream_instance_id));
	block.seq = lkst_le64(block.bytes + AT(packet_seq_num));
	block.discarded = lkst_le64(block.bytes + AT(events_discarded));
	block.cpu = lkst_le32(block.bytes + AT(cpu_id));
	block.tid = (s32)lkst_le32(block.bytes + AT(tid));
	*ret_block = block;
	return 0;
}

static void block_put_u64(u8 *bytes, u64 v)
{
	v = htole64(v);
	memcpy(bytes, &v, sizeof(v));
}

struct lkst_block_missing lkst_block_missing(const struct lkst_block *last,
					     const struct lkst_block *next)
{
	struct lkst_block_missing missing = {};

	if (next->seq > last->seq)
		missing.blocks = next->seq - last->seq - 1;
	if (next->discarded > last->discarded)
		missing.events = next->discarded - last->discarded;
	return missing;
}

void lkst_block_piece(const struct lkst_block *block, u32 from, u32 to, u64 begin_ns, u64 end_ns,
		      u8 *ret_bytes)
{
	u32 length = to - from;

	memcpy(ret_bytes, block->bytes, LKST_BLOCK_HEADER);
	memcpy(ret_bytes + LKST_BLOCK_HEADER, block->bytes + from, length);
	memset(ret_bytes + LKST_BLOCK_HEADER + length, 0, block->size - LKST_BLOCK_HEADER - length);
	block_put_u64(ret_bytes + AT(timestamp_begin), begin_ns);
	block_put_u64(ret_bytes + AT(timestamp_end), end_ns);
	block_put_u64(ret_bytes + AT(content_size), (LKST_BLOCK_HEADER + length) * 8ULL);
}

const char *lkst_block_fault_text(enum lkst_block_fault fault)
{
	static const char *const text[] = {
		[LKST_FAULT_NONE] = "nothing is wrong",
		[LKST_FAULT_SHORT] = "the rest of the block is too short for a record",
		[LKST_FAULT_TIME] = "a record's time is outside its block's",
		[LKST_FAULT_ID] = "a record's id is not declared in the metadata",
		[LKST_FAULT_SIZE] = "a record passes the end of its block",
	};

	return text[fault < LKST_FAULT_NR ? fault : LKST_FAULT_NONE];
}

void lkst_block_cursor_init(struct lkst_block_cursor *cursor, const struct lkst_block *block)
{
	cursor->block = block;
	cursor->offset = LKST_BLOCK_HEADER;
	cursor->ns = block->begin_ns;
}

int lkst_block_next(struct lkst_err *e, struct lkst_block_cursor *cursor,
		    const struct lkst_catalog *catalog, struct lkst_record *ret_record)
{
	int r = lkst_block_step(cursor, catalog, ret_record);

	if (r >= 0)
		return r;
	return lkst_err_set(e, -EBADMSG, "block %llu, after byte %u: %s",
			    (unsigned long long)cursor->block->seq, cursor->offset,
			    lkst_block_fault_text((enum lkst_block_fault) - r));
}

static u16 load_16(const u8 *bytes)
{
	u16 v;

	memcpy(&v, bytes, sizeof(v));
	return le16toh(v);
}

/* An unsigned integer of 1, 2, 4 or 8 bytes. */
static u64 block_load(const u8 *bytes, u8 size)
{
	switch (size) {
	case 1:
		return bytes[0];
	case 2:
		return load_16(bytes);
	case 4:
		return lkst_le32(bytes);
	default:
		return lkst_le64(bytes);
	}
}

static u64 sign_extend(u64 v, u8 size)
{
	switch (size) {
	case 1:
		return (u64)(s64)(s8)v;
	case 2:
		return (u64)(s64)(s16)v;
	case 4:
		return (u64)(s64)(s32)v;
	default:
		return v;
	}
}

u64 lkst_record_int(const struct lkst_record *r, const struct lkst_field_class *f)
{
	if ((f->type != LKST_CLASS_UINT && f->type != LKST_CLASS_SINT) ||
	    (u32)f->offset + f->size > r->size)
		return 0;
	if (f->type == LKST_CLASS_UINT)
		return block_load(r->bytes + f->offset, f->size);
	return sign_extend(block_load(r->bytes + f->offset, f->size), f->size);
}

/* Where a field lies and how many bytes it takes. */
struct block_place {
	u32 at, size;
};

static bool is_array(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_UINTS || f->type == LKST_CLASS_SINTS;
}

/* The value of the field that holds the length of @f. */
static u64 load_length(const struct lkst_event_class *event, const u8 *bytes,
		       const struct block_place *places, const struct lkst_field_class *f)
{
	const struct lkst_field_class *length = &event->fields[f->length_field];

	return block_load(bytes + (length->offset != LKST_OFFSET_VARIES ? length->offset
								  : places[f->length_field].at),
			  length->size);
}

/*
 * Finds the place of field @i; @places has those before it whose offset varies. False if it passes
 * @room.
 */
static bool block_find_place(const struct lkst_event_class *event, const u8 *bytes, u32 room, u16 i,
			     struct block_place *places)
{
	const struct lkst_field_class *f = &event->fields[i];
	u32 align = f->size > 4 ? 4 : f->size;
	u64 length = f->size;
	const u8 *end;
	u32 at;

	/* A field without a fixed place is never the first: one of varying size is before it. */
	at = f->offset != LKST_OFFSET_VARIES ? f->offset : places[i - 1].at + places[i - 1].size;
	switch (f->type) {
	case LKST_CLASS_STRING:
		end = memchr(bytes + at, 0, room - at);
		if (!end)
			return false;
		length = (u64)(end - (bytes + at)) + 1;
		break;
	case LKST_CLASS_TEXT:
	case LKST_CLASS_BYTES:
		length = load_length(event, bytes, places, f);
		break;
	case LKST_CLASS_WORDS:
		at = (at + align - 1) & ~(align - 1);
		length = load_length(event, bytes, places, f);
		if (length > room)
			return false; /* before the product overflows */
		length *= f->size;
		break;
	case LKST_CLASS_CHARS:
		length = f->count;
		break;
	default:
		at = (at + align - 1) & ~(align - 1);
		if (is_array(f))
			length *= f->count;
	}
	if (at > room || length > room - at)
		return false;
	places[i].at = at;
	places[i].size = (u32)length;
	return true;
}

u32 lkst_record_measure(const struct lkst_event_class *event, const u8 *bytes, u32 room)
{
	struct block_place places[LKST_FIELDS_MAX];
	u16 i;

	/* What lies before the last place that is fixed is fixed too. */
	for (i = event->nr_fields - 1; event->fields[i].offset == LKST_OFFSET_VARIES; i--)
		;
	for (; i < event->nr_fields; i++)
		if (!block_find_place(event, bytes, room, i, places))
			return 0;
	return places[i - 1].at + places[i - 1].size;
}

const u8 *lkst_record_field(const struct lkst_record *r, unsigned int index, u32 *ret_length)
{
	const struct lkst_event_class *event = r->event;
	struct block_place places[LKST_FIELDS_MAX];
	const u8 *field;
	u16 i, type;

	*ret_length = 0;
	if (index >= event->nr_fields)
		return NULL;
	for (i = (u16)index; event->fields[i].offset == LKST_OFFSET_VARIES; i--)
		;
	for (; i <= index; i++)
		if (!block_find_place(event, r->bytes, r->size, i, places))
			return NULL;
	field = r->bytes + places[index].at;
	type = event->fields[index].type;
	*ret_length = places[index].size;
	if (type == LKST_CLASS_CHARS || type == LKST_CLASS_STRING)
		*ret_length = (u32)strnlen((const char *)field, places[index].size);
	return field;
}
