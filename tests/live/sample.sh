#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Samples: of a load whose functions have known shares of its CPU time there are as many as that time is long, by
# the kernel's own account, and they are in these functions as often; a stack of known depth is whole; waits of known
# length have their stacks; stacks stay as long as their samples in a small ring; nothing stays attached.

. "$(dirname "$0")/lib/live.sh"

hz=997

if ! record on --sample $hz --off-cpu 10ms -e 'sched_switch' -- "$load/sampled" 1 >"$work/said"; then
	skip_all "sample: $(tail -n 1 "$work/on.log")"
fi
"$LKST" print --format json -e sample -e stack -e off_cpu -e sched_switch "$work/on" >"$work/records"

# "COUNT EXPECTED ALPHA BETA DEEPEST LONG-WAITS LEAST MOST WITHOUT ALPHA-IN-ALL" of the load's samples. Functions are told
# by their addresses. LEAST and MOST are how many waits of 10 ms there were by the switches: a nap is as long as the
# thread was off its CPU, which is less than it asked for where it lost the CPU after it had set its timer. The two
# programs at a switch read the clock one after the other: a wait within 1 ms of the limit may be in or out.
perl - "$work/said" "$work/records" $hz >"$work/sums" 2>"$work/naps" <<'END'
	my ($said, $records, $hz) = @ARGV;
	my (%at, %stack, %caller, @samples, @waits, $left);
	my ($least, $most) = (0, 0);
	open my $f, '<', $said or die;
	while (<$f>) { $at{$1} = $2 if /^(\w+) (\d+)$/ }
	my @functions = sort { $at{$a} <=> $at{$b} } grep { !/^(cpu|pid)$/ } keys %at;
	sub name_of {
		my ($address) = @_;
		my $name = '';
		for (@functions) { $name = $_ if $at{$_} <= $address && $address < $at{$_} + 4096 }
		return $name;
	}
	open $f, '<', $records or die;
	while (<$f>) {
		if (/"event":"stack"/) {
			my ($id, $caller) = /"stack":(\d+),"caller":(\d+)/ or die $_;
			my ($list) = /"frames":\[([^]]*)\]/ or die $_;
			$stack{$id} = [ split /,/, $list ];
			$caller{$id} = $caller;
		} elsif (/"event":"sample"/ && /"comm":"sampled"/) {
			push @samples, /"stack":(\d+)/;
		} elsif (/"event":"off_cpu"/) {
			my ($id, $tid) = /"stack":(\d+),"duration_ns":\d+,"target_tid":(\d+)/ or die $_;
			push @waits, $id if $tid == $at{pid};
		} elsif (/"event":"sched_switch"/) {
			my ($ns, $tid, $next, $state) = /"ns":(\d+),.*"tid":(\d+),.*"next_tid":(\d+),"prev_state":(\d+)/ or die $_;
			if ($next == $at{pid} && defined $left) {
				$least++ if $ns - $left >= 11e6;
				$most++ if $ns - $left >= 9e6;
			}
			$left = $state ? $ns : undef if $tid == $at{pid};
		}
	}
	my ($alpha, $beta, $deepest, $without, $naps, $all) = (0, 0, 0, 0, 0, 0);
	for my $id (@samples) {
		my @names;
		$without++ if $id && !$stack{$id};
		for (my $of = $id; $of && $stack{$of}; $of = $caller{$of}) { push @names, map { name_of($_) } @{$stack{$of}} }
		my $path = " @names ";
		my $deep = () = $path =~ /\bdeep\b/g;
		$all++ if $path =~ / alpha /;
		$deepest = $deep if $deep > $deepest && $path =~ /\balpha .*\bdeep .*\bmain\b/;
		next if $deep;
		$alpha++ if $path =~ / alpha /;
		$beta++ if $path =~ / beta /;
	}
	for (@waits) {
		my $has_both = $stack{$_} && @{$stack{$_}} && $caller{$_} && $stack{$caller{$_}};
		$has_both ? $naps++ : print STDERR "the wait with stack $_ has not both of its stacks\n";
	}
	printf "%d %d %d %d %d %d %d %d %d %d\n", scalar @samples, $hz * $at{cpu} / 1e9, $alpha, $beta, $deepest, $naps, $least,
		$most, $without, $all;
END
read -r nr wanted alpha beta deepest naps least most without all <"$work/sums"

# A timer's interrupt that comes late, as where the host takes the CPU away, counts once.
expect samples_are_as_many_as_the_cpu_time_is_long \
	"$(awk -v n="${nr:-0}" -v w="${wanted:-1}" 'BEGIN { d = n - w; e = 3 * sqrt(w) + w / 8; print (d * d <= e * e ? "yes" : n " and not " w) }')" yes
expect shares_of_functions_are_the_known_ones \
	"$(awk -v a="${alpha:-0}" -v b="${beta:-0}" 'BEGIN { n = a + b; e = n ? 3 * sqrt(0.75 * 0.25 / n) + 0.01 : 0
		s = n ? a / n : 0; print (s > 0.75 - e && s < 0.75 + e ? "yes" : a " and " b) }')" yes
expect a_deep_stack_is_whole "$deepest" 31
expect naps_have_their_stacks "$([ "${naps:-0}" -ge 1 ] && [ "$naps" -ge "$least" ] && [ "$naps" -le "$most" ] && echo yes ||
	echo "${naps:-0} of $least to $most; $(cat "$work/naps")")" yes
expect every_sample_has_its_stack "$without" 0

# The analysis counts the same samples: those of the load's threads, by the trace's own names.
expect profile_counts_the_same "$("$LKST" analyze profile --comm sampled --format json "$work/on" 2>/dev/null |
	perl -0ne 'print $1 if /"profile_threads":.*?"samples":(\d+)/s')" "$nr"
expect profile_knows_the_waits \
	"$("$LKST" analyze profile --comm sampled "$work/on" 2>/dev/null | grep -q nanosleep && echo yes)" yes

# Functions of the program by name are those that it has itself said the addresses of.
"$LKST" analyze profile --comm sampled --format json "$work/on" >"$work/profile.json" 2>/dev/null
# Column $3 of the row of table $1 whose function is $2, in the program's own file.
of_function()
{
	perl -MJSON::PP -e 'my ($table, $name, $column) = @ARGV;
		for my $t (decode_json(do { local $/; <STDIN> })->{$table}) {
			for my $row (@{ref $t eq "HASH" ? $t->{rows} : $t}) {
				print $row->{$column} if $row->{function} eq $name && $row->{where} eq "sampled";
			}
		}' "$@" <"$work/profile.json"
}
expect profile_has_the_functions_of_programs "$(of_function profile alpha total_samples)" "${all:-none}"
"$LKST" export --quiet --format folded --comm sampled --output - "$work/on" >"$work/folded" 2>/dev/null
expect folded_has_the_functions_of_programs \
	"$(grep -cE '^sampled-[0-9]+;.*main;(deep;){31}alpha(;| )' "$work/folded" | awk '{ print ($1 > 0 ? "yes" : "no") }')" yes
expect why_says_in_which_function_it_ran \
	"$("$LKST" why --tid "$(awk '$1 == "pid" { print $2 }' "$work/said")" "$work/on" 2>/dev/null |
		grep -cE 'of it in (alpha|main)\(\) \(sampled\)' | awk '{ print ($1 > 0 ? "yes" : "no") }')" yes

# What the kernel cuts is said to be cut.
deepest_was=$(cat /proc/sys/kernel/perf_event_max_stack)
# The kernel takes another limit when the last program that reads stacks is gone, which is some time after its process.
limit_stacks()
{
	{ echo "$1" >/proc/sys/kernel/perf_event_max_stack; } 2>/dev/null
}
at_exit 'wait_until 30 limit_stacks "$deepest_was"; clean_up'
if wait_until 10 limit_stacks 12; then
	record shallow --sample $hz -e sched_switch -- "$load/sampled" 0.3 >/dev/null
	wait_until 30 limit_stacks "$deepest_was" || fail stacks_can_be_deep_again 'the limit stays'
	"$LKST" print --format json -e stack "$work/shallow" >"$work/stacks"
	expect stacks_of_12_frames_are_cut "$(perl -ne '
		my ($flags) = /"flags":(\d+)/;
		my $nr = () = (/"frames":\[([^]]*)\]/)[0] =~ /\d+/g;
		$wrong++ if $nr > 12 || ($nr == 12) != (($flags & 2) != 0);
		$cut++ if $flags & 2;
		END { print $cut && !$wrong ? "yes" : "$cut cut, $wrong wrong" }' "$work/stacks")" yes
else
	echo 'skip stacks_of_12_frames_are_cut: kernel.perf_event_max_stack cannot be set: other programs read stacks'
fi

# A process that is killed leaves nothing attached.
attached()
{
	bpftool prog show | grep -E 'name (perf_event__|tp_too__)'
}
"$LKST" record --quiet --output "$work/killed" --sample 99 --off-cpu 1s -e sched_switch &
children+=($!)
wait_until 30 test -e "$work/killed/metadata"
expect samples_are_taken_by_a_program "$(attached | grep -c perf_event__)" 1
kill -KILL "${children[-1]}"
wait "${children[-1]}" 2>/dev/null
gone()
{
	! attached >/dev/null
}
wait_until 10 gone
expect a_killed_recording_leaves_nothing "$(attached)" ''

# Of a recording that needs no process, the smallest buffers: what is still there has its stacks.
if "$LKST" start --quiet --buffer 64K --sample $hz --budget none -e sched_switch 2>"$work/start.log"; then
	has_started=yes
	"$load/sampled" 0.5 >/dev/null
	"$LKST" snapshot --quiet --output "$work/small" 2>"$work/snapshot.log"
	expect samples_go_on_without_a_process "$("$LKST" print -e sample --comm sampled "$work/small" | head -n 20 | wc -l)" 20
	expect small_rings_keep_stacks \
		"$("$LKST" analyze profile --comm sampled "$work/small" 2>/dev/null | grep 'was overwritten')" ''
	"$LKST" stop --quiet
	has_started=no
	wait_until 10 gone
	expect stop_detaches_samples "$(attached)" ''
else
	fail samples_go_on_without_a_process "$(cat "$work/start.log")"
fi

# Cycles, where the machine counts them.
if record cycles --sample $hz --cycles -e sched_switch -- "$load/sampled" 0.3 >/dev/null; then
	expect cycles_give_samples "$("$LKST" print -e sample --comm sampled "$work/cycles" | head -n 20 | wc -l)" 20
else
	echo "skip cycles_give_samples: $(tail -n 1 "$work/cycles.log")"
fi
expect_refusal cycles_are_of_samples '--cycles says how samples are taken' record --cycles -o "$work/none" true
exit $failed
