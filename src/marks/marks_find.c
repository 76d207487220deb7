// SPDX-License-Identifier: GPL-2.0-only
/* The memory of all programs that mark. */
#include "marks/marks_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/create.h"
#include "base/io.h"
#include "base/time.h"
#include "base/vec.h"
#include "liblkst/mark_tidy.h"
#include "marks/marks_budget.h"

/* So many names are looked at, at once and in a second: some 3 % of a CPU. */
enum {
	NAMES_MAX = 16384,
	NAMES_A_SECOND = 131072,
	NAME_OF_MEMORY = 16, /* one that looks like a program's takes as long as so many others */
	ASK_ROUNDS = 64,     /* a million names: who is asked once is asked behind them, too */
};

static struct lkst_marks_program *find_inode(struct lkst_marks_programs *p, u64 inode)
{
	u32 i;

	for (i = 0; i < p->nr; i++)
		if (p->list[i].inode == inode)
			return &p->list[i];
	return NULL;
}

static u32 nr_of_account(const struct lkst_marks_programs *p, u32 uid)
{
	u32 nr = 0, i;

	for (i = 0; i < p->nr; i++)
		nr += lkst_marks_account(p->list[i].uid) == lkst_marks_account(uid);
	return nr;
}

/* Counts a program that is not read. Of many users the last one stands for those who have no place of their own. */
static void leave_out(struct lkst_marks_programs *p, u32 uid)
{
	struct lkst_marks_left_out *l;
	u32 i;

	for (i = 0; i < p->nr_left_out && p->left_out[i].uid != uid; i++)
		;
	if (i == LKST_MARKS_NAMED_MAX) {
		l = &p->left_out[i - 1];
		l->uid = LKST_MARKS_NO_UID;
	} else {
		l = i < p->nr_left_out ? &p->left_out[i] : lkst_vec_add(p->left_out, p->nr_left_out);
		if (l)
			l->uid = uid;
	}
	if (l)
		l->counted++;
}

static void add_program(struct lkst_marks_programs *p, int dir_fd, const char *name,
			const struct lkst_mark_name *who, const struct stat *found)
{
	const struct lkst_marks_owner owner = { .pid = who->pid, .uid = who->uid };
	struct lkst_marks_program *added;
	struct lkst_marks_file *file;
	struct stat st;
	int fd;

	if (found->st_uid != who->uid || found->st_size != LKST_MARK_FILE_BYTES)
		return;
	if (p->nr == LKST_MARKS_PROGRAMS_MAX || nr_of_account(p, who->uid) >= LKST_MARKS_OF_ACCOUNT_MAX) {
		leave_out(p, who->uid);
		return;
	}
	fd = openat(dir_fd, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		fd = openat(dir_fd, name,
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return;
	/* A file with a second name may be another user's; one of another size is being made. */
	if (fstat(fd, &st) || st.st_ino != found->st_ino || !S_ISREG(st.st_mode) ||
	    st.st_nlink != 1 || st.st_uid != who->uid || st.st_size != LKST_MARK_FILE_BYTES) {
		close(fd);
		return;
	}
	if (lkst_marks_file_open(NULL, fd, &owner, p->nr_cpus, &file))
		return;
	added = lkst_vec_add(p->list, p->nr);
	if (!added) {
		lkst_marks_file_close(file);
		return;
	}
	*added = (struct lkst_marks_program){
		.inode = st.st_ino, .uid = who->uid, .file = file, .is_there = true
	};
}

/* Returns what looking at it takes of the names that are looked at. */
static u32 look_at(struct lkst_marks_programs *p, int dir_fd, const char *name)
{
	struct lkst_marks_program *known;
	struct lkst_mark_name who;
	struct stat st;

	if (!lkst_mark_name_parse(name, &who))
		return 1;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode) ||
	    (kill(who.pid, 0) && errno == ESRCH && lkst_mark_note_ended(dir_fd, name)))
		return NAME_OF_MEMORY;
	known = find_inode(p, st.st_ino);
	if (known)
		known->is_there = true;
	else
		add_program(p, dir_fd, name, &who, &st);
	return NAME_OF_MEMORY;
}

/* Closes those whose file is gone. */
static void drop_gone(struct lkst_marks_programs *p)
{
	u32 i, nr = 0;

	for (i = 0; i < p->nr; i++)
		if (p->list[i].is_there)
			p->list[nr++] = p->list[i];
		else
			lkst_marks_file_close(p->list[i].file);
	p->nr = nr;
}

static void begin_pass(struct lkst_marks_programs *p)
{
	int fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	u32 i;

	p->pass = fd < 0 ? NULL : fdopendir(fd);
	if (!p->pass && fd >= 0)
		close(fd);
	for (i = 0; i < p->nr; i++)
		p->list[i].is_there = false;
	for (i = 0; i < p->nr_left_out; i++)
		p->left_out[i].counted = 0;
}

static void end_pass(struct lkst_marks_programs *p)
{
	u32 i;

	if (p->pass)
		closedir(p->pass);
	p->pass = NULL;
	for (i = 0; i < p->nr_left_out; i++)
		p->left_out[i].nr = p->left_out[i].counted;
	drop_gone(p);
}

static void fill_names(struct lkst_marks_programs *p, bool is_last)
{
	const u64 now = lkst_monotonic_ns();
	const double more = (double)(now - p->names_ns) * NAMES_A_SECOND / 1e9;

	/* The first time it is full, since time has begun long ago. */
	p->names_left = is_last || more > NAMES_MAX - (double)p->names_left ? NAMES_MAX
										: p->names_left + (u64)more;
	p->names_ns = now;
}

void lkst_marks_find(struct lkst_marks_programs *p, bool is_last)
{
	struct dirent *entry;
	u32 cost;

	fill_names(p, is_last);
	if (!p->pass)
		begin_pass(p);
	p->is_behind = p->pass != NULL;
	while (p->is_behind && p->names_left) {
		entry = readdir(p->pass);
		p->is_behind = entry != NULL;
		cost = entry ? look_at(p, dirfd(p->pass), entry->d_name) : 0;
		p->names_left -= cost < p->names_left ? cost : p->names_left;
	}
	if (!p->is_behind)
		end_pass(p);
}

void lkst_marks_programs_fini(struct lkst_marks_programs *p)
{
	u32 i;

	if (p->pass)
		closedir(p->pass);
	for (i = 0; i < p->nr; i++)
		lkst_marks_file_close(p->list[i].file);
	free(p->list);
	free(p->left_out);
	p->pass = NULL;
	p->list = NULL;
	p->nr = 0;
	p->left_out = NULL;
	p->nr_left_out = 0;
}

/* What the file for programs that begin later says now; 0: nothing. */
static u64 read_wish(int dir_fd)
{
	_cleanup_close_ int fd = openat(dir_fd, LKST_MARK_WANTED_FILE,
					O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	u64 ns = 0;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    pread(fd, &ns, sizeof(ns), 0) != sizeof(ns))
		return 0;
	return ns;
}

/* A new file each time: whatever has the name now, a user may have made it. */
static int write_wish(struct lkst_err *e, int dir_fd, u64 ns)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	int err = lkst_new_file_open(e, dir_fd, LKST_MARK_WANTED_FILE, &file);

	if (err)
		return err;
	err = lkst_write_all(file.fd, &ns, sizeof(ns));
	if (!err && fchmod(file.fd, 0644))
		err = -errno;
	return err ? lkst_err_sys(e, err, "asking programs for their marks")
		   : lkst_new_file_place(e, &file);
}

int lkst_marks_want(struct lkst_err *e, struct lkst_marks_programs *p, u64 ns, bool is_over)
{
	_cleanup_close_ int dir_fd = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	u64 now;
	u32 i;
	int err = 0;

	if (dir_fd < 0)
		return lkst_err_sys(e, -errno, "asking programs for their marks in %s", p->dir);
	now = read_wish(dir_fd);
	/* First those that begin now: a program looks there after its memory can be found. */
	if (is_over ? now > ns : now < ns)
		err = write_wish(e, dir_fd, ns);
	lkst_marks_find(p, false);
	for (i = 0; i < p->nr; i++)
		lkst_marks_file_want(p->list[i].file, ns, is_over);
	return err;
}

void lkst_marks_ask(u64 ns, bool is_over)
{
	struct lkst_marks_programs programs = { .dir = LKST_MARK_DIR };
	u32 i;

	lkst_marks_find(&programs, true);
	for (i = 1; i < ASK_ROUNDS && programs.is_behind; i++)
		lkst_marks_find(&programs, true);
	lkst_marks_want(NULL, &programs, ns, is_over);
	lkst_marks_programs_fini(&programs);
}
