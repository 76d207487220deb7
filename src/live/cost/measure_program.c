/* SPDX-License-Identifier: GPL-2.0-only */
/* What a probe in a program costs. */
#include "live/cost/measure_program.h"

#include <bpf/bpf.h>
#include <link.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/cost/pace.h"
#include "live/cost/rounds.h"
#include "live/hooks/probe_row.h"

enum {
	ROUNDS = 64, /* of a place at most */
	CALLS = 16,  /* in a round */
};

/*
 * What is called: functions that begin with an instruction that the kernel emulates, and with one that it does not
 * (probe/code/stepping.h). In assembler, since a compiler may put another one first.
 */
#define FUNCTION(name, instructions)                                                               \
	void name(void) __attribute__((visibility("hidden")));                                     \
	asm(".pushsection .text\n"                                                                 \
	    ".globl " #name "\n"                                                                   \
	    ".hidden " #name "\n"                                                                  \
	    ".type " #name ", %function\n"                                                         \
	    ".balign 16\n" #name ":\n" instructions "\n"                                           \
	    ".size " #name ", . - " #name "\n"                                                     \
	    ".popsection")
#ifdef __x86_64__
#define EMULATED "push %rbp\n pop %rbp\n ret"
#define STEPPED "mov %rdi, %rax\n ret"
#else
#define EMULATED "b 1f\n 1: ret"
#define STEPPED "add x0, x0, #0\n ret"
#endif
FUNCTION(lkst_own_emulated, EMULATED);
FUNCTION(lkst_own_emulated_probed, EMULATED);
FUNCTION(lkst_own_returned_probed, EMULATED);
FUNCTION(lkst_own_stepped, STEPPED);
FUNCTION(lkst_own_stepped_probed, STEPPED);

/* A function with a probe, and its like without. */
struct measure_program_place {
	enum lkst_hook_type type;
	void (*probed)(void);
	void (*plain)(void);
	int event_fd, link_fd;
};

/* ---- attaching -------------------------------------------------------------------------------- */

struct measure_program_search {
	u64 address, offset;
};

/* The first object is the program itself. */
static int find_offset(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct measure_program_search *s = ctx;
	unsigned int i;

	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		u64 begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && s->address - begin < p->p_filesz)
			s->offset = s->address - begin + p->p_offset;
	}
	return 1;
}

/* A perf event of this thread alone, so that no other process gets the breakpoint. */
static int measure_program_open_event(const struct measure_program_place *place)
{
	struct measure_program_search s = { .address = (uintptr_t)place->probed };
	_cleanup_free_ struct lkst_probe_row *row = calloc(1, sizeof(*row));
	struct perf_event_attr attr;

	dl_iterate_phdr(find_offset, &s);
	if (!row || !s.offset)
		return -1;
	snprintf(row->path, sizeof(row->path), "/proc/self/exe");
	row->offset = s.offset;
	row->is_return = place->type == LKST_HOOK_TYPE_URETPROBE;
	return lkst_probe_row_attr(NULL, row, &attr)
		       ? -1
		       : (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool measure_program_attach(struct measure_program_place *place, int program_fd)
{
	place->event_fd = measure_program_open_event(place);
	if (place->event_fd < 0)
		return false;
	place->link_fd = bpf_link_create(program_fd, place->event_fd, BPF_PERF_EVENT, NULL);
	return place->link_fd >= 0 && !ioctl(place->event_fd, PERF_EVENT_IOC_ENABLE, 0);
}

/* ---- measuring -------------------------------------------------------------------------------- */

static double measure_program_call(void (*function)(void))
{
	u64 before = lkst_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	unsigned int i;

	for (i = 0; i < CALLS; i++)
		function();
	return (double)(lkst_clock_ns(CLOCK_THREAD_CPUTIME_ID) - before);
}

/* What a call with a probe takes longer, ns, by rounds with and without it, by turns; 0 or less: nothing. */
static double measure_program_measure(const struct measure_program_place *place, struct lkst_pace *pace)
{
	struct lkst_rounds plain = {}, probed = {};

	lkst_pace_part(pace, lkst_monotonic_ns(), 1);
	measure_program_call(
		place->probed); /* the first calls are slower: the kernel makes room for what it steps through */
	while (plain.nr < ROUNDS && lkst_pace_has_round(pace, lkst_monotonic_ns())) {
		plain.value[plain.nr++] = measure_program_call(place->plain);
		probed.value[probed.nr++] = measure_program_call(place->probed);
	}
	return (lkst_rounds_typical(&probed) - lkst_rounds_typical(&plain)) / CALLS;
}

void lkst_measure_program(int program_fd, struct lkst_costs *costs)
{
	struct measure_program_place places[] = {
		{ LKST_HOOK_TYPE_UPROBE, lkst_own_stepped_probed, lkst_own_stepped, -1, -1 },
		{ LKST_HOOK_TYPE_UPROBE_EMULATED, lkst_own_emulated_probed, lkst_own_emulated, -1,
		  -1 },
		{ LKST_HOOK_TYPE_URETPROBE, lkst_own_returned_probed, lkst_own_emulated, -1, -1 },
	};
	enum { NR = sizeof(places) / sizeof(places[0]) };
	struct lkst_pace pace;
	unsigned int i;

	lkst_pace_begin(&pace, lkst_monotonic_ns(), LKST_MEASURE_PROGRAM_NS, NR);
	for (i = 0; i < NR; i++) {
		struct measure_program_place *p = &places[i];
		double ns = measure_program_attach(p, program_fd) ? measure_program_measure(p, &pace) : 0;

		if (ns >= 1) {
			costs->hook_ns[p->type] = (u32)(ns + 0.5);
			costs->measured |= 1U << (LKST_COST_UNIT_HOOK + p->type);
		}
	}
	for (i = 0; i < NR; i++) {
		lkst_closep(&places[i].link_fd);
		lkst_closep(&places[i].event_fd);
	}
}
