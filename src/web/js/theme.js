// SPDX-License-Identifier: GPL-2.0-only
/*
 * Light and dark: what the user prefers everywhere, until the button says otherwise. page.css has the dark colours under
 * prefers-color-scheme, and what is here changes when these rules hold. Paper is light.
 */
"use strict";

const DARK = "(prefers-color-scheme: dark)";

let darkRules = [];
let chosenTheme = ""; /* "light", "dark", "": what the user prefers everywhere */

function isDark()
{
	return chosenTheme ? chosenTheme == "dark" : matchMedia(DARK).matches;
}

function applyTheme(name)
{
	for (const rule of darkRules)
		rule.media.mediaText = { light: "not all", dark: "all" }[name] ?? DARK;
	document.documentElement.style.colorScheme = name;
	byId("theme").textContent = isDark() ? "Light" : "Dark";
	page.drawing?.drawAll();
}

function changeTheme()
{
	chosenTheme = isDark() ? "light" : "dark";
	applyTheme(chosenTheme);
}

/* What is on the screen, in light colours; the list of lanes does not grow with the paper. */
function beforePrinting()
{
	byId("lanes").style.maxHeight = `${byId("lanes").clientHeight}px`;
	applyTheme("light");
	page.drawing?.drawNow();
}

function afterPrinting()
{
	byId("lanes").style.maxHeight = "";
	applyTheme(chosenTheme);
}

function listenToTheme()
{
	darkRules = [...document.styleSheets[0].cssRules].filter((rule) => rule.media?.mediaText == DARK);
	byId("theme").addEventListener("click", changeTheme);
	matchMedia(DARK).addEventListener("change", () => applyTheme(chosenTheme));
	window.addEventListener("beforeprint", beforePrinting);
	window.addEventListener("afterprint", afterPrinting);
	applyTheme("");
}
