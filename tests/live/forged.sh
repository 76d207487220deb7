#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The id of pages in memory: `lkst start` leaves it for root alone, and nothing that is copied out of memory has it:
# neither a snapshot, nor one file, nor what is followed, nor what a server sends.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
if [ ! -d /var/lib ] || [ ! -w /var/lib ]; then
	skip_all 'forged: /var/lib cannot be written to'
fi
cd "$work" || exit
ids=/var/lib/lkst/memory-ids
had_ids=no
if [ -e "$ids" ]; then
	had_ids=yes
	cp -p "$ids" before
fi
had_dir=no
[ ! -d "${ids%/*}" ] || had_dir=yes

# What the test has changed outside its directory.
put_back()
{
	if [ $had_ids = yes ]; then cp -p before "$ids"; else rm -f "$ids"; fi
	[ $had_dir = yes ] || rmdir "${ids%/*}"
}

has_started=yes
if ! "$LKST" start --quiet >started 2>&1; then
	fail forged_start "$(cat started)"
	put_back
	exit
fi
read -r id uuid < <(tail -n 1 "$ids")
mode=$(stat -c %a "$ids")
if [ "$mode" = 600 ] && [[ $id =~ ^[0-9a-f]{32}$ ]] && [[ $uuid =~ ^[0-9a-f]{32}$ ]]; then
	ok forged_id_is_for_root_alone
else
	fail forged_id_is_for_root_alone "mode $mode, line \"$id $uuid\""
fi

# Prints how many files under $1 have the bytes that the hexadecimal digits $2 stand for.
count_files()
{
	find "$1" -type f -exec perl -0777 -ne 'BEGIN { $id = pack("H*", shift @ARGV) }
		$nr += index($_, $id) >= 0; END { print $nr + 0, "\n" }' "$2" {} +
}

mkdir out
"$LKST" snapshot -o out/snapshot >out.log 2>&1
"$LKST" snapshot --file out/one >>out.log 2>&1
"$LKST" attach --output out/followed --for 1s >>out.log 2>&1
own=$("$LKST" print out/snapshot --format json 2>/dev/null | head -n 50 | wc -l)
secrets=$(count_files out "$id")
known=$(count_files out "$uuid")
if [ "$secrets" = 0 ] && [ "$known" -ge 4 ] && [ "$own" = 50 ]; then
	ok forged_id_does_not_leave
else
	fail forged_id_does_not_leave \
		"$secrets files have it, $known the UUID, $own records: $(cat out.log)"
fi
expect_whole forged_snapshot_is_whole out/snapshot
"$LKST" stop >/dev/null 2>&1
put_back
