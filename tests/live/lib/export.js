// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares exports of a trace with what other commands answer:
 *
 *	export.js LKST TRACE DIR
 *
 * DIR has all.json (JSON lines), all.chrome and all.collapsed.
 */
"use strict";
const { execFileSync } = require("child_process");
const fs = require("fs");

const [lkst, trace, dir] = process.argv.slice(2);
const STATES = ["running", "ready", "blocked", "stopped", "unknown"];
const NO_THREAD = 4194304; // pids and tids from here on are of no thread

function run(...args)
{
	return execFileSync(lkst, args, { encoding: "utf8", maxBuffer: 1 << 30 });
}

function sql(query)
{
	return JSON.parse(run("sql", "-f", "json", trace, query));
}

function expect(name, bad)
{
	if (bad.length)
		console.log(`FAIL ${name}: ${bad.slice(0, 4).join("; ")} (${bad.length} in all)`);
	else
		console.log(`ok ${name}`);
}

function add(map, key, n)
{
	map.set(key, (map.get(key) || 0) + n);
}

/* What differs between two maps of numbers. */
function differences(got, want)
{
	const keys = new Set([...got.keys(), ...want.keys()]);

	return [...keys].filter((key) => (got.get(key) || 0) !== (want.get(key) || 0))
		.map((key) => `${key}: ${got.get(key)}, not ${want.get(key)}`);
}

/* ns by "tid state", of `lkst analyze thread`. */
function threadTimes()
{
	const times = new Map();

	for (const row of JSON.parse(run("analyze", "thread", "-f", "json", trace)).thread.rows)
		for (const state of STATES)
			add(times, `${row.tid} ${state}`, row[`${state}_ns`] || 0);
	return times;
}

/* ---- JSON lines ------------------------------------------------------------------------------- */

function checkLines()
{
	const counts = new Map(), want = new Map(), bad = [];
	let last = 0;

	for (const line of fs.readFileSync(`${dir}/all.json`, "utf8").trimEnd().split("\n")) {
		const record = JSON.parse(line);

		if (record.gap)
			continue;
		add(counts, record.event, 1);
		if (record.ns < last)
			bad.push(`${record.ns} comes after ${last}`);
		last = record.ns;
		if (!("cpu" in record && "tid" in record && "process" in record && record.fields))
			bad.push(line.slice(0, 100));
	}
	for (const row of sql("select event, count(*) n from events group by event"))
		want.set(row.event, row.n);
	expect("export_json_has_all_records", differences(counts, want).concat(bad));
}

/* ---- where time went --------------------------------------------------------------------------- */

function checkCollapsed(times)
{
	const got = new Map(), calls = new Map(), want = new Map(), bad = [];
	/* Whose call began before the trace, and may not end in it: it is no row of `syscalls`. */
	const asleep = new Set(sql("select distinct thread_tid from state_wait").map((row) => String(row.thread_tid)));

	for (const line of fs.readFileSync(`${dir}/all.collapsed`, "utf8").trimEnd().split("\n")) {
		const [, stack, ns] = /^(.*) (\d+)$/.exec(line) || [null, "", 0];
		const frames = stack.split(";"), tid = /-(\d+)$/.exec(frames[1] || "");

		if (frames.length < 3 || frames.length > 5 || !STATES.concat("new").includes(frames[2]))
			bad.push(line);
		if (frames[2] !== "new")
			add(got, `${tid ? tid[1] : -1} ${frames[2]}`, Number(ns));
		/* A call in which the thread was stopped was blocked for that time. */
		if (!asleep.has(tid?.[1]))
			add(calls, `${frames.at(-1)} ${frames[2] === "stopped" ? "blocked" : frames[2]}`, Number(ns));
	}
	/* The time in calls, of those that are all there from begin to end. */
	for (const row of sql(`select syscall, sum(running_ns) running, sum(ready_ns) ready, sum(blocked_ns) blocked
			from syscalls where tid not in (select thread_tid from state_wait) group by syscall having min(is_whole) and syscall is not null`))
		for (const state of ["running", "ready", "blocked"])
			want.set(`${row.syscall} ${state}`, row[state]);
	for (const key of [...calls.keys()].filter((key) => !want.has(key)))
		calls.delete(key);
	expect("export_collapsed_agrees_on_calls", differences(calls, want).concat(want.size ? [] : ["there are no calls"]));
	expect("export_collapsed_adds_up", differences(got, times).concat(bad));
}

/* ---- Chrome's events ---------------------------------------------------------------------------- */

const nanoseconds = (us) => Math.round(us * 1000);

/* States of threads, and that calls hold what is in them. */
function checkThreads(events, times)
{
	const got = new Map(), calls = new Map(), ends = new Map(), bad = [];

	for (const event of events) {
		if (event.pid >= NO_THREAD || !"BEX".includes(event.ph))
			continue;
		const begin = nanoseconds(event.ts), end = begin + nanoseconds(event.dur || 0);

		if (begin < (ends.get(event.tid) || 0))
			bad.push(`${event.tid}: ${event.name} at ${event.ts} overlaps`);
		ends.set(event.tid, end);
		if (event.ph !== "X")
			add(calls, event.tid, event.ph === "B" ? 1 : -1);
		else if (event.name !== "new")
			add(got, `${event.tid} ${event.name.split(":")[0]}`, end - begin);
		if (![0, 1].includes(calls.get(event.tid) || 0))
			bad.push(`${event.tid}: calls do not nest at ${event.ts}`);
	}
	expect("export_chrome_adds_up", differences(got, times).concat(bad));
	expect("export_chrome_ends_calls", [...calls].filter(([, open]) => open).map(([tid]) => `${tid}`));
}

/* What CPUs ran, by thread, is what threads ran. */
function checkCpus(events, times)
{
	const got = new Map(), want = new Map(), cpus = new Set();

	for (const event of events)
		if (event.ph === "M" && event.pid === NO_THREAD && /^CPU \d+$/.test(event.args.name))
			cpus.add(event.tid);
	for (const event of events)
		if (event.ph === "X" && cpus.has(event.tid) && event.name !== "unknown")
			add(got, (/-(\d+)$/.exec(event.name) || [0, "-1"])[1], nanoseconds(event.dur));
	for (const [key, ns] of times)
		if (key.endsWith(" running") && ns)
			want.set(key.split(" ")[0], ns);
	expect("export_chrome_cpus_run_threads", differences(got, want));
}

/* Counts of calls that returned, of disks' requests and of interrupts. */
function checkCounts(events)
{
	const got = new Map(), want = new Map(), names = new Map(), tracks = new Map();

	for (const event of events)
		if (event.ph === "M" && event.name === "thread_name")
			tracks.set(event.tid, event.args.name);
	for (const event of events) {
		if (event.ph === "X" && event.pid === NO_THREAD && / interrupts$/.test(tracks.get(event.tid)))
			add(got, "interrupts", 1);
		if (event.ph === "B")
			names.set(event.tid, event.name);
		if (event.ph === "E" && event.args)
			add(got, names.get(event.tid), 1);
		if (event.ph === "b" && event.cat === "disk")
			add(got, "requests", 1);
	}
	/* Of a call whose entry is not in the trace it depends on what else is known of the thread. */
	for (const row of sql(`select syscall, sum(is_whole) whole, count(*) n from syscalls
			where ret is not null group by syscall`)) {
		const n = got.get(row.syscall) || 0;

		add(want, row.syscall, Math.min(Math.max(n, row.whole), row.n));
	}
	add(want, "requests", sql("select count(*) n from block_requests")[0].n);
	add(want, "interrupts", sql("select count(*) n from irqs where is_whole and duration_ns > 0")[0].n);
	expect("export_chrome_counts_agree", differences(got, want));
}

const times = threadTimes();

checkLines();
checkCollapsed(times);
{
	const { traceEvents } = JSON.parse(fs.readFileSync(`${dir}/all.chrome`, "utf8"));

	checkThreads(traceEvents, times);
	checkCpus(traceEvents, times);
	checkCounts(traceEvents);
}
