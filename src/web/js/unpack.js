// SPDX-License-Identifier: GPL-2.0-only
/* What is in the page, or what a user drops on it, as bytes. */
"use strict";

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

/* The bytes of files, a list of { name, file }, as LkstModule.setFiles() takes them. Throws if they are more than a page can hold. */
async function readFiles(files)
{
	const size = files.reduce((sum, { file }) => sum + file.size, 0);

	if (size > page.bytesMax)
		throw new Error(`they have ${sizeFigure(size)}, and a page takes ${sizeFigure(page.bytesMax)} at most; ` +
			"`lkst view --serve` shows twice as much, and `lkst cut` makes a smaller trace of them, by time or size");
	return Promise.all(files.map(async ({ name, file }) => ({ name, bytes: new Uint8Array(await file.arrayBuffer()) })));
}

/* The files below an entry that was dropped: a file, or a directory; as readFiles() takes them. */
async function filesOfEntry(entry)
{
	if (entry.isFile)
		return [{ name: entry.fullPath.slice(1), file: await new Promise((resolve, reject) => entry.file(resolve, reject)) }];

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

/* The same of a handle, which is what Chromium has for pages of the disk: there it reads no file of an entry. */
async function filesOfHandle(handle, path)
{
	const name = path + handle.name;
	const files = [];

	if (handle.kind == "file")
		return [{ name, file: await handle.getFile() }];
	for await (const inner of handle.values())
		files.push(...await filesOfHandle(inner, `${name}/`));
	return files;
}

async function filesOfDrop(transfer)
{
	/* All at once: the transfer is empty after the first pause. */
	const promises = [...transfer.items].filter(({ kind }) => kind == "file").map((item) => {
		const entry = item.webkitGetAsEntry();

		return item.getAsFileSystemHandle
			? item.getAsFileSystemHandle().then((handle) => filesOfHandle(handle, "")) : filesOfEntry(entry);
	});

	return readFiles((await Promise.all(promises)).flat());
}

function filesOfInput(input)
{
	return readFiles([...input.files].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
}
