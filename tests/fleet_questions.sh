#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Tests the ready questions of lkst fleet, the recipes of doc/fleet.md and the dashboard of a fleet, with a real ClickHouse
# server on loopback that this test starts and ends. What machines have sent is made from durations that are known one by
# one, and is sent three times without the server having merged anything: each answer is what the durations say themselves.

set -u

. tests/lib/servers.sh

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

if [ ! -x /usr/sbin/clickhouse-server ] || ! command -v node >/dev/null; then
	echo 'skip questions: there is no clickhouse-server or no node; tools/install-deps check-all installs both'
	exit
fi
mkdir "$SCRATCH/server"
if ! clickhouse_start "$SCRATCH/server" >"$SCRATCH/said"; then
	echo "FAIL questions_server_starts: $(cat "$SCRATCH/said")"
	exit
fi
url=$clickhouse_url
trap 'server_end "$clickhouse"' EXIT

# ---- bundles in a store ----------------------------------------------------------------------------

cat >"$SCRATCH/make.c" <<'END'
#include "bundle/bundle.h"
#include "lib/make_trace.h"

int main(int argc, char **argv)
{
	struct lkst_bundle_text parts[LKST_BUNDLE_NR_PARTS] = { [LKST_BUNDLE_ABOUT] = { "bundle: 1\n", 10 } };
	struct lkst_err e = {};

	return make_trace(argv[1], 4096, "sched_switch cpu=0 tid=5 ns=1000 next_tid=6 prev_state=1 prev_prio=120\n") ||
	       lkst_bundle_write(&e, NULL, parts, argv[1], argv[2]);
}
END
gcc -std=gnu11 -D_GNU_SOURCE -Isrc -Itests -o "$SCRATCH/make" "$SCRATCH/make.c" "$BUILD/libtest.a" "$BUILD/liblkst.a" \
	-lz -lzstd -lpthread -lm && "$SCRATCH/make" "$SCRATCH/trace" "$SCRATCH/good" || {
	echo 'FAIL questions_bundle: none could be made'
	exit
}
bytes=$(stat -c %s "$SCRATCH/good")

# A store that keeps some promises only.
cat >"$SCRATCH/store.js" <<'END'
const fs = require("fs");
const good = fs.readFileSync(process.argv[2]);
const server = require("http").createServer((request, response) => {
	if (request.url == "/absent")
		response.writeHead(404).end("no");
	else if (request.url == "/html")
		response.writeHead(200).end("<html>Sign in</html>");
	else if (request.url == "/endless")
		(function more() { while (!response.destroyed && response.write(good)); response.once("drain", more); })();
	else
		response.writeHead(200).end(good);
}).listen(0, "127.0.0.1", () => fs.writeFileSync(process.argv[3], String(server.address().port)));
END
node "$SCRATCH/store.js" "$SCRATCH/good" "$SCRATCH/port" &
store_pid=$!
trap 'server_end "$store_pid"; server_end "$clickhouse"' EXIT
for ((i = 0; i < 600; i++)); do
	[ -s "$SCRATCH/port" ] && break
	sleep 0.1
done
store=http://127.0.0.1:$(cat "$SCRATCH/port")

# ---- rows, two of three of them three times ----------------------------------------------------------

say()
{
	curl -s --data-binary "$1" "$url" || echo "$1 failed"
}

# send TABLE FILE
send()
{
	curl -s --data-binary "@$2" "$url/?query=insert%20into%20lkst.$1_rows%20format%20TabSeparated"
}

verdict questions_want_tables "$("$LKST" fleet hosts "$url" 2>&1 | grep -q 'lkst fleet setup' || echo 'they are not missed')"
"$LKST" fleet setup "$url" >/dev/null
# Half an hour ago, and the same day for all of it.
seconds=120
begin=$(($(date +%s) - 1800))
[ $((begin / 86400)) = $(((begin + seconds) / 86400)) ] || begin=$((begin - seconds - 1))
end=$((begin + seconds))
awk -v begin=$begin -v seconds=$seconds -v out="$SCRATCH" -v store="$store" -v bytes="$bytes" -f tests/lib/fleet_rows.awk
for table in second host incident; do
	say "system stop merges lkst.${table}_rows"
done
verdict questions_rows_are_taken "$(for table in host second incident; do
	awk 'NR % 3' "$SCRATCH/${table}_rows" >"$SCRATCH/again"
	send $table "$SCRATCH/${table}_rows"
	send $table "$SCRATCH/again"
	send $table "$SCRATCH/again"
done)"
rows=$(wc -l <"$SCRATCH/second_rows")
same questions_server_has_not_merged "$(say 'select count() from lkst.second_rows')" $((rows + 2 * (rows - rows / 3)))

# ask VERB...: its answer as CSV, without the names of columns
ask()
{
	"$LKST" fleet -f csv "$@" 2>&1 | tail -n +2 | tr -d '\r'
}

# What the durations themselves say, of measure $1 from second $2 on, by column $3 of theirs: key,n,total,p50,p95,p99,worst
known()
{
	awk -F '\t' -v measure="$1" -v from="$2" -v key="$3" '$3 == measure && $4 >= from { print $key "\t" $5 }' "$SCRATCH/durations" |
		sort -t $'\t' -k 1,1 -k 2,2n | awk -F '\t' '
		function rank(q,    r) { r = q * n; r = r == int(r) ? r : int(r) + 1; return ns[r < 1 ? 1 : r] }
		function put() { if (n) printf "%s,%d,%.0f,%d,%d,%d,%d\n", key, n, total, rank(0.5), rank(0.95), rank(0.99), ns[n] }
		$1 != key { put(); key = $1; n = total = 0 }
		{ ns[++n] = $2; total += $2 }
		END { put() }'
}

# Lines of the first file and the second agree: fields $1 to the letter, fields $2 by the width of a bucket; numbers of fields
# are of both files.
agree()
{
	paste -d , "$3" "$4" | awk -F , -v exact="$1" -v about="$2" -v n="$(head -n 1 "$3" | awk -F , '{ print NF }')" '
		{
			m = split(exact, field, " ")
			for (i = 1; i <= m; i++)
				if ($field[i] != $(n + field[i]))
					print "line " NR ": " $field[i] ", not " $(n + field[i])
			m = split(about, field, " ")
			for (i = 1; i <= m; i++)
				if ($field[i] > $(n + field[i]) * (1 + 1 / 32) || $field[i] < $(n + field[i]) * (1 - 1 / 32))
					print "line " NR ": " $field[i] ", not about " $(n + field[i])
			lines++
		}
		END { if (!lines) print "there are none" }'
}

# ---- the worst hosts ---------------------------------------------------------------------------------

for measure in runqueue disk fsync; do
	ask top "$url" $measure | cut -d , -f 1-6 | sort >"$SCRATCH/is"
	known $measure $begin 1 | cut -d , -f 1-4,6,7 | sort >"$SCRATCH/wanted"
	verdict questions_top_$measure "$(agree '1 2 3 6' '4 5' "$SCRATCH/is" "$SCRATCH/wanted")"
done
middle=$(((begin + seconds / 2) / 60 * 60))
ask top --from "$(date -d @$middle '+%Y-%m-%d %H:%M:%S')" --label rack=r2 "$url" syscall | cut -d , -f 1-6 | sort >"$SCRATCH/is"
known syscall $middle 1 | grep -E "^(web2|it's)," | cut -d , -f 1-4,6,7 | sort >"$SCRATCH/wanted"
verdict questions_top_of_a_label_and_time "$(agree '1 2 3 6' '4 5' "$SCRATCH/is" "$SCRATCH/wanted")"
for by in p99 worst p50 total n; do
	case $by in n) column=2 ;; total) column=3 ;; p50) column=4 ;; p99) column=5 ;; worst) column=6 ;; esac
	ask top --by $by "$url" lock | cut -d , -f $column >"$SCRATCH/is"
	verdict questions_top_by_$by "$([ -s "$SCRATCH/is" ] || echo 'nothing'; sort -rnc "$SCRATCH/is" 2>&1)"
done
same questions_top_has_an_end "$(ask top -n 2 "$url" irq | wc -l)" 2
worst=$(awk -F '\t' '$3 == "runqueue" && $1 == "web1" && $5 > worst { worst = $5; at = $4 }
	END { printf "%d000000000", at - at % 60 < begin ? begin : at - at % 60 }' begin=$begin "$SCRATCH/durations")
same questions_top_says_when "$(ask top "$url" runqueue | awk -F , '$1 == "web1" { print $7 }')" "$worst"
same questions_top_of_a_cgroup "$(ask top --cgroup /a "$url" runqueue | cut -d , -f 1-6)" "web1,$seconds,$((77 * seconds)),77,77,77"
same questions_top_of_nothing "$(ask top "$url" nothing)" ''
verdict questions_top_wants_a_number "$("$LKST" fleet top --by size "$url" disk 2>&1 | grep -q 'p99, worst, p50, total or n' || echo 'is not refused')"

# ---- compared ----------------------------------------------------------------------------------------

awk -F '\t' 'NR == FNR { kernel[$3] = $5; next } { print kernel[$2] "\t" $2 "\t" $3 "\t" $4 "\t" $5 }' "$SCRATCH/host_rows" "$SCRATCH/durations" \
	>"$SCRATCH/by_kernel" && mv "$SCRATCH/durations" "$SCRATCH/by_host" && cp "$SCRATCH/by_kernel" "$SCRATCH/durations"
ask compare "$url" syscall | awk -F , -v OFS=, '{ print $1, $3, $4, $5, $6, $9 }' >"$SCRATCH/is"
known syscall $begin 1 | cut -d , -f 1,2,4-7 >"$SCRATCH/wanted"
verdict questions_compare_kernels "$(agree '1 2 6' '3 4 5' "$SCRATCH/is" "$SCRATCH/wanted")"
same questions_compare_counts_hosts "$(ask compare "$url" syscall | cut -d , -f 1,2 | tr '\n' ' ')" '6.1.0,4 6.6.0,1 '
# The p99 of each boot, from the lowest to the highest of a kernel.
ask compare "$url" syscall | awk -F , -v OFS=, '{ print $1, $7, $8 }' >"$SCRATCH/is"
known syscall $begin 2 | awk -F , 'NR == FNR { p99[$1] = $6; next } FNR == 1 { FS = "\t"; $0 = $0 }
	$3 in p99 { p = p99[$3]; if (!($5 in low) || p < low[$5]) low[$5] = p; if (p > high[$5]) high[$5] = p }
	END { for (k in low) print k "," low[k] "," high[k] }' - "$SCRATCH/host_rows" | sort >"$SCRATCH/wanted"
verdict questions_compare_boots "$(agree 1 '2 3' "$SCRATCH/is" "$SCRATCH/wanted")"
awk -F '\t' 'NR == FNR { split($9, rack, "\x27"); label[$3] = rack[2]; next } { print label[$2] "\t" $2 "\t" $3 "\t" $4 "\t" $5 }' \
	"$SCRATCH/host_rows" "$SCRATCH/by_host" >"$SCRATCH/durations"
ask compare --by rack "$url" disk | awk -F , -v OFS=, '{ print $1, $3, $4, $5, $6, $9 }' >"$SCRATCH/is"
known disk $begin 1 | cut -d , -f 1,2,4-7 >"$SCRATCH/wanted"
verdict questions_compare_labels "$(agree '1 2 6' '3 4 5' "$SCRATCH/is" "$SCRATCH/wanted")"
mv "$SCRATCH/by_host" "$SCRATCH/durations"
same questions_compare_versions "$(ask compare --by version "$url" lock | cut -d , -f 1-3)" "0.9,4,$(grep -c $'\tlock\t' "$SCRATCH/durations")"
same questions_compare_quotes "$(ask compare --by "ra'ck\\" "$url" lock | cut -d , -f 1,2)" ',4'

# ---- hosts -------------------------------------------------------------------------------------------

same questions_hosts "$(ask hosts "$url" | cut -d , -f 1-5,7-9 | tr '\n' ' ')" \
	"db1,6.1.0,0.9,4,rack=r1 role=web,1,1,0 it's,6.6.0,0.9,5,rack=r2 role=web,2,1,0 web1,6.1.0,0.9,2,rack=r1 role=web,1,1,0 web2,6.1.0,0.9,3,rack=r2 role=web,1,4,$((3 * seconds)) "
same questions_hosts_seen "$(ask hosts --label rack=r2 "$url" | cut -d , -f 1,6 | tr '\n' ' ')" \
	"it's,$((begin + seconds / 2))000000000 web2,${begin}000000000 "
same questions_hosts_of_another_time "$(ask hosts --from -2h --to -1h "$url" | cut -d , -f 8,9 | sort -u)" 0,0
left_out="web1,$((seconds * 500000000)),softirq syscall:*"
same questions_hosts_say_what_was_left_out "$(ask hosts "$url" | cut -d , -f 1,10,11 | tr '\n' ' ')" "db1,0, it's,0, $left_out web2,0, "
same questions_top_says_what_was_left_out "$(ask top "$url" syscall | cut -d , -f 1,9,10 | sort | tr '\n' ' ')" \
	"db1,0, it's,0, $left_out web2,0, "
same questions_say_what_was_left_out_in_their_time "$(ask hosts --from -2h --to -1h "$url" | cut -d , -f 10,11 | sort -u)" 0,
verdict questions_labels_are_checked "$("$LKST" fleet hosts --label rack "$url" 2>&1 | grep -q 'NAME=VALUE' || echo 'is not refused')"
verdict questions_times_are_checked "$("$LKST" fleet hosts --from -1h --to -2h "$url" 2>&1 | grep -q 'not before' || echo 'is not refused')"
same questions_hosts_as_json "$("$LKST" fleet hosts -f json "$url" | node -e '
	const { hosts } = JSON.parse(require("fs").readFileSync(0));
	console.log(hosts.rows.map(({ host, cpus, lost }) => `${host} ${cpus} ${lost}`).join("; "));')" \
	"db1 4 0; it's 5 0; web1 2 0; web2 3 $((3 * seconds))"

# ---- incidents ---------------------------------------------------------------------------------------

same questions_incidents "$(ask incidents "$url" | cut -d , -f 2-5 | tr '\n' ' ')" \
	"web2,a123c365.4,command, web2,a123c365.3,command, web2,a123c365.2,command, db1,a123c366.1,peer,sched_switch it's,a123c396.9,trigger 2,sched_switch web2,a123c365.1,command, web1,a123c364.3,trigger 1,block_rq_complete "
same questions_incidents_are_the_latest "$(ask incidents --where "event like 'block%'" "$url" | cut -d , -f 1,3,6-9,11)" \
	"$((begin + 10))000000007,a123c364.3,dd,77,60000000,6.1.0,$bytes"
same questions_incidents_have_the_first_finding \
	"$("$LKST" fleet -f json incidents "$url" | node -e '
	const { incidents } = JSON.parse(require("fs").readFileSync(0));
	console.log(incidents.rows.map(({ finding }) => finding).filter(Boolean).join("; "));')" \
	'dd waited in fsync() once, 60 ms: until disk vda was done'
same questions_incidents_of_a_label "$(ask incidents --label rack=r1 "$url" | cut -d , -f 2 | tr '\n' ' ')" 'db1 web1 '
same questions_newest_incident "$(ask incidents -n 1 "$url" | cut -d , -f 3)" a123c365.4
verdict questions_say_what_is_wrong "$("$LKST" fleet incidents --where 'no_such = 1' "$url" 2>&1 | grep -q no_such || echo 'it is not said')"

why=$("$LKST" fleet why "$url" a123c364.3 2>&1)
verdict questions_why "$(for part in 'web1, incident a123c364.3' 'trigger 1 at block_rq_complete' 'dd waited 60 ms:' '^58 ms for disk vda' \
	"the lock's owner slept" 'fsync .*the disk took 58 ms'; do
	grep -q "$part" <<<"$why" || echo "no $part in: $why"
done)"
same questions_why_as_csv "$(ask why "$url" a123c364.3 | cut -d , -f 2-5 | tr '\n' ' ')" \
	"$((begin + 10 - 1))900000000,60000000,77,dd $((begin + 10 - 1))800000000,2000000,78,dd "
verdict questions_why_of_a_moment "$("$LKST" fleet why "$url" m-1 2>&1 | grep -c '^\(db1\|it.s\), incident' | grep -qx 2 || echo 'not both machines')"
verdict questions_why_of_nothing "$(for id in a123c364.99 nonsense "x' or '1'='1"; do
	"$LKST" fleet why "$url" "$id" >/dev/null 2>"$SCRATCH/said" && echo "$id is known"
	grep -q 'has no incident' "$SCRATCH/said" || cat "$SCRATCH/said"
done)"

# ---- get ---------------------------------------------------------------------------------------------

mkdir "$SCRATCH/got"
get()
{
	"$LKST" fleet get -o "$SCRATCH/got" "$url" "$1" 2>&1
}
said=$(get a123c364.3) || said+=' failed'
verdict questions_get "$([ "${said%:*}" = "$SCRATCH/got/web1-a123c364.3.bundle" ] || echo "$said"
	cmp "$SCRATCH/good" "$SCRATCH/got/web1-a123c364.3.bundle" 2>&1
	"$LKST" print "$SCRATCH/got/web1-a123c364.3.bundle" 2>&1 | grep -q sched_switch || echo 'it cannot be read')"
verdict questions_get_of_a_moment "$(get m-1 >"$SCRATCH/said" && echo 'the late one is not missed'
	[ -s "$SCRATCH/got/db1-a123c366.1.bundle" ] || echo 'no bundle of db1'
	grep -q "it's has sent no bundle of a123c396.9: came 40 s late" "$SCRATCH/said" || cat "$SCRATCH/said")"
verdict questions_get_trusts_no_store "$(for id in a123c365.1:'and should have' a123c365.2:'status 404' a123c365.3:'there is more' a123c365.4:bundle; do
	get "${id%%:*}" >"$SCRATCH/said" && echo "$id is taken"
	grep -q "${id#*:}" "$SCRATCH/said" || cat "$SCRATCH/said"
done
[ "$(ls -A "$SCRATCH/got" | wc -l)" = 2 ] || ls -A "$SCRATCH/got")"

# ---- the recipes -------------------------------------------------------------------------------------

# Each has an answer here, but those for which nothing is wrong.
awk '/^## Questions/ { on = 1 } /^## / && !/^## Questions/ { on = 0 } on' doc/fleet.md | awk -v out="$SCRATCH/recipe" '
	/^```sql/ { inside = 1; file = out (++nr); next }
	/^```/ { inside = 0; close(file) }
	inside { print >file }'
verdict questions_recipes "$(n=0
	for recipe in "$SCRATCH"/recipe*; do
		said=$("$LKST" fleet -f csv sql "$url" "$(cat "$recipe")" 2>&1)
		[ "$(wc -l <<<"$said")" -gt 1 ] && n=$((n + 1)) || echo "$(cat "$recipe"): $said"
	done
	[ $n -gt 4 ] || echo "there are only $n")"

# ---- the dashboard -----------------------------------------------------------------------------------

# panel NUMBER [HOST]: what its query answers
panel()
{
	local number query wanted=$1

	shift
	node tests/dashboards/queries.js etc/grafana/lkst-fleet.json $begin $end 10 "$@" | while IFS=$'\t' read -r number query; do
		[ "$number" != "$wanted" ] || ask sql "$url" "$query"
	done
}
verdict questions_dashboard_has_answers "$(while IFS=$'\t' read -r number query; do
	said=$(ask sql "$url" "$query")
	[ -n "$said" ] || echo "panel $number: $("$LKST" fleet sql "$url" "$query" 2>&1 | tail -n 1)"
done < <(node tests/dashboards/queries.js etc/grafana/lkst-fleet.json $begin $end 10))"
same questions_dashboard_machines "$(panel 1)" 4
same questions_dashboard_machines_chosen "$(panel 1 web1 "it\\'s")" 2
same questions_dashboard_incidents "$(panel 2)" 7
same questions_dashboard_lost "$(panel 3)" $((3 * seconds))
same questions_dashboard_dropped "$(panel 4)" $((seconds - 1))
same questions_dashboard_points "$(panel 5 | wc -l)" $(((end - 1) / 60 - begin / 60 + 1))
same questions_dashboard_worst "$(panel 5 | cut -d , -f 4 | sort -n | tail -n 1)" \
	"$(awk -F '\t' '$3 == "runqueue" { print $5 }' "$SCRATCH/durations" | sort -n | tail -n 1)"
same questions_dashboard_records "$(panel 11 db1 | awk -F , '$2 == "db1" { sum += $3 * 10 } END { print sum }')" $((1002 * seconds))
same questions_dashboard_busy "$(panel 12 "it\\'s" | cut -d , -f 3 | sort -u)" 0.5

# ---- credentials for a store ---------------------------------------------------------------------------

# A store that asks for them, one that sends whoever asks elsewhere, and one that notes what it was given.
cat >"$SCRATCH/listening.js" <<'END'
const fs = require("fs");
const good = fs.readFileSync(process.argv[2]);
const server = require("http").createServer((request, response) => {
	fs.appendFileSync(process.argv[4], `${request.url} ${request.headers.authorization ?? "nothing"}\n`);
	response.writeHead(200).end(good);
}).listen(0, "127.0.0.1", () => fs.writeFileSync(process.argv[3], String(server.address().port)));
END
node "$SCRATCH/listening.js" "$SCRATCH/good" "$SCRATCH/listening_port" "$SCRATCH/heard" &
listening_pid=$!
trap 'server_end "$listening_pid"; server_end "${private-}"; server_end "${elsewhere-}"; server_end "$store_pid"; server_end "$clickhouse"' EXIT
for ((i = 0; i < 600; i++)); do
	[ -s "$SCRATCH/listening_port" ] && break
	sleep 0.1
done
listening=http://127.0.0.1:$(cat "$SCRATCH/listening_port") open_store=$store
if ! command -v nginx >/dev/null; then
	echo 'skip questions_get_has_credentials: there is no nginx; tools/install-deps check-all installs it'
elif ! store_start "$SCRATCH/private" 'lkst:secret' >"$SCRATCH/said"; then
	echo "FAIL questions_private_store_starts: $(cat "$SCRATCH/said")"
else
	private=$store private_url=$store_url
	mkdir "$SCRATCH/private/files/bundles" && cp "$SCRATCH/good" "$SCRATCH/private/files/bundles/one"
	nginx_start "$SCRATCH/elsewhere" "; location / { return 302 $listening/stolen; }" >"$SCRATCH/said" || cat "$SCRATCH/said"
	elsewhere=$nginx elsewhere_url=http://$nginx_at
	# place NUMBER URL: an incident of web1 whose bundle is there
	place()
	{
		awk -F '\t' -v OFS='\t' -v number="$1" -v url="$2" -v good="$open_store/good" '
			{ for (i = 1; i <= NF; i++) if ($i == good) { at = i } }
			at && !done { $at = url; $4 = number; print; done = 1 }' "$SCRATCH/incident_rows" >"$SCRATCH/placed_rows"
		curl -s --data-binary "@$SCRATCH/placed_rows" "$url/?query=insert%20into%20lkst.incident_rows%20format%20TabSeparated"
	}
	place 101 "$private_url/bundles/one"
	place 102 "$elsewhere_url/bundles/one"
	place 103 "$listening/foreign"
	place 104 "$private_url.example/bundles/one"
	place 105 "$private_url/bundles/../bundles/one"
	(umask 077 && echo 'lkst:secret' >"$SCRATCH/store_credentials" && echo 'lkst:wrong' >"$SCRATCH/wrong_credentials")
	mkdir "$SCRATCH/store_systemd" && cp -p "$SCRATCH/store_credentials" "$SCRATCH/store_systemd/lkst-store"
	# get_with DIRECTORY NUMBER OPTIONS...
	get_with()
	{
		local dir=$SCRATCH/$1 number=$2

		shift 2
		mkdir -p "$dir"
		"$LKST" fleet get -o "$dir" "$@" "$url" "a123c364.$number" 2>&1
	}
	{
		get_with by_file 101 --store "$private_url/bundles/" --store-credentials "$SCRATCH/store_credentials"
		CREDENTIALS_DIRECTORY=$SCRATCH/store_systemd get_with by_systemd 101 --store "$private_url"
		LKST_STORE_CREDENTIALS=lkst:secret get_with by_variable 101 --store "$private_url/bundles"
	} >"$SCRATCH/said"
	same questions_get_has_credentials "$(for by in file systemd variable; do cmp "$SCRATCH/good" "$SCRATCH/by_$by/web1-a123c364.101.bundle" 2>&1 && echo $by; done | tr '\n' ' ')" \
		'file systemd variable '
	verdict questions_get_says_that_credentials_are_wrong "$(get_with none 101 --store "$private_url" --store-credentials "$SCRATCH/wrong_credentials" >"$SCRATCH/said" &&
		echo 'it is there'
	grep -q 'refuses these credentials (status 401)' "$SCRATCH/said" || cat "$SCRATCH/said"
	grep -q wrong "$SCRATCH/said" && echo 'the password is said')"
	verdict questions_get_says_that_credentials_are_missing "$(LKST_STORE_CREDENTIALS=lkst:secret get_with none 101 >"$SCRATCH/said" && echo 'it is there'
	grep -q 'without credentials: name it by --store' "$SCRATCH/said" || cat "$SCRATCH/said"
	get_with none 101 --store-credentials "$SCRATCH/store_credentials" >"$SCRATCH/said" && echo 'it is there'
	grep -q 'which --store URL names' "$SCRATCH/said" || cat "$SCRATCH/said"
	chmod 644 "$SCRATCH/wrong_credentials"
	get_with none 101 --store "$private_url" --store-credentials "$SCRATCH/wrong_credentials" | grep -q 'chmod 600' || echo 'a file for all is taken')"
	export LKST_STORE_CREDENTIALS=lkst:secret
	verdict questions_get_is_not_sent_elsewhere "$(get_with none 102 --store "$elsewhere_url" >"$SCRATCH/said" && echo 'it is there'
	grep -q 'elsewhere (status 302), which is not followed' "$SCRATCH/said" || cat "$SCRATCH/said"
	[ ! -e "$SCRATCH/heard" ] || cat "$SCRATCH/heard")"
	# A row is from any machine that may write to the server: what it names is asked for below the store only.
	place 106 "$private_url/bundles/%2e%2e/bundles/one"
	place 107 "$private_url/bundles/one?delete=1"
	verdict questions_get_asks_one_store "$(for number in 103 104 105 106 107; do
		get_with none "$number" --store "$private_url/bundles" >"$SCRATCH/said" && echo "$number is there"
		grep -q 'is not asked for' "$SCRATCH/said" || cat "$SCRATCH/said"
	done
	[ ! -e "$SCRATCH/heard" ] || cat "$SCRATCH/heard")"
	# Without a store, it is asked for of the server's own machine.
	place 108 "http://localhost:${listening##*:}/admin"
	verdict questions_get_asks_the_servers_machine "$(get_with none 108 >"$SCRATCH/said" && echo 'it is there'
	grep -q 'is not asked for' "$SCRATCH/said" || cat "$SCRATCH/said"
	[ ! -e "$SCRATCH/heard" ] || cat "$SCRATCH/heard"
	get_with other 103 >"$SCRATCH/said" || cat "$SCRATCH/said"
	[ "$(cat "$SCRATCH/heard")" = '/foreign nothing' ] || cat "$SCRATCH/heard")"
	unset LKST_STORE_CREDENTIALS
fi
