/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Bundles: the trace in one is the trace that it was made of, for readers, for tar(1) and zstd(1), and when it is taken
 * apart; what is no bundle is refused, and nothing is written elsewhere; what the machine says of itself is so.
 */
#include "bundle/bundle.h"

#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "base/create.h"
#include "base/time.h"
#include "bundle/journal.h"
#include "bundle/bundle_why.h"
#include "bundle/this_machine.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

#define JOURNAL_MAKER "/lib/systemd/systemd-journal-remote"

static struct lkst_err err;
static char dir[64], path[96], file[96], out[96];

static const char text[] = "sched_switch cpu=0 ns=1000 next_tid=1\n"
			   "!block cpu=0\n"
			   "sched_switch cpu=0 ns=1200 next_tid=3\n"
			   "sched_switch cpu=1 ns=900 next_tid=5\n"
			   "task_rename cpu=0 buffer=1 ns=1500 target_tid=5 newcomm=a\n"
			   "state_thread ns=5000 thread_tid=5\n"
			   "state_symbol ns=5000 address=4096 bytes=16 name=vfs_read\n";

static struct lkst_bundle_text texts[LKST_BUNDLE_NR_PARTS];

static void set_text(enum lkst_bundle_part part, const char *what)
{
	texts[part] = (struct lkst_bundle_text){ (char *)what, what ? strlen(what) : 0 };
}

static void make(void)
{
	make_scratch(dir);
	snprintf(path, sizeof(path), "%s/from", dir);
	snprintf(file, sizeof(file), "%s/a.bundle", dir);
	snprintf(out, sizeof(out), "%s/out", dir);
	memset(texts, 0, sizeof(texts));
	set_text(LKST_BUNDLE_ABOUT, "bundle: 1\nkind: incident\nreason: it was slow\n");
	set_text(LKST_BUNDLE_JOURNAL, "# none\n");
	if (make_trace(path, 4096, text))
		abort();
}

static int shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int shell(const char *format, ...)
{
	char command[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(command, sizeof(command), format, args);
	va_end(args);
	return system(command);
}

static void unmake(void)
{
	if (shell("rm -rf %s", dir))
		abort();
}

/* All records of the trace at @from, a line each. */
static void list(const char *from, char *lines, size_t size)
{
	struct lkst_merge *m = NULL;
	struct lkst_trace *t = NULL;
	struct lkst_record r;
	size_t used = 0;

	lines[0] = 0;
	if (lkst_trace_open(&err, from, &t) || lkst_merge_new(&err, t, 0, UINT64_MAX, &m))
		snprintf(lines, size, "%s", err.text);
	while (m && lkst_merge_next(m, &r) > 0 && used < size)
		used += (size_t)snprintf(lines + used, size - used, "%s %u %llu %u\n",
					 r.event->name, r.cpu, (unsigned long long)r.ns, r.size);
	lkst_merge_free(m);
	lkst_trace_close(t);
}

/* How many entries directory @where has, hidden ones too. */
static unsigned int count_entries(const char *where)
{
	DIR *d = opendir(where);
	unsigned int nr = 0;

	while (d && readdir(d))
		nr++;
	if (d)
		closedir(d);
	return nr - 2;
}

/* ---- there and back ------------------------------------------------------------------------- */

TEST(a_bundle_reads_as_its_trace)
{
	char want[2048], got[2048];
	struct stat st;

	make();
	list(path, want, sizeof(want));
	CHECK_EQ(lkst_bundle_write(&err, NULL, texts, path, file), 0);
	list(file, got, sizeof(got));
	CHECK_STR(got, want);
	CHECK(strstr(want, "sched_switch 0 1200 "));
	/* Nothing else is left beside it. */
	CHECK_EQ(count_entries(dir), 2);
	CHECK(!stat(file, &st));
	if (!geteuid())
		CHECK_EQ(st.st_mode & 0777, 0600);
	unmake();
}

TEST(its_texts_are_as_they_were)
{
	struct lkst_bundle b = {};
	char value[LKST_BUNDLE_VALUE_MAX];

	make();
	CHECK_EQ(lkst_bundle_write(&err, NULL, texts, path, file), 0);
	CHECK_EQ(lkst_bundle_open(&err, file, &b), 0);
	CHECK_STR(b.parts[LKST_BUNDLE_ABOUT].bytes, texts[LKST_BUNDLE_ABOUT].bytes);
	CHECK_STR(b.parts[LKST_BUNDLE_JOURNAL].bytes, "# none\n");
	CHECK(!b.parts[LKST_BUNDLE_WHY].bytes);
	CHECK(lkst_bundle_value(&b.parts[LKST_BUNDLE_ABOUT], "reason", value));
	CHECK_STR(value, "it was slow");
	CHECK(!lkst_bundle_value(&b.parts[LKST_BUNDLE_ABOUT], "eason", value));
	CHECK(!lkst_bundle_value(&b.parts[LKST_BUNDLE_ABOUT], "bundl", value));
	lkst_bundle_fini(&b);
	unmake();
}

TEST(tar_and_zstd_take_it_apart)
{
	make();
	CHECK_EQ(shell("cp -r %s %s/whole", path, dir), 0);
	CHECK_EQ(lkst_bundle_write(&err, NULL, texts, path, file), 0);
	CHECK_EQ(shell("mkdir %s && tar xf %s -C %s", out, file, out), 0);
	CHECK_EQ(shell("grep -qx 'reason: it was slow' %s/bundle/about.txt", out), 0);
	CHECK_EQ(shell("cd %s/trace && zstd -q -d --rm *.zst && diff -r . %s/whole", out, dir), 0);
	unmake();
}

TEST(extracting_gives_the_plain_trace_and_the_texts)
{
	make();
	CHECK_EQ(shell("cp -r %s %s/whole", path, dir), 0);
	CHECK_EQ(lkst_bundle_write(&err, NULL, texts, path, file), 0);
	CHECK_EQ(lkst_bundle_extract(&err, NULL, file, out), 0);
	CHECK_EQ(shell("diff -r %s/trace %s/whole", out, dir), 0);
	CHECK_EQ(
		shell("grep -qx 'reason: it was slow' %s/about.txt && grep -qx '# none' %s/journal.txt",
		      out, out),
		0);
	CHECK_EQ(count_entries(out), 3);
	/* Not into a directory that holds something, and not through a link. */
	CHECK_EQ(lkst_bundle_extract(&err, NULL, file, out), -ENOTEMPTY);
	CHECK_EQ(shell("mkdir %s/empty && ln -s empty %s/link", dir, dir), 0);
	snprintf(out, sizeof(out), "%s/link", dir);
	CHECK_EQ(lkst_bundle_extract(&err, NULL, file, out), -ELOOP);
	snprintf(out, sizeof(out), "%s/empty", dir);
	CHECK_EQ(count_entries(out), 0);
	unmake();
}

/* ---- what is no bundle ---------------------------------------------------------------------- */

/* Makes the file an archive with @name, which holds @what, before the trace. */
static void make_with(const char *name, const char *what, size_t length)
{
	const struct lkst_pack_text member = { name, what, length };

	if (lkst_pack_write_with(&err, NULL, &member, 1, 0, path, file))
		abort();
}

static void expect_refused(int code, const char *why)
{
	struct lkst_bundle b = {};
	int got = lkst_bundle_open(&err, file, &b);

	lkst_bundle_fini(&b);
	CHECK_EQ(got, code);
	CHECK(strstr(err.text, why));
}

TEST(what_is_no_bundle_is_refused)
{
	static char long_text[LKST_BUNDLE_TEXT_MAX + 1];
	struct lkst_bundle b = {};

	make();
	CHECK_EQ(lkst_pack_write(&err, NULL, path, file), 0);
	expect_refused(-EBADMSG, "it is not a bundle");
	make_with("bundle/about.txt", "bundle: 2\n", 10);
	expect_refused(-EPROTO, "use a later one");
	make_with("bundle/about.txt", "bundle: x\n", 10);
	expect_refused(-EBADMSG, "is not the version");
	make_with("bundle/about.txt", "what?\n", 6);
	expect_refused(-EBADMSG, "which version");
	make_with("bundle/about.txt", long_text, sizeof(long_text));
	expect_refused(-EFBIG, "more than");
	CHECK_EQ(lkst_bundle_open(&err, path, &b), -EBADMSG);
	set_text(LKST_BUNDLE_WHY, "");
	texts[LKST_BUNDLE_WHY] = (struct lkst_bundle_text){ long_text, sizeof(long_text) };
	CHECK_EQ(lkst_bundle_write(&err, NULL, texts, path, out), -EFBIG);
	CHECK(access(out, F_OK));
	unmake();
}

/* Names that lead elsewhere are names of nothing that is written. */
TEST(no_name_leads_elsewhere)
{
	static const char *const names[] = { "../escaped", "/tmp/lkst-escaped",
					     "bundle/../../escaped", "out/../escaped" };
	unsigned int i;

	make();
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct lkst_pack_text members[] = { { "bundle/about.txt", "bundle: 1\n", 10 },
							  { names[i], "x", 1 } };

		CHECK_EQ(lkst_pack_write_with(&err, NULL, members, 2, 0, path, file), 0);
		CHECK_EQ(lkst_bundle_extract(&err, NULL, file, out), 0);
		CHECK_EQ(count_entries(out), 2);
		CHECK_EQ(count_entries(dir), 3);
		CHECK(access("/tmp/lkst-escaped", F_OK));
		CHECK_EQ(shell("rm -r %s", out), 0);
	}
	/* Of the trace, files that are called as streams are, and no others; what was made goes. */
	CHECK_EQ(shell("cp %s/main.0 %s/evil", path, path), 0);
	make_with("bundle/about.txt", "bundle: 1\n", 10);
	CHECK_EQ(lkst_bundle_extract(&err, NULL, file, out), -EBADMSG);
	CHECK(access(out, F_OK));
	unmake();
}

TEST(a_bundle_that_is_cut_off_is_refused)
{
	struct lkst_bundle b = {};
	struct stat st;
	off_t at;

	make();
	CHECK_EQ(lkst_bundle_write(&err, NULL, texts, path, file), 0);
	CHECK(!stat(file, &st));
	for (at = st.st_size - 1024; at >= 0; at -= 512) {
		CHECK(!truncate(file, at));
		CHECK(lkst_bundle_open(&err, file, &b) < 0);
		CHECK(lkst_bundle_extract(&err, NULL, file, out) < 0);
		CHECK(access(out, F_OK));
	}
	unmake();
}

/* A limit on the size of files stands in for a full disk, which tests/live/bundle.sh has. */
TEST(a_full_disk_leaves_nothing)
{
	int status = -1;
	pid_t pid;

	make();
	pid = fork();
	if (!pid) {
		const struct rlimit small = { 2048, 2048 };

		signal(SIGXFSZ, SIG_IGN);
		_exit(setrlimit(RLIMIT_FSIZE, &small) ||
		      lkst_bundle_write(&err, NULL, texts, path, file) != -EFBIG);
	}
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(count_entries(dir), 1);
	unmake();
}

/* ---- finding one ---------------------------------------------------------------------------- */

TEST(a_bundle_is_found_by_its_recording)
{
	struct lkst_trace *t = NULL;
	char name[LKST_BUNDLE_NAME_MAX];
	u8 uuid[16];

	make();
	CHECK_EQ(lkst_trace_open(&err, path, &t), 0);
	memcpy(uuid, lkst_trace_catalog(t)->uuid, sizeof(uuid));
	lkst_trace_close(t);
	CHECK_EQ(lkst_bundle_write(&err, NULL, texts, path, file), 0);
	CHECK_EQ(lkst_bundle_find(&err, dir, "a", uuid, name), 1);
	CHECK_STR(name, "a.bundle");
	CHECK_EQ(lkst_bundle_find(&err, dir, "b", uuid, name), 0);
	/* One that others may write to is no proof; of another recording, neither; what a kill has left goes. */
	CHECK(!chmod(file, 0622));
	CHECK_EQ(lkst_bundle_find(&err, dir, "a", uuid, name), 0);
	CHECK(!chmod(file, 0600));
	uuid[3] ^= 1;
	CHECK_EQ(lkst_bundle_find(&err, dir, "a", uuid, name), 0);
	CHECK_EQ(shell("touch %s/.a.bundle.0123456789abcdef.partial %s/.b.bundle.0.partial", dir,
		       dir),
		 0);
	CHECK_EQ(lkst_bundle_find(&err, dir, "a", uuid, name), 0);
	CHECK_EQ(count_entries(dir), 3);
	unmake();
}

/* ---- the texts ------------------------------------------------------------------------------ */

TEST(the_moment_is_told_and_read_again)
{
	const struct lkst_moment m = { .is_incident = true,
				       .number = 7,
				       .trigger = 2,
				       .tid = 5,
				       .at_ns = 1400,
				       .value = 300,
				       .reason = "slow",
				       .event = "sched_switch" };
	struct lkst_bundle_survey s = {};
	struct lkst_bundle_text about, why;
	struct lkst_trace *t = NULL;
	struct lkst_moment got;

	make();
	CHECK_EQ(lkst_trace_open(&err, path, &t), 0);
	CHECK_EQ(lkst_bundle_survey(&err, t, &s), 0);
	CHECK_EQ(s.records, 6);
	CHECK_EQ(s.symbols, 1);
	CHECK_EQ(s.begin_ns, 900);
	CHECK_EQ(s.end_ns, 1500);
	CHECK_EQ(lkst_bundle_tell_moment(&err, &m, t, &s, "test", &about), 0);
	CHECK(strstr(about.bytes,
		     "bundle: 1\nkind: incident\nincident: 7\nreason: slow\ntrigger: 2\n"));
	CHECK(strstr(about.bytes, "\nsymbols: 1\n"));
	lkst_bundle_parse_moment(&about, &got);
	CHECK(got.is_incident && got.number == 7 && got.trigger == 2 && got.tid == 5);
	CHECK(got.at_ns == 1400 && got.value == 300);
	CHECK_STR(got.reason, "slow");
	CHECK_STR(got.event, "sched_switch");
	CHECK_EQ(lkst_bundle_tell_why(&err, &m, t, &why), 0);
	CHECK(strstr(why.bytes, "## thread 5, the 0.000000 s before the moment\n"));
	CHECK(strstr(why.bytes,
		     "## the longest system call\nnone is recorded from begin to end\n"));
	free(about.bytes);
	free(why.bytes);
	lkst_bundle_survey_fini(&s);
	lkst_trace_close(t);
	unmake();
}

TEST(the_machine_is_this_one)
{
	struct lkst_bundle_text t;
	char value[LKST_BUNDLE_VALUE_MAX], want[64] = "";
	struct utsname u;
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	CHECK(fd >= 0 && read(fd, want, 36) == 36);
	close(fd);
	CHECK(!uname(&u));
	CHECK_EQ(lkst_bundle_tell_machine(&err, &t), 0);
	CHECK(lkst_bundle_value(&t, "host", value));
	CHECK_STR(value, u.nodename);
	CHECK(lkst_bundle_value(&t, "release", value));
	CHECK_STR(value, u.release);
	CHECK(lkst_bundle_value(&t, "boot-id", value));
	CHECK_STR(value, want);
	CHECK(lkst_bundle_value(&t, "memory", value) && strstr(value, " kB"));
	free(t.bytes);
}

TEST(processes_are_those_that_live)
{
	struct lkst_bundle_thread list[] = {
		{ .tid = 1 << 30, .comm = "gone" },
		{ .tid = getpid(), .pid = getpid(), .comm = "a\tname", .cgroup = "/a\tgroup" }
	};
	const u64 now = lkst_monotonic_ns();
	struct lkst_bundle_text t;
	char want[64];
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino != 0xeffffffc)
		SKIP("this is not the first PID namespace");
	snprintf(want, sizeof(want), "\n%d\t%d\ta\\tname\t/a\\tgroup\t", getpid(), getpid());
	CHECK_EQ(lkst_bundle_tell_processes(&err, list, 2, now, true, &t), 0);
	CHECK(strstr(t.bytes, want));
	CHECK(strstr(t.bytes, program_invocation_name));
	CHECK(strstr(t.bytes, "\n# 1 threads; 1 more have ended, or cannot be seen\n"));
	free(t.bytes);
	/* Others may read it. */
	CHECK_EQ(lkst_bundle_tell_processes(&err, list, 2, now, false, &t), 0);
	CHECK(strstr(t.bytes, want) && strstr(t.bytes, "\t-\n"));
	CHECK(!strstr(t.bytes, program_invocation_name));
	free(t.bytes);
	/* A trace that ended before this process began means another one of the same number. */
	CHECK_EQ(lkst_bundle_tell_processes(&err, list, 2, 1, true, &t), 0);
	CHECK(!strstr(t.bytes, want) && strstr(t.bytes, "# 0 threads; 2 more"));
	free(t.bytes);
}

/* Half a second before it began, its number was another one's. */
TEST(a_thread_that_began_after_the_trace_is_not_told_of)
{
	const u64 end_ns = lkst_monotonic_ns() - LKST_NS_PER_S / 2;
	struct lkst_bundle_thread thread = { .comm = "late" };
	struct lkst_bundle_text t;
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || st.st_ino != 0xeffffffc)
		SKIP("this is not the first PID namespace");
	thread.tid = thread.pid = fork();
	if (!thread.tid) {
		pause();
		_exit(0);
	}
	CHECK_EQ(lkst_bundle_tell_processes(&err, &thread, 1, end_ns, true, &t), 0);
	CHECK(strstr(t.bytes, "\n# 0 threads; 1 more have ended"));
	free(t.bytes);
	CHECK_EQ(lkst_bundle_tell_processes(&err, &thread, 1, lkst_monotonic_ns(), true, &t), 0);
	CHECK(strstr(t.bytes, "\n# 1 threads; 0 more have ended"));
	free(t.bytes);
	kill(thread.tid, SIGKILL);
	waitpid(thread.tid, NULL, 0);
}

static const char entries[] =
	"__REALTIME_TIMESTAMP=1700000000000000\n__MONOTONIC_TIMESTAMP=1\n_BOOT_ID=0123456789abcdef0123456789abcdef\n"
	"PRIORITY=3\nSYSLOG_IDENTIFIER=before\nMESSAGE=too early\n\n"
	"__REALTIME_TIMESTAMP=1700000001000000\n__MONOTONIC_TIMESTAMP=2\n_BOOT_ID=0123456789abcdef0123456789abcdef\n"
	"PRIORITY=4\nSYSLOG_IDENTIFIER=one\n_PID=12\nMESSAGE=the first\tof two\n\n"
	"__REALTIME_TIMESTAMP=1700000001500000\n__MONOTONIC_TIMESTAMP=3\n_BOOT_ID=0123456789abcdef0123456789abcdef\n"
	"PRIORITY=6\n_COMM=two\nMESSAGE=the second\nTRACE_ID=4bf92f\n\n"
	"__REALTIME_TIMESTAMP=1700000003000000\n__MONOTONIC_TIMESTAMP=4\n_BOOT_ID=0123456789abcdef0123456789abcdef\n"
	"PRIORITY=6\nMESSAGE=too late\n\n";

/* The journal's own tool makes the file, of entries as text. */
TEST(the_journal_is_that_of_the_time)
{
	struct lkst_bundle_journal j = { .from_ns = 1700000000500000000,
					 .to_ns = 1700000002000000000 };
	struct lkst_bundle_text t;

	if (access(JOURNAL_MAKER, X_OK))
		SKIP("there is no " JOURNAL_MAKER
		     " (package systemd-journal-remote), which makes a journal");
	make();
	make_write(dir, "entries", entries, sizeof(entries) - 1);
	CHECK_EQ(shell("mkdir %s && " JOURNAL_MAKER
		       " -o %s/a.journal - <%s/entries >/dev/null 2>&1",
		       out, out, dir),
		 0);
	j.directory = out;
	CHECK_EQ(lkst_bundle_tell_journal(&err, &j, &t), 0);
	CHECK_STR(t.bytes, "2023-11-14T22:13:21.000000Z\t4\tone[12]\tthe first\\tof two\n"
			   "2023-11-14T22:13:21.500000Z\t6\ttwo\tthe second TRACE_ID=4bf92f\n");
	free(t.bytes);
	j.having = "4BF92F";
	CHECK_EQ(lkst_bundle_tell_journal(&err, &j, &t), 0);
	CHECK_STR(t.bytes, "2023-11-14T22:13:21.500000Z\t6\ttwo\tthe second TRACE_ID=4bf92f\n");
	free(t.bytes);
	j.having = "of two";
	CHECK_EQ(lkst_bundle_tell_journal(&err, &j, &t), 0);
	CHECK_STR(t.bytes, "2023-11-14T22:13:21.000000Z\t4\tone[12]\tthe first\\tof two\n");
	free(t.bytes);
	j.having = NULL;
	j.from_ns = j.to_ns = 1700000002000000000;
	CHECK_EQ(lkst_bundle_tell_journal(&err, &j, &t), 0);
	CHECK_STR(t.bytes, "# the journal has no line of this time, or none that may be read\n");
	free(t.bytes);
	j.directory = "/no/such/directory";
	CHECK_EQ(lkst_bundle_tell_journal(&err, &j, &t), 0);
	CHECK(!strncmp(t.bytes, "# the journal cannot be opened: ", 32));
	free(t.bytes);
	unmake();
}

/* More than goes in: the newest, as many as fit. */
TEST(a_long_journal_is_cut_at_its_beginning)
{
	enum { NR = LKST_BUNDLE_JOURNAL_LINES + 500 };
	struct lkst_bundle_journal j = { .from_ns = 1700000000000000000,
					 .to_ns = 1700000100000000000 };
	struct lkst_bundle_text t;
	unsigned int i;
	char name[128];
	FILE *f;

	if (access(JOURNAL_MAKER, X_OK))
		SKIP("there is no " JOURNAL_MAKER
		     " (package systemd-journal-remote), which makes a journal");
	make();
	snprintf(name, sizeof(name), "%s/entries", dir);
	f = fopen(name, "we");
	for (i = 0; f && i < NR; i++)
		fprintf(f,
			"__REALTIME_TIMESTAMP=%llu\n__MONOTONIC_TIMESTAMP=%u\n"
			"_BOOT_ID=0123456789abcdef0123456789abcdef\nMESSAGE=number %u of many\n\n",
			1700000001000000ULL + i * 1000, i + 1, i);
	CHECK(f && !fclose(f));
	CHECK_EQ(shell("mkdir %s && " JOURNAL_MAKER " -o %s/a.journal - <%s >/dev/null 2>&1", out,
		       out, name),
		 0);
	j.directory = out;
	CHECK_EQ(lkst_bundle_tell_journal(&err, &j, &t), 0);
	CHECK(!strncmp(t.bytes, "# the newest 4000 lines; older ones are left out", 48));
	CHECK(strstr(t.bytes, "number 500 of many") && strstr(t.bytes, "number 4499 of many"));
	CHECK(!strstr(t.bytes, "number 499 of many"));
	free(t.bytes);
	unmake();
}

#define ROW(name)                                                                                  \
	{                                                                                          \
#name, test_##name                                                                 \
	}
static const struct unit_test tests[] = {
	ROW(a_bundle_reads_as_its_trace),
	ROW(its_texts_are_as_they_were),
	ROW(tar_and_zstd_take_it_apart),
	ROW(extracting_gives_the_plain_trace_and_the_texts),
	ROW(what_is_no_bundle_is_refused),
	ROW(no_name_leads_elsewhere),
	ROW(a_bundle_that_is_cut_off_is_refused),
	ROW(a_full_disk_leaves_nothing),
	ROW(a_bundle_is_found_by_its_recording),
	ROW(the_moment_is_told_and_read_again),
	ROW(the_machine_is_this_one),
	ROW(processes_are_those_that_live),
	ROW(a_thread_that_began_after_the_trace_is_not_told_of),
	ROW(the_journal_is_that_of_the_time),
	ROW(a_long_journal_is_cut_at_its_beginning),
};
UNIT_MAIN(tests)
