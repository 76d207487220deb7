/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * LKST's kernel programs and rings, loaded for measuring: real ones, attached one at a time.
 */
#ifndef LKST_BENCH_PROGRAMS_H
#define LKST_BENCH_PROGRAMS_H

#include <bpf/libbpf.h>
#include <stdbool.h>

#include "abi/types.h"

/*
 * Loads the programs called @names (NULL-terminated) out of bench/unit.bpf.c and LKST's own, and sets
 * up rings of @buffer_bytes per CPU with the ids and tables of a default recording.
 */
void programs_load(const char *const *names, u64 buffer_bytes);
void programs_unload(void);

/* Attaches the program @name. */
struct bpf_link *programs_attach(const char *name);

/* Records are wanted from now on, or not. */
void programs_arm(bool on);

/* Bytes that have been recorded on @cpu and records that were lost there. */
u64 programs_recorded_bytes(unsigned int cpu);
u64 programs_lost(unsigned int cpu);

/* Empties the BPF ring buffer that bench/unit.bpf.c fills; bytes and records lost so far. */
void programs_drain_ringbuf(void);
u64 programs_ringbuf_lost(void);

#endif
