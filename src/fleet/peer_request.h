/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Moments that several machines keep: one that fires asks its peers, by the row of its incident, to keep the same time.
 * Such a moment is called "m-1a2b3c4d.3", by the recording and number of that first incident. What other machines have
 * written is never trusted.
 */
#ifndef LKST_FLEET_PEER_REQUEST_H
#define LKST_FLEET_PEER_REQUEST_H

#include "fleet/question.h"

enum {
	LKST_MOMENT_NAME = 24, /* with its NUL */
	LKST_PEER_HOST = 256,  /* bytes of a host's name, with its NUL */
	LKST_PEER_REQUESTS_MAX = 64, /* that are asked for at a time */
};

/*
 * Rows of incidents with a number from here on stand for no incident: a machine says by them what became of a moment
 * that it was asked for and did not keep.
 */
#define LKST_MOMENT_ANSWERS (1U << 31)

/* The name of the moment that begins with incident @number of recording @uuid. */
void lkst_moment_name(const u8 uuid[16], u32 number, char ret_name[LKST_MOMENT_NAME]);

/* Whether @text is such a name. */
bool lkst_moment_is_name(const char *text);

/* The number, from LKST_MOMENT_ANSWERS on, of the row that answers for moment @name. */
u32 lkst_moment_answer_number(const char *name);

/* Whom a machine keeps moments for. */
struct lkst_fleet_peers {
	char *const *hosts; /* their names */
	unsigned int nr_hosts;
	char *const *labels; /* NAME=VALUE: also hosts that have all of these; none: no others */
	unsigned int nr_labels;
};

/* A machine asks that its peers keep what was when its incident fired. */
struct lkst_peer_request {
	char host[LKST_PEER_HOST];
	char moment[LKST_MOMENT_NAME];
	u64 time_ns; /* of the day, by the clock of the machine that asks */
};

/*
 * The question for requests of @peers from @from_ns to @to_ns, times of day, that @self has not answered, the newest
 * LKST_PEER_REQUESTS_MAX of them. -EINVAL: a label is not NAME=VALUE.
 */
int lkst_fleet_question_requests(struct lkst_err *e, const char *self, const struct lkst_fleet_peers *peers,
				 u64 from_ns, u64 to_ns, struct lkst_fleet_question *ret_question);

/* Row @row of the answer. False: it is no request of that time. */
bool lkst_peer_request_of(const struct lkst_table *t, size_t row, u64 from_ns, u64 to_ns,
			  struct lkst_peer_request *ret_request);

#endif
