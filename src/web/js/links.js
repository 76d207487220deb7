// SPDX-License-Identifier: GPL-2.0-only
/* Links to a time: a click shows that stretch on its thread's lane. */
"use strict";

/* A time as text, which follows the form that times have (format.js). */
function momentElement(at)
{
	const element = make("span", { className: "moment" }, timeText(at));

	element.dataset.at = at;
	return element;
}

page.addEventListener("time", () => {
	for (const element of document.querySelectorAll(".moment"))
		element.textContent = timeText(Number(element.dataset.at));
});

/*
 * @contents: text, or an element. @from and @to are after the trace's beginning; @tid: of which thread of
 * host @host, null if it is no thread's.
 */
function timeLink(contents, from, to, tid = null, host = 0)
{
	const link = make("a", { href: `#t=${Math.round(from)},${Math.round(to)}`, className: "time" }, contents);

	Object.assign(link.dataset, { from, to });
	if (tid !== null)
		link.dataset.tid = tid;
	if (page.trace.isSeveral)
		link.dataset.host = host;
	link.addEventListener("click", (event) => {
		event.preventDefault();
		goTo(from, to, tid, host);
	});
	return link;
}
