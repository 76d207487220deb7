/* SPDX-License-Identifier: GPL-2.0-only */
/* The object of a loaded handler: the only element of a pinned map. */
#include "live/programs/handler_object.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "live/programs/handler_pins.h"

#define OBJECT_PIN "object"

enum { OBJECT_MAX = 4 << 20 };

/* What is kept. */
struct handler_object_kept {
	u32 has_names;
	char bytes[];
};

static int handler_object_put(struct lkst_err *e, struct lkst_own_pins *own, u8 number, const char *text, size_t length,
			      bool has_names)
{
	const size_t size = sizeof(struct handler_object_kept) + length;
	_cleanup_free_ struct handler_object_kept *kept = calloc(1, size);
	_cleanup_close_ int fd =
		bpf_map_create(BPF_MAP_TYPE_ARRAY, "lkst_object", sizeof(u32), (u32)size, 1, NULL);
	u32 zero = 0;

	if (!kept)
		return lkst_err_sys(e, -ENOMEM, "keeping the handler's object");
	kept->has_names = has_names;
	memcpy(kept->bytes, text, length);
	if (fd < 0 || bpf_map_update_elem(fd, &zero, kept, BPF_ANY))
		return lkst_err_sys(e, -errno, "keeping the handler's object");
	return lkst_handler_put_pin(e, own, number, OBJECT_PIN, fd);
}

int lkst_handler_object_keep(struct lkst_err *e, struct lkst_own_pins *own, u8 number, const char *file,
			     bool has_names)
{
	_cleanup_free_ char *text = NULL;
	size_t length;
	int err = lkst_read_file(e, AT_FDCWD, file, OBJECT_MAX, &text, &length);

	if (err == -EFBIG || err == -E2BIG)
		return 0;
	return err ?: handler_object_put(e, own, number, text, length, has_names);
}

/* All that the map has; the caller frees it. */
static int handler_object_get(struct lkst_err *e, const struct lkst_own_pins *own, u8 number,
			      struct handler_object_kept **ret_kept, size_t *ret_length)
{
	_cleanup_close_ int fd = lkst_handler_open_pin(NULL, own, number, OBJECT_PIN);
	_cleanup_free_ struct handler_object_kept *kept = NULL;
	struct bpf_map_info info = {};
	u32 length = sizeof(info), zero = 0;

	if (fd < 0)
		return lkst_err_set(e, -ENOENT, "the recording has not kept the handler's object");
	if (bpf_obj_get_info_by_fd(fd, &info, &length) || info.value_size < sizeof(*kept))
		return lkst_err_sys(e, -EINVAL, "reading the handler's object");
	kept = calloc(1, info.value_size);
	if (!kept || bpf_map_lookup_elem(fd, &zero, kept))
		return lkst_err_sys(e, -errno, "reading the handler's object");
	*ret_length = info.value_size - sizeof(*kept);
	*ret_kept = lkst_take(kept);
	return 0;
}

int lkst_handler_object_open(struct lkst_err *e, const struct lkst_own_pins *own, u8 number,
			     struct lkst_handler_object *ret)
{
	_cleanup_free_ struct handler_object_kept *kept = NULL;
	_cleanup_close_ int fd = -1;
	size_t length = 0;
	int err = handler_object_get(e, own, number, &kept, &length);

	if (err)
		return err;
	fd = memfd_create("lkst-handler", MFD_CLOEXEC);
	if (fd < 0 || write(fd, kept->bytes, length) != (ssize_t)length)
		return lkst_err_sys(e, -errno, "reading the handler's object");
	ret->has_names = kept->has_names;
	ret->fd = lkst_take_fd(fd);
	snprintf(ret->path, sizeof(ret->path), "/proc/self/fd/%d", ret->fd);
	return 0;
}
