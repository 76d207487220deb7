/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/unit.h"

const char *unit_name;
int unit_failed, unit_skipped;
