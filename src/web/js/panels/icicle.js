// SPDX-License-Identifier: GPL-2.0-only
/*
 * All waiting of the stretch of time that is shown, as a flame graph that hangs: who waited, below that because of whom or what,
 * and below that who did what meanwhile, as `lkst why --tree` says it. Harm is warm.
 */
"use strict";

const ICICLE_DEPTH = "32";

/* The tree of the rows of table waiting_tree: nodes as those of treeOfSamples(), with the other members of their rows. */
function treeOfWaiting(rows)
{
	const root = { name: "all waiting", isUser: false, ns: 0, depth: 0, parent: null, children: new Map() };
	const path = [root];

	for (const row of rows) {
		const parent = path[row.depth];
		const node = { ...row, name: row.text, ns: Number(row.total_ns), depth: row.depth + 1, parent, children: new Map(),
			isUser: row.depth ? parent.isUser : row.kind !== null };

		parent.children.set(parent.children.size, node);
		path[node.depth] = node;
		if (!row.depth)
			root.ns += node.ns;
	}
	return root;
}

class Icicle extends Flame {
	label = "all waiting, and because of whom";
	isDown = true;

	read()
	{
		const host = page.trace.isSeveral ? page.maps.host : null;
		const { out } = askOf(host, askJson, "why", "--tree", ICICLE_DEPTH, "--format", "json", ...rangeWords(page.view.from, page.view.to, host));

		this.table = out.waiting_tree;
		return treeOfWaiting(this.table.rows);
	}

	/* The row of the table, with a link to the longest. */
	words({ name, ns, count, longest_ns: longest, tid, at_ns: at })
	{
		const { host } = page.maps;
		const share = `: ${durationFigure(ns)}, ${fixed(100 * ns / (this.root.ns || 1), 1)} % of all waiting`;
		const from = at ? sinceBegin(at, page.trace.isSeveral ? host : null) : 0;

		return [nameElement(name), share, count ? `, ${count} times` : "",
			...at ? [`, the longest ${durationFigure(Number(longest))} at `, timeLink(momentElement(from), from, from + Number(longest), tid, host)] : [],
			...(this.table.notes ?? []).map((note) => ` ${visible(note)}`)];
	}

	show(node)
	{
		super.show(node);
		this.mark();
	}

	/* Frames the boxes of the threads that are called as the one whose lane is selected. */
	mark()
	{
		for (const box of this.picture.children)
			box.classList.toggle("own", Boolean(box.dataset.comm) && box.dataset.comm == page.selection?.thread?.comm);
	}
}
