#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Triggers: the handler is loaded for every kind of program, and fires at what a machine that is used can't be
# asked for: a disk that is slow beside one that is not, and memory that runs out.
# seconds: 28
. /tests/lib.sh

# Prints how often trigger $1 has fired.
fired()
{
	lkst trigger list --json | sed 's/},{/}\n{/g' | sed -n "s/.*\"name\":\"$1\".*\"fired\":\([0-9]*\).*/\1/p"
}

# add NAME CONDITION
add()
{
	if lkst trigger add "$2" --name "$1" --rate 1000000/1s >"$work/add" 2>&1; then
		ok "triggers_add_$1"
	else
		fail "triggers_add_$1" "$(cat "$work/add")"
	fi
}

expect_is()
{
	if [ "$2" = "$3" ]; then ok "$1"; else fail "$1" "it is \"$2\", not \"$3\""; fi
}

# The device number of the disk with serial number $1, as a record has it, and its name.
find_disk()
{
	local disk

	for disk in /sys/block/nvme*; do
		if grep -q "^$1" "$disk/device/serial"; then
			name=${disk##*/}
			dev=$(($(sed 's/:.*//' "$disk/dev") << 20 | $(sed 's/.*://' "$disk/dev")))
		fi
	done
}

expect_start triggers_start --maskset RDEFAULT --budget none
before=$(ls /sys/fs/bpf/lkst)
# Of each kind of program: with strings, by functions, their returns, tracepoints, for others' sake.
add calls 'syscall:* result == -EDOM'
add returns 'page_fault_exit result == 0x10000000'
add functions 'do_wp_page address == 1'
add pairs 'folio_wait_bit .. sched_switch > 1h'
add names 'sched_process_exec filename == "/no"'
add waits 'sched_switch next_comm == "nobody" and wait > 60s'
add memory oom_kill

if has_event printk; then
	add errors 'printk level <= 3'
	echo '<6>lkst: this is nothing' >/dev/kmsg
	before_error=$(fired errors)
	echo '<3>lkst: this is an error' >/dev/kmsg
	expect_is triggers_errors_alone "$before_error $(fired errors)" '0 1'
	lkst snapshot --quiet --output "$work/printed"
	lkst print --format json --event printk --event printk_console "$work/printed" >"$work/records"
	expect_is printk_levels "$(fields_of printk | sed -n 's/.*"level":\([0-9]\).*%s.*/\1/p' | tr '\n' ' ')" '6 3 '
	echo 'checked printk'
	lkst trigger remove errors
else
	echo 'skip triggers_errors_alone: no function is hooked here'
fi

# A panic is known by what the kernel says. All that it does besides is in tests/vm/crash.
add panics 'panic reason == "lkst only*"'
echo '<0>Kernel panic - not syncing' >/dev/kmsg
echo '<0>Kernel panic - not syncing: another' >/dev/kmsg
before_panic=$(fired panics)
echo '<0>Kernel panic - not syncing: lkst only says so' >/dev/kmsg
expect_is triggers_panics_by_their_reason "$before_panic $(fired panics)" '0 1'
lkst trigger remove panics

find_disk slow
slow=/dev/$name
add slow "block_rq_complete latency > 40ms and dev == $dev"
find_disk fast
add fast "block_rq_complete latency > 10s and dev == $dev"
add nowhere 'block_rq_complete latency > 60s'
# Requests of a page each, that are there at once: however slow the guest is, the disk is slower.
echo 4 >"/sys/block/${slow##*/}/queue/max_sectors_kb"
dd if="$slow" of=/dev/null bs=4k count=40 2>/dev/null
dd if=/dev/$name of=/dev/null bs=4k count=40 2>/dev/null
lkst snapshot --quiet --output "$work/trace"
lkst print --format json --event trigger_fired "$work/trace" >"$work/fired"
expect_none triggers_slow_disk_fires "$([ "$(fired slow)" -ge 1 ] || lkst trigger list)"
expect_none triggers_with_what_it_took "$(sed -n 's/.*"value":\([0-9]*\).*"name":"slow".*/\1/p' "$work/fired" |
	awk '$1 <= 40000000 || $1 > 100000000000; END { if (!NR) print "none" }')"
expect_is triggers_other_disks_do_not "$(fired fast) $(fired nowhere)" '0 0'

# A disk that sends each request back once: the first time that it is issued counts. One that was sent back before
# counts as issued once, and not since the request that had its structure before. What was measured is compared with
# the records.
if [ -e /lkst_blk.ko ] && insmod /lkst_blk.ko 2>"$work/insmod"; then
	dev=$(sed 's/:/ /' /sys/block/lkst_blk/dev | awk '{ print $1 * 1048576 + $2 }')
	add again "block_rq_complete latency >= 1ns and dev == $dev"
	for i in 1 2 3 4 5 6; do
		dd if=/dev/lkst_blk of=/dev/null bs=4k count=1 skip=$((8 * i)) 2>/dev/null
	done
	lkst snapshot --quiet --output "$work/again"
	lkst print --format json --event 'block_rq_*' --event trigger_fired "$work/again" >"$work/records"
	sed -n 's/.*"value":\([0-9]*\).*"name":"again".*/\1/p' "$work/records" | sort -n >"$work/measured"
	awk -v "dev=$dev" '
		function field(name)
		{
			if (!match($0, "\"" name "\":[0-9]*"))
				return ""
			return substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3)
		}
		field("dev") != dev { next }
		/"event":"block_rq_issue"/ && !(field("rq") in from) { from[field("rq")] = field("ns") }
		/"event":"block_rq_requeue"/ { back++ }
		/"event":"block_rq_complete"/ && (field("rq") in from) {
			print field("ns") - from[field("rq")]
			delete from[field("rq")]
		}
		END { print back + 0 > "/dev/stderr" }' "$work/records" 2>"$work/back" | sort -n >"$work/took"
	expect_is triggers_requests_are_sent_back "$(($(cat "$work/back") >= 6 && $(wc -l <"$work/took") >= 6))" 1
	expect_is triggers_first_try_counts "$(cat "$work/measured")" "$(cat "$work/took")"
	lkst trigger remove again
	rmmod lkst_blk
else
	echo "skip triggers_first_try_counts: the module was not built for this kernel: $(cat "$work/insmod" 2>/dev/null)"
fi

mkdir "$work/cgroup"
if mount -t cgroup2 none "$work/cgroup" && mkdir "$work/cgroup/small" 2>/dev/null &&
   { echo +memory >"$work/cgroup/cgroup.subtree_control"; } 2>/dev/null &&
   { echo 8M >"$work/cgroup/small/memory.max"; } 2>/dev/null; then
	sh -c "echo 0 >$work/cgroup/small/cgroup.procs; exec dd if=/dev/zero of=/dev/null bs=32M count=1" 2>/dev/null
	expect_is triggers_memory_runs_out "$(fired memory)" 1
else
	echo 'skip triggers_memory_runs_out: there is no memory controller'
fi
umount "$work/cgroup"

expect_is triggers_others_do_not_fire "$(for name in calls returns functions pairs names waits; do fired $name; done | sort -u)" 0
expect_whole triggers_trace_is_whole "$work/trace"
lkst trigger remove calls returns functions pairs names waits memory slow fast nowhere
expect_is triggers_leave_nothing "$(ls /sys/fs/bpf/lkst)" "$before"
lkst stop --quiet
