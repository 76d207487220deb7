/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums by the names of threads. */
#include "analyze/waiting/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/events.h"
#include "abi/program.h"
#include "base/vec.h"
#include "trace/known/call_result.h"

static const char REJECTED[] = "fork rejected by pids controller in";

enum {
	FAILURES_MAX = 4096,
	REQUESTS_MAX = 1024,
	RECLAIMS_MAX = 1024,
	WRITERS_MAX = 4096,
	QUOTAS_MAX = 1024,
	KILLS_MAX = 64,
	DROPS_MAX = 64,
	CALLS_MAX = 1 << 14,
	ABOUT_MOST = 1000, /* failures of a kind of which it is looked at what they are about */
};

struct lkst_evidence_thread {
	char peer[64];	/* where its last connect(2) went */
	u64 reclaim_ns; /* it has begun to free memory; 0: it is not at it */
	u64 reclaim_cgroup;
	u64 nr_swapped; /* pages since then */
	bool reclaims_cgroup;
};

/* Thread @r's, which is not an idle one or of those that are too many, and its life; NULL: no, or no memory. */
static struct lkst_evidence_thread *evidence_thread_at(struct lkst_evidence *x, const struct lkst_record *r,
						       const struct lkst_thread_life **ret_life)
{
	struct lkst_evidence_thread *t;

	*ret_life = lkst_model_life_of(x->model, r->tid, r->cpu);
	if (!*ret_life || (*ret_life)->tid <= 0)
		return NULL;
	t = lkst_vec_reach(x->threads, x->nr_threads, (*ret_life)->nr);
	if (!t)
		x->error = -ENOMEM;
	return t;
}

/* ---- sums ------------------------------------------------------------------------- */

/* A number for the name of @life and two numbers more: a system call and an error, for one. */
static u64 evidence_key_of(const struct lkst_thread_life *life, s16 what, s64 which)
{
	u64 key = 0xcbf29ce484222325; /* FNV-1a */
	unsigned int i;

	for (i = 0; i < sizeof(life->comm) && life->comm[i]; i++)
		key = (key ^ (u8)life->comm[i]) * 0x100000001b3;
	key = (key ^ ((u64)(u16)what << 48 ^ (u64)which)) * 0x9e3779b97f4a7c15;
	return key == LKST_HASH_NONE ? 1 : key;
}

/* The place of @key among @nr sums; @nr: it is to be added there; -1: there is no room, or no memory. */
static s64 evidence_place_of(struct lkst_evidence *x, struct lkst_map *places, u64 key, u32 nr)
{
	const u64 *at = lkst_map_find(places, key);
	int err;

	if (at)
		return (s64)*at;
	err = nr < places->max ? lkst_map_set(places, key, nr) : -ENOSPC;
	if (err == -ENOMEM)
		x->error = err;
	return err ? -1 : (s64)nr;
}

/* ---- system calls ----------------------------------------------------------------- */

/* What the failed call was about, as long as that is the same thing. */
static void note_about(struct lkst_evidence *x, struct lkst_evidence_failure *f, const struct lkst_call_interval *c)
{
	const u32 about = x->abouts && f->count <= ABOUT_MOST ? lkst_about_call(x->abouts, c->life, &c->call) : 0;

	if (!about)
		return;
	f->about = !f->nr_abouts || f->about == about ? about : 0;
	f->nr_abouts++;
}

static void count_failure(struct lkst_evidence *x, const struct lkst_call_interval *c)
{
	const s64 at = evidence_place_of(x, &x->failed, evidence_key_of(c->life, c->call.row, -c->ret), x->nr_failures);
	struct lkst_evidence_failure *f;

	if (at < 0)
		return;
	if (at == x->nr_failures) {
		f = lkst_vec_add(x->failures, x->nr_failures);
		if (!f) {
			x->error = -ENOMEM;
			return;
		}
		f->call = c->call.row;
		f->error = (s16)-c->ret;
		f->first_ns = c->from_ns;
	}
	f = &x->failures[at];
	f->is_of_many |= f->count && f->life != c->life->nr;
	f->life = c->life->nr;
	f->count++;
	f->last_ns = c->to_ns;
	note_about(x, f, c);
	if (c->life->nr < x->nr_threads && !strcmp(lkst_syscalls[c->call.row].name, "connect"))
		memcpy(f->peer, x->threads[c->life->nr].peer, sizeof(f->peer));
}

static int learn_writes(struct lkst_evidence *x)
{
	static const char *const names[] = { "write", "writev", "pwrite64", "pwritev", "pwritev2" };
	unsigned int row;
	size_t i;

	x->writes = calloc(lkst_nr_syscalls, sizeof(*x->writes));
	for (row = 0; x->writes && row < lkst_nr_syscalls; row++)
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			x->writes[row] |= !strcmp(lkst_syscalls[row].name, names[i]);
	return x->writes ? 0 : -ENOMEM;
}

/* The directory of the file that the call writes to; 0: it is none with a path, or a device or the kernel's own. */
static u32 directory_of(struct lkst_evidence *x, const struct lkst_call_interval *c)
{
	struct lkst_descriptor_call now;
	char text[LKST_STRING_MAX];
	const char *end;

	if (!x->abouts || !x->abouts->descriptors ||
	    !lkst_descriptors_call(x->abouts->descriptors, c->life->tid, &now) || now.entry_ns != c->from_ns ||
	    !now.name || now.name[0] != '/' || !strncmp(now.name, "/dev/", 5) || !strncmp(now.name, "/proc/", 6) ||
	    !strncmp(now.name, "/sys/", 5))
		return 0;
	end = strrchr(now.name, '/');
	if ((size_t)(end - now.name) >= sizeof(text))
		return 0;
	memcpy(text, now.name, (size_t)(end - now.name));
	text[end - now.name] = '\0';
	return lkst_about_add(x->abouts, text[0] ? text : "/");
}

static void count_written(struct lkst_evidence *x, const struct lkst_call_interval *c)
{
	u32 directory;
	s64 at;

	if (c->ret <= 0 || !x->writes[c->call.row])
		return;
	directory = directory_of(x, c);
	at = directory ? evidence_place_of(x, &x->wrote, evidence_key_of(c->life, 0, directory), x->nr_written) : -1;
	if (at < 0)
		return;
	if (at == x->nr_written && !lkst_vec_add(x->written, x->nr_written)) {
		x->error = -ENOMEM;
		return;
	}
	x->written[at].directory = directory;
	x->written[at].life = c->life->nr;
	x->written[at].bytes += (u64)c->ret;
}

static int evidence_on_call(void *ctx, const struct lkst_call_interval *c)
{
	struct lkst_evidence *x = ctx;
	u64 key, *count;

	if (c->call.row < 0 || c->life->tid <= 0 || !c->has_exit)
		return 0;
	/* Who keeps a disk busy may be anybody. */
	count_written(x, c);
	if (!lkst_whose_has_now(x->scope, c->life))
		return x->error;
	key = evidence_key_of(c->life, c->call.row, 0);
	count = lkst_map_find(&x->calls, key);
	if (count)
		++*count;
	else if (lkst_map_set(&x->calls, key, 1) == -ENOMEM)
		x->error = -ENOMEM;
	if (lkst_call_has_failed(c->call.row, c->ret))
		count_failure(x, c);
	return x->error;
}

static int evidence_on_connect(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_socket_connect *e = record;
	struct lkst_evidence *x = ctx;
	const struct lkst_thread_life *life;
	struct lkst_evidence_thread *t = evidence_thread_at(x, r, &life);

	if (t)
		snprintf(t->peer, sizeof(t->peer), e->port ? "%s:%u" : "%s", e->address.bytes, e->port);
	return x->error;
}

u64 lkst_evidence_calls(const struct lkst_evidence *x, const struct lkst_thread_life *life, s16 call)
{
	const u64 *count = lkst_map_find(&x->calls, evidence_key_of(life, call, 0));

	return count ? *count : 0;
}

/* ---- disks, quotas ---------------------------------------------------------------- */

static int evidence_on_issue(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_block_rq_issue *e = record;
	struct lkst_evidence *x = ctx;
	const struct lkst_thread_life *life = lkst_model_life_of(x->model, r->tid, r->cpu);
	struct lkst_evidence_request *q;
	s64 at;

	if (!life || life->tid <= 0)
		return 0;
	at = evidence_place_of(x, &x->asked, evidence_key_of(life, 0, e->dev), x->nr_requests);
	if (at < 0)
		return x->error;
	if (at == x->nr_requests && !lkst_vec_add(x->requests, x->nr_requests))
		return -ENOMEM;
	q = &x->requests[at];
	q->life = life->nr;
	q->dev = e->dev;
	q->is_kernels = life->is_kernel;
	q->count++;
	q->bytes += e->bytes;
	return 0;
}

static struct lkst_evidence_quota *quota_at(struct lkst_evidence *x, const char *path)
{
	struct lkst_evidence_quota *q;
	u32 i;

	for (i = 0; i < x->nr_quotas; i++)
		if (!strcmp(x->quotas[i].path, path))
			return &x->quotas[i];
	q = x->nr_quotas < QUOTAS_MAX ? lkst_vec_add(x->quotas, x->nr_quotas) : NULL;
	if (!q)
		return NULL;
	q->path = strdup(path);
	if (q->path)
		return q;
	x->nr_quotas--;
	x->error = -ENOMEM;
	return NULL;
}

/* The cgroups are listed more than once, and the last time is what is kept. */
static int on_quota(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_state_quota *e = record;
	struct lkst_evidence *x = ctx;
	struct lkst_evidence_quota *q = quota_at(x, e->path.bytes);

	if (!q)
		return x->error;
	q->cgroup = e->cgroup;
	q->quota_ns = e->quota_ns;
	q->period_ns = e->period_ns;
	q->nr_throttled = e->nr_throttled > q->nr_throttled ? e->nr_throttled : q->nr_throttled;
	return 0;
}

/* ---- what the kernel says ----------------------------------------------------------- */

/*
 * A line of the list that the OOM killer prints: "[    pid]   uid  tgid total_vm      rss ... oom_score_adj name", with
 * more or fewer numbers by the kernel. Pages are counted for each process.
 */
static void take_listed(struct lkst_evidence *x, const char *text)
{
	unsigned long long pages;
	const char *at = strchr(text, ']');
	int length, value;

	if (sscanf(text, "[ %*d] %*u %*d %*u %llu%n", &pages, &length) != 1 || !at)
		return;
	for (at = text + length; sscanf(at, " %d%n", &value, &length) == 1 && strchr(" ", at[length]); at += length)
		;
	at += strspn(at, " ");
	if (!*at)
		return;
	x->all_pages += pages;
	if (pages < x->most_pages)
		return;
	x->most_pages = pages;
	snprintf(x->most, sizeof(x->most), "%.16s", at);
}

/* "... Killed process 123 (name) total-vm:85664kB, anon-rss:49152kB, ..." */
static void take_killed(struct lkst_evidence *x, const char *text)
{
	const char *rss = strstr(text, ", anon-rss:");
	u32 i;
	int pid;

	if (!rss || sscanf(text, "Killed process %d ", &pid) != 1)
		return;
	for (i = x->nr_kills; i-- > 0;) {
		if (x->kills[i].pid != pid)
			continue;
		x->kills[i].kib = strtoull(rss + strlen(", anon-rss:"), NULL, 10);
		return;
	}
}

/*
 * "fork rejected by pids controller in " and a path: the kernel says it once for each cgroup, in several pieces
 * (kernel/cgroup/pids.c). Since Linux 6.8 it is the cgroup whose limit counts, before the thread's.
 */
static void take_rejected(struct lkst_evidence *x, const struct lkst_thread_life *life, const char *path)
{
	while (*path == ' ' || *path == '\n')
		path++;
	memcpy(x->rejected, life->comm, sizeof(life->comm));
	x->rejected_tid = *path ? 0 : life->tid;
	snprintf(x->rejected_by, sizeof(x->rejected_by), "%.*s", (int)strcspn(path, "\n"), path);
}

static int on_message(void *ctx, const struct lkst_record *r, const void *record)
{
	const char *text = ((const struct lkst_rec_printk_console *)record)->text.bytes;
	struct lkst_evidence *x = ctx;
	const struct lkst_thread_life *life = lkst_model_life_of(x->model, r->tid, r->cpu);
	const char *killed = strstr(text, "Killed process "), *rejected = strstr(text, REJECTED);

	if (life && rejected)
		take_rejected(x, life, rejected + sizeof(REJECTED) - 1);
	else if (life && life->tid == x->rejected_tid && text[0] == '/')
		take_rejected(x, life, text);
	else if (!strncmp(text, "Tasks state", strlen("Tasks state")))
		x->most_pages = x->all_pages = x->most[0] = 0;
	else if (text[0] == '[')
		take_listed(x, text);
	else if (killed)
		take_killed(x, killed);
	return 0;
}

/* ---- memory ----------------------------------------------------------------------- */

static int on_victim(void *ctx, const struct lkst_record *r, const void *record)
{
	const struct lkst_rec_mark_victim *e = record;
	struct lkst_evidence *x = ctx;
	const struct lkst_thread_life *life = lkst_model_life_of(x->model, e->victim_pid, r->cpu);
	struct lkst_evidence_kill *k;

	if (!lkst_whose_may_have(x->scope, life) || x->nr_kills >= KILLS_MAX)
		return 0;
	k = lkst_vec_add(x->kills, x->nr_kills);
	if (!k)
		return -ENOMEM;
	k->ns = r->ns;
	k->pid = e->victim_pid;
	memcpy(k->comm, e->comm, sizeof(k->comm));
	k->cgroup = life ? lkst_model_cgroup(x->model, life) : 0;
	memcpy(k->most, x->most, sizeof(k->most));
	k->most_pages = x->most_pages;
	k->all_pages = x->all_pages;
	x->most_pages = x->all_pages = x->most[0] = 0;
	return 0;
}

/* @flags: those of open(2). */
static int on_open(struct lkst_evidence *x, const struct lkst_record *r, const struct lkst_feed_syscall *s, u64 flags)
{
	u32 length;
	const char *path = lkst_feed_string(s, 0, &length);
	const struct lkst_thread_life *life;
	struct lkst_evidence_drop *d;
	s64 at;

	if (!(flags & (O_WRONLY | O_RDWR)) || strcmp(path, "/proc/sys/vm/drop_caches") ||
	    !evidence_thread_at(x, r, &life))
		return x->error;
	at = evidence_place_of(x, &x->dropped, evidence_key_of(life, 0, 0), x->nr_drops);
	if (at < 0)
		return x->error;
	if (at == x->nr_drops && !lkst_vec_add(x->drops, x->nr_drops))
		return -ENOMEM;
	d = &x->drops[at];
	d->life = life->nr;
	d->first_ns = d->count++ ? d->first_ns : r->ns;
	d->last_ns = r->ns;
	return x->error;
}

static int on_open_path(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	return on_open(ctx, r, s, s->args[1]);
}

static int on_openat(void *ctx, const struct lkst_record *r, const struct lkst_feed_syscall *s)
{
	return on_open(ctx, r, s, s->args[2]);
}

static int begin_reclaim(struct lkst_evidence *x, const struct lkst_record *r, bool is_of_cgroup, u64 cgroup)
{
	const struct lkst_thread_life *life;
	struct lkst_evidence_thread *t = evidence_thread_at(x, r, &life);

	if (t && !life->is_kernel && lkst_whose_has_now(x->scope, life)) {
		t->reclaim_ns = r->ns;
		t->nr_swapped = 0;
		t->reclaims_cgroup = is_of_cgroup;
		t->reclaim_cgroup = cgroup;
	}
	return x->error;
}

static int evidence_on_reclaim(void *ctx, const struct lkst_record *r, const void *record)
{
	return begin_reclaim(ctx, r, false, 0);
}

static int on_memcg_reclaim(void *ctx, const struct lkst_record *r, const void *record)
{
	return begin_reclaim(ctx, r, true, ((const struct lkst_rec_mm_vmscan_memcg_reclaim_begin *)record)->cgroup);
}

static void add_reclaim(struct lkst_evidence *x, const struct lkst_thread_life *life,
			const struct lkst_evidence_thread *t, u64 ns)
{
	const u64 key = evidence_key_of(life, t->reclaims_cgroup, (s64)t->reclaim_cgroup);
	const s64 at = evidence_place_of(x, &x->freed, key, x->nr_reclaims);
	struct lkst_evidence_reclaim *c;

	if (at < 0)
		return;
	if (at == x->nr_reclaims && !lkst_vec_add(x->reclaims, x->nr_reclaims)) {
		x->error = -ENOMEM;
		return;
	}
	c = &x->reclaims[at];
	c->cgroup = t->reclaim_cgroup;
	c->is_of_cgroup = t->reclaims_cgroup;
	c->count++;
	c->nr_swapped += t->nr_swapped;
	c->total_ns += ns;
	if (ns >= c->longest_ns) {
		c->longest_ns = ns;
		c->at_ns = t->reclaim_ns;
		c->life = life->nr;
	}
}

static int on_swap_out(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_evidence *x = ctx;
	const struct lkst_thread_life *life;
	struct lkst_evidence_thread *t = evidence_thread_at(x, r, &life);

	if (t && t->reclaim_ns && ((const struct lkst_rec_mm_vmscan_write_folio *)record)->is_anon)
		t->nr_swapped++;
	return x->error;
}

/* Where records are missing, or were left out, one may have ended and another begun. */
static int on_reclaimed(void *ctx, const struct lkst_record *r, const void *record)
{
	struct lkst_evidence *x = ctx;
	const struct lkst_thread_life *life;
	struct lkst_evidence_thread *t = evidence_thread_at(x, r, &life);

	if (!t || !t->reclaim_ns)
		return x->error;
	if (t->reclaim_ns >= x->cover_ns &&
	    !(x->limited && lkst_limited_crosses(x->limited, r->event->id, t->reclaim_ns, r->ns)))
		add_reclaim(x, life, t, r->ns - t->reclaim_ns);
	t->reclaim_ns = 0;
	return x->error;
}

static int evidence_on_gap(void *ctx, const struct lkst_gap *gap)
{
	struct lkst_evidence *x = ctx;

	if (gap->to_ns > x->cover_ns)
		x->cover_ns = gap->to_ns;
	return 0;
}

/* ---- the pass --------------------------------------------------------------------- */

int lkst_evidence_subscribe(struct lkst_evidence *x, struct lkst_feed *f, struct lkst_model *model,
			    const struct lkst_limited *limited)
{
	static const struct lkst_model_calls calls = { .call = evidence_on_call };
	static const struct {
		enum lkst_event_index event;
		lkst_feed_call *call;
	} events[] = {
		{ LKST_EV_socket_connect, evidence_on_connect },
		{ LKST_EV_block_rq_issue, evidence_on_issue },
		{ LKST_EV_mark_victim, on_victim },
		{ LKST_EV_printk_console, on_message },
		{ LKST_EV_mm_vmscan_write_folio, on_swap_out },
		{ LKST_EV_mm_vmscan_direct_reclaim_begin, evidence_on_reclaim },
		{ LKST_EV_mm_vmscan_direct_reclaim_end, on_reclaimed },
		{ LKST_EV_mm_vmscan_memcg_reclaim_begin, on_memcg_reclaim },
		{ LKST_EV_mm_vmscan_memcg_reclaim_end, on_reclaimed },
	};
	unsigned int i;
	int r;

	x->model = model;
	x->limited = limited;
	x->calls.max = CALLS_MAX;
	x->failed.max = FAILURES_MAX;
	x->asked.max = REQUESTS_MAX;
	x->freed.max = RECLAIMS_MAX;
	x->dropped.max = DROPS_MAX;
	x->wrote.max = WRITERS_MAX;
	r = learn_writes(x);
	if (r >= 0)
		r = lkst_model_subscribe(model, &calls, x);
	for (i = 0; i < sizeof(events) / sizeof(events[0]) && r >= 0; i++)
		r = lkst_feed_event(f, events[i].event, events[i].call, x);
	if (r >= 0)
		r = lkst_feed_syscall(f, "open", on_open_path, NULL, x);
	if (r >= 0)
		r = lkst_feed_syscall(f, "openat", on_openat, NULL, x);
	if (r >= 0)
		r = lkst_feed_gaps(f, evidence_on_gap, x);
	if (r < 0)
		return r;
	lkst_feed_always(f, true);
	r = lkst_feed_event(f, LKST_EV_state_quota, on_quota, x);
	lkst_feed_always(f, false);
	return r < 0 ? r : 1;
}

void lkst_evidence_fini(struct lkst_evidence *x)
{
	u32 i;

	for (i = 0; i < x->nr_quotas; i++)
		free(x->quotas[i].path);
	lkst_map_fini(&x->calls);
	lkst_map_fini(&x->failed);
	lkst_map_fini(&x->asked);
	lkst_map_fini(&x->freed);
	lkst_map_fini(&x->dropped);
	lkst_map_fini(&x->wrote);
	free(x->failures);
	free(x->requests);
	free(x->reclaims);
	free(x->written);
	free(x->writes);
	free(x->quotas);
	free(x->kills);
	free(x->drops);
	free(x->threads);
	*x = (struct lkst_evidence){};
}
