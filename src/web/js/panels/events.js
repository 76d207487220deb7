// SPDX-License-Identifier: GPL-2.0-only
/*
 * The panel of events: those of the stretch that is shown, of the selected lane if that is wanted, chosen by the options of
 * lkst print. A page of them is asked for at a time, by time, so that it does not matter how many there are.
 */
"use strict";

const EVENTS_IN_PAGE = 100;
/* How long the picture must be still before the events follow it, ms. */
const EVENTS_PATIENCE = 150;

const events = {
	rows: [], /* of --format json --text, in order */
	wait: 0, /* a timer */
	selects: false, /* the selection is the panel's own */
	isStale: false, /* the picture has moved while another panel was shown */
};

/* ---- asking ---- */

/* What lane is selected, as options. */
function laneWords()
{
	const { lane, thread } = page.selection ?? {};

	if (!byId("events-lane").checked || !lane)
		return [];
	if (thread)
		return ["--tid", String(thread.tid)];
	return lane.kind == "cpu" ? ["--cpu", String(lane.number)] : [];
}

/* The host that is asked alone, since the lane is one of its; null: all are. */
function laneHost()
{
	return page.trace.isSeveral && laneWords().length ? page.selection.lane.host : null;
}

/* The rows that these options choose, gaps among them, each with the number of its host. */
function askEvents(words)
{
	const only = laneHost();
	const all = [...wordsOf(byId("events-words").value), ...laneWords(), ...words];
	const { out } = askOf(only, askText, "print", ...all, "--format", "json", "--text");

	return out.split("\n").filter(Boolean).map(exactJson).map((row) => ({ ...row, host: only ?? page.trace.hostNamed(row.host) }));
}

/* The time of an event, after the beginning. */
function timeOfEvent({ ns, host })
{
	return sinceBegin(ns, host);
}

/* The page after the events that are shown, or before them; @by: 1, -1, or 0 for the first one of what is shown. */
function askPage(by)
{
	const edge = by > 0 ? events.rows.findLast((row) => !row.gap) : events.rows.find((row) => !row.gap);
	const words = rangeWords(page.view.from, page.view.to, laneHost());
	const from = words.slice(0, 2), to = words.slice(2);

	if (!by || !edge)
		return askEvents([...from, ...to, "--first", String(EVENTS_IN_PAGE)]);

	/* Those at the time of the last one are asked for again: there may be more at that time. */
	const at = timeOfEvent(edge);
	const known = events.rows.filter((row) => !row.gap && timeOfEvent(row) == at).length;
	const nr = String(EVENTS_IN_PAGE + known);
	const edges = rangeWords(at, at, laneHost());
	const rows = by > 0 ? askEvents([...edges.slice(0, 2), ...to, "--first", nr]) : askEvents([...from, ...edges.slice(2), "--last", nr]);

	return by > 0 ? dropKnown(rows, known) : dropKnown(rows.reverse(), known).reverse();
}

/* Without the first @known events, and the gaps before these. */
function dropKnown(rows, known)
{
	let i = 0;

	for (; i < rows.length && known; i++)
		known -= !rows[i].gap;
	return rows.slice(i);
}

/* ---- showing ---- */

/* All fields, as they were recorded; names of addresses beside them. */
function fieldsElement({ ns, time, fields, symbols = {} })
{
	const items = Object.entries(fields).flatMap(([name, value]) => [
		make("dt", {}, visible(name)),
		make("dd", {}, nameElement(typeof value == "object" ? JSON.stringify(value) : String(value)),
			symbols[name] ? make("bdi", { className: "symbol" }, visible(` ${symbols[name]}`)) : null),
	]);

	return make("dl", { className: "fields" }, make("dt", {}, "time"), make("dd", {}, `${time}, ${ns} ns of CLOCK_MONOTONIC`), ...items);
}

/* Selects the event's time on the lane of its thread, or of its CPU. */
function selectEvent({ ns, tid, cpu, host })
{
	const at = sinceBegin(ns, host);
	const ofThread = tid ? page.trace.laneOfThread(tid, at, host) : -1;
	const index = ofThread >= 0 ? ofThread : page.trace.laneOfCpu(cpu, host);

	if (index < 0)
		return;
	events.selects = true;
	select(index, at, at + 1);
	events.selects = false;
	page.list.reveal(index);
}

function toggleFields(row, element, button)
{
	const isOpen = element.nextElementSibling?.className == "detail";

	button.setAttribute("aria-expanded", String(!isOpen));
	if (isOpen)
		element.nextElementSibling.remove();
	else
		element.after(make("tr", { className: "detail" }, make("td", { colSpan: 5 + page.trace.isSeveral }, fieldsElement(row))));
}

/* The cell of its host, if there are several. */
function hostCell({ host })
{
	return page.trace.isSeveral ? make("td", { className: "words" }, nameElement(page.trace.hosts[host].name)) : null;
}

function eventElement(row)
{
	const at = timeOfEvent(row);
	const button = make("button", { type: "button", className: "plain", "aria-expanded": "false" }, momentElement(at));
	const element = make("tr", {}, make("td", { className: "number" }, button), hostCell(row), make("td", { className: "number" }, String(row.cpu)),
		make("td", { className: "words" }, nameElement(`${row.comm ?? "?"} ${row.tid}`)), make("td", { className: "words" }, row.event),
		make("td", { className: "words line" }, nameElement(row.text)));

	element.dataset.ns = row.ns;
	element.dataset.text = row.text;
	element.addEventListener("click", () => {
		selectEvent(row);
		toggleFields(row, element, button);
	});
	return element;
}

function gapElement({ gap, host })
{
	const from = sinceBegin(gap.from_ns, host), to = sinceBegin(gap.to_ns, host);

	return make("tr", { className: "gap" }, make("td", { className: "number" }, timeLink(momentElement(from), from, to)),
		hostCell({ host }), make("td", { className: "number" }, String(gap.cpu)),
		make("td", { className: "words", colSpan: 3 }, visible(`records are missing: ${gap.why}`)));
}

function showEvents(by = 0)
{
	const element = byId("events-rows");

	events.isStale = false;
	attempt(byId("events"), () => {
		const rows = askPage(by);

		if (by && !rows.length) {
			byId("events-about").textContent = by > 0 ? "There are no more." : "There are none before.";
			return;
		}
		events.rows = rows;
		element.replaceChildren(...rows.map((row) => row.gap ? gapElement(row) : eventElement(row)));
		byId("events-about").textContent = rows.length ? `${rows.length} of the events from ${timeText(page.view.from)} to ${timeText(page.view.to)}`
			: "There are none in the stretch that is shown.";
	});
}

/* Shows the events of the stretch that these options choose. */
function findEvents(words)
{
	panels.show("events");
	byId("events-words").value = words;
	showEvents();
}

/* ---- the panel ---- */

function eventsForm()
{
	/* Another trace keeps the words that were typed. */
	const words = make("input", { id: "events-words", value: byId("events-words")?.value ?? "", spellcheck: false, autocomplete: "off",
		placeholder: "--event 'sched_*' --comm db", "aria-label": "options of lkst print that choose events" });
	const lane = make("input", { id: "events-lane", type: "checkbox", checked: byId("events-lane")?.checked ?? true });
	const form = make("form", { className: "row" }, make("label", { className: "wide" }, "lkst print ", words), make("button", {}, "Show"),
		make("label", {}, lane, " only the selected lane"));

	form.addEventListener("submit", (event) => {
		event.preventDefault();
		showEvents();
	});
	lane.addEventListener("change", () => showEvents());
	return form;
}

function pageButton(text, by)
{
	const button = make("button", { type: "button" }, text);

	button.addEventListener("click", () => showEvents(by));
	return button;
}

function fillEvents(element)
{
	const heads = ["time", ...page.trace.isSeveral ? ["host"] : [], "CPU", "thread", "event", "what"].map((title) => make("th", { scope: "col" }, title));

	element.replaceChildren(eventsForm(),
		make("div", { className: "row" }, pageButton("First", 0), pageButton("Earlier", -1), pageButton("Later", 1),
			make("p", { id: "events-about", role: "status" })),
		make("div", { id: "events" }, make("table", {}, make("caption", {}, "Events"), make("thead", {}, make("tr", {}, ...heads)),
			make("tbody", { id: "events-rows" }))));
	showEvents();
}

/* The events follow the picture, once it is still and they are seen. */
function followPicture()
{
	clearTimeout(events.wait);
	if (events.selects)
		return;
	events.isStale = true;
	if (panels.isShown("events"))
		events.wait = setTimeout(showIfStale, EVENTS_PATIENCE);
}

function showIfStale()
{
	if (events.isStale && page.trace && byId("events-rows"))
		showEvents();
}

panels.add("events", "Events", fillEvents, showIfStale);
page.addEventListener("view", followPicture);
page.addEventListener("selection", followPicture);
