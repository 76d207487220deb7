// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at a page of a trace of which the cost limit left something out, and prints a result line:
 *
 *	limit_page.js PAGE TEXT
 *
 * TEXT is what lkst report prints of system calls: "at least 17".
 */
"use strict";

const { Browser } = require("./browser.js");
const { result } = require("./checks.js");

const [file, text] = process.argv.slice(2);

async function main()
{
	const browser = await Browser.start();
	const bad = [];

	try {
		await browser.open(file);

		const above = await browser.tab.evaluate("byId('clocks').hidden ? '' : byId('clocks').textContent");
		const rows = await browser.tab.evaluate("[...byId('panel-findings').querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent))");
		const calls = rows.find(([what]) => what == "system calls");

		if (!/^not all was recorded, to keep to the cost limit: .*syscall:/.test(above))
			bad.push(`above the picture is "${above}"`);
		if (calls?.[1] != text)
			bad.push(`of system calls it says "${calls?.[1]}", not "${text}"`);
		result("the_page_says_what_was_left_out", ...bad, ...browser.complaints);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL the_page_says_what_was_left_out: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
