// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several analyses along one axis of time: the picture that `lkst analyze --format svg` makes of the stretch that is
 * shown.
 */
"use strict";

const STANDARD_GRAPHS = "chart,runqueue,biotime";

class Graphs {
	/* What was asked for last stays. */
	static words = STANDARD_GRAPHS;

	constructor(place)
	{
		this.input = make("input", { value: Graphs.words, spellcheck: false, autocomplete: "off",
			"aria-label": "analyses to draw, with options" });
		this.link = make("a", { textContent: "Save", download: "lkst.svg" });
		this.image = make("img");
		this.failure = make("p", { className: "wrong", role: "alert" });

		const form = make("form", { className: "maphead" }, make("label", {}, "lkst analyze ", this.input),
			make("button", { textContent: "Draw" }), this.link);

		form.addEventListener("submit", (event) => {
			event.preventDefault();
			this.draw();
		});
		place.append(form, this.failure, this.image);
	}

	close()
	{
		URL.revokeObjectURL(this.url);
	}

	draw()
	{
		const { from, to } = page.view;

		Graphs.words = this.input.value;

		const { host } = page.maps;
		const { status, out, err } = page.lkst.of(host, () => page.lkst.run(["analyze", ...wordsOf(this.input.value), "--format", "svg",
			...rangeWords(from, to, host), page.trace.name]));

		this.failure.textContent = err.trim();
		this.image.hidden = status != 0;
		this.close();
		if (status)
			return;
		this.url = URL.createObjectURL(new Blob([out], { type: "image/svg+xml" }));
		this.image.src = this.url;
		this.image.alt = new DOMParser().parseFromString(out, "image/svg+xml").querySelector("desc")?.textContent ?? "";
		this.link.href = this.url;
	}
}
