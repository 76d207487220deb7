/* SPDX-License-Identifier: GPL-2.0-only */
/* The lkst program: finds the command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/out.h"
#include "base/size.h"
#include "cmd/frame/cmd.h"
#include "cmd/frame/rlimits.h"
#include "cmd/frame/sigbus.h"
#include "cmd/frame/version.h"

/* As `lkst help` lists them: titles of groups, and the commands of each. */
static const struct {
	const char *group;
	const struct lkst_cmd *cmd; /* NULL: a title */
} commands[] = {
#define GROUP(title) { .group = title },
#define COMMAND(name) { .cmd = &lkst_cmd_##name },
#define LINK(name)
#include "cmd/frame/commands.def"
};

static const struct lkst_cmd *const links[] = {
#define COMMAND(name)
#define LINK(name) &lkst_cmd_##name,
#include "cmd/frame/commands.def"
};

enum { EXIT_USAGE = 2 };

static void print_overview(FILE *to)
{
	size_t i;

	fprintf(to, "usage: lkst COMMAND [OPTIONS]\n\n"
		    "A black box for running Linux machines: it records what the kernel does, and\n"
		    "says what happened.\n");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].cmd)
			fprintf(to, "  %-11s%s\n", commands[i].cmd->name, commands[i].cmd->summary);
		else
			fprintf(to, "\n%s:\n", commands[i].group);
	if (lkst_version_left_out()[0])
		fprintf(to, "\nThis lkst was built without %s.\n", lkst_version_left_out());
	fprintf(to,
		"\n`lkst COMMAND --help` explains each, `lkst --version` says which lkst this is.\n");
}

static const struct lkst_cmd *main_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (commands[i].cmd && !strcmp(commands[i].cmd->name, name))
			return commands[i].cmd;
	return NULL;
}

/* The command that the program at @path is when it is called by that name, a link. */
static const struct lkst_cmd *find_link(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t i;

	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		if (!strcmp(links[i]->name, name))
			return links[i];
	return NULL;
}

/* What the verifier or libbpf says is for developers, not for the user: shown only on request. */
static void print_log(const char *format, va_list args)
{
	vfprintf(stderr, format, args);
}

static void print_progress(const char *what, uint64_t done, uint64_t total)
{
	char done_text[LKST_SIZE_TEXT], total_text[LKST_SIZE_TEXT];

	if (what) {
		lkst_size_format(done, done_text);
		lkst_size_format(total, total_text);
		fprintf(stderr, "\r%s: %s of %s (%u %%) ", what, done_text, total_text,
			(unsigned int)(done * 100 / total));
	} else {
		fputs("\r\033[K", stderr);
	}
	fflush(stderr);
}

static void hear_libraries(struct lkst_diag *diag)
{
	*diag = (struct lkst_diag){
		.log = getenv("LKST_DEBUG") ? print_log : NULL,
		.progress = isatty(STDERR_FILENO) ? print_progress : NULL,
	};
	lkst_diag_set(diag);
}

int main(int argc, char **argv)
{
	const struct lkst_cmd *cmd = argc ? find_link(argv[0]) : NULL;
	struct lkst_diag diag;

	hear_libraries(&diag);
	lkst_sigbus_explain();
	lkst_rlimits_prepare();
	if (cmd)
		return lkst_cmd_main(cmd, argc - 1, argv + 1, lkst_rlimits_explain);
	if (argc < 2) {
		print_overview(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		cmd = argc > 2 ? main_find(argv[2]) : NULL;
		if (cmd)
			lkst_cmd_print_help(cmd);
		else
			print_overview(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") ||
	    !strcmp(argv[1], "version")) {
		lkst_version_print(stdout);
		return 0;
	}
	cmd = main_find(argv[1]);
	if (!cmd) {
		lkst_print_message(stderr,
				   "lkst: there is no command \"%s\"; `lkst help` lists them",
				   argv[1]);
		return EXIT_USAGE;
	}
	return lkst_cmd_main(cmd, argc - 2, argv + 2, lkst_rlimits_explain);
}
