/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Watching for errors: a recording, probes in it, and a trace of what comes while something runs. A process beside this
 * one, the keeper, takes back what was set if this one is killed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abi/syscalls.h"
#include "base/cleanup.h"
#include "base/time.h"
#include "cmd/probe/errors.h"
#include "cmd/recorders/child.h"
#include "cmd/recorders/recording.h"
#include "cmd/recorders/streaming.h"
#include "cmd/recorders/verbs.h"
#include "live/hooks/pins.h"
#include "live/hooks/probe_places.h"
#include "live/probes/error_probes.h"
#include "live/probes/probe_kernel.h"

enum {
	GLOBS_MAX_LENGTH = LKST_PROBE_SYMBOL_MAX,
	NAMES_MAX =
		100, /* recordings that may be joined at once by this command, or were and left probes */
};

/*
 * The functions that system calls go through, in order: where they are too many for one probe, the last are left out.
 * Where each function needs a kprobe of its own, which takes long to set, there are only the first.
 */
#define FEW                                                                                        \
	"ksys_*,do_sys_open*,do_filp_open,path_openat,link_path_walk*,walk_component*,"            \
	"may_open*,inode_permission,generic_permission,filename_lookup*,path_lookupat*,vfs_*"
#define MANY                                                                                       \
	FEW ",__x64_sys_*,__arm64_sys_*,__do_sys_*,__sys_*,do_*,path_*,filename_*,user_path*,"     \
	    "lookup_*,may_*,step_into*,open_last_lookups*,security_*,sock_*,inet_*,unix_*,"        \
	    "generic_*,shmem_*,kern*,copy_*,mm_*,ptrace_*,kernfs_*,proc_*"

/* What there is to take back; the keeper sees it, too. */
struct set_up {
	bool is_own;		     /* this command has started the recording */
	char name[LKST_ERRORS_NAME]; /* of the probes; "": none are set */
};

struct errors_watch {
	struct lkst_err *e;
	const struct lkst_errors_options *o;
	struct lkst_session *s; /* while records are taken */
	struct lkst_streaming_options files;
	struct lkst_streaming streaming;
	struct lkst_child child;
	struct set_up *set_up;
};

/* ---- taking back ------------------------------------------------------------------------------ */

static int remove_probes(struct lkst_err *e, const char *name)
{
	struct lkst_job job = { .e = e, .turn.lock = -1 };
	int err = lkst_job_open(&job, LKST_TURN_CHANGE) ?: lkst_error_probes_remove(e, job.s, name);

	lkst_job_close(&job);
	lkst_notes_fini(&job.notes);
	return err == -ENOENT ? 0 : err;
}

static int errors_watch_take_back(struct lkst_err *e, struct set_up *u)
{
	static const char *const stop[] = { "--quiet", NULL };
	int err = 0;

	if (u->name[0] && !u->is_own)
		err = remove_probes(e, u->name);
	u->name[0] = 0;
	if (u->is_own)
		err = lkst_cmd_run(e, &lkst_cmd_stop, stop);
	u->is_own = false;
	return err;
}

/* The process that takes back what was set when this one is gone. */
struct keeper {
	pid_t pid;
	int pipe; /* its end closes with this process; a byte says that there is nothing to do */
};

static int start_keeper(struct lkst_err *e, struct set_up *u, struct keeper *k)
{
	struct lkst_err ignored = {};
	int ends[2];
	char done;

	if (pipe2(ends, O_CLOEXEC))
		return lkst_err_sys(e, -errno, "watching");
	k->pid = fork();
	if (k->pid < 0) {
		lkst_err_sys(e, -errno, "watching");
		close(ends[0]);
		close(ends[1]);
		return -EAGAIN;
	}
	if (k->pid) {
		close(ends[0]);
		k->pipe = ends[1];
		return 0;
	}
	/* What ends the command from its terminal must not end this. */
	setsid();
	close(ends[1]);
	if (read(ends[0], &done, 1) != 1)
		errors_watch_take_back(&ignored, u);
	_exit(0);
}

static void end_keeper(struct keeper *k)
{
	if (!k->pid)
		return;
	if (write(k->pipe, "", 1) != 1)
		errno = 0; /* it is gone, and can't be told */
	close(k->pipe);
	waitpid(k->pid, NULL, 0);
}

/* ---- setting up ------------------------------------------------------------------------------- */

/* Starts a recording if there is none. */
static int start_recording(struct errors_watch *w)
{
	static const char *const start[] = {
		"--quiet",  "--no-helper",
		"--budget", "none",
		"--buffer", "16M",
		"--event",  "syscall:*",
		"--event",  "sched_process_fork",
		"--event",  "sched_process_exec",
		"--event",  "sched_process_exit",
		"--event",  "task_rename",
		NULL,
	};
	int err;

	if (lkst_pins_exist())
		return 0;
	/* If this is killed meanwhile, what has been begun is to be ended. */
	w->set_up->is_own = true;
	err = lkst_cmd_run(w->e, &lkst_cmd_start, start);
	if (err)
		w->set_up->is_own = false;
	/* Another command may have been faster. */
	return err == -EBUSY ? 0 : err;
}

static int add_globs(struct lkst_err *e, char globs[GLOBS_MAX_LENGTH], const char *more)
{
	size_t used = strlen(globs);
	int n = snprintf(globs + used, GLOBS_MAX_LENGTH - used, "%s%s", used ? "," : "", more);

	if (used + (size_t)n < GLOBS_MAX_LENGTH)
		return 0;
	return lkst_err_set(e, -E2BIG, "--path has more than %d characters", GLOBS_MAX_LENGTH - 1);
}

/*
 * Adds the functions that are called after the system calls that the user asks for, as far as there is room before
 * @more. A call that is implemented under another name is found by the functions that all go through.
 */
static void add_calls(const char *call, const char *more, char globs[GLOBS_MAX_LENGTH])
{
	char text[GLOBS_MAX_LENGTH];
	unsigned int i;

	for (i = 0; i < lkst_nr_syscalls; i++) {
		const struct lkst_syscall *row = &lkst_syscalls[i];

		if (row->is_compat || !row->name || fnmatch(call, row->name, 0))
			continue;
		snprintf(text, sizeof(text), "*sys_%s,do_%s*,security_%s*", row->name, row->name,
			 row->name);
		if (strlen(globs) + strlen(text) + strlen(more) + sizeof(",,") > GLOBS_MAX_LENGTH)
			return;
		add_globs(NULL, globs, text);
	}
}

/* Whether one link sets a probe at many functions. */
static bool has_multi(void)
{
	u64 address;

	return !lkst_kernel_find_symbol(NULL, "vfs_read", &address) &&
	       lkst_probe_places_has_multi(address);
}

static int choose_functions(struct errors_watch *w, char globs[GLOBS_MAX_LENGTH])
{
	const struct lkst_list *given = &w->o->functions;
	const char *usual = w->o->module ? "*" : has_multi() ? MANY : FEW;
	unsigned int i;
	int err = 0;

	globs[0] = 0;
	if (!given->nr && w->o->call && !w->o->module)
		add_calls(w->o->call, usual, globs);
	if (!given->nr)
		return add_globs(w->e, globs, usual);
	for (i = 0; i < given->nr && !err; i++)
		err = add_globs(w->e, globs, given->items[i]);
	return err;
}

/* Tries names until one is free: several of these commands may be at work. */
static int set_named(struct errors_watch *w, struct lkst_job *job, const char *globs,
		     struct lkst_error_probes *p)
{
	unsigned int i;
	int err = -EEXIST;

	for (i = 0; i < NAMES_MAX && err == -EEXIST; i++) {
		*p = (struct lkst_error_probes){ .has_args = w->o->with_arguments };
		snprintf(p->name, sizeof(p->name), i ? "run_%u" : "run", i);
		if (lkst_error_probes_are_set(job->s, p->name))
			continue;
		/* From here on there may be something to take back. */
		memcpy(w->set_up->name, p->name, sizeof(p->name));
		err = lkst_error_probes_set(w->e, job->s, w->o->module, globs, &job->notes, p);
		if (err)
			w->set_up->name[0] = 0;
	}
	return err;
}

/* Where too many functions match, those of the last globs are left out, unless the user has named them. */
static int set_fitting(struct errors_watch *w, struct lkst_job *job, char globs[GLOBS_MAX_LENGTH],
		       struct lkst_error_probes *p)
{
	int err = set_named(w, job, globs, p);
	char *comma;

	while (err == -E2BIG && !w->o->functions.nr && (comma = strrchr(globs, ','))) {
		*comma = 0;
		err = set_named(w, job, globs, p);
	}
	return err;
}

static void say_watched(const struct errors_watch *w, const struct lkst_error_probes *p)
{
	char text[LKST_ERROR_PROBES_TEXT];

	if (!w->o->quiet)
		lkst_print_message(stderr, "watching %s", lkst_error_probes_text(p, text));
}

/* Says if the recording that is joined does not have the calls. */
static void note_calls(const struct errors_watch *w, struct lkst_job *job)
{
	const struct lkst_event_class *event =
		lkst_catalog_find(lkst_session_catalog(job->s), "syscall_exit_openat");
	const struct lkst_control *c = job->c;

	if (!w->set_up->is_own &&
	    (!event || lkst_route_handler(c->route[c->active][event->id]) == LKST_HANDLER_NOTHING))
		lkst_notes_add(
			&job->notes,
			"The active maskset, %s, does not record all system calls: those that "
			"it leaves out are not shown.",
			c->name[c->active]);
}

static int errors_watch_set_probes(struct errors_watch *w)
{
	struct lkst_job job = { .e = w->e, .turn.lock = -1 };
	char globs[GLOBS_MAX_LENGTH];
	struct lkst_error_probes p = {};
	int err = choose_functions(w, globs) ?: lkst_job_open(&job, LKST_TURN_CHANGE);

	err = err ?: set_fitting(w, &job, globs, &p);
	if (!err)
		note_calls(w, &job);
	lkst_job_close(&job);
	if (!w->o->quiet)
		lkst_recording_print(&job.notes);
	lkst_notes_fini(&job.notes);
	if (!err)
		say_watched(w, &p);
	return err;
}

/* ---- watching --------------------------------------------------------------------------------- */

static bool errors_watch_has_ended(void *ctx)
{
	struct errors_watch *w = ctx;

	if (!lkst_session_is_current(w->s))
		return true;
	if (w->child.pid)
		return lkst_child_has_ended(&w->child);
	return w->o->pid && kill((pid_t)w->o->pid, 0) && errno == ESRCH;
}

/* The threads of the process. */
static void errors_watch_find_roots(pid_t pid, struct lkst_errors_watched *ret)
{
	char path[64];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	dir = opendir(path);
	while (dir && ret->nr_roots < LKST_ERRORS_ROOTS_MAX && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			ret->roots[ret->nr_roots++] = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	if (!ret->nr_roots)
		ret->roots[ret->nr_roots++] = pid;
}

static int errors_watch_open_recording(struct errors_watch *w)
{
	struct lkst_turn turn;
	int err = lkst_turn_take(w->e, LKST_TURN_LOOK, &turn) ?: lkst_session_open(w->e, &w->s);

	lkst_turn_give(&turn);
	return err;
}

/* Takes the records while it runs. */
static int take_records(struct errors_watch *w)
{
	int err = errors_watch_open_recording(w) ?:
		  lkst_streaming_begin(&w->streaming, w->s, lkst_monotonic_ns()) ?:
		  lkst_child_release(w->e, &w->child) ?:
		  lkst_streaming_run(&w->streaming) ?:
		  lkst_streaming_finish(&w->streaming);

	lkst_child_ask_to_end(&w->child);
	lkst_child_end(&w->child, &w->streaming);
	err = lkst_streaming_fini(&w->streaming, err);
	lkst_session_close(w->s);
	return err;
}

static int run_watched(struct errors_watch *w, char **args, unsigned int nr_args, const sigset_t *mask,
		       struct lkst_errors_watched *ret)
{
	int err = start_recording(w) ?: errors_watch_set_probes(w);

	if (!err && nr_args)
		err = lkst_child_prepare(w->e, "lkst errors", args, mask, &w->child);
	if (err)
		return lkst_streaming_fini(&w->streaming, err);
	if (w->child.pid || w->o->pid)
		errors_watch_find_roots(w->child.pid ?: (pid_t)w->o->pid, ret);
	err = take_records(w);
	ret->result = lkst_child_result(&w->child);
	return err;
}

int lkst_errors_watch(struct lkst_err *e, const struct lkst_errors_options *o, const char *dir,
		      char **args, unsigned int nr_args, struct lkst_errors_watched *ret)
{
	struct errors_watch w = { .e = e,
			   .o = o,
			   .files = { .output = dir, .for_ns = o->for_ns, .quiet = true },
			   .child.go = -1 };
	struct lkst_err ignored = {};
	struct keeper keeper = {};
	sigset_t mask;
	int err, back;

	w.set_up = mmap(NULL, sizeof(*w.set_up), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	if (w.set_up == MAP_FAILED)
		return lkst_err_sys(e, -errno, "watching");
	err = lkst_streaming_init(e, &w.files, &w.streaming, &mask);
	w.streaming.has_ended = errors_watch_has_ended;
	w.streaming.ctx = &w;
	err = err ?: start_keeper(e, w.set_up, &keeper);
	err = err ? lkst_streaming_fini(&w.streaming, err)
		  : run_watched(&w, args, nr_args, &mask, ret);
	back = errors_watch_take_back(err ? &ignored : e, w.set_up);
	end_keeper(&keeper);
	munmap(w.set_up, sizeof(*w.set_up));
	return err ?: back;
}
