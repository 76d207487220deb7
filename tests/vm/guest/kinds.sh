#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# All kinds of events in one recording: system calls, a tracepoint of the kernel, returns of one of its functions, a probe
# in the kernel, one in a program, counters, and memory that is watched. Each is as often there as the program that makes
# them says, or as another kind of event (row M05 of doc/heritage.md).
# seconds: 10
. /tests/lib.sh

nr=30

case $(uname -m) in
aarch64) first=x0 third=x2 ;;
*) first=di third=dx ;;
esac

# The records of event $1 that the program made.
count()
{
	lkst print --event "$1" "$work/trace" | grep -c '/watched '
}

# expect_count NAME EVENT NUMBER
expect_count()
{
	expect_none "kinds_$1" "$([ "$(count "$2")" = "$3" ] || echo "$(count "$2") records, not $3; $(cat "$work/said")")"
}

lkst start --quiet --budget none --buffer 4M --event 'syscall:getppid' --event 'page_fault*' --counters page-faults \
	>"$work/said" 2>&1
expect_none kinds_starts "$(cat "$work/said")"
mkfifo "$work/go"
"$load/watched" $nr <"$work/go" >"$work/out" &
pid=$!
exec 3>"$work/go"
until [ -s "$work/out" ]; do
	sleep 0.1
done
address=$(head -n 1 "$work/out")
lkst probe --quiet "p:all/kernel vfs_write count=%$third:u64 if count == 3" >"$work/said" 2>&1
lkst probe --quiet "w:all/memory w@$address:8 value=+u0(\$addr):s64" >>"$work/said" 2>&1
lkst probe --quiet -x "$load/watched" "all:program=watched_step i=%$first:s64" >"$work/refused" 2>&1
lkst probe --list -v >"$work/list" 2>&1
echo >&3
exec 3>&-
wait $pid
expect_none kinds_program_ends "$([ "$(tail -n 1 "$work/out")" = $((3 * nr * (nr + 1) / 2)) ] || cat "$work/out")"
lkst snapshot --quiet --output "$work/trace"
expect_count system_calls syscall_entry_getppid $nr
expect_count functions all:kernel $nr
if grep -q 'may preempt a program' "$work/refused"; then
	echo 'skip kinds_programs: this kernel may preempt a program at a probe of one'
else
	expect_count programs all:program $nr
fi
if grep -q 'does not watch memory' "$work/said"; then
	echo "skip kinds_memory: $(grep 'does not watch memory' "$work/said")"
else
	# An emulated processor comes to the instruction itself and then to the next one, and tells of both.
	expect_none kinds_memory "$(lkst print --event all:memory "$work/trace" | sed -n 's/.*value=//p' | uniq >"$work/got"
		seq 3 3 $((3 * nr)) | cmp - "$work/got" 2>&1)"
	expect_none kinds_memory_is_listed "$(grep -q 'debug register, 0 hits' "$work/list" || cat "$work/list")"
fi
# Each fault that begins ends: tracepoints at its begin, a function's return at its end. One that is tried again ends later.
faults=$(($(count page_fault_user) + $(count page_fault_kernel)))
expect_none kinds_has_faults "$([ $faults -gt 10 ] || echo "$faults faults")"
again=$(lkst print --event page_fault_exit "$work/trace" | grep '/watched ' | grep -c 'result=[a-z|]*retry')
expect_count returns page_fault_exit $((faults + again))
# The counter has those that the kernel handled, of a thread that was switched to and from.
expect_none kinds_counters "$(lkst print --event perf_counters "$work/trace" | grep -q . || echo 'no record')"
lkst stop --quiet
