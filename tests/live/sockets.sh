#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Addresses of sockets are those of getsockname() and inet_ntop(), for each call; what a descriptor refers to is told of
# those, too, and of those that were open already when the recording began.

. "$(dirname "$0")/lib/live.sh"

# The files of the calls of fsync() of process $2 in trace $1, in order.
files_of()
{
	"$LKST" sql --format csv "$1" \
		"select file from syscalls where syscall = 'fsync' and pid = $2 order by from_ns" | tail -n +2 | tr -d '\r"'
}

# What the records of addresses in trace $1 say, a line each.
addresses_in()
{
	"$LKST" print --format json --event 'socket_*' --comm sockets "$1" | perl -ne '
		my %f = /"(event|fd|family|port|address)":"?([^",}]*)/g;
		print "$f{event} $f{fd} $f{family} $f{port} $f{address}\n"'
}

record calls --buffer 16M --event 'syscall:*' --event 'socket_*' -- "$load/sockets" calls "$work" >"$work/printed" ||
	fail record_calls "$(cat "$work/calls.log")"
grep -q . "$work/calls.log" && sed 's/^/# /' "$work/calls.log"
grep '^socket_' "$work/printed" >"$work/wanted"
addresses_in "$work/calls" >"$work/got"
expect addresses_of_calls "$(diff "$work/wanted" "$work/got")" ''
expect addresses_are_of_each_kind "$(cut -d ' ' -f 3 "$work/wanted" | sort -u | tr '\n' ' ' | sed 's/10 //')" '0 1 2 '
pid=$("$LKST" sql --format csv "$work/calls" "select pid from threads where comm = 'sockets' limit 1" | tail -n 1 | tr -d '\r')
expect files_of_sockets "$(files_of "$work/calls" "$pid")" "$(sed -n 's/^file //p' "$work/printed")"

# Without any call, and one event alone.
record alone --buffer 4M --event socket_accept -- "$load/sockets" calls "$work/." >/dev/null ||
	fail record_alone "$(cat "$work/alone.log")"
expect one_event_alone "$(addresses_in "$work/alone" | cut -d ' ' -f 1,3,4 | sed 's/ [0-9]*$//' | sort | uniq -c)" \
	"$(grep '^socket_accept' "$work/wanted" | cut -d ' ' -f 1,3 | sort | uniq -c)"

# ---- open already ----

mkfifo "$work/in"
"$load/sockets" open "$work" <"$work/in" >"$work/opened" &
children+=($!)
exec 3>"$work/in"
wait_until 10 grep -q '^open' "$work/opened" || fail sockets_opened 'they are not'
pid=$(sed -n 's/^open //p' "$work/opened")
"$LKST" start --quiet --budget none --buffer 16M --event 'syscall:*' || exit 1
has_started=yes
echo >&3
wait_until 10 grep -q '/dev/null' "$work/opened" || fail sockets_called 'they are not'
"$LKST" snapshot --quiet -o "$work/before" || exit 1
# What was closed again before the snapshot is not known.
expect files_that_were_open_at_a_snapshot "$(files_of "$work/before" "$pid")" "$(sed -n 's/^file //p' "$work/opened" | sed '1s/.*//')"
expect files_that_were_open_in_print \
	"$("$LKST" print --files --event syscall_entry_fsync "$work/before" | grep -c '<socket to 127.0.0.1:[0-9]*>)')" 1
"$LKST" stop --quiet
has_started=no
# The same of a recording to disk, whose state is of its beginning.
echo >&3
wait_until 10 sh -c "! kill -0 $pid 2>/dev/null || grep -q Z /proc/$pid/stat"
exec 3>&-
mkfifo "$work/again"
"$load/sockets" open "$work" <"$work/again" >"$work/reopened" &
children+=($!)
exec 3>"$work/again"
wait_until 10 grep -q '^open' "$work/reopened" || fail sockets_opened_again 'they are not'
pid=$(sed -n 's/^open //p' "$work/reopened")
# shellcheck disable=SC2016 # the inner shell's own
record during --buffer 16M --event 'syscall:*' -- sh -c 'echo >&3; until grep -q /dev/null "$1"; do sleep 0.1; done' sh \
	"$work/reopened" || fail record_during "$(cat "$work/during.log")"
expect files_that_were_open_at_the_beginning "$(files_of "$work/during" "$pid")" "$(sed -n 's/^file //p' "$work/reopened")"
exec 3>&-

# ---- why ----

record waited --buffer 16M -- "$load/sockets" wait "$work" >"$work/name" || fail record_waited "$(cat "$work/waited.log")"
"$LKST" why --worst syscall:recvfrom --comm sockets --brief "$work/waited" >"$work/why"
expect why_names_the_other_side "$(grep -c "blocked in recvfrom() of $(cat "$work/name")," "$work/why")" 1

exit $failed
