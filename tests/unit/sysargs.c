// SPDX-License-Identifier: GPL-2.0-only
/*
 * tier: check
 *
 * Arguments and results of system calls as text.
 */
#include "print/sysargs.h"

#include "lib/unit.h"

static char text[LKST_SYSARG_ROOM + 1];

static const char *arg(u8 meaning, u64 value)
{
	*lkst_put_sysarg(text, meaning, value) = 0;
	return text;
}

static const char *result(u8 meaning, s64 value)
{
	*lkst_put_sysresult(text, meaning, value) = 0;
	return text;
}

#define CHECK_ARG(word, value, expected) CHECK_STR(arg(LKST_SYS_##word, value), expected)
#define CHECK_RESULT(word, value, expected) CHECK_STR(result(LKST_SYS_##word, value), expected)

TEST(sysargs_prints_numbers)
{
	CHECK_ARG(fd, 3, "3");
	CHECK_ARG(fd, (u64)-1, "-1");
	CHECK_ARG(fd, 0xffffffff, "-1");
	CHECK_ARG(uint, 0xffffffff, "4294967295");
	CHECK_ARG(size, ~0ULL, "18446744073709551615");
	CHECK_ARG(off, (u64)-4096, "-4096");
	CHECK_ARG(hexlong, 0, "0");
	CHECK_ARG(hexlong, 0x28000, "0x28000");
	CHECK_ARG(ptr, 0, "NULL");
	CHECK_ARG(path, 0x7ffc12345678, "0x7ffc12345678");
	CHECK_ARG(timeout_ms, 0xffffffff, "-1");
	CHECK_ARG(uid, 1000, "1000");
	CHECK_ARG(gid, 0xffffffff, "-1");
	CHECK_ARG(uid16, 0xffff, "-1");
	CHECK_ARG(none, 0x10, "16");
	CHECK_STR(arg(255, 0x10), "0x10");
}

TEST(sysargs_names_flags)
{
	CHECK_ARG(open_flags, 0x80000, "O_RDONLY|O_CLOEXEC");
	CHECK_ARG(open_flags, 0x241, "O_WRONLY|O_CREAT|O_TRUNC");
	CHECK_ARG(open_flags, 0, "O_RDONLY");
	CHECK_ARG(open_flags, 0x410002, "O_RDWR|O_TMPFILE");
	CHECK_ARG(open_flags, 0x40000000, "O_RDONLY|0x40000000");
	CHECK_ARG(open_flags_arm64, 0x84000, "O_RDONLY|O_CLOEXEC|O_DIRECTORY");
	CHECK_ARG(open_flags_arm64, 0x404002, "O_RDWR|O_TMPFILE");
	CHECK_ARG(open_flags_arm64, 0x38000, "O_RDONLY|O_DIRECT|O_LARGEFILE|O_NOFOLLOW");
	CHECK_ARG(prot, 0, "PROT_NONE");
	CHECK_ARG(prot, 3, "PROT_READ|PROT_WRITE");
	CHECK_ARG(prot, 0x40, "0x40 /* PROT_??? */");
	CHECK_ARG(map_flags, 0x22, "MAP_PRIVATE|MAP_ANONYMOUS");
	CHECK_ARG(map_flags, 0x54040022,
		  "MAP_PRIVATE|MAP_ANONYMOUS|MAP_HUGETLB|21<<MAP_HUGE_SHIFT");
	CHECK_ARG(access_mode, 0, "F_OK");
	CHECK_ARG(access_mode, 6, "R_OK|W_OK");
	CHECK_ARG(at_flags, 0, "0");
	CHECK_ARG(at_flags, 0x1000, "AT_EMPTY_PATH");
	CHECK_ARG(statx_flags, 0x1800, "AT_STATX_SYNC_AS_STAT|AT_NO_AUTOMOUNT|AT_EMPTY_PATH");
	CHECK_ARG(wait_options, 11, "WNOHANG|WSTOPPED|WCONTINUED");
	CHECK_ARG(socket_type, 0x80802, "SOCK_DGRAM|SOCK_CLOEXEC|SOCK_NONBLOCK");
	CHECK_ARG(msg_flags, 0x4000, "MSG_NOSIGNAL");
	CHECK_ARG(mount_flags, 0xc0ed0001, "MS_MGC_VAL|MS_RDONLY");
}

TEST(sysargs_names_values)
{
	CHECK_ARG(whence, 1, "SEEK_CUR");
	CHECK_ARG(whence, 99, "0x63 /* SEEK_??? */");
	CHECK_ARG(clockid, 1, "CLOCK_MONOTONIC");
	CHECK_ARG(fcntl_cmd, 1030, "F_DUPFD_CLOEXEC");
	CHECK_ARG(epoll_op, 1, "EPOLL_CTL_ADD");
	CHECK_ARG(epoll_op, 0, "0 /* EPOLL_CTL_??? */");
	CHECK_ARG(madvice, 4, "MADV_DONTNEED");
	CHECK_ARG(rusage_who, (u64)-1, "RUSAGE_CHILDREN");
	CHECK_ARG(socket_family, 1, "AF_UNIX");
	CHECK_ARG(sigmask_how, 2, "SIG_SETMASK");
	CHECK_ARG(atfd, (u64)-100, "AT_FDCWD");
	CHECK_ARG(atfd, 5, "5");
	CHECK_ARG(rlimit, 7, "RLIMIT_NOFILE");
	CHECK_ARG(prctl_op, 15, "PR_SET_NAME");
	CHECK_ARG(prctl_op, 0x53564d41, "PR_SET_VMA");
	CHECK_ARG(arch_prctl_op, 0x1002, "ARCH_SET_FS");
	CHECK_ARG(bpf_cmd, 5, "BPF_PROG_LOAD");
	CHECK_ARG(keyring, (u64)-3, "KEY_SPEC_SESSION_KEYRING");
	CHECK_ARG(keyring, 77, "77");
}

TEST(sysargs_prints_signals)
{
	CHECK_ARG(signal, 0, "0");
	CHECK_ARG(signal, 9, "SIGKILL");
	CHECK_ARG(signal, 32, "SIGRTMIN");
	CHECK_ARG(signal, 34, "SIGRT_2");
	CHECK_ARG(signal, 64, "SIGRT_32");
	CHECK_ARG(signal, 65, "65");
	CHECK_ARG(signal, (u64)-1, "-1");
}

TEST(sysargs_prints_clone_flags)
{
	CHECK_ARG(clone_flags, 0x4111, "CLONE_VM|CLONE_VFORK|SIGCHLD");
	CHECK_ARG(clone_flags, 0x1200011, "CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD");
	CHECK_ARG(clone_flags, 17, "SIGCHLD");
	CHECK_ARG(clone_flags, 0, "0");
	CHECK_ARG(unshare_flags, 0x80, "CLONE_NEWTIME");
}

TEST(sysargs_prints_futexes)
{
	CHECK_ARG(futex_op, 0, "FUTEX_WAIT");
	CHECK_ARG(futex_op, 128, "FUTEX_WAIT_PRIVATE");
	CHECK_ARG(futex_op, 129, "FUTEX_WAKE_PRIVATE");
	CHECK_ARG(futex_op, 0x189, "FUTEX_WAIT_BITSET_PRIVATE|FUTEX_CLOCK_REALTIME");
	CHECK_ARG(futex_op, 0x1001, "0x1001 /* FUTEX_??? */");
	CHECK_ARG(futex_val3, 0xffffffff, "FUTEX_BITSET_MATCH_ANY");
	CHECK_ARG(futex_val3, 0, "0");
}

TEST(sysargs_prints_modes)
{
	CHECK_ARG(mode, 0644, "0644");
	CHECK_ARG(mode, 0, "000");
	CHECK_ARG(mode, 022, "022");
	CHECK_ARG(mode, 07777, "07777");
	CHECK_ARG(file_mode, 0020620, "S_IFCHR|0620");
	CHECK_ARG(file_mode, 0104755, "S_IFREG|S_ISUID|0755");
	CHECK_ARG(file_mode, 0666, "0666");
	CHECK_ARG(dev, 0x103, "makedev(0x1, 0x3)");
	CHECK_ARG(dev, 0xfff00, "makedev(0xfff, 0)");
}

TEST(sysargs_prints_what_has_parts)
{
	CHECK_ARG(ioctl_cmd, 0x5401, "TCGETS");
	CHECK_ARG(ioctl_cmd, 0xc0105455, "_IOC(_IOC_READ|_IOC_WRITE, 0x54, 0x55, 0x10)");
	CHECK_ARG(ioctl_cmd, 0, "_IOC(_IOC_NONE, 0, 0, 0)");
	CHECK_ARG(ioprio, 0x4004, "IOPRIO_PRIO_VALUE(IOPRIO_CLASS_BE, 4)");
	CHECK_ARG(quota_cmd, 0x80000700, "QCMD(Q_GETQUOTA, USRQUOTA)");
	CHECK_ARG(ipc_key, 0, "IPC_PRIVATE");
	CHECK_ARG(ipc_key, 0x1234, "0x1234");
	CHECK_ARG(ipc_get_flags, 01600, "IPC_CREAT|0600");
	CHECK_ARG(ipc_get_flags, 0, "000");
	CHECK_ARG(shmctl_cmd, 0x100, "IPC_64|IPC_RMID");
	CHECK_ARG(sched_policy, 0x40000001, "SCHED_FIFO|SCHED_RESET_ON_FORK");
	CHECK_ARG(personality, 0x40000, "PER_LINUX|ADDR_NO_RANDOMIZE");
	CHECK_ARG(personality, 0xffffffff, "0xffffffff");
}

TEST(sysargs_prints_results)
{
	CHECK_RESULT(ret, 0, "0");
	CHECK_RESULT(ret, 832, "832");
	CHECK_RESULT(retfd, 3, "3");
	CHECK_RESULT(retptr, 0x7f1234567000, "0x7f1234567000");
	CHECK_RESULT(retptr, 0, "0");
	CHECK_RESULT(retmode, 022, "022");
	CHECK_RESULT(retuid, 0xfffffffe, "4294967294");
	CHECK_RESULT(retvoid, 0, "?");
	CHECK_RESULT(ret, -4096, "-4096");
}

TEST(sysargs_prints_errors)
{
	CHECK_RESULT(retfd, -2, "-1 ENOENT (No such file or directory)");
	CHECK_RESULT(retptr, -12, "-1 ENOMEM (Cannot allocate memory)");
	CHECK_RESULT(retpid, -10, "-1 ECHILD (No child processes)");
	CHECK_RESULT(ret, -133, "-1 EHWPOISON (Memory page has hardware error)");
	CHECK_RESULT(ret, -512, "? ERESTARTSYS (To be restarted if SA_RESTART is set)");
	CHECK_RESULT(ret, -516, "? ERESTART_RESTARTBLOCK (Interrupted by signal)");
	CHECK_RESULT(ret, -4095, "-1 (errno 4095)");
	CHECK_RESULT(retreg, -2, "0xfffffffffffffffe");
}

/* Whatever the value, the room that is promised is enough. */
TEST(sysargs_stays_in_its_room)
{
	static char room[2 * LKST_SYSARG_ROOM];
	u64 seed = 1;

	for (unsigned int m = 0; m < 256; m++) {
		for (unsigned int i = 0; i < 300; i++) {
			u64 value = i < 64    ? 1ULL << i
				    : i < 128 ? ~0ULL >> (i - 64)
				    : i < 192 ? ~0ULL << (i - 128)
					      : (seed = seed * 6364136223846793005ULL +
							1442695040888963407ULL);

			CHECK(lkst_put_sysarg(room, (u8)m, value) - room <= LKST_SYSARG_ROOM);
			CHECK(lkst_put_sysarg(room, (u8)m, value) > room);
			CHECK(lkst_put_sysresult(room, (u8)m, (s64)value) - room <=
			      LKST_SYSARG_ROOM);
		}
	}
	/* All flags at once are more than fit: names as far as they go, then the other bits. */
	*lkst_put_sysarg(room, LKST_SYS_msg_flags, 0xffffffff) = 0;
	CHECK(strlen(room) > 300);
	CHECK(strstr(room, "|0x"));
}

/* The tables as the rules of sysflags.def want them. */
struct row {
	const char *table, *name;
	bool is_case;
	u64 value, mask;
};

static const struct row rows[] = {
#define SYSTABLE(word, mask, unknown) { #word, NULL, false, 0, mask },
#define CASE(value, name) { NULL, name, true, value, 0 },
#define FLAG(value, name) { NULL, name, false, value, 0 },
#define END
#include "print/sysflags.def"
#include "print/sysnames.def"
#undef SYSTABLE
#undef CASE
#undef FLAG
#undef END
};

/* Sorted, each value under the mask, and none after a flag. */
static void check_case(const struct row *table, const struct row *r)
{
	CHECK(!(r->value & ~table->mask));
	CHECK(r[-1].table || (r[-1].is_case && r[-1].value < r->value));
}

/* Not hidden by a flag before it, which would take bits away; 0 comes first. */
static void check_flag(const struct row *table, const struct row *r)
{
	CHECK(r->value || r[-1].table);
	for (const struct row *f = table + 1; f < r; f++)
		CHECK(f->is_case || !f->value || (f->value & ~r->value));
}

TEST(sysargs_tables_are_sound)
{
	const struct row *table = NULL;

	for (const struct row *r = rows; r < rows + sizeof(rows) / sizeof(rows[0]); r++) {
		if (r->table) {
			table = r;
			continue;
		}
		CHECK(strlen(r->name) < 60);
		if (r->is_case)
			check_case(table, r);
		else
			check_flag(table, r);
		if (unit_failed)
			fprintf(stderr, "in %s: %s\n", table->table, r->name);
		if (unit_failed)
			return;
	}
}

static const struct unit_test tests[] = {
	{ "sysargs_prints_numbers", test_sysargs_prints_numbers },
	{ "sysargs_names_flags", test_sysargs_names_flags },
	{ "sysargs_names_values", test_sysargs_names_values },
	{ "sysargs_prints_signals", test_sysargs_prints_signals },
	{ "sysargs_prints_clone_flags", test_sysargs_prints_clone_flags },
	{ "sysargs_prints_futexes", test_sysargs_prints_futexes },
	{ "sysargs_prints_modes", test_sysargs_prints_modes },
	{ "sysargs_prints_what_has_parts", test_sysargs_prints_what_has_parts },
	{ "sysargs_prints_results", test_sysargs_prints_results },
	{ "sysargs_prints_errors", test_sysargs_prints_errors },
	{ "sysargs_stays_in_its_room", test_sysargs_stays_in_its_room },
	{ "sysargs_tables_are_sound", test_sysargs_tables_are_sound },
};
UNIT_MAIN(tests)
