/* SPDX-License-Identifier: GPL-2.0-only */
/* Traces of any events with any values, made of bytes. */
#include "lib/any_trace.h"

#include "abi/syscalls.h"

enum {
	CPUS = 3,
	TIDS = 8,
	ADDRESSES = 5,
	RECORDS = 150,
	EVENTS = LKST_NR_EVENTS + 10, /* those beyond are gaps */
};

/* System calls follow the built-in events. */
static struct lkst_catalog *catalog(void)
{
	static const char *const calls[] = { "read", "mmap", "munmap", "sched_yield" };
	struct lkst_catalog *c = make_catalog_for(true);
	struct lkst_err e;
	u16 i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (lkst_catalog_add_syscall(&e, c, LKST_NR_EVENTS + 100 + 2 * i,
					     LKST_NR_EVENTS + 101 + 2 * i,
					     lkst_syscall_find(false, calls[i]) - lkst_syscalls))
			abort();
	return c;
}

/* A value as text, of few different ones so that begins meet ends, and now and then an extreme one. */
static int put_value(char *text, size_t size, const struct lkst_field_class *f, u8 byte)
{
	if (byte >= 0xf8)
		return snprintf(text, size, " %s=%s", f->name, byte & 1 ? "-1" : "0x7fffffff");
	if (f->meaning == LKST_MEANING_TID || f->meaning == LKST_MEANING_PID)
		return snprintf(text, size, " %s=%u", f->name, byte % TIDS);
	if (f->meaning == LKST_MEANING_CPU)
		return snprintf(text, size, " %s=%u", f->name, byte % CPUS);
	if (f->meaning == LKST_MEANING_PFN)
		return snprintf(text, size, " %s=%u", f->name, byte * 100u);
	if (f->meaning == LKST_MEANING_ORDER)
		return snprintf(text, size, " %s=%u", f->name, byte % 12);
	if (f->size == 8)
		return snprintf(text, size, " %s=0x%llx", f->name,
				0xffffffff81000000ULL + byte % ADDRESSES * 64);
	return snprintf(text, size, " %s=%u", f->name, byte);
}

/* One line of the trace. */
static void put_line(struct make_trace *t, struct source *in, u64 *ns)
{
	u32 number = next(in) * 256u % EVENTS + next(in) % EVENTS, cpu = next(in) % CPUS;
	const struct lkst_event_class *event;
	char line[2048];
	size_t used;
	u16 i;

	number %= EVENTS;
	*ns += next(in);
	if (number >= LKST_NR_EVENTS + 8) {
		snprintf(line, sizeof(line),
			 next(in) & 1 ? "!skip cpu=%u blocks=1" : "!discard cpu=%u events=2", cpu);
		if (make_text(t, line))
			abort();
		return;
	}
	event = t->catalog->classes[number < LKST_NR_EVENTS ? number + 1 : number + 100];
	used = (size_t)snprintf(line, sizeof(line), "%s cpu=%u tid=%u ns=%llu", event->name, cpu,
				next(in) % TIDS, (unsigned long long)*ns);
	/* A field called as the place of a record cannot be given. */
	for (i = 0; i < event->nr_fields && used < sizeof(line) - 256; i++)
		if (strcmp(event->fields[i].name, "buffer") &&
		    strcmp(event->fields[i].name, "level"))
			used += (size_t)put_value(line + used, sizeof(line) - used,
						  &event->fields[i], next(in));
	if (make_text(t, line))
		abort();
}

void any_trace_make_host(const char *dir, struct source *in, u8 host)
{
	struct lkst_catalog *c = catalog();
	struct make_trace *t;
	u64 ns = 1000;
	int i;

	c->uuid[0] ^= host;
	c->boot_id[0] ^= host;
	t = make_begin(dir, c, 4096);
	for (i = 0; i < RECORDS; i++)
		put_line(t, in, &ns);
	if (make_end(t))
		abort();
}

void any_trace_make(const char *dir, struct source *in)
{
	any_trace_make_host(dir, in, 0);
}
