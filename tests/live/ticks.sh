#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Ticks: a thread has as many as its CPU time, as the kernel accounts it, is long; as many of them in its program as of
# that time; they are in the function or the system call in which it is known to be; who sets a timer again and again
# has no more. No CPU has more than there are ticks, and none while it is idle.
. "$(dirname "$0")/lib/live.sh"

# The kernel's own counter of ticks, and the time.
jiffies()
{
	perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e '
		open my $f, "<", "/proc/timer_list" or exit 1;
		while (<$f>) { if (/^jiffies: (\d+)/) { printf "%d %.9f\n", $1, clock_gettime(CLOCK_MONOTONIC); exit } }
		exit 1'
}

if ! before=$(jiffies); then
	skip_all 'ticks: /proc/timer_list does not have the jiffies'
fi
if ! record on -e tick -e sched_switch -- "$load/ticking" 1.5 >"$work/said"; then
	skip_all "ticks: $(tail -n 1 "$work/on.log")"
fi
after=$(jiffies)
"$LKST" print --format json --event tick "$work/on" >"$work/records"

# "HZ TICKS-TOO-MANY OF-IDLE", then for each kind "NAME PID TICKS EXPECTED USER USER-SHARE CALL FUNCTION OUTSIDE": how many of
# its ticks are in its program, in that call, in its function; and how many say that and have an address elsewhere.
perl -MJSON::XS -e '
	my ($said, $records, $before, $after) = @ARGV;
	my ($jiffies, $since) = split " ", $before;
	my ($later, $until) = split " ", $after;
	my $hz = ($later - $jiffies) / ($until - $since);
	my (%kind, %of_cpu, $idle, $many);
	open my $f, "<", $said or die;
	while (<$f>) {
		my ($name, $pid, $at, $user, $system) = split;
		$kind{$pid} = { name => $name, at => $at, user => $user, us => $user + $system };
	}
	open $f, "<", $records or die;
	while (<$f>) {
		my $r = decode_json($_);
		my $t = $r->{fields} or next;
		$idle++ if !$r->{tid};
		push @{$of_cpu{$r->{cpu}}}, $r->{ns};
		my $k = $kind{$r->{tid}} or next;
		my $is_kernels = $t->{ip} >= 2 ** 63;
		$k->{nr}++;
		$k->{in_user}++ if $t->{where} == 4;
		$k->{in_call}++ if $t->{where} == 1;
		$k->{in_spin}++ if $t->{where} == 4 && $t->{ip} >= $k->{at} && $t->{ip} < $k->{at} + 4096;
		$k->{outside}++ if ($t->{where} == 4) == $is_kernels || ($t->{where} == 4 && $t->{call} != -1);
		$k->{calls}{$t->{call}}++;
	}
	for (values %of_cpu) {
		my $jiffies = ($_->[-1] - $_->[0]) / 1e9 * $hz;
		$many .= sprintf "%d in %.1f; ", scalar @$_, $jiffies if @$_ > $jiffies + 2 + $jiffies / 1000;
	}
	printf "hz %.0f\nmany %s\nidle %d\n", $hz, $many // "none", $idle // 0;
	printf "%s %d %d %.1f %d %.4f %d %d %d\n", $_->{name}, $_->{pid} // 0, $_->{nr} // 0, $_->{us} * $hz / 1e6,
		$_->{in_user} // 0, $_->{us} ? $_->{user} / $_->{us} : 0, $_->{in_call} // 0, $_->{in_spin} // 0, $_->{outside} // 0
		for values %kind;' "$work/said" "$work/records" "$before" "$after" >"$work/sums"

expect no_cpu_has_more_ticks_than_there_are "$(awk '$1 == "many" { $1 = ""; print }' "$work/sums")" ' none'
expect idle_cpus_have_none "$(awk '$1 == "idle" { print $2 }' "$work/sums")" 0
# Other work takes turns with these, and the host may take the CPU away, so that a tick comes late and counts once.
as_many='function as_many(n, w) { d = n - w; e = 4 * sqrt(w) + w / 8 + 2; return d * d <= e * e }'
for kind in program call; do
	expect "ticks_are_as_many_as_the_cpu_time_is_long_of_the_$kind" "$(awk -v kind=$kind "$as_many"'
		$1 == kind { print (as_many($3, $4) ? "yes" : $3 " and not " $4) }' "$work/sums")" yes
	# The kernel divides the time between both by what it saw at the same ticks.
	expect "as_many_are_in_the_program_as_of_the_time_of_the_$kind" "$(awk -v kind=$kind '
		$1 == kind { n = $3; d = (n ? $5 / n : -1) - $6; e = (n ? 2 / sqrt(n) : 0) + 0.02
			print (d * d <= e * e ? "yes" : $5 " of " n " and not " $6) }' "$work/sums")" yes
done
# Its timers expire thousands of times a second.
expect who_sets_timers_has_no_more "$(awk "$as_many"'$1 == "naps" { print ($3 <= $4 || as_many($3, $4) ? "yes" : $3 " and not " $4) }' \
	"$work/sums")" yes
expect the_program_is_in_its_function "$(awk '$1 == "program" { print ($8 >= 0.9 * $5 && $5 ? "yes" : $8 " of " $5) }' "$work/sums")" yes
# How many are in the program instead is compared above.
expect the_call_is_in_its_call "$(awk '$1 == "call" { n = $3 - $5; print ($7 >= 0.9 * n && n > $3 / 2 ? "yes" : $7 " of " n ", " $5 " in it") }' \
	"$work/sums")" yes
expect addresses_are_where_the_thread_is "$(awk 'NF == 9 { sum += $9 } END { print sum + 0 }' "$work/sums")" 0

# ---- those who read them ----

pid_of()
{
	awk -v kind="$1" '$1 == kind { print $2 }' "$work/said"
}
nr_of()
{
	awk -v kind="$1" '$1 == kind { print $3 }' "$work/sums"
}
names()
{
	"$LKST" print --event tick --tid "$(pid_of "$1")" "$work/on" | grep -oE 'call=[a-z0-9_]+ where=[a-z]+' | sort | uniq -c | sort -rn |
		head -n 1 | sed 's/^ *[0-9]* //'
}
expect print_names_the_call "$(names call)" 'call=read where=call'
# Functions of the kernel have the names that the kernel gives them.
expect print_names_functions_as_the_kernel_does "$("$LKST" print --event tick --tid "$(pid_of call)" "$work/on" |
	sed -n 's/.* ip=\([a-z_][A-Za-z0-9_.]*\)+0x.*/\1/p' | sort -u | awk 'FILENAME == "-" { asked[$1] } FILENAME != "-" && $3 in asked { delete asked[$3] }
		END { for (name in asked) print name }' - /proc/kallsyms)" ''
for kind in program call; do
	expect "analysis_counts_the_same_of_the_$kind" "$("$LKST" analyze ticks --tid "$(pid_of $kind)" --format json "$work/on" 2>/dev/null |
		perl -0ne 'print $1 if /"ticks_threads":.*?"samples":(\d+)/s')" "$(nr_of $kind)"
done
top_of()
{
	"$LKST" analyze ticks --tid "$(pid_of "$1")" --format json "$work/on" 2>/dev/null |
		perl -MJSON::XS -0ne 'my $row = decode_json($_)->{ticks}{rows}[0]; print "$row->{doing} $row->{function}"'
}
expect analysis_names_the_function "$(top_of program)" 'its program spin'
expect analysis_names_the_call "$(top_of call | cut -d ' ' -f 1)" 'read()'
said=$("$LKST" why --tid "$(pid_of program)" "$work/on" 2>&1)
expect why_says_where_it_ran "$(grep -cE 'at [0-9]+ of [0-9]+ ticks? in its program, at [0-9]+ of these in spin\(\) \(ticking\)' <<<"$said" |
	sed 's/^[1-9][0-9]*$/some/')" some

# ---- beside other events ----

# Packets to itself: what receives them is a softirq that is served in the call that sends.
send_to_itself()
{
	perl -MIO::Socket::INET -e '
		my $to = IO::Socket::INET->new(Proto => "udp", LocalAddr => "127.0.0.1") or die;
		my $from = IO::Socket::INET->new(Proto => "udp", PeerAddr => "127.0.0.1", PeerPort => $to->sockport) or die;
		my $until = times + 0.3;
		while (times < $until) { for (1 .. 100) { $from->send("x" x 1000); $to->recv(my $text, 1000) } }'
}
export -f send_to_itself
record beside --buffer 32M -e tick -e sched_switch -e 'softirq_*' -e 'syscall:*' -- bash -c send_to_itself
report ticks_agree_with_the_other_events perl "$lib/ticks.pl" "$LKST" "$work/beside"

exit $failed
