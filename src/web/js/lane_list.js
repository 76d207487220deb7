// SPDX-License-Identifier: GPL-2.0-only
/* The list of lanes: which are there, in what order, and the rows of the page that they are drawn in. */
"use strict";

class LaneList {
	constructor(trace)
	{
		this.trace = trace;
		this.pattern = "";
		this.rows = [];
		this.element = byId("lanes");
		this.showRows();
	}

	/* CPUs, then threads by the time they ran. */
	order()
	{
		const { lanes, threads } = this.trace.info;
		const ran = (lane) => lane.kind == "cpu" ? Infinity : threads[lane.number].running_ns;

		return lanes.map((lane, index) => ({ ...lane, index, name: this.trace.nameOf(lane) }))
			.sort((a, b) => a.kind == "cpu" && b.kind == "cpu" ? a.number - b.number : ran(b) - ran(a))
			.filter((lane) => lane.name.toLowerCase().includes(this.pattern.toLowerCase()));
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
		this.element.replaceChildren(...this.rows.map((row) => row.row));
		/* The lanes' scroll bar takes some of their width. */
		for (const above of [byId("overview"), byId("ruler")])
			above.style.marginRight = `${this.element.offsetWidth - this.element.clientWidth}px`;
		page.drawing?.draw();
	}

	/* Shows those lanes only whose name has this in it. */
	search(pattern)
	{
		this.pattern = pattern;
		this.showRows();
	}

	/* The rows in view: { lane: { kind, number, index, name }, row, space, canvas }, the last being an element for its picture. */
	inView()
	{
		const top = this.element.scrollTop;
		const bottom = top + this.element.clientHeight;

		return this.rows.filter(({ row }) => row.offsetTop + row.offsetHeight >= top && row.offsetTop <= bottom);
	}

	/* Scrolls lane @index into view, also if the search has hidden it. */
	reveal(index)
	{
		if (!this.rows.some((row) => row.lane.index == index)) {
			byId("search").value = "";
			this.search("");
		}
		this.rows.find((row) => row.lane.index == index)?.row.scrollIntoView({ block: "nearest" });
		page.drawing?.draw();
	}
}
