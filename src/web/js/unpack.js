// SPDX-License-Identifier: GPL-2.0-only
/* What is in the page, or what a user drops on it, as bytes. */
"use strict";

/* The bytes of base64 text. */
function bytesOfBase64(text)
{
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);

	const characters = atob(text);
	const bytes = new Uint8Array(characters.length);

	for (let i = 0; i < characters.length; i++)
		bytes[i] = characters.charCodeAt(i);
	return bytes;
}

/* The bytes that gzip has made @packed of. */
async function gunzip(packed)
{
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* What a script element holds. */
function unpackElement(element)
{
	return gunzip(bytesOfBase64(element.textContent));
}

/* The files of the trace that the page was written with, side by side. */
function embeddedFiles()
{
	return Promise.all([...document.querySelectorAll("script.file")].map(async (element) => {
		const bytes = await unpackElement(element);

		element.remove();
		return { name: element.dataset.name, bytes };
	}));
}

/* The files below an entry that was dropped: a file, or a directory. */
async function filesOfEntry(entry)
{
	if (entry.isFile) {
		const file = await new Promise((resolve, reject) => entry.file(resolve, reject));

		return [{ name: entry.fullPath.slice(1), bytes: new Uint8Array(await file.arrayBuffer()) }];
	}

	const reader = entry.createReader();
	const files = [];

	/* A reader gives some at a time, and none at the end. */
	for (;;) {
		const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));

		if (!some.length)
			return files;
		for (const inner of some)
			files.push(...await filesOfEntry(inner));
	}
}

async function filesOfDrop(transfer)
{
	/* All at once: the transfer is empty after the first pause. */
	const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter(Boolean);

	return (await Promise.all(entries.map(filesOfEntry))).flat();
}

function filesOfInput(input)
{
	return Promise.all([...input.files].map(async (file) => ({
		name: file.webkitRelativePath || file.name,
		bytes: new Uint8Array(await file.arrayBuffer()),
	})));
}
