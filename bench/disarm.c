/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes the recording that `lkst start` began want nothing: its programs stay attached. */
#include "common.h"
#include "live/recording/start.h"

int main(void)
{
	struct lkst_session *s;
	struct lkst_err e;

	if (lkst_session_open(&e, &s))
		bench_die("%s", e.text);
	lkst_session_arm(s, false);
	lkst_session_close(s);
	return 0;
}
