/* SPDX-License-Identifier: GPL-2.0-only */
/* What a machine sends of itself, as rows. */
#include "fleet/ship_rows.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/syscalls.h"

const char lkst_fleet_second_columns[] =
	"host, boot, trace, second, measure, cgroup, n, total, worst, `part.name`, `part.value`, "
	"`bucket.number`, `bucket.count`";
const char lkst_fleet_incident_columns[] =
	"host, boot, trace, number, revision, time, time_ns, kernel, version, trigger, event, tid, comm, "
	"value, reason, account, `worst.tid`, `worst.comm`, `worst.what`, `worst.time_ns`, "
	"`worst.took_ns`, `worst.account`, bundle, bundle_bytes, moment, note";
const char lkst_fleet_host_columns[] =
	"host, machine, boot, seen, kernel, version, cpus, `label.name`, `label.value`";

enum { PART_NAME = 64 };

/* Measures that are not durations. */
#define EVENTS "events"
#define CPU "cpu"

/* How many seconds there are in a row of a minute. */
#define PART_SECONDS "seconds"

static void ship_rows_put_str(struct lkst_packed_rows *rows, const char *text)
{
	lkst_packed_text(rows, text, strlen(text));
}

/* ---- seconds --------------------------------------------------------------------------------- */

static void ship_rows_put_head(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
			       const char *measure, const char *cgroup)
{
	ship_rows_put_str(rows, source->catalog->hostname);
	lkst_packed_uuid(rows, source->catalog->boot_id);
	lkst_packed_uuid(rows, source->catalog->uuid);
	lkst_packed_int(rows, source->second, 4);
	ship_rows_put_str(rows, measure);
	ship_rows_put_str(rows, cgroup);
}

static void put_sums(struct lkst_packed_rows *rows, u64 n, u64 total, u64 worst)
{
	lkst_packed_int(rows, n, 8);
	lkst_packed_int(rows, total, 8);
	lkst_packed_int(rows, worst, 8);
}

static void put_no_buckets(struct lkst_packed_rows *rows)
{
	lkst_packed_count(rows, 0);
	lkst_packed_count(rows, 0);
}

static void put_buckets(struct lkst_packed_rows *rows, const struct lkst_hist *h)
{
	u32 i, nr = 0;

	for (i = 0; i < h->nr_buckets; i++)
		nr += h->buckets[i] != 0;
	lkst_packed_count(rows, nr);
	for (i = 0; i < h->nr_buckets; i++)
		if (h->buckets[i])
			lkst_packed_int(rows, h->first + i, 2);
	lkst_packed_count(rows, nr);
	for (i = 0; i < h->nr_buckets; i++)
		if (h->buckets[i])
			lkst_packed_int(rows, h->buckets[i], 8);
}

static void name_call(const struct lkst_event_class *event, char name[PART_NAME])
{
	lkst_syscall_figure(name, PART_NAME, event->is_compat, lkst_class_call(event));
}

/*
 * By event: @counts by id. @of_calls: they are of system calls, and named so. @nr_seconds: of a minute, which has them
 * as a part of its own; 0: of a second.
 */
static void ship_rows_put_counts(struct lkst_packed_rows *rows, const struct lkst_catalog *c,
				 const u32 *counts, bool of_calls, u32 nr_seconds)
{
	u32 i, nr = nr_seconds != 0;
	char name[PART_NAME];

	for (i = 0; i <= LKST_ID_MAX; i++)
		nr += counts[i] && c->classes[i];
	lkst_packed_count(rows, nr);
	if (nr_seconds)
		ship_rows_put_str(rows, PART_SECONDS);
	for (i = 0; i <= LKST_ID_MAX; i++) {
		if (!counts[i] || !c->classes[i])
			continue;
		if (of_calls)
			name_call(c->classes[i], name);
		ship_rows_put_str(rows, of_calls ? name : c->classes[i]->name);
	}
	lkst_packed_count(rows, nr);
	if (nr_seconds)
		lkst_packed_int(rows, nr_seconds, 8);
	for (i = 0; i <= LKST_ID_MAX; i++)
		if (counts[i] && c->classes[i])
			lkst_packed_int(rows, counts[i], 8);
}

static void put_softirqs(struct lkst_packed_rows *rows, const struct lkst_second *second)
{
	u32 i;

	lkst_packed_count(rows, LKST_NR_SOFTIRQS);
	for (i = 0; i < LKST_NR_SOFTIRQS; i++)
		ship_rows_put_str(rows, lkst_softirq_names[i]);
	lkst_packed_count(rows, LKST_NR_SOFTIRQS);
	for (i = 0; i < LKST_NR_SOFTIRQS; i++)
		lkst_packed_int(rows, second->softirqs[i], 8);
}

static void name_part(enum lkst_measure m, u32 key, char name[PART_NAME])
{
	/* How the kernel numbers disks (include/linux/kdev_t.h). */
	if (key == UINT32_MAX)
		snprintf(name, PART_NAME, "others");
	else if (m == LKST_MEASURE_DISK)
		snprintf(name, PART_NAME, "%u:%u", key >> 20, key & ((1U << 20) - 1));
	else
		snprintf(name, PART_NAME, "%u", key);
}

static void put_parts(struct lkst_packed_rows *rows, enum lkst_measure m,
		      const struct lkst_second_parts *parts)
{
	char name[PART_NAME];
	u32 i;

	lkst_packed_count(rows, parts->nr);
	for (i = 0; i < parts->nr; i++) {
		name_part(m, parts->list[i].key, name);
		ship_rows_put_str(rows, name);
	}
	lkst_packed_count(rows, parts->nr);
	for (i = 0; i < parts->nr; i++)
		lkst_packed_int(rows, parts->list[i].n, 8);
}

static void put_parts_of(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
			 const struct lkst_second *second, enum lkst_measure m)
{
	static const struct lkst_second_parts none;

	if (m == LKST_MEASURE_SYSCALL)
		ship_rows_put_counts(rows, source->catalog, second->calls, true, 0);
	else if (m == LKST_MEASURE_SOFTIRQ)
		put_softirqs(rows, second);
	else
		put_parts(rows, m,
			  m == LKST_MEASURE_DISK  ? &second->disks
			  : m == LKST_MEASURE_IRQ ? &second->irqs
						  : &none);
}

static void ship_rows_put_durations(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
				    const struct lkst_second *second, enum lkst_measure m)
{
	const struct lkst_hist *h = &second->durations[m];

	ship_rows_put_head(rows, source, lkst_measure_names[m], "");
	put_sums(rows, h->count, lkst_hist_sum(h), h->max);
	put_parts_of(rows, source, second, m);
	put_buckets(rows, h);
}

/* A cgroup's durations, and its CPU time, as far as it has any. */
static u32 ship_rows_put_cgroup(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
				const struct lkst_second_cgroup *g)
{
	char text[LKST_CGROUP_TEXT];
	const char *name = lkst_cgroups_text(lkst_threads_cgroups(source->threads), g->id, text);
	const struct lkst_second_parts none = {};
	u32 m, nr = 1;

	ship_rows_put_head(rows, source, CPU, name);
	put_sums(rows, 1, g->threads_ns, 0);
	put_parts(rows, LKST_MEASURE_IRQ, &none);
	put_no_buckets(rows);
	for (m = 0; m < LKST_NR_MEASURES_OF_THREADS; m++) {
		const struct lkst_hist *h = &g->durations[m];

		if (!h->count)
			continue;
		ship_rows_put_head(rows, source, lkst_measure_names[m], name);
		put_sums(rows, h->count, lkst_hist_sum(h), h->max);
		put_parts(rows, LKST_MEASURE_IRQ, &none);
		put_buckets(rows, h);
		nr++;
	}
	return nr;
}

static void add_times(struct lkst_fleet_figures *f, u64 nr_cpus, const struct lkst_second_times *t)
{
	f->n = nr_cpus;
	f->total = t->threads_ns + t->irq_ns + t->softirq_ns;
	lkst_fleet_figures_add(f, "threads", t->threads_ns);
	lkst_fleet_figures_add(f, "irq", t->irq_ns);
	lkst_fleet_figures_add(f, "softirq", t->softirq_ns);
	lkst_fleet_figures_add(f, "idle", t->idle_ns);
	lkst_fleet_figures_add(f, "unknown", t->unknown_ns);
}

u32 lkst_fleet_put_second(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
			  const struct lkst_second *second)
{
	struct lkst_fleet_figures times = { .measure = CPU };
	u32 m, i, nr = 2 + LKST_NR_MEASURES;

	ship_rows_put_head(rows, source, EVENTS, "");
	put_sums(rows, second->records, 0, 0);
	ship_rows_put_counts(rows, source->catalog, second->events, false, 0);
	put_no_buckets(rows);
	add_times(&times, second->nr_cpus, &second->times);
	lkst_fleet_put_figures(rows, source, &times);
	for (m = 0; m < LKST_NR_MEASURES; m++)
		ship_rows_put_durations(rows, source, second, m);
	for (i = 0; i < second->nr_cgroups; i++)
		nr += ship_rows_put_cgroup(rows, source, &second->cgroups[i]);
	return nr;
}

/* ---- minutes --------------------------------------------------------------------------------- */

void lkst_fleet_minute_fini(struct lkst_fleet_minute *m)
{
	u32 i;

	for (i = 0; i < LKST_NR_MEASURES; i++)
		lkst_hist_fini(&m->durations[i]);
	for (i = 0; i < LKST_EVENT_SPACE; i++)
		lkst_hist_fini(&m->calls[i]);
}

int lkst_fleet_minute_add(struct lkst_fleet_minute *m, u32 second, const struct lkst_second *what)
{
	u32 i;

	if (!m->nr_seconds++)
		m->first = second;
	for (i = 0; i < LKST_NR_MEASURES; i++)
		if (lkst_hist_merge(&m->durations[i], &what->durations[i]))
			return -ENOMEM;
	m->records += what->records;
	for (i = 0; i <= LKST_ID_MAX; i++)
		m->events[i] += what->events[i];
	m->cpu_seconds += what->nr_cpus;
	m->times.threads_ns += what->times.threads_ns;
	m->times.irq_ns += what->times.irq_ns;
	m->times.softirq_ns += what->times.softirq_ns;
	m->times.idle_ns += what->times.idle_ns;
	m->times.unknown_ns += what->times.unknown_ns;
	return 0;
}

/* A histogram of a minute, which is emptied. */
static void put_hist(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
		     const struct lkst_fleet_minute *m, const char *name, struct lkst_hist *h)
{
	char measure[PART_NAME + sizeof(LKST_FLEET_OF_A_MINUTE)];

	if (!h->count)
		return;
	snprintf(measure, sizeof(measure), "%.*s" LKST_FLEET_OF_A_MINUTE, PART_NAME, name);
	ship_rows_put_head(rows, source, measure, "");
	put_sums(rows, h->count, lkst_hist_sum(h), h->max);
	lkst_packed_count(rows, 1);
	ship_rows_put_str(rows, PART_SECONDS);
	lkst_packed_count(rows, 1);
	lkst_packed_int(rows, m->nr_seconds, 8);
	put_buckets(rows, h);
	lkst_hist_clear(h);
}

/* What is no duration, which is emptied. */
static void ship_rows_put_counted(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
				  struct lkst_fleet_minute *m)
{
	struct lkst_fleet_figures times = { .measure = CPU LKST_FLEET_OF_A_MINUTE };

	ship_rows_put_head(rows, source, EVENTS LKST_FLEET_OF_A_MINUTE, "");
	put_sums(rows, m->records, 0, 0);
	ship_rows_put_counts(rows, source->catalog, m->events, false, m->nr_seconds);
	put_no_buckets(rows);
	add_times(&times, m->cpu_seconds, &m->times);
	lkst_fleet_figures_add(&times, PART_SECONDS, m->nr_seconds);
	lkst_fleet_put_figures(rows, source, &times);
	m->records = m->cpu_seconds = 0;
	memset(m->events, 0, sizeof(m->events));
	m->times = (struct lkst_second_times){};
}

void lkst_fleet_put_minute(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
			   struct lkst_fleet_minute *m)
{
	const struct lkst_catalog *c = source->catalog;
	struct lkst_fleet_source first = *source;
	char name[PART_NAME];
	u32 i;

	first.second = m->first;
	ship_rows_put_counted(rows, &first, m);
	for (i = 0; i < LKST_NR_MEASURES; i++)
		put_hist(rows, &first, m, lkst_measure_names[i], &m->durations[i]);
	for (i = 0; i <= LKST_ID_MAX; i++) {
		if (!m->calls[i].count || !c->classes[i])
			continue;
		name_call(c->classes[i], name);
		put_hist(rows, &first, m, name, &m->calls[i]);
	}
	m->nr_seconds = 0;
}

/* ---- other figures --------------------------------------------------------------------------- */

void lkst_fleet_figures_add(struct lkst_fleet_figures *f, const char *name, u64 value)
{
	if (f->nr_parts < LKST_FLEET_PARTS_MAX)
		f->parts[f->nr_parts++] = (struct lkst_fleet_part){ name, value };
}

void lkst_fleet_put_figures(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
			    const struct lkst_fleet_figures *f)
{
	u32 i;

	ship_rows_put_head(rows, source, f->measure, "");
	put_sums(rows, f->n, f->total, f->worst);
	lkst_packed_count(rows, f->nr_parts);
	for (i = 0; i < f->nr_parts; i++)
		ship_rows_put_str(rows, f->parts[i].name);
	lkst_packed_count(rows, f->nr_parts);
	for (i = 0; i < f->nr_parts; i++)
		lkst_packed_int(rows, f->parts[i].value, 8);
	put_no_buckets(rows);
}

/* ---- incidents ------------------------------------------------------------------------------- */

static void ship_rows_put_waits(struct lkst_packed_rows *rows, const struct lkst_fleet_incident *i)
{
	u32 k;

	lkst_packed_count(rows, i->nr_waits);
	for (k = 0; k < i->nr_waits; k++)
		lkst_packed_int(rows, (u32)i->waits[k].tid, 4);
	lkst_packed_count(rows, i->nr_waits);
	for (k = 0; k < i->nr_waits; k++)
		ship_rows_put_str(rows, i->waits[k].comm);
	lkst_packed_count(rows, i->nr_waits);
	for (k = 0; k < i->nr_waits; k++)
		ship_rows_put_str(rows, i->waits[k].what);
	lkst_packed_count(rows, i->nr_waits);
	for (k = 0; k < i->nr_waits; k++)
		lkst_packed_int(rows, i->waits[k].time_ns, 8);
	lkst_packed_count(rows, i->nr_waits);
	for (k = 0; k < i->nr_waits; k++)
		lkst_packed_int(rows, i->waits[k].took_ns, 8);
	lkst_packed_count(rows, i->nr_waits);
	for (k = 0; k < i->nr_waits; k++)
		ship_rows_put_str(rows, i->waits[k].account ?: "");
}

void lkst_fleet_put_incident(struct lkst_packed_rows *rows, const struct lkst_catalog *catalog,
			     const struct lkst_fleet_incident *i)
{
	ship_rows_put_str(rows, catalog->hostname);
	lkst_packed_uuid(rows, catalog->boot_id);
	lkst_packed_uuid(rows, catalog->uuid);
	lkst_packed_int(rows, i->number, 4);
	lkst_packed_int(rows, i->revision, 4);
	lkst_packed_int(rows, i->time_ns + (u64)i->offset_ns, 8);
	lkst_packed_int(rows, i->time_ns, 8);
	ship_rows_put_str(rows, catalog->release);
	ship_rows_put_str(rows, i->version);
	lkst_packed_int(rows, i->trigger, 4);
	ship_rows_put_str(rows, i->event);
	lkst_packed_int(rows, (u32)i->tid, 4);
	ship_rows_put_str(rows, i->comm);
	lkst_packed_int(rows, (u64)i->value, 8);
	ship_rows_put_str(rows, i->reason);
	ship_rows_put_str(rows, i->account);
	ship_rows_put_waits(rows, i);
	ship_rows_put_str(rows, i->bundle);
	lkst_packed_int(rows, i->bundle_bytes, 8);
	ship_rows_put_str(rows, i->moment);
	ship_rows_put_str(rows, i->note);
}

/* ---- hosts ----------------------------------------------------------------------------------- */

void lkst_fleet_put_host(struct lkst_packed_rows *rows, const struct lkst_catalog *catalog,
			 const struct lkst_fleet_host *h)
{
	u32 i;

	ship_rows_put_str(rows, catalog->hostname);
	lkst_packed_uuid(rows, h->machine);
	lkst_packed_uuid(rows, catalog->boot_id);
	lkst_packed_int(rows, h->seen, 4);
	ship_rows_put_str(rows, catalog->release);
	ship_rows_put_str(rows, h->version);
	lkst_packed_int(rows, h->cpus, 4);
	lkst_packed_count(rows, h->nr_labels);
	for (i = 0; i < h->nr_labels; i++)
		lkst_packed_text(rows, h->labels[i], strcspn(h->labels[i], "="));
	lkst_packed_count(rows, h->nr_labels);
	for (i = 0; i < h->nr_labels; i++) {
		const char *value = strchr(h->labels[i], '=');

		ship_rows_put_str(rows, value ? value + 1 : "");
	}
}
