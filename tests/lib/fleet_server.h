/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A server for `lkst ship` that is a process of the test: it answers the few statements that ClickHouse would be sent,
 * keeps each row, also one that comes twice, and takes the bundles that a store would. It can be told to answer one
 * request in a way in which servers and networks fail.
 */
#ifndef LKST_TESTS_FLEET_SERVER_H
#define LKST_TESTS_FLEET_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "abi/types.h"

enum {
	FLEET_ROWS_MAX = 4096,
	FLEET_FILES_MAX = 16,
	FLEET_TEXT = 160,
	FLEET_VERSION = 8, /* of the tables */
};

/* A row of second_rows. */
struct fleet_second {
	u8 trace[16];
	u32 second;
	char measure[64], cgroup[64];
	u64 n, total;
	u64 parts;   /* the values of its parts, added up, without that of `seconds` */
	u64 seconds; /* the value of that part */
	u64 buckets; /* their counts, added up */
};

/* A row of incident_rows. */
struct fleet_incident_row {
	u8 trace[16];
	u32 number, revision;
	char reason[FLEET_TEXT], bundle[FLEET_TEXT], note[FLEET_TEXT];
	u64 bundle_bytes, account_length, account_sum; /* the last one is xxh64 */
	u32 nr_waits;
	bool has_come_early; /* it says where a bundle is that is not there yet */
};

/* A file that was put. */
struct fleet_file {
	char name[FLEET_TEXT];
	u64 bytes;
	u32 nr; /* how often */
};

/* How one request is answered. */
enum fleet_fault {
	FLEET_GOOD,
	FLEET_REFUSES,	     /* status 500, and nothing is done */
	FLEET_HANGS_UP,	     /* no answer, and nothing is done */
	FLEET_LOSES_ANSWER,  /* it is done, and there is no answer */
	FLEET_CUTS_ANSWER,   /* it is done, and half of the answer comes */
	FLEET_CLOSES_LATER,  /* it is done and answered; then the connection is closed, which nobody says */
	FLEET_IS_AT_WORK,    /* no answer; it is done after it was sent again, and refused under that name */
	FLEET_IS_SILENT,     /* nothing is done, and no answer comes */
	FLEET_WORKS_SILENTLY, /* it is done, and no answer comes */
	FLEET_IS_A_PAGE,     /* status 200 and HTML, as of a proxy */
	FLEET_NR_FAULTS,
};
extern const char *const fleet_fault_names[FLEET_NR_FAULTS];

/* What a request is. */
enum fleet_request { FLEET_ASKS, FLEET_INSERTS, FLEET_PUTS };

/* Shared with the server's process. */
struct fleet_server {
	char url[64], dir[128]; /* where files that are put go, under their names */
	/* What it is to do. */
	u32 version;		/* of the tables */
	s64 fault_at;		/* the number of the request that is answered in another way, from 0; -1: none */
	enum fleet_fault fault;
	/* What it was asked and told. */
	u32 nr_requests, nr_bad;      /* those it does not understand */
	enum fleet_request requested; /* what the one at `fault_at` was */
	bool has_failed;	      /* that was come to */
	char bad[FLEET_TEXT];	      /* what is wrong with the last bad one */
	u32 nr_seconds, nr_incidents, nr_hosts, nr_files;
	struct fleet_second seconds[FLEET_ROWS_MAX];
	struct fleet_incident_row incidents[FLEET_ROWS_MAX];
	struct fleet_file files[FLEET_FILES_MAX];
	pid_t pid; /* 0: it does not run */
	int listener;
};

/* Makes one, which does not run yet; @dir: a directory of its own. Files are put at its URL and "/store". */
struct fleet_server *fleet_server_new(const char *dir);

void fleet_server_start(struct fleet_server *s);
/* Ends it: until it is started again connections are refused. */
void fleet_server_stop(struct fleet_server *s);

/* Forgets all that it was told. It runs, or not, as before. */
void fleet_server_clear(struct fleet_server *s);

#endif
