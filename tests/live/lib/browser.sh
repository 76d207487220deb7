#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What tests with a browser share; they source it after live.sh.

# Whether lib/browser.js can open pages in a browser. If not, it says that test $1 is skipped, and why.
has_browser()
{
	local tool

	for tool in node chromium; do
		if ! command -v $tool >/dev/null; then
			echo "skip $1: there is no $tool; tools/install-deps check-all installs it"
			return 1
		fi
	done
	if ! NODE_PATH=$(packages puppeteer); then
		echo "skip $1: $NODE_PATH"
		return 1
	fi
	export NODE_PATH
}
