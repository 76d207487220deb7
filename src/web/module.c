/* SPDX-License-Identifier: GPL-2.0-only */
/* The library as a module of WebAssembly: the files of a trace, and the commands that read it. */
#include "web/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyses/analysis.h"
#include "result/json_writer.h"
#include "base/out.h"
#include "base/vec.h"
#include "trace/format/zstd_decode.h"
#include "cmd/readers/code_naming.h"
#include "cmd/frame/cmd.h"
#include "cmd/readers/traces.h"
#include "hosts/memory_recordings.h"
#include "trace/read/reader.h"
#include "web/shown_traces.h"

enum { WORDS_MAX = 256, EXIT_USAGE = 2 };

static struct lkst_memory_file *files;
static unsigned int nr_files;
static unsigned int chosen; /* lkst_web_choose() */

static const struct lkst_cmd *const commands[] = {
#define COMMAND(name)
#define LINK(name)
#define READER(name) &lkst_cmd_##name,
#include "cmd/frame/commands.def"
};

/* ---- the files -------------------------------------------------------------------------------- */

void *lkst_web_alloc(size_t bytes)
{
	return malloc(bytes ?: 1);
}

void lkst_web_free(void *memory)
{
	free(memory);
}

int lkst_web_add_file(char *name, void *bytes, size_t length)
{
	struct lkst_memory_file *file = lkst_vec_add(files, nr_files);

	/* What was shown was without it. */
	lkst_web_forget();
	if (!file)
		return -ENOMEM;
	*file = (struct lkst_memory_file){ name, bytes, length };
	return 0;
}

int lkst_web_add_packed(char *name, void *packed, size_t length)
{
	uint8_t *bytes = NULL;
	size_t unpacked = 0;
	int err = lkst_zstd_decode(packed, length, SIZE_MAX / 2, &bytes, &unpacked);

	free(packed);
	if (!err)
		err = lkst_web_add_file(name, bytes, unpacked);
	if (err) {
		free(name);
		free(bytes);
	}
	return err;
}

void lkst_web_clear(void)
{
	lkst_web_forget();
	chosen = 0;
	while (nr_files) {
		nr_files--;
		free((void *)files[nr_files].name);
		free((void *)files[nr_files].bytes);
	}
}

/* Leaves the trace of one of the hosts, whose clock was brought to the common time. */
static void leave_one(struct lkst_cmd_traces *traces, unsigned int i)
{
	traces->trace = traces->hosts.list[i].trace;
	traces->hosts.list[i].trace = NULL;
	lkst_hosts_close(&traces->hosts);
}

/* Opens the traces of several hosts; or of the one that was chosen, by itself. */
static int open_hosts(struct lkst_err *e, const struct lkst_memory_recordings *r, struct lkst_cmd_traces *ret_traces)
{
	struct lkst_trace *traces[LKST_HOSTS_MAX];
	const char *names[LKST_HOSTS_MAX];
	unsigned int i, nr = 0;
	int err = 0;

	for (; nr < r->nr && !err; nr += !err) {
		names[nr] = r->list[nr].name;
		err = lkst_trace_open_memory(e, r->list[nr].files, r->list[nr].nr, &traces[nr]);
	}
	for (i = 0; i < nr && err; i++)
		lkst_trace_close(traces[i]);
	err = err ?: lkst_hosts_take(e, traces, nr, &ret_traces->hosts);
	if (!err && chosen && chosen <= nr)
		leave_one(ret_traces, chosen - 1);
	else if (!err)
		err = lkst_cmd_tell_hosts(e, &ret_traces->hosts, names);
	return err;
}

/* What is shown is open, and stays so from question to question. */
static int hold_shown(struct lkst_err *e, const struct lkst_web_shown *shown, struct lkst_cmd_traces *ret_traces)
{
	const struct lkst_hosts *h = &shown->traces.hosts;
	const char *names[LKST_HOSTS_MAX];
	unsigned int i;

	if (shown->traces.trace || (chosen && chosen <= h->nr)) {
		ret_traces->trace = lkst_trace_hold(shown->traces.trace ?: h->list[chosen - 1].trace);
		return 0;
	}
	for (i = 0; i < h->nr; i++)
		names[i] = h->list[i].name;
	return lkst_hosts_hold(e, h, &ret_traces->hosts) ?: lkst_cmd_tell_hosts(e, &ret_traces->hosts, names);
}

static int open_files(struct lkst_err *e, struct lkst_cmd_traces *ret_traces)
{
	struct lkst_memory_recordings r;
	int err = lkst_memory_recordings_find(e, files, nr_files, &r);

	if (err)
		return err;
	err = r.nr < 2 ? lkst_trace_open_memory(e, files, nr_files, &ret_traces->trace) : open_hosts(e, &r, ret_traces);
	lkst_memory_recordings_fini(&r);
	return err;
}

/* In place of those of cmd/readers/traces.c: the commands' traces are those that are there. */
int lkst_cmd_open_traces(struct lkst_err *e, char **args, unsigned int nr_args, struct lkst_cmd_traces *ret_traces)
{
	const struct lkst_web_shown *shown = lkst_web_shown();
	int err = shown ? hold_shown(e, shown, ret_traces) : open_files(e, ret_traces);

	if (!err && ret_traces->trace)
		lkst_cmd_tell_ending(ret_traces->trace, args[0]);
	return err;
}

int lkst_cmd_open_trace(struct lkst_err *e, char **args, unsigned int nr_args,
			struct lkst_trace **ret_trace)
{
	struct lkst_cmd_traces traces = {};
	int err = lkst_cmd_open_traces(e, args, nr_args, &traces);

	if (!err && !traces.trace)
		err = lkst_err_set(e, -EINVAL, "this is said of one host at a time");
	if (err)
		lkst_cmd_traces_fini(&traces);
	else
		*ret_trace = traces.trace;
	return err;
}

void lkst_web_choose(unsigned int nr)
{
	chosen = nr;
}

/* In place of cmd/readers/code_naming.c: there are no files of programs here. */
int lkst_code_naming_begin(struct lkst_err *e, const struct lkst_trace *t, struct lkst_code_namer *ret_namer)
{
	*ret_namer = (struct lkst_code_namer){};
	return 0;
}

void lkst_code_naming_end(struct lkst_code_namer *namer)
{
}

/* ---- the commands ------------------------------------------------------------------------------ */

static const struct lkst_cmd *find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	return NULL;
}

int lkst_web_run(char *words, unsigned int nr_words)
{
	char *argv[WORDS_MAX + 1] = {};
	const struct lkst_cmd *cmd;
	unsigned int i;
	int status;

	if (!nr_words || nr_words > WORDS_MAX)
		return EXIT_USAGE;
	for (i = 0; i < nr_words; i++, words += strlen(words) + 1)
		argv[i] = words;
	cmd = find(argv[0]);
	if (!cmd) {
		lkst_print_message(stderr, "lkst: a page has no command \"%s\"", argv[0]);
		return EXIT_USAGE;
	}
	status = lkst_cmd_main(cmd, (int)nr_words - 1, argv + 1, NULL);
	fflush(stdout);
	return status;
}

int lkst_web_analyses(void)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	const struct lkst_analysis *const *a;
	struct lkst_json j;

	if (!out)
		return -ENOMEM;
	lkst_out_init(out, STDOUT_FILENO);
	lkst_json_init(&j, out);
	lkst_json_array(&j, NULL);
	for (a = lkst_analyses; *a; a++) {
		if ((*a)->is_of_named)
			continue;
		lkst_json_object(&j, NULL);
		lkst_json_str(&j, "name", (*a)->name);
		lkst_json_str(&j, "title", (*a)->title);
		lkst_json_str(&j, "help", (*a)->help);
		lkst_json_str(&j, "measures", (*a)->measures);
		lkst_json_end(&j);
	}
	lkst_json_end(&j);
	return lkst_out_flush(out);
}
