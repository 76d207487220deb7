# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests in a guest share; they source it. They are run by busybox's sh as root, and nobody else
# does anything in the guest. Some are run on this machine's own kernel too, by tests/live/guest.sh.
#
# Besides results, a test may print "checked EVENT": a record's fields have been compared with what is
# known from elsewhere. Of this and of what `lkst check` finds in traces doc/kernels.md is made.

work=$(mktemp -d) || exit 1
load=${LKST_LOAD:-/load}

ok()
{
	echo "ok $1"
}

# A result is one line.
fail()
{
	echo "FAIL $1: $(echo "$2" | tr '\n' ';' | cut -c 1-500)"
}

# expect_none NAME TEXT: NAME holds if there is no TEXT that says what is wrong.
expect_none()
{
	if [ -z "$2" ]; then
		ok "$1"
	else
		fail "$1" "$2"
	fi
}

# Prints why lkst check does not call trace $2 whole; $1: the test's name.
expect_whole()
{
	if lkst check --counts "$2" >"$work/check" 2>&1; then
		ok "$1"
		sed -n 's/^ *[0-9][0-9]*  *[0-9.][0-9.]*  *\([a-z_0-9]*\)$/seen \1/p' "$work/check"
	else
		fail "$1" "$(grep -vE '^(ledger|stream)|^ ' "$work/check" | tail -n 5)"
	fi
}

# Which of the events $2... the trace that expect_whole saw last does not have, of those that there can be.
expect_recorded()
{
	local name=$1 event missing=

	shift
	for event; do
		case $event in
		syscall_* | maskset_*) ;;
		*) has_event "$event" || continue ;;
		esac
		grep -q "[0-9] *$event\$" "$work/check" || missing="$missing $event"
	done
	expect_none "$name" "${missing:+not in the trace:$missing}"
}

# Does this kernel have event $1?
has_event()
{
	[ -s "$work/event_list" ] || lkst event list >"$work/event_list"
	grep -q "^$1 .* \(tracepoint\|kprobe\|kretprobe\) " "$work/event_list"
}

# The fields of the records of event $1 in $work/records, a line each, of thread $2 (default: any).
fields_of()
{
	grep -F "${2:+\"tid\":$2,}" "$work/records" | sed -n "s/.*\"event\":\"$1\",\"fields\":{\(.*\)}}\$/,\1,/p"
}

# Has a record of event $1 of thread $2 (empty: any) all of the fields $3...? Prints those that come near.
has_record()
{
	local event=$1 field near

	fields_of "$event" "$2" >"$work/fields"
	near=$(tail -n 3 "$work/fields")
	shift 2
	for field; do
		grep -F ",$field," "$work/fields" >"$work/fields.left"
		mv "$work/fields.left" "$work/fields"
		near=${near:+$(tail -n 3 "$work/fields" | grep . || echo "$near")}
	done
	[ -s "$work/fields" ] || { echo "$near"; return 1; }
}

# Is $2 as $1 wants it: "3", "+3" for at least that, or empty?
is_number()
{
	case $1 in
	'') true ;;
	+*) [ "$2" -ge "${1#+}" ] ;;
	*) [ "$2" = "$1" ] ;;
	esac
}

# Every line of a workload's file $2 names an event and fields that a record of its in trace $3 must have:
#   EVENT[@WHICH][#NUMBER] "FIELD":VALUE...     or     cannot EVENT[@WHICH]: WHY
# and exactly NUMBER of these, or with "+NUMBER" at least that many. If WHICH is "elsewhere", it may be any thread's.
# The results are $1_EVENT or $1_EVENT_WHICH. What this kernel lacks must be explained by the program.
# Other events that match the globs $4... are kept in $work/records, too.
expect_records()
{
	local name=$1 file=$2 trace=$3 tid event which number of fields glob globs= result

	shift 3
	for event in $(sed -n '/^tid /!s/^\(cannot \)\{0,1\}\([a-z_0-9]*\).*/\2/p' "$file" | sort -u); do
		! has_event "$event" || globs="$globs --event $event"
	done
	for glob; do
		globs="$globs --event $glob"
	done
	# Reading the trace is what takes time here: once for all of them.
	# shellcheck disable=SC2086 # a list of options
	[ -z "$globs" ] || lkst print --format json $globs "$trace" >"$work/records"
	tid=$(sed -n 's/^tid //p' "$file")
	# shellcheck disable=SC2094 # only read
	grep -v '^tid ' "$file" | while read -r event fields; do
		if [ "$event" = cannot ]; then
			which=${fields%%:*}
			echo "skip ${name}_$(echo "$which" | tr @ _): ${fields#*: }"
			continue
		fi
		number=${event#*#}
		[ "$number" != "$event" ] || number=
		event=${event%%#*}
		which=${event#*@}
		[ "$which" != "$event" ] || which=
		event=${event%%@*}
		of=$tid
		[ "$which" != elsewhere ] || of=
		result=${name}_$event${which:+_$which}
		if ! has_event "$event"; then
			lkst event show "$event" | grep -q 'this kernel \(has no function\|has several functions\|was built without kprobes\|has no tracepoint\)\|only on x86' &&
				echo "ok ${name}_explains_absence_of_$event" ||
				echo "FAIL ${name}_explains_absence_of_$event: it does not"
		# shellcheck disable=SC2086 # a list of fields
		elif ! glob=$(has_record "$event" "$of" $fields); then
			fail "$result" "no record has $fields; there are $glob"
		elif ! is_number "$number" "$(wc -l <"$work/fields")"; then
			fail "$result" "$(wc -l <"$work/fields") records have $fields, not $number"
		else
			echo "ok $result"
			echo "checked $event"
		fi
	done | sort -u
}

# What of ours the kernel holds. The programs' names are there for as long as they are.
held()
{
	# All else in it is read much faster by grep.
	grep -F bpf_prog_ /proc/kallsyms |
		sed -n 's/.* bpf_prog_[0-9a-f]\{16\}_\(\(tp_btf\|kprobe\|kretprobe\|iter\)__[a-z_]*\).*/program \1/p'
	sed 's/^/probe /' /sys/kernel/debug/kprobes/list
	[ ! -e /sys/fs/bpf/lkst ] || echo 'pins in /sys/fs/bpf/lkst'
	grep '^lkst /sys/fs/bpf' /proc/mounts
}

# Starts with the options $2...; what it says is in $work/start and $work/notes.
expect_start()
{
	local name=$1

	shift
	if lkst start "$@" >"$work/start" 2>"$work/notes" && grep -q '^recording [0-9]* events' "$work/start"; then
		ok "$name"
	else
		fail "$name" "$(cat "$work/notes")"
	fi
	cat "$work/notes" >&2
}

# Stops, and looks for what is left. A program is freed a moment after its last owner is gone.
expect_stop()
{
	local before=$(held | wc -l) left try

	if [ "$before" -lt 10 ]; then
		fail "$1" "there was nothing to stop: $(held)"
		return
	fi
	lkst stop --quiet
	for try in $(seq 50); do
		left=$(held)
		[ -n "$left" ] || break
		sleep 0.5
	done
	expect_none "$1" "$left"
}

# Compares the system calls that a workload says it has made, in file $2, with those in trace $3 between
# its marks; $1: the test's name, $4: what its events' names begin with.
compare_calls()
{
	local tid=$(sed -n 's/^tid //p' "$2")

	lkst print --format json --tid "$tid" --event "${4}syscall_*" "$3" |
		sed -n 's/.*"event":"\([^"]*\)".*"fields":{\(.*\)}}$/\1 \2/p' |
		awk -v prefix="${4}syscall_" '
			/_prctl .*"option":1280004948,/ { is_between = !is_between; is_mark = 1; next }
			is_mark { is_mark = 0; next }
			!is_between { next }
			index($1, prefix "entry_") == 1 { entry = substr($1, length(prefix "entry_") + 1) }
			index($1, prefix "exit_") == 1 {
				name = substr($1, length(prefix "exit_") + 1)
				match($0, /"ret":-?[0-9]+/)
				print (name == entry ? name : entry "/" name), substr($0, RSTART + 6, RLENGTH - 6)
			}' >"$work/calls.got"
	grep -v '^tid ' "$2" >"$work/calls.want"
	if [ "$(wc -l <"$work/calls.want")" -gt 50 ] && cmp -s "$work/calls.want" "$work/calls.got"; then
		ok "$1"
	else
		fail "$1" "$(diff "$work/calls.want" "$work/calls.got" | head -n 12)"
	fi
}
