#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 1500
# alone
#
# Builds LKST in every way that must work, without a warning, for the tests that come after it: with gcc, and with clang
# and the sanitizers.

set -u
# The caller may be a make with settings of its own.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL BUILD CC CFLAGS CPPFLAGS LDFLAGS LDLIBS SANITIZE GEN

build()
{
	local name=$1 log

	shift
	log=$SCRATCH/$name
	# Everything that can be built is, so that its tests still say something.
	if make -k -j"$(nproc)" OUT="$OUT" "$@" >"$log" 2>&1; then
		if grep -q 'warning:' "$log"; then
			echo "FAIL $name: $(grep -m 1 'warning:' "$log")"
			cat "$log" >&2
		else
			echo "ok $name"
		fi
	else
		echo "FAIL $name: $(grep -m 1 -E ' error: |: \*\*\* ' "$log")"
		tail -n 60 "$log" >&2
	fi
}

build build_gcc CC=gcc all unit live-tests
# The kernel programs are the same in every build: they are built once. What clang makes of the live tests is not run, so
# it is not linked.
build build_clang CC=clang-16 SANITIZE=1 CFLAGS='-O1 -gdwarf-4' GEN="$OUT/gcc/gen" all unit fuzz test-objects
build build_bench CC=gcc BUILD="$OUT/gcc" -f Makefile -f bench/bench.mk bench-programs
build build_installs CC=gcc DESTDIR="$SCRATCH/root" prefix=/usr install
if [ -x "$SCRATCH/root/usr/bin/lkst" ] &&
   [ -L "$SCRATCH/root/usr/bin/lkstla" ] &&
   [ -s "$SCRATCH/root/usr/share/bash-completion/completions/lkst" ] &&
   [ -s "$SCRATCH/root/usr/share/zsh/site-functions/_lkst" ] &&
   [ -e "$SCRATCH/root/usr/share/man/man1/lkst.1" ] &&
   [ -e "$SCRATCH/root/usr/share/man/man7/lkst-events.7" ]; then
	echo ok install_is_complete
else
	echo "FAIL install_is_complete: $(cd "$SCRATCH" && find root -type f | tr '\n' ' ')"
fi
