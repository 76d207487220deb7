#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# `lkst serve`: who is answered and who is not, what a member of the group gets without root, and that a
# slow or hostile client harms nobody. Also what `lkst status` says in its forms.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder

# Any group of the machine's will do, and a user who is nobody.
group=$(awk -F: '$3 > 0 && $3 < 1000 && $1 != "nogroup" { print $1, $3; exit }' /etc/group)
gid=${group#* } group=${group% *}
member=(setpriv --reuid 65534 --regid 65534 --groups "$gid")
stranger=(setpriv --reuid 65534 --regid 65534 --clear-groups)
# The member must be able to get there.
work=$(mktemp -d) || exit 1
chmod 755 "$work"
socket=$work/socket
cp "$LKST" "$work/lkst"
cp "$lib/client.pl" "$work/client.pl"
chmod 755 "$work/lkst" "$work/client.pl"
install -d -o 65534 "$work/home"

# Runs a command as the member, in a directory that it may write to.
as_member()
{
	(cd "$work/home" && "${member[@]}" "$@")
}

# Whether a process listens at socket $1. The file alone does not prove it: a server that was killed leaves its file.
is_listening()
{
	# 00010000: __SO_ACCEPTCON
	awk -v path="$1" '$4 == "00010000" && $8 == path { found = 1 } END { exit !found }' /proc/net/unix
}

serve()
{
	"$LKST" serve --socket "$socket" --group "$group" "$@" 2>"$work/serve.log" &
	server=$!
	children+=("$server")
	wait_until 60 is_listening "$socket" || fail service_listens "$(cat "$work/serve.log")"
}

# says NAME PATTERN COMMAND...: the command fails with one line that matches.
says()
{
	local name=$1 pattern=$2 status

	shift 2
	"$@" >"$work/out" 2>"$work/err"
	status=$?
	if [ $status != 0 ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -q "$pattern" "$work/err"; then
		ok "$name"
	else
		fail "$name" "status $status: $(cat "$work/err")"
	fi
}

says missing_service_is_named "the service, which does not listen at $socket" \
	as_member "$work/lkst" status --socket "$socket"
says serve_needs_root 'serving needs root' as_member "$work/lkst" serve --socket "$socket"
says serve_names_a_missing_group 'there is no group "no-such-group"' "$LKST" serve --group no-such-group

serve
text=$(as_member "$work/lkst" status --socket "$socket" 2>&1)
if [ "$text" = 'nothing is being recorded' ]; then
	ok member_sees_that_nothing_is_recorded
else
	fail member_sees_that_nothing_is_recorded "$text"
fi
says member_learns_why_there_is_no_snapshot 'nothing is being recorded' \
	as_member "$work/lkst" snapshot --socket "$socket" -o none
if [ -e "$work/home/none" ]; then
	fail failed_snapshot_leaves_no_directory "$(ls -la "$work/home/none")"
else
	ok failed_snapshot_leaves_no_directory
fi

has_started=yes
"$LKST" start --quiet --budget none --buffer 16M 2>"$work/err" || fail service_start "$(cat "$work/err")"
sleep 0.5

if as_member "$work/lkst" snapshot --quiet --socket "$socket" -o trace 2>"$work/err"; then
	expect_whole member_gets_a_whole_snapshot "$work/home/trace"
	owners=$(find "$work/home/trace" ! -uid 65534 -o ! -gid 65534)
	if [ -z "$owners" ]; then
		ok snapshot_is_made_with_the_members_rights
	else
		fail snapshot_is_made_with_the_members_rights "not the member's: $owners"
	fi
	names=$("$LKST" print --event sched_switch "$work/home/trace" | grep -c '[0-9]/[a-z]')
	if [ "$names" -gt 10 ]; then
		ok snapshot_knows_the_threads_names
	else
		fail snapshot_knows_the_threads_names "$names lines with a name"
	fi
else
	fail member_gets_a_whole_snapshot "$(cat "$work/err")"
fi
if as_member "$work/lkst" snapshot --quiet --socket "$socket" -f trace.lkst 2>"$work/err"; then
	expect_whole member_gets_a_snapshot_in_one_file "$work/home/trace.lkst"
	left=$(find "$work/home" -maxdepth 1 -name 'trace.lkst.*')
	if [ -z "$left" ]; then
		ok only_the_one_file_stays
	else
		fail only_the_one_file_stays "$left"
	fi
else
	fail member_gets_a_snapshot_in_one_file "$(cat "$work/err")"
fi
if as_member "$work/lkst" status --json --socket "$socket" | grep -q '"recording":true'; then
	ok member_sees_the_status
else
	fail member_sees_the_status "no"
fi
says stranger_is_refused 'or to be a member of the group' \
	"${stranger[@]}" "$work/lkst" status --socket "$socket"
# Past the socket's mode, say because somebody handed a descriptor on: the server looks again.
chmod 666 "$socket"
says stranger_is_refused_by_the_server 'only members of the service.s group are answered' \
	"${stranger[@]}" "$work/lkst" status --socket "$socket"
chmod 660 "$socket"
for command in start stop; do
	says "member_may_not_$command" 'needs root' as_member "$work/lkst" $command
done

# In the form of Prometheus, to the letter, and as the other forms have it.
"$LKST" status --prometheus >"$work/metrics"
bad=$("$lib/prometheus.pl" <"$work/metrics")
if [ -z "$bad" ]; then ok prometheus_form_is_right; else fail prometheus_form_is_right "$bad"; fi
if command -v promtool >/dev/null; then
	if bad=$(promtool check metrics <"$work/metrics" 2>&1); then
		ok prometheus_form_pleases_promtool
	else
		fail prometheus_form_pleases_promtool "$bad"
	fi
else
	echo 'skip prometheus_form_pleases_promtool: promtool is not installed'
fi
hooks=$("$LKST" status --json | sed -n 's/.*"hooks":\([0-9]*\).*/\1/p')
if grep -qx "lkst_hooks $hooks" "$work/metrics"; then
	ok prometheus_form_has_the_same_numbers
else
	fail prometheus_form_has_the_same_numbers "$hooks hooks, but $(grep '^lkst_hooks' "$work/metrics")"
fi

# Too often: another user, who has not asked yet. Ten requests may come at once, and one more each second.
other=(setpriv --reuid 65533 --regid 65533 --groups "$gid")
"${other[@]}" env -u PERL5LIB "$work/client.pl" "$socket" often 40 >"$work/often"
read -r refused others seconds <"$work/often"
if [ "$refused" -le 30 ] && [ "$refused" -ge $((40 - 11 - seconds)) ] && [ "$refused" -gt 0 ]; then
	ok a_user_who_asks_too_often_waits
else
	fail a_user_who_asks_too_often_waits "$refused of 40 refused in $seconds s; $others"
fi
# That user's rate is nobody else's.
if "$LKST" status --socket "$socket" >/dev/null 2>"$work/err"; then
	ok other_users_do_not_wait
else
	fail other_users_do_not_wait "$(cat "$work/err")"
fi

# Clients that send nothing, read nothing, send what is no request, or leave; as root, whom the socket
# lets in as well, so that the member's rate is left alone.
answered()
{
	grep -c '^answering user' "$work/serve.log"
}
both_are_answered()
{
	[ "$(answered)" -ge $((before + 2)) ]
}
before=$(answered)
"$work/client.pl" "$socket" silent 60 >"$work/silent" &
children+=($!)
"$work/client.pl" "$socket" unread 100 >"$work/unread" &
children+=($!)
slow=("${children[@]: -2}")
wait_until 60 both_are_answered || fail slow_clients_are_let_in "$(cat "$work/serve.log")"
says as_many_as_may_be_for_one_user 'as many requests open as one user may' \
	"$LKST" status --socket "$socket"
if as_member "$work/lkst" status --socket "$socket" >/dev/null 2>"$work/err"; then
	ok slow_clients_hold_up_nobody
else
	fail slow_clients_hold_up_nobody "$(cat "$work/err")"
fi
# Nor does one that takes its time hold the lock that `lkst stop` takes.
if timeout 120 "$LKST" status >/dev/null && kill -0 "${slow[1]}"; then
	ok slow_clients_hold_no_lock
else
	fail slow_clients_hold_no_lock "status $?, or the client was gone before"
fi
wait "${slow[@]}"
silent=$(cat "$work/silent") unread=$(cat "$work/unread")
if [ "${silent%.*}" -le 40 ] && [ "${unread%.*}" -le 80 ]; then
	ok slow_clients_are_sent_away
else
	fail slow_clients_are_sent_away "endured for $silent s (silent) and $unread s (unread)"
fi
says_bytes()
{
	local got

	got=$("$work/client.pl" "$socket" bytes "$2")
	if grep -q "$3" <<<"$got"; then ok "$1"; else fail "$1" "it says: $got"; fi
}
says_bytes nonsense_is_refused "$(printf '%048d' 0)" 'this is not a request of lkst'
says_bytes half_a_request_is_refused 4c4b5357 'no request came'
says_bytes other_version_is_named "4c4b5357020001000000000000000000$(printf '%016d' 0)" \
	'the client speaks version 2, the server version 1'
"$work/client.pl" "$socket" leave
sleep 0.5
if kill -0 "$server" && "$LKST" status --socket "$socket" >/dev/null 2>"$work/err"; then
	ok a_client_that_leaves_does_no_harm
else
	fail a_client_that_leaves_does_no_harm "$(cat "$work/err" "$work/serve.log")"
fi

# Ending it takes the socket away; one that was left behind is replaced; idle, it ends by itself.
kill "$server"
wait "$server"
if [ $? = 0 ] && [ ! -e "$socket" ]; then
	ok serve_ends_and_removes_its_socket
else
	fail serve_ends_and_removes_its_socket "$(ls "$work")"
fi
serve
kill -KILL "$server"
wait "$server" 2>/dev/null
serve --idle 15s
if "$LKST" status --socket "$socket" >/dev/null; then
	ok left_over_socket_is_replaced
else
	fail left_over_socket_is_replaced "$(cat "$work/serve.log")"
fi
if timeout 180 tail --pid="$server" -f /dev/null; then
	ok serve_ends_when_idle
else
	fail serve_ends_when_idle "it still runs"
fi

# Started by a service manager: the socket comes as descriptor 3.
if command -v systemd-socket-activate >/dev/null; then
	systemd-socket-activate --listen="$work/activated" "$LKST" serve --group "$group" --idle 15s \
		2>"$work/activate.log" &
	children+=($!)
	wait_until 60 is_listening "$work/activated"
	if "$LKST" status --json --socket "$work/activated" | grep -q '"recording":true'; then
		ok serve_takes_over_an_inherited_socket
	else
		fail serve_takes_over_an_inherited_socket "$(cat "$work/activate.log")"
	fi
else
	echo 'skip serve_takes_over_an_inherited_socket: systemd-socket-activate is not installed'
fi

exit $failed
