#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Conditions of masksets' rows: exactly the records for which they hold are there, by strace's count and by a
# trigger's; other masksets are not touched; with the last condition everything is as it was before.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
# No other program on this machine is called so.
reader=reader$$
cp /bin/cat "$reader"

# The records of event $1 of threads called $2 in a snapshot of now, as JSON.
records()
{
	rm -rf trace
	"$LKST" snapshot --quiet --output trace
	"$LKST" print --format json --comm "$2" --event "$1" trace
}

# A round of the load: some opens fail, some do not.
load()
{
	local i

	for ((i = 0; i < $1; i++)); do "./$reader" "$work/none" 2>/dev/null; done
}

has_started=yes
"$LKST" start --quiet --budget none --buffer 64M --maskset RNOTHING
before=$(ls /sys/fs/bpf/lkst)
missing=$(strace -f -e trace=openat "./$reader" "$work/none" 2>&1 | grep -c 'openat.*ENOENT')
found=$(strace -f -e trace=openat "./$reader" "$work/none" 2>&1 | grep -c 'openat.*= [0-9]')

# ---- the records for which it holds, and no others ----
expect a_condition_is_told "$("$LKST" maskset 'mine+=openat ret < 0' >/dev/null
	"$LKST" maskset show mine | grep -c '^  syscall_exit_openat if ret < 0$')" 1
"$LKST" maskset set mine --quiet
load 50
expect only_failures_are_recorded "$(records syscall_exit_openat "$reader" | grep -c '"ret":-2')" $((50 * missing))
expect nothing_else_is_recorded "$(records syscall_exit_openat "$reader" | grep -vc '"ret":-2')" 0
"$LKST" maskset 'mine+=openat ret >= 0' --quiet
load 20
expect a_condition_is_replaced "$(records syscall_exit_openat "$reader" | grep -vc '"ret":-2')" $((20 * found))
"$LKST" maskset 'mine+=openat' --quiet
load 10
expect a_condition_is_taken_away \
	"$(records syscall_exit_openat "$reader" | grep -vc '"ret":-2') $(records syscall_entry_openat "$reader" | wc -l)" \
	"$((30 * found)) $((10 * (missing + found)))"

# A condition on text, compared with the count of a trigger for the same.
"$LKST" maskset 'named+=syscall_exit_read comm == "'$reader'" and ret == 0' --quiet
"$LKST" maskset set named --quiet
"$LKST" trigger add 'syscall_exit_read comm == "'$reader'" and result == 0' --name ends --rate 1000000000/1s --quiet
for ((i = 0; i < 40; i++)); do "./$reader" /etc/passwd >/dev/null; done
expect text_is_compared "$(records syscall_exit_read "$reader" | wc -l)" 40
expect a_trigger_counts_the_same \
	"$("$LKST" trigger list --json | perl -MJSON::XS -e 'print decode_json(<STDIN>)->{triggers}[0]{fired}')" 40
expect others_are_not_recorded "$("$LKST" print --event syscall_exit_read trace | grep -vc reader)" 0

# ---- where it is told ----
expect the_trace_has_the_rows "$("$LKST" print --event state_condition trace | grep -c 'row="syscall_exit_read if comm == .*reader')" 1
expect check_says_it "$("$LKST" check trace | grep -c 'records only syscall_exit_read if comm == .*reader')" 1
expect report_says_it "$("$LKST" report trace | grep -c 'Only in part recorded, .*: syscall_exit_read if')" 1
"$LKST" maskset read named >named.txt
expect text_has_it "$(grep -c ' syscall_exit_read 0x01 if comm == "'$reader'" and ret == 0$' named.txt)" 1
expect json_has_it "$("$LKST" maskset show named --json | grep -o '"condition":"comm[^}]*')" \
	'"condition":"comm == \"'$reader'\" and ret == 0"'

# ---- other masksets ----
"$LKST" maskset copy named copied --quiet
expect a_copy_has_it "$("$LKST" maskset show copied | grep -c ' if comm == "'$reader'" and ret == 0$')" 1
"$LKST" maskset 'all+=syscall:read' --quiet
"$LKST" maskset set all --quiet
reads=$(strace -e trace=read "./$reader" /etc/passwd 2>&1 >/dev/null | grep -c '^read(')
n=$(records syscall_exit_read "$reader" | wc -l)
for ((i = 0; i < 10; i++)); do "./$reader" /etc/passwd >/dev/null; done
expect another_maskset_records_all $(($(records syscall_exit_read "$reader" | wc -l) - n)) $((10 * reads))

# ---- refusals ----
expect_refusal durations_are_for_triggers 'a trigger can measure it' maskset 'mine+=sched_switch wait > 1ms'
expect_refusal near_fields_are_named 'did you mean next_prio' maskset 'mine+=sched_switch next_pri < 1'
expect_refusal what_is_taken_away_has_none "can't be" maskset 'mine-=sched_switch next_prio < 1'
expect_refusal a_comparison_is_whole 'a value is missing' maskset 'mine+=sched_switch next_prio <'
expect_refusal handler_stays 'conditions of masksets' handler unload trigger --force

# ---- and away ----
"$LKST" trigger remove ends
"$LKST" maskset set RNOTHING --quiet
for name in mine named copied all; do "$LKST" maskset delete $name; done
expect everything_is_as_before "$(ls /sys/fs/bpf/lkst)" "$before"
"$LKST" stop --quiet

# ---- to begin with ----
"$LKST" start --quiet --budget none --maskset ./named.txt 2>notes
for ((i = 0; i < 30; i++)); do "./$reader" /etc/passwd >/dev/null; done
expect start_takes_conditions "$(records syscall_exit_read "$reader" | wc -l)" 30
expect from_the_first_record_on "$("$LKST" print --event syscall_exit_read trace | grep -vc reader)" 0
"$LKST" stop --quiet
printf '# maskset name=x\n0x100 sched_switch 1 if nope < 1\n' >broken
expect_refusal start_refuses_a_broken_condition 'line 2: event sched_switch has no field "nope"' start --maskset ./broken
expect_refusal recording_a_command_has_none 'only a recording that `lkst start` begins' \
	record --maskset ./named.txt --output none -- true
expect nothing_is_left "$(ls /sys/fs/bpf/lkst 2>/dev/null)" ''

exit $failed
