// SPDX-License-Identifier: GPL-2.0-only
/*
 * Uses a page of lkst view in a browser as people do, and prints a result line for each check:
 *
 *	view_habits.js LKST PAGE TRACE EMPTY AXE
 *
 * PAGE shows TRACE, in which a process has several threads and one is called "<img src=x>"; EMPTY shows nothing; AXE is the
 * file of axe-core, or nothing.
 */
"use strict";

const fs = require("fs");
const { Browser } = require("./browser.js");
const { result, terminalOf } = require("./checks.js");
const { leastDistance } = require("./colours.js");

const [lkst, shown, trace, empty, axe] = process.argv.slice(2);
const terminal = terminalOf(lkst, trace);
/* As CIE 1976 measures: 2.3 is what can just be noticed side by side. */
const COLOURS_DIFFER = 10;

/* The complaints about a list of [what is wrong, expression of the page that says whether it is right]. */
async function wrong(tab, checks)
{
	const bad = [];

	for (const [text, expression] of checks)
		if (!await tab.evaluate(expression))
			bad.push(text);
	return bad;
}

/* Does something while a key is held. */
async function holding({ keyboard }, key, act)
{
	await keyboard.down(key);
	await act();
	await keyboard.up(key);
}

async function keys(tab, ...names)
{
	for (const name of names) {
		const [key, held] = name.split("+").reverse();
		const press = () => tab.keyboard.press(key);

		await (held ? holding(tab, held, press) : press());
	}
	await tab.evaluate("page.drawing.drawNow()");
}

/* Turns the wheel at a place while a key is held. */
async function wheel(tab, x, y, deltaY, key)
{
	await tab.mouse.move(x, y);
	await holding(tab, key, () => tab.mouse.wheel({ deltaY }));
}

/* Puts fingers at some places, [x, y], moves each to another, and lifts them. */
async function touch({ touchscreen }, from, to)
{
	const fingers = [];

	for (const place of from)
		fingers.push(await touchscreen.touchStart(...place));
	for (const [i, place] of to.entries())
		await fingers[i].move(...place);
	for (const finger of fingers)
		await finger.end();
}

/* Where the picture of lane @index is, which is scrolled into view. */
function boxOf(tab, index)
{
	return tab.evaluate(`(() => {
		page.list.reveal(${index});
		const { left, top, width, height } = page.list.currentRow.space.getBoundingClientRect();
		return { left, width, y: top + height / 2, height };
	})()`);
}

/* ---- rows ---- */

async function checkRows({ tab })
{
	const bad = [];

	await tab.evaluate("document.getElementById('lanes').focus(), page.list.setCurrent('CPU 0')");
	await keys(tab, "End");
	bad.push(...await wrong(tab, [
		["threads of the kernel are not the last, and collapsed",
			"page.list.currentRow.lane.name == KERNEL && !page.list.currentRow.isOpen"],
		["the current row is not told",
			"document.getElementById(byId('lanes').getAttribute('aria-activedescendant')).ariaLabel.startsWith(KERNEL)"],
	]));
	await keys(tab, " ", "ArrowDown");
	bad.push(...await wrong(tab, [
		["Space does not open a group", "page.list.currentRow.lane.thread?.kernel"],
		["it is not told that it is open",
			"[...document.querySelectorAll('#lanes [aria-expanded=true]')].some((row) => row.ariaLabel.startsWith(KERNEL))"],
	]));
	await keys(tab, "p", "Home");
	bad.push(...await wrong(tab, [
		["p does not pin",
			"page.list.rows[0].isPinned && page.list.currentRow === page.list.rows[0] && byId('lanes').querySelector('.pinned .lane')"],
	]));
	await keys(tab, "p", "c");
	bad.push(...await wrong(tab, [
		["p does not unpin", "!page.list.rows.some((row) => row.isPinned)"],
		["c does not collapse", "page.list.rows.every((row) => row.isOpen !== true)"],
		["a process with threads has no row",
			"page.list.rows.some((row) => row.lane.kind == 'group' && row.lane.name != KERNEL && row.lane.lanes.length > 1)"],
		["its row has no picture", `(() => {
			const { lane } = page.list.rows.find((row) => row.lane.kind == 'group');
			const shares = page.trace.shares(lane.index, 0, page.trace.length, 1);
			const one = page.trace.shares(lane.index[0], 0, page.trace.length, 1);
			return shares.some((share) => share > 0) && one.length == shares.length; })()`],
	]));
	await keys(tab, "c");
	for (const [order, value, isInOrder] of [["name", "lane.title ?? lane.name", "BY_NAME.compare(a, b) <= 0"],
		["number", "lane.number", "a <= b"], ["first", "lane.first_ns", "a <= b"], ["time", "lane.running_ns", "a >= b"]])
		bad.push(...await wrong(tab, [[`not in order of ${order}`, `(() => {
			byId("order").value = "${order}";
			byId("order").dispatchEvent(new Event("change"));
			const values = page.list.rows.filter(({ level, lane }) => level == 1 && (lane.thread || lane.kind == "group") &&
				lane.name != KERNEL).map(({ lane }) => ${value});
			const isInOrder = (a, b) => ${isInOrder};
			return values.length > 2 && values.every((value, i) => !i || isInOrder(values[i - 1], value)); })()`]]));
	result("habits_rows_are_grouped_pinned_and_ordered", ...bad);
}

/* Ten thousand threads, made of those that there are. */
async function checkManyRows({ tab })
{
	const before = await tab.evaluate("page.list.rows.length");
	const bad = await wrong(tab, [["there are more elements than can be seen", `(() => {
		const { info } = page.trace;
		const threads = Array.from({ length: 10000 }, (unused, i) => ({ ...info.threads[0], tid: i + 1, pid: 1 + i % 700,
			kernel: false }));
		const lane = info.lanes.find(({ kind }) => kind == "thread");
		const many = Object.create(page.trace, { info: { value: { ...info, threads,
			lanes: threads.map((unused, number) => ({ ...lane, number })) } } });
		const old = page.list;
		page.list = new LaneList(many);
		const seen = [0, 5000, 9000].map((row) => {
			page.list.element.scrollTop = row * ROW_HEIGHT;
			return page.list.inView().length;
		});
		const elements = document.querySelectorAll("#lanes .lane").length;
		const rows = page.list.rows.length;
		page.list = old;
		old.showRows();
		return rows > 10000 && elements < 60 && seen.every((nr) => nr > 5 && nr < 60); })()`]]);

	/* So are many CPUs: one row, until it is opened. */
	bad.push(...await wrong(tab, [["many CPUs are not a group", `(() => {
		const { info } = page.trace;
		const cpu = info.lanes.find(({ kind }) => kind == "cpu");
		const lanes = [...Array.from({ length: 40 }, (unused, number) => ({ ...cpu, number })), ...info.lanes.filter(({ kind }) => kind == "thread")];
		const old = page.list;
		page.list = new LaneList(Object.create(page.trace, { info: { value: { ...info, lanes } } }));
		const [first, second] = page.list.rows;
		const said = page.list.describeRow(first);
		page.list.toggle("CPUs");
		const isOpen = page.list.rows.slice(0, 41).map(({ lane }) => lane.name).join() ==
			["CPUs", ...Array.from({ length: 40 }, (unused, i) => "CPU " + i)].join();
		page.list = old;
		old.showRows();
		return said == "CPUs, 40 lanes" && first.isOpen === false && second.lane.kind != "cpu" && isOpen; })()`]]));
	if (await tab.evaluate("page.list.rows.length") != before)
		bad.push("the old list is not there again");
	result("habits_only_rows_in_view_exist", ...bad);
}

/* ---- selecting ---- */

/* A thread with many slices, by its index. */
const busiest = "page.trace.info.lanes.map((lane, index) => ({ ...lane, index })).filter(({ kind }) => kind == 'thread')" +
	".sort((a, b) => b.slices - a.slices)[0].index";

async function checkKeys({ tab })
{
	const index = await tab.evaluate(busiest);
	const bad = [];

	/* The first is there by itself: the middle of the picture is in it. */
	const [first, second] = await tab.evaluate(`page.trace.slices(${index}, 0, page.trace.length, 9).slice(7)`);

	await tab.evaluate(`unselect(), page.list.reveal(${index}), page.view.show(${first.from} - 1000, ${first.to} + 1000)`);
	await keys(tab, "ArrowRight");
	bad.push(...await wrong(tab, [["right does not select",
		`page.selection.from == ${first.from} && page.selection.to == ${first.to}`]]));
	await keys(tab, "ArrowRight");
	bad.push(...await wrong(tab, [["right does not go on",
		`page.selection.from == ${second.from} && page.selection.to == ${second.to}`]]));
	await keys(tab, "ArrowLeft");
	bad.push(...await wrong(tab, [["left does not go back", `page.selection.from == ${first.from}`]]));
	await keys(tab, "Shift+ArrowRight");
	bad.push(...await wrong(tab, [["Shift does not take in",
		`page.selection.from == ${first.from} && page.selection.to == ${second.to}`]]));
	await keys(tab, "f");
	bad.push(...await wrong(tab, [["f does not show it", `Math.abs(page.view.from - ${first.from}) < 200`]]));
	await keys(tab, "t");
	bad.push(...await wrong(tab, [["t does not select all lanes",
		"page.selection.index === null && /^all lanes: .*CPUs /.test(byId('selection').textContent)"],
		["Why is offered for all lanes", "byId('why').disabled"]]));
	await keys(tab, "t");
	bad.push(...await wrong(tab, [["t does not come back", `page.selection.index === ${index}`]]));
	await keys(tab, "Escape", "Escape");
	bad.push(...await wrong(tab, [["Esc leaves something", "page.selection === null && page.list.current === null"]]));
	await tab.evaluate("setFound([{ from: 3e6, to: 4e6, tid: 0 }, { from: 1e6, to: 2e6, tid: -1 }]), page.view.show(0, 1000)");
	await keys(tab, "]");
	bad.push(...await wrong(tab, [["] does not find",
		"page.view.from < 1e6 && page.view.to > 2e6 && page.view.to < 3e6"]]));
	await tab.evaluate("setFound([])");
	await keys(tab, "?");
	bad.push(...await wrong(tab, [["? does not list the keys",
		"byId('help').open && byId('help').querySelectorAll('dt').length == KEYS.length"]]));
	await tab.evaluate("byId('help').querySelector('button').click()");
	result("habits_keys_select_slices", ...bad);
}

async function checkMouse(browser)
{
	const { tab } = browser;
	const index = await tab.evaluate(busiest);
	const bad = [];
	const near = (share, at) => `Math.abs(${share} - page.trace.length * ${at}) < page.trace.length / 100`;

	await tab.evaluate("page.view.show(0, page.trace.length)");

	const box = await boxOf(tab, index);
	const x = (share) => box.left + box.width * share;

	await browser.drag(x(0.3), box.y, x(0.6), box.y);
	await browser.drag(x(0.6), box.y, x(0.7), box.y);
	bad.push(...await wrong(tab, [["an edge is not moved",
		`page.selection.index == ${index} && ${near("page.selection.from", 0.3)} && ${near("page.selection.to", 0.7)}`]]));
	await browser.drag(x(0.2), box.y, x(0.4), box.y + box.height * 2.2);
	bad.push(...await wrong(tab, [["over several rows it is not of all",
		`page.selection.index === null && ${near("page.selection.from", 0.2)}`]]));
	await wheel(tab, x(0.25), box.y, -400, "Control");
	bad.push(...await wrong(tab, [["ctrl and the wheel do not zoom where the mouse is",
		`page.view.span < page.trace.length / 2 && ${near("page.view.timeAt(0.25)", 0.25)}`]]));

	const from = await tab.evaluate("page.view.from");

	await wheel(tab, x(0.25), box.y, box.width / 10, "Shift");
	bad.push(...await wrong(tab, [["shift and the wheel do not move",
		`Math.abs(page.view.from - ${from} - page.view.span / 10) < page.view.span / 100`]]));
	await tab.evaluate("page.view.show(0, page.trace.length)");
	await touch(tab, [[x(0.4), box.y], [x(0.6), box.y]], [[x(0.2), box.y], [x(0.8), box.y]]);
	bad.push(...await wrong(tab, [["two fingers do not zoom",
		`${near("page.view.timeAt(0.2)", 0.4)} && ${near("page.view.timeAt(0.8)", 0.6)}`]]));
	await touch(tab, [[x(0.4), box.y]], [[x(0.5), box.y]]);
	bad.push(...await wrong(tab, [["a finger does not move", near("page.view.timeAt(0.3)", 0.4)]]));
	result("habits_mouse_and_fingers", ...bad);
}

/* ---- comparing ---- */

/* The figures of a stretch at the terminal. */
function figures(question)
{
	const tables = JSON.parse(terminal(question));
	const [row = { running_ns: 0, ready_ns: 0, blocked_ns: 0, stopped_ns: 0, unknown_ns: 0 }] = tables.thread.rows;

	return { row, calls: tables.syscall?.rows ?? [] };
}

async function checkComparing(browser)
{
	const { tab } = browser;
	const { thread } = JSON.parse(terminal(["analyze", "thread", "--format", "json"]));
	const tids = thread.rows.filter((row) => row.running_ns && row.waits).sort((a, b) => b.waits - a.waits).slice(0, 2)
		.map(({ tid }) => tid);
	const bad = [];

	await tab.evaluate(`goTo(page.trace.length / 5, page.trace.length, ${tids[0]})`);
	await keys(tab, "m");
	await tab.evaluate(`goTo(0, page.trace.length * 9 / 10, ${tids[1]})`);

	const comparison = await browser.until("page.comparison");
	const text = await tab.evaluate("byId('comparison').innerText");

	comparison.forEach(({ stretch, question, states, cpus, calls }, i) => {
		const { row, calls: called } = figures(question);

		if (question[3] != tids[i] || stretch.thread.tid != tids[i])
			bad.push(`asked about ${question} for ${tids[i]}`);
		for (const { name, ns } of states)
			if (ns != row[`${name}_ns`])
				bad.push(`${name} ${ns}, the terminal has ${row[`${name}_ns`]}`);
		if (cpus.reduce((sum, { ns }) => sum + ns, 0) != row.running_ns)
			bad.push(`on CPUs ${JSON.stringify(cpus)}, ran ${row.running_ns}`);
		if (JSON.stringify(calls) != JSON.stringify(called.map(({ key, count, total_ns: ns }) => ({ name: key, count, ns }))))
			bad.push("the calls differ");
	});
	if (!comparison.some(({ states }) => states.some(({ name, ns }) => name == "running" && ns)))
		bad.push("nothing ran");
	for (const { key, count } of comparison.flatMap(({ question }) => figures(question).calls).slice(0, 5))
		if (!text.includes(`${key}()`) || !text.includes(`${count} call`))
			bad.push(`the table has not ${key}, ${count} calls`);
	await tab.evaluate("unselect()");
	await keys(tab, "m");
	bad.push(...await wrong(tab, [["the mark stays", "page.mark === null && byId('comparison').hidden"]]));
	result("habits_comparison_has_the_figures_of_the_terminal", ...bad);
}

/* ---- times, address ---- */

async function checkTimes({ tab })
{
	const [event] = terminal(["print", "--event", "sched_switch", "--format", "json"]).split("\n");
	const { begin_ns: begin } = await tab.evaluate("page.trace.info");
	const { ns } = JSON.parse(event);
	const bad = [];

	for (const form of ["day", "mono", "rel"]) {
		const [line] = terminal(["print", "--event", "sched_switch", "--time", form]).split("\n");
		const said = await tab.evaluate(`setTimeForm("${form}"), timeText(Number(${ns}n - ${begin}n))`);

		if (said.replace(/[+ s]/g, "") != line.trim().split(" ")[0])
			bad.push(`${form}: ${said}, the terminal has ${line}`);
	}
	await tab.evaluate("setTimeForm('rel'), byId('time').click(), page.drawing.drawNow()");
	bad.push(...await wrong(tab, [["the ruler has no time of day",
		"/^\\d\\d:\\d\\d:\\d\\d/.test(byId('ruler').innerText) && /UTC/.test(byId('time').textContent)"]]));
	await tab.evaluate("setTimeForm('rel')");
	result("habits_times_are_those_of_print", ...bad);
}

/* A time of day is that of the browser's zone, in the page's own words and in what the library prints and reads. */
async function checkZone({ tab })
{
	const words = ["print", "--event", "sched_switch", "--time", "day", "--first", "5"];
	const { begin_ns: begin } = await tab.evaluate("page.trace.info");
	const { ns } = JSON.parse(terminal([...words, "--format", "json"]).split("\n")[0]);
	const zone = process.env.TZ;
	const bad = [];

	/* Newfoundland, also as C libraries know it that have no files of zones. */
	await tab.emulateTimezone("America/St_Johns");
	process.env.TZ = "NST3:30NDT,M3.2.0,M11.1.0";

	const printed = terminal(words);
	const [first] = printed.trim().split(" ");
	const said = await tab.evaluate(`setTimeForm("day"), timeText(Number(${ns}n - ${begin}n))`);
	const run = (list) => tab.evaluate(`page.lkst.run([...${JSON.stringify(list)}, page.trace.name]).out`);

	if (said != first)
		bad.push(`the page has ${said}, the terminal ${first}`);
	if (await run(words) != printed)
		bad.push("the library prints others");
	for (const from of [first, printed.trim().split("\n").at(-1).trim().split(" ")[0]])
		if (await run([...words, "--from", from]) != terminal([...words, "--from", from]))
			bad.push(`the library reads ${from} otherwise`);
	bad.push(...await wrong(tab, [["the zone is not named", "/time of day, UTC-0[23]:30$/.test(byId('time').textContent)"]]));
	await tab.emulateTimezone();
	process.env.TZ = zone;
	await tab.evaluate("setTimeForm('rel')");
	result("habits_times_of_day_are_those_of_the_zone", ...bad);
}

async function checkAddress(browser)
{
	const { tab } = browser;
	const state = `(() => JSON.stringify([Math.round(page.view.from), Math.round(page.view.to), page.selection, page.mark,
		page.timeForm, page.list.order, page.list.pattern, byId("search").value, [...page.list.pins]]))()`;

	await tab.evaluate(`(() => {
		const { index, name } = page.list.lanes.find((lane) => lane.name.startsWith("<img src=x>"));
		page.view.show(1000, page.trace.length / 2);
		page.list.pin(name);
		page.list.sort("first");
		setTimeForm("mono");
		select(null, 2000, 3000);
		markSelection();
		select(index, 1000, 5000);
		byId("search").value = "img";
		byId("search").dispatchEvent(new Event("input"));
	})()`);
	await browser.until("location.hash.includes('&q=img') && location.hash.includes('&s=')");

	const before = await tab.evaluate(state);
	const hash = await tab.evaluate("location.hash");
	const bad = [];

	await browser.open(empty);
	await browser.open(shown + hash);
	if (await tab.evaluate(state) != before)
		bad.push(`${await tab.evaluate(state)}, not ${before}`);
	bad.push(...await wrong(tab, [["markup became elements",
		"!document.querySelector('main img') && byId('lanes').textContent.includes('<img src=x>')"]]));
	for (const damaged of ["#t=9,1&s=%,1,2&p=%zz&by=__proto__&time=toString", `#t=0,1e99&s=nobody,1,2&m=,5`, "#t="]) {
		await tab.evaluate(`location.hash = ${JSON.stringify(damaged)}, new Promise((resolve) => setTimeout(resolve, 50))`);
		bad.push(...await wrong(tab, [[`${damaged} does harm`,
			"page.view.span == page.trace.length && !page.selection && !page.mark && page.timeForm == 'rel'"]]));
	}
	result("habits_address_has_all_that_is_shown", ...bad);
}

/* ---- colours, paper, accessibility ---- */

async function checkColours(browser)
{
	const { tab } = browser;
	const states = (await tab.evaluate("page.trace.info.states")).filter((name) => name != "unknown");
	const bad = [];

	await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: "dark" }]);
	bad.push(...await wrong(tab, [["the preference is not followed",
		"getComputedStyle(document.body).backgroundColor == 'rgb(22, 24, 26)'"]]));
	await tab.evaluate("byId('theme').click()");
	bad.push(...await wrong(tab, [["the button does not make it light",
		"getComputedStyle(document.body).backgroundColor == 'rgb(255, 255, 255)'"]]));
	for (const name of ["light", "dark"]) {
		const colours = await tab.evaluate(`Object.fromEntries(${JSON.stringify(["back", ...states])}.map((name) =>
			[name, getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim()]))`);
		const { distance, sight, pair } = leastDistance(colours);

		if (!(distance >= COLOURS_DIFFER))
			bad.push(`${name}: ${pair.join(" and ")} look alike (${sight}, ${distance.toFixed(1)})`);
		await tab.evaluate("byId('theme').click()");
	}
	result("habits_colours_differ_for_all_eyes", ...bad);
	await checkPaper(browser);
}

/* Where it was dark, what is printed is black on white. */
async function checkPaper({ tab })
{
	await tab.evaluate(`isDark() || byId("theme").click(), window.addEventListener("beforeprint", () => {
		const { color, backgroundColor } = getComputedStyle(document.body);
		window.printed = [color, backgroundColor, page.drawing.back.join()];
	})`);

	const pdf = await tab.pdf({ printBackground: true });

	result("habits_paper_is_light", ...await wrong(tab, [
		["it is not black on white",
			"window.printed && window.printed.join(' ') == 'rgb(26, 26, 26) rgb(255, 255, 255) 255,255,255'"],
		["it is not dark again", "isDark() && getComputedStyle(document.body).backgroundColor == 'rgb(22, 24, 26)'"],
	]), ...(Buffer.from(pdf).toString("latin1", 0, 4) == "%PDF" ? [] : ["it is no PDF"]));
}

/* What axe-core finds in the page as it is. */
async function faults(tab, state)
{
	const violations = await tab.evaluate(`axe.run(document).then(({ violations }) => violations
		.filter(({ impact }) => impact == "serious" || impact == "critical")
		.map(({ id, nodes }) => id + ": " + nodes.map(({ target }) => target.join(" ")).slice(0, 3).join(", ")))`);

	return violations.map((text) => `${state}: ${text}`);
}

async function checkAccess(browser)
{
	const { tab } = browser;
	const source = fs.readFileSync(axe, "utf8");
	const bad = [];

	await browser.open(empty);
	await tab.evaluate(source);
	bad.push(...await faults(tab, "empty"));
	await browser.open(shown);
	await tab.evaluate(source);
	await tab.evaluate(`page.list.pin(page.list.lanes.at(-1).name), page.list.reveal(${busiest}), select(${busiest}, 0, 1e6),
		markSelection(), select(null, 0, 1e6)`);
	await browser.until("page.comparison");
	bad.push(...await faults(tab, await tab.evaluate("isDark()") ? "dark" : "light"));
	await tab.evaluate("byId('theme').click()");
	bad.push(...await faults(tab, await tab.evaluate("isDark()") ? "dark" : "light"));
	await tab.evaluate("byId('help').showModal()");
	bad.push(...await faults(tab, "dialog"));
	result("habits_are_open_to_all", ...bad);
}

async function main()
{
	const browser = await Browser.start();

	try {
		await browser.open(shown);
		await checkRows(browser);
		await checkManyRows(browser);
		await checkKeys(browser);
		await checkMouse(browser);
		await checkComparing(browser);
		await checkTimes(browser);
		await checkZone(browser);
		await checkAddress(browser);
		await checkColours(browser);
		if (axe)
			await checkAccess(browser);
		result("habits_have_no_complaints", ...browser.complaints, ...browser.requests);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL view_habits: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
