// SPDX-License-Identifier: GPL-2.0-only
/*
 * What code processes have in their memory: programs, libraries, and what they make themselves. A record of each is
 * kept, so that an address in a stack has a name when the process has long ended.
 *
 * A process gets code by exec, by mmap() and by mprotect(). The file of an mmap() is found by its descriptor, which
 * takes no lock. Of an exec and an mprotect() the kernel's list of what is mapped is asked; that takes the list's lock
 * if it is free, and never waits for it: what cannot be read is counted.
 *
 * The program at sched_process_exec is linked after that of the event of this name (the file's name comes after
 * sched.bpf.c), and so attached after it: a reader forgets what was mapped when it meets an exec.
 *
 * Context: the thread's own, preemption off (record.h). So the two programs never nest into each other on a CPU, and
 * have one scratch area.
 */
#include "bpf/user_regs.h"
#include "bpf/string.h"

enum {
	CALL_PAGE_SHIFT = 12,  /* in which mmap2(2) counts */
	PROT_EXEC = 4,	       /* include/uapi/asm-generic/mman-common.h */
	MAP_ANONYMOUS = 0x20,
	VM_EXEC = 4, /* include/linux/mm.h */
	DEPTH_MAX = 32, /* directories that a path is followed through */
	RECENT = 1024,
};

#define ERRNO_MAX 4095UL

/* Not in bpf/kernel.h, which user handlers include that have such structs of their own. */
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct super_block {
	u32 s_dev;
};

struct timespec64 {
	s64 tv_sec;
	long tv_nsec;
};

struct inode {
	unsigned long i_ino;
	struct super_block *i_sb;
	s64 i_ctime_sec;
	u32 i_ctime_nsec;
};

/* Before Linux 6.11 (3aa63a569c64, "fs: switch timespec64 fields in inode to discrete integers"). */
struct inode___timespec {
	struct timespec64 __i_ctime;
};

/* Before Linux 6.6 (13bc24457850, "fs: rename i_ctime field to __i_ctime"). */
struct inode___plain {
	struct timespec64 i_ctime;
};

struct qstr {
	u32 len;
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
};

struct path {
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
};

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};

struct files_struct {
	struct fdtable *fdt;
};

struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_end;
	unsigned long vm_flags;
	unsigned long vm_pgoff;
	struct file *vm_file;
};

#pragma clang attribute pop

struct mapping {
	u64 address, length, offset;
	u64 file; /* struct file *, 0: none */
	u32 is_vdso;
	u32 from; /* where the path begins in `path`; with its NUL it ends at LKST_STRING_MAX */
	u32 is_cut;
	u32 pad;
	char path[2 * LKST_STRING_MAX]; /* the verifier wants room for a longest path at each place where one begins */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct mapping);
} lkst_mapping_scratch SEC(".maps");

/*
 * What was last found at a place, by a hash of process and address. A JIT compiler may change the access to its memory
 * at each function that it compiles; it is recorded when there is something else at this place than before.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, RECENT);
	__type(key, u32);
	__type(value, u64);
} lkst_mapping_recent SEC(".maps");

static __always_inline struct mapping *scratch(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&lkst_mapping_scratch, &zero);
}

/* ---- the file --------------------------------------------------------------------------------- */

static __always_inline u64 ctime_of(struct inode *inode)
{
	struct inode___timespec *timespec = (void *)inode;
	struct inode___plain *plain = (void *)inode;

	/* The upper bit of the ns says that somebody has asked for it (4e40eff0b573, Linux 6.13). */
	if (bpf_core_field_exists(inode->i_ctime_sec))
		return BPF_CORE_READ(inode, i_ctime_sec) * 1000000000ULL +
		       (BPF_CORE_READ(inode, i_ctime_nsec) & 0x7fffffff);
	if (bpf_core_field_exists(timespec->__i_ctime))
		return BPF_CORE_READ(timespec, __i_ctime.tv_sec) * 1000000000ULL +
		       BPF_CORE_READ(timespec, __i_ctime.tv_nsec);
	return BPF_CORE_READ(plain, i_ctime.tv_sec) * 1000000000ULL + BPF_CORE_READ(plain, i_ctime.tv_nsec);
}

/* Puts the name of @entry before what the path has; a pseudo file is its own parent, and has no directory. */
static __always_inline bool put_name(struct mapping *m, struct dentry *entry, bool is_alone)
{
	u64 length = BPF_CORE_READ(entry, d_name.len), at;

	if (length >= LKST_STRING_MAX / 2 || length + 2 > m->from)
		return false;
	at = LKST_BOUNDED(m->from - length);
	length = LKST_BOUNDED(length);
	if (at >= LKST_STRING_MAX || length >= LKST_STRING_MAX / 2)
		return false;
	bpf_probe_read_kernel(m->path + at, length, BPF_CORE_READ(entry, d_name.name));
	if (!is_alone) {
		at = LKST_BOUNDED(at - 1);
		if (at >= LKST_STRING_MAX)
			return false;
		m->path[at] = '/';
	}
	m->from = at;
	return true;
}

/* Writes the path of the file of @m in its file system. One that is too long begins in the middle, without a '/'. */
static __always_inline void write_path(struct mapping *m)
{
	struct file *file = (void *)m->file;
	struct dentry *entry = BPF_CORE_READ(file, f_path.dentry), *parent;
	u32 i;

#pragma clang loop unroll(disable)
	for (i = 0; i < DEPTH_MAX; i++) {
		parent = BPF_CORE_READ(entry, d_parent);
		if (parent == entry && i)
			return;
		if (!put_name(m, entry, parent == entry) || parent == entry)
			break;
		entry = parent;
	}
	if (parent != entry) {
		m->is_cut = true;
		m->from++;
	}
}

/*
 * Records what is in the scratch area. A global function, so that it is verified once in a program and not along each
 * path to it.
 */
LKST_RARE int lkst_mapping_write(u32 pid)
{
	static const char vdso[] = "[vdso]";
	struct mapping *m = scratch();
	struct inode *inode;
	struct file *file;
	u64 size, from;

	if (!m)
		return 0;
	m->path[LKST_STRING_MAX - 1] = 0;
	m->from = LKST_STRING_MAX - 1;
	m->is_cut = false;
	if (m->is_vdso) {
		m->from = LKST_STRING_MAX - sizeof(vdso);
		__builtin_memcpy(m->path + LKST_STRING_MAX - sizeof(vdso), vdso, sizeof(vdso));
	} else if (m->file) {
		write_path(m);
	}
	size = LKST_BOUNDED(LKST_STRING_MAX - m->from);
	from = LKST_BOUNDED(m->from);
	if (size > LKST_STRING_MAX || from >= LKST_STRING_MAX)
		return 0; /* cannot be */
	lkst_recording_id(struct lkst_rec_mapping, r, lkst_cfg.id[LKST_EV_mapping], sizeof(*r) + size,
			  sizeof(*r) + LKST_STRING_MAX) {
		LKST_PUT64(r->address, m->address);
		LKST_PUT64(r->length, m->length);
		LKST_PUT64(r->offset, m->offset);
		file = (void *)m->file;
		inode = file ? BPF_CORE_READ(file, f_inode) : NULL;
		LKST_PUT64(r->inode, inode ? BPF_CORE_READ(inode, i_ino) : 0);
		LKST_PUT64(r->ctime, inode ? ctime_of(inode) : 0);
		r->dev = inode ? BPF_CORE_READ(inode, i_sb, s_dev) : 0;
		r->owner_pid = pid;
		bpf_probe_read_kernel(r->file.bytes, size, m->path + from);
		if (m->is_cut)
			LKST_COUNT(&lkst_scope_.slot.st->lost[LKST_LOSS_TRUNCATED]);
	}
	return 0;
}

/* ---- what is mapped --------------------------------------------------------------------------- */

/* Whether it is something else than what was last found there; and it is that from now on. */
static __always_inline bool is_new(u32 pid, const struct mapping *m)
{
	const u64 odd = 0x9e3779b97f4a7c15ULL;
	u64 place = ((u64)pid << 36 ^ m->address) * odd, what = (place ^ m->length ^ m->file) * odd;
	u32 key = place >> 54;
	u64 *known = bpf_map_lookup_elem(&lkst_mapping_recent, &key);

	if (!known || LKST_LOAD(*known) == what)
		return !known;
	LKST_STORE(*known, what);
	return true;
}

/* Recorded is each file, and memory without one if it is new. */
static __always_inline void record(struct task_struct *task, struct mapping *m)
{
	if (is_new(task->tgid, m) || m->file)
		lkst_mapping_write(task->tgid);
}

struct found {
	u64 begin, end, page, file, flags;
};

static long keep_found(struct task_struct *task, struct vm_area_struct *vma, struct found *found)
{
	found->begin = vma->vm_start;
	found->end = vma->vm_end;
	found->page = vma->vm_pgoff;
	/* As a number: the verifier lets nobody compute with a pointer. */
	bpf_core_read(&found->file, sizeof(found->file), &vma->vm_file);
	found->flags = vma->vm_flags;
	return 0;
}

/* Records the code at @address, but for that which begins at @known. Returns where it begins, 0: there is none. */
static __always_inline u64 record_at(struct task_struct *task, u64 address, u64 known)
{
	struct mapping *m = scratch();
	struct found found = {};
	long err;

	if (!m)
		return 0;
	err = bpf_find_vma(task, address, keep_found, &found, 0);
	if (err == -16) /* EBUSY */
		lkst_count_loss(LKST_LOSS_MAPPING);
	if (err || !(found.flags & VM_EXEC) || found.begin == known)
		return 0;
	m->address = found.begin;
	m->length = found.end - found.begin;
	m->offset = found.file ? found.page << lkst_cfg.page_shift : 0;
	m->file = found.file;
	m->is_vdso = false;
	record(task, m);
	return found.begin;
}

/* As libraries do, the vdso has its code in its second page or later: all of it is one mapping. */
static __always_inline void record_vdso(struct task_struct *task, u64 address)
{
	struct mapping *m = scratch();
	struct found found = {};

	/* That of a 32-bit program is another one. */
	if (!m || address >> 32 == 0 || bpf_find_vma(task, address, keep_found, &found, 0))
		return;
	m->address = found.begin;
	m->length = found.end - found.begin;
	m->offset = 0;
	m->file = 0;
	m->is_vdso = true;
	lkst_mapping_write(task->tgid);
}

/* The program, what loads its libraries, and the vdso. All is mapped; what the thread does first is its loader's. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(tp_too__sched_process_exec, struct task_struct *task)
{
	const u32 id = lkst_cfg.id[LKST_EV_mapping];
	struct task_struct *current = bpf_get_current_task_btf();
	struct pt_regs___lkst *regs;
	u64 program;

	if (!lkst_wants_current() || !lkst_is_wanted(id))
		return lkst_count_idle(id);
	regs = (void *)bpf_task_pt_regs(current);
	program = record_at(current, current->mm->start_code, 0);
	record_at(current, lkst_user_ip(regs), program);
	record_vdso(current, (u64)current->mm->context.vdso);
	return 0;
}

/* ---- calls ------------------------------------------------------------------------------------ */

enum call {
	CALL_OTHER,
	CALL_MMAP,
	CALL_MMAP_PAGES, /* which counts its offset in pages */
	CALL_MPROTECT,
};

#ifdef __TARGET_ARCH_arm64

static __always_inline enum call call_of(s32 nr, bool compat)
{
	if (compat)
		return nr == 192 ? CALL_MMAP_PAGES : nr == 125 || nr == 394 ? CALL_MPROTECT : CALL_OTHER;
	return nr == 222 ? CALL_MMAP : nr == 226 || nr == 288 ? CALL_MPROTECT : CALL_OTHER;
}

#else

static __always_inline enum call call_of(s32 nr, bool compat)
{
	if (compat)
		return nr == 192 ? CALL_MMAP_PAGES : nr == 125 || nr == 380 ? CALL_MPROTECT : CALL_OTHER;
	return nr == 9 ? CALL_MMAP : nr == 10 || nr == 329 ? CALL_MPROTECT : CALL_OTHER;
}

#endif

/* What descriptor @fd is; 0: not known. */
static __always_inline u64 file_of(struct task_struct *task, u64 fd)
{
	struct fdtable *table = task->files->fdt;
	struct file *file = NULL;

	if ((u32)fd >= table->max_fds)
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), (void *)table->fd + (u32)fd * sizeof(file));
	return (u64)file;
}

static __noinline int mapped(struct task_struct *task, struct pt_regs___lkst *regs, bool compat, u64 address,
			     bool counts_pages)
{
	struct mapping *m = scratch();
	const u64 page = (1ULL << lkst_cfg.page_shift) - 1;

	if (!m)
		return 0;
	m->address = address;
	m->length = (lkst_arg(regs, compat, 1) + page) & ~page;
	m->offset = lkst_arg(regs, compat, 5);
	if (counts_pages)
		m->offset <<= CALL_PAGE_SHIFT;
	m->file = lkst_arg(regs, compat, 3) & MAP_ANONYMOUS ? 0 : file_of(task, lkst_arg(regs, compat, 4));
	if (!m->file)
		m->offset = 0;
	m->is_vdso = false;
	record(task, m);
	return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(tp_too__sys_exit, struct pt_regs___lkst *regs, long ret)
{
	const u32 id = lkst_cfg.id[LKST_EV_mapping];
	struct task_struct *task = bpf_get_current_task_btf();
	const bool compat = lkst_is_compat(task);
	const enum call call = call_of(lkst_syscall_nr(regs), compat);

	if (call == CALL_OTHER || !(lkst_arg(regs, compat, 2) & PROT_EXEC) || (u64)ret >= -ERRNO_MAX ||
	    !lkst_wants(task) || !lkst_is_wanted(id))
		return lkst_count_idle(id);
	if (call == CALL_MPROTECT)
		record_at(task, lkst_arg(regs, compat, 0), 0);
	else
		mapped(task, regs, compat, ret, call == CALL_MMAP_PAGES);
	return 0;
}
