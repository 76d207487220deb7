# SPDX-License-Identifier: GPL-2.0-only
#
# Reading what `strace -ff -o FILE` has written, and the same calls out of a trace.
package Strace;

use strict;
use warnings;
use Errno;
use Exporter 'import';
use Trace;

our @EXPORT = qw(strace_calls trace_calls argument_widths u64);

no warnings 'portable';

# Error numbers that only tracers see (include/linux/errno.h).
my %kernel_errno = (ERESTARTSYS => 512, ERESTARTNOINTR => 513, ERESTARTNOHAND => 514,
		    ERESTART_RESTARTBLOCK => 516);

# A number as either side writes it, as 64 bits.
sub u64 {
	my ($text) = @_;
	return hex($text) if $text =~ /^0x/;
	return oct($text) if $text =~ /^0[0-7]+$/;
	return $text < 0 ? ($text + 0) & ~0 : $text + 0;
}

# Splits at the commas that are in no string, bracket or brace.
sub split_arguments {
	my ($text) = @_;
	my (@arguments, $depth);
	return () if $text eq '';
	($depth, @arguments) = (0, '');
	while ($text =~ /\G("(?:[^"\\]|\\.)*"(?:\.\.\.)?|[\[{(]|[\])}]|, |.)/gs) {
		my $part = $1;
		$depth++ if $part =~ /^[\[{(]$/;
		$depth-- if $part =~ /^[\])}]$/;
		if ($part eq ', ' && !$depth) {
			push @arguments, '';
		} else {
			$arguments[-1] .= $part;
		}
	}
	return @arguments;
}

sub parse_result {
	my ($text) = @_;
	return '?' if $text =~ /^\?$/;
	if ($text =~ /^(?:-1|\?) (E\w+)/) {
		my $number = $kernel_errno{$1} // do { no strict 'refs'; &{"Errno::$1"}() };
		return u64(-$number);
	}
	return u64($1) if $text =~ /^(-?(?:0x[0-9a-f]+|\d+))/;
	die "strace's result is not understood: $text";
}

# By thread: its calls as { name, args (list of texts), ret }.
sub strace_calls {
	my ($prefix) = @_;
	my %calls;
	for my $file (glob("$prefix.*")) {
		my ($tid) = $file =~ /\.(\d+)$/ or next;
		open(my $in, '<', $file) or die "$file: $!";
		while (my $line = <$in>) {
			chomp $line;
			next if $line =~ /^(---|\+\+\+|\[)/;
			$line =~ s{/\* .*? \*/}{}g; # its remarks
			$line =~ /^(\w+)\((.*?)\)?\s+= (\S.*)$/
				or die "strace's line is not understood: $line";
			push @{$calls{$tid}}, { name => $1, ret => parse_result($3),
						args => [split_arguments($2)], line => $line };
		}
		$calls{$tid} //= [];
	}
	return %calls;
}

# Takes one record of a system call into the list of its thread's calls. Returns what is wrong.
sub take_record {
	my ($r, $calls) = @_;
	my ($half, $name) = $r->{event} =~ /^(?:compat_)?syscall_(entry|exit)_(\w+)$/ or return;
	my $last = $calls->[-1];
	my %fields = %{$r->{fields}};
	my @names = @{delete $fields{''}};
	if ($half eq 'entry') {
		my $open;
		$open = "$last->{name} did not return before $name" if $last && !defined $last->{ret};
		my @args = grep { !/_str$/ } @names;
		push @$calls, { name => $name, args => [@fields{@args}], arg_names => \@args,
				fields => \%fields, event => $r->{event} };
		return $open;
	}
	# A thread's first record is its return from the call that made it.
	return undef unless $last;
	return "$name returns and was not entered" if defined $last->{ret};
	# A return from a signal's handler has lost its number.
	my $is_sigreturn = $name eq 'unknown' && $fields{nr} == -1 && $last->{name} =~ /sigreturn$/;
	return "$name returns where $last->{name} was entered"
		if $name ne $last->{name} && !$is_sigreturn;
	$last->{ret} = u64($fields{ret});
	for my $string (grep { /_str$/ } keys %fields) {
		next if $fields{$string} eq '';
		return "$name has $string in both records" if $last->{fields}{$string} ne '';
		$last->{fields}{$string} = $fields{$string};
		$last->{late}{$string} = 1;
	}
	return undef;
}

# By "EVENT FIELD": the bits of an integer field, out of the trace's metadata.
sub argument_widths {
	my ($trace) = @_;
	my (%width, $event);
	open(my $in, '<', "$trace/metadata") or die "$trace/metadata: $!";
	while (<$in>) {
		$event = $1 if /^\s*name = "([\w:]+)";/;
		$width{"$event $2"} = $1 if defined $event && /^\s*[xo]?u?int(\d+)_t _(\w+);/;
	}
	return %width;
}

# Adds the words of each call's arguments, as people see them.
sub add_words {
	my ($trace, $calls) = @_;
	my %next = map { $_ => 0 } keys %$calls;
	open(my $in, '-|', $ENV{LKST}, 'print', '--event', '*syscall_entry_*', $trace)
		or die "cannot run $ENV{LKST}: $!";
	while (<$in>) {
		my ($tid, $name, $arguments) = m{^\S+ \[\d+\] +(\d+)/.*? (?:compat_)?(\w+)\((.*)\)$}
			or next;
		my $call = exists $next{$tid} ? $calls->{$tid}[$next{$tid}++] : undef;
		$call->{words} = [split_arguments($arguments)] if $call && $call->{name} eq $name;
	}
	close($in);
}

# The same out of a trace, and in $bad what makes no sense in it.
sub trace_calls {
	my ($trace, $tids, $bad) = @_;
	my %calls = map { $_ => [] } @$tids;
	each_record(sub {
		my ($r) = @_;
		my $list = $calls{$r->{tid}} or return;
		my $why = take_record($r, $list);
		push @$bad, "thread $r->{tid}, call $#$list: $why" if defined $why;
	}, $trace);
	add_words($trace, \%calls);
	return %calls;
}

1;
