/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes type information of a kernel that never was: fake_btf IN OUT. The third argument of
 * tracepoint sched_switch (the next thread) becomes what the first is (bool), and sched_wakeup is gone.
 */
#include <bpf/btf.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct btf *btf = argc == 3 ? btf__parse(argv[1], NULL) : NULL;
	struct btf_type *switch_type, *wakeup_type, *proto;
	struct btf_param *params;
	const void *raw;
	int id, other;
	__u32 size;
	FILE *f;

	if (!btf) {
		fprintf(stderr, "usage: fake_btf IN OUT\n");
		return 2;
	}
	id = btf__find_by_name_kind(btf, "btf_trace_sched_switch", BTF_KIND_TYPEDEF);
	other = btf__find_by_name_kind(btf, "btf_trace_sched_wakeup", BTF_KIND_TYPEDEF);
	if (id < 0 || other < 0)
		return 1;
	/* Adding a type makes libbpf keep a copy that may be written to. */
	if (btf__add_int(btf, "fake", 4, 0) < 0)
		return 1;
	switch_type = (struct btf_type *)btf__type_by_id(btf, id);
	wakeup_type = (struct btf_type *)btf__type_by_id(btf, other);
	proto = (struct btf_type *)btf__type_by_id(btf,
						   btf__type_by_id(btf, switch_type->type)->type);
	params = btf_params(proto);
	params[3].type = params[1].type; /* params[0] is the hook's own data */
	wakeup_type->name_off = btf__add_str(btf, "btf_trace_gone");
	raw = btf__raw_data(btf, &size);
	f = fopen(argv[2], "we");
	if (!raw || !f || fwrite(raw, 1, size, f) != size || fclose(f))
		return 1;
	btf__free(btf);
	return 0;
}
