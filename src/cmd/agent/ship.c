/* SPDX-License-Identifier: GPL-2.0-only */
/* lkst ship: sends what a machine says of itself to a server of many. */
#include "cmd/agent/ship.h"

#include <errno.h>

#include "base/time.h"

static const struct lkst_ship_options defaults = {
	.server = { .database = "lkst", .timeout_ns = 20 * LKST_NS_PER_S },
	.spool = "/var/lib/lkst/ship",
	.spool_bytes = 64 << 20,
	.every_ns = 10 * LKST_NS_PER_S,
};

static const struct lkst_option rows[] = {
	LKST_OPTION(CONFIG, struct lkst_ship_options, config, .name = "config", .argument = "FILE",
		    .help = "has further options, as \"server = https://...\""),
	LKST_OPTION(TEXT, struct lkst_ship_options, url, .name = "server", .argument = "URL",
		    .help = "the server, in place of the argument"),
	LKST_FLEET_ROWS(struct lkst_ship_options, server, "20s"),
	LKST_OPTION(DURATION, struct lkst_ship_options, every_ns, .name = "every", .argument = "T",
		    .min = LKST_NS_PER_S, .max = 600LL * LKST_NS_PER_S, .standard = "10s",
		    .help = "how often seconds are sent; incidents are sent at once"),
	LKST_OPTION(TEXT, struct lkst_ship_options, cgroup, .name = "by-cgroup", .argument = "GLOB",
		    .help = "count the cgroups whose path or container GLOB matches apart, too"),
	LKST_OPTION(LIST, struct lkst_ship_options, labels, .name = "label", .letter = 'l',
		    .argument = "NAME=VALUE",
		    .help = "what the machine is to be known by: rack=7, service=web"),
	LKST_OPTION(LIST, struct lkst_ship_options, peers, .name = "peer", .argument = "HOST",
		    .help = "keep what was when an incident of this machine fires, and have it\n"
			    "keep what was when one fires here; may be given several times"),
	LKST_OPTION(LIST, struct lkst_ship_options, peer_labels, .name = "peer-label",
		    .argument = "NAME=VALUE",
		    .help = "the same of all machines with this label, or with all that are given"),
	LKST_OPTION(
		TEXT, struct lkst_ship_options, store, .name = "store", .argument = "URL",
		.help = "where the bundles of incidents are put, by HTTP; each incident is dropped\n"
			"from memory then"),
	LKST_STORE_CREDENTIALS_ROW(struct lkst_ship_options, store_credentials),
	LKST_OPTION(TEXT, struct lkst_ship_options, spool, .name = "spool", .argument = "DIR",
		    .standard = "/var/lib/lkst/ship",
		    .help = "where it waits until it has arrived"),
	LKST_OPTION(SIZE, struct lkst_ship_options, spool_bytes, .name = "spool-size",
		    .argument = "SIZE", .min = 1 << 20, .max = 1LL << 40, .standard = "64M",
		    .help = "how much may wait there"),
	LKST_OPTION(FLAG, struct lkst_ship_options, quiet, .name = "quiet", .letter = 'q',
		    .help = "say only what is wrong"),
	{},
};

#ifdef LKST_NO_FLEET
static int ship_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	const struct lkst_ship_options *o = options;

	return lkst_fleet_server_open(e, &o->server, "", NULL);
}
#else
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/io.h"
#include "base/out.h"
#include "base/version.h"
#include "cmd/frame/end_signals.h"
#include "cmd/recorders/turn.h"
#include "fleet/sender.h"
#include "fleet/ship_rows.h"

enum {
	OPEN_PAUSE_MS = 1000, /* between two looks whether something is recorded */
	INCIDENTS_PAUSE_MS = 400,
	MACHINE_ID = 32,
	DOUBLINGS_MAX = 6,
	HEAP_BYTES = 8 << 20,
};

#define HOST_PAUSE_NS (60 * LKST_NS_PER_S)
/* Before a process that sends is started again, if it has lived for less than that. */
#define SENDER_PAUSE_NS LKST_NS_PER_S
#define SENDER_LIVES_NS (5 * LKST_NS_PER_S)
#define LOOK_PAUSE_NS (LKST_NS_PER_S / 2)
#define MISSING_PAUSE_NS (5 * LKST_NS_PER_S)
#define FAIL_PAUSE_NS LKST_NS_PER_S
#define FAIL_PAUSE_MAX_NS (60 * LKST_NS_PER_S)

/* What a process that speaks to a server does. */
enum speaking { SENDS_ROWS, SENDS_BUNDLES, ASKS_PEERS };

/* A process that speaks to a server. */
struct sending {
	pid_t pid; /* 0: none */
	int end;   /* this process's end of the pipe: it wakes one that sends, and gets what peers ask for */
	enum speaking kind;
	u64 began_ns, ended_ns;
	unsigned int nr_ended; /* one soon after the other */
};

/* The service. */
struct service {
	struct lkst_ship ship;
	struct sending rows, bundles, peers;
	struct lkst_ship_incidents incidents;
	struct lkst_counting *counting;
	int signals;
	/* When the host's row was put last, what is missing was looked for, and whether it is still recorded. */
	u64 host_ns, missing_ns, looked_ns;
};

/* ---- what others call ------------------------------------------------------------------------ */

void lkst_ship_say(struct lkst_ship *s, const char *so)
{
	if (!strcmp(s->said, s->e->text))
		return;
	snprintf(s->said, sizeof(s->said), "%s", s->e->text);
	lkst_print_message(stderr, "lkst: %s%s", s->said, so);
	fflush(stderr);
}

void lkst_ship_wake(int fd)
{
	/* A pipe that is full wakes, too. */
	if (fd >= 0 && write(fd, "", 1) < 0)
		return;
}

void lkst_ship_keep(struct lkst_ship *s)
{
	if (lkst_spool_keep_position(s->e, s->spool, &s->position))
		lkst_ship_say(s, "");
}

void lkst_ship_take_position(struct lkst_ship *s, const u8 trace[16])
{
	struct lkst_spool_position *p = &s->position;

	if (memcmp(p->trace, trace, sizeof(p->trace))) {
		*p = (struct lkst_spool_position){ .dropped = p->dropped, .damaged = p->damaged };
		memcpy(p->trace, trace, sizeof(p->trace));
	}
}

int lkst_ship_put(struct lkst_ship *s, const struct lkst_spool_item *item,
		  struct lkst_packed_rows *packed)
{
	int err = lkst_packed_rows_end(packed);

	if (err)
		err = lkst_err_sys(s->e, err, "packing rows");
	err = err ?: lkst_spool_put(s->e, s->spool, item, packed->bytes, packed->length);
	if (err)
		lkst_ship_say(s, "; what was to be sent is dropped, and counted");
	else
		lkst_ship_wake(s->wake_rows);
	return err;
}

/* Whether peers ask for anything is not known while the server does not answer. */
static void say_of_asking(void *ctx, const struct lkst_err *why)
{
	struct service *v = ctx;

	if (why)
		lkst_ship_say(&v->ship, "; what peers ask for is not known meanwhile");
	else
		v->ship.said[0] = 0;
}

/* ---- sending --------------------------------------------------------------------------------- */

static void say_of_sender(void *ctx, const struct lkst_err *why)
{
	struct service *v = ctx;
	struct lkst_ship *s = &v->ship;

	if (!why) {
		s->said[0] = 0;
		lkst_print_message(stderr, "lkst: what waited has arrived");
		fflush(stderr);
		return;
	}
	lkst_ship_say(s, "; it waits in the spool, and is tried again");
}

static int open_store(struct lkst_err *e, const struct lkst_ship_options *o,
		      struct lkst_store **ret_store)
{
	struct lkst_store_where where = { .url = o->store,
					  .ca = o->server.ca,
					  .stall_ns = o->server.timeout_ns };
	char text[LKST_FLEET_CREDENTIALS_MAX];
	int err = lkst_store_find_credentials(e, o->store_credentials, text, &where.user, &where.password);

	err = err ?: lkst_store_open(e, &where, ret_store);
	explicit_bzero(text, sizeof(text));
	return err;
}

/* In a process of its own: it has no part in the recording, and may wait for a server as long as it takes. */
static int speak(struct service *v, enum speaking kind, int end)
{
	const struct lkst_ship_options *o = v->ship.options;
	struct lkst_sender_options options = { .spool = v->ship.spool,
					       .wake_fd = end,
					       .pause_ns = FAIL_PAUSE_NS,
					       .pause_max_ns = FAIL_PAUSE_MAX_NS,
					       .say = say_of_sender,
					       .ctx = v };
	int err = 0;

	if (kind == SENDS_BUNDLES)
		err = open_store(v->ship.e, o, &options.store);
	else if (kind == SENDS_ROWS)
		err = lkst_fleet_server_open(v->ship.e, &o->server, o->url, &options.fleet);
	if (!err)
		err = kind == ASKS_PEERS ? lkst_ship_ask_peers(&v->ship, end, say_of_asking, v)
					 : lkst_sender_run(v->ship.e, &options);
	if (err)
		lkst_ship_say(&v->ship, "");
	return err;
}

static int start_sender(struct service *v, struct sending *sender)
{
	const int own = sender->kind == ASKS_PEERS ? 0 : 1;
	int ends[2];
	pid_t parent = getpid();
	sigset_t none;

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return lkst_err_sys(v->ship.e, -errno, "starting to send");
	fflush(NULL);
	sender->pid = fork();
	if (sender->pid < 0) {
		close(ends[0]);
		close(ends[1]);
		sender->pid = 0;
		return lkst_err_sys(v->ship.e, -errno, "starting to send");
	}
	if (sender->pid) {
		close(ends[1 - own]);
		sender->end = ends[own];
		return 0;
	}
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(0);
	close(ends[own]);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* A session keeps the hooks of a recording attached. */
	lkst_counting_free(v->counting);
	lkst_session_close(v->ship.session);
	_exit(speak(v, sender->kind, ends[1 - own]) ? 1 : 0);
}

static void end_sender(struct sending *sender)
{
	if (sender->end >= 0)
		close(sender->end);
	sender->end = -1;
	if (!sender->pid)
		return;
	/* It may be ended at any moment. */
	kill(sender->pid, SIGTERM);
	waitpid(sender->pid, NULL, 0);
	sender->pid = 0;
}

/* Starts it again if it has ended, which it should not; ever more rarely where it ends at once. */
static int mind_sender(struct service *v, struct sending *sender)
{
	u64 now = lkst_monotonic_ns();
	unsigned int doublings;

	if (sender->pid && waitpid(sender->pid, NULL, WNOHANG) == sender->pid) {
		sender->pid = 0;
		sender->nr_ended =
			now - sender->began_ns < SENDER_LIVES_NS ? sender->nr_ended + 1 : 0;
		sender->ended_ns = now;
		end_sender(sender);
	}
	doublings = sender->nr_ended < DOUBLINGS_MAX ? sender->nr_ended : DOUBLINGS_MAX;
	if (sender->pid || (doublings && now - sender->ended_ns < SENDER_PAUSE_NS << doublings))
		return 0;
	sender->began_ns = now;
	return start_sender(v, sender);
}

static int mind_senders(struct service *v)
{
	int err = mind_sender(v, &v->rows);

	if (!err && v->ship.options->store)
		err = mind_sender(v, &v->bundles);
	if (!err && lkst_ship_has_peers(v->ship.options))
		err = mind_sender(v, &v->peers);
	v->ship.wake_rows = v->rows.end;
	v->ship.wake_bundles = v->bundles.end;
	return err;
}

/* ---- the host -------------------------------------------------------------------------------- */

/* The machine's number, which stays when it gets another name (machine-id(5)); zeros: it has none. */
static void ship_read_machine(u8 id[16])
{
	_cleanup_free_ char *text = NULL;
	unsigned int i, byte;
	size_t length;

	memset(id, 0, 16);
	if (lkst_read_file(NULL, AT_FDCWD, "/etc/machine-id", 4096, &text, &length) ||
	    length < MACHINE_ID)
		return;
	for (i = 0; i < 16 && sscanf(text + 2 * i, "%2x", &byte) == 1; i++)
		id[i] = (u8)byte;
}

static int ship_put_host(struct service *v)
{
	struct lkst_ship *s = &v->ship;
	_cleanup_free_ struct lkst_packed_rows *packed = calloc(1, sizeof(*packed));
	struct lkst_fleet_host h = { .seen = (u32)(lkst_clock_ns(CLOCK_REALTIME) / LKST_NS_PER_S),
				     .cpus = (u32)sysconf(_SC_NPROCESSORS_ONLN),
				     .version = LKST_VERSION,
				     .labels = s->options->labels.items,
				     .nr_labels = s->options->labels.nr };
	struct lkst_spool_item item = { .kind = LKST_SPOOL_HOST };
	const struct lkst_catalog *c = lkst_session_catalog(s->session);
	int err;

	if (!packed || lkst_packed_rows_init(packed))
		return lkst_err_sys(s->e, -ENOMEM, "sending what this machine is");
	ship_read_machine(h.machine);
	lkst_fleet_put_host(packed, c, &h);
	/* A later boot does not replace what was said of one that has not arrived. */
	memcpy(item.trace, c->boot_id, sizeof(item.trace));
	err = lkst_ship_put(s, &item, packed);
	lkst_packed_rows_fini(packed);
	return err == -ENOMEM ? err : 0;
}

/* Not at each look: the processors are in a file that has to be opened. */
static int put_host_if_due(struct service *v)
{
	u64 now = lkst_monotonic_ns();

	if (v->host_ns && now - v->host_ns < HOST_PAUSE_NS)
		return 0;
	v->host_ns = now;
	return ship_put_host(v);
}

/* ---- the recording --------------------------------------------------------------------------- */

static void close_recording(struct service *v)
{
	lkst_ship_incidents_end(&v->incidents);
	if (v->counting)
		lkst_counting_finish(v->counting);
	lkst_counting_free(v->counting);
	v->counting = NULL;
	lkst_session_close(v->ship.session);
	v->ship.session = NULL;
}

static int ship_open_recording(struct service *v)
{
	struct lkst_ship *s = &v->ship;
	struct lkst_turn turn = { .lock = -1 };
	int err =
		lkst_turn_take(s->e, LKST_TURN_LOOK, &turn) ?: lkst_session_open(s->e, &s->session);

	lkst_turn_give(&turn);
	if (err == -ENOENT) {
		lkst_err_set(s->e, err, "nothing is being recorded");
		lkst_ship_say(s, "; this waits for `lkst start`");
		return 0;
	}
	if (err)
		return err;
	s->said[0] = 0;
	s->moments = (struct lkst_ship_moments){};
	lkst_ship_take_position(s, lkst_session_catalog(s->session)->uuid);
	v->host_ns = 0;
	return lkst_counting_new(s, &v->counting);
}

/* What made room or was found to be damaged is counted, now and then: there may be many files to look through. */
static void ship_count_missing(struct service *v)
{
	struct lkst_ship *s = &v->ship;
	const struct lkst_spool_missing before = s->missing;
	u64 now = lkst_monotonic_ns();

	if (v->missing_ns && now - v->missing_ns < MISSING_PAUSE_NS)
		return;
	if (lkst_spool_count_missing(s->e, s->spool, &s->missing)) {
		lkst_ship_say(s, "");
	} else if (v->missing_ns &&
		   s->missing.seconds - before.seconds > s->missing.damaged - before.damaged) {
		lkst_err_set(s->e, -ENOSPC,
			     "the spool is full: seconds that wait there are dropped, and counted");
		lkst_ship_say(s, "");
	}
	v->missing_ns = now;
}

/* A session keeps the hooks attached, so it looks now and then whether the recording was stopped. */
static bool ship_has_ended(struct service *v)
{
	u64 now = lkst_monotonic_ns();

	if (now - v->looked_ns < LOOK_PAUSE_NS)
		return false;
	v->looked_ns = now;
	return !lkst_session_is_current(v->ship.session);
}

static int ship_step(struct service *v)
{
	struct lkst_ship *s = &v->ship;
	int err = mind_senders(v);

	if (!err && s->session && ship_has_ended(v))
		close_recording(v);
	if (!err && !s->session)
		err = ship_open_recording(v);
	if (err || !s->session)
		return err;
	ship_count_missing(v);
	err = put_host_if_due(v) ?: lkst_counting_step(v->counting);
	if (!err && lkst_ship_incidents_step(s, &v->incidents))
		lkst_ship_say(s, "");
	if (!err && v->peers.end >= 0)
		lkst_ship_peers_step(s, v->peers.end);
	return err;
}

static unsigned int ship_pause_ms(const struct service *v)
{
	unsigned int ms = v->counting ? lkst_counting_pause_ms(v->counting) : OPEN_PAUSE_MS;

	return ms < INCIDENTS_PAUSE_MS || !v->counting ? ms : INCIDENTS_PAUSE_MS;
}

static int ship_serve(struct service *v)
{
	struct pollfd fd = { .fd = v->signals, .events = POLLIN };
	int err, ready = 0;

	do {
		err = ship_step(v);
		if (!err)
			ready = poll(&fd, 1, (int)ship_pause_ms(v));
	} while (!err && (ready <= 0 && (!ready || errno == EINTR)));
	close_recording(v);
	end_sender(&v->rows);
	end_sender(&v->bundles);
	end_sender(&v->peers);
	return err;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static int check_labels(struct lkst_err *e, const struct lkst_list *labels)
{
	unsigned int i;

	for (i = 0; i < labels->nr; i++)
		if (labels->items[i][0] == '=' || !strchr(labels->items[i], '='))
			return lkst_err_set(e, -EINVAL,
					    "a label is NAME=VALUE, which \"%s\" is not",
					    labels->items[i]);
	return 0;
}

/* What can be found out without asking a server. */
static int ship_check(struct lkst_err *e, const struct lkst_ship_options *o)
{
	_cleanup_(lkst_fleet_closep) struct lkst_fleet *f = NULL;
	_cleanup_(lkst_store_closep) struct lkst_store *store = NULL;
	int err = check_labels(e, &o->labels) ?: check_labels(e, &o->peer_labels);

	if (!err && !o->url)
		err = lkst_err_set(
			e, -EINVAL,
			"which server? name its URL, as in `lkst ship https://HOST:8443`");
	err = err ?: lkst_fleet_server_open(e, &o->server, o->url, &f);
	return err || !o->store ? err : open_store(e, o, &store);
}

static int ship_run(struct lkst_err *e, const void *options, char **args, unsigned int nr_args)
{
	struct lkst_ship_options o = *(const struct lkst_ship_options *)options;
	_cleanup_(lkst_spool_closep) struct lkst_spool *spool = NULL;
	struct service v = { .ship = { .e = e, .options = &o, .wake_rows = -1, .wake_bundles = -1 },
			     .rows = { .end = -1, .kind = SENDS_ROWS },
			     .bundles = { .end = -1, .kind = SENDS_BUNDLES },
			     .peers = { .end = -1, .kind = ASKS_PEERS } };
	int err;

	/* Blocks are copied to memory of the heap again and again: that is not given back in between. */
	mallopt(M_MMAP_THRESHOLD, HEAP_BYTES);
	mallopt(M_TRIM_THRESHOLD, HEAP_BYTES);
	if (nr_args)
		o.url = args[0];
	err = ship_check(e, &o) ?: lkst_spool_open(e, o.spool, o.spool_bytes, &spool) ?:
	      lkst_spool_claim(e, spool);
	if (err)
		return err;
	v.signals = lkst_end_signals_open(e);
	if (v.signals < 0)
		return v.signals;
	v.ship.spool = spool;
	lkst_spool_position(spool, &v.ship.position);
	lkst_counting_recover(&v.ship);
	lkst_ship_incidents_recover(&v.ship);
	if (!o.quiet)
		lkst_print_message(stderr, "sends to %s; what has not arrived waits in %s", o.url,
				   o.spool);
	err = ship_serve(&v);
	close(v.signals);
	return err;
}
#endif

const struct lkst_cmd lkst_cmd_ship = {
	.name = "ship",
	.summary = "send each second's figures and incidents to a server",
	.usage = "[OPTIONS] [URL]",
	.help = "Follows the recording that `lkst start` began and sends a ClickHouse server, whose tables\n"
		"`lkst fleet setup URL` makes, what each second had: events by kind, losses, CPUs, and\n"
		"histograms of run-queue delay, system calls, locks, disks and interrupts; and a row of each\n"
		"incident when it fires, with its account later. What cannot be sent waits in a directory of\n"
		"bounded size. It goes on until SIGTERM; without a recording it waits for one.",
	.examples =
		"  lkst ship https://clickhouse:8443 --label rack=7 --credentials /etc/lkst/fleet\n"
		"  lkst ship https://clickhouse:8443 --store https://store/bundles\n"
		"  lkst ship --config /etc/lkst/ship.conf\n",
	.options = rows,
	.options_size = sizeof(struct lkst_ship_options),
	.defaults = &defaults,
	.max_args = 1,
	.run = ship_run,
};
