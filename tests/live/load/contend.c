// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two threads that open and close files as fast as it goes, so that each has to wait for the spin lock of the table of
 * files that they share, for so long.
 *
 *	contend SECONDS
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "spend.h"

static double end;

static void *contend(void *unused)
{
	(void)unused;
	while (now() < end) {
		int i;

		for (i = 0; i < 1000; i++)
			close(dup(STDIN_FILENO));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t other;

	end = now() + (argc > 1 ? atof(argv[1]) : 1);
	if (pthread_create(&other, NULL, contend, NULL))
		return 1;
	contend(NULL);
	return pthread_join(other, NULL) != 0;
}
