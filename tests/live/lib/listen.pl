#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Listens at a socket and becomes a program that inherits it, as a service manager hands it over:
#
#   listen.pl SOCKET COMMAND...
use strict;
use warnings;
use IO::Socket::UNIX;
use POSIX ();

my $path = shift @ARGV;
my $socket = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => $path, Listen => 8) or die "$path: $!\n";
# A copy, unlike the original, is inherited.
POSIX::dup2($socket->fileno, 4) and POSIX::dup2(4, 3) or die "descriptor 3: $!\n";
POSIX::close(4);
$ENV{LISTEN_FDS} = 1;
$ENV{LISTEN_PID} = $$;
exec @ARGV or die "$ARGV[0]: $!\n";
