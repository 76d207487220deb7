/* SPDX-License-Identifier: GPL-2.0-only */
/* Containers, pods and units by the paths of their cgroups. */
#include "trace/known/container.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	NAME_SIZE = 256, /* NAME_MAX and a NUL */
	ID_LENGTH = 64,	 /* of a container's number: a SHA-256 or 256 random bits */
	ID_SHOWN = 12,
	UID_MIN = 32,
	UID_MAX = 36,
};

enum what {
	WHAT_ID,   /* 64 hexadecimal digits */
	WHAT_NAME, /* any */
};

/*
 * How runtimes call a container's cgroup: @before and @after around its number or name, in a directory that matches
 * @parent. The first row that fits counts.
 *
 * Docker and containerd's CRI plugin: runc calls the scope PREFIX-ID.scope with systemd (libcontainer/cgroups/systemd,
 * getUnitName()), and the directory ID without (dockerd's default parent is "docker": --cgroup-parent in dockerd(8)).
 * CRI-O: internal/config/cgmgr, "crio". Podman: --cgroup-manager in podman(1), libpod/container_internal_linux.go.
 * nerdctl: pkg/cmd/container, slice and prefix "nerdctl". Kubernetes: pkg/kubelet/cm/cgroup_manager_linux.go; a
 * container's directory without systemd is its ID in that of the pod. LXC: lxc.cgroup.dir in lxc.container.conf(5) and
 * DEFAULT_PAYLOAD_CGROUP_PREFIX in src/lxc/cgroups/cgroup.h. systemd-machined(8): "machine-NAME.scope".
 */
static const struct container_row {
	const char *before, *after;
	enum what what;
	const char *runtime, *parent; /* a shell pattern, NULL: any */
} rows[] = {
	{ "docker-", ".scope", WHAT_ID, "docker", NULL },
	{ "", "", WHAT_ID, "docker", "docker" },
	{ "cri-containerd-", ".scope", WHAT_ID, "containerd", NULL },
	{ "nerdctl-", ".scope", WHAT_ID, "nerdctl", NULL },
	{ "crio-", ".scope", WHAT_ID, "crio", NULL },
	{ "crio-", "", WHAT_ID, "crio", NULL },
	{ "libpod-", ".scope", WHAT_ID, "podman", NULL },
	{ "libpod-", "", WHAT_ID, "podman", NULL },
	{ "", "", WHAT_ID, "container", "pod*" },
	{ "lxc.payload.", "", WHAT_NAME, "lxc", NULL },
	{ "", "", WHAT_NAME, "lxc", "lxc.payload" },
	{ "", "", WHAT_NAME, "lxc", "lxc" },
	{ "machine-", ".scope", WHAT_NAME, "machine", "machine.slice" },
};

/* Units of systemd that have processes: systemd.unit(5), and CONTROL_GROUP_INTERFACE in systemd's documentation. */
static const char *const units[] = { ".service", ".scope", ".socket", ".mount", ".swap", ".slice" };

static bool ends_in(const char *name, size_t length, const char *suffix)
{
	size_t n = strlen(suffix);

	return length > n && !memcmp(name + length - n, suffix, n);
}

static bool container_is_id(const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length && isxdigit((unsigned char)text[i]); i++)
		;
	return length == ID_LENGTH && i == length;
}

/* Puts "runtime:ID" for @name in @parent; false: no row fits. */
static bool put_container(const char *name, const char *parent, char *text, size_t size)
{
	const size_t length = strlen(name);
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct container_row *row = &rows[i];
		const size_t before = strlen(row->before), after = strlen(row->after);
		const char *id = name + before;
		size_t id_length = length - before - after;

		if (length <= before + after || strncmp(name, row->before, before) ||
		    strcmp(name + length - after, row->after) ||
		    (row->parent && fnmatch(row->parent, parent, 0)) ||
		    (row->what == WHAT_ID && !container_is_id(id, id_length)))
			continue;
		if (row->what == WHAT_ID)
			id_length = ID_SHOWN;
		snprintf(text, size, "%s:%.*s", row->runtime, (int)id_length, id);
		return true;
	}
	return false;
}

/* A pod's UID is a UUID, or 32 digits; systemd's names have '_' for its '-'. */
static bool put_uid(const char *uid, size_t length, char *text, size_t size)
{
	char *p;
	size_t i;

	for (i = 0;
	     i < length && (isxdigit((unsigned char)uid[i]) || uid[i] == '-' || uid[i] == '_'); i++)
		;
	if (i < length || length < UID_MIN || length > UID_MAX)
		return false;
	snprintf(text, size, "pod:%.*s", (int)length, uid);
	for (p = text; *p; p++)
		*p = *p == '_' ? '-' : *p;
	return true;
}

/* "kubepods-burstable-podUID.slice", or "podUID" in a directory of kubelet's. False: it is not a pod's. */
static bool put_pod(const char *name, const char *parent, char *text, size_t size)
{
	static const char slice[] = ".slice";
	const size_t length = strlen(name);
	const char *pod = strstr(name, "-pod");

	if (pod && strstr(name, "kubepods") && ends_in(name, length, slice))
		return put_uid(pod + 4, (size_t)(name + length - pod) - 4 - (sizeof(slice) - 1),
			       text, size);
	if (!strncmp(name, "pod", 3) &&
	    (!strcmp(parent, "kubepods") || !strcmp(parent, "burstable") ||
	     !strcmp(parent, "besteffort")))
		return put_uid(name + 3, length - 3, text, size);
	return false;
}

/* A slice contains units; it is said only where none of them is. */
static bool put_unit(const char *name, bool has_unit, char *text, size_t size)
{
	const size_t length = strlen(name);
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ends_in(name, length, units[i]) && !(has_unit && !strcmp(units[i], ".slice"))) {
			snprintf(text, size, "unit:%s", name);
			return strcmp(units[i], ".slice") != 0;
		}
	return has_unit;
}

void lkst_container_of(const char *path, char text[LKST_CONTAINER_TEXT])
{
	char name[NAME_SIZE] = "", parent[NAME_SIZE], container[NAME_SIZE + 16] = "",
	     pod[NAME_SIZE] = "";
	char unit[NAME_SIZE + 16] = "";
	bool has_unit = false;
	size_t length;

	for (path += strspn(path, "/"); *path; path += length + strspn(path + length, "/")) {
		length = strcspn(path, "/");
		memcpy(parent, name, sizeof(parent));
		snprintf(name, sizeof(name), "%.*s",
			 length < NAME_SIZE ? (int)length : NAME_SIZE - 1, path);
		put_container(name, parent, container, sizeof(container));
		put_pod(name, parent, pod, sizeof(pod));
		has_unit = put_unit(name, has_unit, unit, sizeof(unit));
	}
	if (container[0])
		snprintf(text, LKST_CONTAINER_TEXT, "%s%s%s", pod, pod[0] ? "/" : "", container);
	else
		snprintf(text, LKST_CONTAINER_TEXT, "%s", pod[0] ? pod : unit);
}
