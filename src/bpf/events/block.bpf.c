// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block devices: reads and writes on their way to the disk and back.
 */
#include "bpf/record.h"

/* A device number as the kernel keeps it (MKDEV, include/linux/kdev_t.h). */
static __always_inline u32 dev_of(struct request *rq)
{
	struct gendisk *disk = LKST_DISK(rq);

	return disk->major << 20 | disk->first_minor;
}

LKST_TP(block_bio_queue, struct bio *bio)
{
	lkst_recording_if(block_bio_queue, r, lkst_wants_current()) {
		LKST_PUT64(r->sector, bio->bi_iter.bi_sector);
		r->dev = bio->bi_bdev->bd_dev;
		r->bytes = bio->bi_iter.bi_size;
		r->flags = bio->bi_opf;
	}
	return 0;
}

/* An event of a request on its way to the driver, or back. */
#define REQUEST_PROGRAM(event)                                                                     \
	LKST_TP(event, struct request *rq)                                                         \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current()) {                                \
			LKST_PUT64(r->rq, rq);                                                     \
			LKST_PUT64(r->sector, rq->__sector);                                       \
			r->dev = dev_of(rq);                                                       \
			r->bytes = rq->__data_len;                                                 \
			r->flags = rq->cmd_flags;                                                  \
		}                                                                                  \
		return 0;                                                                          \
	}

REQUEST_PROGRAM(block_rq_insert)
REQUEST_PROGRAM(block_rq_issue)
REQUEST_PROGRAM(block_rq_merge)
REQUEST_PROGRAM(block_rq_requeue)

/* An event of a request that the disk has completed, successfully or not. */
#define RESULT_PROGRAM(event)                                                                      \
	LKST_TP(event, struct request *rq, LKST_BLOCK_STATUS_TYPE status, unsigned int bytes)      \
	{                                                                                          \
		lkst_recording_if(event, r, lkst_wants_current()) {                                \
			LKST_PUT64(r->rq, rq);                                                     \
			LKST_PUT64(r->sector, rq->__sector);                                       \
			r->dev = dev_of(rq);                                                       \
			r->bytes = bytes;                                                          \
			r->status = LKST_BLOCK_STATUS(status);                                     \
		}                                                                                  \
		return 0;                                                                          \
	}

RESULT_PROGRAM(block_rq_complete)
RESULT_PROGRAM(block_rq_error)
