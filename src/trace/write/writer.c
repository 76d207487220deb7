/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a trace directory. Each file grows by whole blocks only; a write that fails is taken back
 * to the last whole one, so that what is there can be read.
 */
#include "trace/write/writer.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/state.h"
#include "base/cleanup.h"
#include "base/create.h"
#include "base/io.h"
#include "base/vec.h"
#include "trace/format/block.h"
#include "trace/format/metadata.h"
#include "trace/format/stream_name.h"

enum {
	STATE_BLOCK = 1 << LKST_BLOCK_SHIFT_MIN,
	FILES_MAX = 65536,
};

struct stream_file {
	int fd; /* -1: there is none, or not yet */
	u64 size;
	bool is_reserved; /* it has space after its end */
	struct lkst_stream_end end;
};

struct lkst_writer {
	int dir_fd; /* -1: it writes to the sink */
	const struct lkst_access *access; /* of the files */
	const struct lkst_writer_sink *sink;
	void *sink_ctx;
	u8 uuid[16];
	u64 bytes;	 /* in all files */
	u32 nr_declared; /* events in the metadata that handlers, probes and programs have declared */
	bool is_partial; /* it is marked so */
	size_t metadata_bytes;
	u16 stream_id, end_id; /* of state_stream and state_end, 0: not in this trace */

	struct stream_file *files;
	unsigned int nr_files;

	/* The block of the state stream that is being filled. */
	u32 state_used; /* 0: none is open */
	u64 state_seq, state_begin_ns, state_end_ns;
	u8 state[STATE_BLOCK];
};

/*
 * The metadata appears under its name when it is whole: a directory without it is not a trace, one
 * with half of it would be a broken trace.
 */
static int writer_write_metadata(struct lkst_err *e, struct lkst_writer *w, const struct lkst_catalog *c)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	_cleanup_free_ char *text = NULL;
	int err = lkst_metadata_format(e, c, &text)
			  ?: lkst_new_file_open(e, w->access, w->dir_fd, "metadata", &file);

	if (err)
		return err;
	err = lkst_write_all(file.fd, text, strlen(text));
	if (err)
		return lkst_err_sys(e, err, "cannot write the metadata");
	err = lkst_new_file_place(e, &file);
	if (err)
		return err;
	w->bytes += strlen(text) - w->metadata_bytes;
	w->metadata_bytes = strlen(text);
	w->nr_declared = c->nr_declared + c->nr_marks;
	return 0;
}

int lkst_writer_renew(struct lkst_err *e, struct lkst_writer *w, const struct lkst_catalog *c)
{
	return w->dir_fd < 0 || w->nr_declared == c->nr_declared + c->nr_marks ? 0 : writer_write_metadata(e, w, c);
}

static void writer_free(struct lkst_writer *w)
{
	unsigned int i;

	for (i = 0; i < w->nr_files; i++)
		if (w->files[i].fd >= 0)
			close(w->files[i].fd);
	free(w->files);
	if (w->dir_fd >= 0)
		close(w->dir_fd);
	free(w);
}

static u16 writer_id_of(const struct lkst_catalog *c, const char *name)
{
	const struct lkst_event_class *class = lkst_catalog_find(c, name);

	return class && class->is_native ? class->id : 0;
}

static struct lkst_writer *writer_new(const struct lkst_catalog *c)
{
	struct lkst_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->dir_fd = -1;
	memcpy(w->uuid, c->uuid, sizeof(w->uuid));
	w->stream_id = writer_id_of(c, "state_stream");
	w->end_id = writer_id_of(c, "state_end");
	return w;
}

int lkst_writer_open_at(struct lkst_err *e, const struct lkst_access *access, int at, const char *path,
			const struct lkst_catalog *c, struct lkst_writer **ret_writer)
{
	struct lkst_writer *w = writer_new(c);
	int err;

	if (!w)
		return lkst_err_sys(e, -ENOMEM, "%s", path);
	w->access = access;
	err = lkst_create_empty_dir(e, access, at, path, &w->dir_fd) ?: writer_write_metadata(e, w, c);
	if (err) {
		lkst_err_add(e, "cannot begin the trace %s", path);
		writer_free(w);
		return err;
	}
	*ret_writer = w;
	return 0;
}

int lkst_writer_open(struct lkst_err *e, const struct lkst_access *access, const char *path,
		     const struct lkst_catalog *c, struct lkst_writer **ret_writer)
{
	return lkst_writer_open_at(e, access, AT_FDCWD, path, c, ret_writer);
}

int lkst_writer_open_sink(struct lkst_err *e, const struct lkst_catalog *c,
			  const struct lkst_writer_sink *sink, void *ctx,
			  struct lkst_writer **ret_writer)
{
	struct lkst_writer *w = writer_new(c);
	_cleanup_free_ char *text = NULL;
	int err;

	if (!w)
		return lkst_err_sys(e, -ENOMEM, "cannot begin the trace");
	w->sink = sink;
	w->sink_ctx = ctx;
	err = lkst_metadata_format(e, c, &text);
	if (!err)
		err = sink->metadata(e, ctx, text, strlen(text));
	if (err) {
		lkst_err_add(e, "cannot begin the trace");
		writer_free(w);
		return err;
	}
	w->bytes += strlen(text);
	*ret_writer = w;
	return 0;
}

/* What is known of a stream; a new entry if it is met for the first time. */
static int get_entry(struct lkst_err *e, struct lkst_writer *w, u64 instance,
		     struct stream_file **ret_file)
{
	struct stream_file *file;
	unsigned int i;

	for (i = 0; i < w->nr_files; i++)
		if (w->files[i].end.instance == instance) {
			*ret_file = &w->files[i];
			return 0;
		}
	if (w->nr_files == FILES_MAX || lkst_instance_cpu(instance) >= LKST_CPUS_MAX ||
	    lkst_instance_level(instance) >= LKST_LEVELS)
		return lkst_err_set(e, -EINVAL, "%#llx cannot be a stream",
				    (unsigned long long)instance);
	file = lkst_vec_add(w->files, w->nr_files);
	if (!file)
		return lkst_err_sys(e, -ENOMEM, "cannot begin a stream");
	*file = (struct stream_file){ .fd = -1,
				      .end = { .instance = instance, .first = 1, .last = 0 } };
	*ret_file = file;
	return 0;
}

/* The same with its file, which is created when it gets its first block. */
static int get_file(struct lkst_err *e, struct lkst_writer *w, u64 instance,
		    struct stream_file **ret_file)
{
	char name[LKST_STREAM_NAME_MAX];
	int err = get_entry(e, w, instance, ret_file);

	if (err || (*ret_file)->fd >= 0)
		return err;
	lkst_stream_name(instance, name);
	return lkst_create_file(e, w->access, w->dir_fd, name, &(*ret_file)->fd);
}

/* Adds what @more says to what is known of a stream. */
static void writer_widen(struct lkst_stream_end *end, const struct lkst_stream_end *more)
{
	bool is_empty = end->last < end->first;

	if (more->last >= more->first && (is_empty || more->first < end->first)) {
		end->first = more->first;
		end->begin_ns = more->begin_ns;
	}
	if (more->last >= more->first && (is_empty || more->last >= end->last)) {
		end->last = more->last;
		end->end_ns = more->end_ns > end->end_ns ? more->end_ns : end->end_ns;
	}
	if (more->covered_ns > end->covered_ns)
		end->covered_ns = more->covered_ns;
	end->left += more->left;
}

/* @length bytes of whole blocks have been written to the stream. */
static void note_blocks(struct lkst_stream_end *end, const void *blocks, size_t length)
{
	const struct lkst_block_header *first = blocks, *last = first;
	u64 size = le64toh(first->packet_size) / 8;

	if (size >= 1 << LKST_BLOCK_SHIFT_MIN && size <= length && length % size == 0)
		last = (const void *)((const u8 *)blocks + length - size);
	writer_widen(end, &(struct lkst_stream_end){
			   .first = le64toh(first->packet_seq_num),
			   .last = le64toh(last->packet_seq_num),
			   .begin_ns = le64toh(first->timestamp_begin),
			   .end_ns = le64toh(last->timestamp_end),
		   });
}

int lkst_writer_append(struct lkst_err *e, struct lkst_writer *w, u64 instance, const void *blocks,
		       size_t length)
{
	char name[LKST_STREAM_NAME_MAX];
	struct stream_file *file = NULL;
	int err;

	if (length % (1 << LKST_BLOCK_SHIFT_MIN))
		return lkst_err_set(e, -EINVAL, "%zu bytes are not whole blocks", length);
	if (w->sink) {
		w->bytes += length;
		err = get_entry(e, w, instance, &file)
			      ?: w->sink->append(e, w->sink_ctx, instance, blocks, length);
		if (err)
			return err;
		if (length)
			note_blocks(&file->end, blocks, length);
		return 0;
	}
	err = get_file(e, w, instance, &file);
	if (err)
		return err;
	err = lkst_pwrite_all(file->fd, blocks, length, file->size);
	if (err) {
		lkst_stream_name(instance, name);
		/* Should this fail too, a reader counts the part of a block as damage. */
		if (ftruncate(file->fd, (off_t)file->size))
			return lkst_err_sys(
				e, err, "cannot write %s, which ends in a part of a block", name);
		return lkst_err_sys(e, err, "cannot write %s", name);
	}
	file->size += length;
	w->bytes += length;
	if (length)
		note_blocks(&file->end, blocks, length);
	return 0;
}

/* ---- the state stream --------------------------------------------------------------- */

/* Completes the block that is being filled and writes it. */
static int seal_state(struct lkst_err *e, struct lkst_writer *w)
{
	const u64 instance = lkst_stream_instance(0, LKST_BUFFER_STATE, 0);
	struct lkst_block_header h = {
		.magic = htole32(LKST_BLOCK_MAGIC),
		.stream_id = htole32(LKST_STREAM_CLASS),
		.stream_instance_id = htole64(instance),
		.timestamp_begin = htole64(w->state_begin_ns),
		.timestamp_end = htole64(w->state_end_ns),
		.content_size = htole64(w->state_used * 8ULL),
		.packet_size = htole64(STATE_BLOCK * 8ULL),
		.packet_seq_num = htole64(w->state_seq),
	};
	int err;

	if (!w->state_used)
		return 0;
	memcpy(h.uuid, w->uuid, sizeof(h.uuid));
	memcpy(w->state, &h, sizeof(h));
	err = lkst_writer_append(e, w, instance, w->state, STATE_BLOCK);
	if (err)
		return err;
	w->state_seq++;
	w->state_used = 0;
	return 0;
}

static void open_state(struct lkst_writer *w, u64 ns)
{
	memset(w->state, 0, sizeof(w->state));
	w->state_used = LKST_BLOCK_HEADER;
	w->state_begin_ns = ns;
}

int lkst_writer_state(struct lkst_err *e, struct lkst_writer *w, u64 ns, void *record,
		      size_t length)
{
	struct lkst_record_head *head = record;
	u32 start;
	int err;

	if (length < sizeof(*head) || length > STATE_BLOCK - LKST_BLOCK_HEADER ||
	    ns >= LKST_TIME_MAX)
		return lkst_err_set(e, -EINVAL,
				    "a state record of %zu bytes at %llu ns is impossible", length,
				    (unsigned long long)ns);
	/* Times of a stream never fall. */
	if (ns < w->state_end_ns)
		ns = w->state_end_ns;
	start = (w->state_used + LKST_RECORD_ALIGN - 1) & ~(u32)(LKST_RECORD_ALIGN - 1);
	if (w->state_used &&
	    (start + length > STATE_BLOCK || ns - w->state_end_ns >= LKST_TIME_GAP_MAX)) {
		err = seal_state(e, w);
		if (err)
			return err;
	}
	if (!w->state_used) {
		/* Readers of CTF sort blocks by their beginning, and may turn equal ones around. */
		if (w->state_end_ns && ns <= w->state_begin_ns)
			ns = w->state_begin_ns + 1;
		open_state(w, ns);
		start = LKST_BLOCK_HEADER;
	}
	head->id_time = htole64((u16)le64toh(head->id_time) | ns << 16);
	memcpy(w->state + start, record, length);
	w->state_used = start + (u32)length;
	w->state_end_ns = ns;
	return 0;
}

/* ---- end marks ---------------------------------------------------------------------- */

int lkst_writer_claim(struct lkst_err *e, struct lkst_writer *w,
		      const struct lkst_stream_end *claim)
{
	struct stream_file *file = NULL;
	unsigned int i;
	int err;

	for (i = 0; i < w->nr_files && w->files[i].end.instance != claim->instance; i++)
		;
	if (i == w->nr_files && claim->last < claim->first && !claim->left &&
	    lkst_instance_level(claim->instance))
		return 0;
	err = get_entry(e, w, claim->instance, &file);
	if (!err)
		writer_widen(&file->end, claim);
	return err;
}

static int write_stream_end(struct lkst_err *e, struct lkst_writer *w, u64 ns,
			    const struct lkst_stream_end *end)
{
	u64 covered = end->covered_ns > end->end_ns ? end->covered_ns : end->end_ns;
	struct lkst_rec_state_stream r = {
		.head.id_time = w->stream_id,
		.stream_cpu = (s16)htole16((u16)lkst_instance_cpu(end->instance)),
		.buffer = htole16((u16)lkst_instance_buffer(end->instance)),
		.level = htole32(lkst_instance_level(end->instance)),
		.first = htole64(end->first),
		.last = htole64(end->last),
		.begin = htole64(end->begin_ns),
		.end = htole64(end->end_ns),
		.covered = htole64(covered),
		.left = htole64(end->left),
	};

	return lkst_writer_state(e, w, ns, &r, sizeof(r));
}

int lkst_writer_end(struct lkst_err *e, struct lkst_writer *w, u32 how, u64 ns)
{
	struct lkst_rec_state_end r = { .head.id_time = w->end_id,
					.ended = htole64(ns),
					.how = htole32(how) };
	u32 nr = 0;
	unsigned int i;
	int err = 0;

	if (!w->stream_id || !w->end_id)
		return 0;
	for (i = 0; i < w->nr_files && !err; i++) {
		if (lkst_instance_buffer(w->files[i].end.instance) == LKST_BUFFER_STATE)
			continue;
		err = write_stream_end(e, w, ns, &w->files[i].end);
		nr++;
	}
	r.streams = htole32(nr);
	return err ? err : lkst_writer_state(e, w, ns, &r, sizeof(r));
}

int lkst_writer_reserve(struct lkst_err *e, struct lkst_writer *w, u64 bytes)
{
	struct stream_file *file = NULL;
	int err;

	if (w->dir_fd < 0)
		return 0;
	err = get_file(e, w, lkst_stream_instance(0, LKST_BUFFER_STATE, 0), &file);
	if (err)
		return err;
	/* The block that is being filled comes in addition. */
	if (fallocate(file->fd, FALLOC_FL_KEEP_SIZE, (off_t)file->size,
		      (off_t)(bytes + STATE_BLOCK)))
		return errno == ENOSPC || errno == EDQUOT
			       ? lkst_err_sys(e, -errno, "cannot keep space for the trace's end")
			       : 0;
	file->is_reserved = true;
	return 0;
}

static void give_reserve_back(const struct stream_file *file)
{
	/* If that fails, the file takes a little more space than it has bytes. */
	if (file->is_reserved && ftruncate(file->fd, (off_t)file->size))
		return;
}

/* ---- the end ------------------------------------------------------------------------ */

int lkst_writer_mark_partial(struct lkst_err *e, struct lkst_writer *w)
{
	int fd, err = lkst_create_file(e, w->access, w->dir_fd, LKST_PARTIAL, &fd);

	if (err)
		return err;
	close(fd);
	w->is_partial = true;
	return 0;
}

int lkst_writer_open_copy(struct lkst_err *e, const struct lkst_access *access, const char *path,
			  const struct lkst_catalog *c, struct lkst_writer **ret_writer)
{
	struct lkst_writer *w = NULL;
	int err = lkst_writer_open(e, access, path, c, &w);

	if (!err)
		err = lkst_writer_mark_partial(e, w);
	if (err)
		lkst_writer_discard(w, path);
	else
		*ret_writer = w;
	return err;
}

static int take_mark_away(struct lkst_err *e, struct lkst_writer *w)
{
	if (w->is_partial && unlinkat(w->dir_fd, LKST_PARTIAL, 0))
		return lkst_err_sys(e, -errno, "cannot remove %s", LKST_PARTIAL);
	w->is_partial = false;
	return 0;
}

int lkst_writer_close(struct lkst_err *e, struct lkst_writer *w, int before)
{
	unsigned int i;
	int err;

	if (!w)
		return before;
	e = before ? NULL : e;
	err = seal_state(e, w);
	for (i = 0; i < w->nr_files; i++) {
		if (w->files[i].fd < 0)
			continue;
		give_reserve_back(&w->files[i]);
		/* A file system may report a failed write only here; the last error is reported. */
		if (close(w->files[i].fd))
			err = lkst_err_sys(e, -errno, "cannot finish a stream file");
	}
	w->nr_files = 0;
	if (!before && !err)
		err = take_mark_away(e, w);
	writer_free(w);
	return before ? before : err;
}

int lkst_writer_sync(struct lkst_err *e, struct lkst_writer *w)
{
	int err = seal_state(e, w);
	_cleanup_close_ int metadata = openat(w->dir_fd, "metadata", O_RDONLY | O_CLOEXEC);
	unsigned int i;

	if (err)
		return err;
	for (i = 0; i < w->nr_files && !err; i++)
		err = w->files[i].fd >= 0 && fsync(w->files[i].fd) ? -errno : 0;
	if (!err && (metadata < 0 || fsync(metadata)))
		err = -errno;
	if (err)
		return lkst_err_sys(e, err, "cannot bring it to the disk");
	err = take_mark_away(e, w);
	if (!err && fsync(w->dir_fd))
		err = lkst_err_sys(e, -errno, "cannot bring it to the disk");
	return err;
}

void lkst_writer_discard(struct lkst_writer *w, const char *path)
{
	if (!w)
		return;
	unlinkat(w->dir_fd, "metadata", 0);
	unlinkat(w->dir_fd, LKST_PARTIAL, 0);
	rmdir(path);
	writer_free(w);
}

int lkst_writer_dir(const struct lkst_writer *w)
{
	return w->dir_fd;
}

const struct lkst_access *lkst_writer_access(const struct lkst_writer *w)
{
	return w->access;
}

u64 lkst_writer_bytes(const struct lkst_writer *w)
{
	return w->bytes;
}

u64 lkst_writer_state_number(const struct lkst_writer *w)
{
	return w->state_seq + (w->state_used ? 1 : 0);
}

void lkst_writer_set_state_number(struct lkst_writer *w, u64 number)
{
	w->state_seq = number;
}
