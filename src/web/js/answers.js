// SPDX-License-Identifier: GPL-2.0-only
/* Questions and answers: the commands that read, as at a terminal. */
"use strict";

/* What the buttons ask. */
const QUESTIONS = [
	["Report", "report"],
	["Longest call", "why --worst syscall"],
	["Longest wait", "why --worst wait"],
	["Analyses", "analyze all"],
	["System calls", "analyze syscall"],
	["Threads", "analyze thread"],
	["Disks", "analyze biotime"],
	["Lint", "lint"],
	["Check", "check"],
	["Events", "print"],
];
/* Lines of an answer that are shown; a browser takes long for many. */
const LINES_MAX = 20000;

/* The words of a line, by blanks and quotes, as a shell has them. Throws if a quote is not closed. */
function wordsOf(line)
{
	const words = [];
	const pattern = /\s*((?:[^\s"']|"[^"]*"|'[^']*')+)|\s*$/y;

	while (pattern.lastIndex < line.length) {
		const match = pattern.exec(line);

		if (!match)
			throw new Error("a quote is not closed");
		if (match[1] !== undefined)
			words.push(match[1].replace(/"([^"]*)"|'([^']*)'/g, (all, double, single) => double ?? single));
	}
	return words;
}

class Answers {
	constructor(lkst, name)
	{
		this.lkst = lkst;
		this.name = name;
		this.form = document.getElementById("ask");
		this.input = document.getElementById("words");
		this.answer = document.getElementById("answer");
		this.failure = document.getElementById("failure");
		this.showQuestions();
	}

	showQuestions()
	{
		const list = document.getElementById("questions");

		list.replaceChildren(...QUESTIONS.map(([title, words]) => {
			const button = document.createElement("button");

			button.textContent = title;
			button.type = "button";
			button.dataset.words = words;
			button.addEventListener("click", () => this.ask(words));
			return button;
		}));
	}

	/* Asks, shows what comes, and returns { status, out, err }. */
	ask(line)
	{
		let answer;

		this.input.value = line;
		for (const button of document.querySelectorAll("#questions button"))
			button.setAttribute("aria-pressed", String(button.dataset.words == line));
		try {
			answer = this.lkst.run([...wordsOf(line), this.name]);
		} catch (error) {
			answer = { status: 1, out: "", err: String(error.message) };
		}
		this.show(answer);
		return answer;
	}

	show({ out, err })
	{
		const lines = out.split("\n");
		const text = document.createElement("pre");

		text.textContent = lines.slice(0, LINES_MAX).join("\n");
		if (lines.length > LINES_MAX)
			text.textContent += `\n... ${lines.length - LINES_MAX} lines more: ask for fewer with --from, --to and others`;
		this.answer.replaceChildren(text);
		this.failure.textContent = complaints(err);
	}
}

panels.add("commands", "Commands", () => page.answers.ask(byId("words").value || "report"));
