/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces of several hosts, opened at once, on one time line. Each host keeps its own trace: its catalogue, its CPUs and
 * threads, its CLOCK_MONOTONIC. What they share is the time of day, which each catalogue's clock offset gives: when the
 * hosts are opened, those are corrected by what is known of the clocks (doc/several-hosts.md), against the first host.
 */
#ifndef LKST_HOSTS_HOSTS_H
#define LKST_HOSTS_HOSTS_H

#include "base/cleanup.h"
#include "hosts/bounds.h"
#include "hosts/host_clock.h"
#include "result/notes.h"
#include "trace/read/reader.h"

enum { LKST_HOST_NAME_MAX = 80 };

struct lkst_host {
	struct lkst_trace *trace;
	char name[LKST_HOST_NAME_MAX]; /* its own, made different from the others' */
	u64 offset_ns;		       /* time of day, corrected = its times + this, modulo 2^64 */
	struct lkst_host_clock clock;
	struct lkst_clock_bound bound; /* what was added, and how far that may be off */
	bool is_same_boot;    /* recorded by the same kernel as a host before: its clock is the same */
	unsigned int same_as; /* that host's number, or its own */
	u64 nr_messages;   /* that it sent to or received from the others */
};

struct lkst_hosts {
	struct lkst_host *list; /* at least one */
	unsigned int nr;
	u64 nr_messages;  /* between them */
	u64 nr_backwards; /* of these, received before they were sent: by the clocks as they were */
	u64 nr_still;	  /* and with what was added */
	struct lkst_notes notes;
};

/*
 * Takes @nr traces that are open, which the hosts close, also on failure, and brings their clocks together. -EINVAL:
 * that cannot be done.
 */
int lkst_hosts_take(struct lkst_err *e, struct lkst_trace **traces, unsigned int nr,
		    struct lkst_hosts *ret_hosts);

/* The same hosts for somebody else, who closes them as well: their traces are held. 0 or -ENOMEM. */
int lkst_hosts_hold(struct lkst_err *e, const struct lkst_hosts *h, struct lkst_hosts *ret_hosts);
void lkst_hosts_close(struct lkst_hosts *h);

/* The same for the traces of recordings (hosts/recordings.h), which it opens. */
struct lkst_recording_list;
int lkst_hosts_open(struct lkst_err *e, const struct lkst_recording_list *r,
		    struct lkst_hosts *ret_hosts);

/* The number of the host called @name; -ENOENT, and a sentence that names those that there are. */
int lkst_hosts_find(struct lkst_err *e, const struct lkst_hosts *h, const char *name);

/* From the first record of any to the last, by the common time of day. */
void lkst_hosts_range(const struct lkst_hosts *h, u64 *ret_begin_ns, u64 *ret_end_ns);

/* A common time as host @host's own: 0 if that is before its clock began. UINT64_MAX stays. */
u64 lkst_hosts_own_ns(const struct lkst_host *host, u64 ns);

/* "1.2 ms added, right to 85 us": what is known of the clock of host @i. */
enum { LKST_HOST_CLOCK_TEXT = 256 };
void lkst_hosts_clock_text(const struct lkst_hosts *h, unsigned int i,
			   char text[LKST_HOST_CLOCK_TEXT]);

#endif
