#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst export --format perfetto: a recording of this machine is read by protoc, and means what lkst sql says of it.

. "$(dirname "$0")/lib/live.sh"

if ! command -v protoc >/dev/null; then
	skip_all 'perfetto: there is no protoc; tools/install-deps check-all installs it'
fi

some_work()
{
	dd if=/dev/zero of="$work/file" bs=64k count=32 conv=fsync 2>/dev/null
	(exec 3<>/dev/udp/127.0.0.1/9 && echo packet >&3) 2>/dev/null
	ls -R /usr/share/doc/bash* | sort | tail -n 1 >/dev/null
	for _ in 1 2 3 4 5 6 7 8; do /bin/true; done
	sleep 0.05
}
export -f some_work
export work

if ! record trace --buffer 32M -- bash -c some_work; then
	fail perfetto_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
records_no_more

if ! "$LKST" export --quiet --format perfetto --output "$work/file.pftrace" "$work/trace" 2>"$work/said"; then
	fail perfetto_exports "$(tail -n 1 "$work/said")"
	exit 1
fi
report perfetto_compares perl "$lib/perfetto.pl" "$LKST" "$work/trace" "$work/file.pftrace" "$lib/perfetto.proto"
exit "$failed"
