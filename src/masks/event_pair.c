// SPDX-License-Identifier: GPL-2.0-only
/* Two events between which time is measured. */
#include "masks/event_pair.h"

#include <errno.h>
#include <string.h>

/* Shorter or more usual names of events. */
static const struct {
	const char *name, *event;
} aliases[] = {
	{ "oom_kill", "mark_victim" },
};

int lkst_event_name_parse(struct lkst_err *e, struct lkst_words *w, char name[LKST_WORD_MAX])
{
	struct lkst_word word;
	int err = lkst_words_take(e, w, LKST_WORD_NAME, "an event", &word);
	size_t i;

	if (err)
		return err;
	memcpy(name, word.text, LKST_WORD_MAX);
	for (i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(aliases[i].name, word.text))
			memcpy(name, aliases[i].event, strlen(aliases[i].event) + 1);
	return 0;
}

/* "=FIELD" */
static int event_pair_parse_key(struct lkst_err *e, struct lkst_words *w, struct lkst_event_pair *pair)
{
	struct lkst_word word;
	int err = lkst_words_skip(e, w);

	if (!err && !lkst_words_is_sign(w, "="))
		err = lkst_err_set(e, -EINVAL, "\"key\" must be followed by \"=FIELD\"");
	err = err ?: lkst_words_skip(e, w) ?: lkst_words_take(e, w, LKST_WORD_NAME, "a field", &word);
	if (!err)
		memcpy(pair->key, word.text, sizeof(pair->key));
	return err;
}

int lkst_event_pair_parse_rest(struct lkst_err *e, struct lkst_words *w,
			       struct lkst_event_pair *pair)
{
	int err = lkst_words_skip(e, w);

	pair->key[0] = 0;
	err = err ?: lkst_event_name_parse(e, w, pair->end);
	if (!err && w->next.kind == LKST_WORD_NAME && !strcmp(w->next.text, "key"))
		err = event_pair_parse_key(e, w, pair);
	return err;
}

int lkst_event_pair_parse(struct lkst_err *e, const char *text, struct lkst_event_pair *ret_pair)
{
	struct lkst_words w;
	int err = lkst_words_init(e, &w, text) ?: lkst_event_name_parse(e, &w, ret_pair->begin);

	if (!err && !lkst_words_is_sign(&w, ".."))
		err = lkst_err_set(e, -EINVAL, "\"%s\" must be followed by \".. EVENT\"",
				   ret_pair->begin);
	err = err ?: lkst_event_pair_parse_rest(e, &w, ret_pair);
	if (!err && w.next.kind != LKST_WORD_END)
		err = lkst_err_set(e, -EINVAL,
				   "only \"key=FIELD\" may follow two events, not \"%s\"",
				   w.next.text);
	return err;
}
