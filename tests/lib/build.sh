# SPDX-License-Identifier: GPL-2.0-only
#
# How a test builds LKST; it sources this.

set -u
# The caller may be a make with settings of its own.
unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL BUILD CC CFLAGS CPPFLAGS LDFLAGS LDLIBS SANITIZE GEN WITHOUT WANT_ALL WERROR

# build NAME ARGUMENT...: test NAME is whether make, with these arguments, makes all of it, every part, without a warning.
build()
{
	local name=$1 log

	shift
	log=$SCRATCH/$name
	# Everything that can be built is, so that its tests still say something.
	if make -k -j"$(nproc)" OUT="$OUT" WANT_ALL=1 "$@" >"$log" 2>&1; then
		if grep -q 'warning:' "$log"; then
			echo "FAIL $name: $(grep -m 1 'warning:' "$log")"
			cat "$log" >&2
		else
			echo "ok $name"
		fi
	else
		echo "FAIL $name: $(grep -m 1 -E ' error: |: \*\*\* ' "$log")"
		tail -n 60 "$log" >&2
	fi
}
