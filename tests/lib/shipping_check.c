/* SPDX-License-Identifier: GPL-2.0-only */
/* What the server has in the end, compared with what was put into the recording. */
#include <dirent.h>
#include <stdarg.h>

#include "base/xxh64.h"
#include "bundle/moment.h"
#include "fleet/spool.h"
#include "lib/shipping.h"

enum { MEASURES = 10 /* of each second, at least */ };

/* ---- what came of it ------------------------------------------------------------------------------- */

/* What is wrong; said in one place. */
__attribute__((format(printf, 1, 2))) static const char *wrong(const char *format, ...)
{
	static char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return text;
}

static const struct fleet_second *find_row(const struct shipping *s, u64 second, const char *measure, u32 *ret_nr)
{
	const struct fleet_second *found = NULL;
	u32 i;

	for (i = 0, *ret_nr = 0; i < s->server->nr_seconds; i++)
		if (s->server->seconds[i].second == second && !strcmp(s->server->seconds[i].measure, measure)) {
			found = &s->server->seconds[i];
			(*ret_nr)++;
		}
	return found;
}

/* The first second that there is, and the one after the last. */
static void find_range(const struct shipping *s, u64 *ret_first, u64 *ret_end)
{
	u32 i;

	*ret_first = UINT64_MAX;
	*ret_end = 0;
	for (i = 0; i < s->server->nr_seconds; i++) {
		u64 second = s->server->seconds[i].second;

		if (strcmp(s->server->seconds[i].measure, "events"))
			continue;
		*ret_first = second < *ret_first ? second : *ret_first;
		*ret_end = second >= *ret_end ? second + 1 : *ret_end;
	}
}

/* From when on the first second is counted: what was not counted before a kill is not known to be missing. */
static u64 begin_of(const struct shipping *s, u64 first)
{
	if (first == SHIPPING_OFFSET_S + SHIPPING_BEGIN_SECOND)
		return SHIPPING_BEGIN_NS;
	if (s->again_ns && !s->had_begun && first == SHIPPING_OFFSET_S + s->again_ns / LKST_NS_PER_S)
		return s->again_ns;
	return 0;
}

/* That each measure of the second is there once, and all of them are. */
static const char *check_measures(const struct shipping *s, u64 second)
{
	const struct fleet_second *row;
	u32 i, nr, measures = 0;

	for (i = 0; i < s->server->nr_seconds; i++) {
		row = &s->server->seconds[i];
		if (row->second != second)
			continue;
		find_row(s, second, row->measure, &nr);
		if (nr != 1)
			return wrong("measure %s of second %llu comes %u times", row->measure,
				     (unsigned long long)second, nr);
		measures += !strstr(row->measure, "_minute");
	}
	return measures < MEASURES ? wrong("second %llu has %u measures", (unsigned long long)second, measures) : NULL;
}

static const char *check_second(const struct shipping *s, u64 second, u64 from_ns)
{
	const u64 wanted = shipping_count(from_ns, shipping_ns(second + 1));
	const struct fleet_second *row;
	u32 nr;

	row = find_row(s, second, "events", &nr);
	if (nr != 1)
		return wrong("second %llu is there %u times", (unsigned long long)second, nr);
	if (row->n != wanted || row->parts != wanted)
		return wrong("second %llu has %llu records, and %llu by event, of %llu", (unsigned long long)second,
			     (unsigned long long)row->n, (unsigned long long)row->parts, (unsigned long long)wanted);
	return check_measures(s, second);
}

const char *shipping_check_all_but(const struct shipping *s, u64 *ret_missing)
{
	u64 first, end, second, from_ns;
	const char *bad = NULL;
	u32 nr;

	find_range(s, &first, &end);
	if (end <= first || end < SHIPPING_OFFSET_S + SHIPPING_BEGIN_SECOND + s->steps)
		return wrong("there are seconds up to %llu only", (unsigned long long)end);
	from_ns = begin_of(s, first);
	if (!from_ns)
		return wrong("the first second is %llu", (unsigned long long)first);
	*ret_missing = 0;
	for (second = first; second < end && !bad; second++)
		if (find_row(s, second, "events", &nr))
			bad = check_second(s, second, second == first ? from_ns : shipping_ns(second));
		else
			(*ret_missing)++;
	return bad;
}

u64 shipping_told_missing(const struct shipping *s)
{
	u64 most = 0;
	u32 i;

	for (i = 0; i < s->server->nr_seconds; i++)
		if (!strcmp(s->server->seconds[i].measure, "ship") && s->server->seconds[i].n > most)
			most = s->server->seconds[i].n;
	return most;
}

static const char *check_seconds(const struct shipping *s)
{
	u64 missing = 0;
	const char *bad = shipping_check_all_but(s, &missing);

	return bad || !missing ? bad : wrong("%llu seconds are missing", (unsigned long long)missing);
}

/* A minute is what its seconds are, as many as it says. */
static const char *check_minute(const struct shipping *s, const struct fleet_second *minute)
{
	const size_t length = strlen(minute->measure) - strlen("_minute");
	struct fleet_second sum = {};
	u64 second;
	char measure[64];
	u32 nr;

	snprintf(measure, sizeof(measure), "%.*s", (int)length, minute->measure);
	/* A system call by its name: the seconds have all calls in one, and here it is the only one. */
	if (!strcmp(measure, "read"))
		snprintf(measure, sizeof(measure), "syscall");
	for (second = minute->second; second < minute->second + minute->seconds; second++) {
		const struct fleet_second *row = find_row(s, second, measure, &nr);

		if (nr != 1)
			return wrong("%s of %u lacks a second", minute->measure, minute->second);
		sum.n += row->n;
		sum.total += row->total;
		sum.parts += row->parts;
		sum.buckets += row->buckets;
	}
	if (!minute->seconds || sum.n != minute->n || sum.total != minute->total || sum.buckets != minute->buckets)
		return wrong("%s of %u has %llu, and its %llu seconds have %llu", minute->measure, minute->second,
			     (unsigned long long)minute->n, (unsigned long long)minute->seconds,
			     (unsigned long long)sum.n);
	return !strcmp(measure, "events") && sum.parts != minute->parts ? wrong("events of a minute") : NULL;
}

static const char *check_minutes(const struct shipping *s)
{
	const char *bad = NULL;
	u32 i;

	for (i = 0; i < s->server->nr_seconds && !bad; i++)
		if (strstr(s->server->seconds[i].measure, "_minute"))
			bad = check_minute(s, &s->server->seconds[i]);
	return bad;
}

u32 shipping_rows_of(const struct shipping *s, u32 number, u32 revision, struct fleet_incident_row *ret_row)
{
	u32 i, nr = 0;

	for (i = 0; i < s->server->nr_incidents; i++)
		if (s->server->incidents[i].number == number && s->server->incidents[i].revision == revision) {
			*ret_row = s->server->incidents[i];
			nr++;
		}
	return nr;
}

/* The file that was put is the bundle that the row says, and its account is the row's. */
static const char *check_bundle(const struct shipping *s, const struct fleet_incident_row *row)
{
	const struct fleet_file *file = &s->server->files[0];
	struct lkst_bundle_text *why;
	struct lkst_bundle bundle;
	struct lkst_moment moment;
	char path[sizeof(s->server->dir) + FLEET_TEXT];
	struct lkst_err e;
	const char *bad = NULL;

	if (row->has_come_early)
		return wrong("a row says where %s is, and it is not there yet", row->bundle);
	if (s->server->nr_files != 1 || row->bundle_bytes != file->bytes ||
	    strcmp(strrchr(row->bundle, '/') + 1, file->name))
		return wrong("%u bundles, of which %s has %llu bytes; and %s, %llu", s->server->nr_files, file->name,
			     (unsigned long long)file->bytes, row->bundle, (unsigned long long)row->bundle_bytes);
	snprintf(path, sizeof(path), "%s/%s", s->server->dir, file->name);
	if (lkst_bundle_open(&e, path, &bundle))
		return wrong("%s", e.text);
	why = &bundle.parts[LKST_BUNDLE_WHY];
	lkst_bundle_parse_moment(&bundle.parts[LKST_BUNDLE_ABOUT], &moment);
	if (moment.number != row->number || strcmp(moment.reason, "a test"))
		bad = wrong("the bundle is of \"%s\"", moment.reason);
	else if (why->length != row->account_length || lkst_xxh64(why->bytes, why->length) != row->account_sum)
		bad = wrong("the bundle's account has %zu bytes, and the row's %llu", why->length,
			    (unsigned long long)row->account_length);
	lkst_bundle_fini(&bundle);
	return bad;
}

static const char *check_incidents(const struct shipping *s)
{
	struct fleet_incident_row row = {};
	u32 wanted = s->has_no_store ? 3 : 4, nr;

	if (s->fires_nothing)
		return NULL;
	if (shipping_rows_of(s, 1, 1, &row) != 1 || !strstr(row.note, "had left memory"))
		return wrong("of the incident that had left memory it is said: %s", row.note);
	if (shipping_rows_of(s, 2, 1, &row) != 1 || strcmp(row.reason, "a test"))
		return wrong("an incident is not told");
	nr = shipping_rows_of(s, 2, 2, &row);
	if (nr != 1 || !row.account_length || !row.nr_waits || row.note[0])
		return wrong("an incident is explained %u times, with %llu bytes and %u waits; %s", nr,
			     (unsigned long long)row.account_length, row.nr_waits, row.note);
	if (!s->has_no_store && shipping_rows_of(s, 2, 3, &row) != 1)
		return wrong("there is no row with a bundle");
	if (s->server->nr_incidents != wanted)
		return wrong("%u rows of incidents", s->server->nr_incidents);
	if (made_recording_has_incident(s->recording) == !s->has_no_store)
		return wrong("the incident is in memory, or not, where it should be the other way round");
	return s->has_no_store ? NULL : check_bundle(s, &row);
}

const char *shipping_left(const struct shipping *s)
{
	static char text[512];
	DIR *dir = opendir(s->spool);
	struct dirent *entry;

	if (!dir)
		abort();
	text[0] = 0;
	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") && strcmp(entry->d_name, "position") &&
		    strcmp(entry->d_name, "claim"))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s ", entry->d_name);
	closedir(dir);
	return text;
}

static const char *check_spool(const struct shipping *s)
{
	_cleanup_(lkst_spool_closep) struct lkst_spool *spool = NULL;
	const u32 nr = s->world->nr_incidents;
	struct lkst_spool_position p;
	struct lkst_err e;
	u64 first, end;

	if (shipping_left(s)[0])
		return wrong("the spool has %s", shipping_left(s));
	if (lkst_spool_open(&e, s->spool, s->spool_bytes, &spool))
		return wrong("%s", e.text);
	lkst_spool_position(spool, &p);
	find_range(s, &first, &end);
	if (p.second + 1 != end || p.dropped || p.nr_told != nr || p.nr_explained != nr)
		return wrong("the position is %llu of %llu, %llu dropped, incidents %u and %u",
			     (unsigned long long)p.second, (unsigned long long)end, (unsigned long long)p.dropped,
			     p.nr_told, p.nr_explained);
	return NULL;
}

const char *shipping_check(struct shipping *s)
{
	const char *bad = s->server->nr_bad ? wrong("the server: %s", s->server->bad) : NULL;

	if (!bad && !s->server->nr_hosts)
		bad = wrong("no row of the host has arrived");
	return bad ?: check_seconds(s) ?: check_minutes(s) ?: check_incidents(s) ?: check_spool(s);
}
