/* SPDX-License-Identifier: GPL-2.0-only */
/* Words of TSDL, the language of CTF 1.8 metadata, that all writers of metadata need. */
#ifndef LKST_TRACE_FORMAT_METADATA_TEXT_H
#define LKST_TRACE_FORMAT_METADATA_TEXT_H

#include <stdio.h>

#include "abi/types.h"

/* Writes @text in quotes; what is not plain ASCII as three octal digits. */
void lkst_tsdl_put_quoted(FILE *f, const char *text);

/* Writes the line of @name in the environment, whose value is the text @value. */
void lkst_tsdl_put_env(FILE *f, const char *name, const char *value);

/* Writes a UUID as digits, without quotes. */
void lkst_tsdl_put_uuid(FILE *f, const u8 uuid[16]);

#endif
