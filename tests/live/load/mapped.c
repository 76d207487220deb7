// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps a library as dlopen(3) does, and is in it for a time, then unloads it and ends:
 *
 *	mapped LIBRARY MILLISECONDS
 *
 * The library has a function hot(milliseconds). With "-" in its place, what is run is machine code in memory of no
 * file.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

/* Returns at once: "ret" of x86-64 and arm64. */
#ifdef __aarch64__
static const unsigned char code[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#else
static const unsigned char code[] = { 0xc3 };
#endif

static int run_memory(void)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int i;

	if (at == MAP_FAILED)
		return 1;
	memcpy(at, code, sizeof(code));
	/* As a JIT compiler does: the second time there is nothing new. */
	for (i = 0; i < 2; i++)
		if (mprotect(at, 4096, PROT_READ | PROT_WRITE) || mprotect(at, 4096, PROT_READ | PROT_EXEC))
			return 1;
	((void (*)(void))at)();
	printf("%llu\n", (unsigned long long)(size_t)at);
	return 0;
}

int main(int argc, char **argv)
{
	void *library, (*hot)(int);

	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "-"))
		return run_memory();
	library = dlopen(argv[1], RTLD_NOW);
	hot = library ? (void (*)(int))dlsym(library, "hot") : NULL;
	if (!hot) {
		fprintf(stderr, "mapped: %s\n", dlerror());
		return 1;
	}
	hot(atoi(argv[2]));
	dlclose(library);
	return 0;
}
