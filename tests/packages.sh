#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: vm
# timeout: 3600
#
# Makes the Debian packages and the tarball from the checkout, and looks at them: nothing is missing, lintian finds no
# error, and the tarball's program works where there is no library. tests/vm/debian/run installs the packages.

set -u

# Prints "ok NAME" if $2 is empty, else "FAIL NAME: $2".
verdict()
{
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "FAIL $1: ${2//$'\n'/; }"
	fi
}

# The last line of the file $1 if $2 is not 0.
unless()
{
	[ "$2" = 0 ] || tail -n 1 "$1"
}

packages()
{
	local version package name bad=

	version=$(sed -n 's/^#define LKST_VERSION "\(.*\)"/\1/p' src/base/version.h)
	# A later version as well, which tests/vm/debian/run upgrades to.
	tools/make-deb "$version" "$version+next" >"$SCRATCH/log" 2>&1
	verdict packages_are_made "$(unless "$SCRATCH/log" $?)"
	: >"$SCRATCH/files"
	for package in lkst liblkst1 liblkst-dev; do
		dpkg-deb -c "$OUT/deb/${package}_${version}"_*.deb | awk '$1 !~ /^d/ { print $6 }' >>"$SCRATCH/files" ||
			bad+="$package was not made; "
	done
	verdict packages_share_no_file "$bad$(sort "$SCRATCH/files" | uniq -d)"
	# What the sources have for users must be in one of them.
	bad=
	for name in doc/man/* etc/systemd/* etc/tmpfiles.d/* etc/sysusers.d/* etc/lkst.conf etc/keep-earlier etc/gdb/* etc/grafana/* \
			etc/initramfs-tools/*/lkst etc/initramfs-tools/*/*/lkst src/bpf/handlers/*.c src/liblkst/mark.h src/bpf/handler.h; do
		name=${name##*/}
		grep -qE "/${name/%.c/.bpf.o}(\.gz)?$|/${name/%.c/.o}$" "$SCRATCH/files" || bad+="$name "
	done
	for name in $(sed -n 's/^LINKS := //p' Makefile) lkst; do
		grep -qx "./usr/bin/$name" "$SCRATCH/files" || bad+="bin/$name "
	done
	verdict packages_have_all "${bad:+they lack $bad}"
	verdict packages_have_nothing_local "$(grep -E 'usr/local|/build/' "$SCRATCH/files"
		dpkg-deb --fsys-tarfile "$OUT/deb/lkst_${version}"_*.deb | tar -xO ./lib/systemd | grep -a usr/local)"
	if command -v lintian >/dev/null; then
		lintian --no-tag-display-limit --allow-root "$OUT/deb/"*"_${version}_"*.deb >"$SCRATCH/lintian" 2>&1
		grep ^W: "$SCRATCH/lintian" >&2
		verdict packages_please_lintian "$(grep -E '^E:|^internal' "$SCRATCH/lintian")"
	else
		echo 'skip packages_please_lintian: lintian is not installed'
	fi
}

# Makes the trace $1, of one event.
make_trace()
{
	cat >"$SCRATCH/make.c" <<-'END'
	#include "lib/make_trace.h"

	int main(int argc, char **argv)
	{
		return make_trace(argv[1], 4096, "sched_switch cpu=0 tid=5 ns=1000 next_tid=6 prev_state=1 prev_prio=120\n");
	}
	END
	gcc -std=gnu11 -D_GNU_SOURCE -Isrc -Itests -o "$SCRATCH/make" "$SCRATCH/make.c" "$OUT/gcc/libtest.a" "$OUT/gcc/liblkst.a" \
		-lz -lzstd -lpthread -lm && "$SCRATCH/make" "$1"
}

# What the program that "$@" runs answers to a query, and to an assistant that asks it, of the trace "trace" where it runs.
ask_of_trace()
{
	"$@" sql -f csv trace 'select tid, next_tid, sum(prev_prio) from sched_switch group by tid' &&
		printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' \
		'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sql","arguments":{"query":"select 40 + 2 from events"}}}' |
		"$@" mcp trace
}

tarball()
{
	local root=$SCRATCH/root name

	tools/make-tarball >"$SCRATCH/log" 2>&1
	verdict tarball_is_made "$(unless "$SCRATCH/log" $?)"
	mkdir "$root" && tar -x -C "$root" -f "$(tail -n 1 "$SCRATCH/log")" && mv "$root"/lkst-* "$root/moved" || return
	verdict tarball_lacks_what_is_loaded_only "$("$root/moved/bin/lkst" --version | sed -n 's/^built without //p' |
		grep -vx 'libcurl libsystemd')"
	verdict tarball_needs_no_library "$(ldd "$root/moved/bin/lkst" 2>&1 | grep -v 'not a dynamic executable')"
	verdict tarball_has_a_readme "$(for name in $(sed -n 's/^    \([a-z][a-z-]*\/[a-z]*\) .*/\1/p' "$root/moved/README"); do
		[ -e "$root/moved/$name" ] || echo "no $name, which it names"
	done)"
	if [ "$(id -u)" = 0 ]; then
		# Nothing else is there: no library, no shell, no /proc. What answers assistants opens /dev/null.
		mkdir "$root/dev" && : >"$root/dev/null"
		verdict tarball_runs_alone "$(diff <("$LKST" completion bash) \
			<(chroot "$root" /moved/bin/lkst completion bash) 2>&1 | head -n 3)"
		verdict tarball_answers_alone "$(make_trace "$root/trace" 2>&1
			(cd "$root" && ask_of_trace "$LKST") >"$SCRATCH/want"
			ask_of_trace chroot "$root" /moved/bin/lkst >"$SCRATCH/got" 2>&1
			grep -q '^5,6,120\>' "$SCRATCH/got" && grep -q '"id":2,.*\<42\>' "$SCRATCH/got" || echo 'not what is in the trace'
			diff "$SCRATCH/want" "$SCRATCH/got" | cut -c 1-300 | head -n 3)"
	else
		echo 'skip tarball_runs_alone: needs root'
		echo 'skip tarball_answers_alone: needs root'
	fi
	# The guest has no library but those of its shell.
	LKST=$root/moved/bin/lkst VM_KERNELS=6.1 tests/vm/run recording | sed 's/^\([a-zA-Z]*\) /\1 tarball_/'
}

if command -v dh >/dev/null; then
	packages
else
	echo 'skip packages: dh is not installed: apt install debhelper'
fi
tarball
