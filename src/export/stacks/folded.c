/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples of a trace as flame graphs take them, a line for each stack with the ns of CPU time that its samples
 * stand for: frames from the root on, ';' between them, and a number after the last blank
 * (https://github.com/brendangregg/FlameGraph).
 */
#include "export/export_format.h"
#include "export/stacks/sample_pass.h"

/* What those who colour frames know them by. */
static const char *folded_suffix_of(u8 kind)
{
	static const char *const suffixes[] = { [LKST_FRAME_KERNEL] = "_[k]",
						[LKST_FRAME_PROGRAM] = "",
						[LKST_FRAME_INLINED] = "_[i]",
						[LKST_FRAME_JIT] = "_[j]" };

	return suffixes[kind];
}

static void folded_put_path(struct lkst_export *x, const struct lkst_samples *s,
			    const struct lkst_samples_path *path)
{
	const u32 *frames = lkst_samples_frames(s, path);
	char who[LKST_SAMPLE_NAME], text[LKST_CODE_TEXT];
	u32 i;

	lkst_out_str(x->out, lkst_sample_who(s, path, who));
	for (i = path->nr_frames; i-- > 0;) {
		lkst_out_str(x->out, ";");
		lkst_out_str(x->out, lkst_sample_function(s, frames[i], text));
		lkst_out_str(x->out, folded_suffix_of(lkst_samples_name(s, frames[i])->kind));
	}
	lkst_out_printf(x->out, "%s %llu\n", path->nr_frames ? "" : ";[unknown]",
			(unsigned long long)path->ns);
}

static int write_folded(struct lkst_err *e, struct lkst_export *x)
{
	_cleanup_(lkst_samples_freep) struct lkst_samples *s = NULL;
	int err = lkst_sample_pass(e, x, &s);
	u32 i;

	for (i = 0; !err && i < lkst_samples_nr_paths(s); i++)
		folded_put_path(x, s, lkst_samples_path(s, i));
	return err;
}

const struct lkst_export_format lkst_export_folded = {
	.name = "folded",
	.help = "samples, as stacks for flame graphs",
	.extension = "folded",
	.filters = LKST_EXPORT_BY_THREAD,
	.write = write_folded,
};
