/* SPDX-License-Identifier: GPL-2.0-only */
/* Limits that the caller of a command has set for its process. */
#include "cmd/frame/rlimits.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/size.h"

/* A process that records has some hundred files open: a program, a map or a hook each. */
enum { FILES_MANY = 1024 };

static void rlimits_ignore(int signal)
{
}

void lkst_rlimits_prepare(void)
{
	/* Not SIG_IGN, which exec would hand on to the command that is run. */
	const struct sigaction action = { .sa_handler = rlimits_ignore, .sa_flags = SA_RESTART };

	sigaction(SIGXFSZ, &action, NULL);
}

/* The limit; RLIM_INFINITY: there is none. */
static rlim_t limit_of(__rlimit_resource_t resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

bool lkst_rlimits_has_file_size(void)
{
	return limit_of(RLIMIT_FSIZE) != RLIM_INFINITY;
}

static void rlimits_add(struct lkst_err *e, const char *what, const char *much, char option)
{
	size_t used = strlen(e->text);

	snprintf(e->text + used, sizeof(e->text) - used, " (this process may %s at most %s: ulimit -%c)",
		 what, much, option);
}

/* The kernel and libbpf report a lack of memory or descriptors as one of these, not always as the first two. */
static bool is_of_loading(int err)
{
	return err == -EMFILE || err == -ENOMEM || err == -ESRCH || err == -EINVAL;
}

void lkst_rlimits_explain(struct lkst_err *e, int err)
{
	rlim_t files = limit_of(RLIMIT_NOFILE), memory = limit_of(RLIMIT_AS), size = limit_of(RLIMIT_FSIZE);
	char text[LKST_SIZE_TEXT];

	if (err == -EMFILE || (is_of_loading(err) && files < FILES_MANY)) {
		snprintf(text, sizeof(text), "%llu files", (unsigned long long)files);
		rlimits_add(e, "have open", text, 'n');
	} else if (is_of_loading(err) && memory != RLIM_INFINITY) {
		lkst_size_format(memory, text);
		rlimits_add(e, "map", text, 'v');
	} else if ((err == -EFBIG || err == -ENOSPC) && size != RLIM_INFINITY) {
		lkst_size_format(size, text);
		rlimits_add(e, "write to a file", text, 'f');
	}
}
