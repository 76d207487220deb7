#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# While the kernel's clock is made to run a tenth too fast and too slow by turns, under load, every record
# is in order: `lkst check` finds all good, and babeltrace2 reads as many events, none before another.
# (A clock that steps back by some ns would be taken for one that has wrapped.)

. "$(dirname "$0")/lib/live.sh"

"$load/slew" /bin/true >/dev/null 2>"$work/slew.log"
status=$?
if [ $status = 3 ]; then
	skip_all "clock: $(cat "$work/slew.log")"
fi
# On a slow machine there may be too little in a short time.
for seconds in 0.7 3 12; do
	rm -rf "$work/trace"
	if ! record trace --buffer 64M --event 'sched:*' --event 'irq:*' --event 'timer:*' --event syscall:getpriority -- \
		"$load/slew" "$load/storm" $seconds gentle >"$work/rates"; then
		fail clock_recorded "$(tail -n 3 "$work/trace.log")"
		exit 1
	fi
	records=$("$LKST" check --json "$work/trace" | sed -n 's/.*"records":\([0-9]*\),.*/\1/p')
	[ "${records:-0}" -le 20000 ] || break
done
read -r slowest fastest <"$work/rates"
echo "the clock ran between $slowest and +$fastest millionths of its own rate"
# A tenth is asked for; each turn is measured a little late.
if [ "$slowest" -lt -80000 ] && [ "$fastest" -gt 80000 ]; then
	ok clock_was_slewed
else
	fail clock_was_slewed "it ran between $slowest and $fastest millionths"
fi
expect_whole clock_trace_is_whole "$work/trace"

if ! command -v babeltrace2 >/dev/null; then
	echo 'skip clock_babeltrace: babeltrace2 is not installed'
	exit $failed
fi
babeltrace2 --clock-cycles --no-delta "$work/trace" 2>"$work/said" |
	awk '{
		ns = substr($1, 2, 20)
		# As text: the number has more digits than awk keeps.
		if (ns "" < last "")
			early++
		if (NR == 1)
			first = substr(ns, 1, 11) + 0
		last = ns
	}
	END { print NR, early + 0, substr(last, 1, 11) - first }' >"$work/read"
read -r nr early seconds <"$work/read"
echo "$nr events read"
if [ "$nr" = "$records" ] && [ "$nr" -gt 20000 ] && [ ! -s "$work/said" ]; then
	ok clock_babeltrace_reads_all
else
	fail clock_babeltrace_reads_all "$nr of $records events; $(head -n 3 "$work/said")"
fi
if [ "$early" = 0 ] && [ "$seconds" -le 100 ]; then
	ok clock_babeltrace_in_order
else
	fail clock_babeltrace_in_order "$early of $nr events come after a later one, in $seconds s"
fi
exit $failed
