#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: records, keeps the moment of a panic, and kills the kernel, which goes on for a while.
options='--incidents 1'
. /tests/common.sh

lkst trigger add --quiet panic --post 5ms || fail trigger_is_added "status $?"
echo 1 >/proc/sys/kernel/sysrq
echo c >/proc/sysrq-trigger
