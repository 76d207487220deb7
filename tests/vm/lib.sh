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
	local name=$1 missing

	shift
	list_events
	missing=$(awk -v events="$*" '
		FILENAME == ARGV[1] { has[$1] = 1 }
		FILENAME == ARGV[2] { recorded[$NF] = 1 }
		END {
			n = split(events, event, " ")
			for (i = 1; i <= n; i++)
				if ((event[i] ~ /^(syscall|maskset)_/ || event[i] in has) && !(event[i] in recorded))
					printf " %s", event[i]
		}' "$work/event_names" "$work/check")
	expect_none "$name" "${missing:+not in the trace:$missing}"
}

# Makes $work/event_list, and $work/event_names, the names of those that this kernel has, if they are not there.
list_events()
{
	[ ! -s "$work/event_list" ] || return 0
	lkst event list >"$work/event_list"
	awk '/ (tracepoint|kprobe|kretprobe) / { print $1 }' "$work/event_list" >"$work/event_names"
}

# Does this kernel have event $1?
has_event()
{
	list_events
	grep -qx "$1" "$work/event_names"
}

# The fields of the records of event $1 in $work/records, a line each, of thread $2 (default: any).
fields_of()
{
	grep -F "${2:+\"tid\":$2,}" "$work/records" | sed -n "s/.*\"event\":\"$1\",\"fields\":{\(.*\)}}\$/,\1,/p"
}

# Which of the events that the lines of a workload's file $1 name does this kernel have? As options.
events_in()
{
	list_events
	awk '
		FILENAME == ARGV[1] { has[$1] = 1 }
		FILENAME == ARGV[1] || $1 == "tid" { next }
		{
			event = $1 == "cannot" ? $2 : $1
			sub(/[^a-z_0-9].*/, "", event)
			if ((event in has) && !told[event]++)
				printf " --event %s", event
		}' "$work/event_names" "$1"
}

# Every line of a workload's file $2 names an event and fields that a record of its in trace $3 must have:
#   EVENT[@WHICH][#NUMBER] "FIELD":VALUE...     or     cannot EVENT[@WHICH]: WHY
# and exactly NUMBER of these, or with "+NUMBER" at least that many. If WHICH is "elsewhere", it may be any thread's.
# The results are $1_EVENT or $1_EVENT_WHICH. What this kernel lacks must be explained by the program.
# Other events that match the globs $4... are kept in $work/records, too.
expect_records()
{
	local name=$1 file=$2 trace=$3 globs glob kind event

	shift 3
	globs=$(events_in "$file")
	for glob; do
		globs="$globs --event $glob"
	done
	# Reading the trace, and starting a program for each line, is what takes time here: once for all of them.
	# The names of addresses, which follow the fields, are not looked at.
	# shellcheck disable=SC2086 # a list of options
	if [ -n "$globs" ]; then lkst print --format json $globs "$trace"; fi |
		sed 's/},"symbols":{.*}}$/}}/' >"$work/records"
	awk -v name="$name" -v tid="$(sed -n 's/^tid //p' "$file")" '
		function fail(what, text) { print "FAIL", what ": " substr(text, 1, 500) }
		# The last three of the n lines in list, if there are any; else what was there before.
		function last(n, before) {
			return n ? (n > 2 ? list[n - 2] ";" : "") (n > 1 ? list[n - 1] ";" : "") list[n] : before
		}
		FILENAME == ARGV[1] {
			has[$1] = 1
			next
		}
		FILENAME == ARGV[2] {
			at = index($0, "\"event\":\"") + 9
			event = substr($0, at)
			event = substr(event, 1, index(event, "\"") - 1)
			at += length(event) + length("\",\"fields\":{")
			fields[event, ++nr[event]] = "," substr($0, at, length($0) - at - 1) ","
			is_ours[event, nr[event]] = index($0, "\"tid\":" tid ",") > 0
			next
		}
		$1 == "tid" { next }
		$1 == "cannot" {
			which = $2
			sub(/:.*/, "", which)
			sub(/@/, "_", which)
			why = $0
			sub(/^[^:]*: /, "", why)
			print "skip " name "_" which ": " why
			next
		}
		{
			event = $1
			number = event ~ /#/ ? event : ""
			sub(/.*#/, "", number)
			sub(/#.*/, "", event)
			which = event ~ /@/ ? event : ""
			sub(/.*@/, "", which)
			sub(/@.*/, "", event)
			result = name "_" event (which == "" ? "" : "_" which)
			if (!(event in has)) {
				print "absent", event
				next
			}
			n = 0
			for (i = 1; i <= nr[event]; i++)
				if (is_ours[event, i] || which == "elsewhere")
					list[++n] = fields[event, i]
			near = last(n, "")
			for (field = 2; field <= NF; field++) {
				left = 0
				for (i = 1; i <= n; i++)
					if (index(list[i], "," $field ","))
						list[++left] = list[i]
				n = left
				near = last(n, near)
			}
			want = $0
			sub(/^[^ ]* */, "", want)
			if (!n)
				fail(result, "no record has " want "; there are " near)
			else if (number ~ /^[+]/ ? n < substr(number, 2) + 0 : number != "" && n != number + 0)
				fail(result, n " records have " want ", not " number)
			else
				print "ok " result "\nchecked " event
		}' "$work/event_names" "$work/records" "$file" | sort -u >"$work/results"
	grep -v '^absent ' "$work/results"
	grep '^absent ' "$work/results" | while read -r kind event; do
		lkst event show "$event" | grep -q 'this kernel \(has no function\|has several functions\|was built without kprobes\|has no tracepoint\)\|only on x86' &&
			echo "ok ${name}_explains_absence_of_$event" ||
			echo "FAIL ${name}_explains_absence_of_$event: it does not"
	done
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
	for try in $(seq 240); do
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

# Makes $work/doctor, what `lkst doctor` says, an event on each line. To be called while nothing is recorded.
ask_doctor()
{
	lkst doctor --format json >"$work/doctor" 2>"$work/doctor.errors"
	expect_none "$1" "$(cat "$work/doctor.errors")$(grep -q '^{"can_record":true,' "$work/doctor" ||
		cut -c 1-300 "$work/doctor" | head -n 1)"
}

# The programs that a recording has are those that the doctor has loaded, but for those of options.
expect_doctor_loads()
{
	compare_with_doctor "$1" loaded program-
}

# What it has attached, of maskset standard, is what the doctor has.
expect_doctor_attaches()
{
	compare_with_doctor "$1" attached ''
}

# The hooks of events that are $2 by the doctor are those with a pin that begins with $3.
compare_with_doctor()
{
	sed -n '/"set":"option"/d; /"'"$2"'":true/s/.*"hook":\("[a-z_0-9]*"\),"also":\[\([^]]*\)\].*/\1,\2/p' "$work/doctor" |
		tr -d '"' | tr , '\n' | sed '/^$/d' | sort -u >"$work/doctor.hooks"
	ls /sys/fs/bpf/lkst | sed -n "s/^$3//p" | grep -E '^(tp_btf|tp_too|kprobe|kretprobe)__' | sort -u >"$work/hooks"
	expect_none "$1" "$([ -s "$work/hooks" ] || echo 'the recording has none')$(diff "$work/doctor.hooks" "$work/hooks" | grep '^[<>]')"
}
