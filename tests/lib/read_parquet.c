/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads Parquet files that are small enough to be read at once. */
#include "lib/read_parquet.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/cleanup.h"

/* ---- Thrift ---------------------------------------------------------------------------------- */

/* A value: of a struct its fields, of a list its items. */
struct node {
	uint8_t type;
	int id;
	int64_t number;
	const uint8_t *bytes;
	size_t length;
	struct node *nodes;
	size_t nr;
};

struct input {
	const uint8_t *at, *end;
	bool is_bad;
};

static uint8_t get_byte(struct input *in)
{
	if (in->at >= in->end) {
		in->is_bad = true;
		return 0;
	}
	return *in->at++;
}

static uint64_t get_varint(struct input *in)
{
	uint64_t v = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = get_byte(in);
		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < 64);
	return v;
}

static int64_t get_zigzag(struct input *in)
{
	uint64_t v = get_varint(in);

	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

static struct node get_value(struct input *in, uint8_t type);

static void add_node(struct node *to, struct node node)
{
	to->nodes = realloc(to->nodes, (to->nr + 1) * sizeof(node));
	to->nodes[to->nr++] = node;
}

static void get_fields(struct input *in, struct node *to)
{
	int id = 0;
	uint8_t head;

	while (!in->is_bad && (head = get_byte(in))) {
		struct node node;

		id = head >> 4 ? id + (head >> 4) : (int)get_zigzag(in);
		node = get_value(in, head & 15);
		node.id = id;
		add_node(to, node);
	}
}

static void get_items(struct input *in, struct node *to)
{
	uint8_t head = get_byte(in);
	uint64_t nr = head >> 4;

	if (nr == 15)
		nr = get_varint(in);
	while (nr-- && !in->is_bad)
		add_node(to, get_value(in, head & 15));
}

static struct node get_value(struct input *in, uint8_t type)
{
	struct node node = { .type = type };

	switch (type) {
	case 1:
	case 2:
		node.number = type == 1;
		break;
	case 3:
		node.number = (int8_t)get_byte(in);
		break;
	case 4:
	case 5:
	case 6:
		node.number = get_zigzag(in);
		break;
	case 8:
		node.length = get_varint(in);
		node.bytes = in->at;
		if (node.length > (size_t)(in->end - in->at))
			in->is_bad = true;
		else
			in->at += node.length;
		break;
	case 9:
		get_items(in, &node);
		break;
	case 12:
		get_fields(in, &node);
		break;
	default:
		in->is_bad = true;
	}
	return node;
}

static void free_node(struct node *node)
{
	size_t i;

	for (i = 0; i < node->nr; i++)
		free_node(&node->nodes[i]);
	free(node->nodes);
}

static const struct node *field(const struct node *node, int id)
{
	static const struct node none = { .id = -1 };
	size_t i;

	for (i = 0; i < node->nr; i++)
		if (node->nodes[i].id == id)
			return &node->nodes[i];
	return &none;
}

static int64_t number(const struct node *node, int id)
{
	return field(node, id)->number;
}

static bool has(const struct node *node, int id)
{
	return field(node, id)->id == id;
}

/* ---- the file -------------------------------------------------------------------------------- */

static uint32_t le32(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static bool get_footer(const uint8_t *file, size_t length, struct node *ret_footer)
{
	struct input in;
	uint32_t footer;

	*ret_footer = (struct node){};
	if (length < 12 || memcmp(file, "PAR1", 4) || memcmp(file + length - 4, "PAR1", 4))
		return false;
	footer = le32(file + length - 8);
	if (footer > length - 12)
		return false;
	in = (struct input){ file + length - 8 - footer, file + length - 8, false };
	get_fields(&in, ret_footer);
	return !in.is_bad && in.at == in.end;
}

static const char *name_of_type(const struct node *element)
{
	static const char *const physical[] = { "bool",	 "int32",  "int64", "int96",
						"float", "double", "bytes" };
	const struct node *logical = field(element, 10);

	if (has(logical, 1))
		return "text";
	if (has(logical, 8))
		return has(field(field(logical, 8), 2), 3) && number(field(logical, 8), 1)
			       ? "time"
			       : "other time";
	if (has(logical, 10))
		return number(field(logical, 10), 2)	     ? "int"
		       : number(field(logical, 10), 1) == 32 ? "uint32"
							     : "uint64";
	return physical[number(element, 1) % 7];
}

char *parquet_columns(const void *file, size_t length)
{
	struct node footer;
	char *text = NULL;
	size_t room = 0, i;
	FILE *to;

	if (get_footer(file, length, &footer)) {
		const struct node *schema = field(&footer, 2);

		to = open_memstream(&text, &room);
		for (i = 1; i < schema->nr; i++) {
			const struct node *name = field(&schema->nodes[i], 4);

			fprintf(to, "%s%.*s:%s%s", i > 1 ? " " : "", (int)name->length,
				(const char *)name->bytes, name_of_type(&schema->nodes[i]),
				number(&schema->nodes[i], 3) ? "?" : "");
		}
		fclose(to);
	}
	free_node(&footer);
	return text;
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* A column while it is read: texts of its rows, NULL: null. */
struct column {
	int type;
	const char *type_name;
	bool is_optional;
	char **cells;
	size_t nr_cells;
	char **words; /* of the dictionary */
	size_t nr_words;
};

/* Decodes @nr numbers of the hybrid of runs and packed groups. */
static bool get_runs(struct input *in, unsigned int width, uint32_t *numbers, size_t nr)
{
	size_t done = 0, i;
	unsigned int bit;

	while (done < nr && !in->is_bad) {
		uint64_t head = get_varint(in), count = head >> 1;
		uint32_t value = 0;

		if (head & 1) {
			const uint8_t *bits = in->at;

			if (count * width > (size_t)(in->end - in->at))
				return false;
			in->at += count * width;
			for (i = 0; i < count * 8 && done < nr; i++, done++) {
				numbers[done] = 0;
				for (bit = 0; bit < width; bit++) {
					size_t at = i * width + bit;

					numbers[done] |= (bits[at / 8] >> at % 8 & 1U) << bit;
				}
			}
			continue;
		}
		for (i = 0; i < (width + 7) / 8; i++)
			value |= (uint32_t)get_byte(in) << 8 * i;
		for (i = 0; i < count && done < nr; i++)
			numbers[done++] = value;
	}
	return done == nr && !in->is_bad;
}

/* DELTA_BINARY_PACKED: all numbers of the page. */
static bool get_deltas(struct input *in, uint64_t *numbers, size_t nr)
{
	uint64_t block = get_varint(in), parts = get_varint(in), total = get_varint(in), least;
	size_t at = 1, part, i;
	unsigned int bit;

	if (total != nr || !parts || block % 128 || block / parts % 32)
		return false;
	numbers[0] = (uint64_t)get_zigzag(in);
	while (at < nr && !in->is_bad) {
		const uint8_t *widths;

		least = (uint64_t)get_zigzag(in);
		widths = in->at;
		if (parts > (size_t)(in->end - in->at))
			return false;
		in->at += parts;
		for (part = 0; part < parts && at < nr; part++) {
			size_t size = widths[part] * (block / parts) / 8;
			const uint8_t *bits = in->at;

			if (size > (size_t)(in->end - in->at))
				return false;
			in->at += size;
			for (i = 0; i < block / parts && at < nr; i++, at++) {
				uint64_t delta = 0;

				for (bit = 0; bit < widths[part]; bit++) {
					size_t place = i * widths[part] + bit;

					delta |= (uint64_t)(bits[place / 8] >> place % 8 & 1)
						 << bit;
				}
				numbers[at] = numbers[at - 1] + least + delta;
			}
		}
	}
	return !in->is_bad;
}

static char *text_of_number(const struct column *c, const uint8_t *p)
{
	char *text = NULL;
	double real;
	int64_t wide;
	int n;

	memcpy(&wide, p, c->type == 1 ? 4 : 8);
	memcpy(&real, p, c->type == 1 ? 4 : 8);
	if (c->type == 5)
		n = asprintf(&text, "%g", real);
	else if (!strcmp(c->type_name, "uint64"))
		n = asprintf(&text, "%" PRIu64, (uint64_t)wide);
	else if (!strcmp(c->type_name, "uint32"))
		n = asprintf(&text, "%" PRIu32, (uint32_t)wide);
	else if (c->type == 1)
		n = asprintf(&text, "%" PRId32, (int32_t)wide);
	else
		n = asprintf(&text, "%" PRId64, wide);
	return n < 0 ? NULL : text;
}

/* Value number @nr of the page, PLAIN. */
static char *get_plain(const struct column *c, struct input *in, size_t nr)
{
	size_t size = c->type == 1 ? 4 : 8;
	uint8_t number_bytes[8] = {};
	char *text;

	if (c->type == 0) {
		if (nr / 8 >= (size_t)(in->end - in->at))
			return NULL;
		return strdup(in->at[nr / 8] >> nr % 8 & 1 ? "true" : "false");
	}
	if (c->type == 6) {
		if (in->end - in->at < 4)
			return NULL;
		size = le32(in->at);
		in->at += 4;
	}
	if (size > (size_t)(in->end - in->at))
		return NULL;
	in->at += size;
	if (c->type == 6)
		return strndup((const char *)in->at - size, size);
	memcpy(number_bytes, in->at - size, size);
	text = text_of_number(c, number_bytes);
	return text;
}

static bool get_dictionary(struct column *c, struct input *in, const struct node *head)
{
	size_t nr = (size_t)number(head, 1), i;

	if (number(head, 2) != 0 || c->words)
		return false;
	c->words = calloc(nr + 1, sizeof(*c->words));
	c->nr_words = nr;
	for (i = 0; i < nr; i++)
		if (!(c->words[i] = get_plain(c, in, i)))
			return false;
	return in->at == in->end;
}

static bool get_data(struct column *c, struct input *in, const struct node *head)
{
	size_t nr = (size_t)number(head, 1), nr_values = 0, i, at = 0;
	_cleanup_free_ uint32_t *levels = calloc(nr + 1, sizeof(*levels));
	_cleanup_free_ uint32_t *numbers = NULL;
	_cleanup_free_ uint64_t *wide = NULL;
	bool is_numbered = number(head, 2) == 8, is_delta = number(head, 2) == 5;
	struct input values;

	for (i = 0; i < nr && !c->is_optional; i++)
		levels[i] = 1;
	if (c->is_optional) {
		uint32_t length = in->end - in->at < 4 ? UINT32_MAX : le32(in->at);
		struct input part = { in->at + 4, in->at + 4 + length, false };

		if (length > (size_t)(in->end - in->at) - 4 || !get_runs(&part, 1, levels, nr) ||
		    part.at != part.end)
			return false;
		in->at = part.end;
	}
	for (i = 0; i < nr; i++)
		nr_values += levels[i];
	numbers = calloc(nr_values + 1, sizeof(*numbers));
	if (is_numbered && (!c->words || !get_runs(in, get_byte(in), numbers, nr_values)))
		return false;
	wide = calloc(nr_values + 1, sizeof(*wide));
	if (is_delta && !get_deltas(in, wide, nr_values))
		return false;
	values = is_delta ? (struct input){ (uint8_t *)wide, (uint8_t *)(wide + nr_values), false }
			  : *in;
	c->cells = reallocarray(c->cells, c->nr_cells + nr + 1, sizeof(*c->cells));
	for (i = 0; i < nr; i++) {
		char *cell = NULL;

		if (levels[i] && is_numbered)
			cell = numbers[at] < c->nr_words ? strdup(c->words[numbers[at]]) : NULL;
		else if (levels[i])
			cell = get_plain(c, &values, at);
		if (levels[i] && !cell)
			return false;
		at += levels[i];
		c->cells[c->nr_cells++] = cell;
	}
	if (is_delta || is_numbered)
		return in->at == in->end;
	return c->type == 0 || values.at == values.end;
}

static bool unpack(uint8_t *raw, size_t nr_raw, const uint8_t *packed, size_t nr, int64_t codec)
{
	if (codec == 6)
		return ZSTD_decompress(raw, nr_raw, packed, nr) == nr_raw;
	if (codec != 0 || nr != nr_raw)
		return false;
	memcpy(raw, packed, nr);
	return true;
}

/* Reads one page and moves @in behind it. */
static bool get_page(struct column *c, struct input *in, int64_t codec, size_t *ret_nr)
{
	struct node head = {};
	_cleanup_free_ uint8_t *raw = NULL;
	struct input page;
	bool is_good = false;
	size_t packed, nr_raw;

	get_fields(in, &head);
	packed = (size_t)number(&head, 3);
	nr_raw = (size_t)number(&head, 2);
	raw = malloc(nr_raw + 1);
	*ret_nr = 0;
	if (!in->is_bad && packed <= (size_t)(in->end - in->at) &&
	    unpack(raw, nr_raw, in->at, packed, codec)) {
		page = (struct input){ raw, raw + nr_raw, false };
		*ret_nr = number(&head, 1) == 0 ? (size_t)number(field(&head, 5), 1) : 0;
		if (number(&head, 1) == 2)
			is_good = get_dictionary(c, &page, field(&head, 7));
		else
			is_good = number(&head, 1) == 0 && get_data(c, &page, field(&head, 5));
		in->at += packed;
	}
	free_node(&head);
	return is_good;
}

static bool get_chunk(struct column *c, const uint8_t *file, const struct node *chunk)
{
	const struct node *meta = field(chunk, 3);
	int64_t begin = has(meta, 11) ? number(meta, 11) : number(meta, 9), left = number(meta, 5);
	struct input in = { file + begin, file + begin + number(meta, 7), false };
	size_t i, nr;
	bool is_good = true;

	while (left > 0 && is_good) {
		is_good = get_page(c, &in, number(meta, 4), &nr);
		left -= (int64_t)nr;
	}
	for (i = 0; i < c->nr_words; i++)
		free(c->words[i]);
	free(c->words);
	c->words = NULL;
	c->nr_words = 0;
	return is_good && !left && in.at == in.end;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool get_column(struct column *c, const uint8_t *file, const struct node *footer, size_t i)
{
	const struct node *element = &field(footer, 2)->nodes[i + 1], *groups = field(footer, 4);
	size_t group;
	bool is_good = true;

	c->type = (int)number(element, 1);
	c->type_name = name_of_type(element);
	c->is_optional = number(element, 3);
	for (group = 0; group < groups->nr && is_good; group++)
		is_good = get_chunk(c, file, &field(&groups->nodes[group], 1)->nodes[i]);
	return is_good && c->nr_cells == (size_t)number(footer, 3);
}

static void put_rows(FILE *to, struct column *columns, size_t nr)
{
	size_t row, i;

	for (row = 0; row < columns[0].nr_cells; row++) {
		for (i = 0; i < nr; i++)
			fprintf(to, "%s%s", i ? "|" : "", columns[i].cells[row] ?: "");
		fputc('\n', to);
	}
}

char *parquet_rows(const void *file, size_t length)
{
	struct column *columns;
	struct node footer;
	char *text = NULL;
	size_t room = 0, nr, i, cell;
	bool is_good = get_footer(file, length, &footer);

	nr = is_good && field(&footer, 2)->nr ? field(&footer, 2)->nr - 1 : 0;
	columns = calloc(nr + 1, sizeof(*columns));
	for (i = 0; i < nr && is_good; i++)
		is_good = get_column(&columns[i], file, &footer, i);
	if (is_good && nr) {
		FILE *to = open_memstream(&text, &room);

		put_rows(to, columns, nr);
		fclose(to);
	}
	for (i = 0; i < nr; i++) {
		for (cell = 0; cell < columns[i].nr_cells; cell++)
			free(columns[i].cells[cell]);
		free(columns[i].cells);
	}
	free(columns);
	free_node(&footer);
	return text;
}

char *parquet_bounds(const void *file, size_t length, unsigned int column)
{
	struct node footer;
	char *text = NULL;
	size_t room = 0, i;

	if (get_footer(file, length, &footer)) {
		const struct node *element = &field(&footer, 2)->nodes[column + 1];
		const struct node *groups = field(&footer, 4);
		struct column c = { .type = (int)number(element, 1),
				    .type_name = name_of_type(element) };
		FILE *to = open_memstream(&text, &room);

		for (i = 0; i < groups->nr; i++) {
			const struct node *chunk = &field(&groups->nodes[i], 1)->nodes[column];
			const struct node *s = field(field(chunk, 3), 12);
			const struct node *least = field(s, 6), *greatest = field(s, 5);
			bool is_text = c.type == 6;
			_cleanup_free_ char *a = NULL, *b = NULL;

			if (has(s, 6))
				a = is_text ? strndup((const char *)least->bytes, least->length)
					    : text_of_number(&c, least->bytes);
			if (has(s, 5))
				b = is_text ? strndup((const char *)greatest->bytes,
						      greatest->length)
					    : text_of_number(&c, greatest->bytes);
			fprintf(to, "%" PRId64 ":%s..%s %" PRId64 "\n",
				number(&groups->nodes[i], 3), a ?: "", b ?: "", number(s, 3));
		}
		fclose(to);
	}
	free_node(&footer);
	return text;
}

/* Prints the pages of a chunk. Whether they are where they should be. */
static bool put_pages(FILE *to, const uint8_t *file, const struct node *meta)
{
	int64_t begin = has(meta, 11) ? number(meta, 11) : number(meta, 9);
	struct input in = { file + begin, file + begin + number(meta, 7), false };

	while (in.at < in.end && !in.is_bad) {
		struct node head = {};
		const struct node *data = &head;

		get_fields(&in, &head);
		in.at += number(&head, 3);
		data = field(&head, 5);
		if (!in.is_bad && number(&head, 1) == 0)
			fprintf(to, "%" PRId64 " %" PRId64 "\n", number(data, 1), number(data, 2));
		free_node(&head);
	}
	return in.at == in.end;
}

char *parquet_pages(const void *file, size_t length, unsigned int column)
{
	struct node footer;
	char *text = NULL;
	size_t room = 0, i;
	bool is_good = get_footer(file, length, &footer);
	FILE *to = open_memstream(&text, &room);

	for (i = 0; is_good && i < field(&footer, 4)->nr; i++) {
		const struct node *group = &field(&footer, 4)->nodes[i];

		is_good = put_pages(to, file, field(&field(group, 1)->nodes[column], 3));
	}
	fclose(to);
	free_node(&footer);
	if (is_good)
		return text;
	free(text);
	return NULL;
}
