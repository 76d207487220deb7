/* SPDX-License-Identifier: GPL-2.0-only */
/* Which lkst this is, and which versions it speaks of what it shares with others. */
#include "cmd/version.h"

#include "abi/handler.h"
#include "abi/note.h"
#include "abi/state.h"
#include "trace/metadata_layout.h"
#include "trace/wire.h"

void lkst_version_print(FILE *to)
{
	fprintf(to,
		"lkst " LKST_VERSION "\n"
		"memory layout %d, notes in crash dumps %d, handlers %d, service protocol %d, "
		"traces CTF 1.8, format %d\n",
		LKST_ABI_VERSION, LKST_NOTE_VERSION, LKST_HANDLER_VERSION, LKST_WIRE_VERSION,
		LKST_CTF_FORMAT);
}
