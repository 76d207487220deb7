// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds dashboards of Grafana against the types that Grafana has for them, and against what types do not say. Prints a line
 * for each thing that is wrong, and nothing else:
 *
 *	check.js TYPES DASHBOARD...     TYPES is where the packages are that tools/fetch-npm gets
 *
 * A panel's options and queries are free in the type of a dashboard; they are held against the types of the panel and of
 * the data source. Of the data source for ClickHouse no package has the types: the names that its queries may have are here.
 */
"use strict";

const fs = require("fs");
const path = require("path");
const ts = require("typescript");

const COLUMNS = 24; /* of a dashboard */
const PANELS = ["stat", "table", "timeseries"];
const CLICKHOUSE = { rawSql: "string", format: "number", queryType: "string", editorType: "string" };

/* ---- values and types -------------------------------------------------------------------------- */

/* The types, by the names that the checks ask for them by. */
function readTypes(at)
{
	const raw = (what) => `@grafana/schema/dist/types/${what}`;
	const text = PANELS.map((panel) => `import * as ${panel} from "${raw(`raw/composable/${panel}/panelcfg/x/types.gen`)}";
		export type options_${panel} = Partial<${panel}.Options>;`).join("\n") + `
		import { Dashboard } from "${raw("veneer/dashboard.types")}";
		import { GraphFieldConfig, TableFieldOptions } from "${raw("common/common.gen")}";
		import { Dataquery } from "@grafana/grafana-foundation-sdk/dist/prometheus/types.gen";
		export type dashboard = Dashboard;
		export type custom_timeseries = GraphFieldConfig;
		export type custom_table = Partial<TableFieldOptions>;
		export type prometheus = Omit<Dataquery, "_implementsDataqueryVariant">;`;
	const name = path.join(at, "types.ts");
	const options = { strict: true, noEmit: true, skipLibCheck: true, moduleResolution: ts.ModuleResolutionKind.NodeJs,
		target: ts.ScriptTarget.ES2020, module: ts.ModuleKind.CommonJS, types: [] };
	const host = ts.createCompilerHost(options);
	const { getSourceFile, fileExists } = host;

	host.getSourceFile = (file, ...more) =>
		file == name ? ts.createSourceFile(file, text, options.target) : getSourceFile.call(host, file, ...more);
	host.fileExists = (file) => file == name || fileExists.call(host, file);
	const program = ts.createProgram([name], options, host);
	const source = program.getSourceFile(name);
	const wrong = ts.getPreEmitDiagnostics(program, source);

	if (wrong.length)
		throw new Error(ts.flattenDiagnosticMessageText(wrong[0].messageText, " "));
	const checker = program.getTypeChecker();
	const types = {};

	source.forEachChild((node) => {
		if (ts.isTypeAliasDeclaration(node))
			types[node.name.text] = checker.getTypeAtLocation(node);
	});
	return { checker, types };
}

function isLiteral(type)
{
	return type.isLiteral() || type.flags & ts.TypeFlags.BooleanLiteral;
}

function literalOf(checker, type)
{
	return type.isLiteral() ? type.value : checker.typeToString(type) == "true";
}

/* What is wrong with @value, found at @place, as a @type. */
function faults(checker, type, value, place)
{
	const { flags } = type;
	const word = value === null ? "null" : typeof value;

	if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown))
		return [];
	if (type.isUnion())
		return type.types.map((one) => faults(checker, one, value, place))
			.reduce((least, one) => one.length < least.length ? one : least);
	if (isLiteral(type))
		return value === literalOf(checker, type) ? [] : [`${place} is ${JSON.stringify(value)}, not of ${checker.typeToString(type)}`];
	if (flags & ts.TypeFlags.Undefined)
		return [`${place} is ${word}`];
	for (const [flag, name] of [[ts.TypeFlags.StringLike, "string"], [ts.TypeFlags.NumberLike, "number"],
		[ts.TypeFlags.BooleanLike, "boolean"], [ts.TypeFlags.Null, "null"]])
		if (flags & flag)
			return word == name ? [] : [`${place} is ${word}, not ${name}`];
	if (checker.isArrayType(type))
		return Array.isArray(value)
			? value.flatMap((one, i) => faults(checker, checker.getTypeArguments(type)[0], one, `${place}[${i}]`))
			: [`${place} is no array`];
	if (word != "object" || Array.isArray(value))
		return [`${place} is no object`];
	return memberFaults(checker, type, value, place);
}

function memberFaults(checker, type, value, place)
{
	const members = new Map(checker.getPropertiesOfType(type).map((member) => [member.name, member]));
	const others = checker.getIndexInfosOfType(type)[0];
	const bad = [];

	for (const [name, member] of members)
		if (!(name in value) && !(member.flags & ts.SymbolFlags.Optional))
			bad.push(`${place} has no ${name}`);
	for (const [name, one] of Object.entries(value)) {
		const member = members.get(name);

		if (member)
			bad.push(...faults(checker, checker.getTypeOfSymbolAtLocation(member, member.valueDeclaration ??
				member.declarations[0]), one, `${place}.${name}`));
		else if (others)
			bad.push(...faults(checker, others.type, one, `${place}.${name}`));
		else
			bad.push(`${place}.${name} is unknown`);
	}
	return bad;
}

/* ---- dashboards --------------------------------------------------------------------------------- */

function queryFaults({ checker, types }, target, kind, place)
{
	if (kind == "prometheus")
		return faults(checker, types.prometheus, target, place);
	return Object.entries(target).filter(([name, value]) => name != "refId" && CLICKHOUSE[name] != typeof value)
		.map(([name]) => `${place}.${name} is not of such a query`);
}

function panelFaults(known, panel, place)
{
	const { checker, types } = known;
	const custom = types[`custom_${panel.type}`];
	const targets = panel.targets ?? [];
	const bad = [];

	if (!PANELS.includes(panel.type))
		return [`${place} is of type ${panel.type}`];
	bad.push(...faults(checker, types[`options_${panel.type}`], panel.options ?? {}, `${place}.options`));
	if (panel.fieldConfig?.defaults.custom)
		bad.push(...(custom ? faults(checker, custom, panel.fieldConfig.defaults.custom, `${place}.custom`)
			: [`${place} has custom fields`]));
	targets.forEach((target, i) => bad.push(...queryFaults(known, target, panel.datasource?.type, `${place}.targets[${i}]`)));
	if (!targets.length || new Set(targets.map(({ refId }) => refId)).size != targets.length)
		bad.push(`${place} has no query, or two of one name`);
	for (const name of ["id", "title", "description", "gridPos", "datasource"])
		if (!panel[name])
			bad.push(`${place} has no ${name}`);
	return bad;
}

function overlap(a, b)
{
	return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}

/* What holds for a dashboard as a whole: places, numbers, and the variables that its queries speak of. */
function wholeFaults(dashboard)
{
	const { panels, templating } = dashboard;
	const variables = new Set(templating.list.map(({ name }) => name));
	const text = JSON.stringify(dashboard);
	const bad = [];

	panels.forEach((panel, i) => {
		if (panel.gridPos.x + panel.gridPos.w > COLUMNS)
			bad.push(`panel ${panel.id} does not fit in ${COLUMNS} columns`);
		for (const other of panels.slice(0, i))
			if (overlap(panel.gridPos, other.gridPos) || panel.id == other.id)
				bad.push(`panels ${other.id} and ${panel.id} are in one place, or have one number`);
		if (panel.datasource.uid != "${source}")
			bad.push(`panel ${panel.id} asks another server than the one that was chosen`);
	});
	/* Those that Grafana or the data source's plugin fills in begin with two underscores. */
	for (const [, name] of text.matchAll(/\$\{?([a-z]\w*)/g))
		if (!variables.has(name))
			bad.push(`there is no variable ${name}`);
	return bad;
}

const [at, ...files] = process.argv.slice(2);
const known = readTypes(path.resolve(at));

for (const file of files) {
	const dashboard = JSON.parse(fs.readFileSync(file, "utf8"));
	const bad = faults(known.checker, known.types.dashboard, dashboard, "dashboard");

	if (!bad.length)
		bad.push(...dashboard.panels.flatMap((panel) => panelFaults(known, panel, `panel ${panel.id}`)), ...wholeFaults(dashboard));
	for (const line of bad)
		console.log(`${path.basename(file)}: ${line}`);
}
