/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Random probes, written as definitions and read again: the same probes.
 */
#include "probe/text/format.h"

#include "lib/same_probe.h"
#include "lib/unit.h"
#include "probe/text/definition.h"

enum { ROUNDS = 20000 };

static u64 seed = 1;

static u32 random_below(u32 n)
{
	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (u32)(seed >> 33) % n;
}

/* Small, large, negative, and the limits. */
static s64 random_number(void)
{
	static const s64 some[] = { 0, 1, -1, 8, -8, INT64_MAX, INT64_MIN + 1, 0x7fffffff, 4096 };

	return some[random_below(sizeof(some) / sizeof(some[0]))];
}

static char *random_name(const char *also)
{
	static const char letters[] = "abcXYZ_";
	u32 length = 1 + random_below(12), i;
	char *name = calloc(1, length + 1);

	for (i = 0; name && i < length; i++)
		name[i] = i && also[0] && !random_below(4) ? also[random_below(strlen(also))]
							   : letters[random_below(7)];
	return name;
}

/* ---- what is fetched -------------------------------------------------------------------------- */

static struct lkst_fetch *random_variable(unsigned int depth, bool is_user)
{
	struct lkst_fetch *f = lkst_fetch_new(LKST_FETCH_VARIABLE);

	f->is_user = is_user;
	if (depth && random_below(2)) {
		f->base = random_variable(depth - 1, is_user);
		f->op = random_below(2) ? LKST_FETCH_MEMBER : LKST_FETCH_INDEX;
	}
	if (f->op == LKST_FETCH_INDEX && random_below(2)) {
		f->index = lkst_fetch_new(LKST_FETCH_NUMBER);
		f->index->number = random_below(100);
	} else if (f->op == LKST_FETCH_INDEX) {
		f->index = random_variable(depth - 1, false);
	} else {
		f->text = random_name("019");
	}
	f->is_arrow = f->op == LKST_FETCH_MEMBER && random_below(2);
	return f;
}

static struct lkst_fetch *random_fetch(unsigned int depth, const struct lkst_probe_place *place)
{
	static const u8 leaves[] = { LKST_FETCH_REGISTER, LKST_FETCH_STACK,  LKST_FETCH_STACK_N,
				     LKST_FETCH_CALLER,	  LKST_FETCH_AT,     LKST_FETCH_NUMBER,
				     LKST_FETCH_RETVAL,	  LKST_FETCH_AT_FILE };
	struct lkst_fetch *f;
	u8 op = leaves[random_below(sizeof(leaves))];

	if (op == LKST_FETCH_RETVAL && !place->is_return)
		op = LKST_FETCH_STACK;
	if (op == LKST_FETCH_AT_FILE && !place->path)
		op = LKST_FETCH_AT_SYMBOL;
	if (depth && random_below(2))
		op = random_below(3) ? LKST_FETCH_MEMORY : LKST_FETCH_ELEMENT;
	f = lkst_fetch_new(op);
	f->number = op == LKST_FETCH_STACK_N   ? random_below(2048)
		    : op == LKST_FETCH_AT_FILE ? random_below(9999)
					       : random_number();
	if (op == LKST_FETCH_REGISTER || op == LKST_FETCH_STACK || op == LKST_FETCH_CALLER ||
	    op == LKST_FETCH_RETVAL)
		f->number = 0;
	if (op == LKST_FETCH_REGISTER || op == LKST_FETCH_AT_SYMBOL)
		f->text = random_name(op == LKST_FETCH_REGISTER ? "0189" : "._$08");
	if (op == LKST_FETCH_MEMORY || op == LKST_FETCH_ELEMENT) {
		f->is_user = random_below(2);
		f->base = random_fetch(depth - 1, place);
	}
	if (op == LKST_FETCH_ELEMENT) {
		f->index = random_fetch(depth - 1, place);
		f->size = 1 + random_below(1000);
		f->index_size = (u8)random_below(3);
		f->is_index_signed = f->index_size && random_below(2);
	}
	return f;
}

/* ---- a probe ---------------------------------------------------------------------------------- */

static void random_type(struct lkst_probe_arg *arg)
{
	static const u8 sizes[] = { 1, 2, 4, 8 };
	bool is_memory = arg->fetch->op == LKST_FETCH_MEMORY ||
			 arg->fetch->op == LKST_FETCH_ELEMENT ||
			 arg->fetch->op == LKST_FETCH_MEMBER;
	struct lkst_fetch_type *type = &arg->type;

	type->form = (u8)random_below(LKST_FORM_CHAR);
	if (type->form)
		type->size = sizes[random_below(4)];
	if (is_memory && !random_below(3))
		*type = (struct lkst_fetch_type){ .form = random_below(2) ? LKST_FORM_STRING
									  : LKST_FORM_USTRING };
	if (!random_below(4))
		*type = (struct lkst_fetch_type){ .form = LKST_FORM_BITS, .size = 4 };
	if (type->form == LKST_FORM_BITS) {
		type->bits = (u8)(1 + random_below(32));
		type->bit_at = (u8)random_below(33U - type->bits);
	}
	if (type->form && is_memory && random_below(2))
		type->count = (u16)(1 + random_below(LKST_FETCH_ARRAY_MAX));
}

static void random_arg(struct lkst_probe *p, u32 i)
{
	struct lkst_probe_arg *arg = &p->args[i];

	snprintf(arg->name, sizeof(arg->name), "a%u", i);
	switch (random_below(5)) {
	case 0:
		arg->fetch = lkst_fetch_new(LKST_FETCH_COMM);
		arg->type.form = random_below(2) ? LKST_FORM_STRING : LKST_FORM_NONE;
		return;
	case 1:
		arg->fetch = lkst_fetch_new(LKST_FETCH_TEXT);
		arg->fetch->text = random_name("=:,()[]#\\");
		return;
	case 2:
		if (!p->place.is_return)
			arg->fetch = random_variable(3, random_below(2));
	}
	if (!arg->fetch)
		arg->fetch = random_fetch(3, &p->place);
	random_type(arg);
}

static void random_place(struct lkst_probe_place *place)
{
	char *name = random_name("019");

	place->is_return = random_below(2);
	place->max_active = place->is_return && random_below(2) ? 1 + random_below(4096) : 0;
	place->kind = (u8)random_below(LKST_PLACE_FILE + 1);
	if (place->kind == LKST_PLACE_ADDRESS)
		place->address = (u64)random_number();
	if (place->kind == LKST_PLACE_SYMBOL) {
		place->symbol = random_name("._$09");
		place->module = random_below(2) ? random_name("-_") : NULL;
		place->offset = place->is_return ? 0 : random_below(1000);
	}
	if (place->kind == LKST_PLACE_FILE) {
		place->path = random_name("/ \\.:\t#\"%(");
		place->path[0] = '/';
		place->offset = random_below(100000);
		place->semaphore = random_below(2) * 4096U;
	}
	free(name);
}

static void random_probe(struct lkst_probe *p)
{
	char *group = random_name("-09"), *event = random_name("09");
	u32 i;

	snprintf(p->group, sizeof(p->group), "%s", group);
	snprintf(p->event, sizeof(p->event), "%s", event);
	free(group);
	free(event);
	random_place(&p->place);
	p->nr_args = random_below(6);
	for (i = 0; i < p->nr_args; i++)
		random_arg(p, i);
	p->condition = random_below(2) ? strdup("a0 == 1 and a1 > 5ms") : NULL;
}

TEST(probe_is_read_as_it_was_written)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		struct lkst_definition again;
		char text[LKST_PROBE_TEXT];
		struct lkst_err e = {};
		struct lkst_probe p = {}, copy;

		random_probe(&p);
		CHECK_EQ(lkst_probe_copy(&p, &copy), 0);
		CHECK(is_same_probe(&p, &copy));
		lkst_probe_fini(&copy);
		CHECK_EQ(lkst_definition_format(&e, &p, text), 0);
		if (lkst_definition_parse(&e, text, &again) || !is_same_probe(&p, &again.probe)) {
			printf("  %s: %s at %zu\n", text, e.text, e.mark);
			CHECK(false);
		}
		lkst_probe_fini(&again.probe);
		lkst_probe_fini(&p);
	}
}

static const struct unit_test tests[] = {
	{ "probe_is_read_as_it_was_written", test_probe_is_read_as_it_was_written },
};
UNIT_MAIN(tests)
