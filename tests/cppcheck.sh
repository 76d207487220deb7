#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Runs cppcheck over the sources with the rules that .cppcheck explains. It knows only the macros that are listed here.

set -u

# All but the kernel's programs, of whose helpers it knows nothing.
mapfile -t folders < <(find src -mindepth 1 -maxdepth 1 -type d ! -name bpf | sort)

# libbpf's macros, as far as cppcheck needs them to parse what uses them.
macros=('-DLIBBPF_OPTS(type,name,...)=struct type name'
	'-DDECLARE_LIBBPF_OPTS(type,name,...)=struct type name'
	'-Dbpf_object__for_each_program(one,object)=while ((one = next(object)))'
	'-Dbpf_object__for_each_map(one,object)=while ((one = next(object)))')

if cppcheck --quiet --std=c11 --language=c --platform=unix64 -j"$(nproc)" --error-exitcode=1 \
	--inline-suppr --enable=warning,performance,portability --suppressions-list=.cppcheck \
	-D_GNU_SOURCE -D__x86_64__ -DUINTPTR_MAX=0xffffffffffffffffu -DUINT64_MAX=0xffffffffffffffffu "${macros[@]}" -Isrc -Itests \
	"${folders[@]}" tests/lib tests/unit \
	>"$SCRATCH/log" 2>&1; then
	echo ok lint_cppcheck
else
	echo "FAIL lint_cppcheck: $(grep -cE '(error|warning|performance|portability): ' "$SCRATCH/log") complaints"
	cat "$SCRATCH/log" >&2
fi
