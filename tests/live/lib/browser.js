// SPDX-License-Identifier: GPL-2.0-only
/*
 * A browser without a window: Chromium, driven by puppeteer-core (https://pptr.dev). It notes what the page says on its
 * console, what goes wrong, and what it asks the network for. NODE_PATH names what `tools/fetch-npm puppeteer` prints.
 */
"use strict";

const { spawn } = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");
const vm = require("vm");

const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
	"--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe", "--window-size=1400,900"];
const PATIENCE_MS = 120000;

function sleep(ms)
{
	return new Promise((resolve) => setTimeout(resolve, ms));
}

/*
 * The build of puppeteer-core that is for web pages. It is one file, a script that declares a variable, and needs no other
 * package. It lacks what starts a browser and what writes files.
 */
function loadPuppeteer()
{
	const filename = require.resolve("puppeteer-core/lib/es5-iife/puppeteer-core-browser.js");

	return vm.compileFunction(`${fs.readFileSync(filename, "utf8")}\nreturn Puppeteer;`, [], { filename })();
}

/* Carries messages to a browser and back through its pipes, in which each ends with a NUL. */
class Pipe
{
	constructor(to, from)
	{
		this.to = to;
		this.rest = "";
		from.setEncoding("utf8");
		from.on("data", (text) => this.#hear(text));
		from.on("close", () => this.onclose?.());
		/* A browser that has ended resets them, and then they are closed. */
		for (const pipe of [to, from])
			pipe.on("error", () => {});
	}

	send(message)
	{
		this.to.write(`${message}\0`);
	}

	close()
	{
		this.to.end();
	}

	/* Each message gets a turn of its own, so that whoever waits for it goes on before the next one is taken. */
	#hear(text)
	{
		const messages = (this.rest + text).split("\0");

		this.rest = messages.pop();
		for (const message of messages)
			setImmediate(() => this.onmessage?.(message));
	}
}

/* Its page is @tab, a Page of puppeteer. What is evaluated there finds the object `page` of lkst view, which is another one. */
class Browser
{
	static async start()
	{
		const browser = new Browser();

		browser.complaints = [];
		browser.requests = [];
		browser.profile = fs.mkdtempSync(path.join(os.tmpdir(), "lkst-browser-"));
		browser.process = spawn("chromium", [...FLAGS, `--user-data-dir=${browser.profile}`, "about:blank"],
			{ stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
		try {
			await browser.#connect();
		} catch (error) {
			await browser.stop();
			throw error;
		}
		return browser;
	}

	async #connect()
	{
		const [, , , to, from] = this.process.stdio;
		const puppeteer = loadPuppeteer();

		this.connection = await puppeteer.connect({ transport: new Pipe(to, from), defaultViewport: null });
		this.tab = await (await this.connection.waitForTarget((target) => target.type() == "page")).page();
		this.tab.setDefaultTimeout(PATIENCE_MS);
		this.tab.on("console", (message) => this.complaints.push(message.text()));
		/* The second one if the page's process has ended. */
		for (const event of ["pageerror", "error"])
			this.tab.on(event, (error) => this.complaints.push(error.stack ?? String(error)));
		this.tab.on("request", (request) => {
			if (!/^(file|data|blob):/.test(request.url()))
				this.requests.push(request.url());
		});
	}

	/* Ends it, with all processes that it has started, and removes what they have left. */
	async stop()
	{
		const end = Date.now() + PATIENCE_MS;

		await this.connection?.disconnect();
		while (this.#kill() && Date.now() < end)
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

	/* Kills the processes of its group. Whether there were any. */
	#kill()
	{
		try {
			return process.kill(-this.process.pid, "SIGKILL");
		} catch {
			return false;
		}
	}

	/* Opens a page of the disk, and waits until it says how it is. */
	open(file)
	{
		return this.go(`file://${file}`);
	}

	async go(url)
	{
		await this.tab.goto(url);
		return this.until("document.documentElement.dataset.state != 'opening' && document.documentElement.dataset.state");
	}

	/* Waits until an expression of JavaScript is true in the page, and returns it. If it throws, the page has an error. */
	async until(expression)
	{
		const value = await this.tab.waitForFunction(expression).catch((error) => {
			throw new Error(`${error.message}: ${expression}`, { cause: error });
		});

		return value.jsonValue();
	}

	/* Presses the mouse at one place and releases it at another. */
	async drag(fromX, fromY, toX, toY)
	{
		await this.tab.mouse.move(fromX, fromY);
		await this.tab.mouse.down();
		await this.tab.mouse.move(toX, toY);
		await this.tab.mouse.up();
	}
}

module.exports = { Browser };
