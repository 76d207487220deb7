/* SPDX-License-Identifier: GPL-2.0-only */
#include "lib/shipping.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "abi/budget.h"
#include "base/create.h"
#include "base/time.h"
#include "bundle/journal.h"
#include "bundle/bundle_why.h"
#include "cmd/agent/ship.h"
#include "cmd/recorders/turn.h"
#include "fleet/curl_library.h"
#include "fleet/sender.h"
#include "live/cost/cost_limit.h"
#include "live/drain/drain.h"
#include "live/drain/drain_marks.h"
#include "live/hooks/pins.h"

enum {
	RECORDS_MAX = 8192,
	TEXT_MAX = 1 << 20,
	FIRST_SECOND = 1056, /* since boot, of the records */
	LAST_SECOND = 1072,
	PATIENCE_S = 600,
	STEPS_MAX = 64,
};

#define ROWS (1U << LKST_SPOOL_SECONDS | 1U << LKST_SPOOL_INCIDENT | 1U << LKST_SPOOL_HOST)
#define BUNDLES (1U << LKST_SPOOL_BUNDLE)

static struct shipping_world *world;
static u64 times[RECORDS_MAX];
static u32 nr_records;

/* When the incident was, which is when the bank was left. */
#define KEPT_NS ((FIRST_SECOND + 1) * LKST_NS_PER_S)

/* ---- in place of the kernel and of time --------------------------------------------------------- */

uint64_t __wrap_lkst_monotonic_ns(void);
uint64_t __wrap_lkst_monotonic_ns(void)
{
	return world ? world->now_ns : SHIPPING_BEGIN_NS;
}

uint64_t __wrap_lkst_clock_offset_ns(void);
uint64_t __wrap_lkst_clock_offset_ns(void)
{
	return SHIPPING_OFFSET_S * LKST_NS_PER_S;
}

int __wrap_lkst_turn_take(struct lkst_err *e, enum lkst_turn_kind kind, struct lkst_turn *t);
int __wrap_lkst_turn_take(struct lkst_err *e, enum lkst_turn_kind kind, struct lkst_turn *t)
{
	if (world->killer == SHIPPING_AT_DROPPING)
		raise(SIGKILL);
	*t = (struct lkst_turn){ .lock = -1 };
	return 0;
}

int __wrap_lkst_pins_claim_incident(struct lkst_err *e, u32 number);
int __wrap_lkst_pins_claim_incident(struct lkst_err *e, u32 number)
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void __wrap_lkst_wait_for_writers(u32 nr_cpus);
void __wrap_lkst_wait_for_writers(u32 nr_cpus)
{
}

int __wrap_lkst_budget_read_page(struct lkst_err *e, const struct lkst_budget_fds *fds, struct lkst_budget *ret_page);
int __wrap_lkst_budget_read_page(struct lkst_err *e, const struct lkst_budget_fds *fds, struct lkst_budget *ret_page)
{
	*ret_page = (struct lkst_budget){};
	return 0;
}

/* Programs of the machine that the test runs on have no part in it. */
int __wrap_lkst_drain_marks_new(struct lkst_err *e, const struct lkst_session *s, u64 since_ns, u64 ring_bytes,
				struct lkst_drain_marks **ret_marks);
int __wrap_lkst_drain_marks_new(struct lkst_err *e, const struct lkst_session *s, u64 since_ns, u64 ring_bytes,
				struct lkst_drain_marks **ret_marks)
{
	*ret_marks = NULL;
	return 0;
}

/* The records alone, and nothing of the state of this machine. */
int __wrap_lkst_incident_save(struct lkst_err *e, const struct lkst_session *s, const struct lkst_incident *incident,
			      struct lkst_writer *w);
int __wrap_lkst_incident_save(struct lkst_err *e, const struct lkst_session *s, const struct lkst_incident *incident,
			      struct lkst_writer *w)
{
	_cleanup_(lkst_drain_freep) struct lkst_drain *drain = NULL;
	int err = lkst_drain_new(e, s, w, 0, &drain);

	if (world->killer == SHIPPING_AT_SAVING)
		raise(SIGKILL);
	if (err)
		return err;
	lkst_drain_choose(drain, 1U << incident->bank, UINT64_MAX, 0);
	return lkst_drain_finish(e, drain) ?:
	       lkst_drain_write_end(e, drain, w, LKST_ENDING_COMPLETE, incident->until_ns);
}

int __real_lkst_bundle_tell_why(struct lkst_err *e, const struct lkst_moment *moment, struct lkst_trace *t,
				struct lkst_bundle_text *ret_text);
int __wrap_lkst_bundle_tell_why(struct lkst_err *e, const struct lkst_moment *moment, struct lkst_trace *t,
				struct lkst_bundle_text *ret_text);
int __wrap_lkst_bundle_tell_why(struct lkst_err *e, const struct lkst_moment *moment, struct lkst_trace *t,
				struct lkst_bundle_text *ret_text)
{
	world->nr_accounts++;
	return __real_lkst_bundle_tell_why(e, moment, t, ret_text);
}

/* A sender that would wait for news ends: its descriptor for these is /dev/null, which is at its end. */
int __wrap_poll(struct pollfd *fds, nfds_t nr, int ms);
int __wrap_poll(struct pollfd *fds, nfds_t nr, int ms)
{
	return ms != 0;
}

/* ---- what is recorded ---------------------------------------------------------------------------- */

struct text {
	char *bytes;
	size_t length;
	u32 buffer;
};

/* A record of @event, which has fields. */
static void add(struct text *t, u64 ns, const char *event)
{
	t->length += (size_t)snprintf(t->bytes + t->length, TEXT_MAX - t->length, "%s ns=%llu buffer=%u\n", event,
				      (unsigned long long)ns, t->buffer);
	if (t->length + 1 >= TEXT_MAX || nr_records == RECORDS_MAX)
		abort();
	times[nr_records++] = ns;
}

/* Thread 5 is woken, enters a call, waits in it for something, and ends it. */
static void add_call(struct text *t, u64 ns)
{
	const u64 us = 1000;

	add(t, ns, "sched_waking tid=0 target_tid=5");
	add(t, ns + us, "sched_wakeup tid=0 target_tid=5");
	add(t, ns + 20 * us, "sched_switch tid=0 next_tid=5 prev_state=0");
	add(t, ns + 30 * us, "syscall_entry_read tid=5 fd=3");
	add(t, ns + 40 * us, "sched_switch tid=5 next_tid=0 prev_state=2");
	add(t, ns + 9000 * us, "sched_waking tid=0 target_tid=5");
	add(t, ns + 9001 * us, "sched_wakeup tid=0 target_tid=5");
	add(t, ns + 9070 * us, "sched_switch tid=0 next_tid=5 prev_state=0");
	add(t, ns + 9080 * us, "syscall_exit_read tid=5 ret=7");
	add(t, ns + 9090 * us, "sched_switch tid=5 next_tid=0 prev_state=1");
}

/* Each second has another number of calls. Those of the first second are in the bank. */
static char *make_records(void)
{
	struct text t = { .bytes = calloc(1, TEXT_MAX), .buffer = MADE_BANK };
	u64 second;
	u32 i;

	if (!t.bytes)
		abort();
	nr_records = 0;
	for (second = FIRST_SECOND; second < LAST_SECOND; second++) {
		for (i = 0; i < 2 + second % 5; i++)
			add_call(&t, second * LKST_NS_PER_S + 10000000 + i * 150000000);
		t.buffer = LKST_BUFFER_MAIN;
	}
	return t.bytes;
}

u64 shipping_count(u64 from_ns, u64 to_ns)
{
	u64 nr = 0;
	u32 i;

	for (i = 0; i < nr_records; i++)
		nr += times[i] >= from_ns && times[i] < to_ns;
	return nr;
}

u64 shipping_ns(u64 second)
{
	return (second - SHIPPING_OFFSET_S) * LKST_NS_PER_S;
}

/* ---- the service --------------------------------------------------------------------------------- */

/* Ends this process, which cannot go on: that is a failure of the test. */
static void must(int err, const struct lkst_err *e, const char *what)
{
	if (!err)
		return;
	printf("# %s: %s\n", what, e->text);
	fflush(stdout);
	_exit(1);
}

/* What a sender says. What is wrong with the tables is mended then. */
static void say(void *ctx, const struct lkst_err *why)
{
	const struct shipping *s = ctx;

	if (!why)
		return;
	world->nr_failures++;
	snprintf(world->said, sizeof(world->said), "%s", why->text);
	s->server->version = FLEET_VERSION;
	if (!world->patience_ms && !s->gives_up)
		return;
	/* On a slow machine it may have been too short for a good answer. */
	world->patience_ms = s->server->has_failed ? 0 : 2 * world->patience_ms;
	_exit(0);
}

static void open_servers(struct lkst_err *e, const struct shipping *s, bool is_of_bundles,
			 struct lkst_sender_options *options)
{
	const u64 patience_ns = world->patience_ms ? world->patience_ms * 1000000ULL : PATIENCE_S * LKST_NS_PER_S;
	char url[sizeof(s->server->url) + 8];
	const struct lkst_fleet_where fleet = { .url = s->server->url,
						.database = "lkst",
						.timeout_ns = patience_ns };
	const struct lkst_store_where store = { .url = url, .stall_ns = patience_ns };

	snprintf(url, sizeof(url), "%s/store", s->server->url);
	must(is_of_bundles ? lkst_store_open(e, &store, &options->store) : lkst_fleet_open(e, &fleet, &options->fleet),
	     e, "speaking to the server");
}

static bool has_items(const struct lkst_ship *ship, u32 kinds)
{
	_cleanup_free_ struct lkst_spool_item *items = NULL;
	u32 nr = 0;

	must(lkst_spool_list(ship->e, ship->spool, kinds, &items, &nr), ship->e, "listing");
	return nr;
}

/* A process of its own, as in the service. */
static pid_t start_sender(const struct shipping *s, struct lkst_ship *ship, bool is_of_bundles)
{
	struct lkst_sender_options options = { .spool = ship->spool,
					       .pause_ns = 1,
					       .pause_max_ns = 1,
					       .say = say,
					       .ctx = (void *)(uintptr_t)s };
	pid_t pid = fork();

	if (pid)
		return pid;
	options.wake_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	open_servers(ship->e, s, is_of_bundles, &options);
	must(lkst_sender_run(ship->e, &options), ship->e, "sending");
	_exit(0);
}

/* Until nothing is left. One that was killed is started again. */
static void send_all(const struct shipping *s, struct lkst_ship *ship, bool is_of_bundles)
{
	bool is_tried = false;
	int status;
	pid_t pid;

	for (; has_items(ship, is_of_bundles ? BUNDLES : ROWS) && !(is_tried && s->gives_up); is_tried = true) {
		pid = start_sender(s, ship, is_of_bundles);
		if (pid < 0 || waitpid(pid, &status, 0) != pid || (WIFEXITED(status) && WEXITSTATUS(status)))
			_exit(1);
	}
}

static void send_everything(const struct shipping *s, struct lkst_ship *ship)
{
	send_all(s, ship, false);
	if (ship->options->store)
		send_all(s, ship, true);
	send_all(s, ship, false);
}

static void put_host(struct lkst_ship *ship)
{
	_cleanup_free_ struct lkst_packed_rows *rows = calloc(1, sizeof(*rows));
	const struct lkst_catalog *c = lkst_session_catalog(ship->session);
	const struct lkst_fleet_host host = { .version = "test" };
	struct lkst_spool_item item = { .kind = LKST_SPOOL_HOST };

	if (!rows || lkst_packed_rows_init(rows))
		abort();
	lkst_fleet_put_host(rows, c, &host);
	memcpy(item.trace, c->boot_id, sizeof(item.trace));
	must(lkst_ship_put(ship, &item, rows), ship->e, "putting the host");
	lkst_packed_rows_fini(rows);
}

/* What the kernel does meanwhile: one incident that nobody has seen goes, and one is kept. */
static void happen(const struct shipping *s)
{
	if (s->fires_nothing)
		return;
	if (world->step == 1 && !world->nr_incidents)
		made_recording_miss(s->recording, ++world->nr_incidents);
	if (world->step == 2 && world->nr_incidents == 1)
		made_recording_keep(s->recording, ++world->nr_incidents, KEPT_NS, KEPT_NS, "a test");
}

/* A process that explains an incident is waited for, so that only one works at a time. */
static void explain(struct lkst_ship *ship, struct lkst_ship_incidents *i)
{
	siginfo_t info;

	must(lkst_ship_incidents_step(ship, i), ship->e, "telling incidents");
	if (!i->child)
		return;
	world->nr_explaining++;
	if (waitid(P_PID, (id_t)i->child, &info, WEXITED | WNOWAIT))
		_exit(1);
	must(lkst_ship_incidents_step(ship, i), ship->e, "telling incidents");
	/* Another one may have been begun, for an incident that was kept meanwhile. */
	if (i->child)
		_exit(1);
}

static bool is_over(const struct shipping *s, const struct lkst_ship *ship)
{
	return world->step >= s->steps && ship->position.nr_explained >= world->nr_incidents;
}

static void begin(const struct shipping *s, struct lkst_ship *ship, struct lkst_counting **ret_counting)
{
	must(lkst_spool_open(ship->e, s->spool, s->spool_bytes, &ship->spool) ?: lkst_spool_claim(ship->e, ship->spool),
	     ship->e, "opening the spool");
	lkst_spool_position(ship->spool, &ship->position);
	lkst_counting_recover(ship);
	lkst_ship_incidents_recover(ship);
	lkst_ship_take_position(ship, lkst_session_catalog(ship->session)->uuid);
	must(lkst_counting_new(ship, ret_counting), ship->e, "beginning to count");
	put_host(ship);
}

void shipping_serve(void *ctx)
{
	const struct shipping *s = ctx;
	char store[sizeof(s->server->url) + 8];
	struct lkst_ship_options options = { .every_ns = 2 * LKST_NS_PER_S, .spool = s->spool };
	struct lkst_err e = {};
	struct lkst_ship ship = { .e = &e,
				  .options = &options,
				  .session = s->recording->session,
				  .wake_rows = -1,
				  .wake_bundles = -1 };
	struct lkst_ship_incidents incidents = {};
	struct lkst_counting *counting;

	snprintf(store, sizeof(store), "%s/store", s->server->url);
	options.store = s->has_no_store ? NULL : store;
	begin(s, &ship, &counting);
	do {
		if (world->step == STEPS_MAX)
			must(-ETIMEDOUT, &e, "it goes on for ever");
		world->now_ns += LKST_NS_PER_S;
		world->step++;
		happen(s);
		if (lkst_spool_count_missing(&e, ship.spool, &ship.missing))
			_exit(1);
		must(lkst_counting_step(counting), &e, "counting");
		explain(&ship, &incidents);
		send_everything(s, &ship);
	} while (!is_over(s, &ship));
	lkst_ship_incidents_end(&incidents);
	must(lkst_counting_finish(counting), &e, "counting");
	send_everything(s, &ship);
	snprintf(world->service_said, sizeof(world->service_said), "%s", ship.said);
	_exit(0);
}

bool shipping_run(struct shipping *s)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid)
		shipping_serve(s);
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

/* Whether something is noted, or put, or sent already of the recording's seconds. */
static bool has_begun(const struct shipping *s)
{
	_cleanup_(lkst_spool_closep) struct lkst_spool *spool = NULL;
	_cleanup_free_ struct lkst_spool_item *items = NULL;
	struct lkst_spool_position position;
	struct lkst_err e;
	u32 nr = 0;

	if (lkst_spool_open(&e, s->spool, s->spool_bytes, &spool) ||
	    lkst_spool_list(&e, spool, 1U << LKST_SPOOL_SECONDS | 1U << LKST_SPOOL_PENDING, &items, &nr))
		abort();
	lkst_spool_position(spool, &position);
	return nr || position.second || s->server->nr_seconds;
}

bool shipping_run_again(struct shipping *s)
{
	s->again_ns = world->now_ns;
	s->had_begun = has_begun(s);
	return shipping_run(s);
}

/* ---- beginning and ending --------------------------------------------------------------------------- */

struct shipping *shipping_new(void)
{
	struct shipping *s = calloc(1, sizeof(*s));
	_cleanup_free_ char *text = make_records();
	struct lkst_curl curl;
	struct lkst_err e;
	char dir[80];
	CURL *handle;

	world = mmap(NULL, sizeof(*world), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!s || world == MAP_FAILED)
		abort();
	s->world = world;
	/* Where to bring something to the disk takes no time. */
	if (!access("/dev/shm", W_OK))
		setenv("TMPDIR", "/dev/shm", 1);
	make_scratch(s->dir);
	snprintf(s->spool, sizeof(s->spool), "%s/spool", s->dir);
	snprintf(dir, sizeof(dir), "%s/files", s->dir);
	if (mkdir(dir, 0700))
		abort();
	/* The journal of this machine is nothing to the test. */
	setenv(LKST_JOURNAL_VARIABLE, dir, 1);
	/* Once, and not in each process. */
	if (lkst_curl_load(&e, &curl) || !(handle = curl.easy_init()))
		abort();
	curl.easy_cleanup(handle);
	s->recording = made_recording_new(text, FIRST_SECOND * LKST_NS_PER_S);
	s->server = fleet_server_new(dir);
	fleet_server_start(s->server);
	shipping_reset(s);
	return s;
}

void shipping_reset(struct shipping *s)
{
	lkst_remove_dirs(AT_FDCWD, s->spool);
	made_recording_reset(s->recording);
	fleet_server_clear(s->server);
	*world = (struct shipping_world){ .now_ns = SHIPPING_BEGIN_NS };
	s->spool_bytes = 64 << 20;
	s->has_no_store = s->gives_up = s->fires_nothing = s->had_begun = false;
	s->steps = SHIPPING_STEPS;
	s->again_ns = 0;
}
