/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Model Context Protocol as a server has it. What a client sends is read by jansson, which allows 2048 levels of
 * nesting and no NUL in a string. Answers of calls are put together as text: they are large, and JSON already.
 */
#include "cmd/mcp/protocol.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "base/vec.h"
#include "base/version.h"
#include "cmd/mcp/lines.h"
#include "cmd/mcp/resources.h"

/* https://www.jsonrpc.org/specification, 5.1; from -32000 on they are the server's own. */
enum code {
	PARSE_ERROR = -32700,
	INVALID_REQUEST = -32600,
	METHOD_NOT_FOUND = -32601,
	INVALID_PARAMS = -32602,
	INTERNAL_ERROR = -32603,
	TOO_MANY = -32000,
	NO_RESOURCE = -32002, /* the protocol's */
};

enum {
	SHOWN_MAX = 64, /* bytes of a name that an error repeats */
	TEXT_MAX = 512,
};

const char *const lkst_mcp_versions[] = { "2025-06-18", "2025-03-26", "2024-11-05", NULL };

/* Several messages in one line are answered together, when all are. Version 2025-06-18 has no such lines. */
struct batch {
	unsigned int nr_left; /* calls that are not answered, and 1 while the line is read */
	char *text;	      /* the answers so far, with "[" at the beginning */
	size_t length;
};

/* A call that is not answered. */
struct protocol_call {
	u64 number;
	json_t *id;
	struct batch *batch; /* NULL: it was alone in its line */
	size_t bytes;	     /* of its arguments */
};

struct lkst_mcp_server {
	const struct lkst_mcp_ops *ops;
	void *ctx;
	unsigned int version; /* in lkst_mcp_versions[] */
	u64 last_number;
	size_t waiting; /* bytes of the arguments of all calls */
	struct protocol_call *calls;
	unsigned int nr_calls;
	struct batch *batch; /* of the line that is being read */
};

/* ---- sending --------------------------------------------------------------------------------- */

/* Sends the answers of @b when nothing is left to answer. */
static void release_batch(struct lkst_mcp_server *s, struct batch *b)
{
	if (--b->nr_left)
		return;
	if (b->text) {
		b->text[b->length] = ']';
		s->ops->send(s->ctx, b->text, b->length + 1);
	}
	free(b->text);
	free(b);
}

/* Sends a message, or keeps it with the others of its batch. */
static void send_text(struct lkst_mcp_server *s, struct batch *b, const char *text, size_t length)
{
	char *more;

	if (!b) {
		s->ops->send(s->ctx, text, length);
		return;
	}
	more = realloc(b->text, b->length + length + 2);
	if (!more)
		return;
	b->text = more;
	b->text[b->length] = b->length ? ',' : '[';
	memcpy(b->text + b->length + 1, text, length);
	b->length += length + 1;
}

/* Sends @message, which is this function's from then on. */
static void send_json(struct lkst_mcp_server *s, struct batch *b, json_t *message)
{
	_cleanup_free_ char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;

	if (text)
		send_text(s, b, text, strlen(text));
	json_decref(message);
}

/* @id NULL: it is not known. */
static void send_error(struct lkst_mcp_server *s, json_t *id, enum code code, const char *format,
		       ...) __attribute__((format(printf, 4, 5)));
static void send_error(struct lkst_mcp_server *s, json_t *id, enum code code, const char *format,
		       ...)
{
	char text[TEXT_MAX];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	send_json(s, s->batch,
		  json_pack("{s:s, s:o, s:{s:i, s:s}}", "jsonrpc", "2.0", "id",
			    id ? json_incref(id) : json_null(), "error", "code", (int)code,
			    "message", text));
}

/* How many bytes of @name an error repeats: whole characters. */
static int shown(const char *name)
{
	size_t length = strlen(name);

	if (length <= SHOWN_MAX)
		return (int)length;
	for (length = SHOWN_MAX; length && ((unsigned char)name[length] & 0xc0) == 0x80; length--)
		;
	return (int)length;
}

/* @result is this function's from then on; NULL: no memory. */
static void send_result(struct lkst_mcp_server *s, json_t *id, json_t *result)
{
	if (!result) {
		send_error(s, id, INTERNAL_ERROR, "there is no memory for the answer");
		return;
	}
	send_json(s, s->batch,
		  json_pack("{s:s, s:O, s:o}", "jsonrpc", "2.0", "id", id, "result", result));
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void protocol_forget(struct lkst_mcp_server *s, unsigned int i)
{
	struct protocol_call call = s->calls[i];

	memmove(s->calls + i, s->calls + i + 1, (s->nr_calls - i - 1) * sizeof(*s->calls));
	s->nr_calls--;
	s->waiting -= call.bytes;
	json_decref(call.id);
	if (call.batch)
		release_batch(s, call.batch);
}

/* What is an object of the reply on one line, in @p, where there is room for it. */
static char *put_object(char *p, const struct lkst_mcp_reply *r)
{
	size_t i;

	for (i = 0; i < r->json_length; i++)
		*p++ = r->json[i] == '\n' ? ' ' : r->json[i];
	return p;
}

void lkst_mcp_server_answer(struct lkst_mcp_server *s, u64 number, const struct lkst_mcp_reply *r)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":";
	static const char content[] = ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":";
	static const char structured[] = "}],\"structuredContent\":";
	_cleanup_free_ char *id = NULL, *text = NULL;
	unsigned int i;
	char *p;

	for (i = 0; i < s->nr_calls && s->calls[i].number != number; i++)
		;
	if (i == s->nr_calls)
		return;
	id = json_dumps(s->calls[i].id, JSON_COMPACT | JSON_ENCODE_ANY);
	if (id)
		text = malloc(sizeof(head) + sizeof(content) + sizeof(structured) + strlen(id) +
			      6 * r->text_length + r->json_length + TEXT_MAX);
	if (text) {
		p = lkst_put_str(lkst_put_str(lkst_put_str(text, head), id), content);
		p = lkst_put_json(p, r->text, r->text_length);
		/* Only the newest version has results for programs. */
		if (r->json_length && !s->version)
			p = put_object(lkst_put_str(p, structured), r);
		else
			p = lkst_put_str(p, "}]");
		p = lkst_put_str(p, r->is_error ? ",\"isError\":true}}" : ",\"isError\":false}}");
		send_text(s, s->calls[i].batch, text, (size_t)(p - text));
	}
	protocol_forget(s, i);
}

unsigned int lkst_mcp_server_nr_calls(const struct lkst_mcp_server *s)
{
	return s->nr_calls;
}

static void protocol_call_tool(struct lkst_mcp_server *s, json_t *id, json_t *params)
{
	const char *name = json_string_value(json_object_get(params, "name"));
	json_t *arguments = json_object_get(params, "arguments");
	_cleanup_free_ char *text = NULL;
	struct protocol_call *call;

	if (!name || (arguments && !json_is_object(arguments))) {
		send_error(
			s, id, INVALID_PARAMS,
			"tools/call takes the \"name\" of a tool, and its \"arguments\", an object");
		return;
	}
	if (!s->ops->has_tool(s->ctx, name)) {
		send_error(s, id, INVALID_PARAMS, "there is no tool \"%.*s\"; tools/list has them",
			   shown(name), name);
		return;
	}
	text = arguments ? json_dumps(arguments, JSON_COMPACT) : strdup("{}");
	if (!text) {
		send_error(s, id, INTERNAL_ERROR, "there is no memory for the call");
		return;
	}
	call = s->nr_calls < LKST_MCP_CALLS_MAX && s->waiting + strlen(text) <= LKST_MCP_WAITING_MAX
		       ? lkst_vec_add(s->calls, s->nr_calls)
		       : NULL;
	if (!call) {
		send_error(s, id, TOO_MANY,
			   "too many calls wait: ask again when some are answered");
		return;
	}
	*call = (struct protocol_call){ ++s->last_number, json_incref(id), s->batch, strlen(text) };
	s->waiting += call->bytes;
	if (s->batch)
		s->batch->nr_left++;
	s->ops->call(s->ctx, s->last_number, name, text);
}

static void protocol_cancel_call(struct lkst_mcp_server *s, json_t *params)
{
	json_t *id = json_object_get(params, "requestId");
	unsigned int i;

	for (i = 0; i < s->nr_calls; i++)
		if (json_equal(s->calls[i].id, id)) {
			s->ops->cancel(s->ctx, s->calls[i].number);
			protocol_forget(s, i);
			return;
		}
}

/* ---- requests -------------------------------------------------------------------------------- */

static void initialize(struct lkst_mcp_server *s, json_t *id, json_t *params)
{
	const char *asked = json_string_value(json_object_get(params, "protocolVersion"));
	unsigned int i;

	if (!asked) {
		send_error(s, id, INVALID_PARAMS, "initialize takes a \"protocolVersion\"");
		return;
	}
	/* Who asks for an unknown one is offered the newest, and may then leave. */
	s->version = 0;
	for (i = 0; lkst_mcp_versions[i]; i++)
		if (!strcmp(asked, lkst_mcp_versions[i]))
			s->version = i;
	send_result(s, id,
		    json_pack("{s:s, s:{s:{}, s:{}, s:{}}, s:{s:s, s:s, s:s}, s:s}",
			      "protocolVersion", lkst_mcp_versions[s->version], "capabilities",
			      "tools", "resources", "completions", "serverInfo", "name", "lkst",
			      "title", "LKST, a flight recorder for Linux", "version", LKST_VERSION,
			      "instructions", s->ops->instructions));
}

static void answer_ping(struct lkst_mcp_server *s, json_t *id, json_t *params)
{
	send_result(s, id, json_object());
}

/* All tools are on the first page. */
static void protocol_list_tools(struct lkst_mcp_server *s, json_t *id, json_t *params)
{
	if (json_object_get(params, "cursor"))
		send_error(s, id, INVALID_PARAMS,
			   "there is no such cursor: all tools are on one page");
	else
		send_result(s, id, json_pack("{s:o}", "tools", s->ops->tools(s->ctx, !s->version)));
}

static void list_resources(struct lkst_mcp_server *s, json_t *id, json_t *params)
{
	json_t *cursor = json_object_get(params, "cursor"), *result = NULL;

	if ((cursor && !json_is_string(cursor)) ||
	    !lkst_mcp_resources_list(json_string_value(cursor), &result))
		send_error(
			s, id, INVALID_PARAMS,
			"there is no such cursor; take \"nextCursor\" as the page before has it");
	else
		send_result(s, id, result);
}

static void list_templates(struct lkst_mcp_server *s, json_t *id, json_t *params)
{
	if (json_object_get(params, "cursor"))
		send_error(s, id, INVALID_PARAMS,
			   "there is no such cursor: all templates are on one page");
	else
		send_result(s, id, lkst_mcp_resources_templates());
}

static void read_resource(struct lkst_mcp_server *s, json_t *id, json_t *params)
{
	const char *uri = json_string_value(json_object_get(params, "uri"));
	json_t *result = NULL;

	if (!uri)
		send_error(s, id, INVALID_PARAMS, "resources/read takes the \"uri\" of a resource");
	else if (!lkst_mcp_resources_read(uri, &result))
		send_error(s, id, NO_RESOURCE,
			   "there is no resource \"%.*s\"; resources/list has them", shown(uri),
			   uri);
	else
		send_result(s, id, result);
}

static void protocol_complete(struct lkst_mcp_server *s, json_t *id, json_t *params)
{
	const char *uri = NULL, *value = NULL;

	if (json_unpack(params, "{s:{s:s}, s:{s:s}}", "ref", "uri", &uri, "argument", "value",
			&value))
		send_error(
			s, id, INVALID_PARAMS,
			"completion/complete takes the \"ref\" of a resource template, and an \"argument\"");
	else
		send_result(s, id, lkst_mcp_resources_complete(uri, value));
}

static const struct method {
	const char *name;
	void (*answer)(struct lkst_mcp_server *s, json_t *id, json_t *params);
} methods[] = {
	{ "initialize", initialize },	      { "ping", answer_ping },
	{ "tools/list", protocol_list_tools },	      { "tools/call", protocol_call_tool },
	{ "resources/list", list_resources }, { "resources/templates/list", list_templates },
	{ "resources/read", read_resource },  { "completion/complete", protocol_complete },
};

static bool protocol_is_id(const json_t *id)
{
	if (json_is_string(id))
		return json_string_length(id) <= LKST_MCP_ID_MAX;
	return json_is_number(id);
}

static void protocol_answer_request(struct lkst_mcp_server *s, json_t *id, const char *name, json_t *params)
{
	size_t i;

	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (!strcmp(methods[i].name, name)) {
			methods[i].answer(s, id, params);
			return;
		}
	send_error(s, id, METHOD_NOT_FOUND, "there is no method \"%.*s\"", shown(name), name);
}

static void protocol_take_message(struct lkst_mcp_server *s, json_t *message)
{
	json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
	const char *version = json_string_value(json_object_get(message, "jsonrpc"));
	const char *name = json_string_value(json_object_get(message, "method"));

	/* An answer to a request, of which this server makes none. */
	if (id && !name &&
	    (json_object_get(message, "result") || json_object_get(message, "error")))
		return;
	if (!version || strcmp(version, "2.0") || !name || (id && !protocol_is_id(id)))
		send_error(s, protocol_is_id(id) ? id : NULL, INVALID_REQUEST,
			   "this is not a request of JSON-RPC 2.0");
	else if (params && !json_is_object(params) && !json_is_array(params))
		send_error(s, id, INVALID_REQUEST, "\"params\" is not an object");
	else if (params && !json_is_object(params))
		send_error(s, id, INVALID_PARAMS, "\"params\" is not an object");
	else if (id)
		protocol_answer_request(s, id, name, params);
	else if (!strcmp(name, "notifications/cancelled"))
		protocol_cancel_call(s, params);
}

static void take_batch(struct lkst_mcp_server *s, json_t *messages)
{
	size_t nr = json_array_size(messages), i;

	if (!nr || nr > LKST_MCP_BATCH_MAX || !s->version) {
		send_error(
			s, NULL, INVALID_REQUEST,
			"a line is one message; in version 2025-03-26 it may be an array of up to %d",
			LKST_MCP_BATCH_MAX);
		return;
	}
	s->batch = calloc(1, sizeof(*s->batch));
	if (!s->batch)
		return;
	s->batch->nr_left = 1;
	for (i = 0; i < nr; i++)
		protocol_take_message(s, json_array_get(messages, i));
	release_batch(s, lkst_take(s->batch));
}

void lkst_mcp_server_line(void *server, char *bytes, size_t length)
{
	struct lkst_mcp_server *s = server;
	json_error_t error;
	json_t *message;

	if (!bytes) {
		send_error(s, NULL, INVALID_REQUEST, "a message has at most %d bytes",
			   LKST_MCP_LINE_MAX);
		return;
	}
	while (length && (bytes[length - 1] == ' ' || bytes[length - 1] == '\r'))
		length--;
	if (!length)
		return;
	message = json_loadb(bytes, length, JSON_DECODE_ANY, &error);
	if (!message)
		send_error(s, NULL, PARSE_ERROR, "this is not JSON: %s, at byte %d", error.text,
			   error.position);
	else if (json_is_array(message))
		take_batch(s, message);
	else
		protocol_take_message(s, message);
	json_decref(message);
}

/* ---- lifetime -------------------------------------------------------------------------------- */

struct lkst_mcp_server *lkst_mcp_server_new(const struct lkst_mcp_ops *ops, void *ctx)
{
	struct lkst_mcp_server *s = calloc(1, sizeof(*s));

	if (s) {
		s->ops = ops;
		s->ctx = ctx;
	}
	return s;
}

void lkst_mcp_server_free(struct lkst_mcp_server *s)
{
	if (!s)
		return;
	while (s->nr_calls)
		protocol_forget(s, s->nr_calls - 1);
	free(s->calls);
	free(s);
}
