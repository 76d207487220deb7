#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Tests the test runner: that failures of a test program are counted, which programs run, how often, and what is said of
# them; and tests/beside_load. It runs them on small scripts, in a build directory of its own.

set -u
# These runs record nothing: they need not wait for others on this machine.
export MACHINE_LOCK=$SCRATCH/machine PINS=$SCRATCH/pins

# Runs tests/run on a script of the text $3 and compares its last line with $2; $1: the test's name.
expect()
{
	local name=$1 want=$2 got status
	local program=$SCRATCH/program

	printf '#!/bin/bash\n%s\n' "$3" >"$program"
	chmod +x "$program"
	got=$(CI=false OUT=$SCRATCH/out tests/run "$program" 2>&1)
	status=$?
	got=${got##*$'\n'}
	if [ "$got" != "$want" ]; then
		echo "FAIL run_$name: the last line is \"$got\", not \"$want\""
	elif [[ $want != *' 0 failed'* ]] && [ $status = 0 ]; then
		echo "FAIL run_$name: the exit status is 0"
	else
		echo "ok run_$name"
	fi
}

expect counts_each_kind '1 passed, 1 failed, 1 skipped' 'echo ok a; echo FAIL b: x; echo skip c: y; exit 1'
expect counts_failure_with_status_0 '0 passed, 1 failed, 0 skipped' 'echo FAIL b: x'
expect counts_silence_as_failure '0 passed, 1 failed, 0 skipped' 'exit 0'
expect counts_status_as_failure '1 passed, 1 failed, 0 skipped' 'echo ok a; exit 3'
expect counts_death_as_failure '1 passed, 2 failed, 0 skipped' 'echo ok a; echo FAIL b: x; kill -SEGV $$'
expect counts_timeout_as_failure '1 passed, 1 failed, 0 skipped' $'# timeout: 8\necho ok a; sleep 100'
expect passes '2 passed, 0 failed, 0 skipped' 'echo ok a; echo ok b'
expect gives_no_input '1 passed, 0 failed, 0 skipped' 'read -r x || echo ok a'

# Where all that tests need was installed, none may be skipped for want of a program.
for is_installed in true false; do
	printf '#!/bin/sh\n# tier: check\necho "skip a: nosuch is not installed"\necho "skip b: no kcore"
		echo "skip c: there is no x; tools/install-deps check-all installs it"\n' >"$SCRATCH/program"
	got=$(CI=$is_installed OUT=$SCRATCH/out tests/run --tier check "$SCRATCH/program" 2>&1 |
		grep -cE '^  (FAIL [ac]: .*tools/install-deps check does not install it$|skip b)')
	case $is_installed$got in
	true5 | false1) echo "ok run_skips_for_want_of_a_program_$is_installed" ;;
	*) echo "FAIL run_skips_for_want_of_a_program_$is_installed: $got lines" ;;
	esac
done

got=$(CI=false OUT=$SCRATCH/out tests/run "$SCRATCH/none" 2>&1)
if [ "${got##*$'\n'}" = '0 passed, 1 failed, 0 skipped' ]; then
	echo ok run_counts_missing_program_as_failure
else
	echo "FAIL run_counts_missing_program_as_failure: ${got##*$'\n'}"
fi

# Runs tests/run with arguments $2... and compares its lines that match pattern $1 with what is in $want; $name: the test's name.
expect_lines()
{
	local pattern=$1 got

	shift
	got=$(CI=false OUT=$SCRATCH/out tests/run "$@" 2>&1 | grep -E "$pattern")
	if [ "$got" = "$want" ]; then
		echo "ok run_$name"
	else
		echo "FAIL run_$name: ${got//$'\n'/; }"
	fi
}

# The same of programs under "live", which need root.
expect_lines_of_root()
{
	if [ "$(id -u)" = 0 ]; then
		expect_lines "$@"
	else
		echo "skip run_$name: needs root"
	fi
}

# script NAME TEXT: a test program.
script()
{
	mkdir -p "$SCRATCH/$(dirname "$1")"
	printf '#!/bin/bash\n%s\n' "$2" >"$SCRATCH/$1"
	chmod +x "$SCRATCH/$1"
}

# Two that end only when the other one has begun; the first one ends last. Its failure is reported with its output.
script one "touch '$SCRATCH/one.begun'; until [ -e '$SCRATCH/two.ended' ]; do sleep 0.05; done
echo FAIL first: x; echo 'said by one'"
script two "until [ -e '$SCRATCH/one.begun' ]; do sleep 0.05; done; echo ok second; touch '$SCRATCH/two.ended'"
script three "echo ok third"
name=side_by_side_reports_in_order
want="$SCRATCH/one
  FAIL first: x
    | said by one
  one: 0 passed, T s
$SCRATCH/two
  two: 1 passed, T s
$SCRATCH/three
  three: 1 passed, T s
2 passed, 1 failed, 0 skipped"
got=$(CI=false OUT=$SCRATCH/out tests/run -j 2 "$SCRATCH/one" "$SCRATCH/two" "$SCRATCH/three" 2>&1 |
	awk '/^$/ { is_over = 1 } !is_over { sub(/[0-9.]+ s$/, "T s"); print } { last = $0 } END { print last }')
if [ "$got" = "$want" ]; then
	echo "ok run_$name"
else
	echo "FAIL run_$name: ${got//$'\n'/; }"
fi

# One that is alone finds nobody, whoever comes before and after it.
script before "touch '$SCRATCH/runs.1'; sleep 0.5; rm '$SCRATCH/runs.1'; echo ok before"
script after "touch '$SCRATCH/runs.2'; sleep 0.5; rm '$SCRATCH/runs.2'; echo ok after"
script alone "# alone
set -- '$SCRATCH'/runs.*; sleep 0.2; [ -e \"\$1\" ] && echo FAIL alone: it is not || echo ok alone"
name=alone_is_alone
want='3 passed, 0 failed, 0 skipped'
expect_lines ' passed, .* failed' -j 3 "$SCRATCH/before" "$SCRATCH/alone" "$SCRATCH/after"

# What needs what another one makes begins after it; those before it need not wait.
script makes "until [ -e '$SCRATCH/begun' ]; do sleep 0.05; done; sleep 0.5; touch '$SCRATCH/made'; echo ok makes"
script beside "touch '$SCRATCH/begun'; echo ok beside"
script needs "[ -e '$SCRATCH/made' ] && echo ok needs || echo FAIL needs: it is not there"
name=what_needs_another_begins_after_it
want='3 passed, 0 failed, 0 skipped'
expect_lines ' passed, .* failed' -j 3 "$SCRATCH/makes" "$SCRATCH/beside" --after "$SCRATCH/makes" "$SCRATCH/needs"
name=nothing_is_after_what_is_not_named
want='usage: tests/run [-j N] [--tier TIER] [--repeat N] [--beside COMMAND] [PREFIX=]PROGRAM... [--after PROGRAM [PREFIX=]PROGRAM...]...'
expect_lines '^usage: tests/run ' "$SCRATCH/needs" --after "$SCRATCH/makes" "$SCRATCH/beside"

# What records runs one at a time, beside anything else; of guests, too, there is one at a time.
begins()
{
	echo "touch '$SCRATCH/is.$1' '$SCRATCH/was.$1'; sleep 0.3; set -- '$SCRATCH'/is.*; rm '$SCRATCH/is.$1'
for i; do case \${i##*/is.} in $2) ;; *) echo FAIL $1: beside \$i ;; esac; done; echo ok $1"
}
script plain "until [ -e '$SCRATCH/was.live1' ]; do sleep 0.05; done; $(begins plain '*')"
script live/a "$(begins live1 '[!l]* | live1')"
script live/b "$(begins live2 '[!l]* | live2')"
script vm/a "until [ -e '$SCRATCH/was.live2' ]; do sleep 0.05; done; $(begins guest1 '[!g]* | guest1')"
script vm/b "$(begins guest2 '[!g]* | guest2')"
name=what_may_run_beside_what
want='5 passed, 0 failed, 0 skipped'
expect_lines_of_root ' passed, .* failed' -j 3 "$SCRATCH"/{plain,live/a,live/b,vm/a,vm/b}

# What records goes before what does not, where they run side by side.
own=$(nice)
script live/first "[ \$(nice) = $own ] && echo ok a || echo FAIL a: it is \$(nice), not $own"
script nicer "[ \$(nice) = $((own < 14 ? own + 5 : 19)) ] && echo ok b || echo FAIL b: it is \$(nice) beside $own"
name=what_records_goes_first
want='2 passed, 0 failed, 0 skipped'
expect_lines_of_root ' passed, .* failed' -j 2 "$SCRATCH"/{live/first,nicer}

# Who records no more lets the next one begin, and another run; it is still waited for.
script live/c ": >\"\$RECORDER\"; until [ -e '$SCRATCH/was.live4' ]; do sleep 0.05; done; echo ok c"
script live/d "touch '$SCRATCH/was.live4'; echo ok d"
script live/e ": >\"\$RECORDER\"; flock '$MACHINE_LOCK' true && echo ok e"
name=who_records_no_more
want='3 passed, 0 failed, 0 skipped'
expect_lines_of_root ' passed, .* failed' -j 2 "$SCRATCH"/live/{c,d,e}

# Another run on this machine finds the kernel taken meanwhile, and free again, whatever a test has left running.
script live/holds "flock --nonblock '$MACHINE_LOCK' true && echo FAIL taken: it is free || echo ok taken
sleep 1000 >/dev/null 2>&1 & echo \$! >'$SCRATCH/left'"
name=one_run_has_the_kernel
want='1 passed, 0 failed, 0 skipped'
if [ "$(id -u)" = 0 ]; then
	expect_lines ' passed, .* failed' "$SCRATCH/live/holds"
	if flock --nonblock "$MACHINE_LOCK" true; then echo "ok run_gives_it_back"; else echo "FAIL run_gives_it_back: it is taken"; fi
	kill "$(cat "$SCRATCH/left")"
else
	echo "skip run_$name: needs root"
fi

# What a live test does at its end, its children do not do, also one that is ended before it is another program.
script live/ends ". tests/live/lib/live.sh
at_exit '[[ \$BASHPID = \$\$ ]] && echo ok a || echo FAIL a: a child does it'
for _ in 1 2 3 4 5 6 7 8; do sleep 5 & kill \$!; wait \$!; done
exit 0"
name=only_a_test_does_what_it_does_at_its_end
want='1 passed, 0 failed, 0 skipped'
expect_lines_of_root ' passed, .* failed' "$SCRATCH/live/ends"

# The times: the longest first. Who sleeps takes little of the processors.
script long 'sleep 5; echo ok a'
name=says_what_took_longest
got=$(CI=false OUT=$SCRATCH/out tests/run "$SCRATCH/three" "$SCRATCH/long" 2>&1 | awk '/^What took/ { on = 1; next } NF == 3 && on { print $3, ($3 == "long" && $2 > 2 ? "busy" : "") }' | xargs -n 1 | tr '\n' ' ')
if [ "$got" = 'long three ' ]; then echo "ok run_$name"; else echo "FAIL run_$name: $got"; fi

# Of those that are named the ones of a tier run, and none that is after one of another. A head without a tier is a failure.
for tier in check all vm nosuch; do
	script "of_$tier" "# tier: $tier"$'\n'"echo ok $tier"
done
script more $'# tier: check\necho ok more'
name=one_tier_runs
want='  of_check: 1 passed
  more: 1 passed
2 passed, 0 failed, 0 skipped'
got=$(CI=false OUT=$SCRATCH/out tests/run --tier check "$SCRATCH"/of_{check,all,vm} --after "$SCRATCH/of_all" "$SCRATCH/of_vm" "$SCRATCH/more" \
	--after "$SCRATCH/of_check" "$SCRATCH/more" 2>&1 | grep -E ' passed' | sed 's/, [0-9.]* s$//')
if [ "$got" = "$want" ]; then echo "ok run_$name"; else echo "FAIL run_$name: ${got//$'\n'/; }"; fi
name=a_test_has_a_tier
want="  FAIL $SCRATCH/of_nosuch: its head names no tier (check all vm)
  FAIL $SCRATCH/two: its head names no tier (check all vm)
1 passed, 2 failed, 0 skipped"
got=$(CI=false OUT=$SCRATCH/out tests/run --tier all "$SCRATCH"/{of_nosuch,two,of_all} 2>&1 | grep -E '^  FAIL | passed, .* failed' | sort -u)
if [ "$got" = "$want" ]; then echo "ok run_$name"; else echo "FAIL run_$name: ${got//$'\n'/; }"; fi
name=there_are_three_tiers
want='usage: tests/run [-j N] [--tier TIER] [--repeat N] [--beside COMMAND] [PREFIX=]PROGRAM... [--after PROGRAM [PREFIX=]PROGRAM...]...'
expect_lines '^usage: ' --tier nosuch "$SCRATCH/of_check"
name=lists_what_heads_say
script said $'# tier: vm\n# timeout: 8\n# alone'
want="check plain 900 - - $SCRATCH/of_check
vm alone 8 - - $SCRATCH/said"
got=$(OUT=$SCRATCH/nothing tests/run --list "$SCRATCH"/{of_check,said} | tail -n +2 | tr -s ' ')
if [ "$got" = "$want" ]; then echo "ok run_$name"; else echo "FAIL run_$name: ${got//$'\n'/; }"; fi

# What tests take is kept and compared: not that of one that failed, nor that of another machine, and not what is too little.
times=$SCRATCH/out/tests/times.csv
script busy 'perl -e "1 while (times)[0] < 0.5"; echo ok busy'
script fails 'echo ok fails; echo FAIL fails: x'
rm -f "$times"
# Runs tests, and prints what is said of their times.
said_of_times()
{
	CI=false COMPARED_FROM=0.3 OUT=$SCRATCH/out tests/run "$@" 2>&1 | grep -E '^(slower|new|From now on)' |
		sed -E "s|$SCRATCH/||; s/ [0-9.]+ s/ N s/g; s/commit .*/commit/"
}
name=begins_to_keep_times
got=$(said_of_times "$SCRATCH"/{busy,fails})
if [ "$got" = 'From now on out/tests/times.csv says what tests take.' ] && [ "$(sed 's/,.*//' "$times")" = "machine
$(uname -n)/$(nproc)" ]; then echo "ok run_$name"; else echo "FAIL run_$name: $got; $(cat "$times")"; fi
name=says_what_a_new_test_takes
got=$(said_of_times "$SCRATCH"/{busy,three,fails})
if [ "$got" = 'new: three N s, N s of a processor' ]; then echo "ok run_$name"; else echo "FAIL run_$name: $got"; fi
# As if it had taken a tenth before; the one that takes nearly nothing, too. On another machine it took even less.
awk -F , -v OFS=, 'NR > 1 { $4 = $4 / 10 } { print } END { $1 = "elsewhere/2"; $4 = 0.01; print }' "$times" >"$SCRATCH/earlier"
cp "$SCRATCH/earlier" "$times"
name=says_what_takes_twice_as_long
got=$(said_of_times "$SCRATCH"/{busy,three})
if [ "$got" = 'slower: busy took N s of a processor, and N s at commit' ]; then echo "ok run_$name"; else echo "FAIL run_$name: $got"; fi
name=compares_with_the_last_time
got=$(said_of_times "$SCRATCH"/{busy,three})
if [ "$got$(grep -c '^elsewhere/2,' "$times")" = 1 ]; then echo "ok run_$name"; else echo "FAIL run_$name: $got"; fi
name=keeps_ten_times
for n in {1..30}; do tail -n 1 "$SCRATCH/earlier"; done >>"$times"
said_of_times "$SCRATCH/three" >/dev/null
got=$(grep -c '^elsewhere/2,' "$times"),$(tail -n 1 "$times" | cut -d , -f 2),$(head -n 1 "$times")
if [ "$got" = "10,$SCRATCH/three,machine,test,wall_s,cpu_s,commit" ]; then echo "ok run_$name"; else echo "FAIL run_$name: $got"; fi

# Again and again: how often each passed, and what went wrong when. A program in C is named by its source.
script sometimes "echo x >>'$SCRATCH/nr'; n=\$(wc -l <'$SCRATCH/nr'); [ \$n != 2 ] && echo ok a || echo FAIL a: it is \$n"
mkdir -p "$SCRATCH/out/gcc/tests/unit"
cp "$SCRATCH/three" "$SCRATCH/out/gcc/tests/unit/err"
name=repeats_tests
want="  FAIL a: it is 2 (run 2)
  $SCRATCH/sometimes: 3 of 4 passed, 1 failed
  tests/unit/err.c: 4 of 4 passed, 0 failed
7 passed, 1 failed, 0 skipped"
got=$(CI=false OUT=$SCRATCH/out tests/run -j 3 --repeat 4 "$SCRATCH/sometimes" tests/unit/err.c 2>&1 |
	grep -E '^  FAIL .*run|^  .* of |passed, .* skipped')
if [ "$got" = "$want" ]; then echo "ok run_$name"; else echo "FAIL run_$name: ${got//$'\n'/; }"; fi

# Beside a command, which is begun again when it has ended, and ends with the tests, with all that it has begun.
script beside_it "until [ -e '$SCRATCH/load.3' ]; do sleep 0.05; done; echo ok beside_it"
name=runs_beside_a_command
want='1 passed, 0 failed, 0 skipped'
expect_lines ' passed, .* failed' --beside "n=\$(ls '$SCRATCH'/load.* | wc -l); touch '$SCRATCH'/load.\$n
	[ \$n -lt 3 ] || { sleep 1000 & echo \$! >'$SCRATCH/load'; wait; }" "$SCRATCH/beside_it"
name=ends_what_is_beside
if kill -0 "$(cat "$SCRATCH/load")" 2>/dev/null; then echo "FAIL run_$name: it runs"; else echo "ok run_$name"; fi
name=what_is_beside_must_not_fail
want='  FAIL beside: the command ended with status 3: it said so
  FAIL beside: the command ended with status 3: it said so
1 passed, 1 failed, 0 skipped'
script later "while kill -0 \"\$(cat '$SCRATCH/gone')\"; do sleep 0.05; done 2>/dev/null; sleep 0.2; echo ok later"
expect_lines ' FAIL | passed, .* failed' --beside "echo \$\$ >'$SCRATCH/gone'; echo it said so; exit 3" "$SCRATCH/later"

# The machine records already: what tests have left is ended, a user's recording is not. tests/live/label.sh does so with
# recordings. Here lkst is a script, and the recording a file with a label.
cat >"$SCRATCH/out/gcc/lkst" <<END
#!/bin/bash
case \$* in
status) echo "recording 7 events" ;;
"stop --quiet --label \$(cat '$PINS')" | 'stop --quiet') rm '$PINS' ;;
*) echo 'lkst stop: it is another one'; exit 1 ;;
esac
END
chmod +x "$SCRATCH/out/gcc/lkst"
script live/one 'echo ok one'
script live/two 'echo ok two'
echo lkst-tests >"$PINS"
name=ends_what_a_killed_test_records
want='  ended the recording that a killed test had left
2 passed, 0 failed, 0 skipped'
expect_lines_of_root '^  ended| passed, .* failed' "$SCRATCH"/live/{one,two}
echo mine >"$PINS"
name=leaves_what_a_user_records
want='  FAIL recorder_is_free: no test has begun what is being recorded: it is another one; recording 7 events; `lkst stop` ends it
  skip two: somebody else is recording
  FAIL recorder_is_free: no test has begun what is being recorded: it is another one; recording 7 events; `lkst stop` ends it
1 passed, 1 failed, 1 skipped'
expect_lines_of_root '^  skip| FAIL| passed, .* failed' "$SCRATCH"/{live/one,live/two,three}
rm "$PINS"

# Ctrl-C is not ignored by what runs side by side: tests send it.
script interrupted "perl -e 'print((\$SIG{INT} // q()) eq q(IGNORE) ? qq(FAIL a: it is ignored\\n) : qq(ok a\\n))'"
name=signals_are_as_usual
want='1 passed, 0 failed, 0 skipped'
expect_lines ' passed, .* failed' -j 2 "$SCRATCH/interrupted"

# Beside loads: it ends with the first run that fails, and what it began has ended with it.
mkdir "$SCRATCH/bin"
for load in stress-ng make; do
	printf '#!/bin/sh\necho $$ >"$0.pid"\nexec sleep 600\n' >"$SCRATCH/bin/$load"
	chmod +x "$SCRATCH/bin/$load"
done
script third "echo run >>'$SCRATCH/runs'; until [ -s '$SCRATCH/bin/make.pid' ] && [ -s '$SCRATCH/bin/stress-ng.pid' ]; do sleep 0.05; done
echo \"this is \$(wc -l <'$SCRATCH/runs')\"; [ \$(wc -l <'$SCRATCH/runs') -lt 3 ]"
got=$(PATH=$SCRATCH/bin:$PATH tests/beside_load 5 "$SCRATCH/third" 2>&1)
status=$?
got=$(sed -n 's/^\(run .*\) after [0-9:]*\(; .*\)/\1\2/p' <<<"$got")
want='run 1 of 5: status 0; this is 1
run 2 of 5: status 0; this is 2
run 3 of 5: status 1; this is 3'
name=beside_loads_until_one_fails
if [ "$status $got" = "1 $want" ]; then echo "ok run_$name"; else echo "FAIL run_$name: $status ${got//$'\n'/; }"; fi
left=$(for load in stress-ng make; do kill -0 "$(cat "$SCRATCH/bin/$load.pid")" 2>&1 && echo "$load"; done | grep -v 'No such process')
if [ -z "$left" ]; then echo ok run_ends_its_loads; else echo "FAIL run_ends_its_loads: $left"; fi
