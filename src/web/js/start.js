// SPDX-License-Identifier: GPL-2.0-only
/* Starts the page: opens the trace that is in it, or that a user gives it, and joins the parts. */
"use strict";

const HOW_TO_OPEN = "Drop a trace here, or open it: a directory, the parts of a recording, or one file.";

/* ---- a trace ---- */

function about(trace)
{
	const { begin_ns, offset_ns } = trace.info;
	const who = trace.hosts.map(({ name, release }) => trace.isSeveral ? visible(name) : `${name}, Linux ${release}`).join(", ");
	const at = Number((BigInt(begin_ns) + BigInt(offset_ns)) / 1000000n);
	const day = new Date(at + 1000 * zoneOf(at / 1000)).toISOString().replace("T", " ").replace("Z", "");

	return `${who}, ${day} ${zoneText()}, ${durationText(trace.length)}`;
}

/*
 * What was done to bring the clocks of several hosts together, and how far that may be off; and of each host what was
 * not recorded.
 */
function showClocks({ hosts, info, isSeveral })
{
	const clocks = isSeveral ? [...hosts.map(({ name, clock }) => `${name}: ${clock}`), ...info.notes] : [];
	const lacking = hosts.filter(({ not_recorded: text }) => text).map(({ name, not_recorded: text }) =>
		`${isSeveral ? `${name}: ` : ""}not all was recorded, to keep to the cost limit: ${text}`);
	const said = [...clocks, ...lacking];

	byId("clocks").hidden = !said.length;
	byId("clocks").replaceChildren(...said.map((text) => make("li", {}, nameElement(text))));
}

/* Resolves when what has been drawn is on the screen. */
function painted()
{
	return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

/* Reads the trace that consists of these files, null: of those that the module has, and draws it. False: it cannot. */
function readTrace(name, files)
{
	byId("failure").textContent = "";
	if (files)
		page.lkst.setFiles(files);

	const { status, out, err } = page.lkst.read();

	if (status) {
		/* Else questions would be answered from files that are not those of the picture. */
		page.lkst.clearFiles();
		fail(err.trim());
		return false;
	}
	/* What is drawn is as wide as its place. */
	document.querySelector("main").hidden = false;
	page.trace = new Trace(page.lkst, JSON.parse(out), name);
	page.view = new View(page.trace.length);
	page.list = new LaneList(page.trace);
	page.drawing = new Drawing(page.trace);
	page.answers = new Answers(page.lkst, name);
	byId("title").textContent = visible(name);
	document.title = `${visible(name)} - LKST`;
	byId("about").textContent = about(page.trace);
	showClocks(page.trace);
	page.mark = null;
	page.found = [];
	page.tell("trace");
	setSelection(null);
	if (!timeForms().includes(page.timeForm))
		setTimeForm("rel");
	return true;
}

/* Shows it: the picture first. */
async function showTrace(name, files)
{
	if (!readTrace(name, files))
		return;
	showAddress();
	await painted();
	performance.mark("picture");
	panels.fill();
	performance.mark("answer");
	document.documentElement.dataset.state = "ready";
}

let nrGiven = 0;

/* Shows a trace of the files that @take returns, or resolves to, unless another one is given before they are there. */
async function openGiven(name, take)
{
	const nr = ++nrGiven;

	document.documentElement.dataset.state = "opening";
	if (!page.trace)
		byId("about").textContent = `Opening ${visible(name)} ...`;
	try {
		const files = await take();

		if (nr == nrGiven)
			await showTrace(name, files);
	} catch (error) {
		if (nr != nrGiven)
			return;
		fail(`The trace cannot be opened: ${error.message}`);
		page.lkst.clearFiles();
	}
	if (!page.trace)
		byId("about").textContent = HOW_TO_OPEN;
}

/* What the files are called together: their directory, or the one file. */
function nameOfFiles(files)
{
	const name = files[0]?.name ?? "trace";

	return name.includes("/") ? name.slice(0, name.indexOf("/")) : files.length == 1 ? name : "trace";
}

/* What a user gives; what is live would take its place, and pauses. */
async function openFiles(promise)
{
	let files;

	try {
		files = await promise;
	} catch (error) {
		fail(`The files cannot be read: ${error.message}`);
		return;
	}
	if (!files.length)
		return;
	if (!byId("pause").hidden)
		setPaused(true);
	await openGiven(nameOfFiles(files), () => files);
}

/* ---- what the page listens to ---- */

function listenToFiles()
{
	for (const button of document.querySelectorAll("[data-opens]")) {
		const input = byId(button.dataset.opens);

		button.addEventListener("click", () => {
			/* The same files may be chosen again. */
			input.value = "";
			input.click();
		});
		input.addEventListener("change", () => openFiles(filesOfInput(input)));
	}
	document.addEventListener("dragover", (event) => {
		event.preventDefault();
		document.body.classList.add("dropping");
	});
	document.addEventListener("dragleave", () => document.body.classList.remove("dropping"));
	document.addEventListener("drop", async (event) => {
		event.preventDefault();
		document.body.classList.remove("dropping");
		await openFiles(filesOfDrop(event.dataTransfer));
	});
}

function listenToTools()
{
	byId("search").addEventListener("input", (event) => page.list?.search(event.target.value));
	byId("search").addEventListener("keydown", (event) => {
		if (event.key == "Enter" || event.key == "Escape")
			byId("lanes").focus();
	});
	byId("order").append(...Object.entries(ORDERS).map(([name, { text }]) => new Option(text, name)));
	byId("order").addEventListener("change", (event) => page.list?.sort(event.target.value));
	byId("time").addEventListener("click", () => page.trace && changeTimeForm());
	byId("keys").addEventListener("click", () => byId("help").showModal());
	byId("unmark").addEventListener("click", () => {
		page.mark = null;
		page.tell("mark");
	});
	byId("collapse").addEventListener("click", () => page.list?.toggleAll());
}

function listen()
{
	byId("ask").addEventListener("submit", (event) => {
		event.preventDefault();
		page.answers?.ask(byId("words").value);
	});
	byId("why").addEventListener("click", askWhy);
	listenToTools();
	window.addEventListener("resize", () => page.drawing?.drawAll());
	listenToFiles();
	page.maps = new Maps();
	listenToKeys();
	listenToMouse();
	listenToTheme();
}

/* No trace is in the page, and none was given to it. */
function showEmpty()
{
	byId("about").textContent = HOW_TO_OPEN;
	document.documentElement.dataset.state = "empty";
}

async function main()
{
	listen();
	try {
		page.lkst = await LkstModule.open(await unpackElement(byId("library")));
	} catch (error) {
		fail(`The page cannot be started: ${error.message}`);
		return;
	}

	if (embeddedName("trace") !== undefined)
		await openGiven(embeddedName("trace"), embeddedFiles);
	else if (embeddedName("served") !== undefined)
		await openGiven(embeddedName("served"), takeServed);
	else if (embeddedName("live") !== undefined)
		await openLive(embeddedName("live"));
	else
		showEmpty();
}

main();
