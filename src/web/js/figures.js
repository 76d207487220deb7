// SPDX-License-Identifier: GPL-2.0-only
/* Figures as the terminal prints them (src/base/size.c, src/print/table_text.c). */
"use strict";

/* As "%.*f" of C: what is exactly between two numbers goes to the even one. */
function fixed(value, digits)
{
	const up = value.toFixed(digits);
	const rest = value.toFixed(60).slice(value.toFixed(60).indexOf(".") + 1 + digits);

	if (!/^50*$/.test(rest) || Number(up.at(-1)) % 2 == 0)
		return up;
	return (Number(up) - Math.sign(value) * 10 ** -digits).toFixed(digits);
}

/* "3.20 ms" */
function durationFigure(ns)
{
	const seconds = Math.floor(ns / 1e9);
	const units = ["ns", "us", "ms", "s"];
	let value = ns, i = 0;

	if (ns < 1000)
		return `${ns} ns`;
	if (seconds >= 3600)
		return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} min`;
	if (seconds >= 60)
		return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
	for (; value >= 999.5 && i < 3; i++)
		value /= 1000;
	return `${fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0)} ${units[i]}`;
}

/* "17 KiB" */
function sizeFigure(bytes)
{
	const letters = "KMGTPE";
	let unit = 1024, i = 0;

	if (bytes < 1024)
		return `${bytes} byte${bytes == 1 ? "" : "s"}`;
	while (letters[i + 1] && Math.floor(bytes / unit) >= 1023 &&
		(Math.floor(bytes / unit) >= 1024 || bytes % unit >= unit - Math.floor(unit / 20))) {
		unit *= 1024;
		i++;
	}
	if (!(bytes % unit))
		return `${bytes / unit} ${letters[i]}iB`;

	const tenths = Math.floor((bytes % unit * 10 + unit / 2) / unit);

	return `${Math.floor(bytes / unit) + Math.floor(tenths / 10)}.${tenths % 10} ${letters[i]}iB`;
}

/* A value of a table's column of type @type ("columns" of --format json); times are words of the page. */
function figure(type, value)
{
	if (value === null)
		return "-";
	switch (type) {
	case "duration": return durationFigure(Number(value));
	case "bytes": return sizeFigure(Number(value));
	case "percent": return `${fixed(value, 1)} %`;
	case "ratio": return fixed(value, 2);
	case "seconds": return fixed(Number(value) / 1e9, 9);
	case "time":
	case "clock": return timeText(sinceBegin(value));
	case "address": return `0x${BigInt(value).toString(16)}`;
	case "flag": return value ? "yes" : "no";
	default: return visible(value);
	}
}
