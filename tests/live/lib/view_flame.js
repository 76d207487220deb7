// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares the flame graph of a page of lkst view with the stacks that lkst export has of the same samples, and prints a result line
 * for each check:
 *
 *	view_flame.js PAGE FOLDED
 *
 * FOLDED: what "lkst export -f folded" writes of the page's trace.
 */
"use strict";

const fs = require("fs");
const { Browser } = require("./browser.js");
const { result } = require("./checks.js");

const [shown, folded] = process.argv.slice(2);

/*
 * The time of each stack of the picture itself, without what is above it: "thread function function ns". Functions of programs are
 * left out: the page has no binaries to find their names in.
 */
const STACKS = `(() => {
	const stacks = [];
	const walk = (node, path) => {
		const inner = [...node.children.values()];
		const own = node.ns - inner.reduce((sum, { ns }) => sum + ns, 0);

		if (own && node.depth)
			stacks.push([...path, own].join(" "));
		for (const child of inner)
			walk(child, child.isUser && node.depth ? path : [...path, child.name]);
	};
	walk(page.maps.kind.root, []);
	return stacks;
})()`;

/* Lines of the same stack together: addresses that differ may be in one function. */
function added(lines)
{
	const sums = new Map();

	for (const line of lines) {
		const [, stack, ns] = /^(.*) (\d+)$/.exec(line);

		sums.set(stack, (sums.get(stack) ?? 0) + Number(ns));
	}
	return [...sums].map((entry) => entry.join(" ")).sort();
}

function stacksOfFile()
{
	return fs.readFileSync(folded, "utf8").split("\n").filter((line) => line && !line.startsWith("#")).map((line) => {
		const [, stack, ns] = /^(.*) (\d+)$/.exec(line);
		const [thread, ...names] = stack.split(";");

		/* It marks functions of the kernel. */
		const ofKernel = names.filter((name) => name.endsWith("_[k]")).map((name) => name.replace(/_\[k\]$/, ""));

		return [thread.replace(/-(\d+)$/, " $1"), ...ofKernel, ns].join(" ");
	});
}

async function checkPicture({ tab })
{
	const boxes = "[...document.querySelectorAll('.flame button')]";
	const bad = [];

	/* The widest function above a thread: shown alone, and then all again. */
	await tab.evaluate("page.maps.kind.show(page.maps.kind.root), true");

	const before = await tab.evaluate(`${boxes}.length`);
	const chosen = await tab.evaluate(`(() => {
		const box = ${boxes}.find((one) => one.title.startsWith("sampled "));
		const { title } = box;
		box.click();
		return [title, ${boxes}.filter((one) => one.style.width == "100%").map((one) => one.title)];
	})()`);

	if (before < 5)
		bad.push(`${before} boxes`);
	/* Where they are in the program's file is known. */
	if (!await tab.evaluate(`${boxes}.some((one) => /^(sampled\\+0x|0x[0-9a-f]+\\[sampled|\\S*sampled)/.test(one.title))`))
		bad.push("no function is of the program");
	if (!chosen[1].includes(chosen[0]) || !chosen[1].some((title) => title.startsWith("all: ")))
		bad.push(`as wide as the picture are ${chosen[1]}`);
	await tab.evaluate(`${boxes}.find((one) => one.title.startsWith("all: ")).click()`);
	if (await tab.evaluate(`${boxes}.length`) != before)
		bad.push("all are not there again");
	result("view_flame_graph_shows_one_alone", ...bad);
}

/* Of half of the time there are fewer. */
async function checkStretch(browser)
{
	const { tab } = browser;
	const all = await tab.evaluate("page.maps.kind.info.samples");

	await tab.evaluate("page.view.show(0, page.trace.length / 2), true");
	await browser.until(`page.maps.kind.info.samples != ${all}`);

	const half = await tab.evaluate("page.maps.kind.info.samples");

	result("view_flame_graph_follows_the_view", ...(half > 0 && half < all ? [] : [`${half} of ${all}`]));
}

async function main()
{
	const browser = await Browser.start();

	try {
		await browser.open(shown);
		await browser.tab.evaluate("page.maps.open('flame'), true");

		const here = added(await browser.tab.evaluate(STACKS)), there = added(stacksOfFile());
		const at = there.findIndex((line, i) => line != here[i]);

		result("view_flame_graph_has_the_stacks_of_export", ...(there.length > 5 ? [] : [`${there.length} stacks`]),
			...(here.length == there.length && at < 0 ? [] : [`${here.length} of ${there.length}; ${here[at]}, not ${there[at]}`]));
		await checkPicture(browser);
		await checkStretch(browser);
		result("view_flame_graph_complains_of_nothing", ...browser.complaints);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL view_flame_graph: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
