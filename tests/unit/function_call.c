/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What functions were called with, by their types (I33): as C shows the same registers as values of these types.
 */
#include "probe/resolve/function_call.h"

#include <bpf/btf.h>
#include <errno.h>

#include "lib/unit.h"
#include "probe/debuginfo/image.h"

static const u64 values[] = { 0xabcdffffff9c, 0xffff888003a1b2c0, 0xabcd01, 0x123401ff, (u64)-5,
			      1 << 20 };

/*
 *	f(int dfd, void *name, bool is_dir, unsigned short mode, long offset, unsigned long length, int more)
 *	g(struct pair pair, int dfd)
 *	h(void)
 */
static struct btf *make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	const int types[] = {
		number,
		btf__add_ptr(btf, 0),
		btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL),
		btf__add_typedef(btf, "umode_t", btf__add_int(btf, "unsigned short", 2, 0)),
		btf__add_int(btf, "long", 8, BTF_INT_SIGNED),
		btf__add_int(btf, "unsigned long", 8, 0),
		number,
	};
	static const char *const names[] = { "dfd",    "name",	 "is_dir", "mode",
					     "offset", "length", "more" };
	int pair = btf__add_struct(btf, "pair", 16), proto;
	size_t i;

	proto = btf__add_func_proto(btf, number);
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		btf__add_func_param(btf, names[i], types[i]);
	btf__add_func(btf, "f", BTF_FUNC_STATIC, proto);
	proto = btf__add_func_proto(btf, number);
	btf__add_func_param(btf, "pair", pair);
	btf__add_func_param(btf, "dfd", number);
	btf__add_func(btf, "g", BTF_FUNC_STATIC, proto);
	if (btf__add_func(btf, "h", BTF_FUNC_STATIC, btf__add_func_proto(btf, 0)) < 0)
		abort();
	return btf;
}

static const char *call(const char *symbol, size_t size)
{
	static char text[256];
	struct lkst_image image = { .btf = make_btf() };
	int err = lkst_function_call_text(&image, symbol, values, 6, text, size);

	if (err)
		snprintf(text, sizeof(text), "%d", err);
	btf__free(image.btf);
	return text;
}

TEST(function_call_by_its_types)
{
	CHECK_STR(call("f", 256),
		  "dfd=-100 name=0xffff888003a1b2c0 is_dir=1 mode=511 offset=-5 length=0x100000");
	CHECK_STR(call("g", 256), "");
	CHECK_STR(call("h", 256), "");
	CHECK_STR(call("f", 12), "dfd=-100 na");
	CHECK_EQ(atoi(call("f.isra.0", 256)), -ENOENT);
	CHECK_EQ(atoi(call("none", 256)), -ENOENT);
}

static const struct unit_test tests[] = {
	{ "function_call_by_its_types", test_function_call_by_its_types },
};
UNIT_MAIN(tests)
