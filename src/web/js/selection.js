// SPDX-License-Identifier: GPL-2.0-only
/*
 * The selected stretch, page.selection: { index, lane, name, thread, from, to }. @index is its lane's, or null if it is of
 * all lanes, and then @lane is null, too; @thread is null if the lane is no thread's. page.selection itself is null if
 * nothing is selected. page.mark is such a stretch that was kept to be compared with; page.dragged one that the mouse
 * is just making.
 */
"use strict";

const ALL_LANES = "all lanes";

/* A stretch of lane @index, or with null, of all; in whole nanoseconds, as a command takes it. */
function stretchOf(index, from, to)
{
	const lane = index === null ? null : page.trace.info.lanes[index];

	return { index, lane, name: lane ? page.list.lanes[index].name : ALL_LANES, thread: page.trace.threadOf(lane),
		from: Math.round(from), to: Math.round(to) };
}

function setSelection(selection)
{
	page.selection = selection;
	page.tell("selection");
}

function select(index, from, to)
{
	setSelection(stretchOf(index, from, to));
}

/* As select(); a stretch of a lane that is hardly one selects the slice that is there. */
function selectThere(index, from, to)
{
	if (to - from < 3 * page.view.span / 1000) {
		const [slice] = index === null ? [] : page.trace.slices(index, from, from + 1, 1);

		if (!slice)
			return;
		[from, to] = [slice.from, slice.to];
	}
	select(index, from, to);
}

function unselect()
{
	if (!page.selection && page.list)
		page.list.setCurrent(null);
	setSelection(null);
}

/* ---- by keys ---- */

/* The slice of lane @index before a stretch, or after it. */
function neighbour(index, { from, to }, by)
{
	return by < 0 ? page.trace.sliceBefore(index, from) : page.trace.slices(index, to, page.trace.length, 1)[0];
}

/* The slice of lane @index at a time, or what comes after it or before it. */
function sliceNear(index, at, by)
{
	return neighbour(index, { from: at + 1, to: at }, by) ?? neighbour(index, { from: at + 1, to: at }, -by);
}

/*
 * Selects the slice before or after what is selected, in the current row; with @isLonger the selection takes it in. Without
 * a current row the picture moves.
 */
function stepSlice(by, isLonger)
{
	const lane = page.list.currentRow?.lane;

	if (!lane || lane.kind == "group") {
		page.view.move(by / 4);
		return;
	}

	const old = page.selection;
	const isHere = old?.index === lane.index;
	const slice = isHere ? neighbour(lane.index, old, by) : sliceNear(lane.index, old?.from ?? page.view.timeAt(0.5), by);

	if (!slice) {
		if (lane.kind == "count")
			page.view.move(by / 4);
		return;
	}
	if (isHere && isLonger)
		select(lane.index, Math.min(old.from, slice.from), Math.max(old.to, slice.to));
	else
		select(lane.index, slice.from, slice.to);
	page.view.reveal(by < 0 ? slice.from : slice.to);
}

/* The selected stretch of one lane becomes one of all lanes; and that the current row's. Without any, it is what is shown. */
function selectTime()
{
	const { from, to } = page.selection ?? page.view;
	const lane = page.list.currentRow?.lane;

	select(page.selection?.index === null && lane && lane.kind != "group" ? lane.index : null, from, to);
}

/* Keeps what is selected, to compare other selections with it; what is kept already, or nothing, ends that. */
function markSelection()
{
	const { selection, mark } = page;
	const isSame = mark && selection && ["index", "from", "to"].every((key) => mark[key] === selection[key]);

	page.mark = isSame ? null : selection;
	page.tell("mark");
}

/* ---- how it looks ---- */

function frame(stretch, className)
{
	const element = document.createElement("div");

	element.className = stretch.index === null ? `${className} all` : className;
	element.style.left = `${100 * page.view.placeOf(stretch.from)}%`;
	element.style.width = `${100 * (stretch.to - stretch.from) / page.view.span}%`;
	return element;
}

/* Frames around what is selected and what is marked in a row. */
function showSelectionIn(row)
{
	const stretches = [[page.dragged ?? page.selection, "selected"], [page.mark, "marked"]];

	for (const old of row.space.querySelectorAll(".selected, .marked"))
		old.remove();
	for (const [stretch, className] of stretches)
		if (stretch && (stretch.index === null || stretch.index === row.lane.index))
			row.space.append(frame(stretch, className));
}

/* "running 80 %, ready 20 %" */
function sharesInWords({ index, lane, from, to })
{
	if (lane?.kind == "count")
		return countInWords(page.trace, index, from, to);
	if (lane?.kind == "span")
		return countedSpans(page.trace.slices(index, from, to, SPANS_COUNTED + 1));

	const places = index ?? page.list.lanes.filter((lane) => lane.kind == "cpu").map((lane) => lane.index);
	const shares = page.trace.shares(places, from, to, 1) ?? [];

	return [...shares].map((share, state) => ({ share: share / 655.35, name: page.trace.info.states[state] }))
		.filter(({ share }) => share > 0).sort((a, b) => b.share - a.share)
		.map(({ share, name }) => `${name} ${share < 1 ? "<1" : Math.round(share)} %`).join(", ");
}

function stretchInWords(stretch)
{
	const { index, name, from, to } = stretch;
	const digits = digitsFor((to - from) / 1000);
	const [slice] = index === null ? [] : page.trace.slices(index, from, from + 1, 1);
	const isOne = slice && slice.from <= from && slice.to >= to;

	return `${name}: ${timeText(from, digits)} to ${timeText(to, digits)}, ${durationText(to - from)}; ` +
		(isOne ? page.trace.describe(index, from) : `${index === null ? "CPUs " : ""}${sharesInWords(stretch) || "not there"}`);
}

function showSelection()
{
	byId("why").disabled = !page.selection?.thread;
	byId("selection").textContent = page.selection ? stretchInWords(page.selection) + page.drawing.arrows.inWords()
		: "Select a stretch with the mouse, or with the arrows; then Why explains it, and m keeps it to be compared.";
}

page.addEventListener("selection", showSelection);
page.addEventListener("time", () => page.trace && showSelection());
