/* SPDX-License-Identifier: GPL-2.0-only */
/* What code the processes have mapped whose user stacks are recorded. */
#include "live/state/write_mappings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/time.h"
#include "base/vec.h"
#include "base/xxh64.h"
#include "live/state/mapped_file.h"
#include "live/state/state_stream.h"
#include "probe/debuginfo/elf_note.h"

enum {
	LOOKED_MAX = 4096,  /* executable mappings of one process */
	PATH_BYTES = 1000,  /* of a path in the trace; a longer one is not written */
	MAPPING_BYTES = 64, /* of a record, about */
	BINARY_BYTES = 128,
	EXECS_MAX = 1 << 16,
	FILE_SYSTEMS_MAX = 64, /* of which is remembered whether their files may be opened */
};

struct noted_thread {
	u64 tid; /* the key */
};

struct noted_exec {
	u64 pid; /* the key */
	u64 ns;
};

struct write_mappings_mapping {
	u64 address, length, offset, binary;
};

struct write_mappings_process {
	u64 pid;     /* the key */
	u64 created; /* by created_at() */
	struct write_mappings_mapping *list;
	u32 nr;
};

struct binary {
	u64 id; /* the key: of file system, inode, build-id and path */
	u64 inode, bias, ctime;
	u32 dev;
	char *file; /* as a state_binary has it */
};

/* What was read of a file. */
struct known_file {
	u64 key; /* of device, inode and ctime: a file that is built again has another */
	u64 bias;
	char build_id[LKST_BUILD_ID_TEXT];
};

/* A file of a record `mapping`. */
struct noted_file {
	u64 key; /* of all that follows */
	struct lkst_mapped_file file;
	s32 pid;
	char *path; /* in its file system; NULL: it was looked at */
};

struct file_system {
	u32 major, minor;
	bool may_open;
};

struct lkst_mapped {
	struct lkst_hash threads, execs, processes, binaries, files, noted_files;
	struct file_system file_systems[FILE_SYSTEMS_MAX];
	u32 nr_file_systems;
	s32 *pending; /* threads to look at */
	u32 nr_pending, nr_pending_files;
	u32 nr_mappings;
};

struct lkst_mapped *lkst_mapped_new(void)
{
	return calloc(1, sizeof(struct lkst_mapped));
}

static void forget_processes(struct lkst_mapped *m)
{
	struct write_mappings_process *p;
	u32 i = 0;

	while ((p = lkst_hash_next(&m->processes, &i, sizeof(*p))))
		free(p->list);
	lkst_hash_clear(&m->processes, sizeof(*p));
	lkst_hash_clear(&m->threads, sizeof(struct noted_thread));
	m->nr_mappings = m->nr_pending = 0;
}

static void forget_binaries(struct lkst_mapped *m)
{
	struct binary *b;
	u32 i = 0;

	while ((b = lkst_hash_next(&m->binaries, &i, sizeof(*b))))
		free(b->file);
	lkst_hash_clear(&m->binaries, sizeof(*b));
}

static void forget_noted_files(struct lkst_mapped *m)
{
	struct noted_file *f;
	u32 i = 0;

	while ((f = lkst_hash_next(&m->noted_files, &i, sizeof(*f))))
		free(f->path);
	lkst_hash_clear(&m->noted_files, sizeof(*f));
	m->nr_pending_files = 0;
}

void lkst_mapped_free(struct lkst_mapped *m)
{
	if (!m)
		return;
	forget_processes(m);
	forget_binaries(m);
	forget_noted_files(m);
	lkst_hash_fini(&m->noted_files);
	lkst_hash_fini(&m->threads);
	lkst_hash_fini(&m->execs);
	lkst_hash_fini(&m->processes);
	lkst_hash_fini(&m->binaries);
	lkst_hash_fini(&m->files);
	free(m->pending);
	free(m);
}

/* ---- whose ------------------------------------------------------------------------------------ */

bool lkst_mapped_wants(const struct lkst_event_class *event)
{
	u16 i;

	if (!strcmp(event->name, "sample") || !strcmp(event->name, "off_cpu"))
		return true;
	for (i = 0; i < event->nr_fields; i++)
		if (event->fields[i].meaning == LKST_MEANING_ADDR &&
		    event->fields[i].type != LKST_CLASS_UINT)
			return true;
	return false;
}

int lkst_mapped_note(struct lkst_mapped *m, s32 tid)
{
	s32 *pending;

	if (tid <= 0 || lkst_hash_find(&m->threads, (u32)tid, sizeof(struct noted_thread)) ||
	    m->threads.nr >= 4 * LKST_MAPPED_PROCESSES_MAX)
		return 0;
	if (lkst_hash_reserve(&m->threads, sizeof(struct noted_thread)))
		return -ENOMEM;
	pending = lkst_vec_add(m->pending, m->nr_pending);
	if (!pending)
		return -ENOMEM;
	*pending = tid;
	lkst_hash_add(&m->threads, (u32)tid, sizeof(struct noted_thread));
	return 0;
}

void lkst_mapped_note_exec(struct lkst_mapped *m, s32 pid, u64 ns)
{
	struct noted_exec *exec = lkst_hash_find(&m->execs, (u32)pid, sizeof(*exec));

	if (!exec && m->execs.nr >= EXECS_MAX)
		lkst_hash_clear(&m->execs, sizeof(*exec));
	if (!exec && !lkst_hash_reserve(&m->execs, sizeof(*exec)))
		exec = lkst_hash_add(&m->execs, (u32)pid, sizeof(*exec));
	if (exec)
		exec->ns = ns;
}

/* ---- files ------------------------------------------------------------------------------------ */

/* A line of /proc/PID/maps, proc(5). */
struct write_mappings_line {
	u64 begin, end, offset, inode;
	u32 major, minor;
	char access[5];
	const char *path;
};

static u64 hash_of(const void *bytes, size_t length)
{
	return lkst_xxh64(bytes, length) & INT64_MAX; /* never LKST_HASH_NONE */
}

/* Whether files of that file system may be opened; it is asked once in a look. */
static bool may_open(struct lkst_mapped *m, s32 pid, const struct write_mappings_line *line)
{
	u32 i;

	for (i = 0; i < m->nr_file_systems; i++)
		if (m->file_systems[i].major == line->major && m->file_systems[i].minor == line->minor)
			return m->file_systems[i].may_open;
	if (i == FILE_SYSTEMS_MAX)
		return false;
	m->file_systems[m->nr_file_systems++] = (struct file_system){
		line->major, line->minor, lkst_mapped_may_open(line->major, line->minor, pid)
	};
	return m->file_systems[i].may_open;
}

static void read_vdso(struct known_file *file)
{
	_cleanup_close_ int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		lkst_build_id_of_file(fd, getauxval(AT_SYSINFO_EHDR), file->build_id, &file->bias);
}

/*
 * What the file at @path says of itself, NULL: the vdso. A path of /proc/PID/map_files is that of what is mapped, in
 * any namespace.
 */
static struct known_file write_mappings_read_file(const char *path)
{
	struct known_file file = {};
	_cleanup_close_ int fd = -1;

	if (!path) {
		read_vdso(&file);
		return file;
	}
	fd = lkst_mapped_open_at(AT_FDCWD, path);
	if (fd >= 0)
		lkst_build_id_of_file(fd, 0, file.build_id, &file.bias);
	return file;
}

static u64 key_of(const struct lkst_mapped_file *f)
{
	const u64 which[] = { (u64)f->major << 32 | f->minor, f->inode, f->ctime };

	return hash_of(which, sizeof(which));
}

/* Keeps what was read of @f. 0 or -ENOMEM. */
static int keep_file(struct lkst_mapped *m, const struct lkst_mapped_file *f, const struct known_file *file)
{
	struct known_file *known;

	if (m->files.nr >= LKST_MAPPED_BINARIES_MAX)
		lkst_hash_clear(&m->files, sizeof(*known));
	if (lkst_hash_reserve(&m->files, sizeof(*known)))
		return -ENOMEM;
	known = lkst_hash_add(&m->files, key_of(f), sizeof(*known));
	*known = *file;
	known->key = key_of(f);
	return 0;
}

static int know_file(struct lkst_mapped *m, s32 pid, const struct write_mappings_line *line,
		     struct lkst_mapped_file *ret_which, struct known_file *ret_file)
{
	struct lkst_mapped_file which = { line->major, line->minor, line->inode, 0 };
	const struct known_file *known;
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid, line->begin,
		 line->end);
	*ret_file = (struct known_file){};
	if (line->inode)
		which.ctime = may_open(m, pid, line) ? lkst_mapped_ctime(path) : 0;
	*ret_which = which;
	if (line->inode && !which.ctime)
		return 0;
	known = lkst_hash_find(&m->files, key_of(&which), sizeof(*known));
	if (known) {
		*ret_file = *known;
		return 0;
	}
	*ret_file = write_mappings_read_file(line->inode ? path : NULL);
	return keep_file(m, &which, ret_file);
}

/* Adds the binary that is @file and was found at @path. *@ret_id: what the trace calls it; 0: there are too many. */
static int add_binary(struct lkst_mapped *m, const struct lkst_mapped_file *which, const struct known_file *file,
		      const char *path, u64 *ret_id)
{
	char text[LKST_BUILD_ID_TEXT + PATH_BYTES + 96];
	struct binary *binary;
	int length;

	length = snprintf(text, sizeof(text), "%u:%u:%" PRIu64 ":%" PRIu64 ":", which->major, which->minor,
			  which->inode, which->ctime);
	snprintf(text + length, sizeof(text) - (size_t)length, "%s %s", file->build_id, path);
	*ret_id = hash_of(text, strlen(text));
	if (lkst_hash_find(&m->binaries, *ret_id, sizeof(*binary)))
		return 0;
	if (m->binaries.nr >= LKST_MAPPED_BINARIES_MAX) {
		*ret_id = 0;
		return 0;
	}
	if (lkst_hash_reserve(&m->binaries, sizeof(*binary)))
		return -ENOMEM;
	binary = lkst_hash_add(&m->binaries, *ret_id, sizeof(*binary));
	binary->inode = which->inode;
	binary->ctime = which->ctime;
	binary->bias = file->bias;
	binary->dev = which->major << 20 | which->minor;
	binary->file = strdup(text + length);
	return binary->file ? 0 : -ENOMEM;
}

/* *@ret_id: what the trace calls the binary; 0: there are too many. */
static int know_binary(struct lkst_mapped *m, s32 pid, const struct write_mappings_line *line, u64 *ret_id)
{
	struct lkst_mapped_file which;
	struct known_file file;
	int err = know_file(m, pid, line, &which, &file);

	*ret_id = 0;
	return err ?: add_binary(m, &which, &file, line->path, ret_id);
}

/* ---- files of records ------------------------------------------------------------------------- */

int lkst_mapped_note_file(struct lkst_mapped *m, const struct lkst_record *r)
{
	struct noted_file *noted, file = {};
	struct lkst_rec_mapping mapping;
	const char *text;
	u32 length;
	u64 key[4];

	memcpy(&mapping, r->bytes, sizeof(mapping));
	text = (const char *)lkst_record_field(r, r->event->nr_fields - 1, &length);
	if (!text || !length || length >= PATH_BYTES)
		return 0;
	file.file = (struct lkst_mapped_file){ mapping.dev >> 20, mapping.dev & 0xfffff, mapping.inode,
					       mapping.ctime };
	file.pid = mapping.owner_pid;
	memcpy(key, (u64[]){ mapping.dev, mapping.inode, mapping.ctime, hash_of(text, length) }, sizeof(key));
	file.key = hash_of(key, sizeof(key));
	if (lkst_hash_find(&m->noted_files, file.key, sizeof(file)) ||
	    m->noted_files.nr >= LKST_MAPPED_BINARIES_MAX)
		return 0;
	if (lkst_hash_reserve(&m->noted_files, sizeof(file)))
		return -ENOMEM;
	file.path = strndup(text, length);
	if (!file.path)
		return -ENOMEM;
	noted = lkst_hash_add(&m->noted_files, file.key, sizeof(file));
	*noted = file;
	m->nr_pending_files++;
	return 0;
}

/* The build-id of a file that was mapped, if the file is still there and has not changed. */
static int look_at_file(struct lkst_mapped *m, struct noted_file *noted)
{
	_cleanup_free_ char *text = lkst_take(noted->path);
	char path[PATH_MAX];
	const struct known_file *known = lkst_hash_find(&m->files, key_of(&noted->file), sizeof(*known));
	struct known_file file = known ? *known : (struct known_file){};
	_cleanup_close_ int fd = -1;
	u64 id;
	int err = 0;

	snprintf(path, sizeof(path), "%s", text);
	if (noted->file.inode)
		fd = lkst_mapped_file_open(&noted->file, text, noted->pid, path);
	if (!known && fd >= 0)
		lkst_build_id_of_file(fd, 0, file.build_id, &file.bias);
	else if (!known && !noted->file.inode)
		read_vdso(&file);
	if (!known && (fd >= 0 || !noted->file.inode))
		err = keep_file(m, &noted->file, &file);
	if (strlen(path) >= PATH_BYTES)
		return err;
	return err ?: add_binary(m, &noted->file, &file, path, &id);
}

static int look_at_files(struct lkst_mapped *m)
{
	struct noted_file *noted;
	u32 i = 0;
	int err = 0;

	while (m->nr_pending_files && !err && (noted = lkst_hash_next(&m->noted_files, &i, sizeof(*noted))))
		if (noted->path)
			err = look_at_file(m, noted);
	m->nr_pending_files = 0;
	return err;
}

/* ---- processes -------------------------------------------------------------------------------- */

/* "55d0…-55d1… r-xp 00002000 08:01 1234   /usr/bin/x": false if it is no code, or of no file. */
static bool write_mappings_parse_line(char *text, struct write_mappings_line *line)
{
	int at = 0;
	char *path, *deleted;

	text[strcspn(text, "\n")] = 0;
	if (sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &line->begin, &line->end, line->access, &line->offset, &line->major,
		   &line->minor, &line->inode, &at) < 7 ||
	    !at || line->access[2] != 'x' || line->end <= line->begin)
		return false;
	path = text + at;
	if (!line->inode && strcmp(path, "[vdso]"))
		return false;
	deleted = strstr(path, " (deleted)");
	if (deleted && !deleted[strlen(" (deleted)")])
		*deleted = 0;
	line->path = path;
	return path[0] && strlen(path) < PATH_BYTES;
}

/* @reader: the thread under whose number the process is read. */
static int add_mapping(struct lkst_mapped *m, struct write_mappings_process *p, s32 reader,
		       const struct write_mappings_line *line)
{
	struct write_mappings_mapping *mapping;
	u64 binary;
	int err = know_binary(m, reader, line, &binary);

	if (err || !binary || m->nr_mappings >= LKST_MAPPED_MAX)
		return err;
	mapping = lkst_vec_add(p->list, p->nr);
	if (!mapping)
		return -ENOMEM;
	*mapping = (struct write_mappings_mapping){ line->begin, line->end - line->begin, line->offset, binary };
	m->nr_mappings++;
	return 0;
}

/* Adds what thread @reader of @now has mapped: nothing if that has ended. */
static int read_list(struct lkst_mapped *m, struct write_mappings_process *now, s32 reader)
{
	_cleanup_fclose_ FILE *f = NULL;
	_cleanup_free_ char *text = NULL;
	struct write_mappings_line line;
	size_t size = 0;
	char path[64];
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", reader);
	f = fopen(path, "re");
	while (f && !err && now->nr < LOOKED_MAX && getline(&text, &size, f) > 0)
		if (write_mappings_parse_line(text, &line))
			err = add_mapping(m, now, reader, &line);
	return err;
}

/* Reads the mappings of @p as they are now. If it has ended they stay as they were. */
static int read_mappings(struct lkst_mapped *m, struct write_mappings_process *p)
{
	struct write_mappings_process now = { .pid = p->pid };
	const s32 pid = (s32)p->pid;
	int err = read_list(m, &now, pid);

	/* Its first thread may have ended, which leaves that one's list empty. */
	if (!err && !now.nr) {
		const s32 reader = lkst_living_thread(pid);

		err = reader == pid ? 0 : read_list(m, &now, reader);
	}
	if (err || !now.nr) {
		m->nr_mappings -= now.nr;
		free(now.list);
		return err;
	}
	m->nr_mappings -= p->nr;
	free(p->list);
	p->list = now.list;
	p->nr = now.nr;
	return 0;
}

/* When process @pid was created, in ticks of the clock that includes suspend. 0: it has ended. */
static u64 created_at(s32 pid)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], text[1024] = "", *after;
	u64 ticks = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	after = f && fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;
	/* The fields after the name, from number 3 on: number 22 is its start. */
	if (!after ||
	    sscanf(after + 1,
		   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %" SCNu64,
		   &ticks) != 1)
		return 0;
	return ticks;
}

/* The time of ticks on the trace's clock: rather too early than too late, by up to a tick. */
static u64 ns_of(u64 ticks)
{
	const u64 suspended = lkst_clock_ns(CLOCK_BOOTTIME) - lkst_monotonic_ns();
	const u64 ns = ticks * (1000000000 / (u64)sysconf(_SC_CLK_TCK));

	return ns > suspended ? ns - suspended : 0;
}

/* The process of thread @tid, 0: it has ended. */
static s32 process_of(s32 tid)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[64], text[256];
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	while (f && !pid && fgets(text, sizeof(text), f))
		sscanf(text, "Tgid: %d", &pid);
	return pid;
}

static int write_mappings_look_at(struct lkst_mapped *m, s32 tid)
{
	struct write_mappings_process *p;
	s32 pid = process_of(tid);

	if (pid <= 0 || lkst_hash_find(&m->processes, (u32)pid, sizeof(*p)) ||
	    m->processes.nr >= LKST_MAPPED_PROCESSES_MAX)
		return 0;
	if (lkst_hash_reserve(&m->processes, sizeof(*p)))
		return -ENOMEM;
	p = lkst_hash_add(&m->processes, (u32)pid, sizeof(*p));
	p->created = created_at(pid);
	return read_mappings(m, p);
}

int lkst_mapped_look(struct lkst_mapped *m)
{
	u32 i;
	int err = 0;

	for (i = 0; i < m->nr_pending && !err; i++)
		err = write_mappings_look_at(m, m->pending[i]);
	m->nr_pending = m->nr_file_systems = 0;
	return err ?: look_at_files(m);
}

/* ---- writing ---------------------------------------------------------------------------------- */

u64 lkst_mapped_bytes(const struct lkst_mapped *m)
{
	return (u64)m->nr_mappings * MAPPING_BYTES + (u64)m->binaries.nr * BINARY_BYTES;
}

/* Takes in what has been mapped since the process was looked at. */
static int renew(struct lkst_mapped *m)
{
	struct write_mappings_process *p;
	u32 i = 0;
	int err = 0;

	while (!err && (p = lkst_hash_next(&m->processes, &i, sizeof(*p))))
		if (p->created && created_at((s32)p->pid) == p->created)
			err = read_mappings(m, p);
	return err;
}

static int write_mappings_write_process(struct lkst_err *e, const struct lkst_mapped *m,
					const struct lkst_session *s, struct lkst_writer *w,
					u64 now, const struct write_mappings_process *p)
{
	const struct noted_exec *exec = lkst_hash_find(&m->execs, p->pid, sizeof(*exec));
	const u64 created_ns = ns_of(p->created);
	int err = 0;
	u32 i;

	for (i = 0; i < p->nr && !err; i++) {
		const struct write_mappings_mapping *is = &p->list[i];
		const struct lkst_rec_state_mapping r = {
			.from = exec && exec->ns > created_ns ? exec->ns : created_ns,
			.address = is->address,
			.length = is->length,
			.offset = is->offset,
			.binary = is->binary,
			.owner_pid = (s32)p->pid,
		};

		err = lkst_state_write_mapping(e, s, w, now, &r);
	}
	return err;
}

static int write_binaries(struct lkst_err *e, const struct lkst_mapped *m,
			  const struct lkst_session *s, struct lkst_writer *w)
{
	const struct binary *b;
	u32 i = 0;
	int err = 0;

	while (!err && (b = lkst_hash_next(&m->binaries, &i, sizeof(*b)))) {
		const struct lkst_rec_state_binary r = {
			.binary = b->id, .inode = b->inode, .bias = b->bias, .ctime = b->ctime, .dev = b->dev
		};

		err = lkst_state_write_binary(e, s, w, &r, b->file);
	}
	return err;
}

int lkst_mapped_write(struct lkst_err *e, struct lkst_mapped *m, const struct lkst_session *s,
		      struct lkst_writer *w)
{
	const struct write_mappings_process *p;
	u32 i = 0;
	int err;
	u64 now;

	m->nr_file_systems = 0; /* something may have been mounted since */
	err = renew(m);
	if (err)
		return lkst_err_sys(e, err, "reading the mappings of processes");
	/* Binaries first: a reader knows what a mapping is of when it meets it. */
	err = write_binaries(e, m, s, w);
	now = lkst_monotonic_ns();
	while (!err && (p = lkst_hash_next(&m->processes, &i, sizeof(*p))))
		err = write_mappings_write_process(e, m, s, w, now, p);
	forget_processes(m);
	forget_binaries(m);
	forget_noted_files(m);
	return err;
}
