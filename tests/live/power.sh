#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# How often and how long each CPU slept, and what a hypervisor took of its time, by the kernel's own counts.

. "$(dirname "$0")/lib/live.sh"

# "CPU TIMES NS" of all its idle states by cpuidle, and "CPU STOLEN-MS" by /proc/stat, of each CPU.
cat >"$work/read" <<'END'
for cpu in /sys/devices/system/cpu/cpu[0-9]*; do
	cat $cpu/cpuidle/state*/usage 2>/dev/null | awk '{ n += $1 } END { printf "idle %d %.0f ", cpu, n }' cpu="${cpu##*/cpu}"
	cat $cpu/cpuidle/state*/time 2>/dev/null | awk '{ us += $1 } END { printf "%.0f\n", us * 1000 }'
done
awk -v hz="$(getconf CLK_TCK)" '/^cpu[0-9]/ { printf "steal %d %.0f\n", substr($1, 4), $9 * 1000 / hz }' /proc/stat
END
# It sleeps in many short pieces, and then keeps each CPU busy, for that is when time is stolen.
cat >"$work/load" <<'END'
. "$1/read" >"$1/inner.before"
for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.03; done
for i in $(seq "$(nproc)"); do timeout 0.7 sh -c 'while :; do :; done' & done
wait
. "$1/read" >"$1/inner.after"
END
. "$work/read" >"$work/outer.before"
if ! record trace --event 'power:*' -- bash "$work/load" "$work"; then
	fail power_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
. "$work/read" >"$work/outer.after"
expect_whole power_trace_is_whole "$work/trace"
"$LKST" analyze power --format json "$work/trace" >"$work/json"

# Says what is not between the kernel's counts within the recording and those around it: "idle CPU TIMES NS" and
# "steal CPU MS" of the analysis, and of each the four readings.
perl -MJSON::XS -0777 -e '
	sub readings {
		my %r;
		for my $name (qw(outer.before inner.before inner.after outer.after)) {
			open my $f, "<", "$ARGV[0]/$name" or die;
			for (split /\n/, <$f>) {
				my ($what, $cpu, @v) = split;
				push @{$r{$what}{$cpu}[$_]}, $v[$_] for 0 .. $#v;
			}
		}
		return \%r;
	}
	sub compare {
		my ($what, $got, $slack, @r) = @_;
		print "$what: $got, not ", $r[2] - $r[1], " to ", $r[3] - $r[0], "\n"
			if $got < $r[2] - $r[1] - $slack || $got > $r[3] - $r[0] + $slack;
	}
	my $r = readings();
	open my $f, "<", "$ARGV[0]/json" or die;
	my $t = decode_json(<$f>);
	my (%nr, %ns, %longest, %stolen);
	for (@{$t->{power_idle}{rows}}) {
		$nr{$_->{cpu}} += $_->{count};
		$ns{$_->{cpu}} += $_->{total_ns};
		$longest{$_->{cpu}} = $_->{max_ns} if $_->{max_ns} > ($longest{$_->{cpu}} // 0);
	}
	$stolen{$_->{cpu}} = $_->{stolen_ns} / 1e6 for @{$t->{power_steal}{rows}};
	for my $cpu (sort keys %{$r->{idle}}) {
		my ($times, $time) = @{$r->{idle}{$cpu}};
		next if !$times->[3];
		# The kernel counts an idle state when it ends, so that one at either reading may count or not.
		compare("idle times of CPU $cpu", $nr{$cpu} // 0, 2, @$times);
		compare("idle ns of CPU $cpu", $ns{$cpu} // 0, 2 * ($longest{$cpu} // 0) + 1e6, @$time);
	}
	# Up to 0.1 ms of each CPU is in no record, and the kernel shows whole ticks.
	compare("stolen ms of CPU $_", $stolen{$_} // 0, 21, @{$r->{steal}{$_}[0]}) for sort keys %{$r->{steal}};
' "$work" >"$work/wrong" 2>&1
expect power_is_what_the_kernel_counts "$(cat "$work/wrong")" ''

if [ -e /sys/devices/system/cpu/cpu0/cpuidle/state0/name ]; then
	expect power_names_idle_states "$("$LKST" print --event state_idle --format json "$work/trace" |
		perl -MJSON::XS -ne 'my $r = decode_json($_); $r = $r->{fields} // $r; print "$r->{idle_state} $r->{name}\n"')" \
		"$(for s in /sys/devices/system/cpu/cpu0/cpuidle/state*; do echo "${s##*state} $(cat "$s/name")"; done)"
else
	echo 'skip power_names_idle_states: this machine has no driver of idle states (cpuidle)'
fi
