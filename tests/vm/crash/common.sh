# SPDX-License-Identifier: GPL-2.0-only
#
# What the guests that are dumped share: recording under load on both processors.
. /tests/lib.sh

load()
{
	while :; do
		ls -l /bin >/dev/null
		dd if=/dev/zero bs=4096 count=64 2>/dev/null | cat >/dev/null
	done
}

# Pages of a recording that has ended: they must not be taken for those of the one that follows.
lkst start --quiet --buffer 256K && sleep 0.2 && lkst stop --quiet
# shellcheck disable=SC2086 # a list of options
if ! lkst start --buffer 1M --budget none ${options-} >/dev/ttyS0; then
	fail starts_to_record "status $?"
	exit 1
fi
load &
load &
sleep 1
# A process that is younger than what was kept of the state at start.
cp /bin/busybox /tmp/lateborn
/tmp/lateborn sleep 1000 &
echo "lateborn $!"
sleep 1
for mark in one two three four five; do
	echo "lkst mark $mark" >/dev/kmsg
	sleep 0.1
done
