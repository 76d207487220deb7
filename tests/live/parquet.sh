#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Parquet, as lkst export and lkst sql write it: DuckDB, which is not ours, answers from the files what lkst sql answers from
# the trace; and a disk that is full leaves nothing under the name.

. "$(dirname "$0")/lib/live.sh"

if ! record trace --buffer 32M -- sh -c 'ls -R /usr/share/doc | sort | tail -n 1 >/dev/null; sleep 0.1; for i in 1 2 3 4; do
	dd if=/dev/zero of="'"$work"'/file" bs=64k count=16 conv=fsync 2>/dev/null; cat "'"$work"'/file" >/dev/null; done'; then
	fail parquet_recorded "$(tail -n 3 "$work/trace.log")"
	exit 1
fi
records_no_more

# A limit on the length of files stands for a full disk: writing fails where it would.
full()
{
	(trap '' XFSZ; ulimit -f 64; "$LKST" "$@" 2>&1)
}
message=$(full export -q -f parquet -o "$work/full" "$work/trace")
status=$?
if [ $status = 1 ] && [[ $message == *'writing '*'.parquet: File too large'* ]] && [ -z "$(find "$work" -name '*full*')" ]; then
	ok parquet_leaves_nothing_of_an_export
else
	fail parquet_leaves_nothing_of_an_export "$status: $message; $(find "$work" -name '*full*')"
fi
message=$(full sql -f parquet -o "$work/full" "$work/trace" 'select line, json from events')
status=$?
if [ $status = 1 ] && [[ $message == *'File too large'* ]] && [ -z "$(find "$work" -name '*full*')" ]; then
	ok parquet_leaves_nothing_of_an_answer
else
	fail parquet_leaves_nothing_of_an_answer "$status: $message; $(find "$work" -name '*full*')"
fi

message=$(script -qec "$LKST sql -f parquet $work/trace 'select 1'" /dev/null </dev/null | tr -d '\r')
if [[ $message == *'not for a terminal'* ]]; then
	ok parquet_is_not_for_a_terminal
else
	fail parquet_is_not_for_a_terminal "$message"
fi

# One answer is a file: a second one behind it would be read as the first.
refused=
for queries in $'select 1 as a;\nselect 2 as a;' '.tables' '-- nothing' ''; do
	message=$("$LKST" sql -f parquet -o "$work/several" "$work/trace" 2>&1 <<<"$queries") && refused+="; \"$queries\" is not refused"
	[[ $message == *'Parquet file'* ]] || refused+="; \"$queries\": $message"
done
if [ -z "$refused" ] && [ -z "$(find "$work" -name '*several*')" ]; then
	ok parquet_takes_one_answer
else
	fail parquet_takes_one_answer "$refused; $(find "$work" -name '*several*')"
fi

command -v node >/dev/null || skip_all 'parquet_duckdb: there is no node; tools/install-deps check-all installs it'
modules=$(packages duckdb) || skip_all "parquet_duckdb: $modules"
"$LKST" export -q -f parquet -o "$work/tables" "$work/trace" || fail parquet_exported 'lkst export failed'
"$LKST" sql -f parquet "$work/trace" \
	'select comm, count(*) n, sum(duration_ns) / 1000.0 us from states group by comm order by comm' >"$work/answer.parquet"
export NODE_PATH=$modules
report parquet_duckdb node "$lib/parquet.js" "$LKST" "$work/trace" "$work/tables" "$work/answer.parquet"
exit $failed
