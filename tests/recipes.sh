#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Tests the recipes of doc/extending.md: the files that one lists are those in which its example is found, so
# whoever follows it has not forgotten one. Parts of pages that `make pages` writes do not count, and neither do other
# tests and pages which only use the example.

set -u

page=doc/extending.md

# The files that recipe $1 lists.
listed()
{
	sed -n "/^## $1\$/,/^## /s/^\* \`\([^\`]*\)\`: .*/\1/p" "$page" | sort -u
}

# recipe NAME HEADING PATTERN OTHERS: the sources, tests and manual pages in which PATTERN, an extended regular expression, is found
# are those of the recipe with this heading. OTHERS, another one, matches files that only use the example.
recipe()
{
	local want bad

	want=$(listed "$2")
	if [ -z "$want" ]; then
		echo "FAIL recipe_$1: $page lists no files under \"$2\""
		return
	fi
	bad=$(diff <(printf '%s\n' "$want") <(grep -rlE -- "$3" Makefile etc src tests/unit tests/live tools doc/man | grep -vE "$4" | sort -u) |
		sed -n "s|^< \(.*\)|it lists \1, where the example is not|p; s|^> \(.*\)|it does not list \1|p")
	if [ -z "$bad" ]; then
		echo "ok recipe_$1"
	else
		echo "FAIL recipe_$1: ${bad//$'\n'/; }"
	fi
}

recipe event 'An event' '\<contention_begin\>' '^(src/(abi/lock\.h|bpf/blocker\.h|analyze/.*)|tests/(unit/.*|live/(symbols|locks_held)\.sh))$'
recipe analysis 'An analysis' '(\<lkst_analysis_|ANALYSIS\(|")waitqueue\>|analyses/waitqueue\.' '^$'
recipe operand 'An operand of conditions' 'LKST_TRIGGER_NEXT_COMM|OPERAND\(next_comm|next_comm (==|!=)' \
	'^(src/(masks/condition\.h|cmd/.*)|doc/man/lkst-trigger\.1)$'
recipe format 'A format of records' '\<lkst_view_flight\>|V\(flight\)|print/flight\.|^\.It Cm flight' '^doc/man/lkst-attach\.1$'
recipe command 'A command' '(\<lkst_cmd_|(COMMAND|READER)\()lint\>|^\.Dt LKST-LINT|^\.It Xr lkst-lint|LKST" lint\>|cmd/read/lint\.' '^(tests/live/reading\.sh|src/cmd/mcp/.*)$'
