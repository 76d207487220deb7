/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that a probe at many functions is at. */
#include "live/probes/probe_functions.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/vec.h"
#include "live/hooks/probe_places.h"
#include "live/kernel/tracefs.h"
#include "probe/code/registers.h"
#include "probe/debuginfo/kallsyms.h"

enum {
	LINE_MAX_BYTES = 1024,
	NAME_ROOM = 512,   /* of a symbol: the kernel's KSYM_NAME_LEN */
	MODULE_ROOM = 128, /* of "[module]" */
	GLOBS_MAX = 256,
	MATCHES_MAX = 2 * LKST_PROBE_PLACES_MAX, /* names; some functions have two */
};

void lkst_probe_functions_fini(struct lkst_probe_functions *f)
{
	u32 i;

	for (i = 0; i < f->nr; i++)
		free(f->list[i].name);
	free(f->list);
	*f = (struct lkst_probe_functions){};
}

/* ---- which match ------------------------------------------------------------------------------ */

/* Globs that were one text. */
struct globs {
	char *text;
	u32 nr;
	struct {
		const char *glob;
		size_t literal; /* bytes before the first that stands for others */
	} list[GLOBS_MAX];
};

static int probe_functions_split(struct lkst_err *e, const char *text, struct globs *g)
{
	char *rest, *glob;

	g->text = rest = strdup(text);
	if (!g->text)
		return lkst_err_sys(e, -ENOMEM, "finding functions");
	while ((glob = strsep(&rest, ","))) {
		if (g->nr == GLOBS_MAX)
			return lkst_err_set(e, -E2BIG, "a probe has %d globs of functions at most",
					    GLOBS_MAX);
		g->list[g->nr].glob = glob;
		g->list[g->nr++].literal = strcspn(glob, "*?[\\");
	}
	return 0;
}

static bool matches(const struct globs *g, const char *name)
{
	u32 i;

	for (i = 0; i < g->nr; i++)
		if (!strncmp(g->list[i].glob, name, g->list[i].literal) &&
		    !fnmatch(g->list[i].glob, name, 0))
			return true;
	return false;
}

/*
 * What compilers and the kernel put beside functions is none: padding before one (__pfx_), its type (__cfi_), a part
 * that is rarely reached (.cold), and what was loaded as BPF or made by ftrace and kprobes.
 */
static bool is_function(const struct lkst_kallsyms_symbol *s, const char *name)
{
	return s->type && strchr("tTwW", s->type) && strncmp(name, "__pfx_", 6) &&
	       strncmp(name, "__cfi_", 6) && !strstr(name, ".cold") &&
	       !lkst_kallsyms_is_of(s, "bpf") &&
	       (s->module_length < 9 || strncmp(s->module, "__builtin", 9));
}

static int too_many(struct lkst_err *e)
{
	return lkst_err_set(e, -E2BIG,
			    "more than %d functions match, which is what one probe may be at",
			    LKST_PROBE_PLACES_MAX);
}

static int probe_functions_add(struct lkst_err *e, struct lkst_probe_functions *f, const char *name, u64 address)
{
	struct lkst_probe_function *item;

	if (!address)
		return lkst_err_set(e, -EPERM,
				    "the kernel hides the addresses of its functions "
				    "(kernel.kptr_restrict)");
	if (f->nr == MATCHES_MAX)
		return too_many(e);
	item = lkst_vec_add(f->list, f->nr);
	if (!item)
		return lkst_err_sys(e, -ENOMEM, "finding functions");
	item->address = address;
	item->name = strdup(name);
	return item->name ? 0 : lkst_err_sys(e, -ENOMEM, "finding functions");
}

static int by_address(const void *a, const void *b)
{
	const struct lkst_probe_function *f = a, *g = b;

	return f->address < g->address ? -1 : f->address > g->address;
}

/* A function may have several names. */
static void probe_functions_sort(struct lkst_probe_functions *f)
{
	u32 i, nr = 0;

	if (f->nr)
		qsort(f->list, f->nr, sizeof(f->list[0]), by_address);
	for (i = 0; i < f->nr; i++)
		if (nr && f->list[nr - 1].address == f->list[i].address)
			free(f->list[i].name);
		else
			f->list[nr++] = f->list[i];
	f->nr = nr;
}

/* Whether it returns what is asked for; counts what is left out. */
static bool probe_functions_is_wanted(const struct lkst_probe_choice *choice, const char *name, const char *in,
				      struct lkst_probe_functions *f)
{
	enum lkst_returns_kind kind;

	if (!choice->returns)
		return true;
	kind = choice->returns(choice->ctx, name, in);
	f->nr_no_error += kind == LKST_RETURNS_NO_ERROR;
	f->nr_unknown += kind == LKST_RETURNS_UNKNOWN;
	if (choice->kind == LKST_RETURNS_EITHER)
		return kind == LKST_RETURNS_INT || kind == LKST_RETURNS_LONG;
	return kind == choice->kind;
}

/* There is none, though @nr_named names match. */
static int refuse_none(struct lkst_err *e, const struct lkst_probe_functions *f, u32 nr_named)
{
	if (!nr_named)
		return lkst_err_set(e, -ENOENT, "no function matches");
	if (!f->nr_unknown)
		return lkst_err_set(e, -ENOENT,
				    "no function that matches returns such errors, by its type");
	return lkst_err_set(
		e, -ENOENT,
		"no function that matches is known to return such errors; BTF does not tell "
		"what %u of the %u return",
		f->nr_unknown, nr_named);
}

static int probe_functions_read_all(struct lkst_err *e, FILE *kallsyms, const struct globs *g,
				    const struct lkst_probe_choice *choice, struct lkst_probe_functions *f)
{
	const char *module = choice->module;
	char line[LINE_MAX_BYTES], in[MODULE_ROOM], *name;
	struct lkst_kallsyms_symbol s;
	const char *at;
	u32 nr_named = 0;
	int err = 0;

	while (!err && fgets(line, sizeof(line), kallsyms)) {
		at = line;
		if (!lkst_kallsyms_next(&at, &s) || !s.type)
			continue;
		name = line + (s.name - line);
		name[s.name_length] = 0;
		if ((module && !lkst_kallsyms_is_of(&s, module)) || !is_function(&s, name) ||
		    !matches(g, name))
			continue;
		in[0] = 0;
		if (s.module_length)
			snprintf(in, sizeof(in), "[%.*s]", (int)s.module_length, s.module);
		nr_named++;
		if (probe_functions_is_wanted(choice, name, in, f))
			err = probe_functions_add(e, f, name, s.address);
	}
	probe_functions_sort(f);
	if (!err && f->nr > LKST_PROBE_PLACES_MAX)
		err = too_many(e);
	return err || f->nr ? err : refuse_none(e, f, nr_named);
}

int lkst_probe_functions_read(struct lkst_err *e, FILE *kallsyms,
			      const struct lkst_probe_choice *choice,
			      struct lkst_probe_functions *ret)
{
	struct globs g = {};
	int err;

	*ret = (struct lkst_probe_functions){};
	err = probe_functions_split(e, choice->globs, &g) ?: probe_functions_read_all(e, kallsyms, &g, choice, ret);
	free(g.text);
	if (err)
		lkst_probe_functions_fini(ret);
	return err;
}

/* ---- which can be probed ---------------------------------------------------------------------- */

/* The functions by their names. */
struct named {
	struct lkst_probe_function *function;
	u32 nr_lines; /* that name it */
	bool is_kept;
};

static int probe_functions_by_name(const void *a, const void *b)
{
	const struct named *f = a, *g = b;

	return strcmp(f->function->name, g->function->name);
}

/* An array for the caller to free(); NULL: no memory. */
static struct named *probe_functions_sort_names(struct lkst_probe_functions *f)
{
	struct named *names = calloc(f->nr + 1, sizeof(*names));
	u32 i;

	for (i = 0; names && i < f->nr; i++)
		names[i].function = &f->list[i];
	if (names)
		qsort(names, f->nr, sizeof(*names), probe_functions_by_name);
	return names;
}

/* The first of those that are called @name; NULL: none is. */
static struct named *probe_functions_find(struct named *names, u32 nr, const char *name)
{
	u32 low = 0, high = nr;

	while (low < high) {
		u32 middle = (low + high) / 2;

		if (strcmp(names[middle].function->name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < nr && !strcmp(names[low].function->name, name) ? &names[low] : NULL;
}

/* Counts for the first function of each name how often @f, in the format @format, names it. */
static void count_lines(struct named *names, u32 nr, FILE *f, const char *format)
{
	char line[LINE_MAX_BYTES], name[NAME_ROOM];

	while (fgets(line, sizeof(line), f)) {
		struct named *first =
			sscanf(line, format, name) == 1 ? probe_functions_find(names, nr, name) : NULL;

		if (first)
			first->nr_lines++;
	}
}

void lkst_probe_functions_refuse(struct lkst_probe_functions *f, FILE *blacklist)
{
	_cleanup_free_ struct named *names = probe_functions_sort_names(f);
	u32 i;

	if (!names)
		return;
	count_lines(names, f->nr, blacklist, "%*s %511s");
	for (i = 0; i < f->nr; i++)
		names[i].function->is_refused |=
			probe_functions_find(names, f->nr, names[i].function->name)->nr_lines > 0;
}

bool lkst_probe_functions_keep(struct lkst_probe_functions *f, FILE *traceable, bool is_strict)
{
	_cleanup_free_ struct named *names = probe_functions_sort_names(f);
	u32 i, end, k, nr = 0;

	if (!names)
		return false;
	count_lines(names, f->nr, traceable, "%511s");
	for (i = 0; i < f->nr; i = end) {
		for (end = i + 1; end < f->nr && !probe_functions_by_name(&names[i], &names[end]); end++)
			;
		for (k = i; k < end; k++) {
			names[k].is_kept = names[i].nr_lines >= (is_strict ? end - i : 1);
			nr += names[k].is_kept && !names[k].function->is_refused;
		}
	}
	for (i = 0; i < f->nr && nr; i++)
		names[i].function->is_refused |= !names[i].is_kept;
	return nr;
}

/* ---- one link --------------------------------------------------------------------------------- */

static bool is_given(const char *name, bool is_return)
{
	enum lkst_machine machine = lkst_machine_own();
	int offset = lkst_register_find(machine, name);
	u64 number;

	if (is_return)
		return offset == lkst_register_result(machine);
	for (number = 1; lkst_register_argument(machine, number) >= 0; number++)
		if (lkst_register_argument(machine, number) == offset)
			return true;
	return offset == lkst_register_sp(machine);
}

static bool probe_functions_fits(const struct lkst_fetch *f, bool is_return)
{
	if (!f)
		return true;
	switch (f->op) {
	case LKST_FETCH_REGISTER:
		return f->text && is_given(f->text, is_return);
	case LKST_FETCH_STACK:
	case LKST_FETCH_STACK_N:
	case LKST_FETCH_BACKTRACE:
		return !is_return;
	default:
		return probe_functions_fits(f->base, is_return) && probe_functions_fits(f->index, is_return);
	}
}

bool lkst_probe_functions_fit_multi(const struct lkst_probe *probe)
{
	u32 i;

	for (i = 0; i < probe->nr_args; i++)
		if (!probe_functions_fits(probe->args[i].fetch, probe->place.is_return))
			return false;
	return true;
}

/* ---- of the running kernel -------------------------------------------------------------------- */

/* Takes over @directory. NULL: there is no such file. */
static FILE *open_below(int directory, const char *path)
{
	_cleanup_close_ int dir = directory;
	int fd = dir < 0 ? -1 : openat(dir, path, O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");

	if (!f && fd >= 0)
		close(fd);
	return f;
}

static const struct lkst_probe_function *probe_functions_first_of(const struct lkst_probe_functions *f)
{
	u32 i;

	for (i = 0; i < f->nr; i++)
		if (!f->list[i].is_refused)
			return &f->list[i];
	return NULL;
}

/*
 * Refuses those that ftrace does not know. Whether one link can attach @probe at the others; it must know each of them
 * for sure.
 */
static bool choose_multi(const struct lkst_probe *probe, struct lkst_probe_functions *f)
{
	_cleanup_fclose_ FILE *traceable =
		open_below(lkst_tracefs_open(NULL), "available_filter_functions");
	const struct lkst_probe_function *first;

	if (!traceable)
		return false;
	first = lkst_probe_functions_keep(f, traceable, false) ? probe_functions_first_of(f) : NULL;
	if (!first || !lkst_probe_functions_fit_multi(probe) ||
	    !lkst_probe_places_has_multi(first->address))
		return false;
	rewind(traceable);
	return lkst_probe_functions_keep(f, traceable, true);
}

static int probe_functions_take(struct lkst_err *e, const struct lkst_probe_functions *f,
				struct lkst_probe_functions_found *ret)
{
	_cleanup_free_ u64 *addresses = calloc(f->nr, sizeof(*addresses));
	u32 i, nr = 0;

	if (!addresses)
		return lkst_err_sys(e, -ENOMEM, "finding functions");
	for (i = 0; i < f->nr; i++)
		if (!f->list[i].is_refused)
			addresses[nr++] = f->list[i].address;
	if (!nr)
		return lkst_err_set(e, -EPERM,
				    "the kernel lets nobody set a probe in any function that "
				    "matches");
	ret->addresses = lkst_take(addresses);
	ret->nr = nr;
	ret->nr_matched = f->nr;
	ret->nr_no_error = f->nr_no_error;
	ret->nr_unknown = f->nr_unknown;
	return 0;
}

enum lkst_returns_kind lkst_probe_functions_kind(const struct lkst_probe *probe)
{
	u32 i;

	if (strcmp(probe->group, LKST_ERRORS_GROUP))
		return LKST_RETURNS_UNKNOWN;
	if (!probe->place.is_return)
		return LKST_RETURNS_EITHER;
	for (i = 0; i < probe->nr_args; i++)
		if (!strcmp(probe->args[i].name, LKST_ERRORS_RET) &&
		    probe->args[i].type.form == LKST_FORM_SIGNED && !probe->args[i].type.count)
			return probe->args[i].type.size == 4   ? LKST_RETURNS_INT
			       : probe->args[i].type.size == 8 ? LKST_RETURNS_LONG
							       : LKST_RETURNS_UNKNOWN;
	return LKST_RETURNS_UNKNOWN;
}

static enum lkst_returns_kind find_returns(void *ctx, const char *name, const char *in)
{
	return lkst_function_returns_find(ctx, name, in);
}

int lkst_probe_functions_find(struct lkst_err *e, const struct lkst_probe *probe,
			      struct lkst_probe_functions_found *ret)
{
	_cleanup_(lkst_function_returns_freep) struct lkst_function_returns *returns = NULL;
	_cleanup_(lkst_probe_functions_fini) struct lkst_probe_functions f = {};
	_cleanup_fclose_ FILE *kallsyms = fopen("/proc/kallsyms", "re");
	_cleanup_fclose_ FILE *blacklist = open_below(lkst_debugfs_open(NULL), "kprobes/blacklist");
	struct lkst_probe_choice choice = { .globs = probe->place.symbol,
					    .module = probe->place.module,
					    .kind = lkst_probe_functions_kind(probe) };
	int err = 0;

	if (!kallsyms)
		return lkst_err_sys(e, -errno, "reading /proc/kallsyms");
	if (choice.kind != LKST_RETURNS_UNKNOWN)
		err = lkst_function_returns_new(e, &returns);
	choice.returns = returns ? find_returns : NULL;
	choice.ctx = returns;
	err = err ?: lkst_probe_functions_read(e, kallsyms, &choice, &f);
	if (err)
		return err;
	if (blacklist)
		lkst_probe_functions_refuse(&f, blacklist);
	ret->is_multi = choose_multi(probe, &f);
	return probe_functions_take(e, &f, ret);
}
