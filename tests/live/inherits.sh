#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# What a command inherits from the shell that starts it: in the background it keeps nothing, no descriptor,
# directory or umask; and the limits of ulimit(1) are named when they are in the way.
. "$(dirname "$0")/lib/live.sh"

cd "$work" || exit

# ---- the background ----
touch lock
exec 9>lock
flock 9
mkdir -p here
umask 022
# Descriptor 8 is the pipe that tail reads; it ends when nobody has it open any more.
pid=$(
	{
		cd here && "$LKST" record --daemon --output 'part' --rotate 3 --event sched_process_exit \
			2>../daemon.err >../pid 8>&1
	} | timeout 60 cat >/dev/null
	echo "${PIPESTATUS[1]} $(cat pid)"
)
expect pipe_of_the_shell_ends "${pid%% *}" 0
pid=${pid##* }
children+=("$pid")
exec 9>&-
expect lock_of_the_shell_is_free "$(flock -n lock echo free)" free
expect daemon_is_in_no_directory "$(readlink "/proc/$pid/cwd")" /
expect daemon_has_its_own_umask "$(sed -n 's/^Umask:\t//p' "/proc/$pid/status")" 0077
expect daemon_reads_and_prints_nothing "$(readlink "/proc/$pid/fd/"[012] | sort -u)" /dev/null
expect daemon_has_nothing_of_the_test "$(readlink "/proc/$pid/fd/"* | grep -c "^$work/lock\|^pipe:")" 0
expect output_is_where_it_was_asked_for "$([ -e here/part/000001/metadata ] && echo yes || cat daemon.err)" yes
kill -USR2 "$pid"
wait_until 60 test -e here/part/000002/metadata || fail later_parts_are_there "$(ls here)"
kill "$pid"
is_gone()
{
	[ ! -e "/proc/$pid" ]
}
wait_until 60 is_gone
expect_whole parts_of_the_daemon_are_whole here/part
mkdir 'a%b'
expect_refusal_by directory_that_looks_like_a_time 'a path that begins with /' \
	bash -c "cd 'a%b' && '$LKST' record --daemon --output part --for 1s"

# ---- limits ----
# $1: the limit, as ulimit has it; the rest is a command.
limited()
{
	local option=$1 value=$2

	shift 2
	(
		ulimit "$option" "$value"
		"$@"
	)
}
expect_refusal_by limit_of_files_is_named 'may have open at most 64 files: ulimit -n' \
	limited -n 64 "$LKST" record --quiet --output files -- true
expect_refusal_by limit_of_memory_is_named 'may map at most 97.7 MiB: ulimit -v' \
	limited -v 100000 "$LKST" record --quiet --output memory -- true
expect_refusal_by limit_of_a_files_size_is_named 'may write to a file at most 8 KiB: ulimit -f' \
	limited -f 8 "$LKST" record --quiet --output small -- true
limited -f 512 "$LKST" record --quiet --output large -- bash -c 'ls -R /usr /usr' >/dev/null 2>err
expect full_file_is_a_full_disk "$? $(grep -c 'may write to a file at most 512 KiB: ulimit -f' err)" '1 1'
expect full_file_is_told_at_once "$(grep -c 'a file may not become larger (ulimit -f)' err)" 1
expect trace_of_full_files_is_there "$("$LKST" check --json large | perl -MJSON::XS -e '
	my $j = decode_json(<STDIN>); print $j->{records} > 1000 ? "records" : "none", " $j->{ending} $j->{bad_blocks}"')" \
	'records disk-full 0'
# The command that is run gets the signal as ever: 128 + SIGXFSZ.
limited -f 512 "$LKST" record --quiet --output child --event sched_switch -- \
	bash -c 'head -c 1M /dev/zero >too_large' 2>err
expect command_is_killed_as_ever $? 153
exit $failed
