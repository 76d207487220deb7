// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks a Prometheus server the queries on standard input, as queries.js prints them, at one time, and prints for each series of
 * an answer: panel, tab, labels' values and the value. An error is such a line, too.
 *
 *	evaluate.js URL TIME
 */
"use strict";

const fs = require("fs");

const [url, time] = process.argv.slice(2);

async function ask(query)
{
	const answer = await fetch(`${url}/api/v1/query`, { method: "POST", body: new URLSearchParams({ query, time }) });
	const { status, error, data } = await answer.json();

	if (status != "success")
		return [`error: ${error}`];
	return data.result.map(({ metric, value }) =>
		[...Object.values(metric).sort(), Number(Number(value[1]).toPrecision(9))].join(" ")).sort();
}

(async () => {
	for (const line of fs.readFileSync(0, "utf8").split("\n").filter(Boolean)) {
		const [panel, query] = line.split("\t");

		for (const said of panel == 0 ? [] : await ask(query))
			console.log(`${panel}\t${said}`);
	}
})();
