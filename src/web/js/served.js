// SPDX-License-Identifier: GPL-2.0-only
/*
 * A page that `lkst view --serve` or `--live` has sent: it asks for the files of the trace where it came from, as
 * src/cmd/view/view_serve.h says. Of what is live there are others each second.
 */
"use strict";

const RANGE_BYTES = 8 << 20; /* of a file, at a time */
const RANGES_AT_ONCE = 4;
const LIVE_EVERY_MS = 1000;
const TRIES = 3;
const TRY_AGAIN_MS = 1000;

const live = { isPaused: false };

function sleep(ms)
{
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/* What @take makes of what is at @path, asked for with these headers. Throws if it does not come with @status; 404: isGone. */
async function askOnce(path, status, take, headers)
{
	const response = await fetch(path, { headers });

	if (response.status != status)
		throw Object.assign(new Error(`the program that served this page says: ${response.statusText}`),
			{ isGone: response.status == 404 });
	return take(response);
}

/* The same; asks again when there is no connection, or it breaks off, as where the machine has slept: TypeError, as of fetch(). */
async function ask(path, status, take, headers = {})
{
	for (let tries = 1;; tries++) {
		try {
			return await askOnce(path, status, take, headers);
		} catch (error) {
			if (!(error instanceof TypeError))
				throw error;
			if (tries == TRIES)
				throw new Error("the program that served this page has ended");
		}
		await sleep(TRY_AGAIN_MS);
	}
}

function fetchList()
{
	return ask("list", 200, (response) => response.json());
}

/* The bytes of a file from @first to @last. */
function fetchRange(path, first, last)
{
	const take = async (response) => {
		const bytes = new Uint8Array(await response.arrayBuffer());

		if (bytes.length != last + 1 - first)
			throw new TypeError("bytes are missing");
		return bytes;
	};

	return ask(path, 206, take, { Range: `bytes=${first}-${last}` });
}

/* Fetches all files of a list, some ranges side by side, and calls @put with the number of the file, the place, and the bytes. */
async function fetchFiles({ generation, files }, put)
{
	const ranges = files.flatMap(({ length }, file) => Array.from({ length: Math.ceil(length / RANGE_BYTES) }, (unused, i) =>
		({ file, first: i * RANGE_BYTES, last: Math.min((i + 1) * RANGE_BYTES, length) - 1 })));
	let next = 0;
	const fetchSome = async () => {
		while (next < ranges.length) {
			const { file, first, last } = ranges[next++];

			put(file, first, await fetchRange(`file/${generation}/${file}`, first, last));
		}
	};

	await Promise.all(Array.from({ length: RANGES_AT_ONCE }, fetchSome));
}

/* Has the module take the trace's files as they come. */
async function takeServed()
{
	const { files } = page.lkst;
	const list = await fetchList();

	if (files !== page.lkst.files)
		throw new Error("another trace was opened");
	page.lkst.clearFiles();

	const writes = list.files.map(({ name, length }) => page.lkst.addFile(name, length));

	await fetchFiles(list, (file, at, bytes) => writes[file](at, bytes));
	return null;
}

/* ---- what is live ---- */

/* The files of a list, all at once, since what is shown is used until they are there; null: another page got newer ones meanwhile. */
async function filesOf(list)
{
	const files = list.files.map(({ name, length }) => ({ name, bytes: new Uint8Array(length) }));

	try {
		await fetchFiles(list, (file, at, bytes) => files[file].bytes.set(bytes, at));
	} catch (error) {
		if (error.isGone)
			return null;
		throw error;
	}
	return files;
}

/* Shows newer files as those before were shown: the same time, unless it was all, and the same lanes. */
function showAgain(name, files)
{
	const { trace, view, list } = page;
	const isAll = view.span == view.length;
	const { scrollTop } = list.element;

	if (!readTrace(name, files))
		return;

	const later = Number(BigInt(page.trace.info.begin_ns) - BigInt(trace.info.begin_ns));

	for (const kept of ["pattern", "order", "collapsed", "pins", "current"])
		page.list[kept] = list[kept];
	page.list.showRows();
	page.list.element.scrollTop = scrollTop;
	if (!isAll)
		page.view.show(view.from - later, view.to - later);
	panels.fill();
}

function setPaused(isPaused)
{
	live.isPaused = isPaused;
	byId("pause").textContent = isPaused ? "Continue" : "Pause";
}

/* Pauses when something is selected, which would otherwise be gone in a second. */
function listenToPause()
{
	byId("pause").hidden = false;
	byId("pause").addEventListener("click", () => setPaused(!live.isPaused));
	page.addEventListener("selection", () => page.selection && setPaused(true));
}

async function showLive(name)
{
	let shown = 0;

	listenToPause();
	for (;;) {
		const list = await fetchList();
		const files = list.generation != shown ? await filesOf(list) : null;

		if (files) {
			if (!shown)
				await showTrace(name, files);
			else if (!live.isPaused)
				showAgain(name, files);
			shown = list.generation;
			document.documentElement.dataset.redrawn = shown;
		}
		if (list.error)
			throw new Error(list.error);
		do
			await sleep(LIVE_EVERY_MS);
		while (live.isPaused || document.hidden);
	}
}

/* Follows the recording until it ends, or the program that serves it; what was shown last stays. */
async function openLive(name)
{
	document.documentElement.dataset.state = "opening";
	try {
		await showLive(name);
	} catch (error) {
		if (page.trace)
			byId("failure").textContent = `Nothing newer comes: ${error.message}`;
		else
			fail(`The recording cannot be shown: ${error.message}`);
		byId("pause").hidden = true;
	}
}
