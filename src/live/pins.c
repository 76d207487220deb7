/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a recording lives once the command that started it is gone. */
#include "live/pins.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "base/cleanup.h"

#define BPFFS "/sys/fs/bpf"
#define PIN_DIR BPFFS "/lkst"
/* Only root can open it, so nobody else can hold the lock. It stays: removing it would race. */
#define LOCK_FILE "/run/lkst.lock"
/* What /proc/mounts shows as the source of a file system that we mounted. */
#define MOUNT_SOURCE "lkst"
#define FIRST_ROOT "/proc/1/root"

/*
 * What stands before a path so that it is the first process's: a command may run in a mount
 * namespace of its own, where what it mounts would vanish with it. "" where the two are the same, or
 * where this process may not look into the first one's.
 */
static const char *first_root(void)
{
	struct stat own, first;

	if (stat("/proc/self/ns/mnt", &own) || stat("/proc/1/ns/mnt", &first) ||
	    own.st_ino == first.st_ino)
		return "";
	return FIRST_ROOT;
}

/* The path @path of the first process's mount namespace. */
struct path {
	char text[LKST_PIN_PATH_MAX];
};

static struct path first_path(const char *path)
{
	struct path p;

	snprintf(p.text, sizeof(p.text), "%s%s", first_root(), path);
	return p;
}

int lkst_pins_lock(struct lkst_err *e)
{
	_cleanup_close_ int fd = -1;

	if (geteuid())
		return lkst_err_set(e, -EPERM,
				    "recording the kernel needs root; try again with sudo");
	fd = open(first_path(LOCK_FILE).text, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && errno == ENOENT)
		return lkst_err_set(
			e, -ENOENT,
			"there is no directory /run, where commands lock out each other; "
			"make it, or mount a tmpfs on it");
	if (fd < 0)
		return lkst_err_sys(e, -errno, "lock file /run/lkst.lock");
	while (flock(fd, LOCK_EX))
		if (errno != EINTR)
			return lkst_err_sys(e, -errno, "lock file /run/lkst.lock");
	return lkst_take_fd(fd);
}

static bool is_bpffs(void)
{
	struct statfs fs;

	return !statfs(first_path(BPFFS).text, &fs) && fs.f_type == BPF_FS_MAGIC;
}

/* Runs @change in the first process's mount namespace, in a child: joining is for good. */
static int in_first_namespace(int (*change)(void))
{
	int status;
	pid_t child;

	if (!first_root()[0])
		return change();
	child = fork();
	if (child < 0)
		return -errno;
	if (!child) {
		int ns = open("/proc/1/ns/mnt", O_RDONLY | O_CLOEXEC);

		if (ns < 0 || setns(ns, CLONE_NEWNS))
			_exit(errno);
		_exit(-change());
	}
	if (waitpid(child, &status, 0) != child)
		return -errno;
	return WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
}

static int mount_bpffs(void)
{
	return mount(MOUNT_SOURCE, BPFFS, "bpf", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700")
		       ? -errno
		       : 0;
}

static int unmount_bpffs(void)
{
	return umount2(BPFFS, UMOUNT_NOFOLLOW) ? -errno : 0;
}

int lkst_pins_prepare(struct lkst_err *e)
{
	int err;

	if (!is_bpffs()) {
		err = in_first_namespace(mount_bpffs);
		if (err)
			return lkst_err_sys(e, err, "mounting the BPF file system on " BPFFS);
	}
	if (mkdir(first_path(PIN_DIR).text, 0700) && errno != EEXIST)
		return lkst_err_sys(e, -errno, "directory " BPFFS "/lkst");
	return 0;
}

bool lkst_pins_exist(void)
{
	return !access(first_path(PIN_DIR).text, F_OK);
}

void lkst_pins_path(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s%s/%s", first_root(), PIN_DIR, name);
}

int lkst_pins_put(struct lkst_err *e, int fd, const char *name)
{
	char path[LKST_PIN_PATH_MAX];

	lkst_pins_path(name, path, sizeof(path));
	if (bpf_obj_pin(fd, path))
		return lkst_err_sys(e, -errno, "pinning %s in " BPFFS "/lkst", name);
	return 0;
}

int lkst_pins_get(struct lkst_err *e, const char *name)
{
	char path[LKST_PIN_PATH_MAX];
	int fd;

	lkst_pins_path(name, path, sizeof(path));
	fd = bpf_obj_get(path);
	if (fd < 0)
		return lkst_err_sys(e, -errno, "opening %s in " BPFFS "/lkst", name);
	return fd;
}

int lkst_pins_each(struct lkst_err *e, int (*each)(void *ctx, const char *name), void *ctx)
{
	DIR *dir = opendir(first_path(PIN_DIR).text);
	struct dirent *d;
	int err = 0;

	if (!dir)
		return errno == ENOENT ? 0 : lkst_err_sys(e, -errno, BPFFS "/lkst");
	while (!err && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			err = each(ctx, d->d_name);
	closedir(dir);
	return err;
}

int lkst_pins_drop(struct lkst_err *e, const char *name)
{
	char path[LKST_PIN_PATH_MAX];

	lkst_pins_path(name, path, sizeof(path));
	return unlink(path) && errno != ENOENT
		       ? lkst_err_sys(e, -errno, "removing %s from " BPFFS "/lkst", name)
		       : 0;
}

static int remove_pin(void *ctx, const char *name)
{
	return lkst_pins_drop(ctx, name);
}

/* True if the file system on BPFFS is one that we mounted. */
static bool is_our_mount(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/1/mounts", "re");
	char line[1024];
	bool ours = false;

	/* The last line for a path is the one on top. */
	while (f && fgets(line, sizeof(line), f)) {
		char *source = strtok(line, " "), *target = strtok(NULL, " ");

		if (source && target && !strcmp(target, BPFFS))
			ours = !strcmp(source, MOUNT_SOURCE);
	}
	return ours;
}

static bool is_bpffs_empty(void)
{
	DIR *dir = opendir(first_path(BPFFS).text);
	struct dirent *d;
	bool empty = true;

	while (dir && (d = readdir(dir)))
		/* The kernel preloads these two into each instance (kernel/bpf/preload). */
		if (d->d_name[0] != '.' && strcmp(d->d_name, "maps.debug") &&
		    strcmp(d->d_name, "progs.debug"))
			empty = false;
	if (dir)
		closedir(dir);
	return empty;
}

int lkst_pins_remove(struct lkst_err *e)
{
	int err;

	err = lkst_pins_each(e, remove_pin, e);
	if (err)
		return err;
	if (rmdir(first_path(PIN_DIR).text) && errno != ENOENT)
		return lkst_err_sys(e, -errno, "removing " BPFFS "/lkst");
	if (is_our_mount() && is_bpffs_empty()) {
		err = in_first_namespace(unmount_bpffs);
		if (err && err != -EBUSY)
			return lkst_err_sys(e, err, "unmounting " BPFFS);
	}
	return 0;
}
