// SPDX-License-Identifier: GPL-2.0-only
/* The ruler above the lanes: times that are round numbers in the form that times have. */
"use strict";

const MARKS_MAX = 8;

/* The distance of the marks, a nanosecond at least: a trace may be as short. */
function rulerStep(span)
{
	const step = 10 ** Math.max(Math.floor(Math.log10(span / 4)), 0);

	return [1, 2, 5, 10].map((factor) => factor * step).find((ns) => span / ns <= MARKS_MAX);
}

function showRuler()
{
	const { from, to, span } = page.view;
	const step = rulerStep(span);
	const zero = Number(TIME_FORMS[page.timeForm].zero(page.trace.info) % BigInt(Math.round(step)));
	const marks = [];

	for (let at = Math.ceil((from + zero) / step) * step - zero; at < to; at += step) {
		const mark = document.createElement("span");

		mark.style.left = `${100 * page.view.placeOf(at)}%`;
		mark.textContent = timeText(at, digitsFor(step));
		marks.push(mark);
	}
	byId("ruler").replaceChildren(...marks);
}
