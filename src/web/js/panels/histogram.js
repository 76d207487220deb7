// SPDX-License-Identifier: GPL-2.0-only
/* Histograms, as SVG: a bar for each row of the table, its limits before it and its count after it. */
"use strict";

const BAR = { height: 18, left: 170, width: 360, right: 110 };

function svgText(attributes, text)
{
	const element = svgElement("text", attributes);

	element.textContent = text;
	return element;
}

/* The bar of row number @y. */
function barElements(table, row, y, most)
{
	const [from, to] = table.columns;
	const count = row[table.columns[2].name];
	const middle = (y + 0.7) * BAR.height;
	const limits = `${figure(from.type, row[from.name])} .. ${figure(to.type, row[to.name])}`;
	const width = most ? BAR.width * Number(count) / most : 0;
	const group = svgElement("g", { role: "listitem", "aria-label": `${limits}: ${figure(table.columns[2].type, count)}` });

	group.dataset.from = row[from.name];
	group.dataset.to = row[to.name];
	group.dataset.count = count;
	group.append(svgText({ x: BAR.left - 6, y: middle, "text-anchor": "end" }, limits),
		svgElement("rect", { x: BAR.left, y: y * BAR.height + 3, width: Math.max(width, count > 0 ? 1 : 0), height: BAR.height - 6 }),
		svgText({ x: BAR.left + width + 6, y: middle }, figure(table.columns[2].type, count)));
	return group;
}

function histogramElement(table)
{
	const counts = table.rows.map((row) => Number(row[table.columns[2].name]));
	const most = Math.max(...counts, 0);
	const width = BAR.left + BAR.width + BAR.right;
	const picture = svgElement("svg", { role: "list", "aria-label": table.title, width, height: counts.length * BAR.height,
		viewBox: `0 0 ${width} ${counts.length * BAR.height}` });

	picture.append(...table.rows.map((row, y) => barElements(table, row, y, most)));
	return make("figure", { className: "histogram" }, make("figcaption", {}, visible(table.title)), picture);
}
