// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is painted: an overview of the whole trace, and below it the lanes in view over the stretch of time that is
 * shown. A column of pixels has the colours of all states in it, by their shares, so that it is true at any scale. What is
 * not known is hatched (gaps.js).
 */
"use strict";

const HATCH_STEPS = 4; /* of a lane's height */
/* The height of the overview, pixels; of more CPUs than that rows of pixels are mixed. */
const OVERVIEW_LEAST = 40;
const OVERVIEW_MOST = 128;

class Drawing {
	constructor(trace)
	{
		this.trace = trace;
		this.overview = byId("overview");
		this.arrows = new Arrows(trace);
		this.path = [];
		this.ticks = new Ticks(trace);
		this.marks = new Marks(trace, trace.info.marks);
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
		this.labels = new Labels(this.trace, { text: style.getPropertyValue("--text").trim(),
			back: style.getPropertyValue("--back").trim(), dark: "#000000" });
		this.markColour = style.getPropertyValue("--mark").trim();
		this.hatchLine = pixelOf(this.colours[0]);
		this.hatchBack = pixelOf(this.back);
		this.countColours = countColours(style.getPropertyValue("--count").trim(), this.back);
		this.textColour = style.getPropertyValue("--text").trim();
		this.hatching = hatching(document.createElement("canvas").getContext("2d"),
			style.getPropertyValue("--unknown").trim(), style.getPropertyValue("--back").trim());
		this.spanColours = { span: style.getPropertyValue("--span").trim(), text: this.textColour, onSpan: "#000000",
			hatching: this.hatching };
	}

	showLegend()
	{
		const { states, lanes, spans_left_out: leftOut } = this.trace.info;
		const spans = lanes.some(({ kind }) => kind == "span") ? ["span"] : [];

		byId("legend").replaceChildren(...[...states, ...spans].map((name) => {
			const item = document.createElement("li");
			const sample = document.createElement("i");

			sample.style.background = name == "unknown"
				? "repeating-linear-gradient(135deg, var(--unknown) 0 2px, var(--back) 2px 5px)" : `var(--${name})`;
			item.append(sample, name);
			return item;
		}), ...leftOut ? [make("li", {}, `${countText(leftOut)} spans are not shown: they lie too deep in others, or are too many`)] : []);
	}

	/* The colours of @shares, of which unknown has no part, as the pixels of one line. */
	mix(shares, width)
	{
		const pixels = new Uint32Array(width);

		for (let x = 0; x < width; x++) {
			const known = 65535 - shares[x * NR_STATES];
			let red = 0, green = 0, blue = 0, rest = known;

			for (let state = 1; state < NR_STATES; state++) {
				const share = shares[x * NR_STATES + state];

				if (!share)
					continue;
				rest -= share;
				red += share * this.colours[state][0];
				green += share * this.colours[state][1];
				blue += share * this.colours[state][2];
			}
			rest = Math.max(rest, 0);
			pixels[x] = known ? 0xff000000 | (blue + rest * this.back[2]) / known << 16 |
				(green + rest * this.back[1]) / known << 8 | (red + rest * this.back[0]) / known : 0;
		}
		return pixels;
	}

	/* Pixels for a lane as large as @context, to be drawn at once: those of the last time, if that was of the same size. */
	imageFor(context)
	{
		const { width, height } = context.canvas;

		if (this.image?.width != width || this.image.height != height)
			this.image = context.createImageData(width, height);
		return this.image;
	}

	/*
	 * Hatches what is unknown, from above: as much of the height as it takes of the time, from 0 to 1, and never too little
	 * to be seen.
	 */
	hatch(pixels, width, height, unknownOf)
	{
		for (let x = 0; x < width; x++) {
			const share = unknownOf(x);
			const level = share && Math.max(Math.ceil(share * HATCH_STEPS - 0.001), 1);
			const end = Math.ceil(height * level / HATCH_STEPS);

			for (let y = 0; y < end; y++)
				pixels[y * width + x] = (x + y) % HATCH_PERIOD < HATCH_LINE ? this.hatchLine : this.hatchBack;
		}
	}

	/* Gaps of a CPU, also those in which it is known what it did: along its upper edge. */
	hatchGaps(context, lane, from, to, width, height)
	{
		context.fillStyle = this.hatching;
		for (const gap of this.trace.gaps.ofCpu(lane.number, lane.host)) {
			const first = Math.floor((gap.from_ns - from) / (to - from) * width);
			const last = Math.max(Math.ceil((gap.to_ns - from) / (to - from) * width), first + 2);

			if (last > 0 && first < width)
				context.fillRect(Math.max(first, 0), 0, Math.min(last, width) - Math.max(first, 0),
					Math.ceil(height / HATCH_STEPS));
		}
	}

	/* Draws lane @index, or several together, onto @context, whose size it has. */
	drawLane(context, index, from, to)
	{
		const { width, height } = context.canvas;
		const shares = this.trace.shares(index, from, to, width);
		const lane = this.trace.info.lanes[index];

		if (!shares)
			return;

		const image = this.imageFor(context);
		const pixels = new Uint32Array(image.data.buffer);
		const line = this.mix(shares, width);

		for (let y = 0; y < height; y++)
			pixels.set(line, y * width);
		this.hatch(pixels, width, height, (x) => shares[x * NR_STATES] / 65535);
		context.putImageData(image, 0, 0);
		if (lane?.kind == "cpu")
			this.hatchGaps(context, lane, from, to, width, height);
	}

	/* The same of a count's lane. */
	drawCount(context, index, from, to)
	{
		const { width, height } = context.canvas;
		const columns = this.trace.columns(index, from, to, width);

		if (!columns)
			return;

		const image = this.imageFor(context);
		const pixels = new Uint32Array(image.data.buffer);
		const top = drawColumns(pixels, width, height, columns, this.countColours);

		this.hatch(pixels, width, height, (x) => 1 - columns[x * COLUMN_NUMBERS + 3]);
		context.putImageData(image, 0, 0);
		if (top)
			this.drawTop(context, amountText(top, this.trace.info.lanes[index].unit));
	}

	/* What the full height of a count's lane is, to be read on any colour. */
	drawTop(context, text)
	{
		context.font = LABEL_FONT;
		context.textBaseline = "top";
		context.lineWidth = 3;
		context.strokeStyle = this.labels.colours.back;
		context.strokeText(text, 3, 2);
		context.fillStyle = this.textColour;
		context.fillText(text, 3, 2);
	}

	/* The context of @canvas, as large as its place. */
	contextOf(canvas, width, height)
	{
		if (canvas.width != width)
			canvas.width = width;
		if (canvas.height != height)
			canvas.height = height;
		return canvas.getContext("2d");
	}

	/* The whole trace: all CPUs, one above the other. */
	drawOverview()
	{
		const width = Math.max(this.overview.clientWidth, 1);
		const cpus = this.trace.info.lanes.map((lane, index) => ({ ...lane, index })).filter((lane) => lane.kind == "cpu");

		this.overview.style.height = `${Math.min(Math.max(2 * cpus.length, OVERVIEW_LEAST), OVERVIEW_MOST)}px`;

		const height = Math.max(Math.floor(this.overview.clientHeight / Math.max(cpus.length, 1)), 1);
		const context = this.contextOf(this.overview.querySelector("canvas"), width, height * Math.max(cpus.length, 1));
		const one = this.contextOf(document.createElement("canvas"), width, height);

		context.canvas.style.imageRendering = cpus.length > OVERVIEW_MOST ? "auto" : "";
		cpus.forEach((lane, y) => {
			this.drawLane(one, lane.index, 0, this.trace.length);
			context.drawImage(one.canvas, 0, y * height);
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
		this.overview.setAttribute("aria-valuenow", String(Math.round(100 * (from + to) / 2 / length)));
		this.overview.setAttribute("aria-valuetext", `${timeText(from, digitsFor(length / 1000))} to ` +
			timeText(to, digitsFor(length / 1000)));
	}

	/* A chain of waits (arrows.js), which is drawn until another is set. */
	get chain()
	{
		return this.path;
	}

	set chain(chain)
	{
		this.path = chain ?? [];
		this.draw();
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
		showRuler();
		this.ticks.look(from, to, Math.max(byId("ruler").clientWidth, 1));
		for (const row of page.list.inView()) {
			const context = this.contextOf(row.canvas, Math.max(row.space.clientWidth, 1), Math.max(row.space.clientHeight, 1));

			if (row.lane.kind == "count")
				this.drawCount(context, row.lane.index, from, to);
			else if (row.lane.kind == "span")
				drawSpans(context, this.trace, row.lane.index, from, to, this.spanColours);
			else
				this.drawLane(context, row.lane.index, from, to);
			if (row.lane.kind == "cpu" || row.lane.kind == "thread")
				this.labels.draw(context, row.lane, from, to);
			this.ticks.draw(context, row.lane, from, to, this.textColour);
			this.marks.drawLines(context, this.markColour);
			showSelectionIn(row);
		}
		this.arrows.draw(this.path);
		this.marks.show();
	}
}

for (const what of ["trace", "view", "selection", "mark", "time"])
	page.addEventListener(what, () => page.drawing?.draw());
