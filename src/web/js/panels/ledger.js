// SPDX-License-Identifier: GPL-2.0-only
/* The panel of the ledger: what lkst check says is missing, each gap a link to its time. */
"use strict";

/* Columns as --format json has them: [name, title, type] for each. */
function columnsOf(...list)
{
	return list.map(([name, title, type]) => ({ name, title, type, help: "" }));
}

const GAP_COLUMNS = columnsOf(["lasts", "lasts", "duration"], ["from_ns", "from", "time"], ["cpu", "CPU", "cpu"],
	["buffer", "buffer", "count"], ["blocks", "blocks", "count"], ["events", "events known", "count"], ["why", "why", "text"]);
const LEDGER_COLUMNS = columnsOf(["kind", "kind", "text"], ["count", "count", "count"], ["lasts", "lasts", "duration"],
	["from_ns", "from", "time"], ["text", "what", "text"]);
const STREAM_COLUMNS = columnsOf(["stream", "stream", "text"], ["cpu", "CPU", "cpu"], ["buffer", "buffer", "count"],
	["blocks", "blocks", "count"], ["missing", "missing", "count"], ["damaged", "damaged", "count"], ["lost", "lost events", "count"]);
const SUM_COLUMNS = columnsOf(["counter", "kernel's counter", "text"], ["counted", "counted", "count"], ["recorded", "recorded", "text"],
	["missing", "missing", "count"], ["verdict", "verdict", "text"]);
const COUNT_COLUMNS = columnsOf(["event", "event", "text"], ["records", "records", "count"]);

/* With how long it lasts; what has no time has none. */
function withLength(row)
{
	return row.to_ns ? { ...row, lasts: String(BigInt(row.to_ns) - BigInt(row.from_ns)) } : { ...row, lasts: null, from_ns: null };
}

/* Sentences about the whole. */
function verdictOf(check)
{
	const { compared } = check;
	const lines = [`${check.records} records in ${check.blocks} blocks: ${check.verdict.replace(/ above$/, " below")}`, `end: ${check.ending}`,
		`gaps: ${check.gaps}; lines of the ledger that say that records are missing: ${check.losses}; lost events: ${check.lost_events}`];

	if (compared.why_not)
		lines.push(`The records cannot be compared with the kernel's counters: ${compared.why_not}.`);
	if (check.is_partial)
		lines.push("It is not whole: the copying that made it was broken off.");
	if (check.lacks_part)
		lines.push("A part of the recording is missing.");
	return make("div", { className: "verdict" }, ...lines.map((line) => make("p", {}, visible(line))));
}

/* What is said of one host. */
function ledgerElements(host)
{
	const { out: check, err } = askOf(host, askJson, "check", "--json");
	const counts = Object.entries(check.counts).map(([event, records]) => ({ event, records })).sort((a, b) => b.records - a.records);
	const tables = [
		{ title: `Gaps: ${check.gaps}`, columns: GAP_COLUMNS, rows: check.gap_list.map(withLength) },
		{ title: "Ledger", columns: LEDGER_COLUMNS, rows: check.ledger.map(withLength) },
		{ title: "The kernel's own counters", columns: SUM_COLUMNS, rows: check.compared.sums },
		{ title: "Streams", columns: STREAM_COLUMNS, rows: check.streams },
		{ title: "Events", columns: COUNT_COLUMNS, rows: counts },
	];

	return [...page.trace.isSeveral ? [make("h3", {}, nameElement(page.trace.hosts[host].name))] : [], verdictOf(check),
		...tables.map((table) => tableElement({ ...table, host })), ...err ? [make("p", { className: "note" }, visible(err))] : []];
}

function fillLedger(element)
{
	element.replaceChildren(...page.trace.hosts.flatMap((unused, host) => ledgerElements(host)));
}

panels.add("ledger", "Ledger", fillLedger);
