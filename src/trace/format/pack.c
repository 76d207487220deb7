/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace in one file: tar archives, POSIX.1-1988 ("ustar"), with sizes of 8 GiB and more in the form
 * that GNU tar and others have for them.
 */
#include "trace/format/pack.h"

#include <stdbool.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/io.h"
#include "base/vec.h"
#include "trace/format/stream_name.h"

enum {
	UNIT = 512, /* headers and files begin at multiples of it */
	COPY_BYTES = 1 << 20,
};

/* POSIX.1-1988, section 10.1.1. Numbers are octal digits. */
struct header {
	char name[100];
	char mode[8], uid[8], gid[8];
	char size[12], mtime[12];
	char sum[8];
	char type;
	char link[100];
	char magic[6], version[2];
	char user[32], group[32];
	char major[8], minor[8];
	char prefix[155];
	char pad[12];
};
_Static_assert(sizeof(struct header) == UNIT, "a header is a unit");

static const char magic[] = "ustar", inner_dir[] = "trace/";

/* The sum of the header's bytes, its own field counted as blanks. */
static unsigned int pack_sum_of(const struct header *h)
{
	const u8 *bytes = (const u8 *)h;
	unsigned int sum = 0, i;

	for (i = 0; i < sizeof(*h); i++)
		sum += i >= offsetof(struct header, sum) &&
				       i < offsetof(struct header, sum) + sizeof(h->sum)
			       ? ' '
			       : bytes[i];
	return sum;
}

/* ---- reading ---------------------------------------------------------------------------------- */

/* @size octal digits, or from the second byte on a binary number if the first one's top bit is set. */
static bool pack_parse_number(const char *digits, size_t size, u64 *ret_value)
{
	u64 value = 0;
	size_t i = 0;

	if (digits[0] & 0x80) {
		if (digits[0] != (char)0x80)
			return false;
		for (i = 1; i < size; i++) {
			if (value >> 56)
				return false;
			value = value << 8 | (u8)digits[i];
		}
		*ret_value = value;
		return true;
	}
	while (i < size && digits[i] == ' ')
		i++;
	for (; i < size && digits[i] >= '0' && digits[i] <= '7'; i++)
		value = value << 3 | (u64)(digits[i] - '0');
	*ret_value = value;
	return i == size || !digits[i] || digits[i] == ' ';
}

static bool is_header(const struct header *h, u64 *ret_size)
{
	u64 sum;

	return !memcmp(h->magic, magic, sizeof(magic) - 1) &&
	       pack_parse_number(h->sum, sizeof(h->sum), &sum) && sum == pack_sum_of(h) &&
	       pack_parse_number(h->size, sizeof(h->size), ret_size);
}

static int add_entry(struct lkst_err *e, struct lkst_pack *pack, const char *name, u64 offset,
		     u64 size)
{
	struct lkst_pack_entry *entry;

	if (pack->nr == LKST_PACK_ENTRIES_MAX)
		return lkst_err_set(e, -EFBIG, "there are more than %u files in it",
				    LKST_PACK_ENTRIES_MAX);
	entry = lkst_vec_add(pack->entries, pack->nr);
	if (!entry)
		return lkst_err_sys(e, -ENOMEM, "listing its files");
	snprintf(entry->name, sizeof(entry->name), "%s", name);
	entry->offset = offset;
	entry->size = size;
	return 0;
}

#define SAYS(bytes, what) { bytes, sizeof(bytes) - 1, what }

static const struct {
	const char *bytes;
	size_t length;
	const char *what;
} files[] = {
	SAYS("PERFILE2", "it is a recording of perf record, which `perf script` reads"),
	SAYS("PERFFILE", "it is a recording of an early perf record, which `perf script` reads"),
	SAYS("\x17\x08\x44tracing", "it is a recording of trace-cmd, which `trace-cmd report` reads"),
	SAYS("\xd4\xc3\xb2\xa1", "it has packets of a network, which tcpdump and Wireshark read"),
	SAYS("\x0a\x0d\x0d\x0a", "it has packets of a network, which tcpdump and Wireshark read"),
	SAYS("\x7f" "ELF", "it is a program or a dump in ELF; of a kernel's dump, `lkst extract` makes a trace"),
	SAYS("KDUMP   ", "it is a dump of a kernel, of which `lkst extract` makes a trace"),
	SAYS("SQLite format 3", "it is a database, which sqlite3 reads"),
	SAYS("PAR1", "it is a table in Parquet, which DuckDB and pandas read"),
	SAYS("{\"displayTimeUnit\"", "it is a trace in Chrome's format, which ui.perfetto.dev reads"),
	SAYS("{\"traceEvents\"", "it is a trace in Chrome's format, which ui.perfetto.dev reads"),
};

const char *lkst_foreign_file(const void *bytes, size_t length)
{
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (length >= files[i].length && !memcmp(bytes, files[i].bytes, files[i].length))
			return files[i].what;
	return NULL;
}

/* Whether @text says that the tool @name has recorded it, as CTF 1.8's "env" does. */
static bool is_by(const char *text, size_t length, const char *name)
{
	static const char key[] = "tracer_name = \"";
	const char *at = memmem(text, length, key, sizeof(key) - 1);
	const size_t rest = at ? length - (size_t)(at - text) - (sizeof(key) - 1) : 0;

	return at && rest >= strlen(name) && !memcmp(at + sizeof(key) - 1, name, strlen(name));
}

const char *lkst_foreign_metadata(const char *text, size_t length)
{
	static const char packets[] = { 0x57, 0x1d, (char)0xd1, 0x75 }; /* CTF 1.8.3, section 7.1 */
	static const char packets_else[] = { 0x75, (char)0xd1, 0x1d, 0x57 };

	if (length >= sizeof(packets) &&
	    (!memcmp(text, packets, sizeof(packets)) || !memcmp(text, packets_else, sizeof(packets))))
		return "it is a trace of LTTng or another tracer in CTF, which babeltrace2 and Trace Compass read";
	if (length && (*text == 0x1e || *text == '['))
		return "it is a trace in CTF 2, which babeltrace2 reads";
	if (is_by(text, length, "lttng"))
		return "it is a trace in LTTng's format, which babeltrace2 and Trace Compass read";
	if (is_by(text, length, "") && !is_by(text, length, "lkst\""))
		return "it is another tracer's trace in CTF, which babeltrace2 and Trace Compass read";
	return NULL;
}

/* An archive in a file, or in memory. */
struct archive {
	int fd;
	const u8 *bytes; /* if it is in memory */
	u64 length;
};

static int pack_read_header(struct lkst_err *e, const struct archive *a, u64 at, struct header *h)
{
	if (at > a->length || a->length - at < UNIT)
		return lkst_err_set(e, -EBADMSG, "it is cut short: its end is missing");
	if (a->bytes)
		memcpy(h, a->bytes + at, sizeof(*h));
	else if (pread(a->fd, h, sizeof(*h), (off_t)at) != (ssize_t)sizeof(*h))
		return lkst_err_sys(e, -EIO, "reading it");
	return 0;
}

/* Says whose file it is, if that is known. */
static int pack_refuse(struct lkst_err *e, const struct archive *a)
{
	const size_t length = a->length < LKST_FOREIGN_HEAD ? (size_t)a->length : LKST_FOREIGN_HEAD;
	const void *bytes = a->bytes;
	char head[LKST_FOREIGN_HEAD];
	ssize_t got = (ssize_t)length;

	if (!bytes) {
		got = pread(a->fd, head, length, 0);
		bytes = head;
	}
	return lkst_err_set(e, -EBADMSG, "%s",
			    (got > 0 ? lkst_foreign_file(bytes, (size_t)got) : NULL)
				    ?: "it is neither a trace directory nor a trace in one file");
}

/* Lists all regular files by their whole names. */
static int pack_list_all(struct lkst_err *e, const struct archive *a, struct lkst_pack *pack)
{
	u64 at = 0, size;
	int err;

	do {
		char path[LKST_PACK_NAME_MAX] = "";
		struct header h;

		err = pack_read_header(e, a, at, &h);
		if (err)
			return err;
		if (!h.name[0])
			return 0; /* an empty unit is the end */
		if (!is_header(&h, &size))
			return at ? lkst_err_set(e, -EBADMSG, "it is damaged at byte %llu", (unsigned long long)at)
				  : pack_refuse(e, a);
		at += UNIT;
		if (size > a->length - at)
			return lkst_err_set(e, -EBADMSG, "it is cut short: it ends in a file");
		memcpy(path, h.name, sizeof(h.name));
		err = h.type == '0' || !h.type ? add_entry(e, pack, path, at, size) : 0;
		at += size;
		at += (UNIT - at % UNIT) % UNIT;
	} while (!err);
	return err;
}

/* Keeps the files of the directory that has the metadata, and takes it off their names. */
static int keep_trace(struct lkst_err *e, struct lkst_pack *pack)
{
	char dir[LKST_PACK_NAME_MAX];
	unsigned int i, nr = 0;
	size_t length;

	for (i = 0; i < pack->nr; i++)
		if (!strcmp(pack->entries[i].name + lkst_file_name_start(pack->entries[i].name),
			    "metadata"))
			break;
	if (i == pack->nr)
		return lkst_err_set(e, -EBADMSG, "it holds no trace: no file called metadata");
	length = lkst_file_name_start(pack->entries[i].name);
	memcpy(dir, pack->entries[i].name, length);
	for (i = 0; i < pack->nr; i++) {
		struct lkst_pack_entry *entry = &pack->entries[i];

		if (lkst_file_name_start(entry->name) != length || memcmp(entry->name, dir, length))
			continue;
		memmove(entry->name, entry->name + length, sizeof(entry->name) - length);
		pack->entries[nr++] = *entry;
	}
	pack->nr = nr;
	return 0;
}

static int pack_list(struct lkst_err *e, const struct archive *a, struct lkst_pack *ret_pack)
{
	struct lkst_pack pack = {};
	int err;

	if (a->length < UNIT)
		return pack_refuse(e, a);
	err = pack_list_all(e, a, &pack);
	if (!err)
		err = keep_trace(e, &pack);
	if (err)
		lkst_pack_fini(&pack);
	else
		*ret_pack = pack;
	return err;
}

int lkst_pack_list(struct lkst_err *e, int fd, struct lkst_pack *ret_pack)
{
	struct archive a = { .fd = fd };
	struct stat st;

	if (fstat(fd, &st))
		return lkst_err_sys(e, -errno, "reading it");
	a.length = (u64)st.st_size;
	return pack_list(e, &a, ret_pack);
}

int lkst_pack_list_memory(struct lkst_err *e, const void *bytes, size_t length,
			  struct lkst_pack *ret_pack)
{
	const struct archive a = { .fd = -1, .bytes = bytes, .length = length };

	return pack_list(e, &a, ret_pack);
}

int lkst_pack_list_files(struct lkst_err *e, int fd, struct lkst_pack *ret_pack)
{
	struct archive a = { .fd = fd };
	struct lkst_pack pack = {};
	struct stat st;
	int err;

	if (fstat(fd, &st))
		return lkst_err_sys(e, -errno, "reading it");
	a.length = (u64)st.st_size;
	err = pack_list_all(e, &a, &pack);
	if (err)
		lkst_pack_fini(&pack);
	else
		*ret_pack = pack;
	return err;
}

void lkst_pack_fini(struct lkst_pack *pack)
{
	free(pack->entries);
	pack->entries = NULL;
	pack->nr = 0;
}

const struct lkst_pack_entry *lkst_pack_find(const struct lkst_pack *pack, const char *name)
{
	unsigned int i;

	for (i = 0; i < pack->nr; i++)
		if (!strcmp(pack->entries[i].name, name))
			return &pack->entries[i];
	return NULL;
}

/* ---- writing ---------------------------------------------------------------------------------- */

static void pack_closedirp(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* What is in the archive has its mode, as tar(1) gives it to what it takes out for root: nobody else may read that. */
static mode_t mode_of(int out)
{
	struct stat st;

	return fstat(out, &st) ? 0600 : st.st_mode & 0666;
}

static void pack_fill_header(struct header *h, int out, const char *dir, const char *name, u64 size,
			     time_t mtime)
{
	int i;

	memset(h, 0, sizeof(*h));
	snprintf(h->name, sizeof(h->name), "%s%s", dir, name);
	snprintf(h->mode, sizeof(h->mode), "%07o", (unsigned int)mode_of(out));
	snprintf(h->uid, sizeof(h->uid), "%07o", 0U);
	snprintf(h->gid, sizeof(h->gid), "%07o", 0U);
	snprintf(h->mtime, sizeof(h->mtime), "%011llo",
		 (unsigned long long)mtime & 077777777777ULL);
	if (size >> 33) {
		for (i = (int)sizeof(h->size) - 1; i > 0; i--, size >>= 8)
			h->size[i] = (char)size;
		h->size[0] = (char)0x80;
	} else {
		snprintf(h->size, sizeof(h->size), "%011llo",
			 (unsigned long long)size & 077777777777ULL);
	}
	h->type = '0';
	memcpy(h->magic, magic, sizeof(magic));
	memcpy(h->version, "00", 2);
	snprintf(h->sum, sizeof(h->sum), "%06o", pack_sum_of(h) & 0777777U);
	h->sum[7] = ' ';
}

/* Appends file @name of directory @dir_fd. A file that is changed meanwhile is an error. */
static int append_file(struct lkst_err *e, int out, int dir_fd, const char *name, u8 *buffer)
{
	_cleanup_close_ int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct header h;
	struct stat st;
	u64 left;
	int err;

	if (fd < 0 || fstat(fd, &st))
		return lkst_err_sys(e, -errno, "%s", name);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (strlen(name) + strlen(inner_dir) >= sizeof(h.name))
		return lkst_err_set(e, -ENAMETOOLONG, "%s", name);
	pack_fill_header(&h, out, inner_dir, name, (u64)st.st_size, st.st_mtime);
	err = lkst_write_all(out, &h, sizeof(h));
	for (left = (u64)st.st_size; left && !err;) {
		ssize_t got = read(fd, buffer, left < COPY_BYTES ? left : COPY_BYTES);

		if (got <= 0)
			return lkst_err_sys(e, got ? -errno : -EIO, "reading %s", name);
		err = lkst_write_all(out, buffer, (size_t)got);
		left -= (u64)got;
	}
	memset(buffer, 0, UNIT);
	if (!err)
		err = lkst_write_all(out, buffer, (UNIT - (u64)st.st_size % UNIT) % UNIT);
	return err ? lkst_err_sys(e, err, "writing %s", name) : 0;
}

static int append_text(struct lkst_err *e, int out, const struct lkst_pack_text *text, time_t mtime)
{
	static const u8 zeros[UNIT];
	struct header h;
	int err;

	if (strlen(text->name) >= sizeof(h.name))
		return lkst_err_set(e, -ENAMETOOLONG, "%s", text->name);
	pack_fill_header(&h, out, "", text->name, text->length, mtime);
	err = lkst_write_all(out, &h, sizeof(h)) ?: lkst_write_all(out, text->bytes, text->length)
	      ?: lkst_write_all(out, zeros, (UNIT - text->length % UNIT) % UNIT);
	return err ? lkst_err_sys(e, err, "writing %s", text->name) : 0;
}

static int append_all(struct lkst_err *e, int out, const char *dir)
{
	_cleanup_free_ u8 *buffer = malloc(COPY_BYTES);
	_cleanup_(pack_closedirp) DIR *d = NULL;
	struct dirent *entry;
	int fd, err = lkst_open_own_dir(e, AT_FDCWD, dir, &fd);

	if (err)
		return err;
	d = fdopendir(fd);
	if (!d || !buffer)
		return lkst_err_sys(e, d ? -ENOMEM : -errno, "%s", dir);
	/* First, so that a reader that goes through the archive once can use it. */
	err = append_file(e, out, dirfd(d), "metadata", buffer);
	while (!err && (entry = readdir(d)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "metadata"))
			err = append_file(e, out, dirfd(d), entry->d_name, buffer);
	if (err)
		return err;
	memset(buffer, 0, 2 * UNIT);
	err = lkst_write_all(out, buffer, 2 * UNIT);
	return err ? lkst_err_sys(e, err, "writing the end") : 0;
}

int lkst_pack_write(struct lkst_err *e, const struct lkst_access *access, const char *dir, const char *file)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file out = { .dir_fd = -1, .fd = -1 };
	int err = lkst_new_file_open(e, access, AT_FDCWD, file, &out) ?: append_all(e, out.fd, dir)
		  ?: lkst_new_file_place(e, &out);

	if (err)
		lkst_err_add(e, "cannot write %s", file);
	return err;
}

int lkst_pack_write_with(struct lkst_err *e, const struct lkst_access *access, const struct lkst_pack_text *texts,
			 unsigned int nr, time_t mtime, const char *dir, const char *file)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file out = { .dir_fd = -1, .fd = -1 };
	int err = lkst_new_file_open(e, access, AT_FDCWD, file, &out);
	unsigned int i;

	for (i = 0; i < nr && !err; i++)
		err = append_text(e, out.fd, &texts[i], mtime);
	err = err ?: append_all(e, out.fd, dir) ?: lkst_new_file_place_on_disk(e, &out);
	if (err)
		lkst_err_add(e, "cannot write %s", file);
	return err;
}
