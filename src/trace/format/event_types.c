/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers and names that the original had for events, and the names that are near to one that there is not. */
#include "trace/format/event_types.h"

#include <stdio.h>
#include <string.h>

#include "abi/events.h"
#include "abi/syscalls.h"
#include "base/glob.h"
#include "trace/format/half.h"

/*
 * The numbers of mnemonics that no document of LKST gives. They are this program's own, by LKST's
 * groups in its order; the known ones are in events.def.
 */
static const struct {
	u16 type;
	const char *mnemonic;
} assigned[] = {
	{ 0x40, "MEM_SWAPOUT" },      { 0x41, "MEM_SWAPIN" },	   { 0x42, "MEM_DO_NOPAGE" },
	{ 0x43, "MEM_DO_WPPAGE" },    { 0x44, "MEM_WAIT_PAGE" },   { 0x45, "MEM_GET_FREEPAGE" },
	{ 0x47, "MEM_FREEPAGE" },     { 0x48, "MEM_VMALLOC" },	   { 0x49, "MEM_VFREE" },
	{ 0x4a, "MEM_CACHE_CREATE" }, { 0x4b, "MEM_CACHE_ALLOC" }, { 0x4c, "MEM_MALLOC" },
	{ 0x4d, "MEM_CACHE_FREE" },   { 0x4e, "MEM_FREE" },	   { 0x50, "FS_DEVRW" },
	{ 0x51, "FS_DEVEND" },	      { 0x52, "FS_BUFBUSY" },	   { 0x60, "NET_PKTSEND" },
	{ 0x61, "NET_PKTSENDI" },     { 0x62, "NET_PKTRECV" },	   { 0x63, "NET_PKTRECVI" },
	{ 0x64, "NET_SOCKETIF" },     { 0x70, "SYSV_IPC" },	   { 0x80, "LK_SPINLOCK" },
	{ 0x81, "LK_SPINTRYLOCK" },   { 0x82, "LK_SPINUNLOCK" },   { 0x83, "LK_WRLOCK" },
	{ 0x84, "LK_WRTRYLOCK" },     { 0x85, "LK_WRUNLOCK" },	   { 0x86, "LK_RDLOCK" },
	{ 0x87, "LK_RDUNLOCK" },      { 0x90, "TIMER_RUN" },	   { 0x91, "TIMER_ADD" },
	{ 0x93, "TIMER_DEL" },	      { 0x94, "TIMER_DEL_SYNC" },  { 0xa0, "O_PORTIN" },
	{ 0xa1, "O_PORTOUT" },	      { 0xa2, "O_PANIC" },	   { 0xa3, "O_PRINTK" },
};
enum { NR_ASSIGNED = sizeof(assigned) / sizeof(assigned[0]) };

/* What LKST hooked separately, and the kernel has no hook of its own for (rows B22 and B50 of doc/heritage.md). */
static const struct lkst_represented represented[] = {
	{ 0x46,
	  "MEM_GET_ZEROPAGE",
	  { LKST_EV_mm_page_alloc, -1 },
	  "mm_page_alloc with __GFP_ZERO in gfp_flags" },
	{ 0x92,
	  "TIMER_MOD",
	  { LKST_EV_timer_cancel, LKST_EV_timer_start },
	  "timer_cancel and, right after it by the same thread, timer_start of that timer" },
};
enum { NR_REPRESENTED = sizeof(represented) / sizeof(represented[0]) };

_Static_assert(LKST_TYPE_OWN + LKST_NR_EVENTS <= LKST_TYPE_SYSCALL, "the catalogue has its range");

const char *lkst_event_mnemonic(const struct lkst_event_class *event)
{
	enum lkst_event_index same = LKST_EV_syscall_entry_unknown;

	if (event->index >= 0)
		return lkst_events[event->index].mnemonic;
	if (event->syscall < 0)
		return NULL;
	if (event->half == LKST_HALF_EXIT)
		same = LKST_EV_syscall_exit_unknown;
	return lkst_events[same].mnemonic;
}

const struct lkst_represented *lkst_represented_find(const char *mnemonic)
{
	unsigned int i;

	for (i = 0; i < NR_REPRESENTED; i++)
		if (!strcmp(represented[i].mnemonic, mnemonic))
			return &represented[i];
	return NULL;
}

const struct lkst_represented *lkst_represented_by(int index)
{
	unsigned int i;

	for (i = 0; index >= 0 && i < NR_REPRESENTED; i++)
		if (represented[i].events[0] == index || represented[i].events[1] == index)
			return &represented[i];
	return NULL;
}

u16 lkst_mnemonic_type(const char *mnemonic)
{
	const struct lkst_represented *other = lkst_represented_find(mnemonic);
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (lkst_events[i].lkst_id && !strcmp(lkst_events[i].mnemonic, mnemonic))
			return lkst_events[i].lkst_id;
	for (i = 0; i < NR_ASSIGNED; i++)
		if (!strcmp(assigned[i].mnemonic, mnemonic))
			return assigned[i].type;
	return other ? other->type : LKST_TYPE_NONE;
}

const char *lkst_type_mnemonic(u16 type)
{
	unsigned int i;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		if (type && lkst_events[i].lkst_id == type)
			return lkst_events[i].mnemonic;
	for (i = 0; i < NR_ASSIGNED; i++)
		if (assigned[i].type == type)
			return assigned[i].mnemonic;
	for (i = 0; i < NR_REPRESENTED; i++)
		if (represented[i].type == type)
			return represented[i].mnemonic;
	return NULL;
}

void lkst_event_types_init(struct lkst_event_types *types, const struct lkst_catalog *c)
{
	u32 id, next_tracepoint = LKST_TYPE_TRACEPOINT;

	memset(types, 0, sizeof(*types));
	for (id = 0; id < LKST_EVENT_SPACE; id++) {
		const struct lkst_event_class *event = c->classes[id];
		const char *mnemonic = event ? lkst_event_mnemonic(event) : NULL;
		const struct lkst_represented *other;

		if (!event || !lkst_class_is_maskable(event))
			continue;
		other = lkst_represented_by(event->index);
		types->also[id] = other ? other->type : LKST_TYPE_NONE;
		if (mnemonic)
			types->shared[id] = lkst_mnemonic_type(mnemonic);
		if (event->index >= 0)
			types->own[id] = LKST_TYPE_OWN + event->index;
		else if (event->syscall >= 0)
			types->own[id] = LKST_TYPE_SYSCALL + 2 * event->syscall +
					 (event->half == LKST_HALF_EXIT);
		else if (next_tracepoint < LKST_TYPE_END)
			types->own[id] = next_tracepoint++;
	}
}

bool lkst_event_types_has(const struct lkst_event_types *types, u32 id, u16 type)
{
	return types->own[id] && type &&
	       (types->own[id] == type || types->shared[id] == type || types->also[id] == type);
}

bool lkst_class_is_named(const struct lkst_event_class *event, const char *glob)
{
	const struct lkst_represented *other = lkst_represented_by(event->index);
	const char *group = lkst_group_names[event->group];

	if (lkst_glob_matches(glob, group, event->name, lkst_event_mnemonic(event)) ||
	    (other && lkst_glob_matches(glob, group, event->name, other->mnemonic)))
		return true;
	return event->syscall >= 0 &&
	       lkst_glob_matches(glob, group, lkst_syscalls[event->syscall].name, NULL);
}

/* ---- names that are near ------------------------------------------------------------------------ */

/* What comes after @prefix in @name; NULL: it begins in another way. */
static const char *event_types_after(const char *name, const char *prefix)
{
	size_t length = strlen(prefix);

	return strncmp(name, prefix, length) ? NULL : name + length;
}

/* Writes the name that LKST has for what the kernel and its tracers call @word, as far as they differ by rule. */
static void event_types_own_name(const char *word, char name[LKST_NAME_MAX])
{
	const char *colon = strchr(word, ':'), *own = colon && !strchr(colon + 1, ':') ? colon + 1 : word;
	struct lkst_call_name call = {};

	call.call = event_types_after(own, "sys_enter_");
	call.half = LKST_HALF_ENTRY;
	if (!call.call) {
		call.call = event_types_after(own, "sys_exit_");
		call.half = LKST_HALF_EXIT;
	}
	if (call.call)
		lkst_call_name_format(name, LKST_NAME_MAX, &call);
	else
		snprintf(name, LKST_NAME_MAX, "%s", own);
}

static void offer_builtin(struct lkst_suggest *near)
{
	char name[LKST_NAME_MAX];
	unsigned int i, half;

	for (i = 0; i < LKST_NR_EVENTS; i++)
		lkst_suggest_offer(near, lkst_events[i].name);
	for (i = 0; i < lkst_nr_syscalls; i++)
		for (half = 0; half < 2; half++) {
			const struct lkst_call_name call = { .half = half ? LKST_HALF_EXIT : LKST_HALF_ENTRY,
							     .is_compat = lkst_syscalls[i].is_compat,
							     .call = lkst_syscalls[i].name };

			lkst_call_name_format(name, sizeof(name), &call);
			lkst_suggest_offer(near, name);
		}
}

static void event_types_offer(const struct lkst_catalog *c, struct lkst_suggest *near)
{
	u32 id;

	if (!c)
		offer_builtin(near);
	for (id = 0; c && id <= LKST_ID_MAX; id++)
		if (c->classes[id] && c->classes[id]->group != LKST_GROUP_STATE)
			lkst_suggest_offer(near, c->classes[id]->name);
}

const char *lkst_event_near(const struct lkst_catalog *c, const char *word, char text[LKST_SUGGEST_TEXT])
{
	char name[LKST_NAME_MAX];
	struct lkst_suggest near = { .word = word };
	bool is_call;

	event_types_own_name(word, name);
	is_call = strstr(word, "sys_enter_") || strstr(word, "sys_exit_");
	/* Events of probes and of tracepoints by name have their group with them. */
	if (!is_call)
		event_types_offer(c, &near);
	if (!near.nr) {
		near.word = name;
		event_types_offer(c, &near);
	}
	/* The name of what was meant, and not one that is like it. */
	if (near.nr && !near.best[0].distance)
		near.nr = 1;
	return lkst_suggest_text(&near, text);
}
