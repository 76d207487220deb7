/* SPDX-License-Identifier: GPL-2.0-only */
/* The metadata of a trace with LTTng's names. */
#include "export/lttng/ctf_metadata.h"

#include <string.h>
#include <time.h>

#include "trace/format/metadata_layout.h"
#include "trace/format/metadata_text.h"

enum { LEFT_OUT_MAX = 256 }; /* times in which a kind was left out that are told */

void lkst_ctf_uuid(const struct lkst_catalog *c, u8 uuid[16])
{
	memcpy(uuid, c->uuid, 16);
	uuid[15] ^= 0x4c;
}

/*
 * Readers choose their analyses by the tracer's name and version (Trace Compass: LttngKernelTrace.java), so these say
 * what the events look like. `exported_by` says who wrote them.
 */
struct ctf_metadata_times {
	FILE *f;
	unsigned int nr;
};

/* not_recorded_0 = "syscall:* from 2000000000 to 4000000000 ns (the cost limit)": the format has no gap of a kind. */
static int ctf_metadata_put_left_out(void *ctx, const struct lkst_limited_time *time)
{
	struct ctf_metadata_times *times = ctx;
	char name[32], text[LKST_KIND_NAME + 96], to[32] = "the end";

	if (time->to_ns != UINT64_MAX)
		snprintf(to, sizeof(to), "%llu ns", (unsigned long long)time->to_ns);
	snprintf(name, sizeof(name), "not_recorded_%u", times->nr++);
	snprintf(text, sizeof(text), "%s from %llu ns to %s (the cost limit)", time->kind,
		 (unsigned long long)time->from_ns, to);
	lkst_tsdl_put_env(times->f, name, text);
	return times->nr == LEFT_OUT_MAX;
}

static void put_environment(FILE *f, const struct lkst_export *x)
{
	const struct lkst_catalog *c = x->catalog;
	struct ctf_metadata_times times = { f, 0 };
	time_t second = (time_t)(c->clock_offset_ns / 1000000000);
	char when[32] = "";
	struct tm tm;

	if (gmtime_r(&second, &tm))
		strftime(when, sizeof(when), "%Y%m%dT%H%M%S+0000", &tm);
	fputs("env {\n", f);
	lkst_tsdl_put_env(f, "hostname", c->hostname);
	lkst_tsdl_put_env(f, "domain", "kernel");
	lkst_tsdl_put_env(f, "sysname", "Linux");
	lkst_tsdl_put_env(f, "kernel_release", c->release);
	lkst_tsdl_put_env(f, "kernel_version", c->version);
	lkst_tsdl_put_env(f, "tracer_name", "lttng-modules");
	fputs("\ttracer_major = 2;\n\ttracer_minor = 13;\n\ttracer_patchlevel = 23;\n", f);
	lkst_tsdl_put_env(f, "trace_buffering_scheme", "global");
	lkst_tsdl_put_env(f, "trace_name", x->request->trace_name);
	lkst_tsdl_put_env(f, "trace_creation_datetime", when);
	lkst_tsdl_put_env(f, "machine", c->machine);
	lkst_tsdl_put_env(f, "exported_by",
			  "lkst: recorded by LKST, not by LTTng; the names are LTTng's");
	if (c->has_hashed_addresses)
		lkst_tsdl_put_env(f, "kernel_addresses", "hashed");
	if (x->limited)
		lkst_limited_each(x->limited, x->begin_ns, x->end_ns, ctf_metadata_put_left_out, &times);
	fputs("};\n\n", f);
}

static void ctf_metadata_put_clock(FILE *f, const struct lkst_catalog *c)
{
	static const u8 unknown[16];

	fputs("clock {\n\tname = \"" LKST_CTF_CLOCK "\";\n", f);
	if (memcmp(c->boot_id, unknown, sizeof(unknown)) != 0) {
		fputs("\tuuid = \"", f);
		lkst_tsdl_put_uuid(f, c->boot_id);
		fputs("\";\n", f);
	}
	fprintf(f,
		"\tdescription = \"Monotonic Clock\";\n"
		"\tfreq = %u; /* Hz */\n"
		"\t/* clock value offset from Epoch is: offset * (1/freq) */\n"
		"\toffset = %llu;\n};\n\n",
		(unsigned int)LKST_CTF_CLOCK_HZ, (unsigned long long)c->clock_offset_ns);
}

static void put_types(FILE *f)
{
	static const u8 sizes[] = { 8, 16, 32, 64 };
	u32 i;

	for (i = 0; i < sizeof(sizes); i++)
		fprintf(f,
			"typealias integer { size = %u; align = 8; signed = false; } := uint%u_t;\n",
			sizes[i], sizes[i]);
	fputc('\n', f);
}

static void put_clock_types(FILE *f)
{
	static const u8 sizes[] = { 32, 64 };
	u32 i;

	for (i = 0; i < sizeof(sizes); i++)
		fprintf(f,
			"typealias integer { size = %u; align = 8; signed = false;"
			" map = clock." LKST_CTF_CLOCK ".value; } := uint%u_clock_monotonic_t;\n",
			sizes[i], sizes[i]);
	fputc('\n', f);
}

/* Trace Compass has a fast way for this header, which it knows by its members (EventHeaderLargeDeclaration.java). */
static const char structs[] =
	"struct packet_context {\n"
	"\tuint64_clock_monotonic_t timestamp_begin;\n"
	"\tuint64_clock_monotonic_t timestamp_end;\n"
	"\tuint64_t content_size;\n"
	"\tuint64_t packet_size;\n"
	"\tuint64_t packet_seq_num;\n"
	"\tuint64_t events_discarded;\n"
	"\tuint32_t cpu_id;\n"
	"};\n\n"
	"struct event_header_large {\n"
	"\tenum : uint16_t { compact = 0 ... 65534, extended = 65535 } id;\n"
	"\tvariant <id> {\n"
	"\t\tstruct {\n"
	"\t\t\tuint32_clock_monotonic_t timestamp;\n"
	"\t\t} compact;\n"
	"\t\tstruct {\n"
	"\t\t\tuint32_t id;\n"
	"\t\t\tuint64_clock_monotonic_t timestamp;\n"
	"\t\t} extended;\n"
	"\t} v;\n"
	"} align(8);\n\n"
	"stream {\n"
	"\tid = 0;\n"
	"\tevent.header := struct event_header_large;\n"
	"\tpacket.context := struct packet_context;\n"
	"\tevent.context := struct {\n"
	"\t\tinteger { size = 32; align = 8; signed = true; encoding = none; base = 10; } _tid;\n"
	"\t};\n"
	"};\n\n";

void lkst_ctf_describe_trace(FILE *f, const struct lkst_export *x)
{
	const struct lkst_catalog *c = x->catalog;
	u8 uuid[16];

	fputs(LKST_CTF_SIGNATURE "\n\n", f);
	put_types(f);
	lkst_ctf_uuid(c, uuid);
	fputs("trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"", f);
	lkst_tsdl_put_uuid(f, uuid);
	fputs("\";\n\tbyte_order = le;\n\tpacket.header := struct {\n"
	      "\t\tuint32_t magic;\n\t\tuint8_t  uuid[16];\n\t\tuint32_t stream_id;\n"
	      "\t\tuint64_t stream_instance_id;\n\t};\n};\n\n",
	      f);
	put_environment(f, x);
	ctf_metadata_put_clock(f, c);
	put_clock_types(f);
	fputs(structs, f);
}

void lkst_ctf_describe_event(FILE *f, const char *start, const char *name, u32 id)
{
	char whole[2 * LKST_NAME_MAX];

	snprintf(whole, sizeof(whole), "%s%s", start, name);
	fputs("event {\n\tname = ", f);
	lkst_tsdl_put_quoted(f, whole);
	fprintf(f, ";\n\tid = %u;\n\tstream_id = 0;\n\tfields := struct {\n", id);
}

void lkst_ctf_describe_field(FILE *f, const char *name, const struct lkst_ctf_type *type)
{
	if (type->form == LKST_CTF_STRING) {
		fprintf(f, "\t\tstring _%s;\n", name);
		return;
	}
	fprintf(f,
		"\t\tinteger { size = %u; align = 8; signed = %s; encoding = %s; base = %u; } _%s",
		type->size * 8u, type->is_signed ? "true" : "false",
		type->form == LKST_CTF_CHARS ? "UTF8" : "none", type->base, name);
	if (type->length)
		fprintf(f, "[_%s]", type->length);
	else if (type->form != LKST_CTF_NUMBER)
		fprintf(f, "[%u]", type->count);
	fputs(";\n", f);
}

void lkst_ctf_describe_end(FILE *f)
{
	fputs("\t};\n};\n\n", f);
}

/* ---- the state at the beginning --------------------------------------------------------------- */

/* lttng-modules, include/instrumentation/events/lttng-statedump.h; src/export/lttng/ctf.c fills them. */
static const struct {
	u32 id;
	const char *name;
	struct {
		const char *name;
		struct lkst_ctf_type type;
	} fields[9];
} state_events[] = {
#define S32                                                                                        \
	{                                                                                          \
		LKST_CTF_NUMBER, 4, true, 10, 0, NULL                                              \
	}
#define U32                                                                                        \
	{                                                                                          \
		LKST_CTF_NUMBER, 4, false, 10, 0, NULL                                             \
	}
#define STRING                                                                                     \
	{                                                                                          \
		.form = LKST_CTF_STRING                                                            \
	}
	{ LKST_CTF_ID_STATE_START, "lttng_statedump_start", {} },
	{ LKST_CTF_ID_STATE_END, "lttng_statedump_end", {} },
	{ LKST_CTF_ID_PROCESS,
	  "lttng_statedump_process_state",
	  { { "tid", S32 },
	    { "pid", S32 },
	    { "ppid", S32 },
	    { "name", { LKST_CTF_CHARS, 1, false, 10, 16, NULL } },
	    { "type", S32 },
	    { "mode", S32 },
	    { "submode", S32 },
	    { "status", S32 } } },
	{ LKST_CTF_ID_INTERRUPT,
	  "lttng_statedump_interrupt",
	  { { "irq", U32 }, { "action", STRING } } },
	{ LKST_CTF_ID_DISK,
	  "lttng_statedump_block_device",
	  { { "dev", U32 }, { "diskname", STRING } } },
	{ LKST_CTF_ID_NETDEV, "lttng_statedump_network_interface", { { "name", STRING } } },
#undef S32
#undef U32
#undef STRING
};

void lkst_ctf_describe_state(FILE *f)
{
	u32 i, j;

	for (i = 0; i < sizeof(state_events) / sizeof(state_events[0]); i++) {
		lkst_ctf_describe_event(f, "", state_events[i].name, state_events[i].id);
		for (j = 0; state_events[i].fields[j].name; j++)
			lkst_ctf_describe_field(f, state_events[i].fields[j].name,
						&state_events[i].fields[j].type);
		lkst_ctf_describe_end(f);
	}
}
