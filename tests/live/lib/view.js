// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at pages of lkst view in a browser, and prints a result line for each check:
 *
 *	view.js LKST PAGE TRACE EMPTY DAMAGED HOSTILE PACKED PARTS ARCHIVE NOTHING
 *
 * PAGE shows TRACE; EMPTY shows nothing; DAMAGED is a page of a trace that no reader takes; HOSTILE is one of a trace
 * whose threads have names that are markup; PACKED is TRACE with compressed files, PARTS has those of a recording, ARCHIVE is
 * TRACE in one file, and NOTHING is no trace.
 */
"use strict";

const { execFileSync, spawnSync } = require("child_process");
const fs = require("fs");
const path = require("path");
const { Browser } = require("./browser.js");
const { accountDiffers, result, terminalOf, withoutFunctions } = require("./checks.js");

const [lkst, shown, trace, empty, damaged, hostile, packed, parts, archive, nothing] = process.argv.slice(2);
const terminal = terminalOf(lkst, trace);

const answered = "document.querySelector('#answer pre').textContent";

/* What the page answers is what the terminal prints. */
async function checkAnswers({ tab })
{
	const questions = await tab.evaluate("[...document.querySelectorAll('#questions button')].map((b) => b.dataset.words)");
	const bad = [];

	for (const words of questions.filter((question) => question != "print")) {
		await tab.evaluate(`document.querySelector('#questions button[data-words="${words}"]').click()`);
		if (withoutFunctions(await tab.evaluate(answered)) != withoutFunctions(terminal(words.split(" "))))
			bad.push(words);
	}
	if (questions.length < 5)
		bad.push("there are hardly any questions");
	result("view_answers_as_the_terminal_does", ...bad);
	await tab.evaluate(`page.answers.ask("print --event 'sched_process_*' --format json"), true`);
	result("view_answers_what_is_typed", ...(await tab.evaluate(answered) ==
		terminal(["print", "--event", "sched_process_*", "--format", "json"]) ? [] : ["it differs"]));
	await tab.evaluate("page.answers.ask('why'), true");
	result("view_says_what_is_wrong", ...(await tab.evaluate("document.getElementById('failure').textContent") ==
		spawnSync(lkst, ["why", trace], { encoding: "utf8" }).stderr.trim() ? [] : ["it says something else"]));
}

/* The picture has the times of the analyses. */
async function checkLanes({ tab })
{
	const info = await tab.evaluate("page.trace.info");
	const { thread, cpu } = JSON.parse(terminal(["analyze", "thread,cpu", "--format", "json"]));
	const bad = [];

	for (const row of thread.rows.filter((candidate) => candidate.running_ns > 0)) {
		const lane = info.threads.filter((candidate) => candidate.tid == row.tid);

		if (!lane.some((candidate) => candidate.running_ns == row.running_ns))
			bad.push(`thread ${row.tid} ran ${row.running_ns}, drawn are ${lane.map((one) => one.running_ns)}`);
	}
	result("view_draws_as_long_as_threads_ran", ...(thread.rows.length ? [] : ["no thread"]), ...bad.slice(0, 3));

	const idle = await tab.evaluate(`page.trace.info.lanes.map((lane, index) => ({ lane, index }))
		.filter(({ lane }) => lane.kind == "cpu")
		.map(({ lane, index }) => [lane.number, [...page.trace.shares(index, 0, page.trace.length, 1)]])`);
	const length = Number(BigInt(info.end_ns) - BigInt(info.begin_ns));

	result("view_draws_cpus_as_idle_as_they_were", ...idle.filter(([number, shares]) => {
		const row = cpu.rows.find((candidate) => candidate.cpu == number);

		return !row || Math.abs(shares[1] / 65535 - row.idle_ns / length) > 0.01;
	}).map(([number, shares]) => `CPU ${number}: drawn ${shares}, of ${JSON.stringify(cpu.rows[number])}`));
}

async function checkKeys(browser)
{
	const { tab } = browser;
	const span = "page.view.to - page.view.from";
	const bad = [];
	const whole = await tab.evaluate(span);

	await tab.evaluate("document.getElementById('lanes').focus()");
	await tab.keyboard.press("w");
	if (Math.abs(await tab.evaluate(span) - whole / 2) > 1)
		bad.push("w does not come closer");
	await tab.keyboard.press("w");

	const from = await tab.evaluate("page.view.from");

	await tab.keyboard.press("d");
	if (await tab.evaluate("page.view.from") <= from)
		bad.push("d does not move");
	await tab.keyboard.press("ArrowLeft");
	if (Math.abs(await tab.evaluate("page.view.from") - from) > 1)
		bad.push("left does not move back");
	await browser.until("location.hash.startsWith('#t=')");
	await tab.keyboard.press("0");
	if (await tab.evaluate(span) != whole)
		bad.push("0 does not show all");
	await tab.keyboard.press("/");
	if (await tab.evaluate("document.activeElement.id") != "search")
		bad.push("/ does not search");
	await tab.keyboard.type("CPU 0");
	if (await tab.evaluate("page.list.rows.length") != 1)
		bad.push("the search finds other than CPU 0");
	await tab.evaluate("document.getElementById('search').value = '', page.list.search('')");
	result("view_has_its_keys", ...bad);
}

/* A stretch of a thread is selected with the mouse, and explained. */
async function checkWhy(browser)
{
	const { tab } = browser;
	const box = await tab.evaluate(`(() => {
		const { lane } = page.list.rows.find((candidate) => candidate.lane.kind == "thread");
		page.list.reveal(lane.index);
		const { left, top, width, height } = page.list.currentRow.space.getBoundingClientRect();
		return { left, top, width, height };
	})()`);
	const y = box.top + box.height / 2;

	await browser.drag(box.left + box.width * 0.2, y, box.left + box.width * 0.6, y);

	const selection = await browser.until("page.selection && page.selection.lane.kind == 'thread' && page.selection");
	const share = (selection.to - selection.from) / await tab.evaluate("page.trace.length");

	result("view_selects_with_the_mouse", ...(Math.abs(share - 0.4) < 0.01 ? [] : [`${share} of the picture`]));
	await tab.evaluate("document.getElementById('why').click()");

	const words = await tab.evaluate(`["why", "--tid", String(page.selection.thread.tid), "--from", afterBegin(page.selection.from),
		"--to", afterBegin(page.selection.to)]`);

	result("view_explains_what_is_selected", ...await accountDiffers(browser, terminal([...words, "--brief"])));
}

/* Where the cause is told in short, that follows when the account is on the screen; not in another account that is there by then. */
async function checkInShort(browser)
{
	const { tab } = browser;
	const { waiting } = JSON.parse(terminal(["why", "--comm", "flock", "--format", "json"]));
	const { tid, at_ns: at, longest_ns: longest } = waiting.rows.find(({ comm }) => comm == "flock");
	const [from, to] = [at, at + longest].map((ns) => `@${(ns / 1e9).toFixed(9)}`);
	const words = ["--tid", String(tid), "--from", from, "--to", to];
	const text = terminal(["why", ...words, "--brief"]);

	result("view_has_a_cause_in_short", ...(/^Note: In short: flock waited/m.test(text) ? [] : [text]));
	await tab.evaluate(`showWhy("--worst", "wait"), showWhy(...${JSON.stringify(words)}), true`);
	result("view_tells_the_cause_in_short", ...await accountDiffers(browser, text));
}

/* What is longer than a browser can take is refused in words. */
async function checkLimits({ tab })
{
	const words = "document.getElementById('failure').textContent";

	await tab.evaluate("page.lkst.answerMax = 1000, page.answers.ask('print'), true");
	result("view_refuses_long_answers", ...(/longer than 1000 bytes/.test(await tab.evaluate(words)) ? [] : [await tab.evaluate(words)]));
	await tab.evaluate("page.lkst.answerMax = 128 << 20, page.answers.ask('report'), true");
	result("view_answers_after_that", ...(await tab.evaluate(answered) == terminal(["report"]) ? [] : ["its report differs"]));
}

/* The ruler of a trace that hardly lasts has marks. */
async function checkRuler({ tab })
{
	const steps = await tab.evaluate("[1, 2, 3, 10, 1000].map(rulerStep)");

	result("view_has_a_ruler_of_nanoseconds", ...(steps.join() == "1,1,1,2,200" ? [] : [steps.join()]));
}

/*
 * A trace that is opened while files of another one still come is not mixed with these, and is the one that is shown. It is the
 * one that was chosen last.
 */
async function checkOpeningTwice({ tab })
{
	const told = await tab.evaluate(`(async () => {
		let come;
		const slow = openGiven("slow", () => {
			page.lkst.clearFiles();
			const write = page.lkst.addFile("metadata", 4);
			return new Promise((resolve) => come = resolve).then(() => write(0, new Uint8Array(4)));
		});
		await openFiles(filesOfInput(byId("open")));
		come();
		await slow;
		page.answers.ask("report");
		return [page.trace.name, document.documentElement.dataset.state].join();
	})()`);

	result("view_opens_the_trace_that_was_given_last", ...(told == "trace,ready" ? [] : [told]),
		...(await tab.evaluate(answered) == terminal(["report"]) ? [] : ["its report differs"]));
}

/* Files that are chosen are opened, as the page's own are. */
async function checkOpening(browser)
{
	const { tab } = browser;

	for (const [name, directory] of [["view_opens_files", trace], ["view_opens_compressed_files", packed]]) {
		const files = fs.readdirSync(directory).map((file) => path.join(path.resolve(directory), file));

		result("view_without_a_trace_is_empty", ...(await browser.open(empty) == "empty" ? [] : ["it is not"]),
			...(await tab.evaluate("document.querySelector('main').hidden && /Drop a trace/.test(byId('about').textContent)")
				? [] : ["it does not say what to do"]));
		await (await tab.$("#open")).uploadFile(...files);
		await expectReport(browser, name, trace);
	}
}

/* What was given to the page comes, and its report is that of @of at the terminal. */
async function expectReport(browser, name, of)
{
	const { tab } = browser;
	const state = await browser.until("/ready|failed/.test(document.documentElement.dataset.state) && document.documentElement.dataset.state");

	if (state != "ready") {
		result(name, await tab.evaluate("byId('failure').textContent"));
		return;
	}
	await tab.evaluate("panels.show('commands')");

	const report = execFileSync(lkst, ["report", of], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

	result(name, ...(await tab.evaluate(answered) == report ? [] : ["its report differs"]));
}

/* Drags a file or a directory of the disk to the page, and drops it there. */
async function drop({ mouse }, what)
{
	const data = { items: [], files: [path.resolve(what)], dragOperationsMask: 1 };
	const place = { x: 700, y: 400 };

	await mouse.dragEnter(place, data);
	await mouse.dragOver(place, data);
	await mouse.drop(place, data);
}

/* What is dropped on the page is opened as what is chosen is: a directory, one with parts, a file; and what cannot be is refused. */
async function checkDropping(browser)
{
	const { tab } = browser;
	const failure = "document.getElementById('failure').textContent";

	for (const [name, what] of [["a_directory", trace], ["parts", parts], ["one_file", archive]]) {
		await browser.open(empty);
		await drop(tab, what);
		await expectReport(browser, `view_opens_${name}_that_is_dropped`, what);
	}
	/* On one that shows a trace. */
	await drop(tab, trace);
	await browser.until(`page.trace?.name == "${path.basename(trace)}" && document.documentElement.dataset.state == 'ready'`);
	await expectReport(browser, "view_opens_another_that_is_dropped", trace);
	await browser.open(empty);
	await (await tab.$("#open-directory")).uploadFile(path.resolve(trace));
	await expectReport(browser, "view_opens_a_directory_that_is_chosen", trace);
	await browser.open(empty);
	await drop(tab, nothing);
	await browser.until("document.documentElement.dataset.state == 'failed'");
	result("view_says_that_no_trace_was_dropped", ...(/cannot read the trace/.test(await tab.evaluate(failure)) ? []
		: [await tab.evaluate(failure)]));
	await tab.evaluate("page.bytesMax = 100000, document.documentElement.dataset.state = ''");
	await drop(tab, trace);
	await browser.until("document.documentElement.dataset.state == 'failed'");
	result("view_says_what_shows_a_large_trace", ...(/a page takes 97.7 KiB at most; `lkst view --serve` .*`lkst cut`/.test(await tab.evaluate(failure))
		? [] : [await tab.evaluate(failure)]));
}

async function checkRefusals(browser)
{
	const { tab } = browser;
	const state = await browser.open(damaged);
	const text = await tab.evaluate("document.getElementById('failure').textContent");

	result("view_says_that_a_trace_is_damaged", ...(state == "failed" && /cannot read the trace/.test(text) ? [] : [state, text]));
	await browser.open(hostile);
	result("view_shows_markup_as_text", ...(await tab.evaluate(
		"page.list.lanes.some((lane) => lane.name.startsWith('<img src=x>')) && !document.querySelector('main img')")
		? [] : ["it does not"]));
}

/* A browser that cannot show the page says why, and so does a page that came in another charset. */
async function checkBrowsers(browser)
{
	const { tab } = browser;

	for (const [name, source, words] of [
		["view_says_that_there_is_no_webassembly", "delete globalThis.WebAssembly", /no WebAssembly/],
		["view_says_that_gzip_cannot_be_unpacked", "delete globalThis.DecompressionStream", /cannot unpack gzip/],
		["view_says_that_its_charset_is_lost", "Object.defineProperty(document, 'characterSet', { value: 'UTF-8' })", /sent this page as UTF-8/],
	]) {
		const { identifier } = await tab.evaluateOnNewDocument(source);
		const state = await browser.open(empty);
		const text = await tab.evaluate("document.getElementById('failure').textContent");

		await tab.removeScriptToEvaluateOnNewDocument(identifier);
		result(name, ...(state == "failed" && words.test(text) ? [] : [state, text]));
	}
}

async function main()
{
	const browser = await Browser.start();

	try {
		const state = await browser.open(shown);

		result("view_opens_by_itself", ...(state == "ready" ? [] : [state]));
		await checkAnswers(browser);
		await checkLanes(browser);
		await checkKeys(browser);
		await checkWhy(browser);
		await checkInShort(browser);
		await checkRuler(browser);
		await checkLimits(browser);
		result("view_complains_of_nothing", ...browser.complaints);
		result("view_asks_the_network_for_nothing", ...browser.requests);
		result("view_cannot_reach_the_network", ...(await browser.tab.evaluate(
			"fetch('http://127.0.0.1:9/').then(() => 'it can', (error) => String(error))") == "TypeError: Failed to fetch" &&
			browser.complaints.some((text) => /Content Security Policy/.test(text)) ? [] : browser.complaints));
		await checkOpening(browser);
		await checkOpeningTwice(browser);
		await checkDropping(browser);
		await checkRefusals(browser);
		await checkBrowsers(browser);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL view: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
