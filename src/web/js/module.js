// SPDX-License-Identifier: GPL-2.0-only
/*
 * The library as the page has it: src/web/module.h, with the few calls of an operating system that it makes. What it
 * writes is collected, nothing else gets out, and there are no files: a trace is given to it as bytes.
 */
"use strict";

const WASI_BADF = 8;
/* As wasi/errno.h has them. */
const ENOMEM = 12;
const EFBIG = 27;
/* Text is UTF-8, as a terminal of today would say. */
const ENVIRONMENT = ["LANG=C.UTF-8"];

/* By how many seconds clocks where the browser is are ahead of UTC at a time, in seconds since 1970. */
function zoneOf(at)
{
	return Math.round(-60 * new Date(1000 * at).getTimezoneOffset()) || 0;
}

class LkstModule {
	room = { at: 0, length: 0 }; /* of roomFor() */
	files = null; /* what stands for those that the trace consists of */
	answerMax = 128 << 20; /* bytes of an answer: text has a limit, in some browsers of 512 MiB */

	/* @bytes: the module. Resolves to one that is ready. */
	static async open(bytes)
	{
		const lkst = new LkstModule();
		const { instance } = await WebAssembly.instantiate(bytes, { wasi_snapshot_preview1: lkst.#system(),
			lkst: { zone: zoneOf } });

		lkst.exports = instance.exports;
		lkst.exports._initialize();
		return lkst;
	}

	/* What the trace consists of from now on: an array of { name, bytes }, or { name, packed }, if zstd has packed them. */
	setFiles(files)
	{
		this.clearFiles();
		for (const { name, bytes, packed } of files)
			if (packed)
				this.#addPacked(name, packed);
			else
				this.addFile(name, bytes.length)(0, bytes);
	}

	clearFiles()
	{
		this.files = {};
		this.exports.lkst_web_clear();
	}

	/*
	 * Adds a file, whose bytes come later: returns a function that writes some at a place of it. It throws when the trace
	 * consists of other files by then, which may be where this one was.
	 */
	addFile(name, length)
	{
		const { files } = this;
		const file = this.alloc(length);

		if (this.exports.lkst_web_add_file(this.#putText(name), file, length))
			throw new Error("there is not enough memory for this trace");
		return (at, bytes) => {
			if (files !== this.files)
				throw new Error("another trace was opened");
			new Uint8Array(this.memory, file, length).set(bytes, at);
		};
	}

	/*
	 * Runs a command with these words: { status, out, err, isCut }, `out` and `err` being text. isCut: `out` would be longer
	 * than answerMax, and is not whole; `err` says so.
	 */
	run(words)
	{
		const at = this.#putText(words.join("\0"));

		try {
			return this.call("lkst_web_run", at, words.length);
		} finally {
			this.exports.lkst_web_free(at);
		}
	}

	/* What @action does is about host @host alone, where the module has several hosts' traces (src/web/module.h). */
	of(host, action)
	{
		this.exports.lkst_web_choose(host + 1);
		try {
			return action();
		} finally {
			this.exports.lkst_web_choose(0);
		}
	}

	/* Reads the trace for pictures: { status, out, err }, out being JSON (src/web/draw.h). */
	read()
	{
		return this.call("lkst_web_read");
	}

	/* Calls a function of the module that prints: { status, out, err, isCut }. */
	call(name, ...args)
	{
		this.written = { 1: [], 2: [] };
		this.nrWritten = 0;
		this.isCut = false;

		const status = this.exports[name](...args);
		const cut = this.isCut ? `the answer is longer than ${this.answerMax} bytes: ask for less of it, as with --from and --to\n` : "";

		return { status, out: this.#text(1), err: this.#text(2) + cut, isCut: this.isCut };
	}

	/* The names of a host's events by their numbers (src/web/events.h). */
	eventNames(host)
	{
		const { status, out } = this.call("lkst_web_event_names", host);

		return status ? [] : JSON.parse(out);
	}

	/* The address of @length new bytes of the module's memory, for lkst_web_free(). Throws if there are none. */
	alloc(length)
	{
		const at = this.exports.lkst_web_alloc(length) >>> 0;

		if (!at)
			throw new Error(`there is no memory for ${length} bytes`);
		return at;
	}

	/* The same for what is read at once: the next call has the same bytes, whatever trace is shown by then. */
	roomFor(length)
	{
		if (length > this.room.length) {
			this.exports.lkst_web_free(this.room.at);
			this.room = { at: 0, length: 0 };
			this.room = { at: this.alloc(length), length };
		}
		return this.room.at;
	}

	/* The module's memory, which moves when it grows: not to be kept. */
	get memory()
	{
		return this.exports.memory.buffer;
	}

	#addPacked(name, packed)
	{
		const at = this.#put(packed);

		switch (this.exports.lkst_web_add_packed(this.#putText(name), at, packed.length)) {
		case 0:
			return;
		case -ENOMEM:
			throw new Error("there is not enough memory for this trace");
		default:
			throw new Error(`${name} is damaged`);
		}
	}

	#put(bytes)
	{
		const at = this.alloc(bytes.length);

		new Uint8Array(this.memory, at, bytes.length).set(bytes);
		return at;
	}

	#putText(text)
	{
		return this.#put(new TextEncoder().encode(text + "\0"));
	}

	#text(fd)
	{
		const decoder = new TextDecoder();

		return this.written[fd].map((part) => decoder.decode(part, { stream: true })).join("") + decoder.decode();
	}

	#write(fd, vectors, nr, retBytes)
	{
		const view = new DataView(this.memory);
		let bytes = 0;

		if (fd != 1 && fd != 2)
			return WASI_BADF;
		for (let i = 0; i < nr; i++) {
			const at = view.getUint32(vectors + 8 * i, true);
			const length = view.getUint32(vectors + 8 * i + 4, true);

			this.nrWritten += length;
			this.isCut ||= fd == 1 && this.nrWritten > this.answerMax;
			if (fd == 1 && this.isCut)
				return EFBIG;
			this.written[fd].push(new Uint8Array(this.memory, at, length).slice());
			bytes += length;
		}
		view.setUint32(retBytes, bytes, true);
		return 0;
	}

	/* The environment, as environ_get() wants it: pointers, and strings with their NULs. */
	#environment(pointers, strings)
	{
		const view = new DataView(this.memory);
		const bytes = new Uint8Array(this.memory);

		for (const text of ENVIRONMENT) {
			view.setUint32(pointers, strings, true);
			pointers += 4;
			bytes.set(new TextEncoder().encode(text + "\0"), strings);
			strings += text.length + 1;
		}
		return 0;
	}

	/* wasi_snapshot_preview1: there is time, and standard output and error; nothing can be opened. */
	#system()
	{
		const none = () => WASI_BADF;

		return {
			environ_get: (pointers, strings) => this.#environment(pointers, strings),
			environ_sizes_get: (retNr, retBytes) => {
				const view = new DataView(this.memory);

				view.setUint32(retNr, ENVIRONMENT.length, true);
				view.setUint32(retBytes, ENVIRONMENT.join("").length + ENVIRONMENT.length, true);
				return 0;
			},
			clock_time_get: (clock, precision, retTime) => {
				const ns = BigInt(Math.round(Date.now() * 1e6));

				new DataView(this.memory).setBigUint64(retTime, ns, true);
				return 0;
			},
			fd_write: (fd, vectors, nr, retBytes) => this.#write(fd, vectors, nr, retBytes),
			fd_close: none,
			fd_fdstat_get: none,
			fd_pread: none,
			fd_prestat_get: none,
			fd_prestat_dir_name: none,
			fd_read: none,
			fd_seek: none,
			path_open: none,
			proc_exit: (status) => {
				throw new Error(`the library has ended with status ${status}`);
			},
		};
	}
}

/* For tests, which run it without a page. */
if (typeof module !== "undefined")
	module.exports = { LkstModule };
