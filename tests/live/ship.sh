#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 3600
# tier: all
#
# `lkst ship` with a real recording, ClickHouse server and store: what each second had is on the server once, and as a
# snapshot of the recording has it, also when service, server and what is between them are killed, or else counted as lost;
# an incident's row comes at once, its account and bundle later. LKST_SHIP_KILLS: how often all of them are killed.
# tests/unit/ship.c kills it at each of its steps, and tests/unit/ship_answers.c has all that servers may answer.
. "$(dirname "$0")/lib/live.sh"
. "$lib/../../lib/servers.sh"

needs_the_recorder
for program in /usr/sbin/clickhouse-server nginx curl; do
	command -v $program >/dev/null || skip_all "ship: there is no $program; tools/install-deps check-all installs it"
done
if "$LKST" fleet setup http://127.0.0.1:1 2>&1 | grep -q 'built without libcurl'; then
	skip_all 'ship: this program was built without libcurl'
fi

clickhouse='' store='' front='' shipper=''
end_all()
{
	local one

	for one in $shipper $front $store $clickhouse; do
		kill -CONT "$one" 2>/dev/null
		server_end "$one"
	done
	clean_up
}
at_exit end_all

(umask 077 && echo lkst:secret >"$work/credentials" && echo me:mine >"$work/store-credentials")
# What comes twice is to be seen, and not to be merged before somebody looks.
mkdir "$work/clickhouse" && : >"$work/clickhouse/keeps-rows"
clickhouse_start "$work/clickhouse" secret >"$work/said" || { fail ship_server_starts "$(<"$work/said")"; exit 1; }
store_start "$work/store" me:mine >"$work/said" || { fail ship_store_starts "$(<"$work/said")"; exit 1; }
# Between them is one that speaks TLS, and can be cut off.
front_start "$work/front" "$clickhouse_url" >"$work/said" || { fail ship_front_starts "$(<"$work/said")"; exit 1; }
server=$front_url
"$LKST" fleet setup --credentials "$work/credentials" "$clickhouse_url" >"$work/said" 2>&1 ||
	{ fail ship_sets_up "$(<"$work/said")"; exit 1; }

# ask QUERY: the lines of the answer, without the names of columns
ask()
{
	"$LKST" fleet sql --credentials "$work/credentials" -f csv "$clickhouse_url" "$1" 2>"$work/asked" | tail -n +2 | tr -d '\r'
}

# ship OPTION...: starts the service; $shipper is its process, what it says goes to $work/ship.log.
storing=(--store "$store_url" --store-credentials "$work/store-credentials")
ship()
{
	"$LKST" ship --every 1s --spool "$work/spool" --credentials "$work/credentials" "${storing[@]}" \
		--label rack=7 --label service=web --timeout 5s \
		--ca "${ca:-$work/front/certificate}" "$@" "$server" >>"$work/ship.log" 2>&1 &
	shipper=$!
	wait_until 600 is_begun $shipper "$LKST"
}

ship_end()
{
	kill "$shipper" 2>/dev/null
	wait "$shipper" 2>/dev/null
	shipper=
}

has_rows()
{
	[ "$(ask "select count() from second_rows where $1")" -gt "${2:-0}" ] 2>/dev/null
}

# has_said TEXT: since the log was emptied
has_said()
{
	grep -qF -- "$1" "$work/ship.log"
}

# Whether nothing waits.
is_empty()
{
	[ -z "$(find "$work/spool" -type f -name '[sihbl]*')" ]
}

has_started=yes
"$LKST" start --quiet --buffer 16M --incidents 2 --budget none || { fail ship_starts_to_record; exit 1; }

# ---- a few seconds, and what they had --------------------------------------------------------------

ship --by-cgroup '*'
# System calls, and sleeps in between.
perl -e 'for (;;) { getppid() for 1 .. 20; select undef, undef, undef, 0.01 }' &
children+=($!)
if wait_until 600 has_rows "measure = 'syscall' and cgroup = '' and n > 0" 5; then
	ok ship_sends_seconds
else
	fail ship_sends_seconds "$(tail -n 3 "$work/ship.log" "$work/asked")"
	exit 1
fi
# A snapshot, of which seconds from $first up to $end are whole; on a machine that records much there may be none.
has_a_moment()
{
	local from to

	rm -rf "$work/moment"
	"$LKST" snapshot --quiet --output "$work/moment"
	offset=$(sed -n 's/^[[:space:]]*offset = \([0-9]*\);.*/\1/p' "$work/moment/metadata" | head -n 1)
	read -r from to < <("$LKST" sql -f csv "$work/moment" "select max(first) + $offset, min(last) + $offset from
		(select min(time_ns) first, max(time_ns) last from sched_switch group by cpu)" | tail -n 1 | tr -d '\r' | tr , ' ')
	first=$((from / 1000000000 + 1)) end=$((to / 1000000000))
	# The service's first one has the rest of the second before it.
	oldest=$(ask 'select min(toUInt32(second)) + 1 from seconds')
	[ "$oldest" -le $first ] || first=$oldest
	[ $first -lt $end ]
}
wait_until 600 has_a_moment || fail ship_has_a_moment "$first to $end"
# Threads of cgroups are some of all threads: of a second with its cgroups, each measure has no more than the machine.
in_cgroups="measure in ('runqueue', 'syscall', 'lock', 'cpu') and second in (select second from seconds where cgroup != '')"
expect ship_counts_cgroups_apart \
	"$(ask "select measure from (select measure, second, sumIf(total, cgroup != '') as parts, sumIf(total, cgroup = '') as whole,
		sumIf(n, cgroup != '' and measure = 'syscall') as calls, sumIf(n, cgroup = '' and measure = 'syscall') as whole_calls
		from seconds where $in_cgroups group by measure, second) where parts > whole or calls > whole_calls")" ''
if has_rows "cgroup != '' and measure = 'syscall' and n > 0"; then
	ok ship_has_cgroups
elif ! grep -q 'cgroup' /proc/mounts; then
	echo 'skip ship_has_cgroups: this machine has no cgroups'
else
	fail ship_has_cgroups "$(ask 'select distinct cgroup from second_rows' | head -n 5)"
fi

# ---- an incident -----------------------------------------------------------------------------------

"$LKST" incident keep --after 100ms --reason 'a test of shipping' >"$work/kept"
has_incident()
{
	[ "$(ask "select count() from incidents where $1")" = 1 ]
}
wait_until 600 has_incident "reason = 'a test of shipping'"
expect ship_sends_an_incident "$(ask "select number, kernel, toString(trace) != '' from incidents")" "1,$(uname -r),1"
if wait_until 600 has_incident "bundle != ''"; then
	ok ship_says_where_the_bundle_is
else
	fail ship_says_where_the_bundle_is "$(ask 'select revision, note from incidents'); $(tail -n 3 "$work/ship.log")"
fi
bundle=$(ask 'select bundle from incidents')
file=$work/store/files/${bundle##*/}
expect ship_puts_all_of_the_bundle "$(stat -c %s "$file")" "$(ask 'select bundle_bytes from incidents')"
if "$LKST" bundle show "$file" about 2>&1 | grep -q 'a test of shipping' && "$LKST" print "$file" | grep -q sched_switch; then
	ok ship_puts_a_bundle
else
	fail ship_puts_a_bundle "$("$LKST" bundle show "$file" 2>&1 | tail -n 3)"
fi
expect ship_sends_the_account "$(ask "select length(account) > 100, length(\`worst.tid\`) > 0, note from incidents")" '1,1,'
expect ship_makes_room_for_incidents "$("$LKST" incident list --json)" ''
expect ship_says_what_the_host_is \
	"$(ask "select host, kernel, label.value[indexOf(label.name, 'rack')], cpus from hosts")" \
	"$(hostname),$(uname -r),7,$(nproc)"

# ---- kills -----------------------------------------------------------------------------------------

# Calls of a program of 32 bits are others, of the same names.
if runs_32_bit; then
	while :; do "$load/syscalls32" leaf; sleep 0.2; done >"$work/called" 2>&1 &
	children+=($!)
fi
# Each of them is killed: a process of the service, which starts another one, what is between it and the server, the server,
# which starts again where it was, and the service with all that it has started. Meanwhile incidents are kept, as far as
# there is memory.
has_senders()
{
	[ "$(pgrep -c -P "$shipper")" -ge 2 ] && ! kill -0 "$one" 2>/dev/null
}
# position: the last second that is noted, and how many nobody counted before they were overwritten
position()
{
	awk '{ print $3, $4 }' "$work/spool/position"
}
kept=0
for ((kill = 0; kill < ${LKST_SHIP_KILLS:-1}; kill++)); do
	if "$LKST" incident keep --reason "at kill $kill" 2>"$work/kept" | grep -q '^incident '; then
		kept=$((kept + 1))
	fi
	one=$(pgrep -P "$shipper" | shuf -n 1)
	kill -KILL "$one"
	server_end "$front"
	server_end "$clickhouse"
	clickhouse_start "$work/clickhouse" secret >"$work/said" || fail ship_server_starts_again "$(<"$work/said")"
	front_start "$work/front" "$clickhouse_url" >"$work/said" || fail ship_front_starts_again "$(<"$work/said")"
	wait_until 600 has_senders || fail ship_starts_a_process_again "$(pgrep -a -P "$shipper")"
	server_end "$shipper"
	read -r last dropped <<<"$(position)"
	ship
done
wait_until 600 has_rows "toUInt32(second) > $last"
ship_end
# More seconds arrive, also those that it has counted when it ends, and then nothing waits.
read -r began dropped <<<"$(position)"
ship
if wait_until 600 has_rows "toUInt32(second) > $began + 3" && ship_end && read -r ended dropped_then <<<"$(position)" &&
	ship && wait_until 600 is_empty; then
	ok ship_goes_on_after_kills
else
	fail ship_goes_on_after_kills "$(find "$work/spool" -type f | head -n 5); $(tail -n 3 "$work/ship.log")"
fi
# A minute has what its seconds have, also one in which the service was ended, which sends each second at once here.
expect ship_sends_the_minute_that_it_ends_in \
	"$(ask "select sumIf(n, measure = 'runqueue') > 0, sumIf(n, measure = 'runqueue') - sumIf(n, measure = 'runqueue_minute'),
		sumIf(part.value[indexOf(part.name, 'seconds')], measure = 'runqueue_minute')
		from second_rows where cgroup = '' and toUInt32(second) > $began and toUInt32(second) <= $ended")" \
	"1,0,$((ended - began - dropped_then + dropped))"
has_all_incidents()
{
	[ "$(ask "select count(), countIf(account != '' and bundle != '' or note like 'it is not explained%') from incidents
		where reason like 'at kill %'")" = "$kept,$kept" ]
}
if [ $kept != 0 ] && wait_until 600 has_all_incidents; then
	ok ship_loses_no_incident
else
	fail ship_loses_no_incident "$kept were kept; $(ask "select number, revision, note, bundle from incidents where account = '' or bundle = ''"); $(ls "$work/spool"); $(tail -n 3 "$work/ship.log")"
fi
ship_end

# ---- nothing lost, nothing doubled -------------------------------------------------------------------

# Not by FINAL, which would hide it.
expect ship_sends_nothing_twice "$(ask 'select toUInt32(second) as s, measure, cgroup, trace, count() as c, uniqExact(n, total) from second_rows
	group by s, measure, cgroup, trace having c > 1 order by s, measure limit 20')" ''
if runs_32_bit; then
	expect ship_tells_calls_of_32_bits_apart \
		"$(ask "select sum(n) > 0 from second_rows where measure = 'compat:brk_minute'")
$(ask "select has(part.name, 'compat:brk') from second_rows where measure = 'syscall' and cgroup = '' and has(part.name, 'compat:brk') limit 1")
$(ask "select count() from second_rows where measure = 'syscall' and length(part.name) != length(arrayDistinct(part.name))")" $'1\n1\n0'
else
	echo 'skip ship_tells_calls_of_32_bits_apart: this kernel runs no 32-bit programs'
fi
expect ship_sends_no_incident_twice "$(ask 'select trace, number, revision, count() c from incident_rows group by trace, number, revision having c > 1')" ''
expect ship_has_a_whole_bundle_of_each "$(ask "select bundle, bundle_bytes from incidents where reason like 'at kill %'" | while IFS=, read -r bundle bytes; do
		[ "$(stat -c %s "$work/store/files/${bundle##*/}")" = "$bytes" ] || echo "$bundle has not $bytes bytes"
	done)" ''
# Every second from the first to the last is there, with all its measures, or counted: one that nobody counted before the
# memory was overwritten.
expect ship_loses_no_second_that_it_does_not_count \
	"$(ask "select max(toUInt32(second)) - min(toUInt32(second)) + 1 - count() from second_rows where measure = 'events'")" \
	"$(ask "select max(n) from second_rows where measure = 'ship'")"
expect ship_loses_no_measure "$(ask 'select count() from (select second, count() c from second_rows group by second) where c < 10')" 0

# The whole seconds within the snapshot, by event, as it has them. The clock is slewed: where a record is within 1 ms of the
# edge of a second, it may be on its other side here.
expected()
{
	"$LKST" sql -f csv "$work/moment" "select (time_ns + $offset) / 1000000000 s, event, count(*),
		sum((time_ns + $offset) % 1000000000 < 1000000 or (time_ns + $offset) % 1000000000 >= 999000000) from events
		where time_ns + $offset >= $first * 1000000000 and time_ns + $offset < $end * 1000000000
		group by s, event order by s, event"
}
got()
{
	ask "select toUInt32(second) s, name, value from seconds array join part.name as name, part.value as value
		where measure = 'events' and s >= $first and s < $end order by s, name"
}
expected | tail -n +2 | tr -d '\r' >"$work/expected"
got >"$work/got"
# Lives have a buffer of their own. Where many programs ran it has gone round, and the snapshot has them from where all CPUs do.
lives=0
if "$LKST" sql -f csv "$work/moment" 'select count(*) from sched_process_exit' 2>&1 | grep -q 'records are missing'; then
	lives=$("$LKST" sql -f csv "$work/moment" "select (max(first) + $offset) / 1000000000 + 1 from
		(select min(time_ns) first from sched_process_exit group by cpu)" 2>/dev/null | tail -n 1 | tr -d '\r')
fi
compared=$(awk -F, -v lives="$lives" '$1 < lives && $2 ~ /^(exec_args|sched_process_|task_|cgroup_|maskset_)/ { next }
	NR == FNR { n[$1 "," $2] = $3; near[$1 "," $2] = $4; next }
	{ key = $1 "," $2; seen[key] = 1; d = $3 - n[key]; d = d < 0 ? -d : d; if (d > near[key] + 2) print key ": " $3 ", not " n[key]; nr++ }
	END { for (key in n) if (!(key in seen) && n[key] > near[key]) print key ": none, not " n[key]
		if (nr < 10) print "only " nr " rows" }' "$work/expected" "$work/got")
expect ship_counts_what_a_snapshot_has "$(head -n 5 <<<"$compared")" ''

# ---- rows that are inserted again ------------------------------------------------------------------------

before=$(ask 'select count(), sum(n), sum(total) from seconds')
curl -s -H 'X-ClickHouse-User: lkst' -H 'X-ClickHouse-Key: secret' --data 'insert into lkst.second_rows select * from lkst.second_rows' "$clickhouse_url"
expect ship_rows_inserted_again_do_not_count "$(ask 'select count(), sum(n), sum(total) from seconds')" "$before"

# ---- a server that cannot be trusted, one that does not answer, and a file that is damaged ----------------

has_waiting()
{
	[ "$(find "$work/spool" -type f -name 's*' | wc -l)" -gt "$1" ]
}
: >"$work/ship.log"
# Of somebody else.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout "$work/key" -out "$work/other" 2>"$work/made"
ship --ca "$work/other"
if wait_until 600 has_said certificate && wait_until 600 has_waiting 0; then
	ok ship_trusts_no_other_certificate
else
	fail ship_trusts_no_other_certificate "$(tail -n 3 "$work/ship.log"); $(ls "$work/spool")"
fi
wait_until 600 has_waiting 3
ship_end
# Under that name the server has it: no two machines may have the same, nor two boots of one.
expect ship_names_the_host_by_its_boot "$(find "$work/spool" -type f -name 'h*' -printf '%f\n')" \
	"h0000000000-0-$(tr -d - </proc/sys/kernel/random/boot_id)"
# Nothing of what waits has been on its way: it may have waited since before the service began.
from=$(find "$work/spool" -type f -name 's*' -printf '%f\n' | sort | sed -n '1s/^s\([0-9]*\)-.*/\1/p')
# The second one; one of no seconds has a minute alone.
damaged=$(find "$work/spool" -type f -name 's*' ! -name 's*-0-*' | sort | sed -n 2p)
truncate -s 20 "$damaged"
count=${damaged##*/} count=${count#*-} count=${count%%-*}
kill -STOP "$clickhouse"
ship --timeout 1s
if wait_until 600 has_said 'did not answer in time' && wait_until 600 has_waiting 3; then
	ok ship_says_that_a_server_does_not_answer
else
	fail ship_says_that_a_server_does_not_answer "$(tail -n 3 "$work/ship.log"); $(ls "$work/spool")"
fi
kill -CONT "$clickhouse"
# What is missing is what it says, on a busy machine with some seconds that were overwritten.
says_what_is_damaged()
{
	missing=$(ask "select max(toUInt32(second)) - min(toUInt32(second)) + 1 - count() from second_rows final
		where measure = 'events' and toUInt32(second) >= $from")
	[ "${missing:-0}" -ge "$count" ] &&
		[ "$(ask "select max(n) - min(n), max(part.value[indexOf(part.name, 'damaged')]) > 0 from second_rows final
			where measure = 'ship' and toUInt32(second) >= $from")" = "$missing,1" ]
}
if wait_until 600 says_what_is_damaged; then
	ok ship_counts_what_is_damaged
else
	fail ship_counts_what_is_damaged "$count of $missing; $(tail -n 3 "$work/ship.log"); $(cat "$work/spool/position"); $(ask "select
		toUInt32(second) - $from, n from second_rows final where measure = 'ship' and toUInt32(second) >= $from order by second limit 20" | tr '\n' ' ')"
fi
ship_end
# It says at each start where it sends to.
expect ship_says_each_thing_once "$(grep -v '^sends to ' "$work/ship.log" | sort | uniq -d)" ''

exit $failed
