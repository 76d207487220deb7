# SPDX-License-Identifier: GPL-2.0-only
# The loads that recording is measured with; read after lib.sh. load_NAME prints what it took, in seconds, or
# seconds per request or MB. That of nginx needs start_nginx before it, and stop_nginx when the script ends.

port=18080
nginx_pid=

load_hackbench()
{
	hackbench -g 2 -l "${HACKBENCH_LOOPS:-600}" | sed -n 's/^Time: //p'
}

load_getppid()
{
	"$BENCH/spin" "${LOAD_SECONDS:-2}" | awk -v s="${LOAD_SECONDS:-2}" '{ printf "%.12f\n", s / $1 }'
}

load_compile()
{
	local TIMEFORMAT=%R

	{ time ls src/trace/*.c src/base/*.c | xargs -P "$(nproc)" -n 1 sh -c \
		'cc -O2 -D_GNU_SOURCE -Isrc -c "$1" -o "$0/$(basename "$1").o"' "$scratch"; } 2>&1 |
		tail -n 1
}

load_nginx()
{
	wrk -t "$(nproc)" -c 32 -d "${LOAD_SECONDS:-2}s" "http://127.0.0.1:$port/" |
		awk '/^Requests\/sec:/ { printf "%.9f\n", 1 / $2 }'
}

# File I/O: the calls of a file server's clients, in memory, so that no disk is measured.
load_dbench()
{
	mkdir -p "$scratch/files"
	dbench -t 2 -D "$scratch/files" 4 |
		awk '/^Throughput/ { if ($2 > 0) printf "%.9f\n", 1 / $2 }'
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
