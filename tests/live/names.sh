#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Who is who, whatever was asked for: births, programs, names and ends of threads are recorded beside the
# events that --event or a maskset names, and while recording pauses. And --event more than once.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit

# How many records of event $2 trace $1 has, by the name of their thread: "NAME COUNT", a line each.
by_name()
{
	"$LKST" print --no-gaps --event "$2" "$1" | sed -E 's/^[^ ]+ \[[0-9]+\] +-?[0-9]+\/(.{15}) .*/\1/; s/ +$//' |
		sort | uniq -c | awk '{ print $2, $1 }'
}

# ---- lkst record --event GLOB -- CMD ----
record ls --tree --event 'syscall:*' -- ls / >/dev/null
# Its life before the program is that of lkst's child: when that is released (read), it runs execve.
expect threads_have_the_name_of_the_command \
	"$("$LKST" print --event 'syscall_*' ls | sed '0,/ execve() = 0/d' | grep -vc '/ls ')" 0
expect system_calls_are_there "$("$LKST" print --event syscall_entry_getdents64 --comm ls ls | wc -l)" 2
record calls --tree --event 'syscall:getppid' -- \
	sh -c 'perl -e "getppid for 1 .. 500; \$0 = qq(young); getppid for 1 .. 300"; exec perl -e "getppid for 1 .. 70"'
expect names_follow_exec_and_rename "$(by_name calls syscall_entry_getppid | grep -v ^sh)" 'perl 570
young 300'
# A maskset of one event, too: nothing else comes with it but the lives.
expect nothing_else_is_recorded "$("$LKST" print --format json calls | perl -ne 'print "$1\n" if /"event":"([^"]+)"/' |
	sort -u | grep -vxE 'sched_process_(fork|exec|exit|free)|task_(newtask|rename)|(compat_)?syscall_.*_getppid|maskset_.*')" ''

# ---- globs that add nothing ----
for globs in 'sched:* sched_switch' 'sched_switch sched:*' 'syscall_* syscall:getppid' 'timer_start TIMER_MOD' 'writeback:* writeback:writeback_dirty_inode' \
	'writeback:writeback_dirty_inode writeback:*' 'writeback:writeback_dirty_inode writeback:writeback_dirty_inode'; do
	read -r first second <<<"$globs"
	if record twice --event "$first" --event "$second" -- true; then
		ok "twice_${first//[:*]/_}_${second//[:*]/_}"
	else
		fail "twice_${first//[:*]/_}_${second//[:*]/_}" "$(cat twice.log)"
	fi
	rm -rf twice
done
expect_refusal nothing_is_called_so 'no event matches "writeback:nope"' record -e 'writeback:*' -e writeback:nope -- true
has_started=yes
for globs in 'writeback:* writeback:writeback_dirty_inode' 'writeback:writeback_dirty_inode writeback:*'; do
	read -r first second <<<"$globs"
	echo "event = $first" >conf
	if "$LKST" start --quiet --budget none --config conf --event "$second" 2>err &&
		[ "$("$LKST" maskset show start | grep -c '^ *tracepoint .* writeback:writeback_dirty_inode\|^ *tracepoint  *\([0-9]*\) of *\1$')" = 1 ]; then
		ok "config_and_event_${first//[:*]/_}"
	else
		fail "config_and_event_${first//[:*]/_}" "$(cat err; "$LKST" maskset show start)"
	fi
	"$LKST" stop --quiet
done

# ---- lkst start, and a pause ----
"$LKST" start --quiet --budget none --buffer 16M --event syscall:getppid 2>/dev/null
cat >sleeper <<'END'
$0 = "old_name";
sleep 1 while !-e "again";
getppid for 1 .. 20;
END
perl -e '$0 = "first_name"; getppid for 1 .. 40'
"$LKST" maskset set RNOTHING --quiet
expect pause_keeps_the_lives "$("$LKST" maskset show RNOTHING | grep -oE '(sched|task|cgroup)_[a-z_]+' | sort | xargs)" \
	'cgroup_attach_task cgroup_mkdir sched_process_exec sched_process_exit sched_process_fork sched_process_free task_newtask task_rename'
perl -e 'getppid for 1 .. 1000' # not recorded
perl sleeper &
children=($!)
# Renamed while nothing else is recorded.
until grep -q old_name "/proc/${children[0]}/comm"; do sleep 0.05; done
"$LKST" maskset set start --quiet
touch again
wait "${children[0]}"
children=()
"$LKST" snapshot --quiet --output pause
expect names_of_the_pause_are_known "$(by_name pause syscall_entry_getppid | grep -E '^(first|old)_name ')" 'first_name 40
old_name 20'
expect_whole trace_with_a_pause_is_whole pause
"$LKST" maskset 'start-=sched:*' --quiet
expect lives_cannot_be_taken_away "$("$LKST" maskset read start | grep -cE ' (sched_process_(fork|exec|exit|free)|task_(newtask|rename)) 0x01$')" 6

exit $failed
