#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Profile first, trace second (G07): the handler `hist` counts in the kernel, by system call, thread, process
# and cgroup, and records nothing; what it shows to be slow is then recorded. The filter by cgroup.
. "$(dirname "$0")/lib/live.sh"
. "$lib/handler.sh"

needs_the_recorder
cd "$work" || exit

# How many values the histogram of map $1 has under key $2.
values()
{
	"$LKST" handler show hist --json | perl -MJSON::XS -e 'my $n = 0;
		for my $v (@{decode_json(<STDIN>)->{variables}}) {
			next unless $v->{name} eq $ARGV[0] && ($v->{key} // "") eq $ARGV[1];
			$n += $_->{count} for @{$v->{value}};
		}
		print $n' "$1" "$2"
}

# Runs `numbered` with 1 thread and $1 calls, in cgroup $2 if there is one.
call()
{
	(if [ -n "${2-}" ]; then echo "$BASHPID" >"$2/cgroup.procs"; fi && exec "$load/numbered" 1 "$1") \
		</dev/null >numbered.out
}

has_started=yes
"$LKST" start --quiet --budget none --buffer 16M --maskset RNOTHING
"$LKST" handler load hist --event 'syscall:*' --quiet
"$LKST" maskset --quiet -H hist 'profile+=syscall:*'
"$LKST" handler set hist pairs=1
"$LKST" maskset set profile --quiet

# ---- by system call, of all threads ----
call 7000
expect each_system_call_has_a_histogram "$(values pairs_ns syscall_entry_getpriority)" 7000
has_waited()
{
	[ "$(values pairs_ns syscall_entry_wait4)" -gt 0 ]
}
wait_until 60 has_waited
"$LKST" handler show hist >shown
expect calls_are_named "$(grep -c '^pairs_ns\[syscall_entry_getpriority\] = 7000 values' shown)" 1
expect calls_that_wait_are_there_too "$(($(values pairs_ns syscall_entry_wait4) > 0))" 1
"$LKST" snapshot --quiet -o profiled
expect profiling_records_nothing "$("$LKST" print --event 'syscall:*' profiled | wc -l)" 0

# ---- by thread and process ----
"$LKST" handler set hist by_thread=1
call 3000
expect each_thread_has_a_histogram "$(($(values intervals_ns "$(cut -d' ' -f2 numbered.out)") >= 3000))" 1
"$LKST" handler set hist by_thread=0 by_process=1
"$load/numbered" 2 1000 </dev/null >numbered.out &
process=$!
wait $process
expect each_process_has_a_histogram "$(($(values intervals_ns $process) >= 2000))" 1

# ---- what was slow is recorded ----
"$LKST" handler set hist slower_ns=1000000000
sleep 2 &
sleeper=$!
wait $sleeper
"$LKST" snapshot --quiet -o slow
expect slow_calls_are_recorded "$("$LKST" print --tid $sleeper --event 'syscall_exit_*' slow | grep -c nanosleep)" 1
expect others_are_not "$("$LKST" print --event syscall_exit_getpriority slow | wc -l)" 0

# ---- by cgroup, and the filter by cgroup ----
root=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
group=$root/lkst-test-$$
if [ -z "$root" ] || ! mkdir "$group" 2>/dev/null; then
	echo 'skip cgroups: no cgroup (version 2) can be made here'
	exit $failed
fi
inode=$(stat -c %i "$group")
"$LKST" handler set hist by_process=0 by_cgroup=1 slower_ns=-1 2>/dev/null && fail unsigned_takes_no_minus 'it does'
"$LKST" handler set hist by_process=0 by_cgroup=1
call 2500 "$group"
expect each_cgroup_has_a_histogram "$(($(values intervals_ns "$inode") >= 2500))" 1
"$LKST" handler load filter --event 'syscall:getpriority' --quiet
"$LKST" handler set filter t_cgroup="$group"
expect a_cgroup_is_set_by_its_directory "$(variable filter t_cgroup)" "$inode"
"$LKST" maskset --quiet -H filter 'filtered+=syscall:getpriority'
"$LKST" maskset set filtered --quiet
call 200
out=$(cut -d' ' -f2 numbered.out)
call 200 "$group"
in=$(cut -d' ' -f2 numbered.out)
"$LKST" snapshot --quiet -o filtered
rmdir "$group"
expect only_the_cgroup_is_recorded "$("$LKST" print --tid "$in" filtered --event 'syscall:getpriority' | wc -l) $(
	"$LKST" print --tid "$out" filtered --event 'syscall:getpriority' | wc -l)" '400 0'
expect_refusal other_directories_are_none 'is not a directory of a cgroup' handler set filter t_cgroup=/tmp
expect_refusal no_such_cgroup 'No such file' handler set filter t_cgroup=/sys/nowhere
exit $failed
