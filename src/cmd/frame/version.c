/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lkst this is, and which versions it speaks of what it shares with others. */
#include "cmd/frame/version.h"

#include "abi/handler.h"
#include "abi/note.h"
#include "abi/state.h"
#include "base/version.h"
#include "trace/format/metadata_layout.h"
#include "trace/write/wire.h"

const char *lkst_version_left_out(void)
{
	return LKST_LEFT_OUT;
}

void lkst_version_print(FILE *to)
{
	fprintf(to,
		"lkst " LKST_VERSION "\n"
		"memory layout %d, notes in crash dumps %d, handlers %d, service protocol %d, "
		"traces CTF 1.8, format %d\n",
		LKST_ABI_VERSION, LKST_NOTE_VERSION, LKST_HANDLER_VERSION, LKST_WIRE_VERSION,
		LKST_CTF_FORMAT);
	if (LKST_LEFT_OUT[0])
		fprintf(to, "built without " LKST_LEFT_OUT "\n");
}
