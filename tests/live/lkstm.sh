#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# The demonstration of the original LKST's slides, word for word, by its own commands; and the same
# commands where they are refused. As its kernel did, the recording begins with RDEFAULT: all but locks.
. "$(dirname "$0")/lib/live.sh"

mkdir "$work/bin"
ln -s "$LKST" "$work/bin/lkst"
for link in lkstm lkstbuf lksteh; do
	ln -s lkst "$work/bin/$link"
done
PATH=$work/bin:$PATH
cd "$work" || exit

# Passes if the file $2 is what the text $3 is.
expect_text()
{
	if [ "$(cat "$2")" = "$3" ]; then
		ok "$1"
	else
		fail "$1" "$(diff <(echo "$3") "$2" | head -n 5)"
	fi
}

needs_the_recorder
expect_refusal_by lkstm_needs_a_recording 'nothing is being recorded' lkstm list

has_started=yes
lkst start --quiet --buffer 16M --maskset RDEFAULT --budget none
lkstm list >out
expect_text lkstm_list_marks_the_active_one out 'maskset_id length name
0 (0x00) 4096 RNOTHING
1 (0x01) 4096 RALL
2*(0x02) 4096 RDEFAULT'
lkstm read -m 2 | head -n 6 >out
expect_text lkstm_read_prints_rows out '# ID=2
# maskset name=RDEFAULT
# length=4096
# event_type event_name event_handler_ID
0x001 PROCESS_CONTEXTSWITCH 0x01
0x002 PROCESS_WAKEUP 0x01'

# ---- the slides: creation of the maskset, the trace, the table of processes ----
lkstm read -m 0 | lkstm write -m 3
lkstm config -m 3 1 1
lkstm config -m 3 2 1
lkstm set -m 3
date +%s.%N >began
# Processes that are born now, run, wait for their CPU and sleep, and say what the kernel made of it; and some that
# come and go with a name and program of their own.
cat >worker.pl <<'END'
use Time::HiRes qw(clock_gettime sleep CLOCK_PROCESS_CPUTIME_ID);
for my $round (1 .. 5) {
	my $until = clock_gettime(CLOCK_PROCESS_CPUTIME_ID) + 0.02;
	1 while clock_gettime(CLOCK_PROCESS_CPUTIME_ID) < $until;
	sleep 0.01;
}
printf "%d %.0f\n", $$, 1e9 * clock_gettime(CLOCK_PROCESS_CPUTIME_ID);
END
# What the hypervisor took, in ns: the kernel's own count leaves it out.
stolen()
{
	awk -v ticks="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%.0f", $9 * 1e9 / ticks }' /proc/stat
}
stolen_before=$(stolen)
for n in 1 2 3; do
	taskset -c 0 perl worker.pl >"worker.$n" &
	children+=($!)
done
for _ in 1 2 3 4 5; do sh -c 'sleep 0.01; true'; done
wait "${children[@]}"
children=()
stolen=$(($(stolen) - stolen_before))
lkstbuf read -f trace.log
lkstbuf print -r -C -S -V -f trace.log >trace.csv
grep context trace.csv | cut -d, -f3,7 | sort | uniq >as_printed
# "context" may be in a path, too, that was opened before the maskset was set.
grep '^"context_switch"' trace.csv >switches.csv
cut -d, -f3,7 switches.csv | sort | uniq >table

lkstm read -m 3 | grep -v ' 0xff$' | tail -n +5 >out
# Besides the two it has the events that every maskset has: the names of threads, and the cgroups that they are in.
sed -i -E '/ (sched_process_(fork|exec|exit|free)|task_(newtask|rename)|cgroup_(mkdir|attach_task)) /d' out
expect_text process_trace_has_two_events out '0x001 PROCESS_CONTEXTSWITCH 0x01
0x002 PROCESS_WAKEUP 0x01'
if lkstm list | grep -q '^3\*(0x03) 4096 '; then
	ok lkstm_set_activates_it
else
	fail lkstm_set_activates_it "$(lkstm list)"
fi
if [ "$(lkst status --json | perl -MJSON::XS -e 'print decode_json(<STDIN>)->{hooks}')" = 12 ]; then
	ok hooks_that_nobody_needs_are_detached
else
	fail hooks_that_nobody_needs_are_detached "$(lkst status | tail -n 1)"
fi
if [ -f trace.log ] && lkst check trace.log >out; then
	ok lkstbuf_read_saves_one_file
else
	fail lkstbuf_read_saves_one_file "$(tail -n 3 out)"
fi
# After the switch has settled there is nothing but what the maskset lets through, and the lives of threads and cgroups.
settled=$(lkst print --time mono --event maskset_settled trace.log | awk '{ at = $1 } END { print at }')
bad=$(lkst print --from "@$settled" --format csv trace.log | cut -d, -f1 | sort | uniq -c |
	grep -vE '"(context_switch|wakeup|wakeup_new|sched_wakeup|sched_process_(fork|exec|exit|free)|task_(newtask|rename)|cgroup_(mkdir|rmdir|attach_task)|maskset_settled)"$')
if [ -n "$settled" ] && [ -z "$bad" ]; then
	ok nothing_else_is_recorded
else
	fail nothing_else_is_recorded "$bad"
fi
line='^"context_switch",[0-9]{2},[0-9]{7},[0-9]{10},[0-9]{9},"pointer to task struct\(prev\)",'
line+='0x[0-9a-f]{8},0x[0-9a-f]{8},"pointer to task struct\(next\)",(0x[0-9a-f]{8},0x[0-9a-f]{8}|,),'
line+='"prev_state",0x[0-9a-f]{8},0x[0-9a-f]{8},'
if [ "$(wc -l <switches.csv)" -gt 20 ] && ! grep -qvE "$line" switches.csv; then
	ok csv_is_the_slides
else
	fail csv_is_the_slides "$(grep -vE "$line" switches.csv | head -n 2)"
fi
# A task_struct may serve one process after another, but a process has one, but for process 0 of each CPU.
many=$(grep -v ^0000000, table | cut -d, -f1 | sort | uniq -d)
if [ "$(wc -l <table)" -gt 5 ] && [ -z "$many" ] && [ -z "$(comm -23 table as_printed)" ]; then
	ok table_of_processes_and_task_structs
else
	fail table_of_processes_and_task_structs "$(wc -l <table) rows; more than one for: $many"
fi
expect every_process_has_a_task_struct "$(grep -E ',(0x00000000)?$' table)" ''
# As many idle threads as CPUs that were idle, and the kernel's own is the first CPU's.
expect idle_threads_are_told_apart "$(grep -c ^0000000, table)" \
	"$(awk -F, '$3 == 0 { print $2 }' switches.csv | sort -u | wc -l)"

# ---- the slides: the states of a process by their rules, from the CSV alone ----
if "$lib/process_trace.pl" trace.csv >states 2>err; then
	ok rules_of_the_slides_can_be_applied
else
	fail rules_of_the_slides_can_be_applied "$(head -n 2 err)"
fi
# A thread without a task_struct was there before and is not listed by the kernel.
expect only_unlisted_threads_are_not_known "$(sed -n 's/^unknown //p' states | while read -r tid; do
	[ -e "/proc/$tid" ] && [ -z "$(lkst print --event state_thread trace.log | grep " thread=$tid/")" ] ||
		echo "$tid"
done)" ''
# They agree with LKST's own model, and with what the kernel said of the processes born meanwhile.
lkst analyze procstate --format json trace.log | perl -MJSON::XS -0777 -ne '
	print "$_->{tid} $_->{running_ns} $_->{ready_ns} $_->{blocked_ns}\n"
		for @{decode_json($_)->{procstate_threads}{rows}}' >model
expect three_workers "$(cat worker.? | wc -l)" 3
bad=$(cat worker.? | perl -e '
	my ($stolen, $missing, %state, %model) = @ARGV;
	@ARGV = ();
	sub take { open my $f, "<", shift or die; map { /^(\d+) (\d+) (\d+) (\d+)$/ ? ($1 => [$2, $3, $4]) : () } <$f> }
	%state = take("states"), %model = take("model");
	while (<STDIN>) {
		my ($pid, $cpu_ns) = split;
		my ($s, $m) = ($state{$pid}, $model{$pid});
		my @differ = grep { !$m || abs($s->[$_] - $m->[$_]) > 1e5 + $m->[$_] / 100 + $missing } 0 .. 2;
		# A worker ends some time after it has asked.
		print "$pid by the rules @$s, by the model @{$m // []}; " if !$s || @differ;
		print "$pid ran $s->[0] by the rules, $cpu_ns by its clock, $stolen stolen; "
			if $s->[0] < $cpu_ns * 0.99 - 1e5 - $missing ||
				$s->[0] > $cpu_ns * 1.1 + 2e7 + $stolen + $missing;
	}' "$stolen" "$(sed -n 's/^missing //p' states)")
expect states_by_the_rules_are_the_true_ones "$bad" ''
if awk -F, -v began="$(cat began)" '/context/ && $4 "." $5 > began { n++ } END { exit n < 10 }' trace.csv; then
	ok csv_tells_the_time_of_day
else
	fail csv_tells_the_time_of_day "$(tail -n 1 trace.csv)"
fi

# ---- the other forms of printing ----
# The same lines, without the first of an argument's three columns. A switch has as many arguments as its call's row wants.
lkstbuf print -C -f trace.log | grep '^"context_switch"' >brief.csv
if lkstbuf print -C -V -f trace.log | grep '^"context_switch"' | awk -F, '{
	line = $1; for (i = 2; i <= NF; i++) if (i < 6 || (i - 6) % 3) line = line "," $i
	print line
}' | cmp - brief.csv >differ 2>&1 && [ -s brief.csv ] && ! grep -q pointer brief.csv; then
	ok csv_without_descriptions
else
	fail csv_without_descriptions "$(cat differ); $(head -n 1 brief.csv)"
fi
if lkstbuf print -f trace.log | grep -q 'sched_switch: next='; then
	ok text_form
else
	fail text_form "$(lkstbuf print -f trace.log 2>&1 | tail -n 1)"
fi
mkdir apart && tar xf trace.log -C apart && lkst print --format csv --no-gaps apart/trace >apart.csv
if cmp -s apart.csv trace.csv; then
	ok tar_takes_the_file_apart
else
	fail tar_takes_the_file_apart "$(diff apart.csv trace.csv | head -n 2)"
fi

# ---- read, edit, write, set ----
lkstm read -m 2 | sed '/ MEM_/s/0x01$/0xff/; s/^# maskset name=.*/# maskset name=no-memory/' >mine
lkstm write -m 4 <mine && lkstm set -m 4
if [ "$(lkstm read -m 4 | tail -n +2)" = "$(tail -n +2 mine)" ] && lkstm list | grep -q '^4\*.* no-memory$'; then
	ok narrowing_by_editing
else
	fail narrowing_by_editing "$(lkstm read -m 4 | diff - mine | head -n 3)"
fi
lkstm config -m 4 kmalloc 1
if [ "$(lkstm read -m 4 | grep -c ' MEM_MALLOC 0x01$')" = 1 ]; then
	ok events_by_name
else
	fail events_by_name "$(lkstm read -m 4 | grep -E 'kmalloc|MEM_MALLOC')"
fi

# ---- refusals ----
for set in 0 1 2; do
	expect_refusal_by "maskset_${set}_is_not_changed" 'is reserved' lkstm config -m $set 1 255
	expect_refusal_by "maskset_${set}_is_not_deleted" 'is reserved' lkstm delete -m $set
done
expect_refusal_by reserved_is_not_written 'is reserved' lkstm write -m 2
expect_refusal_by unknown_handler 'there is no handler 0x07' lkstm config -m 3 1 7
expect_refusal_by unknown_event 'this recording has no event 0x008' lkstm config -m 3 8 1
expect_refusal_by unknown_maskset 'there is no maskset 9' lkstm set -m 9
expect_refusal_by too_high_a_number 'have the numbers 0 to 15, not 16' lkstm write -m 16
expect_refusal_by the_active_one_is_not_deleted 'is active' lkstm delete -m 4
expect_refusal_by no_maskset '-m says which' lkstm read
lkstm set -m 2 && lkstm delete -m 4
expect_refusal_by deleted_is_gone 'there is no maskset 4' lkstm read -m 4
expect_refusal_by lkstbuf_without_a_file '-f says which' lkstbuf read
printf 'nonsense' >broken
expect_refusal_by lkstbuf_print_of_nonsense 'neither a trace directory nor' lkstbuf print -f broken

# ---- the two that list ----
if lksteh list | grep -q '^ *1  (0x01)  DEFAULT ' && lksteh list | grep -q '^255  (0xff)  NOTHING '; then
	ok lksteh_lists_handlers
else
	fail lksteh_lists_handlers "$(lksteh list 2>&1)"
fi
if [ "$(lkstbuf list | grep -cE '^ *[01]  (main|life) ')" -ge 2 ]; then
	ok lkstbuf_lists_buffers
else
	fail lkstbuf_lists_buffers "$(lkstbuf list 2>&1)"
fi

exit $failed
