/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Cgroups: what their paths say of containers, which one a thread is in, and the hierarchy that is chosen.
 */
#include "lib/fed_threads.h"
#include "lib/make_trace.h"
#include "lib/unit.h"
#include "live/kernel/cgroup_mount.h"
#include "live/state/quotas.h"
#include "trace/known/cgroups.h"
#include "trace/known/container.h"
#include "trace/known/threads.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define UID "8b6cd8a1-3c5e-4b6f-9a5e-0d3f6d6f7a10"
#define UID_ "8b6cd8a1_3c5e_4b6f_9a5e_0d3f6d6f7a10"

static const char *container_of(const char *path)
{
	static char text[LKST_CONTAINER_TEXT];

	lkst_container_of(path, text);
	return text;
}

/* Paths as the runtimes' own documents and machines that run them have them. */
TEST(container_names_follow_the_runtimes)
{
	static const char *const rows[][2] = {
		{ "/", "" },
		{ "/system.slice/docker-" ID ".scope", "docker:0123456789ab" },
		{ "/docker/" ID, "docker:0123456789ab" },
		{ "/system.slice/docker-" ID ".scope/init.scope", "docker:0123456789ab" },
		{ "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" UID_
		  ".slice/cri-containerd-" ID ".scope",
		  "pod:" UID "/containerd:0123456789ab" },
		{ "/kubepods.slice/kubepods-pod" UID_ ".slice/crio-" ID ".scope",
		  "pod:" UID "/crio:0123456789ab" },
		{ "/kubepods/besteffort/pod" UID "/" ID, "pod:" UID "/container:0123456789ab" },
		{ "/kubepods/pod" UID, "pod:" UID },
		{ "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-besteffort.slice/"
		  "kubelet-kubepods-besteffort-pod" UID_ ".slice",
		  "pod:" UID },
		{ "/machine.slice/libpod-" ID ".scope/container", "podman:0123456789ab" },
		{ "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope",
		  "podman:0123456789ab" },
		{ "/machine.slice/libpod-conmon-" ID ".scope", "unit:libpod-conmon-" ID ".scope" },
		{ "/system.slice/nerdctl-" ID ".scope", "nerdctl:0123456789ab" },
		{ "/lxc.payload.web/system.slice/ssh.service", "lxc:web" },
		{ "/lxc/web", "lxc:web" },
		{ "/lxc.payload/web", "lxc:web" },
		{ "/machine.slice/machine-debian.scope/payload", "machine:debian" },
		{ "/system.slice/ssh.service", "unit:ssh.service" },
		{ "/system.slice", "unit:system.slice" },
		{ "/user.slice/user-0.slice/session-1.scope", "unit:session-1.scope" },
		{ "/user.slice/user-0.slice/user@0.service/app.slice/a.service", "unit:a.service" },
		{ "/user.slice/user-0.slice/user@0.service/app.slice", "unit:user@0.service" },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		CHECK_STR(container_of(rows[i][0]), rows[i][1]);
}

TEST(container_names_are_not_guessed)
{
	static const char *const paths[] = {
		"",
		"//",
		"/docker",
		"/docker/abc",
		"/docker-.scope",
		"/docker-" ID "0.scope/x",
		"/a/" ID,
		"/kubepods/pod",
		"/pod" UID,
		"/kubepods/podzb6cd8a1-3c5e-4b6f-9a5e-0d3f6d6f7a10",
		"/.service",
		"/lxc.payload.",
		"/docker/0123456789abcdeg0123456789abcdef0123456789abcdef0123456789abcdef",
	};
	size_t i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		CHECK(!container_of(paths[i])[0] || !strncmp(container_of(paths[i]), "unit:", 5));
	/* A name may hold any byte but '/' and NUL; it comes back as it is, and whole. */
	CHECK_STR(container_of("/lxc/\x1b[31m\n"), "lxc:\x1b[31m\n");
}

static const char *path_of(const struct lkst_threads *t, s32 tid)
{
	static char text[LKST_CGROUP_TEXT];

	return lkst_cgroups_text(lkst_threads_cgroups(t), lkst_threads_cgroup_of(t, tid), text);
}

TEST(cgroups_of_threads_are_inherited_and_changed)
{
	struct lkst_threads *t = fed_threads(
		"state_thread ns=9 thread_tid=5 thread_pid=5 cgroup=10 comm=a\n"
		"state_thread ns=9 thread_tid=6 thread_pid=5 cgroup=10 comm=a\n"
		"state_thread ns=9 thread_tid=7 thread_pid=7 comm=old\n"
		"state_cgroup ns=9 cgroup=10 path=/docker/" ID "\n"
		"cgroup_mkdir buffer=1 tid=1 ns=1 cgroup=11 path=/new\n"
		"task_newtask buffer=1 tid=5 ns=2 child_tid=8 child_comm=b\n"
		"sched_process_fork buffer=1 tid=5 ns=3 child_tid=9 child_pid=9 parent_pid=5 cgroup=11 "
		"child_comm=c\n"
		"cgroup_attach_task buffer=1 tid=1 ns=4 target_tid=5 is_process=1 cgroup=12 path=/moved\n"
		"cgroup_attach_task buffer=1 tid=1 ns=5 target_tid=6 cgroup=13 path=\"/a b\"\n");

	CHECK_STR(path_of(t, 5), "/moved");
	CHECK_STR(path_of(t, 6), "/a b");
	CHECK_STR(path_of(t, 7), "");
	CHECK_EQ(lkst_threads_cgroup_of(t, 8), 10);
	CHECK_STR(lkst_cgroups_container(lkst_threads_cgroups(t), 10), "docker:0123456789ab");
	CHECK_STR(path_of(t, 9), "/new");
	CHECK_EQ(lkst_threads_cgroup_of(t, 99), 0);
	CHECK_EQ(lkst_threads_cgroup_of(t, -1), 0);
	lkst_threads_free(t);
}

/* All threads of the process have moved, those that came before and not those that come later from elsewhere. */
TEST(cgroups_of_processes_change_at_once)
{
	struct lkst_threads *t = fed_threads(
		"state_thread ns=9 thread_tid=5 thread_pid=5 cgroup=10 comm=a\n"
		"state_thread ns=9 thread_tid=6 thread_pid=5 cgroup=10 comm=a\n"
		"cgroup_attach_task buffer=1 tid=1 ns=4 target_tid=5 is_process=1 cgroup=12 path=/moved\n"
		"sched_process_fork buffer=1 tid=6 ns=5 child_tid=7 child_pid=5 parent_pid=5 cgroup=14 "
		"child_comm=c\n");

	CHECK_STR(path_of(t, 6), "/moved");
	CHECK_STR(path_of(t, 7), "14");
	lkst_threads_free(t);
}

TEST(cgroups_match_by_path_container_or_number)
{
	struct lkst_threads *t =
		fed_threads("state_cgroup ns=9 cgroup=10 path=/system.slice/ssh.service\n");
	const struct lkst_cgroups *c = lkst_threads_cgroups(t);

	CHECK(lkst_cgroups_match(c, 10, "/system.slice/*"));
	CHECK(lkst_cgroups_match(c, 10, "unit:ssh.service"));
	CHECK(!lkst_cgroups_match(c, 10, "10"));
	CHECK(!lkst_cgroups_match(c, 10, "/system.slice"));
	CHECK(lkst_cgroups_match(c, 77, "77"));
	CHECK(lkst_cgroups_match(c, 0, ""));
	CHECK(!lkst_cgroups_match(c, 0, "/*"));
	lkst_threads_free(t);
}

/* A path that may have been cut is none. */
TEST(cgroups_with_cut_paths_have_no_name)
{
	char text[1200] = "cgroup_mkdir buffer=1 tid=1 ns=1 cgroup=11 path=/";
	struct lkst_threads *t;
	size_t length = strlen(text);

	memset(text + length, 'a', LKST_STRING_MAX - 2);
	strcpy(text + length + LKST_STRING_MAX - 2, "\n");
	t = fed_threads(text);
	CHECK(!lkst_cgroups_find(lkst_threads_cgroups(t), 11));
	lkst_threads_free(t);
}

static const char *chosen_by(void (*choose)(char *, char *, struct lkst_cgroup_mount *), const char *mountinfo,
			     const char *controllers)
{
	static char text[320];
	char m[4096], c[1024];
	struct lkst_cgroup_mount mount;

	snprintf(m, sizeof(m), "%s", mountinfo);
	snprintf(c, sizeof(c), "%s", controllers);
	choose(m, c, &mount);
	snprintf(text, sizeof(text), "%u %d %s", mount.of, mount.hierarchy, mount.point);
	return text;
}

static const char *chosen(const char *mountinfo, const char *controllers)
{
	return chosen_by(lkst_cgroup_mount_choose, mountinfo, controllers);
}

TEST(cgroup_mount_of_quotas_is_that_of_the_controller)
{
	static const char controllers[] =
		"#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t1\t3\t1\nmemory\t4\t1\t1\n";
	static const char both[] = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
				   "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
				   "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n";
	static const char unified[] = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
				      "31 23 0:27 / /mnt rw - cgroup cgroup rw,cpuset\n";

	CHECK_STR(chosen_by(lkst_cgroup_mount_choose_cpu, both, controllers), "4 1 /sys/fs/cgroup/cpu");
	CHECK_STR(chosen_by(lkst_cgroup_mount_choose_cpu, unified, controllers), "1 0 /sys/fs/cgroup");
}

TEST(cgroup_quotas_are_what_their_files_say)
{
	struct lkst_rec_state_quota q = {};

	CHECK(lkst_state_parse_quota("20000 100000\n", NULL, NULL, "nr_periods 9\nnr_throttled 7\nthrottled_usec 55\n",
				     &q));
	CHECK_EQ(q.quota_ns, 20000000);
	CHECK_EQ(q.period_ns, 100000000);
	CHECK_EQ(q.nr_throttled, 7);
	CHECK_EQ(q.throttled_ns, 55000);
	CHECK(lkst_state_parse_quota(NULL, "50000\n", "25000\n", "nr_throttled 3\nthrottled_time 99\n", &q));
	CHECK_EQ(q.quota_ns, 50000000);
	CHECK_EQ(q.period_ns, 25000000);
	CHECK_EQ(q.nr_throttled, 3);
	CHECK_EQ(q.throttled_ns, 99);
	CHECK(lkst_state_parse_quota("1000 1000\n", NULL, NULL, NULL, &q));
	CHECK_EQ(q.nr_throttled, 0);
	CHECK(!lkst_state_parse_quota("max 100000\n", NULL, NULL, NULL, &q));
	CHECK(!lkst_state_parse_quota(NULL, "-1\n", "100000\n", NULL, &q));
	CHECK(!lkst_state_parse_quota(NULL, "1", NULL, NULL, &q));
	CHECK(!lkst_state_parse_quota("", NULL, NULL, NULL, &q));
	CHECK(!lkst_state_parse_quota("99999999999999999999 100000", NULL, NULL, NULL, &q));
}

TEST(cgroup_mount_is_that_of_managers)
{
	static const char controllers[] =
		"#subsys_name\thierarchy\tnum_cgroups\tenabled\ncpu\t1\t3\t1\nmemory\t4\t1\t1\n";

	CHECK_STR(
		chosen("30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
		       "31 23 0:27 / /mnt rw - cgroup cgroup rw,memory\n",
		       controllers),
		"1 0 /sys/fs/cgroup");
	CHECK_STR(
		chosen("32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
		       "35 31 0:32 / /sys/fs/cgroup/memory rw shared:1 master:2 - cgroup cgroup rw,memory\n"
		       "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n",
		       controllers),
		"2 4 /sys/fs/cgroup/memory");
	CHECK_STR(
		chosen("32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n",
		       controllers),
		"4 1 /sys/fs/cgroup/cpu,cpuacct");
	CHECK_STR(chosen("41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n",
			 controllers),
		  "1 0 /sys/fs/cgroup/unified");
	/* In a container the root of the mount is not that of the hierarchy: paths would be of something else. */
	CHECK_STR(chosen("30 23 0:26 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
			 controllers),
		  "0 -1 ");
	/* What is no sequence of the kernel's stays. */
	CHECK_STR(chosen("41 31 0:38 / /my\\040cgroups\\134x\\9\\04 rw - cgroup2 cgroup2 rw\n", ""),
		  "1 0 /my cgroups\\x\\9\\04");
	CHECK_STR(chosen("", ""), "0 -1 ");
	CHECK_STR(chosen("a\n - \n1 2 3 / / - cgroup2\n 1 2 3 / / rw - - - -\n", ""), "0 -1 ");
}

static const struct unit_test tests[] = {
	{ "container_names_follow_the_runtimes", test_container_names_follow_the_runtimes },
	{ "container_names_are_not_guessed", test_container_names_are_not_guessed },
	{ "cgroups_of_threads_are_inherited_and_changed",
	  test_cgroups_of_threads_are_inherited_and_changed },
	{ "cgroups_of_processes_change_at_once", test_cgroups_of_processes_change_at_once },
	{ "cgroups_match_by_path_container_or_number",
	  test_cgroups_match_by_path_container_or_number },
	{ "cgroups_with_cut_paths_have_no_name", test_cgroups_with_cut_paths_have_no_name },
	{ "cgroup_mount_of_quotas_is_that_of_the_controller", test_cgroup_mount_of_quotas_is_that_of_the_controller },
	{ "cgroup_quotas_are_what_their_files_say", test_cgroup_quotas_are_what_their_files_say },
	{ "cgroup_mount_is_that_of_managers", test_cgroup_mount_is_that_of_managers },
};
UNIT_MAIN(tests)
