/* SPDX-License-Identifier: GPL-2.0-only */
/* Moments of several machines: their names, and what other machines ask for. */
#include "fleet/peer_request.h"

#include <stdio.h>
#include <string.h>

#include "base/xxh64.h"

enum {
	TRACE_DIGITS = 8,
	NUMBER_DIGITS = 10,
	/* The columns of lkst_fleet_question_requests(). */
	HOST = 0,
	MOMENT,
	AT,
	NR_COLUMNS,
};

void lkst_moment_name(const u8 uuid[16], u32 number, char ret_name[LKST_MOMENT_NAME])
{
	snprintf(ret_name, LKST_MOMENT_NAME, "m-%02x%02x%02x%02x.%u", uuid[0], uuid[1], uuid[2], uuid[3],
		 number);
}

bool lkst_moment_is_name(const char *text)
{
	const char *number = text + 2 + TRACE_DIGITS + 1;
	size_t digits;

	if (strncmp(text, "m-", 2) || strspn(text + 2, "0123456789abcdef") != TRACE_DIGITS ||
	    text[2 + TRACE_DIGITS] != '.')
		return false;
	digits = strspn(number, "0123456789");
	return digits && digits <= NUMBER_DIGITS && !number[digits];
}

u32 lkst_moment_answer_number(const char *name)
{
	return LKST_MOMENT_ANSWERS | (u32)lkst_xxh64(name, strlen(name));
}

/* Whether a name can be one of a host, and printed as it is. */
static bool is_host(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length && (unsigned char)text[i] > ' ' && text[i] != 0x7f; i++)
		;
	return length && i == length && length < LKST_PEER_HOST;
}

bool lkst_peer_request_of(const struct lkst_table *t, size_t row, u64 from_ns, u64 to_ns,
			  struct lkst_peer_request *ret_request)
{
	const struct lkst_cell *host, *moment, *at;

	if (t->nr_columns != NR_COLUMNS)
		return false;
	host = lkst_table_cell(t, row, HOST);
	moment = lkst_table_cell(t, row, MOMENT);
	at = lkst_table_cell(t, row, AT);
	if (!host->is_set || !moment->is_set || !at->is_set || !is_host(host->text, host->length) ||
	    moment->length >= LKST_MOMENT_NAME || strlen(moment->text) != moment->length ||
	    !lkst_moment_is_name(moment->text) || at->u64 < from_ns || at->u64 >= to_ns)
		return false;
	*ret_request = (struct lkst_peer_request){ .time_ns = at->u64 };
	memcpy(ret_request->host, host->text, host->length);
	memcpy(ret_request->moment, moment->text, moment->length);
	return true;
}
