// SPDX-License-Identifier: GPL-2.0-only
/*
 * The list of lanes: which there are, in what order, by what process; and the rows of the page that they are drawn in.
 * CPUs and what else is no thread come first, then processes, and threads of the kernel at the end. A process of one thread
 * has no row of its own, and many CPUs have one. Of several hosts, all this is below the row of each, whose name is before
 * those of its groups and lanes. Only rows in view are in the page, however many there are.
 *
 * To a screen reader it is a tree, whose current row is told by aria-activedescendant.
 */
"use strict";

const ROW_HEIGHT = 20; /* as in page.css */
const KERNEL = "kernel threads";
const CPUS = "CPUs";
const MANY = 16; /* CPUs, disks and the like, of which more are a group */

const BY_NAME = new Intl.Collator("en", { numeric: true });
/* How groups and lanes may follow each other. */
const ORDERS = {
	time: { text: "time run", compare: (a, b) => b.running_ns - a.running_ns },
	name: { text: "name", compare: (a, b) => BY_NAME.compare(a.title ?? a.name, b.title ?? b.name) },
	number: { text: "number", compare: (a, b) => a.number - b.number },
	first: { text: "first seen", compare: (a, b) => a.first_ns - b.first_ns },
};

class LaneList {
	constructor(trace)
	{
		this.trace = trace;
		this.pattern = "";
		this.only = null; /* the indexes of those lanes that are shown; null: of all */
		this.order = "time";
		this.collapsed = new Set(trace.hosts.map((unused, host) => trace.withHost(KERNEL, host)));
		this.pins = new Set();
		this.current = null; /* the name of a row */
		this.element = byId("lanes");
		this.pinned = this.element.querySelector(".pinned");
		this.space = this.element.querySelector(".rows");
		this.findMany();
		this.findLanes();
		this.findGroups();
		this.findHosts();
		this.showRows();
	}

	/* ---- what there is ---- */

	/* this.many: the names of those groups that are not of threads; they are collapsed at first. */
	findMany()
	{
		const nrs = new Map();

		this.many = new Set();
		for (const lane of this.trace.info.lanes) {
			const name = this.manyOf(lane);

			nrs.set(name, (nrs.get(name) ?? 0) + 1);
			if (name !== null && nrs.get(name) > MANY)
				this.many.add(name);
		}
		for (const name of this.many)
			this.collapsed.add(name);
	}

	/* The name of the group that a lane of no thread is in if there are many such; null: there is no such group. */
	manyOf({ kind, group, host })
	{
		const name = kind == "cpu" ? CPUS : group;

		return name ? this.trace.withHost(name, host) : null;
	}

	/* All lanes as info.lanes has them, with their index, a name that no other row has, and what they are ordered by. */
	findLanes()
	{
		const { lanes } = this.trace.info;
		const threads = lanes.map((lane) => this.trace.threadOf(lane));
		const names = new Set(lanes.map((lane, index) => this.groupOf({ ...lane, thread: threads[index] })));
		const numbers = new Map(); /* the last one that follows a title */

		this.lanes = lanes.map((lane, index) => {
			const thread = threads[index];
			const title = this.trace.nameOf(lane);
			const full = this.trace.withHost(title, lane.host);
			let name = full, nr = numbers.get(full) ?? 1;

			while (names.has(name))
				name = `${full} (${++nr})`;
			numbers.set(full, nr);
			names.add(name);
			return { ...lane, index, name, title: this.trace.isSeveral ? title : undefined, thread, running_ns: thread?.running_ns, number: thread?.tid ?? lane.number, spans: [] };
		});
	}

	/* What a lane belongs to; null: nothing. A thread whose process is not known is alone. */
	groupOf({ thread, ...lane })
	{
		const name = this.manyOf(lane);

		if (!thread)
			return this.many.has(name) ? name : null;
		return this.trace.withHost(thread.kernel ? KERNEL : `process ${thread.pid || thread.tid}`, lane.host);
	}

	/*
	 * this.groups: by name, { kind: "group", name, title, host, lanes, index: those of the lanes that are drawn together, holds:
	 * those of all its lanes, and what they are ordered by }.
	 */
	findGroups()
	{
		const owners = new Map(); /* by thread, where it has no lane: that of spans which its others are below */

		this.groups = new Map();
		for (const lane of this.lanes) {
			const name = this.groupOf(lane);

			if (name === null)
				continue;
			if (lane.kind == "span") {
				const owner = this.lanes[this.trace.laneOfThread(lane.tid, lane.first_ns, lane.host)] ?? owners.get(`${lane.host} ${lane.tid}`);

				if (owner) {
					owner.spans.push(lane);
					continue;
				}
				owners.set(`${lane.host} ${lane.tid}`, lane);
			}
			if (!this.groups.has(name))
				this.groups.set(name, { kind: "group", name, host: lane.host, lanes: [], running_ns: 0, first_ns: Infinity,
					number: lane.thread?.pid || lane.number });

			const group = this.groups.get(name);

			group.lanes.push(lane);
			group.running_ns += lane.running_ns;
			group.first_ns = Math.min(group.first_ns, lane.first_ns);
		}
		for (const group of this.groups.values()) {
			const { thread } = group.lanes.find((lane) => lane.thread?.tid == group.number) ?? group.lanes[0];

			group.index = group.holds = group.lanes.map((lane) => lane.index);
			group.isKernel = Boolean(thread?.kernel);
			group.isProcess = Boolean(thread) && !group.isKernel;
			group.title = group.isProcess ? `${thread.comm || "?"} ${group.number}` : group.isKernel ? KERNEL
				: group.lanes[0].kind == "cpu" ? CPUS : group.lanes[0].group;
		}
	}

	/* this.hosts: the groups of all that is one host's, if there are several, by the host's name; their picture is that of the CPUs. */
	findHosts()
	{
		const { hosts, isSeveral } = this.trace;

		this.hosts = new Map(isSeveral ? hosts.map(({ name, clock }, host) => {
			const lanes = this.lanes.filter((lane) => lane.host == host);

			return [name, { kind: "group", isHost: true, name, title: name, clock, host, lanes, holds: lanes.map(({ index }) => index),
				index: lanes.filter(({ kind }) => kind == "cpu").map(({ index }) => index) }];
		}) : []);
	}

	/* The group or the host that has this name; undefined: there is none. */
	groupNamed(name)
	{
		return this.hosts.get(name) ?? this.groups.get(name);
	}

	/* ---- rows ---- */

	matches(text)
	{
		return text.toLowerCase().includes(this.pattern.toLowerCase());
	}

	isWanted({ index })
	{
		return !this.only || this.only.has(index);
	}

	isOpen({ name })
	{
		return Boolean(this.pattern) || !this.collapsed.has(name);
	}

	/*
	 * The rows of a group at a level: itself, and unless it is collapsed its lanes. While somebody searches, nothing is
	 * collapsed.
	 */
	rowsOfGroup(group, level)
	{
		const lanes = group.lanes.filter((lane) => this.isWanted(lane) && (this.matches(lane.name) || this.matches(group.title) ||
			lane.spans.some(({ name }) => this.matches(name)))).sort(ORDERS[this.order].compare);
		const isOpen = this.isOpen(group);
		const isOne = group.lanes.length == 1 && !lanes[0]?.spans.length && group.isProcess;

		if (!lanes.length)
			return [];
		if (isOne || this.only)
			return lanes.map((lane) => ({ lane, level }));
		return [{ lane: group, level, isOpen },
			...(isOpen ? lanes.flatMap((lane) => [lane, ...lane.spans]).map((lane) => ({ lane, level: level + 1 })) : [])];
	}

	/* The rows of what is no thread of a host; a group is where its first lane would be. */
	rowsOfOthers(host, level)
	{
		const others = new Set(this.lanes.filter((lane) => !lane.thread && lane.host == host)
			.map((lane) => this.groups.get(this.groupOf(lane)) ?? lane));

		return [...others].flatMap((one) => one.kind == "group" ? this.rowsOfGroup(one, level)
			: this.matches(one.name) && this.isWanted(one) ? [{ lane: one, level }] : []);
	}

	/* The rows of what a host has. */
	rowsWithin(host, level)
	{
		const { compare } = ORDERS[this.order];
		const groups = [...this.groups.values()].filter((group) => group.host == host && !this.many.has(group.name))
			.sort((a, b) => a.isKernel - b.isKernel || compare(a, b));

		return [...this.rowsOfOthers(host, level), ...groups.flatMap((group) => this.rowsOfGroup(group, level))];
	}

	/* The rows of one of several hosts: itself, and unless it is collapsed what it has. */
	rowsOfHost(host)
	{
		const isOpen = this.isOpen(host);
		const rows = this.rowsWithin(host.host, 2);

		return rows.length ? [{ lane: host, level: 1, isOpen }, ...isOpen ? rows : []] : [];
	}

	showRows()
	{
		const rows = this.hosts.size ? [...this.hosts.values()].flatMap((host) => this.rowsOfHost(host)) : this.rowsWithin(0, 1);

		this.rows = [...this.pinnedRows(), ...rows.filter(({ lane }) => !this.pins.has(lane.name))];
		this.nrPinned = this.rows.findIndex((row) => !row.isPinned);
		if (this.nrPinned < 0)
			this.nrPinned = this.rows.length;
		this.numberRows();
		this.pinned.replaceChildren(...this.rows.slice(0, this.nrPinned).map((row) => this.makeRow(row)));
		this.space.replaceChildren();
		this.space.style.height = `${(this.rows.length - this.nrPinned) * ROW_HEIGHT}px`;
		this.there = [];
		/* The lanes' scroll bar takes some of their width. */
		for (const above of [byId("overview"), byId("ruler"), byId("marks")])
			above.style.marginRight = `${this.element.offsetWidth - this.element.clientWidth}px`;
		this.showCurrent();
		page.drawing?.draw();
	}

	/* The place of each row in the list, and among those beside it, as screen readers say it. */
	numberRows()
	{
		const lists = [[]]; /* those that the row before is in, from the outermost on */

		this.rows.forEach((row, place) => {
			lists.length = Math.min(lists.length, row.level);
			while (lists.length < row.level)
				lists.push([]);
			row.place = place;
			row.siblings = lists[row.level - 1];
			row.siblings.push(row);
			row.position = row.siblings.length;
		});
	}

	/* In the order in which they were pinned; the search does not hide them. */
	pinnedRows()
	{
		return [...this.pins].map((name) => this.groupNamed(name) ?? this.lanes.find((lane) => lane.name == name))
			.filter(Boolean).map((lane) => ({ lane, level: 1, isPinned: true, isOpen: lane.kind == "group" ? false : undefined }));
	}

	makeRow(row)
	{
		const { lane, level, isOpen, isPinned, place } = row;
		const title = visible(isPinned && this.trace.isSeveral ? lane.name : lane.title ?? lane.name);
		const label = document.createElement("span");
		const pin = document.createElement("i");

		row.row = document.createElement("div");
		row.space = document.createElement("div");
		row.canvas = document.createElement("canvas");
		row.row.className = `lane ${lane.kind}`;
		row.row.id = `row${place}`;
		for (const [name, value] of Object.entries({ role: "treeitem", "aria-level": level, "aria-posinset": row.position,
			"aria-setsize": row.siblings.length, "aria-expanded": isOpen, "aria-selected": lane.name == this.current,
			"aria-label": this.describeRow(row) }))
			if (value !== undefined)
				row.row.setAttribute(name, String(value));
		label.textContent = title;
		label.title = this.describeRow(row);
		label.className = isOpen === undefined || isPinned ? `level${level}` : isOpen ? "open" : "closed";
		pin.className = isPinned ? "pin set" : "pin";
		pin.setAttribute("aria-hidden", "true");
		label.append(pin);
		row.space.append(row.canvas);
		row.row.append(label, row.space);
		return row.row;
	}

	describeRow({ lane, isPinned })
	{
		const nr = lane.lanes?.length;
		const what = lane.kind != "group" ? lane.name
			: lane.isHost ? `host ${lane.name}, ${nr} lanes; its clock: ${lane.clock}`
			: this.many.has(lane.name) ? `${lane.name}, ${nr} lanes`
			: this.trace.withHost(`${lane.isProcess ? "process " : ""}${lane.title}, ${nr} ${nr == 1 ? "thread" : "threads"}`, lane.host);

		return visible(isPinned ? `${what}, pinned` : what);
	}

	/* The rows in view: { lane: { kind, index, name }, row, space, canvas }, the last being an element for its picture. */
	inView()
	{
		const height = this.element.clientHeight - this.pinned.offsetHeight;
		const first = this.nrPinned + Math.max(Math.floor(this.element.scrollTop / ROW_HEIGHT), 0);
		const rows = this.rows.slice(first, first + Math.ceil(height / ROW_HEIGHT) + 1);

		for (const row of this.there.filter((old) => !rows.includes(old)))
			row.row.remove();
		for (const row of rows.filter((candidate) => !this.there.includes(candidate))) {
			this.space.append(this.makeRow(row));
			row.row.style.top = `${(row.place - this.nrPinned) * ROW_HEIGHT}px`;
		}
		this.there = rows;
		this.tellCurrent();
		return [...this.rows.slice(0, this.nrPinned), ...rows];
	}

	/* ---- what users do ---- */

	/* Shows those lanes only whose name, or whose process' name, has this in it. */
	search(pattern)
	{
		this.pattern = pattern;
		this.showRows();
		page.tell("lanes");
	}

	/* Shows these lanes only, by their indexes; null: all again. */
	showOnly(indexes)
	{
		this.only = indexes && new Set(indexes);
		this.showRows();
	}

	sort(order)
	{
		this.order = Object.hasOwn(ORDERS, order) ? order : "time";
		this.showRows();
		page.tell("lanes");
	}

	/* Collapses a process or a host, or shows what it has again. */
	toggle(name)
	{
		if (!this.collapsed.delete(name))
			this.collapsed.add(name);
		this.showRows();
	}

	/* Collapses all, or if all are, shows the threads of all. */
	toggleAll()
	{
		const all = [...this.groups.keys()];

		this.collapsed = new Set(all.every((name) => this.collapsed.has(name)) ? [] : all);
		this.showRows();
	}

	/* Keeps a row on top, or no longer. */
	pin(name)
	{
		if (!this.pins.delete(name))
			this.pins.add(name);
		this.showRows();
		page.tell("lanes");
	}

	/* ---- the current row ---- */

	/* The row that an element is of, if any. */
	rowOf(element)
	{
		return this.rows[element.closest?.(".lane")?.id.slice("row".length)];
	}

	get currentRow()
	{
		return this.rows.find((row) => row.lane.name == this.current);
	}

	setCurrent(name)
	{
		this.current = name;
		this.showCurrent();
	}

	showCurrent()
	{
		for (const row of this.rows)
			row.row?.setAttribute("aria-selected", String(row.lane.name == this.current));
		this.tellCurrent();
	}

	/* An element that is not there cannot be the active one. */
	tellCurrent()
	{
		const row = this.currentRow?.row;

		if (row?.isConnected)
			this.element.setAttribute("aria-activedescendant", row.id);
		else
			this.element.removeAttribute("aria-activedescendant");
	}

	/* @by rows down, or up; from none, to the first row. */
	step(by)
	{
		const place = this.currentRow ? this.currentRow.place + by : 0;
		const row = this.rows[Math.min(Math.max(place, 0), this.rows.length - 1)];

		if (row) {
			this.setCurrent(row.lane.name);
			this.scrollTo(row);
		}
	}

	scrollTo(row)
	{
		const top = (row.place - this.nrPinned) * ROW_HEIGHT;
		const height = this.element.clientHeight - this.pinned.offsetHeight;

		if (row.isPinned)
			return;
		this.element.scrollTop = Math.max(Math.min(this.element.scrollTop, top), top + ROW_HEIGHT - height);
		page.drawing?.draw();
	}

	/* The same; what was not in view comes to the middle, so that what is around it is seen. */
	scrollAround(row)
	{
		const { scrollTop, clientHeight } = this.element;

		this.scrollTo(row);
		if (this.element.scrollTop != scrollTop)
			this.element.scrollTop = (row.place - this.nrPinned) * ROW_HEIGHT - (clientHeight - this.pinned.offsetHeight) / 2;
	}

	/* Makes lane @index the current one, and scrolls it into view, also if the search or its process has hidden it. */
	reveal(index)
	{
		const lane = this.lanes[index];

		this.collapsed.delete(this.groupOf(lane));
		this.collapsed.delete(this.trace.hosts[lane.host].name);
		if (!this.isWanted(lane))
			this.only = null;
		if (!this.matches(lane.name)) {
			byId("search").value = "";
			this.search("");
		} else {
			this.showRows();
		}
		this.setCurrent(lane.name);
		if (this.currentRow)
			this.scrollAround(this.currentRow);
		this.inView();
	}
}
