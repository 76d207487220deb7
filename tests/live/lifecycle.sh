#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# The life of a recording: starting, stopping, two commands at once, being killed at any moment, and that
# nothing is left behind.
. "$(dirname "$0")/lib/live.sh"

# The programs of a recorder that no living process holds: `lkst record` of somebody else has its own.
orphans()
{
	bpftool prog show | grep -E 'name (tp_btf__|tp__any|iter__threads)' >"$work/progs" || return
	cat /proc/[0-9]*/fdinfo/* 2>/dev/null | awk '$1 == "prog_id:" { print $2 ":" }' | sort -u >"$work/held"
	awk 'NR == FNR { held[$1]; next } !($1 in held)' "$work/held" "$work/progs" >"$work/orphans"
	[ -s "$work/orphans" ]
}

has_no_orphans()
{
	! orphans
}

# What of ours the kernel holds: pins, links, programs and mounts, a line each.
leftovers()
{
	[ ! -e /sys/fs/bpf/lkst ] || echo "pins in /sys/fs/bpf/lkst"
	grep '^lkst /sys/fs/bpf' /proc/mounts
	# A link or program that its last owner has released is freed a moment later.
	wait_until 60 has_no_orphans || head -n 3 "$work/orphans"
}

expect_nothing_left()
{
	local left

	left=$(leftovers)
	if [ -z "$left" ]; then
		ok "$1"
	else
		fail "$1" "$left"
	fi
}

if [ -n "$(leftovers)" ]; then
	skip_all 'lifecycle: something is being recorded already'
fi

has_started=yes

"$LKST" start >"$work/start.out" 2>"$work/start.err"
status=$?
if [ $status = 0 ] && grep -q '^recording [0-9]* events in .* of memory' "$work/start.out"; then
	ok start_arms_and_says_so
else
	fail start_arms_and_says_so "status $status: $(cat "$work/start.err")"
fi
# The processes of this lkst: what each was started as.
running()
{
	local pid

	for pid in $(pgrep -x lkst); do
		[ "/proc/$pid/exe" -ef "$LKST" ] && tr '\0' ' ' <"/proc/$pid/cmdline" | awk '{ print $2 }'
	done
}
# A test in a guest may read a trace beside this one; it ends.
is_running()
{
	[ "$(running)" = "$1" ]
}
expect_running()
{
	if wait_until 60 is_running "$2"; then ok "$1"; else fail "$1" "$(running)"; fi
}
expect_running only_the_limit_has_a_process limit
if "$LKST" start 2>"$work/again" || ! grep -q 'a recording is there already' "$work/again"; then
	fail second_start_is_refused "$(cat "$work/again")"
else
	ok second_start_is_refused
fi

# Something is recorded on each CPU, at least every few ms.
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	taskset -c $cpu perl -e 'while (1) { getppid for 1 .. 20; select undef, undef, undef, 0.005 }' &
	children+=($!)
done
sleep 0.3
# The memory that it has by itself is a 256th of the machine's in all, but 4 to 32 MiB for each CPU.
total=$(awk '$1 == "MemTotal:" { print $2 * 1024 }' /proc/meminfo)
if "$LKST" status --json | perl -MJSON::XS -e '
	my ($total, $nr_cpus) = @ARGV;
	my $s = decode_json(do { local $/; <STDIN> });
	my ($main) = grep { $_->{buffer} eq "main" } @{$s->{rings}};
	# On a busy machine the buffer has gone round already.
	my $least = $main->{overwritten_blocks} ? 0.001 : 0.2;
	exit !($s->{recording} && $s->{hooks} > 30 && $main->{history_s} > $least && $main->{history_s} < 60
	       && $main->{bytes} >= 4 << 20 && $main->{bytes} <= 32 << 20 && $main->{written_bytes} > 1000
	       && ($main->{bytes} == 4 << 20 || $main->{bytes} * $nr_cpus <= $total / 256))' "$total" "$(nproc)"; then
	ok status_tells_history_and_bytes
else
	fail status_tells_history_and_bytes "$("$LKST" status --json)"
fi

"$LKST" snapshot --quiet --output "$work/all"
from=$EPOCHREALTIME
"$LKST" snapshot --quiet --last 100ms --output "$work/last"
took=$(((${EPOCHREALTIME/./} - ${from/./}) / 1000))
kill "${children[@]}"
wait "${children[@]}" 2>/dev/null
children=()
expect_whole snapshot_is_whole "$work/all"
expect_whole snapshot_of_the_last_moment_is_whole "$work/last"
span=$("$LKST" print --format json --event 'sched_switch' "$work/last" |
	perl -MJSON::XS -ne '$t = decode_json($_)->{ns}; $min = $t if !$min || $t < $min; $max = $t if $t > $max;
		END { print int(($max - $min) / 1e6) }')
# Blocks are taken whole, so it may reach back somewhat further; and it goes on while it is taken.
if [ "${span:-0}" -ge 20 ] && [ "$span" -le $((300 + took)) ]; then
	ok last_limits_the_snapshot
else
	fail last_limits_the_snapshot "it spans $span ms, not about 100; taking it took $took ms"
fi

"$LKST" stop >"$work/stop.out"
expect_nothing_left stop_leaves_nothing
if "$LKST" stop | grep -q '^nothing was being recorded'; then
	ok stop_without_a_recording_is_fine
else
	fail stop_without_a_recording_is_fine "status $?"
fi

# Of several commands at once each sees a whole recording or none.
for i in 1 2 3; do
	"$LKST" start --quiet --buffer 64K 2>"$work/turn.$i" &
	children+=($!)
done
started=0
for pid in "${children[@]}"; do
	wait "$pid" && started=$((started + 1))
done
children=()
if [ $started = 1 ] && [ "$(cat "$work"/turn.* | grep -c 'a recording is there already')" = 2 ]; then
	ok commands_take_turns
else
	fail commands_take_turns "$started of 3 starts went through: $(cat "$work"/turn.*)"
fi
"$LKST" stop --quiet

# A child has the descriptors that it would have without us.
# shellcheck disable=SC2016
list='for fd in /proc/$$/fd/*; do echo "${fd##*/}"; done'
sh -c "$list" >"$work/fds.without"
"$LKST" record --quiet --event sched_switch --output "$work/fds" -- sh -c "$list" >"$work/fds.with"
if cmp -s "$work/fds.with" "$work/fds.without"; then
	ok child_keeps_no_descriptor
else
	fail child_keeps_no_descriptor "$(diff "$work/fds.without" "$work/fds.with" | tr '\n' ' ')"
fi
"$LKST" record --quiet --event sched_switch --output "$work/status" -- sh -c 'exit 7' 2>/dev/null
status=$?
if [ $status = 7 ]; then
	ok record_ends_with_the_commands_status
else
	fail record_ends_with_the_commands_status "status $status, not 7"
fi

# A command that looks at the recording, and gets no further since nobody reads what it prints.
"$LKST" start --quiet --budget none --event 'sched:*' --event 'syscall:*' 2>"$work/err"
program=$(bpftool prog show pinned /sys/fs/bpf/lkst/program-tp_btf__sched_switch | sed -n 's/^\([0-9]*\):.*/\1/p')
mkfifo "$work/unread"
exec 9<>"$work/unread"
"$LKST" attach >"$work/unread" 2>"$work/attach.err" &
children=($!)
fills_the_pipe()
{
	find /usr/share/doc >/dev/null
	grep -q pipe_write "/proc/${children[0]}/wchan"
}
wait_until 60 fills_the_pipe 2>/dev/null
# Which hooks are there: those of our switches.
hooks()
{
	bpftool link show | grep -cw "prog ${program:-none}"
}
before=$(hooks)
"$LKST" stop --quiet 2>>"$work/err"
has_no_hooks()
{
	[ "$(hooks)" = 0 ]
}
wait_until 60 has_no_hooks
if [ "$before" = 1 ] && [ "$(hooks)" = 0 ] && kill -0 "${children[0]}" 2>/dev/null; then
	ok stop_detaches_whoever_looks
else
	fail stop_detaches_whoever_looks "$before hooks before, $(hooks) after: $(cat "$work/err" "$work/attach.err")"
fi
kill -KILL "${children[0]}"
wait "${children[0]}" 2>/dev/null
children=()
exec 9>&-

# Killed at moments spread over what the command does. Each is followed by `lkst stop`.
kill_at()
{
	local delay=$1

	shift
	"$@" >"$work/killed.out" 2>&1 &
	children=($!)
	sleep "$delay"
	kill -KILL "${children[0]}" 2>/dev/null
	wait "${children[0]}" 2>/dev/null
	children=()
}
bad=
for delay in 0.00 0.02 0.05 0.08 0.11 0.14 0.17 0.20 0.23 0.26 0.30 0.35 0.40 0.50; do
	kill_at $delay "$LKST" start --quiet
	"$LKST" stop --quiet 2>"$work/err" || bad="stop after $delay s: $(cat "$work/err")"
	left=$(leftovers)
	[ -z "$left" ] || bad="start killed after $delay s: $left"
	[ -z "$bad" ] || break
done
if [ -z "$bad" ]; then ok killed_start_leaves_nothing_after_stop; else fail killed_start_leaves_nothing_after_stop "$bad"; fi

bad=
for delay in 0.000 0.002 0.004 0.006 0.010 0.015 0.020; do
	"$LKST" start --quiet --buffer 64K 2>"$work/err" || bad="start: $(cat "$work/err")"
	kill_at $delay "$LKST" stop --quiet
	"$LKST" stop --quiet 2>"$work/err" || bad="stop after $delay s: $(cat "$work/err")"
	left=$(leftovers)
	[ -z "$left" ] || bad="stop killed after $delay s: $left"
	[ -z "$bad" ] || break
done
if [ -z "$bad" ]; then ok killed_stop_leaves_nothing_after_stop; else fail killed_stop_leaves_nothing_after_stop "$bad"; fi

# Without a limit there is no process at all.
"$LKST" start --quiet --buffer 64K --budget none
expect_running nothing_runs_without_a_limit ''
"$LKST" stop --quiet

bad=
for delay in 0.05 0.15 0.25 0.35 0.60 1.00; do
	kill_at $delay "$LKST" record --quiet --output "$work/killed.$delay"
	"$LKST" stop --quiet 2>"$work/err" || bad="stop after $delay s: $(cat "$work/err")"
	left=$(leftovers)
	[ -z "$left" ] || bad="record killed after $delay s: $left"
	[ -z "$bad" ] || break
done
if [ -z "$bad" ]; then ok killed_record_leaves_nothing_after_stop; else fail killed_record_leaves_nothing_after_stop "$bad"; fi
# What one had written until then can be read.
"$LKST" record --quiet --buffer 64M --output "$work/killed" &
children=($!)
wait_until 60 test -e "$work/killed/state"
find /usr/share/doc >/dev/null
kill -KILL "${children[0]}"
wait "${children[0]}" 2>/dev/null
children=()
expect_unfinished killed_record_leaves_a_readable_trace "$work/killed"

exit $failed
