/* SPDX-License-Identifier: GPL-2.0-only */
/* Where an export is written, and what becomes of it if it fails. */
#include "export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/create.h"
#include "base/diag.h"
#include "export/export_format.h"

/* ---- what is asked for ----------------------------------------------------------------------- */

int lkst_export_check(struct lkst_err *e, const struct lkst_export_request *request)
{
	const struct lkst_export_format *f = lkst_export_format(request->format);
	const struct lkst_select_options *w = &request->which;

	if (w->nr_events && !(f->filters & LKST_EXPORT_BY_EVENT))
		return lkst_err_set(e, -EINVAL,
				    "--event is for formats of events, and %s is not one", f->name);
	if ((w->has_tid || w->has_pid || w->comm || w->cgroup) &&
	    !(f->filters & LKST_EXPORT_BY_THREAD))
		return lkst_err_set(e, -EINVAL,
				    "%s has all threads: --tid, --pid, --comm and --cgroup do not "
				    "go with it",
				    f->name);
	if (w->has_cpu && !(f->filters & LKST_EXPORT_BY_CPU))
		return lkst_err_set(e, -EINVAL, "%s has all CPUs: --cpu does not go with it",
				    f->name);
	if (!request->path && f->is_directory)
		return lkst_err_set(e, -EINVAL,
				    "%s is a directory of files, which standard output cannot "
				    "take; name one by --output",
				    f->name);
	return 0;
}

/* ---- the work -------------------------------------------------------------------------------- */

static int export_add_length(struct lkst_err *e, void *ctx, const struct lkst_memory_file *file)
{
	u64 *bytes = ctx;

	*bytes += file->length;
	return 0;
}

static u64 export_max_u64(u64 a, u64 b)
{
	return a > b ? a : b;
}

static void export_find_limited(struct lkst_export *x)
{
	bool wants[LKST_EVENT_SPACE] = {};
	u32 id;

	for (id = 0; id < LKST_EVENT_SPACE; id++)
		wants[id] = x->catalog->classes[id] && lkst_select_has_event(x->select, x->catalog->classes[id]);
	if (!lkst_limited_is(x->limited, wants, x->begin_ns, x->end_ns, x->result.limited))
		x->result.limited[0] = '\0';
}

/* Sets @x for all but where it writes to. */
static int export_prepare(struct lkst_err *e, const struct lkst_export_request *request,
			  struct lkst_export *x)
{
	const struct lkst_select_options *w = &request->which;
	int err;

	*x = (struct lkst_export){
		.request = request,
		.trace = request->trace,
		.catalog = lkst_trace_catalog(request->trace),
		.from_ns = w->from_ns,
		.to_ns = w->has_to ? w->to_ns : UINT64_MAX,
		.threads = lkst_threads_new(),
		.symbols = lkst_symbols_new(),
		.code = { lkst_mappings_new(), request->namer },
		.dir_fd = -1,
	};
	if (!x->threads || !x->symbols || !x->code.mappings)
		return lkst_err_sys(e, -ENOMEM, "exporting");
	lkst_trace_range(x->trace, &x->begin_ns, &x->end_ns);
	x->begin_ns = export_max_u64(x->begin_ns, x->from_ns);
	x->end_ns = export_max_u64(x->end_ns < x->to_ns ? x->end_ns : x->to_ns, x->begin_ns);
	err = lkst_select_new(e, x->catalog, x->threads, w, &x->select)
		      ?: lkst_symbols_load(e, x->symbols, x->trace)
		      ?: lkst_mappings_load(e, x->code.mappings, x->trace)
		      ?: lkst_limited_new(e, x->trace, &x->limited);
	if (!err)
		export_find_limited(x);
	return err ? err : lkst_trace_each_file(e, x->trace, export_add_length, &x->total_bytes);
}

static void export_fini(struct lkst_export *x)
{
	lkst_select_free(x->select);
	lkst_threads_free(x->threads);
	lkst_symbols_free(x->symbols);
	lkst_mappings_free(x->code.mappings);
	lkst_limited_free(x->limited);
}

/* Has the format write, and says what went wrong if only this knows it. */
static int export_work(struct lkst_err *e, struct lkst_export *x, const struct lkst_export_format *f)
{
	const volatile sig_atomic_t *stop = x->request->stop;
	struct lkst_err own = {};
	int err = f->write(&own, x);

	if (x->has_shown)
		lkst_diag_progress(NULL, 0, 0);
	if (stop && *stop)
		return lkst_err_set(e, -EINTR, "it was stopped");
	if (!err && x->out)
		lkst_out_flush(x->out);
	if (x->out && x->out->error)
		return lkst_err_sys(e, x->out->error, "writing %s",
				    x->request->path ?: "to standard output");
	if (err)
		return own.text[0] ? lkst_err_set(e, err, "%s", own.text)
				   : lkst_err_sys(e, err, "exporting");
	return 0;
}

static int write_fd(struct lkst_err *e, struct lkst_export *x, const struct lkst_export_format *f,
		    int fd)
{
	_cleanup_free_ struct lkst_out *out = malloc(sizeof(*out));
	int err;

	if (!out)
		return lkst_err_sys(e, -ENOMEM, "exporting");
	lkst_out_init(out, fd);
	x->out = out;
	err = export_work(e, x, f);
	x->out = NULL;
	return err;
}

static int export_write_file(struct lkst_err *e, struct lkst_export *x, const struct lkst_export_format *f)
{
	_cleanup_(lkst_new_file_fini) struct lkst_new_file file = { .dir_fd = -1, .fd = -1 };
	struct stat st = {};
	int err = lkst_check_replaceable(e, x->request->path)
			  ?: lkst_new_file_open(e, x->request->access, AT_FDCWD, x->request->path, &file)
			  ?: write_fd(e, x, f, file.fd);

	if (err)
		return err;
	fstat(file.fd, &st);
	x->result.bytes = (u64)st.st_size;
	return lkst_new_file_place(e, &file);
}

static int write_dir(struct lkst_err *e, struct lkst_export *x, const struct lkst_export_format *f)
{
	_cleanup_(lkst_new_dir_fini) struct lkst_new_dir dir = { .parent_fd = -1, .fd = -1 };
	int err = lkst_new_dir_open(e, x->request->access, AT_FDCWD, x->request->path, &dir);

	if (err)
		return err;
	x->dir_fd = dir.fd;
	return export_work(e, x, f) ?: lkst_new_dir_place(e, &dir);
}

int lkst_export_run(struct lkst_err *e, const struct lkst_export_request *request,
		    struct lkst_export_result *ret_result)
{
	const struct lkst_export_format *f = lkst_export_format(request->format);
	_cleanup_(export_fini) struct lkst_export x = {};
	int err = lkst_export_check(e, request) ?: export_prepare(e, request, &x);

	if (err)
		return err;
	if (!request->path)
		err = write_fd(e, &x, f, request->fd);
	else
		err = f->is_directory ? write_dir(e, &x, f) : export_write_file(e, &x, f);
	*ret_result = x.result;
	return err;
}

int lkst_export_send(struct lkst_err *e, const struct lkst_export_request *request,
		     const struct lkst_export_format *f, void *ctx,
		     struct lkst_export_result *ret_result)
{
	_cleanup_(export_fini) struct lkst_export x = {};
	int err = export_prepare(e, request, &x);

	if (err)
		return err;
	x.ctx = ctx;
	err = export_work(e, &x, f);
	*ret_result = x.result;
	return err;
}
