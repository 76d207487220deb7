// SPDX-License-Identifier: GPL-2.0-only
/* What is shown, a trace or those of several hosts, as the module has read it for pictures (src/web/draw.h). */
"use strict";

const NR_STATES = 9;
const SLICE_BYTES = 24;
const CPU_BYTES = 16;
const CPUS_MAX = 64;
const RECORDS_IN_WORDS = 8; /* that are said at a time */
const WAKING_BYTES = 24;
const SPAN_BYTES = 96;
const SPAN_NAME_AT = 32;
const PART = { states: 0, irqs: 1, calls: 2, faults: 3 }; /* enum lkst_web_part */

class Trace {
	/* @lkst: a module that has read a trace; @info: what lkst_web_read() said; @name: for messages. */
	constructor(lkst, info, name)
	{
		this.lkst = lkst;
		this.info = info;
		this.name = name;
		this.hosts = info.hosts;
		this.isSeveral = info.hosts.length > 1;
		this.gaps = new Gaps(info.gaps);
		this.length = Math.max(Number(BigInt(info.end_ns) - BigInt(info.begin_ns)), 1);
	}

	/* The number of the host called @name, as commands that read several hosts say it; 0: they did not. */
	hostNamed(name)
	{
		return Math.max(this.hosts.findIndex((host) => host.name === name), 0);
	}

	/* @text with the host's name before it, if there are several. */
	withHost(text, host)
	{
		return this.isSeveral ? `${this.hosts[host].name}: ${text}` : text;
	}

	nameOf(lane)
	{
		if (lane.kind == "cpu")
			return `CPU ${lane.number}`;
		if (lane.kind == "count")
			return lane.name;

		const { comm, tid } = this.threadOf(lane);

		return `${comm || "?"} ${tid}${lane.kind == "span" ? " spans" : ""}${lane.kind == "span" && lane.number ? ` ${lane.number + 1}` : ""}`;
	}

	/* The thread whose lane it is, or who had its spans; or null. */
	threadOf(lane)
	{
		if (lane?.kind != "span")
			return lane?.kind == "thread" ? this.info.threads[lane.number] : null;

		const own = this.laneOfThread(lane.tid, lane.first_ns, lane.host);

		/* Where nothing but spans is recorded, no thread has a lane. */
		return own >= 0 ? this.info.threads[this.info.lanes[own].number]
			: this.info.threads.find(({ tid, host }) => tid == lane.tid && host == lane.host) ??
				{ host: lane.host, tid: lane.tid, pid: lane.tid, comm: "", kernel: false, running_ns: 0 };
	}

	/*
	 * The index of the lane of thread @tid of a host, -1: it has none. Of several lives with that number, the one of which
	 * something is known at @at.
	 */
	laneOfThread(tid, at, host = 0)
	{
		const lanes = this.lanesOfThread(tid, host);
		const there = lanes.length < 2 ? undefined : lanes.find((index) => this.slices(index, at, at + 1, 1)[0]?.from <= at);

		return there ?? lanes[0] ?? -1;
	}

	/* The index of the lane of a host's CPU, -1: it has none. */
	laneOfCpu(cpu, host = 0)
	{
		return this.info.lanes.findIndex((lane) => lane.kind == "cpu" && lane.number == cpu && lane.host == host);
	}

	/* The indexes of the lanes of all threads of a host that had this number. */
	lanesOfThread(tid, host = 0)
	{
		if (!this.ofThread) {
			this.ofThread = this.hosts.map(() => new Map());
			this.info.lanes.forEach((lane, index) => {
				if (lane.kind != "thread")
					return;

				const own = this.threadOf(lane).tid;
				const ofHost = this.ofThread[lane.host];

				if (!ofHost.has(own))
					ofHost.set(own, []);
				ofHost.get(own).push(index);
			});
		}
		return this.ofThread[host].get(tid) ?? [];
	}

	/*
	 * The shares of @nr columns of lane @index, or of several lanes together, NR_STATES numbers for each, of 65535; null: there
	 * are none such. A view of the module's memory.
	 */
	shares(index, from, to, nr)
	{
		const { lkst_web_shares, lkst_web_sum } = this.lkst.exports;
		const places = Array.isArray(index) ? index : [];
		const atPlaces = this.lkst.roomFor(places.length * 4 + nr * NR_STATES * 2);
		const at = atPlaces + places.length * 4;
		let status;

		if (Array.isArray(index)) {
			new Uint32Array(this.lkst.memory, atPlaces, places.length).set(places);
			status = lkst_web_sum(atPlaces, places.length, from, to, nr, at);
		} else {
			status = lkst_web_shares(index, from, to, nr, at);
		}
		return status ? null : new Uint16Array(this.lkst.memory, at, nr * NR_STATES);
	}

	/* The columns of a count's lane @index: COLUMN_NUMBERS numbers for each. A view of the module's memory. */
	columns(index, from, to, nr)
	{
		const at = this.lkst.roomFor(nr * COLUMN_NUMBERS * 8);

		if (this.lkst.exports.lkst_web_columns(index, from, to, nr, at))
			return null;
		return new Float64Array(this.lkst.memory, at, nr * COLUMN_NUMBERS);
	}

	/* The slices of lane @index between two times, the first @max of them. */
	slices(index, from, to, max)
	{
		return this.partSlices(index, PART.states, from, to, max);
	}

	/* The same of a part of the lane, one of PART: calls, interrupts and faults have a name instead of a thread. */
	partSlices(index, part, from, to, max)
	{
		const at = this.lkst.alloc(max * SLICE_BYTES);
		const slices = this.#takeSlices(at, this.lkst.exports.lkst_web_part_slices(index, part, from, to, max, at));

		if (part != PART.states)
			for (const slice of slices)
				slice.name = part == PART.faults ? "page fault" : this.info.names[slice.life];
		else if (this.info.lanes[index]?.kind == "span")
			for (const slice of slices)
				slice.span = this.span(slice.life);
		return slices;
	}

	/* The span whose number a slice of such a lane has. */
	span(number)
	{
		const at = this.lkst.roomFor(SPAN_BYTES);

		this.lkst.exports.lkst_web_span(number, at);

		const view = new DataView(this.lkst.memory, at, SPAN_BYTES);
		const name = new Uint8Array(this.lkst.memory, at + SPAN_NAME_AT, SPAN_BYTES - SPAN_NAME_AT);

		return { from: view.getFloat64(0, true), to: view.getFloat64(8, true), id: view.getBigUint64(16, true),
			ending: this.info.endings[view.getUint32(24, true)], isDoubtful: view.getUint32(28, true) != 0,
			name: new TextDecoder().decode(name.subarray(0, name.indexOf(0))) };
	}

	/* What woke the thread of lane @index between two times, the first @max: { at, thread or name, cpu }. */
	wakings(index, from, to, max)
	{
		const at = this.lkst.alloc(max * WAKING_BYTES);
		const nr = this.lkst.exports.lkst_web_wakings(index, from, to, max, at);
		const view = new DataView(this.lkst.memory, at, nr * WAKING_BYTES);
		const wakings = [];

		for (let i = 0; i < nr; i++)
			wakings.push({
				at: view.getFloat64(WAKING_BYTES * i, true),
				thread: this.info.threads[view.getUint32(WAKING_BYTES * i + 8, true)],
				name: this.info.names[view.getUint32(WAKING_BYTES * i + 12, true)],
				cpu: view.getUint32(WAKING_BYTES * i + 16, true),
			});
		this.lkst.exports.lkst_web_free(at);
		return wakings;
	}

	/* The last slice of lane @index that begins before a time; undefined: there is none. */
	sliceBefore(index, at)
	{
		const memory = this.lkst.alloc(SLICE_BYTES);

		return this.#takeSlices(memory, this.lkst.exports.lkst_web_slice_before(index, at, memory))[0];
	}

	/* On which CPUs the thread of lane @index ran between two times, and how long: [{ cpu, ns }], by CPU. */
	cpus(index, from, to)
	{
		const at = this.lkst.alloc(CPUS_MAX * CPU_BYTES);
		const nr = this.lkst.exports.lkst_web_cpus(index, from, to, CPUS_MAX, at);
		const view = new DataView(this.lkst.memory, at, nr * CPU_BYTES);
		const cpus = Array.from({ length: nr }, (unused, i) =>
			({ cpu: view.getUint32(CPU_BYTES * i + 8, true), ns: view.getFloat64(CPU_BYTES * i, true) }));

		this.lkst.exports.lkst_web_free(at);
		return cpus.sort((a, b) => a.cpu - b.cpu);
	}

	/* @nr slices from the module's memory @at, which is given back. */
	#takeSlices(at, nr)
	{
		const view = new DataView(this.lkst.memory, at, nr * SLICE_BYTES);
		const slices = [];

		for (let i = 0; i < nr; i++) {
			const life = view.getUint32(SLICE_BYTES * i + 16, true);

			slices.push({
				from: view.getFloat64(SLICE_BYTES * i, true),
				to: view.getFloat64(SLICE_BYTES * i + 8, true),
				life,
				thread: this.info.threads[life],
				state: this.info.states[view.getUint8(SLICE_BYTES * i + 20)],
				detail: view.getUint8(SLICE_BYTES * i + 21),
				cpu: view.getInt16(SLICE_BYTES * i + 22, true),
			});
		}
		this.lkst.exports.lkst_web_free(at);
		return slices;
	}

	/*
	 * The records of @event of a host from one time to another, as lkst print prints them, a line each. Further @options are
	 * those of lkst print.
	 */
	recordsInWords(from, to, event, host, options = [])
	{
		const { out } = this.lkst.of(host, () => this.lkst.run(["print", "--time", this.isSeveral ? "day" : "rel", "--no-gaps",
			"--first", String(RECORDS_IN_WORDS), "--event", event, ...rangeWords(from, to, host), ...options, this.name]));

		return out.split("\n").map((line) => line.trim().replace(/ +/g, " ")).filter(Boolean);
	}

	/* What is within the state of a lane at a time: an interrupt, a system call, a page fault; "": nothing. */
	#within(index, kind, at)
	{
		const parts = kind == "cpu" ? [PART.irqs] : [PART.calls, PART.faults];
		const there = parts.flatMap((part) => this.partSlices(index, part, at, at + 1, 1)).filter((slice) => slice.from <= at);

		return there.map(({ name, from, to }) => `; in ${name}, ${durationText(to - from)}`).join("");
	}

	/* What a lane is doing at a time, in words; @near: of the time next to it, gaps count that are too short to be seen. */
	describe(index, at, near = 0)
	{
		const { kind, number, host } = this.info.lanes[index];

		if (kind == "count")
			return countInWords(this, index, Math.max(at - near, 0), at + near);

		const [slice] = this.slices(index, at, at + 1, 1);

		if (kind == "span")
			return slice?.from <= at ? spanInWords(this, slice) : "no span";

		const lost = this.gaps.inWords(kind == "cpu" ? number : null, at, near, host);

		if (!slice || slice.from > at)
			return "not there";
		if (slice.state == "unknown")
			return `not known, ${durationText(slice.to - slice.from)}: ${lost || "no record shows what it did"}`;

		const who = kind == "cpu" && slice.state == "running" && slice.thread
			? `${slice.thread.comm || "?"} ${slice.thread.tid}` : slice.state;
		const cause = ["disk", "lock", "blocked"].includes(slice.state) ? ` (${this.info.causes[slice.detail]})` : "";
		const where = kind == "thread" && slice.state == "running" ? ` on CPU ${slice.cpu}` : "";
		const besides = kind == "cpu" && lost ? `; ${lost}` : "";

		return `${who}${cause}${where}, ${durationText(slice.to - slice.from)}${this.#within(index, kind, at)}${besides}`;
	}
}
