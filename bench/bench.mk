# SPDX-License-Identifier: GPL-2.0-only
# How the measuring programs are built. Read after the Makefile, whose rules and names it uses:
#
#   make -f Makefile -f bench/bench.mk bench-programs

BENCH     := $(BUILD)/bench
# The rival of `bench/run extract` needs the packages of `tools/install-deps bench`.
KDUMPFILE := $(if $(wildcard /usr/include/libkdumpfile/kdumpfile.h),kdumpfile)
# So does that of `bench/run mark`.
LTTNG     := $(wildcard /usr/include/*/lttng/tracepoint-event.h /usr/include/lttng/tracepoint-event.h)
BENCH_BIN := $(addprefix $(BENCH)/,unit rate switch spin steady walk state peak disarm tracepoints probe mark hosts $(KDUMPFILE))

.PHONY: bench-programs
bench-programs: $(BUILD)/lkst $(BENCH_BIN)

$(BENCH)/gen/bpf/unit.bpf.o: bench/unit.bpf.c
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(BENCH)/gen/unit.bpf.o: $(GEN)/lkst.bpf.o $(BENCH)/gen/bpf/unit.bpf.o
	$(BPFTOOL) gen object $@ $^

$(BENCH)/gen/unit.skel.h: $(BENCH)/gen/unit.bpf.o
	$(BPFTOOL) gen skeleton $< name unit_bpf > $@

$(BENCH)/programs.o: $(BENCH)/gen/unit.skel.h
$(BENCH)/programs.o: CPPFLAGS += -I$(BENCH)/gen

$(BENCH)/unit: $(BENCH)/rivals.o $(BENCH)/programs.o
$(BENCH)/rate: $(BENCH)/programs.o
$(BENCH)/mark: $(MARK_LIB) $(if $(LTTNG),$(BENCH)/mark_lttng.o)
$(BENCH)/mark.o: CPPFLAGS += $(if $(LTTNG),-DLKST_BENCH_LTTNG)
$(BENCH)/mark: LDLIBS += $(if $(LTTNG),-llttng-ust -ldl)
# Its headers are not of this project.
$(BENCH)/mark_lttng.o: CFLAGS += -I. -w
$(BENCH)/kdumpfile: LDLIBS += -lkdumpfile
$(BENCH_BIN): $(BENCH)/%: $(BENCH)/%.o $(BENCH)/common.o $(BUILD)/liblive.a $(BUILD)/liblkst.a
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o $(MARK_LIB),$^) $(BUILD)/liblive.a $(BUILD)/liblkst.a $(LDLIBS)

-include $(wildcard $(BENCH)/*.d $(BENCH)/gen/bpf/*.d)
