#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests that every include under src/ is one that src/LAYERS allows, that each header of user space
# stands alone, and that this test would notice if it were not so.

set -u

# Prints a line for each include below directory $1 that its LAYERS file does not allow.
violations()
{
	(cd "$1" && find . -type f \( -name '*.[ch]' -o -name '*.def' \) -printf '%P\n' | sort |
		xargs awk '
		FNR == NR {
			if (/^[ \t]*(#|$)/)
				next
			if ($1 == "only") {
				limited[$2] = " "
				for (i = 3; i <= NF; i++)
					limited[$2] = limited[$2] $i " "
				next
			}
			layer = $1
			sub(/:$/, "", layer)
			known[layer] = 1
			allowed[layer, layer] = 1
			for (i = 2; i <= NF; i++)
				allowed[layer, $i] = 1
			next
		}
		FNR == 1 {
			folder = FILENAME
			sub(/\/.*/, "", folder)
			if (!(folder in known))
				print FILENAME ": folder " folder " is not in LAYERS"
		}
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			split($0, part, "\"")
			target = part[2]
			if (target == "lkst.skel.h" && folder == "live")
				next # made of the kernel programs by the build
			if (target !~ /\//) {
				print FILENAME ":" FNR ": \"" target "\" does not name its folder"
				next
			}
			sub(/\/.*/, "", target)
			if (!((folder, target) in allowed))
				print FILENAME ":" FNR ": " folder " may not include " target
		}
		/^[ \t]*#[ \t]*include[ \t]*</ {
			name = $0
			sub(/[^<]*</, "", name)
			sub(/>.*/, "", name)
			for (prefix in limited)
				if (index(name, prefix) == 1 && index(limited[prefix], " " folder " ") == 0)
					print FILENAME ":" FNR ": " folder " may not include <" name ">"
		}' LAYERS)
}

found=$(violations src)
if [ -z "$found" ]; then
	echo ok layers_hold
else
	echo "FAIL layers_hold: ${found//$'\n'/; }"
fi

# Each of these must be caught, and the last must not.
mkdir -p "$SCRATCH/src"/{base,trace,live,view,cmd,bpf,other}
cp src/LAYERS "$SCRATCH/src/"
catches()
{
	local name=$1 file=$2 line=$3 want=$4 got

	printf '%s\n' "$line" >"$SCRATCH/src/$file"
	got=$(violations "$SCRATCH/src" | wc -l)
	rm "$SCRATCH/src/$file"
	if [ "$got" = "$want" ]; then
		echo "ok layers_$name"
	else
		echo "FAIL layers_$name: $got complaints, not $want"
	fi
}
catches catch_include_upwards trace/a.c '#include "live/pins.h"' 1
catches catch_include_of_sibling view/a.h '#  include "live/pins.h"' 1
catches catch_user_space_in_kernel bpf/a.bpf.c '#include "base/err.h"' 1
catches catch_include_without_folder base/a.c '#include "err.h"' 1
catches catch_bpf_in_reader trace/a.c '#include <bpf/btf.h>' 1
catches catch_unknown_folder other/a.c 'int x;' 1
catches allow_what_is_allowed cmd/a.c '#include "live/pins.h"' 0

# A header that needs another one before it is a trap for whoever includes it first.
bad=
for header in src/{base,abi,trace,crash,view,live,cmd}/*.h; do
	[ -e "$header" ] || continue
	gcc -std=gnu11 -D_GNU_SOURCE -Isrc -fsyntax-only -Wall -x c - >"$SCRATCH/log" 2>&1 <<-END ||
		#include "${header#src/}"
	END
	{
		bad="$bad ${header#src/}"
		cat "$SCRATCH/log" >&2
	}
done
if [ -z "$bad" ]; then
	echo ok headers_stand_alone
else
	echo "FAIL headers_stand_alone:$bad"
fi
