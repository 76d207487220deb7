#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: records, searches its own memory meanwhile, and goes on until it is stopped from outside.
. /tests/common.sh

lkst snapshot --quiet --output "$work/shown"
forge "$work/shown" >"$work/forged" &
until grep -q ready "$work/forged"; do
	sleep 0.1
done

# Memory changes while it is searched: blocks may be missing, all of a ring's if it goes round meanwhile, but what
# comes out is sound.
if lkst extract --json --output "$work/kcore" /proc/kcore >"$work/json" 2>"$work/said"; then
	ok kcore_is_searched
else
	fail kcore_is_searched "$(cat "$work/said")"
fi
cat "$work/json" >/dev/ttyS0
# lkst start has left the id, by which the kernel's pages are known.
if grep -q '"is_proven":true,"outdone":1' "$work/json" && grep -q '"records":[1-9]' "$work/json"; then
	ok forged_pages_are_left_out
else
	fail forged_pages_are_left_out "$(cat "$work/json")"
fi
lkst check --json "$work/kcore" >"$work/said" 2>&1
if grep -q '"bad_blocks":0' "$work/said" && grep -q '"records":[1-9]' "$work/said"; then
	ok kcore_trace_is_sound
else
	fail kcore_trace_is_sound "$(cat "$work/said")"
fi
rm -rf "${work:?}/kcore"

# All that there is was recorded by this boot.
if lkst extract --earlier --output "$work/earlier" >"$work/said" 2>&1; then
	fail earlier_is_told_apart "$(cat "$work/said")"
elif grep -q 'none of the [0-9]* pages is of an earlier boot' "$work/said"; then
	ok earlier_is_told_apart
else
	fail earlier_is_told_apart "$(cat "$work/said")"
fi
lkst extract --list --json --within 1ms /proc/kcore >"$work/json" 2>"$work/said"
if grep -q '"skipped_pages":[1-9]' "$work/json" || grep -q 'none of the' "$work/said"; then
	ok search_ends_in_time
else
	fail search_ends_in_time "$(cat "$work/json" "$work/said")"
fi

echo ready
sleep 1000
