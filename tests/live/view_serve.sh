#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst view --serve and --live: the page comes from the program itself, to whoever has the address, and to nobody else; what is
# live is redrawn, and the recording does not notice (F01 to F04 of doc/heritage.md in part).
. "$(dirname "$0")/lib/live.sh"
. "$lib/browser.sh"
. "$lib/status.sh"

has_browser view_serve || exit 0
needs_the_recorder
# A member of some group, who is nobody, must be able to get there.
group=$(awk -F: '$3 > 0 && $3 < 1000 && $1 != "nogroup" { print $1, $3; exit }' /etc/group)
work=$(mktemp -d) || exit
chmod 755 "$work"
cp "$LKST" "$work/member"
cd "$work" || exit
export LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80

# Begins to serve, and waits until it says where: $url. Its process: $server.
#   serve COMMAND...
serve()
{
	: >said
	"$@" >said 2>errors &
	server=$!
	children+=("$server")
	wait_until 60 grep -q '^http' said || fail view_serves "$(cat errors)"
	url=$(sed -n 's|^\(http://.*/\): open it in a browser; Ctrl-C ends it$|\1|p' said)
}

# Ends it as Ctrl-C does; its status.
end()
{
	kill -INT "$server"
	wait "$server"
}

# The local addresses at which something listens to port $1, as the kernel writes them.
listens_at()
{
	cat /proc/net/tcp /proc/net/tcp6 | awk -v port="$(printf ':%04X' "$1")" '$4 == "0A" && $2 ~ port "$" { print $2 }'
}

"$LKST" record --quiet --output trace -- sh -c 'ls -R /usr/lib >/dev/null; dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null; true'
cp -r --sparse=always trace large
truncate -s 1200M large/main.0
expect_refusal view_names_what_shows_a_large_trace 'lkst view --serve' view large
truncate -s 2400M large/main.0
expect_refusal view_serve_has_a_limit 'a browser takes 2 GiB at most; `lkst cut` makes' view --serve large
expect_refusal view_serves_what_there_is '--serve needs a trace' view --serve
expect_refusal view_serves_at_an_address '"localhost" is not an address and a port' view --serve --listen localhost trace
expect_refusal view_serves_at_a_port 'is not an address and a port' view --serve --listen 127.0.0.1:65536 trace
expect_refusal view_shows_all_of_a_trace '--last and --socket are for --live; `lkst cut` makes' view --last 2s trace
expect_refusal view_serves_all_of_a_trace '--last and --socket are for --live' view --serve --last 2s trace
expect_refusal view_live_needs_a_recording 'nothing is being recorded' view --live

serve "$LKST" view --serve trace
port=${url#http://127.0.0.1:} port=${port%%/*}
expect view_serves_this_machine_only "$(listens_at "$port")" "$(printf '0100007F:%04X' "$port")"
report view_serve node "$lib/view_serve.js" served "$url" "$LKST" trace
end
expect view_serve_ends_by_a_signal "$?,$(listens_at "$port"),$(cat errors)" 0,,
# At the same port, at once.
serve "$LKST" view --serve --listen "0.0.0.0:$port" trace
expect view_says_that_others_can_connect "$(grep -c 'Other machines can connect' errors)" 1
end

# Ctrl-C while the first snapshot is being taken, by a service that never answers, leaves nothing of it.
has_begun()
{
	compgen -G 'first/.lkst-live.*' >/dev/null
}

mkdir first
"$lib/listen.pl" "$work/silent" sleep 1000 &
silent=$!
children+=("$silent")
wait_until 60 test -S silent
TMPDIR=$work/first "$LKST" view --live --socket "$work/silent" >said 2>errors &
server=$!
children+=("$server")
wait_until 60 has_begun || fail view_live_begins "$(cat errors)"
end
expect view_live_ends_before_it_has_begun "$?,$(ls -A first),$(cat said)" 1,,
expect view_live_says_that_it_was_ended "$(grep -c 'ended by a signal' errors)" 1
kill "$silent"

# What is live, pages of memory among it (F07), and the recording before and after.
"$LKST" start --quiet --budget none --buffer 16M --maskset RDEFAULT && has_started=yes
hooks=$(status '$s->{hooks} // scalar @{$s->{cost}{kinds}}')
cp "$(type -P true)" known_load
cp "$(type -P dd)" known_taker
serve "$LKST" view --live --last 2s
report view_live node "$lib/view_serve.js" live "$url" "$LKST" "$PWD/known_load" "$PWD/known_taker"
expect view_live_leaves_the_recording "$(status '$s->{recording} . "," . ($s->{hooks} // scalar @{$s->{cost}{kinds}})')" "1,$hooks"
expect view_live_loses_nothing "$(status 'my $n = 0; $n += $_->{lost}{level} for @{$s->{rings}}; $n')" 0
end
expect view_live_ends_by_a_signal "$?,$(cat errors)" 0,

# A member of the service's group has it, too.
install -d -o 65534 home
"$LKST" serve --socket "$work/socket" --group "${group% *}" 2>serve.log &
children+=("$!")
wait_until 60 test -S socket
serve env TMPDIR="$work/home" setpriv --reuid 65534 --regid 65534 --groups "${group#* }" ./member view --live --last 1s \
	--socket "$work/socket"
report view_live_member node "$lib/view_serve.js" member "$url" "$LKST" "$PWD/known_load"
end
expect view_live_leaves_no_file "$(ls -A home; ls -d /dev/shm/.lkst-live* 2>/dev/null)" ''
"$LKST" stop --quiet && has_started=no
cd / && rm -rf --one-file-system "$work"
exit "$failed"
