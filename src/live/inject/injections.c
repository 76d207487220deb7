/* SPDX-License-Identifier: GPL-2.0-only */
/* Arming injections, finding them, disarming them. */
#include "live/inject/injections.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "live/hooks/pins.h"
#include "live/hooks/probe_row.h"
#include "live/inject/injection_load.h"
#include "live/programs/probe_load.h"

#define PIN "injection-" /* and the number of the process */

enum { PIN_MAX = 32 };

struct lkst_armed {
	struct bpf_object *object;
	struct lkst_injection_state *state; /* mapped */
	int program_fd;			    /* the object's */
	int link_fd;
};

/* ---- mapping ---------------------------------------------------------------------------------- */

static size_t mapped_size(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct lkst_injection_state) + page - 1) & ~(page - 1);
}

/* NULL: it can't be mapped. */
static struct lkst_injection_state *map_state(int fd)
{
	void *at = mmap(NULL, mapped_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static void unmap_state(struct lkst_injection_state *state)
{
	if (state)
		munmap(state, mapped_size());
}

/* ---- arming ----------------------------------------------------------------------------------- */

static struct lkst_field_class field(const char *name, u8 type, u8 meaning)
{
	struct lkst_field_class f = { .type = type, .size = sizeof(u64), .meaning = meaning };

	snprintf(f.name, sizeof(f.name), "%s", name);
	f.base = lkst_meaning_base[meaning];
	return f;
}

/* The event's fields are those of struct lkst_injection_record. Readers take it for a probe's, by the first one. */
static int injections_declare(struct lkst_err *e, struct lkst_session *s,
			      const struct lkst_injection_place *place, char name[LKST_NAME_MAX], u16 *ret_id)
{
	const u8 code = place->program[0] ? LKST_MEANING_ADDR : LKST_MEANING_CODE;
	struct lkst_field_class fields[] = {
		field(LKST_PROBE_FIELD_IP, LKST_CLASS_UINT, code),
		field("value", LKST_CLASS_SINT, LKST_MEANING_DEC),
		field("nr", LKST_CLASS_UINT, LKST_MEANING_DEC),
		field("call", LKST_CLASS_UINT, LKST_MEANING_DEC),
		field("caller", LKST_CLASS_UINT, code),
	};
	struct lkst_event_class event = { .fields = fields,
					  .nr_fields = sizeof(fields) / sizeof(fields[0]) };

	_Static_assert(sizeof(fields) / sizeof(fields[0]) * sizeof(u64) ==
			       sizeof(struct lkst_injection_record),
		       "a field for each of the record's");
	if (snprintf(event.name, sizeof(event.name), LKST_INJECTION_GROUP "%s", place->function) >=
	    (int)sizeof(event.name))
		return lkst_err_set(e, -EINVAL, "the name of %s is too long for an event",
				    place->function);
	memcpy(name, event.name, LKST_NAME_MAX);
	return lkst_session_declare(e, s, &event, ret_id);
}

/* A kernel that preempts programs must let them prevent that. */
static int check_preemption(struct lkst_err *e, bool *ret_is_preemptible)
{
	int err = lkst_probe_check_preemption(e, ret_is_preemptible);

	if (err != -ENOTSUP)
		return err;
	return lkst_err_set(e, err,
			    "this kernel may preempt a program that takes a function's place, and "
			    "lets it not prevent that, as Linux 6.10 and later do");
}

static int injections_make_plan(struct lkst_err *e, struct lkst_session *s,
				const struct lkst_injection *injection,
				const struct lkst_injection_place *place, char name[LKST_NAME_MAX],
				struct lkst_injection_plan *plan)
{
	bool is_preemptible;
	int err = check_preemption(e, &is_preemptible) ?: injections_declare(e, s, place, name, &plan->id);

	if (err)
		return err;
	plan->is_preemptible = is_preemptible;
	plan->caller = injection->caller_is;
	plan->pid = injection->pid;
	plan->own_pid = (u32)getpid();
	memcpy(plan->comm, injection->comm, sizeof(plan->comm));
	plan->chance = injection->chance;
	plan->first = injection->first;
	plan->every = injection->every;
	plan->times = injection->times;
	plan->expires_ns = lkst_monotonic_ns() + injection->for_ns;
	plan->value = injection->value;
	plan->function = place->begin;
	plan->function_end = place->end;
	plan->caller_begin = place->caller_begin;
	plan->caller_end = place->caller_end;
	return 0;
}

static void pin_name(char pin[PIN_MAX])
{
	snprintf(pin, PIN_MAX, PIN "%d", (int)getpid());
}

/* Removes what commands that were killed have left. */
static int drop_left(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *pin)
{
	int pid;

	if (sscanf(pin, PIN "%d", &pid) == 1 &&
	    (pid == getpid() || (kill(pid, 0) && errno == ESRCH)))
		lkst_pins_drop(NULL, own, pin);
	return 0;
}

/* Before the program is attached. It is pinned last: from then on others may find it. */
static int begin_state(struct lkst_err *e, struct lkst_armed *a,
		       const struct lkst_injection *injection,
		       const struct lkst_injection_plan *plan, const char *name)
{
	const int fd = bpf_object__find_map_fd_by_name(a->object, LKST_INJECTION_STATE_MAP);
	struct lkst_injection_state *state = map_state(fd);
	char pin[PIN_MAX];

	a->state = state;
	if (!state)
		return lkst_err_sys(e, -errno, "mapping the injection's state");
	state->version = LKST_INJECTION_VERSION;
	state->pid = plan->own_pid;
	state->expires_ns = plan->expires_ns;
	snprintf(state->text, sizeof(state->text), "%s", injection->text);
	snprintf(state->event, sizeof(state->event), "%s", name);
	state->magic = LKST_INJECTION_MAGIC;
	pin_name(pin);
	return lkst_pins_each(e, NULL, drop_left, NULL) ?: lkst_pins_put(e, NULL, fd, pin);
}

static int attach_in_kernel(struct lkst_err *e, struct lkst_armed *a,
			    const struct lkst_injection_place *place)
{
	a->link_fd = bpf_link_create(a->program_fd, 0, BPF_MODIFY_RETURN, NULL);
	return a->link_fd < 0
		       ? lkst_err_sys(e, -errno, "the kernel did not put a program before %s",
				      place->function)
		       : 0;
}

static int attach_in_program(struct lkst_err *e, struct lkst_armed *a,
			     const struct lkst_injection_place *place)
{
	_cleanup_free_ struct lkst_probe_row *row = calloc(1, sizeof(*row));
	_cleanup_close_ int event_fd = -1;

	if (!row)
		return lkst_err_sys(e, -ENOMEM, "attaching it");
	if (snprintf(row->path, sizeof(row->path), "%s", place->program) >= (int)sizeof(row->path))
		return lkst_err_set(e, -ENAMETOOLONG, "the program's path is too long: %s",
				    place->program);
	row->offset = place->offset;
	event_fd = lkst_probe_row_open(e, row);
	if (event_fd < 0)
		return event_fd;
	a->link_fd = bpf_link_create(a->program_fd, event_fd, BPF_PERF_EVENT, NULL);
	if (a->link_fd < 0 || ioctl(event_fd, PERF_EVENT_IOC_ENABLE, 0))
		return lkst_err_sys(e, -errno, "the kernel did not attach a program to %s",
				    place->function);
	return 0;
}

int lkst_injection_arm(struct lkst_err *e, struct lkst_session *s,
		       const struct lkst_injection *injection,
		       const struct lkst_injection_place *place, struct lkst_armed **ret_armed)
{
	_cleanup_(lkst_armed_freep) struct lkst_armed *a = calloc(1, sizeof(*a));
	struct lkst_injection_plan plan = {};
	char name[LKST_NAME_MAX];
	int err;

	if (!a)
		return lkst_err_sys(e, -ENOMEM, "arming an injection");
	a->link_fd = a->program_fd = -1;
	err = injections_make_plan(e, s, injection, place, name, &plan);
	err = err ?: lkst_injection_load(e, &plan, place, &a->object, &a->program_fd);
	err = err ?: begin_state(e, a, injection, &plan, name);
	if (!err)
		err = place->program[0] ? attach_in_program(e, a, place)
					: attach_in_kernel(e, a, place);
	if (!err)
		*ret_armed = lkst_take(a);
	return err;
}

const struct lkst_injection_state *lkst_armed_state(const struct lkst_armed *a)
{
	return a->state;
}

u64 lkst_armed_missed(const struct lkst_armed *a)
{
	struct bpf_prog_info info = {};
	u32 length = sizeof(info);

	return bpf_obj_get_info_by_fd(a->program_fd, &info, &length) ? 0 : info.recursion_misses;
}

void lkst_armed_free(struct lkst_armed *a)
{
	char pin[PIN_MAX];

	if (!a)
		return;
	if (a->state) {
		__atomic_store_n(&a->state->disarmed, 1, __ATOMIC_RELEASE);
		pin_name(pin);
		lkst_pins_drop(NULL, NULL, pin);
	}
	lkst_closep(&a->link_fd);
	bpf_object__close(a->object);
	unmap_state(a->state);
	free(a);
}

bool lkst_injection_is_over(const struct lkst_injection_state *state, u64 times, u64 now_ns)
{
	return __atomic_load_n(&state->disarmed, __ATOMIC_RELAXED) || now_ns >= state->expires_ns ||
	       (times && __atomic_load_n(&state->injected, __ATOMIC_RELAXED) >= times);
}

/* ---- all that are armed ----------------------------------------------------------------------- */

/* What is done with the states that are pinned. */
struct looking {
	int (*each)(void *ctx, struct lkst_injection_state *state);
	void *ctx;
};

/* The state in map @fd, if it is one; else NULL. */
static struct lkst_injection_state *injections_find_state(int fd)
{
	struct bpf_map_info info = {};
	struct lkst_injection_state *state;
	u32 length = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &length) || info.type != BPF_MAP_TYPE_ARRAY ||
	    info.value_size != sizeof(*state) || !(info.map_flags & BPF_F_MMAPABLE))
		return NULL;
	state = map_state(fd);
	if (state && state->magic == LKST_INJECTION_MAGIC &&
	    state->version == LKST_INJECTION_VERSION)
		return state;
	unmap_state(state);
	return NULL;
}

/* A command that was killed has left its pin. */
static bool is_left(const struct lkst_injection_state *state)
{
	return kill((pid_t)state->pid, 0) && errno == ESRCH;
}

static int injections_look_at_pin(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *pin)
{
	const struct looking *l = ctx;
	_cleanup_close_ int fd = -1;
	struct lkst_injection_state *state;
	int err = 0;

	if (strncmp(pin, PIN, strlen(PIN)))
		return 0;
	fd = lkst_pins_get(NULL, own, pin);
	state = fd < 0 ? NULL : injections_find_state(fd);
	if (state && is_left(state))
		lkst_pins_drop(NULL, own, pin);
	else if (state)
		err = l->each(l->ctx, state);
	unmap_state(state);
	return err;
}

int lkst_injections_each(struct lkst_err *e,
			 int (*each)(void *ctx, struct lkst_injection_state *state), void *ctx)
{
	struct looking l = { .each = each, .ctx = ctx };

	return lkst_pins_each(e, NULL, injections_look_at_pin, &l);
}

static int disarm_one(void *ctx, struct lkst_injection_state *state)
{
	u32 *nr = ctx;

	if (!__atomic_exchange_n(&state->disarmed, 1, __ATOMIC_ACQ_REL))
		++*nr;
	return 0;
}

int lkst_injections_disarm(struct lkst_err *e, u32 *ret_nr)
{
	u32 nr = 0;
	int err = lkst_injections_each(e, disarm_one, &nr);

	if (ret_nr)
		*ret_nr = nr;
	return err;
}
