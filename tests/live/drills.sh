#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The short set of the drills (bench/drills): incidents that surely happen on any machine. `lkst why` must name the
# cause of each, and must not say what is not so. One that did not happen is skipped, with its reason. What other
# work on the machine can hide, by filling the rings or by taking the CPUs, is not failed: where others had more
# than a half of the CPUs, a row that says less is skipped, and one that is wrong fails.

. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
drills=$lib/../../../bench/drills
"$drills/run" --short --locked --keep "$work/drills" >"$work/table" 2>"$work/errors" ||
	fail drills_run "$(cat "$work/errors")"
records_no_more

nr=0
while read -r drill; do
	IFS=$'\t' read -r name verdict others what <"$work/drills/$drill/result" || verdict=
	nr=$((nr + 1))
	name=drill_${drill//-/_}
	case $verdict in
	right) ok "$name" ;;
	'not produced') echo "skip $name: $what" ;;
	incomplete | 'not known')
		if [ "$others" -gt 50 ]; then
			echo "skip $name: others had $others % of the CPUs, and it said less: $what"
		else
			fail "$name" "$verdict: $what"
		fi
		;;
	*) fail "$name" "$verdict: $what" ;;
	esac
done < <("$drills/run" --short --list | cut -d ' ' -f 1)
[ $nr -gt 5 ] || fail drills_are_there "the short set has $nr"
exit $failed
