/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording: programs loaded and attached, rings mapped. */
#include "live/session.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "live/pins.h"
#include "live/programs.h"

enum {
	/* The maskset in force while recording; 0 records nothing. */
	MASKSET_OFF = 0,
	MASKSET_ON = 2,
};

struct lkst_session {
	struct lkst_programs programs;
	struct lkst_rings rings;
	const struct lkst_catalog *catalog;
	struct lkst_catalog *own_catalog; /* of an opened session */
	u64 pin; /* what pin_identity() said when it was opened */
	struct lkst_keep keep;
};

const struct lkst_notes *lkst_session_notes(const struct lkst_session *s)
{
	return &s->programs.notes;
}

static void fill_state_pages(struct lkst_session *s, const struct lkst_memory *memory,
			     const u8 *uuid)
{
	u32 buffer, cpu;

	for (buffer = 0; buffer < LKST_BUFFERS_AT_START; buffer++)
		for (cpu = 0; cpu < memory->nr_cpus; cpu++)
			lkst_memory_init_state(memory, cpu, buffer, uuid,
					       lkst_rings_state(&s->rings, cpu, buffer));
}

static void fill_control(struct lkst_control *c, const struct lkst_plan *plan, u32 nr_cpus)
{
	struct timespec now;
	unsigned int set, id, buffer, cpu;

	clock_gettime(CLOCK_MONOTONIC, &now);
	c->magic = LKST_CONTROL_MAGIC;
	c->version = LKST_ABI_VERSION;
	c->nr_cpus = nr_cpus;
	c->active = MASKSET_OFF;
	c->start_ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	memcpy(c->uuid, plan->catalog->uuid, sizeof(c->uuid));
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; cpu < nr_cpus; cpu++)
			c->page[buffer][cpu] =
				(buffer < LKST_BUFFERS_AT_START ? buffer : LKST_BUFFER_MAIN) *
					nr_cpus +
				cpu;
	for (set = 0; set < LKST_MASKSETS; set++)
		for (id = 0; id < LKST_EVENT_SPACE; id++)
			c->route[set][id] = lkst_route(LKST_HANDLER_NOTHING, LKST_BUFFER_MAIN);
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (plan->is_wanted[id])
			c->route[MASKSET_ON][id] =
				lkst_route(LKST_HANDLER_DEFAULT, plan->buffer[id]);
}

static struct lkst_session *new_session(void)
{
	struct lkst_session *s = calloc(1, sizeof(*s));

	if (s)
		s->keep.fd = s->programs.threads_fd = -1;
	return s;
}

static int prepare(struct lkst_err *e, struct lkst_session *s, const struct lkst_plan *plan,
		   const struct lkst_session_options *options, const struct lkst_memory *memory)
{
	_cleanup_free_ struct lkst_control *control = calloc(1, sizeof(*control));
	int err;

	if (!control)
		return lkst_err_sys(e, -ENOMEM, "starting to record");
	fill_control(control, plan, memory->nr_cpus);
	err = lkst_programs_load(e, &s->programs, plan, &options->filter, memory, control);
	if (!err)
		err = lkst_rings_open(e, lkst_programs_memory_fd(&s->programs),
				      lkst_programs_control_fd(&s->programs), &s->rings);
	if (err)
		return err;
	fill_state_pages(s, memory, plan->catalog->uuid);
	err = lkst_keep_new(e, s->catalog, memory->nr_cpus, memory->block_shift, &s->keep);
	return err ? err : lkst_programs_attach(e, &s->programs, plan);
}

int lkst_session_start(struct lkst_err *e, const struct lkst_plan *plan,
		       const struct lkst_session_options *options,
		       struct lkst_session **ret_session)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = new_session();
	_cleanup_(lkst_memory_free) struct lkst_memory memory = {};
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "starting to record");
	s->catalog = plan->catalog;
	err = lkst_memory_plan(e, options->buffer_bytes, options->block_bytes, &memory);
	if (!err)
		err = lkst_memory_check(e, &memory);
	if (!err)
		err = prepare(e, s, plan, options, &memory);
	if (err)
		return err;
	*ret_session = lkst_take(s);
	return 0;
}

void lkst_session_arm(struct lkst_session *s, bool on)
{
	__atomic_store_n(&s->rings.control->active, on ? MASKSET_ON : MASKSET_OFF,
			 __ATOMIC_RELEASE);
}

int lkst_session_pin(struct lkst_err *e, struct lkst_session *s)
{
	unsigned int i;
	int err;

	err = lkst_pins_put(e, lkst_programs_memory_fd(&s->programs), "memory");
	if (!err)
		err = lkst_pins_put(e, lkst_programs_control_fd(&s->programs), "control");
	if (!err)
		err = lkst_pins_put(e, s->keep.fd, "notes");
	if (!err)
		err = lkst_pins_put(e, s->programs.threads_fd, "threads");
	for (i = 0; i < s->programs.nr_hooks && !err; i++)
		err = lkst_pins_put(e, s->programs.hooks[i].link_fd, s->programs.hooks[i].name);
	return err;
}

static int open_notes(struct lkst_err *e, struct lkst_session *s)
{
	int fd = lkst_pins_get(e, "notes"), err;

	if (fd < 0)
		return fd;
	err = lkst_keep_open(e, fd, &s->keep);
	if (!err)
		err = lkst_keep_catalog(e, &s->keep, &s->own_catalog);
	s->catalog = s->own_catalog;
	return err;
}

static bool is_hook(const char *name)
{
	return strstr(name, "__") != NULL;
}

static int open_hook(void *ctx, const char *name)
{
	struct lkst_session *s = ctx;
	struct lkst_err ignored;
	int fd;

	if (!is_hook(name))
		return 0;
	fd = lkst_pins_get(&ignored, name);
	return fd < 0 ? fd : lkst_programs_add_hook(&s->programs, name, fd);
}

/* The inode of the control map's pin, which no other recording's has; 0: there is none. */
static u64 pin_identity(void)
{
	char path[LKST_PIN_PATH_MAX];
	struct stat st;

	lkst_pins_path("control", path, sizeof(path));
	return stat(path, &st) ? 0 : st.st_ino;
}

int lkst_session_open(struct lkst_err *e, struct lkst_session **ret_session)
{
	_cleanup_(lkst_session_closep) struct lkst_session *s = new_session();
	_cleanup_close_ int memory = -1, control = -1;
	int err;

	if (!s)
		return lkst_err_sys(e, -ENOMEM, "opening the recording");
	if (!lkst_pins_exist())
		return lkst_err_set(e, -ENOENT, "nothing is being recorded; `lkst start` starts");
	s->pin = pin_identity();
	memory = lkst_pins_get(e, "memory");
	if (memory >= 0)
		control = lkst_pins_get(e, "control");
	err = memory < 0 ? memory : control < 0 ? control : 0;
	if (!err)
		err = lkst_rings_open(e, memory, control, &s->rings);
	if (!err)
		err = open_notes(e, s);
	if (!err) {
		s->programs.threads_fd = lkst_pins_get(e, "threads");
		err = s->programs.threads_fd < 0 ? s->programs.threads_fd
						 : lkst_pins_each(e, open_hook, s);
	}
	if (err == -ENOENT)
		return lkst_err_set(e, -EIO,
				    "the recording is incomplete: starting or stopping it was "
				    "interrupted; `lkst stop` clears what is left");
	if (err)
		return err;
	*ret_session = lkst_take(s);
	return 0;
}

bool lkst_session_is_pinned(const struct lkst_session *s)
{
	return s->pin && s->pin == pin_identity();
}

void lkst_session_close(struct lkst_session *s)
{
	if (!s)
		return;
	lkst_programs_unload(&s->programs);
	lkst_keep_close(&s->keep);
	lkst_rings_close(&s->rings);
	lkst_catalog_free(s->own_catalog);
	free(s);
}

void lkst_session_closep(struct lkst_session **s)
{
	lkst_session_close(*s);
}

const struct lkst_rings *lkst_session_rings(const struct lkst_session *s)
{
	return &s->rings;
}

struct lkst_keep *lkst_session_keep(struct lkst_session *s)
{
	return &s->keep;
}

const struct lkst_catalog *lkst_session_catalog(const struct lkst_session *s)
{
	return s->catalog;
}

int lkst_session_list_threads(struct lkst_err *e, const struct lkst_session *s)
{
	int fd = bpf_iter_create(s->programs.threads_fd);

	return fd < 0 ? lkst_err_sys(e, -errno, "listing threads") : fd;
}

int lkst_session_each_hook(struct lkst_err *e, const struct lkst_session *s,
			   int (*each)(void *ctx, const char *hook, u64 skipped), void *ctx)
{
	unsigned int i;
	int err;

	for (i = 0; i < s->programs.nr_hooks; i++) {
		err = each(ctx, s->programs.hooks[i].name,
			   lkst_hook_skipped(&s->programs.hooks[i]));
		if (err)
			return err;
	}
	return 0;
}
