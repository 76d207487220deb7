/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Definitions in the language of kprobe_events: what they become (K01 to K12, K22), which are refused and where. The
 * errors and their places are those of the kernel's own test, tools/testing/selftests/ftrace/test.d/kprobe/
 * kprobe_syntax_errors.tc and uprobe_syntax_errors.tc.
 */
#include "probe/text/definition.h"

#include <errno.h>

#include "lib/unit.h"
#include "lib/wrong.h"
#include "probe/text/format.h"

static struct lkst_definition d;
static struct lkst_err error;

#define P (&d.probe)
#define PLACE (&d.probe.place)
#define ARG(i) (&d.probe.args[i])
#define FETCH(i) (d.probe.args[i].fetch)

static int parse(const char *text)
{
	lkst_probe_fini(&d.probe);
	error = (struct lkst_err){};
	return lkst_definition_parse(&error, text, &d);
}

/* What `text` is when it is written again; "" if it is refused. */
static const char *again(const char *text)
{
	static char line[LKST_PROBE_TEXT];

	line[0] = 0;
	if (parse(text) || lkst_definition_format(&error, P, line))
		printf("  %s: %s\n", text, error.text);
	return line;
}

/* ---- places ----------------------------------------------------------------------------------- */

/* K01, K19 */
TEST(kprobe_places)
{
	CHECK_EQ(parse("p:mine/open mod:vfs_read+0x10 %di"), 0);
	CHECK(!d.is_removal);
	CHECK_STR(P->group, "mine");
	CHECK_STR(P->event, "open");
	CHECK_EQ(PLACE->kind, LKST_PLACE_SYMBOL);
	CHECK_STR(PLACE->module, "mod");
	CHECK_STR(PLACE->symbol, "vfs_read");
	CHECK_EQ(PLACE->offset, 16);
	CHECK_EQ(P->nr_args, 1);
	CHECK_EQ(parse("p:open vfs_read"), 0);
	CHECK_STR(P->group, "kprobes");
	CHECK(!PLACE->module);
	CHECK(!PLACE->is_many);
	CHECK_EQ(parse("r:my/all mod:vfs_*,ext4_[a-f]* $retval"), 0);
	CHECK(PLACE->is_many && PLACE->is_return);
	CHECK_STR(PLACE->module, "mod");
	CHECK_STR(PLACE->symbol, "vfs_*,ext4_[a-f]*");
	CHECK_STR(again("p:my/all vfs_read,vfs_?? n=$arg1"), "p:my/all vfs_read,vfs_?? n=$arg1");
	CHECK_EQ(parse("p 0xffffffff81000000"), 0);
	CHECK_EQ(PLACE->kind, LKST_PLACE_ADDRESS);
	CHECK_EQ(PLACE->address, 0xffffffff81000000);
	CHECK_EQ(parse("p:mine.open tcp_v4_rcv.constprop.0"), 0);
	CHECK_STR(P->group, "mine");
	CHECK_STR(PLACE->symbol, "tcp_v4_rcv.constprop.0");
	CHECK_EQ(parse("p:my-group/ vfs_read"), 0);
	CHECK_STR(P->group, "my-group");
	CHECK_STR(P->event, "p_vfs_read_0");
}

/* K02, K19 */
TEST(kprobe_returns)
{
	CHECK_EQ(parse("r:myretprobe do_sys_open $retval"), 0);
	CHECK(PLACE->is_return);
	CHECK_EQ(PLACE->max_active, 0);
	CHECK_EQ(FETCH(0)->op, LKST_FETCH_RETVAL);
	CHECK_EQ(parse("r16 vfs_read"), 0);
	CHECK_EQ(PLACE->max_active, 16);
	CHECK_EQ(parse("r16:x vfs_read+0"), 0);
	CHECK_STR(P->event, "x");
	CHECK_EQ(parse("p vfs_read%return $retval:s32"), 0);
	CHECK(PLACE->is_return);
	CHECK_STR(P->event, "r_vfs_read_0");
}

/* K03 */
TEST(kprobe_removals)
{
	CHECK_EQ(parse("-:mine/open"), 0);
	CHECK(d.is_removal);
	CHECK_STR(P->group, "mine");
	CHECK_STR(P->event, "open");
	CHECK_EQ(parse("-:open"), 0);
	CHECK_STR(P->group, "");
	CHECK_STR(P->event, "open");
}

/* Documentation/trace/uprobetracer.rst; L32 */
TEST(kprobe_places_in_programs)
{
	CHECK_EQ(parse("p:zfree_entry /bin/zsh:0x46420 %ip %ax"), 0);
	CHECK_EQ(PLACE->kind, LKST_PLACE_FILE);
	CHECK_STR(PLACE->path, "/bin/zsh");
	CHECK_EQ(PLACE->offset, 0x46420);
	CHECK_STR(P->group, "uprobes");
	CHECK_STR(ARG(0)->name, "arg1");
	CHECK_STR(ARG(1)->name, "arg2");
	CHECK_EQ(parse("r /bin/bash:0x4245c0"), 0);
	CHECK(PLACE->is_return);
	CHECK_STR(P->event, "p_bash_0x4245c0");
	CHECK_EQ(parse("p /lib/a:b/libc-2.31.so:10%return(0x20) @+0x10"), 0);
	CHECK_STR(PLACE->path, "/lib/a:b/libc-2.31.so");
	CHECK_EQ(PLACE->offset, 10);
	CHECK_EQ(PLACE->semaphore, 0x20);
	CHECK(PLACE->is_return);
	CHECK_STR(P->event, "p_libc_0xa");
	CHECK_EQ(FETCH(0)->op, LKST_FETCH_AT_FILE);
	CHECK_EQ(FETCH(0)->number, 16);
	CHECK_EQ(parse("p /my\\040dir/a\\134b:1"), 0);
	CHECK_STR(PLACE->path, "/my dir/a\\b");
}

/* K22: snprintf("%c_%s_%ld"), ":" and "." made "_", cut to 63. */
TEST(kprobe_names_are_made)
{
	CHECK_EQ(parse("p vfs_read"), 0);
	CHECK_STR(P->event, "p_vfs_read_0");
	CHECK_EQ(parse("p vfs_read+8"), 0);
	CHECK_STR(P->event, "p_vfs_read_8");
	CHECK_EQ(parse("r ext4:foo.isra.0"), 0);
	CHECK_STR(P->event, "r_ext4_foo_isra_0_0");
	CHECK_EQ(parse("p 0x1000"), 0);
	CHECK_STR(P->event, "p_0x1000");
	CHECK_EQ(parse("p aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
		 0);
	CHECK_EQ(strlen(P->event), 63);
	CHECK_EQ(parse("p vfs_read %di x=%si %dx"), 0);
	CHECK_STR(ARG(0)->name, "arg1");
	CHECK_STR(ARG(1)->name, "x");
	CHECK_STR(ARG(2)->name, "arg3");
	/* A parameter by name, as of Linux 6.6. */
	CHECK_EQ(parse("p vfs_read count file->f_mode"), 0);
	CHECK_STR(ARG(0)->name, "count");
	CHECK_STR(ARG(1)->name, "arg2");
}

/* ---- what is fetched -------------------------------------------------------------------------- */

/* K04 to K10 */
TEST(kprobe_fetches)
{
	CHECK_EQ(
		parse("p f %di @0x10 @jiffies_64 @a.b-8 @c+8 $stack3 $stack $comm $arg2 \\-5 \\0x10 "
		      "\\\"hello\" $caller $backtrace:symbol[8]"),
		0);
	CHECK_EQ(P->nr_args, 14);
	CHECK_EQ(FETCH(0)->op, LKST_FETCH_REGISTER);
	CHECK_STR(FETCH(0)->text, "di");
	CHECK_EQ(FETCH(1)->op, LKST_FETCH_AT);
	CHECK_EQ(FETCH(1)->number, 16);
	CHECK_EQ(FETCH(2)->op, LKST_FETCH_AT_SYMBOL);
	CHECK_STR(FETCH(2)->text, "jiffies_64");
	CHECK_STR(FETCH(3)->text, "a.b");
	CHECK_EQ(FETCH(3)->number, -8);
	CHECK_EQ(FETCH(4)->number, 8);
	CHECK_EQ(FETCH(5)->op, LKST_FETCH_STACK_N);
	CHECK_EQ(FETCH(5)->number, 3);
	CHECK_EQ(FETCH(6)->op, LKST_FETCH_STACK);
	CHECK_EQ(FETCH(7)->op, LKST_FETCH_COMM);
	CHECK_EQ(FETCH(8)->op, LKST_FETCH_ARGUMENT);
	CHECK_EQ(FETCH(8)->number, 2);
	CHECK_EQ(FETCH(9)->op, LKST_FETCH_NUMBER);
	CHECK_EQ(FETCH(9)->number, -5);
	CHECK_EQ(FETCH(10)->number, 16);
	CHECK_EQ(FETCH(11)->op, LKST_FETCH_TEXT);
	CHECK_STR(FETCH(11)->text, "hello");
	CHECK_EQ(FETCH(12)->op, LKST_FETCH_CALLER);
	CHECK_EQ(FETCH(13)->op, LKST_FETCH_BACKTRACE);
	CHECK_EQ(ARG(13)->type.count, 8);
	CHECK_EQ(ARG(13)->type.form, LKST_FORM_SYMBOL);
}

/* K10 */
TEST(kprobe_dereferences)
{
	const struct lkst_fetch *f;

	CHECK_EQ(parse("p f -16(+8(%bp)) x=+u4(%si):ustring"), 0);
	f = FETCH(0);
	CHECK_EQ(f->op, LKST_FETCH_MEMORY);
	CHECK_EQ(f->number, -16);
	CHECK(!f->is_user);
	CHECK_EQ(f->base->op, LKST_FETCH_MEMORY);
	CHECK_EQ(f->base->number, 8);
	CHECK_STR(f->base->base->text, "bp");
	CHECK(FETCH(1)->is_user);
	CHECK_EQ(FETCH(1)->number, 4);
	CHECK_EQ(ARG(1)->type.form, LKST_FORM_USTRING);
	/* Our own: an element whose index is another value. L29 */
	CHECK_EQ(parse("p f +8(%di,+0(%si),24):u32"), 0);
	f = FETCH(0);
	CHECK_EQ(f->op, LKST_FETCH_ELEMENT);
	CHECK_EQ(f->number, 8);
	CHECK_EQ(f->size, 24);
	CHECK_STR(f->base->text, "di");
	CHECK_EQ(f->index->op, LKST_FETCH_MEMORY);
	CHECK_EQ(f->index_size, 0);
	CHECK_EQ(parse("p f +8(%di,%si:s16,24):u32"), 0);
	CHECK_EQ(FETCH(0)->index_size, 2);
	CHECK(FETCH(0)->is_index_signed);
	CHECK_STR(again("p:a/b f x=+8(%di,+0(%si):u8,24):u32"),
		  "p:a/b f x=+8(%di,+0(%si):u8,24):u32");
	CHECK_EQ(parse("p f +8(%di,%si:u32,24):u32"), -EINVAL);
	CHECK_EQ(parse("p f +8(%di,%si:u8)"), -EINVAL);
}

/* K12, L14 */
TEST(kprobe_types)
{
	static const struct {
		const char *name;
		u8 form, size;
	} all[] = {
		{ "u8", LKST_FORM_UNSIGNED, 1 },   { "u16", LKST_FORM_UNSIGNED, 2 },
		{ "u32", LKST_FORM_UNSIGNED, 4 },  { "u64", LKST_FORM_UNSIGNED, 8 },
		{ "s8", LKST_FORM_SIGNED, 1 },	   { "s16", LKST_FORM_SIGNED, 2 },
		{ "s32", LKST_FORM_SIGNED, 4 },	   { "s64", LKST_FORM_SIGNED, 8 },
		{ "x8", LKST_FORM_HEX, 1 },	   { "x64", LKST_FORM_HEX, 8 },
		{ "char", LKST_FORM_CHAR, 1 },	   { "symbol", LKST_FORM_SYMBOL, 8 },
		{ "string", LKST_FORM_STRING, 0 }, { "ustring", LKST_FORM_USTRING, 0 },
		{ "symstr", LKST_FORM_SYMSTR, 0 }, { "%pd", LKST_FORM_DENTRY, 0 },
		{ "%pD", LKST_FORM_FILE, 0 },
	};
	char text[64];
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(text, sizeof(text), "p f +0(%%di):%s", all[i].name);
		CHECK_EQ(parse(text), 0);
		CHECK_EQ(ARG(0)->type.form, all[i].form);
		CHECK_EQ(ARG(0)->type.size, all[i].size);
	}
	CHECK_EQ(parse("p f %di:b4@2/32 +0(%di):x16[4] +0(%di):string[2] +8($stack):x8[8] %di"), 0);
	CHECK_EQ(ARG(0)->type.form, LKST_FORM_BITS);
	CHECK_EQ(ARG(0)->type.bits, 4);
	CHECK_EQ(ARG(0)->type.bit_at, 2);
	CHECK_EQ(ARG(0)->type.size, 4);
	CHECK_EQ(ARG(1)->type.count, 4);
	CHECK_EQ(ARG(2)->type.count, 2);
	CHECK_STR(again("p:a/b f x=%di:%pD"), "p:a/b f x=%di:%pD");
	CHECK_EQ(parse("p f %di:%pd[2]"), -EINVAL);
	CHECK_EQ(parse("p f $backtrace:%pd"), -EINVAL);
	CHECK_EQ(parse("p /bin/x:0x10 %di:%pd"), -EINVAL);
	CHECK_EQ(parse("p f %di:b4@2/32 +0(%di):x16[4] +0(%di):string[2] +8($stack):x8[8] %di"), 0);
	CHECK_EQ(ARG(4)->type.form, LKST_FORM_NONE);
}

TEST(kprobe_conditions)
{
	CHECK_EQ(parse("p f mode=%si if mode == 3  and x > 1 "), 0);
	CHECK_EQ(P->nr_args, 1);
	CHECK_STR(P->condition, "mode == 3  and x > 1");
	CHECK_EQ(P->condition_at, 16);
	CHECK_EQ(parse("p f iffy=%si"), 0);
	CHECK(!P->condition);
}

/* The examples of the seed's slides, and of the kernel's documentation. */
TEST(kprobe_examples)
{
	/* K10, K11, K12 */
	CHECK_STR(again("p vfs_read foo=+10(%bp):u32"),
		  "p:kprobes/p_vfs_read_0 vfs_read foo=+10(%bp):u32");
	/* K06 */
	CHECK_STR(again("p vfs_read bar=@tick_usec"),
		  "p:kprobes/p_vfs_read_0 vfs_read bar=@tick_usec");
	CHECK_STR(again("p vfs_read %di +0x3c(%di):u32"),
		  "p:kprobes/p_vfs_read_0 vfs_read arg1=%di arg2=+60(%di):u32");
	CHECK_STR(again("p:myprobe do_sys_open dfd=%ax filename=%dx flags=%cx mode=+4($stack)"),
		  "p:kprobes/myprobe do_sys_open dfd=%ax filename=%dx flags=%cx mode=+4($stack)");
	CHECK_STR(again("r:myretprobe do_sys_open $retval"),
		  "r:kprobes/myretprobe do_sys_open arg1=$retval");
	CHECK_STR(again("p:zfree_entry /bin/zsh:0x46420 %ip %ax"),
		  "p:uprobes/zfree_entry /bin/zsh:0x46420 arg1=%ip arg2=%ax");
	CHECK_STR(again("p /bin/bash:0x4245c0"), "p:uprobes/p_bash_0x4245c0 /bin/bash:0x4245c0");
	CHECK_STR(again("p f +8(%di,%si,16):s64[2] if a == 1"),
		  "p:kprobes/p_f_0 f arg1=+8(%di,%si,16):s64[2] if a == 1");
	CHECK_STR(again("p f $vars x=a.b->c[3]:x32@user $arg*"),
		  "p:kprobes/p_f_0 f $vars x=a.b->c[3]:x32@user $params");
	CHECK_STR(again("p f @-8"), "");
	CHECK_STR(again("p f $arg* x=%di $arg*"), "");
}

/* Memory that is watched, in the form that was proposed for the kernel. */
TEST(kprobe_watches)
{
	CHECK_EQ(parse("w:my/time w@jiffies_64-8:4 now=+0($addr):u32 $comm"), 0);
	CHECK_EQ(PLACE->kind, LKST_PLACE_SYMBOL);
	CHECK_EQ(PLACE->watch, LKST_WATCH_WRITES);
	CHECK_EQ(PLACE->watch_bytes, 4);
	CHECK_EQ((s64)PLACE->offset, -8);
	CHECK_STR(PLACE->symbol, "jiffies_64");
	CHECK_EQ(FETCH(0)->base->op, LKST_FETCH_WATCHED);
	CHECK_EQ(parse("w rw@0x7f0010"), 0);
	CHECK_EQ(PLACE->kind, LKST_PLACE_ADDRESS);
	CHECK_EQ(PLACE->watch, LKST_WATCH_READS | LKST_WATCH_WRITES);
	CHECK_EQ(PLACE->watch_bytes, 8);
	CHECK_STR(P->group, "wprobes");
	CHECK_STR(P->event, "w_0x7f0010");
	CHECK_STR(again("w:my/time w@jiffies_64-8:4 now=+0($addr):u32 if now > 5"),
		  "w:my/time w@jiffies_64-8:4 now=+0($addr):u32 if now > 5");
	CHECK_STR(again("w r@0x10:1 %di $backtrace"),
		  "w:wprobes/w_0x10 r@0x10:1 arg1=%di arg2=$backtrace");
	CHECK_STR(again("w w@list+0x10"), "w:wprobes/w_list_16 w@list+16:8");
	CHECK_STR(again("w w@list-1:1"), "w:wprobes/w_list__1 w@list-1:1");
	CHECK_EQ(parse("p vfs_read"), 0);
	CHECK_EQ(PLACE->watch, 0);
}

/* ---- errors ----------------------------------------------------------------------------------- */

#define CHECK_ALL_REFUSED(list)                                                                    \
	do {                                                                                       \
		for (size_t i = 0; i < sizeof(list) / sizeof((list)[0]); i++)                      \
			CHECK(wrong_is_refused(&(list)[i], parse, &error) && !P->text);            \
	} while (0)

/* What the kernel does not accept: the list of its own test. */
TEST(kprobe_errors_as_the_kernel_has_them)
{
	static const struct wrong all[] = {
		{ "p^100 vfs_read", "maxactive is only for function exit" },
		{ "r^1a111 vfs_read", "invalid maxactive number" },
		{ "r^100000 vfs_read", "maxactive is too big" },
		{ "p ^hoge-fuga", "invalid probed address or symbol" },
		{ "p ^hoge+1000-1000", "invalid probed address or symbol" },
		{ "r ^vfs_read+10", "retprobe address must be an function entry" },
		{ "p:^/bar vfs_read", "group name is not specified" },
		{ "p:^12345678901234567890123456789012345678901234567890123456789012345/bar f",
		  "group name is too long" },
		{ "p:^foo.1/bar vfs_read", "group name must follow" },
		{ "p:^ vfs_read", "event name is not specified" },
		{ "p:foo/^12345678901234567890123456789012345678901234567890123456789012345 f",
		  "event name is too long" },
		{ "p:foo/^bar.1 vfs_read", "event name must follow" },
		{ "p vfs_read ^$retval", "$retval is not available on probe" },
		{ "p vfs_read ^$stack10000", "invalid stack number" },
		{ "p vfs_read ^$arg10000", "invalid argument number" },
		{ "p vfs_read+20 ^$arg1", "$argN can be used only on function entry or exit" },
		{ "p vfs_read ^$none_var", "invalid $-variable" },
		{ "p vfs_read ^@12345678abcde", "invalid memory address" },
		{ "p vfs_read ^@+10", "file offset is not available with kprobe" },
		{ "p vfs_read ^+0@0)", "dereference needs a brace" },
		{ "p vfs_read ^+0ab1(@0)", "invalid dereference offset" },
		/* The kernel marks the brace that it has taken for the outer one. */
		{ "p vfs_read +0(+0(@0)^", "dereference brace is not closed" },
		{ "p vfs_read +0(^$comm)", "$comm can not be dereferenced" },
		{ "p vfs_read ^&1", "invalid fetch argument" },
		{ "p vfs_read +0(@11):u8[10^", "array is not closed" },
		{ "p vfs_read +0(@11):u8[10]^a", "array has wrong suffix" },
		{ "p vfs_read +0(@11):u8[^10a]", "invalid array size" },
		{ "p vfs_read +0(@11):u8[^256]", "array number is too big" },
		{ "p vfs_read @11:^unknown_type", "unknown type is specified" },
		{ "p vfs_read $stack0:^string", "string accepts only memory argument" },
		{ "p vfs_read @11:^b10@a/16", "invalid bitfield" },
		{ "p vfs_read ^=@11", "argument name is not specified" },
		{ "p vfs_read ^var.1=@11", "argument name must follow" },
		{ "p vfs_read var1=@11 ^var1=@12", "this argument name is already used" },
		{ "p vfs_read arg1=^", "no argument expression" },
		{ "p /bin/sh:^10a", "invalid uprobe offset" },
		{ "p /bin/sh:10(^1a)", "invalid reference counter offset" },
		{ "p /bin/sh:10(10^", "reference counter brace is not closed" },
		{ "p /bin/sh:10(10)^a", "reference counter has wrong suffix" },
		{ "p /bin/sh:10 ^@+ab", "invalid file offset value" },
		{ "p /bin/sh:10 ^@symbol", "symbol is not available with uprobe" },
	};

	CHECK_ALL_REFUSED(all);
}

/* What its test has no line for. */
TEST(kprobe_errors_of_our_own)
{
	static const struct wrong all[] = {
		{ "^", "a definition begins with" },
		{ "^x vfs_read", "a definition begins with" },
		{ "p^foo vfs_read", "the first word is p, r or w" },
		{ "p^", "there is none" },
		{ "p ^vfs_read+0x100000000", "invalid probed address or symbol" },
		{ "p ^vfs_read+", "invalid probed address or symbol" },
		{ "p ^:vfs_read", "invalid probed address or symbol" },
		{ "p ^18446744073709551616", "invalid probed address or symbol" },
		{ "p vfs_read^%retur", "invalid probed address suffix" },
		{ "p ^vfs_read;", "invalid probed address or symbol" },
		{ "p ^vfs_read*+8", "invalid probed address or symbol" },
		{ "p vfs_*,^,ext4_*", "there is no function between two commas" },
		{ "p /bin/sh^", "invalid uprobe offset" },
		{ "p /bin^\\01x/sh:1", "three octal digits" },
		{ "p /bin^\\000/sh:1", "three octal digits" },
		{ "-^", "event name is not specified" },
		{ "-:^", "event name is not specified" },
		{ "-:a/^", "event name is not specified" },
		{ "-:a/b ^c", "nothing may follow" },
		{ "p f +0(^)", "invalid fetch argument" },
		{ "p f +0(%di^]x)", "invalid fetch argument" },
		{ "p f +0(%di,%si^)", "size of an element" },
		{ "p f +0(%di,%si,^0)", "invalid size of an element" },
		{ "p f +0(%di,^$backtrace,8)", "$backtrace can not be dereferenced" },
		{ "p f \\^abc", "invalid immediate value" },
		{ "p f \\^18446744073709551616", "invalid immediate value" },
		{ "p f \\\"abc^", "string is not closed" },
		{ "p f \\\"a\":^u8", "only accepts string type" },
		{ "p f $comm:^string[2]", "only accepts string type" },
		{ "p f $stack1:^x8[8]", "array accepts only memory argument" },
		{ "p f +0(%di):^b9@0/8", "wider than its container" },
		{ "p f +0(%di):^b8@0/9", "unknown type" },
		{ "p f $stack:^symstr", "symbol string doesn't accept" },
		{ "p f %di:^x", "only a variable has a width of its own" },
		{ "p f %di:^u32x", "unknown type" },
		{ "p f %di:u32^@user", "@user is only for variables" },
		{ "p f %di^@x", "invalid fetch argument" },
		{ "p f $backtrace:^u8[4]", "$backtrace is of addresses" },
		{ "p /a/b:1 %di:^symbol", "only addresses of the kernel have symbols" },
		{ "p f x=%di ^common_pid=%si", "already used" },
		{ "p f arg2=%di ^%si", "already used" },
		{ "p f x=^$vars", "independent parameter" },
		{ "p f+8 ^$arg*", "$argN can be used only on function entry" },
		{ "^f:x vfs_read", "for f write p" },
		{ "^!p:x vfs_read", "a definition begins with" },
		{ "p f +0(^$params)", "independent parameter" },
		{ "p f a^-b", "single hyphen" },
		{ "p f a->^", "the name of a member is missing" },
		{ "p f a[^]", "array index must be a number or a variable" },
		{ "p f a[1^", "array index is not closed" },
		{ "r f ^x", "gone when the function returns" },
		{ "p f %di if ^", "no filter rule after 'if'" },
		{ "p f ^%", "invalid register name" },
		{ "p f ^aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=%di",
		  "argument name is too long" },
	};

	CHECK_ALL_REFUSED(all);
}

TEST(kprobe_errors_of_watches)
{
	static const struct wrong all[] = {
		{ "w^", "there is none" },
		{ "w ^0x1000", "what is watched is" },
		{ "w ^x@0x1000", "what is watched is" },
		{ "w ^wr@0x1000", "what is watched is" },
		{ "w w@^", "invalid watched address or symbol" },
		{ "w w@^0x1000x", "invalid watched address or symbol" },
		{ "w w@^+8", "invalid watched address or symbol" },
		{ "w w@f^+", "the offset is wrong" },
		{ "w w@f^+8-8", "the offset is wrong" },
		{ "w w@f:^3", "1, 2, 4 or 8 bytes" },
		{ "w w@f:^16", "1, 2, 4 or 8 bytes" },
		{ "w w@f:^", "1, 2, 4 or 8 bytes" },
		{ "w w@f ^$arg1", "memory is accessed anywhere" },
		{ "w w@f ^$caller", "memory is accessed anywhere" },
		{ "w w@f ^$params", "memory is accessed anywhere" },
		{ "w w@f ^$retval", "$retval is not available" },
		{ "p f ^$addr", "$addr is the address of memory that is watched" },
	};

	CHECK_ALL_REFUSED(all);
}

TEST(kprobe_limits)
{
	char text[LKST_PROBE_TEXT + 8], *at;
	unsigned int i;

	/* Arguments. */
	strcpy(text, "p f");
	for (i = 0; i < LKST_PROBE_ARGS_MAX; i++)
		strcat(text, " %di");
	CHECK_EQ(parse(text), 0);
	CHECK_EQ(P->nr_args, LKST_PROBE_ARGS_MAX);
	strcat(text, " %di");
	CHECK_EQ(parse(text), -EINVAL);
	CHECK(strstr(error.text, "too many arguments"));
	/* Depth: 16 nodes at most. */
	for (i = LKST_FETCH_DEPTH - 1; i <= LKST_FETCH_DEPTH; i++) {
		unsigned int j;

		at = text + sprintf(text, "p f ");
		for (j = 0; j < i; j++)
			at += sprintf(at, "+0(");
		at += sprintf(at, "%%di");
		for (j = 0; j < i; j++)
			*at++ = ')';
		*at = 0;
		CHECK_EQ(parse(text), i < LKST_FETCH_DEPTH ? 0 : -EINVAL);
	}
	CHECK(strstr(error.text, "too much nested"));
	/* The same through members. */
	strcpy(text, "p f x=a");
	for (i = 1; i < LKST_FETCH_DEPTH; i++)
		strcat(text, "->b");
	CHECK_EQ(parse(text), 0);
	strcat(text, "->b");
	CHECK_EQ(parse(text), -EINVAL);
	/* Length. */
	memset(text, ' ', sizeof(text));
	memcpy(text, "p f", 3);
	text[LKST_PROBE_TEXT - 1] = 0;
	CHECK_EQ(parse(text), 0);
	text[LKST_PROBE_TEXT - 1] = ' ';
	text[LKST_PROBE_TEXT] = 0;
	CHECK_EQ(parse(text), -EINVAL);
	CHECK_EQ(parse("p f if a == 1\nb"), -EINVAL);
	CHECK(strstr(error.text, "one line"));
}

TEST(kprobe_form_is_recognised)
{
	CHECK(lkst_definition_is_one("p vfs_read"));
	CHECK(lkst_definition_is_one("p:x vfs_read"));
	CHECK(lkst_definition_is_one("r vfs_read"));
	CHECK(lkst_definition_is_one("r16:x vfs_read"));
	CHECK(lkst_definition_is_one("-:x"));
	CHECK(lkst_definition_is_one("w:x rw@0x1000"));
	CHECK(lkst_definition_is_one("w w@jiffies"));
	CHECK(!lkst_definition_is_one("write"));
	CHECK(!lkst_definition_is_one("vfs_read"));
	CHECK(!lkst_definition_is_one("read_pages"));
	CHECK(!lkst_definition_is_one("p"));
	CHECK(!lkst_definition_is_one("p=vfs_read"));
	CHECK(!lkst_definition_is_one(""));
	CHECK(lkst_definition_is_meant("r10fuzz:x vfs_read"));
	CHECK(lkst_definition_is_meant("f:x vfs_read"));
	CHECK(lkst_definition_is_meant("f:/x vfs_read"));
	CHECK(lkst_definition_is_meant("!p:x vfs_read"));
	CHECK(!lkst_definition_is_meant("f:10"));
	CHECK(!lkst_definition_is_meant("f:x=vfs_read %"));
	CHECK(!lkst_definition_is_meant("f::x"));
	CHECK(!lkst_definition_is_meant("f:"));
	CHECK(!lkst_definition_is_meant("vfs_read:x"));
	CHECK(!lkst_definition_is_meant(""));
}

/* ---- files ------------------------------------------------------------------------------------ */

TEST(kprobe_files)
{
	static const char good[] = "# probes\n\n p:a vfs_read  # of a file\n\t-:b\r\np c:d%return";
	static const char bad[] = "p:a vfs_read\n\np vfs_read %di ^^\n";
	struct lkst_definitions all;
	struct lkst_err e = {};

	CHECK_EQ(lkst_definitions_parse(&e, good, strlen(good), &all), 0);
	CHECK_EQ(all.nr, 3);
	CHECK_EQ(all.list[0].line, 3);
	CHECK_STR(all.list[0].probe.event, "a");
	CHECK(all.list[1].is_removal);
	CHECK_EQ(all.list[2].line, 5);
	CHECK_STR(all.list[2].probe.place.module, "c");
	lkst_definitions_fini(&all);
	CHECK_EQ(lkst_definitions_parse(&e, bad, strlen(bad), &all), -EINVAL);
	CHECK_STR(e.text, "line 3: invalid fetch argument");
	CHECK_STR(e.line, "p vfs_read %di ^^");
	CHECK_EQ(e.mark, 15);
	CHECK(!all.list);
	CHECK_EQ(lkst_definitions_parse(&e, "p a\0b", 5, &all), -EINVAL);
	CHECK_EQ(lkst_definitions_parse(&e, "", 0, &all), 0);
	CHECK_EQ(all.nr, 0);
}

TEST(kprobe_too_many_lines)
{
	char *text = malloc(LKST_DEFINITIONS_MAX * 4 + 8), *at = text;
	struct lkst_definitions all;
	unsigned int i;

	CHECK(text);
	for (i = 0; i < LKST_DEFINITIONS_MAX; i++)
		at = stpcpy(at, "p f\n");
	CHECK_EQ(lkst_definitions_parse(NULL, text, (size_t)(at - text), &all), 0);
	CHECK_EQ(all.nr, LKST_DEFINITIONS_MAX);
	lkst_definitions_fini(&all);
	at = stpcpy(at, "p f\n");
	CHECK_EQ(lkst_definitions_parse(NULL, text, (size_t)(at - text), &all), -E2BIG);
	free(text);
}

TEST(kprobe_comments)
{
	CHECK_EQ(parse("p f a#b=%di"), -EINVAL);
	CHECK_EQ(parse("p:x f a=%di #  f:3@a.c"), 0);
	CHECK_EQ(P->nr_args, 1);
	CHECK_STR(P->text, "p:x f a=%di ");
	CHECK_STR(lkst_definition_comment("p:x f a=%di #  f:3@a.c"), "f:3@a.c");
	CHECK_STR(lkst_definition_comment("#"), "");
	CHECK(!lkst_definition_comment("p:x f"));
}

/* A fault that is found later is marked, too. */
TEST(kprobe_is_refused_later)
{
	struct lkst_probe copy;
	struct lkst_err e = {};

	CHECK_EQ(parse("p:x nothing %di +8(%dx) if arg1 == 2"), 0);
	CHECK_EQ(lkst_probe_copy(P, &copy), 0);
	CHECK_EQ(lkst_probe_refuse(&e, -ENOENT, &copy, copy.place.at, "there is no %s", "nothing"),
		 -ENOENT);
	CHECK_STR(e.text, "there is no nothing");
	CHECK_STR(e.line, "p:x nothing %di +8(%dx) if arg1 == 2");
	CHECK_EQ(e.mark, 4);
	lkst_probe_refuse(&e, -EINVAL, &copy, copy.args[1].fetch->base->at, "no such register");
	CHECK_EQ(e.mark, 19);
	lkst_probe_fini(&copy);
	CHECK_EQ(lkst_probe_refuse(&e, -EINVAL, &copy, 3, "x"), -EINVAL);
	CHECK_STR(e.line, "");
}

static const struct unit_test tests[] = {
	{ "kprobe_places", test_kprobe_places },
	{ "kprobe_returns", test_kprobe_returns },
	{ "kprobe_removals", test_kprobe_removals },
	{ "kprobe_places_in_programs", test_kprobe_places_in_programs },
	{ "kprobe_names_are_made", test_kprobe_names_are_made },
	{ "kprobe_fetches", test_kprobe_fetches },
	{ "kprobe_dereferences", test_kprobe_dereferences },
	{ "kprobe_types", test_kprobe_types },
	{ "kprobe_conditions", test_kprobe_conditions },
	{ "kprobe_examples", test_kprobe_examples },
	{ "kprobe_watches", test_kprobe_watches },
	{ "kprobe_errors_as_the_kernel_has_them", test_kprobe_errors_as_the_kernel_has_them },
	{ "kprobe_errors_of_our_own", test_kprobe_errors_of_our_own },
	{ "kprobe_errors_of_watches", test_kprobe_errors_of_watches },
	{ "kprobe_limits", test_kprobe_limits },
	{ "kprobe_form_is_recognised", test_kprobe_form_is_recognised },
	{ "kprobe_files", test_kprobe_files },
	{ "kprobe_too_many_lines", test_kprobe_too_many_lines },
	{ "kprobe_comments", test_kprobe_comments },
	{ "kprobe_is_refused_later", test_kprobe_is_refused_later },
};
UNIT_MAIN(tests)
