// SPDX-License-Identifier: GPL-2.0-only
/*
 * What was found, which [ and ] go through: stretches of threads, in order of time, that some search gives by setFound(). If
 * there are none, the rows that the search for lanes has left.
 */
"use strict";

/* @list: [{ from, to, tid, host }] */
function setFound(list)
{
	page.found = [...list].sort((a, b) => a.from - b.from);
	page.foundAt = -1;
}

/* To the next of them, or the one before. */
function stepFound(by)
{
	const list = page.found;

	if (!list.length) {
		page.list.step(by);
		return;
	}

	const { from } = page.selection ?? page.view;
	const isThere = list[page.foundAt]?.from === from;
	const next = isThere ? page.foundAt + by
		: by > 0 ? list.findIndex((one) => one.from > from) : list.findLastIndex((one) => one.from < from);

	if (!list[next])
		return;
	page.foundAt = next;
	goTo(list[next].from, list[next].to, list[next].tid, list[next].host);
}
