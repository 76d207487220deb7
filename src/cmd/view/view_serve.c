/* SPDX-License-Identifier: GPL-2.0-only */
/* The page of lkst view for a browser that asks for it. */
#include "cmd/view/view_serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/out.h"
#include "base/vec.h"
#include "cmd/frame/end_signals.h"
#include "cmd/view/http_server.h"
#include "cmd/view/view_files.h"
#include "cmd/view/view_page.h"
#include "result/json_writer.h"

enum {
	SECRET = 16, /* random bytes of a token */
	TOKEN = 2 * SECRET,
};

/* A trace, or those of hosts, and their files as they are sent. Connections that send one hold it. */
struct generation {
	unsigned int nr, nr_users;
	struct lkst_reading reading;
	struct lkst_memory_file *files;
	unsigned int nr_files;
};

struct served_view {
	const struct lkst_view_source *source;
	char token[TOKEN + 1];
	char *page;
	size_t page_length;
	struct generation *now;
	struct lkst_err failure; /* why there is none after this one */
};

/* ---- generations -------------------------------------------------------------------------------- */

static void view_serve_drop(void *held)
{
	struct generation *g = held;
	unsigned int i;

	if (!g || --g->nr_users)
		return;
	for (i = 0; i < g->nr_files; i++)
		free((char *)g->files[i].name);
	free(g->files);
	lkst_reading_close(&g->reading);
	free(g);
}

static int view_serve_add_file(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file)
{
	struct generation *g = ctx;
	struct lkst_memory_file *added;
	char *name = strdup(file->name);

	added = name ? lkst_vec_add(g->files, g->nr_files) : NULL;
	if (!added) {
		free(name);
		return lkst_err_sys(e, -ENOMEM, "serving %s", file->name);
	}
	*added = (struct lkst_memory_file){ name, file->bytes, file->length };
	return 0;
}

/* Shows @reading from now on, which is taken in any case. */
static int set_reading(struct lkst_err *e, struct served_view *v, struct lkst_reading reading)
{
	struct generation *g = calloc(1, sizeof(*g));
	int err;

	if (!g) {
		lkst_reading_close(&reading);
		return lkst_err_sys(e, -ENOMEM, "serving the trace");
	}
	g->nr = v->now ? v->now->nr + 1 : 1;
	g->nr_users = 1;
	g->reading = reading;
	err = lkst_view_each_file(e, &g->reading, view_serve_add_file, g);
	if (err) {
		view_serve_drop(g);
		return err;
	}
	view_serve_drop(v->now);
	v->now = g;
	return 0;
}

static void look_for_next(struct served_view *v)
{
	struct lkst_reading reading;
	struct lkst_trace *trace = NULL;
	int r;

	if (!v->source->next || v->failure.text[0])
		return;
	r = v->source->next(&v->failure, v->source->ctx, &trace);
	if (r > 0 && !lkst_reading_take(&v->failure, &trace, 1, &reading))
		set_reading(&v->failure, v, reading);
}

/* ---- answers ------------------------------------------------------------------------------------ */

static void view_serve_put_list(struct lkst_json *j, const struct served_view *v)
{
	unsigned int i;

	lkst_json_object(j, NULL);
	lkst_json_u64(j, "generation", v->now->nr);
	lkst_json_str(j, "error", v->failure.text);
	lkst_json_array(j, "files");
	for (i = 0; i < v->now->nr_files; i++) {
		lkst_json_object(j, NULL);
		lkst_json_str(j, "name", v->now->files[i].name);
		lkst_json_u64(j, "length", v->now->files[i].length);
		lkst_json_end(j);
	}
	lkst_json_end(j);
	lkst_json_end(j);
}

static void view_serve_answer_list(struct served_view *v, struct lkst_http_answer *answer)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	char *text = NULL;
	FILE *to = open_memstream(&text, &answer->length);
	struct lkst_json j;

	look_for_next(v);
	if (out && to) {
		lkst_out_init_stream(out, to);
		lkst_json_init(&j, out);
		view_serve_put_list(&j, v);
		lkst_out_flush(out);
	}
	if (!to || fclose(to) || !out) {
		free(text);
		return;
	}
	answer->status = LKST_HTTP_OK;
	answer->type = "application/json";
	answer->bytes = answer->held = text;
	answer->release = free;
}

/* "file/G/I" */
static void answer_file(struct served_view *v, const char *path, struct lkst_http_answer *answer)
{
	unsigned int generation, i;
	int end = 0;

	if (sscanf(path, "file/%9u/%9u%n", &generation, &i, &end) != 2 || path[end] ||
	    generation != v->now->nr || i >= v->now->nr_files)
		return;
	v->now->nr_users++;
	*answer = (struct lkst_http_answer){
		.status = LKST_HTTP_OK,
		.type = "application/octet-stream",
		.bytes = v->now->files[i].bytes,
		.length = v->now->files[i].length,
		.release = view_serve_drop,
		.held = v->now,
	};
}

/* Whether @path begins with "/TOKEN/", found out in a time that does not depend on how much of it is right. */
static bool has_token(const struct served_view *v, const char *path)
{
	unsigned char difference = 0;
	unsigned int i;

	if (strlen(path) < TOKEN + 2)
		return false;
	for (i = 0; i < TOKEN; i++)
		difference |= (unsigned char)(path[1 + i] ^ v->token[i]);
	return !difference && path[1 + TOKEN] == '/';
}

static void view_serve_answer_request(void *ctx, const struct lkst_http_request *r,
				      struct lkst_http_answer *answer)
{
	struct served_view *v = ctx;
	const char *path = r->path + TOKEN + 2;

	answer->status = LKST_HTTP_FORBIDDEN;
	if (!has_token(v, r->path))
		return;
	answer->status = LKST_HTTP_NOT_FOUND;
	if (!*path)
		*answer = (struct lkst_http_answer){ .status = LKST_HTTP_OK,
						     .type = "text/html; charset=windows-1252",
						     .bytes = v->page,
						     .length = v->page_length };
	else if (!strcmp(path, "list"))
		view_serve_answer_list(v, answer);
	else
		answer_file(v, path, answer);
}

/* ---- the server --------------------------------------------------------------------------------- */

static int make_token(struct lkst_err *e, char token[TOKEN + 1])
{
	unsigned char secret[SECRET];

	if (getrandom(secret, sizeof(secret), 0) != sizeof(secret))
		return lkst_err_sys(e, -EIO, "making a token");
	*lkst_put_bytes(token, secret, SECRET) = 0;
	return 0;
}

static int view_view_serve(struct lkst_err *e, struct served_view *v, const char *address)
{
	_cleanup_close_ int end_fd = -1, listen_fd = -1;
	char place[LKST_HTTP_ADDRESS_MAX];
	bool is_local;

	listen_fd = lkst_http_listen(e, address, place, &is_local);
	if (listen_fd < 0)
		return listen_fd;
	end_fd = lkst_end_signals_open(e);
	if (end_fd < 0)
		return end_fd;
	lkst_print_message(stdout, "http://%s/%s/: open it in a browser; Ctrl-C ends it", place,
			   v->token);
	fflush(stdout);
	if (!is_local)
		lkst_print_message(
			stderr,
			"Other machines can connect. Whoever has this address, or sees it or the "
			"trace on the way, can read the trace.");
	return lkst_http_serve(e, listen_fd, end_fd, view_serve_answer_request, v);
}

int lkst_view_serve(struct lkst_err *e, const char *address, const struct lkst_view_source *source)
{
	struct served_view v = { .source = source };
	int err = set_reading(e, &v, source->reading);

	if (err)
		return err;
	err = make_token(e, v.token) ?: lkst_view_page_served(e, source->name, source->next, &v.page,
							       &v.page_length)
		     ?: view_view_serve(e, &v, address);
	view_serve_drop(v.now);
	free(v.page);
	return err;
}
