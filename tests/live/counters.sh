#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Loads of known size are counted three ways: by themselves, by the kernel, and in the records of a snapshot. Records
# that were left out for a while are missing, with where, when and how many; a time to which the records do not reach
# back is not compared.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit

# Values out of what `lkst check` says of trace $1 of kind $2, in the order of $3...: a sum of numbers, verdicts that differ.
# Of one number of the kind only, if it is given as KIND=NUMBER.
counter()
{
	"$LKST" check --json "$1" 2>/dev/null | perl -MJSON::XS -e '
		my $j = decode_json(do { local $/; <STDIN> });
		my ($kind, $number) = split /=/, shift;
		my @rows = grep { $_->{kind} eq $kind && (!defined $number || $_->{number} == $number) } @{$j->{counters}};
		my @out;
		for my $key (@ARGV) {
			my (%seen, $sum);
			for (@rows) {
				$seen{$_->{$key}} = 1;
				$sum += $_->{$key} if $_->{$key} =~ /^\d+$/;
			}
			push @out, defined $sum ? $sum : join "/", sort keys %seen;
		}
		print "@out"' "${@:2}"
}

# How many records of event $2 in trace $1 are of thread $3.
records()
{
	"$LKST" print --format json --event "$2" "$1" 2>/dev/null | grep -c "\"tid\":$3,"
}

monotonic()
{
	perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%.0f", clock_gettime(CLOCK_MONOTONIC) * 1e9'
}

# The last line of check, from the colon on.
last_line()
{
	"$LKST" check "$1" 2>/dev/null | tail -n 1 | sed 's/^[^:]*: //'
}

# Makes the recording take a reading, which it does at most once a second.
read_counters()
{
	sleep 1.1
	"$LKST" status >/dev/null
}

is()
{
	if [ "$@" ]; then echo yes; else echo "no: $*"; fi
}

# ---- three ways ----
"$LKST" start --quiet --budget none --maskset RDEFAULT --buffer 256M 2>err || fail start "$(cat err)"
has_started=yes
read_counters
"$lib/known_load.pl" packets 3000 >packets
"$lib/known_load.pl" switches 2000 >switches

# Requests of a disk of our own, each of one block, past the page cache.
requests=500
loop=
truncate -s 4M image
if loop=$(losetup --find --show --direct-io=off image 2>err); then
	disk=$(basename "$loop")
	# Completed reads and writes, as sysfs has them.
	completed()
	{
		awk '{ print $1 + $5 }' "/sys/block/$disk/stat"
	}
	read_counters
	before=$(completed)
	dd if=/dev/zero of="$loop" bs=4k count=$requests oflag=direct status=none 2>err
	expect the_disk_load_runs $? 0
	completed=$(($(completed) - before))
fi
"$LKST" snapshot --quiet --output snapshot 2>err
if [ -n "$loop" ]; then
	losetup --detach "$loop"
fi

expect check_compares_snapshots "$("$LKST" check snapshot 2>/dev/null | grep -c '^kernel.s counters from [0-9.]* to [0-9.]* s$')" 1
read -r tid own <packets
expect packets_are_all_recorded "$(records snapshot net_dev_start_xmit "$tid")" "$own"
expect all_packets_were_sent "$own" 3000
read -r kernel missing <<<"$(counter snapshot 'packets sent' kernel missing)"
expect the_kernel_counted_the_packets "$(is "$kernel" -ge "$own")" yes
# Threads that this machine hides are not of the load.
expect no_packet_of_the_load_is_missing "$(is "$missing" -le $((kernel - own)))" yes
sum=0
while read -r tid own; do
	nr=$(records snapshot sched_switch "$tid")
	# It prints, ends, and is preempted now and then, after it has looked.
	expect "switches_are_all_recorded" "$(is "$nr" -ge "$own" -a "$nr" -le $((own + 100)))" yes
	expect "there_were_as_many_as_passes" "$(is "$own" -ge 1999)" yes
	sum=$((sum + nr))
done <switches
read -r kernel missing <<<"$(counter snapshot switches kernel missing)"
expect the_kernel_counted_the_switches "$(is "$kernel" -ge "$sum")" yes
expect no_switch_of_the_load_is_missing "$(is "$missing" -le $((kernel - sum)))" yes
if [ -n "$loop" ]; then
	number=$(awk -v d="$disk" '$3 == d { print $1 * 1048576 + $2 }' /proc/diskstats)
	read -r kernel most verdict <<<"$(counter snapshot "disk requests=$number" kernel most verdict)"
	expect the_kernel_counted_the_requests "$(is "$kernel" -ge "$completed" -a "$completed" -ge $requests)" yes
	expect the_requests_are_recorded "$(is "$most" -ge "$kernel") $verdict" 'yes complete'
else
	echo "skip the_requests_are_recorded: there is no loop device: $(cat err)"
fi
expect major_faults_have_no_event "$(counter snapshot 'major faults' verdict)" 'no event records it'

# ---- what is left out for a while ----
read_counters
from=$(monotonic)
"$LKST" status >/dev/null
"$LKST" maskset copy RDEFAULT fewer --quiet
"$LKST" maskset 'fewer-=sched_switch' 'softirq_entry' --quiet
read_counters
"$LKST" maskset set fewer --quiet
"$lib/known_load.pl" switches 3000 >switches
"$lib/known_load.pl" packets 1000 >/dev/null
"$LKST" maskset set RDEFAULT --quiet
read_counters
to=$(monotonic)
"$LKST" snapshot --quiet --output without 2>err
sum=$(awk '{ sum += $2 } END { print sum }' switches)
read -r kernel missing verdict <<<"$(counter without switches kernel missing verdict)"
expect what_was_left_out_is_missing "$verdict $(is "$missing" -ge "$sum" -a "$missing" -le "$kernel")" 'missing yes'
# Each packet that is sent over lo raises NET_RX, and several may be handled at once. The kernel counts switches of threads
# that a machine hides, which are missing all the time; it hides no softirq.
"$LKST" check without >out 2>/dev/null
expect check_says_where_and_when_it_is_missing \
	"$(awk '/^counter: softirqs 3 \(NET_RX\), CPU [0-9]+: .* are missing/ { print /, all from / ? "dated" : $0 }' out |
		sort -u)" dated
expect it_was_missing_then "$("$LKST" check --json without 2>/dev/null | perl -MJSON::XS -e '
	my ($from, $to) = @ARGV;
	for (grep { $_->{kind} eq "softirqs" && $_->{number} == 3 && $_->{verdict} eq "missing" }
	     @{decode_json(do { local $/; <STDIN> })->{counters}}) {
		print $_->{missing_from_ns} <= $to && $_->{missing_to_ns} >= $from && $_->{missing_to_ns} <= $to ?
			"then\n" : "from $_->{missing_from_ns} to $_->{missing_to_ns}, not within $from to $to\n";
	}' "$from" "$to" | sort -u)" then
# Their records are in the buffers of lives, which others who start many processes may have overwritten.
if lacks_only_old_lives "$("$LKST" check without 2>&1)"; then
	recorded='not recorded all the time'
else
	recorded=complete
fi
expect what_was_recorded_all_the_time_is_complete "$(counter without 'threads created' verdict)" "$recorded"
# A writer that was interrupted too often meanwhile makes it incomplete, too.
expect check_is_not_content "$(last_line without | sed -E 's/^(whole, but|damaged or incomplete).*/no/')" no

# ---- what is left out at the end, or not recorded at all ----
"$LKST" maskset set fewer --quiet
"$LKST" snapshot --quiet --output ended 2>err
expect what_is_left_out_at_the_end_is_not_complete "$(counter ended switches verdict | grep -c complete)" 0
"$LKST" stop --quiet
has_started=no
"$LKST" start --quiet --budget none --maskset flight --buffer 16M 2>err
has_started=yes
read_counters
"$LKST" snapshot --quiet --output flight 2>err
expect what_is_not_recorded_is_said_to_be_so "$(counter flight softirqs verdict)" 'not recorded all the time'
"$LKST" stop --quiet
has_started=no

# ---- what records do not reach back to ----
"$LKST" start --quiet --budget none --maskset RDEFAULT --buffer 256K 2>err
has_started=yes
for _ in {1..20}; do
	ls -lR /usr/include >/dev/null
done
# From here on next to nothing is recorded: the reading of the first snapshot is in the second one.
"$LKST" maskset set RNOTHING --quiet
"$LKST" snapshot --quiet --output wrapped 2>err
expect the_buffers_were_overwritten "$("$LKST" check wrapped 2>/dev/null | grep -c 'blocks overwritten' | sed 's/^[1-9][0-9]*$/some/')" some
expect nothing_is_compared_that_is_overwritten "$("$LKST" check wrapped 2>/dev/null | grep '^counters:')" \
	"counters: the records cannot be compared with the kernel's counters: only one reading of them lies in the time of its records"
"$LKST" snapshot --quiet --output second 2>err
expect a_snapshot_is_a_reading_for_the_next "$("$LKST" check second 2>/dev/null | grep -c '^kernel.s counter ')" 1
"$LKST" snapshot --quiet --output none --last 1ms 2>err
expect a_part_is_compared_within_itself "$("$LKST" check none 2>/dev/null | grep -c '^counters: the records cannot be compared')" 1
"$LKST" stop --quiet
has_started=no

# ---- incidents ----
"$LKST" start --quiet --budget none --maskset RDEFAULT --buffer 128M --incidents 2 2>err
has_started=yes
read_counters
"$lib/known_load.pl" packets 2000 >packets
"$LKST" incident keep --quiet
"$lib/known_load.pl" packets 1500 >more
"$LKST" snapshot --quiet --output later 2>err
"$LKST" incident save --quiet --output . all
read -r tid own <packets
read -r tid_more own_more <more
expect an_incident_has_its_packets "$(records incident-1-* net_dev_start_xmit "$tid")" "$own"
expect an_incident_has_no_packets_that_came_later "$(records incident-1-* net_dev_start_xmit "$tid_more")" 0
# The reading of the snapshot lies after both; what came after the incident is in it, and no packet is missing.
both=$((own + own_more))
read -r kernel most missing <<<"$(counter incident-1-* 'packets sent' kernel most missing)"
expect an_incident_is_compared_with_a_reading_after_it \
	"$(is "${kernel:-0}" -ge $both -a "${most:-0}" -ge $both -a "${missing:-0}" -le $((kernel - both)))" yes
read -r later <<<"$(counter later 'packets sent' kernel)"
expect both_are_compared_with_the_same_reading "$later" "$kernel"
expect check_says_that_the_reading_is_later "$("$LKST" check incident-1-* 2>/dev/null |
	grep -cE '^counters: the last reading was made [0-9.]+ s after the last record$')" 1
# What follows an incident is gone when the next one was given up.
"$LKST" incident drop --quiet all
"$LKST" incident keep --quiet
"$LKST" incident keep --quiet
list=$("$LKST" incident list --json 2>/dev/null | grep -o '"number":[0-9]*' | tr -dc '0-9\n')
read -r first second <<<"${list//$'\n'/ }"
"$LKST" incident drop --quiet "$second"
"$LKST" incident save --quiet --output . "$first"
expect an_incident_without_what_follows_it_is_compared_to_its_end \
	"$("$LKST" check incident-"$first"-* 2>/dev/null | grep -c 'the last reading was made')" 0
"$LKST" stop --quiet
has_started=no

# ---- threads ----
# One that sleeps all the time, and lives longer than the recordings.
perl -e 'select undef, undef, undef, 0.002 while 1' &
sleeper=$!
children+=("$sleeper")

# "KERNEL LEAST MOST MISSING" of it in trace $1.
thread()
{
	"$LKST" check --json "$1" 2>/dev/null | perl -MJSON::XS -e '
		my $j = decode_json(do { local $/; <STDIN> });
		print "$_->{kernel} $_->{least} $_->{most} $_->{missing}" for grep { $_->{tid} == $ARGV[0] } @{$j->{threads}}' "$sleeper"
}

# How often it has been switched away from, by /proc.
switched()
{
	awk '/^(non)?voluntary_ctxt_switches:/ { sum += $2 } END { print sum }' "/proc/$sleeper/status"
}

has_switched()
{
	[ "$(switched)" -ge "$1" ]
}

# Passes if trace $2 has all switches of it that the kernel counted: between $3 and $4. $1: the test's name. $5: so many
# may be between count and record, one for each time that it was read twice.
expect_all_of_it()
{
	local kernel least most missing

	read -r kernel least most missing <<<"$(thread "$2")"
	expect "$1" "$(is "${kernel:-0}" -ge "$3" -a "${kernel:-0}" -le "$4" -a "$((kernel - most))" -le "${5:-1}" \
		-a "$((least - kernel))" -le "${5:-1}") $missing" 'yes 0'
}

# Passes if check finds that it is hidden in trace $2, of which the records are removed here. $1: begins the tests' names.
expect_hidden()
{
	local kernel least most missing

	rm "$2"/main.*
	read -r kernel least most missing <<<"$(thread "$2")"
	expect "$1_without_records_is_missing" "$most $(is "${missing:-0}" -gt 2 -a "${missing:-0}" -eq "${kernel:-0}")" '0 yes'
	expect "$1_without_records_is_named" "$("$LKST" check "$2" 2>/dev/null |
		grep -cE "^thread: $sleeper \(perl\): the kernel counted $kernel switches away from it, none is recorded")" 1
}

# On a busy machine there may be no time to read the counts of all threads; then they are read again.
for try in {1..20}; do
	rm -rf threads
	before=$(switched)
	"$LKST" record --quiet --output threads --event 'sched_*' --for 500ms 2>err
	[ -z "$(thread threads)" ] || break
done
expect_all_of_it a_threads_records_are_those_that_the_kernel_counted threads 2 $(($(switched) - before))
expect_hidden a_thread threads

# In a snapshot: between the reading when recording begins and the one of the snapshot.
before=$(switched)
"$LKST" start --quiet --budget none --maskset RNOTHING --buffer 16M --incidents 2 2>err
has_started=yes
"$LKST" maskset copy RNOTHING switches --quiet
"$LKST" maskset 'switches+=sched_switch' --quiet
"$LKST" snapshot --quiet --output unrecorded 2>err
expect check_says_why_threads_are_not_compared "$("$LKST" check unrecorded 2>/dev/null | grep '^threads:')" \
	'threads: those of the trace are not compared singly: not all switches were being recorded to it when threads were read last'
before=$(switched)
"$LKST" maskset set switches --quiet
read_counters
first=$(switched)
wait_until 60 has_switched $((first + 50))
least=$(($(switched) - first))
"$LKST" snapshot --quiet --output snapshot2 2>err
expect_all_of_it a_snapshot_has_the_switches_that_the_kernel_counted snapshot2 "$least" $(($(switched) - before))
# An incident ends before the reading; what came in between is added.
read_counters
"$LKST" trigger fire --quiet 2>err
mkdir of-threads
wait_until 60 has_switched $(($(switched) + 50))
least=$(($(switched) - first))
"$LKST" incident save --quiet --output of-threads all 2>err
mv of-threads/incident-1-* incident
expect_all_of_it an_incident_has_them_too incident "$least" $(($(switched) - before))
expect_hidden a_thread_of_a_snapshot snapshot2
rm incident/main.*
# What came after the incident is not hidden.
read -r kernel least most missing <<<"$(thread incident)"
expect a_thread_of_an_incident_without_records_is_missing "$(is "${missing:-0}" -gt 2 -a "${missing:-0}" -eq $((kernel - most)))" yes
expect a_thread_of_an_incident_without_records_is_named "$("$LKST" check incident 2>/dev/null |
	grep -cE "^thread: $sleeper \(perl\): the kernel counted $kernel switches away from it, at most $most are recorded")" 1
"$LKST" stop --quiet
has_started=no

# In each part, and in all of them.
before=$(switched)
"$LKST" record --quiet --output parts --rotate 2s --event 'sched_*' --for 5s 2>err
parts=(parts/*)
expect there_are_parts "$(is ${#parts[@]} -ge 2)" yes
expect_all_of_it a_part_has_the_switches_that_the_kernel_counted "${parts[0]}" 3 $(($(switched) - before))
expect_all_of_it all_parts_have_them parts 3 $(($(switched) - before)) ${#parts[@]}
expect_hidden a_thread_of_a_part "${parts[0]}"
exit $failed
