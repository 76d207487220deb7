#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Tests the dashboards for Grafana: they are what Grafana's own types say that a dashboard is, and each query of theirs
# finds, on a real server, what was put there. The server, Debian's, is on a port of loopback and ends with this test;
# tests/fleet_questions.sh asks the queries to ClickHouse.

set -u

lib=tests/dashboards
recording=etc/grafana/lkst-recording.json
fleet=etc/grafana/lkst-fleet.json

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

# ---- what a dashboard is -------------------------------------------------------------------------

# refused NAME SED: a dashboard that this changes is found to be wrong.
refused()
{
	sed "$2" "$recording" >"$SCRATCH/changed.json"
	verdict "dashboards_$1_is_refused" "$(cmp -s "$recording" "$SCRATCH/changed.json" && echo 'nothing was changed'
		check "$SCRATCH/changed.json" 2>&1 | grep -q '^changed.json: ' || echo 'it is not')"
}

check()
{
	NODE_PATH=/usr/share/nodejs node "$lib/check.js" "$modules" "$@" 2>&1
}

if ! command -v node >/dev/null || [ ! -d /usr/share/nodejs/typescript ]; then
	echo 'skip dashboards_are_of_grafanas_types: there is no node with typescript; tools/install-deps check-all installs both'
elif ! modules=$(tools/fetch-npm grafana 2>&1); then
	echo "skip dashboards_are_of_grafanas_types: $modules"
else
	verdict dashboards_are_of_grafanas_types "$(check "$recording" "$fleet")"
	refused a_misspelt_name 's/"gridPos": { "x": 4/"gridPlace": { "x": 4/'
	refused a_mode_that_there_is_not 's/"mode": "thresholds"/"mode": "threshold"/'
	refused text_for_a_number 's/"schemaVersion": 39/"schemaVersion": "39"/'
	refused an_unknown_option_of_a_panel 's/"stacking": { "mode"/"stacks": { "mode"/'
	refused an_unknown_part_of_a_query 's/"legendFormat"/"legend"/'
	refused a_panel_over_another 's/"gridPos": { "x": 12, "y": 4/"gridPos": { "x": 11, "y": 4/'
	refused an_unknown_variable 's/instance=~\\"$instance/instance=~\\"$machine/'
	refused a_fixed_server 's/"uid": "${source}" },/"uid": "mine" },/'
fi

# ---- the text for Prometheus ---------------------------------------------------------------------

verdict dashboards_ask_for_metrics_that_there_are "$(grep -o 'lkst_[a-z_]*' "$recording" | sort -u | while read -r name; do
	grep -q "\"$name\"" src/cmd/control/prometheus.c || echo "$name is no metric of lkst status --prometheus"
done)"

begin=1700000000
points=60
every=15 # seconds
end=$((begin + points * every))

# What two machines would have said, every 15 s: m1 records, m2 does not. The counters grow by so much in each second.
metrics()
{
	awk -v begin=$begin -v points=$points -v every=$every '
		function family(name, type) {
			print "# TYPE " (type == "counter" ? substr(name, 1, length(name) - 6) : name) " " type
			now = name
		}
		# By so much in each second, from the value at the beginning.
		function series(labels, value, more) {
			for (i = 0; i <= points; i++)
				printf "%s{instance=\"%s} %.9f %d\n", now, labels, value + more * i * every, begin + i * every
		}
		BEGIN {
			family("lkst_recording", "gauge"); series("m1\"", 1, 0); series("m2\"", 0, 0)
			family("lkst_recording_seconds", "gauge"); series("m1\"", 100, 1)
			family("lkst_memory_bytes", "gauge"); series("m1\"", 1048576, 0)
			family("lkst_events", "gauge"); series("m1\"", 42, 0)
			family("lkst_hooks", "gauge"); series("m1\"", 17, 0)
			family("lkst_history_seconds", "gauge")
			series("m1\",buffer=\"main\",cpu=\"0\"", 30, 0); series("m1\",buffer=\"main\",cpu=\"1\"", 20, 0)
			series("m1\",buffer=\"life\",cpu=\"0\"", 5, 0)
			family("lkst_written_bytes_total", "counter")
			series("m1\",buffer=\"main\",cpu=\"0\"", 0, 1000); series("m1\",buffer=\"main\",cpu=\"1\"", 0, 500)
			family("lkst_lost_events_total", "counter")
			series("m1\",buffer=\"main\",cpu=\"0\",cause=\"nested\"", 0, 2)
			series("m1\",buffer=\"main\",cpu=\"1\",cause=\"nested\"", 7, 0)
			series("m1\",buffer=\"main\",cpu=\"1\",cause=\"full\"", 0, 1)
			family("lkst_skipped_runs_total", "counter"); series("m1\",hook=\"sched_switch\"", 0, 4)
			family("lkst_cost_ratio", "gauge")
			series("m1\",kind=\"syscall\"", 0.02, 0); series("m1\",kind=\"sched\"", 0.01, 0)
			family("lkst_cost_busiest_ratio", "gauge"); series("m1\"", 0.03, 0)
			family("lkst_cost_limit_ratio", "gauge"); series("m1\"", 0.05, 0)
			family("lkst_left_out_kinds", "gauge"); series("m1\"", 3, 0)
			family("lkst_detached_hook_groups", "gauge"); series("m1\"", 2, 0)
			family("lkst_limit_helper", "gauge"); series("m1\"", 0, 0)
			family("lkst_left_out_seconds_total", "counter"); series("m1\",kind=\"lock\"", 0, 0.25)
			print "# EOF"
		}'
}

prometheus=
end_prometheus()
{
	[ -z "$prometheus" ] && return
	kill -KILL "$prometheus" 2>/dev/null
	wait "$prometheus" 2>/dev/null
	prometheus=
}

start_prometheus()
{
	local i try port

	metrics >"$SCRATCH/metrics" && promtool tsdb create-blocks-from openmetrics "$SCRATCH/metrics" "$SCRATCH/tsdb" >"$SCRATCH/log" 2>&1 ||
		return
	echo 'scrape_configs: []' >"$SCRATCH/prometheus.yml"
	for try in 1 2 3 4 5; do
		port=$((20000 + RANDOM % 10000))
		prometheus --config.file="$SCRATCH/prometheus.yml" --storage.tsdb.path="$SCRATCH/tsdb" --storage.tsdb.retention.time=100y \
			--web.listen-address=127.0.0.1:$port >"$SCRATCH/log" 2>&1 &
		prometheus=$!
		for ((i = 0; i < 600; i++)); do
			kill -0 "$prometheus" 2>/dev/null || break
			url=http://127.0.0.1:$port
			curl -s "$url/-/ready" | grep -q Ready && return
			sleep 0.1
		done
		end_prometheus
	done
	return 1
}

# panel NUMBER: what its queries are answered with, a line for each series: labels and value
panel()
{
	sed -n "s/^$1\t//p" "$SCRATCH/answers"
}

if ! command -v prometheus >/dev/null || ! command -v node >/dev/null; then
	echo 'skip dashboards_recording: there is no prometheus or no node; tools/install-deps check-all installs both'
elif ! start_prometheus; then
	echo "FAIL dashboards_prometheus_starts: $(tail -n 2 "$SCRATCH/log" | tr '\n' ' ')"
else
	trap end_prometheus EXIT
	node "$lib/queries.js" "$recording" $begin $end $every >"$SCRATCH/queries"
	node "$lib/evaluate.js" "$url" $end <"$SCRATCH/queries" >"$SCRATCH/answers"
	verdict dashboards_recording_has_answers "$(grep error "$SCRATCH/answers"
		diff <(cut -f 1 "$SCRATCH/queries" | grep -vx 0 | sort -u) <(cut -f 1 "$SCRATCH/answers" | sort -u))"
	same dashboards_recorded_machines "$(panel 1)" 1
	same dashboards_machines_not_recorded "$(panel 2)" 1
	same dashboards_shortest_history "$(panel 3)" 20
	# Two of one cause and one of another in each second; what was lost before does not count.
	same dashboards_lost "$(panel 4)" $((3 * points * every))
	same dashboards_machines_without_the_process "$(panel 5)" 1
	same dashboards_memory "$(panel 6)" 1048576
	same dashboards_history "$(panel 7)" 'm1 20'
	same dashboards_written "$(panel 8)" 'm1 1500'
	same dashboards_losses_by_cause "$(panel 9 | tr '\n' ' ')" 'full 1 nested 2 4 '
	same dashboards_cost "$(panel 10 | tr '\n' ' ')" 'lkst_cost_busiest_ratio m1 0.03 0.05 '
	same dashboards_cost_by_kind "$(panel 11 | tr '\n' ' ')" 'sched 0.01 syscall 0.02 '
	same dashboards_left_out "$(panel 12)" 'lock 0.25'
	same dashboards_machine_table "$(panel 13 | tr '\n' ' ')" "m1 42 m1 17 m1 $((100 + points * every)) m1 20 m1 3 m1 2 "
	end_prometheus
fi
