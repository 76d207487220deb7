// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is painted: an overview of the whole trace, and below it the lanes in view over the stretch of time that is
 * shown. A column of pixels has the colours of all states in it, by their shares, so that it is true at any scale.
 */
"use strict";

class Drawing {
	constructor(trace)
	{
		this.trace = trace;
		this.overview = byId("overview");
		this.readColours();
		this.showLegend();
	}

	readColours()
	{
		const style = getComputedStyle(document.documentElement);

		this.colours = this.trace.info.states.map((name) => {
			const text = style.getPropertyValue(`--${name}`).trim();

			return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
		});
		this.back = [1, 3, 5].map((at) => parseInt(style.getPropertyValue("--back").trim().slice(at, at + 2), 16));
	}

	showLegend()
	{
		byId("legend").replaceChildren(...this.trace.info.states.map((name) => {
			const item = document.createElement("li");
			const sample = document.createElement("i");

			sample.style.background = `var(--${name})`;
			item.append(sample, name);
			return item;
		}));
	}

	/* Draws lane @index onto @canvas, which is stretched to its place. */
	drawLane(canvas, index, from, to, width)
	{
		const shares = this.trace.shares(index, from, to, width);
		const context = canvas.getContext("2d");

		canvas.width = width;
		canvas.height = 1;

		const image = context.createImageData(width, 1);

		for (let x = 0; shares && x < width; x++) {
			const colour = [0, 0, 0];
			let rest = 65535;

			for (let state = 0; state < NR_STATES; state++) {
				const share = shares[x * NR_STATES + state];

				rest -= share;
				for (let i = 0; share && i < 3; i++)
					colour[i] += share * this.colours[state][i];
			}
			for (let i = 0; i < 3; i++)
				image.data[4 * x + i] = (colour[i] + Math.max(rest, 0) * this.back[i]) / 65535;
			image.data[4 * x + 3] = 255;
		}
		context.putImageData(image, 0, 0);
	}

	/* The whole trace: all CPUs, one above the other. */
	drawOverview()
	{
		const width = Math.max(this.overview.clientWidth, 1);
		const cpus = this.trace.info.lanes.map((lane, index) => ({ ...lane, index })).filter((lane) => lane.kind == "cpu");
		const canvas = this.overview.querySelector("canvas");
		const context = canvas.getContext("2d");
		const one = document.createElement("canvas");

		canvas.width = width;
		canvas.height = Math.max(cpus.length, 1);
		cpus.forEach((lane, y) => {
			this.drawLane(one, lane.index, 0, this.trace.length, width);
			context.drawImage(one, 0, y);
		});
		this.hasOverview = true;
	}

	showWindow()
	{
		const { from, to, length } = page.view;
		let frame = this.overview.querySelector(".window");

		if (!frame) {
			frame = document.createElement("div");
			frame.className = "window";
			this.overview.append(frame);
		}
		frame.style.left = `${100 * from / length}%`;
		frame.style.width = `${100 * (to - from) / length}%`;
		this.overview.setAttribute("aria-valuetext", `${durationText(from)} to ${durationText(to)}`);
	}

	showRuler()
	{
		const { from, to, span } = page.view;
		const step = 10 ** Math.floor(Math.log10(span / 4));
		const width = [1, 2, 5, 10].map((factor) => factor * step).find((ns) => span / ns <= 8);
		const marks = [];

		for (let at = Math.ceil(from / width) * width; at < to; at += width) {
			const mark = document.createElement("span");

			mark.style.left = `${100 * page.view.placeOf(at)}%`;
			mark.textContent = `+${durationText(at)}`;
			marks.push(mark);
		}
		byId("ruler").replaceChildren(...marks);
	}

	/* Draws the next time the browser is ready, once. */
	draw()
	{
		if (this.isWaiting)
			return;
		this.isWaiting = true;
		requestAnimationFrame(() => {
			this.isWaiting = false;
			if (page.drawing == this)
				this.drawNow();
		});
	}

	/* The same, and the overview again: its width or its colours are others. */
	drawAll()
	{
		this.hasOverview = false;
		this.readColours();
		this.draw();
	}

	drawNow()
	{
		const { from, to } = page.view;

		if (!this.hasOverview)
			this.drawOverview();
		this.showWindow();
		this.showRuler();
		for (const row of page.list.inView()) {
			this.drawLane(row.canvas, row.lane.index, from, to, Math.max(row.space.clientWidth, 1));
			showSelectionIn(row);
		}
	}
}

for (const what of ["trace", "view", "selection"])
	page.addEventListener(what, () => page.drawing.draw());
