# SPDX-License-Identifier: GPL-2.0-only
# What the measuring scripts share; they read it with `.` first thing.

set -u
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit
BUILD=${BUILD:-${OUT:-build}/gcc}
LKST=$BUILD/lkst
BENCH=$BUILD/bench

die()
{
	echo "bench: $*" >&2
	exit 1
}

[ "$(id -u)" = 0 ] || die 'measuring beside other tracers needs root; try again with sudo.'

# The programs that measure. Scripts that a script starts find them as they are.
if [ -z "${BENCH_BUILT-}" ]; then
	make -s -f Makefile -f bench/bench.mk CC=gcc BUILD="$BUILD" bench-programs || die 'the build failed'
	export BENCH_BUILT=1
fi

# Everything that is written goes to memory, so that no disk is measured. Gone at the end.
scratch=$(mktemp -d /dev/shm/lkst-bench.XXXXXX) || exit
at_exit()
{
	rm -rf --one-file-system "$scratch"
}
trap at_exit EXIT
trap 'exit 130' INT TERM HUP

# limit WHAT VALUE LIMIT [least]: says whether VALUE is at most (least: at least) LIMIT.
limit()
{
	awk -v what="$1" -v is="$2" -v limit="$3" -v least="${4-}" 'BEGIN {
		if (is !~ /^-?[0-9]+(\.[0-9]*)?(e[-+]?[0-9]+)?$/) {
			printf "  %-44s NOT MEASURED: \"%s\"\n", what, is
			exit
		}
		meets = least ? is + 0 >= limit + 0 : is + 0 <= limit + 0
		printf "  %-44s %10.3f   %s %7.2f   %s\n", what, is, least ? "at least" : "limit   ",
			limit, meets ? "meets" : "MISSES"
	}'
}

# ratio A B: A / B
ratio()
{
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.6f", b ? a / b : 0 }'
}

# least COMMAND...: seconds that the fastest of $repeats runs took
least()
{
	local i TIMEFORMAT=%R

	for ((i = 0; i < repeats; i++)); do
		{ time "$@" >/dev/null 2>&1; } 2>&1 || echo "bench: $* failed: what it took means nothing" >&2
	done | sort -n | head -n 1
}

# number NAME: the number after "NAME": in the JSON on standard input
number()
{
	sed -n "s/.*\"$1\":\\([0-9.]*\\).*/\\1/p" | head -n 1
}

# True if `lkst start` has begun a recording, which is not ours to stop.
is_recording()
{
	"$LKST" status --json | grep -q '"recording":true'
}
