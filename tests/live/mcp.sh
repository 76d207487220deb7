#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst mcp, asked by the official client of the Model Context Protocol about two recordings of this machine: its answers
# are those of the commands at the terminal, pages have every row once, and a query that takes too long is ended.
. "$(dirname "$0")/lib/live.sh"

command -v node >/dev/null || skip_all 'mcp: there is no node; tools/install-deps check-all installs it'
modules=$(packages mcp) || skip_all "mcp: $modules"
sdk=$modules/@modelcontextprotocol/sdk/dist/esm/client
node --input-type=module -e "await import('file://$sdk/index.js')" 2>"$work/said" ||
	skip_all "mcp: this node, $(node --version), does not run the client: $(grep -m 1 Error "$work/said")"

some_work()
{
	dd if=/dev/zero of="$work/file" bs=64k count=64 conv=fsync 2>/dev/null
	cat "$work/file" >/dev/null
	ls -R /usr/share/doc | sort | tail -n 1 >/dev/null
	for _ in 1 2 3 4 5 6 7 8; do /bin/true; done
}
export -f some_work
export work

mkdir "$work/many"
for name in first many/second; do
	if ! record "$name" --buffer 16M -- bash -c some_work; then
		fail mcp_recorded "$(tail -n 3 "$work/$name.log")"
		exit 1
	fi
done
records_no_more
cd "$work" || exit
export TZ=UTC

report mcp node "$lib/mcp.mjs" "$sdk" "$LKST" "$work/first" "$work/many"

# Standard output has messages and nothing else, whatever is wrong; and the end of the input ends the server.
got=$(printf '%s\n' '{' '{"jsonrpc":"2.0","id":1,"method":"ping"}' | "$LKST" mcp 2>&1 | cut -c 1-50)
want=$'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,\n{"jsonrpc":"2.0","id":1,"result":{}}'
if [ "$got" = "$want" ]; then
	ok mcp_goes_on_after_bad_input
else
	fail mcp_goes_on_after_bad_input "$got"
fi

# A trace that has become another one under the same name is opened again.
cp -r first changing
coproc SERVER { exec "$LKST" mcp changing 2>/dev/null; }
pid=$SERVER_PID # which is not there any more when it has ended
call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql","arguments":{"query":"select %s"}}}\n'
printf "$call" 'count(*) n from events' >&"${SERVER[1]}"
read -r -t 120 before <&"${SERVER[0]}"
mv changing old && cp -r many/second changing
printf "$call" 'count(*) n from events' >&"${SERVER[1]}"
read -r -t 120 after <&"${SERVER[0]}"
exec {SERVER[1]}>&-
wait "$pid"
bad=
for name in first/"$before" many/second/"$after"; do
	n=$("$LKST" sql -f csv "${name%/\{*}" 'select count(*) from events' | tail -n 1 | tr -d '\r')
	[[ ${name#*/\{} == *"\"n\":$n"* ]] || bad="$bad ${name%/\{*} has $n"
done
if [ -z "$bad" ]; then
	ok mcp_opens_what_has_changed
else
	fail mcp_opens_what_has_changed "$bad: $before; $after"
fi

# A trace that is cut off while it is asked is opened again, with a gap, or costs one answer; and the server goes on.
cp -r first cut
file=$(ls -S cut/main.* | head -n 1)
coproc SERVER { exec "$LKST" mcp cut 2>/dev/null; }
pid=$SERVER_PID
call='{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql","arguments":{"query":"select %s"}}}\n'
printf "$call" 'count(*) n from counts' >&"${SERVER[1]}"
read -r -t 120 whole <&"${SERVER[0]}"
truncate --size 4096 "$file"
printf "$call" 'count(line) n from events' >&"${SERVER[1]}"
read -r -t 120 lost <&"${SERVER[0]}"
printf "$call" '42 n' >&"${SERVER[1]}"
read -r -t 120 again <&"${SERVER[0]}"
exec {SERVER[1]}>&-
wait "$pid"
status=$?
if [[ $whole == *'"isError":false'* && $again == *'"n":42'* ]] && [ $status = 0 ] &&
	[[ $lost == *'cannot be read any more'*'"isError":true'* || $lost == *'records are missing'* ]]; then
	ok mcp_outlives_a_trace
else
	fail mcp_outlives_a_trace "$status: $whole; $lost; $again"
fi
exit $failed
