# SPDX-License-Identifier: GPL-2.0-only
#
# This machine's kernel, of which tests that record take turns, and what is being recorded already. A recording needs no
# process: it outlives a test that was killed. So those that tests start have a label. tests/run sources this.

# Held by the run whose live test has the kernel.
machine_lock=${MACHINE_LOCK:-/run/lock/lkst-live-tests}
# What `lkst start` labels recordings with, and how a test's is distinguished from a user's.
export LKST_LABEL=lkst-tests

# Opens the lock as descriptor 9, which holds nothing yet.
open_machine()
{
	mkdir -p "${machine_lock%/*}" && exec 9>"$machine_lock"
}

# Waits until no other run has this machine's kernel, for program $1. Descriptor 9 holds the lock for the whole run, until
# it is unlocked. Programs of tests do not inherit it: what one leaves running holds nothing up.
take_machine()
{
	flock --nonblock 9 && return
	echo "  $1 waits for the live tests of another run"
	flock 9
}

# Whether there are pins of a recording, as this process sees them or the first one, which may be elsewhere.
is_recording()
{
	local at

	for at in ${PINS:-/sys/fs/bpf/lkst /proc/1/root/sys/fs/bpf/lkst}; do
		[ ! -e "$at" ] || return 0
	done
	return 1
}

# Whether nothing is being recorded, for whoever has this machine's kernel. A recording that a killed test has left is
# ended, and a line says so. Another one is its user's: it goes on, and $why says what it is.
free_recorder()
{
	local said

	is_recording || return 0
	if said=$("$LKST" stop --quiet --label "$LKST_LABEL" 2>&1); then
		echo '  ended the recording that a killed test had left'
		return 0
	fi
	why="${said#*: }; $("$LKST" status 2>&1 | head -n 1)"
	return 1
}
