#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Who wakes whom, in the flight recorder's lines and in the CSV: tests/vm/guest/waker.sh on this machine.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
if ! taskset -c 1 true 2>/dev/null || ! taskset -c 0 true 2>/dev/null; then
	skip_all 'waker: CPUs 0 and 1 are not there to run on'
fi
mkdir "$work/bin" "$work/tmp" && ln -s "$LKST" "$work/bin/lkst"
has_started=yes
PATH=$work/bin:$PATH TMPDIR=$work/tmp LKST_TESTS=tests/vm LKST_LOAD=$BUILD/tests/vm/load \
	report waker sh tests/vm/guest/waker.sh
exit $failed
