#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# timeout: 300
#
# Runs cppcheck over the sources with the rules that .cppcheck explains, and shell scripts past their
# parser. cppcheck only knows the macros that it is told of here.

set -u

# libbpf's macros, as far as cppcheck needs them to parse what uses them.
macros=('-DLIBBPF_OPTS(type,name,...)=struct type name'
	'-DDECLARE_LIBBPF_OPTS(type,name,...)=struct type name'
	'-Dbpf_object__for_each_program(one,object)=while ((one = next(object)))'
	'-Dbpf_object__for_each_map(one,object)=while ((one = next(object)))')

if cppcheck --quiet --std=c11 --language=c --platform=unix64 -j"$(nproc)" --error-exitcode=1 \
	--inline-suppr --enable=warning,performance,portability --suppressions-list=.cppcheck \
	-D_GNU_SOURCE -D__x86_64__ "${macros[@]}" -Isrc src/{base,abi,trace,analyze,crash,view,live,cmd} tests/unit \
	>"$SCRATCH/log" 2>&1; then
	echo ok lint_cppcheck
else
	echo "FAIL lint_cppcheck: $(grep -cE '(error|warning|performance|portability): ' "$SCRATCH/log") complaints"
	cat "$SCRATCH/log" >&2
fi

bad=
for script in .ci/run tools/* tests/*.sh tests/run tests/*/run tests/*/*.sh bench/*; do
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

# The limits that keep every file and line fit to be read. Tables may be as long as they need.
long=$(find src tests tools bench -name '*.[ch]' -exec awk '
	FNR == 601 { print FILENAME ": more than 600 lines" }
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
