# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2010,SC2012 # work is of main.sh; names have no blanks
#
# What each unit is for: the socket, the limit, a unit that fails. Leaves the machine to record from the initial RAM disk on.

# shellcheck disable=SC2046 # a list of files without blanks
dpkg -i $(packages_of new) >"$work/said" 2>&1 || fail installs "$(tail -n 3 "$work/said")"
printf 'incidents = 2\nbehind = 64M\n' >>/etc/lkst/lkst.conf
useradd -m -G lkst alice
useradd -m mallory

expect records systemctl start lkst.service
wait_until systemctl is-active lkst-limit.service || fail limit_is_kept "$(explain lkst-limit.service)"
lkst status --json >"$work/status"
equal limit_has_its_process "$(grep -o '"helper":[a-z]*' "$work/status")" '"helper":true'

expect socket_listens systemctl start lkst-serve.socket
expect member_takes_a_snapshot setpriv --reuid alice --regid alice --init-groups \
	sh -c 'cd "$1" && lkst snapshot --socket /run/lkst.socket -q -o taken' sh /home/alice
expect members_snapshot_is_whole lkst check /home/alice/taken
expect member_sees_the_status setpriv --reuid alice --regid alice --init-groups lkst status --socket /run/lkst.socket
setpriv --reuid mallory --regid mallory --init-groups sh -c 'cd "$1" && lkst snapshot --socket /run/lkst.socket -q -o taken' sh /home/mallory \
	>"$work/said" 2>&1
equal stranger_gets_nothing "$? $(ls /home/mallory)" '1 '
equal serving_is_no_failure "$(systemctl is-failed lkst-serve.service)" active

expect incidents_are_watched systemctl start lkst-incidents.service
cat >/etc/systemd/system/failing.service <<'END'
[Unit]
OnFailure=lkst-trigger@%n.service
[Service]
Type=oneshot
ExecStart=/bin/false
END
systemctl daemon-reload
systemctl start failing.service 2>/dev/null
saved()
{
	ls /var/lib/lkst/incident-*/metadata
}
if wait_until saved; then
	ok incident_is_saved
	for trace in /var/lib/lkst/incident-*; do
		expect incident_is_whole lkst check "$trace"
		equal incident_says_why "$(lkst print "$trace" | grep -c 'unit failing.service has failed')" 1
	done
else
	fail incident_is_saved "$(explain lkst-trigger@failing.service.service) $(explain lkst-incidents.service) $(lkst incident list 2>&1)"
fi
equal nothing_but_the_test_failed "$(systemctl --failed --plain --no-legend | awk '{ print $1 }')" failing.service
equal only_root_reads_incidents "$(stat -c %a /var/lib/lkst)" 700

touch /etc/lkst/initramfs /etc/lkst/earlier
systemctl enable lkst.service lkst-earlier.service lkst-serve.socket lkst-incidents.service >/dev/null 2>&1
expect initramfs_is_made update-initramfs -u
equal initramfs_has_it "$(lsinitramfs /boot/initrd.img-* | grep -cE '^(usr/)?sbin/lkst$|^etc/lkst/(initramfs|earlier|lkst.conf)$|^scripts/init-top/lkst$')" 5
