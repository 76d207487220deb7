#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Text from elsewhere that is printed to a terminal or in a table: names of threads that any user can choose, names of
# files, damaged metadata, and what a server says.
. "$(dirname "$0")/lib/live.sh"

esc=$'\e[31m' formula='=1+1|cmd!A0' turn=$'\xe2\x80\xaetxt.exe' broken=$'\xff\xfe\x9b'

# expect_clean NAME FILE: nothing in the file controls a terminal, turns text around or is not UTF-8
expect_clean()
{
	local bad

	bad=$(perl -we 'use strict; use Encode; local $/; my $text = <STDIN>;
		my $ok = eval { $text = decode("UTF-8", $text, Encode::FB_CROAK); 1 };
		if (!$ok) { print "it is not UTF-8" }
		elsif ($text =~ /([^\n\t\r[:^cntrl:]]|\r(?!\n)|[\x{61c}\x{200e}\x{200f}\x{2028}-\x{202e}\x{2066}-\x{2069}])/) {
			printf "U+%04X at %d", ord $1, $-[0];
		}' <"$2")
	if [ ! -s "$2" ]; then
		fail "$1" 'there is no text'
	elif [ -z "$bad" ]; then
		ok "$1"
	else
		fail "$1" "$bad"
	fi
}

# expect_no_formula NAME FILE: no cell begins as a formula does
expect_no_formula()
{
	local cell

	cell=$(perl -wne 's/\r?\n$//; for (/("(?:[^"]|"")*"|[^,"]*)(?:,|$)/g) {
		s/^"//; print "$_\n" if /^[=\@]/ || /^[+-]/ && !/^.[\d.]*"?$/ }' "$2" | head -n 1)
	expect "$1" "$cell" ''
}

# ---- a trace of threads that are called so ---------------------------------------------

record trace --event 'sched_*' --event 'syscall_*' -- perl -e 'for my $name (@ARGV) {
	defined(my $child = fork) or die;
	if (!$child) {
		open(my $comm, ">", "/proc/self/comm") or die;
		syswrite($comm, $name);
		select(undef, undef, undef, 0.001) for 1 .. 20;
		exit;
	}
	waitpid($child, 0);
}' "$esc" "$formula" "$turn" "$broken"
records_no_more
cd "$work" || exit
for format in text csv json flight; do
	"$LKST" print --format $format trace >"$work/$format" 2>"$work/errors"
	expect_clean "text_print_$format" "$work/$format"
done
expect_no_formula text_print_csv_has_no_formula "$work/csv"
for format in text csv json; do
	"$LKST" analyze --format $format all trace >"$work/analyze.$format" 2>"$work/errors"
	expect_clean "text_analyze_$format" "$work/analyze.$format"
	"$LKST" report --format $format trace >"$work/report.$format" 2>>"$work/errors"
	expect_clean "text_report_$format" "$work/report.$format"
	expect_no_formula "text_notes_of_$format" "$work/errors"
done
expect_no_formula text_analyze_csv_has_no_formula "$work/analyze.csv"
expect_no_formula text_report_csv_has_no_formula "$work/report.csv"
# That the names are there at all, and numbers below 0 are numbers.
expect text_names_are_there "$(grep -cF "'$formula" "$work/analyze.csv" | sed 's/^[1-9][0-9]*$/some/') $(
	grep -cF '\x1b[31m' "$work/analyze.csv" | sed 's/^[1-9][0-9]*$/some/')" 'some some'
"$LKST" check --counts trace >"$work/check" 2>&1
expect_clean text_check "$work/check"
"$LKST" why --worst syscall trace >"$work/why" 2>&1
expect_clean text_why "$work/why"

# ---- names of files, and damage --------------------------------------------------------

# complains NAME WORD COMMAND...: it fails, and what it says is clean, one line, and has the word
complains()
{
	local name=$1 word=$2

	shift 2
	if "$@" >"$work/out" 2>&1; then
		fail "$name" 'it did not fail'
	elif [ "$(wc -l <"$work/out")" != 1 ] || ! grep -qF -- "$word" "$work/out"; then
		fail "$name" "$(cat -v "$work/out")"
	else
		expect_clean "$name" "$work/out"
	fi
}

complains text_missing_file '\x1b[31m\xe2\x80\xaetxt.exe\xff\xfe\x9b' "$LKST" print "$work/$esc$turn$broken"
complains text_file_with_a_line_break 'a\nlkst: all is well' "$LKST" print "$work/a"$'\n'"lkst: all is well"
complains text_unknown_option '--\x1b[31m' "$LKST" print "--$esc"
complains text_unknown_command '\x1b[31m' "$LKST" "$esc"
cp -r trace damaged
perl -pi -e 's/sched_switch/sched_\x1b[31m\xffswi/' damaged/metadata
complains text_damaged_metadata '\x1b[31m' "$LKST" print damaged
cp -r trace "$esc$turn"
touch "$esc$turn/.partial"
"$LKST" print "$esc$turn" 2>"$work/note" >/dev/null
expect_clean text_note_about_a_file "$work/note"
"$LKST" cut --from +0s -o "cut$esc$turn" trace >"$work/out" 2>&1
expect_clean text_what_was_made "$work/out"

# ---- a server that is not to be trusted ------------------------------------------------

# answer TYPE: a server that answers one request with such a frame, and ends
answer()
{
	rm -f "$work/socket"
	perl -we 'use strict; use IO::Socket::UNIX;
		my ($path, $type, $text) = @ARGV;
		my $socket = IO::Socket::UNIX->new(Type => SOCK_STREAM, Local => $path, Listen => 1) or die;
		my $client = $socket->accept or die;
		sysread($client, my $request, 24);
		syswrite($client, pack("V V Q<", $type, length $text, 0) . $text);
		syswrite($client, pack("V V Q<", 1, 0, 0));' "$work/socket" "$1" "$esc$turn$broken"$'\nline' &
	children+=($!)
	wait_until 60 test -S "$work/socket"
}

answer 2
complains text_error_of_a_server '\x1b[31m' "$LKST" snapshot --socket "$work/socket" -o none
answer 5
"$LKST" status --socket "$work/socket" >"$work/out" 2>&1
expect_clean text_page_of_a_server "$work/out"
expect text_page_keeps_its_lines "$(wc -l <"$work/out")" 2
exit $failed
