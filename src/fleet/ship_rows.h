/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a machine sends of itself, as rows of the tables second_rows, incident_rows and host_rows (fleet/schema.h), in
 * the order of the columns that these statements name.
 */
#ifndef LKST_FLEET_SHIP_ROWS_H
#define LKST_FLEET_SHIP_ROWS_H

#include "analyze/seconds/seconds.h"
#include "fleet/packed_rows.h"
#include "trace/format/catalog.h"

extern const char lkst_fleet_second_columns[], lkst_fleet_incident_columns[],
	lkst_fleet_host_columns[];

/* A number with a name, for the parts of a row. */
struct lkst_fleet_part {
	const char *name;
	u64 value;
};

enum { LKST_FLEET_PARTS_MAX = 32 };

/* Figures of a second that are not counted from records: the recording's own, and losses. */
struct lkst_fleet_figures {
	const char *measure;
	u64 n, total, worst;
	struct lkst_fleet_part parts[LKST_FLEET_PARTS_MAX];
	u32 nr_parts;
};

void lkst_fleet_figures_add(struct lkst_fleet_figures *f, const char *name, u64 value);

/* Where rows of a second come from. */
struct lkst_fleet_source {
	const struct lkst_catalog *catalog;
	const struct lkst_threads *threads; /* whose cgroups are counted apart; NULL: none are */
	u32 second;			    /* of the time of day */
};

/* Adds the rows of what was counted. Returns how many. */
u32 lkst_fleet_put_second(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
			  const struct lkst_second *second);

/*
 * What was counted in up to a minute, added up, and the durations of each system call: questions to many machines and
 * long times are asked of these, which are few.
 */
struct lkst_fleet_minute {
	u32 first, nr_seconds;	  /* of the time of day, and how many of them are in it */
	u64 records, cpu_seconds; /* the latter: of all CPUs that there were in each second */
	u32 events[LKST_EVENT_SPACE];
	struct lkst_second_times times;
	struct lkst_hist durations[LKST_NR_MEASURES];
	struct lkst_hist calls[LKST_EVENT_SPACE]; /* struct lkst_seconds_options has them filled */
};

/* Added to the names of measures. */
#define LKST_FLEET_OF_A_MINUTE "_minute"

void lkst_fleet_minute_fini(struct lkst_fleet_minute *m);

/* Adds @second of the time of day. -ENOMEM. */
int lkst_fleet_minute_add(struct lkst_fleet_minute *m, u32 second, const struct lkst_second *what);

/* Adds the rows of the minute, and empties it. @source: its second does not matter. */
void lkst_fleet_put_minute(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
			   struct lkst_fleet_minute *m);

/* Adds one row. */
void lkst_fleet_put_figures(struct lkst_packed_rows *rows, const struct lkst_fleet_source *source,
			    const struct lkst_fleet_figures *f);

/* A wait among the longest of an incident. */
struct lkst_fleet_wait {
	s32 tid;
	char comm[17];
	const char *what; /* what it waited for, a word */
	u64 time_ns, took_ns;
	char *account; /* why, a line; owned, NULL: not known */
};

enum { LKST_FLEET_WAITS_MAX = 20 };

struct lkst_fleet_incident {
	u32 number, revision, trigger;
	u64 time_ns;   /* CLOCK_MONOTONIC */
	s64 offset_ns; /* the time of day is later by this */
	s32 tid;
	s64 value;
	const char *event, *comm, *reason, *version;  /* of the program */
	const char *account, *bundle, *moment, *note; /* "": there is none */
	u64 bundle_bytes;
	struct lkst_fleet_wait waits[LKST_FLEET_WAITS_MAX];
	u32 nr_waits;
};

void lkst_fleet_put_incident(struct lkst_packed_rows *rows, const struct lkst_catalog *catalog,
			     const struct lkst_fleet_incident *i);

struct lkst_fleet_host {
	u8 machine[16];
	u32 seen; /* seconds of the time of day */
	u32 cpus;
	const char *version; /* of the program */
	char *const *labels; /* "NAME=VALUE" */
	u32 nr_labels;
};

void lkst_fleet_put_host(struct lkst_packed_rows *rows, const struct lkst_catalog *catalog,
			 const struct lkst_fleet_host *h);

#endif
