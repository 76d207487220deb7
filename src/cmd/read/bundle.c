/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst bundle: what is in a bundle, taking it apart, and taking out of it what others must not see. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/out.h"
#include "base/size.h"
#include "bundle/bundle_save.h"
#include "bundle/bundle_text.h"
#include "bundle/bundle_why.h"
#include "bundle/redact.h"
#include "cmd/frame/access.h"
#include "cmd/recorders/verbs.h"

enum {
	SHOWN_LINES = 30,  /* of the account, unless it is asked for */
	SHOWN_LINE = 8192, /* bytes of a line */
};

struct bundle_options {
	const char *output;
	struct lkst_list rules, words;
	struct lkst_access_options access;
	bool quiet;
};

static const struct lkst_option rows[] = {
	LKST_OPTION(TEXT, struct bundle_options, output, .name = "output", .letter = 'o',
		    .argument = "PATH",
		    .help = "with extract: the directory to make; with redact: the bundle"),
	LKST_OPTION(LIST, struct bundle_options, rules, .name = "rule", .letter = 'r', .argument = "RULE",
		    .standard = "all but names",
		    .help = "with redact: take out what this rule says; may be given several\n"
			    "times"),
	LKST_OPTION(LIST, struct bundle_options, words, .name = "word", .letter = 'w', .argument = "WORD",
		    .help = "with redact: take out every string of the trace that holds this\n"
			    "word, and the word in texts; may be given several times"),
	LKST_ACCESS_ROWS(struct bundle_options, access),
	LKST_OPTION(FLAG, struct bundle_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say nothing but errors"),
	{},
};

static const struct bundle_options *bundle_options_of(const struct lkst_job *job)
{
	return job->options;
}

static int bundle_parse_access(const struct lkst_job *job, struct lkst_access *ret_access)
{
	bool is_private;

	return lkst_access_parse_private(job->e, &bundle_options_of(job)->access, ret_access, &is_private);
}

/* ---- show ----------------------------------------------------------------------------------- */

static u64 bundle_count_lines(const struct lkst_bundle_text *text)
{
	const char *p = text->bytes;
	u64 nr = 0;

	while (p && (p = strchr(p, '\n'))) {
		nr++;
		p++;
	}
	return nr;
}

/* Prints a line as a message, since anybody may have written it; columns are apart by two blanks. */
static void print_line(const char *indent, const char *line, size_t length)
{
	char shown[SHOWN_LINE], *p = shown;
	size_t i;

	for (i = 0; i < length && p < shown + sizeof(shown) - 2; i++) {
		*p++ = line[i] == '\t' ? ' ' : line[i];
		if (line[i] == '\t')
			*p++ = ' ';
	}
	lkst_print_message(stdout, "%s%.*s%s", indent, (int)(p - shown), shown,
			   i < length ? " ..." : "");
}

/* Prints at most @max lines of a text. */
static void bundle_print_text(const struct lkst_bundle_text *text, const char *indent, u64 max)
{
	const char *line = text->bytes, *end;
	u64 nr = 0;

	for (; line && *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (nr++ == max) {
			printf("%s... %" PRIu64 " more lines\n", indent, bundle_count_lines(text) - max);
			return;
		}
		print_line(indent, line, (size_t)(end - line));
	}
}

/* The files of the trace, as one. */
static void print_trace(const struct lkst_bundle *b, const char *path)
{
	char size[LKST_SIZE_TEXT];
	unsigned int i, nr = 0;
	u64 bytes = 0;

	for (i = 0; i < b->pack.nr; i++) {
		if (strncmp(b->pack.entries[i].name, "trace/", 6))
			continue;
		bytes += b->pack.entries[i].size;
		nr++;
	}
	lkst_size_format(bytes, size);
	lkst_print_message(stdout, "  %-10s %u files, %s: the records; `lkst print %s` shows them",
			   "trace", nr, size, path);
}

static void print_parts(const struct lkst_bundle *b)
{
	struct lkst_choice choice;
	unsigned int i;

	for (i = 0; lkst_bundle_part_choices(i, &choice); i++)
		if (b->parts[i].bytes)
			printf("  %-10s %" PRIu64 " lines: %s\n", choice.name,
			       bundle_count_lines(&b->parts[i]), choice.help);
		else
			printf("  %-10s is not in it\n", choice.name);
}

static void bundle_print_all(const struct lkst_bundle *b, const char *path)
{
	bundle_print_text(&b->parts[LKST_BUNDLE_ABOUT], "", UINT64_MAX);
	printf("\nIn it, `lkst bundle show FILE PART` prints one:\n");
	print_parts(b);
	print_trace(b, path);
	if (!b->parts[LKST_BUNDLE_WHY].bytes)
		return;
	printf("\nWhy:\n");
	bundle_print_text(&b->parts[LKST_BUNDLE_WHY], "  ", SHOWN_LINES);
}

static int bundle_print_part(struct lkst_err *e, const struct lkst_bundle *b, const char *name)
{
	char list[LKST_CHOICES_TEXT];
	int part = lkst_choices_find(lkst_bundle_part_choices, name);

	if (part < 0) {
		lkst_choices_list(lkst_bundle_part_choices, list);
		return lkst_err_set(e, -EINVAL, "\"%s\" is not a part of a bundle: %s", name, list);
	}
	if (!b->parts[part].bytes)
		return lkst_err_set(e, -ENOENT, "\"%s\" is not in this bundle", name);
	bundle_print_text(&b->parts[part], "", UINT64_MAX);
	return 0;
}

static int bundle_verb_show(struct lkst_job *job, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_bundle_fini) struct lkst_bundle b = {};
	int err = lkst_bundle_open(job->e, args[0], &b);

	if (err)
		return err;
	if (nr_args > 1)
		return bundle_print_part(job->e, &b, args[1]);
	bundle_print_all(&b, args[0]);
	return 0;
}

/* ---- extract -------------------------------------------------------------------------------- */

static int verb_extract(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct bundle_options *o = bundle_options_of(job);
	struct lkst_access access;
	int err;

	if (!o->output)
		return lkst_err_set(job->e, -EINVAL, "where to? give --output DIR");
	err = bundle_parse_access(job, &access) ?: lkst_bundle_extract(job->e, &access, args[0], o->output);
	if (!err && !o->quiet)
		lkst_print_message(stdout, "%s: its texts, and the trace in %s/trace", o->output,
				   o->output);
	return err;
}

/* ---- redact --------------------------------------------------------------------------------- */

static int choose_rules(struct lkst_err *e, const struct bundle_options *o, struct lkst_redaction *r)
{
	char list[LKST_CHOICES_TEXT];
	unsigned int i;
	int rule;

	for (i = 0; i < LKST_REDACT_NR_RULES && !o->rules.nr; i++)
		r->rules[i] = lkst_redact_is_standard(i);
	for (i = 0; i < o->rules.nr; i++) {
		rule = lkst_choices_find(lkst_redact_rule_choices, o->rules.items[i]);
		if (rule < 0) {
			lkst_choices_list(lkst_redact_rule_choices, list);
			return lkst_err_set(e, -EINVAL, "\"%s\" is not a rule: %s",
					    o->rules.items[i], list);
		}
		r->rules[rule] = true;
	}
	for (i = 0; i < o->words.nr; i++)
		r->words[r->nr_words++] = o->words.items[i];
	return lkst_redaction_begin(e, r);
}

/* A line for each rule that was followed. */
static void bundle_put_counts(FILE *to, const struct lkst_redaction *r)
{
	struct lkst_choice choice;
	unsigned int i;

	for (i = 0; lkst_redact_rule_choices(i, &choice); i++)
		if (r->rules[i])
			fprintf(to, "redacted-%s: %" PRIu64 "\n", choice.name, r->counts[i]);
}

/* The account again, of what is left. */
static int bundle_tell_why(struct lkst_err *e, struct lkst_redaction *r, const struct lkst_bundle *b,
			   const char *dir, struct lkst_bundle_text *ret_text)
{
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;
	struct lkst_moment moment;
	int err = lkst_trace_open(e, dir, &t);

	if (err)
		return err;
	lkst_bundle_parse_moment(&b->parts[LKST_BUNDLE_ABOUT], &moment);
	err = lkst_bundle_tell_why(e, &moment, t, ret_text);
	if (!err)
		lkst_redact_words(r, ret_text);
	return err;
}

/* The first text comes last: it says how much was taken out. */
static int add_counts(struct lkst_err *e, struct lkst_redaction *r, const struct lkst_bundle *b,
		      struct lkst_bundle_text *ret_text)
{
	_cleanup_free_ char *before = NULL;
	struct lkst_bundle_lines l;
	struct lkst_bundle_text text;
	int err = lkst_redact_text(e, r, LKST_BUNDLE_ABOUT, &b->parts[LKST_BUNDLE_ABOUT], &text);

	if (err)
		return err;
	before = text.bytes;
	err = lkst_bundle_lines_begin(e, &l);
	if (err)
		return err;
	fputs(before, l.to);
	bundle_put_counts(l.to, r);
	return lkst_bundle_lines_end(e, &l, 0, ret_text);
}

static int redact_texts(struct lkst_err *e, struct lkst_redaction *r, const struct lkst_bundle *b,
			const char *dir, struct lkst_bundle_text texts[LKST_BUNDLE_NR_PARTS])
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < LKST_BUNDLE_NR_PARTS && !err; i++) {
		if (!b->parts[i].bytes || i == LKST_BUNDLE_ABOUT)
			continue;
		err = i == LKST_BUNDLE_WHY ? bundle_tell_why(e, r, b, dir, &texts[i])
					   : lkst_redact_text(e, r, i, &b->parts[i], &texts[i]);
	}
	return err ?: add_counts(e, r, b, &texts[LKST_BUNDLE_ABOUT]);
}

/* Redacts the bundle at @path into @file, with the trace in directory @dir meanwhile. */
static int redact(struct lkst_err *e, const struct lkst_access *access, struct lkst_redaction *r, const char *path,
		  const char *dir, const char *file)
{
	_cleanup_(lkst_bundle_texts_fini) struct lkst_bundle_text texts[LKST_BUNDLE_NR_PARTS] = {};
	_cleanup_(lkst_bundle_fini) struct lkst_bundle b = {};
	_cleanup_(lkst_trace_closep) struct lkst_trace *t = NULL;

	return lkst_bundle_open(e, path, &b) ?: lkst_trace_open(e, path, &t) ?: lkst_redact_trace(e, access, r, t, dir)
	       ?: redact_texts(e, r, &b, dir, texts) ?: lkst_bundle_write(e, access, texts, dir, file);
}

static int verb_redact(struct lkst_job *job, char **args, unsigned int nr_args)
{
	_cleanup_(lkst_redaction_fini) struct lkst_redaction r = {};
	const struct bundle_options *o = bundle_options_of(job);
	_cleanup_close_ int lock = -1;
	struct lkst_access access;
	char dir[PATH_MAX];
	int err;

	if (!o->output)
		return lkst_err_set(job->e, -EINVAL, "where to? give --output FILE");
	err = bundle_parse_access(job, &access) ?: choose_rules(job->e, o, &r) ?:
	      lkst_create_dir_beside(job->e, &access, o->output, dir, &lock);
	if (err)
		return err;
	err = redact(job->e, &access, &r, args[0], dir, o->output);
	lkst_remove_made_dir(lock, AT_FDCWD, dir);
	if (err || o->quiet)
		return err;
	bundle_put_counts(stdout, &r);
	lkst_print_message(stdout, "%s: `lkst bundle show %s` shows what is left", o->output,
			   o->output);
	return 0;
}

/* ---- the command ---------------------------------------------------------------------------- */

static const struct lkst_verb verbs[] = {
	LKST_VERB(.name = "show", .args = "FILE [PART]", .min_args = 1, .max_args = 2,
		  .run = bundle_verb_show,
		  .help = "what is in it, in words; or one part: about, why, machine, processes,\n"
			  "journal, losses"),
	LKST_VERB(.name = "extract", .args = "FILE", .min_args = 1, .max_args = 1,
		  .run = verb_extract,
		  .help = "takes it apart into a directory: its texts, and the trace, plain"),
	LKST_VERB(.name = "redact", .args = "FILE", .min_args = 1, .max_args = 1,
		  .run = verb_redact,
		  .help = "makes a bundle without arguments, paths and names, and says how many\n"
			  "strings it took out by which rule"),
	{},
};

static int bundle_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct bundle_options *o = options;

	return lkst_verbs_run(e, verbs, args[0], o, o->quiet, args + 1, nr_args - 1);
}

static void print_rules(void)
{
	struct lkst_choice choice;
	unsigned int i;

	printf("\nRules:\n");
	for (i = 0; lkst_redact_rule_choices(i, &choice); i++)
		lkst_cmd_print_row(choice.name, 11, choice.help);
}

const struct lkst_cmd lkst_cmd_bundle = {
	.name = "bundle",
	.summary = "show, unpack or redact the bundle of a moment",
	.help = "A bundle is one file that says all of a moment: its trace, why it was kept, what its thread\n"
		"waited for in words, the machine and its kernel, cgroups and command lines of its threads, the\n"
		"journal of that time, and what is missing. `lkst snapshot --bundle` and\n"
		"`lkst incident save --bundle` make one. All commands that read a trace read it.",
	.print_more = print_rules,
	.examples = "  lkst snapshot --bundle --file slow.bundle --last 5s\n"
		    "  lkst bundle show slow.bundle\n"
		    "  lkst bundle show slow.bundle journal\n"
		    "  lkst bundle redact slow.bundle -o for-the-vendor.bundle --word acme\n"
		    "  lkst why --worst syscall:fsync for-the-vendor.bundle\n",
	.options = rows,
	.options_size = sizeof(struct bundle_options),
	.verbs = verbs,
	.min_args = 1,
	.max_args = 3,
	.run = bundle_run,
};
