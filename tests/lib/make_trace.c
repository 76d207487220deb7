/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/make_trace.h"

void make_close(struct make_stream *s)
{
	struct lkst_block_header *h;

	if (!s->at)
		return;
	h = (struct lkst_block_header *)(s->bytes + s->used - s->block_size);
	h->content_size = s->at * 8ULL;
	h->timestamp_end = s->last_ns;
	s->at = 0;
}

static void make_open(struct make_stream *s, u64 ns, s32 tid)
{
	struct lkst_block_header h = {
		.magic = LKST_BLOCK_MAGIC,
		.stream_id = LKST_STREAM_CLASS,
		.stream_instance_id = s->instance,
		.timestamp_begin = ns,
		.packet_size = s->block_size * 8ULL,
		.packet_seq_num = s->seq++,
		.events_discarded = s->discarded,
		.cpu_id = lkst_instance_cpu(s->instance),
		.tid = tid,
	};

	memcpy(h.uuid, s->uuid, sizeof(h.uuid));
	if (s->used == s->room) {
		s->room = s->room ? s->room * 2 : 16 * s->block_size;
		s->bytes = realloc(s->bytes, s->room);
		if (!s->bytes)
			abort();
	}
	memset(s->bytes + s->used, 0, s->block_size);
	memcpy(s->bytes + s->used, &h, sizeof(h));
	s->used += s->block_size;
	s->at = LKST_BLOCK_HEADER;
}

void make_record(struct make_stream *s, u64 ns, void *record, u32 length)
{
	struct lkst_record_head *head = record;
	u32 start = (s->at + 7) & ~7u;

	head->id_time |= ns << 16;
	if (!s->at || start + length > s->block_size || ns - s->last_ns >= LKST_TIME_GAP_MAX) {
		make_close(s);
		make_open(s, ns, head->tid);
		start = LKST_BLOCK_HEADER;
	}
	memcpy(s->bytes + s->used - s->block_size + start, record, length);
	s->at = start + length;
	s->last_ns = ns;
}

void make_field(struct lkst_event_class *event, const char *name, u8 type, u8 size, u8 base,
		u16 count, u16 length_field)
{
	struct lkst_field_class *f = &event->fields[event->nr_fields++];

	*f = (struct lkst_field_class){ .type = type, .size = size, .base = base, .count = count };
	f->length_field = length_field;
	snprintf(f->name, sizeof(f->name), "%s", name);
}

int make_test_events(struct lkst_err *e, struct lkst_catalog *c, u16 id)
{
	struct lkst_field_class fields[LKST_FIELDS_MAX];
	struct lkst_event_class event = { .id = id, .name = "test_integers", .fields = fields };
	static const char *const names[] = { "a", "b", "c", "d" };
	u8 i;
	int code;

	for (i = 0; i < 4; i++) {
		char name[8];

		snprintf(name, sizeof(name), "u%s", names[i]);
		make_field(&event, name, LKST_CLASS_UINT, (u8)(1 << i), 10, 0, 0);
		snprintf(name, sizeof(name), "s%s", names[i]);
		make_field(&event, name, LKST_CLASS_SINT, (u8)(1 << i), 10, 0, 0);
		snprintf(name, sizeof(name), "x%s", names[i]);
		make_field(&event, name, LKST_CLASS_UINT, (u8)(1 << i), i & 1 ? 16 : 8, 0, 0);
	}
	code = lkst_catalog_add(e, c, &event);

	event = (struct lkst_event_class){ .id = id + 1, .name = "test_arrays", .fields = fields };
	make_field(&event, "name", LKST_CLASS_CHARS, 0, 10, 7, 0);
	make_field(&event, "numbers", LKST_CLASS_UINTS, 2, 10, 3, 0);
	make_field(&event, "wide", LKST_CLASS_SINTS, 8, 10, 2, 0);
	make_field(&event, "pad0", LKST_CLASS_UINTS, 1, 10, 3, 0);
	code = code ? code : lkst_catalog_add(e, c, &event);

	event = (struct lkst_event_class){ .id = id + 2, .name = "test_text", .fields = fields };
	make_field(&event, "text_len", LKST_CLASS_UINT, 2, 10, 0, 0);
	make_field(&event, "data_len", LKST_CLASS_UINT, 4, 10, 0, 0);
	make_field(&event, "text", LKST_CLASS_TEXT, 0, 10, 0, 0);
	make_field(&event, "after", LKST_CLASS_UINT, 4, 10, 0, 0);
	make_field(&event, "first", LKST_CLASS_STRING, 0, 10, 0, 0);
	make_field(&event, "data", LKST_CLASS_BYTES, 0, 10, 0, 1);
	make_field(&event, "second", LKST_CLASS_STRING, 0, 10, 0, 0);
	code = code ? code : lkst_catalog_add(e, c, &event);

	event = (struct lkst_event_class){ .id = id + 4, .name = "test.stack", .fields = fields };
	make_field(&event, "by", LKST_CLASS_SINT, 4, 10, 0, 0);
	fields[0].meaning = LKST_MEANING_TID;
	make_field(&event, "took", LKST_CLASS_UINT, 8, 10, 0, 0);
	fields[1].meaning = LKST_MEANING_NS;
	make_field(&event, "nr", LKST_CLASS_UINT, 2, 10, 0, 0);
	make_field(&event, "frames", LKST_CLASS_WORDS, 8, 16, 0, 2);
	fields[3].meaning = LKST_MEANING_CODE;
	code = code ? code : lkst_catalog_add(e, c, &event);

	event = (struct lkst_event_class){ .id = id + 5, .name = "test.user", .fields = fields };
	make_field(&event, "nr", LKST_CLASS_UINT, 2, 10, 0, 0);
	make_field(&event, "frames", LKST_CLASS_WORDS, 8, 16, 0, 0);
	fields[1].meaning = LKST_MEANING_ADDR;
	code = code ? code : lkst_catalog_add(e, c, &event);

	event = (struct lkst_event_class){ .id = id + 3, .name = "test:nothing", .fields = fields };
	return code ? code : lkst_catalog_add(e, c, &event);
}

struct lkst_catalog *make_catalog_for(bool has_ends)
{
	struct lkst_catalog *c = lkst_catalog_new();
	struct lkst_err e;
	int code = 0;
	u16 i;

	if (!c)
		abort();
	for (i = 0; i < LKST_NR_EVENTS && !code; i++)
		if (has_ends || (i != LKST_EV_state_stream && i != LKST_EV_state_end))
			code = lkst_catalog_add_builtin(&e, c, i + 1, i);
	if (!code)
		code = make_test_events(&e, c, LKST_NR_EVENTS + 1);
	if (code) {
		fprintf(stderr, "make_catalog: %s\n", e.text);
		abort();
	}
	for (i = 0; i < 16; i++)
		c->uuid[i] = (u8)(i * 17 + 1), c->boot_id[i] = (u8)(200 - i);
	c->clock_offset_ns = 1700000000000000000;
	snprintf(c->hostname, sizeof(c->hostname), "testhost");
	snprintf(c->release, sizeof(c->release), "6.1.0-test");
	snprintf(c->version, sizeof(c->version), "#1 SMP \"quoted\\\" test");
	snprintf(c->machine, sizeof(c->machine), "x86_64");
	return c;
}

struct lkst_catalog *make_catalog(void)
{
	return make_catalog_for(false);
}

/* The value of "name=value" in @line, quotes off, or NULL. */
static char *make_value(const char *line, const char *name, char *value, size_t size)
{
	size_t length = strlen(name);
	const char *p = line, *end;

	while ((p = strstr(p, name)) && !(p > line && p[-1] == ' ' && p[length] == '='))
		p += length;
	if (!p)
		return NULL;
	p += length + 1;
	end = *p == '"' ? strchr(++p, '"') : p + strcspn(p, " \n");
	if (!end || (size_t)(end - p) >= size)
		return NULL;
	memcpy(value, p, (size_t)(end - p));
	value[end - p] = 0;
	return value;
}

u64 make_number(const char *line, const char *name)
{
	char value[64];

	if (!make_value(line, name, value, sizeof(value)))
		return 0;
	return value[0] == '-' ? (u64)strtoll(value, NULL, 0) : strtoull(value, NULL, 0);
}

struct make_stream *make_stream(struct make_trace *t, u64 instance)
{
	struct make_stream *s;
	unsigned int i;

	for (i = 0; i < t->nr_streams; i++)
		if (t->streams[i].instance == instance)
			return &t->streams[i];
	if (t->nr_streams == MAKE_STREAMS_MAX)
		abort();
	s = &t->streams[t->nr_streams++];
	*s = (struct make_stream){ .instance = instance,
				   .block_size = lkst_instance_buffer(instance) == LKST_BUFFER_STATE
							 ? 1u << LKST_BLOCK_SHIFT_MIN
							 : t->block_size };
	memcpy(s->uuid, t->catalog->uuid, sizeof(s->uuid));
	return s;
}

/* The stream that @line is for. */
static struct make_stream *make_stream_of(struct make_trace *t, const char *line)
{
	return make_stream(t, lkst_stream_instance((u32)make_number(line, "cpu"),
						   (u32)make_number(line, "buffer"),
						   (u32)make_number(line, "level")));
}

u32 make_encode(const struct lkst_event_class *event, u16 i, const char *line, u8 *record, u32 at)
{
	const struct lkst_field_class *f = &event->fields[i], *length_field;
	u32 align = f->size > 4 ? 4 : f->size ? f->size : 1, k;
	char value[2048] = "", *p = value;
	u64 number;

	/* Without a word of it, a thread is in no call, and as important as most are. */
	if (!make_value(line, f->name, value, sizeof(value)))
		strcpy(value, f->meaning == LKST_MEANING_CALL ? "-1" : f->meaning == LKST_MEANING_PRIO ? "120" : "");
	switch (f->type) {
	case LKST_CLASS_STRING:
		memcpy(record + at, value, strlen(value) + 1);
		return at + (u32)strlen(value) + 1;
	case LKST_CLASS_CHARS:
		memcpy(record + at, value, strlen(value) < f->count ? strlen(value) : f->count);
		return at + f->count;
	case LKST_CLASS_TEXT:
	case LKST_CLASS_BYTES:
		length_field = &event->fields[f->length_field];
		number = strlen(value);
		memcpy(record + length_field->offset, &number, length_field->size);
		memcpy(record + at, value, number);
		return at + (u32)number;
	case LKST_CLASS_WORDS:
		at = (at + align - 1) & ~(align - 1);
		length_field = &event->fields[f->length_field];
		for (number = 0; *p; number++, at += f->size) {
			u64 word = strtoull(p, &p, 0);

			memcpy(record + at, &word, f->size);
			p += *p == ',';
		}
		memcpy(record + length_field->offset, &number, length_field->size);
		return at;
	default:
		at = (at + align - 1) & ~(align - 1);
		for (k = 0; k < (f->count ? f->count : 1); k++, at += f->size) {
			number = *p == '-' ? (u64)strtoll(p, &p, 0) : strtoull(p, &p, 0);
			memcpy(record + at, &number, f->size);
			p += *p == ',';
		}
		return at;
	}
}

static int make_instruction(struct make_trace *t, const char *line)
{
	struct make_stream *s = make_stream_of(t, line);

	if (!strncmp(line, "!block", 6)) {
		make_close(s);
	} else if (!strncmp(line, "!skip", 5)) {
		make_close(s);
		s->seq += make_number(line, "blocks");
	} else if (!strncmp(line, "!discard", 8)) {
		make_close(s);
		s->discarded += make_number(line, "events");
	} else if (!strncmp(line, "!claim", 6) && t->nr_claims < MAKE_STREAMS_MAX) {
		t->claims[t->nr_claims++] = (struct lkst_stream_end){
			.instance = s->instance,
			.first = 1,
			.covered_ns = make_number(line, "covered"),
			.left = make_number(line, "left"),
		};
	} else if (!strncmp(line, "!end", 4)) {
		t->has_end = true;
		t->end_ns = make_number(line, "ns");
		t->how = (u32)make_number(line, "how");
	} else if (strncmp(line, "!open", 5)) {
		return lkst_err_set(&t->err, -EINVAL, "%s?", line);
	}
	return 0;
}

int make_line(struct make_trace *t, const char *line)
{
	union {
		struct lkst_record_head head;
		u8 bytes[MAKE_RECORD_MAX];
	} record = {};
	const struct lkst_event_class *event;
	char name[LKST_NAME_MAX] = "";
	u32 at = sizeof(record.head);
	u64 ns = make_number(line, "ns");
	u16 i;

	if (!line[0] || line[0] == '#')
		return 0;
	if (line[0] == '!')
		return make_instruction(t, line);
	sscanf(line, "%95s", name);
	event = lkst_catalog_find(t->catalog, name);
	if (!event)
		return lkst_err_set(&t->err, -EINVAL, "no event %s", name);
	record.head.id_time = event->id;
	record.head.tid = (s32)make_number(line, "tid");
	for (i = 0; i < event->nr_fields; i++)
		at = make_encode(event, i, line, record.bytes, at);
	if (!strncmp(name, "state_", 6))
		return t->writer ? lkst_writer_state(&t->err, t->writer, ns, &record, at) : 0;
	make_record(make_stream_of(t, line), ns, &record, at);
	return 0;
}

int make_text(struct make_trace *t, const char *text)
{
	char line[4096];
	int code = 0;

	while (*text && !code) {
		size_t length = strcspn(text, "\n");

		if (length >= sizeof(line))
			abort();
		memcpy(line, text, length);
		line[length] = 0;
		text += length + (text[length] == '\n');
		code = make_line(t, line + strspn(line, " \t"));
	}
	return code;
}

struct make_trace *make_begin(const char *dir, struct lkst_catalog *catalog, u32 block_size)
{
	struct make_trace *t = calloc(1, sizeof(*t));

	if (!t)
		abort();
	t->catalog = catalog ? catalog : make_catalog();
	t->block_size = block_size;
	if (dir && lkst_writer_open(&t->err, NULL, dir, t->catalog, &t->writer)) {
		fprintf(stderr, "make_begin: %s\n", t->err.text);
		abort();
	}
	return t;
}

int make_end(struct make_trace *t)
{
	unsigned int i;
	int code = 0;

	for (i = 0; i < t->nr_streams; i++) {
		struct make_stream *s = &t->streams[i];

		make_close(s);
		if (t->writer && s->used && !code)
			code = lkst_writer_append(&t->err, t->writer, s->instance, s->bytes,
						  s->used);
		free(s->bytes);
	}
	for (i = 0; t->writer && i < t->nr_claims && !code; i++)
		code = lkst_writer_claim(&t->err, t->writer, &t->claims[i]);
	if (t->writer && t->has_end && !code)
		code = lkst_writer_end(&t->err, t->writer, t->how, t->end_ns);
	if (t->writer && lkst_writer_close(&t->err, t->writer, 0))
		code = -EIO;
	if (code)
		fprintf(stderr, "make_end: %s\n", t->err.text);
	lkst_catalog_free(t->catalog);
	free(t);
	return code;
}

bool make_has_ends(const char *text)
{
	return strstr(text, "!end") || strstr(text, "!open");
}

int make_trace(const char *dir, u32 block_size, const char *text)
{
	struct make_trace *t = make_begin(dir, make_catalog_for(make_has_ends(text)), block_size);
	int code = make_text(t, text);

	if (code)
		fprintf(stderr, "make_trace: %s\n", t->err.text);
	return make_end(t) ?: code;
}

bool make_is_partial(const char *path)
{
	struct lkst_trace *t;
	struct lkst_err e;
	bool is;

	if (lkst_trace_open(&e, path, &t))
		abort();
	is = lkst_trace_is_partial(t);
	lkst_trace_close(t);
	return is;
}

/* Directories that nobody has removed yet, of process `scratch_owner`. */
static char scratches[64][64];
static pid_t scratch_owner;

static char *find_scratch(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(scratches) / sizeof(scratches[0]); i++)
		if (!strcmp(scratches[i], path))
			return scratches[i];
	return NULL;
}

/* Not in a process that was forked, which has the list, too. */
static void remove_scratches(void)
{
	size_t i;

	for (i = 0; i < sizeof(scratches) / sizeof(scratches[0]) && getpid() == scratch_owner; i++)
		if (scratches[i][0])
			make_scratch_remove(scratches[i]);
}

void make_scratch(char path[64])
{
	char *kept = find_scratch("");

	snprintf(path, 64, "%s/lkst-test-XXXXXX",
		 getenv("TMPDIR") && strlen(getenv("TMPDIR")) < 40 ? getenv("TMPDIR") : "/tmp");
	if (!mkdtemp(path))
		abort();
	if (!scratch_owner) {
		scratch_owner = getpid();
		if (atexit(remove_scratches))
			abort();
	}
	if (kept && getpid() == scratch_owner)
		snprintf(kept, 64, "%s", path);
}

void make_scratch_remove(const char *path)
{
	char command[128], *kept = path[0] ? find_scratch(path) : NULL;

	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	if (system(command))
		abort();
	if (kept)
		kept[0] = '\0';
}

void make_trace_again(char dir[64], const char *text)
{
	char path[96];

	if (!dir[0])
		make_scratch(dir);
	snprintf(path, sizeof(path), "%s/TRACE", dir);
	make_scratch_remove(path);
	if (make_trace(path, 4096, text))
		abort();
}

char *make_read(const char *dir, const char *name, size_t *ret_length)
{
	char path[512], *bytes;
	struct lkst_err e;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (lkst_read_file(&e, AT_FDCWD, path, 1 << 28, &bytes, ret_length)) {
		fprintf(stderr, "make_read: %s\n", e.text);
		abort();
	}
	return bytes;
}

void make_write(const char *dir, const char *name, const void *bytes, size_t length)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	/* Not O_TRUNC, at which some file systems wait for the disk. */
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd < 0 || lkst_write_all(fd, bytes, length) || close(fd))
		abort();
}
