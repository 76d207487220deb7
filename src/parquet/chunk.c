/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A column of one group of rows. Numbers of fields and constants are those of
 * https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift, whose names are said.
 */
#include "parquet/chunk.h"

#include <assert.h>

#include "base/bytes.h"
#include "parquet/packed_numbers.h"

enum {
	LEVEL = 1,	    /* of zstd: more takes longer than all else */
	NUMBERED_SHARE = 2, /* a dictionary pays if a text in so many is not new, */
	NUMBERED_FEW = 256, /* or if it is small: columns with few values may have more */
};

/* enum Type, PageType, Encoding and CompressionCodec */
enum { BOOLEAN = 0, INT32 = 1, INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6 };
enum { DATA_PAGE = 0, DICTIONARY_PAGE = 2 };
enum { PLAIN = 0, RLE = 3, DELTA_BINARY_PACKED = 5, RLE_DICTIONARY = 8 };
enum { UNCOMPRESSED = 0, ZSTD = 6 };

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

/* ---- begin and end --------------------------------------------------------------------------- */

/* Has the page say what values it has been given. */
static struct lkst_byte_list *chunk_store(const struct lkst_filling *f)
{
	f->page->values.nr = (size_t)(f->at - f->page->values.bytes);
	return &f->page->values;
}

/* The opposite: values go behind those that the page says it has. */
static void chunk_load(struct lkst_filling *f)
{
	const struct lkst_byte_list *values = &f->page->values;

	f->at = values->bytes ? values->bytes + values->nr : NULL;
	f->end = values->bytes ? values->bytes + values->room : NULL;
}

/* @page is filled from here on. */
static void chunk_fill(struct lkst_column_chunk *c, struct lkst_page *page)
{
	struct lkst_filling *f = c->filling;

	c->full = &c->page[page == &c->page[0]];
	f->page = page;
	chunk_load(f);
	f->has_value = page->has_value;
	f->nr_values = f->first_row = 0;
	f->is_numbered = !types[c->type].size && !c->prefers_plain;
}

void lkst_column_chunk_init(struct lkst_column_chunk *c, const struct lkst_parquet_column *column,
			    struct lkst_filling *filling)
{
	c->type = column->type;
	c->is_required = column->is_required;
	c->is_rising = column->is_rising;
	c->filling = filling;
	filling->number_size = types[column->type].size == 8 ? 8 : 4;
	filling->turn = 1;
	chunk_fill(c, &c->page[0]);
}

void lkst_column_chunk_fini(struct lkst_column_chunk *c)
{
	lkst_byte_list_fini(&c->page[0].values);
	lkst_byte_list_fini(&c->page[1].values);
	lkst_byte_list_fini(&c->made);
	lkst_dictionary_fini(&c->dictionary);
}

void lkst_column_chunk_reset(struct lkst_column_chunk *c)
{
	lkst_dictionary_fini(&c->dictionary);
	c->filling->turn++;
	c->bounds = (struct lkst_bounds){};
	c->made.nr = 0;
	c->raw_bytes = c->nr_rows = c->nr_nulls = 0;
	c->has_numbered = false;
}

/* ---- values, as they are given --------------------------------------------------------------- */

bool lkst_filling_grow(struct lkst_filling *f, size_t nr)
{
	bool has_room = lkst_byte_list_room(chunk_store(f), nr);

	chunk_load(f);
	return has_room;
}

static int chunk_compare_text(const struct lkst_bound_text *a, const void *bytes, uint32_t length)
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
	if (is_first || chunk_compare_text(&b->least_text, bytes, length) > 0)
		b->least_text = text;
	if (is_first || chunk_compare_text(&b->greatest_text, bytes, length) < 0)
		b->greatest_text = text;
}

/* From here on texts themselves are stored, also of this page. */
static void give_up_numbers(struct lkst_column_chunk *c)
{
	struct lkst_byte_list *values = chunk_store(c->filling), numbers = *values;
	uint32_t i, number, length;

	*values = (struct lkst_byte_list){ .has_failed = numbers.has_failed };
	c->filling->is_numbered = false;
	c->prefers_plain = true;
	for (i = 0; i < numbers.nr / sizeof(number); i++) {
		const uint8_t *text = lkst_dictionary_text(&c->dictionary, lkst_le32(numbers.bytes + i * 4), &length);

		lkst_byte_list_add(values, text, length);
	}
	lkst_byte_list_fini(&numbers);
	chunk_load(c->filling);
}

/* The text itself, with its length before it. */
static void add_plain(struct lkst_filling *f, uint32_t row, const void *bytes, uint32_t length)
{
	lkst_filling_add(f, row, length, sizeof(length));
	lkst_byte_list_add(chunk_store(f), bytes, length);
	chunk_load(f);
}

void lkst_column_chunk_text(struct lkst_column_chunk *c, uint32_t row, const void *bytes, uint32_t length,
			    struct lkst_parquet_place *ret_place)
{
	struct lkst_filling *f = c->filling;
	bool is_new = true;
	int32_t number = LKST_DICTIONARY_FULL;

	if (f->is_numbered) {
		number = lkst_dictionary_number(&c->dictionary, bytes, length, &is_new);
		if (number == LKST_DICTIONARY_FULL)
			give_up_numbers(c);
	}
	if (is_new || number < 0)
		note_text(&c->bounds, bytes, length);
	if (number < 0) {
		add_plain(f, row, bytes, length);
		return;
	}
	*ret_place = (struct lkst_parquet_place){ f->turn, (uint32_t)number };
	lkst_filling_again(f, row, ret_place);
}

/* What has been given is a page to be made, and the other one is filled. */
static void chunk_turn(struct lkst_column_chunk *c)
{
	struct lkst_filling *f = c->filling;
	struct lkst_page *page = f->page;

	chunk_store(f);
	page->nr_values = f->nr_values;
	page->nr_rows = f->first_row;
	page->nr_texts = c->dictionary.nr;
	page->is_numbered = f->is_numbered;
	if (page->is_numbered && page->nr_texts > NUMBERED_FEW &&
	    page->nr_texts > page->nr_values / NUMBERED_SHARE)
		c->prefers_plain = true;
	chunk_fill(c, c->full);
}

void lkst_column_chunk_turn(struct lkst_column_chunk *c, uint32_t nr_rows)
{
	struct lkst_filling *f = c->filling;

	f->first_row += nr_rows;
	assert(!c->is_required || f->nr_values == f->first_row);
	if (f->at - f->page->values.bytes >= LKST_SPARSE_BYTES || f->first_row + LKST_PAGE_ROWS > LKST_SPARSE_ROWS)
		chunk_turn(c);
}

/* ---- values of a page ------------------------------------------------------------------------ */

/* The numbers of the page as they were given. */
static void get_numbers(const struct lkst_column_chunk *c, const struct lkst_page *page, uint64_t *values)
{
	const uint8_t *at = page->values.bytes;
	uint32_t i;

	for (i = 0; c->filling->number_size == 8 && i < page->nr_values; i++)
		values[i] = lkst_le64(at + i * 8);
	for (i = 0; c->type == LKST_PARQUET_INT32 && i < page->nr_values; i++)
		values[i] = (uint64_t)(int32_t)lkst_le32(at + i * 4);
	for (i = 0; c->filling->number_size == 4 && c->type != LKST_PARQUET_INT32 && i < page->nr_values; i++)
		values[i] = lkst_le32(at + i * 4);
}

static void note_int(struct lkst_column_chunk *c, uint64_t value)
{
	struct lkst_bounds *b = &c->bounds;
	int64_t key = (int64_t)(c->type == LKST_PARQUET_UINT64 ? value ^ 1ULL << 63 : value);

	b->least = !b->has_any || key < b->least ? key : b->least;
	b->greatest = !b->has_any || key > b->greatest ? key : b->greatest;
	b->has_any = true;
}

static void note_doubles(struct lkst_bounds *b, const uint64_t *values, uint32_t nr)
{
	uint32_t i;

	for (i = 0; i < nr; i++) {
		double value;

		memcpy(&value, &values[i], sizeof(value));
		if (!b->has_any)
			b->least_double = b->greatest_double = value;
		b->has_any = true;
		b->is_unknown |= value != value;
		b->least_double = value < b->least_double ? value : b->least_double;
		b->greatest_double = value > b->greatest_double ? value : b->greatest_double;
	}
}

/* Has maker->numbers say which of the dictionary's numbers each is. False: there is no room for all in it. */
static bool chunk_find_numbers(struct lkst_column_chunk *c, uint32_t nr, struct lkst_page_maker *maker)
{
	const uint64_t *values = maker->values;
	int32_t number = LKST_DICTIONARY_FULL;
	bool is_new;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		if (!i || values[i] != values[i - 1]) {
			number = lkst_dictionary_int(&c->dictionary, values[i], types[c->type].size, &is_new);
			if (number == LKST_DICTIONARY_FULL)
				return false;
			if (is_new)
				note_int(c, values[i]);
		}
		maker->numbers[i] = (uint32_t)number;
	}
	return true;
}

static void put_bits(struct lkst_byte_list *raw, const uint64_t *values, uint32_t nr)
{
	uint32_t i, bit;

	for (i = 0; i < nr; i += 8) {
		uint8_t byte = 0;

		for (bit = 0; bit < 8 && i + bit < nr; bit++)
			byte |= (uint8_t)((values[i + bit] & 1) << bit);
		lkst_byte_list_add(raw, &byte, 1);
	}
}

/* Numbers @numbers of a dictionary of @nr_all. */
static void put_numbered(struct lkst_byte_list *raw, const uint32_t *numbers, uint32_t nr, uint32_t nr_all)
{
	uint8_t width = (uint8_t)lkst_runs_width(nr_all ? nr_all - 1 : 0);

	lkst_byte_list_add(raw, &width, 1);
	lkst_runs_add(raw, numbers, nr, width);
}

/* Returns their encoding. */
static int32_t chunk_put_numbers(struct lkst_column_chunk *c, const struct lkst_page *page,
				 struct lkst_page_maker *maker)
{
	const bool is_double = c->type == LKST_PARQUET_DOUBLE;
	const uint32_t nr = page->nr_values;
	uint32_t i;

	get_numbers(c, page, maker->values);
	c->prefers_plain |= is_double || c->is_rising || c->type == LKST_PARQUET_BOOL;
	if (!c->prefers_plain && chunk_find_numbers(c, nr, maker)) {
		put_numbered(&maker->raw, maker->numbers, nr, c->dictionary.nr);
		return RLE_DICTIONARY;
	}
	c->prefers_plain = true;
	for (i = 0; i < nr && !is_double; i++)
		note_int(c, maker->values[i]);
	if (is_double)
		note_doubles(&c->bounds, maker->values, nr);
	if (c->is_rising) {
		lkst_deltas_add(&maker->raw, maker->values, nr);
		return DELTA_BINARY_PACKED;
	}
	if (c->type == LKST_PARQUET_BOOL)
		put_bits(&maker->raw, maker->values, nr);
	else
		lkst_byte_list_add(&maker->raw, page->values.bytes, page->values.nr);
	return PLAIN;
}

/* Returns their encoding. */
static int32_t chunk_put_values(struct lkst_column_chunk *c, const struct lkst_page *page,
				struct lkst_page_maker *maker)
{
	if (!page->nr_values)
		return PLAIN;
	if (types[c->type].size)
		return chunk_put_numbers(c, page, maker);
	if (page->is_numbered) {
		put_numbered(&maker->raw, (const uint32_t *)(const void *)page->values.bytes, page->nr_values,
			     page->nr_texts);
		return RLE_DICTIONARY;
	}
	lkst_byte_list_add(&maker->raw, page->values.bytes, page->values.nr);
	return PLAIN;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Which rows have a value; nothing where all must. */
static void put_levels(const struct lkst_column_chunk *c, const struct lkst_page *page, struct lkst_byte_list *raw)
{
	uint32_t length = 0;

	if (c->is_required)
		return;
	lkst_byte_list_add(raw, &length, sizeof(length));
	lkst_runs_add_same(raw, false, c->nr_skipped);
	lkst_runs_add_bits(raw, page->has_value, page->nr_rows);
	if (raw->has_failed)
		return;
	length = htole32((uint32_t)(raw->nr - sizeof(length)));
	memcpy(raw->bytes, &length, sizeof(length));
}

/* Bits of differences have nothing more that zstd could take off. */
static int32_t codec_of(const struct lkst_column_chunk *c)
{
	return c->is_rising ? UNCOMPRESSED : ZSTD;
}

/* Compresses maker->raw by @codec. Returns what is to be stored. */
static const struct lkst_byte_list *chunk_pack(struct lkst_page_maker *maker, int32_t codec)
{
	size_t room = ZSTD_compressBound(maker->raw.nr), length;
	uint8_t *at;

	maker->has_failed |= maker->raw.has_failed;
	if (codec == UNCOMPRESSED)
		return &maker->raw;
	maker->packed.nr = 0;
	at = lkst_byte_list_room(&maker->packed, room);
	maker->has_failed |= !at;
	if (maker->has_failed)
		return &maker->packed;
	length = ZSTD_compressCCtx(maker->zstd, at, room, maker->raw.bytes, maker->raw.nr, LEVEL);
	maker->has_failed |= ZSTD_isError(length);
	maker->packed.nr = maker->has_failed ? 0 : length;
	return &maker->packed;
}

/* Begins the PageHeader of a page that is stored as @packed. */
static struct lkst_thrift begin_header(const struct lkst_page_maker *maker, const struct lkst_byte_list *packed,
				       struct lkst_byte_list *to, int32_t type)
{
	struct lkst_thrift t = { .to = to };

	lkst_thrift_i32(&t, 1, type);
	lkst_thrift_i32(&t, 2, (int32_t)maker->raw.nr);
	lkst_thrift_i32(&t, 3, (int32_t)packed->nr);
	return t;
}

static void put_data_page(struct lkst_column_chunk *c, const struct lkst_page *page, struct lkst_page_maker *maker)
{
	const struct lkst_byte_list *packed;
	size_t before = c->made.nr;
	struct lkst_thrift t;
	int32_t encoding;

	maker->raw.nr = 0;
	put_levels(c, page, &maker->raw);
	encoding = chunk_put_values(c, page, maker);
	packed = chunk_pack(maker, codec_of(c));
	t = begin_header(maker, packed, &c->made, DATA_PAGE);
	lkst_thrift_struct(&t, 5); /* DataPageHeader */
	lkst_thrift_i32(&t, 1, (int32_t)(c->nr_skipped + page->nr_rows));
	lkst_thrift_i32(&t, 2, encoding);
	lkst_thrift_i32(&t, 3, RLE);
	lkst_thrift_i32(&t, 4, RLE);
	lkst_thrift_end(&t);
	lkst_thrift_end(&t);
	c->raw_bytes += c->made.nr - before + maker->raw.nr;
	lkst_byte_list_add(&c->made, packed->bytes, packed->nr);
	c->has_numbered |= encoding == RLE_DICTIONARY;
	c->nr_skipped = 0;
}

size_t lkst_column_chunk_make(struct lkst_column_chunk *c, struct lkst_page_maker *maker)
{
	struct lkst_page *page = c->full;
	size_t before = c->made.nr;

	c->nr_rows += page->nr_rows;
	c->nr_nulls += page->nr_rows - page->nr_values;
	maker->has_failed |= page->values.has_failed;
	if (page->nr_values && !maker->has_failed)
		put_data_page(c, page, maker);
	else
		c->nr_skipped += page->nr_rows;
	if (page->nr_values)
		memset(page->has_value, 0, (page->nr_rows + 7) / 8);
	page->nr_rows = page->nr_values = 0;
	page->values.nr = 0;
	return c->made.nr - before;
}

bool lkst_column_chunk_end(struct lkst_column_chunk *c, struct lkst_page_maker *maker)
{
	static const struct lkst_page empty;

	chunk_turn(c);
	lkst_column_chunk_make(c, maker);
	if (c->nr_skipped)
		put_data_page(c, &empty, maker);
	return !(maker->has_failed || c->made.has_failed);
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

static void chunk_put_meta(const struct lkst_column_chunk *c, const char *name, struct lkst_thrift *t,
			   uint64_t offset, uint64_t raw_dictionary, uint64_t packed_dictionary)
{
	lkst_thrift_struct(t, 3); /* ColumnMetaData */
	lkst_thrift_i32(t, 1, types[c->type].physical);
	put_encodings(c, t);
	lkst_thrift_list(t, 3, LKST_THRIFT_BINARY, 1);
	lkst_thrift_item_binary(t, name, strlen(name));
	lkst_thrift_i32(t, 4, codec_of(c));
	lkst_thrift_i64(t, 5, (int64_t)c->nr_rows);
	lkst_thrift_i64(t, 6, (int64_t)(c->raw_bytes + raw_dictionary));
	lkst_thrift_i64(t, 7, (int64_t)(c->made.nr + packed_dictionary));
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
	const struct lkst_byte_list *packed;
	struct lkst_byte_list header = {};
	struct lkst_thrift t;
	uint64_t length;

	maker->raw.nr = 0;
	lkst_byte_list_add(&maker->raw, c->dictionary.bytes.bytes, c->dictionary.bytes.nr);
	packed = chunk_pack(maker, codec_of(c));
	t = begin_header(maker, packed, &header, DICTIONARY_PAGE);
	lkst_thrift_struct(&t, 7); /* DictionaryPageHeader */
	lkst_thrift_i32(&t, 1, (int32_t)c->dictionary.nr);
	lkst_thrift_i32(&t, 2, PLAIN);
	lkst_thrift_end(&t);
	lkst_thrift_end(&t);
	maker->has_failed |= header.has_failed;
	lkst_out_bytes(out, header.bytes, header.nr);
	lkst_out_bytes(out, packed->bytes, packed->nr);
	length = header.nr + packed->nr;
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
	lkst_out_bytes(out, c->made.bytes, c->made.nr);
	lkst_thrift_i64(t, 2, (int64_t)offset);
	chunk_put_meta(c, name, t, offset, raw, length);
	return length + c->made.nr;
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
