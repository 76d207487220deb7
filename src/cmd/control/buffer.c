/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst buffer: where records go, and changing that during recording. */
#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/size.h"
#include "cmd/frame/answer.h"
#include "cmd/recorders/verbs.h"
#include "live/session/buffers.h"

struct buffer_options {
	u64 size;
	const char *of;
	s64 cpu;
	struct lkst_answer_form form;
	bool quiet;
};

static const struct buffer_options defaults = {
	.size = 256 << 10,
	.of = "main",
	.cpu = LKST_EVERY_CPU,
};

static const struct lkst_option rows[] = {
	LKST_OPTION(SIZE, struct buffer_options, size, .name = "size", .letter = 's', .argument = "SIZE",
		    .standard = "256K",
		    .help = "with create: memory per CPU, 64K to 4G, rounded up to a power\n"
			    "of two"),
	LKST_OPTION(TEXT, struct buffer_options, of, .name = "of", .argument = "NAME", .standard = "main",
		    .help = "with jump and shift: the buffer whose records are meant"),
	LKST_OPTION(NUMBER, struct buffer_options, cpu, .name = "cpu", .letter = 'c', .argument = "CPU",
		    .max = LKST_POSSIBLE_CPUS_MAX - 1, .standard = "every CPU",
		    .help = "with jump and shift: on this CPU only"),
	LKST_ANSWER_ROWS(struct buffer_options, form, "with list: how to print it"),
	LKST_OPTION(FLAG, struct buffer_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static const struct buffer_options *buffer_options_of(const struct lkst_job *job)
{
	return job->options;
}

/* ---- list ------------------------------------------------------------------------------------- */

/* How many events the active maskset sends to @buffer. */
static unsigned int buffer_count_events(const struct lkst_session *s, u32 buffer)
{
	const struct lkst_control *c = lkst_session_control(s);
	const struct lkst_catalog *catalog = lkst_session_catalog(s);
	const u16 *route = c->route[c->active & (LKST_MASKSETS - 1)];
	unsigned int nr = 0;
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		nr += catalog->classes[id] && lkst_class_is_maskable(catalog->classes[id]) &&
		      (route[id] & 0xff) != LKST_HANDLER_NOTHING && route[id] >> 8 == (u16)buffer;
	return nr;
}

/* Names the buffers whose records @buffer gets on @cpu now. */
static void name_served(const struct lkst_session *s, u32 buffer, u32 cpu, char *text, size_t size)
{
	size_t used = 0;
	u32 of;

	text[0] = 0;
	for (of = 0; of < LKST_NR_BUFFERS; of++)
		if (lkst_buffer_exists(s, of) && lkst_buffer_active(s, of, cpu) == buffer &&
		    used < size)
			used += snprintf(text + used, size - used, "%s%s", used ? "," : "",
					 lkst_buffer_name(s, of));
}

static const struct lkst_column columns[] = {
	{ "id", "ID", LKST_COLUMN_COUNT, "the buffer's number" },
	{ "name", "NAME", LKST_COLUMN_TEXT, "its name" },
	{ "cpu", "CPU", LKST_COLUMN_CPU, "the CPU" },
	{ "bytes", "SIZE", LKST_COLUMN_BYTES, "its memory on that CPU" },
	{ "events", "EVENTS", LKST_COLUMN_COUNT, "how many the active maskset sends there" },
	{ "gets", NULL, LKST_COLUMN_TEXT, "the buffers whose records it gets now" },
	{ "next", NULL, LKST_COLUMN_TEXT, "the buffer that the CPU continues in when it is full" },
	{ NULL, "GETS", LKST_COLUMN_TEXT, "the same; none is no value" },
	{ NULL, "NEXT", LKST_COLUMN_TEXT, "the same" },
};

/* For people: a name that is empty is none. */
static void buffer_put_name(struct lkst_table *t, const char *name)
{
	if (*name)
		lkst_table_str(t, name);
	else
		lkst_table_none(t);
}

static void list_ring(const struct lkst_job *job, u32 cpu, u32 buffer, struct lkst_table *t)
{
	const struct lkst_rings *r = lkst_session_rings(job->s);
	/* The rings of interrupting writers are memory, too, but not what a user asked for. */
	u64 bytes = (u64)(lkst_rings_state(r, cpu, buffer)->ring[0].mask + 1) << r->block_shift;
	u32 next = lkst_session_control(job->s)->next[buffer] % LKST_NR_BUFFERS;
	const char *next_name = next == buffer ? "" : lkst_buffer_name(job->s, next);
	char served[LKST_NR_BUFFERS * LKST_BUFFER_NAME];

	name_served(job->s, buffer, cpu, served, sizeof(served));
	lkst_table_row(t);
	lkst_table_u64(t, buffer);
	lkst_table_str(t, lkst_buffer_name(job->s, buffer));
	lkst_table_s64(t, cpu);
	lkst_table_u64(t, bytes);
	lkst_table_u64(t, buffer_count_events(job->s, buffer));
	lkst_table_str(t, served);
	lkst_table_str(t, next_name);
	buffer_put_name(t, served);
	buffer_put_name(t, next_name);
}

static void buffer_list(struct lkst_job *job, struct lkst_answer *a)
{
	_cleanup_(lkst_table_fini) struct lkst_table t = {};
	const struct lkst_rings *r = lkst_session_rings(job->s);
	u64 room = lkst_buffer_room(job->s);
	char size[LKST_SIZE_TEXT];
	u32 buffer, cpu;

	lkst_table_init_of(&t, "buffers", "", columns);
	for (buffer = 0; buffer < LKST_NR_BUFFERS; buffer++)
		for (cpu = 0; cpu < r->nr_cpus && lkst_buffer_exists(job->s, buffer); cpu++)
			list_ring(job, cpu, buffer, &t);
	lkst_answer_table(a, &t);
	lkst_size_format(room, size);
	if (a->format == LKST_TABLE_TEXT)
		lkst_out_printf(a->out, "room for another one: %s per CPU\n", room ? size : "none");
}

static int buffer_verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_answer a;
	int err = lkst_answer_begin(job->e, &buffer_options_of(job)->form, &a);

	if (!err)
		buffer_list(job, &a);
	return lkst_answer_end(&a, err);
}

/* ---- the others ------------------------------------------------------------------------------- */

static int verb_create(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 buffer;
	int err = lkst_buffer_create(job->e, job->s, args[0], buffer_options_of(job)->size, &buffer);

	if (!err && !buffer_options_of(job)->quiet)
		printf("buffer %u (%s)\n", buffer, args[0]);
	return err;
}

static int verb_delete(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 buffer;
	int err = lkst_buffer_find(job->e, job->s, args[0], &buffer);

	return err ? err : lkst_buffer_delete(job->e, job->s, buffer);
}

static int verb_clear(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 buffer;
	int err = lkst_buffer_find(job->e, job->s, args[0], &buffer);

	return err ? err : lkst_buffer_clear(job->e, job->s, buffer);
}

static int verb_size(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 buffer;
	u64 bytes;
	int err = lkst_buffer_find(job->e, job->s, args[0], &buffer) ?:
		  lkst_size_parse(job->e, args[1], &bytes);

	return err ? err : lkst_buffer_resize(job->e, job->s, buffer, bytes);
}

/* One after the other; the last leads nowhere, or, in a ring, to the first. */
static int link_all(struct lkst_job *job, char **args, unsigned int nr_args, bool is_ring)
{
	u32 first = 0, before = 0, buffer;
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr_args && !err; i++, before = buffer) {
		err = lkst_buffer_find(job->e, job->s, args[i], &buffer);
		if (!err && i)
			err = lkst_buffer_link(job->e, job->s, before, buffer);
		else
			first = buffer;
	}
	return err || !is_ring ? err : lkst_buffer_link(job->e, job->s, before, first);
}

static int verb_link(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return link_all(job, args, nr_args, false);
}

static int verb_ring(struct lkst_job *job, char **args, unsigned int nr_args)
{
	return link_all(job, args, nr_args, true);
}

static int verb_unlink(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 buffer;
	int err = lkst_buffer_find(job->e, job->s, args[0], &buffer);

	return err ? err : lkst_buffer_link(job->e, job->s, buffer, buffer);
}

static int verb_jump(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 of, to;
	int err = lkst_buffer_find(job->e, job->s, buffer_options_of(job)->of, &of) ?:
		  lkst_buffer_find(job->e, job->s, args[0], &to);

	return err ? err : lkst_buffer_jump(job->e, job->s, of, to, buffer_options_of(job)->cpu);
}

static int verb_shift(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 of;
	int err = lkst_buffer_find(job->e, job->s, buffer_options_of(job)->of, &of);

	return err ? err : lkst_buffer_shift(job->e, job->s, of, buffer_options_of(job)->cpu);
}

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "list", .turn = LKST_TURN_LOOK, .run = buffer_verb_list,
		  .help = "number, name, CPU, size; how many events the active maskset sends there;\n"
			  "whose records it gets now; and the next one when it is full"),
	LKST_VERB(.name = "create", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = verb_create,
		  .help = "makes one, in the memory that `lkst start --spare` reserved"),
	LKST_VERB(.name = "delete", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = verb_delete,
		  .help = "removes it and its records"),
	LKST_VERB(.name = "clear", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = verb_clear, .help = "empties it"),
	LKST_VERB(.name = "size", .args = "NAME SIZE", .min_args = 2, .max_args = 2,
		  .turn = LKST_TURN_CHANGE, .run = verb_size,
		  .help = "gives it another size, and empties it"),
	LKST_VERB(.name = "link", .args = "NAME NEXT...", .min_args = 2,
		  .max_args = LKST_NR_BUFFERS, .turn = LKST_TURN_CHANGE, .run = verb_link,
		  .help = "when NAME is full, that CPU continues in NEXT, and so forth; the last one\n"
			  "overwrites itself, unless it already has a next one"),
	LKST_VERB(.name = "ring", .args = "NAME...", .min_args = 1, .max_args = LKST_NR_BUFFERS,
		  .turn = LKST_TURN_CHANGE, .run = verb_ring,
		  .help = "the same, and from the last one to the first"),
	LKST_VERB(.name = "unlink", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = verb_unlink,
		  .help = "NAME overwrites itself again when it is full"),
	LKST_VERB(.name = "jump", .args = "NAME", .min_args = 1, .max_args = 1,
		  .turn = LKST_TURN_CHANGE, .run = verb_jump,
		  .help = "from now on, what goes to main (--of: to another one) goes to NAME"),
	LKST_VERB(.name = "shift", .turn = LKST_TURN_CHANGE, .run = verb_shift,
		  .help = "the same, to the next one of the buffer that gets the records now"),
	{},
};

static int buffer_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct buffer_options *o = options;

	return lkst_verbs_run(e, verbs, args[0], o, o->quiet, args + 1, nr_args - 1);
}

const struct lkst_cmd lkst_cmd_buffer = {
	.name = "buffer",
	.summary = "make buffers, and switch between them",
	.help = "A buffer is memory of each CPU that overwrites itself; a maskset says for each event which\n"
		"buffer its records go to. On each CPU they go to the buffer of that name, or to another\n"
		"one that the CPU has switched to: then the one that it left keeps its records. All\n"
		"buffers are in a snapshot, and `lkst status` shows how full they are. NAME is a buffer's\n"
		"name or number.",
	.examples = "  lkst buffer list\n"
		    "  lkst buffer create --size 1M net\n"
		    "  lkst maskset copy RDEFAULT mine\n"
		    "  lkst maskset --buffer net 'mine+=net:*'   packets do not evict the rest\n"
		    "  lkst maskset set mine\n"
		    "  lkst buffer jump net --cpu 0              keeps what CPU 0 has in main\n"
		    "  lkst buffer jump main --cpu 0             and goes back\n",
	.options = rows,
	.options_size = sizeof(struct buffer_options),
	.defaults = &defaults,
	.verbs = verbs,
	.min_args = 1,
	.max_args = LKST_NR_BUFFERS + 1,
	.run = buffer_run,
};
