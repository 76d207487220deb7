#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# What cannot be done is said in one sentence, and costs no more than that: no root, no type information, types
# that differ, events that are missing, memory that is not there, names that match nothing.
. "$(dirname "$0")/lib/live.sh"

# Runs lkst, which must fail with one line on standard error that matches the pattern.
#   refuses NAME PATTERN COMMAND...
refuses()
{
	local name=$1 pattern=$2 status

	shift 2
	"$@" >"$work/out" 2>"$work/err"
	status=$?
	if [ $status = 0 ]; then
		fail "$name" "it went through: $(cat "$work/out")"
	elif [ "$(wc -l <"$work/err")" != 1 ] || ! grep -q "$pattern" "$work/err"; then
		fail "$name" "status $status, and it says: $(cat "$work/err")"
	else
		ok "$name"
	fi
}

has_started=yes
cp "$LKST" "$work/lkst" && chmod 755 "$work" "$work/lkst"

refuses start_needs_root 'needs root; try again with sudo' \
	setpriv --reuid 65534 --clear-groups "$work/lkst" start
refuses record_needs_root 'needs root; try again with sudo' \
	setpriv --reuid 65534 --clear-groups "$work/lkst" record -o "$work/none" true
refuses start_needs_type_information "type information in $work/none" \
	env LKST_BTF="$work/none" "$LKST" start
refuses unknown_event_is_named 'no event matches "sched_swicth"' "$LKST" start --event sched_swicth
refuses unknown_option_is_named 'no option --evnet' "$LKST" start --evnet x
expect argument_too_many_is_named "$("$LKST" stop now 2>&1 | head -n 1)" \
	'lkst stop: it does not take the argument "now"'
expect missing_argument_is_said "$("$LKST" print 2>&1 | head -n 1)" 'lkst print: an argument is missing'
refuses too_small_buffer_is_refused '64K to 4G' "$LKST" start --buffer 4K
refuses too_large_buffer_is_refused '64K to 4G' "$LKST" start --buffer 5G
refuses odd_block_is_refused 'power of two from 4K to 1M' "$LKST" start --block 12K
refuses snapshot_without_recording_is_refused 'nothing is being recorded' "$LKST" snapshot -o "$work/none"
refuses print_names_a_missing_trace 'none' "$LKST" print "$work/none"
refuses record_names_a_missing_process 'no process 999999999' "$LKST" record -p 999999999 -o "$work/none"
refuses record_does_not_overwrite "$work" "$LKST" record --quiet -o "$work" true

# A kernel whose sched_switch has other arguments, and which has no sched_wakeup: a sentence each, and the
# rest is recorded.
if ! "$load/fake_btf" /sys/kernel/btf/vmlinux "$work/btf" 2>"$work/err"; then
	fail fake_btf "$(cat "$work/err")"
fi
LKST_BTF=$work/btf "$LKST" record -o "$work/fake" -e 'sched_switch' -e sched_wakeup -e sched_waking -- \
	sleep 0.1 2>"$work/err"
if grep -q 'sched_switch is not recorded: argument 3 is "bool" in this kernel, not "struct task_struct \*"' \
	"$work/err"; then
	ok other_argument_types_cost_a_sentence
else
	fail other_argument_types_cost_a_sentence "$(cat "$work/err")"
fi
if grep -q 'sched_wakeup is not recorded: this kernel has no tracepoint sched_wakeup' "$work/err"; then
	ok missing_event_costs_a_sentence
else
	fail missing_event_costs_a_sentence "$(cat "$work/err")"
fi
counts=$("$LKST" check --json "$work/fake")
if grep -q '"sched_waking":[1-9]' <<<"$counts" && ! grep -qE 'sched_switch|sched_wakeup"' <<<"$counts"; then
	ok the_rest_is_recorded
else
	fail the_rest_is_recorded "$counts"
fi

# More memory than the machine has to spare, or than the memory cgroup allows.
available=$(awk '/MemAvailable/ { print int($2 / 1024 / 1024) }' /proc/meminfo)
cpus=$(getconf _NPROCESSORS_ONLN)
if [ $((4 * cpus)) -gt "$available" ]; then
	refuses too_much_memory_is_refused 'of memory is available' "$LKST" start --buffer 4G
else
	echo "skip too_much_memory_is_refused: $cpus buffers of 4G fit the ${available}G of this machine"
fi
group=
if [ -w /sys/fs/cgroup/memory/cgroup.procs ]; then
	group=/sys/fs/cgroup/memory/lkst-test.$$
	limit=memory.limit_in_bytes
elif [ -w /sys/fs/cgroup/cgroup.procs ] && grep -q memory /sys/fs/cgroup/cgroup.subtree_control; then
	group=/sys/fs/cgroup/lkst-test.$$
	limit=memory.max
fi
if [ -n "$group" ] && mkdir "$group" && echo $((64 << 20)) >"$group/$limit"; then
	refuses memory_cgroup_is_respected 'the memory cgroup of this process has' \
		sh -c "echo \$\$ >$group/cgroup.procs && exec \"$LKST\" start --quiet --buffer 64M"
	rmdir "$group"
else
	echo 'skip memory_cgroup_is_respected: no memory cgroup can be made here'
fi

exit $failed
