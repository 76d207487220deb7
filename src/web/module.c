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

/* The trace of one of the hosts by itself, whose clock was brought to the common time. */
static int module_take_one(struct lkst_err *e, const struct lkst_reading *hosts, unsigned int i,
			   struct lkst_reading *ret_reading)
{
	struct lkst_trace *one = lkst_trace_hold(hosts->list[i].trace);

	return lkst_reading_take(e, &one, 1, ret_reading);
}

static int tell_hosts(struct lkst_err *e, const struct lkst_reading *hosts)
{
	const char *names[LKST_HOSTS_MAX];
	unsigned int i;

	for (i = 0; i < hosts->nr; i++)
		names[i] = hosts->list[i].name;
	return lkst_cmd_tell_hosts(e, hosts, names);
}

/* Opens the traces of several hosts; or of the one that was chosen, by itself. */
static int module_open_hosts(struct lkst_err *e, const struct lkst_memory_recordings *r,
			     struct lkst_reading *ret_reading)
{
	_cleanup_(lkst_reading_close) struct lkst_reading hosts = {};
	struct lkst_trace *traces[LKST_HOSTS_MAX];
	unsigned int i, nr = 0;
	int err = 0;

	for (; nr < r->nr && !err; nr += !err)
		err = lkst_trace_open_memory(e, r->list[nr].files, r->list[nr].nr, &traces[nr]);
	for (i = 0; i < nr && err; i++)
		lkst_trace_close(traces[i]);
	err = err ?: lkst_reading_take(e, traces, nr, &hosts);
	if (!err && chosen && chosen <= nr)
		return module_take_one(e, &hosts, chosen - 1, ret_reading);
	err = err ?: tell_hosts(e, &hosts);
	if (!err) {
		*ret_reading = hosts;
		hosts = (struct lkst_reading){};
	}
	return err;
}

/* What is shown is open, and stays so from question to question. */
static int hold_shown(struct lkst_err *e, const struct lkst_reading *shown, struct lkst_reading *ret_reading)
{
	if (shown->nr == 1 || (chosen && chosen <= shown->nr))
		return module_take_one(e, shown, shown->nr == 1 ? 0 : chosen - 1, ret_reading);
	return lkst_reading_hold(e, shown, ret_reading) ?: tell_hosts(e, ret_reading);
}

static int open_files(struct lkst_err *e, struct lkst_reading *ret_reading)
{
	struct lkst_memory_recordings r;
	struct lkst_trace *t;
	int err = lkst_memory_recordings_find(e, files, nr_files, &r);

	if (err)
		return err;
	if (r.nr < 2)
		err = lkst_trace_open_memory(e, files, nr_files, &t) ?: lkst_reading_take(e, &t, 1, ret_reading);
	else
		err = module_open_hosts(e, &r, ret_reading);
	lkst_memory_recordings_fini(&r);
	return err;
}

/* In place of those of cmd/readers/traces.c: the commands' traces are those that are there. */
int lkst_cmd_open_reading(struct lkst_err *e, char **args, unsigned int nr_args, struct lkst_reading *ret_reading)
{
	const struct lkst_web_shown *shown = lkst_web_shown();
	int err = shown ? hold_shown(e, &shown->reading, ret_reading) : open_files(e, ret_reading);

	if (!err && ret_reading->nr == 1)
		lkst_cmd_tell_ending(ret_reading->list[0].trace, args[0]);
	return err;
}

int lkst_cmd_open_trace(struct lkst_err *e, char **args, unsigned int nr_args,
			struct lkst_trace **ret_trace)
{
	_cleanup_(lkst_reading_close) struct lkst_reading reading = {};
	int err = lkst_cmd_open_reading(e, args, nr_args, &reading);

	if (!err && reading.nr > 1)
		err = lkst_err_set(e, -EINVAL, "this is said of one host at a time");
	if (!err)
		*ret_trace = lkst_trace_hold(reading.list[0].trace);
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

static const struct lkst_cmd *module_find(const char *name)
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
	cmd = module_find(argv[0]);
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
