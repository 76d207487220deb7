#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In the guest: records, and goes on until the machine is stopped from outside.
. /tests/common.sh

echo ready
sleep 1000
