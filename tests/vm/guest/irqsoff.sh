#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How long interrupts and preemption are off: the kernel's own test of latency tracers turns them off, each time for as
# long as it is told to; lkst analyze irqsoff says how often and how long it did, and where. A kernel without these
# tracepoints says what it lacks.
# seconds: 20
. /tests/lib.sh

# Both processors of a guest take turns of 0.1 s, which a stretch may have to wait for: those that are looked for
# are longer.
delay_us=300000
nr=4
module=preemptirq_delay_test
trigger=/sys/kernel/$module/trigger
events='irq_disable irq_enable preempt_disable preempt_enable'

# record NAME COMMAND...: records all that lkst analyze irqsoff needs, as $work/NAME, and what it says in $work/notes.
record()
{
	local trace=$work/$1 event options=

	shift
	for event in $events sched_switch; do
		options="$options --event $event"
	done
	# shellcheck disable=SC2086 # a list of options
	lkst record --buffer 64M $options --output "$trace" -- "$@" >/dev/null 2>"$work/notes"
}

# Of the stretches that the module made, by table $1 of $work/tables: how many, their sum in ns, and how many of them are
# among the ten longest of all.
stretches()
{
	awk -F '"' -v table="$1" '
		/^"/ { at = $2 }
		!/preemptirqtest/ { next }
		at == table {
			match($0, /"count":[0-9]+/)
			nr += substr($0, RSTART + 8, RLENGTH - 8)
			match($0, /"total_ns":[0-9]+/)
			ns += substr($0, RSTART + 11, RLENGTH - 11)
		}
		at == table "_worst" { longest++ }
		END { printf "%d %.0f %d\n", nr, ns, longest }' "$work/tables"
}

# expect_stretches NAME TABLE NUMBER: so many, as long as they should be and among the longest.
expect_stretches()
{
	local got=$(stretches "$2") us

	expect_none "irqsoff_$1_are_counted" "$([ "${got%% *}" = "$3" ] || echo "number, ns and longest: $got, not $3")"
	us=$(echo "$got" | awk '{ printf "%d", $2 / 1000 }')
	# The module has another clock, which may differ by some millionths.
	expect_none "irqsoff_$1_are_long_enough" "$([ "$us" -ge $(($3 * (delay_us - delay_us / 1000))) ] ||
		echo "$us us, not $3 times $delay_us us")"
	expect_none "irqsoff_$1_are_the_longest" "$([ "${got##* }" = "$3" ] ||
		echo "${got##* } are; $(awk -F '"' -v table="$2_worst" '/^"/ { at = $2 } at == table && /^[{]/' "$work/tables")")"
}

# measure MODE IRQ PREEMPT: with the module in this mode, so many stretches of each kind.
measure()
{
	rmmod $module 2>/dev/null # it is there since the guest began
	if ! insmod /modules/$module.ko "test_mode=$1" delay=$delay_us burst_size=$nr 2>"$work/insmod"; then
		fail "irqsoff_${1}_module" "$(cat "$work/insmod")"
		return
	fi
	record "$1" sh -c "echo 1 >$trigger" || fail "irqsoff_$1_is_recorded" "$(cat "$work/notes")"
	expect_whole "irqsoff_$1_trace_is_whole" "$work/$1"
	lkst analyze --format json irqsoff "$work/$1" >"$work/tables" 2>"$work/said" ||
		fail "irqsoff_$1_is_analyzed" "$(cat "$work/said")"
	[ "$2" = 0 ] || expect_stretches "$1_interrupts" irqsoff "$2"
	[ "$3" = 0 ] || expect_stretches "$1_preemption" preemptoff "$3"
}

if ! has_event irq_disable && ! has_event preempt_disable; then
	record none true
	expect_none irqsoff_says_what_is_not_recorded "$(for event in $events; do
		grep -q "$event is not recorded: this kernel has no tracepoint $event" "$work/notes" || cat "$work/notes"
	done)"
	lkst analyze irqsoff "$work/none" >"$work/said" 2>&1
	expect_none irqsoff_says_what_it_needs "$(grep -q "would have to be recorded with these: $events" "$work/said" ||
		cat "$work/said")"
	echo "skip irqsoff: $(grep -m 1 'no tracepoint irq_disable' "$work/notes" | cut -d ' ' -f 2-)"
	exit
fi
if [ ! -e /modules/$module.ko ]; then
	echo "skip irqsoff: the module $module is not there"
	exit
fi
measure irq $nr 0
measure preempt 0 $nr
measure alternate $((nr / 2)) $((nr / 2))
rmmod $module
for event in $events; do
	echo "checked $event"
done
