#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests on the live kernel share; they source it. It finds the program and the workloads, makes
# a scratch directory and, however the test ends, stops what it started and removes what it made.
#
#   $LKST      the program          $load      directory of the workloads
#   $lib       this directory       $work      a directory of the test's own

lib=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
BUILD=$(realpath -m "${BUILD:-$lib/../../../build/gcc}")
LKST=$(realpath -m "${LKST:-$BUILD/lkst}")
load=$BUILD/tests/live/load
export BUILD LKST LC_ALL=C PERL5LIB=$lib
failed=0
children=()
has_started=no

ok()
{
	echo "ok $1"
}

fail()
{
	echo "FAIL $1: ${2//$'\n'/; }"
	failed=1
}

skip_all()
{
	echo "skip $1"
	exit 0
}

# For a test that starts a recording that outlives a command: a kernel has one, and somebody else's is left alone.
needs_the_recorder()
{
	[ ! -e /sys/fs/bpf/lkst ] || skip_all "$(basename "$0" .sh): something is being recorded already"
}

# For a test that has recorded all that it looks at: the next one may record while it reads.
records_no_more()
{
	[ $has_started = no ] || fail records_no_more 'the test has not stopped its recording'
	[ -z "${RECORDER-}" ] || : >"$RECORDER"
	unset RECORDER
}

# Passes on a helper's result lines and remembers if one of them is a failure. Reads a command's output:
#   report NAME COMMAND...     NAME: what fails if the command does without a line of its own
report()
{
	local name=$1 line status printed=no bad=no

	shift
	"$@" >"$work/report" 2>"$work/report.errors"
	status=$?
	while IFS= read -r line; do
		echo "$line"
		case $line in
		'FAIL '*) bad=yes printed=yes ;;
		'ok '* | 'skip '*) printed=yes ;;
		esac
	done <"$work/report"
	cat "$work/report.errors" >&2
	if [ $bad = yes ]; then
		failed=1
	elif [ $status != 0 ] || [ $printed = no ]; then
		fail "$name" "$(basename "$1") ended with status $status: $(tail -n 3 "$work/report.errors")"
	fi
}

# How many processes there were since boot, as the kernel counts.
processes()
{
	awk '$1 == "processes" { print $2 }' /proc/stat
}

# Whether nothing is missing in what `lkst check` has printed, $1, but the oldest of the buffers of lives. These are small,
# and where others start many processes they go round before the others do: if the kernel has counted enough of them.
# A process takes some 320 bytes there, so that 12 fill a block of 4 KiB, of those there were.
lacks_only_old_lives()
{
	awk -v made=$(($(processes) - processes_before)) '
		/^gap: CPU [0-9]+, buffer 1, .*: blocks were overwritten before the trace was saved/ { round[$3 + 0]; nr++; next }
		/^(gap|end):/ || /^more gaps/ || /is not complete/ { bad++ }
		NF == 7 && $1 ~ /^life[.][0-9]/ { blocks[$2] = $4 }
		NF == 7 && $1 ~ /^[a-z]+[0-9]*[.][0-9]/ && $5 + $6 { bad++ }
		END {
			for (cpu in round)
				all += blocks[cpu]
			exit !nr || bad || !all || made < 12 * all
		}' <<<"$1"
}

# Prints why `lkst check` does not call trace $2 whole; $1: the test's name.
expect_whole()
{
	local text

	if text=$("$LKST" check "$2" 2>&1) || lacks_only_old_lives "$text"; then
		ok "$1"
	else
		# Streams with missing, damaged or lost parts, the gaps, and the last line.
		fail "$1" "$(awk '/^(gap|end):/ || (NF == 7 && $1 ~ /^[a-z]+[0-9]*[.][0-9]/ && $5 + $6 + $7) { print } { last = $0 }
			END { print last }' <<<"$text" | tail -n 12)"
	fi
}

# How trace $1 ends: "BAD-BLOCKS MISSING-BLOCKS ENDING".
ending_of()
{
	"$LKST" check --json "$1" 2>/dev/null | sed \
		's/.*"bad_blocks":\([0-9]*\),"missing_blocks":\([0-9]*\),.*"ending":"\([a-z-]*\)".*/\1 \2 \3/'
}

# Passes if all blocks of trace $2 are good, and it is said to have no end: its recorder was killed.
expect_unfinished()
{
	expect "$1" "$(ending_of "$2")" '0 0 unfinished'
}

# Passes if what was got is what it should be.
#   expect NAME GOT WANTED
expect()
{
	if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "it is \"$2\", not \"$3\""; fi
}

# Passes if the command fails with status 1 and says why. What it said is left in $work/out.
#   expect_refusal_by NAME WHY COMMAND...
expect_refusal_by()
{
	local name=$1 why=$2 status

	shift 2
	"$@" >"$work/out" 2>&1 </dev/null
	status=$?
	if [ $status = 1 ] && grep -qF -- "$why" "$work/out"; then
		ok "$name"
	else
		fail "$name" "status $status: $(cat "$work/out")"
	fi
}

# The same of lkst.
#   expect_refusal NAME WHY ARGUMENT...
expect_refusal()
{
	expect_refusal_by "$1" "$2" "$LKST" "${@:3}"
}

# Prints where the packages of set $1 are, which tools/fetch-npm gets, or why they are not there.
packages()
{
	OUT=${OUT:-$BUILD/..} "$lib/../../../tools/fetch-npm" "$1" 2>&1
}

# Waits until a command succeeds, $1 seconds at most. Fails if it never did. What takes long is looked at less often: where
# other work makes it slow, to look is work, too.
#   wait_until SECONDS COMMAND...
wait_until()
{
	local wait_from=$SECONDS wait_most=$1 wait_pause

	shift
	until "$@"; do
		[ $((SECONDS - wait_from)) -lt "$wait_most" ] || return 1
		wait_pause=$(((SECONDS - wait_from) / 10))
		read -rt "0.$((wait_pause < 5 ? wait_pause : 5))5" -u "$nothing"
	done
	return 0
}
# Nothing is ever read from it: to wait for that begins no process, as sleep(1) would.
exec {nothing}<> <(:)

# is_begun PID PROGRAM: whether what was begun in the background is that program, or has ended. Before it is a copy of this
# shell, with its traps: a signal that comes then is lost.
is_begun()
{
	[[ /proc/$1/exe -ef $2 ]] || ! kill -0 "$1" 2>/dev/null
}

# Whether the kernel runs 32-bit programs: it may be built or booted without them, or its hypervisor may run none. A shell
# takes what is not run for a script.
runs_32_bit()
{
	"$load/syscalls32" leaf >/dev/null 2>&1
	[ $? = 7 ]
}

# Records into $work/$1 while the command runs; what lkst says is in $work/$1.log.
#   record NAME OPTION... -- COMMAND...
record()
{
	local name=$1

	shift
	"$LKST" record --quiet --output "$work/$name" "$@" 2>"$work/$name.log"
}

clean_up()
{
	local pid

	for pid in "${children[@]}"; do
		kill "$pid" 2>/dev/null
	done
	wait "${children[@]}" 2>/dev/null
	if [ $has_started = yes ]; then
		"$LKST" stop --quiet
	fi
	if [ "$work" != "${SCRATCH-}" ]; then
		rm -rf --one-file-system "$work"
	fi
}

# at_exit COMMAND: what this shell does when it ends. A process that bash has just forked has its trap too, and comes to it
# if a signal ends it before it is another program (termsig_handler() of bash's sig.c).
at_exit()
{
	trap "[[ \$BASHPID != $$ ]] || { $1; }" EXIT
}

if [ "$(id -u)" != 0 ]; then
	skip_all "$(basename "$0" .sh): needs root"
fi
processes_before=$(processes)
work=${SCRATCH-}
[ -n "$work" ] || work=$(mktemp -d) || exit 1
at_exit clean_up
trap 'exit 130' INT TERM HUP
