#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst event list --btf, for a kernel that runs elsewhere: with this one's own types it says what the kernel itself lets
# be recorded; with others what is missing; and what a file is that has none.

set -u
. "$(dirname "$0")/lib/live.sh"

types=/sys/kernel/btf/vmlinux
[ -r $types ] || skip_all 'elsewhere: this kernel has no type information'

# The events that $1 lists as recorded by a hook, one a line.
recorded()
{
	python3 -c '
import json, sys
for line in sys.stdin:
    event = json.loads(line)
    if event["hook"] in ("tracepoint", "kprobe", "kretprobe", "perf event"):
        print(event["name"], event["hook"])' <"$1"
}

"$LKST" event list --json >"$work/here" && "$LKST" event list --btf $types --json >"$work/there" ||
	fail elsewhere_lists "$(tail -n 1 "$work/there")"
recorded "$work/here" | sort >"$work/here.events"
recorded "$work/there" | sort >"$work/there.events"
expect elsewhere_knows_many "$([ "$(wc -l <"$work/there.events")" -gt 50 ] && echo yes)" yes
expect elsewhere_says_of_this_kernel_what_it_says "$(diff "$work/here.events" "$work/there.events")" ''
expect elsewhere_needs_no_root "$(setpriv --reuid 65534 --clear-groups --inh-caps=-all "$LKST" event list --btf $types --json 2>&1 |
	cmp - "$work/there")" ''
expect elsewhere_sums_up "$("$LKST" event list --btf $types | grep -c '^[0-9]* of [0-9]* events can be recorded, and system')" 1
expect elsewhere_lists_what_matches "$("$LKST" event list --btf $types 'sched:*' --json | sed 's/.*"group":"\([a-z]*\)".*/\1/' | sort -u)" sched

# A kernel whose sched_switch has other arguments, and which has no sched_wakeup.
if "$load/fake_btf" $types "$work/btf"; then
	"$LKST" event list --btf "$work/btf" 'sched*' >"$work/other" || fail elsewhere_lists_another "$(tail -n 1 "$work/other")"
	expect elsewhere_tells_other_arguments "$(grep -c \
		'^sched_switch .*not on that kernel .*argument 3 is "bool" in this kernel, not "struct task_struct \*"' "$work/other")" 1
	expect elsewhere_tells_what_is_missing "$(grep -c \
		'^sched_wakeup .*not on that kernel .*this kernel has no tracepoint sched_wakeup' "$work/other")" 1
	expect elsewhere_leaves_the_rest "$(grep -c '^sched_waking .* tracepoint ' "$work/other")" 1
else
	fail fake_btf 'it could not be made'
fi

# What is no kernel's types: a sentence that says what it is, and a status.
head -c 5000 $types >"$work/cut"
printf '#!/bin/sh\n' >"$work/script"
for file in cut:'is cut off or damaged' script:'is neither BTF nor an ELF file' none:'No such file' .:'is no regular file'; do
	name=${file%%:*}
	"$LKST" event list --btf "$work/${file%%:*}" >"$work/out" 2>"$work/err"
	expect "elsewhere_refuses_${name}" "$? $(grep -c "$work/${file%%:*}.*${file#*:}" "$work/err") $(wc -l <"$work/err")" '1 1 1'
done
"$LKST" event list --btf "$LKST" 2>"$work/err"
expect elsewhere_refuses_a_program "$? $(grep -c 'is an ELF file without whole type information' "$work/err")" '1 1'
"$LKST" event show sched_switch --btf $types 2>"$work/err"
expect elsewhere_is_of_lists "$? $(grep -c 'lkst event list --btf' "$work/err")" '1 1'

exit $failed
