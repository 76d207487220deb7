/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the journal has of the time of a trace. libsystemd is loaded when it is needed: most commands do not, and a
 * machine without systemd does without.
 */
#include "bundle/journal.h"

#include "bundle/bundle_text.h"

#ifndef LKST_NO_JOURNAL

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <systemd/sd-journal.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "base/vec.h"

#define LIBRARY "libsystemd.so.0"

enum {
	NS_PER_US = 1000,
	WHO_MAX = 128,
	REQUEST_MAX = 128, /* bytes of the number of a request, with its NUL */
};

/* What is used of it. */
#define FUNCTIONS(F)                                                                               \
	F(open)                                                                                    \
	F(open_directory)                                                                          \
	F(close)                                                                                   \
	F(set_data_threshold)                                                                      \
	F(seek_realtime_usec)                                                                      \
	F(previous)                                                                                \
	F(get_realtime_usec)                                                                       \
	F(get_data)                                                                                \
	F(has_runtime_files)                                                                       \
	F(has_persistent_files)

struct library {
	void *handle; /* NULL: it is not loaded */
#define F(name) __typeof__(sd_journal_##name) *name;
	FUNCTIONS(F)
#undef F
};

static bool journal_load(struct library *l)
{
	bool is_whole = true;

	l->handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!l->handle)
		return false;
#define F(name)                                                                                    \
	l->name = (__typeof__(l->name))dlsym(l->handle, "sd_journal_" #name);                      \
	is_whole = is_whole && l->name;
	FUNCTIONS(F)
#undef F
	return is_whole;
}

static void unload(struct library *l)
{
	if (l->handle)
		dlclose(l->handle);
}

/* The lines, the newest first, each malloc'ed. */
struct lines {
	char **list;
	size_t *lengths;
	u32 nr, nr_lengths;
	size_t bytes;
};

static void lines_fini(struct lines *l)
{
	u32 i;

	for (i = 0; i < l->nr; i++)
		free(l->list[i]);
	free(l->list);
	free(l->lengths);
}

/* The value of a field of the entry: what follows "NAME=". */
static const char *journal_value_of(const struct library *l, sd_journal *j, const char *name,
				    size_t *ret_length)
{
	const size_t skip = strlen(name) + 1;
	const void *data;
	size_t length;

	if (l->get_data(j, name, &data, &length) < 0 || length < skip) {
		*ret_length = 0;
		return "";
	}
	*ret_length = length - skip;
	return (const char *)data + skip;
}

static void journal_put_field(const struct library *l, sd_journal *j, FILE *to, const char *name,
			      size_t max)
{
	size_t length;
	const char *value = journal_value_of(l, j, name, &length);

	lkst_bundle_put(to, value, length < max ? length : max, false);
}

/* The number of the entry's request, where it has that as a field. */
static const char *journal_request_of(const struct library *l, sd_journal *j, size_t *ret_length)
{
	const char *value = journal_value_of(l, j, "TRACE_ID", ret_length);

	return *ret_length ? value : journal_value_of(l, j, "OTEL_TRACE_ID", ret_length);
}

/* Where @length bytes have @text, in upper or lower case; NULL: nowhere. */
static const char *find_text(const char *bytes, size_t length, const char *text, size_t text_length)
{
	for (; length >= text_length; bytes++, length--)
		if (!strncasecmp(bytes, text, text_length))
			return bytes;
	return NULL;
}

static bool has_text(const struct library *l, sd_journal *j, const char *text)
{
	size_t length;
	const char *value = journal_value_of(l, j, "MESSAGE", &length);

	if (find_text(value, length, text, strlen(text)))
		return true;
	value = journal_request_of(l, j, &length);
	return find_text(value, length, text, strlen(text));
}

/* The number follows the message, as "TRACE_ID=NUMBER", if that does not have it. */
static void journal_put_request(const struct library *l, sd_journal *j, FILE *to)
{
	char request[REQUEST_MAX];
	const char *value;
	size_t length;

	value = journal_request_of(l, j, &length);
	if (!length || length >= sizeof(request))
		return;
	/* The next field takes the place of this one. */
	memcpy(request, value, length);
	request[length] = 0;
	value = journal_value_of(l, j, "MESSAGE", &length);
	if (find_text(value, length, request, strlen(request)))
		return;
	fputs(" TRACE_ID=", to);
	lkst_bundle_put(to, request, strlen(request), true);
}

static void put_entry(const struct library *l, sd_journal *j, FILE *to, u64 ns)
{
	struct lkst_time_text text;
	char time[LKST_TIME_ROOM];
	size_t length;

	lkst_time_text_init(&text, LKST_TIME_UTC, 0);
	*lkst_put_time(time, &text, ns, 6) = 0;
	fputs(time, to);
	fputc('\t', to);
	journal_put_field(l, j, to, "PRIORITY", 1);
	fputc('\t', to);
	journal_value_of(l, j, "SYSLOG_IDENTIFIER", &length);
	journal_put_field(l, j, to, length ? "SYSLOG_IDENTIFIER" : "_COMM", WHO_MAX);
	journal_value_of(l, j, "_PID", &length);
	if (length) {
		fputc('[', to);
		journal_put_field(l, j, to, "_PID", 10);
		fputc(']', to);
	}
	fputc('\t', to);
	journal_put_field(l, j, to, "MESSAGE", LKST_BUNDLE_JOURNAL_MESSAGE);
	journal_put_request(l, j, to);
	fputc('\n', to);
}

static int journal_add_line(struct lkst_err *e, const struct library *l, sd_journal *j, u64 ns,
			    struct lines *lines)
{
	struct lkst_bundle_text text;
	struct lkst_bundle_lines line;
	size_t *length;
	char **slot;
	int err = lkst_bundle_lines_begin(e, &line);

	if (err)
		return err;
	put_entry(l, j, line.to, ns);
	err = lkst_bundle_lines_end(e, &line, 0, &text);
	if (err)
		return err;
	length = lkst_vec_add(lines->lengths, lines->nr_lengths);
	slot = length ? lkst_vec_add(lines->list, lines->nr) : NULL;
	if (!slot) {
		free(text.bytes);
		return lkst_err_sys(e, -ENOMEM, "reading the journal");
	}
	*slot = text.bytes;
	*length = text.length;
	lines->bytes += text.length;
	return 0;
}

/* From the newest on, since there may be too many. @ret_more: there are older ones that are left out. */
static int journal_collect(struct lkst_err *e, const struct library *l, sd_journal *j,
			   const struct lkst_bundle_journal *journal, struct lines *lines, bool *ret_more)
{
	u32 looks;
	u64 us;
	int err = 0;

	*ret_more = false;
	if (l->seek_realtime_usec(j, journal->to_ns / NS_PER_US + 1) < 0)
		return 0;
	for (looks = 0; !err && l->previous(j) > 0; looks++) {
		const bool is_dated = l->get_realtime_usec(j, &us) >= 0;

		if (is_dated && us < journal->from_ns / NS_PER_US)
			return 0;
		*ret_more = looks == LKST_BUNDLE_JOURNAL_LOOKS ||
			    lines->nr == LKST_BUNDLE_JOURNAL_LINES ||
			    lines->bytes > LKST_BUNDLE_JOURNAL_BYTES;
		if (*ret_more)
			return 0;
		if (is_dated && us <= journal->to_ns / NS_PER_US &&
		    (!journal->having || has_text(l, j, journal->having)))
			err = journal_add_line(e, l, j, us * NS_PER_US, lines);
	}
	return err;
}

static int journal_tell(struct lkst_err *e, const struct library *l, sd_journal *j,
			const struct lkst_bundle_journal *journal, FILE *to)
{
	_cleanup_(lines_fini) struct lines lines = {};
	bool more;
	u32 i;
	int err = journal_collect(e, l, j, journal, &lines, &more);

	if (err)
		return err;
	if (more)
		fprintf(to, "# the newest %u lines; older ones are left out: there are too many\n",
			lines.nr);
	if (!lines.nr)
		fprintf(to, "# the journal has no line of this time, or none that may be read\n");
	for (i = lines.nr; i-- > 0;)
		fwrite(lines.list[i], 1, lines.lengths[i], to);
	return 0;
}

static int open_journal(const struct library *l, const char *directory, sd_journal **ret_journal)
{
	return directory ? l->open_directory(ret_journal, directory, 0)
			 : l->open(ret_journal, SD_JOURNAL_LOCAL_ONLY);
}

static int bundle_journal_tell_journal(struct lkst_err *e, const struct library *l,
				       const struct lkst_bundle_journal *journal, FILE *to)
{
	sd_journal *j = NULL;
	int err = open_journal(l, journal->directory, &j);

	if (err < 0) {
		fprintf(to, "# the journal cannot be opened: %s\n", strerror(-err));
		return 0;
	}
	l->set_data_threshold(j, LKST_BUNDLE_JOURNAL_MESSAGE + WHO_MAX);
	if (!journal->directory && l->has_runtime_files(j) <= 0 &&
	    l->has_persistent_files(j) <= 0) {
		fprintf(to, "# this machine has no journal, or none that may be read\n");
		err = 0;
	} else {
		err = journal_tell(e, l, j, journal, to);
	}
	l->close(j);
	return err;
}

int lkst_bundle_tell_journal(struct lkst_err *e, const struct lkst_bundle_journal *journal,
			     struct lkst_bundle_text *ret_text)
{
	_cleanup_(unload) struct library l = {};
	struct lkst_bundle_lines lines;
	int err = lkst_bundle_lines_begin(e, &lines);

	if (err)
		return err;
	if (journal_load(&l))
		err = bundle_journal_tell_journal(e, &l, journal, lines.to);
	else
		fprintf(lines.to,
			"# the journal is read with " LIBRARY ", and that cannot be loaded\n");
	return lkst_bundle_lines_end(e, &lines, err, ret_text);
}

#else

int lkst_bundle_tell_journal(struct lkst_err *e, const struct lkst_bundle_journal *journal,
			     struct lkst_bundle_text *ret_text)
{
	struct lkst_bundle_lines lines;
	int err = lkst_bundle_lines_begin(e, &lines);

	if (err)
		return err;
	fprintf(lines.to,
		"# this program was built without libsystemd, and does not read journals\n");
	return lkst_bundle_lines_end(e, &lines, 0, ret_text);
}

#endif
