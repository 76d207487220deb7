// SPDX-License-Identifier: GPL-2.0-only
/*
 * Pictures below the lanes, one at a time: of memory, of disks, of analyses along the time, of samples, and of waiting. The one that is open
 * follows the stretch of time that is shown, and the trace; a closed one costs nothing.
 */
"use strict";

/* From the last movement until what takes long is drawn. */
const MAP_REST_MS = 150;

/* What a call of the module about the host of the pictures prints, as an object; throws what it says went wrong. */
function askModule(name, ...args)
{
	const { status, out, err } = page.lkst.of(page.maps.host, () => page.lkst.call(name, ...args));

	if (status)
		throw new Error(err.trim() || "the picture cannot be drawn");
	return JSON.parse(out);
}

/* Runs @use with the address of @bytes bytes of the module's memory. */
function withMemory(bytes, use)
{
	const at = page.lkst.alloc(bytes);

	try {
		return use(at);
	} finally {
		page.lkst.exports.lkst_web_free(at);
	}
}

class Maps {
	constructor()
	{
		this.kinds = { memory: MemoryMap, disk: DiskMap, graphs: Graphs, flame: Flame, waiting: Icicle };
		this.place = byId("map");
		this.hosts = byId("maphost");
		this.host = 0;
		this.hosts.addEventListener("change", () => {
			this.host = this.hosts.selectedIndex;
			this.reopen();
		});
		for (const tab of document.querySelectorAll("#maptabs button"))
			tab.addEventListener("click", () => this.open(this.name == tab.dataset.map ? null : tab.dataset.map));
		page.addEventListener("trace", () => this.takeTrace());
		page.addEventListener("view", () => this.drawSoon());
		page.addEventListener("selection", () => this.kind?.mark?.());
	}

	/* A picture is of one host, which can be chosen if there are several. */
	takeTrace()
	{
		const { hosts, isSeveral } = page.trace;

		this.host = 0;
		this.hosts.replaceChildren(...hosts.map(({ name }) => new Option(visible(name))));
		this.hosts.parentElement.hidden = !isSeveral;
		this.reopen();
	}

	/* When the host's own trace begins; the module's pictures have times after that. */
	get begin()
	{
		return page.trace.hosts[this.host].begin_ns;
	}

	/* The stretch that is shown, in times of that host's own trace. */
	ownStretch()
	{
		const from = Math.max(page.view.from - this.begin, 0);
		const to = page.view.to - this.begin;

		if (to <= from)
			throw new Error(`The trace of ${visible(page.trace.hosts[this.host].name)} begins after this time.`);
		return { from, to };
	}

	/* Opens the picture called @name; null: closes the one that is open. */
	open(name)
	{
		this.name = name;
		for (const tab of document.querySelectorAll("#maptabs button"))
			tab.setAttribute("aria-selected", String(tab.dataset.map == name));
		this.reopen();
	}

	reopen()
	{
		this.kind?.close?.();
		this.kind = null;
		this.place.replaceChildren();
		page.lkst?.exports.lkst_web_close_maps();
		if (!page.trace || !this.name)
			return;
		this.try(() => {
			this.kind = new this.kinds[this.name](this.place);
			this.kind.draw();
		});
	}

	try(draw)
	{
		try {
			draw();
		} catch (error) {
			this.place.replaceChildren(make("p", { className: "wrong", textContent: String(error.message) }));
		}
	}

	/* What is quick follows each movement, the rest when it is over. */
	drawSoon()
	{
		if (!this.kind)
			return;
		clearTimeout(this.timer);
		if (this.kind.isQuick && !this.isWaiting) {
			this.isWaiting = true;
			requestAnimationFrame(() => {
				this.isWaiting = false;
				if (this.kind)
					this.try(() => this.kind.draw());
			});
		} else if (!this.kind.isQuick) {
			this.timer = setTimeout(() => this.kind && this.try(() => this.kind.draw()), MAP_REST_MS);
		}
	}
}
