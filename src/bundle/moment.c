/* SPDX-License-Identifier: GPL-2.0-only */
/* The moment that a bundle is of. */
#include "bundle/moment.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "base/time.h"
#include "bundle/bundle_text.h"

enum { UUID_TEXT = 33 };

struct lkst_moment lkst_moment_of_incident(const struct lkst_catalog *c, u32 number,
					   const struct lkst_incident_cause *cause)
{
	const struct lkst_event_class *event =
		cause->id && cause->id <= LKST_ID_MAX ? c->classes[cause->id] : NULL;
	struct lkst_moment m = { .is_incident = true,
				 .number = number,
				 .trigger = cause->trigger,
				 .tid = cause->tid,
				 .at_ns = cause->ns,
				 .value = cause->value };

	snprintf(m.reason, sizeof(m.reason), "%.*s", (int)sizeof(cause->reason), cause->reason);
	snprintf(m.event, sizeof(m.event), "%s", event ? event->name : "");
	return m;
}

static void moment_put_time(FILE *to, const char *key, u64 realtime_ns)
{
	struct lkst_time_text text;
	char time[LKST_TIME_ROOM];

	lkst_time_text_init(&text, LKST_TIME_UTC, 0);
	*lkst_put_time(time, &text, realtime_ns, 6) = 0;
	fprintf(to, "%s: %s\n", key, time);
}

/* A moment of the trace as the time of day, and by its clock. */
static void bundle_moment_put_moment(FILE *to, const char *key, u64 ns, const struct lkst_catalog *c)
{
	if (!ns)
		return;
	moment_put_time(to, key, ns + c->clock_offset_ns);
	fprintf(to, "%s-ns: %" PRIu64 "\n", key, ns);
}

static void put_incident(FILE *to, const struct lkst_moment *m)
{
	fprintf(to, "incident: %u\n", m->number);
	lkst_bundle_put_value(to, "reason", m->reason);
	if (m->trigger)
		fprintf(to, "trigger: %u\n", m->trigger);
	lkst_bundle_put_value(to, "event", m->event);
	if (m->tid > 0)
		fprintf(to, "thread: %d\n", m->tid);
	if (m->value)
		fprintf(to, "value: %" PRIu64 "\n", m->value);
}

int lkst_bundle_tell_moment(struct lkst_err *e, const struct lkst_moment *moment,
			    const struct lkst_trace *t, const struct lkst_bundle_survey *survey,
			    const char *made_by, struct lkst_bundle_text *ret_text)
{
	const struct lkst_catalog *c = lkst_trace_catalog(t);
	char uuid[UUID_TEXT];
	struct lkst_bundle_lines l;
	int err = lkst_bundle_lines_begin(e, &l);

	if (err)
		return err;
	*lkst_put_bytes(uuid, c->uuid, 16) = 0;
	fprintf(l.to, "bundle: %u\n", LKST_BUNDLE_VERSION);
	fprintf(l.to, "kind: %s\n", moment->is_incident ? "incident" : "snapshot");
	if (moment->is_incident)
		put_incident(l.to, moment);
	bundle_moment_put_moment(l.to, "at", moment->at_ns ?: survey->end_ns, c);
	bundle_moment_put_moment(l.to, "from", survey->begin_ns, c);
	bundle_moment_put_moment(l.to, "to", survey->end_ns, c);
	fprintf(l.to, "recording: %s\n", uuid);
	fprintf(l.to, "records: %" PRIu64 "\n", survey->records);
	fprintf(l.to, "threads: %u\n", survey->nr_threads);
	fprintf(l.to, "symbols: %" PRIu64 "\n", survey->symbols);
	fprintf(l.to, "kernel-addresses: %s\n", c->has_hashed_addresses ? "hashes" : "as they are");
	moment_put_time(l.to, "made", lkst_clock_ns(CLOCK_REALTIME));
	lkst_bundle_put_value(l.to, "made-by", made_by);
	return lkst_bundle_lines_end(e, &l, 0, ret_text);
}

static u64 moment_number(const struct lkst_bundle_text *text, const char *key)
{
	char value[LKST_BUNDLE_VALUE_MAX];

	return lkst_bundle_value(text, key, value) ? strtoull(value, NULL, 10) : 0;
}

static void copy_value(const struct lkst_bundle_text *text, const char *key,
		       char value[LKST_MOMENT_TEXT])
{
	char whole[LKST_BUNDLE_VALUE_MAX];

	if (lkst_bundle_value(text, key, whole))
		snprintf(value, LKST_MOMENT_TEXT, "%.*s", LKST_MOMENT_TEXT - 1, whole);
}

void lkst_bundle_parse_moment(const struct lkst_bundle_text *text, struct lkst_moment *ret_moment)
{
	struct lkst_moment m = { .number = (u32)moment_number(text, "incident"),
				 .trigger = (u32)moment_number(text, "trigger"),
				 .at_ns = moment_number(text, "at-ns"),
				 .value = moment_number(text, "value") };
	const u64 tid = moment_number(text, "thread");

	m.is_incident = m.number != 0;
	m.tid = tid <= INT32_MAX ? (s32)tid : 0;
	copy_value(text, "reason", m.reason);
	copy_value(text, "event", m.event);
	*ret_moment = m;
}
