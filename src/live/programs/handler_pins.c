/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User handlers by their pins. All that a handler has is pinned as handler-<number>-<what>: its programs, its links,
 * its variables and maps, and its description. All commands find it there.
 */
#include "live/programs/handler_pins.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/program.h"
#include "base/cleanup.h"
#include "live/hooks/pins.h"
#include "masks/mask_text.h"

void lkst_handler_pin(u8 number, const char *what, char pin[LKST_HANDLER_PIN_MAX])
{
	snprintf(pin, LKST_HANDLER_PIN_MAX, "handler-%u-%s", number, what);
}

int lkst_handler_put_pin(struct lkst_err *e, struct lkst_own_pins *own, u8 number, const char *what, int fd)
{
	char pin[LKST_HANDLER_PIN_MAX];

	lkst_handler_pin(number, what, pin);
	return lkst_pins_put(e, own, fd, pin);
}

/* What follows "handler-<number>-" in @pin, NULL: it is not the pin of a handler. */
static const char *parse_pin(const char *pin, u8 *ret_number)
{
	unsigned int number;
	int length = 0;

	if (sscanf(pin, "handler-%3u-%n", &number, &length) != 1 || !length || number > 255)
		return NULL;
	*ret_number = number;
	return pin + length;
}

int lkst_handler_open_pin(struct lkst_err *e, const struct lkst_own_pins *own, u8 number, const char *what)
{
	char pin[LKST_HANDLER_PIN_MAX];

	lkst_handler_pin(number, what, pin);
	return lkst_pins_get(e, own, pin);
}

static int handler_pins_drop_pin(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *pin)
{
	const u8 *wanted = ctx;
	u8 number;

	return parse_pin(pin, &number) && number == *wanted ? lkst_pins_drop(e, own, pin) : 0;
}

int lkst_handler_drop_pins(struct lkst_err *e, struct lkst_own_pins *own, u8 number)
{
	return lkst_pins_each(e, own, handler_pins_drop_pin, &number);
}

/* ---- those that are there --------------------------------------------------------------------- */

bool lkst_handler_get(const struct lkst_own_pins *own, u8 number, struct lkst_handler *ret_handler)
{
	char pin[LKST_HANDLER_PIN_MAX];
	struct lkst_handler_about about;
	_cleanup_close_ int fd = -1;
	u32 zero = 0;

	lkst_handler_pin(number, LKST_HANDLER_ABOUT_PIN, pin);
	fd = lkst_pins_get(NULL, own, pin);
	if (fd < 0 || bpf_map_lookup_elem(fd, &zero, &about))
		return false;
	ret_handler->number = number;
	snprintf(ret_handler->name, sizeof(ret_handler->name), "%.*s", (int)sizeof(about.name) - 1,
		 about.name);
	snprintf(ret_handler->help, sizeof(ret_handler->help), "%.*s", (int)sizeof(about.help) - 1,
		 about.help);
	return true;
}

/* True if @word is the handler's name or number. */
static bool handler_pins_is_called(const struct lkst_handler *h, const char *word)
{
	u8 number;

	return !strcmp(h->name, word) ||
	       (!lkst_mask_parse_handler(NULL, word, &number) && number == h->number);
}

/* A search for the handler @word: the first by number. */
struct handler_pins_search {
	const char *word;
	struct lkst_handler found;
	bool is_found;
};

static int handler_pins_look_at_pin(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *pin)
{
	struct handler_pins_search *s = ctx;
	struct lkst_handler h;
	const char *what;
	u8 number;

	what = parse_pin(pin, &number);
	if (!what || strcmp(what, LKST_HANDLER_ABOUT_PIN) ||
	    (s->is_found && s->found.number < number) || !lkst_handler_get(own, number, &h) ||
	    !handler_pins_is_called(&h, s->word))
		return 0;
	s->found = h;
	s->is_found = true;
	return 0;
}

int lkst_handler_find(struct lkst_err *e, struct lkst_own_pins *own, const char *word,
		      struct lkst_handler *ret_handler)
{
	struct handler_pins_search s = { .word = word };
	int err = lkst_pins_each(e, own, handler_pins_look_at_pin, &s);

	if (err)
		return err;
	if (s.is_found) {
		*ret_handler = s.found;
		return 0;
	}
	return lkst_err_set(e, -ENOENT,
			    "no handler \"%s\" is loaded; `lkst handler list` shows those that are",
			    word);
}

int lkst_handler_parse(struct lkst_err *e, struct lkst_own_pins *own, const char *word, u8 *ret_number)
{
	struct lkst_handler h;

	if (!lkst_mask_parse_handler(e, word, ret_number))
		return 0;
	if (lkst_handler_find(e, own, word, &h))
		return -ENOENT;
	*ret_number = h.number;
	return 0;
}

int lkst_handler_check(struct lkst_err *e, const struct lkst_hooks *hooks,
		       const struct lkst_catalog *catalog, u8 number, u32 id)
{
	const struct lkst_event_class *event = catalog->classes[id];
	struct lkst_handler h;

	if (lkst_hooks_serve(hooks, id, number))
		return 0;
	if (!lkst_handler_get(hooks->own, number, &h))
		return lkst_err_set(e, -EINVAL,
				    "there is no handler 0x%02x; `lkst handler list` shows them",
				    number);
	return lkst_err_set(
		e, -EINVAL,
		"handler %u (%s) is not loaded for event %s; load it again with --event", number,
		h.name, event ? event->name : "?");
}

/* ---- hooks ------------------------------------------------------------------------------------ */

const char *lkst_handler_program_name(const struct lkst_hook *hook)
{
	struct bpf_prog_info program = {};
	u32 length = sizeof(program);

	if (hook->kind != LKST_HOOK_BY_NAME)
		return hook->name;
	if (bpf_obj_get_info_by_fd(hook->program_fd, &program, &length) ||
	    program.type != BPF_PROG_TYPE_KPROBE)
		return LKST_ANY_TRACEPOINT;
	return LKST_ANY_PROBE;
}

static int handler_pins_open_hook(struct lkst_err *e, struct lkst_hooks *hooks, u8 number, u16 base,
				  const char *program_pin)
{
	char pin[LKST_HANDLER_PIN_MAX];
	int fd = lkst_pins_get(e, hooks->own, program_pin), link;

	if (fd < 0)
		return fd;
	lkst_handler_pin(number, hooks->items[base].name, pin);
	link = lkst_pins_get(NULL, hooks->own, pin);
	return lkst_hooks_add_handler(e, hooks, number, base, fd, link < 0 ? -1 : link);
}

static int handler_pins_open_program(struct lkst_err *e, struct lkst_own_pins *own, void *ctx, const char *pin)
{
	struct lkst_hooks *hooks = ctx;
	u8 number;
	const char *name = parse_pin(pin, &number);
	unsigned int i;
	int err = 0;

	if (!name || strncmp(name, LKST_PROGRAM_PIN, strlen(LKST_PROGRAM_PIN)))
		return 0;
	name += strlen(LKST_PROGRAM_PIN);
	for (i = 0; i < hooks->nr_default && !err; i++)
		if (!strcmp(lkst_handler_program_name(&hooks->items[i]), name))
			err = handler_pins_open_hook(e, hooks, number, i, pin);
	return err;
}

int lkst_handlers_open(struct lkst_err *e, struct lkst_hooks *hooks)
{
	return lkst_pins_each(e, hooks->own, handler_pins_open_program, hooks);
}
