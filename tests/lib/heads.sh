# SPDX-License-Identifier: GPL-2.0-only
#
# What the head of a test says of it: lines in a comment among the first 20 of its source. tests/run sources this, and
# tests/lint.sh.
#
#   tier: NAME          when it runs; each test names one of $tiers
#   timeout: SECONDS    how long it may run, instead of 900 s
#   alone               nothing runs beside it

# check: `make check`, on any machine, with what `tools/install-deps check` installs. all: `make check-all`. vm: `make vm-check`.
tiers=(check all vm)

# Where the source of program $1 is. A built one lies in the build as its source does here.
source_of()
{
	local source=$1

	case $source in
	*/tests/*) source=tests/${source##*/tests/} ;;
	esac
	[ -f "$source" ] || source=$source.c
	echo "$source"
}

# Whether the head of source $1 has a line "$2" or "$2: VALUE"; that of VALUE is in $said.
head_says()
{
	local line lines=()

	mapfile -t -n 20 lines 2>/dev/null <"$1"
	for line in "${lines[@]}"; do
		if [[ $line =~ ^(#|\ \*)\ "$2"(:\ (.*))?$ ]]; then
			said=${BASH_REMATCH[3]-}
			return 0
		fi
	done
	return 1
}

# The sources of all tests whose tier matches $1.
sources_of()
{
	grep -rlE "^(#| \\*) tier: ($1)\$" tests | sort
}

# How long program $1 may run.
timeout_of()
{
	local said

	if head_says "$(source_of "$1")" timeout && [[ $said =~ ^[0-9]+$ ]]; then
		echo "$said"
	else
		echo 900
	fi
}

# The tier of program $1; nothing if its head names none that there is.
tier_of()
{
	local said

	if head_says "$(source_of "$1")" tier && [[ " ${tiers[*]} " == *" $said "* ]]; then
		echo "$said"
	fi
}

# What may run beside program $1: alone, live, guest or plain.
kind_of()
{
	local said

	if head_says "$(source_of "$1")" alone; then
		echo alone
		return
	fi
	case $1 in
	*/live/*) echo live ;;
	*/vm/*) echo guest ;;
	*) echo plain ;;
	esac
}
