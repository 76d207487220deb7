/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/expected.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/make_trace.h"

char *squeezed_json(const char *json)
{
	char *squeezed = malloc(strlen(json) + 1), *to = squeezed;
	bool is_in_string = false;

	if (!squeezed)
		abort();
	for (; *json; json++) {
		if (!is_in_string && isspace((unsigned char)*json))
			continue;
		if (*json == '"')
			is_in_string = !is_in_string;
		else if (*json == '\\' && json[1])
			*to++ = *json++;
		*to++ = *json;
	}
	*to = 0;
	return squeezed;
}

char *expected_json(const char *name)
{
	size_t length;
	char *text = make_read("tests/data", name, &length), *squeezed = squeezed_json(text);

	free(text);
	return squeezed;
}
