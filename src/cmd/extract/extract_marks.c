/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lkst extract: what programs marked before the crash. The memory of each is put together again as the file that it
 * was, and read as that of a program that has ended.
 */
#include "cmd/extract/extract_marks.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abi/events.h"
#include "base/cleanup.h"
#include "crash/dumped.h"
#include "marks/marks_gather.h"
#include "trace/format/declared.h"

/* A mark may be made after the last record of the kernel that was found, but not by much. */
#define SLACK_NS 1000000000ULL

enum { PROGRAMS_MAX = LKST_MARKS_PROGRAMS_MAX };

struct adding {
	struct lkst_err *e;
	struct lkst_extract_marks *x;
	struct lkst_marks_reader *marks;
	u64 end_ns, left_out;
};

/* ---- one program ---------------------------------------------------------------------------- */

static int extract_marks_put_page(void *ctx, u32 at, const u8 *bytes)
{
	const int *fd = ctx;

	return pwrite(*fd, bytes, LKST_MARK_PAGE, at) == LKST_MARK_PAGE ? 0 : -errno;
}

/* A file like the one that the program had; a negative errno: none can be made. */
static int rebuild_file(struct lkst_err *e, const struct lkst_dumped_program *p)
{
	_cleanup_close_ int fd = memfd_create("lkst-mark", MFD_CLOEXEC);
	int err = fd < 0 || ftruncate(fd, LKST_MARK_FILE_BYTES)
			  ? -errno
			  : lkst_dumped_pages(p, extract_marks_put_page, &fd);

	/* Of several first pages the one that was read counts: another may be of an older version, or made up. */
	if (!err && pwrite(fd, &p->header, sizeof(p->header), 0) != sizeof(p->header))
		err = -errno;
	return err ? lkst_err_sys(e, err, "putting the marks of a program together")
		   : lkst_take_fd(fd);
}

static bool is_of_boot(const struct lkst_extract_marks *x, const struct lkst_mark_header *h)
{
	static const u8 none[16];
	const u8 *boot_id = x->recording->catalog->boot_id;

	if (!memcmp(h->boot_id, none, sizeof(none)) || !memcmp(boot_id, none, sizeof(none)))
		return !x->is_earlier;
	return !memcmp(h->boot_id, boot_id, sizeof(none));
}

static int extract_marks_put_losses(struct adding *a, s32 pid, u32 uid, const struct lkst_marks_losses *lost)
{
	const struct lkst_event_class *class =
		lkst_catalog_find(a->x->recording->catalog, "state_marks");
	struct lkst_rec_state_marks r = { .program_pid = (s32)htole32((u32)pid),
					  .uid = htole32(uid),
					  .overwritten = htole64(lost->overwritten),
					  .unrecorded = htole64(lost->unrecorded),
					  .refused = htole64(lost->refused),
					  .left_out = htole64(lost->left_out),
					  .unlooked = htole64(lost->unlooked) };

	if (!class || !class->is_native ||
	    !(lost->overwritten || lost->unrecorded || lost->refused || lost->left_out || lost->unlooked))
		return 0;
	r.head.id_time = htole64(class->id);
	return lkst_writer_state(a->e, a->x->trace, a->end_ns, &r, sizeof(r));
}

static int extract_marks_add_program(void *ctx, const struct lkst_dumped_program *p)
{
	struct lkst_marks_losses lost;
	struct adding *a = ctx;
	int fd, err;

	if (!is_of_boot(a->x, &p->header))
		return 0;
	if (a->x->nr_programs == PROGRAMS_MAX) {
		a->left_out++;
		return 0;
	}
	fd = rebuild_file(a->e, p);
	if (fd < 0)
		return fd;
	err = lkst_marks_take_dumped(a->e, a->marks, fd, p->header.pid, p->header.uid,
				     a->end_ns + SLACK_NS, &lost);
	if (err)
		return err;
	a->x->nr_programs++;
	return extract_marks_put_losses(a, p->header.pid, p->header.uid, &lost);
}

/* ---- the trace ------------------------------------------------------------------------------ */

static int extract_marks_declare(void *ctx, const struct lkst_event_class *event, u32 nr_had, u16 *ret_id)
{
	const struct adding *a = ctx;

	return lkst_catalog_add_mark(NULL, a->x->recording->catalog, event, nr_had, ret_id);
}

static u64 extract_marks_count_records(const struct lkst_catalog *c, const void *bytes, size_t length)
{
	struct lkst_block_cursor cursor;
	struct lkst_record record;
	struct lkst_block block;
	u64 nr = 0;

	if (lkst_block_parse(NULL, bytes, length, NULL, &block))
		return 0;
	lkst_block_cursor_init(&cursor, &block);
	while (lkst_block_next(NULL, &cursor, c, &record) > 0)
		nr++;
	return nr;
}

static int extract_marks_give(struct lkst_err *e, void *ctx, u64 instance, const void *blocks, size_t length)
{
	struct adding *a = ctx;

	a->x->nr_marks += extract_marks_count_records(a->x->recording->catalog, blocks, length);
	return lkst_writer_renew(e, a->x->trace, a->x->recording->catalog)
		       ?: lkst_writer_append(e, a->x->trace, instance, blocks, length);
}

static int extract_marks_claim(void *ctx, u64 instance)
{
	const struct adding *a = ctx;
	const struct lkst_stream_end end = { .instance = instance,
					     .first = 1,
					     .covered_ns = a->end_ns };

	return lkst_writer_claim(a->e, a->x->trace, &end);
}

/* How many CPUs the machine had, as far as the rings show it. */
static u32 nr_cpus_of(const struct lkst_recording *r)
{
	u32 nr = 1;
	unsigned int i;
	size_t k;

	for (i = 0; i < r->nr_rings; i++)
		if (lkst_instance_cpu(r->rings[i].instance) >= nr)
			nr = lkst_instance_cpu(r->rings[i].instance) + 1;
	for (k = 0; k < r->nr_blocks; k++)
		if (lkst_instance_cpu(r->blocks[k].a) >= nr)
			nr = lkst_instance_cpu(r->blocks[k].a) + 1;
	return nr;
}

int lkst_extract_add_marks(struct lkst_err *e, struct lkst_extract_marks *x, u64 end_ns)
{
	struct adding a = { .e = e, .x = x, .end_ns = end_ns };
	const struct lkst_recording *r = x->recording;
	const struct lkst_marks_options options = {
		.nr_cpus = nr_cpus_of(r),
		.block_shift = r->nr_rings ? r->rings[0].shift : LKST_BLOCK_SHIFT_MIN,
		.uuid = r->uuid,
		.since_ns = r->has_start ? r->start.monotonic_ns : 0,
		.declare = extract_marks_declare,
		.ctx = &a
	};
	_cleanup_(lkst_marks_freep) struct lkst_marks_reader *marks = NULL;
	int err = lkst_marks_new(e, &options, &marks);

	if (err)
		return err;
	a.marks = marks;
	err = lkst_dumped_programs(e, x->dumps, x->nr_dumps, x->hits, extract_marks_add_program, &a) ?:
	      lkst_marks_give_taken(e, marks, extract_marks_give, &a) ?:
	      lkst_marks_each_stream(marks, extract_marks_claim, &a);
	if (!err && a.left_out)
		err = extract_marks_put_losses(&a, 0, LKST_MARKS_NO_UID,
					       &(struct lkst_marks_losses){ .unlooked = a.left_out });
	return err;
}
