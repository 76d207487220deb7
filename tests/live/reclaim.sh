#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# A thread that reclaims memory because its memory cgroup is at its limit: as often as perf counts, and of that cgroup.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
[ -n "$("$LKST" event show mm_vmscan_memcg_reclaim_begin 2>/dev/null)" ] ||
	skip_all 'reclaim: this kernel has no tracepoint of it'

# A memory cgroup of version 1 or 2 that may have 16 MiB.
group=
make_group()
{
	local mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)memory(,|$)/ { print $2 }' /proc/mounts | head -n 1)

	if [ -n "$mount" ]; then
		group=$mount/lkst-test.$$
		mkdir "$group" && echo 16M >"$group/memory.limit_in_bytes"
	elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control; then
		group=/sys/fs/cgroup/lkst-test.$$
		mkdir "$group" && echo 16M >"$group/memory.max"
	else
		return 1
	fi
}
# Writes 64 MiB to a file, whose pages count for the cgroup.
write_in_group()
{
	echo $BASHPID >"$group/cgroup.procs"
	dd if=/dev/zero of=big bs=1M count=64 2>dd.err
}
make_group 2>err || skip_all "reclaim: no cgroup can have a limit here: $(tail -n 1 err)"
export -f write_in_group
export group
has_started=yes
"$LKST" start --quiet --budget none --buffer 32M --event 'mm_vmscan_memcg_*' 2>err || fail reclaim_start "$(<err)"
perf stat -x, -e vmscan:mm_vmscan_memcg_reclaim_begin -o perf bash -c write_in_group
"$LKST" snapshot --quiet --output trace 2>err
"$LKST" stop --quiet
has_started=no
rm -f big
number=$(stat -c %i "$group")
rmdir "$group"
counted=$(awk -F, '/memcg_reclaim_begin/ { print $1 }' perf)
# In which cgroup each of dd began, and how many of these ended with memory or without.
"$LKST" print --format json --event 'mm_vmscan_memcg_*' trace | perl -MJSON::XS -e '
	my (%in, $nr, $ended);
	while (<STDIN>) {
		my $r = decode_json($_);
		next if ($r->{comm} // "") !~ /^(?:dd|bash)$/;
		$r->{event} =~ /begin/ ? ($nr++, $in{$r->{fields}{cgroup}}++) : $ended++;
	}
	printf "%d %d %s\n", $nr, $ended, join(" ", sort keys %in)' >said
read -r nr ended in <said
if [ "$counted" -gt 0 ] 2>/dev/null; then
	expect every_reclaim_is_recorded "$nr" "$counted"
else
	echo "skip every_reclaim_is_recorded: perf cannot count: $(tail -n 1 perf)"
fi
expect each_reclaim_ends "$ended" "$nr"
expect it_is_of_the_cgroup "$in" "$number"
"$LKST" analyze memalloc --format csv trace >times 2>/dev/null
expect its_latency_is_known "$(grep -c cgroup_reclaim times | sed 's/^[1-9].*/some/')" some
exit $failed
