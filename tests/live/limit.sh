#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The cost limit under a storm of system calls: what is left out is detached, so that a call costs again
# what it costs without recording, and is attached again when the storm is over. And the process that does
# so: what it inherits from the one that started it, and that nothing is lost or left behind when it is
# killed.
#
# It has the machine to itself, as far as it may be: hooks that are in nobody's way cost less than the limit.
# alone
# timeout: 2400
. "$(dirname "$0")/lib/live.sh"
. "$lib/status.sh"

needs_the_recorder
if uname -v | grep -q PREEMPT_RT; then
	skip_all 'limit: this kernel is one for real time, where a limit is refused'
fi
has_started=yes
renice -n -15 -p $$ >/dev/null
pins=/sys/fs/bpf/lkst

# The processes of this program that keep to a limit: a test may run beside another one's.
helpers()
{
	local pid

	for pid in $(pgrep -x lkst); do
		if [ "$(readlink "/proc/$pid/exe")" = "$LKST" ] &&
		   tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q 'lkst limit '; then
			echo "$pid"
		fi
	done
}

has_no_helper()
{
	[ -z "$(helpers)" ]
}

# Calls on all CPUs, before most others that want them, for as long as the test may take.
begin_storm()
{
	nice -n -5 "$load/calls" 2400 >"$work/storm" &
	storm=$!
	children+=($storm)
}

end_storm()
{
	kill $storm
	wait $storm 2>/dev/null
}

# Whether the hooks of system calls are attached: what the kernel says, where there is a program to ask it.
links_of_calls()
{
	if command -v bpftool >/dev/null; then
		bpftool link show -j | perl -MJSON::XS -e '
			my %programs = map { $_->{id} => 1 } grep { ($_->{name} // "") =~ /^tp_btf__sys_e/ }
				@{decode_json(`bpftool prog show -j`)};
			print scalar(grep { $programs{$_->{prog_id} // 0} } @{decode_json(<STDIN>)}), "\n"'
	else
		find $pins -name 'tp_btf__sys_e*' | wc -l
	fi
}

are_attached()
{
	[ "$(links_of_calls)" = 2 ]
}

are_detached()
{
	[ "$(links_of_calls)" = 0 ]
}

# ---- a storm ----

# What a call takes, of what the work beside it does: the median of those in file $1. The machine may be a virtual one that
# is slower for a minute, and then both take longer.
cost_of_calls()
{
	awk '$3 > 0 { print $2 / $3 }' "$1" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] + 0 }'
}

"$load/calls" 2 >"$work/off"
exec 77<"$0"
"$LKST" start --quiet --budget 1% --buffer 32M --event 'syscall:*' --event 'sched:*' 2>"$work/err" ||
	fail limit_start "$(cat "$work/err")"
exec 77<&-
helper=$(helpers)
expect one_process_keeps_to_the_limit "$(wc -w <<<"$helper"), $(status '$limit->{helper} ? "said" : "not said"')" '1, said'
said=$(
	[ "$(readlink "/proc/$helper/cwd")" = / ] || echo "its directory is $(readlink "/proc/$helper/cwd")"
	[ "$(ps -o sid= -p "$helper" | tr -d ' ')" = "$helper" ] || echo 'it has no session of its own'
	[ "$(awk '/^Umask/ { print $2 }' "/proc/$helper/status")" = 0077 ] || echo 'its umask is not 077'
	ls -l "/proc/$helper/fd" | grep -E "$(basename "$0")|pipe|pts" && echo 'it has descriptors of who started it'
	[ "$(readlink "/proc/$helper/fd/0" "/proc/$helper/fd/1" "/proc/$helper/fd/2" | sort -u)" = /dev/null ] ||
		echo 'its standard descriptors are not /dev/null'
	ls -l "/proc/$helper/fd" | grep -q tp_btf__ && echo 'it holds hooks'
)
expect process_has_nothing_of_who_started_it "$said" ''
expect_refusal_by a_second_process_is_refused 'has a helper already' "$LKST" limit
"$LKST" limit --retry 0s 2>"$work/err"
expect retry_of_no_time_is_refused "$? $(grep -c -- --retry "$work/err")" '2 1'
# Beside a build there may be no room for them at once.
wait_until 120 are_attached || fail limit_hooks_of_calls_are_attached "$(links_of_calls) links"

begin_storm
if wait_until 120 are_detached; then
	ok storm_has_hooks_detached
else
	fail storm_has_hooks_detached "$("$LKST" status | tail -n 15)"
fi
"$LKST" snapshot --quiet --output "$work/shed"
# For moments they are attached, to see what they would cost: more than the limit. The text has a few of what is left out,
# where it is much.
status_tells()
{
	is '$out{"syscall:*"}{now} && $out{"syscall:*"}{detached} && $out{"syscall:getppid"}{detached} &&
	    $out{"syscall:*"}{cost_share} > 0.01' &&
		"$LKST" status | grep -q '^  syscall:[a-z_*0-9]* .*; detached$'
}
if wait_until 60 status_tells; then
	ok status_tells_what_is_detached
else
	fail status_tells_what_is_detached "$("$LKST" status | tail -n 15)"
fi
# While all fields are there: each is described at its place, and what is described is there. Those of a comparison:
# tests/live/compare.sh.
"$LKST" status --json | perl -MJSON::XS -e '
	my %paths;
	sub walk
	{
		my ($node, $path) = @_;
		if (ref $node eq "HASH" && $path ne "skipped") {
			for (keys %$node) { my $at = $path eq "" ? $_ : "$path.$_"; $paths{$at} = 1; walk($node->{$_}, $at) }
		} elsif (ref $node eq "ARRAY") {
			delete $paths{$path};
			$paths{"${path}[]"} = 1;
			walk($_, "${path}[]") for @$node;
		}
	}
	walk(decode_json(do { local $/; <STDIN> }), "");
	print "$_\n" for sort keys %paths' >"$work/fields"
sed -n 's/^\.It Va //p' "$lib/../../../doc/man/lkst-status.1" | grep -v '^compared\[\]\.' | sort | diff "$work/fields" - >"$work/differ"
expect status_describes_its_fields "$(wc -l <"$work/fields" | awk '{ print ($1 > 60) }') $(cat "$work/differ")" '1 '
if is '$cost{sched_switch} && !$out{sched_switch} && !$out{sched_waking}'; then
	ok scheduling_stays
else
	fail scheduling_stays "$("$LKST" status | tail -n 15)"
fi
# What detached hooks cost: the storm goes on, with recording and without.
from=$(($(wc -l <"$work/storm") + 2))
off=$(cost_of_calls "$work/off")
calls_are_cheap()
{
	tail -n +$from "$work/storm" >"$work/on"
	on=$(cost_of_calls "$work/on")
	awk -v off="$off" -v on="$on" 'BEGIN { exit !(on > 0 && on < off * 1.2) }'
}
wait_until 60 calls_are_cheap
# Another maskset, one that has all events, attaches nothing of what is detached.
"$LKST" maskset set RALL --quiet
are_left_out()
{
	are_detached && is '$out{"syscall:*"}{now}'
}
if wait_until 60 are_left_out; then
	ok another_maskset_attaches_nothing_of_it
else
	fail another_maskset_attaches_nothing_of_it "$(links_of_calls) links; $("$LKST" status | tail -n 15)"
fi

# ---- the process is killed ----

kill -KILL "$helper"
wait_until 60 has_no_helper
before=$(status '$s->{rings}[0]{written_bytes}')
if is '!$limit->{helper}' && "$LKST" status | grep -q 'lkst limit --daemon'; then
	ok status_tells_that_nobody_detaches
else
	fail status_tells_that_nobody_detaches "$("$LKST" status | tail -n 3)"
fi
goes_on()
{
	[ "$(status '$s->{rings}[0]{written_bytes}')" -gt "$before" ]
}
wait_until 60 goes_on
"$LKST" snapshot --quiet --output "$work/trace"
expect_whole snapshot_of_what_is_detached_is_whole "$work/trace"
if goes_on &&
   [ "$("$LKST" print --event sched_switch "$work/trace" | tail -n 50 | wc -l)" = 50 ]; then
	ok recording_goes_on_without_the_process
else
	fail recording_goes_on_without_the_process "$("$LKST" status)"
fi
if "$LKST" print --event shed_begin "$work/shed" | grep -q 'kind="syscall:\*"'; then
	ok trace_tells_that_all_calls_are_left_out
else
	fail trace_tells_that_all_calls_are_left_out "$("$LKST" print --event shed_begin "$work/shed" | tail -n 5)"
fi
if "$LKST" check "$work/trace" | grep -q '^ledger: syscall:\* was left out'; then
	ok ledger_tells_that_all_calls_are_left_out
else
	fail ledger_tells_that_all_calls_are_left_out "$("$LKST" check "$work/trace" | grep ^ledger)"
fi
"$LKST" stop --quiet
wait_until 60 are_detached
expect stop_without_the_process_leaves_nothing "$(links_of_calls) $(find $pins 2>/dev/null)" '0 '
end_storm
"$load/calls" 2 >>"$work/off"
off=$(cost_of_calls "$work/off")
# A hook of system calls that is attached makes half as much again of a call, or more.
if awk -v off="$off" -v on="$on" 'BEGIN { exit !(on > 0 && on < off * 1.2) }'; then
	ok detached_calls_cost_what_they_cost
else
	fail detached_calls_cost_what_they_cost "$on with recording, $off without, in what some work without calls takes"
fi

# ---- afterwards ----

# What is left out is tried again soon, and so is soon back when the storm is over. The limit is the one from before: what
# the first recording said that hooks cost is no measure for this one, which measures again, and a machine that is disturbed
# meanwhile comes to several times as much, or to a part of it.
"$LKST" start --quiet --budget 1% --buffer 32M --no-helper --event 'syscall:*' --event sched_switch 2>"$work/err" ||
	fail limit_start_again "$(cat "$work/err")"
expect without_the_process_the_status_says_so "$("$LKST" status | grep -c 'lkst limit --daemon')" 1
"$LKST" limit --daemon --quiet --retry 1s
begin_storm
if wait_until 120 are_detached; then
	ok storm_has_hooks_detached_again
else
	fail storm_has_hooks_detached_again "$("$LKST" status | tail -n 15)"
fi
# What is left out is tried, and is not recorded as long as it would cost too much.
wait_until 600 is '$out{"syscall:*"}{tries} >= 2'
"$LKST" snapshot --quiet --output "$work/tried"
said=$("$LKST" print --event 'shed_*' "$work/tried" | grep -c 'shed_end: .*kind="syscall:\(getppid\|\*\)"')
expect what_costs_too_much_is_not_taken_back "$(status '$out{"syscall:*"}{tries} >= 2') tries, $said taken back" \
	'1 tries, 0 taken back'
# One that ends in order attaches before what is detached; and one that begins goes on with what is to be done.
kill "$(helpers)"
if wait_until 60 has_no_helper && wait_until 60 are_attached && wait_until 60 is '!$out{"syscall:*"}{now}'; then
	ok process_that_ends_attaches_again
else
	fail process_that_ends_attaches_again "$(links_of_calls) links; $("$LKST" status | tail -n 5)"
fi
pid=$("$LKST" limit --daemon --retry 1s)
if [ "$(helpers)" = "$pid" ] && wait_until 120 are_detached; then
	ok new_process_takes_over
else
	fail new_process_takes_over "$pid, $(helpers); $("$LKST" status | tail -n 5)"
fi
end_storm
# On average few are tried: after a trial that took long, the next one waits.
if wait_until 600 are_attached && wait_until 600 is '0 == grep { $_->{now} } values %out'; then
	ok what_was_detached_comes_back
else
	fail what_was_detached_comes_back "$("$LKST" status | tail -n 15)"
fi
# Others who work here may have calls left out once more, at any moment: a build makes as many as 1 % pays for. Then it
# comes back, and is looked at, once more.
are_recorded_again()
{
	local pid=$(perl -e 'getpriority(0, 0) for 1 .. 100; print $$')

	rm -rf "$work/back"
	"$LKST" snapshot --quiet --output "$work/back"
	"$LKST" print --event shed_end "$work/back" | grep -q 'kind="syscall:\*"' &&
		[ "$("$LKST" print --event syscall_entry_getpriority "$work/back" | grep -c " $pid/")" = 100 ]
}
if wait_until 300 are_recorded_again; then
	ok calls_are_recorded_again
else
	fail calls_are_recorded_again "$("$LKST" print --event syscall_entry_getpriority "$work/back" | wc -l) calls; $("$LKST" print \
		--event 'shed_*' "$work/back" | grep -E 'syscall:(\*|getpriority)"' | tail -n 5)"
fi
# One that does not answer is asked for nothing; when it answers after all, it is asked again. It stops while all is
# attached: what the storm costs is found soon, and what is detached already may be left to itself for minutes.
kill -STOP "$pid"
begin_storm
if wait_until 120 is '!$limit->{helper_answers}'; then
	ok process_that_does_not_answer_is_told
else
	fail process_that_does_not_answer_is_told "$("$LKST" status | tail -n 5)"
fi
kill -CONT "$pid"
expect process_that_answers_again_is_told "$(wait_until 60 is '$limit->{helper_answers}'; echo $?)" 0
if wait_until 120 are_detached; then
	ok process_that_answers_again_detaches
else
	fail process_that_answers_again_detaches "$("$LKST" status | tail -n 5)"
fi
end_storm
"$LKST" stop --quiet
if wait_until 60 has_no_helper; then
	ok process_ends_with_the_recording
else
	fail process_ends_with_the_recording "$(helpers)"
fi

# ---- an end at any moment ----

begin_storm
said=
for try in $(seq 6); do
	"$LKST" start --quiet --budget 1% --event 'syscall:*' --event 'sched:*' 2>"$work/err" ||
		said+="start $try: $(cat "$work/err"); "
	sleep "0.$((RANDOM % 9))"
	[ $((try % 2)) = 0 ] || sleep 0.7
	# Alternately that process is killed before, or the one that stops.
	[ $((try % 4)) != 1 ] || kill -KILL $(helpers)
	[ $((try % 4)) != 2 ] || timeout -s KILL "0.0$((RANDOM % 9 + 1))" "$LKST" stop --quiet 2>/dev/null
	timeout 120 "$LKST" stop --quiet 2>"$work/err" || said+="stop $try: $(cat "$work/err"); "
	[ ! -e $pins ] || said+="stop $try left $(find $pins | head -n 2); "
done
end_storm
wait_until 60 has_no_helper || said+="processes $(helpers) are left; "
wait_until 60 are_detached || said+="$(links_of_calls) links are left"
expect stop_leaves_nothing_at_any_moment "$said" ''

# Without a limit, or where another unit is for it, there is no such process.
"$LKST" start --quiet --budget none --event sched_switch
expect without_a_limit_there_is_no_process "$(helpers)" ''
expect_refusal_by without_a_limit_it_has_nothing_to_do 'has no limit' "$LKST" limit
"$LKST" stop --quiet
"$LKST" start --quiet --event sched_switch --budget 1% --no-helper
expect process_is_left_to_others "$(helpers)" ''
"$LKST" start --quiet --keep
expect keep_starts_the_process "$(helpers | wc -l)" 1
"$LKST" stop --quiet

exit $failed
