#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Tests that tools/code-counts counts what is there, in sources that are written here.

set -u

mkdir -p "$SCRATCH/code/one" "$SCRATCH/code/two"
cat >"$SCRATCH/code/one/a.h" <<'END'
/* A comment. */
#include "two/b.h"
struct lkst_twice {
	int x;
};
END
cat >"$SCRATCH/code/one/a.c" <<'END'
static const struct {
	int i;
} fixed[] = { { 1 } };
static int changes;
int f(void)
{
	return fixed[0].i + changes;
}
END
printf '#include "one/a.h"\nstruct lkst_twice {\n};\n' >"$SCRATCH/code/two/b.h"
touch "$SCRATCH/code/two/a.h"
got=$(tools/code-counts "$SCRATCH/code" | sed "s|$SCRATCH/code/||g" | tr -s ' ')
expect()
{
	if grep -qxF -- "$2" <<<"$got"; then
		echo "ok counts_$1"
	else
		echo "FAIL counts_$1: no line \"$2\" in: ${got//$'\n'/; }"
	fi
}
expect functions_comments_and_globals 'one 2 13 1 4 4.0 4 0 7 % 1'
expect circles ' 2: one/a two/b'
expect structs_of_one_name ' lkst_twice: one/a.h two/b.h'
expect files_of_one_name ' a: one two'
