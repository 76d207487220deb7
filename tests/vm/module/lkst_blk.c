// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel module for the guests: a disk that sends each request back once, by turns after it counts as issued
 * and before. The second try is done at once. It has one request at a time, whose structure is used again.
 */
#include <linux/blk-mq.h>
#include <linux/module.h>
#include <linux/version.h>

enum {
	SECTORS = 2048,
	RETRY_MS = 40,
};

static struct blk_mq_tag_set tags;
static struct gendisk *disk;
static bool was_sent_back, before_issue; /* of the one request that there is */
static int major;

static blk_status_t queue_rq(struct blk_mq_hw_ctx *hctx, const struct blk_mq_queue_data *data)
{
	struct request *rq = data->rq;

	if (was_sent_back) {
		was_sent_back = false;
		blk_mq_start_request(rq);
		blk_mq_end_request(rq, BLK_STS_OK);
		return BLK_STS_OK;
	}
	was_sent_back = true;
	before_issue = !before_issue;
	if (!before_issue)
		blk_mq_start_request(rq);
	blk_mq_requeue_request(rq, false);
	blk_mq_delay_kick_requeue_list(rq->q, RETRY_MS);
	return BLK_STS_OK;
}

static const struct blk_mq_ops ops = { .queue_rq = queue_rq };
static const struct block_device_operations operations = { .owner = THIS_MODULE };

static struct gendisk *alloc_disk(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return blk_mq_alloc_disk(&tags, NULL, NULL);
#else
	return blk_mq_alloc_disk(&tags, NULL);
#endif
}

static int add(void)
{
	disk = alloc_disk();
	if (IS_ERR(disk))
		return PTR_ERR(disk);
	disk->major = major;
	disk->minors = 1;
	disk->flags |= GENHD_FL_NO_PART;
	disk->fops = &operations;
	snprintf(disk->disk_name, sizeof(disk->disk_name), "lkst_blk");
	set_capacity(disk, SECTORS);
	return add_disk(disk);
}

static int __init lkst_blk_init(void)
{
	int err;

	major = register_blkdev(0, "lkst_blk");
	if (major < 0)
		return major;
	tags.ops = &ops;
	tags.nr_hw_queues = 1;
	tags.queue_depth = 1;
	tags.numa_node = NUMA_NO_NODE;
	err = blk_mq_alloc_tag_set(&tags);
	if (err)
		return err;
	return add();
}

static void __exit lkst_blk_exit(void)
{
	del_gendisk(disk);
	put_disk(disk);
	blk_mq_free_tag_set(&tags);
	unregister_blkdev(major, "lkst_blk");
}

module_init(lkst_blk_init);
module_exit(lkst_blk_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A disk that sends requests back, for LKST's tests");
