// SPDX-License-Identifier: GPL-2.0-only
/* The panel of what lkst report finds: what stands out first, each a link to its time. */
"use strict";

function fillFindings(element)
{
	const { out, err } = askJson("report", "--format", "json");
	const { findings, ...others } = out;
	const tables = [findings, ...Object.values(others)].filter(Boolean);

	element.replaceChildren(...tables.map(tableElement));
	if (err)
		element.prepend(make("p", { className: "failure", role: "status" }, visible(err)));
}

panels.add("findings", "Findings", fillFindings);
