#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# What a program has called its marks, and what it has written in them, is nowhere in a redacted bundle, nor in anything
# that is made of it: records, accounts, tables of SQL, the page, exports. What was marked when is still there.

. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
has_started=yes
if ! "$LKST" start --quiet --buffer 1M 2>start.log; then
	fail marks_recorded "$(tail -n 3 start.log)"
	exit 1
fi
"$load/secret_marks"
"$LKST" snapshot --quiet --bundle --file whole.bundle
"$LKST" stop --quiet
has_started=no
records_no_more

# make_all BUNDLE DIR: all that can be made of it
make_all()
{
	local format table

	mkdir "$2"
	"$LKST" print "$1" >"$2/print"
	"$LKST" print --format json "$1" >"$2/print.json" 2>/dev/null
	"$LKST" report "$1" >"$2/report" 2>&1
	"$LKST" analyze span "$1" >"$2/spans" 2>&1
	"$LKST" check "$1" >"$2/check" 2>&1
	"$LKST" bundle show "$1" >"$2/show"
	"$LKST" bundle extract --quiet -o "$2/extracted" "$1"
	"$LKST" sql "$1" .tables >"$2/tables" 2>&1
	for table in $("$LKST" sql -f csv "$1" "select name from sqlite_master where name not null" | tail -n +2 | tr -d '\r'); do
		echo "select * from \"$table\" limit 20000;"
	done >"$2.queries"
	"$LKST" sql "$1" <"$2.queries" >"$2/rows" 2>&1
	for format in json chrome collapsed folded waiting lttng perfetto parquet; do
		"$LKST" export --quiet -f $format -o "$2/$format" "$1" 2>"$2/$format.log"
	done
	"$LKST" view --quiet -o "$2/page.html" "$1"
}

make_all whole.bundle whole
declare -A how=([standard]='' [word]='--word zqSecret' [only_word]='--word zqSecret --rule host')
for name in "${!how[@]}"; do
	"$LKST" bundle redact --quiet ${how[$name]} -o "$name.bundle" whole.bundle || fail "redact_$name" 'it fails'
	make_all "$name.bundle" "made_$name"
	expect "no_name_or_text_of_a_mark_is_left_$name" \
		"$(grep -rlaF zqSecret "$name.bundle" "made_$name" | tr '\n' ' ')" ''
	expect "all_marks_are_left_$name" "$(grep -c '/secret_marks .*\(mark\|span_begin\|span_end\|value\)[: ]' \
		"made_$name/print")" "$(grep -c '/secret_marks .*\(mark\|span_begin\|span_end\|value\)[: ]' whole/print)"
done
# Where nothing is taken out they are in these, so they would have been found.
for made in print spans tables rows json lttng extracted; do
	grep -rqaF zqSecret "whole/$made" || fail "names_are_in_what_is_made_of_the_whole_bundle" "not in $made"
done
expect fields_are_numbered "$(grep -c 'mark:event_1: field_1=[0-9]* field_2=0x[0-9a-f]* field_3=' made_standard/print)" 20
exit $failed
