// SPDX-License-Identifier: GPL-2.0-only
/*
 * The mouse, pens and fingers over the picture. A mouse or a pen selects, moves the edges of what is selected, and with the
 * middle button moves the picture. One finger moves it, two zoom, and a tap selects the slice that is there.
 */
"use strict";

const EDGE_PX = 5; /* so near to an edge it is meant */
const TAP_PX = 8; /* a finger that moves less selects */
const ZOOM_OF_WHEEL = 1.005; /* for each pixel */
const LINE_PX = 16; /* of wheels that turn by lines */
const MIDDLE_BUTTON = 1;

/* What the pressed pointer is doing: { kind: "select", "edge", "move" }, and whatever that needs; null: nothing. */
let press = null;
/* Fingers on the picture: the time that each holds, and where it is. */
const fingers = new Map();

/* ---- what is where ---- */

/* The place of an event along the time that is shown, from 0 to 1: the ruler is as wide as the lanes' pictures. */
function placeAlong(event)
{
	const { left, width } = byId("ruler").getBoundingClientRect();

	return (event.clientX - left) / width;
}

function timeUnder(event)
{
	return page.view.timeAt(Math.min(Math.max(placeAlong(event), 0), 1));
}

/* The row whose picture is under an event; undefined: there is none. */
function rowUnder(event)
{
	const row = page.list?.rowOf(document.elementFromPoint(event.clientX, event.clientY) ?? document.body);

	return row && placeAlong(event) >= 0 ? row : undefined;
}

/* Of the selection's ends, that which is not at the event, if the other one is; null: none is. */
function edgeOpposite(event)
{
	const { selection, view } = page;
	const { width } = byId("ruler").getBoundingClientRect();
	const isNear = (at) => Math.abs(view.placeOf(at) - placeAlong(event)) * width <= EDGE_PX;
	const row = rowUnder(event);

	if (!selection || (selection.index !== null && row?.lane.index !== selection.index))
		return null;
	return isNear(selection.to) ? selection.from : isNear(selection.from) ? selection.to : null;
}

/* ---- mouse and pen ---- */

function beginPress(event)
{
	const row = rowUnder(event);
	const at = timeUnder(event);
	const opposite = edgeOpposite(event);
	const index = row && row.lane.kind != "group" && !event.shiftKey ? row.lane.index : null;

	if (event.button == MIDDLE_BUTTON)
		return { kind: "move", x: event.clientX };
	if (opposite !== null)
		return { kind: "edge", at: opposite, index: page.selection.index };
	if (row)
		page.list.setCurrent(row.lane.name);
	return { kind: "select", at, index, row };
}

/* The stretch from where the press began; over several rows it is of all. */
function stretchOfPress(event)
{
	const at = timeUnder(event);
	const row = rowUnder(event);
	const isOneRow = press.kind == "edge" || !row || !press.row || row === press.row;

	return stretchOf(isOneRow ? press.index : null, Math.min(press.at, at), Math.max(press.at, at));
}

function moveBy(pixels)
{
	page.view.move(-pixels / byId("ruler").clientWidth);
}

function goOn(event)
{
	if (press.kind == "move") {
		moveBy(event.clientX - press.x);
		press.x = event.clientX;
		return;
	}
	page.dragged = stretchOfPress(event);
	page.drawing.draw();
}

function endPress(event)
{
	const { kind } = press;
	const { index, from, to } = stretchOfPress(event);

	press = null;
	page.dragged = null;
	if (kind == "edge" && to > from)
		select(index, from, to);
	if (kind == "select")
		selectThere(index, from, to);
	page.drawing.draw();
}

/* ---- fingers ---- */

function putFinger(event)
{
	fingers.set(event.pointerId, { at: timeUnder(event), x: event.clientX, row: rowUnder(event), began: event.clientX });
}

function moveFinger(event)
{
	const finger = fingers.get(event.pointerId);
	const { left, width } = byId("ruler").getBoundingClientRect();
	const [one, other] = [...fingers.values()];

	finger.x = event.clientX;
	if (!other) {
		page.view.show(finger.at - placeAlong(event) * page.view.span, finger.at + (1 - placeAlong(event)) * page.view.span);
		return;
	}
	/* Each keeps the time that it holds. */
	if (Math.abs(one.x - other.x) < TAP_PX)
		return;

	const span = (other.at - one.at) * width / (other.x - one.x);
	const from = one.at - (one.x - left) / width * span;

	if (span > 0)
		page.view.show(from, from + span);
}

function liftFinger(event)
{
	const { row, began } = fingers.get(event.pointerId);
	const isTap = event.type == "pointerup" && fingers.size == 1 && Math.abs(event.clientX - began) < TAP_PX;

	fingers.delete(event.pointerId);
	for (const finger of fingers.values())
		finger.at = page.view.timeAt(placeAlong({ clientX: finger.x }));
	if (!isTap || !row)
		return;
	page.list.setCurrent(row.lane.name);
	if (row.lane.kind != "group")
		selectThere(row.lane.index, timeUnder(event), timeUnder(event));
}

/* ---- what happens ---- */

/* What is beside the pictures: the name of a row makes it the current one, collapses a process, or pins it. */
function onRowClick(event)
{
	const row = page.list?.rowOf(event.target);

	if (!row || placeAlong(event) >= 0)
		return;
	page.list.setCurrent(row.lane.name);
	if (event.target.classList.contains("pin"))
		page.list.pin(row.lane.name);
	else if (row.lane.kind == "group")
		page.list.toggle(row.lane.name);
}

function onDown(event)
{
	if (!page.trace || placeAlong(event) < 0 || placeAlong(event) > 1)
		return;
	if (event.pointerType == "touch") {
		putFinger(event);
		return;
	}
	if (event.button != 0 && event.button != MIDDLE_BUTTON)
		return;
	event.preventDefault();
	byId("lanes").focus({ preventScroll: true });
	press = beginPress(event);
}

function onMove(event)
{
	if (press)
		goOn(event);
	else if (fingers.has(event.pointerId))
		moveFinger(event);
	else if (page.trace && byId("lanes").contains(event.target))
		showWhatIsThere(event);
}

function onUp(event)
{
	if (fingers.has(event.pointerId))
		liftFinger(event);
	else if (press)
		endPress(event);
}

/* The browser has taken the pointer for something of its own, as for scrolling. */
function onCancel(event)
{
	fingers.delete(event.pointerId);
	press = null;
	page.dragged = null;
}

function showWhatIsThere(event)
{
	const row = rowUnder(event);

	if (!row)
		return;
	row.space.style.cursor = edgeOpposite(event) === null ? "" : "ew-resize";
	row.space.title = row.lane.kind == "group" ? "" :
		page.trace.describe(row.lane.index, timeUnder(event), page.view.span / 500) +
		page.drawing.ticks.inWords(row.lane, timeUnder(event), page.view.span / 500);
}

/* With ctrl, as touchpads report two fingers that part: zooms; with shift, or sideways: moves; else the list scrolls. */
function onWheel(event)
{
	const by = event.deltaMode == WheelEvent.DOM_DELTA_LINE ? LINE_PX : 1;
	const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);

	if (!page.trace || (!event.ctrlKey && !sideways))
		return;
	event.preventDefault();
	if (event.ctrlKey)
		page.view.zoom(ZOOM_OF_WHEEL ** (event.deltaY * by), Math.min(Math.max(placeAlong(event), 0), 1));
	else
		moveBy(-sideways * by);
}

/* A press in the overview, and what follows it, has the middle of what is shown there. */
function onOverview(event)
{
	if (!page.trace || !(event.buttons & 1))
		return;

	const { left, width } = byId("overview").getBoundingClientRect();
	const at = (event.clientX - left) / width * page.view.length;

	page.view.show(at - page.view.span / 2, at + page.view.span / 2);
}

function listenToMouse()
{
	for (const element of [byId("lanes"), byId("ruler")]) {
		element.addEventListener("pointerdown", onDown);
		element.addEventListener("wheel", onWheel, { passive: false });
	}
	window.addEventListener("pointermove", onMove);
	window.addEventListener("pointerup", onUp);
	window.addEventListener("pointercancel", onCancel);
	byId("lanes").addEventListener("click", onRowClick);
	byId("lanes").addEventListener("scroll", () => page.drawing?.draw());
	byId("overview").addEventListener("pointerdown", (event) => byId("overview").setPointerCapture(event.pointerId));
	for (const type of ["pointerdown", "pointermove"])
		byId("overview").addEventListener(type, onOverview);
}
