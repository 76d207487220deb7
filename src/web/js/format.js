// SPDX-License-Identifier: GPL-2.0-only
/* Times and durations as text. Times are nanoseconds after the trace's beginning, as everywhere in the page. */
"use strict";

/* "1.5 ms" */
function durationText(ns)
{
	for (const [unit, length] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]])
		if (ns >= length)
			return `${+(ns / length).toPrecision(4)} ${unit}`;
	return `${Math.round(ns)} ns`;
}

/* A time as --from and --to take it: seconds after the beginning, to the nanosecond. */
function afterBegin(ns)
{
	const whole = BigInt(Math.round(ns));

	return `+${whole / 1000000000n}.${String(whole % 1000000000n).padStart(9, "0")}s`;
}
