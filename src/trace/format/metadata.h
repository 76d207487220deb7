/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The catalogue as CTF 1.8 metadata (TSDL text): written when a trace is made, parsed when it is
 * read. The parser takes the subset of TSDL that the writer produces, trusts none of it, and
 * names the line of what it does not take.
 */
#ifndef LKST_TRACE_FORMAT_METADATA_H
#define LKST_TRACE_FORMAT_METADATA_H

#include "trace/format/catalog.h"

/* The metadata text, NUL-terminated, malloc'ed; the caller frees it. */
int lkst_metadata_format(struct lkst_err *e, const struct lkst_catalog *c, char **ret_text);

/* Parses @length bytes at @text. *@ret_catalog is the caller's. */
int lkst_metadata_parse(struct lkst_err *e, const char *text, size_t length,
			struct lkst_catalog **ret_catalog);

#endif
