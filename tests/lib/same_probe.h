/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether two probes say the same. */
#ifndef LKST_TESTS_SAME_PROBE_H
#define LKST_TESTS_SAME_PROBE_H

#include "probe/text/probe.h"

/* True if all is equal but the text that each was made of, and where its parts are in it. */
bool is_same_probe(const struct lkst_probe *a, const struct lkst_probe *b);

#endif
