#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# A program that the kernel rejects costs a sentence and its own events, not the start. A copy of the
# sources gets such a program: it reads memory at an address that is a thread's number. Of what was built, as old as it
# is, only what that program is in is built again.
. "$(dirname "$0")/lib/live.sh"

top=$(cd "$(dirname "$0")/../.." && pwd)
cp -a "$top/Makefile" "$top/src" "$top/wasi" "$top/tools" "$work"
mkdir -p "$work/build/gcc"
cp -a "$BUILD/src" "$BUILD/gen" "$BUILD/liblkst.a" "$BUILD/liblive.a" "$work/build/gcc"
sed -i '/^LKST_TP(sched_waking,/,/^}/s/= task->pid;/= *(volatile int *)(long)task->pid;/' \
	"$work/src/bpf/events/sched.bpf.c"
# And the one that switches masksets, which also begins the recording: the switch is then made without it.
sed -i '/^int raw_tp__maskset_switch/,/^}/s/ctx->args\[0\]/*(volatile int *)bpf_ktime_get_ns()/' \
	"$work/src/bpf/maskset.bpf.c"
# And the one that lists open files: they are read from /proc then.
sed -i '/^int iter__open_files/,/^}/s/ctx->fd/*(volatile int *)bpf_ktime_get_ns()/' \
	"$work/src/bpf/open_files.bpf.c"
if cmp -s "$work/src/bpf/events/sched.bpf.c" "$top/src/bpf/events/sched.bpf.c" ||
   cmp -s "$work/src/bpf/open_files.bpf.c" "$top/src/bpf/open_files.bpf.c" ||
   cmp -s "$work/src/bpf/maskset.bpf.c" "$top/src/bpf/maskset.bpf.c"; then
	fail rejected_program_is_made 'a program is written otherwise now: fix this test'
	exit 1
fi
if ! make -C "$work" -s -j2 CC=gcc OUT=build BUILD=build/gcc GEN=build/gcc/gen build/gcc/lkst >"$work/log" 2>&1; then
	fail rejected_program_is_made "$(tail -n 3 "$work/log")"
	exit 1
fi
"$work/build/gcc/lkst" record -o "$work/trace" -e sched_switch -e sched_waking -e syscall:close -- sleep 0.1 2>"$work/err"
if grep -q 'sched_waking is not recorded: this kernel rejects its program' "$work/err"; then
	ok rejected_program_costs_a_sentence
else
	fail rejected_program_costs_a_sentence "$(cat "$work/err")"
fi
# lkst doctor finds it out, too, and that the rest can be recorded.
"$work/build/gcc/lkst" doctor --format json >"$work/doctor" 2>"$work/doctor.err"
expect rejected_program_is_known_to_doctor "$? $(grep -c '"loaded":false' "$work/doctor") $(
	sed -n 's/^{"name":"sched_waking".*"recorded":\([a-z]*\),"loaded":\([a-z]*\),.*"why":"\(this kernel rejects its program\).*/\1 \2 \3/p' \
		"$work/doctor") $(cat "$work/doctor.err")" '0 1 false false this kernel rejects its program '
# Why is for developers, and said when they ask.
LKST_DEBUG=1 "$work/build/gcc/lkst" record -o "$work/debug" -e sched_switch -e sched_waking -- true 2>"$work/debug.err"
if grep -q 'invalid mem access' "$work/debug.err" && ! grep -q 'invalid mem access' "$work/err"; then
	ok rejected_program_is_explained_on_request
else
	fail rejected_program_is_explained_on_request "$(tail -n 3 "$work/debug.err")"
fi
if grep -q 'maskset_switch is not recorded: this kernel rejects its program' "$work/err" &&
   ! "$LKST" check --json "$work/trace" | grep -q '"maskset_switch"'; then
	ok rejected_switch_costs_its_record
else
	fail rejected_switch_costs_its_record "$(cat "$work/err")"
fi
expect rejected_list_costs_nothing "$(grep -c open_files "$work/err")" 0
expect open_files_are_read_from_proc "$("$LKST" print --event state_descriptor "$work/trace" | grep -q "owner_pid=$$ " && echo so)" so
if "$LKST" check --json "$work/trace" | grep -q '"sched_switch":[1-9]'; then
	ok the_rest_is_recorded_all_the_same
else
	fail the_rest_is_recorded_all_the_same "$("$LKST" check --json "$work/trace")"
fi
exit $failed
