/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The memory that a program's marks are in: a file in a directory of a tmpfs, which the program maps and a recording
 * reads. It outlives the program. All sizes are constants, so that a reader takes none from the file:
 *
 *	a page			struct lkst_mark_header
 *	LKST_MARK_EVENTS	texts of the events that the program describes, LKST_MARK_PAGE_TEXTS in a page
 *	LKST_MARK_THREADS	areas, each a struct lkst_mark_thread and the blocks of its two rings
 *
 * Each page says what it is: a block in its header, all others in their struct lkst_mark_page. So they are found in a
 * dump of the machine's memory, too, where they lie scattered.
 *
 * Blocks and records are those of every trace (abi/block.h); the CPU of a block's stream is the number of its area. The
 * numbers of events are the program's own: the first few are fixed, LKST_MARK_ID_FIRST + i is text i. Behind its head
 * a record has the CPU in 4 bytes, then the fields of its event, each where the same event without the CPU has it, 4
 * bytes later.
 *
 * A thread has an area of its own, so that a ring has one writer. A signal handler that interrupts it while it writes
 * uses the second, small ring. `done` and `opened` are used as in src/bpf/ring.h.
 */
#ifndef LKST_LIBLKST_MARK_FORMAT_H
#define LKST_LIBLKST_MARK_FORMAT_H

#include "abi/block.h"

/* Where the files are, and how their names begin: prefix, user, process and a random number, joined by dots. */
#define LKST_MARK_DIR "/dev/shm"
#define LKST_MARK_PREFIX "lkst-mark"
/* The file that says until when all programs are wanted: a u64, CLOCK_MONOTONIC in ns; root's. */
#define LKST_MARK_WANTED_FILE "lkst-mark-wanted"

enum {
	LKST_MARK_MAGIC = 0x4b52414d, /* "MARK", by its bytes in memory */
	LKST_MARK_VERSION = 2,
	LKST_MARK_PAGE = 4096,
	LKST_MARK_EVENTS = 64, /* that a program may describe */
	LKST_MARK_TEXT = 252,  /* bytes of a description, with its NUL */
	LKST_MARK_PAGE_TEXTS = 15,
	LKST_MARK_THREADS = 128,
	LKST_MARK_LEVELS = 2,
	LKST_MARK_BLOCKS = 64,	     /* of the ring of level 0; a power of two */
	LKST_MARK_BLOCKS_NESTED = 4, /* of level 1 */
	LKST_MARK_ID_FIRST = 16,     /* of a described event */
	LKST_MARK_BLOCK = LKST_MARK_PAGE,
	LKST_MARK_RECORD_CPU = sizeof(struct lkst_record_head), /* where a record has its CPU */
	LKST_MARK_RECORD_FIELDS = LKST_MARK_RECORD_CPU + 4,
};
_Static_assert(1 << LKST_BLOCK_SHIFT_MIN == LKST_MARK_BLOCK, "a block is of the smallest size");

/* The events that need no description. */
enum lkst_mark_id {
	LKST_MARK_ID_MARK = 1,
	LKST_MARK_ID_BEGIN,
	LKST_MARK_ID_END,
	LKST_MARK_ID_VALUE,
	LKST_MARK_ID_HANDOVER,
	LKST_MARK_ID_TRACEPARENT,
	LKST_MARK_ID_NR,
};

/* What each page begins with that is not a block. */
struct lkst_mark_page {
	u32 magic; /* of the first page: stored last */
	u32 index; /* of the page in the file */
	u8 id[16]; /* random: the program's, as in its blocks the uuid */
};

struct lkst_mark_header {
	struct lkst_mark_page page;
	u32 version;
	s32 pid;
	u32 uid;
	u32 nr_threads; /* areas that have been used */
	u64 start_ns;	/* when it was made */
	u64 no_area;	/* records of threads that got no area */
	u64 refused;	/* records of events whose description or values make no sense */
	u8 boot_id[16]; /* as the kernel calls itself; 0: not known */
	u8 pad[48];
	u64 wanted_until_ns; /* a recording stores it; 0: none wants marks. A line of its own */
};
_Static_assert(offsetof(struct lkst_mark_header, wanted_until_ns) % 64 == 0,
	       "what is loaded by each mark shares no line with what others write");

struct lkst_mark_text {
	u32 is_there; /* stored after the text */
	char text[LKST_MARK_TEXT];
};
_Static_assert(sizeof(struct lkst_mark_text) * (LKST_MARK_PAGE_TEXTS + 1) == LKST_MARK_PAGE,
	       "a page has one less than there is room for");

struct lkst_mark_ring {
	u64 done;    /* position of the end of the last complete record; 0: there is none */
	u64 opened;  /* blocks opened so far */
	u64 last_ns; /* time of the last record or opening */
	u64 turn_ns; /* a record of this time or later opens a block */
};

struct lkst_mark_thread {
	struct lkst_mark_page page;
	s32 tid;  /* whose it is, or was last; 0: nobody's */
	u32 nest; /* writers at work */
	struct lkst_mark_ring ring[LKST_MARK_LEVELS];
	u64 too_deep; /* records that were lost because too many signal handlers interrupted each other */
};
_Static_assert(offsetof(struct lkst_mark_thread, ring[1]) == 64, "a mark writes to one line of it");

enum {
	LKST_MARK_TEXTS_AT = LKST_MARK_PAGE,
	LKST_MARK_TEXT_PAGES =
		(LKST_MARK_EVENTS + LKST_MARK_PAGE_TEXTS - 1) / LKST_MARK_PAGE_TEXTS,
	LKST_MARK_AREAS_AT = LKST_MARK_TEXTS_AT + LKST_MARK_TEXT_PAGES * LKST_MARK_PAGE,
	LKST_MARK_AREA =
		LKST_MARK_PAGE + (LKST_MARK_BLOCKS + LKST_MARK_BLOCKS_NESTED) * LKST_MARK_BLOCK,
	LKST_MARK_FILE_BYTES = LKST_MARK_AREAS_AT + LKST_MARK_THREADS * LKST_MARK_AREA,
};

/* Where text @i is in the file: the first place of each page has its struct lkst_mark_page. */
static inline u32 lkst_mark_text_at(u32 i)
{
	return LKST_MARK_TEXTS_AT + i / LKST_MARK_PAGE_TEXTS * LKST_MARK_PAGE +
	       (1 + i % LKST_MARK_PAGE_TEXTS) * (u32)sizeof(struct lkst_mark_text);
}

static inline u32 lkst_mark_area_at(u32 area)
{
	return LKST_MARK_AREAS_AT + area * LKST_MARK_AREA;
}

static inline u32 lkst_mark_ring_mask(u32 level)
{
	return (level ? LKST_MARK_BLOCKS_NESTED : LKST_MARK_BLOCKS) - 1;
}

/* Where block number @seq of a ring lies, from the beginning of its area. */
static inline u32 lkst_mark_block_at(u32 level, u64 seq)
{
	return LKST_MARK_PAGE +
	       ((level ? LKST_MARK_BLOCKS : 0) + (u32)(seq & lkst_mark_ring_mask(level))) *
		       LKST_MARK_BLOCK;
}

#endif
