#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 3600
#
# `lkst ship` with a real ClickHouse server and a real store: what each second had is on the server once, and as a
# snapshot of the recording has it, whatever of them is killed, cut off or full, or else counted as lost; an incident's
# row comes at once, its account and bundle later. LKST_SHIP_KILLS: how often they are killed.
. "$(dirname "$0")/lib/live.sh"
. "$lib/../../lib/servers.sh"

needs_the_recorder
for program in /usr/sbin/clickhouse-server nginx curl; do
	command -v $program >/dev/null || skip_all "ship: there is no $program; tools/install-deps check installs it"
done
if "$LKST" fleet setup http://127.0.0.1:1 2>&1 | grep -q 'built without libcurl'; then
	skip_all 'ship: this program was built without libcurl'
fi

clickhouse='' store='' front='' shipper='' mounted=
end_all()
{
	local one

	for one in $shipper $front $store $clickhouse; do
		kill -CONT "$one" 2>/dev/null
		server_end "$one"
	done
	[ -z "$mounted" ] || umount "$mounted"
	clean_up
}
at_exit end_all

(umask 077 && echo lkst:secret >"$work/credentials" && echo lkst:wrong >"$work/wrong" && echo me:mine >"$work/store-credentials")
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
"$LKST" snapshot --quiet --output "$work/moment"
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
# Any of them is killed: the service with all that it has started, or only one of its processes, or what is between it and
# the server, or the server, which starts again where it was. Meanwhile incidents are kept, as far as there is memory.
kept=0
for ((kill = 0; kill < ${LKST_SHIP_KILLS:-10}; kill++)); do
	if "$LKST" incident keep --reason "at kill $kill" 2>"$work/kept" | grep -q '^incident '; then
		kept=$((kept + 1))
	fi
	sleep "0.$((RANDOM % 9))$((RANDOM % 10))"
	case $((kill % 5)) in
	0 | 1)
		server_end "$shipper"
		ship
		;;
	2) kill -KILL "$(pgrep -P "$shipper" | shuf -n 1)" 2>/dev/null ;;
	3)
		server_end "$front"
		front_start "$work/front" "$clickhouse_url" >"$work/said" || fail ship_front_starts_again "$(<"$work/said")"
		;;
	4)
		server_end "$clickhouse"
		clickhouse_start "$work/clickhouse" secret >"$work/said" || fail ship_server_starts_again "$(<"$work/said")"
		;;
	esac
done
# Two more seconds arrive, and then nothing waits.
last=$(ask 'select max(toUInt32(second)) from seconds')
if wait_until 600 has_rows "toUInt32(second) > $last + 1" && ship_end && ship && wait_until 600 is_empty; then
	ok ship_goes_on_after_kills
else
	fail ship_goes_on_after_kills "$(find "$work/spool" -type f | head -n 5); $(tail -n 3 "$work/ship.log")"
fi
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

# ---- a minute that comes alone -------------------------------------------------------------------------

# What it ends in the service puts by itself, and here nothing in it has a duration. It arrives and is there again, as after
# a kill in between: the one that finds it asks the server for it.
ends_alone()
{
	local last

	last=$(ask 'select max(toUInt32(second)) from seconds')
	ship
	wait_until 600 has_rows "toUInt32(second) > $last + 1"
	# What is put now stays in the spool.
	kill -STOP "$clickhouse"
	ship_end
	kill -CONT "$clickhouse"
	alone=$(find "$work/spool" -type f -name 's*-0-*')
	# No second follows the last one of a whole minute.
	[ -n "$alone" ]
}
"$LKST" maskset set RNOTHING --quiet
quiet=$(date +%s)
ship
wait_until 600 has_rows "toUInt32(second) > $quiet + 1"
ship_end
if wait_until 600 ends_alone; then
	cp "$alone" "$work/alone"
	ship
	wait_until 600 is_empty
	ship_end
	cp "$work/alone" "$alone"
	ship
	wait_until 600 is_empty
	ship_end
	minute=${alone##*/s} minute=${minute%%-*}
	expect ship_sends_no_minute_twice \
		"$(ask "select countIf(measure = 'events_minute'), countIf(measure like '%_minute') from second_rows where cgroup = '' and toUInt32(second) = $minute")" '1,2'
else
	fail ship_sends_no_minute_twice "$(ls "$work/spool"); $(tail -n 3 "$work/ship.log")"
fi
"$LKST" maskset set standard --quiet

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
# From here on they are merged: a table of so many parts takes more memory to read than the server has.
server_end "$clickhouse"
rm "$work/clickhouse/keeps-rows"
clickhouse_start "$work/clickhouse" secret >"$work/said" || { fail ship_server_starts_again "$(<"$work/said")"; exit 1; }
has_merged()
{
	curl -s -H 'X-ClickHouse-User: lkst' -H 'X-ClickHouse-Key: secret' --data 'optimize table lkst.second_rows' "$clickhouse_url"
	[ "$(ask "select count() from system.parts where active and table = 'second_rows'")" -lt 20 ]
}
wait_until 600 has_merged || fail ship_server_merges "$(ask "select count() from system.parts where active and table = 'second_rows'")"
# Every second from the first to the last is there, with all its measures, or counted: one that nobody counted before the
# memory was overwritten.
expect ship_loses_no_second_that_it_does_not_count \
	"$(ask "select max(toUInt32(second)) - min(toUInt32(second)) + 1 - count() from second_rows where measure = 'events'")" \
	"$(ask "select max(n) from second_rows where measure = 'ship'")"
expect ship_loses_no_measure "$(ask 'select count() from (select second, count() c from second_rows group by second) where c < 10')" 0

# The whole seconds within the snapshot, by event, as it has them. The clock is slewed: where a record is within 1 ms of the
# edge of a second, it may be on its other side here.
offset=$(sed -n 's/^[[:space:]]*offset = \([0-9]*\);.*/\1/p' "$work/moment/metadata" | head -n 1)
read -r from to < <("$LKST" sql -f csv "$work/moment" "select max(first) + $offset, min(last) + $offset from
	(select min(time_ns) first, max(time_ns) last from sched_switch group by cpu)" | tail -n 1 | tr -d '\r' | tr , ' ')
first=$((from / 1000000000 + 1)) end=$((to / 1000000000))
# The first one has the rest of the second before it.
oldest=$(ask 'select min(toUInt32(second)) + 1 from seconds')
[ "$oldest" -le $first ] || first=$oldest
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

# ---- minutes that are cut short ----------------------------------------------------------------------------

# A minute has what its seconds have, also one in which the service was ended, which sends each second at once here.
# The last second, and how many that nobody counted before they were overwritten.
position()
{
	awk '{ print $3, $4 }' "$work/spool/position"
}
read -r from dropped <<<"$(position)"
ship
wait_until 600 has_rows "toUInt32(second) > $from + 3"
ship_end
read -r to dropped_then <<<"$(position)"
ship
wait_until 600 is_empty
ship_end
expect ship_sends_the_minute_that_it_ends_in \
	"$(ask "select sumIf(n, measure = 'runqueue') > 0, sumIf(n, measure = 'runqueue') - sumIf(n, measure = 'runqueue_minute'),
		sumIf(part.value[indexOf(part.name, 'seconds')], measure = 'runqueue_minute')
		from second_rows where cgroup = '' and toUInt32(second) > $from and toUInt32(second) <= $to")" \
	"1,0,$((to - from - dropped_then + dropped))"
expect ship_adds_up_records_and_times_by_the_minute \
	"$(ask "select replaceAll(measure, '_minute', '') as m, sumIf(n, m = measure) > 0, sumIf(n, m = measure) - sumIf(n, m != measure),
		sumIf(total, m = measure) - sumIf(total, m != measure),
		sumIf(arraySum(part.value), m = measure) - sumIf(arraySum(part.value) - part.value[indexOf(part.name, 'seconds')], m != measure)
		from second_rows where m in ('events', 'cpu') and cgroup = '' and toUInt32(second) > $from and toUInt32(second) <= $to
		group by m order by m")" $'cpu,1,0,0,0\nevents,1,0,0,0'

# ---- restarts, and incidents ---------------------------------------------------------------------------------

# told NUMBER: what the service has noted is that a row of it was put, and that nothing waits.
told()
{
	[ "$(awk '{ print $6, $7 }' "$work/spool/position" 2>/dev/null)" = "$1 $1" ] && is_empty
}
# keep REASON: $number is the incident's.
keep()
{
	number=$("$LKST" incident keep --reason "$1" | sed -n 's/^incident \([0-9]*\);.*/\1/p')
}
# The newest rows, for when something is wrong.
incidents()
{
	ask 'select number, revision, reason, note, bundle from incidents order by number desc limit 5'
}

# Without a store an incident stays in memory, where each process that starts finds it.
with_store=("${storing[@]}") storing=()
"$LKST" incident drop --quiet all
ship
keep 'before a restart'
wait_until 600 told "$number" || fail ship_explains_without_a_store "$(cat "$work/spool/position"); $(tail -n 3 "$work/ship.log")"
server_end "$shipper"
keep 'gone before a restart'
"$LKST" incident drop --quiet "$number"
gone=$number
keep 'while nothing was sent'
ship
wait_until 600 told "$number"
expect ship_sends_what_fired_while_it_was_down \
	"$(ask "select number, account != '', note from incidents where reason = 'while nothing was sent'")" "$number,1,"
expect ship_counts_what_was_gone_meanwhile "$(ask "select note like 'it had left memory%' from incidents where number = $gone")" 1
server_end "$shipper"
# Without what it has noted it does all of it again, but the server has it.
before=$(ask 'select count() from incident_rows')
rm "$work/spool/position"
ship
if wait_until 600 told "$number"; then
	expect ship_sends_nothing_twice_after_a_restart "$(ask 'select count() from incident_rows')" "$before"
else
	fail ship_sends_nothing_twice_after_a_restart "$(cat "$work/spool/position"); $(tail -n 3 "$work/ship.log")"
fi
server_end "$shipper"
"$LKST" incident drop --quiet all
storing=("${with_store[@]}")

# The process that explains an incident is killed, which is nicer than the others: another one does it. It takes a while
# where there is much to explain.
keep_much()
{
	perl -e 'getppid() for 1 .. 300000'
	keep "$1"
}
kill_explaining()
{
	local pid

	pid=$(ps -o pid= -o nice= --ppid "$shipper" | awk '$2 == 10 { print $1 }')
	[ -n "$pid" ] && kill -KILL "$pid" 2>/dev/null
}
# A pause would be too long for one that is fast.
kill_soon()
{
	local end=$((SECONDS + 600))

	until kill_explaining; do
		[ $SECONDS -lt $end ] || return 1
	done
}
ship
keep_much 'explained at last'
kill_soon || fail ship_explains_in_a_process "$(tail -n 3 "$work/ship.log")"
if wait_until 600 has_incident "reason = 'explained at last' and account != '' and bundle != '' and note = ''"; then
	ok ship_explains_again
else
	fail ship_explains_again "$(incidents); $(tail -n 3 "$work/ship.log")"
fi
# Not forever: also where all of it is sent, and it waits for its turn to free the memory.
keep 'never freed'
(exec 9<>/run/lkst.lock && flock 9 && exec sleep 3600) &
holding=$!
children+=($holding)
wait_until 600 has_incident "reason = 'never freed' and bundle != ''"
has_given_up()
{
	kill_explaining
	has_said "all of incident $number is in the spool, and its memory is not freed"
}
if wait_until 600 has_given_up; then
	ok ship_says_what_it_cannot_free
else
	fail ship_says_what_it_cannot_free "$(incidents); $(tail -n 3 "$work/ship.log")"
fi
kill "$holding"
"$LKST" incident drop --quiet "$number" || fail ship_leaves_what_it_cannot_free "$("$LKST" incident list)"
while :; do kill_soon; done &
killing=$!
children+=($killing)
keep_much 'never explained'
if wait_until 600 has_incident "reason = 'never explained' and note like 'it is not explained%'"; then
	ok ship_says_what_it_cannot_explain
else
	fail ship_says_what_it_cannot_explain "$(incidents); $(tail -n 3 "$work/ship.log")"
fi
kill "$killing"
ship_end
"$LKST" incident drop --quiet all

# ---- rows that are inserted again ------------------------------------------------------------------------

before=$(ask 'select count(), sum(n), sum(total) from seconds')
curl -s -H 'X-ClickHouse-User: lkst' -H 'X-ClickHouse-Key: secret' --data 'insert into lkst.second_rows select * from lkst.second_rows' "$clickhouse_url"
expect ship_rows_inserted_again_do_not_count "$(ask 'select count(), sum(n), sum(total) from seconds')" "$before"

# ---- a server that refuses, one of another version, and none ---------------------------------------------

# expect_waiting NAME TEXT OPTION...: nothing arrives, a line says why, and then all of it arrives.
expect_waiting()
{
	local name=$1 text=$2 from

	shift 2
	: >"$work/ship.log"
	from=$(date +%s)
	ship "$@"
	if ! wait_until 600 has_said "$text" || ! wait_until 600 has_waiting; then
		fail "$name" "$(tail -n 3 "$work/ship.log"); $(ls "$work/spool")"
		ship_end
		return
	fi
	[ $# = 0 ] || { ship_end; ship; }
	[ -z "${repair-}" ] || "$repair"
	if wait_until 600 has_rows "toUInt32(second) >= $from" && wait_until 600 has_all_since "$from"; then
		ok "$name"
	else
		fail "$name" "$(tail -n 3 "$work/ship.log"); $(ls "$work/spool")"
	fi
	ship_end
}
has_waiting()
{
	[ -n "$(find "$work/spool" -type f -name 's*')" ]
}
# From the second that the service began in, or the next, every one is there up to the last.
has_all_since()
{
	[ "$(ask "select max(toUInt32(second)) - min(toUInt32(second)) + 1 = count() and min(toUInt32(second)) <= $1 + 3
		from second_rows final where measure = 'events' and toUInt32(second) >= $1")" = 1 ]
}

expect_waiting ship_says_that_credentials_are_wrong 'refuses' --credentials "$work/wrong"

# Of somebody else.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -keyout "$work/key" -out "$work/other" 2>"$work/made"
expect_waiting ship_trusts_no_other_certificate 'certificate' --ca "$work/other"

curl -s -H 'X-ClickHouse-User: lkst' -H 'X-ClickHouse-Key: secret' --data 'insert into lkst.schema_version select 99, now()' "$clickhouse_url"
make_older()
{
	curl -s -H 'X-ClickHouse-User: lkst' -H 'X-ClickHouse-Key: secret' \
		--data 'drop table lkst.schema_version' "$clickhouse_url"
	"$LKST" fleet setup --credentials "$work/credentials" "$clickhouse_url" >"$work/said" 2>&1
}
repair=make_older expect_waiting ship_says_that_tables_are_newer 'are of version 99'

stop_server()
{
	kill -STOP "$clickhouse"
}
stop_server
go_on()
{
	kill -CONT "$clickhouse"
}
repair=go_on expect_waiting ship_says_that_a_server_does_not_answer 'did not answer in time' --timeout 1s

# A file that is damaged while it waits.
stop_server
ship --timeout 1s
wait_more()
{
	[ "$(find "$work/spool" -type f -name 's*' | wc -l)" -gt 3 ]
}
wait_until 600 wait_more
# Under that name the server has it: no two machines may have the same, nor two boots of one.
expect ship_names_the_host_by_its_boot "$(find "$work/spool" -type f -name 'h*' -printf '%f\n')" \
	"h0000000000-0-$(tr -d - </proc/sys/kernel/random/boot_id)"
# What waits may begin before this process did.
from=$(find "$work/spool" -type f -name 's*' -printf '%f\n' | sort | sed -n '1s/^s\([0-9]*\)-.*/\1/p')
damaged=$(find "$work/spool" -type f -name 's*' | sort | sed -n 2p)
truncate -s 20 "$damaged"
count=${damaged##*/} count=${count#*-} count=${count%%-*}
go_on
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

# HTML, as of a proxy; and what never ends.
mkdir -p "$work/store/files/html" && echo '<html><body>Please log in.</body></html>' >"$work/store/files/html/index.html"
server=$store_url/html
: >"$work/ship.log"
ship
if wait_until 600 has_said "$server refuses"; then
	ok ship_says_what_is_no_server
else
	fail ship_says_what_is_no_server "$(tail -n 3 "$work/ship.log")"
fi
ship_end
server=$front_url
expect ship_says_each_thing_once "$(sort "$work/ship.log" | uniq -d)" ''

# ---- a disk that is full, and a store that is not there ----------------------------------------------------

mkdir "$work/small"
if mount -t tmpfs -o size=80k,mode=700 none "$work/small"; then
	mounted=$work/small
	: >"$work/ship.log"
	server_end "$clickhouse"
	"$LKST" ship --every 1s --spool "$work/small/spool" --credentials "$work/credentials" "$clickhouse_url" >>"$work/ship.log" 2>&1 &
	shipper=$!
	has_dropped()
	{
		# The sum is a name: k, those that were damaged, those that are missing.
		[ "$(find "$work/small" -name 'k*' -printf '%f\n' | cut -d - -f 2 | sort -n | tail -n 1)" -gt 2 ] 2>/dev/null
	}
	from=$(date +%s)
	wait_until 600 has_dropped || fail ship_fills_a_disk "$(ls -l "$work/small/spool"); $(tail -n 3 "$work/ship.log")"
	clickhouse_start "$work/clickhouse" secret >"$work/said" || fail ship_server_starts_again "$(<"$work/said")"
	# What is missing between the first and the last second is what it says.
	says_what_is_lost()
	{
		[ "$(ask "select max(toUInt32(second)) - min(toUInt32(second)) + 1 - count() from second_rows final
			where measure = 'events' and toUInt32(second) >= $from")" = \
		  "$(ask "select max(n) from second_rows final where measure = 'ship' and toUInt32(second) >= $from")" ] &&
			[ -z "$(find "$work/small/spool" -type f -name 's*')" ]
	}
	if wait_until 600 says_what_is_lost; then
		ok ship_counts_what_a_full_disk_loses
	else
		fail ship_counts_what_a_full_disk_loses "$(tail -n 3 "$work/ship.log"); $(ls "$work/small/spool")"
	fi
	ship_end
else
	echo 'skip ship_counts_what_a_full_disk_loses: no file system can be mounted here'
fi

: >"$work/ship.log"
server_end "$store"
ship
"$LKST" incident keep --after 10ms --reason 'without a store' >"$work/kept"
has_no_store()
{
	grep -qi connect "$work/ship.log"
}
if wait_until 600 has_no_store; then
	ok ship_says_that_there_is_no_store
else
	fail ship_says_that_there_is_no_store "$(tail -n 3 "$work/ship.log")"
fi
expect ship_says_no_place_before_it_is_there "$(ask "select bundle from incidents where reason = 'without a store'")" ''
store_start "$work/store" me:mine >"$work/said" || fail ship_store_starts_again "$(<"$work/said")"
if wait_until 600 has_incident "reason = 'without a store' and bundle != ''"; then
	ok ship_puts_a_bundle_later
else
	fail ship_puts_a_bundle_later "$(ask 'select number, revision, note from incidents'); $(tail -n 3 "$work/ship.log")"
fi
ship_end

exit $failed
