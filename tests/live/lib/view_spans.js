// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the lanes of spans of a page of lkst view with what tests/live/load/spans.c has measured, and with lkst sql, and prints
 * a result line for each check:
 *
 *	view_spans.js LKST PAGE TRACE TRUTH SPANS
 *
 * TRUTH: the lines of that program; SPANS: the table "spans" of the trace as JSON.
 */
"use strict";

const fs = require("fs");
const { Browser } = require("./browser.js");
const { accountDiffers, result, terminalOf } = require("./checks.js");

const [lkst, shown, trace, truth, table] = process.argv.slice(2);
const terminal = terminalOf(lkst, trace);

/* All slices of spans that the page has: what it says of the span, and of whose lane the slice is. */
const ALL = `page.trace.info.lanes.flatMap((lane, index) => lane.kind != "span" ? [] :
	page.trace.slices(index, 0, page.trace.length, 100000).map(({ from, to, span }) =>
		({ from, to, tid: page.trace.threadOf(lane).tid, own: lane.tid, index, name: span.name, id: String(span.id), ending: span.ending,
			whole: [span.from, span.to] })))`;

function checkTable(slices, begin)
{
	const rows = JSON.parse(fs.readFileSync(table, "utf8").replace(/"(from_ns|to_ns)":(\d+)/g, '"$1":"$2"'));
	const bad = [];

	for (const row of rows) {
		const from = Number(BigInt(row.from_ns) - begin), to = Number(BigInt(row.to_ns) - begin);
		const own = slices.filter(({ name, id, ending, whole }) => name == row.name && id == row.id && ending == row.ending &&
			whole[0] == from && whole[1] == to);

		if (!own.some((slice) => slice.tid == row.tid && slice.from == from))
			bad.push(`nobody has ${row.name} ${row.id} from ${from} on`);
	}
	if (new Set(slices.map(({ name, id, whole }) => `${name} ${id} ${whole}`)).size != rows.length)
		bad.push(`${slices.length} slices of ${rows.length} spans`);
	result("view_spans_are_those_of_the_records", ...(rows.length ? [] : ["there are none"]), ...bad);
}

/* A span is on lanes as long as the program knows that somebody had it, and on that of whoever took it. */
function checkTruth(slices)
{
	const names = ["name", "id", "ending", "from", "outer", "inner", "cpu_outer", "cpu_inner", "slept", "untaken_outer", "untaken_inner", "tid", "taker"];
	const bad = [];

	for (const line of fs.readFileSync(truth, "utf8").trim().split("\n")) {
		const told = Object.fromEntries(line.split(" ").map((word, i) => [names[i], word]));
		const own = slices.filter(({ name, id }) => name == told.name && id == told.id);
		const held = own.reduce((sum, { from, to }) => sum + to - from, 0);
		const least = told.inner - told.untaken_outer, most = told.outer - told.untaken_inner;

		if (held < least || held > most)
			bad.push(`${told.name} is shown for ${held} ns, which is not from ${least} to ${most}`);
		for (const tid of [told.tid, told.taker].filter((number) => number != 0))
			if (!own.some((slice) => slice.tid == tid && slice.own == tid))
				bad.push(`${told.name} is not on the lane of ${tid}`);
	}
	result("view_spans_are_where_the_program_had_them", ...bad);
}

/* A box has the name, its colour, and what is said of it; Why explains the one that is selected. */
async function checkOne(browser, slices)
{
	const { tab } = browser;
	const one = slices.filter(({ ending, from, to, whole }) => ending == "ended" && from == whole[0] && to == whole[1])
		.sort((a, b) => b.to - b.from - a.to + a.from)[0];
	const drawn = await tab.evaluate(`(() => {
		const texts = [];
		const { fillText } = CanvasRenderingContext2D.prototype;
		CanvasRenderingContext2D.prototype.fillText = function (text, ...place) { texts.push(text); fillText.call(this, text, ...place); };
		page.view.show(${one.from} - (${one.to - one.from}) / 4, ${one.to} + (${one.to - one.from}) / 4);
		page.list.reveal(${one.index});
		page.drawing.drawNow();
		CanvasRenderingContext2D.prototype.fillText = fillText;
		const { canvas } = page.list.currentRow;
		const [red, green, blue] = canvas.getContext("2d").getImageData(canvas.width * 0.6, canvas.height - 5, 1, 1).data;
		select(${one.index}, ${one.from}, ${one.to});
		document.getElementById("why").click();
		return { texts, colour: [red, green, blue].join(), said: document.getElementById("selection").textContent,
			question: questionOfSpan(page.selection), words: ["--from", afterBegin(${one.from}), "--to", afterBegin(${one.to})] };
	})()`);
	const title = one.id == "0" ? one.name : `${one.name} ${one.id}`;
	const asked = ["why", "--span", one.name, ...one.id == "0" ? [] : ["--id", one.id], ...drawn.words, "--brief"];
	const bad = [];

	if (!drawn.texts.includes(title))
		bad.push(`${title} is not among ${drawn.texts}`);
	if (drawn.colour != "240,228,66")
		bad.push(`its box is ${drawn.colour}`);
	if (!drawn.said.includes(`${title}, `))
		bad.push(drawn.said);
	result("view_spans_are_drawn_and_named", ...bad);
	result("view_spans_are_explained_as_at_the_terminal", ...(drawn.question?.[0] == "--span" ? [] : [`it asks ${drawn.question}`]),
		...await accountDiffers(browser, terminal(asked)));
}

/* From afar they are as high as there is one for a part of the time. */
async function checkAfar({ tab }, slices)
{
	const [first] = slices;
	const shares = await tab.evaluate(`[...page.trace.shares(${first.index}, 0, page.trace.length, 50)]`);
	const states = await tab.evaluate("page.trace.info.states");
	const length = await tab.evaluate("page.trace.length");
	const bad = [];

	for (let i = 0; i < 50; i++) {
		const from = length * i / 50, to = length * (i + 1) / 50;
		const want = slices.filter(({ index }) => index == first.index)
			.reduce((sum, slice) => sum + Math.max(Math.min(slice.to, to) - Math.max(slice.from, from), 0), 0) / (to - from);
		const got = shares[i * states.length + states.indexOf("running")] / 65535;

		if (Math.abs(got - want) > 0.001)
			bad.push(`column ${i} has ${got}, not ${want}`);
	}
	result("view_spans_take_their_share_from_afar", ...bad);
}

async function main()
{
	const browser = await Browser.start();

	try {
		const state = await browser.open(shown);
		const slices = await browser.tab.evaluate(ALL);

		result("view_spans_open", ...(state == "ready" ? [] : [state]));
		checkTable(slices, BigInt(await browser.tab.evaluate("page.trace.info.begin_ns")));
		checkTruth(slices);
		await checkOne(browser, slices);
		await checkAfar(browser, slices);
		result("view_spans_complain_of_nothing", ...browser.complaints.filter((text) => !text.includes("willReadFrequently")), ...browser.requests);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL view_spans: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
