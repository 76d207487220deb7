// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the pictures of memory, of disks, and along the time in a page of lkst view, and prints a result line for
 * each check:
 *
 *	view_memory.js LKST PAGE TRACE PID
 *
 * PID is a process of which TRACE knows the pages.
 */
"use strict";

const { Browser } = require("./browser.js");
const { result, terminalOf } = require("./checks.js");

const [lkst, shown, trace, pid] = process.argv.slice(2);
const terminal = terminalOf(lkst, trace);
const OWNERS = 8; /* that have a colour of their own */

/* The cells of the picture have as many pages as the processes together; each process has what the analysis says. */
async function checkMemory({ tab })
{
	const { pages } = JSON.parse(terminal(["analyze", "pages", "--format", "json"]));
	const all = pages.rows.reduce((sum, row) => sum + row.live, 0);
	const bad = [];

	await tab.evaluate("page.maps.open('memory'), true");

	const { owners } = await tab.evaluate("page.maps.kind.info");
	const sums = await tab.evaluate("page.maps.kind.cells.reduce((sum, cell) => sum + cell.pages, 0)");

	if (sums != all)
		bad.push(`the cells have ${sums} pages, the processes ${all}`);
	for (const owner of owners.filter((candidate) => candidate.pid > 0)) {
		const row = pages.rows.find((candidate) => candidate.pid == owner.pid);

		for (const name of ["before", "allocated", "freed", "live"])
			if (row?.[name] != owner[name])
				bad.push(`process ${owner.pid}, ${name}: ${owner[name]}, not ${row?.[name]}`);
	}
	/* On a busy machine others take more. */
	const pagesOf = ({ before, allocated }) => before + allocated;
	const mine = pages.rows.find((row) => row.pid == pid);
	const larger = pages.rows.filter((row) => row.pid > 0 && pagesOf(row) >= pagesOf(mine)).length;

	if (larger <= OWNERS && !owners.some((owner) => owner.pid == pid))
		bad.push(`process ${pid} is not among ${owners.map((owner) => owner.pid)}`);
	result("view_memory_has_the_pages_of_processes", ...bad);
}

/* A process may be called anything. */
async function checkNames({ tab })
{
	const names = await tab.evaluate(`(() => {
		const { kind } = page.maps;
		const owner = kind.info.owners.find((candidate) => candidate.pid > 0);
		const { name } = owner;
		owner.name = "a\\u202eb";
		kind.tell();
		const text = document.querySelector("#map tbody").textContent;
		owner.name = name;
		kind.tell();
		return text;
	})()`);

	result("view_memory_shows_names_as_text", ...names.includes("a\\u{202e}b") ? [] : [names]);
}

/* It follows the end of what is shown, there and back, and a trace that takes the place of another. */
async function checkTime(browser)
{
	const { tab } = browser;
	const sum = "page.maps.kind.cells.reduce((sum, cell) => sum + cell.pages, 0)";
	const bad = [];
	const end = await tab.evaluate(sum);

	await tab.evaluate("page.view.show(0, page.view.length / 2), true");
	await browser.until("page.maps.kind.at == page.view.to");

	const middle = await tab.evaluate(sum);
	const same = await tab.evaluate("page.maps.kind.cellsAt(page.view.to).reduce((sum, cell) => sum + cell.pages, 0)");

	if (middle == end)
		bad.push(`${middle} pages in the middle as at the end`);
	if (middle != same)
		bad.push(`${middle} pages in the middle, and then ${same}`);
	await tab.evaluate("page.view.show(0, page.view.length), true");
	await browser.until("page.maps.kind.at == page.view.length");
	if (await tab.evaluate(sum) != end)
		bad.push("at the end there are others than before");
	/* From the beginning on, step by step, and at once. */
	const differ = await tab.evaluate(`(() => {
		const at = (ns) => JSON.stringify(page.maps.kind.cellsAt(ns));
		const steps = Array.from({ length: 20 }, (_, i) => page.view.length * i / 19);
		const forwards = steps.map(at);
		return steps.reverse().map(at).reverse().filter((cells, i) => cells != forwards[i]).length;
	})()`);

	if (differ)
		bad.push(`${differ} moments are others backwards than forwards`);
	/* The button does that by itself, from the beginning to the end of what is shown. */
	const replayed = await tab.evaluate(`(async () => {
		const { kind } = page.maps;
		const seen = [];
		const draw = kind.draw.bind(kind);
		kind.draw = (at) => { draw(at); seen.push(kind.at); };
		kind.button.click();
		while (seen.at(-1) != page.view.to)
			await new Promise((resolve) => setTimeout(resolve, 50));
		kind.draw = draw;
		return { nr: seen.length, first: seen[0] / page.view.length, isInOrder: seen.every((at, i) => !i || at >= seen[i - 1]) };
	})()`);

	if (replayed.nr < 3 || replayed.first > 0.5 || !replayed.isInOrder)
		bad.push(`replayed: ${JSON.stringify(replayed)}`);
	await tab.evaluate("readTrace(page.trace.name, null)");
	if (await tab.evaluate(sum) != end)
		bad.push("it does not follow the trace");
	result("view_memory_follows_the_time", ...bad);
}

async function checkDisk({ tab })
{
	const { diskmap } = JSON.parse(terminal(["analyze", "diskmap", "--format", "json"]));
	const bad = [];

	await tab.evaluate("page.maps.open('disk'), true");

	const disks = await tab.evaluate(`page.maps.kind.disks.map((disk, i) => {
		const cells = page.maps.kind.cells(i) ?? [];
		let [read, written] = [0, 0];
		for (let at = 0; at < cells.length; at += 2) {
			read += cells[at];
			written += cells[at + 1];
		}
		return { ...disk, read, written };
	})`);

	for (const row of diskmap.rows) {
		const disk = disks.find((candidate) => candidate.name == row.disk);

		for (const [mine, other] of [["read", "read_bytes"], ["written", "written_bytes"], ["reads", "reads"], ["jumps", "jumps"]])
			if (disk?.[mine] != row[other])
				bad.push(`${row.disk}, ${mine}: ${disk?.[mine]}, not ${row[other]}`);
	}
	if (!disks.length || !await tab.evaluate("document.querySelector('#map canvas.disk').width"))
		bad.push("no picture");
	result("view_disk_has_what_the_records_say", ...bad);
}

/* The graphs are the terminal's picture, in the page's colours. */
async function checkGraphs(browser)
{
	const { tab } = browser;
	const words = ["analyze", "chart,runqueue,biotime", "--format", "svg"];
	const bad = [];

	await tab.evaluate("page.view.show(0, page.view.length), page.maps.open('graphs'), true");
	await browser.until("document.querySelector('#map img')?.naturalWidth > 0");

	const asked = await tab.evaluate("page.lkst.run(['analyze', 'chart,runqueue,biotime', '--format', 'svg', page.trace.name]).out");

	if (asked != terminal(words))
		bad.push("it differs from the terminal's");

	const legend = new Map([...asked.matchAll(/ fill="(#[0-9a-f]{6})" stroke="#c8c8c8"\/>\n<text [^>]*>([^<]*)</g)]
		.map(([, colour, name]) => [name, colour]));

	for (const state of await tab.evaluate("page.trace.info.states")) {
		const css = await tab.evaluate(`[...document.styleSheets[0].cssRules].find((rule) => rule.selectorText == ":root")
			.style.getPropertyValue("--${state}").trim()`);

		if (!css || css != legend.get(state))
			bad.push(`${state} is ${css} in the page, and ${legend.get(state)} in the picture`);
	}
	await tab.evaluate(`page.maps.kind.input.value = "nothing", page.maps.kind.draw(), true`);
	if (!/there is no analysis "nothing"/.test(await tab.evaluate("document.querySelector('#map .wrong').textContent")))
		bad.push("it does not say what is wrong");
	result("view_graphs_are_the_terminals", ...bad);
}

async function main()
{
	const browser = await Browser.start();

	try {
		await browser.open(shown);
		await checkMemory(browser);
		await checkNames(browser);
		await checkTime(browser);
		await checkDisk(browser);
		await checkGraphs(browser);
		result("view_maps_complain_of_nothing", ...browser.complaints);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL view_memory: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
