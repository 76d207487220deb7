// SPDX-License-Identifier: GPL-2.0-only
/* The list of what a JIT compiler has made. */
#include "usercode/name/jit_map.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/bsearch.h"
#include "base/cleanup.h"
#include "base/io.h"
#include "base/vec.h"

struct jit_symbol {
	u64 address, end;
	u64 last_end; /* the largest `end` of this one and those before: where a search backwards may stop */
	u32 line; /* of the list */
	u32 name; /* where it is in `names` */
};

struct lkst_jit_map {
	struct jit_symbol *symbols; /* by address */
	u32 nr;
	char *names;
};

enum { SEARCH_MAX = 256 }; /* symbols that are looked at for one address */

void lkst_jit_map_free(struct lkst_jit_map *m)
{
	if (!m)
		return;
	free(m->symbols);
	free(m->names);
	free(m);
}

static int jit_map_compare_symbols(const void *one, const void *other)
{
	const struct jit_symbol *a = one, *b = other;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

/* A number in hex with a blank after it, below @end; moves *@p after that. */
static bool read_hex(const char **p, const char *end, u64 *ret)
{
	const char *at = *p;
	unsigned int digits = 0;

	if (end - at > 2 && at[0] == '0' && (at[1] | 0x20) == 'x')
		at += 2;
	for (*ret = 0; at < end && digits <= 16; at++, digits++) {
		int c = *at | 0x20;

		if (c >= '0' && c <= '9')
			*ret = *ret << 4 | (u64)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*ret = *ret << 4 | (u64)(c - 'a' + 10);
		else
			break;
	}
	if (!digits || digits > 16 || at == end || *at != ' ')
		return false;
	*p = at + 1;
	return true;
}

/* A line from @p to @end, whose name is copied to *@names; one that makes no sense is skipped. */
static int jit_map_add_line(struct lkst_jit_map *m, u32 line, const char *p, const char *end, size_t *names)
{
	struct jit_symbol *symbol;
	u64 address, size;
	size_t length;

	if (!read_hex(&p, end, &address) || !read_hex(&p, end, &size) || !size ||
	    size > UINT64_MAX - address || p == end || m->nr == LKST_JIT_SYMBOLS_MAX)
		return 0;
	symbol = lkst_vec_add(m->symbols, m->nr);
	if (!symbol)
		return -ENOMEM;
	*symbol = (struct jit_symbol){
		.address = address, .end = address + size, .line = line, .name = (u32)*names
	};
	length = (size_t)(end - p) < LKST_JIT_NAME_MAX ? (size_t)(end - p) : LKST_JIT_NAME_MAX;
	memcpy(m->names + *names, p, length);
	m->names[*names + length] = 0;
	*names += length + 1;
	return 0;
}

int lkst_jit_map_parse(const char *text, size_t length, struct lkst_jit_map **ret_map)
{
	_cleanup_(lkst_jit_map_freep) struct lkst_jit_map *m = calloc(1, sizeof(*m));
	const char *end = text + length, *next;
	size_t names = 0;
	u64 last_end = 0;
	u32 line = 0, i;
	int err = 0;

	/* A name with its NUL is shorter than its line with the line's end, but for the last one. */
	if (!m || !(m->names = malloc(length + 1)))
		return -ENOMEM;
	for (; text < end && !err; text = next + 1, line++) {
		next = memchr(text, '\n', (size_t)(end - text)) ?: end;
		err = jit_map_add_line(m, line, text, next, &names);
	}
	if (err)
		return err;
	if (m->nr)
		qsort(m->symbols, m->nr, sizeof(*m->symbols), jit_map_compare_symbols);
	for (i = 0; i < m->nr; i++) {
		last_end = m->symbols[i].end > last_end ? m->symbols[i].end : last_end;
		m->symbols[i].last_end = last_end;
	}
	*ret_map = lkst_take(m);
	return 0;
}

/* Whether the list may be believed: whoever could write it could show any names. */
static bool is_trusted(const struct stat *list, s32 pid)
{
	struct stat process;
	char path[64];

	if (!S_ISREG(list->st_mode))
		return false;
	if (!list->st_uid || list->st_uid == geteuid())
		return true;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	return !stat(path, &process) && process.st_uid == list->st_uid;
}

/* The number that process @pid has for itself: the last of "NSpid:" (proc_pid_status(5)). 0: it has ended. */
static s32 own_number(s32 pid)
{
	static const char key[] = "NSpid:";
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], text[256], *last;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(text, sizeof(text), f))
		if (!strncmp(text, key, strlen(key))) {
			last = strrchr(text, '\t');
			return last ? (s32)strtol(last, NULL, 10) : 0;
		}
	return 0;
}

/*
 * Opens the list where the process itself has written it: in its own mount namespace, under its own number. What is
 * a link there is followed below its root only. A negative errno: there is none, or the process has ended.
 */
static int jit_map_open_own(const char *directory, s32 pid)
{
	const struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
				      .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	const s32 number = own_number(pid);
	_cleanup_close_ int root = -1;
	char path[PATH_MAX];
	int fd;

	if (!number || directory[0] != '/')
		return -ENOENT;
	snprintf(path, sizeof(path), "/proc/%d/root", lkst_living_thread(pid));
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || snprintf(path, sizeof(path), "%s/perf-%d.map", directory, number) >= (int)sizeof(path))
		return -ENOENT;
	fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	return fd < 0 ? -errno : fd;
}

int lkst_jit_map_open(struct lkst_err *e, const char *directory, s32 pid,
		      struct lkst_jit_map **ret_map)
{
	_cleanup_free_ char *text = NULL;
	char path[PATH_MAX];
	struct stat status;
	_cleanup_close_ int fd = -1;
	size_t used = 0;
	ssize_t got;

	snprintf(path, sizeof(path), "%s/perf-%d.map", directory, pid);
	fd = jit_map_open_own(directory, pid);
	if (fd < 0)
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status))
		return lkst_err_set(e, -ENOENT,
				    "it is in no file, and there is no list of a JIT compiler, %s",
				    path);
	if (!is_trusted(&status, pid))
		return lkst_err_set(
			e, -ENOENT,
			"it is in no file, and %s is not of root, of you or of the process's user",
			path);
	text = malloc(LKST_JIT_MAP_BYTES);
	if (!text)
		return lkst_err_sys(e, -ENOMEM, "reading %s", path);
	while (used < LKST_JIT_MAP_BYTES &&
	       (got = read(fd, text + used, LKST_JIT_MAP_BYTES - used)) > 0)
		used += (size_t)got;
	return lkst_jit_map_parse(text, used, ret_map)
		       ? lkst_err_sys(e, -ENOMEM, "reading %s", path)
		       : 0;
}

const char *lkst_jit_map_find(const struct lkst_jit_map *m, u64 address, u64 *ret_offset)
{
	size_t i = lkst_lower_bound(k, m->nr, m->symbols[k].address <= address);
	const struct jit_symbol *found = NULL;
	unsigned int looked = 0;

	for (; i && m->symbols[i - 1].last_end > address && looked < SEARCH_MAX; i--, looked++) {
		const struct jit_symbol *s = &m->symbols[i - 1];

		if (address < s->end && (!found || s->line > found->line))
			found = s;
	}
	if (!found)
		return NULL;
	*ret_offset = address - found->address;
	return m->names + found->name;
}
