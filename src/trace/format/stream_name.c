// SPDX-License-Identifier: GPL-2.0-only
/* The names of a stream's files. */
#include "trace/format/stream_name.h"

#include <stdio.h>
#include <string.h>

#include "abi/control.h"
#include "abi/state.h"
#include "trace/format/block.h"
#include "trace/format/zst.h"

size_t lkst_file_name_start(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

size_t lkst_stream_name_length(const char *name)
{
	const size_t length = strlen(name), suffix = sizeof(LKST_ZST_SUFFIX) - 1;

	if (length > suffix && !strcmp(name + length - suffix, LKST_ZST_SUFFIX))
		return length - suffix;
	return length;
}

void lkst_stream_name(u64 instance, char ret_name[LKST_STREAM_NAME_MAX])
{
	static const char *const names[] = {
		[LKST_BUFFER_MAIN] = "main", [LKST_BUFFER_LIFE] = "life"
	};
	u32 cpu = lkst_instance_cpu(instance), buffer = lkst_instance_buffer(instance);
	u32 level = lkst_instance_level(instance);
	char nested[8] = "";

	if (level)
		snprintf(nested, sizeof(nested), ".n%u", level);
	if (buffer == LKST_BUFFER_STATE)
		snprintf(ret_name, LKST_STREAM_NAME_MAX, "state");
	else if (buffer == LKST_BUFFER_MARKS)
		snprintf(ret_name, LKST_STREAM_NAME_MAX, "marks.%u%s", cpu, nested);
	else if (buffer < sizeof(names) / sizeof(names[0]))
		snprintf(ret_name, LKST_STREAM_NAME_MAX, "%s.%u%s", names[buffer], cpu, nested);
	else
		snprintf(ret_name, LKST_STREAM_NAME_MAX, "buffer%u.%u%s", buffer, cpu, nested);
}

bool lkst_stream_name_parse(const char *name, u64 *ret_instance)
{
	u32 cpu = 0, buffer, level = 0;
	char same[LKST_STREAM_NAME_MAX];
	u64 instance;

	if (!strcmp(name, "state"))
		buffer = LKST_BUFFER_STATE;
	else if (sscanf(name, "main.%5u.n%1u", &cpu, &level) >= 1)
		buffer = LKST_BUFFER_MAIN;
	else if (sscanf(name, "marks.%5u.n%1u", &cpu, &level) >= 1)
		buffer = LKST_BUFFER_MARKS;
	else if (sscanf(name, "life.%5u.n%1u", &cpu, &level) >= 1)
		buffer = LKST_BUFFER_LIFE;
	else if (sscanf(name, "buffer%5u.%5u.n%1u", &buffer, &cpu, &level) < 2)
		return false;
	if (cpu >= LKST_CPUS_MAX || buffer > LKST_BUFFER_STATE || level >= LKST_LEVELS)
		return false;
	/* Only if it is that name to the last character. */
	instance = lkst_stream_instance(cpu, buffer, level);
	lkst_stream_name(instance, same);
	if (strcmp(name, same))
		return false;
	*ret_instance = instance;
	return true;
}
