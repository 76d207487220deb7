/* SPDX-License-Identifier: GPL-2.0-only */
/* What a probe in a program costs. */
#include "live/probes/probe_cost.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/hooks/hooks.h"
#include "live/hooks/pins.h"
#include "live/programs/programs.h"
#include "probe/code/stepping.h"

/* Whether the kernel emulates the instruction that the probe is at; false, too, if that can't be read. */
static bool probe_cost_is_emulated(const struct lkst_probe_row *row)
{
	u8 bytes[LKST_INSTRUCTION_BYTES_MAX];
	_cleanup_close_ int fd = open(row->path, O_RDONLY | O_CLOEXEC);
	ssize_t nr = fd < 0 ? -1 : pread(fd, bytes, sizeof(bytes), (off_t)row->offset);

	return nr > 0 && lkst_instruction_is_emulated(lkst_machine_own(), bytes, (size_t)nr);
}

/* Its program has counted those that were only to measure. */
static void forget_hits(const struct lkst_own_pins *own, const char *event)
{
	_cleanup_free_ struct lkst_probe_cpu *none = calloc(1, sizeof(*none));
	char pin[LKST_PROBE_PIN_MAX];
	_cleanup_close_ int fd = -1;
	u32 cpu;

	lkst_probe_pin(event, LKST_PROBE_CPUS_PIN, pin);
	fd = lkst_pins_get(NULL, own, pin);
	for (cpu = 0; fd >= 0 && none && !bpf_map_update_elem(fd, &cpu, none, BPF_EXIST);)
		cpu++;
}

int lkst_probe_cost_measure(struct lkst_err *e, const struct lkst_session *s, const char *event,
			    const struct lkst_probe_row *row)
{
	char name[LKST_HOOK_NAME_MAX], pin[sizeof(LKST_PROGRAM_PIN) + LKST_HOOK_NAME_MAX];
	_cleanup_close_ int fd = -1;
	int err;

	if (!row->path[0])
		return 0;
	lkst_hook_name(LKST_HOOK_PROBE, event, name);
	snprintf(pin, sizeof(pin), LKST_PROGRAM_PIN "%s", name);
	fd = lkst_pins_get(e, lkst_session_own_pins(s), pin);
	if (fd < 0)
		return fd;
	err = lkst_budget_measure_program(e, lkst_session_budget_fds(s),
					  lkst_session_rings(s)->nr_cpus, fd, row->plan.id,
					  probe_cost_is_emulated(row));
	forget_hits(lkst_session_own_pins(s), event);
	return err;
}
