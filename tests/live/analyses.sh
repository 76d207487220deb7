#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# The analyses on this machine's kernel agree with sources other than LKST: a program that measures itself, the
# kernel's accounts of it, and the accounts of a disk of our own.

. "$(dirname "$0")/lib/live.sh"

# value NAME: the value that the workload reports
value()
{
	awk -v name="$1" '$1 == name { print $2 }' "$work/expected"
}

# column ANALYSIS TABLE KEY COLUMN OPTION...: a value of the trace's, 0 if there is none
column()
{
	local analysis=$1 table=$2 key=$3 column=$4

	shift 4
	"$LKST" analyze "$analysis" "$@" --format json "$work/trace" | perl -MJSON::XS -0777 -e '
		my ($table, $key, $column) = splice @ARGV, 0, 3;
		my $all = decode_json(<STDIN>);
		my ($row) = grep { (values %$_ > 0) && ($_->{key} // $_->{tid}) eq $key }
			@{$all->{$table}{rows} // []};
		print $row ? $row->{$column} : 0;' "$table" "$key" "$column"
}

# equals NAME GOT WANT
equals()
{
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		fail "$1" "the trace has $2, not $3"
	fi
}

# lies NAME GOT LEAST MOST
lies()
{
	if awk -v got="$2" -v least="$3" -v most="$4" 'BEGIN { exit !(got >= least && got <= most) }'; then
		ok "$1"
	else
		fail "$1" "the trace has $2, which is not from $3 to $4"
	fi
}

# near NAME GOT WANT SLACK: within 5 % and SLACK
near()
{
	lies "$1" "$2" "$(awk -v w="$3" -v s="$4" 'BEGIN { printf "%.0f", w * 0.95 - s }')" \
		"$(awk -v w="$3" -v s="$4" 'BEGIN { printf "%.0f", w * 1.05 + s }')"
}

if ! record trace --buffer 32M -- "$load/measured" >"$work/expected"; then
	fail analyses_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
expect_whole analyses_trace_is_whole "$work/trace"

# ---- what an analysis is limited by ----
# Each by what nothing has: the answer is another one than without, or says that it is of all.
silent=
for name in $("$LKST" analyze --help | sed -n '/^Analyses:/,/^$/s/^  \([a-z]*\)  .*/\1/p' | grep -vx between); do
	"$LKST" analyze "$name" --format csv "$work/trace" >"$work/all" 2>/dev/null
	# As much as of the first moment is nothing that could be limited.
	"$LKST" analyze "$name" --to +0s --format csv "$work/trace" >"$work/none" 2>/dev/null
	! cmp -s "$work/all" "$work/none" || continue
	for option in '--tid 4194303' '--comm nobody_is_called_so' '--cgroup nothing_is_called_so' \
		'--cpu 65535' '--key nothing_is_called_so'; do
		# shellcheck disable=SC2086 # an option and its value
		"$LKST" analyze "$name" $option --format csv "$work/trace" >"$work/limited" 2>/dev/null
		cmp -s "$work/all" "$work/limited" || continue
		# shellcheck disable=SC2086
		"$LKST" analyze "$name" $option "$work/trace" 2>/dev/null |
			grep -q -- "${option% *} does not limit $name: this is of all" || silent="$silent; $name $option"
	done
done
expect analyses_say_what_does_not_limit_them "$silent" ''
tid=$(value tid)

equals analysis_syscall_counts "$(column syscall syscall getppid count --tid "$tid")" "$(value calls)"
slept=$(value slept_ns)
# What the program measures around the call is a little more than the call.
lies analysis_syscall_time "$(column syscall syscall clock_nanosleep total_ns --tid "$tid" --key clock_nanosleep)" \
	"$((slept * 9 / 10))" "$((slept + $(value sleeps) * 1000000))"
equals analysis_syscallusage_counts \
	"$(column syscallusage syscallusage dup count --tid "$tid")" "$(value errors)"
equals analysis_syscallusage_errors \
	"$(column syscallusage syscallusage dup errors --tid "$tid")" "$(value errors)"

equals analysis_lifetime_counts "$(column lifetime lifetime measured-child count)" "$(value children)"
lies analysis_lifetime_time "$(column lifetime lifetime measured-child total_ns)" \
	"$(value children_min_ns)" "$(value children_max_ns)"

equals analysis_netsize_counts "$(column netsize netsize lo:send count --tid "$tid")" "$(value packets)"
# The interface counts without the 14 bytes of the link's header.
equals analysis_netsize_bytes "$(column netsize netsize lo:send total_bytes --tid "$tid")" \
	"$(($(value packet_bytes) + 14 * $(value packets)))"

# within GOT WANT SLACK: as near() says
within()
{
	awk -v g="$1" -v w="$2" -v s="$3" 'BEGIN { exit !(g >= w * 0.95 - s && g <= w * 1.05 + s) }'
}

# The kernel's waits on the run queue, after wake-ups and after preemption. Where a hypervisor takes the CPU away
# for a while, the kernel's account may have it and the trace not: then it is tried again.
for try in 1 2 3 4 5; do
	woken=$(column waitdelay waitdelay_total all total_ns --tid "$tid")
	preempted=$(column waitdelay waitdelay_preempted_total all total_ns --tid "$tid")
	ready=$(column procstate procstate_threads "$tid" ready_ns)
	running=$(column procstate procstate_threads "$tid" running_ns)
	if within "$((woken + preempted))" "$(value wait_ns)" 5000000 &&
			within "$ready" "$(value wait_ns)" 5000000 && within "$running" "$(value run_ns)" 20000000; then
		break
	fi
	[ $try = 5 ] && break
	rm -rf "$work/trace"
	record trace --buffer 32M -- "$load/measured" >"$work/expected" || break
	tid=$(value tid)
done
near analysis_waitdelay_as_the_kernel "$((woken + preempted))" "$(value wait_ns)" 5000000
near analysis_procstate_ready_as_the_kernel "$ready" "$(value wait_ns)" 5000000
near analysis_procstate_running_as_the_kernel "$running" "$(value run_ns)" 20000000

# requests_are_whole TRACE: each request that the kernel counted is there from its begin to its end. A machine that
# hides a thread hides what interrupts it, also the end of a request: then the trace says that it lacks one.
requests_are_whole()
{
	said=$("$LKST" check "$1" 2>&1 | grep '^disk requests')
	[[ $said == *' complete' ]] || return 1
	said="left out:$("$LKST" analyze biotime --format json "$1" | grep -o '"left_out":{[^}]*}')"
	[[ $said == *'{}' ]]
}

# A disk of our own.
truncate -s 64M "$work/image"
if disk=$(losetup -f --show "$work/image" 2>"$work/losetup"); then
	name=${disk#/dev/}
	for try in 1 2 3 4 5; do
		rm -rf "$work/disk"
		# shellcheck disable=SC2016 # for the inner shell
		record disk --buffer 32M -- bash -c '
			cat "/sys/block/$1/stat"
			dd if=/dev/zero of="/dev/$1" bs=64k count=256 oflag=direct status=none
			dd if="/dev/$1" of=/dev/null bs=32k count=256 iflag=direct status=none
			cat "/sys/block/$1/stat"' - "$name" >"$work/stat"
		requests_are_whole "$work/disk" && break
		echo "try $try of 5 lacks requests: $said" >&2
	done
	losetup -d "$disk"
	mv "$work/trace" "$work/first" && mv "$work/disk" "$work/trace"
	for direction in read write; do
		# Fields 1 and 5 are requests that were completed (Documentation/block/stat.rst).
		field=$([ $direction = read ] && echo 1 || echo 5)
		want=$(awk -v f=$field '{ sum = $f - sum } END { print sum }' "$work/stat")
		lies analysis_biotime_makes_${direction}s "$want" 256 1000
		equals analysis_biotime_counts_${direction}s \
			"$(column biotime biotime "$name:$direction" count)" "$want"
	done
else
	echo "skip analysis_biotime: no loop device: $(cat "$work/losetup")"
fi
exit $failed
