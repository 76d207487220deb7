# SPDX-License-Identifier: GPL-2.0-only
#
# One of three machines: records, ships to the servers, and keeps what happened when the client waited long for the
# server. The kernel's command line says which one it is. Their clocks are seconds apart.
. "$(dirname "$0")/lib.sh"

# value NAME: what the command line says
value()
{
	sed -n "s/.* lkst\.$1=\([^ ]*\).*/\1/p" /proc/cmdline
}
role=$(value role)
server=http://servers:$(value server)
store=http://servers:$(value store)

# wait_until SECONDS COMMAND...
wait_until()
{
	local end=$(($(cut -d . -f 1 /proc/uptime) + $1))

	shift
	until "$@"; do
		[ "$(cut -d . -f 1 /proc/uptime)" -lt "$end" ] || return 1
		sleep 2
	done
}

# ask QUERY: the answer, without the name of its column
ask()
{
	lkst fleet sql -f csv "$server" "$1" 2>/dev/null | tail -n +2 | tr -d '\r'
}

has_hosts()
{
	[ "$(ask "select count(distinct host) from second_rows where measure = 'runqueue'")" = 3 ]
}

has_bundles()
{
	[ "$(ask "select count() from incidents where bundle != '' and moment != ''")" = 3 ]
}

for module in /net/*.ko; do
	insmod "$module"
done
hostname "$role"
date -s "@$(($(date +%s) + $(value skew)))" >/dev/null
mkdir -p /etc && echo '10.0.2.2 servers' >/etc/hosts
ip addr add 10.0.2.15/24 dev eth0 && ip link set eth0 up && ip route add default via 10.0.2.2
ip addr add "192.168.7.$(value number)/24" dev eth1 && ip link set eth1 up

lkst start --quiet --budget none --buffer 32M --incidents 1 -e 'sched_*' -e 'syscall:*' -e 'packet_*' -e 'irq:*' \
	-e netif_receive_skb 2>"$work/said" || { fail records "$(cat "$work/said")"; exit; }
lkst ship --quiet --every 1s --timeout 60s --label fleet=test --peer-label fleet=test --spool "$work/spool" --store "$store" \
	"$server" 2>"$work/ship.log" &
ship=$!
peers=
case $role in
server)
	"$load/peers" answers 7000 2>"$work/peers.log" &
	peers=$!
	;;
client)
	mkfifo "$work/go"
	"$load/peers" asks "$(value peer)" 7000 <"$work/go" >"$work/bounds" 2>"$work/peers.log" &
	peers=$!
	exec 3>"$work/go"
	wait_until 600 has_hosts || fail all_ship "$(ask 'select distinct host from second_rows'); $(cat "$work/ship.log" "$work/peers.log")"
	lkst trigger add 'syscall_exit_recvfrom latency > 900ms and comm == "asks"' --post 500ms --quiet
	echo go >&3
	wait "$peers" && ok talks || fail talks "$(cat "$work/peers.log")"
	cat "$work/bounds"
	peers=
	;;
esac
if wait_until 600 has_bundles; then
	ok has_its_moment
else
	fail has_its_moment "$(ask 'select host, number, moment, reason, note, bundle from incidents'); $(cat "$work/ship.log")"
fi
[ -z "$peers" ] || wait "$peers" || fail serves "$(cat "$work/peers.log")"
kill "$ship" && wait "$ship"
expect_none ships_without_trouble "$(grep -v 'sends to\|what has not arrived' "$work/ship.log")"
lkst stop --quiet || fail stops "lkst stop failed"
