// SPDX-License-Identifier: GPL-2.0-only
/* Tables of --format json as tables of the page. */
"use strict";

const ROWS_SHOWN = 20;
const WORDS = ["text", "flag"];

/*
 * A link to the time of column @at. The column of a duration before it says how long that is, and the row's member "tid"
 * of which thread.
 */
function timeOfCell(columns, at, row, host)
{
	const before = columns[at - 1];
	const from = sinceBegin(row[columns[at].name], host);
	const long = before?.type == "duration" ? Number(row[before.name] ?? 0) : 0;

	return timeLink(momentElement(from), from, from + long, row.tid ?? null, host ?? page.trace.hostNamed(row.host));
}

/* Columns whose numbers are least ones in a row with the member at_least: not all was recorded that they count. */
const LEAST = ["count", "per_second"];

function cellOf(columns, i, row, host)
{
	const { name, type } = columns[i];
	const value = row[name];
	const isTime = type == "time" && value !== null;
	const bound = row.bounds?.[name] ?? (row.at_least && LEAST.includes(name) ? "at least" : "");
	const least = bound && value !== null ? `${bound} ` : "";
	const contents = isTime ? timeOfCell(columns, i, row, host) :
		type == "text" && value !== null ? nameElement(value) : least + figure(type, value);
	const cell = make("td", { className: WORDS.includes(type) ? "words" : "number" }, contents);

	cell.dataset.value = value ?? "";
	return cell;
}

/* What is below a table. */
function notesOf({ notes = [], left_out: leftOut = {} })
{
	const lines = notes.map((note) => `Note: ${note}`);
	const reasons = Object.entries(leftOut).map(([name, count]) => `${count} ${name.replaceAll("_", " ")}`);

	if (reasons.length)
		lines.push(`Left out: ${reasons.join(", ")}.`);
	return lines.map((line) => make("p", { className: "note" }, visible(line)));
}

/* A table: { title, columns, rows, notes, left_out, and host, if it is of one alone }, with its first rows, and a button for the others. */
function tableElement(table)
{
	const columns = table.columns.filter((column) => column.title !== null);
	const body = make("tbody");
	/* One by one: a call takes some ten thousand arguments only. */
	const add = (rows) => rows.forEach((row) => body.append(make("tr", {}, ...columns.map((column, i) => cellOf(columns, i, row, table.host ?? null)))));
	const rest = table.rows.slice(ROWS_SHOWN);
	const all = make("div", { className: "figures" }, make("table", {},
		make("caption", {}, visible(table.title)),
		make("thead", {}, make("tr", {}, ...columns.map(({ title, type, help }) => make("th", { scope: "col", title: help,
			className: WORDS.includes(type) ? "words" : "number" }, title)))), body));

	add(table.rows.slice(0, ROWS_SHOWN));
	if (rest.length) {
		const more = make("button", { type: "button" }, `${rest.length} more`);

		more.addEventListener("click", () => {
			add(rest);
			more.remove();
		});
		all.append(more);
	}
	if (!table.rows.length)
		body.append(make("tr", {}, make("td", { colSpan: Math.max(columns.length, 1), className: "words" }, "none")));
	all.append(...notesOf(table));
	return all;
}
