/* SPDX-License-Identifier: GPL-2.0-only */
/* The maps of a handler: which are its own, what they are pinned as, and sharing them. */
#include "live/programs/handler_maps.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "abi/probe.h"
#include "abi/program.h"
#include "base/cleanup.h"
#include "live/hooks/pins.h"
#include "live/programs/handler_pins.h"

enum { WHAT_MAX = 80 };

int lkst_handler_share(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object,
		       const char *name, const char *pin)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	_cleanup_close_ int fd = lkst_pins_get(e, own, pin); /* libbpf takes a copy */
	int err;

	if (fd < 0)
		return fd;
	err = map ? bpf_map__reuse_fd(map, fd) : -ENOENT;
	return err ? lkst_err_sys(e, err, "sharing %s with the handler", name) : 0;
}

bool lkst_handler_is_floor(const struct lkst_own_pins *own)
{
	_cleanup_close_ int fd = lkst_pins_get(NULL, own, LKST_CLAIMS_PIN);

	return fd >= 0;
}

int lkst_handler_share_claims(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, LKST_CLAIMS_MAP);

	if (!map)
		return 0;
	if (lkst_handler_is_floor(own))
		return lkst_handler_share(e, own, object, LKST_CLAIMS_MAP, LKST_CLAIMS_PIN);
	return bpf_map__set_autocreate(map, false) ? lkst_err_sys(e, -EINVAL, "loading the handler") : 0;
}

int lkst_handler_configure(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object,
			   u8 number, bool has_names)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata.config");
	_cleanup_close_ int fd = lkst_pins_get(e, own, "config");
	struct lkst_program_config *config, base;
	struct bpf_map_info info = {};
	u32 length = sizeof(info), zero = 0;
	size_t size;

	if (fd < 0)
		return fd;
	config = map ? (void *)bpf_map__initial_value(map, &size) : NULL;
	if (!config || size != sizeof(base) || bpf_obj_get_info_by_fd(fd, &info, &length) ||
	    info.value_size != sizeof(base))
		return lkst_err_set(e, -EINVAL,
				    "the recording was started by another version of lkst");
	if (bpf_map_lookup_elem(fd, &zero, &base))
		return lkst_err_sys(e, -errno, "reading the recording's configuration");
	base.handler = number;
	base.has_names = has_names;
	memcpy(config, &base, sizeof(base));
	return 0;
}

/* Whether a map is the recorder's. The handler's own maps have no name that begins so. */
static bool is_recorders(struct bpf_object *base, const struct bpf_map *map)
{
	return bpf_object__find_map_by_name(base, bpf_map__name(map)) ||
	       !strcmp(bpf_map__name(map), LKST_PROBE_CPUS_MAP) ||
	       !strcmp(bpf_map__name(map), LKST_CLAIMS_MAP);
}

/* The pin of one of the handler's own maps; false: it has none, since it is constant. */
static bool name_pin(const struct bpf_map *map, char what[WHAT_MAX])
{
	static const struct {
		const char *suffix, *pin;
	} known[] = {
		{ ".data", LKST_HANDLER_DATA },
		{ ".bss", LKST_HANDLER_BSS },
		{ "lkst_notices", LKST_HANDLER_NOTICES },
		{ LKST_OWN_EVENTS, LKST_HANDLER_EVENTS },
	};
	const char *name = bpf_map__name(map), *dot = strchr(name, '.');
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i].suffix, name) || (dot && !strcmp(known[i].suffix, dot))) {
			snprintf(what, WHAT_MAX, "%s", known[i].pin);
			return true;
		}
	snprintf(what, WHAT_MAX, LKST_HANDLER_MAP "%.63s", name);
	return !dot;
}

int lkst_handler_pin_maps(struct lkst_err *e, struct lkst_own_pins *own, struct bpf_object *object,
			  struct bpf_object *base, u8 number)
{
	char what[WHAT_MAX];
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, object)
	{
		if (!err && !is_recorders(base, map) && name_pin(map, what))
			err = lkst_handler_put_pin(e, own, number, what, bpf_map__fd(map));
	}
	return err;
}

int lkst_handler_share_maps(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object,
			    struct bpf_object *base, u8 number)
{
	char what[WHAT_MAX], pin[LKST_HANDLER_PIN_MAX];
	struct bpf_map *map;
	int err = 0;

	bpf_object__for_each_map(map, object)
	{
		if (err || is_recorders(base, map) || !name_pin(map, what))
			continue;
		lkst_handler_pin(number, what, pin);
		err = lkst_handler_share(e, own, object, bpf_map__name(map), pin);
	}
	return err;
}
