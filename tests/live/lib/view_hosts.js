// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at pages of lkst view that show several hosts, and prints a result line for each check:
 *
 *	view_hosts.js LKST DIRECTORY URL
 *
 * DIRECTORY has the traces in "hosts", and with other names in "dropped", page.html that shows them, and empty.html; URL is served and shows them, too. The first
 * host is web1, whose thread 5 waits for db1's, the last one's name is hostile.
 */
"use strict";

const { spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { Browser } = require("./browser.js");
const { result } = require("./checks.js");

const [lkst, directory, url] = process.argv.slice(2);
const NAMES = fs.readdirSync(path.join(directory, "hosts")).sort((a, b) => (b == "web1") - (a == "web1"));
const TRACES = NAMES.map((name) => path.join("hosts", name));

/* The files below a directory, as the page has those that are dropped on it: [{ name, bytes }], bytes as base64. */
function filesOf(below, prefix)
{
	return fs.readdirSync(below, { withFileTypes: true }).flatMap((entry) => {
		const name = path.join(below, entry.name);

		return entry.isDirectory() ? filesOf(name, `${prefix}${entry.name}/`)
			: [{ name: prefix + entry.name, bytes: fs.readFileSync(name).toString("base64") }];
	});
}

/* What the terminal says of all: { out, err }. */
function terminal(...words)
{
	const { stdout, stderr } = spawnSync(lkst, [...words, ...TRACES], { cwd: directory, encoding: "utf8", maxBuffer: 1 << 30 });

	return { out: stdout, err: stderr.trim() };
}

/* JSON in which all integers are text. */
function jsonOf(text)
{
	return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => /^-?\d+$/.test(token) ? `"${token}"` : token));
}

/* The rows that SQL answers with, whose records know nothing of lanes. */
function sql(query)
{
	const { stdout } = spawnSync(lkst, ["sql", "--format", "json", ...TRACES, query], { cwd: directory, encoding: "utf8" });

	return jsonOf(stdout);
}

function same(what, is, wanted)
{
	const [a, b] = [is, wanted].map((value) => JSON.stringify(value) ?? "undefined");
	let at = 0;

	while (at < a.length && a[at] == b[at])
		at++;
	return a == b ? [] : [`${what}: ${a.slice(Math.max(at - 20, 0), at + 80)}, not ${b.slice(Math.max(at - 20, 0), at + 80)}`];
}

/* Rows: each host's name, and below it its CPUs and threads, which nobody else has. */
async function checkRows(browser)
{
	const rows = await browser.tab.evaluate(`page.list.toggleAll(), page.list.toggleAll(), page.list.rows.map(({ lane, level }) =>
		({ level, isHost: Boolean(lane.isHost), kind: lane.kind, title: lane.title, tid: lane.thread?.tid, number: lane.number }))`);
	const bad = same("hosts", rows.filter(({ level }) => level == 1).map(({ title, isHost }) => isHost && title), NAMES);
	let host = "";
	const lanes = rows.flatMap((row) => {
		host = row.level == 1 ? row.title : host;
		return ["cpu", "thread"].includes(row.kind) ? [`${host}|${row.kind} ${row.kind == "cpu" ? row.number : row.tid}`] : [];
	});
	const wanted = [...sql("select distinct host, cpu from events where tid = 0").map((row) => `${row.host}|cpu ${row.cpu}`),
		...sql("select distinct host, tid from states").map((row) => `${row.host}|thread ${row.tid}`)];

	bad.push(...same("lanes", lanes.sort(), wanted.sort()));
	result("view_hosts_lanes_are_below_their_host", ...bad);

	/* A host's row hides what it has, and the search shows it again. */
	const hidden = await browser.tab.evaluate(`(() => {
		page.list.setCurrent("db1");
		byId("lanes").dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));
		const tree = page.list.rows.map(({ lane }) => lane.host);
		page.list.search("server");
		const found = page.list.rows.map(({ lane }) => lane.name);
		page.list.search("");
		page.list.toggle("db1");
		return { nr: tree.filter((one) => one == 1).length, others: tree.filter((one) => one != 1).length, found,
			after: page.list.rows.filter(({ lane }) => lane.host == 1).length };
	})()`);

	result("view_hosts_are_collapsed", ...same("rows", [hidden.nr, hidden.others > 4, hidden.found, hidden.after > 4],
		[1, true, ["db1", "db1: server 5"], true]));
}

/* All states of all threads are where the terminal has them, on one time line. */
async function checkStates(browser, begin)
{
	const shown = await browser.tab.evaluate(`page.trace.info.lanes.flatMap((lane, index) => lane.kind != "thread" ? [] :
		page.trace.slices(index, 0, page.trace.length + 1, 1000).filter(({ state }) => state != "unknown").map(({ from, to, state, cpu }) =>
			[page.trace.hosts[lane.host].name, page.trace.threadOf(lane).tid, from, to, ["disk", "lock"].includes(state) ? "blocked" : state].join("|")))`);
	const wanted = sql("select * from states where state <> 'unknown'").map((row) => [row.host, row.tid, BigInt(row.from_ns) - begin,
		BigInt(row.to_ns) - begin, row.state].join("|"));

	result("view_hosts_states_are_on_one_time_line", ...same("states", shown.sort(), wanted.sort()), ...(wanted.length > 8 ? [] : ["there are few"]));

	/* All events, by the module's own reading of them. */
	const events = await browser.tab.evaluate(`(() => {
		page.view.show(0, page.view.length);
		page.drawing.ticks.of = "";
		page.drawing.ticks.look(0, page.trace.length + 1, 4000);
		return [...page.drawing.ticks.byCpu.values()].flat().map(({ host, at, cpu, tid, id }) =>
			[page.trace.hosts[host].name, at, cpu, tid, page.lkst.eventNames(host)[id]].join("|"));
	})()`);
	const records = sql("select host, time_ns, cpu, tid, event from events where event not like 'state_%'").map((row) =>
		[row.host, BigInt(row.time_ns) - begin, row.cpu, row.tid, row.event].join("|"));

	result("view_hosts_events_are_on_one_time_line", ...same("events", events.sort(), records.sort()));
}

function stepsOf(steps)
{
	return steps.flatMap((step) => [step, ...stepsOf(step.steps)]);
}

/* Why of what the client waited for goes on to the other host's thread, and is what the terminal says. */
async function checkWhy(browser, begin)
{
	const asked = await browser.tab.evaluate(`(() => {
		const index = page.trace.laneOfThread(5, 0, 0);
		const wait = page.trace.slices(index, 0, page.trace.length, 100).find(({ state, from, to }) => state == "blocked" && to - from > 5e6);
		page.list.reveal(index);
		select(index, wait.from - 40000, wait.to + 90000);
		byId("why").click();
		return { words: ["--from", afterBegin(page.selection.from), "--to", afterBegin(page.selection.to)],
			shown: [...document.querySelectorAll("#account li > .time")].filter((link) => link.querySelector(".sentence"))
				.map((link) => ({ ...link.dataset, text: link.querySelector(".sentence").textContent })),
			chain: page.drawing.chain };
	})()`);
	const { steps } = jsonOf(terminal("why", "--host", "web1", "--tid", "5", ...asked.words, "--format", "json").out);
	const all = stepsOf(steps);
	const bad = same("steps", asked.shown, all.map((step) => ({ from: String(BigInt(step.from_ns) - begin), to: String(BigInt(step.to_ns) - begin),
		tid: step.thread.tid, host: String(NAMES.indexOf(step.host)), text: step.text })));

	if (!all.some((step) => step.host == "db1" && /pread64/.test(step.text)))
		bad.push("the terminal does not go on to db1");
	result("view_hosts_explain_as_the_terminal_does", ...bad);

	/* An arrow comes from the host that sent the packet, and a step of its leads to its lane. */
	const [first] = asked.chain;
	const led = await browser.tab.evaluate(`(() => {
		const link = [...document.querySelectorAll("#account li > .time")].find((one) => /pread64/.test(one.textContent));
		link.click();
		page.drawing.drawNow();
		return { name: page.selection.name, from: String(page.selection.from), to: String(page.selection.to), wanted: { ...link.dataset },
			arrows: document.querySelectorAll(".arrows path.chain").length };
	})()`);

	result("view_hosts_lead_to_the_peer", ...same("arrow", [first.host, first.tid, first.by_host, first.by_tid], [0, 5, 1, 5]),
		...same("selection", [led.name, led.from, led.to], ["db1: server 5", led.wanted.from, led.wanted.to]),
		...(led.arrows > 2 ? [] : [`${led.arrows} arrows`]));
	await browser.tab.evaluate("closeWhy(), unselect()");
}

/* The tables of a panel, with all their rows. */
const TABLES = `((root) => {
	for (const button of root.querySelectorAll(".figures > button"))
		button.click();
	return [...root.querySelectorAll("table")].map((table) => ({ title: table.caption.textContent,
		rows: [...table.tBodies[0].rows].filter((row) => row.cells[0].dataset.value !== undefined)
			.map((row) => [...row.cells].map((cell) => cell.dataset.value)) }));
})`;

function wantedTables(json)
{
	return Object.values(json).map((table) => ({ title: table.title, rows: table.rows.map((row) =>
		table.columns.filter((column) => column.title !== null).map((column) => String(row[column.name] ?? ""))) }));
}

function byTitle(tables)
{
	return tables.sort((a, b) => a.title < b.title ? -1 : 1);
}

async function checkTables(browser)
{
	const findings = await browser.tab.evaluate(`panels.show("findings"), ${TABLES}(byId("panel-findings"))`);
	const analyzed = await browser.tab.evaluate(`panels.show("analyses"), showAnalysis("syscall"), ${TABLES}(byId("analysis"))`);

	result("view_hosts_report_as_the_terminal_does",
		...same("report", byTitle(findings), byTitle(wantedTables(jsonOf(terminal("report", "--format", "json").out)))),
		...same("analyze", byTitle(analyzed), byTitle(wantedTables(jsonOf(terminal("analyze", "syscall", "--format", "json").out)))));

	/* What is typed is answered as there; that clocks were brought together is no failure. */
	const typed = await browser.tab.evaluate(`panels.show("commands"), [page.answers.ask("report --format csv").out, byId("failure").textContent]`);

	result("view_hosts_answer_what_is_typed", ...same("answer", typed, [terminal("report", "--format", "csv").out, ""]));
	await browser.tab.evaluate("panels.show('analyses')");

	/* The longest call is on the lane of its host. */
	const led = await browser.tab.evaluate(`(() => {
		const table = [...document.querySelectorAll("#analysis table")].find((one) => /the greatest$/.test(one.caption.textContent));
		const row = [...table.tBodies[0].rows].find((one) => one.cells[0].dataset.value == "db1");
		row.querySelector("a.time").click();
		const name = page.selection?.name;
		unselect();
		return name;
	})()`);

	result("view_hosts_values_lead_to_their_host", ...same("lane", led, "db1: server 5"));
}

/* The events of all hosts are those of print, in its order; those of a lane are its host's alone. */
async function checkEvents(browser)
{
	const JSON_TEXT = ["--no-gaps", "--format", "json", "--text"];
	const rowsOf = (out) => out.split("\n").filter(Boolean).map(jsonOf).map(({ ns, text }) => `${ns} ${text}`);
	const shown = async (words) => browser.tab.evaluate(`${words}, [...document.querySelectorAll("#events-rows tr[data-text]")]
		.map(({ dataset }) => dataset.ns + " " + dataset.text)`);
	const printed = (...words) => rowsOf(terminal("print", ...JSON_TEXT, ...words).out);
	const all = printed();
	const bad = same("all", await shown("unselect(), page.view.show(0, page.view.length), panels.show('events'), findEvents('')"), all.slice(0, 100));
	const [from, to] = await browser.tab.evaluate("page.view.show(page.view.length / 3, page.view.length), [afterBegin(page.view.from), afterBegin(page.view.to)]");

	bad.push(...same("stretch", await shown("showEvents()"), printed("--from", from, "--to", to)));
	await browser.tab.evaluate("page.view.show(0, page.view.length), select(page.trace.laneOfThread(5, 0, 1), 0, page.view.length)");

	const alone = rowsOf(spawnSync(lkst, ["print", ...JSON_TEXT, "--tid", "5", "hosts/db1"], { cwd: directory, encoding: "utf8" }).stdout);

	bad.push(...same("server", await shown("showEvents()"), alone));
	await browser.tab.evaluate("document.querySelectorAll('#events-rows tr[data-text]')[2].click()");

	/* By itself the host has the time that its clock said; here it has that of all. */
	const line = terminal("print", "--no-gaps").out.split("\n")[all.indexOf(alone[2])];
	const clicked = await browser.tab.evaluate(`({ name: page.selection.name, day: (page.timeForm = "day", timeText(page.selection.from)) })`);

	bad.push(...same("clicked", [clicked.name, clicked.day], ["db1: server 5", line.trim().split(" ")[0]]));
	await browser.tab.evaluate("setTimeForm('rel'), unselect(), showEvents()");
	result("view_hosts_events_are_those_of_print", ...bad);
}

/* What each host lost, what is found on which, and what a stretch of one is compared with. */
async function checkEach(browser)
{
	const ledger = await browser.tab.evaluate("panels.show('ledger'), [...document.querySelectorAll('#panel-ledger h3, #panel-ledger .verdict p:first-child')].map((one) => one.textContent)");
	const checks = NAMES.map((name) => jsonOf(spawnSync(lkst, ["check", "--json", `hosts/${name}`], { cwd: directory, encoding: "utf8" }).stdout));
	const bad = same("ledger", ledger.filter((text, i) => i % 2).map((text) => text.split(" ")[0]), checks.map(({ records }) => records));
	const found = await browser.tab.evaluate("panels.show('find'), byId('find').value = 'sched_switch', showFound(), [...document.querySelectorAll('#found a')].map((one) => one.textContent)");

	bad.push(...same("found", found.map((text) => text.replace(/^.*: event/, "event")), checks.map(({ counts }) => `event sched_switch: ${counts.sched_switch}`)));
	await browser.tab.evaluate("page.view.show(0, page.view.length), document.querySelectorAll('#found li')[1].querySelectorAll('button')[1].click()");

	const [next] = sql("select time_ns from events where host = 'db1' and event = 'sched_switch' order by time_ns limit 1");

	bad.push(...same("next", await browser.tab.evaluate("byId('found-about').textContent"),
		`db1: event sched_switch: ${checks[1].counts.sched_switch}, at ${await browser.tab.evaluate(`timeText(Number(BigInt("${next.time_ns}") - BigInt(page.trace.info.begin_ns)))`)}`));
	result("view_hosts_each_has_its_ledger_and_what_is_found", ...bad);
	await browser.tab.evaluate(`select(page.trace.laneOfThread(5, 0, 0), 0, page.view.length), markSelection(),
		select(page.trace.laneOfThread(5, 0, 1), 0, page.view.length)`);
	await browser.until("Boolean(page.comparison)");

	const compared = await browser.tab.evaluate("page.comparison.map(({ states, calls }) => [states.find(({ name }) => name == 'running').ns, calls.map(({ name }) => name).sort()])");
	const ran = (host) => Number(sql(`select sum(duration_ns) ns from states where host = '${host}' and tid = 5 and state = 'running'`)[0].ns);
	const calls = (host) => [...new Set(sql(`select distinct substr(event, 14) as call from events where host = '${host}' and event like 'syscall_exit_%'`).map((row) => row.call))].sort();

	result("view_hosts_stretches_of_two_are_compared", ...same("stretches", compared, [[ran("web1"), calls("web1")], [ran("db1"), calls("db1")]]));
	await browser.tab.evaluate("markSelection(), page.mark = null, page.tell('mark'), unselect()");
}

/* Clocks are told as at the terminal, where a name is escaped in another way. */
async function checkClocks(browser)
{
	const shown = await browser.tab.evaluate("byId('clocks').hidden ? [] : [...document.querySelectorAll('#clocks li')].map((one) => one.textContent)");
	const told = terminal("report").err.split("\n").map((line) => line.replace(/^lkst: /, ""));

	result("view_hosts_say_what_of_clocks", ...same("clocks", shown.slice(0, 2), told.slice(0, 2)), ...same("last", shown[2]?.split(": ").pop(), told[2].split(": ").pop()),
		...(shown[1]?.includes("right to 150 us") ? [] : ["no bound"]), ...same("forms", await browser.tab.evaluate("timeForms()"), ["rel", "day"]));
}

/* A name is text, wherever it is. */
async function checkHostile(browser)
{
	const seen = await browser.tab.evaluate(`(() => {
		page.list.setCurrent(page.trace.hosts[2].name);
		page.list.step(0);
		page.drawing.drawNow();
		page.list.inView();
		select(page.trace.laneOfThread(5, page.view.length / 4, 2), 0, page.view.length);
		byId("why").click();
		panels.show("findings");
		const said = byId("account").textContent;
		closeWhy();
		unselect();
		return { images: document.querySelectorAll("img[src=x]").length, text: document.body.innerText, said,
			labels: [...document.querySelectorAll("#lanes .lane > span")].map((one) => one.textContent + one.title).join() };
	})()`);

	result("view_hosts_hostile_names_are_text", ...(seen.images ? ["it became an element"] : []),
		...[...seen.text, ...seen.labels, ...seen.said].some((one) => one == "\x1b" || one == "\u202e") ? ["it has what controls a terminal"] : [],
		...(seen.labels.includes("<img src=x onerror=fail(1)>\\u{1b}[31m\\u{202e}") ? [] : [seen.labels]),
		...(seen.said.includes("<b>late") ? [] : [seen.said]));
}

async function main()
{
	const browser = await Browser.start();

	try {
		const state = await browser.open(path.join(directory, "page.html"));
		const INFO = "JSON.stringify(page.trace?.info ?? '')";
		const info = await browser.tab.evaluate(INFO);
		const begin = BigInt(await browser.tab.evaluate("page.trace.info.begin_ns"));

		result("view_hosts_open", ...(state == "ready" ? [] : [state]));
		await checkClocks(browser);
		await checkRows(browser);
		await checkStates(browser, begin);
		await checkWhy(browser, begin);
		await checkTables(browser);
		await checkEvents(browser);
		await checkEach(browser);
		await checkHostile(browser);

		const first = browser.complaints.slice();

		await browser.go(url);

		const served = await browser.tab.evaluate(INFO);

		browser.requests.length = 0;
		await browser.open(path.join(directory, "empty.html"));
		await browser.tab.evaluate(`openFiles(Promise.resolve(${JSON.stringify(filesOf(path.join(directory, "dropped"), "dropped/"))}.map(({ name, bytes }) =>
			({ name, bytes: Uint8Array.from(atob(bytes), (character) => character.charCodeAt(0)) }))))`);
		await browser.until("Boolean(page.trace)");

		/* By the names of their directories, the first is another one. */
		const dropped = await browser.tab.evaluate("page.trace.hosts.map(({ name }) => name)");

		result("view_hosts_are_the_same_served", ...same("info", served, info));
		result("view_hosts_open_from_files", ...same("hosts", dropped.sort(), NAMES.slice().sort()));
		result("view_hosts_complain_of_nothing", ...first, ...browser.complaints.slice(first.length), ...browser.requests);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL view_hosts: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
