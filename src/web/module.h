/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The library as a module of WebAssembly: what a page in a browser calls. The page gives it the files of a trace, and
 * then runs commands of lkst on them, which read that trace and print as at the terminal.
 *
 * The module imports what wasi-libc's write(2), clock_gettime(2) and exit(3) need ("wasi_snapshot_preview1"), and
 * nothing else. Pointers and lengths are numbers of 32 bits.
 */
#ifndef LKST_WEB_MODULE_H
#define LKST_WEB_MODULE_H

#include <stddef.h>

/* What the page can call by this name. (For tests it is built like the rest, too.) */
#ifdef __wasm__
#define LKST_WEB_EXPORT(name) __attribute__((export_name(#name)))
#else
#define LKST_WEB_EXPORT(name)
#endif

/* Memory for @bytes bytes, aligned to 16; NULL: there is none. It is given back by lkst_web_free(). */
void *lkst_web_alloc(size_t bytes) LKST_WEB_EXPORT(lkst_web_alloc);
void lkst_web_free(void *memory) LKST_WEB_EXPORT(lkst_web_free);

/*
 * Adds a file to those of the trace, with the directory that it is in. @name, which a NUL ends, and @bytes are of
 * lkst_web_alloc(), and the module's from then on. Returns 0, or -ENOMEM, and then nothing was taken.
 */
int lkst_web_add_file(char *name, void *bytes, size_t length) LKST_WEB_EXPORT(lkst_web_add_file);

/*
 * The same for a file that is packed by zstd, of which nothing is kept: @name and @packed are taken in any case.
 * -EBADMSG: it is damaged.
 */
int lkst_web_add_packed(char *name, void *packed, size_t length)
	LKST_WEB_EXPORT(lkst_web_add_packed);

/* Forgets all files, what was read of them for pictures, and which was chosen. */
void lkst_web_clear(void) LKST_WEB_EXPORT(lkst_web_clear);

/*
 * Of several hosts' traces, what is run or opened from now on is about the one of this number, from 1 on, by itself,
 * with its clock brought to the time of all; 0: about all of them on one time line.
 */
void lkst_web_choose(unsigned int nr) LKST_WEB_EXPORT(lkst_web_choose);

/*
 * Runs a command that reads: @words are @nr_words words, each with its NUL, the first of which is the command's name
 * and the last the trace's, for messages. Returns the exit status.
 */
int lkst_web_run(char *words, unsigned int nr_words) LKST_WEB_EXPORT(lkst_web_run);

/*
 * Prints all analyses as JSON: [{"name", "title", "help", "measures"}], in the order of `lkst analyze all`. 0 or a
 * negative errno.
 */
int lkst_web_analyses(void) LKST_WEB_EXPORT(lkst_web_analyses);

#endif
