#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Cgroups of threads: those of a recording are those that /proc/PID/cgroup has, of threads that were there, that came,
# that were moved and that have ended; in a snapshot, and in a piece of it that begins after all that.

. "$(dirname "$0")/lib/live.sh"

# shellcheck source=tests/live/lib/cgroup.sh
. "$(dirname "$0")/lib/cgroup.sh"
[ -n "$top" ] || skip_all 'cgroups: this machine has neither those of version 2 nor the controller memory'
root=$top/lkst-test-$$
id=$(printf '%064x' $$)
# The kernel takes any byte in a name but '/' and a newline.
odd=$'a b\t\e[31m"'
at_exit 'clean_up; rmdir "$root"/docker/"$id" "$root"/*/ "$root" 2>/dev/null'
mkdir "$root" "$root/before" "$root/$odd" || skip_all 'cgroups: none can be made here'

# What the kernel says of process $1.
cgroup_of()
{
	sed -nE "s/^$line//p" "/proc/$1/cgroup"
}

# Becomes a command in cgroup $1: for a subshell.
in_cgroup()
{
	# shellcheck disable=SC2016 # the inner shell's own
	exec sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$@"
}

# All threads by the kernel: number and cgroup, of those whose cgroup has no blank; sorted.
all_cgroups()
{
	LINE=$line perl -e '
		for my $file (glob "/proc/[0-9]*/task/[0-9]*/cgroup") {
			my ($tid) = $file =~ m{(\d+)/cgroup$};
			open(my $f, "<", $file) or next;
			my ($path) = map { /^$ENV{LINE}(?<path>\S*)$/ ? "$+{path}" : () } <$f>;
			# One that has ended, and whose parent has not asked for it, is in the root for the kernel.
			(my $stat = $file) =~ s/cgroup$/stat/;
			open($f, "<", $stat) or next;
			print "$tid $path\n" if defined $path && <$f> !~ /\) [ZX] /;
		}' | sort
}

# Whether process $1 has $2 threads.
# shellcheck disable=SC2317 # wait_until calls it
has_tasks()
{
	[ "$(find "/proc/$1/task" -maxdepth 1 -name '[0-9]*' | wc -l)" = "$2" ]
}

# The last cgroup and container of thread $2 in trace $1.
known()
{
	"$LKST" sql --format csv "$1" "select hex(cgroup) || ' ' || coalesce(container, '-') from threads
		where tid = $2 order by life desc limit 1" | tail -n +2 | tr -d '\r"'
}

# How often thread $1 has waited.
switches()
{
	awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$1/status"
}

# The same for path $1 and container $2.
wanted()
{
	echo "$(printf %s "$1" | od -An -v -tx1 | tr -d ' \n' | tr a-f A-F) ${2--}"
}

(in_cgroup "$root/before" sleep 60) &
there=$!
children+=("$there")
wait_until 5 grep -q '^sleep$' "/proc/$there/comm"
# Where others start many processes, a buffer of lives of the usual size goes round meanwhile.
"$LKST" start --quiet --buffer 32M --event 'sched_*' || exit 1
has_started=yes
mkdir -p "$root/docker/$id"
(in_cgroup "$root/docker/$id" sleep 60) &
came=$!
children+=("$came")
wait_until 5 grep -q '^sleep$' "/proc/$came/comm"
# The shell's number and cgroup; it has ended by then.
# shellcheck disable=SC2016 # the inner shell's own
ended=$(in_cgroup "$root/docker/$id" sh -c 'echo $$; cat /proc/$$/cgroup')
want_ended=$(sed -nE "s/^$line//p" <<<"$ended")
ended=${ended%%$'\n'*}
perl -e 'use threads; threads->create(sub { sleep 60 }) for 1 .. 3; select(undef, undef, undef, .05) while 1' &
moved=$!
children+=("$moved")
wait_until 5 has_tasks "$moved" 4
echo "$moved" >"$root/$odd/cgroup.procs"
# It has run there.
had=$(switches "$moved")
wait_until 30 eval "[ \$(switches $moved) -gt $((had + 2)) ]"
threads=$(ls "/proc/$moved/task")
all_cgroups >"$work/before"
"$LKST" snapshot --quiet -o "$work/trace" || exit 1
# Who may not ask the kernel by number looks through the directories.
setpriv --bounding-set -dac_read_search "$LKST" snapshot --quiet -o "$work/walked" || exit 1
all_cgroups >"$work/after"
"$LKST" cut --quiet --from -1ms -o "$work/piece" "$work/trace" || exit 1

container=docker:${id:0:12}
expect cgroup_of_a_thread_that_was_there "$(known "$work/trace" "$there")" "$(wanted "$(cgroup_of "$there")")"
expect cgroup_of_a_thread_that_came "$(known "$work/trace" "$came")" "$(wanted "$(cgroup_of "$came")" "$container")"
expect cgroup_by_looking_through "$(known "$work/walked" "$there")" "$(wanted "$(cgroup_of "$there")")"
expect cgroup_of_a_thread_that_has_ended "$(known "$work/trace" "$ended")" "$(wanted "$want_ended" "$container")"
expect cgroup_in_a_piece "$(known "$work/piece" "$came")" "$(wanted "$(cgroup_of "$came")" "$container")"
for tid in $threads; do
	expect cgroup_of_threads_that_were_moved "$(known "$work/trace" "$tid")" "$(wanted "/${root##*/}/$odd")"
done

# All threads that were in one cgroup before and after the snapshot are there in it, too.
"$LKST" sql --format csv "$work/trace" \
	"select tid || ' ' || cgroup from threads where end_ns is null and tid > 0 and cgroup is not null" |
	tail -n +2 | tr -d '\r"' | sort >"$work/known"
join "$work/before" "$work/after" | awk '$2 == $3 { print $1, $2 }' >"$work/constant"
wrong=$(join "$work/constant" "$work/known" | awk '$2 != $3' | head -n 5)
expect cgroups_are_those_of_proc "$wrong" ''
nr=$(join "$work/constant" "$work/known" | wc -l)
expect cgroups_of_many_threads_are_known "$((nr > 10))" 1

# Names are escaped; the filter takes records of these threads, and no others.
"$LKST" print --cgroups --cgroup '*a b*' "$work/trace" >"$work/printed"
if grep -q $'\e' "$work/printed" || ! grep -q '{/[^}]*/a b\\t\\x1b\[31m' "$work/printed"; then
	fail cgroup_names_are_escaped "$(head -3 "$work/printed")"
else
	ok cgroup_names_are_escaped
fi
expect cgroup_chooses_records "$("$LKST" print --format json --cgroup "$container" -e sched_process_exit \
	"$work/trace" | grep -c "\"tid\":$ended,")" 1
expect cgroup_analysis_has_containers \
	"$("$LKST" analyze --format csv cgroup "$work/trace" | grep -c "$container")" 1
exit $failed
