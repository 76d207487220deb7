/* SPDX-License-Identifier: GPL-2.0-only */
/* What the commands that record have in common. */
#include "cmd/recorders/recording.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "crash/ids.h"
#include "live/recording/cost.h"
#include "live/state/write_symbols.h"
#include "masks/mask.h"

void lkst_recording_print(const struct lkst_notes *notes)
{
	unsigned int i;

	for (i = 0; i < notes->nr; i++)
		lkst_print_message(stderr, "lkst: %s", notes->text[i]);
}

void lkst_recording_print_notes(const struct lkst_plan *plan, const struct lkst_session *s,
				bool quiet)
{
	if (quiet)
		return;
	lkst_recording_print(&plan->notes);
	lkst_recording_print(lkst_session_notes(s));
}

int lkst_recording_check_symbols(struct lkst_err *e, const struct lkst_session *s, bool must,
				 bool quiet)
{
	const char *obstacle = lkst_symbols_obstacle(s);

	if (!obstacle)
		return 0;
	if (must)
		return lkst_err_set(e, -EPERM, "--symbols: there are no names: %s", obstacle);
	if (!quiet)
		lkst_print_message(stderr, "lkst: addresses in this trace have no names: %s",
				   obstacle);
	return 0;
}

/* Hours are more than enough to say of what is seldom filled. */
static void format_seconds(double seconds, char text[LKST_DURATION_TEXT])
{
	const double day = 86400;

	if (!(seconds > 0) || seconds > day)
		snprintf(text, LKST_DURATION_TEXT, "more than a day");
	else
		lkst_duration_format((u64)(seconds * 1e9), text);
}

static void print_wish(struct lkst_out *out, const struct lkst_history *h)
{
	char wish[LKST_DURATION_TEXT], buffer[LKST_SIZE_TEXT], memory[LKST_SIZE_TEXT];
	const struct lkst_held *main = &h->held[0];

	lkst_duration_format((u64)(h->wish_s * 1e9), wish);
	if (h->is_wished && (!(main->rate > 0) || main->seconds >= h->wish_s)) {
		lkst_out_printf(out, "; the wish for %s holds\n", wish);
		return;
	}
	lkst_out_printf(out, "; %s%s", h->is_wished ? "the wish for " : "", wish);
	if (!h->buffer_bytes) {
		lkst_out_printf(out, " would take more than a recording can have\n");
		return;
	}
	lkst_size_format(h->buffer_bytes, buffer);
	lkst_size_format(h->memory_bytes, memory);
	lkst_out_printf(out, "%s would take %s for each CPU, %s in all\n",
			h->is_wished ? " does not hold: it" : "", buffer, memory);
}

void lkst_recording_print_history(struct lkst_out *out, const struct lkst_history *h,
				  const char *rate)
{
	char seconds[LKST_DURATION_TEXT];
	unsigned int i;

	for (i = 0; i < h->nr; i++) {
		format_seconds(h->held[i].seconds, seconds);
		lkst_out_printf(out, "%s%s holds %s", i ? ", " : "", h->held[i].name, seconds);
		if (!i)
			lkst_out_printf(out, " %s of CPU %u, the busiest", rate, h->held[i].cpu);
	}
	if (h->nr)
		print_wish(out, h);
}

void lkst_recording_print_core(struct lkst_out *out, const struct lkst_cost *cost, u32 limit_ppm)
{
	if (!limit_ppm || cost->core_share * 1e6 <= limit_ppm)
		return;
	lkst_out_printf(out,
			"what is never left out, switches and wakings above all, costs %.2f %% of CPU %u's time alone: "
			"more than the limit of %.2f %%\n",
			cost->core_share * 100, cost->core_cpu, limit_ppm / 1e4);
}

enum { LEFT_OUT_NAMES = 4 }; /* the rest is counted */

/* Whether @k is told with the kind that stands for all that its hooks serve. */
static bool recording_is_part(const struct lkst_budget_view *v, const struct lkst_kind *k)
{
	u32 whole = k->group < v->page.nr_groups ? v->groups[k->group].whole : LKST_KIND_NONE;

	return whole < v->page.nr_kinds && &v->kinds[whole] != k && v->kinds[whole].is_shed;
}

/* Whether maskset entries @route have something that may be left out. */
static bool has_more_than_core(const struct lkst_budget_view *v, const u16 *route)
{
	u32 i, half;

	for (i = 0; i < v->page.nr_kinds; i++)
		for (half = 0; half < 2 && v->kinds[i].value != LKST_KIND_PRECIOUS; half++) {
			u16 id = v->kinds[i].id[half] & LKST_ID_MAX;

			if (id && lkst_route_handler(route[id]) != LKST_HANDLER_NOTHING)
				return true;
		}
	return false;
}

void lkst_recording_print_has(struct lkst_out *out, const struct lkst_session *s, const struct lkst_budget_view *v)
{
	const struct lkst_control *c = lkst_session_control(s);
	unsigned int nr = 0, i;

	if (!v->page.limit_ppm)
		return;
	lkst_out_str(out, "it has the core");
	if (has_more_than_core(v, c->route[c->active & (LKST_MASKSETS - 1)]))
		lkst_out_printf(out, ", and of the rest what has room below %.2f %% of a CPU",
				v->page.limit_ppm / 1e4);
	else
		lkst_out_str(out, " alone");
	for (i = 0; i < v->page.nr_kinds; i++) {
		const struct lkst_kind *k = &v->kinds[i];

		if (k->is_shed && !recording_is_part(v, k) && nr++ < LEFT_OUT_NAMES)
			lkst_out_printf(out, "%s%s", nr > 1 ? ", " : ": all but ", k->name);
	}
	if (nr > LEFT_OUT_NAMES)
		lkst_out_printf(out, " and %u more", nr - LEFT_OUT_NAMES);
	else if (!nr && has_more_than_core(v, c->route[c->active & (LKST_MASKSETS - 1)]))
		lkst_out_str(out, ": all of it");
	lkst_out_str(out, "\n");
}

unsigned int lkst_recording_nr_events(const struct lkst_session *s)
{
	const struct lkst_control *c = lkst_session_control(s);

	return lkst_mask_count(c->route[c->active & (LKST_MASKSETS - 1)], lkst_session_catalog(s));
}

void lkst_recording_leave_id(const struct lkst_session *s, bool quiet)
{
	const struct lkst_control *c = lkst_session_control(s);
	struct lkst_memory_id id;
	struct lkst_err e;

	memcpy(id.id, c->memory_id, sizeof(id.id));
	memcpy(id.uuid, c->uuid, sizeof(id.uuid));
	if (lkst_memory_ids_add(&e, LKST_MEMORY_IDS, &id) && !quiet)
		lkst_print_message(stderr,
				   "should the machine crash, forged pages cannot be told from those of this "
				   "recording: %s",
				   e.text);
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
