#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The library as a page in a browser has it (src/web) says of a trace what the program says at a terminal, byte for byte:
# what it prints, what it says on standard error, and its exit status; of a whole trace, of its archive, of parts of a
# recording, and of a damaged one.
. "$(dirname "$0")/lib/live.sh"

if ! command -v node >/dev/null; then
	skip_all 'web: there is no node; tools/install-deps check-all installs nodejs'
fi
cd "$work" || exit
module=$BUILD/gen/web/lkst.wasm
export LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80

# Takes the functions of ticks out of file $1: those of programs have their names where the programs' files are, which the module
# does not have.
without_functions()
{
	perl -0pi -e 's/^Where threads ran\n(?:.+\n)*//m; s/"ticks":\{.*?(?="ticks_threads":)//s;
		s/, at \d+ of these in \S+?(?: \([^)]*\))?(?=[;",\n])//g; s/,"(?:ticks_in_function|tick_function(?:_of)?)":(?:\d+|"[^"]*")//g' "$1"
}

# Runs the command that is named, of both, and compares. The trace is the last word.
same()
{
	local name=$1 status

	shift
	"$LKST" "$@" >native.out 2>native.err
	status=$?
	node "$lib/in_module.js" "$module" "$@" >web.out 2>web.err
	expect "${name}_ends_alike" $? $status
	without_functions native.out
	without_functions web.out
	if cmp native.out web.out >differs 2>&1 && cmp native.err web.err >>differs 2>&1; then
		ok "${name}_says_the_same"
	else
		fail "${name}_says_the_same" "$(cat differs; diff native.err web.err | head -n 3)"
	fi
}

"$LKST" record --quiet --output whole -- sh -c "'$load/called' 3; dd if=/dev/zero of=file bs=64k count=64 conv=fsync 2>/dev/null
	sleep 0.05; ls -R /usr/lib >/dev/null; ls /nothing 2>/dev/null; true"
records_no_more
expect there_is_something_to_compare "$(("$("$LKST" print whole | wc -l)" > 1000))" 1

same analyses analyze all --rows 0 whole
same analyses_as_json analyze all --format json whole
same analyses_as_csv analyze thread,syscall --format csv whole
same a_list analyze runqueue --list whole
same a_time_between analyze 'sched_waking .. sched_switch' whole
same report report whole
same report_as_json report --format json whole
same why why --worst syscall whole
same why_as_json why --worst wait --format json whole
same lint lint whole
same lint_as_json lint --format json whole
same check check whole
same check_as_json check --json whole
# The longer a busy machine takes for the load, the more events there are, and text has a limit in a browser.
same events print --last 100000 whole
same events_as_json print --format json --last 100000 whole
same events_as_csv print --event 'sched_*' --format csv --time mono whole
same help why --help whole
same no_such_analysis analyze nothing whole
same no_such_thread why --tid 4194303 whole
same no_such_option print --nothing whole

tar cf archive whole
same archive report archive

mkdir parts
"$LKST" cut --from +0s --to +0.01s --output parts/1 whole 2>/dev/null
"$LKST" cut --from +0.01s --output parts/2 whole 2>/dev/null
same parts analyze all --rows 0 parts

# Two blocks overwritten, and the end of a stream missing.
cp -r whole damaged
dd if=/dev/urandom of=damaged/main.0 bs=4096 seek=1 count=2 conv=notrunc 2>/dev/null
truncate -s -6000 damaged/main.1 2>/dev/null || truncate -s -6000 damaged/main.0
same damaged check damaged
same damaged_events print --first 100000 damaged
same damaged_analyses analyze all --format json damaged

# No trace at all.
mkdir nothing
echo nonsense >nothing/metadata
node "$lib/in_module.js" "$module" report nothing >out 2>err
expect nonsense_is_refused $? 1
expect nonsense_is_refused_in_words "$(grep -c 'cannot read the trace' err)" 1
exit "$failed"
