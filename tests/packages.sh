#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: vm
# timeout: 7200
#
# Makes the Debian packages, those of RPM and the tarball from the checkout, and looks at them: nothing is missing, lintian
# and rpmlint find no error, RPM's are installed, upgraded and removed in a directory, and the tarball's program works where
# there is no library. tests/vm/debian/run installs the packages.

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

version=$(sed -n 's/^#define LKST_VERSION "\(.*\)"/\1/p' src/base/version.h)

# What the sources have for users, and the further files $2..., that is not in the list $1 of what packages install.
print_lacking()
{
	local list=$1 name

	shift
	for name in doc/man/* etc/systemd/* etc/tmpfiles.d/* etc/sysusers.d/* etc/lkst.conf etc/keep-earlier etc/gdb/* \
			etc/grafana/* src/bpf/handlers/*.c src/liblkst/mark.h src/bpf/handler.h "$@"; do
		name=${name##*/}
		grep -qE "/${name/%.c/.bpf.o}(\.gz)?$|/${name/%.c/.o}$" "$list" || echo "no $name"
	done
	for name in $(sed -n 's/^LINKS := //p' Makefile) lkst; do
		grep -qx "/usr/bin/$name" "$list" || echo "no bin/$name"
	done
}

packages()
{
	local package bad=

	# A later version as well, which tests/vm/debian/run upgrades to.
	tools/make-deb "$version" "$version+next" >"$SCRATCH/log" 2>&1
	verdict packages_are_made "$(unless "$SCRATCH/log" $?)"
	: >"$SCRATCH/files"
	for package in lkst liblkst1 liblkst-dev; do
		dpkg-deb -c "$OUT/deb/${package}_${version}"_*.deb | awk '$1 !~ /^d/ { print substr($6, 2) }' >>"$SCRATCH/files" ||
			bad+="$package was not made; "
	done
	verdict packages_share_no_file "$bad$(sort "$SCRATCH/files" | uniq -d)"
	verdict packages_have_all "$(print_lacking "$SCRATCH/files" etc/initramfs-tools/*/lkst etc/initramfs-tools/*/*/lkst)"
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

# Makes the directory $1 a machine for rpm: a shell, and in place of systemd's programs one that says in /said how it is run.
make_root()
{
	local name

	mkdir -p "$1/bin" "$1/usr/bin" "$1/run/systemd/system" && cp /bin/busybox "$1/bin" && ln -s busybox "$1/bin/sh" &&
		ln -s busybox "$1/bin/rm" && printf '#!/bin/sh\necho "${0##*/} $*" >>/said\n' >"$1/usr/bin/systemctl" &&
		chmod +x "$1/usr/bin/systemctl" || return
	for name in systemd-sysusers systemd-tmpfiles; do
		ln -s systemctl "$1/usr/bin/$name" || return
	done
	: >"$1/said"
}

# Installs the packages in a directory of their own, upgrades and removes them: without a word of rpm's, unless it keeps a
# configuration, and nothing that records is touched before the end.
rpms_in_root()
{
	local root=$SCRATCH/machine rpm files units
	local names='lkst liblkst lkst-devel'

	make_root "$root" && (cd "$root" && find . ! -type d | sort) >"$SCRATCH/before" || return
	# Debian's rpm would warn that it is not for Debian's packages.
	rpm="rpm --force-debian --root $root --dbpath /var/lib/rpm --nodeps"
	files=$(printf "$OUT/rpm/%s-$version-1.*.rpm " $names)
	verdict rpms_install "$($rpm -i $files 2>&1; [ -x "$root/usr/bin/lkst" ] || echo 'there is no lkst'
		grep -qx 'systemctl daemon-reload' "$root/said" || echo 'systemd does not know of it'
		grep -E 'start|enable|stop' "$root/said")"
	verdict rpms_are_as_packed "$($rpm -V $names 2>&1)"
	verdict rpms_program_runs "$("$root/usr/bin/lkst" --version | grep -x "lkst $version" >/dev/null || echo 'it does not')"
	echo '# mine' >>"$root/etc/lkst/lkst.conf"
	: >"$root/said"
	verdict rpms_upgrade "$($rpm -U ${files//-$version-/-$version+next-} 2>&1
		${rpm% --nodeps} -q --qf '%{VERSION}\n' $names | grep -vFx "$version+next"
		$rpm -V $names | grep -v '^..5....T\.  c /etc/lkst/lkst.conf$'; grep -qx '# mine' "$root/etc/lkst/lkst.conf" ||
			echo 'the configuration is another one'
		grep -E 'start|enable|stop|disable' "$root/said")"
	: >"$root/said" && : >"$root/run/lkst.lock"
	verdict rpms_remove "$($rpm -e $names 2>&1 | grep -v '^warning: /etc/lkst/lkst.conf saved as /etc/lkst/lkst.conf.rpmsave$'
		units=$(sed -n 's/^systemctl --no-reload disable --now //p' "$root/said")
		diff <(printf '%s\n' $units | sort) <(cd etc/systemd && printf '%s\n' * | grep -v @ | sort)
		(cd "$root" && { find . ! -type d ! -path './var/lib/rpm/*'; find . -name '*lkst*'; }) | sort -u |
			grep -vxE './etc/lkst(/lkst.conf.rpmsave)?' | diff "$SCRATCH/before" -)"
}

rpms()
{
	local package bad=

	tools/make-rpm "$version" "$version+next" >"$SCRATCH/log" 2>&1
	verdict rpms_are_made "$(unless "$SCRATCH/log" $?)"
	: >"$SCRATCH/files"
	for package in lkst liblkst lkst-devel; do
		rpm -qp --qf '[%{FILEMODES:perms} %{FILENAMES}\n]' "$OUT/rpm/$package-$version-1."*.rpm 2>&1 |
			awk '$1 !~ /^d/ { print $2 }' >>"$SCRATCH/files"
	done
	verdict rpms_share_no_file "$(sort "$SCRATCH/files" | uniq -d)"
	# What makes initial RAM disks there is dracut.
	verdict rpms_have_all "$(print_lacking "$SCRATCH/files")"
	verdict rpms_have_nothing_local "$(grep -E 'usr/local|/build/|initramfs-tools' "$SCRATCH/files")"
	if ! [ "$(id -u)" = 0 ] || ! [ -x /bin/busybox ]; then
		echo 'skip rpms_install: needs root, and busybox-static'
	else
		rpms_in_root
	fi
	if command -v rpmlint >/dev/null; then
		rpmlint -c packaging/rpm/rpmlint.toml "$OUT/rpm/"*"-$version-1."*.rpm >"$SCRATCH/rpmlint" 2>&1
		grep ': W: ' "$SCRATCH/rpmlint" >&2
		verdict rpms_please_rpmlint "$(grep ': E: ' "$SCRATCH/rpmlint")"
	else
		echo 'skip rpms_please_rpmlint: rpmlint is not installed'
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
if command -v rpmbuild >/dev/null; then
	rpms
else
	echo 'skip rpms: rpmbuild is not installed: apt install rpm'
fi
tarball
