#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Recording on file: parts by size, time and signal, how many are kept, compression, a full disk, being
# killed, the background; and `lkst attach`, which follows or streams a recording that goes on without it.
. "$(dirname "$0")/lib/live.sh"

CALLS=200000
# Their records are 16 MB: as much as one CPU has room for, should the recorder not get to run meanwhile.
roomy=(--buffer 32M)
few=(--event 'syscall_*_getppid' --event 'sched_process_*' --event task_rename)
call="getppid for 1 .. $CALLS"

# verdict NAME WHAT...: WHAT is empty if all is well
verdict()
{
	local name=$1

	shift
	if [[ $* =~ ^\ *$ ]]; then ok "$name"; else fail "$name" "$*"; fi
}

# How many entries and exits of getppid the perls have in the traces given: "entries exits".
count_calls()
{
	"$LKST" print --comm perl --event 'syscall_*_getppid' "$@" |
		awk '/getppid\(\) =/ { exits++; next } /getppid\(\)/ { entries++ } END { print entries + 0, exits + 0 }'
}

bytes_of()
{
	find "$1" -type f -printf '%s\n' 2>/dev/null | awk '{ sum += $1 } END { print sum + 0 }'
}

nr_parts()
{
	find "$1" -mindepth 1 -maxdepth 1 -type d ! -name '.*' 2>/dev/null | wc -l
}

has_parts()
{
	[ "$(nr_parts "$1")" -ge "$2" ]
}

# ---- parts by size ---------------------------------------------------------------------

# Nothing is lost between two parts, and no part passes its size.
record parts --rotate 1M "${roomy[@]}" "${few[@]}" -- perl -e "$call"
bad=
[ "$(nr_parts "$work/parts")" -ge 5 ] || bad="there are $(nr_parts "$work/parts") parts only"
counted=$(count_calls "$work/parts")
[ "$counted" = "$CALLS $CALLS" ] || bad="$bad $counted calls in place of $CALLS"
verdict parts_lose_nothing $bad
sum=0
for part in "$work/parts"/*; do
	sum=$((sum + $("$LKST" print --event syscall_entry_getppid --comm perl "$part" | wc -l)))
done
verdict parts_alone_have_what_all_have \
	"$([ $sum = $CALLS ] || echo "$sum entries in all parts read one by one, in place of $CALLS")"
bad=
for part in "$work/parts"/*; do
	[ "$(bytes_of "$part")" -le 1048576 ] || bad="$part has $(bytes_of "$part") bytes"
	"$LKST" check "$part" >"$work/check" || bad="$bad $part: $(tail -n 1 "$work/check")"
done
verdict parts_are_whole_and_no_larger "$bad"
expect_whole parts_together_are_whole "$work/parts"
counted=$(count_calls "$work/parts"/*)
verdict parts_are_read_by_name_too "$([ "$counted" = "$CALLS $CALLS" ] || echo "$counted calls")"

# Each part has the names of its code, and room for them.
record named --rotate 1M -- perl -e "$call"
bad=
for part in "$work/named"/*; do
	[ "$(bytes_of "$part")" -le 1048576 ] || bad="$bad $part has $(bytes_of "$part") bytes"
	"$LKST" print "$part" | grep -o 'function=[^ ]*' >>"$work/functions"
done
grep -q 'function=[a-z_0-9]*$' "$work/functions" || bad="$bad nothing has a name"
bad="$bad $(grep -m 1 '=0xffff' "$work/functions")"
verdict parts_have_names_of_code $bad
if command -v babeltrace2 >/dev/null; then
	babeltrace2 "$work/parts" 2>"$work/bt.err" | grep -c getppid >"$work/bt.nr"
	verdict parts_are_one_trace_for_babeltrace "$([ "$(cat "$work/bt.nr")" -ge $((2 * CALLS)) ] ||
		echo "$(cat "$work/bt.nr") of $((2 * CALLS)): $(head -c 300 "$work/bt.err")")"
else
	echo 'skip parts_are_one_trace_for_babeltrace: babeltrace2 is not installed'
fi

# Names given before are in every part: this program runs from the start and acts at the end.
record names --rotate 1M "${roomy[@]}" "${few[@]}" -- sh -c "
	perl -e '\$0 = \"longlived\"; sleep 1 while !-e \"$work/go\"; getppid' &
	until grep -qx longlived /proc/\$!/comm; do sleep 0.05; done; perl -e '$call'; touch '$work/go'; wait"
last=$(printf '%s\n' "$work/names"/* | tail -n 1)
verdict later_parts_know_names "$("$LKST" print --event syscall_entry_getppid "$last" |
	grep -q /longlived || echo "no longlived in $last")"

# The first calls must come before the delay is over, which counts from when recording is prepared: a machine that is too
# slow for one delay gets a longer one. It says how long after the start of all it has made them.
for delay in 1 4 16; do
	rm -rf "$work/delayed"
	record delayed --delay ${delay}s "${few[@]}" -- perl -MTime::HiRes=time,sleep -e 'getppid for 1 .. 1000;
		printf "%.3f\n", time - $ARGV[0]; sleep 2 * $ARGV[1]; getppid for 1 .. 77' "$EPOCHREALTIME" $delay >"$work/called"
	awk -v delay=$delay '{ exit !($1 < delay) }' "$work/called" && break
done
counted=$(count_calls "$work/delayed")
verdict delay_leaves_the_beginning_out "$([ "$counted" = '77 77' ] || echo "$counted calls, not 77")"

# ---- how many are kept -----------------------------------------------------------------

"$LKST" record --quiet --output "$work/kept" --rotate 1M,3 --buffer 128M "${few[@]}" -- \
	perl -e "for (1 .. 6) { $call }" &
recorder=$!
children+=($recorder)
bad=
seen=0
while kill -0 $recorder 2>/dev/null; do
	now=$(nr_parts "$work/kept")
	[ "$now" -le 3 ] || bad="$now parts at once"
	[ "$now" -lt 3 ] || seen=$((seen + 1))
	sleep 0.05
done
wait $recorder
[ "$(nr_parts "$work/kept")" = 3 ] || bad="$bad $(nr_parts "$work/kept") parts at the end"
[ $seen -gt 0 ] || bad="$bad never 3"
verdict no_more_parts_than_are_kept $bad
expect_whole kept_parts_are_whole "$work/kept"

# A later recording under the same name removes parts of the earlier one, and is not mixed with it.
record kept --rotate 1M,3 --event sched_process_exit --for 300ms
verdict parts_of_earlier_recordings_count \
	"$([ "$(nr_parts "$work/kept")" = 3 ] || echo "$(nr_parts "$work/kept") parts")"
verdict recordings_are_not_mixed "$("$LKST" print "$work/kept" 2>&1 >/dev/null |
	grep -q 'different recordings' || echo 'they are read as one')"

# ---- by time, and by name --------------------------------------------------------------

# Parts of $1 s, of a recording of 3.4 times that; how many there are. A recorder that does not get to run in time makes fewer.
parts_of()
{
	local name='20[0-9][0-9][01][0-9][0-3][0-9]-[0-2][0-9][0-5][0-9][0-6][0-9].part*'

	find "$work" -maxdepth 1 -name "$name" -exec rm -rf {} +
	record '%Y%m%d-%H%M%S.part' --rotate "$1ms" --event sched_process_exit --for "$(($1 * 34 / 10))ms"
	find "$work" -maxdepth 1 -name "$name" | wc -l
}
for length in 500 500 1000 2000 4000; do
	nr=$(parts_of $length)
	[ "$nr" != 4 ] || break
done
verdict parts_by_time_have_names_of_time "$([ "$nr" = 4 ] || echo "$nr parts, not 4, in 3.4 times $length ms")"

# ---- signals and the background --------------------------------------------------------

pid=$("$LKST" record --daemon --output "$work/daemon" --rotate 2 --event sched_process_exit)
children+=("$pid")
bad=
[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = lkst ] || bad="$pid is not lkst"
for i in 1 2 3; do
	kill -USR2 "$pid"
	wait_until 60 test -e "$work/daemon/00000$((i + 1))/metadata" || bad="$bad part $((i + 1)) is missing"
done
wait_until 60 test ! -e "$work/daemon/000001" -a ! -e "$work/daemon/000002" || bad="$bad old parts stay"
[ -e "$work/daemon/000003/metadata" ] || bad="$bad part 3 is gone"
verdict usr2_switches_and_two_are_kept $bad
kill -TERM "$pid"
wait_until 60 test ! -e "/proc/$pid"
verdict term_ends_the_daemon "$([ ! -e "/proc/$pid" ] || echo "$pid still runs")"
expect_whole daemon_leaves_whole_parts "$work/daemon"
"$LKST" record --daemon --output "$work/daemon" --rotate 10K 2>"$work/err"
status=$?
verdict daemon_that_cannot_start_says_so "$([ $status = 1 ] && grep -q 'too small' "$work/err" ||
	echo "status $status: $(cat "$work/err")")"

# ---- the end of the parts --------------------------------------------------------------

# What `lkst check` says of the traces given: "STATUS BAD MISSING ENDING", MISSING "none" or "blocks", and "lacks" if a
# part is missing.
parts_end()
{
	"$LKST" check --json "$@" >"$work/json" 2>"$work/err"
	perl -MJSON::XS -e 'my $j = decode_json(do { local $/; <STDIN> });
		print "$ARGV[0] $j->{bad_blocks} ", $j->{missing_blocks} ? "blocks" : "none", " $j->{ending}",
			$j->{lacks_part} ? " lacks" : ""' $? <"$work/json"
}

# Prints the commands that do not say that a part of the traces given is missing.
not_said()
{
	local cmd

	for cmd in print report 'why --worst syscall' check; do
		# shellcheck disable=SC2086 # a command and its options
		"$LKST" $cmd "$@" 2>&1 >/dev/null | grep -q 'is not complete: a part is missing' || echo "$cmd"
	done
}

expect parts_end_with_the_last "$(parts_end "$work/parts")" '0 0 none complete'
expect a_part_says_that_the_recording_goes_on "$(parts_end "$work/parts/000001")" '0 0 none goes-on'
verdict a_part_says_so_in_words "$("$LKST" check "$work/parts/000001" 2>/dev/null |
	grep -q '^end: the recording goes on in the next part$' || echo 'check does not')" \
	"$("$LKST" report "$work/parts/000001" 2>&1 >/dev/null |
	grep -q 'is one part: the recording goes on in the next part' || echo 'report does not')"

# Without its last part a recording is as if it had been killed between two.
cp -r "$work/parts" "$work/lacking"
rm -r "$(printf '%s\n' "$work/lacking"/* | tail -n 1)"
expect a_last_part_that_is_missing_is_noticed "$(parts_end "$work/lacking")" '1 0 none goes-on lacks'
expect a_last_part_that_is_missing_is_noticed_among_names "$(parts_end "$work/lacking"/*)" '1 0 none goes-on lacks'
verdict a_last_part_that_is_missing_is_said "$(not_said "$work/lacking")"
expect gaps_show_that_the_last_part_is_missing "$("$LKST" print --format json "$work/lacking" 2>/dev/null |
	grep -c '"gap":{"cpu":0,"buffer":0,.*the next part is missing')" 1

# One between: its blocks are missing too.
rm -r "$work/lacking"
cp -r "$work/parts" "$work/lacking"
rm -r "$work/lacking/000003"
expect a_part_between_that_is_missing_is_noticed "$(parts_end "$work/lacking")" '1 0 blocks complete lacks'
verdict a_part_between_that_is_missing_is_said "$(not_said "$work/lacking")"

# The first ones may have been removed to make room.
rm -r "$work/lacking"
cp -r "$work/parts" "$work/lacking"
rm -r "$work/lacking/000001" "$work/lacking/000002"
expect first_parts_need_not_be_there "$(parts_end "$work/lacking")" '0 0 none complete'

# Whenever a recorder is killed, in a part or between two, its parts are readable and have no end.
"$LKST" record --quiet --output "$work/killed" --rotate 1M "${roomy[@]}" "${few[@]}" &
recorder=$!
children+=($recorder)
wait_until 60 test -e "$work/killed/000001/metadata"
perl -e "$call"
wait_until 60 has_parts "$work/killed" 3
kill -KILL $recorder
wait $recorder 2>/dev/null
killed=$(parts_end "$work/killed")
case $killed in
'1 0 none unfinished' | '1 0 none goes-on lacks') ok killed_leaves_readable_parts ;;
*) fail killed_leaves_readable_parts "it ends \"$killed\"" ;;
esac

# ---- compression -----------------------------------------------------------------------

record packed --rotate 1M --compress "${roomy[@]}" "${few[@]}" -- perl -e "$call"
counted=$(count_calls "$work/packed")
verdict compressed_parts_lose_nothing "$([ "$counted" = "$CALLS $CALLS" ] || echo "$counted calls")"
verdict compressed_parts_are_compressed "$(find "$work/packed" -name 'main.*' ! -name '*.zst')"
plain=$(bytes_of "$work/parts") packed=$(bytes_of "$work/packed")
verdict compression_saves_space "$([ $((packed * 2)) -lt "$plain" ] || echo "$packed bytes of $plain")"
unzstd -q --rm "$work/packed"/*/*.zst 2>"$work/err"
counted=$(count_calls "$work/packed")
verdict zstd_unpacks_them "$([ "$counted" = "$CALLS $CALLS" ] || echo "$counted calls: $(cat "$work/err")")"

# ---- a full disk -----------------------------------------------------------------------

mkdir "$work/small"
if mount -t tmpfs -o size=3m none "$work/small"; then
	"$LKST" record --output "$work/small/trace" --buffer 1M "${few[@]}" 2>"$work/full.err" &
	recorder=$!
	children+=($recorder)
	wait_until 60 test -e "$work/small/trace/metadata"
	# Each CPU's stream has begun: what is lost then is between two of its blocks, however late the recorder comes.
	for ((cpu = 0; cpu < $(nproc); cpu++)); do
		taskset -c $cpu perl -e 'getppid for 1 .. 1500' 2>/dev/null || continue
		wait_until 60 test -s "$work/small/trace/main.$cpu"
	done
	# Something in the way, so that there can be space again.
	head -c 1000000 /dev/zero >"$work/small/filler"
	perl -e "$call"
	bad=
	wait_until 60 grep -q 'disk is full' "$work/full.err" || bad='nothing was said'
	rm "$work/small/filler"
	wait_until 60 grep -q 'space again' "$work/full.err" || bad="$bad and not when there was space again"
	mount -o remount,size=64m "$work/small"
	sleep 0.5
	perl -e 'getppid for 1 .. 777'
	kill -INT $recorder
	wait $recorder || bad="$bad status $?"
	[ "$(grep -c 'disk is full' "$work/full.err")" -le 2 ] || bad="$bad said again and again"
	verdict full_disk_is_said_once $bad "$([ -z "$bad" ] || cat "$work/full.err")"
	"$LKST" check "$work/small/trace" >"$work/check"
	bad=
	awk '/^(main|life|state)/ { nr++; damaged += $6 } END { exit !(nr >= 3 && !damaged) }' "$work/check" ||
		bad='blocks are damaged'
	grep -q '^ledger: .* blocks overwritten before they were read' "$work/check" ||
		bad="$bad the ledger does not name what was lost"
	grep -q '^gap: .*blocks are missing' "$work/check" || bad="$bad no gap"
	[ "$("$LKST" print --comm perl --event syscall_entry_getppid "$work/small/trace" | tail -n 777 |
		awk '{ print $3 }' | uniq | wc -l)" = 1 ] || bad="$bad what came after is missing"
	verdict full_disk_costs_only_what_was_overwritten "$bad" "$([ -z "$bad" ] || cat "$work/check")"
	umount "$work/small"
else
	echo 'skip full_disk: no tmpfs can be mounted'
fi

# ---- attach ----------------------------------------------------------------------------

# In a root directory with all but /run.
# shellcheck disable=SC2016
unshare --mount --pid --fork sh -c 'mkdir "$1/root" && mount -t tmpfs none "$1/root" && cd "$1/root" || exit
	for dir in /usr /bin /lib /lib64 /proc /sys "${2%/*}"; do
		[ -d "$dir" ] && mkdir -p ".$dir" && mount --rbind "$dir" ".$dir"
	done
	mount -t proc none proc
	exec chroot . "$2" status' sh "$work" "$LKST" >"$work/norun" 2>&1
verdict missing_run_is_named "$(grep -q 'there is no directory /run' "$work/norun" || cat "$work/norun")"

if [ -e /sys/fs/bpf/lkst ]; then
	echo 'skip attach: something is being recorded already'
	exit $failed
fi
"$LKST" attach 2>"$work/err" && fail attach_without_recording 'it ran'
verdict attach_without_recording_says_so \
	"$(grep -q 'nothing is being recorded' "$work/err" || cat "$work/err")"
# Two threads that are there already; one gets another name while recording goes on, and one ends.
for name in stays ends; do
	perl -e '$0 = "was_$ARGV[0]"; select undef, undef, undef, 0.05 while !-e $ARGV[1]; getppid;
		$0 = "is_$ARGV[0]"; sleep 100 if $ARGV[0] eq "stays"' $name "$work/go_on" &
	children+=($!)
done
stays=${children[-2]}
wait_until 60 sh -c 'grep -qx was_stays /proc/*/comm && grep -qx was_ends /proc/*/comm' 2>/dev/null
has_started=yes
"$LKST" start --quiet --budget none --buffer 16M "${few[@]}"
touch "$work/go_on"
wait "${children[-1]}"
wait_until 60 grep -qx is_stays "/proc/$stays/comm"
"$LKST" snapshot --quiet --output "$work/names_then"
"$LKST" print --event syscall_entry_getppid "$work/names_then" >"$work/names_printed"
kill "$stays"
verdict snapshot_has_the_names_of_its_time "$({ grep -q /was_stays "$work/names_printed" &&
	grep -q /was_ends "$work/names_printed"; } || head -n 5 "$work/names_printed")"
perl -e 'getppid for 1 .. 1000'
"$LKST" attach --time mono --event 'syscall_*' >"$work/live" 2>"$work/live.err" &
attached=$!
children+=($attached)
has_history()
{
	history=$(grep -c '/perl.*getppid()$' "$work/live")
	[ "$history" -ge 1000 ]
}
wait_until 60 has_history
perl -e 'getppid for 1 .. 50000'
has_all()
{
	[ "$(grep -c '/perl.*getppid()$' "$work/live")" -ge 51000 ]
}
wait_until 60 has_all
kill -INT $attached
wait $attached
status=$?
seen=$(grep -c '/perl.*getppid()$' "$work/live")
verdict attach_shows_history_and_goes_on "$([ $status = 0 ] && [ "$history" -ge 1000 ] && [ "$seen" = 51000 ] ||
	echo "status $status, $history then $seen of 51000: $(cat "$work/live.err")")"
verdict attach_keeps_order "$(awk '$1 < last { print "at " $1; exit } { last = $1 }' "$work/live")"
"$LKST" attach --last 0 --for 500ms --event syscall_entry_getppid >"$work/new"
verdict attach_can_begin_now "$(grep /perl "$work/new" | head -n 1)"

# Its death costs the recording nothing.
"$LKST" attach --output "$work/a1" &
attached=$!
children+=($attached)
wait_until 60 test -e "$work/a1/metadata"
kill -KILL $attached
wait $attached 2>/dev/null
perl -e 'getppid for 1 .. 5000'
"$LKST" attach --quiet --output "$work/a2" --rotate 1M --compress --for 500ms
counted=$(count_calls "$work/a2")
verdict attach_streams_what_is_there "$([ "$counted" = '56000 56000' ] || echo "$counted of 56000 calls")"
expect_whole attach_streams_whole_parts "$work/a2"
"$LKST" attach >"$work/shown" 2>"$work/stopped" &
attached=$!
children+=($attached)
wait_until 60 test -s "$work/shown"
"$LKST" stop --quiet
has_started=no
wait $attached
verdict attach_ends_with_the_recording "$(grep -q 'was stopped' "$work/stopped" || cat "$work/stopped")"
wait_until 60 sh -c '! bpftool prog show | grep -q "name tp_btf__"'
verdict attach_leaves_nothing "$(bpftool prog show | grep 'name tp_btf__' | head -n 2)"
exit $failed
