#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# What has not ended on this machine: mutexes and flock(2) taken in both orders, a lock of one that is stopped, and a
# server of a file system that does not answer, all from before the recording began: what `lkst why --hung` says of the
# recording that runs, and of a snapshot.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
mkfifo input
mkdir dir
"$load/hangs" dir <input >who 2>err &
holder=$!
children+=($holder)
exec 3>input
wait_until 120 eval 'grep -q ready who || ! kill -0 $holder 2>/dev/null'
grep -q ready who || { fail hangs_begin "$(<err)"; exit 1; }

"$LKST" start --quiet --budget none --buffer 16M 2>err || fail hung_start "$(<err)"
# Longer than is asked for.
sleep 0.5
"$LKST" why --hung --longer 200ms --format json >live.json 2>err || fail hung_live "$(<err)"
"$LKST" snapshot --quiet --output trace 2>err || fail hung_snapshot "$(<err)"
"$LKST" stop --quiet
"$LKST" why --hung --longer 200ms --format json trace >trace.json 2>err || fail hung_trace "$(<err)"
exec 3>&-
wait "$holder"

# Of who waits, as line $2 of `who` names it, in $1: "KIND HOLDER KNOWN", the kind of the row that it is in.
said()
{
	perl -MJSON::XS -e 'my ($file, $tid) = @ARGV; local $/; open my $f, "<", $file or die; my $j = decode_json(<$f>);
		my %kind = map { $_->{number} => $_->{kind} } @{$j->{hung}{rows}};
		for (@{$j->{hung_threads}{rows}}) {
			print join(" ", $kind{$_->{number}}, $_->{holder_tid} // "-", $_->{known} // "-"), "\n"
				if $_->{tid} == $tid }' "$1" "$(sed -n "s/^$2 \([0-9]*\) .*/\1/p" who)"
}

of()
{
	sed -n "s/^$1 [0-9]* \([0-9]*\)/\1/p" who
}

expect hung_live_mutexes "$(said live.json mutex)" "deadlock $(of mutex) now"
expect hung_live_flock "$(said live.json flock)" "deadlock $(of flock) now"
expect hung_live_stopped "$(said live.json stopped)" "holder $(of stopped) now"
expect hung_trace_stopped "$(said trace.json stopped)" "holder $(of stopped) now"
# Who took a lock that nobody else wanted made no call: from a trace that is not known, and not guessed.
expect hung_trace_mutexes "$(said trace.json mutex)" "unknown - -"
expect hung_trace_flock "$(said trace.json flock)" "unknown - -"
if grep -q '^fuse no' who; then
	echo "skip hung_fuse: $(sed -n 's/^fuse no //p' who)"
else
	expect hung_live_fuse "$(said live.json fuse)" "unknown - -"
	expect hung_trace_fuse "$(said trace.json fuse)" "unknown - -"
fi
exit $failed
