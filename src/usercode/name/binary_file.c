// SPDX-License-Identifier: GPL-2.0-only
/* What names the places of one binary. */
#include "usercode/name/binary_file.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/bsearch.h"
#include "base/io.h"
#include "probe/debuginfo/debug_file.h"
#include "probe/debuginfo/image.h"
#include "probe/debuginfo/image_open.h"
#include "usercode/name/inlined.h"
#include "usercode/name/jit_map.h"

enum {
	ALIASES_MAX = 64,	/* names of one function that are looked at */
	VDSO_BYTES_MAX = 1 << 20, /* it has two pages or three */
};

struct lkst_binary_file {
	struct lkst_image *image;
	struct lkst_inlined *inlined; /* NULL: there is no debug information, or it is not wanted */
	struct lkst_jit_map *jit;     /* in place of an image */
	u64 bias;
	bool has_segments; /* the image is the binary itself: a debug file does not say where its bytes were */
};

void lkst_binary_file_close(struct lkst_binary_file *f)
{
	if (!f)
		return;
	lkst_inlined_free(f->inlined);
	lkst_image_close(f->image);
	lkst_jit_map_free(f->jit);
	free(f);
}

/* ---- where it is ------------------------------------------------------------------------------ */

/* Forms of paths below a directory, by build-id: of debuginfod's cache, and of /usr/lib/debug. */
static const char *const executable_forms[] = { "%1$.*2$s/%3$s/executable" };
static const char *const debug_forms[] = {
	"%1$.*2$s/%3$s/debuginfo",
	"%1$.*2$s/%4$.2s/%5$s.debug",
	"%1$.*2$s/.build-id/%4$.2s/%5$s.debug",
};

/* Looks in the directories @list, with ':' between them, for a file with build-id @id. NULL: there is none. */
static char *binary_file_find_in(const char *list, const char *id, const char *const *forms, size_t nr_forms)
{
	char path[PATH_MAX];
	size_t length, i;
	int written;

	for (; *list; list += length + (list[length] == ':')) {
		length = strcspn(list, ":");
		for (i = 0; length && i < nr_forms; i++) {
			written = snprintf(path, sizeof(path), forms[i], list, (int)length, id, id,
					   id + 2);
			if (written > 0 && written < (int)sizeof(path) &&
			    lkst_debug_file_has_id(path, id))
				return strdup(path);
		}
	}
	return NULL;
}

/* Where debuginfod(8)'s clients keep what they have fetched: debuginfod_find_debuginfo(3). */
static void debuginfod_cache(char path[PATH_MAX])
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");

	path[0] = 0;
	if (own)
		snprintf(path, PATH_MAX, "%s", own);
	else if (cache)
		snprintf(path, PATH_MAX, "%s/debuginfod_client", cache);
	else if (home)
		snprintf(path, PATH_MAX, "%s/.cache/debuginfod_client", home);
}

#define FIND_IN(list, id, forms) binary_file_find_in(list, id, forms, sizeof(forms) / sizeof((forms)[0]))

/* What is at that path for the process that uses it, as in a container's image. False: it is not that build. */
static bool find_in_namespace(const struct lkst_binary_place *place, const char *build_id, char path[PATH_MAX])
{
	return place->user_pid > 0 && place->path[0] == '/' &&
	       snprintf(path, PATH_MAX, "/proc/%d/root%s", lkst_living_thread(place->user_pid), place->path) <
		       PATH_MAX &&
	       lkst_debug_file_has_id(path, build_id);
}

/* A copy of @b, at whichever place there still is one. NULL: there is none. */
static char *find_copy(const struct lkst_code_names_options *o, const struct lkst_binary *b)
{
	const struct lkst_binary_place *place;
	char path[PATH_MAX];

	if (b->path[0] == '/' && lkst_debug_file_has_id(b->path, b->build_id))
		return strdup(b->path);
	for (place = b->places; place; place = place->next)
		if (place->path[0] == '/' && lkst_debug_file_has_id(place->path, b->build_id))
			return strdup(place->path);
	for (place = o->no_jit ? NULL : b->places; place; place = place->next)
		if (find_in_namespace(place, b->build_id, path))
			return strdup(path);
	return NULL;
}

/* The binary itself. NULL: it is not on this machine. */
static char *find_executable(const struct lkst_code_names_options *o, const struct lkst_binary *b)
{
	char cache[PATH_MAX], *found = NULL;

	if (o->directories)
		found = FIND_IN(o->directories, b->build_id, executable_forms);
	if (!found)
		found = find_copy(o, b);
	debuginfod_cache(cache);
	return found ?: FIND_IN(cache, b->build_id, executable_forms);
}

/* Its debug information in a file of its own, as far as lkst_image_open() does not find that itself. */
static char *binary_file_find_debug_file(const struct lkst_code_names_options *o, const struct lkst_binary *b,
					 bool is_alone)
{
	char cache[PATH_MAX], *found = NULL;

	if (o->directories)
		found = FIND_IN(o->directories, b->build_id, debug_forms);
	if (!found && is_alone)
		found = FIND_IN("/usr/lib/debug/.build-id", b->build_id, debug_forms);
	debuginfod_cache(cache);
	return found ?: FIND_IN(cache, b->build_id, debug_forms);
}

/*
 * The vdso that the kernel has mapped into this process, as a file in memory. It is the one that the trace means if
 * this kernel is of the same build; its build-id says so. -1: there is none.
 */
static int own_vdso(void)
{
	const ElfW(Ehdr) *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	_cleanup_close_ int fd = -1;
	size_t size;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG))
		return -1;
	/* The headers of its sections come last. */
	size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;
	if (size < sizeof(*header) || size > VDSO_BYTES_MAX)
		return -1;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0 || write(fd, header, size) != (ssize_t)size)
		return -1;
	return lkst_take_fd(fd);
}

/* ---- opening ---------------------------------------------------------------------------------- */

static int say_missing(struct lkst_err *e, const struct lkst_binary *b)
{
	if (!b->build_id[0])
		return lkst_err_set(
			e, -ENOENT,
			"it has no build-id in the trace, by which its build could be recognised");
	if (b->path[0] == '/' && !access(b->path, F_OK))
		return lkst_err_set(e, -ENOENT,
				    "what is at its path on this machine is not its build %s",
				    b->build_id);
	return lkst_err_set(e, -ENOENT, "there is no file of its build %s on this machine",
			    b->build_id);
}

static int binary_file_open_image(struct lkst_err *e, const struct lkst_code_names_options *o,
				  const struct lkst_binary *b, struct lkst_binary_file *f)
{
	_cleanup_free_ char *executable = b->build_id[0] ? find_executable(o, b) : NULL;
	_cleanup_free_ char *debug = NULL;
	_cleanup_close_ int vdso = -1;
	struct lkst_image_options options = {};
	int err;

	if (b->kind == LKST_BINARY_VDSO && b->build_id[0] && !executable) {
		vdso = own_vdso();
		if (vdso >= 0 && asprintf(&executable, "/proc/self/fd/%d", vdso) < 0)
			return lkst_err_sys(e, -ENOMEM, "naming code");
	}
	if (b->build_id[0] && (!executable || !o->no_debug_info))
		debug = binary_file_find_debug_file(o, b, !executable);
	if (!executable && !debug)
		return say_missing(e, b);
	options.program = executable ?: debug;
	options.debug_file = executable ? debug : NULL;
	err = lkst_image_open(e, &options, &f->image);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	/* It may have become another one since it was found. */
	if (strcmp(lkst_image_build_id(f->image), b->build_id))
		return say_missing(e, b);
	f->has_segments = executable;
	if (!o->no_debug_info && lkst_image_has_debug_info(f->image))
		f->inlined = lkst_inlined_new(f->image);
	return 0;
}

int lkst_binary_file_open(struct lkst_err *e, const struct lkst_code_names_options *o,
			  const struct lkst_binary *b, struct lkst_binary_file **ret_file)
{
	_cleanup_(lkst_binary_file_closep) struct lkst_binary_file *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return lkst_err_sys(e, -ENOMEM, "naming code");
	f->bias = b->bias;
	if (b->kind != LKST_BINARY_MEMORY)
		err = binary_file_open_image(e, o, b, f);
	else if (o->no_jit)
		err = lkst_err_set(
			e, -ENOENT,
			"it is in no file, and the process was not one of this machine now");
	else
		err = lkst_jit_map_open(e, o->jit_maps, b->pid, &f->jit);
	if (err)
		return err;
	*ret_file = lkst_take(f);
	return 0;
}

/* ---- names ------------------------------------------------------------------------------------ */

/*
 * Of functions that begin where @symbol does, the one whose name has the fewest '_' before it: the one that
 * people call.
 */
static const struct lkst_image_symbol *best_name(const struct lkst_image *image,
						 const struct lkst_image_symbol *symbol)
{
	const struct lkst_image_symbol *best = symbol, *s;

	for (s = symbol;
	     s-- > image->symbols && s->address == symbol->address && symbol - s < ALIASES_MAX;)
		if (s->is_function && s->size == symbol->size &&
		    strspn(s->name, "_") < strspn(best->name, "_"))
			best = s;
	return best;
}

/* The symbol that holds @address, or the last one before it that has no size: the assembler's often have none. */
static const struct lkst_image_symbol *symbol_at(const struct lkst_image *image, u64 address)
{
	const struct lkst_image_symbol *symbol = lkst_image_symbol_at(image, address);
	size_t after;

	if (symbol)
		return best_name(image, symbol);
	after = lkst_lower_bound(k, image->nr_symbols, image->symbols[k].address <= address);
	symbol = after ? &image->symbols[after - 1] : NULL;
	return symbol && !symbol->size && !symbol->is_mapping ? symbol : NULL;
}

void lkst_binary_file_name(struct lkst_binary_file *f, u64 offset, struct lkst_code_name *ret_name)
{
	const struct lkst_image_symbol *symbol;
	u64 address = offset + f->bias;

	if (f->jit) {
		ret_name->function = lkst_jit_map_find(f->jit, offset, &ret_name->offset);
		ret_name->why = ret_name->function
					? NULL
					: "the JIT compiler's list has nothing at this address";
		return;
	}
	if (f->has_segments && lkst_image_address_of(f->image, offset, &address)) {
		ret_name->why = "the file has no code at this place";
		return;
	}
	symbol = symbol_at(f->image, address);
	if (symbol) {
		ret_name->function = symbol->name;
		ret_name->offset = address - symbol->address;
	}
	if (f->inlined)
		ret_name->nr_frames = lkst_inlined_find(f->inlined, address, ret_name->frames);
	if (!symbol && ret_name->nr_frames)
		ret_name->function = ret_name->frames[ret_name->nr_frames - 1].function;
	else if (!symbol)
		ret_name->why = f->image->nr_symbols ? "no symbol of it holds this place"
						     : "it has no symbols";
}
