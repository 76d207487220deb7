/* SPDX-License-Identifier: GPL-2.0-only */
/* Where an injection is. */
#include "live/inject/injection_place.h"

#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/kernel/kernel_types.h"
#include "live/kernel/tracefs.h"
#include "probe/debuginfo/function_range.h"
#include "probe/debuginfo/image_open.h"
#include "probe/debuginfo/kallsyms.h"
#include "probe/text/error_kind.h"

#define LIST "error_injection/list" /* in debugfs: lib/error-inject.c */
#define SECURITY "security_"

/* System calls, by their architecture's names. */
#ifdef __aarch64__
#define SYSTEM_CALL "__arm64_sys_"
#else
#define SYSTEM_CALL "__x64_sys_"
#endif

enum { LINE_ROOM = 1024 };

/* ---- what the kernel allows ------------------------------------------------------------------- */

/* The kernel's list of functions that may be made to fail; NULL: it has none. */
static FILE *open_list(void)
{
	_cleanup_close_ int debugfs = lkst_debugfs_open(NULL);
	int fd = debugfs < 0 ? -1 : openat(debugfs, LIST, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

/* What the list says of @function. */
static enum lkst_error_kind find_listed(FILE *list, const char *function)
{
	enum lkst_error_kind kind = LKST_ERROR_NONE;
	char line[LINE_ROOM];

	rewind(list);
	while (kind == LKST_ERROR_NONE && fgets(line, sizeof(line), list))
		kind = lkst_error_list_read(line, function);
	return kind;
}

/* Hooks whose result is an answer, and no error. */
static bool is_answer(const char *function)
{
	static const char *const names[] = { "inode_xattr_skipcap", "audit_rule_known",
					     "audit_rule_match", "ismaclabel",
					     "xfrm_state_pol_flow_match" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(function + strlen(SECURITY), names[i]))
			return true;
	return false;
}

/* Whether the function returns an int, as all hooks do whose result is an error. */
static bool returns_int(const struct btf *btf, int type_id)
{
	const struct btf_type *t = btf__type_by_id(btf, (u32)type_id);

	t = t ? btf__type_by_id(btf, t->type) : NULL;
	t = t ? btf__type_by_id(btf, t->type) : NULL;
	return t && btf_is_int(t) && t->size == sizeof(int) && btf_int_encoding(t) & BTF_INT_SIGNED;
}

/* Finds out whether @name may be made to fail, and by which id its type is known. */
static enum lkst_error_kind look_up(const struct btf *btf, FILE *list, const char *name,
				    int *ret_type_id)
{
	enum lkst_error_kind kind = list ? find_listed(list, name) : LKST_ERROR_NONE;

	*ret_type_id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
	if (kind == LKST_ERROR_NONE && *ret_type_id > 0 &&
	    !strncmp(name, SECURITY, strlen(SECURITY)) && !is_answer(name) &&
	    returns_int(btf, *ret_type_id))
		kind = LKST_ERROR_SECURITY;
	return kind;
}

static int refuse_function(struct lkst_err *e, const struct lkst_injection *injection,
			   bool is_there, bool has_list)
{
	const char *name = injection->function;

	if (!is_there)
		return lkst_injection_refuse(e, -ENOENT, injection, 0,
					     "the kernel has no function %s, nor a system call",
					     name);
	if (!has_list)
		return lkst_injection_refuse(
			e, -EPERM, injection, 0,
			"this kernel was built without a list of functions that may be made to fail "
			"(CONFIG_FUNCTION_ERROR_INJECTION); the hooks of security modules can be, "
			"security_file_open, security_inode_mkdir ..., and functions of programs "
			"(--exec)");
	return lkst_injection_refuse(
		e, -EPERM, injection, 0,
		"the kernel lets nobody make %s fail; /sys/kernel/debug/" LIST
		" has the functions that may, and the hooks of security modules, security_*, may too",
		name);
}

/* ---- addresses of the kernel ------------------------------------------------------------------ */

/* Where function @name begins, and where the next symbol of code does. -EADDRNOTAVAIL: several have that name. */
static int find_range(const char *name, u64 *ret_begin, u64 *ret_end)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/kallsyms", "re");
	struct lkst_kallsyms_symbol s;
	char line[LINE_ROOM];
	const char *at;
	u32 nr = 0;

	while (f && fgets(line, sizeof(line), f)) {
		at = line;
		if (lkst_kallsyms_next(&at, &s) && lkst_kallsyms_is_text(&s) &&
		    lkst_kallsyms_is(&s, name)) {
			*ret_begin = s.address;
			nr++;
		}
	}
	if (nr != 1)
		return nr ? -EADDRNOTAVAIL : -ENOENT;
	*ret_end = UINT64_MAX;
	rewind(f);
	while (fgets(line, sizeof(line), f)) {
		at = line;
		if (lkst_kallsyms_next(&at, &s) && lkst_kallsyms_is_text(&s) &&
		    s.address > *ret_begin && s.address < *ret_end)
			*ret_end = s.address;
	}
	return 0;
}

static int find_caller(struct lkst_err *e, const struct lkst_injection *injection,
		       struct lkst_injection_place *place)
{
	int err;

	if (injection->caller_is == LKST_CALLER_ANY)
		return 0;
	if (!strncmp(place->function, SYSTEM_CALL, strlen(SYSTEM_CALL)))
		return lkst_injection_refuse(
			e, -EINVAL, injection, injection->caller_at,
			"a system call is called by a program; pid and comm say by which");
	err = find_range(injection->caller, &place->caller_begin, &place->caller_end);
	if (err)
		return lkst_injection_refuse(e, err, injection, injection->caller_at,
					     err == -ENOENT ? "the kernel has no function %s"
							    : "several functions are called %s",
					     injection->caller);
	return 0;
}

static int find_in_kernel(struct lkst_err *e, const struct lkst_injection *injection,
			  struct lkst_injection_place *place)
{
	_cleanup_(lkst_btf_freep) struct btf *btf = btf__load_vmlinux_btf();
	_cleanup_fclose_ FILE *list = open_list();
	enum lkst_error_kind kind;
	bool is_there;
	int err;

	if (!btf)
		return lkst_err_sys(e, -errno, "reading the kernel's types");
	snprintf(place->function, sizeof(place->function), "%s", injection->function);
	kind = look_up(btf, list, place->function, &place->type_id);
	is_there = place->type_id > 0;
	if (kind == LKST_ERROR_NONE &&
	    snprintf(place->function, sizeof(place->function), SYSTEM_CALL "%s",
		     injection->function) < (int)sizeof(place->function)) {
		kind = look_up(btf, list, place->function, &place->type_id);
		is_there |= place->type_id > 0;
	}
	if (kind == LKST_ERROR_NONE)
		return refuse_function(e, injection, is_there, list != NULL);
	if (kind == LKST_ERROR_MODULE || place->type_id <= 0)
		return lkst_injection_refuse(e, -ENOTSUP, injection, 0,
					     "the types of %s are not the kernel's own: it is in a "
					     "module, or too small",
					     place->function);
	err = lkst_error_kind_check(e, injection, kind);
	if (err)
		return err;
	err = find_range(place->function, &place->begin, &place->end);
	if (err)
		return lkst_injection_refuse(e, err, injection, 0,
					     err == -ENOENT ? "the address of %s is not known"
							    : "several functions are called %s",
					     place->function);
	return find_caller(e, injection, place);
}

/* ---- programs --------------------------------------------------------------------------------- */

static int find_in_program(struct lkst_err *e, const struct lkst_injection *injection,
			   const char *program, struct lkst_injection_place *place)
{
	const struct lkst_image_options options = { .program = program };
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	struct lkst_function_range function, caller;
	struct lkst_err why = {};
	int err;

	if (!realpath(program, place->program))
		return lkst_err_sys(e, -errno, "%s", program);
	err = lkst_image_open(e, &options, &image);
	if (err)
		return err;
	err = lkst_image_function_range(&why, image, injection->function, &function);
	if (err)
		return lkst_injection_refuse(e, err, injection, 0, "%s", why.text);
	snprintf(place->function, sizeof(place->function), "%s", injection->function);
	place->offset = function.offset;
	if (injection->caller_is == LKST_CALLER_ANY)
		return 0;
	if (injection->caller_is == LKST_CALLER_UNDER)
		return lkst_injection_refuse(
			e, -ENOTSUP, injection, injection->caller_at,
			"the stacks of programs are not looked at: say \"from\", the direct caller");
	err = lkst_image_function_range(&why, image, injection->caller, &caller);
	if (!err && !caller.size)
		err = lkst_err_set(&why, -ENODATA, "%s does not say how long %s is", program,
				   injection->caller);
	if (err)
		return lkst_injection_refuse(e, err, injection, injection->caller_at, "%s",
					     why.text);
	place->caller_begin = caller.address - function.address;
	place->caller_end = place->caller_begin + caller.size;
	return 0;
}

int lkst_injection_find(struct lkst_err *e, const struct lkst_injection *injection,
			const char *program, struct lkst_injection_place *ret_place)
{
	*ret_place = (struct lkst_injection_place){};
	return program ? find_in_program(e, injection, program, ret_place)
		       : find_in_kernel(e, injection, ret_place);
}
