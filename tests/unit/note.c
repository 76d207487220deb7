/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Notes: documents cut into pages are put together again, and damaged, old or incomplete ones are
 * not taken for whole.
 */
#include "lib/unit.h"

#include <errno.h>

#include "trace/format/note.h"

enum { PAGES = 16 };

static const u8 uuid[16] = "0123456789abcde";

struct notes {
	struct lkst_note pages[PAGES];
	const struct lkst_note *list[PAGES];
	size_t nr;
	char text[4 * LKST_NOTE_ROOM];
};

static struct notes *new_notes(void)
{
	struct notes *n = calloc(1, sizeof(*n));
	size_t i;

	if (!n)
		abort();
	for (i = 0; i < sizeof(n->text); i++)
		n->text[i] = (char)('a' + i * 7 % 26);
	return n;
}

/* The good ones among the pages, in order, the last page first to begin with. */
static void collect(struct notes *n)
{
	int i;

	n->nr = 0;
	for (i = PAGES - 1; i >= 0; i--)
		if (lkst_note_is_good(&n->pages[i]))
			n->list[n->nr++] = &n->pages[i];
	qsort(n->list, n->nr, sizeof(n->list[0]), lkst_note_compare);
}

/* The length of the document that comes out, if it is that of @text; else what went wrong. */
static long gathered(struct notes *n, const char *text)
{
	size_t length;
	u8 *bytes;
	long got;
	int err;

	collect(n);
	err = lkst_note_gather(n->list, n->nr, LKST_NOTE_METADATA, &bytes, &length);
	if (err)
		return err;
	got = memcmp(bytes, text, length) ? -EBADMSG : (long)length;
	free(bytes);
	return got;
}

TEST(note_of_any_length_comes_back)
{
	static const size_t lengths[] = {
		0, 1, LKST_NOTE_ROOM - 1, LKST_NOTE_ROOM, LKST_NOTE_ROOM + 1, 3 * LKST_NOTE_ROOM
	};
	struct notes *n = new_notes();
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		memset(n->pages, 0, sizeof(n->pages));
		lkst_note_fill_all(n->pages + 3, uuid, LKST_NOTE_METADATA, 5, n->text, lengths[i]);
		CHECK_EQ(gathered(n, n->text), lengths[i]);
	}
	free(n);
}

TEST(note_notices_any_flipped_bit)
{
	struct notes *n = new_notes();
	size_t at;

	lkst_note_fill_all(n->pages, uuid, LKST_NOTE_METADATA, 5, n->text, 300);
	CHECK(lkst_note_is_good(&n->pages[0]));
	for (at = offsetof(struct lkst_note, version); at < LKST_NOTE_HEADER + 300; at++) {
		/* The padding means nothing. */
		if (at >= offsetof(struct lkst_note, pad) && at < LKST_NOTE_HEADER)
			continue;
		((u8 *)n->pages)[at] ^= (u8)(1 << at % 8);
		CHECK(!lkst_note_is_good(&n->pages[0]));
		((u8 *)n->pages)[at] ^= (u8)(1 << at % 8);
	}
	free(n);
}

TEST(note_second_copy_stands_in)
{
	struct notes *n = new_notes();

	lkst_note_fill_all(n->pages, uuid, LKST_NOTE_METADATA, 5, n->text, 3 * LKST_NOTE_ROOM);
	lkst_note_fill_all(n->pages + 8, uuid, LKST_NOTE_METADATA, 5, n->text, 3 * LKST_NOTE_ROOM);
	n->pages[1].magic = 0;
	n->pages[10].bytes[7] ^= 1;
	CHECK_EQ(gathered(n, n->text), 3 * LKST_NOTE_ROOM);
	n->pages[9].magic = 0;
	CHECK_EQ(gathered(n, n->text), -ENOENT);
	free(n);
}

TEST(note_latest_whole_writing_counts)
{
	struct notes *n = new_notes();

	lkst_note_fill_all(n->pages, uuid, LKST_NOTE_METADATA, 5, n->text, 2 * LKST_NOTE_ROOM);
	lkst_note_fill_all(n->pages + 4, uuid, LKST_NOTE_METADATA, 6, n->text + 1,
			   LKST_NOTE_ROOM + 9);
	lkst_note_fill_all(n->pages + 8, uuid, LKST_NOTE_STATE, 7, n->text, 50);
	CHECK_EQ(gathered(n, n->text + 1), LKST_NOTE_ROOM + 9);
	/* A writing that was interrupted leaves the one before. */
	n->pages[5].magic = 0;
	CHECK_EQ(gathered(n, n->text), 2 * LKST_NOTE_ROOM);
	free(n);
}

TEST(note_metadata_unpacks_as_it_was)
{
	struct notes *n = new_notes();
	struct lkst_err e;
	size_t length, text_length;
	char *text;
	u8 *packed;

	n->text[sizeof(n->text) - 1] = 0;
	CHECK_EQ(lkst_note_pack(&e, n->text, &packed, &length), 0);
	CHECK_EQ(lkst_note_unpack(&e, packed, length, &text, &text_length), 0);
	CHECK_EQ(text_length, sizeof(n->text) - 1);
	CHECK_STR(text, n->text);
	free(text);
	CHECK(lkst_note_unpack(&e, packed, length / 2, &text, &text_length) < 0);
	packed[length / 2] ^= 0x55;
	CHECK(lkst_note_unpack(&e, packed, length, &text, &text_length) < 0);
	free(packed);
	free(n);
}

static const struct unit_test tests[] = {
	{ "note_of_any_length_comes_back", test_note_of_any_length_comes_back },
	{ "note_notices_any_flipped_bit", test_note_notices_any_flipped_bit },
	{ "note_second_copy_stands_in", test_note_second_copy_stands_in },
	{ "note_latest_whole_writing_counts", test_note_latest_whole_writing_counts },
	{ "note_metadata_unpacks_as_it_was", test_note_metadata_unpacks_as_it_was },
};
UNIT_MAIN(tests)
