#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# lkst probe: what is set is listed, recorded and removed, by names, patterns and files; what is wrong changes nothing
# (rows K03, K13 to K16, L01, L18 to L22, L32 of doc/heritage.md). The places are in a program, since not every kernel
# has kprobes.
. "$(dirname "$0")/lib/live.sh"
. "$(dirname "$0")/lib/status.sh"

needs_the_recorder
cd "$work" || exit
cp "$load/called" called
program=$PWD/called

# The byte of the file where function $1 begins, by binutils.
place()
{
	local section address

	address=$(nm called | awk -v name="$1" '$3 == name { print "0x" $1 }')
	section=$(objdump -h called | awk '$2 == ".text" { print "0x" $4, "0x" $6 }')
	printf '0x%x\n' $((address - ${section% *} + ${section#* }))
}

# Which probes are set.
names()
{
	"$LKST" probe --list | sed 's/ (on .*//' | xargs
}

# Field $2 of probe $1: hits, missed ...
field()
{
	"$LKST" probe --list --json | perl -MJSON::XS -e '
		while (<STDIN>) { my $p = decode_json($_); print $p->{$ARGV[1]} if $p->{event} eq $ARGV[0] }' "$1" "$2"
}

# The records of event $1: their fields, except for the first, the address.
records()
{
	rm -rf trace
	"$LKST" snapshot --quiet --output trace
	"$LKST" print --event "$1" trace | sed -n 's/.*: __probe_ip=0x[0-9a-f]* *//p'
}

expect_refusal no_recording_no_probes 'nothing is being recorded' probe -x "$program" first_function
has_started=yes
# Of little else than the probes, so that what else the machine does overwrites nothing.
"$LKST" start --quiet --budget none --buffer 8M --event sched_process_exec
if ! "$LKST" probe -q -x "$program" trial=first_function >out 2>&1; then
	skip_all "probe: $(head -n 1 out)"
fi
"$LKST" probe -q --del trial

# ---- setting ----
expect add_says_what_it_set "$("$LKST" probe "$program" first_function 'number=$arg1:s32')" \
	"probe_called:first_function (on first_function@tests/live/load/called.c in $program with number)"
expect definitions_are_of_the_kernel "$(field probe_called:first_function definition)" \
	"p:probe_called/first_function $program:$(place first_function) number=\$arg1:s32 # first_function@tests/live/load/called.c in $program"
./called 20
expect every_call_is_a_record "$(records probe_called:first_function | xargs)" \
	"$(seq -f 'number=%g' 20 | xargs)"
expect hits_are_counted "$(field probe_called:first_function hits)" 20
expect nothing_was_missed "$(field probe_called:first_function missed)" 0

# ---- names ----
expect_refusal a_name_is_for_one 'there is a probe probe_called:first_function already' probe -x "$program" first_function
expect force_numbers "$("$LKST" probe -f -x "$program" first_function | cut -d' ' -f1)" probe_called:first_function_1
expect force_numbers_again "$("$LKST" probe --force -x "$program" first_function | cut -d' ' -f1)" \
	probe_called:first_function_2
expect names_are_chosen "$("$LKST" probe -x "$program" 'mine:own=first_function' | cut -d' ' -f1)" mine:own
expect all_are_listed "$(names)" \
	'probe_called:first_function probe_called:first_function_1 probe_called:first_function_2 mine:own'
expect some_are_listed "$("$LKST" probe --list 'first*_[12]' 'mine:*' | wc -l)" 3

# ---- what is wrong changes nothing ----
now=$(names)
expect_refusal one_bad_probe_refuses_all 'has no function nothing_like_it' \
	probe -x "$program" -a second_function -a nothing_like_it
expect_refusal one_bad_line_refuses_all 'line 2: invalid register name' probe --file <(
	printf 'p:a %s:%s\np:b %s:%s %%\n' "$program" "$(place first_function)" "$program" "$(place first_function)")
expect the_place_is_marked "$(sed -n '$s/^ *^$/marked/p' "$work/out")" marked
expect_refusal a_pattern_matches_something 'no probe that is set matches "nothing*"' probe -d 'nothing*'
expect_refusal within_an_instruction 'is within an instruction' probe -x "$program" first_function+1
expect dry_runs_say_it "$("$LKST" probe -nd 'mine:*')" 'would remove mine:own'
"$LKST" probe -nq -x "$program" second_function
# A name that is too long is noticed only when the probe is set: all is taken back, the last step first.
long=$(printf 'a%.0s' $(seq 50))
expect_refusal all_is_taken_back "a probe's name has 80 characters at most, with its group" \
	probe -q --del 'mine:*' --del '*_1' --file <(printf 'p:g/one %s:%s\np:%s/%s %s:%s\n' \
		"$program" "$(place first_function)" "$long" "$long" "$program" "$(place second_function)")
expect nothing_was_changed "$(names | xargs -n1 | sort | xargs)" "$(xargs -n1 <<<"$now" | sort | xargs)"

# ---- removing ----
expect del_says_what_it_removed "$("$LKST" probe --del 'first_function_*' | sort | xargs)" \
	'removed probe_called:first_function_1 removed probe_called:first_function_2'
expect records_stay "$(records probe_called:first_function | wc -l)" 20

# ---- files ----
printf '# of this test\np:f/one %s:%s %%di:u32 if arg1 > 3\n-:mine/own\nr:f/two %s:%s $retval:u32\n' \
	"$program" "$(place first_function)" "$program" "$(place second_function)" >probes
expect files_set_and_remove "$("$LKST" probe --file probes | cut -d' ' -f1,2 | xargs)" 'f:one (on removed mine:own f:two (on'
./called 5
expect conditions_hold "$(records f:one | xargs)" 'arg1=4 arg1=5'
expect returns_are_records "$(records f:two | wc -l)" 0
expect returns_have_values "$("$LKST" print --event f:two trace | sed -n 's/.* arg1=//p' | xargs)" '2 4 6 8 10'
expect definitions_can_be_set_again "$("$LKST" probe --list -v 'f:*' | sed -n 's/^    \([pr]:\)/\1/p' >again
	"$LKST" probe --quiet --del '*' --file - <again && names)" 'f:one f:two'
expect detached_when_no_maskset_has_it "$("$LKST" maskset set RNOTHING >"$work/log" 2>&1; field f:one by)" detached

# ---- indexes that have fewer bytes than a register has; results that are strings ----
"$LKST" maskset --quiet set start
"$LKST" probe --quiet -x "$program" -a 'my:index=third_function numbers[high] numbers[low] numbers[far]' \
	-a 'my:name=name_function%return name=$retval:ustring'
./called 9
expect narrow_indexes_are_cut "$(records my:index | sed 's/__faults=0x0 //; s/[a-z_0-9]*=//g' | xargs)" \
	"$(for i in 1 2 3 4 5 6 7 8 9; do echo $((1200 + i)) $((1000 - i)) $((700 - i)); done | xargs)"
expect results_are_strings "$("$LKST" print --event my:name trace | grep -c 'name="a name"$')" 9

# ---- of a file, in a program without debug information, and elsewhere ----
"$LKST" probe --quiet --save saved -x "$program" -a 'my:saved=first_function number' -a 'my:end=second_function%return'
mkdir -p elsewhere
strip -o elsewhere/stripped called
expect_refusal stripped_programs_have_no_variables 'no function first_function' \
	probe -x "$PWD/elsewhere/stripped" 'first_function number'
expect saved_probes_are_set "$("$LKST" probe --saved saved -x "$PWD/elsewhere/stripped" | cut -d' ' -f1 | xargs)" 'my:saved my:end'
elsewhere/stripped 7
expect saved_probes_fetch "$(records my:saved | xargs)" "$(seq -f 'number=%g' 7 | xargs)"
expect saved_probes_say_where "$("$LKST" probe --list my:saved)" \
	"$("$LKST" probe -n -x "$program" 'my:other=first_function number' |
		sed "s|my:other|my:saved|; s|in $program|in $PWD/elsewhere/stripped|")"
gcc -o elsewhere/other -xc - <<<'int main(void) { return 0; }' 2>/dev/null || cp /bin/true elsewhere/other
sed "s|$program|$PWD/elsewhere/other|" saved >saved_of_other
expect_refusal other_builds_are_refused 'has probes of build-id' probe --saved saved_of_other -x "$PWD/elsewhere/other"

# ---- what they cost was measured when the first was set ----
expect costs_are_measured "$(status 'join " ", grep { /^u/ } @{$s->{cost}{measured}}')" 'uprobe uprobe_emulated uretprobe'
case $(objdump -d called | grep -A1 '<first_function>:$' | tail -n 1) in
*[[:space:]]push* | *[[:space:]]nop*) type=uprobe_emulated ;;
*) type=uprobe ;;
esac
"$LKST" probe --quiet --del '*'
"$LKST" probe --quiet -x "$program" -a cost:entry=first_function -a 'cost:return=second_function%return'
./called 2000000000 &
pid=$!
cost=$(status '
	my $hook = $s->{cost}{hook_ns};
	my $stepping = "'$type'" eq "uprobe" ? $hook->{uprobe} - $hook->{uprobe_emulated} : 0;
	my %want = ("cost:entry" => $hook->{'$type'}, "cost:return" => $hook->{uretprobe} + ($stepping > 0 ? $stepping : 0));
	# What is said is no more than what the CPUs have spent, so all of it may be cut, by the same part.
	my @cut;
	my @bad = map {
		my $row = $cost{$_};
		my $us = ($row->{per_s} * ($row->{hook_ns} + $row->{handler_ns}) + $row->{idle_per_s} * $row->{hook_ns}) / 1e3;
		push @cut, $row->{us_per_s} / ($us || 1);
		$row->{per_s} < 100 ? "$_: hit too rarely, $row->{per_s}"
			: $row->{hook_ns} != $want{$_} ? "$_: $row->{hook_ns} ns, not $want{$_}"
			: abs($us * $cut[0] - $row->{us_per_s}) > $us / 1e3 + 1 || $cut[0] > 1.001 || $cut[0] < 0.5
			? "$_: $row->{us_per_s} us, not $us" : ()
	} sort keys %want;
	join ";", @bad')
kill $pid
wait $pid 2>/dev/null
expect costs_count_by_kind "$cost" ''

"$LKST" probe --quiet --del '*'
expect nothing_is_left "$(names)" ''
expect no_pin_is_left "$(find /sys/fs/bpf/lkst -name '*probe*')" ''
exit $failed
