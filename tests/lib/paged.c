/* SPDX-License-Identifier: GPL-2.0-only */
/* Asks of a trace what the page asks. */
#include "lib/paged.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/printed.h"
#include "web/draw.h"
#include "web/events.h"
#include "web/flame.h"
#include "web/maps.h"
#include "web/module.h"
#include "web/shown_traces.h"

enum {
	COLUMNS = 16,
	ROWS = 8,
	SLICES = 64,
	LANES = 64, /* that are looked at */
	ANSWER_MAX = 1 << 26,
};

#define check(is_right)                                                                            \
	do {                                                                                       \
		if (!(is_right)) {                                                                 \
			fprintf(stderr, "paged.c:%d: not so: %s\n", __LINE__, #is_right);          \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

/* ---- what is printed -------------------------------------------------------------------------- */

static int standard = -1, answer;
static FILE *messages, *usual;
static char *message;
static size_t message_size;

/* From here on what is printed goes elsewhere; but what a sanitizer says goes where it always does. */
static void listen(void)
{
	if (standard < 0) {
		standard = dup(STDOUT_FILENO);
		answer = memfd_create("answer", MFD_CLOEXEC);
		messages = open_memstream(&message, &message_size);
		check(standard >= 0 && answer >= 0 && messages);
	}
	fflush(stdout);
	rewind(messages);
	check(!ftruncate(answer, 0) && !lseek(answer, 0, SEEK_SET) &&
	      dup2(answer, STDOUT_FILENO) >= 0);
	usual = stderr;
	stderr = messages;
}

/* What was answered since, and what was said of it. */
static void look(enum printed_form form)
{
	off_t length;
	char *bytes;

	stderr = usual;
	fflush(stdout);
	check(dup2(standard, STDOUT_FILENO) >= 0 && !fputc(0, messages) && !fflush(messages));
	printed_check(message, message_size - 1, PRINTED_TEXT);
	length = lseek(answer, 0, SEEK_CUR);
	check(length >= 0 && length <= ANSWER_MAX);
	bytes = malloc((size_t)length + 1);
	check(bytes && pread(answer, bytes, (size_t)length, 0) == length);
	printed_check(bytes, (size_t)length, form);
	free(bytes);
}

static void give(const struct in_memory *files)
{
	unsigned int i;

	for (i = 0; i < files->nr; i++) {
		char *name = strdup(files->files[i].name);
		void *bytes = malloc(files->files[i].length ?: 1);

		check(name && bytes);
		if (files->files[i].length)
			memcpy(bytes, files->files[i].bytes, files->files[i].length);
		check(!lkst_web_add_file(name, bytes, files->files[i].length));
	}
}

static void run(const struct paged_line *line)
{
	unsigned int nr = 1;
	char words[256], *at;

	snprintf(words, sizeof(words), "%s trace", line->words);
	for (at = words; *at; at++)
		if (*at == ' ') {
			*at = 0;
			nr++;
		}
	listen();
	lkst_web_run(words, nr);
	look(line->form);
}

void paged_run(const struct in_memory *files, const struct paged_line *lines, unsigned int nr)
{
	unsigned int i;

	give(files);
	for (i = 0; i < nr; i++)
		run(&lines[i]);
	lkst_web_clear();
}

void paged_print(const struct in_memory *files)
{
	static const struct paged_line lines[] = {
		{ "print --cgroups --files", PRINTED_TEXT },
		{ "print --format csv --cgroups", PRINTED_COLUMNS },
		{ "print --format csv --brief", PRINTED_COLUMNS },
		{ "print --format json --cgroups", PRINTED_JSON },
		{ "print --format json --text --files", PRINTED_JSON },
		{ "print --format flight", PRINTED_TABBED },
		{ "report", PRINTED_TEXT },
		{ "report --format csv", PRINTED_CSV },
		{ "report --format json", PRINTED_JSON },
		{ "check", PRINTED_TEXT },
		{ "check --format csv", PRINTED_CSV },
		{ "check --format json", PRINTED_JSON },
	};

	paged_run(files, lines, sizeof(lines) / sizeof(lines[0]));
}

/* ---- what is drawn ---------------------------------------------------------------------------- */

/* How many of a thing there are in all: numbers of the page are below it. */
struct numbers {
	u32 lanes, lives, names, spans;
	double end_ns;
};

static struct numbers count(const struct lkst_web_shown *shown)
{
	const struct lkst_web_host *last = &shown->list[shown->nr - 1];
	const u64 ns = shown->end_ns - shown->begin_ns;

	return (struct numbers){ .lanes = last->first_lane + lkst_web_nr_lanes(last),
				 .lives = last->first_life + last->lanes->nr_threads,
				 .names = last->first_name + last->lanes->names.nr,
				 .spans = last->first_span + last->lanes->spans.nr,
				 .end_ns =
					 ns < 1ULL << 53 ? (double)ns + 1 : (double)(1ULL << 53) };
}

/* A slice's `life` is a place in the list that it is of. */
static void check_slices(const struct numbers *nr, u32 lane, enum lkst_web_part part)
{
	struct lkst_web_slice slices[SLICES];
	u32 i, k, all = lkst_web_part_slices(lane, part, 0, nr->end_ns, SLICES, slices);
	struct lkst_web_span span;

	for (i = 0; i < all; i++) {
		const u32 life = slices[i].life;

		check(slices[i].from_ns <= slices[i].to_ns);
		if (life == UINT32_MAX)
			continue;
		check(life < (part == LKST_WEB_STATES
				      ? nr->lives > nr->spans ? nr->lives : nr->spans
				      : nr->names));
		if (part == LKST_WEB_STATES && !lkst_web_span(life, &span)) {
			for (k = 0; k < sizeof(span.name) && span.name[k]; k++)
				;
			check(k < sizeof(span.name) && span.ending < LKST_NR_SPAN_ENDINGS);
			printed_name(span.name, k);
		}
	}
}

static void draw_lane(const struct numbers *nr, u32 lane)
{
	struct lkst_curve_column columns[COLUMNS];
	struct lkst_web_waking wakings[SLICES];
	struct lkst_shares shares[COLUMNS];
	struct lkst_web_cpu cpus[SLICES];
	struct lkst_web_slice slice;
	u32 i, all;

	for (i = LKST_WEB_STATES; i <= LKST_WEB_FAULTS; i++)
		check_slices(nr, lane, (enum lkst_web_part)i);
	lkst_web_shares(lane, 0, nr->end_ns, COLUMNS, shares);
	lkst_web_columns(lane, 0, nr->end_ns, COLUMNS, columns);
	lkst_web_sum(&lane, 1, 0, nr->end_ns, COLUMNS, shares);
	lkst_web_slice_before(lane, nr->end_ns, &slice);
	lkst_web_cpus(lane, 0, nr->end_ns, SLICES, cpus);
	all = lkst_web_wakings(lane, 0, nr->end_ns, SLICES, wakings);
	for (i = 0; i < all; i++)
		check((wakings[i].life == UINT32_MAX || wakings[i].life < nr->lives) &&
		      (wakings[i].name == UINT32_MAX || wakings[i].name < nr->names));
}

/* Memory and disks are of one host. */
static void draw_maps(const struct numbers *nr)
{
	static struct lkst_web_disk_cell cells[COLUMNS * ROWS];
	u32 i;

	listen();
	lkst_web_open_memory();
	look(PRINTED_JSON);
	listen();
	lkst_web_open_disks(0, nr->end_ns, COLUMNS, ROWS);
	look(PRINTED_JSON);
	for (i = 0; i < 4; i++)
		lkst_web_disk_cells(i, cells);
	lkst_web_close_maps();
	listen();
	lkst_web_samples(0, nr->end_ns);
	look(PRINTED_JSON);
}

static void draw_events(const struct lkst_web_shown *shown, const struct numbers *nr)
{
	struct lkst_web_event events[SLICES];
	u32 i, all = lkst_web_events(0, nr->end_ns, SLICES, events);

	for (i = 0; i < all; i++)
		check(events[i].event <= LKST_ID_MAX && events[i].host < shown->nr);
	for (i = 0; i < shown->nr; i++) {
		listen();
		check(!lkst_web_event_names(i));
		look(PRINTED_JSON);
	}
}

void paged_draw(const struct in_memory *files)
{
	const struct lkst_web_shown *shown;
	struct numbers nr;
	u32 i;

	give(files);
	listen();
	i = lkst_web_read() ? 1 : 0;
	look(PRINTED_JSON);
	shown = lkst_web_shown();
	check(!shown == (i == 1));
	if (shown) {
		nr = count(shown);
		for (i = 0; i < nr.lanes && i < LANES; i++)
			draw_lane(&nr, i);
		draw_events(shown, &nr);
		draw_maps(&nr);
	}
	lkst_web_clear();
}
