# SPDX-License-Identifier: GPL-2.0-only
#
# What the tests that crash or reset guests share; they source it, with $subject, which their results' names begin
# with. A guest is that of tests/vm/run: no network, emulated processors. Its memory is a file.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." || exit
OUT=$(realpath -m "${OUT:-build}")
BUILD=${BUILD:-$OUT/gcc}
export LKST=${LKST:-$BUILD/lkst}
export PERL5LIB=$PWD/tests/live/lib
kernel=${VM_KERNEL:-6.1}
memory=${VM_MEMORY:-512} # MiB
machine=() # what its memory is, if not a file
failed=0
qemu=
. tests/vm/disk.sh

skip()
{
	echo "skip $subject: $*"
	exit 0
}

ok()
{
	echo "ok ${subject}_$1"
}

fail()
{
	echo "FAIL ${subject}_$1: ${2//$'\n'/; }"
	failed=1
}

clean_up()
{
	[ -z "$qemu" ] || kill "$qemu" 2>/dev/null
	rm -rf --one-file-system "$work"
}

# make_disk FILE [FOR]: an initial RAM disk; FOR "capture" with makedumpfile; FOR "kdump" with that disk, the kernel
# for it and kexec; FOR "live" with a program that forges pages; FOR "module" with the tests' module, if
# it was built; FOR "reserved" with what makes a NUMA node of memory that the kernel was not to use.
make_disk()
{
	local root=$work/root

	fill_root "$root" "$(command -v busybox)" "$LKST" "$BUILD" tests/vm/crash || return
	case ${2-} in
	live) install -D "$BUILD/tests/vm/load/forge" "$root/bin/forge" || return ;;
	capture) pack "$(command -v makedumpfile)" "$root" bin/makedumpfile || return ;;
	kdump)
		pack "$(command -v kexec)" "$root" bin/kexec || return
		install -D "$work/capture" "$root/kdump/disk" || return
		install "$OUT/vm/$kernel/vmlinuz" "$root/kdump/vmlinuz" || return
		;;
	reserved)
		pack "$(command -v ndctl)" "$root" bin/ndctl && pack "$(command -v daxctl)" "$root" bin/daxctl &&
			cp -r "$OUT/vm/$kernel/modules.dax" "$root" || return
		;;
	module) [ ! -e "$work/module/lkst_crash.ko" ] || cp "$work/module/lkst_crash.ko" "$root" || return ;;
	esac
	archive "$root" >"$1"
	rm -rf "$root"
}

# boot TEST [ARGUMENTS [OPTION...]]: starts a guest that runs tests/vm/crash/TEST.sh; its kernel is told ARGUMENTS, and
# QEMU OPTIONs. Its memory is the file $work/memory. Unless an option says otherwise, a kernel that restarts the
# machine stops it instead. QEMU's monitor reads from descriptor 8 and writes to 9.
boot()
{
	local test=$1 arguments=${2-}

	shift $(($# < 2 ? $# : 2))
	: >"$work/console"
	: >"$work/results"
	mkfifo "$work/monitor.in" "$work/monitor.out" && exec 8<>"$work/monitor.in" 9<>"$work/monitor.out" || return
	[ ${#machine[@]} != 0 ] || set -- -machine memory-backend=ram -m "${memory}M" \
		-object "memory-backend-file,id=ram,size=${memory}M,mem-path=$work/memory,share=on" "$@"
	timeout -k 5 2000 qemu-system-x86_64 -machine q35 "${machine[@]}" -accel tcg,thread=single -smp 2 -nodefaults -no-user-config \
		-display none -action panic=pause,reboot=shutdown,shutdown=pause \
		-serial "file:$work/console" -serial "file:$work/results" -monitor "pipe:$work/monitor" \
		-kernel "$OUT/vm/$kernel/${image-vmlinux}" -initrd "$work/disk" \
		-append "console=ttyS0 panic=-1 tsc=reliable no_timer_check idle=poll lkst.results=ttyS1 lkst.tests=$test $arguments" \
		"$@" </dev/null >"$work/qemu" 2>&1 &
	qemu=$!
}

# Gives QEMU's monitor a command, waits until it is done, which shows in the answer to a second one, and
# prints what it said.
monitor()
{
	local line

	printf '%s\nprint 0x4c4b\n' "$1" >&8
	while IFS= read -r -t 600 line <&9; do
		case $line in
		0x4c4b*) return 0 ;;
		esac
		printf '%s\n' "$line"
	done
	return 1
}

# Waits until the guest has stopped, or until it has said "$1".
wait_for()
{
	local end=$((SECONDS + 1800))

	while [ $SECONDS -lt $end ]; do
		sleep 0.2
		kill -0 "$qemu" 2>/dev/null || return 1
		if { [ -n "${1-}" ] && grep -q "$1" "$work/results"; } ||
		   monitor 'info status' | grep -q paused; then
			return 0
		fi
	done
	return 1
}

end()
{
	echo quit >&8
	wait "$qemu"
	qemu=
	exec 8>&- 9>&-
	rm -f "$work/monitor."*
}

# check_truth NAME TRACE: prints what is false in the trace. $who: see truth.pl.
check_truth()
{
	SUBJECT=$subject WHAT=$1 perl -MTrace tests/vm/crash/host/truth.pl "$2" "$work/console" "$work/results" "${who-^sh}"
}

# check NAME DUMP...: what the dumps give is a trace that all can read and that is true.
check()
{
	local name=$1 said

	shift
	if ! "$LKST" extract --output "$work/$name" --doubtful "$work/$name.doubtful" "$@" >"$work/said" 2>&1; then
		fail "${name}_is_extracted" "$(cat "$work/said")"
		return
	fi
	cat "$work/said"
	ok "${name}_is_extracted"
	if said=$("$LKST" check "$work/$name" 2>&1); then
		ok "${name}_is_whole"
	else
		fail "${name}_is_whole" "$(grep -v ^ledger <<<"$said" | tail -n 5)"
	fi
	if [ -s "$work/$name.doubtful/main.0" ] && ! "$LKST" check "$work/$name.doubtful" >"$work/said" 2>&1; then
		fail "${name}_doubtful_can_be_read" "$(tail -n 1 "$work/said")"
	fi
	said=$(babeltrace2 "$work/$name" --component sink.utils.dummy 2>&1) || said="$said (status $?)"
	if [ -z "$said" ]; then
		ok "${name}_babeltrace_reads"
	else
		fail "${name}_babeltrace_reads" "$said"
	fi
	check_truth "$name" "$work/$name" || failed=1
}

# Passes on what the guest says of its own tests; $1 goes before their names.
report()
{
	local line

	while IFS= read -r line; do
		case $line in
		'ok '*) ok "$1_${line#ok }" ;;
		'FAIL '*)
			line=${line#FAIL }
			fail "$1_${line%%:*}" "${line#*: }"
			;;
		esac
	done < <(tr -d '\r\0' <"$work/results")
}

[ "$(uname -m)" = x86_64 ] || skip "the guests are x86-64, this machine is $(uname -m)"
for tool in qemu-system-x86_64 busybox cpio babeltrace2 perl; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
[ -s "$OUT/vm/$kernel/vmlinux" ] || skip "kernel $kernel is not there; tools/fetch-kernel gets it"
[ -x "$LKST" ] || { echo "FAIL $subject: $LKST was not built"; exit 1; }
work=$(mktemp -d /dev/shm/lkst-crash.XXXXXX) || exit 1
trap clean_up EXIT
trap 'exit 130' INT TERM HUP
