#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# lkst doctor: what it says of the machine is what /proc, /sys and bpftool say; the events that it says would be
# recorded are those that a recording then has; nothing is left of it, not even where it is killed; it does not disturb
# a recording that runs; and there are no names in it.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
NOBODY=65534
chmod 0755 "$work"
cd "$work" || exit

as_nobody()
{
	setpriv --reuid $NOBODY --regid $NOBODY --clear-groups "$@"
}

# said FILE EXPRESSION: what the Perl expression makes of the report in FILE, which is $d.
said()
{
	perl -MJSON::PP -e 'my ($file, $expression) = @ARGV; local $/; open(my $in, "<", $file) or die;
		my $d = decode_json(<$in>); print join " ", eval $expression; die $@ if $@' "$1" "$2"
}

# Whether the kernel has a program of ours.
has_programs()
{
	bpftool prog show 2>/dev/null | grep -Eq 'name (tp_btf__|iter__threads|raw_tp__maskset|measure__)'
}

has_no_programs()
{
	! has_programs
}

# What there is of ours: pins, mounts, directories.
left()
{
	ls -A /sys/fs/bpf /run 2>/dev/null
	awk '{ print $5, $9 }' /proc/self/mountinfo
}

# expect_nothing_left NAME: the kernel frees programs a little after their process.
expect_nothing_left()
{
	if ! wait_until 20 has_no_programs; then
		fail "$1" "there are programs: $(bpftool prog show | grep 'name tp_btf__' | head -n 2)"
	else
		expect "$1" "$(left)" "$before"
	fi
}

# The lock file is made by the first command that takes a turn.
"$LKST" stop >/dev/null 2>&1
before=$(left)

# ---- what it says ------------------------------------------------------------------------------

TIMEFORMAT='%U + %S'
{ time "$LKST" doctor >text 2>errors; } 2>times
expect doctor_can_record_here "$? $(head -n 1 text) $(cat errors)" '0 LKST can record here. '
expect doctor_takes_less_than_two_seconds_of_a_processor "$(perl -ne 'print eval($_) < 2 ? "so" : $_' times)" so
expect_nothing_left doctor_leaves_nothing
"$LKST" doctor --format json >json 2>errors
expect doctor_in_json_can_too \
	"$? $(said json '$d->{can_record} ? "yes" : "no", $d->{why_not} // "for nothing"') $(cat errors)" \
	'0 yes for nothing '
"$LKST" doctor -f json >short 2>errors
keys='map { my $s = $_; ref $d->{$s} eq "HASH" ? map { "$s.$_" } sort keys %{$d->{$s}} : $s } sort keys %$d'
expect doctor_has_stable_keys "$(said short "$keys")" "$(said json "$keys")"

# number FILE: what the file holds, as JSON has it; null if it cannot be read
number()
{
	cat "$1" 2>/dev/null || echo null
}

# fact SECTION KEY: the value
fact()
{
	said json "my \$v = \$d->{$1}{$2}; defined \$v ? ref \$v ? \$v ? 1 : 0 : \$v : 'null'"
}

expect doctor_kernel_is_that_of_uname "$(fact kernel release) $(fact kernel architecture)" "$(uname -r) $(uname -m)"
expect doctor_types_are_those_of_sysfs "$(fact kernel btf_bytes)" "$(wc -c </sys/kernel/btf/vmlinux)"
expect doctor_cpus_are_those_of_sysfs "$(fact kernel cpus_online) $(fact kernel cpus_possible)" \
	"$(cat /sys/devices/system/cpu/online) $(cat /sys/devices/system/cpu/possible)"
expect doctor_jit_is_that_of_the_kernel "$(fact kernel bpf_jit_enable)" "$(number /proc/sys/net/core/bpf_jit_enable)"
expect doctor_has_kprobes_as_perf_has "$(fact kernel kprobes) $(fact kernel uprobes)" \
	"$(ls /sys/bus/event_source/devices | grep -cx kprobe) $(ls /sys/bus/event_source/devices | grep -cx uprobe)"
expect doctor_sysctls_are_those_of_proc \
	"$(fact security unprivileged_bpf_disabled) $(fact security perf_event_paranoid) $(fact security kptr_restrict) $(
		fact counters stack_frames) $(fact kernel bpf_stats_enabled)" \
	"$(number /proc/sys/kernel/unprivileged_bpf_disabled) $(number /proc/sys/kernel/perf_event_paranoid) $(
		number /proc/sys/kernel/kptr_restrict) $(number /proc/sys/kernel/perf_event_max_stack) $(
		number /proc/sys/kernel/bpf_stats_enabled)"
expect doctor_crash_is_that_of_sysfs "$(fact crash kdump_loaded) $(fact crash kdump_bytes)" \
	"$(number /sys/kernel/kexec_crash_loaded) $(number /sys/kernel/kexec_crash_size)"
expect doctor_clock_is_that_of_sysfs "$(fact clock source)" \
	"$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)"
expect doctor_memory_is_that_of_proc "$(fact memory total_bytes)" \
	"$(awk '/^MemTotal:/ { printf "%.0f", $2 * 1024 }' /proc/meminfo)"
expect doctor_knows_what_is_mounted "$(fact files tracefs_mounted)" "$(grep -c -m 1 ' - tracefs ' /proc/self/mountinfo)"
if [ -e /sys/kernel/security/lockdown ]; then
	expect doctor_lockdown_is_that_of_securityfs "$(fact security lockdown)" \
		"$(sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/security/lockdown)"
fi
if hz=$(zcat /proc/config.gz 2>/dev/null | sed -n 's/^CONFIG_HZ=//p') && [ -n "$hz" ]; then
	expect doctor_hz_is_that_of_the_configuration "$(fact kernel hz)" "$hz"
fi
# bpftool asks the kernel itself.
if bpftool feature probe kernel >features 2>/dev/null; then
	enabled=$(grep -c 'JIT compiler is enabled' features)
	expect doctor_agrees_with_bpftool "$(said json '$d->{kernel}{bpf_jit_enable} ? 1 : 0')" "$enabled"
fi
# bit NUMBER: whether this process has that capability
bit()
{
	echo $((0x$(awk '/^CapEff/ { print $2 }' /proc/self/status) >> $1 & 1))
}
expect doctor_capabilities_are_those_of_proc "$(fact privileges cap_bpf) $(fact privileges cap_perfmon) $(
	fact privileges cap_sys_admin) $(fact privileges cap_sys_resource) $(fact privileges cap_syslog)" \
	"$(bit 39) $(bit 38) $(bit 21) $(bit 24) $(bit 34)"
expect doctor_costs_each_event_that_is_recorded \
	"$(said json 'scalar grep { $_->{recorded} ? !$_->{ns} : defined $_->{ns} } @{$d->{events}}')" 0
expect doctor_says_why_others_are_not \
	"$(said json 'scalar grep { $_->{recorded} ? defined $_->{why} : !$_->{why} } @{$d->{events}}')" 0
expect doctor_attaches_what_is_recorded_by_standard \
	"$(said json 'map { $_->{name} } grep { $_->{set} eq "standard" && $_->{recorded} && !$_->{attached} }
		@{$d->{events}}')" ''

# ---- names -------------------------------------------------------------------------------------

mkdir somebodys-directory
cp "$LKST" somebodys-directory/lkst
# What it would tell if it told such things, in a namespace with a host's name of its own.
unshare --uts bash -c '
	hostname somebodys-machine && hostname >host
	cd somebodys-directory || exit
	export HOME=/home/somebodys-home USER=somebodys-name LOGNAME=somebodys-name
	(exec -a somebodys-lkst ./lkst doctor) >../named
	./lkst doctor --format json >../named.json' 2>errors
expect doctor_has_no_names "$(cat host) $(grep -hi somebody named named.json) $(cat errors) $(head -n 1 named)" \
	'somebodys-machine   LKST can record here.'
for secret in "$(hostname)" "$(cat /etc/machine-id 2>/dev/null)" "$(cat /proc/sys/kernel/random/boot_id)" \
	"$(cat /sys/class/dmi/id/product_serial 2>/dev/null)" "$(cat /sys/class/dmi/id/product_uuid 2>/dev/null)" \
	$(cat /sys/class/net/*/address 2>/dev/null) $(hostname -I 2>/dev/null) \
	$(awk -F: '$3 >= 1000 && $3 != 65534 { print $1 }' /etc/passwd); do
	[ ${#secret} -ge 4 ] && [ "$secret" != localhost ] && grep -hiwF -- "$secret" text json >>secrets
done
expect doctor_has_no_address_or_serial_number "$(cat secrets 2>/dev/null)" ''
rm -r somebodys-directory

# ---- where it cannot record --------------------------------------------------------------------

as_nobody "$LKST" doctor >user 2>errors
expect doctor_says_what_a_user_lacks "$? $(head -n 1 user) $(cat errors)" \
	'1 LKST cannot record here: recording the kernel needs root; try again with sudo. '
as_nobody "$LKST" doctor --format json >user.json 2>errors
expect doctor_says_what_a_user_cannot_look_at "$? $(said user.json '$d->{can_record} ? "yes" : "no",
	scalar @{$d->{events}}, $d->{costs} // "null",
	map { $_->{text} } grep { $_->{key} eq "tracefs" } @{$d->{unknown}}') $(cat errors)" \
	"1 no $(said json 'scalar @{$d->{events}}') null only root may open it "
# Their types are the same for whoever reads them.
expect doctor_says_the_same_of_types "$(said user.json 'map { $_->{name} } grep { $_->{hook} } @{$d->{events}}')" \
	"$(said json 'map { $_->{name} } grep { $_->{hook} } @{$d->{events}}')"
setpriv --bounding-set=-bpf,-perfmon,-sys_admin "$LKST" doctor >bounded 2>errors
expect doctor_says_what_root_lacks "$? $(head -n 1 bounded) $(cat errors)" \
	'1 LKST cannot record here: this process may not use BPF; it takes root with CAP_BPF and CAP_PERFMON. '
LKST_BTF=$work/none "$LKST" doctor >untyped 2>errors
expect doctor_says_that_there_are_no_types \
	"$? $(head -n 1 untyped | cut -c 1-23) $(grep -c '^events' untyped) $(cat errors)" \
	'1 LKST cannot record here 0 '
"$LKST" doctor --format csv >out 2>&1
expect doctor_is_no_table "$? $(cat out)" '2 lkst doctor: --format takes text or json, not "csv"'
"$LKST" doctor --cure >out 2>&1
expect doctor_refuses_an_option "$? $(head -n 1 out | cut -c 1-12)" '2 lkst doctor:'
"$LKST" doctor all >out 2>&1
expect doctor_refuses_an_argument "$? $(head -n 1 out)" '2 lkst doctor: it does not take the argument "all"'
expect_nothing_left doctor_leaves_nothing_where_it_fails

# ---- killed ------------------------------------------------------------------------------------

# In the middle of what it does, wherever that is: the kernel then frees what it had, and its helper goes with it.
for pause in 0.05 0.2 0.4 0.6 0.8; do
	"$LKST" doctor >out 2>&1 &
	sleep $pause
	kill -KILL $! 2>/dev/null
	wait $! 2>/dev/null
done
expect_nothing_left doctor_that_is_killed_leaves_nothing
expect doctor_that_is_killed_leaves_no_process "$(for one in /proc/[0-9]*; do
	[ "$one/exe" -ef "$LKST" ] && tr '\0' ' ' <"$one/cmdline"
done)" ''

# ---- a recording -------------------------------------------------------------------------------

# --no-helper and no limit: what is attached stays so.
"$LKST" start --quiet --budget none --no-helper --sample 99 --off-cpu 10ms && has_started=yes
ls /sys/fs/bpf/lkst >pins
# Links are pinned by the names of their hooks, programs besides.
# What is there of hooks, with the prefix $1.
pinned()
{
	sed -n "s/^$1//p" pins | grep -E '^(tp_btf|tp_too|kprobe|kretprobe|perf_event)__' | sort | paste -sd ' '
}

# hooks WHICH: those of the events that are so by the report
hooks()
{
	said json "my %h = map { \$_ => 1 } map { \$_->{hook}, @{\$_->{also}} } grep { \$_->{$1} } @{\$d->{events}};
		sort keys %h"
}

expect doctor_knows_what_would_be_attached "$(hooks attached)" "$(pinned '')"
expect doctor_knows_what_the_verifier_takes "$(hooks loaded)" "$(pinned program-)"
"$LKST" status --json >status.before
"$LKST" doctor >running 2>errors
expect doctor_looks_beside_a_recording "$? $(sed -n 1,2p running | paste -sd ' ') $(cat errors)" \
	'0 LKST can record here. A recording runs, which was not disturbed: programs were loaded and not attached. '
"$LKST" doctor --format json >running.json 2>errors
expect doctor_attaches_nothing_beside_it "$(said running.json '$d->{is_recording} ? "recording" : "not",
	scalar grep { $_->{attached} } @{$d->{events}}')" \
	'recording 0'
expect doctor_says_the_same_beside_it \
	"$(said running.json 'map { $_->{name} } grep { $_->{recorded} } @{$d->{events}}')" \
	"$(said json 'map { $_->{name} } grep { $_->{recorded} } @{$d->{events}}')"
expect doctor_has_the_costs_of_the_recording \
	"$(said running.json 'map { $d->{costs}{$_} } qw(record_ns string_ns stack_ns)')" \
	"$(said status.before 'map { $d->{cost}{$_} } qw(record_ns string_ns stack_ns)')"
for pause in 0.1 0.5; do
	"$LKST" doctor >out 2>&1 &
	sleep $pause
	kill -KILL $! 2>/dev/null
	wait $! 2>/dev/null
done
expect doctor_leaves_a_recording_alone "$(ls /sys/fs/bpf/lkst | paste -sd ' ')" "$(paste -sd ' ' pins)"
"$LKST" snapshot --quiet --output trace 2>errors
expect_whole doctor_disturbs_no_recording trace
"$LKST" stop --quiet && has_started=no
expect_nothing_left doctor_leaves_nothing_of_either
exit $failed
