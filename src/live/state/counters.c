/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading the kernel's own counters from /proc. */
#include "live/state/counters.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "base/vec.h"

enum {
	NAME_ROOM = LKST_COUNTER_NAME,
	FILE_MAX = 16 << 20,
	FILE_MIN = 65536,
	LIST_MAX = 1 << 20,
};

/* A file of /proc, and when it was read. */
struct counters_reading {
	struct lkst_counters *c;
	char *text;
	u64 from_ns, to_ns;
	const u16 *cpus; /* of the columns, where a header names them */
	u32 nr_cpus;
	bool has_failed;
};

int lkst_counters_add(struct lkst_counters *c, const struct lkst_counter_value *value)
{
	struct lkst_counter_value *added;

	if (c->nr == LIST_MAX)
		return -E2BIG;
	added = lkst_vec_add(c->list, c->nr);
	if (!added)
		return -ENOMEM;
	*added = *value;
	return 0;
}

static void counters_add(struct counters_reading *r, enum lkst_counter kind, s32 cpu, s32 number, const char *name,
			 size_t length, u64 value)
{
	struct lkst_counter_value v = { .value = value,
					.from_ns = r->from_ns,
					.to_ns = r->to_ns,
					.kind = (u8)kind,
					.cpu = (s16)cpu,
					.number = number };

	memcpy(v.name, name, length < NAME_ROOM ? length : NAME_ROOM - 1);
	r->has_failed |= lkst_counters_add(r->c, &v) != 0;
}

/* Reads all of file @path between two looks at the clock. False: there is none. */
static bool counters_load(struct counters_reading *r, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0, room = FILE_MIN;
	ssize_t got = -1;

	free(r->text);
	r->text = malloc(room);
	r->from_ns = lkst_monotonic_ns();
	while (fd >= 0 && r->text && (got = read(fd, r->text + used, room - used - 1)) > 0) {
		used += (size_t)got;
		if (room - used < FILE_MIN / 2) {
			char *grown = room < FILE_MAX ? realloc(r->text, 2 * room) : NULL;

			if (!grown)
				return false;
			r->text = grown;
			room *= 2;
		}
	}
	r->to_ns = lkst_monotonic_ns();
	if (got < 0)
		return false;
	r->text[used] = 0;
	return true;
}

/* Calls @each with each line. */
static void each_line(struct counters_reading *r, void (*each)(struct counters_reading *r, char *line))
{
	char *rest = r->text, *line;

	while ((line = strsep(&rest, "\n")))
		each(r, line);
}

static void take_stat(struct counters_reading *r, char *line)
{
	if (!strncmp(line, "ctxt ", 5))
		counters_add(r, LKST_COUNTER_SWITCHES, -1, 0, "ctxt", 4, strtoull(line + 5, NULL, 10));
	else if (!strncmp(line, "processes ", 10))
		counters_add(r, LKST_COUNTER_FORKS, -1, 0, "processes", 9, strtoull(line + 10, NULL, 10));
}

static void take_vmstat(struct counters_reading *r, char *line)
{
	if (!strncmp(line, "pgfault ", 8))
		counters_add(r, LKST_COUNTER_FAULTS, -1, 0, "pgfault", 7, strtoull(line + 8, NULL, 10));
	else if (!strncmp(line, "pgmajfault ", 11))
		counters_add(r, LKST_COUNTER_MAJOR, -1, 0, "pgmajfault", 10, strtoull(line + 11, NULL, 10));
}

/* A value per CPU at @text. Returns what follows them. */
static char *take_columns(struct counters_reading *r, char *text, enum lkst_counter kind, s32 number,
			  const char *name, size_t length)
{
	u32 i;

	for (i = 0; i < r->nr_cpus; i++) {
		char *end;
		u64 value = strtoull(text, &end, 10);

		if (end == text)
			break;
		counters_add(r, kind, r->cpus[i], number, name, length, value);
		text = end;
	}
	return text;
}

/* " NET_RX:   1   2" */
static void take_softirq(struct counters_reading *r, char *line)
{
	char *name = line + strspn(line, " "), *colon = strchr(name, ':');
	s32 i;

	for (i = 0; colon && i < LKST_NR_SOFTIRQS; i++)
		if (strlen(lkst_softirq_names[i]) == (size_t)(colon - name) &&
		    !strncmp(name, lkst_softirq_names[i], (size_t)(colon - name)))
			take_columns(r, colon + 1, LKST_COUNTER_SOFTIRQ, i, name,
				     (size_t)(colon - name));
}

/* " 24:   1   2   chip  number-type   names" or " LOC:   1   2   Local timer interrupts" */
static void take_interrupt(struct counters_reading *r, char *line)
{
	static const char *const vectors[LKST_NR_VECTORS] = { "LOC", "RES", "CAL" };
	char *name = line + strspn(line, " "), *colon = strchr(name, ':'), *end;
	u32 first = r->c->nr, i;
	s32 k;

	if (!colon)
		return;
	if (isdigit((unsigned char)*name)) {
		end = take_columns(r, colon + 1, LKST_COUNTER_IRQ, (s32)strtol(name, NULL, 10), "",
				   0);
		end += strspn(end, " ");
		/* The names of the devices come last: a comma shows that several share it. */
		for (i = first; i < r->c->nr; i++)
			snprintf(r->c->list[i].name, NAME_ROOM, "%s", end);
		return;
	}
	for (k = 0; k < LKST_NR_VECTORS; k++)
		if (!strncmp(name, vectors[k], 3) && name + 3 == colon)
			take_columns(r, colon + 1, LKST_COUNTER_VECTOR, k, name, 3);
}

/* "  254   0 vda 1 2 3 4 5 6 7 8 ...": reads, merged, sectors, ms, writes, ...; partitions are not disks. */
static void take_disk(struct counters_reading *r, char *line)
{
	unsigned int major, minor;
	unsigned long long reads, writes;
	char name[NAME_ROOM], path[NAME_ROOM + 64];

	if (sscanf(line, "%u %u %63s %llu %*u %*u %*u %llu", &major, &minor, name, &reads,
		   &writes) != 5)
		return;
	snprintf(path, sizeof(path), "/sys/block/%s", name);
	if (!access(path, F_OK))
		counters_add(r, LKST_COUNTER_DISK, -1, (s32)(major << 20 | minor), name, strlen(name),
			     reads + writes);
}

s32 lkst_netdev_index(const char *name)
{
	_cleanup_fclose_ FILE *f = NULL;
	char path[512];
	s32 index;

	snprintf(path, sizeof(path), "/sys/class/net/%s/ifindex", name);
	f = fopen(path, "re");
	return f && fscanf(f, "%d", &index) == 1 ? index : 0;
}

/* "  lo: bytes packets errs drop fifo frame compressed multicast  bytes packets ...", of this network namespace */
static void take_netdev(struct counters_reading *r, char *line)
{
	char *name = line + strspn(line, " "), *colon = strrchr(name, ':');
	unsigned long long sent;
	bool is_loopback;

	if (!colon || sscanf(colon + 1, "%*u %*u %*u %*u %*u %*u %*u %*u %*u %llu", &sent) != 1)
		return;
	*colon = 0;
	is_loopback = !strcmp(name, "lo");
	counters_add(r, is_loopback ? LKST_COUNTER_SENT : LKST_COUNTER_SENT_BY, -1, lkst_netdev_index(name),
		     name, strlen(name), sent);
}

/* The first line of a table: "      CPU0   CPU2". Returns the lines after it; NULL: it is not a table. */
static char *counters_read_header(struct counters_reading *r, u16 *cpus, u32 max)
{
	char *end = strchr(r->text, '\n'), *p = r->text;

	r->nr_cpus = 0;
	r->cpus = cpus;
	while (end && r->nr_cpus < max && (p = strstr(p, "CPU")) && p < end) {
		cpus[r->nr_cpus++] = (u16)strtoul(p + 3, NULL, 10);
		p += 3;
	}
	return r->nr_cpus ? end + 1 : NULL;
}

static void take_table(struct counters_reading *r, u16 *cpus, u32 max,
		       void (*each)(struct counters_reading *r, char *line))
{
	char *lines = counters_read_header(r, cpus, max);

	if (!lines)
		return;
	memmove(r->text, lines, strlen(lines) + 1);
	each_line(r, each);
}

/* ---- what is recorded ---------------------------------------------------------------- */

/* The buffers that events called @name go to; 0: not every one is recorded. */
static u16 counters_route_of(const struct lkst_session *s, const char *name)
{
	const struct lkst_event_class *class = lkst_catalog_find(lkst_session_catalog(s), name);
	const struct lkst_control *c = lkst_session_control(s);
	u16 route;

	if (!class)
		return 0;
	route = __atomic_load_n(&c->route[c->active % LKST_MASKSETS][class->id], __ATOMIC_RELAXED);
	/* Another handler records what it wants to. */
	return lkst_route_handler(route) == LKST_HANDLER_DEFAULT && !lkst_route_is_shed(route) ? route
											       : 0;
}

enum { EVENTS_MAX = 2 };

/* The events that are records of counter @v; NULL: there are no more. */
static const char *const *events_of(const struct lkst_counter_value *v)
{
	static const char *const events[LKST_NR_COUNTERS][EVENTS_MAX] = {
		[LKST_COUNTER_SWITCHES] = { "sched_switch" },
		[LKST_COUNTER_FORKS] = { "task_newtask" },
		[LKST_COUNTER_SOFTIRQ] = { "softirq_entry" },
		[LKST_COUNTER_IRQ] = { "irq_handler_entry" },
		[LKST_COUNTER_DISK] = { "block_rq_complete" },
		[LKST_COUNTER_SENT] = { "net_dev_start_xmit" },
		[LKST_COUNTER_FAULTS] = { "page_fault_user" },
		[LKST_COUNTER_SENT_BY] = { "net_dev_start_xmit" },
		[LKST_COUNTER_MAJOR] = { "page_fault_user" },
	};
	static const char *const vectors[LKST_NR_VECTORS][EVENTS_MAX] = {
		[LKST_VECTOR_TIMER] = { "local_timer_entry" },
		[LKST_VECTOR_RESCHEDULE] = { "reschedule_entry" },
		[LKST_VECTOR_CALL] = { "call_function_entry", "call_function_single_entry" },
	};

	return v->kind == LKST_COUNTER_VECTOR ? vectors[v->number] : events[v->kind];
}

static bool counters_is_recorded(const struct lkst_session *s, const struct lkst_counter_value *v)
{
	const char *const *events = events_of(v);
	unsigned int i;

	for (i = 0; i < EVENTS_MAX && events[i]; i++)
		if (!counters_route_of(s, events[i]))
			return false;
	return true;
}

/* Whether a trace of @buffers has the records of @v: those of a bank are the records that go to main. */
static bool counters_is_in(const struct lkst_session *s, const struct lkst_counter_value *v, u32 buffers)
{
	const char *const *events = events_of(v);
	unsigned int i, buffer;

	for (i = 0; i < EVENTS_MAX && events[i] && buffers; i++) {
		buffer = counters_route_of(s, events[i]) >> 8;
		if (buffer != LKST_BUFFER_MAIN && !(buffers >> buffer % LKST_NR_BUFFERS & 1))
			return false;
	}
	return true;
}

u32 lkst_counters_switches_to(const struct lkst_session *s)
{
	u16 route = counters_route_of(s, "sched_switch");

	return route ? 1U << (route >> 8) % LKST_NR_BUFFERS : 0;
}

/* ---- all of them --------------------------------------------------------------------- */

int lkst_counters_read(struct lkst_err *e, const struct lkst_session *s, struct lkst_counters *c)
{
	const u32 max = lkst_session_rings(s)->nr_cpus;
	_cleanup_free_ u16 *cpus = calloc(max, sizeof(*cpus));
	struct counters_reading r = { .c = c };
	u64 changed_ns;
	u32 i;

	if (!cpus)
		return lkst_err_sys(e, -ENOMEM, "reading the kernel's counters");
	c->nr = 0;
	if (counters_load(&r, "/proc/stat"))
		each_line(&r, take_stat);
	if (counters_load(&r, "/proc/softirqs"))
		take_table(&r, cpus, max, take_softirq);
	if (counters_load(&r, "/proc/interrupts"))
		take_table(&r, cpus, max, take_interrupt);
	if (counters_load(&r, "/proc/diskstats"))
		each_line(&r, take_disk);
	if (counters_load(&r, "/proc/net/dev"))
		each_line(&r, take_netdev);
	if (counters_load(&r, "/proc/vmstat"))
		each_line(&r, take_vmstat);
	free(r.text);
	changed_ns = __atomic_load_n(&lkst_session_control(s)->changed_ns, __ATOMIC_ACQUIRE);
	/* Events whose recording has just changed may have been recorded in part. */
	for (i = 0; i < c->nr; i++)
		c->list[i].is_recorded = c->list[i].from_ns > changed_ns && counters_is_recorded(s, &c->list[i]);
	return r.has_failed ? lkst_err_sys(e, -ENOMEM, "reading the kernel's counters") : 0;
}

void lkst_counters_fini(struct lkst_counters *c)
{
	free(c->list);
}

/* ---- writing ------------------------------------------------------------------------ */

int lkst_counters_write(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			const struct lkst_counters *c, bool is_filtered, u32 buffers)
{
	const struct lkst_event_class *class =
		lkst_catalog_find(lkst_session_catalog(s), "state_counter");
	int err = 0;
	u32 i;

	/* A recording that another version has started may know less of them. */
	if (!class || !lkst_class_field(class, "after_most"))
		return 0;
	for (i = 0; i < c->nr && !err; i++) {
		const struct lkst_counter_value *v = &c->list[i];
		struct {
			struct lkst_rec_state_counter r;
			char name[NAME_ROOM];
		} rec = { .r = { .head.id_time = class->id,
				 .value = v->value,
				 .from = v->from_ns,
				 .to = v->to_ns,
				 .kind = v->kind,
				 .counter_cpu = v->cpu,
				 .number = v->number,
				 .after_least = v->after_least,
				 .after_most = v->after_most,
				 .is_recorded =
					 v->is_recorded && !is_filtered && counters_is_in(s, v, buffers) } };

		memcpy((u8 *)&rec + sizeof(rec.r), v->name, strlen(v->name) + 1);
		err = lkst_writer_state(e, w, v->to_ns, &rec, sizeof(rec.r) + strlen(v->name) + 1);
	}
	return err;
}
