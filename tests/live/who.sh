#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
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

exit $failed
