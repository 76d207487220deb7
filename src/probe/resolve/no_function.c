/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions that were named and are not found as such. */
#include "probe/resolve/no_function.h"

#include <bpf/btf.h>
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/suggest.h"
#include "probe/debuginfo/cpp_name.h"
#include "probe/debuginfo/image.h"
#include "probe/debuginfo/needed.h"
#include "probe/resolve/resolver.h"

/* What follows the name of @symbol if that is @name and more; NULL: it is another name. */
static const char *suffix_of(const char *symbol, const char *name)
{
	size_t length = strlen(name);

	return strncmp(symbol, name, length) || symbol[length] != '.' ? NULL : symbol + length;
}

/* Whether ".constprop.0.isra.1" says only how a whole function was made. */
static bool is_of_whole(const char *suffix)
{
	static const char *const words[] = { "constprop", "isra", "llvm", "lto_priv" };
	size_t i, length;

	while (*suffix == '.') {
		length = strcspn(++suffix, ".");
		for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i]) == length && !strncmp(suffix, words[i], length))
				break;
		if (i == sizeof(words) / sizeof(words[0]) &&
		    (!length || strspn(suffix, "0123456789") < length))
			return false;
		suffix += length;
	}
	return true;
}

bool lkst_symbol_is_meant(const char *symbol, const char *name)
{
	const char *suffix = suffix_of(symbol, name);

	if (suffix)
		return !isdigit((unsigned char)suffix[1]) && is_of_whole(suffix);
	return lkst_cpp_is_written(name) && lkst_cpp_means(name, symbol) &&
	       is_of_whole(symbol + strcspn(symbol, "."));
}

/* Says which other versions, or pieces, of the function there are. */
static bool say_others(struct lkst_resolver *r, const char *name)
{
	size_t length = strlen(name), used = 0;
	char list[256] = "";
	bool has_versions = false;
	u32 i;

	for (i = 0; i < r->image->nr_symbols; i++) {
		const struct lkst_image_symbol *s = &r->image->symbols[i];
		bool is_version = !strncmp(s->name, name, length) && s->name[length] == '@';

		if (!s->is_function || (!is_version && !suffix_of(s->name, name)) ||
		    used + strlen(s->name) + 3 > sizeof(list))
			continue;
		has_versions |= is_version;
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 used ? ", " : "", s->name);
	}
	if (!used)
		return false;
	lkst_err_set(r->e, -ENOENT,
		     has_versions ? "%s has %s only as programs know it that were linked to an older "
				    "version: write %s"
				  : "%s has no whole function %s, only parts: %s",
		     lkst_image_name(r->image), name, list);
	return true;
}

bool lkst_function_elsewhere(struct lkst_resolver *r, const char *name)
{
	struct lkst_needed needed;

	if (say_others(r, name))
		return true;
	if (!lkst_needed_find(r->image, name, &needed))
		return false;
	if (needed.path[0])
		lkst_err_set(r->e, -ENOENT, "%s has no function %s of its own: it is in %s: -x %s",
			     lkst_image_name(r->image), name, needed.library, needed.path);
	else if (needed.library[0])
		lkst_err_set(r->e, -ENOENT,
			     "%s has no function %s of its own: it is in %s: name its file with -x",
			     lkst_image_name(r->image), name, needed.library);
	else
		lkst_err_set(r->e, -ENOENT,
			     "%s has no function %s of its own: it is in a library that it calls: "
			     "name its file with -x",
			     lkst_image_name(r->image), name);
	return true;
}

int lkst_no_function(struct lkst_resolver *r, const char *name)
{
	struct lkst_suggest near = { .word = name };
	const struct btf *btf = r->image->btf;
	char text[LKST_SUGGEST_TEXT];
	u32 i;

	if (lkst_function_elsewhere(r, name))
		return -ENOENT;
	for (i = 0; i < r->image->nr_symbols; i++)
		if (r->image->symbols[i].is_function)
			lkst_suggest_offer(&near, r->image->symbols[i].name);
	for (i = 1; btf && i < btf__type_cnt(btf); i++) {
		const struct btf_type *t = btf__type_by_id(btf, i);
		const char *is = t && btf_is_func(t) ? btf__name_by_offset(btf, t->name_off) : NULL;

		if (is)
			lkst_suggest_offer(&near, is);
	}
	return lkst_err_set(r->e, -ENOENT, "%s has no function %s%s%s", lkst_image_name(r->image),
			    name,
			    lkst_image_dwarf(r->image)
				    ? ""
				    : " (without debug information, inlined ones are not known)",
			    lkst_suggest_text(&near, text));
}
