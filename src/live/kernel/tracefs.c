/* SPDX-License-Identifier: GPL-2.0-only */
/* The kernel's own descriptions of its tracepoints. */
#include "live/kernel/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/kernel/kernel_types.h"
#include "live/kernel/print_format.h"

enum {
	FORMAT_MAX = 64 * 1024,
	COMMON = 8, /* struct trace_entry: every record starts with it */
};

/* A descriptor of the root of file system @type, mounted nowhere. @what: what is lacking without it. */
static int open_root(struct lkst_err *e, const char *type, const char *what)
{
	_cleanup_close_ int fs = fsopen(type, FSOPEN_CLOEXEC);
	int root;

	/*
	 * Where the kernel's memory is secret tracefs is empty (LOCKDOWN_TRACEFS, fs/tracefs/inode.c). Linux 7.2 does
	 * not survive that the last mount of it ends: list_del corruption in tracefs_destroy_inode().
	 */
	if (fs >= 0 && !strcmp(type, "tracefs") && !lkst_kernel_lets_read_memory())
		return lkst_err_set(e, -EPERM,
				    "%s (%s): the kernel is locked down (confidentiality), so that it is empty",
				    what, type);
	if (fs < 0 || fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
		return lkst_err_sys(e, -errno, "%s (%s)", what, type);
	root = fsmount(fs, FSMOUNT_CLOEXEC, 0);
	if (root < 0)
		return lkst_err_sys(e, -errno, "attaching %s", type);
	return root;
}

int lkst_tracefs_open(struct lkst_err *e)
{
	return open_root(e, "tracefs", "this kernel's descriptions of tracepoints");
}

int lkst_debugfs_open(struct lkst_err *e)
{
	return open_root(e, "debugfs", "what this kernel says of its probes");
}

static int is_visible(const struct dirent *d)
{
	return d->d_name[0] != '.' && d->d_type == DT_DIR;
}

static void free_names(struct dirent **names, int nr)
{
	while (nr > 0)
		free(names[--nr]);
	free(names);
}

static int each_in_system(int events, const char *system, const char *glob,
			  int (*each)(void *ctx, const char *system, const char *name), void *ctx)
{
	struct dirent **names;
	int nr = scandirat(events, system, &names, is_visible, alphasort), i, err = 0;

	for (i = 0; i < nr && !err; i++) {
		char full[2 * 256 + 2]; /* two names of NAME_MAX */

		snprintf(full, sizeof(full), "%s:%s", system, names[i]->d_name);
		if (!fnmatch(glob, full, 0))
			err = each(ctx, system, names[i]->d_name);
	}
	if (nr >= 0)
		free_names(names, nr);
	return err;
}

int lkst_tracefs_each(struct lkst_err *e, int tracefs, const char *glob,
		      int (*each)(void *ctx, const char *system, const char *name), void *ctx)
{
	_cleanup_close_ int events = openat(tracefs, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct dirent **systems;
	int nr, i, err = 0;

	if (events < 0)
		return lkst_err_sys(e, -errno, "tracefs: events");
	nr = scandirat(events, ".", &systems, is_visible, alphasort);
	if (nr < 0)
		return lkst_err_sys(e, -errno, "tracefs: events");
	for (i = 0; i < nr && !err; i++)
		err = each_in_system(events, systems[i]->d_name, glob, each, ctx);
	free_names(systems, nr);
	return err;
}

/* One "field:" line of a format file. */
struct format_field {
	char type[LKST_NAME_MAX], name[LKST_NAME_MAX];
	unsigned int offset, size, is_signed;
	unsigned int elements; /* of an array; 1: none */
	bool is_dynamic;       /* __data_loc */
};

/* Takes "type name[3]" apart. */
static bool split_declaration(char *text, struct format_field *f)
{
	char *bracket = strchr(text, '['), *end, *space;

	f->is_dynamic = !strncmp(text, "__data_loc ", 11);
	if (f->is_dynamic) {
		/* "__data_loc char[] name" */
		text += 11;
		bracket = NULL;
	}
	f->elements = 1;
	if (bracket) {
		f->elements = strtoul(bracket + 1, &end, 10);
		*bracket = 0;
		if (*end != ']' || !f->elements)
			f->elements = 0; /* a symbolic size: the caller uses bytes */
	}
	space = strrchr(text, ' ');
	if (!space)
		return false;
	*space = 0;
	snprintf(f->type, sizeof(f->type), "%s", text);
	snprintf(f->name, sizeof(f->name), "%s", space + 1);
	return f->name[0] != 0;
}

static bool parse_field(char *line, struct format_field *f)
{
	char *end = strchr(line, ';');

	if (!end)
		return false;
	*end = 0;
	memset(f, 0, sizeof(*f));
	if (sscanf(end + 1, " offset:%u; size:%u; signed:%u;", &f->offset, &f->size,
		   &f->is_signed) != 3)
		return false;
	return split_declaration(line, f);
}

struct builder {
	struct lkst_event_class *event;
	struct lkst_tracepoint_plan *plan;
	unsigned int end; /* of the fields so far, in the classic record */
	struct {
		char name[LKST_NAME_MAX];
		u16 length_field;
		bool is_text;
	} dynamic[LKST_DYNAMIC_MAX];
};

static struct lkst_field_class *new_field(struct builder *b, const char *name, u8 type, u8 size)
{
	struct lkst_field_class *f;

	if (b->event->nr_fields >= LKST_FIELDS_MAX)
		return NULL;
	f = &b->event->fields[b->event->nr_fields++];
	memset(f, 0, sizeof(*f));
	snprintf(f->name, sizeof(f->name), "%s", name);
	f->type = type;
	f->size = size;
	f->count = 1;
	f->base = 10;
	f->meaning = LKST_MEANING_DEC;
	return f;
}

/* The compiler's gap before a field is a field too, without a meaning. */
static bool fill_gap(struct builder *b, unsigned int upto)
{
	struct lkst_field_class *f;
	char name[32];

	if (upto <= b->end)
		return upto == b->end;
	snprintf(name, sizeof(name), "pad_%u", b->end);
	f = new_field(b, name, LKST_CLASS_UINTS, 1);
	if (!f)
		return false;
	f->count = upto - b->end;
	f->meaning = LKST_MEANING_PAD;
	return true;
}

static bool tracefs_add_dynamic(struct builder *b, const struct format_field *f)
{
	struct lkst_field_class *at, *length;
	char name[LKST_NAME_MAX];
	u16 n = b->plan->nr_dynamic;

	snprintf(name, sizeof(name), "%.80s__at", f->name);
	at = new_field(b, name, LKST_CLASS_UINT, 2);
	snprintf(name, sizeof(name), "%.80s__length", f->name);
	length = new_field(b, name, LKST_CLASS_UINT, 2);
	if (!at || !length)
		return false;
	at->meaning = length->meaning = LKST_MEANING_PAD;
	if (n < LKST_DYNAMIC_MAX) {
		snprintf(b->dynamic[n].name, sizeof(b->dynamic[n].name), "%s", f->name);
		b->dynamic[n].length_field = b->event->nr_fields - 1;
		b->dynamic[n].is_text = !strcmp(f->type, "char[]");
		b->plan->dynamic[n] = f->offset;
		b->plan->nr_dynamic++;
	}
	return true;
}

static bool add_field(struct builder *b, const struct format_field *f)
{
	unsigned int element = f->elements ? f->size / f->elements : 0;
	bool is_pointer = strchr(f->type, '*'), is_int;
	struct lkst_field_class *new;

	/* Real-time kernels have one more of these than others, beyond the common bytes of all. */
	if (f->offset < COMMON || !strncmp(f->name, "common_", 7))
		return true;
	if (!fill_gap(b, f->offset))
		return false;
	b->end = f->offset + f->size;
	if (f->is_dynamic)
		return f->size == 4 && tracefs_add_dynamic(b, f);
	is_int = (element == 1 || element == 2 || element == 4 || element == 8) &&
		 strncmp(f->type, "struct ", 7) && strncmp(f->type, "union ", 6) &&
		 !(f->offset % (element < 4 ? element : 4));
	if (f->size > element && !strcmp(f->type, "char")) {
		new = new_field(b, f->name, LKST_CLASS_CHARS, 1);
		if (new)
			new->count = f->size;
	} else if (is_int && f->size == element) {
		new = new_field(b, f->name, f->is_signed ? LKST_CLASS_SINT : LKST_CLASS_UINT,
				element);
	} else {
		u8 size = is_int ? element : 1;

		new = new_field(b, f->name,
				f->is_signed && is_int ? LKST_CLASS_SINTS : LKST_CLASS_UINTS, size);
		if (new)
			new->count = f->size / size;
	}
	if (!new)
		return false;
	if (is_pointer || (f->size == 8 && !f->is_signed)) {
		new->base = 16;
		new->meaning = LKST_MEANING_HEX;
	}
	return true;
}

/* The data of variable fields follows the fixed part in the order of their declarations. */
static bool add_dynamic_data(struct builder *b)
{
	unsigned int i;

	for (i = 0; i < b->plan->nr_dynamic; i++) {
		struct lkst_field_class *f;

		f = new_field(b, b->dynamic[i].name,
			      b->dynamic[i].is_text ? LKST_CLASS_TEXT : LKST_CLASS_BYTES, 1);
		if (!f)
			return false;
		f->length_field = b->dynamic[i].length_field;
	}
	return true;
}

/* The registers that hold a function's first arguments at its entry: those that PT_REGS_PARM1() and so on read. */
static const char *const argument_registers[LKST_PROBE_ARGS] = {
#if defined(__x86_64__)
	"di", "si", "dx", "cx", "r8",
#elif defined(__aarch64__)
	"x0", "x1", "x2", "x3", "x4",
#endif
};

/* Notes the probe's kind, and the names of the fields that its own program does not record. */
static void take_probe_field(struct builder *b, const char *name, struct lkst_tracefs_about *about)
{
	size_t used = strlen(about->not_recorded), room = sizeof(about->not_recorded) - used;

	/* kernel/trace/trace_probe.h: FIELD_STRING_IP, FIELD_STRING_FUNC, FIELD_STRING_RETIP */
	if (!strcmp(name, "__probe_ip"))
		b->plan->probe = LKST_PROBE_ENTRY;
	else if (!strcmp(name, "__probe_func"))
		b->plan->probe = LKST_PROBE_RETURN;
	else if (strncmp(name, "__probe_", 8) && strncmp(name, "pad_", 4) &&
		 !strstr(name, "__at") && !strstr(name, "__length"))
		snprintf(about->not_recorded + used, room, "%s%s", used ? ", " : "", name);
}

/* What a probe at a function's entry or return records (enum lkst_tracefs_probe). */
static bool describe_probe(struct builder *b, bool is_at_function, struct lkst_tracefs_about *about)
{
	struct lkst_field_class *f;
	char name[8];
	int i;

	for (i = 0; i < b->event->nr_fields; i++)
		take_probe_field(b, b->event->fields[i].name, about);
	for (i = 0; i < b->plan->nr_dynamic; i++)
		take_probe_field(b, b->dynamic[i].name, about);
	if (!b->plan->probe) {
		about->not_recorded[0] = 0;
		return false;
	}
	b->plan->nr_dynamic = 0;
	b->event->nr_fields = 0;
	f = new_field(b, "ip", LKST_CLASS_UINT, 8);
	f->base = 16;
	f->meaning = LKST_MEANING_CODE;
	if (b->plan->probe == LKST_PROBE_RETURN) {
		new_field(b, "ret", LKST_CLASS_SINT, 8);
		return true;
	}
	for (i = 0; i < LKST_PROBE_ARGS; i++) {
		snprintf(name, sizeof(name), "arg%d", i + 1);
		f = new_field(b, is_at_function ? name : argument_registers[i], LKST_CLASS_UINT, 8);
		f->base = 16;
		f->meaning = LKST_MEANING_HEX;
	}
	return true;
}

/* The field called so holds an address of code: the kernel prints its symbol. */
static void note_symbol(void *ctx, const char *name, size_t length)
{
	const struct lkst_event_class *event = ctx;
	u16 i;

	for (i = 0; i < event->nr_fields; i++) {
		struct lkst_field_class *f = &event->fields[i];

		if (strlen(f->name) == length && !memcmp(f->name, name, length) && f->type == LKST_CLASS_UINT &&
		    f->size == sizeof(u64)) {
			f->base = 16;
			f->meaning = LKST_MEANING_CODE;
		}
	}
}

int lkst_tracefs_parse_format(struct lkst_err *e, char *text, bool is_at_function,
			      struct lkst_event_class *ret_event,
			      struct lkst_tracepoint_plan *ret_plan,
			      struct lkst_tracefs_about *ret_about)
{
	struct builder b = { .event = ret_event, .plan = ret_plan, .end = COMMON };
	char *line, *rest = text;

	*ret_about = (struct lkst_tracefs_about){ .perf_id = -1 };
	while ((line = strsep(&rest, "\n"))) {
		struct format_field f;

		if (!strncmp(line, "ID: ", 4))
			ret_about->perf_id = atoi(line + 4);
		if (!strncmp(line, "print fmt:", 10))
			lkst_print_format_symbols(line + 10, note_symbol, ret_event);
		line += strspn(line, "\t ");
		if (strncmp(line, "field:", 6))
			continue;
		if (!parse_field(line + 6, &f) || !add_field(&b, &f))
			return lkst_err_set(e, -ENOTSUP, "its field \"%.60s\" cannot be recorded",
					    line + 6);
	}
	if (ret_about->perf_id < 0)
		return lkst_err_set(e, -EBADMSG, "its description has no ID");
	if (describe_probe(&b, is_at_function, ret_about))
		return 0;
	if (b.end > LKST_TRACEPOINT_MAX)
		return lkst_err_set(e, -E2BIG, "its record of %u bytes is beyond the limit of %u",
				    b.end, LKST_TRACEPOINT_MAX);
	ret_plan->size = b.end;
	if (!add_dynamic_data(&b))
		return lkst_err_set(e, -E2BIG, "it has more than %u fields", LKST_FIELDS_MAX);
	return 0;
}

bool lkst_tracefs_is_at_function(const char *line, const char *system, const char *name)
{
	const char *colon = strchr(line, ':');
	size_t length = strlen(system), name_length = strlen(name);

	if (line[0] != 'p' || !colon || strncmp(++colon, system, length) || colon[length] != '/' ||
	    strncmp(colon + length + 1, name, name_length) ||
	    colon[length + 1 + name_length] != ' ')
		return false;
	colon += length + name_length + 2;
	length = strcspn(colon, " \n");
	/* No "SYMBOL+OFFSET", no "0xADDRESS", no "/PATH:OFFSET". */
	return length && strcspn(colon, "+/") >= length && (colon[0] < '0' || colon[0] > '9');
}

static bool is_at_function(int tracefs, const char *system, const char *name)
{
	int fd = openat(tracefs, "dynamic_events", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	bool is = false;

	while (f && !is && getline(&line, &size, f) > 0)
		is = lkst_tracefs_is_at_function(line, system, name);
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return is;
}

int lkst_tracefs_describe(struct lkst_err *e, int tracefs, const char *system, const char *name,
			  struct lkst_event_class *ret_event, struct lkst_tracepoint_plan *ret_plan,
			  struct lkst_tracefs_about *ret_about)
{
	_cleanup_free_ char *text = malloc(FORMAT_MAX + 1);
	_cleanup_close_ int fd = -1;
	char path[512];
	ssize_t got, used = 0;
	int err;

	snprintf(path, sizeof(path), "events/%s/%s/format", system, name);
	fd = openat(tracefs, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || !text)
		return lkst_err_sys(e, text ? -errno : -ENOMEM, "tracepoint %s:%s", system, name);
	while ((got = read(fd, text + used, FORMAT_MAX - used)) > 0)
		used += got;
	text[used] = 0;
	memset(ret_event, 0, sizeof(*ret_event));
	memset(ret_plan, 0, sizeof(*ret_plan));
	ret_event->index = ret_event->syscall = -1;
	ret_event->group = LKST_GROUP_TRACEPOINT;
	snprintf(ret_event->name, sizeof(ret_event->name), "%.40s:%.54s", system, name);
	ret_event->fields = calloc(LKST_FIELDS_MAX, sizeof(*ret_event->fields));
	if (!ret_event->fields)
		return lkst_err_sys(e, -ENOMEM, "tracepoint %s:%s", system, name);
	err = lkst_tracefs_parse_format(
		e, text, strstr(text, "__probe_ip") && is_at_function(tracefs, system, name),
		ret_event, ret_plan, ret_about);
	if (err) {
		lkst_err_add(e, "tracepoint %s:%s", system, name);
		free(ret_event->fields);
		ret_event->fields = NULL;
	}
	return err;
}
