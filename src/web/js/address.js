// SPDX-License-Identifier: GPL-2.0-only
/* What is shown, in the fragment of the page's address, to be shared. */
"use strict";

let fragmentTimer;

function showFragment()
{
	const match = /^#t=(\d+),(\d+)$/.exec(location.hash);

	if (match)
		page.view.show(Number(match[1]), Number(match[2]));
}

/* When nothing has moved for a while: browsers refuse many changes of the address in short time. */
function rememberPosition()
{
	clearTimeout(fragmentTimer);
	fragmentTimer = setTimeout(() => {
		history.replaceState(null, "", `#t=${Math.round(page.view.from)},${Math.round(page.view.to)}`);
	}, 300);
}

page.addEventListener("view", rememberPosition);
