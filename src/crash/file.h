/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A dump's bytes: a file that is mapped where that works and read where it does not, with
 * makedumpfile's flattened order undone. It knows nothing of what the bytes mean.
 */
#ifndef LKST_CRASH_FILE_H
#define LKST_CRASH_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "base/err.h"

/* A piece of a flattened file: @length bytes that belong at @offset are at @at. */
struct lkst_chunk {
	u64 offset, length, at;
};

struct lkst_file {
	int fd;
	u64 size;	/* bytes that there are; of a flattened file, where the last one belongs */
	u64 file_size;	/* of the file itself */
	const u8 *map;	/* NULL: the file has to be read, or mapped piece by piece */
	bool is_memory; /* a file of /proc, which is not mapped as a whole */

	/* Of a flattened file, in order of offset, none over another; NULL: it is as it is. */
	struct lkst_chunk *chunks;
	size_t nr_chunks;
	bool is_cut; /* a flattened file without its end mark */
};

/*
 * Opens the file, block device or device DAX @path. A file that another process shortens while it is mapped
 * ends this one (SIGBUS).
 */
int lkst_file_open(struct lkst_err *e, const char *path, struct lkst_file *ret_file);
void lkst_file_close(struct lkst_file *f);

/*
 * @length bytes at @offset, in the map or copied to @scratch, which has room for them; NULL if not
 * all of them are there. Any number of threads may call it.
 */
const u8 *lkst_file_at(const struct lkst_file *f, u64 offset, size_t length, void *scratch);

/*
 * The same for a long stretch, which it may map instead of copying it: lkst_mapping_close() ends that, also if
 * nothing came of it.
 */
struct lkst_mapping {
	void *map;
	size_t length;
};
const u8 *lkst_file_window(const struct lkst_file *f, u64 offset, size_t length, void *scratch,
			   struct lkst_mapping *ret_window);
void lkst_mapping_close(struct lkst_mapping *w);

/*
 * Where the data at or after @offset begins, holes of a sparse file and gaps of a flattened one skipped;
 * the size: nowhere.
 */
u64 lkst_file_data(const struct lkst_file *f, u64 offset);

/* Where the data that @offset lies in ends, or some place after @limit. */
u64 lkst_file_hole(const struct lkst_file *f, u64 offset, u64 limit);

/* Makes the index of a flattened file; does nothing if it is none. */
int lkst_flat_index(struct lkst_err *e, struct lkst_file *f);

#endif
