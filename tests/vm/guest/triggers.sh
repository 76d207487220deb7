#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Triggers on kernels of these tests: the handler is loaded for every kind of program, and what a machine
# that is used can't be asked for: a disk that is slow, and memory that runs out.
. /tests/lib.sh

expect_start triggers_start

# Prints how often trigger $1 has fired.
fired()
{
	lkst trigger list --json | sed 's/},{/}\n{/g' | sed -n "s/.*\"name\":\"$1\".*\"fired\":\([0-9]*\).*/\1/p"
}

expect_is()
{
	if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "it is \"$2\", not \"$3\""; fi
}

for condition in 'block_rq_complete latency > 30ms and dev == 0x10300000' 'block_rq_complete latency > 60s' oom_kill \
	'sched_switch next_comm == "dd" and wait > 60s' 'syscall:* result == -ENOSYS' 'do_wp_page address == 1' \
	'folio_wait_bit .. sched_switch > 60s' 'sched_process_exec filename == "/no"'; do
	if lkst trigger add "$condition" --name "${condition%% *}$((nr += 1))" >"$work/add" 2>&1; then
		ok "triggers_${condition%% *}$nr"
	else
		fail "triggers_${condition%% *}$nr" "$(cat "$work/add")"
	fi
done
lkst trigger list
lkst stop --quiet
