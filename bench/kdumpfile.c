/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rival of lkst extract: reads every page of a dump with libkdumpfile, and looks at its first
 * bytes.
 *
 *	kdumpfile DUMP		prints: pages read, pages that look like LKST's
 */
#include <fcntl.h>
#include <libkdumpfile/kdumpfile.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 4096 };

int main(int argc, char **argv)
{
	static const uint32_t magics[] = { 0xC1FC1FC1, 0x54534b4c, 0x4e54534b };
	kdump_ctx_t *ctx = kdump_new();
	kdump_num_t max_pfn = 0;
	uint64_t pfn, read = 0, ours = 0;
	int fd;

	if (argc != 2 || !ctx || (fd = open(argv[1], O_RDONLY)) < 0) {
		fprintf(stderr, "usage: kdumpfile DUMP\n");
		return 2;
	}
	if (kdump_open_fd(ctx, fd) != KDUMP_OK ||
	    kdump_get_number_attr(ctx, "max_pfn", &max_pfn) != KDUMP_OK) {
		fprintf(stderr, "%s: %s\n", argv[1], kdump_get_err(ctx));
		return 1;
	}
	for (pfn = 0; pfn < max_pfn; pfn++) {
		unsigned char page[PAGE];
		size_t length = PAGE;
		uint32_t word;

		if (kdump_read(ctx, KDUMP_MACHPHYSADDR, pfn * PAGE, page, &length) != KDUMP_OK)
			continue;
		memcpy(&word, page, sizeof(word));
		read++;
		ours += word == magics[0] || word == magics[1] || word == magics[2];
	}
	printf("%llu %llu\n", (unsigned long long)read, (unsigned long long)ours);
	return 0;
}
