#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Any user may write to /dev/shm what looks like the marks of programs, and root reads it. However much that is, it costs
# root little, no block of the kernel's records is lost by it, the marks of others are all there, and what is not read
# is counted, by user (doc/security.md). The test has a /dev/shm of its own.
#
# timeout: 1200

if [ "${1-}" != own ]; then
	exec unshare --mount --propagation private bash "$0" own
fi
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
mount -t tmpfs -o mode=1777 none /dev/shm || skip_all 'marks_flood: /dev/shm cannot be mounted'
# Where other users may run them, wherever this build is.
bin=/dev/shm/bin
mkdir /dev/shm/aside $bin
cp "$load/marks" "$load/full_marks" $bin
attacker=(setpriv --reuid 65534 --regid 65534 --clear-groups)
export honest="setpriv --reuid 12 --regid 12 --clear-groups $bin/marks 500"
flood=

# flood KIND FILES: begins, and has made its files. That of many users needs root to give them their numbers.
flood()
{
	local as=("${attacker[@]}")

	case $1 in users) as=() ;; esac
	# What the one before has said must not be taken for what this one says: the shell empties its file only later.
	rm -f "$work/made"
	"${as[@]}" $bin/full_marks "$@" >"$work/made" 2>"$work/flood.log" &
	flood=$!
	children+=("$flood")
	wait_until 60 grep -sq made "$work/made" && kill -0 "$flood" ||
		fail "marks_flood_$1_begins" "$(cat "$work/flood.log")"
}

# Ends it. Nothing was shown if it has not been there all the time.
end_flood()
{
	kill "$flood" || fail marks_flood_goes_on "$(cat "$work/flood.log")"
	wait "$flood" 2>/dev/null
	rm -f /dev/shm/lkst-mark.* /dev/shm/aside/*
}

# Its processes go on, on memory that nobody finds: what there is without them, with all else as it is.
hide()
{
	find /dev/shm -maxdepth 1 -name 'lkst-mark.65534.*' -exec mv -t /dev/shm/aside {} +
}

unhide()
{
	find /dev/shm/aside -name 'lkst-mark.*' -exec mv -t /dev/shm {} +
}

# The marks of the honest program in trace $1: "before ROUNDS rounds".
honest_marks()
{
	"$LKST" print "$1" 2>/dev/null | awk '
		/\/marks / && /name="before"/ { before++ }
		/\/marks / && /mark:round/ { rounds++ }
		END { print before + 0, rounds + 0 }'
}

# Blocks of the kernel's records that trace $1 lacks.
lost_blocks()
{
	"$LKST" check "$1" 2>/dev/null | awk '
		/^(main|life)[.]/ { n += $5 + $6 }
		/^ledger: CPU [0-9]+, buffer [0-9]+/ && match($0, /[0-9]+ blocks overwritten/) { n += substr($0, RSTART) }
		END { print n + 0 }'
}

# What is written of marks in trace $1, blocks.
mark_blocks()
{
	"$LKST" check "$1" 2>/dev/null | awk '/^marks/ { n += $4 } END { print n + 0 }'
}

# Two programs make as many records as they can, while the honest one marks.
busy='perl -e "getppid for 1 .. 300000" & perl -e "getppid for 1 .. 300000" & $honest; wait'

# What a recording has lost, and what it has of the honest program, as "LOST BEFORE ROUNDS".
record_busily()
{
	record "$1" -- bash -c "$busy"
	echo "$(lost_blocks "$work/$1") $(honest_marks "$work/$1")"
}

# ---- nothing is hidden ----

without=$(record_busily without)
expect marks_of_an_honest_program_are_all_there "${without#* }" '1000 1000'
if [ "${without%% *}" != 0 ]; then
	echo "skip marks_flood_loses_no_blocks: the machine is so busy that ${without%% *} are lost without marks"
fi
for kind in 'rewrite 8' 'shrink 8' 'users 200'; do
	name=${kind% *}
	flood $kind
	got=$(record_busily "$name")
	[ "${without%% *}" != 0 ] || expect "record_loses_no_blocks_by_marks_$name" "${got%% *}" 0
	expect "record_has_honest_marks_beside_$name" "${got#* }" '1000 1000'
	has_started=yes
	"$LKST" start --quiet --incidents 1
	# A 32nd of the rings' size, at least 256 blocks of 4 KiB: how much is read at once (doc/marks.md).
	most=$("$LKST" status --json | perl -MJSON::XS -e 'my $j = decode_json(<STDIN>);
		$bytes += $_->{bytes} for @{$j->{rings}}; my $n = $bytes / 32 / 4096; print $n > 256 ? int $n : 256')
	$honest
	"$LKST" incident keep --quiet --reason test
	"$LKST" snapshot --quiet --output "$work/snapshot"
	"$LKST" incident save --quiet --output "$work" all
	"$LKST" stop --quiet
	has_started=no
	end_flood
	expect "snapshot_has_honest_marks_beside_$name" "$(honest_marks "$work/snapshot")" '1000 1000'
	expect "incident_has_honest_marks_beside_$name" "$(honest_marks "$work"/incident-*)" '1000 1000'
	blocks=$(mark_blocks "$work/snapshot")
	expect "snapshot_has_few_blocks_of_$name" "$([ "$blocks" -le "$most" ] && echo yes || echo "$blocks of $most")" yes
	"$LKST" check "$work/snapshot" >"$work/check" 2>/dev/null
	case $name in
	users) who='165[0-9]*' ;;
	*) who=65534 ;;
	esac
	expect "check_says_whose_marks_are_left_out_of_$name" \
		"$(grep -qE "^ledger: marks of .*user $who.*(left out|not looked at), over the budget of a user" "$work/check" && echo yes)" yes
	# The last line says it, if there is nothing worse to say.
	expect "check_does_not_say_that_all_is_good_with_$name" "$(grep -c 'all good$' "$work/check")" 0
	rm -rf "$work"/{snapshot,incident-*,"$name"}
done

# ---- nobody waits for a user's lock ----

rm -f "$work"/{made,flood.log}
if { $bin/full_marks hold 1 >"$work/made" 2>"$work/flood.log" & } && flood=$! && children+=("$flood") &&
	wait_until 60 grep -sq . "$work/made" "$work/flood.log" && grep -q made "$work/made"; then
	has_started=yes
	for what in 'start --quiet' "snapshot --quiet --output $work/snapshot" 'stop --quiet' \
		"record --quiet --output $work/recorded -- $honest"; do
		# Not even SIGKILL would end what waits for the lock: that is left behind.
		"$LKST" $what >"$work/log" 2>&1 &
		command=$!
		if wait_until 120 eval "! kill -0 $command 2>/dev/null"; then
			ok "${what%% *}_waits_for_no_lock_of_a_user"
		else
			fail "${what%% *}_waits_for_no_lock_of_a_user" "$(cat "$work/log" "/proc/$command/stack" 2>/dev/null)"
			break
		fi
	done
	expect marks_of_others_are_there_beside_a_lock "$(honest_marks "$work/recorded")" '1000 1000'
	kill -KILL $flood
	wait $flood 2>/dev/null
	"$LKST" stop --quiet
	has_started=no
	rm -rf /dev/shm/lkst-mark.* "$work"/{snapshot,recorded}
else
	# Where it goes on without having said a word, whoever moves its file waits for its lock.
	kill -KILL $flood 2>/dev/null
	wait $flood 2>/dev/null
	rm -f /dev/shm/lkst-mark.*
	echo "skip marks_flood_waits_for_no_lock: $(cat "$work/flood.log")"
fi

# ---- it costs little ----

cat >"$work/spent.py" <<'CODE'
# What a command takes: CPU time in us, time in us, and memory in KiB.
import resource, subprocess, sys, time
# What was there before may be of a script that has become this program.
before = resource.getrusage(resource.RUSAGE_CHILDREN)
begin = time.monotonic()
subprocess.run(sys.argv[1:], check=True)
wall = time.monotonic() - begin
used = resource.getrusage(resource.RUSAGE_CHILDREN)
cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
print(round(cpu * 1e6), round(wall * 1e6), used.ru_maxrss)
CODE

# spent NAME COLUMN COMMAND...: does it, and keeps the least of a column of what that takes, of all calls for NAME.
spent()
{
	local name=$1 column=$2 value

	shift 2
	rm -rf "$work/taken"
	value=$(python3 "$work/spent.py" "$@" 2>"$work/spent.log" | awk -v column="$column" '{ print $column }')
	if [ -z "$value" ]; then
		fail "$name" "$(tail -n 1 "$work/spent.log")"
		exit 1
	fi
	if [ -z "${least[$name]-}" ] || [ "$value" -lt "${least[$name]}" ]; then
		least[$name]=$value
	fi
}

# Whether the least of NAME with its marks is at most 1.5 times of the least without them.
is_little()
{
	[ $((2 * least[$1.with])) -le $((3 * least[$1.without])) ]
}

# expect_little NAME COLUMN TURNS COMMAND...: measured by turns, and again if it is too much: the least of more turns is
# nearer to what it takes.
expect_little()
{
	local name=$1 column=$2 turns=$3 turn try

	shift 3
	for try in 1 2 3 4; do
		for ((turn = 0; turn < turns; turn++)); do
			hide
			spent "$name.without" "$column" "$@"
			unhide
			spent "$name.with" "$column" "$@"
		done
		! is_little "$name" || break
	done
	if is_little "$name"; then
		ok "$name"
	else
		fail "$name" "${least[$name.with]}, and ${least[$name.without]} without his marks"
	fi
}

declare -A least
flood rewrite 8
has_started=yes
"$LKST" start --quiet
perl -e 'getppid for 1 .. 300000'
expect_little marks_flood_takes_little_time_of_a_snapshot 1 6 "$LKST" snapshot --quiet --output "$work/taken"
expect_little marks_flood_takes_little_memory_of_a_snapshot 3 1 "$LKST" snapshot --quiet --output "$work/taken"
"$LKST" stop --quiet
has_started=no
expect_little marks_flood_takes_little_time_of_a_recording 2 1 "$LKST" record --quiet --for 2s --output "$work/taken"
expect_little marks_flood_takes_little_memory_of_a_recording 3 1 "$LKST" record --quiet --for 2s --output "$work/taken"

# It does not keep the recorder from ending.
"$LKST" record --quiet --output "$work/ended" &
recorder=$!
children+=("$recorder")
wait_until 60 test -e "$work/ended/metadata"
kill -TERM "$recorder"
wait_until 60 eval "! kill -0 $recorder 2>/dev/null"
expect marks_flood_does_not_keep_a_recorder "$?" 0
end_flood
expect_whole a_recording_beside_a_flood_is_whole "$work/ended"

exit $failed
