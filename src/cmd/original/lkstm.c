/* SPDX-License-Identifier: GPL-2.0-only */
/* lkstm: masksets with the original's options. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/control/maskset.h"

enum { ARGS_MAX = 5 };

struct lkstm_options {
	struct lkst_maskset_options common;
	const char *maskset;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct lkstm_options, maskset, .name = "maskset", .letter = 'm',
		    .argument = "ID", .help = "the maskset's number, or its name"),
	LKST_OPTION(TEXT, struct lkstm_options, common.name, .name = "name", .letter = 'n',
		    .argument = "NAME", .help = "with write and copy: the name of the maskset"),
	{},
};

/* As LKST printed it: number, the same in hexadecimal, length, name; "*" after the active one. */
static int lkstm_verb_list(struct lkst_job *job, char **args, unsigned int nr_args)
{
	u32 set;

	printf("maskset_id length name\n");
	for (set = 0; set < LKST_MASKSETS; set++)
		if (lkst_maskset_exists(job->c, set))
			printf("%u%c(0x%02x) %u %s\n", set, job->c->active == set ? '*' : ' ', set,
			       LKST_EVENT_SPACE, job->c->name[set]);
	return 0;
}

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "list", .turn = LKST_TURN_LOOK, .run = lkstm_verb_list,
		  .help = "number, length and name of each; \"*\" marks the active one"),
	LKST_VERB(.name = "read", .min_args = 1, .max_args = 1, .run = lkst_maskset_verb_read,
		  .help = "prints maskset ID: a row per event, number, name, handler"),
	LKST_VERB(.name = "write", .min_args = 1, .max_args = 1, .run = lkst_maskset_verb_write,
		  .help = "makes or replaces maskset ID from such a text on standard input"),
	LKST_VERB(.name = "config", .args = "EVENT HANDLER [BUFFER]", .min_args = 3, .max_args = 4,
		  .turn = LKST_TURN_CHANGE, .run = lkst_maskset_verb_config,
		  .help = "sends one event to a handler: 1 records, 255 does nothing"),
	LKST_VERB(.name = "copy", .args = "ID", .min_args = 2, .max_args = 2,
		  .turn = LKST_TURN_CHANGE, .run = lkst_maskset_verb_copy,
		  .help = "copies maskset -m to the other"),
	LKST_VERB(.name = "delete", .min_args = 1, .max_args = 1, .turn = LKST_TURN_CHANGE,
		  .run = lkst_maskset_verb_delete, .help = "removes it"),
	LKST_VERB(.name = "set", .min_args = 1, .max_args = 1, .turn = LKST_TURN_CHANGE,
		  .run = lkst_maskset_verb_set, .help = "activates it"),
	{},
};

/* The maskset of -m is the verb's first argument. */
static int lkstm_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct lkstm_options *o = options;
	struct lkst_maskset_options common = o->common;
	char *words[ARGS_MAX + 1];
	unsigned int nr = 0, i;

	common.quiet = true;
	if (o->maskset)
		words[nr++] = (char *)o->maskset;
	else if (strcmp(args[0], "list"))
		return lkst_err_set(e, -EINVAL, "-m says which maskset; see --help");
	for (i = 1; i < nr_args; i++)
		words[nr++] = args[i];
	return lkst_verbs_run(e, verbs, args[0], &common, true, words, nr);
}

const struct lkst_cmd lkst_cmd_lkstm = {
	.name = "lkstm",
	.is_link = true,
	.summary = "masksets, as the original LKST spelled it",
	.help = "Does the same as `lkst maskset`, with the options of the original LKST of 2002 to 2006.\n"
		"Something must be recording, as a kernel with the original always was: `lkst start`.",
	.examples = "  lkstm read -m 0 | lkstm write -m 3   a maskset that records nothing\n"
		    "  lkstm config -m 3 1 1                and process switches\n"
		    "  lkstm config -m 3 2 1                and wake-ups\n"
		    "  lkstm set -m 3\n",
	.options = rows,
	.options_size = sizeof(struct lkstm_options),
	.verbs = verbs,
	.min_args = 1,
	.max_args = ARGS_MAX,
	.run = lkstm_run,
};
