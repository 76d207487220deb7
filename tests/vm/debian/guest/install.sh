# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2010,SC2012 # work is of main.sh; names have no blanks
#
# Installing, an upgrade during a recording, removing and purging.

# All files, but for what dpkg, systemd and the caches of libraries write by themselves.
list_files()
{
	find / -xdev \( -path /proc -o -path /sys -o -path /run -o -path /tmp -o -path /dev -o -path /root \
		-o -path /var/lib/dpkg -o -path /var/log -o -path /var/cache -o -path /var/lib/systemd -o -path /var/tmp \) -prune -o -print |
		grep -vE '^/etc/(group|gshadow|passwd|shadow|subuid|subgid)-?$|^/etc/.pwd.lock$|^/etc/ld.so.cache$' | sort
}

list_files >"$work/before"
# shellcheck disable=SC2046 # a list of files without blanks
expect installs dpkg -i $(packages_of old)
expect program_runs lkst --version
equal nothing_is_enabled "$(for unit in lkst lkst-serve.socket lkst-incidents lkst-earlier; do systemctl is-enabled $unit; done | sort -u)" disabled
equal nothing_is_recorded "$(ls -d /sys/fs/bpf/lkst 2>&1 | grep -c '^/')" 0
expect group_is_there getent group lkst
expect lock_is_there test -e /run/lkst.lock
expect links_work lkstm --help

# The same recording goes on: its programs are the kernel's, and no process is in the way of the upgrade.
expect unit_records systemctl start lkst.service
sleep 3
lkst status --json >"$work/status" 2>&1
old=$(number seconds <"$work/status")
first=$(lkst snapshot -q -o "$work/first" 2>&1 && grep -o 'uuid = "[^"]*"' "$work/first/metadata" | head -n 1)
# shellcheck disable=SC2046
expect upgrades_during_a_recording dpkg -i $(packages_of new)
expect unit_is_still_active systemctl is-active lkst.service
expect snapshot_after_the_upgrade lkst snapshot -q -o "$work/second"
equal recording_survives_the_upgrade "$(grep -o 'uuid = "[^"]*"' "$work/second/metadata" | head -n 1)" "$first"
# An upgrade starts so many processes that on a machine as slow as this, where much is left out of the main buffer to keep
# to the cost limit, the life buffer may reach back less far: that is a gap at its beginning. Nothing else is missing, and
# in the last seconds nothing at all.
lkst check --json "$work/second" >"$work/checked" 2>&1
equal snapshot_is_undamaged "$(for name in bad_blocks missing_blocks lost_events; do number $name <"$work/checked"; done | tr '\n' ' ')" '0 0 0 '
# Buffer 1 is the life buffer.
equal snapshot_lacks_only_names "$(grep -o '"gap_list":\[[^]]*' "$work/checked" | grep -o '"buffer":[0-9]*' | grep -cvx '"buffer":1')" 0
expect snapshot_is_whole sh -c 'lkst snapshot -q --last 2s -o "$1" && lkst check "$1"' sh "$work/third"
equal upgrade_is_in_the_recording "$(lkst print --comm dpkg --first 1 "$work/second" 2>"$work/said" | grep -c '/dpkg ')" 1
now=$(lkst status --json | number seconds)
expect it_was_not_begun_again awk "BEGIN { exit !(${now:-0} > ${old:-9e9}) }"

# Without the unit, as somebody would who only tries it.
systemctl stop lkst.service
equal unit_ends_the_recording "$(ls -d /sys/fs/bpf/lkst 2>&1 | grep -c '^/')" 0
expect begins_by_hand lkst start --quiet
expect socket_listens systemctl start lkst-serve.socket
expect removes dpkg -r lkst liblkst-dev liblkst1
equal removing_ends_the_recording "$(ls -d /sys/fs/bpf/lkst 2>&1 | grep -c '^/')" 0
equal no_process_is_left "$(pidof lkst)" ''
equal no_unit_is_left "$(systemctl list-units --plain --no-legend 'lkst*' | grep -v rig)" ''
expect configuration_stays test -e /etc/lkst/lkst.conf
mkdir -p /var/lib/lkst/incident-1
expect purges dpkg -P lkst liblkst-dev liblkst1
list_files >"$work/after"
equal nothing_is_left "$(diff "$work/before" "$work/after" | grep '^[<>]')" ''
equal no_lock_is_left "$(ls /run/lkst.lock 2>&1 | grep -c '^/')" 0
