// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares what the lanes of a page of lkst view show with what the terminal prints, and prints a result line for each check:
 *
 *	view_lanes.js LKST PAGE TRACE DAMAGED-PAGE DAMAGED
 *
 * DAMAGED lacks blocks in the middle and at the end of a stream.
 */
"use strict";

const { spawnSync } = require("child_process");
const { Browser } = require("./browser.js");
const { result } = require("./checks.js");

const [lkst, shown, trace, damagedPage, damaged] = process.argv.slice(2);

/* Numbers that are the same each time. */
let seed = 12345;

function random()
{
	seed = (seed * 1103515245 + 12345) % 2 ** 31;
	return seed / 2 ** 31;
}

function terminal(words, of = trace)
{
	return spawnSync(lkst, [...words, of], { encoding: "utf8", maxBuffer: 1 << 30 }).stdout;
}

/* ---- what is not known ---- */

/* The pixels of a CPU's lane from one time to another: how many of each colour, as "r,g,b". */
function coloursOf(cpu, from, to)
{
	return `(() => {
		const row = page.list.rows.find(({ lane }) => lane.kind == "cpu" && lane.number == ${cpu});
		const { width, height } = row.canvas;
		const first = Math.max(Math.floor(page.view.placeOf(${from}) * width), 0);
		const last = Math.min(Math.max(Math.ceil(page.view.placeOf(${to}) * width), first + 1), width);
		const { data } = row.canvas.getContext("2d").getImageData(first, 0, last - first, height);
		const colours = {};
		for (let i = 0; i < data.length; i += 4) {
			const colour = [...data.slice(i, i + 3)].join(",");
			colours[colour] = (colours[colour] ?? 0) + 1;
		}
		return colours;
	})()`;
}

const HATCHES = { light: ["77,77,77", "255,255,255"], dark: ["180,180,180", "22,24,26"] };

/* Whether these are the colours of hatching in @scheme, in their shares; @part: of some of the pixels at least. */
function isHatched(colours, scheme, part)
{
	const [line, back] = HATCHES[scheme].map((colour) => colours[colour] ?? 0);
	const all = Object.values(colours).reduce((sum, nr) => sum + nr, 0);

	return line + back >= all * part && line >= back / 5 && line < back;
}

async function checkGaps(browser)
{
	const { tab } = browser;

	await browser.open(damagedPage);

	const begin = Number(BigInt(await tab.evaluate("page.trace.info.begin_ns"))) / 1e9;
	const pattern = /^gap: CPU (\d+), buffer (\d+), ([\d.]+) to ([\d.]+) s: (.*) \((\d+) blocks, (\d+) events known\)$/gm;
	const gaps = [...terminal(["check"], damaged).matchAll(pattern)].map(([, cpu, buffer, from, to, why, blocks]) =>
		({ cpu: Number(cpu), buffer: Number(buffer), from: (from - begin) * 1e9, to: (to - begin) * 1e9, why, blocks: Number(blocks) }));
	const drawn = await tab.evaluate("page.trace.info.gaps");
	const missing = gaps.filter((gap) => !drawn.some((one) => one.cpu == gap.cpu && one.buffer == gap.buffer && one.why == gap.why &&
		one.blocks == gap.blocks && Math.abs(one.from_ns - gap.from) < 2000 && Math.abs(one.to_ns - gap.to) < 2000));

	result("lanes_have_the_gaps_of_check", ...(gaps.length < 2 ? ["check reports fewer than two"] : []),
		...missing.map((gap) => JSON.stringify(gap)));

	const bad = [];

	for (const scheme of ["light", "dark"]) {
		await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
		await tab.evaluate("page.drawing.drawAll()");
		for (const gap of drawn.filter(({ buffer }) => buffer == 0))
			bad.push(...await checkGap(browser, gap, scheme));
	}
	await tab.emulateMediaFeatures();
	result("lanes_hatch_gaps_at_any_scale_in_dark_and_light", ...bad);
}

async function checkGap({ tab }, gap, scheme)
{
	const length = gap.to_ns - gap.from_ns;
	const middle = gap.from_ns + length / 2;
	const bad = [];

	for (const [scale, from, to, part] of [["whole", 0, 1e18, 0.2], ["around", gap.from_ns - length, gap.to_ns + length, 0.95],
		["within", middle - length / 10, middle + length / 10, 0.95]]) {
		await tab.evaluate(`page.view.show(${from}, ${to}), page.drawing.drawNow()`);

		const colours = await tab.evaluate(coloursOf(gap.cpu, Math.max(gap.from_ns, from), Math.min(gap.to_ns, to)));

		if (!isHatched(colours, scheme, part))
			bad.push(`${scheme}, ${scale}: ${JSON.stringify(gap)} has ${JSON.stringify(colours).slice(0, 200)}`);
	}

	const text = await tab.evaluate(`page.trace.describe(page.trace.info.lanes.findIndex(({ kind, number }) =>
		kind == "cpu" && number == ${gap.cpu}), ${middle})`);

	if (!text.startsWith("not known, ") || !text.includes(gap.why))
		bad.push(text);
	return bad;
}

/* Where nothing is missing nothing is hatched, and a CPU that is idle all the time is not unknown. */
async function checkIdle(browser)
{
	const { tab } = browser;

	await browser.open(shown);

	const idle = await tab.evaluate(`page.trace.info.lanes.flatMap((lane, index) => lane.kind != "cpu" ? [] :
		page.trace.slices(index, 0, page.trace.length, 100000).filter((slice) => slice.state == "idle")
			.sort((a, b) => b.to - b.from - a.to + a.from).slice(0, 2).map(({ from, to }) => ({ cpu: lane.number, from, to })))`);
	const bad = [];

	if (!idle.length) {
		console.log("skip lanes_do_not_hatch_idle_time: the machine was never idle");
		return;
	}
	for (const { cpu, from, to } of idle) {
		await tab.evaluate(`page.view.show(${from + (to - from) / 4}, ${to - (to - from) / 4}), page.drawing.drawNow()`);

		const colours = Object.keys(await tab.evaluate(coloursOf(cpu, from, to)));

		if (colours.some((colour) => HATCHES.light.includes(colour)))
			bad.push(`CPU ${cpu} from ${from}: ${colours}`);
	}
	result("lanes_do_not_hatch_idle_time", ...bad);
}

/* ---- what is counted ---- */

function records(events)
{
	return terminal(["print", "--no-gaps", "--format", "json", ...events.flatMap((event) => ["--event", event])])
		.split("\n").filter(Boolean).map((line) => {
			const record = JSON.parse(line);

			/* Addresses and times are greater than numbers are exact. */
			return { ...record, ns: BigInt(/"ns":(\d+)/.exec(line)[1]), rq: /"rq":(\d+)/.exec(line)?.[1] };
		});
}

/* How many requests each disk has, by what the records say: [time, disk, requests]. */
function requestsByRecords()
{
	const there = new Map(); /* by address: the disk, and bytes that are not done */
	const nr = {};
	const steps = [];

	for (const { ns, event, rq, fields } of records(["block_rq_*"])) {
		const old = there.get(rq);

		if (event == "block_rq_error" || event == "block_rq_requeue")
			continue;
		if (event == "block_rq_complete" && old && old.bytes > fields.bytes) {
			old.bytes -= fields.bytes;
			continue;
		}
		if (old)
			nr[old.dev]--;
		there.delete(rq);
		if (event == "block_rq_insert" || event == "block_rq_issue") {
			there.set(rq, { dev: fields.dev, bytes: fields.bytes });
			nr[fields.dev] = (nr[fields.dev] ?? 0) + 1;
		}
		for (const dev of new Set([old?.dev, fields.dev]))
			if (dev !== undefined)
				steps.push([ns, dev, nr[dev] ?? 0]);
	}
	return steps;
}

async function countLanes(tab)
{
	return tab.evaluate(`page.trace.info.lanes.map((lane, index) => ({ ...lane, index })).filter(({ kind }) => kind == "count")`);
}

/* The numbers at random times; half of them where something changes. */
async function checkRequests({ tab }, lanes)
{
	const steps = requestsByRecords();
	const disks = new Map(terminal(["print", "--format", "json", "--event", "state_disk"]).split("\n").filter(Boolean)
		.map((line) => JSON.parse(line).fields).filter(Boolean).map(({ dev, name }) => [dev, name]));
	const begin = BigInt(await tab.evaluate("page.trace.info.begin_ns"));
	const length = await tab.evaluate("page.trace.length");
	const bad = [];

	for (const dev of new Set(steps.map(([, of]) => of))) {
		const lane = lanes.find(({ name }) => name == `${disks.get(dev)} requests`);
		const own = steps.filter(([, of]) => of == dev);
		const times = Array.from({ length: 200 }, (_, i) => i % 2 ? Math.floor(random() * length)
			: Number(own[Math.floor(random() * own.length)][0] - begin));
		const drawn = lane && await tab.evaluate(`${JSON.stringify(times)}.map((at) =>
			[...page.trace.columns(${lane.index}, at, at + 1, 1)])`);

		if (!lane)
			bad.push(`disk ${dev} has no lane`);
		times.forEach((at, i) => {
			const want = own.filter(([ns]) => Number(ns - begin) <= at).pop()?.[2] ?? 0;

			if (lane && (drawn[i][0] != want || drawn[i][1] != want))
				bad.push(`at ${at} disk ${dev} has ${want}, drawn are ${drawn[i]}`);
		});
	}
	if (!steps.length)
		console.log("skip lanes_of_disks_have_the_requests_of_the_records: no disk had a request");
	else
		result("lanes_of_disks_have_the_requests_of_the_records", ...bad);
}

/* All bytes that a lane shows are all bytes of the records. */
async function checkBytes({ tab }, lanes)
{
	const sums = {};
	const bad = [];

	for (const { event, fields } of records(["net_dev_queue", "netif_receive_skb"])) {
		const key = `${fields.ifindex} ${event == "net_dev_queue" ? "send" : "receive"}`;

		sums[key] = (sums[key] ?? 0) + fields.bytes;
	}

	const names = new Map(terminal(["print", "--format", "json", "--event", "state_netdev"]).split("\n").filter(Boolean)
		.map((line) => JSON.parse(line).fields).filter(Boolean).map(({ ifindex, name }) => [ifindex, name]));

	for (const [key, bytes] of Object.entries(sums)) {
		const [ifindex, direction] = key.split(" ");
		const lane = lanes.find(({ name }) => name == `${names.get(Number(ifindex))} ${direction}`);
		const drawn = lane && await tab.evaluate(`(() => {
			const columns = page.trace.columns(${lane.index}, 0, page.trace.length + 1, 333);
			let sum = 0;
			for (let x = 0; x < 333; x++)
				sum += columns[4 * x + 2] * (page.trace.length + 1) / 333 / 1e9;
			return sum;
		})()`);

		if (!lane || Math.abs(drawn - bytes) > 1)
			bad.push(`${key}: ${bytes} bytes, drawn are ${drawn}`);
	}
	result("lanes_of_interfaces_have_the_bytes_of_the_records", ...(Object.keys(sums).length ? [] : ["no packet"]), ...bad);
}

/* Between two times as many pages were allocated, less those freed, as the records say. */
async function checkPages({ tab }, lanes)
{
	const begin = BigInt(await tab.evaluate("page.trace.info.begin_ns"));
	const lane = lanes.find(({ name }) => name == "allocated pages");
	const steps = records(["mm_page_alloc", "mm_page_free"]).map(({ ns, event, fields }) =>
		({ at: Number(ns - begin), by: 2 ** fields.order * (event == "mm_page_alloc" ? 1 : -1) }));
	const bad = [];

	for (let i = 0; lane && i < 20; i++) {
		const [from, to] = some(steps, 2).map(({ at }) => at).sort((a, b) => a - b);
		const want = steps.reduce((sum, { at, by }) => sum + (at > from && at <= to ? by : 0), 0);
		const [first, last] = await tab.evaluate(`[${from}, ${to}].map((at) => page.trace.columns(${lane.index}, at, at + 1, 1)[2])`);

		if (last - first != want)
			bad.push(`from ${from} to ${to} ${want} pages, drawn are ${first} and ${last}`);
	}
	if (!steps.length)
		console.log("skip lane_of_pages_has_those_of_the_records: no page was allocated");
	else
		result("lane_of_pages_has_those_of_the_records", ...(lane ? [] : ["no lane"]), ...bad);
}

/* Threads were ready as long in all as each of them was. */
async function checkReady({ tab }, lanes)
{
	const { thread } = JSON.parse(terminal(["analyze", "thread", "--format", "json"]));
	const want = thread.rows.reduce((sum, row) => sum + row.ready_ns, 0);
	const lane = lanes.find(({ name }) => name == "ready threads");
	const drawn = await tab.evaluate(`page.trace.columns(${lane.index}, 0, page.trace.length, 1)[2] * page.trace.length`);

	result("lane_of_ready_threads_has_their_time", ...(want > 0 && Math.abs(drawn / want - 1) < 0.001 ? []
		: [`${want} ns, drawn are ${drawn}`]));
}

async function checkCounts(browser)
{
	const { tab } = browser;

	await browser.open(shown);

	const lanes = await countLanes(tab);

	await checkRequests(browser, lanes);
	await checkBytes(browser, lanes);
	await checkReady(browser, lanes);
	await checkPages(browser, lanes);

	/* The picture of a lane, and what is said of it. */
	const { index } = lanes.find(({ name }) => name == "ready threads");
	const [filled, text] = await tab.evaluate(`(() => {
		page.list.reveal(${index});
		page.drawing.drawNow();
		const { canvas } = page.list.rows.find(({ lane }) => lane.index == ${index});
		const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
		return [data.filter((byte, i) => i % 4 == 3 && byte).length, page.trace.describe(${index}, page.trace.length / 2,
			page.trace.length / 2)];
	})()`);

	result("lanes_of_counts_are_drawn", ...(filled > 50 ? [] : [`${filled} pixels`]),
		...(/^[\d.]+ threads? on average, 0 to \d+$/.test(text) ? [] : [text]));
}

/* ---- what is within lanes, and between them ---- */

function some(list, nr)
{
	return Array.from({ length: Math.min(nr, list.length) }, () => list[Math.floor(random() * list.length)]);
}

/* Calls by their records: where an exit follows an entry of the same thread and call. */
function callsByRecords()
{
	const open = new Map();
	const calls = [];

	for (const { ns, tid, event } of records(["syscall_*"])) {
		const [, half, name] = /^syscall_(entry|exit)_(.*)$/.exec(event) ?? [];
		const entry = open.get(tid);

		open.delete(tid);
		if (half == "entry")
			open.set(tid, { tid, name, from: ns });
		else if (half == "exit" && entry?.name == name)
			calls.push({ ...entry, to: ns });
	}
	return calls;
}

async function checkCalls({ tab }, begin)
{
	const calls = some(callsByRecords().filter(({ from, to }) => to > from && from >= begin), 200)
		.map(({ tid, name, from, to }) => ({ tid, name, from: Number(from - begin), to: Number(to - begin) }));
	const drawn = await tab.evaluate(`${JSON.stringify(calls)}.map(({ tid, from }) => {
		const index = page.trace.laneOfThread(tid, from);
		return index < 0 ? null : [page.trace.partSlices(index, PART.calls, from, from + 1, 1)[0], page.trace.describe(index, from)];
	})`);
	const bad = calls.filter(({ name, from, to }, i) => !drawn[i] || drawn[i][0]?.name != name || drawn[i][0].from != from ||
		drawn[i][0].to != to || !drawn[i][1].includes(`in ${name}, `));

	result("lanes_have_the_calls_of_the_records", ...(calls.length > 50 ? [] : ["hardly any call"]),
		...bad.map((call) => JSON.stringify(call)));
}

/* Every wake-up that is drawn is a record, and most records are drawn: not those of threads that did not sleep. */
async function checkWakings({ tab }, begin)
{
	const waking = new Map(records(["sched_waking", "sched_wakeup_new"]).map(({ ns, tid, cpu, fields }) =>
		[`${ns - begin} ${fields.target_tid}`, { tid, cpu }]));
	const drawn = await tab.evaluate(`page.trace.info.lanes.flatMap((lane, index) => lane.kind != "thread" ? [] :
		page.trace.wakings(index, 0, page.trace.length, 100000).map(({ at, thread, name, cpu }) =>
			({ at, target: page.trace.threadOf(lane).tid, by: thread?.tid, name, cpu })))`);
	const bad = drawn.filter(({ at, target, by, cpu }) => {
		const record = waking.get(`${at} ${target}`);

		return !record || record.cpu != cpu || (by !== undefined && by != record.tid);
	});

	result("lanes_have_the_wakers_of_the_records", ...(drawn.length > waking.size / 2 ? [] : [`${drawn.length} of ${waking.size}`]),
		...bad.map((one) => JSON.stringify(one)));
	return drawn;
}

async function checkInterrupts({ tab }, begin)
{
	const drawn = await tab.evaluate(`page.trace.info.lanes.flatMap((lane, index) => lane.kind != "cpu" ? [] :
		page.trace.partSlices(index, PART.irqs, 0, page.trace.length, 100000).map(({ from, name }) => \`\${lane.number} \${from} \${name}\`))`);
	const found = new Set(drawn.map((text) => text.replace(/ irq:(\d+):.*/, " irq:$1")));
	const entries = records(["irq_handler_entry"]).filter(({ ns }) => ns >= begin);
	const nr = entries.filter(({ ns, cpu, fields }) => found.has(`${cpu} ${Number(ns - begin)} irq:${fields.irq}`)).length;

	/* Some are within others, or were not seen to end. */
	result("lanes_have_the_interrupts_of_the_records", ...(nr >= entries.length * 0.9 ? [] : [`${nr} of ${entries.length}`]));
}

/* The names that are written on canvases while something is drawn. */
const TEXTS = `(async (draw) => {
	const texts = [];
	const { fillText } = CanvasRenderingContext2D.prototype;
	CanvasRenderingContext2D.prototype.fillText = function (text, ...place) { texts.push(text); fillText.call(this, text, ...place); };
	await draw();
	page.drawing.drawNow();
	CanvasRenderingContext2D.prototype.fillText = fillText;
	return texts;
})`;

/* Close enough, names are written, and an arrow comes from who woke the thread. */
async function checkArrows({ tab }, wakings)
{
	const bad = [];
	let found;

	/* Between two of a process whose lanes are one there is none, nor to a thread that was not there before. */
	for (const one of wakings.filter(({ at, target, by }) => by !== undefined && by != target && at > 1000).slice(0, 50)) {
		found = await tab.evaluate(`goTo(${one.at - 1000}, ${one.at + 50000}, ${one.target}), page.drawing.drawNow(),
			document.querySelector(".arrows .waking") && [document.querySelector(".arrows .waking").getAttribute("d"),
				page.view.placeOf(${one.at}) * document.querySelector(".arrows").clientWidth,
				document.getElementById("selection").textContent]`);
		if (found) {
			found.push(one);
			break;
		}
	}
	if (!found) {
		result("lanes_have_arrows_from_wakers", "no wake-up has one");
		return;
	}

	const [path, x, text, { at, target, by }] = found;

	if (Math.abs(Number(path.split(" ")[1]) - x) > 1)
		bad.push(`the arrow is ${path}, not at ${x}`);
	if (!text.includes(`by `))
		bad.push(text);
	result("lanes_have_arrows_from_wakers", ...bad);

	const chain = [{ tid: by, from_ns: at - 500, to_ns: at, by_tid: null }, { tid: target, from_ns: at - 1000, to_ns: at, by_tid: by }];

	await tab.evaluate(`page.drawing.chain = ${JSON.stringify(chain)}, page.drawing.drawNow()`);
	result("lanes_have_a_chain_of_waits", ...(await tab.evaluate(`document.querySelectorAll(".arrows .chain").length`) == 3 ? []
		: ["it is not drawn"]));
	await tab.evaluate("page.drawing.chain = [], unselect()");
}

/* A call, an interrupt and a thread on a CPU have their names. Not one as long as the trace: that is not close. */
async function checkLabels({ tab })
{
	const bad = [];

	for (const [kind, part] of [["cpu", "states"], ["cpu", "irqs"], ["thread", "calls"]]) {
		const { index, slice } = await tab.evaluate(`page.trace.info.lanes.map((lane, index) => ({ lane, index,
			slice: lane.kind == "${kind}" && page.trace.partSlices(index, PART.${part}, page.trace.length / 4, page.trace.length, 1000)
				.find((one) => one.to - one.from < page.trace.length / 20 && (one.name || (one.thread && one.state == "running"))) }))
			.find(({ slice }) => slice)`);
		const want = slice.name ?? `${slice.thread.comm} ${slice.thread.tid}`;

		const span = (slice.to - slice.from) * 0.2;
		const texts = await tab.evaluate(`${TEXTS}(() => { page.list.reveal(${index});
			page.view.show(${slice.from - span}, ${slice.to + span}); })`);

		if (!texts.includes(want))
			bad.push(`${part}: ${want} is not among ${texts}`);
	}
	result("lanes_have_labels_when_they_are_close", ...bad);
}

/* Each mark is a record, and says what lkst print says; Tab comes to it. */
async function checkMarks({ tab })
{
	const events = ["incident", "trigger_fired", "maskset_switch", "shed_begin", "shed_end"];
	const begin = BigInt(await tab.evaluate("page.trace.info.begin_ns"));
	const want = records(events).map(({ ns, event }) => `${ns - begin} ${event}`);
	const marks = await tab.evaluate("page.trace.info.marks");
	const drawn = marks.filter(({ event }) => events.includes(event)).map(({ at_ns: at, event }) => `${at} ${event}`);
	const lines = terminal(["print", "--time", "rel", "--no-gaps", ...events.flatMap((event) => ["--event", event])])
		.split("\n").filter(Boolean).map((line) => line.trim().replace(/ +/g, " "));
	const bad = [];

	if (want.sort().join() != drawn.sort().join())
		bad.push(`${drawn} instead of ${want}`);
	if (marks.filter(({ event }) => event == "state_end").length != 1)
		bad.push("the end has no mark");

	await tab.emulateFocusedPage(true);

	const said = await tab.evaluate(`(() => {
		page.view.show(0, page.trace.length);
		page.drawing.drawNow();
		return [...document.querySelectorAll("#marks button")].map((button) => {
			button.focus();
			return [button.tabIndex, document.getElementById("selection").textContent, button.title];
		});
	})()`);

	if (said.length != marks.length || said.some(([tab, text, title]) => tab < 0 || text != title))
		bad.push(`${said.length} buttons: ${JSON.stringify(said)}`);
	for (const line of lines)
		if (!said.some(([, text]) => text.includes(line)))
			bad.push(`nobody says "${line}"`);
	result("lanes_have_marks_with_their_words", ...(want.length ? [] : ["no record"]), ...bad);
}

function mostFrequent(numbers)
{
	const counts = new Map();

	for (const number of numbers)
		counts.set(number, (counts.get(number) ?? 0) + 1);
	return [...counts].reduce((most, one) => one[1] > most[1] ? one : most)[0];
}

/* Close enough, all records are ticks on their lanes, which say what lkst print says; farther, there are none. */
async function checkTicks({ tab })
{
	const [length, begin] = await tab.evaluate("[page.trace.length, page.trace.info.begin_ns]");
	/* So much that there are some events in it, however little the machine did then, and of all CPUs not too many. */
	const records = terminal(["print", "--no-gaps", "--format", "json", "--first", "400",
		"--from", `+${(Math.floor(length / 3) / 1e9).toFixed(9)}s`]).split("\n").filter(Boolean);
	const near = records.map((line) => Number(BigInt(/"ns":(\d+)/.exec(line)[1]) - BigInt(begin)));
	const number = mostFrequent(records.map((line) => Number(/"cpu":(\d+)/.exec(line)[1])));
	const cpu = await tab.evaluate(`page.list.lanes.find(({ kind, number }) => kind == "cpu" && number == ${number})`);
	const [from, to] = await tab.evaluate(`page.view.show(${near[0]}, ${near.at(-1)}), page.drawing.drawNow(),
		[page.view.from, page.view.to]`);
	const words = ["print", "--no-gaps", "--time", "rel", "--cpu", String(cpu.number), "--from", `+${(from / 1e9).toFixed(9)}s`,
		"--to", `+${(to / 1e9).toFixed(9)}s`];
	const lines = terminal(words).split("\n").map((line) => line.trim().replace(/ +/g, " "))
		.filter((line) => line && !/ state_/.test(line));
	const events = await tab.evaluate(`page.drawing.ticks.eventsOf(page.list.lanes[${cpu.index}])`);
	const bad = [];

	if (lines.length != events.length || lines.length < 10)
		bad.push(`${lines.length} lines, ${events.length} events`);
	for (const { at } of some(events, 20)) {
		const said = await tab.evaluate(`page.drawing.ticks.inWords(page.list.lanes[${cpu.index}], ${at}, 0)`);

		if (!said.trim() || !said.trim().split("\n").every((line) => lines.includes(line)))
			bad.push(`"${said}" at ${at}`);
	}

	const far = await tab.evaluate(`page.view.show(0, page.trace.length), page.drawing.drawNow(),
		page.drawing.ticks.eventsOf(page.list.lanes[${cpu.index}]).length`);

	if (far)
		bad.push(`${far} ticks from afar`);
	result("lanes_have_ticks_of_single_events", ...bad);
}

async function checkWithin(browser)
{
	const { tab } = browser;
	const begin = BigInt(await tab.evaluate("page.trace.info.begin_ns"));

	await checkCalls(browser, begin);
	await checkInterrupts(browser, begin);
	await checkArrows(browser, await checkWakings(browser, begin));
	await checkLabels(browser);
}

async function main()
{
	const browser = await Browser.start();

	try {
		await checkGaps(browser);
		await checkIdle(browser);
		await checkCounts(browser);
		await checkWithin(browser);
		await checkMarks(browser);
		await checkTicks(browser);
		/* What reading pixels costs is of no matter here. */
		result("lanes_have_no_complaints", ...browser.complaints.filter((text) => !text.includes("willReadFrequently")),
			...browser.requests);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL view_lanes: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
