/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One argument of a probe, as both languages write it: [NAME=]FETCHARG[:TYPE][@user]. FETCHARG is what the kernel's
 * kernel/trace/trace_probe.c accepts, parse_probe_arg(), and what perf's parse_perf_probe_arg() does, variables with
 * members and elements. Linux takes names of parameters, with members, in kprobe_events as well, since 6.6.
 *
 *	$stack $stackN $retval $argN $comm $caller $backtrace $addr	%REG
 *	@ADDR  @SYM[+|-OFFS]  @+OFFS		memory, at an address, of a symbol, of the program's file
 *	+|-[u]OFFS(FETCHARG)			memory at FETCHARG +|- OFFS; u: the program's
 *	+|-[u]OFFS(FETCHARG,FETCHARG,SIZE)	the same, plus the second times SIZE
 *	\NUMBER  \"TEXT"
 *	VARIABLE  VARIABLE->MEMBER  VARIABLE.MEMBER  VARIABLE[INDEX]	also after $retval and $argN
 *	$vars  $params  $arg*			all variables; all parameters, in the words of perf and of the kernel
 */
#ifndef LKST_PROBE_TEXT_FETCH_TEXT_H
#define LKST_PROBE_TEXT_FETCH_TEXT_H

#include "probe/text/cursor.h"
#include "probe/text/probe.h"

/*
 * Reads the word at the cursor into @ret, which is all zero; its name stays "" if none is given. @place says what can
 * be fetched there. -EINVAL: it is not an argument. The caller frees what @ret refers to in any case.
 */
int lkst_fetch_parse(struct lkst_cursor *c, const struct lkst_probe_place *place,
		     struct lkst_probe_arg *ret);

/* True if @f stands for several arguments: $vars, $params, $arg*. */
bool lkst_fetch_is_several(const struct lkst_fetch *f);

/* True if @f is a variable, or is within one. */
bool lkst_fetch_is_variable(const struct lkst_fetch *f);

#endif
