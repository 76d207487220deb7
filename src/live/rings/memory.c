/* SPDX-License-Identifier: GPL-2.0-only */
/* The memory that the rings take. */
#include "live/rings/memory.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/diag.h"
#include "base/size.h"

/* Life events are some 100 bytes each and rare: this holds hours of an ordinary machine. */
#define LIFE_BYTES (256ULL << 10)
/*
 * A stack has some 200 bytes: at 99 samples a second that all differ, the one holds half a minute, the other more than
 * two. A small main buffer is a sixteenth of the one, as a sample is of its stack.
 */
#define LIFE_WITH_STACKS_MIN (1ULL << 20)
#define LIFE_WITH_STACKS_MAX (4ULL << 20)

/*
 * A writer is in its ring for some 30 ns, so that even where a CPU does nothing but record, few records
 * in a hundred come from an interrupt in that time. A ring of this fraction holds as long a history.
 */
enum { NESTED_PART = 16 };

static u64 round_up_power_of_two(u64 v)
{
	u64 power = 1;

	while (power < v)
		power <<= 1;
	return power;
}

u8 *lkst_memory_find_online(u32 nr_cpus, u32 *ret_nr)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	u8 *online = calloc(nr_cpus, 1);
	unsigned int from, to, cpu;
	int got;
	char separator;

	for (*ret_nr = 0; online && f && (got = fscanf(f, "%u", &from)) == 1;) {
		to = from;
		separator = fgetc(f);
		if (separator == '-' && fscanf(f, "%u", &to) == 1)
			separator = fgetc(f);
		for (cpu = from; cpu <= to && cpu < nr_cpus; cpu++)
			*ret_nr += !online[cpu], online[cpu] = 1;
		if (separator != ',')
			break;
	}
	return online;
}

u64 lkst_memory_place(u64 first, u64 bytes, u32 block_shift, const u8 *online, u32 nr_cpus,
		      struct lkst_ring_place *ret_rings)
{
	u32 cpu, level;

	for (cpu = 0; cpu < nr_cpus; cpu++)
		for (level = 0; level < LKST_LEVELS; level++) {
			u64 ring = online[cpu] ? bytes : LKST_BUFFER_BYTES_MIN, blocks;

			blocks = (level ? ring / NESTED_PART : ring) >> block_shift;
			if (blocks < 2)
				blocks = 2;
			*ret_rings++ = (struct lkst_ring_place){ first, blocks };
			first += blocks;
		}
	return first;
}

int lkst_memory_buffer_size(struct lkst_err *e, u64 bytes, u64 *ret_bytes)
{
	if (bytes < LKST_BUFFER_BYTES_MIN || bytes > LKST_BUFFER_BYTES_MAX)
		return lkst_err_set(e, -EINVAL, "the buffer of a CPU is 64K to 4G, not %llu bytes",
				    (unsigned long long)bytes);
	*ret_bytes = round_up_power_of_two(bytes);
	return 0;
}

/*
 * Of the buffer of rare events, for a main buffer of @main bytes. Stacks are in it, too: their samples are in main,
 * and a stack must not be overwritten before them.
 */
static u64 life_bytes(u64 main, bool has_stacks)
{
	if (has_stacks && main >= LIFE_WITH_STACKS_MIN)
		return main < LIFE_WITH_STACKS_MAX ? main : LIFE_WITH_STACKS_MAX;
	if (has_stacks)
		return LIFE_WITH_STACKS_MIN;
	return main < LIFE_BYTES ? LKST_BUFFER_BYTES_MIN : LIFE_BYTES;
}

static int place_rings(struct lkst_err *e, struct lkst_memory *m, const u8 *online)
{
	u64 next = (u64)m->nr_cpus * LKST_NR_BUFFERS;
	struct lkst_ring_place *rings = m->rings;
	u32 buffer, bank;

	for (buffer = 0; buffer < LKST_BUFFERS_AT_START; buffer++) {
		next = lkst_memory_place(next, m->buffer_bytes[buffer], m->block_shift, online,
					 m->nr_cpus, rings);
		rings += (size_t)m->nr_cpus * LKST_LEVELS;
	}
	/* As if there were more buffers; where their rings would be does not matter. */
	for (bank = 0; bank < m->nr_banks; bank++)
		next = lkst_memory_place(next, m->buffer_bytes[LKST_BUFFER_MAIN], m->block_shift,
					 online, m->nr_cpus, rings);
	if (m->spare_bytes)
		next = lkst_memory_place(next, m->spare_bytes, m->block_shift, online, m->nr_cpus,
					 rings);
	if (next > UINT32_MAX)
		return lkst_err_set(e, -E2BIG,
				    "%llu blocks are more than one array can hold; take larger "
				    "blocks (--block) or smaller buffers (--buffer)",
				    (unsigned long long)next);
	m->nr_elements = next;
	m->bytes = next << m->block_shift;
	return 0;
}

int lkst_memory_plan(struct lkst_err *e, u64 buffer_bytes, u64 block_bytes, u64 spare_bytes,
		     u32 nr_banks, bool has_stacks, struct lkst_memory *ret_memory)
{
	int possible = libbpf_num_possible_cpus(), err;
	struct lkst_memory m = { .nr_cpus = possible,
				 .spare_bytes = spare_bytes,
				 .nr_banks = nr_banks,
				 .numa_node = LKST_NODE_ANY };
	_cleanup_free_ u8 *online = NULL;

	if (possible <= 0 || possible > LKST_POSSIBLE_CPUS_MAX)
		return lkst_err_set(e, -E2BIG, "this machine has %d CPUs; at most %d are supported",
				    possible, LKST_POSSIBLE_CPUS_MAX);
	err = lkst_memory_buffer_size(e, buffer_bytes, &m.buffer_bytes[LKST_BUFFER_MAIN]);
	if (err)
		return err;
	if (block_bytes & (block_bytes - 1) || block_bytes < 1ULL << LKST_BLOCK_SHIFT_MIN ||
	    block_bytes > 1ULL << LKST_BLOCK_SHIFT_MAX)
		return lkst_err_set(e, -EINVAL,
				    "a block is a power of two from 4K to 1M, not %llu bytes",
				    (unsigned long long)block_bytes);
	m.block_shift = __builtin_ctzll(block_bytes);
	m.buffer_bytes[LKST_BUFFER_LIFE] = life_bytes(m.buffer_bytes[0], has_stacks);
	m.rings = calloc((size_t)m.nr_cpus * (LKST_BUFFERS_AT_START + 1) * LKST_LEVELS,
			 sizeof(*m.rings));
	online = lkst_memory_find_online(m.nr_cpus, &m.nr_online);
	if (!m.rings || !online) {
		free(m.rings);
		return lkst_err_sys(e, -ENOMEM, "planning memory");
	}
	err = place_rings(e, &m, online);
	if (err)
		free(m.rings);
	else
		*ret_memory = m;
	return err;
}

void lkst_memory_free(struct lkst_memory *m)
{
	free(m->rings);
	m->rings = NULL;
}

/* A line "Name:   123 kB" of /proc/meminfo, in bytes; 0 if there is none. */
static u64 meminfo(const char *name)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/meminfo", "re");
	unsigned long long kib;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, strlen(name)) &&
		    sscanf(line + strlen(name), ": %llu", &kib) == 1)
			return kib << 10;
	return 0;
}

u64 lkst_memory_total(void)
{
	return meminfo("MemTotal");
}

/* A number in a file; "max" and a missing file are no limit. */
static u64 read_limit(const char *path)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	unsigned long long v;

	return f && fscanf(f, "%llu", &v) == 1 ? v : UINT64_MAX;
}

/* What the memory cgroup at @dir, or one above it, still allows. */
static u64 cgroup_room(const char *root, char *dir, const char *limit, const char *usage)
{
	u64 room = UINT64_MAX;

	for (;;) {
		char path[1024];
		char *slash;
		u64 max, used;

		snprintf(path, sizeof(path), "%s%s/%s", root, dir, limit);
		max = read_limit(path);
		snprintf(path, sizeof(path), "%s%s/%s", root, dir, usage);
		used = read_limit(path);
		if (max != UINT64_MAX && used != UINT64_MAX) {
			u64 left = max > used ? max - used : 0;

			room = left < room ? left : room;
		}
		slash = strrchr(dir, '/');
		if (!slash || slash == dir) {
			if (!dir[0] || !dir[1])
				return room;
			dir[1] = 0;
		} else {
			*slash = 0;
		}
	}
}

/* What the memory cgroups that this process is in still allow; UINT64_MAX: no limit. */
static u64 cgroups_room(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/self/cgroup", "re");
	u64 room = UINT64_MAX, one;
	char line[1024];

	while (f && fgets(line, sizeof(line), f)) {
		char *controllers = strchr(line, ':');
		char *dir = controllers ? strchr(controllers + 1, ':') : NULL;

		if (!dir)
			continue;
		*dir++ = 0;
		controllers++;
		dir[strcspn(dir, "\n")] = 0;
		if (!strcmp(controllers, "memory"))
			one = cgroup_room("/sys/fs/cgroup/memory", dir, "memory.limit_in_bytes",
					  "memory.usage_in_bytes");
		else if (!*controllers)
			one = cgroup_room("/sys/fs/cgroup", dir, "memory.max", "memory.current");
		else
			continue;
		room = one < room ? one : room;
	}
	return room;
}

u64 lkst_memory_available(void)
{
	const u64 available = meminfo("MemAvailable"), room = cgroups_room();

	return room < available ? room : available;
}

/* The kernel would silently take from another node what this one lacks. */
static int check_node(struct lkst_err *e, const struct lkst_memory *m)
{
	char path[64], line[256], want[LKST_SIZE_TEXT], have[LKST_SIZE_TEXT];
	_cleanup_fclose_ FILE *f = NULL;
	unsigned long long kib = 0;

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/meminfo", m->numa_node);
	f = fopen(path, "re");
	if (!f)
		return lkst_err_set(
			e, -EINVAL,
			"there is no NUMA node %d with memory; "
			"/sys/devices/system/node/has_memory lists the nodes that have some",
			m->numa_node);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "Node %*d MemFree: %llu", &kib) == 1)
			break;
	if (kib << 10 >= m->bytes)
		return 0;
	lkst_size_format(m->bytes, want);
	lkst_size_format(kib << 10, have);
	return lkst_err_set(e, -ENOMEM,
			    "the buffers of %u CPUs take %s, and %s of NUMA node %d is free; ask "
			    "for less with --buffer",
			    m->nr_cpus, want, have, m->numa_node);
}

u32 lkst_memory_map_flags(const struct lkst_memory *m, u32 *ret_numa_node)
{
	*ret_numa_node = m->numa_node == LKST_NODE_ANY ? 0 : (u32)m->numa_node;
	return BPF_F_MMAPABLE | (m->numa_node == LKST_NODE_ANY ? 0 : BPF_F_NUMA_NODE);
}

int lkst_memory_check(struct lkst_err *e, const struct lkst_memory *m)
{
	u64 available = meminfo("MemAvailable"), room = cgroups_room();
	char want[LKST_SIZE_TEXT], have[LKST_SIZE_TEXT];

	lkst_size_format(m->bytes, want);
	/* What is taken cannot be given back under pressure, so a tenth stays free. */
	if (available && m->bytes > available - available / 10) {
		lkst_size_format(available, have);
		return lkst_err_set(e, -ENOMEM,
				    "the buffers of %u CPUs take %s, and %s of memory is "
				    "available; ask for less with --buffer",
				    m->nr_cpus, want, have);
	}
	if (m->bytes > room) {
		lkst_size_format(room, have);
		return lkst_err_set(
			e, -ENOMEM,
			"the buffers of %u CPUs take %s, and the memory cgroup of this "
			"process has %s left; ask for less with --buffer, or start from "
			"outside of it",
			m->nr_cpus, want, have);
	}
	return m->numa_node == LKST_NODE_ANY ? 0 : check_node(e, m);
}

int lkst_memory_ballast(struct lkst_err *e, const struct lkst_memory *m, u64 length)
{
	enum { ELEMENT = 1 << LKST_BLOCK_SHIFT_MIN };
	LIBBPF_OPTS(bpf_map_create_opts, options, .map_flags = BPF_F_MMAPABLE);
	u64 available = meminfo("MemAvailable");
	char want[LKST_SIZE_TEXT], have[LKST_SIZE_TEXT];
	int fd;

	if (m->bytes + length > available - available / 10) {
		lkst_size_format(m->bytes + length, want);
		lkst_size_format(available, have);
		return lkst_err_set(
			e, -ENOMEM,
			"the buffers and the memory set aside before them take %s, and %s of "
			"memory is available; ask for less with --behind",
			want, have);
	}
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lkst_ballast", sizeof(u32), ELEMENT,
			    (u32)((length + ELEMENT - 1) / ELEMENT), &options);
	return fd < 0 ? lkst_err_sys(e, -errno, "setting memory aside before the buffers") : fd;
}

void lkst_memory_init_state(const struct lkst_memory *m, u32 cpu, u32 buffer,
			    const struct lkst_control *control, struct lkst_state *st)
{
	const struct lkst_ring_place *place =
		&m->rings[((size_t)buffer * m->nr_cpus + cpu) * LKST_LEVELS];
	u32 level;

	st->magic = LKST_STATE_MAGIC;
	memcpy(st->memory_id, control->memory_id, sizeof(st->memory_id));
	memcpy(st->uuid, control->uuid, sizeof(st->uuid));
	st->version = LKST_ABI_VERSION;
	st->cpu = cpu;
	st->buffer = st->serves = buffer;
	st->block_shift = m->block_shift;
	st->nr_cpus = m->nr_cpus;
	for (level = 0; level < LKST_LEVELS; level++) {
		st->ring[level].base = st->ring[level].element = place[level].base;
		st->ring[level].level = level;
		st->ring[level].page = buffer * m->nr_cpus + cpu;
		st->ring[level].mask = place[level].nr_blocks - 1;
	}
}

struct lkst_progress {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t stopped;
	bool stop;
	u64 bytes, free_before;
};

static void *show_progress(void *arg)
{
	struct lkst_progress *p = arg;
	bool shown = false;

	pthread_mutex_lock(&p->lock);
	while (!p->stop) {
		struct timespec until;
		u64 taken, left;

		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 200 * 1000 * 1000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		pthread_cond_timedwait(&p->stopped, &p->lock, &until);
		if (p->stop)
			break;
		left = meminfo("MemFree");
		taken = p->free_before > left ? p->free_before - left : 0;
		taken = taken < p->bytes ? taken : p->bytes;
		lkst_diag_progress("zeroing memory", taken, p->bytes);
		shown = true;
	}
	pthread_mutex_unlock(&p->lock);
	if (shown)
		lkst_diag_progress(NULL, 0, 0);
	return NULL;
}

struct lkst_progress *lkst_progress_start(u64 bytes)
{
	struct lkst_progress *p;

	if (!lkst_diag_has_progress() || !bytes)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->bytes = bytes;
	p->free_before = meminfo("MemFree");
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->stopped, NULL);
	if (pthread_create(&p->thread, NULL, show_progress, p)) {
		free(p);
		return NULL;
	}
	return p;
}

void lkst_progress_stop(struct lkst_progress *p)
{
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_signal(&p->stopped);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	free(p);
}
