// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the kernel says: its messages, its panic and the reports of its debugging aids. Modules come and go.
 */
#include <linux/ptrace.h>

#include "bpf/record.h"
#include "bpf/string.h"

LKST_STRING_SCRATCH(console_text);

/* How panic() begins (kernel/panic.c). */
static const char panic_prefix[] = "Kernel panic - not syncing: ";

static __always_inline bool is_panic(const char *from, u64 length)
{
	char begin[sizeof(panic_prefix) - 1];

	return length >= sizeof(begin) && !bpf_probe_read_kernel(begin, sizeof(begin), from) &&
	       !bpf_strncmp(begin, sizeof(begin), panic_prefix);
}

/* The records of both events from here are a text and nothing else. */
_Static_assert(sizeof(struct lkst_rec_panic) == sizeof(struct lkst_rec_printk_console), "a text");

static __always_inline void put_text(u32 id, const char *from, u64 length)
{
	struct lkst_string text;

	if (!lkst_string_read(&text, &console_text, from, length))
		return;
	lkst_recording_id(struct lkst_rec_printk_console, r, id, sizeof(*r) + text.size,
			  sizeof(*r) + LKST_STRING_MAX)
		LKST_PUT_STRING(r->text, &text);
}

/* The text has no NUL after its @length characters, but may have one within. */
LKST_TP(console, const char *from, u64 length)
{
	const u32 skipped = sizeof(panic_prefix) - 1;

	/* Recorded in a restricted recording, too, since it concerns all. */
	if (is_panic(from, length))
		put_text(lkst_cfg.id[LKST_EV_panic], from + skipped, length - skipped);
	if (!lkst_wants_current())
		return LKST_UNWANTED(printk_console);
	put_text(lkst_cfg.id[LKST_EV_printk_console], from, length);
	return 0;
}

/* include/linux/kern_levels.h, and the level of a message that gives none, as kernels are usually built. */
enum { KERN_SOH = 1, LOGLEVEL_DEBUG = 7, LOGLEVEL_NOT_SAID = 4 };

LKST_STRING_SCRATCH(printk_format);

/* The level is in the argument or, if that is negative, in two characters before the text. */
LKST_KPROBE(vprintk_store, int facility, int level, void *device, const char *format)
{
	struct lkst_string text;
	char prefix[2];

	if (!lkst_wants_current() || bpf_probe_read_kernel(prefix, sizeof(prefix), format))
		return LKST_UNWANTED(printk);
	if (prefix[0] == KERN_SOH) {
		format += sizeof(prefix);
		if (level < 0 && prefix[1] >= '0' && prefix[1] <= '0' + LOGLEVEL_DEBUG)
			level = prefix[1] - '0';
	}
	if (!lkst_string_read(&text, &printk_format, format, LKST_STRING_MAX))
		return 0;
	lkst_recording_string(printk, r, &text) {
		r->level = level < 0 ? LOGLEVEL_NOT_SAID : level;
		LKST_PUT_STRING(r->format, &text);
	}
	return 0;
}

/* A module's event that ends in its name. */
#define MODULE_PROGRAM(event, fill)                                                                \
	LKST_STRING_SCRATCH(event##_name);                                                         \
	LKST_TP(event, struct module *module)                                                      \
	{                                                                                          \
		struct lkst_string name;                                                           \
                                                                                                   \
		if (!lkst_wants_current() ||                                                       \
		    !lkst_string_read(&name, &event##_name, module->name, sizeof(module->name)))   \
			return LKST_UNWANTED(event);                                               \
		lkst_recording_string(event, r, &name) {                                           \
			fill;                                                                      \
			LKST_PUT_STRING(r->name, &name);                                           \
		}                                                                                  \
		return 0;                                                                          \
	}

MODULE_PROGRAM(module_load, r->taints = module->taints)
MODULE_PROGRAM(module_free, (void)0)

/*
 * The first argument is a pointer to a function, which the verifier lets no program read
 * (btf_ctx_access() in kernel/bpf/btf.c), so it is copied out of the hook's arguments.
 */
static __always_inline u64 initcall_function(const void *ctx)
{
	u64 function = 0;

	bpf_probe_read_kernel(&function, sizeof(function), ctx);
	return function;
}

LKST_TP(initcall_start)
{
	u64 function;

	if (!lkst_wants_current())
		return LKST_UNWANTED(initcall_start);
	function = initcall_function(ctx);
	lkst_recording(initcall_start, r)
		LKST_PUT64(r->function, function);
	return 0;
}

LKST_TP(initcall_finish)
{
	u64 function;

	if (!lkst_wants_current())
		return LKST_UNWANTED(initcall_finish);
	function = initcall_function(ctx);
	lkst_recording(initcall_finish, r) {
		LKST_PUT64(r->function, function);
		r->result = (int)ctx[1];
	}
	return 0;
}

LKST_TP(error_report_end, u32 detector, u64 address)
{
	lkst_recording_if(error_report_end, r, lkst_wants_current()) {
		LKST_PUT64(r->address, address);
		r->detector = detector;
	}
	return 0;
}
