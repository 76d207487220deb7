// SPDX-License-Identifier: GPL-2.0-only
/* What the tests in a browser share: the lines of results, and what the terminal says. */
"use strict";

const { execFileSync } = require("child_process");

const BAD_MAX = 4;
const LINE_MAX = 2000;

/* Prints the line of a check: of what is wrong, the first few. */
function result(name, ...bad)
{
	const words = bad.slice(0, BAD_MAX).join("; ").replace(/\s+/g, " ").slice(0, LINE_MAX);

	console.log(bad.length ? `FAIL ${name}: ${words}` : `ok ${name}`);
}

/* A function that asks program @lkst about @trace, by a list of words, and returns what it prints. It throws if that fails. */
function terminalOf(lkst, trace)
{
	return (words) => execFileSync(lkst, [...words, trace], { encoding: "utf8", maxBuffer: 1 << 30,
		stdio: ["ignore", "pipe", "ignore"] });
}

/*
 * @text without the functions of ticks, in the analysis and in sentences: those of programs have their names where the programs'
 * files are, which a page does not have.
 */
function withoutFunctions(text)
{
	return text.replace(/^Where threads ran\n(.+\n)*/m, "").replace(/, at \d+ of these in \S+( \([^)]*\))?/g, "");
}

/*
 * What is wrong with the account that the page of @browser shows: its sentences, and then its notes, are the lines of @text, which
 * `lkst why --brief` has printed. What it says in short comes after the rest.
 */
async function accountDiffers(browser, text)
{
	await browser.until("document.querySelector('#account .sentence') && !document.querySelector('#account [role=status]')");

	const told = await browser.tab.evaluate("[...document.querySelectorAll('#account .sentence, #account .note')].map((one) => one.textContent)");
	const lines = withoutFunctions(text).split("\n").filter(Boolean);
	const differing = lines.findIndex((line, i) => !told[i] || !line.endsWith(withoutFunctions(told[i])));

	return told.length == lines.length && differing < 0 ? []
		: [`${told.length} of ${lines.length} lines; ${told[differing]} is not ${lines[differing]}`];
}

module.exports = { accountDiffers, result, terminalOf, withoutFunctions };
