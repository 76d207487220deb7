/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Facts about a machine: by section and key, and, where something is missing, what LKST cannot do then. They are read
 * below a root that a test may choose.
 */
#ifndef LKST_CMD_DOCTOR_FACTS_H
#define LKST_CMD_DOCTOR_FACTS_H

#include <stdbool.h>
#include <stddef.h>

#include "abi/types.h"
#include "result/json_writer.h"

enum { LKST_FACTS_MAX = 96, LKST_FACT_TEXT = 512 };

enum lkst_fact_type {
	LKST_FACT_TEXT_VALUE,
	LKST_FACT_NUMBER,
	LKST_FACT_BYTES,
	LKST_FACT_FLAG,
	LKST_FACT_UNKNOWN, /* `text` says why */
};

struct lkst_fact {
	const char *section, *key; /* words for programs, static: "kernel", "kprobes" */
	enum lkst_fact_type type;
	u64 value;
	char text[LKST_FACT_TEXT];
	char lacks[LKST_FACT_TEXT]; /* a sentence: what LKST cannot do because of it; "": nothing */
};

struct lkst_facts {
	int root;	     /* descriptor of the root of /proc, /sys and so on; the caller's */
	const char *section; /* of those that are added */
	struct lkst_fact list[LKST_FACTS_MAX];
	unsigned int nr;
	struct lkst_fact spare; /* what is written to when there is no room; never shown */
};

/* Adds a fact to the section at hand. It stays where it is. */
struct lkst_fact *lkst_fact_text(struct lkst_facts *f, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
struct lkst_fact *lkst_fact_number(struct lkst_facts *f, const char *key, u64 value);
struct lkst_fact *lkst_fact_bytes(struct lkst_facts *f, const char *key, u64 bytes);
struct lkst_fact *lkst_fact_flag(struct lkst_facts *f, const char *key, bool value);
struct lkst_fact *lkst_fact_unknown(struct lkst_facts *f, const char *key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Says what LKST cannot do because of @fact. */
void lkst_fact_lacks(struct lkst_fact *fact, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Puts the first line of the file @path, which is below the root and has no slash at its beginning, into @text, without
 * blanks around. 0 or a negative errno.
 */
int lkst_facts_read(const struct lkst_facts *f, const char *path, char text[LKST_FACT_TEXT]);

/* Whether there is a file @path. */
bool lkst_facts_has(const struct lkst_facts *f, const char *path);

/* Adds what the file @path holds: a line, or a number. Why it cannot be read is a fact, too. */
struct lkst_fact *lkst_fact_line_of(struct lkst_facts *f, const char *key, const char *path);
struct lkst_fact *lkst_fact_number_of(struct lkst_facts *f, const char *key, const char *path);

/* The fact @key of @section; NULL: there is none. */
const struct lkst_fact *lkst_facts_find(const struct lkst_facts *f, const char *section,
					const char *key);

/* Of how many facts it is said what LKST cannot do because of them. */
unsigned int lkst_facts_nr_lacks(const struct lkst_facts *f);

/* Prints all by sections, with what is missing below; as members of the JSON object that is begun. */
void lkst_facts_print(const struct lkst_facts *f, struct lkst_out *out);
void lkst_facts_put(const struct lkst_facts *f, struct lkst_json *j);

/*
 * Prints @text, which is words, in lines of at most 100 columns, the first of which has room from column @at on; the
 * others begin there. Ends the line.
 */
void lkst_facts_wrap(struct lkst_out *out, unsigned int at, const char *text);

#endif
