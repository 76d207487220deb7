/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of probes: tests/unit/probed/program.c, compiled in several ways, and what definitions become in it. */
#ifndef LKST_TESTS_PROBED_H
#define LKST_TESTS_PROBED_H

#define PROBED_GCC "gcc-O2"
#define PROBED_PLAIN "gcc-O0"
#define PROBED_CLANG "clang-O2"

/* The register of a function's first parameter. */
#ifdef __aarch64__
#define PROBED_FIRST "%x0"
#else
#define PROBED_FIRST "%di"
#endif

/* The path of the program as @how compiled it; good until the next call. */
const char *probed_path(const char *how);

/* The lines of kprobe_events that @definition becomes, or the error's text; good until the next call. */
const char *probed(const char *how, const char *definition);
const char *probed_kernel(const char *definition);
/* The same of tests/unit/probed/library/named.c, as @how ("debug", "symbols", "dynamic") compiled it, and its path. */
const char *probed_library(const char *how, const char *definition);
const char *probed_library_path(const char *how);

/* What was noted when the last definition was resolved; "": nothing. */
const char *probed_note(void);

/* What follows the place in the first of such @lines. */
const char *probed_args(const char *lines);

#endif
