/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A firewall far away drops what is sent to a server: connect(2) waits until it gives up.
 *
 * truth: connect() of bh-client to 10.77.0.2, from where nothing comes back, fails after 500 ms, each time
 * victim: bh-client
 * fact: WHAT \bconnect\b
 * fact: WHERE 10\.77\.0\.2
 * fact: HOW no answer|tim(ed|e) ?out|SYN|sent again|retransmi|EINPROGRESS|ETIMEDOUT
 * amount: yes
 */
#include "drill.h"
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>

int main(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(5432) };
	struct ifreq r = { .ifr_name = "hole", .ifr_flags = IFF_TUN | IFF_NO_PI };
	struct timeval limit = { .tv_usec = 500000 };
	struct drill_ops *ops = ops_new();
	int tun;

	drill_init();
	tun = unshare(CLONE_NEWNET) ? -1 : open("/dev/net/tun", O_RDWR);
	if (tun < 0 || ioctl(tun, TUNSETIFF, &r) || !shell("ip addr add 10.77.0.1/24 dev hole && ip link set hole up"))
		not_produced("no device of a tunnel");
	inet_pton(AF_INET, "10.77.0.2", &to.sin_addr);
	drill_begin(4);
	name("bh-client");
	while (goes_on()) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);
		uint64_t from = now();

		setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
		if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
			took(ops, from, 300);
		close(fd);
		nap(20);
	}
	drill_tell(ops, 4, 450);
	return 0;
}
