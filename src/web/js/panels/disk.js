// SPDX-License-Identifier: GPL-2.0-only
/*
 * What disks read and wrote: for each a picture of the stretch of time that is shown, from left to right, and of the
 * sectors that were used in it, from top to bottom. The more of one colour, the more bytes.
 */
"use strict";

const DISK_ROWS = 128;
const DISK_COLUMNS = 600;
const READ_COLOUR = [0, 114, 178];
const WRITE_COLOUR = [213, 94, 0];
const FAINTEST = 0.3;

class DiskMap {
	constructor(place)
	{
		this.place = place;
	}

	draw()
	{
		const { from, to } = page.maps.ownStretch();

		this.timeAt = (place) => page.maps.begin + from + place * (to - from);
		this.disks = askModule("lkst_web_open_disks", from, to, DISK_COLUMNS, DISK_ROWS).disks;

		const pictures = this.disks.map((disk, i) => this.picture(disk, i)).filter((picture) => picture);

		this.place.replaceChildren(make("p", { className: "maphead" }, this.sample(READ_COLOUR), "read ",
			this.sample(WRITE_COLOUR), "written"), ...pictures);
		if (!pictures.length)
			this.place.append(make("p", { textContent: "No disk completed a read or a write in this time." }));
	}

	sample(colour)
	{
		const sample = make("i");

		sample.style.background = `rgb(${colour.join(",")})`;
		return sample;
	}

	/* Bytes read and written of each cell of disk @i: pairs of numbers, row by row; null: there were none. */
	cells(i)
	{
		const nr = DISK_COLUMNS * DISK_ROWS * 2;

		return withMemory(nr * 8, (memory) =>
			page.lkst.exports.lkst_web_disk_cells(i, memory) ? null
				: new Float64Array(page.lkst.memory, memory, nr).slice());
	}

	/* How many rows there are up to the last sector that was used. */
	rows(disk)
	{
		return Math.floor((disk.last - disk.origin) / disk.row_sectors) + 1;
	}

	picture(disk, i)
	{
		const cells = this.cells(i);

		if (!cells)
			return null;

		const rows = this.rows(disk);
		const text = this.text(disk);
		const canvas = make("canvas", { width: DISK_COLUMNS, height: rows, className: "disk", role: "img", "aria-label": text });
		const context = canvas.getContext("2d");
		const image = context.createImageData(DISK_COLUMNS, rows);
		const most = cells.reduce((greatest, bytes) => Math.max(greatest, bytes), 1);

		for (let at = 0; at < DISK_COLUMNS * rows; at++) {
			const [read, written] = [cells[2 * at], cells[2 * at + 1]];

			if (!read && !written)
				continue;
			for (let k = 0; k < 3; k++)
				image.data[4 * at + k] = (read * READ_COLOUR[k] + written * WRITE_COLOUR[k]) / (read + written);
			image.data[4 * at + 3] = 255 * (FAINTEST + (1 - FAINTEST) * Math.log2(1 + read + written) / Math.log2(1 + 2 * most));
		}
		context.putImageData(image, 0, 0);
		canvas.addEventListener("mousemove", (event) => {
			canvas.title = this.describe(disk, cells, event, canvas);
		});
		return make("figure", {}, make("figcaption", { textContent: text }), canvas);
	}

	text(disk)
	{
		return `${visible(disk.name) || `disk ${disk.dev >>> 20},${disk.dev & 0xfffff}`}: ${disk.reads} reads, ` +
			`${sizeFigure(disk.read_bytes)}; ${disk.writes} writes, ${sizeFigure(disk.written_bytes)}; ` +
			`sectors ${disk.first} to ${disk.last}; ${disk.jumps} began elsewhere than the one before ended`;
	}

	describe(disk, cells, event, canvas)
	{
		const box = canvas.getBoundingClientRect();
		const x = Math.floor((event.clientX - box.left) / box.width * canvas.width);
		const y = Math.floor((event.clientY - box.top) / box.height * canvas.height);
		const at = y * DISK_COLUMNS + x;
		const first = disk.origin + y * disk.row_sectors;

		return `sectors ${first} to ${first + disk.row_sectors - 1}, +${durationText(this.timeAt(x / canvas.width))}: ` +
			`${sizeFigure(cells[2 * at])} read, ${sizeFigure(cells[2 * at + 1])} written`;
	}
}
