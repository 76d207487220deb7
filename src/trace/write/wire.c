/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests, frames, and a trace as a row of frames. */
#include "trace/write/wire.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/cleanup.h"
#include "trace/format/metadata.h"
#include "trace/format/metadata_layout.h"

/* ---- requests and heads of frames --------------------------------------------------- */

int lkst_wire_request_parse(struct lkst_err *e, const u8 bytes[sizeof(struct lkst_wire_request)],
			    struct lkst_wire_request *ret_request)
{
	struct lkst_wire_request r;

	memcpy(&r, bytes, sizeof(r));
	r.magic = le32toh(r.magic);
	r.version = le16toh(r.version);
	r.what = le16toh(r.what);
	r.form = le32toh(r.form);
	r.pad = le32toh(r.pad);
	r.last_ns = le64toh(r.last_ns);
	if (r.magic != LKST_WIRE_MAGIC)
		return lkst_err_set(e, -EPROTO, "this is not a request of lkst");
	if (r.version != LKST_WIRE_VERSION)
		return lkst_err_set(e, -EPROTO,
				    "the client speaks version %u, the server version %u; use an "
				    "lkst as old as the one that serves",
				    r.version, LKST_WIRE_VERSION);
	if (!r.what || r.what >= LKST_WIRE_NR_WHATS || r.form >= LKST_WIRE_NR_FORMS || r.pad)
		return lkst_err_set(e, -EPROTO, "the kind of request is not known here");
	*ret_request = r;
	return 0;
}

void lkst_wire_request_format(const struct lkst_wire_request *r,
			      u8 bytes[sizeof(struct lkst_wire_request)])
{
	struct lkst_wire_request le = { .magic = htole32(LKST_WIRE_MAGIC),
					.version = htole16(LKST_WIRE_VERSION),
					.what = htole16(r->what),
					.form = htole32(r->form),
					.last_ns = htole64(r->last_ns) };

	memcpy(bytes, &le, sizeof(le));
}

int lkst_wire_frame_parse(struct lkst_err *e, const u8 bytes[sizeof(struct lkst_wire_frame)],
			  struct lkst_wire_frame *ret_frame)
{
	struct lkst_wire_frame f;

	memcpy(&f, bytes, sizeof(f));
	f.type = le32toh(f.type);
	f.length = le32toh(f.length);
	f.instance = le64toh(f.instance);
	if (!f.type || f.type >= LKST_WIRE_NR_TYPES || f.length > LKST_WIRE_PAYLOAD_MAX ||
	    (f.type == LKST_WIRE_END && f.length))
		return lkst_err_set(
			e, -EPROTO,
			"the other side does not speak as lkst does (type %u, %u bytes)", f.type,
			f.length);
	*ret_frame = f;
	return 0;
}

/* ---- sending ------------------------------------------------------------------------ */

/* Writing to a socket that nobody reads any more must not end the process by a signal. */
static int wire_send_all(int fd, struct iovec *parts, size_t nr)
{
	struct msghdr m = { .msg_iov = parts, .msg_iovlen = nr };

	while (m.msg_iovlen) {
		ssize_t n = sendmsg(fd, &m, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		while (m.msg_iovlen && (size_t)n >= m.msg_iov->iov_len) {
			n -= (ssize_t)m.msg_iov->iov_len;
			m.msg_iov++;
			m.msg_iovlen--;
		}
		if (m.msg_iovlen) {
			m.msg_iov->iov_base = (u8 *)m.msg_iov->iov_base + n;
			m.msg_iov->iov_len -= (size_t)n;
		}
	}
	return 0;
}

int lkst_wire_send(int fd, enum lkst_wire_type type, u64 instance, const void *bytes, u32 length)
{
	struct lkst_wire_frame head = { .type = htole32(type),
					.length = htole32(length),
					.instance = htole64(instance) };
	struct iovec parts[] = { { &head, sizeof(head) }, { (void *)bytes, length } };

	return wire_send_all(fd, parts, length ? 2 : 1);
}

int lkst_wire_send_text(int fd, enum lkst_wire_type type, const char *text, size_t length)
{
	int err = 0;

	while (length && !err) {
		u32 part = length < LKST_WIRE_PAYLOAD_MAX ? (u32)length : LKST_WIRE_PAYLOAD_MAX;

		err = lkst_wire_send(fd, type, 0, text, part);
		text += part;
		length -= part;
	}
	return err;
}

/* The writer's two ways out, to the sender @ctx. */
static int send_metadata(struct lkst_err *e, void *ctx, const char *text, size_t length)
{
	const struct lkst_wire_sender *sender = ctx;
	int err = lkst_wire_send_text(sender->fd, LKST_WIRE_METADATA, text, length);

	return err ? lkst_err_sys(e, err, "sending the metadata") : 0;
}

static int send_blocks(struct lkst_err *e, void *ctx, u64 instance, const void *blocks,
		       size_t length)
{
	struct lkst_wire_sender *sender = ctx;
	int err;

	if (length > LKST_WIRE_PAYLOAD_MAX)
		return lkst_err_set(e, -EINVAL, "%zu bytes are too many for a frame", length);
	if (sender->hider) {
		memcpy(sender->room, blocks, length);
		lkst_hide(sender->hider, sender->room, length);
		blocks = sender->room;
	}
	err = lkst_wire_send(sender->fd, LKST_WIRE_BLOCKS, instance, blocks, (u32)length);
	return err ? lkst_err_sys(e, err, "sending blocks") : 0;
}

int lkst_wire_writer_open(struct lkst_err *e, struct lkst_wire_sender *sender,
			  const struct lkst_catalog *c, struct lkst_writer **ret_writer)
{
	static const struct lkst_writer_sink sink = { send_metadata, send_blocks };
	_cleanup_free_ struct lkst_catalog *hashed = NULL;

	if (!sender->hider)
		return lkst_writer_open_sink(e, c, &sink, sender, ret_writer);
	/* Its events are those of @c, and stay there. */
	hashed = malloc(sizeof(*hashed));
	if (!hashed)
		return lkst_err_sys(e, -ENOMEM, "sending a trace");
	*hashed = *c;
	hashed->has_hashed_addresses = true;
	return lkst_writer_open_sink(e, hashed, &sink, sender, ret_writer);
}

/* ---- receiving ---------------------------------------------------------------------- */

static int read_exactly(struct lkst_err *e, const struct lkst_wire_source *source, void *bytes,
			size_t size)
{
	size_t used = 0;

	while (used < size) {
		ssize_t n = source->read(source->ctx, (u8 *)bytes + used, size - used);

		if (n < 0)
			return lkst_err_sys(e, (int)n, "receiving");
		if (!n)
			return lkst_err_set(e, -EPROTO, "the server ended before all was sent");
		used += (size_t)n;
	}
	return 0;
}

/*
 * Receives one frame, its payload to @payload (LKST_WIRE_PAYLOAD_MAX bytes and a NUL). An ERROR is
 * reported as one.
 */
static int receive_frame(struct lkst_err *e, const struct lkst_wire_source *source, u8 *payload,
			 struct lkst_wire_frame *ret_frame)
{
	u8 head[sizeof(struct lkst_wire_frame)];
	int err;

	err = read_exactly(e, source, head, sizeof(head)) ?: lkst_wire_frame_parse(e, head, ret_frame)
	      ?: read_exactly(e, source, payload, ret_frame->length);
	if (err)
		return err;
	payload[ret_frame->length] = 0;
	if (ret_frame->type == LKST_WIRE_ERROR)
		return lkst_err_set(e, -EREMOTEIO, "%s",
				    payload[0] ? (const char *)payload : "the server failed, and does not say why");
	return 0;
}

struct receiver {
	u8 payload[LKST_WIRE_PAYLOAD_MAX + 1];
	char *metadata; /* as far as it has come */
	size_t metadata_length;
	struct lkst_writer *writer; /* NULL until all of the metadata is there */
	const struct lkst_access *access; /* to the directory */
	const char *path;	    /* the directory to make; NULL: it goes to `to` */
	struct lkst_collected *to;
};

static int wire_take_metadata(struct lkst_err *e, struct receiver *r, u32 length)
{
	char *grown;

	if (r->writer || r->metadata_length + length > LKST_METADATA_MAX)
		return lkst_err_set(e, -EPROTO, "the server sent too much metadata");
	grown = realloc(r->metadata, r->metadata_length + length + 1);
	if (!grown)
		return lkst_err_sys(e, -ENOMEM, "receiving the metadata");
	memcpy(grown + r->metadata_length, r->payload, length);
	r->metadata = grown;
	r->metadata_length += length;
	return 0;
}

/* A directory is made when there is something to put into it: not for a request that fails. */
static int begin_trace(struct lkst_err *e, struct receiver *r)
{
	struct lkst_catalog *catalog;
	int err;

	if (r->writer)
		return 0;
	if (!r->metadata)
		return lkst_err_set(e, -EPROTO, "the server sent no metadata");
	err = lkst_metadata_parse(e, r->metadata, r->metadata_length, &catalog);
	if (err)
		return err;
	err = r->path ? lkst_writer_open_copy(e, r->access, r->path, catalog, &r->writer)
		      : lkst_writer_open_sink(e, catalog, &lkst_collected_sink, r->to, &r->writer);
	lkst_catalog_free(catalog);
	return err;
}

static int take_frames(struct lkst_err *e, struct receiver *r,
		       const struct lkst_wire_source *source)
{
	struct lkst_wire_frame f;
	int err;

	for (;;) {
		err = receive_frame(e, source, r->payload, &f);
		if (err)
			return err;
		if (f.type == LKST_WIRE_END)
			return begin_trace(e, r);
		if (f.type == LKST_WIRE_METADATA)
			err = wire_take_metadata(e, r, f.length);
		else if (f.type == LKST_WIRE_BLOCKS)
			err = begin_trace(e, r)
				      ?: lkst_writer_append(e, r->writer, f.instance, r->payload,
							    f.length);
		else
			err = lkst_err_set(e, -EPROTO, "what the server sent is not a trace");
		if (err)
			return err;
	}
}

static int receive_trace(struct lkst_err *e, const struct lkst_wire_source *source,
			 const struct lkst_access *access, const char *path, struct lkst_collected *to,
			 u64 *ret_bytes)
{
	_cleanup_free_ struct receiver *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return lkst_err_sys(e, -ENOMEM, "receiving a trace");
	r->access = access;
	r->path = path;
	r->to = to;
	err = take_frames(e, r, source);
	free(r->metadata);
	if (r->writer)
		*ret_bytes = lkst_writer_bytes(r->writer);
	return lkst_writer_close(e, r->writer, err);
}

int lkst_wire_receive_trace(struct lkst_err *e, const struct lkst_wire_source *source,
			    const struct lkst_access *access, const char *path, u64 *ret_bytes)
{
	return receive_trace(e, source, access, path, NULL, ret_bytes);
}

int lkst_wire_receive_memory(struct lkst_err *e, const struct lkst_wire_source *source,
			     struct lkst_collected *to)
{
	u64 bytes;

	return receive_trace(e, source, NULL, NULL, to, &bytes);
}

int lkst_wire_receive_page(struct lkst_err *e, const struct lkst_wire_source *source,
			   int (*put)(void *ctx, const void *bytes, size_t length), void *ctx)
{
	_cleanup_free_ u8 *payload = malloc(LKST_WIRE_PAYLOAD_MAX + 1);
	struct lkst_wire_frame f;
	int err;

	if (!payload)
		return lkst_err_sys(e, -ENOMEM, "receiving");
	for (;;) {
		err = receive_frame(e, source, payload, &f);
		if (err || f.type == LKST_WIRE_END)
			return err;
		if (f.type != LKST_WIRE_PAGE)
			return lkst_err_set(e, -EPROTO, "what the server sent is not a page");
		err = put(ctx, payload, f.length);
		if (err)
			return lkst_err_sys(e, err, "passing on what was received");
	}
}
