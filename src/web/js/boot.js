// SPDX-License-Identifier: GPL-2.0-only
/*
 * The first script of the page, and the only one that is not packed: it says what the browser lacks, or unpacks the others, which
 * are one script (tools/view-page), and has them run. The page's policy allows that script by its sum, and no other.
 */
"use strict";

function byId(id)
{
	return document.getElementById(id);
}

function fail(text)
{
	byId("failure").textContent = text;
	document.documentElement.dataset.state = "failed";
}

/* The bytes of text that the page has in windows-1252, a byte for each character (src/cmd/view/byte_text.h). */
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

/* Why the page cannot work here; null: it can. */
function whatIsMissing()
{
	if (typeof WebAssembly != "object")
		return "This browser has no WebAssembly, which the page needs: it may be switched off, or the browser too old.";
	if (typeof DecompressionStream != "function")
		return "This browser cannot unpack gzip, which the page needs: one of 2023 or later can.";
	if (document.characterSet != "windows-1252")
		return `A server has sent this page as ${document.characterSet}, which destroys what is in it: ` +
			"save the page as a file, and open that.";
	return null;
}

async function boot()
{
	const missing = whatIsMissing();
	const script = document.createElement("script");

	byId("failure").textContent = "";
	if (missing) {
		fail(missing);
		return;
	}
	try {
		script.textContent = new TextDecoder().decode(await unpackElement(byId("scripts")));
	} catch (error) {
		fail(`This page is damaged: ${error.message}`);
		return;
	}
	document.body.append(script);
}

boot();
