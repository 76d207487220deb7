#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst view of several hosts, whose clocks are known to be wrong: the page in a browser has the lanes of each below its name, on
# the time line that the terminal has, and says what the terminal says of the same traces. One host's clock began after the
# first record of the others, and its name is markup and a sequence for terminals.

set -u

for tool in node chromium; do
	if ! command -v $tool >/dev/null; then
		echo "skip view_hosts: there is no $tool; tools/install-deps check-all installs it"
		exit
	fi
done
if ! NODE_PATH=$(tools/fetch-npm puppeteer 2>&1); then
	echo "skip view_hosts: $NODE_PATH"
	exit
fi
export NODE_PATH LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80

verdict()
{
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "FAIL $1: ${2//$'\n'/; }"
	fi
}

cat >"$SCRATCH/make.c" <<'END'
#include "lib/make_hosts.h"

/* DIRECTORY NAME TEXT SKEW_NS BOOT_NS: a host, whose records are in file TEXT of the directory. */
int main(int argc, char **argv)
{
	size_t length;

	make_host(argv[1], argv[2], strtoll(argv[4], NULL, 10), strtoull(argv[5], NULL, 10),
		  make_read(argv[1], argv[3], &length));
	return 0;
}
END
hosts=$SCRATCH/hosts texts=$SCRATCH/texts
mkdir "$hosts" "$texts"

# packet WAY NS TID CPU FROM TO NUMBER
packet()
{
	echo "packet_$1 ns=$2 tid=$3 cpu=$4 source_address=0x0a00000$5 destination_address=0x0a00000$6 source_port=${5}000" \
		"destination_port=${6}000 family=2 ip_protocol=6 sequence=$7 acknowledgement=7 bytes=64"
}

# A client sends a request at 10.1 ms, waits for the answer and gets it at 19.2 ms.
{
	cat <<-END
		state_thread ns=0 thread_tid=5 thread_pid=5 comm=client
		state_thread ns=0 thread_tid=6 thread_pid=5 comm=helper
		state_netdev ns=0 ifindex=2 name=eth0
		sched_switch ns=9000000 cpu=1 tid=0 next_tid=5
		sched_switch ns=9000000 cpu=0 tid=0 next_tid=6
		syscall_entry_sendto ns=10000000 cpu=1 tid=5 fd=3
	END
	packet send 10100000 5 1 1 2 100
	cat <<-END
		syscall_exit_sendto ns=10150000 cpu=1 tid=5 ret=64
		syscall_entry_recvfrom ns=10160000 cpu=1 tid=5 fd=3
		sched_switch ns=10200000 cpu=1 tid=5 next_tid=0 prev_state=1
		softirq_entry ns=19190000 cpu=1 tid=0 vec=3
		netif_receive_skb ns=19199000 cpu=1 tid=0 skb=0x77 ifindex=2 bytes=116
	END
	packet receive 19200000 0 1 2 1 200
	cat <<-END
		sched_waking ns=19210000 cpu=1 tid=0 target_tid=5 target_cpu=1
		sched_wakeup ns=19211000 cpu=1 tid=0 target_tid=5 target_cpu=1
		softirq_exit ns=19220000 cpu=1 tid=0 vec=3
		sched_switch ns=19230000 cpu=1 tid=0 next_tid=5
		syscall_exit_recvfrom ns=19300000 cpu=1 tid=5 ret=64
		sched_switch ns=20000000 cpu=1 tid=5 next_tid=0 prev_state=1
		sched_switch ns=21000000 cpu=0 tid=6 next_tid=0 prev_state=1
	END
} >"$texts/client"
# The server got it at 10.2 ms, waited for a disk until 18 ms and sent the answer at 19 ms. Its thread has the same number.
{
	cat <<-END
		state_thread ns=0 thread_tid=5 thread_pid=5 comm=server
		state_disk ns=0 dev=0x800000 name=sda
		sched_switch ns=9000000 cpu=0 tid=0 next_tid=5
		syscall_entry_recvfrom ns=9100000 cpu=0 tid=5 fd=4
		sched_switch ns=9200000 cpu=0 tid=5 next_tid=0 prev_state=1
		softirq_entry ns=10190000 cpu=0 tid=0 vec=3
	END
	packet receive 10200000 0 0 1 2 100
	cat <<-END
		sched_waking ns=10210000 cpu=0 tid=0 target_tid=5 target_cpu=0
		sched_wakeup ns=10211000 cpu=0 tid=0 target_tid=5 target_cpu=0
		softirq_exit ns=10220000 cpu=0 tid=0 vec=3
		sched_switch ns=10300000 cpu=0 tid=0 next_tid=5
		syscall_exit_recvfrom ns=10310000 cpu=0 tid=5 ret=64
		syscall_entry_pread64 ns=10400000 cpu=0 tid=5 fd=5
		block_rq_insert ns=10410000 cpu=0 tid=5 dev=0x800000 rq=0x99 sector=8 bytes=4096 flags=0
		block_rq_issue ns=10420000 cpu=0 tid=5 dev=0x800000 rq=0x99 sector=8 bytes=4096 flags=0
		sched_switch ns=10500000 cpu=0 tid=5 next_tid=0 prev_state=2
		softirq_entry ns=17990000 cpu=0 tid=0 vec=4
		block_rq_complete ns=18000000 cpu=0 tid=0 dev=0x800000 rq=0x99 sector=8 bytes=4096
		sched_waking ns=18010000 cpu=0 tid=0 target_tid=5 target_cpu=0
		sched_wakeup ns=18011000 cpu=0 tid=0 target_tid=5 target_cpu=0
		softirq_exit ns=18020000 cpu=0 tid=0 vec=4
		sched_switch ns=18030000 cpu=0 tid=0 next_tid=5
		syscall_exit_pread64 ns=18100000 cpu=0 tid=5 ret=4096
		syscall_entry_sendto ns=18900000 cpu=0 tid=5 fd=4
	END
	packet send 19000000 5 0 2 1 200
	cat <<-END
		syscall_exit_sendto ns=19050000 cpu=0 tid=5 ret=64
		sched_switch ns=20000000 cpu=0 tid=5 next_tid=0 prev_state=1
	END
} >"$texts/server"
# Started at 10 ms.
cat >"$texts/late" <<-END
	state_thread ns=11000000 thread_tid=5 thread_pid=5 comm="<b>late"
	sched_switch ns=11000000 cpu=0 tid=0 next_tid=5
	sched_switch ns=12000000 cpu=0 tid=5 next_tid=0 prev_state=1
END

hostile=$'zz<img src=x onerror=fail(1)>\e[31m\u202e'
if ! gcc -std=gnu11 -D_GNU_SOURCE -Isrc -Itests -o "$SCRATCH/make" "$SCRATCH/make.c" "$BUILD/libtest.a" "$BUILD/liblkst.a" \
	-lz -lzstd -lpthread -lm || ! cp "$texts"/* "$hosts" ||
	! "$SCRATCH/make" "$hosts" web1 client 0 1000000000 || ! "$SCRATCH/make" "$hosts" db1 server 40000000 5000000000000 ||
	! "$SCRATCH/make" "$hosts" "$hostile" late 1000000 -10000000; then
	echo 'FAIL view_hosts: no traces could be made'
	exit
fi
rm "$hosts"/client "$hosts"/server "$hosts"/late
cd "$SCRATCH" || exit

# What the library says in a page is what the program says at a terminal, byte for byte.
for words in 'report' 'report --format json' 'analyze all --format json' 'print' 'print --format json' 'lint' 'check' \
	'why --worst syscall' 'why --host db1 --tid 5 --format json' 'why --host nobody --tid 5'; do
	# shellcheck disable=SC2086 # several words
	"$LKST" $words hosts >native.out 2>native.err
	was=$?
	# shellcheck disable=SC2086
	node "$OLDPWD/tests/live/lib/in_module.js" "$BUILD/gen/web/lkst.wasm" $words hosts >web.out 2>web.err
	is=$?
	verdict "view_hosts_module_says_the_same_of_${words//[^a-z0-9]/_}" "$([ $was = $is ] || echo "status $is, not $was"
		cmp native.out web.out 2>&1 || diff native.out web.out | head -n 3
		cmp native.err web.err 2>&1 || diff native.err web.err | head -n 3)"
done

"$LKST" view --quiet --output page.html hosts/web1 hosts/db1 "hosts/$hostile" 2>said
verdict view_hosts_says_what_of_clocks "$([ "$(grep -c 'right to 150 us' said)" = 1 ] || cat said)"
"$LKST" view --quiet --output empty.html
mkdir dropped && cp -r hosts/web1 dropped/1 && cp -r hosts/db1 dropped/2 && tar cf dropped/3.tar "hosts/$hostile"
"$LKST" view --serve hosts/web1 hosts/db1 "hosts/$hostile" >served 2>/dev/null &
server=$!
trap 'kill "$server"; wait "$server"' EXIT
for ((i = 0; i < 600; i++)); do
	[ -s served ] && break
	sleep 0.1
done
node "$OLDPWD/tests/live/lib/view_hosts.js" "$LKST" "$PWD" "$(sed 's/: open.*//' served)"
