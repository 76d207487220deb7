/* SPDX-License-Identifier: GPL-2.0-only */
/* The variables of a loaded handler, by the types that the kernel keeps of its maps. */
#include "live/masks/variables.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <linux/btf.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "live/hooks/pins.h"
#include "live/kernel/kernel_types.h"
#include "live/programs/handler_pins.h"
#include "live/session/session.h"

enum {
	MODIFIERS_MAX = 16,
	ELEMENTS_MAX = 65536, /* of a map; a ceiling for one that changes while it is read */
};

/* ---- types ------------------------------------------------------------------------------------ */

/* What the names of a type stand for. */
struct traits {
	bool is_event, is_cgroup;
};

/* The type without typedefs and qualifiers; NULL: none. */
static const struct btf_type *variables_resolve(const struct btf *btf, u32 id, struct traits *traits)
{
	const struct btf_type *type = btf__type_by_id(btf, id);
	unsigned int i;

	for (i = 0; type && i < MODIFIERS_MAX && (btf_is_mod(type) || btf_is_typedef(type)); i++) {
		const char *name = btf__name_by_offset(btf, type->name_off);

		if (btf_is_typedef(type) && name) {
			traits->is_event |= !strcmp(name, "lkst_event_id");
			traits->is_cgroup |= !strcmp(name, "lkst_cgroup_id");
		}
		type = btf__type_by_id(btf, type->type);
	}
	return type;
}

static bool is_int_size(u32 size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

/* Describes a type of @bytes bytes in @v; all but name, place and key. */
static void variables_describe(const struct btf *btf, u32 id, u32 bytes, struct lkst_variable *v)
{
	struct traits traits = {};
	const struct btf_type *type = variables_resolve(btf, id, &traits);
	const char *name = type ? btf__name_by_offset(btf, type->name_off) : NULL;

	v->kind = LKST_VARIABLE_BYTES;
	v->size = bytes;
	v->count = 1;
	v->is_signed = false;
	if (!type)
		return;
	if (btf_is_struct(type) && name && !strcmp(name, "lkst_histogram") &&
	    bytes == sizeof(struct lkst_histogram))
		v->kind = LKST_VARIABLE_HISTOGRAM;
	if (btf_is_array(type)) {
		v->count = btf_array(type)->nelems;
		type = variables_resolve(btf, btf_array(type)->type, &traits);
		if (!type)
			return;
	}
	if (!(btf_is_int(type) || btf_is_any_enum(type)) || !is_int_size(type->size) || !v->count ||
	    (u64)type->size * v->count != bytes)
		return;
	v->size = type->size;
	v->kind = LKST_VARIABLE_INT;
	v->is_signed = btf_is_int(type) && btf_int_encoding(type) & BTF_INT_SIGNED;
	name = btf__name_by_offset(btf, type->name_off);
	if (traits.is_event && v->size == sizeof(lkst_event_id) && v->count == 1)
		v->kind = LKST_VARIABLE_EVENT;
	else if (traits.is_cgroup && v->size == sizeof(lkst_cgroup_id) && v->count == 1)
		v->kind = LKST_VARIABLE_CGROUP;
	else if (btf_is_int(type) && btf_int_encoding(type) & BTF_INT_BOOL)
		v->kind = LKST_VARIABLE_BOOL;
	else if (v->size == 1 && v->count > 1 && name && !strcmp(name, "char"))
		v->kind = LKST_VARIABLE_TEXT;
}

/* ---- variables -------------------------------------------------------------------------------- */

typedef int each_fn(void *ctx, const struct lkst_variable *v);

static int open_map(struct lkst_err *e, int fd, struct bpf_map_info *info, struct btf **ret_btf)
{
	u32 length = sizeof(*info);

	if (bpf_obj_get_info_by_fd(fd, info, &length))
		return lkst_err_sys(e, -errno, "asking for a handler's map");
	*ret_btf = info->btf_id ? btf__load_from_kernel_by_id(info->btf_id) : NULL;
	return *ret_btf ? 0 : lkst_err_set(e, -EINVAL, "the kernel has no types of its variables");
}

static int each_of_section(struct lkst_err *e, const struct bpf_map_info *info,
			   const struct btf *btf, char *bytes, each_fn *each, void *ctx)
{
	const struct btf_type *section = btf__type_by_id(btf, info->btf_value_type_id);
	const struct btf_var_secinfo *var;
	int i, err = 0;

	if (!section || !btf_is_datasec(section))
		return lkst_err_set(e, -EINVAL, "the kernel has no types of its variables");
	var = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section) && !err; i++, var++) {
		const struct btf_type *type = btf__type_by_id(btf, var->type);
		struct lkst_variable v = {};

		if (!type || !btf_is_var(type) || var->offset > info->value_size ||
		    var->size > info->value_size - var->offset)
			continue;
		v.name = btf__name_by_offset(btf, type->name_off);
		v.bytes = bytes + var->offset;
		variables_describe(btf, type->type, var->size, &v);
		err = v.name ? each(ctx, &v) : 0;
	}
	return err;
}

/* The variables in the section that is pinned as @what, if there is one. */
static int each_of_pin(struct lkst_err *e, const struct lkst_own_pins *own, u8 number, const char *what,
		       each_fn *each, void *ctx)
{
	_cleanup_(lkst_btf_freep) struct btf *btf = NULL;
	char pin[LKST_HANDLER_PIN_MAX];
	struct bpf_map_info info = {};
	_cleanup_close_ int fd = -1;
	char *bytes;
	int err;

	lkst_handler_pin(number, what, pin);
	fd = lkst_pins_get(NULL, own, pin);
	if (fd < 0)
		return 0;
	err = open_map(e, fd, &info, &btf);
	if (err)
		return err;
	bytes = mmap(NULL, info.value_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (bytes == MAP_FAILED)
		return lkst_err_sys(e, -errno, "mapping the handler's variables");
	err = each_of_section(e, &info, btf, bytes, each, ctx);
	munmap(bytes, info.value_size);
	return err;
}

/* ---- maps ------------------------------------------------------------------------------------- */

s64 lkst_variable_int(const struct lkst_variable *v, u32 i)
{
	const char *at = (const char *)v->bytes + (size_t)i * v->size;

	switch (v->size) {
	case 1:
		return v->is_signed ? (s64) * (const s8 *)at : (s64) * (const u8 *)at;
	case 2:
		return v->is_signed ? (s64) * (const s16 *)at : (s64) * (const u16 *)at;
	case 4:
		return v->is_signed ? (s64) * (const s32 *)at : (s64) * (const u32 *)at;
	default:
		return *(const s64 *)at;
	}
}

static int each_element(struct lkst_err *e, int fd, const struct bpf_map_info *info,
			struct lkst_variable key, struct lkst_variable *v, each_fn *each, void *ctx)
{
	_cleanup_free_ char *value = malloc(info->value_size);
	u64 this = 0, next = 0; /* wide enough for every key that comes here */
	unsigned int nr = 0;
	int err;

	if (!value)
		return lkst_err_sys(e, -ENOMEM, "reading a handler's map");
	for (err = bpf_map_get_next_key(fd, NULL, &next); !err && nr < ELEMENTS_MAX;
	     err = bpf_map_get_next_key(fd, &this, &next), nr++) {
		int stop;

		this = next;
		if (bpf_map_lookup_elem(fd, &this, value))
			continue; /* gone meanwhile */
		key.bytes = &this;
		v->key = lkst_variable_int(&key, 0);
		v->bytes = value;
		stop = each(ctx, v);
		if (stop)
			return stop;
	}
	return 0;
}

struct variables_walk {
	u8 number;
	each_fn *each;
	void *ctx;
};

static int each_of_map(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *pin)
{
	const struct variables_walk *w = ctx;
	struct lkst_variable key = {}, v = { .has_key = true };
	_cleanup_(lkst_btf_freep) struct btf *btf = NULL;
	char prefix[LKST_HANDLER_PIN_MAX];
	struct bpf_map_info info = {};
	_cleanup_close_ int fd = -1;

	lkst_handler_pin(w->number, LKST_HANDLER_MAP, prefix);
	if (strncmp(pin, prefix, strlen(prefix)))
		return 0;
	fd = lkst_pins_get(e, own, pin);
	if (fd < 0)
		return fd;
	if (open_map(e, fd, &info, &btf) ||
	    (info.type != BPF_MAP_TYPE_HASH && info.type != BPF_MAP_TYPE_LRU_HASH &&
	     info.type != BPF_MAP_TYPE_ARRAY))
		return 0;
	variables_describe(btf, info.btf_key_type_id, info.key_size, &key);
	variables_describe(btf, info.btf_value_type_id, info.value_size, &v);
	v.is_key_event = key.kind == LKST_VARIABLE_EVENT;
	if ((key.kind != LKST_VARIABLE_INT && !v.is_key_event) || key.count != 1 ||
	    (v.kind != LKST_VARIABLE_HISTOGRAM && (v.kind != LKST_VARIABLE_INT || v.count != 1)))
		return 0;
	v.name = pin + strlen(prefix);
	return each_element(e, fd, &info, key, &v, w->each, w->ctx);
}

int lkst_variables_each(struct lkst_err *e, const struct lkst_session *s, u8 number, each_fn *each, void *ctx)
{
	struct lkst_own_pins *own = lkst_session_own_pins(s);
	struct variables_walk w = { number, each, ctx };

	return each_of_pin(e, own, number, LKST_HANDLER_DATA, each, ctx) ?:
	       each_of_pin(e, own, number, LKST_HANDLER_BSS, each, ctx) ?:
	       lkst_pins_each(e, own, each_of_map, &w);
}

/* ---- storing ---------------------------------------------------------------------------------- */

static void store_int(void *at, u32 size, u64 value)
{
	switch (size) {
	case 1:
		__atomic_store_n((u8 *)at, (u8)value, __ATOMIC_RELAXED);
		break;
	case 2:
		__atomic_store_n((u16 *)at, (u16)value, __ATOMIC_RELAXED);
		break;
	case 4:
		__atomic_store_n((u32 *)at, (u32)value, __ATOMIC_RELAXED);
		break;
	default:
		__atomic_store_n((u64 *)at, value, __ATOMIC_RELAXED);
	}
}

/* A number of @bits bits, decimal, or hexadecimal after "0x". */
static int parse_int(struct lkst_err *e, const struct lkst_variable *v, const char *text,
		     u64 *ret_value)
{
	const unsigned int bits = v->size * 8;
	char *end;

	errno = 0;
	if (v->is_signed) {
		s64 value = strtoll(text, &end, 0);

		if (bits < 64 && (value < -(1LL << (bits - 1)) || value >= 1LL << (bits - 1)))
			errno = ERANGE;
		*ret_value = value;
	} else {
		*ret_value = strtoull(text, &end, 0);
		if (strchr(text, '-') || (bits < 64 && *ret_value >> bits))
			errno = ERANGE;
	}
	if (!*text || *end)
		return lkst_err_set(e, -EINVAL, "%s takes a number, not \"%s\"", v->name, text);
	if (errno)
		return lkst_err_set(e, -ERANGE, "%s is too much for %s, %u bits %s", text, v->name,
				    bits, v->is_signed ? "signed" : "unsigned");
	return 0;
}

/* A cgroup's number is that of its directory, @path. */
static int find_cgroup(struct lkst_err *e, const char *path, u64 *ret_value)
{
	struct statfs fs;
	struct stat st;

	if (statfs(path, &fs) || stat(path, &st))
		return lkst_err_sys(e, -errno, "%s", path);
	if (fs.f_type != CGROUP2_SUPER_MAGIC)
		return lkst_err_set(
			e, -EINVAL,
			"%s is not a directory of a cgroup (version 2), as are those below "
			"/sys/fs/cgroup",
			path);
	*ret_value = st.st_ino;
	return 0;
}

int lkst_variable_store(struct lkst_err *e, const struct lkst_variable *v, const char *text,
			int event)
{
	u64 value = 0;
	size_t length = strlen(text);
	int err;

	if (v->kind == LKST_VARIABLE_TEXT) {
		if (length >= v->count)
			return lkst_err_set(e, -ERANGE, "%s has room for %u characters", v->name,
					    v->count - 1);
		memset(v->bytes, 0, v->count);
		memcpy(v->bytes, text, length);
		return 0;
	}
	if (v->kind == LKST_VARIABLE_HISTOGRAM && !strcmp(text, "0")) {
		memset(v->bytes, 0, v->size);
		return 0;
	}
	if (v->kind == LKST_VARIABLE_BYTES || v->kind == LKST_VARIABLE_HISTOGRAM || v->count != 1)
		return lkst_err_set(e, -EINVAL, "%s can't be set: it is neither a number nor a text",
				    v->name);
	if (v->kind == LKST_VARIABLE_EVENT && event >= 0) {
		store_int(v->bytes, v->size, event);
		return 0;
	}
	if (v->kind == LKST_VARIABLE_CGROUP && strchr(text, '/'))
		err = find_cgroup(e, text, &value);
	else
		err = parse_int(e, v, text, &value);
	if (err)
		return err;
	if (v->kind == LKST_VARIABLE_BOOL && value > 1)
		return lkst_err_set(e, -ERANGE, "%s takes 0 or 1", v->name);
	store_int(v->bytes, v->size, value);
	return 0;
}
