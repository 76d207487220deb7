/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Which functions can return an error, by their types (I33): what C says of each type is compared.
 */
#include "probe/debuginfo/returns.h"

#include <bpf/btf.h>

#include "lib/unit.h"

static int add_function(struct btf *btf, const char *name, int result)
{
	return btf__add_func(btf, name, BTF_FUNC_STATIC, btf__add_func_proto(btf, result));
}

/* Functions that return each type; two of one name. */
static struct btf *make_btf(void)
{
	struct btf *btf = btf__new_empty();
	int number, word, unsigned_word, small, type, pointer;

	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	word = btf__add_int(btf, "long", 8, BTF_INT_SIGNED);
	unsigned_word = btf__add_int(btf, "unsigned long", 8, 0);
	small = btf__add_int(btf, "unsigned int", 4, 0);
	pointer = btf__add_ptr(btf, 0);
	add_function(btf, "of_int", number);
	add_function(btf, "of_ssize", btf__add_typedef(btf, "ssize_t", word));
	add_function(btf, "of_address", unsigned_word);
	add_function(btf, "of_pointer", pointer);
	add_function(btf, "of_const", btf__add_const(btf, pointer));
	add_function(btf, "of_vm_fault", btf__add_typedef(btf, "vm_fault_t", small));
	add_function(btf, "of_bool", btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL));
	add_function(btf, "of_short", btf__add_int(btf, "short", 2, BTF_INT_SIGNED));
	add_function(btf, "of_void", 0);
	add_function(btf, "of_struct", btf__add_struct(btf, "pair", 16));
	type = btf__add_enum(btf, "netdev_tx", 4);
	btf__add_enum_value(btf, "NETDEV_TX_OK", 0);
	add_function(btf, "of_enum", type);
	add_function(btf, "of_int_too", number);
	add_function(btf, "of_two", number);
	add_function(btf, "of_two", word);
	add_function(btf, "of_twins", number);
	if (add_function(btf, "of_twins", number) < 0)
		abort();
	return btf;
}

TEST(returns_by_type)
{
	static const struct {
		const char *symbol;
		enum lkst_returns_kind kind;
	} expected[] = {
		{ "of_int", LKST_RETURNS_INT },
		{ "of_ssize", LKST_RETURNS_LONG },
		{ "of_address", LKST_RETURNS_LONG },
		{ "of_pointer", LKST_RETURNS_LONG },
		{ "of_const", LKST_RETURNS_LONG },
		{ "of_vm_fault", LKST_RETURNS_NO_ERROR },
		{ "of_bool", LKST_RETURNS_NO_ERROR },
		{ "of_short", LKST_RETURNS_NO_ERROR },
		{ "of_void", LKST_RETURNS_NO_ERROR },
		{ "of_struct", LKST_RETURNS_NO_ERROR },
		{ "of_enum", LKST_RETURNS_NO_ERROR },
		{ "of_int_too", LKST_RETURNS_INT },
		{ "of_int.isra.0", LKST_RETURNS_INT },
		{ "of_bool.part.0.constprop.0", LKST_RETURNS_NO_ERROR },
		{ "of_two", LKST_RETURNS_UNKNOWN },
		{ "of_twins", LKST_RETURNS_INT },
		{ "of_in", LKST_RETURNS_UNKNOWN },
		{ "of_nothing", LKST_RETURNS_UNKNOWN },
		{ "", LKST_RETURNS_UNKNOWN },
		{ ".part.0", LKST_RETURNS_UNKNOWN },
	};
	struct btf *btf = make_btf();
	struct lkst_returns *returns = NULL;
	struct lkst_err e;
	size_t i;

	CHECK_EQ(lkst_returns_new(&e, btf, 1, &returns), 0);
	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		CHECK_EQ(lkst_returns_find(returns, expected[i].symbol), expected[i].kind);
	lkst_returns_free(returns);
	btf__free(btf);
}

/* Of a module only what it has itself. */
TEST(returns_of_a_part)
{
	struct btf *btf = make_btf();
	struct lkst_returns *returns = NULL;
	unsigned int first = btf__type_cnt(btf);
	struct lkst_err e;

	add_function(btf, "of_module", 1);
	CHECK_EQ(lkst_returns_new(&e, btf, first, &returns), 0);
	CHECK_EQ(lkst_returns_find(returns, "of_module"), LKST_RETURNS_INT);
	CHECK_EQ(lkst_returns_find(returns, "of_int"), LKST_RETURNS_UNKNOWN);
	lkst_returns_free(returns);
	btf__free(btf);
}

static const struct unit_test tests[] = {
	{ "returns_by_type", test_returns_by_type },
	{ "returns_of_a_part", test_returns_of_a_part },
};
UNIT_MAIN(tests)
