#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Loads of known size, for the tests that compare what three sides count.
#
#   known_load.pl packets N     sends N datagrams over lo to a socket of its own
#   known_load.pl switches N    passes a byte N times to and fro between two processes on one CPU
#
# Prints "TID COUNT" for each thread that did it: packets that were sent, or how often the thread was switched
# away from, as the kernel counts it, just before it ends.
use strict;
use warnings;
use Socket;

my ($what, $nr) = @ARGV;

sub switches
{
	my $sum = 0;

	open(my $f, '<', '/proc/self/status') or die;
	/^(?:non)?voluntary_ctxt_switches:\s+(\d+)/ and $sum += $1 while <$f>;
	return $sum;
}

sub play
{
	my ($in, $out, $first) = @_;
	my $byte = 'x';

	for (1 .. $nr) {
		syswrite($out, $byte) == 1 or die if $first;
		sysread($in, $byte, 1) == 1 or die;
		syswrite($out, $byte) == 1 or die unless $first;
	}
	syswrite(STDOUT, "$$ " . switches() . "\n");
}

if ($what eq 'packets') {
	socket(my $to, AF_INET, SOCK_DGRAM, 0) or die;
	bind($to, sockaddr_in(0, INADDR_LOOPBACK)) or die;
	socket(my $from, AF_INET, SOCK_DGRAM, 0) or die;
	connect($from, getsockname($to)) or die;
	my $sent = 0;
	for (1 .. $nr) {
		$sent++ if defined send($from, 'x', 0);
		recv($to, my $text, 16, 0);
	}
	print "$$ $sent\n";
} else {
	my @cpus = `taskset -cp $$` =~ /: (\d+)/;
	`taskset -cp $cpus[0] $$`;
	pipe(my $a, my $b) or die;
	pipe(my $c, my $d) or die;
	my $pid = fork() // die;
	if ($pid) {
		play($a, $d, 1);
		waitpid($pid, 0);
	} else {
		play($c, $b, 0);
	}
}
