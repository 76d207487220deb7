#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The hierarchy of cgroups that doc/cgroups.md says: $top, its directory, "" if there is none; and $line, how its line in
# /proc/PID/cgroup begins, as an extended regular expression. For tests that source it.

# shellcheck disable=SC2034 # those have them
if [ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ]; then
	top=/sys/fs/cgroup
	line=0::
elif [ -e /sys/fs/cgroup/memory/cgroup.procs ]; then
	top=/sys/fs/cgroup/memory
	line='[0-9]+:([^:]*,)?memory(,[^:]*)?:'
else
	top=
	line=
fi
