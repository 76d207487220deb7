// SPDX-License-Identifier: GPL-2.0-only
/* The memory of all programs that mark. */
#include "marks/marks_find.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/time.h"
#include "base/vec.h"
#include "liblkst/mark_tidy.h"
#include "marks/marks_budget.h"

/* So many names are looked at, at once and in a second: some 3 % of a CPU. */
enum {
	NAMES_MAX = 32768,
	NAMES_A_SECOND = 131072,
	NAME_LOOKED_AT = 4, /* one that looks like a program's takes as long as so many others, */
	NAME_OPENED = 16,   /* and where it is opened */
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

/* What is kept of user @uid, or of many users: the last place stands for those who have none. NULL: no memory. */
static struct lkst_marks_left_out *left_out_of(struct lkst_marks_programs *p, u32 uid)
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
	return l;
}

/* Counts a program that is not read. */
static void marks_find_leave_out(struct lkst_marks_programs *p, u32 uid)
{
	struct lkst_marks_left_out *l = left_out_of(p, uid);

	if (l)
		l->counted++;
}

/* A descriptor that leaves as many for all else that the process opens. */
static int open_few(int dir_fd, const char *name, int flags)
{
	struct rlimit most;
	int fd = openat(dir_fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd >= 0 && !getrlimit(RLIMIT_NOFILE, &most) && (rlim_t)fd >= most.rlim_cur / 2) {
		close(fd);
		errno = EMFILE;
		return -1;
	}
	return fd;
}

/* Returns what that takes of the names that are looked at. */
static u32 marks_find_add_program(struct lkst_marks_programs *p, int dir_fd, const char *name,
				  const struct lkst_mark_name *who, const struct stat *found)
{
	const struct lkst_marks_owner owner = { .pid = who->pid, .uid = who->uid };
	struct lkst_marks_program *added;
	struct lkst_marks_file *file;
	struct stat st;
	int fd;

	if (found->st_uid != who->uid || found->st_size != LKST_MARK_FILE_BYTES)
		return NAME_LOOKED_AT;
	if (p->nr == LKST_MARKS_PROGRAMS_MAX || nr_of_account(p, who->uid) >= LKST_MARKS_OF_ACCOUNT_MAX) {
		marks_find_leave_out(p, who->uid);
		return NAME_LOOKED_AT;
	}
	fd = open_few(dir_fd, name, p->changes ? O_RDWR : O_RDONLY);
	if (fd < 0 && p->changes)
		fd = open_few(dir_fd, name, O_RDONLY);
	if (fd < 0) {
		marks_find_leave_out(p, who->uid);
		return NAME_OPENED;
	}
	/* A file with a second name may be another user's; one of another size is being made. */
	if (fstat(fd, &st) || st.st_ino != found->st_ino || !S_ISREG(st.st_mode) ||
	    st.st_nlink != 1 || st.st_uid != who->uid || st.st_size != LKST_MARK_FILE_BYTES) {
		close(fd);
		return NAME_OPENED;
	}
	if (lkst_marks_file_open(NULL, fd, &owner, p->nr_cpus, &file))
		return NAME_OPENED;
	added = lkst_vec_add(p->list, p->nr);
	if (!added) {
		lkst_marks_file_close(file);
		return NAME_OPENED;
	}
	*added = (struct lkst_marks_program){
		.inode = st.st_ino, .uid = who->uid, .file = file, .is_there = true
	};
	return NAME_OPENED;
}

/* Returns what looking at it takes of the names that are looked at. */
static u32 marks_find_look_at(struct lkst_marks_programs *p, int dir_fd, const char *name)
{
	struct lkst_marks_program *known;
	struct lkst_mark_name who;
	struct stat st;

	if (!lkst_mark_name_parse(name, &who))
		return 1;
	if (fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
		return NAME_LOOKED_AT;
	if (p->changes && (!p->may_change || p->may_change(p->ctx, st.st_uid)) && kill(who.pid, 0) &&
	    errno == ESRCH && lkst_mark_note_ended(dir_fd, name))
		return NAME_OPENED;
	known = find_inode(p, st.st_ino);
	if (!known)
		return marks_find_add_program(p, dir_fd, name, &who, &st);
	known->is_there = true;
	return NAME_LOOKED_AT;
}

/* What a ledger has not reported of a program is its user's from now on. */
static void keep_lost(struct lkst_marks_programs *p, const struct lkst_marks_program *gone)
{
	const struct lkst_marks_losses lost = lkst_marks_file_losses(gone->file), *told = &gone->told;
	struct lkst_marks_left_out *l = left_out_of(p, gone->uid);

	if (!l)
		return;
	l->gone.overwritten += lost.overwritten - told->overwritten;
	l->gone.unrecorded += lost.unrecorded - told->unrecorded;
	l->gone.refused += lost.refused - told->refused;
	l->gone.left_out += lost.left_out - told->left_out;
	l->gone.unlooked += lost.unlooked - told->unlooked;
}

/* Closes those whose file is gone. */
static void drop_gone(struct lkst_marks_programs *p)
{
	u32 i, nr = 0;

	for (i = 0; i < p->nr; i++)
		if (p->list[i].is_there) {
			p->list[nr++] = p->list[i];
		} else {
			keep_lost(p, &p->list[i]);
			lkst_marks_file_close(p->list[i].file);
		}
	p->nr = nr;
}

static void marks_find_begin_pass(struct lkst_marks_programs *p)
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

static void marks_find_end_pass(struct lkst_marks_programs *p)
{
	u32 i;

	if (p->pass)
		closedir(p->pass);
	p->pass = NULL;
	for (i = 0; i < p->nr_left_out; i++)
		p->left_out[i].nr = p->left_out[i].counted;
	drop_gone(p);
}

void lkst_marks_find(struct lkst_marks_programs *p, bool is_last)
{
	const u64 now = lkst_monotonic_ns();
	struct dirent *entry;
	u32 cost;

	/* The first time it is full, since time has begun long ago. */
	lkst_marks_fill(&p->names_left, NAMES_MAX, NAMES_A_SECOND, is_last ? UINT64_MAX : now - p->names_ns);
	p->names_ns = now;
	if (!p->pass)
		marks_find_begin_pass(p);
	p->is_behind = p->pass != NULL;
	while (p->is_behind && p->names_left) {
		entry = readdir(p->pass);
		p->is_behind = entry != NULL;
		cost = entry ? marks_find_look_at(p, dirfd(p->pass), entry->d_name) : 0;
		p->names_left -= cost < p->names_left ? cost : p->names_left;
	}
	if (!p->is_behind)
		marks_find_end_pass(p);
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
