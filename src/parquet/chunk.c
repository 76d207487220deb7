/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A column of one group of rows. Numbers of fields and constants are those of
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift, whose names are said.
 */
#include "parquet/chunk.h"

#include <endian.h>

#include "parquet/deltas.h"
#include "parquet/runs.h"

enum {
	LEVEL = 1,	    /* of zstd: more takes longer than the trace is read */
	NUMBERED_SHARE = 2, /* a dictionary pays if a text in so many is not new */
};

/* enum Type, PageType, Encoding and CompressionCodec */
enum { BOOLEAN = 0, INT32 = 1, INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6 };
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };
enum { ZSTD = 6 };

/* enum ConvertedType, for readers that do not know LogicalType; and fields of the union LogicalType */
enum { UTF8 = 0, UINT_32 = 13, UINT_64 = 14, NOT_CONVERTED = -1 };
enum { STRING = 1, TIMESTAMP = 8, INTEGER = 10, NOT_LOGICAL = 0 };

static const struct {
	uint8_t physical, size; /* size: bytes of a value as it is stored; 0: text */
	int8_t converted;
	uint8_t logical, bits; /* bits: of an INTEGER, unsigned */
} types[] = {
	[LKST_PARQUET_BOOL] = { BOOLEAN, 1, NOT_CONVERTED, NOT_LOGICAL, 0 },
	[LKST_PARQUET_INT32] = { INT32, 4, NOT_CONVERTED, NOT_LOGICAL, 0 },
	[LKST_PARQUET_UINT32] = { INT32, 4, UINT_32, INTEGER, 32 },
	[LKST_PARQUET_INT64] = { INT64, 8, NOT_CONVERTED, NOT_LOGICAL, 0 },
	[LKST_PARQUET_UINT64] = { INT64, 8, UINT_64, INTEGER, 64 },
	[LKST_PARQUET_TIME] = { INT64, 8, NOT_CONVERTED, TIMESTAMP, 0 },
	[LKST_PARQUET_DOUBLE] = { DOUBLE, 8, NOT_CONVERTED, NOT_LOGICAL, 0 },
	[LKST_PARQUET_TEXT] = { BYTE_ARRAY, 0, UTF8, STRING, 0 },
	[LKST_PARQUET_BYTES] = { BYTE_ARRAY, 0, NOT_CONVERTED, NOT_LOGICAL, 0 },
};

void lkst_column_chunk_fini(struct lkst_column_chunk *c)
{
	struct lkst_column_chunk empty = { .type = c->type,
					   .is_required = c->is_required,
					   .is_rising = c->is_rising,
					   .prefers_plain = c->prefers_plain };

	lkst_byte_list_fini(&c->values);
	lkst_byte_list_fini(&c->pages);
	lkst_dictionary_fini(&c->dictionary);
	*c = empty;
}

/* ---- values ---------------------------------------------------------------------------------- */

static void note_row(struct lkst_column_chunk *c, uint32_t row)
{
	c->has_value[row / 8] |= (uint8_t)(1u << row % 8);
	c->nr_values++;
}

void lkst_column_chunk_int(struct lkst_column_chunk *c, uint32_t row, int64_t value)
{
	struct lkst_bounds *b = &c->bounds;
	uint64_t stored = htole64((uint64_t)value), turned = (uint64_t)value;
	uint8_t *at;
	int64_t key;

	if (c->type == LKST_PARQUET_UINT64)
		turned ^= 1ULL << 63;
	key = (int64_t)turned;
	if (!b->has_any)
		b->least = b->greatest = key;
	b->has_any = true;
	b->least = key < b->least ? key : b->least;
	b->greatest = key > b->greatest ? key : b->greatest;
	note_row(c, row);
	at = lkst_byte_list_room(&c->values, sizeof(stored));
	if (!at)
		return;
	memcpy(at, &stored, sizeof(stored));
	c->values.nr += types[c->type].size;
}

void lkst_column_chunk_double(struct lkst_column_chunk *c, uint32_t row, double value)
{
	struct lkst_bounds *b = &c->bounds;
	uint64_t stored;

	if (!b->has_any)
		b->least_double = b->greatest_double = value;
	b->has_any = true;
	b->is_unknown |= value != value;
	b->least_double = value < b->least_double ? value : b->least_double;
	b->greatest_double = value > b->greatest_double ? value : b->greatest_double;
	note_row(c, row);
	memcpy(&stored, &value, sizeof(stored));
	stored = htole64(stored);
	lkst_byte_list_add(&c->values, &stored, sizeof(stored));
}

static int compare_text(const struct lkst_bound_text *a, const void *bytes, uint32_t length)
{
	uint32_t common = a->length < length ? a->length : length;

	return memcmp(a->bytes, bytes, common) ?: (a->length > length) - (a->length < length);
}

static void note_text(struct lkst_bounds *b, const void *bytes, uint32_t length)
{
	bool is_first = !b->has_any;
	struct lkst_bound_text text = { .length = (uint8_t)length };

	b->has_any = true;
	b->is_unknown |= length > LKST_BOUND_MAX;
	if (b->is_unknown)
		return;
	memcpy(text.bytes, bytes, length);
	if (is_first || compare_text(&b->least_text, bytes, length) > 0)
		b->least_text = text;
	if (is_first || compare_text(&b->greatest_text, bytes, length) < 0)
		b->greatest_text = text;
}

static void add_plain(struct lkst_column_chunk *c, const void *bytes, uint32_t length)
{
	uint32_t stored = htole32(length);

	lkst_byte_list_add(&c->values, &stored, sizeof(stored));
	lkst_byte_list_add(&c->values, bytes, length);
}

/* From here on texts themselves are stored, also of this page. */
static void give_up_numbers(struct lkst_column_chunk *c)
{
	struct lkst_byte_list numbers = c->values;
	uint32_t i, number, length;

	c->values = (struct lkst_byte_list){ .has_failed = numbers.has_failed };
	c->prefers_plain = true;
	c->is_numbered = false;
	for (i = 0; i < numbers.nr / sizeof(number); i++) {
		const uint8_t *text;

		memcpy(&number, numbers.bytes + sizeof(number) * i, sizeof(number));
		text = lkst_dictionary_text(&c->dictionary, number, &length);
		lkst_byte_list_add(&c->values, text, length);
	}
	lkst_byte_list_fini(&numbers);
}

void lkst_column_chunk_text(struct lkst_column_chunk *c, uint32_t row, const void *bytes,
			    uint32_t length)
{
	bool is_new = true;
	int32_t number = LKST_DICTIONARY_FULL;

	if (!c->nr_values)
		c->is_numbered = !c->prefers_plain;
	if (c->is_numbered) {
		number = lkst_dictionary_number(&c->dictionary, bytes, length, &is_new);
		if (number == LKST_DICTIONARY_FULL)
			give_up_numbers(c);
	}
	if (is_new || number < 0)
		note_text(&c->bounds, bytes, length);
	if (number < 0)
		add_plain(c, bytes, length);
	else
		lkst_byte_list_add(&c->values, &number, sizeof(number));
	note_row(c, row);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Which rows have a value; nothing where all must. */
static void put_levels(struct lkst_column_chunk *c, struct lkst_byte_list *raw, uint32_t nr_rows)
{
	uint32_t length = 0;

	if (c->is_required)
		return;
	lkst_byte_list_add(raw, &length, sizeof(length));
	lkst_runs_add_same(raw, false, c->nr_skipped);
	lkst_runs_add_bits(raw, c->has_value, nr_rows);
	if (raw->has_failed)
		return;
	length = htole32((uint32_t)(raw->nr - sizeof(length)));
	memcpy(raw->bytes, &length, sizeof(length));
}

static unsigned int bits_of(uint32_t greatest)
{
	return greatest ? 32 - (unsigned int)__builtin_clz(greatest) : 1;
}

/* Of the page's values. */
static int32_t encoding_of(const struct lkst_column_chunk *c)
{
	if (c->is_numbered)
		return RLE_DICTIONARY;
	return c->is_rising && c->nr_values ? DELTA_BINARY_PACKED : PLAIN;
}

static void put_values(struct lkst_column_chunk *c, struct lkst_byte_list *raw)
{
	uint8_t width = (uint8_t)bits_of(c->dictionary.nr ? c->dictionary.nr - 1 : 0), bit;
	uint32_t i;

	if (c->is_numbered) {
		lkst_byte_list_add(raw, &width, 1);
		lkst_runs_add(raw, (const uint32_t *)(const void *)c->values.bytes, c->nr_values,
			      width);
	} else if (encoding_of(c) == DELTA_BINARY_PACKED) {
		lkst_deltas_add(raw, c->values.bytes, c->nr_values);
	} else if (c->type == LKST_PARQUET_BOOL) {
		for (i = 0; i < c->nr_values; i += 8) {
			uint8_t byte = 0;

			for (bit = 0; bit < 8 && i + bit < c->nr_values; bit++)
				byte |= (uint8_t)((c->values.bytes[i + bit] & 1) << bit);
			lkst_byte_list_add(raw, &byte, 1);
		}
	} else {
		lkst_byte_list_add(raw, c->values.bytes, c->values.nr);
	}
}

/* Compresses maker->raw into maker->packed. */
static void pack(struct lkst_page_maker *maker)
{
	size_t room = ZSTD_compressBound(maker->raw.nr), length;
	uint8_t *at;

	maker->packed.nr = 0;
	at = lkst_byte_list_room(&maker->packed, room);
	maker->has_failed |= !at || maker->raw.has_failed;
	if (maker->has_failed)
		return;
	length = ZSTD_compressCCtx(maker->zstd, at, room, maker->raw.bytes, maker->raw.nr, LEVEL);
	maker->has_failed |= ZSTD_isError(length);
	maker->packed.nr = maker->has_failed ? 0 : length;
}

/* Begins the PageHeader of what is packed. */
static struct lkst_thrift begin_header(struct lkst_page_maker *maker, struct lkst_byte_list *to,
				       int32_t type)
{
	struct lkst_thrift t = { .to = to };

	lkst_thrift_i32(&t, 1, type);
	lkst_thrift_i32(&t, 2, (int32_t)maker->raw.nr);
	lkst_thrift_i32(&t, 3, (int32_t)maker->packed.nr);
	return t;
}

static void put_data_page(struct lkst_column_chunk *c, struct lkst_page_maker *maker,
			  uint32_t nr_rows)
{
	struct lkst_thrift t;
	size_t before = c->pages.nr;

	maker->raw.nr = 0;
	put_levels(c, &maker->raw, nr_rows);
	put_values(c, &maker->raw);
	pack(maker);
	t = begin_header(maker, &c->pages, DATA_PAGE);
	lkst_thrift_struct(&t, 5); /* DataPageHeader */
	lkst_thrift_i32(&t, 1, (int32_t)(c->nr_skipped + nr_rows));
	lkst_thrift_i32(&t, 2, encoding_of(c));
	lkst_thrift_i32(&t, 3, RLE);
	lkst_thrift_i32(&t, 4, RLE);
	lkst_thrift_end(&t);
	lkst_thrift_end(&t);
	c->raw_bytes += c->pages.nr - before + maker->raw.nr;
	lkst_byte_list_add(&c->pages, maker->packed.bytes, maker->packed.nr);
	c->has_numbered |= c->is_numbered;
	c->nr_pages++;
}

size_t lkst_column_chunk_page(struct lkst_column_chunk *c, struct lkst_page_maker *maker,
			      uint32_t nr_rows)
{
	size_t before = c->pages.nr;

	c->nr_rows += nr_rows;
	c->nr_nulls += nr_rows - c->nr_values;
	if (!c->nr_values) {
		c->nr_skipped += nr_rows;
		return 0;
	}
	put_data_page(c, maker, nr_rows);
	if (c->is_numbered && c->dictionary.nr > c->nr_values / NUMBERED_SHARE)
		c->prefers_plain = true;
	c->nr_skipped = 0;
	c->nr_values = 0;
	c->values.nr = 0;
	memset(c->has_value, 0, sizeof(c->has_value));
	return c->pages.nr - before;
}

bool lkst_column_chunk_end(struct lkst_column_chunk *c, struct lkst_page_maker *maker)
{
	c->is_numbered = false;
	if (c->nr_skipped)
		put_data_page(c, maker, 0);
	c->nr_skipped = 0;
	return !(maker->has_failed || c->values.has_failed || c->pages.has_failed);
}

/* ---- in the file ----------------------------------------------------------------------------- */

/* A value as it is stored in Statistics, which is as in a page, but text without its length. */
static void put_bound(const struct lkst_column_chunk *c, struct lkst_thrift *t, uint8_t id,
		      const struct lkst_bound_text *text, double number, int64_t key)
{
	uint64_t stored = (uint64_t)key;

	if (!types[c->type].size) {
		lkst_thrift_binary(t, id, text->bytes, text->length);
		return;
	}
	if (c->type == LKST_PARQUET_UINT64)
		stored ^= 1ULL << 63;
	if (c->type == LKST_PARQUET_DOUBLE)
		memcpy(&stored, &number, sizeof(stored));
	stored = htole64(stored);
	lkst_thrift_binary(t, id, &stored, types[c->type].size);
}

static void put_bounds(const struct lkst_column_chunk *c, struct lkst_thrift *t)
{
	const struct lkst_bounds *b = &c->bounds;
	/* Zeros of both signs are the same value: each bound is the one that leaves none out. */
	double least = b->least_double == 0 ? -0.0 : b->least_double;
	double greatest = b->greatest_double == 0 ? 0.0 : b->greatest_double;

	lkst_thrift_struct(t, 12); /* Statistics */
	lkst_thrift_i64(t, 3, (int64_t)c->nr_nulls);
	if (b->has_any && !b->is_unknown) {
		put_bound(c, t, 5, &b->greatest_text, greatest, b->greatest);
		put_bound(c, t, 6, &b->least_text, least, b->least);
	}
	lkst_thrift_end(t);
}

static void put_encodings(const struct lkst_column_chunk *c, struct lkst_thrift *t)
{
	/* A dictionary page, and one without a value, is PLAIN. */
	lkst_thrift_list(t, 2, LKST_THRIFT_I32, 2u + c->has_numbered + c->is_rising);
	lkst_thrift_item_i32(t, PLAIN);
	lkst_thrift_item_i32(t, RLE);
	if (c->has_numbered)
		lkst_thrift_item_i32(t, RLE_DICTIONARY);
	if (c->is_rising)
		lkst_thrift_item_i32(t, DELTA_BINARY_PACKED);
}

static void put_meta(const struct lkst_column_chunk *c, const char *name, struct lkst_thrift *t,
		     uint64_t offset, uint64_t raw_dictionary, uint64_t packed_dictionary)
{
	lkst_thrift_struct(t, 3); /* ColumnMetaData */
	lkst_thrift_i32(t, 1, types[c->type].physical);
	put_encodings(c, t);
	lkst_thrift_list(t, 3, LKST_THRIFT_BINARY, 1);
	lkst_thrift_item_binary(t, name, strlen(name));
	lkst_thrift_i32(t, 4, ZSTD);
	lkst_thrift_i64(t, 5, (int64_t)c->nr_rows);
	lkst_thrift_i64(t, 6, (int64_t)(c->raw_bytes + raw_dictionary));
	lkst_thrift_i64(t, 7, (int64_t)(c->pages.nr + packed_dictionary));
	lkst_thrift_i64(t, 9, (int64_t)(offset + packed_dictionary));
	if (packed_dictionary)
		lkst_thrift_i64(t, 11, (int64_t)offset);
	put_bounds(c, t);
	lkst_thrift_end(t);
}

/* Writes the dictionary page; returns its bytes in the file, *@ret_raw those before compression. */
static uint64_t write_dictionary(const struct lkst_column_chunk *c, struct lkst_page_maker *maker,
				 struct lkst_out *out, uint64_t *ret_raw)
{
	struct lkst_byte_list header = {};
	struct lkst_thrift t;
	uint64_t length;

	maker->raw.nr = 0;
	lkst_byte_list_add(&maker->raw, c->dictionary.bytes.bytes, c->dictionary.bytes.nr);
	pack(maker);
	t = begin_header(maker, &header, DICTIONARY_PAGE);
	lkst_thrift_struct(&t, 7); /* DictionaryPageHeader */
	lkst_thrift_i32(&t, 1, (int32_t)c->dictionary.nr);
	lkst_thrift_i32(&t, 2, PLAIN);
	lkst_thrift_end(&t);
	lkst_thrift_end(&t);
	maker->has_failed |= header.has_failed;
	lkst_out_bytes(out, header.bytes, header.nr);
	lkst_out_bytes(out, maker->packed.bytes, maker->packed.nr);
	length = header.nr + maker->packed.nr;
	*ret_raw = header.nr + maker->raw.nr;
	lkst_byte_list_fini(&header);
	return length;
}

uint64_t lkst_column_chunk_write(const struct lkst_column_chunk *c, const char *name,
				 struct lkst_page_maker *maker, struct lkst_out *out,
				 uint64_t offset, struct lkst_thrift *t)
{
	uint64_t raw = 0, length = 0;

	if (c->has_numbered)
		length = write_dictionary(c, maker, out, &raw);
	lkst_out_bytes(out, c->pages.bytes, c->pages.nr);
	lkst_thrift_i64(t, 2, (int64_t)offset);
	put_meta(c, name, t, offset, raw, length);
	return length + c->pages.nr;
}

void lkst_column_chunk_schema(const struct lkst_parquet_column *column, struct lkst_thrift *t)
{
	uint8_t logical = types[column->type].logical;

	lkst_thrift_i32(t, 1, types[column->type].physical);
	lkst_thrift_i32(t, 3, column->is_required ? 0 : 1); /* REQUIRED, OPTIONAL */
	lkst_thrift_binary(t, 4, column->name, strlen(column->name));
	if (types[column->type].converted != NOT_CONVERTED)
		lkst_thrift_i32(t, 6, types[column->type].converted);
	if (logical == NOT_LOGICAL)
		return;
	lkst_thrift_struct(t, 10); /* LogicalType */
	lkst_thrift_struct(t, logical);
	if (logical == TIMESTAMP) {
		lkst_thrift_bool(t, 1, true); /* isAdjustedToUTC */
		lkst_thrift_struct(t, 2);     /* TimeUnit */
		lkst_thrift_struct(t, 3);     /* NANOS */
		lkst_thrift_end(t);
		lkst_thrift_end(t);
	}
	if (logical == INTEGER) {
		lkst_thrift_i8(t, 1, (int8_t)types[column->type].bits);
		lkst_thrift_bool(t, 2, false); /* isSigned */
	}
	lkst_thrift_end(t);
	lkst_thrift_end(t);
}
