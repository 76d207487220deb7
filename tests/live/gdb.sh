#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# LKST's commands in gdb, of a program on this machine: a probe at the line where it stands, and the last events when it
# stops. Of kernels behind a stub: tests/vm/crash/run. (G03)
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
if ! command -v gdb >/dev/null; then
	skip_all 'gdb: gdb is not installed'
fi
has_started=yes
cd "$work" || exit
cat >stepper.c <<'END'
#include <stdio.h>

__attribute__((noinline)) int step(int from, const char *name)
{
	int to = from * 2;

	printf("%s %d\n", name, to);
	return to;
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 20; i++)
		sum += step(i, "x");
	return sum & 1;
}
END
gcc -g -O1 -o stepper stepper.c || fail gdb_program 'gcc failed'

# debug ARGUMENT...: gdb on the program, with LKST's commands.
debug()
{
	timeout 120 gdb -nx -q -batch -ex 'set pagination off' -ex 'set disable-randomization off' \
		-ex "source $lib/../../../etc/gdb/lkst.py" -ex "set lkst program $LKST" "$@" ./stepper >out 2>&1
}

# So much that the other loads of a busy machine do not overwrite what is looked for.
"$LKST" start --quiet --budget none --buffer 32M || fail gdb_start 'lkst start failed'
# Where the program stands: the sixth call, at the line that prints.
debug -ex 'break stepper.c:7 if from == 5' -ex run -ex 'lkst probe from name:string if from > 7' -ex delete \
	-ex 'lkst print 3 --event probe_stepper:*' -ex continue -ex 'lkst print 100 --event probe_stepper:*' ||
	fail gdb_runs "$(tail -n 5 out)"
if grep -q 'probe_stepper:' out; then
	ok gdb_sets_a_probe
else
	fail gdb_sets_a_probe "$(tail -n 5 out)"
fi
"$LKST" probe --list >list
expect gdb_probe_is_at_the_line "$(grep -c ':7.* with from name)' list)" 1
"$LKST" snapshot --quiet --output trace
expect gdb_probe_records_what_follows \
	"$("$LKST" print --event 'probe_stepper:*' trace | sed -n 's/.* from=\([0-9]*\) .*/\1/p' | tr '\n' ' ')" \
	"8 9 10 11 12 13 14 15 16 17 18 19 "
expect gdb_prints_them "$(grep -c 'probe_stepper:.* from=.* name="x"' out)" 12
debug -ex 'lkst probe from' >/dev/null
expect gdb_says_what_is_missing "$(grep -q 'No frame' out && echo yes)" yes
debug -ex 'set lkst print-at-stop 2' -ex 'break step' -ex run -ex 'set lkst print-at-stop 0' -ex kill
expect gdb_prints_when_it_stops "$(grep -cE '^[0-9]{2}:[0-9]{2}:[0-9]{2}[.]' out)" 2
exit $failed
