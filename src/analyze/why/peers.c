/* SPDX-License-Identifier: GPL-2.0-only */
/* From a host to another, by a packet that both have recorded. */
#include "analyze/why/peers.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/why/packet.h"

enum {
	BACK_MAX = 4096, /* records of the CPU that are looked through for packets */
	EARLY_NS =
		1000000000, /* a packet may have been sent so much later than it seems, where nothing says how much */
};

struct lkst_peers {
	const struct lkst_reading *hosts;
	u64 from_ns, to_ns; /* common times */
	struct lkst_excerpt **list;
	int error;
};

static int peers_load(struct lkst_err *e, struct lkst_peers *p, unsigned int host,
		      const struct lkst_excerpt_options *as)
{
	const struct lkst_host *h = &p->hosts->list[host];
	struct lkst_excerpt_options options = as ? *as : (struct lkst_excerpt_options){};
	int err;

	options.max = LKST_WINDOW_MAX / p->hosts->nr;
	err = lkst_excerpt_new(e, h->trace, lkst_host_own_ns(h, p->from_ns),
			       lkst_host_own_ns(h, p->to_ns), &options, &p->list[host]);
	if (err)
		return err;
	p->list[host]->peers = p;
	p->list[host]->host = host;
	return 0;
}

int lkst_peers_new(struct lkst_err *e, const struct lkst_reading *h, unsigned int host, u64 from_ns,
		   u64 to_ns, const struct lkst_excerpt_options *options,
		   struct lkst_peers **ret_peers)
{
	_cleanup_(lkst_peers_freep) struct lkst_peers *p = calloc(1, sizeof(*p));
	int err;

	if (!p || !(p->list = calloc(h->nr, sizeof(struct lkst_excerpt *))))
		return lkst_err_sys(e, -ENOMEM, "explaining");
	p->hosts = h;
	p->from_ns = from_ns + h->list[host].offset_ns;
	p->to_ns = to_ns + h->list[host].offset_ns;
	err = peers_load(e, p, host, options);
	if (!err)
		*ret_peers = lkst_take(p);
	return err;
}

void lkst_peers_free(struct lkst_peers *p)
{
	unsigned int i;

	if (!p)
		return;
	for (i = 0; p->list && i < p->hosts->nr; i++)
		lkst_excerpt_free(p->list[i]);
	free(p->list);
	free(p);
}

struct lkst_excerpt *lkst_peers_excerpt(const struct lkst_peers *p, unsigned int host)
{
	return p->list[host];
}

const struct lkst_reading *lkst_peers_hosts(const struct lkst_peers *p)
{
	return p->hosts;
}

int lkst_peers_error(const struct lkst_peers *p)
{
	return p->error;
}

u64 lkst_peers_ns(const struct lkst_excerpt *from, u64 ns, const struct lkst_excerpt *to)
{
	const struct lkst_host *list = from->peers->hosts->list;

	return lkst_host_own_ns(&list[to->host], ns + list[from->host].offset_ns);
}

bool lkst_peers_error_ns(const struct lkst_excerpt *a, const struct lkst_excerpt *b, u64 *ret_ns)
{
	const struct lkst_host *list = a->peers->hosts->list;
	const struct lkst_clock_bound *x = &list[a->host].bound, *y = &list[b->host].bound;

	*ret_ns = x->error_ns + y->error_ns;
	return x->is_bounded && y->is_bounded;
}

/* Where a host sent what @w received at moment @received. */
static bool find_sender(const struct lkst_excerpt *w, u32 received, u32 search_max,
			struct lkst_peer_packet *ret_packet)
{
	struct lkst_peers *p = w->peers;
	unsigned int i;
	u64 error_ns, ns;

	for (i = 0; i < p->hosts->nr && !p->error; i++) {
		if (i == w->host)
			continue;
		if (!p->list[i])
			p->error = peers_load(NULL, p, i, NULL);
		if (p->error)
			return false;
		ns = lkst_peers_ns(w, w->moments[received].ns, p->list[i]);
		if (!lkst_peers_error_ns(w, p->list[i], &error_ns))
			error_ns = EARLY_NS;
		*ret_packet = (struct lkst_peer_packet){ .w = p->list[i], .received = received };
		ret_packet->sent =
			lkst_packet_sent(w, received, p->list[i], ns + error_ns + 1, search_max);
		if (ret_packet->sent != LKST_NOWHERE)
			return true;
	}
	return false;
}

bool lkst_peers_find(const struct lkst_excerpt *w, u32 waking, u32 search_max,
		     struct lkst_peer_packet *ret_packet)
{
	struct lkst_places_list cpu;
	u32 place, steps;

	if (!w->peers || waking == LKST_NOWHERE)
		return false;
	cpu = lkst_excerpt_cpu(w, w->moments[waking].cpu);
	place = lkst_places_before(cpu, waking);
	for (steps = 0; place && steps < BACK_MAX; steps++) {
		u32 at = cpu.at[--place];
		u16 kind = lkst_event_ref_kind(w, at);

		if (kind == LKST_EV_packet_receive && find_sender(w, at, search_max, ret_packet))
			return true;
		if (kind == LKST_EV_softirq_entry || kind == LKST_EV_sched_switch ||
		    kind == LKST_EVENT_REF_ENTRY || kind == LKST_EVENT_REF_EXIT)
			return false;
	}
	return false;
}
