/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A program for the tests of probes: functions, inlined ones, structs, arrays, marks. It is compiled in several ways,
 * and the tests say what its debug information says. It is never run.
 */
#include <stdio.h>
#include <string.h>
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

struct point {
	int x, y;
	unsigned int low : 3, high : 7;
	char name[16];
	struct {
		long deep;
		union {
			int small;
			const char *text;
		};
	};
	struct point *next;
	int row[4];
	short grid[3];
	int cube[2][3][4];
};

struct opaque; /* which more/opaque.c defines */
int opaque_value(struct opaque *o);

enum colour { RED = -1, GREEN = 1 };

int counter = 3;
static struct point global = { .x = 1, .y = 2 };
unsigned short program_step_semaphore __attribute__((section(".probes")));

static inline int square(int v)
{
	int r = v * v;

	r += counter;
	return r;
}

static inline int twice(int v)
{
	int r = square(v);

	return r + square(v + 1);
}

__attribute__((noinline)) int walk(struct point *p, const char *text, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		sum += square(p->row[i & 3]);
		if (text[i])
			sum ^= i;
		DTRACE_PROBE3(program, step, i, sum, p);
	}
	return sum;
}

__attribute__((noinline)) long many(long a, long b, long c, long d, long e, long f, long g, char h)
{
	struct point local = { .x = a, .y = b };

	strncpy(local.name, "hello", sizeof(local.name));
	local.deep = g + h;
	puts(local.name);
	return square(a) + square(b) + c + d + e + f + local.deep;
}

__attribute__((noinline)) unsigned char small(unsigned char byte, short word, enum colour c,
					      _Bool is)
{
	if (is)
		printf("%d\n", byte);
	return byte + word + c;
}

__attribute__((noinline)) const char *find(struct point **list, unsigned int nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (!strcmp(list[i]->name, name))
			return list[i]->text;
	return NULL;
}

__attribute__((noinline)) static long shadow(long v)
{
	long total = v;

	for (long v = 0; v < total; v++) {
		printf("%ld\n", v);
		total--;
	}
	return total;
}

__attribute__((noinline)) double ratio(int a, int b)
{
	double r = (double)a / b;

	printf("%f\n", r);
	return r * 2;
}

__attribute__((noinline)) int nested(int v)
{
	int a = twice(v);

	if (a > 100) {
		int b = a * 3;

		printf("%d\n", b);
		a += twice(b);
	}
	return a;
}

__attribute__((noinline)) static void list_all(struct point *head)
{
	struct point *p;

	for (p = head; p; p = p->next)
		printf("%s %d\n", p->name, p->grid[1]);
}

__attribute__((noinline)) int factorial(int n)
{
	return n < 2 ? 1 : n * factorial(n - 1);
}

__attribute__((noinline)) int look(struct opaque *o)
{
	puts("look");
	return opaque_value(o);
}

int main(int argc, char **argv)
{
	struct point *list[2] = { &global, &global };

	global.next = argc > 3 ? &global : NULL;
	printf("%d %ld\n", walk(argc > 1 ? &global : list[1]->next, argv[0], argc),
	       many(1, 2, 3, 4, 5, 6, 7, argc));
	printf("%d %s\n", small(argc, 2, GREEN, argc), find(list, 2, argv[0]));
	printf("%ld %f %d\n", shadow(argc), ratio(argc, 2), nested(argc));
	list_all(&global);
	look((struct opaque *)argv);
	return square(argc) + factorial(argc);
}
