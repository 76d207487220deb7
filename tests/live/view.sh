#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# lkst view: the page shows in a browser what the terminal says, by itself, with no network; what is given to it opens;
# what is damaged or hostile does no harm (G06, and F01 to F04 of doc/heritage.md in part). What needs no browser is in
# tests/live/view_page.sh.
. "$(dirname "$0")/lib/live.sh"
. "$lib/browser.sh"

has_browser view || exit 0
cd "$work" || exit
export LC_ALL=C.UTF-8 TZ=UTC COLUMNS=80

"$LKST" record --quiet --output trace -- sh -c "'$load/called' 3; dd if=/dev/zero of=file bs=64k count=64 conv=fsync 2>/dev/null
	flock lock sleep 0.2 & sleep 0.05; flock lock true; ls -R /usr/lib >/dev/null; dd if=/dev/zero of=/dev/null bs=1 count=60000 2>/dev/null; true"
"$LKST" view --quiet trace
"$LKST" view --quiet --output empty.html

# Threads that are called markup.
cp "$(command -v sleep)" '<img src=x>'
"$LKST" record --quiet --output hostile -- './<img src=x>' 0.01
records_no_more
"$LKST" view --quiet --output hostile.html hostile

# A page whose trace is damaged after it was written: something else in place of the metadata, by src/cmd/view/byte_text.h.
"$LKST" view --quiet --output damaged.html trace
printf 'something else' | zstd -qc | perl -0777 -pe 's/([\0\n\r<=])/"=" . chr(64 + ord $1)/ge' >else
perl -0777 -pi -e 'BEGIN { open my $f, "<", "else"; $else = do { local $/; <$f> } } s/(data-name="metadata">)[^<]*/$1$else/' damaged.html

cp -r trace packed
zstd -q --rm packed/main.*

# The same in one file, and as parts; and something else.
mkdir parts; tar cf trace.tar trace
"$LKST" cut --quiet --to +0.02s --output parts/1 trace 2>/dev/null
"$LKST" cut --quiet --from +0.02s --output parts/2 trace 2>/dev/null
mkdir nothing-of-it && echo words >nothing-of-it/words

report view node "$lib/view.js" "$LKST" "$PWD/trace.html" trace "$PWD/empty.html" "$PWD/damaged.html" "$PWD/hostile.html" packed parts trace.tar nothing-of-it
exit "$failed"
