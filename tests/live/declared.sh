#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Events that handlers declare (C10, C14): their records, of every type of field, with registers, a variable
# of the kernel and a stack, are decoded by name by all readers of a recording, also by those that were
# reading when the handler was loaded.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
calls=300

cat >extra.c <<'END'
#include <lkst/handler.h>
#include <linux/ptrace.h>

LKST_EVENT(registers, "what the thread's registers held when it called",
	   u64 di; u64 si; lkst_result constant; lkst_ns ns; s32 oom_score_adj; lkst_signal signal;
	   u16 small; bool yes; u8 tiny; u32 pair[2]; char word[8]; s16 wide[2];);
LKST_EVENT(within, "is written before the event is published, and has no fields",);

LKST_HANDLER(extra, "adds to a call what its record has not")
{
	LKST_WRITE(within);
	return true;
}

LKST_HANDLER_AFTER
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs = (void *)bpf_task_pt_regs(task);

	LKST_WRITE(registers, .di = regs->rdi, .si = regs->rsi, .constant = -2, .ns = 77,
		   .oom_score_adj = task->signal->oom_score_adj, .signal = 9, .small = 65535,
		   .yes = true, .tiny = 200, .pair = { 1, 4000000000 }, .word = "abc",
		   .wide = { -1, 2 });
}
END
sed 's/u64 di;/u32 di;/; s/^LKST_HANDLER(extra/LKST_HANDLER(extra/' extra.c >other.c
cat >holes.c <<'END'
#include <lkst/handler.h>

LKST_EVENT(holes, "an integer stands where readers do not look", u16 a; u32 b;);

LKST_HANDLER(holes, "is refused")
{
	return LKST_WRITE(holes, .a = 1);
}
END
sed 's/u16 a; u32 b;/void *a;/; s/.a = 1/.a = 0/' holes.c >pointer.c
sed 's/u16 a; u32 b;/u32 a; lkst_code b[0]; u32 c;/' holes.c >middle.c
for source in extra other holes pointer middle; do
	"$LKST" handler build $source.c -q >>built 2>&1 || fail handlers_are_built "$(cat built)"
done

# One call's worth of what is recorded, as JSON without its time: the records of thread $2 in trace $1.
records()
{
	"$LKST" print --format json --tid "$2" --event syscall_entry_getpriority --event 'handler:*' "$1"
}

# Prints how many calls of JSON records on standard input have their three records, in order, and agree:
# the registers have what the call's own record has.
agreeing()
{
	perl -MJSON::XS -ne '
		my $r = decode_json($_);
		my ($event, $f) = ($r->{event}, $r->{fields});
		if ($event eq "syscall_entry_getpriority") { $call = $f; undef $within; }
		$within = $call if $event eq "extra.within";
		if ($event eq "extra.registers") {
			$nr++ if $within && $f->{di} == $call->{which} &&
				$f->{si} == $call->{who} && $f->{constant} == -2 && $f->{ns} == 77 &&
				$f->{oom_score_adj} == 123 && $f->{signal} == 9 && $f->{small} == 65535 &&
				$f->{yes} == 1 && $f->{tiny} == 200 && "@{$f->{pair}}" eq "1 4000000000" &&
				$f->{word} eq "abc" && "@{$f->{wide}}" eq "-1 2";
			undef $call; undef $within;
		}
		END { print $nr + 0 }'
}

has_started=yes
"$LKST" start --quiet --budget none --buffer 16M --maskset RNOTHING

# ---- what cannot be an event is refused ----
for refused in holes pointer middle; do
	case $refused in
	holes) why='field b is at byte 14, not a multiple of 4: put larger fields first' ;;
	*) why='is neither an integer, nor an array of some, nor the last one after its count' ;;
	esac
	expect_refusal ${refused}_are_refused "$why" handler load $refused.o --event 'syscall:getpriority'
done
expect refused_events_are_not_declared "$("$LKST" snapshot -q -o none && grep -c 'holes\.' none/metadata)" 0

# ---- readers that are there before the handler comes ----
"$LKST" attach --format json >attached 2>attach.err &
attach=$!
children+=($attach)
"$LKST" attach --quiet -o streamed &
stream=$!
children+=($stream)
wait_until 60 test -e streamed/metadata

# ---- all types of fields; registers, and a variable of the kernel's ----
"$LKST" handler load extra.o --event 'syscall:getpriority' --quiet
"$LKST" handler load stack --event 'syscall:getpriority' --quiet
"$LKST" maskset --quiet -H extra 'mine+=syscall_entry_getpriority'
"$LKST" maskset --quiet -H stack 'mine+=syscall_exit_getpriority'
"$LKST" handler set stack user=1
"$LKST" maskset set mine --quiet
run_numbered()
{
	(echo 123 >"/proc/$BASHPID/oom_score_adj" && exec "$load/numbered" 1 $calls) </dev/null >numbered.out
	read -r _ tid <numbered.out
}
run_numbered
"$LKST" snapshot --quiet -o trace
expect each_call_has_its_records "$(records trace "$tid" | agreeing)" $calls
expect events_are_listed "$("$LKST" handler show extra | grep -c '^event extra\.\(within\|registers\): ')" 2
expect events_are_listed_for_programs "$("$LKST" handler show extra --json | perl -MJSON::XS -e '
	print join " ", map { $_->{name} } @{decode_json(<STDIN>)->{events}}')" 'extra.registers extra.within'
expect_whole trace_with_events_is_whole trace
expect meanings_are_in_the_trace "$("$LKST" print --tid "$tid" --event extra.registers trace | head -n 1 |
	grep -o 'constant=[^ ]* ns=77 .* signal=[^ ]*')" 'constant=-ENOENT ns=77 oom_score_adj=123 signal=SIGKILL'

# ---- stacks ----
# The record of the stack has the address of a place in the function that serves system calls; and the
# user's first frame is the place after the call, as the registers had it.
expect stacks_lead_through_the_kernel "$("$LKST" print --format json --tid "$tid" --event stack.kernel trace |
	perl -MJSON::XS -ne '
		BEGIN {
			open(my $symbols, "<", "/proc/kallsyms") or die;
			my @all = sort { $a->[0] <=> $b->[0] } map { [hex($1), $2] if /^(\S+) [tT] (\S+)$/ }
				grep { /^\S+ [tT] / } <$symbols>;
			for my $i (0 .. $#all) {
				($from, $to) = ($all[$i][0], $all[$i + 1][0]) if $all[$i][1] eq "do_syscall_64";
			}
		}
		$nr++ if grep { $_ > $from && $_ < $to } @{decode_json($_)->{fields}{frames}};
		END { print $nr + 0 }')" $calls
expect stacks_lead_to_the_user "$("$LKST" print --format json --tid "$tid" --event stack.user trace |
	perl -MJSON::XS -ne '$nr++ if (decode_json($_)->{fields}{frames}[0] // 0) > 4096; END { print $nr + 0 }')" $calls
expect addresses_have_names "$("$LKST" print --tid "$tid" --event stack.kernel trace | grep -c 'frames=.*do_syscall_64+0x')" $calls
expect user_addresses_have_none "$("$LKST" print --tid "$tid" --event stack.user trace | grep -c 'frames=\[0x')" $calls
if command -v babeltrace2 >/dev/null; then
	expect others_read_them "$(babeltrace2 trace 2>&1 | grep -c "tid = $tid }.*stack.kernel\|stack.kernel.*tid = $tid }.*nr_frames")" \
		"$("$LKST" print --tid "$tid" --event stack.kernel trace | wc -l)"
fi

# ---- those who were reading ----
has_come()
{
	[ "$(grep -c "\"tid\":$tid,.*extra.registers" attached)" -ge $calls ]
}
wait_until 60 has_come
kill -INT $attach $stream
wait $attach $stream
expect attached_has_learnt_them "$(grep "\"tid\":$tid," attached | agreeing)" $calls
expect streamed_has_learnt_them "$(records streamed "$tid" | agreeing)" $calls
expect streamed_addresses_have_names "$("$LKST" print --tid "$tid" --event stack.kernel streamed | grep -c 'frames=.*do_syscall_64+0x')" $calls
expect_whole streamed_is_whole streamed

# ---- unloading, and loading again ----
"$LKST" maskset set RNOTHING --quiet
"$LKST" handler unload extra --force
rm -rf trace
"$LKST" snapshot --quiet -o trace
expect records_outlive_their_handler "$(records trace "$tid" | agreeing)" $calls
expect_refusal other_fields_are_refused 'records of an event extra.registers with other fields may be in the buffers' \
	handler load other.o --event 'syscall:getpriority'
"$LKST" handler load other.o --as other --event 'syscall:getpriority' --quiet
"$LKST" handler load extra.o --event 'syscall:getpriority' --quiet
"$LKST" maskset --quiet -H extra 'mine+=syscall_entry_getpriority'
"$LKST" maskset set mine --quiet
run_numbered
rm -rf trace
"$LKST" snapshot --quiet -o trace
expect the_same_event_keeps_its_id "$(grep -c '"extra.registers"' trace/metadata) $(records trace "$tid" | agreeing)" "1 $calls"
expect another_name_is_another_event "$(grep -c '"other.registers"' trace/metadata)" 1

# ---- in a dump: the running kernel's memory is searched as one, where it may be read ----
if [ -r /proc/kcore ] && "$LKST" extract --quiet -o dumped /proc/kcore 2>extract.err; then
	expect a_dump_has_them "$(records dumped "$tid" | agreeing)" $calls
else
	echo "skip a_dump_has_them: $(head -c 200 extract.err 2>/dev/null || echo 'there is no /proc/kcore')"
fi
exit $failed
