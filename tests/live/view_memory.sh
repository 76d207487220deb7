#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The pages of a process and the sectors of a disk (F05 to F07, F09, H25 of doc/heritage.md): at the terminal they are as
# many as the kernel's own accounts and a program that knows say, and the page's pictures are made of the same figures.
. "$(dirname "$0")/lib/live.sh"
. "$lib/browser.sh"

cd "$work" || exit
export LC_ALL=C.UTF-8 TZ=UTC

# What field $1 of process $2 is, in pages.
in_pages()
{
	awk -v name="$1:" '$1 == name { print $2 / 4 }' "/proc/$2/smaps_rollup"
}

mkfifo in out
"$load/holds" <in >out &
holds=$!
children+=("$holds")
exec 8>in 9<out
read -r said <&9
expect it_holds_its_pages "$said" ready

before=$(in_pages Anonymous $holds)
expect pages_are_as_many_as_rss "$("$LKST" pages --format json $holds | perl -MJSON::XS -0777 -ne '
	print decode_json($_)->{mappings}{rows}[-1]{present_bytes} / 4096')" "$(in_pages Rss $holds)"
expect a_list_has_all_pages "$("$LKST" pages --list --format json $holds | perl -MJSON::XS -0777 -ne '
	for (@{decode_json($_)->{pages}{rows}}) {
		$nr += $_->{pages} unless $_->{zero} || $_->{name} =~ /^\[v/;
	}
	print $nr')" "$("$LKST" pages --format json $holds | perl -MJSON::XS -0777 -ne '
	for (@{decode_json($_)->{mappings}{rows}}) {
		$nr += $_->{present_bytes} / 4096 if $_->{name} ne "all" && $_->{name} !~ /^\[v/;
	}
	print $nr')"

# It takes 300 pages more and gives 200 back, and a file is written to the disk, and read from it.
cat /sys/block/*/stat >stat.before
"$LKST" record --quiet --pages $holds --output trace -- bash -c 'echo go >&8; read -r said <&9
	dd if=/dev/zero of=file bs=64k count=32 oflag=direct; dd if=file of=/dev/null bs=64k iflag=direct; sync' 2>/dev/null
cat /sys/block/*/stat >stat.after
after=$(in_pages Anonymous $holds)
records_no_more

# The process's memory, and a few pages that the kernel needs for it, such as those of its page tables.
"$LKST" analyze pages --tid $holds --format json trace >pages.json
expect pages_of_the_process_are_known "$(perl -MJSON::XS -0777 -e '
	my ($before, $after) = splice @ARGV, 0, 2;
	my $r = decode_json(<>)->{pages}{rows}[0] or exit print "no row";
	my @bad;
	push @bad, "before: $r->{before}, not $before" if $r->{before} != $before;
	push @bad, "allocated $r->{allocated}" if $r->{allocated} < 300 || $r->{allocated} > 340;
	push @bad, "freed $r->{freed}" if $r->{freed} < 200 || $r->{freed} > 230;
	push @bad, "live: $r->{live}, not $after" if $r->{live} < $after || $r->{live} > $after + 30;
	print "@bad"' "$before" "$after" pages.json)" ''

# What the disks have done: the records, added up here by sector, and the file whose sectors the file system tells.
"$LKST" print --format json --event block_rq_issue --event block_rq_complete trace >requests
"$LKST" analyze diskmap --format json trace >diskmap.json
extents=$(filefrag -v -b512 file 2>/dev/null |
	sed -n 's/^ *[0-9]*: *[0-9]*\.\. *[0-9]*: *\([0-9]*\)\.\. *\([0-9]*\):.*/\1 \2/p')
start=$(cat "/sys/class/block/$(basename "$(df --output=source . | tail -n 1)")/start" 2>/dev/null || echo 0)
perl -MJSON::XS -e '
	my ($extents, $start) = splice @ARGV, 0, 2;
	my @extents = map { [map { $_ + $start } split] } split /\n/, $extents;
	my (%op, %sum, %file, %range);
	my $map = do { open my $f, "<", "diskmap.json"; local $/; decode_json(<$f>) };
	open my $in, "<", "requests";
	while (<$in>) {
		my $r = decode_json($_);
		my $f = $r->{fields} // $r;
		if ($r->{event} eq "block_rq_issue") {
			$op{$f->{rq}} = $f->{flags} & 0xff;
			next;
		}
		my $op = $op{$f->{rq}} // next;
		next if $f->{status} || $op > 1 || !$f->{bytes};
		$sum{$op} += $f->{bytes};
		my ($first, $last) = ($f->{sector}, $f->{sector} + $f->{bytes} / 512 - 1);
		for (@extents) {
			my $from = $first > $_->[0] ? $first : $_->[0];
			my $to = $last < $_->[1] ? $last : $_->[1];
			$file{$op} += $to - $from + 1 if $to >= $from;
		}
	}
	sub total { my ($table, $name) = @_; my $sum = 0; $sum += $_->{$name} for @{$map->{$table}{rows}}; $sum }
	sub say_result { my ($name, $got, $want) = @_;
		print $got == $want ? "ok $name\n" : "FAIL $name: $got, not $want\n" }
	for (["read_bytes", 0], ["written_bytes", 1]) {
		my ($name, $op) = @$_;
		say_result("disks_${name}_are_those_of_the_records", total("diskmap", $name), $sum{$op} // 0);
		say_result("ranges_${name}_are_those_of_the_disks", total("diskmap_ranges", $name), total("diskmap", $name));
	}
	if (@extents) {
		say_result("file_was_written_where_it_is", $file{1} // 0, 4096);
		say_result("file_was_read_where_it_is", $file{0} // 0, 4096);
	} else {
		print "skip file_was_written_where_it_is: the file system does not tell the sectors of a file\n";
	}
	# The kernel counts sectors in the third and seventh column, over a little more time.
	my ($kernel, $sign) = (0, -1);
	for my $name ("stat.before", "stat.after") {
		open my $f, "<", $name;
		while (<$f>) { my @c = split; $kernel += $sign * ($c[2] + $c[6]) * 512 }
		$sign = 1;
	}
	my $all = total("diskmap", "read_bytes") + total("diskmap", "written_bytes");
	print $all <= $kernel && (!@extents || $all >= 4 << 20) ? "ok disks_did_no_more_than_the_kernel_says\n"
		: "FAIL disks_did_no_more_than_the_kernel_says: $all of $kernel\n";
' "$extents" "$start" >disk.results
report disks cat disk.results

has_browser view_memory || exit "$failed"
"$LKST" view --quiet trace
report view_memory node "$lib/view_memory.js" "$LKST" "$PWD/trace.html" trace "$holds"
exit "$failed"
