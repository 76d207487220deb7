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

enum { NR_IDS = LKST_MARK_ID_FIRST + LKST_MARK_EVENTS };

/* How far a ring has been read. */
struct progress {
	u64 done; /* position */
	u64 ns;	  /* time of the last record before it */
};

struct lkst_marks_file {
	int fd;
	struct lkst_marks_owner owner;
	u32 nr_cpus;
	u8 id[16];
	struct lkst_catalog *catalog;  /* the program's numbers; NULL: nothing has been read yet */
	u8 has_text[LKST_MARK_EVENTS]; /* it is in the catalogue, or was refused */
	struct progress progress[LKST_MARK_THREADS][LKST_MARK_LEVELS];
	/* During a look, since numbers of processes and threads come again: */
	s32 good_tid[LKST_MARK_THREADS]; /* found to be the program's, or gone */
	bool is_asked, is_proven;	 /* the process is there, and the memory is its user's */
	struct lkst_marks_losses lost;
	u64 counted; /* what the program's own counts were when they were read last */
	u8 block[LKST_MARK_BLOCK] __attribute__((aligned(8)));
};

static bool read_at(const struct lkst_marks_file *f, void *bytes, size_t length, u64 at)
{
	return pread(f->fd, bytes, length, (off_t)at) == (ssize_t)length;
}

static u64 read_u64(const struct lkst_marks_file *f, u64 at)
{
	u64 value;

	/* In one piece: the kernel copies 8 bytes at once. 0, where the file is cut short: nothing is there. */
	return read_at(f, &value, sizeof(value), at) ? value : 0;
}

/* ---- the program's events ----------------------------------------------------------- */

static void add_field(struct lkst_event_class *event, const char *name, u8 type, u8 size,
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
static int add_fixed(struct lkst_marks_file *f, u16 id)
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
	add_field(&event, "lkst_cpu", LKST_CLASS_UINT, 4, LKST_MEANING_DEC);
	for (i = 0; i < desc->nr_fields && i < LKST_MARK_NR_FIELDS; i++)
		add_field(&event, desc->fields[i].name, type[desc->fields[i].type],
			  desc->fields[i].size, desc->fields[i].meaning);
	return lkst_catalog_add(NULL, f->catalog, &event);
}

static int add_described(struct lkst_marks_file *f, u16 id,
			 const struct lkst_mark_fields *described)
{
	struct lkst_field_class fields[LKST_MARK_NR_FIELDS + 1] = {};
	struct lkst_event_class event = { .id = id, .fields = fields };
	u32 i;

	snprintf(event.name, sizeof(event.name), "%u:%s", id, described->name);
	add_field(&event, "lkst_cpu", LKST_CLASS_UINT, 4, LKST_MEANING_DEC);
	for (i = 0; i < described->nr; i++) {
		const struct lkst_mark_field *field = &described->list[i];

		add_field(&event, field->name,
			  !field->size	     ? LKST_CLASS_STRING
			  : field->is_signed ? LKST_CLASS_SINT
					     : LKST_CLASS_UINT,
			  field->size,
			  !field->size	  ? LKST_MEANING_TEXT
			  : field->is_hex ? LKST_MEANING_HEX
					  : LKST_MEANING_DEC);
	}
	return lkst_catalog_add(NULL, f->catalog, &event);
}

/* Adds to the catalogue what the program has described since. What was read once does not change any more. */
static int read_texts(struct lkst_marks_file *f)
{
	struct lkst_mark_fields described;
	struct lkst_mark_text text;
	u16 i;
	int err = 0;

	if (!f->catalog) {
		f->catalog = lkst_catalog_new();
		for (i = LKST_MARK_ID_MARK; f->catalog && i < LKST_MARK_ID_NR && !err; i++)
			err = add_fixed(f, i);
	}
	if (!f->catalog || err)
		return -ENOMEM;
	/* They are taken from the first on. */
	for (i = 0; i < LKST_MARK_EVENTS && !err; i++) {
		if (f->has_text[i])
			continue;
		if (!read_at(f, &text, sizeof(text), lkst_mark_text_at(i)) ||
		    text.is_there != 2)
			continue;
		f->has_text[i] = 1;
		if (lkst_mark_fields_parse(text.text, sizeof(text.text), &described))
			err = add_described(f, LKST_MARK_ID_FIRST + i, &described);
		/* A field that cannot be one, such as a second lkst_cpu. */
		if (err == -EINVAL || err == -EEXIST) {
			f->lost.refused++;
			err = 0;
		}
	}
	return err;
}

/* ---- whose thread it is ------------------------------------------------------------- */

/*
 * Whether process @pid is user @uid's. root's word is taken for its own files: a process may have given up being root
 * since it made one.
 */
static bool is_of_user(s32 pid, u32 uid)
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
		f->is_proven = is_of_user(f->owner.pid, f->owner.uid);
	f->is_asked = true;
	return f->is_proven;
}

/* True unless thread @tid runs and is of another process. */
static bool is_own_thread(struct lkst_marks_file *f, s32 tid)
{
	const struct lkst_marks_owner *owner = &f->owner;

	if (tid <= 0)
		return false;
	if (owner->is_of_dump)
		return true;
	/* EPERM, too, says that it is there (do_send_specific(), kernel/signal.c). */
	if (is_proven(f) && (!syscall(SYS_tgkill, owner->pid, tid, 0) || errno != ESRCH))
		return true;
	return syscall(SYS_tkill, tid, 0) && errno == ESRCH;
}

/* ---- a ring ------------------------------------------------------------------------- */

struct ring {
	struct lkst_marks_file *f;
	u32 area, level;
	u64 at; /* of the area, in the file */
	u64 done, from_ns, to_ns;
	lkst_marks_take *take;
	void *ctx;
};

static u64 ring_at(const struct ring *r, size_t member)
{
	return r->at + offsetof(struct lkst_mark_thread, ring) +
	       r->level * sizeof(struct lkst_mark_ring) + member;
}

static int take_record(struct ring *r, const struct lkst_record *record)
{
	struct lkst_marks_file *f = r->f;
	struct lkst_marks_record out = { .event = record->event,
					 .ns = record->ns,
					 .tid = record->tid,
					 .bytes = record->bytes,
					 .size = record->size };
	int err;

	/* Of each class it is the first field, at the same place. */
	out.cpu = (u32)lkst_record_int(record, &record->event->fields[0]);
	if (out.tid != f->good_tid[r->area]) {
		if (!is_own_thread(f, out.tid)) {
			f->lost.refused++;
			return 0;
		}
		f->good_tid[r->area] = out.tid;
	}
	if (out.cpu >= f->nr_cpus || out.ns > r->to_ns) {
		f->lost.refused++;
		return 0;
	}
	err = out.ns < r->from_ns ? 0 : r->take(r->ctx, &out);
	f->lost.refused += err > 0;
	return err < 0 ? err : 0;
}

/* Makes the copy of the open block one that ends where the ring does. */
static void close_copy(const struct ring *r)
{
	struct lkst_block_header *h = (void *)r->f->block;

	h->content_size = r->done % LKST_MARK_BLOCK * 8;
	h->timestamp_end = r->to_ns;
}

/*
 * Takes the records of block @seq, which is in f->block, from where the ring was read to. @is_rest: those before it
 * were overwritten unread.
 */
static int take_block(struct ring *r, u64 seq, bool is_rest)
{
	struct progress *p = &r->f->progress[r->area][r->level];
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	int err = 0, more;

	if (seq == r->done / LKST_MARK_BLOCK)
		close_copy(r);
	if (lkst_block_parse(NULL, r->f->block, LKST_MARK_BLOCK, r->f->id, &block) ||
	    block.seq != seq || block.size != LKST_MARK_BLOCK ||
	    block.instance != lkst_stream_instance(r->area, 0, r->level)) {
		r->f->lost.refused++;
		return 0;
	}
	/* How many there were in the time that is asked for is not known: at least one. */
	r->f->lost.overwritten += is_rest && block.begin_ns > r->from_ns;
	lkst_block_cursor_init(&cursor, &block);
	if (p->done && seq == p->done / LKST_MARK_BLOCK) {
		cursor.offset = p->done % LKST_MARK_BLOCK;
		cursor.ns = p->ns;
	}
	while ((more = lkst_block_next(NULL, &cursor, r->f->catalog, &record)) > 0 && !err)
		err = take_record(r, &record);
	r->f->lost.refused += more < 0;
	p->ns = cursor.ns;
	return err;
}

/* The number of the oldest block that has not been overwritten by now. */
static u64 oldest(const struct ring *r)
{
	const u64 opened = read_u64(r->f, ring_at(r, offsetof(struct lkst_mark_ring, opened)));
	const u64 nr = lkst_mark_ring_mask(r->level) + 1;

	return opened > nr ? opened - nr : 0;
}

static int read_ring(struct ring *r, u32 most, u32 *nr_blocks)
{
	struct progress *p = &r->f->progress[r->area][r->level];
	const u64 last = r->done / LKST_MARK_BLOCK, nr = lkst_mark_ring_mask(r->level) + 1;
	u64 seq = p->done / LKST_MARK_BLOCK;
	bool is_rest = false;
	int err = 0;

	if (last - seq >= nr) {
		is_rest = !p->done;
		r->f->lost.overwritten += p->done ? last + 1 - nr - seq : 0;
		seq = last + 1 - nr;
	}
	for (; seq <= last && *nr_blocks < most && !err; seq++, ++*nr_blocks) {
		if (!read_at(r->f, r->f->block, LKST_MARK_BLOCK,
			     r->at + lkst_mark_block_at(r->level, seq))) {
			r->f->lost.refused++;
			continue;
		}
		if (seq < oldest(r)) {
			r->f->lost.overwritten++;
			continue;
		}
		err = take_block(r, seq, is_rest);
		is_rest = false;
	}
	/* What there was no room for comes the next time. */
	p->done = seq > last ? r->done : seq * LKST_MARK_BLOCK;
	return err;
}

/* All that is complete has been made by now. */
static void read_position(struct ring *r, u64 to_ns)
{
	r->done = read_u64(r->f, ring_at(r, offsetof(struct lkst_mark_ring, done)));
	r->to_ns = to_ns ?: lkst_monotonic_ns();
}

int lkst_marks_file_read(struct lkst_marks_file *f, const struct lkst_marks_stretch *stretch, u32 most,
			 lkst_marks_take *take, void *ctx, u32 *ret_blocks)
{
	struct ring r = { .f = f, .from_ns = stretch->from_ns, .take = take, .ctx = ctx };
	struct lkst_mark_header h;
	struct lkst_mark_thread t;
	u64 counted;
	int err = 0;

	*ret_blocks = 0;
	f->is_asked = false;
	memset(f->good_tid, 0, sizeof(f->good_tid));
	if (!read_at(f, &h, sizeof(h), 0))
		return 0;
	counted = h.no_area + h.refused;
	for (r.area = 0; r.area < h.nr_threads && r.area < LKST_MARK_THREADS && !err; r.area++) {
		r.at = lkst_mark_area_at(r.area);
		if (!read_at(f, &t, sizeof(t), r.at))
			break;
		counted += t.too_deep;
		for (r.level = 0; r.level < LKST_MARK_LEVELS && !err; r.level++) {
			struct progress *p = &f->progress[r.area][r.level];

			read_position(&r, stretch->to_ns);
			if (r.done == p->done)
				continue;
			/* It never falls; the program has overwritten its memory. */
			if (r.done < p->done || r.done % LKST_MARK_BLOCK < LKST_BLOCK_HEADER) {
				f->lost.refused++;
				p->done = r.done;
				continue;
			}
			err = read_texts(f) ?: read_ring(&r, most, ret_blocks);
		}
	}
	f->lost.unrecorded += counted > f->counted ? counted - f->counted : 0;
	f->counted = counted;
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
	if (!read_at(f, &h, sizeof(h), 0) || h.page.magic != LKST_MARK_MAGIC ||
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
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	lkst_catalog_free(f->catalog);
	free(f);
}
