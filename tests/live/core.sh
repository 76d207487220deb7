#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Switches and wakings alone say in which call a thread waits, with its arguments, and what woke it: as the events of calls,
# faults and interrupts have it that are recorded beside them; and, with maskset core, where nothing else is recorded, as
# /proc/PID/syscall has it and as the programs are known to be.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
has_started=yes

# ---- beside all other events ----

various()
{
	ls -lR /usr/include >/dev/null
	perl -MIO::Socket::INET -MSocket -e '
		my $to = IO::Socket::INET->new(Proto => "udp", LocalAddr => "127.0.0.1") or die;
		my $from = IO::Socket::INET->new(Proto => "udp", PeerAddr => "127.0.0.1", PeerPort => $to->sockport) or die;
		for (1 .. 200) { $from->send("x"); $to->recv(my $text, 1) }
		pipe(my $r, my $w);
		if (my $pid = fork) { close $w; sysread $r, my $byte, 1; waitpid $pid, 0 } else { select undef, undef, undef, 0.02; exit }'
	dd if=/dev/zero of=file bs=64k count=20 oflag=dsync 2>/dev/null
}
"$LKST" start --quiet --budget none --buffer 64M 2>err || fail core_start "$(cat err)"
various
"$LKST" snapshot --quiet --output all 2>err
"$LKST" stop --quiet
report they_agree_with_the_other_events perl "$lib/core.pl" "$LKST" all

# ---- alone ----

# Whether process $1 waits in call $2, and is not just about to.
waits()
{
	local number=$(awk -v name="__NR_$2" '$2 == name { print $3 }' /usr/include/*/asm/unistd_64.h)

	[ "$(awk '{ print $3 }' "/proc/$1/stat")" = S ] && [[ "$(cat "/proc/$1/syscall")" == "$number "* ]]
}

# This one waits since before there are records, and nothing happens to it: the list of threads has its call.
sleep 1000 &
before=$!
children+=($before)
wait_until 60 waits "$before" clock_nanosleep
"$LKST" start --quiet --budget none --buffer 16M --maskset core 2>err || fail core_start "$(cat err)"
# What is attached is pinned, and there is nothing else: switches, wakings, the lives of threads and of cgroups, and the
# kernel's last words.
find /sys/fs/bpf/lkst -mindepth 1 -maxdepth 1 -name '*__*' ! -name 'program-*' -printf '%f\n' | sed 's/^[a-z_]*__//' | sort >attached
"$LKST" status --json | perl -MJSON::XS -0777 -ne 'print decode_json($_)->{hooks}, "\n"' >hooks
expect core_attaches_as_many_hooks_as_there_are_pins "$(cat hooks)" "$(wc -l <attached)"
expect core_attaches_these_hooks_only "$(grep -vxE 'sched_(switch|waking|wakeup_new|process_(fork|exec|exit|free))|task_(newtask|rename)|cgroup_(mkdir|attach_task)|console|panic|vpanic|oops_enter|oops_exit|mark_victim|mce_record|error_report_end' attached)" ''
expect core_attaches_switches_and_wakings "$(grep -cxE 'sched_switch|sched_waking' attached)" 2
# Each waits in another call, for as long as it is looked at.
mkfifo fifo
perl -e 'sysopen my $f, "fifo", 2; sysread $f, my $byte, 1' &
pids=($!)
perl -e 'select undef, undef, undef, 1000' &
pids+=($!)
sleep 1000 &
pids+=($!)
perl -e 'my $pid = fork // die; exec "sleep", 1000 if !$pid; $SIG{TERM} = sub { kill KILL => $pid; exit }; waitpid $pid, 0' &
pids+=($!)
children+=("${pids[@]}")
calls=(read pselect6 clock_nanosleep wait4)
for i in "${!pids[@]}"; do
	pid=${pids[i]}
	wait_until 60 waits "$pid" "${calls[i]}"
	read -r -a regs <"/proc/$pid/syscall"
	printf '%s %s %s\n' "$pid" "${regs[0]}" "${regs[1]}" >>truth
done
various
# One is woken by a program that says who it is.
mkfifo other
perl -e 'open my $f, "<", "other"; sysread $f, my $byte, 1' &
reader=$!
children+=($reader)
exec 8>other
wait_until 60 waits "$reader" read
bash -c 'echo $$ >waker; echo >&8'
wait "$reader"
exec 8>&-
"$LKST" snapshot --quiet --output alone 2>err
"$LKST" stop --quiet
has_started=no
"$LKST" print --format json --event sched_switch alone | perl -MJSON::XS -e '
	my %last;
	while (<STDIN>) {
		my $r = decode_json($_);
		my $f = $r->{fields} or next;
		$last{$r->{tid}} = sprintf "%d 0x%x", $f->{prev_call}, $f->{prev_args}[0] // 0 if $f->{prev_state};
	}
	printf "%s %s\n", $_, $last{$_} // "nothing" for @ARGV' "${pids[@]}" >said
expect calls_are_those_of_proc "$(diff truth said)" ''
printf '%s\n' "${calls[@]}" >names
for pid in "${pids[@]}"; do
	"$LKST" sql --format csv alone "select syscall from waits where tid = $pid order by from_ns desc limit 1" |
		tail -n +2 | tr -d '\r'
done >called
expect the_state_model_names_them "$(diff names called)" ''
expect why_names_the_call "$("$LKST" why --tid "${pids[0]}" alone 2>&1 | grep -c 'blocked in read()' | sed 's/^[1-9][0-9]*$/some/')" some
"$LKST" why --worst wait:read --tid "$reader" alone >why 2>&1
if grep -q "blocked in read().*until $(cat waker)/bash woke it" why; then
	ok why_names_the_waker
else
	fail why_names_the_waker "the waker is $(cat waker): $(cat why)"
fi
expect the_list_of_threads_has_the_call "$("$LKST" sql --format csv alone "select syscall, is_whole from waits where tid = $before" |
	tail -n +2 | tr -d '\r')" clock_nanosleep,0
expect nearly_all_waits_have_their_call "$("$LKST" sql --format csv alone "
	select sum(case when w.syscall is null then 0 else w.duration_ns end) >= 0.95 * sum(w.duration_ns)
	from waits w join threads t using (tid) where t.is_kernel = 0 and w.is_whole = 1" |
	tail -n +2 | tr -d '\r')" 1
expect no_interrupt_is_a_threads_doing "$("$LKST" sql --format csv alone "
	select count(*) from waits where waker_context = 'unknown'" | tail -n +2 | tr -d '\r')" 0

# The list that a recorder's trace begins with has the same: nothing happens to this thread either.
has_started=yes
"$LKST" record --quiet --maskset core --output recorded -- true 2>err || fail core_record "$(cat err)"
has_started=no
expect the_list_of_a_recorder_has_the_call "$("$LKST" print --format json --event state_wait recorded | perl -MJSON::XS -e '
	while (<STDIN>) {
		my $f = decode_json($_)->{fields} or next;
		print "$f->{call}\n" if $f->{thread_tid} == $ARGV[0];
	}' "$before")" "$(awk '{ print $1 }' "/proc/$before/syscall")"

# ---- kept from running by a quota ----

# A cgroup of version 1 or 2 whose threads may have a CPU for 20 ms of 100.
group=
make_group()
{
	local mount=$(awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { print $2 }' /proc/mounts | head -n 1)

	if [ -n "$mount" ]; then
		group=$mount/lkst-test.$$
		mkdir "$group" && echo 100000 >"$group/cpu.cfs_period_us" && echo 20000 >"$group/cpu.cfs_quota_us"
	elif grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control; then
		group=/sys/fs/cgroup/lkst-test.$$
		mkdir "$group" && echo '20000 100000' >"$group/cpu.max"
	else
		return 1
	fi
}
# Works for half a second of its CPU's time, and says which thread it is.
work_in_group()
{
	echo $BASHPID >"$group/cgroup.procs"
	perl -e '$| = 1; print "$$\n"; my $until = times + 0.5; 1 while times < $until'
}
if make_group 2>err; then
	has_started=yes
	"$LKST" start --quiet --budget none --buffer 16M --maskset core 2>err || fail core_start "$(cat err)"
	tid=$(work_in_group)
	"$LKST" snapshot --quiet --output throttled 2>err
	"$LKST" stop --quiet
	has_started=no
	# Version 1 counts in ns, version 2 in us.
	read -r nr ns <<<"$(awk '{ v[$1] = $2 } END { print v["nr_throttled"], v["throttled_time"] + 1000 * v["throttled_usec"] }' "$group/cpu.stat")"
	rmdir "$group"
	read -r said said_ns <<<"$("$LKST" sql --format csv throttled "select count(*), sum(duration_ns) from states
		where tid = $tid and state = 'ready' and cause = 'throttled'" | tail -n +2 | tr ',\r' '  ')"
	quota=$("$LKST" print --format json --event state_quota throttled | perl -MJSON::XS -ne '
		my $f = decode_json($_)->{fields} // next;
		print "$f->{quota_ns} $f->{period_ns} $f->{nr_throttled}\n" if $f->{path} =~ m,/lkst-test\.,')
	expect quotas_are_in_the_list "$quota" "20000000 100000000 $nr"
	# The kernel counts the times that the group has used it up, a little before its thread leaves the CPU.
	expect throttled_as_often_as_the_kernel_says "$(awk -v n="$nr" -v got="$said" 'BEGIN {
		print (n >= 5 && got >= n - 2 - n / 10 && got <= n + 2 ? "as often" : got " of " n) }')" 'as often'
	expect throttled_as_long_as_the_kernel_says "$(awk -v ns="$ns" -v got="$said_ns" 'BEGIN {
		print (got >= ns * 0.8 && got <= ns * 1.25 ? "as long" : got " of " ns " ns") }')" 'as long'
else
	echo "skip throttled_as_often_as_the_kernel_says: no cgroup can have a quota here: $(tail -n 1 err)"
fi

exit $failed
