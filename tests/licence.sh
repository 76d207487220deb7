#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Tests that every source file names its licence, and that it is the right one: files in src/abi may
# also be used under the BSD licence, so that anyone may read the format, and so may those in src/liblkst, so that any
# program may link the library.

set -u

# The files that are to name one, as far as find's CONDITION... holds.
sources()
{
	find Makefile .ci .clang-format .cppcheck src wasi tests tools bench doc/man -type f \
		! -path 'tests/data/*' ! -path 'tests/fuzz/*/*' ! -name '*.md' "$@" 2>/dev/null | sort
}

# All are read in one process: a shell would begin two for each.
bad=$(sources | xargs awk '
	function told()
	{
		if (file != "" && !is_stated)
			printf " %s", file
	}
	FNR == 1 {
		told()
		file = FILENAME
		is_stated = 0
		want = "SPDX-License-Identifier: GPL-2[.]0-only"
		if (file ~ /^src\/(abi|liblkst)\//)
			want = want " OR BSD-2-Clause"
		want = want "( [*]/| -->)?$"
	}
	FNR <= 3 && $0 ~ want { is_stated = 1 }
	FNR == 3 { nextfile }
	END { told() }')
# A file without a line is none to awk.
bad="$bad $(sources -empty | tr '\n' ' ')"
if [ -z "${bad// /}" ]; then
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
