#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst record with probes: their records are those of the command's own count, beside other events or alone, in all
# parts, and beside a recording in memory that has probes of the same names (rows L23 to L25, L32 of doc/heritage.md).
. "$(dirname "$0")/lib/live.sh"

[ "$(id -u)" = 0 ] || skip_all 'probe_record: needs root'
needs_the_recorder
cd "$work" || exit
cp "$load/called" called
program=$PWD/called

# What `lkst record` with arguments $@ says, for a trace called "trace".
record()
{
	rm -rf trace
	"$LKST" record --quiet --output trace "$@" >out 2>&1
}

# The records of event $1 in the trace: their fields, except for the address.
records()
{
	"$LKST" print --event "$1" trace | sed -n 's/.*: __probe_ip=0x[0-9a-f]* *//p' | xargs
}

if ! record -x "$program" --probe 'trial=first_function' -e 'probe:*' -- true; then
	skip_all "probe_record: $(head -n 1 out)"
fi

record -x "$program" --probe 'first_function n=$arg1:s32' --probe 'my:back=second_function%return $retval:u32' -- \
	./called 20
expect every_call_is_a_record "$(records probe_called:first_function)" "$(seq -f 'n=%g' 20 | xargs)"
expect so_is_every_return "$("$LKST" print --event my:back trace | sed -n 's/.* arg1=//p' | xargs)" "$(seq 2 2 40 | xargs)"
expect others_are_recorded_too "$("$LKST" print --event 'sched_process_exec' trace | grep -c called)" 1

# ---- alone, and by conditions ----
record -x "$program" --probe 'a:b=first_function n=$arg1:s32 if n > 17' -e 'a:*' -- ./called 20
expect conditions_hold "$(records a:b)" 'n=18 n=19 n=20'
expect no_other_event_is_recorded "$("$LKST" print --event 'syscall_*' trace 2>/dev/null | wc -l)" 0
expect_refusal other_patterns_must_match 'no event matches "c:' \
	record --quiet --output none -x "$program" --probe 'a:b=first_function' -e 'a:*' -e 'c:*' -- true

"$LKST" probe --quiet --save saved -x "$program" 'a:saved=first_function n=$arg1:s32'
record -x "$program" --saved saved -e 'a:*' -- ./called 2
expect saved_ones_are_recorded "$(records a:saved)" 'n=1 n=2'

# ---- processes, parts, memory ----
sleep 100 &
children+=($!)
record -x "$program" --probe 'a:b=first_function' --pid $! -- ./called 20
expect other_processes_are_left_out "$(records a:b)" ''
record --tree -x "$program" --probe 'a:b=first_function n=$arg1:s32' -- sh -c './called 2; ./called 1'
expect trees_are_followed "$(records a:b)" 'n=1 n=2 n=1'
record --maskset standard -x "$program" --probe 'a:b=first_function n=$arg1:s32' -- ./called 3
expect masksets_have_them "$(records a:b)" 'n=1 n=2 n=3'
# With few other events: what comes faster than a busy disk takes it is lost, and named.
"$LKST" record --quiet --output parts --rotate 800K -e 'a:*' -e 'syscall:*stat*' -e 'syscall:getdents64' -x "$program" --probe 'a:b=first_function n=$arg1:s32' -- \
	sh -c 'for i in 1 2 3 4 5 6; do ./called 100; find /usr/share >/dev/null; done'
expect there_are_parts "$([ "$(ls parts | wc -l)" -gt 3 ] && echo several)" several
expect all_parts_have_them "$("$LKST" print --event a:b parts | wc -l)" 600
has_started=yes
"$LKST" start --quiet --budget none --buffer 4M
"$LKST" probe --quiet -x "$program" 'a:b=first_function'
record -x "$program" --probe 'a:b=first_function n=$arg1:s32' -- ./called 4
expect beside_others_each_has_its_own "$(records a:b)" 'n=1 n=2 n=3 n=4'
rm -rf trace
"$LKST" snapshot --quiet --output trace
expect and_they_have_theirs "$("$LKST" print --event a:b trace | wc -l)" 4
"$LKST" stop --quiet
expect no_pin_is_left "$(find /sys/fs/bpf -name '*lkst*' 2>/dev/null)" ''

# ---- what is wrong ----
expect_refusal nothing_is_run 'has no function nothing_like_it' \
	record --quiet --output none -x "$program" --probe nothing_like_it -- touch was_run
expect_refusal a_name_is_for_one 'there is a probe a:b already' \
	record --quiet --output none -x "$program" --probe a:b=first_function --probe a:b=second_function -- touch was_run
expect_refusal targets_are_for_probes 'are for --probe' record --quiet --output none -x "$program" -- touch was_run
expect nothing_was_run "$(ls was_run none 2>/dev/null)" ''
exit $failed
