/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What `lkst ship` does, with its own functions, but without a kernel, without time, and one step after the other: a
 * recording in memory (made_recording.h) is counted second by second and an incident of it is explained, by processes
 * that can be ended at any point (kill_points.h), and sent to a server of the test's (fleet_server.h). The clock is a
 * number that outlasts them. What the server has in the end is compared with what was put into the recording.
 *
 * A program that uses this is linked with the functions of the kernel and of time replaced: SHIP_WRAPPED in Makefile.
 */
#ifndef LKST_TESTS_SHIPPING_H
#define LKST_TESTS_SHIPPING_H

#include "base/time.h"
#include "lib/fleet_server.h"
#include "lib/made_recording.h"

enum {
	SHIPPING_STEPS = 4, /* seconds that the service runs */
	SHIPPING_SAID = LKST_ERR_MAX,
	SHIPPING_BEGIN_SECOND = 1058, /* since boot, when it begins: the last but one of a minute of the time of day */
};

/* What is to be added to the time since boot, s; and when the service begins, ns. */
#define SHIPPING_OFFSET_S 1700000000ULL
#define SHIPPING_BEGIN_NS (SHIPPING_BEGIN_SECOND * LKST_NS_PER_S + 300000000)

/* Where each process that explains an incident is killed. */
enum shipping_killer { SHIPPING_NOBODY, SHIPPING_AT_SAVING, SHIPPING_AT_DROPPING };

/* Shared with the processes. */
struct shipping_world {
	u64 now_ns; /* CLOCK_MONOTONIC */
	u32 step;   /* seconds that have passed */
	u32 nr_incidents;
	u32 nr_accounts;   /* that were made */
	u32 nr_failures;   /* that a sender has said */
	u32 nr_explaining; /* processes that were begun to explain an incident */
	u32 patience_ms;   /* how long a sender waits for an answer until the server has failed; 0: for ten minutes */
	enum shipping_killer killer;
	char said[SHIPPING_SAID];	  /* by a sender, last */
	char service_said[SHIPPING_SAID]; /* by the service */
};

struct shipping {
	struct made_recording *recording;
	struct fleet_server *server;
	struct shipping_world *world;
	char dir[64], spool[80];
	/* How the service is to be. */
	u64 spool_bytes;
	u32 steps; /* how many it goes on for at least, and until incidents are explained */
	bool has_no_store;
	bool gives_up;	    /* a sender ends when something fails, and is not started again before the next step */
	bool fires_nothing; /* there are no incidents */
	/* When it began again after a kill, ns; 0: it did not. */
	u64 again_ns;
	bool had_begun; /* something was counted by then */
};

struct shipping *shipping_new(void);

/* As nothing had happened. */
void shipping_reset(struct shipping *s);

/* The service, until all of it has arrived. For a process of its own; @ctx: a struct shipping. */
void shipping_serve(void *ctx);

/* Runs it in a process that is waited for; false: it has failed. */
bool shipping_run(struct shipping *s);

/* The same after it was killed: it is noted when that was. */
bool shipping_run_again(struct shipping *s);

/* How many records there are in that time. */
u64 shipping_count(u64 from_ns, u64 to_ns);

/* ns of the second @second of the time of day. */
u64 shipping_ns(u64 second);

/*
 * What is wrong with what the server has, and with what is left in the spool; NULL: nothing. Each second is there once,
 * without a gap, with as many records as there were; minutes are the sums of their seconds; and all that there is to
 * say of each incident is there once, with its bundle.
 */
const char *shipping_check(struct shipping *s);

/* The same of seconds, which may be missing: *@ret_missing is how many are, between the first and the last. */
const char *shipping_check_all_but(const struct shipping *s, u64 *ret_missing);

/* How many seconds are missing, as the server was told last. */
u64 shipping_told_missing(const struct shipping *s);

/* The rows of an incident with that revision; the last of them is in *@ret_row. */
u32 shipping_rows_of(const struct shipping *s, u32 number, u32 revision, struct fleet_incident_row *ret_row);

/* The names of what is in the spool besides its lock and its position; "": nothing. */
const char *shipping_left(const struct shipping *s);

#endif
