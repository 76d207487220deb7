// SPDX-License-Identifier: GPL-2.0-only
/*
 * A disk that takes 10 ms for each request, one after the other: a loop device on a file of a FUSE file
 * system that this program serves. Three threads and then a fourth read from it at once; the line that
 * is printed (waits.h) says how long the fourth waited, and which server was slow:
 *
 *	truth disk tid=N from=NS to=NS call=pread64 disk=NAME dev=MAJOR:MINOR ahead=3 server=N delay=NS
 *
 * Nothing is left, however the program ends: the file system is detached as soon as its file is
 * open, and the kernel gives the loop device back with its last user.
 */
#include <fcntl.h>
#include <linux/fuse.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include "waits.h"

enum {
	DISK_BYTES = 4 << 20,
	READ_BYTES = 4096,
	BUFFER_BYTES = 1 << 20,
	NR_OTHERS = 3,
	ROOT = 1, /* inodes */
	DISK = 2,
};

static const ns_t delay_ns = 10 * MS;

/* ---- the file system ----------------------------------------------------------------------- */

static int server_tid, fuse_fd;

static void reply(const struct fuse_in_header *in, int error, const void *body, size_t length)
{
	struct fuse_out_header out = { .len = (unsigned int)(sizeof(out) + length),
				       .error = -error,
				       .unique = in->unique };
	struct iovec parts[2] = { { &out, sizeof(out) }, { (void *)body, length } };

	if (writev(fuse_fd, parts, length ? 2 : 1) < 0 && errno != ENOENT)
		must(-1, "answering for the file system");
}

static struct fuse_attr attr_of(ns_t inode)
{
	struct fuse_attr a = { .ino = inode, .nlink = 1, .blksize = READ_BYTES };

	a.mode = inode == ROOT ? S_IFDIR | 0700 : S_IFREG | 0600;
	a.size = inode == ROOT ? 0 : DISK_BYTES;
	return a;
}

static void serve(const struct fuse_in_header *in, const void *body)
{
	static const char zeros[BUFFER_BYTES];
	const struct fuse_init_in *init = body;
	const struct fuse_read_in *options = body;
	struct fuse_init_out init_out = { .major = FUSE_KERNEL_VERSION,
					  .minor = 31,
					  .max_write = 65536 };
	struct fuse_attr_out attr_out = { .attr_valid = 3600, .attr = attr_of(in->nodeid) };
	struct fuse_entry_out entry = {
		.nodeid = DISK, .entry_valid = 3600, .attr_valid = 3600, .attr = attr_of(DISK)
	};
	struct fuse_open_out open_out = { .open_flags = FOPEN_DIRECT_IO };

	switch (in->opcode) {
	case FUSE_INIT:
		init_out.max_readahead = init->max_readahead;
		return reply(in, 0, &init_out, sizeof(init_out));
	case FUSE_GETATTR:
		return reply(in, 0, &attr_out, sizeof(attr_out));
	case FUSE_LOOKUP:
		return reply(in, 0, &entry, sizeof(entry));
	case FUSE_OPEN:
		return reply(in, 0, &open_out, sizeof(open_out));
	case FUSE_READ:
		sleep_ns(delay_ns);
		return reply(in, 0, zeros,
			     options->size < sizeof(zeros) ? options->size : sizeof(zeros));
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_FSYNC:
		return reply(in, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		return;
	default:
		return reply(in, ENOSYS, NULL, 0);
	}
}

static void *run_server(void *arg)
{
	static char buffer[BUFFER_BYTES];
	ssize_t length;

	server_tid = own_tid();
	for (;;) {
		length = read(fuse_fd, buffer, sizeof(buffer));
		if (length >= (ssize_t)sizeof(struct fuse_in_header))
			serve((const struct fuse_in_header *)buffer,
			      buffer + sizeof(struct fuse_in_header));
		else if (errno != EINTR && errno != ENOENT)
			return arg;
	}
}

/* The file of the file system, which has no name any more. */
static int open_file(void)
{
	char dir[] = "/tmp/lkst-slowdisk-XXXXXX", options[128], path[64];
	int fd;

	fuse_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	must(fuse_fd < 0 ? -1 : 0, "opening /dev/fuse");
	must(mkdtemp(dir) ? 0 : -1, "making a directory");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse_fd);
	must(mount("slowdisk", dir, "fuse", MS_NOSUID | MS_NODEV, options), "mounting");
	begin(run_server, NULL);
	snprintf(path, sizeof(path), "%s/disk", dir);
	fd = open(path, O_RDWR | O_CLOEXEC);
	umount2(dir, MNT_DETACH);
	rmdir(dir);
	must(fd < 0 ? -1 : 0, "opening the file");
	return fd;
}

/* ---- the disk ------------------------------------------------------------------------------ */

/* Opens a loop device on file @fd, past the page cache. */
static int open_disk(int fd, char path[64])
{
	struct loop_config config = { .fd = (unsigned int)fd, .block_size = READ_BYTES };
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC), number, disk;

	config.info.lo_flags = LO_FLAGS_AUTOCLEAR | LO_FLAGS_READ_ONLY;
	must(control < 0 ? -1 : 0, "opening /dev/loop-control");
	for (;;) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		must(number < 0 ? -1 : 0, "looking for a free loop device");
		snprintf(path, 64, "/dev/loop%d", number);
		disk = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
		must(disk < 0 ? -1 : 0, path);
		if (!ioctl(disk, LOOP_CONFIGURE, &config))
			break;
		/* Somebody was faster. */
		must(errno == EBUSY ? 0 : -1, "configuring a loop device");
		close(disk);
	}
	close(control);
	return disk;
}

static int disk_fd;

static void read_at(int i)
{
	void *buffer = NULL;

	must(posix_memalign(&buffer, READ_BYTES, READ_BYTES), "allocating");
	/* Far from each other, so that requests are not merged. */
	must(pread(disk_fd, buffer, READ_BYTES, (off_t)i << 18) == READ_BYTES ? 0 : -1,
	     "reading from the disk");
	free(buffer);
}

static void *read_once(void *arg)
{
	read_at(*(int *)arg);
	return NULL;
}

int main(void)
{
	static int numbers[NR_OTHERS] = { 1, 2, 3 };
	pthread_t threads[NR_OTHERS];
	char path[64];
	struct stat st;
	ns_t from, to;
	int fd, i;

	/* Whatever else the machine does, these threads run when they can. */
	be_realtime(10);
	fd = open_file();
	disk_fd = open_disk(fd, path);
	must(fstat(disk_fd, &st), "asking for the disk's number");
	for (i = 0; i < NR_OTHERS; i++) {
		threads[i] = begin(read_once, &numbers[i]);
		sleep_ns(MS);
	}
	from = now_ns();
	read_at(NR_OTHERS + 1);
	to = now_ns();
	for (i = 0; i < NR_OTHERS; i++)
		pthread_join(threads[i], NULL);
	printf("truth disk tid=%d from=%llu to=%llu call=pread64 disk=%s dev=%u:%u ahead=%d "
	       "server=%d delay=%llu\n",
	       own_tid(), from, to, path + strlen("/dev/"), major(st.st_rdev), minor(st.st_rdev),
	       NR_OTHERS, server_tid, delay_ns);
	fflush(stdout);
	close(disk_fd);
	close(fd);
	return 0;
}
