/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The samples of a trace as a flame graph: a picture (SVG 1.1) in which a function is as wide as the CPU time that
 * it took with all that it called, which are above it. A click on it shows it alone, Ctrl-F or the word at the corner
 * looks for names. Nothing is loaded from elsewhere.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/out.h"
#include "base/size.h"
#include "base/vec.h"
#include "export/export_format.h"
#include "export/sample_pass.h"
#include "view/xml_text.h"

enum {
	NODES_MAX = 1 << 19,
	WIDTH = 1200,
	ROW = 16,
	MARGIN = 10,
	TOP = 40,
	BOTTOM = 30,
	THREAD = 1U << 31, /* a name that is the number of a thread */
	HIDDEN = 10,	   /* of WIDTH * 100: what is less wide is not drawn */
};

/* A function, as it was called by those below it. */
struct node {
	u32 name, parent, child, next; /* child and next: 0: none */
	u32 depth;
	u64 ns, from_ns; /* from_ns: where it begins, from the left */
};

struct numbered {
	u64 key;
	u32 nr;
};

struct graph {
	struct lkst_export *x;
	const struct lkst_samples *s;
	struct node *nodes; /* the first is the root */
	u32 nr_nodes, depth;
	struct lkst_hash numbers;
};

/* ---- the tree -------------------------------------------------------------------------------- */

/* The number of the function @name above @parent, made if it is not there; 0: no memory, or too many. */
static u32 above(struct graph *g, u32 parent, u32 name)
{
	u64 key = (u64)parent << 32 | name;
	struct numbered *known = lkst_hash_find(&g->numbers, key, sizeof(*known));
	struct node *node;

	if (known)
		return known->nr;
	if (g->nr_nodes >= NODES_MAX || lkst_hash_reserve(&g->numbers, sizeof(*known)))
		return 0;
	node = lkst_vec_add(g->nodes, g->nr_nodes);
	if (!node)
		return 0;
	known = lkst_hash_add(&g->numbers, key, sizeof(*known));
	known->nr = g->nr_nodes - 1;
	node->name = name;
	node->parent = parent;
	node->depth = g->nodes[parent].depth + 1;
	node->next = g->nodes[parent].child;
	g->nodes[parent].child = known->nr;
	if (node->depth > g->depth)
		g->depth = node->depth;
	return known->nr;
}

static void add_path(struct graph *g, const struct lkst_samples_path *path)
{
	const u32 *frames = lkst_samples_frames(g->s, path);
	u32 at = above(g, 0, THREAD | path->thread), i;

	g->nodes[0].ns += path->ns;
	for (i = path->nr_frames; at; i--) {
		g->nodes[at].ns += path->ns;
		if (!i)
			return;
		at = above(g, at, frames[i - 1]);
	}
	g->x->result.nr_cut += path->nr;
}

/* Where each begins: children follow each other, from where their parent begins. A parent comes before its children. */
static void place(struct graph *g)
{
	u32 i, child;

	for (i = 0; i < g->nr_nodes; i++) {
		u64 at = g->nodes[i].from_ns;

		for (child = g->nodes[i].child; child; child = g->nodes[child].next) {
			g->nodes[child].from_ns = at;
			at += g->nodes[child].ns;
		}
	}
}

/* ---- the picture ----------------------------------------------------------------------------- */

/* Clicks make a function as wide as all; what is below it stays, and what is beside it goes. */
static const char script[] =
	"<script type=\"text/ecmascript\"><![CDATA[\n"
	"\"use strict\";\n"
	"const W = 1200, M = 10, all = [...document.querySelectorAll(\"g.f\")];\n"
	"const num = (g, k) => Number(g.getAttribute(k));\n"
	"function fit(g, x, w) {\n"
	"  const r = g.querySelector(\"rect\"), t = g.querySelector(\"text\"), n = g.getAttribute(\"data-n\");\n"
	"  g.style.display = w < 0.1 ? \"none\" : \"\";\n"
	"  r.setAttribute(\"x\", M + x); r.setAttribute(\"width\", Math.max(w - 0.3, 0.1));\n"
	"  t.setAttribute(\"x\", M + x + 3);\n"
	"  const c = Math.floor((w - 6) / 7);\n"
	"  t.textContent = c < 3 ? \"\" : n.length <= c ? n : n.slice(0, c - 2) + \"..\";\n"
	"}\n"
	"function zoom(to) {\n"
	"  const x0 = num(to, \"data-x\"), w0 = num(to, \"data-w\"), d0 = num(to, \"data-d\");\n"
	"  for (const g of all) {\n"
	"    const x = num(g, \"data-x\"), w = num(g, \"data-w\"), d = num(g, \"data-d\");\n"
	"    if (d <= d0 && x <= x0 + 1e-6 && x + w >= x0 + w0 - 1e-6) fit(g, 0, W);\n"
	"    else if (d > d0 && x >= x0 - 1e-6 && x + w <= x0 + w0 + 1e-6) fit(g, (x - x0) * W / w0, w * W / w0);\n"
	"    else g.style.display = \"none\";\n"
	"  }\n"
	"}\n"
	"function search() {\n"
	"  const what = prompt(\"Functions whose name has:\", \"\");\n"
	"  if (what === null) return;\n"
	"  let sum = 0, end = -1;\n"
	"  const hits = all.filter((g) => what && g.getAttribute(\"data-n\").includes(what));\n"
	"  for (const g of all) g.querySelector(\"rect\").style.fill = hits.includes(g) ? \"#b050e0\" : \"\";\n"
	"  hits.sort((a, b) => num(a, \"data-x\") - num(b, \"data-x\") || num(b, \"data-w\") - num(a, \"data-w\"));\n"
	"  for (const g of hits) {\n"
	"    const x = num(g, \"data-x\"), w = num(g, \"data-w\");\n"
	"    if (x >= end - 1e-6) { sum += w; end = x + w; }\n"
	"  }\n"
	"  const found = document.getElementById(\"found\");\n"
	"  found.textContent = what ? (100 * sum / W).toFixed(1) + \" % found\" : \"search\";\n"
	"}\n"
	"for (const g of all) g.addEventListener(\"click\", () => zoom(g));\n"
	"document.getElementById(\"found\").addEventListener(\"click\", search);\n"
	"window.addEventListener(\"keydown\", (e) => {\n"
	"  if (e.ctrlKey && e.key === \"f\") { e.preventDefault(); search(); }\n"
	"});\n"
	"]]></script>\n";

/* What the function is called, a thread by its name and number; and of what it is, "": that says nothing more. */
struct label {
	char who[LKST_SAMPLE_NAME];
	const char *text, *where;
	bool is_user;
};

static void name_of(const struct graph *g, const struct node *n, struct label *ret)
{
	const struct lkst_frame_name *name;

	ret->is_user = true;
	ret->where = "";
	ret->text = "all";
	if (n == g->nodes)
		return;
	if (n->name & THREAD) {
		const struct lkst_samples_path of = { .thread = n->name & ~THREAD };

		ret->text = lkst_sample_who(g->s, &of, false, ret->who);
		return;
	}
	name = lkst_samples_name(g->s, n->name);
	ret->text = name->text;
	ret->is_user = name->kind != LKST_FRAME_KERNEL;
	if (ret->is_user && strcmp(name->where, "program"))
		ret->where = name->where;
}

/* Warm colours for programs, cold ones for the kernel; the same name has the same. */
static void put_colour(struct lkst_out *out, const char *name, bool is_user)
{
	u32 hash = 2166136261u, shade;

	for (; *name; name++)
		hash = (hash ^ (u8)*name) * 16777619u;
	shade = (hash ^ hash >> 16) % 60;
	if (is_user)
		lkst_out_printf(out, "rgb(%u,%u,%u)", 225 + shade / 3, 120 + shade * 2,
				50 + shade / 2);
	else
		lkst_out_printf(out, "rgb(%u,%u,%u)", 90 + shade, 160 + shade, 215 + shade / 2);
}

/* How many bytes of @name are shown where @room fit; what is cut is followed by "..". No character is cut in two. */
static int fitting(const char *name, int room)
{
	int length = (int)strlen(name);

	if (length <= room)
		return length;
	for (length = room - 2; length && (name[length] & 0xc0) == 0x80; length--)
		;
	return length;
}

static void put_node(struct graph *g, const struct node *n, double y)
{
	struct lkst_out *out = g->x->out;
	double all = (double)g->nodes[0].ns, x = WIDTH * (double)n->from_ns / all,
	       w = WIDTH * (double)n->ns / all;
	int room = (int)((w - 6) / 7);
	char time[LKST_DURATION_TEXT], shown[WIDTH];
	struct label label;
	const char *name;

	if (w * 100 < HIDDEN)
		return;
	name_of(g, n, &label);
	name = label.text;
	lkst_duration_format(n->ns, time);
	lkst_out_printf(out,
			"<g class=\"f\" data-x=\"%.6f\" data-w=\"%.6f\" data-d=\"%u\" data-n=\"", x,
			w, n->depth);
	lkst_put_xml(out, name, strlen(name));
	lkst_out_str(out, "\"><title>");
	lkst_put_xml(out, name, strlen(name));
	if (label.where[0] && !strchr(name, '[')) {
		lkst_out_str(out, " (");
		lkst_put_xml(out, label.where, strlen(label.where));
		lkst_out_str(out, ")");
	}
	lkst_out_printf(
		out,
		": %s, %.2f %%</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"",
		time, 100 * (double)n->ns / all, MARGIN + x, y, w > 0.4 ? w - 0.3 : 0.1, ROW - 1);
	put_colour(out, name, label.is_user);
	lkst_out_printf(out, "\" rx=\"1\"/><text x=\"%.2f\" y=\"%.0f\">", MARGIN + x + 3, y + 12);
	if (room >= 3) {
		snprintf(shown, sizeof(shown), "%.*s%s", fitting(name, room), name,
			 (int)strlen(name) <= room ? "" : "..");
		lkst_put_xml(out, shown, strlen(shown));
	}
	lkst_out_str(out, "</text></g>\n");
}

/* A line below the picture, if it does not show all samples with their functions. */
static void put_faults(struct graph *g, u32 y)
{
	const struct lkst_export_result *is = &g->x->result;

	if (!is->nr_without_stack && !is->nr_cut && !is->nr_short && !is->nr_samples_left_out &&
	    !is->nr_gaps)
		return;
	lkst_out_printf(
		g->x->out,
		"<text x=\"%d\" y=\"%u\">samples: %llu; without a stack: %llu; stack cut: %llu; one function of the "
		"program only: %llu; left out: %llu; places where records are missing: %llu</text>\n",
		MARGIN, y, (unsigned long long)is->nr_samples,
		(unsigned long long)is->nr_without_stack, (unsigned long long)is->nr_cut,
		(unsigned long long)is->nr_short, (unsigned long long)is->nr_samples_left_out,
		(unsigned long long)is->nr_gaps);
}

static void put_picture(struct graph *g)
{
	struct lkst_out *out = g->x->out;
	u32 height = TOP + BOTTOM + (g->depth + 1) * ROW, i;
	char time[LKST_DURATION_TEXT];

	lkst_duration_format(g->nodes[0].ns, time);
	lkst_out_printf(
		out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg version=\"1.1\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"viewBox=\"0 0 %d %u\">\n"
		"<style>text { font: 12px monospace; } .f { cursor: pointer; } .f text { pointer-events: none; } "
		"#found { cursor: pointer; }</style>\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fffdf5\"/>\n"
		"<text x=\"%d\" y=\"24\">CPU time by samples: %s</text>\n"
		"<text id=\"found\" x=\"%d\" y=\"24\" text-anchor=\"end\">search</text>\n",
		WIDTH + 2 * MARGIN, height, WIDTH + 2 * MARGIN, height, MARGIN, time,
		WIDTH + MARGIN);
	for (i = 0; i < g->nr_nodes && g->nodes[0].ns; i++)
		put_node(g, &g->nodes[i], height - BOTTOM - (g->nodes[i].depth + 1.0) * ROW);
	put_faults(g, height - BOTTOM / 3);
	lkst_out_str(out, script);
	lkst_out_str(out, "</svg>\n");
}

static int write_flamegraph(struct lkst_err *e, struct lkst_export *x)
{
	_cleanup_(lkst_samples_freep) struct lkst_samples *s = NULL;
	struct graph g = { .x = x };
	int err = lkst_sample_pass(e, x, &s);
	u32 i;

	if (!err && !lkst_vec_add(g.nodes, g.nr_nodes))
		err = lkst_err_sys(e, -ENOMEM, "drawing");
	g.s = s;
	for (i = 0; !err && i < lkst_samples_nr_paths(s); i++)
		add_path(&g, lkst_samples_path(s, i));
	if (!err) {
		place(&g);
		put_picture(&g);
	}
	lkst_hash_fini(&g.numbers);
	free(g.nodes);
	return err;
}

const struct lkst_export_format lkst_export_flamegraph = {
	.name = "flamegraph",
	.help = "samples, as a picture of which functions took how much time",
	.extension = "svg",
	.filters = LKST_EXPORT_BY_THREAD,
	.write = write_flamegraph,
};
