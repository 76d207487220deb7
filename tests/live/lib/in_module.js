// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a command in the module of WebAssembly, as at a terminal: in_module.js MODULE COMMAND [ARG...] TRACE. A trace's
 * files are read into memory first; an archive is one file.
 */
"use strict";

const fs = require("fs");
const path = require("path");
const { LkstModule } = require("../../../src/web/js/module.js");

function filesOf(trace, prefix)
{
	const files = [];

	if (!fs.statSync(trace).isDirectory())
		return [{ name: path.basename(trace), bytes: fs.readFileSync(trace) }];
	for (const entry of fs.readdirSync(trace, { withFileTypes: true })) {
		const name = path.join(trace, entry.name);

		if (entry.isDirectory())
			files.push(...filesOf(name, prefix + entry.name + "/"));
		else
			files.push({ name: prefix + entry.name, bytes: fs.readFileSync(name) });
	}
	return files;
}

async function main(module, ...words)
{
	const lkst = await LkstModule.open(fs.readFileSync(module));

	lkst.setFiles(filesOf(words[words.length - 1], ""));

	const { status, out, err } = lkst.run(words);

	fs.writeSync(1, out);
	fs.writeSync(2, err);
	process.exitCode = status;
}

main(...process.argv.slice(2));
