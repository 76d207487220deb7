# SPDX-License-Identifier: GPL-2.0-only
# LKST's build. One file, not recursive. `make help` lists the targets.
#
#   CC=clang-16 make          another compiler
#   CC=clang-16 SANITIZE=1 make all unit fuzz       everything in user space with ASan and UBSan, and libFuzzer
#   BUILD=dir make            another build directory
#   DEPS=no make check        without looking for packages to install
#   make WERROR=              warnings do not end the build, as those of another compiler may
#   make WITHOUT='page jansson'   without these parts (OPTIONAL, below); one whose library is missing is left out anyway
#   make WANT_ALL=1           a part that would be left out is an error

SHELL := /bin/bash
COMMA := ,
.DELETE_ON_ERROR:
.SUFFIXES:

CLANG   ?= clang-16
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
ifeq ($(origin CC),default)
CC := gcc
endif
SANITIZE ?= 0
OUT     ?= build

# Another machine's: ARCH=aarch64 SYSROOT=its/root (tools/fetch-sysroot). clang builds for any.
ARCH    ?= $(shell uname -m)
SYSROOT ?=
HOSTCC  ?= $(if $(SYSROOT),gcc,$(CC))
ifneq ($(SYSROOT),)
BUILD   ?= $(OUT)/$(ARCH)
override CC := $(CLANG) --target=$(ARCH)-linux-gnu --sysroot=$(abspath $(SYSROOT))
# A static program is all that a guest needs. (The linker would warn of getgrnam(3).)
LDFLAGS += -static -Wl,--no-warnings
endif
BPF_ARCH_x86_64 := x86
BPF_ARCH_aarch64 := arm64
BPF_ARCH := $(BPF_ARCH_$(ARCH))
BUILD   ?= $(OUT)/$(notdir $(CC))$(if $(filter 1,$(SANITIZE)),-san)
# What is made of the kernel programs does not depend on CC: builds may share it.
GEN     ?= $(BUILD)/gen
# One spelling for each folder of the checkout: what a compiler says of dependencies names the object by it.
in_checkout = $(patsubst $(CURDIR)/%,%,$(abspath $(1)))
override OUT   := $(call in_checkout,$(OUT))
override BUILD := $(call in_checkout,$(BUILD))
override GEN   := $(call in_checkout,$(GEN))
prefix  ?= /usr/local
bindir  ?= $(prefix)/bin
mandir  ?= $(prefix)/share/man
includedir ?= $(prefix)/include
libdir  ?= $(prefix)/lib
sysconfdir ?= /etc
# Where a distribution wants some things to be.
markdir ?= $(libdir)
unitdir ?= $(libdir)/systemd/system
initramfsdir ?= $(sysconfdir)/initramfs-tools
bashdir ?= $(prefix)/share/bash-completion/completions
zshdir  ?= $(prefix)/share/zsh/site-functions
DEPS    ?= yes

WERROR   ?= -Werror
WARN     := -Wall -Wextra $(WERROR) -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes \
            -Wno-unused-parameter
CPPFLAGS += -D_GNU_SOURCE -Isrc -I$(GEN)
CFLAGS   ?= -O2 -g
override CFLAGS += -std=gnu11 $(WARN)

# The libraries: pkg-config's name, what LKST_NO_ has in front where it is left out, Debian's package. Nothing can be built
# without those that are required. Where another is missing, what it is for is left out, and says so when it is asked for.
# A static program takes archives: where SYSROOT has none of sqlite3, libedit or jansson, that is missing, as it is for guests.
# It is always without what servers and the journal are spoken to with: a static program can load only libraries for the
# very C library that it was linked with. The page of `lkst view` takes no library but tools, and is only left out where
# that is wished.
REQUIRED := libbpf:-:libbpf-dev libelf:-:libelf-dev libdw:-:libdw-dev zlib:-:zlib1g-dev libzstd:-:libzstd-dev \
            ncursesw:-:libncurses-dev
OPTIONAL := sqlite3:SQL:libsqlite3-dev libedit:EDIT:libedit-dev jansson:JSON:libjansson-dev \
            libcurl:FLEET:libcurl4-openssl-dev libsystemd:JOURNAL:libsystemd-dev capstone:CAPSTONE:libcapstone-dev
PAGE_ROW := page:PAGE:lld-16,wasi-libc,libclang-rt-16-dev-wasm32,zopfli
PKG_CONFIG ?= pkg-config
# Word $(2) of each of the rows $(1), and the rows of the names $(1).
words_of = $(foreach row,$(1),$(word $(2),$(subst :, ,$(row))))
rows_of  = $(foreach name,$(1),$(filter $(name):%,pkg-config:-:pkg-config $(REQUIRED) $(OPTIONAL) $(PAGE_ROW)))
LIBRARIES := $(call words_of,$(REQUIRED) $(OPTIONAL),1)
PARTS    := $(call words_of,$(OPTIONAL) $(PAGE_ROW),1)
ifneq ($(filter-out $(PARTS),$(WITHOUT)),)
$(error WITHOUT=$(WITHOUT): only $(PARTS) can be left out)
endif
ifeq ($(SYSROOT),)
# One question, unless one is missing.
ABSENT   := $(shell command -v $(PKG_CONFIG) >/dev/null || { echo pkg-config; exit; }; $(PKG_CONFIG) --exists $(LIBRARIES) || \
              for name in $(LIBRARIES); do $(PKG_CONFIG) --exists $$name || echo $$name; done)
else
# The archive of -l$(1) below SYSROOT, if there is one.
archive_of = $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a 2>/dev/null))
ABSENT   := $(foreach name,sqlite3 libedit jansson,$(if $(call archive_of,$(name:lib%=%)),,$(name))) libcurl libsystemd
endif
NOT_FOUND := $(filter $(ABSENT),$(PARTS))
LEFT_OUT := $(filter $(WITHOUT) $(ABSENT),$(PARTS))
# $(2), unless part $(1) is left out.
with      = $(if $(filter $(1),$(LEFT_OUT)),,$(2))

LIB_LIBS := -lz -lzstd -lpthread -lm
# What debug information is read with, for src/probe/debuginfo; a static program names what it needs as well. Capstone and
# libsystemd are only loaded when they are needed.
DEBUG_LIBS := -ldw
ifneq ($(SYSROOT),)
DEBUG_LIBS += -lelf -llzma -lbz2
endif
# What `lkst top` draws its screen with. Not everywhere is it two libraries.
SCREEN_LIBS := $(or $(if $(SYSROOT),,$(shell $(PKG_CONFIG) --libs ncursesw 2>/dev/null)),-lncursesw -ltinfo)
# Queries, the lines that they are typed in, and the JSON of assistants, who ask by SQL, too.
SQL_LIBS := $(call with,sqlite3,-lsqlite3)
EDIT_LIBS := $(if $(SQL_LIBS),$(call with,libedit,-ledit))
JSON_LIBS := $(if $(SQL_LIBS),$(call with,jansson,-ljansson))
# What Debian's archive of libedit needs; elsewhere it may not.
ifneq ($(SYSROOT),)
EDIT_LIBS += $(if $(EDIT_LIBS),$(foreach name,bsd md,$(if $(call archive_of,$(name)),-l$(name))))
endif
# What servers are spoken to with is loaded when it is needed, as well.
HAS_FLEET := $(call with,libcurl,yes)
LDLIBS   += $(SQL_LIBS) $(EDIT_LIBS) -lbpf $(DEBUG_LIBS) -lelf $(LIB_LIBS) $(SCREEN_LIBS) $(JSON_LIBS)
# clang's sanitized objects also tell libFuzzer where they go, so that unit tests and fuzz targets have them in common.
# lld links them in half of the time.
ifeq ($(SANITIZE),1)
ifneq ($(findstring clang,$(CC)),)
COVERAGE := -fsanitize=fuzzer-no-link
LDFLAGS  += -fuse-ld=lld -Wl,--build-id=sha1
endif
override CFLAGS += -fsanitize=address,undefined -fno-sanitize-recover=undefined \
                   -fno-omit-frame-pointer $(COVERAGE)
LDFLAGS  += -fsanitize=address,undefined
else
# Tests are many, and are linked so where lld is.
TEST_LDFLAGS := $(if $(shell command -v ld.lld),-fuse-ld=lld -Wl$(COMMA)--build-id=sha1)
endif
BPF_CFLAGS := -g -O2 -mcpu=v3 -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -Isrc \
              -I$(SYSROOT)/usr/include/$(ARCH)-linux-gnu \
              -Wall -Wextra $(WERROR) -Wno-unused-parameter -Wno-missing-declarations

# The layers that need no kernel come first; src/LAYERS has the rules between them.
LIB_SRC  := $(sort $(wildcard src/base/*.c src/result/*.c src/abi/*.c src/trace/*/*.c src/hosts/*.c src/masks/*.c src/probe/*/*.c src/usercode/*/*.c src/crash/*.c src/analyze/*/*.c \
                             src/marks/*.c src/print/*.c src/bundle/*.c src/export/*.c src/export/*/*.c src/parquet/*.c \
                             $(if $(SQL_LIBS),src/sql/*/*.c) $(if $(HAS_FLEET),src/fleet/*.c)))
LIB_SRC  += src/liblkst/mark_fields.c src/liblkst/mark_tidy.c
LIVE_SRC := $(sort $(wildcard src/live/*/*.c))
# The library that programs link to mark what they do: liblkst for them. ($(BUILD)/liblkst.a is the program's own.)
MARK_SRC := $(sort $(wildcard src/liblkst/*.c))
MARK_OBJ := $(MARK_SRC:src/liblkst/%.c=$(BUILD)/mark/%.o)
MARK_LIB := $(BUILD)/mark/liblkst.a
# What it has for programs: their page has these names, too.
MARK_CALLS := lkst_mark lkst_span_begin lkst_span_end lkst_value lkst_handover lkst_mark_traceparent lkst_mark_is_wanted \
              LKST_MARK LKST_MARK_EVENT
MARK_SO  := $(if $(SYSROOT),,$(BUILD)/mark/liblkst.so.1)
# One file of each command is always there, and says what the program was built without.
CMD_LEFT_OUT := $(if $(SQL_LIBS),,src/cmd/sql/sql_session.c src/cmd/sql/sql_shell.c) \
                $(if $(JSON_LIBS),,$(filter-out %/mcp.c,$(wildcard src/cmd/mcp/*.c))) \
                $(if $(HAS_FLEET),,$(filter-out %/fleet_server.c,$(wildcard src/cmd/agent/ship_*.c src/cmd/fleet/fleet_*.c)))
CMD_SRC  := $(filter-out $(CMD_LEFT_OUT),$(sort $(wildcard src/cmd/*/*.c)))
# The programs of probes and of injections are objects of their own, loaded once for each.
PROBE_SRC := src/bpf/probe.bpf.c
INJECT_SRC := src/bpf/inject.bpf.c
# And what is only asked while a recording starts.
START_SRC := src/bpf/preempt_count.bpf.c src/bpf/function.bpf.c
BPF_SRC  := $(filter-out $(PROBE_SRC) $(INJECT_SRC) $(START_SRC),$(sort $(wildcard src/bpf/*.bpf.c src/bpf/events/*.bpf.c src/bpf/budget/*.bpf.c)))

LIB_OBJ  := $(LIB_SRC:%.c=$(BUILD)/%.o)
LIVE_OBJ := $(LIVE_SRC:%.c=$(BUILD)/%.o)
CMD_OBJ  := $(CMD_SRC:%.c=$(BUILD)/%.o)
BPF_OBJ  := $(BPF_SRC:src/bpf/%.c=$(GEN)/bpf/%.o)
# The same for kernels that lack some of what these use (src/bpf/compat.h).
FLOOR_OBJ := $(BPF_SRC:src/bpf/%.c=$(GEN)/floor/%.o)
PROBE_OBJ := $(PROBE_SRC:src/bpf/%.c=$(GEN)/bpf/%.o) $(GEN)/bpf/main.bpf.o
INJECT_OBJ := $(INJECT_SRC:src/bpf/%.c=$(GEN)/bpf/%.o) $(GEN)/bpf/main.bpf.o
SKEL     := $(addprefix $(GEN)/,lkst.skel.h floor.skel.h probe.skel.h inject.skel.h $(START_SRC:src/bpf/%.bpf.c=%.skel.h))

# The original's commands: the program looks at the name by which it is called.
LINKS := lkstm lkstbuf lksteh lkstlogd lkstlogdiv lkstla

# What shells complete. A program for another machine cannot be asked.
COMPLETIONS := $(if $(filter $(shell uname -m),$(ARCH)),$(BUILD)/completion/lkst $(BUILD)/completion/_lkst)

# What a user handler includes, laid out as it is installed, and the handlers that come with the program,
# which are built as user handlers are.
HEADERS      := $(wildcard src/abi/*.h src/abi/*.def) $(addprefix src/bpf/,buffer.h compat.h incident.h jump.h kernel.h maskset.h names.h record.h ring.h share.h trigger.h)
HEADER_DIR   := $(BUILD)/include
HEADER_COPY  := $(HEADERS:src/%=$(HEADER_DIR)/lkst/%) $(HEADER_DIR)/lkst/handler.h
HANDLER_SRC  := $(sort $(wildcard src/bpf/handlers/*.c))
HANDLER_OBJ  := $(HANDLER_SRC:src/bpf/handlers/%.c=$(BUILD)/handlers/%.o)

.PHONY: all
all: $(BUILD)/lkst $(LINKS:%=$(BUILD)/%) handlers marks man $(COMPLETIONS)	## build lkst and its manual pages (needs no root)

$(BUILD)/lkst: $(CMD_OBJ) $(BUILD)/liblive.a $(BUILD)/liblkst.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)
	$(if $(and $(NOT_FOUND),$(if $(SYSROOT),,yes)),@echo "lkst is built without $(NOT_FOUND): see doc/install.md")

# A library that is missing, said once, before a compiler says it of every file.
MISSING := $(filter-out $(PARTS),$(ABSENT)) $(if $(SYSROOT),,$(if $(WANT_ALL),$(LEFT_OUT)))
ifneq ($(strip $(MISSING)),)
.PHONY: libraries
$(LIB_OBJ) $(CMD_OBJ) $(LIVE_OBJ) $(BPF_OBJ) $(FLOOR_OBJ): | libraries
libraries:
	$(error lkst$(if $(WANT_ALL), with all its parts) cannot be built without $(strip $(MISSING)); on Debian: apt install \
		$(subst $(COMMA), ,$(call words_of,$(call rows_of,$(MISSING)),3)))
endif

$(LINKS:%=$(BUILD)/%): $(BUILD)/lkst
	ln -sf lkst $@

# An archive from scratch each time, so that nothing of a removed source stays in it.
$(BUILD)/liblkst.a: $(LIB_OBJ)
	rm -f $@
	ar rcs $@ $^

$(BUILD)/liblive.a: $(LIVE_OBJ)
	rm -f $@
	ar rcs $@ $^

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# What says that a part is left out, or is one, is compiled again when that changes: the file has what it was.
PART_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(shell grep -rl --include='*.c' 'LKST_NO_\|LKST_LEFT_OUT' src))
$(PART_OBJ): private CPPFLAGS += $(addprefix -DLKST_NO_,$(call words_of,$(call rows_of,$(LEFT_OUT)),2))
$(BUILD)/src/cmd/frame/version.o: private CPPFLAGS += -DLKST_LEFT_OUT='"$(LEFT_OUT)"'
$(PART_OBJ): $(BUILD)/left-out
ifneq ($(file <$(BUILD)/left-out),$(strip left out: $(LEFT_OUT)))
.PHONY: $(BUILD)/left-out
endif
$(BUILD)/left-out:
	@mkdir -p $(@D)
	@echo $(strip left out: $(LEFT_OUT)) >$@

# What a stack costs is measured by one that the kernel can follow.
$(BUILD)/src/live/cost/exchange.o: override CFLAGS += -fno-omit-frame-pointer

$(GEN)/bpf/%.bpf.o: src/bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(GEN)/floor/%.bpf.o: src/bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -DLKST_FLOOR -MMD -MP -c $< -o $@

$(GEN)/floor.bpf.o: $(FLOOR_OBJ)
	$(BPFTOOL) gen object $@ $^

$(GEN)/lkst.bpf.o: $(BPF_OBJ)
	$(BPFTOOL) gen object $@ $^

$(GEN)/probe.bpf.o: $(PROBE_OBJ)
	$(BPFTOOL) gen object $@ $^

$(GEN)/inject.bpf.o: $(INJECT_OBJ)
	$(BPFTOOL) gen object $@ $^

$(START_SRC:src/bpf/%.c=$(GEN)/%.o): $(GEN)/%.o: $(GEN)/bpf/%.o
	$(BPFTOOL) gen object $@ $^

$(SKEL): $(GEN)/%.skel.h: $(GEN)/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(LIVE_OBJ): | $(SKEL)

$(HEADER_DIR)/lkst/handler.h: src/bpf/handler.h
	@mkdir -p $(@D)
	cp $< $@

$(HEADER_DIR)/lkst/%: src/%
	@mkdir -p $(@D)
	cp $< $@

$(HANDLER_OBJ): $(BUILD)/handlers/%.o: src/bpf/handlers/%.c $(HEADER_COPY)
	@mkdir -p $(@D)
	$(CLANG) $(filter-out -Isrc,$(BPF_CFLAGS)) -I$(HEADER_DIR) -I$(HEADER_DIR)/lkst -c $< -o $@

.PHONY: handlers
handlers: $(HANDLER_OBJ) $(HEADER_COPY)

# ld turns the `add` that makes a thread-local variable's address into a `lea` (initial-exec becomes local-exec), which
# sets no flags; gcc's check for null pointers has left out the comparison, for the `add` would have set them.
$(MARK_OBJ): override CFLAGS += $(if $(SANITIZE),-fno-sanitize=null)
$(MARK_OBJ): $(BUILD)/mark/%.o: src/liblkst/%.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -fPIC -fvisibility=hidden -MMD -MP -c $< -o $@

$(MARK_LIB): $(MARK_OBJ)
	rm -f $@
	ar rcs $@ $^

# It stays where it is when a program closes it: other threads may be in it.
$(BUILD)/mark/liblkst.so.1: $(MARK_OBJ)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,-z,nodelete -o $@ $^ -lpthread
	ln -sf $(@F) $(@:.1=)

$(BUILD)/mark/lkst/mark.h: src/liblkst/mark.h
	@mkdir -p $(@D)
	cp $< $@

.PHONY: marks
marks: $(MARK_LIB) $(MARK_SO) $(BUILD)/mark/lkst/mark.h

# The events' manual page is made from the catalogue; the others are written by hand.
MAN      := $(sort $(wildcard doc/man/*.[1-8])) $(GEN)/man/lkst-events.7
PAGE     := $(GEN)/man/events-page

$(COMPLETIONS): $(BUILD)/lkst
	@mkdir -p $(@D)
	$< completion $(if $(filter _%,$(@F)),zsh,bash) > $@

# The service. Directories are filled in when it is installed.
UNITS    := $(sort $(wildcard etc/systemd/*))
BOOT_SCRIPTS := $(sort $(wildcard etc/initramfs-tools/hooks/* etc/initramfs-tools/scripts/*/*))
FILL_IN  := sed 's|@bindir@|$(bindir)|; s|@markdir@|$(markdir)|; s|@includedir@|$(includedir)|; s|@libdir@|$(libdir)|; s|@sysconfdir@|$(sysconfdir)|g'

.PHONY: man
man: $(GEN)/man/lkst-events.7

$(PAGE): tools/events-page.c $(wildcard src/abi/*)
	@mkdir -p $(@D)
	$(HOSTCC) $(CPPFLAGS) -O1 -std=gnu11 $(WARN) -o $@ $< $(wildcard src/abi/*.c)

$(GEN)/man/lkst-events.7: $(PAGE)
	$< > $@

# The library for a page in a browser, as a module of WebAssembly (src/web/module.h): what needs files, sockets or threads
# is left out, and of the commands those that read.
WEB_WITHOUT := src/base/create.c src/trace/format/zst.c src/trace/read/stream_file.c \
               $(addprefix src/trace/write/,packer.c parts.c publish.c wire.c writer.c) src/hosts/reading_open.c src/hosts/recordings.c
WEB_LIB     := $(filter-out $(WEB_WITHOUT) src/crash/% src/marks/% src/liblkst/% src/probe/% src/usercode/name/% src/bundle/% src/export/% src/parquet/% src/sql/% src/fleet/% src/analyze/diff/%,$(LIB_SRC))
WEB_CMD     := $(addprefix src/cmd/frame/,answer.c conf.c help.c options.c run.c) \
               $(addprefix src/cmd/readers/,ending.c hosts_told.c printing.c range.c) \
               $(addprefix src/cmd/read/,analyze_along.c check_counters.c joined_tables.c tables.c why_hung.c why_waiting.c) \
               $(shell sed -n 's|^READER(\(.*\))$$|src/cmd/read/\1.c|p' src/cmd/frame/commands.def)
WEB_OWN     := $(sort $(wildcard src/web/*.c)) $(WEB_CMD)
WEB_SRC     := $(sort $(wildcard wasi/*.c)) $(WEB_OWN) $(WEB_LIB)
WEB_OBJ     := $(WEB_SRC:%.c=$(GEN)/web/%.o)
# What WebAssembly has grown since 1.0 that all browsers have which can unpack the page (DecompressionStream).
WASM         := $(CLANG) --target=wasm32-wasi -mbulk-memory -msign-ext -mnontrapping-fptoint
WASM_CFLAGS  := -std=gnu11 $(WARN) -D_GNU_SOURCE -Isrc -isystem wasi
# What runs once for each record is made fast, all else small: the page is sent to others.
WASM_FAST    := $(addprefix src/base/,hash vec xxh64) src/trace/read/ $(addprefix src/trace/format/,block pack zstd) src/analyze/model/ src/analyze/lanes/ src/analyze/engine/feed

# Tools that are missing are said once, too.
$(GEN)/web/tools:
	@mkdir -p $(@D)
	@command -v zopfli >/dev/null && echo 'int main(void) { return 0; }' | $(WASM) -x c -include stdio.h -o $@ - || { \
		echo 'The page of lkst view cannot be built without $(subst $(COMMA),$(COMMA) ,$(call words_of,$(PAGE_ROW),3))' \
			'or what they are elsewhere; make WITHOUT=page leaves it out.' >&2; exit 1; }

$(WEB_OBJ): $(GEN)/web/%.o: %.c | $(GEN)/web/tools
	@mkdir -p $(@D)
	$(WASM) $(if $(filter $(WASM_FAST:%=%%),$<),-O2 -fno-unroll-loops,-Oz) $(WASM_CFLAGS) -MMD -MP -c $< -o $@

# The linker keeps only what somebody calls. No -O, for with it clang runs wasm-opt where there is one: another module on
# each machine, and Debian's refuses what clang makes.
$(GEN)/web/lkst.wasm: $(WEB_OBJ)
	$(WASM) -mexec-model=reactor -Wl,-O2,--strip-all -o $@ $^

# The empty page of lkst view, all in one file, which is built into the program.
VIEW_PARTS := $(sort $(wildcard src/web/js/*.js src/web/js/*/*.js src/web/page/*))
$(GEN)/web/view.html: tools/view-page $(GEN)/web/lkst.wasm $(VIEW_PARTS)
	tools/view-page $(GEN)/web/lkst.wasm >$@

$(BUILD)/src/cmd/view/view_page.o: $(call with,page,$(GEN)/web/view.html)
$(BUILD)/src/cmd/view/view_page.o: private CPPFLAGS += -DLKST_VIEW_PAGE='"$(abspath $(GEN)/web/view.html)"'

.PHONY: web
web: $(GEN)/web/view.html		## build the page of lkst view

# Parts of other pages are made of tables in the source, and kept with them.
PAGE_PARTS := $(BUILD)/tools/page-parts
$(PAGE_PARTS): tools/page-parts.c $(BUILD)/liblkst.a
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LIB_LIBS) $(SQL_LIBS)

.PHONY: pages
pages: $(PAGE_PARTS)			## write the parts of pages that are made of tables in the source
	tools/pages $<

# What tests share: traces, dumps and machines made of text.
TEST_LIB_SRC := $(sort $(wildcard tests/lib/*.c))
TEST_LIB_OBJ := $(TEST_LIB_SRC:%.c=$(BUILD)/%.o)
TEST_LIB     := $(BUILD)/libtest.a

$(BUILD)/tests/%: private CPPFLAGS += -Itests

$(TEST_LIB): $(TEST_LIB_OBJ)
	rm -f $@
	ar rcs $@ $^

# Unit tests: one program per file, linked with the layers that need no kernel, and with those of
# the others that it includes.
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
UNIT_BIN := $(UNIT_SRC:%.c=$(BUILD)/%)
ifneq ($(UNIT_SRC),)
UNIT_LIVE := $(shell grep -lE '"(live/|cmd/|lib/(run_command|shipping|incident))' $(UNIT_SRC))
UNIT_CMD  := $(shell grep -lE '"(cmd/|lib/(run_command|shipping|incident))' $(UNIT_SRC))
UNIT_SHIP := $(shell grep -l '"lib/shipping' $(UNIT_SRC))
UNIT_SQL  := $(shell grep -lE '"(sql|export|fleet)/' $(UNIT_SRC))
UNIT_MARK := $(shell grep -lE '"liblkst/mark(_memory)?[.]h"' $(UNIT_SRC))
UNIT_DEBUG := $(shell grep -lE '"(probe/(debuginfo|resolve)/|usercode/name/|lib/probed)' $(UNIT_SRC))
endif

# Where tests themselves go is nothing to libFuzzer, nor what looks at outputs; and to optimize them takes longer than it
# saves, but for those that try millions of orders.
$(BUILD)/tests/unit/%: private override CFLAGS := $(filter-out $(COVERAGE) -O%,$(CFLAGS)) -O0
$(BUILD)/tests/unit/ring_model.o $(BUILD)/tests/unit/bounds.o $(BUILD)/tests/lib/printed.o: \
		private override CFLAGS := $(filter-out $(COVERAGE),$(CFLAGS))
$(UNIT_CMD:%.c=$(BUILD)/%): $(filter-out %/main.o,$(CMD_OBJ))
$(UNIT_LIVE:%.c=$(BUILD)/%): $(BUILD)/liblive.a
$(UNIT_MARK:%.c=$(BUILD)/%): $(MARK_LIB)
# tests/lib/shipping.c has other functions in place of those that ask the kernel or a clock.
SHIP_WRAPPED := lkst_monotonic_ns lkst_clock_offset_ns lkst_turn_take lkst_pins_claim_incident lkst_wait_for_writers \
	lkst_budget_read_page lkst_drain_marks_new lkst_incident_save lkst_bundle_tell_why poll
$(UNIT_SHIP:%.c=$(BUILD)/%): private LDFLAGS += $(SHIP_WRAPPED:%=-Wl,--wrap=%)
$(UNIT_BIN): $(BUILD)/%: $(BUILD)/%.o $(TEST_LIB) $(BUILD)/liblkst.a
	$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $(filter %.o,$^) $(TEST_LIB) $(filter %/liblive.a,$^) \
		$(filter $(MARK_LIB),$^) $(BUILD)/liblkst.a \
		$(if $(filter %/liblive.a,$^)$(filter $(UNIT_DEBUG:%.c=$(BUILD)/%),$@),$(LDLIBS),$(LIB_LIBS)) \
		$(if $(filter $(UNIT_SQL:%.c=$(BUILD)/%),$@),$(SQL_LIBS))

# What a test counts: calls of these pass through functions of its own.
$(BUILD)/tests/unit/hosts_reads: private override LDFLAGS += $(addprefix -Wl$(COMMA)--wrap=,lkst_worst_find lkst_stream_block)
$(BUILD)/tests/unit/page_opens: private override LDFLAGS += -Wl,--wrap=lkst_trace_open_memory
$(BUILD)/tests/unit/bundle_passes: private override LDFLAGS += -Wl,--wrap=lkst_merge_new
$(BUILD)/tests/unit/page_opens: $(WEB_OWN:%.c=$(BUILD)/%.o) $(BUILD)/src/cmd/read/why_log.o $(BUILD)/src/cmd/read/why_hung_live.o

# What tests of probes look at: programs with debug information of several kinds, which are not run. ccache may
# have compiled them elsewhere, and they say where.
PROBED_SRC := $(sort $(wildcard tests/unit/probed/*.c))
PROBED_MORE := $(sort $(wildcard tests/unit/probed/more/*.c))
PROBED_BIN := $(foreach how,gcc-O2 gcc-O0 clang-O2,$(PROBED_SRC:%.c=$(BUILD)/%.$(how)))

$(BUILD)/tests/unit/probed/%.gcc-O2: tests/unit/probed/%.c $(PROBED_MORE)
	@mkdir -p $(@D)
	CCACHE_DISABLE=1 gcc -O2 -g -o $@ $^

$(BUILD)/tests/unit/probed/%.gcc-O0: tests/unit/probed/%.c $(PROBED_MORE)
	@mkdir -p $(@D)
	CCACHE_DISABLE=1 gcc -O0 -g -o $@ $^

$(BUILD)/tests/unit/probed/%.clang-O2: tests/unit/probed/%.c $(PROBED_MORE)
	@mkdir -p $(@D)
	CCACHE_DISABLE=1 $(CLANG) -O2 -g -o $@ $^

# And a library, with all that it says of itself, with its symbols alone, and with those alone that it is linked by.
NAMED := tests/unit/probed/library
NAMED_LIBS := $(foreach how,debug symbols dynamic,$(BUILD)/tests/unit/probed/named.$(how).so)
$(NAMED_LIBS): $(BUILD)/tests/unit/probed/named.%.so: $(NAMED)/named.c $(NAMED)/versions
	@mkdir -p $(@D)
	CCACHE_DISABLE=1 gcc -O1 -fPIC -shared -Wl,--version-script=$(NAMED)/versions \
		$(if $(filter debug,$*),-g) $(if $(filter dynamic,$*),-s) -o $@ $<

# Tests on the live kernel: scripts, programs, and in tests/live/load/ what they run as a
# workload (<name>32.c: as a 32-bit program); tests/vm/load/ has those of the guests.
LIVE_TEST_SRC := $(sort $(wildcard tests/live/*.c))
LIVE_TEST_BIN := $(LIVE_TEST_SRC:%.c=$(BUILD)/%)
LOAD_SRC := $(sort $(wildcard tests/live/load/*.c tests/vm/load/*.c))
ifneq ($(ARCH),x86_64)
LOAD_SRC := $(filter-out %32.c %/traps.c,$(LOAD_SRC))
endif
LOAD_BIN := $(LOAD_SRC:%.c=$(BUILD)/%)
# Guests have no libraries of 32 bits. (The sanitizers need shared ones.)
FLAGS_32 := -m32 $(if $(filter 1,$(SANITIZE)),,-static)

$(LIVE_TEST_BIN): $(BUILD)/%: $(BUILD)/%.o $(TEST_LIB) $(BUILD)/liblive.a $(BUILD)/liblkst.a
	$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $^ $(LDLIBS) -lpthread

$(BUILD)/tests/live/load/marks $(BUILD)/tests/live/load/secret_marks $(BUILD)/tests/live/load/spans: $(MARK_LIB)
$(LOAD_BIN): $(BUILD)/%: %.c
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(if $(filter %32,$*),$(FLAGS_32)) -MMD -MP -MF $@.d -o $@ $< $(filter $(MARK_LIB),$^) \
		$(if $(filter %32,$*),,-Wl$(COMMA)--as-needed $(LDLIBS)) -lpthread

# Fuzz targets: built with SANITIZE=1 CC=clang-16.
FUZZ_SRC := $(sort $(wildcard tests/fuzz/*.c))
FUZZ_BIN := $(FUZZ_SRC:%.c=$(BUILD)/%)
FUZZ_DEBUG := $(shell grep -lE '"(probe/(debuginfo|resolve)|usercode/name|live/kernel/perf_counters)' $(FUZZ_SRC))
FUZZ_SQL := $(shell grep -lE '"(sql|export|fleet|lib/exported)\b' $(FUZZ_SRC))
FUZZ_MCP := $(shell grep -l '"cmd/mcp/' $(FUZZ_SRC))
FUZZ_WEB := $(shell grep -l '"lib/paged' $(FUZZ_SRC))

# What a client sends is read without the commands.
$(FUZZ_MCP:%.c=$(BUILD)/%): $(addprefix $(BUILD)/src/cmd/,$(addprefix frame/,conf.o help.o options.o) \
	$(addprefix mcp/,lines.o page.o protocol.o question.o resources.o))

# What a page asks of a trace; here, unlike there, `lkst why` may ask the journal. And what `lkst diff` prints.
$(FUZZ_WEB:%.c=$(BUILD)/%) $(BUILD)/tests/fuzz/fuzz_diff: $(WEB_OWN:%.c=$(BUILD)/%.o) $(BUILD)/src/cmd/read/why_log.o $(BUILD)/src/cmd/read/why_hung_live.o
$(BUILD)/tests/fuzz/fuzz_diff: $(BUILD)/src/cmd/read/diff_report.o

# Where the kernel's cgroups are mounted is text that is read, not the kernel.
$(BUILD)/tests/fuzz/fuzz_cgroup: $(BUILD)/src/live/kernel/cgroup_mount.o
# So are the names of counters, and what a command's words are read by.
$(BUILD)/tests/fuzz/fuzz_words: $(BUILD)/src/live/kernel/perf_counters.o
$(BUILD)/tests/fuzz/fuzz_options: $(addprefix $(BUILD)/src/cmd/frame/,conf.o help.o options.o)
# So are its tables of sockets.
$(BUILD)/tests/fuzz/fuzz_sockets: $(addprefix $(BUILD)/src/live/state/,state_descriptors.o state_processes.o)
# So are a configuration and requests.
$(BUILD)/tests/fuzz/fuzz_conf: $(BUILD)/src/cmd/frame/conf.o
$(BUILD)/tests/fuzz/fuzz_http: $(BUILD)/src/cmd/view/http.o

$(FUZZ_BIN): $(BUILD)/%: $(BUILD)/%.o $(TEST_LIB) $(BUILD)/liblkst.a
	$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $(filter %.o,$^) $(filter %.a,$^) \
		$(if $(filter $(FUZZ_DEBUG:%.c=$(BUILD)/%),$@),$(LDLIBS),$(LIB_LIBS)) \
		$(if $(filter $(FUZZ_SQL:%.c=$(BUILD)/%),$@),$(SQL_LIBS)) $(if $(filter $(FUZZ_MCP:%.c=$(BUILD)/%),$@),$(JSON_LIBS))

.PHONY: unit live-tests test-objects vm-loads fuzz
unit: $(UNIT_BIN) $(PAGE_PARTS) $(PROBED_BIN) $(NAMED_LIBS) $(GEN)/web/lkst.wasm	## build the unit tests
live-tests: $(LIVE_TEST_BIN) $(LOAD_BIN)	## build the programs of the live tests
test-objects: $(UNIT_SRC:%.c=$(BUILD)/%.o) $(LIVE_TEST_SRC:%.c=$(BUILD)/%.o) $(TEST_LIB) $(LOAD_BIN)	## compile the tests
vm-loads: $(filter $(BUILD)/tests/vm/%,$(LOAD_BIN))	## build the workloads of the tests in guests
fuzz: $(FUZZ_BIN) $(PROBED_BIN)

INSTALL_DEPS := $(if $(filter-out no,$(DEPS)),tools/install-deps,:)
FETCH_KERNEL := $(if $(filter-out no,$(DEPS)),OUT=$(OUT) tools/fetch-kernel,:)
FETCH_SYSROOT := $(if $(filter-out no,$(DEPS)),OUT=$(OUT) tools/fetch-sysroot,:)

.PHONY: deps
deps:					## install the Debian packages for all of this
	$(INSTALL_DEPS)

# How a make that another target starts builds: side by side, as the user said, or on all processors. Only a recipe knows.
PARALLEL = $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))
# Whether nothing is to be done (make -n), also where a recipe has $(MAKE) in it.
IS_DRY   = $(findstring n,$(filter-out -%,$(firstword $(MAKEFLAGS))))

# What the demo runs and nothing else, in a folder of its own, so that none of it is ever installed, tested or measured. It is
# optimized less, and without all that would need further packages.
DEMO := $(OUT)/demo
.PHONY: demo
demo:					## install packages, build, record this machine for 2 s, show it
	@$(if $(IS_DRY),echo )INSTALL_DEPS='$(INSTALL_DEPS)' tools/demo $(DEMO) $(MAKE) --no-print-directory $(PARALLEL) \
		BUILD=$(DEMO)/build GEN=$(DEMO)/build/gen CFLAGS=-O1 WERROR= WITHOUT='$(PARTS)' $(DEMO)/build/lkst

# The tests in the order in which they are worth knowing, but for the first: tests/build.sh builds the programs, then comes
# what has the machine to itself. What is tested with the sanitizers is built beside the others.
FIRST_LIVE  := tests/live/machine.sh tests/live/limit.sh
FIRST_TESTS := tests/build.sh $(FIRST_LIVE) tests/build_others.sh
HOUSE_TESTS := tests/self.sh tests/lint.sh tests/cppcheck.sh tests/layers.sh tests/licence.sh tests/docs.sh tests/words.sh \
               tests/counts.sh tests/recipes.sh tests/completion.sh tests/left_out.sh
SERVER_TESTS := tests/fleet.sh tests/fleet_questions.sh tests/dashboards.sh
UNIT_TESTS  := $(UNIT_SRC:%.c=$(OUT)/gcc/%)
SANITIZED_TESTS := $(UNIT_SRC:%.c=san/=$(OUT)/clang-16-san/%)
LIVE_TESTS  := $(LIVE_TEST_SRC:%.c=$(OUT)/gcc/%) $(filter-out $(FIRST_LIVE),$(sort $(wildcard tests/live/*.sh)))
# How many programs of tests run side by side. (tests/run tells which never do.) Those that record wait for most of
# their time, hence one more than there are processors.
JOBS        ?= $(shell expr $$(nproc) + 1)
VM_TESTS    := $(wildcard tests/vm/run tests/vm/crash/run tests/vm/crash/reset)
# One list. `make check` runs those whose heads say "tier: check"; `tests/run --list` says which these are (doc/tests.md).
TESTS       := $(FIRST_TESTS) $(HOUSE_TESTS) $(UNIT_TESTS) $(SERVER_TESTS) tests/view_hosts.sh $(LIVE_TESTS) $(VM_TESTS) \
               --after tests/build_others.sh tests/fuzz.sh $(SANITIZED_TESTS)
# Installs a set of packages. What comes last is the count of tests.
install_for_tests = $(INSTALL_DEPS) $(1) || { echo 'FAIL dependencies: see above'; echo '0 passed, 1 failed, 0 skipped'; exit 1; }

.PHONY: check
check:					## install few packages, build with gcc, run the core of the tests
	@$(call install_for_tests,check)
	@OUT=$(OUT) tests/run -j $(JOBS) --tier check $(TESTS)

.PHONY: check-all
check-all:				## install packages, build in every way, run every test
	@$(call install_for_tests,check-all)
	@$(FETCH_KERNEL) || echo 'The tests in guests are skipped.'
	@OUT=$(OUT) tests/run -j $(JOBS) $(TESTS)

.PHONY: busy-check
busy-check:				## run every test three times while the machine has other work
	@$(INSTALL_DEPS) busy
	@$(FETCH_KERNEL) || echo 'The tests in guests are skipped.'
	@tests/beside_load 3 $(MAKE) --no-print-directory OUT=$(abspath $(OUT)) check-all

.PHONY: repeat-check
repeat-check:				## run each live test 20 times, and 10 times while LKST is compiled (as root)
	@$(MAKE) --no-print-directory CC=gcc OUT=$(OUT) all live-tests
	@OUT=$(OUT) tests/run --repeat 20 $(FIRST_LIVE) $(LIVE_TESTS)
	@OUT=$(OUT) tests/run --repeat 10 --beside 'tests/compile 4' $(FIRST_LIVE) $(LIVE_TESTS)

.PHONY: unit-check
unit-check:				## build and run the unit tests, plain and sanitized
	@$(MAKE) --no-print-directory $(PARALLEL) WANT_ALL=1 CC=gcc OUT=$(OUT) unit
	@$(MAKE) --no-print-directory $(PARALLEL) WANT_ALL=1 CC=clang-16 OUT=$(OUT) GEN=$(OUT)/gcc/gen SANITIZE=1 unit
	@OUT=$(OUT) tests/run -j $(JOBS) $(UNIT_TESTS) $(SANITIZED_TESTS)

.PHONY: live-check
live-check:				## build and run the tests on this machine's kernel (as root)
	@$(MAKE) --no-print-directory $(PARALLEL) WANT_ALL=1 CC=gcc OUT=$(OUT) all live-tests
	@OUT=$(OUT) tests/run $(FIRST_LIVE) $(LIVE_TESTS)

.PHONY: vm-check
vm-check:				## run the tests in guests with Debian's kernels
	@$(INSTALL_DEPS) vm
	@$(FETCH_KERNEL) all
	@$(FETCH_KERNEL) debug || echo 'The tests that need debug information of a kernel are skipped.'
	@$(if $(filter-out no,$(DEPS)),OUT=$(OUT) tools/fetch-debian,:) || echo 'The tests of the packages in a Debian guest are skipped.'
	@$(FETCH_SYSROOT) arm64 || echo 'The tests in arm64 guests are skipped.'
	@$(MAKE) --no-print-directory $(PARALLEL) WANT_ALL=1 CC=gcc OUT=$(OUT) all live-tests
	@[ ! -d $(OUT)/vm/root-arm64 ] || $(MAKE) --no-print-directory $(PARALLEL) ARCH=aarch64 OUT=$(OUT) \
		SYSROOT=$(OUT)/vm/root-arm64 BUILD=$(OUT)/vm/build-arm64 all vm-loads
	@VM_KERNELS=all OUT=$(OUT) tests/run -j $(JOBS) $(VM_TESTS) tests/vm/crash/panics tests/vm/definitions \
		tests/vm/hosts/run tests/packages.sh tests/vm/debian/run

.PHONY: bench
bench:					## install packages, build, measure beside other tracers (as root)
	@$(INSTALL_DEPS) bench
	@$(MAKE) --no-print-directory $(PARALLEL) WANT_ALL=1 CC=gcc OUT=$(OUT) all
	@OUT=$(OUT) bench/run

.PHONY: install
install: all				## install to $(DESTDIR)$(prefix)
	install -d $(DESTDIR)$(bindir) $(DESTDIR)$(markdir)/pkgconfig
	install -D -m 644 -t $(DESTDIR)$(includedir)/lkst src/liblkst/mark.h
	install -m 644 -t $(DESTDIR)$(markdir) $(MARK_LIB) $(MARK_SO)
	$(if $(MARK_SO),ln -sf liblkst.so.1 $(DESTDIR)$(markdir)/liblkst.so)
	$(if $(DESTDIR),,$(if $(MARK_SO),[ "$$(id -u)" != 0 ] || ldconfig))
	$(FILL_IN) etc/lkst.pc >$(DESTDIR)$(markdir)/pkgconfig/lkst.pc
	install -m 755 $(BUILD)/lkst $(DESTDIR)$(bindir)/lkst
	install -D -m 644 -t $(DESTDIR)$(prefix)/lib/lkst/handlers $(HANDLER_OBJ)
	install -D -m 755 etc/keep-earlier $(DESTDIR)$(libdir)/lkst/keep-earlier
	install -D -m 644 etc/gdb/lkst.py $(DESTDIR)$(prefix)/share/lkst/gdb/lkst.py
	install -D -m 644 -t $(DESTDIR)$(prefix)/share/lkst/grafana $(wildcard etc/grafana/*.json)
	for header in $(HEADER_COPY:$(HEADER_DIR)/%=%); do \
		install -D -m 644 $(HEADER_DIR)/$$header $(DESTDIR)$(includedir)/$$header || exit; \
	done
	for link in $(LINKS); do ln -sf lkst $(DESTDIR)$(bindir)/$$link || exit; done
	for page in $(MAN); do \
		install -D -m 644 -t $(DESTDIR)$(mandir)/man$${page##*.} $$page || exit; \
	done
	for call in $(MARK_CALLS); do ln -sf lkst-mark.3 $(DESTDIR)$(mandir)/man3/$$call.3 || exit; done
	$(if $(COMPLETIONS),install -D -m 644 -t $(DESTDIR)$(bashdir) $(BUILD)/completion/lkst)
	$(if $(COMPLETIONS),for link in $(LINKS); do ln -sf lkst $(DESTDIR)$(bashdir)/$$link || exit; done)
	$(if $(COMPLETIONS),install -D -m 644 -t $(DESTDIR)$(zshdir) $(BUILD)/completion/_lkst)
	install -D -m 644 -t $(DESTDIR)$(libdir)/tmpfiles.d etc/tmpfiles.d/lkst.conf
	install -D -m 644 -t $(DESTDIR)$(libdir)/sysusers.d etc/sysusers.d/lkst.conf
	install -d $(DESTDIR)$(unitdir) $(DESTDIR)$(sysconfdir)/lkst \
		$(addprefix $(DESTDIR)$(initramfsdir)/,$(dir $(BOOT_SCRIPTS:etc/initramfs-tools/%=%)))
	for unit in $(notdir $(UNITS)); do \
		$(FILL_IN) etc/systemd/$$unit >$(DESTDIR)$(unitdir)/$$unit || exit; \
	done
	for script in $(BOOT_SCRIPTS:etc/initramfs-tools/%=%); do \
		$(FILL_IN) etc/initramfs-tools/$$script >$(DESTDIR)$(initramfsdir)/$$script && \
		chmod 755 $(DESTDIR)$(initramfsdir)/$$script || exit; \
	done
	[ -e $(DESTDIR)$(sysconfdir)/lkst/lkst.conf ] || \
		install -m 644 etc/lkst.conf $(DESTDIR)$(sysconfdir)/lkst/lkst.conf

.PHONY: deb rpm tarball
deb:					## make Debian packages, in $(OUT)/deb
	@OUT=$(OUT) tools/make-deb

rpm:					## make packages for Fedora and its relatives, in $(OUT)/rpm
	@OUT=$(OUT) tools/make-rpm

tarball:				## make a static program with all that belongs to it, for any distribution
	@OUT=$(OUT) tools/make-tarball

.PHONY: clean
clean:					## remove all that was built
	rm -rf $(OUT)

.PHONY: help
help:					## this list
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | \
		expand -t 16

-include $(LIB_OBJ:.o=.d) $(LIVE_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(MARK_OBJ:.o=.d) $(BPF_OBJ:.o=.d) $(FLOOR_OBJ:.o=.d) $(PROBE_OBJ:.o=.d) $(INJECT_OBJ:.o=.d) $(START_SRC:src/bpf/%.c=$(GEN)/bpf/%.d) $(TEST_LIB_OBJ:.o=.d) $(UNIT_BIN:=.d) \
	$(LIVE_TEST_BIN:=.d) $(LOAD_BIN:=.d) $(FUZZ_BIN:=.d) $(WEB_OBJ:.o=.d) $(WEB_OWN:%.c=$(BUILD)/%.d)
