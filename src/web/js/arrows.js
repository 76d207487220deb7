// SPDX-License-Identifier: GPL-2.0-only
/*
 * Arrows from lane to lane, over the rows: from who woke the selected thread to its lane; and a chain of waits, such as
 * lkst why finds: drawing.chain, an array of { tid, host, from_ns, to_ns, by_tid, by_host }, stretches of threads, and who ended
 * each; null: no thread did. They are among the rows, and move with these.
 */
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const ARROWS_MAX = 50; /* wake-ups of a selection that have an arrow */

function svgElement(name, attributes)
{
	const element = document.createElementNS(SVG, name);

	for (const [attribute, value] of Object.entries(attributes))
		element.setAttribute(attribute, String(value));
	return element;
}

class Arrows {
	constructor(trace)
	{
		this.trace = trace;
		this.element = svgElement("svg", { class: "arrows", "aria-hidden": "true" });
	}

	/* The middle of the row of lane @index, or of its process; NaN: neither is in the list. */
	#rowOf(index)
	{
		const { rows, nrPinned } = page.list;
		const row = rows.find(({ lane }) => lane.kind != "group" && lane.index == index) ??
			rows.find(({ lane }) => lane.kind == "group" && lane.holds.includes(index));

		return row && !row.isPinned ? (row.place - nrPinned + 0.5) * ROW_HEIGHT : NaN;
	}

	/* The wake-ups of the selected thread in the stretch that is selected, or at its end. */
	wakings()
	{
		const { index, thread, from, to } = page.selection ?? {};

		return thread ? this.trace.wakings(index, from, to + 1, ARROWS_MAX) : [];
	}

	/* Who woke the selected thread last, for a sentence. */
	inWords()
	{
		const wakings = this.wakings();
		const { at, thread, name, cpu } = wakings[wakings.length - 1] ?? {};

		return at === undefined ? "" : `; woken at ${timeText(at)} by ` +
			(thread ? `${thread.comm || "?"} ${thread.tid}` : `${name ?? "an interrupt"} on CPU ${cpu}`);
	}

	#laneOf({ thread, cpu, at })
	{
		return thread ? this.trace.laneOfThread(thread.tid, at, thread.host) : this.trace.laneOfCpu(cpu, page.selection.lane.host);
	}

	#x(at)
	{
		return Math.min(Math.max(page.view.placeOf(at), -0.1), 1.1) * this.width;
	}

	/* From lane to lane at a time, its head at the second one. */
	#arrow(at, from, to, className)
	{
		const x = this.#x(at);
		const [y, end] = [this.#rowOf(from), this.#rowOf(to)];
		const back = end > y ? -6 : 6;

		if (Number.isNaN(y) || Number.isNaN(end) || y == end)
			return [];
		return [svgElement("path", { class: className, d: `M ${x} ${y} V ${end} m -4 ${back} l 4 ${-back} l 4 ${back}` })];
	}

	#stretch({ tid, host, from_ns: from, to_ns: to, by_tid: by, by_host: byHost })
	{
		const index = this.trace.laneOfThread(tid, from, host);
		const y = this.#rowOf(index);
		const line = Number.isNaN(y) ? []
			: [svgElement("path", { class: "chain", d: `M ${this.#x(from)} ${y} H ${this.#x(to)}` })];

		return (by ?? null) === null ? line : [...line, ...this.#arrow(to, this.trace.laneOfThread(by, to, byHost), index, "chain")];
	}

	/* Draws them, and @chain, where the rows are now. */
	draw(chain)
	{
		const row = page.list.rows.find(({ space }) => space?.isConnected);

		this.width = row?.space.clientWidth ?? 0;

		const paths = [...this.wakings().flatMap((waking) => this.#arrow(waking.at, this.#laneOf(waking), page.selection.index, "waking")),
			...chain.flatMap((stretch) => this.#stretch(stretch))];

		if (!row || !paths.length) {
			this.element.remove();
			return;
		}
		this.element.style.left = `${row.space.offsetLeft}px`;
		this.element.setAttribute("width", this.width);
		this.element.setAttribute("height", Math.max((page.list.rows.length - page.list.nrPinned) * ROW_HEIGHT, 1));
		if (this.element.parentNode != page.list.space)
			page.list.space.append(this.element);
		this.element.replaceChildren(...paths);
	}
}
