#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Memory that is watched: each write is a record, with what it has left there, and reads are where they are asked for; as
# often as the program that does it says. In one recording with all other kinds of events that this kernel has: a
# tracepoint of a system call, a probe in the program, a counter (row M05 of doc/heritage.md; tests/vm/guest/kinds.sh has
# those of functions of the kernel, too).
. "$(dirname "$0")/lib/live.sh"
. "$lib/status.sh"

needs_the_recorder
cd "$work" || exit
cp "$BUILD/tests/vm/load/watched" watched
program=$PWD/watched

# Starts the program, which will do all $1 times; $address is where its variable is. It waits for finish.
begin()
{
	coproc target { exec "$program" "$1"; }
	read -r address <&"${target[0]}"
}

# Lets it go on, to its end.
finish()
{
	local pid=$target_PID

	echo >&"${target[1]}"
	read -r sum <&"${target[0]}"
	wait "$pid"
}

# The values of field $2 in the records of event $1, in trace $3, in order.
values()
{
	"$LKST" print --format json --event "$1" "$3" | sed -n "s/.*\"$2\":\(-\{0,1\}[0-9]*\)[,}].*/\1/p" | xargs
}

has_started=yes
"$LKST" start --quiet --budget none --buffer 4M --event 'syscall:getppid' --event perf_counters --counters page-faults ||
	fail watch_starts 'there is no recording'
begin 20
# Nothing is set that would see nothing.
seen=$("$load/watches" 20 2>&1)
if [ "$seen" != 20 ]; then
	expect_refusal memory_is_not_watched_in_vain 'this machine does not watch memory' probe "w:my/written w@$address:8"
	expect nothing_is_set "$("$LKST" probe --list)" ''
	finish
	"$LKST" stop --quiet
	echo "skip probe_watch: of 20 writes a debug register saw this on this machine: $seen"
	exit $failed
fi
"$LKST" probe "w:my/written w@$address:8 value=+u0(\$addr):s64 who=\$comm" >out 2>&1
expect it_is_shown "$(xargs <out)" "my:written (on w@$address:8 with value who)"
"$LKST" probe --quiet "w:my/large w@$address value=+u0(\$addr):s64 if value > 50"
"$LKST" probe --quiet "w:my/touched rw@$address:8"
# Another process has other memory there, or none.
"$LKST" probe --quiet -x "$program" 'my:step=watched_step i=$arg1:s64' || fail watch_has_a_probe_in_a_program 'it has not'
finish
expect it_has_read_all "$sum" 630
"$LKST" snapshot --quiet --output trace
expect each_write_is_a_record "$(values my:written value trace)" "$(seq 3 3 60 | xargs)"
expect so_is_each_access "$("$LKST" print --event my:touched trace | wc -l)" 40
expect conditions_hold "$(values my:large value trace)" '51 54 57 60'
expect the_thread_is_known "$("$LKST" print --event my:written trace | grep -c 'who="*watched"*$')" 20
# In the same recording (M05):
expect probes_in_programs_go_on "$(values my:step i trace)" "$(seq 20 | xargs)"
expect calls_go_on "$("$LKST" print --event syscall_entry_getppid trace | grep -c '/watched ')" 20
expect counters_go_on "$("$LKST" print --event perf_counters trace | grep -q '/watched .*kind1=page-faults' && echo some)" some
"$LKST" probe --list -v my:written >out
expect it_is_by_a_debug_register "$(grep -c 'debug register, 20 hits' out)" 1

# Whether the storm below goes on unseen.
is_detached()
{
	"$LKST" probe --list -v my:storm | grep -q ' detached,'
}

# ---- its end ----
begin 5
"$LKST" probe --quiet --del 'my:*'
"$LKST" probe --quiet "w:my/again w@$address:8"
"$LKST" probe --quiet --del my:again
expect it_is_removed "$("$LKST" probe --list)" ''
finish
rm -rf trace
"$LKST" snapshot --quiet --output trace
expect nothing_is_watched_then "$("$LKST" print --event my:again trace 2>/dev/null | wc -l)" 0

# ---- what is refused ----
expect_refusal reads_alone 'say rw@' probe "w:my/r r@$address:8"
expect_refusal what_is_not_aligned 'a multiple of' probe "w:my/odd w@$(printf '%#x' $((address + 1))):8"
expect_refusal other_lengths '1, 2, 4 or 8 bytes' probe "w:my/odd w@$address:3"
expect_refusal unknown_symbols 'no symbol nothing_like_it' probe 'w:my/none w@nothing_like_it:8'
for i in 1 2 3 4 5 6 7 8; do
	"$LKST" probe --quiet "w:my/n$i w@$(printf '%#x' $((address + 8 * i))):8" >out 2>&1 || break
done
expect more_than_there_are "$(grep -c 'all debug registers of the CPUs are in use' out)" 1
"$LKST" stop --quiet

# ---- a storm of accesses, with a limit ----
"$LKST" start --quiet --budget 1% --buffer 4M --event sched_process_exit || fail watch_starts_with_a_limit 'there is no recording'
begin 2000000000
"$LKST" probe --quiet "w:my/storm w@$address:8"
echo >&"${target[1]}"
storm=$target_PID
children+=("$storm")
wait_until 60 is '$out{"my:storm"}' || fail a_storm_is_left_out "$("$LKST" probe --list -v; "$LKST" status)"
wait_until 60 is_detached
expect a_storm_is_left_out_by_detaching_it "$(is_detached && echo detached)" detached
kill "$storm"
wait "$storm" 2>/dev/null
"$LKST" stop --quiet
expect nothing_is_left "$(find /sys/fs/bpf -name '*lkst*' 2>/dev/null)" ''
exit $failed
