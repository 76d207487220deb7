#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Exports of a recording of this machine: they are written, in part or whole; and what is left when a disk is full, when the
# trace is damaged, and when a signal comes. What they say tests/live/export_agrees.sh compares.

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

if ! record trace --buffer 32M -- bash -c some_work; then
	fail export_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
records_no_more
# All but that which has only samples, which are not taken here.
formats=$("$LKST" export --help | sed -n '/^  -f, --format/,/^  -o, --output/s/^ \{20,\}\([a-z]*\): .*/\1/p' |
	grep -vx folded)

# ---- what they say ------------------------------------------------------------------------------------

bad=
for format in $formats; do
	said=$("$LKST" export --quiet -f "$format" -o "$work/all.$format" "$work/trace" 2>&1) || bad="$bad $format: $said"
done
expect export_writes "$bad" ''

# To standard output, with a part of it.
got=$("$LKST" export -f json -e sched_switch --from +50ms -o - "$work/trace" | grep -vc '^{"gap"')
expect export_to_standard_output "$got" "$("$LKST" print --no-gaps -e sched_switch --from +50ms "$work/trace" | wc -l)"

# ---- what goes wrong ----------------------------------------------------------------------------------

# Some bytes in the middle of a stream are lost: the rest is written, and the exit status says that it is not all.
cp -r "$work/trace" "$work/damaged"
file=$(ls -S "$work"/damaged/main.* | head -n 1)
dd if=/dev/zero of="$file" bs=1000 seek=20 count=9 conv=notrunc 2>/dev/null
bad=
for format in $formats; do
	said=$("$LKST" export -f "$format" -o "$work/damaged.$format" "$work/damaged" 2>&1)
	status=$?
	[ $status = 1 ] && [ -e "$work/damaged.$format" ] && [[ $said == *"is damaged: in "*" could not be read"* ]] ||
		bad="$bad $format: $status, $said"
done
left=$(wc -l <"$work/damaged.json")
whole=$(wc -l <"$work/all.json")
[ "$left" -gt 0 ] && [ "$left" -lt "$whole" ] || bad="$bad $left of $whole lines"
if [ -z "$bad" ]; then
	ok export_of_a_damaged_trace
else
	fail export_of_a_damaged_trace "$bad"
fi

# On a full disk, of two pages, nothing is left but what was there.
mkdir "$work/full"
if mount -t tmpfs -o size=8k none "$work/full" 2>/dev/null; then
	bad=
	for format in $formats; do
		said=$("$LKST" export --quiet -f "$format" -o "$work/full/out" "$work/trace" 2>&1)
		status=$?
		[ $status = 1 ] && [[ $said == *'No space left on device'* ]] && [ -z "$(ls -A "$work/full")" ] ||
			bad="$bad $format: $status, $said, $(ls -A "$work/full")"
		rm -rf "$work/full/out"
	done
	umount "$work/full"
	if [ -z "$bad" ]; then
		ok export_to_a_full_disk
	else
		fail export_to_a_full_disk "$bad"
	fi
else
	echo 'skip export_to_a_full_disk: no tmpfs can be mounted here'
fi

# A signal: each write takes a while, so that it comes in the middle.
mkdir "$work/ended"
strace -o "$work/strace" -e trace=write -e inject=write:delay_enter=100000 \
	"$LKST" export --quiet -f json -o "$work/ended/out" "$work/trace" 2>"$work/said" &
strace=$!
children+=("$strace")
has_begun()
{
	[ -n "$(ls -A "$work/ended")" ]
}
if wait_until 20 has_begun && [ ! -e "$work/ended/out" ]; then
	kill -TERM "$(pgrep -P "$strace")"
	wait "$strace"
	expect export_that_is_ended_leaves_nothing "$? $(ls -A "$work/ended")" '143 '
else
	fail export_that_is_ended_leaves_nothing "it did not begin, or was too fast: $(cat "$work/said")"
fi
exit $failed
