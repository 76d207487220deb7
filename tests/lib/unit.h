/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The whole test framework of tests/unit: a test is a function, a program is a table of them. Prints one
 * line per test, "ok NAME", "FAIL NAME: where: what" or "skip NAME: why", which tests/run counts.
 *
 *	TEST(reader_rejects_short_packet)
 *	{
 *		CHECK(code == -EBADMSG);
 *		CHECK_EQ(nr_records, 3);
 *	}
 *
 *	static const struct unit_test tests[] = { { "reader_rejects_short_packet", test_... } };
 *	UNIT_MAIN(tests)
 */
#ifndef LKST_TESTS_UNIT_H
#define LKST_TESTS_UNIT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit_test {
	const char *name;
	void (*run)(void);
};

/* The test that runs, and how it went so far. */
extern const char *unit_name;
extern int unit_failed, unit_skipped;

#define TEST(name) static void test_##name(void)

/* Whether the program was built with the address sanitizer, which makes it slow. */
#ifndef __has_feature
#define __has_feature(x) 0 /* clang's */
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define IS_SANITIZED 1
#else
#define IS_SANITIZED 0
#endif

/*
 * The step from one drawn input to the next: each is tried, or with the sanitizers some, of all kinds that follow from
 * the lower bits of its number. A wrong answer is found by the plain build; a wrong access is found in any.
 */
#define UNIT_STEP (IS_SANITIZED ? 7 : 1)

/* Ends the test, which cannot be made here. */
#define SKIP(why)                                                                                  \
	do {                                                                                       \
		printf("skip %s: %s\n", unit_name, why);                                           \
		unit_skipped = 1;                                                                  \
		return;                                                                            \
	} while (0)

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			printf("FAIL %s: %s:%d: %s\n", unit_name, __FILE__, __LINE__, #condition); \
			unit_failed = 1;                                                           \
			return;                                                                    \
		}                                                                                  \
	} while (0)

#define CHECK_EQ(a, b)                                                                             \
	do {                                                                                       \
		long long unit_a = (long long)(a), unit_b = (long long)(b);                        \
		if (unit_a != unit_b) {                                                            \
			printf("FAIL %s: %s:%d: %s is %lld, not %lld\n", unit_name, __FILE__,      \
			       __LINE__, #a, unit_a, unit_b);                                      \
			unit_failed = 1;                                                           \
			return;                                                                    \
		}                                                                                  \
	} while (0)

#define CHECK_STR(a, b)                                                                            \
	do {                                                                                       \
		const char *unit_a = (a), *unit_b = (b);                                           \
		if (strcmp(unit_a, unit_b)) {                                                      \
			printf("FAIL %s: %s:%d: %s is \"%s\", not \"%s\"\n", unit_name, __FILE__,  \
			       __LINE__, #a, unit_a, unit_b);                                      \
			unit_failed = 1;                                                           \
			return;                                                                    \
		}                                                                                  \
	} while (0)

#define UNIT_MAIN(list)                                                                            \
	int main(void)                                                                             \
	{                                                                                          \
		int unit_any_failed = 0;                                                           \
                                                                                                   \
		for (size_t i = 0; i < sizeof(list) / sizeof((list)[0]); i++) {                    \
			unit_name = list[i].name;                                                  \
			unit_failed = unit_skipped = 0;                                            \
			list[i].run();                                                             \
			unit_any_failed |= unit_failed;                                            \
			if (!unit_failed && !unit_skipped)                                         \
				printf("ok %s\n", unit_name);                                      \
			fflush(stdout);                                                            \
		}                                                                                  \
		return unit_any_failed;                                                            \
	}

#endif
