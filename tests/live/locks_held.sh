#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Who has a lock of the kernel's that a thread waits for: as the switch, the beginning of contention and the list of
# threads say it, and the state model and `lkst why` after them, of locks whose holders are known.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
mkfifo input

# Has the locks held and waited for, in directory $1; `waits` has "WHAT WAITER HOLDER" of each. They are until release.
hold()
{
	mkdir "$1"
	"$load/locks_held" "$1" <input >waits 2>err &
	holder=$!
	children+=($holder)
	exec 3>input
	wait_until 120 eval 'grep -q ready waits || ! kill -0 $holder 2>/dev/null'
	if ! grep -q ready waits; then
		[ "$has_started" = no ] || "$LKST" stop --quiet
		has_started=no
		case $(<err) in
		userfaultfd:*) skip_all "locks_held: this kernel lets nobody wait in a fault: $(<err)" ;;
		*) fail locks_are_held "$(<err)" && exit 1 ;;
		esac
	fi
	sed -i '/ready/d' waits
}

release()
{
	exec 3>&-
	wait "$holder"
}

begin()
{
	has_started=yes
	"$LKST" start --quiet --budget none --buffer 16M "$@" 2>err || fail locks_held_start "$(<err)"
}

end()
{
	"$LKST" snapshot --quiet --output "$1" 2>err
	"$LKST" stop --quiet
	has_started=no
}

# "WHAT WAITER HOLDER AS FLAGS" of each waiter, by field @$3 of events $2 in trace $1.
said()
{
	local what waiter holder

	while read -r what waiter holder; do
		"$LKST" print --event "$2" --format json "$1" | perl -MJSON::XS -e '
			my ($what, $waiter, $of, $flags) = @ARGV;
			my @as = qw(unknown owner reader taker);
			my $last = "nothing";
			while (<STDIN>) {
				my $r = decode_json($_);
				my $f = $r->{fields} or next;
				next if ($of eq "thread" ? $r->{tid} : $f->{$of}) != $waiter || $f->{$flags} & 1;
				$last = "$f->{holder_tid} $as[$f->{holder_is}] $f->{$flags}";
			}
			print "$what $waiter $last\n"' "$what" "$waiter" "$3" "$4"
	done <waits
}

# What is to be said: a mutex is 32, a read-write semaphore 2 for who reads and 4 for who writes, what lends priority 8.
truth()
{
	sed 's/^mutex .*/& owner 32/; s/^write .*/& owner 4/
		s/^reader .*/& reader 4/; s/^behind .*/& reader 2/; s/^futex .*/& owner 8/' waits
}

# "WHAT HOLDER LAST" of the longest wait of each waiter, as the state model has it.
modelled()
{
	local what waiter holder

	while read -r what waiter holder; do
		echo "$what" "$("$LKST" sql --format csv "$1" "select cause, holder_tid, last_tid from waits
			where tid = $waiter order by duration_ns desc limit 1" | tail -n +2 | tr -d '\r')"
	done <waits
}

known()
{
	sed 's/^\(mutex\|write\) [0-9]* \([0-9]*\)/\1 lock,\2,/; s/^futex [0-9]* \([0-9]*\)/futex futex,\1,/
		s/^\(reader\|behind\) [0-9]* \([0-9]*\)/\1 lock,,\2/' waits
}

explained()
{
	local what waiter holder

	while read -r what waiter holder; do
		echo "$what$("$LKST" why --brief --tid "$waiter" "$1" |
			sed -n '1d; s/, until.*//; s/.* blocked in .* lock at 0x[0-9a-f]*//p' | head -n 1)"
	done <waits
}

sentences()
{
	local held='held by \1/locks_held when the wait began' read='read by others, \1/locks_held among the last'

	sed "s|^mutex [0-9]* \(.*\)|mutex (MUTEX), $held|; s|^write [0-9]* \(.*\)|write (WRITE), $held|
		s|^reader [0-9]* \(.*\)|reader (WRITE), $read|; s|^behind [0-9]* \(.*\)|behind (READ), $read|
		s|^futex [0-9]* \(.*\)|futex, $held|" waits
}

# ---- where the kernel keeps it ----

if grep -qaP '\x00blocker\x00' /sys/kernel/btf/vmlinux; then
	begin --event sched_switch --event sched_waking --event sched_blocker
	hold core
	release
	end core.trace
	expect the_switch_says_who_has_it "$(diff <(truth) <(said core.trace sched_blocker thread flags))" ''
	expect the_model_takes_it "$(diff <(known) <(modelled core.trace))" ''
	expect why_names_who_has_it "$(diff <(sentences) <(explained core.trace))" ''

	# Nothing happens to them in the trace.
	hold listed
	begin --event sched_switch --event sched_waking
	end listed.trace
	release
	expect the_list_of_threads_says_it "$(diff <(truth) <(said listed.trace state_wait thread_tid lock_flags))" ''
	expect the_model_takes_it_from_the_list "$(diff <(known) <(modelled listed.trace))" ''
else
	echo 'skip the_switch_says_who_has_it: this kernel does not keep for which lock a thread waits'
fi

# ---- where a wait begins ----

begin --event sched_switch --event sched_waking --event sched_blocker --event 'contention_*'
hold all
release
# Contended by many, for as long as it takes.
for i in 1 2 3 4; do
	perl -e 'for (1 .. 3000) { open my $f, ">>", "many"; syswrite $f, "x" x 8192 } unlink "many"' &
	children+=($!)
	many+=($!)
done
wait "${many[@]}"
end all.trace
expect contention_says_who_has_it \
	"$(diff <(truth | grep -v futex) <(said all.trace contention_begin thread flags | grep -v futex))" ''
# What the switch says is the lock for which the wait began, at that thread, and no record stands without its switch.
"$LKST" print --format json --event sched_blocker --event sched_switch --event 'contention_*' all.trace |
	perl -MJSON::XS -e '
	my (%begun, %about);
	my ($nr, $other, $alone) = (0, 0, 0);
	while (<STDIN>) {
		my $r = decode_json($_);
		my ($event, $tid, $f) = ($r->{event} // next, $r->{tid}, $r->{fields});
		$begun{$tid} = $f->{lock} if $event eq "contention_begin";
		delete $begun{$tid} if $event eq "contention_end";
		if ($event eq "sched_blocker") {
			$nr++;
			$other++ if defined $begun{$tid} && $begun{$tid} != $f->{lock};
			$about{$tid} = 1;
		} elsif (delete $about{$tid}) {
			$alone++ if $event ne "sched_switch" || !$f->{prev_state};
		}
	}
	print "$nr $other $alone\n"' >counts
read -r nr other alone <counts
if grep -qaP '\x00blocker\x00' /sys/kernel/btf/vmlinux; then
	expect many_switches_have_a_lock "$([ "$nr" -ge 4 ] && echo many || echo "$nr")" many
fi
expect the_lock_is_that_of_the_contention "$other" 0
expect each_lock_is_of_a_switch "$alone" 0
exit $failed
