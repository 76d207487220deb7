// SPDX-License-Identifier: GPL-2.0-only
/* Draws the screen of `lkst top`. */
#include "cmd/top/top_draw.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/out.h"
#include "base/size.h"
#include "base/time.h"
#include "cmd/top/top_tables.h"

/* Pairs of colours. */
enum pair {
	PAIR_PLAIN,
	PAIR_RUNNING,
	PAIR_READY,
	PAIR_DISK,
	PAIR_LOCK,
	PAIR_OWN,
	PAIR_DIM,
};

enum {
	LINE_MAX_BYTES = 4096, /* of a line, escaped */
	CPUS_MAX = 4,	       /* CPUs that have a line; of more there is one for all */
	DISKS_LINES = 2,
	WAITING_LINES = 4, /* that causes of waiting take, unless the first alone takes more */
	WAITING_INDENT = 4,
	IRQS_SHOWN = 4,
	HEAD_LINES = 5, /* title, recording, interrupts, worst, what stands out */
};

/* A column of the rows. */
static const struct top_draw_column {
	const char *title;
	int width;
	u8 column; /* enum lkst_top_column; LKST_NR_TOP_COLUMNS: none */
	u8 pair;
} columns[] = {
	{ "THREAD", 7, LKST_TOP_TID, PAIR_PLAIN },
	{ "PROCESS", 8, LKST_TOP_PID, PAIR_PLAIN },
	{ " NAME", 18, LKST_TOP_NAME, PAIR_PLAIN },
	{ "CPU", 3, LKST_TOP_CPU, PAIR_PLAIN },
	{ "RUN%", 6, LKST_TOP_RUNNING, PAIR_RUNNING },
	{ "READY%", 7, LKST_TOP_READY, PAIR_READY },
	{ "DISK%", 6, LKST_TOP_DISK, PAIR_DISK },
	{ "LOCK%", 6, LKST_TOP_LOCK, PAIR_LOCK },
	{ "SLEEP%", 7, LKST_TOP_SLEEP, PAIR_DIM },
	{ "OTHER%", 7, LKST_TOP_OTHER, PAIR_DIM },
	{ "UNKN%", 6, LKST_TOP_UNKNOWN, PAIR_DIM },
	{ "WORST-RDY", 10, LKST_TOP_WORST_READY, PAIR_READY },
	{ " NOW", 9, LKST_NR_TOP_COLUMNS, PAIR_PLAIN },
	{ " BLOCKED-ON", 12, LKST_NR_TOP_COLUMNS, PAIR_PLAIN },
	{ " CONTAINER", 80, LKST_NR_TOP_COLUMNS, PAIR_PLAIN },
};
enum {
	NR_COLUMNS = sizeof(columns) / sizeof(columns[0]),
	COLUMN_NOW = 12,
	COLUMN_ON = 13,
	COLUMN_CONTAINER = 14, /* only where a row has one */
};

/* As many lines as a terminal of 24 has room for. */
static const char *const help[] = {
	"Each look shows what was recorded since the one before. Shares are of that time.",
	"  running          on a CPU",
	"  ready            could run, but waits for a CPU; worst-rdy: the longest such time",
	"  disk             blocked until a disk has done a request, or data are on it",
	"  lock             blocked for a lock of the kernel or of the program (futex)",
	"  sleep            blocked for a time that it has asked for",
	"  other            blocked for anything else: a pipe, a socket, a child, a page ...",
	"  unkn             nothing shows what it did, as where records are missing",
	"  +                a thread of lkst top itself",
	"  container        the container or unit that its cgroup's path shows, where any thread has one",
	"",
	"  up down PgUp PgDn Home End   choose a row",
	"  Enter            why the thread took its time, as `lkst why` says it",
	"  P R D L S O U    sort by running, ready, disk, lock, sleep, other, unknown",
	"  N C W            sort by number, by name, by the longest time ready",
	"  < >              sort by the column on the left, on the right",
	"  i                the other way round",
	"  /                only names that have this in them, or match it as a shell pattern",
	"  H                a row for each thread, or for each process",
	"  d                how long to wait between looks",
	"  p, space         pause, and go on",
	"  q                end; the recording goes on",
};
enum { NR_HELP = sizeof(help) / sizeof(help[0]) };

static const char keys[] =
	"q quit  h help  Enter why  P R D L S O sort  < > column  / name  H processes  "
	"d delay  p pause";

bool lkst_top_draw_begin(void)
{
	if (!has_colors() || start_color() != OK)
		return false;
	use_default_colors();
	init_pair(PAIR_RUNNING, COLOR_GREEN, -1);
	init_pair(PAIR_READY, COLOR_YELLOW, -1);
	init_pair(PAIR_DISK, COLOR_RED, -1);
	init_pair(PAIR_LOCK, COLOR_MAGENTA, -1);
	init_pair(PAIR_OWN, COLOR_CYAN, -1);
	init_pair(PAIR_DIM, COLOR_BLUE, -1);
	return true;
}

static attr_t color(const struct lkst_top_view *v, enum pair pair)
{
	return v->has_color && pair != PAIR_PLAIN ? (attr_t)COLOR_PAIR(pair) : A_NORMAL;
}

/* ---- text ----------------------------------------------------------------------------------- */

/*
 * Writes @text, which is UTF-8 and escaped, from column @x on, @width columns at most, and returns the column after
 * it. What the terminal cannot show becomes a question mark.
 */
static int top_draw_put(const struct lkst_top_view *v, int y, int x, int width, const char *text)
{
	const char *end = text + strlen(text);
	mbstate_t state = {};
	int used = 0;

	if (y < 0 || y >= LINES || x >= COLS)
		return x;
	if (width > COLS - x)
		width = COLS - x;
	move(y, x);
	while (text < end) {
		wchar_t c[2] = { L'?', 0 };
		size_t n = v->is_utf8 ? mbrtowc(c, text, (size_t)(end - text), &state) : 1;
		int columns_of;

		if (!v->is_utf8)
			c[0] = *text >= ' ' && *text < 0x7f ? (wchar_t)*text : L'?';
		if (n == (size_t)-1 || n == (size_t)-2 || !n) {
			memset(&state, 0, sizeof(state));
			c[0] = L'?';
			n = 1;
		}
		columns_of = wcwidth(c[0]);
		/* What takes no column of its own is left out: any number of them could follow each other. */
		if (columns_of <= 0) {
			columns_of = 1;
			c[0] = L'?';
		}
		if (used + columns_of > width)
			break;
		addnwstr(c, 1);
		used += columns_of;
		text += n;
	}
	return x + used;
}

/* The same for text of others, of @length bytes, which is escaped first. */
static int put_foreign(const struct lkst_top_view *v, int y, int x, int width, const char *text,
		       size_t length)
{
	char escaped[LINE_MAX_BYTES];

	if (length > sizeof(escaped) / 4 - 1)
		length = sizeof(escaped) / 4 - 1;
	*lkst_put_escaped(escaped, text, length, "") = '\0';
	return top_draw_put(v, y, x, width, escaped);
}

static int top_draw_print(const struct lkst_top_view *v, int y, int x, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
static int top_draw_print(const struct lkst_top_view *v, int y, int x, const char *format, ...)
{
	char text[LINE_MAX_BYTES / 4];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return top_draw_put(v, y, x, COLS, text);
}

/* All the time that is known of a CPU, or known not to be. 0: nothing is there. */
static u64 top_draw_cpu_ns(const struct lkst_cpu_figures *c)
{
	return c->threads_ns + c->irq_ns + c->softirq_ns + c->idle_ns + c->unknown_ns;
}

/* ---- the head ------------------------------------------------------------------------------- */

static void count_states(const struct lkst_figures *f, u32 counts[LKST_NR_RUNS])
{
	u32 i;

	memset(counts, 0, LKST_NR_RUNS * sizeof(*counts));
	for (i = 0; i < f->nr_threads; i++)
		counts[f->threads[i].run % LKST_NR_RUNS]++;
}

static void draw_title(const struct lkst_top_view *v, int y)
{
	const struct lkst_figures *f = v->look->figures;
	char time[LKST_TIME_ROOM], span[LKST_DURATION_TEXT], delay[LKST_DURATION_TEXT];
	u64 ns = f->to_ns - f->from_ns;
	u32 counts[LKST_NR_RUNS];
	struct lkst_time_text clock;
	int x;

	lkst_time_text_init(&clock, LKST_TIME_DAY,
			    lkst_trace_catalog(v->look->trace)->clock_offset_ns);
	*lkst_put_time(time, &clock, f->to_ns, 1) = '\0';
	lkst_duration_format(ns, span);
	lkst_duration_format(v->delay_ns, delay);
	count_states(f, counts);
	attron(A_BOLD);
	x = top_draw_print(v, y, 0, "lkst top  %s ", time);
	attroff(A_BOLD);
	if (v->is_paused) {
		attron(A_REVERSE);
		x = top_draw_print(v, y, x, " PAUSED ");
		attroff(A_REVERSE);
	}
	top_draw_print(v, y, x,
		       " the last %s, every %s: %.0f records/s%s; %u threads, now %u running, %u ready",
		       span, delay, ns ? (double)f->records * 1e9 / (double)ns : 0,
		       f->gaps ? ", with gaps" : "", f->nr_threads, counts[LKST_RUN_RUNNING],
		       counts[LKST_RUN_READY]);
}

/* What recording costs and loses, and what this command does. */
static void draw_recording(const struct lkst_top_view *v, int y)
{
	const struct lkst_top_recording *r = &v->look->recording;
	char history[LKST_DURATION_TEXT];
	int x = 0;

	if (r->is_known) {
		lkst_duration_format((u64)(r->history_s * 1e9), history);
		x = top_draw_print(v, y, x, "recording costs %s%.2f %% of the CPUs, %.2f %% of CPU %u",
				   r->cost.is_cut_down ? "at most " : "",
				   r->cost.us_per_second / 1e4 / (r->cost.nr_cpus ?: 1), r->cost.busiest_share * 100,
				   r->cost.busiest_cpu);
		if (r->limit_ppm)
			x = top_draw_print(v, y, x, " (limit %.2g %%, %u kinds left out)",
					   r->limit_ppm / 1e4, r->nr_shed);
		if (r->history_s > 0)
			x = top_draw_print(v, y, x, ", holds %s", history);
		x = top_draw_print(v, y, x, "; ");
	}
	if (v->look->has_lost && v->look->lost)
		attron(A_BOLD | color(v, PAIR_DISK));
	x = top_draw_print(v, y, x, "%llu lost",
			   v->look->has_lost ? (unsigned long long)v->look->lost : 0ULL);
	attrset(A_NORMAL);
	if (v->look->has_own)
		top_draw_print(v, y, x, "; lkst top: %.1f %% of a CPU", v->look->own_share * 100);
}

static void draw_worst(const struct lkst_top_view *v, int y)
{
	int x = top_draw_put(v, y, 0, COLS, "worst wait: ");

	if (v->look->worst[0])
		top_draw_put(v, y, x, COLS, v->look->worst);
	else if (v->look->figures->limited[LKST_FIGURES_CALLS][0])
		top_draw_print(v, y, x, "not known: %s (the cost limit)",
			       v->look->figures->limited[LKST_FIGURES_CALLS]);
	else
		top_draw_put(v, y, x, COLS, "no system call took long, but those that wait by design");
}

/* How many bytes of @text go on a line of @width: to the last blank, if there is one. */
static size_t line_length(const char *text, int width)
{
	const size_t length = strlen(text), room = width > 1 ? (size_t)width : 1;
	size_t n = room;

	if (length <= room)
		return length;
	while (n && text[n] != ' ')
		n--;
	return n ?: room;
}

/* Draws @text from @y on, on as many lines as it takes, if @draws; returns how many these are. */
static int top_draw_wrap(const struct lkst_top_view *v, int y, const char *text, bool draws)
{
	size_t length;
	int nr;

	for (nr = 0; *text; nr++) {
		length = line_length(text, COLS - WAITING_INDENT);
		if (draws)
			put_foreign(v, y + nr, WAITING_INDENT, COLS, text, length);
		text += length;
		text += strspn(text, " ");
	}
	return nr;
}

/* Who was kept waiting, for what and because of whom, the greatest harm first: as many as there is room for, whole. */
static int waiting_lines(const struct lkst_top_view *v, int y, bool draws)
{
	const struct lkst_table *t = v->look->waiting;
	int nr = 0, more;
	size_t row;

	for (row = 0; t && row < t->nr_rows; row++) {
		const char *text = lkst_table_cell_of(t, row, "text")->text;

		more = top_draw_wrap(v, y + nr, text, false);
		if (nr && nr + more > WAITING_LINES)
			break;
		if (draws) {
			top_draw_print(v, y + nr, 0, "#%zu", row + 1);
			top_draw_wrap(v, y + nr, text, true);
		}
		nr += more;
	}
	return nr;
}

static void draw_found(const struct lkst_top_view *v, int y)
{
	const char *nothing = v->look->figures->limited[LKST_FIGURES_ANY][0] ? "nothing of what was recorded"
									      : "nothing";
	const bool has_waiting = v->look->waiting && v->look->waiting->nr_rows; /* they are below */
	const char *text = v->look->stands_out[0] ? v->look->stands_out : has_waiting ? "" : nothing;
	int x = top_draw_put(v, y, 0, COLS, "stands out: ");

	put_foreign(v, y, x, COLS, text, strlen(text));
}

static void draw_irqs(const struct lkst_top_view *v, int y)
{
	const struct lkst_figures *f = v->look->figures;
	char time[LKST_DURATION_TEXT];
	const char *limited = f->limited[LKST_FIGURES_IRQS];
	int x = top_draw_put(v, y, 0, COLS, "interrupts: ");
	u32 i;

	if (limited[0])
		x = top_draw_print(v, y, x, "%s; ", limited);
	for (i = 0; i < f->nr_irqs && i < IRQS_SHOWN; i++) {
		lkst_duration_format(f->irqs[i].ns, time);
		x = put_foreign(v, y, x, COLS, f->irqs[i].name, strlen(f->irqs[i].name));
		x = top_draw_print(v, y, x, " %llu in %s, ", (unsigned long long)f->irqs[i].count, time);
	}
	if (f->nr_irqs > IRQS_SHOWN)
		top_draw_print(v, y, x, "and %u other kinds", f->nr_irqs - IRQS_SHOWN);
}

/* What stands before a number of which not all was recorded. */
static const char *least_of(const struct lkst_top_view *v, enum lkst_figures_part part)
{
	return v->look->figures->limited[part][0] ? "at least " : "";
}

static void draw_cpu(const struct lkst_top_view *v, int y, const char *name,
		     const struct lkst_cpu_figures *c, double cost)
{
	u64 ns = top_draw_cpu_ns(c);
	int x = top_draw_print(v, y, 0, "%-7s", name);

	attron(color(v, PAIR_RUNNING));
	x = top_draw_print(v, y, x, " %5.1f %% threads", lkst_top_percent(c->threads_ns, ns));
	attrset(A_NORMAL);
	x = top_draw_print(v, y, x, ", %s%4.1f %% interrupts, %s%4.1f %% softirqs, %5.1f %% idle",
			   least_of(v, LKST_FIGURES_HARD), lkst_top_percent(c->irq_ns, ns),
			   least_of(v, LKST_FIGURES_SOFT), lkst_top_percent(c->softirq_ns, ns),
			   lkst_top_percent(c->idle_ns, ns));
	if (c->unknown_ns)
		x = top_draw_print(v, y, x, ", %.1f %% unknown", lkst_top_percent(c->unknown_ns, ns));
	if (v->look->recording.is_known)
		top_draw_print(v, y, x, "; recording %.2f %%", cost * 100);
}

static int draw_cpus(const struct lkst_top_view *v, int y)
{
	const struct lkst_figures *f = v->look->figures;
	const struct lkst_cost *cost = &v->look->recording.cost;
	struct lkst_cpu_figures all = {};
	char name[16];
	u32 nr = 0, i;

	for (i = 0; i < f->nr_cpus; i++) {
		const struct lkst_cpu_figures *c = &f->cpus[i];

		nr += top_draw_cpu_ns(c) != 0;
		all.threads_ns += c->threads_ns;
		all.irq_ns += c->irq_ns;
		all.softirq_ns += c->softirq_ns;
		all.idle_ns += c->idle_ns;
		all.unknown_ns += c->unknown_ns;
	}
	if (nr > CPUS_MAX) {
		snprintf(name, sizeof(name), "%u CPUs", nr);
		draw_cpu(v, y, name, &all,
			 cost->nr_cpus ? cost->us_per_second / 1e6 / cost->nr_cpus : 0);
		return y + 1;
	}
	for (i = 0; i < f->nr_cpus; i++) {
		const struct lkst_cpu_figures *c = &f->cpus[i];

		if (!top_draw_cpu_ns(c))
			continue;
		snprintf(name, sizeof(name), "CPU %u", i);
		draw_cpu(v, y++, name, c, i < cost->nr_cpus ? cost->cpu_shares[i] : 0);
	}
	return y;
}

static int draw_disks(const struct lkst_top_view *v, int y)
{
	const struct lkst_figures *f = v->look->figures;
	char size[LKST_SIZE_TEXT], mean[LKST_DURATION_TEXT], worst[LKST_DURATION_TEXT];
	u32 i;

	for (i = 0; i < f->nr_disks && i < DISKS_LINES; i++) {
		const struct lkst_disk_figures *d = &f->disks[i];
		int x = top_draw_put(v, y, 0, COLS, "disk ");

		lkst_size_format(d->bytes, size);
		lkst_duration_format(d->requests ? d->sum_ns / d->requests : 0, mean);
		lkst_duration_format(d->worst_ns, worst);
		x = put_foreign(v, y, x, COLS, d->name, strlen(d->name));
		x = top_draw_print(v, y++, x, ": %s%llu requests, %s, mean %s, worst %s",
				   least_of(v, LKST_FIGURES_DISKS), (unsigned long long)d->requests, size,
				   mean, worst);
		if (!f->limited[LKST_FIGURES_DISKS][0])
			top_draw_print(v, y - 1, x, ", %llu in flight", (unsigned long long)d->in_flight);
	}
	return y;
}

/* ---- the rows ------------------------------------------------------------------------------- */

static int nr_columns(const struct lkst_top_view *v)
{
	u32 i;

	for (i = 0; i < v->rows->nr; i++)
		if (lkst_top_container(v->look->figures, &v->rows->list[i])[0])
			return NR_COLUMNS;
	return COLUMN_CONTAINER;
}

static void draw_columns(const struct lkst_top_view *v, int y, int nr)
{
	int x = 0, i;

	for (i = 0; i < nr && x < COLS; i++) {
		bool is_sorted = columns[i].column == v->wish->sort;
		int length = (int)strlen(columns[i].title), width = columns[i].width;
		bool is_left = columns[i].title[0] == ' ';

		attrset(is_sorted ? A_BOLD | A_REVERSE : A_REVERSE | A_DIM);
		mvhline(y, x, ' ', width < COLS - x ? width : COLS - x);
		top_draw_put(v, y, is_left || length > width ? x : x + width - length, width,
			     columns[i].title);
		x += width;
	}
	attrset(A_NORMAL);
}

static void format_cell(char text[32], const struct lkst_thread_figures *t, int i, u64 ns)
{
	char time[LKST_DURATION_TEXT];

	switch (columns[i].column) {
	case LKST_TOP_TID:
		snprintf(text, 32, "%d", t->tid);
		break;
	case LKST_TOP_PID:
		if (t->pid)
			snprintf(text, 32, "%d", t->pid);
		break;
	case LKST_TOP_CPU:
		if (t->cpu >= 0)
			snprintf(text, 32, "%d", t->cpu);
		break;
	case LKST_TOP_WORST_READY:
		lkst_duration_format(t->ready_max_ns, time);
		if (t->ready_max_ns)
			snprintf(text, 32, "%s", time);
		break;
	default:
		if (lkst_top_time(t, columns[i].column))
			snprintf(text, 32, "%.1f",
				 lkst_top_percent(lkst_top_time(t, columns[i].column), ns));
	}
}

static void draw_name(const struct lkst_top_view *v, int y, int x, int width,
		      const struct lkst_thread_figures *t)
{
	bool is_own = lkst_top_is_own(t);

	top_draw_put(v, y, x, 1, is_own ? "+" : " ");
	x = put_foreign(v, y, x + 1, width - 2, t->comm, strnlen(t->comm, sizeof(t->comm)));
	if (t->nr_threads > 1)
		top_draw_print(v, y, x, "*%d", t->nr_threads);
}

static void draw_row(const struct lkst_top_view *v, int y, int nr, const struct lkst_thread_figures *t,
		     bool is_selected)
{
	const struct lkst_figures *f = v->look->figures;
	const char *container = lkst_top_container(f, t);
	attr_t base = is_selected ? A_REVERSE : A_NORMAL;
	unsigned int cause = lkst_figures_longest_cause(t);
	int x = 0, i;

	attrset(base);
	mvhline(y, 0, ' ', COLS);
	for (i = 0; i < nr && x < COLS; i++) {
		int width = columns[i].width;
		char text[32] = "";

		attrset(base | (is_selected ? A_NORMAL : color(v, columns[i].pair)));
		if (i == COLUMN_NOW) {
			top_draw_print(v, y, x, " %s", lkst_run_names[t->run % LKST_NR_RUNS]);
		} else if (i == COLUMN_ON) {
			top_draw_print(v, y, x, " %s",
				       cause < LKST_NR_CAUSES ? lkst_cause_names[cause] : "");
		} else if (i == COLUMN_CONTAINER) {
			put_foreign(v, y, x + 1, width - 1, container, strlen(container));
		} else if (columns[i].column == LKST_TOP_NAME) {
			attrset(base | (lkst_top_is_own(t) ? color(v, PAIR_OWN) : A_NORMAL));
			draw_name(v, y, x, width, t);
		} else {
			format_cell(text, t, i, f->to_ns - f->from_ns);
			top_draw_print(v, y, x, "%*.*s", width, width, text);
		}
		x += width;
	}
	attrset(A_NORMAL);
}

/* ---- the screen ----------------------------------------------------------------------------- */

static void draw_last_line(const struct lkst_top_view *v)
{
	int x;

	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	if (v->question) {
		x = top_draw_put(v, LINES - 1, 0, COLS, v->question);
		put_foreign(v, LINES - 1, x, COLS, v->typed, strlen(v->typed));
	} else if (v->message && v->message[0]) {
		put_foreign(v, LINES - 1, 0, COLS, v->message, strlen(v->message));
	} else {
		top_draw_put(v, LINES - 1, 0, COLS, keys);
	}
	attroff(A_REVERSE);
}

/* How many lines there are above the rows, the columns' titles included. */
static int head_lines(const struct lkst_top_view *v)
{
	const struct lkst_figures *f = v->look ? v->look->figures : NULL;
	u32 cpus = 0, i;

	if (!f)
		return HEAD_LINES + 1;
	for (i = 0; i < f->nr_cpus; i++)
		cpus += top_draw_cpu_ns(&f->cpus[i]) != 0;
	return HEAD_LINES + 1 + (int)(cpus > CPUS_MAX ? 1 : cpus) + waiting_lines(v, 0, false) +
	       (int)(f->nr_disks < DISKS_LINES ? f->nr_disks : DISKS_LINES);
}

unsigned int lkst_top_draw_room(const struct lkst_top_view *v)
{
	int room = LINES - 1 - (v->page == LKST_TOP_PAGE_ROWS ? head_lines(v) : 1);

	return room > 1 ? (unsigned int)room : 1;
}

static void draw_rows(struct lkst_top_view *v)
{
	unsigned int room = lkst_top_draw_room(v), i;
	int y = 0, nr = nr_columns(v);

	draw_title(v, y++);
	y = draw_cpus(v, y);
	draw_recording(v, y++);
	draw_irqs(v, y++);
	y = draw_disks(v, y);
	draw_worst(v, y++);
	draw_found(v, y++);
	y += waiting_lines(v, y, true);
	draw_columns(v, y++, nr);
	if (v->selected >= v->rows->nr)
		v->selected = v->rows->nr ? v->rows->nr - 1 : 0;
	if (v->selected < v->first)
		v->first = v->selected;
	if (v->selected >= v->first + room)
		v->first = v->selected - room + 1;
	for (i = 0; i < room && v->first + i < v->rows->nr && y < LINES - 1; i++)
		draw_row(v, y++, nr, &v->rows->list[v->first + i], v->first + i == v->selected);
}

static void draw_text(const struct lkst_top_view *v, const char *title, char *const *lines,
		      unsigned int nr, unsigned int first)
{
	unsigned int room = lkst_top_draw_room(v), i;

	attron(A_BOLD);
	top_draw_put(v, 0, 0, COLS, title);
	attroff(A_BOLD);
	for (i = 0; i < room && first + i < nr; i++)
		top_draw_put(v, (int)i + 1, 0, COLS, lines[first + i]);
}

void lkst_top_draw(struct lkst_top_view *v)
{
	erase();
	if (v->page == LKST_TOP_PAGE_HELP)
		draw_text(v, "lkst top: any key leaves this page", (char *const *)help, NR_HELP, 0);
	else if (v->page == LKST_TOP_PAGE_WHY)
		draw_text(v, "why: up, down, PgUp, PgDn; q or Enter leaves", v->why.lines,
			  v->why.nr, v->why.first);
	else if (v->look)
		draw_rows(v);
	else
		top_draw_put(v, 0, 0, COLS, "looking at what was recorded ...");
	draw_last_line(v);
	refresh();
}
