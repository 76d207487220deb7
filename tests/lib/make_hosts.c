/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/make_hosts.h"

#include "abi/syscalls.h"
#include "base/xxh64.h"
#include "hosts/recordings.h"

enum {
	LINE_MAX_BYTES = 4096,
	CALLS_ID = LKST_NR_EVENTS + 100, /* of the first system call's events */
};

/* The events of these are there as syscall_entry_<name> and syscall_exit_<name>. */
static const char *const calls[] = { "sendto", "recvfrom", "pread64" };

static void add_calls(struct lkst_catalog *c)
{
	struct lkst_err e;
	u16 id = CALLS_ID;
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++, id += 2) {
		const struct lkst_syscall *row = lkst_syscall_find(false, calls[i]);

		if (!row || lkst_catalog_add_syscall(&e, c, id, id + 1,
						     (unsigned int)(row - lkst_syscalls)))
			abort();
	}
}

/* @line with its time on the host's own clock. */
static void put_line(char *to, const char *line, size_t length, u64 boot_ns)
{
	const char *ns = memmem(line, length, " ns=", 4);
	char *end;
	u64 value;

	if (!ns) {
		sprintf(to, "%.*s", (int)length, line);
		return;
	}
	value = strtoull(ns + 4, &end, 10) + boot_ns;
	sprintf(to, "%.*s ns=%llu%.*s", (int)(ns - line), line, (unsigned long long)value,
		(int)(line + length - end), end);
}

void make_host(const char *dir, const char *name, s64 skew_ns, u64 boot_ns, const char *text)
{
	struct lkst_catalog *c = make_catalog_for(make_has_ends(text));
	const u64 number = lkst_xxh64(name, strlen(name));
	char path[256], line[LINE_MAX_BYTES];
	struct make_trace *t;
	int err = 0;

	add_calls(c);
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	snprintf(c->hostname, sizeof(c->hostname), "%s", name);
	memcpy(c->uuid, &number, sizeof(number));
	memcpy(c->boot_id, &number, sizeof(number));
	c->clock_offset_ns = (u64)(MAKE_HOSTS_DAY + skew_ns) - boot_ns;
	t = make_begin(path, c, 4096);
	while (*text && !err) {
		size_t length = strcspn(text, "\n");

		if (length >= sizeof(line) - 32)
			abort();
		put_line(line, text, length, boot_ns);
		text += length + (text[length] == '\n');
		err = make_line(t, line);
	}
	if (err)
		fprintf(stderr, "make_host: %s\n", t->err.text);
	if (make_end(t) || err)
		abort();
}

int make_hosts_open(struct lkst_err *e, const char *dir, const char *const *names,
		    struct lkst_reading *ret_reading)
{
	_cleanup_(lkst_recording_list_fini) struct lkst_recording_list r = {};
	char paths[8][256], *list[8];
	unsigned int nr;

	for (nr = 0; names[nr]; nr++) {
		snprintf(paths[nr], sizeof(paths[nr]), "%s/%s", dir, names[nr]);
		list[nr] = paths[nr];
	}
	return lkst_recording_list_find(e, list, nr, &r) ?: lkst_reading_open(e, &r, ret_reading);
}
