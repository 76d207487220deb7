/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes JSON to an output. */
#include "result/json_writer.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

void lkst_json_init(struct lkst_json *j, struct lkst_out *out)
{
	j->out = out;
	j->depth = 0;
	j->breaks_line = false;
}

static void json_writer_put_string(struct lkst_json *j, const char *text, size_t length)
{
	lkst_out_advance(j->out, lkst_out_json(j->out, lkst_out_room(j->out), text, length));
}

/* What comes before a value: the comma, the line break, the name. */
static void begin_value(struct lkst_json *j, const char *name)
{
	/* Too deep: there is an error, and nothing is said of where values are. */
	if (j->depth && j->depth <= LKST_JSON_DEPTH_MAX) {
		assert(j->open[j->depth - 1].is_array == !name);
		if (j->open[j->depth - 1].has_values)
			lkst_out_str(j->out, ",");
		j->open[j->depth - 1].has_values = true;
	}
	if (j->breaks_line)
		lkst_out_str(j->out, "\n");
	j->breaks_line = false;
	if (name) {
		json_writer_put_string(j, name, strlen(name));
		lkst_out_str(j->out, ":");
	}
}

static void end_value(struct lkst_json *j)
{
	if (!j->depth)
		lkst_out_str(j->out, "\n");
}

static void json_writer_put_plain(struct lkst_json *j, const char *name, const char *text)
{
	begin_value(j, name);
	lkst_out_str(j->out, text);
	end_value(j);
}

static void begin_values(struct lkst_json *j, const char *name, bool is_array)
{
	begin_value(j, name);
	lkst_out_str(j->out, is_array ? "[" : "{");
	if (j->depth < LKST_JSON_DEPTH_MAX) {
		j->open[j->depth].is_array = is_array;
		j->open[j->depth].has_values = false;
	} else if (!j->out->error) {
		j->out->error = -E2BIG;
	}
	j->depth++;
}

void lkst_json_object(struct lkst_json *j, const char *name)
{
	begin_values(j, name, false);
}

void lkst_json_array(struct lkst_json *j, const char *name)
{
	begin_values(j, name, true);
}

void lkst_json_end(struct lkst_json *j)
{
	assert(j->depth);
	j->depth--;
	if (j->breaks_line)
		lkst_out_str(j->out, "\n");
	j->breaks_line = false;
	lkst_out_str(j->out,
		     j->depth < LKST_JSON_DEPTH_MAX && j->open[j->depth].is_array ? "]" : "}");
	end_value(j);
}

void lkst_json_u64(struct lkst_json *j, const char *name, uint64_t value)
{
	begin_value(j, name);
	lkst_out_advance(j->out, lkst_put_u64(lkst_out_room(j->out), value));
	end_value(j);
}

void lkst_json_s64(struct lkst_json *j, const char *name, int64_t value)
{
	begin_value(j, name);
	lkst_out_advance(j->out, lkst_put_s64(lkst_out_room(j->out), value));
	end_value(j);
}

void lkst_json_bool(struct lkst_json *j, const char *name, bool value)
{
	json_writer_put_plain(j, name, value ? "true" : "false");
}

void lkst_json_null(struct lkst_json *j, const char *name)
{
	json_writer_put_plain(j, name, "null");
}

void lkst_json_text(struct lkst_json *j, const char *name, const char *text, size_t length)
{
	begin_value(j, name);
	json_writer_put_string(j, text, length);
	end_value(j);
}

void lkst_json_str(struct lkst_json *j, const char *name, const char *text)
{
	lkst_json_text(j, name, text, strlen(text));
}

void lkst_json_decimal(struct lkst_json *j, const char *name, double value, unsigned int digits)
{
	char text[512];

	snprintf(text, sizeof(text), "%.*f", (int)digits, value);
	json_writer_put_plain(j, name, isfinite(value) ? text : "null");
}

void lkst_json_double(struct lkst_json *j, const char *name, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.15g", value);
	json_writer_put_plain(j, name, isfinite(value) ? text : "null");
}

void lkst_json_break(struct lkst_json *j)
{
	j->breaks_line = true;
}
