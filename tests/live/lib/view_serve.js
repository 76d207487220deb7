// SPDX-License-Identifier: GPL-2.0-only
/*
 * Talks to lkst view --serve or --live at URL, with a browser and without, and prints a result line for each check:
 *
 *	view_serve.js served URL LKST TRACE		what is served, to whom
 *	view_serve.js live URL LKST COMMAND TAKER	the page shows that COMMAND, which is run here, was run, and the pages of TAKER,
 *							a copy of dd
 *	view_serve.js member URL LKST COMMAND		the same, without the page
 */
"use strict";

const { execFileSync } = require("child_process");
const fs = require("fs");
const net = require("net");
const path = require("path");
const { Browser } = require("./browser.js");
const { result, terminalOf } = require("./checks.js");

const [what, url, lkst, subject, taker] = process.argv.slice(2);
const terminal = terminalOf(lkst, subject);
const { hostname, port, pathname } = new URL(url);
const SILENT = 20; /* connections, more than are served at once */
const MINUTE_MS = 60000;
const TAKEN_PAGES = 4096; /* of 4 KiB */

function connect()
{
	const socket = net.connect(port, hostname);

	socket.on("error", () => {});
	return socket;
}

/* Sends these bytes, and resolves to what comes until the end: { status, head, body }. */
function exchange(bytes)
{
	return new Promise((resolve) => {
		const socket = connect();
		const parts = [];

		socket.on("data", (data) => parts.push(data));
		socket.on("close", () => {
			const all = Buffer.concat(parts);
			const end = all.indexOf("\r\n\r\n");

			resolve({ status: Number(all.toString("latin1", 9, 12)), head: all.toString("latin1", 0, end), body: all.subarray(end + 4) });
		});
		socket.write(bytes);
	});
}

/* A request for what is below the token. */
function get(name, headers = "", { method = "GET", host = `${hostname}:${port}`, below = pathname } = {})
{
	return exchange(`${method} ${below}${name} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`);
}

async function getList()
{
	return JSON.parse((await get("list")).body);
}

/* ---- whom it answers, and how ---- */

async function checkToken()
{
	const other = pathname.replace(/.\/$/, (end) => end[0] == "0" ? "1/" : "0/");
	const rows = [["", "/"], ["list", "/"], ["list", other], ["list", pathname.slice(0, -2) + "/"], ["file/1/0", "//"]];
	const bad = [];

	for (const [name, below] of rows) {
		const { status } = await get(name, "", { below });

		if (status != 403)
			bad.push(`${below}${name}: ${status}`);
	}
	result("view_serve_wants_its_token", ...bad, ...(/^\/[0-9a-f]{32}\/$/.test(pathname) ? [] : [pathname]));
}

async function checkRequests()
{
	const head = `GET ${pathname}list HTTP/1.1\r\nHost: x\r\n`;
	const rows = [
		["another host", await get("list", "", { host: "lkst.example" }), 403],
		["another host with the port", await get("list", "", { host: `a.127.0.0.1.example:${port}` }), 403],
		["localhost", await get("list", "", { host: "localhost:1" }), 200],
		["a method that writes", await get("list", "", { method: "POST" }), 405],
		["a preflight", await get("list", "Origin: http://lkst.example\r\n", { method: "OPTIONS" }), 405],
		["a body", await get("list", "Content-Length: 5\r\n"), 400],
		["what is not there", await get("nothing"), 404],
		["a file that is not there", await get("file/1/99"), 404],
		["another generation", await get("file/2/0"), 404],
		["a path with dots", await get("file/../list"), 404],
		["a range that is not there", await get("file/1/0", "Range: bytes=999999999-\r\n"), 416],
		["a range of nothing", await get("file/1/0", "Range: bytes=9-5\r\n"), 416],
		["two ranges", await get("file/1/0", "Range: bytes=0-1,3-4\r\n"), 416],
		["a long path", await get("x".repeat(300)), 414],
		["a long head", await exchange(head + "A: b\r\n".repeat(2000)), 431],
		["a head without an end", await exchange(head + "A".repeat(9000)), 431],
		["no HTTP", await exchange("\x16\x03\x01\r\n\r\n"), 400],
	];
	const bad = rows.filter(([, { status }, wanted]) => status != wanted).map(([name, { status }]) => `${name}: ${status}`);

	result("view_serve_refuses_what_it_should", ...bad);
	result("view_serve_is_for_no_other_site", ...rows.filter(([, answer]) => /^access-control/im.test(answer.head)).map(([name]) => name));
	result("view_serve_names_its_methods", ...(/^Allow: GET, HEAD\r?$/m.test(rows[3][1].head) ? [] : [rows[3][1].head]));
}

async function checkFiles()
{
	const { files } = await getList();
	const bad = [];

	for (const [i, { name, length }] of files.entries()) {
		const wanted = fs.readFileSync(path.join(subject, name));
		const whole = await get(`file/1/${i}`);
		const [first, last] = [length >> 2, length >> 1];
		const part = await get(`file/1/${i}`, `Range: bytes=${first}-${last}\r\n`);
		const end = await get(`file/1/${i}`, "Range: bytes=-7\r\n");
		const head = await get(`file/1/${i}`, "", { method: "HEAD" });

		if (length != wanted.length || whole.status != 200 || !whole.body.equals(wanted))
			bad.push(`${name} is another`);
		if (part.status != 206 || !part.body.equals(wanted.subarray(first, last + 1)) ||
		    !part.head.includes(`Content-Range: bytes ${first}-${last}/${length}`))
			bad.push(`a part of ${name} is another`);
		if (end.status != 206 || !end.body.equals(wanted.subarray(-7)))
			bad.push(`the end of ${name} is another`);
		if (head.status != 200 || head.body.length || !head.head.includes(`Content-Length: ${length}`))
			bad.push(`the head of ${name} is another`);
	}
	result("view_serve_sends_the_files", ...(files.length >= fs.readdirSync(subject).length ? [] : ["files are missing"]), ...bad);
}

/* Clients that say nothing, and one that takes nothing, do not keep others from being answered, and are closed in the end. */
async function checkSlowness(meanwhile)
{
	const sockets = Array.from({ length: SILENT }, connect);
	const closed = sockets.map((socket) => new Promise((resolve) => socket.on("close", resolve)));
	const { files } = await getList();
	const largest = files.reduce((most, { length }, i) => length > files[most].length ? i : most, 0);
	const taker = connect();

	for (const socket of sockets) {
		socket.resume();
		socket.write("G");
	}
	taker.pause();
	taker.write(`GET ${pathname}file/1/${largest} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
	await meanwhile();

	const { status } = await get("list");

	taker.destroy();
	await Promise.all(closed);
	result("view_serve_waits_for_nobody", ...(status == 200 ? [] : [`status ${status}`]));
}

/* ---- the page ---- */

const answered = "document.querySelector('#answer pre').textContent";

async function checkPage(browser)
{
	const { tab } = browser;
	const state = await browser.go(url);

	result("view_serve_opens", ...(state == "ready" ? [] : [state, await tab.evaluate("document.getElementById('failure').textContent")]));
	await tab.evaluate("panels.show('commands')");
	result("view_serve_answers_as_the_terminal_does", ...(await tab.evaluate(answered) == terminal(["report"]) ? [] : ["the report differs"]));

	const { thread } = JSON.parse(terminal(["analyze", "thread", "--format", "json"]));
	const ran = await tab.evaluate("page.trace.info.threads.map(({ tid, running_ns }) => `${tid} ${running_ns}`)");

	result("view_serve_draws_as_long_as_threads_ran", ...(thread.rows.length ? [] : ["no thread"]),
		...thread.rows.filter((row) => row.running_ns && !ran.includes(`${row.tid} ${row.running_ns}`)).map(({ tid }) => `thread ${tid}`));
	result("view_serve_page_complains_of_nothing", ...browser.complaints);
	result("view_serve_page_asks_nobody_else", ...browser.requests.filter((request) => !request.startsWith(url)));
	result("view_serve_page_cannot_ask_others", ...(await tab.evaluate(
		"fetch('http://127.0.0.1:9/').then(() => 'it can', (error) => String(error))") == "TypeError: Failed to fetch" &&
		browser.complaints.some((text) => /Content Security Policy/.test(text)) ? [] : browser.complaints));
}

async function checkServed(browser)
{
	await checkToken();
	await checkRequests();
	await checkFiles();
	await checkSlowness(() => checkPage(browser));
}

/* ---- what is live ---- */

async function checkLive(browser)
{
	const { tab } = browser;
	const shows = `page.trace?.info.threads.some((thread) => thread.comm == "${path.basename(subject)}")`;

	result("view_live_opens", ...(await browser.go(url) == "ready" ? [] : [await tab.evaluate("document.getElementById('failure').textContent")]));

	const before = await tab.evaluate(shows);

	execFileSync(subject);
	await browser.until(shows);
	result("view_live_shows_what_happens", ...(before ? ["it was there before"] : []));
	await tab.evaluate("page.list.search('CPU'), page.view.show(page.trace.length / 4, page.trace.length / 2), true");

	const room = await tab.evaluate("page.lkst.roomFor(1 << 20)");
	const span = await tab.evaluate("page.view.span");
	const shown = await tab.evaluate("document.documentElement.dataset.redrawn");

	await browser.until(`document.documentElement.dataset.redrawn != "${shown}"`);
	result("view_live_keeps_what_is_looked_at", ...(await tab.evaluate(
		`page.list.pattern == "CPU" && Math.abs(page.view.span - ${span}) < 2`) ? [] : ["it does not"]));
	result("view_live_has_the_same_memory_each_time", ...(await tab.evaluate("page.lkst.roomFor(1)") == room ? [] : ["it does not"]));
	/* Another page has got newer ones. */
	result("view_live_goes_on_when_files_are_gone", ...(await tab.evaluate(
		"filesOf({ generation: 999999999, files: [{ name: 'metadata', length: 1 }] })") === null ? [] : ["it does not"]));
	browser.complaints.splice(0, Infinity, ...browser.complaints.filter((text) => !/999999999|404/.test(text)));
	await checkMemory(browser);
	await tab.evaluate("document.getElementById('pause').click(), true");
	result("view_live_pauses", ...(await tab.evaluate("live.isPaused && document.getElementById('pause').textContent") == "Continue" ? [] : ["it does not"]));
	result("view_live_complains_of_nothing", ...browser.complaints);
}

/*
 * The picture of memory is redrawn with each new generation, and has the pages that a process took since. What is asked for again
 * and again may be overwritten, on a busy machine, before it is copied.
 */
async function checkMemory({ tab })
{
	const name = path.basename(taker);
	const owner = `page.maps.kind?.info?.owners.find((one) => one.name == "${name}")`;
	const end = Date.now() + MINUTE_MS;
	let taken;

	await tab.evaluate("page.view.show(0, page.trace.length), page.maps.open('memory'), true");

	const before = await tab.evaluate(`[Boolean(${owner}), document.documentElement.dataset.redrawn]`);

	while (!(taken && taken.redrawn != before[1]) && Date.now() < end) {
		execFileSync(taker, ["if=/dev/zero", "of=/dev/null", "count=1", `bs=${TAKEN_PAGES * 4096}`], { stdio: "ignore" });
		await new Promise((resolve) => setTimeout(resolve, 500));
		taken = await tab.evaluate(`${owner} && { ...${owner}, redrawn: document.documentElement.dataset.redrawn,
			rows: document.querySelector("#map tbody").textContent }`);
	}
	result("view_live_redraws_memory", ...(before[0] ? ["it was there before"] : []), ...(taken ? [] : ["its pages do not come"]),
		...(taken && (taken.allocated < TAKEN_PAGES / 2 || !taken.rows.includes(name) || taken.redrawn == before[1])
			? [JSON.stringify(taken)] : []));
	await tab.evaluate("page.maps.open(null), true");
}

/* Another generation comes only when somebody asks; it has files, with the command in them. */
async function checkMember()
{
	const first = await getList();
	const end = Date.now() + 60000;

	execFileSync(subject);
	for (;;) {
		const { generation, error, files } = await getList();
		const bodies = await Promise.all(files.map((file, i) => get(`file/${generation}/${i}`)));

		if (error || Date.now() > end) {
			result("view_live_is_for_members", error || "the command does not come");
			return;
		}
		if (generation > first.generation && bodies.some(({ body }) => body.includes(path.basename(subject))))
			break;
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	result("view_live_is_for_members");
}

async function main()
{
	const browser = what == "member" ? null : await Browser.start();

	try {
		await ({ served: checkServed, live: checkLive, member: checkMember })[what](browser);
	} finally {
		await browser?.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL view_serve: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
