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

module.exports = { result, terminalOf };
