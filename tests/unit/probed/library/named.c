/* SPDX-License-Identifier: GPL-2.0-only */
/* A library whose symbols are not called as people call the functions: versions, copies, aliases, C++. */

#define KEPT __attribute__((noinline, noclone))

__asm__(".symver older, versioned@V1\n"
	".symver newer, versioned@@V2\n"
	".symver gone_since, gone@V1\n");

KEPT int older(int a)
{
	__asm__ volatile("");
	return a - 1;
}

KEPT int newer(int a)
{
	__asm__ volatile("");
	return a + 2;
}

KEPT int gone_since(int a)
{
	__asm__ volatile("");
	return a + 3;
}

KEPT int in_source(int a)
{
	__asm__ volatile("");
	return a * 4;
}
extern int alias(int a) __attribute__((alias("in_source")));

/* As a compiler calls its copies. */
KEPT int copied(int a) __asm__("copied.constprop.0");
KEPT int copied(int a)
{
	__asm__ volatile("");
	return a * 5;
}

KEPT int copied_again(int a) __asm__("copied.isra.0.constprop.1");
KEPT int copied_again(int a)
{
	__asm__ volatile("");
	return a * 6;
}

KEPT int piece(int a) __asm__("piece.part.0");
KEPT int piece(int a)
{
	__asm__ volatile("");
	return a * 7;
}

KEPT int piece_seldom(int a) __asm__("piece.cold");
KEPT int piece_seldom(int a)
{
	__asm__ volatile("");
	return a * 8;
}

static int (*choose(void))(int)
{
	return in_source;
}
int chosen(int a) __attribute__((ifunc("choose")));

/* As C++ calls ns::V::burn(long), ns::V::burn(int), ns::Box<int>::grow(long) and ns::V::operator==(ns::V const&). */
KEPT long burn(long a) __asm__("_ZN2ns1V4burnEl");
KEPT long burn(long a)
{
	__asm__ volatile("");
	return a * 9;
}

KEPT int burn_int(int a) __asm__("_ZN2ns1V4burnEi");
KEPT int burn_int(int a)
{
	__asm__ volatile("");
	return a * 10;
}

KEPT long grow(long a) __asm__("_ZN2ns3BoxIiE4growEl");
KEPT long grow(long a)
{
	__asm__ volatile("");
	return a * 11;
}

KEPT int equals(int a) __asm__("_ZN2ns1VeqERKS0_");
KEPT int equals(int a)
{
	__asm__ volatile("");
	return a * 12;
}

/* What it takes from another library. */
extern int puts(const char *text);

int call(int a)
{
	return puts("call") + copied(a) + copied_again(a) + piece(a) + piece_seldom(a) + in_source(a);
}
