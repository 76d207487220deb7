// SPDX-License-Identifier: GPL-2.0-only
/* The keys, and the page of help that lists them. */
"use strict";

/* The keys, as nameOfKey() has them; how they are called, where that differs; what they do, in words and in deed. */
const KEYS = [
	{ keys: ["w", "+"], text: "closer", act: () => page.view.zoom(0.5) },
	{ keys: ["s", "-"], text: "farther", act: () => page.view.zoom(2) },
	{ keys: ["a"], text: "earlier", act: () => page.view.move(-0.25) },
	{ keys: ["d"], text: "later", act: () => page.view.move(0.25) },
	{ keys: ["0"], text: "show the whole trace", act: () => page.view.show(0, page.view.length) },
	{ keys: ["f"], text: "show what is selected", act: () => showSelected() },
	{ keys: ["ArrowUp"], names: ["up"], text: "the row above", act: () => page.list.step(-1) },
	{ keys: ["ArrowDown"], names: ["down"], text: "the row below", act: () => page.list.step(1) },
	{ keys: ["Home"], text: "the first row", act: () => page.list.step(-Infinity) },
	{ keys: ["End"], text: "the last row", act: () => page.list.step(Infinity) },
	{ keys: ["ArrowLeft"], names: ["left"], text: "the slice before; without a row, earlier", act: () => stepSlice(-1) },
	{ keys: ["ArrowRight"], names: ["right"], text: "the slice after; without a row, later", act: () => stepSlice(1) },
	{ keys: ["Shift+ArrowLeft"], names: ["Shift left"], text: "select the slice before, too", act: () => stepSlice(-1, true) },
	{ keys: ["Shift+ArrowRight"], names: ["Shift right"], text: "select the slice after, too", act: () => stepSlice(1, true) },
	{ keys: ["t"], text: "select the same time of all lanes, or of this row", act: () => selectTime() },
	{ keys: ["m"], text: "mark what is selected, to compare with it; again: unmark", act: () => markSelection() },
	{ keys: ["Enter"], text: "why: explain what is selected", act: () => askWhy() },
	{ keys: ["Escape"], names: ["Esc"], text: "select nothing; again: no row", act: () => unselect() },
	{ keys: [" "], names: ["Space"], text: "collapse a process or a host, or show its lanes", act: () => toggleCurrent() },
	{ keys: ["c"], text: "collapse all processes, or none", act: () => page.list.toggleAll() },
	{ keys: ["p"], text: "keep this row on top, or no longer", act: () => page.list.current && page.list.pin(page.list.current) },
	{ keys: ["/"], text: "find lanes by name or number", act: () => byId("search").focus() },
	{ keys: ["["], text: "what was found before this", act: () => stepFound(-1) },
	{ keys: ["]"], text: "what was found after this", act: () => stepFound(1) },
	{ keys: ["?"], text: "this list", act: () => byId("help").showModal() },
];

function showSelected()
{
	if (page.selection)
		page.view.show(page.selection.from, page.selection.to);
}

/* The process of the current row. */
function toggleCurrent()
{
	const lane = page.list.currentRow?.lane;
	const name = lane && (lane.kind == "group" ? lane.name : page.list.groupOf(lane));

	if (!page.list.groupNamed(name))
		return;
	page.list.setCurrent(name);
	page.list.toggle(name);
}

function nameOfKey({ key, shiftKey })
{
	return shiftKey && key.length > 1 ? `Shift+${key}` : key;
}

/* Whether a key is for the element that has the focus: somebody types, presses a button, or moves beside the picture. */
function isOfElement(key, element)
{
	if (element.matches("input, select, textarea"))
		return true;
	if (element.matches("button, a, summary") && (key == "Enter" || key == " "))
		return true;
	return element !== document.body && !element.closest("#picture") && /^(Shift\+)?(Arrow|Home|End| )/.test(key);
}

function onKey(event)
{
	const name = nameOfKey(event);
	const found = KEYS.find(({ keys }) => keys.includes(name));

	/* On some keyboards [ and ] are typed with AltGr, which counts as Ctrl and Alt. */
	const isOther = (event.ctrlKey || event.altKey || event.metaKey) && !event.getModifierState("AltGraph");

	if (!page.trace || !found || isOther || document.querySelector("dialog[open]"))
		return;
	if (isOfElement(name, event.target))
		return;
	event.preventDefault();
	found.act();
}

/* The overview is a slider: the arrows move what is shown, whatever row is the current one. */
function onOverviewKey(event)
{
	const by = { ArrowLeft: -0.25, ArrowDown: -0.25, ArrowRight: 0.25, ArrowUp: 0.25 }[event.key];

	if (!page.trace || !by || event.ctrlKey || event.altKey || event.metaKey)
		return;
	event.preventDefault();
	event.stopPropagation();
	page.view.move(by);
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
	byId("overview").addEventListener("keydown", onOverviewKey);
	document.addEventListener("keydown", onKey);
}
