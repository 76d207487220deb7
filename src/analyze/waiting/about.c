/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that many waits share. */
#include "analyze/waiting/about.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum { ABOUTS_MAX = 1 << 14 };

void lkst_abouts_fini(struct lkst_abouts *a)
{
	u32 i;

	for (i = 0; i < a->nr; i++)
		free(a->texts[i]);
	free(a->texts);
	lkst_map_fini(&a->by_text);
	*a = (struct lkst_abouts){};
}

static u64 about_hash_of(const char *text)
{
	u64 hash = 0xcbf29ce484222325; /* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (u8)*text) * 0x100000001b3;
	return hash == LKST_HASH_NONE ? 1 : hash;
}

u32 lkst_about_add(struct lkst_abouts *a, const char *text)
{
	const u64 hash = about_hash_of(text);
	const u64 *known;
	char **place;

	a->by_text.max = ABOUTS_MAX;
	known = lkst_map_find(&a->by_text, hash);
	/* Of two texts with one hash the second is not known: it is told as nothing, not as the first. */
	if (known)
		return strcmp(a->texts[*known - 1], text) ? 0 : (u32)*known;
	if (a->nr >= ABOUTS_MAX)
		return 0;
	place = lkst_vec_add(a->texts, a->nr);
	if (place)
		*place = strdup(text);
	if (!place || !*place || lkst_map_set(&a->by_text, hash, a->nr)) {
		a->nr -= place && !*place;
		a->error = -ENOMEM;
		return 0;
	}
	return a->nr;
}

const char *lkst_about_text(const struct lkst_abouts *a, u32 about)
{
	return about && about <= a->nr ? a->texts[about - 1] : NULL;
}

/* What System V IPC calls are about: an id. */
static const char *ipc_of(const struct lkst_syscall_now *call)
{
	const char *name = lkst_syscalls[call->row].name;

	if (!strcmp(name, "semop") || !strcmp(name, "semtimedop"))
		return "the semaphores with id";
	if (!strcmp(name, "msgsnd") || !strcmp(name, "msgrcv"))
		return "the message queue with id";
	return NULL;
}

u32 lkst_about_call(struct lkst_abouts *a, const struct lkst_thread_life *life, const struct lkst_syscall_now *call)
{
	struct lkst_descriptor_call now;
	const char *ipc = call->row >= 0 ? ipc_of(call) : NULL;
	char text[64];

	if (ipc && call->has_args) {
		snprintf(text, sizeof(text), "%s %d", ipc, (int)call->args[0]);
		return lkst_about_add(a, text);
	}
	if (!a->descriptors || !call->from_ns || !lkst_descriptors_call(a->descriptors, life->tid, &now) ||
	    now.entry_ns != call->from_ns || !now.name)
		return 0;
	return lkst_about_add(a, now.name);
}

u32 lkst_about_fd(struct lkst_abouts *a, const struct lkst_thread_life *life, s32 fd)
{
	const char *name = a->descriptors ? lkst_descriptors_name(a->descriptors, life->tid, fd) : NULL;

	return name ? lkst_about_add(a, name) : 0;
}

const char *lkst_about_timer(struct lkst_symbols *symbols, u64 code)
{
	static const struct {
		const char *function, *words;
	} timers[] = {
		{ "tcp_delack_timer", "TCP sent a delayed acknowledgement" },
		{ "tcp_write_timer", "TCP sent again, or asked whether the window is open" },
		{ "tcp_keepalive_timer", "TCP asked whether the other side is there" },
		{ "blk_throtl", "the cgroup's limit for the disk let it pass" },
		{ "throtl_pending_timer_fn", "the cgroup's limit for the disk let it pass" },
		{ "qdisc_watchdog", "the traffic shaping (qdisc) of a network device let the packet go" },
	};
	u64 offset;
	const char *function = symbols ? lkst_symbols_find(symbols, code, &offset) : NULL;
	size_t i;

	for (i = 0; function && i < sizeof(timers) / sizeof(timers[0]); i++)
		if (!strncmp(function, timers[i].function, strlen(timers[i].function)))
			return timers[i].words;
	return NULL;
}
