// SPDX-License-Identifier: GPL-2.0-only
/* The marks of one program. */
#include "marks/marks_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/time.h"
#include "liblkst/mark_fields.h"
#include "marks/marks_budget.h"

enum {
	NR_RINGS = LKST_MARK_THREADS * LKST_MARK_LEVELS,
	/*
	 * A thread cannot fill a block in less: it would write more than 80 GB/s and read the clock for each record,
	 * and both takes several times as long on any machine. Who claims to, lies about how much was overwritten.
	 */
	BLOCK_NS_MIN = 50,
	ASKS_OF_BLOCK = 4,
};

/* How far a ring has been read. */
struct marks_file_progress {
	u64 done; /* position */
	u64 ns;	  /* time of the last record before it */
	u64 seen; /* where the last look has found its end */
};

struct lkst_marks_file {
	int fd;
	struct lkst_marks_owner owner;
	u32 nr_cpus;
	u8 id[16];
	struct lkst_event_class *described[LKST_MARK_EVENTS]; /* NULL: not, or refused */
	u8 has_text[LKST_MARK_EVENTS];			      /* it was read */
	u32 nr_fields;					      /* of the events that it describes */
	struct marks_file_progress progress[NR_RINGS];
	u64 seen_ns;			    /* after the last look */
	u64 looked_ns[LKST_MARK_THREADS]; /* when an area was looked at last; 0: never */
	u32 next_area;			    /* where the next look begins */
	/* During a look, since numbers of processes and threads come again: */
	struct good {
		s32 tid; /* found to be the program's; 0: none */
		u64 from_ns, to_ns;
	} good[LKST_MARK_THREADS];
	bool is_asked, is_proven; /* the process is there, and the memory is its user's */
	u64 proven_ns;		  /* when that was so; of any look */
	struct lkst_marks_losses lost;
	/* What the program's own counts were when they were read last. */
	u64 counted, too_deep[LKST_MARK_THREADS];
};

static bool marks_file_read_at(const struct lkst_marks_file *f, void *bytes, size_t length, u64 at)
{
	return pread(f->fd, bytes, length, (off_t)at) == (ssize_t)length;
}

static u64 read_u64(const struct lkst_marks_file *f, u64 at)
{
	u64 value;

	/* In one piece: the kernel copies 8 bytes at once. 0, where the file is cut short: nothing is there. */
	return marks_file_read_at(f, &value, sizeof(value), at) ? value : 0;
}

/* ---- the program's events ----------------------------------------------------------- */

static void marks_file_add_field(struct lkst_event_class *event, const char *name, u8 type, u8 size,
				 u8 meaning)
{
	struct lkst_field_class *f = &event->fields[event->nr_fields++];

	snprintf(f->name, sizeof(f->name), "%s", name);
	f->type = type;
	f->size = size;
	f->meaning = meaning;
	f->base = meaning == LKST_MEANING_HEX ? 16 : 10;
}

/* An event that needs no description, as the built-in catalogue has it. */
static int marks_file_add_fixed(struct lkst_catalog *c, u16 id)
{
	static const u16 index[LKST_MARK_ID_NR] = {
		[LKST_MARK_ID_MARK] = LKST_EV_mark,
		[LKST_MARK_ID_BEGIN] = LKST_EV_span_begin,
		[LKST_MARK_ID_END] = LKST_EV_span_end,
		[LKST_MARK_ID_VALUE] = LKST_EV_value,
		[LKST_MARK_ID_HANDOVER] = LKST_EV_span_handover,
		[LKST_MARK_ID_TRACEPARENT] = LKST_EV_span_request,
	};
	static const u8 type[] = {
		[LKST_TYPE_UINT] = LKST_CLASS_UINT,
		[LKST_TYPE_SINT] = LKST_CLASS_SINT,
		[LKST_TYPE_CHARS] = LKST_CLASS_CHARS,
		[LKST_TYPE_STRING] = LKST_CLASS_STRING,
	};
	const struct lkst_event_desc *desc = &lkst_events[index[id]];
	struct lkst_field_class fields[LKST_MARK_NR_FIELDS + 1] = {};
	struct lkst_event_class event = { .id = id, .fields = fields };
	u32 i;

	snprintf(event.name, sizeof(event.name), "%s", desc->name);
	marks_file_add_field(&event, "lkst_cpu", LKST_CLASS_UINT, 4, LKST_MEANING_DEC);
	for (i = 0; i < desc->nr_fields && i < LKST_MARK_NR_FIELDS; i++)
		marks_file_add_field(&event, desc->fields[i].name, type[desc->fields[i].type],
				     desc->fields[i].size, desc->fields[i].meaning);
	return lkst_catalog_add(NULL, c, &event);
}

struct lkst_catalog *lkst_marks_catalog_new(void)
{
	_cleanup_(lkst_marks_catalog_freep) struct lkst_catalog *c = lkst_catalog_new();
	u16 i;

	for (i = LKST_MARK_ID_MARK; c && i < LKST_MARK_ID_NR; i++)
		if (marks_file_add_fixed(c, i))
			return NULL;
	return lkst_take(c);
}

/* Has the catalogue have no program's events, which are not its own. */
static void forget_described(struct lkst_catalog *c)
{
	memset(&c->classes[LKST_MARK_ID_FIRST], 0, LKST_MARK_EVENTS * sizeof(c->classes[0]));
}

void lkst_marks_catalog_free(struct lkst_catalog *c)
{
	if (!c)
		return;
	forget_described(c);
	lkst_catalog_free(c);
}

static int make_class(u16 id, const struct lkst_mark_fields *described, struct lkst_event_class **ret_class)
{
	struct lkst_field_class fields[LKST_MARK_NR_FIELDS + 1] = {};
	struct lkst_event_class event = { .id = id, .fields = fields };
	u32 i;

	snprintf(event.name, sizeof(event.name), "%u:%s", id, described->name);
	marks_file_add_field(&event, "lkst_cpu", LKST_CLASS_UINT, 4, LKST_MEANING_DEC);
	for (i = 0; i < described->nr; i++) {
		const struct lkst_mark_field *field = &described->list[i];

		marks_file_add_field(&event, field->name,
				     !field->size	     ? LKST_CLASS_STRING
				     : field->is_signed ? LKST_CLASS_SINT
					     : LKST_CLASS_UINT,
				     field->size,
				     !field->size	  ? LKST_MEANING_TEXT
				     : field->is_hex ? LKST_MEANING_HEX
					  : LKST_MEANING_DEC);
	}
	return lkst_event_class_new(NULL, &event, ret_class);
}

/* Takes in what text @i describes, if the events of the program may have as many fields. */
static int add_text(struct lkst_marks_file *f, u16 i, const struct lkst_mark_text *text, u32 most_fields)
{
	struct lkst_mark_fields described = {};
	int err = -EINVAL;

	f->has_text[i] = 1;
	/* It costs nothing where there is no room in any case. */
	if (f->nr_fields < most_fields && !lkst_mark_fields_parse(text->text, sizeof(text->text), &described))
		return 0;
	if (f->nr_fields + 1 + described.nr <= most_fields)
		err = make_class(LKST_MARK_ID_FIRST + i, &described, &f->described[i]);
	if (!err)
		f->nr_fields += 1 + described.nr;
	/* A field that cannot be one, such as a second lkst_cpu. */
	f->lost.refused += err == -EINVAL;
	return err == -EINVAL ? 0 : err;
}

/* Takes in what the program has described since. What was read once does not change any more. */
static int marks_file_read_texts(struct lkst_marks_file *f, u32 most_fields)
{
	/* The first place of a page has no text. */
	struct lkst_mark_text page[LKST_MARK_PAGE_TEXTS + 1];
	u16 i, at;
	int err = 0;

	/* They are taken from the first on. */
	for (i = 0; i < LKST_MARK_EVENTS && !err; i++) {
		at = i % LKST_MARK_PAGE_TEXTS;
		if (!at && !marks_file_read_at(f, page, sizeof(page), lkst_mark_text_at(i) - sizeof(page[0])))
			break;
		if (!f->has_text[i] && page[at + 1].is_there == 2)
			err = add_text(f, i, &page[at + 1], most_fields);
	}
	return err;
}

u32 lkst_marks_file_fields(const struct lkst_marks_file *f)
{
	return f->nr_fields;
}

/* ---- whose thread it is ------------------------------------------------------------- */

/*
 * Whether process @pid is user @uid's. root's word is taken for its own files: a process may have given up being root
 * since it made one.
 */
static bool marks_file_is_of_user(s32 pid, u32 uid)
{
	char path[32], status[4096];
	const char *line;
	u32 ids[4];
	ssize_t length;
	int fd;

	if (!uid)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, status, sizeof(status) - 1);
	close(fd);
	status[length > 0 ? length : 0] = 0;
	/* The thread's name, before it, has no newline. */
	line = strstr(status, "\nUid:");
	if (!line || sscanf(line + 5, "%u %u %u %u", &ids[0], &ids[1], &ids[2], &ids[3]) != 4)
		return false;
	return ids[0] == uid || ids[1] == uid || ids[2] == uid || ids[3] == uid;
}

static bool is_proven(struct lkst_marks_file *f)
{
	if (!f->is_asked)
		f->is_proven = marks_file_is_of_user(f->owner.pid, f->owner.uid);
	if (!f->is_asked && f->is_proven)
		f->proven_ns = lkst_monotonic_ns();
	f->is_asked = true;
	return f->is_proven;
}

/*
 * Whether thread @tid, which has ended, was the program's at @ns: whoever makes memory may say so of any. root's word
 * is taken.
 */
static bool was_own_thread(const struct lkst_marks_file *f, const struct lkst_marks_reading *reading, s32 tid, u64 ns,
			   struct good *good)
{
	const struct lkst_marks_ended ended = { .tid = tid,
						.pid = f->owner.pid,
						.uid = f->owner.uid,
						.ns = ns,
						.is_there = f->is_proven,
						.was_there_ns = f->proven_ns };

	return !f->owner.uid || !reading->was_of || reading->was_of(reading->ctx, &ended, &good->from_ns, &good->to_ns);
}

/* Whether thread @tid is the program's at @ns, or was; from when until when is put to @good, too. */
static bool is_own_thread(struct lkst_marks_file *f, const struct lkst_marks_reading *reading, s32 tid, u64 ns,
			  struct good *good)
{
	const struct lkst_marks_owner *owner = &f->owner;

	*good = (struct good){ .tid = tid, .to_ns = UINT64_MAX };
	if (tid <= 0)
		return false;
	if (owner->is_of_dump)
		return true;
	/* EPERM, too, says that it is there (do_send_specific(), kernel/signal.c). */
	if (is_proven(f) && (!syscall(SYS_tgkill, owner->pid, tid, 0) || errno != ESRCH))
		return true;
	return syscall(SYS_tkill, tid, 0) && errno == ESRCH && was_own_thread(f, reading, tid, ns, good);
}

/* ---- what a look finds -------------------------------------------------------------- */

enum {
	DONE = offsetof(struct lkst_mark_ring, done),
	OPENED = offsetof(struct lkst_mark_ring, opened),
	LAST_NS = offsetof(struct lkst_mark_ring, last_ns),
};

static u64 ring_at(u32 area, u32 level, size_t member)
{
	return lkst_mark_area_at(area) + offsetof(struct lkst_mark_thread, ring) +
	       level * sizeof(struct lkst_mark_ring) + member;
}

/* How many blocks of a ring have something that was not read and was not overwritten before the look. */
static u32 new_blocks(const struct marks_file_progress *p, u32 level)
{
	const u64 nr = p->seen / LKST_MARK_BLOCK - p->done / LKST_MARK_BLOCK + 1;
	const u32 all = lkst_mark_ring_mask(level) + 1;

	if (p->seen == p->done)
		return 0;
	return nr < all ? (u32)nr : all;
}

/* Notes how far a ring is complete, @ns after the last time. */
static void marks_file_look_at_ring(struct lkst_marks_file *f, struct marks_file_progress *p, u64 done, u64 ns)
{
	const u64 blocks = done / LKST_MARK_BLOCK - p->done / LKST_MARK_BLOCK;
	const bool is_too_far = p->done && blocks > 1 && blocks - 1 > ns / BLOCK_NS_MIN;

	p->seen = done;
	/* It never falls; the program has overwritten its memory. */
	if (done != p->done && (done < p->done || done % LKST_MARK_BLOCK < LKST_BLOCK_HEADER || is_too_far)) {
		f->lost.refused++;
		p->done = done;
	}
}

/* Takes in what the program itself counts of what it has lost: @now in place of @last. */
static void count_lost(struct lkst_marks_file *f, u64 *last, u64 now)
{
	f->lost.unrecorded += now > *last ? now - *last : 0;
	*last = now;
}

u32 lkst_marks_file_areas(const struct lkst_marks_file *f)
{
	u32 nr = 0;

	if (!marks_file_read_at(f, &nr, sizeof(nr), offsetof(struct lkst_mark_header, nr_threads)))
		return 0;
	return nr < LKST_MARK_THREADS ? nr : LKST_MARK_THREADS;
}

/* Looks at the rings of an area. Returns how many of their blocks are new, and adds what the thread itself has lost. */
static u32 look_at_area(struct lkst_marks_file *f, u32 area, u64 from_ns)
{
	struct marks_file_progress *p = &f->progress[area * LKST_MARK_LEVELS];
	const u64 now_ns = lkst_monotonic_ns();
	struct lkst_mark_thread t;
	u32 level, nr = 0;

	if (!marks_file_read_at(f, &t, sizeof(t), lkst_mark_area_at(area)))
		return 0;
	count_lost(f, &f->too_deep[area], t.too_deep);
	for (level = 0; level < LKST_MARK_LEVELS; level++, p++) {
		/* As the program stores it: in one piece. */
		if (t.ring[level].done != p->done)
			marks_file_look_at_ring(f, p, read_u64(f, ring_at(area, level, DONE)),
						now_ns - f->looked_ns[area]);
		/* The time of a record is stored before the record is complete, and read here after that. */
		if (!p->done && p->seen && t.ring[level].last_ns < from_ns &&
		    read_u64(f, ring_at(area, level, LAST_NS)) < from_ns)
			p->done = p->seen;
		nr += new_blocks(p, level);
	}
	f->looked_ns[area] = now_ns;
	return nr;
}

u32 lkst_marks_file_look(struct lkst_marks_file *f, u32 most, u64 from_ns, bool is_last)
{
	const u32 all = lkst_marks_file_areas(f), nr = most < all ? most : all;
	struct lkst_mark_header h;
	u32 i, blocks = 0;

	if (!marks_file_read_at(f, &h, sizeof(h), 0))
		return 0;
	count_lost(f, &f->counted, h.no_area + h.refused);
	for (i = 0; i < nr; i++)
		blocks += look_at_area(f, (f->next_area + i) % all, from_ns);
	f->next_area = all ? (f->next_area + nr) % all : 0;
	f->lost.unlooked += is_last ? all - nr : 0;
	/* All that is complete has been made by now. */
	f->seen_ns = lkst_monotonic_ns();
	return blocks;
}

/* ---- a ring ------------------------------------------------------------------------- */

struct marks_file_ring {
	struct lkst_marks_file *f;
	const struct lkst_marks_reading *reading;
	struct marks_file_progress *progress;
	u32 area, level;
	u64 to_ns;
	bool is_rest; /* blocks before the next one were overwritten unread */
	bool is_over; /* there is no room for more */
	u32 asks_left; /* threads of which it is asked whose they are, in this block */
};

static int take_record(struct marks_file_ring *r, const struct lkst_record *record)
{
	struct lkst_marks_file *f = r->f;
	struct good *good = &f->good[r->area], asked;
	struct lkst_marks_record out = { .event = record->event,
					 .ns = record->ns,
					 .tid = record->tid,
					 .bytes = record->bytes,
					 .size = record->size };
	int err;

	/* Of each class it is the first field, at the same place. */
	out.cpu = (u32)lkst_record_int(record, &record->event->fields[0]);
	if (out.ns < r->reading->from_ns)
		return 0;
	/* No program is thread 0, which stands for none in the list. */
	if (!out.tid || out.tid != good->tid || out.ns < good->from_ns || out.ns > good->to_ns) {
		/* A ring is one thread's at a time: who has many by turns has the kernel asked for nothing. */
		if (!r->asks_left || !r->asks_left-- || !is_own_thread(f, r->reading, out.tid, out.ns, &asked)) {
			f->lost.refused++;
			return 0;
		}
		*good = asked;
	}
	if (out.cpu >= f->nr_cpus || out.ns > r->to_ns) {
		f->lost.refused++;
		return 0;
	}
	err = r->reading->take(r->reading->ctx, &out);
	f->lost.refused += err > 0;
	return err < 0 ? err : 0;
}

/* Makes the copy of the open block one that ends where the look has found the ring's end. */
static void close_copy(const struct marks_file_ring *r, u8 *block)
{
	struct lkst_block_header *h = (void *)block;

	h->content_size = r->progress->seen % LKST_MARK_BLOCK * 8;
	h->timestamp_end = r->to_ns;
}

/*
 * Takes the records of @bytes, a copy of block @seq, from where the ring was read to. @left_out: so many blocks before
 * it are not read, and if they had anything of the time that is asked for, that is lost.
 */
static int take_block(struct marks_file_ring *r, u64 seq, u8 *bytes, u64 left_out)
{
	struct marks_file_progress *p = r->progress;
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	int err = 0, more;

	if (seq == p->seen / LKST_MARK_BLOCK)
		close_copy(r, bytes);
	if (lkst_block_parse(NULL, bytes, LKST_MARK_BLOCK, r->f->id, &block) || block.seq != seq ||
	    block.size != LKST_MARK_BLOCK || block.instance != lkst_stream_instance(r->area, 0, r->level)) {
		r->f->lost.refused++;
		r->f->lost.left_out += left_out;
		return 0;
	}
	r->f->lost.left_out += block.begin_ns > r->reading->from_ns ? left_out : 0;
	/* How many were overwritten in the time that is asked for is not known: at least one. */
	r->f->lost.overwritten += r->is_rest && block.begin_ns > r->reading->from_ns;
	r->asks_left = ASKS_OF_BLOCK;
	lkst_block_cursor_init(&cursor, &block);
	if (p->done && seq == p->done / LKST_MARK_BLOCK) {
		cursor.offset = p->done % LKST_MARK_BLOCK;
		cursor.ns = p->ns;
	}
	while ((more = lkst_block_next(NULL, &cursor, r->reading->catalog, &record)) > 0 && !err)
		err = take_record(r, &record);
	r->f->lost.refused += more < 0;
	p->ns = cursor.ns;
	return err;
}

/* The number of the oldest block that has not been overwritten by now. */
static u64 oldest(const struct marks_file_ring *r)
{
	const u64 opened = read_u64(r->f, ring_at(r->area, r->level, OPENED));
	const u64 nr = lkst_mark_ring_mask(r->level) + 1;

	return opened > nr ? opened - nr : 0;
}

/* Copies block @seq and takes its records; @left_out as of take_block(). */
static int copy_block(struct marks_file_ring *r, u64 seq, u64 left_out)
{
	u8 *bytes = r->is_over ? NULL : r->reading->room(r->reading->ctx);

	r->is_over = !bytes;
	if (!bytes) {
		r->f->lost.left_out++;
	} else if (!marks_file_read_at(r->f, bytes, LKST_MARK_BLOCK,
				       lkst_mark_area_at(r->area) + lkst_mark_block_at(r->level, seq))) {
		r->f->lost.refused++;
	} else if (seq < oldest(r)) {
		r->f->lost.overwritten++;
	} else {
		return take_block(r, seq, bytes, left_out);
	}
	r->f->lost.left_out += left_out;
	return 0;
}

/* How many of the @nr blocks from @first on begin in the time that is asked for. */
static u32 wanted_blocks(const struct marks_file_ring *r, u64 first, u32 nr)
{
	const u64 area = lkst_mark_area_at(r->area) + offsetof(struct lkst_block_header, timestamp_begin);
	u32 low = 0, high = nr;

	while (r->reading->until_ns && low < high) {
		const u32 middle = low + (high - low) / 2;

		if (read_u64(r->f, area + lkst_mark_block_at(r->level, first + middle)) <= r->reading->until_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return high;
}

/* Reads the newest blocks, @most at most, of what the look has found in a ring. */
static int read_ring(struct marks_file_ring *r, u32 most)
{
	struct marks_file_progress *p = r->progress;
	const u64 last = p->seen / LKST_MARK_BLOCK, first = p->done / LKST_MARK_BLOCK;
	const u32 nr = new_blocks(p, r->level);
	const u64 begin = last + 1 - nr;
	const u32 wanted = most ? wanted_blocks(r, begin, nr) : nr;
	u64 seq = begin + wanted - (most < wanted ? most : wanted), left_out = seq - begin;
	int err = 0;

	if (p->done)
		r->f->lost.overwritten += begin - first;
	if (!most)
		r->f->lost.left_out += nr;
	/* What was there before, and was read by nobody. */
	r->is_rest = !p->done && begin > first && !left_out;
	/* All that is there is of later, and what was before is not known. */
	r->f->lost.overwritten += r->is_rest && !wanted;
	for (; seq < begin + wanted && !err; seq++, r->is_rest = false, left_out = 0)
		err = copy_block(r, seq, left_out);
	p->done = p->seen;
	return err;
}

int lkst_marks_file_read(struct lkst_marks_file *f, const struct lkst_marks_reading *reading)
{
	struct marks_file_ring r = { .f = f, .reading = reading, .to_ns = reading->to_ns ?: f->seen_ns };
	u64 need[NR_RINGS], grant[NR_RINGS], nr = 0;
	int err = 0;
	u32 i;

	for (i = 0; i < NR_RINGS; i++)
		nr += need[i] = new_blocks(&f->progress[i], i % LKST_MARK_LEVELS);
	if (!nr)
		return 0;
	lkst_marks_share(need, grant, NR_RINGS, reading->most, 0);
	f->is_asked = false;
	memset(f->good, 0, sizeof(f->good));
	err = reading->most ? marks_file_read_texts(f, reading->most_fields) : 0;
	memcpy(&reading->catalog->classes[LKST_MARK_ID_FIRST], f->described, sizeof(f->described));
	for (i = 0; i < NR_RINGS && !err; i++) {
		r.progress = &f->progress[i];
		r.area = i / LKST_MARK_LEVELS;
		r.level = i % LKST_MARK_LEVELS;
		if (need[i])
			err = read_ring(&r, (u32)grant[i]);
	}
	return err;
}

struct lkst_marks_losses lkst_marks_file_losses(const struct lkst_marks_file *f)
{
	return f->lost;
}

s32 lkst_marks_file_pid(const struct lkst_marks_file *f)
{
	return f->owner.pid;
}

void lkst_marks_file_want(const struct lkst_marks_file *f, u64 ns, bool is_over)
{
	const u64 at = offsetof(struct lkst_mark_header, wanted_until_ns);
	struct stat st;

	/* One that has ended is asked for nothing: the time of its file is when that was noticed. */
	if (fstat(f->fd, &st) || st.st_size != LKST_MARK_FILE_BYTES || !(st.st_mode & 0200) ||
	    (is_over ? !read_u64(f, at) : read_u64(f, at) >= ns))
		return;
	/* Should it fail, the program does not record: what it has is read in any case. */
	if (pwrite(f->fd, &ns, sizeof(ns), (off_t)at) < 0)
		return;
}

/* ---- lifetime ----------------------------------------------------------------------- */

int lkst_marks_file_open(struct lkst_err *e, int fd, const struct lkst_marks_owner *owner,
			 u32 nr_cpus, struct lkst_marks_file **ret_file)
{
	_cleanup_(lkst_marks_file_closep) struct lkst_marks_file *f = calloc(1, sizeof(*f));
	struct lkst_mark_header h;

	if (!f) {
		close(fd);
		return lkst_err_sys(e, -ENOMEM, "reading the marks of process %d", owner->pid);
	}
	f->fd = fd;
	f->owner = *owner;
	f->nr_cpus = nr_cpus;
	if (!marks_file_read_at(f, &h, sizeof(h), 0) || h.page.magic != LKST_MARK_MAGIC ||
	    h.version != LKST_MARK_VERSION)
		return lkst_err_set(
			e, -EBADMSG,
			"what process %d left is not the memory of marks, or of another version",
			owner->pid);
	memcpy(f->id, h.page.id, sizeof(f->id));
	f->counted = 0;
	*ret_file = lkst_take(f);
	return 0;
}

void lkst_marks_file_close(struct lkst_marks_file *f)
{
	u32 i;

	if (!f)
		return;
	for (i = 0; i < LKST_MARK_EVENTS; i++)
		free(f->described[i]);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}
