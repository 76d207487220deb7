#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# lkst view writes a page: it has all bytes of the trace, is its owner's, and is where it should be; what cannot be shown is
# refused, and leaves nothing. tests/live/view.sh looks at such pages in a browser.
. "$(dirname "$0")/lib/live.sh"

cd "$work" || exit
"$LKST" record --quiet --output trace -- sh -c 'ls -R /usr/lib >/dev/null; true'
records_no_more
expect view_says_what_it_wrote "$("$LKST" view trace | cut -d, -f1)" trace.html
"$LKST" view --quiet --output empty.html
expect page_without_a_trace_is_small "$(($(stat -c %s empty.html) <= 400000))" 1
expect only_its_owner_reads_it "$(stat -c %a trace.html)" 600

# Each file of the trace is a script element of the page, packed by zstd, and written by src/cmd/view/byte_text.h.
mkdir files
perl -0777 -e '
	$_ = <STDIN>;
	while (/class="file" data-name="([^"\/]*)">([^<]*)</g) {
		my ($name, $bytes) = ($1, $2);
		$bytes =~ s/=(.)/chr(ord($1) - 64)/ges;
		open my $to, ">", "files/$name.zst" or die;
		print $to $bytes;
	}' <trace.html
zstd -qd --rm files/*.zst
expect page_has_all_files_of_the_trace "$(diff -r trace files 2>&1; ls files | wc -l)" "$(ls trace | wc -l)"

# Of the directory that one is in, the page is beside it.
mkdir named && cp -r trace named/itself
(cd named/itself && "$LKST" view --quiet .)
expect page_of_this_directory_has_its_name "$(ls named)" $'itself\nitself.html'

expect_refusal no_trace_no_page 'cannot open the trace nothing' view nothing
expect_refusal no_place_no_page 'No such file or directory' view --output no/where.html trace
expect nothing_is_left "$(find . -name '*.partial' | wc -l)" 0
exit "$failed"
