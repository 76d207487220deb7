#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# A trace has an end: a disk that was full, a recorder that was killed, a stream that is lost or cut off, and a copy
# that was interrupted are each named as such, and no time is invented for what is missing.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit

# What `lkst check` says of trace $1: "STATUS ENDING GAPS", GAPS "none" or "gaps".
verdict()
{
	local status

	"$LKST" check --json "$1" >json 2>err
	status=$?
	perl -MJSON::XS -e 'my $j = decode_json(do { local $/; <STDIN> });
		print "$ARGV[0] $j->{ending} ", $j->{gaps} ? "gaps" : "none"' "$status" <json
}

# How long CPUs were busy in trace $1 by `lkst report`, ns.
busy()
{
	"$LKST" report --format json "$1" 2>/dev/null | perl -MJSON::XS -e '
		my $j = decode_json(do { local $/; <STDIN> });
		print map { $_->{time_ns} } grep { $_->{what} eq "CPUs, busy" } @{$j->{summary}{rows}}'
}

# ---- a whole one ----
"$LKST" record --quiet --buffer 64M --output whole -- sh -c 'ls -R /usr/include; ls -R /usr/include' >/dev/null 2>err
expect a_whole_trace_has_an_end "$(verdict whole)" '0 complete none'
"$LKST" start --quiet --budget none --buffer 32M 2>err
has_started=yes
ls -R /usr/include >/dev/null
"$LKST" snapshot --quiet --output snapshot 2>err
expect a_snapshot_has_an_end "$(verdict snapshot)" '0 complete none'
"$LKST" snapshot --quiet --file packed --last 1s 2>err
expect a_snapshot_in_a_file_has_an_end "$(verdict packed)" '0 complete none'
"$LKST" stop --quiet
has_started=no
"$LKST" cut --quiet --to +20ms --output piece whole
expect a_piece_has_an_end "$(verdict piece)" '0 complete none'
"$LKST" record --quiet --buffer 64M --rotate 1M --output parts -- ls -R /usr/include >/dev/null 2>err
expect parts_have_one_end "$(verdict parts)" '0 complete none'

# ---- the kernel's own counters ----
# What check says of kind $2 in trace $1: "VERDICT KERNEL MISSING", summed up.
counter()
{
	"$LKST" check --json "$1" 2>/dev/null | perl -MJSON::XS -e '
		my $j = decode_json(do { local $/; <STDIN> });
		my ($verdict, $kernel, $missing) = ("complete", 0, 0);
		for (grep { $_->{kind} eq $ARGV[0] } @{$j->{counters}}) {
			$verdict = $_->{verdict} if $_->{verdict} ne "complete";
			$kernel += $_->{kernel};
			$missing += $_->{missing};
		}
		print "$verdict $kernel $missing"' "$2"
}
"$LKST" record --quiet --buffer 64M --output forks -- sh -c 'i=0; while [ $i -lt 300 ]; do /bin/true; i=$((i + 1)); done' 2>err
read -r what kernel missing <<<"$(counter forks 'threads created')"
expect records_of_threads_agree_with_the_kernels_counter "$what $missing" 'complete 0'
expect the_kernel_counted_the_threads "$([ "${kernel:-0}" -ge 300 ] && echo yes)" yes
rm forks/main.*
read -r what kernel missing <<<"$(counter forks switches)"
expect missing_records_are_counted_by_the_kernel "$what $([ "${missing:-0}" -ge $((kernel - 100)) ] && echo nearly all)" 'missing nearly all'
# A part that was full is not compared with a reading of which the next part has some records.
read -r _ _ whole <<<"$(counter parts switches)"
in_parts=0
for part in parts/*; do
	read -r _ _ missing <<<"$(counter "$part" switches)"
	in_parts=$((in_parts + missing))
done
expect there_are_full_parts "$([ "$(ls parts | wc -l)" -ge 2 ] && echo yes)" yes
expect no_part_misses_what_the_next_one_has "$([ $in_parts -le $((whole + 10)) ] && echo yes || echo "$in_parts, all of them $whole")" yes
"$LKST" record --quiet --output few --event sched_switch -- true 2>err
read -r what _ <<<"$(counter few softirqs)"
expect what_is_not_recorded_is_not_missing "$what" not

# ---- a stream that is lost or cut off ----
true_busy=$(busy whole)
expect report_measures_busy_time "$([ "${true_busy:-0}" -gt 0 ] && echo yes)" yes
# The stream that has most.
stream=$(basename "$(ls -S whole/main.? | head -n 1)")
cpu=${stream#main.}
blocks=$(($(stat -c %s "whole/$stream") / 4096))

# Damages a copy of the trace by "$@", which runs in it.
damaged()
{
	rm -rf copy
	cp -r whole copy
	(cd copy && eval "$1")
}

# Checks that all commands show what $1 says is missing, and that no busy time was invented.
shown()
{
	local now

	expect "check_fails_for_$1" "$(verdict copy)" "1 complete gaps"
	now=$(busy copy)
	expect "no_time_is_invented_for_$1" "$([ "${now:-0}" -le "$true_busy" ] && echo yes || echo "$now > $true_busy")" yes
	expect "print_shows_$1" "$("$LKST" print --format json copy 2>err | grep -c "\"gap\":{\"cpu\":$cpu,\"buffer\":0,.*$2")" 1
	expect "report_tells_of_$1" "$("$LKST" report copy 2>err | grep -c '^Note: Records are missing at 1 ')" 1
}

damaged "rm $stream"
shown a_lost_stream 'the stream is missing'
expect check_counts_the_lost_blocks "$("$LKST" check copy 2>err | awk -v s="$stream" '$1 == s { print $5 }')" "$blocks"
damaged "rm $stream; mkfifo $stream"
shown a_fifo 'the stream is missing'
damaged ": >$stream"
shown an_empty_file 'the stream is missing'
damaged "truncate -s $((blocks / 2 * 4096)) $stream"
shown a_cut_at_a_block 'the end of the stream is missing'
expect check_counts_what_is_cut_off "$("$LKST" check copy 2>err | awk -v s="$stream" '$1 == s { print $5 }')" "$((blocks - blocks / 2))"
damaged "truncate -s $((blocks / 2 * 4096 + 1000)) $stream"
expect check_fails_for_a_cut_within_a_block "$(verdict copy)" '1 complete gaps'
expect no_time_is_invented_for_a_cut_within_a_block "$([ "$(busy copy)" -le "$true_busy" ] && echo yes)" yes
damaged "truncate -s -4096 state"
expect check_fails_for_a_copy_of_the_state_that_was_broken_off "$(verdict copy | cut -d' ' -f1-2)" '1 unfinished'
expect no_time_is_invented_for_a_copy_that_was_broken_off "$([ "$(busy copy)" -le "$true_busy" ] && echo yes)" yes
expect commands_say_that_there_is_no_end "$("$LKST" print copy 2>&1 >/dev/null | grep -c 'is not complete: it has no end mark')" 1

# ---- a disk that is full to the end ----
mkdir disk
if mount -t tmpfs -o size=4m none disk 2>err; then
	"$LKST" record --quiet --output disk/trace -- bash -c 'for i in 1 2 3 4 5 6; do ls -R /usr; done' >/dev/null 2>err
	expect record_fails_on_a_full_disk $? 1
	expect a_full_disk_is_shown "$(verdict disk/trace)" '1 disk-full gaps'
	expect report_says_that_the_disk_was_full "$("$LKST" report disk/trace 2>&1 >/dev/null | grep -c 'the disk was full')" 1
	expect print_shows_what_was_left_out "$("$LKST" print --format json disk/trace 2>err |
		grep -c '"gap":.*"buffer":0,.*the disk was full' | sed 's/^[1-9][0-9]*$/some/')" some
	# The recording went on after the last record that could be written, and so does its time.
	expect what_is_unknown_is_said "$("$LKST" report disk/trace 2>err | grep -c '^Note: Who ran is not known of ')" 1
	umount disk
else
	echo "skip a_full_disk_is_shown: no tmpfs can be mounted here"
fi

# ---- a recorder that is killed ----
# Each is killed some time after it has begun to write: all of them are readable, and none has an end.
for i in {1..20}; do
	rm -rf killed
	"$LKST" record --quiet --buffer 32M --output killed -- "$load/storm" 2 gentle >/dev/null 2>err &
	pid=$!
	wait_until 60 test -e killed/state
	sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
	kill -KILL $pid 2>/dev/null
	wait $pid 2>/dev/null
	# Its command may have ended before.
	if [ $? = 137 ]; then
		verdict killed | cut -d' ' -f1-2
	else
		echo over
	fi
done >kills 2>/dev/null
expect a_killed_recorder_leaves_no_end "$(grep -v over kills | sort -u)" '1 unfinished'
expect the_recorder_was_killed "$([ "$(grep -c unfinished kills)" -ge 10 ] && echo yes)" yes
expect report_says_that_there_is_no_end "$("$LKST" report killed 2>&1 >/dev/null | grep -c 'has no end mark')" \
	"$(tail -n 1 kills | grep -c unfinished)"
exit $failed
