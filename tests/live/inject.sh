#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst inject on this kernel: who may, what is refused before anything is armed, and functions of programs, where the
# kernel lets a uprobe write registers (rows I34 and I35 of doc/heritage.md). tests/vm/guest/inject.sh has functions of
# the kernel. The configuration is this test's: it is mounted over the machine's own, in a namespace of the test.
if [ -z "${INJECT_CONF-}" ]; then
	made=
	[ -d /etc/lkst ] || { mkdir /etc/lkst && made=yes; }
	INJECT_CONF=$(mktemp -d)
	export INJECT_CONF
	chmod 755 "$INJECT_CONF"
	unshare --mount --propagation private "$0"
	status=$?
	rm -rf "$INJECT_CONF"
	[ -z "$made" ] || rmdir /etc/lkst
	exit $status
fi
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
if ! mount --bind "$INJECT_CONF" /etc/lkst; then
	skip_all 'inject: nothing can be mounted here'
fi
cd "$work" || exit
NOBODY=65534
conf=/etc/lkst/lkst.conf
cp "$BUILD/tests/vm/load/injected" .
program=$PWD/injected
wanted='get_memory return NULL comm injected'

# ---- who may ----
expect_refusal not_without_configuration "write the line \"inject = allowed\" to $conf" inject -x "$program" "$wanted"
echo 'inject = allowed' >$conf
chown $NOBODY $conf
expect_refusal not_by_anybodys_configuration 'others than root may write' inject -x "$program" "$wanted"
chown 0 $conf
chmod 777 /etc/lkst
expect_refusal not_in_anybodys_directory 'others than root may write' inject -x "$program" "$wanted"
chmod 755 /etc/lkst
chmod 755 "$work" "$work/.." 2>/dev/null
cp "$LKST" lkst
# A member of a group has no more than its group, whatever that is called.
expect_refusal_by not_by_another_user 'making functions fail needs root' \
	setpriv --reuid $NOBODY --regid $NOBODY --groups $NOBODY "$work/lkst" inject -x "$program" "$wanted"
expect_refusal not_without_recording 'nothing is being recorded' inject -x "$program" "$wanted"

# ---- what is refused ----
expect_refusal not_everywhere 'say in which process' inject -x "$program" 'get_memory return NULL'
expect_refusal no_such_function 'has no function nothing_like_it' inject -x "$program" \
	'nothing_like_it return NULL comm injected'
expect the_function_is_marked "$(sed -n '$s/^  ^$/marked/p' "$work/out")" marked
expect_refusal no_such_caller 'has no function nobody' inject -x "$program" "$wanted from nobody"
expect_refusal no_stack_of_programs 'say "from"' inject -x "$program" "$wanted under first"
expect_refusal one_caller 'there is a caller already' inject -x "$program" "$wanted from first under second"
expect_refusal no_function_of_the_kernel 'the kernel has no function nothing_like_it' \
	inject 'nothing_like_it return -EIO comm injected'
expect_refusal the_first_process 'process 1 is left alone' inject -x "$program" 'get_memory return NULL pid 1'
expect_refusal alone '--list and --disarm go alone' inject --list --disarm
expect nothing_is_armed "$("$LKST" inject --list --json)" ''

# ---- functions of programs ----
has_started=yes
"$LKST" start --quiet --budget none --buffer 4M --event sched_process_exec --config $conf || fail the_key_is_known "it is not"

# Arms the injection of the arguments, and waits until it is: $armed is the process.
arm()
{
	rm -f said
	"$LKST" inject -x "$program" "$@" >said 2>&1 &
	armed=$!
	children+=("$armed")
	wait_until 60 eval "grep -q '^armed:' said 2>/dev/null || ! kill -0 $armed 2>/dev/null"
	grep -q '^armed:' said
}

if ! arm "$wanted from second call 5"; then
	wait $armed
	expect the_refusal_is_explained "$(grep -c 'lets no program change the registers of another one' said)" 1
	expect nothing_is_left "$("$LKST" inject --list --json)" ''
	echo "skip inject: $(sed 's/^lkst inject: //; q' said)"
	exit $failed
fi
expect the_fifth_call_from_second "$(./injected 10 | xargs)" 'second 5 calls 19'
wait $armed
arm "$wanted every 3 times 2"
expect every_third "$(./injected 10 | xargs)" 'first 2 second 3 calls 18'
wait $armed
arm "$wanted probability 50%"
kill -STOP $armed
n=$(./injected 5000 | grep -c -e first -e second)
expect half_of_them "$((n > 4500 && n < 5500))" 1
kill -KILL $armed
wait $armed 2>/dev/null
expect killed_is_disarmed "$(./injected 10)" 'calls 20'
"$LKST" snapshot --quiet --output trace
expect each_is_a_record "$("$LKST" print --event inject:get_memory trace | wc -l)" $((3 + n))
exit $failed
