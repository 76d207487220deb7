/* SPDX-License-Identifier: GPL-2.0-only */
/* What takes the place of strings that are taken out of a bundle, and which strings hold a word. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/cleanup.h"
#include "bundle/bundle_text.h"
#include "bundle/redact.h"

enum {
	LETTERS = 32,
	LETTER_BITS = 5,
	LETTERS_OF_HASH = 12,
	NAME_LETTERS = 8, /* of what takes the place of a thread's name, whatever its length */
	CUT_MIN = 4, /* so much of a word at the end of a name that is cut counts as the word */
};

static const char letters[LETTERS + 1] = "abcdefghijklmnopqrstuvwxyz234567";

/* Writes @room letters at @to that follow from @length bytes. */
static void put_letters(const struct lkst_redaction *r, const u8 *bytes, size_t length, u8 *to,
			size_t room)
{
	u64 words[2] = { htole64(lkst_siphash(r->key, bytes, length)), 0 }, hash = 0;
	size_t i;

	for (i = 0; i < room; i++) {
		if (i % LETTERS_OF_HASH == 0) {
			words[1] = htole64(i + 1);
			hash = lkst_siphash(r->key, words, sizeof(words));
		}
		to[i] = (u8)letters[hash % LETTERS];
		hash >>= LETTER_BITS;
	}
}

/* The same in place; it is never what was there. */
static void disguise(const struct lkst_redaction *r, u8 *bytes, size_t length)
{
	const u8 first = length ? bytes[0] : 0;

	put_letters(r, bytes, length, bytes, length);
	if (length && bytes[0] == first)
		bytes[0] = bytes[0] == 'x' ? 'y' : 'x';
}

/* "." and ".." are no names. */
static bool is_dots(const u8 *bytes, size_t length)
{
	return length <= 2 && !memcmp(bytes, "..", length);
}

bool lkst_redact_string(const struct lkst_redaction *r, u8 *bytes, size_t length, bool is_path)
{
	size_t begin, end;
	bool is_any = false;

	if (!length || !is_path) {
		disguise(r, bytes, length);
		return length != 0;
	}
	for (begin = 0; begin < length; begin = end + 1) {
		for (end = begin; end < length && bytes[end] != '/'; end++)
			;
		if (is_dots(bytes + begin, end - begin))
			continue;
		disguise(r, bytes + begin, end - begin);
		is_any = true;
	}
	return is_any;
}

bool lkst_redact_name(const struct lkst_redaction *r, char name[LKST_REDACT_NAME])
{
	const size_t length = strnlen(name, LKST_REDACT_NAME);
	u8 made[NAME_LETTERS];
	u32 place;

	memset(name + length, 0, LKST_REDACT_NAME - length);
	place = (u32)lkst_lower_bound(i, r->nr_kernel_names,
				      memcmp(r->kernel_names[i], name, LKST_REDACT_NAME) < 0);
	if (!length ||
	    (place < r->nr_kernel_names && !memcmp(r->kernel_names[place], name, LKST_REDACT_NAME)))
		return false;
	put_letters(r, (const u8 *)name, length, made, sizeof(made));
	memset(name, 0, LKST_REDACT_NAME);
	memcpy(name, made, sizeof(made));
	return true;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Whether @bytes end in the beginning of @word. */
static bool ends_in_part(const char *bytes, size_t length, const char *word)
{
	size_t part = strlen(word) < length ? strlen(word) : length;

	for (; part >= CUT_MIN; part--)
		if (!memcmp(bytes + length - part, word, part))
			return true;
	return false;
}

bool lkst_redact_has_word(const struct lkst_redaction *r, const void *bytes, size_t length,
			  bool is_cut)
{
	unsigned int i;

	for (i = 0; i < r->nr_words; i++)
		if (memmem(bytes, length, r->words[i], strlen(r->words[i])) ||
		    (is_cut && ends_in_part(bytes, length, r->words[i])))
			return true;
	return false;
}

/* A byte that is not in @word, so that no word begins before what was filled with it and ends after. */
static char filler_of(const char *word)
{
	static const char fillers[] = "x*#-_+=:%!";
	const char *filler = fillers;

	while (filler[1] && strchr(word, *filler))
		filler++;
	return *filler;
}

static u64 take_word_out(const char *word, struct lkst_bundle_text *text)
{
	const size_t length = strlen(word);
	const char filler = filler_of(word);
	char *at = text->bytes, *end = text->bytes + text->length;
	u64 nr = 0;

	while ((at = memmem(at, (size_t)(end - at), word, length))) {
		memset(at, filler, length);
		at += length;
		nr++;
	}
	return nr;
}

void lkst_redact_words(struct lkst_redaction *r, struct lkst_bundle_text *text)
{
	unsigned int i;

	for (i = 0; i < r->nr_words && text->bytes; i++)
		r->counts[LKST_REDACT_WORDS] += take_word_out(r->words[i], text);
}
