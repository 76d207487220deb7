#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Definitions of the kernel's own tests and of perf's, in tests/data/probe_lines.txt, are given to the running kernel
# and to `lkst probe`. Both take the same ones, give their events the same names, and mark the same place of those that they
# refuse. What differs on purpose is in that file, by the name of its reason in doc/probes.md: a difference that is not
# there fails, and so does one that is there and is none.
# seconds: 90
. /tests/lib.sh

tracing=/sys/kernel/debug/tracing

if [ ! -e $tracing/kprobe_events ]; then
	echo 'skip probe_lines: this kernel has no kprobe_events'
	exit
fi

# ---- what the kernel's tests set for each architecture and kernel

# The address of symbol $1.
address_of()
{
	awk -v name="$1" '$3 == name { print $1; exit }' /proc/kallsyms
}

# A function with a suffix that there is once, which no file of symbols has under another name.
dot_function()
{
	awk '$2 ~ /^[tT]$/ && NF == 3 { n[$3]++ }
		END { for (name in n) if (name ~ /^[a-z_]*\.isra\.0$/ && n[name] == 1) print name }' /proc/kallsyms |
		sort | head -n 1
}

# The file of definitions with all ${...} replaced.
definitions()
{
	local good=%ax bad=%ex

	[ "$(uname -m)" != aarch64 ] || { good=%x0 bad=%ax; }
	sed -e "s/\${GOODREG}/$good/g; s/\${BADREG}/$bad/g; s/\${GOODSYM}/_sdata/g" \
		-e "s/\${SYMADDR}/0x$(address_of _sdata)/g; s/\${FUNCTION_FORK}/kernel_clone/g" \
		-e "s/\${DOTFUNC}/$(dot_function)/g; s/\${TARGET_FUNC}/vfs_read/g; s/\${TARGET}/0x$(address_of vfs_read)/g" \
		-e "s/\${NEXT}/+0x100000/g; s/\${PREV}/-16/g; s/\${OVERFLOW}/+0xfffffffffffffff0/g" \
		-e "s/\${BLACKFUNC}/$(awk 'NR == 1 { print $2 }' /sys/kernel/debug/kprobes/blacklist)/g" /tests/probe_lines.txt
}

# ---- verdicts: "takes NAME", "refuses PLACE" with the byte that is marked, or "refuses ?" where none is

# Whether the kernel takes definition $1.
kernel_says()
{
	local mark

	echo >$tracing/error_log
	[ -z "$first" ] || printf '%s\n' "$first" >>"$tracing/$to"
	if printf '%s\n' "$1" >>"$tracing/$to"; then
		# The newest is the last. What LKST is given as p is of the group that p has.
		echo "takes $(sed -n '$s/^[a-z0-9]*:\([^ ]*\).*/\1/p' $tracing/dynamic_events | tr / : |
			sed "${as:+s/^fprobes:/kprobes:/}")"
	else
		# "  Command: DEFINITION", and the mark below it.
		mark=$(tail -n 1 $tracing/error_log)
		case $mark in
		*^) echo "refuses $((${#mark} - 12))" ;;
		*) echo 'refuses ?' ;;
		esac
	fi 2>"$work/kernel_said"
	[ -z "$(head -n 1 $tracing/dynamic_events)" ] || echo >"$tracing/$to"
}

# Whether lkst probe takes it with options $options.
lkst_says()
{
	local status mark event line=$1

	[ -z "$as" ] || line=$as${line#?}
	# shellcheck disable=SC2086 # lists of words
	case $kind in
	options) lkst probe $line ;;
	lines) lkst probe --line "$line" ;;
	*) lkst probe $options "$line" ;;
	esac >"$work/lkst_out" 2>"$work/lkst_said"
	status=$?
	mark=$(tail -n 1 "$work/lkst_said")
	case $kind,$status,$mark in
	lines,*^) echo refuses ;;
	lines,*) echo takes ;;
	*,0,*)
		# What becomes several events has that one, too.
		event=$(sed 's/ .*//' "$work/lkst_out" | grep -xF -e "${reference#takes }" || sed -n '1s/ .*//p' "$work/lkst_out")
		echo "takes $event"
		;;
	kernel,*^) echo "refuses $((${#mark} - 3))" ;;
	*) echo 'refuses ?' ;;
	esac
}

# What differs between verdict $1, the kernel's, and $2.
difference()
{
	case $1,$2 in
	takes*,refuses*) echo lkst_refuses ;;
	refuses*,takes*) echo kernel_refuses ;;
	# Not all that is refused is marked; of what is not the kernel's, no mark is known.
	'refuses ?,'* | refuses,*) ;;
	refuses*) [ "$1" = "$2" ] || echo mark ;;
	# What removes an event has no name.
	'takes ,'* | *,'takes ') ;;
	*) [ "$1" = "$2" ] || echo name ;;
	esac
}

# ---- the file

# Ends what the rows above said.
end_of_rows()
{
	needs='' lacks='' as='' to=kprobe_events kind=kernel options=-n reference=''
	set_first ''
}

# Whether this kernel's README has what the rows need.
is_offered()
{
	[ -z "$needs" ] || case $readme in *"$needs"*) ;; *) return 1 ;; esac
	[ -z "$lacks" ] || case $readme in *"$lacks"*) return 1 ;; esac
}

# Has lkst probe set definition $1 for those that follow, in a recording of its own; without one, it ends that.
set_first()
{
	[ ! -e "$work/is_recording" ] || lkst stop --quiet
	rm -f "$work/is_recording"
	first=$1
	[ -n "$1" ] && is_offered || return
	lkst start --quiet --budget none --buffer 4M --event sched_process_exec && touch "$work/is_recording"
	lkst probe --quiet "$1" >"$work/lkst_said" 2>&1 || fail probe_lines_set_what_is_first "$1: $(cat "$work/lkst_said")"
}

# Compares definition $2, whose difference is to be $1. What the kernel takes and LKST is to take is kept for
# compare_taken.
compare()
{
	local said here differs

	[ "$kind" = kernel ] && said=$(kernel_says "$2") || said=$reference
	n=$((n + 1))
	case $kind,$first,$1,$said in
	kernel,,,takes*)
		printf '%s\n' "${as:-${2%"${2#?}"}}${2#?}" >>"$work/taken"
		echo "${said#takes }" >>"$work/taken_names"
		return
		;;
	esac
	here=$(lkst_says "$2")
	differs=$(difference "$said" "$here")
	if [ "$differs" != "${1##* }" ]; then
		echo "$2 (differs: ${differs:-not}; is to: ${1:-not}): the kernel $said," \
			"lkst $here: $(head -n 1 "$work/lkst_said") $(cat "$work/kernel_said")"
	fi
}

# Has lkst probe check all that the kernel has taken at once, since finding functions and types is what takes time here.
# What is called as another definition before it has a number more.
compare_taken()
{
	lkst probe --dry-run --force --file "$work/taken" >"$work/lkst_out" 2>"$work/lkst_said"
	expect_none probe_lines_taken "$([ $? = 0 ] || cat "$work/lkst_said")"
	expect_none probe_lines_names "$(sed 's/ .*//' "$work/lkst_out" | awk '
		FILENAME == ARGV[1] { want[++n] = $0; next }
		FILENAME == ARGV[2] { line[++m] = $0; next }
		{ name = want[++i] }
		$0 != name && (!seen[name] || $0 !~ "^" name "_[0-9]+$") { print line[i] ": " $0 " and not " name }
		{ seen[name] = 1 }
		END { if (i != n) print i " events of " n " definitions" }' "$work/taken_names" "$work/taken" -)"
}

# What file $1 has shown.
report()
{
	local name=probe_lines_$(echo "${1%.*}" | tr '/' '_')

	[ -n "$1" ] || return
	[ -z "$(head -n 1 $tracing/dynamic_events)" ] || echo >"$tracing/$to"
	expect_none "$name" "$(cat "$work/differs")"
	: >"$work/differs"
}

definitions >"$work/lines"
readme=$(cat $tracing/README)
n=0 from=''
tab=$(printf '\t')
end_of_rows
while IFS= read -r row <&3; do
	what=${row#* }
	[ "$what" != "$row" ] || what=''
	case $row in
	'#'* | '') ;;
	*"$tab"*)
		line=${row#*"$tab"}
		case $line in *^*) line=${line%%^*}${line#*^} ;; esac
		! is_offered || compare "${row%%"$tab"*}" "$line" >>"$work/differs"
		;;
	from*) report "$from"; end_of_rows; from=$what ;;
	perf* | options* | lines*) kind=${row%% *} reference=$what ;;
	to*) to=$what ;;
	needs*) needs=$what ;;
	lacks*) lacks=$what ;;
	as*) as=$what ;;
	with*) options=$what ;;
	first*) set_first "$what" ;;
	*) fail probe_lines_are_known "$row" ;;
	esac
done 3<"$work/lines"
report "$from"
end_of_rows
compare_taken
echo "probe_lines: $n definitions compared" >&2
