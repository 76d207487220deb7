#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Compares src/abi/syscalls.def with the running kernel: each call that the kernel describes in
# tracefs must be in the table with as many arguments, and each number in the installed headers
# must have the name that the headers give it. Needs root; mounts tracefs where nobody else sees it.
#
# Prints "ok NAME", "FAIL NAME: why" or "skip NAME: why"; fails if anything failed.
set -u

def=$(cd "$(dirname "$0")/../.." && pwd)/src/abi/syscalls.def

if [ "${1-}" != inside ]; then
	if [ "$(id -u)" != 0 ]; then
		echo "skip syscall_table: needs root"
		exit 0
	fi
	exec unshare --mount --propagation private sh "$0" inside
fi

work=$(mktemp -d) || exit 1
trap 'umount "$work/tracefs" 2>/dev/null; rm -rf --one-file-system "$work"' EXIT
mkdir "$work/tracefs"

# "nr name arguments" for the table of 64 or of 32 bits.
rows() {
	sed -nE "s/^(SYS|WAIT)$1\\( *([0-9]*), *([a-z_0-9]*), *([a-z_]*, *){1,2}\"(.*)\"\\)\$/\2 \3 \5/p" "$def" |
		awk '{ print $1, $2, (NF > 2 ? gsub(",", ",") + 1 : 0) }'
}
rows 64 >"$work/table64"
rows 32 >"$work/table32"

# "name arguments" as the kernel has them: the fields after the common ones and the number.
kernel_rows() {
	for d in "$work"/tracefs/events/syscalls/sys_enter_*; do
		n=$(grep 'field:' "$d/format" | grep -c -v -e 'common_' -e '__syscall_nr')
		echo "${d##*/sys_enter_} $n"
	done
}

# The kernel calls some by the function's name, and describes each call once, as 64-bit callers see it.
compare_arguments() {
	awk '
	BEGIN {
		alias["newstat"] = "stat"; alias["newfstat"] = "fstat"; alias["newlstat"] = "lstat"
		alias["newuname"] = "uname"; alias["sendfile64"] = "sendfile"
		alias["umount"] = "umount2"
	}
	FNR == NR { nr_args[$2] = $3; next }
	{
		name = $1 in alias ? alias[$1] : $1
		seen[name] = 1
		if (!(name in nr_args))
			print "FAIL syscall_table_" name ": the kernel has it, the table does not"
		else if (nr_args[name] != $2)
			print "FAIL syscall_table_" name ": the kernel has " $2 \
			      " arguments, the table " nr_args[name]
		else
			print "ok syscall_table_" name
	}
	END {
		for (name in nr_args)
			if (!(name in seen))
				print "skip syscall_table_" name ": this kernel does not describe it"
	}' "$work/table64" "$work/kernel"
}

# compare_numbers BITS HEADER
compare_numbers() {
	if [ ! -r "$2" ]; then
		echo "skip syscall_table_numbers$1: there is no $2"
		return
	fi
	awk -v bits="$1" '
	FNR == NR { name_of[$1] = $2; next }
	/^#define __NR_/ {
		sub("__NR_", "", $2)
		total++
		if (name_of[$3] != $2) {
			bad++
			print "FAIL syscall_table_numbers" bits ": " $3 " is " $2 ", the table has \"" \
			      name_of[$3] "\""
		}
	}
	END {
		if (!total)
			print "FAIL syscall_table_numbers" bits ": no number found in the header"
		else if (!bad)
			print "ok syscall_table_numbers" bits
	}' "$work/table$1" "$2"
}

{
	if ! mount -t tracefs none "$work/tracefs" 2>/dev/null; then
		echo "skip syscall_table_arguments: tracefs cannot be mounted"
	elif [ ! -d "$work/tracefs/events/syscalls" ]; then
		echo "skip syscall_table_arguments: this kernel does not describe system calls"
	else
		kernel_rows >"$work/kernel"
		compare_arguments
	fi
	compare_numbers 64 "/usr/include/$(uname -m)-linux-gnu/asm/unistd_64.h"
	compare_numbers 32 "/usr/include/$(uname -m)-linux-gnu/asm/unistd_32.h"
} | sort >"$work/result"

cat "$work/result"
! grep -q '^FAIL' "$work/result"
