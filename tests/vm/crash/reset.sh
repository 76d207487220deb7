#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: records, and the machine is reset. The next boot searches memory for what the one before has left,
# and gives it to the disk's other side. The disk tells which boot it is.
. /tests/lib.sh
disk=/dev/nvme0n1
reserved=
options=$(sed -n 's/.*lkst\.start=\([^ ]*\).*/\1/p' /proc/cmdline | tr , ' ')

# What doc/crash.md says of a reserved node: memory that the kernel was told not to use becomes a device, once, and
# from then on, at each start and when it was searched, a node.
if grep -q lkst.reserved /proc/cmdline; then
	for module in libnvdimm nd_e820 dax_pmem device_dax kmem; do
		insmod "/modules.dax/$module.ko" || fail "inserts_$module" "status $?"
	done
	if [ -e /dev/dax0.0 ]; then
		reserved=/dev/dax0.0
	else
		ndctl create-namespace -f -e namespace0.0 -m devdax -M mem >/dev/ttyS0 2>&1 ||
			fail makes_a_device "status $?"
		daxctl reconfigure-device --mode=system-ram --no-online dax0.0 >/dev/ttyS0 2>&1 || fail makes_a_node "status $?"
		for state in /sys/devices/system/node/node1/memory*/state; do
			echo online_kernel >"$state"
		done
		options="--numa-node 1"
	fi
fi

if [ "$(dd if=$disk bs=4 count=1 2>/dev/null)" = LKST ]; then
	# Before this boot records, and told from it afterwards.
	lkst extract --earlier --within 30s --json --output "$work/earlier" $reserved >"$work/json" 2>"$work/said"
	status=$?
	cat "$work/json" "$work/said" >/dev/ttyS0
	# Nothing promises that there is something; what there is not is said.
	if [ $status = 0 ]; then
		ok is_searched
		tar -c -C "$work" -f - earlier | dd of=$disk bs=1M seek=1 conv=fsync 2>/dev/null
	elif grep -qE 'none of the [0-9]+ pages is of an earlier|no block of recording|the metadata of recording .* is not in the dump' "$work/said"; then
		ok is_searched
		echo "lost: $(cat "$work/said")"
	else
		fail is_searched "$(cat "$work/said")"
	fi
	sed -n 's/.*"recordings":\[\(.*\)\],"trace".*/survived \1/p' "$work/json"
	exit 0
fi
printf LKST | dd of=$disk conv=fsync,notrunc 2>/dev/null
. /tests/common.sh
echo ready
# The other side stops the machine, and looks at what there is.
sleep 8
case $(sed -n 's/.*lkst\.reset=\([^ ]*\).*/\1/p' /proc/cmdline) in
reboot) reboot -f ;;
sysrq)
	echo 1 >/proc/sys/kernel/sysrq
	echo b >/proc/sysrq-trigger
	;;
esac
sleep 1000
