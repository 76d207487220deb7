/* SPDX-License-Identifier: GPL-2.0-only */
/* Redacts the trace of a bundle: which fields are taken out, block by block. */
#include "bundle/redact.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/bytes.h"
#include "base/cleanup.h"
#include "base/create.h"
#include "base/ends_in.h"
#include "base/io.h"
#include "base/out.h"
#include "base/vec.h"
#include "trace/format/metadata.h"
#include "trace/format/stream_name.h"

enum {
	BLOCK_MAX = 1 << LKST_BLOCK_SHIFT_MAX,
	IPV4_BYTES = 4,
	IPV6_BYTES = 16,
	LOOPBACK = 127,
	/* In a plan, beside the rules plus 1: a string that stays unless it holds a word. */
	STAYS_WITHOUT_WORDS = LKST_REDACT_NR_RULES + 1,
};

static const struct redact_rule {
	struct lkst_choice choice;
	bool is_standard;
} rules[] = {
#define R(id, name, is_standard, help) { { name, help }, is_standard },
	LKST_REDACT_RULES(R)
#undef R
};

bool lkst_redact_rule_choices(unsigned int i, struct lkst_choice *ret_choice)
{
	if (i >= LKST_REDACT_NR_RULES)
		return false;
	*ret_choice = rules[i].choice;
	return true;
}

bool lkst_redact_is_standard(enum lkst_redact_rule rule)
{
	return rules[rule].is_standard;
}

/* ---- begin and end -------------------------------------------------------------------------- */

/* A word is found in texts as it is: nothing of it may be escaped there. */
static int redact_check_word(struct lkst_err *e, const char *word)
{
	char escaped[4 * LKST_REDACT_WORD_MAX + 1];
	const size_t length = strlen(word);

	if (!length || length > LKST_REDACT_WORD_MAX)
		return lkst_err_set(e, -EINVAL, "a word has 1 to %u bytes", LKST_REDACT_WORD_MAX);
	*lkst_put_escaped(escaped, word, length, "") = 0;
	if (strcmp(escaped, word) || strchr(word, ' '))
		return lkst_err_set(
			e, -EINVAL,
			"the word \"%s\" has a blank, a backslash or a control character: name "
			"parts of it that have none",
			word);
	return 0;
}

int lkst_redaction_begin(struct lkst_err *e, struct lkst_redaction *r)
{
	unsigned int i;
	int err = 0;

	if (r->rules[LKST_REDACT_WORDS] && !r->nr_words)
		return lkst_err_set(e, -EINVAL, "rule words needs a word: give --word WORD");
	for (i = 0; i < r->nr_words && !err; i++)
		err = redact_check_word(e, r->words[i]);
	if (err)
		return err;
	r->rules[LKST_REDACT_WORDS] = r->nr_words != 0;
	if (getrandom(r->key, sizeof(r->key), 0) != sizeof(r->key))
		return lkst_err_sys(e, -errno, "making a key");
	return 0;
}

void lkst_redaction_fini(struct lkst_redaction *r)
{
	free(r->kernel_names);
	free(r->plan);
	explicit_bzero(r, sizeof(*r));
}

/* ---- the plan ------------------------------------------------------------------------------- */

/* Events whose strings are the kernel's own names, or those of who set up the recording. */
static bool has_kept_strings(const struct lkst_event_class *event)
{
	switch (event->index) {
	case LKST_EV_state_symbol:
	case LKST_EV_state_irq:
	case LKST_EV_state_disk:
	case LKST_EV_state_netdev:
	case LKST_EV_state_buffer:
	case LKST_EV_state_maskset:
	case LKST_EV_state_shed:
	case LKST_EV_state_skipped:
	case LKST_EV_state_counter:
	case LKST_EV_shed_begin:
	case LKST_EV_shed_end:
	case LKST_EV_kmem_cache_create:
	case LKST_EV_module_load:
	case LKST_EV_module_free:
		return true;
	default:
		return false;
	}
}

static bool redact_is_string(const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_CHARS || f->type == LKST_CLASS_STRING ||
	       f->type == LKST_CLASS_TEXT;
}

/* comm, child_comm, newcomm and the like. */
static bool is_thread_name(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	/* What a program calls a field says nothing of what it puts there. */
	return event->group != LKST_GROUP_MARK && lkst_text_ends_in(f->name, "comm");
}

static bool is_path(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	return lkst_class_call(event) || event->group == LKST_GROUP_SYSCALL ||
	       strstr(f->name, "path") || strstr(f->name, "file");
}

/* A command line: a program, and after the first blank its arguments. */
static bool is_command(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	return (event->index == LKST_EV_exec_args || event->index == LKST_EV_state_process) && !strcmp(f->name, "args");
}

/* Of a probe, a tracepoint or a handler: only its field's names and types say what it has. */
static bool is_declared(const struct lkst_event_class *event)
{
	return event->index < 0 && !lkst_class_call(event);
}

/* Which values could not be read is not padding, though views treat it so; nor is a string, whose end is in it. */
static bool is_padding(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	if (f->type == LKST_CLASS_STRING)
		return false;
	return (f->meaning == LKST_MEANING_PAD && strcmp(f->name, LKST_PROBE_FIELD_FAULTS)) ||
	       (is_declared(event) && f->type == LKST_CLASS_UINTS && !strncmp(f->name, "pad_", 4));
}

/* Bytes that may be anything: an address, a structure, a name. */
static bool is_raw(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	return f->type == LKST_CLASS_BYTES ||
	       (is_declared(event) && f->size == 1 &&
		(f->type == LKST_CLASS_UINTS || f->type == LKST_CLASS_SINTS));
}

/*
 * An address of a network: a number that is known to be one, or is called so, or bytes that are called so or are as
 * many. Tracepoints have src[4], gw6[16], and saddr[28], a struct sockaddr_in6 (include/trace/events/fib.h, tcp.h).
 */
static bool is_network(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	if (f->meaning == LKST_MEANING_IPV4)
		return true;
	if (f->type == LKST_CLASS_UINT)
		return is_declared(event) && f->size == IPV4_BYTES &&
		       lkst_text_ends_in(f->name, "addr");
	return is_raw(event, f) &&
	       (f->count == IPV4_BYTES || f->count == IPV6_BYTES || strstr(f->name, "addr"));
}

/* The text of an address, which may be a path. */
static bool is_socket(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	return (event->index == LKST_EV_socket_connect || event->index == LKST_EV_socket_accept ||
		event->index == LKST_EV_socket_bind) &&
	       !strcmp(f->name, "address");
}

/* Where packets of UDP have the first bytes of what they carry, and those of TCP numbers, which stay. */
static bool is_content(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	return (event->index == LKST_EV_packet_send || event->index == LKST_EV_packet_receive) &&
	       f->type == LKST_CLASS_UINT &&
	       (!strcmp(f->name, "sequence") || !strcmp(f->name, "acknowledgement"));
}

static bool is_of_tcp(const struct lkst_record *record)
{
	const struct lkst_field_class *f = lkst_class_field(record->event, "ip_protocol");

	return f && f->type == LKST_CLASS_UINT && f->offset != LKST_OFFSET_VARIES &&
	       lkst_record_int(record, f) == IPPROTO_TCP;
}

/* What the field is by its event and name: an enum lkst_redact_rule plus 1, 0 or STAYS_WITHOUT_WORDS. */
static u8 redact_kind_of(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	if (is_padding(event, f))
		return 0;
	if (is_network(event, f) || is_socket(event, f))
		return LKST_REDACT_NETWORK + 1;
	if (is_raw(event, f) || is_content(event, f))
		return LKST_REDACT_TEXT + 1;
	if (!redact_is_string(f))
		return 0;
	if (is_thread_name(event, f))
		return LKST_REDACT_NAMES + 1;
	if (is_command(event, f))
		return LKST_REDACT_ARGUMENTS + 1;
	if (has_kept_strings(event))
		return STAYS_WITHOUT_WORDS;
	return is_path(event, f) ? LKST_REDACT_PATHS + 1 : LKST_REDACT_TEXT + 1;
}

/* Whether what a plan says of a field is followed. The first word of a command is a path; a file may be a socket. */
static bool redact_is_followed(const struct lkst_redaction *r, const struct lkst_event_class *event, u8 kind)
{
	return r->rules[kind - 1] || (kind == LKST_REDACT_ARGUMENTS + 1 && r->rules[LKST_REDACT_PATHS]) ||
	       (event->index == LKST_EV_state_descriptor && r->rules[LKST_REDACT_NETWORK]);
}

static bool can_have_words(const struct lkst_event_class *event, const struct lkst_field_class *f)
{
	return redact_is_string(f) || is_raw(event, f) || is_content(event, f);
}

int lkst_redact_plan(struct lkst_err *e, struct lkst_redaction *r, const struct lkst_catalog *c)
{
	unsigned int id;
	u16 i;

	r->catalog = c;
	free(r->plan);
	r->plan = calloc(LKST_ID_MAX + 1, sizeof(*r->plan));
	if (!r->plan)
		return lkst_err_sys(e, -ENOMEM, "redacting");
	for (id = 0; id <= LKST_ID_MAX; id++) {
		const struct lkst_event_class *event = c->classes[id];

		for (i = 0; event && i < event->nr_fields; i++) {
			u8 kind = redact_kind_of(event, &event->fields[i]);

			if (kind && kind != STAYS_WITHOUT_WORDS && !redact_is_followed(r, event, kind))
				kind = can_have_words(event, &event->fields[i])
					       ? STAYS_WITHOUT_WORDS
					       : 0;
			r->plan[id][i] = kind == STAYS_WITHOUT_WORDS && !r->nr_words ? 0 : kind;
		}
	}
	return 0;
}

/* ---- records -------------------------------------------------------------------------------- */

/* 127.0.0.1, 0.0.0.0 and :: say nothing. A number has its first byte last; a row of bytes is as in a packet. */
static bool is_own_address(const struct lkst_field_class *f, const u8 *bytes, u32 length)
{
	const u8 first = f->type == LKST_CLASS_UINT ? bytes[length - 1] : bytes[0];
	u32 i, sum = 0;

	for (i = 0; i < length; i++)
		sum |= bytes[i];
	return !sum || (length == IPV4_BYTES && first == LOOPBACK);
}

static void redact_address(struct lkst_redaction *r, const struct lkst_field_class *f, u8 *bytes,
			   u32 length)
{
	u64 words[2], i;

	if (is_own_address(f, bytes, length))
		return;
	words[0] = lkst_siphash(r->key, bytes, length);
	for (i = 0; i < length; i += sizeof(u64)) {
		words[1] = htole64(words[0] + i);
		words[1] = lkst_siphash(r->key, &words[1], sizeof(words[1]));
		memcpy(bytes + i, &words[1], length - i < sizeof(u64) ? length - i : sizeof(u64));
	}
	r->counts[LKST_REDACT_NETWORK]++;
}

/* A name in a field of the size that the kernel gives to names; others keep their length. */
static bool redact_name(struct lkst_redaction *r, const struct lkst_field_class *f, u8 *bytes,
			u32 length)
{
	char name[LKST_REDACT_NAME] = "";
	bool is_taken;

	memcpy(name, bytes, length < sizeof(name) ? length : sizeof(name));
	is_taken = length <= sizeof(name) && lkst_redact_name(r, name);
	if (is_taken && f->type == LKST_CLASS_CHARS && f->count >= sizeof(name))
		memcpy(bytes, name, sizeof(name));
	else if (is_taken || length > sizeof(name))
		return lkst_redact_string(r, bytes, length, false);
	return is_taken;
}

/*
 * A command, word by word. The first is a path; where that has a blank itself, the rest of it counts as an argument.
 */
static void redact_command(struct lkst_redaction *r, u8 *bytes, u32 length)
{
	enum lkst_redact_rule rule = LKST_REDACT_PATHS;
	u32 begin, end;

	for (begin = 0; begin < length; begin = end + 1) {
		const u8 *blank = memchr(bytes + begin, ' ', length - begin);

		end = blank ? (u32)(blank - bytes) : length;
		if (r->rules[rule] &&
		    lkst_redact_string(r, bytes + begin, end - begin, rule == LKST_REDACT_PATHS))
			r->counts[rule]++;
		rule = LKST_REDACT_ARGUMENTS;
	}
}

/* A string that its rule takes out, or that holds a word. */
static void redact_string(struct lkst_redaction *r, const struct lkst_field_class *f, u8 kind,
			  u8 *bytes, u32 length)
{
	const bool is_command = kind == LKST_REDACT_ARGUMENTS + 1;
	const bool is_cut = is_command || (f->type == LKST_CLASS_CHARS && length + 1 >= f->count);
	const bool has_word = r->nr_words && lkst_redact_has_word(r, bytes, length, is_cut);
	const enum lkst_redact_rule rule =
		has_word || kind == STAYS_WITHOUT_WORDS ? LKST_REDACT_WORDS : kind - 1;
	bool is_taken = false;

	if (is_command && !has_word) {
		redact_command(r, bytes, length);
		return;
	}
	if (kind == LKST_REDACT_NAMES + 1 && !has_word)
		is_taken = redact_name(r, f, bytes, length);
	else if (has_word || kind != STAYS_WITHOUT_WORDS)
		is_taken = lkst_redact_string(r, bytes, length,
					      kind == LKST_REDACT_PATHS + 1 && !has_word);
	r->counts[rule] += is_taken;
}

/* Bytes that are no text become zeros. */
static void redact_bytes(struct lkst_redaction *r, u8 kind, u8 *bytes, u32 length)
{
	if (kind == STAYS_WITHOUT_WORDS) {
		if (!lkst_redact_has_word(r, bytes, length, true))
			return;
		kind = LKST_REDACT_WORDS + 1;
	}
	memset(bytes, 0, length);
	r->counts[kind - 1]++;
}

static void redact_field(struct lkst_redaction *r, const struct lkst_record *record, u16 i, u8 kind)
{
	const struct lkst_field_class *f = &record->event->fields[i];
	u32 length;
	/* The record lies in the copy of the block that is redacted. */
	u8 *bytes = (u8 *)lkst_record_field(record, i, &length);

	if (!bytes)
		return;
	if (f->type == LKST_CLASS_CHARS)
		memset(bytes + length, 0, f->count - length);
	if (!length)
		return;
	if (redact_is_string(f)) {
		redact_string(r, f, kind, bytes, length);
	} else if (kind == LKST_REDACT_NETWORK + 1) {
		redact_address(r, f, bytes, length);
	} else if (!is_content(record->event, f) || !is_of_tcp(record)) {
		redact_bytes(r, kind, bytes, length);
	}
}

/* Clears padding, which programs may have left as it was. */
static void clear_padding(const struct lkst_record *record, u16 i)
{
	u32 length;
	u8 *bytes = (u8 *)lkst_record_field(record, i, &length);
	const struct lkst_field_class *f = &record->event->fields[i];

	if (bytes)
		memset(bytes, 0, f->type == LKST_CLASS_CHARS ? f->count : length);
}

void lkst_redact_block(struct lkst_redaction *r, const struct lkst_block *from, u8 *bytes)
{
	struct lkst_block block = *from;
	struct lkst_block_cursor cursor;
	u32 end = LKST_BLOCK_HEADER;
	struct lkst_record record;
	u16 i;

	block.bytes = bytes;
	lkst_block_cursor_init(&cursor, &block);
	while (lkst_block_next(NULL, &cursor, r->catalog, &record) > 0) {
		const u8 *plan = r->plan[record.event->id];
		const u32 begin = (u32)(record.bytes - bytes);

		memset(bytes + end, 0, begin - end);
		end = begin + record.size;
		for (i = 0; i < record.event->nr_fields; i++)
			if (plan[i])
				redact_field(r, &record, i, plan[i]);
			else if (is_padding(record.event, &record.event->fields[i]))
				clear_padding(&record, i);
	}
	/* Zeros are no record: where one was bad, readers find as before that the rest of the block is lost. */
	memset(bytes + end, 0, block.size - end);
}

/* ---- the names of the kernel's threads ------------------------------------------------------ */

static int note_kernel_name(struct lkst_redaction *r, const struct lkst_record *record)
{
	const struct lkst_field_class *flags = lkst_class_field(record->event, "flags");
	const struct lkst_field_class *comm = lkst_class_field(record->event, "comm");
	char(*name)[LKST_REDACT_NAME];
	const u8 *bytes;
	u32 length;

	if (!flags || !comm || !(lkst_record_int(record, flags) & LKST_THREAD_KERNEL))
		return 0;
	bytes = lkst_record_field(record, (unsigned int)(comm - record->event->fields), &length);
	if (!bytes || length > sizeof(*name))
		return 0;
	name = lkst_vec_add(r->kernel_names, r->nr_kernel_names);
	if (!name)
		return -ENOMEM;
	memcpy(*name, bytes, length);
	return 0;
}

static int redact_by_name(const void *a, const void *b)
{
	return memcmp(a, b, LKST_REDACT_NAME);
}

static int note_kernel_names(struct lkst_err *e, struct lkst_redaction *r,
			     const struct lkst_trace *t)
{
	unsigned int s, i;
	int err = 0;

	for (s = 0; s < lkst_trace_nr_streams(t); s++) {
		const struct lkst_stream_info *info = lkst_trace_stream(t, s);

		for (i = 0; info->buffer == LKST_BUFFER_STATE && i < info->nr_blocks && !err; i++) {
			struct lkst_block_cursor cursor;
			struct lkst_record record;

			lkst_block_cursor_init(&cursor, lkst_trace_block(t, s, i));
			while (!err && lkst_block_next(NULL, &cursor, r->catalog, &record) > 0)
				if (record.event->index == LKST_EV_state_thread)
					err = note_kernel_name(r, &record);
		}
	}
	if (r->nr_kernel_names)
		qsort(r->kernel_names, r->nr_kernel_names, sizeof(*r->kernel_names), redact_by_name);
	return err ? lkst_err_sys(e, err, "redacting") : 0;
}

/* ---- the trace ------------------------------------------------------------------------------ */

/* As in the text of the machine, which says the same. */
static void take_words_out(struct lkst_redaction *r, char *value)
{
	struct lkst_bundle_text text = { value, strlen(value) };

	lkst_redact_words(r, &text);
}

/* A directory that is filled, and who may read what is in it. */
struct redact_place {
	const struct lkst_access *access;
	int dir_fd;
};

static void free_classes(struct lkst_catalog **c)
{
	lkst_catalog_free(*c);
}

static int redact_write_metadata(struct lkst_err *e, struct lkst_redaction *r, const struct redact_place *to)
{
	_cleanup_(free_classes) struct lkst_catalog *c = malloc(sizeof(*c));
	_cleanup_free_ char *text = NULL;
	_cleanup_close_ int fd = -1;
	int err;

	if (!c)
		return lkst_err_sys(e, -ENOMEM, "redacting");
	*c = *r->catalog;
	if (lkst_redact_names(r, c->classes))
		return lkst_err_sys(e, -ENOMEM, "redacting");
	if (r->rules[LKST_REDACT_HOST] ||
	    lkst_redact_has_word(r, c->hostname, strlen(c->hostname), false)) {
		r->counts[LKST_REDACT_HOST] +=
			lkst_redact_string(r, (u8 *)c->hostname, strlen(c->hostname), false);
		memset(c->boot_id, 0, sizeof(c->boot_id));
	}
	take_words_out(r, c->release);
	take_words_out(r, c->version);
	take_words_out(r, c->machine);
	err = lkst_metadata_format(e, c, &text) ?: lkst_create_file(e, to->access, to->dir_fd, "metadata", &fd);
	if (err)
		return err;
	err = lkst_write_all(fd, text, strlen(text));
	return err ? lkst_err_sys(e, err, "writing metadata") : 0;
}

static int write_stream(struct lkst_err *e, struct lkst_redaction *r, const struct lkst_trace *t,
			unsigned int s, const struct redact_place *to, u8 *bytes)
{
	const struct lkst_stream_info *info = lkst_trace_stream(t, s);
	char name[LKST_STREAM_NAME_MAX];
	_cleanup_close_ int fd = -1;
	unsigned int i;
	int err;

	if (!info->nr_blocks)
		return 0;
	lkst_stream_name(info->instance, name);
	err = lkst_create_file(e, to->access, to->dir_fd, name, &fd);
	for (i = 0; i < info->nr_blocks && !err; i++) {
		const struct lkst_block *block = lkst_trace_block(t, s, i);

		memcpy(bytes, block->bytes, block->size);
		lkst_redact_block(r, block, bytes);
		err = lkst_write_all(fd, bytes, block->size);
		if (err)
			return lkst_err_sys(e, err, "writing %s", name);
	}
	return err;
}

int lkst_redact_trace(struct lkst_err *e, const struct lkst_access *access, struct lkst_redaction *r,
		      const struct lkst_trace *t, const char *dir)
{
	_cleanup_free_ u8 *bytes = malloc(BLOCK_MAX);
	_cleanup_close_ int dir_fd = -1;
	struct redact_place to = { .access = access };
	unsigned int s;
	int err;

	if (!bytes)
		return lkst_err_sys(e, -ENOMEM, "redacting");
	err = lkst_redact_plan(e, r, lkst_trace_catalog(t)) ?: note_kernel_names(e, r, t)
	      ?: lkst_create_empty_dir(e, access, AT_FDCWD, dir, &dir_fd);
	to.dir_fd = dir_fd;
	err = err ?: redact_write_metadata(e, r, &to);
	for (s = 0; s < lkst_trace_nr_streams(t) && !err; s++)
		err = write_stream(e, r, t, s, &to, bytes);
	return err;
}
