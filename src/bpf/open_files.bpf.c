// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lists what the descriptors of processes refer to (abi/open_file.h), for the state stream: read by user space when a
 * trace is begun or ended. The paths are those that /proc/PID/fd has, by the same function, d_path(), which takes a
 * tenth of the time from here. It is not a hook, and does not run with any event.
 *
 * The kernel asks once for each table of descriptors that a thread does not share with the first one of its process.
 */
#include "abi/open_file.h"
#include "bpf/record.h"

struct seq_file;
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct path {
	void *dentry;
};

struct file {
	struct path f_path;
};

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	u32 fd;
	struct file *file;
};
#pragma clang attribute pop

struct listed {
	struct lkst_open_file is;
	char path[LKST_OPEN_FILE_PATH];
} __attribute__((aligned(8)));

SEC("iter/task_file")
int iter__open_files(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct listed out = {};
	u64 length;

	/* /proc/PID has those of the first thread. */
	if (!task || !file || task->pid != task->tgid)
		return 0;
	/* An error is a number beyond all. */
	length = LKST_BOUNDED((u64)bpf_d_path(&file->f_path, out.path, sizeof(out.path)));
	if (length > LKST_OPEN_FILE_PATH)
		length = 0;
	out.is.pid = task->tgid;
	out.is.fd = (s32)ctx->fd;
	out.is.length = (u32)length;
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out.is) + length);
	return 0;
}
