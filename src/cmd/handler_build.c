/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst handler: where handlers come from, a source that is compiled or a file that is installed. */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/handler.h"

enum { ARGS_MAX = 24 };

#ifdef __aarch64__
#define TARGET_ARCH "-D__TARGET_ARCH_arm64"
#define ARCH_INCLUDES "-I/usr/include/aarch64-linux-gnu"
#else
#define TARGET_ARCH "-D__TARGET_ARCH_x86"
#define ARCH_INCLUDES "-I/usr/include/x86_64-linux-gnu"
#endif

/* Where files that come with the program are, from its own folder: as built, and as installed. */
static const char *const header_dirs[] = { "include", "../include" };
static const char *const handler_dirs[] = { "handlers", "../lib/lkst/handlers" };

/* The first of two folders @dirs, taken from the program's own, that has @file. */
static int find(struct lkst_err *e, const char *const dirs[2], const char *file,
		char dir[LKST_HANDLER_PATH_MAX])
{
	char self[PATH_MAX], path[PATH_MAX + 128];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	unsigned int i;

	if (length < 0)
		return lkst_err_sys(e, -errno, "finding the program's own folder");
	self[length] = 0;
	*strrchr(self, '/') = 0;
	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s/%.80s", self, dirs[i], file);
		if (access(path, R_OK))
			continue;
		snprintf(path, sizeof(path), "%s/%s", self, dirs[i]);
		return realpath(path, dir) ? 0 : lkst_err_sys(e, -errno, "%s", path);
	}
	return lkst_err_set(e, -ENOENT, "%s is neither in %s/%s nor in %s/%s", file, self, dirs[0],
			    self, dirs[1]);
}

int lkst_handler_object(struct lkst_err *e, const char *word, char path[LKST_HANDLER_PATH_MAX])
{
	size_t length = strlen(word);
	char dir[LKST_HANDLER_PATH_MAX], file[64];
	int err;

	if (strchr(word, '/') || (length > 2 && !strcmp(word + length - 2, ".o"))) {
		if (length >= LKST_HANDLER_PATH_MAX)
			return lkst_err_sys(e, -ENAMETOOLONG, "%.40s", word);
		memcpy(path, word, length + 1);
		return 0;
	}
	snprintf(file, sizeof(file), "%.60s.o", word);
	err = find(e, handler_dirs, file, dir);
	if (err) {
		lkst_err_add(e, "no handler \"%s\" comes with the program", word);
		return err;
	}
	length = strlen(dir);
	if (length + strlen(file) + 2 > LKST_HANDLER_PATH_MAX)
		return lkst_err_sys(e, -ENAMETOOLONG, "%s", dir);
	memcpy(path, dir, length);
	path[length] = '/';
	memcpy(path + length + 1, file, strlen(file) + 1);
	return 0;
}

void lkst_handler_print_shipped(void)
{
	char dir[LKST_HANDLER_PATH_MAX];
	struct lkst_err ignored;
	struct dirent *d;
	DIR *handlers;

	if (find(&ignored, handler_dirs, ".", dir))
		return;
	handlers = opendir(dir);
	if (!handlers)
		return;
	printf("\nComing with the program, in %s:", dir);
	while ((d = readdir(handlers))) {
		size_t length = strlen(d->d_name);

		if (length > 2 && !strcmp(d->d_name + length - 2, ".o"))
			printf(" %.*s", (int)length - 2, d->d_name);
	}
	putchar('\n');
	closedir(handlers);
}

/* Runs the first clang there is; by its plain name, or by one with a version, as Debian has it. */
static void run_clang(const char **args)
{
	static const char *const names[] = { "clang",	 "clang-16", "clang-19",
					     "clang-18", "clang-17", "clang-15",
					     "clang-14", "clang-20", "clang-21" };
	const char *own = getenv("CLANG");
	size_t i;

	if (own) {
		args[0] = own;
		execvp(own, (char *const *)args);
	}
	for (i = 0; !own && i < sizeof(names) / sizeof(names[0]); i++) {
		args[0] = names[i];
		execvp(names[i], (char *const *)args);
	}
	_exit(127);
}

static int compile(struct lkst_err *e, const char **args)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return lkst_err_sys(e, -errno, "running clang");
	if (!pid)
		run_clang(args);
	if (waitpid(pid, &status, 0) != pid)
		return lkst_err_sys(e, -errno, "running clang");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return lkst_err_set(
			e, -ENOENT,
			"there is no clang; install it, or name it by the variable CLANG");
	return !WIFEXITED(status) || WEXITSTATUS(status)
		       ? lkst_err_set(e, -EINVAL, "clang refuses the source")
		       : 0;
}

/* "-I" and a folder below @dir. */
static void include_dir(const char *dir, const char *below, char text[LKST_HANDLER_PATH_MAX + 16])
{
	snprintf(text, LKST_HANDLER_PATH_MAX + 16, "-I%s%s", dir, below);
}

int lkst_handler_build(struct lkst_err *e, const char *source, const char *object, bool quiet)
{
	char dir[LKST_HANDLER_PATH_MAX], out[LKST_HANDLER_PATH_MAX];
	char outer[LKST_HANDLER_PATH_MAX + 16], inner[LKST_HANDLER_PATH_MAX + 16];
	const char *args[ARGS_MAX] = { "clang", "-target",     "bpf",	    "-g",
				       "-O2",	"-mcpu=v3",    TARGET_ARCH, outer,
				       inner,	ARCH_INCLUDES, "-Wall",	    "-Wno-unused-parameter",
				       "-c",	source,	       "-o",	    out };
	size_t length = strlen(source), i;
	int err;

	if (length < 3 || strcmp(source + length - 2, ".c"))
		return lkst_err_set(e, -EINVAL, "%s is no C source: its name does not end in .c",
				    source);
	if (length >= sizeof(out) || (object && strlen(object) >= sizeof(out)))
		return lkst_err_sys(e, -ENAMETOOLONG, "%.40s", source);
	snprintf(out, sizeof(out), "%s", object ? object : source);
	if (!object)
		out[length - 1] = 'o';
	err = find(e, header_dirs, "lkst/handler.h", dir);
	if (err)
		return err;
	include_dir(dir, "", outer);
	include_dir(dir, "/lkst", inner);
	for (i = 0; !quiet && args[i]; i++)
		printf("%s%c", args[i], args[i + 1] ? ' ' : '\n');
	fflush(stdout);
	err = compile(e, args);
	if (err)
		lkst_err_add(e, "%s", source);
	return err;
}
