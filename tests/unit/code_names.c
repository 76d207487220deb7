/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Names of user code: the same functions, inlined ones and lines as binutils' addr2line and nm find; only in a file
 * of the build that the trace has; in debug information that is elsewhere; and in the lists of JIT compilers.
 */
#include "usercode/name/code_names.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/make_trace.h"
#include "lib/probed.h"
#include "lib/unit.h"
#include "probe/debuginfo/debug_file.h"
#include "probe/debuginfo/elf_note.h"
#include "usercode/name/jit_map.h"

enum { FUNCTIONS_MAX = 256 };

struct function {
	u64 address, size;
	char name[128];
};

static char dir[64];

/* The build-id of a file by lkst_build_id_of_file(), and the bias. */
static const char *id_of(const char *path, u64 *ret_bias)
{
	static char text[LKST_BUILD_ID_TEXT];
	int fd = open(path, O_RDONLY);

	if (fd < 0 || !lkst_build_id_of_file(fd, 0, text, ret_bias))
		text[0] = 0;
	if (fd >= 0)
		close(fd);
	return text;
}

/* Functions of a program by nm(1), those in .text that have a size. */
static unsigned int list_functions(const char *path, struct function *list)
{
	char command[PATH_MAX + 64], line[512];
	unsigned int nr = 0;
	FILE *f;

	snprintf(command, sizeof(command), "nm -S --defined-only '%s' 2>&1", path);
	f = popen(command, "r");
	while (f && nr < FUNCTIONS_MAX && fgets(line, sizeof(line), f)) {
		struct function *l = &list[nr];
		char type;

		if (sscanf(line, "%llx %llx %c %127s", (unsigned long long *)&l->address,
			   (unsigned long long *)&l->size, &type, l->name) == 4 &&
		    strchr("tT", type))
			nr++;
	}
	return f && !pclose(f) ? nr : 0;
}

/* "function file:line" of each frame that addr2line(1) prints for one address, the file without its directory. */
static void read_frames(FILE *f, char *text, size_t size)
{
	char function[512], place[PATH_MAX], *end, *slash;
	size_t used = 0;

	text[0] = 0;
	while (fgets(function, sizeof(function), f) && strncmp(function, "0x", 2) &&
	       fgets(place, sizeof(place), f)) {
		function[strcspn(function, "\n")] = 0;
		place[strcspn(place, "\n")] = 0;
		end = strstr(place, " (");
		if (end)
			*end = 0;
		slash = strrchr(place, '/');
		used += (size_t)snprintf(text + used, size - used, "%s %s\n", function,
					 slash ? slash + 1 : place);
	}
}

/* The same by LKST. */
static void name_frames(const struct lkst_code_name *name, char *text, size_t size)
{
	const char *source;
	size_t used = 0;
	u32 i;

	text[0] = 0;
	for (i = 0; i < name->nr_frames; i++) {
		source = name->frames[i].source ?: "?";
		source = strrchr(source, '/') ? strrchr(source, '/') + 1 : source;
		used += (size_t)snprintf(text + used, size - used, "%s %s:%u\n",
					 name->frames[i].function, source, name->frames[i].line);
	}
}

static struct lkst_code_name name;

/* The last line of @text. */
static const char *outermost(const char *text)
{
	const char *at = text, *end;

	while ((end = strchr(at, '\n')) && end[1])
		at = end + 1;
	return at;
}

/*
 * Whether the names are the same. Of functions inlined in each other at one place, addr2line leaves out some: what it
 * has must be there, with the same line, and in the same function.
 */
static bool is_same(const char *ours, const char *theirs, unsigned int *nr_more)
{
	const char *our_line = strchr(ours, ' '), *their_line = strchr(theirs, ' ');
	size_t length;

	if (!strcmp(ours, theirs))
		return true;
	if (!our_line || !their_line || strlen(ours) <= strlen(theirs))
		return false;
	length = strcspn(our_line, "\n") + 1;
	if (strncmp(our_line, their_line, length))
		return false;
	++*nr_more;
	return !strncmp(outermost(ours), outermost(theirs), strcspn(outermost(theirs), " ") + 1);
}

/* What is different between addr2line and LKST for every third byte of every function of @path; NULL: nothing. */
static const char *compare_with_addr2line(const char *path, unsigned int *ret_nr,
					  unsigned int *ret_inlined, unsigned int *ret_more)
{
	static char ours[8192], theirs[8192], wrong[20000], command[2 * PATH_MAX];
	static struct function functions[FUNCTIONS_MAX];
	struct lkst_code_names *n = lkst_code_names_new(NULL);
	unsigned int nr = list_functions(path, functions), i;
	struct lkst_binary b = { .nr = 1, .path = path };
	char line[64], list[128];
	FILE *f;
	u64 at;

	b.build_id = id_of(path, &b.bias);
	snprintf(list, sizeof(list), "%s/addresses", dir);
	f = fopen(list, "w");
	for (i = 0; i < nr; i++)
		for (at = 0; at < functions[i].size; at += 3)
			fprintf(f, "0x%llx\n", (unsigned long long)(functions[i].address + at));
	fclose(f);
	snprintf(command, sizeof(command), "addr2line -aife '%s' <%s; echo 0x", path, list);
	f = popen(command, "r");
	wrong[0] = 0;
	if (!f || !fgets(line, sizeof(line), f))
		return "addr2line does not work";
	for (i = 0; i < nr; i++)
		for (at = 0; at < functions[i].size; at += 3) {
			read_frames(f, theirs, sizeof(theirs));
			if (lkst_code_names_find(n, &b, functions[i].address + at - b.bias, &name))
				return "no memory";
			name_frames(&name, ours, sizeof(ours));
			/* Code of no line, of the compiler's own: addr2line has the symbol then. */
			if (strstr(theirs, ":?") || strstr(theirs, ":0\n"))
				continue;
			++*ret_nr;
			*ret_inlined += name.nr_frames > 1;
			if (!is_same(ours, theirs, ret_more) || !name.function ||
			    strcmp(name.function, functions[i].name) || name.offset != at)
				snprintf(wrong, sizeof(wrong),
					 "%s+%llx: LKST %s+%llx\n%s, addr2line\n%s",
					 functions[i].name, (unsigned long long)at,
					 name.function ?: name.why, (unsigned long long)name.offset,
					 ours, theirs);
		}
	pclose(f);
	lkst_code_names_free(n);
	return wrong[0] ? wrong : NULL;
}

TEST(code_names_agree_with_addr2line_and_nm)
{
	static const char *const hows[] = { PROBED_GCC, PROBED_PLAIN, PROBED_CLANG };
	unsigned int i, nr = 0, inlined = 0, more = 0;
	const char *wrong;

	make_scratch(dir);
	if (system("addr2line --version >/dev/null 2>&1"))
		SKIP("addr2line is not installed");
	for (i = 0; i < 3; i++) {
		wrong = compare_with_addr2line(probed_path(hows[i]), &nr, &inlined, &more);
		CHECK_STR(wrong ?: "", "");
	}
	CHECK(nr > 500);
	CHECK(inlined > 50);
	CHECK(more < nr / 10);
}

__attribute__((format(printf, 1, 2))) static bool run(const char *format, ...)
{
	char text[2 * PATH_MAX];
	size_t length = (size_t)snprintf(text, sizeof(text), "P='%s' D='%s'; exec 2>/dev/null; ",
					 probed_path(PROBED_GCC), dir);
	va_list args;

	va_start(args, format);
	vsnprintf(text + length, sizeof(text) - length, format, args);
	va_end(args);
	return !system(text);
}

/* How the beginning of function `walk` is shown if the trace says that it is in @path, of build @id. */
static const char *shown(const char *path, const char *id, u64 bias,
			 const struct lkst_code_names_options *o)
{
	static char text[LKST_CODE_TEXT + 512];
	static struct function functions[FUNCTIONS_MAX];
	unsigned int nr = list_functions(probed_path(PROBED_GCC), functions), i;
	struct lkst_binary b = { .nr = 1, .path = path, .build_id = id, .bias = bias };
	struct lkst_code_names *n = lkst_code_names_new(o);
	char *end = text;

	for (i = 0; i < nr && strcmp(functions[i].name, "walk"); i++)
		;
	if (i < nr && !lkst_code_names_find(n, &b, functions[i].address - bias + 4, &name)) {
		end = lkst_code_name_put(text, &b, functions[i].address, &name);
		end += sprintf(end, " %u %s", name.nr_frames > 0, name.why ?: "");
	}
	*end = 0;
	lkst_code_names_free(n);
	return text;
}

/* Containers have copies of one build at other paths, and some of them are gone. */
TEST(code_names_come_from_any_copy_that_is_left)
{
	char id[LKST_BUILD_ID_TEXT], real[PATH_MAX];
	struct lkst_binary_place third = { NULL, real, 0 }, second = { &third, "/nowhere/else", getpid() },
				 first = { &second, "", 0 };
	struct lkst_binary b = { .nr = 1, .path = "/nowhere", .build_id = id };
	static struct function functions[FUNCTIONS_MAX];
	struct lkst_code_names *n;
	unsigned int nr, walk;
	u64 bias;
	int i;

	snprintf(id, sizeof(id), "%s", id_of(probed_path(PROBED_GCC), &bias));
	snprintf(real, sizeof(real), "%s", probed_path(PROBED_GCC));
	nr = list_functions(real, functions);
	for (walk = 0; walk < nr && strcmp(functions[walk].name, "walk"); walk++)
		;
	CHECK(walk < nr);
	for (i = 0; i < 2; i++) {
		b.places = i ? &first : NULL;
		n = lkst_code_names_new(NULL);
		CHECK_EQ(lkst_code_names_find(n, &b, functions[walk].address + 4, &name), 0);
		CHECK_EQ(name.nr_frames > 0, i);
		lkst_code_names_free(n);
	}
}

TEST(code_names_are_only_of_the_build_that_the_trace_has)
{
	char path[PATH_MAX], id[LKST_BUILD_ID_TEXT], other[LKST_BUILD_ID_TEXT];
	u64 bias;

	make_scratch(dir);
	snprintf(path, sizeof(path), "%s", probed_path(PROBED_GCC));
	snprintf(id, sizeof(id), "%s", id_of(path, &bias));
	snprintf(other, sizeof(other), "%s", id_of(probed_path(PROBED_PLAIN), &bias));
	snprintf(path, sizeof(path), "%s", probed_path(PROBED_GCC));
	CHECK_EQ(strlen(id), 40);
	CHECK_STR(shown(path, id, 0, NULL), "walk+0x4[program.gcc-O2] 1 ");
	CHECK(strstr(shown(path, other, 0, NULL),
		     "[program.gcc-O2] 0 what is at its path on this machine is not its build"));
	CHECK(strstr(shown(path, "", 0, NULL), " 0 it has no build-id in the trace"));
	CHECK(strstr(shown("/nowhere", id, 0, NULL), " 0 there is no file of its build"));
	/* A build-id is part of a path: it may have no slash or dot in it. */
	CHECK(strstr(shown("/nowhere", "../../etc/passwd", 0, NULL),
		     " 0 there is no file of its build"));
}

/*
 * As debuginfod(8)'s clients keep it, and as /usr/lib/debug has it: the program itself is not there, or has no
 * names.
 */
TEST(code_names_come_from_debug_files)
{
	struct lkst_code_names_options o = { .directories = dir };
	char id[LKST_BUILD_ID_TEXT], stripped[128];
	u64 bias;

	make_scratch(dir);
	snprintf(id, sizeof(id), "%s", id_of(probed_path(PROBED_GCC), &bias));
	snprintf(stripped, sizeof(stripped), "%s/stripped", dir);
	if (!run("objcopy -S $P $D/stripped"))
		SKIP("objcopy does not work here");
	CHECK(strstr(shown(stripped, id, 0, &o), " 0 no symbol of it holds this place") ||
	      strstr(shown(stripped, id, 0, &o), " 0 it has no symbols"));
	CHECK(run("mkdir -p $D/%s && objcopy --only-keep-debug $P $D/%s/debuginfo", id, id));
	CHECK_STR(shown(stripped, id, 0, &o), "walk+0x4[stripped] 1 ");
	CHECK_STR(shown("/nowhere/x", id, 0, &o), "walk+0x4[x] 1 ");
	o.no_debug_info = true;
	CHECK_STR(shown("/nowhere/x", id, 0, &o), "walk+0x4[x] 0 ");
	CHECK(run("mkdir -p $D/%.2s && mv $D/%s/debuginfo $D/%.2s/%s.debug", id, id, id, id + 2));
	CHECK_STR(shown("/nowhere/x", id, 0, &o), "walk+0x4[x] 0 ");
	CHECK(run("rm -r $D/%.2s", id));
	CHECK(strstr(shown("/nowhere/x", id, 0, &o), "there is no file of its build"));
}

/* A library of the machine, whose code is not where its ELF headers have it, by dlsym(3). */
TEST(code_names_know_the_C_library)
{
	void *at = dlsym(RTLD_DEFAULT, "qsort");
	struct lkst_binary b = { .nr = 1 };
	struct lkst_code_names *n;
	Dl_info info;

	CHECK(at && dladdr(at, &info));
	if (!strstr(info.dli_fname, "libc.so"))
		SKIP("qsort is not the C library's: a sanitizer has its own");
	b.path = info.dli_fname;
	b.build_id = id_of(b.path, &b.bias);
	if (!b.build_id[0])
		SKIP("the C library has no build-id");
	n = lkst_code_names_new(NULL);
	CHECK_EQ(lkst_code_names_find(n, &b, (u64)at - (u64)info.dli_fbase - b.bias + 1, &name), 0);
	CHECK_STR(name.function ?: name.why, "qsort");
	CHECK_EQ(name.offset, 1);
	lkst_code_names_free(n);
}

/* ---- lists of JIT compilers ------------------------------------------------------------------- */

static const char *in_list(const char *list, u64 address)
{
	static char text[LKST_JIT_NAME_MAX + 32];
	_cleanup_(lkst_jit_map_freep) struct lkst_jit_map *m = NULL;
	const char *function;
	u64 offset = 0;

	if (lkst_jit_map_parse(list, strlen(list), &m))
		return "no memory";
	function = lkst_jit_map_find(m, address, &offset);
	snprintf(text, sizeof(text), "%s+%llu", function ?: "?", (unsigned long long)offset);
	return text;
}

TEST(jit_map_names_what_is_listed_last)
{
	static const char list[] =
		"1000 20 first one\n2000 100 second\n0x3000 10 third\n"
		"1010 8 later\nno line\n4000 0 empty\n5000 10\nffffffffffffffff 2 beyond\n6000 10 last";

	CHECK_STR(in_list(list, 0xfff), "?+0");
	CHECK_STR(in_list(list, 0x1000), "first one+0");
	CHECK_STR(in_list(list, 0x1010), "later+0");
	CHECK_STR(in_list(list, 0x1018), "first one+24");
	CHECK_STR(in_list(list, 0x1020), "?+0");
	CHECK_STR(in_list(list, 0x20ff), "second+255");
	CHECK_STR(in_list(list, 0x300f), "third+15");
	CHECK_STR(in_list(list, 0x4000), "?+0");
	CHECK_STR(in_list(list, 0x5000), "?+0");
	CHECK_STR(in_list(list, UINT64_MAX), "?+0");
	CHECK_STR(in_list(list, 0x600f), "last+15");
	CHECK_STR(in_list("", 0), "?+0");
}

/* A process with a mount namespace of its own, which writes its list there; -1: namespaces are not allowed here. */
static pid_t begin_inside(void)
{
	int told[2];
	char path[128], byte = 0;
	pid_t pid;

	if (pipe(told))
		return -1;
	pid = fork();
	if (!pid) {
		FILE *f;

		alarm(60);
		close(told[0]);
		if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
		    mount("none", dir, "tmpfs", 0, NULL))
			_exit(1);
		snprintf(path, sizeof(path), "%s/perf-%d.map", dir, getpid());
		f = fopen(path, "w");
		if (!f || fputs("7f00 100 compiled\n", f) < 0 || fclose(f) || write(told[1], "y", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(told[1]);
	if (read(told[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = -1;
	}
	close(told[0]);
	return pid;
}

TEST(jit_map_is_found_where_the_process_has_written_it)
{
	struct lkst_code_names_options o = { .jit_maps = dir };
	struct lkst_binary b = { .nr = 1, .kind = LKST_BINARY_MEMORY, .path = "", .build_id = "" };
	struct lkst_code_names *n;

	make_scratch(dir);
	b.pid = begin_inside();
	if (b.pid < 0) {
		printf("skip jit_map_is_found_where_the_process_has_written_it: no mount namespace can be made here\n");
		make_scratch_remove(dir);
		return;
	}
	n = lkst_code_names_new(&o);
	CHECK_EQ(lkst_code_names_find(n, &b, 0x7f10, &name), 0);
	CHECK_STR(name.function ?: name.why, "compiled");
	lkst_code_names_free(n);
	kill(b.pid, SIGKILL);
	waitpid(b.pid, NULL, 0);
	/* With the process its list is gone. */
	n = lkst_code_names_new(&o);
	CHECK_EQ(lkst_code_names_find(n, &b, 0x7f10, &name), 0);
	CHECK(!name.function && strstr(name.why, "there is no list of a JIT compiler"));
	lkst_code_names_free(n);
	make_scratch_remove(dir);
}

TEST(jit_map_is_no_link_and_belongs_to_someone_trusted)
{
	struct lkst_code_names_options o = { .jit_maps = dir };
	struct lkst_binary b = {
		.nr = 1, .kind = LKST_BINARY_MEMORY, .pid = 77, .path = "", .build_id = ""
	};
	struct lkst_code_names *n;

	make_scratch(dir);
	CHECK(run(
		"echo '7f00 100 compiled' >$D/perf-77.map; ln -s perf-77.map $D/perf-78.map; mkdir $D/perf-79.map"));
	n = lkst_code_names_new(&o);
	CHECK_EQ(lkst_code_names_find(n, &b, 0x7f10, &name), 0);
	CHECK_STR(name.function ?: name.why, "compiled");
	CHECK_EQ(name.offset, 0x10);
	b.nr++, b.pid++;
	CHECK_EQ(lkst_code_names_find(n, &b, 0x7f10, &name), 0);
	CHECK(!name.function && strstr(name.why, "there is no list of a JIT compiler"));
	b.nr++, b.pid++;
	CHECK_EQ(lkst_code_names_find(n, &b, 0x7f10, &name), 0);
	CHECK(!name.function && strstr(name.why, "is not of root"));
	/* Others number binaries by themselves: what was found for this number is of another process. */
	b.pid = 77;
	CHECK_EQ(lkst_code_names_find(n, &b, 0x7f10, &name), 0);
	CHECK_STR(name.function ?: name.why, "compiled");
	lkst_code_names_free(n);
	o.no_jit = true;
	n = lkst_code_names_new(&o);
	CHECK_EQ(lkst_code_names_find(n, &b, 0x7f10, &name), 0);
	CHECK(!name.function);
	lkst_code_names_free(n);
}

/* The loader knows where its functions are, too. Of another build nothing is said. */
TEST(code_names_know_the_vdso)
{
	void *vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *at = vdso ? dlsym(vdso, "__vdso_clock_gettime") : NULL;
	const u64 begin = getauxval(AT_SYSINFO_EHDR);
	struct lkst_code_names *n = lkst_code_names_new(NULL);
	struct lkst_binary b = { .nr = 1, .kind = LKST_BINARY_VDSO, .path = "[vdso]" };
	char id[LKST_BUILD_ID_TEXT] = "";
	int fd = open("/proc/self/mem", O_RDONLY);

	at = at ?: vdso ? dlsym(vdso, "__kernel_clock_gettime") : NULL;
	if (!at || !begin || fd < 0 || !lkst_build_id_of_file(fd, begin, id, &b.bias))
		SKIP("this process has no vdso with clock_gettime()");
	close(fd);
	b.build_id = id;
	CHECK_EQ(lkst_code_names_find(n, &b, (u64)at - begin + 1, &name), 0);
	CHECK(name.function && strstr(name.function, "clock_gettime"));
	CHECK_EQ(name.offset, 1);
	lkst_code_names_free(n);
	n = lkst_code_names_new(NULL);
	id[0] = id[0] == 'a' ? 'b' : 'a';
	CHECK_EQ(lkst_code_names_find(n, &b, (u64)at - begin + 1, &name), 0);
	CHECK(!name.function && strstr(name.why, "no file of its build"));
	lkst_code_names_free(n);
}

static const struct unit_test tests[] = {
	{ "jit_map_is_found_where_the_process_has_written_it",
	  test_jit_map_is_found_where_the_process_has_written_it },
	{ "code_names_know_the_vdso", test_code_names_know_the_vdso },
	{ "code_names_agree_with_addr2line_and_nm", test_code_names_agree_with_addr2line_and_nm },
	{ "code_names_come_from_any_copy_that_is_left", test_code_names_come_from_any_copy_that_is_left },
	{ "code_names_are_only_of_the_build_that_the_trace_has",
	  test_code_names_are_only_of_the_build_that_the_trace_has },
	{ "code_names_come_from_debug_files", test_code_names_come_from_debug_files },
	{ "code_names_know_the_C_library", test_code_names_know_the_C_library },
	{ "jit_map_names_what_is_listed_last", test_jit_map_names_what_is_listed_last },
	{ "jit_map_is_no_link_and_belongs_to_someone_trusted",
	  test_jit_map_is_no_link_and_belongs_to_someone_trusted },
};

UNIT_MAIN(tests)
