/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands that record have in common. */
#include "cmd/recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/cleanup.h"
#include "live/state.h"
#include "trace/mask.h"

void lkst_recording_print(const struct lkst_notes *notes)
{
	unsigned int i;

	for (i = 0; i < notes->nr; i++)
		fprintf(stderr, "lkst: %s\n", notes->text[i]);
}

void lkst_recording_print_notes(const struct lkst_plan *plan, const struct lkst_session *s,
				bool quiet)
{
	if (quiet)
		return;
	lkst_recording_print(&plan->notes);
	lkst_recording_print(lkst_session_notes(s));
}

unsigned int lkst_recording_nr_events(const struct lkst_session *s)
{
	const struct lkst_control *c = lkst_session_control(s);

	return lkst_mask_count(c->route[c->active & (LKST_MASKSETS - 1)], lkst_session_catalog(s));
}

void lkst_recording_boot_id(u8 ret_id[16])
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/random/boot_id", "re");
	unsigned int i, byte;

	memset(ret_id, 0, 16);
	for (i = 0; f && i < 16; i++) {
		if (fscanf(f, i == 4 || i == 6 || i == 8 || i == 10 ? "-%2x" : "%2x", &byte) != 1) {
			memset(ret_id, 0, 16);
			return;
		}
		ret_id[i] = (u8)byte;
	}
}

int lkst_recording_identify(struct lkst_err *e, struct lkst_catalog *c)
{
	struct utsname u;

	if (getrandom(c->uuid, sizeof(c->uuid), 0) != sizeof(c->uuid))
		return lkst_err_sys(e, -errno, "making a UUID");
	c->uuid[6] = (c->uuid[6] & 0x0f) | 0x40; /* RFC 9562: version 4 */
	c->uuid[8] = (c->uuid[8] & 0x3f) | 0x80;
	if (uname(&u))
		return lkst_err_sys(e, -errno, "asking for the machine's name");
	snprintf(c->hostname, sizeof(c->hostname), "%s", u.nodename);
	snprintf(c->release, sizeof(c->release), "%s", u.release);
	snprintf(c->version, sizeof(c->version), "%s", u.version);
	snprintf(c->machine, sizeof(c->machine), "%s", u.machine);
	lkst_recording_boot_id(c->boot_id);
	c->clock_offset_ns = lkst_clock_offset_ns();
	return 0;
}

void lkst_recording_default_dir(char *name, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(name, size, "lkst-%Y%m%d-%H%M%S", &tm);
}
