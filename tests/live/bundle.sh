#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Bundles of this machine: the records of one are those of a snapshot, whatever reads it says of it what it says of the
# trace, its command lines and journal are the machine's, nobody else may read it, and what is redacted is gone.
#
# A journal that systemd-journal-remote makes of text stands in for the machine's.

. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
# What a member of the service's group can reach.
public=$(mktemp -d) || exit 1
at_exit 'umount disk 2>/dev/null; rm -rf "$public"; clean_up'

# same NAME COMMAND-WITH-A COMMAND-WITH-B: both print the same, and something.
same()
{
	local bad

	bash -c "$2" >same.a 2>&1
	bash -c "$3" >same.b 2>&1
	bad=$(diff same.a same.b | head -n 3)
	if [ -z "$bad" ] && [ -s same.a ]; then
		ok "$1"
	else
		fail "$1" "${bad:-nothing was printed}"
	fi
}

# The secrets: an argument, a file, a line of the journal.
argument=argument-$$-of-alice
file=$work/file-of-bobby
has_started=yes
if ! "$LKST" start --quiet --budget none --buffer 8M --incidents 2 --event 'syscall:*' --event 'sched:*' \
	2>start.log; then
	fail bundle_recorded "$(tail -n 3 start.log)"
	exit 1
fi
mkfifo fifo
bash -c 'echo >"$1"; cat "$1" >/dev/null; read -r -t 60 _ <>fifo' "$argument" "$file" &
children+=($!)
sleep 0.5
mkdir journal
maker=/lib/systemd/systemd-journal-remote
now=$(date +%s%6N)
if [ -x $maker ]; then
	printf '%s\n' "__REALTIME_TIMESTAMP=$((now - 100000))" __MONOTONIC_TIMESTAMP=1 \
		_BOOT_ID=0123456789abcdef0123456789abcdef PRIORITY=3 SYSLOG_IDENTIFIER=disk \
		'MESSAGE=the disk of carol is slow' '' |
		$maker -o journal/a.journal - >/dev/null 2>&1
fi
export LKST_JOURNAL=$work/journal
"$LKST" incident keep --reason 'slow for dora' >/dev/null

# What is recorded is no longer changed, so that two snapshots have the same.
"$LKST" maskset set RNOTHING --quiet
umask 000
"$LKST" snapshot --quiet --bundle --file a.bundle
"$LKST" snapshot --quiet --output plain
umask 022
"$LKST" incident save --quiet --bundle --output . all
expect bundle_of_an_incident_is_found_again "$("$LKST" incident save --bundle --output . all)" \
	"$(echo ./incident-1-*.bundle): was saved before"

# ---- who may read it ----
expect bundle_is_private "$(stat -c %a a.bundle incident-1-*.bundle | tr '\n' ' ')" '600 600 '
"$LKST" snapshot --quiet --bundle --file shared.bundle --mode 0640
expect shared_bundle_has_no_commands "$("$LKST" bundle show shared.bundle processes | grep -c -- "$argument")" 0
expect shared_bundle_has_no_journal "$("$LKST" bundle show shared.bundle journal)" \
	'# the journal is left out, since others may read the bundle'

# ---- a full disk ----
mkdir disk
if mount -t tmpfs -o size=2m none disk 2>err; then
	head -c 1500000 /dev/zero >disk/filler
	expect_refusal bundle_on_a_full_disk_is_said 'No space left on device' snapshot --bundle --file disk/b.bundle
	expect_refusal incident_on_a_full_disk_is_said 'No space left on device' \
		incident save --bundle --output disk all
	expect full_disk_has_nothing_new "$(ls -A disk)" filler
	umount disk
else
	echo "skip bundle_on_a_full_disk_is_said: no tmpfs can be mounted here: $(cat err)"
fi

# ---- killed, at any call from the claim of the incident on, and the next one goes on ----
claim=(72 2 37)
[ "$(uname -m)" = x86_64 ] || claim=(25 2 37)
mkdir counted killed
calls=$("$load/kill_at" count "${claim[@]}" 0 "$LKST" incident save --quiet --bundle --output counted all)
expect saving_a_bundle_is_counted "$([ "${calls:-0}" -gt 40 ] && echo yes || echo "$calls")" yes
kills=0
for ((i = 1; i <= 10; i++)); do
	"$load/kill_at" kill "${claim[@]}" $((calls * i / 11 + 1)) \
		"$LKST" incident save --quiet --bundle --output killed all 2>>killed.log && kills=$((kills + 1))
	for n in killed/*.bundle; do
		[ ! -e "$n" ] || [ "$(ending_of "$n" | cut -d' ' -f1,2)" = '0 0' ] || fail killed_bundle_is_whole "$n"
	done
done
"$LKST" incident save --quiet --bundle --output killed all
expect kills_met_the_saving "$([ $kills -ge 8 ] && echo yes || echo $kills)" yes
expect killed_saving_leaves_one_bundle "$(ls -A killed)" "$(basename incident-1-*.bundle)"

# ---- a member of the service's group, who may not read the journal ----
group=$(awk -F: '$3 > 0 && $3 < 1000 && $1 != "nogroup" { print $1, $3; exit }' /etc/group)
chmod 755 "$public"
chmod 700 journal
cp "$LKST" "$public/lkst"
install -d -o 65534 "$public/home"
"$LKST" serve --socket "$public/socket" --group "${group% *}" 2>serve.log &
children+=($!)
is_listening()
{
	awk -v path="$public/socket" '$4 == "00010000" && $8 == path { found = 1 } END { exit !found }' /proc/net/unix
}
wait_until 60 is_listening || fail service_listens "$(cat serve.log)"
(cd "$public/home" && setpriv --reuid 65534 --regid 65534 --groups "${group#* }" \
	"$public/lkst" snapshot --quiet --bundle --file m.bundle --socket "$public/socket") 2>err ||
	fail member_makes_a_bundle "$(cat err)"
expect bundle_of_a_member_is_private "$(stat -c '%a %u' "$public/home/m.bundle")" '600 65534'
expect bundle_of_a_member_has_hashes \
	"$("$LKST" bundle show "$public/home/m.bundle" about | grep -c '^kernel-addresses: hashes$')" 1
expect bundle_of_a_member_has_no_journal \
	"$("$LKST" bundle show "$public/home/m.bundle" journal | grep -c '^# the journal cannot be opened')" 1
kill $!
"$LKST" stop >/dev/null 2>&1
has_started=no
records_no_more

# ---- what is in it ----
expect bundle_has_the_command_line "$("$LKST" bundle show a.bundle processes | grep -c -- "$argument $file")" 1
if [ -x $maker ]; then
	expect bundle_has_the_journal \
		"$("$LKST" bundle show a.bundle journal | grep -c 'the disk of carol is slow$')" 1
else
	echo "skip bundle_has_the_journal: there is no $maker, which makes a journal for the test"
fi
expect bundle_has_the_boot_id "$("$LKST" bundle show a.bundle machine | sed -n 's/^boot-id: //p')" \
	"$(cat /proc/sys/kernel/random/boot_id)"
expect incident_says_why "$("$LKST" bundle show incident-1-*.bundle | grep -c '^reason: slow for dora$')" 1

# ---- it reads as the trace ----
"$LKST" bundle extract --quiet --output apart a.bundle
expect extracted_trace_is_whole "$(ending_of apart/trace)" "$(ending_of a.bundle)"
same bundle_prints_as_extracted "'$LKST' print a.bundle" "'$LKST' print apart/trace"
# Snapshots have states of threads and counters of their own, and lives of threads are always recorded: the later one
# has more of these.
until=$("$LKST" bundle show a.bundle about | sed -n 's/^to-ns: //p')
events="select time_ns, cpu, tid, event from events
	where time_ns <= $until and (event like 'sched%' or event like 'syscall%')"
same bundle_has_the_records_of_a_snapshot "'$LKST' sql -f csv a.bundle \"$events\"" \
	"'$LKST' sql -f csv plain \"$events\""
same bundle_why_is_the_same "'$LKST' why --worst syscall a.bundle" "'$LKST' why --worst syscall apart/trace"
same bundle_sql_is_the_same "'$LKST' sql a.bundle 'select * from counts order by event'" \
	"'$LKST' sql apart/trace 'select * from counts order by event'"
same bundle_is_analyzed_the_same "'$LKST' analyze syscall a.bundle" "'$LKST' analyze syscall apart/trace"
"$LKST" view --output a.html a.bundle >/dev/null
"$LKST" view --output b.html apart/trace >/dev/null
"$LKST" view --output empty.html >/dev/null
# With its trace, to some bytes of how it is compressed.
expect bundle_is_viewed "$(stat -c %s a.html b.html empty.html | xargs | awk '{
	d = $1 - $2; print ($1 - $3 > 10000 && d * d < ($2 - $3) ^ 2 / 100 ? "yes" : $0) }')" yes
same bundle_shows_its_account "'$LKST' bundle show a.bundle why" "cat apart/why.txt"

# ---- redacted ----
"$LKST" bundle redact --output r.bundle --rule arguments --rule paths --rule host --rule journal --rule text \
	--rule names a.bundle >counts
"$LKST" bundle redact --quiet --output ri.bundle incident-1-*.bundle
"$LKST" bundle extract --quiet --output redacted r.bundle
"$LKST" bundle extract --quiet --output redacted-incident ri.bundle
expect redact_says_what_it_took "$(grep -cE '^redacted-(paths|arguments|names): [1-9]' counts)" 3
left=
for secret in "$argument" file-of-bobby 'carol' 'slow for dora' "$(basename "$work")" \
	"$(cat /proc/sys/kernel/random/boot_id)"; do
	grep -rqaF -- "$secret" apart incident-1-*.bundle || [ ! -x $maker ] ||
		left="$left $secret was never there;"
	grep -rqaF -- "$secret" redacted r.bundle redacted-incident ri.bundle && left="$left $secret is left;"
done
expect redacted_strings_are_nowhere "$left" ''
expect redacted_bundle_is_whole "$(ending_of r.bundle)" "$(ending_of a.bundle)"
same redacted_records_are_as_many "'$LKST' sql a.bundle 'select * from counts order by event'" \
	"'$LKST' sql r.bundle 'select * from counts order by event'"
same redacted_times_are_the_same "'$LKST' print --no-gaps --time mono -e sched_switch a.bundle | sed 's/ .*//'" \
	"'$LKST' print --no-gaps --time mono -e sched_switch r.bundle | sed 's/ .*//'"
exit $failed
