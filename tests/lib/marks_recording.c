// SPDX-License-Identifier: GPL-2.0-only
/* A recording of the marks of programs. */
#include "lib/marks_recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "marks/marks_ask.h"
#include "trace/format/declared.h"

/* A look is not cut off on a slow machine, or with sanitizers. */
#define LOOK_NS 600000000000ULL

static struct lkst_err e;
static const u8 uuid[16] = { 1, 2, 3 };

static int declare(void *ctx, const struct lkst_event_class *event, u32 nr_had, u16 *ret_id)
{
	struct marks_recording *r = ctx;

	return lkst_catalog_add_mark(&e, r->catalog, event, nr_had, ret_id);
}

static void print(struct marks_recording *r, const struct lkst_record *record)
{
	size_t used = strlen(r->text);
	u32 length;
	u16 i;

	if (used > sizeof(r->text) - 400)
		return;
	used += (size_t)sprintf(r->text + used, "%s", record->event->name);
	for (i = 0; i < record->event->nr_fields; i++) {
		const struct lkst_field_class *f = &record->event->fields[i];
		const u8 *bytes = lkst_record_field(record, i, &length);

		if (f->type == LKST_CLASS_STRING)
			used += (size_t)sprintf(r->text + used, " %.*s", (int)length, bytes);
		else
			used += (size_t)sprintf(r->text + used, " %lld",
						(long long)lkst_record_int(record, f));
	}
	strcpy(r->text + used, ";");
}

static void take_block(struct lkst_err *err, struct marks_recording *r, u64 instance, const void *bytes)
{
	struct lkst_block block;
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	int more;

	if (lkst_instance_buffer(instance) != LKST_BUFFER_MARKS ||
	    lkst_block_parse(err, bytes, LKST_MARK_BLOCK, uuid, &block) || block.size != LKST_MARK_BLOCK ||
	    block.instance != instance)
		r->is_bad = true;
	if (r->is_bad)
		return;
	lkst_block_cursor_init(&cursor, &block);
	while ((more = lkst_block_next(err, &cursor, r->catalog, &record)) > 0) {
		r->first_ns = r->nr ? r->first_ns : record.ns;
		r->last_ns = record.ns;
		r->nr++;
		print(r, &record);
	}
	r->is_bad |= more < 0;
}

int marks_give(struct lkst_err *err, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct marks_recording *r = ctx;
	size_t at;

	r->is_bad |= length % LKST_MARK_BLOCK != 0;
	for (at = 0; at < length && !r->is_bad; at += LKST_MARK_BLOCK)
		take_block(err, r, instance, (const u8 *)blocks + at);
	return 0;
}

struct lkst_marks_reader *marks_begin(struct marks_recording *r, u64 since_ns)
{
	const struct lkst_marks_options options = { .dir = getenv("LKST_MARK_DIR"),
						    .nr_cpus = (u32)sysconf(_SC_NPROCESSORS_CONF),
						    .block_shift = LKST_BLOCK_SHIFT_MIN,
						    .uuid = uuid,
						    .since_ns = since_ns,
						    .look_ns = LOOK_NS,
						    .declare = declare,
						    .ctx = r };
	struct lkst_marks_reader *m = NULL;

	memset(r, 0, sizeof(*r));
	r->catalog = lkst_catalog_new();
	if (lkst_marks_new(&e, &options, &m) ||
	    lkst_marks_want(&e, lkst_marks_programs(m), UINT64_MAX, false))
		exit(1);
	return m;
}

int marks_look(struct lkst_marks_reader *m, struct marks_recording *r)
{
	return lkst_marks_gather(&e, m, &(struct lkst_marks_look){ .give = marks_give, .ctx = r });
}

int marks_last_look(struct lkst_marks_reader *m, struct marks_recording *r)
{
	return lkst_marks_gather(&e, m, &(struct lkst_marks_look){ .is_last = true, .give = marks_give, .ctx = r });
}

static int count_lost(void *ctx, s32 pid, u32 uid, const struct lkst_marks_losses *lost)
{
	struct marks_recording *r = ctx;

	r->refused += lost->refused;
	r->overwritten += lost->overwritten;
	return uid != geteuid();
}

void marks_end(struct marks_recording *r, struct lkst_marks_reader *m)
{
	lkst_marks_each_lost(m, count_lost, r);
	lkst_marks_free(m);
	lkst_catalog_free(r->catalog);
}

pid_t marks_in_child(void (*run)(void))
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		run();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		exit(1);
	return pid;
}

void marks_remove_all(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -f %s/lkst-mark.*", getenv("LKST_MARK_DIR"));
	if (system(command))
		exit(1);
}
