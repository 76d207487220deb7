/* SPDX-License-Identifier: GPL-2.0-only */
/* The number that a recording gives all its traces, as their metadata say it. */
#ifndef LKST_HOSTS_RECORDING_UUID_H
#define LKST_HOSTS_RECORDING_UUID_H

#include <stdbool.h>

#include "abi/types.h"

enum { LKST_RECORDING_HEAD = 4096 }; /* bytes of metadata; the uuid is among the first */

/*
 * The uuid that @text, the beginning of metadata, names: of a recording in a thousand parts, all that has to be read.
 * Whoever opens the trace reads the metadata properly. False: it names none.
 */
bool lkst_recording_uuid(const char *text, u8 ret_uuid[16]);

#endif
