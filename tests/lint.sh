#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs cppcheck over the sources with the rules that .cppcheck explains, and shell scripts past their
# parser. cppcheck knows only the macros that are listed here.

set -u

# libbpf's macros, as far as cppcheck needs them to parse what uses them.
macros=('-DLIBBPF_OPTS(type,name,...)=struct type name'
	'-DDECLARE_LIBBPF_OPTS(type,name,...)=struct type name'
	'-Dbpf_object__for_each_program(one,object)=while ((one = next(object)))'
	'-Dbpf_object__for_each_map(one,object)=while ((one = next(object)))')

if cppcheck --quiet --std=c11 --language=c --platform=unix64 -j"$(nproc)" --error-exitcode=1 \
	--inline-suppr --enable=warning,performance,portability --suppressions-list=.cppcheck \
	-D_GNU_SOURCE -D__x86_64__ -DUINTPTR_MAX=0xffffffffffffffffu -DUINT64_MAX=0xffffffffffffffffu "${macros[@]}" -Isrc -Itests src/{base,abi,liblkst,marks,trace,hosts,rules,probe,program,analyze,crash,view,bundle,parquet,export,sql,fleet,web,live,cmd} \
	tests/lib tests/unit \
	>"$SCRATCH/log" 2>&1; then
	echo ok lint_cppcheck
else
	echo "FAIL lint_cppcheck: $(grep -cE '(error|warning|performance|portability): ' "$SCRATCH/log") complaints"
	cat "$SCRATCH/log" >&2
fi

bad=
for script in .ci/run tools/* tests/*.sh tests/run tests/beside_load tests/*/run tests/*/*.sh bench/*; do
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
for harmless in continue 'r->dest_cpu = 0'; do
	fills "$harmless" || bad="$bad $harmless is refused: $(head -n 1 "$SCRATCH/log");"
done
if [ -z "$bad" ]; then
	echo ok lint_a_record_is_left_by_its_end
else
	echo "FAIL lint_a_record_is_left_by_its_end:$bad"
fi
