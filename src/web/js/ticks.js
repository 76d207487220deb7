// SPDX-License-Identifier: GPL-2.0-only
/*
 * Single events: where there are few enough in view, each is a tick at the upper edge of the lanes of its CPU and of its
 * thread. The mouse over one says what lkst print says of it.
 */
"use strict";

const TICKS_PER_COLUMN = 4; /* of the picture; where there are more events, there are none */
const TICK_HEIGHT = 4; /* pixels */
const TICKS_IN_WORDS = 4; /* said at a time */
const EVENT_BYTES = 24;
const NUMBERS_OF_HOST = 2 ** 24; /* more than a host has threads or CPUs */

class Ticks {
	constructor(trace)
	{
		this.trace = trace;
		this.words = new Map();
		this.names = []; /* of events, by host */
		this.of = "";
		this.columns = new Uint8Array(0);
	}

	/* The key of a host's CPU or thread. */
	#key(host, number)
	{
		return host * NUMBERS_OF_HOST + number;
	}

	/* The events from one time to another, by CPU and by thread; none if they are more than @max. */
	#read(from, to, max)
	{
		const at = this.trace.lkst.roomFor((max + 1) * EVENT_BYTES);
		const nr = this.trace.lkst.exports.lkst_web_events(from, to, max + 1, at);
		const times = new Float64Array(this.trace.lkst.memory, at, nr * 3);
		const numbers = new Int32Array(this.trace.lkst.memory, at, nr * 6);

		this.byCpu = new Map();
		this.byThread = new Map();
		for (let i = 0; nr <= max && i < nr; i++) {
			const event = { at: times[3 * i], tid: numbers[6 * i + 2], cpu: numbers[6 * i + 3], id: numbers[6 * i + 4], host: numbers[6 * i + 5] };

			for (const [map, key] of [[this.byCpu, this.#key(event.host, event.cpu)], [this.byThread, this.#key(event.host, event.tid)]]) {
				const list = map.get(key);

				if (list)
					list.push(event);
				else
					map.set(key, [event]);
			}
		}
	}

	/* Reads what is in view, @width columns of pixels wide, unless that is there already. */
	look(from, to, width)
	{
		const of = `${from} ${to} ${width}`;

		if (this.of != of)
			this.#read(from, to, width * TICKS_PER_COLUMN);
		this.of = of;
	}

	/* Those of a lane, in order of time. */
	eventsOf({ kind, number, thread, index, host })
	{
		if (kind == "cpu")
			return this.byCpu?.get(this.#key(host, number)) ?? [];
		if (!thread)
			return [];
		/* Another thread may have had the number before. */
		return (this.byThread?.get(this.#key(host, thread.tid)) ?? []).filter(({ tid, at }) => this.trace.laneOfThread(tid, at, host) == index);
	}

	draw(context, lane, from, to, colour)
	{
		const { width } = context.canvas;
		const events = this.eventsOf(lane);

		if (!events.length)
			return;
		if (this.columns.length != width)
			this.columns = new Uint8Array(width);
		this.columns.fill(0);
		for (const { at } of events)
			this.columns[Math.min(Math.floor((at - from) / (to - from) * width), width - 1)] = 1;
		context.fillStyle = colour;
		for (let x = 0; x < width; x++)
			if (this.columns[x])
				context.fillRect(x, 0, 1, TICK_HEIGHT);
	}

	#textOf({ at, cpu, id, host })
	{
		const key = `${at} ${host} ${cpu} ${id}`;

		this.names[host] ??= this.trace.lkst.eventNames(host);
		if (!this.words.has(key))
			this.words.set(key, this.trace.recordsInWords(at, at, this.names[host][id], host, ["--cpu", String(cpu)]).join("\n"));
		return this.words.get(key);
	}

	/* The events of a lane whose ticks are @near a time, in words. */
	inWords(lane, at, near)
	{
		const events = this.eventsOf(lane).filter((event) => Math.abs(event.at - at) <= near)
			.sort((a, b) => Math.abs(a.at - at) - Math.abs(b.at - at)).slice(0, TICKS_IN_WORDS).sort((a, b) => a.at - b.at);

		return events.map((event) => `\n${this.#textOf(event)}`).join("");
	}
}
