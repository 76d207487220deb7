/* SPDX-License-Identifier: GPL-2.0-only */
/* What the running kernel offers: type information and features. */
#include "live/kernel/kernel_types.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define TRACEPOINT_PREFIX "btf_trace_"

void lkst_btf_freep(struct btf **btf)
{
	btf__free(*btf);
}

/* A tracepoint's typedef or a function, sorted by name. */
struct named_type {
	const char *name;
	unsigned int id;
};

struct lkst_kernel {
	struct btf *btf;
	struct named_type *tracepoints, *functions;
	size_t nr_tracepoints, nr_functions;
	bool is_elsewhere; /* not the one that runs here */
};

enum { RESOLVED_MAX = 32 }; /* modifiers and typedefs in a row: those of a damaged file may be a ring */

static int kernel_types_by_name(const void *a, const void *b)
{
	const struct named_type *x = a, *y = b;

	return strcmp(x->name, y->name);
}

/* One pass over all types: asking libbpf for each name would be one pass each. */
static int index_types(struct lkst_err *e, struct lkst_kernel *k)
{
	unsigned int nr = btf__type_cnt(k->btf), id;

	k->tracepoints = calloc(nr, sizeof(*k->tracepoints));
	k->functions = calloc(nr, sizeof(*k->functions));
	if (!k->tracepoints || !k->functions)
		return lkst_err_sys(e, -ENOMEM, "indexing the kernel's types");
	for (id = 1; id < nr; id++) {
		const struct btf_type *t = btf__type_by_id(k->btf, id);
		const char *name = t ? btf__name_by_offset(k->btf, t->name_off) : NULL;

		/* The running kernel's types are whole; a file's may be damaged. */
		if (!name)
			return lkst_err_set(e, -EINVAL, "type %u has no name that can be read", id);
		if (btf_is_typedef(t) &&
		    !strncmp(name, TRACEPOINT_PREFIX, strlen(TRACEPOINT_PREFIX)))
			k->tracepoints[k->nr_tracepoints++] =
				(struct named_type){ name + strlen(TRACEPOINT_PREFIX), id };
		else if (btf_is_func(t))
			k->functions[k->nr_functions++] = (struct named_type){ name, id };
	}
	qsort(k->tracepoints, k->nr_tracepoints, sizeof(*k->tracepoints), kernel_types_by_name);
	qsort(k->functions, k->nr_functions, sizeof(*k->functions), kernel_types_by_name);
	return 0;
}

/* The kernel's own. They are mapped where they can be (Linux 6.16): reading takes a system call for each 4 KiB. */
static struct btf *load_types(void)
{
	_cleanup_close_ int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct btf *btf = NULL;
	struct stat st;
	void *types;

	if (fd < 0 || fstat(fd, &st))
		return btf__load_vmlinux_btf();
	types = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (types != MAP_FAILED) {
		btf = btf__new(types, (unsigned int)st.st_size); /* it takes a copy */
		munmap(types, (size_t)st.st_size);
	}
	return btf ?: btf__load_vmlinux_btf();
}

int lkst_kernel_open(struct lkst_err *e, const char *btf_file, struct lkst_kernel **ret_kernel)
{
	struct lkst_kernel *k = calloc(1, sizeof(*k));
	libbpf_print_fn_t print;
	int err, load_err;

	if (!k)
		return lkst_err_sys(e, -ENOMEM, "loading the kernel's type information");
	/* What is missing is said here, in one sentence. */
	print = libbpf_set_print(NULL);
	k->btf = btf_file ? btf__parse(btf_file, NULL) : load_types();
	load_err = -errno;
	libbpf_set_print(print);
	if (!k->btf) {
		err = load_err;
		free(k);
		if (btf_file)
			return lkst_err_sys(e, err, "type information in %s", btf_file);
		return lkst_err_set(e, err,
				    "this kernel has no type information (/sys/kernel/btf/vmlinux); "
				    "boot one built with CONFIG_DEBUG_INFO_BTF");
	}
	err = index_types(e, k);
	if (err) {
		lkst_kernel_close(k);
		return err;
	}
	*ret_kernel = k;
	return 0;
}

/* ---- another kernel's, by a file --------------------------------------------------------------- */

/* What @fd, in which no types were found, is instead. */
static int say_what_it_is(struct lkst_err *e, int fd, const char *file)
{
	/* Where a bzImage says that it is one (Documentation/x86/boot.rst). */
	enum { SETUP = 0x202, HEAD = SETUP + 4 };
	u8 head[HEAD] = {};
	u16 magic;
	ssize_t n = pread(fd, head, sizeof(head), 0);

	memcpy(&magic, head, sizeof(magic));
	if (n == HEAD && !memcmp(head + SETUP, "HdrS", 4))
		return lkst_err_set(e, -EINVAL, "%s is a compressed kernel; vmlinux is in it, as the kernel's "
				    "scripts/extract-vmlinux writes it", file);
	if (n >= 4 && !memcmp(head, "\177ELF", 4))
		return lkst_err_set(e, -EINVAL, "%s is an ELF file without whole type information in section .BTF; "
				    "wanted is the vmlinux of a kernel built with CONFIG_DEBUG_INFO_BTF", file);
	if (n >= 2 && (magic == BTF_MAGIC || magic == __builtin_bswap16(BTF_MAGIC)))
		return lkst_err_set(e, -EINVAL, "%s begins as BTF, and is cut off or damaged", file);
	return lkst_err_set(e, -EINVAL, "%s %s; wanted is BTF as in /sys/kernel/btf/vmlinux, or an ELF file with a "
			    "section .BTF", file, n ? "is neither BTF nor an ELF file" : "is empty");
}

int lkst_kernel_open_elsewhere(struct lkst_err *e, const char *file, struct lkst_kernel **ret_kernel)
{
	_cleanup_close_ int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	_cleanup_(lkst_kernel_closep) struct lkst_kernel *k = NULL;
	struct stat st;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return lkst_err_sys(e, -errno, "%s", file);
	if (!S_ISREG(st.st_mode))
		return lkst_err_set(e, -EINVAL, "%s is no regular file", file);
	err = lkst_kernel_open(e, file, &k);
	if (err)
		return err == -ENOMEM ? err : say_what_it_is(e, fd, file);
	if (!k->nr_tracepoints || !k->nr_functions)
		return lkst_err_set(e, -EINVAL, "%s has types, and no kernel's: there is no %s among them", file,
				    k->nr_tracepoints ? "function" : "tracepoint");
	k->is_elsewhere = true;
	*ret_kernel = lkst_take(k);
	return 0;
}

const struct btf *lkst_kernel_btf(const struct lkst_kernel *k)
{
	return k->btf;
}

void lkst_kernel_close(struct lkst_kernel *k)
{
	if (!k)
		return;
	btf__free(k->btf);
	free(k->tracepoints);
	free(k->functions);
	free(k);
}

static const struct btf_type *kernel_types_resolve(const struct btf *btf, unsigned int id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	unsigned int i;

	for (i = 0; t && (btf_is_mod(t) || btf_is_typedef(t)); i++)
		t = i < RESOLVED_MAX ? btf__type_by_id(btf, t->type) : NULL;
	return t;
}

/* Writes the type of one argument the way events.def writes it. */
static void render_type(const struct btf *btf, unsigned int id, char *text, size_t size)
{
	const struct btf_type *t = kernel_types_resolve(btf, id), *target;

	if (!t) {
		snprintf(text, size, "void");
	} else if (btf_is_int(t)) {
		if (btf_int_encoding(t) & BTF_INT_BOOL)
			snprintf(text, size, "bool");
		else
			snprintf(text, size, "%c%u",
				 btf_int_encoding(t) & BTF_INT_SIGNED ? 's' : 'u', t->size * 8);
	} else if (btf_is_any_enum(t)) {
		snprintf(text, size, "enum %s", btf__name_by_offset(btf, t->name_off));
	} else if (btf_is_ptr(t)) {
		target = kernel_types_resolve(btf, t->type);
		if (target && target->name_off && (btf_is_composite(target) || btf_is_fwd(target)))
			snprintf(text, size, "struct %s *",
				 btf__name_by_offset(btf, target->name_off));
		else
			snprintf(text, size, "void *");
	} else {
		snprintf(text, size, "%s", btf__name_by_offset(btf, t->name_off));
	}
}

/* Compares the arguments of @proto from number @first on with @types. */
static int check_arguments(struct lkst_err *e, const struct btf *btf, const struct btf_type *proto,
			   unsigned int first, const char *types)
{
	const struct btf_param *params = btf_params(proto);
	unsigned int i = first;
	const char *from = types;

	while (*from) {
		size_t length = strcspn(from, ",");
		char kernels[128] = "nothing";

		if (i < btf_vlen(proto))
			render_type(btf, params[i].type, kernels, sizeof(kernels));
		if (strlen(kernels) != length || strncmp(kernels, from, length))
			return lkst_err_set(e, -EPROTOTYPE,
					    "argument %u is \"%s\" in this kernel, not \"%.*s\"",
					    i - first + 1, kernels, (int)length, from);
		from += length;
		from += strspn(from, ", ");
		i++;
	}
	return 0;
}

static const struct named_type *kernel_types_find(const struct named_type *list, size_t nr, const char *name)
{
	struct named_type key = { name, 0 };

	return bsearch(&key, list, nr, sizeof(*list), kernel_types_by_name);
}

int lkst_kernel_find_tracepoint(const struct lkst_kernel *k, const char *name)
{
	const struct named_type *found = kernel_types_find(k->tracepoints, k->nr_tracepoints, name);

	return found ? (int)found->id : -ENOENT;
}

int lkst_kernel_check_tracepoint(struct lkst_err *e, const struct lkst_kernel *k, const char *name,
				 const char *types)
{
	int id = lkst_kernel_find_tracepoint(k, name);
	const struct btf_type *t, *proto;

	if (id < 0)
		return lkst_err_set(e, id, "this kernel has no tracepoint %s", name);
	/* A pointer to a function whose first argument is the hook's own data. */
	t = kernel_types_resolve(k->btf, id);
	proto = t && btf_is_ptr(t) ? kernel_types_resolve(k->btf, t->type) : NULL;
	if (!proto || !btf_is_func_proto(proto))
		return lkst_err_set(e, -EPROTOTYPE, "this kernel does not describe tracepoint %s",
				    name);
	return check_arguments(e, k->btf, proto, 1, types);
}

/* There may be several static functions of one name: which of them a probe would be set at is not known. */
static bool is_ambiguous(const struct lkst_kernel *k, const struct named_type *found)
{
	return (found > k->functions && !kernel_types_by_name(found - 1, found)) ||
	       (found + 1 < k->functions + k->nr_functions && !kernel_types_by_name(found + 1, found));
}

int lkst_kernel_check_function(struct lkst_err *e, const struct lkst_kernel *k, const char *name,
			       const char *types)
{
	const struct named_type *found = kernel_types_find(k->functions, k->nr_functions, name);
	const struct btf_type *t = found ? btf__type_by_id(k->btf, found->id) : NULL;
	const struct btf_type *proto = t ? btf__type_by_id(k->btf, t->type) : NULL;

	if (found && is_ambiguous(k, found))
		return lkst_err_set(e, -ENOENT, "this kernel has several functions called %s",
				    name);
	if (!proto || !btf_is_func_proto(proto))
		return lkst_err_set(e, -ENOENT, "this kernel has no function %s that can be hooked",
				    name);
	return check_arguments(e, k->btf, proto, 0, types);
}

bool lkst_kernel_has_function(const struct lkst_kernel *k, const char *name)
{
	return kernel_types_find(k->functions, k->nr_functions, name) != NULL;
}

bool lkst_kernel_has_member(const struct lkst_kernel *k, const char *name, const char *member)
{
	const struct btf_type *t =
		btf__type_by_id(k->btf, (__u32)btf__find_by_name_kind(k->btf, name, BTF_KIND_STRUCT));
	unsigned int i;

	for (i = 0; t && btf_is_struct(t) && i < btf_vlen(t); i++) {
		const char *known = btf__name_by_offset(k->btf, btf_members(t)[i].name_off);

		if (known && !strcmp(known, member))
			return true;
	}
	return false;
}

bool lkst_kernel_has_enum_value(const struct lkst_kernel *k, const char *name, s64 value)
{
	const struct btf_type *t =
		btf__type_by_id(k->btf, (__u32)btf__find_by_name_kind(k->btf, name, BTF_KIND_ENUM));
	unsigned int i;

	for (i = 0; t && btf_is_enum(t) && i < btf_vlen(t); i++) {
		const char *known = btf__name_by_offset(k->btf, btf_enum(t)[i].name_off);

		if (btf_enum(t)[i].val == value && known && !strstr(known, "MAX"))
			return true;
	}
	return false;
}

int lkst_kernel_find_percpu(const struct lkst_kernel *k, const char *name, u32 *ret_offset)
{
	const struct btf_type *section =
		btf__type_by_id(k->btf, (__u32)btf__find_by_name_kind(k->btf, ".data..percpu", BTF_KIND_DATASEC));
	unsigned int i;

	for (i = 0; section && btf_is_datasec(section) && i < btf_vlen(section); i++) {
		const struct btf_var_secinfo *info = &btf_var_secinfos(section)[i];
		const struct btf_type *variable = btf__type_by_id(k->btf, info->type);
		const char *known = variable ? btf__name_by_offset(k->btf, variable->name_off) : NULL;

		if (!known || strcmp(known, name))
			continue;
		*ret_offset = info->offset;
		return 0;
	}
	return -ENOENT;
}

enum { NESTED_MAX = 8 }; /* structs without a name in one another */

/* The same of type @t, which lies @at bytes within the one that was asked for. */
static int kernel_types_find_member(const struct btf *btf, const struct btf_type *t, const char *member, u32 at,
				    unsigned int depth, u32 *ret_offset)
{
	unsigned int i;

	for (i = 0; t && btf_is_composite(t) && depth < NESTED_MAX && i < btf_vlen(t); i++) {
		const char *known = btf__name_by_offset(btf, btf_members(t)[i].name_off);
		const u32 offset = at + btf_member_bit_offset(t, i) / 8;

		if (known && !strcmp(known, member)) {
			*ret_offset = offset;
			return 0;
		}
		if (known && !known[0] &&
		    !kernel_types_find_member(btf, kernel_types_resolve(btf, btf_members(t)[i].type), member, offset,
					      depth + 1, ret_offset))
			return 0;
	}
	return -ENOENT;
}

int lkst_kernel_find_member(const struct lkst_kernel *k, const char *name, const char *member, u32 *ret_offset)
{
	const struct btf_type *t =
		btf__type_by_id(k->btf, (__u32)btf__find_by_name_kind(k->btf, name, BTF_KIND_STRUCT));

	return kernel_types_find_member(k->btf, t, member, 0, 0, ret_offset);
}

bool lkst_kernel_is_realtime(void)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/kernel/realtime", "re");

	return f && fgetc(f) == '1';
}

bool lkst_kernel_can_limit(void)
{
	/* What cannot be asked is tried. */
	return !lkst_kernel_is_realtime() &&
	       libbpf_probe_bpf_helper(BPF_PROG_TYPE_RAW_TRACEPOINT, BPF_FUNC_loop, NULL) != 0;
}

bool lkst_kernel_has_kprobes(void)
{
	/* The perf event source that kprobes are opened with (kernel/events/core.c). */
	return !access("/sys/bus/event_source/devices/kprobe", F_OK);
}

bool lkst_kernel_lets_hook_functions(const struct lkst_kernel *k)
{
	/* Functions of kernel/trace are not among the types of older kernels; this one is of kernel/kprobes.c. */
	return k->is_elsewhere ? lkst_kernel_has_function(k, "register_kprobe") : lkst_kernel_has_kprobes();
}

bool lkst_kernel_lets_read_memory(void)
{
	/* The smallest program that does it is loaded, and not run. */
	const struct bpf_insn program[] = {
		{ .code = BPF_ST | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .off = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X,
		  .dst_reg = BPF_REG_1,
		  .src_reg = BPF_REG_10 },
		{ .code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_2, .imm = 8 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3, .imm = 0 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_probe_read_kernel },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	_cleanup_close_ int fd = bpf_prog_load(BPF_PROG_TYPE_TRACEPOINT, "lkst_probe", "GPL",
					       program, sizeof(program) / sizeof(program[0]), NULL);

	return fd >= 0;
}
