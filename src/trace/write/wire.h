/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What goes over the socket of `lkst serve`: one request of the client, then frames of the server
 * until END or ERROR. Little-endian. It only turns bytes into checked structs and back; the
 * server decides who may ask for what. doc/service.md describes it for others.
 */
#ifndef LKST_TRACE_WRITE_WIRE_H
#define LKST_TRACE_WRITE_WIRE_H

#include <sys/types.h>

#include "abi/types.h"
#include "base/err.h"
#include "trace/format/hide.h"
#include "trace/write/collected.h"
#include "trace/write/writer.h"

enum {
	LKST_WIRE_MAGIC = 0x57534b4c, /* "LKSW" */
	LKST_WIRE_VERSION = 1,
	LKST_WIRE_PAYLOAD_MAX = 1 << 20, /* bytes of a frame after its head */
	LKST_WIRE_PAGE_MAX = 16 << 20,	 /* of a status */
};

enum lkst_wire_what {
	LKST_WIRE_SNAPSHOT = 1,
	LKST_WIRE_STATUS,
	LKST_WIRE_NR_WHATS,
};

/* The form in which a status is wanted. */
enum lkst_wire_form {
	LKST_WIRE_TEXT,
	LKST_WIRE_JSON,
	LKST_WIRE_PROMETHEUS,
	LKST_WIRE_NR_FORMS,
};

struct lkst_wire_request {
	u32 magic;
	u16 version; /* a server answers another one with ERROR, a frame that never changes */
	u16 what;    /* enum lkst_wire_what */
	u32 form;    /* enum lkst_wire_form */
	u32 pad;     /* 0 */
	u64 last_ns; /* of a snapshot: only so much of the past; 0: all */
};
_Static_assert(sizeof(struct lkst_wire_request) == 24, "no holes");

enum lkst_wire_type {
	LKST_WIRE_END = 1, /* all has been sent; no payload */
	LKST_WIRE_ERROR,   /* a sentence: why there is no more */
	LKST_WIRE_METADATA, /* a part of the metadata's text; all parts come before the first block */
	LKST_WIRE_BLOCKS,   /* whole blocks of the stream `instance` */
	LKST_WIRE_PAGE,	    /* a part of a status page */
	LKST_WIRE_NR_TYPES,
};

struct lkst_wire_frame {
	u32 type;     /* enum lkst_wire_type */
	u32 length;   /* bytes that follow, at most LKST_WIRE_PAYLOAD_MAX */
	u64 instance; /* of BLOCKS: lkst_stream_instance(), else 0 */
};
_Static_assert(sizeof(struct lkst_wire_frame) == 16, "no holes");

/*
 * Makes a request of the bytes that came, and the bytes of one. -EPROTO: they are not one, or of
 * another version.
 */
int lkst_wire_request_parse(struct lkst_err *e, const u8 bytes[sizeof(struct lkst_wire_request)],
			    struct lkst_wire_request *ret_request);
void lkst_wire_request_format(const struct lkst_wire_request *r,
			      u8 bytes[sizeof(struct lkst_wire_request)]);

/* The same for the head of a frame. -EPROTO: it is not one. */
int lkst_wire_frame_parse(struct lkst_err *e, const u8 bytes[sizeof(struct lkst_wire_frame)],
			  struct lkst_wire_frame *ret_frame);

/*
 * Sends one frame over socket @fd; @length at most LKST_WIRE_PAYLOAD_MAX. The socket's own timeout
 * holds: -EAGAIN if the other side does not read.
 */
int lkst_wire_send(int fd, enum lkst_wire_type type, u64 instance, const void *bytes, u32 length);

/* Sends @text in as many frames of @type as it takes. */
int lkst_wire_send_text(int fd, enum lkst_wire_type type, const char *text, size_t length);

/* Where a trace goes to as frames. */
struct lkst_wire_sender {
	int fd;				/* a socket */
	const struct lkst_hider *hider; /* NULL: the kernel's addresses are sent as they are */
	u8 room[LKST_WIRE_PAYLOAD_MAX];
};

/*
 * Makes a writer (trace/write/writer.h) whose trace goes to @sender, which must outlive it. If addresses are hidden,
 * the metadata says so.
 */
int lkst_wire_writer_open(struct lkst_err *e, struct lkst_wire_sender *sender, const struct lkst_catalog *c,
			  struct lkst_writer **ret_writer);

/* How frames are received: reads up to @size bytes; 0 at the end, or a negative errno. */
struct lkst_wire_source {
	ssize_t (*read)(void *ctx, void *bytes, size_t size);
	void *ctx;
};

/*
 * Receives a trace and makes directory @path of it, which those may read whom @access says (base/create.h).
 * *@ret_bytes: how much that was. What the server says in an ERROR frame is the text of @e, and the result -EREMOTEIO.
 */
int lkst_wire_receive_trace(struct lkst_err *e, const struct lkst_wire_source *source,
			    const struct lkst_access *access, const char *path, u64 *ret_bytes);

/* The same, to memory. The server may be anybody: set the maximum of @to. */
int lkst_wire_receive_memory(struct lkst_err *e, const struct lkst_wire_source *source,
			     struct lkst_collected *to);

/* Receives a page of text and passes it on, part by part, to @put until that fails. */
int lkst_wire_receive_page(struct lkst_err *e, const struct lkst_wire_source *source,
			   int (*put)(void *ctx, const void *bytes, size_t length), void *ctx);

#endif
