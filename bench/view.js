// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens a page of lkst view some times, and prints what it took, for bench/view:
 *
 *	view.js TIMES URL
 *
 * A line for each figure: its name, the median, the least and the most, in milliseconds. Frames are those of panning and zooming,
 * beginning with the whole trace; "why" is from the click on it to its answer, and
 * "short" to what it says in short.
 */
"use strict";

const { Browser } = require("../tests/live/lib/browser.js");

const [times, url] = process.argv.slice(2);
const FRAMES = 400;
const WHYS = 7;

function print(name, values)
{
	const sorted = [...values].sort((a, b) => a - b);
	const at = (share) => sorted[Math.min(Math.floor(share * sorted.length), sorted.length - 1)].toFixed(2);

	console.log(`${name} ${at(0.5)} ${at(0)} ${at(1)} ${at(0.99)}`);
}

/* In the page: the time that each frame takes to draw. */
function frames(nr)
{
	const taken = [];

	for (let i = 0; i < nr; i++) {
		if (i % 4 < 2)
			page.view.zoom(i % 80 < 40 ? 0.8 : 1.25, 0.3);
		else
			page.view.move(i % 80 < 40 ? 0.1 : -0.1);

		const began = performance.now();

		page.drawing.drawNow();
		taken.push(performance.now() - began);
	}
	return taken;
}

/* In the page: the times that why takes for a stretch of the thread that ran longest, to the account and to what it says in short. */
async function whys(nr)
{
	const { index } = page.list.lanes.filter(({ kind }) => kind == "thread").sort((a, b) => b.running_ns - a.running_ns)[0];
	const taken = { account: [], short: [] };

	for (let i = 0; i < nr; i++) {
		select(index, page.trace.length * (0.1 + i / 100), page.trace.length * (0.3 + i / 100));

		const began = performance.now();

		const later = askWhy();

		taken.account.push(performance.now() - began);
		await later;
		taken.short.push(performance.now() - began);
	}
	return taken;
}

async function main()
{
	const browser = await Browser.start();
	const pictures = [], opened = [];

	try {
		for (let i = 0; i < times; i++) {
			await browser.tab.goto("about:blank");
			if (await browser.go(url) != "ready")
				throw new Error(await browser.tab.evaluate("document.getElementById('failure').textContent"));

			const [picture, now] = await browser.tab.evaluate("[performance.getEntriesByName('picture')[0].startTime, performance.getEntriesByName('answer')[0].startTime]");

			pictures.push(picture);
			opened.push(now);
		}
		print("picture", pictures);
		print("answer", opened);
		print("frame", await browser.tab.evaluate(`(${frames})(${FRAMES})`));

		const { account, short } = await browser.tab.evaluate(`(${whys})(${WHYS})`);

		print("why", account);
		print("short", short);
		console.log(`slices ${await browser.tab.evaluate("page.trace.info.lanes.reduce((sum, { slices }) => sum + (slices ?? 0), 0)")}`);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.error(`bench: ${error.message}`);
	process.exitCode = 1;
});
