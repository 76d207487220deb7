/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A path loses packets, and TCP sends them again after 200 ms and more. What loses them is a filter at the socket
 * that receives, below TCP.
 *
 * truth: of what rt-client sends to rt-server a fifth is lost, and it waits for the answer until TCP has sent it
 * truth: again
 * victim: rt-client
 * fact: WHAT retransmi|sent (it )?again|lost|\btcp_write_timer\b|tcp_send_loss_probe
 * fact: WHERE rt-server|127\.0\.0\.1:\d+
 * amount: yes
 */
#include "drill.h"
#include <linux/filter.h>

static struct sockaddr_in at;
static int listener;

static void server(void)
{
	/* Accepts 80 % by chance. */
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(SKF_AD_OFF + SKF_AD_RANDOM)),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 858993459u, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0xffff),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog filter = { .len = 4, .filter = code };
	int fd;
	char c;

	name("rt-server");
	fd = accept(listener, NULL, NULL);
	if (setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof(filter)))
		_exit(1);
	while (read(fd, &c, 1) == 1)
		write(fd, &c, 1);
}

int main(void)
{
	struct drill_ops *ops = ops_new();
	int fd;

	drill_init();
	listener = bound(SOCK_STREAM, &at);
	listen(listener, 4);
	drill_begin(4);
	child(server);
	name("rt-client");
	fd = dial(SOCK_STREAM, &at);
	while (goes_on()) {
		uint64_t from = now();

		ask(fd, 'q');
		took(ops, from, 100);
		nap(10);
	}
	drill_tell(ops, 4, 180);
	return 0;
}
