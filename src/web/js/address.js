// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is shown, in the fragment of the page's address, to be shared: "#t=FROM,TO" and, where they are not as at first,
 *
 *	s=LANE,FROM,TO   what is selected, LANE being the name of its row, or nothing for all lanes
 *	m=LANE,FROM,TO   what is marked
 *	time=FORM  by=ORDER  q=SEARCH  p=ROW,...   the form of times, the order of lanes, the search, the rows kept on top
 *
 * Times are nanoseconds after the beginning.
 */
"use strict";

const ADDRESS_PATIENCE_MS = 300;

function stretchForAddress({ index, from, to })
{
	return [index === null ? "" : page.list.lanes[index].name, Math.round(from), Math.round(to)];
}

function addressOfPage()
{
	const { view, list, selection, mark, timeForm } = page;
	const parts = [["t", [Math.round(view.from), Math.round(view.to)]], ["s", selection && stretchForAddress(selection)],
		["m", mark && stretchForAddress(mark)], ["time", timeForm != "rel" && [timeForm]],
		["by", list.order != "time" && [list.order]], ["q", list.pattern && [list.pattern]], ["p", list.pins.size && [...list.pins]]];

	return `#${parts.filter(([, values]) => values)
		.map(([name, values]) => `${name}=${values.map(encodeURIComponent).join(",")}`).join("&")}`;
}

/* The parts of an address by name, each a list of texts; what nobody could have written is left out. */
function partsOfAddress(text)
{
	const parts = new Map();

	for (const [, name, values] of text.matchAll(/(\w+)=([^&]*)/g)) {
		try {
			parts.set(name, values.split(",").map(decodeURIComponent));
		} catch {
			continue;
		}
	}
	return parts;
}

/* Two times of an address, or null. */
function timesOf(values)
{
	const [from, to] = values.map(Number);

	return from >= 0 && to > from && to <= page.trace.length ? { from, to } : null;
}

/* The stretch that an address names, or null. */
function stretchOfAddress(values)
{
	const times = values && timesOf(values.slice(1));
	const lane = times && page.list.lanes.find(({ name }) => name == values[0]);

	return !times || (values[0] && !lane) ? null : stretchOf(lane?.index ?? null, times.from, times.to);
}

function showAddress()
{
	const parts = partsOfAddress(location.hash);
	const times = timesOf(parts.get("t") ?? []);
	const selection = stretchOfAddress(parts.get("s"));
	const { list } = page;

	list.pattern = byId("search").value = parts.get("q")?.[0] ?? "";
	list.pins = new Set(parts.get("p"));
	list.sort(parts.get("by")?.[0]);
	byId("order").value = list.order;
	setTimeForm(parts.get("time")?.[0]);
	page.mark = stretchOfAddress(parts.get("m"));
	page.tell("mark");
	if (selection && selection.index !== null)
		list.reveal(selection.index);
	setSelection(selection);
	page.view.show(times?.from ?? 0, times?.to ?? page.view.length);
}

let addressTimer;

/* When nothing has moved for a while: browsers refuse many changes of the address in short time. */
function rememberAddress()
{
	clearTimeout(addressTimer);
	addressTimer = setTimeout(() => page.trace && history.replaceState(null, "", addressOfPage()), ADDRESS_PATIENCE_MS);
}

for (const what of ["view", "selection", "mark", "time", "lanes"])
	page.addEventListener(what, rememberAddress);
window.addEventListener("hashchange", () => page.trace && showAddress());
