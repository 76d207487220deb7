#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# What `lkst serve` reveals of where the kernel lies: a snapshot over the socket is compared, record by record and byte
# by byte, with one that root takes of the same recording.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
socket=$work/socket

# serve_and_take NAME OPTION...: a snapshot called NAME from a server of its own
serve_and_take()
{
	local name=$1 server

	shift
	"$LKST" serve --socket "$socket" --group "$(id -gn)" "$@" 2>>"$work/serve.log" &
	server=$!
	children+=("$server")
	wait_until 60 "$LKST" status --socket "$socket" >/dev/null 2>&1
	"$LKST" snapshot --quiet --socket "$socket" --output "$work/$name" 2>>"$work/serve.log"
	kill "$server"
	wait "$server"
}

# The last one is recorded as the kernel's own tracers have it: its pointers are numbers of 64 bits.
"$LKST" start --quiet --budget none --buffer 8M --maskset RNOTHING --event 'hrtimer_*' --event 'timer_*' --event kmalloc --event kfree \
	--event 'mm_page_*' --event 'workqueue_*' --event 'sched_process_*' \
	--event 'workqueue:workqueue_activate_work' 2>"$work/err" && has_started=yes
"$LKST" maskset set RALL --quiet 2>>"$work/err"
# Timers, work, memory and new threads, whatever else the machine does.
for i in {1..50}; do
	sleep 0.001
done
dd if=/dev/zero of="$work/data" bs=64k count=20 conv=fsync 2>/dev/null
"$LKST" maskset set RNOTHING --quiet 2>>"$work/err"
serve_and_take hashed
serve_and_take again
serve_and_take plain --kernel-addresses
"$LKST" snapshot --quiet --output "$work/own" 2>>"$work/err"
"$LKST" stop --quiet && has_started=no
records_no_more

for name in own hashed again plain; do
	"$LKST" print --format json "$work/$name" 2>>"$work/err" |
		grep -v '"event":"\(state_\|maskset_\)' >"$work/$name.json"
done
if [ ! -s "$work/own.json" ]; then
	fail addresses_are_recorded "nothing was: $(cat "$work/err" "$work/serve.log")"
	exit 1
fi

report addresses_are_compared perl -w - "$work" <<'END_OF_PERL'
use strict;
no warnings 'portable';
my $work = shift;

# The records of a trace: what is known by place and time => its fields, and the names that they have.
sub records
{
	my ($name) = @_;
	my %all;

	open(my $in, '<', "$work/$name.json") or die "$name: $!";
	while (my $line = <$in>) {
		my ($ns, $cpu, $tid, $event, $fields) = $line =~
			/^\{"ns":(\d+),.*?"cpu":(\d+),"tid":(-?\d+),.*?"event":"([^"]+)","fields":\{(.*?)\}/ or next;
		my ($symbols) = $line =~ /"symbols":\{(.*?)\}/;
		my $key = "$ns $cpu $tid $event";
		my %value = $fields =~ /"(\w+)":(-?\d+)(?=[,\}]|$)/g;
		my %symbol = ($symbols // '') =~ /"(\w+)":"([^"]*)"/g;
		push @{$all{$key}}, [\%value, \%symbol];
	}
	return \%all;
}

my %bad;
my ($own, $hashed, $again, $plain) = map { records($_) } qw(own hashed again plain);
my ($pairs, $records, $named, %to, %from) = (0, 0, 0);
for my $key (keys %$own) {
	my ($a, $b, $c, $d) = map { $_->{$key} } $own, $hashed, $again, $plain;
	next unless $b && @$a == 1 && @$b == 1;
	$records++;
	for my $field (keys %{$a->[0][0]}) {
		my ($raw, $sent) = ($a->[0][0]{$field}, $b->[0][0]{$field});
		# What a program passes it has itself; in a register that a call does not read there may be anything.
		my $is_kernel = $key !~ / syscall_entry_/ && $raw >= 0xff00000000000000 && $raw < 18446744073709547521;
		my $is_hidden = $is_kernel || ($field eq 'pfn' && $raw != 0 && $raw != 18446744073709551615);

		$bad{"$key $field differs in a second snapshot"}++ if $c && $c->[0][0]{$field} ne $sent;
		$bad{"$key $field differs with --kernel-addresses"}++ if $d && $d->[0][0]{$field} ne $raw;
		if (!$is_hidden) {
			$bad{"$key $field is $sent, not $raw"}++ if $sent ne $raw;
			next;
		}
		$pairs++;
		my $what = $field eq 'pfn' ? "pfn $raw" : $raw;
		$bad{"$key $field: $raw is sent as it is"}++ if $sent eq $raw || $sent >> 62 != 2;
		$bad{"$key $field: $raw is sent as two"}++ if ($to{$what} //= $sent) ne $sent;
		$bad{"$key $field: two are sent as $sent"}++ if ($from{$sent} //= $what) ne $what;
		my ($name, $told) = map { $_->[0][1]{$field} // '' } $a, $b;
		$name =~ s/\+0x[0-9a-f]+//;
		$named++ if $told ne '';
		$bad{"$key $field is called $told, not $name"}++ if $told ne $name;
	}
}
my ($first) = sort keys %bad;
my $nr = keys %to;
if (%bad) {
	print 'FAIL addresses_are_hashed: ', scalar(keys %bad), " of $records records, the first: $first\n";
} elsif ($records < 100 || $nr < 20 || $pairs <= $nr) {
	print "FAIL addresses_are_hashed: only $records records, $pairs addresses, $nr different ones\n";
} else {
	print "ok addresses_are_hashed\n";
}
print $named ? "ok addresses_have_names\n" : "skip addresses_have_names: this kernel gives no names\n";

# Byte by byte, whatever the trace's reader makes of it: none of the addresses is in any file, however it lies.
my ($found, $checked) = ('', 0);
for my $file (glob("$work/hashed/*")) {
	open(my $in, '<:raw', $file) or die "$file: $!";
	local $/;
	my $bytes = <$in>;
	for my $raw ((sort grep { !/pfn/ } keys %to)[0 .. 1999]) {
		last unless defined $raw;
		$checked++;
		$found = sprintf('%#x in %s', $raw, $file) if index($bytes, pack('Q<', $raw)) >= 0;
	}
}
print $found ? "FAIL addresses_are_in_no_file: $found\n"
	: $checked ? "ok addresses_are_in_no_file\n" : "FAIL addresses_are_in_no_file: none was looked for\n";
END_OF_PERL

expect addresses_that_are_hashed_are_told "$("$LKST" check "$work/hashed" | grep -c 'addresses: those of the kernel are hashes')" 1
expect addresses_that_are_plain_are_not "$("$LKST" check "$work/plain" | grep -c 'are hashes')" 0
expect addresses_hashed_in_a_part_of_it "$("$LKST" cut --quiet --from +0s -o "$work/part" "$work/hashed" &&
	"$LKST" check --json "$work/part" | grep -o '"has_hashed_addresses":[a-z]*')" '"has_hashed_addresses":true'
if "$LKST" report "$work/hashed" >"$work/out" 2>&1 && "$LKST" analyze all "$work/hashed" >>"$work/out" 2>&1; then
	ok addresses_hashed_are_analysed
else
	fail addresses_hashed_are_analysed "$(tail -n 2 "$work/out")"
fi
exit $failed
