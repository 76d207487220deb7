#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest, as root: runs what this boot is for, prints its results to the other side and turns the machine off.

rig=/run/rig
work=$(mktemp -d)
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root

ok()
{
	echo "ok $1"
}

fail()
{
	echo "FAIL $1: $(echo "$2" | tr '\n' ';' | cut -c 1-600)"
}

# expect NAME COMMAND...: it succeeds; if not, what it says last is the reason.
expect()
{
	local name=$1

	shift
	if "$@" >"$work/said" 2>&1; then
		ok "$name"
	else
		fail "$name" "$* ended with status $?: $(tail -n 3 "$work/said")"
	fi
}

# equal NAME GOT WANT
equal()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		fail "$1" "it is \"$2\", not \"$3\""
	fi
}

# Waits until the command succeeds; it is a slow machine.
wait_until()
{
	local i

	for ((i = 0; i < 240; i++)); do
		if "$@" >/dev/null 2>&1; then
			return 0
		fi
		sleep 0.5
	done
	return 1
}

# The packages of the version that is to be installed first ("old"), or of the one after it.
packages_of()
{
	if [ "$1" = old ]; then
		find $rig -name '*lkst*.deb' ! -name '*+next*'
	else
		find $rig -name '*lkst*+next*.deb'
	fi
}

# Why unit $1 is as it is.
explain()
{
	systemctl is-failed "$1"
	journalctl --no-pager -q -o cat -u "$1" | tail -n 4
}

# A number of JSON text on standard input, the first of name $1.
number()
{
	grep -o "\"$1\":[-0-9.]*" | head -n 1 | cut -d : -f 2
}

cd /root || exit
# shellcheck disable=SC1091
. $rig/stage.sh
echo done
sync
systemctl poweroff
