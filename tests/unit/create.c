/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * New files and directories: what prevents them, who owns them, and who may read them.
 */
#include <dirent.h>
#include <grp.h>
#include <sys/wait.h>

#include "base/create.h"
#include "lib/make_trace.h"
#include "lib/unit.h"

enum { NOBODY = 65534 };

static struct lkst_err err;
static char dir[64], path[PATH_MAX];

static const char *in_dir(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* The mode of a file in the scratch directory, -1: there is none. A link is not followed. */
static int mode_of(const char *name)
{
	struct stat st;

	return lstat(in_dir(name), &st) ? -1 : (int)(st.st_mode & 07777);
}

static bool holds(const char *name, const char *text)
{
	size_t length;
	char *bytes = make_read(dir, name, &length);
	bool same = length == strlen(text) && !memcmp(bytes, text, length);

	free(bytes);
	return same;
}

/* How many entries the scratch directory has. */
static int entries(void)
{
	DIR *d = opendir(dir);
	int nr = 0;

	while (readdir(d))
		nr++;
	closedir(d);
	return nr - 2;
}

/* Who may read what the functions below make. */
static struct lkst_access wanted = { .gid = (gid_t)-1 };

static void set_access(mode_t mode, gid_t gid)
{
	wanted = (struct lkst_access){ .mode = mode, .gid = gid };
}

/* Makes file @name through a hidden one, with @text in it. */
static int make_new(const char *name, const char *text)
{
	struct lkst_new_file f;
	int code = lkst_new_file_open(&err, &wanted, AT_FDCWD, in_dir(name), &f);

	if (!code)
		code = lkst_write_all(f.fd, text, strlen(text));
	if (!code)
		code = lkst_new_file_place(&err, &f);
	lkst_new_file_fini(&f);
	return code;
}

static int make_dir(const char *name)
{
	int fd = -1, code = lkst_create_dir(&err, &wanted, AT_FDCWD, in_dir(name), &fd);

	if (fd >= 0)
		close(fd);
	return code;
}

static int make_file(const char *name)
{
	int fd = -1, code = lkst_create_file(&err, &wanted, AT_FDCWD, in_dir(name), &fd);

	if (fd >= 0)
		close(fd);
	return code;
}

TEST(create_file_takes_nothing_that_is_there)
{
	make_scratch(dir);
	make_write(dir, "victim", "before", 6);
	CHECK(!symlink("victim", in_dir("link")));
	CHECK(!symlink("nothing", in_dir("dangling")));
	CHECK(!mkfifo(in_dir("fifo"), 0600));
	CHECK_EQ(make_file("victim"), -EEXIST);
	CHECK_EQ(make_file("link"), -EEXIST);
	CHECK_EQ(make_file("dangling"), -EEXIST);
	CHECK_EQ(make_file("fifo"), -EEXIST);
	CHECK(strstr(err.text, "/fifo"));
	CHECK(holds("victim", "before"));
	CHECK_EQ(mode_of("nothing"), -1);
	CHECK_EQ(make_file("new"), 0);
	CHECK_EQ(make_file("no/new"), -ENOENT);
	make_scratch_remove(dir);
}

TEST(create_new_file_comes_whole_in_place_of_anything)
{
	make_scratch(dir);
	make_write(dir, "victim", "before", 6);
	CHECK(!symlink("victim", in_dir("link")));
	CHECK(!symlink("victim", in_dir("link.partial")));
	CHECK(!symlink("victim", in_dir(".link.partial")));
	CHECK(!mkfifo(in_dir("fifo"), 0600));
	make_write(dir, "old", "long before", 11);
	CHECK_EQ(make_new("link", "new"), 0);
	CHECK_EQ(make_new("fifo", "new"), 0);
	CHECK_EQ(make_new("old", "new"), 0);
	CHECK(holds("link", "new") && holds("fifo", "new") && holds("old", "new"));
	CHECK(holds("victim", "before"));
	CHECK_EQ(entries(), 6);
	/* A directory is not replaced, and nothing is left of the try. */
	CHECK(!mkdir(in_dir("dir"), 0700));
	CHECK_EQ(make_new("dir", "new"), -EISDIR);
	CHECK_EQ(entries(), 7);
	make_scratch_remove(dir);
}

/* As any user can make one where all may write. */
TEST(create_new_file_takes_the_name_of_a_directory)
{
	struct lkst_new_file f;
	int i;

	make_scratch(dir);
	for (i = 0; i < 3; i++) {
		CHECK(!mkdir(in_dir("wanted"), 0700));
		if (i == 1)
			CHECK_EQ(make_file("wanted/theirs"), 0);
		CHECK_EQ(lkst_new_file_open(&err, NULL, AT_FDCWD, in_dir("wanted"), &f), 0);
		CHECK_EQ(lkst_write_all(f.fd, "ours", 4), 0);
		CHECK_EQ(lkst_new_file_place_over(&err, &f), 0);
		lkst_new_file_fini(&f);
		CHECK(holds("wanted", "ours"));
		/* What has something in it is put aside. */
		CHECK_EQ(entries(), i == 1 ? 2 : 1);
		CHECK(!unlink(in_dir("wanted")));
	}
	/* There may be none. */
	CHECK_EQ(lkst_new_file_open(&err, NULL, AT_FDCWD, in_dir("wanted"), &f), 0);
	CHECK_EQ(lkst_new_file_place_over(&err, &f), 0);
	lkst_new_file_fini(&f);
	CHECK(holds("wanted", ""));
	make_scratch_remove(dir);
}

TEST(create_replaces_only_files_at_paths_of_a_user)
{
	make_scratch(dir);
	make_write(dir, "old", "old", 3);
	CHECK(!symlink("old", in_dir("link")));
	CHECK(!mkfifo(in_dir("fifo"), 0600));
	CHECK_EQ(lkst_check_replaceable(&err, in_dir("old")), 0);
	CHECK_EQ(lkst_check_replaceable(&err, in_dir("new")), 0);
	CHECK_EQ(lkst_check_replaceable(&err, in_dir("link")), -EEXIST);
	CHECK_EQ(lkst_check_replaceable(&err, in_dir("fifo")), -EEXIST);
	CHECK_EQ(lkst_check_replaceable(&err, dir), -EEXIST);
	CHECK_EQ(lkst_check_replaceable(&err, "/dev/null"), -EEXIST);
	CHECK(strstr(err.text, "/dev/null is there"));
	make_scratch_remove(dir);
}

TEST(create_new_file_that_is_not_placed_leaves_nothing)
{
	struct lkst_new_file f;

	make_scratch(dir);
	CHECK_EQ(lkst_new_file_open(&err, NULL, AT_FDCWD, in_dir("a"), &f), 0);
	CHECK_EQ(entries(), 1);
	CHECK_EQ(mode_of("a"), -1);
	lkst_new_file_fini(&f);
	lkst_new_file_fini(&f);
	CHECK_EQ(entries(), 0);
	/* The longest name that there can be. */
	memset(path, 'n', NAME_MAX);
	path[NAME_MAX] = 0;
	CHECK(!chdir(dir));
	CHECK_EQ(lkst_new_file_open(&err, NULL, AT_FDCWD, path, &f), 0);
	CHECK_EQ(lkst_new_file_place(&err, &f), 0);
	lkst_new_file_fini(&f);
	CHECK_EQ(entries(), 1);
	CHECK(!chdir("/"));
	make_scratch_remove(dir);
}

TEST(create_dir_takes_only_what_is_safe)
{
	int fd;

	make_scratch(dir);
	CHECK_EQ(make_dir("own"), 0);
	CHECK_EQ(make_dir("own"), 0);
	CHECK_EQ(make_dir("own///"), 0);
	CHECK(!symlink("own", in_dir("link")));
	CHECK_EQ(make_dir("link"), -ELOOP);
	CHECK_EQ(make_dir("link/"), -ELOOP);
	CHECK(strstr(err.text, "is a symbolic link"));
	CHECK(!mkfifo(in_dir("fifo"), 0600));
	CHECK_EQ(make_dir("fifo"), -ENOTDIR);
	CHECK_EQ(make_dir("no/dir"), -ENOENT);
	/* Links on the way are the user's choice. */
	CHECK_EQ(make_dir("link/below"), 0);
	CHECK(mode_of("own/below") >= 0);
	CHECK(!chmod(in_dir("own"), 0720));
	CHECK_EQ(make_dir("own"), -EPERM);
	CHECK(strstr(err.text, "others may write to directory") && strstr(err.text, "mode 0720"));
	CHECK(!chmod(in_dir("own"), 01702));
	CHECK_EQ(make_dir("own"), -EPERM);
	CHECK_EQ(lkst_open_own_dir(&err, AT_FDCWD, in_dir("own"), &fd), -EPERM);
	CHECK(!chmod(in_dir("own"), 0755));
	CHECK_EQ(make_dir("own"), 0);
	CHECK_EQ(lkst_create_empty_dir(&err, NULL, AT_FDCWD, in_dir("own"), &fd), -ENOTEMPTY);
	CHECK(!rmdir(in_dir("own/below")));
	CHECK_EQ(lkst_create_empty_dir(&err, NULL, AT_FDCWD, in_dir("own"), &fd), 0);
	close(fd);
	if (!geteuid()) {
		CHECK(!chown(in_dir("own"), NOBODY, 0) && !chmod(path, 0700));
		CHECK_EQ(make_dir("own"), -EPERM);
		CHECK(strstr(err.text, "belongs to user 65534"));
	}
	make_scratch_remove(dir);
}

TEST(create_dir_of_the_working_directory)
{
	int fd;

	make_scratch(dir);
	CHECK(!chdir(dir));
	CHECK_EQ(lkst_create_empty_dir(&err, NULL, AT_FDCWD, ".", &fd), 0);
	close(fd);
	CHECK_EQ(lkst_create_empty_dir(&err, NULL, AT_FDCWD, "a/", &fd), 0);
	close(fd);
	CHECK_EQ(lkst_create_empty_dir(&err, NULL, AT_FDCWD, ".", &fd), -ENOTEMPTY);
	CHECK(!chdir("/"));
	make_scratch_remove(dir);
}

TEST(create_parents_makes_what_is_missing)
{
	make_scratch(dir);
	CHECK_EQ(lkst_create_parents(&err, NULL, in_dir("a/b/c")), 0);
	CHECK(mode_of("a/b") >= 0 && mode_of("a/b/c") < 0);
	/* What is there is not judged: as /tmp, where everybody may write. */
	CHECK(!chmod(in_dir("a"), 01777));
	CHECK_EQ(lkst_create_parents(&err, NULL, in_dir("a/b/c")), 0);
	make_write(dir, "file", "x", 1);
	CHECK_EQ(lkst_create_parents(&err, NULL, in_dir("file/d/e")), -ENOTDIR);
	make_scratch_remove(dir);
}

/* What is made, with their modes, in the order: file, new file, directory, file without a name. */
static bool modes_are(int file, int directory)
{
	struct stat st;
	int fd;

	if (make_file("f") || make_new("n", "x") || make_dir("d") ||
	    lkst_create_nameless(&err, dir, &fd) || fstat(fd, &st))
		return false;
	close(fd);
	return mode_of("f") == file && mode_of("n") == file && mode_of("d") == directory &&
	       (st.st_mode & 07777) == 0600 && !unlink(in_dir("f")) && !unlink(in_dir("n")) &&
	       !rmdir(in_dir("d"));
}

TEST(create_modes_as_asked_for)
{
	mode_t before;

	make_scratch(dir);
	/* umask(2) is for users who did not give a mode. */
	before = umask(0077);
	set_access(0640, (gid_t)-1);
	CHECK(modes_are(0640, 0750));
	set_access(0644, (gid_t)-1);
	CHECK(modes_are(0644, 0755));
	set_access(0600, (gid_t)-1);
	umask(0);
	CHECK(modes_are(0600, 0700));
	set_access(0, (gid_t)-1);
	umask(before);
	make_scratch_remove(dir);
}

TEST(create_group_as_asked_for)
{
	struct stat st;

	if (geteuid())
		SKIP("needs root");
	make_scratch(dir);
	set_access(0640, NOBODY);
	CHECK_EQ(make_file("f"), 0);
	CHECK(!stat(in_dir("f"), &st) && st.st_gid == NOBODY && st.st_uid == 0);
	CHECK_EQ(make_dir("d"), 0);
	CHECK(!stat(in_dir("d"), &st) && st.st_gid == NOBODY && st.st_uid == 0);
	/* One that is there stays as it is. */
	CHECK(!mkdir(in_dir("e"), 0700) && !make_dir("e"));
	CHECK(!stat(in_dir("e"), &st) && st.st_gid == getegid() && mode_of("e") == 0700);
	set_access(0, (gid_t)-1);
	make_scratch_remove(dir);
}

TEST(create_modes_of_root)
{
	mode_t before;

	if (geteuid())
		SKIP("needs root");
	make_scratch(dir);
	before = umask(0022);
	CHECK(modes_are(0600, 0700));
	umask(0);
	CHECK(modes_are(0600, 0700));
	umask(before);
	make_scratch_remove(dir);
}

/* 0 if all is as it should be for a user who is not root. */
static int try_as_user(void)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		return 1;
	umask(0022);
	if (!modes_are(0644, 0755))
		return 2;
	umask(0);
	if (!modes_are(0644, 0755))
		return 3;
	umask(0027);
	return modes_are(0640, 0750) ? 0 : 4;
}

TEST(create_modes_of_a_user_follow_umask)
{
	int status = -1;
	pid_t child;

	if (geteuid())
		SKIP("needs root, to become another user");
	make_scratch(dir);
	CHECK(!chown(dir, NOBODY, NOBODY));
	fflush(stdout);
	child = fork();
	if (!child)
		_exit(try_as_user());
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	make_scratch_remove(dir);
}

TEST(create_temporary_and_beside)
{
	char other[PATH_MAX], beside[PATH_MAX], want[PATH_MAX];
	int lock = -1;
	struct stat st;
	int fd;

	make_scratch(dir);
	snprintf(beside, sizeof(beside), "%s/edit-", dir);
	CHECK_EQ(lkst_create_temporary(&err, beside, other, &fd), 0);
	CHECK(!fstat(fd, &st) && (st.st_mode & 07777) == 0600);
	close(fd);
	CHECK(!strncmp(other, beside, strlen(beside)) && !access(other, F_OK));
	CHECK_EQ(lkst_create_dir_beside(&err, NULL, other, beside, &lock), 0);
	CHECK(!stat(beside, &st) && S_ISDIR(st.st_mode));
	snprintf(want, sizeof(want), "%s/.%s.", dir, strrchr(other, '/') + 1);
	CHECK(!strncmp(beside, want, strlen(want)));
	CHECK_EQ(lkst_create_nameless(&err, "/nonexistent", &fd), -ENOENT);
	make_scratch_remove(dir);
}

/* Has a process of its own make a file, a directory and one to work in, all of name @name, and die in between. */
static void leave_by_kill(const char *name)
{
	struct lkst_new_file f;
	struct lkst_new_dir d;
	char beside[PATH_MAX];
	int lock, fd, status;
	pid_t pid = fork();

	if (!pid) {
		if (lkst_new_file_open(NULL, NULL, AT_FDCWD, in_dir(name), &f) ||
		    lkst_new_dir_open(NULL, NULL, AT_FDCWD, in_dir(name), &d) ||
		    lkst_create_file(NULL, NULL, d.fd, "stream", &fd) ||
		    lkst_create_dir_beside(NULL, NULL, in_dir(name), beside, &lock))
			_exit(1);
		raise(SIGKILL);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		abort();
}

/* What lives is not touched, nor what is called so almost. */
TEST(create_removes_what_a_killed_process_has_left)
{
	static const char *const kept[] = { ".x.0123456789abcdef", "x.0123456789abcdef.partial",
					    ".x.0123456789abcdeg.partial", ".partial" };
	struct lkst_new_file f, g;
	struct lkst_new_dir d;
	char beside[PATH_MAX];
	int lock, again;
	size_t i;

	make_scratch(dir);
	leave_by_kill("x");
	CHECK_EQ(entries(), 3);
	CHECK_EQ(lkst_new_file_open(&err, NULL, AT_FDCWD, in_dir("other"), &f), 0);
	CHECK_EQ(entries(), 1);
	CHECK_EQ(lkst_new_dir_open(&err, NULL, AT_FDCWD, in_dir("other"), &d), 0);
	CHECK_EQ(lkst_create_dir_beside(&err, NULL, in_dir("other"), beside, &lock), 0);
	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		make_write(dir, kept[i], "", 0);
	CHECK_EQ(lkst_new_file_open(&err, NULL, AT_FDCWD, in_dir("other"), &g), 0);
	CHECK_EQ(entries(), 8);
	leave_by_kill("y");
	CHECK_EQ(entries(), 11);
	CHECK_EQ(lkst_create_dir_beside(&err, NULL, in_dir("other"), path, &again), 0);
	CHECK_EQ(entries(), 9);
	CHECK_EQ(lkst_new_file_place(&err, &f), 0);
	CHECK_EQ(lkst_new_dir_place(&err, &d), -EEXIST);
	CHECK_EQ(entries(), 9);
	lkst_new_file_fini(&f);
	lkst_new_file_fini(&g);
	lkst_new_dir_fini(&d);
	close(lock);
	close(again);
	make_scratch_remove(dir);
}

/* Where others may write, a name like that is no sign: whoever may rename there can give it to any directory. */
TEST(create_removes_nothing_where_others_may_write)
{
	static const mode_t modes[] = { 0777, 01777, 0770 };
	struct lkst_new_file f;
	size_t i;

	make_scratch(dir);
	leave_by_kill("x");
	for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		CHECK(!chmod(dir, modes[i]));
		CHECK_EQ(lkst_new_file_open(&err, NULL, AT_FDCWD, in_dir("other"), &f), 0);
		CHECK_EQ(entries(), 4);
		lkst_new_file_fini(&f);
	}
	CHECK(!chmod(dir, 0755));
	CHECK_EQ(lkst_new_file_open(&err, NULL, AT_FDCWD, in_dir("other"), &f), 0);
	CHECK_EQ(entries(), 1);
	lkst_new_file_fini(&f);
	make_scratch_remove(dir);
}

/* Another directory of ours that has got the name of one that was made stays as it is. */
TEST(create_removes_what_it_made_and_not_what_has_its_name)
{
	struct lkst_new_dir d;
	char beside[PATH_MAX], other[PATH_MAX];
	int lock, i;

	for (i = 0; i < 3; i++) {
		make_scratch(dir);
		CHECK(!chmod(dir, i == 1 ? 01777 : 0777));
		CHECK_EQ(make_dir("important"), 0);
		CHECK_EQ(make_file("important/file"), 0);
		snprintf(other, sizeof(other), "%s/other", dir);
		if (i == 2) {
			CHECK_EQ(lkst_new_dir_open(&err, NULL, AT_FDCWD, in_dir("new"), &d), 0);
			snprintf(beside, sizeof(beside), "%s/%s", dir, d.hidden);
		} else {
			CHECK_EQ(lkst_create_dir_beside(&err, NULL, in_dir("new"), beside, &lock), 0);
		}
		make_write(beside, "ours", "", 0);
		CHECK(!rename(beside, other) && !rename(in_dir("important"), beside));
		if (i == 2)
			lkst_new_dir_fini(&d);
		else
			lkst_remove_made_dir(lock, AT_FDCWD, beside);
		CHECK(!rename(beside, in_dir("important")));
		CHECK(mode_of("important/file") >= 0);
		CHECK(!rename(in_dir("important"), beside));
		/* By its name it is removed where nobody else could have given it that. */
		lkst_remove_dir(AT_FDCWD, beside);
		CHECK_EQ(access(beside, F_OK), i == 1 ? -1 : 0);
		CHECK(!rmdir(other));
		if (i != 2)
			close(lock);
		make_scratch_remove(dir);
	}
}

TEST(create_new_dir_comes_whole)
{
	struct lkst_new_dir d;
	int fd = -1;

	make_scratch(dir);
	CHECK_EQ(lkst_new_dir_open(&err, NULL, AT_FDCWD, in_dir("new"), &d), 0);
	CHECK_EQ(lkst_create_file(&err, NULL, d.fd, "file", &fd), 0);
	close(fd);
	CHECK_EQ(mode_of("new"), -1);
	CHECK_EQ(lkst_new_dir_place(&err, &d), 0);
	lkst_new_dir_fini(&d);
	CHECK(mode_of("new/file") >= 0);
	CHECK_EQ(entries(), 1);
	/* One that has something in it is not replaced, nor is a file. */
	CHECK_EQ(lkst_new_dir_open(&err, NULL, AT_FDCWD, in_dir("new"), &d), -EEXIST);
	CHECK_EQ(lkst_new_dir_open(&err, NULL, AT_FDCWD, in_dir("new/file"), &d), -EEXIST);
	CHECK_EQ(lkst_new_dir_open(&err, NULL, AT_FDCWD, in_dir("none/new"), &d), -ENOENT);
	CHECK_EQ(entries(), 1);
	lkst_remove_dir(AT_FDCWD, in_dir("new"));
	CHECK_EQ(make_dir("new"), 0);
	/* Unless it is placed, nothing is left of it, and the empty one stays. */
	CHECK_EQ(lkst_new_dir_open(&err, NULL, AT_FDCWD, in_dir("new"), &d), 0);
	CHECK_EQ(lkst_create_file(&err, NULL, d.fd, "file", &fd), 0);
	close(fd);
	CHECK_EQ(lkst_create_empty_dir(&err, NULL, d.fd, "inner", &fd), 0);
	close(fd);
	CHECK_EQ(lkst_create_file(&err, NULL, d.fd, "inner/file", &fd), 0);
	close(fd);
	CHECK_EQ(entries(), 2);
	lkst_new_dir_fini(&d);
	CHECK_EQ(entries(), 1);
	CHECK_EQ(lkst_new_dir_open(&err, NULL, AT_FDCWD, in_dir("new"), &d), 0);
	CHECK_EQ(lkst_new_dir_place(&err, &d), 0);
	lkst_new_dir_fini(&d);
	CHECK_EQ(entries(), 1);
	lkst_remove_dir(AT_FDCWD, in_dir("new"));
	make_scratch_remove(dir);
}

static const struct unit_test tests[] = {
	{ "create_removes_nothing_where_others_may_write", test_create_removes_nothing_where_others_may_write },
	{ "create_removes_what_it_made_and_not_what_has_its_name",
	  test_create_removes_what_it_made_and_not_what_has_its_name },
	{ "create_new_dir_comes_whole", test_create_new_dir_comes_whole },
	{ "create_file_takes_nothing_that_is_there", test_create_file_takes_nothing_that_is_there },
	{ "create_new_file_comes_whole_in_place_of_anything",
	  test_create_new_file_comes_whole_in_place_of_anything },
	{ "create_new_file_takes_the_name_of_a_directory", test_create_new_file_takes_the_name_of_a_directory },
	{ "create_replaces_only_files_at_paths_of_a_user",
	  test_create_replaces_only_files_at_paths_of_a_user },
	{ "create_new_file_that_is_not_placed_leaves_nothing",
	  test_create_new_file_that_is_not_placed_leaves_nothing },
	{ "create_dir_takes_only_what_is_safe", test_create_dir_takes_only_what_is_safe },
	{ "create_dir_of_the_working_directory", test_create_dir_of_the_working_directory },
	{ "create_parents_makes_what_is_missing", test_create_parents_makes_what_is_missing },
	{ "create_modes_as_asked_for", test_create_modes_as_asked_for },
	{ "create_group_as_asked_for", test_create_group_as_asked_for },
	{ "create_modes_of_root", test_create_modes_of_root },
	{ "create_modes_of_a_user_follow_umask", test_create_modes_of_a_user_follow_umask },
	{ "create_temporary_and_beside", test_create_temporary_and_beside },
	{ "create_removes_what_a_killed_process_has_left",
	  test_create_removes_what_a_killed_process_has_left },
};
UNIT_MAIN(tests)
