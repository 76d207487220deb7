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
	const { unit, host } = trace.info.lanes[index];
	const columns = trace.columns(index, from, Math.max(to, from + 1), 1);
	const [min, max, mean, known] = columns ?? [0, 0, 0, 0];

	if (!known)
		return `not known: ${trace.gaps.inWords(null, from, to - from, host) || "no record shows it"}`;

	const part = known < 0.999 ? `, ${Math.round(100 * known)} % of the time known` : "";

	if (min == max)
		return amountText(mean, unit) + part;
	return `${amountText(mean, unit)} on average, ${+min.toPrecision(4)} to ${+max.toPrecision(4)}${part}`;
}

/* A colour, [red, green, blue], as a pixel of an image. */
function pixelOf([red, green, blue])
{
	return (0xff000000 | blue << 16 | green << 8 | red) >>> 0;
}

/* The pixels of counts of colour "#rrggbb" on @back: what is below the mean, what is up to the maximum, and above. */
function countColours(colour, back)
{
	const full = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));

	return { mean: pixelOf(full), max: pixelOf(full.map((part, i) => 0.35 * part + 0.65 * back[i])), back: pixelOf(back) };
}

/* Draws columns into @pixels: up to the mean, and more lightly up to the maximum. Returns the number that has the full height. */
function drawColumns(pixels, width, height, columns, { mean, max, back })
{
	let top = 0;

	for (let x = 0; x < width; x++)
		top = Math.max(top, columns[x * COLUMN_NUMBERS + 1]);

	/* What is not nothing is seen. */
	const yOf = (value) => height - (value && Math.max(Math.round(value / top * (height - 2)), 1));

	for (let x = 0; x < width; x++) {
		const toMax = yOf(columns[x * COLUMN_NUMBERS + 1]);
		const toMean = yOf(columns[x * COLUMN_NUMBERS + 2]);

		for (let y = 0; y < height; y++)
			pixels[y * width + x] = y >= toMean ? mean : y >= toMax ? max : back;
	}
	return top;
}
