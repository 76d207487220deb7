# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2010,SC2012 # work is of main.sh; names have no blanks
#
# The machine starts with a recording, is reset, and starts once more: what the boot before recorded is searched for.

# What there is of the boot at hand, $1 in the names of results.
look()
{
	local seconds before

	expect "$1_records" lkst status
	equal "$1_nothing_failed" "$(systemctl --failed --plain --no-legend | awk '{ print $1 }')" ''
	expect "$1_service_is_active" systemctl is-active lkst.service
	# systemd of the root file system began after the recording did, and the service has left that alone.
	seconds=$(lkst status --json | number seconds)
	before=$(($(systemctl show --property=UserspaceTimestampMonotonic --value) / 1000))
	expect "$1_began_in_the_initial_ram_disk" \
		awk "BEGIN { getline up <\"/proc/uptime\"; split(up, at, \" \"); exit !(at[1] - ${seconds:-0} < $before / 1000) }"
	expect "$1_incidents_are_watched" systemctl is-active lkst-incidents.service
}

if [ ! -e /var/lib/rig-was-reset ]; then
	look first
	touch /var/lib/rig-was-reset
	sync
	sleep 3
	echo 1 >/proc/sys/kernel/sysrq
	echo b >/proc/sysrq-trigger
	sleep 1000
fi
look second
said=$(journalctl --no-pager -q -b -o cat -u lkst-earlier.service; dmesg | grep 'of the boot before')
expect earlier_service_ran systemctl is-active lkst-earlier.service
if [ -n "$(ls -d /var/lib/lkst/earlier-* 2>/dev/null)" ]; then
	ok earlier_is_salvaged
	for trace in /var/lib/lkst/earlier-*; do
		expect earlier_can_be_read lkst print --first 1 "$trace"
	done
else
	# What survives is luck; that nothing did is to be said.
	equal earlier_says_why_not "$(grep -cE 'no block of recording|none of the [0-9]+ pages|metadata of recording' <<<"$said")" 1
	echo "skip earlier_is_salvaged: $(tail -n 1 <<<"$said")"
fi
