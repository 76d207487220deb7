#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests the test runner: that what goes wrong in a test program is counted. It runs tests/run on small
# scripts, in a build directory of its own.

set -u

# Runs tests/run on a script of the text $3 and compares its last line with $2; $1: the test's name.
expect()
{
	local name=$1 want=$2 got status
	local program=$SCRATCH/program

	printf '#!/bin/bash\n%s\n' "$3" >"$program"
	chmod +x "$program"
	got=$(CI=false OUT=$SCRATCH/out tests/run "$program" 2>&1)
	status=$?
	got=${got##*$'\n'}
	if [ "$got" != "$want" ]; then
		echo "FAIL run_$name: the last line is \"$got\", not \"$want\""
	elif [[ $want != *' 0 failed'* ]] && [ $status = 0 ]; then
		echo "FAIL run_$name: the exit status is 0"
	else
		echo "ok run_$name"
	fi
}

expect counts_each_kind '1 passed, 1 failed, 1 skipped' 'echo ok a; echo FAIL b: x; echo skip c: y; exit 1'
expect counts_failure_with_status_0 '0 passed, 1 failed, 0 skipped' 'echo FAIL b: x'
expect counts_silence_as_failure '0 passed, 1 failed, 0 skipped' 'exit 0'
expect counts_status_as_failure '1 passed, 1 failed, 0 skipped' 'echo ok a; exit 3'
expect counts_death_as_failure '1 passed, 2 failed, 0 skipped' 'echo ok a; echo FAIL b: x; kill -SEGV $$'
expect counts_timeout_as_failure '1 passed, 1 failed, 0 skipped' $'# timeout: 1\necho ok a; sleep 20'
expect passes '2 passed, 0 failed, 0 skipped' 'echo ok a; echo ok b'
expect gives_no_input '1 passed, 0 failed, 0 skipped' 'read -r x || echo ok a'

got=$(CI=false OUT=$SCRATCH/out tests/run "$SCRATCH/none" 2>&1)
if [ "${got##*$'\n'}" = '0 passed, 1 failed, 0 skipped' ]; then
	echo ok run_counts_missing_program_as_failure
else
	echo "FAIL run_counts_missing_program_as_failure: ${got##*$'\n'}"
fi
