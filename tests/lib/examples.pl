#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0-only
#
# Prints the examples of a page, a line each, in their order and without "lkst": what is at a prompt, what is indented, and
# what stands between backticks, also over two lines.
#
#	perl examples.pl PAGE

use strict;
use warnings;

local $/;
my $text = <>;
my @examples; # of each: where it is, and its words

# What programs print within a fence is no example.
$text =~ s{^```.*?^```}{ (my $block = $&) =~ s/^(?!\$ lkst ).*$/ /mg; $block =~ s/`//gr }msge;
push @examples, [ pos $text, $1 ] while $text =~ /^(?:    )?(?:\$ |    )lkst ([a-z].*)$/mg;
push @examples, [ pos $text, $1 =~ s/\s+/ /gr ] while $text =~ /`lkst\s+([a-z][^`]*)`/g;
print "$_->[1]\n" for sort { $a->[0] <=> $b->[0] } @examples;
