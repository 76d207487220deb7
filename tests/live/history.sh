#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# How many seconds the memory holds, as `lkst status` says, is what a snapshot spans, from the first to the last
# record of the CPU; and `lkst start --history` chooses the memory for a time.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
has_started=yes

# One number of the status, by a perl expression on it.
status()
{
	"$LKST" status --json | perl -MJSON::XS -e '
		my $s = decode_json(do { local $/; <STDIN> });
		my %held = map { $_->{buffer} => $_ } @{$s->{history}{buffers}};
		my ($main) = grep { $_->{buffer} eq "main" && $_->{cpu} == 0 } @{$s->{rings}};
		print eval $ARGV[0];' "$1"
}

# Waits, at most $1 s, until the expression $2 is true.
wait_until()
{
	local end=$((SECONDS + $1))

	until [ "$(status "($2) ? 1 : 0")" = 1 ]; do
		[ $SECONDS -lt $end ] || return
		sleep 0.3
	done
}

# Calls getpriority(2) on CPU 0, before most else that wants that CPU, $1 at a time, with $2 s between.
call()
{
	exec taskset -c 0 nice -n -10 perl -e '
		use Time::HiRes qw(sleep);
		while (1) { getpriority(0, 0) for 1 .. $ARGV[0]; sleep $ARGV[1] }' "$1" "$2"
}

# ---- what status says ----
call 20 0.004 &
children+=($!)
"$LKST" start --budget none --buffer 256K --event syscall:getpriority >"$work/started" 2>"$work/err" ||
	fail history_start "$(cat "$work/err")"
if grep -q '^main holds .* at the rate of the first .* of CPU 0, the busiest, life holds .* would take' "$work/started"; then
	ok start_tells_what_memory_holds
else
	fail start_tells_what_memory_holds "$(cat "$work/started")"
fi

# Waits until the ring has gone round, once more.
go_round()
{
	local before

	before=$(status '$main->{overwritten_blocks}')
	wait_until 60 "\$main->{overwritten_blocks} > $before + 80"
}

go_round || fail the_ring_goes_round "$("$LKST" status)"
now()
{
	perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%.0f", 1e9 * clock_gettime(CLOCK_MONOTONIC)'
}

# What is said is so at the rate of the moment, which a busy machine may change: it is what a snapshot would span if all of
# its records had come as fast as those that it has of the time in which status looked; on a quiet machine, what it spans.
is_as_said()
{
	local from to

	from=$(now)
	read -r said rate wish < <(status 'join " ", @{$held{main}}{qw(holds_s bytes_per_s)}, @{$s->{history}}{qw(wish_s wish_buffer_bytes)}')
	to=$(now)
	rm -rf "$work/trace"
	"$LKST" snapshot --quiet --output "$work/trace"
	spans=$("$LKST" print --format json --event 'syscall_*_getpriority' "$work/trace" | perl -ne '
		BEGIN { ($from, $to) = splice @ARGV, 0, 2 }
		/"ns":(\d+)/ or next;
		$nr++;
		$meanwhile++ if $1 >= $from && $1 <= $to;
		END { printf "%.3f\n", $meanwhile ? $nr * ($to - $from) / 1e9 / $meanwhile : 0 }' "$from" "$to")
	awk -v said="$said" -v spans="$spans" 'BEGIN { exit !(spans > 0 && said < 2 * spans && said > spans / 2) }'
}
for try in 1 2 3 4 5; do
	! is_as_said || break
	go_round
done
"$LKST" status >"$work/text"
"$LKST" stop --quiet
if [ -n "$spans" ] && awk -v said="$said" -v spans="$spans" 'BEGIN { exit !(spans > 0 && said < 2 * spans && said > spans / 2) }'; then
	ok status_tells_what_a_snapshot_spans
	echo "$said s said, $spans s in the snapshot" >&2
else
	fail status_tells_what_a_snapshot_spans "$said s, and at the rate of that moment the snapshot spans $spans s"
fi
# A minute at that rate, rounded up to a power of two.
if awk -v rate="$rate" -v wish="$wish" 'BEGIN {
	split(wish, w)
	exit !(w[1] == 60 && w[2] >= 60 * rate / 1.5 && w[2] <= 2 * 60 * rate * 1.5) }'; then
	ok status_tells_what_a_minute_takes
else
	fail status_tells_what_a_minute_takes "$wish at $rate bytes/s"
fi
if grep -q '^main holds [0-9.]* m*s at the present rate of CPU 0, the busiest, .*; 1 min 0 s would take .* for each CPU' "$work/text"; then
	ok status_has_it_in_words
else
	fail status_has_it_in_words "$(sed -n 1,12p "$work/text")"
fi
kill "${children[-1]}"
wait "${children[-1]}" 2>/dev/null

# ---- a size that is chosen ----
call 2000 0.001 &
children+=($!)
# What it was before may have been a third of what it is now, or three times that, on a machine that does other things;
# where it was still less or more, another recording may find it as it is.
fits()
{
	awk -v chosen="$chosen" -v rate="$rate" 'BEGIN {
		exit !(chosen > 4 * 2 ^ 20 && chosen >= rate * 40 / 3 && chosen <= rate * 40 * 2 * 3) }'
}
for try in 1 2 3 4 5; do
	sleep 0.5
	"$LKST" start --budget none --history 40s --event syscall:getpriority >"$work/started" 2>"$work/err" ||
		fail history_start_with_a_wish "$(cat "$work/err")"
	chosen=$(status '$main->{bytes}')
	wait_until 60 '$main->{written_bytes} > 1 << 20' || fail it_is_filled "$("$LKST" status)"
	rate=$(status '$held{main}{bytes_per_s}')
	! fits && [ $try -lt 5 ] || break
	"$LKST" stop --quiet
done
if fits; then
	ok history_chooses_the_buffer
else
	fail history_chooses_the_buffer "$chosen bytes, $rate bytes/s; $(cat "$work/started")"
fi
if grep -q '^chose .* for each CPU: in the .* s before, CPU 0, the busiest, filled .* a second' "$work/started"; then
	ok start_tells_what_it_chose_by
else
	fail start_tells_what_it_chose_by "$(cat "$work/started")"
fi
# The wish holds if the memory does, and status says so.
# It holds by the rate of the moment: what is said in words lies between two times that it is said in numbers.
says_whether_it_holds()
{
	local wished='$s->{history}{is_wished} && $s->{history}{wish_s} == 40 && $held{main}{holds_s}' after

	holds=$(status "$wished")
	"$LKST" status >"$work/text"
	after=$(status "$wished")
	if awk -v before="$holds" -v after="$after" 'BEGIN { exit !(before > 40 && after > 40) }'; then
		grep -q 'the wish for 40.0 s holds' "$work/text"
	elif awk -v before="$holds" -v after="$after" 'BEGIN { exit !(before > 0 && before < 40 && after > 0 && after < 40) }'; then
		grep -q 'the wish for 40.0 s does not hold: it would take' "$work/text"
	else
		false
	fi
}
for try in {1..20}; do
	! says_whether_it_holds || break
done
if [ "$try" -lt 20 ] || says_whether_it_holds; then
	ok status_says_whether_the_wish_holds
else
	fail status_says_whether_the_wish_holds "$holds s: $(grep ^main "$work/text")"
fi
"$LKST" stop --quiet
kill "${children[-1]}"
wait "${children[-1]}" 2>/dev/null

expect_refusal buffer_and_history_are_one '--history chooses the size' start --history 60s --buffer 4M
exit $failed
