# SPDX-License-Identifier: GPL-2.0-only
# The loads that recording is measured with; read after lib.sh. load_NAME prints the CPU time that it took, in seconds, or
# seconds per call, request or MB: the time on the clock depends on what else the machine does, and on how much of the
# processors the hypervisor leaves it. That of nginx needs start_nginx before it, and stop_nginx when the script ends.

port=18080
nginx_pid=

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
	ls src/trace/*.c src/base/*.c | xargs -P "$(nproc)" -n 1 sh -c \
		'cc -O2 -D_GNU_SOURCE -Isrc -c "$1" -o "$0/$(basename "$1").o"' "$scratch"
}

load_compile()
{
	cpu_of compile
}

# What nginx's workers have used so far, in seconds.
nginx_cpu()
{
	local pid

	for pid in $(pgrep -P "$nginx_pid"); do
		cat "/proc/$pid/schedstat"
	done | awk '{ ns += $1 } END { printf "%.9f", ns / 1e9 }'
}

load_nginx()
{
	local before cpu

	before=$(nginx_cpu)
	cpu=$(cpu_of wrk -t "$(nproc)" -c 32 -d "${LOAD_SECONDS:-2}s" "http://127.0.0.1:$port/")
	per "$(awk -v a="$before" -v b="$(nginx_cpu)" -v c="$cpu" 'BEGIN { printf "%.9f", b - a + c }')" \
		"$(awk '/ requests in / { print $1 }' "$scratch/printed")"
}

# File I/O: the calls of a file server's clients, in memory, so that no disk is measured.
load_dbench()
{
	local cpu seconds=2

	mkdir -p "$scratch/files"
	cpu=$(cpu_of dbench -t $seconds -D "$scratch/files" 4)
	per "$cpu" "$(awk -v s=$seconds '/^Throughput/ { print $2 * s }' "$scratch/printed")"
}

start_nginx()
{
	mkdir -p "$scratch/www"
	head -c 1024 /dev/zero | tr '\0' x >"$scratch/www/index.html"
	cat >"$scratch/nginx.conf" <<-END
		worker_processes $(nproc);
		pid $scratch/nginx.pid;
		error_log $scratch/nginx.log;
		events { worker_connections 256; }
		http {
			access_log off;
			client_body_temp_path $scratch/body;
			proxy_temp_path $scratch/proxy;
			fastcgi_temp_path $scratch/fastcgi;
			uwsgi_temp_path $scratch/uwsgi;
			scgi_temp_path $scratch/scgi;
			server { listen 127.0.0.1:$port; root $scratch/www; }
		}
	END
	chmod 755 "$scratch"
	nginx -e "$scratch/nginx.log" -c "$scratch/nginx.conf" -g 'daemon off;' &
	nginx_pid=$!
	for ((i = 0; i < 50; i++)); do
		[ -s "$scratch/nginx.pid" ] && return
		sleep 0.1
	done
	die "nginx did not start: $(cat "$scratch/nginx.log")"
}

stop_nginx()
{
	[ -n "$nginx_pid" ] || return
	kill "$nginx_pid" && wait "$nginx_pid"
	nginx_pid=
}
