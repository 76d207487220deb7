#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Names of functions, locks and slab caches: that they are right, by the kernel's own lists; that they are in
# every kind of trace, and no more of them than addresses that occur; and that a trace without them is possible.

. "$(dirname "$0")/lib/live.sh"

# Four threads of each kind, so that some have to wait for the mutex of the pipe.
use_a_pipe()
{
	perl -e '
		pipe(my $r, my $w) or die;
		for my $i (1 .. 8) {
			next if fork;
			my ($end, $byte) = time + 1;
			# Only its own end: so the last one of a kind ends those of the other.
			close($i & 1 ? $r : $w);
			while (time <= $end) { $i & 1 ? syswrite($w, "x" x 4096) : sysread($r, $byte, 4096) }
			exit;
		}
		close $r; close $w;
		1 while wait > 0'
}

# Whether trace $1 has a wait for the mutex of the pipe, not for the spin lock of those who sleep at it: 32 is the kernel's
# LCB_F_MUTEX (include/trace/events/lock.h).
has_waited_for_a_pipe()
{
	"$LKST" print --format json -e contention_begin "$1" |
		perl -ne '$found ||= /"flags":(\d+)/ && $1 & 32 && /"symbols":.*pipe_(write|read)\+/; END { exit !$found }'
}

# Does things whose functions, locks and caches are known, until someone had to wait for the pipe; leaves a snapshot.
act()
{
	local i

	for ((i = 0; i < 20; i++)); do
		use_a_pipe
		sleep 0.01
		rm -rf "$work/trace"
		"$LKST" snapshot --quiet -o "$work/trace"
		has_waited_for_a_pipe "$work/trace" && break
	done
}

# The addresses in the records of trace $1 that may have names: "FIELD ADDRESS NAME" each, NAME is null for none.
addresses_of()
{
	"$LKST" print --format json "$1" | perl -ne '
		/"fields":\{(.*)\},"symbols":\{(.*)\}\}$/ or next;
		my ($fields, $names) = ($1, $2);
		while ($names =~ /"(\w+)":(?:"([^"]*)"|(null))/g) {
			my ($field, $name) = ($1, $2 // $3);
			print "$field $1 $name\n" if $fields =~ /"$field":(\d+)/ && !$seen{$1}++;
		}'
}

# Compares the functions that `addresses_of` names with /proc/kallsyms: prints what is wrong, and how many are right.
compare_with_kallsyms()
{
	perl -e '
		my (@at, %names, $right);
		open(my $list, "<", "/proc/kallsyms") or die;
		while (<$list>) {
			my ($address, $type, $name, $module) = /^(\S+) (\S) (\S+)(?:\s+(\[\S+\]))?$/ or next;
			undef $module if ($module // "") eq "[bpf]"; # which "%pS" does not print
			$address = hex $address;
			push @at, $address unless $names{$address};
			$names{$address}{$name . ($module // "")} = 1;
		}
		@at = sort { $a <=> $b } @at;
		# The place of the last one that is not above the address.
		sub below {
			my ($address, $from, $to) = (shift, 0, scalar @at);
			while ($from < $to) {
				my $middle = ($from + $to) >> 1;
				if ($at[$middle] <= $address) { $from = $middle + 1 } else { $to = $middle }
			}
			return $from - 1;
		}
		while (<STDIN>) {
			my ($field, $value, $name) = split;
			next if $field =~ /^(cache|lock|queue)$/ || $name eq "null";
			my $start = $at[below($value)];
			my $offset = $value - $start;
			my $is_right = grep {
				my ($function, $module) = /^(.*?)(\[.*)?$/;
				$name eq $function . ($offset ? sprintf("+0x%x", $offset) : "") . ($module // "")
			} keys %{$names{$start}};
			printf "%x is %s, not %s+%x\n", $value, $name, join("|", keys %{$names{$start}}), $offset
				unless $is_right;
			$right += $is_right;
		}
		print "right: $right\n"'
}

"$LKST" start --quiet --buffer 16M --maskset RDEFAULT --budget none >/dev/null || exit
has_started=yes
act
addresses_of "$work/trace" >"$work/addresses"
compare_with_kallsyms <"$work/addresses" >"$work/compared"
expect symbols_are_those_of_kallsyms "$(grep -v '^right: ' "$work/compared")" ''
expect symbols_are_many "$(awk '/^right: / && $2 >= 30 { print "yes" }' "$work/compared")" yes

# No more than occur: each names at least one address in the records, and none is named twice.
"$LKST" print --format json -e state_symbol "$work/trace" | perl -e '
	open(my $addresses, "<", $ARGV[0]) or die;
	my @occurs = map { (split)[1] } <$addresses>;
	my (%found, $nr);
	while (<STDIN>) {
		my ($address, $bytes, $name) = /"fields":\{"address":(\d+),"bytes":(\d+),"name":"([^"]*)"/ or next;
		$nr++;
		print "$name is there twice\n" if $found{$address}++;
		print "$name is of no record\n" unless grep { $_ >= $address && $_ < $address + $bytes } @occurs;
	}
	print "there are none\n" unless $nr' "$work/addresses" >"$work/needless"
expect symbols_are_only_of_what_occurs "$(cat "$work/needless")" ''

# What sleep(1) waits for is a timer of that function, as often as the records have its address.
function=$(printf %u "0x$(awk '$3 == "hrtimer_wakeup" { print $1; exit }' /proc/kallsyms)")
want=$("$LKST" print --format json -e hrtimer_expire_entry "$work/trace" | grep -c "\"function\":$function[,}]")
"$LKST" analyze timer "$work/trace" >"$work/timer"
expect symbols_name_timers "$("$LKST" print -e hrtimer_expire_entry "$work/trace" | grep -c 'function=hrtimer_wakeup$')" "$want"
expect symbols_are_in_analyses "$(grep -q '^hrtimer_wakeup ' "$work/timer" && echo yes)" yes
expect analyses_have_no_addresses "$("$LKST" analyze timer,softirq,memalloc,memfree "$work/trace" | grep -c '^[^ ]*0xffffffff8')" 0

# Who has to wait for the pipe asks in reading or writing it.
if has_waited_for_a_pipe "$work/trace"; then
	expect symbols_name_who_asks_for_a_lock "$("$LKST" analyze lockwait --rows 0 "$work/trace" |
		grep -qE '^mutex:(anon_)?pipe_(write|read)\(\) ' && echo yes)" yes
else
	echo 'skip symbols_name_who_asks_for_a_lock: nobody had to wait for the mutex of a pipe, or this kernel does not say so'
fi

# Slab caches: the kernel's own table has a cache of that name whose objects are so large.
"$LKST" print --format json -e kmem_cache_alloc "$work/trace" |
	sed -n 's/.*"bytes":\([0-9]*\).*"cache":"\([^"]*\)".*/\2 \1/p' | sort -u >"$work/caches"
while read -r name bytes; do
	[ "$(cat "/sys/kernel/slab/$name/object_size" 2>/dev/null)" = "$bytes" ] ||
		awk -v name="$name" -v bytes="$bytes" '$1 == name && $4 == bytes { found = 1 } END { exit !found }' \
			/proc/slabinfo || echo "$name has no objects of $bytes"
done <"$work/caches" >"$work/wrong"
expect symbols_of_caches_are_the_kernels "$(cat "$work/wrong")" ''
expect symbols_name_caches "$([ "$(wc -l <"$work/caches")" -ge 3 ] && echo yes)" yes

# Who watches has them, too.
"$LKST" attach --quiet --last 2s -e hrtimer_expire_entry >"$work/attached" &
attached=$!
children+=($attached)
has_names()
{
	sleep 0.01
	grep -q 'function=[a-z_]*$' "$work/attached"
}
wait_until 60 has_names
kill -INT $attached
wait $attached
expect attached_have_names "$(grep -q 'function=[a-z_]*$' "$work/attached" && echo yes)" yes
expect attached_have_no_numbers "$(grep -c 'function=0x' "$work/attached")" 0

# Without them, by wish or because the kernel does not tell.
"$LKST" snapshot --quiet --no-symbols -o "$work/without"
expect symbols_can_be_left_out "$("$LKST" print -e state_symbol "$work/without" | wc -l)" 0
expect addresses_stay "$("$LKST" print -e hrtimer_expire_entry "$work/without" | grep -q 'function=0xffff' && echo yes)" yes
if setpriv --bounding-set -syslog --inh-caps -syslog true 2>/dev/null && [ "$(sysctl -n kernel.perf_event_paranoid)" -gt 1 ]; then
	without=(setpriv --bounding-set -syslog --inh-caps -syslog)
	"${without[@]}" "$LKST" snapshot -o "$work/forbidden" >/dev/null 2>"$work/note"
	expect unprivileged_snapshot_is_made "$?" 0
	expect unprivileged_snapshot_says_so "$(grep -c 'have no names: .*CAP_SYSLOG' "$work/note")" 1
	expect unprivileged_snapshot_has_none "$("$LKST" print -e state_symbol "$work/forbidden" | wc -l)" 0
	expect_refusal_by symbols_that_must_be_are_refused '--symbols: there are no names' \
		"${without[@]}" "$LKST" snapshot --symbols -o "$work/refused"
	expect refused_snapshot_leaves_nothing "$(ls -d "$work/refused" 2>/dev/null)" ''
else
	echo 'skip unprivileged_snapshot: this kernel tells anyone where its functions are, or there is no setpriv'
fi
"$LKST" stop --quiet
has_started=no

# A recording in parts: each part can be read alone.
record parts --rotate 1M -- perl -e 'for (1 .. 10000) { select undef, undef, undef, 0.000001 }'
bad=
for part in "$work/parts"/*; do
	bad+=$("$LKST" print -e hrtimer_expire_entry -e hrtimer_start "$part" | grep -m 1 'function=0x')
done
expect parts_have_their_names "$bad" ''
exit $failed
