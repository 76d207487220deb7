/* SPDX-License-Identifier: GPL-2.0-only */
/* The program of a probe. */
#include "live/programs/probe_load.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "live/kernel/kernel_types.h"
#include "live/programs/floor.h"
#include "live/programs/link.h"
#include "live/hooks/pins.h"
#include "live/programs/prog_handlers.h"
#include "live/programs/programs.h"
#include "live/kernel/tracefs.h"
#include "live/programs/handler_maps.h"
#include "probe/code/graft.h"
#include "probe.skel.h"

#define SECTION "lkst_probe"
#define PROGRAM "probe__set"
#define FUNCTION "lkst_probe_fetch" /* whose body is replaced */

enum { LOG_BYTES = 1 << 20 };

/* ---- preemption ------------------------------------------------------------------------------- */

/* Whether the mode that the kernel runs in now, of those that it can change between, lets it preempt itself. */
static bool is_full_now(void)
{
	_cleanup_close_ int debugfs = lkst_debugfs_open(NULL);
	char text[128] = "";
	_cleanup_close_ int fd = -1;

	if (debugfs < 0)
		return true;
	fd = openat(debugfs, "sched/preempt", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return true;
	return !strstr(text, "(none)") && !strstr(text, "(voluntary)");
}

/* The kernel says how it was built in its version: init/version.c, and PREEMPT_DYNAMIC in kernel/sched/debug.c. */
static bool preempts_itself(void)
{
	struct utsname u;

	if (uname(&u))
		return true;
	if (strstr(u.version, "PREEMPT_DYNAMIC"))
		return is_full_now();
	return strstr(u.version, "PREEMPT") != NULL;
}

int lkst_probe_check_preemption(struct lkst_err *e, bool *ret_is_preemptible)
{
	_cleanup_(lkst_kernel_closep) struct lkst_kernel *kernel = NULL;
	int err;

	*ret_is_preemptible = false;
	err = lkst_kernel_open(e, NULL, &kernel);
	if (err)
		return err;
	if (lkst_kernel_has_function(kernel, "bpf_preempt_disable")) {
		*ret_is_preemptible = true;
		return 0;
	}
	if (!preempts_itself())
		return 0;
	return lkst_err_set(
		e, -ENOTSUP,
		"this kernel may preempt a program at a probe of a program's code, and lets it not "
		"prevent that, as Linux 6.10 and later do");
}

bool lkst_probe_multi_is_preemptible(void)
{
	_cleanup_(lkst_kernel_closep) struct lkst_kernel *kernel = NULL;

	/* Up to Linux 6.13 a struct fprobe has a rethook, whose trampoline prevents it. */
	return !lkst_kernel_open(NULL, NULL, &kernel) &&
	       lkst_kernel_has_function(kernel, "bpf_preempt_disable") &&
	       !lkst_kernel_has_member(kernel, "fprobe", "rethook");
}

/* ---- putting it together ---------------------------------------------------------------------- */

/* What is done just before the kernel gets the program, and what it refers to. */
struct grafting {
	const struct lkst_probe_row *row;
	const struct btf *btf;
	bool has_no_types; /* all functions are static then */
	struct bpf_func_info *functions;
	struct lkst_err why;
};

static const char *probe_load_name_of(const struct grafting *g, const struct bpf_func_info *function)
{
	const struct btf_type *type = btf__type_by_id(g->btf, function->type_id);

	return type ? btf__name_by_offset(g->btf, type->name_off) ?: "" : "";
}

/* The functions of the program, in the order of their places. */
static int take_functions(struct grafting *g, const struct bpf_prog_load_opts *options)
{
	u32 i;

	free(g->functions);
	g->functions = calloc(options->func_info_cnt + 1, sizeof(*g->functions));
	if (!g->functions || options->func_info_rec_size < sizeof(*g->functions))
		return -ENOMEM;
	for (i = 0; i < options->func_info_cnt; i++)
		memcpy(&g->functions[i],
		       (const char *)options->func_info + (size_t)i * options->func_info_rec_size,
		       sizeof(*g->functions));
	return 0;
}

static void find_function(const struct grafting *g, u32 nr_functions, u32 nr_insns,
			  struct lkst_graft *graft)
{
	u32 i;

	graft->begin = graft->end = 0;
	for (i = 0; i < nr_functions; i++) {
		if (strcmp(probe_load_name_of(g, &g->functions[i]), FUNCTION))
			continue;
		graft->begin = g->functions[i].insn_off;
		graft->end = i + 1 < nr_functions ? g->functions[i + 1].insn_off : nr_insns;
	}
}

/* The kernel gets the places of functions that have moved, and no lines. */
static void probe_load_describe(struct grafting *g, const struct lkst_graft *graft,
				struct bpf_prog_load_opts *options)
{
	u32 i;

	options->line_info = NULL;
	options->line_info_cnt = 0;
	if (g->has_no_types)
		options->func_info_cnt = 0;
	for (i = 0; i < options->func_info_cnt; i++)
		g->functions[i].insn_off = lkst_graft_moved(graft, g->functions[i].insn_off);
	options->func_info = options->func_info_cnt ? g->functions : NULL;
	options->func_info_rec_size = sizeof(*g->functions);
}

static int probe_load_prepare(struct bpf_program *program, struct bpf_prog_load_opts *options, long cookie)
{
	struct grafting *g = (struct grafting *)cookie;
	struct lkst_graft graft = { .body = g->row->insns, .nr_body = g->row->nr_insns };
	_cleanup_free_ struct bpf_insn *insns = NULL;
	u32 nr;
	int err = take_functions(g, options);

	if (err)
		return lkst_err_sys(&g->why, err, "putting the probe's program together");
	find_function(g, options->func_info_cnt, (u32)bpf_program__insn_cnt(program), &graft);
	err = lkst_graft(&g->why, &graft, bpf_program__insns(program),
			 (u32)bpf_program__insn_cnt(program), &insns, &nr);
	if (err)
		return err;
	probe_load_describe(g, &graft, options);
	return bpf_program__set_insns(program, insns, nr);
}

/* ---- loading ---------------------------------------------------------------------------------- */

static void probe_load_guard_object(struct bpf_object **object)
{
	bpf_object__close(*object);
}

static int set_constant(struct lkst_err *e, struct bpf_object *object, const char *name,
			const void *value, size_t size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	size_t room = 0;
	void *to = map ? (void *)bpf_map__initial_value(map, &room) : NULL;

	if (!to || room != size)
		return lkst_err_set(e, -EINVAL, "this program was built without %s", name);
	memcpy(to, value, size);
	return 0;
}

/* The probe has an element for each CPU. */
static int make_room(struct lkst_err *e, const struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, LKST_PROBE_CPUS_MAP);
	int nr = libbpf_num_possible_cpus();

	return nr > 0 && map && !bpf_map__set_max_entries(map, (u32)nr)
		       ? 0
		       : lkst_err_set(e, -EINVAL, "the number of CPUs is not known");
}

static int probe_load_share_maps(struct lkst_err *e, struct bpf_object *object,
				 const struct lkst_probe_loading *l)
{
	static const struct lkst_shared_map maps[] = {
		{ "lkst_mem", "memory" },
		{ ".data.control", "control" },
		{ "lkst_filter", "filter" },
		{ "lkst_idle", "idle" },
		{},
	};
	const struct lkst_shared_map *m;
	char pin[LKST_PROBE_PIN_MAX];
	int err = 0;

	for (m = maps; m->map && !err; m++)
		err = lkst_handler_share(e, l->own, object, m->map, m->pin);
	err = err ?: lkst_handler_share_claims(e, l->own, object);
	lkst_probe_pin(l->event, LKST_PROBE_CPUS_PIN, pin);
	if (!err && l->handler != LKST_HANDLER_DEFAULT)
		return lkst_handler_share(e, l->own, object, LKST_PROBE_CPUS_MAP, pin);
	return err ?: make_room(e, object);
}

/* The handler's own maps are those that it has already. */
static int share_handlers_maps(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object,
			       u8 handler)
{
	_cleanup_(probe_load_guard_object) struct bpf_object *base = NULL;
	size_t size;
	const void *bytes = lkst_programs_elf(&size);

	base = bpf_object__open_mem(bytes, size, NULL);
	return base ? lkst_handler_share_maps(e, own, object, base, handler)
		    : lkst_err_sys(e, -errno, "opening the recorder's programs");
}

static int open_object(struct lkst_err *e, const struct lkst_probe_loading *l,
		       struct bpf_object **ret_object)
{
	size_t size;
	const void *bytes = probe_bpf__elf_bytes(&size);

	lkst_programs_quiet();
	if (l->file)
		return lkst_link_open(e, l->file, bytes, size, false, ret_object);
	*ret_object = bpf_object__open_mem(bytes, size, NULL);
	return *ret_object ? 0 : lkst_err_sys(e, -errno, "opening the program of probes");
}

/* Chooses the one program of the object, tells it what it is for, and gives it its maps. */
static int probe_load_set_up(struct lkst_err *e, struct bpf_object *object, const struct lkst_probe_loading *l,
			     char *log)
{
	struct bpf_program *program;
	int err;

	bpf_object__for_each_program(program, object)
		bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), PROGRAM));
	program = bpf_object__find_program_by_name(object, PROGRAM);
	if (!program || bpf_program__set_log_buf(program, log, LOG_BYTES))
		return lkst_err_set(e, -EINVAL,
				    "this program was built without its program of probes");
	err = set_constant(e, object, LKST_PROBE_PLAN_MAP, &l->row->plan, sizeof(l->row->plan));
	err = err ?:
	      lkst_handler_configure(e, l->own, object, l->handler, l->has_names) ?:
	      probe_load_share_maps(e, object, l);
	return err || !l->file ? err : share_handlers_maps(e, l->own, object, l->handler);
}

/* One try; with @has_no_types the kernel takes all functions for static ones, which it may want. */
static int probe_load_try_to_load(struct lkst_err *e, const struct lkst_probe_loading *l, bool has_no_types,
				  bool *ret_wants_static, struct bpf_object **ret_object)
{
	struct grafting g = { .row = l->row, .has_no_types = has_no_types };
	LIBBPF_OPTS(libbpf_prog_handler_opts, options, .cookie = (long)&g,
		    .prog_prepare_load_fn = probe_load_prepare);
	_cleanup_free_ char *log = calloc(1, LOG_BYTES);
	int registered = lkst_prog_handler_register(
		    SECTION, l->row->watch ? BPF_PROG_TYPE_PERF_EVENT : BPF_PROG_TYPE_KPROBE,
		    l->row->is_multi ? BPF_TRACE_KPROBE_MULTI : 0, &options),
	    err;

	if (registered < 0 || !log)
		return lkst_err_sys(e, log ? registered : -ENOMEM, "preparing the probe's program");
	err = open_object(e, l, ret_object);
	err = err ?: probe_load_set_up(e, *ret_object, l, log);
	if (!err) {
		g.btf = bpf_object__btf(*ret_object);
		err = bpf_object__load(*ret_object);
		if (err && log[0]) {
			lkst_diag_log("%s", log);
			*ret_wants_static = lkst_link_wants_static(log);
			lkst_link_explain(e, log);
			lkst_err_add(e, "the kernel's verifier rejects the probe's program");
		} else if (err) {
			lkst_err_set(e, err, "%s", g.why.text[0] ? g.why.text : strerror(-err));
			lkst_err_add(e, "loading the probe's program");
		}
	}
	libbpf_unregister_prog_handler(registered);
	free(g.functions);
	return err;
}

/* The map that the programs of the probe share comes with the first. */
static int pin_cpus(struct lkst_err *e, const struct lkst_probe_loading *l,
		    struct bpf_object *object)
{
	char pin[LKST_PROBE_PIN_MAX];

	if (l->handler != LKST_HANDLER_DEFAULT)
		return 0;
	lkst_probe_pin(l->event, LKST_PROBE_CPUS_PIN, pin);
	return lkst_pins_put(e, l->own, bpf_object__find_map_fd_by_name(object, LKST_PROBE_CPUS_MAP), pin);
}

/*
 * A program that turns preemption off may call no global function meanwhile, up to Linux 6.14 (kernel/bpf/verifier.c,
 * check_func_call()). Without types all functions are static, at the price of a longer verification; why that is
 * rejected is then the reason.
 */
int lkst_probe_load(struct lkst_err *e, const struct lkst_probe_loading *l)
{
	_cleanup_(probe_load_guard_object) struct bpf_object *object = NULL;
	bool wants_static = false;
	int err = probe_load_try_to_load(e, l, false, &wants_static, &object), fd;

	if (err && wants_static) {
		bpf_object__close(object);
		object = NULL;
		err = probe_load_try_to_load(e, l, true, &wants_static, &object);
	}
	if (err)
		return lkst_floor_explain_probe(e, err);
	err = pin_cpus(e, l, object);
	if (err)
		return err;
	fd = dup(bpf_program__fd(bpf_object__find_program_by_name(object, PROGRAM)));
	return fd < 0 ? lkst_err_sys(e, -errno, "loading the probe's program") : fd;
}
