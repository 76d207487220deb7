#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Where a handler has recorded the stacks of a program, every reader names its functions: print in all formats, sql,
# exports, why, the tool of mcp, and a bundle. The program calls from functions whose places nm knows, and ends before
# anything is read; a copy of it that was built again gives no names.

. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit
calls=40

# The functions do their system calls themselves, so that the first frame is in them, and the next one in main.
cat >asks.c <<'END'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __attribute__((noinline)) long call(long nr, long a, long b, long c, long d)
{
	/* It calls nothing: it gets a frame if it asks for one. */
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)) : "memory");
#ifdef __x86_64__
	register long r10 __asm__("r10") = d;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
	return ret;
#else
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a, x1 __asm__("x1") = b, x2 __asm__("x2") = c,
		      x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#endif
}

__attribute__((noinline)) long asks_for_priority(long n)
{
	return call(SYS_getpriority, 0, 0, 0, 0) + n;
}

__attribute__((noinline)) long waits_for_time(long ms)
{
	struct timespec t = { .tv_nsec = ms * 1000000 };

	return call(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&t, 0) + ROUNDS;
}

int main(int argc, char **argv)
{
	long sum = 0;
	int i;

	for (i = 0; i < CALLS; i++)
		sum += asks_for_priority(i);
	sum += waits_for_time(60);
	return sum == 1;
}
END
build()
{
	gcc -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -Wl,--build-id -DCALLS=$calls -DROUNDS="$1" -o asks asks.c
}
build 0 || skip_all 'user_names: gcc cannot build a program'

has_started=yes
"$LKST" start --quiet --budget none --buffer 16M --mappings -e 'sched_*' -e syscall:getpriority -e syscall:clock_nanosleep \
	2>start.log || skip_all "user_names: $(tail -n 1 start.log)"
"$LKST" handler load stack --event 'syscall:getpriority' --quiet
"$LKST" handler set stack user=1
for event in getpriority clock_nanosleep; do
	"$LKST" maskset --quiet -H stack "start+=syscall_entry_$event"
done
./asks
"$LKST" snapshot --quiet --output trace
"$LKST" snapshot --quiet --bundle --file moment.bundle
"$LKST" stop --quiet
has_started=no
records_no_more

# "call+0x1a[asks]": three functions in each stack, from the inner to the outer one.
stack='call(\+0x[0-9a-f]+)?\[asks\],asks_for_priority\+0x[0-9a-f]+\[asks\],main\+0x[0-9a-f]+\[asks\]'
blanks=${stack//,/ }
quoted="\"${stack//,/\",\"}\""
expect print_names_them "$("$LKST" print --comm asks -e stack.user trace | grep -cE "frames=\[$stack")" $calls
expect json_names_them "$("$LKST" print -f json --comm asks -e stack.user trace | grep -cE "\"symbols\":\{\"frames\":\[$quoted")" $calls
expect csv_names_them "$("$LKST" print -f csv --comm asks -e stack.user trace | grep -cE "\"frames symbol\",\"$blanks")" $calls

# The places themselves, by nm: the frame is in the function that it is said to be in.
expect names_are_those_of_nm "$("$LKST" print -f json --comm asks -e stack.user trace | perl -MJSON::XS -e '
	my %of;
	for (qx(nm -S asks)) { $of{$4} = [hex $1, hex $2] if /^(\S+) (\S+) ([tT]) (\S+)/ }
	my ($nr, %base) = 0;
	while (<STDIN>) {
		my $r = decode_json($_);
		my ($frames, $names) = ($r->{fields}{frames}, $r->{symbols}{frames});
		my $good = 0;
		for my $i (0 .. 2) {
			my ($name, $offset) = $names->[$i] =~ /^(\w+)\+?(?:0x([0-9a-f]+))?\[asks\]$/ or last;
			last if !$of{$name};
			# The program lies at one place: what is left of the address is the same for all.
			$base{$frames->[$i] - $of{$name}[0] - hex($offset // 0)}++;
			$good++ if hex($offset // 0) <= $of{$name}[1];
		}
		$nr++ if $good == 3;
	}
	print "$nr ", scalar(keys %base)')" "$((calls + 1)) 1"

by_sql()
{
	"$LKST" sql -f csv trace "$1" | tail -n +2 | tr -d '\r"'
}
expect sql_has_a_column_of_them "$(by_sql "select frames_symbol from \"stack.user\" where comm = 'asks'" | grep -cE "^$blanks")" $calls
expect sql_has_them_in_lines "$(by_sql "select line from events where event = 'stack.user' and comm = 'asks'" | grep -cE "frames=\[$stack")" $calls
expect sql_groups_by_them "$(by_sql "select count(*) from \"stack.user\" where frames_symbol like 'call%asks_for_priority+%' and comm = 'asks'")" $calls
# Also where the query begins after the program was mapped.
expect sql_knows_what_was_mapped_before "$(by_sql "select frames_symbol from \"stack.user\" where comm = 'asks' and
	time_ns > (select max(time_ns) - 1 from \"stack.user\" where comm = 'asks' and frames_symbol like '%asks_for%')" |
	grep -cE "^$blanks|waits_for_time")" 2
last=$("$LKST" print --time mono --comm asks -e stack.user trace | tail -n 2 | head -n 1 | awk '{ print $1 }')
expect print_knows_what_was_mapped_before "$("$LKST" print --from "@$last" --comm asks -e stack.user trace |
	grep -cE "frames=\[$stack|waits_for_time")" 2

"$LKST" export -q -f json -o - --comm asks -e stack.user trace >lines
expect json_lines_name_them "$(grep -cE "\"symbols\":\{\"frames\":\[$quoted" lines)" $calls
if modules=$(packages duckdb); then
	"$LKST" export -q -f parquet -o tables trace
	expect parquet_names_them "$(NODE_PATH=$modules node -e '
		const { DuckDBInstance } = require("@duckdb/node-api");
		(async () => {
			const duckdb = await (await DuckDBInstance.create()).connect();
			const answer = await duckdb.runAndReadAll(process.argv[1]);
			console.log(String(answer.getRows()[0][0]));
		})();' "select count(*) from 'tables/events.parquet' where event = 'stack.user' and comm = 'asks'
		and regexp_matches(frames_symbol, '^$blanks')")" $calls
else
	echo "skip parquet_names_them: $modules"
fi

"$LKST" why --worst 'syscall:clock_nanosleep' --comm asks trace >why
if grep -qE 'blocked in clock_nanosleep\(\), called from call(\+0x[0-9a-f]+)?\[asks\] by waits_for_time\+0x[0-9a-f]+\[asks\] by main\+' why; then
	ok why_says_who_called
else
	fail why_says_who_called "$(cat why)"
fi
expect bundle_reads_the_same "$("$LKST" print --comm asks -e stack.user moment.bundle | grep -cE "frames=\[$stack")" $calls
expect mcp_names_them "$(printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"events","arguments":{"comm":"asks","event":["stack.user"],"limit":3}}}' |
	"$LKST" mcp trace | grep -oE "frames=\[$stack" | wc -l)" 3

# Another build at the same path: its functions are elsewhere, and their names would be wrong.
build 7
expect another_build_gives_no_names "$("$LKST" print --comm asks -e stack.user trace | grep -cE 'asks_for_priority|call\+')" 0
expect another_build_leaves_the_file "$("$LKST" print --comm asks -e stack.user trace | grep -cE 'frames=\[0x[0-9a-f]+\[asks\],')" $((calls + 1))
exit $failed
