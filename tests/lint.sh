#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Looks at sources: scripts have no error of syntax, each test says when it runs, fuzz targets print what they read, lines fit
# a screen, and records are left by their end. tests/cppcheck.sh runs cppcheck.

set -u

bad=
for script in .ci/run tools/* tests/*.sh tests/run tests/beside_load tests/compile tests/*/run tests/*/*.sh bench/*; do
	if [ -f "$script" ] && head -n 1 "$script" | grep -q 'bash$'; then
		bash -n "$script" || bad="$bad $script"
		[ -x "$script" ] || bad="$bad $script(not executable)"
	fi
done
if [ -z "$bad" ]; then
	echo ok lint_scripts
else
	echo "FAIL lint_scripts:$bad"
fi

# Each test says in its head when it runs, and does run then: those of tiers check and all with `make check-all`, those of tier
# vm with `make vm-check`.
. tests/lib/heads.sh
# The sources of the tests that the list of make target $1 names, each once.
tests_of()
{
	local word

	for word in $(env -u MAKEFLAGS -u MAKELEVEL make -n DEPS=no OUT=build "$1" 2>&1 | sed -e ':a' -e '/\\$/N; s/\\\n//; ta' |
		sed -n 's|.* tests/run -j [0-9]* ||p'); do
		[ "$word" = --after ] || source_of "${word#*=}"
	done | sort -u
}
bad=
for test in $(tests_of check-all) tests/*.sh tests/unit/*.c tests/live/*.{sh,c}; do
	[ -n "$(tier_of "$test")" ] || bad="$bad $test names none of ${tiers[*]};"
done
tests_of check-all >"$SCRATCH/named"
sources_of 'check|all' >"$SCRATCH/said"
[ "$(wc -l <"$SCRATCH/named")" -gt 250 ] || bad="$bad make check-all names hardly any;"
bad="$bad $(diff "$SCRATCH/said" "$SCRATCH/named" | sed -n 's/^< \(.*\)/make check-all does not run \1;/p; s/^> \(.*\)/make check-all runs \1;/p')"
tests_of vm-check >"$SCRATCH/named"
for test in $(sources_of vm); do
	grep -qxF "$test" "$SCRATCH/named" || bad="$bad make vm-check does not run $test;"
done
if [ -z "${bad// /}" ]; then
	echo ok lint_tests_have_a_tier
else
	echo "FAIL lint_tests_have_a_tier:$bad"
fi

# What is read is printed in the end, so that fuzz targets print it. Each says in its head in which forms, or why in none.
bad=
for target in tests/fuzz/*.c; do
	forms=$(sed -n 's/^ \* prints: //p' "$target")
	case $forms in
		"nothing: "?*) continue ;;
		*page) header=lib/paged.h ;;
		*) header=lib/printed.h ;;
	esac
	if [[ ! $forms =~ ^(text|csv|json|page)(\ (text|csv|json|page))*$ ]] || ! grep -q "^#include \"$header\"" "$target"; then
		bad="$bad ${target##*/}"
	fi
done
if [ -z "$bad" ]; then
	echo ok lint_fuzz_targets_print
else
	echo "FAIL lint_fuzz_targets_print: these do not print what they read in the forms that their heads name:$bad"
fi

# Lines fit a screen. How long a file may be is for whoever reads it to say: tests/layers.sh asks for a header for each.
long=$(find src wasi tests tools bench -name '*.[ch]' -exec awk '
	{
		line = $0
		while (match(line, /\t/))
			line = substr(line, 1, RSTART - 1) \
			       substr("        ", 1 + (RSTART - 1) % 8) substr(line, RSTART + 1)
		if (length(line) > 120)
			print FILENAME ":" FNR ": more than 120 columns"
	}' {} + 2>/dev/null)
if [ -z "$long" ]; then
	echo ok lint_size
else
	echo "FAIL lint_size: ${long//$'\n'/; }"
fi

# A record that is begun must be published, or it blocks all after it (src/bpf/record.h): the compiler refuses to
# leave the block that fills it. Statements that do not leave it are accepted.
fills()
{
	cat >"$SCRATCH/fills.c" <<-END
		#include "bpf/record.h"
		LKST_TP(sched_migrate_task, struct task_struct *task, int dest_cpu)
		{
			lkst_recording_if(sched_migrate_task, r, lkst_wants(task)) {
				int i;

				r->target_tid = task->pid;
				for (i = 0; i < dest_cpu; i++)
					if (i == task->prio)
						break;
				if (dest_cpu == 3)
					$1;
				r->orig_cpu = i;
				r->dest_cpu = dest_cpu;
			}
		out:
			return 0;
		}
	END
	"${CLANG:-clang-16}" -g -O2 -mcpu=v3 -target bpf "-D__TARGET_ARCH_$bpf_arch" -Isrc \
		-I"/usr/include/$(uname -m)-linux-gnu" -Werror -c "$SCRATCH/fills.c" -o "$SCRATCH/fills.o" 2>"$SCRATCH/log"
}
case $(uname -m) in
aarch64) bpf_arch=arm64 ;;
*) bpf_arch=x86 ;;
esac
bad=
for way_out in 'return 0' break 'goto out'; do
	fills "$way_out" && bad="$bad $way_out is let through;"
	grep -q 'no return, break or goto out of a block' "$SCRATCH/log" || bad="$bad $way_out has another error;"
done
# Nor are there the two ends by themselves, of which nothing could check that the second is reached.
fills '{ LKST_RECORD(sched_switch, half); if (half) LKST_COMMIT(sched_switch); }' && bad="$bad half a record is let through;"
for harmless in continue 'r->dest_cpu = 0'; do
	fills "$harmless" || bad="$bad $harmless is refused: $(head -n 1 "$SCRATCH/log");"
done
if [ -z "$bad" ]; then
	echo ok lint_a_record_is_left_by_its_end
else
	echo "FAIL lint_a_record_is_left_by_its_end:$bad"
fi
