// SPDX-License-Identifier: GPL-2.0-only
/* Elements, and text that may come from a hostile trace. */
"use strict";

/* An element with these properties; a name with a "-", and role, are attributes. Children are elements or text; null is none. */
function make(tag, properties = {}, ...children)
{
	const element = document.createElement(tag);

	for (const [name, value] of Object.entries(properties))
		if (name.includes("-") || name == "role")
			element.setAttribute(name, value);
		else
			element[name] = value;
	element.append(...children.filter((child) => child !== null));
	return element;
}

/*
 * Text as it may be shown: what controls a terminal, has no width or changes the direction of what follows is shown by its
 * number.
 */
function visible(text)
{
	return String(text).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu,
		(character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/* A name of the trace: its direction is its own. */
function nameElement(text)
{
	return make("bdi", {}, visible(text));
}
