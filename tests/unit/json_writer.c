// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * result/json_writer.h, and an output that is a stream.
 */
#include "result/json_writer.h"

#include <errno.h>
#include <math.h>

#include "lib/unit.h"

struct written {
	struct lkst_out out;
	struct lkst_json j;
	FILE *to;
	char *text;
	size_t length;
};

static struct written *begin(void)
{
	struct written *w = calloc(1, sizeof(*w));

	if (!w)
		abort();
	w->to = open_memstream(&w->text, &w->length);
	if (!w->to)
		abort();
	lkst_out_init_stream(&w->out, w->to);
	lkst_json_init(&w->j, &w->out);
	return w;
}

/* What was written; the caller frees @w and its text. */
static const char *end(struct written *w)
{
	lkst_out_flush(&w->out);
	fclose(w->to);
	return w->text;
}

static void done(struct written *w)
{
	free(w->text);
	free(w);
}

TEST(json_writer_puts_commas_and_names)
{
	struct written *w = begin();

	lkst_json_object(&w->j, NULL);
	lkst_json_u64(&w->j, "most", UINT64_MAX);
	lkst_json_s64(&w->j, "least", INT64_MIN);
	lkst_json_array(&w->j, "list");
	lkst_json_bool(&w->j, NULL, true);
	lkst_json_bool(&w->j, NULL, false);
	lkst_json_null(&w->j, NULL);
	lkst_json_object(&w->j, NULL);
	lkst_json_end(&w->j);
	lkst_json_end(&w->j);
	lkst_json_array(&w->j, "none");
	lkst_json_end(&w->j);
	lkst_json_str(&w->j, "last", "x");
	lkst_json_end(&w->j);
	CHECK_STR(end(w), "{\"most\":18446744073709551615,\"least\":-9223372036854775808,"
			  "\"list\":[true,false,null,{}],\"none\":[],\"last\":\"x\"}\n");
	done(w);
}

TEST(json_writer_escapes_names_and_text)
{
	struct written *w = begin();

	lkst_json_object(&w->j, NULL);
	lkst_json_str(&w->j, "a\"b", "\"\\\n\x1b");
	lkst_json_text(&w->j, "cut", "abc", 2);
	lkst_json_end(&w->j);
	CHECK_STR(end(w), "{\"a\\\"b\":\"\\\"\\\\\\n\\u001b\",\"cut\":\"ab\"}\n");
	done(w);
}

TEST(json_writer_has_no_number_that_json_has_not)
{
	struct written *w = begin();

	lkst_json_array(&w->j, NULL);
	lkst_json_decimal(&w->j, NULL, 1.0 / 3, 3);
	lkst_json_decimal(&w->j, NULL, -2, 0);
	lkst_json_decimal(&w->j, NULL, INFINITY, 3);
	lkst_json_double(&w->j, NULL, 0.1);
	lkst_json_double(&w->j, NULL, NAN);
	lkst_json_end(&w->j);
	CHECK_STR(end(w), "[0.333,-2,null,0.1,null]\n");
	done(w);
}

TEST(json_writer_ends_the_line_of_an_outermost_value)
{
	struct written *w = begin();

	lkst_json_u64(&w->j, NULL, 1);
	lkst_json_array(&w->j, NULL);
	lkst_json_break(&w->j);
	lkst_json_u64(&w->j, NULL, 2);
	lkst_json_break(&w->j);
	lkst_json_u64(&w->j, NULL, 3);
	lkst_json_break(&w->j);
	lkst_json_end(&w->j);
	CHECK_STR(end(w), "1\n[\n2,\n3\n]\n");
	done(w);
}

TEST(json_writer_has_a_deepest_level)
{
	struct written *w = begin();
	unsigned int i;

	for (i = 0; i < LKST_JSON_DEPTH_MAX; i++)
		lkst_json_array(&w->j, NULL);
	CHECK_EQ(w->out.error, 0);
	for (i = 0; i < 3; i++)
		lkst_json_array(&w->j, NULL);
	CHECK_EQ(w->out.error, -E2BIG);
	for (i = 0; i < LKST_JSON_DEPTH_MAX + 3; i++)
		lkst_json_end(&w->j);
	CHECK_EQ(w->out.error, -E2BIG);
	CHECK_STR(end(w), "");
	done(w);
}

TEST(json_writer_keeps_the_first_error_of_the_output)
{
	struct written *w = begin();
	FILE *full = fopen("/dev/full", "w");

	CHECK(full);
	setbuf(full, NULL);
	lkst_out_init_stream(&w->out, full);
	lkst_json_str(&w->j, NULL, "text");
	CHECK_EQ(lkst_out_flush(&w->out), -ENOSPC);
	lkst_json_str(&w->j, NULL, "text");
	CHECK_EQ(lkst_out_flush(&w->out), -ENOSPC);
	fclose(full);
	fclose(w->to);
	done(w);
}

static const struct unit_test tests[] = {
	{ "json_writer_puts_commas_and_names", test_json_writer_puts_commas_and_names },
	{ "json_writer_escapes_names_and_text", test_json_writer_escapes_names_and_text },
	{ "json_writer_has_no_number_that_json_has_not",
	  test_json_writer_has_no_number_that_json_has_not },
	{ "json_writer_ends_the_line_of_an_outermost_value",
	  test_json_writer_ends_the_line_of_an_outermost_value },
	{ "json_writer_has_a_deepest_level", test_json_writer_has_a_deepest_level },
	{ "json_writer_keeps_the_first_error_of_the_output",
	  test_json_writer_keeps_the_first_error_of_the_output },
};

UNIT_MAIN(tests)
