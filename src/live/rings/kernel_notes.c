/* SPDX-License-Identifier: GPL-2.0-only */
/* What is kept in kernel memory in addition to the rings. */
#include "live/rings/kernel_notes.h"

#include <bpf/bpf.h>
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/time.h"
#include "trace/format/metadata.h"

enum {
	COPIES = 2,
	/* A thread's record with its length: some forty fit a page. */
	THREADS_PER_PAGE = 40,
	/* For threads to come, and for what is not threads. */
	STATE_PAGES_MIN = 16,
	/* For the metadata of events to come: a page takes some fifty. */
	METADATA_PAGES_MORE = 8,
};

/* "0.13 0.25 0.18 2/345 6789": of 345 threads. */
static u32 kernel_notes_count_threads(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/loadavg", "re");
	unsigned int nr;

	return f && fscanf(f, "%*s %*s %*s %*u/%u", &nr) == 1 && nr < 1 << 22 ? nr : 4096;
}

static int map_pages(struct lkst_err *e, struct lkst_kernel_notes *k)
{
	void *p = mmap(NULL, (size_t)k->nr_pages * LKST_NOTE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_SHARED, k->fd, 0);

	if (p == MAP_FAILED)
		return lkst_err_sys(e, -errno, "mapping %u pages of notes", k->nr_pages);
	k->pages = p;
	return 0;
}

static void write_start(struct lkst_note *page, const struct lkst_catalog *c, const u8 *memory_id,
			u32 nr_cpus, u32 block_shift, u32 state_page)
{
	struct lkst_note_start start = {
		.monotonic_ns = lkst_monotonic_ns(),
		.boottime_ns = lkst_clock_ns(CLOCK_BOOTTIME),
		.nr_cpus = nr_cpus,
		.block_shift = block_shift,
		.state_page = state_page,
	};

	start.realtime_ns = start.monotonic_ns + c->clock_offset_ns;
	memcpy(start.hostname, c->hostname, sizeof(start.hostname));
	memcpy(start.release, c->release, sizeof(start.release));
	memcpy(start.machine, c->machine, sizeof(start.machine));
	lkst_note_fill_all(page, memory_id, LKST_NOTE_START, start.monotonic_ns, &start,
			   sizeof(start));
}

int lkst_kernel_notes_new(struct lkst_err *e, const struct lkst_catalog *c,
		  const struct lkst_memory *memory, const u8 *memory_id,
		  struct lkst_kernel_notes *ret_keep)
{
	LIBBPF_OPTS(bpf_map_create_opts, options);
	_cleanup_(lkst_kernel_notes_close) struct lkst_kernel_notes k = { .fd = -1 };
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ u8 *packed = NULL;
	u32 room, copy;
	size_t length;
	int err = lkst_metadata_format(e, c, &text);

	err = err ?: lkst_note_pack(e, text, &packed, &length);
	if (err)
		return err;
	room = 1 + lkst_note_pages(length) + METADATA_PAGES_MORE;
	k.first_state = COPIES * room;
	k.nr_pages = k.first_state + 2 * (STATE_PAGES_MIN + 2 * kernel_notes_count_threads() / THREADS_PER_PAGE);
	options.map_flags = lkst_memory_map_flags(memory, &options.numa_node);
	k.fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "lkst_notes", sizeof(u32), LKST_NOTE_SIZE,
			      k.nr_pages, &options);
	if (k.fd < 0)
		return lkst_err_sys(e, -errno, "keeping %u pages of notes", k.nr_pages);
	err = map_pages(e, &k);
	if (err)
		return err;
	for (copy = 0; copy < COPIES; copy++) {
		struct lkst_note *at = k.pages + copy * room;

		write_start(at, c, memory_id, memory->nr_cpus, memory->block_shift,
			    k.first_state);
		lkst_note_fill_all(at + 1, memory_id, LKST_NOTE_METADATA, 0, packed, length);
	}
	*ret_keep = k;
	k = (struct lkst_kernel_notes){ .fd = -1 };
	return 0;
}

/* Where the state begins, as written by the command that started the recording. */
static int kernel_notes_find_state(struct lkst_err *e, struct lkst_kernel_notes *k)
{
	const struct lkst_note *start = k->pages;
	u32 first = 0;

	if (lkst_note_is_good(start) && le32toh(start->kind) == LKST_NOTE_START &&
	    le32toh(start->length) == sizeof(struct lkst_note_start))
		memcpy(&first, start->bytes + offsetof(struct lkst_note_start, state_page),
		       sizeof(first));
	k->first_state = le32toh(first);
	if (!k->first_state || k->first_state % COPIES || k->first_state >= k->nr_pages)
		return lkst_err_set(e, -EPROTO,
				    "the recording was started by another version of lkst; stop it "
				    "with `lkst stop`");
	return 0;
}

int lkst_kernel_notes_open(struct lkst_err *e, int fd, struct lkst_kernel_notes *ret_keep)
{
	_cleanup_(lkst_kernel_notes_close) struct lkst_kernel_notes k = { .fd = fd };
	struct bpf_map_info info = {};
	u32 length = sizeof(info);
	int err;

	if (bpf_obj_get_info_by_fd(fd, &info, &length))
		return lkst_err_sys(e, -errno, "reading the recording's notes");
	if (info.value_size != LKST_NOTE_SIZE || info.max_entries <= 2 * STATE_PAGES_MIN)
		return lkst_err_set(e, -EPROTO,
				    "the recording was started by another version of lkst; stop it "
				    "with that version, or with `lkst stop`");
	k.nr_pages = info.max_entries;
	err = map_pages(e, &k) ?: kernel_notes_find_state(e, &k);
	if (err)
		return err;
	*ret_keep = k;
	k = (struct lkst_kernel_notes){ .fd = -1 };
	return 0;
}

void lkst_kernel_notes_close(struct lkst_kernel_notes *k)
{
	if (k->pages)
		munmap(k->pages, (size_t)k->nr_pages * LKST_NOTE_SIZE);
	if (k->fd >= 0)
		close(k->fd);
	*k = (struct lkst_kernel_notes){ .fd = -1 };
}

int lkst_kernel_notes_catalog(struct lkst_err *e, const struct lkst_kernel_notes *k,
		      struct lkst_catalog **ret_catalog)
{
	_cleanup_free_ const struct lkst_note **notes = calloc(k->nr_pages, sizeof(*notes));
	_cleanup_free_ u8 *packed = NULL;
	_cleanup_free_ char *text = NULL;
	size_t nr = 0, length;
	u32 i;
	int err;

	if (!notes)
		return lkst_err_sys(e, -ENOMEM, "reading the recording's notes");
	for (i = 0; i < k->nr_pages; i++)
		if (lkst_note_is_good(&k->pages[i]))
			notes[nr++] = &k->pages[i];
	qsort(notes, nr, sizeof(*notes), lkst_note_compare);
	err = lkst_note_gather(notes, nr, LKST_NOTE_METADATA, &packed, &length);
	if (err == -ENOENT)
		return lkst_err_set(e, -EPROTO,
				    "the recording was started by another version of lkst, or "
				    "starting it was interrupted; stop it with `lkst stop`");
	if (err)
		return lkst_err_sys(e, err, "reading the recording's notes");
	err = lkst_note_unpack(e, packed, length, &text, &length);
	return err ?: lkst_metadata_parse(e, text, length, ret_catalog);
}

int lkst_kernel_notes_put_catalog(struct lkst_err *e, struct lkst_kernel_notes *k, const struct lkst_catalog *c)
{
	const u32 room = k->first_state / COPIES;
	_cleanup_free_ char *text = NULL;
	_cleanup_free_ u8 *packed = NULL;
	u64 now = lkst_monotonic_ns();
	size_t length;
	u32 copy;
	int err = lkst_metadata_format(e, c, &text);

	err = err ?: lkst_note_pack(e, text, &packed, &length);
	if (err)
		return err;
	if (lkst_note_pages(length) > room - 1)
		return lkst_err_set(
			e, -ENOSPC,
			"the recording has no room for more events that handlers declare");
	/* While one copy is written the other one is whole; the younger one counts. */
	for (copy = 0; copy < COPIES; copy++)
		lkst_note_fill_all(k->pages + copy * room + 1, k->pages->memory_id,
				   LKST_NOTE_METADATA, now, packed, length);
	return 0;
}

/* ---- the state ------------------------------------------------------------------------ */

/* The two halves of the pages after all else are written in turn. */
static void find_halves(const struct lkst_kernel_notes *k, u32 *ret_first, u32 *ret_nr)
{
	const struct lkst_note *half = &k->pages[k->first_state];

	*ret_nr = (k->nr_pages - k->first_state) / 2;
	/* The half whose first page is older, or has never been written, is the next one. */
	*ret_first = k->first_state;
	if (le64toh(half->written_ns) > le64toh(half[*ret_nr].written_ns))
		*ret_first += *ret_nr;
}

void lkst_kernel_notes_state_begin(struct lkst_kernel_notes_state *s, struct lkst_kernel_notes *k, u64 ns)
{
	s->keep = k;
	s->ns = ns;
	s->next = 0;
	s->used = 0;
	s->left_out = 0;
	find_halves(k, &s->first, &s->nr);
}

static void kernel_notes_seal(struct lkst_kernel_notes_state *s)
{
	/* How many parts there will be is not known yet: each is read alone, so it does not matter. */
	lkst_note_fill(&s->keep->pages[s->first + s->next], s->keep->pages->memory_id,
		       LKST_NOTE_STATE, s->ns,
		       s->next, s->nr, s->bytes, s->used);
	s->next++;
	s->used = 0;
}

void lkst_kernel_notes_state_add(struct lkst_kernel_notes_state *s, const void *record, size_t length)
{
	size_t needed = sizeof(struct lkst_note_record) + (length + 3) / 4 * 4;
	u32 stored = htole32((u32)length);

	if (s->used + needed > LKST_NOTE_ROOM && s->next < s->nr)
		kernel_notes_seal(s);
	if (s->next >= s->nr || needed > LKST_NOTE_ROOM) {
		s->left_out++;
		return;
	}
	memcpy(s->bytes + s->used, &stored, sizeof(stored));
	memset(s->bytes + s->used + needed - 4, 0, 4);
	memcpy(s->bytes + s->used + sizeof(stored), record, length);
	s->used += needed;
}

void lkst_kernel_notes_state_end(struct lkst_kernel_notes_state *s)
{
	if (s->used && s->next < s->nr)
		kernel_notes_seal(s);
	/* The rest of an earlier, longer writing must not be taken for a part of this one. */
	for (; s->next < s->nr; s->next++)
		s->keep->pages[s->first + s->next].magic = 0;
}
