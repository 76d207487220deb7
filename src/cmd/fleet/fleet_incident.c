/* SPDX-License-Identifier: GPL-2.0-only */
/* The verbs of lkst fleet about one incident, or a moment of several machines: its account, and its bundles. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/create.h"
#include "base/ends_in.h"
#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "bundle/bundle.h"
#include "cmd/fleet/fleet.h"
#include "fleet/client.h"
#include "fleet/download.h"
#include "print/table_text.h"

enum { INCIDENTS_MAX = 1024 }; /* of one moment */

/* A bundle of unknown size has at most so many bytes. */
#define BUNDLE_MAX (64ULL << 30)

/* The rows of the answer. */
struct incidents {
	struct incident {
		char *host, *id, *bundle, *note;
		u64 bytes;
	} items[INCIDENTS_MAX];
	unsigned int nr;
	u64 nr_more; /* that have no room */
};

static void incidents_free(struct incidents *list)
{
	for (unsigned int i = 0; list && i < list->nr; i++) {
		free(list->items[i].host);
		free(list->items[i].id);
		free(list->items[i].bundle);
		free(list->items[i].note);
	}
	free(list);
}
LKST_GUARD(incidents_free, struct incidents)

static const char *text_of(const struct lkst_table *t, size_t row,
			   enum lkst_fleet_of_incident column)
{
	const struct lkst_cell *c = lkst_table_cell(t, row, column);

	return c->is_set ? c->text : "";
}

static int fleet_incident_ask(struct lkst_job *job, const char *url, const char *id, struct lkst_fleet **ret_fleet,
			      lkst_table_sink *sink, void *arg)
{
	struct lkst_fleet_question q;
	int err = lkst_fleet_command_open(job->e, job->options, url, ret_fleet)
			  ?: lkst_fleet_question_incident(job->e, id, &q);

	if (err)
		return err;
	err = lkst_fleet_ask_ready(job->e, *ret_fleet, &q, sink, arg, NULL);
	lkst_fleet_question_fini(&q);
	return err;
}

static int refuse_unknown(struct lkst_err *e, const char *id)
{
	return lkst_err_set(e, -ENOENT,
			    "the server has no incident and no moment \"%.64s\"; `lkst fleet "
			    "incidents` lists them",
			    id);
}

/* ---- why ------------------------------------------------------------------------------------- */

/* Prints the lines of a text that came from somewhere. */
static void fleet_incident_print_lines(const char *text)
{
	const char *end;

	for (; *text; text = *end ? end + 1 : end) {
		end = strchrnul(text, '\n');
		lkst_print_message(stdout, "%.*s", (int)(end - text), text);
	}
}

/* Says which incident it is, and its account. */
static int fleet_incident_print_account(void *arg, const struct lkst_table *t)
{
	unsigned int *nr = arg;
	struct lkst_time_text time;
	char at[LKST_TIME_ROOM];
	size_t row;

	lkst_time_text_init(&time, LKST_TIME_DATE, 0);
	for (row = 0; row < t->nr_rows; row++, ++*nr) {
		const char *event = text_of(t, row, LKST_FLEET_INCIDENT_EVENT);
		const char *note = text_of(t, row, LKST_FLEET_INCIDENT_NOTE);
		const char *account = text_of(t, row, LKST_FLEET_INCIDENT_ACCOUNT);

		*lkst_put_time(at, &time, lkst_table_cell(t, row, LKST_FLEET_INCIDENT_TIME)->u64,
			       9) = 0;
		if (*nr)
			printf("\n");
		lkst_print_message(stdout, "%s, incident %s at %s, Linux %s: %s%s%s",
				   text_of(t, row, LKST_FLEET_INCIDENT_HOST),
				   text_of(t, row, LKST_FLEET_INCIDENT_ID), at,
				   text_of(t, row, LKST_FLEET_INCIDENT_KERNEL),
				   text_of(t, row, LKST_FLEET_INCIDENT_REASON),
				   *event ? " at " : "", event);
		if (*note)
			lkst_print_message(stdout, "note: %s", note);
		fleet_incident_print_lines(*account ? account : "The machine has sent no account of it yet.");
	}
	return 0;
}

static int count_rows(void *arg, const struct lkst_table *t)
{
	*(unsigned int *)arg += t->nr_rows;
	return 0;
}

int lkst_fleet_verb_why(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkst_fleet_command *o = job->options;
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	bool is_text = o->format == LKST_TABLE_TEXT;
	struct lkst_fleet_question q;
	unsigned int nr = 0;
	int err =
		fleet_incident_ask(job, args[0], args[1], &f, is_text ? fleet_incident_print_account : count_rows, &nr);

	if (!err && !nr)
		return refuse_unknown(job->e, args[1]);
	err = err ?: lkst_fleet_question_waits(job->e, args[1], &q);
	if (err)
		return err;
	if (is_text)
		printf("\n");
	fflush(stdout);
	err = lkst_fleet_print_answer(job->e, f, o, &q);
	lkst_fleet_question_fini(&q);
	return err;
}

/* ---- get ------------------------------------------------------------------------------------- */

static int keep_rows(void *arg, const struct lkst_table *t)
{
	struct incidents *list = arg;
	size_t row;

	for (row = 0; row < t->nr_rows; row++) {
		struct incident *i = &list->items[list->nr];

		if (list->nr == INCIDENTS_MAX) {
			list->nr_more++;
			continue;
		}
		list->nr++;
		*i = (struct incident){
			.host = strdup(text_of(t, row, LKST_FLEET_INCIDENT_HOST)),
			.id = strdup(text_of(t, row, LKST_FLEET_INCIDENT_ID)),
			.bundle = strdup(text_of(t, row, LKST_FLEET_INCIDENT_BUNDLE)),
			.note = strdup(text_of(t, row, LKST_FLEET_INCIDENT_NOTE)),
			.bytes = lkst_table_cell(t, row, LKST_FLEET_INCIDENT_BYTES)->u64
		};
		if (!i->host || !i->id || !i->bundle || !i->note)
			return -ENOMEM;
	}
	return 0;
}

/* HOST-ID.bundle, of letters that no file system or shell makes anything else of. */
static void name_file(const struct incident *i, char name[NAME_MAX + 1])
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	char *p;

	snprintf(name, NAME_MAX + 1, "%.100s-%.100s" LKST_BUNDLE_SUFFIX, i->host, i->id);
	for (p = name; *p; p++)
		if (!strchr(letters, *p) || (p == name && (*p == '.' || *p == '-')))
			*p = '_';
}

/* Refuses a file that is no bundle, while it has no name yet. */
static int check_bundle(struct lkst_err *e, const struct lkst_new_file *file)
{
	_cleanup_close_ int fd = openat(file->dir_fd, file->hidden, O_RDONLY | O_CLOEXEC);
	struct lkst_bundle b = {};
	int err = fd < 0 ? lkst_err_sys(e, -errno, "%s", file->name) : lkst_bundle_read(e, fd, &b);

	lkst_bundle_fini(&b);
	return err;
}

/* Who gets what for the store. */
struct getting {
	const struct lkst_fleet_command *options;
	const char *user, *password; /* NULL: nobody */
	const char *url;	     /* of the server */
	int dir_fd;
};

/*
 * Whether the path of a bundle is the place that it says: servers take a doubled or encoded '.', '/' or '\\' as another
 * place of the same machine, and what stands behind '?' as a wish.
 */
static bool is_plain(const char *bundle)
{
	return !strpbrk(bundle, "%\\?#@ ") && !strstr(bundle, "/./") && !strstr(bundle, "/../") &&
	       !lkst_text_ends_in(bundle, "/..") && !lkst_text_ends_in(bundle, "/.");
}

/* Whether a bundle is below @store, whatever is in it: any machine may have named any place. */
static bool is_in_store(const char *store, const char *bundle)
{
	size_t length = strlen(store);

	while (length && store[length - 1] == '/')
		length--;
	return length && !strncmp(bundle, store, length) && bundle[length] == '/' && is_plain(bundle + length);
}

/* How long "https://host" of @url is, without its port; 0: it has none. */
static size_t host_length(const char *url)
{
	const char *host = strstr(url, "://");

	if (!host)
		return 0;
	host += strlen("://");
	return (size_t)(host - url) + (*host == '[' ? strcspn(host, "]/") + 1 : strcspn(host, ":/?#"));
}

/*
 * Whether this machine asks for @bundle because a row says so. A row is from any machine that may write to the server:
 * what it names must be below the store that was named here, or, without one, of the server's own machine.
 */
static int fleet_incident_may_ask(struct lkst_err *e, const struct lkst_fleet_command *o, const char *url,
				  const char *bundle)
{
	const size_t length = host_length(url);
	const bool is_servers = length && host_length(bundle) == length && !strncasecmp(url, bundle, length) &&
				is_plain(bundle + length);

	if (o->store ? is_in_store(o->store, bundle) : is_servers)
		return 0;
	return lkst_err_set(e, -EACCES,
			    "%s is not asked for: it is not below %s; `--store URL` says below what bundles are",
			    bundle, o->store ?: "the machine of the server");
}

/* Fetches the bundle into a new file, which gets its name when all of it is there. */
static int fetch(struct lkst_err *e, const struct getting *g, const struct incident *i,
		 const char *name)
{
	const struct lkst_fleet_command *o = g->options;
	const bool is_known = g->user && o->store;
	struct lkst_fleet_file from = { .url = i->bundle,
					.user = is_known ? g->user : NULL,
					.password = is_known ? g->password : NULL,
					.ca = o->server.ca,
					.silent_ns = o->server.timeout_ns,
					.max_bytes = i->bytes ?: BUNDLE_MAX };
	struct lkst_new_file to;
	u64 bytes = 0;
	int err = fleet_incident_may_ask(e, o, g->url, i->bundle);

	if (!err)
		err = lkst_new_file_open(e, NULL, g->dir_fd, name, &to);
	if (err)
		return err;
	err = lkst_fleet_download(e, &from, to.fd, &bytes);
	if (!err && i->bytes && bytes != i->bytes)
		err = lkst_err_set(e, -EPROTO, "%s has %llu bytes, and should have %llu", i->bundle,
				   (unsigned long long)bytes, (unsigned long long)i->bytes);
	err = err ?: check_bundle(e, &to) ?: lkst_new_file_place(e, &to);
	lkst_new_file_fini(&to);
	return err;
}

/* Whether the bundle is there from an earlier time. */
static bool fleet_incident_is_there(const struct incident *i, int dir_fd, const char *name)
{
	struct stat st;

	return i->bytes && !fstatat(dir_fd, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISREG(st.st_mode) && (u64)st.st_size == i->bytes;
}

static int get_one(struct lkst_err *e, const struct getting *g, const struct incident *i)
{
	char name[NAME_MAX + 1], size[LKST_SIZE_TEXT];
	struct stat st;
	int err;

	if (!i->bundle[0]) {
		lkst_print_message(stderr, "%s has sent no bundle of %s%s%s", i->host, i->id,
				   i->note[0] ? ": " : " yet", i->note);
		return -ENOENT;
	}
	name_file(i, name);
	err = fleet_incident_is_there(i, g->dir_fd, name) ? 0 : fetch(e, g, i, name);
	if (err) {
		lkst_print_message(stderr, "%s: %s", i->host, e->text);
		return err;
	}
	lkst_size_format(fstatat(g->dir_fd, name, &st, 0) ? i->bytes : (u64)st.st_size, size);
	lkst_print_message(stdout, "%s/%s: %s", g->options->output, name, size);
	return 0;
}

static int get_all(struct lkst_err *e, struct getting *g, const struct incidents *list)
{
	_cleanup_close_ int dir_fd = -1;
	unsigned int i, nr_missing = (unsigned int)list->nr_more;
	int err = lkst_create_dir(e, NULL, AT_FDCWD, g->options->output, &dir_fd);

	if (err)
		return err;
	g->dir_fd = dir_fd;
	for (i = 0; i < list->nr; i++)
		nr_missing += get_one(e, g, &list->items[i]) != 0;
	if (nr_missing)
		return lkst_err_set(e, -ENOENT, "of %u bundles, %u could not be had",
				    list->nr + (unsigned int)list->nr_more, nr_missing);
	return 0;
}

int lkst_fleet_verb_get(struct lkst_job *job, char **args, unsigned int nr_args)
{
	const struct lkst_fleet_command *o = job->options;
	_cleanup_(incidents_freep) struct incidents *list = calloc(1, sizeof(*list));
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	char text[LKST_FLEET_CREDENTIALS_MAX] = "";
	struct getting g = { .options = o, .url = args[0] };
	int err = list ? 0 : lkst_err_sys(job->e, -ENOMEM, "asking a server");

	if (!err && o->store_credentials && !o->store)
		return lkst_err_set(job->e, -EINVAL,
				    "--store-credentials is for a store, which --store URL names");
	if (!err && o->store)
		err = lkst_store_find_credentials(job->e, o->store_credentials, text, &g.user,
						  &g.password);
	err = err ?: fleet_incident_ask(job, args[0], args[1], &f, keep_rows, list);
	if (!err)
		err = list->nr ? get_all(job->e, &g, list) : refuse_unknown(job->e, args[1]);
	explicit_bzero(text, sizeof(text));
	return err;
}
