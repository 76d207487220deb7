/* SPDX-License-Identifier: GPL-2.0-only */
#include "print/xml_text.h"

#include "base/out.h"

void lkst_put_xml(struct lkst_out *out, const char *text, size_t length)
{
	const char *end = text + length;

	for (; text < end; text++)
		switch (*text) {
		case '&':
			lkst_out_str(out, "&amp;");
			break;
		case '<':
			lkst_out_str(out, "&lt;");
			break;
		case '>':
			lkst_out_str(out, "&gt;");
			break;
		case '"':
			lkst_out_str(out, "&quot;");
			break;
		default:
			lkst_out_bytes(out, text, 1);
		}
}
