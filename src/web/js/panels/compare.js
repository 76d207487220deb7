// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two stretches side by side: that which was marked, and that which is selected. The figures are those of the analyses of
 * the library, as the terminal prints them for the same stretch.
 */
"use strict";

const STATES_OF_THREAD = [["running", "running_ns"], ["ready", "ready_ns"], ["blocked", "blocked_ns"],
	["stopped", "stopped_ns"], ["unknown", "unknown_ns"]];
const STATES_OF_CPU = [["threads", "threads_ns"], ["interrupts", "irq_ns"], ["softirqs", "softirq_ns"],
	["idle", "idle_ns"], ["unknown", "unknown_ns"]];
const CALLS_MAX = 30;
const COMPARING_PATIENCE_MS = 150;

function sumOf(rows, key)
{
	return rows.reduce((sum, row) => sum + (row[key] ?? 0), 0);
}

/* The host that a stretch is of; null: there is one, or it is of all. */
function hostOfStretch({ lane })
{
	return page.trace.isSeveral && lane ? lane.host : null;
}

/* The question to the library that a stretch is. */
function questionOf({ thread, lane, from, to })
{
	const which = thread ? ["--tid", String(thread.tid)] : lane?.kind == "cpu" ? ["--cpu", String(lane.number)] : [];

	return ["analyze", thread ? "thread,syscall" : "cpu,syscall", ...which,
		...rangeWords(from, to, hostOfStretch({ lane })), "--format", "json"];
}

/* What a row says, with whose it is, if the table is one of several hosts. */
function ofHost({ host }, text)
{
	return host === undefined ? text : `${host}: ${text}`;
}

/* On which CPUs it ran, and how long on each: [{ cpu, ns }] */
function cpusOf(stretch, rows)
{
	if (stretch.thread)
		return page.trace.cpus(stretch.lane.kind == "span" ? page.trace.laneOfThread(stretch.thread.tid, stretch.from, stretch.lane.host) : stretch.index,
			stretch.from, stretch.to);
	return rows.filter((row) => row.threads_ns).map((row) => ({ cpu: ofHost(row, row.cpu), ns: row.threads_ns }));
}

/* What the library says of a stretch: { stretch, question, states, cpus, calls }, times in ns. Throws if it refuses. */
async function figuresOf(stretch)
{
	const question = questionOf(stretch);
	const run = (...words) => page.lkst.run([...words, page.trace.name]);
	const { status, out, err } = await askOf(hostOfStretch(stretch), run, ...question);

	if (status)
		throw new Error(complaints(err));

	const tables = JSON.parse(out);
	const rows = stretch.thread ? tables.thread.rows
		: tables.cpu.rows.filter(({ cpu }) => stretch.lane?.kind != "cpu" || cpu == stretch.lane.number);
	const states = (stretch.thread ? STATES_OF_THREAD : STATES_OF_CPU).map(([name, key]) => ({ name, ns: sumOf(rows, key) }));

	return { stretch, question, states, cpus: cpusOf(stretch, rows),
		calls: tables.syscall?.rows.map((row) => ({ name: ofHost(row, row.key), count: row.count, ns: row.total_ns })) ?? [] };
}

/* ---- the table ---- */

function shareText(ns, all)
{
	return `${durationText(ns)}, ${all ? (100 * ns / all).toFixed(1) : "0.0"} %`;
}

/* The names that either has, those first that took longest in one of them, with what each has of them. */
function joined(a, b)
{
	const names = [...new Set([...a, ...b].map(({ name }) => name))];
	const rows = names.map((name) => [name, a.find((one) => one.name == name), b.find((one) => one.name == name)]);

	return rows.sort((x, y) => Math.max(y[1]?.ns ?? 0, y[2]?.ns ?? 0) - Math.max(x[1]?.ns ?? 0, x[2]?.ns ?? 0));
}

/* The rows of the table: a name, what A has, what B has. */
function rowsOf(a, b)
{
	const text = (one, make) => one ? make(one) : "-";
	const callText = ({ count, ns }) => `${count} ${count == 1 ? "call" : "calls"}, ${durationText(ns)}`;
	const calls = joined(a.calls, b.calls);
	const totals = [a, b].map(({ states }) => sumOf(states, "ns"));

	return [
		["from", ...[a, b].map(({ stretch }) => timeText(stretch.from))],
		["duration", ...[a, b].map(({ stretch }) => durationText(stretch.to - stretch.from))],
		...joined(a.states, b.states).filter(([, x, y]) => x?.ns || y?.ns).map(([name, x, y]) =>
			[name, text(x, ({ ns }) => shareText(ns, totals[0])), text(y, ({ ns }) => shareText(ns, totals[1]))]),
		["CPUs", ...[a, b].map(({ cpus }) => cpus.map(({ cpu, ns }) => `${cpu}: ${durationText(ns)}`).join(", ") || "-")],
		...calls.slice(0, CALLS_MAX).map(([name, x, y]) => [`${name}()`, text(x, callText), text(y, callText)]),
		...(calls.length > CALLS_MAX ? [[`${calls.length - CALLS_MAX} calls more`, "", ""]] : []),
	];
}

function makeTable(a, b)
{
	const table = document.createElement("table");
	const head = table.createTHead().insertRow();
	const body = table.createTBody();
	const cell = (row, name, text, scope) => {
		const element = document.createElement(name);

		element.textContent = visible(text);
		if (scope)
			element.scope = scope;
		row.append(element);
	};

	table.createCaption().textContent = "What was marked, and what is selected; calls are those that lie in it whole";
	cell(head, "td", "");
	for (const [letter, { stretch }] of [["A", a], ["B", b]])
		cell(head, "th", `${letter}: ${stretch.name}`, "col");
	for (const [name, ...values] of rowsOf(a, b)) {
		const row = body.insertRow();

		cell(row, "th", name, "row");
		for (const value of values)
			cell(row, "td", value);
	}
	return table;
}

/* ---- when ---- */

let comparing;

async function compare()
{
	const { mark, selection } = page;
	const place = byId("comparison").querySelector(".table");

	if (!mark)
		return;
	if (!selection) {
		place.replaceChildren(`Marked is ${stretchInWords(mark)}. What is selected next is compared with it.`);
		return;
	}
	place.replaceChildren("Reading the trace.");
	await painted();
	try {
		const figures = [await figuresOf(mark), await figuresOf(selection)];

		if (mark !== page.mark || selection !== page.selection)
			return;
		page.comparison = figures;
		place.replaceChildren(makeTable(...figures));
	} catch (error) {
		place.replaceChildren(error.message);
	}
}

/* When nothing has changed for a while, since each reads the trace. */
function compareSoon()
{
	page.comparison = null;
	byId("comparison").hidden = !page.mark;
	clearTimeout(comparing);
	comparing = setTimeout(compare, COMPARING_PATIENCE_MS);
}

for (const what of ["selection", "mark", "time"])
	page.addEventListener(what, compareSoon);
