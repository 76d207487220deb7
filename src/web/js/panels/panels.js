// SPDX-License-Identifier: GPL-2.0-only
/*
 * The panels below the picture, and a tab for each (the pattern "tabs" of WAI-ARIA). A panel is filled when it is seen first,
 * for each trace, so that nothing is worked out that nobody looks at.
 */
"use strict";

class Panels {
	#all = new Map();
	#shown = null;

	/*
	 * Adds a panel after those that there are. @fill(element) makes its contents of page.trace. The element is that of the page
	 * called "panel-@id", if there is one. @again() is called when it is shown again without being filled.
	 */
	add(id, title, fill, again = () => {})
	{
		const element = byId(`panel-${id}`) ?? make("div", { id: `panel-${id}` });
		const tab = make("button", { type: "button", id: `tab-${id}`, role: "tab", tabIndex: -1,
			"aria-controls": element.id, "aria-selected": "false" }, title);

		element.className = "panel";
		element.tabIndex = 0;
		element.hidden = true;
		element.setAttribute("role", "tabpanel");
		element.setAttribute("aria-labelledby", tab.id);
		tab.addEventListener("click", () => this.show(id));
		tab.addEventListener("keydown", (event) => this.#onKey(event, id));
		byId("tabs").append(tab);
		byId("panels").append(element);
		this.#all.set(id, { element, tab, fill, again, filledFor: null });
		if (!this.#shown)
			this.show(id);
	}

	isShown(id)
	{
		return this.#shown == id;
	}

	/* Selects the tab, and fills the panel if it is not. */
	show(id)
	{
		for (const [other, { element, tab }] of this.#all) {
			element.hidden = other != id;
			tab.setAttribute("aria-selected", String(other == id));
			tab.tabIndex = other == id ? 0 : -1;
		}
		this.#shown = id;
		if (!this.fill() && page.trace)
			this.#all.get(id).again();
	}

	/* Fills the panel that is shown, unless it is filled, or there is no trace: then false. */
	fill()
	{
		const panel = this.#all.get(this.#shown);

		if (!page.trace || panel?.filledFor === page.trace)
			return false;
		panel.filledFor = page.trace;
		attempt(panel.element, () => panel.fill(panel.element));
		return true;
	}

	/* Left, right, Home and End go through the tabs. */
	#onKey(event, id)
	{
		const ids = [...this.#all.keys()];
		const at = ids.indexOf(id);
		const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: ids.length - 1 }[event.key];

		if (to === undefined)
			return;
		event.preventDefault();
		event.stopPropagation();

		const next = ids[(to + ids.length) % ids.length];

		this.show(next);
		this.#all.get(next).tab.focus();
	}
}

/* Does it, and says in @element what has gone wrong. */
function attempt(element, action)
{
	element.querySelector(":scope > .failure")?.remove();
	try {
		action();
	} catch (error) {
		element.prepend(make("p", { className: "failure", role: "alert" }, visible(error.message)));
	}
}

const panels = new Panels();
