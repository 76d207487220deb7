/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a recording lives once the command that started it is gone: its programs and maps, pinned
 * in a directory of the BPF file system, and the lock that makes commands take turns.
 */
#ifndef LKST_LIVE_PINS_H
#define LKST_LIVE_PINS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { LKST_PIN_PATH_MAX = 256 };

/*
 * Waits for the lock that every command takes which looks at or changes the recording, and
 * returns its descriptor; closing it, or the process's death, gives it back. Needs root.
 */
int lkst_pins_lock(struct lkst_err *e);

/* Makes sure of a BPF file system in the first process's mount namespace, and of our directory. */
int lkst_pins_prepare(struct lkst_err *e);

/* True if there is a recording, or what is left of one that was interrupted as it started. */
bool lkst_pins_exist(void);

/* The path of pin @name. */
void lkst_pins_path(const char *name, char *path, size_t size);

/* Pins the object behind @fd as @name; opens the one pinned as @name: a descriptor or -errno. */
int lkst_pins_put(struct lkst_err *e, int fd, const char *name);
int lkst_pins_get(struct lkst_err *e, const char *name);

/* Removes pin @name; what it kept lives on as long as a descriptor does. */
int lkst_pins_drop(struct lkst_err *e, const char *name);

/* Calls @each for the name of every pin until it returns other than 0, which is passed on. */
int lkst_pins_each(struct lkst_err *e, int (*each)(void *ctx, const char *name), void *ctx);

/*
 * Removes every pin, and with them hooks, programs and memory; then the directory, and the BPF
 * file system if lkst_pins_prepare() had mounted it and nobody else uses it. Fine if there is none.
 */
int lkst_pins_remove(struct lkst_err *e);

#endif
