#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The spans that programs mark are lanes in the page of lkst view: each where the program has measured it, on the lane of the
# thread that had it, and why explains it as at the terminal. Samples are a flame graph, of the stacks that lkst export has.
. "$(dirname "$0")/lib/live.sh"
. "$lib/browser.sh"

has_browser view_spans || exit 0
cd "$work" || exit
export LC_ALL=C.UTF-8 TZ=UTC load

if ! "$LKST" record --quiet --buffer 32M --output trace -- bash -c '"$load/spans" >truth'; then
	fail view_spans_are_recorded 'recording failed'
	exit 1
fi
"$LKST" record --quiet --sample 997 --output samples -- "$load/sampled" 1 >said 2>errors
sampled=$?
records_no_more

"$LKST" view --quiet trace
"$LKST" sql --format json trace 'select * from spans' >spans.json

report view_spans node "$lib/view_spans.js" "$LKST" "$PWD/trace.html" trace truth spans.json

if [ $sampled != 0 ]; then
	echo "skip view_flame_graph: $(tail -n 1 errors)"
	exit "$failed"
fi
"$LKST" view --quiet samples
"$LKST" export --quiet -f folded -o folded samples
report view_flame_graph node "$lib/view_flame.js" "$PWD/samples.html" folded
exit "$failed"
