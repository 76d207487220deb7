// SPDX-License-Identifier: GPL-2.0-only
/*
 * Looks at the panels of pages of lkst view in a browser, and prints a result line for each check:
 *
 *	view_panels.js LKST DIRECTORY
 *
 * DIRECTORY has the traces "trace", "damaged" and "truncated", and a page of each.
 */
"use strict";

const { spawnSync } = require("child_process");
const { Browser } = require("./browser.js");
const { result, withoutFunctions } = require("./checks.js");

const [lkst, directory] = process.argv.slice(2);

/* What the terminal says: { out, err }. */
function terminal(trace, ...words)
{
	const { stdout, stderr } = spawnSync(lkst, [...words, trace], { cwd: directory, encoding: "utf8", maxBuffer: 1 << 30 });

	return { out: stdout, err: stderr.trim() };
}

/* JSON in which all integers are text, as the page has the long ones. */
function jsonOf(text)
{
	return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, (token) => /^-?\d+$/.test(token) ? `"${token}"` : token));
}

/* The tables of a panel: [{ title, rows: [[{ value, text }]] }], all rows; and histograms: [{ title, bars }]. */
const READ_TABLES = `((root) => {
	for (const button of root.querySelectorAll(".figures > button"))
		button.click();
	return {
		tables: [...root.querySelectorAll("table")].map((table) => ({
			title: table.caption.textContent,
			rows: [...table.tBodies[0].rows].filter((row) => row.cells[0].dataset.value !== undefined)
				.map((row) => [...row.cells].map((cell) => ({ value: cell.dataset.value, text: cell.textContent,
					isTime: Boolean(cell.querySelector(".moment")) }))),
		})),
		histograms: [...root.querySelectorAll(".histogram")].map((one) => ({
			title: one.querySelector("figcaption").textContent,
			bars: [...one.querySelectorAll("g")].map((bar) => [bar.dataset.from, bar.dataset.to, bar.dataset.count]),
			texts: [...one.querySelectorAll("g")].map((bar) => [...bar.querySelectorAll("text")].map((text) => text.textContent)),
		})),
	};
})`;

function valuesOf(table)
{
	return table.rows.map((row) => table.columns.filter((column) => column.title !== null).map((column) => String(row[column.name] ?? "")));
}

/* What differs between tables of the page and those of --format json; @text: the same as the terminal prints it. */
function differences(shown, json, text)
{
	const bad = [];
	const lines = text.split("\n");

	for (const table of Object.values(json)) {
		const isHistogram = table.kind == "histogram" && table.rows.length;
		const here = (isHistogram ? shown.histograms : shown.tables).find((one) => one.title == table.title);

		if (!here) {
			bad.push(`there is no "${table.title}"`);
		} else if (isHistogram) {
			if (JSON.stringify(here.bars) != JSON.stringify(valuesOf(table)))
				bad.push(`the histogram "${table.title}" differs`);
			if (here.texts.some(([, count], i) => count != here.bars[i][2]))
				bad.push(`the counts of "${table.title}" cannot be read`);
		} else if (table.title != "Where threads ran") {
			/* That one has functions of programs, whose names a page does not have: withoutFunctions(). */
			const values = here.rows.map((row) => row.map((cell) => cell.value));

			if (JSON.stringify(values) != JSON.stringify(valuesOf(table)))
				bad.push(`"${table.title}" is ${JSON.stringify(values[0])}, not ${JSON.stringify(valuesOf(table)[0])}`);
			/* Names are escaped in other ways there. */
			for (const row of here.rows.filter((one) => !one.some((cell) => /\\u\{|\\/.test(cell.text)))) {
				const texts = row.filter((cell) => !cell.isTime).map((cell) => cell.text.trim());

				/* A long text may be cut there. */
				if (!lines.some((line) => texts.every((one) => line.includes(one.slice(0, 60)))))
					bad.push(`the terminal has no line with ${texts.join(" | ")}`);
			}
		}
	}
	return bad;
}

async function checkFindings({ tab })
{
	const shown = await tab.evaluate(`${READ_TABLES}(byId("panel-findings"))`);
	const json = jsonOf(terminal("trace", "report", "--format", "json").out);

	result("view_panels_find_what_the_terminal_does", ...differences(shown, json, terminal("trace", "report", "--all", "--rows", "0").out),
		...(shown.tables.length ? [] : ["there are no tables"]));
}

async function checkAnalyses({ tab })
{
	await tab.evaluate("panels.show('analyses')");

	const names = await tab.evaluate("analyses.list.map((one) => one.name)");
	const all = jsonOf(terminal("trace", "analyze", "all", "--format", "json").out);
	const bad = [];
	const seen = new Set();

	for (const name of names) {
		await tab.evaluate(`showAnalysis("${name}")`);

		const json = jsonOf(terminal("trace", "analyze", name, "--format", "json").out);

		bad.push(...differences(await tab.evaluate(`${READ_TABLES}(byId("analysis"))`), json, terminal("trace", "analyze", name, "--rows", "0").out));
		for (const table of Object.keys(json))
			seen.add(table);
	}
	bad.push(...Object.keys(all).filter((table) => !seen.has(table)).map((table) => `${table} is not there`));
	result("view_panels_analyze_as_the_terminal_does", ...bad);
}

/* The links of the greatest values lead to the moment that JSON has, on the thread's lane. */
async function checkLinks({ tab })
{
	const { syscall_worst: worst } = jsonOf(terminal("trace", "analyze", "syscall", "--format", "json").out);
	const begin = BigInt(await tab.evaluate("page.trace.info.begin_ns"));
	const bad = [];

	await tab.evaluate("showAnalysis('syscall')");
	for (const [i, row] of worst.rows.entries()) {
		await tab.evaluate(`[...document.querySelectorAll("#analysis table")].find((table) => table.caption.textContent ==
			${JSON.stringify(worst.title)}).querySelectorAll("a.time")[${i}].click()`);

		const { selection, view } = await tab.evaluate(`({ selection: page.selection && { from: page.selection.from, to: page.selection.to,
			tid: page.selection.thread?.tid }, view: { from: page.view.from, to: page.view.to } })`);
		const from = Number(BigInt(row.time_ns) - begin), to = from + Number(row.value_ns);

		if (selection?.from != from || selection.to != to || String(selection.tid) != row.tid)
			bad.push(`${JSON.stringify(row)} leads to ${JSON.stringify(selection)}`);
		if (view.from > from || view.to < to)
			bad.push(`${JSON.stringify(row)} is not shown`);
	}
	result("view_panels_lead_to_the_time", ...bad, ...(worst.rows.length ? [] : ["there is no value"]));
}

/* All steps of an account, depth first. */
function stepsOf(steps)
{
	return steps.flatMap((step) => [step, ...stepsOf(step.steps)]);
}

async function checkWhy({ tab })
{
	const begin = BigInt(await tab.evaluate("page.trace.info.begin_ns"));
	const bad = [];

	for (const kind of ["syscall", "wait", "ready"]) {
		await tab.evaluate(`showWhy("--worst", "${kind}")`);

		const steps = stepsOf(jsonOf(terminal("trace", "why", "--worst", kind, "--format", "json").out).steps);
		const shown = await tab.evaluate(`[...document.querySelectorAll("#account li > .time")].filter((link) => link.querySelector(".sentence"))
			.map((link) => ({ ...link.dataset, text: link.querySelector(".sentence").textContent }))`);
		const told = shown.map((one) => ({ ...one, text: withoutFunctions(one.text) }));
		const chain = await tab.evaluate("page.drawing.chain");
		const wanted = steps.map((step) => ({ from: String(BigInt(step.from_ns) - begin), to: String(BigInt(step.to_ns) - begin),
			tid: step.thread.tid, text: withoutFunctions(step.text) }));

		if (JSON.stringify(told) != JSON.stringify(wanted))
			bad.push(`${kind}: ${JSON.stringify(shown[0])}, not ${JSON.stringify(wanted[0])}`);

		const links = steps.filter((step) => ["ran", "ready", "blocked"].includes(step.kind)).map((step) => [step.thread.tid,
			step.facts.waker?.tid ?? step.facts.occupant?.tid ?? "null", String(BigInt(step.from_ns) - begin)].join(" "));

		if (JSON.stringify(chain.map((one) => `${one.tid} ${one.by_tid} ${one.from_ns}`)) != JSON.stringify(links))
			bad.push(`${kind}: the chain is ${JSON.stringify(chain[0])}, not ${links[0]}`);
	}
	result("view_panels_explain_as_the_terminal_does", ...bad);
	/* The last one's lanes alone, if that is wanted: those of CPUs, of its threads, and of who was in the way. */
	const only = await tab.evaluate(`(() => {
		const all = page.list.rows.length;
		const tids = new Set(page.drawing.chain.flatMap(({ tid, by_tid: by }) => by === null ? [tid] : [tid, by])
			.filter((tid) => page.trace.lanesOfThread(tid).length));
		byId("only").click();
		const { rows } = page.list;
		const shown = new Set(rows.filter(({ lane }) => lane.kind == "thread").map(({ lane }) => lane.thread.tid));
		const isRight = [...tids].every((tid) => shown.has(tid)) && shown.size == tids.size &&
			rows.every(({ lane }) => lane.kind == "cpu" || lane.kind == "thread");
		closeWhy();
		byId("only").click();
		return [isRight, rows.length < all, page.list.rows.length >= all].join();
	})()`);

	result("view_panels_show_the_lanes_of_the_account_alone", ...(only == "true,true,true" ? [] : [only]));
	result("view_panels_close_the_account",
		...(await tab.evaluate("byId('side').hidden && !page.drawing.chain.length") ? [] : ["it is there"]));
}

/* The events of the panel: their times, and what is said of them. */
async function eventsOf(tab)
{
	return tab.evaluate("[...document.querySelectorAll('#events-rows tr[data-text]')].map(({ dataset }) => `${dataset.ns} ${dataset.text}`)");
}

/* The records of lkst print with these options. */
function records(...words)
{
	return terminal("trace", "print", "--no-gaps", "--format", "json", "--text", ...words).out.split("\n").filter(Boolean).map(jsonOf);
}

/* The same as the panel has them. */
function printed(...words)
{
	return records(...words).map(({ ns, text }) => `${ns} ${text}`);
}

/* How many questions the page asks of the commands for what @words do. */
async function questionsOf(tab, words)
{
	return tab.evaluate(`(() => {
		const { run } = page.lkst;
		let nr = 0;

		page.lkst.run = (...all) => (nr++, run.apply(page.lkst, all));
		${words};
		page.lkst.run = run;
		return nr;
	})()`);
}

function same(name, shown, wanted)
{
	const at = shown.findIndex((line, i) => line != wanted[i]);

	return shown.length == wanted.length && at < 0 ? [] : [`${name}: ${shown.length} lines, not ${wanted.length}; ${shown[at]}, not ${wanted[at]}`];
}

async function checkEvents(browser)
{
	const { tab } = browser;
	const bad = [];

	await tab.evaluate("unselect(), page.view.show(0, page.trace.length), panels.show('events')");
	for (const words of ["", "--event sched_switch", "--event 'sched_*' --cpu 0", "--comm dd -e 'syscall_*'", "--event state_disk"]) {
		await tab.evaluate(`findEvents(${JSON.stringify(words)})`);

		const all = printed(...words.split(" ").filter(Boolean).map((word) => word.replaceAll("'", "")));

		bad.push(...same(words, await eventsOf(tab), all.slice(0, 100)));
		await tab.evaluate("showEvents(1), 1");
		if (all.length > 100)
			bad.push(...same(`${words}, later`, await eventsOf(tab), all.slice(100, 200)));
		await tab.evaluate("showEvents(-1), 1");
		if (all.length > 200)
			bad.push(...same(`${words}, earlier`, await eventsOf(tab), all.slice(0, 100)));
	}
	result("view_panels_show_the_events_of_print", ...bad);

	const asked = [];

	for (const words of ["findEvents('--event sched_switch')", "showEvents(1)", "showEvents(-1)"])
		asked.push(await questionsOf(tab, words));
	result("view_panels_ask_once_for_a_page_of_events", ...(asked.join() == "1,1,1" ? [] : [asked.join()]));

	/* They follow the stretch, and the lane. */
	await tab.evaluate(`findEvents(""), page.view.show(page.trace.length / 4, page.trace.length / 2)`);
	await browser.until("!events.isStale");

	const [from, to] = await tab.evaluate("[afterBegin(page.view.from), afterBegin(page.view.to)]");
	const still = same("stretch", await eventsOf(tab), printed("--from", from, "--to", to).slice(0, 100));

	await tab.evaluate("select(page.trace.info.lanes.findIndex((lane) => lane.kind == 'cpu' && lane.number == 0), page.view.from, page.view.to)");
	await browser.until("!events.isStale");
	still.push(...same("lane", await eventsOf(tab), printed("--from", from, "--to", to, "--cpu", "0").slice(0, 100)));
	await tab.evaluate("document.querySelectorAll('#events-rows tr[data-text]')[3].click()");

	const chosen = await tab.evaluate(`({ ns: document.querySelectorAll('#events-rows tr[data-text]')[3].dataset.ns, from: page.selection.from,
		begin: page.trace.info.begin_ns, fields: document.querySelectorAll('#events-rows .fields dt').length })`);

	if (BigInt(chosen.ns) - BigInt(chosen.begin) != BigInt(chosen.from) || !chosen.fields)
		still.push(`a click leads to ${JSON.stringify(chosen)}`);
	result("view_panels_show_the_events_of_what_is_shown", ...still);
	await tab.evaluate("findEvents('--event nothing_like_it')");
	result("view_panels_say_what_is_wrong_with_options", ...(await tab.evaluate("document.querySelector('#events .failure')?.textContent") ==
		terminal("trace", "print", "--event", "nothing_like_it").err ? [] : ["they do not"]));
	await tab.evaluate("unselect(), findEvents('')");
}

/* What the ledger of @trace shows, by the JSON of lkst check. */
async function checkLedger({ tab }, trace)
{
	await tab.evaluate("panels.show('ledger')");

	const shown = await tab.evaluate(`${READ_TABLES}(byId("panel-ledger"))`);
	const verdict = await tab.evaluate("document.querySelector('#panel-ledger .verdict').textContent");
	const check = jsonOf(terminal(trace, "check", "--json").out);
	const text = terminal(trace, "check").out;
	const rows = (title) => shown.tables.find((table) => table.title.startsWith(title)).rows.map((row) => row.map((cell) => cell.value));
	const bad = [];
	const compare = (what, values, wanted) => JSON.stringify(values) == JSON.stringify(wanted) ||
		bad.push(`${what}: ${JSON.stringify(values).slice(0, 150)}, not ${JSON.stringify(wanted).slice(0, 150)}`);

	compare("gaps", rows("Gaps"), check.gap_list.map((gap) => [String(BigInt(gap.to_ns) - BigInt(gap.from_ns)), gap.from_ns, gap.cpu,
		gap.buffer, gap.blocks, gap.events, gap.why]));
	compare("ledger", rows("Ledger").map((row) => [row[0], row[1], row[4]]), check.ledger.map((line) => [line.kind, line.count, line.text]));
	compare("streams", rows("Streams"), check.streams.map(Object.values));
	compare("sums", rows("The kernel's"), check.compared.sums.map(Object.values));
	compare("counts", rows("Events").sort(), Object.entries(check.counts).sort());
	if (!verdict.includes(check.verdict.replace(" above", " below")) || !text.includes(check.verdict))
		bad.push(`${verdict}, not ${check.verdict}`);
	result(`view_panels_have_the_ledger_of_the_${trace}`, ...bad);
	return check;
}

/* The step after a call that is found selects the first one, from its entry to its exit; or says what else it did. */
async function nextCall(tab, call, prefix)
{
	const [entry] = records("--event", `${prefix}syscall_entry_${call}`);
	const [exit] = records("--event", `${prefix}syscall_exit_${call}`, "--tid", entry.tid);
	const selection = await tab.evaluate(`unselect(), page.view.show(0, page.trace.length),
		document.querySelectorAll('#found li')[0].querySelectorAll('button')[1].click(),
		({ from: page.selection?.from, to: page.selection?.to, tid: page.selection?.thread?.tid, begin: page.trace.info.begin_ns })`);
	const since = (event) => String(BigInt(event.ns) - BigInt(selection.begin));

	return since(entry) == selection.from && since(exit) == selection.to && entry.tid == selection.tid ? []
		: [`next ${prefix}${call} leads to ${JSON.stringify(selection)}, not ${entry.ns}`];
}

async function checkFind({ tab })
{
	const { syscall } = jsonOf(terminal("trace", "analyze", "syscall", "--format", "json").out);
	const { counts } = jsonOf(terminal("trace", "check", "--json").out);
	const call = syscall.rows.find((row) => row.key == "fsync");
	const bad = [];

	await tab.evaluate("panels.show('find'), byId('find').value = 'fsync', showFound()");

	const texts = await tab.evaluate("[...document.querySelectorAll('#found a')].map((one) => one.textContent)");

	if (!texts.some((text) => text.startsWith(`call fsync: ${call.count}, longest `)) ||
		!texts.includes(`event syscall_entry_fsync: ${counts.syscall_entry_fsync}`))
		bad.push(texts.join(", "));
	bad.push(...await nextCall(tab, "fsync", ""));
	await tab.evaluate("byId('find').value = 'dd', showFound()");
	if (!await tab.evaluate("[...document.querySelectorAll('#found a')].some((one) => /^thread dd \\d+$/.test(one.textContent))"))
		bad.push("there is no thread dd");
	result("view_panels_find_threads_calls_and_events", ...bad);
	await checkFindCompat(tab, syscall.rows);
}

/* A 32-bit program's call is another one than that of the same name. */
async function checkFindCompat(tab, rows)
{
	if (!rows.some((row) => row.key == "compat:brk")) {
		console.log("skip view_panels_find_compat_calls: this kernel runs no 32-bit programs");
		return;
	}
	await tab.evaluate("byId('find').value = 'compat:brk', showFound()");
	result("view_panels_find_compat_calls", ...await nextCall(tab, "brk", "compat_"));
}

/* Names that would do harm are shown as text, in all panels. */
async function checkHostile({ tab })
{
	const bad = [];

	await tab.evaluate("unselect(), page.view.show(0, page.trace.length), findEvents(\"--comm '*evil'\"), panels.show('analyses'), showAnalysis('thread')");
	/* On a busy machine others run longer, and come first. */
	await tab.evaluate("document.querySelectorAll('#analysis .figures > button').forEach((button) => button.click())");
	await tab.evaluate("panels.show('find'), byId('find').value = 'evil', showFound(), showWhy('--worst', 'wait', '--comm', '*evil')");
	/* A machine that hides a thread from everybody hides its waits. */
	const isExplained = terminal("trace", "why", "--worst", "wait", "--comm", "*evil").out.includes("<b>");

	for (const panel of ["panel-findings", "panel-events", "panel-find", "analysis", "account"]) {
		const { text, elements } = await tab.evaluate(`({ text: byId("${panel}").textContent,
			elements: byId("${panel}").querySelectorAll("b, img").length })`);

		if (/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(text) || elements)
			bad.push(`${panel} has markup or controls`);
		if (panel != "panel-findings" && !text.includes("<b>") && (panel != "account" || isExplained))
			bad.push(`${panel} does not name it`);
	}
	result("view_panels_show_hostile_names_as_text", ...bad);
	await tab.evaluate("closeWhy()");
}

/*
 * The picture of all waiting has the rows of the tree that the terminal has; a box is walked into and back, and its row leads to the
 * longest. The boxes of a thread's name have a frame when its lane is selected.
 */
async function checkWaiting({ tab })
{
	const boxes = "[...document.querySelectorAll('.flame button')]";
	const title = "document.querySelector('#map .maphead p').textContent";
	const bad = [];

	await tab.evaluate("unselect(), page.view.show(0, page.trace.length), page.maps.open('waiting'), true");

	const range = await tab.evaluate("rangeWords(page.view.from, page.view.to)");
	const { rows } = jsonOf(terminal("trace", "why", "--tree", "32", "--format", "json", ...range).out).waiting_tree;
	const titles = await tab.evaluate(`${boxes}.map((box) => box.title)`);
	const texts = titles.map((text) => text.replace(/: [^:]*$/, ""));
	/* What is narrower is not drawn. */
	const wide = await tab.evaluate(`${JSON.stringify(rows.filter((one) => Number(one.share_percent) > 0.11).map(({ text }) => text))}.map(visible)`);
	let next = 1;
	/* In the same order: what is above comes first. */
	const lacking = wide.find((text) => !(next = texts.indexOf(text, next) + 1));

	if (wide.length < 3 || texts[0] != "all waiting" || lacking !== undefined)
		bad.push(`${texts.length} boxes, ${wide.length} rows: there is no "${lacking}"`);

	const row = rows.find((one) => one.depth == "0" && one.tid !== null && one.leaf === false);
	const walked = await tab.evaluate(`(() => {
		const walk = () => ${boxes}.find((box) => box.title.startsWith(visible(${JSON.stringify(row.text)}) + ": ")).click();
		walk();
		const there = { wide: ${boxes}.filter((box) => box.style.width == "100%").map((box) => box.title), nr: ${boxes}.length, title: ${title} };
		${boxes}[0].click();
		const again = ${boxes}.length;
		walk();
		return { ...there, again };
	})()`);
	const text = await tab.evaluate(`visible(${JSON.stringify(row.text)})`);

	if (!walked.wide.some((one) => one.startsWith(text)) || !walked.wide.some((one) => one.startsWith("all waiting")) ||
		walked.nr >= titles.length || !walked.title.startsWith(text) || walked.again != titles.length)
		bad.push(`of ${titles.length}, walking into "${text}" shows ${JSON.stringify(walked)}`);

	const [selected, begin] = await tab.evaluate(`(() => {
		document.querySelector("#map .maphead a.time").click();
		const { from, to, thread } = page.selection;
		return [[from, to, thread.tid, ${boxes}.filter((box) => box.classList.contains("own")).length > 0], page.trace.info.begin_ns];
	})()`);
	const from = Number(BigInt(row.at_ns) - BigInt(begin));

	if (selected.join() != [from, from + Number(row.longest_ns), row.tid, true].join())
		bad.push(`the longest of "${row.text}" leads to ${selected.join()}, not ${from}, ${row.longest_ns}, ${row.tid}`);
	result("view_panels_draw_all_waiting", ...bad);
	await tab.evaluate("page.maps.open(null), unselect(), page.view.show(0, page.trace.length), true");
}

/* The tabs are gone through by keys, and one at a time can be reached by Tab. */
async function checkTabs({ tab })
{
	const names = "[...document.querySelectorAll('#tabs [role=tab]')]";
	const bad = [];

	await tab.evaluate("panels.show('findings'), byId('tab-findings').focus()");
	await tab.keyboard.press("ArrowRight");
	if (await tab.evaluate("document.activeElement.id") != "tab-analyses" || await tab.evaluate("byId('panel-analyses').hidden"))
		bad.push("right does not show the next one");
	await tab.keyboard.press("End");
	if (await tab.evaluate(`document.activeElement != ${names}.at(-1)`))
		bad.push("End does not show the last one");
	if (await tab.evaluate(`${names}.filter((tab) => tab.tabIndex == 0 && tab.getAttribute("aria-selected") == "true").length`) != 1)
		bad.push("not just one is selected");
	if (await tab.evaluate(`${names}.some((tab) => byId(tab.getAttribute("aria-controls"))?.getAttribute("aria-labelledby") != tab.id)`))
		bad.push("a panel has no name");
	result("view_panels_have_tabs", ...bad);
}

/* What is missing is said where a trace is damaged. */
async function checkDamage(browser)
{
	const { tab } = browser;

	await browser.open(`${directory}/damaged.html`);

	const check = await checkLedger(browser, "damaged");
	const bad = check.gap_list.length ? [] : ["there is no gap"];

	await tab.evaluate("document.querySelector('#panel-ledger a.time').click()");

	const { from, to, begin } = await tab.evaluate("({ from: page.view.from, to: page.view.to, begin: page.trace.info.begin_ns })");
	const [gap] = check.gap_list;

	if (BigInt(gap.from_ns) - BigInt(begin) < BigInt(Math.floor(from)) || BigInt(gap.to_ns) - BigInt(begin) > BigInt(Math.ceil(to)))
		bad.push(`the link leads to ${from}..${to}`);
	result("view_panels_lead_to_gaps", ...bad);
	await browser.open(`${directory}/truncated.html`);
	await checkLedger(browser, "truncated");

	const said = await tab.evaluate("byId('panel-findings').textContent + byId('failure').textContent");
	const { err } = terminal("truncated", "report");

	result("view_panels_say_that_a_trace_is_truncated", ...(/missing|not complete/.test(await tab.evaluate("byId('panel-ledger').textContent")) &&
		err.split("\n").every((line) => said.includes(line)) ? [] : [said.slice(0, 200), err]));
}

async function main()
{
	const browser = await Browser.start();

	try {
		const state = await browser.open(`${directory}/trace.html`);

		result("view_panels_are_ready", ...(state == "ready" ? [] : [state]));
		await checkFindings(browser);
		await checkAnalyses(browser);
		await checkLinks(browser);
		await checkWhy(browser);
		await checkEvents(browser);
		await checkLedger(browser, "trace");
		await checkFind(browser);
		await checkWaiting(browser);
		await checkHostile(browser);
		await checkTabs(browser);
		await checkDamage(browser);
		result("view_panels_complain_of_nothing", ...browser.complaints);
	} finally {
		await browser.stop();
	}
}

main().catch((error) => {
	console.log(`FAIL view_panels: ${String(error.stack).replace(/\n/g, " ")}`);
	process.exitCode = 1;
});
