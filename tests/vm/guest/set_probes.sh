#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Probes that are set in a recording fetch what the kernel's own kprobe events fetch by the same definitions: registers,
# memory of the kernel and of a program, strings, arrays, bit-fields, results. Both see the same run of one process, and
# their records are compared one by one, in order (rows K01 to K12, K19 and K24 of doc/heritage.md).
# seconds: 16
. /tests/lib.sh

tracing=/sys/kernel/debug/tracing

if [ ! -e $tracing/kprobe_events ]; then
	echo 'skip set_probes: this kernel has no kprobe_events'
	exit
fi
# Registers of a function's first three arguments.
case $(uname -m) in
aarch64) a=x0 b=x1 c=x2 ;;
*) a=di b=si c=dx ;;
esac

# What follows "GROUP/" in a definition.
definitions()
{
	grep . <<END
p rd vfs_read file=%$a count=%$c:u64 small=%$c:u8
p open do_sys_openat2 dfd=%$a:s32 flags=+0(%$c):x64 mode=+8(%$c):u16 name=+u0(%$b):ustring
p words do_sys_openat2 how=+0(%$c):u32[2] some=+0(%$c):b4@12/32
r got vfs_read ret=\$retval:s64
p stack vfs_write top=\$stack0 next=\$stack1 sp=\$stack
p comm vfs_write who=\$comm
$(grep -q '%pd' $tracing/README && echo "p named vfs_read name=%$a:%pD")
p bad vfs_write nothing=+0(+0(%$c)):u64 count=%$c:u64
END
}

# Waits until the kernel has no probe any more: newer kernels take away what was attached a little later, after grace
# periods of RCU, and those of a test before this one in the same guest may be thousands.
wait_for_none()
{
	tries=0
	while [ -n "$(cat /sys/kernel/debug/kprobes/list)" ] && [ $tries -lt 1200 ]; do
		sleep 0.25
		tries=$((tries + 1))
	done
	cat /sys/kernel/debug/kprobes/list
}

expect_none set_probes_begins_with_none "$(wait_for_none)"
lkst start --quiet --budget none --buffer 4M --event sched_process_exec
definitions | while read -r kind name rest; do
	echo "$kind:kp/$name $rest" >>$tracing/kprobe_events || fail "set_probes_kernel_takes_$name" "$rest"
	echo "$kind:my/$name $rest"
done >"$work/probes"
echo "p:my/cond vfs_read count=%$c:u64 if count == 12345" >>"$work/probes"
lkst probe --quiet --file "$work/probes" >"$work/said" 2>&1
expect_none set_probes_takes_all "$(cat "$work/said")"

echo 1 >$tracing/events/kp/enable
sh -c "echo \$\$ >$tracing/set_event_pid; echo \$\$ >$work/pid; echo 1 >$tracing/tracing_on
	exec dd if=$0 of=$work/out bs=1234 count=9" 2>/dev/null
sh -c "echo \$\$ >$work/pid2; exec dd if=/dev/zero of=/dev/null bs=12345 count=3" 2>/dev/null
echo 0 >$tracing/tracing_on
cp $tracing/trace "$work/ftrace"
lkst snapshot --quiet --output "$work/trace"
lkst print --event 'my:*' "$work/trace" >"$work/print"

# EVENT VALUES, a line for each record of one of the events; from where the kernel was told to trace until the end.
pid=$(cat "$work/pid")
# Where it could not read, the kernel prints what its buffer had there before.
sed -n "s/^.*-$pid *\[.*: \([a-z]*\): ([^)]*) /\1 /p" "$work/ftrace" |
	sed 'y/{}/[]/; s/^bad nothing=[0-9]* /bad nothing=(fault) /' >"$work/want"
sed -n "s|^[^ ]* \[[0-9]*\] *$pid/.* my:\([a-z]*\): __probe_[a-z_]*=[^ ]* |\1 |p" "$work/print" | grep -v '^cond ' >"$work/got"
for event in rd open words got stack comm bad $(grep -q '%pd' $tracing/README && echo named); do
	grep "^$event " "$work/want" >"$work/want1"
	n=$(wc -l <"$work/want1")
	# The shell has said that it is to be traced before that was so: it may have more before.
	grep "^$event " "$work/got" | tail -n "$n" >"$work/got1"
	if [ "$n" -gt 0 ] && cmp -s "$work/want1" "$work/got1"; then
		ok "set_probes_${event}_as_the_kernel"
	else
		fail "set_probes_${event}_as_the_kernel" "$n records: $(diff "$work/want1" "$work/got1" | head -n 4)"
	fi
done
n=$(grep -c "$(cat "$work/pid2")/dd .*my:cond: .*count=12345$" "$work/print")
expect_none set_probes_condition "$([ "$n" = 3 ] || echo "$n records")"
expect_none set_probes_condition_drops "$(grep my:cond "$work/print" | grep -v 'count=12345$')"
lkst probe --quiet 'p:my/refused notify_die' >"$work/said" 2>&1
expect_none set_probes_refuses_by_name "$(grep -q 'nobody set a probe in notify_die' "$work/said" || cat "$work/said")"
lkst probe --quiet 'p:my/none no_such_function' >"$work/said" 2>&1
expect_none set_probes_needs_a_function "$(grep -q 'no_such_function' "$work/said" || cat "$work/said")"

# In a program. Before Linux 6.10 that is refused where the kernel may preempt the probe's program.
lkst probe -x /load/probed -D "up:step=probed_step n=%$a:u32 twice=%$b:u64" | sed 's/ *#.*//' >"$work/uprobe"
if ! lkst probe --quiet -x /load/probed "my:step=probed_step n=%$a:u32 twice=%$b:u64" 2>"$work/said"; then
	expect_none set_probes_refuses_programs_with_a_reason "$(grep -q 'may preempt a program' "$work/said" || cat "$work/said")"
elif ! cat "$work/uprobe" >>$tracing/uprobe_events; then
	fail set_probes_in_a_program "the kernel does not take $(cat "$work/uprobe")"
else
	echo >$tracing/trace
	echo >$tracing/set_event_pid
	echo 1 >$tracing/events/up/enable
	echo 1 >$tracing/tracing_on
	/load/probed 100
	echo 0 >$tracing/tracing_on
	echo 0 >$tracing/events/up/enable
	sed -n 's/^.*: step: ([^)]*) //p' $tracing/trace >"$work/want"
	lkst snapshot --quiet --output "$work/trace2"
	lkst print --event my:step "$work/trace2" | sed 's/.*__probe_ip=[^ ]* //' >"$work/got"
	# What one costs was measured before it was attached: that is no hit.
	expect_none set_probes_measures_programs "$(lkst status --json | grep -q '"measured":[^]]*"uprobe","uprobe_emulated","uretprobe"' ||
		lkst status --json | grep -o '"measured":[^}]*')"
	hits=$(lkst probe --list --format json my:step | sed 's/.*"hits":\([0-9]*\).*/\1/')
	expect_none set_probes_counts_hits_alone "$([ "$hits" = 100 ] || echo "$hits hits")"
	n=$(wc -l <"$work/want")
	expect_none set_probes_in_a_program "$([ "$n" = 100 ] && cmp "$work/want" "$work/got" 2>&1 ||
		echo "$n records: $(diff "$work/want" "$work/got" | head -n 4)")"
	echo >$tracing/uprobe_events
fi

# Inside the first instruction of a function. There is no debug information: lkst decodes what the kernel's memory has. (K20)
lkst probe 'p:my/inside vfs_read+1' >"$work/said" 2>&1
expect_none set_probes_at_instructions "$(grep -q 'vfs_read+1 is within an instruction: the nearest begin at +0 and +[45]$' "$work/said" ||
	cat "$work/said")"
expect_none set_probes_at_the_next_instruction "$(lkst probe -D 'vfs_read%next' 2>&1 | grep -v '^p:probe/vfs_read vfs_read+[45]\( \|$\)')"
# Where there is a probe already, memory has its breakpoint, and the kernel decides. (After ENDBR there is the call of ftrace,
# which is no breakpoint.)
if [ "$(uname -m)" = x86_64 ]; then
	lkst probe -D 'vfs_write%next' | grep -q '+4 ' && next=9 || next=5
	lkst probe --quiet "p:my/next vfs_write+$next" >"$work/said" 2>&1 || fail set_probes_takes_an_offset "$(cat "$work/said")"
	# The instruction has some bytes.
	for byte in 1 2 3 4 5 6; do
		lkst probe "p:my/inside vfs_write+$((next + byte))" >"$work/said" 2>&1 || break
		lkst probe --quiet --del my:inside
	done
	expect_none set_probes_at_instructions_near_others "$(grep -q 'is left to the kernel: it looks as if there were probes in vfs_write' "$work/said" &&
		grep -q 'an instruction does not begin there' "$work/said" || cat "$work/said")"
	lkst probe --quiet --del my:next
fi
echo 0 >$tracing/events/kp/enable
echo >$tracing/kprobe_events

# The number of returns at once is for the kernel's own events alone: it is one of these.
lkst probe --quiet 'r16:my/max vfs_read ret=$retval:s64' >"$work/said" 2>&1
expect_none set_probes_takes_maxactive "$(grep -q '^r16:lkst_probes/[a-z0-9_]* vfs_read' $tracing/kprobe_events || cat "$work/said" $tracing/kprobe_events)"
dd if=/dev/zero of=/dev/null bs=4321 count=5 2>/dev/null
lkst snapshot --quiet --output "$work/trace3"
n=$(lkst print --event my:max "$work/trace3" | grep -c '/dd .*ret=4321$')
expect_none set_probes_maxactive_records "$([ "$n" = 5 ] || echo "$n records")"
lkst probe --quiet --del my:max
expect_none set_probes_maxactive_leaves_nothing "$(cat $tracing/kprobe_events)"

# Probes that were saved where the kernel's file is, and is not here: by its types, and by its debug information if there is some.
if [ -s /saved_probes ]; then
	lkst probe --quiet --saved /saved_probes >"$work/said" 2>&1
	dd if=/dev/zero of=/dev/null bs=777 count=4 2>/dev/null
	lkst snapshot --quiet --output "$work/trace4"
	lkst print --event 'saved:*' "$work/trace4" | grep '/dd ' >"$work/print"
	for want in rd:count got:arg1 $(grep -q saved/line /saved_probes && echo line:count); do
		n=$(grep -c "saved:${want%:*}: .* ${want#*:}=777$" "$work/print")
		expect_none "set_probes_saved_${want%:*}" "$([ "$n" = 4 ] || echo "$n records; $(cat "$work/said")")"
	done
	sed 's/^build-id: [0-9a-f]*/build-id: 0123456789abcdef/' /saved_probes >"$work/other"
	lkst probe --force --saved "$work/other" >"$work/said" 2>&1
	expect_none set_probes_saved_of_another_build "$(grep -q 'has probes of build-id' "$work/said" || cat "$work/said")"
else
	echo 'skip set_probes_saved: probes are saved for x86-64 only'
fi
lkst stop --quiet
expect_none set_probes_leaves_nothing "$(wait_for_none)"

# lkst record sets them, too: at one function, at many, at a return, restricted to what the command does.
lkst record --quiet --tree --output "$work/recorded" --probe "p:my/rd vfs_read count=%$c:u64" \
	--probe 'r:my/got vfs_read ret=$retval:s64' --probe 'p:my/many vfs_re*' --event 'probe:*' -- \
	dd if=/dev/zero of=/dev/null bs=12345 count=7 >"$work/said" 2>&1
lkst print --event 'my:*' "$work/recorded" >"$work/print" 2>>"$work/said"
for what in 'my:rd: .*count=12345$' 'my:got: .*ret=12345$' 'my:many: .*__probe_func=vfs_read$'; do
	n=$(grep '/dd ' "$work/print" | grep -c "$what")
	# The loader reads, too.
	expect_none "set_probes_record_$(echo "$what" | sed 's/my:\([a-z]*\).*/\1/')" \
		"$([ "$n" -ge 7 ] && [ "$n" -le 12 ] || echo "$n records; $(cat "$work/said")")"
done
expect_none set_probes_record_exactly "$([ "$(grep -c 'my:rd: .*count=12345$' "$work/print")" = 7 ] || grep my:rd "$work/print")"
expect_none set_probes_record_leaves_nothing "$(wait_for_none)"
