/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/account_fixture.h"

/* The events of these are there as syscall_entry_<name> and syscall_exit_<name>. */
static const char *const account_calls[] = { "futex",  "read",	"write", "pread64",
					     "sendto", "wait4", "getpid", "poll", "restart_syscall" };

static const char account_state[] =
	"state_thread thread_tid=10 thread_pid=10 comm=victim\n"
	"state_thread thread_tid=20 thread_pid=20 comm=holder\n"
	"state_thread thread_tid=30 thread_pid=30 comm=hog\n"
	"state_thread thread_tid=40 thread_pid=40 comm=kworker flags=1\n"
	"state_disk dev=0x700000 name=loop0\n"
	"state_irq irq=25 name=virtio1-req\n"
	"state_netdev ifindex=1 name=lo\n";

struct lkst_catalog *account_catalog(const char *version, bool has_ends)
{
	struct lkst_catalog *c = make_catalog_for(has_ends);
	u16 id = LKST_NR_EVENTS + 100;
	struct lkst_err e;
	unsigned int i;

	for (i = 0; i < sizeof(account_calls) / sizeof(account_calls[0]); i++, id += 2) {
		const struct lkst_syscall *row = lkst_syscall_find(false, account_calls[i]);

		if (!row || lkst_catalog_add_syscall(&e, c, id, id + 1,
						     (unsigned int)(row - lkst_syscalls)))
			abort();
	}
	if (version)
		snprintf(c->version, sizeof(c->version), "%s", version);
	return c;
}

/* A probe of group `errors` at the returns of functions. */
static void add_error_probe(struct lkst_catalog *c)
{
	struct lkst_field_class fields[3];
	struct lkst_event_class event = { .id = LKST_NR_EVENTS + 200, .fields = fields };
	struct lkst_err e;

	snprintf(event.name, sizeof(event.name), "errors:vfs");
	make_field(&event, LKST_PROBE_FIELD_RET_IP, LKST_CLASS_UINT, 8, 16, 0, 0);
	make_field(&event, LKST_PROBE_FIELD_FUNC, LKST_CLASS_UINT, 8, 16, 0, 0);
	make_field(&event, "ret", LKST_CLASS_SINT, 4, 10, 0, 0);
	if (lkst_catalog_add(&e, c, &event))
		abort();
}

struct account_fixture *account_new(const char *text, const char *version)
{
	struct lkst_catalog *c = account_catalog(version, make_has_ends(text));
	struct account_fixture *x = calloc(1, sizeof(*x));
	struct make_trace *t;

	if (!x)
		abort();
	if (strstr(text, "errors:"))
		add_error_probe(c);
	make_scratch(x->dir);
	snprintf(x->path, sizeof(x->path), "%s/trace", x->dir);
	t = make_begin(x->path, c, 4096);
	if (make_text(t, account_state) || make_text(t, text)) {
		fprintf(stderr, "account_new: %s\n", t->err.text);
		abort();
	}
	x->out = malloc(sizeof(*x->out));
	if (make_end(t) || !x->out || lkst_trace_open(&x->err, x->path, &x->trace))
		abort();
	return x;
}

void account_free(struct account_fixture *x)
{
	lkst_trace_close(x->trace);
	make_scratch_remove(x->path);
	rmdir(x->dir);
	free(x->out);
	free(x);
}

const char *account_print(struct account_fixture *x, const struct lkst_account *a,
			  const struct lkst_threads *threads, struct lkst_symbols *symbols,
			  bool has_events, bool is_json)
{
	struct lkst_view_config config = { .out = x->out,
					   .catalog = lkst_trace_catalog(x->trace),
					   .threads = threads,
					   .symbols = symbols,
					   .time = LKST_VIEW_MONO };
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	ssize_t n;

	lkst_out_init(x->out, fd);
	if (fd < 0 || (is_json ? lkst_view_account_json(&config, a)
			       : lkst_view_account_text(&config, a, has_events)))
		abort();
	if (lkst_out_flush(x->out))
		abort();
	n = pread(fd, x->text, sizeof(x->text) - 1, 0);
	close(fd);
	if (n < 0)
		abort();
	x->text[n] = 0;
	return x->text;
}

const char *account_why(struct account_fixture *x, s32 tid, u64 from_ns, u64 to_ns,
			unsigned int depth, u32 max, int flags)
{
	const struct lkst_excerpt_options options = { .max = max };
	struct lkst_excerpt *w = NULL;
	struct lkst_account *a = NULL;
	int code;

	code = lkst_excerpt_new(&x->err, x->trace,
				from_ns > LKST_WHY_LEAD_NS ? from_ns - LKST_WHY_LEAD_NS : 0,
				to_ns + LKST_WHY_TAIL_NS, &options, &w);
	if (!code)
		code = lkst_why_explain(&x->err, w, tid, from_ns, to_ns, depth, &a);
	if (code)
		snprintf(x->text, sizeof(x->text), "%s", x->err.text);
	else
		account_print(x, a, w->threads, w->symbols, flags & ACCOUNT_EVENTS,
			      flags & ACCOUNT_JSON);
	lkst_account_free(a);
	lkst_excerpt_free(w);
	return x->text;
}

const char *account_explain(const char *trace, int flags)
{
	static char text[1 << 16], with_later[1 << 17];
	struct account_fixture *x;

	snprintf(with_later, sizeof(with_later), "%s%s", trace, ACCOUNT_LATER);
	x = account_new(with_later, NULL);
	snprintf(text, sizeof(text), "%s",
		 account_why(x, 10, 1000000000, 1010000000, LKST_WHY_DEPTH, 0, flags));
	account_free(x);
	return text;
}

const char *account_lint(struct account_fixture *x, char *rule, int flags)
{
	struct lkst_lint l;
	unsigned int i;
	int code = lkst_lint_run(&x->err, x->trace, rule ? &rule : NULL, rule ? 1 : 0, NULL, NULL, &l);

	if (code)
		snprintf(x->text, sizeof(x->text), "%s", x->err.text);
	else
		account_print(x, l.account, l.threads, l.symbols, flags & ACCOUNT_EVENTS,
			      flags & ACCOUNT_JSON);
	for (i = 0; !code && i < l.notes.nr; i++) {
		strcat(x->text, l.notes.text[i]);
		strcat(x->text, "\n");
	}
	lkst_lint_fini(&l);
	return x->text;
}
