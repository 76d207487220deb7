/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's notices of incidents, for a process that saves them: while there is nothing to save, it sleeps. To open
 * a recording takes a turn and some hundred calls; here its control page says what there is.
 */
#ifndef LKST_LIVE_DRAIN_INCIDENT_NOTICES_H
#define LKST_LIVE_DRAIN_INCIDENT_NOTICES_H

#include "live/session/session.h"

struct lkst_incident_notices;

/* Of recording @s, which may be closed then. */
int lkst_incident_notices_open(struct lkst_err *e, const struct lkst_session *s,
			       struct lkst_incident_notices **ret_notices);
void lkst_incident_notices_close(struct lkst_incident_notices *n);
LKST_GUARD(lkst_incident_notices_close, struct lkst_incident_notices)

/* Whether an incident of the recording is kept and over, or the recording is, and another one may have begun. */
bool lkst_incident_notices_are_due(const struct lkst_incident_notices *n);

/*
 * Waits until that may be so, or @wake_fd can be read. What is due already, since it could not be saved or another
 * command is saving it, is to be tried again after @retry_ms: no notice tells when. Returns 1 if @wake_fd can be read,
 * else 0; or a negative errno and a sentence.
 */
int lkst_incident_notices_wait(struct lkst_err *e, struct lkst_incident_notices *n, int wake_fd, int retry_ms);

#endif
