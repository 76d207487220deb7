#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Whose a packet is, on its way over the loopback interface, by what the two programs say of their sockets: each packet
# that was sent is received with the same numbers, those of TCP count the bytes, and of UDP the first bytes are recorded.

. "$(dirname "$0")/lib/live.sh"

record trace --event 'packet_*' -- perl -MIO::Socket::IP -e '
	my %port;
	for my $family (qw(127.0.0.1 ::1)) {
		my $listener = IO::Socket::IP->new(LocalHost => $family, Listen => 1, Proto => "tcp") or next;
		my $client = IO::Socket::IP->new(PeerHost => $family, PeerPort => $listener->sockport, Proto => "tcp") or die;
		my $server = $listener->accept;
		printf "tcp %s %d %d\n", $family, $client->sockport, $listener->sockport;
		for (1 .. 20) {
			$client->syswrite("q" x 100);
			$server->sysread(my $question, 100) == 100 or die;
			$server->syswrite("a" x 300);
			$client->sysread(my $answer, 300) == 300 or die;
		}
		my $to = IO::Socket::IP->new(LocalHost => $family, Proto => "udp") or die;
		my $from = IO::Socket::IP->new(PeerHost => $family, PeerPort => $to->sockport, Proto => "udp") or die;
		printf "udp %s %d %d\n", $family, $from->sockport, $to->sockport;
		$from->send("ABCDEFGHthe rest");
		$to->recv(my $message, 100);
	}' >"$work/sockets"
if [ ! -s "$work/sockets" ]; then
	skip_all "packets: no sockets here: $(tail -n 1 "$work/trace.log")"
fi
"$LKST" print --format json --event 'packet_*' "$work/trace" >"$work/packets"

# packets PROTOCOL-NUMBER SOURCE DESTINATION: "send|receive SEQUENCE ACKNOWLEDGEMENT BYTES ADDRESS FAMILY" of each.
packets()
{
	perl -MJSON::PP -ne '
		BEGIN { ($protocol, $source, $destination) = splice @ARGV, 0, 3 }
		my $r = decode_json($_);
		my $f = $r->{fields} or next;
		next unless $f->{ip_protocol} == $protocol && $f->{source_port} == $source &&
			$f->{destination_port} == $destination;
		(my $way = $r->{event}) =~ s/packet_//;
		print join(" ", $way, @$f{qw(sequence acknowledgement bytes source_address family)}), "\n";
	' "$1" "$2" "$3" "$work/packets"
}

while read -r kind address from to; do
	case $address in
	::1) name=ipv6 last=1 family=10 ;;
	*) name=ipv4 last=$((0x7f000001)) family=2 ;;
	esac
	if [ "$kind" = udp ]; then
		expect "packets_of_udp_have_what_they_carry_$name" "$(packets 17 "$from" "$to" | sort | tr '\n' ';')" \
			"receive $((0x41424344)) $((0x45464748)) 16 $last $family;send $((0x41424344)) $((0x45464748)) 16 $last $family;"
		continue
	fi
	packets 6 "$from" "$to" >"$work/questions"
	packets 6 "$to" "$from" >"$work/answers"
	expect "packets_sent_are_received_with_the_same_numbers_$name" \
		"$(cat "$work/questions" "$work/answers" | awk '{ k = $2 " " $3 " " $4; n[k] += $1 == "send" ? 1 : -1 }
			END { for (k in n) bad += n[k] != 0; print bad + 0 }')" 0
	expect "packets_carry_what_was_written_$name" \
		"$(awk '$1 == "send" { n += $4 } END { print n }' "$work/questions") $(awk '$1 == "send" { n += $4 } END { print n }' "$work/answers")" \
		'2000 6000'
	# The next one begins where this one ends; what carries nothing may take no number.
	expect "packets_count_their_bytes_$name" "$(awk '$1 == "send" && $4 {
			if (n++ && $2 != next_byte) bad++
			next_byte = ($2 + $4) % 4294967296
		} END { print bad + 0, n }' "$work/questions")" '0 20'
	expect "packets_are_of_their_addresses_$name" \
		"$(cut -d ' ' -f 5-6 "$work/questions" "$work/answers" | sort -u)" "$last $family"
done <"$work/sockets"

# The trace says at its beginning and at its end what is known of the clock, and so do the kernel and adjtimex(2).
"$LKST" sql "$work/trace" 'select count(*), max(synchronised), max(max_error_ns), max(realtime_ns - monotonic_ns) - min(realtime_ns - monotonic_ns) from state_clock' --format csv |
	tail -n 1 | tr -d '\r' >"$work/clock"
expect clock_is_read_at_the_beginning_and_the_end "$(awk -F, '{ print ($1 >= 2 ? "yes" : $1) }' "$work/clock")" yes
if [ "$(perl -e 'my $t = "\0" x 256; my $r = syscall(159, $t); my @t = unpack("l! l! l! l! l! l!", $t); print $r == 5 || $t[5] & 64 ? 0 : 1' 2>/dev/null)" = 1 ]; then
	synchronised=1
else
	synchronised=0
fi
if [ "$(uname -m)" = x86_64 ]; then
	expect clock_is_kept_right_as_the_kernel_says "$(cut -d , -f 2 "$work/clock")" "$synchronised"
else
	echo 'skip clock_is_kept_right_as_the_kernel_says: the number of adjtimex() is that of x86-64'
fi
exit $failed
