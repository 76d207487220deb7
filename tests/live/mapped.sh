#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Code of programs by name when they have ended (K04): a process maps a library, is in it for a time and ends, and only
# then is a snapshot taken. A library that has been built again since has another build-id, and gives no names.

. "$(dirname "$0")/lib/live.sh"

cd "$work" || exit 1
# The library: ROUNDS only makes another build of it.
build()
{
	gcc -shared -fPIC -O1 -g -fno-omit-frame-pointer -Wl,--build-id -DROUNDS="$2" -o "$1" -xc - <<-'END'
		#include <time.h>
		static volatile unsigned long sum;
		static long long now(clockid_t clock)
		{
			struct timespec t;
			clock_gettime(clock, &t);
			return t.tv_sec * 1000000000LL + t.tv_nsec;
		}
		void hot(int ms)
		{
			long long end = now(CLOCK_PROCESS_CPUTIME_ID) + ms * 1000000LL;
			while (now(CLOCK_PROCESS_CPUTIME_ID) < end)
				for (int i = 0; i < ROUNDS; i++)
					sum += i;
		}
	END
}
build libhot.so 20000 && build libagain.so 20000 || skip_all "mapped: gcc cannot build a library"

if ! "$LKST" start --quiet --sample 997 --budget none -e sched_switch 2>start.log; then
	skip_all "mapped: $(tail -n 1 start.log)"
fi
has_started=yes
"$load/mapped" "$work/libhot.so" 150 || fail mapped_ran 'it failed'
"$load/mapped" "$work/libagain.so" 100
at=$("$load/mapped" - 0)
build libagain.so 20001
"$LKST" snapshot --quiet --output now 2>snapshot.log || fail snapshot "$(cat snapshot.log)"
"$LKST" stop --quiet
has_started=no

"$LKST" print --format json -e mapping -e sched_process_exec now >records
# By process: which files it mapped, in order, after its exec.
perl -ne 'if (/"event":"sched_process_exec"/ && /load\/mapped"/) {
		($pid) = /"tid":(\d+)/; $is{$pid} = 1; push @pids, $pid }
	if (/"event":"mapping"/ && /"owner_pid":(\d+)/ && $is{$1}) {
		$p = $1; /"file":"([^"]*)"/; ($n = $1) =~ s/.*\///; $of{$p} .= " $n" }
	END { print "$of{$_}\n" for @pids }' records >mapped
expect exec_has_program_loader_and_vdso \
	"$(grep -c '^ mapped ld-linux[^ ]* \[vdso\] ' mapped)" 3
expect a_library_is_mapped "$(sed -n 1p mapped | grep -c ' libc.so.6 .*libhot.so$')" 1
expect memory_is_told_once "$(grep -c "\"address\":$at,.*\"file\":\"\"" records)" 1
expect the_path_is_the_whole_one \
	"$(grep -o '"file":"[^"]*libhot.so"' records | head -n 1 | grep -c "$(basename "$work")/libhot.so")" 1

# What is known of the file: the build-id that it had when it was mapped.
id_of()
{
	readelf -n "$1" | awk '/Build ID/ { print $3 }'
}
"$LKST" print --format json -e state_binary now >binaries
expect build_ids_are_those_of_the_files "$(grep -c "\"file\":\"$(id_of libhot.so) $work/libhot.so\"" binaries)" 1
expect a_file_that_was_built_anew_has_none "$(grep -c '"file":" [^"]*libagain.so"' binaries)" 1

# Without samples nothing of this is recorded, and nothing is attached for it.
record without -e sched_switch -- "$load/mapped" "$work/libhot.so" 1
expect without_samples_there_are_none "$("$LKST" print -e mapping without 2>/dev/null | wc -l)" 0
record asked --mappings -e sched_switch -- "$load/mapped" "$work/libhot.so" 1
expect mappings_can_be_asked_for "$("$LKST" print -e mapping asked | grep -c libhot.so)" 1
exit $failed
