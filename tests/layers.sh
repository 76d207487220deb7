#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Tests that every include under src/ is one that src/LAYERS allows, that one name is one thing, that each header of user
# space stands alone, and that this test would notice if it were not so.

set -u

# Prints a line for each include below directory $1 that its LAYERS file does not allow.
violations()
{
	(cd "$1" && find . -type f \( -name '*.[ch]' -o -name '*.def' \) -printf '%P\n' | sort |
		xargs awk '
		FNR == NR {
			if (/^[ \t]*(#|$)/ || $1 == "in")
				next
			if ($1 == "only") {
				limited[$2] = " "
				for (i = 3; i <= NF; i++)
					limited[$2] = limited[$2] $i " "
				next
			}
			sub(/[ \t]*#.*/, "")
			if ($1 == "let") {
				for (i = 3; i <= NF; i++)
					several[$2] = several[$2] " " $i
				next
			}
			layer = $1
			sub(/:$/, "", layer)
			parent = layer
			sub(/\/.*/, "", parent)
			known[layer] = 1
			allowed[layer, layer] = 1
			for (i = 2; i <= NF; i++) {
				n = split($i in several ? several[$i] : $i == "above" ? above[parent] : $i, target_of, " ")
				for (j = 1; j <= n; j++)
					allowed[layer, target_of[j]] = 1
			}
			above[parent] = above[parent] " " layer
			next
		}
		FNR == 1 {
			folder = FILENAME
			sub(/\/[^\/]*$/, "", folder)
			if (!(folder in known))
				print FILENAME ": folder " folder " is not in LAYERS"
		}
		/^[ \t]*#[ \t]*include[ \t]*"/ {
			split($0, part, "\"")
			target = part[2]
			if (target ~ /^(lkst|floor|probe|inject|preempt_count|function)\.skel\.h$/ && folder ~ /^live(\/|$)/)
				next # made of the kernel programs by the build
			if (target !~ /\//) {
				print FILENAME ":" FNR ": \"" target "\" does not name its folder"
				next
			}
			sub(/\/[^\/]*$/, "", target)
			top = target
			sub(/\/.*/, "", top)
			if (!((folder, target) in allowed) && !((folder, top) in allowed))
				print FILENAME ":" FNR ": " folder " may not include " target
		}
		/^[ \t]*#[ \t]*include[ \t]*</ {
			name = $0
			sub(/[^<]*</, "", name)
			sub(/>.*/, "", name)
			top = folder
			sub(/\/.*/, "", top)
			for (prefix in limited)
				if (index(name, prefix) == 1 && index(limited[prefix], " " top " ") == 0)
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
mkdir -p "$SCRATCH/src"/{base,hosts,live/hooks,live/masks,analyze/engine,analyze/why,print,cmd/read,cmd/control,bpf,other}
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
catches catch_include_upwards hosts/a.c '#include "live/hooks/pins.h"' 1
catches catch_include_of_sibling print/a.h '#  include "live/hooks/pins.h"' 1
catches catch_user_space_in_kernel bpf/a.bpf.c '#include "base/err.h"' 1
catches catch_include_without_folder base/a.c '#include "err.h"' 1
catches catch_bpf_in_reader hosts/a.c '#include <bpf/btf.h>' 1
catches catch_include_of_a_sibling_room analyze/engine/a.c '#include "analyze/why/why.h"' 1
catches allow_the_room_below analyze/why/a.c '#include "analyze/engine/feed.h"' 0
catches allow_every_room_of_a_folder cmd/read/a.c '#include "analyze/why/why.h"' 0
catches allow_the_rooms_above live/masks/a.c '#include "live/hooks/pins.h"' 0
catches catch_include_of_the_room_below live/hooks/a.c '#include "live/masks/masksets.h"' 1
catches catch_unknown_folder other/a.c 'int x;' 1
catches allow_what_is_allowed cmd/control/a.c '#include "live/hooks/pins.h"' 0

# One name, one thing: no struct is defined twice, and no two folders have files of one name. But commands, groups of
# events, analyses and handlers are what their files are called after; and what abi/x.h lays out one other folder may
# handle in an x of its own.
doubled()
{
	(cd "$1" && grep -rhoE --include='*.[ch]' '^struct lkst_[a-z0-9_]+ \{' . | sort | uniq -d
		find . \( -name '*.[ch]' -o -name '*.def' \) -printf '%P\n' | awk '
		{
			folder = name = $0
			sub(/\/[^\/]*$/, "", folder)
			sub(/.*\//, "", name)
			if (folder ~ /^(cmd\/[a-z]+|bpf\/handlers|analyze\/analyses)$/ || name ~ /\.bpf\.c$/)
				next
			sub(/\..*/, "", name)
			if (!seen[folder, name]++) {
				folders[name] = folders[name] " " folder
				nr[name] += folder != "abi"
			}
		}
		END {
			for (name in nr)
				if (nr[name] > 1)
					print name " is in" folders[name]
		}')
}
found=$(doubled src)
if [ -z "$found" ]; then
	echo ok layers_one_name_is_one_thing
else
	echo "FAIL layers_one_name_is_one_thing: ${found//$'\n'/; }"
fi
mkdir -p "$SCRATCH/doubled"/cmd "$SCRATCH/doubled"/{abi,trace,print,cmd/read}
touch "$SCRATCH/doubled"/{abi,trace,cmd/read}/block.h
allowed=$(doubled "$SCRATCH/doubled")
touch "$SCRATCH/doubled/print/block.c"
printf 'struct lkst_one {\n};\n' | tee "$SCRATCH/doubled/trace/a.h" >"$SCRATCH/doubled/print/b.h"
if [ -z "$allowed" ] && [ "$(doubled "$SCRATCH/doubled" | wc -l)" = 2 ]; then
	echo ok layers_catch_doubled_names
else
	echo "FAIL layers_catch_doubled_names: $allowed; $(doubled "$SCRATCH/doubled")"
fi

# A folder that nobody can take in at once, and modules that nobody can read one after the other, come back by habit. $1: a
# folder as src is.
unreadable()
{
	local folder nr

	while read -r folder; do
		nr=$(find "$folder" -maxdepth 1 -type f | wc -l)
		[ "$nr" -le 40 ] || echo "${folder#"$1"/} has $nr files, more than 40"
	done < <(find "$1" -type d)
	nr=$(grep -c '^in ' "$1/LAYERS")
	[ "$nr" -lt 10 ] || echo "LAYERS has $nr exceptions (in ...), and may have 9"
	tools/code-counts "$1" | awk '
		/^  [0-9]+: / && $1 + 0 > 4 { print "a circle of includes:" $0 }
		# What changes for the whole process is hidden from whoever calls: only the flag that signals set does. The
		# library in other programs, the module of a page, and programs of the kernel have nobody who holds theirs.
		/ %/ && $1 != "all" && $1 !~ /\/(bpf|liblkst|web)(\/|$)/ { state += $NF }
		END { if (state > 1) print state " variables of the whole process, and only one may be" }'
}
found=$(unreadable src)
if [ -z "$found" ]; then
	echo ok layers_rooms_are_small
else
	echo "FAIL layers_rooms_are_small: ${found//$'\n'/; }"
fi
mkdir "$SCRATCH/large" "$SCRATCH/large/x"
touch "$SCRATCH/large/x"/{1..41}
printf 'in a: %s\n' {1..10} >"$SCRATCH/large/LAYERS"
for i in {1..5}; do
	printf '#include "x/a%s.h"\nint a%s;\n' $((i % 5 + 1)) "$i" >"$SCRATCH/large/x/a$i.h"
done
if [ "$(unreadable "$SCRATCH/large" | wc -l)" = 4 ]; then
	echo ok layers_catch_large_rooms
else
	echo "FAIL layers_catch_large_rooms: $(unreadable "$SCRATCH/large")"
fi

# New files and directories are made in one place, which knows who may read them and what may be in the way. The library
# of other programs makes its own there. A handle
# of a directory makes none.
makers='O_CREAT|O_TMPFILE|\b(creat|open_by_handle_at|mkdir(at)?|mknod(at)?|mkfifo(at)?|mko?stemps?|mkdtemp|tmpfile|tmpnam|tempnam|(sym)?link(at)?|rename(at2?)?|freopen)\(|\bfopen\([^;]*"[wa]|\bfopen\([^;]*"r[^"]*\+'
creators()
{
	(cd "$1" && grep -rnE --include='*.[ch]' "$makers" . | grep -vE '^\./(base/create|liblkst/mark_memory)\.c:|:[0-9]+:[[:space:]]*(/?\*|//)|\bopen_by_handle_at\(.*, O_RDONLY \| O_DIRECTORY')
}
found=$(creators src)
if [ -z "$found" ]; then
	echo ok layers_one_place_makes_files
else
	echo "FAIL layers_one_place_makes_files: not through base/create.h: ${found//$'\n'/; }"
fi
missed=
while IFS= read -r line; do
	printf '\tx = %s;\n' "$line" >"$SCRATCH/src/cmd/a.c"
	[ "$(creators "$SCRATCH/src" | wc -l)" = 1 ] || missed="$missed $line"
done <<'END'
open(path, O_WRONLY | O_CREAT, 0666)
openat(fd, path, O_TMPFILE | O_RDWR, 0600)
creat(path, 0666)
fopen(path, "we")
fopen(name(of, it), "a")
fopen(path, "r+e")
mkdir(path, 0777)
mkdirat(fd, path, 0777)
mkdtemp(path)
mkostemp(path, O_CLOEXEC)
rename(a, b)
renameat2(fd, a, fd, b, 0)
symlinkat(a, fd, b)
END
printf '\tx = open(path, O_RDONLY) + fopen(path, "re") + lkst_create_link(a) + hyperlink(b);\n' >"$SCRATCH/src/cmd/a.c"
[ -z "$(creators "$SCRATCH/src")" ] || missed="$missed (and takes what only reads for one)"
rm "$SCRATCH/src/cmd/a.c"
if [ -z "$missed" ]; then
	echo ok layers_catch_makers_of_files
else
	echo "FAIL layers_catch_makers_of_files: not seen:$missed"
fi

# Text in an error or a note may come from anywhere, so it is printed by lkst_print_message(), which escapes it.
# A line that shows progress ("\r...") has none of it.
raw_messages()
{
	(cd "$1" && find . -name '*.c' -exec perl -0ne \
		'while (/(fprintf\(stderr,\s*"(?!\\r)(?:[^"\\]|\\.)*%[-.*0-9]*s)/g) { print "$ARGV: $1\n" }' {} +)
}
found=$(raw_messages src)
if [ -z "$found" ]; then
	echo ok layers_messages_are_escaped
else
	echo "FAIL layers_messages_are_escaped: not by lkst_print_message(): ${found//$'\n'/; }"
fi
printf '\tfprintf(stderr,\n\t\t"lkst: %%.*s\\n", text);\n\tfprintf(stderr, "\\r%%s", a);\n\tfprintf(stderr, "%%u\\n", a);\n' \
	>"$SCRATCH/src/cmd/a.c"
if [ "$(raw_messages "$SCRATCH/src" | grep -c a.c)" = 1 ]; then
	echo ok layers_catch_raw_messages
else
	echo "FAIL layers_catch_raw_messages: $(raw_messages "$SCRATCH/src")"
fi
rm "$SCRATCH/src/cmd/a.c"

# What source $1 has in common with those of its family: its name up to the first "_".
family_of()
{
	local name=${1##*/}

	echo "${1%/*}/${name%%_*}"
}

# Sources below directory $1 without a header: none of their own or of their family, and none that its LAYERS file names for them.
# Programs of the kernel and handlers have none, and a command's is cmd/frame/cmd.h.
without_header()
{
	local lists

	lists=$(grep '^in ' "$1/LAYERS")
	(cd "$1" && find . -name '*.c' ! -path './bpf/*' ! -path './cmd/*' -printf '%P\n' | sort |
		while read -r source; do
			[ -e "${source%.c}.h" ] && continue
			[[ ${source##*/} == *_* ]] && grep -qE "^#include \"$(family_of "$source")(_[a-z_0-9]+)?\.h\"" "$source" && continue
			while read -r _ header sources; do
				for pattern in $sources; do
					# shellcheck disable=SC2053 # a pattern
					[[ $source == $pattern ]] && grep -qF "#include \"${header%:}\"" "$source" && continue 3
				done
			done <<<"$lists"
			echo "$source"
		done)
}
found=$(without_header src)
if [ -z "$found" ]; then
	echo ok layers_sources_have_headers
else
	echo "FAIL layers_sources_have_headers: none of its own, and none in src/LAYERS that it includes: ${found//$'\n'/ }"
fi
echo '#include "print/record_printer.h"' >"$SCRATCH/src/print/csv.c"
touch "$SCRATCH/src/print/text.c" "$SCRATCH/src/print/other.c" "$SCRATCH/src/print/chart."{c,h} "$SCRATCH/src/print/chart_b.c"
echo '#include "print/chart.h"' >"$SCRATCH/src/print/chart_a.c"
found=$(without_header "$SCRATCH/src")
rm "$SCRATCH/src/print/"{csv,text,other,chart,chart_a,chart_b}.[ch]
if [ "${found//$'\n'/ }" = 'print/chart_b.c print/other.c print/text.c' ]; then
	echo ok layers_catch_sources_without_header
else
	echo "FAIL layers_catch_sources_without_header: ${found//$'\n'/ }"
fi

# Only commands print: libraries have the error, notes, and base/diag.h. $1: a folder with sources as src has.
prints()
{
	find "$1" -name '*.[ch]' ! -path '*/cmd/*' ! -path '*/web/*' ! -path '*/bpf/*' -print0 |
		xargs -0 grep -nE '(^|[^a-z_])(v?printf|puts|putchar|perror) ?\(|\b(stderr|stdout)\b' | grep -vE 'format\(printf'
}
found=$(prints src)
if [ -z "$found" ]; then
	echo ok layers_libraries_print_nothing
else
	echo "FAIL layers_libraries_print_nothing: ${found//$'\n'/; }"
fi
mkdir -p "$SCRATCH/src/print" && echo '	fputs(text, stderr);' >"$SCRATCH/src/print/loud.c"
found=$(prints "$SCRATCH/src")
rm "$SCRATCH/src/print/loud.c"
if [ -n "$found" ]; then
	echo ok layers_catch_what_prints
else
	echo "FAIL layers_catch_what_prints: nothing was found"
fi

# A header that needs another one before it is a trap for whoever includes it first. That a source compiles shows it of the
# first that it includes. $1: a folder as src is.
stand_alone()
{
	comm -23 <(cd "$1" && find . -name '*.h' ! -path './bpf/*' -printf '%P\n' | sort) \
		<(find "$1" -name '*.c' ! -path '*/bpf/*' -exec awk '
			FNR == 1 { done = 0 }
			!done && /^#[ \t]*include/ { done = 1; if (split($0, part, "\"") > 1) print part[2] }' {} + | sort -u) |
		sed "s|^|$1/|" | tr '\n' '\0' | xargs -0 gcc -std=gnu11 -D_GNU_SOURCE -Isrc -fsyntax-only -w -x c 2>&1
}
if found=$(stand_alone src); then
	echo ok headers_stand_alone
else
	echo "FAIL headers_stand_alone: $(grep ' error: ' <<<"$found" | head -n 5 | tr '\n' ';')"
fi
echo 'static inline u64 lkst_now(void) { return 0; }' >"$SCRATCH/src/base/needs_types.h"
if stand_alone "$SCRATCH/src" >"$SCRATCH/log"; then
	echo 'FAIL headers_that_do_not_are_found: none was'
else
	echo ok headers_that_do_not_are_found
fi
