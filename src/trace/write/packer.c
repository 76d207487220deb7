/* SPDX-License-Identifier: GPL-2.0-only */
/* Compresses finished parts in the background. */
#include "trace/write/packer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "trace/format/stream_name.h"
#include "trace/format/zst.h"

enum { NICE_MOST = 19 };

struct packer_job {
	struct packer_job *next;
	char path[];
};

struct lkst_packer {
	const struct lkst_access *access;
	pthread_t thread;
	pthread_mutex_t lock; /* guards what follows, but `stop` */
	pthread_cond_t work;
	struct packer_job *first;
	bool is_working;
	int err; /* the first failure, and its text */
	struct lkst_err e;
	atomic_bool stop;
};

static bool is_plain_stream(int dir_fd, const char *name)
{
	struct stat st;
	u64 instance;

	return lkst_stream_name_parse(name, &instance) &&
	       !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode);
}

/*
 * Packs one file, unless the part is being removed: then its metadata is gone, and what was made
 * meanwhile is removed too, since whoever removes the part may not have seen it.
 */
static int pack_file(struct lkst_err *e, struct lkst_packer *p, int dir_fd, const char *name)
{
	char packed[LKST_STREAM_NAME_MAX + sizeof(LKST_ZST_SUFFIX)];
	int err = lkst_zst_pack(e, p->access, dir_fd, name, &p->stop);

	if (!faccessat(dir_fd, "metadata", F_OK, 0))
		return err;
	snprintf(packed, sizeof(packed), "%s" LKST_ZST_SUFFIX, name);
	unlinkat(dir_fd, packed, 0);
	return -ENOENT;
}

static int pack_part(struct lkst_err *e, struct lkst_packer *p, const char *path)
{
	struct dirent *entry;
	DIR *dir;
	int fd, err = lkst_open_own_dir(e, AT_FDCWD, path, &fd);

	if (err)
		return err == -ENOENT ? 0 : err;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return lkst_err_sys(e, -ENOMEM, "%s", path);
	}
	while (!err && (entry = readdir(dir)))
		if (is_plain_stream(dirfd(dir), entry->d_name))
			err = pack_file(e, p, dirfd(dir), entry->d_name);
	if (err == -ENOENT)
		rmdir(path);
	closedir(dir);
	if (err == -ENOENT || err == -ECANCELED)
		return 0;
	if (err)
		lkst_err_add(e, "%s", path);
	return err;
}

static void *packer_run(void *arg)
{
	struct lkst_packer *p = arg;
	struct lkst_err e;
	struct packer_job *job;
	int err;

	/* Of this thread alone, as Linux has it. */
	setpriority(PRIO_PROCESS, 0, NICE_MOST);
	pthread_mutex_lock(&p->lock);
	while (!atomic_load(&p->stop)) {
		job = p->first;
		p->is_working = job != NULL;
		if (!job) {
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		p->first = job->next;
		pthread_mutex_unlock(&p->lock);
		err = pack_part(&e, p, job->path);
		free(job);
		pthread_mutex_lock(&p->lock);
		if (err && !p->err) {
			p->err = err;
			p->e = e;
		}
	}
	p->is_working = false;
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

int lkst_packer_new(struct lkst_err *e, const struct lkst_access *access, struct lkst_packer **ret_packer)
{
	struct lkst_packer *p = calloc(1, sizeof(*p));
	sigset_t all, old;
	int err;

	if (!p)
		return lkst_err_sys(e, -ENOMEM, "preparing to compress");
	p->access = access;
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	/* Signals are for the thread that waits for them. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	err = -pthread_create(&p->thread, NULL, packer_run, p);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (err) {
		free(p);
		return lkst_err_sys(e, err, "preparing to compress");
	}
	*ret_packer = p;
	return 0;
}

int lkst_packer_add(struct lkst_err *e, struct lkst_packer *p, const char *path)
{
	struct packer_job *job = malloc(sizeof(*job) + strlen(path) + 1), **last;

	if (!job)
		return lkst_err_sys(e, -ENOMEM, "compressing %s", path);
	strcpy(job->path, path);
	job->next = NULL;
	pthread_mutex_lock(&p->lock);
	for (last = &p->first; *last; last = &(*last)->next)
		;
	*last = job;
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
	return 0;
}

bool lkst_packer_is_busy(struct lkst_packer *p)
{
	bool busy;

	pthread_mutex_lock(&p->lock);
	busy = p->first || p->is_working;
	pthread_mutex_unlock(&p->lock);
	return busy;
}

int lkst_packer_close(struct lkst_err *e, struct lkst_packer *p)
{
	struct packer_job *job;
	int err;

	if (!p)
		return 0;
	pthread_mutex_lock(&p->lock);
	atomic_store(&p->stop, true);
	pthread_cond_signal(&p->work);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	while ((job = p->first)) {
		p->first = job->next;
		free(job);
	}
	err = p->err;
	if (err)
		lkst_err_set(e, err, "%s", p->e.text);
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->work);
	free(p);
	return err;
}
