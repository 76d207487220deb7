/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of conditions, also of those on errors of functions, and of two events between which time is measured:
 * what is taken keeps to the limits that the kernel's handler counts on. What is refused is shown with the place.
 *
 * prints: text csv json
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/analyses/between.h"
#include "lib/printed.h"
#include "masks/condition.h"
#include "masks/error_trigger.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Events of all kinds of fields, endings, and system calls with and without strings. */
static struct lkst_catalog *make_catalog(void)
{
	static const enum lkst_event_index builtin[] = {
		LKST_EV_sched_switch,	LKST_EV_sched_wakeup,	    LKST_EV_sched_wakeup_new,
		LKST_EV_block_rq_issue, LKST_EV_block_rq_complete,  LKST_EV_sched_process_exit,
		LKST_EV_mark_victim,	LKST_EV_sched_process_exec,
	};
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	u16 i, id = 1;

	if (!c)
		abort();
	for (i = 0; i < sizeof(builtin) / sizeof(builtin[0]); i++)
		if (lkst_catalog_add_builtin(&e, c, id++, builtin[i]))
			abort();
	for (i = 0; i < 16; i++, id += 2)
		if (lkst_catalog_add_syscall(&e, c, id, id + 1, i))
			abort();
	return c;
}

static void check_list(u64 list, unsigned int nr)
{
	for (; list; list >>= 8)
		if ((list & 0xff) > nr)
			abort();
}

static void check_term(const struct lkst_trigger_term *t)
{
	if (t->source > LKST_TRIGGER_NEXT_COMM || t->op > LKST_TRIGGER_GE ||
	    t->length > LKST_TRIGGER_TEXT || t->offset > 4096 || t->size > 8)
		abort();
}

/* What is taken has functions, and a condition on the events of probes whose name the kernel takes. */
static void check_error_trigger(const char *text)
{
	struct lkst_error_trigger t;
	struct lkst_err e = {};
	int err = lkst_error_trigger_parse(&e, text, &t);

	if (err)
		printed_error(&e);
	else if (!lkst_error_trigger_is(text) || !t.globs[0])
		abort();
	else
		printed_names((const char *const[]){ text, t.name, t.module, t.globs, t.condition }, 5);
	if (!err &&
	    (strspn(t.name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") !=
		     strlen(t.name) ||
	     strncmp(t.condition, "errors:on_", 10)))
		abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct lkst_catalog *c;
	struct lkst_condition *x;
	struct lkst_between between;
	struct lkst_err e = {};
	char text[1024];
	unsigned int i, j;

	if (!c)
		c = make_catalog();
	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	check_error_trigger(text);
	if (lkst_between_find(&e, c, text, &between))
		printed_error(&e);
	e = (struct lkst_err){};
	if (lkst_condition_parse(&e, c, text, &x)) {
		printed_error(&e);
		return 0;
	}
	printed_name(text, size);
	if (!x->nr_rules || x->nr_rules > LKST_CONDITION_RULES ||
	    x->nr_steps > LKST_CONDITION_STEPS)
		abort();
	for (i = 0; i < LKST_EVENT_SPACE; i++) {
		check_list(x->events[i].rules, x->nr_rules);
		check_list(x->events[i].steps, x->nr_steps);
	}
	for (i = 0; i < x->nr_rules; i++)
		for (j = 0; j < x->rules[i].nr_terms; j++)
			check_term(&x->rules[i].terms[j]);
	for (i = 0; i < x->nr_steps; i++)
		check_term(&x->steps[i].term);
	free(x);
	return 0;
}
