# SPDX-License-Identifier: GPL-2.0-only
# The loads that recording is measured with; read after lib.sh. load_NAME prints the CPU time that it took, in seconds, or
# seconds per call, request or MB: the time on the clock depends on what else the machine does, and on how much of the
# processors the hypervisor leaves it. Those of nginx, redis and pgbench need start_NAME before them, and
# stop_nginx and stop_servers when the script ends.

first_port=18080 # that of CPU 0; each other CPU's follows
nginx_pids=()    # by CPU

# Runs a command, leaves what it prints in $scratch/printed, and prints the CPU time of it and its children, in seconds.
cpu_of()
{
	local TIMEFORMAT='%3U %3S'

	{ time "$@" >"$scratch/printed"; } 2>&1 | awk 'END { printf "%.6f\n", $1 + $2 }'
}

# A / B, which awk prints with enough digits for some us.
per()
{
	awk -v a="$1" -v b="$2" 'BEGIN { if (b > 0) printf "%.12f\n", a / b }'
}

load_hackbench()
{
	cpu_of hackbench -g 2 -l "${HACKBENCH_LOOPS:-600}"
}

load_getppid()
{
	local cpu

	cpu=$(cpu_of "$BENCH/spin" "${LOAD_SECONDS:-2}")
	per "$cpu" "$(cat "$scratch/printed")"
}

compile()
{
	ls src/trace/*/*.c src/base/*.c | xargs -P "$(nproc)" -n 1 sh -c \
		'cc -O2 -D_GNU_SOURCE -Isrc -c "$1" -o "$0/$(basename "$1").o"' "$scratch"
}

load_compile()
{
	cpu_of compile
}

# What the nginx of each CPU has used so far, in seconds.
nginx_cpu()
{
	local pid

	for pid in "${nginx_pids[@]}"; do
		cat "/proc/$pid/schedstat"
	done | awk '{ ns += $1 } END { printf "%.9f", ns / 1e9 }'
}

# A client on each CPU, of the nginx there.
ask_nginx()
{
	local cpu clients=()

	for cpu in "${!nginx_pids[@]}"; do
		taskset -c "$cpu" wrk -t 1 -c 16 -d "${LOAD_SECONDS:-2}s" "http://127.0.0.1:$((first_port + cpu))/" &
		clients+=($!)
	done
	wait "${clients[@]}"
}

load_nginx()
{
	local before cpu

	before=$(nginx_cpu)
	cpu=$(cpu_of ask_nginx)
	per "$(awk -v a="$before" -v b="$(nginx_cpu)" -v c="$cpu" 'BEGIN { printf "%.9f", b - a + c }')" \
		"$(awk '/ requests in / { n += $1 } END { print n }' "$scratch/printed")"
}

# File I/O: the calls of a file server's clients, in memory, so that no disk is measured.
load_dbench()
{
	local cpu seconds=2

	mkdir -p "$scratch/files"
	cpu=$(cpu_of dbench -t $seconds -D "$scratch/files" 4)
	per "$cpu" "$(awk -v s=$seconds '/^Throughput/ { print $2 * s }' "$scratch/printed")"
}

# One nginx with one process on each CPU, with a port of its own: how many connections each of several workers gets
# from a socket that they share is chance, and a request's cost depends on it.
start_nginx()
{
	local cpu

	mkdir -p "$scratch/www"
	head -c 1024 /dev/zero | tr '\0' x >"$scratch/www/index.html"
	chmod 755 "$scratch"
	for cpu in $(taskset -cp $$ | sed 's/.*: //' | tr , '\n' | awk -F - '{ for (i = $1; i <= $NF; i++) print i }'); do
		start_nginx_on "$cpu"
	done
}

start_nginx_on()
{
	local i at=$scratch/nginx.$1

	mkdir -p "$at"
	cat >"$at/nginx.conf" <<-END
		master_process off;
		pid $at/pid;
		error_log $at/log;
		events { worker_connections 256; }
		http {
			access_log off;
			client_body_temp_path $at/body;
			proxy_temp_path $at/proxy;
			fastcgi_temp_path $at/fastcgi;
			uwsgi_temp_path $at/uwsgi;
			scgi_temp_path $at/scgi;
			server { listen 127.0.0.1:$((first_port + $1)); root $scratch/www; }
		}
	END
	taskset -c "$1" nginx -e "$at/log" -c "$at/nginx.conf" -g 'daemon off;' 2>/dev/null &
	nginx_pids[$1]=$!
	for ((i = 0; i < 50; i++)); do
		[ -s "$at/pid" ] && return
		sleep 0.1
	done
	die "nginx did not start: $(cat "$at/log")"
}

stop_nginx()
{
	[ ${#nginx_pids[@]} != 0 ] || return
	kill "${nginx_pids[@]}"
	wait "${nginx_pids[@]}"
	nginx_pids=()
}

# ---- servers ----

servers=() # the first process of each, by load

# The CPU time of process $1 and its children, of those that have ended as well, in seconds.
tree_cpu()
{
	local pid

	for pid in "$1" $(pgrep -P "$1"); do
		sed 's/.*) //' "/proc/$pid/stat" 2>/dev/null | awk -v first="$([ "$pid" = "$1" ] && echo 1)" '
			{ print $12 + $13 + (first ? $14 + $15 : 0) }'
	done | awk -v hz="$(getconf CLK_TCK)" '{ n += $1 } END { printf "%.6f", n / hz }'
}

# server_load SERVER UNITS COMMAND...: what a unit takes of the server and of the command, which awk's UNITS counts
# in what it prints.
server_load()
{
	local server=$1 units=$2 before cpu

	shift 2
	before=$(tree_cpu "$server")
	cpu=$(cpu_of "$@")
	per "$(awk -v a="$before" -v b="$(tree_cpu "$server")" -v c="$cpu" 'BEGIN { printf "%.9f", b - a + c }')" \
		"$(awk "$units" "$scratch/printed")"
}

# In memory, and of one thread: it keeps nothing.
start_redis()
{
	local i

	redis-server --port 0 --unixsocket "$scratch/redis" --save '' --appendonly no --dir "$scratch" \
		>"$scratch/redis.log" &
	servers[0]=$!
	for ((i = 0; i < 50; i++)); do
		[ -S "$scratch/redis" ] && return
		sleep 0.1
	done
	die "redis-server did not start: $(cat "$scratch/redis.log")"
}

load_redis()
{
	local requests=${REDIS_REQUESTS:-200000}

	server_load "${servers[0]}" "END { print $requests }" \
		redis-benchmark -s "$scratch/redis" -q -c 20 -n "$requests" -t get
}

# As its own user, which it insists on, and in memory.
start_pgbench()
{
	local i at=$scratch/postgres as=(setpriv --reuid=postgres --regid=postgres --clear-groups)

	PATH=$PATH:$(echo /usr/lib/postgresql/*/bin | tr ' ' :)
	chmod 755 "$scratch"
	mkdir "$at"
	chown postgres:postgres "$at"
	(cd "$at" && "${as[@]}" initdb -D "$at/data" -A trust >"$at.log" 2>&1) || die "initdb failed: $(cat "$at.log")"
	(cd "$at" && exec "${as[@]}" postgres -D "$at/data" -k "$at" -c listen_addresses= -c fsync=off) >>"$at.log" 2>&1 &
	servers[1]=$!
	for ((i = 0; i < 100; i++)); do
		pg_isready -q -h "$at" -U postgres && break
		sleep 0.1
	done
	pgbench -q -i -s 5 -h "$at" -U postgres postgres >>"$at.log" 2>&1 || die "pgbench -i failed: $(cat "$at.log")"
}

load_pgbench()
{
	server_load "${servers[1]}" '/^number of transactions actually processed/ { n = $6 } END { print n + 0 }' \
		pgbench -n -c 4 -T "${LOAD_SECONDS:-2}" -h "$scratch/postgres" -U postgres postgres
}

stop_servers()
{
	[ ${#servers[@]} = 0 ] || kill "${servers[@]}"
	[ ${#servers[@]} = 0 ] || wait "${servers[@]}"
	servers=()
}
