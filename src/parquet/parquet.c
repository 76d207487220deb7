/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes Parquet files: rows into groups, and the footer. While rows are given to one page, a thread may make that of
 * the rows before (parquet/chunk.h). It is waited for before there is another page to make, and before a group is
 * written, so that what is written does not depend on it.
 */
#include "parquet/parquet.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>

#include "parquet/chunk.h"

enum {
	PAGE_BYTES = 1024 * 1024,      /* of values; more end the page */
	GROUP_ROWS = 512 * 1024,       /* more end the group */
	GROUP_BYTES = 8 * 1024 * 1024, /* so do more bytes of pages, which are held until then */
	TEXT_MAX = 1 << 30,	       /* bytes of a cell */
	REPLACED = 3,		       /* bytes that replace one that is not UTF-8 */
	NUMBER_ROOM = 16,	       /* for "_2", which makes a name unique, and the NUL */
	VERSION = 2,		       /* of FileMetaData: there are logical types */
};

static const char magic[4] = { 'P', 'A', 'R', '1' };

struct lkst_parquet {
	struct lkst_out *out;
	struct lkst_parquet_column *columns; /* with names of their own */
	unsigned int nr_columns;
	struct lkst_column_chunk *chunks;
	struct lkst_filling *fillings; /* of these */
	char *created_by;

	uint64_t offset; /* bytes written */
	uint32_t nr_page_rows, nr_group_rows;
	size_t page_bytes, group_bytes; /* group_bytes: without the last page */
	uint64_t nr_rows;

	/* While pages are made, which is_making says, this is the thread's that makes them. */
	struct lkst_page_maker maker;
	size_t made_bytes; /* of the last page */

	pthread_t thread;
	bool has_thread;
	pthread_mutex_t lock; /* of the following */
	pthread_cond_t changed;
	bool is_making, must_end;

	struct lkst_byte_list clean; /* a text without what is not UTF-8 */

	/* For the footer. */
	struct lkst_byte_list groups; /* RowGroups */
	uint32_t nr_groups;
	struct lkst_byte_list notes; /* KeyValues */
	uint32_t nr_notes;
};

static void write_bytes(struct lkst_parquet *p, const void *bytes, size_t length)
{
	lkst_out_bytes(p->out, bytes, length);
	p->offset += length;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool is_ascii(const uint8_t *bytes, size_t length)
{
	const uint64_t high = 0x8080808080808080ULL;
	uint64_t word, all = 0;

	for (; length >= sizeof(word); bytes += sizeof(word), length -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		all |= word;
	}
	for (; length; length--)
		all |= *bytes++;
	return !(all & high);
}

/* Readers refuse a whole file for one byte that is not UTF-8, and a thread may call itself anything. */
static const void *clean_text(struct lkst_parquet *p, const void *bytes, size_t *length)
{
	uint8_t *to;

	if (is_ascii(bytes, *length))
		return bytes;
	p->clean.nr = 0;
	to = lkst_byte_list_room(&p->clean, REPLACED * *length);
	*length = to ? (size_t)(lkst_put_utf8((char *)to, bytes, *length) - (char *)to) : 0;
	return p->clean.bytes;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void make_pages(struct lkst_parquet *p)
{
	unsigned int i;

	for (i = 0; i < p->nr_columns; i++)
		p->made_bytes += lkst_column_chunk_make(&p->chunks[i], &p->maker);
}

static void *make_when_told(void *ctx)
{
	struct lkst_parquet *p = ctx;

	pthread_mutex_lock(&p->lock);
	while (!p->must_end) {
		if (p->is_making) {
			pthread_mutex_unlock(&p->lock);
			make_pages(p);
			pthread_mutex_lock(&p->lock);
			p->is_making = false;
			pthread_cond_signal(&p->changed);
		}
		while (!p->is_making && !p->must_end)
			pthread_cond_wait(&p->changed, &p->lock);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

void lkst_parquet_use_thread(struct lkst_parquet *p)
{
	p->has_thread = !pthread_create(&p->thread, NULL, make_when_told, p);
}

/* Until no page is being made. */
static void wait_for_pages(struct lkst_parquet *p)
{
	pthread_mutex_lock(&p->lock);
	while (p->is_making)
		pthread_cond_wait(&p->changed, &p->lock);
	pthread_mutex_unlock(&p->lock);
	p->group_bytes += p->made_bytes;
	p->made_bytes = 0;
}

static void parquet_end_thread(struct lkst_parquet *p)
{
	if (!p->has_thread)
		return;
	wait_for_pages(p);
	pthread_mutex_lock(&p->lock);
	p->must_end = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	p->has_thread = false;
}

static void end_page(struct lkst_parquet *p)
{
	unsigned int i;

	wait_for_pages(p);
	for (i = 0; i < p->nr_columns; i++)
		lkst_column_chunk_turn(&p->chunks[i], p->nr_page_rows);
	p->nr_group_rows += p->nr_page_rows;
	p->nr_page_rows = 0;
	p->page_bytes = 0;
	if (!p->has_thread) {
		make_pages(p);
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->is_making = true;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* ---- begin and end --------------------------------------------------------------------------- */

static bool parquet_is_taken(const struct lkst_parquet *p, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(p->columns[i].name, name))
			return true;
	return false;
}

/* The name of column @i, for the caller to free. Names that are not UTF-8 may become the same one. */
static char *copy_name(struct lkst_parquet *p, unsigned int i, const char *given)
{
	size_t length = strlen(given);
	const char *clean = clean_text(p, given, &length);
	unsigned int nr;
	char *name;

	if (clean == given)
		return strdup(given);
	name = malloc(length + NUMBER_ROOM);
	if (!name)
		return NULL;
	snprintf(name, length + NUMBER_ROOM, "%.*s", (int)length, clean);
	for (nr = 2; parquet_is_taken(p, i, name); nr++)
		snprintf(name, length + NUMBER_ROOM, "%.*s_%u", (int)length, clean, nr);
	return name;
}

static int copy_columns(struct lkst_parquet *p, const struct lkst_parquet_column *columns)
{
	unsigned int i;

	for (i = 0; i < p->nr_columns; i++) {
		p->columns[i] = columns[i];
		p->columns[i].name = copy_name(p, i, columns[i].name);
		lkst_column_chunk_init(&p->chunks[i], &columns[i], &p->fillings[i]);
		if (!p->columns[i].name)
			return -ENOMEM;
	}
	return 0;
}

int lkst_parquet_new(struct lkst_err *e, const struct lkst_parquet_column *columns, unsigned int nr,
		     const char *created_by, struct lkst_out *out,
		     struct lkst_parquet **ret_parquet)
{
	_cleanup_(lkst_parquet_freep) struct lkst_parquet *p = calloc(1, sizeof(*p));

	if (!nr || nr > LKST_PARQUET_COLUMNS_MAX)
		return lkst_err_set(e, -EINVAL,
				    "a Parquet file has from 1 to %d columns, and not %u",
				    LKST_PARQUET_COLUMNS_MAX, nr);
	if (p) {
		pthread_mutex_init(&p->lock, NULL);
		pthread_cond_init(&p->changed, NULL);
		p->out = out;
		p->nr_columns = nr;
		p->columns = calloc(nr, sizeof(*p->columns));
		p->chunks = calloc(nr, sizeof(*p->chunks));
		p->fillings = aligned_alloc(_Alignof(struct lkst_filling), nr * sizeof(*p->fillings));
		p->created_by = strdup(created_by);
		p->maker.zstd = ZSTD_createCCtx();
	}
	if (!p || !p->columns || !p->chunks || !p->fillings || !p->created_by || !p->maker.zstd ||
	    copy_columns(p, columns))
		return lkst_err_sys(e, -ENOMEM, "preparing a Parquet file");
	write_bytes(p, magic, sizeof(magic));
	*ret_parquet = lkst_take(p);
	return 0;
}

void lkst_parquet_free(struct lkst_parquet *p)
{
	unsigned int i;

	if (!p)
		return;
	parquet_end_thread(p);
	pthread_cond_destroy(&p->changed);
	pthread_mutex_destroy(&p->lock);
	for (i = 0; p->columns && i < p->nr_columns; i++)
		free((char *)p->columns[i].name);
	for (i = 0; p->chunks && i < p->nr_columns; i++)
		lkst_column_chunk_fini(&p->chunks[i]);
	ZSTD_freeCCtx(p->maker.zstd);
	lkst_byte_list_fini(&p->maker.raw);
	lkst_byte_list_fini(&p->maker.packed);
	lkst_byte_list_fini(&p->clean);
	lkst_byte_list_fini(&p->groups);
	lkst_byte_list_fini(&p->notes);
	free(p->columns);
	free(p->chunks);
	free(p->fillings);
	free(p->created_by);
	free(p);
}

void lkst_parquet_note(struct lkst_parquet *p, const char *key, const char *value)
{
	struct lkst_thrift t = { .to = &p->notes };
	size_t length = strlen(value);

	value = clean_text(p, value, &length);
	lkst_thrift_binary(&t, 1, key, strlen(key));
	lkst_thrift_binary(&t, 2, value, length);
	lkst_thrift_end(&t);
	p->nr_notes++;
}

/* ---- cells ----------------------------------------------------------------------------------- */

void lkst_parquet_int(struct lkst_parquet *p, unsigned int column, int64_t value)
{
	lkst_filling_number(&p->fillings[column], p->nr_page_rows, (uint64_t)value);
}

void lkst_parquet_double(struct lkst_parquet *p, unsigned int column, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	lkst_filling_number(&p->fillings[column], p->nr_page_rows, bits);
}

void lkst_parquet_text_again(struct lkst_parquet *p, unsigned int column, const void *bytes, size_t length,
			     struct lkst_parquet_place *place)
{
	struct lkst_column_chunk *c = &p->chunks[column];

	if (lkst_filling_again(&p->fillings[column], p->nr_page_rows, place))
		return;
	length = length < TEXT_MAX / REPLACED ? length : TEXT_MAX / REPLACED;
	if (c->type == LKST_PARQUET_TEXT)
		bytes = clean_text(p, bytes, &length);
	p->page_bytes += length;
	lkst_column_chunk_text(c, p->nr_page_rows, bytes, (uint32_t)length, place);
}

void lkst_parquet_text(struct lkst_parquet *p, unsigned int column, const void *bytes,
		       size_t length)
{
	struct lkst_parquet_place unknown = {};

	lkst_parquet_text_again(p, column, bytes, length, &unknown);
}

/* ---- groups of rows -------------------------------------------------------------------------- */

/* Writes the group's columns, one after the other. */
static int end_group(struct lkst_parquet *p)
{
	struct lkst_thrift t = { .to = &p->groups };
	uint64_t raw_bytes = 0, begin = p->offset;
	unsigned int i;

	wait_for_pages(p);
	lkst_thrift_list(&t, 1, LKST_THRIFT_STRUCT, p->nr_columns);
	for (i = 0; i < p->nr_columns; i++) {
		struct lkst_column_chunk *c = &p->chunks[i];

		if (!lkst_column_chunk_end(c, &p->maker))
			return -ENOMEM;
		lkst_thrift_item_struct(&t); /* ColumnChunk */
		p->offset += lkst_column_chunk_write(c, p->columns[i].name, &p->maker, p->out,
						     p->offset, &t);
		lkst_thrift_end(&t);
		raw_bytes += c->raw_bytes + c->dictionary.bytes.nr;
		lkst_column_chunk_reset(c);
	}
	lkst_thrift_i64(&t, 2, (int64_t)raw_bytes);
	lkst_thrift_i64(&t, 3, p->nr_group_rows);
	lkst_thrift_i64(&t, 5, (int64_t)begin);
	lkst_thrift_i64(&t, 6, (int64_t)(p->offset - begin));
	lkst_thrift_end(&t);
	p->nr_groups++;
	p->nr_rows += p->nr_group_rows;
	p->nr_group_rows = 0;
	p->group_bytes = 0;
	return p->maker.has_failed || p->groups.has_failed ? -ENOMEM : 0;
}

int lkst_parquet_row_end(struct lkst_parquet *p)
{
	p->nr_page_rows++;
	if (p->nr_page_rows < LKST_PAGE_ROWS && p->page_bytes < PAGE_BYTES)
		return 0;
	end_page(p);
	if (p->nr_group_rows < GROUP_ROWS && p->group_bytes < GROUP_BYTES)
		return 0;
	return end_group(p);
}

/* ---- the footer ------------------------------------------------------------------------------ */

/* The schema: a root, and the columns below it. */
static void put_schema(const struct lkst_parquet *p, struct lkst_thrift *t)
{
	unsigned int i;

	lkst_thrift_list(t, 2, LKST_THRIFT_STRUCT, p->nr_columns + 1);
	lkst_thrift_item_struct(t);
	lkst_thrift_binary(t, 4, "schema", strlen("schema"));
	lkst_thrift_i32(t, 5, (int32_t)p->nr_columns);
	lkst_thrift_end(t);
	for (i = 0; i < p->nr_columns; i++) {
		lkst_thrift_item_struct(t);
		lkst_column_chunk_schema(&p->columns[i], t);
		lkst_thrift_end(t);
	}
}

/* Bounds are in the order of each column's type, and readers take them only if that is said. */
static void put_orders(const struct lkst_parquet *p, struct lkst_thrift *t)
{
	unsigned int i;

	lkst_thrift_list(t, 7, LKST_THRIFT_STRUCT, p->nr_columns);
	for (i = 0; i < p->nr_columns; i++) {
		lkst_thrift_item_struct(t);
		lkst_thrift_struct(t, 1); /* TypeDefinedOrder */
		lkst_thrift_end(t);
		lkst_thrift_end(t);
	}
}

int lkst_parquet_end(struct lkst_parquet *p)
{
	struct lkst_byte_list footer = {};
	struct lkst_thrift t = { .to = &footer };
	uint32_t length;
	int err = 0;

	end_page(p);
	if (p->nr_group_rows)
		err = end_group(p);
	lkst_thrift_i32(&t, 1, VERSION);
	put_schema(p, &t);
	lkst_thrift_i64(&t, 3, (int64_t)p->nr_rows);
	lkst_thrift_list(&t, 4, LKST_THRIFT_STRUCT, p->nr_groups);
	lkst_byte_list_add(&footer, p->groups.bytes, p->groups.nr);
	if (p->nr_notes) {
		lkst_thrift_list(&t, 5, LKST_THRIFT_STRUCT, p->nr_notes);
		lkst_byte_list_add(&footer, p->notes.bytes, p->notes.nr);
	}
	lkst_thrift_binary(&t, 6, p->created_by, strlen(p->created_by));
	put_orders(p, &t);
	lkst_thrift_end(&t);
	write_bytes(p, footer.bytes, footer.nr);
	length = htole32((uint32_t)footer.nr);
	write_bytes(p, &length, sizeof(length));
	write_bytes(p, magic, sizeof(magic));
	if (footer.has_failed || p->notes.has_failed)
		err = -ENOMEM;
	lkst_byte_list_fini(&footer);
	return err;
}
