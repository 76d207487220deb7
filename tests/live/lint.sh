#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# `lkst lint` finds nothing in a sound kernel under load: threads that wake each other, a compiler,
# connections, a disk. Takes and releases of locks can't be recorded on every kernel; tests/vm/guest/lint.sh
# has those.

. "$(dirname "$0")/lib/live.sh"

# lint NAME COMMAND...
lint()
{
	local name=$1 got

	shift
	if ! record "$name" --buffer 64M -- "$@" >/dev/null; then
		fail "lint_finds_nothing_in_$name" "$(tail -n 3 "$work/$name.log")"
		return
	fi
	got=$("$LKST" lint "$work/$name" 2>"$work/$name.notes")
	if [ "$got" = '0 found' ]; then
		ok "lint_finds_nothing_in_$name"
	else
		fail "lint_finds_nothing_in_$name" "$(tail -n 3 "$work/$name.notes") ${got:0:1000}"
	fi
	# Of the rules that need no more than tracepoints, one that was not applied has found nothing for nothing.
	grep 'rule .* is not applied' "$work/$name.notes" >&2
	rm -rf --one-file-system "${work:?}/$name"
}

cat >"$work/some.c" <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(void) { char b[64] = ""; strcat(b, "x"); return printf("%s", b) < 0; }
END
cat >"$work/compile.sh" <<END
for i in 1 2 3 4 5 6; do gcc -O2 -Wall -o "$work/some" "$work/some.c" && "$work/some"; done
END
cat >"$work/network.sh" <<END
for i in \$(seq 30); do "$load/waits" tcp & "$load/waits" socket; wait; done
END
cat >"$work/disks.sh" <<END
for i in 1 2 3 4 5; do "$load/slowdisk" || exit 0; dd if=/dev/zero of="$work/file" bs=64k count=200 conv=fsync; done
END

lint storm "$load/storm" 2
lint switches "$load/switches"
lint compiler sh "$work/compile.sh"
lint network sh "$work/network.sh"
lint disks sh "$work/disks.sh"
exit $failed
