# SPDX-License-Identifier: GPL-2.0-only
#
# What tests have taken, in seconds by the clock and in seconds of a processor, kept from run to run in $OUT/tests/times.csv:
# a row for each run of a test that passed. Figures are compared with those of the same machine only. tests/run sources this.
#
# What a run has taken is in a file with lines "WALL CPU TEST".

times_file=$OUT/tests/times.csv
times_header=machine,test,wall_s,cpu_s,commit
# So many rows of a test are kept.
times_kept=10
# A test that took less of a processor is not compared: what else the machine does counts for too much there.
compared_from=${COMPARED_FROM:-5}
machine=$(uname -n)/$(nproc)
machine=${machine//,/_}

# Prints what is to be said of times $1, before they are kept: which tests took twice the processor time of the time
# before, and what those take that are new.
compare_times()
{
	if ! grep -qsF "$machine," "$times_file"; then
		echo "From now on $times_file says what tests take."
		return
	fi
	awk -F '[, ]' -v machine="$machine" -v from="$compared_from" '
		FNR == NR {
			if ($1 == machine) {
				before[$2] = $4
				commit[$2] = $5
			}
			next
		}
		!($3 in before) { fresh[++nr_fresh] = sprintf("new: %s %.1f s, %.1f s of a processor", $3, $1, $2); next }
		$2 >= from && $2 >= 2 * before[$3] {
			printf "slower: %s took %.1f s of a processor, and %.1f s at commit %s\n", $3, $2, before[$3], commit[$3]
		}
		END {
			for (i = 1; i <= nr_fresh; i++)
				print fresh[i]
		}' "$times_file" "$1"
}

# Adds times $1 to those that are kept.
keep_times()
{
	local commit

	commit=$(git describe --always --dirty=+ --abbrev=8 --exclude '*' 2>/dev/null)
	mkdir -p "${times_file%/*}"
	{
		cat "$times_file" 2>/dev/null
		awk -v OFS=, -v machine="$machine" -v commit="${commit:--}" '{ print machine, $3, $1, $2, commit }' "$1"
	} | awk -F , -v header=$times_header -v kept=$times_kept '
		$0 == header { next }
		{
			row[++nr] = $0
			test[nr] = $1 "," $2
			of[test[nr]]++
		}
		END {
			print header
			for (i = 1; i <= nr; i++)
				if (++seen[test[i]] > of[test[i]] - kept)
					print row[i]
		}' >"$times_file.$$" && mv "$times_file.$$" "$times_file"
}

# Prints "WALL CPU" of test $1 as it ran last on this machine, "- -" if that is not known.
last_times()
{
	awk -F , -v machine="$machine" -v test="$1" '$1 == machine && $2 == test { last = $3 " " $4 } END { print last ? last : "- -" }' \
		"$times_file" 2>/dev/null || echo '- -'
}
