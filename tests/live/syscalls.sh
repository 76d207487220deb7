#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# The system calls recorded for a program are those that strace(1) reports of the same run: for each
# thread the same names in the same order, with equal arguments and results. strace prints all arguments
# as numbers in one run; in another, strings and the names of constants, which are those that `lkst
# print` has. Both for a 64-bit and for a 32-bit program.

. "$(dirname "$0")/lib/live.sh"

# compare TEST TRACE STRACE-FILES PREFIX-OF-EVENTS
compare()
{
	perl -MTrace -MStrace - "$@" <<'END'
use strict;
no warnings 'portable';
my ($test, $trace, $files, $prefix) = @ARGV;
my (@wrong_calls, @wrong_args, @wrong_results, @wrong_strings, @wrong_words, %names);
my ($nr_calls, $nr_args, $nr_strings, $nr_words, $nr_errors, $nr_joined) = (0, 0, 0, 0, 0, 0);
my $is_raw = $test =~ /raw$/;
my %want = strace_calls($files);
my @tids = sort { $a <=> $b } keys %want;
my %got = trace_calls($trace, \@tids, \@wrong_calls);
my %width = argument_widths($trace);

sub unquote {
	my ($text) = @_;
	my %c = (n => "\n", t => "\t", r => "\r", v => "\x0b", f => "\f");
	$text =~ s/\\([0-7]{1,3}|.)/$1 =~ m{^[0-7]} ? chr(oct $1) : $c{$1} \/\/ $1/ges;
	return $text;
}

# A 32-bit program gives a value of 64 bits in two registers, of which a record makes one.
sub join_halves {
	my ($g, $w) = @_;
	my @args = @{$w->{args}}, my @joined;
	while (@args) {
		my $name = $g->{arg_names}[@joined] // '';
		my $is_half = $g->{event} =~ /^compat_/ && ($width{"$g->{event} $name"} // 0) == 64 && @args > 1;
		my $value = shift @args;
		$value = (u64($value) & 0xffffffff) | (u64(shift @args) & 0xffffffff) << 32 if $is_half;
		$nr_joined += $is_half && $value >> 32 != 0;
		push @joined, $value;
	}
	return { %$w, args => \@joined };
}

# strace shows a register, of which a call may use and a record may keep 32 bits.
sub compare_numbers {
	my ($where, $g, $w) = @_;
	$w = join_halves($g, $w);
	push @wrong_args, "$where has " . @{$g->{args}} . ' arguments in place of ' . @{$w->{args}}
		if @{$g->{args}} != @{$w->{args}};
	for my $i (0 .. $#{$w->{args}}) {
		last if $i > $#{$g->{args}};
		my $bits = $width{"$g->{event} $g->{arg_names}[$i]"};
		my $mask = $bits == 64 ? ~0 : (1 << $bits) - 1;
		my ($got, $want) = map { u64($_) } $g->{args}[$i], $w->{args}[$i];
		$nr_args++;
		push @wrong_args, "$where: argument $g->{arg_names}[$i] is $g->{args}[$i] in place of "
			. $w->{args}[$i] if ($got & $mask) != ($want & $mask);
	}
}

# Strings, and the names of constants where strace knows one.
sub compare_words {
	my ($where, $g, $w) = @_;
	for my $i (0 .. $#{$w->{args}}) {
		my $want = $w->{args}[$i];
		last if $i > $#{$g->{args}};
		# strace leaves out what an operation of futex(2) does not use, and joins i386's halves.
		next if $w->{name} eq 'futex' && $i > 3 || $w->{name} eq '_llseek';
		if ($want =~ /^"(.*)"$/s) {
			my $string = $g->{fields}{"$g->{arg_names}[$i]_str"};
			next unless defined $string; # what a buffer holds is not recorded
			$nr_strings++;
			push @wrong_strings, "$where: \"$string\" in place of $want"
				unless $string eq unquote($1);
		} elsif ($want =~ /^(?!NULL$)[A-Z][A-Z0-9_]+(?:\|\w+)*$/) {
			$nr_words++;
			push @wrong_words, "$where: \"$g->{words}[$i]\" in place of \"$want\""
				unless ($g->{words}[$i] // '') eq $want;
		}
	}
}

sub compare_call {
	my ($where, $g, $w) = @_;
	$nr_calls++;
	$nr_errors++ if $w->{ret} ne '?' && $w->{ret} > ~0 - 4096;
	$names{$w->{name}}++;
	# What a 32-bit program's register held before the signal has 32 bits; strace adds the sign.
	my $mask = $prefix && $w->{name} =~ /sigreturn$/ ? 0xffffffff : ~0;
	push @wrong_results, "$where returned " . ($g->{ret} // 'nothing') . " in place of $w->{ret}"
		if $w->{ret} ne '?' && (!defined $g->{ret} || ($g->{ret} & $mask) != ($w->{ret} & $mask));
	# strace looks into the arguments of i386's socketcall().
	return if $g->{name} eq 'socketcall';
	$is_raw ? compare_numbers($where, $g, $w) : compare_words($where, $g, $w);
}

for my $tid (@tids) {
	my @w = @{$want{$tid}}, my @g = @{$got{$tid}};
	# strace's own child, before it becomes the program.
	if (@w && $w[0]{name} eq 'execve') {
		shift @g while @g && $g[0]{name} ne 'execve';
	}
	for my $i (0 .. ($#g > $#w ? $#g : $#w)) {
		my ($g, $w) = map { $_ ? $_->{name} : 'nothing' } $g[$i], $w[$i];
		if ($g ne $w && !($g eq 'socketcall' && $w =~ /^(socket|socketpair|send|recv|shutdown)$/)) {
			push @wrong_calls, "thread $tid, call $i: $g in place of $w";
			last;
		}
		# The first call is strace's, and so a 64-bit one.
		push @wrong_calls, "thread $tid, call $i is of event $g[$i]{event}"
			if $g[$i]{event} !~ /^${prefix}syscall_/ && ($tid != $tids[0] || $i);
		compare_call("thread $tid, call $i, $w", $g[$i], $w[$i]);
	}
}
push @wrong_calls, 'there are only ' . @tids . " threads and $nr_calls calls"
	if @tids < 7 || $nr_calls < 400;
# Those of fail_often(), in load/syscalls.c. How often a call is broken off by a signal is not for the program to say.
push @wrong_results, 'there are too few errors' if $nr_errors < 10;
for my $name ($prefix ? 'sigreturn' : 'rt_sigreturn', qw(clone3 vfork execve futex pipe2 wait4)) {
	push @wrong_calls, "the program made no $name" unless $names{$name};
}
print "$test: $nr_calls calls of " . keys(%names) . ' kinds in ' . @tids . ' threads, ' .
	"$nr_args numbers, $nr_strings strings, $nr_words words, $nr_errors errors\n";
result("${test}_names_and_order", @wrong_calls);
result("${test}_results", @wrong_results);
if ($is_raw) {
	push @wrong_args, 'there are too few numbers' if $nr_args < 1000;
	push @wrong_args, 'no number has two registers' if $prefix && !$nr_joined;
	result("${test}_arguments", @wrong_args);
} else {
	push @wrong_strings, 'there are too few strings' if $nr_strings < 30;
	push @wrong_words, 'there are too few words' if $nr_words < 100;
	result("${test}_strings", @wrong_strings);
	result("${test}_words", @wrong_words);
}
END
}

# trace_both TEST PROGRAM PREFIX STRACE-OPTION...
trace_both()
{
	local test=$1 program=$2 prefix=$3

	shift 3
	if ! record "$test" --tree --event 'syscall:*' -- \
		strace -ff -s 8192 -o "$work/$test.strace" "$@" "$program"; then
		fail "$test" "$(tail -n 3 "$work/$test.log")"
		return
	fi
	report "$test" compare "$test" "$work/$test" "$work/$test.strace" "$prefix"
}

trace_both syscalls_raw "$load/syscalls" '' -e raw=all
trace_both syscalls_decoded "$load/syscalls" ''
if runs_32_bit; then
	trace_both compat_syscalls_raw "$load/syscalls32" compat_ -e raw=all
	trace_both compat_syscalls_decoded "$load/syscalls32" compat_
else
	echo 'skip compat_syscalls: this kernel runs no 32-bit programs'
fi
exit $failed
