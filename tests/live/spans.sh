#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Spans that a program marks (doc/marks.md) agree with what it measures itself: when they were, what their threads did
# meanwhile, and what `lkst why` says of them; those that are handed over, that belong to a request, that a child of the
# program ends too, and one whose process is killed.

. "$(dirname "$0")/lib/live.sh"

# Runs the workload; what it says is kept.
truth()
{
	"$load/spans" >"$work/truth"
}
export -f truth
export load work

if ! record run --buffer 32M -- bash -c truth; then
	fail spans_recorded "$(tail -n 3 "$work/run.log")"
	exit 1
fi
report spans_agree perl "$lib/spans.pl" "$LKST" "$work/run" "$work/truth"
expect an_end_by_the_child_of_a_fork_is_nobodys "$("$LKST" sql --format csv "$work/run" \
	"select ending, count(*) from spans where name = 'forked' group by 1" | tail -n +2 | tr -d '\r')" ended,1
expect_whole a_trace_with_spans_is_whole "$work/run"

exit $failed
