/* SPDX-License-Identifier: GPL-2.0-only */
/* Shares along the time of a trace. */
#include "analyze/engine/timeline.h"

#include <string.h>

struct lkst_timeline_scale lkst_timeline_scale(u64 begin_ns, u64 end_ns)
{
	u64 length_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;

	return (struct lkst_timeline_scale){ begin_ns, length_ns / LKST_TIMELINE_SLICES + 1 };
}

void lkst_timeline_add(struct lkst_timeline *t, const struct lkst_timeline_scale *s, u64 from_ns,
		       u64 to_ns)
{
	u64 i, end_ns;

	if (from_ns < s->begin_ns)
		from_ns = s->begin_ns;
	for (i = (from_ns - s->begin_ns) / s->slice_ns; from_ns < to_ns && i < LKST_TIMELINE_SLICES;
	     i++) {
		end_ns = s->begin_ns + (i + 1) * s->slice_ns;
		end_ns = end_ns < to_ns ? end_ns : to_ns;
		t->ns[i] += end_ns - from_ns;
		from_ns = end_ns;
	}
}

void lkst_timeline_put(const struct lkst_timeline *t, u64 full_ns, char text[LKST_TIMELINE_TEXT])
{
	/* U+2581 to U+2588: one to eight eighths of a character's height. */
	static const char *const blocks[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	unsigned int i;
	char *p = text;

	for (i = 0; i < LKST_TIMELINE_SLICES; i++) {
		double share = full_ns ? (double)t->ns[i] / (double)full_ns : 0;
		/* Whatever there is of it is seen. */
		unsigned int eighths = share >= 1 ? 8 : (unsigned int)(share * 8 + 0.5);
		const char *block = blocks[!eighths && t->ns[i] ? 1 : eighths];

		memcpy(p, block, strlen(block));
		p += strlen(block);
	}
	*p = 0;
}
