#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
#
# Tests that the documents describe what there is: manual pages are well-formed and agree with --help, and
# every path, link, make target and page that a document names exists.

set -u
shopt -s nullglob

pages=(doc/man/*.[1-8])
generated=$BUILD/gen/man/lkst-events.7
documents=(README.md doc/*.md doc/decisions/*.md)

# Prints "ok NAME" if $2 is empty, else "FAIL NAME: $2".
verdict()
{
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "FAIL $1: ${2//$'\n'/; }"
	fi
}

# The page $1 as plain text on long lines.
render()
{
	mandoc -T ascii -O width=1000 "$1" | sed 's/.\x08//g'
}

verdict docs_pages_are_well_formed \
	"$(mandoc -T lint -W warning "${pages[@]}" "$generated" 2>&1 | sed 's/^mandoc: //')"

bad=
for page in "${pages[@]}" "$generated"; do
	for name in $(sed -n 's/^\.Xr \(lkst[a-z-]*\) \([1-8]\).*/\1.\2/p' "$page"); do
		[ -e "doc/man/$name" ] || [ "$name" = "$(basename "$generated")" ] ||
			bad="$bad $(basename "$page") refers to $name"
	done
done
verdict docs_pages_refer_to_pages "$bad"

# help_of COMMAND: its --help, in $text. What it said is kept.
declare -A helps=()
help_of()
{
	[ -n "${helps[$1]-}" ] || helps[$1]=$("$LKST" "$1" --help 2>&1)
	text=${helps[$1]}
}

# The synopsis is what --help prints after "usage: ", up to the first empty line; blanks do not count.
usage_of_help()
{
	"$LKST" "$@" --help 2>&1 | awk '/^$/ { exit } { print }' | sed 's/^usage: //' | tr -d ' \n'
}

usage_of_page()
{
	render "$1" | awk '/^SYNOPSIS/ { on = 1; next } /^[A-Z]/ { on = 0 } on' | tr -d ' \n'
}

commands=$("$LKST" --help 2>/dev/null | sed -n 's/^  \([a-z]*\) .*/\1/p')
if [ -z "$commands" ]; then
	echo "FAIL docs_agree_with_help: $LKST --help lists no commands"
else
	commands="_overview $commands"
fi
# The commands are those of the list, in the help and in the page.
sed -n 's/^\(COMMAND\|READER\)(\([a-z]*\))$/\2/p' src/cmd/frame/commands.def | sort >"$SCRATCH/listed"
sed -n 's/^\.It Xr lkst-\([a-z]*\) 1$/\1/p' doc/man/lkst.1 | sort >"$SCRATCH/in_page"
tr ' ' '\n' <<<"${commands#_overview }" | sort >"$SCRATCH/in_help"
bad=
[ -s "$SCRATCH/listed" ] || bad='src/cmd/frame/commands.def lists none'
verdict docs_lists_have_all_commands "$bad$(
	diff "$SCRATCH/listed" "$SCRATCH/in_page" |
		sed -n 's/^< /not in doc\/man\/lkst.1: /p; s/^> /no command, but in doc\/man\/lkst.1: /p'
	diff "$SCRATCH/listed" "$SCRATCH/in_help" | sed -n 's/^< /not in the help: /p; s/^> /only in the help: /p'
)"

# In the help and in the page they are in the same five groups, in the order of the list, and with the same summaries. So
# does each command's own page begin.
"$LKST" help | sed -n 's/^\([A-Z].*\):$/\1/p; s/^  \([a-z]*\)  */\1 /p' >"$SCRATCH/help"
sed -n '/^\.Sh COMMANDS/,/^\.Sh FORMATS/p' doc/man/lkst.1 | sed 's/\\-/-/g' |
	awk '/^\.Ss / { print substr($0, 5) } name { print name " " $0; name = "" } /^\.It Xr/ { name = substr($3, 6) }' >"$SCRATCH/page"
sed -n 's/^GROUP("\(.*\)")$/\1/p; s/^\(COMMAND\|READER\)(\([a-z]*\))$/\2/p' src/cmd/frame/commands.def >"$SCRATCH/list"
bad=$(diff "$SCRATCH/help" "$SCRATCH/page" | sed -n 's/^< /not in doc\/man\/lkst.1: /p; s/^> /not in the help: /p')
cmp -s "$SCRATCH/list" <(sed '/^[a-z]/s/ .*//' "$SCRATCH/help") || bad="$bad the help has another order than src/cmd/frame/commands.def"
[ "$(grep -c '^[A-Z]' "$SCRATCH/help")" = 5 ] || bad="$bad there are not five groups"
[[ $(head -n 1 "$SCRATCH/help") = [A-Z]* ]] || bad="$bad the first commands are in no group"
while read -r command summary; do
	[[ $command = [A-Z]* ]] ||
		sed 's/\\-/-/g' "doc/man/lkst-$command.1" | grep -qxF ".Nd $summary" || bad="$bad lkst-$command.1 has another summary;"
done <"$SCRATCH/help"
verdict docs_commands_are_in_five_groups "$bad"

# A summary is a verb and its object, and fits a line. A verb that is new here is added.
verbs=' act choose compare cut explain export find keep let list load make measure print query record save send set show start stop sum verify write '
bad=
while read -r command summary; do
	[[ $command != [A-Z]* ]] || continue
	[[ $verbs = *" ${summary%%[ ,]*} "* && $summary = *' '* ]] || bad="$bad $command: \"$summary\" begins with no verb;"
	[ ${#summary} -le 60 ] || bad="$bad $command: \"$summary\" has ${#summary} characters;"
done <"$SCRATCH/help"
verdict docs_summaries_begin_with_a_verb "$bad"

for command in $commands; do
	command=${command#_overview}
	page=doc/man/lkst${command:+-$command}.1
	if [ ! -e "$page" ]; then
		echo "FAIL docs_synopsis_lkst_$command: there is no $page"
		continue
	fi
	# shellcheck disable=SC2086 # the empty command is no argument
	want=$(usage_of_help $command)
	got=$(usage_of_page "$page")
	if [ "$got" != "$want" ]; then
		echo "FAIL docs_synopsis_lkst_$command: the page has \"$got\", --help \"$want\""
	else
		echo "ok docs_synopsis_lkst_$command"
	fi
done

# Every option of --help is explained in the page, and every option of the page is one.
for command in ${commands#_overview}; do
	page=doc/man/lkst-$command.1
	[ -e "$page" ] || continue
	help_of "$command"
	sed -n '/^Options:/,/^$/s/^  \(    \|-[a-zA-Z], \)--\([a-z-]*\).*/\2/p' <<<"$text" |
		grep -vx help | sort -u >"$SCRATCH/help"
	sed -n '/^\.Sh DESCRIPTION/,$s/^\.It .*Fl \\-\([a-z-]*\).*/\1/p' "$page" | sort -u >"$SCRATCH/page"
	verdict "docs_options_lkst_$command" "$(diff "$SCRATCH/help" "$SCRATCH/page" |
		sed -n 's/^< /only in --help: --/p; s/^> /only in the page: --/p')"
done

# What differs from the kernel's parser on purpose has a reason, and each reason is one of something that is tested.
verdict docs_reasons_of_probes_that_differ "$(diff \
	<(sed -n 's/^\([a-z]*\) \(kernel_refuses\|lkst_refuses\|mark\|name\)\t.*/\1/p' tests/data/probe_lines.txt | sort -u) \
	<(sed -n "/^### What differs from the kernel's own parser/,/^The tests have no line/s/^\* \`\([a-z]*\)\`: .*/\1/p" \
		doc/probes.md | sort) | sed -n 's/^< /not in doc\/probes.md: /p; s/^> /only in doc\/probes.md: /p')"

# A line of help fits a terminal, with the default at its end.
bad=
for command in ${commands#_overview}; do
	help_of "$command"
	bad="$bad$(awk -v name="$command" 'length > 100 { print " lkst " name ": " $0 ";" }' <<<"$text")"
done
for link in $(sed -n 's/^LINKS := //p' Makefile); do
	bad="$bad$( (exec -a "$link" "$LKST" --help) 2>&1 | awk -v name="$link" 'length > 100 { print " " name ": " $0 ";" }')"
done
verdict docs_help_fits_a_terminal "$bad"

# Every format of --help is described: those of lists in lkst(1), those of other commands in their pages.
bad=
for command in ${commands#_overview}; do
	page=lkst-$command.1
	grep -q '^\.Sx FORMATS$' "doc/man/$page" && page=lkst.1
	help_of "$command"
	for word in $(awk '/--format FORMAT/ { on = 1 } on && !/--format/ && /--[a-z]/ { on = 0 } on' <<<"$text" |
		sed -n 's/.*  \([a-z]*\): .*/\1/p'); do
		grep -qE "\bCm $word\b" "doc/man/$page" || bad="$bad $page: $word"
	done
done
verdict docs_describe_every_format "$bad"

# The same for the original's commands, links whose pages name their short options.
for link in $(sed -n 's/^LINKS := //p' Makefile); do
	page=doc/man/$link.1
	want=$( (exec -a "$link" "$LKST" --help) 2>&1 | awk '/^$/ { exit } { print }' | sed 's/^usage: //' | tr -d ' \n')
	if [ -e "$page" ] && [ -n "$want" ] && [ "$(usage_of_page "$page")" = "$want" ]; then
		echo "ok docs_synopsis_$link"
	else
		echo "FAIL docs_synopsis_$link: the page has \"$(usage_of_page "$page")\", --help \"$want\""
	fi
	(exec -a "$link" "$LKST" --help) 2>&1 | sed -n '/^Options:/,/^$/s/^  \(    \|-[a-zA-Z], \)--\([a-z-]*\).*/\2/p' |
		grep -vx help | sort -u >"$SCRATCH/help"
	sed -n '/^\.Sh DESCRIPTION/,$s/^\.It .*Fl \\-\([a-z-]*\).*/\1/p' "$page" | sort -u >"$SCRATCH/page"
	verdict "docs_options_$link" "$(diff "$SCRATCH/help" "$SCRATCH/page" |
		sed -n 's/^< /only in --help: --/p; s/^> /only in the page: --/p')"
done

# The examples of page $1, a line each, without "lkst": of manual pages those at a prompt.
examples_of()
{
	case $1 in
	*.md) perl tests/lib/examples.pl "$1" ;;
	*) sed -n 's/^\$ lkst //p' "$1" ;;
	esac
}

# They use commands and options that exist.
bad=
for page in "${pages[@]}" "${documents[@]}"; do
	[ -n "$commands" ] || break
	while read -r command options; do
		case " ${commands//$'\n'/ } help " in
		*" ${command%:} "*) ;; # with a colon: one of its messages
		*) bad="$bad $(basename "$page"): there is no lkst $command" ;;
		esac
		options=${options%%#*}
		options=" ${options%% -- *}"
		help_of "$command"
		while [[ $options =~ \ (--[a-z][a-z-]+)(.*) ]]; do
			option=${BASH_REMATCH[1]} options=${BASH_REMATCH[2]}
			[[ $text =~ $option([^a-zA-Z0-9_]|$) ]] || bad="$bad $(basename "$page"): lkst $command has no $option"
		done
	done < <(examples_of "$page")
done
verdict docs_examples_use_options "$bad"

# The parts of pages that are made of tables in the source are as `make pages` makes them.
verdict docs_made_parts_are_up_to_date "$(tools/pages --check "$BUILD/tools/page-parts" 2>&1)"

# --version says which versions the sources have.
constant()
{
	sed -n "s/.*\b$2 = \([0-9]*\),.*/\1/p" "src/$1"
}
version=$(sed -n 's/^#define LKST_VERSION "\(.*\)"/\1/p' src/base/version.h)
want="lkst $version
memory layout $(constant abi/state.h LKST_ABI_VERSION), notes in crash dumps $(constant abi/note.h LKST_NOTE_VERSION), \
handlers $(constant abi/handler.h LKST_HANDLER_VERSION), service protocol $(constant trace/write/wire.h LKST_WIRE_VERSION), \
traces CTF 1.8, format $(constant trace/format/metadata_layout.h LKST_CTF_FORMAT)"
bad=
for words in --version -V version; do
	got=$("$LKST" $words 2>&1)
	[ -n "$version" ] && [ "$got" = "$want" ] || bad="$bad lkst $words says \"$got\""
done
verdict docs_version_is_that_of_the_sources "$bad"

# Numbers in pages are those of the source: a constant that one file of src defines, the page, and the words there,
# with N for the number, or for a thousandth of it where a page has seconds of what is in ms.
bad=
while read -r name page words; do
	mapfile -t values < <(grep -rhoE "\\b$name = [0-9]+\\b" src | grep -oE '[0-9]+')
	if [ ${#values[@]} != 1 ]; then
		bad="$bad src defines $name ${#values[@]} times;"
		continue
	fi
	[[ $words != *'N s'* || $name != *_MS ]] || values[0]=$((values[0] / 1000))
	# A page may divide long numbers by commas.
	tr '\n' ' ' <"doc/$page" | sed 's/  */ /g; s/\([0-9]\),\([0-9]\{3\}\)/\1\2/g' | grep -qF -- "${words//N/${values[0]}}" ||
		bad="$bad doc/$page does not say \"${words//N/${values[0]}}\" ($name);"
done <<-'END'
	RINGS_PAUSE_MS          fleet.md       rings have filled, every N ms
	BLOCK_ROWS              fleet.md       blocks of N, packed
	LKST_BUDGET_PERIOD_MS   cost-limit.md  runs a program every N ms
	TRY_PERIOD_MS           cost-limit.md  which is checked every N ms
	LKST_BUDGET_RETRY_S     cost-limit.md  to N seconds
	LKST_TRIGGER_TICK_MS    triggers.md    looks every N ms whether a maskset's time is over
	LKST_LIMIT_READINGS_MS  format.md      every N s by `lkst limit`
END
verdict docs_numbers_are_those_of_the_source "$bad"

# figure ROW COLUMN PART: the part, of those between semicolons, of a cell of doc/figures.md. ROW is how the row begins.
figure()
{
	awk -F ' *[|] *' -v row="$1" -v column="$2" -v part="$3" '
		index($2, row) == 1 { split($(column + 1), parts, /; */); print parts[part]; exit }' doc/figures.md
}

# What README compares is measured, and as it was measured last.
ftrace='ftrace, the 90 tracepoints of RDEFAULT' times='times babeltrace2, which only prints; times'
profile='names for samples of clang' extract='`lkst extract`, a dump of 1 GiB'
memory=$(figure "$extract" 2 1)
bad=
for words in "ftrace $(figure "$ftrace" 2 1); $(figure "$ftrace" 3 1). perf $(figure 'perf record' 2 1); $(figure 'perf record' 3 1) " \
	"the same events $(figure 'RDEFAULT, `--budget none`' 2 1); $(figure 'RDEFAULT, `--budget none`' 3 1)." \
	"within its limit, $(figure 'standard, limit' 2 1); $(figure 'standard, limit' 3 1) " \
	"nginx's rounds differ by up to $(figure 'perf record' 3 2)" \
	"all analyses $(figure "$times" 2 2) and $(figure "$times" 2 1) times as fast" \
	"\`lkst why\` $(figure '`lkst why --worst syscall`, 10.8 million events' 2 1 | sed 's/ at best.*//') " \
	"\`perf report\` $(figure "$profile" 2 2) " "\`lkst analyze profile\` $(figure "$profile" 2 1) " \
	"libkdumpfile reads $(sed 's/.*: \([0-9.]*\))$/\1/' <<<"$memory") GB/s" "\`lkst extract\` ${memory%% of memory*};"; do
	tr '\n' ' ' <README.md | grep -qF -- "$words" || bad="$bad README.md does not say \"$words\";"
done
verdict docs_readme_compares_what_was_measured "$bad"

# The oldest kernel that can be recorded is the same wherever one is named; and the oldest of which a part can.
bad=
oldest=$(sed -n 's/^\* \*\*Linux \([0-9.]*\)\*\*, for all of it.*/\1/p' doc/kernels.md)
part=$(sed -n 's/^\* \*\*Linux \([0-9.]*\)\*\*, for a part.*/\1/p' doc/kernels.md)
[[ $oldest && $part ]] || bad='doc/kernels.md does not name them;'
grep -q "^\* \*\*$part to [0-9.]*\*\*: " README.md || bad="$bad README.md does not say $part;"
grep -q "^one from $part on" doc/man/lkst.1 || bad="$bad doc/man/lkst.1 does not say $part;"
grep -q "^\* \*\*$oldest or later, with BTF" README.md || bad="$bad README.md does not say $oldest;"
grep -q "a kernel of version $oldest or later" doc/man/lkst.1 || bad="$bad doc/man/lkst.1 does not say $oldest"
verdict docs_name_one_oldest_kernel "$bad"

# Paths as they are named anywhere: a word that begins with a folder of the checkout. "*" matches, and
# a word may end before a placeholder like <name>.
bad=
while IFS=$'\t' read -r document path; do
	case $path in
	build/*) continue ;;
	esac
	found=($path)
	[ ${#found[@]} != 0 ] && [ -e "${found[0]}" ] || bad="$bad $document: $path"
done < <(perl -ne 's/\\-/-/g;
	while (m{(?:^|[^A-Za-z0-9_./-])((?:src|doc|tests|tools|bench|LICENSES|\.ci)/[A-Za-z0-9_./*-]*)}g) {
		print "$ARGV\t" . $1 =~ s/[.-]*$//r . "\n"
	}' "${documents[@]}" "${pages[@]}" | sort -u)
verdict docs_paths_exist "$bad"

bad=
while IFS=: read -r file path; do
	[ -e "$path" ] || bad="$bad $file: $path"
done < <(grep -roE '\bdoc/[a-z/-]+\.(md|[1-8])\b' src tests tools Makefile --include='*' | sort -u)
verdict docs_named_in_sources_exist "$bad"

# Links: [text](path) relative to the document, with a heading of the target after "#".
declare -A anchors=()
anchors_of()
{
	anchors[$1]=${anchors[$1]-$(sed -n 's/^##* *//p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g')}
}
bad=
while IFS=: read -r document link; do
	link=${link#*(} link=${link%)}
	case $link in
	http://* | https://*) continue ;;
	esac
	target=${link%%#*} folder=
	[[ $document != */* ]] || folder=${document%/*}/
	target=${target:+$folder$target}
	target=${target:-$document}
	if [ ! -e "$target" ]; then
		bad="$bad $document: $link"
	elif [[ $link == *'#'* ]]; then
		anchors_of "$target"
		[[ $'\n'${anchors[$target]}$'\n' == *$'\n'"${link#*#}"$'\n'* ]] || bad="$bad $document: $link has no such heading"
	fi
done < <(grep -HoE '\]\([^) ]+\)' "${documents[@]}")
verdict docs_links_resolve "$bad"

# Whoever looks for a page finds it: doc/README.md links to each, and README.md to that.
bad=
grep -qF '](doc/README.md)' README.md || bad=' README.md does not link to doc/README.md'
for page in doc/*.md doc/decisions/README.md; do
	[ "$page" = doc/README.md ] || grep -qE "\]\(${page#doc/}[#)]" doc/README.md || bad="$bad doc/README.md does not link to $page"
done
verdict docs_pages_are_listed "$bad"

# The table of kernels has events of the catalogue, in its order, but none that user space writes. A new event has
# its row when tools/kernels-page has run.
sed -n '/^<!-- table:/,/^<!-- end of table/s/^| `\([a-z_0-9]*\)` |.*/\1/p' doc/kernels.md >"$SCRATCH/rows"
bad=
[ "$(wc -l <"$SCRATCH/rows")" -ge 100 ] || bad='the rows were not found'
verdict docs_kernels_rows_are_events "$bad$(diff \
	<("$LKST" event list --json | grep -vE '"group":"(state|recorder)"' | sed 's/{"name":"\([^"]*\)".*/\1/') \
	"$SCRATCH/rows" | sed -n 's/^> /no event, or not in its place: /p')"

# The table of maskset standard is that of the source.
verdict docs_masksets_have_standard "$(diff \
	<(sed -n 's/^STANDARD("\([^"]*\)", \([A-Z |]*\), "\([^"]*\)")$/\1 \2: \3/p' src/masks/standard.def |
		sed 's/ |/,/g; s/MODEL/states/; s/REPORT/report/; s/WHY/why/; s/CRASH/crash/') \
	<(sed -n '/^## Standard/,/^"states"/s/^| `\([^`]*\)` | \([a-z, ]*\) | \(.*\) |$/\1 \2: \3/p' doc/masksets.md) |
	sed -n 's/^< /not in doc\/masksets.md: /p; s/^> /not in src\/trace\/standard.def: /p')"

bad=
for target in $(grep -ohE '\bmake [a-z]+(-[a-z]+)*' "${documents[@]}" | sed 's/make //' | sort -u); do
	grep -qE "^$target:" Makefile && continue
	# Plain words follow "make" in sentences too: only what is marked as code counts.
	grep -qhE "(\`|^ *\\\$ |^    |sudo )make $target\b" "${documents[@]}" && bad="$bad make $target"
done
verdict docs_make_targets_exist "$bad"

# Every field of `lkst status --json` is in its page, and every one of the page is a field. Here by the names that
# the source prints; tests/live/limit.sh compares the fields with their places.
{
	grep -ohE 'lkst_json_[a-z0-9]+\(&?j, "[a-z_]+"' src/cmd/control/status.c src/cmd/recorders/unit_costs.c |
		sed 's/.*"\([a-z_]*\)"/\1/'
	sed -n '/^const char \*const lkst_loss_keys/,/^}/p; /const types\[/,/};/p' src/cmd/control/status.c \
		src/cmd/recorders/unit_costs.c |
		grep -oE '= "[a-z_]+"' | tr -d '= "'
} | sort -u >"$SCRATCH/fields"
sed -n 's/^\.It Va \([][a-z_.]*\)$/\1/p' doc/man/lkst-status.1 | sed 's/\[]$//; s/.*\.//' | sort -u >"$SCRATCH/described"
bad=
[ "$(wc -l <"$SCRATCH/fields")" -ge 50 ] || bad='the fields were not found'
verdict docs_status_describes_its_fields "$bad$(diff "$SCRATCH/fields" "$SCRATCH/described" |
	sed -n 's/^< /not in doc\/man\/lkst-status.1: /p; s/^> /no field: /p')"

# The example in doc/adding-an-event.md is the code as it stands; blanks do not count.
squeeze()
{
	tr -s ' \t\n' ' '
}
awk '/^    / { print; next } { printf "\001" }' doc/adding-an-event.md | squeeze | tr '\001' '\n' |
	sed 's/^ *//; s/ *$//' | grep -E '^(EVENT|LKST_TP)\(' >"$SCRATCH/examples"
cat src/abi/events.def src/bpf/*.bpf.c src/bpf/events/*.bpf.c src/bpf/budget/*.bpf.c | squeeze >"$SCRATCH/code"
bad=
[ "$(wc -l <"$SCRATCH/examples")" -ge 2 ] || bad='the examples were not found'
while IFS= read -r example; do
	grep -qF -- "$example" "$SCRATCH/code" || bad="$bad not in the source: ${example:0:60} ..."
done <"$SCRATCH/examples"
verdict docs_example_is_the_code "$bad"
