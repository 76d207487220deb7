/* SPDX-License-Identifier: GPL-2.0-only */
/* What a bundle says of the machine and its kernel. */
#ifndef LKST_BUNDLE_THIS_MACHINE_H
#define LKST_BUNDLE_THIS_MACHINE_H

#include "bundle/bundle.h"

/*
 * Lines "KEY: value" of the machine that this runs on: names and version of its kernel, boot id, command line of the
 * kernel, distribution, CPUs, memory, load, how long it is up. What cannot be read is left out.
 */
int lkst_bundle_tell_machine(struct lkst_err *e, struct lkst_bundle_text *ret_text);

#endif
