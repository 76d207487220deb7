#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst view: what the lanes of its page show is in the records (F01 and F02 of doc/heritage.md in part): gaps are hatched and
# are never taken for idle time; counts of requests, bytes and threads are those that the records give.
. "$(dirname "$0")/lib/live.sh"
. "$lib/browser.sh"

has_browser view_lanes || exit 0
cd "$work" || exit
export LC_ALL=C.UTF-8 TZ=UTC

"$LKST" record --quiet --output trace -- bash -c "'$load/called' 3
	for i in {1..20}; do echo word >/dev/udp/127.0.0.1/9; done; dd if=/dev/zero of=file bs=64k count=64 conv=fsync 2>/dev/null
	sleep 0.05; ls -R /usr/lib >/dev/null; true"
records_no_more
"$LKST" view --quiet trace

# One block in the middle cannot be read, and the last quarter of a stream is missing.
cp -r trace damaged
block=4096
last=$(find damaged -name 'main.*[0-9]' ! -name '*.n*' | sort | tail -n 1)
blocks=$(($(stat -c %s damaged/main.0) / block))
printf 'damaged' | dd of=damaged/main.0 bs=1 seek=$((blocks / 2 * block)) conv=notrunc 2>/dev/null
truncate -s $(($(stat -c %s "$last") / block * 3 / 4 * block)) "$last"
"$LKST" view --quiet damaged

report view_lanes node "$lib/view_lanes.js" "$LKST" "$PWD/trace.html" trace "$PWD/damaged.html" damaged
exit "$failed"
