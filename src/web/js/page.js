// SPDX-License-Identifier: GPL-2.0-only
/* The page of lkst view: opens the trace that is in it, or that a user gives it, and joins the picture and the answers. */
"use strict";

const KEYS = [
	["w, +", "closer"], ["s, -", "farther"], ["a, left", "earlier"], ["d, right", "later"], ["f", "show what is selected"],
	["0", "show the whole trace"], ["Enter", "why: explain what is selected"], ["/", "find a lane"],
	["Esc", "select nothing"], ["?", "this help"],
];

const page = { lkst: null, lanes: null, answers: null };

function byId(id)
{
	return document.getElementById(id);
}

function fail(text)
{
	byId("failure").textContent = text;
	document.documentElement.dataset.state = "failed";
}

/* ---- a trace ---- */

function about(info, length)
{
	const from = new Date(Number((BigInt(info.begin_ns) + BigInt(info.offset_ns)) / 1000000n));

	return `${info.hostname}, Linux ${info.release}, ${from.toISOString().replace("T", " ").replace("Z", "")} UTC, ` +
		`${durationText(length)}`;
}

/* Shows the trace that consists of these files. */
function showTrace(name, files)
{
	byId("failure").textContent = "";
	page.lkst.setFiles(files);

	const { status, out, err } = page.lkst.read();

	if (status) {
		fail(err.trim());
		return;
	}

	const info = JSON.parse(out);

	page.lanes = new Lanes(page.lkst, info, showSelection);
	page.answers = new Answers(page.lkst, name);
	byId("title").textContent = name;
	document.title = `${name} - LKST`;
	byId("about").textContent = about(info, page.lanes.length);
	showSelection(null);
	showFragment();
	page.answers.ask("report");
	if (err)
		byId("failure").textContent = err.trim();
	document.documentElement.dataset.state = "ready";
}

async function openGiven(name, promise)
{
	document.documentElement.dataset.state = "opening";
	try {
		showTrace(name, await promise);
	} catch (error) {
		fail(`The trace cannot be opened: ${error.message}`);
	}
}

/* What the files are called together: their directory, or the one file. */
function nameOfFiles(files)
{
	const name = files[0]?.name ?? "trace";

	return name.includes("/") ? name.slice(0, name.indexOf("/")) : files.length == 1 ? name : "trace";
}

/* ---- the selection ---- */

function showSelection(selection)
{
	const isThread = selection?.lane.kind == "thread";

	byId("why").disabled = !isThread;
	if (!selection)
		byId("selection").textContent = "Select a stretch of a thread with the mouse, then Why.";
	else
		byId("selection").textContent = `${selection.name}: +${durationText(selection.from)} to ` +
			`+${durationText(selection.to)}, ${durationText(selection.to - selection.from)}; ` +
			page.lanes.describe(selection.index, selection.from);
}

/* A time as --from and --to take it: seconds after the beginning, to the nanosecond. */
function afterBegin(ns)
{
	const whole = BigInt(Math.round(ns));

	return `+${whole / 1000000000n}.${String(whole % 1000000000n).padStart(9, "0")}s`;
}

function askWhy()
{
	const selection = page.lanes?.selection;

	if (selection?.lane.kind != "thread")
		return;

	const { tid } = page.lanes.info.threads[selection.lane.number];

	page.answers.ask(`why --tid ${tid} --from ${afterBegin(selection.from)} --to ${afterBegin(selection.to)}`);
}

/* ---- the position, in the fragment of the address, to be shared ---- */

function showFragment()
{
	const match = /^#t=(\d+),(\d+)$/.exec(location.hash);

	if (match)
		page.lanes.show(Number(match[1]), Number(match[2]));
}

let fragmentTimer;

function rememberPosition()
{
	clearTimeout(fragmentTimer);
	fragmentTimer = setTimeout(() => {
		history.replaceState(null, "", `#t=${Math.round(page.lanes.from)},${Math.round(page.lanes.to)}`);
	}, 300);
}

/* ---- mouse and keys ---- */

/* The row and the time under a mouse event; null: there is none. */
function placeOf(event)
{
	const row = page.lanes?.rows.find((candidate) => candidate.space.contains(event.target));

	if (!row)
		return null;

	const box = row.space.getBoundingClientRect();
	const place = (event.clientX - box.left) / box.width;

	return { row, place, at: page.lanes.from + place * (page.lanes.to - page.lanes.from) };
}

function listenToMouse()
{
	let began = null;

	byId("lanes").addEventListener("mousedown", (event) => {
		began = placeOf(event);
		if (began)
			event.preventDefault();
		byId("lanes").focus();
	});
	window.addEventListener("mouseup", (event) => {
		if (!began)
			return;

		const box = began.row.space.getBoundingClientRect();
		const place = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
		const end = page.lanes.from + place * (page.lanes.to - page.lanes.from);

		page.lanes.select(began.row.lane.index, Math.min(began.at, end), Math.max(began.at, end));
		began = null;
	});
	byId("lanes").addEventListener("mousemove", (event) => {
		const there = placeOf(event);

		if (there)
			there.row.space.title = page.lanes.describe(there.row.lane.index, there.at);
	});
	byId("lanes").addEventListener("wheel", (event) => {
		const there = placeOf(event);

		if (!there || (!event.ctrlKey && !event.shiftKey && !event.deltaX))
			return;
		event.preventDefault();
		if (event.ctrlKey)
			page.lanes.zoom(1.002 ** event.deltaY, there.place);
		else
			page.lanes.move((event.deltaX || event.deltaY) / 1000);
		rememberPosition();
	}, { passive: false });
	byId("lanes").addEventListener("scroll", () => page.lanes?.draw());
	byId("overview").addEventListener("click", (event) => {
		if (!page.lanes)
			return;

		const box = byId("overview").getBoundingClientRect();
		const at = (event.clientX - box.left) / box.width * page.lanes.length;
		const half = (page.lanes.to - page.lanes.from) / 2;

		page.lanes.show(at - half, at + half);
		rememberPosition();
	});
}

function onKey(event)
{
	const isTyping = event.target instanceof HTMLInputElement;
	const lanes = page.lanes;
	const actions = {
		w: () => lanes.zoom(0.5), "+": () => lanes.zoom(0.5),
		s: () => lanes.zoom(2), "-": () => lanes.zoom(2),
		a: () => lanes.move(-0.25), ArrowLeft: () => lanes.move(-0.25),
		d: () => lanes.move(0.25), ArrowRight: () => lanes.move(0.25),
		f: () => lanes.selection && lanes.show(lanes.selection.from, lanes.selection.to),
		0: () => lanes.show(0, lanes.length),
		Enter: askWhy,
		"/": () => byId("search").focus(),
		"?": () => byId("help").showModal(),
		Escape: () => lanes.unselect(),
	};
	const action = actions[event.key];

	if (!lanes || !action || isTyping || event.ctrlKey || event.altKey || event.metaKey || byId("help").open)
		return;
	if (event.key == "Enter" && event.target instanceof HTMLButtonElement)
		return;
	event.preventDefault();
	action();
	rememberPosition();
}

function listen()
{
	byId("help").querySelector("dl").replaceChildren(...KEYS.flatMap(([keys, text]) => {
		const term = document.createElement("dt");
		const meaning = document.createElement("dd");

		term.textContent = keys;
		meaning.textContent = text;
		return [term, meaning];
	}));
	byId("help").querySelector("button").addEventListener("click", () => byId("help").close());
	byId("ask").addEventListener("submit", (event) => {
		event.preventDefault();
		page.answers?.ask(byId("words").value);
	});
	byId("why").addEventListener("click", askWhy);
	byId("search").addEventListener("input", (event) => page.lanes?.search(event.target.value));
	byId("open").addEventListener("change", async (event) => {
		const files = await filesOfInput(event.target);

		if (files.length)
			await openGiven(nameOfFiles(files), files);
	});
	document.addEventListener("dragover", (event) => {
		event.preventDefault();
		document.body.classList.add("dropping");
	});
	document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
	document.addEventListener("drop", async (event) => {
		event.preventDefault();
		document.body.classList.remove("dropping");

		const files = await filesOfDrop(event.dataTransfer);

		if (files.length)
			await openGiven(nameOfFiles(files), files);
	});
	document.addEventListener("keydown", onKey);
	window.addEventListener("resize", () => {
		if (page.lanes) {
			page.lanes.overviewOf = null;
			page.lanes.draw();
		}
	});
	listenToMouse();
}

async function main()
{
	if (typeof WebAssembly != "object" || typeof DecompressionStream != "function") {
		fail("This browser has no WebAssembly or cannot unpack gzip: a newer one is needed.");
		return;
	}
	listen();
	try {
		page.lkst = await LkstModule.open(await unpackElement(byId("library")));
	} catch (error) {
		fail(`The page cannot be started: ${error.message}`);
		return;
	}

	const name = document.querySelector("meta[name=trace]")?.content;

	if (name)
		await openGiven(name, embeddedFiles());
	else
		document.documentElement.dataset.state = "empty";
}

main();
