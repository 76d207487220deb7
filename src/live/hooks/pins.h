/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a recording lives once the command that started it is gone: its programs and maps, pinned
 * in a directory of the BPF file system, and the lock that makes commands take turns. A recording that is to end with
 * its command may have its pins in that command alone: functions with @own then work on these, and with NULL on those
 * in the BPF file system.
 */
#ifndef LKST_LIVE_HOOKS_PINS_H
#define LKST_LIVE_HOOKS_PINS_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "base/err.h"
#include "live/hooks/own_pins.h"

enum { LKST_PIN_PATH_MAX = 256 };

/*
 * The lock that makes commands take turns. lkst_pins_open_lock() returns a descriptor, which holds nothing yet;
 * closing it, or the process's death, releases what it holds. Requires root.
 */
int lkst_pins_open_lock(struct lkst_err *e);

/* Takes it, shared with others or exclusively. -EAGAIN, without a text: another process holds it. */
int lkst_pins_try_lock(struct lkst_err *e, int fd, bool is_shared);

/* Waits for it and takes it exclusively. */
int lkst_pins_wait_lock(struct lkst_err *e, int fd);

/* Opens it and waits for it. */
int lkst_pins_lock(struct lkst_err *e);

/* Which command took it last: "'lkst start' (pid 123)". */
enum { LKST_PINS_HOLDER = 128 };
void lkst_pins_holder(int fd, char text[LKST_PINS_HOLDER]);

/*
 * Claims to be the one process that keeps the recording @identity (lkst_session_identity()) to its limit.
 * Returns a descriptor; closing it, or the process's death, ends it. -EBUSY: another one is.
 */
int lkst_pins_claim(struct lkst_err *e, u64 identity);

/* Whether there is such a process. */
bool lkst_pins_is_claimed(u64 identity);

/* The same of the one that keeps a reading of counters now, for the recording @identity (live/state/readings.h). */
int lkst_pins_claim_readings(u64 identity);

/*
 * Claims to be the one process that saves or drops incident @number. Returns a descriptor; closing it, or
 * the process's death, ends it. -EBUSY: another one is.
 */
int lkst_pins_claim_incident(struct lkst_err *e, u32 number);

/* Makes sure of a BPF file system in the first process's mount namespace, and of our directory. */
int lkst_pins_prepare(struct lkst_err *e);

/* True if there is a recording, or what is left of one that was interrupted as it started. */
bool lkst_pins_exist(void);

/* The path of pin @name in the BPF file system. */
void lkst_pins_path(const char *name, char *path, size_t size);

/* Pins the object that @fd refers to as @name; opens the one pinned as @name: a descriptor or -errno. */
int lkst_pins_put(struct lkst_err *e, struct lkst_own_pins *own, int fd, const char *name);
int lkst_pins_get(struct lkst_err *e, const struct lkst_own_pins *own, const char *name);

/* Removes pin @name; what it kept lives on as long as a descriptor does. */
int lkst_pins_drop(struct lkst_err *e, struct lkst_own_pins *own, const char *name);

/* Calls @each with @e and @own for the name of every pin until it returns other than 0, which is passed on. */
int lkst_pins_each(struct lkst_err *e, struct lkst_own_pins *own, lkst_pin_fn *each, void *ctx);

/*
 * Removes every pin in the BPF file system, and with them hooks, programs and memory; then the directory, and the file
 * system if lkst_pins_prepare() had mounted it and nobody else uses it. Fine if there is none.
 */
int lkst_pins_remove(struct lkst_err *e);

#endif
