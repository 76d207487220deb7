#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# What stacks cost, as it is measured when recording starts, is of the order of what the kernel counts of the program that
# reads them, and the cost of a wait is counted with it. Without stacks nothing is measured.

. "$(dirname "$0")/lib/live.sh"
. "$lib/status.sh"

stats=/proc/sys/kernel/bpf_stats_enabled
needs_the_recorder
if ! before=$(cat $stats 2>/dev/null) || ! echo 1 >$stats 2>/dev/null; then
	skip_all "stack_cost: the kernel does not count the time of programs ($stats)"
fi
end()
{
	echo "$before" >$stats
	clean_up
}
at_exit end

has_started=yes
"$LKST" start --quiet --budget none --buffer 16M --event sched_switch 2>"$work/err" || fail start_without "$(cat "$work/err")"
expect without_stacks_they_are_not_measured "$(status 'scalar grep { $_ eq "stack" } @{$s->{cost}{measured}}')" 0
# Where other work disturbs every round, the figure is worked out from others, and the next start measures again.
starts=0
has_measured()
{
	"$LKST" stop --quiet
	starts=$((starts + 1))
	"$LKST" start --quiet --off-cpu 10s --budget none --buffer 16M --event sched_switch 2>"$work/err" &&
		[ "$(status 'scalar grep { $_ eq "stack" } @{$s->{cost}{measured}}')" = 1 ]
}
if wait_until 120 has_measured; then
	ok stacks_are_measured
else
	fail stacks_are_measured "not in $starts starts; $(cat "$work/err")"
fi
stack_ns=$(status '$s->{cost}{stack_ns}')

# "RUNS NS" of the program so far, by the kernel: BPF_OBJ_GET of the pin, and what /proc says of its descriptor.
kernel_counts()
{
	perl -e '
		my $path = "/sys/fs/bpf/lkst/program-tp_too__sched_switch\0";
		my $attr = pack("P x8", $path);
		my $fd = syscall($ARGV[0], 7, $attr, length $attr);
		die "$!\n" if $fd < 0;
		open my $f, "<", "/proc/self/fdinfo/$fd" or die "$!\n";
		my %of = map { /^(\w+):\s+(\d+)/ ? ($1 => $2) : () } <$f>;
		printf "%d %d\n", $of{run_cnt}, $of{run_time_ns};
	' "$(if [ "$(uname -m)" = x86_64 ]; then echo 321; else echo 280; fi)"
}

# Two processes that wait for each other, for so much of the one's CPU time, or 20 s.
wait_for_each_other()
{
	perl -e '
		pipe(my $a, my $b); pipe(my $c, my $d);
		if (!(my $pid = fork)) { close $b; close $c; while (sysread($a, my $x, 1)) { syswrite($d, "x", 1) } exit }
		my $end = time + 20;
		while (time < $end && (times)[0] + (times)[1] < 0.15) { for (1 .. 1000) { syswrite($b, "x", 1); sysread($c, my $x, 1) } }
		close $b; close $a; close $d;' &
	children+=($!)
	wait $!
}

# What else runs on the machine is counted with a program that it interrupts: the least of some rounds has least of it.
runs=0 mean=0
for ((i = 0; i < 10; i++)); do
	read -r runs_before ns_before < <(kernel_counts) || fail kernel_counts 'it does not'
	wait_for_each_other
	read -r runs_after ns_after < <(kernel_counts) || fail kernel_counts 'it does not'
	((runs_after > runs_before + 1000)) || continue
	round=$(((ns_after - ns_before) / (runs_after - runs_before)))
	((runs && round >= mean)) || mean=$round
	runs=$((runs + runs_after - runs_before))
done
echo "# measured: $stack_ns ns; by the kernel: $mean ns, of $runs runs"
# The stacks of that load are shallower, and not all of its switches are waits; and where other work takes the caches
# away between two of them, each costs several times what it does in the rounds by which it is measured.
if [ "$runs" -gt 1000 ] && [ "$stack_ns" -ge $((mean / 16)) ] && [ "$stack_ns" -le $((mean * 16)) ]; then
	ok a_stack_costs_what_the_kernel_counts
else
	fail a_stack_costs_what_the_kernel_counts "measured are $stack_ns ns, and the kernel counts $mean ns in $runs runs"
fi
expect a_wait_counts_with_its_stack "$(status '$cost{off_cpu}{hook_ns} == $s->{cost}{stack_ns} + $s->{cost}{hook_ns}{tracepoint}')" 1

exit $failed
