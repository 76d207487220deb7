/* SPDX-License-Identifier: GPL-2.0-only */
/* Redacts the texts of a bundle, line by line. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "bundle/bundle_text.h"
#include "bundle/redact.h"

/* A line, or a column of one, of a text. */
struct piece {
	const char *bytes;
	size_t length;
};

/* A text while it is redacted. */
struct redact_text_job {
	struct lkst_redaction *r;
	FILE *to;
};

static void redact_text_put(FILE *to, struct piece p)
{
	fwrite(p.bytes, 1, p.length, to);
}

static int redact_text_hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Undoes what lkst_bundle_put() has escaped. Returns how many bytes there are at @to, which has room for as many. */
static size_t redact_text_unescape(struct piece p, char *to)
{
	size_t used = 0, i;

	for (i = 0; i < p.length; i++) {
		const char c = p.bytes[i];
		const bool has_more = c == '\\' && i + 1 < p.length;

		if (has_more && p.bytes[i + 1] == 'x' && i + 3 < p.length &&
		    redact_text_hex(p.bytes[i + 2]) >= 0 && redact_text_hex(p.bytes[i + 3]) >= 0) {
			to[used++] = (char)(redact_text_hex(p.bytes[i + 2]) << 4 | redact_text_hex(p.bytes[i + 3]));
			i += 3;
		} else if (has_more) {
			i++;
			to[used++] = p.bytes[i] == 'n'	 ? '\n'
				     : p.bytes[i] == 't' ? '\t'
				     : p.bytes[i] == 'r' ? '\r'
							 : p.bytes[i];
		} else {
			to[used++] = c;
		}
	}
	return used;
}

/* Writes @p as the rule wants it. */
static int put_by_rule(struct redact_text_job *j, struct piece p, enum lkst_redact_rule rule)
{
	_cleanup_free_ char *bytes = NULL;
	size_t length;

	if (!j->r->rules[rule] || !p.length) {
		redact_text_put(j->to, p);
		return 0;
	}
	bytes = malloc(p.length);
	if (!bytes)
		return -ENOMEM;
	length = redact_text_unescape(p, bytes);
	if (lkst_redact_string(j->r, (u8 *)bytes, length, rule == LKST_REDACT_PATHS))
		j->r->counts[rule]++;
	lkst_bundle_put(j->to, bytes, length, false);
	return 0;
}

static int put_thread_name(struct redact_text_job *j, struct piece p)
{
	_cleanup_free_ char *bytes = malloc(p.length + 1);
	char name[LKST_REDACT_NAME] = "";
	size_t length;

	if (!bytes)
		return -ENOMEM;
	length = redact_text_unescape(p, bytes);
	memcpy(name, bytes, length < sizeof(name) ? length : sizeof(name));
	if (lkst_redact_has_word(j->r, bytes, length, length + 1 >= sizeof(name))) {
		j->r->counts[LKST_REDACT_WORDS] +=
			lkst_redact_string(j->r, (u8 *)bytes, length, false);
		lkst_bundle_put(j->to, bytes, length, false);
		return 0;
	}
	if (!j->r->rules[LKST_REDACT_NAMES]) {
		redact_text_put(j->to, p);
		return 0;
	}
	j->r->counts[LKST_REDACT_NAMES] += lkst_redact_name(j->r, name);
	lkst_bundle_put(j->to, name, strnlen(name, sizeof(name)), false);
	return 0;
}

/* What is up to @separator of @rest, which then is what follows it. */
static struct piece redact_text_cut(struct piece *rest, char separator)
{
	const char *end = memchr(rest->bytes, separator, rest->length);
	struct piece p = { rest->bytes, end ? (size_t)(end - rest->bytes) : rest->length };
	const size_t taken = p.length + (end != NULL);

	rest->bytes += taken;
	rest->length -= taken;
	return p;
}

/* ---- line by line --------------------------------------------------------------------------- */

static bool redact_text_is(struct piece p, const char *text)
{
	return p.length == strlen(text) && !memcmp(p.bytes, text, p.length);
}

/* Writes each of the words after a blank. */
static int redact_text_put_words(struct redact_text_job *j, struct piece words, enum lkst_redact_rule rule)
{
	int err = 0;

	while (!err && words.length) {
		fputc(' ', j->to);
		err = put_by_rule(j, redact_text_cut(&words, ' '), rule);
	}
	return err;
}

static int redact_text_put_command(struct redact_text_job *j, struct piece words)
{
	struct piece word = redact_text_cut(&words, ' ');
	int err;

	if (redact_text_is(word, "-") || redact_text_is(word, "\"")) {
		redact_text_put(j->to, word);
		return 0;
	}
	err = put_by_rule(j, word, LKST_REDACT_PATHS);
	return err ?: redact_text_put_words(j, words, LKST_REDACT_ARGUMENTS);
}

/* TID, PID, name, cgroup, command line. */
static int redact_text_put_process(struct redact_text_job *j, struct piece line)
{
	int err;

	if (line.length && line.bytes[0] == '#') {
		redact_text_put(j->to, line);
		return 0;
	}
	redact_text_put(j->to, redact_text_cut(&line, '\t'));
	fputc('\t', j->to);
	redact_text_put(j->to, redact_text_cut(&line, '\t'));
	fputc('\t', j->to);
	err = put_thread_name(j, redact_text_cut(&line, '\t'));
	fputc('\t', j->to);
	err = err ?: put_by_rule(j, redact_text_cut(&line, '\t'), LKST_REDACT_PATHS);
	fputc('\t', j->to);
	return err ?: redact_text_put_command(j, line);
}

/* Lines "KEY: value" whose values a rule takes out. */
static const struct keyed {
	const char *key;
	enum lkst_redact_rule rule;
} keyed[] = {
	{ "host", LKST_REDACT_HOST },
	{ "boot-id", LKST_REDACT_HOST },
	{ "cmdline", LKST_REDACT_ARGUMENTS },
	{ "reason", LKST_REDACT_TEXT },
};

static int put_keyed(struct redact_text_job *j, struct piece line)
{
	const char *colon = memmem(line.bytes, line.length, ": ", 2);
	struct piece key = { line.bytes, colon ? (size_t)(colon - line.bytes) : 0 };
	struct piece value;
	unsigned int i;

	for (i = 0; i < sizeof(keyed) / sizeof(keyed[0]); i++) {
		if (!colon || !redact_text_is(key, keyed[i].key))
			continue;
		value = (struct piece){ colon + 2, line.length - key.length - 2 };
		redact_text_put(j->to, key);
		fputc(':', j->to);
		return redact_text_put_words(j, value, keyed[i].rule);
	}
	redact_text_put(j->to, line);
	return 0;
}

static int put_lines(struct redact_text_job *j, struct piece text,
		     int (*each)(struct redact_text_job *j, struct piece line))
{
	int err = 0;

	while (text.length && !err) {
		err = each(j, redact_text_cut(&text, '\n'));
		fputc('\n', j->to);
	}
	return err;
}

/* All of it goes. */
static void redact_text_leave_out(struct redact_text_job *j, struct piece text)
{
	u64 nr = 0;

	while (text.length) {
		const struct piece line = redact_text_cut(&text, '\n');

		nr += line.length && line.bytes[0] != '#';
	}
	fprintf(j->to, "# %" PRIu64 " lines were taken out\n", nr);
	j->r->counts[LKST_REDACT_JOURNAL] += nr;
}

static int redact_text_put_part(struct redact_text_job *j, enum lkst_bundle_part part, struct piece text)
{
	if (part == LKST_BUNDLE_PROCESSES)
		return put_lines(j, text, redact_text_put_process);
	if (part == LKST_BUNDLE_ABOUT || part == LKST_BUNDLE_MACHINE)
		return put_lines(j, text, put_keyed);
	if (part == LKST_BUNDLE_JOURNAL && j->r->rules[LKST_REDACT_JOURNAL])
		redact_text_leave_out(j, text);
	else
		redact_text_put(j->to, text);
	return 0;
}

int lkst_redact_text(struct lkst_err *e, struct lkst_redaction *r, enum lkst_bundle_part part,
		     const struct lkst_bundle_text *text, struct lkst_bundle_text *ret_text)
{
	struct lkst_bundle_lines l;
	struct redact_text_job j = { .r = r };
	int err = lkst_bundle_lines_begin(e, &l);

	if (err)
		return err;
	j.to = l.to;
	if (redact_text_put_part(&j, part, (struct piece){ text->bytes, text->length }))
		err = lkst_err_sys(e, -ENOMEM, "redacting");
	err = lkst_bundle_lines_end(e, &l, err, ret_text);
	if (!err)
		lkst_redact_words(r, ret_text);
	return err;
}
