#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The panels of lkst view's page: their figures are those that the terminal has of the same trace, links lead to the time that
# they say, events are those of lkst print with the same options, and what is damaged or hostile is shown as what it is (F01,
# F03, F04, H01 to H18 of doc/heritage.md, in the page).
. "$(dirname "$0")/lib/live.sh"
. "$lib/browser.sh"

has_browser view_panels || exit 0
cd "$work" || exit
export LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80

# A thread whose name is markup, a sequence for terminals and a mark that turns what follows around.
hostile=$'<b>\e[31m\u202eevil'
cp "$(command -v sleep)" "$hostile"
compat=:
! runs_32_bit || compat="'$load/syscalls32' leaf"
"$LKST" record --quiet --output trace -- sh -c "'$load/called' 3; $compat; for i in 1 2 3; do './$hostile' 0.02; done & dd if=/dev/zero of=file bs=64k count=32 conv=fsync 2>/dev/null
	ls -R /usr/lib/x86_64-linux-gnu >/dev/null 2>&1; wait"
records_no_more
"$LKST" view --quiet trace

# The same with a block of zeros in it, and with a stream that ends too early.
cp -r trace damaged
largest=$(find damaged -name 'main.*' -printf '%s %f\n' | sort -n | tail -n 1 | cut -d' ' -f2)
blocks=$(($(stat -c %s "damaged/$largest") / 4096))
dd if=/dev/zero of="damaged/$largest" bs=4096 seek=$((blocks / 2)) count=2 conv=notrunc 2>/dev/null
"$LKST" view --quiet damaged 2>/dev/null
cp -r trace truncated
truncate -s $((blocks / 2 * 4096)) "truncated/$largest"
"$LKST" view --quiet truncated 2>/dev/null

report view_panels node "$lib/view_panels.js" "$LKST" "$PWD"
exit "$failed"
