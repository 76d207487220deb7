#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: check
# timeout: 1500
# alone
#
# Builds LKST with gcc, without a warning, for the tests that come after it.

. "$(dirname "$0")/lib/build.sh"

build build_gcc CC=gcc all unit live-tests
