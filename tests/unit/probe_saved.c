/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Resolved probes as a file, for the program or kernel that they were resolved for.
 */
#include "probe/resolve/saved.h"

#include <errno.h>

#include "lib/probed.h"
#include "lib/unit.h"
#include "probe/resolve/resolve.h"
#include "probe/text/format.h"
#include "probe/text/perf.h"

/* Resolves @definition in a program and writes it as a file. To be freed. */
static char *save(const char *how, const char *definition, char id[256])
{
	const struct lkst_image_options o = { .program = probed_path(how) };
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	const struct lkst_perf_target target = { .path = o.program };
	struct lkst_resolved r = { 0 };
	struct lkst_probe p = { 0 };
	char *text = NULL;

	if (!lkst_image_open(NULL, &o, &image) && !lkst_perf_parse(NULL, definition, &target, &p) &&
	    !lkst_probe_resolve(NULL, image, &p, &r) &&
	    !lkst_saved_format(NULL, image, r.probes, r.nr, &text))
		snprintf(id, 256, "%s", lkst_image_build_id(image));
	lkst_resolved_fini(&r);
	lkst_probe_fini(&p);
	return text;
}

/* What is read back is what was written, line for line; L12, K11. */
TEST(saved_probes_are_read_back)
{
	_cleanup_free_ char *text = NULL, *all = NULL;
	struct lkst_definitions d = { 0 };
	char id[256] = "", line[LKST_PROBE_TEXT];
	struct lkst_err e = { 0 };

	text = save(PROBED_GCC, "walk p->x p->name:string n", id);
	CHECK(text && id[0]);
	CHECK(asprintf(
		      &all,
		      "build-id: 0123\np:a/b c\n%s# more\nbuild-id: 4567 /bin/x\np:a/b /bin/x:0x10\n",
		      text) > 0);
	CHECK_EQ(lkst_saved_parse(&e, "f", all, strlen(all), id, probed_path(PROBED_GCC), &d), 0);
	CHECK_EQ(d.nr, 1);
	CHECK_EQ(lkst_definition_format(&e, &d.list[0].probe, line), 0);
	CHECK(strstr(text, line));
	CHECK_STR(line, probed(PROBED_GCC, "walk p->x p->name:string n"));
	lkst_definitions_fini(&d);
	CHECK_EQ(lkst_saved_parse(&e, "f", all, strlen(all), "0123", NULL, &d), 0);
	CHECK_EQ(d.nr, 1);
	CHECK_EQ(d.list[0].line, 2);
	lkst_definitions_fini(&d);
}

TEST(saved_probes_of_another_build_are_refused)
{
	static const char text[] = "build-id: 0123 /bin/x\np:a/b /bin/x:0x10\n";
	struct lkst_definitions d = { 0 };
	struct lkst_err e = { 0 };

	CHECK_EQ(lkst_saved_parse(&e, "f", text, strlen(text), "4567", "/bin/x", &d), -ESTALE);
	CHECK_STR(
		e.text,
		"f has probes of build-id 0123, and /bin/x has build-id 4567: resolve them again");
	CHECK_EQ(lkst_saved_parse(&e, "f", text, strlen(text), "4567", NULL, &d), -ENOENT);
	CHECK_STR(e.text, "f has no probes of build-id 4567 (the kernel)");
	CHECK_EQ(lkst_saved_parse(&e, "f", "build-id: xyz\n", 14, "4567", NULL, &d), -EINVAL);
	CHECK_EQ(lkst_saved_parse(&e, "f", "build-id: 01\0\n", 14, "01", NULL, &d), -EINVAL);
	CHECK_EQ(lkst_saved_parse(&e, "f", "build-id: 01\np:x", 16, "01", NULL, &d), -EINVAL);
	CHECK_EQ(lkst_saved_parse(&e, "f", "build-id: 01", 12, "01", NULL, &d), 0);
	CHECK_EQ(d.nr, 0);
}

static const struct unit_test tests[] = {
	{ "saved_probes_are_read_back", test_saved_probes_are_read_back },
	{ "saved_probes_of_another_build_are_refused",
	  test_saved_probes_of_another_build_are_refused },
};

UNIT_MAIN(tests)
