#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# tier: all
#
# What is unique only within a namespace is read there, and a process by a thread of it that lives: the functions of a
# program that only its own mount namespace has, the list of a JIT compiler that has written its own number into its
# own /tmp, and the functions and arguments of a process whose first thread has ended.

. "$(dirname "$0")/lib/live.sh"

needs_the_recorder
cd "$work" || exit

cat >spins.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

__attribute__((noinline)) long spins_here(long n)
{
	long s = 0, i;

	for (i = 0; i < n; i++) {
		s += i ^ s;
		__asm__ volatile("" : "+r"(s));
	}
	return s;
}

static void *spin(void *arg)
{
	for (;;)
		spins_here(10000000);
	return arg;
}

#ifdef __x86_64__
/* push rbp; mov rbp,rsp; mov rcx,n; dec rcx; jnz; pop rbp; ret */
static unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xb9, 0x80, 0xf0, 0xfa, 0x02, 0, 0, 0, 0,
				0x48, 0xff, 0xc9, 0x75, 0xfb, 0x5d, 0xc3 };
#else
/* movz x0, #0x2fa, lsl #16; subs x0, x0, #1; b.ne; ret */
static unsigned int code[] = { 0xd2a05f40, 0xf1000400, 0x54ffffe1, 0xd65f03c0 };
#endif

static void compile_and_run(void)
{
	unsigned char *m = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *f;

	if (m == MAP_FAILED)
		_exit(1);
	memcpy(m, code, sizeof(code));
	__builtin___clear_cache((char *)m, (char *)m + sizeof(code));
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (!f)
		_exit(1);
	fprintf(f, "%lx %zx compiled_here\n", (long)m, sizeof(code));
	fclose(f);
	for (;;)
		((void (*)(void))m)();
}

int main(int argc, char **argv)
{
	pthread_t t;

	alarm(120);
	if (!strcmp(argv[1], "compiles"))
		compile_and_run();
	if (!strcmp(argv[1], "ends") && !pthread_create(&t, 0, spin, 0))
		pthread_exit(0);
	spin(0);
	return 1;
}
C
gcc -O1 -fno-omit-frame-pointer -o spins spins.c -lpthread || exit 1

# has_spun PID: it has used some CPU time, so that it is at its loop
has_spun()
{
	local stat

	stat=$(cat /proc/"$1"/task/*/stat 2>/dev/null | sed 's/.*) //' | awk '{ n += $12 } END { print n + 0 }')
	[ "$stat" -gt 5 ]
}

mkdir inside && cp spins inside/onlyinside
unshare -m bash -c 'mount -t tmpfs none /mnt && cp inside/onlyinside /mnt && exec /mnt/onlyinside spins' &
only=$!
unshare -fpm --mount-proc bash -c 'mount --bind inside /mnt && mount -t tmpfs none /tmp && exec /mnt/onlyinside compiles' &
container=$!
./spins ends with-an-argument &
ended=$!
wait_until 60 has_spun $only
wait_until 60 has_spun $ended
has_child()
{
	compiles=$(pgrep -P $container | head -n 1)
	[ -n "$compiles" ] && has_spun "$compiles"
}
wait_until 60 has_child
rm inside/onlyinside

"$LKST" record --quiet -m standard --sample 199 -o t -- sleep 1
"$LKST" analyze profile --comm onlyinside t >profile
expect a_program_of_another_mount_namespace_has_functions "$(grep -q spins_here profile && echo yes)" yes
expect a_list_of_a_compiler_is_found_in_its_container "$(grep -q compiled_here profile && echo yes)" yes
"$LKST" analyze profile --comm spins t >profile
expect a_process_whose_first_thread_has_ended_has_functions "$(grep -q spins_here profile && echo yes)" yes
expect a_process_whose_first_thread_has_ended_has_arguments \
	"$("$LKST" sql -f csv t "select distinct args from threads where pid = $ended" | tr -d '\r' | tail -n +2 | grep -v '^$')" \
	'./spins ends with-an-argument'
kill -9 $only "$compiles" $ended 2>/dev/null
wait 2>/dev/null
exit $failed
