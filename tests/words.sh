#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Tests that nothing is called by a word that doc/words.md rules out, and that this test would notice. The page has the
# patterns: what is set as code in the last column of the table that ends with a column "not".

set -u

# The patterns, one a line. A "|" within a cell of a table is written "\|".
patterns()
{
	perl -ne '
		$is_list = /\| not \|$/ || $is_list && /^\|/;
		next unless $is_list;
		s/\\\|/\001/g;
		my @cells = split /\|/;
		my $last = $cells[-1] =~ /\S/ ? $cells[-1] : $cells[-2];
		while ($last =~ /`([^`]*)`/g) {
			(my $pattern = $1) =~ tr/\001/|/;
			print "$pattern\n";
		}' doc/words.md
}

# Prints FILE:LINE and the words for each place in the files named on standard input that matches a pattern of file $1.
# A blank of a pattern is also the end of a line, with what begins the next line of a comment, a text or a manual page;
# and an underscore, so that names are read as well.
uses()
{
	perl -e '
		open(my $list, "<", shift) or die $!;
		chomp(my @patterns = <$list>);
		for (@patterns) {
			s/ /(?:[ \\t]|"?\\s*\\n\\s*(?:[*#"]|\/\/)?\\s*)+/g;
		}
		my $any = join "|", map { "(?:$_)" } @patterns;
		chomp(my @files = <STDIN>);
		for my $file (@files) {
			open(my $in, "<", $file) or die "$file: $!";
			my $text = do { local $/; <$in> } // "";
			$text =~ tr/_/ /;
			while ($text =~ /$any/gi) {
				my ($begin, $words) = ($-[0], $&);
				my $line = 1 + (substr($text, 0, $begin) =~ tr/\n//);
				$line += $words =~ /^\n/;
				$words =~ s/\s+/ /g;
				print "$file:$line: $words\n";
			}
		}' "$1"
}

# An example of each pattern: the first choice of each, and everything that may be missing.
examples()
{
	sed 's/\\b//g; s/(^|\[[^]]*\])//g; s/(\([^|)]*\)[^)]*)/\1/g; s/?//g' "$1"
}

patterns >"$SCRATCH/patterns"
if [ "$(wc -l <"$SCRATCH/patterns")" -lt 20 ]; then
	echo 'FAIL words_are_listed: doc/words.md has hardly any pattern'
	exit
fi

# The heritage page quotes the original systems.
found=$(find src wasi doc etc tools bench .ci README.md Makefile -type f | sort |
	grep -vxE 'doc/(words|heritage)\.md' | uses "$SCRATCH/patterns")
if [ -z "$found" ]; then
	echo 'ok words_are_those_of_the_list'
else
	echo "FAIL words_are_those_of_the_list: ${found//$'\n'/; }"
fi

# Each example alone on a line, in capitals, one word a line, and in a name; beside words that are right.
mkdir "$SCRATCH/mutants"
bad=
while IFS= read -r pattern; do
	echo "$pattern" >"$SCRATCH/pattern"
	example=$(examples "$SCRATCH/pattern")
	printf '/* This is the right word. */\n/* It %s now. */\n' "$example" >"$SCRATCH/mutants/plain.c"
	printf '# It %s\n' "${example^^}" >"$SCRATCH/mutants/loud.sh"
	printf ' * It\n * %s\n * now.\n' "${example// /$'\n * '}" >"$SCRATCH/mutants/wrapped.h"
	named=
	rm -f "$SCRATCH/mutants/name.h"
	if [[ $pattern == '\b'* && $example =~ ^[a-z\ ]+$ ]]; then
		named=' name.h:2'
		printf 'x_right;\nx_%s_now;\n' "${example// /_}" >"$SCRATCH/mutants/name.h"
	fi
	noticed=$(printf '%s\n' "$SCRATCH"/mutants/* | uses "$SCRATCH/pattern" | sed 's/: .*//; s/.*\///')
	[ "${noticed//$'\n'/ }" = "loud.sh:1$named plain.c:2 wrapped.h:2" ] || bad="$bad \"$example\": ${noticed//$'\n'/ };"
done <"$SCRATCH/patterns"
if [ -z "$bad" ]; then
	echo 'ok words_notices_each_pattern'
else
	echo "FAIL words_notices_each_pattern: noticed of$bad"
fi
