/* SPDX-License-Identifier: GPL-2.0-only */
/* What lkst doctor says of the kernel. */
#include "cmd/doctor/kernel_facts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/xxh64.h"
#include "live/kernel/kernel_types.h"
#include "live/kernel/tracefs.h"

enum { CONFIG_MAX = 4 << 20, BTF_MAX = 256 << 20 };

/* ---- how it was built ------------------------------------------------------------------------- */

static void close_gz(gzFile *file)
{
	if (*file)
		gzclose(*file);
}

/* The text of the configuration in @path, packed or not, for the caller to free; NULL: there is none. */
static char *kernel_facts_read_config(const struct lkst_facts *f, const char *path)
{
	int fd = openat(f->root, path, O_RDONLY | O_CLOEXEC);
	_cleanup_(close_gz) gzFile file = fd < 0 ? NULL : gzdopen(fd, "rb");
	char *text = malloc(CONFIG_MAX + 1);
	int got = file && text ? gzread(file, text, CONFIG_MAX) : -1;

	if (!file && fd >= 0)
		close(fd);
	if (got <= 0) {
		free(text);
		return NULL;
	}
	text[got] = 0;
	return text;
}

/* The same of this kernel, from where it is first found; adds where that is. */
static char *kernel_facts_find_config(struct lkst_facts *f, const char *release)
{
	static const char *const places[] = { "proc/config.gz", "boot/config-%s",
					      "lib/modules/%s/config", "usr/lib/modules/%s/config",
					      "lib/modules/%s/build/.config" };
	static const char *const names[] = { "/proc/config.gz", "/boot/config-RELEASE",
					     "/lib/modules/RELEASE/config",
					     "/usr/lib/modules/RELEASE/config",
					     "/lib/modules/RELEASE/build/.config" };
	char path[LKST_FACT_TEXT + 64];
	unsigned int i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *mark = strstr(places[i], "%s");
		char *text;

		if (mark)
			snprintf(path, sizeof(path), "%.*s%s%s", (int)(mark - places[i]), places[i],
				 release, mark + 2);
		else
			snprintf(path, sizeof(path), "%s", places[i]);
		text = kernel_facts_read_config(f, path);
		if (text) {
			lkst_fact_text(f, "config", "%s", names[i]);
			return text;
		}
	}
	lkst_fact_unknown(f, "config",
			  "it is neither in /proc/config.gz nor in /boot nor in /lib/modules");
	return NULL;
}

/* What @config says of @option: the length of its value, at *@ret_value. 0: it is off, or not there. */
static size_t find_option(const char *config, const char *option, const char **ret_value)
{
	const size_t length = strlen(option);
	const char *line;

	for (line = config; line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, option, length) && line[length] == '=') {
			*ret_value = line + length + 1;
			return strcspn(*ret_value, "\n");
		}
	}
	return 0;
}

static bool is_on(const char *config, const char *option)
{
	const char *value;

	return find_option(config, option, &value) == 1 && *value == 'y';
}

/* The word in brackets of "none voluntary (full)"; false: there is none. */
static bool find_chosen(char *text, const char *begin, const char *end)
{
	char *from = strpbrk(text, begin), *to = from ? strpbrk(from, end) : NULL;

	if (!to)
		return false;
	memmove(text, from + 1, (size_t)(to - from - 1));
	text[to - from - 1] = 0;
	return true;
}

/* How threads are preempted that run in the kernel, as the kernel says it now. */
static bool read_preemption(char text[LKST_FACT_TEXT])
{
	_cleanup_close_ int debugfs = lkst_debugfs_open(NULL);
	const struct lkst_facts there = { .root = debugfs };

	return debugfs >= 0 && !lkst_facts_read(&there, "sched/preempt", text) &&
	       find_chosen(text, "(", ")");
}

static void add_preemption(struct lkst_facts *f, const char *config, const char *version)
{
	const bool is_dynamic = strstr(version, "PREEMPT_DYNAMIC");
	const char *built = !config					? NULL
			    : is_on(config, "CONFIG_PREEMPT_VOLUNTARY") ? "voluntary"
			    : is_on(config, "CONFIG_PREEMPT_LAZY")	? "lazy"
			    : is_on(config, "CONFIG_PREEMPT")		? "full"
									: "none";
	char text[LKST_FACT_TEXT];

	if (lkst_facts_has(f, "sys/kernel/realtime") || strstr(version, "PREEMPT_RT"))
		lkst_fact_lacks(
			lkst_fact_text(f, "preemption", "real time"),
			"There is no cost limit (--budget): the kernel lets no program use timers.");
	else if (read_preemption(text))
		lkst_fact_text(f, "preemption", "%s", text);
	else if (is_dynamic && built)
		lkst_fact_text(f, "preemption", "%s, unless another was chosen at boot", built);
	else if (is_dynamic)
		lkst_fact_unknown(f, "preemption",
				  "it is chosen at boot, and only root may read which, in debugfs");
	else if (strstr(version, "PREEMPT"))
		lkst_fact_text(f, "preemption", "full");
	else
		lkst_fact_text(f, "preemption", "%s", built ?: "none or voluntary");
}

static void add_hz(struct lkst_facts *f, const char *config)
{
	const char *value;
	size_t length = config ? find_option(config, "CONFIG_HZ", &value) : 0;

	if (length)
		lkst_fact_number(f, "hz", strtoul(value, NULL, 10));
	else
		lkst_fact_unknown(f, "hz", "its configuration is not there");
}

/* How many modules have type information of their own. */
static unsigned int count_module_types(const struct lkst_facts *f)
{
	int fd = openat(f->root, "sys/kernel/btf", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;
	unsigned int nr = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((d = readdir(dir)))
		nr += d->d_name[0] != '.' && strcmp(d->d_name, "vmlinux") != 0;
	closedir(dir);
	return nr;
}

/* Two reports with the same sum are of kernels with the same types. */
static void add_types(struct lkst_facts *f)
{
	_cleanup_free_ char *bytes = NULL;
	size_t length;
	int err = lkst_read_file(NULL, f->root, "sys/kernel/btf/vmlinux", BTF_MAX, &bytes, &length);

	lkst_fact_flag(f, "btf", !err);
	if (err) {
		lkst_fact_lacks(
			&f->list[f->nr - 1],
			"Nothing is recorded: programs are fitted to a kernel by its type information "
			"(CONFIG_DEBUG_INFO_BTF, /sys/kernel/btf/vmlinux), which cannot be read: %s.",
			strerror(-err));
		return;
	}
	lkst_fact_bytes(f, "btf_bytes", length);
	lkst_fact_text(f, "btf_xxh64", "%016llx", (unsigned long long)lkst_xxh64(bytes, length));
	lkst_fact_number(f, "modules_with_btf", count_module_types(f));
}

static void add_probes(struct lkst_facts *f)
{
	struct lkst_fact *fact = lkst_fact_flag(
		f, "kprobes", lkst_facts_has(f, "sys/bus/event_source/devices/kprobe"));

	if (!fact->value)
		lkst_fact_lacks(
			fact,
			"No event of a function is recorded, and `lkst probe` and `lkst errors` set no "
			"probe in the kernel (CONFIG_KPROBES).");
	fact = lkst_fact_flag(f, "uprobes",
			      lkst_facts_has(f, "sys/bus/event_source/devices/uprobe"));
	if (!fact->value)
		lkst_fact_lacks(fact, "`lkst probe` sets no probe in a program (CONFIG_UPROBES).");
}

static void add_interpreter(struct lkst_facts *f)
{
	struct lkst_fact *fact =
		lkst_fact_number_of(f, "bpf_jit_enable", "proc/sys/net/core/bpf_jit_enable");

	if (fact->type == LKST_FACT_NUMBER && !fact->value)
		lkst_fact_lacks(
			fact,
			"Programs are interpreted, which makes each event cost several times as much; "
			"`sysctl net.core.bpf_jit_enable=1` changes it.");
	fact = lkst_fact_number_of(f, "bpf_stats_enabled", "proc/sys/kernel/bpf_stats_enabled");
	if (fact->type == LKST_FACT_NUMBER && fact->value)
		lkst_fact_lacks(
			fact,
			"The kernel times each run of a program, which adds to what each event costs; "
			"`sysctl kernel.bpf_stats_enabled=0` ends that.");
}

static void add_distribution(struct lkst_facts *f)
{
	_cleanup_free_ char *text = NULL;
	const char *value;
	size_t length;

	if (lkst_read_file(NULL, f->root, "etc/os-release", CONFIG_MAX, &text, &length))
		return;
	length = find_option(text, "PRETTY_NAME", &value);
	if (length > 1 && *value == '"')
		lkst_fact_text(f, "distribution", "%.*s", (int)length - 2, value + 1);
	else if (length)
		lkst_fact_text(f, "distribution", "%.*s", (int)length, value);
}

void lkst_facts_add_kernel(struct lkst_facts *f)
{
	char release[LKST_FACT_TEXT] = "", version[LKST_FACT_TEXT] = "";
	_cleanup_free_ char *config = NULL;

	f->section = "kernel";
	lkst_fact_line_of(f, "release", "proc/sys/kernel/osrelease");
	lkst_fact_line_of(f, "version", "proc/sys/kernel/version");
	lkst_facts_read(f, "proc/sys/kernel/osrelease", release);
	lkst_facts_read(f, "proc/sys/kernel/version", version);
#ifdef __aarch64__
	lkst_fact_text(f, "architecture", "aarch64");
#else
	lkst_fact_text(f, "architecture", "x86_64");
#endif
	add_distribution(f);
	lkst_fact_line_of(f, "cpus_online", "sys/devices/system/cpu/online");
	lkst_fact_line_of(f, "cpus_possible", "sys/devices/system/cpu/possible");
	lkst_fact_number_of(f, "tainted", "proc/sys/kernel/tainted");
	add_types(f);
	config = kernel_facts_find_config(f, release);
	add_hz(f, config);
	add_preemption(f, config, version);
	add_probes(f);
	add_interpreter(f);
}

/* ---- what this process may -------------------------------------------------------------------- */

/* As in include/uapi/linux/capability.h. */
enum {
	BIT_DAC_READ_SEARCH = 2,
	BIT_SYS_ADMIN = 21,
	BIT_SYS_RESOURCE = 24,
	BIT_SYSLOG = 34,
	BIT_PERFMON = 38,
	BIT_BPF = 39,
};

static const struct {
	unsigned int bit;
	const char *key;
	const char *lacks; /* NULL: CAP_SYS_ADMIN does instead */
} capabilities[] = {
	{ BIT_BPF, "cap_bpf", NULL },
	{ BIT_PERFMON, "cap_perfmon", NULL },
	{ BIT_SYS_ADMIN, "cap_sys_admin",
	  "Tracepoints are not recorded by name, and nothing is pinned where no BPF file system is "
	  "mounted." },
	{ BIT_SYS_RESOURCE, "cap_sys_resource", "" },
	{ BIT_SYSLOG, "cap_syslog", "Addresses in a trace have no names." },
	{ BIT_DAC_READ_SEARCH, "cap_dac_read_search", "" },
};

/* The capabilities in effect: "CapEff" of /proc/self/status. */
static bool read_capabilities(const struct lkst_facts *f, u64 *ret_bits)
{
	_cleanup_free_ char *text = NULL;
	const char *line;
	size_t length;

	if (lkst_read_file(NULL, f->root, "proc/self/status", CONFIG_MAX, &text, &length))
		return false;
	line = strstr(text, "\nCapEff:");
	if (line)
		*ret_bits = strtoull(line + strlen("\nCapEff:"), NULL, 16);
	return line != NULL;
}

static void add_capability(struct lkst_facts *f, unsigned int row, u64 bits)
{
	const bool has = bits >> capabilities[row].bit & 1, is_root = bits >> BIT_SYS_ADMIN & 1;
	struct lkst_fact *fact = lkst_fact_flag(f, capabilities[row].key, has);

	/* Root as it usually is has them all. */
	if (has || geteuid())
		return;
	if (!capabilities[row].lacks && !is_root)
		lkst_fact_lacks(fact, "Nothing is recorded: loading programs takes it.");
	else if (capabilities[row].lacks)
		lkst_fact_lacks(fact, "%s", capabilities[row].lacks);
}

void lkst_facts_add_privileges(struct lkst_facts *f)
{
	struct lkst_fact *fact;
	unsigned int i;
	u64 bits;

	f->section = "privileges";
	fact = lkst_fact_flag(f, "root", !geteuid());
	if (!fact->value)
		lkst_fact_lacks(fact,
				"Nothing is recorded, and no program was tried: both take root.");
	if (!read_capabilities(f, &bits)) {
		lkst_fact_unknown(f, "cap_bpf", "/proc/self/status cannot be read");
		return;
	}
	for (i = 0; i < sizeof(capabilities) / sizeof(capabilities[0]); i++)
		add_capability(f, i, bits);
}

/* ---- what it lets whom do --------------------------------------------------------------------- */

#define LOCKED "confidentiality"

static void add_lockdown(struct lkst_facts *f)
{
	char text[LKST_FACT_TEXT];
	int err = lkst_facts_read(f, "sys/kernel/security/lockdown", text);
	struct lkst_fact *fact;

	if (err == -ENOENT && lkst_facts_has(f, "sys/kernel/security/lsm")) {
		lkst_fact_text(f, "lockdown", "not in this kernel");
		return;
	}
	if (err || !find_chosen(text, "[", "]")) {
		lkst_fact_line_of(f, "lockdown", "sys/kernel/security/lockdown");
		return;
	}
	fact = lkst_fact_text(f, "lockdown", "%s", text);
	if (!strcmp(text, LOCKED))
		lkst_fact_lacks(
			fact,
			"No program may copy memory of the kernel or hook its functions: the events that "
			"need that are left out, no probe is set, and `lkst extract --earlier` reads no "
			"memory.");
}

static bool has_capability(u64 bits, unsigned int bit)
{
	return bits >> bit & 1 || bits >> BIT_SYS_ADMIN & 1;
}

/* Found out by a program that does it: where /sys/kernel/security is not mounted nothing else tells. */
static void add_copying(struct lkst_facts *f)
{
	const struct lkst_fact *lockdown = lkst_facts_find(f, "security", "lockdown");
	struct lkst_fact *fact;
	u64 bits = 0;

	if (geteuid() || !read_capabilities(f, &bits) || !has_capability(bits, BIT_BPF) ||
	    !has_capability(bits, BIT_PERFMON)) {
		lkst_fact_unknown(f, "programs_copy_memory",
				  "this process may load no program that does");
		return;
	}
	fact = lkst_fact_flag(f, "programs_copy_memory", lkst_kernel_lets_read_memory());
	if (!fact->value && (!lockdown || strcmp(lockdown->text, LOCKED) != 0))
		lkst_fact_lacks(
			fact,
			"No program may copy memory of the kernel, as under lockdown=confidentiality: events "
			"that need it are left out.");
}

void lkst_facts_add_security(struct lkst_facts *f)
{
	struct lkst_fact *fact;

	f->section = "security";
	add_lockdown(f);
	add_copying(f);
	lkst_fact_line_of(f, "lsm", "sys/kernel/security/lsm");
	lkst_fact_number_of(f, "unprivileged_bpf_disabled",
			    "proc/sys/kernel/unprivileged_bpf_disabled");
	lkst_fact_number_of(f, "bpf_jit_harden", "proc/sys/net/core/bpf_jit_harden");
	lkst_fact_line_of(f, "perf_event_paranoid", "proc/sys/kernel/perf_event_paranoid");
	fact = lkst_fact_number_of(f, "kptr_restrict", "proc/sys/kernel/kptr_restrict");
	if (fact->type == LKST_FACT_NUMBER && fact->value > 1)
		lkst_fact_lacks(
			fact,
			"Addresses in a trace have no names: the kernel does not even tell root where its "
			"functions are; `sysctl kernel.kptr_restrict=1` changes it.");
}
