#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: loads a second kernel, records, and kills the first one.
if ! kexec -p /kdump/vmlinuz --initrd=/kdump/disk \
	--command-line="console=ttyS0 nr_cpus=1 reset_devices panic=-1 irqpoll tsc=reliable lkst.results=ttyS1 lkst.tests=capture" \
	>/dev/ttyS0 2>&1; then
	echo 'FAIL second_kernel_is_loaded: kexec failed'
	exit 1
fi
. /tests/common.sh

echo 1 >/proc/sys/kernel/sysrq
echo c >/proc/sysrq-trigger
