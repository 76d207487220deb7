#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Waits for spin locks come by the hundred thousand: each is recorded, by perf's count, and stacks are taken of so few of
# them that they cost little; who waited for the lock is still known.

. "$(dirname "$0")/lib/live.sh"

if [ -z "$("$LKST" event show contention_begin 2>/dev/null)" ]; then
	skip_all 'contention: this kernel has no tracepoint of it'
fi
if [ "$(nproc)" = 1 ]; then
	skip_all 'contention: on one CPU nobody spins'
fi

# On a machine with other work the two threads may hardly ever run at the same time: then again, and for longer.
for seconds in 0.5 1 2 4; do
	rm -rf "$work/contention"
	record contention --buffer 256M --event 'contention_*' -- \
		perf stat -x, -e lock:contention_begin -o "$work/perf" "$load/contend" $seconds
	"$LKST" print --format json --event contention_begin "$work/contention" >"$work/waits"
	[ "$(wc -l <"$work/waits")" -lt 3000 ] || break
done

# "CPU WITH-A-STACK WITHOUT MS" of each CPU's waits that spin (flags: spin, and not mutex); "sleep WITHOUT" of the others.
perl -ne '
	my ($ns, $cpu, $flags, $caller) = /"ns":(\d+).*"cpu":(\d+).*"flags":(\d+),.*"caller":(\d+)/ or die "$_";
	if (($flags & 33) != 1) { $asleep++ unless $caller; next }
	$caller ? $with[$cpu]++ : $without[$cpu]++;
	$first[$cpu] //= $ns;
	$last[$cpu] = $ns;
	END {
		printf "%d %d %d %d\n", $_, $with[$_], $without[$_], ($last[$_] - $first[$_]) / 1e6 for grep { $last[$_] } 0 .. $#last;
		printf "sleep %d\n", $asleep;
	}' "$work/waits" >"$work/stacks"

own=$(grep -c '"comm":"contend"' "$work/waits")
counted=$(awk -F, '/contention_begin/ { print $1 }' "$work/perf")
if [ -z "$counted" ] || [ "$counted" = '<not supported>' ]; then
	echo "skip every_wait_is_recorded: perf cannot count: $(tail -n 1 "$work/perf")"
else
	# perf counts from after exec to before exit: a wait in either is recorded and not counted. It begins to count
	# before the thread has its new name (begin_new_exec(), fs/exec.c): what waits in between is of another name.
	expect every_wait_is_recorded "$([ "$own" -ge $((counted - 2)) ] && [ $((own - counted)) -le $((counted / 1000 + 2)) ] ||
		echo "$own are recorded, $counted counted")" ''
fi
# The guests of some hypervisors spin in a way that no tracepoint shows (virt_spin_lock() of arch/x86): also not to perf.
if [ "$counted" -ge 0 ] 2>/dev/null && [ "$counted" -lt 100 ]; then
	skip_all "waits_that_spin: perf saw $counted of them in 4 seconds: on this machine they have no tracepoint"
fi
# Without a bound each of them had one.
expect many_waits_have_no_stack "$(awk '$1 != "sleep" { n += $3 } END { print (n > 1000 ? "many" : n + 0) }' "$work/stacks")" many
expect stacks_are_a_millisecond_apart "$(awk '$1 != "sleep" && ($2 < 1 || $2 > $4 + 2)' "$work/stacks")" ''
expect waits_asleep_have_a_stack "$(grep sleep "$work/stacks")" 'sleep 0'
# The two threads ask for one lock, in dup() and in close(): nearly all waits count for functions.
expect others_count_for_who_asked_before "$("$LKST" analyze lockwait --format csv "$work/contention" 2>/dev/null | awk -F, '
	$1 ~ /^"?spinlock:/ { all += $2; if ($1 ~ /\(\)/) named += $2 }
	END { print (named > all * 0.9 ? "named" : named + 0 " of " all + 0) }')" named
