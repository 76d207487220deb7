/* SPDX-License-Identifier: GPL-2.0-only */
/* Resolved probes as a file. */
#include "probe/resolve/saved.h"

#include <errno.h>
#include <string.h>

#include "probe/debuginfo/image.h"
#include "probe/text/format.h"

static const char head[] = "build-id: ";

int lkst_saved_head(struct lkst_err *e, const struct lkst_image *image, char **ret_line)
{
	const char *path = image->program ? image->program : image->module;

	if (!image->build_id[0])
		return lkst_err_set(
			e, -EINVAL,
			"%s has no build-id, by which its probes could be found again: link it with "
			"-Wl,--build-id",
			lkst_image_name(image));
	if (path && strchr(path, '\n'))
		return lkst_err_set(e, -EINVAL, "the name of a program has a line end");
	if (asprintf(ret_line, "%s%s%s%s", head, image->build_id, path ? " " : "", path ?: "") < 0)
		return lkst_err_set(e, -ENOMEM, "there is no memory to write probes");
	return 0;
}

int lkst_saved_format(struct lkst_err *e, const struct lkst_image *image,
		      const struct lkst_probe *probes, u32 nr, char **ret_text)
{
	_cleanup_free_ char *text = NULL, *first = NULL;
	char line[LKST_PROBE_TEXT];
	size_t length;
	FILE *out;
	int code = lkst_saved_head(e, image, &first);
	u32 i;

	if (code)
		return code;
	out = open_memstream(&text, &length);
	if (!out)
		return lkst_err_set(e, -ENOMEM, "there is no memory to write probes");
	fprintf(out, "%s\n", first);
	for (i = 0; !code && i < nr; i++) {
		code = lkst_definition_format(e, &probes[i], line);
		if (!code)
			fprintf(out, "%s\n", line);
	}
	if (fclose(out) && !code)
		code = lkst_err_set(e, -ENOMEM, "there is no memory to write probes");
	if (!code)
		*ret_text = lkst_take(text);
	return code;
}

/* What a line that begins a part says; the texts end where the line does. */
struct saved_part {
	char id[LKST_BUILD_ID_TEXT];
	const char *path; /* "": the kernel */
};

/* Reads "build-id: HEX [PATH]". */
static int read_head(struct lkst_err *e, const char *name, const char *line, struct saved_part *ret_part)
{
	size_t length = strspn(line + sizeof(head) - 1, "0123456789abcdef");
	const char *end = line + sizeof(head) - 1 + length;

	if (!length || length >= sizeof(ret_part->id) || (*end && *end != ' '))
		return lkst_err_set(e, -EINVAL, "%s: \"%.100s\" is not a build-id in hex", name,
				    line);
	memcpy(ret_part->id, line + sizeof(head) - 1, length);
	ret_part->id[length] = 0;
	ret_part->path = end + strspn(end, " ");
	return 0;
}

int lkst_saved_parse(struct lkst_err *e, const char *name, const char *text, size_t length,
		     const char *build_id, const char *path, struct lkst_definitions *ret)
{
	_cleanup_free_ char *copy = malloc(length + 1), *other = NULL;
	bool is_wanted = false, found = false;
	struct saved_part part;
	char *line, *next;
	size_t size;
	int code;

	if (!copy)
		return lkst_err_set(e, -ENOMEM, "there is no memory to read %s", name);
	if (memchr(text, 0, length))
		return lkst_err_set(e, -EINVAL, "%s is not text: it has a NUL byte", name);
	memcpy(copy, text, length);
	copy[length] = 0;
	/* Lines that are not wanted become blank, so that those that are keep their numbers. */
	for (line = copy; line < copy + length; line = next) {
		size = strcspn(line, "\n");
		next = line + size + 1;
		if (strncmp(line, head, sizeof(head) - 1)) {
			if (!is_wanted)
				memset(line, ' ', size);
			continue;
		}
		line[size] = 0;
		code = read_head(e, name, line, &part);
		if (code)
			return code;
		is_wanted = !strcmp(part.id, build_id);
		found |= is_wanted;
		if (!is_wanted && !other && !strcmp(part.path, path ? path : ""))
			other = strdup(part.id);
		memset(line, ' ', size);
		if (line + size < copy + length)
			line[size] = '\n';
	}
	if (!found && other)
		return lkst_err_set(
			e, -ESTALE,
			"%s has probes of build-id %s, and %s has build-id %s: resolve them again",
			name, other, path ? path : "the kernel", build_id[0] ? build_id : "none");
	if (!found)
		return lkst_err_set(e, -ENOENT, "%s has no probes of build-id %s (%s)", name,
				    build_id[0] ? build_id : "none", path ? path : "the kernel");
	return lkst_definitions_parse(e, copy, length, ret);
}
