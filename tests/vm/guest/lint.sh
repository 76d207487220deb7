#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lkst lint finds nothing in what a sound kernel does, with all that its rules look at recorded: takes and
# releases of locks, memory, timers, work, interrupts and switches. In what a module does that breaks the
# rules, once each, it finds that and nothing else.
# boot:
# seconds: 18
. /tests/lib.sh

# record TRACE COMMAND: records what the rules look at while the shell runs the command.
record()
{
	lkst record --quiet --buffer 32M --event 'lock:*' --event 'memory:k*' --event 'timer:*' --event 'workqueue:*' \
		--event 'irq:*' --event 'sched:*' --event 'syscall:*' --output "$work/$1" -- sh -c "$2" >/dev/null 2>"$work/notes"
}

if record trace '/load/calls; sleep 0.5'; then
	ok lint_trace_is_recorded
else
	fail lint_trace_is_recorded "$(cat "$work/notes")"
fi
expect_whole lint_trace_is_whole "$work/trace"
expect_recorded lint_trace_has_what_rules_need spin_lock spin_unlock kmalloc kfree kmem_cache_free timer_start \
	softirq_entry sched_switch
# What lint declines with good reason: a thread's timer, say, was set while that program was running already.
declined='the kernel skipped its program\|with PREEMPT_RT'
lkst lint "$work/trace" >"$work/found" 2>"$work/notes"
status=$?
if [ $status = 0 ] && [ "$(cat "$work/found")" = '0 found' ]; then
	ok lint_finds_nothing_in_a_sound_kernel
else
	fail lint_finds_nothing_in_a_sound_kernel "status $status: $(cat "$work/notes" "$work/found")"
fi
# The rules must have been applied.
if has_event spin_lock; then
	expect_none lint_applies_its_rules "$(grep 'not applied' "$work/notes" | grep -v "$declined")"
else
	echo 'skip lint_applies_its_rules: this kernel builds locks into their callers'
fi

if [ ! -e /lkst_lint.ko ]; then
	echo 'skip lint_finds_what_a_module_does: the module was not built for this kernel'
	exit
fi
if record bad 'insmod /lkst_lint.ko; sleep 0.2'; then
	ok lint_bad_trace_is_recorded
else
	fail lint_bad_trace_is_recorded "$(cat "$work/notes")"
fi
expect_whole lint_bad_trace_is_whole "$work/bad"
lkst lint --format json "$work/bad" >"$work/found"
status=$?
sed 's/.*"notes":\["*//; s/"*\]}$//; s/","/\n/g' "$work/found" >"$work/notes"
grep -o '"kind":"[a-z-]*"' "$work/found" | cut -d '"' -f 4 | sort >"$work/rules"
wanted=0
for rule in use-after-free double-free sleep lock-kept lock-stranger lock-order; do
	if grep -q "rule $rule is not applied.*\($declined\)" "$work/notes"; then
		echo "skip lint_finds_$rule: $(grep "rule $rule is" "$work/notes")"
		continue
	fi
	if [ $rule = lock-order ] && grep -q PREEMPT_RT /proc/version; then
		echo "skip lint_finds_$rule: this kernel has built releases of raw locks into their callers, so that" \
			'other locks seem to be held around both'
		sed -i "/^$rule\$/d" "$work/rules"
		continue
	fi
	wanted=$((wanted + 1))
	n=$(grep -cx $rule "$work/rules")
	if [ "$n" = 1 ]; then
		ok "lint_finds_$rule"
	else
		fail "lint_finds_$rule" "$n times: $(lkst lint --rule $rule "$work/bad" 2>&1)"
	fi
done
if [ $status = 1 ] && [ "$(wc -l <"$work/rules")" = $wanted ]; then
	ok lint_finds_nothing_else
else
	fail lint_finds_nothing_else "status $status: $(lkst lint "$work/bad" 2>&1)"
fi
