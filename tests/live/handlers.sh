#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# lkst handler: user handlers, built, loaded, changed and unloaded while recording goes on; what
# they record is exactly what they decide, and an event is neither missing nor there twice for being sent
# from one handler to another.
. "$(dirname "$0")/lib/live.sh"
. "$lib/handler.sh"

needs_the_recorder
cd "$work" || exit
calls=500000

# Takes a snapshot and prints for each thread that `numbered` wrote to file $1, if it is there: its K, how
# many of its calls are there, how many of the range that they span are missing, how many are there twice.
numbers()
{
	rm -rf trace
	"$LKST" snapshot --quiet --output trace
	"$LKST" print --format json --event syscall_entry_getpriority trace | perl -ne '
		BEGIN {
			open(my $tids, "<", shift) or die;
			%k = map { reverse split } <$tids>;
		}
		/"tid":(\d+).*"who":(\d+)/ or next;
		$n{$k{$1}}[$2]++ if exists $k{$1};
		END {
			for my $k (sort keys %n) {
				my @all = @{$n{$k}};
				my ($nr, $first) = (scalar(grep { $_ } @all), 0);
				$first++ until $all[$first];
				printf "%d %d %d %d\n", $k, $nr, @all - $first - $nr,
					scalar(grep { $_ && $_ > 1 } @all);
			}
		}' "$1"
}

cat >only_thread.c <<'END'
#include <lkst/handler.h>

s32 t_tid;

LKST_HANDLER(only_thread, "records only what thread t_tid does")
{
	return r->tid == t_tid;
}
END
cat >all.c <<'END'
#include <lkst/handler.h>

u64 published;

LKST_HANDLER(all, "records everything, and counts it")
{
	return true;
}

LKST_HANDLER_AFTER
{
	lkst_count(&published, 1);
}
END
cat >bad.c <<'END'
#include <lkst/handler.h>

LKST_HANDLER(bad, "reads where nobody may")
{
	u64 *p = (u64 *)(u64)r->tid;

	return *p == 7;
}
END
cat >forks.c <<'END'
#include <lkst/handler.h>

u32 to_set;

LKST_HANDLER(forks, "reports new threads, and switches masksets")
{
	const struct lkst_rec_sched_process_fork *fork = LKST_AS(sched_process_fork);

	if (!fork)
		return true;
	lkst_notify(fork->child_tid);
	if (to_set)
		lkst_switch_maskset(to_set);
	return true;
}
END
echo '#include <lkst/handler.h>' >none.c
sed 's/return r->tid/return nonsense/' only_thread.c >wrong.c

# ---- building ----
for source in only_thread all bad forks none; do
	"$LKST" handler build $source.c >>built 2>&1
done
expect built_by_one_command "$(echo *.o) $(wc -l <built)" 'all.o bad.o forks.o none.o only_thread.o 5'
expect_refusal clang_refuses_nonsense 'clang refuses the source' handler build wrong.c
expect_refusal only_c_is_built 'does not end in .c' handler build only_thread.o
expect_refusal no_recording_no_handlers 'nothing is being recorded' handler load ./only_thread.o

# ---- loading ----
has_started=yes
"$LKST" start --quiet --budget none --buffer 64M --maskset RNOTHING
before=$(ls /sys/fs/bpf/lkst)
expect loaded "$("$LKST" handler load only_thread.o --event 'syscall:getpriority' --event sched_switch)" 'handler 2 (only_thread)'
expect_refusal verifiers_words_are_told 'bad.c' handler load bad.o --event sched_switch
expect the_line_and_the_reason "$(grep -c '"return \*p == 7;": R[0-9]* invalid mem access' out) $(wc -l <out)" '1 1'
expect_refusal a_name_is_had_once 'is called only_thread already' handler load only_thread.o
expect_refusal a_handler_is_an_object 'only_thread.c' handler load ./only_thread.c
expect_refusal a_handler_has_a_name 'it has no LKST_HANDLER()' handler load none.o
expect_refusal other_programs_are_no_handler "can't be linked" handler load "$BUILD/gen/bpf/events/timer.bpf.o"
expect_refusal no_such_shipped_handler 'no handler "nope" comes with the program' handler load nope
expect_refusal no_such_event 'no event of this recording matches' handler load all.o --event nope
expect refused_leaves_nothing "$("$LKST" handler list --json | grep -c '"id"')" 3
expect_refusal event_without_its_program 'not loaded for event timer_start' maskset -H only_thread 'mine+=timer_start'
expect_refusal no_such_handler 'no handler "nope" is loaded' maskset -H nope 'mine+=timer_start'
expect_refusal no_such_number 'there is no handler 0x09' maskset -H 9 'mine+=timer_start'

# As a load that was killed leaves it: a pin, and nothing that says what it is.
mv /sys/fs/bpf/lkst/handler-2-about /sys/fs/bpf/lkst/left
expect a_part_is_no_handler "$("$LKST" handler list --json | grep -c '"id"')" 2
"$LKST" handler load only_thread.o --event 'syscall:getpriority' --event sched_switch --quiet
rm /sys/fs/bpf/lkst/left
expect a_part_gives_way "$("$LKST" handler list --json | grep -c '"name":"only_thread"')" 1

# ---- variables ----
expect variables_begin_as_written "$(variable only_thread t_tid)" 0
"$LKST" handler set only_thread t_tid=-5
expect variables_are_set "$(variable only_thread t_tid)" -5
expect_refusal no_such_variable 'has no variable t_pid' handler set only_thread t_pid=1
expect_refusal not_a_number 'takes a number, not "me"' handler set only_thread t_tid=me
expect_refusal too_large 'is too much for t_tid, 32 bits signed' handler set only_thread t_tid=2147483648
expect_refusal no_value 'is not VARIABLE=VALUE' handler set only_thread t_tid
expect refused_values_are_not_set "$(variable only_thread t_tid)" -5

# ---- instances ----
# A handler has a program of its own at each hook of the events that it was loaded for, and at no other;
# it is pinned, but costs nothing until a maskset sends an event to it: then it is attached, there alone (a
# system call's entry and exit go together).
pins()
{
	(cd /sys/fs/bpf/lkst && echo handler-2-"$1"*)
}
expect an_instance_for_each_event "$(pins program)" \
	'handler-2-program-tp_btf__sched_switch handler-2-program-tp_btf__sys_enter handler-2-program-tp_btf__sys_exit'
expect none_is_attached_yet "$(pins tp_btf)" 'handler-2-tp_btf*'

# ---- one thread of two (C06) ----
"$LKST" maskset --quiet -H only_thread 'mine+=syscall_entry_getpriority'
"$LKST" maskset set mine --quiet
expect attached_where_it_is_needed "$(pins tp_btf)" 'handler-2-tp_btf__sys_enter handler-2-tp_btf__sys_exit'
mkfifo go
"$load/numbered" 2 $calls <go >tids &
children+=($!)
exec 3>go
has_both()
{
	[ "$(wc -l <tids)" = 2 ]
}
wait_until 60 has_both
read -r k tid <tids
"$LKST" handler set only_thread "t_tid=$tid"
exec 3>&-
wait "${children[-1]}"
expect only_the_thread_is_recorded "$(numbers tids)" "$k $calls 0 0"
expect_whole trace_of_a_handler_is_whole trace

# ---- from DEFAULT to a handler and back, under load ----
"$LKST" handler load all.o --event 'syscall:getpriority' >out
expect numbers_are_given_out "$(cat out)" 'handler 3 (all)'
"$LKST" maskset --quiet 'plain+=syscall_entry_getpriority'
"$LKST" maskset --quiet -H all 'handled+=syscall_entry_getpriority'
"$LKST" maskset set plain --armed --quiet
"$LKST" maskset arm handled
# Until there were some switches during a load. An event that a CPU is recording at the moment of the store may be
# missing or there twice (doc/handlers.md); no other.
for ((round = 0; round < 20; round++)); do
	"$load/numbered" 2 $calls </dev/null >numbered.out &
	children+=($!)
	nr=0
	while kill -0 "${children[-1]}" 2>/dev/null; do
		"$LKST" maskset set handled --quiet
		"$LKST" maskset set plain --quiet
		nr=$((nr + 2))
	done
	numbers numbered.out >counted
	odd=$(awk '{ odd += $3 + $4 } END { print odd + 0 }' counted)
	[ "$(wc -l <counted)" = 2 ] && [ "$odd" -le $((2 * nr)) ] && [ "$nr" -le 2 ] || break
done
if [ "$(wc -l <counted)" = 2 ] && [ "$nr" -gt 2 ] && [ "$odd" -le $((2 * nr)) ]; then
	ok switching_handlers_under_load
	echo "$nr switches, $odd calls missing or doubled" >&2
else
	fail switching_handlers_under_load "$nr switches; thread, calls, missing, doubled: $(cat counted)"
fi
expect both_have_recorded "$(($(variable all published) > 0)) $(($(variable all published) < 2 * calls * (round + 1)))" '1 1'

# ---- notices, and switching masksets (C08, C09) ----
"$LKST" handler load forks.o --event sched_process_fork --quiet
"$LKST" maskset --quiet -H forks 'forks+=sched_process_fork'
"$LKST" maskset set forks --quiet
("$load/numbered" 1 1 </dev/null >/dev/null)
expect notices_arrive "$("$LKST" handler wait forks --count 2 --timeout 60s | grep -c 'sched_process_fork: tid=[0-9]* value=[0-9]')" 2
"$LKST" handler set forks to_set=0x2
(true)
expect a_handler_switches_masksets "$("$LKST" status --json | grep -o '"maskset_name":"[A-Z]*"')" '"maskset_name":"RDEFAULT"'
expect_refusal no_notice_in_time 'no notice from all came' handler wait all --timeout 10ms

# ---- those that come with the program ----
"$LKST" handler load sample --event 'syscall:getpriority' --quiet
"$LKST" handler load filter --as by_name --event 'syscall:getpriority' --quiet
"$LKST" handler load hist --event 'syscall:getpriority' --quiet
"$LKST" handler set sample one_in=1000
"$LKST" handler set by_name t_comm=nobody
"$LKST" handler set hist from=syscall_entry_getpriority to=syscall_exit_getpriority
"$LKST" maskset --quiet -H hist 'shipped+=syscall:getpriority'
"$LKST" maskset set shipped --quiet
intervals()
{
	"$LKST" handler show hist | sed -n 's/^intervals_ns.* = \([0-9]*\) values$/\1/p'
}
intervals_of_json()
{
	"$LKST" handler show hist --json | perl -MJSON::XS -e 'my $h = decode_json(<STDIN>);
		my ($v) = grep { defined $_->{key} } @{$h->{variables}};
		my $n = 0; $n += $_->{count} for @{$v->{value}}; print $n'
}
# Other programs make this call, too (nice(1) does): as often as it takes to be alone once.
for _ in 1 2 3 4 5; do
	earlier=$(intervals)
	"$load/numbered" 1 7000 </dev/null >numbered.out
	counted="$(($(intervals) - ${earlier:-0})) $(($(intervals_of_json) - ${earlier:-0}))"
	[ "$counted" != '7000 7000' ] || break
done
expect hist_counts_intervals "$counted" '7000 7000'
expect_refusal an_event_is_named 'there is none called "nope"' handler set hist from=nope
"$LKST" maskset --quiet -H sample 'shipped+=syscall:getpriority'
for _ in 1 2 3 4 5; do
	earlier=$(variable sample seen)
	"$load/numbered" 1 7000 </dev/null >numbered.out
	counted=$(($(variable sample seen) - earlier))
	[ $counted != 14000 ] || break
done
expect sample_saw_all "$counted" 14000
"$LKST" maskset --quiet -H by_name 'shipped+=syscall:getpriority'
count_entries()
{
	rm -rf trace
	"$LKST" snapshot --quiet --output trace
	"$LKST" print --format json --event syscall_entry_getpriority trace | grep -c "\"tid\":$1\b"
}
"$load/numbered" 1 100 </dev/null >numbered.out
expect filter_drops_others "$(count_entries "$(cut -d' ' -f2 numbered.out)")" 0
"$LKST" handler set by_name t_comm=numbered
"$load/numbered" 1 100 </dev/null >numbered.out
expect filter_keeps_the_command "$(count_entries "$(cut -d' ' -f2 numbered.out)")" 100

# ---- what may not be ----
cat >throws.c <<'END'
#include <lkst/handler.h>

extern void bpf_throw(u64 cookie) __attribute__((section(".ksyms")));

LKST_HANDLER(throws, "ends in the middle of a record")
{
	if (r->tid == 1)
		bpf_throw(0);
	return true;
}
END
if "$LKST" handler build --quiet throws.c 2>err; then
	expect_refusal exceptions_are_refused 'calls bpf_throw()' handler load throws.o --event sched_switch
else
	fail exceptions_are_refused "it cannot be built: $(cat err)"
fi

# ---- unloading ----
expect_refusal in_use_is_not_unloaded 'sends 4 events to it' handler unload by_name
expect in_use_stays "$("$LKST" handler list --json | grep -c '"name":"by_name"')" 1
"$LKST" handler unload by_name --force
"$load/numbered" 1 100 </dev/null >numbered.out
expect default_takes_over "$(count_entries "$(cut -d' ' -f2 numbered.out)")" 100
"$LKST" maskset set RNOTHING --quiet
for name in only_thread all forks sample hist; do
	"$LKST" handler unload $name --force --quiet
done
"$LKST" maskset disarm plain
"$LKST" maskset disarm handled
expect unloading_leaves_nothing "$(ls /sys/fs/bpf/lkst)" "$before"
expect_whole trace_over_all_is_whole trace
(exec -a lksteh "$LKST" load sample --event sched_switch --quiet)
expect lksteh_does_the_same "$( (exec -a lksteh "$LKST" list) | grep -c ' sample ')" 2
"$LKST" stop --quiet
expect nothing_is_left "$(ls /sys/fs/bpf/lkst 2>/dev/null)" ''

exit $failed
