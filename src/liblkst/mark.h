/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Marks: what a program says of itself, on one time line with what the kernel does for it. Link with -llkst.
 *
 *	lkst_mark("commit", id);			it came to a place
 *	lkst_span_begin("query", id);			it began something, which may end in another thread
 *	lkst_span_end("query", id);
 *	lkst_value("queue length", n);			a number that changes along the time
 *
 *	static struct lkst_mark_event commit =
 *		LKST_MARK_EVENT("commit: u64 id, u32 pages, string path");
 *	LKST_MARK(&commit, id, pages, path);		an event with fields of its own
 *
 * A call makes no system call, takes no lock and never waits, and it may be made in signal handlers; but the first one
 * of a process, and the first one of each thread that is recorded, makes a few system calls to prepare memory. While no
 * recording wants marks, a call is a load and a compare. All functions return nothing: what could not be recorded is
 * counted, and the recording's ledger has the count. Names have up to LKST_MARK_NAME - 1 bytes; longer ones are cut.
 *
 * Works from Linux 5.14 on, in 64-bit programs, from C (GNU or C11) and from C++. doc/marks.md has more.
 */
#ifndef LKST_MARK_H
#define LKST_MARK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if UINTPTR_MAX < UINT64_MAX
#error "marks are recorded of 64-bit programs only"
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum {
	LKST_MARK_NAME = 64,   /* bytes of a name, with its NUL */
	LKST_MARK_FIELDS = 16, /* of a described event */
	LKST_MARK_STRING =
		256, /* bytes of a field that is a string, with its NUL; longer ones are cut */
};

/*
 * An event that the program describes in one line: "NAME: TYPE FIELD, TYPE FIELD ...", or "NAME". Types are u8 u16 u32
 * u64 s8 s16 s32 s64, x8 x16 x32 x64 (shown in hexadecimal) and string; strings come last. Names are words of C. The
 * text is read once, when the event is recorded first, and need not stay. An event that cannot be read is not recorded.
 */
struct lkst_mark_event {
	const char *text;
	uint32_t id;	   /* the library's; 0: the text was not read yet */
	uint32_t reserved; /* 0 */
};
#ifdef __cplusplus
#define LKST_MARK_EVENT(text)                                                                      \
	{                                                                                          \
		text, 0, 0                                                                         \
	}
#else
#define LKST_MARK_EVENT(text)                                                                      \
	{                                                                                          \
		(text), 0, 0                                                                       \
	}
#endif

/* ---- private: what the inline functions need ---- */

enum lkst_mark_kind {
	LKST_MARK_KIND_MARK = 1,
	LKST_MARK_KIND_BEGIN,
	LKST_MARK_KIND_END,
	LKST_MARK_KIND_VALUE,
};

/* Not 0 while a recording wants marks, or while that is not known yet. */
extern const volatile uint64_t *lkst_mark_wanted;

void lkst_mark_record(enum lkst_mark_kind kind, const char *name, size_t length, uint64_t value);
void lkst_mark_record_fields(struct lkst_mark_event *event, unsigned int nr,
			     const uint64_t *values);

#define LKST_MARK_IS_WANTED() __builtin_expect(*lkst_mark_wanted != 0, 0)

/* ---- for programs ---- */

/* What cannot include this file (Python's ctypes, dlsym(3)) finds the same functions in the library. */
#ifdef LKST_MARK_NO_INLINE
void lkst_mark(const char *name, uint64_t id);
void lkst_span_begin(const char *name, uint64_t span);
void lkst_span_end(const char *name, uint64_t span);
void lkst_value(const char *name, int64_t value);
#else
/* The program came to a place. @id: what it is about, any number. */
static inline void lkst_mark(const char *name, uint64_t id)
{
	if (LKST_MARK_IS_WANTED())
		lkst_mark_record(LKST_MARK_KIND_MARK, name, strlen(name), id);
}

/*
 * A span begins, and ends. @span is a number of the program's choice, by which the two belong together, whichever
 * threads they are of; 0: the same thread ends the span that it began last under this name.
 */
static inline void lkst_span_begin(const char *name, uint64_t span)
{
	if (LKST_MARK_IS_WANTED())
		lkst_mark_record(LKST_MARK_KIND_BEGIN, name, strlen(name), span);
}

static inline void lkst_span_end(const char *name, uint64_t span)
{
	if (LKST_MARK_IS_WANTED())
		lkst_mark_record(LKST_MARK_KIND_END, name, strlen(name), span);
}

/* The number called @name is @value from now on. */
static inline void lkst_value(const char *name, int64_t value)
{
	if (LKST_MARK_IS_WANTED())
		lkst_mark_record(LKST_MARK_KIND_VALUE, name, strlen(name), (uint64_t)value);
}
#endif

/* True while a recording wants marks: for arguments that take time to find. */
static inline int lkst_mark_is_wanted(void)
{
	return LKST_MARK_IS_WANTED();
}

/*
 * The span is given to another thread, or process: what follows under its number is done there. @to_tid: which thread,
 * 0: whoever takes it.
 */
void lkst_handover(uint64_t span, int32_t to_tid);

/*
 * The span belongs to the request that @traceparent names, a header of W3C Trace Context:
 * "00-<32 hexadecimal digits>-<16>-<2>". What is not of that form is not recorded.
 */
void lkst_mark_traceparent(uint64_t span, const char *traceparent);

/*
 * Records @event, a struct lkst_mark_event *, with a value for each of its fields, at most LKST_MARK_FIELDS: an
 * integer, or a pointer to a string, NULL: an empty one. With more or fewer values than fields, nothing is recorded.
 */
#define LKST_MARK(event, ...)                                                                      \
	do {                                                                                       \
		if (LKST_MARK_IS_WANTED()) {                                                       \
			const uint64_t lkst_values_[] = { 0 LKST_MARK_EACH_(__VA_ARGS__) };        \
			lkst_mark_record_fields(                                                   \
				event, sizeof(lkst_values_) / sizeof(lkst_values_[0]) - 1,         \
				lkst_values_ + 1);                                                 \
		}                                                                                  \
	} while (0)

#define LKST_MARK_NR_(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, nr,   \
		      ...)                                                                         \
	nr
#define LKST_MARK_EACH_(...)                                                                       \
	LKST_MARK_JOIN_(LKST_MARK_, LKST_MARK_NR_(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8,   \
						  7, 6, 5, 4, 3, 2, 1, 0))                         \
	(__VA_ARGS__)
#define LKST_MARK_JOIN_(a, b) LKST_MARK_JOINED_(a, b)
#define LKST_MARK_JOINED_(a, b) a##b##_
#define LKST_MARK_VALUE_(v) , (uint64_t)(uintptr_t)(v)
#define LKST_MARK_1_(v) LKST_MARK_VALUE_(v)
#define LKST_MARK_2_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_1_(__VA_ARGS__)
#define LKST_MARK_3_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_2_(__VA_ARGS__)
#define LKST_MARK_4_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_3_(__VA_ARGS__)
#define LKST_MARK_5_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_4_(__VA_ARGS__)
#define LKST_MARK_6_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_5_(__VA_ARGS__)
#define LKST_MARK_7_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_6_(__VA_ARGS__)
#define LKST_MARK_8_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_7_(__VA_ARGS__)
#define LKST_MARK_9_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_8_(__VA_ARGS__)
#define LKST_MARK_10_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_9_(__VA_ARGS__)
#define LKST_MARK_11_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_10_(__VA_ARGS__)
#define LKST_MARK_12_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_11_(__VA_ARGS__)
#define LKST_MARK_13_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_12_(__VA_ARGS__)
#define LKST_MARK_14_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_13_(__VA_ARGS__)
#define LKST_MARK_15_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_14_(__VA_ARGS__)
#define LKST_MARK_16_(v, ...) LKST_MARK_VALUE_(v) LKST_MARK_15_(__VA_ARGS__)

#ifdef __cplusplus
}
#endif

#endif
