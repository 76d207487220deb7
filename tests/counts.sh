#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Tests that tools/code-counts counts what is there, in sources that are written here; and that what it counts in src
# does not grow.

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
printf '#include "one/a.h"\nstruct lkst_twice {\n};\nstatic inline int f(void)\n{\n\treturn 1;\n}\n' >"$SCRATCH/code/two/b.h"
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
expect functions_of_one_name ' f: one/a.c two/b.h'
expect structs_of_one_name ' lkst_twice: one/a.h two/b.h'
expect headers_of_one_user 'headers that one other module includes: 2'
expect lines_of_a_source 'mean lines of a .c: 8'
expect files_of_one_name ' a: one two'

# What a backtrace or a search shows is found by its name, so that names are not to be shared again, nor headers made
# that one other module includes: merge such a header with its user. Where a number has fallen, lower it here.
got=$(tools/code-counts)
expect_most()
{
	local has

	has=$(sed -n "s/^$2: //p" <<<"$got")
	if [ -n "$has" ] && [ "$has" -le "$3" ]; then
		echo "ok counts_$1"
	else
		echo "FAIL counts_$1: $2: ${has:-none}, and may be $3"
	fi
}
expect_most few_functions_of_one_name 'functions of one name' 29
expect_most few_structs_of_one_name 'structs of one name' 11
expect_most few_headers_of_one_user 'headers that one other module includes' 167
