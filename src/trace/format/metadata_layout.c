/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of the metadata that are the same in every trace, as tables. */
#include "trace/format/metadata_layout.h"

#include <string.h>

#include "abi/events.h"

/* CTF 1.8.3, section 4.1.5: what `align` says is relative to the packet's start. */
const struct lkst_ctf_alias lkst_ctf_aliases[] = {
	{ "uint8_t", { 8, 8, 10, false, false, false } },
	{ "uint16_t", { 16, 16, 10, false, false, false } },
	{ "uint32_t", { 32, 32, 10, false, false, false } },
	{ "uint64_t", { 64, 32, 10, false, false, false } },
	{ "int8_t", { 8, 8, 10, true, false, false } },
	{ "int16_t", { 16, 16, 10, true, false, false } },
	{ "int32_t", { 32, 32, 10, true, false, false } },
	{ "int64_t", { 64, 32, 10, true, false, false } },
	{ "xuint8_t", { 8, 8, 16, false, false, false } },
	{ "xuint16_t", { 16, 16, 16, false, false, false } },
	{ "xuint32_t", { 32, 32, 16, false, false, false } },
	{ "xuint64_t", { 64, 32, 16, false, false, false } },
	{ "xint8_t", { 8, 8, 16, true, false, false } },
	{ "xint16_t", { 16, 16, 16, true, false, false } },
	{ "xint32_t", { 32, 32, 16, true, false, false } },
	{ "xint64_t", { 64, 32, 16, true, false, false } },
	{ "ouint8_t", { 8, 8, 8, false, false, false } },
	{ "ouint16_t", { 16, 16, 8, false, false, false } },
	{ "ouint32_t", { 32, 32, 8, false, false, false } },
	{ "ouint64_t", { 64, 32, 8, false, false, false } },
	{ "oint8_t", { 8, 8, 8, true, false, false } },
	{ "oint16_t", { 16, 16, 8, true, false, false } },
	{ "oint32_t", { 32, 32, 8, true, false, false } },
	{ "oint64_t", { 64, 32, 8, true, false, false } },
	{ "utf8_t", { 8, 8, 10, false, true, false } },
	{ "uint64_clock_t", { 64, 32, 10, false, false, true } },
	{ "uint48_clock_t", { 48, 1, 10, false, false, true } },
	{},
};

/* struct lkst_block_header, in two parts. */
const struct lkst_ctf_struct lkst_ctf_packet_header = {
	"packet.header",
	0,
	{
		{ "uint32_t", "magic", 0 },
		{ "uint8_t", "uuid", 16 },
		{ "uint32_t", "stream_id", 0 },
		{ "uint64_t", "stream_instance_id", 0 },
	},
};

const struct lkst_ctf_struct lkst_ctf_packet_context = {
	"packet.context",
	0,
	{
		{ "uint64_clock_t", "timestamp_begin", 0 },
		{ "uint64_clock_t", "timestamp_end", 0 },
		{ "uint64_t", "content_size", 0 },
		{ "uint64_t", "packet_size", 0 },
		{ "uint64_t", "packet_seq_num", 0 },
		{ "uint64_t", "events_discarded", 0 },
		{ "uint32_t", "cpu_id", 0 },
		{ "int32_t", "tid", 0 },
	},
};

/* struct lkst_record_head, in two parts. */
const struct lkst_ctf_struct lkst_ctf_event_header = {
	"event.header",
	64,
	{
		{ "uint16_t", "id", 0 },
		{ "uint48_clock_t", "timestamp", 0 },
	},
};

const struct lkst_ctf_struct lkst_ctf_event_context = {
	"event.context",
	0,
	{
		{ "int32_t", "_tid", 0 },
	},
};

u8 lkst_ctf_alias_meaning(const char *name)
{
	u8 i;

	for (i = LKST_MEANING_HEX + 1; i < LKST_NR_MEANINGS; i++) {
		size_t length = strlen(lkst_meaning_names[i]);

		if (!strncmp(name, lkst_meaning_names[i], length) && name[length] == '_' &&
		    lkst_ctf_alias_find(name + length + 1))
			return i;
	}
	return 0;
}

const struct lkst_ctf_alias *lkst_ctf_alias_find(const char *name)
{
	const struct lkst_ctf_alias *a;

	for (a = lkst_ctf_aliases; a->name; a++)
		if (!strcmp(a->name, name))
			return a;
	return NULL;
}
