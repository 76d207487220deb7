#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The path of a system call that is not in memory at entry is in the exit record; a long one is cut and counted. An
# unprivileged user cannot prevent that for others. System calls whose number no table has are recorded by the
# "unknown" events.

. "$(dirname "$0")/lib/live.sh"

# compare TRACE EXPECTATIONS
compare()
{
	perl -MTrace -MStrace - "$@" <<'END'
use strict;
my ($trace, $expected) = @ARGV;
my (%after, %mark, @bad_paths, @bad_numbers);
each_record(sub {
	my ($r) = @_;
	my $mark = $mark{$r->{tid}};
	if ($r->{event} eq 'syscall_entry_prctl' && $r->{fields}{option} == MARK) {
		$mark{$r->{tid}} = $r->{fields}{arg3};
	} elsif ($mark && $r->{event} ne 'syscall_exit_prctl') {
		push @{$after{$mark}}, $r;
	}
}, $trace, '--event', 'syscall_*');
open(my $in, '<', $expected) or die "$expected: $!";
my ($nr, $nr_late) = (0, 0);
while (<$in>) {
	my ($mark, $call, $result, @want) = split;
	my ($entry, $exit) = @{$after{$mark} // []};
	my $bad = $call eq 'unknown' ? \@bad_numbers : \@bad_paths;
	my $where = "call $mark, $call";
	$nr++;
	unless ($exit && $entry->{event} eq "syscall_entry_$call" &&
		$exit->{event} eq "syscall_exit_$call") {
		push @$bad, "$where: recorded are " .
			join(', ', map { $_->{event} } grep { $_ } $entry, $exit);
		next;
	}
	my ($f, $g) = ($entry->{fields}, $exit->{fields});
	push @$bad, "$where: returned $g->{ret} in place of $result"
		unless $g->{ret} == $result || $result == 0 && $g->{ret} > 0;
	if ($call eq 'unknown') {
		my $number = "$want[0]";
		push @$bad, "$where: number $f->{nr} at entry and $g->{nr} at exit in place of $number"
			unless $f->{nr} == $number && $g->{nr} == $number;
		my $arguments = join(' ', map { u64($f->{"arg$_"}) } 0 .. 5);
		push @$bad, "$where: arguments $arguments"
			unless $arguments eq join(' ', u64('0x1111111122222222'), 2, 3, 4, 5, u64(-6));
		next;
	}
	for my $name (grep { /_str$/ } @{$f->{''}}) {
		my ($at_entry, $at_exit) = map { $_ eq '-' ? '' : $_ } splice(@want, 0, 2);
		push @$bad, "$where: $name is \"$f->{$name}\" at entry in place of \"$at_entry\""
			unless $f->{$name} eq $at_entry;
		push @$bad, "$where: $name is \"$g->{$name}\" at exit in place of \"$at_exit\""
			unless $g->{$name} eq $at_exit;
		$nr_late++ if $at_exit ne '';
	}
}
push @bad_paths, "there are $nr calls and $nr_late late strings" if $nr != 17 || $nr_late != 5;
result('unread_paths_are_in_exit_records', @bad_paths);
result('syscalls_of_unknown_number', @bad_numbers);
END
}

if ! record trace --tree --event 'syscall:*' --event 'syscall_*_unknown' -- "$load/unread" \
	>"$work/expected"; then
	fail unread_recorded "$(cat "$work/trace.log")"
	exit 1
fi
report unread compare "$work/trace" "$work/expected"
# The one of 700 characters, as access(2) was entered.
cut=$("$LKST" check "$work/trace" | sed -n 's/^ledger: .*: \([0-9]*\) events: .*cut.*/\1/p' |
	awk '{ sum += $1 } END { print sum + 0 }')
if [ "$cut" = 1 ]; then
	ok long_path_is_cut_and_counted
else
	fail long_path_is_cut_and_counted "the ledger names $cut cut strings in place of 1"
fi

# ---- whatever threads do, later paths are read ----
# More threads that end in the middle of their call than any table by number would hold (4096 once).
record many --tree --event 'syscall:openat' --event 'syscall:execve' -- "$load/exec_thread" 4200 200
expect paths_after_execs_by_threads \
	"$("$LKST" print --format json --event syscall_exit_openat "$work/many" | grep -c '"/nonexistent/late"')" 200
expect execs_by_threads_are_recorded \
	"$("$LKST" print --format json --event syscall_exit_execve "$work/many" | grep -c '"ret":0')" 4201
exit $failed
