#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# The page of lkst view does what people who use timelines expect, by mouse, keys and fingers; it can be used without seeing
# it, or some of its colours; and what it says of a stretch of time is what the terminal says (F01 to F04 of
# doc/heritage.md in part).
. "$(dirname "$0")/lib/live.sh"
. "$lib/browser.sh"

has_browser view_habits || exit 0
if modules=$(packages axe); then
	axe=$modules/axe-core/axe.min.js
else
	echo "skip habits_are_open_to_all: $modules"
	axe=
fi
cd "$work" || exit
export LC_ALL=C.UTF-8 TZ=UTC

# Some processes, one with threads, and threads that are called markup.
cp "$(command -v sleep)" '<img src=x>'
"$LKST" record --quiet --output trace -- sh -c "'$load/called' 3; './<img src=x>' 0.01; ls -R /usr/lib >/dev/null
	node -e 'require(\"fs\").readdir(\"/\", () => 0)'; dd if=/dev/zero of=file bs=64k count=64 conv=fsync 2>/dev/null; true"
records_no_more
"$LKST" view --quiet trace
"$LKST" view --quiet --output empty.html

report view_habits node "$lib/view_habits.js" "$LKST" "$PWD/trace.html" trace "$PWD/empty.html" "$axe"
exit "$failed"
