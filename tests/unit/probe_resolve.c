/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * What a probe's definition becomes in a program, by its debug information, and in the kernel, by BTF.
 */
#include "probe/resolve/resolve.h"

#include <bpf/btf.h>
#include <errno.h>
#include <unistd.h>

#include "lib/probed.h"
#include "lib/unit.h"
#include "probe/text/perf.h"

/* The offset in bytes of member @name of struct @type, by libbpf alone; -1: none. */
static long offset_of(const struct btf *btf, const char *type, const char *name)
{
	const struct btf_type *t =
		btf__type_by_id(btf, btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT));
	int i;

	for (i = 0; t && i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), name))
			return btf_member_bit_offset(t, i) / 8;
	return -1;
}

/* L02, L12, L13, L14: parameters and members at a function's entry, without debug information. */
TEST(resolve_finds_parameters_by_btf)
{
	struct btf *btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	char want[256];

	if (!btf)
		SKIP("this kernel has no BTF");
	snprintf(want, sizeof(want),
		 "p:probe/wake_up_new_task wake_up_new_task p=%s:x64 comm=+%ld(%s):string",
		 PROBED_FIRST, offset_of(btf, "task_struct", "comm"), PROBED_FIRST);
	CHECK_STR(probed_kernel("wake_up_new_task p p->comm:string"), want);
	snprintf(want, sizeof(want),
		 "p:probe/wake_up_new_task wake_up_new_task pid=+%ld(+%ld(%s)):s32",
		 offset_of(btf, "task_struct", "pid"), offset_of(btf, "task_struct", "real_parent"),
		 PROBED_FIRST);
	CHECK_STR(probed_kernel("wake_up_new_task p->real_parent->pid"), want);
	btf__free(btf);
	CHECK_STR(probed_kernel("schedule_timeout%return $retval"),
		  "r:probe/schedule_timeout__return schedule_timeout arg1=$retval:s64");
	CHECK(strstr(probed_kernel("wake_up_new_task p->com"),
		     "has no member com; did you mean comm"));
	CHECK(strstr(probed_kernel("wake_up_new_task q"), "has no parameter q"));
	CHECK(strstr(probed_kernel("wake_up_new_tas"), "did you mean wake_up_new_task"));
}

/* What a function does not have, as its types tell: the kernel and perf refuse it, too. */
TEST(resolve_refuses_what_a_function_does_not_have)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		SKIP("this kernel has no BTF");
	CHECK(strstr(probed_kernel("kfree%return $retval"), "$retval: kfree returns 'void' type"));
	CHECK(strstr(probed_kernel("kfree%return x=+8($retval)"), "$retval: kfree returns 'void' type"));
	CHECK(strstr(probed_kernel("schedule_timeout%return $retval->x"), "has no member x: it is not a struct"));
	CHECK(strstr(probed_kernel("schedule_timeout%return $retval.x"), "has no member x: it is not a struct"));
	CHECK(strstr(probed_kernel("wake_up_new_task p.comm"), "p is a pointer: write p->comm"));
	CHECK(strstr(probed_kernel("wake_up_new_task p->se->on_rq"), "p->se is not a pointer: write p->se.on_rq"));
	CHECK(strstr(probed_kernel("wake_up_new_task $arg2"), "$arg2: wake_up_new_task has 1 argument"));
	CHECK(strstr(probed_kernel("wake_up_new_task $arg1"), "wake_up_new_task arg1=$arg1"));
	/* How many a function with variable arguments has is not known. */
	CHECK(strstr(probed_kernel("_printk $arg6"), "_printk arg1=$arg6"));
	CHECK(strstr(probed_kernel("wake_up_new_task p:string"),
		     "p is not a string: it is a pointer to what is no char"));
	CHECK(strstr(probed_kernel("wake_up_new_task p->comm:string"), ":string"));
	CHECK(strstr(probed(PROBED_GCC, "walk p:string"), "p is not a string: it is a pointer to what is no char"));
	CHECK(strstr(probed(PROBED_GCC, "walk p->row:string"), "is not a string: it is an array of what is no char"));
}

/* L03, K20: an offset that is not where an instruction begins; objdump's word is not needed to see that one is. */
TEST(resolve_refuses_the_middle_of_an_instruction)
{
	char text[64];
	int i, good = 0, within = 0;

	for (i = 1; i < 32; i++) {
		snprintf(text, sizeof(text), "many+%d", i);
		if (strstr(probed(PROBED_GCC, text),
			   "is within an instruction: the nearest begin at +"))
			within++;
		else if (!strncmp(probed(PROBED_GCC, text), "p:probe_program/many ", 21))
			good++;
	}
	CHECK(good >= 3 && within >= 3);
	CHECK_EQ(good + within, 31);
}

/* L04, L09: an inlined function is where it was inlined, and has no return. */
TEST(resolve_finds_every_inlined_instance)
{
	const char *text = probed(PROBED_GCC, "twice");

	CHECK(strstr(text, "p:probe_program/twice ") && strstr(text, "\np:probe_program/twice_1 "));
	CHECK(strstr(probed(PROBED_GCC, "square%return"), "is inlined wherever it is called"));
}

/* L05, L12: a variable that is left out is refused, and where it lives is said. */
TEST(resolve_says_where_a_variable_lives)
{
	CHECK(strstr(probed(PROBED_GCC, "walk nosuch"), "there is no variable nosuch at walk"));
	CHECK(strstr(probed(PROBED_GCC, "walk p.x"), "p is a pointer: write p->x"));
	CHECK(strstr(probed(PROBED_GCC, "many local"),
		     "is a struct or union: name a member of it"));
	CHECK(strstr(probed(PROBED_GCC, "walk:3"), "walk:3 has no instructions"));
	CHECK(strstr(probed(PROBED_GCC, "walk:1"),
		     "walk:1 begins with an instruction that belongs to"));
	CHECK(strstr(probed(PROBED_GCC, "nosuch"), "has no function nosuch"));
}

/* L13, L29: arrays, bit-fields, structs and unions without a name. The offsets are C's own, as the ABI has them. */
TEST(resolve_follows_members_and_elements)
{
	const char *text =
		probed(PROBED_GCC,
		       "walk p->low p->high p->name:string p->deep p->small p->text:string "
		       "p->next->next->x p->row[2] p->row[n] p->grid p->next->name[3]");

	CHECK_STR(
		probed_args(text),
		"low=+8(%di):b3@0/32 high=+8(%di):b7@3/32 name=+10(%di):string deep=+32(%di):s64 small=+40(%di):s32 "
		"text=+0(+40(%di)):string x=+0(+48(+48(%di))):s32 row=+64(%di):s32 row_1=+56(%di,%dx,4):s32 "
		"grid=+72(%di):s16[3] name_1=+13(+48(%di)):s8");
	CHECK_STR(
		probed_args(probed(PROBED_GCC,
				   "find list[nr]->x list[1]->name:string name:string nr:x")),
		"x=+0(+0(%di,%si,8)):s32 name=+10(+8(%di)):string name_1=+0(%dx):string nr=%si:x32");
	/* An element of an array of arrays, by a number and by a variable; a struct that another source defines. */
	CHECK_STR(probed_args(probed(PROBED_GCC,
				     "walk p->cube[1][2][3] p->cube[1][n][3] p->cube[1][2]")),
		  "cube=+172(%di):s32 cube_1=+140(%di,%dx,16):s32 cube_2=+160(%di):s32[4]");
	CHECK_STR(probed_args(probed(PROBED_GCC, "look o->value")), "value=+8(%di):s32");
	CHECK_STR(probed_args(probed(PROBED_CLANG, "look o->value")), "value=+8(%di):s32");
	CHECK_STR(probed_args(probed(PROBED_GCC, "many g h")), "g=+8(%sp):s64 h=+16(%sp):s8");
	CHECK_STR(probed_args(probed(PROBED_GCC, "small byte word c is")),
		  "byte=%di:u8 word=%si:s16 c=%dx:s32 is=%cx:u8");
}

/* USDT: arguments and the counter, in each compiler's notes. */
TEST(resolve_finds_marks)
{
	const char *text = probed(PROBED_GCC, "%program:step");
	char third[128], want[512];

	CHECK(!strncmp(text, "p:sdt_program/step ", 19));
	CHECK(strchr(text, '(') && strstr(text, ") arg1=%") && strstr(text, ":s32 arg2=%") &&
	      strstr(text, ":u64"));
	CHECK(!strncmp(probed(PROBED_CLANG, "%program:step $arg1"), "p:sdt_program/step ", 19));
	CHECK(strstr(probed(PROBED_GCC, "%program:step $arg4"), "program:step has 3 arguments"));
	/* The mark's arguments also within memory: not the function's. */
	text = probed_args(probed(PROBED_PLAIN, "%program:step $arg3"));
	snprintf(third, sizeof(third), "%s", strchr(text, '=') ? strchr(text, '=') + 1 : "?");
	third[strcspn(third, ":")] = 0;
	snprintf(want, sizeof(want), "name=+12(%s):string x=+0(%s):s32", third, third);
	CHECK_STR(probed_args(probed(PROBED_PLAIN,
				     "%program:step name=+12($arg3):string x=+0($arg3):s32")),
		  want);
	CHECK(strstr(probed(PROBED_GCC, "%program:step +0($arg4)"),
		     "program:step has 3 arguments"));
	CHECK(strstr(probed(PROBED_GCC, "%program:stop"), "has no mark program:stop"));
}

static const struct unit_test tests[] = {
	{ "resolve_finds_parameters_by_btf", test_resolve_finds_parameters_by_btf },
	{ "resolve_refuses_what_a_function_does_not_have", test_resolve_refuses_what_a_function_does_not_have },
	{ "resolve_refuses_the_middle_of_an_instruction",
	  test_resolve_refuses_the_middle_of_an_instruction },
	{ "resolve_finds_every_inlined_instance", test_resolve_finds_every_inlined_instance },
	{ "resolve_says_where_a_variable_lives", test_resolve_says_where_a_variable_lives },
	{ "resolve_follows_members_and_elements", test_resolve_follows_members_and_elements },
	{ "resolve_finds_marks", test_resolve_finds_marks },
};

UNIT_MAIN(tests)
