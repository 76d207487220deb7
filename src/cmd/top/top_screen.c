// SPDX-License-Identifier: GPL-2.0-only
/* The screen of `lkst top`: looks, keys, and the terminal's state. */
#include "cmd/top/top_screen.h"

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/size.h"
#include "base/time.h"
#include "base/vec.h"
#include "cmd/frame/end_signals.h"
#include "cmd/top/top_draw.h"

enum {
	KEY_ESCAPE = 27,
	ESCAPE_MS = 25, /* how long an Esc may be the begin of another key */
	ANSWER_ENTER = '\r',
};

/* What is asked for in the last line. */
enum question {
	ASK_NOTHING,
	ASK_NAME,
	ASK_DELAY,
};

struct screen {
	struct lkst_top_source *source;
	const struct lkst_top_screen_options *options;
	SCREEN *terminal;
	int end_fd; /* readable: a signal asks it to end */
	struct lkst_top_view view;
	struct lkst_top_wish wish;
	struct lkst_top_rows rows;
	s32 selected_tid; /* 0: none was chosen: the first row */
	enum question question;
	char typed[LKST_TOP_PROMPT], name[LKST_TOP_PROMPT], message[LKST_TOP_LINE];
	s64 nr_looks;
	bool is_refused; /* the last look, by the service; `message` says why */
	bool is_over;
};

/* ---- looks ---------------------------------------------------------------------------------- */

/* The chosen thread stays chosen, wherever its row is now. */
static int sort_rows(struct lkst_err *e, struct screen *s)
{
	struct lkst_top_rows rows;
	u32 i;

	if (!s->view.look)
		return 0;
	if (lkst_top_rows_make(s->view.look->figures, &s->wish, &rows))
		return lkst_err_sys(e, -ENOMEM, "sorting");
	lkst_top_rows_fini(&s->rows);
	s->rows = rows;
	for (i = 0; s->selected_tid && i < rows.nr; i++)
		if (rows.list[i].tid == s->selected_tid)
			s->view.selected = i;
	return 0;
}

/* What a key was answered with stays until the next key. */
static int top_screen_look(struct lkst_err *e, struct screen *s)
{
	int err = lkst_top_next(e, s->source, s->view.delay_ns, &s->view.look);

	if (s->is_refused)
		s->message[0] = '\0';
	/* The service may refuse once. */
	s->is_refused = err == -EREMOTEIO;
	if (s->is_refused) {
		snprintf(s->message, sizeof(s->message), "%s", e->text);
		s->view.look = NULL;
		return 0;
	}
	if (err)
		return err;
	s->nr_looks++;
	return sort_rows(e, s);
}

/* ---- why ------------------------------------------------------------------------------------ */

static void text_fini(struct lkst_top_text *t)
{
	free(t->bytes);
	free(t->lines);
	*t = (struct lkst_top_text){};
}

/* Cuts @bytes, which it takes over, into lines. */
static int text_take(struct lkst_top_text *t, char *bytes)
{
	char *line = bytes, *end, **added;

	text_fini(t);
	t->bytes = bytes;
	for (; *line; line = end) {
		end = strchrnul(line, '\n');
		if (*end)
			*end++ = '\0';
		added = lkst_vec_add(t->lines, t->nr);
		if (!added)
			return -ENOMEM;
		*added = line;
	}
	return 0;
}

/* Says in the last line that there is nothing to explain thread @t with. */
static void say_nothing(struct screen *s, const struct lkst_thread_figures *t)
{
	snprintf(s->message, sizeof(s->message),
		 "%d/%.*s did nothing that was recorded in this time: there is nothing to show", t->tid,
		 (int)sizeof(t->comm), t->comm);
}

static int show_why(struct lkst_err *e, struct screen *s)
{
	const struct lkst_thread_figures *t;
	struct lkst_err why;
	char *text = NULL;
	int err;

	if (!s->view.look || s->view.selected >= s->rows.nr)
		return 0;
	t = &s->rows.list[s->view.selected];
	err = t->tid > 0 ? lkst_top_why(&why, s->view.look, t->tid, &text)
			 : lkst_err_set(&why, -EINVAL, "this row is of several threads");
	if (err == -ENOENT) {
		say_nothing(s, t);
		return 0;
	}
	if (err) {
		snprintf(s->message, sizeof(s->message), "%s", why.text);
		return 0;
	}
	if (text_take(&s->view.why, text))
		return lkst_err_sys(e, -ENOMEM, "explaining");
	s->view.page = LKST_TOP_PAGE_WHY;
	return 0;
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void top_screen_choose(struct screen *s, s64 row)
{
	s64 last = (s64)s->rows.nr - 1;

	row = row > last ? last : row;
	s->view.selected = row > 0 ? (u32)row : 0;
	s->selected_tid = s->view.selected < s->rows.nr ? s->rows.list[s->view.selected].tid : 0;
}

static void scroll_why(struct screen *s, s64 line)
{
	s64 last = (s64)s->view.why.nr - 1;

	line = line > last ? last : line;
	s->view.why.first = line > 0 ? (unsigned int)line : 0;
}

/* True: @key moves; then *@at is where to. */
static bool is_move(const struct screen *s, int key, s64 *at, s64 nr)
{
	s64 page = lkst_top_draw_room(&s->view);

	switch (key) {
	case KEY_UP:
		*at -= 1;
		return true;
	case KEY_DOWN:
		*at += 1;
		return true;
	case KEY_PPAGE:
		*at -= page;
		return true;
	case KEY_NPAGE:
		*at += page;
		return true;
	case KEY_HOME:
		*at = 0;
		return true;
	case KEY_END:
		*at = nr - 1;
		return true;
	default:
		return false;
	}
}

/* The column that @key sorts by; -1: it is no such key. */
static int sort_of_key(int key, enum lkst_top_column now)
{
	static const struct {
		char key;
		u8 column;
	} sorts[] = {
		{ 'P', LKST_TOP_RUNNING },     { 'R', LKST_TOP_READY }, { 'D', LKST_TOP_DISK },
		{ 'L', LKST_TOP_LOCK },	       { 'S', LKST_TOP_SLEEP }, { 'O', LKST_TOP_OTHER },
		{ 'U', LKST_TOP_UNKNOWN },     { 'N', LKST_TOP_TID },	{ 'C', LKST_TOP_NAME },
		{ 'W', LKST_TOP_WORST_READY },
	};
	/* As they are on the screen. */
	static const u8 order[] = { LKST_TOP_TID,   LKST_TOP_PID,     LKST_TOP_NAME,
				    LKST_TOP_CPU,   LKST_TOP_RUNNING, LKST_TOP_READY,
				    LKST_TOP_DISK,  LKST_TOP_LOCK,    LKST_TOP_SLEEP,
				    LKST_TOP_OTHER, LKST_TOP_UNKNOWN, LKST_TOP_WORST_READY };
	int i, at = 0;

	for (i = 0; i < (int)(sizeof(sorts) / sizeof(sorts[0])); i++)
		if (sorts[i].key == key)
			return sorts[i].column;
	if (key != '<' && key != '>')
		return -1;
	while (at < LKST_NR_TOP_COLUMNS - 1 && order[at] != now)
		at++;
	at += key == '>' ? 1 : -1;
	return order[at < 0 ? 0 : at >= LKST_NR_TOP_COLUMNS ? LKST_NR_TOP_COLUMNS - 1 : at];
}

static void top_screen_ask(struct screen *s, enum question question)
{
	s->question = question;
	s->view.question = question == ASK_NAME ? "only names that match (empty: all): "
						: "seconds or time between looks: ";
	s->typed[0] = '\0';
}

static int on_row_key(struct lkst_err *e, struct screen *s, int key)
{
	int sort = sort_of_key(key, s->wish.sort);
	s64 at = s->view.selected;

	s->message[0] = '\0';
	if (sort >= 0) {
		s->wish.sort = (enum lkst_top_column)sort;
		return sort_rows(e, s);
	}
	if (is_move(s, key, &at, s->rows.nr)) {
		top_screen_choose(s, at);
		return 0;
	}
	switch (key) {
	case 'q':
	case 'Q':
		s->is_over = true;
		return 0;
	case 'h':
	case '?':
	case KEY_F(1):
		s->view.page = LKST_TOP_PAGE_HELP;
		return 0;
	case 'i':
		s->wish.is_reversed = !s->wish.is_reversed;
		return sort_rows(e, s);
	case 'H':
		s->wish.is_by_process = !s->wish.is_by_process;
		return sort_rows(e, s);
	case 'p':
	case ' ':
		s->view.is_paused = !s->view.is_paused;
		return 0;
	case '/':
		top_screen_ask(s, ASK_NAME);
		return 0;
	case 'd':
		top_screen_ask(s, ASK_DELAY);
		return 0;
	case '\n':
	case '\r':
	case KEY_ENTER:
		return show_why(e, s);
	default:
		return 0;
	}
}

static void on_why_key(struct screen *s, int key)
{
	s64 at = s->view.why.first;

	if (is_move(s, key, &at, s->view.why.nr))
		scroll_why(s, at);
	else if (key != ERR)
		s->view.page = LKST_TOP_PAGE_ROWS;
}

/* "2" is 2 seconds. */
static void set_delay(struct screen *s)
{
	char text[LKST_TOP_PROMPT + 1];
	struct lkst_err why;
	u64 ns, least = s->options->min_delay_ns;
	size_t length = strlen(s->typed);
	bool is_number = length && strspn(s->typed, "0123456789.") == length;

	snprintf(text, sizeof(text), "%s%s", s->typed, is_number ? "s" : "");
	if (lkst_duration_parse(&why, text, &ns))
		snprintf(s->message, sizeof(s->message), "%s", why.text);
	else if (ns < least || ns > LKST_TOP_DELAY_MAX_NS)
		snprintf(s->message, sizeof(s->message),
			 "the time between looks is from %g s to 1 h", (double)least / 1e9);
	else
		s->view.delay_ns = ns;
}

static int on_answer_key(struct lkst_err *e, struct screen *s, int key)
{
	size_t length = strlen(s->typed);
	enum question question = s->question;

	if (key == KEY_BACKSPACE || key == 127 || key == '\b') {
		/* A whole character: UTF-8 continues with 10xxxxxx. */
		while (length && (s->typed[length - 1] & 0xc0) == 0x80)
			length--;
		s->typed[length ? length - 1 : 0] = '\0';
		return 0;
	}
	if (key >= ' ' && key < 256 && length + 1 < sizeof(s->typed)) {
		s->typed[length] = (char)key;
		s->typed[length + 1] = '\0';
		return 0;
	}
	if (key != '\n' && key != ANSWER_ENTER && key != KEY_ENTER && key != KEY_ESCAPE)
		return 0;
	s->question = ASK_NOTHING;
	s->view.question = NULL;
	if (key == KEY_ESCAPE)
		return 0;
	if (question == ASK_DELAY) {
		set_delay(s);
		return 0;
	}
	memcpy(s->name, s->typed, sizeof(s->name));
	s->wish.name = s->name;
	return sort_rows(e, s);
}

static int on_key(struct lkst_err *e, struct screen *s, int key)
{
	if (key == KEY_RESIZE)
		return 0;
	if (s->question != ASK_NOTHING)
		return on_answer_key(e, s, key);
	if (s->view.page == LKST_TOP_PAGE_WHY) {
		on_why_key(s, key);
		return 0;
	}
	if (s->view.page == LKST_TOP_PAGE_HELP) {
		s->view.page = LKST_TOP_PAGE_ROWS;
		return 0;
	}
	return on_row_key(e, s, key);
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* Takes all keys that were pressed. */
static int take_keys(struct lkst_err *e, struct screen *s)
{
	int key, err = 0;

	while (!err && !s->is_over && (key = getch()) != ERR)
		err = on_key(e, s, key);
	return err;
}

/* Waits until it is time for the next look, and does what keys say meanwhile. */
static int top_screen_wait_for_look(struct lkst_err *e, struct screen *s)
{
	u64 since_ns = lkst_monotonic_ns(), now = since_ns;
	int ready;

	while (!s->is_over) {
		struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
					{ .fd = s->end_fd, .events = POLLIN } };
		bool is_still = s->view.is_paused || s->view.page != LKST_TOP_PAGE_ROWS;
		u64 until_ns = since_ns + s->view.delay_ns;
		int err;

		now = lkst_monotonic_ns();
		if (!is_still && now >= until_ns)
			return 0;
		lkst_top_draw(&s->view);
		ready = lkst_top_wait(e, s->source, is_still ? LKST_NS_PER_S : until_ns - now, fds,
				      2);
		if (ready < 0)
			return ready;
		/* The terminal is gone, or a signal came. */
		if (fds[1].revents || fds[0].revents & (POLLHUP | POLLERR))
			s->is_over = true;
		err = ready ? take_keys(e, s) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int top_screen_loop(struct lkst_err *e, struct screen *s)
{
	int err = 0;

	while (!err && !s->is_over) {
		err = top_screen_look(e, s);
		if (err)
			return err;
		lkst_top_draw(&s->view);
		if (s->options->count && s->nr_looks >= s->options->count)
			return 0;
		err = top_screen_wait_for_look(e, s);
	}
	return err;
}

/* ---- the terminal --------------------------------------------------------------------------- */

/* Ctrl-\ would leave the terminal as it is; the other signals that end are read from @end_fd. */
static int top_screen_open_signals(struct lkst_err *e, struct screen *s)
{
	signal(SIGQUIT, SIG_IGN);
	s->end_fd = lkst_end_signals_open(e);
	return s->end_fd < 0 ? s->end_fd : 0;
}

int lkst_top_screen_check(struct lkst_err *e)
{
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		return 0;
	return lkst_err_set(e, -ENOTTY,
			    "this needs a terminal; --batch prints to a file or a pipe");
}

static int open_terminal(struct lkst_err *e, struct screen *s)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	int err;

	setlocale(LC_CTYPE, "");
	s->view.is_utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	err = top_screen_open_signals(e, s);
	if (err)
		return err;
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal)
		return lkst_err_set(
			e, -ENOTTY,
			"nothing is known of a terminal \"%s\"; set TERM to one that is "
			"in /usr/share/terminfo, or use --batch",
			term ?: "");
	set_escdelay(ESCAPE_MS);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	if (!s->options->no_color && !(no_color && *no_color))
		s->view.has_color = lkst_top_draw_begin();
	return 0;
}

static void screen_fini(struct screen *s)
{
	if (s->terminal) {
		endwin();
		delscreen(s->terminal);
	}
	if (s->end_fd >= 0)
		close(s->end_fd);
	lkst_top_rows_fini(&s->rows);
	text_fini(&s->view.why);
}

int lkst_top_screen_run(struct lkst_err *e, struct lkst_top_source *source,
			const struct lkst_top_screen_options *options)
{
	_cleanup_(screen_fini) struct screen s = {
		.source = source, .options = options, .end_fd = -1, .wish = options->wish
	};

	s.view = (struct lkst_top_view){ .wish = &s.wish,
					 .rows = &s.rows,
					 .delay_ns = options->delay_ns,
					 .typed = s.typed,
					 .message = s.message };
	return open_terminal(e, &s) ?: top_screen_loop(e, &s);
}
