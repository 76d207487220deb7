#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The initial RAM disk: the hook puts into it what recording requires, if it was asked for, and the script begins
# to record with nothing else, or says in the kernel's log why not and lets the machine start. And what happens to
# the recording of the previous boot, whether or not the disk has found it.
. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
OUT=${OUT:-$lib/../../../build}
root=$work/root
has_mounted=no

clean_up_mount()
{
	clean_up
	[ $has_mounted = no ] || umount /sys/fs/bpf
}
at_exit clean_up_mount

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
	touch "$root/etc/lkst/earlier"
	echo 'event = sched_switch' >>"$root/etc/lkst/lkst.conf"
	DESTDIR=$disk verbose=n "$hook" >"$work/out" 2>&1
	if [ -x "$disk/sbin/lkst" ] && cmp -s "$root/etc/lkst/lkst.conf" "$disk/etc/lkst/lkst.conf" &&
	   [ -e "$disk/etc/lkst/initramfs" ] && [ -e "$disk/etc/lkst/earlier" ]; then
		ok hook_fills_the_disk
	else
		fail hook_fills_the_disk "$(cat "$work/out")"
	fi
else
	echo 'skip hook_fills_the_disk: initramfs-tools-core is not installed'
	# What the hook would copy, so that the script can be tried anyway.
	cp "$root/usr/bin/lkst" "$disk/sbin/lkst"
	ldd "$disk/sbin/lkst" | grep -oE '/[^ ]+\.so[^ ]*' | while read -r library; do
		mkdir -p "$disk$(dirname "$library")" && cp -L "$library" "$disk$library"
	done
	mkdir -p "$disk/etc/lkst"
	touch "$disk/etc/lkst/initramfs" "$disk/etc/lkst/earlier"
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
for name in sh cat rm; do
	ln -sf busybox "$disk/bin/$name"
done
cp "$script" "$disk/scripts/lkst"

# boot KERNEL-ARGUMENTS: runs the script in the disk as its only file system, with such a command line.
# Its lines for the kernel's log are written to a file.
boot()
{
	printf '%s\n' "$1" >"$work/cmdline"
	: >"$work/kmsg"
	unshare --mount sh -c "
		mount --make-rslave / && mount --rbind /sys $disk/sys && mount -t proc proc $disk/proc &&
		mount --bind /run $disk/run && mount --bind $work/cmdline $disk/proc/cmdline &&
		touch $disk/dev/kmsg && mount --bind $work/kmsg $disk/dev/kmsg && exec chroot $disk /bin/sh /scripts/lkst"
}

# keeps WANTED TEST: what keep-earlier made, and whether it is as the test wants it.
keeps()
{
	if [ "$(cd "$work/state" && echo *)" = "$1" ]; then
		ok "earlier_$2"
	else
		fail "earlier_$2" "there is $(cd "$work/state" && echo *), not $1; it said $(cat "$work/out")"
	fi
}

# keep-earlier with a directory of its own, and a program that makes a trace or finds nothing.
keep()
{
	LKST=$work/finds "$root/usr/lib/lkst/keep-earlier" "$@" "$work/state" "$work/run" >"$work/out" 2>&1
}
mkdir "$work/state" "$work/run"
printf '#!/bin/sh\nwhile [ "$1" != --output ]; do shift; done\nmkdir "$2" && exit $(cat %s)\n' "$work/status" >"$work/finds"
chmod +x "$work/finds"
echo 1 >"$work/status"
keep start
keeps '*' is_not_kept_if_there_is_none
echo 0 >"$work/status"
keep start
keeps "$(cd "$work/state" && echo earlier-"$(date +%Y)"????-??????)" is_looked_for
mkdir "$work/state/earlier-19990101-000001" "$work/state/earlier-1999010"{2,3,4,5}-000001
keep stop
keep start
if [ "$(find "$work/state" -name 'earlier-*' | wc -l)" = 6 ] && [ ! -e "$work/state/orderly" ]; then
	ok earlier_is_not_kept_after_a_shutdown
else
	fail earlier_is_not_kept_after_a_shutdown "there is $(ls "$work/state"); it said $(cat "$work/out")"
fi
rm -rf "$work/state"/earlier-2*
mkdir "$work/run/lkst-earlier" && echo 'uuid = "1";' >"$work/run/lkst-earlier/metadata"
touch "$work/run/lkst-earlier.said"
keep start
if [ -e "$(echo "$work/state"/earlier-2*/metadata)" ] && [ ! -e "$work/run/lkst-earlier" ] &&
   [ ! -e "$work/state/earlier-19990101-000001" ] && [ -e "$work/state/earlier-19990102-000001" ]; then
	ok earlier_takes_over_what_the_disk_found
else
	fail earlier_takes_over_what_the_disk_found "there is $(find "$work/state"); it said $(cat "$work/out")"
fi
mv "$work/state"/earlier-2* "$work/state/earlier-19990106-000001"
mkdir "$work/run/lkst-earlier" && echo 'uuid = "1";' >"$work/run/lkst-earlier/metadata"
keep start
if [ -e "$work/state/earlier-19990106-000001" ] && [ ! -e "$(echo "$work/state"/earlier-2*)" ]; then
	ok earlier_is_kept_once
else
	fail earlier_is_kept_once "there is $(find "$work/state"); it said $(cat "$work/out")"
fi

# The recording that the disk found is not one of this machine: it stays, and memory is searched again.
rm -rf "$work/state"/earlier-*
known=0123456789abcdef0123456789abcdef
printf '%s %s\n' ffffffffffffffffffffffffffffffff $known >"$work/state/memory-ids"
mkdir "$work/run/lkst-earlier" && echo 'uuid = "66666666-89ab-cdef-0123-456789abcdef";' >"$work/run/lkst-earlier/metadata"
keep start
if [ -e "$(echo "$work/state"/earlier-2*-unproven/metadata)" ] &&
   [ "$(find "$work/state" -name 'earlier-2*' | wc -l)" = 2 ] && grep -q 'searching once more' "$work/out"; then
	ok earlier_is_searched_for_again_if_it_may_be_forged
else
	fail earlier_is_searched_for_again_if_it_may_be_forged "there is $(find "$work/state"); it said $(cat "$work/out")"
fi
rm -rf "$work/state"/earlier-*
mkdir "$work/run/lkst-earlier" && echo 'uuid = "01234567-89ab-cdef-0123-456789abcdef";' >"$work/run/lkst-earlier/metadata"
keep start
if [ "$(find "$work/state" -name 'earlier-2*' | wc -l)" = 1 ] && ! grep -q 'searching once more' "$work/out"; then
	ok earlier_is_taken_if_it_is_proven
else
	fail earlier_is_taken_if_it_is_proven "there is $(find "$work/state"); it said $(cat "$work/out")"
fi

# In the kernel of kdump: room is made first, and what is of another kind stays.
rm -rf "$work/state"/*
mkdir "$work/state/crash-1999010"{1,2,3,4,5}-000001 "$work/state/earlier-1999010"{1,2,3,4,5,6}-000001
keep crash
status=$?
if [ $status = 0 ] && [ "$(cd "$work/state" && echo crash-199*)" = "$(echo crash-1999010{2,3,4,5}-000001)" ] &&
   [ -d "$(echo "$work/state"/crash-2*)" ] && [ "$(find "$work/state" -name 'earlier-*' | wc -l)" = 6 ]; then
	ok crash_is_kept_with_four_others
else
	fail crash_is_kept_with_four_others "status $status: there is $(ls "$work/state"); it said $(cat "$work/out")"
fi
echo 1 >"$work/status"
if ! keep crash; then
	ok crash_that_is_not_kept_is_told
else
	fail crash_that_is_not_kept_is_told "it said $(cat "$work/out")"
fi
echo 0 >"$work/status"

# A disk that is full: no half of a trace is left on it, and the whole stays in memory.
mkdir "$work/small" "$work/run/lkst-earlier" && mount -t tmpfs -o size=16k none "$work/small"
head -c 65536 /dev/zero >"$work/run/lkst-earlier/main.0"
if ! LKST=$work/finds "$root/usr/lib/lkst/keep-earlier" start "$work/small" "$work/run" >"$work/out" 2>&1 &&
   [ -z "$(ls "$work/small")" ] && [ -s "$work/run/lkst-earlier/main.0" ] && grep -q 'copy it elsewhere' "$work/out"; then
	ok earlier_is_not_kept_in_part
else
	fail earlier_is_not_kept_in_part "there is $(find "$work/small" "$work/run"); it said $(cat "$work/out")"
fi
umount "$work/small"

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
# This kernel may have no /proc/kcore, and nothing was recorded before it: recording has begun anyway.
if grep -q '^<6>lkst: of the boot before: .' "$work/kmsg"; then
	ok script_tells_of_the_boot_before
else
	fail script_tells_of_the_boot_before "$(cat "$work/kmsg")"
fi
rm -rf /run/lkst-earlier /run/lkst-earlier.said
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
