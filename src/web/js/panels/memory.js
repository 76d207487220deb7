// SPDX-License-Identifier: GPL-2.0-only
/*
 * Physical memory at one moment, the end of the stretch of time that is shown: a cell for each range of page frames,
 * with the colour of the process that has most of the pages that are allocated there, the paler the longer ago that
 * changed.
 */
"use strict";

const MEMORY_CELL_BYTES = 16;
const NOBODY = 10;
/* Of those before the trace, eight processes, and the others. */
const OWNER_COLOURS = [[90, 90, 90], [0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [213, 94, 0],
	[86, 180, 233], [240, 228, 66], [94, 75, 139], [170, 170, 170]];
const PALEST = 0.35;
const REPLAY_MS = 5000;

class MemoryMap {
	isQuick = true; /* to be drawn, once it is open */

	constructor(place)
	{
		this.info = askModule("lkst_web_open_memory");
		if (!this.info.cells)
			throw new Error("The trace has no records of pages: record mm_page_alloc and mm_page_free, " +
				"as the masksets memory and RDEFAULT do.");
		this.columns = Math.min(Math.ceil(Math.sqrt(this.info.cells * 6) / 8) * 8, 256);
		this.canvas = make("canvas", { width: this.columns, height: Math.ceil(this.info.cells / this.columns),
			className: "memory", role: "img" });
		this.canvas.addEventListener("mousemove", (event) => {
			this.canvas.title = this.describe(this.cellAt(event));
		});
		this.text = make("p", { role: "status" });
		this.button = make("button", { type: "button", textContent: "Replay" });
		this.button.addEventListener("click", () => this.replay());
		this.owners = make("tbody");
		place.append(make("div", { className: "maphead" }, this.button, this.text), this.canvas, this.table());
	}

	close()
	{
		this.isClosed = true;
	}

	table()
	{
		const heads = ["process", "", "at the beginning", "allocated", "freed", "at the end", "now"];

		return make("table", {}, make("thead", {}, make("tr", {},
			...heads.map((textContent) => make("th", { textContent })))), this.owners);
	}

	/* The cells at @at, nanoseconds after the beginning: arrays by cell. */
	cellsAt(at)
	{
		const nr = this.info.cells;

		return withMemory(nr * MEMORY_CELL_BYTES, (memory) => {
			if (page.lkst.exports.lkst_web_memory_at(at, memory))
				throw new Error("there is no such moment");

			const view = new DataView(page.lkst.memory, memory, nr * MEMORY_CELL_BYTES);
			const cells = new Array(nr);

			for (let i = 0; i < nr; i++)
				cells[i] = {
					changed: view.getFloat64(MEMORY_CELL_BYTES * i, true),
					pages: view.getUint32(MEMORY_CELL_BYTES * i + 8, true),
					owner: view.getUint32(MEMORY_CELL_BYTES * i + 12, true),
				};
			return cells;
		});
	}

	draw(at = page.view.to)
	{
		const context = this.canvas.getContext("2d");
		const image = context.createImageData(this.canvas.width, this.canvas.height);
		const most = page.trace.length;

		/* In times of the host's own trace. */
		const own = Math.max(at - page.maps.begin, 0);

		this.at = at;
		this.own = own;
		this.cells = this.cellsAt(own);
		this.cells.forEach(({ changed, owner }, i) => {
			if (owner == NOBODY)
				return;

			/* A thousandth of the trace ago is half as pale as a tenth, and so on. */
			const age = changed < 0 ? 1 : Math.log10(1 + 1000 * Math.max(own - changed, 0) / most) / 3;

			image.data.set(OWNER_COLOURS[owner], 4 * i);
			image.data[4 * i + 3] = 255 * (1 - (1 - PALEST) * Math.min(age, 1));
		});
		context.putImageData(image, 0, 0);
		this.tell();
	}

	/* What the picture shows, in words and numbers. */
	tell()
	{
		const now = new Array(NOBODY + 1).fill(0);
		const pages = this.cells.reduce((sum, cell) => sum + cell.pages, 0);

		for (const cell of this.cells)
			now[cell.owner]++;
		this.text.textContent = `At +${durationText(this.at)}: ${pages} pages are known to be allocated, in ` +
			`${this.info.cells - now[NOBODY]} of ${this.info.cells} ranges of ${this.info.cell_pages} pages. ` +
			`The colour is of the process with the most of them, pale: nothing changed there for long.` +
			(this.info.further ? ` ${this.info.further} pages are not in the picture.` : "");
		this.canvas.setAttribute("aria-label", this.text.textContent);
		this.owners.replaceChildren(...this.info.owners.map((owner, i) => ({ owner, i }))
			.filter(({ owner }) => owner.before || owner.allocated)
			.map(({ owner, i }) => make("tr", {},
				make("td", {}, this.sample(i), nameElement(owner.name || "?")),
				...[owner.pid < 0 ? "" : owner.pid, owner.before, owner.allocated, owner.freed, owner.live,
					`${now[i]} ranges`].map((textContent) => make("td", { textContent })))));
	}

	sample(i)
	{
		const sample = make("i");

		sample.style.background = `rgb(${OWNER_COLOURS[i].join(",")})`;
		return sample;
	}

	cellAt(event)
	{
		const box = this.canvas.getBoundingClientRect();
		const x = Math.floor((event.clientX - box.left) / box.width * this.canvas.width);
		const y = Math.floor((event.clientY - box.top) / box.height * this.canvas.height);

		return y * this.columns + x;
	}

	describe(i)
	{
		const cell = this.cells[i];
		const first = this.info.first_pfn + i * this.info.cell_pages;

		if (!cell)
			return "";

		const frames = `page frames 0x${first.toString(16)} to 0x${(first + this.info.cell_pages - 1).toString(16)}`;

		if (cell.owner == NOBODY)
			return `${frames}: none is known to be allocated`;

		const { name, pid } = this.info.owners[cell.owner];
		const when = cell.changed < 0 ? "before the trace" : `${durationText(Math.max(this.own - cell.changed, 0))} ago`;

		return `${frames}: ${cell.pages} pages, most of them of ${visible(name || "?")}${pid < 0 ? "" : ` ${pid}`}; changed ${when}`;
	}

	/* The stretch that is shown, from its beginning to its end. */
	replay()
	{
		const began = performance.now();
		const { from, to } = page.view;
		const step = () => {
			const share = Math.min((performance.now() - began) / REPLAY_MS, 1);

			if (this.isClosed)
				return;
			this.draw(from + share * (to - from));
			if (share < 1)
				requestAnimationFrame(step);
		};

		step();
	}
}
