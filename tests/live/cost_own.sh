#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# `lkst status` never says that recording the calls of a program costs more than the CPU time that its threads had
# meanwhile, of which recording is a part: a loop of getppid() on each CPU, by the kernel's own account of its threads.
. "$(dirname "$0")/lib/live.sh"
. "$lib/status.sh"

needs_the_recorder
cd "$work" || exit
has_started=yes
ROUNDS=6
window_ns=250000000 # what the status counts in is not less

nice -n -10 "$load/calls" 600 >storm &
storm=$!
children+=($storm)
wait_until 60 test -s storm
"$LKST" start --quiet --budget none --event 'syscall:*' 2>err || fail cost_own_start "$(cat err)"

# The CPU time of the loop's threads so far, ns.
own_ns()
{
	cat /proc/$storm/task/*/schedstat | awk '{ n += $1 } END { printf "%.0f\n", n }'
}

said=
rounds=0
# In a moment in which others had the CPUs there may be no call.
ask_once()
{
	local before us_per_s

	before=$(own_ns)
	us_per_s=$(status '$cost{"syscall:getppid"}{us_per_s} // 0')
	said+=$(awk -v us="$us_per_s" -v own=$(($(own_ns) - before)) -v window=$window_ns 'BEGIN {
		if (us * window / 1e9 > own / 1e3)
			printf "%.0f us were said to be spent in %.0f ms, of %.0f us that the threads had; ", us * window / 1e9,
				window / 1e6, own / 1e3 }')
	awk -v us="$us_per_s" 'BEGIN { exit !(us > 0) }' && rounds=$((rounds + 1))
	[ $rounds -ge $ROUNDS ]
}
wait_until 300 ask_once
"$LKST" stop --quiet
has_started=no
expect calls_cost_no_more_than_their_threads_had "$rounds rounds; $said" "$ROUNDS rounds; "

exit $failed
