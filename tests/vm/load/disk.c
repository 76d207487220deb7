// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the kernel wait for disks, and swap, in a guest of tests/vm/run, and prints what the records must
 * hold (as tests/vm/load/functions.c does). A line "major ADDRESS" is a fault that needed a disk.
 *
 * The first disk takes 50 ms for each request once it has had some, so that it is still at work on one
 * when the same thread asks for more.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/falloc.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { PAGE = 4096, WARM_UP = 8, SWAP_PAGES = 1024 };

static void must(int condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	exit(1);
}

/* The path of the disk whose serial number is @serial, or NULL. */
static const char *find_disk(const char *serial, char *path, size_t size)
{
	DIR *dir = opendir("/sys/block");
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		char text[300], got[32] = "";
		FILE *f;

		snprintf(text, sizeof(text), "/sys/block/%s/device/serial", d->d_name);
		f = fopen(text, "r");
		if (f && fgets(got, sizeof(got), f) && !strncmp(got, serial, strlen(serial))) {
			snprintf(path, size, "/dev/%s", d->d_name);
			return path;
		}
	}
	return NULL;
}

/* The page frame that @address is in (Documentation/admin-guide/mm/pagemap.rst). */
static uint64_t frame_of(const void *address)
{
	uint64_t entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	must(fd >= 0 && pread(fd, &entry, 8, (uintptr_t)address / PAGE * 8) == 8, "pagemap");
	close(fd);
	return entry & ((1ULL << 55) - 1);
}

/* How the kernel keeps the number of @path's device. */
static unsigned int device_of(const char *path)
{
	struct stat st;

	must(!stat(path, &st), path);
	return major(st.st_rdev) << 20 | minor(st.st_rdev);
}

/* How often this thread has given its CPU up. */
static long sleeps(void)
{
	struct rusage usage;

	must(!getrusage(RUSAGE_THREAD, &usage), "getrusage");
	return usage.ru_nvcsw;
}

/* Writes the page at @at, and waits until it is on the disk. Whether there was still something to wait for. */
static int wait_for_page(int fd, off_t at)
{
	long before;

	must(pwrite(fd, "x", 1, at) == 1, "pwrite");
	must(!sync_file_range(fd, at, PAGE, SYNC_FILE_RANGE_WRITE), "sync_file_range");
	before = sleeps();
	must(!sync_file_range(fd, at, PAGE, SYNC_FILE_RANGE_WAIT_AFTER), "sync_file_range");
	return sleeps() != before;
}

static void wait_for_pages(const char *path)
{
	int fd = open(path, O_RDWR), i;
	char *map, byte = 1;

	must(fd >= 0, path);
	map = mmap(NULL, 4096 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	must(map != MAP_FAILED && !madvise(map, 4096 * PAGE, MADV_RANDOM), "mmap");

	byte = *(volatile char *)(map + 7 * PAGE);
	printf("page_fault_user@major \"address\":%lu \"error_code\":4\n",
	       (unsigned long)map + 7 * PAGE);
	printf("major %lu\n", (unsigned long)map + 7 * PAGE);

	for (i = 0; i < WARM_UP; i++)
		must(!readahead(fd, (100 + 64 * i) * PAGE, PAGE), "readahead");
	must(!readahead(fd, 1000 * PAGE, PAGE), "readahead");
	/* What is being read is locked, and must be had before it can be taken away with its neighbours. */
	must(!fallocate(fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 999 * PAGE, 3 * PAGE),
	     "fallocate");
	printf("folio_lock\n");

	/* On a busy host the disk may be done before this thread comes to wait: then with another page. */
	for (i = 1001; i < 1100 && !wait_for_page(fd, (off_t)i * PAGE); i++)
		;
	byte = *(volatile char *)(map + i * PAGE);
	printf("folio_wait_bit \"pfn\":%llu\n", (unsigned long long)frame_of(map + i * PAGE));
	(void)byte;
	close(fd);
}

/* A file system that is not there: its superblock would be at 1 KiB, in blocks of that size. */
static void wait_for_buffer(const char *path)
{
	const int fd = open(path, O_RDONLY);
	unsigned int i;

	/* On a machine that is busy the disk may be done before the wait begins: then it is read once more. */
	must(fd >= 0, path);
	for (i = 0; i < 10; i++) {
		must(mount(path, "/tmp", "ext4", MS_RDONLY, NULL) < 0, "mount did not fail");
		must(!ioctl(fd, BLKFLSBUF, 0), "BLKFLSBUF");
	}
	close(fd);
	printf("wait_on_buffer \"block\":1 \"dev\":%u\n", device_of(path));
}

/* The header that mkswap(8) writes (include/linux/swap.h, union swap_header). */
static void make_swap(const char *path)
{
	struct {
		char boot[1024];
		uint32_t version, last_page, nr_bad;
		char rest[PAGE - 1024 - 12 - 10];
		char magic[10];
	} __attribute__((packed))
	header = { .version = 1,
		   .last_page = SWAP_PAGES - 1,
		   .magic = { 'S', 'W', 'A', 'P', 'S', 'P', 'A', 'C', 'E', '2' } };
	int fd = open(path, O_WRONLY);

	must(fd >= 0 && write(fd, &header, PAGE) == PAGE && !fsync(fd), path);
	close(fd);
}

static void swap(const char *path)
{
	char *map =
		mmap(NULL, 64 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long frame;

	must(map != MAP_FAILED, "mmap");
	madvise(map, 64 * PAGE, MADV_NOHUGEPAGE); /* a kernel without huge pages refuses it */
	make_swap(path);
	must(!swapon(path, 0), "swapon");
	memset(map, 1, 64 * PAGE);
	frame = frame_of(map + 32 * PAGE);
	must(!madvise(map, 64 * PAGE, MADV_PAGEOUT), "madvise");
	printf("mm_vmscan_write_folio \"pfn\":%lu \"is_anon\":1\n", frame);
	must(*(volatile char *)(map + 32 * PAGE + 8) == 1, "swapped page");
	printf("do_swap_page \"address\":%lu\n", (unsigned long)map + 32 * PAGE);
	must(!swapoff(path), "swapoff");
}

int main(void)
{
	char slow[300], fast[300];

	printf("tid %d\n", getpid());
	must(find_disk("slow", slow, sizeof(slow)) && find_disk("fast", fast, sizeof(fast)),
	     "disks");
	wait_for_pages(slow);
	wait_for_buffer(slow);
	swap(fast);
	return 0;
}
