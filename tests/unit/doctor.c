// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * What lkst doctor says of machines that this one is not: facts below a root that is made here, in text and in JSON.
 */
#include "cmd/doctor/facts.h"
#include "cmd/doctor/kernel_facts.h"
#include "cmd/doctor/machine_facts.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/make_trace.h"
#include "lib/unit.h"

static char root[64];
static struct lkst_facts facts;
static struct lkst_out out;

/* Writes a file below the root, and the folders that it is in. */
static void make_file(const char *path, const char *text)
{
	char full[512], *slash;
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(full, 0755);
		*slash = '/';
	}
	f = fopen(full, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static void begin_machine(void)
{
	make_scratch(root);
	memset(&facts, 0, sizeof(facts));
	facts.root = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static void end_machine(void)
{
	close(facts.root);
	make_scratch_remove(root);
}

/* What is printed, in text. */
static const char *printed(void)
{
	static char text[65536];
	FILE *to = fmemopen(text, sizeof(text), "w");

	lkst_out_init_stream(&out, to);
	lkst_facts_print(&facts, &out);
	lkst_out_flush(&out);
	fclose(to);
	return text;
}

static const char *text_of(const char *section, const char *key)
{
	const struct lkst_fact *fact = lkst_facts_find(&facts, section, key);

	return fact && fact->type != LKST_FACT_NUMBER ? fact->text : "(none)";
}

static long long number_of(const char *section, const char *key)
{
	const struct lkst_fact *fact = lkst_facts_find(&facts, section, key);

	return fact && fact->type != LKST_FACT_UNKNOWN ? (long long)fact->value : -1;
}

static const char *lacks_of(const char *section, const char *key)
{
	const struct lkst_fact *fact = lkst_facts_find(&facts, section, key);

	return fact ? fact->lacks : "(none)";
}

TEST(doctor_reads_a_kernel_that_has_all)
{
	begin_machine();
	make_file("proc/sys/kernel/osrelease", "5.14.0-999.el9.x86_64\n");
	make_file("proc/sys/kernel/version", "#1 SMP PREEMPT_RT Thu Jan 1 00:00:00 UTC 1970\n");
	make_file("etc/os-release", "NAME=\"Some\"\nPRETTY_NAME=\"Some Linux 9\"\n");
	make_file("sys/devices/system/cpu/online", "0-63\n");
	make_file("sys/kernel/btf/vmlinux", "types");
	make_file("sys/kernel/btf/ext4", "more");
	make_file("sys/bus/event_source/devices/kprobe/type", "8\n");
	make_file("sys/bus/event_source/devices/uprobe/type", "9\n");
	make_file("boot/config-5.14.0-999.el9.x86_64",
		  "# CONFIG_HZ_100 is not set\nCONFIG_HZ_1000=y\nCONFIG_HZ=1000\n");
	make_file("proc/sys/net/core/bpf_jit_enable", "1\n");
	lkst_facts_add_kernel(&facts);
	CHECK_STR(text_of("kernel", "release"), "5.14.0-999.el9.x86_64");
	CHECK_STR(text_of("kernel", "distribution"), "Some Linux 9");
	CHECK_STR(text_of("kernel", "cpus_online"), "0-63");
	CHECK_STR(text_of("kernel", "config"), "/boot/config-RELEASE");
	CHECK_EQ(number_of("kernel", "hz"), 1000);
	CHECK_EQ(number_of("kernel", "btf_bytes"), 5);
	CHECK_EQ(number_of("kernel", "modules_with_btf"), 1);
	CHECK_EQ(number_of("kernel", "kprobes"), 1);
	CHECK_STR(lacks_of("kernel", "kprobes"), "");
	CHECK_STR(text_of("kernel", "preemption"), "real time");
	CHECK(strstr(lacks_of("kernel", "preemption"), "no cost limit"));
	CHECK_EQ(lkst_facts_nr_lacks(&facts), 1);
	end_machine();
}

TEST(doctor_says_what_a_bare_kernel_lacks)
{
	begin_machine();
	make_file("proc/sys/kernel/osrelease", "6.1.0\n");
	make_file("proc/sys/net/core/bpf_jit_enable", "0\n");
	make_file("proc/sys/kernel/bpf_stats_enabled", "1\n");
	lkst_facts_add_kernel(&facts);
	CHECK(strstr(lacks_of("kernel", "btf"), "Nothing is recorded"));
	CHECK(strstr(lacks_of("kernel", "kprobes"), "CONFIG_KPROBES"));
	CHECK(strstr(lacks_of("kernel", "uprobes"), "CONFIG_UPROBES"));
	CHECK(strstr(lacks_of("kernel", "bpf_jit_enable"), "interpreted"));
	CHECK(strstr(lacks_of("kernel", "bpf_stats_enabled"), "times each run"));
	CHECK_EQ(number_of("kernel", "hz"), -1);
	CHECK_EQ(number_of("kernel", "tainted"), -1);
	CHECK_STR(text_of("kernel", "tainted"), "there is no /proc/sys/kernel/tainted");
	end_machine();
}

TEST(doctor_reads_what_is_locked_down)
{
	begin_machine();
	make_file("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
	make_file("proc/sys/kernel/kptr_restrict", "2\n");
	make_file("proc/sys/kernel/perf_event_paranoid", "-1\n");
	lkst_facts_add_security(&facts);
	CHECK_STR(text_of("security", "lockdown"), "confidentiality");
	CHECK(strstr(lacks_of("security", "lockdown"), "copy memory"));
	CHECK(strstr(lacks_of("security", "kptr_restrict"), "no names"));
	CHECK_STR(text_of("security", "perf_event_paranoid"), "-1");
	end_machine();
	begin_machine();
	make_file("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	make_file("proc/sys/kernel/kptr_restrict", "1\n");
	lkst_facts_add_security(&facts);
	CHECK_STR(text_of("security", "lockdown"), "integrity");
	CHECK_EQ(lkst_facts_nr_lacks(&facts), 0);
	end_machine();
	begin_machine();
	make_file("sys/kernel/security/lsm", "capability,landlock\n");
	lkst_facts_add_security(&facts);
	CHECK_STR(text_of("security", "lockdown"), "not in this kernel");
	end_machine();
}

TEST(doctor_reads_capabilities)
{
	begin_machine();
	make_file("proc/self/status",
		  "Name:\tx\nCapPrm:\tffffffffffffffff\nCapEff:\t000000c000000004\nCapBnd:\t0\n");
	lkst_facts_add_privileges(&facts);
	CHECK_EQ(number_of("privileges", "cap_bpf"), 1);
	CHECK_EQ(number_of("privileges", "cap_perfmon"), 1);
	CHECK_EQ(number_of("privileges", "cap_sys_admin"), 0);
	CHECK_EQ(number_of("privileges", "cap_dac_read_search"), 1);
	CHECK_EQ(number_of("privileges", "cap_syslog"), 0);
	end_machine();
}

TEST(doctor_says_what_a_crash_leaves)
{
	begin_machine();
	make_file("sys/kernel/kexec_crash_loaded", "0\n");
	make_file("sys/kernel/kexec_crash_size", "268435456\n");
	lkst_facts_add_crash(&facts);
	CHECK(strstr(lacks_of("crash", "kdump_loaded"), "leaves no dump"));
	CHECK_EQ(number_of("crash", "kdump_bytes"), 268435456);
	end_machine();
	begin_machine();
	make_file("sys/kernel/kexec_crash_loaded", "1\n");
	lkst_facts_add_crash(&facts);
	CHECK_STR(lacks_of("crash", "kdump_loaded"), "");
	end_machine();
}

TEST(doctor_knows_slow_clocks)
{
	static const char *const sources[][2] = { { "tsc", "" },
						  { "hpet", "Each record" },
						  { "kvm-clock", "" } };
	unsigned int i;

	for (i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		begin_machine();
		make_file("sys/devices/system/clocksource/clocksource0/current_clocksource",
			  sources[i][0]);
		lkst_facts_add_clock(&facts);
		CHECK_STR(text_of("clock", "source"), sources[i][0]);
		CHECK(!strncmp(lacks_of("clock", "source"), sources[i][1], strlen(sources[i][1])));
		CHECK_EQ(lkst_facts_nr_lacks(&facts), sources[i][1][0] != 0);
		end_machine();
	}
}

TEST(doctor_prints_facts_by_sections)
{
	const char *text;

	begin_machine();
	facts.section = "one";
	lkst_fact_text(&facts, "word", "a\x1b[31mb");
	lkst_fact_lacks(
		lkst_fact_flag(&facts, "flag", false), "%s",
		"This is a long sentence of words that do not fit into a line of a hundred columns, so it goes on "
		"below where it began.");
	facts.section = "two";
	lkst_fact_bytes(&facts, "bytes", 3 << 20);
	lkst_fact_number_of(&facts, "number", "none");
	text = printed();
	CHECK_STR(
		text,
		"\none\n"
		"  word                       a\\x1b[31mb\n"
		"  flag                       no\n"
		"    ! This is a long sentence of words that do not fit into a line of a hundred columns, so it goes\n"
		"      on below where it began.\n"
		"\ntwo\n"
		"  bytes                      3 MiB\n"
		"  number                     not known: there is no /none\n");
	end_machine();
}

TEST(doctor_puts_facts_into_json)
{
	static char text[4096];
	struct lkst_json j;
	FILE *to;

	begin_machine();
	facts.section = "one";
	lkst_fact_text(&facts, "word", "a \"b\"");
	lkst_fact_lacks(lkst_fact_flag(&facts, "flag", true), "It cannot.");
	facts.section = "two";
	lkst_fact_number(&facts, "number", 7);
	lkst_fact_unknown(&facts, "other", "nobody says it");
	to = fmemopen(text, sizeof(text), "w");
	lkst_out_init_stream(&out, to);
	lkst_json_init(&j, &out);
	lkst_json_object(&j, NULL);
	lkst_facts_put(&facts, &j);
	lkst_json_end(&j);
	lkst_out_flush(&out);
	fclose(to);
	CHECK_STR(
		text,
		"{\"one\":{\"word\":\"a \\\"b\\\"\",\"flag\":true},\"two\":{\"number\":7,\"other\":null},"
		"\"lacks\":[{\"section\":\"one\",\"key\":\"flag\",\"text\":\"It cannot.\"}],"
		"\"unknown\":[{\"section\":\"two\",\"key\":\"other\",\"text\":\"nobody says it\"}]}\n");
	end_machine();
}

TEST(doctor_has_room_for_no_more_facts_than_it_has)
{
	unsigned int i;

	begin_machine();
	facts.section = "many";
	for (i = 0; i < LKST_FACTS_MAX + 5; i++)
		lkst_fact_lacks(lkst_fact_number(&facts, "number", i), "%u", i);
	CHECK_EQ(facts.nr, LKST_FACTS_MAX);
	CHECK_EQ(facts.list[LKST_FACTS_MAX - 1].value, LKST_FACTS_MAX - 1);
	end_machine();
}

static const struct unit_test tests[] = {
	{ "doctor_reads_a_kernel_that_has_all", test_doctor_reads_a_kernel_that_has_all },
	{ "doctor_says_what_a_bare_kernel_lacks", test_doctor_says_what_a_bare_kernel_lacks },
	{ "doctor_reads_what_is_locked_down", test_doctor_reads_what_is_locked_down },
	{ "doctor_reads_capabilities", test_doctor_reads_capabilities },
	{ "doctor_says_what_a_crash_leaves", test_doctor_says_what_a_crash_leaves },
	{ "doctor_knows_slow_clocks", test_doctor_knows_slow_clocks },
	{ "doctor_prints_facts_by_sections", test_doctor_prints_facts_by_sections },
	{ "doctor_puts_facts_into_json", test_doctor_puts_facts_into_json },
	{ "doctor_has_room_for_no_more_facts_than_it_has",
	  test_doctor_has_room_for_no_more_facts_than_it_has },
};

UNIT_MAIN(tests)
