#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Exports of a recording of this machine: what they say agrees with what other commands answer.

. "$(dirname "$0")/lib/live.sh"

some_work()
{
	dd if=/dev/zero of="$work/file" bs=64k count=64 conv=fsync 2>/dev/null
	cat "$work/file" >/dev/null
	ls -R /usr/share/doc | sort | tail -n 1 >/dev/null
	for _ in 1 2 3 4 5 6 7 8; do /bin/true; done
	sleep 0.1
}
export -f some_work
export work

command -v node >/dev/null || skip_all 'export_agrees: there is no node; tools/install-deps check-all installs it'
if ! record trace --buffer 32M -- bash -c some_work; then
	fail export_agrees_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
records_no_more
for format in json chrome collapsed waiting; do
	said=$("$LKST" export --quiet -f "$format" -o "$work/all.$format" "$work/trace" 2>&1) || fail "export_writes_$format" "$said"
done

# All waiting of the threads of a name is in lines of its tree, and nothing is twice: what the states have, to the ns.
by_tree=$(awk '{ ns = $NF; sub(/;.*/, ""); sum[$0] += ns } END { for (name in sum) print name, sum[name] }' \
	OFMT=%.0f "$work/all.waiting" | sort)
by_states=$(awk -F ';' '$3 ~ /^(ready|blocked|stopped)/ { ns = $0; sub(/.* /, "", ns); sub(/-[0-9]+$/, "", $2)
	sum[$2] += ns } END { for (name in sum) print name, sum[name] }' OFMT=%.0f "$work/all.collapsed" | sort)
expect export_waiting_adds_up "$by_tree" "$by_states"
[ -n "$by_tree" ] || fail export_waiting_adds_up 'there is none'

report export_agrees node "$lib/export.js" "$LKST" "$work/trace" "$work"
exit $failed
