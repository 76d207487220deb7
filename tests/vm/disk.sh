# SPDX-License-Identifier: GPL-2.0-only
#
# What every guest's initial RAM disk is made by; the scripts that boot guests source it, in the checkout.

# Puts program $1 and the shared libraries that it needs into the root directory $2, as $3.
pack()
{
	local library

	install -D "$1" "$2/$3" || return
	ldd "$1" 2>/dev/null | grep -oE '/[^ ]+\.so[^ ]*' | while read -r library; do
		[ -e "$2$library" ] || install -D "$library" "$2$library"
	done
}

# Puts Capstone, which lkst loads when it has to decode instructions, into the root directory $1, if it is installed.
pack_capstone()
{
	local library

	library=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n 's/.*libcapstone\.so\.[0-9]* .*x86-64.* => //p' | head -n 1)
	[ -z "$library" ] || install -D "$library" "$1$library"
}

# Fills root directory $1 with what every guest has: busybox $2, the program lkst $3, the handlers of build $4 and
# the tests of directory $5.
fill_root()
{
	mkdir -p "$1"/{bin,dev,proc,run,sys,tmp,tests}
	pack "$2" "$1" bin/busybox && ln -s busybox "$1/bin/sh" || return
	pack "$3" "$1" bin/lkst && pack_capstone "$1" || return
	install -D -t "$1/lib/lkst/handlers" "$4"/handlers/*.o || return
	install tests/vm/init "$1/init" && cp tests/vm/lib.sh "$5"/*.sh "$1/tests"
}

# Prints root directory $1 as the kernel takes it. It is not compressed: unpacking would cost the guest more than
# reading.
archive()
{
	(cd "$1" && find . -print0 | cpio --null --create --format=newc --owner=0:0 --quiet)
}
