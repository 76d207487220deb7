// SPDX-License-Identifier: GPL-2.0-only
/*
 * The picture: an overview of the whole trace, and below it a lane for each CPU and thread over the stretch of time
 * that is shown. A column of pixels has the colours of all states in it, by their shares, so that it is true at any
 * scale. Times are nanoseconds after the trace's beginning.
 */
"use strict";

const NR_STATES = 9;
const NARROWEST_NS = 200;

/* "1.5 ms" */
function durationText(ns)
{
	for (const [unit, length] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]])
		if (ns >= length)
			return `${+(ns / length).toPrecision(4)} ${unit}`;
	return `${Math.round(ns)} ns`;
}

class Lanes {
	/* @lkst: a module that has read a trace; @info: what lkst_web_read() said. */
	constructor(lkst, info, onSelect)
	{
		this.lkst = lkst;
		this.info = info;
		this.length = Math.max(Number(BigInt(info.end_ns) - BigInt(info.begin_ns)), 1);
		this.from = 0;
		this.to = this.length;
		this.selection = null;
		this.onSelect = onSelect;
		this.pattern = "";
		this.rows = [];
		this.list = document.getElementById("lanes");
		this.overview = document.getElementById("overview");
		this.readColours();
		this.showLegend();
		this.showRows();
	}

	/* ---- what there is ---- */

	nameOf(lane)
	{
		if (lane.kind == "cpu")
			return `CPU ${lane.number}`;

		const thread = this.info.threads[lane.number];

		return `${thread.comm || "?"} ${thread.tid}`;
	}

	/* CPUs, then threads by the time they ran. */
	order()
	{
		const ran = (lane) => lane.kind == "cpu" ? Infinity : this.info.threads[lane.number].running_ns;

		return this.info.lanes.map((lane, index) => ({ ...lane, index, name: this.nameOf(lane) }))
			.sort((a, b) => a.kind == "cpu" && b.kind == "cpu" ? a.number - b.number : ran(b) - ran(a))
			.filter((lane) => lane.name.toLowerCase().includes(this.pattern.toLowerCase()));
	}

	/* ---- what is on the page ---- */

	readColours()
	{
		const style = getComputedStyle(document.documentElement);

		this.colours = this.info.states.map((name) => {
			const text = style.getPropertyValue(`--${name}`).trim();

			return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
		});
		this.back = [1, 3, 5].map((at) => parseInt(style.getPropertyValue("--back").trim().slice(at, at + 2), 16));
	}

	showLegend()
	{
		const legend = document.getElementById("legend");

		legend.replaceChildren(...this.info.states.map((name) => {
			const item = document.createElement("li");
			const sample = document.createElement("i");

			sample.style.background = `var(--${name})`;
			item.append(sample, name);
			return item;
		}));
	}

	/* A row for each lane; they are drawn when they come into view. */
	showRows()
	{
		this.rows = this.order().map((lane) => {
			const row = document.createElement("div");
			const label = document.createElement("span");
			const space = document.createElement("div");
			const canvas = document.createElement("canvas");

			row.className = `lane ${lane.kind}`;
			label.textContent = lane.name;
			label.title = lane.name;
			space.append(canvas);
			row.append(label, space);
			return { lane, row, space, canvas };
		});
		this.list.replaceChildren(...this.rows.map((row) => row.row));
		/* The lanes' scroll bar takes some of their width. */
		for (const above of [this.overview, document.getElementById("ruler")])
			above.style.marginRight = `${this.list.offsetWidth - this.list.clientWidth}px`;
		this.draw();
	}

	search(pattern)
	{
		this.pattern = pattern;
		this.showRows();
	}

	/* ---- drawing ---- */

	/* The shares of @nr columns of lane @index, NR_STATES numbers for each, of 65535. A view of the module's memory. */
	shares(index, from, to, nr)
	{
		const bytes = nr * NR_STATES * 2;

		if (bytes > (this.room ?? 0)) {
			if (this.memory)
				this.lkst.exports.lkst_web_free(this.memory);
			this.memory = this.lkst.exports.lkst_web_alloc(bytes) >>> 0;
			this.room = bytes;
		}
		if (this.lkst.exports.lkst_web_shares(index, from, to, nr, this.memory))
			return null;
		return new Uint16Array(this.lkst.memory, this.memory, nr * NR_STATES);
	}

	/* Draws lane @index onto @canvas, which is stretched to its place. */
	drawLane(canvas, index, from, to, width)
	{
		const shares = this.shares(index, from, to, width);
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
		const cpus = this.info.lanes.map((lane, index) => ({ ...lane, index })).filter((lane) => lane.kind == "cpu");
		const canvas = this.overview.querySelector("canvas");
		const context = canvas.getContext("2d");
		const one = document.createElement("canvas");

		canvas.width = width;
		canvas.height = Math.max(cpus.length, 1);
		cpus.forEach((lane, y) => {
			this.drawLane(one, lane.index, 0, this.length, width);
			context.drawImage(one, 0, y);
		});
		this.overviewOf = this.info;
	}

	showWindow()
	{
		let frame = this.overview.querySelector(".window");

		if (!frame) {
			frame = document.createElement("div");
			frame.className = "window";
			this.overview.append(frame);
		}
		frame.style.left = `${100 * this.from / this.length}%`;
		frame.style.width = `${100 * (this.to - this.from) / this.length}%`;
		this.overview.setAttribute("aria-valuetext", `${durationText(this.from)} to ${durationText(this.to)}`);
	}

	showRuler()
	{
		const ruler = document.getElementById("ruler");
		const span = this.to - this.from;
		const step = 10 ** Math.floor(Math.log10(span / 4));
		const width = [1, 2, 5, 10].map((factor) => factor * step).find((ns) => span / ns <= 8);
		const marks = [];

		for (let at = Math.ceil(this.from / width) * width; at < this.to; at += width) {
			const mark = document.createElement("span");

			mark.style.left = `${100 * (at - this.from) / span}%`;
			mark.textContent = `+${durationText(at)}`;
			marks.push(mark);
		}
		ruler.replaceChildren(...marks);
	}

	showSelection(row)
	{
		const selection = this.selection;

		row.space.querySelector(".selected")?.remove();
		if (!selection || selection.index != row.lane.index)
			return;

		const frame = document.createElement("div");
		const span = this.to - this.from;

		frame.className = "selected";
		frame.style.left = `${100 * (selection.from - this.from) / span}%`;
		frame.style.width = `${100 * (selection.to - selection.from) / span}%`;
		row.space.append(frame);
	}

	/* Draws the next time the browser is ready, once. */
	draw()
	{
		if (this.isWaiting)
			return;
		this.isWaiting = true;
		requestAnimationFrame(() => {
			this.isWaiting = false;
			this.drawNow();
		});
	}

	drawNow()
	{
		const top = this.list.scrollTop;
		const bottom = top + this.list.clientHeight;

		if (this.overviewOf != this.info)
			this.drawOverview();
		this.showWindow();
		this.showRuler();
		for (const row of this.rows) {
			const y = row.row.offsetTop;

			if (y + row.row.offsetHeight < top || y > bottom)
				continue;
			this.drawLane(row.canvas, row.lane.index, this.from, this.to, Math.max(row.space.clientWidth, 1));
			this.showSelection(row);
		}
	}

	/* ---- moving ---- */

	show(from, to)
	{
		const span = Math.min(Math.max(to - from, NARROWEST_NS), this.length);

		this.from = Math.min(Math.max(from, 0), this.length - span);
		this.to = this.from + span;
		this.draw();
	}

	/* @factor < 1: closer; @place: what stays where it is, from 0 to 1. */
	zoom(factor, place = 0.5)
	{
		const span = this.to - this.from;
		const at = this.from + span * place;

		this.show(at - span * factor * place, at + span * factor * (1 - place));
	}

	move(share)
	{
		const by = (this.to - this.from) * share;

		this.show(this.from + by, this.to + by);
	}

	/* ---- what is where ---- */

	/* The slices of lane @index between two times, the first @max of them. */
	slices(index, from, to, max)
	{
		const at = this.lkst.exports.lkst_web_alloc(max * 24) >>> 0;
		const nr = this.lkst.exports.lkst_web_slices(index, from, to, max, at);
		const view = new DataView(this.lkst.memory, at, nr * 24);
		const slices = [];

		for (let i = 0; i < nr; i++) {
			const life = view.getUint32(24 * i + 16, true);

			slices.push({
				from: view.getFloat64(24 * i, true),
				to: view.getFloat64(24 * i + 8, true),
				thread: this.info.threads[life],
				state: this.info.states[view.getUint8(24 * i + 20)],
				detail: view.getUint8(24 * i + 21),
				cpu: view.getInt16(24 * i + 22, true),
			});
		}
		this.lkst.exports.lkst_web_free(at);
		return slices;
	}

	/* A stretch of a lane; a point selects the slice that is there. */
	select(index, from, to)
	{
		const lane = this.info.lanes[index];

		if (to - from < 3 * (this.to - this.from) / 1000) {
			const [slice] = this.slices(index, from, from + 1, 1);

			if (slice)
				[from, to] = [slice.from, slice.to];
		}
		this.selection = { index, lane, name: this.nameOf(lane), from, to };
		this.onSelect(this.selection);
		this.draw();
	}

	unselect()
	{
		this.selection = null;
		this.onSelect(null);
		this.draw();
	}

	/* What a lane is doing at a time, in words. */
	describe(index, at)
	{
		const [slice] = this.slices(index, at, at + 1, 1);

		if (!slice || slice.from > at)
			return "not there";

		const who = this.info.lanes[index].kind == "cpu" && slice.state == "running" && slice.thread
			? `${slice.thread.comm || "?"} ${slice.thread.tid}` : slice.state;
		const cause = ["disk", "lock", "blocked"].includes(slice.state) ? ` (${this.info.causes[slice.detail]})` : "";
		const where = this.info.lanes[index].kind == "thread" && slice.state == "running" ? ` on CPU ${slice.cpu}` : "";

		return `${who}${cause}${where}, ${durationText(slice.to - slice.from)}`;
	}
}
