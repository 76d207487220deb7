#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# lkst maskset: shipped and own masksets, by file, by editing and by globs, while recording goes on; hooks
# come and go with them, and stay where a maskset is armed.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit

# The value of an expression on the JSON that a command prints.
#   json EXPRESSION COMMAND...    $_ is the object
json()
{
	local expression=$1

	shift
	"$LKST" "$@" | perl -MJSON::XS -e 'local $_ = decode_json(do { local $/; <STDIN> });
		my $v = eval $ARGV[0]; die $@ if $@; print $v // "nothing"' "$expression"
}

# Events that were recorded since the last switch settled, a name per line.
recorded()
{
	local from

	rm -rf trace
	"$LKST" snapshot --quiet --output trace
	from=$("$LKST" print --time mono --event maskset_settled trace | awk '{ at = $1 } END { print at }')
	"$LKST" print --from "@$from" --format json trace |
		perl -ne 'print "$1\n" if /"event":"([^"]+)"/' | sort -u | grep -v '^maskset_'
}

# Passes if nothing but $2 was recorded, and the lives of threads, which every maskset has.
expect_only()
{
	local bad

	sleep 0.3
	bad=$(recorded | grep -vE "$2|^sched_process_(fork|exec|exit|free)$|^task_(newtask|rename)$|^cgroup_(mkdir|attach_task)$")
	if [ -s trace/metadata ] && [ -z "$bad" ]; then ok "$1"; else fail "$1" "also ${bad//$'\n'/ }"; fi
}

has_started=yes
"$LKST" start --quiet --budget none --buffer 64M --maskset flight --armed latency --event 'sched_switch' --event 'writeback:*'
expect start_begins_with_a_maskset "$(json '$_->{maskset_name}' status --json)" flight
expect start_keeps_what_events_chose "$(json '(grep { $_->{name} eq "start" } @{$_->{masksets}})[0]{events} > 5' \
	maskset list --json)" 1
expect_only flight_is_what_the_flight_recorder_had \
	'^(compat_)?syscall_|^sched_(switch|wakeup|wakeup_new)$'
expect armed_hooks_are_attached "$(json '$_->{attached}' maskset set latency --json --quiet)" 0
expect armed_hooks_stay "$(json '$_->{detached} > 0 ? "some" : "none"' maskset set flight --json --quiet)" none
"$LKST" maskset disarm latency
expect disarmed_hooks_go "$(json '$_->{attached} > 10' maskset set latency --json --quiet)" 1
expect hooks_of_the_other_go "$(json '$_->{maskset_name} . " " . ($_->{hooks} < 45)' status --json)" 'latency 1'
expect set_armed_stays "$("$LKST" maskset set RALL --armed --quiet; "$LKST" maskset set net --quiet
	json '$_->{hooks} > 70' status --json)" 1
"$LKST" maskset disarm RALL
expect only_net_hooks_are_left "$(json '$_->{hooks} < 40' status --json)" 1

# ---- globs ----
"$LKST" maskset 'mine+=sched_switch' 'syscall:getppid' >out
expect a_glob_makes_a_maskset "$(cat out)" 'maskset 3 (mine): 13 events'
"$LKST" maskset set mine --quiet
expect_only own_maskset_records_its_events '^(sched_switch|(compat_)?syscall_(entry|exit)_getppid)$'
"$LKST" maskset 'mine+=signal:*' --buffer life --quiet
kill -CONT $$
expect globs_change_the_active_one "$(recorded | grep -c '^signal_generate$')" 1
expect events_go_to_the_buffer "$(json '(grep { $_->{event} eq "signal_generate" } @{$_->{events}})[0]{buffer}' \
	maskset show mine --json)" life
"$LKST" maskset 'mine-=signal:*' --quiet
expect_only globs_take_away '^(sched_switch|(compat_)?syscall_(entry|exit)_getppid)$'
"$LKST" maskset 'mine+=writeback:*' --quiet
echo x >file && sync file
expect tracepoints_by_name_are_recorded "$(recorded | grep -c '^writeback:' | sed 's/^[1-9].*/some/')" some
expect switches_are_told "$("$LKST" print -e maskset_switch trace | tail -n 1 | sed 's/.*: //')" 'from=3 to=3'
expect masksets_are_named_in_the_trace \
	"$("$LKST" print -e state_maskset trace | sed -n 's/.*active=yes .*name="\(.*\)"/\1/p')" mine

# ---- files and the editor ----
"$LKST" maskset read mine >mine.txt
"$LKST" maskset write other mine.txt --quiet
expect written_is_what_was_read "$("$LKST" maskset read other | tail -n +3)" "$(tail -n +3 mine.txt)"
printf '#!/bin/sh\nsed -i "s/\\(PROCESS_SIGSEND\\) 0xff/\\1 0x01/" "$2"\n' >editor && chmod +x editor
EDITOR="$work/editor with" "$LKST" maskset edit other --quiet
expect edited "$("$LKST" maskset read other | grep -c 'PROCESS_SIGSEND 0x01')" 1
printf '#!/bin/sh\necho nonsense >>"$1"\n' >editor
# shellcheck disable=SC2097,SC2098
EDITOR="$work/editor" expect_refusal editing_nonsense_changes_nothing 'is kept; fix it' maskset edit other
rm -f "$(sed -n 's/.*: \(\/tmp\/lkst-maskset-[^ ]*\) is kept.*/\1/p' out)"
printf '#!/bin/sh\nexit 3\n' >editor
EDITOR="$work/editor" expect_refusal failed_editor_changes_nothing 'nothing is changed' maskset edit other
"$LKST" maskset copy RDEFAULT 7 --quiet
expect copied_to_a_number "$(json '(grep { $_->{id} == 7 } @{$_->{masksets}})[0]{name}' maskset list --json)" maskset7

# ---- refusals ----
expect_refusal reserved_is_not_changed 'is reserved' maskset 'RALL-=sched:*'
expect_refusal reserved_is_not_edited 'is reserved' maskset edit RDEFAULT
expect_refusal no_such_maskset 'there is no maskset "nine"' maskset set nine
expect_refusal nothing_to_take_away_from 'there is no maskset "nine"' maskset 'nine-=sched:*'
expect_refusal no_such_event 'matches "nope"' maskset 'mine+=nope'
expect_refusal no_such_verb 'there is no "destroy"' maskset destroy mine
expect_refusal bad_name "can't be a maskset's name" maskset 'a b+=sched:*'
expect_refusal no_such_buffer 'there is no buffer "9"' maskset --buffer 9 'mine+=sched:*'
expect_refusal too_few_arguments 'takes 2 to 2 arguments' maskset copy mine
expect_refusal no_such_file 'No such file' maskset write mine ./none
for n in 5 6 8 9 10 11; do "$LKST" maskset copy mine $n --quiet; done
expect_refusal no_room 'all 16 masksets are in use' maskset 'more+=sched:*'
expect nothing_was_changed "$(json '$_->{maskset_name} . " " . $_->{events}' status --json)" \
	"mine $(json 'scalar @{$_->{events}}' maskset show mine --json)"
expect_whole trace_over_all_switches_is_whole trace
"$LKST" stop --quiet

# ---- a maskset from a file to begin with ----
"$LKST" start --budget none --maskset ./mine.txt >out 2>notes
expect start_takes_a_file "$(json '$_->{maskset_name}' status --json)" mine
expect missing_events_are_noted "$(grep -c 'can.t be recorded here, or were not asked for' notes)" 1
"$LKST" stop --quiet
printf '0x001 PROCESS_WAKEUP 0x01\n' >broken
expect_refusal start_refuses_a_broken_file './broken: line 1: the number of PROCESS_WAKEUP is 0x002' \
	start --maskset ./broken
expect nothing_is_left "$(ls /sys/fs/bpf/lkst 2>/dev/null)" ''

# ---- what a maskset leaves out ----
record standard --maskset standard -- true
"$LKST" analyze memalloc standard >out
expect analyses_name_the_maskset_that_has_more \
	"$(sed -n 's/.*kmem_cache_alloc .*recorded with maskset \([a-z]*\); .lkst maskset set \([A-Za-z]*\).*/\1 \2/p' out)" \
	'standard memory'
record memory --maskset memory -- true
"$LKST" analyze memalloc memory >out
expect that_maskset_has_it "$(grep -c 'is in the trace\|is not in the trace' out)" 0
expect its_allocations_are_measured "$("$LKST" analyze memalloc --format json memory | perl -MJSON::XS -0777 -e '
	my ($all) = grep { $_->{key} eq "all" } @{decode_json(<STDIN>)->{memalloc_slab_total}{rows}};
	print $all->{count} > 0 ? "some" : "none"')" some
record io --maskset io -- sleep 0.05
tid=$("$LKST" print --format json io | perl -ne '/"tid":(\d+),"comm":"sleep"/ and print($1), exit')
"$LKST" why --tid "${tid:-0}" io >out
expect why_names_the_maskset_that_has_more \
	"$(sed -n 's/^Note: .*sched_waking.*recorded with maskset \([a-z]*\); .lkst maskset set \([A-Za-z]*\).*/\1 \2/p' out)" \
	'io standard'
record standard --maskset standard -- sleep 0.05
tid=$("$LKST" print --format json standard | perl -ne '/"tid":(\d+),"comm":"sleep"/ and print($1), exit')
expect why_has_all_that_it_reads "$("$LKST" why --tid "${tid:-0}" standard | grep -c '^Note: .*maskset')" 0

exit $failed
