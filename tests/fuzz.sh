#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
#
# Builds each fuzz target, tests/fuzz/<name>.c, with clang's libFuzzer, ASan and UBSan, and runs it for a
# short while ($FUZZ_SECONDS each, 5 by default), one per CPU at a time: enough to notice what a change breaks at
# once. Files in tests/fuzz/<name>/, if there is such a folder, are where it starts from.

set -u
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL BUILD CC CFLAGS CPPFLAGS LDFLAGS LDLIBS SANITIZE GEN

shopt -s nullglob
sources=(tests/fuzz/*.c)
if [ ${#sources[@]} = 0 ]; then
	echo 'skip fuzz: there is no target'
	exit
fi
if ! make -j"$(nproc)" OUT="$OUT" CC=clang-16 SANITIZE=fuzz fuzz >"$SCRATCH/log" 2>&1; then
	echo "FAIL fuzz_build: $(grep -m 1 -E ' error: |: \*\*\* ' "$SCRATCH/log")"
	tail -n 60 "$SCRATCH/log" >&2
	exit
fi
echo ok fuzz_build

# Runs target $1. An input may take 30 s: on a busy machine one that takes a second may. It may have 512 MiB, of
# which the sanitizer's own are not to be many.
run_target()
{
	local name=$1 corpus=$SCRATCH/$1 found=$OUT/fuzz-found/$1 seeds

	mkdir -p "$corpus" "$found"
	seeds=(tests/fuzz/"$name"/*)
	[ ${#seeds[@]} = 0 ] || cp -r "${seeds[@]}" "$corpus"
	if ASAN_OPTIONS=quarantine_size_mb=32 "$OUT/clang-16-fuzz/tests/fuzz/$name" -max_total_time="${FUZZ_SECONDS:-5}" -timeout=30 \
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
