/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the debug information of a file is. */
#include "probe/debuginfo/debug_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "probe/debuginfo/elf_note.h"

enum { DEP_MAX = 16 << 20 };

/* Opens a regular file, without waiting for a pipe. */
static int open_file(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd >= 0 && (fstat(fd, &status) || !S_ISREG(status.st_mode))) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Whether the file has @build_id. */
static bool has_id(int fd, const char *build_id)
{
	char text[LKST_BUILD_ID_TEXT] = "";
	const void *id;
	ssize_t length;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	length = elf ? dwelf_elf_gnu_build_id(elf, &id) : -1;
	if (length > 0)
		lkst_build_id_text(id, length, text);
	elf_end(elf);
	return text[0] && !strcmp(text, build_id);
}

/* Whether the bytes of the file have the checksum @crc. */
static bool has_crc(int fd, u32 crc)
{
	_cleanup_free_ u8 *bytes = malloc(1 << 16);
	u32 sum = crc32(0, NULL, 0);
	u64 at = 0;
	ssize_t got;

	if (!bytes)
		return false;
	while ((got = pread(fd, bytes, 1 << 16, at)) > 0) {
		sum = crc32(sum, bytes, got);
		at += got;
	}
	return !got && sum == crc;
}

/* Opens @path if it has the build-id, or the checksum where there is no build-id. */
static int open_checked(const char *path, const char *build_id, const u32 *crc, char **ret_path)
{
	int fd = open_file(path);

	if (fd < 0)
		return -1;
	if ((build_id && build_id[0] ? has_id(fd, build_id) : crc && has_crc(fd, *crc)) &&
	    (*ret_path = strdup(path)))
		return fd;
	close(fd);
	return -1;
}

bool lkst_debug_file_has_id(const char *path, const char *build_id)
{
	_cleanup_close_ int fd = open_file(path);

	return fd >= 0 && has_id(fd, build_id);
}

int lkst_debug_file_by_id(const char *build_id, char **ret_path)
{
	char path[PATH_MAX];

	if (strlen(build_id) < 4)
		return -1;
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", build_id,
		 build_id + 2);
	return open_checked(path, build_id, NULL, ret_path);
}

int lkst_debug_file_by_link(const char *path, const char *link, u32 crc, const char *build_id,
			    char **ret_path)
{
	static const char *const forms[] = { "%.*s/%s", "%.*s/.debug/%s", "/usr/lib/debug%.*s/%s" };
	_cleanup_free_ char *real = realpath(path, NULL);
	char name[2 * PATH_MAX];
	const char *slash;
	unsigned int i;
	int fd;

	if (!real || !link[0] || strchr(link, '/') || strlen(link) > NAME_MAX)
		return -1;
	slash = strrchr(real, '/');
	for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		snprintf(name, sizeof(name), forms[i], (int)(slash - real), real, link);
		if (!strcmp(name, real))
			continue;
		fd = open_checked(name, build_id, &crc, ret_path);
		if (fd >= 0)
			return fd;
	}
	return -1;
}

/* Whether the file name of @path is that of @module: "snd-pcm.ko.xz" is snd_pcm's. */
static bool is_module(const char *path, const char *module)
{
	const char *name = strrchr(path, '/');

	for (name = name ? name + 1 : path; *module; name++, module++)
		if ((*name == '-' ? '_' : *name) != (*module == '-' ? '_' : *module))
			return false;
	return !strncmp(name, ".ko", 3);
}

/* Writes the path of @module below /lib/modules/RELEASE, as depmod(8) has it, without .xz and the like. */
static bool find_module(const char *release, const char *module, char path[PATH_MAX])
{
	_cleanup_free_ char *text = NULL;
	char *line, *rest, *end;
	size_t length;

	snprintf(path, PATH_MAX, "/lib/modules/%s/modules.dep", release);
	if (lkst_read_file(NULL, AT_FDCWD, path, DEP_MAX, &text, &length))
		return false;
	for (rest = text; (line = strsep(&rest, "\n"));) {
		line[strcspn(line, ":")] = 0;
		if (!is_module(line, module))
			continue;
		end = strstr(line, ".ko");
		end[3] = 0;
		return snprintf(path, PATH_MAX, "%s", line) < PATH_MAX;
	}
	return false;
}

int lkst_debug_file_of_kernel(const char *release, const char *module, const char *build_id,
			      char **ret_path)
{
	static const char *const kernel_forms[] = { "/usr/lib/debug/boot/vmlinux-%s%s",
						    "/usr/lib/debug/lib/modules/%s/vmlinux%s",
						    "/boot/vmlinux-%s%s",
						    "/lib/modules/%s/build/vmlinux%s" };
	static const char *const module_forms[] = { "/usr/lib/debug/lib/modules/%s/%s.debug",
						    "/usr/lib/debug/lib/modules/%s/%s",
						    "/lib/modules/%s/%s" };
	char path[2 * PATH_MAX], below[PATH_MAX] = "";
	unsigned int i;
	int fd;

	if (module && !find_module(release, module, below))
		return -1;
	for (i = 0; i < (module ? 3 : 4); i++) {
		snprintf(path, sizeof(path), module ? module_forms[i] : kernel_forms[i], release,
			 below);
		fd = open_checked(path, build_id, NULL, ret_path);
		if (fd >= 0)
			return fd;
	}
	return -1;
}
