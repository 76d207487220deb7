#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# `lkst incident watch` is killed a hundred times, at any system call of saving, and its disk is filled ten times: no
# moment is lost, none is saved twice, all are whole, and nothing is left lying about.
#
# Each moment has a mark, a getpgid(2) with a number of its own; the mark is in one saved incident, and in one only.
#
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
stopped=
at_exit 'kill -KILL $stopped 2>/dev/null; umount disk 2>/dev/null; clean_up'
# What is random is so in the same way each time.
RANDOM=47
marks=0
fired=()
# fcntl(2), argument 2: F_OFD_SETLK. By that a command claims an incident, the first step of saving it.
claim=(72 2 37)
getpgid=121
if [ "$(uname -m)" != x86_64 ]; then
	claim=(25 2 37)
	getpgid=155
fi

# Keeps a moment of its own, if there is room.
keep()
{
	local said

	marks=$((marks + 1))
	perl -e 'syscall($ARGV[0] + 0, $ARGV[1] + 0)' "$getpgid" $((1000000 + marks))
	said=$("$LKST" incident keep --reason "moment $marks" 2>&1)
	case $said in
	'incident '*) fired+=("$(sed 's/^incident \([0-9]*\);.*/\1/' <<<"$said")") ;;
	*) echo "$said" >>unkept ;;
	esac
}

kept()
{
	"$LKST" incident list --json | wc -l
}

nothing_is_kept()
{
	[ "$(kept)" = 0 ]
}

# Checks what directory $1 has of the incidents and marks from number $2 on; $3: what the tests are called.
check_saved()
{
	local dir=$1 first=$2 name=$3 n bad=

	for n in "${fired[@]}"; do
		set -- "$dir/incident-$n-"*
		[ $# = 1 ] && [ -d "$1" ] || bad="$bad $n: $*;"
		"$LKST" check "$1" >check.log 2>&1 || bad="$bad $n: $(grep -vE '^(ledger|stream)' check.log);"
		[ "$("$LKST" print --event state_incident "$1" 2>/dev/null | grep -c " number=$n ")" = 1 ] ||
			bad="$bad $n: is another one;"
	done
	expect "${name}_saves_each_once_and_whole" "$bad" ''
	expect "${name}_saves_no_other" "$(find "$dir" -maxdepth 1 -name 'incident-*' | wc -l)" "${#fired[@]}"
	expect "${name}_leaves_nothing_hidden" "$(find "$dir" -mindepth 1 -maxdepth 1 -name '.*')" ''
	for n in "$dir"/incident-*; do
		"$LKST" print --event syscall_entry_getpgid --format json "$n"
	done | sed -n 's/.*"pid":\(1[0-9]\{6\}\).*/\1/p' | sort -n >"$name.marks"
	expect "${name}_loses_no_mark" "$(comm -3 <(sort "$name.marks") \
		<(seq $((1000000 + first)) $((1000000 + marks)) | sort) | tr -d '\t' | tr '\n' ' ')" ''
}

has_started=yes
# So much that the lives of the test's own processes, and of others on a busy machine, do not go round before an incident
# is saved.
"$LKST" start --quiet --budget none --buffer 32M --incidents 3 --event 'syscall:getpgid' 2>/dev/null

# ---- how many calls saving makes ----
mkdir first
keep
calls=$("$load/kill_at" count "${claim[@]}" 0 "$LKST" incident save --quiet --drop --output first all)
expect saving_is_counted "$([ "${calls:-0}" -gt 20 ] && echo yes || echo "$calls")" yes
check_saved first 1 a_save

# ---- killed ----
mkdir saved
fired=()
from=$((marks + 1))
killed=0
for ((i = 0; i < 100; i++)); do
	[ "$(kept)" = 3 ] || keep
	# At any call, and each second time at one of the last, about the renaming and giving up.
	at=$((i % 2 ? calls - RANDOM % 24 + 4 : RANDOM % calls + 1))
	"$load/kill_at" kill "${claim[@]}" $at "$LKST" incident watch --quiet --output saved \
		2>>watch.log && killed=$((killed + 1))
done
expect watch_is_killed_a_hundred_times $killed 100
expect kills_leave_work "$([ ${#fired[@]} -ge 15 ] && [ ${#fired[@]} -lt 100 ] && echo yes || echo "${#fired[@]} fired")" yes
"$LKST" incident watch --quiet --output saved 2>>watch.log &
children+=($!)
wait_until 120 nothing_is_kept
kill $!
wait $!
expect watch_saves_what_is_left $? 0
check_saved saved $from killed_watch
expect killed_watch_says_nothing "$(cat watch.log)" ''

# ---- a disk that is full ----
failures()
{
	grep -c 'No space left on device' full.log
}

has_failed()
{
	[ "$(failures)" -gt "$before" ]
}

mkdir disk full
fired=()
from=$((marks + 1))
# They grow: each has the lives of all threads since the recording began.
bytes=$(du -sb saved/incident-* | cut -f1 | sort -n | tail -n 1)
if mount -t tmpfs -o size=$((bytes * 6)) none disk 2>err; then
	: >full.log # is counted in before the watch has begun
	"$LKST" incident watch --output disk 2>>full.log >said &
	watcher=$!
	children+=($watcher)
	for ((i = 0; i < 10; i++)); do
		before=$(failures)
		# All of it, and then some is given back: from nothing to nearly enough for one.
		head -c $((bytes * 7)) /dev/zero >disk/filler 2>/dev/null
		truncate -s -$((bytes * (RANDOM % 80) / 100)) disk/filler
		keep
		keep
		wait_until 60 has_failed || fail full_disk_is_said "$(cat full.log)"
		rm disk/filler
		wait_until 120 nothing_is_kept || fail room_is_used "$("$LKST" incident list; cat full.log)"
		mv disk/incident-* full
	done
	expect watch_outlives_full_disks "$(kill -0 $watcher && echo yes)" yes
	kill $watcher
	wait $watcher
	expect watch_ends_well_after_full_disks $? 0
	expect full_disk_keeps_the_moments "${#fired[@]}" 20
	check_saved full $from full_disk
	umount disk
else
	echo "skip full_disk_is_said: no tmpfs can be mounted here: $(cat err)"
fi

# ---- what no retry helps against, what is there already, and two at once ----
keep
expect_refusal watch_ends_without_its_directory 'directory absent: No such file' incident watch --output absent
expect what_could_not_be_saved_is_kept "$(kept)" 1
mkdir again
number=${fired[-1]}
"$LKST" incident save --quiet --output again all
expect a_second_save_finds_the_first "$("$LKST" incident save --output again "$number")" \
	"$(echo again/incident-"$number"-*): was saved before"
# One that another user has made, or that another user can write to, is no proof.
chmod 777 again/incident-*
"$LKST" incident save --quiet --output again "$number"
expect a_directory_of_others_is_no_proof "$(find again -maxdepth 1 -name 'incident-*' | wc -l)" 2
"$load/kill_at" stop "${claim[@]}" 5 "$LKST" incident save --quiet --output first "$number" >stopped
stopped=$(cat stopped)
expect_refusal saving_is_done_by_one 'another command is saving or dropping it' incident drop "$number"
kill -CONT "$stopped"
is_gone()
{
	! kill -0 "$stopped" 2>/dev/null
}
wait_until 60 is_gone
"$LKST" incident drop "$number"
expect the_next_one_goes_on "$(kept)" 0
expect no_moment_found_no_room "$(cat unkept 2>/dev/null)" ''
exit $failed
