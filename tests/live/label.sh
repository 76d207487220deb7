#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# The label of a recording: `lkst status` shows it, and `lkst stop --label` ends no recording but its own. By it tests/run
# ends what a killed test has left recording, and leaves alone what a user records.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
checkout=$(realpath "$lib/../../..")
small=(--quiet --budget none --buffer 64K --maskset RNOTHING)
unset LKST_LABEL

# What status says of the label: in its text, and in JSON.
shown()
{
	"$LKST" status | sed -n 2p
	"$LKST" status --json | grep -o '"label":[^,]*'
}

expect_refusal a_label_has_no_controls '--label: a label has no control characters' start --label $'red \e[31m'
expect_refusal a_label_turns_nothing_around 'no control characters' start --label $'\xe2\x80\xaegnp.exe'
expect_refusal a_label_is_utf8 'and is UTF-8' start --label $'\xff'
expect_refusal a_label_is_short 'a label has 1 to 63 bytes' start --label "$(printf '%064d' 0)"
expect_refusal a_label_is_not_empty 'a label has 1 to 63 bytes' start --label ''
LKST_LABEL=$'\n' expect_refusal a_label_by_the_variable_is_checked 'LKST_LABEL: a label has' start
expect nothing_was_started "$("$LKST" status)" 'nothing is being recorded'
expect stop_of_nothing_is_no_error "$("$LKST" stop --label mine)" 'nothing was being recorded'

has_started=yes
"$LKST" start "${small[@]}" 2>/dev/null
expect no_label_is_none "$(shown)" $'\n"label":null'
expect_refusal stop_leaves_what_has_no_label 'the recording has no label, and goes on' stop --label mine
LKST_LABEL=mine "$LKST" start "${small[@]}" --keep 2>/dev/null
expect a_recording_keeps_what_label_it_has "$(shown)" $'\n"label":null'
LKST_LABEL= "$LKST" stop --quiet
LKST_LABEL= "$LKST" start "${small[@]}" 2>/dev/null
expect an_empty_variable_is_none "$(shown)" $'\n"label":null'
"$LKST" stop --quiet

longest=$(printf 'Nachtprüfung "\\" %045d' 7)
LKST_LABEL=other "$LKST" start "${small[@]}" --label "$longest" 2>/dev/null
expect the_option_overrides_the_variable "$(shown)" "label: ${longest//\\/\\\\}"$'\n'"\"label\":\"$(sed 's/["\\]/\\&/g' <<<"$longest")\""
expect_refusal stop_says_whose_it_is "the recording has the label \"$longest\", and goes on" stop --label other
expect it_goes_on "$("$LKST" status | grep -c '^recording .* events')" 1
expect stop_ends_its_own "$("$LKST" stop --label "$longest"; "$LKST" status)" $'stopped\nnothing is being recorded'
printf 'label = from a file\nbudget = none\n' >lkst.conf
"$LKST" start --quiet --maskset RNOTHING --buffer 64K --config lkst.conf 2>/dev/null
expect a_file_has_labels_too "$(shown)" $'label: from a file\n"label":"from a file"'
expect the_label_is_only_root_s "$(stat -c %a /sys/fs/bpf/lkst/label)" 600
"$LKST" stop --quiet

# ---- what tests/run finds ----

mkdir -p build live
ln -s "$BUILD" build/gcc
# What a test leaves that is killed before it can stop anything; what the next one finds.
printf '#!/bin/bash\n"$LKST" start %s 2>/dev/null\nkill -KILL $$\n' "${small[*]}" >live/killed
printf '#!/bin/bash\n"$LKST" status | head -n 1\necho "ok finds"\n' >live/finds
printf '#!/bin/bash\necho "ok more"\n' >live/more
chmod +x live/*

# Runs tests, as another run of this machine would.
run_tests()
{
	(cd "$checkout" && OUT=$work/build MACHINE_LOCK=$work/lock CI=${CI_IS-false} tests/run "${@/#/$work/live/}") 2>&1
}

run_tests killed >said
expect a_killed_test_leaves_a_recording "$(tail -n 1 said; shown)" \
	$'0 passed, 1 failed, 0 skipped\nlabel: lkst-tests\n"label":"lkst-tests"'
run_tests finds more >said
expect the_next_run_ends_it "$(grep -c 'ended the recording that a killed test had left' said) $(tail -n 1 said)" \
	'1 2 passed, 0 failed, 0 skipped'
expect nothing_is_left_of_it "$("$LKST" status)" 'nothing is being recorded'

"$LKST" start "${small[@]}" --label "a user's" 2>/dev/null
run_tests finds more >said
expect a_users_recording_goes_on "$(shown | head -n 1); $(tail -n 1 said)" "label: a user's; 0 passed, 1 failed, 1 skipped"
expect the_run_says_what_is_recorded "$(grep -c "^  FAIL recorder_is_free: .*label \"a user's\".* recording [0-9]* events .*lkst stop.*ends it" said)" 2
expect the_run_says_why_it_skips "$(grep -c '^  skip more: somebody else is recording' said)" 1
CI_IS=true run_tests more >said
expect it_goes_on_where_nobody_watches "$(shown | head -n 1); $(grep -c '^  FAIL recorder_is_free: ' said)" "label: a user's; 2"
"$LKST" stop --quiet --label "a user's"
exit $failed
