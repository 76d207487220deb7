// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel programs share: the control page and the configuration. The programs
 * themselves are in the files of their groups; all are linked into one object.
 */
#include "bpf/record.h"

struct lkst_control lkst_control SEC(".data.control");
const volatile struct lkst_program_config lkst_cfg SEC(".rodata.config");

char lkst_license[] SEC("license") = "GPL";
