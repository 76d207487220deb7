#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# What descriptors refer to that were open before a trace began, by the state of the trace: what /proc/PID/fd has, of files
# of all kinds, with short and long paths, of many, and of a process that has threads with descriptors of their own.
# Sockets are in sockets.sh.

. "$(dirname "$0")/lib/live.sh"

long=$work/$(printf 'd%.0s' {1..200})/$(printf 'e%.0s' {1..200})
mkdir -p "$long"
# 300 descriptors: more than one reading of the kernel's list has. The path of the last file is too long for its program.
perl -e '
	my ($dir, $long, $ready) = @ARGV;
	my @all;
	sub keep { push @all, $_[0] // die "$!" }
	for my $i (1 .. 290) { open my $f, ">", "$dir/file $i" or die; keep($f) }
	open my $gone, ">", "$dir/gone"; keep($gone); unlink "$dir/gone";
	pipe my $r, my $w; keep($_) for $r, $w;
	opendir my $d, $dir; keep($d);
	open my $device, "<", "/dev/null"; keep($device);
	open my $odd, ">", "$dir/a\tb\"c\\"; keep($odd);
	open my $deep, ">", "$long/" . "f" x 60; keep($deep);
	open my $out, ">", "$ready.new"; print $out "ready"; close $out; rename "$ready.new", $ready;
	sleep 3600' "$work" "$long" "$work/ready" &
holder=$!
children+=($holder)
wait_until 60 test -e "$work/ready" || fail open_files_are_open 'they are not'

# "FD PATH" of descriptors of process $1, by /proc; without the sockets.
by_proc()
{
	perl -e 'for (glob "/proc/$ARGV[0]/fd/*") { my $to = readlink; m{(\d+)$}; print "$1 $to\n" unless $to =~ /^socket/ }' "$1" | sort
}

# The same by trace $1, of process $2.
by_trace()
{
	"$LKST" print --format json --event state_descriptor "$1" | PID=$2 perl -MJSON::XS -ne '
		my $f = decode_json($_)->{fields};
		next if $f->{owner_pid} != $ENV{PID} || $f->{file} =~ /^socket/;
		print "$f->{fd} $f->{file}\n";
		$bad = "from $f->{from} to $f->{to}" if $f->{from} >= $f->{to};
		END { print "$bad\n" if $bad }' | sort
}

# The first lines that differ from what /proc has.
differences()
{
	by_trace "$1" $holder >"$work/got"
	diff "$work/wanted" "$work/got" | head -n 4
}

record trace --buffer 8M --event syscall:close -- true || fail open_files_recorded "$(cat "$work/trace.log")"
by_proc $holder >"$work/wanted"
expect open_files_are_those_of_proc "$(differences "$work/trace")" ''
expect open_files_are_many "$([ "$(wc -l <"$work/got")" -ge 297 ] && echo so)" so
expect open_files_have_long_paths "$(grep -c "$long/fff" "$work/got")" 1
expect open_files_need_closes "$(record without --buffer 8M --event sched_process_exec -- true
	"$LKST" print --event state_descriptor "$work/without" | wc -l)" 0

# A recording in memory has the list pinned.
"$LKST" start --quiet --budget none --buffer 8M --event syscall:close && has_started=yes
"$LKST" snapshot --quiet --output "$work/snapshot"
expect open_files_of_a_snapshot "$(differences "$work/snapshot")" ''
# Without that, as where the kernel refuses it, they are read from /proc.
expect open_files_are_listed_by_the_kernel "$(rm /sys/fs/bpf/lkst/open-files 2>&1)" ''
"$LKST" snapshot --quiet --output "$work/by_proc"
expect open_files_without_the_list "$(differences "$work/by_proc")" ''
"$LKST" stop --quiet
has_started=no
exit $failed
