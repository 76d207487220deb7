// SPDX-License-Identifier: GPL-2.0-only
/* What the panels ask of the commands that read: JSON, whose numbers stay exact. */
"use strict";

/*
 * JSON in which integers that are too long to be exact as numbers are text: those of nanoseconds are, on a machine that is up
 * for long.
 */
function exactJson(text)
{
	const exact = (token) => /^-?\d{16,}$/.test(token) ? `"${token}"` : token;

	return JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g, exact));
}

/* A time of the trace's clock as nanoseconds after the trace's beginning. */
function sinceBegin(ns)
{
	return Number(BigInt(ns) - BigInt(page.trace.info.begin_ns));
}

/* A time of the trace's clock as --from and --to take it. */
function clockText(ns)
{
	const text = String(ns).padStart(10, "0");

	return `@${text.slice(0, -9)}.${text.slice(-9)}`;
}

/* What the command says: { out: text, err: text }. Throws what is wrong, if it says nothing but that, or not all. */
function askText(...words)
{
	const { status, out, err, isCut } = page.lkst.run([...words, page.trace.name]);

	if (isCut || (status && !out))
		throw new Error(err.trim() || `status ${status}`);
	return { out, err: err.trim() };
}

/* The same with `out` as data. */
function askJson(...words)
{
	const { out, err } = askText(...words);

	return { out: exactJson(out), err };
}
