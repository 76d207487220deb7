// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints the queries of a dashboard as a server gets them, a line each: panel, tab, query. What Grafana and its data sources
 * put in place of variables and macros is put there:
 *
 *	queries.js DASHBOARD FROM TO SECONDS [HOST...]     FROM, TO: since 1970; SECONDS: from a point to the next
 *
 * Without HOST all machines are meant. The queries of variables come first, as panel 0.
 */
"use strict";

const fs = require("fs");

const [file, from, to, seconds, ...hosts] = process.argv.slice(2);
const dashboard = JSON.parse(fs.readFileSync(file, "utf8"));

/* (https://grafana.com/docs/plugins/grafana-clickhouse-datasource/latest/query-editor, "Macros") */
function expand(query)
{
	return query
		.replace(/\$__conditionalAll\((.*?\$\{host:singlequote\}\)), \$host\)/g, hosts.length ? "$1" : "1=1")
		.replaceAll("${host:singlequote}", hosts.map((host) => `'${host}'`).join(","))
		.replaceAll("$__fromTime", `toDateTime(${from})`)
		.replaceAll("$__toTime", `toDateTime(${to})`)
		.replaceAll("$__interval_s", seconds)
		.replaceAll("$__rate_interval", `${4 * seconds}s`)
		.replaceAll("$__range", `${to - from}s`)
		.replaceAll("$instance", hosts.length ? `(${hosts.join("|")})` : ".*")
		.replaceAll("${database}", "lkst");
}

for (const { type, query } of dashboard.templating.list)
	if (type == "query")
		console.log(`0\t${expand(query.query ?? query)}`);
for (const panel of dashboard.panels)
	for (const { expr, rawSql } of panel.targets)
		console.log(`${panel.id}\t${expand(expr ?? rawSql)}`);
