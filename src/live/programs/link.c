/* SPDX-License-Identifier: GPL-2.0-only */
/* The object of a user handler, linked with the recorder's own programs and loaded into the kernel. */
#include "live/programs/link.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/io.h"
#include "live/programs/floor.h"
#include "live/programs/programs.h"

enum {
	LOG_BYTES = 16 << 20,
	OBJECT_MAX = 16 << 20,
	FD_PATH_MAX = 32,
};

static void guard_linker(struct bpf_linker **linker)
{
	bpf_linker__free(*linker);
}

static void fd_path(int fd, char path[FD_PATH_MAX])
{
	snprintf(path, FD_PATH_MAX, "/proc/self/fd/%d", fd);
}

/* A file in memory with @size bytes of @bytes; libbpf's linker takes and makes files only. */
static int memory_file(struct lkst_err *e, const void *bytes, size_t size)
{
	_cleanup_close_ int fd = memfd_create("lkst-object", MFD_CLOEXEC);
	int err = fd < 0 ? -errno : lkst_write_all(fd, bytes, size);

	return err ? lkst_err_sys(e, err, "linking the handler") : lkst_take_fd(fd);
}

static int check_file(struct lkst_err *e, const char *file)
{
	struct stat st;

	if (stat(file, &st))
		return lkst_err_sys(e, -errno, "%s", file);
	if (!S_ISREG(st.st_mode) || st.st_size > OBJECT_MAX)
		return lkst_err_set(e, -EINVAL, "%s is not an object file", file);
	return 0;
}

static int link_files(struct lkst_err *e, const char *file, int base_fd, int out_fd)
{
	_cleanup_(guard_linker) struct bpf_linker *linker = NULL;
	char base[FD_PATH_MAX], out[FD_PATH_MAX];
	int err;

	fd_path(base_fd, base);
	fd_path(out_fd, out);
	linker = bpf_linker__new(out, NULL);
	if (!linker)
		return lkst_err_sys(e, -errno, "linking %s", file);
	err = bpf_linker__add_file(linker, base, NULL);
	if (err)
		return lkst_err_sys(e, err, "linking the recorder's programs");
	err = bpf_linker__add_file(linker, file, NULL) ?: bpf_linker__finalize(linker);
	if (err)
		return lkst_err_set(
			e, err,
			"%s can't be linked with the recorder's programs (%s): is it made by "
			"`lkst handler build`, of this version? LKST_DEBUG=1 shows more",
			file, strerror(-err));
	return 0;
}

/* Whether @name is bpf_throw or, as libbpf takes it, a flavour of it, bpf_throw___suffix. */
static bool is_throw(const char *name)
{
	static const char throw[] = "bpf_throw";

	return !strncmp(name, throw, sizeof(throw) - 1) &&
	       (!name[sizeof(throw) - 1] || !strncmp(name + sizeof(throw) - 1, "___", 3));
}

/*
 * A handler runs while a record is being written. An exception ends the whole program (Linux 6.7), so that its end
 * would never be noted, and after a few of them the CPU could record nothing more.
 */
static int check_calls(struct lkst_err *e, const char *file, const struct bpf_object *object)
{
	const struct btf *btf = bpf_object__btf(object);
	u32 id, nr = btf ? btf__type_cnt(btf) : 0;

	for (id = 1; id < nr; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_func(type) && is_throw(btf__name_by_offset(btf, type->name_off) ?: ""))
			return lkst_err_set(
				e, -EINVAL,
				"%s calls bpf_throw(), as bpf_assert() does: that would leave a record "
				"half-written; have the handler return instead",
				file);
	}
	return 0;
}

/* What the second build's kernels cannot take is replaced in the file itself, before libbpf reads it. */
static int link_suit_floor(struct lkst_err *e, int fd)
{
	struct stat st;
	void *elf = MAP_FAILED;

	if (!fstat(fd, &st) && st.st_size)
		elf = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (elf == MAP_FAILED)
		return lkst_err_sys(e, -errno, "linking the handler");
	lkst_floor_replace_atomics(elf, (size_t)st.st_size);
	munmap(elf, (size_t)st.st_size);
	return 0;
}

int lkst_link_open(struct lkst_err *e, const char *file, const void *programs, size_t size, bool is_floor,
		   struct bpf_object **ret_object)
{
	_cleanup_close_ int base_fd = -1, out_fd = -1;
	struct bpf_object *object;
	char out[FD_PATH_MAX];
	int err;

	lkst_programs_quiet();
	err = check_file(e, file);
	if (err)
		return err;
	base_fd = memory_file(e, programs, size);
	if (base_fd < 0)
		return base_fd;
	out_fd = memory_file(e, "", 0);
	if (out_fd < 0)
		return out_fd;
	err = link_files(e, file, base_fd, out_fd);
	if (!err && is_floor)
		err = link_suit_floor(e, out_fd);
	if (err)
		return err;
	fd_path(out_fd, out);
	object = bpf_object__open_file(out, NULL);
	if (!object)
		return lkst_err_sys(e, -errno, "%s", file);
	err = check_calls(e, file, object);
	if (err)
		bpf_object__close(object);
	else
		*ret_object = object;
	return err;
}

/* ---- the verifier's log ----------------------------------------------------------------------- */

/* Lines at the log's end that give no reason. */
static bool is_statistics(const char *line)
{
	return !*line || !strncmp(line, "processed ", 10) || !strncmp(line, "verification ", 13) ||
	       !strncmp(line, "stack depth", 11) || !strncmp(line, "max_states", 10);
}

/* True if it is an instruction or a state, by their numbers: "12: (85) call", "from 1 to 2:". */
static bool is_code(const char *line)
{
	return isdigit((unsigned char)*line) || !strncmp(line, "from ", 5);
}

/*
 * The line of the source comes before its instructions, after "; ", and on newer kernels with its place
 * after " @ " (kernel/bpf/log.c, verbose_linfo()). The last one counts; the reason is the last line.
 */
void lkst_link_explain(struct lkst_err *e, const char *log)
{
	_cleanup_free_ char *copy = strdup(log);
	const char *source = "", *reason = "no reason given";
	char *line, *rest = NULL, *place = NULL;

	for (line = copy ? strtok_r(copy, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (line[0] == ';')
			source = line + 1 + strspn(line + 1, " \t");
		else if (!is_statistics(line) && !is_code(line))
			reason = line;
	}
	if (*source)
		place = strstr(source, " @ ");
	if (place) {
		*place = 0;
		lkst_err_set(e, -EACCES, "%s: \"%s\": %s", place + 3, source, reason);
	} else if (*source) {
		lkst_err_set(e, -EACCES, "\"%s\": %s", source, reason);
	} else {
		lkst_err_set(e, -EACCES, "%s", reason);
	}
}

bool lkst_link_wants_static(const char *log)
{
	return strstr(log, "use static function instead") != NULL;
}

int lkst_link_load(struct lkst_err *e, struct bpf_object *object)
{
	_cleanup_free_ char *log = calloc(1, LOG_BYTES);
	struct bpf_program *program;
	int err;

	if (!log)
		return lkst_err_sys(e, -ENOMEM, "loading the handler");
	/* Loading stops at the first that is rejected, so that one log serves all. */
	bpf_object__for_each_program(program, object)
	{
		err = bpf_program__set_log_buf(program, log, LOG_BYTES);
		if (err)
			return lkst_err_sys(e, err, "loading the handler");
	}
	err = bpf_object__load(object);
	if (!err)
		return 0;
	if (!log[0])
		return lkst_err_sys(e, err, "loading the handler (LKST_DEBUG=1 shows more)");
	lkst_diag_log("%s", log);
	lkst_link_explain(e, log);
	lkst_err_add(e, "the kernel's verifier rejects the handler");
	return -EACCES;
}
