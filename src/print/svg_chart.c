/* SPDX-License-Identifier: GPL-2.0-only */
/* Panels along one axis of time, as SVG 1.1 (https://www.w3.org/TR/SVG11/). */
#include "print/svg_chart.h"

#include <assert.h>
#include <string.h>

#include "base/size.h"

enum {
	WIDTH = 960,
	LEFT = 16, /* of the panels */
	RIGHT = 16,
	TOP = 34,
	PANEL = 56, /* of its drawing; the title is above it */
	TITLE = 18,
	GAP = 10,
	AXIS = 24,
	LINE = 18, /* of the legend and of notes */
	TICKS_MAX = 8,
	LEGEND_MAX = 64, /* different series that it shows */
	TEXT_MAX = 1024, /* bytes of a text that are shown */
};

/* ---- text --------------------------------------------------------------------------------------- */

/*
 * Writes @length bytes of @text, which has no control characters, but for what XML takes for its own:
 * https://www.w3.org/TR/xml/#syntax
 */
static void put_xml(struct lkst_out *out, const char *text, size_t length)
{
	const char *end = text + length;

	for (; text < end; text++)
		switch (*text) {
		case '&':
			lkst_out_str(out, "&amp;");
			break;
		case '<':
			lkst_out_str(out, "&lt;");
			break;
		case '>':
			lkst_out_str(out, "&gt;");
			break;
		case '"':
			lkst_out_str(out, "&quot;");
			break;
		default:
			lkst_out_bytes(out, text, 1);
		}
}

/* Text of any bytes, as a terminal may have it, and then as XML may: https://www.w3.org/TR/xml/#syntax */
static void svg_chart_put_text(struct lkst_out *out, const char *text)
{
	char safe[4 * TEXT_MAX + 1], *end;
	size_t length = strlen(text);

	end = lkst_put_escaped(safe, text, length < TEXT_MAX ? length : TEXT_MAX, "");
	put_xml(out, safe, (size_t)(end - safe));
}

static void put_label(struct lkst_out *out, double x, double y, const char *anchor,
		      const char *text)
{
	lkst_out_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
	svg_chart_put_text(out, text);
	lkst_out_str(out, "</text>\n");
}

static void format_value(enum lkst_column_type type, double value, char text[LKST_DURATION_TEXT])
{
	uint64_t whole = (uint64_t)(value + 0.5);

	if (type == LKST_COLUMN_DURATION)
		lkst_duration_format(whole, text);
	else if (type == LKST_COLUMN_BYTES)
		lkst_size_format(whole, text);
	else
		snprintf(text, LKST_DURATION_TEXT, "%llu", (unsigned long long)whole);
}

/* ---- panels ------------------------------------------------------------------------------------- */

/* What of a column is drawn: from one height to another, both of LKST_SVG_WHOLE. */
struct bar {
	unsigned int from, to;
};

/* A path of bars; those that are alike and beside each other are one. */
static void put_bars(struct lkst_out *out, const struct lkst_svg_series *s, const struct bar *bars,
		     unsigned int nr)
{
	unsigned int i, k;
	bool is_begun = false;

	for (i = 0; i < nr; i = k) {
		for (k = i + 1; k < nr && bars[k].from == bars[i].from && bars[k].to == bars[i].to;)
			k++;
		if (bars[i].to == bars[i].from)
			continue;
		if (!is_begun)
			lkst_out_printf(out, "<path fill=\"%s\" d=\"", s->colour);
		is_begun = true;
		lkst_out_printf(out, "M%u %uv-%uh%uv%uz", i, LKST_SVG_WHOLE - bars[i].from,
				bars[i].to - bars[i].from, k - i, bars[i].to - bars[i].from);
	}
	if (!is_begun)
		return;
	lkst_out_str(out, "\"><title>");
	svg_chart_put_text(out, s->name);
	lkst_out_str(out, "</title></path>\n");
}

static unsigned int to_height(double share)
{
	return share >= 1  ? LKST_SVG_WHOLE
	       : share > 0 ? (unsigned int)(share * LKST_SVG_WHOLE + 0.5)
			   : 0;
}

static double greatest(const struct lkst_svg_panel *panel, unsigned int nr_columns)
{
	double most = 0;
	unsigned int i, k;

	for (i = 0; i < panel->nr_series; i++)
		for (k = 0; k < nr_columns; k++)
			if (panel->series[i].values[k] > most)
				most = panel->series[i].values[k];
	return most;
}

/* The bars of series @i. What there is of a value is seen, however little. */
static void make_bars(const struct lkst_svg_panel *panel, unsigned int i, double most,
		      unsigned int nr_columns, struct bar *bars)
{
	const double *values = panel->series[i].values;
	unsigned int k, m, line = LKST_SVG_WHOLE / 40;

	for (k = 0; k < nr_columns; k++) {
		double below = 0, value = values[k] > 0 ? values[k] : 0;

		if (panel->is_shares) {
			for (m = 0; m < i; m++)
				below += panel->series[m].values[k] > 0 ? panel->series[m].values[k]
									: 0;
			bars[k] = (struct bar){ to_height(below), to_height(below + value) };
			continue;
		}
		bars[k].from = 0;
		bars[k].to = most > 0 ? to_height(value / most) : 0;
		if (values[k] >= 0 && bars[k].to < line)
			bars[k].to = line;
		if (i && bars[k].to)
			bars[k].from = bars[k].to - line;
	}
}

static void put_panel(struct lkst_out *out, const struct lkst_svg_chart *c,
		      const struct lkst_svg_panel *panel, unsigned int y, struct bar *bars)
{
	double most = panel->is_shares ? 1 : greatest(panel, c->nr_columns);
	char value[LKST_DURATION_TEXT];
	unsigned int i;

	lkst_out_str(out, "<g>\n");
	put_label(out, LEFT, y + TITLE - 5, "start", panel->title);
	if (!panel->is_shares) {
		format_value(panel->type, most, value);
		put_label(out, WIDTH - RIGHT, y + TITLE - 5, "end", value);
	}
	lkst_out_printf(
		out,
		"<rect x=\"%d\" y=\"%u\" width=\"%d\" height=\"%d\" fill=\"none\" "
		"stroke=\"#c8c8c8\"/>\n"
		"<g transform=\"translate(%d %u) scale(%.6f %.6f)\" shape-rendering=\"crispEdges\">\n",
		LEFT, y + TITLE, WIDTH - LEFT - RIGHT, PANEL, LEFT, y + TITLE,
		(double)(WIDTH - LEFT - RIGHT) / c->nr_columns, (double)PANEL / LKST_SVG_WHOLE);
	for (i = 0; i < panel->nr_series; i++) {
		make_bars(panel, i, most, c->nr_columns, bars);
		put_bars(out, &panel->series[i], bars, c->nr_columns);
	}
	lkst_out_str(out, "</g>\n</g>\n");
}

/* ---- around them -------------------------------------------------------------------------------- */

static void put_axis(struct lkst_out *out, const struct lkst_svg_chart *c, unsigned int y)
{
	static const unsigned int factors[] = { 1, 2, 5, 10 };
	uint64_t power = 1, step, at;
	char text[LKST_DURATION_TEXT + 1] = "+";
	unsigned int i;

	while (c->length_ns / power / TICKS_MAX >= 10)
		power *= 10;
	for (i = 0; i < 3 && c->length_ns / (power * factors[i]) > TICKS_MAX; i++)
		;
	step = power * factors[i];
	for (at = (c->first_ns + step - 1) / step * step; at - c->first_ns < c->length_ns;
	     at += step) {
		double x = LEFT + (double)(at - c->first_ns) / (double)c->length_ns *
					  (WIDTH - LEFT - RIGHT);

		lkst_duration_format(at, text + 1);
		lkst_out_printf(out, "<path stroke=\"#595959\" d=\"M%.1f %uv5\"/>\n", x, y);
		put_label(out, x, y + 17,
			  x < LEFT + 20		   ? "start"
			  : x > WIDTH - RIGHT - 20 ? "end"
						   : "middle",
			  text);
	}
}

/* Each name with its colour, once. Returns where it ends. */
static unsigned int put_legend(struct lkst_out *out, const struct lkst_svg_chart *c, unsigned int y)
{
	const struct lkst_svg_series *shown[LEGEND_MAX];
	unsigned int nr = 0, i, k, m, x = LEFT;

	for (i = 0; i < c->nr_panels; i++)
		for (k = 0; k < c->panels[i].nr_series && nr < LEGEND_MAX; k++) {
			const struct lkst_svg_series *s = &c->panels[i].series[k];

			for (m = 0; m < nr && (strcmp(shown[m]->name, s->name) ||
					       strcmp(shown[m]->colour, s->colour));)
				m++;
			if (m < nr)
				continue;
			shown[nr++] = s;
			if (x + 120 > WIDTH) {
				x = LEFT;
				y += LINE;
			}
			lkst_out_printf(
				out,
				"<rect x=\"%u\" y=\"%u\" width=\"11\" height=\"11\" fill=\"%s\" "
				"stroke=\"#c8c8c8\"/>\n",
				x, y + 4, s->colour);
			put_label(out, x + 16, y + 14, "start", s->name);
			x += 120;
		}
	return y + LINE;
}

static void svg_chart_put_head(struct lkst_out *out, const struct lkst_svg_chart *c, unsigned int height)
{
	lkst_out_printf(
		out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\" role=\"img\" aria-labelledby=\"title about\" "
		"font-family=\"sans-serif\" font-size=\"12\" fill=\"#1a1a1a\">\n<title id=\"title\">",
		WIDTH, height, WIDTH, height);
	svg_chart_put_text(out, c->title);
	lkst_out_str(out, "</title>\n<desc id=\"about\">");
	svg_chart_put_text(out, c->about);
	lkst_out_printf(out, "</desc>\n<rect width=\"%d\" height=\"%u\" fill=\"#ffffff\"/>\n",
			WIDTH, height);
	lkst_out_str(out, "<g font-size=\"15\">\n");
	put_label(out, LEFT, TOP - 13, "start", c->title);
	lkst_out_str(out, "</g>\n");
}

void lkst_svg_chart_print(const struct lkst_svg_chart *c, struct lkst_out *out)
{
	unsigned int panel = TITLE + PANEL + GAP, y = TOP, i;
	struct bar bars[LKST_SVG_COLUMNS_MAX];

	assert(c->nr_columns && c->nr_columns <= LKST_SVG_COLUMNS_MAX);
	svg_chart_put_head(out, c, TOP + c->nr_panels * panel + AXIS + (3 + c->notes->nr) * LINE);
	for (i = 0; i < c->nr_panels; i++, y += panel)
		put_panel(out, c, &c->panels[i], y, bars);
	put_axis(out, c, y - GAP);
	y = put_legend(out, c, y - GAP + AXIS);
	for (i = 0; i < c->notes->nr; i++, y += LINE)
		put_label(out, LEFT, y + 14, "start", c->notes->text[i]);
	lkst_out_str(out, "</svg>\n");
}
