// SPDX-License-Identifier: GPL-2.0-only
/*
 * The handler `security`: says more about a system call, as the kernel's security (LSM) hooks see it: which file
 * it is about. It is for probes at the functions that call those hooks, set through tracefs (doc/handlers.md). It
 * does not decide what is allowed, so SELinux or another module works as without it.
 */
#include <lkst/handler.h>

/* Which event is at which function; 0: there is none. */
lkst_event_id file_open;    /* security_file_open(file) */
lkst_event_id bprm_check;   /* security_bprm_check(bprm) */
lkst_event_id inode_unlink; /* security_inode_unlink(directory, dentry) */

enum { NAME_SIZE = 48 };

LKST_EVENT(file, "the file that the security hook before it was asked about", u64 inode;
	   lkst_dev dev; u32 mode; lkst_uid owner; char name[NAME_SIZE];);

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct kuid {
	u32 val;
};

struct super_block {
	u32 s_dev;
};

struct inode {
	u16 i_mode;
	struct kuid i_uid;
	struct super_block *i_sb;
	unsigned long i_ino;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct qstr d_name;
	struct inode *d_inode;
};

struct path {
	struct dentry *dentry;
};

struct file {
	struct path f_path;
};

/* The declaration in handler.h lacks the file. */
struct linux_binprm___file {
	struct file *file;
};

#pragma clang attribute pop

/* The record of a probe at a function's entry (src/bpf/events/tracepoint.bpf.c). */
struct probe {
	struct lkst_record_head head;
	u64 ip, args[2];
} __attribute__((packed, aligned(4)));

static __always_inline struct dentry *dentry_of_file(struct file *file)
{
	return BPF_CORE_READ(file, f_path.dentry);
}

/* What the hook of event @id is asked about; NULL: it is none of them. */
static __always_inline struct dentry *dentry_of(u32 id, const struct probe *probe)
{
	void *first = (void *)probe->args[0], *second = (void *)probe->args[1];
	struct linux_binprm___file *bprm = first;

	if (id == file_open)
		return dentry_of_file(first);
	if (id == bprm_check)
		return dentry_of_file(BPF_CORE_READ(bprm, file));
	return id == inode_unlink ? second : NULL;
}

LKST_HANDLER(security, "records probes at security hooks, and which file they are about")
{
	return true;
}

LKST_HANDLER_AFTER
{
	const struct probe *probe = LKST_AS_TYPE(struct probe);
	struct dentry *dentry = probe ? dentry_of(lkst_record_id(r), probe) : NULL;
	struct lkst_own_file out = {};
	struct inode *inode;

	if (!dentry)
		return;
	inode = BPF_CORE_READ(dentry, d_inode);
	out.inode = BPF_CORE_READ(inode, i_ino);
	out.dev = BPF_CORE_READ(inode, i_sb, s_dev);
	out.mode = BPF_CORE_READ(inode, i_mode);
	out.owner = BPF_CORE_READ(inode, i_uid.val);
	bpf_probe_read_kernel_str(out.name, sizeof(out.name), BPF_CORE_READ(dentry, d_name.name));
	lkst_own_write(lkst_buffer_of(lkst_record_id(r)), lkst_event_file.is.id, &out, sizeof(out));
}
