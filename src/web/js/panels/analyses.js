// SPDX-License-Identifier: GPL-2.0-only
/* The panel of analyses: a list of all of lkst analyze, and what the one that is chosen says: its tables and histograms. */
"use strict";

const analyses = { list: [], chosen: "", key: "" };

/* The histogram is drawn, everything else is a table. */
function analysisElement(table)
{
	return table.kind == "histogram" && table.rows.length ? histogramElement(table) : tableElement(table);
}

/* Shows what analysis @name says, or says of keys that match @key alone. Its greatest values are what [ and ] go through. */
function showAnalysis(name, key = "")
{
	const element = byId("analysis");

	panels.show("analyses");
	Object.assign(analyses, { chosen: name, key });
	for (const button of byId("analysis-names").querySelectorAll("button"))
		button.setAttribute("aria-pressed", String(button.dataset.name == name));
	element.replaceChildren();
	attempt(element, () => {
		const stretch = byId("analysis-stretch").checked ? rangeWords(page.view.from, page.view.to) : [];
		const { out, err } = askJson("analyze", "--format", "json", ...stretch, ...key ? ["--key", key] : [], name);
		const { help, measures } = analyses.list.find((one) => one.name == name) ?? {};

		element.append(make("p", { className: "note", title: measures ?? "" }, `${help ?? name}${key ? `, of ${visible(key)} only` : ""}`),
			...Object.values(out).map(analysisElement), ...err ? [make("p", { className: "note" }, visible(err))] : []);
		setFound((out[`${name}_worst`]?.rows ?? []).map(({ time_ns: time, value_ns: value = 0, tid, host }) =>
			({ from: sinceBegin(time), to: sinceBegin(time) + Number(value), tid, host: page.trace.hostNamed(host) })));
	});
}

function nameButton({ name, title, help })
{
	const button = make("button", { type: "button", title: help, "aria-pressed": "false" }, title);

	button.dataset.name = name;
	button.addEventListener("click", () => showAnalysis(name));
	return button;
}

function fillAnalyses(element)
{
	const stretch = make("input", { type: "checkbox", id: "analysis-stretch", checked: byId("analysis-stretch")?.checked ?? false });

	analyses.list = JSON.parse(page.lkst.call("lkst_web_analyses").out);
	stretch.addEventListener("change", () => analyses.chosen && showAnalysis(analyses.chosen, analyses.key));
	element.replaceChildren(make("div", { id: "analysis-names", role: "group", "aria-label": "analyses" }, ...analyses.list.map(nameButton)),
		make("label", {}, stretch, " only the stretch that is shown"), make("div", { id: "analysis" }));
	if (analyses.chosen)
		showAnalysis(analyses.chosen, analyses.key);
}

panels.add("analyses", "Analyses", fillAnalyses);
