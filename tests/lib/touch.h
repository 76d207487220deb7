/* SPDX-License-Identifier: GPL-2.0-only */
/* For the tests that feed nonsense: reads all that a record has, so that a sanitizer sees it. */
#ifndef LKST_TESTS_TOUCH_H
#define LKST_TESTS_TOUCH_H

#include <stdlib.h>

#include "trace/known/threads.h"

void touch_fields(const struct lkst_record *r, struct lkst_threads *threads);

#endif
