#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# Tests what shells complete against what --help prints: all commands, options, formats and verbs, at each place of a
# line. In zsh, where that is installed, lines are typed at a terminal.

set -u

# Prints "ok NAME" if $2 is empty, else "FAIL NAME: $2".
verdict()
{
	if [ -z "$2" ]; then
		echo "ok $1"
	else
		echo "FAIL $1: ${2//$'\n'/; }"
	fi
}

# What bash offers for the last of the words, one a line. Outside of completion compopt(1) only says that it is.
offers()
{
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	_lkst 2>/dev/null
	printf '%s\n' "${COMPREPLY[@]}" | grep . | sort
}

# Help of the command $1, or of the original's.
help_of()
{
	case $1 in
	lkst*) (exec -a "$1" "$LKST" --help) 2>&1 ;;
	*) "$LKST" "$1" --help 2>&1 ;;
	esac
}

# Where the lists differ: "missing" is what bash doesn't offer.
compare()
{
	diff "$SCRATCH/want" "$SCRATCH/got" | sed -n "s/^</$1 misses/p; s/^>/$1 has besides/p"
}

"$LKST" completion bash >"$SCRATCH/bash" && "$LKST" completion zsh >"$SCRATCH/_lkst"
verdict completion_is_printed "$(bash -n "$SCRATCH/bash" 2>&1; [ -s "$SCRATCH/_lkst" ] || echo 'none for zsh')"
verdict completion_names_the_shells "$("$LKST" completion fish 2>&1 | grep -v 'bash or zsh')"
# shellcheck disable=SC1091
. "$SCRATCH/bash"

commands=$("$LKST" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
links=$(sed -n 's/^LINKS := //p' Makefile)
(echo "$commands"; printf '%s\n' help --help --version) | sort >"$SCRATCH/want"
offers lkst '' >"$SCRATCH/got"
verdict completion_offers_commands "$(compare lkst)"

bad=
for command in $commands $links; do
	line=(lkst "$command")
	[[ $command != lkst* ]] || line=("$command")
	help_of "$command" | sed -n '/^Options:/,/^$/s/^  \(    \|-[a-zA-Z], \)--\([a-z-]*\).*/--\2/p' | sort -u >"$SCRATCH/want"
	offers "${line[@]}" -- >"$SCRATCH/got"
	bad+=$(compare "$command")
	# Formats, as the usage shows them.
	for option in $(help_of "$command" | tr -s '\n ' ' ' | grep -oE -- '\[--[a-z]+ [a-z]+(\|[a-z]+)+\]' | tr -d '[]' | tr ' ' =); do
		tr '|' '\n' <<<"${option#*=}" | sort >"$SCRATCH/want"
		offers "${line[@]}" "${option%=*}" '' >"$SCRATCH/got"
		bad+=$(compare "$command ${option%=*}")
		offers "${line[@]}" "${option%=*}" = '' >"$SCRATCH/got"
		bad+=$(compare "$command ${option%=*}=")
	done
done
verdict completion_offers_options_and_choices "$bad"

bad=
for command in maskset handler buffer incident trigger event bundle; do
	# In the usage a verb follows [OPTIONS] or "|"; those with "=" in them are no words.
	help_of "$command" | sed '/^$/,$d' | tr '\n' ' ' | sed 's/.*\[OPTIONS\]//' | tr '|' '\n' |
		awk '$1 !~ /=/ { print $1 }' | sort >"$SCRATCH/want"
	offers lkst "$command" '' >"$SCRATCH/got"
	bad+=$(compare "$command")
done
verdict completion_offers_verbs "$bad"

bad=
expect()
{
	local want=$1

	shift
	[ "$(offers "$@" | tr '\n' ' ')" = "$want" ] || bad+="\"$*\": $(offers "$@" | tr '\n' ' '), not $want; "
}
mkdir "$SCRATCH/slow-tx"
expect "$SCRATCH/slow-tx " lkst print "$SCRATCH/slow-"
expect "$SCRATCH/slow-tx " lkst analyze --format csv syscall "$SCRATCH/slow-"
expect "$SCRATCH/slow-tx " lkst record --output "$SCRATCH/slow-"
expect "$SCRATCH/slow-tx " lkstla syscall "$SCRATCH/slow-"
expect 'sched_switch ' lkst record --event sched_swi
expect 'syscall syscallusage ' lkst analyze sysc
expect 'snapshot ' lkst help snap
expect "$$ " lkst pages $$
expect '' lkst print --tid ''
verdict completion_knows_what_arguments_are "$bad"

if ! command -v zsh >/dev/null; then
	echo 'skip completion_zsh: zsh is not installed'
	exit
fi
verdict completion_zsh_is_well_formed "$(zsh -fn "$SCRATCH/_lkst" 2>&1)"
cat >"$SCRATCH/type.zsh" <<'END'
# Types each of the arguments but the first and a tab at a terminal of its own, and prints the line as it is then.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='NOW> ' PS2= RPS1= TERM=dumb; setopt no_beep; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'report() { print -r -- "LINE<$BUFFER>"; BUFFER=; }; zle -N report; bindkey "^X^R" report; print READY$((1))'
# What is typed before the editor reads goes to the terminal's own, which knows no ^X^R.
zpty -r shell line '*READY1*NOW>*'
shift
for typed; do
	zpty -w -n shell "$typed"$'\t\C-X\C-R'
	while zpty -r shell line; do
		if [[ $line == *LINE\<*\>* ]]; then
			line=${line##*LINE\<}
			print -r -- "${line%%\>*}"
			break
		fi
	done
done
zpty -d shell
END
typed=('lkst snap' 'lkst analyze --form' 'lkst analyze --format s' 'lkst record --event sched_swi' 'lkst incident sa'
	'lkst analyze softi' 'lkstla --li' "lkst print $SCRATCH/slow-")
printf '%s\n' 'lkst snapshot ' 'lkst analyze --format=' 'lkst analyze --format svg ' 'lkst record --event sched_switch ' \
	'lkst incident save ' 'lkst analyze softirq ' 'lkstla --list ' "lkst print $SCRATCH/slow-tx/" >"$SCRATCH/want"
timeout 60 zsh -f "$SCRATCH/type.zsh" "$SCRATCH" "${typed[@]}" >"$SCRATCH/got" 2>&1
verdict completion_zsh_completes "$(compare zsh)"
