/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of C++ as people write them, of those that compilers give to symbols (the Itanium C++ ABI): "ns::V::burn(long)"
 * of "_ZN2ns1V4burnEl".
 *
 * Names may come from any file: what is made of one is bounded in size and in depth. What is not read stays as the
 * compiler wrote it: lambdas and others without a name, what is local to a function, expressions in templates.
 */
#ifndef LKST_PROBE_DEBUGINFO_CPP_NAME_H
#define LKST_PROBE_DEBUGINFO_CPP_NAME_H

#include <stdbool.h>
#include <stddef.h>

enum { LKST_CPP_NAME = 1024 }; /* bytes of a name's text, with its end */

/*
 * Writes the name of @symbol without its parameters. False: it is none of C++, or not one that is read, and @text is
 * not changed. A compiler's copy ("_ZN2ns1V4burnEl.constprop.0") has the name of its function.
 */
bool lkst_cpp_name(const char *symbol, char text[LKST_CPP_NAME]);

/* Whether a function may be written like @name in C++ alone: it has "::". */
bool lkst_cpp_is_written(const char *name);

/*
 * Whether @name, as a person writes it, means the function of @symbol. Blanks do not count; parameters and what is in
 * "<>" count where they are written: "ns::Box::grow" is "ns::Box<int>::grow(long)", too.
 */
bool lkst_cpp_means(const char *name, const char *symbol);

#endif
