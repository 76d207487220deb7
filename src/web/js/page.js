// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parts of the page, and how they hear of each other. All events are of `page`:
 *
 *	"trace"      another trace is shown: page.trace, and all that hangs on it
 *	"view"       the stretch of time that is shown has changed: page.view.from, page.view.to
 *	"selection"  another stretch is selected, or none: page.selection
 *	"mark"       another stretch is marked to be compared, or none: page.mark
 *	"time"       times have another form: page.timeForm
 *	"lanes"      other lanes are shown, or in another order: page.list
 *
 * They are dispatched at each step of a movement: whoever needs long waits until they cease.
 */
"use strict";

class Page extends EventTarget {
	lkst = null; /* LkstModule */
	trace = null; /* Trace; null: none is open, and the following are null, too */
	view = null; /* View */
	list = null; /* LaneList */
	drawing = null; /* Drawing */
	answers = null; /* Answers */
	maps = null; /* Maps */
	selection = null; /* this and the next two: see selection.js */
	mark = null;
	dragged = null;
	found = []; /* see found.js */
	timeForm = "rel"; /* of TIME_FORMS */
	bytesMax = 2 ** 30; /* of files that a user gives it; TRACE_MAX of src/cmd/view/view.c */

	tell(what)
	{
		this.dispatchEvent(new Event(what));
	}
}

const page = new Page();

/*
 * Shows a time with some room around it, selects that stretch of the lane of thread @tid of a host, and scrolls the
 * lane into view. Without @tid, or if it has no lane, it shows the time only. Returns whether there is such a lane.
 */
function goTo(from, to, tid = null, host = 0)
{
	const index = tid === null ? -1 : page.trace.laneOfThread(tid, from, host);
	const room = Math.max((to - from) / 2, NARROWEST_NS);

	page.view.show(from - room, to + room);
	if (index < 0)
		return false;
	select(index, from, to);
	page.list.reveal(index);
	return true;
}
