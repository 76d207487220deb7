/* SPDX-License-Identifier: GPL-2.0-only */
/* The program of an injection. */
#include "live/inject/injection_load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/control.h"
#include "base/cleanup.h"
#include "base/diag.h"
#include "live/programs/link.h"
#include "live/programs/prog_handlers.h"
#include "live/programs/programs.h"
#include "live/programs/handler_maps.h"
#include "inject.skel.h"

enum { LOG_BYTES = 1 << 20 };

/* The two programs of the object. */
static const struct kind {
	const char *section, *program;
	enum bpf_prog_type type;
	enum bpf_attach_type attach;
} kinds[] = {
	{ "lkst_inject_kernel", "inject__kernel", BPF_PROG_TYPE_TRACING, BPF_MODIFY_RETURN },
	{ "lkst_inject_program", "inject__program", BPF_PROG_TYPE_KPROBE, 0 },
};

struct loading {
	const struct lkst_injection_plan *plan;
	const struct lkst_injection_place *place;
	const struct kind *kind;
	bool has_no_types; /* all functions are static then */
	bool wants_static; /* the kernel has said so of the last try */
};

/* What is done just before the kernel gets the program. */
static int injection_load_prepare(struct bpf_program *program, struct bpf_prog_load_opts *options, long cookie)
{
	const struct loading *l = (const struct loading *)cookie;

	if (l->kind->attach == BPF_MODIFY_RETURN)
		options->attach_btf_id = (u32)l->place->type_id;
	if (l->has_no_types) {
		options->func_info = NULL;
		options->func_info_cnt = 0;
		options->line_info = NULL;
		options->line_info_cnt = 0;
	}
	return 0;
}

static int injection_load_share_maps(struct lkst_err *e, struct bpf_object *object)
{
	static const struct lkst_shared_map maps[] = {
		{ "lkst_mem", "memory" },
		{ ".data.control", "control" },
		{ "lkst_filter", "filter" },
		{ "lkst_idle", "idle" },
		{},
	};
	const struct lkst_shared_map *m;
	int err = 0;

	for (m = maps; m->map && !err; m++)
		err = lkst_handler_share(e, NULL, object, m->map, m->pin);
	return err;
}

/* Chooses the one program of the object, tells it what it is for, and gives it its maps. */
static int injection_load_set_up(struct lkst_err *e, struct bpf_object *object, const struct loading *l, char *log)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, LKST_INJECTION_PLAN_MAP);
	size_t size = 0;
	void *to = map ? (void *)bpf_map__initial_value(map, &size) : NULL;
	struct bpf_program *program;

	bpf_object__for_each_program(program, object) bpf_program__set_autoload(
		program, !strcmp(bpf_program__name(program), l->kind->program));
	program = bpf_object__find_program_by_name(object, l->kind->program);
	if (!to || size != sizeof(*l->plan) || !program ||
	    bpf_program__set_log_buf(program, log, LOG_BYTES))
		return lkst_err_set(e, -EINVAL,
				    "this program was built without its program of injections");
	memcpy(to, l->plan, sizeof(*l->plan));
	return lkst_handler_configure(e, NULL, object, LKST_HANDLER_DEFAULT, false)
		       ?: injection_load_share_maps(e, object);
}

/* Why the kernel rejects the program. */
static int injection_load_explain(struct lkst_err *e, struct loading *l, int err, const char *log)
{
	lkst_diag_log("%s", log);
	l->wants_static = lkst_link_wants_static(log);
	if (l->kind->attach != BPF_MODIFY_RETURN && strstr(log, "invalid bpf_context access"))
		return lkst_err_set(
			e, -ENOTSUP,
			"this kernel lets no program change the registers of another "
			"one, which it takes to make its functions fail; Linux 6.19 and "
			"later may");
	if (log[0]) {
		lkst_link_explain(e, log);
		lkst_err_add(e, "the kernel's verifier rejects the injection's program");
		return err;
	}
	return lkst_err_sys(e, err, "loading the injection's program");
}

static int injection_load_try_to_load(struct lkst_err *e, struct loading *l, struct bpf_object **ret_object)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, options, .cookie = (long)l,
		    .prog_prepare_load_fn = injection_load_prepare);
	_cleanup_free_ char *log = calloc(1, LOG_BYTES);
	int registered = lkst_prog_handler_register(l->kind->section, l->kind->type,
						    l->kind->attach, &options),
	    err;
	size_t size;
	const void *bytes = inject_bpf__elf_bytes(&size);

	if (registered < 0 || !log)
		return lkst_err_sys(e, log ? registered : -ENOMEM,
				    "preparing the injection's program");
	lkst_programs_quiet();
	*ret_object = bpf_object__open_mem(bytes, size, NULL);
	err = *ret_object ? injection_load_set_up(e, *ret_object, l, log)
			  : lkst_err_sys(e, -errno, "opening the program of injections");
	if (!err) {
		err = bpf_object__load(*ret_object);
		if (err)
			err = injection_load_explain(e, l, err, log);
	}
	libbpf_unregister_prog_handler(registered);
	return err;
}

/*
 * A program that turns preemption off may call no global function meanwhile, up to Linux 6.14: without types all are
 * static (src/live/programs/probe_load.c). Why such a program is rejected is then the reason.
 */
int lkst_injection_load(struct lkst_err *e, const struct lkst_injection_plan *plan,
			const struct lkst_injection_place *place, struct bpf_object **ret_object,
			int *ret_program_fd)
{
	struct loading l = { .plan = plan, .place = place, .kind = &kinds[place->program[0] != 0] };
	struct bpf_object *object = NULL;
	int err = injection_load_try_to_load(e, &l, &object);

	if (err && l.wants_static) {
		bpf_object__close(object);
		object = NULL;
		l.has_no_types = true;
		err = injection_load_try_to_load(e, &l, &object);
	}
	if (err) {
		bpf_object__close(object);
		return err;
	}
	*ret_object = object;
	*ret_program_fd =
		bpf_program__fd(bpf_object__find_program_by_name(object, l.kind->program));
	return 0;
}
