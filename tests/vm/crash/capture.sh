#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the kernel that starts when the first one has died: a trace out of /proc/vmcore, and out of what
# makedumpfile makes of it.
. /tests/lib.sh

# The number of records in what --json printed to file $1.
records()
{
	sed -n 's/.*"records":\([0-9]*\),.*/\1/p' "$1"
}

lkst extract --json --output "$work/trace" /proc/vmcore >"$work/vmcore" 2>"$work/said" &
pid=$!
# A capture kernel has little memory. What is mapped takes page tables, which no other figure shows; a zombie has none.
while tables=$(grep VmPTE /proc/$pid/status); do
	echo "$tables" >>"$work/tables"
	grep VmHWM /proc/$pid/status >"$work/hwm"
done
if wait $pid; then
	ok vmcore_is_extracted
else
	fail vmcore_is_extracted "$(cat "$work/said")"
fi
cat "$work/vmcore" >/dev/ttyS0
tables=$(sed 's/[^0-9]//g' "$work/tables" | sort -n | tail -n 1)
echo "page tables: $(wc -l <"$work/tables") looks, at most $tables kB; $(cat "$work/hwm")" >/dev/ttyS0
if [ "$tables" -gt 0 ] && [ "$tables" -lt 512 ]; then
	ok vmcore_takes_no_memory_in_proportion
else
	fail vmcore_takes_no_memory_in_proportion "$tables kB of page tables"
fi
expect_whole vmcore_trace_is_whole "$work/trace"
expect_recorded vmcore_has_the_panic sched_switch syscall_entry_openat syscall_exit_openat panic state_thread

# same NAME DUMP: it gives as many records as /proc/vmcore did.
same()
{
	if ! lkst extract --json --output "$work/$1" "$2" >"$work/json" 2>"$work/said"; then
		fail "$1_is_extracted" "$(cat "$work/said")"
	elif [ "$(records "$work/json")" = "$(records "$work/vmcore")" ] && lkst check "$work/$1" >/dev/null; then
		ok "$1_gives_the_same"
	else
		fail "$1_gives_the_same" "$(cat "$work/json")"
	fi
	ls -l "$2" >/dev/ttyS0
	rm -rf "$2" "${work:?}/$1"
}

makedumpfile -c -d 31 /proc/vmcore "$work/dump" >/dev/ttyS0 2>&1
same makedumpfile_zlib "$work/dump"
makedumpfile -l -d 31 /proc/vmcore "$work/dump" >/dev/ttyS0 2>&1
same makedumpfile_lzo "$work/dump"
makedumpfile -E -d 31 /proc/vmcore "$work/dump" >/dev/ttyS0 2>&1
same makedumpfile_elf "$work/dump"
makedumpfile -F -c -d 31 /proc/vmcore >"$work/dump" 2>/dev/ttyS0
same makedumpfile_flattened "$work/dump"
