/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SipHash-2-4 (Aumasson and Bernstein, 2012): a short value and a secret key give 64 bits that do
 * not reveal the value.
 */
#ifndef LKST_BASE_SIPHASH_H
#define LKST_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

enum { LKST_SIPHASH_KEY = 16 };

/* The hash of @length bytes. */
uint64_t lkst_siphash(const uint8_t key[LKST_SIPHASH_KEY], const void *bytes, size_t length);

#endif
