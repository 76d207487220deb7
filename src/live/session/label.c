/* SPDX-License-Identifier: GPL-2.0-only */
/* The label of a pinned recording. */
#include "live/session/label.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "abi/types.h"
#include "base/cleanup.h"
#include "base/out.h"
#include "live/hooks/pins.h"

static const char pin[] = "label";

int lkst_label_check(struct lkst_err *e, const char *label)
{
	const size_t length = strlen(label);
	char escaped[4 * LKST_LABEL_MAX];

	if (!length || length >= LKST_LABEL_MAX)
		return lkst_err_set(e, -EINVAL, "a label has 1 to %d bytes", LKST_LABEL_MAX - 1);
	if (lkst_put_escaped(escaped, label, length, NULL) != escaped + length || memcmp(escaped, label, length))
		return lkst_err_set(e, -EINVAL, "a label has no control characters, and is UTF-8");
	return 0;
}

int lkst_label_pin(struct lkst_err *e, const char *label)
{
	_cleanup_close_ int fd = -1;
	char value[LKST_LABEL_MAX] = "";
	const u32 first = 0;

	if (!label)
		return 0;
	memcpy(value, label, strnlen(label, LKST_LABEL_MAX - 1));
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lkst_label", sizeof(first), sizeof(value), 1, NULL);
	if (fd < 0 || bpf_map_update_elem(fd, &first, value, BPF_ANY))
		return lkst_err_sys(e, -errno, "keeping the label");
	return lkst_pins_put(e, NULL, fd, pin);
}

int lkst_label_read(struct lkst_err *e, char ret_label[LKST_LABEL_MAX])
{
	_cleanup_close_ int fd = lkst_pins_get(NULL, NULL, pin);
	struct bpf_map_info info = {};
	u32 length = sizeof(info);
	const u32 first = 0;

	*ret_label = 0;
	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return lkst_err_sys(e, fd, "opening the label");
	if (bpf_obj_get_info_by_fd(fd, &info, &length))
		return lkst_err_sys(e, -errno, "reading the label");
	if (info.value_size != LKST_LABEL_MAX)
		return lkst_err_set(e, -EPROTO, "the recording was started by another version of lkst");
	if (bpf_map_lookup_elem(fd, &first, ret_label))
		return lkst_err_sys(e, -errno, "reading the label");
	ret_label[LKST_LABEL_MAX - 1] = 0;
	return 0;
}
