/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A trace directory that gets its name when all of it is on the disk. Until then it is called .NAME.UUID, with the
 * trace's UUID: whatever is called NAME is whole, even after a kill or a crash of the machine, and what these leave
 * is recognised by its name.
 */
#ifndef LKST_TRACE_WRITE_PUBLISH_H
#define LKST_TRACE_WRITE_PUBLISH_H

#include "trace/write/writer.h"

struct lkst_publication;

/* A name in a directory, with its NUL. */
enum { LKST_PUBLISH_NAME = 256 };

/*
 * Begins the trace @name in directory @dir, which must exist. The caller writes it with
 * lkst_publish_writer() and ends it with lkst_publish_close(). @access: who may read it; must stay until then.
 */
int lkst_publish_open(struct lkst_err *e, const struct lkst_access *access, const char *dir, const char *name,
		      const struct lkst_catalog *c, struct lkst_publication **ret_publication);

/* Borrowed: lkst_publish_close() closes it. */
struct lkst_writer *lkst_publish_writer(const struct lkst_publication *p);

/*
 * Brings the trace to the disk, gives it its name, and brings that to the disk. When it returns 0, both outlast a
 * crash of the machine. If NAME is taken, it is called NAME.2, NAME.3 and so on; @ret_name is that name. @err:
 * what went wrong before, or 0; then, and on failure here, the trace is removed.
 */
int lkst_publish_close(struct lkst_err *e, struct lkst_publication *p, int err,
		       char ret_name[LKST_PUBLISH_NAME]);

/*
 * Ends the trace without a name: closes its files, calls @use with @ctx and the path of its directory, and removes it.
 * @err: what went wrong before, or 0; then @use is not called.
 */
typedef int lkst_publish_user(struct lkst_err *e, void *ctx, const char *dir);
int lkst_publish_use(struct lkst_err *e, struct lkst_publication *p, int err,
		     lkst_publish_user *use, void *ctx);

/*
 * Looks in directory @dir for a trace with @uuid whose name begins with @prefix. 1: there is one that has been
 * published, @ret_name, and its name is on the disk; 0: there is none. Only directories count that belong to this
 * user and that no other user can write to. Removes what calls that were killed have left of such a trace: the
 * caller makes sure that nobody is writing one.
 */
int lkst_publish_find(struct lkst_err *e, const char *dir, const char *prefix, const u8 uuid[16],
		      char ret_name[LKST_PUBLISH_NAME]);

/*
 * Removes what calls that were killed have left in directory @dir, of any trace whose name begins with @prefix: the
 * caller makes sure that nobody is writing one there. What fails is left.
 */
void lkst_publish_remove_left(const char *dir, const char *prefix);

#endif
