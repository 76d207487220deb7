#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# lkst trigger: each fires at the events that it is for and at no others, as often as it may, and when the
# last one is gone, everything is as it was before.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
cp /bin/sleep sleeper
cp /bin/cat reader

add()
{
	"$LKST" trigger add "$@" --quiet 2>&1
}

# What trigger NAME has counted.
#   count NAME fired|held_back|...
count()
{
	"$LKST" trigger list --json | perl -MJSON::XS -e 'my $t = decode_json(<STDIN>)->{triggers};
		print $_->{$ARGV[1]} for grep { $_->{name} eq $ARGV[0] } @$t' "$1" "$2"
}

# The values with which trigger NAME has fired, by the trace.
values()
{
	rm -rf trace
	"$LKST" snapshot --quiet --output trace
	"$LKST" print --format json --event trigger_fired trace | perl -MJSON::XS -ne '
		my $r = decode_json($_); my $f = $r->{fields} // $r;
		print "$f->{value}\n" if $f->{name} eq "'"$1"'"'
}

# How many events maskset $1 sends to the trigger's handler.
diverted()
{
	"$LKST" maskset show "$1" --json | grep -o '"handler":2\b' | wc -l
}

# The handlers of its events are distinguished in the original's text, where DEFAULT is 0x01.
read_handlers()
{
	"$LKST" maskset read "$1" | awk '!/^#/ && $3 != "0xff" { print $3 }' | sort -u | tr '\n' ' '
}

# ---- adding ----
expect_refusal no_recording_no_triggers 'nothing is being recorded' trigger add oom_kill
has_started=yes
"$LKST" start --quiet --budget none --buffer 32M --maskset RDEFAULT
before=$(ls /sys/fs/bpf/lkst)
expect_refusal near_names_are_told 'did you mean sched_switch?' trigger add sched_swich
expect_refusal near_fields_are_told 'did you mean latency?' trigger add 'block_rq_complete latencey > 1s'
expect_refusal rate_is_a_rate '--rate takes a number and a duration' trigger add oom_kill --rate 5
expect_refusal maskset_is_one 'there is no maskset "nope"' trigger add oom_kill --switch nope
expect refused_leaves_nothing "$(ls /sys/fs/bpf/lkst)" "$before"
expect none_is_none "$("$LKST" trigger list)" 'there are no triggers'
expect_refusal nothing_to_remove 'there is no trigger' trigger remove 1
expect added "$("$LKST" trigger add oom_kill --name memory)" 'trigger 1 (memory)'
expect_refusal names_are_had_once 'trigger 1 is called "memory" already' trigger add oom_kill --name memory
expect event_is_diverted "$(diverted RDEFAULT) $(diverted RALL)" '1 1'
expect read_as_default "$(read_handlers RDEFAULT)" '0x01 '
expect_refusal handler_stays 'it serves triggers' handler unload trigger --force

# ---- fields ----
# A result of a system call: negative, by name, and together with who called.
add 'syscall_exit_openat result == -ENOENT and comm == "reader"' --name missing --rate 1000000000/1s
add 'syscall_exit_openat result >= 0 and comm == "reader"' --name found --rate 1000000000/1s
add 'syscall_exit_openat result < -2 and comm == "reader"' --name other --rate 1000000000/1s
for ((i = 0; i < 20; i++)); do ./reader "$work/none" 2>/dev/null; done
found=$(strace -f -e trace=openat ./reader "$work/none" 2>&1 | grep -c 'openat.*= [0-9]')
missing=$(strace -f -e trace=openat ./reader "$work/none" 2>&1 | grep -c 'ENOENT')
expect negative_results "$(count missing fired) $(values missing | sort -u)" "$((22 * missing)) -2"
expect results_from_0_on "$(count found fired)" $((22 * found))
expect other_errors "$(count other fired)" 0
"$LKST" trigger remove missing found other

# Any of many, by a glob: the one call that returns an error of the right kind.
add 'syscall:* result == -EDOM and comm == "perl"' --name never
add 'syscall:* result == -EBADF and comm == "perl"' --name badf --rate 1000000000/1s
perl -e 'use POSIX; POSIX::close(77); POSIX::dup2(78, 79); POSIX::close(80)'
expect any_call "$(count badf fired) $(count never fired)" '3 0'
expect calls_are_diverted "$(($(diverted RDEFAULT) > 300))" 1
"$LKST" trigger remove badf never
expect calls_go_back "$(diverted RDEFAULT) $(diverted RALL)" '1 1'

# Bits, and text in a record.
add 'sched_process_exec filename == "./sle*"' --name runs --rate 1000000000/1s
add 'task_newtask clone_flags & 0x4000 and comm == "bash"' --name vforks
./sleeper 0
./reader /dev/null
expect text_by_its_beginning "$(count runs fired)" 1
expect bits_not_set "$(count vforks fired)" 0
"$LKST" trigger remove runs vforks

# ---- intervals ----
# The short and the long sleeps are far from the threshold, since on a busy machine any sleep may end late.
add 'syscall_entry_clock_nanosleep .. syscall_exit_clock_nanosleep > 3s and comm == "sleeper"' --name pair --rate 1000000000/1s
add 'syscall_exit_clock_nanosleep latency > 3s and comm == "sleeper"' --name latency --rate 1000000000/1s
sleepers=()
for ((i = 0; i < 5; i++)); do
	./sleeper 0.01
	./sleeper 4 &
	sleepers+=($!)
done
wait "${sleepers[@]}"
expect pair_above_its_threshold "$(count pair fired) $(count latency fired)" '5 5'
odd=$(values pair | awk '$1 < 4000000000 || $1 > 60000000000')
expect interval_is_the_value "$odd$(values pair | wc -l)" 5
"$LKST" trigger remove pair latency

# One that begins before the maskset leaves its events out and is followed by another: not one of both.
"$LKST" maskset --quiet 'gap+=sched_switch'
add 'syscall_exit_pselect6 latency > 3s and comm == "napper"' --name gap
rm -f awake
perl -e '$0 = "napper"; select(undef, undef, undef, 0.3) until -e "awake"' &
children+=($!)
sleep 1
"$LKST" maskset set gap --quiet
sleep 4
"$LKST" maskset set RDEFAULT --quiet
sleep 1
touch awake
wait "${children[-1]}"
expect unseen_ends_do_not_count "$(count gap fired)" 0
perl -e '$0 = "napper"; select(undef, undef, undef, $_) for 0.3, 4, 0.3'
expect seen_ones_do "$(count gap fired)" 1
"$LKST" trigger remove gap
"$LKST" maskset delete gap

# A disk that takes 10 ms for each request, if the machine has what that needs.
add 'block_rq_complete latency > 8ms and dev >= 0x700000 and dev < 0x800000' --name disk --rate 1000000000/1s
add 'block_rq_complete latency > 60s' --name never
if "$load/slowdisk" >disk.out 2>&1; then
	slow=$(values disk | awk '$1 > 8000000' | wc -l)
	if [ "$(count disk fired)" -ge 4 ] && [ "$slow" = "$(count disk fired)" ] && [ "$(count never fired)" = 0 ]; then
		ok slow_disk
	else
		fail slow_disk "$(count disk fired) fired, $slow of them above; $(count never fired) above 60 s"
	fi
else
	echo "skip slow_disk: $(tail -n 1 disk.out)"
fi
"$LKST" trigger remove disk never

# A thread waits for a CPU, since others on that CPU do not let it run: by the name of the thread that waits.
add 'sched_switch next_comm == "sleeper" and wait > 1ms' --name ready --rate 1000000000/1s
add 'sched_switch next_comm == "sleeper" and wait > 60s' --name never
hogs=()
for ((i = 0; i < 4; i++)); do
	taskset -c 0 nice -n -5 timeout 300 sh -c 'while :; do :; done' &
	hogs+=($!)
done
children+=("${hogs[@]}")
for ((i = 0; i < 10; i++)); do
	taskset -c 0 nice -n 19 ./sleeper 0.01
	[ "$(count ready fired)" -lt 3 ] || break
done
kill "${hogs[@]}"
wait "${hogs[@]}" 2>/dev/null
ready=$(values ready)
if [ "$(count ready fired)" -ge 1 ] && [ "$(count never fired)" = 0 ] &&
   [ "$(awk '$1 <= 1000000' <<<"$ready")" = '' ]; then
	ok waiting_for_a_cpu
	echo "$(wc -l <<<"$ready") times ready for more than 1 ms, at most $(sort -n <<<"$ready" | tail -n 1) ns" >&2
else
	fail waiting_for_a_cpu "$(count ready fired) and $(count never fired): ${ready//$'\n'/ }"
fi
"$LKST" trigger remove ready never

# ---- how often ----
add 'syscall_exit_getpriority comm == "numbered"' --name often --rate 1/600s
add 'syscall_exit_getpriority result == -EINVAL and comm == "numbered"' --name once --once --rate 1000000000/1s
"$load/numbered" 1 100000 </dev/null >numbered.out
expect rate_holds_back "$(count often fired) $(count often held_back)" '1 99999'
expect once_is_once "$(count once fired) $(count once held_back)" '1 99999'
expect records_are_all_there "$(rm -rf trace; "$LKST" snapshot -q -o trace; "$LKST" print --format json -e syscall_exit_getpriority --comm numbered trace | wc -l)" 100000
expect_whole trace_with_triggers_is_whole trace

# ---- telling ----
"$LKST" trigger remove often once
add 'syscall_exit_getpriority comm == "numbered"' --name tells --rate 1/600s
"$LKST" handler wait trigger --count 10000 --timeout 100ms >/dev/null 2>&1
"$load/numbered" 1 1 </dev/null >numbered.out
expect who_waits_is_told "$("$LKST" handler wait trigger --timeout 60s | sed 's/.* syscall/syscall/; s/tid=[0-9]*/tid=N/')" 'syscall_exit_getpriority: tid=N value=2'
expect list_tells "$("$LKST" trigger list | awk '$2 == "tells" { print $1, $3, $4, $NF }')" '2 1 0 ago'
"$LKST" trigger fire --reason 'a reason with "quotes", and more than the 63 characters that are kept of one'
rm -rf trace
"$LKST" snapshot --quiet --output trace
expect fired_from_outside "$("$LKST" print --event trigger_fired trace | tail -n 1 | sed 's/.*trigger_fired: //')" \
	'value=0 flip=0 trigger=0 event=0 name="a reason with \x22quotes\x22, and more than the 63 characters that ar"'
"$LKST" trigger remove tells

# One that fires all the time was never in the future.
add 'syscall_exit_getpriority comm == "numbered"' --name busy --rate 1000000000/1s
"$load/numbered" 1 1000000000 </dev/null >numbered.out &
load_pid=$!
children+=("$load_pid")
has_fired()
{
	[ "$(count busy fired)" -gt 0 ]
}
wait_until 60 has_fired
for ((i = 0; i < 40; i++)); do "$LKST" trigger list; done | awk '$2 == "busy" { print $(NF - 1) }' | sort | uniq -c >units
kill "$load_pid"
wait "$load_pid" 2>/dev/null
expect last_is_just_now "$(awk '$2 !~ /^(ns|us|ms|s)$/' units)$(awk '{ n += $1 } END { print n }' units)" 40
"$LKST" trigger remove busy

# ---- masksets that are made later, and those that leave the event out ----
"$LKST" maskset --quiet 'later+=syscall:getpriority'
"$LKST" maskset --quiet 'without+=sched_switch'
add 'syscall_exit_getpriority comm == "numbered"' --name where --rate 1000000000/1s
"$LKST" maskset copy RDEFAULT copied --quiet
"$LKST" maskset --quiet 'newer+=syscall:getpriority'
expect masksets_before_and_behind "$(for set in later copied newer without; do diverted $set; done | tr '\n' ' ')" '1 2 1 0 '
expect texts_say_default "$(for set in later copied newer; do read_handlers $set; done)" '0x01 0x01 0x01 '
"$LKST" maskset read later | sed 's/name=later/name=again/' | "$LKST" maskset write again >/dev/null
expect written_text_is_diverted "$(diverted again)" 1
"$LKST" maskset set newer --quiet
"$load/numbered" 1 500 </dev/null >numbered.out
expect fires_in_another_maskset "$(count where fired)" 500
"$LKST" maskset set without --quiet
"$load/numbered" 1 500 </dev/null >numbered.out
expect what_is_left_out_does_not_fire "$(count where fired)" 500
expect that_is_told "$("$LKST" trigger add syscall_exit_getpriority --name out 2>&1 | grep -c 'without, does not record syscall_exit_getpriority.*it can.t fire')" 1
"$LKST" handler load sample --event syscall:getpriority --quiet
"$LKST" maskset --quiet -H sample 'own+=syscall:getpriority'
"$LKST" maskset set own --quiet
expect own_handlers_are_left_alone "$("$LKST" trigger add syscall_exit_getpriority --name alone 2>&1 | grep -c 'own sends syscall_exit_getpriority to another handler')" 1
"$load/numbered" 1 500 </dev/null >numbered.out
expect own_handler_has_it "$(count where fired)" 500
"$LKST" maskset set RDEFAULT --quiet
"$LKST" handler unload sample --force --quiet
"$LKST" trigger remove where out alone

# ---- another maskset for a time ----
active()
{
	"$LKST" status --json | grep -o '"maskset_name":"[A-Za-z]*"'
}
is_active()
{
	[ "$(active)" = "\"maskset_name\":\"$1\"" ]
}
"$LKST" maskset set later --quiet
add 'syscall_exit_getpriority comm == "numbered"' --name up --rate 1/100s --switch RALL --for 15s
expect armed_for_it "$("$LKST" maskset list | grep RALL | grep -c armed)" 1
expect not_yet "$(active)" '"maskset_name":"later"'
"$load/numbered" 1 1 </dev/null >numbered.out
rm -rf early trace
# The event is looked for at once: in the seconds to come other programs may go round the buffer with all events recorded.
"$LKST" snapshot --quiet --no-symbols --output early
expect active_at_once "$(active)" '"maskset_name":"RALL"'
expect_refusal what_comes_back_stays 'becomes active again' maskset delete later
wait_until 60 is_active later
expect reverts_by_itself "$(active)" '"maskset_name":"later"'
"$LKST" snapshot --quiet --output trace
# Other programs, too, call getpriority, on other CPUs and while RALL is active: those calls do not count. Where many
# processes come and go, the name of one that ended 15 s ago may be overwritten. The second switch is the one back.
"$LKST" print --format json --event trigger_fired --event maskset_switch --event syscall_exit_getpriority early trace |
	TID=$(awk '{ print $2 }' numbered.out) perl -MJSON::XS -ne '
		push @all, decode_json($_) if /"event":"(?:trigger_fired|maskset_switch)"/ || /"tid":$ENV{TID},/;
		END {
			my ($fired) = grep { $all[$_]{event} eq "trigger_fired" && $all[$_]{fields}{name} eq "up" } 0 .. $#all;
			my @four = @all[$fired - 1 .. $fired + 2];
			my $active_ns = $four[3]{ns} - $four[2]{ns};
			print join(" ", map { $_->{event} } @four),
				$four[2]{ns} - $four[0]{ns} < $active_ns / 10 ? " soon" : " late",
				$active_ns > 14.9e9 ? "" : " short", "\n";
		}' >order 2>&1
expect event_firing_switch_in_order "$(cat order)" 'syscall_exit_getpriority trigger_fired maskset_switch maskset_switch soon'
# A maskset that a user sets meanwhile stays.
"$LKST" trigger remove up
expect no_longer_armed "$("$LKST" maskset list | grep RALL | grep -c armed)" 0
add 'syscall_exit_getpriority comm == "numbered"' --name up --switch RALL --for 500ms
"$load/numbered" 1 1 </dev/null >numbered.out
"$LKST" maskset set RDEFAULT --quiet
sleep 0.8
expect what_a_user_sets_stays "$(active)" '"maskset_name":"RDEFAULT"'
# Removed while its maskset is active: that ends.
"$LKST" maskset set later --quiet
sleep 0.6
"$LKST" trigger remove up
add 'syscall_exit_getpriority comm == "numbered"' --name up --switch RALL --for 1h
"$load/numbered" 1 1 </dev/null >numbered.out
expect for_an_hour "$(active)" '"maskset_name":"RALL"'
"$LKST" trigger remove up
expect removed_it_ends "$(active)" '"maskset_name":"later"'

# ---- removing ----
expect_refusal no_such_trigger 'there is no trigger "up"' trigger remove up
"$LKST" maskset set RDEFAULT --quiet
"$LKST" trigger remove 1
for set in later without copied newer again own; do
	"$LKST" maskset delete $set
done
expect all_is_as_before "$(ls /sys/fs/bpf/lkst)" "$before"
expect no_event_is_diverted "$(diverted RDEFAULT) $(diverted RALL)" '0 0'
for ((i = 0; i < 32; i++)); do add 'syscall_exit_getpriority result < '$i --name "t$i" >out || break; done
expect as_many_as_one_event_can_have "$(grep -c . <<<"$i")$("$LKST" trigger list --json | grep -o '"id"' | wc -l)" 18
"$LKST" trigger remove t0 t1 t2 t3 t4 t5 t6 t7
expect all_is_as_before_again "$(ls /sys/fs/bpf/lkst)" "$before"
"$LKST" stop --quiet

# ---- moments ----
# The event that fires is the last one of its incident, whatever goes on; or those of the post-trigger time are.
"$LKST" start --quiet --budget none --buffer 4M --incidents 3 --maskset RNOTHING
"$LKST" maskset --quiet 'busy+=syscall:getpriority' syscall:getsid
"$LKST" maskset set busy --quiet
add 'syscall_exit_getsid result == -ESRCH' --name at_once --rate 1000000000/1s
"$load/numbered" 2 1000000000 </dev/null >numbered.out &
load_pid=$!
children+=("$load_pid")
rounds=${TRIGGER_ROUNDS:-20}
for ((i = 0; i < rounds; i++)); do
	perl -e 'syscall(124, 99999999)'
	rm -rf kept && mkdir kept
	"$LKST" incident save --quiet --drop --output kept all || break
	"$LKST" print --format json --event 'syscall:*' kept/* | tail -n 2000 >>ends
	echo '{"event":"end"}' >>ends
done
# Another CPU may have recorded something before it learnt of the event.
perl -MJSON::XS -ne '
	my $r = decode_json($_);
	if ($r->{event} eq "syscall_exit_getsid") { ($cpu, $fired, $own, $late) = ($r->{cpu}, $r->{ns}, 0, 0); }
	elsif ($r->{event} ne "end") { $own++ if defined $cpu && $r->{cpu} == $cpu; $late = $r->{ns} - $fired if defined $cpu; }
	elsif (defined $cpu) { $n++; $kept++ unless $own; $last++ unless $late; push @late, $late; undef $cpu; }
	END { @late = sort { $a <=> $b } @late; printf "%d %d %d %d\n", $n, $kept, $last, $late[@late / 2] }' ends >kept_ends
read -r n kept last later <kept_ends
# A hypervisor may take the CPU away just then: so it is the median that must be short.
if [ "$n $kept" = "$rounds $rounds" ] && [ "$later" -lt 10000000 ]; then
	ok event_that_fires_is_the_last_of_its_cpu
	echo "$n incidents under load: it is the last of its CPU in $kept, of all in $last; others come $later ns later (median)" >&2
else
	fail event_that_fires_is_the_last_of_its_cpu "of $rounds: $n, $kept, $last; $later ns"
fi
"$LKST" trigger remove at_once
# A load that makes too little to go round the bank meanwhile, on each CPU and more often than each ms.
kill "$load_pid"
wait "$load_pid" 2>/dev/null
callers=()
for ((i = 0; i < $(nproc); i++)); do
	taskset -c $i nice -n -10 perl -e 'while (1) { getpriority(0, 0) for 1 .. 10; select(undef, undef, undef, 0.0005) }' &
	callers+=($!)
done
children+=("${callers[@]}")
add 'syscall_exit_getsid result == -ESRCH' --name later --post 200ms
perl -e 'syscall(124, 99999999)'
"$LKST" incident list --json >listed
expect incident_tells_why "$(grep -o '"trigger":[0-9]*\|"reason":"[a-z]*' listed | tr '\n' ' ')" '"trigger":1 "reason":"later '
is_over()
{
	"$LKST" incident list --json | grep -q '"over":true'
}
wait_until 60 is_over
rm -rf kept && mkdir kept
"$LKST" incident save --quiet --drop --output kept all
"$LKST" print --format json --event syscall:getsid --event syscall:getpriority kept/* | perl -MJSON::XS -ne '
	my $r = decode_json($_); $fired = $r->{ns} if $r->{event} eq "syscall_exit_getsid"; $end = $r->{ns};
	END { my $ms = ($end - $fired) / 1e6; print $ms > 20 && $ms <= 200 ? "right" : "$ms ms", "\n" }' >post
expect post_trigger_time "$(cat post)" right
"$LKST" trigger fire --reason 'by hand'
expect command_keeps_too "$("$LKST" incident list --json | grep -c '"reason":"by hand')" 1
kill "${callers[@]}"
"$LKST" stop --quiet
expect nothing_is_left "$(ls /sys/fs/bpf/lkst 2>/dev/null)" ''

exit $failed
