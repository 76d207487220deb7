/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Redacting: what a rule takes out is nowhere in the bytes of what is left, equal strings stay equal, everything else
 * stays, and the counts are right.
 */
#include "bundle/redact.h"

#include "bundle/bundle_text.h"
#include "lib/make_trace.h"
#include "lib/unit.h"
#include "trace/format/metadata.h"

static struct lkst_err err;
static char dir[64], path[96], out[96];

/* Each has a string that is to go, and there are others that are to stay. */
static const char text[] =
	"sched_process_exec cpu=0 tid=5 ns=1000 filename=/home/alice/secret-tool\n"
	"sched_process_exec cpu=1 tid=6 ns=1100 filename=/home/alice/secret-tool\n"
	"sched_process_exec cpu=1 tid=6 ns=1200 filename=/home/bobby/other-tool\n"
	"printk_console cpu=0 ns=1300 text=\"mounted /srv/payroll-disk\"\n"
	"task_rename cpu=0 buffer=1 ns=1400 target_tid=5 newcomm=secret-worker oldcomm=kthreadd\n"
	"trigger_fired cpu=0 ns=1500 name=payroll-trigger\n"
	"module_load cpu=0 ns=1600 name=nf_tables\n"
	"test_text ns=1700 text=\"payroll words\" first=payroll-clerk second=payroll-boss\n"
	"state_thread ns=5000 thread_tid=2 flags=1 comm=kthreadd\n"
	"state_thread ns=5000 thread_tid=5 comm=secret-worker\n"
	"state_symbol ns=5000 address=4096 bytes=16 name=vfs_read\n";

static void make(void)
{
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/from", dir);
	snprintf(out, sizeof(out), "%s/to", dir);
	if (make_trace(path, 4096, text))
		abort();
}

static void unmake(void)
{
	make_scratch_remove(path);
	make_scratch_remove(out);
	make_scratch_remove(dir);
}

/* Redacts the trace by the rules of @r into @out. */
static int redact(struct lkst_redaction *r)
{
	struct lkst_trace *t = NULL;
	int code = lkst_redaction_begin(&err, r) ?: lkst_trace_open(&err, path, &t)
		   ?: lkst_redact_trace(&err, NULL, r, t, out);

	lkst_trace_close(t);
	return code;
}

static void follow_standard(struct lkst_redaction *r)
{
	unsigned int i;

	for (i = 0; i < LKST_REDACT_NR_RULES; i++)
		r->rules[i] = lkst_redact_is_standard(i);
}

/* Whether @what is in a file of the trace at @where. */
static bool occurs(const char *where, const char *what)
{
	char command[256];

	snprintf(command, sizeof(command), "grep -rqaF -- '%s' %s", what, where);
	return !system(command);
}

/* The string fields of all records of @event in @out, in order of time, one after the other with ";". */
static const char *strings_of(const char *where, const char *event, const char *field)
{
	static char all[512];
	struct lkst_merge *m = NULL;
	struct lkst_trace *t = NULL;
	struct lkst_record r;
	u32 length;

	all[0] = 0;
	if (lkst_trace_open(&err, where, &t) || lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		abort();
	while (lkst_merge_next(m, &r) > 0) {
		const struct lkst_field_class *f = lkst_class_field(r.event, field);
		const u8 *bytes;

		if (strcmp(r.event->name, event) || !f)
			continue;
		bytes = lkst_record_field(&r, (unsigned int)(f - r.event->fields), &length);
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%.*s;", (int)length,
			 (const char *)bytes);
	}
	lkst_merge_free(m);
	lkst_trace_close(t);
	return all;
}

/* ---- the trace ------------------------------------------------------------------------------ */

TEST(standard_rules_take_out_all_but_names)
{
	static const char *const secrets[] = { "alice",	     "secret-tool", "bobby",
					       "other-tool", "payroll",	    "mounted",
					       "words",	     "clerk",	    "boss" };
	struct lkst_redaction r = {};
	unsigned int i;

	make();
	follow_standard(&r);
	CHECK_EQ(redact(&r), 0);
	for (i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
		CHECK(occurs(path, secrets[i]));
		CHECK(!occurs(out, secrets[i]));
	}
	CHECK_EQ(r.counts[LKST_REDACT_PATHS], 3);
	/* Of the last one three strings. */
	CHECK_EQ(r.counts[LKST_REDACT_TEXT], 5);
	CHECK_EQ(r.counts[LKST_REDACT_NAMES], 0);
	CHECK_STR(strings_of(out, "state_thread", "comm"), "kthreadd;secret-worker;");
	CHECK_STR(strings_of(out, "module_load", "name"), "nf_tables;");
	CHECK_STR(strings_of(out, "state_symbol", "name"), "vfs_read;");
	lkst_redaction_fini(&r);
	unmake();
}

/* Of a command line the program is a path, and the other words are arguments, each by itself. */
TEST(arguments_go_word_by_word)
{
	static const char commands[] =
		"exec_args buffer=1 tid=5 ns=1000 uid=7 args_bytes=99 args=\"/opt/runner --key=hush  hush\"\n"
		"exec_args buffer=1 tid=6 ns=1100 args_bytes=9 args=lonely\n"
		"exec_args buffer=1 tid=7 ns=1200 args_bytes=9 args=\"\"\n"
		"state_process ns=5000 process=9 args_bytes=12 args=\"/opt/runner hush\"\n";
	struct lkst_redaction r = {};
	const char *all;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/from", dir);
	snprintf(out, sizeof(out), "%s/to", dir);
	CHECK_EQ(make_trace(path, 4096, commands), 0);
	follow_standard(&r);
	CHECK_EQ(redact(&r), 0);
	CHECK(occurs(path, "hush") && !occurs(out, "hush"));
	CHECK(!occurs(out, "runner") && !occurs(out, "lonely") && !occurs(out, "opt"));
	CHECK_EQ(r.counts[LKST_REDACT_PATHS], 3);
	CHECK_EQ(r.counts[LKST_REDACT_ARGUMENTS], 3);
	all = strings_of(out, "exec_args", "args");
	CHECK_EQ(strlen(all), strlen("/opt/runner --key=hush  hush;lonely;;"));
	CHECK(all[0] == '/' && all[4] == '/' && all[11] == ' ' && all[22] == ' ' && all[23] == ' ');
	lkst_redaction_fini(&r);
	make_scratch_remove(out);

	/* By one rule alone. */
	r = (struct lkst_redaction){ .rules = { [LKST_REDACT_ARGUMENTS] = true } };
	CHECK_EQ(redact(&r), 0);
	CHECK(occurs(out, "/opt/runner ") && !occurs(out, "hush") && occurs(out, "lonely"));
	lkst_redaction_fini(&r);
	make_scratch_remove(out);
	r = (struct lkst_redaction){ .rules = { [LKST_REDACT_PATHS] = true } };
	CHECK_EQ(redact(&r), 0);
	CHECK(!occurs(out, "runner") && occurs(out, " --key=hush  hush"));
	lkst_redaction_fini(&r);
	unmake();
}

/* What sockets connect to is of networks, and what descriptors refer to may be that as well. */
TEST(addresses_of_sockets_go)
{
	static const char sockets[] =
		"socket_connect tid=5 ns=1000 fd=3 family=2 port=80 address=10.20.30.40\n"
		"socket_accept tid=5 ns=1100 fd=4 family=0 port=0 address=\"\"\n"
		"socket_bind tid=5 ns=1200 fd=5 family=1 port=0 address=/run/hush\n"
		"state_descriptor ns=5000 owner_pid=9 fd=3 from=1 to=2 file=\"socket to 10.20.30.40:80\"\n";
	struct lkst_redaction r = { .rules = { [LKST_REDACT_NETWORK] = true } };

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/from", dir);
	snprintf(out, sizeof(out), "%s/to", dir);
	CHECK_EQ(make_trace(path, 4096, sockets), 0);
	CHECK_EQ(redact(&r), 0);
	CHECK(occurs(path, "10.20.30.40") && occurs(path, "hush"));
	CHECK(!occurs(out, "10.20.30.40") && !occurs(out, "hush"));
	CHECK_EQ(strlen(strings_of(out, "socket_connect", "address")), strlen("10.20.30.40;"));
	CHECK_EQ(r.counts[LKST_REDACT_NETWORK], 2);
	lkst_redaction_fini(&r);
	make_scratch_remove(out);
	r = (struct lkst_redaction){ .rules = { [LKST_REDACT_ARGUMENTS] = true } };
	CHECK_EQ(redact(&r), 0);
	CHECK(occurs(out, "socket to 10.20.30.40:80"));
	lkst_redaction_fini(&r);
	unmake();
}

TEST(equal_strings_stay_equal_and_keep_their_form)
{
	struct lkst_redaction r = {};
	char names[3][64];

	make();
	follow_standard(&r);
	CHECK_EQ(redact(&r), 0);
	CHECK_EQ(sscanf(strings_of(out, "sched_process_exec", "filename"),
			"%63[^;];%63[^;];%63[^;];", names[0], names[1], names[2]),
		 3);
	CHECK_STR(names[0], names[1]);
	CHECK_EQ(strlen(names[0]), strlen("/home/alice/secret-tool"));
	CHECK_EQ(strlen(names[2]), strlen("/home/bobby/other-tool"));
	/* The same directory, and another one in it. */
	CHECK(!strncmp(names[0], names[2], 6) && names[0][5] == '/' &&
	      strncmp(names[0], names[2], 11));
	CHECK(strspn(names[0], "/abcdefghijklmnopqrstuvwxyz234567") == strlen(names[0]));
	lkst_redaction_fini(&r);
	unmake();
}

/* Each redaction has a key of its own. */
TEST(two_redactions_have_nothing_in_common)
{
	struct lkst_redaction r = {}, s = {};
	u8 a[] = "/home/alice", b[] = "/home/alice";

	CHECK_EQ(lkst_redaction_begin(&err, &r), 0);
	CHECK_EQ(lkst_redaction_begin(&err, &s), 0);
	CHECK(lkst_redact_string(&r, a, 11, true) && lkst_redact_string(&s, b, 11, true));
	CHECK(memcmp(a, b, 11));
	CHECK(!lkst_redact_string(&r, a, 0, true) && !lkst_redact_string(&r, (u8 *)"/", 1, true));
	lkst_redaction_fini(&r);
	lkst_redaction_fini(&s);
}

TEST(names_go_if_they_are_named_but_not_the_kernels)
{
	struct lkst_redaction r = { .rules[LKST_REDACT_NAMES] = true };
	char name[32];

	make();
	CHECK_EQ(redact(&r), 0);
	CHECK(!occurs(out, "secret-worker"));
	CHECK(occurs(out, "/home/alice/secret-tool"));
	CHECK_EQ(sscanf(strings_of(out, "state_thread", "comm"), "kthreadd;%31[^;];", name), 1);
	CHECK_EQ(strlen(name), 8);
	CHECK(strstr(strings_of(out, "task_rename", "newcomm"), name) ==
	      strings_of(out, "task_rename", "newcomm"));
	CHECK_STR(strings_of(out, "task_rename", "oldcomm"), "kthreadd;");
	CHECK_EQ(r.counts[LKST_REDACT_NAMES], 2);
	lkst_redaction_fini(&r);
	unmake();
}

TEST(a_word_goes_wherever_it_is)
{
	struct lkst_redaction r = { .words = { "payroll", "tables", "secret" }, .nr_words = 3 };

	make();
	CHECK_EQ(redact(&r), 0);
	CHECK(!occurs(out, "payroll") && !occurs(out, "tables") && !occurs(out, "secret"));
	CHECK(occurs(out, "/home/bobby/other-tool"));
	CHECK_STR(strings_of(out, "state_symbol", "name"), "vfs_read;");
	CHECK(r.counts[LKST_REDACT_WORDS] >= 7);
	lkst_redaction_fini(&r);
	unmake();
}

/* Of a declared event, of which nothing says what its bytes are. */
struct declared {
	struct lkst_record_head head;
	u8 saddr[28], src[4], pad_44[3], cmnd[9];
	u32 daddr, nr, faults, open;
};

enum { DECLARED_ID = LKST_ID_MAX, BLOCK = 4096 };

static struct lkst_catalog *declare(void)
{
	struct lkst_field_class fields[8];
	struct lkst_event_class event = { .id = DECLARED_ID, .name = "net:test", .fields = fields };
	struct lkst_catalog *c = make_catalog();

	make_field(&event, "saddr", LKST_CLASS_UINTS, 1, 10, 28, 0);
	make_field(&event, "src", LKST_CLASS_UINTS, 1, 10, 4, 0);
	make_field(&event, "pad_44", LKST_CLASS_UINTS, 1, 10, 3, 0);
	make_field(&event, "cmnd", LKST_CLASS_UINTS, 1, 10, 9, 0);
	make_field(&event, "daddr", LKST_CLASS_UINT, 4, 10, 0, 0);
	make_field(&event, "nr", LKST_CLASS_UINT, 4, 10, 0, 0);
	make_field(&event, LKST_PROBE_FIELD_FAULTS, LKST_CLASS_UINT, 4, 10, 0, 0);
	make_field(&event, "open", LKST_CLASS_UINT, 4, 10, 0, 0);
	fields[6].meaning = LKST_MEANING_PAD;
	if (lkst_catalog_add(&err, c, &event))
		abort();
	return c;
}

/* A block of one such record, and of bytes after it that are none. */
static void fill_block(u8 bytes[BLOCK])
{
	const char junk[] = "\xff\xff secrets that no record has";
	const struct lkst_block_header h = {
		.magic = LKST_BLOCK_MAGIC,
		.packet_size = BLOCK * 8,
		.content_size = (LKST_BLOCK_HEADER + 128) * 8,
		.timestamp_end = 1 << 20,
	};
	const struct declared d = {
		.head.id_time = DECLARED_ID | 1000 << 16,
		.saddr = "\2\0\0\20\300\250\1\11",
		.src = { 192, 168, 1, 9 },
		.pad_44 = { 1, 2, 3 },
		.cmnd = "acme-cmd",
		.daddr = 0x0901a8c0,
		.nr = 7,
		.faults = 1,
		.open = 9,
	};

	memset(bytes, 0, BLOCK);
	memcpy(bytes, &h, sizeof(h));
	memcpy(bytes + LKST_BLOCK_HEADER, &d, sizeof(d));
	memcpy(bytes + LKST_BLOCK_HEADER + (sizeof(d) + 7) / 8 * 8, junk, sizeof(junk));
}

/* Redacts such a block by the rules of @r; @ret is what its record is then. */
static void redact_declared(struct lkst_redaction *r, u8 bytes[BLOCK], struct declared *ret)
{
	struct lkst_catalog *c = declare();
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;

	fill_block(bytes);
	CHECK_EQ(lkst_redaction_begin(&err, r) ?: lkst_redact_plan(&err, r, c), 0);
	CHECK_EQ(lkst_block_parse(&err, bytes, BLOCK, NULL, &block), 0);
	lkst_redact_block(r, &block, bytes);
	/* The record stays, and what was bad after it is still said to be. */
	CHECK_EQ(lkst_block_parse(&err, bytes, BLOCK, NULL, &block), 0);
	lkst_block_cursor_init(&cursor, &block);
	CHECK_EQ(lkst_block_next(&err, &cursor, c, &record), 1);
	CHECK_EQ(record.size, sizeof(*ret));
	CHECK(lkst_block_next(&err, &cursor, c, &record) < 0);
	CHECK(!memmem(bytes, BLOCK, "secrets", 7));
	memcpy(ret, bytes + LKST_BLOCK_HEADER, sizeof(*ret));
	lkst_catalog_free(c);
}

TEST(bytes_of_declared_events_go)
{
	const u8 address[] = { 192, 168, 1, 9 };
	struct lkst_redaction r = {};
	u8 bytes[BLOCK];
	struct declared d;

	follow_standard(&r);
	redact_declared(&r, bytes, &d);
	CHECK(!memmem(bytes, BLOCK, address, sizeof(address)));
	CHECK(!memmem(bytes, BLOCK, "acme", 4));
	CHECK(d.cmnd[0] == 0 && d.pad_44[0] == 0 && d.daddr != 0);
	CHECK_EQ(d.nr, 7);
	CHECK_EQ(d.faults, 1);
	CHECK_EQ(d.open, 9);
	CHECK_EQ(r.counts[LKST_REDACT_NETWORK], 3);
	CHECK_EQ(r.counts[LKST_REDACT_TEXT], 1);
	lkst_redaction_fini(&r);
}

/* "ABCD" is 1094861636. */
TEST(what_packets_carry_goes_and_the_numbers_of_tcp_stay)
{
	static const char packets[] =
		"packet_send ns=1000 source_address=0x0a000001 source_port=7 family=2 ip_protocol=17 "
		"sequence=1094861636 acknowledgement=1162233672 bytes=20\n"
		"packet_receive ns=1100 source_address=0x0a000001 source_port=7 family=2 ip_protocol=17 "
		"sequence=1094861636 acknowledgement=1162233672 bytes=20\n"
		"packet_send ns=1200 source_address=0x0a000001 source_port=7 family=2 ip_protocol=6 "
		"sequence=1094861637 acknowledgement=1162233673 bytes=20\n";
	static const u32 content[] = { 1094861636, 1162233672 }, numbers[] = { 1094861637, 1162233673 };
	struct lkst_redaction r = {};
	char word[16];
	int i;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/from", dir);
	snprintf(out, sizeof(out), "%s/to", dir);
	CHECK_EQ(make_trace(path, 4096, packets), 0);
	follow_standard(&r);
	CHECK_EQ(redact(&r), 0);
	for (i = 0; i < 2; i++) {
		snprintf(word, sizeof(word), "%.4s", (const char *)&content[i]);
		CHECK(occurs(path, word));
		CHECK(!occurs(out, word));
		snprintf(word, sizeof(word), "%.4s", (const char *)&numbers[i]);
		CHECK(occurs(out, word));
	}
	CHECK_EQ(r.counts[LKST_REDACT_TEXT], 4);
	CHECK_EQ(r.counts[LKST_REDACT_NETWORK], 3);
	lkst_redaction_fini(&r);
	unmake();
}

TEST(words_go_from_bytes_that_otherwise_stay)
{
	struct lkst_redaction r = { .words = { "acme" }, .nr_words = 1 };
	u8 bytes[BLOCK];
	struct declared d;

	redact_declared(&r, bytes, &d);
	CHECK(d.cmnd[0] == 0);
	CHECK_EQ(d.src[0], 192);
	CHECK_EQ(r.counts[LKST_REDACT_WORDS], 1);
	lkst_redaction_fini(&r);
}

/* The kernel's version may have the name of who built it. */
TEST(words_go_from_the_kernels_version)
{
	struct lkst_redaction r = { .words = { "0-test", "quoted" }, .nr_words = 2 };

	make();
	CHECK(occurs(path, "6.1.0-test") && occurs(path, "quoted"));
	CHECK_EQ(redact(&r), 0);
	CHECK(!occurs(out, "0-test") && !occurs(out, "quoted"));
	CHECK(occurs(out, "6.1.xxxxxx"));
	lkst_redaction_fini(&r);
	unmake();
}

TEST(a_rule_for_words_without_one_is_refused)
{
	struct lkst_redaction r = { .rules[LKST_REDACT_WORDS] = true };

	CHECK_EQ(lkst_redaction_begin(&err, &r), -EINVAL);
}

TEST(words_that_would_not_be_found_are_refused)
{
	static const char *const bad[] = { "", "two words", "back\\slash", "line\n", "\xff" };
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct lkst_redaction r = { .words = { bad[i] }, .nr_words = 1 };

		CHECK_EQ(lkst_redaction_begin(&err, &r), -EINVAL);
	}
}

/* ---- names that others than LKST have given ------------------------------------------------- */

static void declare_as(struct lkst_catalog *c, u16 id, const char *name, const char *first, const char *second)
{
	struct lkst_field_class fields[2];
	struct lkst_event_class event = { .id = id, .fields = fields };

	snprintf(event.name, sizeof(event.name), "%s", name);
	make_field(&event, first, LKST_CLASS_UINT, 8, 10, 0, 0);
	make_field(&event, second, LKST_CLASS_STRING, 0, 10, 0, 0);
	if (lkst_catalog_add(&err, c, &event))
		abort();
}

/* The names in the metadata that the rules of @r leave, of events 4000 on: "name(first,second);". */
static const char *names_left(struct lkst_redaction *r, const struct lkst_catalog *from)
{
	static char all[512];
	struct lkst_catalog *c = malloc(sizeof(*c)), *parsed = NULL;
	char *metadata = NULL;
	unsigned int id;

	all[0] = 0;
	*c = *from;
	/* What is left is a catalogue that readers take: no name comes twice. */
	if (lkst_redaction_begin(&err, r) || lkst_redact_plan(&err, r, from) || lkst_redact_names(r, c->classes) ||
	    lkst_metadata_format(&err, c, &metadata) ||
	    lkst_metadata_parse(&err, metadata, strlen(metadata), &parsed) || parsed->nr_classes != from->nr_classes)
		snprintf(all, sizeof(all), "%.200s", err.text);
	for (id = 4000; id <= LKST_ID_MAX && parsed; id++) {
		const struct lkst_event_class *event = parsed->classes[id];

		if (event)
			snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s(%s,%s);", event->name,
				 event->fields[0].name, event->fields[1].name);
	}
	lkst_catalog_free(parsed);
	lkst_catalog_free(c);
	free(metadata);
	lkst_redaction_fini(r);
	return all;
}

/* Any user's program chooses them, and nobody who records can do without. */
TEST(names_that_programs_have_given_go)
{
	struct lkst_redaction standard = {}, words = { .words = { "acme" }, .nr_words = 1 }, none = {};
	struct lkst_catalog *c = make_catalog();

	declare_as(c, 4000, "mark:acmeOrder", "customer", "acmePath");
	declare_as(c, 4001, "mark:event_1", "field_2", "field_1");
	declare_as(c, 4002, "mark:acme:Bill", "customer", "acme");
	declare_as(c, 4003, "ext4:write", "dev", "name");
	follow_standard(&standard);
	/* A name that is left may not be one that was there. */
	CHECK_STR(names_left(&standard, c),
		  "mark:event_2(field_1,field_2);mark:event_3(field_3,field_4);mark:event_4(field_1,field_2);"
		  "ext4:write(dev,name);");
	CHECK_STR(names_left(&words, c),
		  "mark:event_2(customer,field_1);mark:event_1(field_2,field_1);mark:event_3(customer,field_1);"
		  "ext4:write(dev,name);");
	none.rules[LKST_REDACT_PATHS] = true;
	CHECK(strstr(names_left(&none, c), "mark:acmeOrder(customer,acmePath);"));
	lkst_catalog_free(c);
}

/* Those of probes and handlers go where they hold a word, and readers still know what is what. */
TEST(names_of_declared_events_that_hold_a_word_go)
{
	struct lkst_redaction r = { .words = { "acme", "probe", "pro" }, .nr_words = 3 };
	struct lkst_catalog *c = make_catalog();

	declare_as(c, 4000, "probes:acme_pay", LKST_PROBE_FIELD_IP, "acme_id");
	declare_as(c, 4001, "acmed:pay", LKST_PROBE_FIELD_IP, "id");
	declare_as(c, 4002, "acme.pay", "id", "text");
	declare_as(c, 4003, "shop.acme", "id", "text");
	CHECK_STR(names_left(&r, c),
		  "redacted:event_1(__probe_ip,field_1);redacted:event_2(__probe_ip,id);"
		  "redacted.event_3(id,text);shop.event_4(id,text);");
	lkst_catalog_free(c);
}

TEST(a_declared_event_with_a_word_in_its_name_is_redacted)
{
	struct lkst_redaction r = { .words = { "test_te" }, .nr_words = 1 };

	make();
	CHECK_EQ(redact(&r), 0);
	CHECK(occurs(path, "test_te") && !occurs(out, "test_te"));
	CHECK_STR(strings_of(out, "event_1", "text"), "payroll words;");
	CHECK_EQ(r.counts[LKST_REDACT_WORDS], 1);
	lkst_redaction_fini(&r);
	unmake();
}

/* A program calls the fields of its marks as it likes: whatever they are called, their texts go. */
TEST(texts_of_marks_go_whatever_their_fields_are_called)
{
	static const char *const called[] = { "comm", "telecomm", "pad", "pad1", "text", "path", "name" };
	struct {
		struct lkst_record_head head;
		u64 number;
		char text[12];
	} __attribute__((packed, aligned(4))) mark = { .head.id_time = DECLARED_ID | 1000 << 16,
						       .number = 7,
						       .text = "acme secret" };
	const struct lkst_block_header h = { .magic = LKST_BLOCK_MAGIC,
					     .packet_size = BLOCK * 8,
					     .content_size = (LKST_BLOCK_HEADER + sizeof(mark)) * 8,
					     .timestamp_end = 1 << 20 };
	u8 bytes[BLOCK];
	size_t i;

	for (i = 0; i < sizeof(called) / sizeof(called[0]); i++) {
		struct lkst_catalog *c = make_catalog();
		struct lkst_redaction r = {};
		struct lkst_block block;

		declare_as(c, DECLARED_ID, "mark:order", "number", called[i]);
		memset(bytes, 0, BLOCK);
		memcpy(bytes, &h, sizeof(h));
		memcpy(bytes + LKST_BLOCK_HEADER, &mark, sizeof(mark));
		follow_standard(&r);
		CHECK_EQ(lkst_redaction_begin(&err, &r) ?: lkst_redact_plan(&err, &r, c), 0);
		CHECK_EQ(lkst_block_parse(&err, bytes, BLOCK, NULL, &block), 0);
		lkst_redact_block(&r, &block, bytes);
		CHECK_STR(memmem(bytes, BLOCK, "acme", 4) || memmem(bytes, BLOCK, "secret", 6) ? called[i] : "", "");
		/* It is as long as it was, so that what comes after it is where it was. */
		CHECK_EQ(strlen((char *)bytes + LKST_BLOCK_HEADER + sizeof(mark) - sizeof(mark.text)), 11);
		lkst_redaction_fini(&r);
		lkst_catalog_free(c);
	}
}

/* Nothing is lost but strings: the same records, by time, thread and size. */
TEST(records_stay)
{
	struct lkst_redaction r = {};
	struct lkst_merge *m[2] = {};
	struct lkst_trace *t[2] = {};
	struct lkst_record a, b;
	unsigned int nr = 0;

	make();
	follow_standard(&r);
	r.rules[LKST_REDACT_NAMES] = true;
	CHECK_EQ(redact(&r), 0);
	CHECK_EQ(lkst_trace_open(&err, path, &t[0]) ?: lkst_trace_open(&err, out, &t[1]), 0);
	CHECK_EQ(lkst_merge_new(&err, t[0], 0, UINT64_MAX, &m[0])
			 ?: lkst_merge_new(&err, t[1], 0, UINT64_MAX, &m[1]),
		 0);
	while (lkst_merge_next(m[0], &a) > 0) {
		CHECK(lkst_merge_next(m[1], &b) > 0);
		CHECK(!strcmp(a.event->name, b.event->name) && a.ns == b.ns && a.tid == b.tid &&
		      a.size == b.size);
		nr++;
	}
	CHECK(lkst_merge_next(m[1], &b) <= 0);
	CHECK_EQ(nr, 11);
	lkst_merge_free(m[0]);
	lkst_merge_free(m[1]);
	lkst_trace_close(t[0]);
	lkst_trace_close(t[1]);
	lkst_redaction_fini(&r);
	unmake();
}

/* ---- the texts ------------------------------------------------------------------------------ */

/* @want: what becomes of @line where the rules are all but names; "*" in it is any one letter. */
static void expect_line(enum lkst_bundle_part part, const char *line, const char *want)
{
	const struct lkst_bundle_text from = { (char *)line, strlen(line) };
	struct lkst_redaction r = {};
	struct lkst_bundle_text got = {};
	size_t i;

	follow_standard(&r);
	CHECK_EQ(lkst_redaction_begin(&err, &r), 0);
	CHECK_EQ(lkst_redact_text(&err, &r, part, &from, &got), 0);
	CHECK_EQ(got.length, strlen(want));
	for (i = 0; i < got.length; i++)
		if (want[i] == '*' ? !strchr("abcdefghijklmnopqrstuvwxyz234567", got.bytes[i])
				   : got.bytes[i] != want[i])
			CHECK_STR(got.bytes, want);
	lkst_redaction_fini(&r);
	free(got.bytes);
}

TEST(texts_are_redacted_line_by_line)
{
	expect_line(LKST_BUNDLE_MACHINE,
		    "host: web1\nrelease: 6.1\nboot-id: abcd\ncmdline: quiet root=x\n",
		    "host: ****\nrelease: 6.1\nboot-id: ****\ncmdline: ***** ******\n");
	expect_line(LKST_BUNDLE_ABOUT, "bundle: 1\nreason: payroll\nthread: 5\n",
		    "bundle: 1\nreason: *******\nthread: 5\n");
	expect_line(LKST_BUNDLE_JOURNAL, "# a remark\n2026\t6\tx\tsecret\n",
		    "# 1 lines were taken out\n");
	expect_line(
		LKST_BUNDLE_PROCESSES,
		"# tid\n7\t7\tcat\t/user.slice/a\t/bin/cat --file=x a\\x20b\n7\t8\tcat\t/\t\"\n",
		"# tid\n7\t7\tcat\t/**********/*\t/***/*** ******** ***\n7\t8\tcat\t/\t\"\n");
	expect_line(LKST_BUNDLE_LOSSES, "gap: CPU 1\n", "gap: CPU 1\n");
	/* What is no line of ours is taken apart as far as it goes. */
	expect_line(LKST_BUNDLE_PROCESSES, "x", "x\t\t\t\t\n");
	expect_line(LKST_BUNDLE_MACHINE, "", "");
}

TEST(words_go_from_texts_too)
{
	const struct lkst_bundle_text from = { (char *)"load: acme acme1\nx: ac\n", 23 };
	struct lkst_redaction r = { .words = { "acme" }, .nr_words = 1 };
	struct lkst_bundle_text got = {};

	CHECK_EQ(lkst_redaction_begin(&err, &r), 0);
	CHECK_EQ(lkst_redact_text(&err, &r, LKST_BUNDLE_MACHINE, &from, &got), 0);
	CHECK_STR(got.bytes, "load: xxxx xxxx1\nx: ac\n");
	CHECK_EQ(got.length, 23);
	CHECK_EQ(r.counts[LKST_REDACT_WORDS], 2);
	free(got.bytes);
	lkst_redaction_fini(&r);
}

/* A thread's name is cut after 15 bytes, and so is the word in it. */
TEST(a_word_that_a_name_cuts_goes_from_the_list_of_processes)
{
	const char *line = "7\t7\tacme-billing-se\t-\t-\n";
	const struct lkst_bundle_text from = { (char *)line, strlen(line) };
	struct lkst_redaction r = { .words = { "billing-server" }, .nr_words = 1 };
	struct lkst_bundle_text got = {};

	CHECK_EQ(lkst_redaction_begin(&err, &r), 0);
	CHECK_EQ(lkst_redact_text(&err, &r, LKST_BUNDLE_PROCESSES, &from, &got), 0);
	CHECK_EQ(got.length, from.length);
	CHECK(!strstr(got.bytes, "billing"));
	CHECK_EQ(r.counts[LKST_REDACT_WORDS], 1);
	free(got.bytes);
	lkst_redaction_fini(&r);
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(standard_rules_take_out_all_but_names),
	ROW(arguments_go_word_by_word),
	ROW(addresses_of_sockets_go),
	ROW(equal_strings_stay_equal_and_keep_their_form),
	ROW(two_redactions_have_nothing_in_common),
	ROW(names_go_if_they_are_named_but_not_the_kernels),
	ROW(a_word_goes_wherever_it_is),
	ROW(bytes_of_declared_events_go),
	ROW(what_packets_carry_goes_and_the_numbers_of_tcp_stay),
	ROW(words_go_from_bytes_that_otherwise_stay),
	ROW(words_go_from_the_kernels_version),
	ROW(a_rule_for_words_without_one_is_refused),
	ROW(words_that_would_not_be_found_are_refused),
	ROW(names_that_programs_have_given_go),
	ROW(names_of_declared_events_that_hold_a_word_go),
	ROW(a_declared_event_with_a_word_in_its_name_is_redacted),
	ROW(texts_of_marks_go_whatever_their_fields_are_called),
	ROW(records_stay),
	ROW(texts_are_redacted_line_by_line),
	ROW(words_go_from_texts_too),
	ROW(a_word_that_a_name_cuts_goes_from_the_list_of_processes),
};
UNIT_MAIN(tests)
