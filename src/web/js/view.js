// SPDX-License-Identifier: GPL-2.0-only
/* The stretch of time that is shown, and moving in it. */
"use strict";

const NARROWEST_NS = 200;

class View {
	/* All of a trace that is @length long. */
	constructor(length)
	{
		this.length = length;
		this.from = 0;
		this.to = length;
	}

	get span()
	{
		return this.to - this.from;
	}

	/* Where a time is in what is shown, from 0 to 1. */
	placeOf(at)
	{
		return (at - this.from) / this.span;
	}

	timeAt(place)
	{
		return this.from + place * this.span;
	}

	show(from, to)
	{
		const span = Math.min(Math.max(to - from, NARROWEST_NS), this.length);

		this.from = Math.min(Math.max(from, 0), this.length - span);
		this.to = this.from + span;
		page.tell("view");
	}

	/* Shows a time, if it is not shown, and as much as before. */
	reveal(at)
	{
		if (at < this.from || at > this.to)
			this.show(at - this.span / 2, at + this.span / 2);
	}

	/* @factor < 1: closer; @place: what stays where it is, from 0 to 1. */
	zoom(factor, place = 0.5)
	{
		const at = this.timeAt(place);

		this.show(at - this.span * factor * place, at + this.span * factor * (1 - place));
	}

	move(share)
	{
		this.show(this.from + this.span * share, this.to + this.span * share);
	}
}
