/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences: who waited, for what, and what those did meanwhile that it waited for. */
#include "analyze/waiting/cause_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ends_in.h"
#include "base/size.h"
#include "base/vec.h"
#include "trace/known/cgroups.h"

enum {
	HOPS_MAX = 5,	    /* who waited for whom, that is told */
	HOP_PERCENT = 35,   /* of the whole: what is less is not followed */
	SECOND_PERCENT = 25, /* what else is told beside the most */
	FOR_PERCENT = 30,
	IDLE_PERCENT = 20,
	CHILDREN_LEAST = 20,
	NAMES_TOLD = 4,
	ABOUT_MAX = 72,	    /* bytes of a name that are told, its end */
	ALL_PERCENT = 95,   /* what is as good as all */
	MOST_PERCENT = 50,
	TIMER_PERCENT = 25, /* of the time of interrupts, for the function of a timer to be named */
};

struct cause_text_writer {
	char *text;
	size_t length;
	const struct lkst_tree *t;
	const struct lkst_cause_names *names;
	const struct lkst_cause_births *births;
	u64 whole_ns;
	u32 victim;
	u32 root;
};

static void cause_text_say(struct cause_text_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void cause_text_say(struct cause_text_writer *w, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(w->text + w->length, LKST_CAUSE_TEXT - w->length, format, args);
	va_end(args);
	if (n > 0)
		w->length += (size_t)n;
	if (w->length >= LKST_CAUSE_TEXT)
		w->length = LKST_CAUSE_TEXT - 1;
}

static void say_time(struct cause_text_writer *w, u64 ns)
{
	char text[LKST_DURATION_TEXT];

	lkst_duration_format(ns, text);
	cause_text_say(w, "%s", text);
}

static unsigned int cause_text_percent(u64 part, u64 whole)
{
	return whole ? (unsigned int)(100.0 * (double)part / (double)whole + 0.5) : 0;
}

static const char *cause_text_name(const struct cause_text_writer *w, const struct lkst_tree_node *n)
{
	return lkst_tree_name_text(w->t, n->key.name);
}

/* The end of a name says more than its beginning. */
static void say_name(struct cause_text_writer *w, const char *name)
{
	const size_t length = strlen(name);

	cause_text_say(w, "%s%s", length > ABOUT_MAX ? "..." : "",
		       length > ABOUT_MAX ? name + length - ABOUT_MAX : name);
}

/* The address that the socket is connected to which @about names; NULL: it names none. */
static const char *peer_of(const char *about)
{
	static const char words[] = "socket to ";

	return strncmp(about, words, sizeof(words) - 1) ? NULL : about + sizeof(words) - 1;
}

/* " of /srv/orders.lock": what the call is about, if that is one thing for most of the time. */
static void say_about(struct cause_text_writer *w, const struct lkst_detail *d, const char *joint)
{
	const char *peer = d->about ? peer_of(d->about) : NULL;

	if (!d->about)
		return;
	cause_text_say(w, "%s", joint);
	say_name(w, peer ? peer : d->about);
	if (cause_text_percent(d->about_ns, d->all_ns) < ALL_PERCENT)
		cause_text_say(w, " (%u %%)", cause_text_percent(d->about_ns, d->all_ns));
}

static void cause_text_say_call(struct cause_text_writer *w, s16 call)
{
	if (call >= 0)
		cause_text_say(w, " in %s()", lkst_syscalls[call].name);
}

static void say_cgroup(struct cause_text_writer *w, u64 id)
{
	char text[LKST_CGROUP_TEXT];
	const struct lkst_cgroups *cgroups = lkst_model_cgroups(w->names->model);
	const char *container = lkst_cgroups_container(cgroups, id);

	cause_text_say(w, " cgroup %s", container[0] ? container : lkst_cgroups_text(cgroups, id, text));
}

const char *lkst_harm_word(enum lkst_harm harm)
{
	static const char *const words[] = {
		[LKST_HARM_NONE] = "",		  [LKST_HARM_LOCK] = "lock",
		[LKST_HARM_ANSWER] = "answer",	  [LKST_HARM_ROUND_TRIP] = "answer",
		[LKST_HARM_SENDING] = "sending",  [LKST_HARM_DISK] = "disk",
		[LKST_HARM_CALL] = "call",	  [LKST_HARM_FAULT] = "fault",
		[LKST_HARM_READY] = "cpu",	  [LKST_HARM_THROTTLED] = "throttled",
		[LKST_HARM_STOPPED] = "stopped",  [LKST_HARM_TRACED] = "traced",
		[LKST_HARM_NETWORK] = "network",
		[LKST_HARM_FROZEN] = "frozen",
	};
	_Static_assert(sizeof(words) / sizeof(words[0]) == LKST_NR_HARMS, "a word for each");

	return words[harm];
}

/* ---- threads that were created ------------------------------------------------------ */

int lkst_cause_births_count(struct lkst_cause_births *b, struct lkst_tree *t)
{
	_cleanup_(lkst_map_fini) struct lkst_map by_pid = { .max = LKST_LIVES_MAX };
	const struct lkst_thread_life *life;
	u32 nr;

	for (nr = 0; nr < LKST_LIVES_MAX && (life = lkst_model_life(t->model, nr)); nr++)
		if (life->tid > 0 && lkst_map_set(&by_pid, (u64)(u32)life->tid, lkst_tree_name(t, nr)) == -ENOMEM)
			return -ENOMEM;
	for (nr = 0; nr < LKST_LIVES_MAX && (life = lkst_model_life(t->model, nr)); nr++) {
		const u32 name = lkst_tree_name(t, nr);
		const u64 *parent = lkst_map_find(&by_pid, (u64)(u32)life->parent_pid);
		u32 *count = lkst_vec_reach(b->nr, b->nr_names, name);
		u32 *known = lkst_vec_reach(b->parent, b->nr_parents, name);

		if (!count || !known)
			return -ENOMEM;
		if (!life->is_born)
			continue;
		++*count;
		if (parent && *parent != name)
			*known = (u32)*parent + 1;
	}
	return t->error;
}

void lkst_cause_births_fini(struct lkst_cause_births *b)
{
	free(b->nr);
	free(b->parent);
	*b = (struct lkst_cause_births){};
}

u32 lkst_cause_births_of(const struct lkst_cause_births *b, u32 name)
{
	return name < b->nr_names ? b->nr[name] : 0;
}

/* ", 612 of them created meanwhile by fk-storm" */
static void say_births(struct cause_text_writer *w, u32 of)
{
	const u32 nr = lkst_cause_births_of(w->births, of);
	const u32 parent = of < w->births->nr_parents ? w->births->parent[of] : 0;

	if (nr < CHILDREN_LEAST)
		return;
	cause_text_say(w, " (%u such threads were created meanwhile", nr);
	if (parent)
		cause_text_say(w, ", the last by %s", lkst_tree_name_text(w->t, parent - 1));
	cause_text_say(w, ")");
}

/* ---- what those did that it waited for ---------------------------------------------- */

static void say_timer(struct cause_text_writer *w, u64 code)
{
	char text[LKST_SYMBOL_ROOM];
	const char *words = lkst_about_timer(w->names->symbols, code);

	*lkst_symbols_put(w->names->symbols, text, code) = '\0';
	if (words)
		cause_text_say(w, "%s (%s)", words, text);
	else
		cause_text_say(w, "a timer ran");
}

static void say_disk(struct cause_text_writer *w, u64 dev)
{
	const char *label = lkst_labels_find(w->names->labels, LKST_LABEL_DISK, (u32)dev);

	if (label)
		cause_text_say(w, "disk %s", label);
	else
		cause_text_say(w, "disk %u:%u", (unsigned int)(dev >> 20), (unsigned int)(dev & 0xfffff));
}

static void cause_text_say_for(struct cause_text_writer *w, const struct lkst_tree_node *n)
{
	if (n->for_name != UINT32_MAX && n->for_name != w->victim && n->for_name != n->key.name &&
	    cause_text_percent(n->for_ns, n->ns) >= FOR_PERCENT)
		cause_text_say(w, ", before it woke %s", lkst_tree_name_text(w->t, n->for_name));
}

/* Whether the cgroup at path @inner is that at @outer, or below it. */
static bool cause_text_is_within(const char *inner, const char *outer)
{
	const size_t length = strlen(outer);

	return !strncmp(inner, outer, length) && (!inner[length] || inner[length] == '/' || !strcmp(outer, "/"));
}

/* Whether @q may be for threads of cgroup @id; for all, if it is of another hierarchy, and was used up. */
static bool may_be_of(const struct cause_text_writer *w, const struct lkst_evidence_quota *q, u64 id)
{
	const struct lkst_cgroup *own = lkst_cgroups_find(lkst_model_cgroups(w->names->model), id);

	return q->cgroup ? own && cause_text_is_within(own->path, q->path) : q->nr_throttled;
}

static void say_quota(struct cause_text_writer *w, const struct lkst_evidence_quota *q)
{
	cause_text_say(w, " %s (", q->path);
	say_time(w, q->quota_ns);
	cause_text_say(w, " in each ");
	say_time(w, q->period_ns);
	cause_text_say(w, ")");
}

/* Whose quota it was: where several may have been used up, all of them. */
static void say_throttled(struct cause_text_writer *w, const struct lkst_tree_node *n)
{
	const struct lkst_evidence *x = w->names->evidence;
	u32 nr = 0, told = 0, i;

	for (i = 0; i < x->nr_quotas; i++)
		nr += may_be_of(w, &x->quotas[i], n->key.extra);
	cause_text_say(w, "%s was throttled by the CPU quota of %s", cause_text_name(w, n),
		       !nr ? "its cgroup" : nr == 1 ? "cgroup" : "one of the cgroups");
	for (i = 0; i < x->nr_quotas && told < NAMES_TOLD; i++) {
		if (!may_be_of(w, &x->quotas[i], n->key.extra))
			continue;
		cause_text_say(w, "%s", told++ ? "," : "");
		say_quota(w, &x->quotas[i]);
	}
	if (nr > told)
		cause_text_say(w, " and %u more", nr - told);
}

/* What the thread of @n did, or what ended the wait of the one before. */
static void say_node(struct cause_text_writer *w, const struct lkst_tree_node *n)
{
	switch (n->key.doing) {
	case LKST_DOING_RAN:
		cause_text_say(w, "%s ran", cause_text_name(w, n));
		cause_text_say_call(w, n->key.call);
		break;
	case LKST_DOING_READY:
		cause_text_say(w, "%s was ready but had no CPU", cause_text_name(w, n));
		break;
	case LKST_DOING_THROTTLED:
		say_throttled(w, n);
		break;
	case LKST_DOING_SLEPT:
		cause_text_say(w, "%s slept", cause_text_name(w, n));
		cause_text_say_call(w, n->key.call);
		break;
	case LKST_DOING_WAITED:
		cause_text_say(w, "%s waited", cause_text_name(w, n));
		cause_text_say_call(w, n->key.call);
		break;
	case LKST_DOING_STOPPED:
		cause_text_say(w, "%s was stopped by a signal", cause_text_name(w, n));
		break;
	case LKST_DOING_TRACED:
		cause_text_say(w, "%s was stopped by its tracer (ptrace)", cause_text_name(w, n));
		break;
	case LKST_DOING_FROZEN:
		cause_text_say(w, "%s was frozen with its cgroup", cause_text_name(w, n));
		if (lkst_about_text(&w->t->pasts->abouts, (u32)n->key.extra)) {
			cause_text_say(w, " (");
			say_name(w, lkst_about_text(&w->t->pasts->abouts, (u32)n->key.extra));
			cause_text_say(w, ")");
		}
		break;
	case LKST_DOING_CONTINUED:
		cause_text_say(w, "%s let it go on", cause_text_name(w, n));
		cause_text_say_call(w, n->key.call);
		break;
	case LKST_DOING_HAD_CPU:
		cause_text_say(w, "%s%s", cause_text_name(w, n), " ran");
		break;
	case LKST_DOING_TIMER:
		cause_text_say(w, "until ");
		say_timer(w, n->key.extra);
		break;
	case LKST_DOING_DISK:
		cause_text_say(w, "until ");
		say_disk(w, n->key.extra);
		cause_text_say(w, " had done a request");
		break;
	case LKST_DOING_INTERRUPT:
		cause_text_say(w, "until ");
		if (lkst_about_timer(w->names->symbols, n->key.extra))
			say_timer(w, n->key.extra);
		else
			cause_text_say(w, "an interrupt came");
		break;
	default:
		cause_text_say(w, "what %s did is not known", cause_text_name(w, n));
		break;
	}
}

/* Whether it is no thread that did it: a timer, a disk, an interrupt. */
static bool cause_text_is_nobody(const struct lkst_tree_node *n)
{
	return n->key.doing == LKST_DOING_TIMER || n->key.doing == LKST_DOING_DISK ||
	       n->key.doing == LKST_DOING_INTERRUPT;
}

static void say_share(struct cause_text_writer *w, const struct lkst_tree_node *n)
{
	if (!cause_text_is_nobody(n))
		cause_text_say(w, " for %u %% of it", cause_text_percent(n->ns, w->whole_ns));
	cause_text_say_for(w, n);
	if (n->key.doing == LKST_DOING_HAD_CPU)
		say_births(w, n->key.name);
}

/* The child with the second most time, if it is worth telling. */
static const struct lkst_tree_node *second_of(const struct cause_text_writer *w, u32 node, u32 largest)
{
	const struct lkst_tree_node *best = NULL;
	u32 i;

	for (i = w->t->nodes[node].first_child; i != LKST_NO_NODE; i = w->t->nodes[i].next)
		if (i != largest && (!best || w->t->nodes[i].ns > best->ns))
			best = &w->t->nodes[i];
	return best && cause_text_percent(best->ns, w->whole_ns) >= SECOND_PERCENT ? best : NULL;
}

/* Whether the directory @path is @root, or below it; @root: its first @length bytes. */
static bool is_below_directory(const char *path, const char *root, size_t length)
{
	return !strncmp(path, root, length) && (!path[length] || path[length] == '/');
}

/*
 * "; 97 % of the bytes that programs wrote to files in /srv/data were bulk's": of files near that which the waits are
 * about, since which others are on the same disk is not known.
 */
static void say_writers(struct cause_text_writer *w, const struct lkst_detail *d)
{
	const s16 call = w->t->nodes[w->root].key.call;
	const bool is_of_file = call >= 0 && (strstr(lkst_syscalls[call].name, "write") ||
					      strstr(lkst_syscalls[call].name, "sync"));
	const struct lkst_evidence *x = w->names->evidence;
	const struct lkst_evidence_written *most = NULL;
	const char *end = is_of_file && d->about && d->about[0] == '/' ? strrchr(d->about, '/') : NULL;
	const size_t length = end ? (size_t)(end - d->about) : 0;
	u64 all = 0;
	u32 i;

	for (i = 0; length && i < x->nr_written; i++) {
		const char *directory = lkst_about_text(x->abouts, x->written[i].directory);

		if (!directory || !is_below_directory(directory, d->about, length))
			continue;
		all += x->written[i].bytes;
		if (!most || x->written[i].bytes > most->bytes)
			most = &x->written[i];
	}
	if (!most || cause_text_percent(most->bytes, all) < SECOND_PERCENT || length > ABOUT_MAX)
		return;
	cause_text_say(w, "; %u %% of the bytes that programs wrote to files in %.*s were %.16s's",
		       cause_text_percent(most->bytes, all), (int)length, d->about,
		       lkst_model_life(w->names->model, most->life)->comm);
}

/* "; 62 % of what programs asked of disk loop0 was fs-bulk's": unless the victim asked for most itself. */
static void say_askers(struct cause_text_writer *w, u32 dev, const struct lkst_detail *d)
{
	const struct lkst_evidence *x = w->names->evidence;
	const struct lkst_evidence_request *most = NULL;
	u64 all = 0, kernels = 0;
	u32 i;

	for (i = 0; i < x->nr_requests; i++) {
		if (x->requests[i].dev != dev)
			continue;
		if (x->requests[i].is_kernels) {
			kernels += x->requests[i].bytes;
			continue;
		}
		all += x->requests[i].bytes;
		if (!most || x->requests[i].bytes > most->bytes)
			most = &x->requests[i];
	}
	/* What threads of the kernel ask it for are mostly pages that programs have written before. */
	if (kernels > all) {
		say_writers(w, d);
		return;
	}
	if (!most || cause_text_percent(most->bytes, all) < SECOND_PERCENT)
		return;
	cause_text_say(w, "; %u %% of the bytes that programs themselves asked ", cause_text_percent(most->bytes, all));
	say_disk(w, dev);
	cause_text_say(w, " for were %.16s's", lkst_model_life(w->names->model, most->life)->comm);
}

static void say_path(struct cause_text_writer *w, u32 root, const struct lkst_detail *d)
{
	const struct lkst_tree_node *n, *second = NULL;
	const char *joint = ": ";
	unsigned int hops;
	u32 node = root;

	for (hops = 0; hops < HOPS_MAX; hops++) {
		u32 next = lkst_tree_largest(w->t, node);

		if (next == LKST_NO_NODE || cause_text_percent(w->t->nodes[next].ns, w->whole_ns) < HOP_PERCENT)
			break;
		n = &w->t->nodes[next];
		/* A timer of a thread's own ends what it waits for: nothing to tell. */
		if (n->key.doing == LKST_DOING_TIMER && !lkst_about_timer(w->names->symbols, n->key.extra))
			break;
		if (!second)
			second = second_of(w, node, next);
		cause_text_say(w, "%s", cause_text_is_nobody(n) ? ", " : joint);
		say_node(w, n);
		say_share(w, n);
		joint = hops ? "; " : "; meanwhile ";
		node = next;
	}
	if (node != root && w->t->nodes[node].key.doing == LKST_DOING_DISK)
		say_askers(w, (u32)w->t->nodes[node].key.extra, d);
	if (second && second->key.doing != LKST_DOING_TIMER) {
		cause_text_say(w, hops ? "; and " : ": ");
		say_node(w, second);
		say_share(w, second);
	}
}

/* " was killed by SIGSEGV, and its core was written" */
static void say_crash(struct cause_text_writer *w, const struct lkst_thread_life *life)
{
	cause_text_say(w, " was killed by %s%s", lkst_life_crash(life),
		       lkst_life_has_core(life) ? ", and the kernel wrote its core before it ended" : "");
}

/* ---- who was kept waiting, and for what ---------------------------------------------- */

/* Which end of the call the thing is at. */
static const char *joint_of(const struct lkst_detail *d, s16 call)
{
	const char *name = call >= 0 ? lkst_syscalls[call].name : "";

	if (strstr(name, "write") || strstr(name, "send") || !strcmp(name, "msgsnd") || !strcmp(name, "connect"))
		return " to ";
	return d->about && peer_of(d->about) ? " from " : " of ";
}

static void say_call_about(struct cause_text_writer *w, const struct lkst_detail *d, s16 call)
{
	cause_text_say_call(w, call);
	say_about(w, d, joint_of(d, call));
}

static bool is_connecting(const struct lkst_tree_node *n)
{
	return n->key.call >= 0 && !strcmp(lkst_syscalls[n->key.call].name, "connect");
}

static void say_harm(struct cause_text_writer *w, const struct lkst_tree_node *n, const struct lkst_detail *d)
{
	switch ((enum lkst_harm)n->key.kind) {
	case LKST_HARM_LOCK:
		cause_text_say(w,
			       n->key.cause == LKST_CAUSE_LOCK ? "%s waited for a kernel lock" : "%s waited for a lock",
			       cause_text_name(w, n));
		say_call_about(w, d, n->key.call);
		break;
	case LKST_HARM_ANSWER:
	case LKST_HARM_ROUND_TRIP:
		cause_text_say(w, "%s waited for an answer", cause_text_name(w, n));
		say_call_about(w, d, n->key.call);
		break;
	case LKST_HARM_SENDING:
		if (is_connecting(n)) {
			cause_text_say(w, "%s waited for a connection", cause_text_name(w, n));
			say_call_about(w, d, n->key.call);
			break;
		}
		cause_text_say(w, "%s waited to send", cause_text_name(w, n));
		say_call_about(w, d, n->key.call);
		cause_text_say(w, ", as the other side had not taken up what was sent before%s", d->about ? "" : ",");
		break;
	case LKST_HARM_FAULT:
		cause_text_say(w, "%s waited in page faults", cause_text_name(w, n));
		say_about(w, d, " for ");
		break;
	case LKST_HARM_READY:
		cause_text_say(w, "%s waited for a CPU", cause_text_name(w, n));
		break;
	case LKST_HARM_THROTTLED:
		say_throttled(w, n);
		break;
	case LKST_HARM_STOPPED:
		cause_text_say(w, "%s was stopped by a signal", cause_text_name(w, n));
		break;
	case LKST_HARM_TRACED:
		cause_text_say(w, "%s was stopped by its tracer (ptrace)", cause_text_name(w, n));
		break;
	case LKST_HARM_FROZEN:
		cause_text_say(w, "%s was frozen with its cgroup", cause_text_name(w, n));
		say_about(w, d, " (");
		cause_text_say(w, "%s", d->about ? ")" : "");
		break;
	default:
		cause_text_say(w, "%s waited", cause_text_name(w, n));
		say_call_about(w, d, n->key.call);
		break;
	}
}

/* ": no answer came within the call's time": where most of the time ended so. */
static bool say_timeout(struct cause_text_writer *w, const struct lkst_tree_node *n, const struct lkst_detail *d)
{
	if (n->key.kind != LKST_HARM_ANSWER && n->key.kind != LKST_HARM_SENDING)
		return false;
	if (cause_text_percent(d->timed_out_ns, d->all_ns) < MOST_PERCENT)
		return false;
	cause_text_say(w, n->key.kind == LKST_HARM_ANSWER || is_connecting(n) ? "; no answer came" : "; nothing came");
	if (d->about && lkst_text_ends_in(d->about, ":53"))
		cause_text_say(w, " from that name server");
	cause_text_say(w, " before the call's time was over");
	if (cause_text_percent(d->timed_out_ns, d->all_ns) < ALL_PERCENT)
		cause_text_say(w, ", for %u %% of it", cause_text_percent(d->timed_out_ns, d->all_ns));
	return true;
}

/* Whether most of the time that threads were ready another CPU was idle. */
static bool is_mostly_beside_idle(const struct lkst_detail *d)
{
	return cause_text_percent(d->idle_ns, d->long_ns) >= MOST_PERCENT &&
	       cause_text_percent(d->long_ns, d->all_ns) >= MOST_PERCENT;
}

/* What most of the waits have in common. False: that says it all, and who ended them has no part in it. */
static bool say_circumstances(struct cause_text_writer *w, const struct lkst_tree_node *n, const struct lkst_detail *d)
{
	const bool is_own = d->about && !strcmp(d->about, LKST_ABOUT_OWN_MEMORY);

	if (cause_text_percent(d->dirty_ns, d->all_ns) >= MOST_PERCENT) {
		cause_text_say(
			w, "; it was held back (balance_dirty_pages) until the disk has written more of what programs "
			   "have written to the page cache");
		say_writers(w, d);
		return false;
	}
	if (cause_text_percent(d->icy_ns, d->all_ns) >= MOST_PERCENT && d->freezer) {
		cause_text_say(w, "; the file system ");
		say_name(w, lkst_about_text(&w->t->pasts->abouts, d->freezer->about));
		cause_text_say(w, " was frozen (FIFREEZE) by %.16s",
			       lkst_model_life(w->names->model, d->freezer->life)->comm);
		return false;
	}
	if (cause_text_percent(d->held_ns, d->all_ns) >= MOST_PERCENT) {
		cause_text_say(w,
			       "; a limit of its cgroup for the disk (blkio.throttle, io.max) held its requests back");
		return false;
	}
	if (n->key.kind == LKST_HARM_READY && cause_text_percent(d->urgent_ns, d->long_ns) >= MOST_PERCENT)
		cause_text_say(w, ", while threads with a real-time priority had the CPU");
	if (n->key.kind == LKST_HARM_READY && is_mostly_beside_idle(d))
		cause_text_say(w, ", though another CPU was idle for %u %% of it (it may be bound to its own)",
			       cause_text_percent(d->idle_ns, d->long_ns));
	if (n->key.kind == LKST_HARM_FAULT && is_own && cause_text_percent(d->disk_ns, d->all_ns) >= MOST_PERCENT)
		cause_text_say(w, "; it had been swapped out");
	else if (cause_text_percent(d->refault_ns, d->all_ns) >= MOST_PERCENT)
		cause_text_say(w, "; the page cache is too small: these pages had been in memory not long before");
	if (cause_text_percent(d->signalled_ns, d->all_ns) >= MOST_PERCENT)
		cause_text_say(w, ", in the handler of a signal that was sent to it alone");
	if (cause_text_percent(d->resent_ns, d->all_ns) >= MOST_PERCENT && is_connecting(n)) {
		cause_text_say(
			w,
			"; TCP had to ask again (SYN), as nobody had answered: packets are lost, or the listen queue "
			"there (its backlog) is full");
		return false;
	}
	if (cause_text_percent(d->resent_ns, d->all_ns) >= MOST_PERCENT)
		cause_text_say(w, "; TCP sent packets to there again meanwhile, which were lost or not acknowledged");
	return true;
}

void lkst_cause_text(const struct lkst_tree *t, u32 root, const struct lkst_detail *d,
		     const struct lkst_cause_names *names,
		     const struct lkst_cause_births *births, char text[LKST_CAUSE_TEXT])
{
	const struct lkst_tree_node *n = &t->nodes[root];
	struct cause_text_writer w = { .text = text, .t = t, .names = names, .births = births, .whole_ns = n->ns,
			    .victim = n->key.name, .root = root };
	const u32 largest = lkst_tree_largest(t, root);
	bool is_told; /* who ended it: only the time that the call had */

	text[0] = '\0';
	say_harm(&w, n, d);
	cause_text_say(&w, d->about ? ", " : " ");
	cause_text_say(&w, n->count == 1 ? "once, " : "%llu times, ", (unsigned long long)n->count);
	say_time(&w, n->ns);
	if (n->count != 1) {
		cause_text_say(&w, " in all, the longest ");
		say_time(&w, n->longest_ns);
	}
	is_told = say_timeout(&w, n, d) && (largest == LKST_NO_NODE || cause_text_is_nobody(&t->nodes[largest]));
	if (say_circumstances(&w, n, d) && !is_told)
		say_path(&w, root, d);
	if (cause_text_percent(d->crashed_ns, d->all_ns) >= MOST_PERCENT && d->crashed) {
		cause_text_say(&w, "; %.16s", d->crashed->comm);
		say_crash(&w, d->crashed);
	}
}

void lkst_cause_text_node(const struct lkst_tree *t, u32 node, const struct lkst_cause_names *names,
			  char text[LKST_CAUSE_TEXT])
{
	const struct lkst_tree_node *n = &t->nodes[node];
	struct cause_text_writer w = { .text = text, .t = t, .names = names, .whole_ns = n->ns, .victim = n->key.name };
	const struct lkst_detail nothing = {};

	text[0] = '\0';
	if (n->key.parent == LKST_NO_NODE && n->key.kind)
		say_harm(&w, n, &nothing);
	else
		say_node(&w, n);
}

void lkst_cause_text_others(const struct lkst_tree *t, const u32 *others, u32 nr, u32 max, char text[LKST_CAUSE_TEXT])
{
	struct cause_text_writer w = { .text = text, .length = strlen(text), .t = t };
	u32 i;

	for (i = 0; i < nr && i < max; i++)
		cause_text_say(&w, "%s%s", i ? ", " : "; kept waiting as well: ", lkst_tree_name_text(t, others[i]));
	if (nr > max)
		cause_text_say(&w, " and %u more", nr - max);
}

void lkst_cause_text_idle(u64 idle_percent, char text[LKST_CAUSE_TEXT])
{
	struct cause_text_writer w = { .text = text, .length = strlen(text) };

	if (idle_percent >= IDLE_PERCENT)
		cause_text_say(&w, "; although the CPUs were idle for %llu %% of their time",
			       (unsigned long long)idle_percent);
}

void lkst_cause_text_equals(const struct lkst_tree *t, const u32 *roots, u32 nr, u64 total_ns,
			    const struct lkst_detail *d, char text[LKST_CAUSE_TEXT])
{
	struct cause_text_writer w = { .text = text, .t = t };
	u32 i;

	text[0] = '\0';
	for (i = 0; i < nr && i < NAMES_TOLD; i++)
		cause_text_say(&w, "%s%s", i ? ", " : "", lkst_tree_name_text(t, t->nodes[roots[i]].key.name));
	if (nr > NAMES_TOLD)
		cause_text_say(&w, " and %u more", nr - NAMES_TOLD);
	cause_text_say(&w, " waited for a CPU, ");
	say_time(&w, total_ns);
	cause_text_say(&w, " in all, while threads ran there that want as much");
	if (d->cpu >= 0 && is_mostly_beside_idle(d))
		cause_text_say(&w, ": on CPU %d, though another was idle for %u %% of it (they may be bound to theirs)",
			       d->cpu, cause_text_percent(d->idle_ns, d->long_ns));
}

/* ---- failures and kills -------------------------------------------------------------- */

static const struct {
	s16 nr;
	const char *name, *words;
} errors[] = {
#define ERRNO(nr, cause_text_name, words) { nr, cause_text_name, words },
#define RESTART(nr, cause_text_name, words)
#include "base/errno.def"
#undef RESTART
#undef ERRNO
};

/* What is used up, where the error of that call says so. The first row that fits; "": any call. */
static const struct {
	s16 error;
	const char *call; /* how its name begins */
	const char *words;
} limits[] = {
	{ EMFILE, "inotify_init", "fs.inotify.max_user_instances or RLIMIT_NOFILE is reached" },
	{ EMFILE, "", "the process has as many files open as it may: RLIMIT_NOFILE, ulimit -n" },
	{ ENFILE, "", "the machine has as many files open as it may: fs.file-max" },
	{ ENOSPC, "inotify_add_watch", "fs.inotify.max_user_watches is reached" },
	{ ENOSPC, "epoll_ctl", "fs.epoll.max_user_watches is reached" },
	{ ENOSPC, "semget", "kernel.sem is reached" },
	{ ENOSPC, "shmget", "kernel.shmmni or kernel.shmall is reached" },
	{ ENOSPC, "msgget", "kernel.msgmni is reached" },
	{ ENOSPC, "write", "its file system is full" },
	{ ENOSPC, "pwrite", "its file system is full" },
	{ ENOSPC, "fallocate", "its file system is full" },
	{ EDQUOT, "add_key", "kernel.keys.maxkeys or maxbytes is reached" },
	{ EDQUOT, "", "a disk quota is used up" },
	{ ENOMEM, "mmap", "RLIMIT_AS, vm.max_map_count or vm.overcommit_memory does not allow more" },
	{ ENOMEM, "mprotect", "RLIMIT_AS, vm.max_map_count or vm.overcommit_memory does not allow more" },
	{ ENOMEM, "mlock", "RLIMIT_MEMLOCK is reached" },
	{ EEXIST, "open", "as somebody else has made it: is it a lock file?" },
	{ EADDRNOTAVAIL, "connect", "no local port is free, or the address is not of this kind" },
};

static bool begins_thread(s16 call)
{
	const char *name = lkst_syscalls[call].name;

	return !strncmp(name, "clone", 5) || !strcmp(name, "fork") || !strcmp(name, "vfork");
}

static void say_limit(struct cause_text_writer *w, const struct lkst_evidence_failure *f,
		      const struct lkst_thread_life *life, const struct lkst_evidence *x)
{
	const char *name = lkst_syscalls[f->call].name;
	size_t i;

	if (f->error == EAGAIN && begins_thread(f->call)) {
		if (!x->rejected[0] || strncmp(x->rejected, life->comm, sizeof(life->comm))) {
			cause_text_say(w, ", pids.max of its cgroup, RLIMIT_NPROC or kernel.threads-max is reached");
			return;
		}
		cause_text_say(w, ", its cgroup ");
		if (x->rejected_by[0]) {
			say_name(w, x->rejected_by);
			cause_text_say(w, " ");
		}
		cause_text_say(w, "or one above has as many threads as it may: pids.max");
		return;
	}
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		if (limits[i].error != f->error || strncmp(name, limits[i].call, strlen(limits[i].call)))
			continue;
		cause_text_say(w, ", %s", limits[i].words);
		return;
	}
}

void lkst_cause_text_failure(const struct lkst_evidence_failure *f, u64 calls, const struct lkst_thread_life *life,
			     const struct lkst_evidence *x, char text[LKST_CAUSE_TEXT])
{
	struct cause_text_writer w = { .text = text };
	const u64 span_ns = f->last_ns - f->first_ns;
	const char *about = x->abouts ? lkst_about_text(x->abouts, f->about) : NULL;
	size_t i;

	text[0] = '\0';
	cause_text_say(&w, "%.16s: %s() failed %llu of %llu times", life->comm, lkst_syscalls[f->call].name,
		       (unsigned long long)f->count, (unsigned long long)(calls > f->count ? calls : f->count));
	if (about && !f->peer[0]) {
		cause_text_say(&w, " on ");
		say_name(&w, about);
	}
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].nr == f->error)
			cause_text_say(&w, ": %s (%s)", errors[i].name, errors[i].words);
	say_limit(&w, f, life, x);
	if (f->peer[0])
		cause_text_say(&w, ", %s", f->peer);
	if (span_ns)
		cause_text_say(&w, ", %.0f a second", (double)f->count * 1e9 / (double)span_ns);
}

void lkst_cause_text_reclaim(const struct lkst_evidence_reclaim *r, const struct lkst_thread_life *life,
			     const struct lkst_cause_names *names, char text[LKST_CAUSE_TEXT])
{
	struct cause_text_writer w = { .text = text, .names = names };

	text[0] = '\0';
	cause_text_say(&w, "%.16s had to reclaim memory before it got what it asked for, %llu times, ", life->comm,
		       (unsigned long long)r->count);
	say_time(&w, r->total_ns);
	cause_text_say(&w, " in all, the longest ");
	say_time(&w, r->longest_ns);
	if (!r->is_of_cgroup) {
		cause_text_say(&w, ": the machine's memory was short");
	} else if (r->cgroup) {
		cause_text_say(&w, ": the memory limit of");
		say_cgroup(&w, r->cgroup);
		cause_text_say(&w, ", or of one above it");
	} else {
		cause_text_say(&w, ": the memory limit of its cgroup");
	}
	if (r->nr_swapped)
		cause_text_say(&w, "; it wrote %llu pages to swap", (unsigned long long)r->nr_swapped);
}

void lkst_cause_text_taken(const struct lkst_taken *x, const char *comm, u64 ns, u64 ran_ns,
			   const struct lkst_cause_names *names, char text[LKST_CAUSE_TEXT])
{
	struct cause_text_writer w = { .text = text, .names = names };
	char function[LKST_SYMBOL_ROOM];
	unsigned int most = 0, i;
	u64 all_ns = 0;

	text[0] = '\0';
	for (i = 0; i < LKST_NR_TAKEN; i++) {
		all_ns += x->by_ns[i];
		most = x->by_ns[i] > x->by_ns[most] ? i : most;
	}
	cause_text_say(&w, "%.16s was interrupted for %u %% of its time on a CPU, ", comm,
		       cause_text_percent(ns, ran_ns));
	say_time(&w, ns);
	cause_text_say(&w, " in all; of all interrupts' time ");
	if (most < LKST_NR_SOFTIRQS)
		cause_text_say(&w, "softirq %s", lkst_softirq_names[most]);
	else
		cause_text_say(&w, "%s", most == LKST_TAKEN_IRQ ? "devices" : "timers and other CPUs");
	cause_text_say(&w, " took %u %%", cause_text_percent(x->by_ns[most], all_ns));
	if (!names->symbols || !x->timer_code || cause_text_percent(x->timer_ns, all_ns) < TIMER_PERCENT)
		return;
	*lkst_symbols_put(names->symbols, function, x->timer_code) = '\0';
	cause_text_say(&w, ", the timer's function %s %u %%", function, cause_text_percent(x->timer_ns, all_ns));
}

void lkst_cause_text_drops(const struct lkst_cause_names *names, char text[LKST_CAUSE_TEXT])
{
	const struct lkst_evidence *x = names->evidence;
	struct cause_text_writer w = { .text = text, .length = strlen(text) };
	u32 i;

	for (i = 0; i < x->nr_drops && i < NAMES_TOLD; i++) {
		const struct lkst_evidence_drop *d = &x->drops[i];
		const struct lkst_thread_life *life = lkst_model_life(names->model, d->life);

		cause_text_say(&w, i ? ", and" : "; meanwhile");
		cause_text_say(&w, " %.16s opened /proc/sys/vm/drop_caches to write to it", life ? life->comm : "?");
		cause_text_say(&w, d->count == 1 ? " once" : " %llu times", (unsigned long long)d->count);
	}
	if (i)
		cause_text_say(
			&w, ": the kernel drops its page cache then, and reads from the disk what is used after that");
}

void lkst_cause_text_crash(const struct lkst_thread_life *life, u64 count, char text[LKST_CAUSE_TEXT])
{
	struct cause_text_writer w = { .text = text };

	text[0] = '\0';
	cause_text_say(&w, "%.16s", life->comm);
	say_crash(&w, life);
	if (count > 1)
		cause_text_say(&w, "; so were %llu more of that name", (unsigned long long)(count - 1));
}

void lkst_cause_text_kill(const struct lkst_evidence_kill *k, u64 count, const struct lkst_cause_names *names,
			  char text[LKST_CAUSE_TEXT])
{
	struct cause_text_writer w = { .text = text, .names = names };

	text[0] = '\0';
	cause_text_say(&w, "%.16s was killed", k->comm);
	if (count > 1)
		cause_text_say(&w, " %llu times", (unsigned long long)count);
	cause_text_say(&w, ": memory had run out (the OOM killer chose it)");
	if (k->cgroup) {
		cause_text_say(&w, "; it was in");
		say_cgroup(&w, k->cgroup);
	}
	if (k->kib)
		cause_text_say(&w, "; it had %.1f MiB", (double)k->kib / 1024);
	if (k->most[0] && k->all_pages && cause_text_percent(k->most_pages, k->all_pages) >= MOST_PERCENT)
		cause_text_say(&w, "; %s had most then, %u %% of the memory of the processes that might be killed",
			       strncmp(k->most, k->comm, sizeof(k->comm)) ? k->most : "it",
			       cause_text_percent(k->most_pages, k->all_pages));
}
