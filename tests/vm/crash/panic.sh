#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: records and kills the kernel.
. /tests/common.sh

echo 1 >/proc/sys/kernel/sysrq
echo c >/proc/sysrq-trigger
