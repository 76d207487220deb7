/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of names of C++: a symbol of any file, and below it what a person writes for a function. The first line
 * is the symbol. What is made of it is a text of limited length, without its parameters, and means it again.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "lib/printed.h"
#include "probe/debuginfo/cpp_name.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	_cleanup_free_ char *symbol = strndup((const char *)data, size);
	char text[LKST_CPP_NAME], *written;

	if (!symbol)
		abort();
	written = strchr(symbol, '\n');
	if (written)
		*written++ = '\0';
	memset(text, 'x', sizeof(text));
	if (lkst_cpp_name(symbol, text)) {
		if (strnlen(text, sizeof(text)) == sizeof(text) || !lkst_cpp_means(text, symbol))
			abort();
		printed_name(text, strlen(text));
	} else if (text[0] != 'x' || text[sizeof(text) - 1] != 'x') {
		abort();
	}
	if (written && lkst_cpp_is_written(written))
		lkst_cpp_means(written, symbol);
	return 0;
}
