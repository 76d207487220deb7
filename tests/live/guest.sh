#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Runs those tests of the guests (tests/vm/guest) on this machine's own kernel that say "host: yes": they
# hold on any kernel, record privately, and change nothing. Their lines about events are for
# tools/kernels-page.

. "$(dirname "$0")/lib/live.sh"

events=$(dirname "$BUILD")/vm/host/events
mkdir -p "$(dirname "$events")" && uname -r >"$(dirname "$events")/release"
"$LKST" event list --json |
	sed -n 's/{"name":"\([^"]*\)".*"hook":"\(tracepoint\|kprobe\|kretprobe\)".*/hook \1 \2/p' >"$events"
mkdir "$work/bin" && ln -s "$LKST" "$work/bin/lkst"
for test in $(grep -l '^# host: yes' tests/vm/guest/*.sh); do
	mkdir -p "$work/tmp"
	PATH=$work/bin:$PATH TMPDIR=$work/tmp LKST_TESTS=tests/vm LKST_LOAD=$BUILD/tests/vm/load \
		sh "$test" >"$work/results"
	status=$?
	grep -E '^(ok|skip|FAIL) ' "$work/results"
	grep -E '^(seen|checked) ' "$work/results" >>"$events"
	if [ $status != 0 ] || grep -q '^FAIL ' "$work/results"; then
		failed=1
	fi
	rm -rf "$work/tmp"
done
exit $failed
