#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Commands end when they are told to, whatever others do: a recording whose command ignores signals or is
# stopped, waiting for a handler of a recording that ends, a start that was interrupted. And a recording of some
# processes is refused where their numbers are those of a container.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit

# Waits up to 60 s until a command succeeds.
wait_until()
{
	local i

	for ((i = 0; i < 600; i++)); do
		! "$@" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# ---- a command that does not end ----
# It ignores SIGTERM, and says that it does before the recorder is told.
"$LKST" record --quiet --output deaf -- sh -c 'trap "" TERM; echo ready >said; while :; do sleep 0.1; done' 2>log &
recorder=$!
wait_until test -s said
kill -TERM $recorder
wait $recorder
expect killed_command_is_told_by_the_status $? 137
expect_whole trace_of_a_deaf_command_is_whole deaf

# One that is stopped hears SIGTERM too. A second signal does not wait for the five seconds.
rm -f said
"$LKST" record --quiet --output stopped -- sh -c 'echo $$ >said; kill -STOP $$; sleep 1000' 2>log &
recorder=$!
wait_until test -s said
wait_until grep -q '^State:.T' "/proc/$(cat said)/status"
kill -INT $recorder
wait $recorder
expect stopped_command_is_ended $? 143
expect_whole trace_of_a_stopped_command_is_whole stopped

# ---- waiting for a handler ----
has_started=yes
"$LKST" start --quiet
"$LKST" trigger add oom_kill --quiet
"$LKST" handler wait trigger >out 2>log &
waiter=$!
wait_until sh -c "ls -l /proc/$waiter/fd | grep -q bpf-map"
"$LKST" stop --quiet
wait $waiter
expect waiting_ends_with_the_recording "$? $(grep -c 'the recording has ended' log)" '1 1'

# ---- an interrupted start ----
# What is left of one: some pins, and no whole recording.
"$LKST" start --quiet
rm /sys/fs/bpf/lkst/notes /sys/fs/bpf/lkst/threads
expect_refusal incomplete_is_told 'is incomplete' status
expect start_clears_what_was_interrupted "$("$LKST" start --keep 2>&1 | grep -c 'had left is cleared')" 1
expect and_records "$("$LKST" status --json | grep -c '"maskset')" 1
"$LKST" stop --quiet

# ---- numbers of a container ----
expect_refusal_by a_namespace_is_refused 'PID namespace of its own' \
	unshare --pid --fork --mount-proc "$LKST" record --tree --output none -- true
expect nothing_is_left "$(ls -d none /sys/fs/bpf/lkst 2>/dev/null)" ''

# ---- damaged types ----
head -c 5000 /sys/kernel/btf/vmlinux >cut.btf
# The first type's name is beyond all names (Documentation/bpf/btf.rst: the header has 24 bytes).
cat /sys/kernel/btf/vmlinux >damaged.btf
printf '\377\377\377\177' | dd of=damaged.btf bs=1 seek=24 conv=notrunc status=none
for file in cut damaged; do
	expect "${file}_types_are_an_error" "$(LKST_BTF=$work/$file.btf "$LKST" start --quiet 2>log; echo $?)" 1
done

exit $failed
