#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# `lkst why` against waits whose reasons are known by construction (load/waits.c, load/slowdisk.c): it must
# name the same threads, disks and timers, and give the same times.

. "$(dirname "$0")/lib/live.sh"

# seconds NS: as --from and --to take them
seconds()
{
	printf '@%d.%09d' $(($1 / 1000000000)) $(($1 % 1000000000))
}

# explain CASE: what `lkst why` says of the interval in $work/CASE.truth
explain()
{
	local tid from to

	tid=$(sed 's/.* tid=\([0-9]*\).*/\1/' "$work/$1.truth")
	from=$(sed 's/.* from=\([0-9]*\).*/\1/' "$work/$1.truth")
	to=$(sed 's/.* to=\([0-9]*\).*/\1/' "$work/$1.truth")
	"$LKST" why --tid "$tid" --from "$(seconds "$from")" --to "$(seconds "$to")" \
		--format json "$work/$1"
}

# compare CASE
compare()
{
	perl -MTrace - "$work/$1.truth" "$work/$1.json" <<'END'
use strict;
my ($truth_file, $json_file) = @ARGV;
my ($case, %truth, @bad);

# The time that a thread spends between two system calls, as for reading the clock, and waiting for a CPU.
use constant SLACK => 3_000_000;

sub slurp {
	open(my $in, '<', $_[0]) or die "$_[0]: $!";
	local $/;
	return <$in>;
}

sub want {
	my ($condition, $what) = @_;
	push @bad, $what unless $condition;
	return $condition;
}

sub near {
	my ($got, $want, $what) = @_;
	want(defined $got && $got >= $want - SLACK && $got <= $want + SLACK,
		"$what is " . ($got // 'not there') . ", not $want");
}

# The first step of kind $kind of thread $tid (0: any) directly below $step that satisfies $test.
sub below {
	my ($step, $kind, $tid, $test) = @_;
	for my $s (@{$step->{steps}}) {
		next if $s->{kind} ne $kind || ($tid && $s->{thread}{tid} != $tid);
		return $s if !$test || $test->($s->{facts});
	}
	push @bad, "there is no step \"$kind\" of thread $tid below: $step->{text}";
	return { steps => [], facts => {}, text => '', from_ns => 0, to_ns => 0 };
}

# A wait of thread $tid that $waker ended.
sub woken_by {
	my ($step, $tid, $waker) = @_;
	return below($step, 'blocked', $tid, sub { ($_[0]{waker} // {tid => 0})->{tid} == $waker });
}

# A wait of thread $tid for a timer that it had set for $ns.
sub slept {
	my ($step, $tid, $ns) = @_;
	my $s = below($step, 'blocked', $tid, sub { $_[0]{trigger} eq 'timer' });
	near($s->{facts}{timer_ns}, $ns, "the sleep of $tid");
	want(!defined $s->{facts}{timer_tid}, "it was not the thread itself that had set the timer");
	want($s->{text} =~ /that it had set/, "\"$s->{text}\" does not tell who had set the timer");
	return $s;
}

# Time from $from to $to that lies in a step.
sub overlap {
	my ($s, $from, $to) = @_;
	$from = $s->{from_ns} if $s->{from_ns} > $from;
	$to = $s->{to_ns} if $s->{to_ns} < $to;
	return $to > $from ? $to - $from : 0;
}

sub everywhere {
	my ($step, $each) = @_;
	$each->($step);
	everywhere($_, $each) for @{$step->{steps}};
}

my ($line) = slurp($truth_file) =~ /^truth (.*)$/m or die 'the workload told nothing';
($case, my @pairs) = split ' ', $line;
%truth = map { split /=/, $_, 2 } @pairs;
my $account = parse_json(slurp($json_file));
my $top = $account->{steps}[0];
my %f = %{$top->{facts}};
my $sum = 0;

$sum += $f{$_} // 0 for qw(ran_ns ready_ns blocked_ns absent_ns unknown_ns);
want($sum == $truth{to} - $truth{from}, "the parts make $sum, not $truth{to} - $truth{from}");
# A machine may hide a thread from everybody: after it has run, its CPU's records begin again with
# those of the next thread.
want(($f{unknown_ns} // 0) < SLACK, "$f{unknown_ns} ns are not known");
want($top->{thread}{tid} == $truth{tid}, "it is about thread $top->{thread}{tid}");
my $wait = below($top, 'blocked', $truth{tid});
want(($wait->{facts}{call} // '') eq $truth{call}, "the wait is said to be in $wait->{facts}{call}");

# Each step must cite events, and lie within the one above but for what began before it.
everywhere($top, sub {
	my ($s) = @_;
	want(@{$s->{events}} > 0, "no event is cited for: $s->{text}")
		unless $s->{kind} =~ /^(interval|rest|gap|absent|unknown)$/;
	want($_->{to_ns} <= $s->{to_ns}, "a step ends after the one that it explains: $_->{text}")
		for grep { $_->{kind} ne 'gap' } @{$s->{steps}};
});

if ($case eq 'convoy') {
	my @holders = split /,/, $truth{holders};
	my ($at, $tid) = ($top, $truth{tid});
	for my $holder (@holders) {
		$at = woken_by($at, $tid, $holder);
		want(($at->{facts}{futex} // '') eq $truth{lock},
			"the lock is said to be at " . ($at->{facts}{futex} // 'no address'));
		want($at->{text} =~ /released it/, "\"$at->{text}\" does not show a release");
		slept($at, $holder, $truth{hold});
		$tid = $holder;
	}
	near($wait->{to_ns} - $wait->{from_ns}, $truth{to} - $truth{from}, 'the wait');
} elsif ($case eq 'inversion') {
	my $s = woken_by($top, $truth{tid}, $truth{holder});
	my $ready = below($s, 'ready', $truth{holder},
		sub { ($_[0]{occupant} // {tid => 0})->{tid} == $truth{hog} });
	near($ready->{facts}{occupied_ns}, overlap($s, $truth{hog_from}, $truth{hog_to}), 'the hog\'s time');
	want(($ready->{facts}{cpu} // -1) == $truth{cpu}, 'it is another CPU');
	want($ready->{text} =~ /real-time/, "\"$ready->{text}\" does not tell why");
} elsif ($case eq 'sleep') {
	my $s = slept($top, $truth{tid}, $truth{sleep});
	near($s->{to_ns} - $s->{from_ns}, $truth{sleep}, 'the wait');
} elsif ($case eq 'hog') {
	my $s = slept($top, $truth{tid}, $truth{sleep});
	my $ready = below($top, 'ready', $truth{tid},
		sub { ($_[0]{occupant} // {tid => 0})->{tid} == $truth{hog} });
	near($ready->{facts}{occupied_ns}, overlap($ready, $truth{hog_from}, $truth{hog_to}),
		'the hog\'s time');
	near($ready->{to_ns} - $ready->{from_ns}, $truth{hog_to} - $s->{to_ns}, 'the time it was ready');
	want(($ready->{facts}{cpu} // -1) == $truth{cpu}, 'it is another CPU');
} elsif ($case eq 'pipes') {
	my @holders = split /,/, $truth{holders};
	my $at = $top;
	$at = woken_by($at, $_->[0], $_->[1])
		for [$truth{tid}, $holders[0]], [$holders[0], $holders[1]], [$holders[1], $holders[2]];
	slept($at, $holders[2], $truth{sleep});
	near($wait->{to_ns} - $wait->{from_ns}, $truth{to} - $truth{from}, 'the wait');
} elsif ($case eq 'child' || $case eq 'socket') {
	my $s = woken_by($top, $truth{tid}, $truth{waker});
	slept($s, $truth{waker}, $truth{sleep});
	want($s->{text} =~ /by ending/, "\"$s->{text}\" does not show the end") if $case eq 'child';
} elsif ($case eq 'tcp') {
	my $s = below($top, 'blocked', $truth{tid}, sub { $_[0]{trigger} eq 'packet' });
	my $packet = below($s, 'packet', $truth{waker});
	want(($s->{facts}{interface} // '') eq 'lo', 'the packet did not come over lo');
	slept($s, $truth{waker}, $truth{sleep});
} elsif ($case eq 'disk') {
	my $s = below($top, 'blocked', $truth{tid}, sub { $_[0]{trigger} eq 'disk' });
	my $request = below($s, 'request', 0);
	want(($_->{facts}{disk} // '') eq $truth{disk}, "the disk is said to be $_->{facts}{disk}")
		for $s, $request;
	want(($request->{facts}{ahead} // -1) == $truth{ahead},
		"requests ahead: " . ($request->{facts}{ahead} // 'not known') . ", not $truth{ahead}");
	near($request->{to_ns} - $request->{from_ns}, $truth{to} - $truth{from}, 'the request');
	# The thread that does the disk's work waits for the server's answers, which sleeps each time.
	my ($nr, $slept) = (0, 0);
	everywhere($request, sub {
		my ($step) = @_;
		return if $step->{thread}{tid} != $truth{server} || $step->{kind} ne 'blocked';
		$nr++ if ($step->{facts}{trigger} // '') eq 'timer';
		$slept += $step->{to_ns} - $step->{from_ns};
	});
	want($nr >= $truth{ahead} + 1, "the server is said to have slept $nr times");
	# Its first sleep had begun, by the pauses between the threads.
	want($slept >= ($truth{ahead} + 1) * $truth{delay} - 2 * SLACK,
		"the server is said to have slept for $slept ns");
} else {
	push @bad, "no such case: $case";
}
result("why_${case}_tells_the_truth", @bad);
END
}

# The times of the workloads are right only if nobody else takes their CPUs meanwhile: so each may be tried again.
check()
{
	local name=$1 try

	shift
	for try in {1..10}; do
		rm -rf "${work:?}/$name"
		if ! record "$name" --buffer 64M -- "$@" >"$work/$name.truth"; then
			case $(<"$work/$name.log") in
			*/dev/fuse* | */dev/loop* | *'real-time priority: Operation not permitted'*)
				echo "skip why_${name}_tells_the_truth: $(<"$work/$name.log")" ;;
			*) fail "why_${name}_tells_the_truth" "$(tail -n 3 "$work/$name.log")" ;;
			esac
			return
		fi
		explain "$name" >"$work/$name.json"
		compare "$name" >"$work/$name.compared" 2>"$work/$name.errors"
		! grep -q '^ok ' "$work/$name.compared" || break
		cat "$work/$name.compared" >&2
	done
	cat "$work/$name.errors" >&2
	report "why_${name}_tells_the_truth" cat "$work/$name.compared"
}

for name in convoy inversion sleep pipes hog child socket tcp; do
	check "$name" "$load/waits" "$name"
done
check disk "$load/slowdisk"

# The longest wait in the calls of a kind is the one that the workload made.
for pair in syscall:futex:convoy wait:futex:convoy syscall:wait4:child io:pread64:disk; do
	IFS=: read -r kind call name <<<"$pair"
	[ -s "$work/$name.json" ] || continue
	tid=$(sed 's/.* tid=\([0-9]*\).*/\1/' "$work/$name.truth")
	got=$("$LKST" why --worst "$kind" --call "$call" --tid "$tid" --format json "$work/$name" |
		sed 's/.*"kind":"interval"[^{]*{"tid":\([0-9]*\).*/\1/')
	if [ "$got" = "$tid" ]; then
		ok "why_finds_worst_${kind}_$call"
	else
		fail "why_finds_worst_${kind}_$call" "it is of thread ${got:0:200}, not $tid"
	fi
done
exit $failed
