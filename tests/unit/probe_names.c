/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tier: check
 *
 * Functions by names that no symbol has as it is written: versions, aliases, a compiler's copies, indirect functions,
 * C++, and functions of another library.
 */
#include "lib/probed.h"
#include "lib/unit.h"
#include "probe/debuginfo/cpp_name.h"
#include "probe/debuginfo/image_open.h"
#include "probe/resolve/listing.h"

static const char *const all[] = { "debug", "symbols", "dynamic" };

/* The byte of the library at which @definition is the one probe; 0: it is none, or several. */
static unsigned long place(const char *how, const char *definition)
{
	const char *text = probed_library(how, definition), *at = strstr(text, ".so:0x");

	return !strchr(text, '\n') && at ? strtoul(at + 4, NULL, 16) : 0;
}

TEST(names_have_versions)
{
	for (int i = 0; i < 3; i++) {
		unsigned long now = place(all[i], "versioned");

		CHECK(now);
		CHECK_EQ(place(all[i], "versioned@@V2"), now);
		CHECK_EQ(place(all[i], "versioned@V2"), now);
		CHECK_EQ(place(all[i], "versioned\\@V2"), now);
		CHECK(place(all[i], "versioned@V1") && place(all[i], "versioned@V1") != now);
		CHECK(place(all[i], "gone@V1"));
		/* A glob has no older versions. */
		CHECK_EQ(place(all[i], "version*"), now);
		CHECK(strstr(probed_library(all[i], "gone"), "write gone@V1"));
		CHECK(strstr(probed_library(all[i], "versioned@V3"), "versioned"));
		CHECK(!place(all[i], "versioned@V3") && !place(all[i], "versioned@@V3"));
	}
	CHECK_EQ(place("debug", "versioned"), place("debug", "newer"));
	CHECK_EQ(place("symbols", "versioned"), place("symbols", "newer"));
	CHECK_EQ(place("symbols", "versioned@V1"), place("symbols", "older"));
}

/* Debug information knows the name of the source alone. */
TEST(names_lead_to_variables)
{
	CHECK(strstr(probed_library("debug", "versioned a"), " a=" PROBED_FIRST ":s32"));
	CHECK(strstr(probed_library("debug", "versioned@V1 a"), " a=" PROBED_FIRST ":s32"));
	CHECK(strstr(probed_library("debug", "alias a"), " a=" PROBED_FIRST ":s32"));
	CHECK(strstr(probed_library("debug", "piece.part.0 a"), " a=" PROBED_FIRST ":s32"));
	CHECK(strstr(probed_library("debug", "ns::V::burn(long) a"), " a=" PROBED_FIRST ":s64"));
	CHECK_EQ(place("debug", "alias"), place("debug", "in_source"));
	CHECK(strstr(probed_library("debug", "versioned:3"), "named.c:"));
}

TEST(names_have_copies)
{
	const char *text = probed_library("symbols", "copied");

	CHECK(strstr(text, "/copied_constprop") || strstr(text, "/copied "));
	CHECK(strchr(text, '\n') && !strchr(strchr(text, '\n') + 1, '\n'));
	CHECK(place("symbols", "copied.constprop.0"));
	/* A piece is not the function. */
	text = probed_library("symbols", "piece");
	CHECK(strstr(text, "no whole function piece") && strstr(text, "piece.part.0") &&
	      strstr(text, "piece.cold"));
	CHECK(place("symbols", "piece.cold"));
}

TEST(names_are_indirect)
{
	for (int i = 0; i < 3; i++) {
		CHECK(place(all[i], "chosen"));
		CHECK(strstr(probed_note(), "chosen is an indirect function"));
		place(all[i], "alias");
		CHECK_STR(probed_note(), "");
	}
}

TEST(names_of_cpp)
{
	for (int i = 0; i < 3; i++) {
		unsigned long of_long = place(all[i], "ns::V::burn(long)");

		CHECK(of_long && of_long == place(all[i], "_ZN2ns1V4burnEl"));
		CHECK_EQ(place(all[i], "ns::V::burn( long ) %ax"), of_long);
		CHECK(place(all[i], "ns::V::burn(int)") && place(all[i], "ns::V::burn(int)") != of_long);
		/* Two are called so. */
		CHECK(strstr(probed_library(all[i], "ns::V::burn"), "ns__V__burn_1 "));
		CHECK_EQ(place(all[i], "ns::Box<int>::grow"), place(all[i], "ns::Box::grow"));
		CHECK(!place(all[i], "ns::Box<long>::grow"));
		CHECK(place(all[i], "mine:same=ns::Box::grow"));
		CHECK(strstr(probed_library(all[i], "mine:same=ns::Box::grow"), ":mine/same "));
		CHECK(place(all[i], "ns::V::operator=="));
		CHECK(!place(all[i], "ns::V::burns") && !place(all[i], "V::burn(long)"));
	}
}

TEST(names_of_cpp_are_listed)
{
	const struct lkst_image_options o = { .program = probed_library_path("dynamic") };
	_cleanup_(lkst_image_closep) struct lkst_image *image = NULL;
	struct lkst_name_list list = { 0 };
	struct lkst_err e;

	CHECK_EQ(lkst_image_open(&e, &o, &image), 0);
	CHECK_EQ(lkst_list_functions(&e, image, "*burn*", &list), 0);
	CHECK_EQ(list.nr, 1);
	CHECK_STR(list.names[0], "ns::V::burn");
	lkst_name_list_fini(&list);
	CHECK_EQ(lkst_list_functions(&e, image, "_ZN2ns3Box*", &list), 0);
	CHECK_STR(list.names[0], "ns::Box<int>::grow");
	lkst_name_list_fini(&list);
	CHECK_EQ(lkst_list_functions(&e, image, "versioned*", &list), 0);
	CHECK_EQ(list.nr, 2);
	CHECK_STR(list.names[0], "versioned");
	CHECK_STR(list.names[1], "versioned@V1");
	lkst_name_list_fini(&list);
}

TEST(names_of_another_library)
{
	for (int i = 0; i < 3; i++) {
		CHECK(strstr(probed_library(all[i], "puts"), "it is in libc.so.6: -x /"));
		CHECK(strstr(probed_library(all[i], "puts:1"), "puts"));
		/* Not called, but in what it is linked to. */
		CHECK(strstr(probed_library(all[i], "fopen"), "it is in libc.so.6: -x /"));
		CHECK(!strstr(probed_library(all[i], "nosuch"), "it is in"));
	}
}

/* What c++filt -p makes of the same, and what is not read. */
TEST(names_of_cpp_are_read)
{
	static const char *const names[][2] = {
		{ "_ZN2ns1V4burnEl", "ns::V::burn" },
		{ "_ZN2ns1V4burnEl.constprop.0", "ns::V::burn" },
		{ "_Z4freei", "free" },
		{ "_ZN2ns1VC2Ei", "ns::V::V" },
		{ "_ZN2ns3BoxIiED0Ev", "ns::Box<int>::~Box" },
		{ "_ZNK2ns1VeqERKS0_", "ns::V::operator==" },
		{ "_ZN2ns1VcvbEv", "ns::V::operator bool" },
		{ "_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f" },
		{ "_ZNSt6vectorIiSaIiEE9push_backERKi", "std::vector<int, std::allocator<int> >::push_back" },
		{ "_Z3maxIiET_S0_S0_", "max<int>" },
		{ "_ZN1AILj8ELb1ELln3EE1fEv", "A<8u, true, -3l>::f" },
		{ "_ZlsIcERSoS0_T_", "operator<< <char>" },
		{ "_ZN4llvm15AnalysisManagerINS_8FunctionEJEE5clearEv",
		  "llvm::AnalysisManager<llvm::Function>::clear" },
		{ "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc",
		  "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::append" },
	};
	static const char *const others[] = { "main", "_Z", "_ZN", "_ZNE", "_ZN99999aE", "_ZN1", "_ZS_",
					      "_ZN2ns1VC", "_ZZ4mainENKUlvE_clEv", "_ZN1AIXsr1BE1fEv",
					      "_Z3maxIT9_E", "_ZS99999999999_f", "_ZN1AIE" };
	char text[LKST_CPP_NAME], deep[3000];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		CHECK(lkst_cpp_name(names[i][0], text));
		CHECK_STR(text, names[i][1]);
		CHECK(lkst_cpp_means(names[i][1], names[i][0]));
	}
	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		CHECK(!lkst_cpp_name(others[i], text));
	/* Parameters that are not read do not hide the name. */
	CHECK(lkst_cpp_name("_ZN2ns4callEPFviE", text) && !strcmp(text, "ns::call"));
	CHECK(lkst_cpp_means("ns::V::burn(long)", "_ZN2ns1V4burnEl"));
	CHECK(!lkst_cpp_means("ns::V::burn(int)", "_ZN2ns1V4burnEl"));
	/* Each refers to the one before it twice, and types are nested without end: neither gets far. */
	strcpy(deep, "_Z1fI1AE");
	for (i = 0; i < 40; i++)
		sprintf(deep + strlen(deep), "1BIS%.*s_S%.*s_E", i > 0, "0", i > 0, "0");
	(void)lkst_cpp_means("f(x)", deep);
	memset(deep, 'P', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = 0;
	memcpy(deep, "_Z1f", 4);
	CHECK(!lkst_cpp_means("f(x)", deep));
}

static const struct unit_test tests[] = {
	{ "names_have_versions", test_names_have_versions },
	{ "names_lead_to_variables", test_names_lead_to_variables },
	{ "names_have_copies", test_names_have_copies },
	{ "names_are_indirect", test_names_are_indirect },
	{ "names_of_cpp", test_names_of_cpp },
	{ "names_of_cpp_are_listed", test_names_of_cpp_are_listed },
	{ "names_of_another_library", test_names_of_another_library },
	{ "names_of_cpp_are_read", test_names_of_cpp_are_read },
};

UNIT_MAIN(tests)
