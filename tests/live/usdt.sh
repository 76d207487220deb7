#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Marks of a program (USDT) join a recording: of a command, and of a program that runs already. Their records have what
# the program passed, lie in time between its system calls, and end intervals as other events do; the program is told
# when its marks are wanted, and when no longer (row L32 of doc/heritage.md).
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
cp "$load/usdt" usdt
program=$PWD/usdt

# The records of events $2... in trace $1, in the order of time, as NAME and the values of their fields.
records()
{
	local event options=()

	for event in "${@:2}"; do
		options+=(--event "$event")
	done
	"$LKST" print --format json --comm usdt "${options[@]}" "$1" | perl -MJSON::XS -ne '
		my $r = decode_json($_);
		my $f = $r->{fields};
		print join(" ", $r->{event} =~ s/.*://r,
			map { $f->{$_} } grep { exists $f->{$_} } qw(arg1 arg2 text count)), "\n"'
}

# Has the program run once more; prints how often its mark was wanted.
again()
{
	local line

	echo >&"$to"
	IFS= read -r -t 60 -u "$from" line
	echo "$line"
}

# The kernel detaches what is removed a moment later.
is_unwanted()
{
	[ "$(again)" = 0 ]
}

if ! "$LKST" record --quiet --output trial -x "$program" --probe '%trial:reply' -e 'sdt_trial:*' -- true >out 2>&1; then
	skip_all "usdt: $(head -n 1 out)"
fi

# ---- of a command ----
expect nobody_wants_them "$(./usdt 5 <<<'' )" 0
"$LKST" record --quiet --output trace -e 'syscall_entry_write' -e 'sdt_trial:*' -x "$program" \
	--probe '%trial:request $arg1 $arg2 text=+0($arg3):string' --probe '%trial:reply $arg1' -- \
	./usdt 20 <<<'' >out 2>&1
expect the_program_is_told "$(cat out)" 20
expect_whole marks_trace_is_whole trace
expect marks_are_in_order "$(records trace 'sdt_trial:*' syscall_entry_write | head -n 60)" \
	"$(for i in $(seq 20); do
		printf 'request %d -%d %s\nsyscall_entry_write %d\nreply %d\n' "$i" "$i" "$([ $((i % 2)) = 1 ] && echo odd || echo even)" "$i" "$i"
	done)"
expect marks_end_intervals "$("$LKST" analyze --format csv 'sdt_trial:request .. sdt_trial:reply key=arg1' trace |
	sed -n 's/^all,\([0-9]*\),.*/\1/p')" 20

# ---- of a program that runs already ----
coproc "$program" 3
# shellcheck disable=SC2153 # bash sets it for the coprocess
from=${COPROC[0]} to=${COPROC[1]}
children+=("$COPROC_PID")
has_started=yes
"$LKST" start --quiet --budget none --buffer 4M --event sched_process_exec
expect nobody_wants_them_yet "$(again)" 0
"$LKST" probe --quiet -x "$program" '%trial:request $arg1'
expect it_is_told_while_it_runs "$(again)" 3
"$LKST" snapshot --quiet --output joined
expect marks_have_joined "$(records joined 'sdt_trial:*' | xargs)" 'request 1 request 2 request 3'
"$LKST" probe --quiet --del 'sdt_trial:*'
expect it_is_told_when_they_are_removed "$(wait_until 60 is_unwanted && echo soon)" soon
"$LKST" probe --quiet -x "$program" '%trial:request $arg1'
expect it_is_told_again "$(again)" 3
"$LKST" stop --quiet
expect it_is_told_of_the_end "$(wait_until 60 is_unwanted && echo soon)" soon
expect_refusal no_such_mark 'has no mark trial:other' \
	record --quiet --output none -x "$program" --probe '%trial:other' -- true
exit $failed
