/* SPDX-License-Identifier: GPL-2.0-only */
/* Long outputs that tests expect, as files in tests/data: JSON laid out to be read, compared without blanks. */
#ifndef LKST_TESTS_EXPECTED_H
#define LKST_TESTS_EXPECTED_H

/* @json without the blanks and line ends outside its strings. To be freed. */
char *squeezed_json(const char *json);

/* The same of the file @name in tests/data. Tests run in the checkout. */
char *expected_json(const char *name);

#endif
