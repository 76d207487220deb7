/* SPDX-License-Identifier: GPL-2.0-only */
/* Incidents as lines of text, of which the cause is known by construction, and what commands answer about them. */
#ifndef LKST_TESTS_INCIDENT_H
#define LKST_TESTS_INCIDENT_H

#include "abi/types.h"

/* Numbers of system calls on x86-64, as the switch has them. */
enum {
	READ = 0,
	WRITE = 1,
	NANOSLEEP = 230,
	FUTEX = 202,
	FSYNC = 74,
	CONNECT = 42,
	ACCEPT = 43,
	KILL = 62,
	POLL = 7,
	SEMOP = 65,
	FCNTL = 72,
	FLOCK = 73,
	EPOLL_WAIT = 232,
	IO_URING_ENTER = 426,
	NO_CALL = -1
};

/* prev_state */
enum { RUNNABLE, ASLEEP = 1, DISK_SLEEP = 2, STOPPED = 4, TRACED = 8, KILLABLE = 0x102, FROZEN = 0x8000 };

/* Adds a line, in the form of make_trace.h. */
void add(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Drops the lines so far. */
void begin(void);

/* The name of thread @tid. */
void name(s32 tid, const char *comm);

/* At @us, thread @tid leaves CPU @cpu to @next: it is in state @state, in system call @call with @args. */
void leave(u64 us, u32 cpu, s32 tid, s32 next, int state, int call, const char *args);

/* Thread @tid, which runs on CPU @cpu in system call @call, wakes @target. */
void wake(u64 us, u32 cpu, s32 tid, s32 target, int call);

/* A timer's interrupt does. */
void timer_wakes(u64 us, u32 cpu, s32 tid, s32 target);

/* Writes the lines as the trace TRACE in @dir, in place of the one before. */
void make(char dir[64]);

/* What `lkst why` answers to @words about the lines; "" and `message`: an error. */
const char *ask(const char *words);

/* What `lkst analyze` answers to @words about the lines. */
const char *analyze(const char *words);

/* What the answer is when its lines are not broken. */
const char *ask_in_one_line(void);

/* Process @pid with one thread; that closes are recorded is seen by one. */
void process(s32 pid, const char *comm);

/* Thread @tid calls @name at @us, which returns @ret half a microsecond later. */
void call(u64 us, u32 cpu, s32 tid, const char *name, const char *args, int ret);

/* Process @tid has file @path as descriptor @fd; and is connected to @port, by 4. */
void opens(u64 us, u32 cpu, s32 tid, const char *path, int fd);
void connects(u64 us, s32 tid, int port);

/* Thread @tid sends on descriptor 4. */
void sends(u64 us, s32 tid);

/*
 * Thread 10 sleeps with the lock at 0x1000 that 20 and 21 want, 50 ms at a time, as often as @nr. The second wait of 20
 * is in a span.
 */
void make_convoy(unsigned int nr, bool has_span);

#endif
