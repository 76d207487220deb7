/* SPDX-License-Identifier: GPL-2.0-only */
/* Where a recording lives once the command that started it is gone. */
#include "live/hooks/pins.h"

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
#include "base/create.h"
#include "base/out.h"

#define BPFFS "/sys/fs/bpf"
#define PIN_DIR BPFFS "/lkst"
/* Only root can open it, so nobody else can hold the lock. It stays: removing it would race. */
#define LOCK_FILE "/run/lkst.lock"
/* What /proc/mounts shows as the source of a file system that we mounted. */
#define MOUNT_SOURCE "lkst"
#define FIRST_ROOT "/proc/1/root"

/*
 * The prefix that makes a path one of the first process: a command may run in a mount namespace of its
 * own, and what it mounts there would vanish with it. "" where the two namespaces are the same, or where
 * this process may not look into that of the first one.
 */
static const char *first_root(void)
{
	struct stat own, first;

	if (stat("/proc/self/ns/mnt", &own) || stat("/proc/1/ns/mnt", &first) ||
	    own.st_ino == first.st_ino)
		return "";
	return FIRST_ROOT;
}

/* The path @path in the first process's mount namespace. */
struct pins_path {
	char text[LKST_PIN_PATH_MAX];
};

static struct pins_path first_path(const char *path)
{
	struct pins_path p;

	snprintf(p.text, sizeof(p.text), "%s%s", first_root(), path);
	return p;
}

int lkst_pins_open_lock(struct lkst_err *e)
{
	int fd, err;

	if (geteuid())
		return lkst_err_set(e, -EPERM,
				    "recording the kernel needs root; try again with sudo");
	err = lkst_create_lock(e, first_path(LOCK_FILE).text, &fd);
	if (err == -ENOENT)
		return lkst_err_set(
			e, -ENOENT,
			"there is no directory /run for the lock that commands take turns by; "
			"make it, or mount a tmpfs on it");
	if (err)
		lkst_err_add(e, "lock file");
	return err ?: fd;
}

/* The first words of this process's command line, "lkst snapshot". */
static void describe_self(char *text, size_t size)
{
	_cleanup_close_ int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	char line[256] = "", *name, *verb;
	ssize_t length = fd < 0 ? 0 : read(fd, line, sizeof(line) - 2);

	/* Each word ends with a NUL. */
	verb = line + strlen(line) + 1;
	name = strrchr(line, '/');
	name = name ? name + 1 : line;
	if (length <= 0)
		snprintf(text, size, "lkst");
	else
		snprintf(text, size, "%.24s%s%.24s", name, *verb ? " " : "", verb);
}

/* Writes who holds the lock into its file, for those who wait: a line "PID COMMAND". A failure does not matter. */
static void pins_sign(int fd)
{
	char command[LKST_PINS_HOLDER / 2], line[LKST_PINS_HOLDER];
	int length;

	describe_self(command, sizeof(command));
	length = snprintf(line, sizeof(line), "%d %s\n", (int)getpid(), command);
	if (pwrite(fd, line, (size_t)length, 0) == length && ftruncate(fd, length))
		return;
}

static int take_lock(struct lkst_err *e, int fd, int how)
{
	while (flock(fd, how)) {
		if (errno == EWOULDBLOCK)
			return -EAGAIN;
		if (errno != EINTR)
			return lkst_err_sys(e, -errno, "lock file /run/lkst.lock");
	}
	pins_sign(fd);
	return 0;
}

int lkst_pins_try_lock(struct lkst_err *e, int fd, bool is_shared)
{
	return take_lock(e, fd, (is_shared ? LOCK_SH : LOCK_EX) | LOCK_NB);
}

int lkst_pins_wait_lock(struct lkst_err *e, int fd)
{
	return take_lock(e, fd, LOCK_EX);
}

void lkst_pins_holder(int fd, char text[LKST_PINS_HOLDER])
{
	char line[LKST_PINS_HOLDER] = "", command[LKST_PINS_HOLDER / 2] = "", *end;
	char escaped[4 * LKST_PINS_HOLDER];
	ssize_t length = pread(fd, line, sizeof(line) - 1, 0);
	int pid;

	line[length < 0 ? 0 : length] = 0;
	if (sscanf(line, "%d %63[^\n]", &pid, command) != 2) {
		snprintf(text, LKST_PINS_HOLDER, "another command");
		return;
	}
	/* A command line may hold anything. */
	end = lkst_put_escaped(escaped, command, strlen(command), "'");
	*end = 0;
	snprintf(text, LKST_PINS_HOLDER, "'%.80s' (pid %d)", escaped, pid);
}

int lkst_pins_lock(struct lkst_err *e)
{
	_cleanup_close_ int fd = lkst_pins_open_lock(e);
	int err = fd < 0 ? fd : lkst_pins_wait_lock(e, fd);

	return err ?: lkst_take_fd(fd);
}

/*
 * Claims are bytes of the lock file, far beyond its end: other locks than the one that commands take turns by
 * (fcntl(2), open file description locks, which end with their process).
 */
static const off_t HELPER_BYTES, READINGS_BYTES = (off_t)1 << 61, INCIDENT_BYTES = (off_t)1 << 62;

static struct flock claim_of(off_t first, u64 number)
{
	return (struct flock){
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = first + (off_t)(number & (((u64)1 << 61) - 1)),
		.l_len = 1,
	};
}

/* -EBUSY, with text @who: another process has claimed that. */
static int pins_claim(struct lkst_err *e, struct flock lock, const char *who)
{
	_cleanup_close_ int fd = lkst_pins_open_lock(e);

	if (fd < 0)
		return fd;
	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return lkst_take_fd(fd);
	if (errno == EAGAIN || errno == EACCES)
		return lkst_err_set(e, -EBUSY, "%s", who);
	return lkst_err_sys(e, -errno, "lock file /run/lkst.lock");
}

int lkst_pins_claim(struct lkst_err *e, u64 identity)
{
	return pins_claim(e, claim_of(HELPER_BYTES, identity), "the recording has a helper already");
}

bool lkst_pins_is_claimed(u64 identity)
{
	_cleanup_close_ int fd = lkst_pins_open_lock(NULL);
	struct flock lock = claim_of(HELPER_BYTES, identity);

	return fd >= 0 && !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type != F_UNLCK;
}

int lkst_pins_claim_readings(u64 identity)
{
	return pins_claim(NULL, claim_of(READINGS_BYTES, identity), "another command is reading them");
}

int lkst_pins_claim_incident(struct lkst_err *e, u32 number)
{
	int fd = pins_claim(e, claim_of(INCIDENT_BYTES, number),
			    "another command is saving or dropping it");

	if (fd < 0)
		lkst_err_add(e, "incident %u", number);
	return fd;
}

static bool is_bpffs(void)
{
	struct statfs fs;

	return !statfs(first_path(BPFFS).text, &fs) && fs.f_type == BPF_FS_MAGIC;
}

/* Runs @change in the first process's mount namespace, in a child, since a process that has joined it stays there. */
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
	_cleanup_close_ int fd = -1;
	int err;

	if (!is_bpffs()) {
		err = in_first_namespace(mount_bpffs);
		if (err)
			return lkst_err_sys(e, err, "mounting the BPF file system on " BPFFS);
	}
	return lkst_create_dir(e, NULL, AT_FDCWD, first_path(PIN_DIR).text, &fd);
}

bool lkst_pins_exist(void)
{
	return !access(first_path(PIN_DIR).text, F_OK);
}

void lkst_pins_path(const char *name, char *path, size_t size)
{
	snprintf(path, size, "%s%s/%s", first_root(), PIN_DIR, name);
}

int lkst_pins_put(struct lkst_err *e, struct lkst_own_pins *own, int fd, const char *name)
{
	char path[LKST_PIN_PATH_MAX];
	int err;

	if (own) {
		err = lkst_own_pins_put(own, fd, name);
		return err ? lkst_err_sys(e, err, "keeping %s", name) : 0;
	}
	lkst_pins_path(name, path, sizeof(path));
	if (bpf_obj_pin(fd, path))
		return lkst_err_sys(e, -errno, "pinning %s in " BPFFS "/lkst", name);
	return 0;
}

int lkst_pins_get(struct lkst_err *e, const struct lkst_own_pins *own, const char *name)
{
	char path[LKST_PIN_PATH_MAX];
	int fd;

	if (own) {
		fd = lkst_own_pins_get(own, name);
		return fd < 0 ? lkst_err_sys(e, fd, "opening %s", name) : fd;
	}
	lkst_pins_path(name, path, sizeof(path));
	fd = bpf_obj_get(path);
	if (fd < 0)
		return lkst_err_sys(e, -errno, "opening %s in " BPFFS "/lkst", name);
	return fd;
}

int lkst_pins_each(struct lkst_err *e, struct lkst_own_pins *own, lkst_pin_fn *each, void *ctx)
{
	struct dirent *d;
	int err = 0;
	DIR *dir;

	if (own)
		return lkst_own_pins_each(e, own, each, ctx);
	dir = opendir(first_path(PIN_DIR).text);
	if (!dir)
		return errno == ENOENT ? 0 : lkst_err_sys(e, -errno, BPFFS "/lkst");
	while (!err && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			err = each(e, NULL, ctx, d->d_name);
	closedir(dir);
	return err;
}

int lkst_pins_drop(struct lkst_err *e, struct lkst_own_pins *own, const char *name)
{
	char path[LKST_PIN_PATH_MAX];

	if (own) {
		lkst_own_pins_drop(own, name);
		return 0;
	}
	lkst_pins_path(name, path, sizeof(path));
	return unlink(path) && errno != ENOENT
		       ? lkst_err_sys(e, -errno, "removing %s from " BPFFS "/lkst", name)
		       : 0;
}

static int remove_pin(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *name)
{
	return lkst_pins_drop(e, own, name);
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
	int err = lkst_pins_each(e, NULL, remove_pin, NULL);

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
