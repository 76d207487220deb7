/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF cores: what the kernel's /proc/vmcore and /proc/kcore, makedumpfile -E, and QEMU's
 * dump-guest-memory give. Only the headers that say where memory is in the file are looked at.
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "crash/dump.h"

/* The number of program headers is in the first section's header if it is too large for its field. */
static u64 nr_headers(const struct lkst_file *f, const Elf64_Ehdr *h)
{
	const Elf64_Shdr *first;
	Elf64_Shdr scratch;

	if (le16toh(h->e_phnum) != PN_XNUM)
		return le16toh(h->e_phnum);
	first = (const void *)lkst_file_at(f, le64toh(h->e_shoff), sizeof(*first), &scratch);
	if (!first)
		return PN_XNUM;
	memcpy(&scratch, first, sizeof(scratch));
	return le32toh(scratch.sh_info);
}

static int dump_elf_check(struct lkst_err *e, const Elf64_Ehdr *h)
{
	if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB)
		return lkst_err_set(e, -ENOTSUP,
				    "it is an ELF file, but not a 64-bit little-endian one: not of "
				    "a machine that lkst runs on");
	if (le16toh(h->e_type) != ET_CORE)
		return lkst_err_set(e, -ENOTSUP, "it is an ELF file, but not a core dump");
	if (le16toh(h->e_phentsize) != sizeof(Elf64_Phdr))
		return lkst_err_set(e, -EBADMSG, "its program headers have %u bytes, not %zu",
				    le16toh(h->e_phentsize), sizeof(Elf64_Phdr));
	return 0;
}

/*
 * /proc/kcore shows all of the kernel's address space, much of it twice and most of it empty. Parts
 * that are not memory of their own have no physical address there (fs/proc/kcore.c).
 */
static bool dump_elf_is_memory(const Elf64_Phdr *p)
{
	return le32toh(p->p_type) == PT_LOAD && le64toh(p->p_paddr) != UINT64_MAX;
}

int lkst_elf_open(struct lkst_err *e, struct lkst_dump *d)
{
	const struct lkst_file *f = &d->file;
	Elf64_Ehdr header;
	const u8 *bytes = lkst_file_at(f, 0, sizeof(header), &header);
	u64 i, nr, at;
	int err;

	if (!bytes || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return 0;
	memcpy(&header, bytes, sizeof(header));
	d->format = LKST_DUMP_ELF;
	err = dump_elf_check(e, &header);
	nr = nr_headers(f, &header);
	at = le64toh(header.e_phoff);
	for (i = 0; i < nr && !err; i++, at += sizeof(Elf64_Phdr)) {
		Elf64_Phdr p;

		bytes = at < UINT64_MAX - sizeof(p) ? lkst_file_at(f, at, sizeof(p), &p) : NULL;
		if (!bytes)
			break;
		memcpy(&p, bytes, sizeof(p));
		if (dump_elf_is_memory(&p))
			err = lkst_dump_add_run(e, d, le64toh(p.p_offset), le64toh(p.p_filesz),
						(u32)(le64toh(p.p_paddr) % LKST_PAGE));
	}
	if (!err && i < nr && !d->nr_runs)
		err = lkst_err_set(e, -EBADMSG, "it was cut off within its headers");
	return err ? err : 1;
}
