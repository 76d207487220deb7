/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where the debug information of a file is: below /usr/lib/debug by build-id, or beside it by the name in
 * .gnu_debuglink, as GDB looks for it ("Debugging Information in Separate Files"). Nothing is fetched from a network.
 */
#ifndef LKST_PROBE_DEBUGINFO_DEBUG_FILE_H
#define LKST_PROBE_DEBUGINFO_DEBUG_FILE_H

#include <stdbool.h>

#include "abi/types.h"

/* Opens the debug file with @build_id, in hex. -1: there is none. */
int lkst_debug_file_by_id(const char *build_id, char **ret_path);

/* Opens the debug file that @path names by its link @link with checksum @crc. -1: there is none. */
int lkst_debug_file_by_link(const char *path, const char *link, u32 crc, const char *build_id,
			    char **ret_path);

/* Opens the vmlinux of kernel release @release, or the .ko.debug of its module @module if that is not NULL; -1. */
int lkst_debug_file_of_kernel(const char *release, const char *module, const char *build_id,
			      char **ret_path);

/* Whether the file @path has @build_id, in hex. */
bool lkst_debug_file_has_id(const char *path, const char *build_id);

#endif
