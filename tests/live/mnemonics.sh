#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Every mnemonic of the original LKST's (rows B01 to B56 of doc/heritage.md) is understood by `lkst event show`, by
# --event and by lkstm: it is an event, or what represents it, or there is a reason why it cannot be had here.
. "$(dirname "$0")/lib/live.sh"

mnemonics=(PROCESS_CONTEXTSWITCH PROCESS_WAKEUP PROCESS_SIGSEND PROCESS_LTHREADGEN PROCESS_INIT_WQH PROCESS_ADD_WQ
	PROCESS_REM_WQ INT_HARDWARE_ENTRY INT_TASKLETHI_ENTRY INT_TASKLET_ENTRY INT_BH_ENTRY EXCEPTION_ENTRY
	EXCEPTION_EXIT SYSCALL_ENTRY SYSCALL_EXIT MEM_SWAPOUT MEM_SWAPIN MEM_DO_NOPAGE MEM_DO_WPPAGE MEM_WAIT_PAGE
	MEM_GET_FREEPAGE MEM_GET_ZEROPAGE MEM_FREEPAGE MEM_VMALLOC MEM_VFREE MEM_CACHE_CREATE MEM_CACHE_ALLOC
	MEM_MALLOC MEM_CACHE_FREE MEM_FREE FS_DEVRW FS_DEVEND FS_BUFBUSY NET_PKTSEND NET_PKTSENDI NET_PKTRECV
	NET_PKTRECVI NET_SOCKETIF SYSV_IPC LK_SPINLOCK LK_SPINTRYLOCK LK_SPINUNLOCK LK_WRLOCK LK_WRTRYLOCK
	LK_WRUNLOCK LK_RDLOCK LK_RDUNLOCK TIMER_RUN TIMER_ADD TIMER_MOD TIMER_DEL TIMER_DEL_SYNC O_PORTIN O_PORTOUT
	O_PANIC O_PRINTK)

needs_the_recorder
cd "$work" || exit
ln -s "$LKST" lkstm
has_started=yes
"$LKST" start --quiet --budget none
./lkstm read -m 0 | ./lkstm write -m 3

bad='' numbers=''
for mnemonic in "${mnemonics[@]}"; do
	# A line each for its number and for where it hooks, or why it does not.
	if ! "$LKST" event show "$mnemonic" >shown 2>&1 || ! grep -qE '^  (hook|here) ' shown; then
		bad+="$mnemonic is not shown: $(head -n 1 shown); "
	fi
	numbers+="$(grep -oE "\b$mnemonic \(0x[0-9a-f]{2}\)" shown | head -n 1 | grep -oE '0x..') "
	# What cannot be recorded here is said to be so.
	if ! ./lkstm config -m 3 "$mnemonic" 1 >said 2>&1 &&
		! { grep -q "$mnemonic can't be recorded here" said && grep -qE 'not on this kernel|none:' shown; }; then
		bad+="lkstm does not know $mnemonic: $(cat said); "
	fi
done
expect every_mnemonic_is_known "$bad" ''
expect each_has_a_number_of_its_own "$(tr ' ' '\n' <<<"$numbers" | grep . | sort -u | wc -l)" ${#mnemonics[@]}

# What has no event of its own says what it is, and goes to that.
expect zeroed_pages_say_what_they_are "$("$LKST" event show MEM_GET_ZEROPAGE | head -n 1)" \
	'MEM_GET_ZEROPAGE (0x46): no event of its own; it is mm_page_alloc with __GFP_ZERO in gfp_flags'
"$LKST" event show TIMER_MOD >shown
expect moved_timers_say_what_they_are "$(grep -oE '^[a-zA-Z_]+' shown | xargs)" 'TIMER_MOD timer_cancel timer_start'
./lkstm read -m 0 | ./lkstm write -m 4
./lkstm config -m 4 TIMER_MOD 1
./lkstm config -m 4 0x46 1
expect they_go_to_their_events "$("$LKST" maskset show maskset4 | grep -oE ' (timer_[a-z]+|mm_page_[a-z]+)' | xargs)" \
	'mm_page_alloc timer_start timer_cancel'
"$LKST" maskset config maskset4 TIMER_MOD NOTHING 2>said
expect taking_them_away_is_explained "$(grep -c 'nothing is changed' said)" 1
"$LKST" stop --quiet

# As a glob.
record moved --event TIMER_MOD --event SYSCALL_EXIT -- sleep 0.5
expect globs_take_mnemonics "$("$LKST" print --format json moved | perl -ne 'print "$1\n" if /"event":"(timer_\w+|syscall_[a-z]+)/' | sort -u | xargs)" \
	'syscall_exit timer_cancel timer_start'

exit $failed
