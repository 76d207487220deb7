// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes of what is counted: requests of disks, bytes of interfaces, threads that are ready. Each column has the least and
 * the greatest number in its time, and the mean over the time.
 */
"use strict";

const COLUMN_NUMBERS = 4; /* of struct lkst_curve_column: min, max, mean, known */
const BYTE_UNITS = [["GB", 1e9], ["MB", 1e6], ["kB", 1e3]];

/* "1.2 MB/s", "3 requests" */
function amountText(number, unit)
{
	if (unit == "bytes/s") {
		for (const [name, size] of BYTE_UNITS)
			if (number >= size)
				return `${+(number / size).toPrecision(3)} ${name}/s`;
		return `${Math.round(number)} bytes/s`;
	}
	return `${+number.toPrecision(4)} ${number == 1 ? unit.replace(/s$/, "") : unit}`;
}

/* What a lane of the trace counts from one time to another, in words. */
function countInWords(trace, index, from, to)
{
	const { unit } = trace.info.lanes[index];
	const columns = trace.columns(index, from, Math.max(to, from + 1), 1);
	const [min, max, mean, known] = columns ?? [0, 0, 0, 0];

	if (!known)
		return `not known: ${trace.gaps.inWords(null, from, to - from) || "no record shows it"}`;

	const part = known < 0.999 ? `, ${Math.round(100 * known)} % of the time known` : "";

	if (min == max)
		return amountText(mean, unit) + part;
	return `${amountText(mean, unit)} on average, ${+min.toPrecision(4)} to ${+max.toPrecision(4)}${part}`;
}

/* Draws columns onto @context, whose size they have: up to the mean, and more lightly up to the maximum; returns the scale's top. */
function drawColumns(context, columns, colour)
{
	const { width, height } = context.canvas;
	let top = 0;

	context.clearRect(0, 0, width, height);
	for (let x = 0; x < width; x++)
		top = Math.max(top, columns[x * COLUMN_NUMBERS + 1]);
	context.fillStyle = colour;
	for (const [place, alpha] of [[1, 0.35], [2, 1]]) {
		context.globalAlpha = alpha;
		context.beginPath();
		context.moveTo(0, height);
		for (let x = 0; top && x < width; x++) {
			const value = columns[x * COLUMN_NUMBERS + place];
			/* What is not nothing is seen. */
			const y = height - (value && Math.max(value / top * (height - 2), 1));

			context.lineTo(x, y);
			context.lineTo(x + 1, y);
		}
		context.lineTo(width, height);
		context.fill();
	}
	context.globalAlpha = 1;
	return top;
}
