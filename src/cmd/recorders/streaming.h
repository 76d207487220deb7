/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the commands that stream a recording to files have in common: signals, the loop, the line that
 * shows how it goes, and running in the background.
 */
#ifndef LKST_CMD_RECORDERS_STREAMING_H
#define LKST_CMD_RECORDERS_STREAMING_H

#include <signal.h>

#include "cmd/frame/access.h"
#include "live/drain/recorder.h"

/* What the user wants of the files; the values of options. */
struct lkst_streaming_options {
	const char *output; /* NULL: a name is made of date and time */
	const char *rotate; /* NULL: no */
	u64 for_ns;	    /* end after this time, 0: no limit */
	struct lkst_access_options access;
	bool compress, symbols, no_symbols, quiet, daemon;
};

/* The rows of those options in the table of a command whose options are a struct @type. */
#define LKST_STREAMING_ROWS(type, options)                                                         \
	LKST_OPTION(TEXT, type, options.output, .name = "output", .letter = 'o',                   \
		    .argument = "DIR", .standard = "lkst-DATE-TIME",                               \
		    .help = "the trace directory to make; strftime(3) conversions give\n"          \
			    "it a time: 'lkst-%Y%m%d-%H%M%S'"),                                    \
		LKST_OPTION(                                                                       \
			TEXT, type, options.rotate, .name = "rotate", .letter = 'r',               \
			.argument = "LIMITS",                                                      \
			.help = "write parts, each a trace: 64M,10 keeps ten of 64 MiB;\n"         \
				"5min,12 an hour; both: 64M,5min,10; SIGUSR2 begins the next\n"    \
				"part at once"),                                                   \
		LKST_OPTION(FLAG, type, options.compress, .name = "compress", .letter = 'z',       \
			    .help = "compress finished parts with zstd, in the background"),       \
		LKST_OPTION(                                                                       \
			FLAG, type, options.symbols, .name = "symbols",                            \
			.help = "fail if the kernel does not give the names of functions, locks\n" \
				"and slab caches whose addresses the records have; without\n"      \
				"this a note says so"),                                            \
		LKST_OPTION(FLAG, type, options.no_symbols, .name = "no-symbols",                  \
			    .help = "without those names"),                                        \
		LKST_OPTION(DURATION, type, options.for_ns, .name = "for", .argument = "TIME",     \
			    .help = "end after this time: 10s, 5min ..."),                         \
		LKST_OPTION(                                                                       \
			FLAG, type, options.daemon, .name = "daemon", .letter = 'D',               \
			.help = "go to the background once it runs, and print its PID; errors\n"   \
				"go to syslog"),                                                   \
		LKST_ACCESS_ROWS(type, options.access),                                            \
		LKST_OPTION(FLAG, type, options.quiet, .name = "quiet", .letter = 'q',             \
			    .help = "no progress line and no notes")

struct lkst_streaming {
	struct lkst_err *e;
	const struct lkst_streaming_options *options;
	struct lkst_access access; /* to the files, as the options say */
	struct lkst_recorder *recorder;
	int signals;  /* a signalfd */
	int ready;    /* of the background process: written to when it runs, -1: none */
	char *output; /* of the background process: its wish as an absolute path; else NULL */
	u64 start_ns;
	bool said_full;
	bool is_daemon;
	bool is_filtered;	      /* not all threads are recorded */
	bool (*has_ended)(void *ctx); /* asked at every step and after SIGCHLD */
	void *ctx;
};

/*
 * Checks the options, goes to the background if that is wished for, and takes over the signals SIGINT,
 * SIGTERM and SIGHUP, which end it, SIGUSR2 and SIGCHLD; *@ret_mask: what was blocked before. Returns 0, or
 * 1 in the process that has waited for the one in the background to run: there is nothing left to do.
 */
int lkst_streaming_init(struct lkst_err *e, const struct lkst_streaming_options *options,
			struct lkst_streaming *st, sigset_t *ret_mask);

/* Begins to write. @since_ns: records before are left out. */
int lkst_streaming_begin(struct lkst_streaming *st, const struct lkst_session *s, u64 since_ns);

/* Tells that it runs, and streams until a signal comes, the time is over, or it has ended. */
int lkst_streaming_run(struct lkst_streaming *st);

/* Waits before it begins. 1: it is time to end. */
int lkst_streaming_delay(struct lkst_streaming *st, u64 delay_ns);

/* Waits up to @ms. True if a signal says that it is to end: once more, where the recording has ended. */
bool lkst_streaming_is_told(struct lkst_streaming *st, unsigned int ms);

/* For those who do not write files: waits up to @ms; 1: it is time to end. */
int lkst_streaming_wait(struct lkst_streaming *st, unsigned int ms);

/* Tells whoever has started the background that it runs. */
void lkst_streaming_tell_ready(struct lkst_streaming *st);

/* Writes the rest. */
int lkst_streaming_finish(struct lkst_streaming *st);

/* Frees all, reports @err in the background, and prints where the trace is. Returns @err or what failed. */
int lkst_streaming_fini(struct lkst_streaming *st, int err);

#endif
