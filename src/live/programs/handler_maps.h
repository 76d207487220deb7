/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps of a user handler: it has some of its own, which are pinned with it, and shares the
 * recording's. For src/live/masks/handlers.c.
 */
#ifndef LKST_LIVE_PROGRAMS_HANDLER_MAPS_H
#define LKST_LIVE_PROGRAMS_HANDLER_MAPS_H

#include <stdbool.h>

#include "abi/types.h"
#include "base/err.h"

struct bpf_object;
struct lkst_own_pins;

/* What LKST_CLAIMS_MAP is pinned as. */
#define LKST_CLAIMS_PIN "claims"

/*
 * Before loading: map @name of @object is to be the one that is pinned as @pin. @own, here and below: as
 * live/hooks/pins.h has it.
 */
int lkst_handler_share(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object,
		       const char *name, const char *pin);

/* The same for the map LKST_CLAIMS_MAP of a handler, where the recording has one; else the object goes without. */
int lkst_handler_share_claims(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object);

/* Whether the recording's programs are of the second build (floor.h). */
bool lkst_handler_is_floor(const struct lkst_own_pins *own);

/* Before loading: the configuration of @object is DEFAULT's, but for the handler's own number and wishes. */
int lkst_handler_configure(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object,
			   u8 number, bool has_names);

/* After loading: pins those maps that @base, the recorder's own object, does not have. Constants are left. */
int lkst_handler_pin_maps(struct lkst_err *e, struct lkst_own_pins *own, struct bpf_object *object,
			  struct bpf_object *base, u8 number);

/* Before loading more programs of handler @number: its own maps are those that are pinned. */
int lkst_handler_share_maps(struct lkst_err *e, const struct lkst_own_pins *own, struct bpf_object *object,
			    struct bpf_object *base, u8 number);

#endif
