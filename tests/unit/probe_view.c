/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * A probe's record says which of its fields could not be read: no view shows these as values (row M06 of
 * doc/heritage.md).
 */
#include "lib/unit.h"
#include "lib/view_fixture.h"

static void declare(void)
{
	struct lkst_field_class fields[] = {
		{ .name = LKST_PROBE_FIELD_IP, .type = LKST_CLASS_UINT, .size = 8, .base = 16 },
		{ .name = LKST_PROBE_FIELD_FAULTS, .type = LKST_CLASS_UINT, .size = 4, .base = 10 },
		{ .name = "a", .type = LKST_CLASS_UINT, .size = 4, .base = 10 },
		{ .name = "b", .type = LKST_CLASS_SINT, .size = 4, .base = 10 },
		{ .name = "list", .type = LKST_CLASS_UINTS, .size = 1, .count = 2, .base = 10 },
		{ .name = "s", .type = LKST_CLASS_STRING, .base = 10 },
	};
	struct lkst_event_class event = { .id = 4000, .nr_fields = 6, .fields = fields };

	strcpy(event.name, "my:rd");
	if (!f->catalog->classes[4000] && lkst_catalog_add(NULL, f->catalog, &event))
		abort();
}

/* Whether the line that a view prints ends as it should. */
static bool ends(const struct lkst_view *view, const char *record, const char *end)
{
	const char *line;

	declare();
	line = fixture_one(f, view, record);
	if (strlen(line) >= strlen(end) && !strcmp(line + strlen(line) - strlen(end), end))
		return true;
	printf("  %s", line);
	return false;
}

#define GOOD "my:rd __probe_ip=4096 __faults=0 a=7 b=-1 list=3,4 s=\"text\""
#define BAD "my:rd __probe_ip=4096 __faults=14 a=7 b=0 list=0,0 s=\"\""

TEST(text_says_fault)
{
	CHECK(ends(&lkst_view_text, GOOD,
		   " my:rd: __probe_ip=0x1000 a=7 b=-1 list=[3,4] s=\"text\"\n"));
	CHECK(ends(&lkst_view_text, BAD,
		   " my:rd: __probe_ip=0x1000 a=7 b=(fault) list=(fault) s=(fault)\n"));
}

TEST(json_has_null)
{
	CHECK(ends(
		&lkst_view_json, GOOD,
		"\"fields\":{\"__probe_ip\":4096,\"a\":7,\"b\":-1,\"list\":[3,4],\"s\":\"text\"}}\n"));
	CHECK(ends(
		&lkst_view_json, BAD,
		"\"fields\":{\"__probe_ip\":4096,\"a\":7,\"b\":null,\"list\":null,\"s\":null}}\n"));
}

TEST(csv_has_empty_columns)
{
	CHECK(ends(
		&lkst_view_csv, GOOD,
		",\"a\",0x00000007,0x00000000,\"b\",0xffffffff,0xffffffff,\"list[0]\",0x00000003,0x00000000,"
		"\"list[1]\",0x00000004,0x00000000,\"s\",\"text\",0x00000004\n"));
	CHECK(ends(&lkst_view_csv, BAD, ",\"a\",0x00000007,0x00000000,\"b\",,,\"s\",,\n"));
}

static const struct unit_test tests[] = {
	{ "text_says_fault", test_text_says_fault },
	{ "json_has_null", test_json_has_null },
	{ "csv_has_empty_columns", test_csv_has_empty_columns },
};
UNIT_MAIN(tests)
