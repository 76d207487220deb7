/* SPDX-License-Identifier: GPL-2.0-only */
/* For the tests of what is made from a catalogue: one of all that can be recorded. */
#ifndef LKST_TESTS_WHOLE_CATALOG_H
#define LKST_TESTS_WHOLE_CATALOG_H

#include <stdlib.h>

#include "abi/syscalls.h"
#include "trace/format/catalog.h"

/* Of all events but @left_out (LKST_NR_EVENTS: none), all system calls, and last the tracepoint @by_name. */
struct lkst_catalog *whole_catalog(unsigned int left_out, struct lkst_event_class by_name);

#endif
