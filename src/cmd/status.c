/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst status: what the recording holds now, and what it has lost. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "cmd/cmd.h"
#include "live/pins.h"
#include "live/session.h"
#include "live/state.h"
#include "trace/mask.h"

struct options {
	bool json;
};

static const struct lkst_option rows[] = {
	{ "json", 0, LKST_OPTION_FLAG, NULL, offsetof(struct options, json), 0, 0, NULL,
	  "one JSON object, for programs" },
	{ 0 },
};

static const char *const buffer_names[LKST_NR_BUFFERS] = {
	[LKST_BUFFER_MAIN] = "main",
	[LKST_BUFFER_LIFE] = "life",
};

/* The rings of one CPU and buffer, looked at once. */
struct ring_status {
	u64 bytes;	   /* they can hold */
	u64 written_bytes; /* since recording began */
	double history_s;  /* age of the oldest record that is still there */
	u64 overwritten;   /* blocks */
	u64 lost[LKST_LOSS_NR];
};

static void look_at(const struct lkst_rings *r, u32 cpu, u32 buffer, struct ring_status *ret)
{
	const struct lkst_state *st = lkst_rings_state(r, cpu, buffer);
	u64 oldest = lkst_rings_oldest_ns(r, cpu, buffer), now = lkst_monotonic_ns();
	int cause, level;

	/* The rings of interrupting writers are memory, but not what a user asked for. */
	*ret = (struct ring_status){ .bytes = (u64)(st->ring[0].mask + 1) << r->block_shift,
				     .history_s =
					     oldest && oldest < now ? (now - oldest) / 1e9 : 0 };
	for (level = 0; level < LKST_LEVELS; level++) {
		const struct lkst_ring *ring = &st->ring[level];

		ret->written_bytes += __atomic_load_n(&ring->done, __ATOMIC_RELAXED);
		ret->overwritten += lkst_ring_oldest(ring);
	}
	for (cause = 0; cause < LKST_LOSS_NR; cause++)
		ret->lost[cause] = __atomic_load_n(&st->lost[cause], __ATOMIC_RELAXED);
}

struct skipped {
	bool json;
	unsigned int nr_hooks, nr_skipping;
};

static int print_skipped(void *ctx, const char *hook, bool is_attached, u64 skipped)
{
	struct skipped *k = ctx;

	k->nr_hooks += is_attached;
	if (!skipped)
		return 0;
	if (k->json)
		printf("%s\"%s\":%" PRIu64, k->nr_skipping ? "," : "", hook, skipped);
	else
		printf("  %s was skipped %" PRIu64 " times: it was already running on the CPU\n",
		       hook, skipped);
	k->nr_skipping++;
	return 0;
}

/* The control page is shared memory: what is read from it is checked. */
static u32 active_of(const struct lkst_rings *r)
{
	return r->control->active & (LKST_MASKSETS - 1);
}

/* Returns how many lines that were. */
static unsigned int print_losses(const struct ring_status *ring, u32 cpu, const char *buffer)
{
	unsigned int nr = 0;
	int cause;

	for (cause = 0; cause < LKST_LOSS_NR; cause++) {
		if (!ring->lost[cause])
			continue;
		printf("  CPU %u, %s buffer: %" PRIu64 " events: %s\n", cpu, buffer,
		       ring->lost[cause], lkst_loss_names[cause]);
		nr++;
	}
	return nr;
}

static int print_text(struct lkst_err *e, const struct lkst_session *s)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	struct skipped skipped = { .json = false };
	char bytes[LKST_SIZE_TEXT], written[LKST_SIZE_TEXT];
	unsigned int nr_losses = 0;
	u32 buffer, cpu;
	int err;

	lkst_size_format(r->memory_bytes, bytes);
	printf("recording %u events (maskset %u, %.*s) for %.1f s, %s of memory, blocks of %u "
	       "bytes\n",
	       lkst_mask_count(r->control->route[active_of(r)], lkst_session_catalog(s)),
	       active_of(r), LKST_MASKSET_NAME, r->control->name[active_of(r)],
	       (lkst_monotonic_ns() - r->control->start_ns) / 1e9, bytes, 1U << r->block_shift);
	printf("\n%-8s%5s %12s %12s %14s %12s\n", "buffer", "CPU", "size", "history s", "written",
	       "overwritten");
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; lkst_rings_has(r, buffer) && cpu < r->nr_cpus; cpu++) {
			struct ring_status ring;

			look_at(r, cpu, buffer, &ring);
			lkst_size_format(ring.bytes, bytes);
			lkst_size_format(ring.written_bytes, written);
			printf("%-8s%5u %12s %12.3f %14s %12" PRIu64 "\n", buffer_names[buffer],
			       cpu, bytes, ring.history_s, written, ring.overwritten);
		}
	printf("\nlost (to be overwritten is the ring's way, and no loss):\n");
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; lkst_rings_has(r, buffer) && cpu < r->nr_cpus; cpu++) {
			struct ring_status ring;

			look_at(r, cpu, buffer, &ring);
			nr_losses += print_losses(&ring, cpu, buffer_names[buffer]);
		}
	err = lkst_session_each_hook(e, s, print_skipped, &skipped);
	if (!nr_losses && !skipped.nr_skipping)
		printf("  nothing\n");
	printf("%u hooks attached\n", skipped.nr_hooks);
	return err;
}

static void print_ring_json(const struct ring_status *ring, u32 cpu, const char *buffer)
{
	static const char *const keys[LKST_LOSS_NR] = {
		[LKST_LOSS_LEVEL] = "level",
		[LKST_LOSS_TRUNCATED] = "truncated",
		[LKST_LOSS_TOO_LONG] = "too_long",
	};
	int cause;

	printf("{\"buffer\":\"%s\",\"cpu\":%u,\"bytes\":%" PRIu64 ",\"history_s\":%.6f,"
	       "\"written_bytes\":%" PRIu64 ",\"overwritten_blocks\":%" PRIu64 ",\"lost\":{",
	       buffer, cpu, ring->bytes, ring->history_s, ring->written_bytes, ring->overwritten);
	for (cause = 0; cause < LKST_LOSS_NR; cause++)
		printf("%s\"%s\":%" PRIu64, cause ? "," : "", keys[cause], ring->lost[cause]);
	printf("}}");
}

static int print_json(struct lkst_err *e, const struct lkst_session *s)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	struct skipped skipped = { .json = true };
	u32 buffer, cpu;
	int err;

	printf("{\"recording\":true,\"maskset\":%u,\"maskset_name\":\"%.*s\",\"events\":%u,"
	       "\"seconds\":%.3f,\"memory_bytes\":%zu,\"block_bytes\":%u,\"rings\":[",
	       active_of(r), LKST_MASKSET_NAME, r->control->name[active_of(r)],
	       lkst_mask_count(r->control->route[active_of(r)], lkst_session_catalog(s)),
	       (lkst_monotonic_ns() - r->control->start_ns) / 1e9, r->memory_bytes,
	       1U << r->block_shift);
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; lkst_rings_has(r, buffer) && cpu < r->nr_cpus; cpu++) {
			struct ring_status ring;

			look_at(r, cpu, buffer, &ring);
			printf("%s", buffer || cpu ? "," : "");
			print_ring_json(&ring, cpu, buffer_names[buffer]);
		}
	printf("],\"skipped\":{");
	err = lkst_session_each_hook(e, s, print_skipped, &skipped);
	printf("},\"hooks\":%u}\n", skipped.nr_hooks);
	return err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_close_ int lock = lkst_pins_lock(e);
	int err;

	(void)args, (void)nr_args;
	if (lock < 0)
		return lock;
	if (!lkst_pins_exist()) {
		printf(o->json ? "{\"recording\":false}\n" : "nothing is being recorded\n");
		return 0;
	}
	err = lkst_session_open(e, &s);
	if (err)
		return err;
	return o->json ? print_json(e, s) : print_text(e, s);
}

const struct lkst_cmd lkst_cmd_status = {
	.name = "status",
	.summary = "what the recording holds: seconds of history, losses by cause",
	.usage = "status [--json]",
	.help = "Shows for each CPU and buffer its size, the age of the oldest record that is still\n"
		"there, what was written and overwritten, and every loss with its cause.",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
