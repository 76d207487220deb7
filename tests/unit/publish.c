/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Publishing: a trace has its name when it is whole, and what is unfinished is found and removed.
 */
#include "lib/make_trace.h"
#include "lib/unit.h"
#include "trace/write/publish.h"

static struct lkst_err err;
static char dir[64], name[LKST_PUBLISH_NAME];

static const char *path_of(const char *of)
{
	static char path[400];

	snprintf(path, sizeof(path), "%s/%s", dir, of);
	return path;
}

static bool exists(const char *of)
{
	return !access(path_of(of), F_OK);
}

/* The name that a trace has until it is published. */
static const char *hidden(const struct lkst_catalog *c, const char *of)
{
	static char text[300];
	int used = snprintf(text, sizeof(text), ".%s.", of);
	unsigned int i;

	for (i = 0; i < sizeof(c->uuid); i++)
		used += snprintf(text + used, sizeof(text) - used, "%02x", c->uuid[i]);
	return text;
}

static int publish(const struct lkst_catalog *c, const char *as, int failed)
{
	struct lkst_publication *p;

	if (lkst_publish_open(&err, NULL, dir, as, c, &p))
		abort();
	return lkst_publish_close(&err, p, failed, name);
}

TEST(trace_has_its_name_when_it_is_published)
{
	struct lkst_catalog *c = make_catalog();
	struct lkst_publication *p = NULL;

	make_scratch(dir);
	CHECK_EQ(lkst_publish_open(&err, NULL, dir, "moment-1-now", c, &p), 0);
	CHECK(!exists("moment-1-now"));
	CHECK(exists(hidden(c, "moment-1-now")));
	CHECK_EQ(lkst_publish_close(&err, p, 0, name), 0);
	CHECK_STR(name, "moment-1-now");
	CHECK(exists("moment-1-now/metadata"));
	CHECK(!exists("moment-1-now/.partial"));
	CHECK(!exists(hidden(c, "moment-1-now")));
	lkst_catalog_free(c);
	make_scratch_remove(dir);
}

TEST(failed_trace_is_removed)
{
	struct lkst_catalog *c = make_catalog();

	make_scratch(dir);
	CHECK_EQ(publish(c, "moment-1-now", -ENOSPC), -ENOSPC);
	CHECK(!exists("moment-1-now"));
	CHECK(!exists(hidden(c, "moment-1-now")));
	CHECK_EQ(rmdir(dir), 0);
	lkst_catalog_free(c);
}

TEST(taken_name_is_left_alone)
{
	struct lkst_catalog *c = make_catalog();

	make_scratch(dir);
	CHECK_EQ(publish(c, "moment-1-now", 0), 0);
	CHECK_EQ(publish(c, "moment-1-now", 0), 0);
	CHECK_STR(name, "moment-1-now.2");
	CHECK_EQ(publish(c, "moment-1-now", 0), 0);
	CHECK_STR(name, "moment-1-now.3");
	/* An empty directory that an earlier failure has left is not a reason to refuse. */
	CHECK_EQ(mkdir(path_of("moment-2-now"), 0700), 0);
	CHECK_EQ(publish(c, "moment-2-now", 0), 0);
	CHECK_STR(name, "moment-2-now");
	lkst_catalog_free(c);
	make_scratch_remove(dir);
}

TEST(published_trace_is_found_by_prefix_and_uuid)
{
	struct lkst_catalog *c = make_catalog();
	u8 other[16] = { 1 };

	make_scratch(dir);
	CHECK_EQ(lkst_publish_find(&err, dir, "moment-1-", c->uuid, name), 0);
	CHECK_EQ(publish(c, "moment-1-now", 0), 0);
	CHECK_EQ(publish(c, "moment-11-now", 0), 0);
	CHECK_EQ(lkst_publish_find(&err, dir, "moment-1-", c->uuid, name), 1);
	CHECK_STR(name, "moment-1-now");
	CHECK_EQ(lkst_publish_find(&err, dir, "moment-1-", other, name), 0);
	CHECK_EQ(lkst_publish_find(&err, dir, "moment-2-", c->uuid, name), 0);
	CHECK_EQ(lkst_publish_find(&err, path_of("absent"), "moment-1-", c->uuid, name), -ENOENT);
	lkst_catalog_free(c);
	make_scratch_remove(dir);
}

TEST(trace_that_others_can_change_or_that_is_marked_is_not_found)
{
	struct lkst_catalog *c = make_catalog();
	const char *real;
	FILE *f;

	make_scratch(dir);
	real = strdupa(path_of("real"));
	CHECK_EQ(publish(c, "moment-1-now", 0), 0);
	CHECK_EQ(chmod(path_of("moment-1-now"), 0777), 0);
	CHECK_EQ(lkst_publish_find(&err, dir, "moment-1-", c->uuid, name), 0);
	CHECK_EQ(chmod(path_of("moment-1-now"), 0755), 0);
	CHECK_EQ(lkst_publish_find(&err, dir, "moment-1-", c->uuid, name), 1);
	f = fopen(path_of("moment-1-now/.partial"), "w");
	CHECK(f && !fclose(f));
	CHECK_EQ(lkst_publish_find(&err, dir, "moment-1-", c->uuid, name), 0);
	CHECK_EQ(unlink(path_of("moment-1-now/.partial")), 0);
	CHECK_EQ(rename(path_of("moment-1-now"), real), 0);
	CHECK_EQ(symlink("real", path_of("moment-1-now")), 0);
	CHECK_EQ(lkst_publish_find(&err, dir, "moment-1-", c->uuid, name), 0);
	lkst_catalog_free(c);
	make_scratch_remove(dir);
}

TEST(what_a_kill_left_is_removed_and_nothing_else)
{
	struct lkst_catalog *c = make_catalog(), *d = make_catalog();
	struct lkst_publication *mine, *others, *next;

	make_scratch(dir);
	d->uuid[0] ^= 1;
	CHECK_EQ(lkst_publish_open(&err, NULL, dir, "moment-1-then", c, &mine), 0);
	CHECK_EQ(lkst_publish_open(&err, NULL, dir, "moment-1-then", d, &others), 0);
	CHECK_EQ(lkst_publish_open(&err, NULL, dir, "moment-2-then", c, &next), 0);
	CHECK_EQ(symlink("/", path_of(strdupa(hidden(c, "moment-1-link")))), 0);
	CHECK_EQ(lkst_publish_find(&err, dir, "moment-1-", c->uuid, name), 0);
	CHECK(!exists(hidden(c, "moment-1-then")));
	CHECK(exists(hidden(d, "moment-1-then")));
	CHECK(exists(hidden(c, "moment-2-then")));
	CHECK(exists(hidden(c, "moment-1-link")));
	CHECK(lkst_publish_close(&err, mine, 0, name) < 0);
	CHECK_EQ(lkst_publish_close(&err, others, 0, name), 0);
	CHECK_EQ(lkst_publish_close(&err, next, 0, name), 0);
	lkst_catalog_free(c);
	lkst_catalog_free(d);
	make_scratch_remove(dir);
}

/* Whoever may rename there gives such a name to any directory of ours. */
TEST(nothing_is_removed_by_its_name_where_others_may_write)
{
	static const mode_t modes[] = { 0777, 0770 };
	struct lkst_catalog *c = make_catalog();
	char left[300], aside[400], important[400];
	size_t i;

	make_scratch(dir);
	snprintf(left, sizeof(left), "%s", hidden(c, "moment-1-then"));
	CHECK(!mkdir(path_of(left), 0700));
	make_write(path_of(left), "important", "", 0);
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		CHECK(!chmod(dir, modes[i]));
		CHECK_EQ(lkst_publish_find(&err, dir, "moment-1-", c->uuid, name), 0);
		lkst_publish_remove_left(dir, "moment-1-");
		CHECK(exists(left));
	}
	CHECK(!chmod(dir, 0755));
	lkst_publish_remove_left(dir, "moment-1-");
	CHECK(!exists(left));
	/* Nor when what was made here has lost its name to another one meanwhile. */
	CHECK(!chmod(dir, 0777));
	for (i = 0; i < 2; i++) {
		struct lkst_publication *p;

		CHECK_EQ(lkst_publish_open(&err, NULL, dir, "moment-1-then", c, &p), 0);
		snprintf(aside, sizeof(aside), "%s", path_of("aside"));
		CHECK(!rename(path_of(left), aside));
		CHECK(!mkdir(path_of(left), 0700));
		make_write(path_of(left), "important", "", 0);
		CHECK(i ? lkst_publish_use(&err, p, -EIO, NULL, NULL) < 0
			: lkst_publish_close(&err, p, -EIO, name) < 0);
		snprintf(important, sizeof(important), "%s/important", left);
		CHECK(exists(important));
		CHECK(!unlink(path_of(important)) && !rmdir(path_of(left)) && !rmdir(aside));
	}
	lkst_catalog_free(c);
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "trace_has_its_name_when_it_is_published",
	  test_trace_has_its_name_when_it_is_published },
	{ "failed_trace_is_removed", test_failed_trace_is_removed },
	{ "taken_name_is_left_alone", test_taken_name_is_left_alone },
	{ "published_trace_is_found_by_prefix_and_uuid",
	  test_published_trace_is_found_by_prefix_and_uuid },
	{ "trace_that_others_can_change_or_that_is_marked_is_not_found",
	  test_trace_that_others_can_change_or_that_is_marked_is_not_found },
	{ "nothing_is_removed_by_its_name_where_others_may_write",
	  test_nothing_is_removed_by_its_name_where_others_may_write },
	{ "what_a_kill_left_is_removed_and_nothing_else",
	  test_what_a_kill_left_is_removed_and_nothing_else },
};
UNIT_MAIN(tests)
