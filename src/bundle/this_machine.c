/* SPDX-License-Identifier: GPL-2.0-only */
/* What a bundle says of the machine and its kernel. */
#include "bundle/this_machine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "bundle/bundle_text.h"

enum {
	FILE_MAX = 8 << 20,
	LINE_MAX_BYTES = 4096, /* of a value */
};

/* Keys under which the kernel's file has "name : value" or "name=value", and how the bundle calls them. */
struct this_machine_row {
	const char *file, *name, *key;
};

static const struct this_machine_row rows[] = {
	{ "/etc/os-release", "PRETTY_NAME", "distribution" },
	{ "/proc/cpuinfo", "model name", "cpu-model" },
	{ "/proc/meminfo", "MemTotal", "memory" },
	{ "/proc/meminfo", "MemAvailable", "memory-available" },
	{ "/proc/meminfo", "SwapTotal", "swap" },
	{ "/proc/meminfo", "SwapFree", "swap-free" },
};

/* Files of one line. */
static const struct this_machine_row files[] = {
	{ "/proc/sys/kernel/random/boot_id", NULL, "boot-id" },
	{ "/proc/cmdline", NULL, "cmdline" },
	{ "/proc/sys/kernel/tainted", NULL, "tainted" },
	{ "/sys/devices/system/cpu/online", NULL, "cpus-online" },
	{ "/proc/loadavg", NULL, "load" },
	{ "/proc/uptime", NULL, "uptime-and-idle-seconds" },
};

/* Writes @length bytes without what is blank or a quote around them. */
static void put_trimmed(FILE *to, const char *key, const char *value, size_t length)
{
	static const char around[] = " \t\r\"";

	while (length && strchr(around, value[0])) {
		value++;
		length--;
	}
	while (length && strchr(around, value[length - 1]))
		length--;
	if (!length)
		return;
	fprintf(to, "%s: ", key);
	lkst_bundle_put(to, value, length < LINE_MAX_BYTES ? length : LINE_MAX_BYTES, false);
	fputc('\n', to);
}

/* The value in the first line of @text that begins with @name, followed by a separator. */
static void this_machine_put_named(FILE *to, const char *text, const struct this_machine_row *row)
{
	const size_t length = strlen(row->name);
	const char *line = text, *end, *value;

	for (; *line; line = *end ? end + 1 : end) {
		end = strchrnul(line, '\n');
		if (strncmp(line, row->name, length))
			continue;
		value = line + length + strspn(line + length, " \t");
		if (value < end && (*value == ':' || *value == '=')) {
			put_trimmed(to, row->key, value + 1, (size_t)(end - value - 1));
			return;
		}
	}
}

static void this_machine_put_file(FILE *to, const struct this_machine_row *row)
{
	_cleanup_free_ char *text = NULL;
	size_t length;

	if (lkst_read_file(NULL, AT_FDCWD, row->file, FILE_MAX, &text, &length))
		return;
	if (row->name)
		this_machine_put_named(to, text, row);
	else
		put_trimmed(to, row->key, text, strcspn(text, "\n"));
}

int lkst_bundle_tell_machine(struct lkst_err *e, struct lkst_bundle_text *ret_text)
{
	struct lkst_bundle_lines l;
	struct utsname u;
	unsigned int i;
	int err = lkst_bundle_lines_begin(e, &l);

	if (err)
		return err;
	if (!uname(&u)) {
		lkst_bundle_put_value(l.to, "host", u.nodename);
		lkst_bundle_put_value(l.to, "system", u.sysname);
		lkst_bundle_put_value(l.to, "release", u.release);
		lkst_bundle_put_value(l.to, "version", u.version);
		lkst_bundle_put_value(l.to, "architecture", u.machine);
	}
	fprintf(l.to, "cpus: %ld of %ld\n", sysconf(_SC_NPROCESSORS_ONLN),
		sysconf(_SC_NPROCESSORS_CONF));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		this_machine_put_file(l.to, &rows[i]);
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		this_machine_put_file(l.to, &files[i]);
	return lkst_bundle_lines_end(e, &l, 0, ret_text);
}
