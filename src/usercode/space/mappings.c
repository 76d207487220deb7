// SPDX-License-Identifier: GPL-2.0-only
/* What code of which file is where in a process. */
#include "usercode/space/mappings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bsearch.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "base/xxh64.h"
#include "trace/read/state_walk.h"

enum {
	PATH_MAX_BYTES = 4096,
	TEXTS_MAX = 16 << 20,	 /* bytes of all paths and build-ids */
	PROCESSES_MAX = 1 << 18, /* that are known at a time */
	PLACES_MAX = 8,		 /* of a binary */
};

struct mappings_place {
	struct lkst_binary_place shown;
	u64 id; /* what the trace calls it */
	char path[];
};

struct mappings_binary {
	struct lkst_binary shown;
	u64 inode;
	u32 dev;
	u64 ctime;
	char *path, *build_id;
};

/* Code in a process, as a state_mapping says. */
struct mappings_listed {
	s32 pid;
	u32 binary;
	u64 listed_ns; /* when it was found there */
	u64 from_ns;   /* since when it was there at least */
	u64 address, end, offset;
};

/* Code in a process, as a record `mapping` says. */
struct made {
	u64 ns;
	u64 address, end, offset;
	u32 binary; /* 0: of no file */
};

/* A process, by the records about it. */
struct mappings_process {
	u64 pid;      /* the key */
	u64 exec_ns;  /* when it began, or ran another program; 0: before the records */
	s32 like_pid; /* it was born with the code of this process; 0: with nothing that is known */
	u64 like_ns;  /* as that was then */
	u64 like_exec_ns; /* when that had begun to run its program */
	struct made *made; /* in order of time */
	u32 nr_made;
	bool is_whole; /* nothing of its code is missing in `made`: its exec is in the records, with what was mapped */
};

struct lkst_mappings {
	struct mappings_binary *binaries;
	u32 nr_binaries;
	size_t texts;
	struct lkst_map by_id;	   /* from what the trace calls a binary to its number */
	struct lkst_map by_file;   /* from the hash of a file to its number */
	struct lkst_map by_build;  /* the same of a build-id */
	struct lkst_map by_memory; /* from a process to the binary that stands for its memory */
	u32 nr_made;		   /* mappings of all processes */
	bool has_made;
	struct mappings_listed *listed;	   /* by process, then by address; of one place, by time */
	u32 nr_listed;
	bool is_sorted;
	struct lkst_hash processes;
};

struct lkst_mappings *lkst_mappings_new(void)
{
	struct lkst_mappings *m = calloc(1, sizeof(*m));

	if (m)
		m->by_id.max = m->by_file.max = m->by_build.max = m->by_memory.max = LKST_BINARIES_MAX;
	return m;
}

static void free_places(struct lkst_binary_place *place)
{
	while (place) {
		struct lkst_binary_place *next = place->next;

		free(place);
		place = next;
	}
}

void lkst_mappings_free(struct lkst_mappings *m)
{
	struct mappings_process *p;
	u32 i = 0;

	if (!m)
		return;
	while ((p = lkst_hash_next(&m->processes, &i, sizeof(*p))))
		free(p->made);
	for (i = 0; i < m->nr_binaries; i++) {
		free_places(m->binaries[i].shown.places);
		free(m->binaries[i].path);
		free(m->binaries[i].build_id);
	}
	free(m->binaries);
	free(m->listed);
	lkst_map_fini(&m->by_id);
	lkst_map_fini(&m->by_file);
	lkst_map_fini(&m->by_build);
	lkst_map_fini(&m->by_memory);
	lkst_hash_fini(&m->processes);
	free(m);
}

/* ---- binaries --------------------------------------------------------------------------------- */

/* Adds a binary. *@ret_nr: its number; 0: there are too many. 0 or -ENOMEM. */
static int mappings_add_binary(struct lkst_mappings *m, u8 kind, const char *id, size_t id_length,
			       const char *path, size_t path_length, u32 *ret_nr)
{
	_cleanup_free_ char *build_id = strndup(id, id_length), *copy = strndup(path, path_length);
	struct mappings_binary *b;

	*ret_nr = 0;
	if (m->nr_binaries == LKST_BINARIES_MAX || m->texts + id_length + path_length > TEXTS_MAX)
		return 0;
	b = build_id && copy ? lkst_vec_add(m->binaries, m->nr_binaries) : NULL;
	if (!b)
		return -ENOMEM;
	m->texts += id_length + path_length;
	b->path = lkst_take(copy);
	b->build_id = lkst_take(build_id);
	b->shown = (struct lkst_binary){
		.nr = m->nr_binaries, .kind = kind, .path = b->path, .build_id = b->build_id
	};
	*ret_nr = m->nr_binaries;
	return 0;
}

/* ---- files ------------------------------------------------------------------------------------ */

static u64 mappings_hash_of(const void *bytes, size_t length)
{
	return lkst_xxh64(bytes, length) & INT64_MAX; /* never LKST_HASH_NONE */
}

/* A file is told by these; one that is built again has another ctime. The vdso has none of them. */
static u64 file_key(u32 dev, u64 inode, u64 ctime)
{
	const u64 which[] = { dev, inode, ctime };

	return mappings_hash_of(which, sizeof(which));
}

static int mappings_set(struct lkst_map *map, u64 key, u64 value)
{
	return lkst_map_set(map, key, value) == -ENOMEM ? -ENOMEM : 0;
}

static u8 mappings_kind_of(const char *path, size_t length)
{
	return length == strlen("[vdso]") && !memcmp(path, "[vdso]", length) ? LKST_BINARY_VDSO : LKST_BINARY_FILE;
}

/*
 * The binary of a file. Copies of one build, as in the layers of containers, are one binary: the same code. Not where
 * their code is at another place in the file, as in one that was stripped.
 */
static int mappings_know_binary(struct lkst_mappings *m, const struct lkst_rec_state_binary *r, const char *id,
				size_t id_length, const char *path, size_t length, u32 *ret_nr)
{
	const u64 build[] = { mappings_hash_of(id, id_length), r->bias, mappings_kind_of(path, length) };
	const u64 key = mappings_hash_of(build, sizeof(build));
	const u64 *known = id_length ? lkst_map_find(&m->by_build, key) : NULL;
	struct mappings_binary *b;
	int err;

	*ret_nr = known ? (u32)*known : 0;
	if (known)
		return 0;
	err = mappings_add_binary(m, mappings_kind_of(path, length), id, id_length, path, length, ret_nr);
	if (err || !*ret_nr)
		return err;
	b = &m->binaries[*ret_nr - 1];
	b->inode = r->inode;
	b->dev = r->dev;
	b->ctime = r->ctime;
	b->shown.bias = r->bias;
	return id_length ? mappings_set(&m->by_build, key, *ret_nr) : 0;
}

/* The copy of binary @nr that the trace calls @id; NULL: it is not known. */
static struct mappings_place *mappings_find_place(const struct lkst_mappings *m, u32 nr, u64 id)
{
	struct lkst_binary_place *place;

	for (place = m->binaries[nr - 1].shown.places; place; place = place->next)
		if (((struct mappings_place *)place)->id == id)
			return (struct mappings_place *)place;
	return NULL;
}

/* Some are enough: one that is left has the names for all. */
static int add_place(struct lkst_mappings *m, u32 nr, u64 id, const char *path, size_t length)
{
	struct lkst_binary *b = &m->binaries[nr - 1].shown;
	const struct lkst_binary_place *other;
	struct mappings_place *place;
	u32 others = 0;

	for (other = b->places; other; other = other->next)
		others++;
	if (others == PLACES_MAX || m->texts + length > TEXTS_MAX)
		return 0;
	place = calloc(1, sizeof(*place) + length + 1);
	if (!place)
		return -ENOMEM;
	m->texts += length;
	memcpy(place->path, path, length);
	place->id = id;
	place->shown = (struct lkst_binary_place){ b->places, place->path, 0 };
	b->places = &place->shown;
	return 0;
}

/* "4f3a… /usr/bin/x": the build-id in hex, a blank, the path. */
static int feed_binary(struct lkst_mappings *m, const struct lkst_record *r)
{
	struct lkst_rec_state_binary binary;
	const char *text, *blank;
	size_t id_length;
	u32 length, nr;
	u64 key;
	int err;

	memcpy(&binary, r->bytes, sizeof(binary));
	text = (const char *)lkst_record_field(r, r->event->nr_fields - 1, &length);
	blank = text ? memchr(text, ' ', length) : NULL;
	if (!blank || length > PATH_MAX_BYTES || binary.binary == LKST_HASH_NONE ||
	    lkst_map_find(&m->by_id, binary.binary))
		return 0;
	id_length = (size_t)(blank - text);
	if (id_length > LKST_BINARY_ID || id_length % 2 || strspn(text, "0123456789abcdef") != id_length)
		id_length = 0;
	length -= (u32)(blank + 1 - text);
	err = mappings_know_binary(m, &binary, text, id_length, blank + 1, length, &nr);
	err = err || !nr ? err : add_place(m, nr, binary.binary, blank + 1, length);
	if (err || !nr)
		return err;
	key = file_key(binary.dev, binary.inode, binary.ctime);
	/* What has a build-id says more, where a file is listed twice. */
	if (id_length || !lkst_map_find(&m->by_file, key))
		err = mappings_set(&m->by_file, key, nr);
	return err ?: mappings_set(&m->by_id, binary.binary, nr);
}

/* The binary that stands for what process @pid has in its memory and in no file. 0: there are too many. */
static int memory_of(struct lkst_mappings *m, s32 pid, u32 *ret_nr)
{
	u64 *known = lkst_map_find(&m->by_memory, (u32)pid);
	int err;

	*ret_nr = known ? (u32)*known : 0;
	if (known)
		return 0;
	err = mappings_add_binary(m, LKST_BINARY_MEMORY, "", 0, "", 0, ret_nr);
	if (err || !*ret_nr)
		return err;
	m->binaries[*ret_nr - 1].shown.pid = pid;
	return lkst_map_set(&m->by_memory, (u32)pid, *ret_nr) == -ENOMEM ? -ENOMEM : 0;
}

const struct lkst_binary *lkst_mappings_binary(const struct lkst_mappings *m, u32 nr)
{
	return nr && nr <= m->nr_binaries ? &m->binaries[nr - 1].shown : NULL;
}

u32 lkst_mappings_nr_binaries(const struct lkst_mappings *m)
{
	return m->nr_binaries;
}

const char *lkst_binary_name(const struct lkst_binary *b)
{
	const char *slash = strrchr(b->path, '/');

	if (b->kind == LKST_BINARY_MEMORY)
		return "[memory]";
	return slash && slash[1] ? slash + 1 : b->path;
}

/* ---- what the state says ---------------------------------------------------------------------- */

static int feed_listed(struct lkst_mappings *m, const struct lkst_record *r)
{
	struct lkst_rec_state_mapping mapping;
	struct mappings_place *place;
	struct mappings_listed *l;
	u64 *binary;

	memcpy(&mapping, r->bytes, sizeof(mapping));
	binary = lkst_map_find(&m->by_id, mapping.binary);
	if (!binary || mapping.length > UINT64_MAX - mapping.address ||
	    m->nr_listed == LKST_MAPPINGS_MAX)
		return 0;
	l = lkst_vec_add(m->listed, m->nr_listed);
	if (!l)
		return -ENOMEM;
	*l = (struct mappings_listed){ .pid = mapping.owner_pid,
			      .binary = (u32)*binary,
			      .listed_ns = r->ns,
			      .from_ns = mapping.from,
			      .address = mapping.address,
			      .end = mapping.address + mapping.length,
			      .offset = mapping.offset };
	place = *binary && *binary <= m->nr_binaries ? mappings_find_place(m, (u32)*binary, mapping.binary) : NULL;
	if (place)
		place->shown.user_pid = mapping.owner_pid;
	m->is_sorted = false;
	return 0;
}

static int feed_state(struct lkst_mappings *m, const struct lkst_record *r)
{
	if (!r->event->is_native)
		return 0;
	if (r->event->index == LKST_EV_state_binary)
		return feed_binary(m, r);
	return r->event->index == LKST_EV_state_mapping ? feed_listed(m, r) : 0;
}

static int mappings_load(struct lkst_err *e, void *ctx, const struct lkst_block *block,
			 const struct lkst_record *r)
{
	int err = feed_state(ctx, r);

	return err ? lkst_err_sys(e, err, "reading the mappings of processes") : 0;
}

int lkst_mappings_load(struct lkst_err *e, struct lkst_mappings *m, const struct lkst_trace *t)
{
	return lkst_state_walk(e, t, mappings_load, m, NULL);
}

static int compare_listed(const void *one, const void *other)
{
	const struct mappings_listed *a = one, *b = other;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->listed_ns != b->listed_ns)
		return a->listed_ns < b->listed_ns ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/*
 * Whether a list of @pid's code that was made at @l's time says what it had at @ns, if it ran its program since
 * @exec_ns.
 */
static bool holds(const struct mappings_listed *l, u64 ns, u64 exec_ns)
{
	return l->from_ns <= ns && l->listed_ns >= exec_ns;
}

static void sort_listed(struct lkst_mappings *m)
{
	if (!m->is_sorted && m->nr_listed)
		qsort(m->listed, m->nr_listed, sizeof(*m->listed), compare_listed);
	m->is_sorted = true;
}

/*
 * The code at @address of process @pid at @ns, by the lists of the state: by the first that was made later, since
 * what is mapped stays as a rule until the process ends, or else by the last before. *@ret_has: there is such a
 * list.
 */
static const struct mappings_listed *mappings_find_listed(struct lkst_mappings *m, s32 pid, u64 ns, u64 exec_ns,
							  u64 address, bool *ret_has)
{
	const struct mappings_listed *before = NULL;
	u64 made_ns = 0;
	size_t i;

	*ret_has = false;
	sort_listed(m);
	i = lkst_lower_bound(k, m->nr_listed, m->listed[k].pid < pid);
	for (; i < m->nr_listed && m->listed[i].pid == pid; i++) {
		const struct mappings_listed *l = &m->listed[i];

		if (!holds(l, ns, exec_ns))
			continue;
		if (made_ns > ns && l->listed_ns != made_ns)
			break;
		made_ns = l->listed_ns;
		*ret_has = true;
		if (address - l->address >= l->end - l->address)
			continue;
		if (made_ns >= ns)
			return l;
		before = l;
	}
	return before;
}

/* ---- processes -------------------------------------------------------------------------------- */

static void forget_made(struct lkst_mappings *m, struct mappings_process *p)
{
	free(p->made);
	m->nr_made -= p->nr_made;
	p->made = NULL;
	p->nr_made = 0;
	p->is_whole = false;
}

static struct mappings_process *mappings_process_of(const struct lkst_mappings *m, s32 pid)
{
	return lkst_hash_find(&m->processes, (u32)pid, sizeof(struct mappings_process));
}

/* *@ret_process is NULL where there are too many. */
static int add_process(struct lkst_mappings *m, s32 pid, struct mappings_process **ret_process)
{
	*ret_process = mappings_process_of(m, pid);
	if (*ret_process || m->processes.nr == PROCESSES_MAX)
		return 0;
	if (lkst_hash_reserve(&m->processes, sizeof(struct mappings_process)))
		return -ENOMEM;
	*ret_process = lkst_hash_add(&m->processes, (u32)pid, sizeof(struct mappings_process));
	return 0;
}

/* Gives @child the code that @parent has. */
static int mappings_inherit(struct lkst_mappings *m, struct mappings_process *child,
			    const struct mappings_process *parent)
{
	forget_made(m, child);
	if (!parent->nr_made || m->nr_made + parent->nr_made > LKST_MAPPINGS_MAX)
		return 0;
	child->made = calloc(lkst_vec_room(parent->nr_made), sizeof(*child->made));
	if (!child->made)
		return -ENOMEM;
	memcpy(child->made, parent->made, parent->nr_made * sizeof(*child->made));
	child->nr_made = parent->nr_made;
	child->is_whole = parent->is_whole;
	m->nr_made += child->nr_made;
	return 0;
}

static int feed_fork(struct lkst_mappings *m, const struct lkst_record *r)
{
	struct lkst_rec_sched_process_fork fork;
	struct mappings_process *child, parent = {};
	int err;

	memcpy(&fork, r->bytes, sizeof(fork));
	if (fork.child_pid == fork.parent_pid)
		return 0;
	child = mappings_process_of(m, fork.parent_pid);
	/* Nothing is known of either: a trace may have millions of such forks. */
	if (!child && !m->nr_listed && !mappings_process_of(m, fork.child_pid))
		return 0;
	if (child)
		parent = *child;
	err = add_process(m, fork.child_pid, &child);
	if (err || !child)
		return err;
	child->exec_ns = r->ns;
	child->like_pid = parent.like_pid ?: fork.parent_pid;
	child->like_ns = parent.like_pid ? parent.like_ns : r->ns;
	child->like_exec_ns = parent.like_pid ? parent.like_exec_ns : parent.exec_ns;
	return mappings_inherit(m, child, &parent);
}

static int feed_exec(struct lkst_mappings *m, const struct lkst_record *r)
{
	struct mappings_process *p;
	int err = add_process(m, r->tid, &p);

	if (err || !p)
		return err;
	forget_made(m, p);
	*p = (struct mappings_process){ .pid = p->pid, .exec_ns = r->ns };
	return 0;
}

/* The binary of the file that a mapping is of, 0: of none. */
static int binary_of(struct lkst_mappings *m, const struct lkst_record *r, u32 *ret_nr)
{
	struct lkst_rec_state_binary binary = {};
	struct lkst_rec_mapping mapping;
	const char *path;
	u32 length;
	u64 key, *known;
	int err;

	*ret_nr = 0;
	memcpy(&mapping, r->bytes, sizeof(mapping));
	path = (const char *)lkst_record_field(r, r->event->nr_fields - 1, &length);
	if (!path || !length || length > PATH_MAX_BYTES)
		return 0;
	key = file_key(mapping.dev, mapping.inode, mapping.ctime);
	known = lkst_map_find(&m->by_file, key);
	if (known) {
		*ret_nr = (u32)*known;
		return 0;
	}
	binary.inode = mapping.inode;
	binary.dev = mapping.dev;
	binary.ctime = mapping.ctime;
	err = mappings_know_binary(m, &binary, "", 0, path, length, ret_nr);
	return err || !*ret_nr ? err : mappings_set(&m->by_file, key, *ret_nr);
}

static int feed_made(struct lkst_mappings *m, const struct lkst_record *r)
{
	struct lkst_rec_mapping mapping;
	struct mappings_process *p;
	struct made *made;
	u32 binary;
	int err;

	memcpy(&mapping, r->bytes, sizeof(mapping));
	if (mapping.length > UINT64_MAX - mapping.address || m->nr_made == LKST_MAPPINGS_MAX)
		return 0;
	err = add_process(m, mapping.owner_pid, &p);
	if (!err && p)
		err = binary_of(m, r, &binary);
	if (err || !p)
		return err;
	/* The program itself comes right after its exec. */
	p->is_whole = p->is_whole || (!p->nr_made && !p->like_pid && p->exec_ns);
	made = lkst_vec_add(p->made, p->nr_made);
	if (!made)
		return -ENOMEM;
	*made = (struct made){ r->ns, mapping.address, mapping.address + mapping.length, mapping.offset, binary };
	m->nr_made++;
	m->has_made = true;
	return 0;
}

/* What @p mapped last over @address until @ns. NULL: nothing that is known. */
static const struct made *find_made(const struct mappings_process *p, u64 ns, u64 address)
{
	u32 i;

	for (i = p ? p->nr_made : 0; i--;)
		if (p->made[i].ns <= ns && address - p->made[i].address < p->made[i].end - p->made[i].address)
			return &p->made[i];
	return NULL;
}

static void feed_free(struct lkst_mappings *m, const struct lkst_record *r)
{
	struct lkst_rec_sched_process_free freed;
	struct mappings_process *p;

	memcpy(&freed, r->bytes, sizeof(freed));
	p = mappings_process_of(m, freed.freed_tid);
	if (!p)
		return;
	forget_made(m, p);
	lkst_hash_remove(&m->processes, p, sizeof(*p));
}

int lkst_mappings_feed(struct lkst_mappings *m, const struct lkst_record *r)
{
	if (!r->event->is_native)
		return 0;
	switch (r->event->index) {
	case LKST_EV_sched_process_fork:
		return feed_fork(m, r);
	case LKST_EV_sched_process_exec:
		return feed_exec(m, r);
	case LKST_EV_mapping:
		return feed_made(m, r);
	case LKST_EV_sched_process_free:
		feed_free(m, r);
		return 0;
	default:
		return 0;
	}
}

static bool memory_at(struct lkst_mappings *m, s32 pid, u64 address, struct lkst_code_place *ret_place)
{
	ret_place->offset = address;
	return !memory_of(m, pid, &ret_place->binary);
}

bool lkst_mappings_find(struct lkst_mappings *m, s32 pid, u64 ns, u64 address,
			struct lkst_code_place *ret_place)
{
	const struct mappings_process *p = mappings_process_of(m, pid);
	const struct made *made = find_made(p, ns, address);
	const struct mappings_listed *found;
	bool has, has_like = false;

	*ret_place = (struct lkst_code_place){};
	/* It runs another program by now, or is another process: what that has says nothing of the one before. */
	if (p && p->exec_ns > ns)
		return true;
	found = mappings_find_listed(m, pid, ns, p ? p->exec_ns : 0, address, &has);
	/* A list that was made in between knows better; one that was made later may have what was mapped then. */
	if (made && !(found && found->listed_ns <= ns && found->listed_ns > made->ns)) {
		if (!made->binary)
			return memory_at(m, pid, address, ret_place);
		*ret_place = (struct lkst_code_place){ made->binary, address - made->address + made->offset };
		return true;
	}
	if (!found && !has && p && p->like_pid)
		found = mappings_find_listed(m, p->like_pid, p->like_ns, p->like_exec_ns, address,
					     &has_like);
	if (found) {
		*ret_place = (struct lkst_code_place){ found->binary,
						       address - found->address + found->offset };
		return true;
	}
	if (!has && !has_like && !(p && p->is_whole))
		return true;
	return memory_at(m, pid, address, ret_place);
}

struct lkst_code_space lkst_mappings_space(struct lkst_mappings *m, s32 pid, u64 ns)
{
	const struct mappings_process *p = mappings_process_of(m, pid);
	u64 which[4] = { p ? p->exec_ns : 0, p ? p->nr_made : 0 };
	size_t next;

	/* Which lists are before and after @ns decides, and whether the next one says what was there then. */
	sort_listed(m);
	next = lkst_lower_bound(k, m->nr_listed,
				m->listed[k].pid < pid ||
					(m->listed[k].pid == pid && m->listed[k].listed_ns < ns));
	which[2] = next;
	which[3] = next < m->nr_listed && m->listed[next].pid == pid &&
		   holds(&m->listed[next], ns, which[0]);
	return (struct lkst_code_space){ which[0], mappings_hash_of(which, sizeof(which)) };
}

bool lkst_mappings_is_empty(const struct lkst_mappings *m)
{
	return !m->nr_listed && !m->has_made;
}
