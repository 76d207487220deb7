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

/*
 * A time of the trace's clock as nanoseconds after the trace's beginning. Of several hosts it is a time of day, or with @host, what
 * that host's own clock said.
 */
function sinceBegin(ns, host = null)
{
	const { info, hosts } = page.trace;

	return Number(BigInt(ns) - BigInt(host === null ? info.begin_ns : hosts[host].zero_ns));
}

/* --from and --to of a stretch, of all hosts or as host @host alone takes them, whose trace has another beginning. */
function rangeWords(from, to, host = null)
{
	const own = (at) => {
		const ns = BigInt(page.trace.hosts[host].zero_ns) + BigInt(Math.round(at));

		return clockText(ns < 0n ? 0n : ns);
	};
	const word = host === null || !page.trace.isSeveral ? afterBegin : own;

	return ["--from", word(from), "--to", word(to)];
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
		throw new Error(complaints(err) || `status ${status}`);
	return { out, err: complaints(err) };
}

/* What a command complains of: not what is said of the clocks of several hosts each time, which the page says itself. */
function complaints(err)
{
	const { hosts, info } = page.trace;
	const isOfClocks = (line) => info.notes.includes(line.replace(/^lkst: /, "")) ||
		hosts.some(({ clock }) => clock && line.endsWith(`: ${clock}`));

	return err.split("\n").filter((line) => !isOfClocks(line)).join("\n").trim();
}

/* The same with `out` as data. */
function askJson(...words)
{
	const { out, err } = askText(...words);

	return { out: exactJson(out), err };
}

/* The same of host @host alone; null: of all. */
function askOf(host, ask, ...words)
{
	return host === null ? ask(...words) : page.lkst.of(host, () => ask(...words));
}
