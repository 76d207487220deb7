/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs that `lkst maskset` and `lkstm` have in common. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "cmd/control/maskset.h"
#include "live/masks/handlers.h"
#include "live/session/buffers.h"
#include "masks/mask.h"
#include "masks/mask_text.h"
#include "trace/format/event_types.h"

/* Prints the new state of maskset @set. */
static void maskset_verbs_tell(const struct lkst_job *job, u32 set, const char *what)
{
	if (!lkst_maskset_options(job)->quiet)
		printf("maskset %u (%s): %s%u events\n", set, job->c->name[set], what,
		       lkst_mask_count(job->c->route[set], lkst_session_catalog(job->s)));
}

int lkst_maskset_open(struct lkst_job *job, const char *word, u32 *ret_set)
{
	struct lkst_err ignored;
	int err = lkst_job_open(job, LKST_TURN_LOOK);

	if (err || !lkst_maskset_find(&ignored, job->c, word, ret_set))
		return err;
	lkst_job_close(job);
	err = lkst_job_open(job, LKST_TURN_SOON);
	return err ? err : lkst_maskset_get(job->e, job->s, word, &job->notes, ret_set);
}

int lkst_maskset_verb_read(struct lkst_job *job, char **args, unsigned int nr_args)
{
	_cleanup_free_ char *text = NULL;
	struct lkst_mask mask;
	u32 set;
	int err;

	err = lkst_maskset_open(job, args[0], &set);
	if (err)
		return err;
	lkst_maskset_read(job->s, set, &mask);
	err = lkst_mask_format(job->e, &mask, set, lkst_session_catalog(job->s), &text);
	if (err)
		return err;
	fputs(text, stdout);
	return 0;
}

/* Reads all of @from, a maskset's text. The caller frees it. */
static int maskset_verbs_read_text(struct lkst_err *e, FILE *from, char **ret_text, size_t *ret_length)
{
	_cleanup_free_ char *text = malloc(LKST_MASK_TEXT_MAX + 1);
	size_t length;

	if (!text)
		return lkst_err_sys(e, -ENOMEM, "reading a maskset");
	length = fread(text, 1, LKST_MASK_TEXT_MAX + 1, from);
	if (ferror(from))
		return lkst_err_sys(e, -EIO, "reading a maskset");
	if (length > LKST_MASK_TEXT_MAX)
		return lkst_err_set(e, -EFBIG, "a maskset's text has at most %u bytes",
				    LKST_MASK_TEXT_MAX);
	*ret_length = length;
	*ret_text = lkst_take(text);
	return 0;
}

/* True if a maskset other than @set has the name. */
static bool is_taken(const struct lkst_control *c, u32 set, const char *name)
{
	struct lkst_err ignored;
	u32 other;

	return !lkst_maskset_find(&ignored, c, name, &other) && other != set;
}

/*
 * The name of maskset @set that is written as @word: the one that was asked for; or @word; or, if
 * @word is a number, the name that it has, or that its text has, if it is free; or one made of it.
 */
static void choose_name(const struct lkst_job *job, u32 set, const char *word,
			struct lkst_mask *mask)
{
	const char *wanted = lkst_maskset_options(job)->name;
	struct lkst_err ignored;

	if (!wanted && !lkst_mask_check_name(&ignored, word))
		wanted = word;
	if (!wanted && lkst_maskset_exists(job->c, set))
		wanted = job->c->name[set];
	if (!wanted && mask->name[0] && !is_taken(job->c, set, mask->name))
		return;
	if (wanted)
		snprintf(mask->name, sizeof(mask->name), "%s", wanted);
	else
		snprintf(mask->name, sizeof(mask->name), "maskset%u", set);
}

int lkst_maskset_verb_write(struct lkst_job *job, char **args, unsigned int nr_args)
{
	_cleanup_fclose_ FILE *file = nr_args > 1 ? fopen(args[1], "re") : NULL;
	_cleanup_free_ char *text = NULL;
	struct lkst_mask mask;
	int err;
	size_t length = 0;
	u32 set;

	if (nr_args > 1 && !file)
		return lkst_err_sys(job->e, -errno, "%s", args[1]);
	/* All is read before the lock is taken: at the pipe's other end a command may wait for it. */
	err = maskset_verbs_read_text(job->e, file ? file : stdin, &text, &length) ?:
	      lkst_job_open(job, LKST_TURN_CHANGE);
	if (err)
		return err;
	err = lkst_maskset_place(job->e, job->c, args[0], &set) ?:
	      lkst_mask_parse(job->e, text, length, lkst_session_catalog(job->s), &mask,
			      &job->notes);
	if (err)
		return err;
	choose_name(job, set, args[0], &mask);
	err = lkst_maskset_write(job->e, job->s, set, &mask, &job->notes);
	if (err)
		return err;
	maskset_verbs_tell(job, set, "written, ");
	return 0;
}

/* What sending the events of @type to NOTHING does not do. */
static void note_kept(struct lkst_job *job, const struct lkst_event_types *types, u16 type)
{
	const struct lkst_catalog *c = lkst_session_catalog(job->s);
	const char *mnemonic = lkst_type_mnemonic(type);
	const struct lkst_represented *other = mnemonic ? lkst_represented_find(mnemonic) : NULL;
	u32 id;

	if (other)
		lkst_notes_add(&job->notes,
			       "%s is recorded as %s; their own rows decide whether they are "
			       "recorded, so nothing is changed.",
			       other->mnemonic, other->how);
	for (id = 0; id < LKST_EVENT_SPACE; id++)
		if (lkst_event_types_has(types, id, type) &&
		    lkst_mask_has_always(c->classes[id]->index))
			lkst_notes_add(&job->notes,
				       "%s is recorded in every maskset: it says who is who.",
				       c->classes[id]->name);
}

int lkst_maskset_verb_config(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkst_catalog *catalog = lkst_session_catalog(job->s);
	struct lkst_event_types types;
	struct lkst_mask mask;
	u8 handler = 0;
	u16 type = 0;
	u32 set, buffer = 0;
	int err;

	lkst_event_types_init(&types, catalog);
	err = lkst_maskset_find(job->e, job->c, args[0], &set) ?:
	      lkst_mask_parse_type(job->e, catalog, &types, args[1], &type) ?:
	      lkst_handler_parse(job->e, lkst_session_own_pins(job->s), args[2], &handler);
	if (!err && nr_args > 3)
		err = lkst_buffer_find(job->e, job->s, args[3], &buffer);
	if (err)
		return err;
	if (handler == LKST_HANDLER_NOTHING)
		note_kept(job, &types, type);
	lkst_maskset_read(job->s, set, &mask);
	lkst_mask_set_type(&mask, catalog, &types, type, handler,
			   nr_args > 3 ? (int)buffer : LKST_BUFFER_USUAL);
	return lkst_maskset_write(job->e, job->s, set, &mask, &job->notes);
}

int lkst_maskset_verb_copy(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_mask mask;
	u32 from, to;
	int err;

	err = lkst_maskset_get(job->e, job->s, args[0], &job->notes, &from) ?:
	      lkst_maskset_place(job->e, job->c, args[1], &to);
	if (err)
		return err;
	lkst_maskset_read(job->s, from, &mask);
	choose_name(job, to, args[1], &mask);
	err = lkst_maskset_write(job->e, job->s, to, &mask, &job->notes);
	if (err)
		return err;
	maskset_verbs_tell(job, to, "a copy, ");
	return 0;
}

int lkst_maskset_verb_delete(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 set;
	int err = lkst_maskset_find(job->e, job->c, args[0], &set);

	return err ? err : lkst_maskset_delete(job->e, job->s, set, &job->notes);
}

static int answer_set(const struct lkst_job *job, u32 set, const struct lkst_switch_times *t)
{
	struct lkst_answer a;
	int err = lkst_answer_begin_tree(job->e, &lkst_maskset_options(job)->form, &a);

	if (!err) {
		lkst_json_object(&a.json, NULL);
		lkst_json_u64(&a.json, "maskset", set);
		lkst_json_str(&a.json, "name", job->c->name[set]);
		lkst_json_u64(&a.json, "attached", t->nr_attached);
		lkst_json_u64(&a.json, "detached", t->nr_detached);
		lkst_json_u64(&a.json, "attach_ns", t->attach_ns);
		lkst_json_u64(&a.json, "switch_ns", t->switch_ns);
		lkst_json_u64(&a.json, "detach_ns", t->detach_ns);
		lkst_json_u64(&a.json, "settle_ns", t->settle_ns);
		lkst_json_end(&a.json);
	}
	return lkst_answer_end(&a, err);
}

int lkst_maskset_verb_set(struct lkst_job *job, char **args, unsigned int nr_args)
{
	struct lkst_switch_times t;
	u32 set;
	int err;

	err = lkst_maskset_get(job->e, job->s, args[0], &job->notes, &set);
	if (err)
		return err;
	if (lkst_maskset_options(job)->armed) {
		err = lkst_maskset_arm(job->e, job->s, set, true, &job->notes);
		if (err)
			return err;
	}
	err = lkst_maskset_set(job->e, job->s, set, &job->notes, &t);
	if (err)
		return err;
	maskset_verbs_tell(job, set, "active, ");
	return lkst_answer_format(&lkst_maskset_options(job)->form) == LKST_TABLE_JSON
		       ? answer_set(job, set, &t)
		       : 0;
}
