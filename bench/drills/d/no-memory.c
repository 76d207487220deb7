/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process has reached its limit of address space: it gets no memory, drops work, and tries again.
 *
 * truth: mmap() of nm-alloc fails with ENOMEM each time: RLIMIT_AS is reached
 * victim: nm-alloc
 * fact: WHAT ENOMEM|[Cc]annot allocate
 * fact: CALL \bmmap\b
 * amount: no
 * short: yes
 */
#include "drill.h"
#include <sys/resource.h>

int main(void)
{
	struct rlimit few = { 64 << 20, 64 << 20 };
	int failed = 0;

	drill_init();
	drill_begin(3);
	name("nm-alloc");
	setrlimit(RLIMIT_AS, &few);
	while (goes_on()) {
		void *p = mmap(NULL, 128 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		failed += p == MAP_FAILED && errno == ENOMEM;
		nap(4);
	}
	printf("failed %d\n", failed);
	if (failed < 100)
		not_produced("%d calls failed", failed);
	return 0;
}
