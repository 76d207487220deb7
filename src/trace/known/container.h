/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the path of a cgroup says of who made it: a container of a runtime, a Kubernetes pod, a unit of systemd. Only
 * names that these give to their cgroups are known (the table in container.c), and nothing is asked of a runtime.
 */
#ifndef LKST_TRACE_KNOWN_CONTAINER_H
#define LKST_TRACE_KNOWN_CONTAINER_H

#include <stddef.h>

enum {
	LKST_CONTAINER_TEXT = 640, /* with the NUL: a pod and a name of 255 bytes each, at most */
};

/*
 * Puts into @text what the cgroup at @path belongs to, by the last name in it that says it:
 *
 *	docker:0123456789ab  pod:UID/containerd:0123456789ab  pod:UID  lxc:NAME  unit:ssh.service
 *
 * Numbers of containers have 12 digits, as the runtimes' own lists show them. "": the path says nothing. What is not
 * a number is any bytes but '/' and NUL, as in @path: whoever prints it escapes it.
 */
void lkst_container_of(const char *path, char text[LKST_CONTAINER_TEXT]);

#endif
