#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Requests that a disk's scheduler merges are counted as the kernel's own account of the disk counts them, and
# none of them is taken to wait forever.

. "$(dirname "$0")/lib/live.sh"

rounds=50
truncate -s 16M "$work/image"
disk=$(losetup -f --show "$work/image" 2>"$work/losetup") || skip_all "merges: no loop device: $(cat "$work/losetup")"
name=${disk#/dev/}
schedulers=/sys/block/$name/queue/scheduler
before=$(sed 's/.*\[\(.*\)\].*/\1/' "$schedulers")
restore()
{
	echo "$before" >"$schedulers"
	losetup -d "$disk"
	clean_up
}
at_exit restore
if ! echo mq-deadline 2>"$work/scheduler" >"$schedulers"; then
	skip_all "merges: this kernel has no scheduler mq-deadline"
fi

# shellcheck disable=SC2016 # for the inner shell
if ! record trace --buffer 32M --event 'block_*' --event 'block:block_bio_backmerge' \
		--event 'block:block_bio_frontmerge' -- bash -c '
		cat "/sys/block/$1/stat"; "$2" "/dev/$1" "$3"; cat "/sys/block/$1/stat"' - \
		"$name" "$load/merges" "$rounds" >"$work/stat"; then
	fail merges_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
expect_whole merges_trace_is_whole "$work/trace"
dev=$(cat "/sys/block/$name/dev")
number=$((${dev%:*} << 20 | ${dev#*:}))

# Field 6: writes that were merged, requests and single bios (Documentation/block/stat.rst); 5: writes that were done.
merges=$(awk '{ sum = $6 - sum } END { print sum }' "$work/stat")
writes=$(awk '{ sum = $5 - sum } END { print sum }' "$work/stat")
# count EVENT: records of the disk's
count()
{
	"$LKST" print --event "$1" --format json "$work/trace" | grep -c "\"dev\":$number[,}]"
}
requests=$(count block_rq_merge)
bios=$(($(count 'block:block_bio_backmerge') + $(count 'block:block_bio_frontmerge')))
if [ "$requests" -ge "$rounds" ]; then
	ok merges_happen
else
	fail merges_happen "only $requests requests were merged in $rounds rounds of 16"
fi
expect merges_as_the_kernel_counts "$((requests + bios))" "$merges"

"$LKST" analyze bioqueue,biotime --key "$name:write" --format json "$work/trace" >"$work/json"
expect merges_are_in_the_analysis "$(perl -MJSON::XS -0777 -ne '
	print map { $_->{merged} } @{decode_json($_)->{bioqueue_changes}{rows}}' "$work/json")" "$requests"
expect merges_leave_the_writes "$(perl -MJSON::XS -0777 -ne '
	print map { $_->{count} } @{decode_json($_)->{biotime}{rows}}' "$work/json")" "$writes"
expect merges_none_waits_forever "$(perl -MJSON::XS -0777 -ne '
	print decode_json($_)->{bioqueue_wait_total}{left_out}{not_over} // 0' "$work/json")" 0
exit $failed
