#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Whether the machine is free for the tests that follow: nothing is being recorded. A recording outlives whoever
# started it, so one of a run that was killed may still be there. Where nobody else records (CI=true) it is ended;
# elsewhere it may be its owner's, so the test fails and says what to do.

. "$(dirname "$0")/lib/live.sh"

is_free()
{
	[ "$("$LKST" status 2>&1)" = 'nothing is being recorded' ]
}

test_nothing_is_recorded()
{
	local text

	if is_free; then
		ok machine_is_free
	elif [ "${CI-}" != true ]; then
		fail machine_is_free "$("$LKST" status 2>&1 | head -n 1); \`lkst stop\` ends it, or run the tests elsewhere"
	elif text=$("$LKST" stop 2>&1) && is_free; then
		echo 'A recording that an earlier run left was ended.'
		ok machine_is_free
	else
		fail machine_is_free "the recording of an earlier run cannot be ended: $text"
	fi
}

test_nothing_is_recorded
exit $failed
