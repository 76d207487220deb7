/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints the manual page lkst-events(7), made from the catalogue itself: the page and the recorder
 * cannot disagree. Run by the build.
 */
#include <stdio.h>
#include <string.h>

#include "abi/events.h"
#include "abi/syscalls.h"

static const char *const type_names[][9] = {
	[LKST_TYPE_UINT] = { [1] = "u8", [2] = "u16", [4] = "u32", [8] = "u64" },
	[LKST_TYPE_SINT] = { [1] = "s8", [2] = "s16", [4] = "s32", [8] = "s64" },
};

/* Each says of its hook's target where it is; %s is the target. */
static const char *const hook_texts[] = {
	[LKST_HOOK_TP] = "tracepoint %s",
	[LKST_HOOK_KPROBE] = "function %s",
	[LKST_HOOK_KRETPROBE] = "return of function %s",
	[LKST_HOOK_ALSO_KPROBE] = "function %s",
	[LKST_HOOK_ALSO_KRETPROBE] = "return of function %s",
	[LKST_HOOK_PERF] = "perf event %s",
	[LKST_HOOK_TP_TOO] = "tracepoint %s",
	[LKST_HOOK_ALSO_TP_TOO] = "tracepoint %s",
};

static const char *const group_titles[LKST_NR_GROUPS] = {
	[LKST_GROUP_SCHED] = "PROCESSES AND THREADS (sched)",
	[LKST_GROUP_SIGNAL] = "SIGNALS (signal)",
	[LKST_GROUP_IRQ] = "INTERRUPTS (irq)",
	[LKST_GROUP_EXCEPTION] = "EXCEPTIONS (exception)",
	[LKST_GROUP_SYSCALL] = "SYSTEM CALLS THAT THE TABLE DOES NOT KNOW (syscall)",
	[LKST_GROUP_MEMORY] = "MEMORY (memory)",
	[LKST_GROUP_BLOCK] = "BLOCK DEVICES (block)",
	[LKST_GROUP_NET] = "NETWORK (net)",
	[LKST_GROUP_IPC] = "SYSTEM V IPC (ipc)",
	[LKST_GROUP_TIMER] = "TIMERS (timer)",
	[LKST_GROUP_WORKQUEUE] = "WORK QUEUES (workqueue)",
	[LKST_GROUP_POWER] = "CLOCK, SLEEP AND STOLEN TIME OF CPUS (power)",
	[LKST_GROUP_LOCK] = "LOCKS (lock)",
	[LKST_GROUP_OTHER] = "OTHER (other)",
	[LKST_GROUP_RECORDER] = "THE RECORDER ITSELF (recorder)",
	[LKST_GROUP_STATE] = "STATE OF THE MACHINE (state)",
};

/* Text as roff takes it: no line begins with a control character, a backslash is \e. */
static void put_text(const char *text)
{
	if (*text == '.' || *text == '\'')
		fputs("\\&", stdout);
	for (; *text; text++) {
		if (*text == '\\')
			fputs("\\e", stdout);
		else if (*text == '-')
			fputs("\\-", stdout);
		else
			putchar(*text);
	}
}

static const char *type_name(const struct lkst_field_desc *f)
{
	if (f->type == LKST_TYPE_STRING)
		return "string";
	if (f->type == LKST_TYPE_CHARS)
		return "name";
	if (f->type == LKST_TYPE_WORDS)
		return "u64[]";
	return type_names[f->type][f->size];
}

static void put_hooks(const struct lkst_event_desc *d)
{
	const char *lead = "Hook: ";
	unsigned int i;

	for (i = 0; i < d->nr_hooks; i++) {
		const struct lkst_hook_desc *h = &d->hooks[i];

		if (h->kind == LKST_HOOK_USER)
			continue;
		if (h->kind == LKST_HOOK_ALSO_KPROBE || h->kind == LKST_HOOK_ALSO_KRETPROBE ||
		    h->kind == LKST_HOOK_ALSO_TP_TOO)
			lead = "; also ";
		fputs(lead, stdout);
		if (h->kind == LKST_HOOK_NONE) {
			put_text("none, ");
			put_text(h->proto);
		} else {
			printf(hook_texts[h->kind], h->target);
		}
		lead = "; or else ";
	}
	if (*lead == ';')
		fputs(".\n", stdout);
}

static void put_event(const struct lkst_event_desc *d)
{
	unsigned int i;

	printf(".It Sy %s\n", d->name);
	put_text(d->help);
	fputs(".\n", stdout);
	if (d->mnemonic) {
		printf("LKST name: %s", d->mnemonic);
		if (d->lkst_id)
			printf(" (0x%02x)", d->lkst_id);
		fputs(".\n", stdout);
	}
	put_hooks(d);
	if (!d->nr_fields)
		return;
	fputs(".Bl -tag -width 20n -compact\n", stdout);
	for (i = 0; i < d->nr_fields; i++) {
		if (d->fields[i].meaning == LKST_MEANING_PAD)
			continue;
		printf(".It %s Va %s\n", type_name(&d->fields[i]), d->fields[i].name);
		put_text(d->fields[i].help);
		putchar('\n');
	}
	fputs(".El\n", stdout);
}

static void put_groups(void)
{
	unsigned int group, i;

	for (group = 0; group < LKST_NR_GROUPS; group++) {
		if (!group_titles[group])
			continue;
		printf(".Sh %s\n.Bl -tag -width Ds\n", group_titles[group]);
		for (i = 0; i < LKST_NR_EVENTS; i++)
			if (lkst_events[i].group == group)
				put_event(&lkst_events[i]);
		fputs(".El\n", stdout);
	}
}

static void put_syscalls(void)
{
	unsigned int i;

	fputs(".Sh SYSTEM CALLS\n"
	      "Every system call has two events,\n"
	      ".Sy syscall_entry_ Ns Ar name\n"
	      "with the arguments listed here and\n"
	      ".Sy syscall_exit_ Ns Ar name\n"
	      "with the result in\n"
	      ".Va ret .\n"
	      "The pattern\n"
	      ".Sy syscall: Ns Ar name\n"
	      "selects both.\n"
	      "The string that a path points to is recorded too, as\n"
	      ".Ar argument Ns Sy _str ;\n"
	      "at exit, if its page was not in memory at entry.\n"
	      "Calls of 32\\-bit programs are recorded as\n"
	      ".Sy compat_syscall_entry_ Ns Ar name\n"
	      "and\n"
	      ".Sy compat_syscall_exit_ Ns Ar name\n"
	      "by a table of their own.\n"
	      "The x86\\-64 table:\n"
	      ".Pp\n"
	      ".Bl -tag -width 26n -compact\n",
	      stdout);
	for (i = 0; i < lkst_nr_syscalls; i++) {
		if (lkst_syscalls[i].is_compat)
			continue;
		printf(".It Sy %s\n(", lkst_syscalls[i].name);
		put_text(lkst_syscalls[i].signature);
		fputs(")\n", stdout);
	}
	fputs(".El\n", stdout);
}

int main(void)
{
	fputs(".\\\" SPDX-License-Identifier: GPL-2.0-only\n"
	      ".\\\" Made by tools/events-page.c from the catalogue.\n"
	      ".Dd $Mdocdate$\n"
	      ".Dt LKST-EVENTS 7\n"
	      ".Os\n"
	      ".Sh NAME\n"
	      ".Nm lkst-events\n"
	      ".Nd the events that LKST records\n"
	      ".Sh DESCRIPTION\n"
	      "Each event below is recorded with its time, its CPU, the thread that ran, and its\n"
	      "fields.\n"
	      "\\(dqThis thread\\(dq is the one that ran.\n"
	      "Hooks are tried in the order given; the first that the running kernel has, with the\n"
	      "argument types that the event needs, is used.\n"
	      "An event without a hook on the running kernel is named when recording starts, and\n"
	      "everything else goes on.\n"
	      "What this kernel offers is shown by\n"
	      ".Xr lkst-event 1 .\n"
	      ".Pp\n"
	      "Any other tracepoint of the kernel is recorded by its own name,\n"
	      ".Ar system : Ns Ar name ,\n"
	      "with the fields that the kernel describes it to have.\n"
	      ".Pp\n"
	      "The LKST name is the one that the original Linux Kernel State Tracer gave to the\n"
	      "event; it may be used wherever an event is asked for.\n",
	      stdout);
	put_groups();
	put_syscalls();
	fputs(".Sh SEE ALSO\n"
	      ".Xr lkst 1 ,\n"
	      ".Xr lkst-event 1 ,\n"
	      ".Xr lkst-start 1 ,\n"
	      ".Xr lkst-trace 5\n",
	      stdout);
	return ferror(stdout) ? 1 : 0;
}
