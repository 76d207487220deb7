/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/view_fixture.h"

struct fixture *f;

/* The system calls that tests use, by the names of their rows. */
static const char *const fixture_calls[] = {
	"openat", "futex", "sendto", "mmap", "rename", "read"
};

struct lkst_record fixture_record(struct fixture *x, const char *line)
{
	struct lkst_record r = { .ns = make_number(line, "ns"),
				 .tid = (s32)make_number(line, "tid"),
				 .cpu = (u32)make_number(line, "cpu"),
				 .buffer = (u32)make_number(line, "buffer"),
				 .bytes = x->record.bytes };
	char name[LKST_NAME_MAX] = "";
	u32 at = sizeof(x->record.head);
	u16 i;

	sscanf(line, "%95s", name);
	r.event = lkst_catalog_find(x->catalog, name);
	if (!r.event) {
		fprintf(stderr, "fixture_record: no event %s\n", name);
		abort();
	}
	memset(&x->record, 0, sizeof(x->record));
	for (i = 0; i < r.event->nr_fields; i++)
		at = make_encode(r.event, i, line, x->record.bytes, at);
	r.size = at;
	return r;
}

void fixture_feed(struct fixture *x, const char *line)
{
	struct lkst_record r = fixture_record(x, line);

	if (lkst_threads_feed(x->threads, &r))
		abort();
}

void fixture_thread(struct fixture *x, s32 tid, const char *comm, u64 task)
{
	char line[256];

	snprintf(line, sizeof(line),
		 "state_thread thread_tid=%d thread_pid=%d comm=\"%s\" task=%llu", tid, tid, comm,
		 (unsigned long long)task);
	fixture_feed(x, line);
}

void fixture_symbol(struct fixture *x, u64 address, u32 bytes, const char *name)
{
	char line[256];
	struct lkst_record r;

	snprintf(line, sizeof(line), "state_symbol address=%llu bytes=%u name=\"%s\"",
		 (unsigned long long)address, bytes, name);
	r = fixture_record(x, line);
	if (lkst_symbols_feed(x->symbols, &r))
		abort();
}

static struct fixture *fixture_new(void)
{
	struct fixture *x = calloc(1, sizeof(*x));
	struct lkst_err e;
	unsigned int i;
	u16 id;

	if (!x)
		abort();
	setenv("TZ", "UTC0", 1);
	x->catalog = make_catalog();
	x->catalog->clock_offset_ns = FIXTURE_OFFSET_NS;
	id = LKST_NR_EVENTS + 100;
	for (i = 0; i < sizeof(fixture_calls) / sizeof(fixture_calls[0]); i++, id += 2) {
		const struct lkst_syscall *row = lkst_syscall_find(false, fixture_calls[i]);

		if (!row || lkst_catalog_add_syscall(&e, x->catalog, id, id + 1,
						     (unsigned int)(row - lkst_syscalls)))
			abort();
	}
	x->threads = lkst_threads_new();
	x->symbols = lkst_symbols_new();
	x->out = malloc(sizeof(*x->out));
	if (!x->threads || !x->symbols || !x->out)
		abort();
	fixture_thread(x, 1234, "bash", 0xffff8880da42800);
	fixture_thread(x, 567, "cc1", 0x10da42400);
	fixture_thread(x, 8862, "TP09", 0);
	fixture_thread(x, 99, "a\nb\x9b", 0);
	return x;
}

static void fixture_free(struct fixture *x)
{
	lkst_catalog_free(x->catalog);
	lkst_threads_free(x->threads);
	lkst_symbols_free(x->symbols);
	free(x->out);
	free(x);
}

void fixture_begin(struct fixture *x, const struct lkst_view *view, enum lkst_view_time time)
{
	struct lkst_view_config config = { .out = x->out,
					   .catalog = x->catalog,
					   .threads = x->threads,
					   .symbols = x->symbols,
					   .time = time,
					   .has_text = x->has_text,
					   .begin_ns = FIXTURE_BEGIN_NS };
	struct lkst_err e;

	lkst_out_init(x->out, open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
	x->view = view;
	if (x->out->fd < 0 || view->begin(&e, &config, &x->ctx))
		abort();
}

void fixture_print(struct fixture *x, const char *line)
{
	struct lkst_record r = fixture_record(x, line);

	if (x->view->record(x->ctx, &r))
		abort();
}

const char *fixture_end(struct fixture *x)
{
	ssize_t n;

	x->view->end(x->ctx);
	if (lkst_out_flush(x->out))
		abort();
	n = pread(x->out->fd, x->text, sizeof(x->text) - 1, 0);
	close(x->out->fd);
	if (n < 0)
		abort();
	x->text[n] = 0;
	return x->text;
}

const char *fixture_one(struct fixture *x, const struct lkst_view *view,
			const char *event_and_fields)
{
	char line[8192];

	snprintf(line, sizeof(line), "%s cpu=1 tid=1234 ns=100123456789", event_and_fields);
	fixture_begin(x, view, LKST_VIEW_DAY);
	fixture_print(x, line);
	return fixture_end(x);
}

static __attribute__((constructor)) void fixture_set_up(void)
{
	f = fixture_new();
}

static __attribute__((destructor)) void fixture_tear_down(void)
{
	fixture_free(f);
}
