#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# A trigger that fires as often as it may does not take the names from the threads: what began before a storm of
# its records is still known after it, and so are the newest of the records.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
getpgid=121
[ "$(uname -m)" = x86_64 ] || getpgid=155

has_started=yes
"$LKST" start --quiet --budget none --buffer 256K --event syscall:getpgid 2>err
life=$("$LKST" status --json | perl -MJSON::XS -e 'my $j = decode_json(<STDIN>);
	for (@{$j->{rings}}) { $bytes = $_->{bytes} if $_->{buffer} eq "life" && $_->{bytes} > $bytes } print $bytes')
# On each CPU a thread that begins, is renamed and ends.
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	taskset -c $cpu perl -e 'open my $f, ">", "/proc/self/comm"; syswrite $f, "early$ARGV[0]"' $cpu
done
# Without a pause between two: CPUs may make more than one in a microsecond.
"$LKST" trigger add 'syscall_entry_getpgid pid > 1000000' --name storm --rate 1000000000/1s >/dev/null
# Four times as many as fill the buffer of lives, at 40 bytes and more each.
want=$((life / 10))
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	taskset -c $cpu perl -e 'for (1 .. $ARGV[1]) { syscall($ARGV[0] + 0, 2000000 + $_); select undef, undef, undef, 0 }' \
		$getpgid "$want" &
	children+=($!)
done
wait "${children[@]}"
fired=$("$LKST" trigger list --json | sed -n 's/.*"fired":\([0-9]*\).*/\1/p')
expect trigger_fires_in_a_storm "$([ "${fired:-0}" -ge "$want" ] && echo yes || echo "${fired:-0} of $want")" yes
"$LKST" snapshot --quiet --output trace
for ((cpu = 0; cpu < $(nproc); cpu++)); do
	expect "names_of_cpu_${cpu}_outlast_a_storm" "$("$LKST" print --event task_rename --format json trace |
		grep -c "\"early$cpu\"")" 1
done
"$LKST" print --event trigger_fired --time mono trace >fired
"$LKST" print --event syscall_entry_getpgid --time mono trace >calls
expect newest_of_the_triggers_are_there "$(perl -e '
	sub last_of { open my $f, "<", $_[0]; my @l = <$f>; (split " ", $l[-1])[0] }
	open my $f, "<", "calls";
	my $fired = last_of("fired");
	my $later = grep { (split " ")[0] > $fired } <$f>;
	print $later < 100 ? "yes" : "$later calls come after the last of them"')" yes
"$LKST" trigger remove storm
"$LKST" stop --quiet
exit $failed
