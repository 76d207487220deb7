/* SPDX-License-Identifier: GPL-2.0-only */
/* Which records to print: by event, thread, CPU and time. */
#include "print/select.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "print/record_printer.h"
#include "trace/format/event_types.h"

struct lkst_select {
	const struct lkst_threads *threads;
	char *comm, *cgroup; /* NULL: any */
	u64 from_ns, to_ns;
	bool has_tid, has_pid, has_cpu;
	s32 tid, pid;
	u32 cpu;
	bool wants[LKST_ID_MAX + 1];
	char *const *events; /* globs, the caller's; none: all */
	unsigned int nr_events;
};

static int select_choose_events(struct lkst_err *e, struct lkst_select *select,
				const struct lkst_catalog *catalog,
				const struct lkst_select_options *options)
{
	char near[LKST_SUGGEST_TEXT];
	unsigned int i, id;
	bool any;

	for (id = 0; id <= LKST_ID_MAX && !options->nr_events; id++)
		select->wants[id] =
			catalog->classes[id] && catalog->classes[id]->group != LKST_GROUP_STATE;
	for (i = 0; i < options->nr_events; i++) {
		any = false;
		for (id = 0; id <= LKST_ID_MAX; id++)
			if (catalog->classes[id] &&
			    lkst_class_is_named(catalog->classes[id], options->events[i]))
				any = select->wants[id] = true;
		if (!any)
			return lkst_err_set(e, -ENOENT, "the trace has no event that \"%s\" names%s",
					    options->events[i],
					    lkst_event_near(catalog, options->events[i], near));
	}
	return 0;
}

int lkst_select_new(struct lkst_err *e, const struct lkst_catalog *catalog,
		    const struct lkst_threads *threads, const struct lkst_select_options *options,
		    struct lkst_select **ret_select)
{
	struct lkst_select *select = calloc(1, sizeof(*select));
	int err;

	if (select && options->comm)
		select->comm = strdup(options->comm);
	if (select && options->cgroup)
		select->cgroup = strdup(options->cgroup);
	if (!select || (options->comm && !select->comm) || (options->cgroup && !select->cgroup)) {
		lkst_select_free(select);
		return lkst_err_sys(e, -ENOMEM, "choosing records");
	}
	select->threads = threads;
	select->has_tid = options->has_tid;
	select->tid = options->tid;
	select->has_pid = options->has_pid;
	select->pid = options->pid;
	select->has_cpu = options->has_cpu;
	select->cpu = options->cpu;
	select->from_ns = options->from_ns;
	select->to_ns = options->has_to ? options->to_ns : UINT64_MAX;
	select->events = options->events;
	select->nr_events = options->nr_events;
	err = select_choose_events(e, select, catalog, options);
	if (err) {
		lkst_select_free(select);
		return err;
	}
	*ret_select = select;
	return 0;
}

void lkst_select_free(struct lkst_select *select)
{
	if (!select)
		return;
	free(select->comm);
	free(select->cgroup);
	free(select);
}

/* What a handler declares may have come after the choice was made. */
static bool select_wants(const struct lkst_select *select, const struct lkst_event_class *event)
{
	unsigned int i;

	if (event->group != LKST_GROUP_HANDLER || !select->nr_events)
		return select->wants[event->id] || event->group == LKST_GROUP_HANDLER;
	for (i = 0; i < select->nr_events; i++)
		if (lkst_class_is_named(event, select->events[i]))
			return true;
	return false;
}

static bool comm_matches(const struct lkst_select *select, s32 tid)
{
	const struct lkst_thread *thread = lkst_threads_find(select->threads, tid);
	char comm[sizeof(thread->comm) + 1] = "";

	/* Which name a thread has that nobody has named is not known, and an empty name is one. */
	if (thread && thread->has_comm)
		memcpy(comm, thread->comm, sizeof(thread->comm));
	else if (!thread && !tid)
		strcpy(comm, "swapper");
	else
		return false;
	return !fnmatch(select->comm, comm, 0);
}

static bool thread_matches(const struct lkst_select *select, s32 tid)
{
	if (select->has_tid && select->tid != tid)
		return false;
	if (select->has_pid && lkst_threads_pid_of(select->threads, tid) != select->pid)
		return false;
	if (select->cgroup && !lkst_cgroups_match(lkst_threads_cgroups(select->threads),
						  lkst_threads_cgroup_of(select->threads, tid), select->cgroup))
		return false;
	return !select->comm || comm_matches(select, tid);
}

/* True if the thread that ran is one that is wanted, or one that the record speaks of. */
static bool is_about(const struct lkst_select *select, const struct lkst_record *r)
{
	const struct lkst_event_class *event = r->event;
	unsigned int i;

	if (thread_matches(select, r->tid))
		return true;
	for (i = 0; i < event->nr_fields; i++)
		if (event->fields[i].meaning == LKST_MEANING_TID &&
		    lkst_field_is_int(&event->fields[i]) &&
		    thread_matches(select, (s32)lkst_field_int(r, i)))
			return true;
	return false;
}

bool lkst_select_matches(const struct lkst_select *select, const struct lkst_record *r)
{
	if (!select_wants(select, r->event))
		return false;
	if (r->event->group == LKST_GROUP_STATE)
		return true;
	/* What a piece of a trace has as of its beginning, as stacks, are no records of that time. */
	if (r->buffer == LKST_BUFFER_STATE && !select->nr_events)
		return false;
	if (r->ns < select->from_ns || r->ns > select->to_ns)
		return false;
	if (select->has_cpu && select->cpu != r->cpu)
		return false;
	if (!select->has_tid && !select->has_pid && !select->comm && !select->cgroup)
		return true;
	return is_about(select, r);
}

bool lkst_select_has_event(const struct lkst_select *select, const struct lkst_event_class *event)
{
	return select_wants(select, event);
}
