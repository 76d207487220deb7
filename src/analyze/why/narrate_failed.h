/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about system calls that failed: what they failed with, and which functions said so. Private to why.c. */
#ifndef LKST_ANALYZE_WHY_NARRATE_FAILED_H
#define LKST_ANALYZE_WHY_NARRATE_FAILED_H

#include "analyze/why/narrate.h"

/*
 * Adds a step below @parent for each system call of its thread that failed and ended in its time, if functions said
 * so in records of probes of group `errors`. Of very many the first are told.
 */
void lkst_narrate_failed(struct lkst_narrator *t, struct lkst_account_step *parent);

#endif
