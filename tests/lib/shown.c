/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/shown.h"

char shown[4096];

int put(const char *format, ...)
{
	size_t used = strlen(shown);
	va_list args;

	va_start(args, format);
	vsnprintf(shown + used, sizeof(shown) - used, format, args);
	va_end(args);
	return 0;
}
