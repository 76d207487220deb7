/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The places of a probe at many functions: their addresses, as a recording keeps them beside the probe's row, and
 * attaching one program at all of them. There are two ways.
 *
 * Where the kernel has them, one link of type kprobe.multi does it by ftrace (kernel/trace/bpf_trace.c,
 * bpf_kprobe_multi_link_attach(), with CONFIG_FPROBE). Nothing may preempt the program (src/bpf/probe.bpf.c). At a
 * function's entry ftrace_test_recursion_trylock() prevents that (include/linux/trace_recursion.h, since Linux 5.17).
 * At its return rethook_trampoline_handler() does (kernel/trace/rethook.c, Linux 5.18 to 6.13), but from Linux 6.14
 * on, __ftrace_return_to_handler() (kernel/trace/fgraph.c) did not until it was given
 * ftrace_test_recursion_trylock(), too. All these later kernels have bpf_preempt_disable() (Linux 6.10), which the
 * program then calls by itself.
 *
 * Elsewhere a perf event is opened for each function. A map of type PERF_EVENT_ARRAY with BPF_F_PRESERVE_ELEMS keeps
 * them open, so that they have one pin, as a link has. When the map is gone, the kernel removes them in the background.
 */
#ifndef LKST_LIVE_HOOKS_PROBE_PLACES_H
#define LKST_LIVE_HOOKS_PROBE_PLACES_H

#include "live/hooks/probe_row.h"

/*
 * Pins the @nr addresses @addresses, where functions begin, for event "GROUP:EVENT". @own: as live/hooks/pins.h has it,
 * here and below.
 */
int lkst_probe_places_write(struct lkst_err *e, struct lkst_own_pins *own, const char *event,
			    const u64 *addresses, u32 nr);

/*
 * At how many functions the probe is: those of @row that could be attached, if anybody has tried. -ENOENT: nothing is
 * kept of it.
 */
int lkst_probe_places_count(struct lkst_err *e, const struct lkst_own_pins *own, const char *event,
			    const struct lkst_probe_row *row);

/*
 * Attaches @program_fd at all places of @row. Returns a descriptor, of a link or of a map, that keeps it attached as
 * long as it or a pin of it is open. Places where the kernel sets no perf event are left out, now and later; the
 * error is that of the last if it is all of them.
 */
int lkst_probe_places_attach(struct lkst_err *e, const struct lkst_own_pins *own, const char *event,
			     const struct lkst_probe_row *row, int program_fd);

/* Whether the kernel lets one link attach a program at the function at @address and others. */
bool lkst_probe_places_has_multi(u64 address);

#endif
