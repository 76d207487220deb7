#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# What all commands that read a trace have in common: how they take times, several traces, and that code has
# names. Two snapshots of one recording are read as one, whatever they have in common; two recordings are not.

. "$(dirname "$0")/lib/live.sh"

# Whether each command, given the arguments $3..., fails with the words $2; $1: the test's name.
expect_refusal_by_all()
{
	local name=$1 words=$2 command bad= said

	shift 2
	for command in print check report lint why analyze cut lkstla; do
		[[ $name == *times* && $command =~ ^(check|lint|lkstla)$ ]] && continue
		case $command in
		why) said=$("$LKST" why --worst syscall "$@" 2>&1) ;;
		analyze) said=$("$LKST" analyze syscall "$@" 2>&1) ;;
		cut) said=$("$LKST" cut --size 64M -o "$work/cut" "$@" 2>&1) ;;
		lkstla) said=$("${LKST%/*}/lkstla" syscall "$@" 2>&1) ;;
		*) said=$("$LKST" $command "$@" 2>&1) ;;
		esac && bad+=" $command takes it;"
		[[ $said == *$words* ]] || bad+=" $command says ${said:0:200};"
	done
	if [ -z "$bad" ]; then ok "$name"; else fail "$name" "$bad"; fi
}

# Time, CPU, thread's number and event of each record of the traces given. (The first may know more names.)
records()
{
	"$LKST" print --format json "$@" |
		sed -n 's/^{"ns":\([0-9]*\),.*"cpu":\([0-9]*\),"tid":\([0-9]*\),.*"event":"\([^"]*\)".*/\1 \2 \3 \4/p'
}

"$LKST" start --quiet --budget none --buffer 32M >/dev/null || exit
sleep 0.2
"$LKST" snapshot --quiet -o "$work/first"
sleep 0.2
"$LKST" snapshot --quiet -o "$work/second"
"$LKST" stop --quiet
record other -- sleep 0.01 >/dev/null

# The second has all that the first has, which ends in the middle of a block.
records "$work/second" >"$work/alone"
records "$work/first" "$work/second" >"$work/both"
if [ "$(wc -l <"$work/alone")" -gt 100 ] && cmp -s "$work/alone" "$work/both"; then
	ok reading_takes_snapshots_that_overlap_as_one
else
	fail reading_takes_snapshots_that_overlap_as_one "$(diff "$work/alone" "$work/both" | head -n 5)"
fi
if "$LKST" check "$work/first" "$work/second" >"$work/check"; then
	ok reading_finds_no_damage_in_what_overlaps
else
	fail reading_finds_no_damage_in_what_overlaps "$(tail -n 5 "$work/check")"
fi
expect_refusal_by_all reading_refuses_different_recordings 'are of different recordings' "$work/first" "$work/other"
expect_refusal_by_all reading_refuses_times_the_wrong_way_round '--from +0.2s is later than --to +0.1s' \
	--from +0.2s --to +0.1s "$work/first"

# A file that is cut off while it is mapped.
"$LKST" record --quiet -o "$work/long" -- perl -e 'getppid for 1 .. 100000'
"$LKST" print "$work/long" 2>"$work/short.err" | {
	read -r line
	truncate -s 8192 "$work/long"/main.?
	cat >/dev/null
}
status=${PIPESTATUS[0]}
if [ "$status" = 1 ] && grep -q "^lkst: $work/long/main.[0-9]* cannot be read any more: " "$work/short.err"; then
	ok reading_ends_if_a_file_is_cut_off
else
	fail reading_ends_if_a_file_is_cut_off "status $status: $(cat "$work/short.err")"
fi

# Who sleeps for a time is woken by a timer's function.
"$LKST" print --event hrtimer_start "$work/other" | grep -c 'sleep .*function=hrtimer_wakeup ' >"$work/named"
function=$(printf %u "0x$(awk '$3 == "hrtimer_wakeup" { print $1 }' /proc/kallsyms)")
expect reading_names_code "$("$LKST" print --event hrtimer_start --format json "$work/other" |
	grep '"comm":"sleep"' | grep -c "\"function\":$function[,}]")" "$(cat "$work/named")"
expect reading_names_some_code "$([ "$(cat "$work/named")" -ge 1 ] && echo yes)" yes
exit $failed
