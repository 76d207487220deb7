#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Reads metrics in the text form of Prometheus and says what is wrong with them, a line each: the
# grammar (prometheus.io/docs/instrumenting/exposition_formats) and what `promtool check metrics` asks
# of names besides. Ends with 1 if anything is wrong.
use strict;
use warnings;

my (%type, %help, %seen, %done, $family);
my $nr = 0;

sub wrong { print "line $.: $_[0]\n"; $nr++ }

sub enter
{
	my ($name) = @_;
	return if defined $family && $family eq $name;
	wrong("family $name is not in one piece") if $done{$name};
	$done{$family} = 1 if defined $family;
	$family = $name;
}

while (<STDIN>) {
	wrong('no newline at the end') unless s/\n\z//;
	if (/^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S.*)$/) {
		enter($1);
		wrong("a second HELP of $1") if $help{$1}++;
	} elsif (/^# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (\S+)$/) {
		my ($name, $kind) = ($1, $2);
		enter($name);
		wrong("a second TYPE of $name, or one after its samples") if exists $type{$name};
		wrong("type $kind") unless $kind eq 'counter' || $kind eq 'gauge';
		wrong("a counter's name, and no other, ends in _total: $name")
			if ($kind eq 'counter') != ($name =~ /_total$/ ? 1 : 0);
		wrong("capitals in $name") if $name =~ /[A-Z]/;
		$type{$name} = $kind;
	} elsif (/^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\[\\n"])*",?)*)\})? (\S+)$/) {
		my ($name, $labels, $value) = ($1, $2 // '', $3);
		enter($name);
		wrong("$name has no TYPE before it") unless exists $type{$name};
		wrong("$name has no HELP") unless $help{$name};
		wrong("value $value") unless $value =~ /^[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?$/;
		my %label;
		while ($labels =~ /([a-zA-Z_][a-zA-Z0-9_]*)=/g) {
			wrong("label $1 twice") if $label{$1}++;
		}
		wrong("the same sample twice: $name\{$labels\}") if $seen{"$name\{$labels"}++;
	} else {
		wrong("not understood: $_");
	}
}
wrong('there is no sample') unless %seen;
exit($nr ? 1 : 0);
