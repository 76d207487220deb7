/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Metadata: what is written is read back unchanged, and nothing else is read.
 */
#include "abi/syscalls.h"
#include "lib/make_trace.h"
#include "trace/format/metadata.h"
#include "lib/unit.h"

static struct lkst_err err;

/* Built-in events, the test's own, and all system calls. */
static struct lkst_catalog *full_catalog(void)
{
	struct lkst_catalog *c = make_catalog();
	u16 id = LKST_NR_EVENTS + 10;
	unsigned int i;

	for (i = 0; i < lkst_nr_syscalls; i++, id += 2)
		if (lkst_catalog_add_syscall(&err, c, id, id + 1, i))
			abort();
	return c;
}

static char *format(const struct lkst_catalog *c)
{
	char *text;

	if (lkst_metadata_format(&err, c, &text))
		abort();
	return text;
}

/* The metadata of a small catalogue. */
static char *small_text(void)
{
	struct lkst_catalog *c = lkst_catalog_new();
	char *text;

	if (!c || lkst_catalog_add_builtin(&err, c, 1, LKST_EV_sched_switch) ||
	    lkst_catalog_add_builtin(&err, c, 2, LKST_EV_state_irq) ||
	    make_test_events(&err, c, 10))
		abort();
	text = format(c);
	lkst_catalog_free(c);
	return text;
}

static int parse(const char *text, size_t length)
{
	/* A copy without a byte to spare, so that reading past the end is noticed. */
	char *copy = malloc(length ? length : 1);
	struct lkst_catalog *c = NULL;
	int code;

	memcpy(copy, text, length);
	err.text[0] = 0;
	code = lkst_metadata_parse(&err, copy, length, &c);
	free(copy);
	lkst_catalog_free(c);
	return code;
}

TEST(metadata_is_written_as_it_was_read)
{
	struct lkst_catalog *a = full_catalog(), *b;
	char *first = format(a), *second;

	CHECK_EQ(lkst_metadata_parse(&err, first, strlen(first), &b), 0);
	second = format(b);
	CHECK_STR(second, first);
	lkst_catalog_free(a);
	lkst_catalog_free(b);
	free(first);
	free(second);
}

static bool is_same_field(const struct lkst_field_class *a, const struct lkst_field_class *b)
{
	return !strcmp(a->name, b->name) && a->type == b->type && a->size == b->size &&
	       a->base == b->base && a->meaning == b->meaning && a->count == b->count &&
	       a->length_field == b->length_field && a->offset == b->offset &&
	       a->sys_meaning == b->sys_meaning;
}

static bool is_same_class(const struct lkst_event_class *a, const struct lkst_event_class *b)
{
	u16 i;

	if (strcmp(a->name, b->name) || a->id != b->id || a->is_fixed != b->is_fixed ||
	    a->is_native != b->is_native || a->size != b->size || a->index != b->index ||
	    a->syscall != b->syscall || a->group != b->group || a->nr_fields != b->nr_fields)
		return false;
	for (i = 0; i < a->nr_fields; i++)
		if (!is_same_field(&a->fields[i], &b->fields[i]))
			return false;
	return true;
}

TEST(metadata_carries_the_whole_catalogue)
{
	struct lkst_catalog *a = full_catalog(), *b;
	char *text = format(a);
	u32 id;

	CHECK_EQ(lkst_metadata_parse(&err, text, strlen(text), &b), 0);
	CHECK_EQ(b->nr_classes, a->nr_classes);
	for (id = 0; id <= LKST_ID_MAX; id++) {
		CHECK_EQ(!b->classes[id], !a->classes[id]);
		CHECK(!a->classes[id] || is_same_class(a->classes[id], b->classes[id]));
	}
	CHECK(!memcmp(b->uuid, a->uuid, sizeof(a->uuid)));
	CHECK_EQ(b->clock_offset_ns, a->clock_offset_ns);
	CHECK_STR(b->hostname, a->hostname);
	CHECK(!memcmp(b->boot_id, a->boot_id, sizeof(b->boot_id)));
	CHECK_STR(b->release, a->release);
	CHECK_STR(b->version, a->version);
	CHECK_STR(b->machine, a->machine);
	lkst_catalog_free(a);
	lkst_catalog_free(b);
	free(text);
}

TEST(metadata_quotes_any_byte)
{
	struct lkst_catalog *a = lkst_catalog_new(), *b;
	char *text;

	snprintf(a->hostname, sizeof(a->hostname),
		 "a\"b\\c\nd\te\x7f\xc3\xa9 1\x01"
		 "2");
	text = format(a);
	CHECK_EQ(lkst_metadata_parse(&err, text, strlen(text), &b), 0);
	CHECK_STR(b->hostname, a->hostname);
	lkst_catalog_free(a);
	lkst_catalog_free(b);
	free(text);
}

/* Puts @replacement in place of the first @old in the small text and parses the result. */
static int parse_with(const char *old, const char *replacement)
{
	char *text = small_text(), *changed, *at = strstr(text, old);
	int code;

	if (!at || asprintf(&changed, "%.*s%s%s", (int)(at - text), text, replacement,
			    at + strlen(old)) < 0)
		abort();
	code = parse(changed, strlen(changed));
	free(text);
	free(changed);
	return code;
}

TEST(metadata_allows_comments_and_further_environment)
{
	CHECK_EQ(parse_with("trace {", "/* one\n * two */ trace /**/ // three {\n{"), 0);
	CHECK_EQ(parse_with("env {", "env {\n\tvendor = \"any\";\n\tnumber = 5;"), 0);
	CHECK_EQ(parse_with("xuint32_t _prev_state;",
			    "integer { signed = false; align = 32; size = 32; } _prev_state;"),
		 0);
}

TEST(metadata_names_what_it_does_not_take)
{
	static const struct {
		const char *old, *replacement, *says;
	} cases[] = {
		{ "/* CTF 1.8 */", "/* CTF 2.0 */", "does not begin" },
		{ "/* CTF 1.8 */", "\x57\x1d\xd1\x75", "a trace of LTTng" },
		{ "major = 1", "major = 2", "only 1" },
		{ "minor = 8", "minor = eight", "number" },
		{ "minor = 8;", "", "lacks" },
		{ "byte_order = le", "byte_order = be", "only le" },
		{ "00000000-0000", "0000000000000", "UUID" },
		{ "uint32_t magic;", "uint32_t magi;", "packet.header" },
		{ "uint32_t cpu_id;", "uint64_t cpu_id;", "packet.context" },
		{ "uint64_t packet_seq_num;", "", "packet.context" },
		{ "align(64)", "align(32)", "event.header" },
		{ "int32_t _tid;", "uint32_t _tid;", "event.context" },
		{ "freq = 1000000000", "freq = 1000", "only 1000000000" },
		{ "offset = 0", "offset = 9223372036854775807", "more than" },
		{ "offset = 0", "offset = 99999999999999999999999", "64 bits" },
		{ "offset = 0", "offset = 0x10", "decimal" },
		{ "absolute = true", "absolute = false", "only true" },
		{ "lkst_format = 1", "lkst_format = 2", "only 1" },
		{ "lkst_format = 1;", "", "env lacks" },
		{ "env {", "env {\n\tboot_id = \"1\";", "UUID" },
		{ "env {", "env {\n};\n\nenv {", "lacks" },
		{ "clock {", "clock {\n\tname = \"monotonic\";", "twice" },
		{ "name = \"monotonic\"", "name = \"other\"", "clock" },
		{ "stream {", "streams {", "streams is not known" },
		{ "stream_id = 0", "stream_id = 1", "only 0" },
		{ "\tid = 1;", "\tid = 4096;", "more than 4095" },
		{ "\tid = 1;", "\tid = 2;", "taken" },
		{ "name = \"sched_switch\"", "name = \"state_irq\"", "already" },
		{ "_next_tid", "next_tid", "'_'" },
		{ "_next_tid", "_next.tid", "identifier" },
		{ "_prev_prio", "_next_prio", "two fields" },
		{ "xuint32_t _prev_state", "uint33_t _prev_state", "no type uint33_t" },
		{ "xuint32_t _prev_state", "uint64_clock_t _prev_state", "cannot be read" },
		{ "xuint32_t _prev_state", "utf8_t _prev_state", "cannot be read" },
		{ "xuint32_t _prev_state", "integer { size = 24; align = 8; signed = false; } _x",
		  "cannot be read" },
		{ "xuint32_t _prev_state", "integer { size = 0; align = 8; signed = false; } _x",
		  "makes no sense" },
		{ "xuint32_t _prev_state", "struct { uint8_t _a; } _prev_state", "no type struct" },
		{ "utf8_t _name[7]", "utf8_t _name[0]", "no elements" },
		{ "utf8_t _name[7]", "utf8_t _name[70000]", "more than 65535" },
		{ "string _name;", "string _name[3];", "strings" },
		{ "[_text_len]", "[_after]", "is not an earlier field" },
		{ "[_data_len]", "[_text]", "is not an unsigned integer" },
		{ "uint8_t _data[", "int16_t _data[", "unsigned" },
		{ "stream_id = 0;\n\tfields", "loglevel = 3;\n\tfields", "loglevel" },
		{ "hostname = \"\"", "hostname = \"\\x41\"", "escape" },
		{ "hostname = \"\"", "hostname = \"abc\n\"", "no end" },
		{ "trace {", "/* trace {", "no end" },
		{ "event {", "event {{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{", "word" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int code = parse_with(cases[i].old, cases[i].replacement);

		if (code != -EBADMSG || !strstr(err.text, cases[i].says))
			printf("%s -> %s: %d, \"%s\"\n", cases[i].old, cases[i].replacement, code,
			       err.text);
		CHECK_EQ(code, -EBADMSG);
		CHECK(strstr(err.text, cases[i].says));
	}
}

TEST(metadata_tells_the_line)
{
	char *text = small_text(), *at = strstr(text, "_prev_state"), *p, expected[32];
	unsigned int line = 1;

	for (p = text; p < at; p++)
		line += *p == '\n';
	at[0] = '?';
	CHECK_EQ(parse(text, strlen(text)), -EBADMSG);
	snprintf(expected, sizeof(expected), "line %u:", line);
	CHECK(strstr(err.text, expected));
	free(text);
}

TEST(metadata_has_ceilings)
{
	char *large = malloc((16 << 20) + 1), word[400], many[24000] = "", *p = many;
	int i;

	memset(large, ' ', (16 << 20) + 1);
	memcpy(large, "/* CTF 1.8 */", 13);
	CHECK_EQ(parse(large, (16 << 20) + 1), -EFBIG);
	CHECK_EQ(parse(large, 16 << 20), -EBADMSG);
	free(large);

	memset(word, 'x', sizeof(word));
	word[sizeof(word) - 1] = 0;
	CHECK_EQ(parse_with("_next_tid", word), -EBADMSG);
	word[0] = '_';
	word[120] = 0;
	CHECK_EQ(parse_with("_next_tid", word), -EBADMSG);
	CHECK(strstr(err.text, "too long"));
	CHECK_EQ(parse_with("state_irq", word), -EBADMSG);
	CHECK(strstr(err.text, "too long"));
	CHECK_EQ(parse_with("hostname = \"\"", "hostname = \"0123456789012345678901234567890123456"
					       "789012345678901234567890123456789\""),
		 -EBADMSG);
	CHECK(strstr(err.text, "longer than 64"));

	for (i = 0; i < 61; i++)
		p += sprintf(p, "uint8_t _f%d; ", i);
	p += sprintf(p, "int32_t _next_tid;");
	CHECK_EQ(parse_with("int32_t _next_tid;", many), -EBADMSG);
	CHECK(strstr(err.text, "more than 64"));
	for (i = 0, p = many; i < 256; i++)
		p += sprintf(p,
			     "typealias integer { size = 8; align = 8; signed = true; } := t%d;\n",
			     i);
	sprintf(p, "trace {");
	CHECK_EQ(parse_with("trace {", many), -EBADMSG);
	CHECK(strstr(err.text, "more than 256 types"));
}

TEST(metadata_cut_short_is_an_error_or_fewer_events)
{
	char *text = small_text();
	size_t length = strlen(text), end = (size_t)(strstr(text, "\nevent {") - text) - 1, i;

	for (i = 0; i < end; i++) {
		CHECK_EQ(parse(text, i), -EBADMSG);
		if (!i)
			CHECK(strstr(err.text, "does not begin"));
	}
	for (; i <= length; i++) {
		size_t last = i;

		while (text[last - 1] == '\n')
			last--;
		/* Whole only where a block has just ended. */
		CHECK_EQ(parse(text, i), strncmp(text + last - 3, "\n};", 3) ? -EBADMSG : 0);
	}
	CHECK_EQ(parse(text, (size_t)(strstr(text, "stream {") - text)), -EBADMSG);
	CHECK(strstr(err.text, "trace, env, clock and stream is missing"));
	free(text);
}

TEST(metadata_with_flipped_bits_is_refused_or_consistent)
{
	char *text = small_text(), *changed = strdup(text);
	size_t length = strlen(text);
	unsigned int seed = 12345, i, nr_taken = 0;

	for (i = 0; i < 3000; i++) {
		struct lkst_catalog *c = NULL, *again = NULL;
		size_t at = (size_t)rand_r(&seed) % length;
		char old = changed[at];

		changed[at] ^= (char)(1 << rand_r(&seed) % 8);
		if (!lkst_metadata_parse(&err, changed, length, &c)) {
			char *first = format(c), *second;

			nr_taken++;
			CHECK_EQ(lkst_metadata_parse(&err, first, strlen(first), &again), 0);
			second = format(again);
			CHECK_STR(second, first);
			free(first);
			free(second);
		}
		lkst_catalog_free(c);
		lkst_catalog_free(again);
		changed[at] = old;
	}
	/* Names and numbers can be changed, comments too; most else is noticed. */
	CHECK(nr_taken > 100 && nr_taken < 1500);
	free(text);
	free(changed);
}

static const struct unit_test tests[] = {
	{ "metadata_is_written_as_it_was_read", test_metadata_is_written_as_it_was_read },
	{ "metadata_carries_the_whole_catalogue", test_metadata_carries_the_whole_catalogue },
	{ "metadata_quotes_any_byte", test_metadata_quotes_any_byte },
	{ "metadata_allows_comments_and_further_environment",
	  test_metadata_allows_comments_and_further_environment },
	{ "metadata_names_what_it_does_not_take", test_metadata_names_what_it_does_not_take },
	{ "metadata_tells_the_line", test_metadata_tells_the_line },
	{ "metadata_has_ceilings", test_metadata_has_ceilings },
	{ "metadata_cut_short_is_an_error_or_fewer_events",
	  test_metadata_cut_short_is_an_error_or_fewer_events },
	{ "metadata_with_flipped_bits_is_refused_or_consistent",
	  test_metadata_with_flipped_bits_is_refused_or_consistent },
};
UNIT_MAIN(tests)
