/* SPDX-License-Identifier: GPL-2.0-only */
/* The state stream: threads, clocks, devices, ledger. */
#include "live/state/state_stream.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timex.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "base/vec.h"
#include "live/kernel/page_map.h"
#include "live/masks/maskset_edit.h"
#include "live/masks/masksets.h"
#include "live/state/counters.h"
#include "live/state/quotas.h"
#include "live/state/state_descriptors.h"
#include "live/state/state_processes.h"
#include "live/state/write_power.h"
#include "masks/mask.h"

enum {
	NAME_MAX_BYTES = 256, /* of an interrupt, disk or interface */
	FILE_MAX_BYTES = 2048, /* of a build-id and a path */
	CGROUPS_MAX = 16384,  /* whose paths a trace has; the rest have numbers */
};

struct state {
	struct lkst_err *e;
	const struct lkst_session *s;
	struct lkst_writer *w;
	struct lkst_kernel_notes_state *keep; /* in place of @w */
	u64 now;
	struct lkst_reported *reported;
	unsigned int line; /* of the ledger, counting those that are 0 */
};

/* Writes @record of event @name, @length bytes, if the trace has that event. */
static int state_stream_put(struct state *st, const char *name, void *record, size_t length)
{
	const struct lkst_event_class *class = lkst_catalog_find(lkst_session_catalog(st->s), name);
	struct lkst_record_head *head = record;

	if (!class)
		return 0;
	head->id_time = class->id;
	head->tid = 0;
	if (st->keep) {
		lkst_kernel_notes_state_add(st->keep, record, length);
		return 0;
	}
	return lkst_writer_state(st->e, st->w, st->now, record, length);
}

/* The same for a record that ends in a string, after @fixed bytes. */
static int put_named(struct state *st, const char *event, void *record, size_t fixed,
		     const char *name)
{
	size_t length = strlen(name);

	if (length > NAME_MAX_BYTES - 1)
		length = NAME_MAX_BYTES - 1;

	memcpy((u8 *)record + fixed, name, length);
	((u8 *)record)[fixed + length] = 0;
	return state_stream_put(st, event, record, fixed + length + 1);
}

/* What keeps the time of day right tells the kernel how well it does. */
static void know_error(struct lkst_rec_state_clock *r)
{
	enum { NS_PER_US = 1000 };
	struct timex t = {};
	int state = adjtimex(&t);

	if (state < 0 || state == TIME_ERROR || t.status & STA_UNSYNC || t.maxerror < 0 || t.esterror < 0)
		return;
	r->synchronised = 1;
	r->max_error_ns = (u64)t.maxerror * NS_PER_US;
	r->estimated_error_ns = (u64)t.esterror * NS_PER_US;
}

static int write_clocks(struct state *st)
{
	struct lkst_rec_state_clock r = { .monotonic_ns = lkst_monotonic_ns() };

	r.boottime_ns = r.monotonic_ns + (lkst_clock_ns(CLOCK_BOOTTIME) - lkst_monotonic_ns());
	r.realtime_ns = r.monotonic_ns + lkst_clock_offset_ns();
	know_error(&r);
	return state_stream_put(st, "state_clock", &r, sizeof(r));
}

/*
 * A record of the list; that of thread 0 is for the idle thread of its CPU. Its head, which has how often the thread
 * was switched away from (live/state/thread_counts.c), gets its proper contents when the record is written.
 */
static int add_listed(struct lkst_thread_list *list, const struct lkst_listed_thread *thread)
{
	struct lkst_listed_thread *wait;

	if (!thread->r.thread_tid)
		return lkst_thread_list_set_idle(list, (u16)thread->r.thread_cpu, thread->r.task);
	if (thread->where != LKST_WHERE_UNKNOWN) {
		wait = lkst_vec_add(list->waits, list->nr_waits);
		if (!wait)
			return -ENOMEM;
		*wait = *thread;
	}
	return lkst_thread_list_add(list, &thread->r);
}

static int state_stream_by_thread(const void *a, const void *b)
{
	const struct lkst_listed_thread *x = a, *y = b;

	return (x->r.thread_tid > y->r.thread_tid) - (x->r.thread_tid < y->r.thread_tid);
}

int lkst_state_list_threads(struct lkst_err *e, const struct lkst_session *s,
			    struct lkst_thread_list *list)
{
	_cleanup_close_ int fd = lkst_session_list_threads(e, s);
	struct lkst_listed_thread batch[64];
	size_t used = 0;
	ssize_t got;

	if (fd < 0)
		return fd;
	while ((got = read(fd, (u8 *)batch + used, sizeof(batch) - used)) > 0) {
		size_t nr, i;

		used += got;
		nr = used / sizeof(batch[0]);
		for (i = 0; i < nr; i++)
			if (add_listed(list, &batch[i]))
				return lkst_err_sys(e, -ENOMEM, "listing threads");
		used -= nr * sizeof(batch[0]);
		memmove(batch, batch + nr, used);
	}
	if (list->nr_waits)
		qsort(list->waits, list->nr_waits, sizeof(*list->waits), state_stream_by_thread);
	return got < 0 ? lkst_err_sys(e, -errno, "listing threads") : 0;
}

/* Writes where thread @r was, if it slept. */
static int write_wait(struct state *st, const struct lkst_thread_list *threads, const struct lkst_rec_state_thread *r)
{
	const struct lkst_listed_thread key = { .r.thread_tid = r->thread_tid };
	const struct lkst_listed_thread *wait =
		threads->nr_waits
			? bsearch(&key, threads->waits, threads->nr_waits, sizeof(key), state_stream_by_thread)
			: NULL;
	struct {
		struct lkst_rec_state_wait r;
		u64 args[LKST_SYSCALL_ARGS];
	} rec = {};

	/* Its number may be another's since. */
	if (!wait || wait->r.start_ns != r->start_ns || wait->nr_args > LKST_SYSCALL_ARGS)
		return 0;
	rec.r.thread_tid = r->thread_tid;
	rec.r.call = wait->call;
	rec.r.where = wait->where;
	rec.r.flags = wait->flags;
	rec.r.lock = wait->lock;
	rec.r.holder_tid = wait->holder_tid;
	rec.r.holder_is = wait->holder_is;
	rec.r.lock_flags = wait->lock_flags;
	rec.r.nr_args = wait->nr_args;
	memcpy((u8 *)&rec + sizeof(rec.r), wait->args, wait->nr_args * sizeof(u64));
	return state_stream_put(st, "state_wait", &rec, sizeof(rec.r) + wait->nr_args * sizeof(u64));
}

static int write_threads(struct state *st, const struct lkst_thread_list *threads)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < threads->nr && !err; i++) {
		struct lkst_rec_state_thread r = threads->list[i];

		err = state_stream_put(st, "state_thread", &r, sizeof(r)) ?: write_wait(st, threads, &r);
	}
	return err;
}

static int state_stream_by_value(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The numbers of the cgroups that @threads are in, each once, in order; NULL: no memory. */
static u64 *list_cgroups(const struct lkst_thread_list *threads, unsigned int *ret_nr)
{
	u64 *list = calloc(threads->nr + 1, sizeof(*list));
	unsigned int i, nr = 0;

	for (i = 0; list && i < threads->nr; i++)
		list[i] = threads->list[i].cgroup;
	if (list)
		qsort(list, threads->nr, sizeof(*list), state_stream_by_value);
	for (i = 0; list && i < threads->nr; i++)
		if (list[i] && (!nr || list[nr - 1] != list[i]))
			list[nr++] = list[i];
	*ret_nr = nr;
	return list;
}

/* A walk over all cgroups, for those that threads are in. */
struct cgroup_walk {
	const u64 *list; /* sorted */
	unsigned int nr, nr_named;
	int (*each)(void *ctx, struct lkst_state_cgroup *cgroup, size_t length);
	void *ctx;
};

static int take_walked(void *ctx, u64 id, const char *path)
{
	struct cgroup_walk *w = ctx;
	struct lkst_state_cgroup rec;

	if (w->nr_named >= CGROUPS_MAX || !bsearch(&id, w->list, w->nr, sizeof(*w->list), state_stream_by_value))
		return 0;
	w->nr_named++;
	rec.r.cgroup = id;
	strcpy(rec.path, path);
	return w->each(w->ctx, &rec, sizeof(rec.r) + strlen(path) + 1);
}

int lkst_state_list_cgroups(struct lkst_err *e, const struct lkst_thread_list *threads,
			    int (*each)(void *ctx, struct lkst_state_cgroup *cgroup, size_t length), void *ctx)
{
	struct lkst_state_cgroup rec;
	struct lkst_cgroup_mount mount;
	_cleanup_close_ int dir = -1;
	_cleanup_free_ u64 *list = NULL;
	unsigned int nr, i;
	int err = 0;

	lkst_cgroup_mount_find(&mount);
	dir = mount.point[0] ? open(mount.point, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (dir < 0)
		return 0;
	list = list_cgroups(threads, &nr);
	if (!list)
		return lkst_err_sys(e, -ENOMEM, "naming cgroups");
	if (!lkst_cgroup_mount_is_known_by_number()) {
		struct cgroup_walk walk = { .list = list, .nr = nr, .each = each, .ctx = ctx };

		return lkst_cgroup_mount_walk(dir, take_walked, &walk);
	}
	for (i = 0; i < nr && i < CGROUPS_MAX && !err; i++) {
		rec.r.cgroup = list[i];
		if (!lkst_cgroup_mount_path(&mount, dir, list[i], rec.path))
			err = each(ctx, &rec, sizeof(rec.r) + strlen(rec.path) + 1);
	}
	return err;
}

static int state_stream_write_process(void *ctx, struct lkst_state_process *process, size_t length)
{
	return state_stream_put(ctx, "state_process", process, length);
}

/* The pages for a dump have no room for these: there, exec_args has what was run since the recording began. */
static int write_processes(struct state *st, const struct lkst_thread_list *threads)
{
	return st->keep ? 0 : lkst_state_list_processes(threads, state_stream_write_process, st);
}

static int write_descriptor(void *ctx, struct lkst_state_descriptor *descriptor, size_t length)
{
	return state_stream_put(ctx, "state_descriptor", descriptor, length);
}

/* Whether closes are recorded now: else nobody can know how long a descriptor stays what it is. */
static bool follows_descriptors(const struct lkst_session *s)
{
	const struct lkst_control *c = lkst_session_control(s);
	const struct lkst_event_class *class = lkst_catalog_find(lkst_session_catalog(s), "syscall_entry_close");

	return class && lkst_route_handler(c->route[c->active % LKST_MASKSETS][class->id]) != LKST_HANDLER_NOTHING;
}

/* As the processes, these have no room in the pages for a dump. */
static int write_descriptors(struct state *st, const struct lkst_thread_list *threads)
{
	_cleanup_close_ int open_files = -1;

	if (st->keep || !follows_descriptors(st->s))
		return 0;
	open_files = lkst_session_list_open_files(st->s);
	return lkst_state_list_descriptors(threads, open_files, write_descriptor, st);
}

static int write_cgroup(void *ctx, struct lkst_state_cgroup *cgroup, size_t length)
{
	return state_stream_put(ctx, "state_cgroup", cgroup, length);
}

static int write_quota(void *ctx, struct lkst_state_quota *quota, size_t length)
{
	return state_stream_put(ctx, "state_quota", quota, length);
}

static int write_cpus(struct state *st, const struct lkst_thread_list *threads)
{
	u32 cpu;
	int err = 0;

	for (cpu = 0; cpu < lkst_session_rings(st->s)->nr_cpus && !err; cpu++) {
		struct lkst_rec_state_cpu r = { .state_cpu = cpu, .online = 1 };
		char path[64];
		_cleanup_fclose_ FILE *f = NULL;

		/* A CPU that cannot be taken offline has no such file. */
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online", cpu);
		f = fopen(path, "re");
		if (f)
			r.online = fgetc(f) == '1';
		if (cpu < threads->nr_idle_tasks)
			r.idle_task = threads->idle_tasks[cpu];
		err = state_stream_put(st, "state_cpu", &r, sizeof(r));
	}
	return err;
}

/* Where CPUs have no driver for it there is nothing. */
static int write_power(struct state *st)
{
	struct lkst_rec_state_frequency frequency;
	struct lkst_state_idle idle;
	int err = 0;
	u32 i;

	for (i = 0; i < lkst_session_rings(st->s)->nr_cpus && !err; i++)
		if (lkst_power_read_frequency(i, &frequency))
			err = state_stream_put(st, "state_frequency", &frequency, sizeof(frequency));
	for (i = 0; !err && lkst_power_read_idle(i, &idle); i++)
		err = state_stream_put(st, "state_idle", &idle, sizeof(idle.r) + strlen(idle.name) + 1);
	return err;
}

/* /proc/interrupts: " 24:  count…  chip  hwirq-type  names", a count per online CPU. */
static int write_irqs(struct state *st)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/interrupts", "re");
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int err = 0;

	if (f && getline(&line, &size, f) < 0)
		return 0;
	while (f && !err && getline(&line, &size, f) > 0) {
		struct {
			struct lkst_rec_state_irq r;
			char name[NAME_MAX_BYTES];
		} rec = {};
		char *end, *word, *name = NULL;
		long irq = strtol(line, &end, 10);

		if (*end != ':')
			continue;
		end[strcspn(end, "\n")] = 0;
		/* After the counts, the chip and the hardware number come the handlers' names. */
		for (word = strtok(end + 1, " "); word; word = strtok(NULL, " "))
			if (name || !isdigit((unsigned char)word[0]))
				name = word;
		rec.r.irq = irq;
		if (name)
			err = put_named(st, "state_irq", &rec, sizeof(rec.r), name);
	}
	return err;
}

/* All of them, including empty ones: a loop device that was in use may have been released by now. */
static int write_disks(struct state *st)
{
	DIR *dir = opendir("/sys/class/block");
	struct dirent *d;
	int err = 0;

	while (dir && !err && (d = readdir(dir))) {
		struct {
			struct lkst_rec_state_disk r;
			char name[NAME_MAX_BYTES];
		} rec = {};
		_cleanup_fclose_ FILE *f = NULL;
		unsigned int major, minor;
		char path[512];

		snprintf(path, sizeof(path), "/sys/class/block/%s/dev", d->d_name);
		f = fopen(path, "re");
		if (!f || fscanf(f, "%u:%u", &major, &minor) != 2)
			continue;
		rec.r.dev = major << 20 | minor;
		err = put_named(st, "state_disk", &rec, sizeof(rec.r), d->d_name);
	}
	if (dir)
		closedir(dir);
	return err;
}

static int write_netdevs(struct state *st)
{
	DIR *dir = opendir("/sys/class/net");
	struct dirent *d;
	int err = 0;

	while (dir && !err && (d = readdir(dir))) {
		struct {
			struct lkst_rec_state_netdev r;
			char name[NAME_MAX_BYTES];
		} rec = {};

		rec.r.ifindex = lkst_netdev_index(d->d_name);
		if (!rec.r.ifindex)
			continue;
		err = put_named(st, "state_netdev", &rec, sizeof(rec.r), d->d_name);
	}
	if (dir)
		closedir(dir);
	return err;
}

static int state_stream_write_conditions(struct state *st, u32 set)
{
	const struct lkst_catalog *c = lkst_session_catalog(st->s);
	struct lkst_mask mask;
	int err = 0;
	u32 id;

	lkst_maskset_read(st->s, set, &mask);
	for (id = 0; id < LKST_EVENT_SPACE && !err; id++) {
		struct {
			struct lkst_rec_state_condition r;
			char row[NAME_MAX_BYTES];
		} rec = { .r = { .maskset = set } };
		char row[LKST_NAME_MAX + LKST_MASK_CONDITION + 8];

		if (!c->classes[id] || !lkst_mask_condition(&mask, id))
			continue;
		snprintf(row, sizeof(row), "%s if %s", c->classes[id]->name,
			 lkst_mask_condition(&mask, id));
		err = put_named(st, "state_condition", &rec, sizeof(rec.r), row);
	}
	return err;
}

static int write_masksets(struct state *st)
{
	const struct lkst_control *c = lkst_session_control(st->s);
	u32 set;
	int err = 0;

	for (set = 0; set < LKST_MASKSETS && !err; set++) {
		struct {
			struct lkst_rec_state_maskset r;
			char name[NAME_MAX_BYTES];
		} rec = {};
		char name[LKST_MASKSET_NAME + 1] = "";

		if (!lkst_maskset_exists(c, set))
			continue;
		rec.r.maskset = set;
		rec.r.active = c->active == set;
		rec.r.armed = c->armed >> set & 1;
		rec.r.events = lkst_mask_count(c->route[set], lkst_session_catalog(st->s));
		memcpy(name, c->name[set], sizeof(c->name[set]));
		err = put_named(st, "state_maskset", &rec, sizeof(rec.r), name);
		err = err ?: state_stream_write_conditions(st, set);
	}
	return err;
}

static int write_buffers(struct state *st)
{
	const struct lkst_control *c = lkst_session_control(st->s);
	u32 buffer;
	int err = 0;

	for (buffer = 0; buffer < LKST_NR_BUFFERS && !err; buffer++) {
		struct {
			struct lkst_rec_state_buffer r;
			char name[NAME_MAX_BYTES];
		} rec = { .r = { .buffer = buffer } };
		char name[LKST_BUFFER_NAME + 1] = "";

		memcpy(name, c->buffer_name[buffer], LKST_BUFFER_NAME);
		if (lkst_rings_has(lkst_session_rings(st->s), buffer))
			err = put_named(st, "state_buffer", &rec, sizeof(rec.r), name);
	}
	return err;
}

static int write_incidents(struct state *st)
{
	const struct lkst_control *c = lkst_session_control(st->s);
	u32 buffer;
	int err = 0;

	for (buffer = 0; buffer < LKST_NR_BUFFERS && !err; buffer++) {
		const struct lkst_bank *bank = &c->bank[buffer];
		struct {
			struct lkst_rec_state_incident r;
			char reason[NAME_MAX_BYTES];
		} rec = {};
		char reason[LKST_INCIDENT_REASON + 1] = "";

		if (bank->state != LKST_BANK_KEPT)
			continue;
		rec.r = (struct lkst_rec_state_incident){ .at = bank->cause.ns,
							  .until = bank->until_ns,
							  .value = bank->cause.value,
							  .number = bank->number,
							  .buffer = buffer,
							  .trigger = bank->cause.trigger,
							  .event = bank->cause.id,
							  .thread = bank->cause.tid };
		memcpy(reason, bank->cause.reason, sizeof(bank->cause.reason));
		err = put_named(st, "state_incident", &rec, sizeof(rec.r), reason);
	}
	return err;
}

static int write_machine(struct state *st, const struct lkst_thread_list *threads)
{
	/* Threads come last: there may be more than there is room for. */
	int err = write_clocks(st) ?:
		  write_cpus(st, threads) ?:
		  write_power(st) ?:
		  write_irqs(st) ?:
		  write_disks(st) ?:
		  write_netdevs(st) ?:
		  write_masksets(st) ?:
		  write_buffers(st) ?:
		  write_incidents(st) ?:
		  write_threads(st, threads) ?:
		  lkst_state_list_cgroups(st->e, threads, write_cgroup, st) ?:
		  lkst_state_list_quotas(write_quota, st) ?:
		  write_processes(st, threads) ?:
		  write_descriptors(st, threads);

	if (err)
		lkst_err_add(st->e, "writing the machine's state");
	return err;
}

int lkst_state_write_machine(struct lkst_err *e, const struct lkst_session *s,
			     struct lkst_writer *w, const struct lkst_thread_list *threads)
{
	struct state st = { .e = e, .s = s, .w = w, .now = lkst_monotonic_ns() };

	return write_machine(&st, threads);
}

int lkst_state_write_descriptors(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
				 const struct lkst_thread_list *threads)
{
	struct state st = { .e = e, .s = s, .w = w, .now = lkst_monotonic_ns() };

	return write_descriptors(&st, threads);
}

int lkst_state_keep_machine(struct lkst_err *e, struct lkst_session *s)
{
	_cleanup_(lkst_thread_list_fini) struct lkst_thread_list threads = {};
	struct lkst_kernel_notes_state keep;
	struct state st = { .e = e, .s = s, .keep = &keep, .now = lkst_monotonic_ns() };
	int err = lkst_state_list_threads(e, s, &threads);

	if (err)
		return err;
	lkst_kernel_notes_state_begin(&keep, lkst_session_keep(s), st.now);
	err = write_machine(&st, &threads);
	if (err)
		return err;
	lkst_kernel_notes_state_end(&keep);
	return 0;
}

/* ---- the ledger --------------------------------------------------------------------- */

void lkst_reported_fini(struct lkst_reported *reported)
{
	free(reported->counts);
	free(reported->pending);
}

void lkst_reported_keep(struct lkst_reported *reported)
{
	if (reported->nr)
		memcpy(reported->counts, reported->pending,
		       reported->nr * sizeof(*reported->counts));
}

static int grow_reported(struct lkst_reported *reported, unsigned int nr)
{
	u64 *counts = reallocarray(reported->counts, nr, sizeof(*counts)), *pending;

	if (!counts)
		return -ENOMEM;
	reported->counts = counts;
	pending = reallocarray(reported->pending, nr, sizeof(*pending));
	if (!pending)
		return -ENOMEM;
	reported->pending = pending;
	for (; reported->nr < nr; reported->nr++)
		counts[reported->nr] = pending[reported->nr] = 0;
	return 0;
}

/* How much of the next line, whose value is @count now, is new: lines are always met in the same order. */
static int delta(struct state *st, u64 count, u64 *ret_delta)
{
	unsigned int line = st->line++;

	*ret_delta = count;
	if (!st->reported)
		return 0;
	if (line >= st->reported->nr && grow_reported(st->reported, line + 1))
		return lkst_err_sys(st->e, -ENOMEM, "writing the ledger");
	st->reported->pending[line] = count;
	*ret_delta = count - st->reported->counts[line];
	return 0;
}

int lkst_state_write_symbol(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			    u64 address, u32 bytes, const char *name)
{
	struct state st = { .e = e, .s = s, .w = w, .now = lkst_monotonic_ns() };
	struct {
		struct lkst_rec_state_symbol r;
		char name[NAME_MAX_BYTES];
	} rec = { .r = { .address = address, .bytes = bytes } };

	return put_named(&st, "state_symbol", &rec, sizeof(rec.r), name);
}

int lkst_state_write_mapping(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w, u64 now,
			     const struct lkst_rec_state_mapping *mapping)
{
	struct state st = { .e = e, .s = s, .w = w, .now = now };
	struct lkst_rec_state_mapping r = *mapping;

	return state_stream_put(&st, "state_mapping", &r, sizeof(r));
}

int lkst_state_write_binary(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			    const struct lkst_rec_state_binary *binary, const char *file)
{
	struct state st = { .e = e, .s = s, .w = w, .now = lkst_monotonic_ns() };
	struct {
		struct lkst_rec_state_binary r;
		char file[FILE_MAX_BYTES];
	} rec = { .r = *binary };
	size_t length = strlen(file);

	if (length >= FILE_MAX_BYTES)
		return 0;
	memcpy(rec.file, file, length + 1);
	return state_stream_put(&st, "state_binary", &rec, sizeof(rec.r) + length + 1);
}

/* Pages that are written, of one process. */
struct state_pages {
	struct state state;
	pid_t pid;
	unsigned int nr;
};

/*
 * Files' pages are in memory for all processes. The time of a record is after it was found that the process has the
 * pages: a reader ignores it where a record of before tells otherwise.
 */
static int put_pages(void *ctx, const struct lkst_page_mapping *m, const struct lkst_page_run *run)
{
	struct state_pages *p = ctx;
	struct lkst_rec_state_pages r = {
		.pfn = run->pfn, .address = run->address, .owner_pid = p->pid, .pages = (u32)run->nr
	};

	if (run->is_zero || run->is_shared || !run->pfn)
		return 0;
	if (p->nr == LKST_STATE_PAGES_MAX)
		return -ENOSPC;
	p->nr++;
	p->state.now = lkst_monotonic_ns();
	return state_stream_put(&p->state, "state_pages", &r, sizeof(r));
}

int lkst_state_write_pages(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			   pid_t pid, bool *ret_is_cut)
{
	static const struct lkst_page_calls calls = { .run = put_pages };
	struct state_pages p = { .state = { .e = e, .s = s, .w = w }, .pid = pid };
	int err = lkst_page_map_walk(e, pid, &calls, &p);

	*ret_is_cut = p.nr == LKST_STATE_PAGES_MAX && err == -ENOSPC;
	return *ret_is_cut ? 0 : err;
}

int lkst_state_write_overwritten(struct lkst_err *e, const struct lkst_session *s,
				 struct lkst_writer *w, u64 instance, const struct lkst_lost *lost)
{
	struct state st = { .e = e, .s = s, .w = w, .now = lkst_monotonic_ns() };
	struct lkst_rec_state_overwritten r = lkst_lost_record(instance, lost);

	return state_stream_put(&st, "state_overwritten", &r, sizeof(r));
}

int lkst_state_write_marks(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w, s32 pid, u32 uid,
			   const struct lkst_marks_losses *lost)
{
	struct state st = { .e = e, .s = s, .w = w, .now = lkst_monotonic_ns() };
	struct lkst_rec_state_marks r = { .program_pid = pid,
					  .uid = uid,
					  .overwritten = lost->overwritten,
					  .unrecorded = lost->unrecorded,
					  .refused = lost->refused,
					  .left_out = lost->left_out,
					  .unlooked = lost->unlooked };

	return state_stream_put(&st, "state_marks", &r, sizeof(r));
}

static int write_ring_ledger(struct state *st, u32 cpu, u32 buffer)
{
	const struct lkst_state *page = lkst_rings_state(lkst_session_rings(st->s), cpu, buffer);
	u64 count;
	u32 cause;
	int err = 0;

	for (cause = 0; cause < LKST_LOSS_NR && !err; cause++) {
		struct lkst_rec_state_loss r = { .loss_cpu = cpu,
						 .buffer = buffer,
						 .cause = cause };

		err = delta(st, __atomic_load_n(&page->lost[cause], __ATOMIC_RELAXED), &count);
		r.count = count;
		if (!err && r.count)
			err = state_stream_put(st, "state_loss", &r, sizeof(r));
	}
	return err;
}

static int write_skipped(void *ctx, const char *hook, bool is_attached, u64 skipped)
{
	struct {
		struct lkst_rec_state_skipped r;
		char name[NAME_MAX_BYTES];
	} rec = {};
	u64 count;
	int err = delta(ctx, skipped, &count);

	(void)is_attached; /* it may have been */
	if (err)
		return err;
	rec.r.count = count;
	return count ? put_named(ctx, "state_skipped", &rec, sizeof(rec.r), hook) : 0;
}

static int write_sheds(struct state *st)
{
	_cleanup_(lkst_budget_view_free) struct lkst_budget_view v = {};
	unsigned int i;
	int err;

	err = lkst_session_budget(st->e, st->s, &v);
	for (i = 0; v.kinds && i < v.page.nr_kinds && !err; i++) {
		const struct lkst_kind *k = &v.kinds[i];
		struct {
			struct lkst_rec_state_shed r;
			char name[NAME_MAX_BYTES];
		} rec = { .r.is_left_out = k->is_shed };
		u64 left_out_ns, times;

		err = delta(st, lkst_kind_shed_ns(k, st->now), &left_out_ns);
		err = err ?: delta(st, k->times, &times);
		if (err)
			break;
		rec.r.left_out = left_out_ns;
		rec.r.times = (u32)times;
		if (left_out_ns || times)
			err = put_named(st, "state_shed", &rec, sizeof(rec.r), k->name);
	}
	return err;
}

int lkst_state_write_ledger(struct lkst_err *e, const struct lkst_session *s, struct lkst_writer *w,
			    struct lkst_reported *reported)
{
	struct state st = {
		.e = e, .s = s, .w = w, .now = lkst_monotonic_ns(), .reported = reported
	};
	const struct lkst_rings *rings = lkst_session_rings(s);
	u32 buffer, cpu;
	/* Again: it may have been set since the beginning, or be kept right better or worse. */
	int err = write_clocks(&st);

	for (buffer = 0; buffer < LKST_NR_BUFFERS && !err; buffer++) {
		/* Each line keeps its number, should the buffer come later. */
		st.line = buffer * rings->nr_cpus * LKST_LOSS_NR;
		for (cpu = 0; lkst_rings_has(rings, buffer) && cpu < rings->nr_cpus && !err; cpu++)
			err = write_ring_ledger(&st, cpu, buffer);
	}
	st.line = LKST_NR_BUFFERS * rings->nr_cpus * LKST_LOSS_NR;
	err = err ?: lkst_session_each_hook(e, s, write_skipped, &st) ?: write_sheds(&st);
	if (err)
		lkst_err_add(e, "writing the ledger of losses");
	return err;
}
