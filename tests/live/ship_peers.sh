#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
# timeout: 3600
#
# Moments that several machines keep, with a real ClickHouse server and a real store: `lkst ship` names its own incidents so that
# peers can be asked, keeps what peers ask for as far as it is there, and says what became of the rest. This kernel has one
# recording: the peers are rows as their own services would have sent them.
. "$(dirname "$0")/lib/live.sh"
. "$lib/../../lib/servers.sh"

needs_the_recorder
for program in /usr/sbin/clickhouse-server nginx curl; do
	command -v $program >/dev/null || skip_all "ship_peers: there is no $program; tools/install-deps check-all installs it"
done
if "$LKST" fleet setup http://127.0.0.1:1 2>&1 | grep -q 'built without libcurl'; then
	skip_all 'ship_peers: this program was built without libcurl'
fi

clickhouse='' store='' shipper=''
end_all()
{
	local one

	for one in $shipper $store $clickhouse; do
		server_end "$one"
	done
	clean_up
}
at_exit end_all

(umask 077 && echo lkst:secret >"$work/credentials" && echo me:mine >"$work/store-credentials")
clickhouse_start "$work/clickhouse" secret >"$work/said" || { fail peers_server_starts "$(<"$work/said")"; exit 1; }
store_start "$work/store" me:mine >"$work/said" || { fail peers_store_starts "$(<"$work/said")"; exit 1; }
"$LKST" fleet setup --credentials "$work/credentials" "$clickhouse_url" >"$work/said" 2>&1 ||
	{ fail peers_sets_up "$(<"$work/said")"; exit 1; }

# ask QUERY: the lines of the answer, without the names of columns
ask()
{
	"$LKST" fleet sql --credentials "$work/credentials" -f csv "$clickhouse_url" "$1" 2>"$work/asked" | tail -n +2 | tr -d '\r'
}

say()
{
	curl -s -H 'X-ClickHouse-User: lkst' -H 'X-ClickHouse-Key: secret' --data-binary "$1" "$clickhouse_url"
}

# fired HOST NUMBER SECONDS [BUNDLE]: an incident of a peer, at that time of day, of whose moment it is the first.
fired()
{
	say "insert into lkst.incident_rows (host, trace, number, revision, time, moment, reason, bundle) values
		('$1', '0badcafe-0000-4000-8000-00000000000$2', $2, $((${#4} > 0 ? 2 : 1)), $3 * 1000000000, 'm-0badcafe.$2', 'trigger 1', '${4-}')"
}

# ship OPTION...: starts the service; what it says goes to $work/ship.log.
storing=(--store "$store_url" --store-credentials "$work/store-credentials")
ship()
{
	"$LKST" ship --every 1s --spool "$work/spool" --credentials "$work/credentials" "${storing[@]}" \
		--timeout 5s "$@" "$clickhouse_url" >>"$work/ship.log" 2>&1 &
	shipper=$!
	wait_until 600 is_begun $shipper "$LKST"
}

# has_answered NUMBER CONDITION: whether there is a row of this machine for the peer's moment
own="host = '$(hostname)'"
has_answered()
{
	[ "$(ask "select count() from incidents where $own and moment = 'm-0badcafe.$1' and ($2)")" = 1 ]
}

# expect_answer NAME NUMBER CONDITION: there is one in the end
expect_answer()
{
	if wait_until 600 has_answered "$2" "$3"; then
		ok "$1"
	else
		fail "$1" "$(ask "select host, number, revision, moment, reason, note, bundle from incidents"); $(tail -n 3 "$work/ship.log" "$work/asked")"
	fi
}

get()
{
	"$LKST" fleet get --credentials "$work/credentials" --store "$store_url" --store-credentials "$work/store-credentials" \
		-o "$work/$2" "$clickhouse_url" "$1" 2>&1
}

has_started=yes
"$LKST" start --quiet --buffer 32M --incidents 1 --budget none || { fail peers_start_to_record; exit 1; }
began=$(date +%s)
perl -e 'for (;;) { getppid() for 1 .. 20; select undef, undef, undef, 0.01 }' &
children+=($!)
sleep 2

# ---- off -------------------------------------------------------------------------------------------------

# Nobody is asked, and nobody is heeded, unless peers are named.
fired db1 1 "$(date +%s)"
ship
"$LKST" incident keep --reason 'alone' >"$work/kept"
has_sent()
{
	[ "$(ask "select count() from incidents where $own and bundle != '' and $1")" -ge 1 ] 2>/dev/null
}
wait_until 600 has_sent "reason = 'alone'"
expect peers_are_not_asked_unless_named "$(ask "select moment, reason from incidents where $own")" ',alone'
server_end "$shipper"
# What was asked before is not kept after.
say "alter table lkst.incident_rows drop partition $(($(date +%s) / 86400))"
rm -rf "$work/spool"
"$LKST" stop --quiet
"$LKST" start --quiet --buffer 32M --incidents 1 --budget none || { fail peers_start_to_record_again; exit 1; }
began=$(date +%s)

# ---- the window is gone -------------------------------------------------------------------------------------

say "insert into lkst.host_rows (host, seen, label.name, label.value) values ('db2', now(), ['role', 'rack'], ['db', '7'])"
say "insert into lkst.host_rows (host, seen, label.name, label.value) values ('web9', now(), ['role', 'rack'], ['db', '8'])"
ship --peer db1 --peer it\'s --peer-label role=db --peer-label rack=7
fired db1 2 $((began - 660))
expect_answer peers_say_when_the_window_is_gone 2 "match(note, '^the window had gone by 1[0-9] min')"
expect peers_keep_nothing_that_is_gone "$("$LKST" incident list --json)" ''

# ---- it is kept ------------------------------------------------------------------------------------------------

sleep 1
at=$(date +%s)
# Who is no peer is not heeded: of another name, or with one of two labels only.
fired stranger 3 "$at"
fired web9 4 "$at"
fired it\\\'s 5 "$at"
expect_answer peers_keep_what_is_asked_for 5 "reason = 'peer' and bundle != '' and note = '' and length(account) > 0"
expect peers_do_not_heed_others "$(ask "select count() from incidents where $own and moment in ('m-0badcafe.3', 'm-0badcafe.4')")" 0
file=$work/store/files/$(basename "$(ask "select bundle from incidents where $own and moment = 'm-0badcafe.5'")")
expect peers_keep_that_time "$(($("$LKST" print --event sched_switch --from "$(date -d "@$at" '+%H:%M:%S')" --to "$(date -d "@$((at + 1))" '+%H:%M:%S')" \
	"$file" 2>"$work/said" | wc -l) > 10))" 1
# The same time again, asked for by another, who is known by its labels.
fired db2 6 "$at"
expect_answer peers_name_the_incident_that_has_it 6 \
	"match(note, '^it is in incident [0-9a-f]{8}[.][0-9]+ of this machine\$') and bundle = (select any(bundle) from incidents where $own and moment = 'm-0badcafe.5')"

# ---- all of it is brought together ----------------------------------------------------------------------------

# The peer's own bundle comes, too.
cp "$file" "$work/store/files/peer.bundle"
said=$(get m-0badcafe.6 some) && fail peers_miss_a_bundle "$said"
expect peers_say_who_has_sent_none "$(grep -c 'db2 has sent no bundle of 0badcafe.6 yet' <<<"$said")" 1
fired db2 6 "$at" "$store_url/peer.bundle"
if said=$(get m-0badcafe.6 all); then
	expect peers_are_brought_together "$(for got in "$work"/all/*; do cmp "$file" "$got" 2>&1 && basename "$got" | cut -d- -f1; done | sort | tr '\n' ' ')" \
		"$(printf '%s\n' db2 "$(hostname | cut -d- -f1)" | sort | tr '\n' ' ')"
else
	fail peers_are_brought_together "$said"
fi

# ---- this machine asks ------------------------------------------------------------------------------------------

"$LKST" incident keep --reason 'a test of asking' >"$work/kept"
wait_until 600 has_sent "reason = 'a test of asking'"
expect peers_are_asked_by_the_row_of_an_incident \
	"$(ask "select moment = concat('m-', substring(toString(trace), 1, 8), '.', toString(number)) from incidents where $own and reason = 'a test of asking'")" 1

# ---- it is killed before its answer has arrived ---------------------------------------------------------------------

# Without one of their columns the server takes no rows of this machine; it has no answer, and gives the request out again.
# What was kept for it is in the store by then, and no longer in memory.
say "alter table lkst.incident_rows drop column kernel"
fired db1 9 "$(date +%s)"
has_kept()
{
	[ -n "$(find "$work/spool" -name 'i*')" ] && [ -z "$(find "$work/spool" -name 'b*')" ] && [ -z "$("$LKST" incident list --json)" ]
}
wait_until 600 has_kept || fail peers_keep_without_an_answer "$(ls "$work/spool"); $("$LKST" incident list); $(tail -n 3 "$work/ship.log")"
server_end "$shipper"
: >"$work/ship.log"
ship --peer db1 --peer it\'s --peer-label role=db --peer-label rack=7
is_refused()
{
	grep -q ' refuses ' "$work/ship.log"
}
wait_until 600 is_refused || fail peers_send_again "$(ls "$work/spool"); $(tail -n 3 "$work/ship.log")"
# It asks each second.
sleep 3
say "alter table lkst.incident_rows add column kernel String after time_ns"
expect_answer peers_answer_once_what_was_asked_twice 9 "reason = 'peer' and bundle != '' and note = ''"

# ---- there is no room, and it is killed ---------------------------------------------------------------------------

# Without a store an incident stays in memory.
server_end "$shipper"
server_end "$store"
storing=()
ship --peer db1 --peer it\'s --peer-label role=db --peer-label rack=7
"$LKST" incident keep --reason 'in the way' >"$work/kept"
sleep 1
fired db1 7 "$(date +%s)"
expect_answer peers_say_that_there_is_no_room 7 "note like 'all banks hold incidents%'"
server_end "$shipper"
ship --peer db1 --peer it\'s --peer-label role=db --peer-label rack=7
fired db1 8 $((began - 660))
expect_answer peers_go_on_after_a_kill 8 "match(note, '^the window had gone by')"
expect peers_answer_once "$(ask "select moment, uniqExact(number) c from incident_rows where $own and moment like 'm-0badcafe%' group by moment having c != 1")" ''
expect peers_all_have_an_answer "$(ask "select moment from incident_rows where $own and moment like 'm-0badcafe%' group by moment order by moment" | tr '\n' ' ')" \
	'm-0badcafe.2 m-0badcafe.5 m-0badcafe.6 m-0badcafe.7 m-0badcafe.8 m-0badcafe.9 '
# What peers ask for is not known without a server, and that is said.
kill -STOP "$clickhouse"
says_that_it_is_not_known()
{
	grep -q 'did not answer in time.*what peers ask for is not known' "$work/ship.log"
}
wait_until 600 says_that_it_is_not_known && ok peers_say_that_the_server_is_silent || fail peers_say_that_the_server_is_silent "$(tail -n 3 "$work/ship.log")"
kill -CONT "$clickhouse"
server_end "$shipper"
shipper=
"$LKST" stop --quiet

# ---- two services, each with a name of its own ------------------------------------------------------------------------

# One after the other, since the kernel has one recording: what the first asks for the second one heeds, and it comes too late.
# as_host NAME COMMAND...: in the place of this shell
as_host()
{
	# shellcheck disable=SC2016 # for the other shell
	exec unshare --uts bash -c 'hostname "$0" && exec "$@"' "$@"
}
store_start "$work/store" me:mine >"$work/said" || fail peers_store_starts_again "$(<"$work/said")"
# serve_as NAME PEER: records as that host, and ships.
serve_as()
{
	(as_host "$1" "$LKST" start --quiet --buffer 32M --incidents 1 --budget none) || fail "peers_record_as_$1"
	rm -rf "$work/spool"
	as_host "$1" "$LKST" ship --every 1s --spool "$work/spool" --credentials "$work/credentials" --store "$store_url" \
		--store-credentials "$work/store-credentials" --peer "$2" "$clickhouse_url" >>"$work/ship.log" 2>&1 &
	shipper=$!
}
end_as()
{
	kill "$shipper"
	wait "$shipper" 2>/dev/null
	shipper=
	"$LKST" stop --quiet
}
own="host = 'first'"
serve_as first second
sleep 1
"$LKST" incident keep --reason 'on the first' >"$work/kept"
wait_until 600 has_sent "reason = 'on the first'"
moment=$(ask "select moment from incidents where $own and reason = 'on the first'")
end_as
serve_as second first
has_come_late()
{
	[ "$(ask "select match(note, '^the window had gone by [0-9]') from incidents where host = 'second' and moment = '$moment'")" = 1 ]
}
if wait_until 600 has_come_late; then
	ok peers_heed_what_another_service_asks
else
	fail peers_heed_what_another_service_asks "$moment; $(ask 'select host, moment, reason, note from incidents'); $(tail -n 3 "$work/ship.log")"
fi
end_as
said=$(get "$moment" two)
expect peers_say_who_was_late "$(grep -c '^second has sent no bundle of .*: the window had gone by ' <<<"$said")" 1
expect peers_leave_no_process "$(pgrep -f "$work/spool")" ''
expect peers_bring_what_there_is "$("$LKST" sql -f csv "$(echo "$work"/two/first-*.bundle)" "select count(*) > 10 from events" 2>"$work/said" | tail -n 1 | tr -d '\r')" 1

exit $failed
