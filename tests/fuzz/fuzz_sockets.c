/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the kernel's tables of sockets: anybody may bind a Unix socket to a path of any bytes. The first byte
 * says which table it is; each line gives at most one name, of limited length.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "lib/printed.h"
#include "live/state/state_descriptors.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { NAME_MAX_BYTES = 160 };

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	_cleanup_free_ char *text = size ? strndup((const char *)data + 1, size - 1) : NULL;
	struct lkst_socket_list l = {};
	const unsigned int table = size ? data[0] % (LKST_SOCKET_TABLE_UNIX + 1) : 0;
	char *line, *at = text;
	unsigned long inode;
	u32 nr;

	while (at && (line = strsep(&at, "\n"))) {
		nr = l.by_inode.nr;
		if (lkst_socket_list_add(&l, table, line) || l.by_inode.nr > nr + 1)
			abort();
	}
	for (inode = 0; inode < 1000; inode++) {
		const char *name = lkst_socket_list_find(&l, inode);

		if (name && (strncmp(name, "socket ", 7) || strlen(name) > NAME_MAX_BYTES))
			abort();
		if (name)
			printed_name(name, strlen(name));
	}
	lkst_socket_list_fini(&l);
	return 0;
}
