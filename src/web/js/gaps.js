// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is not known, and why: gaps in the records of a CPU. It is hatched, and nothing else is, so that it can be taken for
 * no state by anybody in any colours.
 */
"use strict";

const HATCH_PERIOD = 6; /* pixels, from line to line */
const HATCH_LINE = 2;

/* A pattern of lines of colour @line on @back, both "#rrggbb". */
function hatching(context, line, back)
{
	const tile = document.createElement("canvas");

	tile.width = tile.height = HATCH_PERIOD;

	const inner = tile.getContext("2d");

	inner.fillStyle = back;
	inner.fillRect(0, 0, HATCH_PERIOD, HATCH_PERIOD);
	inner.fillStyle = line;
	for (let y = 0; y < HATCH_PERIOD; y++)
		for (let i = 0; i < HATCH_LINE; i++)
			inner.fillRect((HATCH_PERIOD - y + i) % HATCH_PERIOD, y, 1, 1);
	return context.createPattern(tile, "repeat");
}

/* "1,234" */
function countText(number)
{
	return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
}

function gapInWords({ records, blocks, pause, why })
{
	if (pause)
		return why;
	if (records)
		return `lost: ${countText(records)} ${records == 1 ? "record" : "records"} (${why})`;
	if (blocks)
		return `lost: ${countText(blocks)} ${blocks == 1 ? "block" : "blocks"} of records (${why})`;
	return `not covered: ${why}`;
}

class Gaps {
	/* @list: of lkst_web_read(). */
	constructor(list)
	{
		this.list = list;
		this.byCpu = new Map();
		for (const gap of list) {
			const key = this.#key(gap);

			if (!this.byCpu.has(key))
				this.byCpu.set(key, []);
			this.byCpu.get(key).push(gap);
		}
	}

	#key({ host, cpu })
	{
		return `${host} ${cpu}`;
	}

	/* Those of a CPU of a host. */
	ofCpu(cpu, host)
	{
		return this.byCpu.get(this.#key({ host, cpu })) ?? [];
	}

	/* What is missing at a time, @near of it included: on one CPU of a host, or with null, on any, as a sentence; "": nothing. */
	inWords(cpu, at, near, host)
	{
		const gaps = (cpu === null ? this.list.filter((gap) => gap.host == host) : this.ofCpu(cpu, host))
			.filter(({ from_ns: from, to_ns: to }) => from <= at + near && to >= at - near);
		const words = gaps.map((gap) => (cpu === null ? `CPU ${gap.cpu} ` : "") + gapInWords(gap));

		return [...new Set(words)].slice(0, 4).join("; ");
	}
}
