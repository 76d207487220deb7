#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What lkst doctor says of a kernel that has functions to hook: which programs it takes and what can be attached are what
# a recording then has.
# seconds: 25
. "${LKST_TESTS:-/tests}/lib.sh"

ask_doctor doctor_can_record
for try in $(seq 60); do
	left=$(held)
	[ -n "$left" ] || break
	sleep 0.5
done
expect_none doctor_leaves_nothing "$left"
expect_start doctor_start --budget none
expect_doctor_loads doctor_knows_what_is_loaded
expect_doctor_attaches doctor_knows_what_is_attached
lkst doctor >"$work/beside" 2>&1
expect_none doctor_looks_beside_a_recording "$(grep -q '^LKST can record here' "$work/beside" &&
	grep -q '^A recording runs' "$work/beside" || head -n 3 "$work/beside")"
expect_stop doctor_stop_leaves_nothing
