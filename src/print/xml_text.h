/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts in XML, such as pictures in SVG. */
#ifndef LKST_PRINT_XML_TEXT_H
#define LKST_PRINT_XML_TEXT_H

#include <stddef.h>

struct lkst_out;

/*
 * Writes @length bytes of @text, which has no control characters, but for what XML takes for its own:
 * https://www.w3.org/TR/xml/#syntax
 */
void lkst_put_xml(struct lkst_out *out, const char *text, size_t length);

#endif
