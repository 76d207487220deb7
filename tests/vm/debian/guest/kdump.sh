# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154,SC2010,SC2012 # work is of main.sh; names have no blanks
#
# A panic goes through Debian's kdump-tools to a dump, and that to a trace.

if [ ! -e /var/lib/rig-has-panicked ]; then
	echo 'kdump-tools kdump-tools/use_kdump boolean true' | debconf-set-selections
	dpkg -i /opt/kdump/{kdump-tools,ucf,file,libmagic,bsdextrautils,busybox,sensible-utils}*.deb >"$work/said" 2>&1 || fail kdump_is_installed "$(tail -n 3 "$work/said")"
	sed -i 's/^USE_KDUMP=.*/USE_KDUMP=1/' /etc/default/kdump-tools
	systemctl restart kdump-tools.service >"$work/said" 2>&1
	kdump-config show >"$work/said" 2>&1
	if ! grep -q 'ready to kdump' "$work/said"; then
		fail kdump_is_ready "$(tail -n 6 "$work/said"; explain kdump-tools.service)"
		return
	fi
	ok kdump_is_ready
	expect records_before_the_panic lkst status
	touch /var/lib/rig-has-panicked
	sync
	sleep 1
	echo 1 >/proc/sys/kernel/sysrq
	echo c >/proc/sysrq-trigger
	sleep 1000
fi
dump=$(find /var/crash -name 'dump.*' -size +100k | head -n 1)
if [ -z "$dump" ]; then
	fail panic_is_dumped "in /var/crash: $(find /var/crash | tr '\n' ' ')"
	return
fi
ok panic_is_dumped
expect trace_of_the_panic lkst extract -q -o "$work/crash" "$dump"
expect trace_can_be_read lkst report "$work/crash"
equal panic_is_in_it "$(lkst print --event panic "$work/crash" 2>&1 | grep -c 'sysrq triggered crash')" 1
