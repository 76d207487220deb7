// SPDX-License-Identifier: GPL-2.0-only
/*
 * The samples of the stretch of time that is shown, as a flame graph: a function is as wide as the CPU time that it took with all
 * that it called, which are above it. A click on one shows it alone, and on one below it those around it again.
 */
"use strict";

const FLAME_ROW = 17; /* pixels */
const FLAME_LEAST = 0.001; /* of the width: what is less wide is not drawn */

/* The tree of what lkst_web_samples() prints: { name, isUser, ns, depth, parent, children: by name }. */
function treeOfSamples({ names, user, threads, paths })
{
	const users = new Set(user);
	const root = { name: "all", isUser: true, ns: 0, depth: 0, parent: null, children: new Map() };
	const above = (node, key, name, isUser) => {
		if (!node.children.has(key))
			node.children.set(key, { name, isUser, ns: 0, depth: node.depth + 1, parent: node, children: new Map() });
		return node.children.get(key);
	};

	for (const [ns, thread, ...frames] of paths) {
		const { comm, tid } = threads[thread];
		let node = above(root, `thread ${thread}`, `${comm || "?"} ${tid}`, true);

		root.ns += ns;
		node.ns += ns;
		for (const frame of frames.reverse()) {
			node = above(node, frame, names[frame], users.has(frame));
			node.ns += ns;
		}
	}
	return root;
}

/* Warm colours for programs, cold ones for the kernel; the same name has the same. */
function flameColour({ name, isUser })
{
	const hash = [...name].reduce((sum, character) => (sum * 31 + character.codePointAt(0)) % 60, 7);

	return isUser ? `rgb(${225 + hash / 3} ${120 + hash * 2} ${50 + hash / 2})` : `rgb(${90 + hash} ${160 + hash} ${215 + hash / 2})`;
}

class Flame {
	label = "functions by their CPU time";
	isDown = false; /* what is called is below */

	constructor(place)
	{
		this.text = make("p", { role: "status" });
		this.picture = make("div", { className: "flame", role: "group" });
		place.append(make("div", { className: "maphead" }, this.text), this.picture);
	}

	read()
	{
		const { from, to } = page.maps.ownStretch();

		this.info = askModule("lkst_web_samples", from, to);
		return treeOfSamples(this.info);
	}

	draw()
	{
		const path = [];
		let node;

		for (let at = this.shown; at?.parent; at = at.parent)
			path.unshift(at.name);
		node = this.root = this.read();
		/* What was shown alone is so again, as far as it is there. */
		for (const name of path) {
			const child = [...node.children.values()].find((one) => one.name == name);

			if (!child)
				break;
			node = child;
		}
		this.picture.setAttribute("aria-label", this.label);
		this.show(node);
	}

	/* What is said of the picture. */
	words()
	{
		const { samples, without_stack: without, left_out: leftOut } = this.info;

		return [`${samples} samples, ${durationFigure(this.root.ns)} of CPU time` +
			(without ? `; ${without} without a stack` : "") + (leftOut ? `; ${leftOut} are left out: there are too many different ones` : "")];
	}

	/* @node as wide as the picture, with what it was called by below it. */
	show(node)
	{
		const boxes = [];

		this.shown = node;
		for (let below = node.parent; below; below = below.parent)
			boxes.push({ node: below, from: 0, share: 1 });
		this.#add(boxes, node, 0, 1, node.ns);

		const rows = Math.max(...boxes.map((box) => box.node.depth)) + 1;

		this.picture.style.height = `${rows * FLAME_ROW}px`;
		this.picture.replaceChildren(...boxes.map((box) => this.#box(box, rows)));
		this.text.replaceChildren(...this.words(node));
	}

	#add(boxes, node, from, share, all)
	{
		if (share < FLAME_LEAST)
			return;
		boxes.push({ node, from, share });
		for (const child of node.children.values()) {
			this.#add(boxes, child, from, child.ns / all, all);
			from += child.ns / all;
		}
	}

	#box({ node, from, share }, rows)
	{
		const title = `${visible(node.name)}: ${durationFigure(node.ns)}, ${fixed(100 * node.ns / (this.root.ns || 1), 2)} %`;
		const box = make("button", { type: "button", title, "aria-label": title }, visible(node.name));

		Object.assign(box.style, { left: `${100 * from}%`, width: `${100 * share}%`, top: `${(this.isDown ? node.depth : rows - 1 - node.depth) * FLAME_ROW}px`,
			background: flameColour(node) });
		if (node.comm)
			box.dataset.comm = node.comm;
		box.addEventListener("click", () => this.show(node));
		return box;
	}
}
