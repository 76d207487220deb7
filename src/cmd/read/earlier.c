/* SPDX-License-Identifier: GPL-2.0-only */
/* What an earlier boot of this machine has left in its memory. */
#include "cmd/read/earlier.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "cmd/recorders/recording.h"
#include "crash/cmdline.h"

enum { CMDLINE_MAX = 1 << 16 };

int lkst_earlier_explain(struct lkst_err *e, int err, const char *path)
{
	if (strcmp(path, LKST_KCORE) != 0)
		return err;
	if (err == -ENOENT)
		return lkst_err_set(e, err,
				    "%s is not there: this kernel was built without "
				    "CONFIG_PROC_KCORE, and memory cannot be read otherwise",
				    path);
	if (err == -EPERM)
		return lkst_err_set(e, err,
				    "%s cannot be read: the kernel is locked down "
				    "(lockdown=confidentiality), or CAP_SYS_RAWIO is missing",
				    path);
	if (err == -EACCES)
		return lkst_err_set(e, err, "%s cannot be read: only root may", path);
	return err;
}

/* This kernel's command line; NULL: it cannot be read. The caller frees it. */
static char *read_cmdline(void)
{
	struct lkst_err ignored;
	size_t length;
	char *line;

	return lkst_read_file(&ignored, AT_FDCWD, "/proc/cmdline", CMDLINE_MAX, &line, &length)
		       ? NULL
		       : line;
}

const char *lkst_earlier_doubt(void)
{
	_cleanup_free_ char *line = read_cmdline();

	return line && lkst_cmdline_is_off(line, "init_on_alloc")
		       ? "this kernel was started with init_on_alloc=0: of a page that is in use again a "
			 "part may be left, and records in it may be wrong"
		       : NULL;
}

static bool has_readable(const struct lkst_recordings *r)
{
	unsigned int i;

	for (i = 0; i < r->nr; i++)
		if (r->items[i].catalog)
			return true;
	return false;
}

int lkst_earlier_take(struct lkst_err *e, const struct lkst_hits *hits, bool has_catalog,
		      struct lkst_recordings *r)
{
	static const u8 unknown[16];
	_cleanup_free_ char *line = read_cmdline();
	const char *eraser = line ? lkst_cmdline_eraser(line) : NULL;
	u8 boot_id[16];

	lkst_recording_boot_id(boot_id);
	if (!memcmp(boot_id, unknown, sizeof(unknown)))
		return lkst_err_set(e, -ENOENT,
				    "this boot cannot be told from an earlier one: "
				    "/proc/sys/kernel/random/boot_id cannot be read");
	lkst_recordings_drop_boot(r, boot_id);
	if (has_readable(r) || (r->nr && has_catalog))
		return 0;
	/* What this boot recorded and stopped looks the same once its metadata is overwritten. */
	if (r->nr)
		return lkst_err_set(e, -ENOENT,
				    "none of the %" PRIu64
				    " pages is of an earlier boot's recording that can be read: "
				    "of %u recordings the metadata is lost, and with it the boot "
				    "that they are of (--catalog names a trace of the same one)",
				    hits->nr_pages, r->nr);
	if (eraser)
		return lkst_err_set(
			e, -ENOENT,
			"memory holds nothing that an earlier boot recorded: this kernel "
			"was started with %s and clears it",
			eraser);
	if (hits->nr_skipped)
		return lkst_err_set(e, -ENOENT,
				    "none of %" PRIu64
				    " pages is of an earlier boot's recording, and "
				    "%" PRIu64 " more were not looked at in time (--within)",
				    hits->nr_pages, hits->nr_skipped);
	return lkst_err_set(
		e, -ENOENT,
		"none of the %" PRIu64 " pages is of an earlier boot's recording: none "
		"was made, or the firmware or what was started since has overwritten it",
		hits->nr_pages);
}
