/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Where BTF's parameters are at a function's entry. What is expected is what gcc 12 for x86-64 and clang 16 for arm64
 * read in their code for this function:
 *
 *	struct s16 { long a, b; };
 *	struct s24 { long a, b, c; };
 *	void f(int a, struct s16 b, long c, struct s16 d, struct s24 e, long f, __int128 g, int h)
 */
#include "probe/resolve/prototype.h"

#include <bpf/btf.h>
#include <elf.h>
#include <errno.h>

#include "lib/unit.h"

enum { NR = 8 };

/* The types above. */
static struct btf *make_btf(void)
{
	static const char names[NR][2] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	struct btf *btf = btf__new_empty();
	int word, number, wide, two, three, i, proto;

	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	word = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	wide = btf__add_int(btf, "__int128", 16, BTF_INT_SIGNED);
	two = btf__add_struct(btf, "s16", 16);
	for (i = 0; i < 2; i++)
		btf__add_field(btf, names[i], word, 64 * i, 0);
	three = btf__add_struct(btf, "s24", 24);
	for (i = 0; i < 3; i++)
		btf__add_field(btf, names[i], word, 64 * i, 0);
	proto = btf__add_func_proto(btf, 0);
	for (i = 0; i < NR; i++)
		btf__add_func_param(btf, names[i],
				    (const int[NR]){ number, two, word, two, three, word, wide,
						     number }[i]);
	if (btf__add_func(btf, "f", BTF_FUNC_GLOBAL, proto) < 0)
		abort();
	return btf;
}

/* What is known of a parameter, as text: "di", "sp+8", "x6->0", "arg2". */
static const char *place(struct lkst_image *image, bool is_return, u32 i)
{
	static char text[64];
	struct lkst_pool pool = { 0 };
	struct lkst_prototype p;
	struct lkst_spot s = { .image = image,
			       .pool = &pool,
			       .is_entry = true,
			       .is_return = is_return,
			       .function = "f" };
	struct lkst_value v = {};
	int code = lkst_prototype_find(image, "f", &p);

	if (!code)
		code = lkst_prototype_parameter(&s, &p, i, &v);
	if (code)
		snprintf(text, sizeof(text), "%d", code);
	else if (v.node->op == LKST_FETCH_ARGUMENT)
		snprintf(text, sizeof(text), "arg%d%s", (int)v.node->number,
			 v.place == LKST_VALUE_MEMORY ? "->" : "");
	else if (v.node->op == LKST_FETCH_STACK)
		snprintf(text, sizeof(text), "sp+%d", (int)v.offset);
	else
		snprintf(text, sizeof(text), "%s%s", v.node->text,
			 v.place == LKST_VALUE_MEMORY ? "->" : "");
	lkst_pool_fini(&pool);
	return text;
}

TEST(prototype_follows_the_calling_conventions)
{
	static const char *const x86[NR] = { "di",   "si",    "cx",    "r8",
					     "sp+8", "sp+32", "sp+40", "sp+56" };
	static const char *const arm[NR] = {
		"x0", "x1", "x3", "x4", "x6->", "x7", "sp+0", "sp+16"
	};
	struct lkst_image image = { .btf = make_btf(), .machine = EM_X86_64 };
	u32 i;

	for (i = 0; i < NR; i++)
		CHECK_STR(place(&image, false, i), x86[i]);
	image.machine = EM_AARCH64;
	for (i = 0; i < NR; i++)
		CHECK_STR(place(&image, false, i), arm[i]);
	CHECK_STR(place(&image, true, 2), "arg4");
	CHECK_EQ(atoi(place(&image, true, 7)), -EOPNOTSUPP);
	btf__free(image.btf);
}

static const struct unit_test tests[] = {
	{ "prototype_follows_the_calling_conventions",
	  test_prototype_follows_the_calling_conventions },
};

UNIT_MAIN(tests)
