// SPDX-License-Identifier: GPL-2.0-only
/*
 * The side panel: the account of lkst why, as a list of its sentences. Each is a link to its time on the lane of its thread. The
 * drawing gets the chain of them: who did what from when to when, and who ended it or was in the way.
 */
"use strict";

/* The steps that are a stretch of a thread's lane; the drawing has an arrow from who ended each (arrows.js). */
const CHAIN_KINDS = ["ran", "ready", "blocked"];

/* The number of the host that a step is about. */
function hostOfStep(step)
{
	return page.trace.hostNamed(step.host);
}

/*
 * Of an account, depth first: [{ tid, host, from_ns, to_ns, by_tid, by_host }], times after the trace's beginning; by_tid: null if
 * nobody is known. A packet that ended a wait was sent by the thread of another host that the next step is about.
 */
function chainOf(steps)
{
	return steps.flatMap((step) => {
		const peer = step.steps.find(({ host }) => host !== step.host);

		return [
			...CHAIN_KINDS.includes(step.kind) ? [{
				tid: step.thread.tid,
				host: hostOfStep(step),
				from_ns: sinceBegin(step.from_ns),
				to_ns: sinceBegin(step.to_ns),
				by_tid: step.facts.waker?.tid ?? step.facts.occupant?.tid ?? peer?.thread.tid ?? null,
				by_host: hostOfStep(peer ?? step),
			}] : [],
			...chainOf(step.steps),
		];
	});
}

/* The events that a step rests on, each a link. */
function eventsElement({ events, ...step })
{
	const items = events.map(({ ns, cpu, tid, event }) => {
		const at = sinceBegin(ns);

		return make("li", {}, timeLink(momentElement(at), at, at + 1, tid, hostOfStep(step)), ` CPU ${cpu} ${event}`);
	});

	return make("details", {}, make("summary", {}, `${items.length} ${items.length == 1 ? "event" : "events"}`),
		make("ul", {}, ...items));
}

/* "1234/bash", as in the sentences */
function threadText({ tid, comm })
{
	return `${tid}/${comm ?? "-"}`;
}

/* What comes before the sentence of a step: a top step says whom it is about, and the others when, from its beginning. */
function headOf(step, parent, top)
{
	const length = durationFigure(Number(BigInt(step.to_ns) - BigInt(step.from_ns)));
	const after = BigInt(step.from_ns) - BigInt(top.from_ns);
	const isSame = parent && step.thread.tid == parent.thread.tid && step.host === parent.host;
	const host = step.host === undefined || step.host === parent?.host ? "" : `${step.host}: `;
	const who = isSame ? "" : host + threadText(step.thread);

	if (!parent)
		return { when: [momentElement(sinceBegin(step.from_ns)), `, ${length}`], who };
	return { when: [`${after < 0n ? "-" : "+"}${durationFigure(Number(after < 0n ? -after : after))} ${length}`], who };
}

function stepElement(step, parent, top)
{
	const { when, who } = headOf(step, parent, top);
	const sentence = make("span", {}, ...who ? [nameElement(who), ": "] : [], make("bdi", { className: "sentence" }, visible(step.text)));
	const item = make("li", { className: step.kind }, make("span", { className: "when" }, ...when), " ",
		timeLink(sentence, sinceBegin(step.from_ns), sinceBegin(step.to_ns), step.thread.tid, hostOfStep(step)));

	if (step.events.length)
		item.append(eventsElement(step));
	if (step.steps.length)
		item.append(make("ol", {}, ...step.steps.map((inner) => stepElement(inner, step, top))));
	return item;
}

/* The lanes of an account: those of its threads, of who woke them or was in the way, and of CPUs. */
function lanesOfChain(chain)
{
	const threads = chain.flatMap(({ tid, host, by_tid: by, by_host: byHost, from_ns: from, to_ns: to }) =>
		[page.trace.laneOfThread(tid, from, host), by === null ? -1 : page.trace.laneOfThread(by, to, byHost)]);

	return [...page.list.lanes.filter((lane) => lane.kind == "cpu" && page.list.groupOf(lane) === null).map(({ index }) => index), ...threads];
}

/* Other lanes are hidden, if the button says so, as long as the account is there. */
function showItsLanes()
{
	const isOnly = byId("only").getAttribute("aria-pressed") == "true" && !byId("side").hidden && page.drawing.chain.length;

	if (isOnly || page.list.only)
		page.list.showOnly(isOnly ? lanesOfChain(page.drawing.chain) : null);
}

function showChain(chain)
{
	page.drawing.chain = chain;
	showItsLanes();
}

/* The side takes some of the picture's width, and gives it back. */
function setSide(isOpen)
{
	if (byId("side").hidden == !isOpen)
		return;
	byId("side").hidden = !isOpen;
	window.dispatchEvent(new Event("resize"));
}

function closeWhy()
{
	setSide(false);
	byId("account").replaceChildren();
	showChain([]);
}

function askAccount(inShort, words)
{
	return askJson("why", "--format", "json", "--in-short", inShort, ...words);
}

function noteElements(notes)
{
	return notes.map((note) => make("p", { className: "note" }, visible(note)));
}

/*
 * Asks `lkst why` with these words, and shows what it says. What it says in short takes a pass over all that was before, and
 * comes when the account is on the screen, unless that is gone by then.
 */
async function showWhy(...words)
{
	const account = byId("account");
	const later = make("p", { className: "note", role: "status" }, "...");

	setSide(true);
	account.replaceChildren();
	attempt(account, () => {
		const { out, err } = askAccount("no", words);

		account.append(make("ol", {}, ...out.steps.map((step) => stepElement(step, null, step))),
			...noteElements([...out.notes, ...err ? [err] : []]), later);
		showChain(chainOf(out.steps));
		if (words[0] == "--worst" && out.steps.length)
			goTo(sinceBegin(out.steps[0].from_ns), sinceBegin(out.steps[0].to_ns), out.steps[0].thread.tid,
				hostOfStep(out.steps[0]));
	});
	await painted();
	if (later.isConnected) {
		later.remove();
		attempt(account, () => account.append(...noteElements(askAccount("only", words).out.notes)));
	}
}

async function askWhy()
{
	const selection = page.selection;

	if (selection?.thread)
		await showWhy(...questionOfSpan(selection) ?? ["--tid", String(selection.thread.tid), ...rangeWords(selection.from, selection.to)],
			...page.trace.isSeveral ? ["--host", page.trace.hosts[selection.lane.host].name] : []);
}

byId("close-why").addEventListener("click", closeWhy);
byId("only").addEventListener("click", (event) => {
	const { target } = event;

	target.setAttribute("aria-pressed", String(target.getAttribute("aria-pressed") != "true"));
	showItsLanes();
});
byId("worst").addEventListener("change", (event) => {
	if (page.trace && event.target.value)
		showWhy("--worst", event.target.value);
	event.target.value = "";
});
page.addEventListener("trace", closeWhy);
