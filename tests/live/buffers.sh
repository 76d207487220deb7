#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# lkst buffer and lkst incident, as a user would: buffers are made, linked, switched to, resized and removed
# while recording goes on, and keep what they hold; moments are kept, saved and given up.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit

# What `lkst buffer list` says of buffer $1 on CPU 0: field $2.
field()
{
	"$LKST" buffer list --json | perl -MJSON::XS -e '
		while (<STDIN>) { my $b = decode_json($_);
			print $b->{$ARGV[1]} if $b->{name} eq $ARGV[0] && $b->{cpu} == 0 }' "$1" "$2"
}

# Calls getpgid(2) on CPU 0 with the numbers $1 to $2: the records need nothing else to be identified.
mark()
{
	taskset -c 0 perl -e 'syscall(121, $_) for $ARGV[0] .. $ARGV[1]' "$1" "$2"
}

# The marks in a stream of the trace, as first and last number and how many; $1: trace, $2: the stream's
# buffer as the files are called.
marks()
{
	local name=$1/only-$2

	mkdir -p "$name" && cp "$1/metadata" "$1/state" "$name" && cp "$1/$2".0* "$name" 2>/dev/null
	"$LKST" print --event syscall_entry_getpgid --format json "$name" |
		perl -ne 'next unless /"pid":(\d+)/ && $1 >= 1000000; push @n, $1;
			END { @n = sort { $a <=> $b } @n; print @n ? "$n[0] $n[-1] " . @n : "none" }'
}

has_started=yes
"$LKST" start --quiet --budget none --buffer 1M --spare 512K --event 'syscall:getpgid' 2>/dev/null

# ---- making, switching, coming back ----
expect create "$("$LKST" buffer create --size 64K a; "$LKST" buffer create --size 64K b)" \
	$'buffer 2 (a)\nbuffer 3 (b)'
mark 1000001 1000100
"$LKST" buffer jump a
mark 1000101 1000200
"$LKST" buffer jump main --cpu 0
mark 1000201 1000300
expect jump_is_per_cpu "$(field main gets)" main
"$LKST" snapshot --quiet --output one
expect jumped_over "$(marks one buffer2)" '1000101 1000200 100'
expect what_was_left_stays "$(marks one main)" '1000001 1000300 200'
expect jumps_are_told "$("$LKST" print one | grep -c 'buffer_jump: of=main')" \
	$(($(nproc) + 1))
expect_whole trace_of_several_buffers_is_whole one

# ---- links ----
"$LKST" buffer jump main
"$LKST" buffer clear a
"$LKST" buffer ring a b
"$LKST" buffer clear b 2>out
expect links_are_respected "$(grep -c 'buffer a leads to buffer b' out)" 1
"$LKST" buffer jump a
# A call takes 40 bytes: more than 64 KiB, and less than twice that.
mark 1001000 1003500
expect ring_goes_on "$("$LKST" status --json | perl -MJSON::XS -e '
	my $s = decode_json(do { local $/; <STDIN> });
	print scalar grep { $_->{buffer} =~ /^[ab]$/ && $_->{cpu} == 0 && $_->{written_bytes} > 30000 }
		@{$s->{rings}}')" 2
"$LKST" snapshot --quiet --output two
expect ring_keeps_the_newest "$({ marks two buffer2; echo; marks two buffer3; } |
	awk '{ if ($2 > last) last = $2; if (!first || $1 < first) first = $1; nr += $3 }
		END { print last, (last - first + 1 == nr ? "whole" : "torn") }')" '1003500 whole'
before=$(field main gets)
"$LKST" buffer shift --cpu 0
expect shift "$before $(field main gets)" ' '
"$LKST" buffer unlink a && "$LKST" buffer unlink b && "$LKST" buffer jump main

# ---- sizes and room ----
"$LKST" buffer size a 256K
expect size "$(field a bytes)" 262144
expect_refusal no_room 'no room for a buffer of 512 KiB per CPU' buffer create --size 512K c
"$LKST" buffer delete b && "$LKST" buffer delete a
expect deleted "$("$LKST" buffer list | tail -n 1)" 'room for another one: 512 KiB per CPU'
"$LKST" buffer create --quiet --size 128K a
mark 1005000 1005010
"$LKST" buffer jump a
mark 1005011 1005020
"$LKST" snapshot --quiet --output three
expect new_one_holds_what_is_new "$(marks three buffer2)" '1005011 1005020 10'

# ---- refusals ----
expect_refusal delete_of_what_is_written_to 'CPU 0 writes to buffer a' buffer delete a
"$LKST" buffer jump main
"$LKST" maskset --buffer a 'mine+=syscall:getpgid' --quiet
expect_refusal delete_of_what_a_maskset_has 'sends events to buffer a' buffer delete a
expect_refusal main_stays 'as long as the recording' buffer delete main
expect_refusal no_such_buffer 'there is no buffer "x"' buffer jump x
expect_refusal twice 'is called a already' buffer create a
expect_refusal number_as_name 'is a number' buffer create 12
expect_refusal bad_name "can't be a buffer's name" buffer create 'a b'
expect_refusal long_name '1 to 15 characters' buffer create abcdefghijklmnop
expect_refusal no_such_cpu 'there is no CPU 4095' buffer jump a --cpu 4095
expect_refusal no_such_verb 'there is no "resize"' buffer resize a
expect_refusal no_banks 'lkst start --incidents' incident keep
for n in 1 2 3 4 5 6 7; do "$LKST" buffer create --quiet --size 64K "n$n" 2>/dev/null; done
expect_refusal small 'the buffer of a CPU is 64K to 4G' buffer create --size 1K tiny
"$LKST" maskset set mine --quiet
mark 1006000 1006010
"$LKST" snapshot --quiet --output four
expect routed_by_a_maskset "$(marks four buffer2)" '1005011 1006010 21'
"$LKST" stop --quiet

# ---- incidents ----
"$LKST" start --quiet --budget none --buffer 256K --incidents 2 --event 'syscall:getpgid' 2>/dev/null
mark 1000001 1000050
"$LKST" incident keep --after 15s --reason first --quiet
mark 1000051 1000060
expect what_comes_meanwhile_belongs_to_it "$("$LKST" incident keep)" 'part of an incident that is not over yet'
expect_refusal not_before_it_is_over 'incident 1 goes on' incident save 1
first_is_over()
{
	"$LKST" incident list --json | grep -q '"over":true'
}
wait_until 60 first_is_over
mark 1000061 1000070
"$LKST" incident keep --quiet
mark 1000071 1000080
expect_refusal no_bank_is_free 'all banks hold incidents' incident keep
expect incidents_are_listed "$("$LKST" incident list --json | perl -MJSON::XS -ne '
	my $i = decode_json($_); print "$i->{number} $i->{reason} $i->{after_s} $i->{over};"')" \
	'1 first 15 1;2 command 0 1;'
mkdir saved
"$LKST" incident save --output saved --quiet all
expect_whole incident_is_a_whole_trace saved/incident-1-*
expect incident_tells_why_it_was_kept "$("$LKST" print --event state_incident saved/incident-1-* |
	sed -n 's/.*number=1 buffer=0 .*\(reason=.*\)/\1/p')" 'reason="first"'
expect incident_has_what_was_before "$(marks saved/incident-1-* main)" '1000001 1000060 60'
expect next_incident_goes_on "$(marks saved/incident-2-* buffer2)" '1000061 1000070 10'
"$LKST" incident drop 1
expect dropped "$("$LKST" incident list | tail -n 1)" \
	'room for 1 more of 2; 1 causes came while an incident was not over, 1 found no room'
"$LKST" incident keep --quiet
"$LKST" incident drop 2
"$LKST" incident save --drop --output saved --quiet 3
expect third_goes_on "$(marks saved/incident-3-* buffer3)" '1000071 1000080 10'
mark 1000081 1000090
"$LKST" snapshot --quiet --output five
expect the_active_bank_goes_on "$(marks five main)" '1000081 1000090 10'
expect_refusal banks_are_not_deleted 'is for incidents' buffer delete bank1
expect_refusal no_such_incident 'there is no incident 9' incident drop 9
# While there is nothing to save it sleeps, until the kernel wakes it: what a call gives is in the list when it is over.
strace -o looks -e 'trace=bpf,?poll,?ppoll' "$LKST" incident watch --output saved --quiet &
strace=$!
sleeps()
{
	grep -q poll "/proc/$(pgrep -P $strace)/wchan" 2>/dev/null
}
wait_until 60 sleeps || fail watch_sleeps "$(tail -n 3 looks)"
watcher=$(pgrep -P $strace)
sleep 2
expect watch_sleeps_while_nothing_is_kept \
	"$(grep -c ^bpf looks | awk '{ print ($1 > 0) }') $(grep -c "^p*poll.*}, {.*}, {.*) = " looks)" '1 0'
"$LKST" incident keep --quiet
# It drops the incident when all of it is saved.
all_are_dropped()
{
	[ -n "$(ls -d saved/incident-4-* 2>/dev/null)" ] && [ "$("$LKST" incident list --json | wc -l)" = 0 ]
}
wait_until 60 all_are_dropped
kill $watcher && wait $strace
expect watch_ends_well $? 0
expect watch_saves_and_drops "$(marks saved/incident-4-* main) $("$LKST" incident list --json | wc -l)" \
	'1000081 1000090 10 0'

# ---- by a handler ----
cat >keeper.c <<'END'
#include <lkst/handler.h>

s32 keep_at, jump_at;
u32 to;

struct call {
	struct lkst_record_head head;
	s32 pid;
};

LKST_HANDLER(keeper, "keeps the moment at one number, and switches to another buffer at another")
{
	return true;
}

LKST_HANDLER_AFTER
{
	const struct call *c = LKST_AS_TYPE(struct call);

	if (c && c->pid == keep_at)
		lkst_keep(c->pid, 0);
	if (c && c->pid == jump_at)
		lkst_switch_buffer(LKST_BUFFER_MAIN, to);
}
END
"$LKST" handler build --quiet keeper.c 2>err
"$LKST" handler load --quiet keeper.o --event syscall_entry_getpgid 2>>err || fail keeper_is_loaded "$(cat err)"
"$LKST" buffer create --quiet --size 64K other
"$LKST" maskset --handler keeper --quiet 'kept+=syscall_entry_getpgid'
"$LKST" maskset set kept --quiet
"$LKST" handler set keeper keep_at=1000150 jump_at=1000170 \
	to="$("$LKST" buffer list --json | sed -n 's/.*"id":\([0-9]*\),"name":"other","cpu":0,.*/\1/p')"
mark 1000101 1000200
"$LKST" snapshot --quiet --output six
expect handler_keeps "$("$LKST" incident list --json | perl -MJSON::XS -ne '
	my $i = decode_json($_); print "$i->{event} $i->{value} $i->{reason}"')" \
	'syscall_entry_getpgid 1000150 a handler'
"$LKST" incident save --drop --output saved --quiet all
expect kept_up_to_the_event "$(marks "$(echo saved/incident-5-*)" "$(ls saved/incident-5-* | sed -n 's/^\(bu.*\|main\)\.0$/\1/p')" |
	cut -d ' ' -f 2)" 1000150
expect handler_switches "$(marks six "$(ls six | sed -n 's/^\(buffer4\)\.0$/\1/p')")" '1000171 1000200 30'

# ---- a recording that takes the place of another ----
mkdir before
"$LKST" incident watch --output before --quiet &
watcher=$!
"$LKST" incident keep --quiet
has_entries()
{
	[ -n "$(ls -A "$1")" ]
}

has_saved()
{
	[ "$(find "$1" -maxdepth 1 -name 'incident-*' | wc -l)" = "$2" ] && [ "$("$LKST" incident list --json | wc -l)" = 0 ]
}
wait_until 60 has_saved before 1 || fail watch_saves_before "$(ls before)"
# It does not see that nothing is recorded in between.
kill -STOP $watcher
"$LKST" stop --quiet
"$LKST" start --quiet --budget none --buffer 64K --incidents 1 2>err || fail another_recording_begins "$(cat err)"
"$LKST" incident keep --quiet
kill -CONT $watcher
wait_until 60 has_saved before 2
expect watch_goes_on_with_another_recording "$(find before -maxdepth 1 -name 'incident-*' | wc -l)" 2
# What another command is saving is still there when that is done: no notice tells so.
mkdir beside
kill -STOP $watcher
"$LKST" incident keep --quiet
strace -f -o /dev/null -e inject=fsync,fdatasync,syncfs,rename,renameat,renameat2:delay_enter=1000000 \
	"$LKST" incident save --output beside --quiet all &
saver=$!
wait_until 60 has_entries beside || fail another_command_saves "$(ls -A beside)"
kill -CONT $watcher
wait $saver || fail another_command_has_saved "$(ls -A beside)"
wait_until 60 has_saved before 3
expect watch_saves_what_another_command_has_saved \
	"$(find beside before -maxdepth 1 -name 'incident-*' -printf '%h\n' | uniq -c | xargs)" '1 beside 3 before'
kill $watcher && wait $watcher
expect watch_ends_well_after_another_recording $? 0
"$LKST" stop --quiet
expect nothing_is_left "$(ls /sys/fs/bpf/lkst 2>/dev/null)" ''

exit $failed
