// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes system calls that fail for reasons that are known, and prints the name and the error of each: "NAME ERROR". The
 * arguments are a file that only root may read, and one on a full file system. Two of the calls are made by a child.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_DESCRIPTOR = 999 };

static void expect(const char *name, const char *error, int number, long result)
{
	if (result == -1 && errno == number)
		printf("%s %s\n", name, error);
	else
		printf("%s: %ld, %s, not %s\n", name, result, strerror(errno), error);
	fflush(stdout);
}

#define EXPECT(error, name, ...) expect(#name, #error, error, syscall(SYS_##name, __VA_ARGS__))

/* Until there is no space left. */
static long fill(const char *path)
{
	static char block[65536];
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	long result;

	while ((result = write(fd, block, sizeof(block))) > 0)
		;
	return result;
}

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	if (argc < 3)
		return 2;
	EXPECT(ENOENT, openat, AT_FDCWD, "/no/such/file", O_RDONLY);
	EXPECT(ENOENT, openat, AT_FDCWD, "/no/such/file", O_RDONLY);
	EXPECT(EISDIR, openat, AT_FDCWD, "/", O_WRONLY);
	EXPECT(EEXIST, mkdirat, AT_FDCWD, "/", 0700);
	EXPECT(EFAULT, mkdirat, AT_FDCWD, (char *)8, 0700);
	EXPECT(EBADF, read, NO_DESCRIPTOR, NULL, 0);
	EXPECT(EBADF, close, NO_DESCRIPTOR);
	EXPECT(ENOTDIR, chdir, argv[1]);
	expect("write", "ENOSPC", ENOSPC, fill(argv[2]));
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(1);
		EXPECT(EACCES, openat, AT_FDCWD, argv[1], O_RDONLY);
		EXPECT(EPERM, setuid, 0);
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid && !status ? 7 : 1;
}
