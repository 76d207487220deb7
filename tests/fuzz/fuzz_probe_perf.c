/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of perf probe's language: probes, lines for --line, and lazy matching. The first byte says which, and
 * where a probe is looked for.
 *
 * prints: text csv json
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"
#include "lib/same_probe.h"
#include "probe/text/definition.h"
#include "probe/text/format.h"
#include "probe/text/lazy.h"
#include "probe/text/perf.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

static void check_error(int err, const struct lkst_err *e)
{
	if (err != -EINVAL)
		abort();
	printed_error(e);
}

/* What needs no resolving can be written as a definition, unless its names or texts cannot be in one. */
static void try_probe(const char *text, const struct lkst_perf_target *target)
{
	struct lkst_definition again;
	char line[LKST_PROBE_TEXT], on[LKST_PROBE_TEXT];
	struct lkst_probe p;
	struct lkst_err e;
	int err = lkst_perf_parse(&e, text, target, &p);

	if (err) {
		check_error(err, &e);
		return;
	}
	lkst_probe_place_format(&p.place, on);
	lkst_probe_list_format(&p, on, line);
	lkst_perf_name(&p, "schedule");
	printed_names((const char *const[]){ line, on, p.group, p.event }, 4);
	if (!p.group[0] || !p.event[0])
		abort();
	if (!lkst_definition_format(&e, &p, line)) {
		if (lkst_definition_parse(&e, line, &again))
			abort();
		lkst_probe_fini(&again.probe);
	}
	lkst_probe_fini(&p);
}

static void try_range(const char *text)
{
	struct lkst_line_range r;
	struct lkst_err e;
	int err = lkst_line_range_parse(&e, text, &r);

	if (err)
		check_error(err, &e);
	else if (r.first > r.last || (!r.function && !r.source))
		abort();
	else
		lkst_line_range_fini(&r);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct lkst_perf_target target = {};
	char *text = size ? strndup((const char *)data + 1, size - 1) : NULL, *half;

	if (!text)
		return 0;
	switch ((u8)(data[0] - '0') % 5) {
	case 0:
		try_range(text);
		break;
	case 1:
		half = strchr(text, '\n');
		if (half)
			*half = 0;
		if (half && strlen(half + 1) < 4096 && strlen(text) < 4096)
			lkst_lazy_matches(text, half + 1);
		break;
	case 2:
		target.path = "/lib/libc-2.31.so";
		/* fall through */
	case 3:
		target.module = target.path ? NULL : "ext4";
		/* fall through */
	default:
		try_probe(text, &target);
	}
	free(text);
	return 0;
}
