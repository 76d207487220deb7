#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# A client of `lkst serve` that misbehaves.
#
#   client.pl SOCKET silent SECONDS      connects and sends nothing; prints how long it was endured
#   client.pl SOCKET unread SECONDS      asks for a snapshot and reads nothing of it; the same
#   client.pl SOCKET bytes HEX           sends these and prints what comes, escaped
#   client.pl SOCKET often N             asks N times for the status, as fast as it is answered; prints how many times it
#                                        was told to ask less often, what else it was refused for, and the seconds
#   client.pl SOCKET leave               asks for a snapshot, reads a little of it and is gone
use strict;
use warnings;
use IO::Socket::UNIX;
use Time::HiRes qw(time sleep);

my ($path, $how, $what) = @ARGV;
my $request = pack('V v v V V Q<', 0x57534b4c, 1, 1, 0, 0, 0);
sub begin { IO::Socket::UNIX->new(Type => SOCK_STREAM, Peer => $path) or die "connecting: $!\n" }
sub read_all
{
	my ($all, $part) = ('', '');
	$all .= $part while sysread($_[0], $part, 4096);
	return $all;
}
my $began = time;
my $socket = $how eq 'often' ? undef : begin();

$SIG{PIPE} = 'IGNORE';
if ($how eq 'silent' || $how eq 'unread') {
	$socket->syswrite($request) if $how eq 'unread';
	# The other end is gone when writing fails; with nothing read, its closing shows in no other way.
	while (time - $began < $what) {
		sleep 0.2;
		my $poll = '';
		vec($poll, $socket->fileno, 1) = 1;
		last if $how eq 'silent' && select(my $r = $poll, undef, undef, 0);
		last if $how eq 'unread' && !defined $socket->send('x', 0x4000);
	}
	printf "%.1f\n", time - $began;
} elsif ($how eq 'bytes') {
	$socket->syswrite(pack('H*', $what));
	$socket->shutdown(1);
	my $all = read_all($socket);
	$all =~ s/([^ -~])/sprintf '\\x%02x', ord $1/ge;
	print "$all\n";
} elsif ($how eq 'often') {
	my ($often, $others) = (0, 0);
	for (1 .. $what) {
		my $one = begin();
		$one->syswrite(pack('V v v V V Q<', 0x57534b4c, 1, 0, 0, 0, 0));
		my $all = read_all($one);
		if ($all =~ /you ask too often/) { $often++ } elsif ($all =~ /try again later|as one user may/) { $others++ }
	}
	printf "%d %d %d\n", $often, $others, time - $began + 1;
} elsif ($how eq 'leave') {
	$socket->syswrite($request);
	sysread($socket, my $part, 100);
}
