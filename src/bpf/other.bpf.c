// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel says: its messages and the reports of its debugging aids.
 */
#include "bpf/record.h"
#include "bpf/string.h"

LKST_STRING_SCRATCH(console_text);

/* The text has no NUL behind its @length characters, but may have one within. */
SEC("tp_btf/console")
int BPF_PROG(tp_btf__console, const char *from, u64 length)
{
	struct lkst_rec_printk_console *r;
	struct lkst_string text;
	struct lkst_slot slot;

	if (!lkst_wants_current() || !lkst_string_read(&text, &console_text, from, length))
		return 0;
	r = LKST_BEGIN_STRING(printk_console, &slot, &text);
	if (!r)
		return 0;
	lkst_string_put(r->text.bytes, &slot, &text);
	lkst_commit(&slot, lkst_cfg.id[LKST_EV_printk_console]);
	return 0;
}

SEC("tp_btf/error_report_end")
int BPF_PROG(tp_btf__error_report_end, u32 detector, u64 address)
{
	if (!lkst_wants_current())
		return 0;
	LKST_RECORD(error_report_end, r);
	if (!r)
		return 0;
	LKST_PUT64(r->address, address);
	r->detector = detector;
	LKST_COMMIT(error_report_end);
	return 0;
}
