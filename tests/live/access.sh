#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Who may read what root writes, by every command that writes a trace, and what another user can do who was there
# first, with links, pipes and directories in the way.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
NOBODY=65534
umask 022
chmod 0755 "$work"
events=(--event 'sched_process_*' --event 'syscall_*_getppid')

as_nobody()
{
	setpriv --reuid $NOBODY --regid $NOBODY --clear-groups "$@"
}

# The modes and owners of all that is in the paths given, each once: "d700:0:0 f600:0:0".
modes()
{
	find "$@" -printf '%y%m:%U:%G\n' 2>&1 | sort -u | paste -sd ' '
}

# ---- who may read ----------------------------------------------------------------------

mkdir "$work/t"
cd "$work/t" || exit
"$LKST" start --quiet --budget none --incidents 2 --buffer 1M "${events[@]}" && has_started=yes
perl -e 'getppid for 1 .. 1000'
"$LKST" incident keep --quiet

# try NAME OPTION...: has every command write to t/NAME-COMMAND; what has failed is in $work/log
try()
{
	local name=$1

	shift
	"$LKST" snapshot --quiet --output "$name-snapshot" "$@"
	"$LKST" snapshot --quiet --file "$name-file" "$@"
	mkdir "$name-incident" && chmod 0700 "$name-incident"
	"$LKST" incident save --quiet --output "$name-incident" "$@" 1
	"$LKST" attach --quiet --output "$name-attach" --rotate 64K --compress --for 0.2s "$@"
	"$LKST" record --quiet --output "$name-record" "${events[@]}" "$@" -- true
	"$LKST" record --quiet --output "$name-%Y-parts/x" --rotate 1M --compress "${events[@]}" "$@" -- true
	"$LKST" cut --quiet --from +0s --output "$name-cut" "$@" "$name-record"
	"$LKST" cut --quiet --size 1M --output "$name-cuts" "$@" "$name-record"
	"$BUILD/lkstlogdiv" --quiet --from +0s --output "$name-lkstlogdiv" "$@" "$name-record"
	"$BUILD/lkstlogd" --foreground --file "$name-lkstlogd-" "$@" &
	children+=($!)
	wait_until 60 compgen -G "$name-lkstlogd-*/metadata" >/dev/null
	kill $!
	wait $!
} >>"$work/log" 2>&1

# check_modes NAME WANTED-OF-FILES WANTED-OF-DIRECTORIES: of each command's files
check_modes()
{
	local name=$1 files=$2 dirs=$3 one bad=

	for one in snapshot attach record "$(date +%Y)-parts" cut cuts lkstlogdiv 'lkstlogd-*'; do
		# shellcheck disable=SC2086 # the last one is a pattern
		[ "$(modes $name-$one)" = "$dirs $files" ] || bad="$bad $one: $(modes $name-$one)"
	done
	[ "$(modes "$name-incident"/*)" = "$dirs $files" ] || bad="$bad incident: $(modes "$name-incident"/*)"
	[ "$(modes "$name-file")" = "$files" ] || bad="$bad file: $(modes "$name-file")"
	if [ -z "$bad" ]; then
		ok "access_of_$name"
	else
		fail "access_of_$name" "not $dirs $files:$bad ($(tail -n 3 "$work/log"))"
	fi
}

try standard
check_modes standard f600:0:0 d700:0:0
try world --mode 0644
check_modes world f644:0:0 d755:0:0
try group --group $NOBODY
check_modes group f640:0:$NOBODY d750:0:$NOBODY
"$LKST" snapshot --quiet --output narrow --mode 0604 --group $NOBODY
expect access_of_mode_and_group "$(modes narrow)" "d705:0:$NOBODY f604:0:$NOBODY"

# read_by_nobody NAME: whether that user can read it
read_by_nobody()
{
	as_nobody "$LKST" print "$1" 2>&1 >/dev/null | sed 's/.*: //'
}
expect access_standard_keeps_users_out "$(read_by_nobody standard-record)" 'Permission denied'
expect access_standard_keeps_users_out_of_files "$(read_by_nobody standard-file)" 'Permission denied'
expect access_world_lets_users_read "$(read_by_nobody world-record)$(read_by_nobody world-file)" ''
expect access_group_lets_its_members_read "$(read_by_nobody group-record)$(read_by_nobody group-file)" ''
expect access_without_the_lock_and_pins "$(modes /run/lkst.lock /sys/fs/bpf/lkst -maxdepth 0)" 'd700:0:0 f600:0:0'

expect_refusal access_mode_that_lets_others_write 'the owner reads and writes, others may read' \
	snapshot --mode 0660 --output refused
expect_refusal access_mode_that_is_none 'an octal mode' cut --mode 9 --from +0s --output refused standard-record
expect_refusal access_group_that_is_none 'there is no group nobodyknows' \
	record --group nobodyknows --output refused -- true
expect access_refused_makes_nothing "$(ls -d refused 2>&1 | sed 's/.*: //')" 'No such file or directory'

# ---- what another user has put in the way ----------------------------------------------

echo before >"$work/victim"
mkdir "$work/his" && chown $NOBODY:$NOBODY "$work/his"
cd "$work/his" || exit
as_nobody sh -c 'ln -s ../victim x.partial; ln -s ../victim .x.partial; ln -s ../victim x; mkfifo fifo
	mkdir empty; ln -s empty link; mkdir full; ln -s ../../victim full/.partial'
# A snapshot that follows a link, or waits at a pipe, does not come back or changes the victim.
for one in x fifo; do
	if timeout 120 "$LKST" snapshot --quiet --file $one 2>"$work/log" &&
		[ "$(modes $one)" = f600:0:0 ] && "$LKST" print $one >"$work/out" && [ -s "$work/out" ]; then
		ok access_file_in_place_of_$one
	else
		fail access_file_in_place_of_$one "$(modes $one) $(cat "$work/log")"
	fi
done
expect access_victim_is_as_it_was "$(cat "$work/victim")" before
expect access_nothing_is_left_beside "$(find . -maxdepth 1 -user 0 | sort | paste -sd ' ')" './fifo ./x'

# refuse NAME WHY DIR: by every command that makes DIR
refuse()
{
	expect_refusal "access_snapshot_refuses_$1" "$2" snapshot --quiet --output "$3"
	expect_refusal "access_record_refuses_$1" "$2" record --quiet --output "$3" "${events[@]}" -- true
	expect_refusal "access_parts_refuse_$1" "$2" record --quiet --rotate 1M --output "$3" "${events[@]}" -- true
	expect_refusal "access_attach_refuses_$1" "$2" attach --quiet --for 0.1s --output "$3"
	expect_refusal "access_cut_refuses_$1" "$2" cut --from +0s --output "$3" "$work/t/standard-record"
	expect_refusal "access_cuts_refuse_$1" "$2" cut --size 1M --output "$3" "$work/t/standard-record"
}
refuse a_directory_of_another_user 'belongs to user 65534' empty
refuse a_link 'is a symbolic link' link
mkfifo "$work/t/fifo"
refuse a_pipe 'Not a directory' "$work/t/fifo"
mkdir "$work/t/open" && chmod 0777 "$work/t/open"
refuse a_directory_that_others_write_to 'others may write to directory' "$work/t/open"
expect access_refused_directories_are_empty "$(ls -A empty "$work/t/open" | grep -v :)" ''
expect access_victim_is_still_as_it_was "$(cat "$work/victim")" before

# Users make their own as before: what umask leaves. (He can get here, but not look up the way, not even to the program:
# what he can run is a copy beside.)
cp -r "$work/t/world-record" trace
cp "$LKST" "$work/lkst"
as_nobody sh -c 'umask 027; exec "$@"' sh ../lkst cut --quiet --from +0s --output own trace
expect access_of_a_user_is_by_umask "$(modes own)" "d750:$NOBODY:$NOBODY f640:$NOBODY:$NOBODY"
exit $failed
