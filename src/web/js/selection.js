// SPDX-License-Identifier: GPL-2.0-only
/*
 * The selected stretch of a lane, page.selection: { index, lane, name, thread, from, to }, @index being the lane's
 * and @thread null if it is not a thread's; null: nothing is selected.
 */
"use strict";

function setSelection(selection)
{
	page.selection = selection;
	page.tell("selection");
}

function select(index, from, to)
{
	const lane = page.trace.info.lanes[index];

	setSelection({ index, lane, name: page.list.lanes[index].name, thread: page.trace.threadOf(lane), from, to });
}

/* As select(); a stretch that is hardly one selects the slice that is there. */
function selectThere(index, from, to)
{
	if (to - from < 3 * page.view.span / 1000) {
		const [slice] = page.trace.slices(index, from, from + 1, 1);

		if (slice)
			[from, to] = [slice.from, slice.to];
	}
	select(index, from, to);
}

function unselect()
{
	setSelection(null);
}

function showSelectionIn(row)
{
	const selection = page.selection;

	row.space.querySelector(".selected")?.remove();
	if (!selection || selection.index != row.lane.index)
		return;

	const frame = document.createElement("div");

	frame.className = "selected";
	frame.style.left = `${100 * page.view.placeOf(selection.from)}%`;
	frame.style.width = `${100 * (selection.to - selection.from) / page.view.span}%`;
	row.space.append(frame);
}

function selectionInWords()
{
	const { index, name, from, to } = page.selection;

	return `${name}: +${durationText(from)} to +${durationText(to)}, ${durationText(to - from)}; ` +
		page.trace.describe(index, from);
}

function askWhy()
{
	const selection = page.selection;

	if (!selection?.thread)
		return;
	page.answers.ask(`why --tid ${selection.thread.tid} --from ${afterBegin(selection.from)} --to ${afterBegin(selection.to)}`);
}

page.addEventListener("selection", () => {
	byId("why").disabled = !page.selection?.thread;
	byId("selection").textContent = page.selection ? selectionInWords()
		: "Select a stretch of a thread with the mouse, then Why.";
});
