/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst status: what the recording holds now, and what it has lost. */
#include "cmd/status.h"

#include <errno.h>
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "cmd/cmd.h"
#include "cmd/remote.h"
#include "live/pins.h"
#include "trace/mask.h"

struct options {
	bool json, prometheus;
	const char *socket;
};

static const struct lkst_option rows[] = {
	{ "json", 0, LKST_OPTION_FLAG, NULL, offsetof(struct options, json), 0, 0, NULL,
	  "one JSON object, for programs" },
	{ "prometheus", 0, LKST_OPTION_FLAG, NULL, offsetof(struct options, prometheus), 0, 0, NULL,
	  "the text form of Prometheus, for a collector of metrics" },
	LKST_OPTION_SOCKET_ROW(struct options, socket),
	{ 0 },
};

const char *const lkst_loss_keys[LKST_LOSS_NR] = {
	[LKST_LOSS_LEVEL] = "level",
	[LKST_LOSS_TRUNCATED] = "truncated",
	[LKST_LOSS_TOO_LONG] = "too_long",
};

static void write_losses(const struct lkst_report *r, FILE *to)
{
	unsigned int nr = 0, i;
	char name[LKST_BUFFER_TEXT];
	int cause;

	fprintf(to, "\nlost (to be overwritten is the ring's way, and no loss):\n");
	for (i = 0; i < r->nr_rings; i++)
		for (cause = 0; cause < LKST_LOSS_NR; cause++) {
			if (!r->rings[i].lost[cause])
				continue;
			fprintf(to, "  CPU %u, %s buffer: %" PRIu64 " events: %s\n",
				r->rings[i].cpu, lkst_mask_buffer_name(r->rings[i].buffer, name),
				r->rings[i].lost[cause], lkst_loss_names[cause]);
			nr++;
		}
	for (i = 0; i < r->nr_hooks; i++) {
		if (!r->hooks[i].skipped)
			continue;
		fprintf(to,
			"  %s was skipped %" PRIu64 " times: it was already running on the CPU\n",
			r->hooks[i].name, r->hooks[i].skipped);
		nr++;
	}
	if (!nr)
		fprintf(to, "  nothing\n");
}

static void write_text(const struct lkst_report *r, FILE *to)
{
	char bytes[LKST_SIZE_TEXT], written[LKST_SIZE_TEXT], name[LKST_BUFFER_TEXT];
	unsigned int i;

	lkst_size_format(r->memory_bytes, bytes);
	fprintf(to,
		"recording %u events (maskset %u, %s) for %.1f s, %s of memory, blocks of %u "
		"bytes\n",
		r->nr_events, r->maskset, r->maskset_name, r->seconds, bytes, r->block_bytes);
	fprintf(to, "\n%-8s%5s %12s %12s %14s %12s\n", "buffer", "CPU", "size", "history s",
		"written", "overwritten");
	for (i = 0; i < r->nr_rings; i++) {
		const struct lkst_ring_report *ring = &r->rings[i];

		lkst_size_format(ring->bytes, bytes);
		lkst_size_format(ring->written_bytes, written);
		fprintf(to, "%-8s%5u %12s %12.3f %14s %12" PRIu64 "\n",
			lkst_mask_buffer_name(ring->buffer, name), ring->cpu, bytes,
			ring->history_s, written, ring->overwritten);
	}
	write_losses(r, to);
	fprintf(to, "%u hooks attached\n", r->nr_attached);
}

static void write_ring_json(const struct lkst_ring_report *ring, FILE *to)
{
	char name[LKST_BUFFER_TEXT];
	int cause;

	fprintf(to,
		"{\"buffer\":\"%s\",\"cpu\":%u,\"bytes\":%" PRIu64 ",\"history_s\":%.6f,"
		"\"written_bytes\":%" PRIu64 ",\"overwritten_blocks\":%" PRIu64 ",\"lost\":{",
		lkst_mask_buffer_name(ring->buffer, name), ring->cpu, ring->bytes, ring->history_s,
		ring->written_bytes, ring->overwritten);
	for (cause = 0; cause < LKST_LOSS_NR; cause++)
		fprintf(to, "%s\"%s\":%" PRIu64, cause ? "," : "", lkst_loss_keys[cause],
			ring->lost[cause]);
	fprintf(to, "}}");
}

static void write_skipped_json(const struct lkst_report *r, FILE *to)
{
	const char *separator = "";
	unsigned int i;

	fprintf(to, "\"skipped\":{");
	for (i = 0; i < r->nr_hooks; i++) {
		if (!r->hooks[i].skipped)
			continue;
		fprintf(to, "%s\"%s\":%" PRIu64, separator, r->hooks[i].name, r->hooks[i].skipped);
		separator = ",";
	}
	fprintf(to, "}");
}

static void write_json(const struct lkst_report *r, FILE *to)
{
	unsigned int i;

	fprintf(to,
		"{\"recording\":true,\"maskset\":%u,\"maskset_name\":\"%s\",\"events\":%u,"
		"\"seconds\":%.3f,\"memory_bytes\":%" PRIu64 ",\"block_bytes\":%u,\"rings\":[",
		r->maskset, r->maskset_name, r->nr_events, r->seconds, r->memory_bytes,
		r->block_bytes);
	for (i = 0; i < r->nr_rings; i++) {
		fprintf(to, "%s", i ? "," : "");
		write_ring_json(&r->rings[i], to);
	}
	fprintf(to, "],");
	write_skipped_json(r, to);
	fprintf(to, ",\"hooks\":%u}\n", r->nr_attached);
}

/* @r NULL: nothing is recorded. */
static void write_page(const struct lkst_report *r, enum lkst_wire_form form, FILE *to)
{
	if (form == LKST_WIRE_PROMETHEUS)
		lkst_status_write_prometheus(r, to);
	else if (form == LKST_WIRE_JSON && r)
		write_json(r, to);
	else if (r)
		write_text(r, to);
	else
		fprintf(to, form == LKST_WIRE_JSON ? "{\"recording\":false}\n"
						   : "nothing is being recorded\n");
}

int lkst_status_write(struct lkst_err *e, enum lkst_wire_form form, FILE *to)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_(lkst_report_free) struct lkst_report r = {};
	_cleanup_close_ int lock = lkst_pins_lock(e);
	bool exists;
	int err;

	if (lock < 0)
		return lock;
	exists = lkst_pins_exist();
	err = exists ? lkst_session_open(e, &s) : 0;
	if (!err && exists)
		err = lkst_report_make(e, s, &r);
	if (!err)
		write_page(exists ? &r : NULL, form, to);
	return err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	enum lkst_wire_form form = o->prometheus ? LKST_WIRE_PROMETHEUS
				   : o->json	 ? LKST_WIRE_JSON
						 : LKST_WIRE_TEXT;
	int err;

	(void)args, (void)nr_args;
	if (o->json && o->prometheus)
		return lkst_err_set(e, -EINVAL, "choose one of --json and --prometheus");
	err = lkst_remote_is_wanted(o->socket) ? lkst_remote_status(e, o->socket, form, stdout)
					       : lkst_status_write(e, form, stdout);
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = lkst_err_sys(e, -errno, "writing the status");
	return err;
}

const struct lkst_cmd lkst_cmd_status = {
	.name = "status",
	.summary = "what the recording holds: seconds of history, losses by cause",
	.usage = "status [--json] [--prometheus] [--socket PATH]",
	.help = "Shows for each CPU and buffer its size, the age of the oldest record that is still\n"
		"there, what was written and overwritten, and every loss with its cause. Without root\n"
		"it asks the service (lkst serve), which answers members of group lkst.",
	.options = rows,
	.options_size = sizeof(struct options),
	.run = run,
};
