#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Tracepoints that are recorded by name have the fields, types and values that the kernel's own tracer
# prints of the same events: number by number, and the strings whose length varies.
#
# Both trace the same run. The kernel's tracer works in an instance of its own, in a tracefs that is
# mounted where nobody else sees it, and prints every field raw (its option "fields").

if [ "${1-}" != inside ] && [ "$(id -u)" = 0 ]; then
	exec unshare --mount --propagation private "$0" inside
fi
. "$(dirname "$0")/lib/live.sh"

# Not more than it takes: each needs a while to be detached.
events=(cgroup/cgroup_rmdir cgroup/cgroup_notify_populated
	filelock/flock_lock_inode filelock/locks_get_lock_context task/task_prctl_unknown
	writeback/writeback_dirty_inode writeback/writeback_dirty_folio writeback/writeback_single_inode
	ext4/ext4_da_write_begin ext4/ext4_es_insert_extent ext4/ext4_sync_file_enter
	ext4/ext4_journal_start_inode ext4/ext4_writepages ext4/ext4_unlink_exit
	filemap/mm_filemap_add_to_page_cache)
instance=

# Takes the place of the library's: the instance and the mounts go first.
leave()
{
	if [ -n "$instance" ]; then
		echo 0 >"$instance/tracing_on"
		echo 0 >"$instance/events/enable"
		rmdir "$instance"
	fi
	umount "$work/cgroup" "$work/tracefs" 2>/dev/null
	rmdir "$work/cgroup" "$work/tracefs"
	clean_up
}

# What is traced. It marks begin and end by groups of these names. The inner flock(1) is refused.
workload()
{
	cat <<END
echo \$\$ >$instance/set_event_pid
echo 1 >$instance/tracing_on
mkdir $work/cgroup/lkst-begin
rmdir $work/cgroup/lkst-begin
mkdir "$work/cgroup/lkst-a name = with , \"signs\""
sh -c 'echo \$\$ >"\$1"; true' sh "$work/cgroup/lkst-a name = with , \"signs\"/cgroup.procs"
flock -n $work/lock flock -n $work/lock true || true
perl -e 'syscall(157, 0x4c4b5354, 1, 2, 3, -4)'
echo hello >$work/file
mv $work/file $work/file2
sync $work/file2
rm $work/file2
rmdir "$work/cgroup/lkst-a name = with , \"signs\""
mkdir $work/cgroup/lkst-end
rmdir $work/cgroup/lkst-end
echo 0 >$instance/tracing_on
END
}

# compare TRACE FTRACE-OUTPUT EVENTS-DIRECTORY
compare()
{
	perl -MTrace - "$@" <<'END'
use strict;
no warnings 'portable';
my ($trace, $output, $events) = @ARGV;
my (%format, %want, %got, %nr, @bad_events, @bad_numbers, @bad_strings);
my ($nr_numbers, $nr_negative, $nr_strings) = (0, 0, 0);

# The fields of an event as the kernel describes them, in order.
sub format_of {
	my ($event) = @_;
	return $format{$event} if $format{$event};
	my ($file) = glob("$events/*/$event/format") or die "no format of $event";
	open(my $in, '<', $file) or die "$file: $!";
	my @fields;
	while (<$in>) {
		next unless /field:(.*?)(\w+)(\[\w*\])?;\s*offset:(\d+);\s*size:(\d+);\s*signed:(\d)/;
		push @fields, { name => $2, type => $1, array => $3 // '', size => $5, signed => $6 }
			if $4 >= 8;
	}
	return $format{$event} = \@fields;
}

# Keeps what lies between the two marks.
sub marks {
	my ($event, $path) = @_;
	return '' unless $event eq 'cgroup_rmdir';
	return $path =~ m{/lkst-begin$} ? 'begin' : $path =~ m{/lkst-end$} ? 'end' : '';
}

my $is_inside = 0;
open(my $in, '<', $output) or die "$output: $!";
while (<$in>) {
	chomp;
	next unless /^\s*\S.*-(\d+)\s+\[\d+\]\s+\S+\s+[\d.]+: (\w+): ?(.*)$/;
	my ($tid, $event, $text) = ($1, $2, $3);
	my @names = map { $_->{name} } @{format_of($event)};
	my $pattern = join(' ', map { quotemeta($_) . '=(.*?)' } @names);
	my @values = $text =~ /^\s*$pattern$/ or die "not understood: $_";
	my %values;
	@values{@names} = @values;
	my $mark = marks($event, $values{path} // '');
	$is_inside = 1 if $mark eq 'begin';
	push @{$want{$tid}}, { event => $event, values => \%values } if $is_inside;
	$is_inside = 0 if $mark eq 'end';
}
each_record(sub {
	my ($r) = @_;
	$r->{event} =~ /^\w+:(\w+)$/ or return;
	my $mark = marks($1, $r->{fields}{path} // '');
	$is_inside = 1 if $mark eq 'begin';
	push @{$got{$r->{tid}}}, { event => $1, values => $r->{fields} } if $is_inside;
	$is_inside = 0 if $mark eq 'end';
}, $trace);

# The number that the field's 1 to 8 bytes are.
sub number {
	my ($field, $text) = @_;
	my $bits = 8 * $field->{size};
	my ($value) = $text =~ /^(?:0x([0-9a-f]+) )?/;
	$value = defined $value ? hex($value) : ($text =~ /\((-?\d+)\)$/)[0];
	$value = ($text =~ /\((-?\d+)\)$/)[0] if $text =~ /^\S+\+0x/; # an address by its symbol
	return undef unless defined $value;
	$value = ($value + 0) & ($bits == 64 ? ~0 : (1 << $bits) - 1);
	if ($field->{signed} && $value >> ($bits - 1)) {
		$nr_negative++;
		use integer;
		return $bits == 64 ? $value + 0 : $value - (1 << $bits);
	}
	return $value;
}

for my $tid (sort { $a <=> $b } keys %want) {
	my @w = @{$want{$tid}}, my @g = @{$got{$tid} // []};
	for my $i (0 .. ($#w > $#g ? $#w : $#g)) {
		my ($we, $ge) = map { $_ ? $_->{event} : 'nothing' } $w[$i], $g[$i];
		if ($we ne $ge) {
			push @bad_events, "thread $tid, event $i: $ge in place of $we";
			last;
		}
		$nr{$we}++;
		for my $field (@{format_of($we)}) {
			my ($name, $want) = ($field->{name}, $w[$i]{values}{$field->{name}});
			my $got = $g[$i]{values}{$name};
			if (!defined $got) {
				push @bad_numbers, "$we has no $name";
			} elsif ($field->{type} =~ /char *$/ && $field->{array} ||
				 $field->{type} =~ /__data_loc char/) {
				$nr_strings++;
				push @bad_strings, "$we: $name is \"$got\" in place of \"$want\""
					if $got ne $want;
			} elsif (!ref $got && !$field->{array} && $field->{size} =~ /^[1248]$/) {
				my $number = number($field, $want);
				next unless defined $number;
				$nr_numbers++;
				push @bad_numbers, "$we: $name is $got in place of $number ($want)"
					if $got ne "$number";
			}
		}
	}
}
my $nr = 0;
$nr += $_ for values %nr;
print "$nr events of " . keys(%nr) . ' kinds, ' .
	"$nr_numbers numbers ($nr_negative negative), $nr_strings strings\n";
push @bad_events, "too few events: $nr of " . keys(%nr) . ' kinds' if $nr < 25 || keys(%nr) < 10;
push @bad_numbers, 'there are too few numbers' if $nr_numbers < 120 || !$nr_negative;
push @bad_strings, 'the groups\' events are not there'
	unless ($nr{cgroup_rmdir} // 0) == 3;
result('tracepoints_events_and_order', @bad_events);
result('tracepoints_numbers', @bad_numbers);
result('tracepoints_strings', @bad_strings);
END
}

at_exit leave
mkdir "$work/tracefs" "$work/cgroup"
mount -t tracefs none "$work/tracefs" || skip_all 'tracepoints: tracefs cannot be mounted'
mount -t cgroup2 none "$work/cgroup" || skip_all 'tracepoints: cgroup2 cannot be mounted'
instance=$work/tracefs/instances/lkst-test-$$
mkdir "$instance" || exit 1
if ! echo 1 >"$instance/options/fields"; then
	skip_all "tracepoints: this kernel's tracer cannot print fields raw"
fi
echo 0 >"$instance/tracing_on"
echo 1 >"$instance/options/event-fork"
echo 8192 >"$instance/buffer_size_kb"
globs=()
for event in "${events[@]}"; do
	if [ -d "$instance/events/$event" ]; then
		echo 1 >"$instance/events/$event/enable"
		globs+=(--event "${event/\//:}")
	fi
done
workload >"$work/workload"
if ! record trace "${globs[@]}" -- /bin/sh -e "$work/workload"; then
	fail tracepoints_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
cat "$instance/trace" >"$work/ftrace"
expect_whole tracepoints_trace_is_whole "$work/trace"
report tracepoints compare "$work/trace" "$work/ftrace" "$instance/events"
exit $failed
