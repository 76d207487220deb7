#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 900
#
# Builds each fuzz target, tests/fuzz/<name>.c, with clang's libFuzzer, ASan and UBSan, and runs it for a
# short while ($FUZZ_SECONDS each, 10 by default): enough to notice what a change breaks at once. Files
# in tests/fuzz/<name>/, if there is such a folder, are where it starts from.

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

for source in "${sources[@]}"; do
	name=$(basename "$source" .c)
	corpus=$SCRATCH/$name
	found=$OUT/fuzz-found/$name
	mkdir -p "$corpus" "$found"
	seeds=(tests/fuzz/"$name"/*)
	[ ${#seeds[@]} = 0 ] || cp -r "${seeds[@]}" "$corpus"
	if "$OUT/clang-16-fuzz/tests/fuzz/$name" -max_total_time="${FUZZ_SECONDS:-10}" -timeout=10 \
	   -rss_limit_mb=2048 -print_final_stats=0 -artifact_prefix="$found/" "$corpus" \
	   >"$SCRATCH/log" 2>&1; then
		echo "ok fuzz_$name"
	else
		echo "FAIL fuzz_$name: the input is in $found"
		tail -n 60 "$SCRATCH/log" >&2
	fi
done
