#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Who it was: arguments and users of processes that were there, that came and that have ended are those of /proc and of
# the programs themselves.

. "$(dirname "$0")/lib/live.sh"

# What trace $1 says of column $2 of process $3.
known()
{
	"$LKST" sql --format csv "$1" "select $2 from threads where tid = $3 and pid = $3 order by life desc limit 1" |
		tail -n +2 | tr -d '\r'
}

# The command line of process $1 as the kernel has it now, in hexadecimal digits.
cmdline()
{
	tr '\0' ' ' <"/proc/$1/cmdline" | sed 's/ $//' | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F
}

perl -e 'sleep 60' 'there was' '' "a'b" &
there=$!
children+=("$there")
wait_until 5 grep -q '^perl$' "/proc/$there/comm"
"$LKST" start --quiet --budget none --buffer 16M --event exec_args || exit 1
has_started=yes
perl -e 'sleep 60' "$(printf 'x%.0s' {1..300})" &
long=$!
children+=("$long")
setpriv --reuid 65534 --regid 65533 --clear-groups perl -e 'sleep 60' came &
came=$!
children+=("$came")
wait_until 5 grep -q '^perl$' "/proc/$came/comm"
wait_until 5 grep -q '^perl$' "/proc/$long/comm"
# shellcheck disable=SC2016 # the inner shell's own
ended=$(sh -c 'echo $$' ended with '*')
"$LKST" snapshot --quiet -o "$work/trace" || exit 1

expect args_of_a_process_that_was_there "$(known "$work/trace" 'hex(args)' "$there")" "$(cmdline "$there")"
expect args_of_a_process_that_came "$(known "$work/trace" 'hex(args)' "$came")" "$(cmdline "$came")"
# shellcheck disable=SC2016 # the inner shell's own
expect args_of_a_process_that_has_ended "$(known "$work/trace" args "$ended")" 'sh -c echo $$ ended with *'
expect users_of_a_process "$(known "$work/trace" "uid || ' ' || euid || ' ' || gid" "$came")" '65534 65534 65533'
expect users_of_this_process "$(known "$work/trace" "uid || ' ' || gid" "$there")" "$(id -u) $(id -g)"
expect args_that_are_cut "$(known "$work/trace" "length(args) || ' ' || args_bytes" "$long")" \
	"255 $(wc -c <"/proc/$long/cmdline")"

# ---- files ----

# What the kernel says of its descriptors is what each program prints before it calls fsync(): of its own, of a copy,
# after an exec, and of one that is another file's now.
cat >"$work/program.pl" <<'END'
use POSIX ();
sub sync_of { my $fd = shift; print readlink("/proc/self/fd/$fd"), "\n"; $| = 1; syscall(74, $fd) }
$| = 1;
chdir $ARGV[0];
my $a = POSIX::open("$ARGV[0]/a", POSIX::O_CREAT | POSIX::O_WRONLY);
sync_of($a);
my $copy = POSIX::dup($a);
POSIX::close($a);
my $b = POSIX::open("$ARGV[0]/b c", POSIX::O_CREAT | POSIX::O_WRONLY);
sync_of($copy);
sync_of($b);
waitpid(fork || do { sync_of($b); exec $^X, "-e", 'print readlink("/proc/self/fd/$ARGV[0]"), "\n"; syscall(74, $ARGV[0] + 0)', $b }, 0);
END
if [ "$(uname -m)" != x86_64 ]; then
	echo 'skip files_of_descriptors: the program calls fsync by its number on x86-64'
	exit $failed
fi
record files --buffer 16M --event 'syscall:*' -- perl "$work/program.pl" "$work" >"$work/printed" ||
	fail record_files "$(cat "$work/files.log")"
"$LKST" sql --format csv "$work/files" "select file from syscalls where syscall = 'fsync' and comm = 'perl' order by from_ns" |
	tail -n +2 | tr -d '\r"' >"$work/known"
expect files_of_descriptors "$(cat "$work/known")" "$(cat "$work/printed")"
expect files_in_print "$("$LKST" print --files -e syscall_entry_fsync "$work/files" | grep -c "<$work/b c>)")" 3

exit $failed
