// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lanes of spans, which programs mark (doc/marks.md): a box for each, with its name and number when it is close enough; from afar
 * how much of the time there was one.
 */
"use strict";

const SPANS_COUNTED = 1000; /* at most, of a stretch */

/* "commit 17" */
function spanName({ name, id })
{
	return id ? `${name} ${id}` : name;
}

/* A span in words, at a slice of who had it. */
function spanInWords(trace, { from, to, span })
{
	const how = { open: "it goes on after the trace", dead: "its thread ended before it",
		lost: "it may have ended where marks are missing" }[span.ending];
	const isPart = from > span.from || to < span.to;

	return `${visible(spanName(span))}, ${durationText(span.to - span.from)}` +
		(isPart ? `, of which this thread had it ${durationText(to - from)}` : "") +
		(how ? `; ${how}` : "") + (span.isDoubtful ? "; marks are missing in it: begin and end may not belong together" : "");
}

/* "3 spans", of these slices of a stretch. */
function countedSpans(slices)
{
	const nr = new Set(slices.map(({ life }) => life)).size;

	return nr > SPANS_COUNTED ? `more than ${SPANS_COUNTED} spans` : nr == 1 ? "1 span" : `${nr} spans`;
}

/* What lkst why is asked about the selection, if that is just one span that has ended; else null. */
function questionOfSpan({ index, lane, from, to })
{
	const [slice] = lane?.kind == "span" ? page.trace.slices(index, from, from + 1, 1) : [];

	if (!slice || slice.from != from || slice.to != to || slice.span.ending != "ended")
		return null;

	const { name, id } = slice.span;

	/* The name is a pattern there. */
	return ["--span", name.replace(/[*?[\]\\]/g, "?"), ...id ? ["--id", String(id)] : [], ...rangeWords(slice.span.from, slice.span.to)];
}

/* @colours: span, text, and hatching of what is not sure. */
function drawSpans(context, trace, index, from, to, colours)
{
	const { width, height } = context.canvas;
	const max = Math.ceil(width / 3);
	const slices = trace.slices(index, from, to, max);

	context.clearRect(0, 0, width, height);
	context.fillStyle = colours.span;
	if (slices.length == max) {
		const shares = trace.shares(index, from, to, width);

		for (let x = 0; x < width; x++) {
			const share = shares[x * NR_STATES + trace.info.states.indexOf("running")] / 65535;

			context.fillRect(x, height * (1 - share), 1, height * share);
		}
		return;
	}
	context.font = LABEL_FONT;
	context.textBaseline = "middle";
	for (const slice of slices) {
		const first = Math.max((slice.from - from) / (to - from) * width, -1);
		const last = Math.min(Math.max((slice.to - from) / (to - from) * width, first + 1), width + 1);

		context.fillStyle = colours.text;
		context.fillRect(first, 1, last - first, height - 2);
		context.fillStyle = colours.span;
		context.fillRect(first + 1, 2, last - first - 1, height - 4);
		context.fillStyle = colours.hatching;
		if (slice.span.isDoubtful || slice.span.ending == "lost")
			context.fillRect(first, 1, last - first, height / HATCH_STEPS);
		context.fillStyle = colours.onSpan;
		drawLabel(context, spanName(slice.span), first, last, height / 2);
	}
}
