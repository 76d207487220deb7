#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the recipes of doc/sql.md on a trace, and compares those that an analysis answers, too, with it.
#
#	perl sql_recipes.pl LKST TRACE

use strict;
use warnings;
use FindBin;
use JSON::XS;
use Trace;

my ($lkst, $trace) = @ARGV;

# What the recipe under each heading asks, in order.
sub recipes {
	my (@recipes, $heading);

	open(my $page, '<', "$FindBin::Bin/../../../doc/sql.md") or die "doc/sql.md: $!\n";
	while (my $line = <$page>) {
		if ($line =~ /^## (.*)/) {
			$heading = $1;
		} elsif ($line eq "```sql\n") {
			my $query = '';
			while (defined($line = <$page>) && $line ne "```\n") {
				$query .= $line;
			}
			push @recipes, [ $heading, $query ];
		}
	}
	return @recipes;
}

# Runs LKST with the arguments, and decodes the JSON texts that it prints.
sub run {
	open(my $out, '-|', $lkst, @_) or die "lkst: $!\n";
	local $/;
	my $text = <$out>;
	close($out) or die "lkst $_[0] failed: $_[-1]\n";
	return JSON::XS->new->utf8->incr_parse($text);
}

my ($analysis) = run('analyze', 'all', '--format', 'json', $trace);

# The column of each row of an analysis's table, by its key.
sub known {
	my ($table, $column, $key) = @_;
	return map { ($_->{$key // 'key'} => $_->{$column}) } grep { $_->{$column} } @{$analysis->{$table}{rows}};
}

# What differs between the two.
sub differences {
	my ($got, $want) = @_;
	my %all = (%$got, %$want);
	return map { "$_ is " . ($got->{$_} // 'missing') . ', not ' . ($want->{$_} // 'there') }
		grep { ($got->{$_} // '') ne ($want->{$_} // '') } sort keys %all;
}

# By heading: what the analysis says that is compared with the rows.
my %compare = (
	'Which threads ran most?' => sub {
		my ($rows) = @_;
		my %want = map { ("$_->{tid}/$_->{comm}" => $_->{running_ns}) }
			grep { $_->{tid} > 0 && $_->{running_ns} } @{$analysis->{thread}{rows}};
		return differences({ map { ("$_->{tid}/$_->{comm}" => $_->{running_ns}) } grep { $_->{running_ns} } @$rows }, \%want);
	},
	'Who waited longest for a CPU, and when?' => sub {
		my ($rows) = @_;
		my ($max) = sort { $b <=> $a } map { $_->{max_ns} // 0 }
			map { @{$analysis->{$_}{rows}} } 'waitdelay_total', 'waitdelay_preempted_total';
		return $rows->[0]{duration_ns} == $max ? () : "$rows->[0]{duration_ns}, not $max";
	},
	'What do threads wait for?' => sub {
		my ($rows) = @_;
		return differences({ map { ($_->{cause} => $_->{total_ns}) } @$rows }, { known('waitdelay_blocked', 'total_ns') });
	},
	'Who wakes whom, and how soon does the woken run?' => sub {
		my ($rows) = @_;
		my %want = known('wakeups', 'count');
		my %got;
		# Contexts have more words there, "<softirq:BLOCK>->ls"; a thread without a name is "?", an idle one "idle";
		# and names have no blanks.
		for my $row (grep { $_->{waker} !~ /^(irq|vector|softirq|timer|hrtimer|tasklet|nmi|interrupt|some softirq|unknown)$/ } @$rows) {
			my ($waker, $woken) = map { !defined || $_ eq 'thread' ? '?' : m{^swapper(/|$)} ? 'idle' : s/\s/_/gr }
				@$row{'waker', 'woken'};
			$got{"$waker->$woken"} += $row->{n};
		}
		return differences(\%got, { map { ($_ => $want{$_}) } grep { !/^</ } keys %want });
	},
	'Which system calls took longest?' => sub {
		my ($rows) = @_;
		return (differences({ map { ($_->{syscall} => $_->{n}) } @$rows }, { known('syscall', 'count') }),
			differences({ map { ($_->{syscall} => $_->{total_ns}) } @$rows }, { known('syscall', 'total_ns') }));
	},
	'Which system calls fail, and with what?' => sub {
		my ($rows) = @_;
		my %got;
		# The thread's registers after rt_sigreturn(2) are those of before the signal, and so is its "result".
		$got{$_->{syscall}} += $_->{n} for grep { $_->{syscall} ne 'rt_sigreturn' } @$rows;
		my %want = known('syscallusage', 'errors');
		delete @want{grep { /^unknown:|^rt_sigreturn$/ } keys %want};
		return differences(\%got, \%want);
	},
	'How long do disks take?' => sub {
		my ($rows) = @_;
		return (differences({ map { ("$_->{disk}:$_->{operation}" => $_->{n}) } @$rows }, { known('biotime', 'count') }),
			differences({ map { ("$_->{disk}:$_->{operation}" => $_->{p50_ns}) } @$rows }, { known('biotime', 'p50_ns') }));
	},
	'Which interrupts take most time?' => sub {
		my ($rows) = @_;
		my (%got);
		$got{$_->{kind} =~ /^(irq|vector|softirq)$/ ? $_->{name} : $_->{kind}} += $_->{total_ns} for @$rows;
		return differences(\%got, { known('irq', 'total_ns') });
	},
	'How much goes over the network, each tenth of a second?' => sub {
		my ($rows) = @_;
		my %got;
		$got{"$_->{interface}:$_->{direction}"} += $_->{bytes} for @$rows;
		return differences(\%got, { known('netsize', 'total_bytes') });
	},
	'Which threads have most page faults?' => sub {
		my ($rows) = @_;
		return differences({ map { ($_->{tid} => $_->{faults}) } grep { $_->{faults} } @$rows }, { known('fault', 'faults', 'tid') });
	},
	'How busy was each CPU?' => sub {
		my ($rows) = @_;
		# What a CPU did before a thread on it was known is not a thread's.
		my %want = map { ($_->{cpu} => ($_->{threads_ns} + $_->{irq_ns} + $_->{softirq_ns}) / 1e6) } @{$analysis->{cpu}{rows}};
		return map { "CPU $_->{cpu} ran $_->{ms} ms, not about $want{$_->{cpu}}" }
			grep { abs($_->{ms} - $want{$_->{cpu}}) > 0.02 * $want{$_->{cpu}} + 20 } @$rows;
	},
);

my %seen;
for my $recipe (recipes()) {
	my ($heading, $query) = @$recipe;
	(my $name = lc $heading) =~ s/[^a-z]+/_/g;
	$name =~ s/_$//;
	my @answers = eval { run('sql', '--format', 'json', $trace, $query) };

	if ($@ || !@answers) {
		fail("sql_$name", $@ || 'there is no answer');
		next;
	}
	$seen{$heading} = 1;
	if (!$compare{$heading}) {
		ok("sql_$name");
	} else {
		result("sql_$name", $compare{$heading}->($answers[0]));
	}
}
result('sql_recipes_are_all_there', map { "doc/sql.md does not ask \"$_\"" } grep { !$seen{$_} } sort keys %compare);
