/* SPDX-License-Identifier: GPL-2.0-only */
/* Statements to a ClickHouse server, by libcurl. */
#include "fleet/client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/answer.h"
#include "fleet/curl_library.h"
#include "fleet/question.h"

enum {
	SILENT_MAX = 65536, /* bytes that a statement without an answer may be answered with */
	MILLION = 1000000,
};

struct lkst_fleet {
	struct lkst_curl lib;
	CURL *curl;
	char *url, *database;
	struct curl_slist *headers; /* of credentials */
};

/* A request on its way. */
struct exchange {
	struct lkst_fleet *f;
	struct lkst_fleet_answer *answer; /* NULL: none is expected */
	char said[LKST_FLEET_SAID_MAX + 1];
	size_t nr_said;
	u64 bytes;
	int err;
	struct lkst_err why;
};

/* ---- opening --------------------------------------------------------------------------------- */

static bool client_is_name(const char *text)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

	return *text && strspn(text, letters) == strlen(text) && (*text < '0' || *text > '9');
}

static int client_check(struct lkst_err *e, const struct lkst_fleet_where *w)
{
	const char *host = strstr(w->url, "://");
	bool is_http = !strncmp(w->url, "http://", 7) || !strncmp(w->url, "https://", 8);

	/* Before anything prints it. */
	if (strchr(w->url, '@'))
		return lkst_err_set(
			e, -EINVAL,
			"the URL of a server has no user or password in it: others could "
			"read them; give them by --credentials");
	if (!is_http || !host[3] || host[3] == '/' || strpbrk(w->url, "?#"))
		return lkst_err_set(e, -EINVAL,
				    "\"%.200s\" is not a server's URL: try http://localhost:8123",
				    w->url);
	if (!client_is_name(w->database))
		return lkst_err_set(e, -EINVAL,
				    "the database's name may have letters, digits and _, and not "
				    "begin with a digit: \"%.64s\"",
				    w->database);
	return 0;
}

static int add_header(struct lkst_fleet *f, const char *name, const char *value)
{
	struct curl_slist *list;
	char *text;

	if (asprintf(&text, "%s: %s", name, value) < 0)
		return -ENOMEM;
	list = f->lib.slist_append(f->headers, text);
	explicit_bzero(text, strlen(text));
	free(text);
	if (list)
		f->headers = list;
	return list ? 0 : -ENOMEM;
}

static size_t client_take_bytes(char *bytes, size_t size, size_t nr, void *ctx);

static void client_prepare(struct lkst_fleet *f, const struct lkst_fleet_where *w)
{
	__typeof__(f->lib.easy_setopt) set = f->lib.easy_setopt;
	CURL *curl = f->curl;

	lkst_curl_prepare(&f->lib, curl, w->ca);
	set(curl, CURLOPT_TIMEOUT_MS, (long)(w->timeout_ns / MILLION));
	set(curl, CURLOPT_WRITEFUNCTION, client_take_bytes);
}

int lkst_fleet_open(struct lkst_err *e, const struct lkst_fleet_where *where,
		    struct lkst_fleet **ret_fleet)
{
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	int err = client_check(e, where);

	if (err)
		return err;
	f = calloc(1, sizeof(*f));
	if (!f)
		return lkst_err_sys(e, -ENOMEM, "preparing to speak to %s", where->url);
	err = lkst_curl_load(e, &f->lib);
	if (err)
		return err;
	if (!(f->curl = f->lib.easy_init()) || !(f->url = strdup(where->url)) ||
	    !(f->database = strdup(where->database)) ||
	    (where->user && add_header(f, "X-ClickHouse-User", where->user)) ||
	    (where->password && add_header(f, "X-ClickHouse-Key", where->password)) ||
	    add_header(f, "Expect", ""))
		return lkst_err_sys(e, -ENOMEM, "preparing to speak to %s", where->url);
	while (strlen(f->url) && f->url[strlen(f->url) - 1] == '/')
		f->url[strlen(f->url) - 1] = 0;
	client_prepare(f, where);
	*ret_fleet = lkst_take(f);
	return 0;
}

void lkst_fleet_close(struct lkst_fleet *f)
{
	if (!f)
		return;
	if (f->curl)
		f->lib.easy_cleanup(f->curl);
	if (f->headers)
		f->lib.slist_free_all(f->headers);
	free(f->url);
	free(f->database);
	free(f);
}

const char *lkst_fleet_database(const struct lkst_fleet *f)
{
	return f->database;
}

/* ---- a request ------------------------------------------------------------------------------- */

/* Keeps the beginning of what the server says, and has an answer read. Less than all ends the request. */
static size_t client_take_bytes(char *bytes, size_t size, size_t nr, void *ctx)
{
	struct exchange *x = ctx;
	size_t length = size * nr, room = LKST_FLEET_SAID_MAX - x->nr_said, i;
	long status = 0;

	for (i = 0; i < length && i < room; i++)
		x->said[x->nr_said++] = bytes[i] ?: ' ';
	x->bytes += length;
	x->f->lib.easy_getinfo(x->f->curl, CURLINFO_RESPONSE_CODE, &status);
	if (status == 200 && x->answer)
		x->err = lkst_fleet_answer_feed(&x->why, x->answer, bytes, length);
	else if (x->bytes > SILENT_MAX)
		x->err = lkst_err_set(&x->why, -EPROTO, "it says too much");
	return x->err ? 0 : length;
}

static int client_failed(struct lkst_err *e, const struct exchange *x, CURLcode code)
{
	const char *url = x->f->url;
	long status = 0;
	size_t end = x->nr_said;

	x->f->lib.easy_getinfo(x->f->curl, CURLINFO_RESPONSE_CODE, &status);
	while (end && (x->said[end - 1] == '\n' || x->said[end - 1] == '\r'))
		end--;
	if (x->err && x->why.text[0])
		return lkst_err_set(e, x->err, "%s: %s; it said \"%.*s\"", url, x->why.text,
				    (int)end, x->said);
	if (x->err)
		return lkst_err_sys(e, x->err, "reading what %s says", url);
	if (code == CURLE_OPERATION_TIMEDOUT)
		return lkst_err_set(e, -ETIMEDOUT,
				    "%s did not answer in time; --timeout gives it more", url);
	if (code != CURLE_OK)
		return lkst_err_set(e, -EIO, "%s: %s", url, x->f->lib.easy_strerror(code));
	return lkst_err_set(e, -EPROTO, "%s refuses (status %ld): \"%.*s\"", url, status, (int)end,
			    x->said);
}

/* The URL with @query, which is not sent as the body, and parameters. The caller frees it. */
static char *url_of(struct lkst_fleet *f, const char *query, const char *parameters)
{
	char *quoted = query ? f->lib.easy_escape(f->curl, query, 0) : NULL, *url = NULL;

	if ((query && !quoted) || asprintf(&url, "%s/?wait_end_of_query=1%s%s%s", f->url,
					   parameters, quoted ? "&query=" : "", quoted ?: "") < 0)
		url = NULL;
	if (quoted)
		f->lib.free(quoted);
	return url;
}

static int perform(struct lkst_err *e, struct exchange *x, const char *url, const void *body,
		   size_t length, bool is_packed)
{
	const struct lkst_curl *lib = &x->f->lib;
	CURL *curl = x->f->curl;
	struct curl_slist packed = { .data = (char *)"Content-Encoding: gzip",
				     .next = x->f->headers };
	long status = 0;
	CURLcode code;

	if (!url)
		return lkst_err_sys(e, -ENOMEM, "speaking to %s", x->f->url);
	lib->easy_setopt(curl, CURLOPT_URL, url);
	lib->easy_setopt(curl, CURLOPT_HTTPHEADER, is_packed ? &packed : x->f->headers);
	lib->easy_setopt(curl, CURLOPT_POSTFIELDS, body);
	lib->easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
	lib->easy_setopt(curl, CURLOPT_WRITEDATA, x);
	code = lib->easy_perform(curl);
	lib->easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
	if (code == CURLE_OK && status == 200 && (x->answer || !x->bytes))
		return 0;
	return client_failed(e, x, code);
}

int lkst_fleet_do(struct lkst_err *e, struct lkst_fleet *f, const char *statement)
{
	_cleanup_free_ char *url = url_of(f, NULL, "");
	struct exchange x = { .f = f };

	return perform(e, &x, url, statement, strlen(statement), false);
}

static int client_insert(struct lkst_err *e, struct lkst_fleet *f, const char *statement,
			 const char *parameters, const void *bytes, size_t length)
{
	_cleanup_free_ char *url = url_of(f, statement, parameters);
	struct exchange x = { .f = f };

	return perform(e, &x, url, bytes, length, true);
}

int lkst_fleet_insert(struct lkst_err *e, struct lkst_fleet *f, const char *statement,
		      const void *bytes, size_t length)
{
	return client_insert(e, f, statement, "", bytes, length);
}

int lkst_fleet_insert_as(struct lkst_err *e, struct lkst_fleet *f, const char *statement,
			 const char *id, const void *bytes, size_t length)
{
	_cleanup_free_ char *parameters = NULL;
	int err;

	if (asprintf(&parameters, "&query_id=%s", id) < 0) {
		parameters = NULL;
		return lkst_err_sys(e, -ENOMEM, "speaking to %s", f->url);
	}
	/*
	 * libcurl sends a request a second time by itself if it was the first to find that a connection which was
	 * kept is closed. But the server may have inserted the rows, and then closed it.
	 */
	f->lib.easy_setopt(f->curl, CURLOPT_FRESH_CONNECT, 1L);
	err = client_insert(e, f, statement, parameters, bytes, length);
	f->lib.easy_setopt(f->curl, CURLOPT_FRESH_CONNECT, 0L);
	return err;
}

/* @is_inside: names without a database are of the client's. Its answer goes to @answer. */
static int client_ask(struct lkst_err *e, struct lkst_fleet *f, const char *question, bool is_inside,
		      struct lkst_fleet_answer *answer, const struct lkst_table **ret_table)
{
	_cleanup_free_ char *parameters = NULL, *url = NULL;
	struct exchange x = { .f = f, .answer = answer };
	int err;

	if (asprintf(&parameters, "&readonly=1&default_format=TabSeparatedWithNamesAndTypes%s%s",
		     is_inside ? "&database=" : "", is_inside ? f->database : "") < 0) {
		parameters = NULL;
		return lkst_err_sys(e, -ENOMEM, "asking %s", f->url);
	}
	url = url_of(f, NULL, parameters);
	err = perform(e, &x, url, question, strlen(question), false);
	if (err)
		return err;
	x.err = lkst_fleet_answer_end(&x.why, answer, ret_table);
	return x.err ? client_failed(e, &x, CURLE_OK) : 0;
}

int lkst_fleet_ask(struct lkst_err *e, struct lkst_fleet *f, const char *question,
		   lkst_table_sink *sink, void *arg,
		   void (*end)(void *arg, const struct lkst_table *t))
{
	_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *answer = NULL;
	const struct lkst_table *table;
	int err;

	if (lkst_fleet_answer_new(sink, arg, &answer))
		return lkst_err_sys(e, -ENOMEM, "asking %s", f->url);
	err = client_ask(e, f, question, end != NULL, answer, &table);
	if (!err && end)
		end(arg, table);
	return err;
}

int lkst_fleet_ask_ready(struct lkst_err *e, struct lkst_fleet *f,
			 const struct lkst_fleet_question *q, lkst_table_sink *sink, void *arg,
			 void (*end)(void *arg, const struct lkst_table *t))
{
	_cleanup_(lkst_fleet_answer_freep) struct lkst_fleet_answer *answer = NULL;
	const struct lkst_table *table;
	int err;

	if (lkst_fleet_answer_new(sink, arg, &answer))
		return lkst_err_sys(e, -ENOMEM, "asking %s", f->url);
	lkst_fleet_answer_expect(answer, q->name, q->title, q->columns, q->nr_columns);
	err = client_ask(e, f, q->text, true, answer, &table);
	if (!err && end)
		end(arg, table);
	return err;
}

/* ---- one number ------------------------------------------------------------------------------ */

struct number {
	u64 value, nr;
};

static int client_take_number(void *arg, const struct lkst_table *t)
{
	struct number *n = arg;

	if (t->nr_rows && t->columns[0].type == LKST_COLUMN_COUNT &&
	    lkst_table_cell(t, 0, 0)->is_set)
		n->value = lkst_table_cell(t, 0, 0)->u64;
	else if (t->nr_rows)
		n->nr++;
	n->nr += t->nr_rows;
	return 0;
}

int lkst_fleet_ask_number(struct lkst_err *e, struct lkst_fleet *f, const char *question,
			  u64 *ret_number)
{
	struct number n = {};
	int err = lkst_fleet_ask(e, f, question, client_take_number, &n, NULL);

	if (!err && n.nr != 1)
		err = lkst_err_set(e, -EPROTO, "%s does not answer \"%s\" by a number", f->url,
				   question);
	if (!err)
		*ret_number = n.value;
	return err;
}
