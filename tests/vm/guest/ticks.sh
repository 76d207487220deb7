#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Ticks say where a thread is that runs, on each kernel and machine: where the kernel keeps the time of its ticks and what
# they interrupt is another matter on each.
# seconds: 8
. "${LKST_TESTS:-/tests}/lib.sh"

# The kernel's own counter of ticks.
jiffies()
{
	awk '$1 == "jiffies:" { print $2; exit }' /proc/timer_list
}
# The time, in hundredths of a second.
now()
{
	sed 's/\([0-9]*\)[.]\([0-9]*\) .*/\1\2/' /proc/uptime
}
# How often the CPUs' own timers have interrupted them, or only CPU $1. A host that takes an emulated CPU away for long
# makes ticks fewer than its time would have, and has the program's CPU time go on.
interrupts()
{
	awk -v cpu="$1" '
		function sum(  i, n) {
			for (i = 2; i <= NF && $i ~ /^[0-9]+$/; i++)
				n += cpu == "" || i - 2 == cpu ? $i : 0
			return n
		}
		$1 == "LOC:" { n += sum(); found = 1 }
		$NF == "arch_timer" { m += sum() }
		END { print (found ? n : m) + 0 }' /proc/interrupts
}
# The CPU time of this shell's processes that have ended, in hundredths of a second.
spent()
{
	awk '{ print $16 + $17 }' "/proc/$$/stat"
}

expect_start ticks_start --budget none --buffer 4M --event tick --event sched_switch
expect_none ticks_are_there "$(grep -i 'tick' "$work/notes")"
jiffies=$(jiffies) since=$(now)
spent=$(spent) interrupts=$(interrupts 1)
taskset 2 timeout 2 awk 'BEGIN { for (;;) x++ }'
spent=$(($(spent) - spent)) interrupts=$(($(interrupts 1) - interrupts))
# Until there have been ticks enough, however little time the host has.
ticks=$(interrupts)
for round in 1 2 3 4 5 6 7 8 9 10; do
	timeout 2 dd if=/dev/zero of=/dev/null bs=1M 2>/dev/null
	[ $(($(interrupts) - ticks)) -lt 60 ] || break
done
sleep 1
lkst snapshot --quiet --output "$work/trace"
jiffies=$(($(jiffies) - jiffies)) took=$(($(now) - since))
expect_stop ticks_stop
expect_whole ticks_trace_is_whole "$work/trace"

lkst print --event tick "$work/trace" >"$work/ticks"
# "of COMM PATTERN": how many ticks threads of that name have, and how many of them match.
of()
{
	awk -v comm="/$1\$" -v pattern="$2" '$3 ~ comm { n++; if ($0 ~ pattern) m++ } END { print n + 0, m + 0 }' "$work/ticks"
}
# Most of the ticks that "of" has found. The fewest are of an emulated CPU that its host had no time for, of which those
# in which the program began are a greater part.
are_most()
{
	[ "$1" -ge 10 ] && [ $(($2 * 2)) -gt "$1" ]
}
is=$(of awk 'call=-1 where=user')
expect_none ticks_find_a_program "$(are_most $is || echo "$is")"
is=$(of dd 'call=read where=call')
expect_none ticks_find_a_call "$(are_most $is || echo "$is")"
is=$(of dd 'ip=[a-z_][A-Za-z0-9_.]*[+]0x.* call=read')
expect_none ticks_find_functions "$(are_most $is || echo "$is")"
expect_none ticks_of_kernel_threads_say_so \
	"$(awk '$3 ~ "/(kworker|ksoftirqd|rcu_|migration)"' "$work/ticks" | grep -vE 'call=-1 where=(kernel|softirq)' | head -n 3)"
expect_none ticks_are_known "$(grep where=unknown "$work/ticks" | head -n 3)"
expect_none ticks_are_not_of_idle_cpus "$(awk '$3 ~ "^0/"' "$work/ticks" | head -n 3)"
# No more on a CPU than there were, and of the program not much fewer than its CPU time has.
expect_none ticks_are_no_more_than_there_are "$(awk -v jiffies="$jiffies" '{ n[$2]++ }
	END { for (cpu in n) if (n[cpu] > jiffies + 2) print cpu, n[cpu], "of", jiffies }' "$work/ticks")"
wanted=$((spent * jiffies / took))
[ $wanted -le $interrupts ] || wanted=$interrupts
is=$(of awk .)
expect_none ticks_are_as_many_as_there_are "$([ $((${is% *} * 2)) -ge $wanted ] || echo "${is% *}, not $wanted")"
echo checked tick
