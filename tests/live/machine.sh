#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Whether the machine is free for the tests that follow: nothing is being recorded. tests/run has ended what killed tests
# have left, and says what a user records (tests/lib/recorder.sh); this asks lkst.

. "$(dirname "$0")/lib/live.sh"

expect machine_is_free "$("$LKST" status 2>&1)" 'nothing is being recorded'
exit $failed
