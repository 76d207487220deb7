#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst top: what it says of known loads agrees with the kernel's own accounts of the same time (/proc/PID/schedstat,
# /proc/diskstats, /proc/softirqs); its screen shows that, resizes, filters, explains and quits with the terminal as
# before; and the recording goes on untouched.
#
# The kernel's accounts are read every few milliseconds with the time, so that whatever stretch a look is of, they give
# a least and a most for it. Nothing depends on how fast the machine is.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder

expect_refusal top_names_lkst_start_where_nothing_is_recorded '`lkst start`' top --batch
expect_refusal top_needs_a_terminal 'needs a terminal' top

# Prints lines "FROM TO WHAT COUNT" until it is killed: the ns that thread $1 has run; what the kernel does not count as
# that, ns, on CPU 0, to which it is bound, and how much of this is rounded off; the requests that disk $2 has done (least:
# without flushes, most: with them), and softirqs by kind.
watch()
{
	exec perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC,sleep -e '
		my ($tid, $major, $minor, $ticks) = @ARGV;
		sub lines { open(my $f, "<", $_[0]) or return; <$f> }
		sub now { sprintf "%d", clock_gettime(CLOCK_MONOTONIC) * 1e9 }
		$| = 1;
		while (1) {
			# Before and after, since reading takes a while: "least" holds at the first, "most" at the second.
			my $from = now();
			my ($ran) = map { (split)[0] } lines("/proc/$tid/schedstat");
			# Time that was stolen, and that of interrupts if the kernel has an account of it (IRQ_TIME_ACCOUNTING).
			my ($irq, $softirq, $stolen) = map { (split)[6 .. 8] } grep { /^cpu0 / } lines("/proc/stat");
			my $uncounted = $stolen + ($irq ? $irq + $softirq : 0);
			my ($disk) = grep { my @f = split; $f[0] == $major && $f[1] == $minor } lines("/proc/diskstats");
			my %soft;
			for (lines("/proc/softirqs")) {
				my ($kind, @n) = split;
				next unless $kind =~ s/:$//;
				$soft{$kind} += $_ for @n;
			}
			my $to = now();
			my @text = ("ran $ran", "uncounted " . $uncounted * 1e9 / $ticks,
				"rounded_off " . (!!$stolen + 2 * !!$irq) * 1e9 / $ticks);
			push @text, map "softirq:$_ $soft{$_}", keys %soft;
			if (defined $disk) {
				my @f = split " ", $disk;
				push @text, "done " . ($f[3] + $f[7] + $f[14]), "flushed " . ($f[18] // 0);
			}
			print "$from $to $_\n" for @text;
			sleep 0.01;
		}' "$@" "$(getconf CLK_TCK)"
}

# Compares look $1 with what was watched, $2.
judge()
{
	perl -MTrace -MJSON::XS -e '
use strict;
local $/;
my ($look, $watched, $ready, $spinner, $sleeper, $locker, $reader, $disk) = @ARGV;
sub slurp { open(my $f, "<", $_[0]) or die "$_[0]: $!"; <$f> }
# One that began when all was ready, and of which no records are missing. A little of a CPU is unknown where the machine
# hides a thread, as sandboxes do: the less, the better.
sub unknown_ns {
	my $ns = 0;
	$ns += $_->{unknown_ns} for @{$_[0]{cpus}{rows}};
	return $ns;
}
sub is_whole {
	my ($r) = @_;
	my $w = $r->{window}{rows}[0];
	return !$w->{gaps} && !grep { $_->{unknown_ns} > 0.05 * $w->{time_ns} } @{$r->{cpus}{rows}};
}
my @looks = grep { $_->{window}{rows}[0]{from_ns} >= $ready } JSON::XS->new->incr_parse(slurp($look));
my ($r) = sort { unknown_ns($a) <=> unknown_ns($b) } grep { is_whole($_) } @looks;
if (!$r) {
	print @looks ? "skip top_agrees_with_the_kernel: records of every look are missing\n"
		: "FAIL top_agrees_with_the_kernel: there is no look\n";
	exit;
}
my $w = $r->{window}{rows}[0];
my ($from, $to) = @$w{qw(from_ns to_ns)};
my $ns = $to - $from;
my %readings;
push @{$readings{$_->[2]}}, $_ for map [split], split /\n/, slurp($watched);

# What was counted between the two times: at least, and at most.
sub bounds {
	my ($what) = @_;
	my ($before, $first, $last, $after);
	for (@{$readings{$what} // []}) {
		my ($a, $b, undef, $n) = @$_;
		$before = $n if $b <= $from;
		$first //= $n if $a >= $from;
		$last = $n if $b <= $to;
		$after //= $n if $a >= $to;
	}
	return (defined $last && defined $first && $last > $first ? $last - $first : 0,
		defined $before && defined $after ? $after - $before : 9e18);
}
sub within {
	my ($name, $got, $least, $most) = @_;
	printf "%s: %.0f, from %.0f to %.0f\n", $name, $got, $least, $most;
	result($name, $got >= $least && $got <= $most ? () : "$got is not from $least to $most");
}

my %thread = map { $_->{tid} => $_ } @{$r->{threads}{rows}};
# The kernel accounts for a switch a little before it is recorded.
my $t = $thread{$spinner} // {};
my ($least, $most) = bounds("ran");
my (undef, $uncounted) = bounds("uncounted");
$most = $most * 1.02 + $uncounted + ($readings{rounded_off}[-1][3] // 0);
within("top_agrees_with_schedstat", $t->{running_ns} // -1, $least * 0.98 - 1e6 - ($t->{unknown_ns} // 0), $most + 1e6);
within("top_leaves_no_time_out", $t->{running_ns} + $t->{ready_ns} + $t->{unknown_ns} + $t->{disk_ns} + $t->{lock_ns}
	+ $t->{sleep_ns} + $t->{other_ns}, $ns - 1, $ns + 1);
# All the time in one state, but for what is not known.
for (["sleeps", $sleeper, "sleep_ns", "sleep"], ["waits_for_a_lock", $locker, "lock_ns", "futex"],
     ["waits_for_a_pipe", $reader, "other_ns", "file"]) {
	my ($name, $tid, $column, $cause) = @$_;
	my $row = $thread{$tid} // {};
	within("top_shows_what_$name", $row->{$column} // -1, $ns - 1 - ($row->{unknown_ns} // 0), $ns);
	result("top_names_what_it_${name}_for", ($row->{blocked_on} // "") eq $cause ? () : "blocked on $row->{blocked_on}");
}
for my $cpu (@{$r->{cpus}{rows}}) {
	my $sum = 0;
	$sum += $cpu->{"${_}_ns"} for qw(threads irq softirq idle unknown);
	within("top_leaves_no_time_of_cpu_$cpu->{cpu}_out", $sum, $ns - 1000, $ns + 1000);
}

# The kernel counts a softirq when it begins: those that an end of the window cuts may count there or not. Softirqs that
# interrupt a hidden thread are hidden with it.
my %irq = map { $_->{name} => $_ } @{$r->{irqs}{rows}};
for (qw(TIMER RCU SCHED)) {
	my ($low, $high) = bounds("softirq:$_");
	$low = 0 if unknown_ns($r);
	my $row = $irq{"softirq:$_"} // { count => 0, partial => 0 };
	within("top_agrees_with_softirqs_$_", $row->{count} + $row->{partial}, $low - 4, $high + 4);
}
my ($row) = grep { $_->{disk} eq $disk } @{$r->{disks}{rows}};
if ($disk eq "") {
	print "skip top_agrees_with_diskstats: the file is on no disk of its own\n";
} else {
	my ($low, $high) = bounds("done");
	my (undef, $flushed) = bounds("flushed");
	my $done = ($row->{requests} // 0) + ($row->{no_begin} // 0);
	within("top_agrees_with_diskstats", $done, $low, $high + $flushed);
	result("top_knows_how_long_requests_took", $done == 0 || $row->{worst_ns} >= $row->{mean_ns} && $row->{mean_ns} > 0
		? () : "worst $row->{worst_ns}, mean $row->{mean_ns}");
}
my $rec = $r->{recording}{rows}[0];
result("top_says_what_recording_costs", defined $rec->{cost_percent} && $rec->{cost_percent} > 0
	&& defined $rec->{own_percent} && $rec->{history_ns} > 0 ? () : encode_json($rec));
result("top_marks_its_own_threads", (grep { $_->{own} && $_->{comm} eq "lkst" } values %thread) ? () : "none is marked");
' "$@"
}

# ---- known loads -----------------------------------------------------------------------------

# The other loads of a busy machine must not overwrite a look before it is copied.
"$LKST" start --quiet --budget none --buffer 32M || { fail top_starts 'lkst start failed'; exit 1; }
has_started=yes

perl -e '1 while 1' &
spinner=$!
taskset -p -c 0 $spinner >/dev/null
mkdir "$work/disk"
device=$(stat -c %d "$work/disk")
major=$((device >> 8 & 0xfff)) minor=$((device & 0xff | device >> 12 & 0xfff00))
disk=$(awk -v major=$major -v minor=$minor '$1 == major && $2 == minor { print $3 }' /proc/diskstats)
# A partition's requests are those of its disk.
parent=$(basename "$(dirname "$(readlink -f "/sys/class/block/$disk")")" 2>/dev/null)
if [ -n "$disk" ] && [ -e "/sys/class/block/$parent/dev" ]; then
	disk=$parent
	IFS=: read -r major minor <"/sys/class/block/$disk/dev"
fi
(while :; do
	dd if=/dev/zero of="$work/disk/file" bs=16k count=4 conv=fsync 2>/dev/null
done) &
writer=$!
watch $spinner "$major" "$minor" >"$work/watched" &
watcher=$!
"$LKST" top --batch --delay 300ms --format json >"$work/looks" 2>"$work/err" &
top=$!
children+=("$spinner" "$writer" "$watcher" "$top")

# How many looks there are, and how many readings; whether there are so many.
looks() { perl -MJSON::XS -0777 -ne 'print scalar(my @all = JSON::XS->new->incr_parse($_))' "$work/looks"; }
has_looks() { [ "$(looks)" -ge "$1" ]; }
readings() { grep -c ' ran ' "$work/watched"; }
has_readings() { [ "$(readings)" -ge "$1" ]; }
# Whether all of the processes are in system call $1, as a number, and sleep.
are_in() { local pid; for pid in "${@:2}"; do grep -q "^$1 " "/proc/$pid/syscall" || return; done; }

# The numbers of the calls that wait.
case $(uname -m) in
aarch64) futex=98 read=63 nanosleep=115 ;;
*) futex=202 read=0 nanosleep=230 ;;
esac
# What waits begins to do so while somebody looks.
wait_until 60 has_looks 1 || fail top_looks "$(cat "$work/err")"
perl -e '$0 = "idler"; sleep 3600' &
sleeper=$!
# FUTEX_WAIT for what does not change.
perl -e 'my $word = pack "L", 1; syscall $ARGV[0] + 0, $word, 0, 1, 0 while 1' $futex &
locker=$!
mkfifo "$work/pipe"
perl -e 'open my $p, "+<", shift; sysread $p, my $x, 1' "$work/pipe" &
reader=$!
children+=("$sleeper" "$locker" "$reader")
wait_until 60 are_in $futex "$locker" && wait_until 60 are_in $read "$reader" && wait_until 60 are_in $nanosleep "$sleeper" ||
	fail top_loads "$(cat /proc/{$locker,$reader,$sleeper}/syscall)"
ready=$(perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e 'printf "%d", clock_gettime(CLOCK_MONOTONIC) * 1e9')
# A look that began after that, whole, and a reading after its end.
wait_until 60 has_looks $(($(looks) + 3)) || fail top_goes_on "$(cat "$work/err")"
kill $top
wait $top 2>/dev/null
wait_until 60 has_readings $(($(readings) + 3))
report top_agrees_with_the_kernel judge "$work/looks" "$work/watched" "$ready" $spinner $sleeper $locker $reader "$disk"

"$LKST" top --batch --count 1 --pid $spinner --format csv >"$work/csv"
expect top_shows_one_process "$(tr -d '\r' <"$work/csv" |
	awk -F, '/^tid,pid,/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')" "$spinner"
"$LKST" top --batch --count 2 --delay 100ms --format text --rows 3 --sort ready --processes >"$work/text" 2>"$work/err"
expect top_prints_text "$? $(grep -c '^Threads$' "$work/text") $(cat "$work/err")" '0 2 '

# Through the service, where who asks may be no more than a member of the group.
"$LKST" serve --socket "$work/socket" --group root 2>"$work/serve.log" &
children+=($!)
wait_until 60 test -S "$work/socket"
"$LKST" top --socket "$work/socket" --batch --count 2 --format json --pid $locker >"$work/remote" 2>"$work/err"
expect top_asks_the_service "$(perl -MJSON::XS -0777 -ne 'my @all = JSON::XS->new->incr_parse($_);
	print scalar(@all), " ", join ",", map $_->{tid}, @{$all[1]{threads}{rows}}' "$work/remote")$(cat "$work/err")" "2 $locker"

# A stretch of a trace.
"$LKST" snapshot --quiet --last 2s --output "$work/trace"
expect_refusal top_looks_at_a_trace_once '--count, --delay and --socket are for the running recording' top --count 2 "$work/trace"
"$LKST" top --from -300ms --to -100ms --pid $spinner --format json "$work/trace" >"$work/stretch" 2>"$work/err"
expect top_shows_a_stretch_of_a_trace "$(perl -MJSON::XS -0777 -ne 'my $r = decode_json($_); my ($t) = @{$r->{threads}{rows}};
	print "$r->{window}{rows}[0]{time_ns} ", $t->{running_ns} + $t->{ready_ns} + $t->{unknown_ns} - 200000000' "$work/stretch")$(cat "$work/err")" '200000000 0'

# ---- the screen ------------------------------------------------------------------------------

if ! command -v tmux >/dev/null; then
	echo 'skip top_screen: tmux is not installed'
	exit $failed
fi
# shellcheck source=tests/live/lib/cgroup.sh
. "$(dirname "$0")/lib/cgroup.sh"
cgroup=$top/lkst-test-$$ container=$(printf '%064x' $$)
at_exit 'clean_up; rmdir "$cgroup/docker/$container" "$cgroup/docker" "$cgroup" 2>/dev/null'
terminal=(tmux -S "$work/tmux" -f /dev/null)
screen() { "${terminal[@]}" capture-pane -p -t top; }
type_keys() { "${terminal[@]}" send-keys -t top "$@"; }
shows() { screen | grep -qF -- "$1"; }
shows_not() { ! shows "$1"; }
# see NAME TEXT: the screen has the text, soon.
see() { if wait_until 60 shows "$2"; then ok "$1"; else fail "$1" "there is no \"$2\" in: $(screen | head -n 30)"; fi; }
attached() { "$LKST" status | sed -n 's/ hooks attached$//p'; }

# A name that tries to set the terminal's title, and colors.
bash -c 'printf "\033]0;bad\007\033[31m" >/proc/self/comm; echo $$ >"$1"; read -r _ <"$2"' - "$work/hostile" "$work/pipe" &
children+=($!)
hooks_before=$(attached) began=$("$LKST" status | awk 'NR == 1 { print $2, $5 }')

cat >"$work/shell" <<'END'
PS1='$ '
LC_ALL=C.UTF-8
cd "$work"
END
export work
"${terminal[@]}" new-session -d -s top -x 150 -y 40 "LC_ALL=C.UTF-8 bash --noprofile --rcfile '$work/shell' -i" ||
	fail top_screen 'tmux cannot start'
"${terminal[@]}" pipe-pane -t top "cat >'$work/raw'"
type_keys "stty -g >before; '$LKST' top --delay 300ms; echo ended \$?; stty -g >after" Enter
see top_screen_shows_threads BLOCKED-ON
see top_screen_shows_what_it_costs 'lkst top: '
see top_screen_shows_the_spinner "$spinner"
type_keys /
see top_screen_asks_for_a_name 'only names that match'
type_keys bad Enter
see top_screen_escapes_names '\x1b]0;bad\x07'
wait_until 60 shows_not " $spinner " && ok top_screen_filters || fail top_screen_filters "$(screen)"
type_keys / Enter
type_keys /perl Enter
see top_screen_filters_by_another_name "$spinner"
# The answer to a key stays when there is another look.
time_shown() { screen | sed -n '1s/^lkst top  *\([0-9:.]*\).*/\1/p'; }
has_looked_again() { [ "$(time_shown)" != "$looked" ]; }
type_keys / Enter
type_keys /idler Enter
is_alone() { shows " $sleeper " && shows_not " $spinner "; }
wait_until 60 is_alone || fail top_screen_shows_who_did_nothing "$(screen)"
type_keys Home
type_keys Enter
see top_screen_says_that_there_is_nothing_to_show "$sleeper/idler did nothing that was recorded in this time: there is nothing to show"
for _ in 1 2; do
	looked=$(time_shown)
	wait_until 60 has_looked_again
done
shows 'there is nothing to show' && ok top_screen_keeps_the_answer || fail top_screen_keeps_the_answer "$(screen)"
# A thread in what its cgroup's path calls a container.
if [ -n "$top" ] && mkdir "$cgroup" "$cgroup/docker" "$cgroup/docker/$container" 2>/dev/null && echo "$sleeper" >"$cgroup/docker/$container/cgroup.procs"; then
	see top_screen_shows_containers "docker:${container:0:12}"
	see top_screen_names_their_column CONTAINER
else
	echo 'skip top_screen_shows_containers: no cgroup can be made here'
fi
type_keys / Enter
type_keys /perl Enter
# The spinner runs most of them.
type_keys N P Home
type_keys Enter
see top_screen_explains_a_thread 'why: up, down'
# A look in which records of the spinner are missing may have another thread in the first row.
says_why_of_the_spinner() {
	shows "$spinner/perl, " && return
	type_keys q
	wait_until 10 shows BLOCKED-ON
	type_keys Home
	type_keys Enter
	wait_until 10 shows 'why: up, down' && shows "$spinner/perl, "
}
if wait_until 60 says_why_of_the_spinner; then
	ok top_screen_says_why
else
	fail top_screen_says_why "$(screen | head -n 30)"
fi
type_keys q
see top_screen_goes_back BLOCKED-ON
type_keys h
see top_screen_has_help 'could run, but waits for a CPU'
type_keys x
type_keys p
see top_screen_pauses PAUSED
type_keys p
"${terminal[@]}" resize-window -t top -x 70 -y 15
is_small() { shows READY% && shows_not BLOCKED-ON; }
wait_until 60 is_small && ok top_screen_resizes || fail top_screen_resizes "$(screen)"
"${terminal[@]}" resize-window -t top -x 5 -y 2
"${terminal[@]}" resize-window -t top -x 130 -y 30
see top_screen_resizes_back BLOCKED-ON
type_keys H
type_keys d 0.2 Enter
see top_screen_changes_the_delay 'every 200 ms'
type_keys q
see top_screen_quits 'ended 0'
is_restored() { [ -s "$work/after" ] && cmp -s "$work/before" "$work/after"; }
wait_until 60 is_restored && ok top_screen_restores_the_terminal || fail top_screen_restores_the_terminal "$(diff "$work/before" "$work/after" 2>&1)"
if grep -q $'\033]0;bad' "$work/raw"; then
	fail top_screen_sends_no_foreign_sequences 'the name reached the terminal'
else
	ok top_screen_sends_no_foreign_sequences
fi

# However it ends.
for signal in INT TERM HUP; do
	rm -f "$work/after" "$work/pid"
	type_keys clear Enter
	type_keys "sh -c 'echo \$\$ >pid; exec \"\$0\" top --no-color' '$LKST'; echo \"ended by $signal\"; stty -g >after" Enter
	see "top_screen_without_color_$signal" BLOCKED-ON
	kill -$signal "$(cat "$work/pid")"
	see "top_screen_ends_by_$signal" "ended by $signal"
	wait_until 60 is_restored && ok "top_screen_restores_after_$signal" || fail "top_screen_restores_after_$signal" "$(diff "$work/before" "$work/after" 2>&1)"
done
rm -f "$work/after"
type_keys clear Enter
type_keys "'$LKST' top" Enter
see top_screen_shows_again BLOCKED-ON
type_keys C-z
see top_screen_stops 'Stopped'
type_keys 'stty -g >after' Enter
wait_until 60 is_restored && ok top_screen_restores_when_stopped || fail top_screen_restores_when_stopped "$(diff "$work/before" "$work/after" 2>&1)"
type_keys clear Enter
type_keys fg Enter
see top_screen_goes_on BLOCKED-ON

# ---- the recording ---------------------------------------------------------------------------

expect top_leaves_hooks_as_they_are "$(attached)" "$hooks_before"
expect top_leaves_the_recording "$("$LKST" status | awk 'NR == 1 { print $2, $5 }')" "$began"
"$LKST" stop --quiet
has_started=no
see top_screen_says_that_the_recording_was_stopped 'the recording was stopped; `lkst start`'
is_gone() { ! bpftool prog show 2>/dev/null | grep -q 'name on_sched_switch'; }
wait_until 60 is_gone && ok top_leaves_nothing_attached || fail top_leaves_nothing_attached 'a program is still there'
"${terminal[@]}" kill-server
exit $failed
