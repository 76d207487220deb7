/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fuzz target of the export for Perfetto: a trace of any events with any values (lib/any_trace.h), of which the first
 * two bytes say which window is written. What is written must be messages in messages, whose switches and system calls
 * fit together, whatever the trace said.
 *
 * prints: nothing: what is written is for a program, and looked at here
 */
#include <dirent.h>
#include <sys/stat.h>

#include "export/export.h"
#include "lib/any_trace.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

enum { CPUS_MAX = 1024, TIDS_MAX = 1024, FILE_MAX = 1 << 26 };

static char scratch[64];

static void remove_files(void)
{
	DIR *d = opendir(scratch);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
}

static void remove_scratch(void)
{
	remove_files();
	rmdir(scratch);
}

/* ---- what is written --------------------------------------------------------------------------- */

struct bytes {
	const u8 *at, *end;
};

static u64 number(struct bytes *b)
{
	u64 v = 0;
	u32 shift;

	for (shift = 0; b->at < b->end && shift < 70; shift += 7) {
		v |= (u64)(*b->at & 0x7f) << shift;
		if (!(*b->at++ & 0x80))
			return v;
	}
	abort();
}

static bool field(struct bytes *b, u32 *ret_field, u64 *ret_value, struct bytes *ret_in)
{
	u64 tag;

	if (b->at == b->end)
		return false;
	tag = number(b);
	*ret_field = (u32)(tag >> 3);
	*ret_value = number(b);
	if (!*ret_field || (tag & 7 && (tag & 7) != 2))
		abort();
	if (!(tag & 7))
		return true;
	if (*ret_value > (u64)(b->end - b->at))
		abort();
	*ret_in = (struct bytes){ b->at, b->at + *ret_value };
	b->at += *ret_value;
	return true;
}

static u64 find(struct bytes b, u32 wanted, struct bytes *ret_in)
{
	struct bytes in = {};
	u64 value;
	u32 f;

	*ret_in = (struct bytes){};
	while (field(&b, &f, &value, &in))
		if (f == wanted) {
			*ret_in = in;
			return value;
		}
	return 0;
}

/* How many numbers there are. */
static u32 count(struct bytes b)
{
	u32 nr = 0;

	for (; b.at < b.end; nr++)
		number(&b);
	return nr;
}

static u64 since[CPUS_MAX];
static s64 in_call[TIDS_MAX];

/* Each switch has all that it needs, and the time of a CPU does not go back. */
static void check_compact(u32 cpu, struct bytes compact)
{
	static const u32 switches[] = { 1, 2, 3, 4, 6 }, wakings[] = { 7, 8, 9, 10, 11, 12 };
	struct bytes times, in, names = compact;
	u64 ns = 0, nr_names = 0, value;
	u32 i, f, nr;

	find(compact, 1, &times);
	nr = count(times);
	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		find(compact, switches[i], &in);
		if (count(in) != nr)
			abort();
	}
	while (times.at < times.end) {
		ns += number(&times);
		if (ns < since[cpu])
			abort();
		since[cpu] = ns;
	}
	find(compact, 7, &times);
	nr = count(times);
	for (i = 0; i < sizeof(wakings) / sizeof(wakings[0]); i++) {
		find(compact, wakings[i], &in);
		if (count(in) != nr)
			abort();
	}
	while (field(&names, &f, &value, &in))
		nr_names += f == 5;
	for (i = 6; i <= 11; i += 5)
		for (find(compact, i, &in); in.at < in.end;)
			if (number(&in) >= nr_names)
				abort();
}

static void check_event(struct bytes e)
{
	struct bytes in;
	u64 tid = find(e, 2, &in), value;
	bool begins, ends;

	find(e, 329, &in);
	begins = in.at;
	value = begins ? find(in, 1, &in) : 0;
	find(e, 330, &in);
	ends = in.at;
	if (tid >= TIDS_MAX || (!begins && !ends))
		return;
	/* rt_sigreturn does not return. */
	in_call[tid] += begins && value != 15;
	in_call[tid] -= ends;
}

static void check_bundle(struct bytes b)
{
	struct bytes in = {}, compact;
	u32 cpu = (u32)find(b, 1, &in), f;
	u64 value;

	if (cpu >= CPUS_MAX)
		abort();
	find(b, 4, &compact);
	check_compact(cpu, compact);
	while (field(&b, &f, &value, &in))
		if (f == 2)
			check_event(in);
}

static void check_file(const char *path)
{
	size_t length;
	char *bytes = make_read(scratch, path, &length);
	struct bytes b = { (const u8 *)bytes, (const u8 *)bytes + length }, packet = {}, in;
	u64 value;
	u32 f;

	if (length > FILE_MAX)
		abort();
	memset(since, 0, sizeof(since));
	memset(in_call, 0, sizeof(in_call));
	while (field(&b, &f, &value, &packet)) {
		if (f != 1)
			abort();
		find(packet, 1, &in);
		if (in.at)
			check_bundle(in);
	}
	/* A thread is in one call at most, and leaves none that it has not begun. */
	for (f = 0; f < TIDS_MAX; f++)
		if (in_call[f] < 0 || in_call[f] > 1)
			abort();
	free(bytes);
}

static unsigned int perfetto_format(void)
{
	struct lkst_choice choice;
	unsigned int i;

	for (i = 0; lkst_export_choices(i, &choice); i++)
		if (!strcmp(choice.name, "perfetto"))
			return i;
	abort();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct source in = { .data = data, .left = size };
	struct lkst_export_request request = { .format = perfetto_format() };
	struct lkst_export_result result;
	struct lkst_err e = {};
	char path[80];

	if (!scratch[0]) {
		make_scratch(scratch);
		atexit(remove_scratch);
	}
	remove_files();
	request.which.from_ns = next(&in) * 16ULL;
	request.which.has_to = next(&in) & 1;
	request.which.to_ns = request.which.from_ns + next(&in) * 64ULL;
	any_trace_make(scratch, &in);
	if (lkst_trace_open(&e, scratch, &request.trace))
		abort();
	snprintf(path, sizeof(path), "%s/file", scratch);
	request.path = path;
	if (lkst_export_run(&e, &request, &result))
		abort();
	lkst_trace_close(request.trace);
	check_file("file");
	return 0;
}
