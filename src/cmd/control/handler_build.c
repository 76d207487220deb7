/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst handler: where handlers come from, a source that is compiled or a file that is installed. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "cmd/control/handler.h"

enum { ARGS_MAX = 24 };

#ifdef __aarch64__
#define TARGET_ARCH "-D__TARGET_ARCH_arm64"
#define ARCH_INCLUDES "-I/usr/include/aarch64-linux-gnu"
#else
#define TARGET_ARCH "-D__TARGET_ARCH_x86"
#define ARCH_INCLUDES "-I/usr/include/x86_64-linux-gnu"
#endif

/* Where headers are, from the program's own folder: as built, and as installed. */
static const char *const header_dirs[] = { "include", "../include" };

void lkst_handler_print_shipped(struct lkst_out *out)
{
	char dir[LKST_HANDLER_PATH_MAX];
	struct lkst_err ignored;
	struct dirent *d;
	DIR *handlers;

	if (lkst_installed_find(&ignored, lkst_handler_dirs, ".", dir))
		return;
	handlers = opendir(dir);
	if (!handlers)
		return;
	lkst_out_printf(out, "\nComing with the program, in %s:", dir);
	/* Names of files may hold anything. */
	while ((d = readdir(handlers))) {
		size_t length = strlen(d->d_name);

		if (length <= 2 || strcmp(d->d_name + length - 2, ".o"))
			continue;
		lkst_out_str(out, " ");
		lkst_out_advance(out, lkst_out_escaped(out, lkst_out_room(out), d->d_name, length - 2, ""));
	}
	lkst_out_str(out, "\n");
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

/* Its standard output goes to @object. */
static int handler_build_compile(struct lkst_err *e, const char **args, int object)
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		return lkst_err_sys(e, -errno, "running clang");
	if (!pid) {
		if (dup2(object, STDOUT_FILENO) < 0)
			_exit(126);
		run_clang(args);
	}
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
	_cleanup_(lkst_new_file_fini) struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	size_t length = strlen(source), i, last;
	int err;

	if (length < 3 || strcmp(source + length - 2, ".c"))
		return lkst_err_set(e, -EINVAL, "%s is no C source: its name does not end in .c",
				    source);
	if (length >= sizeof(out) || (object && strlen(object) >= sizeof(out)))
		return lkst_err_sys(e, -ENAMETOOLONG, "%.40s", source);
	snprintf(out, sizeof(out), "%s", object ? object : source);
	if (!object)
		out[length - 1] = 'o';
	err = lkst_installed_find(e, header_dirs, "lkst/handler.h", dir);
	if (err)
		return err;
	include_dir(dir, "", outer);
	include_dir(dir, "/lkst", inner);
	for (i = 0; !quiet && args[i]; i++)
		printf("%s%c", args[i], args[i + 1] ? ' ' : '\n');
	fflush(stdout);
	for (last = 0; args[last + 1]; last++)
		;
	args[last] = "-";
	err = lkst_new_file_open(e, NULL, AT_FDCWD, out, &file) ?:
	      handler_build_compile(e, args, file.fd) ?:
	      lkst_new_file_place(e, &file);
	if (err)
		lkst_err_add(e, "%s", source);
	return err;
}
