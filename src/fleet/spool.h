/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A directory of what is to be sent and has not arrived yet. Each item is a file that gets its name when it is whole,
 * and that ends with a checksum; its name says what it is. So whatever is killed at whatever moment, an item is there
 * whole or not at all, and one process may put items while others send and remove them.
 *
 * The directory never holds more than it may. When it is full, seconds make room: one of them is dropped whose
 * neighbours remain, the oldest first, so that a long time without a server is known with ever fewer of its seconds,
 * and not only by its end. Of one that is dropped the name stays, without bytes, until it is counted: any process may
 * need room, and be killed, and one counts. The sum is a name, too, so that one step counts an item and removes it.
 */
#ifndef LKST_FLEET_SPOOL_H
#define LKST_FLEET_SPOOL_H

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/err.h"

enum lkst_spool_kind {
	LKST_SPOOL_SECONDS,  /* rows of second_rows */
	LKST_SPOOL_INCIDENT, /* a row of incident_rows */
	LKST_SPOOL_HOST,     /* a row of host_rows */
	LKST_SPOOL_BUNDLE,   /* a bundle, as it is */
	LKST_SPOOL_LATER, /* a row of incident_rows that becomes an item when its bundle has arrived */
	LKST_SPOOL_MADE,    /* a bundle that is being made */
	LKST_SPOOL_DAMAGED, /* what was found to be damaged: an item of seconds, which nobody sends */
	LKST_SPOOL_PENDING, /* rows of second_rows that are sent once it is noted that they were counted */
	LKST_SPOOL_DROPPED, /* an item of seconds that made room: it has no bytes any more */
	LKST_SPOOL_COUNTED, /* no item, but the sum of those that are missing: lkst_spool_count_missing() */
	LKST_SPOOL_DONE, /* all of an incident was put, as far as its revision says: it is not explained again */
	LKST_SPOOL_NR_KINDS,
};

enum {
	LKST_SPOOL_NAME = 96,	       /* of a file, with its NUL */
	LKST_SPOOL_ITEM_MAX = 8 << 20, /* bytes of one that is read */
};

/* What the name of an item says. */
struct lkst_spool_item {
	u8 kind; /* enum lkst_spool_kind */
	u8 trace[16]; /* HOST: the boot */
	u64 first; /* of seconds: of the time of day; COUNTED: seconds that were damaged; else the incident's number */
	u32 count; /* of seconds: how many there are, 0: their minute only; INCIDENT, LATER and DONE: the revision */
};

/* -EINVAL: it is not the name of an item. */
int lkst_spool_parse(const char *name, struct lkst_spool_item *ret_item);
void lkst_spool_format(const struct lkst_spool_item *item, char name[LKST_SPOOL_NAME]);

/* How the store calls a bundle: "RECORDING-NUMBER.bundle". */
void lkst_spool_bundle_name(const struct lkst_spool_item *item, char name[LKST_SPOOL_NAME]);

struct lkst_spool;

/* Opens directory @dir, which is made if it is not there, for at most @max_bytes. */
int lkst_spool_open(struct lkst_err *e, const char *dir, u64 max_bytes,
		    struct lkst_spool **ret_spool);
void lkst_spool_close(struct lkst_spool *s);
LKST_GUARD(lkst_spool_close, struct lkst_spool)

/*
 * Has this process alone be the one that counts, until it ends: its children, which put and send, have no part in
 * that. -EBUSY: another one does.
 */
int lkst_spool_claim(struct lkst_err *e, struct lkst_spool *s);

/*
 * Puts @length bytes as @item, in place of one of that name. Seconds are dropped to make room, in the directory or on
 * the disk. -ENOSPC: there is no room even so.
 */
int lkst_spool_put(struct lkst_err *e, struct lkst_spool *s, const struct lkst_spool_item *item,
		   const void *bytes, size_t length);

/* Makes room for @bytes that somebody else puts, in the same way. */
int lkst_spool_make_room(struct lkst_err *e, struct lkst_spool *s, u64 bytes);

/* Items of the kinds of @kinds, a bit each, the oldest first; incidents come before seconds. To be freed. */
int lkst_spool_list(struct lkst_err *e, const struct lkst_spool *s, u32 kinds,
		    struct lkst_spool_item **ret_items, u32 *ret_nr);

/* Reads an item, into memory to be freed. -EBADMSG: it is damaged; -ENOENT: it is gone. */
int lkst_spool_read(struct lkst_err *e, const struct lkst_spool *s,
		    const struct lkst_spool_item *item, char **ret_bytes, size_t *ret_length);

/* Opens it, for what is sent as it is. A negative errno. */
int lkst_spool_open_item(struct lkst_err *e, const struct lkst_spool *s,
			 const struct lkst_spool_item *item, u64 *ret_bytes);

void lkst_spool_remove(const struct lkst_spool *s, const struct lkst_spool_item *item);

bool lkst_spool_has(const struct lkst_spool *s, const struct lkst_spool_item *item);

/* Makes it an item of another kind. */
int lkst_spool_rename(struct lkst_err *e, const struct lkst_spool *s,
		      const struct lkst_spool_item *from, const struct lkst_spool_item *to);

/* Brings the names of all items to the disk, as they are after lkst_spool_rename(). */
int lkst_spool_sync(struct lkst_err *e, const struct lkst_spool *s);

/* Seconds that were put and are not there any more. */
struct lkst_spool_missing {
	u64 seconds;
	u64 damaged; /* of them; the others made room */
};

/*
 * Adds those that were dropped or found to be damaged since the last call to the sum, which outlasts the process, and
 * says what it is by now. Each counts once, whatever is killed at whatever moment. Only whoever has claimed the
 * directory calls it.
 */
int lkst_spool_count_missing(struct lkst_err *e, const struct lkst_spool *s,
			     struct lkst_spool_missing *ret_missing);

/* How many bytes all items have. */
u64 lkst_spool_bytes(const struct lkst_spool *s);

/* The path of an item. -ENAMETOOLONG. */
int lkst_spool_path(struct lkst_err *e, const struct lkst_spool *s,
		    const struct lkst_spool_item *item, char *path, size_t size);

/* ---- what has been put ----------------------------------------------------------------------- */

/* How far a recording has been counted, and what could not be kept; it outlasts the process. */
struct lkst_spool_position {
	u8 trace[16];
	u64 until_ns; /* CLOCK_MONOTONIC: up to there seconds are counted */
	u64 second;   /* the last one, of the time of day */
	u64 dropped;  /* seconds that were never put, since the directory was made */
	u64 damaged; /* 0; versions before this one had both here also of items: lkst_spool_count_missing() */
	u32 nr_told;	  /* incidents of the recording of which a row was put: up to this number */
	u32 nr_explained; /* and of which all was put */
};

/* All zero if there is none, or it makes no sense. */
void lkst_spool_position(const struct lkst_spool *s, struct lkst_spool_position *ret_position);
/* On a full disk one of the seconds makes room. */
int lkst_spool_keep_position(struct lkst_err *e, struct lkst_spool *s,
			     const struct lkst_spool_position *position);

/* For tests: reads what lkst_spool_keep_position() writes. -EBADMSG. */
int lkst_spool_parse_position(const char *text, struct lkst_spool_position *ret_position);

#endif
