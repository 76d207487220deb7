# SPDX-License-Identifier: GPL-2.0-only
#
# Servers on loopback for tests and benchmarks that source this: ClickHouse, and nginx as a store of files (WebDAV). Each
# lives in a directory of its own, and is ended by whoever started it, by its number.

# clickhouse_start DIR [PASSWORD]: at a port that is free, and the one it had before in DIR if there was one. $clickhouse is
# its process, $clickhouse_url where it answers. User lkst has the password; without one it is user default, who has none.
# Where DIR/keeps-rows is, no parts of tables are merged: rows that came twice stay twice.
clickhouse_start()
{
	local dir=$1 user='<default><password></password>' end='</default>' port i try keeps='' buffers=''

	[ -z "${2-}" ] || user="<lkst><password>$2</password>" end='</lkst>'
	mkdir -p "$dir/data" "$dir/tmp"
	if [ -e "$dir/keeps-rows" ]; then
		keeps='<max_bytes_to_merge_at_max_space_in_pool>1</max_bytes_to_merge_at_max_space_in_pool>
			<parts_to_delay_insert>100000</parts_to_delay_insert><parts_to_throw_insert>100000</parts_to_throw_insert>'
		# A query takes one for each column of each part, and there are hundreds of parts.
		buffers='<max_read_buffer_size>65536</max_read_buffer_size>'
	fi
	for try in 1 2 3 4 5; do
		[ -e "$dir/port" ] || echo $((20000 + RANDOM % 10000)) >"$dir/port"
		port=$(<"$dir/port")
		cat >"$dir/config.xml" <<-END
			<yandex>
			<logger><level>warning</level><log>$dir/log</log><errorlog>$dir/errors</errorlog></logger>
			<listen_host>127.0.0.1</listen_host><http_port>$port</http_port><tcp_port>$((port + 1))</tcp_port>
			<interserver_http_port>$((port + 2))</interserver_http_port><path>$dir/data/</path>
			<tmp_path>$dir/tmp/</tmp_path><mark_cache_size>67108864</mark_cache_size>
			<users_config>$dir/users.xml</users_config><default_profile>default</default_profile>
			<default_database>default</default_database><merge_tree>$keeps</merge_tree>
			</yandex>
		END
		cat >"$dir/users.xml" <<-END
			<yandex><profiles><default><max_memory_usage>1000000000</max_memory_usage>$buffers</default></profiles>
			<users>$user<networks><ip>127.0.0.1</ip></networks><profile>default</profile>
			<quota>default</quota>$end</users><quotas><default></default></quotas></yandex>
		END
		/usr/sbin/clickhouse-server --config-file="$dir/config.xml" >"$dir/out" 2>&1 &
		clickhouse=$! clickhouse_url=http://127.0.0.1:$port
		for ((i = 0; i < 1200; i++)); do
			kill -0 "$clickhouse" 2>/dev/null || break
			[ "$(curl -s "$clickhouse_url")" = Ok. ] && kill -0 "$clickhouse" 2>/dev/null && return
			sleep 0.1
		done
		server_end "$clickhouse"
		# Its port may be another's by now; one that had it before is asked for there by others.
		[ "$try" -gt 3 ] || [ -e "$dir/data/data/lkst" ] || rm -f "$dir/port"
	done
	tail -n 3 "$dir/errors" "$dir/out" 2>&1 | tr '\n' ' '
	return 1
}

# server_end PID: at once, whatever it does.
server_end()
{
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

# nginx_start DIR SERVER: one that does what SERVER says, with "listen" before it, and whose process is $nginx, at $nginx_at.
# It is one process, so that it ends when that is killed.
nginx_start()
{
	local dir=$1 port i try

	mkdir -p "$dir/temp"
	for try in 1 2 3 4 5; do
		[ -e "$dir/port" ] || echo $((30000 + RANDOM % 10000)) >"$dir/port"
		port=$(<"$dir/port")
		cat >"$dir/nginx.conf" <<-END
			user root;
			master_process off;
			daemon off;
			pid $dir/pid;
			error_log $dir/errors;
			events {}
			http {
				access_log off;
				client_body_temp_path $dir/temp;
				proxy_temp_path $dir/temp;
				client_max_body_size 1g;
				server { listen 127.0.0.1:$port $2 }
			}
		END
		nginx -e "$dir/errors" -c "$dir/nginx.conf" >"$dir/out" 2>&1 &
		nginx=$! nginx_at=127.0.0.1:$port
		for ((i = 0; i < 300; i++)); do
			kill -0 "$nginx" 2>/dev/null || break
			curl -s -o "$dir/answer" "http://$nginx_at" && kill -0 "$nginx" 2>/dev/null && return
			sleep 0.1
		done
		server_end "$nginx"
		rm -f "$dir/port"
	done
	tail -n 3 "$dir/errors" "$dir/out" 2>&1 | tr '\n' ' '
	return 1
}

# store_start DIR [USER:PASSWORD]: files that are put are in DIR/files. $store is its process, $store_url where it is.
store_start()
{
	local dir=$1 auth=''

	mkdir -p "$dir/files"
	if [ -n "${2-}" ]; then
		echo "${2%%:*}:{PLAIN}${2#*:}" >"$dir/users"
		auth="auth_basic store; auth_basic_user_file $dir/users;"
	fi
	nginx_start "$dir" "; root $dir/files; location / { dav_methods PUT DELETE; $auth }" || return
	store=$nginx store_url=http://$nginx_at
}

# front_start DIR URL: speaks TLS, with a certificate that DIR/certificate checks, and hands all on to URL. $front is its
# process, $front_url where it is.
front_start()
{
	local dir=$1

	mkdir -p "$dir"
	[ -e "$dir/certificate" ] || openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 \
		-addext subjectAltName=IP:127.0.0.1 -keyout "$dir/key" -out "$dir/certificate" 2>"$dir/made" || return
	nginx_start "$dir" "ssl; ssl_certificate $dir/certificate; ssl_certificate_key $dir/key;
		location / { proxy_pass $2; }" || return
	front=$nginx front_url=https://$nginx_at
}
