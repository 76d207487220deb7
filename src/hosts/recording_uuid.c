/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds the uuid in the beginning of metadata. */
#include "hosts/recording_uuid.h"

#include <string.h>

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool lkst_recording_uuid(const char *text, u8 ret_uuid[16])
{
	static const char before[] = "uuid = \"";
	const char *p = strstr(text, before);
	unsigned int i;

	if (!p)
		return false;
	p += strlen(before);
	for (i = 0; i < 16; i++, p += 2) {
		p += *p == '-';
		if (digit(p[0]) < 0 || digit(p[1]) < 0)
			return false;
		ret_uuid[i] = (u8)(digit(p[0]) << 4 | digit(p[1]));
	}
	return *p == '"';
}
