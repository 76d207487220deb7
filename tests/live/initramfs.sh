#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The initial RAM disk: the hook puts into it what recording takes, if it was asked for, and the script
# begins to record with nothing but that, or says in the kernel's log why not and lets the machine start.
. "$(dirname "$0")/lib/live.sh"

if [ -e /sys/fs/bpf/lkst ]; then
	skip_all 'initramfs: something is being recorded already'
fi
OUT=${OUT:-$lib/../../../build}
root=$work/root
has_mounted=no

clean_up_mount()
{
	clean_up
	[ $has_mounted = no ] || umount /sys/fs/bpf
}
trap clean_up_mount EXIT

unset MAKEFLAGS MFLAGS MAKEOVERRIDES MAKELEVEL CC CFLAGS CPPFLAGS LDFLAGS LDLIBS SANITIZE GEN
if ! make -C "$lib/../../.." --no-print-directory CC=gcc OUT="$(realpath "$OUT")" prefix="$root/usr" \
	sysconfdir="$root/etc" install >"$work/install.log" 2>&1; then
	fail initramfs_install "$(tail -n 3 "$work/install.log")"
	exit 1
fi
hook=$root/etc/initramfs-tools/hooks/lkst
script=$root/etc/initramfs-tools/scripts/init-top/lkst

for one in "$hook" "$script"; do
	if [ -x "$one" ] && sh -n "$one" && [ -z "$("$one" prereqs)" ] && ! grep -q '@' <(grep -v '\$@' "$one"); then
		ok "initramfs_$(basename "$(dirname "$one")")_is_well_formed"
	else
		fail "initramfs_$(basename "$(dirname "$one")")_is_well_formed" "see $one"
	fi
done

# The tree of a disk as mkinitramfs begins it, of what the hook puts into it, and a shell for the script.
disk=$work/disk
mkdir -p "$disk"/{dev,proc,sys,run,scripts}
for name in bin sbin lib lib64; do
	mkdir -p "$disk/usr/$name"
	ln -s "usr/$name" "$disk/$name"
done
if [ -e /usr/share/initramfs-tools/hook-functions ]; then
	DESTDIR=$disk verbose=n "$hook" >"$work/out" 2>&1
	if [ ! -e "$disk/sbin/lkst" ]; then
		ok hook_does_nothing_unless_asked
	else
		fail hook_does_nothing_unless_asked "$(find "$disk" -type f)"
	fi
	touch "$root/etc/lkst/initramfs"
	echo 'event = sched_switch' >>"$root/etc/lkst/lkst.conf"
	DESTDIR=$disk verbose=n "$hook" >"$work/out" 2>&1
	if [ -x "$disk/sbin/lkst" ] && cmp -s "$root/etc/lkst/lkst.conf" "$disk/etc/lkst/lkst.conf"; then
		ok hook_fills_the_disk
	else
		fail hook_fills_the_disk "$(cat "$work/out")"
	fi
else
	echo 'skip hook_fills_the_disk: initramfs-tools-core is not installed'
	# What the hook would copy, so that the script can be tried all the same.
	cp "$root/usr/bin/lkst" "$disk/sbin/lkst"
	ldd "$disk/sbin/lkst" | grep -oE '/[^ ]+\.so[^ ]*' | while read -r library; do
		mkdir -p "$disk$(dirname "$library")" && cp -L "$library" "$disk$library"
	done
	mkdir -p "$disk/etc/lkst"
	echo 'event = sched_switch' >"$disk/etc/lkst/lkst.conf"
fi

# The script runs in a mount namespace of its own here, and what it mounted would vanish with that. In a
# disk it is the first process's.
if ! grep -q ' /sys/fs/bpf bpf ' /proc/mounts; then
	mount -t bpf bpf /sys/fs/bpf || skip_all 'script_records: the BPF file system cannot be mounted'
	has_mounted=yes
fi
busybox=$(command -v busybox)
if [ -z "$busybox" ]; then
	echo 'skip script_records: busybox is not installed'
	exit $failed
fi
cp "$busybox" "$disk/bin/busybox"
for name in sh cat; do
	ln -sf busybox "$disk/bin/$name"
done
cp "$script" "$disk/scripts/lkst"

# boot KERNEL-ARGUMENTS: runs the script in the disk as its only file system, with such a command line.
# What it tells the kernel's log goes to a file.
boot()
{
	printf '%s\n' "$1" >"$work/cmdline"
	: >"$work/kmsg"
	unshare --mount sh -c "
		mount --make-rslave / && mount --rbind /sys $disk/sys && mount -t proc proc $disk/proc &&
		mount --bind /run $disk/run && mount --bind $work/cmdline $disk/proc/cmdline &&
		touch $disk/dev/kmsg && mount --bind $work/kmsg $disk/dev/kmsg && exec chroot $disk /bin/sh /scripts/lkst"
}

has_started=yes
boot 'quiet nolkst' 2>"$work/err"
status=$?
if [ $status = 0 ] && "$LKST" status | grep -q '^nothing'; then
	ok script_heeds_nolkst
else
	fail script_heeds_nolkst "status $status: $(cat "$work/err")"
fi
boot 'quiet splash' 2>"$work/err"
status=$?
if [ $status = 0 ] && "$LKST" status | grep -q '^recording [0-9]* events'; then
	ok script_records
else
	fail script_records "status $status: $(cat "$work/err" "$work/kmsg")"
fi
if "$LKST" start --keep | grep -q 'there already, and goes on'; then
	ok service_goes_on_with_that
else
	fail service_goes_on_with_that "$("$LKST" status | head -n 1)"
fi
"$LKST" stop --quiet
if "$LKST" start --keep --quiet && "$LKST" status | grep -q '^recording'; then
	ok service_begins_if_there_is_none
else
	fail service_begins_if_there_is_none "status $?"
fi
"$LKST" stop --quiet
echo 'event = no_such_module:event' >"$disk/etc/lkst/lkst.conf"
boot 'quiet' 2>"$work/err"
status=$?
if [ $status = 0 ] && grep -q '^<4>lkst does not record yet: .*no_such_module' "$work/kmsg"; then
	ok script_lets_the_machine_start
else
	fail script_lets_the_machine_start "status $status: $(cat "$work/err" "$work/kmsg")"
fi

exit $failed
