// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is drawn within a lane when it is close enough: the names of the threads that a CPU runs and of the interrupts that it
 * takes; the system calls and page faults that a thread is in, in a strip at its lane's lower edge.
 */
"use strict";

const LABEL_FONT = "9px system-ui, sans-serif";
const LABEL_ROOM = 24; /* pixels, without which there is no label */
const STRIP = 9; /* pixels: the height of a strip */
const FAULT_STRIP = 3;

/* Writes @text between two columns of pixels, as much of it as there is room for. */
function drawLabel(context, text, first, last, y)
{
	const left = Math.max(first, 0) + 2;
	const room = Math.min(last, context.canvas.width) - left - 2;
	let shown = text;

	if (room < LABEL_ROOM)
		return;
	for (let width = context.measureText(shown).width; shown && width > room; width = context.measureText(shown).width)
		shown = shown.slice(0, Math.min(shown.length - 1, Math.floor(shown.length * room / width)));
	context.fillText(shown, left, y);
}

class Labels {
	/* @colours: text and back, those of the page; dark: of text on the colours of states. */
	constructor(trace, colours)
	{
		this.trace = trace;
		this.colours = colours;
	}

	/* The slices of a part of lane @index that are in view, with their columns of pixels; none if they are too many to be seen. */
	#inView(context, index, part, from, to)
	{
		const { width } = context.canvas;
		const max = Math.ceil(width / 4);
		const slices = this.trace.partSlices(index, part, from, to, max);
		const columnOf = (at) => (at - from) / (to - from) * width;

		return slices.length == max ? []
			: slices.map((slice) => ({ ...slice, first: columnOf(slice.from), last: columnOf(slice.to) }));
	}

	#drawStrip(context, slices, height)
	{
		const y = context.canvas.height - height;

		for (const { name, first, last } of slices) {
			const left = Math.max(Math.floor(first), -1);
			const width = Math.max(Math.min(Math.ceil(last), context.canvas.width + 1) - left, 1);

			context.fillStyle = this.colours.text;
			context.fillRect(left, y, width, height);
			context.fillStyle = this.colours.back;
			context.fillRect(left + 1, y + 1, width - 2, height - 1);
			context.fillStyle = this.colours.text;
			if (height == STRIP)
				drawLabel(context, name, first, last, y + height / 2 + 1);
		}
	}

	#drawThread(context, index, from, to)
	{
		this.#drawStrip(context, this.#inView(context, index, PART.calls, from, to), STRIP);
		this.#drawStrip(context, this.#inView(context, index, PART.faults, from, to), FAULT_STRIP);
	}

	#drawCpu(context, index, from, to)
	{
		const { height } = context.canvas;

		context.fillStyle = this.colours.dark;
		for (const { state, thread, first, last } of this.#inView(context, index, PART.states, from, to))
			if (state == "running" && thread)
				drawLabel(context, `${thread.comm || "?"} ${thread.tid}`, first, last, height / 2 - 1);
		for (const { name, first, last } of this.#inView(context, index, PART.irqs, from, to))
			drawLabel(context, name, first, last, height - STRIP / 2);
	}

	/* @lane: of a CPU or a thread, whose states @context has already. */
	draw(context, lane, from, to)
	{
		context.font = LABEL_FONT;
		context.textBaseline = "middle";
		if (lane.kind == "cpu")
			this.#drawCpu(context, lane.index, from, to);
		else
			this.#drawThread(context, lane.index, from, to);
	}
}
