/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst start: arms the recorder and leaves. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "cmd/recording.h"
#include "live/incidents.h"
#include "live/pins.h"
#include "live/state.h"

struct options {
	struct lkst_list events;
	const char *maskset;
	struct lkst_list armed;
	u64 buffer_bytes, block_bytes, spare_bytes, budget_ppm, behind_bytes;
	s64 incidents;
	s64 numa_node; /* LKST_NODE_ANY */
	const char *config;
	bool keep;
	bool quiet;
};

static const struct options defaults = {
	.buffer_bytes = 4 << 20,
	.block_bytes = 4 << 10,
	.spare_bytes = UINT64_MAX,
	.numa_node = LKST_NODE_ANY,
};

static const struct lkst_option rows[] = {
	{ "event", 'e', LKST_OPTION_LIST, "GLOB", offsetof(struct options, events), 0, 0,
	  "all but taking and releasing locks",
	  "record what matches: an event, group:event, an LKST mnemonic,\n"
	  "syscall:NAME, or any tracepoint as system:name; may be repeated" },
	{ "maskset", 'm', LKST_OPTION_TEXT, "NAME", offsetof(struct options, maskset), 0, 0, NULL,
	  "begin with this maskset: flight, latency, memory, io, net, RALL,\n"
	  "RDEFAULT, RNOTHING, or the path of a file with one" },
	{ "armed", 0, LKST_OPTION_LIST, "NAME", offsetof(struct options, armed), 0, 0, NULL,
	  "keep the hooks of this maskset attached from now on, so that\n"
	  "switching to it is one store; may be repeated" },
	{ "buffer", 'b', LKST_OPTION_SIZE, "SIZE", offsetof(struct options, buffer_bytes), 0, 0,
	  "4M", "memory per CPU, 64K to 4G, rounded up to a power of two" },
	{ "spare", 0, LKST_OPTION_SIZE, "SIZE", offsetof(struct options, spare_bytes), 0, 0,
	  "a quarter of --buffer", "memory per CPU for buffers made later, `lkst buffer create`" },
	{ "incidents", 'i', LKST_OPTION_NUMBER, "NUMBER", offsetof(struct options, incidents), 0,
	  LKST_INCIDENTS_MAX, "0",
	  "how many moments can be kept at a time (`lkst incident`); each\n"
	  "takes as much memory as --buffer" },
	{ "block", 0, LKST_OPTION_SIZE, "SIZE", offsetof(struct options, block_bytes), 0, 0, "4K",
	  "the unit of reading and writing, 4K to 1M; only 4K can be\n"
	  "found in a crash dump without translation" },
	{ "behind", 0, LKST_OPTION_SIZE, "SIZE", offsetof(struct options, behind_bytes), 0,
	  1LL << 40, "nothing",
	  "take the memory behind this much of what is free: the next boot\n"
	  "overwrites that first, should the machine be reset" },
	{ "numa-node", 0, LKST_OPTION_NUMBER, "N", offsetof(struct options, numa_node), 0, 1023,
	  "any",
	  "take the memory from this NUMA node, for instance one that is\n"
	  "kept apart so that the next boot finds it untouched" },
	{ "budget", 0, LKST_OPTION_SHARE, "SHARE", offsetof(struct options, budget_ppm),
	  LKST_BUDGET_PPM_MIN, LKST_BUDGET_PPM_MAX, "no limit",
	  "what recording may cost of each CPU's time, as in 1%, 0.01% to\n"
	  "50%; above it the least valuable kinds of events are left out\n"
	  "for a while, which the trace shows" },
	{ "config", 0, LKST_OPTION_CONFIG, "FILE", offsetof(struct options, config), 0, 0, NULL,
	  "read these options from a file, see lkst.conf(5); those on the\n"
	  "command line outdo it" },
	{ "keep", 0, LKST_OPTION_FLAG, NULL, offsetof(struct options, keep), 0, 0, NULL,
	  "leave a recording alone that is there already, and succeed" },
	{ "quiet", 'q', LKST_OPTION_FLAG, NULL, offsetof(struct options, quiet), 0, 0, NULL,
	  "say nothing but errors" },
	{ 0 },
};

static int discard_rest(struct lkst_err *e)
{
	struct lkst_err ignored = { "" };

	(void)e;
	return lkst_pins_remove(&ignored);
}

static u64 spare_bytes(const struct options *o)
{
	return o->spare_bytes == UINT64_MAX ? o->buffer_bytes / 4 : o->spare_bytes;
}

static int arm(struct lkst_err *e, const struct options *o, const struct lkst_plan *plan)
{
	const struct lkst_session_options options = { .buffer_bytes = o->buffer_bytes,
						      .block_bytes = o->block_bytes,
						      .spare_bytes = spare_bytes(o),
						      .nr_banks = o->incidents,
						      .budget_ppm = o->budget_ppm,
						      .behind_bytes = o->behind_bytes,
						      .is_on_node = o->numa_node != LKST_NODE_ANY,
						      .numa_node = (int)o->numa_node,
						      .maskset = o->maskset,
						      .armed = o->armed.items,
						      .nr_armed = o->armed.nr };
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	char size[LKST_SIZE_TEXT];
	int err;

	err = lkst_session_start(e, plan, &options, &s);
	if (err)
		return err;
	lkst_recording_print_notes(plan, s, o->quiet);
	err = lkst_incidents_prepare(e, s, o->incidents);
	if (!err)
		err = lkst_pins_prepare(e);
	if (err)
		return err;
	err = lkst_session_pin(e, s);
	if (err) {
		discard_rest(e);
		return err;
	}
	lkst_session_arm(s, true);
	/* With events recorded already: no thread comes or goes unseen in between. */
	err = lkst_state_keep_machine(e, s);
	if (err) {
		discard_rest(e);
		return err;
	}
	lkst_size_format(lkst_session_rings(s)->memory_bytes, size);
	if (!o->quiet)
		printf("recording %u events in %s of memory; `lkst status` shows how it goes\n",
		       lkst_recording_nr_events(s), size);
	return 0;
}

/* One that can be opened is one; what an interrupted start has left is none. */
static int keep_recording(struct lkst_err *e, bool quiet)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = NULL;
	int err = lkst_session_open(e, &s);

	if (!err && !quiet)
		printf("a recording is there already, and goes on\n");
	return err;
}

static int run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct options *o = options;
	struct lkst_plan *plan = NULL;
	_cleanup_close_ int lock = lkst_pins_lock(e);
	int err;

	(void)args, (void)nr_args;
	if (lock < 0)
		return lock;
	if (o->keep && lkst_pins_exist())
		return keep_recording(e, o->quiet);
	if (lkst_pins_exist())
		return lkst_err_set(e, -EBUSY,
				    "a recording is there already; `lkst status` shows it, `lkst "
				    "stop` ends it");
	err = lkst_plan_make_whole(e, o->events.items, o->events.nr, getenv(LKST_BTF_VARIABLE),
				   &plan);
	if (!err)
		err = lkst_recording_identify(e, plan->catalog);
	if (!err)
		err = arm(e, o, plan);
	lkst_plan_free(plan);
	return err;
}

const struct lkst_cmd lkst_cmd_start = {
	.name = "start",
	.summary = "begin to record, and leave: nothing of ours runs while it records",
	.usage =
		"start [--event GLOB]... [--maskset NAME] [--armed NAME]... [--buffer SIZE] "
		"[--spare SIZE] [--incidents NUMBER] [--block SIZE] [--behind SIZE] [--numa-node N] "
		"[--budget SHARE] [--config FILE] [--keep] [--quiet]",
	.help = "Loads and attaches the kernel programs, takes the memory, pins all of it in the BPF\n"
		"file system and exits. The newest events are kept in memory, the oldest are\n"
		"overwritten. `lkst snapshot` saves them, `lkst stop` ends it, and `lkst maskset` changes\n"
		"what is recorded while it goes on.",
	.examples =
		"  lkst start                              all events but locks taken, 4 MiB per CPU\n"
		"  lkst start --buffer 64M                 a longer history\n"
		"  lkst start --maskset flight             system calls, switches and wake-ups\n"
		"  lkst start -e 'sched:*' -e 'syscall:*'  two groups\n"
		"  lkst start -e sched_switch -e 'ext4:*'  an event, and tracepoints by name\n"
		"  lkst start --incidents 4                room to keep four moments\n"
		"  lkst start --budget 1%                  with a limit of what it costs\n"
		"  lkst start --config /etc/lkst/lkst.conf as the service does\n",
	.options = rows,
	.options_size = sizeof(struct options),
	.defaults = &defaults,
	.run = run,
};
