// SPDX-License-Identifier: GPL-2.0-only
/* The keys, and the page of help that names them. */
"use strict";

/* The keys, as KeyboardEvent.key has them; their names, where they differ; what they do, in words and in deed. */
const KEYS = [
	{ keys: ["w", "+"], text: "closer", act: () => page.view.zoom(0.5) },
	{ keys: ["s", "-"], text: "farther", act: () => page.view.zoom(2) },
	{ keys: ["a", "ArrowLeft"], names: ["a", "left"], text: "earlier", act: () => page.view.move(-0.25) },
	{ keys: ["d", "ArrowRight"], names: ["d", "right"], text: "later", act: () => page.view.move(0.25) },
	{ keys: ["f"], text: "show what is selected",
		act: () => page.selection && page.view.show(page.selection.from, page.selection.to) },
	{ keys: ["0"], text: "show the whole trace", act: () => page.view.show(0, page.view.length) },
	{ keys: ["Enter"], text: "why: explain what is selected", act: () => askWhy() },
	{ keys: ["/"], text: "find a lane", act: () => byId("search").focus() },
	{ keys: ["Escape"], names: ["Esc"], text: "select nothing", act: () => unselect() },
	{ keys: ["?"], text: "this help", act: () => byId("help").showModal() },
];

function onKey(event)
{
	const found = KEYS.find(({ keys }) => keys.includes(event.key));
	const isTyping = event.target instanceof HTMLInputElement;

	if (!page.trace || !found || isTyping || event.ctrlKey || event.altKey || event.metaKey || byId("help").open)
		return;
	if (event.key == "Enter" && event.target instanceof HTMLButtonElement)
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
