#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Samples: of a load whose functions have known shares of its CPU time there are as many as that time is long, by
# the kernel's own account, and they are in these functions as often; a stack of known depth is whole; waits of known
# length have their stacks; stacks stay as long as their samples in a small ring; nothing stays attached.

. "$(dirname "$0")/lib/live.sh"

hz=997

if ! record on --sample $hz --off-cpu 10ms -e 'sched_switch' -- "$load/sampled" 1 >"$work/said"; then
	skip_all "sample: $(tail -n 1 "$work/on.log")"
fi
"$LKST" print --format json -e sample -e stack -e off_cpu "$work/on" >"$work/records"

# "COUNT EXPECTED ALPHA BETA DEEPEST WAITS LONG-WAITS WITHOUT" of the load's samples. Functions are told by their addresses.
perl - "$work/said" "$work/records" $hz >"$work/sums" <<'END'
	my ($said, $records, $hz) = @ARGV;
	my (%at, %stack, %caller, @samples, @waits);
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
			my ($id, $ns, $tid) = /"stack":(\d+),"duration_ns":(\d+),"target_tid":(\d+)/ or die $_;
			push @waits, [ $id, $ns ] if $tid == $at{pid};
		}
	}
	my ($alpha, $beta, $deepest, $without, $naps) = (0, 0, 0, 0, 0);
	for my $id (@samples) {
		my @names;
		$without++ if $id && !$stack{$id};
		for (my $of = $id; $of && $stack{$of}; $of = $caller{$of}) { push @names, map { name_of($_) } @{$stack{$of}} }
		my $path = " @names ";
		my $deep = () = $path =~ /\bdeep\b/g;
		$deepest = $deep if $deep > $deepest && $path =~ /\balpha .*\bdeep .*\bmain\b/;
		next if $deep;
		$alpha++ if $path =~ / alpha /;
		$beta++ if $path =~ / beta /;
	}
	for (@waits) {
		my ($id, $ns) = @$_;
		next unless $caller{$id} && $stack{$caller{$id}};
		$naps++ if $ns >= 20e6 && @{$stack{$id}};
	}
	printf "%d %d %d %d %d %d %d\n", scalar @samples, $hz * $at{cpu} / 1e9, $alpha, $beta, $deepest, $naps, $without;
END
read -r nr wanted alpha beta deepest naps without <"$work/sums"

# A timer's interrupt that comes late, as where the host takes the CPU away, counts once.
expect samples_are_as_many_as_the_cpu_time_is_long \
	"$(awk -v n="${nr:-0}" -v w="${wanted:-1}" 'BEGIN { d = n - w; e = 3 * sqrt(w) + w / 8; print (d * d <= e * e ? "yes" : n " and not " w) }')" yes
expect shares_of_functions_are_the_known_ones \
	"$(awk -v a="${alpha:-0}" -v b="${beta:-0}" 'BEGIN { n = a + b; e = n ? 3 * sqrt(0.75 * 0.25 / n) + 0.01 : 0
		s = n ? a / n : 0; print (s > 0.75 - e && s < 0.75 + e ? "yes" : a " and " b) }')" yes
expect a_deep_stack_is_whole "$deepest" 31
expect naps_have_their_stacks "$([ "${naps:-0}" -ge 3 ] && echo yes)" yes
expect every_sample_has_its_stack "$without" 0

# The analysis counts the same samples: those of the load's threads, by the trace's own names.
expect profile_counts_the_same "$("$LKST" analyze profile --comm sampled --format json "$work/on" 2>/dev/null |
	perl -0ne 'print $1 if /"profile_threads":.*?"samples":(\d+)/s')" "$nr"
expect profile_knows_the_waits \
	"$("$LKST" analyze profile --comm sampled "$work/on" 2>/dev/null | grep -q nanosleep && echo yes)" yes

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
