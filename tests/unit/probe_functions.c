/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Which functions a probe at many functions is at, by texts as the kernel has them (K23, L04 of doc/heritage.md).
 */
#include "live/probes/probe_functions.h"

#include <errno.h>

#include "lib/unit.h"
#include "live/hooks/probe_row.h"
#include "live/probes/error_probes.h"
#include "probe/code/registers.h"
#include "probe/text/definition.h"

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81000300 T vfs_write\n"
			       "ffffffff81000100 T vfs_read\n"
			       "ffffffff81000100 T vfs_read_too\n"
			       "ffffffff810000f0 t __pfx_vfs_read\n"
			       "ffffffff81000200 t vfs_helper\n"
			       "ffffffff81000280 t vfs_helper\n"
			       "ffffffff81000400 t vfs_write.cold\n"
			       "ffffffff81000500 D vfs_data\n"
			       "ffffffffc0000100 t vfs_of_module\t[mine]\n"
			       "ffffffffc0000900 t vfs_of_bpf\t[bpf]\n"
			       "short\n";

static struct lkst_probe_functions functions;
static struct lkst_err error;

static FILE *open_text(const char *text)
{
	return fmemopen((void *)text, strlen(text), "r");
}

static int find(const char *globs, const char *module)
{
	_cleanup_fclose_ FILE *f = open_text(kallsyms);

	lkst_probe_functions_fini(&functions);
	return lkst_probe_functions_read(
		&error, f, &(struct lkst_probe_choice){ .globs = globs, .module = module },
		&functions);
}

/* The names of those that are not refused. */
static const char *names(void)
{
	static char text[256];
	u32 i;

	text[0] = 0;
	for (i = 0; i < functions.nr; i++)
		if (!functions.list[i].is_refused) {
			strcat(text, " ");
			strcat(text, functions.list[i].name);
		}
	return text;
}

TEST(functions_that_match)
{
	CHECK_EQ(find("vfs_*", NULL), 0);
	CHECK_EQ(functions.nr, 5);
	CHECK_EQ(functions.list[0].address, 0xffffffff81000100);
	CHECK_EQ(functions.list[4].address, 0xffffffffc0000100);
	CHECK_EQ(find("vfs_wr*,_text", NULL), 0);
	CHECK_STR(names(), " _text vfs_write");
	CHECK_EQ(find("vfs_[rw]*,vfs_write", NULL), 0);
	CHECK_EQ(functions.nr, 2);
	CHECK_EQ(find("vfs_*", "mine"), 0);
	CHECK_STR(names(), " vfs_of_module");
	CHECK_EQ(find("vfs_*", "min"), -ENOENT);
	CHECK_EQ(find("nothing*", NULL), -ENOENT);
}

TEST(functions_that_can_be_probed)
{
	_cleanup_fclose_ FILE *blacklist =
		open_text("0xffffffff81000300-0xffffffff81000340\tvfs_write\n"
			  "0xffffffff81000800-0xffffffff81000900\tnotify_die\n");
	_cleanup_fclose_ FILE *traceable =
		open_text("_text\nvfs_helper\nvfs_write\nvfs_of_module [mine]\n");

	CHECK_EQ(find("vfs_w*,vfs_h*,vfs_of*", NULL), 0);
	lkst_probe_functions_refuse(&functions, blacklist);
	CHECK_STR(names(), " vfs_helper vfs_helper vfs_of_module");
	/* One of the two helpers is traceable, and nobody can say which. */
	CHECK(lkst_probe_functions_keep(&functions, traceable, false));
	CHECK_STR(names(), " vfs_helper vfs_helper vfs_of_module");
	rewind(traceable);
	CHECK(lkst_probe_functions_keep(&functions, traceable, true));
	CHECK_STR(names(), " vfs_of_module");
	CHECK_EQ(find("vfs_h*", NULL), 0);
	rewind(traceable);
	CHECK(!lkst_probe_functions_keep(&functions, traceable, true));
	CHECK_STR(names(), " vfs_helper vfs_helper");
}

TEST(functions_are_bounded)
{
	size_t room = 64 * (LKST_PROBE_PLACES_MAX + 1), used = 0;
	_cleanup_free_ char *text = malloc(room);
	_cleanup_fclose_ FILE *f = NULL;
	unsigned int i;

	for (i = 0; i <= LKST_PROBE_PLACES_MAX; i++)
		used += (size_t)snprintf(text + used, room - used, "%x t f%u\n", 4096 + i, i);
	f = fmemopen(text, used, "r");
	lkst_probe_functions_fini(&functions);
	CHECK_EQ(lkst_probe_functions_read(&error, f, &(struct lkst_probe_choice){ .globs = "f*" },
					   &functions),
		 -E2BIG);
	rewind(f);
	CHECK_EQ(lkst_probe_functions_read(&error, f,
					   &(struct lkst_probe_choice){ .globs = "f?*[0-8],f9" },
					   &functions),
		 0);
	lkst_probe_functions_fini(&functions);
	fclose(f);
	f = open_text("0000000000000000 T vfs_read\n");
	CHECK_EQ(lkst_probe_functions_read(
			 &error, f, &(struct lkst_probe_choice){ .globs = "vfs_read" }, &functions),
		 -EPERM);
}

static bool fits(struct lkst_fetch *f, bool is_return)
{
	const struct lkst_probe probe = { .place = { .is_many = true, .is_return = is_return },
					  .nr_args = 1,
					  .args = { { .fetch = f } } };

	return lkst_probe_functions_fit_multi(&probe);
}

/* Later kernels give a program only the registers that functions use to pass something. */
TEST(functions_by_one_link)
{
	struct lkst_fetch argument = { .op = LKST_FETCH_ARGUMENT, .number = 1 };
	struct lkst_fetch saved = { .op = LKST_FETCH_REGISTER,
				    .text = (char *)(lkst_machine_own() ? "x19" : "bx") };
	struct lkst_fetch first = { .op = LKST_FETCH_REGISTER,
				    .text = (char *)(lkst_machine_own() ? "x0" : "di") };
	struct lkst_fetch memory = { .op = LKST_FETCH_MEMORY, .base = &saved };
	struct lkst_fetch stack = { .op = LKST_FETCH_STACK_N };
	struct lkst_fetch result = { .op = LKST_FETCH_RETVAL };

	CHECK(fits(&argument, false));
	CHECK(fits(&first, false));
	CHECK(!fits(&saved, false));
	CHECK(!fits(&memory, false));
	CHECK(fits(&stack, false));
	CHECK(!fits(&stack, true));
	CHECK(fits(&result, true));
	CHECK(!fits(&saved, true));
	lkst_probe_functions_fini(&functions);
}

/* Which results a probe's functions are to have, by its group, its place and the type of `ret` (I33). */
static int kind_of(const char *text)
{
	struct lkst_definition d = {};
	int kind = lkst_definition_parse(&error, text, &d);

	if (!kind)
		kind = lkst_probe_functions_kind(&d.probe);
	lkst_probe_fini(&d.probe);
	return kind;
}

TEST(functions_that_can_return_errors)
{
	CHECK_EQ(kind_of("r:errors/a vfs_* ret=$retval:s32 if ret < 0"), LKST_RETURNS_INT);
	CHECK_EQ(kind_of("r:errors/a vfs_* more=$comm ret=$retval:s64"), LKST_RETURNS_LONG);
	CHECK_EQ(kind_of("p:errors/a vfs_* arg1=$arg1"), LKST_RETURNS_EITHER);
	CHECK_EQ(kind_of("r:errors/a vfs_* ret=$retval:u32"), LKST_RETURNS_UNKNOWN);
	CHECK_EQ(kind_of("r:errors/a vfs_* ret=$retval:s16"), LKST_RETURNS_UNKNOWN);
	CHECK_EQ(kind_of("r:errors/a vfs_* other=$retval:s32"), LKST_RETURNS_UNKNOWN);
	CHECK_EQ(kind_of("r:my/a vfs_* ret=$retval:s32"), LKST_RETURNS_UNKNOWN);
}

/* Of two modules the second has no types, and of one name there are functions that differ. */
static enum lkst_returns_kind say_returns(void *ctx, const char *name, const char *in)
{
	(*(unsigned int *)ctx)++;
	if (in[0])
		return strcmp(in, "[typed]") ? LKST_RETURNS_UNKNOWN : LKST_RETURNS_LONG;
	return !strcmp(name, "open_it")	     ? LKST_RETURNS_INT
	       : !strcmp(name, "open_size")  ? LKST_RETURNS_LONG
	       : !strcmp(name, "open_twins") ? LKST_RETURNS_UNKNOWN
					     : LKST_RETURNS_NO_ERROR;
}

static int find_returning(const char *globs, enum lkst_returns_kind kind, unsigned int *nr_asked)
{
	_cleanup_fclose_ FILE *f = open_text("ffffffff81000100 T open_it\n"
					     "ffffffff81000200 T open_size\n"
					     "ffffffff81000300 t open_twins\n"
					     "ffffffff81000400 T open_is_done\n"
					     "ffffffff81000500 T open_wake\n"
					     "ffffffff81000600 D open_data\n"
					     "ffffffffc0000100 t open_mine\t[typed]\n"
					     "ffffffffc0000200 t open_other\t[bare]\n"
					     "ffffffffc0000300 t open_third\t[bare]\n");
	const struct lkst_probe_choice choice = {
		.globs = globs, .kind = kind, .returns = say_returns, .ctx = nr_asked
	};

	*nr_asked = 0;
	lkst_probe_functions_fini(&functions);
	return lkst_probe_functions_read(&error, f, &choice, &functions);
}

/* Those that return no error are counted apart from those of which nobody knows: each of them may return one (I33). */
TEST(functions_left_out_by_what_they_return)
{
	unsigned int nr_asked;

	CHECK_EQ(find_returning("open_*", LKST_RETURNS_INT, &nr_asked), 0);
	CHECK_STR(names(), " open_it");
	CHECK_EQ(functions.nr_no_error, 2);
	CHECK_EQ(functions.nr_unknown, 3);
	CHECK_EQ(nr_asked, 8);
	/* It is not asked about those that do not match, and the kinds do not count each other's. */
	CHECK_EQ(find_returning("open_[isow]*", LKST_RETURNS_EITHER, &nr_asked), 0);
	CHECK_STR(names(), " open_it open_size");
	CHECK_EQ(functions.nr_no_error, 2);
	CHECK_EQ(functions.nr_unknown, 1);
	CHECK_EQ(nr_asked, 5);
	CHECK_EQ(find_returning("open_it,open_mine", LKST_RETURNS_LONG, &nr_asked), 0);
	CHECK_STR(names(), " open_mine");
	CHECK_EQ(functions.nr_no_error + functions.nr_unknown, 0);
	CHECK_EQ(find_returning("open_w*", LKST_RETURNS_INT, &nr_asked), -ENOENT);
	CHECK_STR(error.text, "no function that matches returns such errors, by its type");
	CHECK_EQ(find_returning("open_w*,open_t*", LKST_RETURNS_INT, &nr_asked), -ENOENT);
	CHECK_STR(error.text,
		  "no function that matches is known to return such errors; BTF does not tell "
		  "what 2 of the 3 return");
	CHECK_EQ(find_returning("close*", LKST_RETURNS_INT, &nr_asked), -ENOENT);
	CHECK_STR(error.text, "no function matches");
	lkst_probe_functions_fini(&functions);
}

static const char *text_of(struct lkst_error_probes p)
{
	static char text[LKST_ERROR_PROBES_TEXT];

	return lkst_error_probes_text(&p, text);
}

TEST(functions_in_a_sentence)
{
	const u32 most = UINT32_MAX;

	CHECK_STR(
		text_of((struct lkst_error_probes){
			.nr_functions = 102, .nr_no_error = 10, .nr_unknown = 4 }),
		"102 functions that can return an error; 10 that match return none, by their type; "
		"4 left out, BTF does not tell what they return");
	CHECK_STR(text_of((struct lkst_error_probes){ .nr_functions = 1, .nr_refused = 7 }),
		  "1 function that can return an error; the kernel refuses probes in 7");
	CHECK(strlen(text_of((struct lkst_error_probes){ "", false, most, most, most, most })) <
	      LKST_ERROR_PROBES_TEXT);
}

static const struct unit_test tests[] = {
	{ "functions_that_match", test_functions_that_match },
	{ "functions_that_can_be_probed", test_functions_that_can_be_probed },
	{ "functions_are_bounded", test_functions_are_bounded },
	{ "functions_by_one_link", test_functions_by_one_link },
	{ "functions_that_can_return_errors", test_functions_that_can_return_errors },
	{ "functions_left_out_by_what_they_return", test_functions_left_out_by_what_they_return },
	{ "functions_in_a_sentence", test_functions_in_a_sentence },
};
UNIT_MAIN(tests)
