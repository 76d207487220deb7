/* SPDX-License-Identifier: GPL-2.0-only */
/* Saving and dropping incidents, for lkst incident. */
#ifndef LKST_CMD_INCIDENT_H
#define LKST_CMD_INCIDENT_H

#include "cmd/recorders/verbs.h"
#include "live/drain/incident_write.h"
#include "live/drain/incidents.h"

enum { LKST_INCIDENT_DAY = 64 };

/* When it was, as the time of day: 2026-11-22T18:00:05. */
void lkst_incident_format_day(const struct lkst_incident *i, char text[LKST_INCIDENT_DAY]);

struct lkst_incident_saving {
	const char *dir; /* that traces are made in */
	bool drop, quiet;
	bool is_bundle;	 /* each is a bundle in place of a trace directory */
	bool is_private; /* nobody else may read it */
	const struct lkst_access *access; /* who may */
};

/*
 * Makes DIR/incident-NUMBER-TIME of an incident, or the bundle of that name, unless that is there already, and then
 * drops the incident if that is wanted: a kill at any moment, or a full disk, leaves the trace or the incident, and the
 * next call continues from there. The recording must be open, without a turn (lkst_job_give_turn()).
 */
int lkst_incident_publish(struct lkst_job *job, const struct lkst_incident *i,
			  const struct lkst_incident_saving *how);

/* Drops the incident. The caller must not have a turn. */
int lkst_incident_give_up(struct lkst_job *job, const struct lkst_incident *i);

/**
 Stays, and saves and drops each incident when it is over, until SIGINT or SIGTERM. Reports what fails
 * and retries it, ever more rarely; returns only for errors that no retry can fix. No recording is open before.
 */
int lkst_incident_watch(struct lkst_job *job, const struct lkst_incident_saving *how);

#endif
