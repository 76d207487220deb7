#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
# timeout: 3600
#
# Builds LKST in the other ways that must work, without a warning: with clang and the sanitizers, for the tests that
# come after it; and what is measured with; and it is installed.

. "$(dirname "$0")/lib/build.sh"

# The kernel programs are the same in every build: they are built once. What clang makes of the live tests is not run, so
# it is not linked. clang allocates much: with memory in huge pages, where the kernel gives some to who asks, and more of it
# at a time, it has fewer page faults (glibc's manual, "Memory Allocation Tunables").
GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864 \
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
