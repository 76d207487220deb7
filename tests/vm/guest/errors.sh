#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Why system calls fail: the functions that lkst errors shows are, one after the other, those that the kernel's own return
# events say have returned the error, for a program whose errors are known. What is set is removed again, whatever ends the
# command. (I33)
# seconds: 110
. /tests/lib.sh

tracing=/sys/kernel/debug/tracing

if [ ! -e $tracing/kprobe_events ]; then
	echo 'skip errors: this kernel has no kprobe_events'
	exit
fi

mkdir "$work/full"
mount -t tmpfs -o size=128k tmpfs "$work/full"
echo secret >"$work/secret"
chmod 600 "$work/secret"
chmod 755 "$work"

# Runs the program, $@ before it.
fail_known()
{
	rm -f "$work/full/file"
	"$@" "$load/failing" "$work/secret" "$work/full/file"
}

# ---- what is known to fail --------------------------------------------------------------------------

fail_known lkst errors --format csv --output "$work/trace" -- >"$work/answer" 2>"$work/said"
status=$?
cat "$work/said" >&2
expect_none errors_status "$([ $status = 7 ] || echo "$status, not 7; $(cat "$work/said")")"
expect_none errors_says_what_is_watched "$(grep -q '^watching [1-9]' "$work/said" || cat "$work/said")"
tr -d '\r' <"$work/answer" | sed -n '/^call,error/,$p' >"$work/csv"
sed '/^call,error/,$d' "$work/answer" | sort | uniq -c | awk '{ print $2, $3, $1 }' >"$work/known"
# "CALL ERROR TIMES", all functions of the kernel and their chains in one.
awk -F '[,"]' 'NR > 1 { print $1, $2, $3 }' "$work/csv" | awk '{ n[$1 " " $2] += $3 } END { for (i in n) print i, n[i] }' |
	sort >"$work/seen"
# The libraries of the program are looked for, too, with the same error.
sed -i 's/^openat ENOENT [0-9]*$/openat ENOENT 2/' "$work/seen"
expect_none errors_known "$(grep : "$work/known"; while read -r way; do
	grep -qxF "$way" "$work/seen" || echo "$way"
done <"$work/known"; [ "$(wc -l <"$work/known")" -ge 10 ] || echo "$(wc -l <"$work/known") ways")"
cat "$work/csv" >&2
tid=$(sed -n 's/^read,EBADF,.*,\([0-9]*\),failing,.*/\1/p' "$work/csv")
lkst why --tid "$tid" --brief "$work/trace" >"$work/why" 2>&1
expect_none errors_in_why "$(grep -q ' openat() failed with ENOENT: .*do_filp_open, .*first [a-z_.0-9]* said so$' "$work/why" || cat "$work/why")"
lkst probe --list >"$work/list" 2>&1
expect_none errors_ends_its_recording "$(grep -q 'nothing is being recorded' "$work/list" || cat "$work/list")"

# ---- the same by the kernel's own events ------------------------------------------------------------

# Each way to fail: the error, and the functions from the outermost to the first.
awk -F '"' 'NR > 1 { split($1, field, ","); print field[2], (NF > 2 ? $2 : field[4]) }' "$work/csv" | grep ' .' | sort -u >"$work/chains"
for function in $(cut -d ' ' -f 2 "$work/chains" | tr , '\n' | sort -u); do
	echo "r:kr/$(echo "$function" | tr . _) $function ret=\$retval:s64" >>$tracing/kprobe_events
done
for event in kr raw_syscalls sched/sched_process_exec; do
	echo 1 >$tracing/events/$event/enable
done
echo 1 >$tracing/options/event-fork
echo 8192 >$tracing/buffer_size_kb
fail_known sh -c "echo \$\$ >$tracing/set_event_pid; echo 1 >$tracing/tracing_on; exec \"\$@\"" sh >"$work/out"
echo 0 >$tracing/tracing_on
# What a 32-bit result is as a 64-bit one counts, too. Before the program is there it is the shell.
awk -v names='1 EPERM 2 ENOENT 9 EBADF 13 EACCES 14 EFAULT 17 EEXIST 20 ENOTDIR 21 EISDIR 28 ENOSPC' '
	BEGIN { n = split(names, word, " "); for (i = 1; i < n; i += 2) name[word[i]] = word[i + 1] }
	/^#/ { next }
	{ thread = $1; sub(/^.*-/, "", thread) }
	/: sched_process_exec: / { delete way }
	/: sys_enter: / { nr[thread] = 0 }
	/ret=/ {
		ret = $0; sub(/.* ret=/, "", ret)
		if (ret > 2147483647 && ret < 4294967296) ret -= 4294967296
		function_name = $0; sub(/.* <- /, "", function_name); sub(/\).*/, "", function_name)
		if (ret < 0) { i = nr[thread]++; returned[thread, i] = ret; of[thread, i] = function_name }
	}
	/: sys_exit: .* = -/ {
		list = ""
		for (i = 0; i < nr[thread]; i++)
			if (returned[thread, i] == $NF) list = of[thread, i] (list == "" ? "" : ",") list
		if (list != "" && -$NF in name) way[name[-$NF] " " list] = 1
	}
	END { for (i in way) print i }' $tracing/trace | sort >"$work/kernels"
expect_none errors_are_the_kernels "$(diff "$work/chains" "$work/kernels")"
expect_none errors_have_many_functions "$([ "$(tr , '\n' <"$work/chains" | wc -l)" -ge 15 ] || echo "few: $(cat "$work/chains")")"
for event in kr raw_syscalls sched/sched_process_exec; do
	echo 0 >$tracing/events/$event/enable
done
echo >$tracing/set_event_pid
echo >$tracing/kprobe_events

# ---- joining a recording, and ending -----------------------------------------------------------------

# Fails if a probe, or a recording, is left by $1 after a while, or the recording that was there is gone.
expect_left()
{
	local tries=0

	while lkst probe --list >"$work/list" 2>&1 && [ -s "$work/list" ] && [ $tries -lt 300 ]; do
		tries=$((tries + 1))
		sleep 0.2
	done
	expect_none "$1" "$(cat "$work/list")"
}

lkst start --quiet --budget none --buffer 4M --maskset flight
fail_known lkst errors --quiet --call 'mkdir*' --format csv --path 'do_mkdirat,filename_create,getname*' >"$work/answer" 2>"$work/said"
expect_none errors_of_a_call "$(grep -q '^mkdirat,EEXIST,1,"*\(do_mkdirat,\)*filename_create' "$work/answer" &&
	! grep -q '^openat,' "$work/answer" || cat "$work/said" "$work/answer")"
expect_left errors_leaves_no_probe
lkst errors --quiet --path do_filp_open --format csv -- cat /no/such/file 2>/dev/null >"$work/answer"
expect_none errors_of_one_function "$(grep -q '^openat,ENOENT,[0-9]*,do_filp_open,do_filp_open,' "$work/answer" || cat "$work/answer")"
fail_known lkst errors --quiet --path 'do_mkdirat*,filename_cr*' >"$work/answer" 2>"$work/said"
expect_none errors_in_sentences "$(grep -q '^mkdirat failed with EEXIST, once: filename_create said so first' "$work/answer" &&
	grep -q '): dirfd=AT_FDCWD path=/ mode=0x1c0$' "$work/answer" || cat "$work/said" "$work/answer")"
# What the first function was called with: the call's own arguments, by the kernel's names for them.
fail_known lkst errors --quiet --arguments --call 'mkdir*' --path 'do_mkdirat*,filename_create' >"$work/answer" 2>"$work/said"
expect_none errors_with_arguments "$([ "$(grep -c '^    filename_create was called with dfd=-100 name=0xffff[0-9a-f]* path=0xffff[0-9a-f]* ' "$work/answer")" = 2 ] ||
	cat "$work/said" "$work/answer")"
# Only the process that is named, which is there already.
sh -c 'while :; do cat /no/such/file; sleep 0.1; done' 2>/dev/null &
pid=$!
lkst errors --quiet --for 1s --pid $pid --path do_filp_open --format csv >"$work/answer" 2>"$work/said"
kill $pid
wait $pid 2>/dev/null
expect_none errors_of_a_process "$(grep -q '^openat,ENOENT,.*,cat,dirfd=AT_FDCWD path=/no/such/file ' "$work/answer" || cat "$work/said" "$work/answer")"

# Watches the functions $1, until it has said that it does and the signal $2 ends it.
watch_until()
{
	local tries=0

	lkst errors --path "$1" >"$work/answer" 2>"$work/said" &
	pid=$!
	while ! grep -q '^watching' "$work/said" && [ $tries -lt 300 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	sleep 0.2
	kill -$2 $pid
	wait $pid 2>/dev/null
}

# Whatever ends it.
for signal in INT TERM KILL; do
	watch_until 'do_filp_open,vfs_re*' $signal
	expect_left errors_leaves_nothing_after_$signal
done

# ---- as a trigger ------------------------------------------------------------------------------------

# Prints how often trigger $1 has fired.
fired()
{
	lkst trigger list --json | sed 's/},{/}\n{/g' | sed -n "s/.*\"name\":\"$1\".*\"fired\":\([0-9]*\).*/\1/p"
}

lkst trigger add 'errors filename_create,do_mkdirat if ret == -EEXIST' --name exists --rate 1000000/1s >"$work/said" 2>&1
lkst trigger add 'errors filename_create,do_mkdirat' --name any --rate 1000000/1s >>"$work/said" 2>&1
lkst probe --list >"$work/list" 2>&1
expect_none errors_trigger_sets_probes "$([ "$(grep -c '^errors:on_.*_\(int\|long\) ' "$work/list")" = 2 ] || cat "$work/said" "$work/list")"
fail_known >"$work/out"
mkdir "$work/directory"
# Each of the two functions returned either error once: EEXIST and EFAULT.
expect_none errors_trigger_fires "$([ "$(fired exists) $(fired any)" = '2 4' ] || echo "$(fired exists), $(fired any); $(cat "$work/said")")"
lkst snapshot --quiet --output "$work/fired"
expect_none errors_trigger_is_recorded "$(lkst print --event trigger_fired "$work/fired" | grep -q 'exists' || lkst print --event trigger_fired "$work/fired")"
lkst trigger remove exists >"$work/said" 2>&1
lkst probe --list >"$work/list" 2>&1
expect_none errors_trigger_keeps_what_another_needs "$([ "$(grep -c '^errors:on_' "$work/list")" = 2 ] || cat "$work/said" "$work/list")"
fail_known >"$work/out"
expect_none errors_trigger_goes_on "$([ "$(fired any)" = 8 ] || fired any)"
lkst trigger remove any >"$work/said" 2>&1
expect_left errors_trigger_removes_its_probes
lkst trigger add 'errors no_such_function' >"$work/said" 2>&1
expect_none errors_trigger_needs_a_function "$(grep -q 'no function matches' "$work/said" || cat "$work/said")"
lkst trigger add 'errors do_mkdirat if nothing == 1' >"$work/said" 2>&1
expect_none errors_trigger_needs_a_condition "$(grep -q 'nothing' "$work/said" || cat "$work/said")"
expect_left errors_trigger_that_is_refused_leaves_nothing

# ---- of a module, in the same recording --------------------------------------------------------------

if [ -e /libnvdimm.ko ] && insmod /libnvdimm.ko; then
	lkst errors --module libnvdimm --output "$work/module" true >"$work/answer" 2>"$work/said"
	at=$(sed -n 's/^watching \([0-9]*\) functions.*/\1/p' "$work/said")
	have=$(grep '\[libnvdimm\]$' /proc/kallsyms | grep -cE '^[^ ]* [tTwW] ')
	expect_none errors_of_a_module "$([ "${at:-0}" -gt 50 ] && [ "$at" -lt "$have" ] || echo "$at of $have: $(cat "$work/said")")"
	lkst errors --module libnvdimm --path 'vfs_*' true 2>"$work/said"
	expect_none errors_of_that_module_alone "$(grep -q 'no function matches' "$work/said" || cat "$work/said")"
else
	echo 'skip errors_of_a_module: there is no module with types'
fi
if [ -e /lkst_test.ko ] && insmod /lkst_test.ko; then
	lkst errors --module lkst_test true 2>"$work/said"
	# The module was built without types: each function of it is one that may fail, for all that is known.
	nr=$(grep '\[lkst_test\]$' /proc/kallsyms | grep -E '^[^ ]* [tTwW] ' | grep -vcE ' (__pfx_|__cfi_)|\.cold')
	expect_none errors_need_types "$(grep -q "BTF does not tell what $nr of the $nr return\$" "$work/said" || { echo "of $nr: "; cat "$work/said"; })"
	rmmod lkst_test
fi

# ---- what is refused ---------------------------------------------------------------------------------

lkst errors --path no_such_function true 2>"$work/said"
expect_none errors_needs_a_function "$(grep -q 'no function matches' "$work/said" || cat "$work/said")"
lkst errors --path d_can_lookup,inode_owner_or_capable true 2>"$work/said"
expect_none errors_needs_one_that_can_fail "$(grep -q 'no function' "$work/said" || cat "$work/said")"
# Without --path, functions are watched that have the call's name: *sys_CALL, do_CALL*. They are many, so that the kernel
# takes some time to remove what is there, and this is the last of the recording.
fail_known lkst errors --quiet --call 'mkdir*' --format csv >"$work/answer" 2>"$work/said"
expect_none errors_of_a_calls_functions "$(grep -q '^mkdirat,EEXIST,1,"[a-z0-9_,]*sys_mkdirat,do_mkdirat[,"]' "$work/answer" &&
	! grep -q '^openat,' "$work/answer" || cat "$work/said" "$work/answer")"
expect_none errors_leaves_the_recording "$(lkst status 2>&1 >"$work/status"; grep -q recording "$work/status" || cat "$work/status")"
lkst stop --quiet

# ---- a recording of its own ------------------------------------------------------------------------------

watch_until do_filp_open KILL
tries=0
until lkst probe --list 2>&1 | tee "$work/list" | grep -q 'nothing is being recorded' || [ $tries = 300 ]; do
	tries=$((tries + 1))
	sleep 0.2
done
expect_none errors_killed_ends_its_recording "$(grep -q 'nothing is being recorded' "$work/list" || cat "$work/list")"
# A recording that was started for it ends with it, also where nothing can be watched.
lkst errors --path no_such_function true 2>"$work/said"
expect_none errors_refused_leaves_no_recording "$(grep -q 'no function matches' "$work/said" && lkst probe --list 2>&1 |
	grep -q 'nothing is being recorded' || cat "$work/said")"
lkst errors --pid 999999 2>"$work/said"
expect_none errors_needs_a_process "$(grep -q 'no process 999999' "$work/said" || cat "$work/said")"
umount "$work/full"
