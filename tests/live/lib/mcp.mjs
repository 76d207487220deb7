// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks lkst mcp by the official client, which checks every message and, by the schemas of the tools, every result; and
 * prints a result line for each check:
 *
 *	mcp.mjs CLIENT LKST FIRST MANY
 *
 * CLIENT is where the client is that tools/fetch-npm gets, FIRST a trace, MANY a directory with another one, `second`.
 */
import { execFileSync } from "child_process";
import { readFileSync, readdirSync } from "fs";
import { createRequire } from "module";

const { result } = createRequire(import.meta.url)("./checks.js");
const [directory, lkst, first, many] = process.argv.slice(2);
const { Client } = await import(`file://${directory}/index.js`);
const { StdioClientTransport } = await import(`file://${directory}/stdio.js`);

const MEMORY_MAX_KIB = 64 * 1024;

async function begin(...args)
{
	const client = new Client({ name: "test", version: "1" });
	const transport = new StdioClientTransport({ command: lkst, args: ["mcp", ...args] });

	await client.connect(transport);
	return { client, transport };
}

const { client, transport } = await begin(first, many);
const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
const textOf = (answer) => answer.content[0].text;
const terminal = (...words) => execFileSync(lkst, words, { encoding: "utf8", maxBuffer: 1 << 30,
	stdio: ["ignore", "pipe", "ignore"] });
const jsonOf = (...words) => JSON.parse(terminal(...words));
const lines = (text) => text.trim().split("\n");
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/* All of a list in pages of @limit. */
async function pages(name, args, list, limit)
{
	const all = [];
	let cursor, nr = 0;

	do {
		const answer = await call(name, { ...args, limit, ...(cursor && { cursor }) });

		if (answer.isError)
			throw Error(textOf(answer));
		if (Buffer.byteLength(textOf(answer)) > 65536)
			throw Error(`a page has ${Buffer.byteLength(textOf(answer))} bytes`);
		all.push(...answer.structuredContent[list]);
		cursor = answer.structuredContent.next_cursor;
		nr++;
	} while (cursor);
	return { all, nr };
}

async function check(name, run)
{
	try {
		result(name, ...await run());
	} catch (e) {
		result(name, String(e.message).slice(0, 500));
	}
}

await check("mcp_tools", async () => {
	const { tools } = await client.listTools();
	const bad = ["report", "why", "analyze", "lint", "sql", "events"].filter((name) => !tools.some((t) =>
		t.name === name && t.annotations.readOnlyHint && t.outputSchema && t.inputSchema.properties.trace));

	if (!client.getInstructions().includes("report"))
		bad.push("no instructions");
	return bad.concat(tools.length === 6 ? [] : [`${tools.length} tools`]);
});

/* Tables of one page, and of small ones, put together again. */
await check("mcp_tables_are_those_of_the_terminal", async () => {
	const bad = [];

	for (const [name, args, words] of [
		["report", {}, ["report"]],
		["report", { comm: "dd", rows: 3 }, ["report", "--comm", "dd", "--rows", "3"]],
		["analyze", { analyses: "syscall,waitdelay,cpu" }, ["analyze", "syscall,waitdelay,cpu"]],
		["analyze", { analyses: "runqueue", interval: "10ms", rows: 0 }, ["analyze", "runqueue", "--interval", "10ms"]],
	]) {
		const want = jsonOf(...words, "--format", "json", first);

		for (const limit of [1000, 7]) {
			const got = {};
			let cursor;

			do {
				const { structuredContent } = await call(name, { ...args, trace: "first", limit, ...(cursor && { cursor }) });

				for (const [title, table] of Object.entries(structuredContent.tables))
					(got[title] ??= []).push(...table.rows);
				cursor = structuredContent.next_cursor;
			} while (cursor);
			for (const title of new Set([...Object.keys(want), ...Object.keys(got)])) {
				const all = want[title]?.rows ?? [];

				if (!got[title] || !same(got[title], all.slice(0, got[title].length)) ||
				    (all.length && !got[title].length))
					bad.push(`${words.join(" ")}, ${limit} rows: ${title}`);
			}
		}
	}
	return bad;
});

await check("mcp_report_reads_as_at_the_terminal", async () =>
	textOf(await call("report", { trace: first })) === terminal("report", "--all", first) ? [] : ["not the same text"]);

await check("mcp_why_is_that_of_the_terminal", async () => {
	const { structuredContent } = await call("why", { trace: "first", worst: "syscall", limit: 1000 });
	const want = [], { all } = await pages("why", { trace: "first", worst: "syscall" }, "steps", 3);
	const flatten = (steps, depth) => steps.forEach(({ steps: below, ...step }) => {
		want.push({ ...step, depth });
		flatten(below, depth + 1);
	});
	const ordered = (steps) => steps.map((s) => [s.depth, s.kind, s.from_ns, s.to_ns, s.thread, s.text, s.facts, s.events]);

	flatten(jsonOf("why", "--worst", "syscall", "--format", "json", first).steps, 0);
	return [structuredContent.steps, all].filter((got) => !same(ordered(got), ordered(want))).map(() => "other steps");
});

await check("mcp_lint_is_that_of_the_terminal", async () => {
	const { structuredContent } = await call("lint", { trace: "first", rule: ["lock-*", "double-free"] });
	const want = jsonOf("lint", "--rule", "lock-*", "--rule", "double-free", "--format", "json", first);

	return same([structuredContent.findings, structuredContent.notes], [want.steps.length, want.notes]) ? [] :
		[JSON.stringify(structuredContent).slice(0, 300)];
});

await check("mcp_pages_of_sql", async () => {
	const query = "select event, cpu, tid, records from counts order by 1, 2, 3";
	const want = jsonOf("sql", "--format", "json", first, query);
	const bad = [];

	for (const limit of [10000, 100, 61]) {
		const { all, nr } = await pages("sql", { trace: "first", query }, "rows", limit);

		if (!same(all, want))
			bad.push(`pages of ${limit}: ${all.length} rows of ${want.length}`);
		if (nr < want.length / limit)
			bad.push(`${nr} pages of ${limit}`);
	}
	return bad;
});

await check("mcp_pages_of_events", async () => {
	const args = { event: ["sched_*", "syscall:openat"], trace: "first" };
	const want = lines(terminal("print", "--no-gaps", "-f", "json", "-e", "sched_*", "-e", "syscall:openat", first))
		.map((line) => JSON.parse(line));
	const bad = [];

	for (const limit of [10000, 777]) {
		const { all } = await pages("events", args, "records", limit);

		if (!same(all.filter((r) => !r.gap), want))
			bad.push(`pages of ${limit}: ${all.length} records of ${want.length}`);
	}
	return bad;
});

await check("mcp_two_traces", async () => {
	const query = "select count(*) n, min(time_ns) at from events";
	const bad = [], paths = { first, second: `${many}/second` };

	for (const trace of ["first", "second", "first", paths.second])
		if (!same((await call("sql", { trace, query })).structuredContent.rows,
			jsonOf("sql", "--format", "json", paths[trace] ?? trace, query)))
			bad.push(trace);
	for (const trace of [undefined, "/etc", "../first", "nothing", 7]) {
		const answer = await call("sql", { trace, query });

		if (!answer.isError || !textOf(answer).includes(trace === 7 ? "as text" : "second"))
			bad.push(`${trace}: ${textOf(answer)}`);
	}
	return bad;
});

/* What is wrong with a question is the answer of the tool, in the words of the command. */
await check("mcp_errors", async () => {
	const bad = [];

	for (const [name, args, want] of [
		["sql", { query: "select tid from events where form = 1" }, "no such column: form"],
		["sql", { query: "attach 'x' as x" }, "can only read"],
		["events", { event: "no_such" }, "no_such"],
		["analyze", { analyses: "no_such" }, "there is no analysis \"no_such\""],
		["why", { tid: 1, from: "yesterday" }, "yesterday"],
		["report", { rows: "x" }, "takes a number"],
	]) {
		const answer = await call(name, { ...args, trace: "first" });

		if (!answer.isError || !textOf(answer).includes(want))
			bad.push(`${name}: ${textOf(answer)}`);
	}
	return bad;
});

await check("mcp_resources", async () => {
	const events = lines(terminal("event", "list", "--json")).map((line) => `lkst://event/${JSON.parse(line).name}`);
	const { contents } = await client.readResource({ uri: "lkst://event/sched_switch" });
	const { completion } = await client.complete({ ref: { type: "ref/resource", uri: "lkst://event/{name}" },
		argument: { name: "name", value: "sched_sw" } });
	const uris = [];
	let cursor;

	do {
		const page = await client.listResources(cursor ? { cursor } : {});

		uris.push(...page.resources.map((r) => r.uri));
		cursor = page.nextCursor;
	} while (cursor);
	return [
		!events.every((uri) => uris.includes(uri)) && "events are missing",
		new Set(uris).size !== uris.length && "some are there twice",
		!uris.includes("lkst://analyses") && "no list of analyses",
		!contents[0].text.includes("next_tid: the thread that runs now") && contents[0].text,
		!completion.values.includes("sched_switch") && "no completion",
	].filter(Boolean);
});

/* A query that would run for years is ended when nobody waits for it; meanwhile the server answers. */
const FOREVER = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

await check("mcp_cancels", async () => {
	const stop = new AbortController();
	const running = call("sql", { query: FOREVER, trace: "first" }, { signal: stop.signal }).then(() => "it was answered", () => "");
	const bad = [];

	await client.ping();
	stop.abort();
	bad.push(await running);
	if (!same((await call("sql", { query: "select 1 a", trace: "first" })).structuredContent.rows, [{ a: 1 }]))
		bad.push("it does not go on");
	return bad.filter(Boolean);
});

/* The server, and the process that answers. */
await check("mcp_memory", async () => {
	const children = readFileSync(`/proc/${transport.pid}/task/${transport.pid}/children`, "utf8").trim().split(" ");
	const used = [String(transport.pid), ...children].map((pid) => Number(readFileSync(`/proc/${pid}/status`, "utf8")
		.match(/^RssAnon:\s*(\d+)/m)[1])).reduce((a, b) => a + b);

	return used < MEMORY_MAX_KIB ? [] : [`${used} KiB`];
});
await client.close();

await check("mcp_times_out", async () => {
	const other = await begin("--timeout", "100ms", first);
	const ask = (query) => other.client.callTool({ name: "sql", arguments: { query } });
	const late = await ask(FOREVER), next = await ask("select 1 a");

	await other.client.close();
	return late.isError && textOf(late).includes("no answer within") && same(next.structuredContent.rows, [{ a: 1 }]) ? [] :
		[textOf(late)];
});

/* Nothing was written beside the traces. */
await check("mcp_writes_nothing", async () => readdirSync(many).filter((name) => name !== "second" && name !== "second.log"));
