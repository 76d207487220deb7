#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests that every source file names its licence, and that it is the right one: files in src/abi may
# also be used under the BSD licence, so that anyone may read the format, and so may those in src/liblkst, so that any
# program may link the library.

set -u

bad=
while IFS= read -r file; do
	want='SPDX-License-Identifier: GPL-2.0-only'
	case $file in
	src/abi/* | src/liblkst/*) want='SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause' ;;
	esac
	head -n 3 "$file" | grep -qE "$want( \*/| -->)?$" || bad="$bad $file"
done < <(find Makefile .ci .clang-format .cppcheck src wasi tests tools bench doc/man -type f \
	! -path 'tests/data/*' ! -path 'tests/fuzz/*/*' ! -name '*.md' 2>/dev/null | sort)
if [ -z "$bad" ]; then
	echo ok licence_is_stated
else
	echo "FAIL licence_is_stated: no or another licence in:$bad"
fi

for name in GPL-2.0-only BSD-2-Clause; do
	if [ -s "LICENSES/$name.txt" ] && grep -q "$name" LICENSE; then
		echo "ok licence_text_$name"
	else
		echo "FAIL licence_text_$name: LICENSES/$name.txt or its name in LICENSE is missing"
	fi
done
