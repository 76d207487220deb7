/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the kernel's array of page structures begins. */
#include "live/kernel/page_base.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/types.h"
#include "base/cleanup.h"

/* The page frame of the page at @address of this process, 0 if the kernel does not show it. */
static u64 page_frame(const volatile char *address)
{
	const u64 is_present = 1ULL << 63,
		  frame = (1ULL << 55) - 1; /* admin-guide/mm/pagemap.rst */
	_cleanup_close_ int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	off_t at = (uintptr_t)address / sysconf(_SC_PAGESIZE) * sizeof(u64);
	u64 entry;

	(void)*address; /* the page must be mapped to be listed */
	if (fd < 0 || pread(fd, &entry, sizeof(entry), at) != sizeof(entry) ||
	    !(entry & is_present))
		return 0;
	return entry & frame;
}

int lkst_page_find_base(struct lkst_err *e, int prog_fd, int sample_fd)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct {
		u64 pfn;
	} sample;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &sample, .ctx_size_in = sizeof(sample));
	void *page = mmap(NULL, size, PROT_READ, MAP_SHARED, sample_fd, 0);
	int err;

	if (page == MAP_FAILED)
		return lkst_err_sys(e, -errno, "mapping a sample of kernel memory");
	sample.pfn = page_frame(page);
	munmap(page, size);
	if (!sample.pfn)
		return lkst_err_set(e, -EPERM, "/proc/self/pagemap does not show page frames");
	err = bpf_prog_test_run_opts(prog_fd, &opts);
	if (err)
		return lkst_err_sys(e, err, "running the program that finds page frames");
	if (opts.retval)
		return lkst_err_set(e, -ENOTSUP,
				    "this kernel keeps its page structures another way");
	return 0;
}
