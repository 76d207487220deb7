// SPDX-License-Identifier: GPL-2.0-only
/*
 * DuckDB gives the same answers from Parquet files as lkst sql from the trace:
 *
 *	node parquet.js LKST TRACE TABLES ANSWER
 *
 * TABLES is the directory that lkst export has made, and ANSWER a file of lkst sql with the answer to the last of the
 * questions below.
 */
"use strict";

const { execFileSync } = require("child_process");
const { result } = require("./checks.js");

const [lkst, trace, tables, answer] = process.argv.slice(2);
const { DuckDBInstance } = require("@duckdb/node-api");

/* Each question for both, with $name for a table of records, and what DuckDB asks where that differs. */
const questions = [
	["counts", "select count(*), count(comm), count(pid), sum(cpu), min(time_ns), max(time_ns) from $events"],
	["groups", "select event, count(*), count(distinct tid) from $events group by event order by event"],
	["window", `select count(*), sum(tid), min(comm) from $events where time_ns between
		(select min(time_ns) + (max(time_ns) - min(time_ns)) / 3 from $syscalls_of_events) and
		(select min(time_ns) + (max(time_ns) - min(time_ns)) / 2 from $syscalls_of_events)`],
	["fields", "select count(*), sum(next_tid), count(distinct prev_state), max(next_prio) from sched_switch",
		"select count(*), sum(next_tid), count(distinct prev_state), max(next_prio) from $events " +
		"where event = 'sched_switch'"],
	["nulls", "select 0", "select count(*) from $events where event <> 'sched_switch' and next_tid is not null"],
	["lag", `select cpu, count(*), max(took) from (select cpu, time_ns - lag(time_ns) over
		(partition by cpu order by time_ns) took from $events where event = 'sched_switch') group by cpu order by cpu`],
	["states", `select state, coalesce(cause, ''), count(*), sum(duration_ns), sum(is_whole) from $states
		group by 1, 2 order by 1, 2`],
	["calls", `select coalesce(syscall, ''), count(*), sum(duration_ns), count(ret), coalesce(min(error), '')
		from $syscalls group by 1 order by 1`],
	["threads", "select count(*), sum(tid), count(start_ns) from $threads"],
	["join", `select s.tid, sum(s.duration_ns), max(t.is_kernel) from $states s join $threads t using (life)
		where state = 'running' group by 1 order by 1`],
	/* DuckDB has times with a zone in us. */
	["clock", "select 0", `select count(*) from $events where epoch_us(time) <> (time_ns +
		(select decode(value)::bigint from parquet_kv_metadata('${tables}/events.parquet')
			where decode(key) = 'lkst.clock_offset_ns')) // 1000`],
	["answer", "select comm, count(*) n, sum(duration_ns) / 1000.0 us from $states group by comm order by comm",
		`select comm, n, us from '${answer}'`],
];

function forSql(query)
{
	return query.replaceAll("$syscalls_of_events", "events").replace(/\$(\w+)/g, "$1");
}

function forDuckdb(query)
{
	return query.replaceAll("$syscalls_of_events", "$events").replace(/\$(\w+)/g, `'${tables}/$1.parquet'`)
		.replaceAll(") / ", ") // ");
}

/* Numbers as both can say them; SQLite prints fifteen digits. */
function cell(value)
{
	if (value === null || value === "")
		return "";
	return /^-?\d+\.\d*$/.test(value) ? String(Number(Number(value).toPrecision(12))) : String(value);
}

const split = "select 'next' as next";
const printed = execFileSync(lkst, ["sql", "-f", "csv", trace, questions.map(([, sql]) => forSql(sql)).join(`;${split};`)],
	{ encoding: "utf8", maxBuffer: 1 << 28 });
const wanted = printed.split("next\r\nnext\r\n").map((part) => part.split("\r\n").slice(1, -1)
	.map((line) => line.split(",").map((text) => cell(text.replace(/^"|"$/g, ""))).join(",")));

async function main()
{
	const instance = await DuckDBInstance.create(":memory:", { threads: "2" });
	const connection = await instance.connect();

	for (const [i, [name, sql, duckdb]] of questions.entries()) {
		const reader = await connection.runAndReadAll(forDuckdb(duckdb ?? sql));
		const got = reader.getRowsJson().map((row) => row.map(cell).join(","));
		const at = got.findIndex((line, row) => line !== wanted[i][row]);

		const bad = [];

		if (at >= 0)
			bad.push(`row ${at} is ${got[at]}, and of lkst sql ${wanted[i][at]}`);
		if (got.length !== wanted[i].length || !got.length)
			bad.push(`there are ${got.length} rows, and ${wanted[i].length} of lkst sql`);
		result(`parquet_${name}`, ...bad);
	}
}

main().catch((error) => result("parquet_duckdb", error.stack));
