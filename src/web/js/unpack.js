// SPDX-License-Identifier: GPL-2.0-only
/* What is in the page, or what a user drops on it, as bytes. */
"use strict";

/* The bytes of text that the page has in windows-1252, a byte for each character (src/base/byte_text.h). */
function bytesOfText(text)
{
	const [mark, shift] = [61, 64];
	const all = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (unused, i) => i));
	const byteOf = new Uint8Array(1 << 16);
	const bytes = new Uint8Array(text.length);
	let nr = 0;

	for (let i = 0; i < 256; i++)
		byteOf[all.charCodeAt(i)] = i;
	for (let i = 0; i < text.length; i++) {
		const code = text.charCodeAt(i);

		bytes[nr++] = code == mark ? text.charCodeAt(++i) - shift : byteOf[code];
	}
	return bytes.subarray(0, nr);
}

/* The bytes that gzip has made @packed of. */
async function gunzip(packed)
{
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* What a script element holds: something small that gzip has packed. */
function unpackElement(element)
{
	return gunzip(bytesOfText(element.textContent));
}

/* What stands for a name in the page: %XX is a byte. */
function nameOfAttribute(text)
{
	const bytes = text.replace(/%(..)/g, (all, hex) => String.fromCharCode(parseInt(hex, 16)));

	return new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));
}

/*
 * The name of the trace that the page was written for: @how, "trace": it has its files; "served": it is to ask for them; "live": it
 * is to ask again and again. Undefined: it was not.
 */
function embeddedName(how)
{
	const element = document.querySelector(`meta[name=${how}]`);

	return element ? nameOfAttribute(element.content) : undefined;
}

/* The files of that trace, packed. */
function embeddedFiles()
{
	return [...document.querySelectorAll("script.file")].map((element) => {
		const packed = bytesOfText(element.textContent);

		element.remove();
		return { name: nameOfAttribute(element.dataset.name), packed };
	});
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
