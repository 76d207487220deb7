/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst buffer: where records go. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "cmd/cmd.h"
#include "live/pins.h"
#include "live/session.h"
#include "trace/mask.h"

struct options {
	bool json;
};

static const struct lkst_option rows[] = {
	{ "json", 0, LKST_OPTION_FLAG, NULL, offsetof(struct options, json), 0, 0, NULL,
	  "one JSON object per line, for programs" },
	{ 0 },
};

/* How many events the maskset in force sends to @buffer. */
static unsigned int count_events(const struct lkst_session *s, u32 buffer)
{
	const struct lkst_control *c = lkst_session_control(s);
	const struct lkst_catalog *catalog = lkst_session_catalog(s);
	const u16 *route = c->route[c->active & (LKST_MASKSETS - 1)];
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		nr += catalog->classes[id] && lkst_mask_decides(catalog->classes[id]) &&
		      (route[id] & 0xff) != LKST_HANDLER_NOTHING && route[id] >> 8 == (u16)buffer;
	return nr;
}

static void list_ring(const struct lkst_session *s, u32 cpu, u32 buffer, bool json)
{
	const struct lkst_rings *r = lkst_session_rings(s);
	/* The rings of interrupting writers are memory, too, but not what a user asked for. */
	u64 bytes = (u64)(lkst_rings_state(r, cpu, buffer)->ring[0].mask + 1) << r->block_shift;
	char size[LKST_SIZE_TEXT], text[LKST_BUFFER_TEXT];
	const char *name = lkst_mask_buffer_name((u8)buffer, text);
	unsigned int nr = count_events(s, buffer);

	lkst_size_format(bytes, size);
	if (json)
		printf("{\"id\":%u,\"name\":\"%s\",\"cpu\":%u,\"bytes\":%" PRIu64
		       ",\"events\":%u}\n",
		       buffer, name, cpu, bytes, nr);
	else
		printf("%3u  %-8s %5u %12s %8u\n", buffer, name, cpu, size, nr);
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	_cleanup_close_ int lock = -1;
	const struct lkst_rings *r;
	u32 buffer, cpu;
	int err;

	(void)nr_args;
	if (strcmp(args[0], "list"))
		return lkst_err_set(e, -EINVAL, "there is no \"%s\"; see --help", args[0]);
	lock = lkst_pins_lock(e);
	err = lock < 0 ? lock : lkst_session_open(e, &s);
	if (err)
		return err;
	r = lkst_session_rings(s);
	if (!o->json)
		printf("%3s  %-8s %5s %12s %8s\n", "ID", "NAME", "CPU", "SIZE", "EVENTS");
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; cpu < r->nr_cpus && lkst_rings_has(r, buffer); cpu++)
			list_ring(s, cpu, buffer, o->json);
	return 0;
}

const struct lkst_cmd lkst_cmd_buffer = {
	.name = "buffer",
	.summary = "where records go",
	.usage = "buffer [--json] list",
	.help = "A buffer is memory of a CPU that overwrites itself; a maskset says for each event which\n"
		"buffer its records go to. This lists them: number, name, CPU, size, and how many events\n"
		"the maskset in force sends there. `lkst status` shows how full they are.",
	.examples = "  lkst buffer list\n"
		    "  lkst maskset --buffer life 'mine+=signal_*'\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
