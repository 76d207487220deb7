/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/run_command.h"

char output[65536], message[LKST_ERR_MAX], marked[LKST_ERR_LINE];

int run_command(const struct lkst_cmd *cmd, const char *dir, const char *line)
{
	const int printed = memfd_create("printed", 0), standard = dup(STDOUT_FILENO),
		  before = open(".", O_RDONLY | O_DIRECTORY);
	char words[512], *argv[sizeof(words) / 2 + 1], *word, *rest;
	struct lkst_err e = {};
	int argc = 0, err;
	ssize_t length;

	snprintf(words, sizeof(words), "%s", line);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[argc++] = word;
	argv[argc] = NULL;
	fflush(stdout);
	if (chdir(dir) || dup2(printed, STDOUT_FILENO) < 0)
		abort();
	err = lkst_cmd_run(&e, cmd, (const char *const *)argv);
	fflush(stdout);
	if (fchdir(before) || dup2(standard, STDOUT_FILENO) < 0)
		abort();
	length = pread(printed, output, sizeof(output) - 1, 0);
	output[length < 0 ? 0 : length] = 0;
	snprintf(message, sizeof(message), "%s", e.text);
	snprintf(marked, sizeof(marked), "%s", e.line[0] ? e.line + e.mark : "");
	close(printed);
	close(standard);
	close(before);
	return err;
}
