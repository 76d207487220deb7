#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Tests lkst fleet and lkst export --clickhouse with a real server, Debian's clickhouse-server, which this test starts
# on ports of its own on loopback, with its data in scratch, and ends: what is there afterwards is what `lkst sql` says,
# also after the export was repeated, or killed halfway.

set -u

. tests/lib/servers.sh

if [ ! -x /usr/sbin/clickhouse-server ]; then
	echo 'skip fleet: there is no clickhouse-server; tools/install-deps check-all installs it'
	exit
fi

verdict()
{
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "FAIL $1: ${2//$'\n'/; }"
	fi
}

# same NAME IS WANTED
same()
{
	verdict "$1" "$([ "$2" = "$3" ] || echo "\"$2\", not \"$3\"")"
}

# ---- a trace: 200,000 records on two CPUs, many at one time, in blocks of 4 KiB ------------------

cat >"$SCRATCH/make.c" <<'END'
#include "lib/make_trace.h"

int main(int argc, char **argv)
{
	size_t length;
	char *text = make_read(argv[1], "text", &length);

	return make_trace(argv[2], 4096, text) != 0;
}
END
awk 'BEGIN {
	print "state_thread ns=10 thread_tid=5 thread_pid=4 comm=\"five\" prio=120"
	for (i = 0; i < 99000; i++) {
		print "sched_switch cpu=" i % 2 " tid=5 ns=" 1000 + int(i / 6) " next_tid=" i % 1000 " prev_state=1 prev_prio=120"
		print "sched_waking cpu=" i % 2 " tid=5 ns=" 1000 + int(i / 6) " target_tid=" 500 - i % 1000
	}
	for (i = 0; i < 2000; i++)
		print "test_arrays cpu=1 tid=6 ns=" 90000 + i " name=\"it'\''s\\\"so\\\"\" numbers=1,2," i
}' >"$SCRATCH/text"
gcc -std=gnu11 -D_GNU_SOURCE -Isrc -Itests -o "$SCRATCH/make" "$SCRATCH/make.c" "$BUILD/libtest.a" "$BUILD/liblkst.a" \
	-lz -lzstd -lpthread -lm && "$SCRATCH/make" "$SCRATCH" "$SCRATCH/trace" || {
	echo 'FAIL fleet: no trace could be made'
	exit
}

# ---- the server --------------------------------------------------------------------------------

trap '[ -z "${clickhouse-}" ] || server_end "$clickhouse"' EXIT
mkdir "$SCRATCH/server"
if ! clickhouse_start "$SCRATCH/server" secret >"$SCRATCH/said"; then
	echo "FAIL fleet_server_starts: $(cat "$SCRATCH/said")"
	exit
fi
url=$clickhouse_url

# ---- setting up, credentials -------------------------------------------------------------------

credentials=$SCRATCH/credentials
(umask 077 && echo lkst:secret >"$credentials")
cp "$credentials" "$SCRATCH/open"
chmod 644 "$SCRATCH/open"
# ask QUERY: the lines of the answer, without the names of columns
ask()
{
	"$LKST" fleet sql --credentials "$credentials" -f csv "$url" "$1" | tail -n +2 | tr -d '\r'
}

# What the trace itself answers.
local_answer()
{
	"$LKST" sql -f csv "$SCRATCH/trace" "$1" | tail -n +2 | tr -d '\r'
}

export_to()
{
	"$LKST" export -q --credentials "$credentials" --clickhouse "$url" "$@" "$SCRATCH/trace" 2>&1
}

verdict fleet_needs_the_password "$("$LKST" fleet setup "$url" 2>&1 | grep -q 'refuses.*default' || echo 'is not refused')"
verdict fleet_password_is_not_for_others \
	"$("$LKST" fleet setup --credentials "$SCRATCH/open" "$url" 2>&1 | grep -q 'chmod 600' || echo 'is not refused')"
verdict fleet_export_wants_tables "$(export_to | grep -q 'lkst fleet setup' || echo 'is not refused')"
same fleet_sets_up "$(LKST_FLEET_CREDENTIALS=lkst:secret "$LKST" fleet setup "$url" 2>&1)" 'database lkst: tables of version 8'
mkdir "$SCRATCH/systemd" && cp -p "$credentials" "$SCRATCH/systemd/lkst-fleet"
same fleet_sets_up_once "$(CREDENTIALS_DIRECTORY=$SCRATCH/systemd "$LKST" fleet setup "$url" 2>&1)" \
	'database lkst: tables of version 8, nothing had to be changed'
same fleet_versions_are_noted "$(ask 'select version from schema_version order by version' | tr '\n' ' ')" '1 2 3 4 5 6 7 8 '
verdict fleet_sql_changes_nothing \
	"$("$LKST" fleet sql --credentials "$credentials" "$url" 'drop table schema_version' 2>&1 | grep -q readonly ||
		echo 'is not refused')"

# ---- an export that is killed, and two whole ones ------------------------------------------------

count=$(local_answer 'select count(*) from events')
# Stopped after the first block: the server has more than nothing and less than all.
export_to >"$SCRATCH/killed" &
killed=$!
for ((i = 0; i < 3000; i++)); do
	there=$(ask 'select count() from events')
	[ "${there:-0}" -gt 0 ] && break
done
{
	kill -KILL $(pgrep -P "$killed") "$killed"
	wait "$killed"
} 2>/dev/null
verdict fleet_export_is_by_blocks "$([ "${there:-0}" -gt 0 ] && [ "$there" -le "$count" ] || echo "$there of $count rows")"
verdict fleet_export_after_a_kill "$(export_to)"
same fleet_rows_are_there_once "$(ask 'select count() from events')" "$count"
verdict fleet_export_again "$(export_to)"
same fleet_rows_are_still_there_once "$(ask 'select count() from events')" "$count"
# A part of it, by another choice of records, is there already.
verdict fleet_export_of_a_part "$(export_to --event sched_waking --from @0.000005)"
same fleet_parts_are_there_once "$(ask 'select count() from events')" "$count"

# ---- the same answers ----------------------------------------------------------------------------

same fleet_events_by_name "$(ask 'select event, count() from events group by event order by event')" \
	"$(local_answer 'select event, count(*) from events group by event order by event')"
same fleet_sums "$(ask 'select sum(time_ns), sum(cpu), sum(tid) from events')" \
	"$(local_answer 'select sum(time_ns), sum(cpu), sum(tid) from events')"
same fleet_signed_fields \
	"$(ask "select sum(int.value[indexOf(int.name, 'target_tid')]), min(int.value[indexOf(int.name, 'target_tid')]) from events where event = 'sched_waking'")" \
	"$(local_answer 'select sum(target_tid), min(target_tid) from sched_waking')"
same fleet_names "$(ask 'select pid, comm, count() from events where tid = 5 group by pid, comm')" \
	"$(local_answer 'select pid, comm, count(*) from events where tid = 5 group by pid, comm')"
same fleet_unknown_is_null "$(ask 'select count() from events where isNull(pid)')" \
	"$(local_answer 'select count(*) from events where pid is null')"
same fleet_texts \
	"$(ask "select text.value[indexOf(text.name, 'name')], text.value[indexOf(text.name, 'numbers')] from events where event = 'test_arrays' order by time_ns desc limit 1")" \
	"$(local_answer 'select name, numbers from test_arrays order by time_ns desc limit 1')"
uuid=$(sed -n 's/.*[^_]uuid = "\(.*\)".*/\1/p' "$SCRATCH/trace/metadata" | head -n 1)
same fleet_trace_has_its_uuid "$(ask 'select distinct toString(trace) from events')" "$uuid"

# ---- a newer server -----------------------------------------------------------------------------

curl -s -H 'X-ClickHouse-User: lkst' -H 'X-ClickHouse-Key: secret' --data 'insert into lkst.schema_version select 99, now()' "$url"
verdict fleet_newer_tables_are_refused "$(for try in setup export; do
	case $try in
	setup) "$LKST" fleet setup --credentials "$credentials" "$url" 2>&1 ;;
	export) export_to ;;
	esac | grep -q 'are of version 99, and this lkst knows 8' || echo "$try is not refused"
done)"
