/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Where debug information is looked for: in the file, beside it, in a module, which is not linked, and where none is.
 */
#include "probe/debuginfo/image_open.h"

#include <stdarg.h>
#include <unistd.h>

#include "lib/probed.h"
#include "lib/unit.h"
#include "probe/resolve/resolve.h"
#include "probe/text/format.h"
#include "probe/text/perf.h"

static char dir[] = "/tmp/probe_debug_file.XXXXXX";

/* Runs a command of the shell in the directory. $P: the program. */
__attribute__((format(printf, 1, 2))) static bool run(const char *format, ...)
{
	char text[2048];
	size_t length;
	va_list args;

	length = snprintf(text, sizeof(text), "P='%s' D='%s'; exec 2>/dev/null; ",
			  probed_path(PROBED_GCC), dir);
	va_start(args, format);
	vsnprintf(text + length, sizeof(text) - length, format, args);
	va_end(args);
	return !system(text);
}

/* What @definition becomes in the image that @o opens: arguments, or the error. */
static const char *resolve(const struct lkst_image_options *o, const char *definition)
{
	static char text[LKST_PROBE_TEXT];
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	const struct lkst_perf_target target = { o->program, o->module ? "program" : NULL };
	struct lkst_resolved r = { 0 };
	struct lkst_probe p = { 0 };
	struct lkst_err e = { 0 };
	int code = lkst_image_open(&e, o, &image);

	if (!code)
		code = lkst_perf_parse(&e, definition, &target, &p);
	if (!code)
		code = lkst_probe_resolve(&e, image, &p, &r);
	if (!code)
		code = lkst_definition_format(&e, &r.probes[0], text);
	if (code)
		snprintf(text, sizeof(text), "%s", e.text);
	lkst_resolved_fini(&r);
	lkst_probe_fini(&p);
	return text;
}

static const char definition[] = "walk:5 i n sum p->name:string";

/* L26: debug information in a file of its own, by the name that the program has for it, and where a user says it is. */
TEST(debug_file_is_found_beside_the_program)
{
	char program[64], debug[64];
	struct lkst_image_options o = { .program = program };

	snprintf(program, sizeof(program), "%s/program", dir);
	snprintf(debug, sizeof(debug), "%s/other.debug", dir);
	if (!run("mkdir $D/.debug && objcopy --only-keep-debug $P $D/.debug/program.debug && "
		 "objcopy -S --add-gnu-debuglink=$D/.debug/program.debug $P $D/program"))
		SKIP("objcopy does not work here");
	CHECK_STR(probed_args(resolve(&o, definition)),
		  probed_args(probed(PROBED_GCC, definition)));
	CHECK(run("mv $D/.debug/program.debug $D/other.debug"));
	CHECK(strstr(resolve(&o, definition), "requires debug information, and"));
	o.debug_file = debug;
	CHECK_STR(probed_args(resolve(&o, definition)),
		  probed_args(probed(PROBED_GCC, definition)));
}

/* A file of that name with another build-id is not the program's. */
TEST(debug_file_of_another_build_is_not_taken)
{
	char program[64];
	struct lkst_image_options o = { .program = program };

	snprintf(program, sizeof(program), "%s/stripped", dir);
	if (!run("mkdir -p $D/.debug && objcopy --only-keep-debug ${P%%gcc-O2}gcc-O0 $D/.debug/stripped.debug && "
		 "objcopy -S --add-gnu-debuglink=$D/.debug/stripped.debug $P $D/stripped"))
		SKIP("objcopy does not work here");
	CHECK(strstr(resolve(&o, definition), "requires debug information, and"));
	CHECK(strstr(resolve(&o, "walk"), "has no function walk"));
}

/* L28: a module is not linked: its addresses and its DWARF have relocations. */
TEST(debug_file_may_be_a_module)
{
	char module[64];
	const struct lkst_image_options o = { .module = module };
	const char *text;

	snprintf(module, sizeof(module), "%s/program.ko", dir);
	if (!run("gcc -O2 -g -c -o $D/program.ko tests/unit/probed/program.c"))
		SKIP("gcc does not work here");
	text = resolve(&o, "walk p->x text n");
	CHECK(!strncmp(text, "p:probe/walk program:walk ", 26));
	CHECK_STR(probed_args(text), "x=+0(%di):s32 text=%si:x64 n=%dx:s32");
	text = resolve(&o, definition);
	CHECK(!strncmp(text, "p:probe/walk_L5 program:walk+", 29));
	CHECK_STR(probed_args(text), probed_args(probed(PROBED_GCC, definition)));
	CHECK(strstr(resolve(&o, "walk counter"), "counter=@counter:s32"));
}

/* Of two functions of one name in a module, only what is near one can be named: neither is taken for the other. */
TEST(debug_file_may_have_two_functions_of_a_name)
{
	char module[64], one[128], other[128];
	const struct lkst_image_options o = { .module = module };

	snprintf(module, sizeof(module), "%s/twins.ko", dir);
	if (!run("cd $D && echo 'int a(void){return 1;} "
		 "static __attribute__((noinline,used)) int twin(int x){return x*3;} "
		 "int b(int x){return twin(x);}' >a.c && "
		 "echo 'int c(void){return 1;} "
		 "static __attribute__((noinline,used)) int twin(int x){return x*5;} "
		 "int d(int x){return twin(x);}' >b.c && "
		 "gcc -O1 -g -fno-toplevel-reorder -c a.c b.c && ld -r -o twins.ko a.o b.o"))
		SKIP("gcc or ld does not work here");
	snprintf(one, sizeof(one), "%s", resolve(&o, "twin@a.c x"));
	snprintf(other, sizeof(other), "%s", resolve(&o, "twin@b.c x"));
	CHECK(!strncmp(one, "p:probe/twin twins:a+", 21));
	CHECK(!strncmp(other, "p:probe/twin twins:c+", 21));
}

/* DWARF 2 says by an expression where a member is. */
TEST(debug_file_may_be_of_dwarf_2)
{
	char program[64];
	const struct lkst_image_options o = { .program = program };

	snprintf(program, sizeof(program), "%s/old", dir);
	if (!run("gcc -O2 -gdwarf-2 -gstrict-dwarf -o $D/old tests/unit/probed/program.c tests/unit/probed/more/*.c"))
		SKIP("gcc does not work here");
	CHECK_STR(probed_args(resolve(&o, "walk p->y p->high p->small p->next->y p->row[2]")),
		  "y=+4(%di):s32 high=+8(%di):b7@3/32 small=+40(%di):s32 y_1=+4(+48(%di)):s32 "
		  "row=+64(%di):s32");
}

/* A debug file that is named must be the program's. */
TEST(debug_file_that_is_named_must_be_of_the_build)
{
	char program[128], debug[128];
	const struct lkst_image_options o = { .program = program, .debug_file = debug };

	snprintf(program, sizeof(program), "%s", probed_path(PROBED_GCC));
	snprintf(debug, sizeof(debug), "%s", probed_path(PROBED_PLAIN));
	CHECK(strstr(resolve(&o, definition), "is not of the build of"));
}

/* A kernel's file without a build-id is not taken for the one that runs. */
TEST(debug_file_without_a_build_id_is_not_of_the_kernel)
{
	_cleanup_(lkst_image_closep) struct lkst_image *running = NULL, *other = NULL;
	char file[64];
	const struct lkst_image_options none = { 0 }, o = { .debug_file = file };

	snprintf(file, sizeof(file), "%s/no_id", dir);
	if (lkst_image_open(NULL, &none, &running) || !lkst_image_build_id(running)[0])
		SKIP("this kernel has no build-id");
	if (!run("objcopy --remove-section=.note.gnu.build-id $P $D/no_id"))
		SKIP("objcopy does not work here");
	CHECK(!lkst_image_is_of_another_build(running));
	CHECK_EQ(lkst_image_open(NULL, &o, &other), 0);
	CHECK_STR(lkst_image_build_id(other), "");
	CHECK(lkst_image_is_of_another_build(other));
}

/* Where the instructions are not in the file, nobody knows which one is next. */
TEST(debug_file_without_instructions_has_no_next)
{
	char file[64];
	const struct lkst_image_options o = { .debug_file = file };

	snprintf(file, sizeof(file), "%s/only.debug", dir);
	if (!run("objcopy --only-keep-debug $P $D/only.debug"))
		SKIP("objcopy does not work here");
	CHECK(strstr(resolve(&o, "walk%next %ax"), "requires the function's instructions"));
}

/* L10: sources are looked for as perf probe does, in a tree that is not where the program was compiled. */
TEST(debug_file_has_sources_in_another_tree)
{
	char tree[64], text[LKST_PROBE_TEXT];
	struct lkst_image_options o = { .program = probed_path(PROBED_GCC), .source_dir = tree };

	snprintf(tree, sizeof(tree), "%s/tree", dir);
	if (!run("mkdir -p $D/tree/probed && sed 's/sum ^= i;/changed();/' tests/unit/probed/program.c "
		 ">$D/tree/probed/program.c"))
		SKIP("sed does not work here");
	snprintf(text, sizeof(text), "%s", resolve(&o, "walk;changed();"));
	CHECK(!strncmp(text, "p:probe_program/walk ", 21));
	CHECK(strstr(resolve(&o, "walk;*^=*"), "matches"));
	snprintf(tree, sizeof(tree), "%s/nosuch", dir);
	CHECK(strstr(resolve(&o, "walk;changed();"), "cannot be read below"));
}

TEST(debug_file_may_be_no_such_file)
{
	const struct lkst_image_options none = { .program = "/nonexistent" },
					text = { .program = "/etc/passwd" },
					directory = { .program = "/tmp" };

	CHECK_STR(resolve(&none, definition),
		  "/nonexistent cannot be opened: No such file or directory");
	CHECK_STR(resolve(&text, definition), "/etc/passwd is not an ELF file");
	CHECK_STR(resolve(&directory, definition), "/tmp is not a file");
}

static const struct unit_test tests[] = {
	{ "debug_file_is_found_beside_the_program", test_debug_file_is_found_beside_the_program },
	{ "debug_file_of_another_build_is_not_taken",
	  test_debug_file_of_another_build_is_not_taken },
	{ "debug_file_may_be_a_module", test_debug_file_may_be_a_module },
	{ "debug_file_may_have_two_functions_of_a_name",
	  test_debug_file_may_have_two_functions_of_a_name },
	{ "debug_file_may_be_of_dwarf_2", test_debug_file_may_be_of_dwarf_2 },
	{ "debug_file_that_is_named_must_be_of_the_build",
	  test_debug_file_that_is_named_must_be_of_the_build },
	{ "debug_file_without_a_build_id_is_not_of_the_kernel",
	  test_debug_file_without_a_build_id_is_not_of_the_kernel },
	{ "debug_file_without_instructions_has_no_next",
	  test_debug_file_without_instructions_has_no_next },
	{ "debug_file_has_sources_in_another_tree", test_debug_file_has_sources_in_another_tree },
	{ "debug_file_may_be_no_such_file", test_debug_file_may_be_no_such_file },
};

static void remove_dir(void)
{
	run("rm -r $D");
}

__attribute__((constructor)) static void make_dir(void)
{
	if (!mkdtemp(dir))
		exit(1);
	atexit(remove_dir);
}

UNIT_MAIN(tests)
