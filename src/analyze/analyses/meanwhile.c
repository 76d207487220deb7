/* SPDX-License-Identifier: GPL-2.0-only */
/* What a CPU did while a thread that it was taken from could have run. */
#include "analyze/analyses/meanwhile.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"

/* When a thread left a CPU, and what the CPU had done by then. */
struct lkst_left_cpu {
	u64 ns;
	u32 cpu;
	struct lkst_cpu_sums sums;
};

void lkst_meanwhile_fini(struct lkst_meanwhile *m)
{
	free(m->cpus);
	free(m->left);
	*m = (struct lkst_meanwhile){};
}

int lkst_meanwhile_add(struct lkst_meanwhile *m, const struct lkst_cpu_interval *i)
{
	const u64 interrupts_ns = i->irq_ns + i->softirq_ns, ns = i->to_ns - i->from_ns;
	struct lkst_cpu_sums *cpu = lkst_vec_reach(m->cpus, m->nr_cpus, i->cpu);
	struct lkst_left_cpu *left;
	u64 idle_ns = 0;

	if (!cpu)
		return -ENOMEM;
	if (!i->life) {
		cpu->unknown_ns += ns;
		return 0;
	}
	if (i->life->idle_cpu >= 0)
		idle_ns = ns > interrupts_ns ? ns - interrupts_ns : 0;
	cpu->busy_ns += ns - idle_ns;
	cpu->idle_ns += idle_ns;
	if (i->life->idle_cpu >= 0)
		return 0;
	left = lkst_vec_reach(m->left, m->nr_left, i->life->nr);
	if (!left)
		return -ENOMEM;
	*left = (struct lkst_left_cpu){ i->to_ns, i->cpu, *cpu };
	return 0;
}

bool lkst_meanwhile_find(const struct lkst_meanwhile *m, const struct lkst_model *state, const struct lkst_interval *i,
			 struct lkst_cpu_sums *ret_sums)
{
	const struct lkst_left_cpu *left = i->life->nr < m->nr_left ? &m->left[i->life->nr] : NULL;
	const u64 ns = i->to_ns - i->from_ns;
	const struct lkst_thread_life *now;
	struct lkst_cpu_sums sums;
	u64 known_ns;

	if (!left || left->ns != i->from_ns || i->cpu < 0 || left->cpu != (u32)i->cpu)
		return false;
	sums.busy_ns = m->cpus[left->cpu].busy_ns - left->sums.busy_ns;
	sums.idle_ns = m->cpus[left->cpu].idle_ns - left->sums.idle_ns;
	sums.unknown_ns = m->cpus[left->cpu].unknown_ns - left->sums.unknown_ns;
	known_ns = sums.busy_ns + sums.idle_ns + sums.unknown_ns;
	if (known_ns > ns)
		return false;
	/* What it does now has not been reported yet: the rest is that. */
	now = lkst_model_running(state, left->cpu);
	if (!now)
		sums.unknown_ns += ns - known_ns;
	else if (now->idle_cpu >= 0)
		sums.idle_ns += ns - known_ns;
	else
		sums.busy_ns += ns - known_ns;
	*ret_sums = sums;
	return true;
}
