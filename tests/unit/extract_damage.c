/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Dumps that are cut off or changed: the trace that they give is sound, and nothing in them does
 * harm.
 */
#include <string.h>

#include "lib/extract.h"
#include "lib/unit.h"

/* What `lkst check` complains of. */
struct complaints {
	unsigned int contradictions; /* blocks whose header is sound, but not beside those before and after it */
	unsigned int others;
};

static void count_complaint(void *arg, const struct lkst_stream_info *stream, u64 offset, u64 bytes, const char *text)
{
	struct complaints *c = arg;

	if (strstr(text, "do not fit its neighbours'")) {
		c->contradictions++;
		return;
	}
	c->others++;
	complain(NULL, stream, offset, bytes, text);
}

/*
 * What can be had of the first @length bytes of @f is a sound trace with no more records than there were. @nr_changed:
 * values that are others than they were. Each may be a block's time, of which only the reader can see that it is wrong.
 */
static void expect_sound(struct scene *x, const struct make_file *f, size_t length, unsigned int records,
			 unsigned int nr_changed)
{
	struct make_file part = {};
	struct complaints complaints = {};
	struct outcome o;

	make_put(&part, 0, f->bytes, length);
	o = scene_extract(x, part, x->dir, NULL);
	CHECK(o.err <= 0);
	CHECK(o.sum.records <= records);
	if (!o.err && o.has_catalog) {
		struct lkst_trace *t;
		struct lkst_err e;

		CHECK_EQ(lkst_trace_open(&e, x->dir, &t), 0);
		lkst_trace_check(t, count_complaint, &complaints);
		CHECK_EQ(complaints.others, 0);
		CHECK(complaints.contradictions <= nr_changed);
		lkst_trace_close(t);
	}
}

TEST(extract_takes_what_is_left_of_a_cut_dump)
{
	struct scene x = made_scene(MAKE_PAGE);
	unsigned int format;

	for (format = 0; format < 16 && !unit_failed; format++) {
		struct make_file f = in_format(x.m, format);
		size_t at;

		for (at = 0; at <= f.length && !unit_failed; at += f.length / 13 + 1)
			expect_sound(&x, &f, at, RECORDS, 0);
		for (at = 1; at < 600 && !unit_failed; at += 61)
			expect_sound(&x, &f, at < f.length ? at : f.length, RECORDS, 0);
		for (at = MAKE_PAGE - 8; at < 5 * MAKE_PAGE && !unit_failed; at += 1337)
			expect_sound(&x, &f, at, RECORDS, 0);
		free(f.bytes);
	}
	scene_end(&x);
}

/* Numbers that a header may be made to hold. */
static const u64 hostile[] = { 0,
			       1,
			       0x7f,
			       0xff,
			       0xfff,
			       0x7fffffff,
			       0xffffffff,
			       0x7fffffffffffffff,
			       0xfffffffffffff000,
			       UINT64_MAX };

TEST(extract_survives_mutations)
{
	struct scene x = made_scene(MAKE_PAGE);
	unsigned int format, round;
	u64 random = 4711;

	for (format = 0; format < 16 && !unit_failed; format++) {
		struct make_file f = in_format(x.m, format);
		u8 *sound = malloc(f.length);

		if (!sound)
			abort();
		memcpy(sound, f.bytes, f.length);
		for (round = 0; round < 25 && !unit_failed; round += UNIT_STEP) {
			unsigned int nr = 1 + (unsigned int)(make_random(&random) % 4), i;

			for (i = 0; i < nr; i++) {
				/* Half of them among the headers. */
				size_t area = make_random(&random) % 2 ? 9 * MAKE_PAGE : f.length;
				size_t at = make_random(&random) % (area - 8) & ~(size_t)3;
				u64 value = hostile[make_random(&random) % 10];

				if (make_random(&random) % 3 == 0)
					value = make_random(&random);
				memcpy(f.bytes + at, &value, make_random(&random) % 2 ? 8 : 4);
			}
			expect_sound(&x, &f, f.length, RECORDS + PAGES * 200, nr);
			memcpy(f.bytes, sound, f.length);
		}
		free(f.bytes);
		free(sound);
	}
	scene_end(&x);
}

static const struct unit_test tests[] = {
	{ "extract_takes_what_is_left_of_a_cut_dump",
	  test_extract_takes_what_is_left_of_a_cut_dump },
	{ "extract_survives_mutations", test_extract_survives_mutations },
};
UNIT_MAIN(tests)
