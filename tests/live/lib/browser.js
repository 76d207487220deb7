// SPDX-License-Identifier: GPL-2.0-only
/*
 * A browser without a window, Chromium, driven through a pipe by the DevTools protocol
 * (https://chromedevtools.github.io/devtools-protocol/). It notes what the page says on its console, what goes wrong, and what
 * it asks the network for.
 */
"use strict";

const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
	"--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe", "--window-size=1400,900"];
const PATIENCE_MS = 120000;
/* Keys that are held, as the protocol has them. */
const CTRL = 2;
const SHIFT = 8;

function sleep(ms)
{
	return new Promise((resolve) => setTimeout(resolve, ms));
}

class Browser {
	static async start()
	{
		const browser = new Browser();

		browser.profile = fs.mkdtempSync(path.join(os.tmpdir(), "lkst-browser-"));
		browser.process = spawn("chromium", [...FLAGS, `--user-data-dir=${browser.profile}`, "about:blank"],
			{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
		browser.answers = new Map();
		browser.complaints = [];
		browser.requests = [];
		browser.process.stdio[4].on("data", (data) => browser.#hear(data));

		const { targetInfos } = await browser.#send("Target.getTargets");
		const { targetId } = targetInfos.find((target) => target.type == "page");
		const { sessionId } = await browser.#send("Target.attachToTarget", { targetId, flatten: true });

		browser.session = sessionId;
		for (const domain of ["Page", "Runtime", "Log", "Network", "DOM"])
			await browser.send(`${domain}.enable`);
		return browser;
	}

	/* Ends it, with all processes that it has started, and removes what they have left. */
	async stop()
	{
		const end = Date.now() + PATIENCE_MS;

		process.kill(-this.process.pid, "SIGKILL");
		while (this.#isRunning() && Date.now() < end)
			await sleep(20);
		for (;;) {
			try {
				fs.rmSync(this.profile, { recursive: true, force: true });
				return;
			} catch (error) {
				if (Date.now() > end)
					throw error;
			}
			await sleep(100);
		}
	}

	/* Whether there is a process of its group. */
	#isRunning()
	{
		try {
			return process.kill(-this.process.pid, 0);
		} catch {
			return false;
		}
	}

	send(method, params = {})
	{
		return this.#send(method, params, this.session);
	}

	/* The value of an expression of JavaScript in the page, which may be a promise. */
	async evaluate(expression)
	{
		const { result, exceptionDetails } = await this.send("Runtime.evaluate",
			{ expression, awaitPromise: true, returnByValue: true });

		if (exceptionDetails)
			throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
		return result.value;
	}

	/* Opens a page of the disk, and waits until it says how it is. */
	open(file)
	{
		return this.go(`file://${file}`);
	}

	async go(url)
	{
		await this.send("Page.navigate", { url });
		return this.until("document.documentElement.dataset.state && document.documentElement.dataset.state != 'opening' " +
			"&& document.documentElement.dataset.state");
	}

	/* Waits until an expression is true, and returns it. */
	async until(expression)
	{
		const end = Date.now() + PATIENCE_MS;

		while (Date.now() < end) {
			const value = await this.evaluate(expression).catch(() => undefined);

			if (value)
				return value;
			await sleep(20);
		}
		throw new Error(`not true within ${PATIENCE_MS / 1000} s: ${expression}`);
	}

	async key(key, modifiers = 0)
	{
		const text = key.length == 1 ? key : undefined;

		await this.send("Input.dispatchKeyEvent", { type: "keyDown", key, text, modifiers });
		await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, modifiers });
	}

	async wheel(x, y, deltaX, deltaY, modifiers = 0)
	{
		await this.send("Input.dispatchMouseEvent", { type: "mouseWheel", x, y, deltaX, deltaY, modifiers });
	}

	/* Puts fingers at some places, [x, y], moves each to another, and lifts them. */
	async touch(from, to)
	{
		const points = (places) => places.map(([x, y], id) => ({ x, y, id }));

		await this.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: points(from) });
		await this.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: points(to) });
		await this.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
	}

	/* Presses the mouse at one place and releases it at another. */
	async drag(fromX, fromY, toX, toY)
	{
		for (const [type, x, y] of [["mousePressed", fromX, fromY], ["mouseMoved", toX, toY], ["mouseReleased", toX, toY]])
			await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
	}

	/* Drags these files and directories of the disk to a place, and drops them there. */
	async drop(files, x, y)
	{
		const data = { items: [], files, dragOperationsMask: 1 };

		for (const type of ["dragEnter", "dragOver", "drop"])
			await this.send("Input.dispatchDragEvent", { type, x, y, data });
	}

	/* Chooses these files, or this directory, for an input element. */
	async choose(selector, files)
	{
		const { root } = await this.send("DOM.getDocument");
		const { nodeId } = await this.send("DOM.querySelector", { nodeId: root.nodeId, selector });

		await this.send("DOM.setFileInputFiles", { nodeId, files });
	}

	async picture(file)
	{
		const { data } = await this.send("Page.captureScreenshot");

		fs.writeFileSync(file, Buffer.from(data, "base64"));
	}

	#send(method, params = {}, sessionId = undefined)
	{
		this.last = (this.last ?? 0) + 1;

		const id = this.last;
		const answer = new Promise((resolve, reject) => this.answers.set(id, { resolve, reject }));

		this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + "\0");
		return answer;
	}

	#hear(data)
	{
		const parts = Buffer.concat([this.rest ?? Buffer.alloc(0), data]).toString("latin1").split("\0");

		this.rest = Buffer.from(parts.pop(), "latin1");
		for (const part of parts)
			this.#take(JSON.parse(Buffer.from(part, "latin1").toString("utf8")));
	}

	#take({ id, result, error, method, params })
	{
		if (id) {
			const answer = this.answers.get(id);

			this.answers.delete(id);
			if (error)
				answer.reject(new Error(error.message));
			else
				answer.resolve(result);
		}
		if (method == "Runtime.exceptionThrown")
			this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
		if (method == "Runtime.consoleAPICalled")
			this.complaints.push(params.args.map((argument) => argument.value ?? argument.description).join(" "));
		if (method == "Log.entryAdded")
			this.complaints.push(params.entry.text);
		if (method == "Network.requestWillBeSent" && !/^(file|data|blob):/.test(params.request.url))
			this.requests.push(params.request.url);
	}
}

module.exports = { Browser, CTRL, SHIFT };
