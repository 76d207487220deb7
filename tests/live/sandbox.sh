#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The service's units: systemd finds nothing wrong with them, and what they run does its work within the
# rights that they leave it: the same capabilities, system calls and read-only file systems, tried for
# real. Also that no capability is left out or given in vain.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
OUT=${OUT:-$lib/../../../build}
root=$work/root
units=$root/usr/lib/systemd/system
has_mounted=no has_lock=no

clean_up_mounts()
{
	clean_up
	[ $has_mounted = no ] || umount /sys/fs/bpf
	[ $has_lock = yes ] || rm -f /run/lkst.lock
}
at_exit clean_up_mounts
[ ! -e /run/lkst.lock ] || has_lock=yes

unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL CC CFLAGS CPPFLAGS LDFLAGS LDLIBS SANITIZE GEN
if ! make -C "$lib/../../.." --no-print-directory CC=gcc OUT="$(realpath "$OUT")" prefix="$root/usr" \
	sysconfdir="$root/etc" install >"$work/install.log" 2>&1; then
	fail sandbox_install "$(tail -n 3 "$work/install.log")"
	exit 1
fi
lkst=$root/usr/bin/lkst

if ! command -v systemd-analyze >/dev/null; then
	skip_all 'sandbox: systemd-analyze, which knows the sets of system calls, is not installed'
fi

# It does not know the manual pages of this installation, nor is what else the machine has ours.
bad=$(SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no "$units"/lkst* 2>&1 | grep -i lkst)
if [ -z "$bad" ]; then ok units_are_well_formed; else fail units_are_well_formed "$bad"; fi
for unit in lkst lkst-limit lkst-serve lkst-earlier lkst-incidents lkst-ship lkst-trigger@; do
	# 10 is no protection at all; below 4 it says "OK".
	if said=$(systemd-analyze security --offline=true --no-pager --threshold=25 "$units/$unit.service" 2>&1); then
		ok "exposure_of_${unit}_is_low"
	else
		fail "exposure_of_${unit}_is_low" "$(grep -a exposure <<<"$said")"
	fi
done
if systemd-sysusers --root="$root" "$root/usr/lib/sysusers.d/lkst.conf" 2>"$work/err" &&
   grep -q '^lkst:' "$root/etc/group"; then
	ok group_is_made
else
	fail group_is_made "$(cat "$work/err")"
fi
printf 'root:x:0:\n' >>"$root/etc/group"
printf 'root:x:0:0::/:/bin/sh\n' >>"$root/etc/passwd"
if systemd-tmpfiles --root="$root" --create "$root/usr/lib/tmpfiles.d/lkst.conf" 2>"$work/err" &&
   [ "$(stat -c '%a %s' "$root/run/lkst.lock")" = '600 0' ]; then
	ok lock_is_made
else
	fail lock_is_made "$(cat "$work/err")"
fi

# setting UNIT KEY: the values of a key, one after the other.
setting()
{
	sed -n "s/^$2=//p" "$units/$1"
}

# Numbers of the system calls that unit $1 leaves, by systemd's own lists.
echo '#include <sys/syscall.h>' | gcc -E -dM - | sed -n 's/^#define __NR_\([a-z0-9_]*\) \([0-9]*\)$/\1 \2/p' |
	sort >"$work/numbers"
expand()
{
	local name

	for name in "$@"; do
		case $name in
		@*)
			# shellcheck disable=SC2046 # a list of names
			expand $(systemd-analyze syscall-filter "$name" 2>/dev/null |
				sed -n 's/^    \([@a-z0-9_-]*\)$/\1/p')
			;;
		*) echo "$name" ;;
		esac
	done
}
calls_of()
{
	local line

	: >"$work/allowed"
	while read -r line; do
		case $line in
		'~'*)
			# shellcheck disable=SC2086
			expand ${line#\~} | sort -u >"$work/denied"
			# What a service cannot run without stays (@default is in every list).
			expand @default | sort -u >"$work/default"
			comm -23 "$work/denied" "$work/default" | comm -13 - "$work/allowed" >"$work/left"
			mv "$work/left" "$work/allowed"
			;;
		*)
			# shellcheck disable=SC2086
			expand @default $line | sort -u - "$work/allowed" -o "$work/allowed"
			;;
		esac
	done < <(setting "$1" SystemCallFilter)
	join "$work/allowed" "$work/numbers" | cut -d ' ' -f 2
}

# The file systems as ProtectSystem=strict and the paths of unit $1 have them, for a shell of its own.
# Of a file system that is the first of a namespace only a bind mount can be made read-only.
mounts_of()
{
	cat <<-'END'
		mount --make-rslave / || exit
		awk '$2 !~ "^/(dev|proc|sys)(/|$)" { print $2 }' /proc/self/mounts | sort -u |
		while read -r at; do
			mount --bind "$at" "$at" 2>/dev/null && mount -o remount,bind,ro "$at" 2>/dev/null
		done
		cd /
	END
	if [ "$(setting "$1" ProtectKernelTunables)" = yes ]; then
		echo 'mount --rbind /sys /sys && mount -o remount,bind,ro /sys'
		echo 'mount -o remount,bind,ro /sys/fs/bpf'
	fi
	local path
	for path in $(setting "$1" ReadWritePaths); do
		echo "mount --bind $path $path && mount -o remount,bind,rw $path || exit"
	done
}

# within UNIT CAPABILITIES COMMAND...: runs it as the unit would, but for these capabilities.
within()
{
	local unit=$1 capabilities=$2

	shift 2
	exec unshare --mount --net sh -c "$(mounts_of "$unit")
		exec setpriv --bounding-set=-all$capabilities --inh-caps=-all \"\$@\"" sh \
		"$load/sandbox" "$work/calls.$unit" "$@"
}

capabilities_of()
{
	local one

	for one in $(setting "$1" CapabilityBoundingSet); do
		one=${one#CAP_}
		printf ',+%s' "${one,,}"
	done
}

# succeeds NAME COMMAND...
succeeds()
{
	local name=$1 status

	shift
	{ ("$@"); } >"$work/out" 2>"$work/err"
	status=$?
	if [ $status = 0 ]; then
		ok "$name"
	elif [ $status = 159 ]; then
		fail "$name" 'it makes a system call that the unit forbids'
	else
		fail "$name" "status $status: $(cat "$work/err")"
	fi
}

for unit in lkst.service lkst-limit.service lkst-serve.service lkst-incidents.service lkst-ship.service \
	lkst-trigger@.service; do
	calls_of $unit >"$work/calls.$unit"
	[ "$(wc -l <"$work/calls.$unit")" -gt 100 ] || fail "calls_of_$unit" "$(wc -l <"$work/calls.$unit") calls"
done
# As systemd has them before it starts the first service.
if ! grep -q ' /sys/fs/bpf bpf ' /proc/mounts; then
	mount -t bpf bpf /sys/fs/bpf || skip_all 'sandbox: the BPF file system cannot be mounted'
	has_mounted=yes
fi
[ $has_lock = yes ] || install -m 600 /dev/null /run/lkst.lock

# The sandbox is one: a file cannot be made in it, nor a socket, nor is a right left that was not given.
caps=$(capabilities_of lkst.service)
if { (within lkst.service "$caps" /bin/sh -c "echo >$work/x") ||
     (within lkst.service "$caps" "$(command -v chroot)" / /bin/true); } 2>/dev/null; then
	fail sandbox_holds 'it can write, or change its root'
else
	ok sandbox_holds
fi

has_started=yes
config=$root/etc/lkst/lkst.conf
printf 'incidents = 2\nbudget = 1%%\n' >>"$config"
succeeds service_records within lkst.service "$caps" "$lkst" start --keep --no-helper --config "$config"
succeeds service_keeps_what_is_recorded within lkst.service "$caps" "$lkst" start --keep --no-helper --config "$config"
if "$LKST" status --json | grep -q '"recording":true,.*"events":1[0-9][0-9][0-9],'; then
	ok service_records_the_default_set
else
	fail service_records_the_default_set "$("$LKST" status | head -n 1)"
fi

# The answers, with a socket as systemd hands it over.
serve_caps=$(capabilities_of lkst-serve.service)
(exec "$lib/listen.pl" "$work/socket" bash -c "$(declare -f setting mounts_of within)
	units=$units work=$work load=$load
	within lkst-serve.service '$serve_caps' $lkst serve --group root --idle 300s") 2>"$work/serve.log" &
children+=($!)
wait_until 60 test -S "$work/socket"
succeeds service_answers_status "$LKST" status --socket "$work/socket"
succeeds service_sends_a_snapshot "$LKST" snapshot --quiet --socket "$work/socket" --output "$work/trace"
expect_whole service_sends_a_whole_snapshot "$work/trace"
interfaces=$("$LKST" check --counts "$work/trace" | awk '$3 == "state_netdev" { print $1 }')
if [ "${interfaces:-0}" -ge "$(find /sys/class/net -type l | wc -l)" ]; then
	ok service_knows_the_hosts_interfaces
else
	fail service_knows_the_hosts_interfaces "${interfaces:-none} of $(ls /sys/class/net)"
fi
if grep -qi 'bad system call' "$work/serve.log"; then
	fail service_answers_within_its_rights "$(cat "$work/serve.log")"
else
	ok service_answers_within_its_rights
fi

succeeds service_adds_a_trigger within lkst.service "$caps" "$lkst" trigger add oom_kill
succeeds failed_unit_fires within lkst-trigger@.service "$(capabilities_of lkst-trigger@.service)" \
	"$lkst" trigger fire --reason 'unit db.service has failed'
"$LKST" snapshot --quiet --output "$work/fired"
if "$LKST" print --event trigger_fired "$work/fired" | grep -q 'name="unit db.service has failed"'; then
	ok failed_unit_is_in_the_trace
else
	fail failed_unit_is_in_the_trace "$("$LKST" print --event trigger_fired "$work/fired")"
fi

# What the unit's StateDirectory= is; the rest of the file system is read-only.
mkdir "$work/saved"
sed -i "s|^ReadWritePaths=.*|& $work/saved|" "$units/lkst-incidents.service"
(within lkst-incidents.service "$(capabilities_of lkst-incidents.service)" "$lkst" incident watch \
	--output "$work/saved") >"$work/watch.log" 2>&1 &
watcher=$!
children+=($watcher)
is_saved()
{
	saved=$(echo "$work"/saved/incident-1-*)
	[ -e "$saved" ] && [ -z "$("$LKST" incident list --json)" ]
}
wait_until 60 is_saved
expect_whole kept_moments_are_saved "$saved"
if [ -z "$("$LKST" incident list --json)" ]; then
	ok saved_moments_make_room
else
	fail saved_moments_make_room "$("$LKST" incident list); $(cat "$work/watch.log")"
fi
kill $watcher

# What is sent, to nobody: it counts, explains an incident, puts both where they wait, and asks what peers ask for.
mkdir -m 700 "$work/ship"
sed -i "s|^ReadWritePaths=.*|& $work/ship|" "$units/lkst-ship.service"
"$LKST" incident keep --after 10ms --reason 'to be sent' >"$work/kept"
(within lkst-ship.service "$(capabilities_of lkst-ship.service)" "$lkst" ship --every 1s --spool "$work/ship/spool" \
	--peer db1 http://127.0.0.1:1) >"$work/ship.log" 2>&1 &
shipper=$!
children+=($shipper)
is_put()
{
	[ -n "$(find "$work/ship/spool" -name 's*-*')" ] && [ -n "$(find "$work/ship/spool" -name 'i*-2-*')" ]
}
if grep -q 'built without libcurl' "$work/ship.log"; then
	echo 'skip ship_service_works_within_its_rights: this program was built without libcurl'
elif wait_until 120 is_put && wait_until 120 grep -q 'what peers ask for is not known' "$work/ship.log" && ! grep -qi 'bad system call\|not permitted\|denied' "$work/ship.log"; then
	ok ship_service_works_within_its_rights
else
	fail ship_service_works_within_its_rights "$(ls "$work/ship/spool"); $(cat "$work/ship.log")"
fi
kill $shipper
"$LKST" incident drop all >"$work/kept"
succeeds ship_service_can_keep_what_peers_ask_for within lkst-ship.service "$(capabilities_of lkst-ship.service)" \
	"$lkst" incident keep --reason m-0badcafe.1
"$LKST" incident drop all >"$work/kept"

# What keeps to the limit, under a storm: it detaches, and attaches again when it is told to end.
(within lkst-limit.service "$(capabilities_of lkst-limit.service)" "$lkst" limit --quiet) 2>"$work/limit.log" &
limiter=$!
children+=($limiter)
nice -n -5 "$load/calls" 900 >"$work/calls" &
storm=$!
children+=($storm)
is_detached()
{
	"$LKST" status --json | grep -q '"kind":"syscall:\*","now":true,"detached":true' &&
		[ ! -e /sys/fs/bpf/lkst/tp_btf__sys_enter ]
}
if wait_until 120 is_detached; then
	ok limit_service_detaches
else
	fail limit_service_detaches "$("$LKST" status | tail -n 5); $(cat "$work/limit.log")"
fi
kill $limiter
if wait $limiter && [ -e /sys/fs/bpf/lkst/tp_btf__sys_enter ]; then
	ok limit_service_attaches_again
else
	fail limit_service_attaches_again "$("$LKST" status | tail -n 5); $(cat "$work/limit.log")"
fi
kill $storm
wait $storm 2>/dev/null

succeeds service_stops within lkst.service "$caps" "$lkst" stop
if [ -e /sys/fs/bpf/lkst ]; then
	fail service_stops_all "$(find /sys/fs/bpf/lkst | head -n 3)"
else
	ok service_stops_all
fi

# Without one of them it cannot; and with one more it knows more, which doc/service.md tells.
for one in bpf perfmon; do
	if { (within lkst.service "${caps//,+$one/}" "$lkst" start --quiet); } 2>"$work/err"; then
		fail "service_needs_$one" 'it records without'
		"$LKST" stop --quiet
	else
		ok "service_needs_$one"
	fi
done
(within lkst.service "$caps" "$lkst" start) >/dev/null 2>"$work/without"
"$LKST" stop --quiet
(within lkst.service "$caps,+sys_admin" "$lkst" start) >/dev/null 2>"$work/with"
"$LKST" stop --quiet
if grep -q 'Page frame numbers are not recorded' "$work/without" && ! grep -q 'Page frame' "$work/with"; then
	ok sys_admin_adds_page_frames
else
	fail sys_admin_adds_page_frames "without: $(cat "$work/without"); with: $(cat "$work/with")"
fi

exit $failed
