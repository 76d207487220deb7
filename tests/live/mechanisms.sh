#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Incidents of which the mechanism has a name (load/mechanisms.c): a row that `lkst why TRACE` has of the one who
# suffers names it, with the file, the address or the limit, and no more time than he has measured himself. What this
# kernel or machine cannot produce is skipped.

. "$(dirname "$0")/lib/live.sh"

mechanisms=$load/mechanisms
undo=()
at_exit 'undo_all; clean_up'

# Undoes what the incident has set up, the last first.
undo_all()
{
	local i

	for ((i = ${#undo[@]} - 1; i >= 0; i--)); do
		wait_until 10 eval "${undo[i]}" || echo "could not undo: ${undo[i]}" >&2
	done 2>/dev/null
	undo=()
}

# incident NAME COMMAND...: its trace is $work/NAME, what it has measured $work/NAME.truth, the rows of the one who suffers
# $work/NAME.json: on a busy machine ten others may have lost more.
incident()
{
	local name=$1

	shift
	"$LKST" record --quiet --maskset standard --output "$work/$name" -- "$@" \
		>"$work/$name.truth" 2>"$work/$name.log" &&
		"$LKST" why --format json --comm me-waiter "$work/$name" >"$work/$name.json" 2>>"$work/$name.log" && return
	fail "mechanism_$name" "$(tail -n 3 "$work/$name.log")"
	return 1
}

# judge NAME TEXT: a row about me-waiter has TEXT, a regular expression, and agrees with what was measured.
judge()
{
	perl -MJSON::PP - "$@" "$work/$1.json" "$work/$1.truth" <<'END'
use strict;
my ($name, $text, $json, $truth) = @ARGV;
sub slurp { open(my $in, '<', $_[0]) or die "$_[0]: $!"; local $/; return <$in>; }
my $rows = decode_json(slurp($json))->{waiting}{rows};
# Others want the CPUs as well, and so may the one who suffers.
my @own = grep { $_->{comm} eq 'me-waiter' && $_->{kind} ne 'cpu' } @$rows;
my ($row) = grep { $_->{text} =~ /$text/ } @own;
my ($lost, $times, $longest) = slurp($truth) =~ /^lost (\d+) times (\d+) longest (\d+)/m;
my @bad;

if (!$row) {
	push @bad, "no row of @{[scalar @own]} matches /$text/: " . join('; ', map { $_->{text} } @own);
} elsif ($row->{kind} eq 'failed') {
	push @bad, "$row->{count} failures, not $times" if $row->{count} != $times;
} elsif ($row->{kind} ne 'memory') {
	push @bad, "$row->{total_ns} ns, more than the $lost that were measured" if $row->{total_ns} > $lost;
	push @bad, "$row->{longest_ns} ns is longer than the $longest of the longest" if $row->{longest_ns} > $longest;
} elsif ($row->{total_ns} > $lost) {
	push @bad, "$row->{total_ns} ns of reclaim, more than the $lost that were measured";
}
push @bad, "$_->{kind} is told of who fails alone" for grep { $row && $row->{kind} eq 'failed' && $_ != $row } @own;
print @bad ? "FAIL mechanism_$name: @bad\n" : "ok mechanism_$name\n";
END
}

# tell NAME TEXT COMMAND...: an incident, and what is to be said of it
tell()
{
	incident "$1" "${@:3}" && report "mechanism_$1" judge "$1" "$2"
	undo_all
}

# The hierarchy of version 1 that has controller $1.
hierarchy()
{
	awk -v c="$1" '$3 == "cgroup" && $4 ~ "(^|,)" c "(,|$)" { print $2; exit }' /proc/mounts
}

# cgroup CONTROLLER NAME: makes a cgroup, $group; or prints why not.
cgroup()
{
	local root

	root=$(hierarchy "$1")
	group=$root/lkst-$2-$$
	if [ -z "$root" ] || ! mkdir "$group" 2>/dev/null; then
		echo "skip mechanism_$2: no cgroup of version 1 with controller $1 can be made here"
		return 1
	fi
	undo+=("rmdir $group")
}

# in_group COMMAND...: runs it in $group
in_group()
{
	printf '%s\0' bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$group" "$@" >"$work/words"
	mapfile -d '' -t words <"$work/words"
}

# disk MIB: a file system of its own, $work/fs on $disk; or prints why not for test $2.
disk()
{
	truncate -s "$1M" "$work/image" && disk=$(losetup -f --show "$work/image" 2>/dev/null) ||
		{ echo "skip mechanism_$2: no loop device can be had here" && return 1; }
	undo+=("losetup -d $disk")
	mkdir -p "$work/fs"
	if ! mkfs.ext4 -q -F "$disk" 2>/dev/null || ! mount "$disk" "$work/fs" 2>/dev/null; then
		echo "skip mechanism_$2: no file system can be made here"
		undo_all
		return 1
	fi
	undo+=("umount $work/fs")
}

tell flock "a lock in flock\\(\\) of $work/orders, .*me-holder slept in clock_nanosleep" \
	"$mechanisms" flock "$work/orders"
tell fcntl "a lock in fcntl\\(\\) of $work/orders, .*me-holder slept in clock_nanosleep" \
	"$mechanisms" fcntl "$work/orders"
tell semop 'a lock in sem[a-z]*op\(\) of the semaphores with id [0-9]+, .*me-holder slept in clock_nanosleep' \
	"$mechanisms" semop
tell queue 'to send in msgsnd\(\) to the message queue with id [0-9]+, .*me-holder slept in clock_nanosleep' \
	"$mechanisms" queue
tell pipe 'to send in write\(\).*me-holder slept in clock_nanosleep' "$mechanisms" pipe
tell names 'an answer in poll\(\) from 127\.0\.0\.1:53, .*no answer came from that name server' "$mechanisms" names
tell silent 'an answer in recvfrom\(\) from 127\.0\.0\.1:[0-9]+, .*no answer came before' "$mechanisms" silent
tell backlog 'a connection in connect\(\) to 127\.0\.0\.1:[0-9]+, once, .*TCP had to ask again' "$mechanisms" backlog
tell files 'openat\(\) failed .*EMFILE .*RLIMIT_NOFILE' "$mechanisms" files

mkdir "$work/small"
if mount -t tmpfs -o size=1M none "$work/small" 2>/dev/null; then
	undo+=("umount $work/small")
	tell full "write\\(\\) failed .* on $work/small/log: ENOSPC .*file system is full" \
		"$mechanisms" full "$work/small"
else
	echo 'skip mechanism_full: no tmpfs can be mounted here'
fi

if cgroup pids forks; then
	echo 20 >"$group/pids.max"
	in_group "$mechanisms" forks
	tell forks 'clone3?\(\) failed .*EAGAIN .*pids\.max' "${words[@]}"
fi

if cgroup freezer frozen; then
	in_group "$mechanisms" frozen
	tell frozen "was frozen with its cgroup \\($group/freezer.state\\)" bash -c '
		"$0" freezer "$1/freezer.state" >/dev/null &
		exec "${@:2}"' "$mechanisms" "$group" "${words[@]}"
fi

if disk 64 write && cgroup blkio write; then
	echo "$(stat -c '%Hr:%Lr' "$disk") 2097152" >"$group/blkio.throttle.write_bps_device"
	in_group "$mechanisms" write "$work/fs/file"
	tell write "in pwrite64\\(\\) to $work/fs/file, .*a limit of its cgroup for the disk .* held its requests" \
		"${words[@]}"
fi
undo_all

bdi=
disk 64 dirty && bdi=/sys/class/bdi/$(stat -c '%Hr:%Lr' "$disk")
if [ -n "$bdi" ] && echo 1 2>/dev/null >"$bdi/strict_limit" && echo 2097152 2>/dev/null >"$bdi/max_bytes"; then
	tell dirty "in pwrite64\\(\\) to $work/fs/file, .*held back \\(balance_dirty_pages\\).* were me-waiter" \
		"$mechanisms" dirty "$work/fs/file"
elif [ -n "$bdi" ]; then
	echo 'skip mechanism_dirty: this kernel has no limit for what is dirty of one disk'
fi
undo_all

if disk 64 icy; then
	tell icy "in pwrite64\\(\\) to $work/fs/log, .*file system $work/fs was frozen \\(FIFREEZE\\) by me-freezer" \
		"$mechanisms" icy "$work/fs"
fi

if disk 64 sync; then
	tell sync "in fsync\\(\\) of $work/fs/file, .*until disk loop[0-9]+ .*files in $work/fs were me-syncer" \
		"$mechanisms" sync "$work/fs/file"
fi

if disk 64 map && cgroup memory map; then
	dd if=/dev/zero of="$work/fs/file" bs=1M count=40 2>/dev/null
	sync -f "$work/fs/file"
	# So that the file is not in memory, for this disk nor for the one below.
	losetup --direct-io=on "$disk" 2>/dev/null
	dd if="$work/fs/file" of=/dev/null iflag=nocache count=0 2>/dev/null
	echo 16M >"$group/memory.limit_in_bytes"
	in_group "$mechanisms" map "$work/fs/file"
	tell map "in page faults for $work/fs/file, .*until disk loop[0-9]+ had done a request" "${words[@]}"
fi
undo_all

zram=
[ -e /sys/class/zram-control/hot_add ] && zram=$(cat /sys/class/zram-control/hot_add 2>/dev/null)
if [ -n "$zram" ] && echo 128M >"/sys/block/zram$zram/disksize" && mkswap -q "/dev/zram$zram" >/dev/null 2>&1 &&
	swapon -p 9 "/dev/zram$zram" 2>/dev/null; then
	undo+=("echo $zram >/sys/class/zram-control/hot_remove" "swapoff /dev/zram$zram")
	if cgroup memory touch; then
		echo 16M >"$group/memory.limit_in_bytes"
		in_group "$mechanisms" touch 40
		tell touch "had to reclaim memory .*cgroup .*; it wrote [0-9]+ pages to swap" "${words[@]}"
	fi
else
	[ -z "$zram" ] || undo+=("echo $zram >/sys/class/zram-control/hot_remove")
	echo 'skip mechanism_touch: no zram can be swapped to here'
fi
undo_all

exit $failed
