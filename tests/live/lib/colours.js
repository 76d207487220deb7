// SPDX-License-Identifier: GPL-2.0-only
/*
 * How alike colours look to people who see all of them, and to those who see no red, no green or no blue: G. M. Machado and
 * others, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009, for linear RGB.
 */
"use strict";

const SIGHTS = {
	all: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	"no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
	"no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
	"no blue": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
};
/* Linear sRGB to CIE XYZ, by the white of D65 (IEC 61966-2-1). */
const XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]];
const WHITE = [0.95047, 1, 1.08883];

function times(matrix, vector)
{
	return matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * vector[i], 0));
}

/* "#rrggbb" */
function linear(text)
{
	return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255)
		.map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
}

/* CIE 1976 L*a*b* */
function lab(rgb)
{
	const [x, y, z] = times(XYZ, rgb).map((part, i) => part / WHITE[i])
		.map((part) => part > 216 / 24389 ? Math.cbrt(part) : (24389 / 27 * part + 16) / 116);

	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/* The two of @colours, "#rrggbb" by name, that look most alike to somebody: { distance, sight, pair }. */
function leastDistance(colours)
{
	let least = { distance: Infinity };

	for (const [sight, matrix] of Object.entries(SIGHTS)) {
		const seen = Object.entries(colours).map(([name, text]) =>
			[name, lab(times(matrix, linear(text)).map((part) => Math.min(Math.max(part, 0), 1)))]);

		for (const [i, [name, a]] of seen.entries())
			for (const [other, b] of seen.slice(0, i)) {
				const distance = Math.hypot(...a.map((part, k) => part - b[k]));

				if (distance < least.distance)
					least = { distance, sight, pair: [name, other] };
			}
	}
	return least;
}

module.exports = { leastDistance };
