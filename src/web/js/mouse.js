// SPDX-License-Identifier: GPL-2.0-only
/* The mouse over the picture: it selects, explains, zooms and moves. */
"use strict";

/* The row and the time under a mouse event; null: there is none. */
function placeOf(event)
{
	const row = page.list?.rowOf(event.target);

	if (!row?.space.contains(event.target))
		return null;

	const box = row.space.getBoundingClientRect();
	const place = (event.clientX - box.left) / box.width;

	return { row, place, at: page.view.timeAt(place) };
}

/* What is beside the pictures: the name of a row makes it the current one, collapses a process, or pins it. */
function onRowClick(event)
{
	const row = page.list?.rowOf(event.target);

	if (!row || row.space.contains(event.target))
		return;
	page.list.setCurrent(row.lane.name);
	if (event.target.classList.contains("pin"))
		page.list.pin(row.lane.name);
	else if (row.lane.kind == "group")
		page.list.toggle(row.lane.name);
}

function listenToDragging()
{
	let began = null;

	byId("lanes").addEventListener("mousedown", (event) => {
		began = placeOf(event);
		if (began?.row.lane.kind == "group")
			began = null;
		if (began)
			event.preventDefault();
		byId("lanes").focus();
	});
	window.addEventListener("mouseup", (event) => {
		if (!began)
			return;

		const box = began.row.space.getBoundingClientRect();
		const end = page.view.timeAt(Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1));

		selectThere(began.row.lane.index, Math.min(began.at, end), Math.max(began.at, end));
		began = null;
	});
}

function onWheel(event)
{
	const there = placeOf(event);

	if (!there || (!event.ctrlKey && !event.shiftKey && !event.deltaX))
		return;
	event.preventDefault();
	if (event.ctrlKey)
		page.view.zoom(1.002 ** event.deltaY, there.place);
	else
		page.view.move((event.deltaX || event.deltaY) / 1000);
}

function onOverviewClick(event)
{
	if (!page.trace)
		return;

	const box = byId("overview").getBoundingClientRect();
	const at = (event.clientX - box.left) / box.width * page.view.length;

	page.view.show(at - page.view.span / 2, at + page.view.span / 2);
}

function listenToMouse()
{
	listenToDragging();
	byId("lanes").addEventListener("mousemove", (event) => {
		const there = placeOf(event);

		if (there && there.row.lane.kind != "group")
			there.row.space.title = page.trace.describe(there.row.lane.index, there.at, page.view.span / 500);
	});
	byId("lanes").addEventListener("wheel", onWheel, { passive: false });
	byId("lanes").addEventListener("click", onRowClick);
	byId("lanes").addEventListener("scroll", () => page.drawing?.draw());
	byId("overview").addEventListener("click", onOverviewClick);
}
