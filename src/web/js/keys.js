// SPDX-License-Identifier: GPL-2.0-only
/* The keys, and the page of help that names them. */
"use strict";

/* The keys, as KeyboardEvent.key has them; their names, where they differ; what they do, in words and in deed. */
const KEYS = [
	{ keys: ["w", "+"], text: "closer", act: () => page.view.zoom(0.5) },
	{ keys: ["s", "-"], text: "farther", act: () => page.view.zoom(2) },
	{ keys: ["a", "ArrowLeft"], names: ["a", "left"], text: "earlier", act: () => page.view.move(-0.25) },
	{ keys: ["d", "ArrowRight"], names: ["d", "right"], text: "later", act: () => page.view.move(0.25) },
	{ keys: ["ArrowUp"], names: ["up"], text: "the row above", act: () => page.list.step(-1) },
	{ keys: ["ArrowDown"], names: ["down"], text: "the row below", act: () => page.list.step(1) },
	{ keys: ["Home"], text: "the first row", act: () => page.list.step(-Infinity) },
	{ keys: ["End"], text: "the last row", act: () => page.list.step(Infinity) },
	{ keys: [" "], names: ["Space"], text: "collapse a process, or show its threads", act: () => toggleCurrent() },
	{ keys: ["c"], text: "collapse all processes, or none", act: () => page.list.toggleAll() },
	{ keys: ["p"], text: "keep a row on top, or no longer", act: () => page.list.current && page.list.pin(page.list.current) },
	{ keys: ["f"], text: "show what is selected",
		act: () => page.selection && page.view.show(page.selection.from, page.selection.to) },
	{ keys: ["0"], text: "show the whole trace", act: () => page.view.show(0, page.view.length) },
	{ keys: ["Enter"], text: "why: explain what is selected", act: () => askWhy() },
	{ keys: ["/"], text: "find a lane", act: () => byId("search").focus() },
	{ keys: ["Escape"], names: ["Esc"], text: "select nothing", act: () => unselect() },
	{ keys: ["?"], text: "this help", act: () => byId("help").showModal() },
];

function toggleCurrent()
{
	const lane = page.list.currentRow?.lane;
	const name = lane && (lane.kind == "group" ? lane.name : page.list.groupOf(lane));

	if (!page.list.groups.has(name))
		return;
	page.list.setCurrent(name);
	page.list.toggle(name);
}

/* Whether a key is for the element that has the focus: somebody types, or presses a button, or scrolls an answer. */
function isOfElement(key, element)
{
	if (element.matches("input, select, textarea"))
		return true;
	if (element.matches("button, a, summary"))
		return key == "Enter" || key == " ";
	return element.closest("#answers") && /^(Arrow|Home|End| )/.test(key);
}

function onKey(event)
{
	const found = KEYS.find(({ keys }) => keys.includes(event.key));

	if (!page.trace || !found || event.ctrlKey || event.altKey || event.metaKey || document.querySelector("dialog[open]"))
		return;
	if (isOfElement(event.key, event.target))
		return;
	event.preventDefault();
	found.act();
}

function listenToKeys()
{
	byId("help").querySelector("dl").replaceChildren(...KEYS.flatMap(({ keys, names = keys, text }) => {
		const term = document.createElement("dt");
		const meaning = document.createElement("dd");

		term.textContent = names.join(", ");
		meaning.textContent = text;
		return [term, meaning];
	}));
	byId("help").querySelector("button").addEventListener("click", () => byId("help").close());
	document.addEventListener("keydown", onKey);
}
