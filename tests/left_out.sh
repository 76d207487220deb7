#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Builds LKST without each of the parts that are optional, and without all of them, as where their libraries and headers are
# not there: it can be built, it needs none of those libraries, and what is left out says so. What the other tests test has
# all parts. Of the objects only those are compiled that this changes.

. "$(dirname "$0")/lib/build.sh"

verdict()
{
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "FAIL $1: ${2//$'\n'/; }"
	fi
}

at=$SCRATCH/build
lkst=$at/lkst
trace=$SCRATCH/trace
# What a compiler finds of a library that is not there, and what a program that is linked with it needs (the others are
# loaded when they are needed).
declare -A headers=([sqlite3]=sqlite3.h [libedit]=editline/readline.h [jansson]=jansson.h [libcurl]=curl/curl.h
	[libsystemd]=systemd/sd-journal.h [capstone]=capstone/capstone.h)
declare -A sonames=([sqlite3]=libsqlite3 [libedit]=libedit [jansson]=libjansson)

# make_without "LIBRARY..." [ARGUMENT...]: builds $lkst where these libraries are not there.
make_without()
{
	local library

	rm -rf "$SCRATCH/include" && mkdir "$SCRATCH/include" || exit
	for library in $1; do
		[ -n "${headers[$library]-}" ] || continue
		mkdir -p "$(dirname "$SCRATCH/include/${headers[$library]}")"
		echo "#error $library is not there" >"$SCRATCH/include/${headers[$library]}"
	done
	GONE=" $1 " CPPFLAGS=-I$SCRATCH/include make -j"$(nproc)" OUT="$OUT" BUILD="$at" GEN="$OUT/gcc/gen" \
		PKG_CONFIG="$SCRATCH/pkg-config" CFLAGS=-O0 "${@:2}" "$(realpath -m --relative-base="$PWD" "$lkst")" >"$SCRATCH/log" 2>&1
}

# What is wrong with $lkst as it was just built, make having ended with $1, without the parts "$2".
check_build()
{
	local part

	[ "$1" = 0 ] || { grep -m 1 -E 'error: |\*\*\* |undefined reference' "$SCRATCH/log"; return; }
	grep 'warning:' "$SCRATCH/log"
	[ "$("$lkst" --version | sed -n 's/^built without //p')" = "$2" ] || echo "lkst --version says \"$("$lkst" --version)\""
	[ -z "$2" ] || "$lkst" help | grep -q "built without $2\.$" || echo 'lkst help says nothing of it'
	for part in $2; do
		[ -z "${sonames[$part]-}" ] || ldd "$lkst" | grep -F "${sonames[$part]}.so"
	done
}

# says TEXT WORD...: a complaint, unless lkst WORD... fails, and says TEXT.
says()
{
	local said status

	said=$("$lkst" "${@:2}" 2>&1 </dev/null)
	status=$?
	[[ $said == *"$1"* && $status != 0 ]] || echo "lkst ${*:2} ends with $status and says \"$said\", not \"$1\""
}

# What is wrong with what is said where part $1 is left out.
check_said()
{
	local said

	case $1 in
	sqlite3)
		says 'built without SQLite' sql "$trace" 'select 1'
		says 'built without SQLite' mcp "$trace"
		said=$("$lkst" export -f parquet -o "$SCRATCH/tables" "$trace" 2>&1) || echo "lkst export ends with $?"
		[[ $said == *'built without SQLite'* ]] || echo "lkst export says \"$said\""
		[ "$(cd "$SCRATCH/tables" && echo *)" = events.parquet ] || echo "lkst export makes $(ls "$SCRATCH/tables")"
		rm -rf "$SCRATCH/tables"
		;;
	libedit)
		said=$(echo 'select count(*) + 100 from events;' | script -q -e -c "$lkst sql $trace" /dev/null 2>&1)
		[[ $said == *'built without libedit'* && $said == *104* ]] || echo "lkst sql says \"$said\""
		;;
	jansson)
		says 'built without jansson' mcp "$trace"
		;;
	libcurl)
		says 'built without libcurl' ship http://localhost:1
		says 'built without libcurl' fleet hosts http://localhost:1
		says 'built without libcurl' export --clickhouse http://localhost:1 "$trace"
		;;
	libsystemd)
		said=$("$lkst" why --span query --journal "$trace" 2>&1)
		[[ $said == *'built without libsystemd'* ]] || echo "lkst why says \"$said\""
		;;
	capstone)
		# Elsewhere instructions are of one length.
		[ "$(uname -m)" != x86_64 ] || says 'this lkst was built without it' probe -x "$lkst" -D main+1
		;;
	page)
		says 'built without the page' view -o "$SCRATCH/page" "$trace"
		says 'built without the page' view --serve "$trace"
		[ ! -e "$SCRATCH/page" ] || echo 'lkst view makes a page'
		;;
	esac
}

# Nothing is left out of what is tested.
verdict left_out_of_tests_is_nothing "$("$LKST" --version | grep 'built without')"

# What is loaded when it is needed may be missing where the program runs.
mkdir "$SCRATCH/damaged" && touch "$SCRATCH"/damaged/libcurl{,-gnutls}.so.4 || exit
verdict left_out_libcurl_when_it_runs "$(said=$(LD_LIBRARY_PATH=$SCRATCH/damaged "$LKST" fleet hosts http://localhost:1 2>&1) &&
		echo 'it succeeds'
	[[ $said == *'libcurl, and that cannot be loaded: install libcurl4'* ]] || echo "it says \"$said\""
	[[ $(LD_LIBRARY_PATH=$SCRATCH/damaged "$LKST" --version) == "$("$LKST" --version)" ]] || echo 'others cannot run without it')"

cat >"$SCRATCH/make.c" <<'END'
#include "lib/make_trace.h"

int main(int argc, char **argv)
{
	return make_trace(argv[1], 4096, "sched_switch cpu=0 tid=5 ns=900 next_tid=6 prev_state=1 prev_prio=120\n"
					 "span_begin cpu=0 tid=6 ns=1000 span=7 name=query\n"
					 "span_request cpu=0 tid=6 ns=1100 span=7 trace_high=1 trace_low=2 parent=3\n"
					 "span_end cpu=0 tid=6 ns=2000 span=7 name=query\n");
}
END
gcc -std=gnu11 -D_GNU_SOURCE -Isrc -Itests -o "$SCRATCH/make" "$SCRATCH/make.c" "$OUT/gcc/libtest.a" "$OUT/gcc/liblkst.a" \
	-lz -lzstd -lpthread -lm && "$SCRATCH/make" "$trace" || {
	echo 'FAIL left_out_trace: none could be made'
	exit
}
cat >"$SCRATCH/pkg-config" <<'END'
#!/bin/bash
for word; do
	[[ $GONE != *" $word "* ]] || exit 1
done
exec pkg-config "$@"
END
chmod +x "$SCRATCH/pkg-config"
mkdir "$at" && (cd "$OUT/gcc" && find src -name '*.o' -print0 | xargs -0 cp --parents --preserve=timestamps -t "$at") || exit

parts=$(sed -n '/^OPTIONAL := /,/[^\\]$/p' Makefile | grep -oE '[a-z0-9]+:[A-Z]+:' | cut -d: -f1)
verdict left_out_knows_all_parts "$(diff <(sort <<<"$parts") <(printf '%s\n' "${!headers[@]}" | sort))"
# test_without NAME "PART..." [ARGUMENT...]: builds without these parts, and has each of them asked for that can be with the others missing.
test_without()
{
	local name=$1 parts=$2 part wrong

	make_without "$parts" "${@:3}"
	wrong=$(check_build $? "$parts")
	verdict "left_out_${name}_builds" "$wrong"
	[ -z "$wrong" ] || return
	verdict "left_out_${name}_is_said" "$(for part in $parts; do
		# Lines are typed in queries, and assistants ask by them.
		[[ " $parts " == *' sqlite3 '* && " libedit jansson " == *" $part "* ]] || check_said "$part"
	done)"
}

for part in $parts; do
	test_without "$part" "$part"
	if make_without "$part" WANT_ALL=1 || ! grep -q "cannot be built without $part; .*$part.*-dev" "$SCRATCH/log"; then
		echo "FAIL left_out_${part}_can_be_refused: $(tail -n 1 "$SCRATCH/log")"
	else
		echo "ok left_out_${part}_can_be_refused"
	fi
done
test_without page page WITHOUT=page
test_without all "$(echo $parts) page" WITHOUT=page
# What was left out comes back.
make_without ''
verdict left_out_nothing_builds "$(check_build $? '')"

# What must be there, and is not, is said once, with its Debian package.
make_without libdw
verdict left_out_required_is_an_error "$([ $? != 0 ] || echo 'lkst is built without libdw'
	[ "$(grep -c 'Error\|\*\*\*\|error:' "$SCRATCH/log")" = 1 ] && grep -q 'without libdw; on Debian: apt install libdw-dev' "$SCRATCH/log" ||
		cat "$SCRATCH/log")"
make_without '' PKG_CONFIG=/nonexistent/pkg-config
verdict left_out_without_pkg_config_is_an_error "$([ $? != 0 ] || echo 'lkst is built'
	grep -q 'cannot be built without pkg-config' "$SCRATCH/log" || cat "$SCRATCH/log")"
