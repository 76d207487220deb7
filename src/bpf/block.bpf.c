// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block devices: reads and writes on their way to the disk and back.
 */
#include "bpf/record.h"

/* A device number as the kernel keeps it (MKDEV, include/linux/kdev_t.h). */
static __always_inline u32 dev_of(struct request *rq)
{
	struct gendisk *disk = rq->q->disk;

	return disk->major << 20 | disk->first_minor;
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(tp_btf__block_bio_queue, struct bio *bio)
{
	if (!lkst_wants_current())
		return LKST_UNWANTED(block_bio_queue);
	LKST_RECORD(block_bio_queue, r);
	if (!r)
		return 0;
	LKST_PUT64(r->sector, bio->bi_iter.bi_sector);
	r->dev = bio->bi_bdev->bd_dev;
	r->bytes = bio->bi_iter.bi_size;
	r->flags = bio->bi_opf;
	LKST_COMMIT(block_bio_queue);
	return 0;
}

/* An event of a request on its way to the driver, or back. */
#define REQUEST_PROGRAM(event)                                                                     \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(tp_btf__##event, struct request *rq)                                          \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->rq, rq);                                                             \
		LKST_PUT64(r->sector, rq->__sector);                                               \
		r->dev = dev_of(rq);                                                               \
		r->bytes = rq->__data_len;                                                         \
		r->flags = rq->cmd_flags;                                                          \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

REQUEST_PROGRAM(block_rq_insert)
REQUEST_PROGRAM(block_rq_issue)
REQUEST_PROGRAM(block_rq_merge)
REQUEST_PROGRAM(block_rq_requeue)

/* An event of a request that the disk is done with, well or not. */
#define RESULT_PROGRAM(event)                                                                      \
	SEC("tp_btf/" #event)                                                                      \
	int BPF_PROG(tp_btf__##event, struct request *rq, u8 status, unsigned int bytes)           \
	{                                                                                          \
		if (!lkst_wants_current())                                                         \
			return LKST_UNWANTED(event);                                               \
		LKST_RECORD(event, r);                                                             \
		if (!r)                                                                            \
			return 0;                                                                  \
		LKST_PUT64(r->rq, rq);                                                             \
		LKST_PUT64(r->sector, rq->__sector);                                               \
		r->dev = dev_of(rq);                                                               \
		r->bytes = bytes;                                                                  \
		r->status = status;                                                                \
		LKST_COMMIT(event);                                                                \
		return 0;                                                                          \
	}

RESULT_PROGRAM(block_rq_complete)
RESULT_PROGRAM(block_rq_error)
