#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lkst inject: the calls that are named fail with the error that is named, and no others: what the program sees, what
# the trace has and what the command counts agree. It is off unless the configuration allows it, and ends with its
# time, with its command and with the recording, also when the command is stopped (rows I34 and I35 of
# doc/heritage.md). The function is a hook of security modules. Debian's kernels have no list of others: system calls, and
# what else is on that list, fail in the kernel that tools/build-kernel makes, and so do functions of programs.
# seconds: 40
. /tests/lib.sh

hook=security_inode_mkdir
conf=/etc/lkst/lkst.conf
said=$work/said

# expect_refusal NAME TEXT ARGUMENTS...: lkst inject does not begin, and says why.
expect_refusal()
{
	name=$1 text=$2
	shift 2
	if lkst inject "$@" >"$said" 2>&1; then
		fail "inject_$name" "it was not refused: $(cat "$said")"
	else
		expect_none "inject_$name" "$(grep -qF "$text" "$said" || cat "$said")"
	fi
}

# Arms the injection $* in the background, and waits until it is: $armed is the process. It must not expire on a busy
# machine.
arm()
{
	case $* in *' for '*) ;; *) set -- "$@" for 1h ;; esac
	rm -f "$said" # or what the one before said would be taken for this one's
	lkst inject "$@" >"$said" 2>&1 &
	armed=$!
	until grep -q '^armed:' "$said" 2>/dev/null; do
		kill -0 $armed 2>/dev/null || {
			fail inject_arms "$*: $(cat "$said")"
			return 1
		}
		sleep 0.1
	done
}

# expect_failures NAME NUMBER WANT: of so many calls those fail that WANT names, "CALL ERRNO" each.
expect_failures()
{
	got=$(echo $("$load/mkdirs" "$2" | sed '$d'))
	expect_none "inject_$1" "$([ "$got" = "$3" ] || echo "failed: $got, and not $3")"
}

# expect_end NAME TEXT: the command ends by itself and says this.
expect_end()
{
	wait $armed
	expect_none "inject_$1" "$(grep -qF "$2" "$said" || cat "$said")"
}

# The values of field $1 of the injections in trace $2, in order.
values()
{
	lkst print --format json --event 'inject:*' "$2" | sed -n "s/.*\"$1\":\(-\{0,1\}[0-9]*\)[,}].*/\1/p"
}

# ---- it is off ----
rm -rf /etc/lkst
expect_refusal without_configuration "write the line \"inject = allowed\" to $conf" "$hook return -ENOSPC comm mkdirs"
mkdir -p /etc/lkst
echo 'inject = no' >$conf
expect_refusal if_not_allowed "write the line \"inject = allowed\" to $conf" "$hook return -ENOSPC comm mkdirs"
echo 'inject = perhaps' >$conf
expect_refusal if_misspelt 'inject is allowed or no, not "perhaps"' "$hook return -ENOSPC comm mkdirs"
echo 'inject = allowed' >$conf
chmod 666 $conf
expect_refusal if_others_may_allow_it 'others than root may write' "$hook return -ENOSPC comm mkdirs"
chmod 644 $conf
expect_refusal without_recording 'nothing is being recorded' "$hook return -ENOSPC comm mkdirs"

lkst start --quiet --budget none --buffer 4M --event sched_process_exec --config $conf ||
	fail inject_key_is_no_error_of_start "it is"
if ! arm "$hook return -ENOSPC comm mkdirs call 5"; then
	lkst stop --quiet
	exit
fi

# ---- which calls ----
expect_failures call 20 '5 28'
expect_end ends_by_times 'that was as often as it was to be: 1 injected in'
arm "$hook return -EDQUOT comm mkdirs every 3 times 2"
expect_failures every 20 '3 122 6 122'
expect_end ends_by_times_too '2 injected in'
arm "$hook return -EPERM comm mkdirs call 4 every 5 times 3"
expect_failures call_and_every 30 '4 1 9 1 14 1'
wait $armed
arm "$hook return -EIO comm mkdirs from vfs_mkdir call 2"
expect_failures from 5 '2 5'
wait $armed
arm "$hook return -EIO comm mkdirs under do_mkdirat call 3"
expect_failures under 5 '3 5'
wait $armed
arm "$hook return -EIO comm mkdirs from do_mkdirat"
expect_failures from_is_direct 5 ''
kill $armed
expect_end ends_by_signal 'a signal came: 0 injected in 0 calls'
arm "$hook return -EIO comm somebody"
expect_failures comm 5 ''
kill $armed
wait $armed
arm "$hook return -EIO pid $$"
expect_failures pid 5 ''
kill $armed
wait $armed
sh -c "echo \$\$ >$work/pid; until [ -e $work/go ]; do sleep 0.1; done; exec $load/mkdirs 3" >"$work/out" &
meant=$!
until [ -s "$work/pid" ]; do sleep 0.1; done
arm "$hook return -EIO pid $(cat "$work/pid")"
touch "$work/go"
wait $meant
expect_none inject_pid_is_meant "$(grep -qx 'failed 3' "$work/out" || cat "$work/out")"
expect_end ends_with_the_process 'the process has ended: 3 injected in 3 calls'

# ---- no trigger sees it, which is said ----
lkst trigger add "inject:$hook" >"$said" 2>&1
expect_none inject_fires_no_trigger "$(grep -q "is asked about inject:$hook" "$said" || cat "$said")"

# ---- what is recorded ----
lkst snapshot --quiet --output "$work/trace"
expect_whole inject_trace_is_whole "$work/trace"
expect_none inject_records_values "$([ "$(echo $(values value "$work/trace"))" = '-28 -122 -122 -1 -1 -1 -5 -5 -5 -5 -5' ] ||
	lkst print --event 'inject:*' "$work/trace")"
expect_none inject_records_calls "$([ "$(echo $(values call "$work/trace"))" = '5 3 6 4 9 14 2 3 1 2 3' ] || values call "$work/trace")"
expect_none inject_records_numbers "$([ "$(echo $(values nr "$work/trace"))" = '1 1 2 1 2 3 1 1 1 2 3' ] || values nr "$work/trace")"
lkst print --format json --event 'inject:*' "$work/trace" >"$work/records"
expect_none inject_records_callers "$(grep -v '"caller":"[^"]*vfs_mkdir+' "$work/records" | head -n 1)"

# ---- probability ----
# Of 10000 with 50 % it is fewer than 4500, or more than 5500, once in 10^23 times.
arm "$hook return -EAGAIN comm mkdirs probability 50%"
"$load/mkdirs" 10000 >"$work/out"
kill $armed
wait $armed
seen=$(sed -n 's/^failed //p' "$work/out")
expect_none inject_probability "$([ "$seen" -gt 4500 ] && [ "$seen" -lt 5500 ] || echo "$seen of 10000")"
expect_none inject_all_are_with_that_error "$(sed '$d' "$work/out" | grep -v ' 11$' | head -n 1)"
expect_none inject_counts_what_is_seen "$(grep -q ": $seen injected in 10000 calls" "$said" || cat "$said")"
lkst snapshot --quiet --output "$work/many"
nr=$(values value "$work/many" | grep -cx -- -11)
expect_none inject_each_is_a_record "$([ "$nr" = "$seen" ] || echo "$nr records of $seen")"
values call "$work/many" | tail -n "$seen" >"$work/calls"
expect_none inject_each_has_its_call "$(sed -n 's/ 11$//p' "$work/out" | cmp - "$work/calls" 2>&1)"

# ---- its end ----
arm "$hook return -EIO comm mkdirs for 2s"
kill -STOP $armed
sleep 3
expect_failures expires_while_stopped 5 ''
kill -CONT $armed
expect_end says_that_it_expired 'its time is over'
arm "$hook return -EIO comm mkdirs"
expect_failures is_armed 2 '1 5 2 5'
kill -KILL $armed
wait $armed 2>/dev/null
expect_failures is_killed 5 ''
# Its state is what it could not take back: whoever looks next does.
expect_none inject_killed_is_not_listed "$(lkst inject --list | grep "$armed")"
expect_none inject_killed_leaves_nothing "$(ls /sys/fs/bpf/lkst | grep '^injection-')"
arm "$hook return -EIO comm mkdirs"
expect_none inject_is_listed "$(lkst inject --list --json | grep -q "\"pid\":$armed,.*\"injection\":\"$hook return -EIO comm mkdirs for 1h\"" ||
	lkst inject --list)"
expect_none inject_disarms "$(lkst inject --disarm | grep -vx '1 disarmed')"
expect_failures is_disarmed 5 ''
expect_end says_that_it_was_disarmed 'it was disarmed'
arm "$hook return -EIO comm mkdirs"
expect_refusal lkst_itself "process $armed is one of lkst" "$hook return -EIO pid $armed"
kill -STOP $armed
lkst stop --quiet
expect_failures ends_with_the_recording 5 ''
kill -CONT $armed
wait $armed
expect_none inject_none_is_left "$(lkst inject --list --json)"

# ---- functions on the kernel's list, system calls among them ----
if [ ! -e /sys/kernel/debug/error_injection/list ]; then
	echo 'skip inject_system_calls: this kernel was built without CONFIG_FUNCTION_ERROR_INJECTION (tools/build-kernel makes one)'
else
	lkst start --quiet --budget none --buffer 4M --event 'syscall_*_mkdir' --config $conf ||
		fail inject_records_system_calls "it does not start"
	arm 'mkdir return -ENOSPC comm mkdirs call 5'
	expect_failures system_call 20 '5 28'
	expect_end system_call_ends '1 injected in'
	arm 'mkdir return -EROFS comm mkdirs every 3 times 2'
	expect_failures system_call_every 20 '3 30 6 30'
	wait $armed
	# Requests for a disk. All of them: the kernel reads ahead, and asks again for what is needed.
	echo 3 >/proc/sys/vm/drop_caches
	arm 'should_fail_bio return -EIO comm dd'
	expect_none inject_disk_fails "$(dd if=/dev/nvme0n1 of=/dev/null bs=4096 count=1 2>/dev/null && echo 'it was read')"
	kill $armed
	expect_end disk_ends 'a signal came: '
	expect_none inject_disk_fails_each_time "$(grep -Eq ': ([1-9][0-9]*) injected in \1 calls' "$said" || cat "$said")"
	expect_none inject_disk_is_well_again "$(dd if=/dev/nvme0n1 of=/dev/null bs=4096 count=1 2>&1 | grep -i error)"
	arm 'mkdir return -EIO comm mkdirs probability 50%'
	"$load/mkdirs" 10000 >"$work/out"
	kill $armed
	wait $armed
	seen=$(sed -n 's/^failed //p' "$work/out")
	expect_none inject_system_call_probability "$([ "$seen" -gt 4500 ] && [ "$seen" -lt 5500 ] || echo "$seen of 10000")"
	expect_none inject_system_call_counts "$(grep -q ": $seen injected in 10000 calls" "$said" || cat "$said")"
	lkst snapshot --quiet --output "$work/calls.trace"
	expect_whole inject_system_calls_are_whole "$work/calls.trace"
	nr=$(lkst print --format json --event syscall_exit_mkdir "$work/calls.trace" | grep -c '"ret":-5[,}]')
	expect_none inject_system_calls_return "$([ "$nr" = "$seen" ] || echo "$nr calls of $seen returned it")"
	nr=$(lkst print --event 'inject:*mkdir' "$work/calls.trace" | wc -l)
	expect_none inject_system_calls_are_records "$([ "$nr" = $((seen + 3)) ] || echo "$nr records of $((seen + 3))")"
	lkst stop --quiet
	expect_refusal of_another_kind 'lets nobody make vfs_read fail' 'vfs_read return -EIO comm mkdirs'
	expect_refusal call_has_no_caller 'is called by a program' 'mkdir return -EIO comm mkdirs from vfs_mkdir'
fi

# ---- functions of programs ----
lkst start --quiet --budget none --buffer 4M --event sched_process_exec --config $conf ||
	fail inject_starts_for_programs "it does not"
wanted='get_memory return NULL comm injected'
lkst inject -x "$load/injected" "$wanted for 1s" >"$said" 2>&1
if grep -q 'lets no program change the registers of another one' "$said"; then
	echo "skip inject_programs: $(sed 's/^lkst inject: //; q' "$said")"
else
	arm -x "$load/injected" "$wanted from second call 5"
	expect_none inject_fifth_from_second "$("$load/injected" 10 | xargs | grep -vx 'second 5 calls 19')"
	wait $armed
	arm -x "$load/injected" "$wanted every 3 times 2"
	expect_none inject_every_third "$("$load/injected" 10 | xargs | grep -vx 'first 2 second 3 calls 18')"
	wait $armed
	arm -x "$load/injected" "$wanted probability 50%"
	nr=$("$load/injected" 5000 | grep -c -e first -e second)
	expect_none inject_half_of_them "$([ "$nr" -gt 4500 ] && [ "$nr" -lt 5500 ] || echo "$nr of 10000")"
	kill -KILL $armed
	wait $armed 2>/dev/null
	expect_none inject_program_is_disarmed "$("$load/injected" 10 | grep -vx 'calls 20')"
	lkst snapshot --quiet --output "$work/programs"
	lines=$(lkst print --event inject:get_memory "$work/programs" | wc -l)
	expect_none inject_each_of_a_program_is_a_record "$([ "$lines" = $((3 + nr)) ] || echo "$lines records of $((3 + nr))")"
fi
lkst stop --quiet

# ---- what is wrong ----
expect_refusal value 'by returning an error' "$hook return 5 comm mkdirs"
expect_refusal function 'the kernel has no function nothing_like_it' 'nothing_like_it return -EIO comm mkdirs'
expect_refusal not_on_the_list "vfs_read return -EIO comm mkdirs" 'vfs_read return -EIO comm mkdirs'
expect_refusal no_answers 'security_ismaclabel return' 'security_ismaclabel return -EIO comm mkdirs'
expect_refusal everywhere 'say in which process' "$hook return -EIO"
expect_refusal first_process 'process 1 is left alone' "$hook return -EIO pid 1"
expect_refusal no_process 'there is no process 4194303' "$hook return -EIO pid 4194303"
expect_refusal caller 'the kernel has no function nobody' "$hook return -EIO comm mkdirs from nobody"
rm -rf /etc/lkst
