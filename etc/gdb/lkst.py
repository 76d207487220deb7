# SPDX-License-Identifier: GPL-2.0-only
#
# LKST in gdb: what a machine that recorded did before it stopped. In gdb, or in a .gdbinit:
#
#   source /usr/share/lkst/gdb/lkst.py
#
#   lkst extract [OPTION]... [-o DIR]   a trace of what lies in the target's memory
#   lkst print [N [OPTION]...]          its last N events, 20 if none is given
#   lkst probe [ARG]...                 a probe at the line where the selected frame is, which fetches these
#   set lkst print-at-stop N            the same whenever the target stops; 0: not
#   set lkst program FILE               the lkst program, if it is not in the search path
#   set lkst physical RANGE[,RANGE...]  the memory to be searched, physical: 0-512M,4G-8G
#
# The target is a kernel: behind QEMU's stub, or that of a JTAG probe. Its memory is read through the stub, in the way
# that is the quickest of those that there are:
#
#   by symbols    with the kernel's debug information (gdb vmlinux): the memory of its BPF maps alone
#   physical      with QEMU's stub, which can read by physical addresses: all memory, or what `set lkst physical` says
#
# If the target is a program of this machine, it is this machine's recording, and a probe is set in it. For a kernel
# behind a stub a probe becomes a definition, which `lkst probe` takes on that machine.

import contextlib
import os
import re
import shutil
import subprocess
import tempfile

import gdb

PAGE = 4096
CHUNK = 1 << 20  # read at once

# include/uapi/linux/bpf.h
BPF_MAP_TYPE_ARRAY = 2
BPF_F_MMAPABLE = 1 << 10

UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class LkstError(gdb.GdbError):
    """What gdb prints as a command's error, without a Python traceback."""


# ---- settings


class LkstPrefix(gdb.Command):
    """The recording of a machine or of this one: lkst extract, lkst print, lkst probe."""

    def __init__(self):
        super().__init__("lkst", gdb.COMMAND_SUPPORT, gdb.COMPLETE_NONE, True)


class LkstSettings(gdb.Command):
    """Settings of the lkst commands."""

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_SUPPORT, gdb.COMPLETE_NONE, True)


class LkstProgram(gdb.Parameter):
    """The lkst program: a name in the search path, or a file."""

    set_doc = "Set the lkst program."
    show_doc = "Show the lkst program."

    def __init__(self):
        super().__init__("lkst program", gdb.COMMAND_SUPPORT, gdb.PARAM_OPTIONAL_FILENAME)
        self.value = "lkst"


class LkstPhysical(gdb.Parameter):
    """Ranges of physical memory that are searched, as 0-512M,4G-8G. Empty: all that QEMU says there is."""

    set_doc = "Set the physical memory that lkst extract searches."
    show_doc = "Show the physical memory that lkst extract searches."

    def __init__(self):
        super().__init__("lkst physical", gdb.COMMAND_SUPPORT, gdb.PARAM_STRING)
        self.value = ""


class LkstPrintAtStop(gdb.Parameter):
    """How many of the last events are printed whenever the target stops; 0: none."""

    set_doc = "Set how many of the last events are printed when the target stops."
    show_doc = "Show how many of the last events are printed when the target stops."

    def __init__(self):
        super().__init__("lkst print-at-stop", gdb.COMMAND_SUPPORT, gdb.PARAM_ZUINTEGER)
        self.value = 0


# ---- running lkst


def run_lkst(arguments):
    """Runs lkst with these arguments; its output goes where gdb's does. Raises LkstError if it fails."""
    program = gdb.parameter("lkst program") or "lkst"
    if not shutil.which(program):
        raise LkstError(f"there is no program {program}; `set lkst program FILE` says where it is")
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    gdb.write(done.stdout.decode(errors="replace"))
    if done.returncode:
        raise LkstError(f"lkst {arguments[0]} ended with status {done.returncode}")


def is_remote():
    """Whether the target is behind a stub; else it is this machine."""
    connection = gdb.selected_inferior().connection
    return bool(connection) and connection.type in ("remote", "extended-remote")


# ---- where LKST's memory is


def entries_of(idr):
    """The pointers that a struct idr holds (lib/idr.c; its nodes: include/linux/xarray.h)."""
    node_type = gdb.lookup_type("struct xa_node").pointer()
    todo = [int(idr["idr_rt"]["xa_head"])]
    while todo:
        entry = int(todo.pop())
        if entry & 3 == 2 and entry > PAGE:
            node = gdb.Value(entry - 2).cast(node_type).dereference()
            slots = node["slots"]
            low, high = slots.type.range()
            todo += [int(slots[i]) for i in range(low, high + 1)]
        elif entry and entry & 3 == 0:
            yield entry


def ranges_by_symbols():
    """The memory of all BPF arrays that user space can map, by the kernel's own table of maps; None: no symbols."""
    try:
        idr = gdb.lookup_global_symbol("map_idr") or gdb.lookup_static_symbol("map_idr")
        if not idr:
            return None
        map_type = gdb.lookup_type("struct bpf_map").pointer()
        array_type = gdb.lookup_type("struct bpf_array").pointer()
    except gdb.error:
        return None
    ranges = []
    for entry in entries_of(idr.value()):
        bpf_map = gdb.Value(entry).cast(map_type)
        if int(bpf_map["map_type"]) != BPF_MAP_TYPE_ARRAY or not int(bpf_map["map_flags"]) & BPF_F_MMAPABLE:
            continue
        # struct bpf_array begins with its struct bpf_map (include/linux/bpf.h).
        array = gdb.Value(entry).cast(array_type)
        first = int(array["value"].address)
        ranges.append((first, first + int(array["elem_size"]) * int(bpf_map["max_entries"])))
    return ranges


def parse_ranges(text):
    """'0-512M,4G-8G' as pairs of numbers."""
    ranges = []
    for part in text.split(","):
        ends = re.fullmatch(r"\s*(0x[0-9a-fA-F]+|\d+)([KMGT]?)-(0x[0-9a-fA-F]+|\d+)([KMGT]?)\s*", part)
        if not ends:
            raise LkstError(f"\"{part}\" is not a range of memory, as 0-512M is")
        first, last = (int(ends[i], 0) * UNITS[ends[i + 1]] for i in (1, 3))
        if first >= last:
            raise LkstError(f"\"{part}\" is empty")
        ranges.append((first, last))
    return ranges


def ranges_of_qemu():
    """The machine's RAM, as QEMU's monitor has it."""
    try:
        text = gdb.execute("monitor info mtree -f", to_string=True)
    except gdb.error:
        return []
    found = set()
    for line in text.splitlines():
        # "  0000000000100000-000000001fffffff (prio 0, ram): ram @0000000000100000"
        area = re.match(r"\s*([0-9a-f]{16})-([0-9a-f]{16}) \(prio -?\d+, ram\):", line)
        if area:
            found.add((int(area[1], 16), int(area[2], 16) + 1))
    return sorted(found)


# ---- reading it


@contextlib.contextmanager
def physical_addresses():
    """Has QEMU's stub take addresses as physical ones meanwhile (docs/system/gdb.rst)."""
    connection = gdb.selected_inferior().connection

    def switch(on):
        return connection.send_packet(f"Qqemu.PhyMemMode:{int(on)}") == b"OK"

    if not switch(True):
        raise LkstError("the stub can't read physical memory, and there is no debug information of the kernel: "
                        "load it by `file vmlinux`")
    try:
        yield
    finally:
        switch(False)


def copy_ranges(ranges, to):
    """Writes what lies in memory there to a file, each range at a page of its own. Returns how many bytes."""
    inferior = gdb.selected_inferior()
    total = sum(last - first for first, last in ranges)
    done = 0
    for first, last in ranges:
        at = first
        while at < last:
            length = min(CHUNK, last - at)
            try:
                to.write(inferior.read_memory(at, length))
            except gdb.MemoryError:
                # What can't be read is a hole, which lkst takes for zeros.
                to.seek(length, os.SEEK_CUR)
            at += length
            done += length
            gdb.write(f"\rreading memory: {done >> 20} of {total >> 20} MiB", gdb.STDERR)
        to.seek(-to.tell() % PAGE, os.SEEK_CUR)
    to.truncate()
    gdb.write("\r" + " " * 60 + "\r", gdb.STDERR)
    return total


def copy_memory(to):
    """Writes the target's memory, or what of it can be LKST's, to a file."""
    # gdb would keep what it has read.
    with gdb.with_parameter("stack-cache", False):
        ranges = ranges_by_symbols()
        if ranges is not None and not gdb.parameter("lkst physical"):
            return copy_ranges(ranges, to)
        physical = gdb.parameter("lkst physical")
        ranges = parse_ranges(physical) if physical else ranges_of_qemu()
        if not ranges:
            raise LkstError("how much memory is there? `set lkst physical 0-512M` says so")
        with physical_addresses():
            return copy_ranges(ranges, to)


def extract(arguments):
    """Makes a trace: of the target's memory, or if it is a program here, of this machine's recording."""
    if not is_remote():
        run_lkst(["snapshot", *arguments])
        return
    with tempfile.NamedTemporaryFile(prefix="lkst-memory-") as memory:
        if not copy_memory(memory):
            raise LkstError("the kernel has no BPF array that is mapped: nothing is being recorded there")
        memory.flush()
        run_lkst(["extract", *arguments, memory.name])


# ---- commands


class LkstExtract(gdb.Command):
    """Make a trace of what a recording holds in the target's memory: lkst extract [OPTION]... [-o DIR]
The options are those of `lkst extract`; if the target is a program of this machine, those of `lkst snapshot`."""

    def __init__(self):
        super().__init__("lkst extract", gdb.COMMAND_SUPPORT, gdb.COMPLETE_FILENAME)

    def invoke(self, argument, from_tty):
        extract(gdb.string_to_argv(argument))


def print_last(count, options):
    """Prints the last events of a trace that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="lkst-") as directory:
        trace = os.path.join(directory, "trace")
        extract(["--quiet", "--output", trace])
        program = gdb.parameter("lkst program") or "lkst"
        with subprocess.Popen([program, "print", *options, trace], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE) as printing:
            last = []
            for line in printing.stdout:
                last.append(line)
                if len(last) > 2 * count:
                    del last[:-count]
        gdb.write(b"".join(last[-count:]).decode(errors="replace"))
        if printing.returncode:
            raise LkstError(f"lkst print ended with status {printing.returncode}")


class LkstPrint(gdb.Command):
    """Print the last events that a recording holds in the target's memory: lkst print [N [OPTION]...]
N is 20 if it is not given. The options are those of `lkst print`."""

    def __init__(self):
        super().__init__("lkst print", gdb.COMMAND_SUPPORT, gdb.COMPLETE_NONE)

    def invoke(self, argument, from_tty):
        arguments = gdb.string_to_argv(argument)
        count = 20
        if arguments and arguments[0].isdigit():
            count = int(arguments.pop(0))
        if count:
            print_last(count, arguments)


class LkstProbe(gdb.Command):
    """Set a probe at the line where the selected frame is: lkst probe [ARG]...
The arguments are what it fetches, as `lkst probe` takes them: variables, members, registers, and `if CONDITION`.
For a kernel behind a stub it prints a definition, for `lkst probe` on that machine."""

    def __init__(self):
        super().__init__("lkst probe", gdb.COMMAND_SUPPORT, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        frame = gdb.selected_frame()
        place = frame.find_sal()
        file = gdb.solib_name(frame.pc()) or gdb.current_progspace().filename
        if not place.symtab or not place.line or not file:
            raise LkstError("there is no line of a source here: its debug information is missing")
        definition = f"{place.symtab.filename}:{place.line} {argument}".rstrip()
        if is_remote():
            run_lkst(["probe", "--vmlinux", file, "--definition", definition])
        else:
            run_lkst(["probe", "--exec", file, definition])


def at_stop(event):
    """Prints the last events when the target stops, if that is wanted."""
    count = gdb.parameter("lkst print-at-stop")
    if not count:
        return
    try:
        print_last(count, [])
    except (LkstError, gdb.error) as why:
        gdb.write(f"lkst: {why}\n", gdb.STDERR)


LkstPrefix()
LkstSettings("set lkst")
LkstSettings("show lkst")
LkstProgram()
LkstPhysical()
LkstPrintAtStop()
LkstExtract()
LkstPrint()
LkstProbe()
gdb.events.stop.connect(at_stop)
