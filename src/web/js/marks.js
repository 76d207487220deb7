// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks over all lanes: incidents, triggers that fired, switches of the maskset, what the cost limit left out, the ends of
 * parts. Each is a button between the ruler and the lanes, and a line across these. What it says is what lkst print says of
 * its record.
 */
"use strict";

const MARKS_SHOWN = 300; /* at a time; more are so close that they cover each other */
const MARK_SIGNS = { incident: "!", trigger_fired: "T", maskset_switch: "M", shed_begin: "\u2212", shed_end: "+", state_end: "|" };

class Marks {
	/* @list: of lkst_web_read(). */
	constructor(trace, list)
	{
		this.trace = trace;
		this.list = [...list].sort((a, b) => a.at_ns - b.at_ns); /* of several hosts they are one after the other */
		this.words = new Map();
		this.element = byId("marks");
		this.element.replaceChildren();
		this.shown = "";
	}

	inView(from, to)
	{
		const first = this.#firstAfter(from);
		const marks = [];

		for (let i = first; i < this.list.length && this.list[i].at_ns <= to && marks.length < MARKS_SHOWN; i++)
			marks.push(i);
		return marks;
	}

	#firstAfter(at)
	{
		let low = 0, high = this.list.length;

		while (low < high) {
			const middle = (low + high) >> 1;

			if (this.list[middle].at_ns >= at)
				high = middle;
			else
				low = middle + 1;
		}
		return low;
	}

	/* What mark @i says: the text of its record. */
	inWords(i)
	{
		const { at_ns: at, event, text, host } = this.list[i];

		if (!this.words.has(i))
			this.words.set(i, text || this.trace.recordsInWords(at, at, event, host).join("; ") || event);
		return `${timeText(at)}: ${visible(this.trace.withHost(this.words.get(i), host))}`;
	}

	#button(i)
	{
		const { event } = this.list[i];
		const button = document.createElement("button");
		const tell = () => {
			button.title = this.inWords(i);
			button.setAttribute("aria-label", button.title);
		};

		button.type = "button";
		button.textContent = MARK_SIGNS[event] ?? "*";
		button.setAttribute("aria-label", event);
		button.dataset.mark = i;
		button.addEventListener("mouseenter", tell);
		button.addEventListener("focus", () => {
			tell();
			byId("selection").textContent = button.title;
		});
		button.addEventListener("click", () => {
			tell();
			byId("selection").textContent = button.title;
		});
		return button;
	}

	/* Moves the buttons to where they are in the view. */
	show()
	{
		const marks = this.inView(page.view.from, page.view.to);

		if (this.shown != marks.join())
			this.element.replaceChildren(...marks.map((i) => this.#button(i)));
		this.shown = marks.join();
		marks.forEach((i, place) => {
			this.element.children[place].style.left = `${100 * page.view.placeOf(this.list[i].at_ns)}%`;
		});
		this.element.hidden = !this.list.length;
	}

	/* Their lines across the lane that @context draws, below where gaps are hatched. */
	drawLines(context, colour)
	{
		const { width, height } = context.canvas;

		context.fillStyle = colour;
		for (const i of this.inView(page.view.from, page.view.to))
			context.fillRect(Math.round(page.view.placeOf(this.list[i].at_ns) * (width - 1)), height / HATCH_STEPS, 1, height);
	}
}
