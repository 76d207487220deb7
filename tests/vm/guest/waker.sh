#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Who wakes whom, in the flight recorder's lines and in the CSV: a process on the first CPU wakes one on the second.
# Where the two have no cache in common, and often where they have, the kernel lets the woken thread's own CPU do
# the second half of it, in the context of whatever runs there; that is not the waker.
# boot: lkst.sockets=2
# seconds: 8
. "${LKST_TESTS:-/tests}/lib.sh"

expect_start waker_start --buffer 8M --budget none --maskset flight
"$load/waker" >"$work/who"
lkst snapshot --quiet --output "$work/trace"
expect_stop waker_stop
read -r waker wakee slept <"$work/who"

# Its wake-ups between its two calls of getppid, as "CPU TID TIMES", of the page in the flight recorder's form.
lkst print --format flight --no-gaps "$work/trace" >"$work/page"
awk -F'\t' -v wakee="$wakee" '
	$4 == wakee && $5 ~ /^getppid\(\) -->/ { inside = !inside }
	inside && $5 ~ "^[(]RUNQ[)] #1 " wakee " " { print $3, $4 }' "$work/page" | sort | uniq -c |
	awk '{ print $2, $3, $1 }' >"$work/flight"
# The same of the CSV, by its "wakeup".
lkst print --format csv --brief --no-gaps "$work/trace" | awk -F, -v wakee="$(printf '0x%08x' "$wakee")" \
	-v own="$(printf %07d "$wakee")" '
	$1 == "\"syscall_entry_getppid\"" && $3 == own { inside = !inside }
	# Not as numbers: a 0 in front means octal to some.
	inside && $1 == "\"wakeup\"" && $8 == wakee { sub(/^0/, "", $2); sub(/^0+/, "", $3); print "#" $2, $3 }' | sort | uniq -c |
	awk '{ print $2, $3, $1 }' >"$work/csv"

for form in flight csv; do
	expect_none waker_${form}_names_nobody_else "$(grep -v "^#0 $waker " "$work/$form")"
	# The first and the last sleep may lie half outside, and a lock of the pipe may make it wait once more.
	woken=$(sed -n "s/^#0 $waker //p" "$work/$form")
	if [ "${woken:-0}" -gt 30 ] && [ "$woken" -ge $((slept * 9 / 10)) ] && [ "$woken" -le $((slept + 10)) ]; then
		ok waker_${form}_has_every_wakeup
	else
		fail waker_${form}_has_every_wakeup "${woken:-no} wake-ups, but it slept $slept times"
	fi
done
