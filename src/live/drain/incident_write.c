/* SPDX-License-Identifier: GPL-2.0-only */
/* Writing an incident's records. */
#include "live/drain/incident_write.h"

#include "base/cleanup.h"
#include "live/drain/after.h"
#include "live/drain/snapshot.h"
#include "live/rings/writers.h"

int lkst_incident_save(struct lkst_err *e, const struct lkst_session *s,
		       const struct lkst_incident *incident, struct lkst_writer *w)
{
	_cleanup_(lkst_readings_fini) struct lkst_readings readings = {};
	const struct lkst_snapshot_options options = {
		.buffers = 1U << incident->bank | 1U << LKST_BUFFER_LIFE,
		.until_ns = incident->until_ns - 1,
		.marks_ns = incident->begin_ns ?: incident->until_ns,
		.symbols = true,
		.readings = &readings,
	};
	int err = lkst_incident_check_over(e, incident);

	if (err)
		return err;
	lkst_readings_take(s, &readings);
	/* A writer whose record belongs to the incident may still be writing. */
	lkst_wait_for_writers(lkst_session_rings(s)->nr_cpus);
	err = lkst_after_count(e, s, incident, &readings);
	return err ?: lkst_snapshot_write(e, s, &options, w);
}
