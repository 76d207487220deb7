/* SPDX-License-Identifier: GPL-2.0-only */
/* What lkst doctor says of the machine beside its kernel. */
#include "cmd/doctor/machine_facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "live/hooks/sampling.h"
#include "live/kernel/cgroup_mount.h"
#include "live/kernel/perf_counters.h"
#include "live/kernel/tracefs.h"
#include "live/recording/start.h"
#include "live/rings/history.h"
#include "live/rings/memory.h"

enum { MOUNTS_MAX = 16 << 20 };

/* ---- file systems ----------------------------------------------------------------------------- */

/* How many file systems of @type are mounted, by the text of /proc/self/mountinfo. */
static unsigned int count_mounts(const char *mounts, const char *type)
{
	char mark[32];
	unsigned int nr = 0;

	snprintf(mark, sizeof(mark), " - %s ", type);
	for (mounts = strstr(mounts, mark); mounts; mounts = strstr(mounts + 1, mark))
		nr++;
	return nr;
}

static void add_tracefs(struct lkst_facts *f, const char *mounts)
{
	struct lkst_err why = {};
	_cleanup_close_ int fd = lkst_tracefs_open(&why);

	if (fd < 0 && geteuid())
		lkst_fact_unknown(f, "tracefs", "only root may open it");
	else if (fd < 0)
		lkst_fact_lacks(lkst_fact_flag(f, "tracefs", false),
				"No tracepoint is recorded by name (system:name): %s.", why.text);
	else
		lkst_fact_flag(f, "tracefs", true);
	lkst_fact_flag(f, "tracefs_mounted", count_mounts(mounts, "tracefs") != 0);
}

static void add_debugfs(struct lkst_facts *f)
{
	struct lkst_err why = {};
	_cleanup_close_ int fd = lkst_debugfs_open(&why);
	struct lkst_facts there = { .root = fd };
	struct lkst_fact *fact;

	if (fd < 0 && geteuid()) {
		lkst_fact_unknown(f, "error_injection", "only root may open debugfs");
		return;
	}
	fact = lkst_fact_flag(f, "error_injection",
			      fd >= 0 && lkst_facts_has(&there, "error_injection/list"));
	if (!fact->value)
		lkst_fact_lacks(
			fact,
			"`lkst inject` makes no function of the kernel fail but the hooks of security "
			"modules (CONFIG_FUNCTION_ERROR_INJECTION).");
}

static void add_cgroups(struct lkst_facts *f, const char *mounts)
{
	static const char *const hierarchies[] = {
		[LKST_CGROUP_NONE] = "none",	 [LKST_CGROUP_UNIFIED] = "version 2",
		[LKST_CGROUP_MEMORY] = "memory", [LKST_CGROUP_PIDS] = "pids",
		[LKST_CGROUP_CPU] = "cpu",
	};
	const unsigned int v1 = count_mounts(mounts, "cgroup"),
			   v2 = count_mounts(mounts, "cgroup2");
	struct lkst_cgroup_mount mount;
	struct lkst_fact *fact;

	lkst_fact_text(f, "cgroups",
		       v1 && v2 ? "versions 1 and 2"
		       : v1	? "version 1"
		       : v2	? "version 2"
				: "not mounted");
	lkst_cgroup_mount_find(&mount);
	fact = lkst_fact_text(f, "cgroup_hierarchy", "%s",
			      mount.of < sizeof(hierarchies) / sizeof(hierarchies[0])
				      ? hierarchies[mount.of]
				      : "none");
	if (!mount.point[0])
		lkst_fact_lacks(
			fact,
			"A trace does not say in which cgroup, and so in which container, a thread is.");
}

void lkst_facts_add_files(struct lkst_facts *f)
{
	_cleanup_free_ char *mounts = NULL;
	size_t length;

	f->section = "files";
	if (lkst_read_file(NULL, f->root, "proc/self/mountinfo", MOUNTS_MAX, &mounts, &length)) {
		lkst_fact_unknown(f, "mounts", "/proc/self/mountinfo cannot be read");
		return;
	}
	lkst_fact_flag(f, "bpf_mounted", count_mounts(mounts, "bpf") != 0);
	add_tracefs(f, mounts);
	add_debugfs(f);
	add_cgroups(f, mounts);
	lkst_fact_flag(f, "psi", lkst_facts_has(f, "proc/pressure/cpu"));
}

/* ---- a crash ---------------------------------------------------------------------------------- */

void lkst_facts_add_crash(struct lkst_facts *f)
{
	struct lkst_fact *fact;

	f->section = "crash";
	fact = lkst_fact_number_of(f, "kdump_loaded", "sys/kernel/kexec_crash_loaded");
	if (fact->type != LKST_FACT_NUMBER || !fact->value)
		lkst_fact_lacks(
			fact,
			"A crash leaves no dump that `lkst extract` finds the recording in; after a reset "
			"it may find it in memory (lkst-extract(1)).");
	lkst_fact_number_of(f, "kdump_bytes", "sys/kernel/kexec_crash_size");
	lkst_fact_number_of(f, "panic_on_oops", "proc/sys/kernel/panic_on_oops");
	lkst_fact_flag(f, "pstore", lkst_facts_has(f, "sys/fs/pstore"));
}

/* ---- counters --------------------------------------------------------------------------------- */

/* Names of the counters of the CPU that can be counted here, or cannot, with blanks between; why the first cannot. */
struct machine_facts_counted {
	char can[LKST_FACT_TEXT], cannot[LKST_FACT_TEXT];
	struct lkst_err why;
	int err;
};

static void machine_facts_append(char text[LKST_FACT_TEXT], const char *name)
{
	const size_t used = strlen(text);

	snprintf(text + used, LKST_FACT_TEXT - used, "%s%s", used ? " " : "", name);
}

static void try_counters(struct machine_facts_counted *c)
{
	u8 i;

	for (i = 1; i < LKST_NR_PERF_COUNTERS; i++) {
		struct lkst_err why = {};
		const int err = lkst_perf_counters_try(&why, i);

		machine_facts_append(err ? c->cannot : c->can, lkst_perf_counter_names[i]);
		if (err && !c->err) {
			c->err = err;
			c->why = why;
		}
	}
}

static void add_cycles(struct lkst_facts *f)
{
	struct lkst_err why = {};
	struct lkst_fact *fact = lkst_fact_flag(f, "samples_by_cycles",
						!lkst_sampling_check(&why, LKST_SAMPLE_CYCLES));

	if (!fact->value)
		lkst_fact_lacks(
			fact,
			"`lkst start --sample` takes samples by a timer, and not by --cycles: none where "
			"interrupts are off.");
}

void lkst_facts_add_counters(struct lkst_facts *f)
{
	struct machine_facts_counted c = {};

	f->section = "counters";
	if (!lkst_facts_has(f, "proc/sys/kernel/perf_event_paranoid")) {
		lkst_fact_lacks(
			lkst_fact_flag(f, "perf", false),
			"No samples are taken and nothing is counted (CONFIG_PERF_EVENTS).");
		return;
	}
	lkst_fact_flag(f, "perf", true);
	lkst_fact_number_of(f, "stack_frames", "proc/sys/kernel/perf_event_max_stack");
	try_counters(&c);
	if (c.err == -EPERM || c.err == -EACCES) {
		lkst_fact_unknown(f, "counted", "this user may not count on all CPUs");
		return;
	}
	lkst_fact_text(f, "counted", "%s", c.can[0] ? c.can : "nothing");
	if (c.err)
		lkst_fact_lacks(lkst_fact_text(f, "not_counted", "%s", c.cannot),
				"`lkst start --counters` does not count these: %s.", c.why.text);
	add_cycles(f);
}

/* ---- clock and memory ------------------------------------------------------------------------- */

void lkst_facts_add_clock(struct lkst_facts *f)
{
	static const char *const slow[] = { "hpet", "acpi_pm", "pit", "jiffies",
					    "refined-jiffies" };
	struct lkst_fact *fact;
	unsigned int i;

	f->section = "clock";
	fact = lkst_fact_line_of(f, "source",
				 "sys/devices/system/clocksource/clocksource0/current_clocksource");
	for (i = 0; i < sizeof(slow) / sizeof(slow[0]); i++)
		if (!strcmp(fact->text, slow[i]))
			lkst_fact_lacks(
				fact,
				"Each record costs more, for its time is read from a device; or its time is "
				"coarse.");
	lkst_fact_line_of(f, "available",
			  "sys/devices/system/clocksource/clocksource0/available_clocksource");
}

/* The number of KiB that @name has in /proc/meminfo, in bytes. */
static void add_meminfo(struct lkst_facts *f, const char *meminfo, const char *key,
			const char *name)
{
	const char *line = meminfo ? strstr(meminfo, name) : NULL;

	if (line)
		lkst_fact_bytes(f, key, strtoull(line + strlen(name), NULL, 10) << 10);
	else
		lkst_fact_unknown(f, key, "/proc/meminfo does not say it");
}

void lkst_facts_add_memory(struct lkst_facts *f)
{
	_cleanup_(lkst_memory_free) struct lkst_memory memory = {};
	const u64 buffer_bytes = lkst_history_usual();
	_cleanup_free_ char *meminfo = NULL;
	struct lkst_err why = {};
	struct lkst_fact *fact;
	size_t length;

	f->section = "memory";
	if (lkst_read_file(NULL, f->root, "proc/meminfo", MOUNTS_MAX, &meminfo, &length))
		meminfo = NULL;
	add_meminfo(f, meminfo, "total_bytes", "MemTotal:");
	add_meminfo(f, meminfo, "available_bytes", "MemAvailable:");
	if (lkst_memory_plan(&why, buffer_bytes, LKST_USUAL_BLOCK_BYTES, buffer_bytes / 4, 0, false, &memory)) {
		lkst_fact_unknown(f, "recording_bytes", "%.*s", LKST_FACT_TEXT - 1, why.text);
		return;
	}
	fact = lkst_fact_bytes(f, "recording_bytes", memory.bytes);
	if (lkst_memory_check(&why, &memory))
		lkst_fact_lacks(fact, "`lkst start` without --buffer is refused: %.*s.",
				LKST_FACT_TEXT / 2, why.text);
}
