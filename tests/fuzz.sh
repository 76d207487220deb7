#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
# timeout: 900
#
# Runs each fuzz target, tests/fuzz/<name>.c, built by tests/build_others.sh with clang's libFuzzer, ASan and UBSan, for a
# short while ($FUZZ_SECONDS each, 5 by default), one per CPU at a time: enough to notice what a change breaks at
# once. Files in tests/fuzz/<name>/, if there is such a folder, are where it starts from.

set -u

shopt -s nullglob
sources=(tests/fuzz/*.c)

# Runs target $1. An input may take 30 s: on a busy machine one that takes a second may. It may have 512 MiB, of
# which the sanitizer's own are not to be many (tests/run).
run_target()
{
	local name=$1 corpus=$SCRATCH/$1 found=$OUT/fuzz-found/$1 seeds

	mkdir -p "$corpus" "$found"
	seeds=(tests/fuzz/"$name"/*)
	[ ${#seeds[@]} = 0 ] || cp -r "${seeds[@]}" "$corpus"
	if "$OUT/clang-16-san/tests/fuzz/$name" -max_total_time="${FUZZ_SECONDS:-5}" -timeout=30 \
	   -rss_limit_mb=512 -malloc_limit_mb=256 -print_final_stats=0 -artifact_prefix="$found/" "$corpus" \
	   >"$SCRATCH/$name.log" 2>&1; then
		echo "ok fuzz_$name"
	else
		echo "FAIL fuzz_$name: the input is in $found"
		tail -n 60 "$SCRATCH/$name.log" >&2
	fi
}

for source in "${sources[@]}"; do
	while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do
		wait -n
	done
	run_target "$(basename "$source" .c)" &
done
wait
