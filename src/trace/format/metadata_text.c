/* SPDX-License-Identifier: GPL-2.0-only */
/* Strings and UUIDs in metadata. */
#include "trace/format/metadata_text.h"

void lkst_tsdl_put_quoted(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else if (*text < ' ' || *text > '~')
			fprintf(f, "\\%03o", (u8)*text);
		else
			fputc(*text, f);
	}
	fputc('"', f);
}

void lkst_tsdl_put_uuid(FILE *f, const u8 uuid[16])
{
	u32 i;

	for (i = 0; i < 16; i++)
		fprintf(f, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

void lkst_tsdl_put_env(FILE *f, const char *name, const char *value)
{
	fprintf(f, "\t%s = ", name);
	lkst_tsdl_put_quoted(f, value);
	fputs(";\n", f);
}
