/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts or numbers by number, each only once. */
#include "parquet/dictionary.h"

#include "base/bytes.h"
#include "base/xxh64.h"

enum {
	NR_MAX = 16 * 1024,
	BYTES_MAX = 256 * 1024,
	INTS_MAX = 4096, /* numbers, so that all that is looked at stays in a near cache */
	LENGTH = 4,	 /* bytes of the length before a text */
};

/* Makes keys of numbers: the one that is no key is unlikely then, and has no place. Without it that would be -1. */
static const uint64_t turned = 0x5bd1e995a5a5c3e7ULL;

struct dictionary_place {
	uint64_t key; /* of the text, or the number */
	uint32_t number;
};

void lkst_dictionary_fini(struct lkst_dictionary *d)
{
	lkst_byte_list_fini(&d->bytes);
	lkst_byte_list_fini(&d->starts);
	lkst_hash_fini(&d->places);
	*d = (struct lkst_dictionary){};
}

const uint8_t *lkst_dictionary_text(const struct lkst_dictionary *d, uint32_t number,
				    uint32_t *ret_length)
{
	uint32_t start;

	memcpy(&start, d->starts.bytes + sizeof(start) * number, sizeof(start));
	*ret_length = LENGTH + lkst_le32(d->bytes.bytes + start);
	return d->bytes.bytes + start;
}

static bool dictionary_is_text(const struct lkst_dictionary *d, uint32_t number, const void *bytes,
			       uint32_t length)
{
	uint32_t there;
	const uint8_t *text = lkst_dictionary_text(d, number, &there);

	return there == LENGTH + length && !memcmp(text + LENGTH, bytes, length);
}

static uint64_t dictionary_key_of(const void *bytes, uint32_t length)
{
	uint64_t key = lkst_xxh64(bytes, length);

	return key == LKST_HASH_NONE ? 0 : key;
}

static int32_t dictionary_add(struct lkst_dictionary *d, uint64_t key, const void *bytes, uint32_t length)
{
	uint32_t start = (uint32_t)d->bytes.nr, stored = htole32(length);
	struct dictionary_place *place;

	if (d->nr == NR_MAX || d->bytes.nr + length > BYTES_MAX ||
	    lkst_hash_reserve(&d->places, sizeof(*place)))
		return LKST_DICTIONARY_FULL;
	lkst_byte_list_add(&d->bytes, &stored, sizeof(stored));
	lkst_byte_list_add(&d->bytes, bytes, length);
	lkst_byte_list_add(&d->starts, &start, sizeof(start));
	if (d->bytes.has_failed || d->starts.has_failed)
		return LKST_DICTIONARY_FULL;
	place = lkst_hash_add(&d->places, key, sizeof(*place));
	place->number = d->nr;
	return (int32_t)d->nr++;
}

/* Whoever gives the same text again mostly has it where it was. */
static uint32_t *recent_of(struct lkst_dictionary *d, const void *bytes)
{
	return &d->recent[lkst_hash_number((uintptr_t)bytes) % LKST_DICTIONARY_RECENT];
}

int32_t lkst_dictionary_number(struct lkst_dictionary *d, const void *bytes, uint32_t length,
			       bool *ret_is_new)
{
	uint32_t *recent = recent_of(d, bytes);
	const struct dictionary_place *place;
	uint64_t key;
	int32_t number;

	*ret_is_new = false;
	if (d->nr && dictionary_is_text(d, *recent, bytes, length))
		return (int32_t)*recent;
	key = dictionary_key_of(bytes, length);
	place = lkst_hash_find(&d->places, key, sizeof(*place));
	/* Of two texts with one key the second is not told from the first: as good as full. */
	if (place && !dictionary_is_text(d, place->number, bytes, length))
		return LKST_DICTIONARY_FULL;
	number = place ? (int32_t)place->number : dictionary_add(d, key, bytes, length);
	*ret_is_new = !place && number >= 0;
	if (number >= 0)
		*recent = (uint32_t)number;
	return number;
}

int32_t lkst_dictionary_int(struct lkst_dictionary *d, uint64_t value, uint32_t size, bool *ret_is_new)
{
	const uint64_t key = value ^ turned;
	uint64_t stored = htole64(value);
	struct dictionary_place *place = lkst_hash_find(&d->places, key, sizeof(*place));

	*ret_is_new = !place;
	if (place)
		return (int32_t)place->number;
	if (d->nr == INTS_MAX || key == LKST_HASH_NONE || lkst_hash_reserve(&d->places, sizeof(*place)))
		return LKST_DICTIONARY_FULL;
	lkst_byte_list_add(&d->bytes, &stored, size);
	if (d->bytes.has_failed)
		return LKST_DICTIONARY_FULL;
	place = lkst_hash_add(&d->places, key, sizeof(*place));
	place->number = d->nr;
	return (int32_t)d->nr++;
}
