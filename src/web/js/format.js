// SPDX-License-Identifier: GPL-2.0-only
/*
 * Times and durations as text. Times are nanoseconds after the trace's beginning, as everywhere in the page; as text they
 * have one of the three forms of --time of `lkst print`, which page.timeForm names.
 */
"use strict";

/*
 * All forms: how they are called, what to add to a time after the beginning, and what stands around the seconds. Without that it is
 * the time of day where the browser is.
 */
const TIME_FORMS = {
	rel: { text: () => "after the beginning", zero: () => 0n, around: (seconds) => `+${seconds} s` },
	day: { text: () => `time of day, ${zoneText()}`, zero: ({ begin_ns, offset_ns }) => BigInt(begin_ns) + BigInt(offset_ns) },
	/* Each host has its own. */
	mono: { isOfOne: true, text: () => "CLOCK_MONOTONIC", zero: ({ begin_ns }) => BigInt(begin_ns), around: (seconds) => `${seconds} s` },
};
const SECOND = 1000000000n;
const DAY = 86400n;

/* "1.5 ms" */
function durationText(ns)
{
	for (const [unit, length] of [["s", 1e9], ["ms", 1e6], ["us", 1e3]])
		if (ns >= length)
			return `${+(ns / length).toPrecision(4)} ${unit}`;
	return `${Math.round(ns)} ns`;
}

/* The zone of times of day, when the trace begins: "UTC", "UTC-03:30" */
function zoneText()
{
	const minutes = zoneOf(Number(TIME_FORMS.day.zero(page.trace.info) / SECOND)) / 60;
	const size = Math.abs(minutes);
	const digits = [size / 60, size % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");

	return minutes ? `UTC${minutes < 0 ? "-" : "+"}${digits}` : "UTC";
}

/* "12:14:05", of seconds since 1970 */
function dayText(seconds)
{
	const inDay = Number((seconds + BigInt(zoneOf(Number(seconds)))) % DAY);

	return [inDay / 3600, inDay / 60 % 60, inDay % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
}

/* A time, with @digits of its fraction of a second. */
function timeText(at, digits = 9)
{
	const { zero, around } = TIME_FORMS[page.timeForm];
	const ns = zero(page.trace.info) + BigInt(Math.round(at));
	const seconds = ns / SECOND;
	const fraction = digits > 0 ? `.${String(ns % SECOND).padStart(9, "0").slice(0, digits)}` : "";

	return around ? around(`${seconds}${fraction}`) : `${dayText(seconds)}${fraction}`;
}

/* How many digits distinguish times that are @ns from each other. */
function digitsFor(ns)
{
	return Math.min(Math.max(Math.ceil(9 - Math.log10(Math.max(ns, 1))), 0), 9);
}

/* A time as --from and --to take it: seconds after the beginning, to the nanosecond. */
function afterBegin(ns)
{
	const whole = BigInt(Math.round(ns));

	return `+${whole / SECOND}.${String(whole % SECOND).padStart(9, "0")}s`;
}

/* The names of those forms that times of what is shown can have. */
function timeForms()
{
	return Object.keys(TIME_FORMS).filter((form) => !TIME_FORMS[form].isOfOne || !page.trace?.isSeveral);
}

/* The next form. */
function changeTimeForm()
{
	const forms = timeForms();

	setTimeForm(forms[(forms.indexOf(page.timeForm) + 1) % forms.length]);
}

function setTimeForm(form)
{
	page.timeForm = timeForms().includes(form) ? form : "rel";
	byId("time").textContent = `Times: ${TIME_FORMS[page.timeForm].text()}`;
	page.tell("time");
}
