// SPDX-License-Identifier: GPL-2.0-only
/*
 * The panel of what is found: threads, system calls and events whose name has what is looked for in it, with how many there are.
 * Each leads to where it is shown, and to its occurrence before or after the selection.
 */
"use strict";

const FOUND_MAX = 50; /* of each kind */

const found = { trace: null, calls: [], events: [], spans: [] };

/* How many there are of what, worked out once for each trace. */
function loadFound()
{
	if (found.trace === page.trace)
		return;
	found.calls = askJson("analyze", "--format", "json", "syscall").out.syscall?.rows ?? [];
	found.spans = askJson("analyze", "--format", "json", "span").out.span?.rows ?? [];
	found.events = page.trace.hosts.flatMap((unused, host) =>
		Object.entries(askOf(host, askJson, "check", "--json").out.counts).map(([name, count]) => ({ name, count, host })));
	found.trace = page.trace;
}

/* ---- the occurrences ---- */

/* The event of a host before or after a time that these options choose, or undefined. */
function occurrence(host, words, at, by)
{
	const where = by > 0 ? ["--first", "1", ...rangeWords(at + 1, at + 1, host).slice(0, 2)]
		: ["--last", "1", ...rangeWords(0, Math.max(at - 1, 0), host).slice(2)];
	const { out } = askOf(host, askText, "print", "--format", "json", "--no-gaps", ...words, ...where);

	return out.trim() ? exactJson(out) : undefined;
}

/* Shows the occurrence; of a system call the whole of it. */
function stepTo(what, by)
{
	const { host } = what;
	const event = occurrence(host, what.words, page.selection?.from ?? page.view.from, by);

	if (!event) {
		byId("found-about").textContent = by > 0 ? "There is none after this." : "There is none before this.";
		return;
	}

	const from = sinceBegin(event.ns, host);
	const exit = what.exit ? occurrence(host, [...what.exit, "--tid", String(event.tid)], from, 1) : undefined;

	byId("found-about").textContent = `${what.text}, at ${timeText(from)}`;
	goTo(from, exit ? sinceBegin(exit.ns, host) : from + 1, event.tid || null, host);
}

/* ---- the list ---- */

function foundThreads(pattern)
{
	return page.trace.info.threads.map((thread, number) => ({ ...thread, number }))
		.filter(({ tid, comm }) => `${comm ?? ""} ${tid}`.toLowerCase().includes(pattern))
		.map(({ tid, comm, number, host }) => ({
			host,
			text: page.trace.withHost(`thread ${comm || "?"} ${tid}`, host),
			words: ["--tid", String(tid)],
			show: () => {
				const index = page.trace.info.lanes.findIndex((lane) => lane.kind == "thread" && lane.number == number);

				select(index, page.view.from, page.view.to);
				page.list.reveal(index);
			},
		}));
}

/* The event of a call whose figures are called @key, as lkst_syscall_figure() has it: "entry" or "exit". */
function callEvent(key, half)
{
	const call = key.replace(/^compat:/, "").replace(/^unknown:.*/, "unknown");

	return `${key.startsWith("compat:") ? "compat_" : ""}syscall_${half}_${call}`;
}

function foundCalls(pattern)
{
	return found.calls.filter(({ key }) => key.includes(pattern)).map(({ key, count, max_ns: longest, host }) => ({
		host: page.trace.hostNamed(host),
		text: page.trace.withHost(`call ${key}: ${count}, longest ${durationFigure(Number(longest))}`, page.trace.hostNamed(host)),
		words: ["--event", callEvent(key, "entry")],
		exit: ["--event", callEvent(key, "exit")],
		show: () => showAnalysis("syscall", key),
	}));
}

/* What programs mark; [ and ] go through the longest ones. */
function foundSpans(pattern)
{
	return found.spans.filter(({ key }) => key.toLowerCase().includes(pattern)).map(({ key, count, max_ns: longest, host }) => ({
		text: page.trace.withHost(`span ${key}: ${count}, longest ${durationFigure(Number(longest))}`, page.trace.hostNamed(host)),
		show: () => showAnalysis("span", key),
	}));
}

function foundEvents(pattern)
{
	return found.events.filter(({ name }) => name.includes(pattern)).map(({ name, count, host }) => ({
		host,
		text: page.trace.withHost(`event ${name}: ${count}`, host),
		words: ["--event", name],
		show: () => findEvents(`--event ${name}`),
	}));
}

function stepButton(what, text, by)
{
	const button = make("button", { type: "button", "aria-label": `${by > 0 ? "next" : "previous"} ${visible(what.text)}` }, text);

	button.addEventListener("click", () => attempt(byId("panel-find"), () => stepTo(what, by)));
	return button;
}

function foundElement(what)
{
	const link = make("a", { href: "#", className: "found" }, nameElement(what.text));

	link.addEventListener("click", (event) => {
		event.preventDefault();
		what.show();
	});
	return make("li", {}, ...what.words ? [stepButton(what, "\u25c2", -1), " ", stepButton(what, "\u25b8", 1), " "] : [], link);
}

function showFound()
{
	const pattern = byId("find").value.trim().toLowerCase();

	attempt(byId("panel-find"), () => {
		loadFound();

		const kinds = pattern ? [foundThreads(pattern), foundCalls(pattern), foundSpans(pattern), foundEvents(pattern)] : [];
		const nr = kinds.flat().length;

		byId("found").replaceChildren(...kinds.flatMap((list) => list.slice(0, FOUND_MAX)).map(foundElement));
		byId("found-about").textContent = pattern ? `${nr} found` : "";
	});
}

function fillFind(element)
{
	const input = make("input", { id: "find", value: byId("find")?.value ?? "", type: "search", spellcheck: false, autocomplete: "off", placeholder: "thread, system call or event" });

	input.addEventListener("input", showFound);
	element.replaceChildren(make("label", { className: "row" }, "Find ", input), make("p", { id: "found-about", role: "status" }),
		make("ul", { id: "found" }));
}

panels.add("find", "Find", fillFind);
