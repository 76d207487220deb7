/* SPDX-License-Identifier: GPL-2.0-only */
/* Compiling a resolved probe. */
#include "probe/code/compile.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "probe/code/filter.h"

static void emit_end(struct lkst_code *c, const struct lkst_layout *l, struct lkst_jumps *drops)
{
	if (l->event.is_fixed)
		lkst_emit_imm(c, BPF_MOV, LKST_R_RESULT, 1);
	else
		lkst_emit_reg(c, BPF_MOV, LKST_R_RESULT, LKST_R_SIZE);
	lkst_emit_exit(c);
	if (!drops->nr)
		return;
	lkst_jumps_land(c, drops);
	lkst_emit_imm(c, BPF_MOV, LKST_R_RESULT, 0);
	lkst_emit_exit(c);
}

static int code_compile(struct lkst_err *e, struct lkst_probe_code *p,
			const struct lkst_probe_target *target)
{
	struct lkst_fetch_builder b = {
		.code = &p->code,
		.layout = &p->layout,
		.find_symbol = target->find_symbol,
		.ctx = target->ctx,
	};
	struct lkst_jumps drops = {};
	int err = lkst_fetch_emit(e, &b);

	err = err ?: lkst_filter_emit(e, &p->code, &p->layout, &drops);
	if (err)
		return err;
	emit_end(&p->code, &p->layout, &drops);
	return p->code.is_full
		       ? lkst_err_set(e, -E2BIG, "its arguments take more than %u instructions",
				      LKST_CODE_MAX)
		       : 0;
}

int lkst_probe_compile(struct lkst_err *e, const struct lkst_probe *probe,
		       const struct lkst_probe_target *target, struct lkst_probe_code **ret_code)
{
	_cleanup_free_ struct lkst_probe_code *p = calloc(1, sizeof(*p));
	int err;

	if (!p)
		return lkst_err_sys(e, -ENOMEM, "compiling a probe");
	err = lkst_layout_make(e, probe, target->machine, &p->layout);
	err = err ?: code_compile(e, p, target);
	if (err)
		return err;
	*ret_code = lkst_take(p);
	return 0;
}
